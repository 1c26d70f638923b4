# SPDX-License-Identifier: MIT
# Read by `.` with $directory, the folder of a plan: makes it and $explore absolute, and sets $shards,
# how many there are, $missing, those without a record, one a line, and $longest, the seconds that the
# longest of these takes, about.

refuse() { # exit code, line
	echo "stampede: $2" >&2
	exit "$1"
}

explore=${EXPLORE:-$(dirname "$0")/../../build/explore}
[ -x "$explore" ] || refuse 3 "no program $explore: make explore, or set EXPLORE"
explore=$(readlink -f "$explore")
[ -r "$directory/plan.jsonl" ] ||
	refuse 3 "no plan in $directory: make one by $explore [...] --plan $directory"
directory=$(readlink -f "$directory")
case $explore$directory in
*[!A-Za-z0-9_./:@+,=-]*)
	refuse 1 "other machines' shells read these paths: no blank or quote in $explore and $directory"
	;;
esac

# A shard's line begins with its number and its seconds.
estimates() {
	sed -nE 's/^\{"shard":([0-9]+),"seconds":([0-9.eE+-]+),.*/\1 \2/p' "$directory/plan.jsonl"
}
shards=$(sed -nE '1s/.*"shards":([0-9]+).*/\1/p' "$directory/plan.jsonl")
if [ -z "$shards" ] || [ "$(estimates | wc -l)" -ne "$shards" ]; then
	refuse 1 "$directory/plan.jsonl has not all its shards: make a new plan"
fi
# One listing: a folder on the network is slow to ask for each of some thousands.
left=$({
	ls "$directory" | sed -nE 's/^shard-([0-9]+)\.json$/\1/p'
	echo :
	estimates
} | awk '$1 == ":" { planned = 1; next } !planned { done[$1] = 1; next } !($1 in done)')
missing=$(echo "$left" | sed 's/ .*//')
longest=$(echo "$left" | awk '$2 > most { most = $2 } END { printf "%.0f", most }')

# MiB that the states of a search may take; a shard has one process.
memory=${MEMORY:-2048}
case $memory in
'' | *[!0-9]*) refuse 1 "MEMORY=$memory: a number of MiB is wanted" ;;
esac
