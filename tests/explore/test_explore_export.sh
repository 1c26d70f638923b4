#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_explore_export.sh BUILD   What build/explore --export writes of kept and of broken
# schedules, as read-trace, babeltrace2 and kbuffer read it. TAP.
build=$1
explore=$build/explore
. tests/support/tap.sh
needs_explored "exports of schedules" "make explored"
trace=$scratch/trace

# Both published faults, built beside everything.
make --no-print-directory BUILD="$scratch/make" EXPLORED="$scratch" "$scratch/seed_001.page.so" \
	"$scratch/seed_004.page.so" >"$scratch/make.log" 2>&1 || sed 's/^/# /' "$scratch/make.log"

# The times of the timeline's last part, those of the trace, and what the other reader says.
compare() { # name format
	sed -n 's/^ *E[0-9]* *decoded \([0-9]*\) .*/\1/p' "$scratch/out" >"$scratch/shown"
	"$build/read-trace" --csv "$trace" >"$scratch/csv" 2>"$scratch/err"
	[ $? -eq 0 ] && [ -s "$scratch/shown" ] && case $2 in
	CTF) sed 1d "$scratch/csv" | cut -d, -f2 ;;
	ftrace) sed 1d "$scratch/csv" | cut -d, -f4 ;;
	esac | cmp -s - "$scratch/shown"
	report $? "$1: read-trace has the times that are shown ($(wc -l <"$scratch/shown"))"
	[ "$2" = CTF ] && return # read-trace is libbabeltrace2 there
	STAMPEDE_CAPTURE="$trace" "$build/tests/traces/test_readers_ftrace" >"$scratch/log" 2>&1
	report $? "$1: $(grep -ao '[a-z0-9]* and read-trace agree on [0-9]* events' "$scratch/log")"
}

# exports NAME FORMAT CODE WRONG? OPTIONS...: that trace, with as many wrong times as are marked
exports() {
	name=$1 format=$2 code=$3 wrong=$4
	shift 4
	rm -rf "$trace"
	"$explore" "$@" --export "$trace" >"$scratch/out" 2>"$scratch/err"
	[ $? -eq "$code" ] && grep -q "exported to $trace: $format" "$scratch/out" &&
		[ "$(grep -c 'wrong$' "$scratch/out")" -ge "$wrong" ] &&
		{ [ "$wrong" -gt 0 ] || ! grep -q 'wrong$' "$scratch/out"; }
	told $? "$name: exported"
	compare "$name" "$format"
}

exports "extended_header, kept" CTF 0 0 --schemes =extended_header --shape ends4 --events 6 \
	--nested 2 --jumps 1 --replay n5.j7:134217728.n20
cp "$scratch/csv" "$scratch/first.csv"
rm -rf "$trace"
"$explore" --schemes =extended_header --shape ends4 --events 6 --nested 2 --jumps 1 \
	--replay n5.j7:134217728.n20 --export "$trace" --ctf 2 >"$scratch/out" 2>"$scratch/err" &&
	grep -q "exported to $trace: CTF 2" "$scratch/out"
report $? "extended_header, kept: exported in CTF 2"
if "$build/read-trace" --csv "$trace" >"$scratch/csv" 2>"$scratch/err"; then
	cmp -s "$scratch/csv" "$scratch/first.csv"
	report $? "extended_header, kept: the same in CTF 2"
else
	grep -q "this is CTF 2, which libbabeltrace2 reads from 2.1 on" "$scratch/err"
	report $? "extended_header, kept: the library is too old for CTF 2, and is said to be"
fi
# Payload and time side by side: what is wrong stays wrong in the trace, for any reader to see.
exports "heartbeat without a beat" CTF 0 3 --schemes =heartbeat --events 3 --nested 0 --jumps 1 \
	--replay j2:8589934592
awk -F, 'NR > 1 && $2 != $3 { wrong++ } END { exit wrong != 3 }' "$scratch/csv"
report $? "heartbeat without a beat: the payload has the stamp, whole wraps later"
exports "nested_stamps, kept" ftrace 0 0 --schemes =nested_stamps --shape ends4 --events 6 \
	--nested 2 --replay n3.n7
exports "a printed shift, first failure" CTF 2 1 --object "$scratch/seed_001.page.so" \
	--shape page --events 1 --nested 0 --jumps 1 --before 1
schedule=$(sed -n 's/.* --replay "\(.*\)"$/\1/p' "$scratch/out")
cp "$scratch/csv" "$scratch/first.csv"
exports "a printed shift, replayed" CTF 2 1 --object "$scratch/seed_001.page.so" \
	--shape page --events 1 --nested 0 --jumps 1 --before 1 --replay "$schedule"
cmp -s "$scratch/csv" "$scratch/first.csv"
report $? "a printed shift: the same trace"
exports "drifting times" ftrace 2 1 --object "$scratch/seed_004.page.so" \
	--shape page --events 2 --nested 1 --before 1

# A reader in the middle: what it took is not in the buffer at the end, but in the trace.
rm -rf "$trace"
ends="--schemes =nested_stamps --shape ends2 --events 16 --nested 0 --reads 1"
"$explore" $ends --replay none --export "$trace" >"$scratch/out" 2>"$scratch/err" &&
	"$build/read-trace" --csv "$trace" >"$scratch/csv" && lapped=$(wc -l <"$scratch/csv")
stop=0 taken=
while [ -z "$taken" ] && [ $((stop += 10)) -lt 500 ]; do
	rm -rf "$trace"
	"$explore" $ends --replay "r$stop" --export "$trace" >"$scratch/out" 2>"$scratch/err" || break
	"$build/read-trace" --csv "$trace" >"$scratch/csv" 2>"$scratch/err"
	[ "$(wc -l <"$scratch/csv")" -gt "$lapped" ] && taken=yes
done
[ -n "$taken" ] && cut -d, -f4 "$scratch/csv" | sed 1d | sort -nc &&
	[ "$(sed -n 's/^ *E[0-9]* *decoded.*/x/p' "$scratch/out" | wc -l)" -lt \
		"$(($(wc -l <"$scratch/csv") - 1))" ]
report $? "what a reader took in the middle is in the trace"

# ---- what cannot be ----
one="$explore --schemes =packed_word --replay n1"
says "a row without a format" 4 "untimed has no stamps, or a format of its own" \
	"$explore" --schemes =untimed --replay none --export "$scratch/none"
says "rows without a format" 4 "untimed has no stamps, or a format of its own" \
	"$explore" --schemes =untimed --export "$scratch/none"
says "a directory that is there" 1 "is there already; remove it" $one --export "$scratch"
says "a directory in none" 1 "No such file" $one --export "$scratch/no/where"
says "a schedule that does not fit" 1 "does not fit" "$explore" --schemes =packed_word \
	--replay n9999 --export "$scratch/none"
shows "nothing broken" "nothing is exported" "$explore" --schemes =packed_word --nested 1 \
	--export "$scratch/none"
[ ! -e "$scratch/none" ] && [ ! -e "$scratch/none.partial" ]
report $? "nothing is left of what was not exported"
plan
