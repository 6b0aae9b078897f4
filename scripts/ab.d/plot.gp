# SPDX-License-Identifier: BSD-2-Clause
#
# gnuplot -e "medians='FILE'; title='TEXT'" plot.gp: writes SVG to standard output.

set terminal svg size 960,480 noenhanced background rgb 'white'
set datafile separator tab
set title title
set ylabel 'MB/s (millions of bytes per second)'
set yrange [0:*]
set xrange [-0.6:*<63]
set offsets 0, 0.6, 0, 0
set boxwidth 0.6
set style fill solid 0.35 noborder
set xtics rotate by -30 nomirror
set grid ytics
set rmargin 10
set key outside bottom center horizontal
plot medians index 0 using 1:2:xtic(5) with boxes lc rgb '#4477aa' title 'median', \
	'' index 1 using 1:2 with points pt 7 ps 0.4 lc rgb '#999999' title 'rounds', \
	'' index 0 using 1:2:3:4 with yerrorbars ps 0 lw 1.5 lc rgb '#222222' title 'interval of the median'
