#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: unknown.sh BUILD COMPILER ROW...   Has the explorer search those of the rows whose source it has not searched yet.
# What it says is added to BUILD/explored/known, where bench and run-stress look. Never fails: a row that
# cannot be searched stays "not explored", and a line says why.
build=$1 compiler=$2
shift 2
for row in $(python3 -B explore/known.py unknown "$build" "$@"); do
	echo "stampede: $row is new; every interrupt of the quick tier is tried"
	rm -f "$build/explored/$row.json"
	"${MAKE:-make}" --no-print-directory -s -j"$(nproc)" "$build/explore" explored SCHEMES="=$row" &&
		{ "$build/explore" --tier quick --first --schemes "=$row" --json "$build/explored/$row.json" >/dev/null || [ $? -eq 2 ]; } &&
		python3 -B explore/known.py add "$build" "$compiler" "$build/explored/$row.json" "$row" >>"$build/explored/known"
done
exit 0
