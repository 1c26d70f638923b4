# SPDX-License-Identifier: MIT
# What it takes to find a time in a trace file, against the file's size.
# By hand: gnuplot seek.gp, or gnuplot -e "format='png'" seek.gp
load 'run.gp'
name = 'seek'
title = 'Finding a time in a trace'
subtitle = 'begin stamps read by binary search, and time per seek, against reading from the start'
height = 480 + 18 * seek_groups
load 'style.gp'

# 1 MiB, 2 probes, 3 most probes, 4 us per seek, 5 us to read all; a block per row
set multiplot
set logscale x 2
set xrange [0.8 : seek_mib * 1.25]
set xtics font small
set ytics font small
set xlabel 'MiB of trace' offset 0,0.4
set tmargin at screen down(92)
set bmargin at screen down(380)
set lmargin at screen right(60)
set rmargin at screen right(420)
set yrange [0 : seek_probes > 0 ? seek_probes * 1.15 : 1]
set label 5 'probes per seek (bars: the most)' at screen right(60),down(80) left font small
do for [i = 1:seek_groups] {
	set label 30 + i '' at screen right(31),down(414 + 18 * i) point pointtype shape(i) \
		pointsize 1 linewidth 1.6 linecolor rgb colour(i)
	set label 10 + i seek_names[i] at screen right(54),down(414 + 18 * i) left font small
}
plot for [i = 1:seek_groups] 'seek.dat' index i - 1 using 1:2:2:3 with yerrorbars \
		pointtype shape(i) pointsize 1 linewidth 1.3 linecolor rgb colour(i), \
	for [i = 1:seek_groups] 'seek.dat' index i - 1 using 1:2 with lines \
		linewidth 1.3 linecolor rgb colour(i)
unset label
set lmargin at screen right(500)
set rmargin at screen right(880)
set logscale y
set yrange [seek_least / 2e6 : seek_most * 2e-6]
set format y '%.0s %cs'
set label 5 'time per seek; dashed: reading all of it' at screen right(500),down(80) left \
	font small
plot for [i = 1:seek_groups] 'seek.dat' index i - 1 using 1:($4 / 1e6) with linespoints \
		pointtype shape(i) pointsize 1 linewidth 1.3 linecolor rgb colour(i), \
	for [i = 1:seek_groups] 'seek.dat' index i - 1 using 1:($5 / 1e6) with lines \
		linewidth 1.3 dashtype 2 linecolor rgb colour(i)
unset multiplot
