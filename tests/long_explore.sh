#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: long_explore.sh BUILD   For test-long: the explorer on other compilers, optimizations and
# machines. All reach the final buffers that this machine's labelled points reach.
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
pointed=$(sed -n '/-DVARIANT/d; /^X(re[sw][^,]*,/d; s/^X(\([^,]*\),.*/=\1/p' schemes/schemes.def |
	tr '\n' ' ')

# Which rows reach how many, and which, on stdout: outcomes EXPLORE OPTIONS...
outcomes() {
	"$@" --schemes "$pointed" --nested 2 --outcomes |
		sed -nE 's/^(\S+) .* ([0-9]+) outcomes ([0-9a-f]+) .*/\1 \2 \3/p'
}

same() { # name, file, file
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		echo "ok: $1: $(wc -l <"$2") rows"
	else
		failed=$((failed + 1))
		echo "FAILED: $1"
		diff "$2" "$3" | sed 's/^/    /'
	fi
}

objects() { # directory, what is made, variables...
	into=$1 what=$2
	shift 2
	make --no-print-directory -j"$(nproc)" BUILD="$build" EXPLORED="$into" "$@" $what \
		>"$scratch/make.log" 2>&1 || { tail -20 "$scratch/make.log"; return 1; }
}

of_rows() { # directory, ending
	for row in $pointed; do printf '%s/%s%s ' "$1" "${row#=}" "$2"; done
}

outcomes "$build/explore" --stops points >"$scratch/wanted"

compiled() { # name, variables...
	name=$1 into=$build/explored-$1
	shift
	objects "$into" "$(of_rows "$into" .page.so) $(of_rows "$into" .timed.so)" "$@" || { failed=$((failed + 1)); return; }
	for stops in all shared; do
		outcomes "$build/explore" --objects "$into" --stops $stops >"$scratch/$name.$stops"
		same "$name, $stops" "$scratch/$name.$stops" "$scratch/wanted"
	done
	kept "$name" "$into" "$build/explore" --stops all --events 2 --nested 3 --before 1
	# The timed payload too: what this compiler moves behind the commit a reader would miss.
	kept "$name" "$into" "$build/explore" --shape timed --events 2 --nested 1 --reads 1 --offsets all
	"$build/explore" --objects "$into" --audit --nested 0 --schemes "$pointed" >"$scratch/audit"
	case $? in
	0) echo "ok: $name, audit of the stops" ;;
	4) echo "skipped: $name, audit of the stops: no single-step here" ;;
	*) failed=$((failed + 1)) && echo "FAILED: $name, audit" && cat "$scratch/audit" ;;
	esac
}

machine() { # name, fields compared, how it is run, compiler
	name=$1 fields=$2 run=$3 into=$build/explored-$1
	# shellcheck disable=SC2046
	objects "$into" "$into/explore $(of_rows "$into" .page.points.so)
		$(of_rows "$into" .wrap3.points.so) $(of_rows "$into" .ends2.points.so)" \
		EXPLORE_CC="$4" || { failed=$((failed + 1)); return; }
	outcomes $run "$into/explore" --objects "$into" --stops points 2>"$scratch/left_out" |
		cut -d' ' -f"$fields" >"$scratch/$name"
	# What the machine cannot run says why, and is not missed.
	sed -n "s/^stampede: \(.*\) left out: /skipped: $name, \1: /p" "$scratch/left_out"
	sed -n 's/^stampede: \(.*\) left out: .*/\1/p' "$scratch/left_out" >"$scratch/absent"
	awk 'FILENAME == ARGV[1] { absent[$1] = 1; next } !($1 in absent)' \
		"$scratch/absent" "$scratch/wanted" |
		cut -d' ' -f"$fields" >"$scratch/$name.wanted"
	same "$name, points" "$scratch/$name" "$scratch/$name.wanted"
	points="$into/explore --stops points"
	kept "$name" "$into" $run $points --shape page --events 2 --nested 3 --before 1
	kept "$name" "$into" $run $points --shape wrap3 --events 2 --nested 1 --jumps 1 --before 1
	kept "$name" "$into" $run $points --shape ends2 --events 3 --nested 2 --offsets all
}

kept() { # name, directory, explorer and budget...
	name=$1 into=$2
	shift 2
	if "$@" --objects "$into" --schemes "$pointed" >"$scratch/kept" 2>/dev/null &&
		grep -q ' kept' "$scratch/kept"; then
		echo "ok: $name, $(grep -c ' kept' "$scratch/kept") rows, $*"
	else
		failed=$((failed + 1))
		echo "FAILED: $name, $*"
		grep -A30 BROKEN "$scratch/kept" | head -60 | sed 's/^/    /'
	fi
}

# Published faults where words of 64 bits are two: found by labelled points, at the same budgets.
history() { # name, compiler
	if python3 runner/explore/cases.py --build "$build" --machine "$1" --cc "$2" \
		schemes/history/history.def schemes/history/*.patch >"$scratch/history"; then
		echo "ok: $1, history: $(tail -1 "$scratch/history")"
	else
		failed=$((failed + 1))
		echo "FAILED: $1, history"
		sed 's/^/    /' "$scratch/history"
	fi
}

compiled O0 EXPLORE_OPT=-O0
compiled O3 EXPLORE_OPT=-O3
if command -v clang >/dev/null; then
	compiled clang EXPLORE_CC=clang
else
	echo "skipped: clang: not installed"
fi

# Where words of 64 bits are two. Pointers are shorter: the same number of buffers, not the same.
m32="gcc -m32 -idirafter /usr/include/$(gcc -print-multiarch)"
echo 'int main(void) { return 0; }' >"$scratch/empty.c"
if $m32 -include stdio.h "$scratch/empty.c" -o "$scratch/empty" 2>/dev/null; then
	machine i386 1,2 "" "$m32"
	history i386 "$m32"
else
	echo "skipped: i386: gcc -m32 needs libc6-dev-i386 and lib32gcc-$(gcc -dumpversion)-dev"
fi
if ! command -v aarch64-linux-gnu-gcc >/dev/null; then
	echo "skipped: arm64: gcc-aarch64-linux-gnu and libc6-dev-arm64-cross are not installed"
elif ! command -v qemu-aarch64 >/dev/null; then
	echo "skipped: arm64: qemu-user is not installed"
else
	machine arm64 1,2,3 "qemu-aarch64 -L /usr/aarch64-linux-gnu" aarch64-linux-gnu-gcc
fi
[ $failed -eq 0 ]
