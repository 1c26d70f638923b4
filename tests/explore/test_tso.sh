#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_tso.sh BUILD   Store buffers in the explorer (--delays): litmus tests have the outcomes that
# x86-TSO allows, and no other; so have they under sequential consistency. TAP. LITMUS="MP SB": these alone.
build=$1
explore=${EXPLORE:-$build/explore}
. tests/support/tap.sh
needs_explored "store buffers" "make explored"
if [ "$(uname -m)" != x86_64 ]; then
	skip "store buffers" "they are x86-64's"
	plan
	exit
fi

outcomes() { # name: of the test, with what stops and --delays is asked for
	name=$1
	shift
	# Built once; but a row's object may not have four.
	[ -f "$scratch/$name/built" ] && [ "$cpus" -lt 4 ] &&
		set -- --object "$build/foreign/$name.so" "$@" || set -- --foreign "$scratch/$name" "$@"
	touch "$scratch/$name/built"
	"$explore" --events 1 --nested 0 --writers "$cpus" --preemptions ${preemptions:-2} \
		--outcomes --objects "$build/explored" "$@" 2>"$scratch/err" |
		sed -nE 's/.* outcomes [0-9a-f]{16} ([0-9a-f ]*)  kept.*/\1/p' | tr ' ' '\n' |
		sed 's/^1//' | sort | tr '\n' ' ' | sed 's/^ *//; s/ *$//'
}

# litmus NAME CPUS READ FINAL THREADS SC TSO: the outcomes of both, as this paper has them: Owens,
# Sarkar, Sewell: "A Better x86 Memory Model: x86-TSO", 2009.
litmus() {
	name=$1 cpus=$2 sc=$6 tso=${7:-$6} number_of=0
	[ -z "$LITMUS" ] || echo " $LITMUS " | grep -q " $name " || return
	mkdir "$scratch/$name"
	{
		printf '#define CPUS %s\n#define READ %s\n#define FINAL %s\n' "$cpus" "$3" "$4"
		printf '#define Y_AT_FIRST %s\n#define THREADS' "${y:-0}"
		echo "$5" | tr '|' '\n' | while read -r thread; do
			printf ' \\\n\tcase %s: %s; break;' "$number_of" "$thread"
			number_of=$((number_of + 1))
		done
		printf '\n\n#include "tests/explore/litmus.h"\n'
	} >"$scratch/$name/shim.c"
	for model in sc tso; do
		[ $model = sc ] && wanted=$sc delays=0 || wanted=$tso delays=$((cpus == 2 ? 4 : 2))
		got=$(outcomes "$name" --delays $delays)
		[ "$got" = "$wanted" ]
		report $? "$name: $model allows $(echo "$wanted" | wc -w) outcomes"
		[ "$got" = "$wanted" ] || sed 's/^/# /' "$scratch/err"
		[ "$got" = "$wanted" ] || echo "# wanted $wanted, got $got"
	done
}

fifteen="0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111"
litmus MP 2 2 0 "ST(x, 1); ST(y, 1) | R(0) = LD(y); R(1) = LD(x)" "00 01 11"
litmus SB 2 2 0 "ST(x, 1); R(0) = LD(y) | ST(y, 1); R(1) = LD(x)" "01 10 11" "00 01 10 11"
litmus LB 2 2 0 "R(0) = LD(x); ST(y, 1) | R(1) = LD(y); ST(x, 1)" "00 01 10"
litmus W22 2 0 1 "ST(x, 1); ST(y, 2) | ST(y, 1); ST(x, 2)" "12 21 22"
litmus S 2 1 1 "ST(x, 2); ST(y, 1) | R(0) = LD(y); ST(x, 1)" "011 021 111"
litmus R 2 1 1 "ST(x, 1); ST(y, 1) | ST(y, 2); R(0) = LD(x)" "011 111 112" "011 012 111 112"
y=2 litmus R_silent 2 1 1 "ST(x, 1); ST(y, 1) | ST(y, 2); R(0) = LD(x)" "011 111 112" "011 012 111 112"
litmus SB_own 2 4 0 "ST(x, 1); R(0) = LD(x); R(1) = LD(y) | ST(y, 1); R(2) = LD(y); R(3) = LD(x)" \
	"1011 1110 1111" "1010 1011 1110 1111"
# Where the first CPU has ended when the other begins, its stores wait or leave in the middle.
preemptions=0
litmus SB_later 2 3 0 "ST(x, 1); R(0) = LD(y) | ST(y, 1); R(1) = LD(x); R(2) = LD(x)" "011 100" "000 001 011 100"
litmus N6 2 2 1 "ST(x, 1); R(0) = LD(x); R(1) = LD(y) | ST(y, 2); ST(x, 2)" "1022 1212" "1012 1022 1212 1222 2222"
litmus SB_over 2 2 1 "ST(x, 1); R(0) = LD(y) | ST(y, 1); ST(x, 2); R(1) = LD(x)" \
	"0221 1211" "0111 0211 0221 1211 1221"
preemptions=2
litmus IRIW 4 4 0 "ST(x, 1) | ST(y, 1) | R(0) = LD(x); R(1) = LD(y) | R(2) = LD(y); R(3) = LD(x)" "$fifteen"
litmus SB_lock 2 2 0 "ST(x, 1); LOCK(); R(0) = LD(y) | ST(y, 1); LOCK(); R(1) = LD(x)" "01 10 11"
litmus SB_mfence 2 2 0 "ST(x, 1); MFENCE(); R(0) = LD(y) | ST(y, 1); MFENCE(); R(1) = LD(x)" "01 10 11"
litmus SB_one 2 2 0 "ST(x, 1); MFENCE(); R(0) = LD(y) | ST(y, 1); R(1) = LD(x)" "01 10 11" "00 01 10 11"
litmus SB_xchg 2 2 0 "XCHG(x, 1); R(0) = LD(y) | XCHG(y, 1); R(1) = LD(x)" "01 10 11"
litmus R_mfence 2 1 1 "ST(x, 1); MFENCE(); ST(y, 1) | ST(y, 2); MFENCE(); R(0) = LD(x)" "011 111 112"
last="R(2) = LD(y); MFENCE(); R(3) = LD(x)"
litmus IRIW_mfence 4 4 0 "ST(x, 1) | ST(y, 1) | R(0) = LD(x); MFENCE(); R(1) = LD(y) | $last" "$fifteen"
if [ -z "$LITMUS" ]; then
	shows "a store that reaches memory is named in a timeline" 'waits at CPU 0 reaches memory' \
		"$explore" --object "$build/foreign/SB_later.so" --events 1 --nested 0 --writers 2 \
		--preemptions 0 --delays 2 --replay "s2:1+2.w2:0"
	# Its xadd and cmpxchg have no lock prefix: between their load and their store nobody comes here.
	for delays in 0 1; do
		"$explore" --schemes =packed_word --events 1 --nested 0 --writers 2 --preemptions 2 --before 1 \
			--delays $delays >"$scratch/unlocked.$delays" 2>"$scratch/err"
		echo $?
	done | tr '\n' ' ' >"$scratch/codes"
	[ "$(cat "$scratch/codes")" = "0 2 " ]
	report $? "a row without lock prefixes breaks on two CPUs, and only where stores wait"
	refuses "one CPU has nobody to wait for" 1 "several CPUs" "$explore" --schemes =packed_word --delays 1
	refuses "stores between labelled points" 1 "each access" "$explore" --schemes =packed_word \
		--delays 1 --live 1 --stops points
fi
plan
