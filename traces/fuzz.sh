#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: fuzz.sh BUILD SECONDS   Half of the time for each decoder. What was found once is kept in
# BUILD/fuzz/corpus-* and tried first; a finding is written to BUILD/fuzz/crash-* and ends it.
set -eu
build=$1
seconds=$(($2 / 2 > 0 ? $2 / 2 : 1))

# A byte that chooses, then bytes of a file: seed NAME OCTAL FILE OFFSET BYTES
seed() {
	{ printf "\\$2"; tail -c +$(($4 + 1)) "$3" | head -c "$5"; } > "$1"
}

seeds_ftrace() { # DIRECTORY
	for subbuf in 0 1 2 3 4 5 6 7 8 9; do
		# 27 bits; a sub-buffer of 1024 bytes out of one of 4096: its commit is too large,
		# and so is tried what the fuzzer makes of it.
		seed "$1/cpu0-$subbuf" 014 tests/data/ftrace/cpu0.raw $((subbuf * 4096)) 1024
		seed "$1/cpu1-$subbuf" 014 tests/data/ftrace/cpu1.raw $((subbuf * 4096)) 4096
	done
}

seeds_ctf() { # DIRECTORY
	size=$(wc -c < tests/data/lttng/metadata)
	{
		printf "\\000\\$(printf %03o $((size % 256)))\\$(printf %03o $((size / 256)))"
		cat tests/data/lttng/metadata tests/data/lttng/ch_0
	} > "$1/lttng"
	for known in 1 2; do
		seed "$1/known-$known" 00$known tests/data/lttng/ch_0 0 512
	done
}

for format in ftrace ctf; do
	corpus=$build/fuzz/corpus-$format
	mkdir -p "$corpus"
	"seeds_$format" "$corpus"
	echo "fuzz_$format: $seconds s"
	log=$build/fuzz/$format.log
	if ! "$build/fuzz/fuzz_$format" -max_total_time="$seconds" -max_len=10000 -timeout=10 \
		-rss_limit_mb=2048 -print_final_stats=1 -dict=traces/fuzz.dict \
		-artifact_prefix="$build/fuzz/crash-$format-" "$corpus" > "$log" 2>&1; then
		tail -30 "$log"
		echo "stampede: fuzz_$format found something; its input is in" \
			"$build/fuzz/crash-$format-*" >&2
		exit 2
	fi
	grep -E '^(Done|stat::number_of_executed_units|stat::new_units_added)' "$log"
done
