#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_quick.sh BUILD   The explorer's quick tier: every main row keeps what it promises by as many
# schedules as recorded. TAP. QUICK_ROWS="=a =b": these rows alone.
build=$1 rows=$QUICK_ROWS
. tests/support/tap.sh
needs_explored "the quick tier" "make explored explored-points"

# How many schedules there are is the compiled code's. New counts of a wanted change:
# (cc --version | head -1; build/explore --tier quick | sed 's/  *[0-9.]* s  / /') >FILE
golden=tests/data/explored_quick.txt
if [ -n "$rows" ]; then
	"$build/explore" --tier quick --schemes "$rows" >"$scratch/quick" 2>"$scratch/err"
	got=$?
	main=$(echo "$rows" | wc -w)
else
	"$build/explore" --tier quick >"$scratch/quick" 2>"$scratch/err"
	got=$?
	main=$(($(grep -c '^X(' schemes/schemes.def) - $(grep -c '^X(.*-DVARIANT' schemes/schemes.def)))
fi
kept=$(grep -cE '^(untimed|floor[a-z_]*|varint_delta_go) .*  no promise$|  (kept( where (needs are met|the clock goes forward) \([0-9]+ not\))?)$' "$scratch/quick")
[ $got -eq 0 ] && [ "$kept" -eq "$main" ]
report $? "quick tier: every main row keeps what it promises"
sed 's/^/# /' "$scratch/quick" "$scratch/err" | grep -v '# \['
sed 's/  *[0-9.]* s  / /' "$scratch/quick" >"$scratch/counts"
if [ "$(head -1 $golden)" = "$(${CC:-cc} --version | head -1)" ]; then
	awk -v all="$rows" 'NR == 1 { next } NR == 2 || all == "" ||
		index(" " all " ", " =" $1 " ")' $golden >"$scratch/golden"
	diff "$scratch/golden" "$scratch/counts" >"$scratch/diff"
	report $? "quick tier: as many schedules of each row as recorded"
	sed 's/^/# /' "$scratch/diff"
else
	skip "the recorded counts" "another compiler: $(${CC:-cc} --version | head -1)"
fi
plan
