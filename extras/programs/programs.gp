# SPDX-License-Identifier: MIT
# How much longer programs take when they are traced. programs.py writes data, and rows and names of each part.
name = 'programs'
title = 'What a tracer costs a program'
subtitle = 'CPU time more than that of the untraced program, with 95 % intervals'
height = 170 + 17 * (little_rows + much_rows) + (little_rows && much_rows ? 60 : 0)
load 'plots/style.gp'
set ytics font small
set xtics font small
set lmargin at screen right(230)
set rmargin at screen right(870)
names = 'untraced none packed_word varint_low full_tsc lttng'
shade(who) = who eq 'untraced' || who eq 'none' ? grey : \
	who eq 'packed_word' ? blue : who eq 'varint_low' ? green : who eq 'full_tsc' ? orange : vermillion

# 1 position, 2 label, 3 percent, 4 low, 5 high, 6 who
set multiplot
top = 70
if (little_rows) {
	bottom = top + 17 * little_rows
	set tmargin at screen down(top)
	set bmargin at screen down(bottom)
	set yrange [little_rows + 0.6 : 0.4]
	set xlabel '% more' offset 0,0.4
	plot little using 3:1:4:5:ytic(2) with xerrorbars pointtype 0 linecolor rgb grey, \
		for [who in names] little using (strcol(6) eq who ? $3 : NaN):1:4:5 with xerrorbars \
			pointtype 7 pointsize 0.7 linewidth 2 linecolor rgb shade(who)
	top = bottom + 60
	unset label
}
if (much_rows) {
	set tmargin at screen down(top)
	set bmargin at screen down(top + 17 * much_rows)
	set yrange [much_rows + 0.6 : 0.4]
	set logscale x
	set xlabel 'times as long'
	plot much using (1 + $3 / 100):1:(1 + $4 / 100):(1 + $5 / 100):ytic(2) with xerrorbars pointtype 0 \
			linecolor rgb grey, \
		for [who in names] much using (strcol(6) eq who ? 1 + $3 / 100 : NaN):1:(1 + $4 / 100):(1 + $5 / 100) \
			with xerrorbars pointtype 7 pointsize 0.7 linewidth 2 linecolor rgb shade(who)
}
unset multiplot
