#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_claims.sh BUILD   Each row claims by the word that it declares: in its compiled code there is no wider
# xadd or cmpxchg, and none of that width is missing. TAP.
. tests/support/tap.sh
build=$1
[ "$(uname -m)" = x86_64 ] || { skip "widths of claims" "x86-64 instructions are read" && plan && exit; }

# Of each row of --list: its name, the declared bits, and the widest that its timed code claims.
"$build/bench" --list | sed -e '/^$/,$d' | sed -e ':a;N;$!ba;s/\n  */ /g' |
	sed -n 's/claims by plain stores/claims 0 bits/; s/^\([a-z_0-9]*\) .*; claims \([0-9]*\) bits.*/\1 \2/p; t; s/^\([a-z_0-9]*\) .*/\1 64/p' | while read -r row bits; do
	[ -f "$build/obj/timed/$row.o" ] || continue
	echo "$row $bits $(objdump -d --no-show-raw-insn "$build/obj/timed/$row.o" | awk '
		/\t(lock )?(cmpxchg|xadd)/ {
			width = /cmpxchg16b/ ? 128 : /%r([a-ds][a-z]|[0-9]+),/ ? 64 : 32
			most = width > most ? width : most
		}
		END { print most + 0 }')"
done >"$scratch/claims"

# Those whose code is another than declared. A store publishes where a section starts over.
wrong() { # FILE
	awk '{ none = $1 ~ /^(taken_)?(restartable|rewind)/ ? 64 : 0 } $2 != ($3 ? $3 : none) { printf "%s ", $1 }' "$1"
}

said=$(wrong "$scratch/claims")
rows=$(wc -l <"$scratch/claims")
[ -z "$said" ] && [ "$rows" -gt 50 ]
report $? "$rows rows claim as wide a word as they say: ${said:-all}"
for plant in "packed_word 64 32" "packed_word 64 0" "packed_word32 32 64" "delta_sync_hard 0 32" "dwcas 128 64" \
	"restartable 64 0" "fdr_delta32 64 0"; do
	# shellcheck disable=SC2086
	set -- $plant
	sed "s/^$1 $2 /$1 $3 /" "$scratch/claims" >"$scratch/planted"
	[ "$(wrong "$scratch/planted")" = "$1 " ]
	report $? "$1 with $3 bits declared is found"
done
plan
