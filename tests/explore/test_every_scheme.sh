#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_every_scheme.sh BUILD   The search finds the schemes of the texts by itself, counts the
# same however it is shared out, and refuses what it cannot do. TAP.
build=$1
. tests/support/tap.sh
every=$build/every-scheme

# found NAME PROGRAM OPTIONS...: the program is among the right ones
found() {
	name=$1 program=$2
	shift 2
	"$every" --show 4096 "$@" >"$scratch/found"
	grep -q "clock: $program\$" "$scratch/found"
	report $? "found again: $name"
}

found heartbeat "load tail; clock; cmpxchg tail; low" --length 3 --ops "load clock cmpxchg" \
	--promises "order exact"
found "delta under a mask" \
	"mask; load tail; clock; load S; store tail; store S; unmask; delta where near" \
	--length 7 --words 1 --ops "load store clock mask long"
found "extended header" "load tail; clock; load S; cmpxchg tail; store S; low where near" --length 5 \
	--ops "load store clock cmpxchg long"
found "three reads, of which two do" \
	"load tail; clock; load S; cmpxchg tail; low where near; else far: cmpxchg tail; store S" \
	--length 6 --words 1 --ops "load store clock cmpxchg event"
found "before and write stamps" \
	"load tail; load S; load B; clock; store B; xadd tail; store S; delta where words; else lost" \
	--length 7 --ops "load store clock xadd long" --promises "order window"
found "packed word" "load tail; clock; cmpxchg tail; packed low where packed" --length 3 \
	--ops "load clock cmpxchg packed long"

# judged NAME CODE PROMISES PROGRAM: what the texts have in longer programs
judged() {
	"$every" --promises "$3" --program "$4" >/dev/null
	[ $? -eq "$2" ]
	report $? "$1"
}
three="load tail; clock; load S; cmpxchg tail; store S; low where near
else far: load tail; clock; cmpxchg tail; store S"
three=$(echo "$three" | tr '\n' ';')
judged "three reads are right" 0 "order exact wrap" "$three"
judged "three reads may never end" 2 "order exact wrap bounded" "$three"
looks="load tail; load B; load S; clock; store B; xadd tail; store S; delta where words near
else lost: load B; clock; store B; load S; load tail; delta where words near end"
judged "Linux 6.8 is right but for times declared inexact" 0 "order window wrap" \
	"$(echo "$looks" | tr '\n' ';')"
judged "and is not exact" 2 "order exact wrap" "$(echo "$looks" | tr '\n' ';')"
judged "low bits are no more than their wrap" 2 "order exact wrap" "load tail; clock; cmpxchg tail; low"

# counts OPTIONS...: of each length
sums() {
	awk '{ for (i = 2; i <= NF; i++) sum[$1 " " i] += $i }
		END { for (i = 2; i < 7; i++) for (j = 2; j < 8; j++) printf "%d ", sum[i " " j] }' "$@"
}
counts() {
	"$every" --show 0 --length 6 --ops "load store clock xadd cmpxchg long" "$@" | grep -E '^[ 0-9]+$'
}
one=$(counts --processes 1 | sums)
[ "$one" = "$(counts --processes 3 | sums)" ] && [ "${#one}" -gt 20 ]
report $? "three processes count as one does"
[ "$one" = "$(for part in 0 1 2; do counts --processes 1 --part $part/3; done | sums)" ]
report $? "three parts add up to it"

"$every" --length 4 --ops "load store clock xadd" --promises "order exact wrap" >"$scratch/none"
[ $? -eq 2 ] && grep -q "none of up to 4 operations" "$scratch/none"
report $? "none, by count"
plan
