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

random() { # below
	od -An -N4 -tu4 /dev/urandom | awk -v below="$1" '{ print $1 % below }'
}

unfinished() {
	ls -d "$results"/*Z-*/parts.jsonl 2>/dev/null | sort | tail -1
}

check_files() {
	for run in "$results"/*Z-*/; do
		if [ -e "$run/bench.json" ]; then
			"$build/compare" --json - "$run" "$run" >/dev/null 2>"$scratch/err"
			[ $? -le 7 ] && [ ! -s "$scratch/err" ] || bad "$run/bench.json"
		fi
		for file in "$run"/*.xml "$run"/report.html "$run"/context.json; do
			[ -e "$file" ] || continue
			tail -c 300 "$file" | grep -q '</topology>\|</html>\|^}' || bad "$file"
		done
	done
	if [ -h "$results/latest" ] && [ ! -e "$results/latest/bench.json" ]; then
		bad latest
	fi
	if [ -s "$scratch/sums" ]; then
		sha256sum --quiet -c "$scratch/sums" >/dev/null 2>&1 || bad "an earlier run"
	fi
}

# Kills hit the drawing of the plots too: the run is finished before that.
note_finished() {
	for run in "$results"/*Z-*; do
		[ -e "$run/bench.json" ] && [ ! -e "$run/parts.jsonl" ] || continue
		grep -qs "$run/bench.json" "$scratch/sums" && continue
		sha256sum "$run/bench.json" "$run/rows.jsonl" >>"$scratch/sums"
		done_runs=$((done_runs + 1))
	done
}

bad() {
	invalid=$((invalid + 1))
	echo "# invalid after a kill: $1"
}

# What a reader could see before the kill has to be there after it.
kill_once() { # pid
	rows=$(unfinished)
	: >"$scratch/seen"
	if [ -n "$rows" ]; then
		rows=$(dirname "$rows")/rows.jsonl
		# Whole lines only: the last may be on its way.
		cp "$rows" "$scratch/copy" 2>/dev/null &&
			head -n "$(wc -l <"$scratch/copy")" "$scratch/copy" >"$scratch/seen"
	fi
	kill -KILL "$1"
	wait "$1" 2>/dev/null
	killed=$((killed + 1))
	[ -s "$scratch/seen" ] || return
	met_rows=$((met_rows + 1))
	[ -e "$rows" ] && head -c "$(wc -c <"$scratch/seen")" "$rows" | cmp -s - "$scratch/seen" ||
		lost=$((lost + 1))
}

# Every other kill comes when a repetition more was reported; 30 take 1.5 s, so that it meets them.
wait_for_row() { # pid
	before=$(cat "$results"/*Z-*/rows.jsonl 2>/dev/null | wc -l)
	while kill -0 "$1" 2>/dev/null &&
		[ "$(cat "$results"/*Z-*/rows.jsonl 2>/dev/null | wc -l)" -le "$before" ]; do
		sleep 0.05
	done
}

while [ $killed -lt "$kills" ]; do
	"$bench" --results "$results" $small >/dev/null 2>"$scratch/bench" &
	pid=$!
	if [ $((killed % 2)) -eq 1 ]; then
		wait_for_row $pid
		sleep 0.0"$(random 10)"
	else
		tenths=$(random 24)
		sleep $((tenths / 10)).$((tenths % 10))
	fi
	if kill -0 $pid 2>/dev/null; then
		kill_once $pid
	else
		wait $pid
		status=$?
		[ $status -eq 0 ] || [ $status -eq 7 ] || {
			bad "exit code $status: $(tail -1 "$scratch/bench")"
			killed=$((killed + 1))
		}
	fi
	check_files
	note_finished
done
"$bench" --results "$results" $small >/dev/null 2>"$scratch/bench"
status=$?
[ $status -eq 0 ] || [ $status -eq 7 ] || bad "exit code $status at the end"
check_files
note_finished
[ $lost -eq 0 ] && [ $met_rows -gt 0 ]
report $? "$killed kills, $met_rows of them with rows reported: $lost lost"
report $invalid "$invalid invalid files"
[ $done_runs -gt 0 ]
report $? "$done_runs runs were finished beside them"

rm -rf "$results"
"$bench" --results "$results" $small --repetitions 500 >/dev/null 2>"$scratch/bench" &
pid=$!
wait_for_row $pid
kill -INT $pid
wait $pid
[ $? -eq 5 ] && grep -q "interrupted; $results/.* keeps what was measured" "$scratch/bench" &&
	[ "$(wc -l <"$(echo "$results"/*Z-*/rows.jsonl)")" -gt 0 ] && [ -s "$(unfinished)" ] &&
	[ ! -e "$results/latest" ]
report $? "Ctrl-C: exit code 5, and what was measured stays"
plan
