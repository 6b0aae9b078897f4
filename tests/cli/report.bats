#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# A page of results: what it says, what it must not let through, and what is no result.
# shellcheck disable=SC2154,SC2016 # jq has variables, too

load ../helpers

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	head -c 4194304 /dev/urandom >file
	cp file other
	"$SGSTREAM" compare --json=compare.json --engines buffered,direct --rounds 6 --warmup 0 --size 1M file
	"$SGSTREAM" sweep --json=profile.json --offsets 0%,25%..100% --engines null file
	"$SGSTREAM" sweep --json=scaling.json --devices 1..2 --bs 4k --engines null --size 1M file other
	"$SGSTREAM" sweep --json=matrix.json --bs 4k..16k --qd 1,2 --engines null,buffered --size 1M file
	"$SGSTREAM" --json=read.json --loop --runtime 600ms --interval 100ms -e null file other
} >/dev/null 2>&1

setup() {
	prepare
	cp "$BATS_FILE_TMPDIR"/* .
}

teardown() { conclude; }

# The page is whole, and text of a result is nothing but text.
is_page() {
	exits 0
	"$root/tests/page/well-formed" "$1"
}

# The exact values that a page shows, one a line
shown() { grep -o '<data value="[^"]*"' "$1" | cut -d '"' -f 2; }

# Each number that the filter gives of a result stands in the page: shows PAGE RESULT FILTER
shows() {
	jq -e "[$3] | length > 0" "$2" >/dev/null
	jq -ne --slurpfile page <(shown "$1") --slurpfile result "$2" '$result[0] | [('"$3"')] |
		map(select(. as $n | $page | any(. == $n or (($n - .) | fabs) <= ($n | fabs) * 1e-15) | not)) |
		. == [] or error("not shown: \(.)")' >/dev/null
}

@test "a comparison: its verdict leads, and the figures are those of the JSON" {
	sgs report compare.json -o page.html
	is_page page.html
	empty out
	has page.html "<h1>$(json .comparison.verdict compare.json | sed 's/&/\&amp;/g; s/</\&lt;/g')" \
		"<dt>Measured</dt>" "<dt>Fastest</dt>" "<dt>By how much</dt>" "<dt>Can it be trusted?</dt>" \
		"Rate by engine" "CPU seconds per GiB by engine" "Latency" "6 rounds in turn"
	[ "$(grep -c '<svg viewBox' page.html)" -eq 3 ]
	shows page.html compare.json '.comparison.contenders[] | .bytes_per_second.median, .cpu_seconds_per_gib.median, .ratio.median'
	is '.messages | length > 0' compare.json # runs as short as these are warned of
	has page.html '<a href="#messages">' "With care"
}

@test "every warning stands in the page" {
	sgs report ./*.json -o page.html
	is_page page.html
	for file in *.json; do
		[ "$(jq '.messages | length' "$file")" -eq "$(grep -c "</span> .*\[./$file\]</li>" page.html)" ]
	done
}

@test "sweeps and a read: a plot of each kind, and every figure" {
	sgs report profile.json scaling.json matrix.json read.json -o page.html
	is_page page.html
	has page.html "Rate by position, MB/s" "Rate by number of drives, MB/s" "Rate of each drive over time, MB/s" \
		"Rates in MB/s, buffered" "(best)" "Each drive"
	[ "$(grep -c '<svg viewBox' page.html)" -eq 7 ]
	shows page.html profile.json '.runs[] | .total.bytes_per_second, .devices[0].offset_bytes, .total.latency_ns.p99'
	shows page.html scaling.json '.runs[].total.bytes_per_second'
	shows page.html matrix.json '.runs[].total.bytes_per_second'
	shows page.html read.json '.runs[0] | .total.bytes_per_second, .total.cpu.seconds_per_gib, .total.latency_ns.p99,
		(.devices[] | .bytes_per_second, .commands, .latency_ns.max),
		(.intervals[] | .span_ns as $ns | .device_bytes[] * 1e9 / $ns)'
}

@test "drives that reach a ceiling: the fitted law, and the knee" {
	jq '[24, 48, 71, 92, 97, 97.5, 98, 97.6] as $rates | .sweep.cells[0] as $cell | .runs[0] as $run |
		.sweep.axes.devices = [range(1; 9)] | .sweep.cells = [range(8) | . as $i | $cell | .devices = $i + 1 | .run = $i] |
		.runs = [$rates[] | . as $rate | $run | .total.bytes_per_second = $rate * 1e6]' scaling.json >knee.json
	sgs report knee.json -o page.html
	is_page page.html
	has page.html "measured, and the fitted law" "up to a ceiling of 97.5 MB/s" "Its knee is at 4 drives"
	shows page.html knee.json '.runs[].total.bytes_per_second'
}

@test "a paced read and blocks that cannot be read" {
	sgs --json=paced.json --rate 64M --frame 1M --streams 2 --deadline 20s --size 2M file other
	sgs report paced.json -o page.html
	is_page page.html
	has page.html "<h1>2 streams of 67.1 MB/s (64.0 MiB/s): all 4 frames were in time</h1>" "Frames of each stream"
	shows page.html paced.json '.runs[0].playback | .period_ns, .deadline_ns, .frame_ns.max, .each[].worst_ns'
	jq '.runs[0].devices[1].bad_ranges = [[4660, 10], [7000, 1]]' read.json >bad.json
	sgs report bad.json -o page.html
	is_page page.html
	has page.html "Blocks that could not be read"
	shows page.html bad.json '.runs[0].devices[1].bad_ranges[][]'
}

@test "a stranger's text is text: in the page, and for gnuplot" {
	local evil='</td><script>alert(1)</script><img src=x onerror=alert(2)>"'"'"'&`touch gotcha`'
	for file in compare matrix read; do
		jq --arg evil "$evil" '(.. | strings | select(. != "" and . != "sgstream/1" and . != "sweep" and . != "compare")) |= . + $evil' \
			$file.json >evil-$file.json
	done
	sgs report evil-*.json -o page.html
	is_page page.html
	has page.html '&lt;script&gt;alert(1)&lt;/script&gt;' '&quot;&#39;&amp;`touch gotcha`'
	has_not page.html '<script' '<img'
	[ ! -e gotcha ]
	printf '%s' '{"schema": "sgstream/1", "command": "read", "runs": [{"devices": [{"path": "a\u202eb\u0007c"}]}]}' >odd.json
	sgs report odd.json -o page.html
	is_page page.html
	has page.html $'a\xef\xbf\xbdb\xef\xbf\xbdc'
}

@test "what is missing, of another kind or out of range reads as unknown" {
	local broken n=0
	for broken in '.runs = [{}]' '.runs = [1, null, "x", []]' '.runs[0].total = 7' 'del(.host, .tool, .argv, .started_at)' \
		'.runs[0].total.bytes_per_second = -1e308' '.runs[0].devices = {}' '.runs[0].intervals = [1, {}, {"span_ns": 0}]' \
		'.sweep.axes = {}' '.sweep.cells = [{"run": 99}]' '.sweep.cells = 3' '.comparison = {"contenders": [{"rounds": 4}]}' \
		'.sweep.axes.bs_bytes = [range(200)]' '.runs[].total.latency_ns.histogram = [[-1, 5], [9223372036854774784, 1], 4]' \
		'.messages = "none"' '.sweep = null' '.status = 5'; do
		jq "$broken" compare.json profile.json scaling.json matrix.json read.json >broken.json
		n=$((n + 1))
		PATH=/nonexistent "$SGSTREAM" report broken.json -o "$n.html" 2>err || { cat err; echo "$broken"; return 1; }
	done
	"$root/tests/page/well-formed" ./*.html
}

@test "several results in a file, and a folder of them, by the time of their start" {
	mkdir results
	jq -c . read.json matrix.json >results/lines.jsonl
	cp compare.json results
	echo '{"name": "x"}' >results/package.json
	echo 'no JSON' >results/notes.txt
	sgs report results -o page.html
	is_page page.html
	messages_only err
	has err "left out: results/package.json is no result of sgstream: it is another object"
	has_not err notes.txt
	has page.html "results/lines.jsonl" "results/compare.json"
	[ "$(grep -c '<section id="r' page.html)" -eq 3 ]
	sgs report read.json -o -
	exits 0
	cp out page.html
	is_page page.html
}

# A run a day, of a drive that is known by its name and sits elsewhere each day
days() {
	local day=0 rate
	mkdir -p days
	for rate; do
		day=$((day + 1))
		jq -c --argjson rate "$rate" --arg day "$(printf '2026-11-%02dT06:00:00.000Z' $day)" --arg path "/dev/sg$day" \
			'.started_at = $day | .runs[0].devices |= [.[0] | .path = $path | .lu_name = "naa.1" |
			.bytes_per_second = $rate * 1e6] | .runs[0].total.bytes_per_second = $rate * 1e6' read.json
	done >>days/all.jsonl
}

@test "a folder of many runs: a drop beyond noise leads the page, noise does not" {
	days 1020 1005 1011 998 1015 1008 1003 990
	sgs report days -o page.html
	is_page page.html
	empty err
	has page.html "<h2 id=\"history-name\">Over time</h2>" "/dev/sg8 holds its rate: 990 MB/s" "over 8 runs"
	has_not page.html '>drop</span>'
	[ "$(grep -c '<section id="r' page.html)" -eq 1 ] # the latest stands for all
	rm -r days
	days 1020 1005 1011 998 1015 1008 1003 760 755
	sgs report days -o page.html
	is_page page.html
	messages_only err
	has err "/dev/sg9 has dropped to 755 MB/s (720 MiB/s): 25 % below the median of its 7 runs before, 1,008 MB/s"
	has page.html "<h1>/dev/sg9 has dropped to 755 MB/s"
	[ "$(grep -c '>drop</span>' page.html)" -eq 2 ]
	jq -s . days/all.jsonl >all.json
	shows page.html all.json '.[].runs[0].total.bytes_per_second'
	rm -r days
	days 1020 1010 1001 992 980 970 961 950
	sgs report days -o page.html
	has err "/dev/sg8 declines: by 7 % over its 8 runs, to 950 MB/s"
}

@test "two runs are both shown, and runs of another size are another series" {
	jq '.started_at = "2026-11-01T06:00:00.000Z"' read.json >one.json
	jq '.started_at = "2026-11-02T06:00:00.000Z"' read.json >two.json
	jq '.runs[0].bs_bytes = 4096' read.json >three.json
	sgs report one.json two.json three.json -o page.html
	is_page page.html
	[ "$(grep -c '<section id="r' page.html)" -eq 3 ]
	has page.html "over 2 runs"
	has_not page.html "over 3 runs"
}

@test "without gnuplot the page has its tables, and a sentence says what to install" {
	sgs report compare.json -o with.html
	status=0
	PATH=/nonexistent "$SGSTREAM" report compare.json -o page.html >out 2>err || status=$?
	is_page page.html
	one_line err
	has err "gnuplot draws them, and it is not installed; apt-get install gnuplot-nox"
	has_not page.html "<svg viewBox"
	diff <(shown with.html) <(shown page.html)
	printf '#!/bin/sh\nexit 1\n' >gnuplot
	chmod +x gnuplot
	PATH=$PWD "$SGSTREAM" report compare.json -o page.html >out 2>err
	has err "3 of 3 plots are missing: gnuplot failed"
}

@test "what is no result" {
	bad() {
		sgs report "${@:3}"
		is_refusal "$1" "$2"
		empty out
		[ ! -e page.html ]
	}
	echo '{"schema": "sgstream/2", "runs": []}' >later.json
	echo '{"schema": "fio"}' >fio.json
	echo '[1' >cut.json
	jq '.runs = []' read.json >failed.json
	: >empty.json
	mkdir none
	bad 1 "no result is given" -o page.html
	bad 1 "no file for the page is named; give -o FILE.html" read.json
	bad 1 "fio.json is no result of sgstream: it is another object" fio.json -o page.html
	bad 1 "its schema is 'sgstream/2', and this program reads sgstream/1" later.json -o page.html
	bad 1 "cut.json is no result of sgstream: " cut.json -o page.html
	bad 1 "empty.json is no result of sgstream: it is empty" empty.json -o page.html
	bad 1 "failed.json is no result of sgstream: it is of sgstream read and has no run" failed.json -o page.html
	bad 1 "none has no result of sgstream in a file that ends in .json" none -o page.html
	bad 1 "/dev/null is no result of sgstream: it is no regular file" /dev/null -o page.html
	bad 52 "missing.json: cannot be read: No such file" missing.json -o page.html
	bad 1 "-o read.json is one of the results" read.json -o read.json
	bad 52 "-o none/x/page.html: cannot write: No such file" read.json -o none/x/page.html
	mkfifo pipe
	bad 15 "-o pipe: cannot write: it is no regular file" read.json -o pipe
	bad 15 "-o /dev/null: cannot write: it is no regular file" read.json -o /dev/null
	sgs report --help
	exits 0
	has out "Usage: sgstream report" "gnuplot-nox"
}
