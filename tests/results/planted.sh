#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: planted.sh BUILD   Adds some 5 % of instructions to one scheme, builds it in a copy of the
# tree and lets compare look: PAIRS (default 20) times it has to find just that. Takes minutes.
build=$1
pairs=${PAIRS:-20}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
found=0 others=0

mkdir "$scratch/tree"
git ls-files | tar c -T - | tar x -C "$scratch/tree"
# What is built already need not be built again: only what the change touches.
cp -a "$build" "$scratch/tree/build"
# Three instructions on the plain path of the 56 that nested_stamps takes per event.
sed -i '/^RESERVE struct reservation reserve(/,/^{/ s/^{/{\n\t__asm__ volatile("nop; nop; nop");/' \
	"$scratch/tree/schemes/nested_stamps.h"
if cmp -s schemes/nested_stamps.h "$scratch/tree/schemes/nested_stamps.h"; then
	echo "planted.sh: nothing was planted" >&2
	exit 1
fi
make -C "$scratch/tree" --no-print-directory -j"$(nproc)" build/bench build/plots \
	>"$scratch/log" 2>&1 ||
	{ tail -5 "$scratch/log" >&2; exit 1; }
small="--quick --schemes =nested_stamps --workloads steady --repetitions 9"
for pair in $(seq "$pairs"); do
	"$build/bench" $small --results "$scratch/a" >/dev/null 2>&1
	"$scratch/tree/build/bench" $small --results "$scratch/b" >/dev/null 2>&1
	"$build/compare" "$scratch/a/latest" "$scratch/b/latest" >"$scratch/out"
	[ $? -eq 2 ] && grep -q '^nested_stamps/steady .*regressed' "$scratch/out" &&
		grep -q '^    instructions: .*regressed' "$scratch/out" && found=$((found + 1))
	grep '^[a-z_]*/' "$scratch/out" | grep -v '^nested_stamps/' |
		grep -q 'regressed\|improved' &&
		others=$((others + 1))
done
grep instructions "$scratch/out"
echo "planted change found in $found of $pairs pairs, another one claimed in $others"
[ "$found" -eq "$pairs" ] && [ "$others" -eq 0 ]
