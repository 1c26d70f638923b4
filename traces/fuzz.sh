#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: fuzz.sh BUILD SECONDS   The decoder of ftrace's sub-buffers. What was found once is kept in
# BUILD/fuzz/corpus and tried first; a finding is BUILD/fuzz/crash-*, exit code 2; 3: it ended early.
set -eu
folder=$1/fuzz corpus=$1/fuzz/corpus log=$1/fuzz/log
mkdir -p "$corpus"

# A byte that chooses 27 bits, then a sub-buffer, whole or cut: seed NAME FILE SUBBUF BYTES
seed() {
	{ printf '\014'; tail -c +$(($3 * 4096 + 1)) "tests/data/ftrace/$2" | head -c "$4"; } \
		>"$corpus/$1-$3"
}
for subbuf in 0 1 2 3 4 5 6 7 8 9; do
	seed cpu0 cpu0.raw $subbuf 1024
	seed cpu1 cpu1.raw $subbuf 4096
done

echo "fuzzing the decoder of sub-buffers for $2 s"
if "$1/fuzz/fuzz_ftrace" -max_total_time="$2" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
	-print_final_stats=1 -artifact_prefix="$folder/crash-" "$corpus" >"$log" 2>&1; then
	echo "$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log") executions, nothing found"
	exit 0
fi
tail -30 "$log"
set -- "$folder"/crash-*
if [ -e "$1" ]; then
	echo "stampede: the fuzzer found something; its input is in $*" >&2
	exit 2
fi
echo "stampede: the fuzzer ended early, and found nothing" >&2
exit 3
