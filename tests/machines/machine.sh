#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: machine.sh MACHINE STEP...   Stampede for another CPU, cross-built and run by qemu-user:
# verdicts, never times. MACHINE: arm64, armhf, i386 or riscv64. STEP: all (the default), or of
# build, tests, explorer, history, storm, live.
#
# Installs only Debian's cross compiler and qemu-user-static. Libraries of that machine are unpacked into
# build-MACHINE-libraries; only a user namespace (Linux 6.7 or newer) tells the kernel of qemu.
# BUILD (default: build-MACHINE), MIRROR=URL and RELEASE (this machine's) as for distro.sh.
# Exit code: 0 fine, 1 usage or a failure, 3 something is missing, 4 not possible here.
set -u
machine=${1:-}
[ $# -gt 0 ] && shift
: "${MIRROR:=http://deb.debian.org/debian}" "${RELEASE:=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}"

refuse() { # exit code, line
	echo "stampede: $2" >&2
	exit "$1"
}

# The compiler's triple, that of libraries where it is another, qemu's name, and the word by which the ELF header tells such a program.
libs=
case $machine in
arm64) triple=aarch64-linux-gnu qemu=aarch64 class=2 elf='\xb7' ;;
armhf) triple=arm-linux-gnueabihf qemu=arm class=1 elf='\x28' ;;
i386) triple=i686-linux-gnu libs=i386-linux-gnu qemu=i386 class=1 elf='\x03' ;;
riscv64)
	triple=riscv64-linux-gnu qemu=riscv64 class=2 elf='\xf3'
	# Debian has it from trixie on.
	[ "$RELEASE" = bookworm ] && RELEASE=trixie
	;;
*) refuse 1 "make test-machine MACHINE=arm64 (or armhf, i386, riscv64)" ;;
esac
build=${BUILD:-build-$machine}
steps=${*:-all}
[ "$steps" = all ] && steps="build tests explorer storm live"
for word in $steps; do
	case $word in
	build | tests | explorer | history | storm | live) ;;
	*) refuse 1 "'$word' is no step: build, tests, explorer, history, storm or live" ;;
	esac
done
top=$PWD/build-$machine-libraries
sysroot=$top/sysroot
library=$sysroot/usr/lib/${libs:-$triple}
# The cross compiler finds a C library of its own first, that of this release.
where="--sysroot=$sysroot -L$library"
command -v "$triple-gcc" >/dev/null || refuse 3 "no $triple-gcc: apt-get install gcc-$triple"
command -v "qemu-$qemu-static" >/dev/null || refuse 3 "no qemu: apt-get install qemu-user-static"
mkdir -p "$build" "$top" || exit 3

# ---- the machine's libraries ----

libraries='libc6-dev linux-libc-dev libhwloc-dev libjansson-dev libcmocka-dev
	libbenchmark-dev libxxhash-dev libtraceevent-dev libbabeltrace2-dev'

# apt with lists, packages and a status of its own: this machine's are not looked at.
private_apt() {
	apt-get -q -o Dir::Etc="$top/apt/etc" -o Dir::Etc::sourcelist="$top/apt/sources.list" \
		-o Dir::Etc::sourceparts=- -o Dir::State="$top/apt/state" \
		-o Dir::State::status="$top/apt/status" -o Dir::Cache="$top/apt/cache" \
		-o APT::Architecture="$machine" -o APT::Architectures="$machine" \
		-o APT::Sandbox::User= -o Acquire::Languages=none "$@"
}

unpack() {
	mkdir -p "$top/apt/etc/apt.conf.d" "$top/apt/etc/preferences.d" \
		"$top/apt/state/lists/partial" "$top/apt/cache/archives/partial" &&
		: >"$top/apt/status" &&
		echo "deb [arch=$machine signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
			"$MIRROR $RELEASE main" >"$top/apt/sources.list" || return 1
	# shellcheck disable=SC2086
	private_apt update && private_apt install -y --download-only --no-install-recommends \
		$libraries || return 1
	rm -rf "$sysroot.new"
	mkdir -p "$sysroot.new/usr/lib" && ln -s usr/lib "$sysroot.new/lib" || return 1
	for package in "$top"/apt/cache/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$package" |
			tar -x --keep-directory-symlink -C "$sysroot.new" || return 1
	done
	mv "$sysroot.new" "$sysroot"
}

if [ ! -e "$sysroot" ]; then
	echo "stampede: unpacking $RELEASE's libraries for $machine"
	unpack >"$top/apt.log" 2>&1 || {
		tail -5 "$top/apt.log" >&2
		refuse 3 "no libraries of $machine; see above and $top/apt.log"
	}
fi

# Libraries of a newer release need its C++ library, not that of the cross compiler.
[ ! -e "$library/libstdc++.so.6" ] || ln -sfn libstdc++.so.6 "$library/libstdc++.so"

# ---- build ----

# i386's way of stopping a writer names its variables by absolute addresses.
case $machine in
i386) export CFLAGS=-fno-pie LDFLAGS=-no-pie ;;
esac
export CC="$triple-gcc $where" CXX="$triple-g++ $where" AR="$triple-ar" BUILD="$build"
export PKG_CONFIG_LIBDIR="$sysroot/usr/lib/${libs:-$triple}/pkgconfig:$sysroot/usr/share/pkgconfig"
export QEMU_LD_PREFIX="$sysroot"
# On 32 bits plugins are looked for by statx, and that not under qemu 7.2's prefix.
export BABELTRACE_PLUGIN_PATH="$library/babeltrace2/plugins"

# In a restartable section there is no place for a labelled point, and a row's variants add nothing.
pointed=$(sed -n '/-DVARIANT/d; /^X(re[sw][^,]*,/d; s/^X(\([^,]*\),.*/=\1/p' schemes/schemes.def |
	tr '\n' ' ')
of_rows() { # directory, endings...
	for row in $pointed; do
		for shape in page wrap3 ends2; do printf '%s/%s.%s.points.so ' "$1" "${row#=}" $shape; done
	done
}

build_all() {
	# shellcheck disable=SC2046
	make --no-print-directory -j"$(nproc)" all tests $(of_rows "$build/explored")
}

# ---- qemu ----

# Once in the namespace of its own, programs of the machine run like any other.
if [ -z "${STAMPEDE_NAMESPACE:-}" ]; then
	export STAMPEDE_NAMESPACE=entered RELEASE MIRROR
	exec unshare --user --map-root-user --mount sh "$0" "$machine" "$@" ||
		refuse 4 "no namespace of users here"
fi
# An x86-64 kernel runs i386 as it is, once its loader and libraries are where programs look for them;
# qemu 7.2 ends such programs by an assertion of its own when signals come.
if [ "$STAMPEDE_NAMESPACE" = entered ] && [ "$machine-$(uname -m)" = i386-x86_64 ]; then
	mkdir -p "$top/loader" || exit 3
	ln -sfn "$sysroot/usr/lib/i386-linux-gnu" "$top/loader/i386-linux-gnu"
	ln -sfn i386-linux-gnu/ld-linux.so.2 "$top/loader/ld-linux.so.2"
	mount -t overlay -o "lowerdir=$top/loader:/usr/lib" none /usr/lib ||
		refuse 4 "no overlay can be mounted in a namespace of users here"
	export STAMPEDE_NAMESPACE=ready
fi
if [ "$STAMPEDE_NAMESPACE" = entered ]; then
	misc=/proc/sys/fs/binfmt_misc
	zeros='\x00\x00\x00\x00\x00\x00\x00\x00' ones='\xff\xff\xff\xff\xff\xff\xff\xff'
	# A header's magic and mask, as binfmt_misc takes them; F: qemu is opened now.
	format=$(printf '%s' ":stampede:M::\\x7fELF\\x0$class\\x01\\x01\\x00$zeros\\x02\\x00" \
		"$elf\\x00:\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00$ones\\xfe\\xff\\xff\\xff:" \
		"$(command -v "qemu-$qemu-static"):F")
	if ! mount -t binfmt_misc none $misc || ! printf '%s\n' "$format" >$misc/register; then
		refuse 4 "this kernel keeps no list of programs for each namespace (Linux 6.7 does)"
	fi
	export STAMPEDE_NAMESPACE=ready
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed='' begin=$(date +%s)

step() { # name command...
	name=$1
	shift
	began=$(date +%s)
	if "$@"; then
		echo "== $machine: $name: fine, $(($(date +%s) - began)) s"
	else
		failed="$failed $name"
		echo "== $machine: $name: FAILED, $(($(date +%s) - began)) s"
	fi
}

# ---- the C tests ----

tests() {
	# shellcheck disable=SC2046
	STAMPEDE_EMULATED=1 SCRIPTS='' SECONDS_PER_TEST=1200 sh tests/run.sh "$build" \
		$(ls tests/*/test_*.c | sed "s,\(.*\)\.c,$build/\1,")
}

# ---- the explorer, by labelled points ----

# What an explorer says on stderr is shown when it ends with another code than 0.
explored() { # file for its table, command...
	table=$1
	shift
	"$@" >"$table" 2>"$scratch/said" && return 0
	echo "FAILED: exit code $? of $*"
	sed 's/^/    /' "$scratch/said"
	return 1
}

# Which rows reach how many final buffers, and which: outcomes TO EXPLORE OPTIONS...
outcomes() {
	to=$1
	shift
	explored "$scratch/table" "$@" --schemes "$pointed" --nested 2 --outcomes || return 1
	sed -nE 's/^(\S+) .* ([0-9]+) outcomes ([0-9a-f]+) .*/\1 \2 \3/p' "$scratch/table" |
		cut -d' ' -f"$fields" >"$to"
}

kept() { # budget...
	if explored "$scratch/kept" "$build/explore" --stops points "$@" --schemes "$pointed" &&
		grep -q ' kept' "$scratch/kept"; then
		echo "ok: $(grep -c ' kept' "$scratch/kept") rows, $*"
	else
		echo "FAILED: $*"
		grep -A30 BROKEN "$scratch/kept" | head -60 | sed 's/^/    /'
		return 1
	fi
}

# The same final buffers as here. Pointers of 32 bits: as many of them, not the same.
explorer() {
	[ $class = 1 ] && fields=1,2 || fields=1,2,3
	good=0
	outcomes "$scratch/here" build/explore --stops points || good=1
	outcomes "$scratch/there" "$build/explore" --stops points || good=1
	sed -n "s/^stampede: \(.*\) left out: /skipped: \1: /p" "$scratch/said"
	sed -n 's/^stampede: \(.*\) left out: .*/\1/p' "$scratch/said" >"$scratch/absent"
	awk 'FILENAME == ARGV[1] { absent[$1] = 1; next } !($1 in absent)' \
		"$scratch/absent" "$scratch/here" >"$scratch/wanted"
	if [ $good = 0 ]; then
		if [ -s "$scratch/there" ] && cmp -s "$scratch/there" "$scratch/wanted"; then
			echo "ok: the same outcomes: $(wc -l <"$scratch/there") rows"
		else
			good=1
			echo "FAILED: other outcomes"
			diff "$scratch/there" "$scratch/wanted" | sed 's/^/    /'
		fi
	fi
	kept --shape page --events 2 --nested 3 --before 1 || good=1
	kept --shape wrap3 --events 2 --nested 1 --jumps 1 --before 1 || good=1
	kept --shape ends2 --events 3 --nested 2 --offsets all || good=1
	return $good
}

# Published faults, found at the same budgets.
history() {
	python3 tests/cases/cases.py --build "$build" --points \
		schemes/history/history.def "$build"/history/*.patch
}

# ---- a storm ----

stressed() { # options of run-stress...
	"$build/run-stress" --bits 22 "$@" >"$scratch/storm" 2>&1
	code=$?
	if [ $code -eq 0 ]; then
		grep -E '^stampede: .* left out|^[a-z0-9_]+ \(.*\): ' "$scratch/storm"
	else
		cat "$scratch/storm"
	fi
	[ $code -eq 0 ]
}

storm() {
	stressed --seconds 2
}

# ---- a reader on another CPU ----

live() {
	stressed --workload live --seconds 2 || return 1
	sed -n 's/^  read while it was written: \([0-9]*\) events.*/\1/p' "$scratch/storm" |
		awk '{ n += $1; rows += $1 > 0 } END { print "read while it was written: " n " events of " rows " rows" }'
}

for word in $steps; do
	case $word in
	build) step build build_all ;;
	*) step "$word" "$word" ;;
	esac
	# Nothing can be said of what was not built.
	[ "$word" = build ] && [ -n "$failed" ] && break
done
if [ -z "$failed" ]; then
	echo "$machine: passed, $(($(date +%s) - begin)) s"
else
	echo "$machine: FAILED:$failed, $(($(date +%s) - begin)) s"
	exit 1
fi
