# SPDX-License-Identifier: MIT
# Cost against the share of events that come after a wrap, and of those that are interrupted.
# By hand: gnuplot injected.gp, or gnuplot -e "format='png'" injected.gp
load 'run.gp'
name = 'injected'
title = 'Cost against wraps and against nested events'
subtitle = 'ratio to the floor with the same injected, in the same build and round: median'
coloured = injected_rows > 8 ? 8 : injected_rows
others = injected_rows - coloured
lines = (coloured + 1) / 2 + (others > 0)
height = 548 + 18 * lines
load 'style.gp'

# 1 share, 2 ratio, 3 depth, 4 row; blocks 2 i and 2 i + 1 are a row's wraps and nested events.
# None at all has no place on a log scale: it stands a decade left of the least share.
set multiplot
set tmargin at screen down(104)
set bmargin at screen down(432)
set logscale y
set yrange [(injected_low < 0.95 ? injected_low / 1.05 : 0.9) : \
	(injected_high > 1.3 ? injected_high * 1.1 : 1.3)]
set xtics font small
steps = injected_high > 4 ? '0.1 0.2 0.5 1 2 5 10 20 50 100 200 500 1000' : \
	'0.1 0.2 0.3 0.5 0.6 0.7 0.8 0.9 1 1.1 1.2 1.3 1.4 1.5 1.7 2 2.5 3 4 5'

do for [i = 1:coloured] {
	x = i % 2 ? 16 : 460
	y = 490 + 18 * ((i - 1) / 2)
	set arrow 10 + i from screen right(x),down(y) to screen right(x + 30),down(y) nohead \
		linewidth 1.5 linecolor rgb colour(i)
	set label 10 + i injected_titles[i] at screen right(x + 38),down(y) left font small
	set label 30 + i '' at screen right(x + 15),down(y) point pointtype shape(i) \
		pointsize 0.9 linewidth 1.4 linecolor rgb colour(i)
}
if (others > 0) {
	y = 490 + 18 * (lines - 1)
	set arrow 9 from screen right(16),down(y) to screen right(46),down(y) nohead linewidth 1 \
		linecolor rgb '#a8a8a8'
	set label 9 sprintf('%d more row%s, never as dear', others, others > 1 ? 's' : '') \
		at screen right(54),down(y) left font small
}

# The labels of tics are formats.
shares = '1e-9 1e-8 0.1ppm 1ppm 10ppm 100ppm 0.1%% 1%% 10%% all'
do for [panel = 1:2] {
	least = panel == 1 ? injected_wraps_least : injected_nested_least
	most = panel == 1 ? injected_wraps_most : injected_nested_most
	least = least > 0 ? least : 0.001
	most = most > 0 ? most : 0.001
	none = floor(log10(least < 1e-8 ? 1e-8 : least) + 1e-9) - 1.0
	place(share) = share > 0 ? log10(share) : none
	set lmargin at screen right(panel == 1 ? 60 : 500)
	set rmargin at screen right(panel == 1 ? 440 : 880)
	set xrange [none - 0.25 : log10(most) + 0.25]
	set xtics ('none' none)
	do for [decade = int(none) + 1:0] {
		set xtics add (word(shares, decade + 10) decade)
	}
	set xlabel (panel == 1 ? 'events that come after a wrap of the short field' : \
		'events that are interrupted inside reserve (dashed: two deep)') offset 0,0.4
	unset ytics
	set ytics scale 0 font small
	set ytics (1)
	do for [step in steps] { set ytics add (step real(step)) }
	if (panel == 1) {
		set label 5 'times the floor' at graph 0, graph 1 offset -4,1 left
	} else {
		unset label 5
	}
	set arrow 8 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb orange \
		linewidth 2 back
	plot for [i = injected_rows:coloured + 1:-1] 'injected.dat' index 2 * i - 3 + panel \
			using (place($1)):($3 < 2 ? $2 : NaN) with lines linewidth 1 \
			linecolor rgb '#a8a8a8', \
		for [i = coloured:1:-1] 'injected.dat' index 2 * i - 3 + panel \
			using (place($1)):($3 < 2 ? $2 : NaN) with linespoints \
			pointtype shape(i) pointsize 0.9 linewidth 1.5 linecolor rgb colour(i), \
		for [i = coloured:1:-1] 'injected.dat' index 2 * i - 3 + panel \
			using (place($1)):($3 == 2 ? $2 : NaN) with linespoints \
			pointtype shape(i) pointsize 0.6 linewidth 1 dashtype 2 \
			linecolor rgb colour(i)
	unset label
	do for [i = 1:coloured] { unset arrow 10 + i }
}
unset multiplot
