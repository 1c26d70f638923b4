#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_explore.sh BUILD   The explorer: what it promises of today's rows, and of itself. TAP.
# BUDGETS=large: both engines at larger budgets too, as in test-long.
build=$1 budgets=${BUDGETS:-small}
explore=$build/explore
# A build without the explorer's objects has nothing to test.
. tests/support/tap.sh
needs_explored "the explorer" "make explored explored-points"
unknown=$(python3 -B explore/known.py unknown "$build" $(sed -n 's/^X(\([a-z0-9_]*\),.*/\1/p' schemes/schemes.def))
[ -z "$unknown" ]
report $? "judge/explored.def has each row as it is (make explore-record) $unknown"

# An object of another tree or another stops.py, by the usual rule but built beside everything.
object() { # object VARIABLE=VALUE...
	object=$1
	shift
	make --no-print-directory BUILD="$scratch/make" EXPLORED="$scratch/explored" "$@" \
		"$scratch/explored/$object" >"$scratch/make.log" 2>&1 || cat "$scratch/make.log"
}

# Lines without the seconds.
counts() {
	sed 's/  *[0-9.]* s  / /' "$1"
}

# Main rows that can have labelled points: not restartable sections, which are one asm statement, nor
# the floor that publishes like them: what interrupts it writes where it writes, between any two bytes.
pointed=$(sed -n '/-DVARIANT/d; /^X(re[sw][^,]*,/d; /^X(floor_published,/d; s/^X(\([^,]*\),.*/=\1/p' schemes/schemes.def | tr '\n' ' ')

# The same final buffers, however writers are stopped.
three_kinds_of_stops() {
	for stops in all shared points; do
		"$explore" --schemes "$pointed" --stops $stops --nested 2 --outcomes \
			2>"$scratch/err" |
			sed -nE 's/^(\S+) .* ([0-9]+) outcomes ([0-9a-f]+) .*/\1 \2 \3/p' \
				>"$scratch/outcomes.$stops"
	done
	[ -s "$scratch/outcomes.all" ] &&
		cmp -s "$scratch/outcomes.all" "$scratch/outcomes.shared" &&
		cmp -s "$scratch/outcomes.all" "$scratch/outcomes.points"
	report $? "all instructions, shared accesses and points reach the same final buffers"
	for stops in shared points; do
		diff "$scratch/outcomes.all" "$scratch/outcomes.$stops" | sed 's/^/# /'
	done
}

same_counts() {
	budget="--schemes =nested_stamps --nested 3 --stops shared"
	for processes in 1 2 1; do
		# Its progress, if it takes long, is not among the lines.
		"$explore" $budget --processes $processes >"$scratch/processes.$processes" \
			2>"$scratch/progress"
		counts "$scratch/processes.$processes"
	done | sort | uniq -c >"$scratch/lines"
	[ "$(wc -l <"$scratch/lines")" -eq 2 ] && ! grep -qv '^ *3 ' "$scratch/lines" &&
		grep -q 'nested_stamps' "$scratch/lines"
	report $? "the same schedules with 1 and 2 processes, and again"
	for processes in 1 2; do
		"$explore" --schemes "=packed_word =restartable" --shape ends4 --events 6 --nested 0 \
			--full 3 --live 1 --preemptions 2 --processes $processes 2>"$scratch/progress" |
			counts - >"$scratch/live.$processes"
	done
	[ "$(grep -c 'live=1 P=2 full=3 .* kept' "$scratch/live.1")" -eq 2 ] &&
		cmp -s "$scratch/live.1" "$scratch/live.2"
	report $? "and of a reader on another CPU"
}

# What a soft mask put off runs within another event; and no flush comes into a writer that is alone.
nobody_twice_in_a_context() {
	"$explore" --schemes =delta_sync_soft --shape timed --stops all --nested 3 --before 1 \
		2>"$scratch/progress" | grep -q ' kept'
	report $? "who took a stamp of the timed payload is known within what was put off, too"
	"$explore" --schemes "=fdr_delta32 =incremental_abs" --shape ends2 --events 8 --nested 0 \
		--flushes 1 --live 1 --preemptions 2 --mode discard 2>"$scratch/progress" >"$scratch/out"
	[ "$(grep -c 'flushes=1 live=1 .* kept' "$scratch/out")" = 2 ]
	report $? "no flush comes into a writer that turns away whoever comes"
	"$explore" --schemes =delta_behind --nested 0 --jumps 2 --before 1 2>"$scratch/progress" |
		grep -qE ' kept where needs are met \([1-9][0-9]* not\)'
	report $? "a gap of two jumps that a row does not promise is one"
}

# A reader on another CPU, one read and no interrupt: what is at each of its points, as a timeline.
shown_reader() {
	"$explore" --schemes =packed_word --shape ends4 --events 2 --nested 0 --full 3 --live 1 \
		--preemptions 1 --replay "s1:1.s8:0" >"$scratch/out" 2>&1 &&
		grep -q 'the reader is about to do "read: bytes"' "$scratch/out"
	report $? "a reader's stop is named in a timeline"
}

# Rows in processes side by side, and one after the other: the same lines, the same record.
same_side_by_side() {
	for processes in 1 3; do
		"$explore" --schemes "=nested_stamps =heartbeat =packed_word =floor" --shape wrap3 \
			--nested 1 --jumps 1 --processes $processes \
			--json "$scratch/side.$processes.json" 2>"$scratch/err" |
			counts - >"$scratch/side.$processes"
		sed -i '/"seconds"/d; /"arguments"/,/]/d' "$scratch/side.$processes.json"
	done
	[ "$(grep -c wrap3 "$scratch/side.3")" -eq 4 ] &&
		cmp -s "$scratch/side.1" "$scratch/side.3" &&
		cmp -s "$scratch/side.1.json" "$scratch/side.3.json"
	report $? "rows side by side: the same lines and the same record"
}

# Every schedule run, and every state gone on from once: the same counts of everything. Budgets that
# let the engines part at what one of them may forget: a clock that jumped, a beat, a reader, ...
same_by_both_engines() {
	both="=nested_stamps =heartbeat =zero_delta =joint_delta =dts_xts" sections=" =restartable"
	set -- "--stops all --events 2 --nested 2" \
		"--shape wrap3 --stops all --events 1 --nested 0 --jumps 1" \
		"--shape wrap3 --events 1 --nested 1 --jumps 1 --beats 1" \
		"--nested 1 --jumps 1 --clock coarse" "--events 1 --nested 1 --reads 1" \
		"--events 1 --nested 1 --flushes 1" "--events 1 --nested 0 --reads 1 --flushes 1" \
		"--events 1 --nested 1 --discards 1" "--shape wrap3 --events 1 --nested 0 --jumps 2" \
		"--shape ends2 --events 1 --nested 1 --reads 1 --offsets all --mode discard" \
		"--shape wrap3 --events 1 --nested 1 --backs 1" \
		"--events 2 --nested 0 --traced 2 --backs 1" \
		"--events 1 --nested 0 --jumps 1 --phases all"
	[ "$budgets" = large ] && set -- "$@" \
		"--shape wrap3 --stops all --events 1 --nested 1 --jumps 1" \
		"--shape wrap3 --nested 1 --jumps 1 --beats 1" \
		"--events 1 --nested 1 --reads 1 --flushes 1" "--shape wrap3 --nested 0 --jumps 2" \
		"--shape ends2 --nested 1 --reads 1 --offsets all --mode discard"
	: >"$scratch/same"
	for budget in "$@"; do
		# A third of the time was one row's, in two budgets that it has much like them.
		case $budgets$budget in
		small*"--jumps 2" | small*"--offsets all"*) rows=$both ;;
		*) rows=$both$sections ;;
		esac
		# shellcheck disable=SC2086
		for engine in schedules states; do
			"$explore" --schemes "$rows" \
				$budget --engine $engine --before 1 --outcomes -v 2>"$scratch/err" |
				grep -E '^[a-z_]+ +[a-z0-9]+ +(all|shared)' |
				counts - | sed 's/[0-9]* states//'
		done | sort | uniq -c | tee -a "$scratch/same" | grep -v "^ *2 " | sed "s/^/# $budget: /"
	done >"$scratch/different"
	# Each budget has a line of each row but of those that cannot do what it asks for.
	[ ! -s "$scratch/different" ] && [ "$(wc -l <"$scratch/same")" -ge $(($# * 4)) ]
	report $? "the same counts whether each schedule is run or each state"
	cat "$scratch/different"
}

# CPUs whose clocks differ, in one ring: times are right with a reader that keeps the upper bits, and
# wrong with one that takes what is less for a wrap.
skewed() {
	# Variants are no part of what make test builds.
	make --no-print-directory BUILD="$scratch/make" EXPLORED="$scratch/skewed" \
		"$scratch/skewed/packed_upper_locked.page.so" \
		"$scratch/skewed/packed_word_locked_fenced.page.so" >"$scratch/err" 2>&1 ||
		sed 's/^/# /' "$scratch/err"
	"$explore" --schemes "=packed_upper_locked =packed_word_locked_fenced" --events 2 --nested 0 \
		--writers 2 --preemptions 2 --skew 5 --before 1 --objects "$scratch/skewed" \
		--json "$scratch/skewed.json" >"$scratch/out" 2>"$scratch/err"
	finds "clocks that differ: right where this is promised, and not else" "$scratch/skewed.json" \
		"{row['row']: [(one['verdict'], one['damage']['schedules'] > 0)
		for one in row['families']] for row in r['rows']} == {
		'packed_upper_locked': [('kept', False)],
		'packed_word_locked_fenced': [('need not met', True)]}"
}

# By states where they are far fewer than schedules: a row that defers, and one that a pilot finds.
# What tests on the virtual clock do not come to: two deep, and a tick between equal stamps.
needs_a_strict_clock() {
	"$explore" --schemes =nested_retry --events 1 --nested 2 --jumps 1 --clock coarse --before 1 \
		--json "$scratch/strict.json" >"$scratch/out" 2>"$scratch/err"
	finds "nested_retry: wrong with a clock that gives a value twice" "$scratch/strict.json" \
		"f['verdict'] == 'need not met' and f['need_not_met'] > 0"
}

engine_of_each_row() {
	"$explore" --schemes "=nested_stamps =zero_delta =joint_delta" --events 1 --nested 4 \
		--before 1 -v 2>"$scratch/err" |
		sed -nE 's/^([a-z_]+) .* stops, ([0-9]+) states.*/\1 \2/p' >"$scratch/out"
	awk '{ by[$1] = $2 > 0 } END { exit !(NR == 3 && by["zero_delta"] && by["joint_delta"] &&
		!by["nested_stamps"]) }' "$scratch/out"
	report $? "states are gone on from where they are few"
}

# A filter that takes the ring for the writer's own stack: fewer final buffers than at every
# instruction.
filter_too_bold() {
	sed 's/memory.group(1) == "rsp" or/memory.group(1) in ("rsp", "rdi", "rdx") or/' \
		explore/stops/own.py >"$scratch/own.py"
	cp explore/stops/stops.py "$scratch"
	rm -rf "$scratch/explored"
	objects_at_hand nested_stamps.reader
	object nested_stamps.page.so STOPS_PY="$scratch/stops.py"
	for objects in "$build/explored" "$scratch/explored"; do
		"$explore" --schemes =nested_stamps --objects "$objects" --stops shared --nested 2 \
			--outcomes 2>"$scratch/err" | grep -o '[0-9]* outcomes'
	done >"$scratch/out"
	! cmp -s explore/stops/own.py "$scratch/own.py" &&
		[ "$(sed -n 2p "$scratch/out" | cut -d' ' -f1)" -gt 1 ] &&
		[ "$(sort -u "$scratch/out" | wc -l)" -eq 2 ]
	report $? "a filter that leaves out shared accesses does not reach all final buffers"
}

# A slow make and one that begins later: neither takes the other's files.
two_makes_at_once() {
	cp explore/stops/own.py "$scratch"
	sed 's/^main()$/__import__("time").sleep(2)\nmain()/' explore/stops/stops.py >"$scratch/slow.py"
	for wait in 0 1; do
		(sleep $wait && object nested_stamps.wrap3.so STOPS_PY="$scratch/slow.py") >"$scratch/make.$wait" 2>&1 &
	done
	wait
	! cmp -s explore/stops/stops.py "$scratch/slow.py" && ! grep -q Error "$scratch"/make.[01] &&
		[ "$(ls "$scratch"/explored/nested_stamps.wrap3.*)" = "$(printf "$scratch/explored/nested_stamps.wrap3.%s\n" d so)" ]
	report $? "two makes of one object at once: both end well"
	sed 's/^/# /' "$scratch"/make.[01]
}

bad_input() {
	one="$explore --schemes =packed_word"
	says "missing object" 3 "packed_word.page.so: target explored builds it" $one --objects "$scratch"
	echo 'void explored_row(long *row) { *row = 1; }' | ${CC:-gcc} -shared -fPIC -x c - -o "$scratch/packed_word.page.so"
	says "an object of another version" 1 "of another version of Stampede: build it again" $one --objects "$scratch"
	head -c 2000 "$build/explored/packed_word.page.so" >"$scratch/packed_word.page.so"
	says "truncated object" 1 "not a whole object" $one --objects "$scratch"
	for limit in "ulimit -v 200000; set -- 4000" "set -- 16"; do
		(eval "$limit" && exec $one --stops all --nested 5 --engine states --processes 1 --memory "$@") \
			>"$scratch/out" 2>"$scratch/err"
		[ $? -eq 3 ] && [ "$(grep -c '^stampede: .*--memory' "$scratch/err")" -eq 1 ] &&
			[ "$(grep -c '^stampede: ' "$scratch/err")" -eq 1 ]
		report $? "too few bytes for the states ($limit): one line, exit code 3"
	done
	"$explore" --schemes =packed_word --nested 6 >"$scratch/out" 2>"$scratch/err" &
	pid=$!
	sleep 1
	kill -INT $pid
	wait $pid
	[ $? -eq 5 ] && grep -q 'interrupted while packed_word' "$scratch/err"
	report $? "Ctrl-C"
}

# A trap on the plain path, or where a sub-buffer opens, ends the writer: the search reports it in sub-buffers of
# each size. One of 128 bytes holds one record, so no schedule takes the plain path there.
each_path_is_reached() {
	for path in plain:parts/defaults switch:core/subbuf; do
		rm -rf "$scratch/tree" "$scratch/explored" && mkdir "$scratch/tree"
		objects_at_hand
		sh tests/cases/tree.sh "$scratch/tree"
		sed -i "s|POINT_PATH(\"${path%:*}\");|__builtin_trap();|" "$scratch/tree/schemes/${path#*:}.h"
		for shift in 9 8 7; do
			rm -f "$scratch/explored/extended_header.ends2.so"
			object extended_header.ends2.so TREE="$scratch/tree" shape_ends2="$shift 1 0"
			"$explore" --object "$scratch/explored/$object" --events 2 --nested 0 \
				--json - >"$scratch/found.json" 2>"$scratch/err"
			finds "2^$shift bytes: a trap on the path ${path%:*}" "$scratch/found.json" \
				"('crash' in f['objections']) == ($shift > 7 or '${path%:*}' == 'switch')"
		done
	done
}

three_kinds_of_stops
same_counts
each_path_is_reached
shown_reader
nobody_twice_in_a_context
same_side_by_side
same_by_both_engines
skewed
needs_a_strict_clock
# An event alone has as many places for one interrupt as it has instructions. Two interrupts make it execute more, if it
# claims by a loop, and as much more in the schedule that is named; a rejected one costs it nothing.
worst_case() {
	for row in packed_word simple_remote delta_sync_soft; do
		for n in 0 1 2; do
			"$explore" --worst --stops all --processes 1 --schemes "=$row" --events 1 --nested $n --depth 1 2>/dev/null
		done | sed -n "s/.* \([0-9][0-9]*\)  *[0-9.]* s  worst \([0-9]*\) .*'\(.*\)'.*/\1 \2 \3/p" | tr '\n' ' ' >"$scratch/worst"
		read -r _ alone none many one _ _ two _ <"$scratch/worst"
		[ "$none" = none ] && [ "$many" = $((alone + 1)) ] && case $row in
		packed_word) [ "$one" -gt "$alone" ] && [ "$two" -gt "$one" ] ;;
		simple_remote) [ "$one" -lt $((alone + 5)) ] && [ "$two" = "$one" ] ;;
		delta_sync_soft) [ "$two" -gt $((alone * 2)) ] ;;
		esac
		report $? "the worst case of $row: $(cat "$scratch/worst")"
	done
}
worst_case
engine_of_each_row
filter_too_bold
two_makes_at_once
bad_input
plan
