#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_kills.sh BUILD   bench is killed at random moments, and ended by Ctrl-C. TAP.
# KILLS: how many (default 6; test-long takes 200).
#
# After each kill: every earlier line of rows.jsonl is there, byte for byte; every file of every run is
# whole; latest names a finished run; finished runs are unchanged.
build=$1
kills=${KILLS:-6}
. tests/support/tap.sh
results=$scratch/results
plain_bench
bench=$plain_bench
ln -sf "$(readlink -f "$build/plots")" "$scratch/plain/plots"
small="--quick --schemes =full_tsc --workloads steady,threads --repetitions 30 --budget 0"
lost=0 invalid=0 done_runs=0 killed=0 met_rows=0

bad() {
	invalid=$((invalid + 1))
	echo "# invalid after a kill: $1"
}

check_files() {
	for run in "$results"/*Z-*/; do
		if [ -e "$run/bench.json" ]; then
			"$build/compare" --json - "$run" "$run" >/dev/null 2>"$scratch/err"
			[ $? -le 7 ] && [ ! -s "$scratch/err" ] || bad "$run/bench.json"
		fi
		for file in "$run"/*.xml "$run"/report.html "$run"/context.json; do
			[ ! -e "$file" ] || tail -c 300 "$file" | grep -q '</topology>\|</html>\|^}' || bad "$file"
		done
		# Kills hit the drawing of the plots too: the run is finished before that.
		if [ -e "$run/bench.json" ] && [ ! -e "$run/context.json" ] &&
			! grep -qs "$run/bench.json" "$scratch/sums"; then
			sha256sum "$run/bench.json" "$run/rows.jsonl" >>"$scratch/sums"
			done_runs=$((done_runs + 1))
		fi
	done
	[ ! -h "$results/latest" ] || [ -e "$results/latest/bench.json" ] || bad latest
	[ ! -s "$scratch/sums" ] || sha256sum --quiet -c "$scratch/sums" >/dev/null 2>&1 || bad "an earlier run"
}

lines() {
	cat "$results"/*Z-*/rows.jsonl 2>/dev/null | wc -l
}

# Every other kill comes when a repetition more was reported; 30 take 1.5 s, so that it meets them.
wait_for_row() { # pid
	before=$(lines)
	while kill -0 "$1" 2>/dev/null && [ "$(lines)" -le "$before" ]; do sleep 0.05; done
}

# What a reader could see before the kill, in whole lines, has to be there after it.
kill_once() { # pid
	rows=$(ls -d "$results"/*Z-*/rows.jsonl 2>/dev/null | sort | tail -1)
	[ -n "$rows" ] && cp "$rows" "$scratch/copy" || : >"$scratch/copy"
	head -n "$(wc -l <"$scratch/copy")" "$scratch/copy" >"$scratch/seen"
	kill -KILL "$1"
	wait "$1" 2>/dev/null
	killed=$((killed + 1))
	[ -s "$scratch/seen" ] || return
	met_rows=$((met_rows + 1))
	head -c "$(wc -c <"$scratch/seen")" "$rows" | cmp -s - "$scratch/seen" || lost=$((lost + 1))
}

ended() { # STATUS
	[ "$1" -eq 0 ] || [ "$1" -eq 7 ] || bad "exit code $1: $(tail -1 "$scratch/bench")"
}

while [ $killed -lt "$kills" ] && [ $invalid -le "$kills" ]; do
	"$bench" --results "$results" $small >/dev/null 2>"$scratch/bench" &
	pid=$!
	random=$(od -An -N2 -tu2 /dev/urandom)
	if [ $((killed % 2)) -eq 1 ]; then
		wait_for_row $pid
		sleep 0.0$((random % 10))
	else
		sleep $((random % 24 / 10)).$((random % 24 % 10))
	fi
	if kill -0 $pid 2>/dev/null; then
		kill_once $pid
	else
		wait $pid
		ended $?
	fi
	check_files
done
"$bench" --results "$results" $small >/dev/null 2>"$scratch/bench"
ended $?
check_files
[ $lost -eq 0 ] && [ $met_rows -gt 0 ]
report $? "$killed kills, $met_rows of them with rows reported: $lost lost"
report $invalid "$invalid invalid files"
[ $done_runs -gt 0 ]
report $? "$done_runs runs were finished with them"

rm -rf "$results"
"$bench" --results "$results" $small --repetitions 500 >/dev/null 2>"$scratch/bench" &
pid=$!
wait_for_row $pid
kill -INT $pid
wait $pid
[ $? -eq 5 ] && grep -q "interrupted; $results/.* keeps what was measured" "$scratch/bench" &&
	[ "$(lines)" -gt 0 ] && [ -e "$(echo "$results"/*Z-*/context.json)" ] && [ ! -e "$results/latest" ]
report $? "Ctrl-C: exit code 5, and what was measured stays"
plan
