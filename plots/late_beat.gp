# SPDX-License-Identifier: MIT
# Wraps that a row loses when its beat comes late.
# By hand: gnuplot late_beat.gp, or gnuplot -e "format='png'" late_beat.gp
load 'run.gp'
name = 'late_beat'
title = 'Wraps lost to a late beat'
subtitle = 'by the event after the gap, in the repetition with the median gap'
height = 506 + 18 * late_groups
load 'style.gp'

most = late_lost > 1 ? late_lost : 1
set tmargin at screen down(96)
set bmargin at screen down(382)
set lmargin at screen right(75)
set rmargin at screen right(880)
wide = late_gap > 50 * late_least
if (wide) { set logscale x }
set xrange [wide ? late_least / 1.3 : 0 : late_gap > 0 ? late_gap * 1.05 : 1]
set yrange [-0.08 * most : most * 1.1]
set xtics font small
set ytics font small
set samples 1500
set xlabel 'measured gap between the events around the late beat, in wraps of the field' \
	offset 0,0.4
set label 5 'wraps lost' at graph 0, graph 1 offset -4,1 left
set arrow 10 from screen right(16),down(446) to screen right(46),down(446) nohead linewidth 5 \
	linecolor rgb '#c4c4c4'
set label 10 'every whole wrap of the gap' at screen right(54),down(446) left font small
do for [i = 1:late_groups] {
	set label 10 + i late_titles[i] at screen right(54),down(446 + 18 * i) left font small
	set label 30 + i '' at screen right(31),down(446 + 18 * i) point pointtype shape(i) \
		pointsize 1 linewidth 1.6 linecolor rgb colour(i)
}
plot floor(x) linecolor rgb '#c4c4c4' linewidth 5, \
	for [i = 1:late_groups] 'late_beat.dat' index i - 1 using 1:2 with points \
		pointtype shape(i) pointsize 1 linewidth 1.6 linecolor rgb colour(i)
