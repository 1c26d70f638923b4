#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_c11.sh BUILD   C11's memory order in the explorer (--order c11): litmus tests have the outcomes that
# it allows, and no other. TAP. LITMUS="MP SB": these alone.
build=$1
explore=${EXPLORE:-$build/explore}
. tests/support/tap.sh
needs_explored "C11's memory order" "make explored"

echo '#include "tests/explore/order_litmus.h"' >"$scratch/all.c"

# litmus NAME CPUS READ FINAL THREADS OUTCOMES
litmus() {
	number_of=0
	printf 'LITMUS(%s, %s, %s, %s,' "$1" "$2" "$3" "$4"
	echo "$5" | tr '|' '\n' | while read -r thread; do
		printf ' \\\n\tcase %s: %s; break;' "$number_of" "$thread"
		number_of=$((number_of + 1))
	done
	printf ')\n'
	echo "$1:$6" >&3
} >>"$scratch/all.c" 3>>"$scratch/wanted"

# Allowed and forbidden as in Lahav, Vafeiadis, Kang, Hur, Dreyer: "Repairing Sequential Consistency in C/C++11",
# 2017 (RC11), but for a plain load, which may be late.
fifteen="0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111"
sixteen=$(echo "$fifteen 1010" | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/ $//')
x=relaxed
litmus MP 2 2 0 "ST(x,1,$x); ST(y,1,$x) | R(0)=LD(y,$x); R(1)=LD(x,$x)" "00 01 10 11"
litmus MP_rel 2 2 0 "ST(x,1,$x); ST(y,1,release) | R(0)=LD(y,$x); R(1)=LD(x,$x)" "00 01 10 11"
litmus MP_acq 2 2 0 "ST(x,1,$x); ST(y,1,$x) | R(0)=LD(y,acquire); R(1)=LD(x,$x)" "00 01 10 11"
litmus MP_ra 2 2 0 "ST(x,1,$x); ST(y,1,release) | R(0)=LD(y,acquire); R(1)=LD(x,$x)" "00 01 11"
litmus MP_plain 2 2 0 "PLAIN(x)=1; ST(y,1,release) | R(0)=LD(y,acquire); R(1)=PLAIN(x)" "00 01 11"
litmus MP_fences 2 2 0 \
	"ST(x,1,$x); FENCE(release); ST(y,1,$x) | R(0)=LD(y,$x); FENCE(acquire); R(1)=LD(x,$x)" "00 01 11"
litmus MP_one_fence 2 2 0 "ST(x,1,$x); FENCE(release); ST(y,1,$x) | R(0)=LD(y,$x); R(1)=LD(x,$x)" "00 01 10 11"
litmus MP_early_fence 2 2 0 \
	"FENCE(release); ST(x,1,$x); ST(y,1,$x) | R(0)=LD(y,$x); FENCE(acquire); R(1)=LD(x,$x)" "00 01 10 11"
litmus MP_update 3 2 0 "ST(x,1,$x); ST(y,1,release) | ADD(y,$x) | R(0)=LD(y,acquire); R(1)=LD(x,$x)" "00 01 10 11 21"
litmus MP_fenced 3 2 0 "ST(x,1,$x); ST(y,1,release) | FENCE(release); ADD(y,$x) | R(0)=LD(y,acquire); R(1)=LD(x,$x)" "00 01 10 11 21"
litmus MP_failed 2 2 0 "ST(x,1,$x); ST(y,1,release) | R(0)=CAS(y,5,2); R(1)=LD(x,$x)" "00 01 10 11"
litmus MP_fails 2 2 0 "ST(x,1,$x); ST(y,1,release) | R(0)=SWAP(y,5,2,acquire,relaxed); R(1)=LD(x,$x)" "00 01 10 11"
litmus MP_fails_acq 2 2 0 "ST(x,1,$x); ST(y,1,release) | R(0)=SWAP(y,5,2,relaxed,acquire); R(1)=LD(x,$x)" "00 01 11"
litmus SB 2 2 0 "ST(x,1,$x); R(0)=LD(y,$x) | ST(y,1,$x); R(1)=LD(x,$x)" "00 01 10 11"
litmus SB_ra 2 2 0 "ST(x,1,release); R(0)=LD(y,acquire) | ST(y,1,release); R(1)=LD(x,acquire)" "00 01 10 11"
litmus SB_acq_rel 2 2 0 \
	"ST(x,1,$x); FENCE(acq_rel); R(0)=LD(y,$x) | ST(y,1,$x); FENCE(acq_rel); R(1)=LD(x,$x)" "00 01 10 11"
litmus SB_sc 2 2 0 "ST(x,1,$x); FENCE(seq_cst); R(0)=LD(y,$x) | ST(y,1,$x); FENCE(seq_cst); R(1)=LD(x,$x)" "01 10 11"
litmus LB 2 2 0 "R(0)=LD(x,$x); ST(y,1,$x) | R(1)=LD(y,$x); ST(x,1,$x)" "00 01 10"
litmus LB_plain 2 2 0 "R(0)=PLAIN(x); ST(y,1,$x) | R(1)=LD(y,$x); ST(x,1,$x)" "00 01 10 11"
litmus LB_release 2 2 0 "R(0)=PLAIN(x); ST(y,1,release) | R(1)=LD(y,$x); ST(x,1,$x)" "00 01 10"
litmus LB_fence 2 2 0 "R(0)=PLAIN(x); FENCE(release); ST(y,1,$x) | R(1)=PLAIN(y); FENCE(acquire); ST(x,1,$x)" "00 01 10"
litmus LB_same 2 2 0 "R(0)=PLAIN(x); R(1)=LD(x,$x); ST(y,1,$x) | if (LD(y,$x)) ST(x,1,$x)" "00"
litmus LB_then 2 2 0 "R(0)=PLAIN(x); ST(y,1,$x); R(1)=LD(x,$x) | if (LD(y,$x)) ST(x,1,$x)" "00 01 11"
litmus LB_unmet 2 2 0 "R(0)=PLAIN(x); ST(y,1,$x) | R(1)=LD(y,$x); if (!R(1)) ST(x,1,$x)" "00 01 10"
litmus LB_guess 2 2 0 "R(0)=PLAIN(x); ST(y,R(0),$x) | R(1)=PLAIN(y); ST(x,R(1)?2:1,$x)" "00 10"
litmus LB_air 2 2 0 "R(0)=PLAIN(x); ST(y,R(0),$x) | R(1)=PLAIN(y); ST(x,R(1),$x)" "00"
litmus W22 2 0 1 "ST(x,1,$x); ST(y,2,$x) | ST(y,1,$x); ST(x,2,$x)" "11 12 21 22"
litmus W22_rel 2 0 1 "ST(x,1,$x); ST(y,2,release) | ST(y,1,$x); ST(x,2,release)" "11 12 21 22"
litmus W22_sc 2 0 1 "ST(x,1,$x); FENCE(seq_cst); ST(y,2,$x) | ST(y,1,$x); FENCE(seq_cst); ST(x,2,$x)" "12 21 22"
litmus S 2 1 1 "ST(x,2,$x); ST(y,1,$x) | R(0)=LD(y,$x); ST(x,1,$x)" "011 021 111 121"
litmus S_ra 2 1 1 "ST(x,2,$x); ST(y,1,release) | R(0)=LD(y,acquire); ST(x,1,$x)" "011 021 111"
litmus R 2 1 1 "ST(x,1,$x); ST(y,1,$x) | ST(y,2,$x); R(0)=LD(x,$x)" "011 012 111 112"
litmus R_ra 2 1 1 "ST(x,1,$x); ST(y,1,release) | ST(y,2,$x); R(0)=LD(x,acquire)" "011 012 111 112"
litmus R_sc 2 1 1 "ST(x,1,$x); FENCE(seq_cst); ST(y,1,$x) | ST(y,2,$x); FENCE(seq_cst); R(0)=LD(x,$x)" "011 111 112"
iriw="ST(x,1,release) | ST(y,1,release) |"
litmus IRIW 4 4 0 "$iriw R(0)=LD(x,$x); R(1)=LD(y,$x) | R(2)=LD(y,$x); R(3)=LD(x,$x)" "$sixteen"
litmus IRIW_ra 4 4 0 "$iriw R(0)=LD(x,acquire); R(1)=LD(y,acquire) | R(2)=LD(y,acquire); R(3)=LD(x,acquire)" "$sixteen"
litmus IRIW_sc 4 4 0 \
	"$iriw R(0)=LD(x,$x); FENCE(seq_cst); R(1)=LD(y,$x) | R(2)=LD(y,$x); FENCE(seq_cst); R(3)=LD(x,$x)" "$fifteen"
litmus WRC_ra 3 3 0 "ST(x,1,$x) | R(0)=LD(x,$x); ST(y,1,release) | R(1)=LD(y,acquire); R(2)=LD(x,$x)" \
	"000 001 010 011 100 101 111"
litmus CoRR 2 2 0 "ST(x,1,$x) | R(0)=LD(x,$x); R(1)=LD(x,$x)" "00 01 11"
litmus CoWR 2 1 1 "ST(x,1,$x); R(0)=LD(x,$x) | ST(x,2,$x)" "110 120 220"
litmus Swaps 2 2 1 "R(0)=CAS(x,0,1) | R(1)=CAS(x,0,2)" "0110 2020"
litmus Adds 2 2 1 "R(0)=ADD(x,$x) | R(1)=ADD(x,$x)" "0120 1020"

${CC:-gcc} -std=gnu11 -O2 -w -I. -I"$build" -fPIC -fsanitize=thread -c "$scratch/all.c" -o "$scratch/all.o" &&
	${CC:-gcc} -shared -o "$scratch/all.so" "$scratch/all.o"
report $? "litmus tests build"
while IFS=: read -r name wanted; do
	[ -z "$LITMUS" ] || echo " $LITMUS " | grep -q " $name " || continue
	got=$(LITMUS_TEST=$name "$explore" --order c11 --object "$scratch/all.so" --writers 2 --preemptions 4 \
		--delays 8 2>"$scratch/err" | sed -nE 's/.* outcomes [0-9a-f]{16} ([0-9a-f ]*)  kept.*/\1/p' |
		tr ' ' '\n' | sed 's/^1//' | sort | tr '\n' ' ' | sed 's/^ *//; s/ *$//')
	[ "$got" = "$wanted" ]
	report $? "$name: $(echo "$wanted" | wc -w) outcomes"
	[ "$got" = "$wanted" ] || { sed 's/^/# /' "$scratch/err" && echo "# wanted $wanted, got $got"; }
done <"$scratch/wanted"
# Rows, and broken ones: how many executions, of how many events, and what is told of the first that is broken. Their
# number is the compiled code's; new lines behind those of `$ PATCH ROW OPTIONS` are in $counts, if a change is wanted.
golden=$scratch/golden counts=$scratch/counts # without ALL=1 of one broken row alone
awk -v all="$ALL" 'NR == 1 { on = 1 } /^\$/ { on = all + 0 || $2 ~ /none|clock_not_fenced/ } on' tests/data/explored_order.txt >"$golden"
make="make -s --no-print-directory BUILD=$scratch/make"
$make "$scratch/make/flags" "$scratch/make/mutants/.split"
${CC:-cc} --version | head -1 >"$counts"
grep '^\$' "$golden" | while read -r line; do
	set -- $line # $ PATCH ROW OPTION...
	object=$scratch/$2/$3.order.so
	if [ ! -e "$object" ]; then
		rm -rf "$scratch/tree"
		[ "$2" = none ] && tree=. || { tree=$scratch/tree && sh tests/cases/tree.sh "$tree" && patch -s -p1 -d "$tree" <"$scratch/make/mutants/$2.patch"; }
		$make TREE="$tree" EXPLORED="$scratch/$2" "$object"
	fi
	echo "$line"
	shift 3
	"$explore" --order c11 --object "$object" "$@" --json "$scratch/json" 2>&1 | sed '/^==.*ASan is ignoring/,+2d; /^row  /d; s/  *[0-9.]* s  / /'
	sed -nE 's/^ *"(decoded|extended|inexact)": ([0-9]+).*/\1 \2/p' "$scratch/json"
done >>"$counts"
if [ "$(head -1 "$golden")" = "$(head -1 "$counts")" ]; then
	diff "$golden" "$counts" >"$scratch/err"
	told $? "as many executions of rows as recorded"
else
	skip "the recorded executions" "another compiler: $(head -1 "$counts")"
fi
cp "$scratch/none/packed_word_locked.order.so" "$scratch/clock_not_fenced"
"$explore" --order c11 --objects "$scratch/clock_not_fenced" --schemes "=full_tsc_locked_fenced =packed_word_locked" \
	--events 1 --nested 0 --writers 2 --preemptions 1 --delays 1 >"$scratch/out"
report $(($? != 2)) "a broken row before one that is kept: the exit code is the worst one's"
plan
