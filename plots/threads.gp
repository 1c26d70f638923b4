# SPDX-License-Identifier: MIT
# What an event costs in one thread and in as many as there are CPUs, by row.
# By hand: gnuplot threads.gp, or gnuplot -e "format='png'" threads.gp
load 'run.gp'
name = 'threads'
title = 'Cost against threads'
subtitle = 'CPU time per event and thread, median; pinned threads, a ring each'
height = 212 + 24 * threads_rows
load 'style.gp'
set ytics font small

# 1 position, 2 row, 3 ns in one thread, 4 ns in many, 5 how many, 6 speed against one thread
set multiplot
set tmargin at screen down(96)
set bmargin at screen down(height - 116)
set lmargin at screen right(215)
set rmargin at screen right(560)
set yrange [threads_rows + 0.6 : 0.4]
set logscale x
set xrange [threads_least / 1.3 : threads_most * 1.3]
set xtics font small
set xtics (1)
do for [step in '1 2 5 10 20 50 100 200 500 1000 2000 5000'] { set xtics add (step real(step)) }
set grid noytics
set xlabel 'ns per event, log scale' offset 0,0.4
array texts[2] = ['one thread', sprintf('%.0f threads', threads_count)]
do for [i = 1:2] {
	set label 20 + i texts[i] at screen right(110 + 120 * i),down(height - 56) left font small
	set label 30 + i '' at screen right(100 + 120 * i),down(height - 56) \
		point pointtype (i == 1 ? 6 : 7) pointsize (i == 1 ? 1.2 : 0.75) linewidth 1.5 \
		linecolor rgb blue
}
plot 'threads.dat' using (NaN):1:ytic(2), \
	'' using 3:1:($4 - $3):(0) with vectors nohead linewidth 1.5 linecolor rgb blue, \
	'' using 3:1 with points pointtype 6 pointsize 1.2 linewidth 1.5 linecolor rgb blue, \
	'' using 4:1 with points pointtype 7 pointsize 0.75 linecolor rgb blue
unset label
unset logscale x
unset ytics
set lmargin at screen right(600)
set rmargin at screen right(820)
set xrange [0 : threads_count * 1.15]
unset xtics
set xtics nomirror scale 0.5 font small
set xlabel 'events per second, times those of one' offset 0,0.4
set arrow 1 from threads_count, graph 0 to threads_count, graph 1.02 nohead \
	linecolor rgb orange linewidth 2 back
plot 'threads.dat' using 6:1 with points pointtype 7 pointsize 0.75 linecolor rgb blue, \
	'' using (threads_count * 1.15):1:(figure($6)) with labels left offset 1,0 font small
unset multiplot
