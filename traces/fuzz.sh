#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: fuzz.sh BUILD SECONDS   What reads sub-buffers of ftrace, Chrome's JSON, perf.data and XRay's
# logs, so long each. What was found once is kept in BUILD/fuzz/corpus-FORMAT and tried first; a finding is
# BUILD/fuzz/crash-*, exit code 2; 3: it ended early.
set -eu
folder=$1/fuzz

# A byte that chooses 27 bits, then a sub-buffer, whole or cut: seed NAME FILE SUBBUF BYTES
seed() {
	{ printf '\014'; tail -c +$(($3 * 4096 + 1)) "tests/data/ftrace/$2" | head -c "$4"; } \
		>"$folder/corpus-ftrace/$1-$3"
}

seeds() { # FORMAT
	mkdir -p "$folder/corpus-$1"
	case $1 in
	ftrace)
		for subbuf in 0 1 2 3 4 5 6 7 8 9; do
			seed cpu0 cpu0.raw $subbuf 1024
			seed cpu1 cpu1.raw $subbuf 4096
		done
		;;
	perf) cp tests/data/lint/*perf.data "$folder/corpus-perf" ;;
	xray) cp tests/data/lint/xray-far-apart "$folder/corpus-xray" ;;
	esac
	[ "$1" = ftrace ] || python3 -B -c "import os, sys
sys.path.insert(0, 'tests/traces')
import plants
for fault in plants.FAULTS[sys.argv[1]]:
    path, _ = plants.plant(sys.argv[1], fault, 1, sys.argv[2])
    with open(path, 'rb') as whole, open(os.path.join(sys.argv[2], fault), 'wb') as part:
        part.write(whole.read()[:8000])
    os.remove(path)" "$1" "$folder/corpus-$1"
}

for format in ftrace chrome perf xray; do
	log=$folder/log-$format
	seeds $format
	echo "fuzzing $format for $2 s"
	if "$folder/fuzz_$format" -max_total_time="$2" -max_len=8192 -timeout=10 -rss_limit_mb=2048 ${RUNS:+-runs=$RUNS} \
		-print_final_stats=1 -artifact_prefix="$folder/crash-" "$folder/corpus-$format" >"$log" 2>&1; then
		echo "$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log") executions, nothing found"
		continue
	fi
	tail -30 "$log"
	set -- "$1" "$2" "$folder"/crash-*
	if [ -e "$3" ]; then
		shift 2
		echo "stampede: the fuzzer found something; its input is in $*" >&2
		exit 2
	fi
	echo "stampede: the fuzzer ended early, and found nothing" >&2
	exit 3
done
