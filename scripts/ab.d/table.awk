# SPDX-License-Identifier: BSD-2-Clause
#
# Lines of table.jq become text: a table in columns that fit, the rest as it is.

# Three digits that say something, thousands apart
function figure(x,   text) {
	if (x == "-" || x == "")
		return "-"
	text = x >= 99.95 ? sprintf("%.0f", x) : x >= 9.995 ? sprintf("%.1f", x) : x >= 0.9995 ? sprintf("%.2f", x) : sprintf("%.3f", x)
	return apart(text)
}

function apart(text,   head) {
	if (text ~ /[.]/ || length(text) < 4)
		return text
	head = substr(text, 1, length(text) - 3)
	return apart(head) "," substr(text, length(text) - 2)
}

function between(low, high) { return low == "-" ? "-" : figure(low) " to " figure(high) }

function cell(row, column, text) {
	cells[row, column] = text
	if (length(text) > width[column])
		width[column] = length(text)
}

function add(a, b, c, d, e, f, g, h, i, j, k) {
	rows++
	cell(rows, 1, a); cell(rows, 2, b); cell(rows, 3, c); cell(rows, 4, d); cell(rows, 5, e)
	cell(rows, 6, f); cell(rows, 7, g); cell(rows, 8, h); cell(rows, 9, i); cell(rows, 10, j)
	cell(rows, 11, k)
}

# The first column and the last stand at the left of their places.
function show(row,   column, line) {
	line = sprintf("%-" width[1] "s", cells[row, 1])
	if (row in alone)
		return line "  " alone[row]
	for (column = 2; column <= 10; column++)
		line = line sprintf("  %" width[column] "s", cells[row, column])
	return line "  " cells[row, 11]
}

function flush_table(   i) {
	for (i = 1; i <= rows; i++)
		print show(i)
	rows = 0
}

function mega(x) { return x == "-" ? x : x / 1e6 }

$1 == "head" { add("CONTENDER", "MB/s", $2, "MiB/s", "ITS CLOCK", "RATIO", $2, "CPU s/GiB", $2, "BYTES", "CHECKED BY"); next }
$1 == "row" {
	add($2, figure(mega($3)), between(mega($4), mega($5)), figure($3 / 1048576), figure(mega($6)), $7 == 1 ? 1 : figure($7),
		between($8, $9), figure($10), between($11, $12), apart($13), $14 ($15 == "" ? "" : "; " $15))
	next
}
$1 == "none" { add($2); alone[rows] = $3; next }
{ flush_table() }
$1 == "text" { print $2 }
$1 == "false" { printf "%-8s %15s bytes, %10s MB/s  (%s)\n", $2, apart($3), figure($4 / 1e6), $5 }
END { flush_table() }
