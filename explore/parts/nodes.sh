#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: nodes.sh DIR N slurm|parallel [OPTION OF sbatch|parallel]... -- [OPTION OF explore]...
# A search in N parts, in a folder and from a tree that all nodes see under the same path. A part
# that has its record in DIR is not searched again: the same command once more does what is missing.
set -eu
refuse() { echo "stampede: $2" >&2; exit "$1"; }
usage() { sed -n '3,5s/^# //p' "$0" >&2; exit 1; }
quoted() { printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"; }
list() { for word; do quoted "$word"; printf ' '; done; }

[ $# -ge 3 ] || usage
case $2 in '' | *[!0-9]* | 0) usage ;; esac
mkdir -p "$1"
folder=$(readlink -f "$1") parts=$2 by=$3 explore=${EXPLORE:-build/explore} options=
shift 3

# One part, by the other two: nodes.sh DIR N part K -- OPTIONS
if [ "$by" = part ]; then
	number=$1 code=137 record=$folder/part-$1.json
	shift 2
	for _ in 1 2 3; do # if it is killed
		[ ! -e "$record" ] && [ $code -gt 128 ] || break
		code=0
		"$explore" --processes 1 "$@" --part "$number/$parts" --json "$record" || code=$?
	done
	[ ! -e "$record" ] || exit 0
	exit $code
fi
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	options="$options $(quoted "$1")"
	shift
done
[ $# -gt 0 ] || usage
shift
[ -x "$explore" ] || refuse 3 "no program $explore: make build/explore explored"
missing=$(for number in $(seq 0 $((parts - 1))); do
	[ -e "$folder/part-$number.json" ] || echo "$number"
done)
part="EXPLORE=$(quoted "$explore") sh explore/parts/nodes.sh $(quoted "$folder") $parts part"
merge="python3 -B explore/parts/merge.py --json $(quoted "$folder/all.json") $(quoted "$folder")/part-*.json"
name=stampede-$(printf %s "$folder" | cksum | cut -d' ' -f1)
case $by in
slurm)
	[ -z "$(squeue -h -n "$name" -o %i)" ] ||
		refuse 5 "parts of this search are in the queue: wait, or scancel -n $name"
	[ -z "$missing" ] || job=$(eval "sbatch --parsable --requeue --job-name=$name \
		--array=$(echo "$missing" | paste -sd,) --output=$(quoted "$folder/part-%a.log") $options \
		--wrap=$(quoted "$part \$SLURM_ARRAY_TASK_ID -- $(list "$@")")")
	eval "sbatch --job-name=$name ${job:+--dependency=afterany:${job%%;*}} \
		--output=$(quoted "$folder/verdict.txt") $options --wrap=$(quoted "$merge")"
	echo "the verdict will be in $folder/verdict.txt" ;;
parallel) # a host that is gone is noticed after 20 seconds; another one does its parts
	alive="-o ServerAliveInterval=10 -o ServerAliveCountMax=2"
	export PARALLEL_SSH="${PARALLEL_SSH:-ssh -o BatchMode=yes $alive}"
	[ -z "$missing" ] || echo "$missing" | eval "parallel --retries 4 --workdir $(quoted "$PWD") \
		$options $(quoted "$part {} -- $(list "$@")")" || true
	eval "$merge" ;;
*) usage ;;
esac
