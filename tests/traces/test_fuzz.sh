#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_fuzz.sh BUILD   Do the fuzzers have all that they are linked from (traces/traces.mk)? Their
# sources are compiled by clang with sanitizers; here the build's own objects of these are taken. TAP.
. tests/support/tap.sh
build=$1

echo 'int LLVMFuzzerTestOneInput(const unsigned char *bytes, unsigned long size);
int main(void) { return LLVMFuzzerTestOneInput((const unsigned char *)"", 0); }' >"$scratch/main.c"
for fuzzer in traces/fuzz_*.c; do
	name=$(basename "$fuzzer" .c)
	objects=$(make -n --no-print-directory BUILD="$scratch" V=1 "$scratch/fuzz/$name" 2>/dev/null |
		grep '^clang' | grep -oE '[a-z0-9_/]+\.c\b' | grep -v "^$fuzzer$" |
		sed "s,\(.*\)\.c,$build/obj/\1.o,")
	# shellcheck disable=SC2086
	[ -n "$objects" ] && "${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -w ${SANITIZE:+-fsanitize="$SANITIZE"} -I. -o "$scratch/$name" "$fuzzer" \
		"$scratch/main.c" $objects -ljansson -lm 2>"$scratch/err" && "$scratch/$name"
	report $? "$name is linked, and takes nothing"
	grep -m3 'undefined\|rror' "$scratch/err" | sed 's/^/# /'
done
plan
