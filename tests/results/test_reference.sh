#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_reference.sh BUILD   What is kept of other machines. TAP.
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

plan
