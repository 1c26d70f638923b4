#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_traces_cli.sh BUILD   read-trace on good and on bad traces, exports, record-gaps. TAP.
build=$1
. tests/support/tap.sh
read=$build/read-trace
data=tests/data

# ---- what others recorded ----
"$read" --csv $data/ftrace | cmp -s - $data/ftrace/events.csv
report $? "a kernel's sub-buffers are printed as recorded"
"$read" --csv $data/lttng | cmp -s - $data/lttng.csv
report $? "an LTTng trace is printed as recorded"
grep -aq 'event.header := struct event_header_compact' $data/lttng_compact/metadata &&
	"$read" --csv $data/lttng_compact | cmp -s - $data/lttng_compact.csv
report $? "one with compact headers too"
"$read" --csv $data/lttng_2_16 | cmp -s - $data/lttng_2_16.csv
report $? "and what LTTng 2.16 records by default, CTF 2"
for form in lttng_ctf2 lttng_ctf2_ust; do
	"$read" --csv $data/$form | cmp -s - $data/lttng_compact.csv
	report $? "and under metadata of CTF 2 ($form)"
done
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
before=$(grep -c ^0, $data/ftrace/events.csv)
says "truncated sub-buffer" 1 \
	"offset 4096: truncated: 904 of the 4096.*read before it: $before events" \
	"$read" "$scratch/cpu0.raw"
head -c 8192 /dev/zero >"$scratch/cpu0.raw"
says "zeros" 1 "offset 0: no sub-buffer" "$read" "$scratch/cpu0.raw"
raw && poke "$scratch/cpu0.raw" 4104 0 0 0 0 0 0 017 360
says "the other byte order" 1 "offset 4104: commit .* byte order" "$read" "$scratch/cpu0.raw"
raw && poke "$scratch/cpu0.raw" 4104 361 017
says "commit larger than the sub-buffer" 1 "offset 4104: commit 0xff1 is more than the 4080" \
	"$read" "$scratch/cpu0.raw"
raw && poke "$scratch/cpu0.raw" 4104 370 001
says "record over the end" 1 "runs over the end of its sub-buffer" "$read" "$scratch/cpu0.raw"
raw && poke "$scratch/cpu0.raw" 16 36 0 0 0 377 377 377 377
says "absurd extend" 1 "offset 16: absurd extend" "$read" "$scratch/cpu0.raw"
raw && poke "$scratch/cpu0.raw" 4096 0 0 0 0 0 0 0 0
says "time that goes back" 1 "offset 4096: time goes back" "$read" "$scratch/cpu0.raw"
raw && poke "$scratch/cpu0.raw" 16 0 0 0 0 3 0 0 0
says "length that is none" 1 "offset 16: length of a large record" "$read" "$scratch/cpu0.raw"
says "sub-buffers smaller than said" 1 "offset 4096: another sub-buffer begins inside.*read before it: 146" \
	"$read" --subbuf 16384 $data/ftrace/cpu0.raw
says "sub-buffers larger than said" 1 "offset 8: commit 0xff0 is more than the 2032" \
	"$read" --subbuf 2048 $data/ftrace/cpu0.raw
says "deltas wider than said" 1 "offset 44: time_delta .* is none of 20 bits.*read before it: 1 " \
	"$read" --bits 20 $data/ftrace/cpu0.raw
says "a stream of a CTF trace" 1 "name its directory" "$read" $data/lttng/ch_0
says "no such file" 1 "No such file" "$read" "$scratch/none"
says "no path" 1 "which trace" "$read"
mkdir "$scratch/empty"
says "a directory without a trace" 1 "neither a file .metadata. nor" "$read" "$scratch/empty"
says "sub-buffers of an odd size" 1 "multiple of 8" "$read" --subbuf 1001 $data/ftrace

lttng() { # a fresh copy
	rm -rf "$scratch/lttng"
	cp -r $data/lttng "$scratch/lttng"
	chmod -R u+w "$scratch/lttng"
}
lttng && head -c 4000 $data/lttng/ch_0 >"$scratch/lttng/ch_0"
says "truncated packet" 1 "offset 0: truncated: 4000 of the 4096" "$read" "$scratch/lttng"
lttng && head -c 4096 /dev/zero >"$scratch/lttng/ch_0"
says "a packet of zeros" 1 "offset 0: no packet" "$read" "$scratch/lttng"
lttng && poke "$scratch/lttng/ch_0" 0 301 374 037 301
says "a packet of the other byte order" 1 "big-endian" "$read" "$scratch/lttng"
lttng && poke "$scratch/lttng/ch_0" 4 0
says "another trace's packet" 1 "offset 4: .*UUID" "$read" "$scratch/lttng"
lttng && poke "$scratch/lttng/ch_0" 20 7
says "a stream that the metadata does not know" 1 "stream 7" "$read" "$scratch/lttng"
lttng && poke "$scratch/lttng/ch_0" 86 7
says "an event that the metadata does not know" 1 "offset 84: event with id 7" \
	"$read" "$scratch/lttng"
lttng && poke "$scratch/lttng/ch_0" 48 060 007
says "an event over the end" 1 "runs over the end" "$read" "$scratch/lttng"
lttng && poke "$scratch/lttng/ch_0" 40 0 0 0 0
says "a packet that ends before its events" 1 "ends before" "$read" "$scratch/lttng"
lttng && poke "$scratch/lttng/metadata" 200 100
says "metadata that is damaged" 1 "metadata: offset" "$read" "$scratch/lttng"
lttng && head -c 3000 $data/lttng/metadata >"$scratch/lttng/metadata"
says "metadata that is cut" 1 "metadata packet of 4096" "$read" "$scratch/lttng"

compact() { # a fresh copy, whose header is that of `name`
	rm -rf "$scratch/lttng"
	mkdir "$scratch/lttng"
	cp $data/lttng_compact/few_0 "$scratch/lttng"
	sed "s/event_header_compact;/$1/" $data/lttng_compact/metadata >"$scratch/lttng/metadata"
}
compact "event_header_large;  "
says "metadata of another header" 1 "offset 84: event with id 31" "$read" "$scratch/lttng"
compact "event_header_compact;" && poke "$scratch/lttng/few_0" 95 1
says "an absurd stamp" 1 "offset 84: packet ends before its events do" "$read" "$scratch/lttng"
compact "event_header_compact;" && head -c 4100 $data/lttng_compact/few_0 >"$scratch/lttng/few_0"
says "a packet header that is cut" 1 "offset 4100: truncated: the file ends before 'uuid'.*read before it: 248 events" \
	"$read" "$scratch/lttng"

# Text that we wrote: whose byte order, version and clock can be another's.
"$build/run-stress" --scheme =full_tsc --workload steady --seconds 0.3 --export "$scratch/text" \
	--export-mib 1 >"$scratch/out" 2>&1
text=$scratch/text/full_tsc/epoch-0
cp "$text/metadata" "$scratch/metadata"
reword() { # name sed-script words
	sed "$2" "$scratch/metadata" >"$text/metadata"
	says "$1" 1 "metadata: offset [0-9]*: metadata: $3.*nothing was read" "$read" "$text"
}
reword "metadata of a big-endian machine" 's/byte_order = le/byte_order = be/' "the byte order is not le"
reword "metadata of another version" 's/major = 1/major = 2/' "a CTF version other"
reword "a clock that stands" 's/freq = [0-9]*/freq = 0/' "attribute of a wrong kind"
reword "no stream" '/^stream/,$d' "no stream is declared"
reword "bytes that are no text" 's/^trace/tra\x01ce/' "a block or a declaration expected, not 'tra"

# The fragments of CTF 2: none is read over.
ctf2() { # name sed-script words
	rm -rf "$scratch/ctf2"
	mkdir "$scratch/ctf2"
	cp $data/lttng_ctf2/few_0 "$scratch/ctf2"
	sed "$2" $data/lttng_ctf2/metadata >"$scratch/ctf2/metadata"
	says "$1" 1 "$3" "$read" "$scratch/ctf2"
}
ctf2 "a fragment that is cut" '9s/.\{40\}$//' \
	"metadata: offset [0-9]*: metadata: fragment 9: no whole JSON.*nothing was read"
ctf2 "a role that is none" '4s/event-record-class-id/event-id/' \
	"fragment 10 (data-stream-class): event-record-header-field-class.id: roles"
ctf2 "fields of a big-endian machine" '4s/little/big/' "big-endian bit fields are not read"
ctf2 "no data stream class" '10,$d' "no data stream class is declared"
ctf2 "an event class that is missing" '11d' "event with id 0, which the metadata does not know"
ctf2 "another trace's UUID" '1s/13,145/13,144/' "its UUID is not the metadata's"
ctf2 "a range that is one too short" '4s/\[\[0,30\]\],"field/[[0,1]],"field/' \
	"no option of the variant for the value 2"

# ---- exports ----
says "fields of a variable length in CTF 1.8" 0 "varint_low has stamps of a variable length: --ctf 2" \
	"$build/run-stress" --scheme =varint_low --seconds 0.3 --export "$scratch/none"
says "a width that CTF 2 reads as another" 1 "exported with the 14 bits of its fields, not 10" \
	"$build/run-stress" --scheme =varint_low --bits 10 --seconds 0.3 --export "$scratch/narrow" --ctf 2
says "another CTF" 1 "ctf" "$build/run-stress" --export "$scratch/none" --ctf 3
says "CTF of nothing" 1 "goes with --export" "$build/run-stress" --ctf 2 --seconds 0.3
says "CTF of nothing explored" 1 "goes with --export" "$build/explore" --ctf 2 --schemes floor
for ctf in 1.8 2; do
	"$build/run-stress" --scheme =heartbeat --workload steady --seconds 0.3 --ctf $ctf \
		--export "$scratch/ctf-$ctf" --export-mib 1 >"$scratch/out" 2>&1 &&
		"$read" --dates --csv "$scratch/ctf-$ctf/heartbeat/epoch-0" >"$scratch/csv"
	# What is recorded is its own stamp, and the date is of today.
	good=$? today=$(date -u +%Y-%m)
	awk -F, -v good=$good -v today="$today" 'NR > 1 && index($3, today) { dated++ }
		END { exit good || dated < 1000 || dated != NR - 1 }' "$scratch/csv"
	report $? "an export of CTF $ctf has dates"
done
grep -aq '"type":"preamble","version":2' "$scratch/ctf-2/heartbeat/epoch-0/metadata" &&
	grep -q '^/. CTF 1.8 ' "$scratch/ctf-1.8/heartbeat/epoch-0/metadata"
report $? "each by its own metadata"
says "an export in place of a file" 3 "cannot make" \
	"$build/run-stress" --scheme =full_tsc --seconds 0.3 --export "$scratch/cpu0.raw"
"$build/run-stress" --scheme "=extended_header =nested_stamps" --workload threads --threads 2 \
	--seconds 0.3 --export "$scratch/export" --export-mib 8 >"$scratch/out" 2>&1
report $? "run-stress exports"
for trace in "$scratch"/export/*/*; do
	"$read" "$trace" >"$scratch/out" 2>&1 && [ "$(grep -c ' events in ' "$scratch/out")" = 2 ]
	report $? "a file per CPU in $(basename "$(dirname "$trace")")"
	break
done
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

# ---- this machine's kernel ----
says "record-gaps: no number" 1 "whole number" sh traces/record_gaps.sh "$build" --seconds x
if [ "$(id -u)" = 0 ]; then
	mounts=$(grep -c tracefs /proc/mounts)
	sh traces/record_gaps.sh "$build" --seconds 1 --out "$scratch/kernel.csv" \
		--keep "$scratch/capture" >"$scratch/out" 2>"$scratch/err"
	code=$?
	if [ $code = 4 ]; then
		skip "record-gaps" "$(tail -1 "$scratch/err")"
	else
		report $code "record-gaps"
		[ $code = 0 ] || sed 's/^/# /' "$scratch/err"
		[ "$(grep -c tracefs /proc/mounts)" = "$mounts" ]
		report $? "record-gaps leaves no mount"
		STAMPEDE_CAPTURE="$scratch/capture" "$build/tests/traces/test_readers_ftrace" \
			>"$scratch/out" 2>&1
		good=$? agree=$(grep -o 'agree on.*' "$scratch/out")
		report $good "kbuffer and our reader agree on this kernel: $agree"
	fi
else
	says "record-gaps without permission" 3 "run it as root" sh traces/record_gaps.sh "$build"
fi
plan
