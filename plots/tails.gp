# SPDX-License-Identifier: MIT
# Latency of single events: how many take longer than so many ticks, one panel per regime.
# By hand: gnuplot tails.gp, or gnuplot -e "format='png'" tails.gp
load 'run.gp'
name = 'tails'
title = 'Latency of single events'
subtitle = 'share of the events that take longer, without those that a signal hit; both axes log'
others = tails_rows - tails_coloured
panel_rows = (tails_panels + 1) / 2
panel_high = 262
entries = tails_coloured + (tails_fence > 0)
lines = int((entries + 3) / 4) + (others > 0)
legend = 74 + panel_high * panel_rows
height = legend + 18 * lines + 46
load 'style.gp'

set multiplot
set logscale xy
first = tails_fence > 0 && tails_fence < tails_least ? tails_fence : tails_least
first = first > 0 ? first : 1
set xrange [first / 1.15 : (tails_most > first ? tails_most : first) * 1.3]
share = tails_share > 0 ? tails_share : 0.1
bottom = share / 2
set yrange [bottom : 1.15]
set xtics ('1' 1, '10' 10, '100' 100, '1 k' 1e3, '10 k' 1e4, '100 k' 1e5, '1 M' 1e6, '10 M' 1e7, \
	'100 M' 1e8, '1 G' 1e9) font small
set ytics ('all' 1, '1 in 10' 1e-1, '1 in 100' 1e-2, '1 in 1 k' 1e-3, '1 in 10 k' 1e-4, \
	'1 in 100 k' 1e-5, '1 in 1 M' 1e-6, '1 in 10 M' 1e-7) font small

do for [i = 1:tails_coloured] {
	x = 16 + 220 * ((i - 1) % 4)
	y = legend + 18 * ((i - 1) / 4)
	set arrow 10 + i from screen right(x),down(y) to screen right(x + 30),down(y) nohead \
		linewidth 1.8 dashtype dashes(i) linecolor rgb colour(i)
	set label 10 + i tails_names[i] at screen right(x + 36),down(y) left font small
}
if (tails_fence > 0) {
	x = 16 + 220 * ((entries - 1) % 4)
	y = legend + 18 * ((entries - 1) / 4)
	set arrow 10 + entries from screen right(x),down(y) to screen right(x + 30),down(y) nohead \
		linewidth 2 dashtype 3 linecolor rgb grey
	set label 10 + entries 'two clock reads, no event' at screen right(x + 36),down(y) left \
		font small
}
if (others > 0) {
	y = legend + 18 * (lines - 1)
	set arrow 9 from screen right(16),down(y) to screen right(46),down(y) nohead linewidth 1 \
		linecolor rgb '#a8a8a8'
	set label 9 sprintf('%d variants of these rows', others) \
		at screen right(52),down(y) left font small
}
regime(p) = tails_regimes[p].(tails_regimes[p] eq 'calm' ? ': nobody interrupts' : \
	tails_regimes[p] eq 'storm' ? ': signals on three levels' : \
	tails_regimes[p] eq 'cold' ? ': caches emptied between events' : '').\
	(strlen(tails_gaps[p]) ? ': gaps of '.tails_gaps[p] : '')
do for [p = 1:tails_panels] {
	top = 94 + panel_high * ((p - 1) / 2)
	set tmargin at screen down(top)
	set bmargin at screen down(top + panel_high - 74)
	set lmargin at screen right(p % 2 ? 80 : 530)
	set rmargin at screen right(p % 2 ? 430 : 880)
	set xlabel 'ticks, two fenced clock reads included' font small offset 0,0.6
	set label 5 regime(p) at graph 0, graph 1 offset 0,0.8 left
	if (tails_fence > 0) {
		set arrow 8 from tails_fence, graph 0 to tails_fence, graph 1 nohead \
			linecolor rgb grey linewidth 2 dashtype 3 back
	}
	plot for [i = tails_rows:tails_coloured + 1:-1] 'tails.dat' \
			index (p - 1) * tails_rows + i - 1 \
			using 1:($2 > 0 ? $2 : bottom) with steps linewidth 1 \
			linecolor rgb '#a8a8a8', \
		for [i = tails_coloured:1:-1] 'tails.dat' index (p - 1) * tails_rows + i - 1 \
			using 1:($2 > 0 ? $2 : bottom) with steps linewidth 1.8 \
			dashtype dashes(i) linecolor rgb colour(i)
	if (p == 1) {
		unset label
		unset arrow
	}
}
unset multiplot
