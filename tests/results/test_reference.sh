#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_reference.sh BUILD   What is kept of other machines, and compare --contribute on the
# command line. TAP.
build=$1
. tests/support/tap.sh

# The documents' blocks made again are the same.
cp -r README.md docs "$scratch/"
mkdir -p "$scratch/results"
cp -r results/reference "$scratch/results/"
python3 -B plots/readme.py - "$scratch/README.md" && cmp -s README.md "$scratch/README.md" &&
	diff -r docs "$scratch/docs"
report $? "the documents' blocks are those of results/reference/ (make readme RUN=-)"

# What is committed is small, whole and nobody's.
good=0
for file in results/reference/*/reference.json; do
	[ "$(wc -c <"$file")" -lt 49152 ] && grep -q '"revision": *"[0-9a-f]\{12\}"' "$file" &&
		! grep -qE '"(host_name|hostname|repetition_index|benchmarks)"|/(home|root|tmp|work)/' \
			"$file" || good=1
done
report $good "each reference: under 48 kB, of a commit, without host name, path or repetitions"

export STAMPEDE_REFERENCES="$scratch/references"
says "contribute: no such run" 1 "no such run" "$build/compare" --contribute nothing
says "contribute: and two rows" 1 "takes one run" "$build/compare" --contribute x floor full_tsc
says "contribute: the synthetic sample, which does not say how noisy it was" 7 "does not say" \
	"$build/compare" --contribute tests/data/bench_sample.json
[ ! -e "$scratch/references" ]
report $? "contribute: what is refused leaves nothing"
plan
