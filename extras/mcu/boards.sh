#!/bin/sh
# SPDX-License-Identifier: MIT
# boards.sh [EVENTS [BOARD...]]: each row on each board, judged by judge-tracer and priced, a line for
# each. Exit status 2: a promise is broken; 4: no board can run here.
top=$(cd "$(dirname "$0")/../.." && pwd)
events=${1:-1000000}
[ $# = 0 ] || shift
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
worst=4
for board in ${*:-m3 m0 rv32}; do
	for row in packed_word32 packed_word32_24 packed_word32_16 delta_masked; do
		"$BUILD/judge-tracer" --events "$events" --workload $row --json "$work/json" \
			"$top/extras/tracers/mcu_$board/" >"$work/said" 2>"$work/err"
		code=$?
		if [ $code = 4 ]; then
			cat "$work/err" >&2
			break
		fi
		[ $worst != 4 ] || worst=0
		[ $code = 0 ] || worst=$code
		[ $code = 0 ] || [ $code = 2 ] || { cat "$work/err" >&2 && continue; }
		sh "$top/extras/mcu/board.sh" $board "$work" $row 100000 price >"$work/price" || worst=1
		python3 - "$work" "$board $row" <<-'END'
			import json, re, sys
			work, name = sys.argv[1:]
			run = json.load(open(work + "/json"))[0]
			said = open(work + "/said").read() + open(work + "/price").read()
			depth = [int(n) for n in re.search("depth ([0-9 ]+);", said)[1].split()]
			print(f"{name}: {run['events']} events, {sum(depth[1:])} nested"
			      f" ({depth[1]}, {depth[2]}, {depth[3]} at depth 1, 2, 3), {run['lost_counted']} lost and counted;",
			      *[f"{word} {one['verdict']}," for word, one in run["promises"].items()
			        if one["verdict"] != "not tried"],
			      "; ".join(re.findall(r"interrupted at .*|.* per event.*|.* bytes of code", said)), flush=True)
		END
	done
done
exit $worst
