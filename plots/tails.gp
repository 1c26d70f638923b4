# SPDX-License-Identifier: MIT
# Latency of single events: median, quantiles and longest of each row, one panel per regime.
# By hand: gnuplot tails.gp, or gnuplot -e "format='png'" tails.gp
load 'run.gp'
name = 'tails'
title = 'Latency of single events'
subtitle = 'without the events that a signal hit; log axis, the same in all panels'
columns = tails_panels < 3 ? tails_panels : 3
bands = (tails_panels + columns - 1) / columns
row_high = 17
band_high = 92 + row_high * tails_rows
height = 92 + band_high * bands + 40
load 'style.gp'

# Columns of tails.dat, and how each is drawn: the longest first, so that the median is on top.
kinds = '"median" "99 %" "99.9 %" "99.99 %" "longest"'
points = '7 9 5 13 6'
sizes = '0.6 0.55 0.45 0.6 0.45'
colours = blue.' '.sky.' '.orange.' '.vermillion.' '.grey

set multiplot
set logscale x
first = tails_fence > 0 && tails_fence < tails_least ? tails_fence : tails_least
first = first > 0 ? first : 1
left = first / 1.3
end = (tails_most > first ? tails_most : first) * 1.5
set xrange [left : end]
set yrange [tails_rows + 0.6 : 0.4]
set xtics ('1' 1, '10' 10, '100' 100, '1 k' 1e3, '10 k' 1e4, '100 k' 1e5, '1 M' 1e6, '10 M' 1e7, \
	'100 M' 1e8, '1 G' 1e9) font small
set grid noytics
set xlabel 'ticks, two fenced clock reads included' font small offset 0,0.6

do for [i = 1:5] {
	set label 10 + i word(kinds, i) at screen right(100 * i - 72),down(76) left font small
	set label 20 + i '' at screen right(100 * i - 80),down(76) point \
		pointtype int(word(points, i)) pointsize real(word(sizes, i)) \
		linecolor rgb word(colours, i)
}
if (tails_fence > 0) {
	set arrow 10 from screen right(520),down(76) to screen right(548),down(76) nohead \
		linewidth 2 dashtype 3 linecolor rgb grey
	set label 10 'two clock reads, no event' at screen right(554),down(76) left font small
}

regime(p) = tails_regimes[p].(tails_regimes[p] eq 'calm' ? ': no interrupts' : \
	tails_regimes[p] eq 'storm' ? ': signals, three levels' : '').\
	(strlen(tails_gaps[p]) ? ': '.tails_gaps[p] : '')
room = 680 / columns
do for [p = 1:tails_panels] {
	column = (p - 1) % columns
	top = 128 + band_high * ((p - 1) / columns)
	set tmargin at screen down(top)
	set bmargin at screen down(top + row_high * tails_rows)
	set lmargin at screen right(205 + room * column)
	set rmargin at screen right(205 + room * column + room - 20)
	set label 5 regime(p) at graph 0, graph 1 offset 0,0.7 left
	if (tails_fence > 0) {
		set arrow 8 from tails_fence, graph 0 to tails_fence, graph 1 nohead \
			linecolor rgb grey linewidth 2 dashtype 3 back
	}
	# Variants stand below the rows that they are of.
	if (tails_mains > 0 && tails_mains < tails_rows) {
		set arrow 9 from graph 0, first tails_mains + 0.5 to graph 1, first tails_mains + 0.5 \
			nohead linecolor rgb grey linewidth 1 back
	}
	# Names stand once in a band.
	if (column == 0) { set ytics nomirror scale 0 font small } else { unset ytics }
	plot 'tails.dat' index p - 1 using (NaN):1:ytic(2), \
		'' index p - 1 using (left):1:(end - left):(0) with vectors nohead linewidth 1 \
			linecolor rgb faint, \
		'' index p - 1 using 3:1:($7 - $3):(0) with vectors nohead linewidth 1 \
			linecolor rgb '#a8a8a8', \
		for [i = 5:1:-1] '' index p - 1 using 2 + i:1 with points \
			pointtype int(word(points, i)) pointsize real(word(sizes, i)) \
			linecolor rgb word(colours, i)
	if (p == 1) {
		unset label
		unset arrow
	}
}
unset multiplot
