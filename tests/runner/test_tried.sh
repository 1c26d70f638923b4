#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_tried.sh BUILD   Do run-stress, bench, record, report and guide say "kept" only of what
# the same run tried? Each trial is taken away in turn, and the word has to change. TAP.
build=$1
. tests/support/tap.sh

words() { # FILE of run-stress or a bench: promise=word of packed_upper, the row's word last
	python3 -c "
import json, sys
its = json.load(open(sys.argv[1]))
its = its['trials'] if isinstance(its, dict) else its
its = next(one for one in its if one['row'] == 'packed_upper')
print(*(f'{promise}={word}' for promise, word in its['promises'].items()), its['verdict'],
      sep='\n')" "$1"
}

stress() { # TRIALS ROW: words of a short storm with these trials
	STAMPEDE_TRIALS=$1 "$build/run-stress" --schemes "=$2" --seconds 0.1 \
		--json "$scratch/stress.json" >"$scratch/out" 2>&1
	words "$scratch/stress.json" >"$scratch/words"
}

all="gaps interrupts slow steps timed cheap"
stress "$all" packed_upper
[ "$(grep -c '=kept$' "$scratch/words")" -eq 6 ] && [ "$(tail -1 "$scratch/words")" = kept ]
report $? "with all trials all six promises of packed_upper are kept"
while read -r trials lost; do
	stress "$(echo "$trials" | tr , ' ')" packed_upper
	[ "$(grep 'not tried' "$scratch/words" | paste -sd ' ')" = "$lost=not tried not tried" ] &&
		grep -q "^packed_upper.*: not tried" "$scratch/out" &&
		grep -q "$lost not tried" "$scratch/out"
	report $? "without a trial of it $lost is not tried, and so is the row"
done <<END
interrupts,slow,steps wrap_proof
gaps,interrupts,steps,timed,cheap bounded
gaps,interrupts,slow step_proof
END
stress "gaps interrupts slow steps cheap" packed_upper
grep -q "not tried: the timed code on the virtual clock" "$scratch/out"
report $? "run-stress says that the timed code was not tried"

bench() { # TRIALS WORKLOADS [COMMAND...]: a small bench, its output in out
	trials=$1 workloads=$2
	shift 2
	STAMPEDE_TRIALS=$trials "$@" "$build/bench" --quick --schemes =packed_upper --workloads \
		"$workloads" --repetitions 1 --results "$scratch/r" >"$scratch/out" 2>&1
}

page() { # its words on one line
	sed 's/<[^>]*>//g' "$scratch/r/latest/report.html" | tr -s ' \n' ' '
}

bench "$all" steady
grep -q '^packed_upper *not stormed' "$scratch/out" &&
	grep -q "Not tried: signals: no storm was run" "$scratch/out" &&
	page | grep -q "Not tried: signals: no storm was run"
report $? "a bench without a storm says so, in the terminal and in the report"
bench "gaps" steady
words "$scratch/r/latest/bench.json" >"$scratch/words"
grep -q '^packed_upper *not tried' "$scratch/out" && [ "$(tail -1 "$scratch/words")" = "not tried" ] &&
	[ "$(grep -c '=not tried' "$scratch/words")" -eq 5 ] &&
	! page | grep -q "No promise was broken\|[0-9] rows* kept" &&
	page | grep -q "did not try: those of packed_upper"
report $? "with gaps alone all but wrap_proof is not tried, and nobody says kept"
PYTHONPATH=plots python3 -B -c "import guide, record, sys
print(guide.needs(record.load(sys.argv[1])))" "$scratch/r/latest" >"$scratch/needs" && ! grep -q packed_upper "$scratch/needs"
report $? "the guide does not name a row that was not tried"
if [ "$(nproc)" -gt 1 ]; then
	bench "$all" "steady storm" taskset -c "$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')"
	grep -q "Not tried: signals from another CPU" "$scratch/out"
	report $? "on one CPU a bench says that no other CPU sent a signal"
else
	skip "on one CPU a bench says so" "there is one CPU alone"
fi
# A recorded verdict is found by a hash of the row as the explorer builds it: narrow, which no other build is.
sh tests/cases/tree.sh "$scratch/tree"
hash_of() { printf 'packed_word\tpacked_word\t\n' | (cd "$scratch/tree" && python3 -B explore/known.py sources "${CC:-gcc}" "$scratch"); }
before=$(hash_of)
sed -i 's/(SEAM_NARROW_BITS + LAYOUT_CUT)$/(SEAM_NARROW_BITS + LAYOUT_CUT + 1)/' "$scratch/tree/schemes/core/widths.h"
[ "$(echo "$before" | grep -c packed_word)" -eq 1 ] && [ "$(hash_of)" != "$before" ]
report $? "a row that is narrowed in another way is not the one that was explored"
plan
