#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_arm64.sh BUILD   Cross-builds the rows with asm of their own for arm64, in all builds.
set -u
cc=${ARM64_CC:-aarch64-linux-gnu-gcc}
n=0
if ! command -v "$cc" >/dev/null; then
	echo "ok 1 arm64 # SKIP no $cc (Debian: apt-get install gcc-aarch64-linux-gnu)"
	exit 0
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

compile() { # name flags... source
	name=$1
	shift
	n=$((n + 1))
	if "$cc" -std=gnu11 -O2 -D_GNU_SOURCE= -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
		-Wmissing-prototypes -Wvla -I. "$@" \
		-c -o "$out/$n.o" 2>"$out/log"; then
		echo "ok $n $name"
	else
		echo "not ok $n $name"
		sed 's/^/# /' "$out/log" | head -20
	fi
}

builds="TIMED TIMED_CHEAP TIMED_INJECTED CHECKED COUNTING"
for row in restartable rewind dwcas packed_word joint_delta; do
	line=$(sed -n "s/^X($row, *\([^,]*\),\(.*\))$/\1 \2/p" schemes/schemes.def)
	header=${line%% *}
	case $row in packed_word | joint_delta) builds=TIMED ;; esac
	for build in $builds; do
		compile "$row $build" $(printf ' -DSTAMPEDE_%s' ${build%_*} ${build#*_}) ${line#* } -DROW=$row \
			"-DSCHEME_HEADER=\"schemes/$header.h\"" judge/driver.c
	done
done
for source in schemes/core/*.c schemes/parts/*.c schemes/format/*.c workloads/interrupts.c judge/check.c judge/buffer.c; do
	compile "$source" "$source"
done

# The sections of restartable and their abort addresses are where a kernel looks for them.
n=$((n + 1))
"$cc" -std=gnu11 -O2 -D_GNU_SOURCE= -I. -DSTAMPEDE_TIMED -DROW=restartable \
	'-DSCHEME_HEADER="schemes/restartable.h"' -DLOCKED -c judge/driver.c -o "$out/r.o"
sections=$("${cc%gcc}objdump" -h "$out/r.o" | awk '$2 == "rseq_sections" { print $3 }')
aborts=$("${cc%gcc}objdump" -d "$out/r.o" | grep -B1 '<restart_abort_' | grep -c .)
marked=$("${cc%gcc}objdump" -d "$out/r.o" | grep -c 'd428bc00')
descriptors=$((0x${sections:-0} / 32))
if [ "$descriptors" -gt 0 ] && [ "$marked" -eq "$descriptors" ] && [ "$aborts" -gt 0 ]; then
	echo "ok $n $descriptors sections, a signature before each abort address"
else
	echo "not ok $n sections $descriptors, signatures $marked"
fi
