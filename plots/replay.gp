# SPDX-License-Identifier: MIT
# Bytes of an event, by row and file of recorded gaps.
# By hand: gnuplot replay.gp, or gnuplot -e "format='png'" replay.gp
load 'run.gp'
name = 'replay'
title = 'Bytes of an event under recorded gaps'
subtitle = 'header and 8 bytes of payload, beats included; the stronger the colour, the more'
height = 226 + 20 * replay_rows
load 'style.gp'
set ytics font small

# 1 position, 2 row, 3 column, 4 bytes, 5 a promise was broken, 6 gaps
set tmargin at screen down(160)
set bmargin at screen down(height - 56)
set lmargin at screen right(215)
set rmargin at screen right(840)
set yrange [replay_rows + 0.5 : 0.5]
set xrange [0.5 : replay_files + 0.5]
unset grid
unset xtics
span = replay_high > replay_low ? replay_high - replay_low : 1
part(bytes) = (bytes - replay_low) / span
between(from, to, at) = int(from + (to - from) * at)
shade(bytes) = 65536 * between(0xe4, 0x03, part(bytes)) + 256 * between(0xef, 0x4a, part(bytes)) \
	+ between(0xf6, 0x74, part(bytes))
ink(bytes) = part(bytes) > 0.68 ? 0xfefefe : 0x161616
do for [i = 1:replay_files] {
	set label 10 + i replay_gaps[i] at first i, graph 1 offset 0,0.7 left rotate by 30 \
		font small
}
plot 'replay.dat' using (NaN):1:ytic(2), \
	'' using (valid(4) ? $3 : NaN):1:($3 - 0.48):($3 + 0.48):($1 - 0.46):($1 + 0.46):\
		(valid(4) ? shade($4) : 0) with boxxyerror fillstyle solid noborder \
		linecolor rgb variable, \
	'' using 3:1:(valid(4) ? figure($4).($5 > 0 ? ' wrong' : '') : ''):\
		(valid(4) ? ink($4) : 0x161616) with labels font small textcolor rgb variable
