# SPDX-License-Identifier: MIT
# An event after other work, by row: everything evicted, and nothing.
# By hand: gnuplot cold.gp, or gnuplot -e "format='png'" cold.gp
load 'run.gp'
name = 'cold'
title = 'Cost of an event after other work of the program'
subtitle = 'ns above two clock reads; evicted: dot, and triangle where it is extended; warm: ring; line: first of all rows'
height = 150 + 20 * cold_rows
load 'style.gp'
set tmargin at screen down(74)
set bmargin at screen down(height - 70)
set lmargin at screen right(215)
set rmargin at screen right(860)
set ytics font small
set logscale x 10
set xlabel 'ns'
set yrange [cold_rows + 0.5 : 0.5]
if (cold_first > 0) set arrow from cold_first, graph 0 to cold_first, graph 1 nohead linecolor rgb grey
# 1 position, 2 row, 3 cold, 4 and 5 its 95 % interval, 6 warm, 7 extended
plot 'cold.dat' using (NaN):1:ytic(2), \
	'' using 3:1:4:5 with xerrorbars pointtype 7 pointsize 0.7 linecolor rgb blue, \
	'' using 7:1 with points pointtype 9 pointsize 0.8 linecolor rgb vermillion, \
	'' using 6:1 with points pointtype 6 pointsize 0.7 linecolor rgb blue
