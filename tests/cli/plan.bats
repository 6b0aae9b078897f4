#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# sgstream plan: from the results of doc/planning, which the lab measured on drives of 105 MB/s
# behind a controller that takes 12 commands at a time.

load ../helpers

setup() {
	prepare
	sweep=$root/doc/planning/sweep.json
	compare=$root/doc/planning/compare.json
	drive=$((524288 * 1000 / 5)) # bytes a second: half a MiB each 5 ms
}

teardown() { conclude; }

# A file with some of it changed: changed FILTER [FILE]
changed() { jq "$1" "${2-$sweep}"; }

@test "a rate: what it takes is arithmetic" {
	sgs plan --json --target 1.9GB/s --headroom 20% --max-controllers 4 "$sweep" "$compare"
	exits 0
	object
	is ".model.parameters.lambda_bytes_per_second / $drive | . > 0.97 and . <= 1"
	is '.model.controller | .can_queue == 12 and (.knee_drives - 12 | fabs) <= 1'
	is '.answer | .need_bytes_per_second == 2.375e9 and .hosts.median == 1'
	is ".answer.drives.median == (2.375e9 / $drive | ceil) and .answer.controllers.median == 2"
	is '.answer | .drives.low <= .drives.median and .drives.median <= .drives.high'
	is '.answer.page_cache | .engine == "buffered" and .cores > 0'
	is '.answer.cores.median < .answer.page_cache.cores'
	is '.prediction | map(.drives) | . == sort and index(12) and index(16)'
}

@test "the text says what is needed, what binds, and what is not known" {
	sgs plan --target 2GB/s --headroom 20% --max-controllers 1 "$sweep" "$compare"
	exits 0
	printable out
	has out "sg-mmap, 512 KiB per command, depth 1" "20 % to spare: 2,500 MB/s" "drives " "hosts " \
		"controllers bind first" "one more drive brings" "through the page cache (buffered)"
	messages_only err
	has err "sgstream sweep --offsets" "sgstream list --topology"
	sgs plan --quiet --target 2GB/s "$sweep" "$compare"
	exits 0
	empty err
}

@test "streams are not split over hosts" {
	sgs plan --json --streams 40 --stream-rate 305MB/s --frame 12.7MB --max-controllers 4 "$sweep"
	exits 0
	object
	is '.question | .streams == 40 and .frame_bytes == 12700000'
	is '.answer.host.bytes_per_second * .answer.hosts.median >= 40 * 305e6'
	is '.answer | .hosts.median >= 3 and .binding == "controllers" and .drives_of_a_frame == 3'
	is '.messages | map(.code) | index("controllers_unmeasured")'
}

@test "the engine asked for, and what is measured of it" {
	refused 1 "sg-dio" "sgstream sweep --engines sg-dio" "--devices 1..N" -- \
		plan --target 1GB/s -e sg-dio "$sweep"
	refused 1 "--qd 7" -- plan --target 1GB/s -q 7 "$sweep"
	refused 1 "all of 1 device" "--devices 1..N" -- plan --target 1GB/s "$compare"
	changed '.command = "sweep" | .sweep.cells |= map(select(.devices < 3))' >two.json
	sgs plan --json --target 1GB/s two.json
	exits 0
	object
	is '.model.fit.left_out_miss == null and .answer.drives.low == null'
	is '.messages | map(.code) | index("few_points") and index("no_interval")'
}

@test "results that do not follow a law say so" {
	changed '.runs |= (to_entries | map((.key % 2) as $odd | .value.total |= (.bytes /= 1 + $odd | .bytes_per_second /= 1 + $odd) | .value))' >odd.json
	sgs plan --json --target 500MB/s odd.json
	exits 0
	object
	is '.model.fit.left_out_miss > 0.1'
	is '.messages | map(select(.code == "law_misses" and .level == "warning")) | length == 1'
}

@test "runs that failed or found memory are left out" {
	changed '.sweep.cells[0].run = null | .sweep.cells[0].reason = "gone" |
		.runs[3].total.cache = {verdict: "warm"} | .runs[4].playback = {streams: 1}' >less.json
	sgs plan --json --target 500MB/s less.json
	exits 0
	object
	is '.model.fit.points == 5'
	is '.messages | map(.code) | index("runs_failed") and index("runs_warm") and index("runs_paced")'
}

@test "results without a usable run say why" {
	changed '.sweep.cells[:2][].run = null | .runs[2:5][].total.cache = {verdict: "warm"} |
		.runs[5].playback = {streams: 1} | .runs[6].devices = [] | .sweep.cells[7].offset_percent = 0' >none.json
	refused 1 "no good run of the results of host lab is of any engine" "2 failed, 3 read from memory, 1 held to a rate, 1 without a byte" \
		"1 of a profile by position" "sgstream sweep --devices 1..N" -- plan --target 1GB/s none.json
	changed '.sweep.cells = []' >none.json
	refused 1 "any engine (there are none); measure" -- plan --target 1GB/s none.json
}

@test "what is given twice is counted once" {
	sgs plan --json --target 500MB/s "$sweep"
	jq '.model, .prediction, .answer' out >once
	jq . "$sweep" >again.json
	sgs plan --json --target 500MB/s "$sweep" again.json "$sweep"
	exits 0
	object
	jq '.model, .prediction, .answer' out | cmp - once
	is '.messages | map(select(.code == "same_result" and (.text | startswith("2 results")))) | length == 1'
	changed '.started_at = "2026-12-01T00:00:00.000Z" | .argv += ["--resume=sweep.json"] | .runs[7].total |= (.bytes /= 2 | .bytes_per_second /= 2)' >resumed.json
	sgs plan --json --target 500MB/s "$sweep" resumed.json
	exits 0
	object
	is '.model.fit.points == 9'
	is '.messages | map(select(.code == "same_runs" and (.text | startswith("7 runs")))) | length == 1'
}

@test "beyond twice what was measured is called a guess" {
	changed '.sweep.cells |= map(select(.devices <= 3)) | .runs[].devices[].controller.can_queue = null' >few.json
	sgs plan --json --target 2GB/s --max-controllers 1 few.json
	exits 0
	object
	is '.answer.extrapolated and (.messages | map(.code) | index("extrapolated"))'
	is '[.prediction[] | .extrapolated == (.drives > 6)] | all'
}

@test "a ceiling by link: from list --topology, or given" {
	changed '{schema, status, exit_status, tool, host, started_at, argv, command: "list", messages,
		devices: [{controller: .runs[0].devices[0].controller, topology: [
			{kind: "drive", name: "0:0:0:0", bytes_per_second: null},
			{kind: "pcie", name: "0000:01:00.0", what: "8.0 GT/s x1", bytes_per_second: 900e6}]}]}' >list.json
	sgs plan --json --target 2GB/s "$sweep" list.json
	exits 0
	object
	is '.model.controller | .ceiling_by == "link" and .ceiling_bytes_per_second == 900e6 and
		.link == "pcie 0000:01:00.0 8.0 GT/s x1"'
	is '.answer.controllers.median == 3 and (.messages | map(.code) | index("no_links") | not)'
	changed '.runs[].ceiling = {kind: "pcie", name: "0000:01:00.0", bytes_per_second: 800e6, share: 1}' >links.json
	sgs plan --json --target 2GB/s links.json
	exits 0
	object
	is '.model.controller | .ceiling_by == "link" and .ceiling_bytes_per_second == 800e6'
	changed '.runs[].ceiling = {kind: "sas", name: "port-0:0", bytes_per_second: 300e6, share: 1}' >ports.json
	sgs plan --json --target 2GB/s ports.json
	exits 0
	is '.model.controller.ceiling_by == "slots"' # of one drive alone
	sgs plan --json --target 2GB/s --controller-ceiling 500MB/s "$sweep"
	exits 0
	object
	is '.model.controller | .ceiling_by == "given" and .ceiling_bytes_per_second == 5e8'
	is '.answer.controllers.median == 4'
}

@test "two controllers with one drive each" {
	changed '.sweep.cells |= .[:2] | .runs |= .[:2] | .runs[].devices[].controller.can_queue = 192 |
		.runs[1].devices[1].controller.host = 1' >dev.json
	sgs plan --json --target 500MB/s --max-drives 1 dev.json "$compare"
	exits 0
	object
	is '.answer | .drives.median == 5 and .hosts.median == 5 and .controllers.median == 5 and .controllers.high == 5'
	is '.answer.host | .drives == 1 and .controllers == 1'
	is '.model.controller | .can_queue == 384 and .ceiling_by == "none" and
		.ceiling_bytes_per_second == null and .knee_drives == null'
	sgs plan --target 500MB/s --max-controllers 4 dev.json "$compare"
	exits 0
	has out "its ceiling was not reached: it takes 384 commands at a time" "cores bind first"
	run grep "at most: it takes" out
	[ "$status" -eq 1 ]
}

@test "a profile by position: planned with the slowest" {
	changed '.sweep.cells |= (.[0:1] | map(.devices = 1 | . + {offset_percent: 0}, . + {offset_percent: 100})) |
		.sweep.cells[0].run = 0 | .sweep.cells[1].run = 1 | .runs |= [.[0], .[0]] |
		.runs[].devices |= .[0:1] | .runs[1].total |= (.bytes /= 2 | .bytes_per_second /= 2)' >zones.json
	sgs plan --json --target 1GB/s "$sweep" zones.json
	exits 0
	object
	is '.model.zone == {offset_percent: 100, share_of_first: 0.5}'
	is ".answer.drives.median == (1e9 / (.model.parameters.lambda_bytes_per_second / 2) | ceil)"
}

@test "results of two hosts: only with --by-host, a plan for each" {
	changed '.host.name = "other" | .host.cpus = 64' >other.json
	refused 31 "$sweep" "other.json" "64 CPUs" "--by-host" -- plan --target 1GB/s "$sweep" other.json
	sgs plan --json --by-host --target 1GB/s "$sweep" other.json
	exits 0
	object
	is '.hosts | length == 2 and .[1].name == "other" and .[1].cpus == 64 and
		(map(.answer.drives.median) | unique | length == 1)'
	is '.messages | map(.device) | unique == ["lab", "other"]'
	has err "sgstream: note: other: "
	refused 31 "--plot" "--by-host" -- plan --by-host --plot x.svg --target 1GB/s "$sweep" other.json
}

@test "out of reach" {
	refused_target() {
		sgs plan --json --target 900PB/s --max-hosts 3 "$sweep"
		exits 36
		object
		is '.exit_status == 36 and .answer == null and (.prediction | length > 0)'
		has err "900,000,000,000 MB/s, the headroom" "out of reach" "MB/s at most, for its cores" \
			"3 of them are the most"
		run grep -E '[0-9]e[+-]' err
		[ "$status" -eq 1 ]
	}
	refused_target
	sgs plan --json --streams 2 --stream-rate 9GB/s --max-controllers 1 "$sweep"
	exits 36
	object
	has err "no number of hosts"
	sgs plan --json --streams 2 --stream-rate 90MB/s --frame 1MB --deadline 1us "$sweep"
	exits 36
	object
	has err "--deadline"
}

@test "gnuplot draws the plot, and has nothing to say" {
	command -v gnuplot >/dev/null || skip "there is no gnuplot"
	sgs plan --quiet --target 1GB/s --plot plan.svg "$sweep" "$compare"
	exits 0
	empty err
	has plan.svg "<svg" "measured" "predicted" "drives of 1 controller" "</svg>"
}

@test "the plot, and no gnuplot" {
	mkdir bin
	cat >bin/gnuplot <<-'EOT'
	#!/bin/sh
	cat >script
	echo '<svg/>'
	EOT
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH sgs plan --target 1GB/s --plot plan.svg "$sweep"
	exits 0
	[ "$(<plan.svg)" = '<svg/>' ]
	has script "set terminal svg" "sg-mmap, 512 KiB per command, depth 1"
	[ "$(sed -n '/^\$measured/,/^END/p' script | wc -l)" -eq 10 ]
	printf '#!/bin/sh\ncat >/dev/null\nexit 3\n' >bin/gnuplot
	PATH=$PWD/bin:$PATH sgs plan --json --target 1GB/s --plot plan.svg "$sweep"
	exits 99
	object
	has err "gnuplot ended with status 3"
	rm bin/gnuplot
	PATH=$PWD/bin sgs_alone plan --json --target 1GB/s --plot plan.svg "$sweep"
	exits 52
	object
	has err "gnuplot draws it and is not installed" "gnuplot-nox"
	[ "$(<plan.svg)" = '<svg/>' ]
	sgs plan --target 1GB/s --plot /dev/null "$sweep"
	exits 15
	has err "/dev/null" "no regular file"
	sgs plan --target 1GB/s --plot none/plan.svg "$sweep"
	exits 52
	has err "none/plan.svg" "No such file"
}

# As sgs, with a PATH that has no timeout(1)
sgs_alone() {
	ran="sgstream $(printf '%q ' "$@")"
	status=0
	"$SGSTREAM" "$@" >out 2>err </dev/null 3>&- || status=$?
}

@test "files that are no results" {
	refused 52 "none.json" "No such file" -- plan --target 1GB/s none.json
	echo '{"a": 1' >broken.json
	refused 1 "broken.json is no result" -- plan --target 1GB/s broken.json
	echo '{"a": 1}' >alien.json
	refused 1 "alien.json is no result" "another object" -- plan --target 1GB/s alien.json
	changed '.schema = "sgstream/2"' >later.json
	refused 1 "later.json" "'sgstream/2'" "reads sgstream/1" -- plan --target 1GB/s later.json
	changed '.command = "doctor"' >doctor.json
	refused 1 "doctor.json" "sgstream doctor" "measures no rate" -- plan --target 1GB/s doctor.json
	refused 1 "no regular file" -- plan --target 1GB/s /dev
	changed '{schema, command, host: 7, runs: [1, null, {}], sweep: {cells: [{run: 2}, {run: -1}, 5]}}' >odd.json
	refused 1 "no good run" -- plan --target 1GB/s odd.json
	changed '.runs[].devices = [] | .runs[].total.bytes_per_second = "fast"' >empty.json
	refused 1 "no good run" -- plan --target 1GB/s empty.json
}

@test "results that contradict themselves" {
	refuses_changed() {
		changed "$1" >ed.json
		refused 1 "ed.json" "runs[$2]" "${@:3}" -- plan --target 1GB/s ed.json
		sgs plan --json --target 1GB/s ed.json
		exits 1
		object
		is '.exit_status == 1 and .messages[0].code == "no_result"'
	}
	refuses_changed '.runs[].total.bytes_per_second = 1e308' 0 "1e+308" "104,333,312 in 1,003,0"
	refuses_changed '.runs[3].total.bytes_per_second *= 1.01' 3
	refuses_changed '.runs[2].total.bytes_per_second = -1' 2
	refuses_changed '.runs[].total.bytes = 7' 0
	refuses_changed '.runs[].total.elapsed_ns = 0' 0
	refuses_changed '.runs[1].devices[1].bytes = 7' 1 "devices[1]"
	refuses_changed '.runs[1].total |= (.elapsed_ns = 1 | .bytes_per_second = .bytes * 1e9)' 1 "more than can be"
	changed '.runs[].total |= (.bytes_per_second = null | .cpu.seconds_per_gib = 1e308)' >derived.json
	sgs plan --json --target 1GB/s "$sweep"
	jq 'del(.started_at, .argv)' out >straight
	sgs plan --json --target 1GB/s derived.json
	exits 0
	object
	jq 'del(.started_at, .argv)' out | cmp - straight
}

@test "loads that cannot be meant" {
	refused 1 "no load" "--target" -- plan "$sweep"
	refused 1 "no result is given" -- plan --target 1GB/s
	refused 1 "--target" "'0'" -- plan --target 0 "$sweep"
	refused 1 "--target" "'-1GB/s'" "negative" -- plan --target=-1GB/s "$sweep"
	refused 1 "--target" "'fast'" -- plan --target fast "$sweep"
	refused 1 "--target" "too large" -- plan --target 99999999999PB/s "$sweep"
	refused 1 "--headroom" "'100%'" -- plan --target 1GB/s --headroom 100% "$sweep"
	refused 1 "--headroom" "'20'" -- plan --target 1GB/s --headroom 20 "$sweep"
	refused 1 "--stream-rate" -- plan --streams 4 "$sweep"
	refused 1 "--streams" "'0'" -- plan --streams 0 --stream-rate 1MB/s "$sweep"
	refused 1 "--controller-ceiling" "'0GB/s'" -- plan --target 1GB/s --controller-ceiling 0GB/s "$sweep"
	refused 31 "--target and --streams" -- plan --target 1GB/s --streams 4 "$sweep"
	refused 31 "give --streams" -- plan --target 1GB/s --frame 1M "$sweep"
	refused 31 "give --frame" -- plan --streams 4 --stream-rate 1MB/s --deadline 40ms "$sweep"
}

@test "a result is not written over" {
	cp "$sweep" mine.json
	refused_json() {
		sgs plan --target 1GB/s --json=mine.json mine.json
		exits 1
		has err "mine.json is what is to be read"
		cmp mine.json "$sweep"
	}
	refused_json
}

@test "the example in doc/planning.md is what the program says" {
	"$root/scripts/planning" --check
}

@test "it says how to call it" {
	sgs plan --help
	exits 0
	empty err
	for option in target streams stream-rate frame deadline headroom max-drives max-controllers max-hosts \
		cores engine bs qd controller-ceiling by-host plot json quiet; do
		has out "--$option"
	done
}
