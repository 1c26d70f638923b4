# SPDX-License-Identifier: MIT
# Header bytes against event rate of the layouts of 2007 and 2008.
# By hand: gnuplot layouts.gp, or gnuplot -e "format='png'" layouts.gp
load 'run.gp'
name = 'layouts'
title = 'Header bytes against event rate, by layout'
subtitle = 'measured on the virtual clock; N_M_cutK: N bits of id, M of time, K low bits cut'
lines = (layouts_groups + 1) / 2
height = 516 + 18 * lines
load 'style.gp'

set multiplot
set logscale xy
set xrange [layouts_least / 1.5 : layouts_most * 1.5]
set xtics ('1' 1, '10' 10, '100' 100, '1 k' 1e3, '10 k' 1e4, '100 k' 1e5, '1 M' 1e6, '10 M' 1e7, \
	'100 M' 1e8) font small
set xlabel 'events per second' offset 0,0.4
set tmargin at screen down(96)
set bmargin at screen down(400)
do for [i = 1:layouts_groups] {
	x = i % 2 ? 16 : 460
	y = 456 + 18 * ((i - 1) / 2)
	set arrow 10 + i from screen right(x),down(y) to screen right(x + 30),down(y) nohead \
		linewidth 1.4 linecolor rgb colour(i)
	set label 10 + i layouts_titles[i] at screen right(x + 38),down(y) left font small
	set label 50 + i '' at screen right(x + 15),down(y) point pointtype shape(i) \
		pointsize 0.9 linewidth 1.3 linecolor rgb colour(i)
}
do for [panel = 1:2] {
	set lmargin at screen right(panel == 1 ? 75 : 520)
	set rmargin at screen right(panel == 1 ? 435 : 880)
	set label 5 panel == 1 ? 'header bytes per second' : 'header bytes per event' \
		at graph 0, graph 1 offset -4,1 left
	if (panel == 1) {
		set ytics ('1' 1, '10' 10, '100' 100, '1 k' 1e3, '10 k' 1e4, '100 k' 1e5, \
			'1 M' 1e6, '10 M' 1e7, '100 M' 1e8, '1 G' 1e9) font small
		set yrange [2 * layouts_least : 30 * layouts_most]
	} else {
		set ytics ('1' 1, '2' 2, '4' 4, '8' 8, '16' 16, '32' 32, '100' 100, '1 k' 1e3, \
			'10 k' 1e4, '100 k' 1e5) font small
		set yrange [3 : *]
	}
	plot for [i = 1:layouts_groups] 'layouts.dat' index i - 1 every :::0::0 \
		using 1:(panel == 1 ? $2 : $3) with linespoints \
		pointtype shape(i) pointsize 0.9 linewidth 1.4 linecolor rgb colour(i)
	unset label
	do for [i = 1:layouts_groups] { unset arrow 10 + i }
}
unset multiplot
