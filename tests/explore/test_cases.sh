#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_cases.sh BUILD   The explorer's record, what it refuses, and what a case is compared
# with. TAP.
build=$1
explore=$build/explore
. tests/support/tap.sh
needs_explored "cases" "make explored explored-cases"

cleanup() {
	rm -rf "$scratch" "$build/cases/only_a_comment"
}

# Taking back is no meaningless question to a row that puts interrupts off, but none at all.
refuses_discards() {
	for row in delta_sync_soft joint_delta; do
		says "--discards: refused by $row" 4 "$row .* leave it out" \
			"$explore" --schemes "=$row" --discards 1
	done
	says "--discards: refused in --replay too" 4 "leave it out" \
		"$explore" --schemes =joint_delta --discards 1 --replay d1
	"$explore" --schemes "=full_tsc =joint_delta" --discards 1 >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 4 ] && grep -q '^full_tsc .* kept' "$scratch/out"
	report $? "--discards: other rows are searched, and the exit code says that one was not"
}

# What the base does not survive is no fault of the patch.
bases() {
	sed -n '/^# row/p; /^# fault/p; /^# breaks/p; /^# oracle/p' \
		"$build"/mutants/nested_no_nobody_came.patch |
		sed 's/^# breaks:.*/# breaks: --shape page --events 1 --nested 0/' \
			>"$scratch/only_a_comment.patch"
	cat >>"$scratch/only_a_comment.patch" <<-'END'
	--- a/schemes/nested_stamps.h
	+++ b/schemes/nested_stamps.h
	@@ -1,1 +1,1 @@
	-/* SPDX-License-Identifier: MIT */
	+/* SPDX-License-Identifier: MIT, and nothing else is changed */
	END
	python3 tests/cases/cases.py --build "$build" "$scratch/only_a_comment.patch" \
		>"$scratch/out" 2>&1
	[ $? -eq 1 ] && grep -q 'SURVIVES' "$scratch/out"
	report $? "a patch that changes nothing survives"
	cat >"$scratch/table.def" <<-'END'
	/*
	 * base: seed_004
	 * fault: that of its base
	 * breaks: --shape page --events 2 --nested 1 --before 1
	 * oracle: exact
	 */
	X(seed_004, history/seed_004, )
	END
	python3 tests/cases/cases.py --build "$build" "$scratch/table.def" >"$scratch/out" 2>&1
	[ $? -eq 1 ] && grep -q 'BREAKS seed_004 TOO: exact' "$scratch/out"
	report $? "a fault that its base has too fails the run"
}

record() {
	one="$explore --object $build/explored/seed_004.page.so --events 2 --nested 1 --before 1"
	$one --json "$scratch/record.json" >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 2 ]
	report $? "--json: the exit code stays"
	printed=$(awk '$1 == "seed_004" { for (i = 1; i <= NF; i++) if ($i == "s") print $(i - 2) }' \
		"$scratch/out")
	finds "--json: what is printed is in it" "$scratch/record.json" \
		"r['rows'][0]['row'] == 'seed_004' and f['schedules'] == ${printed:-0} > 0 and
		f['verdict'] == 'broken' and f['objections']['exact'] == f['broken'] > 0 and f['stops'] > 0"
	$one --engine states --stops all --json "$scratch/states.json" >"$scratch/out" 2>"$scratch/err"
	finds "--json of states: objections are of schedules" "$scratch/states.json" "f['objections']['exact'] == f['broken'] == 2"
	finds "--json: the first schedule as a timeline" "$scratch/record.json" \
		"'--replay' in f['first'] and '<-- wrong' in f['first']"
	$one --json - >"$scratch/stdout.json" 2>"$scratch/err"
	[ "$(sed '/"seconds"/d; /"arguments"/,/]/d' "$scratch/record.json")" = \
		"$(sed '/"seconds"/d; /"arguments"/,/]/d' "$scratch/stdout.json")" ]
	report $? "--json -: the document, and nothing else, on stdout"
	$one --start 0:8 >"$scratch/first" 2>"$scratch/err"
	$one --start 5:8 >"$scratch/out" 2>"$scratch/err"
	grep -q -- '--start 0:8 --replay' "$scratch/first" && grep -q -- '--start 5:8 --replay' "$scratch/out" && grep -q ' [5-9]  E[0-9] enters' "$scratch/out"
	report $? "--start: a search begins there"
	says "--json: into a directory that is not there" 3 "cannot write" "$explore" \
		--schemes =packed_word --json "$scratch/no/where.json"
}

verdicts() {
	run="python3 tests/cases/explored.py --build $build --results $scratch"
	ln -s gone "$scratch/.latest-explored.tmp" # left by a run that was killed
	$run --schemes "=packed_word =heartbeat" >"$scratch/out" 2>"$scratch/err"
	report $? "verdicts: two rows and all limits"
	grep '^stampede' "$scratch/err" | sed 's/^/# /'
	cp "$scratch/latest-explored/explored.json" "$scratch/record.json"
	finds "verdicts: rows and limits are there" "$scratch/record.json" "len(r['rows']) == 2 and len(r['limits']) == 5 and
		all('decoded' in one['timeline'] for one in r['limits'])"
	# A limit that is gone: the beat never missed.
	sed 's/--nested 0 --jumps 1 --before 1/--nested 0 --before 1/' tests/cases/explored.py \
		>"$scratch/gone.py"
	says "verdicts: a limit that is not found" 1 "missed beat of heartbeat is not found" \
		env PYTHONPATH=tests/cases:results python3 "$scratch/gone.py" --build "$build" \
		--results "$scratch" --schemes =untimed
}

# What is replayed is told and drawn as it was recorded, but for what a compiler makes of the source.
replayed() {
	if [ "$(${CC:-gcc} -dumpfullversion)" != 12.2.0 ]; then
		skip "replays" "stops are recorded as gcc 12.2.0 places them"
		return
	fi
	mkdir "$scratch/drawn"
	cp "$explore" "$scratch/drawn"
	echo 'cp "$2" "$3"' | fake "$scratch/drawn/plots"
	python3 -BSE - "$scratch/drawn" "$build" "$(table replayed)" 2>"$scratch/err" <<-'END'
		import json, re, shlex, subprocess, sys
		folder, build, table = sys.argv[1:]
		pictured = {its["command"].split(" ", 3)[3].strip(): its for its in json.load(open("tests/data/made_up.json"))["pictured"]}
		recorded, said = open(table).read(), ""
		for words in re.findall(r"^\$ (.*)", recorded, re.M):
		    out = subprocess.run([f"{folder}/explore", "--objects", f"{build}/explored", *shlex.split(words), "--draw", f"{folder}/x.svg"], capture_output=True, text=True)
		    said += f"$ {words}\n" + re.sub("about to do .*", "about to do", out.stdout) + out.stderr
		    got, its = json.load(open(f"{folder}/x.svg")), pictured.pop(words, None)
		    for one in (its or got)["steps"] + got["steps"]:
		        one.pop("line", 0), one.pop("instruction", 0)
		    assert its in (None, got), [(key, got.get(key), its.get(key)) for key in {*got, *its} if got.get(key) != its.get(key)]
		assert said == recorded and not pictured, said
	END
	told $? "what is replayed, as text and as what a picture is made from, is as it was recorded"
}

refuses_discards
replayed
bases
record
verdicts
plan
