#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_programs.sh BUILD   Preloaded tracers record what a program does, threads and all, and their times
# are right; each planted fault is seen; what cannot be traced is one line. TAP.
. tests/support/tap.sh
build=$1
chmod 755 "$scratch" # root's programs run as nobody
judge="python3 -B extras/programs/judge.py"
programs="python3 -B extras/programs/programs.py $build --json $scratch/json"
${CC:-gcc} -O1 -fno-builtin -pthread tests/programs/traced.c -o "$scratch/traced" &&
	${CC:-gcc} -O1 -fno-builtin -pthread -static tests/programs/traced.c -o "$scratch/static" &&
	${CC:-gcc} -O1 -fno-builtin -pthread -finstrument-functions tests/programs/traced.c -o "$scratch/hooks" || exit 1

# runs SET LIBRARY MODE COMMAND...: its files are in $scratch/run.
runs() {
	kind=$1 preloaded=$2 mode=$3
	shift 3
	rm -rf "$scratch/run" && mkdir "$scratch/run"
	timeout 20 env STAMPEDE_FOLDER="$scratch/run" STAMPEDE_MODE="$mode" LD_PRELOAD="$preloaded" "$@" &&
		$judge "$kind" "$mode" "$scratch/run" >"$scratch/said" 2>"$scratch/err"
}

# judged NAME WORDS: what the judge said has WORDS.
judged() {
	grep -q -- "$2" "$scratch/said"
	report $? "$1"
	grep -q -- "$2" "$scratch/said" || head -5 "$scratch/said" "$scratch/err" | sed 's/^/# /'
}

# Of 1000 allocations 100 are made larger: 2200 events. Two in each thread; the child's are not recorded.
# What the C library allocates for a thread it frees at the end, or keeps.
counted() { # LEAST MOST: events of $scratch/said
	sed -n 's/.* \([0-9]*\) events:.*/\1/p' "$scratch/said" | awk -v least="$1" -v most="$2" \
		'{ if ($1 >= least && $1 <= most) good = 1; else print "# " $1 " events" } END { exit !good }'
}
for row in packed_word varint_low full_tsc; do
	runs malloc "$build/programs/malloc.$row.judged.so" write "$scratch/traced"
	report $? "$row: malloc in threads is judged, and right"
	judged "$row: one process, and its four threads" "^1 processes, 4 threads, .* 0 counted as lost, .*; 0 wrong"
	counted 13200 13220
	report $? "$row: 13,200 events, and few of the C library"
	runs calls "$build/programs/calls.$row.judged.so" write "$scratch/traced"
	judged "$row: 3000 calls of read" "^1 processes, 3 threads, 3000 events: 3000 read, 0 .*; 0 wrong"
done
# The entries of main, thread and allocate, and as many exits: main's, too, as it returns.
runs functions "$build/programs/functions.packed_word.judged.so" write "$scratch/hooks"
judged "functions: 20 entries and exits" " 20 events: 20 read, .*; 0 wrong"

library=$build/programs/malloc.packed_word.judged.so
runs malloc "$library" discard "$scratch/traced" many
judged "a full ring that discards: all others are counted as lost" " 66000 events: [0-9]* read, [0-9]\{5\} counted as lost, 0 .*; 0 wrong"
runs malloc "$library" overwrite "$scratch/traced" many
judged "one that overwrites has the newest, without a hole" " 66000 events: [0-9]* read, 0 counted as lost, [0-9]\{5\} overwritten, .*; 0 wrong"
runs malloc "$build/programs/malloc.none.so" count "$scratch/traced" many
awk '$1 == 0 && $2 == 66000 { good = 1 } END { exit !good }' "$scratch"/run/*.counts
report $? "and who only interposes counts as many"

# ---- planted: the judge sees it ----

# faulty NAME WORDS SED: the header changed so; the judge says WORDS.
faulty() {
	name=$1 expected=$2
	mkdir -p "$scratch/faulty" && cp "$build/take/packed_word_reader.h" "$scratch/faulty"
	sed "$3" "$build/take/packed_word.h" >"$scratch/faulty/packed_word.h"
	! cmp -s "$scratch/faulty/packed_word.h" "$build/take/packed_word.h"
	report $? "$name: applies"
	${CC:-gcc} -std=gnu11 -O2 -D_GNU_SOURCE -w -I. -fPIC -shared -fvisibility=hidden -fno-builtin-malloc \
		-fno-builtin-calloc -pthread -DJUDGED -DROW=packed_word -DHEADER="\"$scratch/faulty/packed_word_reader.h\"" \
		extras/programs/malloc.c -o "$scratch/faulty.so" -ldl
	runs malloc "$scratch/faulty.so" write "$scratch/traced"
	[ $? -eq 2 ]
	report $? "$name: exit code 2"
	judged "$name is seen" "$expected"
}
faulty "a gap longer than the field is not seen" "is not within" \
	's/packed_word_unlikely((packed_word_packed_upper(ring, stamp) ^ tail) >> packed_word_ring_packed_bits(ring) ||/packed_word_unlikely(/'
faulty "a stamp without its upper bits" "is not within" \
	's/(stamp & packed_word_bits_mask(bits)) << PACKED_WORD_CTF_ID_BITS/(stamp \& packed_word_bits_mask(bits - 12)) << PACKED_WORD_CTF_ID_BITS/'
faulty "payloads that are not written" "was never recorded" 's/memcpy(rsv->payload, src->payload, len);/(void)rsv; (void)src; (void)len;/'
# What is logged beside it is not taken on trust: files with an event removed, moved and freed twice.
runs malloc "$library" write "$scratch/traced"
cp "$scratch"/run/*.decoded.1 "$scratch/events"
planted() { # NAME WORDS PYTHON: about `its`, the 64-bit words of thread 1's events
	cp "$scratch/events" "$scratch"/run/*.decoded.1
	python3 - "$scratch"/run/*.decoded.1 <<-END
		import array, sys
		its = array.array("Q", open(sys.argv[1], "rb").read())
		$3
		open(sys.argv[1], "wb").write(its.tobytes())
	END
	$judge malloc write "$scratch/run" >"$scratch/said" 2>"$scratch/err"
	judged "$1" "$2"
}
planted "an event that is gone" "4400 counted, 0 lost, 4399 read" "del its[500:505]"
planted "an event read twice" "event 100 comes after 100" "its[500:500] = its[500:505]"
planted "a time that goes back" "goes back by" "its[504] = its[499] - 1"
if command -v babeltrace2 >/dev/null; then
	planted "other times than another reader's" "or other times" "its[504] += 1"
else
	skip "other times than another reader's" "no babeltrace2"
fi
python3 - <<'END' >"$scratch/said"
import sys
sys.path.insert(0, "extras/programs")
from judge import Judged, judge_allocations, judge_functions
its = [Judged() for _ in range(5)]
judge_allocations(its[0], "a", [(1, 1, 7, 0), (2, 2, 7, 0), (3, 1, 7, 0), (2, 1, 9, 0)], True)
judge_allocations(its[1], "a", [(1, 1, 7, 0), (2, 1, 7, 0)], True)
judge_allocations(its[2], "a", [(5, 1, 7, 0), (4, 2, 7, 0)], True)
judge_functions(its[3], "f", [(1, 1, 7, 0), (2, 1, 8, 0), (3, 2, 8, 0), (4, 2, 7, 0)], True)
judge_functions(its[4], "f", [(1, 1, 7, 0), (2, 1, 8, 0), (3, 2, 7, 0), (4, 2, 8, 0)], True)
print(*[len(one.wrong) for one in its])
END
judged "allocated twice, freed before, left in the wrong order" "^0 1 1 0 2$"

# ---- the command ----

says "a program that is not there" 4 "gone is left out: no /gone/program" \
	$programs --programs "" --command "gone=/gone/program" --rows packed_word --rounds 1
$programs --programs "" --command "gone=/gone/program" --command "crash=$scratch/traced crash" \
	--command "static=$scratch/static" --command "mine=$scratch/traced many" --rows "packed_word full_tsc" \
	--sets malloc --rounds 2 >"$scratch/out" 2>"$scratch/err"
report $? "a program that is there is measured nonetheless"
grep -q '^stampede: crash is left out: ended by SIGSEGV$' "$scratch/err"
report $? "a program that crashes is one line"
grep -q '^stampede: static: .*the library did not attach' "$scratch/err"
report $? "one that is linked statically, too"
[ "$(grep -c '^mine .*66000' "$scratch/out")" = 3 ] && grep -q '^mine .*packed_word .* right$' "$scratch/out"
report $? "a line for each tracer, judged"
finds "and the record has it" "$scratch/json" "[(one['by'], one['events'], one['percent']['low']) for one in \
r['programs'][0]['results'][1:]] == [(by, 66000, None) for by in ('none', 'packed_word', 'full_tsc')] and \
r['programs'][0]['results'][0]['by'] == 'untraced' and 20 < r['programs'][0]['results'][2]['bytes'] < 21 and r['programs'][0]['rounds'] == 2"

# All of a round share a CPU, at the same time.
: >"$scratch/log" && chmod 666 "$scratch/log"
cat >"$scratch/show" <<END
#!/bin/sh
echo start \$(sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status) >>$scratch/log
[ "\${STAMPEDE_MODE:-count}" = count ] && sleep 2
echo end >>$scratch/log
END
$programs --programs "" --command "show=/bin/sh $scratch/show" --rows packed_word --sets malloc --rounds 1 \
	>"$scratch/out" 2>"$scratch/err" && tail -8 "$scratch/log" |
	awk -v cpu="$(python3 -c 'import os; print(max(os.sched_getaffinity(0)))')" '
	NR <= 4 { started += $1 == "start" && $2 == cpu } NR > 4 { ended += $1 == "end" }
	END { exit !(started == 4 && ended == 4) }'
report $? "untraced twice, interposed and traced: at the same time, on one CPU"
says "a row that is not known" 1 "is unknown; choose from" $programs --rows narrow
python3 -c '
import sys
sys.path.insert(0, "extras/programs")
from programs import interval
its = interval(range(1, 42))
sys.exit((its["low"], its["middle"], its["high"]) != (14, 21, 28) or interval(range(5))["low"] is not None)'
report $? "intervals as in base/stats.h: of 41 values the 14th and the 28th"
python3 -c '
import sys
sys.path.insert(0, "extras/programs")
from programs import known, results
one = {("untraced", None): 0.9, ("again", None): 1.1, ("malloc", "none"): 1.2, ("malloc", "a"): 1.5, ("malloc", "b"): 2.0}
rounds = [{key: (factor * cpu, (1000000, 0, 0, 2)) for key, cpu in one.items()} for factor in [1] * 6 + [2]]
its = results(rounds, {"malloc": {"a": {}, "b": {}}}, {("malloc", "b"): 0.1})
its = [[round(one[key]["middle"]) if one.get(key) else None for key in ("percent", "more_percent", "row_percent", "ns")]
       for one in its]
wide = {"percent": {"low": 9, "middle": 10, "high": 12}, "cpu_s": 2, "plain_s": 1}
print(its, known(wide, 1), known(wide, 0.9), known({**wide, "cpu_s": 1}, 1))
' >"$scratch/said"
judged "slow-downs against both untraced runs, and those against each other" \
	"^\[\[20, None, None, None\], \[20, None, None, None\], \[50, None, 30, 300\], \[100, 50, 80, 600\]\] True False False$"
plan
