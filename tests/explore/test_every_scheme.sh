#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_every_scheme.sh BUILD   The search finds the schemes of the texts by itself, counts the
# same however it is shared out, and refuses what it cannot do. TAP.
build=$1
. tests/support/tap.sh
every=$build/every-scheme

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

plan
