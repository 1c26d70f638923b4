#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_one_verdict.sh BUILD   bench, run-stress and explore have one word for a new row, right, wrong or crashing; "Take" too. TAP.
# MUTANTS=N, PART=K: and for the Kth (0) N (3, at most 50) of the known faults in schemes' headers, each a row.
. tests/support/tap.sh
build=$1 tree=$scratch/tree
[ "$(uname -m)" = x86_64 ] || {
	skip "one verdict" "the explorer searches x86-64 code"
	plan
	exit
}
# What is known of a row is of its very source: recorded, or found by make bench.
mkdir -p "$scratch/known/judge" "$scratch/known/explored"
printf '{ "%s", "%s" },\n' kept 0a broken 0b found 0c again 0d none 0e >"$scratch/known/sources.inc"
long=$(printf '%070d' 7)
sed "s/LONG/$long/" "$(table known_recorded)" >"$scratch/known/judge/explored.def"
cp "$(table known_found)" "$scratch/known/explored/known"
cat >"$scratch/known/main.c" <<'END'
#include <stdio.h>
#include "judge/known.h"
int main(int argc, char **argv)
{
	const struct known *of[16];
	for (int i = 1; i < argc; i++)
		of[i] = known_of(argv[i]);
	for (int i = 1; i < argc; i++)
		printf("%s:%d:%d:%s ", argv[i], of[i]->verdict == VERDICT_BROKEN ? -1 : of[i]->verdict == VERDICT_KEPT, (int)of[i]->schedules, of[i]->compiler);
}
END
gcc -D_GNU_SOURCE -fsanitize=address,undefined -I"$scratch/known" -I. judge/known.c "$scratch/known/main.c" "$build/libbase.a" -o "$scratch/known/known" -ljansson -lm 2>"$scratch/err" &&
	said=$(timeout 20 "$scratch/known/known" kept broken found again none gone kept none) &&
	[ "$said" = "kept:1:3:gcc 3 broken:-1:4:$(echo "$long" | cut -c-63) found:1:9:gcc 9 again:-1:12:gcc 12 none:0:0: gone:0:0: kept:1:3:gcc 3 none:0:0: " ] && rm "$scratch/known/explored/known" &&
	[ "$("$scratch/known/known" again kept)" = "again:0:0: kept:1:3:gcc 3 " ]
told $? "what is known of a row is of its very source: $said"

mkdir "$tree" && tar -c --exclude=./.git --exclude="./${build#"$PWD"/}" --exclude='./build*' --exclude='./results/2*' . | tar -x -C "$tree"
mkdir -p "$tree/build" && (cd "$build" && cp -aL obj flags sources sources.inc git-state hooks rows rows.mk history.mk *.a "$tree/build/")

# Edits of the template, each a row: a saved time whose low bits are all 0 counts as no time; gaps of 2^56 are forgotten; the
# time is saved before the claim; narrow stamps have no sync; and, right, the time is two words.
far='stamp - shared_load("last", \&s->last)'
zero='s/return bits_overflow/return (s->last \& ((UINT64_C(1) << WIDTH) - 1)) \&\& bits_overflow/;s/s->last = 0 /s->last = 1 /'
while IFS='|' read -r row wanted script; do
	sed "s/TEMPLATE_H/${row}_H/;$script" "$tree/schemes/TEMPLATE.h" >"$tree/schemes/$row.h"
	echo "X($row, $row, )" >>"$tree/schemes/schemes.def"
	echo "$row $wanted" >>"$scratch/rows"
done <<END
mine|kept|
mine_halves|kept|s/uint64_t last;/uint32_t last_hi, last_lo;/;s/s->last = 0/s->last_hi = s->last_lo = 0/;s/shared_load("last", &s->last)/((uint64_t)shared_load("hi", \&s->last_hi) << 32 | shared_load("lo", \&s->last_lo))/;s/shared_store("store last", &s->last, stamp);/shared_store("hi", \&s->last_hi, (uint32_t)(stamp >> 32)); shared_store("lo", \&s->last_lo, (uint32_t)stamp);/
mine_trunc|broken|s/return bits_overflow.*/return (uint32_t)(($far) >> (ring_stamp_bits(\&s->ring) - 3)) >= 8;/
mine_early|broken|s/return bits_overflow(\(.*\));/bool far = bits_overflow(\1); shared_store("early", (uint64_t *)\&s->last, stamp); return far;/;s/shared_store("store last", &s->last, stamp);/(void)s, (void)stamp;/
gap16like|broken|s/return bits_overflow.*/(void)s, (void)stamp; return false;/
$(for width in 16 24 27 32 48; do echo "zero_none_$width|broken|$(echo "$zero" | sed "s/WIDTH/$width/")"; done)
END
# A known fault's row sees the changed headers before the tree's.
make -s BUILD="$tree/build" "$tree/build/mutants/.split" "$tree/build/history/.split"
for patch in "$tree"/build/mutants/*.patch "$tree"/build/history/*.patch; do
	echo "$(basename "$patch" | cksum) $patch"
done | sort -n | cut -d' ' -f3- | xargs grep -LE '^# (equivalent|storm):|^\+\+\+ b/([^s]|schemes/.*\.c)' | while read -r patch; do
	row=m_$(basename "$patch" .patch) of=$(sed -n 's/^# row: //p' "$patch")
	sed -n 's,^+++ b/,,p' "$patch" | while read -r file; do
		install -D "$tree/$file" "$tree/build/faults/$row/$file"
	done
	patch -s -p1 -d "$tree/build/faults/$row" <"$patch" &&
		sed -n "s,^X($of\,\(.*\)),X($row\,\1 -iquote build/faults/$row),p" "$tree/schemes/schemes.def"
done | tail -n +$((${MUTANTS-3} * ${PART-0} + 1)) | head -n "${MUTANTS-3}" >"$scratch/faults.def"
cat "$scratch/faults.def" >>"$tree/schemes/schemes.def"
sed 's/^X(\([^,]*\),.*/\1 any/' "$scratch/faults.def" >>"$scratch/rows"
echo "X(seed_001_then, history/seed_001, )" >>"$tree/schemes/schemes.def" # it crashes
sed 's/^#define SCHEME_START$/& for (volatile int i = 0; !i;)/' "$tree/schemes/unordered_full.h" >"$tree/schemes/hangs.h"
echo "X(hangs, hangs, -DSTAMP_BITS=64)" >>"$tree/schemes/schemes.def"
names=$(awk '{ printf "=%s ", $1 }' "$scratch/rows")
quietly() { PACKAGES=present MAKEFLAGS='' "$@" >"$scratch/out" 2>"$scratch/err"; }
cd "$tree" || exit
quietly make -s -j2 build/bench build/run-stress build/explore && quietly make -s explore SCHEMES="$names" \
	ARGS="--tier quick --first --json $scratch/explored.json"
[ -s "$scratch/explored.json" ]
told $? "the rows are built and explored"
# A crash of a row ends the program, which names the row: it counts as broken there, and the other rows are run again.
without_crashes() { # FILE that the command writes, COMMAND...
	file=$1 asked=$names
	shift
	until quietly env SCHEMES="$asked" "$@"; [ -s "$file" ]; do
		crashes=$(sed -n 's/.*the code of \(m_[a-z0-9_]*\) crashes.*/\1/p' "$scratch/err" | head -n 1)
		[ "$crashes" ] || break
		asked=$(echo "$asked" | sed "s/=$crashes //")
		echo "$crashes" >>"$scratch/$(basename "$file").crashed"
	done
}
without_crashes "$scratch/results/latest/bench.json" make bench WORKLOADS=storm QUICK=1 ARGS="--results $scratch/results"
cp "$scratch/out" "$scratch/answer"
without_crashes "$scratch/stormed.json" sh -c "build/run-stress --schemes \"\$SCHEMES\" --seconds 0.3 --json $scratch/stormed.json"

python3 - "$scratch" <<'END'
import json, os, sys
folder = sys.argv[1]
def of(path):
    with open(folder + path) as file:
        return json.load(file)
explored = {}
for row in of("/explored.json")["rows"]:
    explored[row["row"]] = "broken" if any(its["verdict"] == "broken" for its in row["families"]) else "kept"
stormed, bench = of("/stormed.json"), of("/results/latest/bench.json")
words = [{one["row"]: one["verdict"] for one in its} for its in (stormed["trials"] if isinstance(stormed, dict) else stormed, bench["trials"])]
for one, name in zip(words, ("stormed", "bench")):
    if os.path.exists(crashed := "%s/%s.json.crashed" % (folder, name)):
        one.update((row, "broken") for row in open(crashed).read().split())
answer = open(folder + "/answer").read()
for line in open(folder + "/rows"):
    row, wanted = line.split()
    said = [explored.get(row, "none"), *(one.get(row, "none") for one in words)]
    its = {word.lower().replace("declared inexact", "kept") for word in said}
    good = (its in ({"broken"}, {"kept"}) if wanted == "any" else its == {wanted}) and ("broken" not in its or "Take %s:" % row not in answer)
    print("%sok - %s: explore, run-stress, bench: %s" % ("" if good else "not ", row, ", ".join(said)))
END
for program in "explore --tier quick" run-stress "bench --quick --results $scratch/results"; do
	# shellcheck disable=SC2016,SC2086
	says "a row that crashes: $program" 2 "the code of seed_001_then crashes: " sh -c 'for try in 1 2 3 4 5; do # a storm may break it first
		"$@" 2>"$0"; code=$?; grep -q crashes "$0" && break; done; cat "$0" >&2; exit $code' "$scratch/tries" build/$program --schemes =seed_001_then
done
for program in "explore --tier quick" "run-stress --seconds 0.1" "bench --quick --results $scratch/results"; do
	SAYS_SECONDS=400 # the program's limit is CPU time
	# shellcheck disable=SC2086
	says "a row that hangs: $program" 2 "the code of hangs does not end: " build/$program --schemes =hangs
done
number=$((number + $(wc -l <"$scratch/rows")))
plan
