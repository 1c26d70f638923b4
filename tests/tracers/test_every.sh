#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_every.sh BUILD   Workload `every` of judge-tracer: a right tracer is kept at each of its instructions, a
# planted race of each class is found, and its --at shows it again. TAP.
. tests/support/tap.sh
judge=$1/judge-tracer
toy=$scratch/toy
mkdir "$toy"
if [ "$(uname -m)" != x86_64 ]; then
	skip "every" "steps on x86-64 only"
	plan
	exit
fi
gcc -O2 -fno-plt -D_GNU_SOURCE -I. tests/tracers/toy_every.c extras/tracers/driver.c extras/tracers/every.c -pthread -o "$toy/toy" &&
	gcc -O2 -D_GNU_SOURCE -I. -shared -fPIC extras/tracers/vclock.c -o "$toy/vclock.so" || exit 1
cat >"$toy/run" <<'END_RUN'
#!/bin/sh
head -c 4096 /dev/zero >"$1/page"
EVERY_PAGE="$1/page" LD_PRELOAD="${0%/*}/vclock.so" exec "${0%/*}/toy" "$@"
END_RUN
chmod +x "$toy/run"
adapter() { # clock
	cat >"$toy/adapter.json" <<-END
		{"tracer": "toy", "unit": "ns", "workloads": ["every"], "one_order": true,
		 "every": {"clock": "$1", "wrap": 27},
		 "promises": {"order": {}, "window": {}, "whole": {}, "losses": {}}}
	END
}

broken() { # the broken promises of $scratch/json, and whether an event never returned
	python3 - "$scratch/json" <<-END
		import json, sys
		run = json.load(open(sys.argv[1]))[0]
		assert run["every"]["interrupts"] > 50 and run["events"] > 100, run
		print(*[name for name, one in run["promises"].items() if one["verdict"] == "broken"],
		      *["stuck"] * (run["every"]["stuck"] > 0))
	END
}

adapter clock_gettime
while read -r fault options expected; do
	options=$(echo "${options#none}" | tr , ' ')
	# shellcheck disable=SC2086
	FAULT=$fault "$judge" $options --json "$scratch/json" "$toy/" >"$scratch/out" 2>"$scratch/err"
	said=$(broken || echo nothing ran)
	[ "$said" = "$expected" ]
	told $? "fault '$fault' $options: ${expected:-nothing is broken}: $said"
	at=$(sed -n 's/.*again: --at //p' "$scratch/out" | head -1)
	[ -n "$at" ] || continue
	grep -qE "^ {13}in [^ ].*; again: --at $at\$" "$scratch/out"
	report $? "where: $(grep -m1 'again: ' "$scratch/out")"
	# shellcheck disable=SC2086
	FAULT=$fault "$judge" $options --at "$at" "$toy/" >"$scratch/out" 2>"$scratch/err"
	[ $? = 2 ]
	report $? "and again by --at $at"
done <<'END'
none none 
none --depth=2,--stride=7
claim none losses
order none order
delta --at=2 window
scratch none whole losses
guard none losses
counted none 
deep none 
deep --depth=2,--at=0,--stride=7 losses
masked --at=0
masked --at=8 losses
first --at=0
first --at=10 whole losses
stuck --at=1 losses stuck
END
while read -r fault code words; do
	says "fault '$fault': one line, $words" "$code" "$words" env FAULT="$fault" EVERY_STEPS=20000 "$judge" --timeout 5 "$toy/"
done <<'END'
raw 1 toy blocks SIGTRAP by a system call of its own, last in
tsc 1 toy reads the TSC in
fork 1 toy starts a process in its event
endless 1 toy: an event does not return after 20001 instructions, last in record
END
says "an --at that is none" 1 "99:x: wants PLAN" "$judge" --at 99:x "$toy/"
adapter tsc
FAULT=tsc "$judge" --json "$scratch/json" "$toy/" >"$scratch/out" && grep -q 'order *kept' "$scratch/out"
told $? "a tracer that reads the TSC, which adapter.json says: kept"
BUILD=$(cd "$1" && pwd) "$judge" --workload every --stride 9 --json "$scratch/json" lttng_ust >"$scratch/out" 2>"$scratch/err"
if [ $? = 4 ]; then
	skip "LTTng-UST" "$(cat "$scratch/err")"
else
	python3 - "$scratch/json" <<-'END'
		import json, sys
		run = json.load(open(sys.argv[1]))[0]
		assert run["every"]["interrupts"] > 1000 and run["every"]["instructions"] > 500, run
		assert run["events"] == run["decoded"] and not any(one["seen"] for one in run["promises"].values()), run
	END
	told $? "LTTng-UST at every ninth instruction: nothing is wrong, nothing is lost"
fi
plan
