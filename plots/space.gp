# SPDX-License-Identifier: MIT
# Instructions and bytes of an event, by row.
# By hand: gnuplot space.gp, or gnuplot -e "format='png'" space.gp
load 'run.gp'
name = 'space'
title = 'Instructions and bytes of an event'
subtitle = 'per event; counted, so the same on every run'
height = 182 + 24 * space_rows
load 'style.gp'
set ytics font small

# 1 position, 2 row, 3 instructions, 4 bytes, 5 header, 6 alignment, 7 sub-buffer, 8 payload, 9 rest
has_instructions = space_instructions > 0
has_bytes = space_bytes > 0
half = 0.36

set multiplot
set tmargin at screen down(66)
set bmargin at screen down(height - 116)
set lmargin at screen right(215)
set rmargin at screen right(has_bytes ? 520 : 850)
set yrange [space_rows + 0.6 : 0.4]
set grid noytics
set xtics font small
set style fill solid 1.0 noborder

if (has_instructions) {
	set xrange [0 : space_instructions * 1.2]
	set xlabel 'instructions' offset 0,0.4
	# A bar that runs off the axis has an arrow at its number.
	cut(x) = x > space_instructions ? space_instructions : x
	plot 'space.dat' using (NaN):1:ytic(2), \
		'' using (0):1:(0):(cut($3)):($1 - half):($1 + half) with boxxyerror \
			linecolor rgb blue, \
		'' using (valid(3) ? cut($3) : 0):1:(valid(3) ? \
			sprintf($3 > space_instructions ? '%.4g →' : '%.3g', $3) : 'n/a') \
			with labels left offset 0.6,0 font small
	unset label
}
if (has_bytes) {
	if (has_instructions) {
		set lmargin at screen right(560)
		unset ytics
	}
	set rmargin at screen right(870)
	set xrange [0 : space_bytes * 1.2]
	set xlabel 'bytes' offset 0,0.4
	parts = 'header alignment sub-buffer payload unknown'
	colours = blue.' '.vermillion.' '.orange.' #bdbdbd '.purple
	from = has_instructions ? 560 : 215
	do for [i = 1:(space_unknown ? 5 : 4)] {
		if (i == 2 && !space_alignment) { continue }
		at = from + int(word('0 65 145 230 300', i))
		set label 20 + i word(parts, i) at screen right(at + 10),down(height - 56) left \
			font small
		set label 30 + i '' at screen right(at),down(height - 56) \
			point pointtype 5 pointsize 1 linecolor rgb word(colours, i)
	}
	# A part of no size is no bar: else its edge would be drawn.
	some(part) = part > 0 ? 1 : NaN
	plot 'space.dat' using (NaN):1:ytic(2), \
		'' using (0):1:(0):5:($1 - half):($1 + half) with boxxyerror linecolor rgb blue, \
		'' using (some($6)):1:5:($5 + $6):($1 - half):($1 + half) with boxxyerror \
			linecolor rgb vermillion, \
		'' using (some($7)):1:($5 + $6):($5 + $6 + $7):($1 - half):($1 + half) \
			with boxxyerror linecolor rgb orange, \
		'' using (some($8)):1:($5 + $6 + $7):($5 + $6 + $7 + $8):($1 - half):($1 + half) \
			with boxxyerror linecolor rgb '#bdbdbd', \
		'' using (some($9)):1:($5 + $6 + $7 + $8):($5 + $6 + $7 + $8 + $9):\
			($1 - half):($1 + half) with boxxyerror linecolor rgb purple, \
		'' using ($5 + $6 + $7 + $8 + $9):1:(valid(4) ? sprintf('%.4g', $4) : '') \
			with labels left offset 0.6,0 font small
}
unset multiplot
