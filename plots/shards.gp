# SPDX-License-Identifier: MIT
# How long a search in shares takes on so many CPUs, simulated over its shards' times.
# By hand: gnuplot shards.gp, or gnuplot -e "format='png'" shards.gp
load 'run.gp'
name = 'shards'
title = 'A search on many CPUs'
subtitle = 'who is free takes the longest shard that is left; dashed: no CPU ever waits'
height = 480
load 'style.gp'

set tmargin at screen down(76)
set bmargin at screen down(400)
set lmargin at screen right(75)
set rmargin at screen right(860)
set logscale xy
set xrange [0.9 : 1130]
set xtics (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024) font small
set ytics ('1 ms' 1e-3, '10 ms' 0.01, '0.1 s' 0.1, '1 s' 1, '10 s' 10, '1 min' 60, '10 min' 600, \
	'1 h' 3600, '10 h' 36000, '100 h' 360000, '1000 h' 3.6e6) font small
set yrange [shards_longest / 3 < shards_sum / 1500 ? shards_longest / 3 : shards_sum / 1500 : \
	shards_sum * 1.5]
set xlabel 'CPUs' offset 0,0.4
set arrow 1 from graph 0, first shards_longest to graph 1, first shards_longest nohead \
	linecolor rgb orange linewidth 1.5
set label 10 'the longest shard' at graph 0.02, first shards_longest * 0.85 left font small \
	textcolor rgb grey
plot shards_sum / x with lines dashtype 2 linecolor rgb grey linewidth 1.5, \
	'shards.dat' using 1:2 with linespoints pointtype 7 pointsize 0.6 linewidth 1.5 \
	linecolor rgb blue
