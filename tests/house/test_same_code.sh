#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_same_code.sh BUILD   Does same_code.py see a change of what is timed, and nothing else?
# One row is compiled as it is, with other line numbers, and with faults put in. TAP.
. tests/support/tap.sh
row=extended_header header=schemes/extended_header.h
if ! command -v objdump >/dev/null; then
	skip "the same code" "no objdump (Debian: binutils)"
	plan
	exit
fi

# compiled NAME [-g]: the row of the tree in $scratch/tree, as $scratch/NAME/<row>.o
compiled() {
	mkdir -p "$scratch/$1"
	"${CC:-gcc}" -std=gnu11 -O2 $2 -D_GNU_SOURCE= -w -I"$scratch/tree" -DSTAMPEDE_TIMED -DROW=$row \
		"-DSCHEME_HEADER=\"$header\"" -c "$scratch/tree/judge/driver.c" \
		-o "$scratch/$1/$row.o"
}

# changed NAME FILE SED [-g]: the same with one file changed, which must change it
changed() {
	sh tests/cases/tree.sh "$scratch/tree"
	sed -i "$3" "$scratch/tree/$2"
	if cmp -s "$2" "$scratch/tree/$2"; then
		report 1 "$1: nothing was put in"
	fi
	compiled "$1" $4
}

same() { # NAME CODE WORDS [OPTION]: what the comparison with the plain object says
	python3 -B tests/house/same_code.py $4 "$scratch/plain" "$scratch/$1" >"$scratch/out" 2>&1
	[ $? -eq "$2" ] && grep -q -- "$3" "$scratch/out"
	report $? "$1: exit code $2, '$3'"
	grep -q -- "$3" "$scratch/out" || sed 's/^/# /' "$scratch/out"
}

sh tests/cases/tree.sh "$scratch/tree"
# Line numbers are nowhere but in what -g writes, and in __LINE__.
compiled plain -g
changed lines schemes/core/local.h '1s/$/\n\n\n/' -g
same lines 0 "1 rows, [1-9][0-9]* functions that are timed: the same"
changed loop schemes/parts/extend.h \
	'/^RESERVE struct reservation reserve(/,/^{/ s/^{/{\n\t__asm__ volatile("nop");/'
same loop 1 "driver_run differs"
changed slow schemes/parts/extend.h '/^RESERVE_SLOW.*extend_slow(/,/^{/ s/^{/{\n\t__asm__ volatile("nop");/'
same slow 1 "extend_slow.* differs"
changed constant schemes/core/clock_real.h 's/rdtsc/rdtscp/'
same constant 1 "driver_run differs"
changed called schemes/core/subbuf.h 's/local_add_raw(&ring->refused, 1)/local_add_raw(\&ring->refused, 2)/'
same called 1 "differs"
changed drain judge/driver.c 's/^\tcheck->payload = DRIVER_PAYLOAD;/&\n\t__asm__ volatile("nop");/'
same drain 0 "driver_drain differs in 1 rows, and is not timed"
same drain 1 "driver_drain differs" --all
rm "$scratch/lines/$row.o"
same lines 1 "not in both"
plan
