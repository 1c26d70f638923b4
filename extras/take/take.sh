#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: take.sh BUILD ROW [RECORD]   The headers of a row, BUILD/take/ROW.h, ROW_reader.h and ROW_trace.h, and examples;
# RECORD, of a run, says what it costs, if it is there. TARGET=cortex-m: also a header without a C library, in
# BUILD/take/cortex-m.
set -e
case ${TARGET:-} in "" | cortex-m) ;; *)
	echo "stampede: TARGET=$TARGET: no such target; there is cortex-m" >&2
	exit 1
	;;
esac
folder=$1/take
mkdir -p "$folder"
"$1/take-facts" "$2" >"$folder/facts.part" || {
	code=$?
	rm -f "$folder/facts.part"
	exit $code
}
mv "$folder/facts.part" "$folder/$2.facts"
${CUT:-make} "$folder/$2.scheme.h"
[ -f "$3" ] && record=$3 || record=
# shellcheck disable=SC2086
python3 -B extras/take/take.py header "$2" "$folder" "$folder/$2.facts" $record
if [ -n "${TARGET:-}" ]; then
	mkdir -p "$folder/$TARGET"
	# shellcheck disable=SC2086
	python3 -B extras/take/board.py "$2" "$folder/$TARGET" "$folder/$2.facts" $record
	printf '%s\n' "$folder/$TARGET/$2.h: the scheme, for a board; ${2}_example.c beside it says how to build it"
fi
printf '%s\n' "$folder/$2.h: the scheme, for a program of yours; docs/take.md says how" \
	"$folder/${2}_reader.h: a reader for another CPU, and the trace's metadata" \
	"$folder/${2}_trace.h: threads that come and go, and a thread that writes their trace" \
	"$folder/${2}_example.c: threads, a signal handler and a trace of them"
