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
gcc -O2 -D_GNU_SOURCE -I. -shared -fPIC extras/tracers/vclock.c -o "$toy/vclock.so" && head -c 4096 /dev/zero >"$scratch/page" &&
	EVERY_PAGE="$scratch/page" LD_PRELOAD="$toy/vclock.so" python3 -B tests/tracers/vclock.py >"$scratch/out" 2>"$scratch/err"
told $? "all clocks are one word, and masks block neither a step nor its limit"
# What is said of the files of a run, in which here() has its own place.
mkdir "$scratch/told" "$scratch/files"
echo '{"tracer": "told", "workloads": ["every"], "promises": {"window": {}, "order": {}, "losses": {}}}' >"$scratch/told/adapter.json"
fake "$scratch/told/run" <<'END'
cp "$TOLD"/* "$1"
exit "$CODE"
END
printf 'int here(int n)\n{\n\treturn n;\n}\n' >"$scratch/here.c" && gcc -g -shared "$scratch/here.c" -o "$scratch/a so.so"
at=$(nm "$scratch/a so.so" | sed -n 's/^0*\(.*\) T here$/\1/p')
pc=$(printf %x $((0x7f0000000000 + 0x$at)))
for file in truth decoded maps plans said quiet ended; do
	sed "/^= $file\$/,/^=/!d;/^=/d;s,SCRATCH,$scratch,;s,PC,$pc,;s,AT,$at," "$(table every_told)" >"$scratch/files/$file"
done
export TOLD="$scratch/files" CODE=0
"$judge" --rounds 2 --json "$scratch/json" "$scratch/told/" 2>&1 | diff "$TOLD/said" - >"$scratch/err"
told $? "plans and plays of both rounds, and the instruction of each breach"
finds "and in the JSON" "$scratch/json" "r[0]['every'] == {'plans': 8, 'instructions': 60, 'first': 90, 'masked': 3, 'interrupts': 42, 'stuck': 4}"
echo 'plan 0 40 11 0' >"$TOLD/plans"
"$judge" "$scratch/told/" 2>&1 | sed -n '2p;3{/events in handlers/p}' | diff "$TOLD/quiet" - >"$scratch/err"
told $? "nothing of what did not happen"
rm "$TOLD/plans"
says "no plans, though what was judged is said" 2 'cannot read .*/plans' "$judge" "$scratch/told/"
while IFS='|' read -r page wanted; do
	CODE=${page##* }
	python3 -c 'import struct, sys
sys.stdout.buffer.write(struct.pack("<QQQQQIIIiI4x", 1, 2, int(sys.argv[1]), int(sys.argv[3], 16), 77, 1, 20, 3, 9, 0)[:int(sys.argv[2])])' \
		$(echo "$page" | cut -d' ' -f1-2) "$pc" >"$TOLD/page"
	said=$("$judge" "$scratch/told/" 2>&1)
	[ "$said" = "stampede: $wanted" ]
	report $? "state, bytes and exit code $page: $said"
done <"$TOLD/ended"
unset TOLD CODE
gcc -O2 -g -fno-plt -D_GNU_SOURCE -I. tests/tracers/toy_every.c extras/tracers/driver.c extras/tracers/every.c -pthread -o "$toy/toy" || exit 1
"$toy/toy" "$toy/none" every 0 0
[ $? = 1 ]
report $? "no page, no run"
# Which event interrupts each instruction of a small tracer, and when: by plan, with its truth.
python3 - "$toy" "$scratch" <<'END' >"$scratch/small" 2>"$scratch/err"
import os, subprocess, sys
toy, folder = sys.argv[1:]
said = subprocess.run(["nm", toy + "/toy"], stdout=subprocess.PIPE, text=True, check=True).stdout
begin, end = (int(line.split()[0], 16) for line in sorted(said.splitlines()) if line.endswith((" small", " small_end")))
number = {}  # of a stop, by its place
for options in ("", "TURNS=2 WRAP=20 THREADS=0", "DEPTH=2", "CLOCK=tsc AT=1", "STRIDE=3", "AT=9:{0[10]}", "AT=2:{0[6]}:{0[16]} DEPTH=3", "AT=12:3 THREADS=0", "AT=1:9999 THREADS=0"):
    its = dict(os.environ, EVERY_PAGE=folder + "/page", LD_PRELOAD=toy + "/vclock.so", EVERY_CLOCK="clock_gettime", FAULT="small")
    its.update(("EVERY_" + one.split("=")[0], one.split("=")[1]) for one in options.format(number).split())
    with open(folder + "/page", "wb") as page:
        page.write(bytes(4096))
    print("=", options, subprocess.run([toy + "/toy", folder, "every", "0", "0"], env=its, timeout=60).returncode)
    base = int(open(folder + "/maps").read().split("-")[0], 16)
    events = {int(line.split()[2]): [int(one) for one in line.split()[1:]] for line in open(folder + "/truth")}
    last, unfired, stream, fired, most, told = events[0][2] - 1000, 0, 0, 0, 0, {}
    for line in open(folder + "/plans"):
        word, *words = line.split()
        first, count, plan, k = (int(one) for one in (words + [0, 0])[:4])
        if word == "plan":  # how many instructions there are around these is the compiler's affair
            left = 0 if ":" in options else (count - most) // int(its.get("EVERY_STRIDE", 1))
            print(*(f"{text} {' '.join(pcs)}" for text, pcs in told.items()), f"plan {first}: {left} {plan - fired} {k}", sep="\n")
            fired, most, told = 0, 0, {}
        elif word == "play":
            pcs = [int(one, 16) - base - begin for one in words[5:] if one != "0"]
            mine = [events[one] for one in range(first, count + 1)]
            fired += len(pcs)
            if pcs and all(0 <= one < end - begin for one in pcs):
                number.setdefault(pcs[0], k)
                # A repeated instruction has one breakpoint, one after rdtsc none, where the CPU has any.
                tries = "" if unfired == (pcs[0] in (30, 33, 45) and 3 * int(its.get("EVERY_TURNS", 1)) + 1) or not unfired else f"({unfired})"
                text = " ".join(f"{one[0] and one[0] - stream},{one[1] - first}@{one[2] - mine[0][2]}-{one[3] - mine[0][2]}" for one in mine)
                if "STRIDE" in options:
                    told[f"{plan}: {(k - 1) % 3} of 3"] = []
                elif "DEPTH" not in options or pcs[0] == 6:
                    told.setdefault(f"{plan}: {mine[0][2] - last}: {text}:", []).append("/".join(map(str, pcs)) + tries)
            unfired, most = 0 if pcs else unfired + 1, max(most, k)
            last, stream = mine[0][3], max(stream, *(one[0] for one in mine))
    print(line, end="")
END
diff "$scratch/small" "$(table every_small)" >>"$scratch/err"
told $? "each instruction of a small tracer is interrupted as its plan says"
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
		assert run["every"]["interrupts"] > 50 and run["events"] > 100 and run["every"]["masked"] <= run["every"]["instructions"], run
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
	[ "$said" = "$expected" ] && { [ "$said" = "${said%stuck}" ] || grep -q 'aborted, the first at .*toy_every.c:' "$scratch/out"; }
	told $? "fault '$fault' $options: ${expected:-nothing is broken}: $said"
	at=$(sed -n 's/.*again: --at //p' "$scratch/out" | head -1)
	[ -n "$at" ] || continue
	grep -qE "^ {13}in [^ ].*; again: --at $at\$" "$scratch/out"
	report $? "where: $(grep -m1 'again: ' "$scratch/out")"
	# shellcheck disable=SC2086
	FAULT=$fault "$judge" $options --at "$at" "$toy/" >"$scratch/out" 2>"$scratch/err"
	[ $? = 2 ]
	report $? "and again by --at $at"
done <"$(table every_faults)"
while read -r fault code words; do
	says "fault '$fault': one line, $words" "$code" "$words" env FAULT="$fault" EVERY_STEPS=20000 "$judge" --timeout 5 "$toy/"
done <"$(table every_refused)"
says "an --at that is none" 1 "99:x: wants PLAN" "$judge" --at 99:x "$toy/"
adapter tsc
FAULT=tsc "$judge" --json "$scratch/json" "$toy/" >"$scratch/out" && grep -q 'order *kept' "$scratch/out"
told $? "a tracer that reads the TSC, which adapter.json says: kept"
BUILD=$(cd "$1" && pwd) "$judge" --workload every --stride 9 --json "$scratch/json" extras/tracers/lttng_ust/ >"$scratch/out" 2>"$scratch/err"
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
