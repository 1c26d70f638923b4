# SPDX-License-Identifier: MIT
# What a row costs against the floor, rows by bytes of header; where the clock is free if that was timed. Exact or not by shape.
# By hand: gnuplot choice.gp, or gnuplot -e "format='png'" choice.gp
load 'run.gp'
name = 'choice'
title = 'Cost of a scheme, in times of the floor'
subtitle = 'rows by bytes of header; '.(choice_free ? 'with a clock that costs nothing' : 'by the clock of this machine')
height = 190 + 22 * choice_rows
load 'style.gp'
set ytics font small

# 1 position, 2 row and its bytes of header, 3 ratio, 4 kind: 0 exact, 1 inexact, 5 by this machine's clock
set tmargin at screen down(96)
set bmargin at screen down(height - 70)
set lmargin at screen right(250)
set rmargin at screen right(860)
set yrange [choice_rows + 0.7 : 0.3]
begin = choice_least < 0.93 ? 0.97 * choice_least : 0.9
set xrange [begin : choice_most + 0.12 * (choice_most - begin)]
set grid xtics noytics
set xlabel 'times the floor' offset 0,0.4
cut(x) = x > choice_most ? choice_most + 0.06 * (choice_most - begin) : x
kinds = '"exact, also when interrupted" "declared inexact" "an interrupt waits, or is lost"'
colours = blue.' '.vermillion.' '.orange
shapes = '7 6 9'
if (choice_free) {
	set label 24 'the clock of this machine' at screen right(742),down(76) left font small
	set label 34 '' at screen right(730),down(76) point pointtype 7 pointsize 0.5 linecolor rgb grey
}
do for [i = 1:3] {
	at = 150 + int(word('0 200 345', i))
	set label 20 + i word(kinds, i) at screen right(at + 12),down(76) left font small
	set label 30 + i '' at screen right(at),down(76) point pointtype int(word(shapes, i)) \
		pointsize 1 linecolor rgb word(colours, i)
}
plot 'choice.dat' using (NaN):1:ytic(2), \
	'' using (valid(5) ? cut($5) : NaN):1 with points pointtype 7 pointsize 0.5 linecolor rgb grey, \
	for [i = 1:3] '' using (valid(4) && $4 == i - 1 ? cut($3) : NaN):1 with points \
		pointtype int(word(shapes, i)) pointsize 1.1 linecolor rgb word(colours, i), \
	'' using (cut($3)):1:(sprintf($3 > choice_most ? '%.0f →' : '%.2f', $3)) \
		with labels left offset 0.9,0 font small
