#!/bin/sh
# SPDX-License-Identifier: MIT
# boards.sh [NESTED [BOARD...]]: each row on each board until so many of its events have interrupted another one,
# judged by judge-tracer and priced, a line for each; as many at once as there are CPUs. On the Cortex-M3 the C that
# barectf generates, too, whose faults are no fault here. Exit status 2: a promise is broken; 4: no board can run here.
top=$(cd "$(dirname "$0")/../.." && pwd)

# A row on a board; its exit status goes to a file.
one() { # BOARD ROW
	into=$work/$1.$2
	mkdir "$into"
	# qemu's two threads wait for each other all the time: on one CPU that costs the least.
	pin="taskset -c $slot"
	$pin true 2>/dev/null || pin=
	$pin "$BUILD/judge-tracer" --events 10 --timeout 1000 --workload "$2" --json "$into/json" \
		"$top/extras/tracers/mcu_$([ $2 = barectf ] && echo $2 || echo $1)/" >"$into/said" 2>"$into/err"
	code=$?
	echo $code >"$into/code"
	[ $code = 0 ] || [ $code = 2 ] || return
	[ $2 != barectf ] || echo 0 >"$into/code"
	sh "$top/extras/mcu/board.sh" "$1" "$into" "$2" 100000 price >"$into/price" || echo 1 >"$into/code"
	python3 - "$into" "$1 $2" <<-'END'
		import json, re, sys
		work, name = sys.argv[1:]
		run = json.load(open(work + "/json"))[0]
		said = open(work + "/said").read() + open(work + "/price").read()
		depth = [int(n) for n in re.search("depth ([0-9 ]+);", said)[1].split()]
		print(f"{name}: {run['events']} events, {sum(depth[1:])} nested"
		      f" ({depth[1]}, {depth[2]}, {depth[3]} at depth 1, 2, 3), {run['lost_counted']} lost and counted;",
		      *[f"{word} {one['verdict']}" + f" {one['seen']} times" * bool(one["seen"]) + ","
		        for word, one in run["promises"].items() if one["verdict"] != "not tried"],
		      "; ".join(re.findall(r"interrupted at .*|.* per event.*|.* bytes of code", said)), flush=True)
	END
}

if [ -n "${slot:-}" ]; then
	one "$@"
	exit
fi
export NESTED="${1:-1000000}" SECONDS_MOST=900
[ $# = 0 ] || shift
work=$(mktemp -d) || exit 3
export work
trap 'rm -rf "$work"' EXIT
for board in ${*:-m3 m0 rv32}; do
	for row in packed_word32 packed_word32_24 packed_word32_16 delta_masked accumulated; do
		echo $board $row
	done
	[ $board != m3 ] || echo m3 barectf
done | xargs -P "$(nproc)" -L 1 --process-slot-var=slot sh "$0"
sort -u "$work"/*/err >&2
worst=$(cat "$work"/*/code | grep -v '^[04]$' | sort -n | head -n 1)
[ -z "$worst" ] || exit "$worst"
grep -qx 0 "$work"/*/code || exit 4
