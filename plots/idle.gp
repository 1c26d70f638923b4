# SPDX-License-Identifier: MIT
# What a row does per second while nothing happens.
# By hand: gnuplot idle.gp, or gnuplot -e "format='png'" idle.gp
load 'run.gp'
name = 'idle'
title = 'What a quiet machine pays'
subtitle = 'per second, without events'.(idle_rare ? ' and with one per second' : '')
height = 190 + 22 * idle_rows
load 'style.gp'
set ytics font small

# 1 position, 2 row; without events: 3 beats, 4 wake-ups, 5 bytes; with one per second: 6 7 8
half = 0.34
set multiplot
set tmargin at screen down(66)
set bmargin at screen down(height - 116)
set lmargin at screen right(215)
set rmargin at screen right(520)
set yrange [idle_rows + 0.6 : 0.4]
set grid noytics
set xtics font small
set style fill solid 1.0 noborder
set xrange [0 : idle_beats > 0 ? idle_beats * 1.25 : 1]
set xlabel 'beats per second' offset 0,0.4
texts = '"no event" "wake-ups, no event" "one event per second"'
do for [i = 1:(idle_rare ? 3 : 2)] {
	at = int(word('225 325 475', i))
	set label 20 + i word(texts, i) at screen right(at + 12),down(height - 56) left font small
	set label 30 + i '' at screen right(at),down(height - 56) point \
		pointtype int(word('5 2 6', i)) pointsize 0.9 linewidth 1.5 \
		linecolor rgb word(blue.' '.grey.' '.vermillion, i)
}
most(a, b) = a > b ? a : b
or_none(x) = x > 0 ? x : 0
plot 'idle.dat' using (NaN):1:ytic(2), \
	'' using ($3 > 0 ? 0 : NaN):1:(0):3:($1 - half):($1 + half) with boxxyerror \
		linecolor rgb blue, \
	'' using ($4 > 0 ? $4 : NaN):1 with points pointtype 2 pointsize 0.8 linewidth 1.5 \
		linecolor rgb grey, \
	'' using (most(or_none($3), or_none($4))):1:(valid(3) ? sprintf('%.3g', $3) : 'n/a') \
		with labels left offset 1,0 font small
unset label
unset ytics
set lmargin at screen right(560)
set rmargin at screen right(860)
set xrange [0 : idle_bytes > 0 ? idle_bytes * 1.25 : 1]
# Few enough for numbers of this length.
step = idle_bytes > 0 ? 10.0 ** floor(log10(idle_bytes)) : 1.0
step = idle_bytes < 2 * step ? step / 2 : idle_bytes > 6 * step ? 2 * step : step
set xtics 0,step
set xlabel 'bytes per second' offset 0,0.4
plot 'idle.dat' using ($5 > 0 ? 0 : NaN):1:(0):5:($1 - half):($1 + half) with boxxyerror \
		linecolor rgb blue, \
	'' using (valid(8) ? $8 : NaN):1 with points pointtype 6 pointsize 0.9 linewidth 1.5 \
		linecolor rgb vermillion, \
	'' using (most(or_none($5), valid(8) ? $8 : 0)):1:(valid(5) ? sprintf('%.4g', $5).\
		(valid(8) ? sprintf(', %.4g', $8) : '') : 'n/a') \
		with labels left offset 1,0 font small
unset multiplot
