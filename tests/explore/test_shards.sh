#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_shards.sh BUILD   A search in shares: what a plan's shards find together is what one
# process finds, whatever happens to some of them. TAP. BUDGETS=large: kills at random times too.
build=$1
explore=$build/explore
if [ ! -d "$build/explored" ]; then
	echo "ok 1 - shards # SKIP no objects in $build/explored: make explored"
	echo "1..1"
	exit
fi
. tests/support/tap.sh

# Lines without what differs: seconds, states that shards have in common, and which of several
# schedules of equally many actions is shown.
counts() {
	grep -E '^[a-z_0-9]+ +' "$1" | sed -E 's/ +[0-9.]+ s  / /; s/[0-9]+ states//'
}

with='' # options of each shard
run_all() { # folder, how many
	for shard in $(seq 0 $(($2 - 1))); do
		# shellcheck disable=SC2086
		"$explore" --shard "$shard" $with "$1" >>"$scratch/shard.out" 2>>"$scratch/shard.err" ||
			echo "shard $shard: $?"
	done
}

# What is searched, in so many shards: found alike, and every count that there is in the record.
same_in_shares() { # name, shards, options...
	name=$1 shards=$2 folder=$scratch/plan.$number
	shift 2
	"$explore" "$@" -v --json "$scratch/one.json" >"$scratch/one" 2>"$scratch/err"
	one=$?
	"$explore" "$@" --plan "$folder" --shards "$shards" >"$scratch/out" 2>>"$scratch/err"
	run_all "$folder" "$shards" >"$scratch/failed"
	"$explore" --merge "$folder" -v --json "$scratch/all.json" >"$scratch/all" 2>>"$scratch/err"
	all=$?
	counts "$scratch/one" >"$scratch/one.counts"
	counts "$scratch/all" >"$scratch/all.counts"
	[ $one -eq $all ] && [ ! -s "$scratch/failed" ] && [ -s "$scratch/one.counts" ] &&
		cmp -s "$scratch/one.counts" "$scratch/all.counts" &&
		python3 - "$scratch" <<-'EOF'
		import json, sys
		one, all = (json.load(open(sys.argv[1] + "/" + name)) for name in ("one.json", "all.json"))
		for record in one, all:
		    if not sum(f["seconds"] for r in record["rows"] for f in r["families"]):
		        sys.exit("no time was taken")
		    for row in record["rows"]:
		        for family in row["families"]:
		            for key in ("seconds", "states"):
		                del family[key]
		            family["first"] = bool(family["first"])
		sys.exit(one != all or not sum(f["schedules"] for r in one["rows"] for f in r["families"]))
		EOF
	report $? "$name: $(wc -l <"$scratch/one.counts") lines, exit code $one"
	diff "$scratch/one.counts" "$scratch/all.counts" | sed 's/^/# /'
	sed 's/^/# /' "$scratch/failed"
}

# Is a piece of the last plan a part of one search from one start?
has_parts() {
	grep -q '"part":\[[0-9]*,\([2-9]\|[1-9][0-9]\)' "$folder/plan.jsonl"
	report $? "$1: a search was split by its first actions"
}

# The first failure that the merge shows: of the start and budget that one process names, and the
# command beside it brings it about again.
shows_first() { # name, verdict
	for who in one all; do
		sed -n 's/^ *build\/explore //p' "$scratch/$who" | head -1 >"$scratch/$who.first"
	done
	[ -s "$scratch/one.first" ] && [ "$(sed 's/--replay.*//' "$scratch/one.first")" = \
		"$(sed 's/--replay.*//' "$scratch/all.first")" ] &&
		(eval "\"\$explore\" $(cat "$scratch/all.first")") 2>"$scratch/err" |
		grep -q "verdict: $2"
	report $? "$1: its first failure is shown, and comes again"
}

# What is said of a row is the sum of what is recorded of it, and of no other row.
sums() {
	sed -nE 's/^([a-z_]+) {40,}([0-9]+) +([0-9]+) .*/\1 \2 \3/p' "$scratch/all" >"$scratch/sums"
	finds "a row's sum is its own" "$scratch/all.json" "len(r['rows']) == 2 and
		[line.split() for line in open('$scratch/sums')] == [[row['row'],
		*(str(sum(one[key] for one in row['families'])) for key in ('searches', 'schedules'))]
		for row in r['rows']]"
}

# A broken row under the name of another, before and behind one that cannot be searched.
worst() { # the broken one's name, the others'
	rm -rf "$scratch/mixed"
	mkdir "$scratch/mixed"
	for row in $2; do ln -s "$PWD/$build/explored/$row.page.so" "$scratch/mixed"; done
	ln -sf "$PWD/$build/explored/seed_004.page.so" "$scratch/mixed/$1.page.so"
	same_in_shares "$1 is broken, another cannot be searched" 2 --objects "$scratch/mixed" \
		--schemes "=$1$(printf ' =%s' $2)" --nested 1 --before 1 --discards 1
	[ $one -eq 2 ] && grep -q 'BROKEN' "$scratch/all" &&
		grep -q 'leave it out' "$scratch/err"
	report $? "$1: what broke says more, exit code 2 of both"
}

same() {
	same_in_shares "quick tier of two rows" 8 --tier quick --schemes "=delta_sync_hard =dts_xts"
	sums
	same_in_shares "every schedule, of every offset" 5 --engine schedules --shape ends2 --events 2 \
		--nested 2 --offsets all --schemes "=varint_delta_go =dwcas =untimed"
	same_in_shares "every schedule from one start" 7 --engine schedules --nested 3 --before 1 \
		--schemes "=packed_word =delta_sync_hard"
	has_parts "schedules"
	with='--processes 3'
	same_in_shares "the same, each shard in three processes" 4 --engine schedules --nested 3 \
		--before 1 --schemes "=packed_word"
	has_parts "schedules, three processes"
	with=
	same_in_shares "states from one start" 6 --engine states --stops all --nested 3 \
		--schemes "=full_tsc"
	has_parts "states from one start"
	same_in_shares "a reader and a jump" 4 --shape ends2 --events 1 --nested 1 --reads 1 \
		--offsets all --mode discard --schemes "=extended_header"
	# A trial search finds whether states are few: all parts have to hear the same of it.
	same_in_shares "an engine by trial" 8 --events 1 --nested 4 --before 1 \
		--schemes "=incremental_abs"
	has_parts "an engine by trial"
	same_in_shares "a need that is not met" 3 --engine schedules --nested 1 --before 1 \
		--start 2:8 --schemes "=floor"
	shows_first "a need that is not met" "need not met"
	same_in_shares "a row that cannot be searched" 3 --nested 1 --discards 1 \
		--schemes "=dts_xts =packed_word"
	[ $one -eq 4 ]
	report $? "a row that cannot be searched: exit code 4 of both"
	for object in $(find "$build/cases" -path '*/ftrace_*/nested_stamps*.so' 2>/dev/null |
		sort | head -1); do
		same_in_shares "a broken row" 5 --object "$object" --nested 2 --before 1
		[ $one -eq 2 ]
		report $? "a broken row: exit code 2 of both"
		shows_first "a broken row" "broken"
		done_as_said "an object's shards"
	done
	[ -n "${object:-}" ] || skip "a broken row" "no objects in $build/cases: make explored-cases"
	if [ -e "$build/explored/seed_004.page.so" ]; then
		worst full_tsc "delta_sync_soft"
		worst dwcas "delta_sync_soft"
		ln -sf "$PWD/$build/explored/full_tsc.page.so" "$scratch/mixed/delta_sync_soft.page.so"
		says "another object by the time of the merge" 1 \
			"delta_sync_soft.page.so is not the object that was planned" \
			"$explore" --merge "$folder"
	else
		skip "the worst of two rows" "no seed_004 in $build/explored: make explored-cases"
	fi
}

# Two of the last plan's shards are gone: the command that the merge says does them.
done_as_said() { # name
	rm "$folder/shard-1.json" "$folder/shard-3.json"
	says "$1: missing" 5 "2 of 5 shards are missing: 1,3; do each by: explore --shard K" \
		"$explore" --merge "$folder"
	command=$(sed -n 's/.*do each by: explore //p' "$scratch/err")
	for shard in 1 3; do
		eval "\"\$explore\" $(echo "$command" | sed "s/ K / $shard /")" 2>"$scratch/err"
	done
	"$explore" --merge "$folder" -v >"$scratch/again" 2>"$scratch/err"
	[ $? -eq $one ] && counts "$scratch/again" | cmp -s - "$scratch/one.counts"
	report $? "$1: done by the command that is said"
}

# One is missing, one is there already, one was killed in the middle.
interrupted() {
	folder=$scratch/left
	"$explore" --schemes =packed_word --nested 4 --engine schedules --plan "$folder" --shards 3 \
		>"$scratch/out" 2>"$scratch/err"
	"$explore" --shard 0 "$folder" 2>"$scratch/err"
	"$explore" --shard 2 "$folder" 2>"$scratch/err" &
	pid=$!
	sleep 0.1
	kill -KILL $pid
	wait $pid 2>"$scratch/err"
	[ $? -eq 137 ] && [ ! -e "$folder/shard-2.json" ]
	report $? "a shard that was killed leaves no record"
	says "shards that are missing are named" 5 "2 of 3 shards are missing: 1-2; .* --shard K" \
		"$explore" --merge "$folder"
	"$explore" --shard 2 "$folder" 2>"$scratch/err" &
	pid=$!
	sleep 0.1
	kill -INT $pid
	wait $pid
	[ $? -eq 5 ] && [ ! -e "$folder/shard-2.json" ] &&
		[ "$(grep -c '^stampede: ' "$scratch/err")" -eq 1 ]
	report $? "Ctrl-C: exit code 5, one line and no record"
	before=$(stat -c %i.%Y "$folder/shard-0.json")
	shows "one that is done is not done again" "shard 0 is done" "$explore" --shard 0 "$folder"
	[ "$before" = "$(stat -c %i.%Y "$folder/shard-0.json")" ]
	report $? "its record is the same"
	run_all "$folder" 3 >"$scratch/out"
	shows "then all are there" "packed_word .* kept" "$explore" --merge "$folder"
}

# Twenty kills at random times, of shards and of the merge; then what is missing is done.
killed_at_random() {
	folder=$scratch/killed
	"$explore" --schemes "=packed_word =delta_sync_hard" --nested 4 --engine schedules -v \
		>"$scratch/one" 2>"$scratch/err"
	"$explore" --schemes "=packed_word =delta_sync_hard" --nested 4 --engine schedules \
		--plan "$folder" --shards 24 >"$scratch/out"
	kills=0
	for tenths in 1 3 2 7 4 1 5 2 6 3 1 2 4 3 5 1 6 2 3 4; do
		"$explore" --merge "$folder" >"$scratch/out" 2>"$scratch/err" &
		merge=$!
		"$explore" --shard $((tenths * 7 % 24)) "$folder" 2>>"$scratch/shard.err" &
		one=$!
		"$explore" --shard $(((tenths * 5 + kills) % 24)) "$folder" 2>>"$scratch/shard.err" &
		other=$!
		sleep 0.$tenths
		kill -KILL $merge $one $other 2>/dev/null
		wait $one $other $merge 2>/dev/null
		kills=$((kills + 1))
	done
	before=$(find "$folder" -name 'shard-*.json' | wc -l)
	run_all "$folder" 24 >"$scratch/failed"
	"$explore" --merge "$folder" -v >"$scratch/all" 2>"$scratch/err"
	counts "$scratch/one" >"$scratch/one.counts"
	counts "$scratch/all" >"$scratch/all.counts"
	[ "$kills" -eq 20 ] && [ "$before" -lt 24 ] && [ ! -s "$scratch/failed" ] &&
		[ "$(grep -c kept "$scratch/all.counts")" -eq 2 ] &&
		cmp -s "$scratch/one.counts" "$scratch/all.counts"
	report $? "twenty kills of shards and merges: nothing lost, nothing counted twice"
	echo "# $before of 24 records were there after the kills"
	diff "$scratch/one.counts" "$scratch/all.counts" | sed 's/^/# /'
}

# A plan or a record that is not what it was; each is put right again, and the rest stays.
refused() {
	cp -r "$folder" "$scratch/good"
	damage() { # name, code, words, sed program of a file, file
		sed -i "$4" "$folder/$5"
		says "$1" "$2" "$3" "$explore" --merge "$folder"
		cp "$scratch/good/$5" "$folder/$5"
	}
	damage "a count that was changed" 1 "shard-1.json is damaged: remove it" \
		's/"schedules": 1/"schedules": 2/' shard-1.json
	resealed() { # name, words, sed program
		sed -i "$3" "$folder/shard-1.json"
		"$build/tests/explore/test_found" --seal "$folder/shard-1.json"
		says "$1, sealed again" 1 "shard-1.json $2: remove it" "$explore" --merge "$folder"
		cp "$scratch/good/shard-1.json" "$folder"
	}
	resealed "schedules that were changed" "has numbers that no search finds" \
		's/"schedules": [1-9]/&0/'
	resealed "a search that is missing" "has numbers that no search finds" \
		's/"searches": 1/"searches": 0/'
	resealed "another task" "has other pieces than were planned" 's/"task": 0/"task": 1/'
	resealed "pieces that are gone" "has other pieces than were planned" 's/"pieces"/"lost"/'
	resealed "a piece too many" "has other pieces than were planned" 's/^ \]/ ,1 ]/'
	"$build/tests/explore/test_found" --seal "$folder"/shard-?.json
	shows "nothing changed, sealed again" "packed_word .* kept" "$explore" --merge "$folder"
	head -c 300 "$scratch/good/shard-1.json" >"$folder/shard-1.json"
	says "a truncated record" 1 "shard-1.json is damaged" "$explore" --merge "$folder"
	says "it is not done over" 1 "shard-1.json is damaged" "$explore" --shard 1 "$folder"
	cp "$scratch/good/shard-0.json" "$folder/shard-1.json"
	says "a doubled record" 1 "shard-1.json is shard 0 a second time" "$explore" --merge "$folder"
	cp "$scratch/good/shard-1.json" "$folder"
	"$explore" --schemes =packed_word --nested 3 --engine schedules --plan "$scratch/other" \
		--shards 3 >"$scratch/out"
	run_all "$scratch/other" 3 >"$scratch/out"
	cp "$scratch/other/shard-1.json" "$folder"
	says "another plan's record" 1 "shard-1.json is of another plan" "$explore" --merge "$folder"
	cp "$scratch/good/shard-1.json" "$folder"
	damage "a plan of another version" 1 "no plan of this version" '1s/"schema":1/"schema":2/' \
		plan.jsonl
	damage "a plan of another binary" 1 "another build of explore" \
		'1s/"program":"[0-9a-f]*"/"program":"0123456789abcdef"/' plan.jsonl
	damage "a plan that lost a line" 1 "has not all its shards" '$d' plan.jsonl
	damage "a plan without its end" 1 "is damaged: make a new plan" '$s/}]}$//' plan.jsonl
	sed -i '1s/\("packed_word.page.so":"\)[0-9a-f]*/\10123456789abcdef/' "$folder/plan.jsonl"
	rm "$folder/shard-1.json"
	says "another object" 1 "packed_word.page.so is not the object that was planned" \
		"$explore" --shard 1 "$folder"
	cp "$scratch/good/"* "$folder"
	says "no such shard" 1 "shards 0 to 2" "$explore" --shard 3 "$folder"
	says "a shard that is no number" 1 "a whole number" "$explore" --shard two "$folder"
	says "a plan that is there" 1 "is there: a plan is made once" \
		"$explore" --schemes =floor --plan "$folder"
	says "no folder" 1 "DIR of a plan is wanted" "$explore" --merge
	says "no plan in it" 3 "cannot read $scratch/plan.jsonl" "$explore" --merge "$scratch"
	: >"$scratch/file"
	says "a plan into a file" 3 "cannot write $scratch/file/plan.jsonl" \
		"$explore" --schemes =floor --plan "$scratch/file"
	says "shards without a plan" 1 "go with --plan" "$explore" --shards 3
	says "a plan of one schedule" 1 "--plan is of searches" \
		"$explore" --schemes =floor --plan "$scratch/p" --replay n1
	echo '{}' >"$scratch/none.json"
	says "a plan of a part" 1 "not --part" \
		"$explore" --schemes =floor --plan "$scratch/p" --part 0/2
	says "a part that is none" 1 "K/N is wanted" "$explore" --schemes =floor --part 2/2
	says "parts of nothing" 1 "K/N is wanted" "$explore" --schemes =floor --part 0/0
	says "a record of a shard elsewhere" 1 "goes with --merge" \
		"$explore" --shard 0 "$folder" --json "$scratch/p.json"
	# Records are made for it: only who counts what the plan has sees it.
	for change in '2s/"part":\[[0-9]*,/"part":[0,/; 3s/"part":\[[0-9]*,/"part":[0,/' \
		's/"starts":\[0,1\]/"starts":[1,1]/' '2s/,{[^}]*}\]}$/]}/'; do
		rm -rf "$scratch/lost"
		mkdir "$scratch/lost"
		sed "$change" "$scratch/other/plan.jsonl" >"$scratch/lost/plan.jsonl"
		run_all "$scratch/lost" 3 >"$scratch/out"
		says "a plan that lacks something: $change" 1 "has not all of packed_word" \
			"$explore" --merge "$scratch/lost"
	done
	says "times that are none" 1 "a record of explore --json is wanted" \
		"$explore" --schemes =floor --plan "$scratch/p" --times "$scratch/none.json"
	shows "all is as it was" "packed_word .* kept" "$explore" --merge "$folder"
}

# More shards than a search has parts, and a list of missing ones that is too long for a line.
limits() {
	"$explore" --schemes =full_tsc --shape wrap4 --jumps 1 --plan "$scratch/wide" --shards 1000 \
		>"$scratch/out"
	grep -q "^256 pieces in 1000 shards" "$scratch/out" &&
		grep -q '"part":\[255,256\]' "$scratch/wide/plan.jsonl" &&
		! grep -q '"part":\[[0-9]*,\(25[7-9]\|2[6-9][0-9]\|[3-9][0-9][0-9]\|[0-9]\{4,\}\)\]' \
			"$scratch/wide/plan.jsonl"
	report $? "a search has 256 parts and no more"
	# One interrupt: all schedules but that without any begin with another one.
	"$explore" --schemes =full_tsc --nested 1 --engine schedules --json "$scratch/few.json" \
		>"$scratch/out" 2>&1
	few=$(sed -n 's/.*"schedules": \([0-9]*\),$/\1/p' "$scratch/few.json" | head -1)
	"$explore" --schemes =full_tsc --nested 1 --plan "$scratch/few" --shards 1000 >"$scratch/out"
	[ "$few" -gt 8 ] && grep -q "^$((few - 1)) pieces in 1000 shards" "$scratch/out"
	report $? "a part for each action that schedules begin with: $((few - 1))"
	sed 's/^/# /' "$scratch/out"
	# Of those that have nothing to do.
	"$explore" --shard 999 "$scratch/wide" 2>"$scratch/err"
	mv "$scratch/wide/shard-999.json" "$scratch/empty.json"
	for shard in $(seq 300 2 520); do
		sed "s/\"shard\": 999/\"shard\": $shard/" "$scratch/empty.json" \
			>"$scratch/wide/shard-$shard.json"
	done
	"$build/tests/explore/test_found" --seal "$scratch/wide"/shard-*.json
	says "a long list of missing shards" 5 \
		"889 of 1000 shards are missing: 0-299,301,303,[0-9,]*,\.\.\.; do each by: explore" \
		"$explore" --merge "$scratch/wide"
}

full_disk() {
	if [ "$(id -u)" != 0 ] || ! mkdir "$scratch/small" ||
		! mount -t tmpfs -o size=16k tmpfs "$scratch/small" 2>/dev/null; then
		skip "full disk" "needs root and tmpfs"
		return
	fi
	cp "$scratch/other/plan.jsonl" "$scratch/small"
	head -c 16384 /dev/zero >"$scratch/small/rest" 2>/dev/null
	says "a full disk" 3 "cannot write .*shard-0.json" "$explore" --shard 0 "$scratch/small"
	[ ! -e "$scratch/small/shard-0.json" ]
	report $? "a full disk: no record"
	umount "$scratch/small"
}

# What others took tells how long it takes: of the same budget, and of a smaller one.
estimates() {
	"$explore" --schemes =packed_word --stops all --nested 3 --json "$scratch/times.json" \
		>"$scratch/out" 2>"$scratch/err"
	sed -i 's/"seconds": [0-9.e-]*/"seconds": 1000/' "$scratch/times.json"
	"$explore" --schemes =packed_word --stops all --nested 3 --times "$scratch/times.json" \
		--engine schedules --plan "$scratch/timed" --shards 2 >"$scratch/out"
	grep -q " 1000 s in all and 500 s the longest" "$scratch/out"
	report $? "a search takes what it took"
	sed 's/^/# /' "$scratch/out"
	# By states: in no more parts than find something, the first of which has most to do.
	"$explore" --schemes =packed_word --stops all --nested 3 --times "$scratch/times.json" \
		--plan "$scratch/states" --shards 64 >"$scratch/out"
	grep -q "^16 pieces in 64 shards, .* and 1[5-9][0-9] s the longest" "$scratch/out" &&
		head -2 "$scratch/states/plan.jsonl" | grep -q '"part":\[0,16\]'
	report $? "parts of a search by states are few and unlike"
	sed 's/^/# /' "$scratch/out"
	# To a row that needs no beat a beat is an interrupt like any: it is the same search.
	"$explore" --schemes =packed_word --shape wrap3 --nested 1 --jumps 1 \
		--json "$scratch/times.json" >"$scratch/out" 2>"$scratch/err"
	sed -i 's/"seconds": [0-9.e-]*/"seconds": 1000/' "$scratch/times.json"
	for beats in 0 1; do
		"$explore" --schemes =packed_word --shape wrap3 --nested 1 --jumps 1 --beats $beats \
			--times "$scratch/times.json" --plan "$scratch/beats.$beats" --shards 2
	done >"$scratch/out"
	[ "$(grep -c " 1000 s in all" "$scratch/out")" -eq 2 ]
	report $? "a beat that makes no difference takes no time"
	sed 's/^/# /' "$scratch/out"
	# A larger one takes as many times as long as it has more schedules, by states less than that.
	for engine in schedules states; do
		"$explore" --schemes =packed_word --nested 3 --engine $engine \
			--json "$scratch/times.json" >"$scratch/out" 2>"$scratch/err"
		sed -i 's/"seconds": [0-9.e-]*/"seconds": 1000/' "$scratch/times.json"
		"$explore" --schemes =packed_word --nested 4 --engine $engine \
			--times "$scratch/times.json" --plan "$scratch/more.$engine" --shards 1 \
			>"$scratch/out"
		python3 - "$scratch" $engine <<-'EOF'
		import json, sys
		folder, engine = sys.argv[1:]
		known = json.load(open(folder + "/times.json"))["rows"][0]["families"][0]
		plan = list(open(f"{folder}/more.{engine}/plan.jsonl"))
		piece = json.loads(plan[1])["pieces"][0]
		more, longer = piece["schedules"] / known["schedules"], json.loads(plan[0])["seconds"] / 1000
		print(f"# {more:.2f} times as many, {longer:.2f} times as long")
		as_many = abs(longer / more - 1) < 1e-6
		sys.exit(more < 2 or (not as_many if engine == "schedules" else not 1 < longer < more))
		EOF
		report $? "a larger search, $engine"
	done
	# Of those that are known, the largest of that shape, searched alike.
	"$explore" --schemes =packed_word --json "$scratch/times.json" >"$scratch/out" 2>"$scratch/err"
	python3 - "$scratch" <<-'EOF'
	import json, sys
	path = sys.argv[1] + "/times.json"
	record = json.load(open(path))
	for family in record["rows"][0]["families"]:
	    family["seconds"] = 1000 if family["budget"] == "page shared M=3 NB=2 D=2" else 5
	json.dump(record, open(path, "w"))
	EOF
	"$explore" --schemes =packed_word --shape page --nested 3 --times "$scratch/times.json" \
		--plan "$scratch/nearest" --shards 1 >"$scratch/out"
	python3 - "$scratch" >"$scratch/out" <<-'EOF'
	import json, sys
	known = json.load(open(sys.argv[1] + "/times.json"))["rows"][0]["families"]
	its = sum(one["schedules"] for one in known if one["seconds"] == 1000)
	head, line = map(json.loads, open(sys.argv[1] + "/nearest/plan.jsonl"))
	wanted = 1000 * line["pieces"][0]["schedules"] / its
	print(head["seconds"], "of", wanted, "s")
	sys.exit(abs(head["seconds"] / wanted - 1) > 1e-6)
	EOF
	report $? "as long as the nearest that is known"
	sed 's/^/# /' "$scratch/out"
	# Its pieces end in the second shard, not in the first.
	"$explore" --schemes "=packed_word =floor" --stops all --nested 3 \
		--json "$scratch/times.json" >"$scratch/out" 2>"$scratch/err"
	python3 - "$scratch/times.json" <<-'EOF'
	import json, sys
	record = json.load(open(sys.argv[1]))
	for row, seconds in zip(record["rows"], (1000, 300)):
	    row["families"][0]["seconds"] = seconds
	json.dump(record, open(sys.argv[1], "w"))
	EOF
	"$explore" --schemes "=packed_word =floor" --stops all --nested 3 \
		--engine schedules --times "$scratch/times.json" --plan "$scratch/uneven" \
		--shards 2 >"$scratch/out"
	grep -q "1300 s in all and 750 s the longest" "$scratch/out"
	report $? "the longest shard is said, wherever it stands"
	sed 's/^/# /' "$scratch/out"
}

# How many schedules there will be, drawn before any is run, against those that were: of a row that
# needs beats, of two that do not, with jumps, a reader and starts at every offset.
schedules() {
	rows="=packed_word =heartbeat =nested_retry"
	"$explore" --schemes "$rows" --plan "$scratch/drawn" --shards 3 >"$scratch/out" 2>&1 &&
		"$explore" --schemes "$rows" --json "$scratch/quick.json" >"$scratch/out" \
			2>"$scratch/err"
	python3 - "$scratch" >"$scratch/out" 2>&1 <<-'EOF'
	import json, sys
	drawn, folder = {}, sys.argv[1]
	with open(folder + "/drawn/plan.jsonl") as plan:
	    for line in list(plan)[1:]:
	        for piece in json.loads(line)["pieces"]:
	            drawn[piece["row"], piece["budget"]] = piece["schedules"]
	record, sums, wrong = json.load(open(folder + "/quick.json")), [0, 0], []
	for row in record["rows"]:
	    for family in row["families"]:
	        guess, ran = drawn[row["row"], family["budget"]], family["schedules"]
	        sums = [sums[0] + guess, sums[1] + ran]
	        # What a reader visits until nothing is left is a tree of few long branches.
	        most = 4 if "live=1" in family["budget"] and "full=" in family["budget"] else 2
	        if not 1 / most < guess / ran < most:
	            wrong.append(f"{row['row']} {family['budget']}: {guess:.0f} of {ran}")
	print(f"{sums[0]:.0f} drawn, {sums[1]} run, of {len(drawn)} searches", *wrong, sep="\n")
	sys.exit(len(drawn) < 50 or bool(wrong) or not .9 < sums[0] / sums[1] < 1.1)
	EOF
	report $? "as many schedules as were drawn"
	sed 's/^/# /' "$scratch/out"
}

# A stop of this row has 35 alternatives: an interrupt, a beat and 33 jumps. Every seventh of all would
# be the beats' and little else.
alike() {
	rm -f "$scratch/parts"
	for part in 0 1 2 3 4 5 6; do
		"$explore" --schemes =heartbeat --shape wrap4 --events 1 --nested 1 --jumps 1 --beats 1 \
			--part $part/7 --json "$scratch/part.json" >"$scratch/out" 2>&1
		sed -n 's/.*"schedules": \([0-9]*\),$/\1/p' "$scratch/part.json" | head -1 >>"$scratch/parts"
	done
	sort -n "$scratch/parts" | awk '{ parts[NR] = $1 } END { exit !(NR == 7 && parts[1] > 0 &&
		parts[7] <= 2 * parts[1]) }'
	report $? "parts are alike: $(tr '\n' ' ' <"$scratch/parts")"
}

# What a plan keeps of a command line, and what a shard's own adds to it.
arguments() {
	"$explore" --plan="$scratch/equal" --engine states --stops all --shards=2 --nested 4 \
		--schemes =packed_word >"$scratch/out" 2>"$scratch/err"
	head -1 "$scratch/equal/plan.jsonl" | grep -qF \
		'"arguments":["--engine","states","--stops","all","--nested","4","--schemes","=packed_word"]'
	report $? "a plan keeps all options but its own"
	"$explore" --shard 0 --memory 16 "$scratch/equal" >"$scratch/out" 2>"$scratch/err"
	[ $? -ne 0 ] && grep -q "states take more than 16 MiB" "$scratch/err" &&
		[ ! -e "$scratch/equal/shard-0.json" ]
	report $? "a shard's own memory: too little of it, and no record"
}

same
interrupted
arguments
refused
limits
full_disk
estimates
schedules
alike
[ "${BUDGETS:-small}" = small ] || killed_at_random
plan
