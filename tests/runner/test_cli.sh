#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_cli.sh BUILD   What a user types wrong, and machines that lack something. TAP.
# Every bad input: one clear line on stderr, the right exit code, earlier results untouched.
# What takes its seconds by the clock runs side by side, in lanes with directories of their own.
build=$1
. tests/support/tap.sh
"$1/run-stress" --list | awk '/^[a-z]/ { shown = index(" untimed full_tsc_locked_fenced heartbeat_2 extended_header_msb32 dwcas packed_word32 nested_stamps_cmpxchg_locked ", " " $1 " ") } shown' |
	diff "$(table listed_rows)" - >"$scratch/err"
told $? "rows in --list, with what they are variants of, claim and are wrong at"
all=$scratch

# lane FUNCTION: runs it in the background; its lines are shown at the end.
lane() {
	mkdir "$all/$1"
	(scratch=$all/$1 && "$1" && echo "# end of $1") >"$all/$1.tap" 2>&1 &
}

stress=$build/run-stress
bench=$build/bench
one_cpu="taskset -c $(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')"

input_lane() {
	for program in "run-stress --schemes =full_tsc --seconds 0.1" \
		"explore --schemes =packed_word --shape page --events 1 --nested 1"; do
		# shellcheck disable=SC2086
		"$build"/$program --json - 2>"$scratch/err" | python3 -c 'import json, sys; json.load(sys.stdin)'
		report $? "--json - of ${program%% *} is JSON and nothing else"
	done
	[ -e "$scratch/r" ]
	report $((!$?)) "bad input leaves no results directory"

	refuses "unknown option" 1 "'--nonsense' is not an option" "$stress" --nonsense
	"$stress" --list | grep -q '^nested_stamps_cmpxchg' &&
		"$bench" --list | awk 'length > 80 || /^full_tsc_locked_fenced  *as full_tsc, locked_fenced$/ { bad += length > 80; said++ }
			/^late_beat / { said++ } END { exit bad || said != 2 }'
	report $? "--list names rows and workloads"
	"$stress" --help | grep -q -- --payload
	report $? "--help"
}

# field WORKLOAD FIELD SCHEMES OPTIONS...: exit 0, and FIELD of every row's JSON is above 0.
field() {
	workload=$1 field=$2 schemes=$3
	shift 3
	"$stress" --workload "$workload" --scheme "$schemes" --seconds 0.2 "$@" \
		--json "$scratch/field.json" >"$scratch/out" 2>"$scratch/err"
	got=$?
	rows=$(grep -c '"row":' "$scratch/field.json")
	if [ $got -eq 0 ] && [ "$rows" -gt 0 ] &&
		[ "$(grep -c "\"$field\": *0*[1-9]" "$scratch/field.json")" -eq "$rows" ]; then
		report 0 "$workload: $field above 0 for $rows rows"
	else
		report 1 "$workload: $field above 0 for $rows rows"
		echo "# exit $got"
		sed 's/^/# /' "$scratch/err" "$scratch/out"
	fi
}

storm_lane() {
	"$stress" --scheme "=full_tsc" --seconds 0.3 --json "$scratch/stress.json" \
		>"$scratch/out" 2>&1
	[ $? -eq 0 ] && grep -q '"verdict": "kept"' "$scratch/stress.json"
	report $? "a storm, and its JSON"
	says "live on one CPU" 4 "two CPUs" $one_cpu "$stress" --workload live
	field replay events "=nested_stamps" --gaps workloads/gaps/syscalls_busy.csv
	field wraps extended "=extended_header =delta_sync_soft"
	field bursts waits "=full_tsc =heartbeat_compact"
	awk -F'[:,]' '/"waits"/ { waits += $2 } /"waits_late"/ { late += $2; rows++ } END { exit rows != 2 || 2 * late > waits }' "$scratch/field.json"
	report $? "bursts: most gaps end after the writer is ready"
	field stall stalls "=extended_header" --seconds 0.5
	for one in late_beat backstep; do
		"$stress" --workload $one --schemes "=heartbeat =extended_header" --seconds 0.3 --json "$scratch/$one.json" >"$scratch/out"
	done 2>"$scratch/err"
	python3 -BSE - "$scratch" 2>"$scratch/err" <<-'END'
		import json, sys
		late, back = (json.load(open(f"{sys.argv[1]}/{one}.json")) for one in ("late_beat", "backstep"))
		assert {one["bits"] for one in late} == {20} and sum(len(one["steps"]) for one in late) == 24
		for loses, its in ((one["row"] == "heartbeat", its) for one in late for its in one["steps"]):
		    gap, lost = its["gap_wraps"], its["wraps_lost"]
		    assert gap >= its["asked_wraps"] and lost in ((int(gap), int(gap + 0.01)) if loses else (0,)), its
		    assert (not lost or its["wrong"] >= its["repetitions"] / 2) and (loses or not its["error_ticks"]), its
		for one in back:
		    its = one["damage"]
		    assert min(its["steps"]) > 99 and (its["wrong"] > 0) == (one["row"] == "heartbeat"), its
		    assert one["bits"] == (32 if one["row"] == "heartbeat" else 27) and not its["worst_ticks"] % 2 ** one["bits"], one
	END
	told $? "late_beat and backstep: a late beat loses whole wraps, in rows with one alone"
	if [ "$(nproc)" -gt 1 ]; then
		field live subbufs "=full_tsc =extended_header" --seconds 0.5
		[ "$(uname -m)" != x86_64 ] || field live_shared subbufs "=full_tsc_locked" --seconds 0.5
		if "$stress" --scheme =restartable --workload steady --seconds 0.1 \
			>/dev/null 2>&1; then
			field migrate restarts "=restartable"
			field migrate moves "=restartable" --bits 16
			field live_migrate subbufs "=restartable"
			field storm restarts "=restartable =rewind" --seconds 0.5
		else
			skip "migrate, restartable storm" "no rseq here"
		fi
	else
		skip "live" "one CPU"
	fi
}

end_lane() {
	# Ctrl-C: the round ends and the verdict so far is printed.
	"$stress" --scheme =full_tsc --seconds 60 >"$scratch/out" 2>"$scratch/err" &
	pid=$!
	sleep 1.5
	kill -INT $pid
	wait $pid
	[ $? -eq 5 ] && grep -q '^full_tsc .*kept' "$scratch/out"
	report $? "Ctrl-C ends the round with a verdict"

	# One CPU: no sender, timers only.
	$one_cpu "$stress" --scheme =extended_header --seconds 0.2 >"$scratch/out" \
		2>"$scratch/err"
	[ $? -eq 0 ] && grep -q 'timers only' "$scratch/out"
	report $? "one CPU"

	(ulimit -i 0 && exec "$stress" --scheme =full_tsc --seconds 0.1) >"$scratch/out" \
		2>"$scratch/err"
	got=$?
	if [ $got -eq 3 ]; then
		grep -q 'signal queue limit' "$scratch/err"
		report $? "signal queue limit"
	else
		skip "signal queue limit" "ulimit -i 0 is not enforced here (root)"
	fi
}

refused_lane() {
	# Larger than some: each epoch refuses all or none.
	field steady refused "=extended_header" --payload 40000 --seed 2 --seconds 0.4
	# Larger than any sub-buffer: all refused, and counted.
	field steady refused "floor full_tsc zero_delta =heartbeat =delta_sync_soft three_read \
=extended_header =nested_stamps" --payload 300000
}

bench_lane() {
	# Two repetitions make no interval: a quick run says so, another must not pass for ranked.
	plain_bench
	small="$bench --all --quick --schemes =full_tsc --workloads steady --repetitions 2"
	$small --results "$scratch/results" >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 0 ] && grep -q 'too few rounds to rank by time' "$scratch/out" &&
		grep -q '^full_tsc' "$scratch/out" &&
		[ -e "$scratch/results/latest/bench.json" ]
	report $? "a small bench run"
	(program=$(realpath "$bench") && cd "$scratch" && "$program" --quick --schemes =full_tsc --workloads steady --repetitions 2 \
		--results -r) >"$scratch/out.r" 2>"$scratch/err" && [ -s "$scratch/-r/latest/report.html" ]
	report $? "a folder that looks like an option"
	$plain_bench --schemes =full_tsc --workloads steady --repetitions 2 \
		--results "$scratch/noisy" >"$scratch/noisy.out" 2>"$scratch/err"
	[ $? -eq 0 ] && "$build/plots" --all "$scratch/noisy/latest" >"$scratch/noisy.out" &&
		grep -q '^full_tsc' "$scratch/noisy.out" && ! grep -qw 'nan' "$scratch/noisy.out"
	report $? "noise is no error, and no number"
	says "a ranking that was asked for and not reached" 7 "rank 0.25: not reached" \
		$plain_bench --quick --schemes "=full_tsc =packed_word" --workloads steady --repetitions 12 \
		--rank 0.25 --results "$scratch/noisy"
	awk 'length > 100 { exit 1 }' "$scratch/out" "$scratch/noisy.out"
	report $? "its output fits 100 columns"
	# Not among those that run unasked; asked for, it is recorded as all are.
	! grep -q '"workload": "bursts"' "$scratch/results/latest/bench.json" &&
		$plain_bench --quick --schemes =full_tsc --workloads bursts --repetitions 1 \
			--results "$scratch/bursts" >"$scratch/out" 2>"$scratch/err" &&
		grep -q '"workload": "bursts"' "$scratch/bursts/latest/bench.json" &&
		grep -q '"waits": [1-9]' "$scratch/bursts/latest/bench.json"
	report $? "a workload that is only run if it is asked for"
	# cell NAME PATTERN ROW WRAP NEST DEPTH: one slot; its JSON has PATTERN and no violation.
	cell() {
		echo "{\"row\":\"$3\",\"cpus\":[${one_cpu##* }],\"pairs\":24,\"injected\":[$4,$5,$6]}" |
			$bench --cells 2e9 >"$scratch/out" 2>"$scratch/err" &&
			grep -q "$2" "$scratch/out" && grep -q '"violation":null' "$scratch/out"
		report $? "$1"
	}
	cell "no wrap: 12 bytes and packet headers" '"bytes":12\.' extended_header 0 0 0
	cell "a wrap at every event: 12 bytes more" '"bytes":24\.' extended_header 1 0 0
	cell "one event in ten interrupted, two deep" '"bytes":12\.' extended_header 0 10 2
	for row in floor zero_delta heartbeat delta_sync_hard delta_sync_soft three_read \
		nested_stamps; do
		cell "$row: wraps by plan" '"bytes"' $row 3 0 0
		cell "$row: nested by plan" '"bytes"' $row 0 3 2
	done
	for row in heartbeat restartable loop; do
		echo "{\"row\":\"$row\",\"pairs\":8,\"cpus\":[${one_cpu##* }]}"
	done | $bench --cells 2e9 >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 0 ] && [ "$(grep -c '"ticks"' "$scratch/out")" -eq 3 ]
	report $? "three cells in one process"
	before=$(readlink "$scratch/results/latest")
	touch "$scratch/file"
	says "results directory is a file" 3 "" $small --results "$scratch/file"

	flock "$scratch/results/.lock" sleep 1.5 &
	sleep 0.5
	says "a second run at the same time" 3 "" $small --results "$scratch/results"
	wait
	[ "$(readlink "$scratch/results/latest")" = "$before" ]
	report $? "earlier results untouched"

	mkdir "$scratch/path"
	ln -s "$(command -v env)" "$scratch/path/env"
	PATH=$scratch/path "$build/plots" "$scratch/results/latest" >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 4 ] && grep -q gnuplot "$scratch/err"
	report $? "gnuplot missing"
}

lane input_lane
lane storm_lane
lane end_lane
lane refused_lane
lane bench_lane
wait
cat "$all"/*.tap
[ "$(cat "$all"/*.tap | grep -c '^# end of ')" -eq 5 ]
report $? "all lanes came to their end"
echo "1..$(($(cat "$all"/*.tap | grep -cE '^(not )?ok ') + 1))"
