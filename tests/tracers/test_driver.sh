#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_driver.sh BUILD   The workloads of extras/tracers/driver.c themselves: a weaker one would have every
# tracer kept. TAP.
. tests/support/tap.sh
build=$1
judge=$build/judge-tracer
export BUILD="$build"
mkdir "$scratch/measure"
measure=$scratch/measure/measure
${CC:-gcc} -O2 -D_GNU_SOURCE -I. -fsanitize=address,undefined -fno-sanitize-recover=all tests/tracers/measure.c extras/tracers/driver.c \
	extras/tracers/every.c -pthread -o "$measure"
export ASAN_OPTIONS=allocator_may_return_null=1:exitcode=99 UBSAN_OPTIONS=exitcode=99
mkfifo "$scratch/clock"
exec 3<>"$scratch/clock"
"$measure" "$scratch" step 8 1 >"$scratch/out" && echo >&3 && read -r said <&3 && [ "$said" = "....-1.5..+0.5.." ]
told $? "the wall clock steps back after half of the events, and on after three quarters: $said"
rm "$scratch/clock"
for price in "price 60" "price-cold 30"; do
	for try in 1 2 3 4 5; do # a busy machine may disturb some
		"$measure" "$scratch" ${price% *} 15 1 | grep -q ": ${price#* } events, masks 1, 1 deep" &&
			awk -v least=20000 -v most=45000 '$1 >= least && $2 >= least { above++ } $1 <= most && $2 <= most { below++ }
				END { exit !(NR == 15 && above && below) }' "$scratch/price" && break
	done
	told $? "$price: 15 batches of two events of 30 us each"
done
while IFS="|" read -r code limit arguments; do
	(trap '' XFSZ && eval "exec prlimit --$limit '$measure' '$scratch'$arguments" >"$scratch/out" 2>"$scratch/err")
	got=$?
	[ $got -eq "$code" ]
	told $? "$arguments, with $limit: exit code $got"
done <"$(table driver_ends)"
says "replay without its gaps" 1 'no gaps in /none' env GAPS=/none "$measure" "$scratch" replay 50 1
says "replay without any" 1 "no gaps in ''" "$measure" "$scratch" replay 50 1
says "a clock that cannot step" 1 '/clock: this clock cannot step' "$measure" "$scratch" step 50 1
echo '{"tracer": "measure", "workloads": ["steady", "threads", "signals", "stall", "replay"], "promises": {"window": {}, "whole": {}, "losses": {}, "causal": {}}}' >"$scratch/measure/adapter.json"
fake "$scratch/measure/run" <<-'END'
	"${0%/*}/measure" "$@" >&2 || exit
	# The effect that $EARLY counts from the first is a nanosecond before its cause.
	[ -z "$EARLY" ] || awk -v n="$EARLY" -v CONVFMT=%.0f 'FNR == NR && /^after/ && ++k == n { cause = $3; effect = $5 }
		FNR != NR { if ($2 == 0 && $3 == cause) time = $4; line[++lines] = $0 }
		END { for (i = 1; i <= lines; i++) { split(line[i], w); print w[2] == 1 && w[3] == effect ? "event 1 " effect " " (time - 1) : line[i] } }' \
		"$1/truth" "$1/decoded" >"$1/early"
	[ -z "$EARLY" ] || mv "$1/early" "$1/decoded"
END
# On a clock that each look moves on by 7 ns, a gap takes as long as it is drawn, and no longer.
printf 'log2_bucket,lo_ns,hi_ns,count\n9,512,1023,3\n,,,\n14,20000,30000,1\n' >"$scratch/gaps"
head -c 4095 /dev/zero | { printf '\1' && cat; } >"$scratch/page"
gcc -O2 -D_GNU_SOURCE -I. -shared -fPIC extras/tracers/vclock.c -o "$scratch/vclock.so" &&
	ASAN_OPTIONS=verify_asan_link_order=0 GAPS=$scratch/gaps EVERY_PAGE=$scratch/page LD_PRELOAD=$scratch/vclock.so "$measure" "$scratch" replay 60 1 >"$scratch/out" 2>"$scratch/err"
awk '/^event/ { print $4 - last; last = $4 }' "$scratch/truth" | diff "$(table driver_replay)" - >>"$scratch/err"
told $? "replay: gaps that are drawn, from all of a bucket"
ASAN_OPTIONS=verify_asan_link_order=0 EVERY_PAGE=$scratch/page LD_PRELOAD=$scratch/vclock.so "$measure" "$scratch" price-cold 15 1 >"$scratch/out" 2>"$scratch/err"
[ "$(sort "$scratch/price" | uniq -c | tr -s ' ')" = " 15 31010.000 31010.000" ]
told $? "price-cold: the upper of two, without what the clock's own reads take: $(sort -u "$scratch/price" | tr '\n' ' ')"
printf 'log2_bucket,lo_ns,hi_ns,count\n19,1000000,1000000,3\n22,6000000,6000000,1\n' >"$scratch/gaps"
measured() { # WORKLOAD EVENTS EXPRESSION NAME: about the gaps, sorted, between entries of stream 0, and what run has said
	for try in 1 2 3 4 5 6 7 8 9 10; do # on a busy machine all timers have come when the thread comes back
		"$judge" --workload "$1" --events $2 --gaps "$scratch/gaps" --keep "$scratch/kept" --json "$scratch/json" "$scratch/measure/" >"$scratch/out" 2>"$scratch/deep"
		code=$?
		[ "$1" != signals ] || grep -q ': 4 deep' "$scratch/deep" && break
	done
	python3 - "$scratch" "$code" "$3" <<-'END' 2>"$scratch/err"
		import json, re, sys
		entry = [int(line.split()[3]) for line in open(sys.argv[1] + "/kept/truth") if line.startswith("event 0 ")]
		truth = [line.split() for line in open(sys.argv[1] + "/kept/truth")]
		exit_of, entry_of = ({(word[1], word[2]): int(word[at]) for word in truth if word[0] == "event"} for at in (4, 3))
		afters = [exit_of["0", word[2]] <= entry_of["1", word[4]] for word in truth if word[0] == "after"]
		lasts = [exit_of.get(("0", str(int(word[2]) + 1)), 1 << 70) > entry_of["1", word[4]] for word in truth if word[0] == "after"]
		causes = [int(word[2]) for word in truth if word[0] == "after"]
		gaps = sorted(b - a for a, b in zip(entry, entry[1:]))
		count, masks, deep = re.search(r": (\d+) events, masks (\w+), (\d+) deep", open(sys.argv[1] + "/deep").read()).groups()
		causal = json.load(open(sys.argv[1] + "/json"))[0]["promises"]["causal"]
		code = int(sys.argv[2])
		assert eval(sys.argv[3]) and code == 2 * causal["seen"], (len(entry), deep, afters, causal, code, gaps[len(gaps) // 2], gaps[-8:])
	END
	told $? "$4"
}
measured steady 2000 'len(entry) == 2000 and (count, masks, deep) == ("2000", "1", "1")' "steady: one at a time"
measured steady "160 --every 16" '[bool(one) for one in entry] == [not n % 16 for n in range(160)]' "and the clock is read around one event in 16"
measured signals 4000 'len(entry) == 4000 and (masks, deep) == ("8b", "4")' "signals: each of three levels interrupts those below it"
measured replay 100 'gaps[0] >= 1e6 and 12 <= sum(gap >= 6e6 for gap in gaps) and gaps[50] < 6e6' \
	"replay: gaps as long as the file says, and in its shares"
measured threads 4000 'len(entry) == 2000 and code == 0 and len(afters) >= 10 and all(afters) and 2 * sum(lasts) > len(afters) and causes == sorted(set(causes)) and causal["tried"] == len(afters)' "threads: events of the second answer some of the first"
EARLY=3 measured threads 4000 'code == 2 and (causal["seen"], causal["worst"]) == (1, 1)' "and one of them that is too early is found"
"$judge" --workload threads --events 140000 extras/tracers/floor/ >"$scratch/out" 2>"$scratch/err" &&
	grep -q ': 140000 events, 131072 decoded, 8928 counted as lost$' "$scratch/out" && grep -q 'losses *kept' "$scratch/out"
told $? "an array of the last events of each thread, and a count of the others"
"$judge" --price --rounds 3 --events 1000 --json "$scratch/json" extras/tracers/floor/ >"$scratch/out" 2>&1
python3 - "$scratch/json" <<-END
	import json, sys
	floor = json.load(open(sys.argv[1]))[0]
	assert floor["ratio"] == 1 and floor["rounds"] == 3 and 0 < floor["ns"] < 1e4 and floor["judging"] > 0, floor
END
report $? "a price, and what judging adds to it"
"$judge" --price --evict --rounds 1 --events 15 --json "$scratch/cold" extras/tracers/floor/ >"$scratch/out" 2>&1
python3 - "$scratch/json" "$scratch/cold" <<-END
	import json, sys
	warm, cold = (json.load(open(name))[0]["ns"] for name in sys.argv[1:])
	assert cold > 3 * warm, (warm, cold)
END
report $? "after the caches were evicted an event costs more"
measured stall 6600 '([(n, (entry[n] - entry[n - 1]) // 10**10) for n in range(1, 6600) if entry[n] - entry[n - 1] >= 10**10] ==
	[(n, 250 if n in (128, 320) else 2) for n in range(64, 6400, 64)])' "stall: two pauses of 2.5 s, and 97 of 20 ms"
plan
