#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: slurm.sh DIR ["SBATCH OPTIONS"]   Submits to Slurm what has no record yet of the plan in DIR,
# as job arrays, and behind them a job that merges and writes DIR/verdict.txt. DIR and the build are
# in folders that all nodes see under the same path. Once more does what is still missing.
# EXPLORE (default: build/explore of this clone): the program that made the plan. MEMORY=MIB (2048):
# what the states of a search may take. Exit code: 0 submitted, or nothing is missing; 1 usage or
# refused by Slurm, 3 something is not to be had, 5 shards of this plan are in the queue.
set -u
directory=${1:-}
options=${2:-}
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
	echo "stampede: sh explore/cluster/slurm.sh DIR [\"SBATCH OPTIONS\"]" >&2
	exit 1
fi
here=$(dirname "$0")
. "$here/plan.sh"
command -v sbatch >/dev/null || refuse 3 "no sbatch here: run this where jobs are submitted"
verdict="$explore --merge $directory"
if [ -z "$missing" ]; then
	echo "all $shards shards are done; the verdict: $verdict"
	exit 0
fi
# The same plan in the queue twice would do everything twice.
name=stampede-$(cksum <"$directory/plan.jsonl" | cut -d' ' -f1)
waiting=$(squeue -h -n "$name" -o %i) || refuse 1 "squeue failed: is Slurm up?"
[ -z "$waiting" ] || refuse 5 "shards of this plan are in the queue: wait, or scancel -n $name"
most=$(scontrol show config | sed -nE 's/^MaxArraySize *= *([0-9]+).*/\1/p')
case $most in
'' | 0) refuse 1 "Slurm says no MaxArraySize: are job arrays allowed?" ;;
esac
mkdir -p "$directory/slurm" || refuse 3 "cannot make $directory/slurm"

# A node may be slower than the machine that the plan was made on, or shared.
minutes=$(((longest * 3 + 600 + 59) / 60))

# Indices end below MaxArraySize, so an array has so many shards from a first one. A line for each:
# the first one, and its list of indices as --array has it.
arrays() {
	echo "$missing" | awk -v most="$most" '
		function put() {
			if (list != "") list = list ","
			list = list (begin == end ? begin : begin "-" end)
		}
		{
			first = int($1 / most) * most
			at = $1 - first
			if (NR > 1 && (first != of || at != end + 1)) {
				put()
				begin = at
			}
			if (NR == 1 || first != of) {
				if (NR > 1) print of, list
				list = ""
				of = first
				begin = at
			}
			end = at
		}
		END { put(); print of, list }'
}

jobs=
for array in $(arrays | tr ' ' /); do
	# shellcheck disable=SC2086
	job=$(sbatch --parsable --job-name="$name" --array="${array#*/}" --time="$minutes" \
		--mem="$((memory + 512))M" --output="$directory/slurm/%A_%a.out" $options \
		"$here/shards.sbatch" "$explore" "$directory" "$memory" "${array%/*}") ||
		refuse 1 "sbatch refused the shards; of those before it: scancel -n $name"
	job=${job%%;*}
	echo "job $job: shards ${array#*/} from ${array%/*}, $minutes minutes each at most"
	jobs=$jobs:$job
done
# shellcheck disable=SC2086
job=$(sbatch --parsable --job-name="$name-merge" --dependency="afterany$jobs" --time=60 \
	--mem="$((memory + 512))M" --output="$directory/verdict.txt" --open-mode=truncate $options \
	"$here/merge.sbatch" "$explore" "$directory") || refuse 1 "sbatch refused the merge: $verdict"
echo "job ${job%%;*}: the verdict, in $directory/verdict.txt; by hand: $verdict"
