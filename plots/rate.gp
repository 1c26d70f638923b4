# SPDX-License-Identifier: MIT
# Header bytes against event rate: the argument of the 2008 thread, as formulae and as measured.
# By hand: gnuplot rate.gp, or gnuplot -e "format='png'" rate.gp
load 'run.gp'
name = 'rate'
title = 'Header bytes against event rate'
subtitle = 'lines: formulae, for R evenly spaced events per second; '.\
	'shapes: measured on the virtual clock'
lines = rate_groups > 5 ? rate_groups : 5
height = 500 + 18 * lines
load 'style.gp'

hz = rate_hz > 0 ? rate_hz : tsc_hz > 0 ? tsc_hz : 1e9
wraps = hz / 2.0**27
smaller(a, b) = a < b ? a : b
header_96(r) = 12 * r
header_64(r) = 8 * r
heartbeat(r) = 4 * r + 3200
# Evenly spaced: below one event per wrap each needs a sync event, above none does.
delta_sync(r) = r < wraps ? 12 * r : 4 * r
extension(r) = 4 * r + 8 * smaller(r, wraps)
array line_title[5] = ['12 R: 96-bit header, whole stamp', '8 R: 64-bit header, 32-bit stamp', \
	'4 R + 3200: compact, heartbeat of 32 bytes at 100 Hz', \
	'4 R, but 12 R below the wrap rate: delta, sync events', \
	sprintf('4 R + 8 min(R, %.3g): compact, extended header', wraps)]
line_colours = '#000000 '.purple.' '.vermillion.' '.green.' '.blue

set multiplot
set samples 160
set logscale xy
set xrange [rate_least / 1.5 : rate_most * 1.5]
set xtics ('1' 1, '10' 10, '100' 100, '1 k' 1e3, '10 k' 1e4, '100 k' 1e5, '1 M' 1e6, '10 M' 1e7, \
	'100 M' 1e8) font small
set xlabel 'events per second' offset 0,0.4
set tmargin at screen down(96)
set bmargin at screen down(400)
set arrow 1 from wraps, graph 0 to wraps, graph 1 nohead dashtype 3 linewidth 1.5 \
	linecolor rgb grey back

do for [i = 1:5] {
	set arrow 10 + i from screen right(16),down(446 + 18 * i) \
		to screen right(46),down(446 + 18 * i) nohead linewidth 2 dashtype i == 4 ? 2 : 1 \
		linecolor rgb word(line_colours, i)
	set label 10 + i line_title[i] at screen right(54),down(446 + 18 * i) left font small
}
do for [i = 1:rate_groups] {
	set label 20 + i rate_titles[i] at screen right(480),down(446 + 18 * i) left font small
	set label 40 + i '' at screen right(466),down(446 + 18 * i) \
		point pointtype shape(i) pointsize 0.6 + 0.1 * i linewidth 1.3 \
		linecolor rgb '#000000'
}

do for [panel = 1:2] {
	if (panel == 1) {
		set lmargin at screen right(75)
		set rmargin at screen right(435)
		set label 5 'header bytes per second' at graph 0, graph 1 offset -4,1 left
		set ytics ('1' 1, '10' 10, '100' 100, '1 k' 1e3, '10 k' 1e4, '100 k' 1e5, \
			'1 M' 1e6, '10 M' 1e7, '100 M' 1e8, '1 G' 1e9) font small
		set yrange [2 * rate_least : 30 * rate_most]
	} else {
		unset label
		do for [i = 1:5] { unset arrow 10 + i }
		set lmargin at screen right(520)
		set rmargin at screen right(880)
		set label 5 'header bytes per event' at graph 0, graph 1 offset -4,1 left
		set label 6 sprintf('wrap of 27 bits at %.3g GHz: %.3g per second', hz / 1e9, \
			wraps) at wraps, graph 1 offset 0.6,-0.9 left font small textcolor rgb grey
		set ytics (2, 4, 8, 12, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096) font small
		set yrange [3 : 5000]
	}
	scale(r) = panel == 1 ? 1 : r
	plot header_96(x) / scale(x) linecolor rgb word(line_colours, 1) linewidth 1.5, \
		header_64(x) / scale(x) linecolor rgb word(line_colours, 2) linewidth 1.5, \
		heartbeat(x) / scale(x) linecolor rgb word(line_colours, 3) linewidth 1.5, \
		extension(x) / scale(x) linecolor rgb word(line_colours, 5) linewidth 1.5, \
		delta_sync(x) / scale(x) linecolor rgb word(line_colours, 4) linewidth 1.5 \
			dashtype 2, \
		for [i = 1:rate_groups] 'rate.dat' index i - 1 every :::0::0 \
			using 1:(panel == 1 ? $2 : $3) with points pointtype shape(i) \
			pointsize 0.6 + 0.1 * i linewidth 1.3 linecolor rgb '#000000'
}
unset multiplot
