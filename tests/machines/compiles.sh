#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: compiles.sh BUILD   What has asm of its own, or depends on the size of a word, compiles for
# arm64, and for x86 of 32 bits by this machine's headers. Nothing is run.
set -u
n=0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

compile() { # name flags... source; by $cc
	name=$1
	shift
	n=$((n + 1))
	# shellcheck disable=SC2086
	if $cc -std=gnu11 -O2 -D_GNU_SOURCE= -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
		-Wmissing-prototypes -Wvla -I. "$@" \
		-c -o "$out/$n.o" 2>"$out/log"; then
		echo "ok $n $machine: $name"
	else
		echo "not ok $n $machine: $name"
		sed 's/^/# /' "$out/log" | head -20
	fi
}

skip() { # why
	n=$((n + 1))
	echo "ok $n $machine # SKIP $1"
}

row() { # row builds...
	row=$1
	shift
	line=$(sed -n "s/^X($row, *\([^,]*\),\(.*\))$/\1 \2/p" schemes/schemes.def)
	header=${line%% *}
	for build in "$@" READER_COUNTING; do
		half=driver
		[ "$build" = READER_COUNTING ] && half=reader
		# shellcheck disable=SC2046
		compile "$row $build" $(printf ' -DSTAMPEDE_%s' ${build%_*} ${build#*_}) ${line#* } -DROW="$row" \
			"-DSCHEME_HEADER=\"schemes/$header.h\"" judge/$half.c
	done
}

shared() {
	for source in schemes/core/*.c schemes/parts/*.c schemes/format/*.c workloads/engine/interrupts.c judge/check.c \
		judge/buffer.c runner/place/clock_pair.c; do
		compile "$source" "$source"
	done
}

machine=arm64 cc=${ARM64_CC:-aarch64-linux-gnu-gcc}
if command -v "$cc" >/dev/null; then
	row dwcas TIMED TIMED_CHEAP TIMED_INJECTED CHECKED COUNTING
	for row in restartable restartable_full rewind; do row $row TIMED COUNTING; done # the model
	row packed_word TIMED
	row joint_delta TIMED
	shared
else
	skip "no $cc (Debian: apt-get install gcc-aarch64-linux-gnu)"
fi

# The one header of 32 bits that is not there says which functions of the C library are not to be linked.
machine=i386 headers=$(gcc -print-multiarch 2>/dev/null)
cc="gcc -m32 -idirafter /usr/include/$headers -idirafter $out"
mkdir "$out/gnu" && : >"$out/gnu/stubs-32.h"
if [ "$(uname -m)" = x86_64 ] && echo '#include <stdint.h>' | $cc -x c -c -o "$out/try.o" - 2>/dev/null; then
	for row in dwcas packed_word varint_low nested_stamps; do row $row TIMED CHECKED; done
	row restartable COUNTING
	shared
else
	skip "no gcc for x86 of 32 bits here"
fi
echo "1..$n"
