#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_guard.sh BUILD   Rows that the explorer cannot search soundly, or only in one way: each
# is refused with the reason (refused.patches, put into full_tsc). TAP.
build=$1
explore=$build/explore
. tests/support/tap.sh
needs_explored "refused rows" "make explored"

# patched NAME: its object, in $object
patched() {
	rm -rf "$scratch/tree" "$scratch/explored"
	mkdir "$scratch/tree"
	objects_at_hand
	sh tests/cases/tree.sh "$scratch/tree"
	patch -p1 -s -f -F0 -d "$scratch/tree" <"$build/refused/$1.patch" >"$scratch/make.log" &&
		make --no-print-directory BUILD="$scratch/make" EXPLORED="$scratch/explored" \
			TREE="$scratch/tree" "$scratch/explored/full_tsc.page.so" \
			>>"$scratch/make.log" 2>&1
	object=$scratch/explored/full_tsc.page.so
	[ -e "$object" ] && return
	report 1 "$1: does not build"
	sed 's/^/# /' "$scratch/make.log"
}

# Of the object: whatever is asked.
for row in static_counter thread_counter; do
	patched $row
	for how in "--stops shared" "--stops all --engine schedules" "--replay n3"; do
		# shellcheck disable=SC2086
		says "$row, $how" 4 "keeps state outside .*: \(reserve\.\)*nesting" "$explore" --object "$object" $how
	done
done
cp "$build/explored/full_tsc.page.so" "$scratch/stripped.so"
strip "$scratch/stripped.so"
says "an object without symbols" 4 "no table of symbols" "$explore" --object "$scratch/stripped.so"

# Of frames: both engines with the filter, the one of states without it, and by default; every
# schedule at every instruction finds the fault itself.
for row in "frame_written:is an address in a writer's frame, before" \
	"frame_read:is an address in a writer's frame, before" \
	"frame_hidden:has written into the frame that it interrupted"; do
	reason=${row#*:} row=${row%%:*}
	patched "$row"
	set -- "$explore" --object "$object" --events 2 --nested 1
	for how in "--engine schedules" "--engine states" "--stops all --engine states" "--stops all" \
		"--engine schedules --processes 3"; do
		# shellcheck disable=SC2086
		says "$row, $how" 4 "full_tsc: .*$reason.*; run --stops all --engine schedules" "$@" $how
	done
	"$@" --stops all --engine schedules --json - >"$scratch/found.json" 2>"$scratch/err"
	finds "$row: every schedule at every instruction finds it broken" "$scratch/found.json" \
		"f['broken'] > 0 and f['objections']['exact'] > 0"
done

# And the rows of today are none of these: a pilot that goes by states, and the filter.
"$explore" --schemes "=full_tsc =restartable =joint_delta" --shape ends2 --nested 2 --offsets all \
	--json - >"$scratch/found.json" 2>"$scratch/err"
finds "today's rows are not refused" "$scratch/found.json" \
	"[row['families'][0]['verdict'] for row in r['rows']] == 3 * ['kept']"
grep stampede "$scratch/err" | sed 's/^/# /'
plan
