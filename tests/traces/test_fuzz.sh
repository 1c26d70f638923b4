#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_fuzz.sh BUILD   Do the fuzzers build by their own rule (traces/traces.mk)? Its command is taken,
# with the compiler of this build in place of clang, and a main() in place of libFuzzer. Without ALL=1 the first. TAP.
. tests/support/tap.sh
build=$1

cat >"$scratch/main.c" <<-'END'
	#include <stdio.h>
	int LLVMFuzzerTestOneInput(const unsigned char *bytes, unsigned long size);
	int main(int argc, char **argv)
	{
		static unsigned char bytes[10000];
		int i;

		for (i = 1; i < argc; i++) {
			FILE *file = fopen(argv[i], "rb");

			if (!file || LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, sizeof(bytes), file)))
				return 1;
			fclose(file);
		}
		return LLVMFuzzerTestOneInput(bytes, 0) || argc < 2;
	}
END
tar -xzf tests/data/lint.tar.gz -C "$scratch"
printf 'include Makefile\nformats:\n\t@echo $(fuzz_formats)\n' >"$scratch/formats.mk"
for format in $(make -s --no-print-directory -f "$scratch/formats.mk" formats | cut -d" " -f"$([ "${ALL:-0}" = 0 ] && echo 1 || echo 1-)"); do
	command=$(make -n --no-print-directory BUILD="$scratch" V=1 "$scratch/fuzz/fuzz_$format" 2>/dev/null |
		sed -e ':a' -e '/\\$/N; s/\\\n//; ta' | grep '^clang ')
	command=$(printf '%s' "$command" | sed "s,^clang,${CC:-gcc} -O0 -w $scratch/main.c,; s,-fsanitize=fuzzer[^ ]*,,; s,-O2,,; s,-Werror,,")
	mkdir -p "$scratch/fuzz"
	[ -n "$command" ] && sh -c "$command" 2>"$scratch/err" &&
		"$scratch/fuzz/fuzz_$format" "$scratch"/lint/*.data "$scratch"/lint/xray* "$scratch"/lint/ftrace*/* >"$scratch/out" 2>&1
	report $? "fuzz_$format builds by its rule, and takes files of any format"
	grep -m3 'undefined\|rror' "$scratch/err" | sed 's/^/# /'
done
plan
