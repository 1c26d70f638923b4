#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: fleet.sh DIR ["SBATCH OPTIONS"]   A bench on one node of each kind that the cluster names, which
# it has for itself; a kind is what sinfo calls a node's features, or each word of KINDS, as
# sbatch --constraint takes it. Records go to DIR/KIND/; kinds that have one there are left out.
# BENCH (default: build/bench of this clone): the program, in a folder that all nodes see. ARGS: its
# options, such as --full. Exit code: 0 submitted, or nothing is missing; 1 usage or refused by Slurm,
# 3 something is not to be had.
set -u
refuse() { # exit code, line
	echo "stampede: $2" >&2
	exit "$1"
}
[ $# -ge 1 ] && [ $# -le 2 ] || refuse 1 "sh runner/fleet.sh DIR [\"SBATCH OPTIONS\"]"
directory=$1
options=${2:-}
bench=${BENCH:-$(dirname "$0")/../build/bench}
[ -x "$bench" ] || refuse 3 "no program $bench: make, or set BENCH"
bench=$(readlink -f "$bench")
command -v sbatch >/dev/null || refuse 3 "no sbatch here: run this where jobs are submitted"
mkdir -p "$directory" || refuse 3 "cannot make $directory"
directory=$(readlink -f "$directory")
case $bench$directory in
*[!A-Za-z0-9_./:@+,=-]*)
	refuse 1 "other machines' shells read these paths: no blank or quote in $bench and $directory"
	;;
esac

# A node's features, all of which the job asks for; nodes without any are one kind.
named() {
	sinfo -h -N -o %f | sort -u | sed 's/^(null)$/any/; s/,/\&/g'
}
kinds=${KINDS:-$(named)}
[ -n "$kinds" ] || refuse 1 "sinfo names no node: is Slurm up?"
for kind in $kinds; do
	case $kind in
	*[!A-Za-z0-9_.\&-]*) refuse 1 "a kind's name is no folder's: $kind" ;;
	esac
	folder=$directory/$(echo "$kind" | tr '&' +)
	if [ -e "$folder/latest/bench.json" ]; then
		echo "$kind: done, in $folder/latest"
		continue
	fi
	mkdir -p "$folder" || refuse 3 "cannot make $folder"
	constraint=
	[ "$kind" = any ] || constraint=--constraint=$kind
	# shellcheck disable=SC2086
	job=$(sbatch --parsable --job-name="stampede-bench-$kind" --exclusive $constraint --time=240 \
		--output="$folder/job.log" --open-mode=append $options \
		"$(dirname "$0")/fleet.sbatch" "$bench" "$folder" ${ARGS:-}) ||
		refuse 1 "sbatch refused a bench on $kind; others are in the queue: squeue -u \$USER"
	echo "job ${job%%;*}: a bench on $kind, in $folder"
done
echo "then: python3 plots/fleet.py $directory/*/latest"
