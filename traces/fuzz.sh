#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: fuzz.sh BUILD SECONDS FORMAT...   Runs BUILD/fuzz/fuzz_FORMAT for SECONDS each. Inputs that reached new code are kept
# in BUILD/fuzz/corpus-FORMAT and tried first; a finding is BUILD/fuzz/crash-*, exit code 2; 3: a fuzzer ended early.
set -eu
folder=$1/fuzz

# A byte that chooses 27 bits, then a sub-buffer, whole or cut: seed NAME FILE SUBBUF BYTES
seed() {
	{ printf '\014'; tail -c +$(($3 * 4096 + 1)) "tests/data/ftrace/$2" | head -c "$4"; } \
		>"$folder/corpus-ftrace/$1-$3"
}

recorded() { # FORMAT NAME
	tar -xzf tests/data/lint.tar.gz -C "$folder/corpus-$1" --strip-components=1 "lint/$2"
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
	perf) recorded perf plain.perf.data ;;
	xray) recorded xray xray-far-apart ;;
	esac
	[ "$1" = ftrace ] || python3 -B -c "import os, sys, tempfile
sys.path.insert(0, 'tests/traces')
import plants
for fault in plants.FAULTS[sys.argv[1]]:
    with tempfile.TemporaryDirectory() as folder:
        path, _ = plants.plant(sys.argv[1], fault, 1, folder)
        text = b''
        if os.path.isdir(path):  # two bytes say how long the metadata is, then it and a stream
            text = open(path + '/metadata', 'rb').read()
            text, path = len(text).to_bytes(2, 'little') + text, path + '/ch_0'
        with open(path, 'rb') as whole, open(os.path.join(sys.argv[2], fault), 'wb') as part:
            part.write(text + whole.read()[:8000])" "$1" "$folder/corpus-$1"
}

# Of CTF in processes of their own: where libbabeltrace2 stops it keeps what it holds, or reads on for ever, which read-trace ends.
seconds=$2
shift 2
for format; do
	log=$folder/log-$format apart=
	[ $format != ctf ] || apart="-fork=1 -ignore_timeouts=1 -ignore_ooms=1 -timeout=60 -rss_limit_mb=6000 -detect_leaks=0"
	seeds $format
	echo "fuzzing $format for $seconds s"
	if ASAN_OPTIONS=${apart:+detect_leaks=0} "$folder/fuzz_$format" -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=2048 ${RUNS:+-runs=$RUNS} \
		$apart -close_fd_mask=2 -print_final_stats=1 -artifact_prefix="$folder/crash-" "$folder/corpus-$format" >"$log" 2>&1; then
		echo "$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p; s/^#\([0-9]*\): cov.*/\1/p' "$log" | tail -1) executions, nothing found"
		continue
	fi
	tail -30 "$log"
	set -- "$folder"/crash-*
	if [ -e "$1" ]; then
		echo "stampede: the fuzzer found something; its input is in $*" >&2
		exit 2
	fi
	echo "stampede: the fuzzer ended early, and found nothing" >&2
	exit 3
done
