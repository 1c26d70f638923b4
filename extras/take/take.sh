#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: take.sh BUILD ROW [RECORD]   The headers of a row, BUILD/take/ROW.h, ROW_reader.h and ROW_trace.h, and an example;
# RECORD, of a run, says what it costs, if it is there. TARGET=cortex-m or rv32: headers without a C library in
# BUILD/take/TARGET, and in its folder host what the host needs; COUNTER_BITS=24 or 16 has a folder of its own.
set -e
case ${TARGET:-} in "" | cortex-m | rv32) ;; *)
	echo "stampede: TARGET=$TARGET: no such target; there are cortex-m and rv32" >&2
	exit 1
	;;
esac
parts=$1/obj/take folder=$1/take/${TARGET:-}
python3 -B extras/take/take.py known "$2"
${CUT:-make -s} "$parts/$2/take-facts" "$parts/$2.scheme.h"
"$parts/$2/take-facts" "$2" ${TARGET:+${COUNTER_BITS:+"$COUNTER_BITS"}} >"$parts/$2.facts"
[ -f "$3" ] && record=$3 || record=
[ -z "${TARGET:-}" ] || [ "${COUNTER_BITS:-32}" = 32 ] || folder=$folder-$COUNTER_BITS
host=$folder${TARGET:+/host}
mkdir -p "$host"
# shellcheck disable=SC2086
python3 -B extras/take/take.py header "$2" "$host" "$parts/$2.facts" $record
if [ -n "${TARGET:-}" ]; then
	rm "$host/${2}_trace.h" "$host/${2}_example.c"
	# shellcheck disable=SC2086
	python3 -B extras/take/board.py "$2" "$folder" "$parts/$2.facts" $record
	printf '%s\n' "$folder/$2.h: the scheme, for files that record; docs/mcu.md says how" \
		"$folder/${2}_reader.h: for the thread that sends its packets away" \
		"$folder/${2}_example.c: its head says how to build, run and decode it" \
		"$host: programs for the host, which write the metadata and read a dump of the ring"
	exit
fi
printf '%s\n' "$folder$2.h: the scheme, for a program of yours; docs/take.md says how" \
	"$folder${2}_reader.h: a reader for another CPU, and the trace's metadata" \
	"$folder${2}_trace.h: threads that come and go, and a thread that writes their trace" \
	"$folder${2}_example.c: threads, a signal handler and a trace of them"
