#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_kills.sh BUILD   bench is killed when it has reported a row, and ended by Ctrl-C. TAP.
# KILLS: how many (default 3; test-long takes 200). test_record_faults.c kills what writes a record 200 times.
#
# After each kill: every earlier line of rows.jsonl is there, byte for byte, and every file of the run is whole.
build=$1
. tests/support/tap.sh
results=$scratch/results
plain_bench
small="--quick --schemes =full_tsc --workloads steady --repetitions 500"
bad=0

lines() {
	cat "$results"/*Z-*/rows.jsonl 2>/dev/null | wc -l
}

begin() { # its rows are reported from now on
	rm -rf "$results"
	"$plain_bench" --results "$results" $small >/dev/null 2>"$scratch/err" &
	pid=$!
	while kill -0 $pid 2>/dev/null && [ "$(lines)" -lt 2 ]; do sleep 0.05; done
}

for kill in $(seq "${KILLS:-3}"); do
	begin
	sleep 0.0$((kill * 37 % 10))
	# What a reader could see before the kill, in whole lines, has to be there after it.
	cp "$results"/*Z-*/rows.jsonl "$scratch/copy"
	head -n "$(wc -l <"$scratch/copy")" "$scratch/copy" >"$scratch/seen"
	kill -KILL $pid
	wait $pid 2>/dev/null
	[ -s "$scratch/seen" ] && head -c "$(wc -c <"$scratch/seen")" "$results"/*Z-*/rows.jsonl | cmp -s - "$scratch/seen" &&
		tail -c 3 "$results"/*Z-*/context.json | grep -q '^}' &&
		[ ! -e "$results/latest" ] && "$build/compare" --json - "$results"/*Z-*/rows.jsonl "$results"/*Z-*/rows.jsonl >/dev/null 2>&1 ||
		bad=$((bad + 1))
done
report $bad "${KILLS:-3} kills: what was reported is there, and each file is whole"
begin
kill -INT $pid
wait $pid
[ $? -eq 5 ] && grep -q "interrupted; $results/.* keeps what was measured" "$scratch/err" && [ "$(lines)" -ge 2 ] &&
	[ -e "$(echo "$results"/*Z-*/context.json)" ] && [ ! -e "$results/latest" ]
report $? "Ctrl-C: exit code 5, and what was measured stays"
plan
