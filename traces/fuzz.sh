#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: fuzz.sh BUILD SECONDS [FOLDER INDEX]   Both decoders and the parsers of metadata, side by side;
# or one of these, by the index in a job array. What was found once is kept in FOLDER/corpus-* (of
# BUILD/fuzz) and tried first; a finding is written to FOLDER/crash-*, exit code 2; 3: one ended early.
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
described() { # METADATA STREAM
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
		described "$metadata" "$stream" > "$1/${stream%/*}"
		rm "$metadata"
	done
}

# A fragment behind the preamble, with fewer of the fields of tests/data/ctf2; and LTTng's.
seeds_ctf2() { # DIRECTORY
	for stream in ctf2/stream lttng_ctf2/few_0; do
		metadata=$1/metadata.part
		tail -n +2 "tests/data/${stream%/*}/metadata" | sed -e '/"trace-class"/s/"namespace.*packet-h/"packet-h/' \
			-e 's/"description":[^,}]*//' -e 's/,}/}/' > "$metadata"
		described "$metadata" "$stream" > "$1/${stream%/*}"
		rm "$metadata"
	done
}

formats="ftrace ctf tsdl ctf2"
folder=${3:-$build/fuzz}
index=${4:-}
merged= # corpora that are tried, and not written to
seed=
if [ -n "$index" ]; then
	formats=$(echo "$formats" | cut -d' ' -f$((index % 4 + 1)))
	seed=$((index + 1)) # of 0 libFuzzer takes one of its own
	[ ! -d "$folder/../corpus-$formats" ] || merged=$folder/../corpus-$formats
fi

# Of each format its own; what was found of others' is cut by libFuzzer itself.
longest() { # FORMAT
	case $1 in
	ftrace) echo 4096 ;;
	ctf) echo 1024 ;;
	tsdl) echo 4800 ;;
	ctf2) echo 8192 ;;
	esac
}

fuzz() { # FORMAT
	corpus=$folder/corpus-$1
	mkdir -p "$corpus"
	"seeds_$1" "$corpus"
	exec "$build/fuzz/fuzz_$1" -max_total_time="$seconds" -max_len="$(longest "$1")" -timeout=10 \
		-rss_limit_mb=2048 -print_final_stats=1 -dict=traces/fuzz.dict ${seed:+-seed=$seed} \
		-artifact_prefix="$folder/crash-$1-" "$corpus" ${merged:+"$merged"} \
		> "$folder/$1.log" 2>&1
}

echo "fuzzing for $seconds s: $formats"
processes=
for format in $formats; do
	fuzz "$format" &
	eval "of_$format=$!"
	processes="$processes $!"
done
# shellcheck disable=SC2086
trap 'kill $processes 2>/dev/null; exit 130' INT TERM
found=0
for format in $formats; do
	eval "process=\$of_$format"
	if wait "$process"; then
		echo "fuzz_$format: $(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' \
			"$folder/$format.log") executions, nothing found"
	else
		tail -30 "$folder/$format.log"
		set -- "$folder/crash-$format"-*
		if [ -e "$1" ]; then
			echo "stampede: fuzz_$format found something; its input is in $*" >&2
			found=2
		else
			echo "stampede: fuzz_$format ended early, and found nothing" >&2
			[ $found -eq 2 ] || found=3
		fi
	fi
done
exit $found
