#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_coverage.sh BUILD   Do the explorer's shapes come to the plain, the slow and the
# switching path of every row? TAP.
build=$1
explore=$build/explore
. tests/support/tap.sh
needs_explored "coverage" "make explored"

objects() { # VARIABLE=VALUE... FILE...
	make --no-print-directory BUILD="$scratch/make" EXPLORED="$scratch/explored" "$@" \
		>"$scratch/make.log" 2>&1 || cat "$scratch/make.log"
}

# In make test the shape where it was not so, by the quick tier; in test-long all shapes, by the long
# one: SHAPES="page wrap3 wrap4 ends2 ends4 wrapends" TIER=long.
tier=${TIER:-quick}
# Of the quick one each search is over before it is split in two.
[ "$tier" != quick ] || one_process="--processes 1"
rows=$(grep '^X(' schemes/schemes.def | grep -vc -- '-DVARIANT')
for shape in ${SHAPES:-ends2}; do
	# shellcheck disable=SC2086
	"$explore" --coverage --tier "$tier" ${one_process-} --shape "$shape" --json "$scratch/found.json" \
		>"$scratch/out" 2>"$scratch/err"
	report $? "$shape: exit code 0"
	finds "$shape: plain, slow and switching path of every main row" "$scratch/found.json" \
		"[one['covered'] for one in r['coverage']] == $rows * [True]"
	grep 'NOT COVERED' "$scratch/out" | sed 's/^/# /'
	# Some may be the side of a branch that this shape never takes, such as an extension's: three
	# with gcc 12, one in a hundred with compilers that we do not know. More only where the writer
	# that was deferred is compiled in as well.
	most="one['instructions'] / 100"
	[ "$(gcc -dumpversion)" != 12 ] || most=3
	finds "$shape: every instruction that records an event" "$scratch/found.json" \
		"{one['row'] for one in r['coverage']
		if one['missing'] > $most and not one['defers']} <= {'zero_delta'}"
	awk '/ missing / { shown = !/ 0 missing / } shown' "$scratch/out" |
		grep ' missing \|MISSING' | sed 's/^/# /'
done

# A sub-buffer of 128 bytes holds one record.
objects_at_hand extended_header.reader
objects shape_ends2="7 1 0" "$scratch/explored/extended_header.ends2.so"
"$explore" --coverage --tier "$tier" --shape ends2 --schemes =extended_header \
	--objects "$scratch/explored" --json - >"$scratch/found.json" 2>"$scratch/err"
[ $? -eq 2 ]
report $? "a sub-buffer of one record: a path is missing"
finds "a sub-buffer of one record: the plain path is never taken" "$scratch/found.json" \
	"not r['coverage'][0]['covered'] and
	r['coverage'][0]['paths']['plain'] == {'reached': 0, 'of': 1}"

# Whoever takes the plain path dies: seen in every shape.
rm -rf "$scratch/explored"
objects_at_hand
mkdir "$scratch/tree"
sh tests/cases/tree.sh "$scratch/tree"
sed -i 's|POINT_PATH("plain");|__builtin_trap();|' "$scratch/tree/schemes/parts/defaults.h"
shapes=${SHAPES:-page ends2}
# shellcheck disable=SC2086
objects TREE="$scratch/tree" $(printf "$scratch/explored/extended_header.%s.so " $shapes)
for shape in $shapes; do
	"$explore" --schemes =extended_header --objects "$scratch/explored" --shape $shape \
		--events 2 --nested 0 --json - >"$scratch/found.json" 2>"$scratch/err"
	finds "$shape: a trap behind the plain path is found" "$scratch/found.json" \
		"f['objections'].get('crash', 0) > 0"
done
plan
