#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: long_explore.sh BUILD   For test-long: the explorer on other compilers and optimizations. All
# reach the final buffers that the labelled points reach. Other machines: machine.sh.
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
	if python3 -B tests/explore/test_decoder.py "$build" "$into" >"$scratch/decoded" && ! grep -q '^not ok' "$scratch/decoded"; then
		sed 's/^ok - /ok: /' "$scratch/decoded"
	else
		failed=$((failed + 1)) && echo "FAILED: $name, a second decoder" && cat "$scratch/decoded"
	fi
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

compiled O0 EXPLORE_OPT=-O0
compiled O3 EXPLORE_OPT=-O3
if command -v clang >/dev/null; then
	compiled clang EXPLORE_CC=clang
else
	echo "skipped: clang: not installed"
fi

[ $failed -eq 0 ]
