# SPDX-License-Identifier: MIT
# Events that share their time with the one before, against low bits cut.
# By hand: gnuplot ties.gp, or gnuplot -e "format='png'" ties.gp
load 'run.gp'
name = 'ties'
title = 'Ties against low bits cut'
subtitle = 'events per million with the time of the one before; recorded gaps, and back to back'
lines = int((ties_lines + 2) / 3)
height = 558 + 18 * lines
load 'style.gp'

# None at all has no place on a log scale: it stands a decade below the least.
none = 10.0 ** (floor(log10(ties_least > 0 ? ties_least : 1) + 1e-9) - 1)
place(x) = x > 0 ? x : none
set logscale y
set yrange [none / 2 : 2e6]
set xrange [-0.4 : 12.4]
set tmargin at screen down(104)
set bmargin at screen down(420)
set lmargin at screen right(80)
set rmargin at screen right(880)
set ytics ('none' none)
do for [decade = 0:7] {
	value = none * 10.0 ** (decade + 1)
	if (value < 2e6) {
		set ytics add ((value < 1 ? sprintf('%g', value) : value < 1e3 ? \
			sprintf('%.0f', value) : value < 1e6 ? sprintf('%.0f k', value / 1e3) : \
			'all') value)
	}
}
set ytics font small
unset xtics
set xtics nomirror scale 0.5 font small
granule(cut) = ties_hz > 0 ? 2.0 ** cut / ties_hz * 1e9 : 0
nanoseconds(x) = x < 9.95 ? sprintf('%.1f ns', x) : x < 999 ? sprintf('%.0f ns', x) : \
	sprintf('%.1f us', x / 1e3)
set xtics (0)
do for [cut = 0:12] {
	text = sprintf("%d", cut).(ties_hz > 0 ? "\n".nanoseconds(granule(cut)) : "")
	set xtics add (text cut)
}
set xlabel 'low bits cut, and the granularity that is left' offset 0,-0.6
set label 5 'per million' at graph 0, graph 1 offset -4,1 left
cuts = '5 6 7 9'
layouts = '5+27 6+26 7+25 13+19'
do for [i = 1:4] {
	at = int(word(cuts, i))
	set arrow 100 + i from at, graph 0 to at, graph 1.02 nohead linecolor rgb orange \
		linewidth 1.5 dashtype 2 back
	set label 100 + i word(layouts, i) at at, graph 1.02 offset 0,0.6 center font small \
		textcolor rgb grey
}
do for [i = 1:ties_lines] {
	x = 16 + 290 * ((i - 1) % 3)
	y = 504 + 18 * ((i - 1) / 3)
	set arrow 10 + i from screen right(x),down(y) to screen right(x + 30),down(y) nohead \
		linewidth 1.5 dashtype dashes(i) linecolor rgb colour(i)
	set label 10 + i ties_names[i] at screen right(x + 38),down(y) left font small
	set label 40 + i '' at screen right(x + 15),down(y) point pointtype shape(i) \
		pointsize 0.9 linewidth 1.4 linecolor rgb colour(i)
}
plot for [i = ties_lines:1:-1] 'ties.dat' index i - 1 using 1:(valid(2) ? place($2) : NaN) \
	with linespoints pointtype shape(i) pointsize 0.9 linewidth 1.5 \
	dashtype dashes(i) linecolor rgb colour(i)
