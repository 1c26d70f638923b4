# SPDX-License-Identifier: MIT
# What a clock that goes back makes of decoded times.
# By hand: gnuplot backstep.gp, or gnuplot -e "format='png'" backstep.gp
load 'run.gp'
name = 'backstep'
title = 'Damage by a clock that goes back'
subtitle = 'worst error of a decoded time, for any place of the step: between events, inside one, '. \
	'in an interrupt'
height = 562 + 18 * backstep_groups
load 'style.gp'

# No error has no place on a log scale: it stands below a tick.
exact = 0.02
place(y) = y > 0 ? y : exact
# Curves of many rows stand together within an octave, which is from half a field to a wrap.
apart(i) = (backstep_groups > 8 ? 2.0 ** (1.0 / backstep_groups) : 1.09) ** \
	(i - (backstep_groups + 1) / 2.0)
set tmargin at screen down(104)
set bmargin at screen down(440)
set lmargin at screen right(75)
set rmargin at screen right(815)
set logscale xy
set xrange [0.3 : backstep_step * 4]
top = (backstep_most > backstep_step ? backstep_most : backstep_step) * 20
set yrange [exact / 4 : top]
units = '1 k M G T P E'
thousands(i) = i == 0 ? '1' : sprintf('1 %s', word(units, i + 1))
words_of(s) = s[1:strstrt(s, '_') - 1].' '.s[strstrt(s, '_') + 1:*]
set xtics ('1' 1) font small
set ytics ('exact' exact) font small
do for [i = 0:6] {
	if (i > 0) { set xtics add (thousands(i) 1000.0 ** i) }
	set ytics add (thousands(i) 1000.0 ** i)
}
if (tsc_hz > 0) {
	times = '1_us 1_ms 1_s 1_minute 1_hour 1_day 1_year 10_years'
	seconds = '0.000001 0.001 1 60 3600 86400 31557600 315576000'
	set logscale y2
	set y2range [exact / 4 : top]
	set y2tics font small scale 0 ("" 1)
	do for [i = 1:words(times)] {
		text = words_of(word(times, i))
		value = word(seconds, i) * tsc_hz
		set y2tics add (text value)
	}
}
set xlabel 'step back, in ticks of the clock; curves are drawn a little apart' \
	offset 0,0.2
set label 5 'worst error, in ticks; as a time to the right' at graph 0, graph 1 offset -6,1 left
set arrow 5 from graph 0, first exact to graph 1, first exact nohead back linewidth 6 \
	linecolor rgb '#e8f3ee'
set arrow 10 from screen right(16),down(500) to screen right(46),down(500) nohead linewidth 5 \
	linecolor rgb '#c4c4c4'
set label 10 'an error as large as the step' at screen right(54),down(500) left font small
do for [i = 1:backstep_groups] {
	set arrow 10 + i from screen right(16),down(500 + 18 * i) \
		to screen right(46),down(500 + 18 * i) nohead linewidth 1.1 dashtype dashes(i) \
		linecolor rgb colour(i)
	set label 10 + i backstep_titles[i] at screen right(54),down(500 + 18 * i) left font small
	set label 40 + i '' at screen right(31),down(500 + 18 * i) point pointtype shape(i) \
		pointsize 1 linewidth 1.6 linecolor rgb colour(i)
}
plot x linecolor rgb '#c4c4c4' linewidth 5, \
	for [i = 1:backstep_groups] 'backstep.dat' index i - 1 \
		using ($1 * apart(i)):(place($2)) with linespoints \
		pointtype shape(i) pointsize 1 linewidth 1.1 dashtype dashes(i) \
		linecolor rgb colour(i)
