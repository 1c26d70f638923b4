#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_coverage.sh BUILD   Do the explorer's shapes come to the plain, the slow and the
# switching path of every row? TAP.
build=$1
explore=$build/explore
if [ ! -d "$build/explored" ]; then
	echo "ok 1 - coverage # SKIP no objects in $build/explored: make explored"
	echo "1..1"
	exit
fi
. tests/tap.sh

object() { # object VARIABLE=VALUE...
	object=$1
	shift
	make --no-print-directory BUILD="$scratch/make" EXPLORED="$scratch/explored" "$@" \
		"$scratch/explored/$object" >"$scratch/make.log" 2>&1 || cat "$scratch/make.log"
}

# In make test the shape where it was not so; SHAPES="page wrap3 wrap4 ends2 ends4 wrapends" for all.
rows=$(grep '^X(' schemes/schemes.def | grep -vc -- '-DVARIANT')
for shape in ${SHAPES:-ends2}; do
	"$explore" --coverage --tier long --shape "$shape" >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 0 ] && [ "$(grep -c '  covered$' "$scratch/out")" -eq "$rows" ]
	report $? "$shape: plain, slow and switching path of every main row"
	grep 'NOT COVERED' "$scratch/out" | sed 's/^/# /'
	# Only where a compiler puts rare things into the function that records, and sections' ends.
	awk '$1 != "MISSING" && / missing / && !/ 0 missing / { print $1 }' "$scratch/out" |
		grep -vx 'zero_delta\|delta_sync_soft\|joint_delta\|restartable\|rewind' \
			>"$scratch/missing"
	[ ! -s "$scratch/missing" ]
	report $? "$shape: every instruction that records an event"
	sed 's/^/# /' "$scratch/missing"
done

# A sub-buffer of 128 bytes holds one record.
object extended_header.ends2.so shape_ends2="7 1 0"
"$explore" --coverage --tier long --shape ends2 --schemes =extended_header \
	--objects "$scratch/explored" >"$scratch/out" 2>"$scratch/err"
[ $? -eq 2 ] && grep -q 'plain 0/1 .* NOT COVERED$' "$scratch/out"
report $? "a sub-buffer of one record: the plain path is never taken"

# Whoever takes the plain path dies: seen in every shape.
rm -rf "$scratch/explored"
mkdir "$scratch/tree"
sh explore/tree.sh "$scratch/tree"
sed -i 's|EXPLORED_PATH("plain");|__builtin_trap();|' "$scratch/tree/schemes/parts/defaults.h"
for shape in page wrap3 wrap4 ends2 ends4 wrapends; do
	object "extended_header.$shape.so" TREE="$scratch/tree"
	"$explore" --schemes =extended_header --objects "$scratch/explored" --shape $shape \
		--events 2 --nested 0 >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 2 ] && grep -q 'BROKEN [0-9]*: crash' "$scratch/out"
	report $? "$shape: a trap behind the plain path is found"
done
plan
