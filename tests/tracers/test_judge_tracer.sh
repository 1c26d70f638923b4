#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_judge_tracer.sh BUILD   A tracer that is right is kept, and each planted fault is found by the
# promise that it breaks and by no other. TAP.
. tests/support/tap.sh
build=$1
judge=$build/judge-tracer
toy=$scratch/toy
mkdir "$toy"
printf '#!/bin/sh\nexec python3 -B "%s/tests/tracers/toy.py" "$@"\n' "$PWD" >"$toy/run"
chmod +x "$toy/run"

adapter() { # more of adapter.json
	cat >"$toy/adapter.json" <<-END
		{"tracer": "toy", "unit": "ns", "workloads": ["steady"], "promises": {
		 "order": {}, "window": {}, "whole": {}, "losses": {}, "contained": {}, "causal": {}}$1}
	END
}

# What is broken, in the order of the promises, and how often: "order 1 window 1".
broken() {
	python3 - "$scratch/json" <<-END
		import json, sys
		its = json.load(open(sys.argv[1]))[0]["promises"]
		print(*(f"{name} {one['seen']} {one['worst']}" for name, one in its.items() if one["verdict"] == "broken"))
	END
}

adapter ""
while read -r fault expected; do
	FAULT=$fault "$judge" --json "$scratch/json" "$toy/" >"$scratch/out" 2>"$scratch/err"
	got=$?
	said=$(broken)
	[ "$said" = "$expected" ] && [ $got -eq $([ -n "$expected" ] && echo 2 || echo 0) ]
	report $? "fault '$fault': ${expected:-nothing is broken}"
	[ "$said" = "$expected" ] || sed "s/^/# /" "$scratch/err" | head -3
	[ "$said" = "$expected" ] || echo "# said: $said"
done <<'END'
none
back order 1 50 window 1 1000
equal window 1 950
early window 1 1
late window 1 1
edge
wrap order 1 134216728 window 1 134217678
unit order 1 999000198850 window 1 999000199800
zero order 1 1000000199050 window 1 1000000200000
swapped order 1 1000
lost losses 1 1
counted
overcounted losses 1 1
twice whole 1 0
never whole 1 0
stream whole 1 0 losses 1 1
kind whole 1 0 losses 1 1
torn whole 1 0
backwards window 1 5995 contained 2 5000
child_early window 1 16 contained 1 1
child_late window 1 996 contained 1 1
effect window 1 251 causal 1 1
effect_ok window 1 250
END

while read -r fault code words; do
	FAULT=$fault "$judge" "$toy/" >"$scratch/out" 2>"$scratch/err" --timeout 2
	got=$?
	[ $got -eq "$code" ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] && grep -q "$words" "$scratch/err"
	report $? "fault '$fault' ends with $code and one line: $words"
done <<'END'
bad_number 1 decoded:201: what is decoded is
short 1 decoded:201: what is decoded is
word 1 decoded:201: what is decoded is
half 1 the line has no end
missing 1 cannot read .*decoded
two 1 stream 0 has two of number 0
crash 1 its adapter failed
hang 1 not done in time
away 4 no toys
END

adapter ', "resolution": 1'
FAULT=early "$judge" "$toy/" >"$scratch/out"
report $? "a time may be off by the resolution"
adapter ', "one_order": true'
"$judge" "$toy/" | grep -q 'order *broken *1 of 999;'
report $? "in one order the second stream goes back where it begins"
printf '{"tracer": "toy", "workloads": ["steady"]}' >"$toy/adapter.json"
FAULT=back "$judge" --rounds 2 "$toy/" >"$scratch/out" &&
	grep -q 'window *no promise *2 of 2800; worst: 0/200 earlier than its call, by 1000' "$scratch/out"
report $? "what is not promised is a figure, over all rounds"
FAULT=away "$judge" "$toy/" "$toy/../none" 2>"$scratch/err"
[ $? -eq 1 ] && grep -q 'no adapter: ' "$scratch/err"
report $? "one that is not there"
"$judge" --workload calm "$toy/" 2>"$scratch/err"
[ $? -eq 1 ] && grep -q "toy/ has no workload 'calm'" "$scratch/err"
report $? "a workload that it has not"
FAULT=rare "$judge" --smallest --events 2000 "$toy/" | grep -q 'breach: --workload steady --events 500$'
report $? "the smallest run with a breach"
FAULT=hang "$judge" "$toy/" 2>"$scratch/err" &
sleep 0.5
kill -INT $!
wait $!
[ $? -eq 5 ] && grep -q interrupted "$scratch/err" && ! pgrep -f "toy.py $scratch" >/dev/null
report $? "Ctrl-C ends the adapter, too"
"$judge" --list | grep -q '^lttng_ust$'
report $? "the adapters of the tree are listed"
plan
