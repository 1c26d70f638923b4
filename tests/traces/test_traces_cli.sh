#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_traces_cli.sh BUILD   read-trace on good and on bad traces, exports. TAP.
build=$1
. tests/support/tap.sh
read=$build/read-trace
data=tests/data

# ---- what others recorded ----
as_recorded() { # TRACE EXPECTED: every event of the trace
	gzip -dc "$data/$2.csv.gz" >"$scratch/expected.csv" && [ -s "$scratch/expected.csv" ] &&
		"$read" --csv "$data/$1" | cmp -s - "$scratch/expected.csv"
}
as_recorded ftrace ftrace/events
report $? "a kernel's sub-buffers are printed as recorded"
as_recorded lttng lttng
report $? "an LTTng trace is printed as recorded"
grep -aq 'event.header := struct event_header_compact' $data/lttng_compact/metadata &&
	as_recorded lttng_compact lttng_compact
report $? "one with compact headers too"
ctf2() { # what read-trace does with CTF 2, if it can: NAME COMMAND...
	name=$1
	shift
	if pkg-config --atleast-version=2.1 babeltrace2; then
		"$@"
		report $? "$name"
	else
		says "$name: too old a libbabeltrace2" 1 "this is CTF 2, which libbabeltrace2 reads from 2.1 on" \
			"$read" $data/lttng_2_16
	fi
}
ctf2 "and what LTTng 2.16 records by default, CTF 2" as_recorded lttng_2_16 lttng_2_16
"$read" - <$data/ftrace/cpu0.raw >"$scratch/out" 2>&1
[ $? = 1 ]
report $? "- is no path"
"$read" --csv $data/ftrace/cpu0.raw >"$scratch/file.csv"
cat $data/ftrace/cpu0.raw | "$read" --csv /dev/stdin | cmp -s - "$scratch/file.csv"
report $? "a pipe is read like a file"
"$read" --gaps "$scratch/gaps.csv" $data/ftrace >/dev/null &&
	[ "$(awk -F, 'NR > 1 { n += $4 } END { print n }' "$scratch/gaps.csv")" = $((17524 - 2)) ]
report $? "gaps: one less than events per CPU"
"$build/run-stress" --workload replay --gaps "$scratch/gaps.csv" --seconds 0.3 --scheme =full_tsc \
	>/dev/null 2>&1
report $? "gaps: run-stress replays them"

# ---- damage: its offset, what it is, what was read before it ----
poke() { # file offset octal...
	file=$1 at=$2
	shift 2
	for byte in "$@"; do
		printf "\\$byte" | dd of="$file" bs=1 seek="$at" conv=notrunc 2>/dev/null
		at=$((at + 1))
	done
}
raw() { # a fresh copy with two sub-buffers
	head -c 8192 $data/ftrace/cpu0.raw >"$scratch/cpu0.raw"
}
raw
head -c 5000 $data/ftrace/cpu0.raw >"$scratch/cpu0.raw"
before=$(gzip -dc $data/ftrace/events.csv.gz | grep -c ^0,)
says "truncated sub-buffer" 1 \
	"offset 4096: truncated: 904 of the 4096.*read before it: $before events" \
	"$read" "$scratch/cpu0.raw"
head -c 8192 /dev/zero >"$scratch/cpu0.raw"
says "zeros" 1 "offset 0: no sub-buffer" "$read" "$scratch/cpu0.raw"
while IFS='|' read -r words at bytes; do
	# shellcheck disable=SC2086
	raw && poke "$scratch/cpu0.raw" "$at" $bytes
	says "$words" 1 "$words" "$read" "$scratch/cpu0.raw"
done <"$(table read_poked)"
mkdir "$scratch/empty"
mkdir "$scratch/chunks" && cp -r $data/lttng "$scratch/chunks/000000" && cp -r $data/lttng "$scratch/chunks/000001"
[ "$("$read" --csv "$scratch/chunks" | grep -c '^[0-9]')" = "$("$read" --csv $data/lttng $data/lttng | grep -c '^[0-9]')" ]
report $? "a directory of chunks: the events of each"
rm "$scratch/chunks/000001/metadata"
[ "$("$read" --csv "$scratch/chunks" | grep -c '^[0-9]')" = "$("$read" --csv $data/lttng | grep -c '^[0-9]')" ]
report $? "and not of one without metadata"
mkdir -p "$scratch/session/ust/uid/0" && cp -r $data/lttng "$scratch/session/ust/uid/0/64-bit"
[ "$("$read" --csv "$scratch/session" | grep -c '^[0-9]')" = "$("$read" --csv $data/lttng | grep -c '^[0-9]')" ]
report $? "the folder of a session of LTTng"
says "a directory without a trace" 1 "neither a file .metadata. nor" "$read" "$scratch/empty"

# CTF's damage is found by libbabeltrace2, in its words: what was read before it is ours.
lttng() { # a fresh copy
	rm -rf "$scratch/lttng"
	cp -r $data/lttng "$scratch/lttng"
	chmod -R u+w "$scratch/lttng"
}
damaged='lttng: libbabeltrace2 2[.0-9]*: .*; \(nothing was read\|read before it: [0-9]* events in\)'
lttng && head -c 4000 $data/lttng/ch_0 >"$scratch/lttng/ch_0"
says "truncated packet" 1 "$damaged" "$read" "$scratch/lttng"
lttng && head -c 4096 /dev/zero >"$scratch/lttng/ch_0"
says "a packet of zeros" 1 "$damaged" "$read" "$scratch/lttng"
lttng && poke "$scratch/lttng/ch_0" 0 301 374 037 301
# libbabeltrace2 2.1 reads the packet all the same: then each event of it.
if "$read" --csv "$scratch/lttng" >"$scratch/out" 2>"$scratch/err"; then
	gzip -dc $data/lttng.csv.gz | cmp -s - "$scratch/out"
	report $? "a packet of the other byte order, which the library reads"
else
	says "a packet of the other byte order" 1 "$damaged" "$read" "$scratch/lttng"
fi
lttng && poke "$scratch/lttng/ch_0" 86 7
says "an event that the metadata does not know" 1 "$damaged" "$read" "$scratch/lttng"
lttng && poke "$scratch/lttng/metadata" 200 100
says "metadata that is damaged" 1 "$damaged" "$read" "$scratch/lttng"
# What libbabeltrace2 would read for ever, or divide by zero at.
lttng && head -c 700 $data/lttng/metadata >"$scratch/lttng/metadata"
says "metadata in packets, cut" 1 "metadata: offset 0: a packet that is not whole; nothing was read" "$read" --csv "$scratch/lttng"
says "the same, to the linter" 1 "metadata: offset 0: a packet that is not whole; nothing was read" "$read" --lint "$scratch/lttng"
tar -xzf $data/lint.tar.gz -C "$scratch"
says "a library that divides by zero" 1 "libbabeltrace2 2[.0-9]*: .*; \(nothing was read\|read before it: 0\)" "$read" "$scratch"/lint/ctf-divides-by-zero

# ---- exports ----
for ctf in 1.8 2; do
	"$build/run-stress" --scheme =heartbeat --workload steady --seconds 0.3 --ctf $ctf \
		--export "$scratch/ctf-$ctf" --export-mib 1 >"$scratch/out" 2>&1 &&
		{ [ $ctf = 2 ] && ! pkg-config --atleast-version=2.1 babeltrace2 ||
			"$read" --dates --csv "$scratch/ctf-$ctf/heartbeat/epoch-0" >"$scratch/csv"; }
	# What is recorded is its own stamp, and the date is of today.
	good=$? today=$(date -u +%Y-%m)
	awk -F, -v good=$good -v today="$today" 'NR > 1 && index($3, today) { dated++ }
		END { exit good || dated < 1000 || dated != NR - 1 }' "$scratch/csv"
	report $? "an export of CTF $ctf has dates"
done
grep -aq '"type":"preamble","version":2' "$scratch/ctf-2/heartbeat/epoch-0/metadata" &&
	grep -q '^/. CTF 1.8 ' "$scratch/ctf-1.8/heartbeat/epoch-0/metadata"
report $? "each by its own metadata"
"$build/run-stress" --scheme "=extended_header =nested_stamps" --workload threads --threads 2 \
	--seconds 0.4 --export "$scratch/export" --export-mib 8 >"$scratch/out" 2>&1
report $? "run-stress exports"
for trace in "$scratch"/export/*/*; do
	"$read" "$trace" >"$scratch/out" 2>&1 && [ "$(grep -c ' events in ' "$scratch/out")" = 2 ]
	report $? "a file per CPU in $(basename "$(dirname "$trace")")"
	break
done
"$build/run-stress" --scheme =packed_word --workload bursts --seconds 1.5 --export "$scratch/many" --export-mib 1 >"$scratch/out" 2>&1
awk -v bytes="$(cat "$scratch"/many/*/*/cpu* | wc -c)" '/exported/ { match($0, /[0-9.]+ MiB/); told = bytes / 1048576 - substr($0, RSTART, RLENGTH)
	good = $2 > 1 && told < .1 && told > -.1 && bytes < 2 * 1048576 } END { exit !good }' "$scratch/out"
told $? "the limit of an export is of all its traces, and the MiB told are theirs"
mkdir -p "$scratch/taken/packed_word/epoch-1"
"$build/run-stress" --schemes =packed_word --seconds 1.5 --export "$scratch/taken" --export-mib 400 >"$scratch/out" 2>"$scratch/err"
[ $? -ne 0 ] && grep -q 'epoch-1' "$scratch/err" && ! grep -q exported "$scratch/out"
told $? "where one trace cannot be made, no export is said"
mkdir "$scratch/mixed" && printf '\3757zXZ\0' >"$scratch/mixed/a.json.xz" &&
	echo '[{"ph":"B","ts":5},{"ph":"E","ts":4}]' >"$scratch/mixed/b.json"
PATH=/none "$read" --lint "$scratch/mixed" >"$scratch/out" 2>"$scratch/err"
[ $? -eq 3 ] && grep -q 'a.json.xz' "$scratch/err" && grep -q 'b.json: .*found parent 1$' "$scratch/out"
told $? "a trace below a folder that cannot be unpacked takes no other along"
if [ "$(id -u)" = 0 ] && mkdir "$scratch/small" &&
	mount -t tmpfs -o size=1m tmpfs "$scratch/small" 2>/dev/null; then
	says "a full disk" 3 "No space left.*nothing of it is kept" \
		"$build/run-stress" --scheme =full_tsc --workload steady --seconds 0.3 \
		--export "$scratch/small/x"
	[ -z "$(find "$scratch/small/x" -name 'epoch*')" ]
	report $? "a full disk leaves no half trace"
	umount "$scratch/small"
else
	skip "a full disk" "no tmpfs can be mounted here"
fi

MAKEFLAGS='' make -s lint 2>&1 | head -1 | grep -q 'stampede: make lint TRACES="FILE'
report $? "make lint asks which trace before it builds"
plan
