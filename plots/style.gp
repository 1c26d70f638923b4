# SPDX-License-Identifier: MIT
# What the plots share. Expects name, title, subtitle and height; run.gp comes before.
set encoding utf8
if (!exists("format")) format = 'svg'
if (format eq 'svg') {
	small = 'sans-serif,11'; normal = 'sans-serif,13'; large = 'sans-serif,17'
	set terminal svg size 900,height noenhanced rounded font normal background '#ffffff'
} else {
	# Twice the pixels of the SVG, so that text is as sharp on a dense screen; sizes in points.
	small = 'sans-serif,8.25'; normal = 'sans-serif,9.75'; large = 'sans-serif,12.75'
	set terminal pngcairo size 1800,2*height noenhanced rounded font normal fontscale 2 \
		linewidth 2 pointscale 2 background '#ffffff'
}
# build/plots takes the picture from standard output; by hand it becomes a file.
if (!exists("to_stdout")) set output name.'.'.format

# Okabe and Ito: told apart by colour-blind readers, and by lightness when printed grey.
orange = '#e69f00'
sky = '#56b4e9'
green = '#009e73'
blue = '#0072b2'
vermillion = '#d55e00'
purple = '#cc79a7'
grey = '#5f5f5f'
faint = '#d9d9d9'
palette = blue.' '.vermillion.' '.green.' '.purple.' '.orange.' '.sky.' #000000 '.grey
shapes = '6 4 8 10 12 14 1 2 3'
colour(i) = word(palette, (i - 1) % 8 + 1)
shape(i) = int(word(shapes, (i - 1) % 9 + 1))
# Solid lines first, then the same colours dashed.
dashes(i) = i > 8 ? 2 : 1

# Pixels of the SVG, from the top and from the left, as parts of the picture.
down(pixels) = 1.0 - pixels / (1.0 * height)
right(pixels) = pixels / 900.0

# Three significant digits, or all before the point.
figure(x) = sprintf(x < 9.995 ? '%.2f' : x < 99.95 ? '%.1f' : '%.0f', x)

set label 1 title at screen right(14),down(26) left font large front
set label 2 subtitle at screen right(14),down(48) left textcolor rgb grey front
set label 3 caption_machine at screen right(14),down(height - 30) left font small \
	textcolor rgb grey front
set label 4 caption_run at screen right(14),down(height - 14) left font small \
	textcolor rgb grey front
set border 0
set tics nomirror scale 0.5
set ytics scale 0
set grid xtics ytics linetype 1 linecolor rgb faint linewidth 1
set key off
