# SPDX-License-Identifier: MIT
# What an event costs, by row: cycles (ns without counters), and the ratio to the floor.
# By hand: gnuplot cost.gp, or gnuplot -e "format='png'" cost.gp
load 'run.gp'
name = 'cost'
title = 'What an event costs'
subtitle = sprintf('%s per event: median%s, of those left alone; quartiles; '.\
	'each repetition as a small dot', \
	cost_unit, cost_repetitions > 0 ? sprintf(' of %.0f repetition%s', \
	cost_repetitions, cost_repetitions > 1 ? 's' : '') : '')
height = 236 + 24 * cost_rows
load 'style.gp'
set ytics font small

# 1 position, 2 row, 3 median, 4 low, 5 high, 6 ns, 7 ratio, 8 low, 9 high, 10 class
class_colour(c) = c == 0 ? 0x0072b2 : c == 1 ? 0x5f5f5f : c == 2 ? 0xcc79a7 : 0xd55e00
# Labels that do not apply are empty but in place: gnuplot 5.4 crashes on a lone one at NaN.
ns = 'cost_unit eq "cycles" && valid(6) ? sprintf(" = %s ns", figure($6)) : ""'
missing = '$10 == 3 ? "stamps are wrong, so no figure" : "no figure"'
has_floor = cost_floor > 0
has_untimed = cost_untimed > 0
first = cost_least / 1.6
last = cost_most * (cost_ratios ? 16 : 4)

set multiplot
set tmargin at screen down(114)
set bmargin at screen down(height - 122)
set lmargin at screen right(215)
set rmargin at screen right(cost_ratios ? 595 : 880)
set yrange [cost_rows + 0.6 : 0.4]
set logscale x
set xrange [first : last]
set xtics font small
set grid noytics
set xlabel cost_unit.' per event, log scale' offset 0,0.4
if (has_floor) {
	set arrow 1 from cost_floor, graph 0 to cost_floor, graph 1.02 nohead \
		linecolor rgb orange linewidth 2 back
	set label 11 'floor '.figure(cost_floor) at cost_floor, graph 1 offset 0.5,0.7 left \
		textcolor rgb grey font small
}
if (has_untimed) {
	set arrow 2 from cost_untimed, graph 0 to cost_untimed, graph 1.02 nohead \
		linecolor rgb orange linewidth 1 dashtype 2 back
	set label 12 'no stamp '.figure(cost_untimed) at cost_untimed, graph 1 offset -0.5,0.7 \
		right textcolor rgb grey font small
}
if (has_floor && has_untimed && cost_floor > 3 * cost_untimed) {
	set arrow 3 from cost_untimed, graph 1.02 to cost_floor, graph 1.02 heads \
		size screen 0.006,20 linecolor rgb orange front
	set label 13 'reading the clock' at sqrt(cost_untimed * cost_floor), graph 1.02 \
		offset 0,1.3 center textcolor rgb grey font small
}
# What the colours mean, below.
kinds = '"promises kept" "no promise" "need not met"'
colours = blue.' '.grey.' '.purple
do for [i = 1:3] {
	set label 20 + i word(kinds, i) at screen right(110 + 120 * i),down(height - 60) left \
		font small
	set label 30 + i '' at screen right(100 + 120 * i),down(height - 60) \
		point pointtype 7 pointsize 0.8 linecolor rgb word(colours, i)
}
# Small dots: the shortest lines, whose ends are round. Points take three times the bytes in an SVG.
plot 'cost.dat' index 0 using (NaN):1:ytic(2), \
	'' index 1 using 2:1:($2 * 5e-4):(0) with vectors nohead linewidth 2.25 \
		linecolor rgb '#a8a8a8', \
	'' index 0 using 3:1:4:5:(class_colour($10)) with xerrorbars pointtype 7 pointsize 0.75 \
		linewidth 1.5 linecolor rgb variable, \
	'' index 0 using (last):1:(valid(3) ? figure($3).(@ns) : '') with labels right font small, \
	'' index 0 using (has_floor ? cost_floor * 1.12 : first * 1.1):1:\
		(valid(3) ? '' : @missing) with labels left textcolor rgb vermillion font small

if (cost_ratios) {
	least = cost_ratio_least
	inside(r) = r >= least && r <= cost_ratio_end
	unset label
	unset arrow
	unset logscale x
	unset ytics
	set lmargin at screen right(635)
	set rmargin at screen right(835)
	set xrange [least : cost_ratio_end]
	# A parenthesis would begin a list of tics.
	step = cost_ratio_end - least > 0.55 ? 0.2 : 0.1
	set xtics step font small
	set xlabel 'ratio to the floor, in '.cost_basis offset 0,0.4
	set arrow 1 from 1, graph 0 to 1, graph 1.02 nohead linecolor rgb orange linewidth 2 back
	plot 'cost.dat' index 1 using (inside($3) ? $3 : NaN):1:(1e-4):(0) with vectors nohead \
			linewidth 2.25 linecolor rgb '#a8a8a8', \
		'' index 0 using (inside($7) ? $7 : NaN):1:8:9:(class_colour($10)) \
			with xerrorbars pointtype 7 pointsize 0.75 linewidth 1.5 \
			linecolor rgb variable, \
		'' index 0 using (cost_ratio_end):1:(valid(7) && $7 > cost_ratio_end ? '→' : '') \
			with labels center, \
		'' index 0 using (least):1:(valid(7) && $7 < least ? '←' : '') \
			with labels center, \
		'' index 0 using (cost_ratio_end):1:(valid(7) ? figure($7) : '') \
			with labels left offset 2,0 font small
}
unset multiplot
