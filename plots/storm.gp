# SPDX-License-Identifier: MIT
# Error of the stamps under a storm of signals, by row: typical and worst.
# By hand: gnuplot storm.gp, or gnuplot -e "format='png'" storm.gp
load 'run.gp'
name = 'storm'
title = 'Error of the stamps under a storm of signals'
subtitle = 'time decoded against stamp taken, in clock ticks'
height = 232 + 24 * storm_rows
load 'style.gp'
set ytics font small

# 1 position, 2 row, 3 typical, 4 worst, 5 share inexact, 6 worst inexact, 7 events, 8 hits,
# 9 class (4: nothing hit the reserve), 10 the outermost mark, which the share of inexact stamps stands beside
# Zero has no place on a log scale and is the answer hoped for: it gets a column of its own.
place(error) = error > 0 ? log10(error) : -1
class_colour(c) = c == 0 ? 0x0072b2 : c == 1 ? 0xe69f00 : c == 2 ? 0xcc79a7 : c == 3 ? 0xd55e00 : 0x5f5f5f
# Two colours are near each other: what broke is a triangle.
class_type(c) = c == 3 ? 9 : 7
end = storm_most > 0 ? log10(storm_most) + 0.4 : 3
end = end < 3 ? 3 : end
# Labels that do not apply are empty but in place: gnuplot 5.4 crashes on a lone one at NaN.
percent(share) = share < 1e-4 ? '< 0.01 % declared inexact' : \
	sprintf('%.2g %% declared inexact', 100 * share)
# gprintf knows prefixes for just that range, and crashes beyond it.
si(x) = x < 1e3 || x > 1e18 ? sprintf('%.3g', x) : gprintf('%.1s %c', x)
left = storm_bits ? 275 : 215

set tmargin at screen down(106)
set bmargin at screen down(height - 144)
set lmargin at screen right(left)
set rmargin at screen right(680)
set yrange [storm_rows + 0.6 : 0.4]
set xrange [-1.6 : end]
set grid noytics
set xlabel 'error in ticks, log scale' offset 0,0.4
set xtics ('exact' -1, '1' 0, '10' 1, '100' 2, '1 k' 3, '10 k' 4, '100 k' 5, '1 M' 6, '10 M' 7, \
	'100 M' 8, '1 G' 9, '10 G' 10, '100 G' 11) font small
set object 1 rectangle from -1.6, graph 0 to -0.4, graph 1 fillcolor rgb '#e4eff6' \
	fillstyle solid noborder behind
if (tsc_hz > 0) {
	ns = tsc_hz * 1e-9
	set x2range [-1.6 : end]
	set x2tics ('1 ns' log10(ns), '1 us' log10(ns * 1e3), '1 ms' log10(ns * 1e6), \
		'1 s' log10(ns * 1e9)) font small textcolor rgb grey
}
set label 10 'events, hits inside the reserve' at graph 1, graph 1 offset 1.5,1.2 left font small \
	textcolor rgb grey

# What shapes and colours mean, below.
texts = '"half of the events stay at or below" "worst event" "worst of those declared inexact" '.\
	'"exactness promised, kept" "not promised" "need not met" "promise broken" "kept, not hit"'
types = '6 7 2 5 5 5 9 5'
colours = grey.' '.grey.' '.orange.' '.blue.' '.orange.' '.purple.' '.vermillion.' '.grey
columns = '30 290 440 30 290 440 590 740'
do for [i = 1:8] {
	if (i != 3 || storm_inexact_known > 0) {
		at = int(word(columns, i))
		set label 20 + i word(texts, i) left font small \
			at screen right(at + 12),down(height - (i < 4 ? 78 : 58))
		set label 30 + i '' at screen right(at),down(height - (i < 4 ? 78 : 58)) \
			point pointtype int(word(types, i)) pointsize 1 linewidth 1.5 \
			linecolor rgb word(colours, i)
	}
}

plot 'storm.dat' using (NaN):1:ytic(2), \
	'' using (place($3)):1:(place($4) - place($3)):(0):(class_colour($9)) with vectors nohead \
		linewidth 2 linecolor rgb variable, \
	'' using (place($6)):1 with points pointtype 2 pointsize 0.9 linewidth 2 \
		linecolor rgb orange, \
	'' using (place($3)):1:(class_colour($9)) with points pointtype 6 pointsize 1.2 \
		linewidth 1.5 linecolor rgb variable, \
	'' using (place($4)):1:($9 == 3 ? 1.2 : 0.75):(class_type($9)):(class_colour($9)) with points \
		pointsize variable pointtype variable linecolor rgb variable, \
	'' using (place($10)):1:(valid(5) && $5 > 0 && place($10) < end - 4 ? percent($5) : '') \
		with labels left offset 1.5,0 font small textcolor rgb '#8a5f00', \
	'' using (place($10)):1:(valid(5) && $5 > 0 && place($10) >= end - 4 ? percent($5) : '') \
		with labels right offset -1.5,0 font small textcolor rgb '#8a5f00', \
	'' using (end):1:(valid(7) ? si($7).' events'.(valid(8) ? ', '.si($8).' hits' : '') : '') \
		with labels left offset 1.5,0 font small textcolor rgb grey
