#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_peers.sh BUILD   Peers take turns; who is not there is skipped, nothing is left. TAP.
build=$1
. tests/support/tap.sh

peers=$build/peers
refuses "unknown scheme" 1 "no scheme is called '=nosuch'" "$peers" --schemes nosuch
refuses "no rounds" 1 "from 1 to 1000, not '0'" "$peers" --rounds 0
refuses "rounds that are no number" 1 "from 1 to 1000, not '5x'" "$peers" --rounds 5x
refuses "no rows" 1 "names no row" "$peers" --schemes ,
refuses "stray argument" 1 "'quick' is not an option" "$peers" quick
refuses "a CPU that is not there" 3 "4000" "$peers" --cpu 4000

homes() { ls -d /tmp/stampede-peers-* 2>/dev/null | sort; }
before=$(homes)
shows "ours and the others" "^full_tsc  .* 20\." "$peers" --rounds 2 --schemes "floor full_tsc" \
	--json "$scratch/peers.json"
for peer in "lttng-ust" "lttng-ust, ticks" "kernel"; do
	grep -Eq "^($peer +-?[0-9.]+ |skipped $peer: .)" "$scratch/out"
	found=$?
	report $found "$peer: a figure, or why not"
	[ $found = 0 ] || sed 's/^/# /' "$scratch/out"
done
grep -q '"skipped"' "$scratch/peers.json"
report $? "every turn in the record"
says "a record where nothing can be" 3 "cannot write" "$peers" --rounds 1 --schemes floor \
	--json "$scratch/no/where"
[ "$(homes)" = "$before" ] && [ ! -e /sys/kernel/tracing/instances/stampede_peers ]
report $? "no home and no instance is left"
shows "help" "LTTng needs" "$peers" --help
plan
