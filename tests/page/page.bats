#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# A page as a browser shows it: on a phone, on a desktop, dark, and printed.
# shellcheck disable=SC2154,SC2016 # jq has variables, too

load ../helpers

# One page of every kind of result, looked at once
setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	head -c 4194304 /dev/urandom >file
	cp file other
	"$SGSTREAM" compare --json=compare.json --engines buffered,direct --rounds 6 --warmup 0 --size 1M file
	"$SGSTREAM" sweep --json=profile.json --offsets 0%,25%..100% --engines null file
	"$SGSTREAM" sweep --json=scaling.json --devices 1..2 --bs 4k --engines null --size 1M file other
	"$SGSTREAM" sweep --json=matrix.json --bs 4k..16k --qd 1,2 --engines null --size 1M file
	"$SGSTREAM" --json=plain.json --loop --runtime 600ms --interval 100ms -e null file other
	jq '(.. | strings | select(. == "file")) = "<b>\"file\"</b> with a name that is so long that it has to be broken somewhere"' \
		plain.json >read.json
	rm plain.json
	"$SGSTREAM" report ./*.json -o page.html
	timeout 120 "$root/tests/page/browse" page.html >seen.json
} >/dev/null 2>&1

setup() {
	prepare
	cp "$BATS_FILE_TMPDIR"/*.json .
}

seen() { jq -e "$1" seen.json >/dev/null || { echo "not so: $1"; jq -c "${2-.}" seen.json | head -c 2000; return 1; }; }

@test "nothing is asked for from elsewhere, and the console is silent" {
	seen '.requests == []' .requests
	seen '.console == []' .console
}

@test "every plot is drawn, readable and inside of its frame, on each screen" {
	seen '[.phone, .desktop, .dark, .print | .plots] | all(.[]; length == 10)'
	seen '[.phone, .desktop, .dark, .print | .plots[]] | all(.[]; .lines > 0 and .outside == 0)' \
		'[.phone.plots[] | {title, lines, outside}]'
	seen '[.phone, .desktop, .dark | .plots[]] | all(.[]; .text_pixels >= 9 and .box[2] >= 340)' \
		'[.phone.plots[] | {title, text_pixels, box}]'
}

@test "nothing sticks out of a phone" {
	seen '.phone | .width == 390 and .scroll_width == 390 and .outside == []' '.phone | {width, scroll_width, outside}'
}

@test "the first screen says what was measured, what won, by how much, and whether to trust it" {
	seen '[.phone, .desktop, .dark | .first_screen] |
		all(.[]; .[1:] == ["Measured", "Fastest", "By how much", "Can it be trusted?"])' '.phone.first_screen'
	jq -e --slurpfile result compare.json '.desktop.first_screen[0] == $result[0].comparison.verdict' seen.json
}

@test "text and lines stand out in light and in dark" {
	seen '.desktop.paper == "rgb(255, 255, 255)" and .dark.paper == "rgb(21, 23, 26)"' '[.desktop.paper, .dark.paper]'
	seen '.print.paper == "rgb(255, 255, 255)" and .pdf_bytes > 20000'
	seen '[.phone, .desktop, .dark, .print] | all(.[]; .least_contrast >= 4.5 and .least_line_contrast >= 3)' \
		'map_values(.least_contrast?)'
}

@test "a screen reader finds landmarks, names and headings" {
	seen '[.names[][0]] as $roles | ["banner", "main", "contentinfo", "navigation", "heading", "figure", "image", "table",
		"caption", "columnheader", "rowheader"] - $roles == []' '[.names[][0]] | unique'
	seen '[.names[] | select(.[0] == "image")] | length == 10 and all(.[]; .[1] | length > 6 and length < 80)' \
		'[.names[] | select(.[0] == "image")]'
}

@test "the figures on the screen are those of the results" {
	jq -ne --slurpfile seen seen.json --slurpfile all <(cat compare.json profile.json scaling.json matrix.json read.json) '
		[$all[] | (.comparison.contenders[]? | .bytes_per_second.median, .ratio.median),
			(select(.sweep).runs[] | .total.bytes_per_second),
			(select(.command == "read").runs[0] | .total.bytes_per_second, .devices[].latency_ns.max)] |
		length >= 20 and all(.[]; . as $n | $seen[0].desktop.values | any(. == $n or
			(($n - .) | fabs) <= ($n | fabs) * 1e-15))'
}
