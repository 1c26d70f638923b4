#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_commands.sh BUILD   sh runs the commands of two tables, with $build, $data (tests/data) and a
# folder $scratch. A line of "refused" has the exit code, words of the one line on stderr, and the command. In
# "commands" a command follows $, and the lines after it are all that it prints, on stderr too, but for progress. TAP.
. tests/support/tap.sh
export build="$1" data=tests/data scratch TZ=XXX-9:30
of=${0##*test_commands} of=${of%.sh} # test_commands_more.sh has "refused_more" and "commands_more"
lacks() { # COMMAND: it needs a program, or objects to search, that were not built
	for program in $(echo "$1" | grep -o 'build/[a-z-]*'); do
		[ -x "$build/${program#build/}" ] || return 0
	done
	case $1 in *build/explore\ *) [ ! -d "$build/explored" ] ;; *-L\$build\ *) [ "${SANITIZE-}" ] ;; *) false ;; esac
}
count=$(awk -v folder="$scratch" '/^\$ / { if (to) close(to); to = folder "/wanted." ++n; print substr($0, 3) >folder "/command." n
	printf "" >to; next } { print >to } END { print n }' "$(table commands$of)")
# Most commands wait for a run to end: two run at a time, while the other table is tried.
seq "$count" | xargs -P 2 -I@ sh -c 'timeout 60 sh "$scratch/command.@" >"$scratch/got.@" 2>&1' &
while IFS='|' read -r code words command; do
	lacks "$command" && skip "$command" "not built here" && continue
	says "$command" "$code" "$words" sh -c "$command"
	! grep -q '(null)' "$scratch/err" || report 1 "$command: says (null)"
done <"$(table refused$of)"
wait && report $((${count:-0} * number == 0)) "both tables have commands"
for at in $(seq "$count"); do
	command=$(cat "$scratch/command.$at")
	lacks "$command" && skip "$command" "not built here" && continue
	diff -I "^\[ *[0-9]* %\] " "$scratch/wanted.$at" "$scratch/got.$at" >"$scratch/err"
	told $? "$command"
done
plan
