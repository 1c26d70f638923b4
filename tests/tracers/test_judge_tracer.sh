#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_judge_tracer.sh BUILD   A tracer that is right is kept, and each planted fault is found by the
# promise that it breaks and by no other. TAP.
. tests/support/tap.sh
build=$1
judge=$build/judge-tracer
toy=$scratch/toy
mkdir "$toy"
printf '#!/bin/sh\necho "$3" >"$1/asked"\nexec python3 -BSE "%s/tests/tracers/toy.py" "$@"\n' "$PWD" >"$toy/run"
chmod +x "$toy/run"

adapter() { # more of adapter.json
	cat >"$toy/adapter.json" <<-END
		{"tracer": "toy", "unit": "ns", "workloads": ["steady"], "promises": {
		 "order": {}, "window": {}, "whole": {}, "losses": {}, "contained": {}, "causal": {}}$1}
	END
}

# What is broken, in the order of the promises, how often, by how much and where: "order 1 50 0/200"; losses how.
broken() {
	python3 -BSE - "$scratch/json" <<-END
		import json, sys
		run = json.load(open(sys.argv[1]))[0]
		print(*[f"{name} {one['seen']} {one['worst']} {one['stream']}/{one['seq']}" + (" " + one["what"].split()[-1] if name == "losses" else "")
		        for name, one in run["promises"].items() if one["verdict"] == "broken"],
		      *[f"{key} {run[key]}" for key in ("lost_counted", "equal", "early", "late", "tolerance") if run[key]])
	END
}

adapter ""
while read -r fault expected; do
	FAULT=$fault "$judge" --json "$scratch/json" "$toy/" >"$scratch/out" 2>"$scratch/err"
	got=$?
	said=$(broken)
	case $expected in *[a-z]' '*/*) code=2 ;; *) code=0 ;; esac
	[ "$said" = "$expected" ] && [ $got -eq $code ]
	report $? "fault '$fault': ${expected:-nothing is broken}"
	[ "$said" = "$expected" ] || sed "s/^/# /" "$scratch/err" | head -3
	[ "$said" = "$expected" ] || echo "# said: $said"
done <"$(table judge_tracer_faults)"

while read -r fault code words; do
	FAULT=$fault "$judge" "$toy/" >"$scratch/out" 2>"$scratch/err" --timeout 2
	got=$?
	[ $got -eq "$code" ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] && grep -q "$words" "$scratch/err"
	report $? "fault '$fault' ends with $code and one line: $words"
done <"$(table judge_tracer_ends)"

says "files that cannot be kept, before the run" 3 'cannot write /proc/none' "$judge" --keep /proc/none "$toy/"
mkdir -p "$scratch/taken/truth"
says "and after it" 3 'cannot copy .*/taken: ' "$judge" --keep "$scratch/taken" "$toy/"
"$judge" --keep "$scratch/files" "$toy/" >"$scratch/out" && [ "$(cat "$scratch"/files/* | wc -l)" -eq 2433 ]
report $? "files that can be are whole"
FAULT=two_late "$judge" "$toy/" >"$scratch/out"
grep -q ': 1200 events, 1200 decoded, 0 counted as lost$' "$scratch/out" &&
	grep -q 'outside of their call: 0 early, 2 late; median 1, 99 % 11, worst 11 ns$' "$scratch/out"
report $? "how far outside, as a distribution"
FAULT=child_edges "$judge" "$toy/" | grep -q 'call: 1 early, 1 late; median 15, 99 % 995, worst 995 ns$'
report $? "early and late ones"
FAULT=torn_bytes "$judge" --json "$scratch/json" "$toy/" >"$scratch/out"
python3 -c "import json, sys
sys.exit(not json.load(open(sys.argv[1]))[0]['promises']['whole']['what'].startswith('caf\\\\xe9 '))" "$scratch/json"
report $? "words that are no UTF-8, cut in a letter, are in the JSON"
STATE=$scratch/crashed FAULT=crash2 "$judge" --rounds 2 --json "$scratch/json" "$toy/" >"$scratch/out" 2>"$scratch/err"
[ $? -eq 2 ] && [ "$(broken)" = "window 1 1 0/200 early 1" ] && grep -q 'its adapter failed' "$scratch/err"
report $? "what the first round showed is said, though the second ends early"
FAULT=unstable "$judge" "$toy/" | grep -q 'order *kept'
report $? "times alone do not show events that changed places at one time"
adapter ', "sequence": true'
FAULT=unstable "$judge" "$toy/" >"$scratch/out"
[ $? -eq 2 ] && grep -q 'order *broken *1 of 1996; worst: 0/200 behind an event of the stream that was recorded later$' "$scratch/out"
report $? "their numbers do"
FAULT=twice "$judge" "$toy/" | grep -q 'order *kept'
report $? "an event that is there twice is in order"
"$judge" "$toy/" | grep -q 'order *kept *tried 1996 times'
report $? "which are in order otherwise"
adapter ', "resolution": 1'
FAULT=early "$judge" "$toy/" >"$scratch/out"
report $? "a time may be off by the resolution"
adapter ', "one_order": true'
"$judge" "$toy/" | grep -q 'order *broken *1 of 999;'
report $? "in one order the second stream goes back where it begins"
printf '{"tracer": "toy", "workloads": ["steady", "stall"]}' >"$toy/adapter.json"
FAULT=back "$judge" --rounds 2 "$toy/" >"$scratch/out" &&
	[ "$(grep -c 'window *no promise *2 of 2800; worst: 0/200 earlier than its call, by 1000' "$scratch/out")" -eq 2 ]
report $? "what is not promised is a figure, over all rounds, of each workload"
FAULT=away "$judge" "$toy/" "$toy/../none" 2>"$scratch/err"
[ $? -eq 1 ] && grep -q 'no adapter: ' "$scratch/err" && [ "$(wc -l <"$scratch/err")" -eq 2 ]
report $? "one that is not there, and one that is away from its first workload on"
"$judge" --workload calm "$toy/" 2>"$scratch/err"
[ $? -eq 1 ] && grep -q "toy/ has no workload 'calm'" "$scratch/err"
report $? "a workload that it has not"
STATE=$scratch/state FAULT=fewer "$judge" --rounds 2 "$toy/" | grep -q 'losses .* 4 of 2400;'
report $? "losses are summed over rounds of different losses"
FAULT=rare "$judge" --smallest --events 2000 --keep "$scratch/rare" "$toy/" | grep -q 'breach: --workload steady --events 500$' &&
	"$build/plots" --times "$scratch/rare" "$scratch/rare.svg" && [ "$(cat "$scratch/rare/asked")" = 500 ]
report $? "the smallest run with a breach, which is kept, and drawn"
FAULT=swapped "$judge" --smallest --events 40 "$toy/" | grep -q 'breach: --workload steady --events 1$'
report $? "though only the order is broken"
"$judge" --json - "$toy/" 2>"$scratch/err" | python3 -c 'import json, sys; sys.exit(len(json.load(sys.stdin)) != 2)' && grep -q 'whole *' "$scratch/err"
report $? "--json -: the document alone is on standard output"
FAULT=hang "$judge" "$toy/" 2>"$scratch/err" &
sleep 0.5
kill -INT $!
wait $!
[ $? -eq 5 ] && grep -q interrupted "$scratch/err" && ! pgrep -f "toy.py $scratch" >/dev/null
report $? "Ctrl-C ends the adapter, too"

# A trace that was recorded elsewhere; its own payload is the truth.
cat >"$scratch/toy/run" <<-'END'
	#!/bin/sh
	[ "$2" = trace ] && grep "^truth" "$TRACE" | cut -d" " -f2- >"$1/truth" && grep -v "^truth" "$TRACE" >"$1/decoded"
END
printf 'truth event 0 1 100 200\nevent 0 1 150\ntruth event 0 2 300 400\nevent 0 2 299\ntruth event 0 3 0 300\nevent 0 3 299\ntruth after 0 1 0 9\ntruth after 9 1 0 2\ntruth after 0 2 0 1\ntruth event 5 1 0 0\ntruth event 9 1 0 0\nlost 5 1\nlost 9 1\n' >"$scratch/recorded"
printf '{"tracer": "toy", "contract": 1, "workloads": ["steady", "trace"], "promises": {"window": {}}}' >"$toy/adapter.json"
"$judge" --trace "$scratch/recorded" "$toy/" >"$scratch/out" 2>"$scratch/err"
[ $? -eq 2 ] && grep -q '^toy, trace: 5 events, 3 decoded, 2 counted as lost' "$scratch/out" && grep -q 'losses *no promise *tried 5 times' "$scratch/out" && grep -q 'window *broken *1 of 3; worst: 0/2 earlier' "$scratch/out" && grep -q 'causal *no promise *1 of 1; worst: 0/1 earlier than its cause, by 149' "$scratch/out"
told $? "a recorded trace is judged alone"
says "a trace that is not there" 3 'cannot read .*/none' "$judge" --trace "$scratch/none" "$toy/"
sed -i 's/"contract": 1/"contract": 2/' "$toy/adapter.json"
says "a contract of tomorrow" 1 'contract 2; this judge-tracer knows 1 and older' "$judge" --trace "$scratch/recorded" "$toy/"
for json in '{"workloads": ["w"]}' '{"tracer": "toy", "workloads": []}'; do
	echo "$json" >"$toy/adapter.json"
	says "an adapter that is $json" 1 'adapter.json: wants "tracer" and "workloads"' "$judge" "$toy/"
done
echo '{"tracer"' >"$toy/adapter.json"
says "an adapter.json that is cut" 1 'adapter.json:2: ' "$judge" "$toy/"
# Of several tracers one that is broken counts most, and one that cannot run here least.
for name in kept broken bad away; do
	mkdir "$scratch/$name"
	echo '{"tracer": "'$name'", "workloads": ["w"], "promises": {"window": {}}}' >"$scratch/$name/adapter.json"
	fake "$scratch/$name/run" <<-'END'
		echo event 0 1 10 20 >"$1/truth"
		case $0 in */kept/*) at=20 ;; */broken/*) at=21 ;; */bad/*) at=x ;; *) exit 4 ;; esac
		echo event 0 1 $at >"$1/decoded"
	END
done
while read -r wanted names; do
	"$judge" --json "$scratch/json" $(for name in $names; do echo "$scratch/$name/"; done) >"$scratch/out" 2>"$scratch/err"
	got=$?
	said=$(grep -o '"tracer": "[a-z]*' "$scratch/json" | cut -d'"' -f4 | tr '\n' ' ')
	[ "$got $said" = "$wanted $(echo "$names " | sed 's/bad //g;s/away //g')" ]
	told $? "$names: $got, and in the JSON: $said"
done <"$(table judge_tracer_codes)"
# Each option reaches the adapter, and no number beyond its limits does.
fake "$scratch/toy/run" <<-'END'
	echo "$1" >"$SAID.folder"
	{ env | grep -E '^(EVERY_|GAPS=|TRACE=)' | sort; shift; echo "$@"; } | tr '\n' ' ' >"$SAID"
	exit 4
END
export SAID="$scratch/said"
while IFS='|' read -r options every wanted; do
	echo '{"tracer": "toy", "workloads": ["w"], "every": {'"$every"'}}' >"$toy/adapter.json"
	"$judge" $options "$toy/" 2>"$scratch/err"
	[ $? -eq 4 ] && [ "$(sed 's/ *$//;s,GAPS=/.*/,GAPS=,' "$SAID")" = "$wanted" ] && [ ! -e "$(cat "$SAID.folder")" ]
	report $? "'$options' $every: $wanted"
done <"$(table judge_tracer_options)"
for option in "events 9" "events 100000001" "rounds 0" "rounds 100001" "every 0" "every 1000001" "timeout 0" "timeout 86401" \
	"depth 0" "depth 3" "stride 0" "stride 100001" "at 12" "at 1:x"; do
	says "--$option is refused" 1 "--${option% *}.* .*${option#* }" "$judge" --$option "$toy/"
done
# Batches of each round whose medians, and the medians over rounds, are known.
for name in first second; do
	mkdir "$scratch/$name"
	echo '{"tracer": "'$name'", "workloads": ["steady"]}' >"$scratch/$name/adapter.json"
	fake "$scratch/$name/run" <<-'END'
		echo "$@" >>"${0%/*}/rounds"
		sed -n "$(wc -l <"${0%/*}/rounds")p" "${0%/*}/batches" | tr , '\n' >"$1/price"
		case $0 in */"$FAILS"/*) exit "${CODE:-0}" ;; esac
	END
done
printf '9 19,1 11,2 22\n4 5,4 5,4 5\n100 103\n%.0s' 1 2 3 >"$scratch/first/batches"
printf '6 6\n16 18\n200 201\n%.0s' 1 2 3 >"$scratch/second/batches"
priced() { # NAME LINES OPTION...: of first and second
	rm -f "$scratch"/*/rounds
	name=$1 wanted=$2
	shift 2
	"$judge" --price --json "$scratch/json" "$@" "$scratch/first/" "$scratch/second/" >"$scratch/out" 2>"$scratch/err"
	got=$?
	[ "$(tr -s ' ' <"$scratch/out" | tr '\n' ',')" = "$wanted" ]
	told $? "$name"
}
priced "medians of batches and of rounds, and multiples of the first tracer" \
	"first 4.0 ns 1.00; judging adds 3.0 ns,second 16.0 ns 3.00; judging adds 1.0 ns," --rounds 3
finds "and as numbers" "$scratch/json" "r == [{'tracer': 'first', 'ns': 4, 'ratio': 1, 'judging': 3, 'rounds': 3},
	{'tracer': 'second', 'ns': 16, 'ratio': 3, 'judging': 1, 'rounds': 3}]"
[ "$(cut -d' ' -f2- "$scratch/second/rounds" | sort -u)" = "price 100000 1" ]
report $? "each is asked for its price"
priced "with an interval, from enough rounds" "first 4.0 ns 1.00 (95 %: 1.00 to 1.00); judging adds 3.0 ns,second 16.0 ns 3.00 (95 %: 2.00 to 4.00); judging adds 1.0 ns," \
	--rounds 9 --evict --events 15 --every 4
[ "$(cut -d' ' -f2- "$scratch/second/rounds" | sort -u)" = "price-cold 15 4" ] &&
	! cut -d' ' -f1 "$scratch/second/rounds" | xargs ls -d >"$scratch/out" 2>&1 && [ "$(grep -c "No such file" "$scratch/out")" -eq 9 ]
report $? "or for its price without caches, and no folder is left"
while read -r fails code wanted_code wanted lines words; do
	export FAILS="$fails" CODE="$code"
	priced "$fails ends with $code" "$(echo "${wanted#-}" | tr _ ' ')"
	[ $got -eq "$wanted_code" ] && [ "$(grep -c ^stampede: "$scratch/err")" -eq "$lines" ] && grep -q "$words" "$scratch/out" "$scratch/err"
	told $? "the exit code is $got, and the line: $words"
done <"$(table judge_tracer_priced)"
unset FAILS CODE
python3 -c "print('1 1,' * 32 + '3 3,' * 32 + ','.join(['9 9'] * 6))" >"$scratch/first/batches"
rm "$scratch/first/rounds"
"$judge" --price "$scratch/first/" | grep -q ' 2.0 ns '
report $? "of more batches than there is room for the first count"
: >"$scratch/first/batches"
says "an adapter without a price" 1 'first//run: no prices in .*/price; this tracer is not priced' "$judge" --price "$scratch/first/"
rm -f "$scratch/second/rounds" && yes "6 6" | head -32 >"$scratch/second/batches"
"$judge" --price $(yes "$scratch/second/" | head -32) >"$scratch/out" && [ "$(grep -c ' 6.0 ns  *1.00$' "$scratch/out")" -eq 32 ]
report $? "as many tracers as are priced at once"
says "more tracers than are priced at once" 1 'at most 32 tracers' "$judge" --price $(yes "$scratch/second/" | head -33)
"$judge" --list | grep -q '^lttng_ust$'
report $? "the adapters of the tree are listed"
plan
