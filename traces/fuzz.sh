#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: fuzz.sh BUILD SECONDS   Both decoders and the parser of metadata. What was found once is kept in
# BUILD/fuzz/corpus-* and tried first; a finding is written to BUILD/fuzz/crash-*, exit 2.
set -eu
build=$1
seconds=$2

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
	for known in 0 1 2 3; do
		seed "$1/known-$known" 00$known tests/data/lttng/ch_0 0 512
		seed "$1/few-$known" 00$known tests/data/lttng_compact/few_0 0 512
		seed "$1/all-$known" 00$known tests/data/ctf2/stream 0 512
	done
}

# The size of the metadata, itself, and the begin of the stream.
seed() { # METADATA STREAM
	size=$(wc -c < "$1")
	printf "\\$(printf %03o $((size % 256)))\\$(printf %03o $((size / 256)))"
	cat "$1"
	head -c 512 "tests/data/$2"
}

# Metadata out of its packet, without comments and what is known of the machine: short ones are tried
# more often.
seeds_tsdl() { # DIRECTORY
	for stream in lttng/ch_0 lttng_compact/few_0; do
		metadata=$1/metadata.part
		tail -c +38 "tests/data/${stream%/*}/metadata" | tr -d '\000' |
			sed -e '/^env {/,/^};/d' -e 's,/\* [^C].*\*/,,' -e 's/^[ \t]*//' \
				-e '/^$/d' > "$metadata"
		seed "$metadata" "$stream" > "$1/${stream%/*}"
		rm "$metadata"
	done
}

# A fragment behind the preamble, with fewer of the fields of tests/data/ctf2; and LTTng's.
seeds_ctf2() { # DIRECTORY
	for stream in ctf2/stream lttng_ctf2/few_0; do
		metadata=$1/metadata.part
		tail -n +2 "tests/data/${stream%/*}/metadata" | sed -e '/"trace-class"/s/"namespace.*packet-h/"packet-h/' \
			-e 's/"description":[^,}]*//' -e 's/,}/}/' > "$metadata"
		seed "$metadata" "$stream" > "$1/${stream%/*}"
		rm "$metadata"
	done
}

# Their own longest input each; what was found of others' is cut by libFuzzer itself.
fuzz() { # FORMAT MAX_LEN
	corpus=$build/fuzz/corpus-$1
	mkdir -p "$corpus"
	"seeds_$1" "$corpus"
	exec "$build/fuzz/fuzz_$1" -max_total_time="$seconds" -max_len="$2" -timeout=10 \
		-rss_limit_mb=2048 -print_final_stats=1 -dict=traces/fuzz.dict \
		-artifact_prefix="$build/fuzz/crash-$1-" "$corpus" > "$build/fuzz/$1.log" 2>&1
}

echo "fuzzing for $seconds s, four side by side"
fuzz ftrace 4096 & ftrace=$!
fuzz ctf 1024 & ctf=$!
fuzz tsdl 4800 & tsdl=$!
fuzz ctf2 8192 & ctf2=$!
trap 'kill $ftrace $ctf $tsdl $ctf2 2>/dev/null; exit 130' INT TERM
found=0
for format in ftrace ctf tsdl ctf2; do
	eval "process=\$$format"
	if wait "$process"; then
		echo "fuzz_$format: $(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' \
			"$build/fuzz/$format.log") executions, nothing found"
	else
		tail -30 "$build/fuzz/$format.log"
		echo "stampede: fuzz_$format found something; its input is in" \
			"$build/fuzz/crash-$format-*" >&2
		found=2
	fi
done
exit $found
