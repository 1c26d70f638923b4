#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: fuzz_merge.sh BUILD DIR A-B   What tasks A to B of a job array found, in one statement. Their
# corpora become one of each format, DIR/corpus-FORMAT, which the next array tries first.
# Exit code: 0 nothing found, 1 usage, 2 a finding, 3 a corpus could not be merged, 5 a task is missing
# or did not end.
set -u
refuse() { # exit code, line
	echo "stampede: $2" >&2
	exit "$1"
}
[ $# -eq 3 ] || refuse 1 "sh traces/fuzz_merge.sh BUILD DIR A-B"
build=$1 directory=$2 first=${3%-*} last=${3#*-}
case $first/$last in
*[!0-9/]* | /* | */) refuse 1 "'$3': the indices of the array are wanted, such as 0-63" ;;
esac
[ -d "$directory" ] || refuse 1 "$directory: no such folder"

missing= runs=0 tasks=0 at=$first
while [ "$at" -le "$last" ]; do
	ran=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$directory/$at"/*.log 2>/dev/null | tail -1)
	if [ -n "$ran" ]; then
		runs=$((runs + ran)) tasks=$((tasks + 1))
	else
		missing="$missing $at"
	fi
	at=$((at + 1))
done

for format in ftrace ctf tsdl ctf2; do
	set -- "$directory"/[0-9]*/corpus-"$format"
	[ -d "$1" ] || continue
	mkdir -p "$directory/corpus-$format"
	"$build/fuzz/fuzz_$format" -merge=1 "$directory/corpus-$format" "$@" \
		>"$directory/merge-$format.log" 2>&1 ||
		refuse 3 "the corpora of $format were not merged: $directory/merge-$format.log"
	echo "corpus of $format: $(find "$directory/corpus-$format" -type f | wc -l) inputs"
done
set -- "$directory"/[0-9]*/crash-*
[ -e "$1" ] && findings=$# || findings=0
hosts=$(cat "$directory"/[0-9]*/host 2>/dev/null | sort -u | wc -l)
echo "$runs executions in $tasks tasks on $hosts machines: $findings findings"
if [ "$findings" -gt 0 ]; then
	printf '  %s\n' "$@"
	exit 2
fi
[ -z "$missing" ] || refuse 5 "tasks that are missing, or did not end:$missing"
