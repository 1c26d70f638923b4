#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_layout_cli.sh BUILD   What a user may ask of build/layout, right and wrong. TAP.
build=$1
. tests/support/tap.sh

layout=$build/layout
seed="$layout --clock-hz 4e9 --latency-us 20000 --timer-hz 100 --spacing-ns 200"

refuses "spacing 0" 1 "--spacing-ns takes a number" "$layout" --spacing-ns 0
refuses "no number" 1 "--spacing-ns takes a number" "$layout" --spacing-ns 5x
refuses "not a number" 1 "--latency-us takes a number" "$layout" --latency-us nan
refuses "negative latency" 1 "--latency-us takes a number" "$layout" --latency-us -1
refuses "timer of 0 Hz" 1 "--timer-hz takes a number" "$layout" --timer-hz 0
refuses "clock of 0 Hz" 1 "--clock-hz takes a number" "$layout" --clock-hz 0
refuses "no rates" 1 "--rate takes" "$layout" --rate ""
refuses "rate 0" 1 "--rate takes a number" "$layout" --rate 10,0
refuses "layout that does not add up" 1 "do not add up" "$layout" --layout 6+27/6
refuses "layout without time" 1 "no bit of time" "$layout" --layout 32+0
refuses "layout without ids" 1 "no bit of id" "$layout" --layout 0+32
refuses "cut that leaves the stamp" 1 "more bits than a stamp has" "$layout" --layout 6+26/40
refuses "no layout" 1 "takes id bits" "$layout" --layout 6x26
refuses "cuts that leave no bit" 1 "leaves none of a 32-bit stamp" \
	"$layout" --clock-hz 4e9 --spacing-ns 1e9 --timer-hz 1000 --latency-us 0
refuses "word that is no option" 1 "'hello' is not an option" "$layout" hello
refuses "width below the cut" 1 "leaves no bit of time to layout_13_19_cut9_beat" \
	"$build/run-stress" --scheme layout_13 --bits 9 --seconds 1

# The text's example, with its arithmetic corrected.
shows "9 low bits" "low   9 = fls(800) - 1: granularity 128.00 ns" $seed
shows "4 high bits" "high  4 = 32 - fls(120000000) - 1: a wrap each 67.11 ms" $seed
shows "13 bits of ids" "left 19 bits of time, 13 for ids (8192 ids)" $seed
shows "29.8 wraps" "^5+27  *4  *33.55 ms  *29.8 " $seed
shows "3.2 kB/s of beats" "^5+27  *beat  *3240$" $seed --rate 10
shows "a timer too slow" "^5+27  .* no$" $layout --clock-hz 4e9 --timer-hz 30 --latency-us 5000
shows "a latency too long" "^5+27  .*no: the latency is longer" $layout --clock-hz 4e9 \
	--latency-us 34000
shows "errors of the texts" "32 -> 29.802 /s" $seed --seed-errors
shows "a layout of the user" "^8+24/8  *4  *1.07 s" $seed --layout 8+24/8
$layout --json "$scratch/no/such/file" >/dev/null 2>"$scratch/err"
[ $? -eq 3 ] && grep -q 'cannot write' "$scratch/err"
report $? "record that cannot be written"
$layout --json "$scratch/record" >/dev/null &&
	grep -q '"extension_bytes_per_second"' "$scratch/record"
report $? "record"
plan
