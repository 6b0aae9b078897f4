#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Sweeping over regular files: the matrix, what is kept of a sweep that was interrupted, and what
# is no sweep at all.
# shellcheck disable=SC2154,SC2016,SC2012 # jq has variables, too

load ../helpers

setup() {
	prepare
	random file 4194304
}

teardown() {
	stop_started
	conclude
}

# The cells are the points of the axes, each with a run or a reason, and each run is its cell's.
cells_fit() {
	is "$fit"'fits and (. as $all | .sweep | (.axes | [.[] | length] | reduce .[] as $n (1; . * $n)) == (.cells | length) and
		([.cells[].run | select(. != null)] | sort == [range($all.runs | length)]) and
		(.cells_done == ([.cells[] | select(.run != null or .reason != null)] | length)) and
		(.cells_kept == ([.cells[] | select(.kept)] | length)) and
		(.cells | all(.[]; . as $cell | if .run == null then true else $all.runs[.run] |
			.engine == $cell.engine and .bs_bytes == $cell.bs_bytes and .threads == $cell.threads and
			.queue_depth == $cell.queue_depth and (.devices | length) == $cell.devices end)))' "$@"
}

@test "a matrix of two engines" {
	sgs sweep --bs 4k..16k --qd 1,2 --engines buffered,direct --size 1M --json=r.json file
	exits 0
	messages_only err
	has out "file " "12 cells in random order, --seed " "MB/s (MiB/s), engine buffered" \
		"MB/s (MiB/s), engine direct" "QD 1" "QD 2" "16 KiB" "best  "
	has_not out "CPU seconds per GiB" "?" "now"
	[ "$(grep -o '\* ' out | wc -l)" -eq 1 ]
	object r.json
	cells_fit r.json
	is '.command == "sweep" and .status == "ok" and .exit_status == 0' r.json
	is '.sweep.axes == {"bs_bytes": [4096, 8192, 16384], "queue_depth": [1, 2], "threads": [null],
		"engine": ["buffered", "direct"], "devices": [1]}' r.json
	is '.sweep | .cells_done == 12 and .cells_kept == 0 and .elapsed_ns > 0' r.json
	is '.runs | length == 12 and all(.[]; .total.bytes == 1048576 and .status == "ok")' r.json
	is '[.sweep.cells[] | [.engine, .bs_bytes, .queue_depth]] | unique | length == 12' r.json
	[ ! -e r.json.tmp* ]
}

@test "verbose adds cost and latency" {
	sgs sweep -v --bs 4k,64k -q 1 --size 1M file
	exits 0
	has out "MB/s (MiB/s)" "CPU seconds per GiB" "latency, 99 % of commands"
	[ "$(grep -c '^64 KiB ' out)" -eq 3 ]
}

@test "the default: 4 KiB to 1 MiB, one second each unless something else ends it" {
	sgs sweep --json --engines null --count 2 file
	exits 0
	object
	cells_fit
	is '.sweep | .axes.bs_bytes == [4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576]
		and .each.runtime_ns == null and .each.count == 2'
	truncate -s 8T endless
	sgs sweep --json --bs 64k --engines null endless
	exits 0
	object
	is '.sweep.each.runtime_ns == 1000000000 and (.runs[0].total.elapsed_ns | . >= 0.9e9 and . < 20e9)'
	sgs sweep --json --bs 4k --size 64k file
	is '.runs[0].engine == "buffered"'
}

@test "everything that has an axis" {
	cp file other
	sgs sweep --json --bs 4k..12k --threads 1,2 --engines null --devices 1..2 --size 1M file other
	exits 0
	object
	cells_fit
	is '.sweep.axes | .bs_bytes == [4096, 8192, 12288] and .threads == [1, 2] and .devices == [1, 2]'
	is '.runs | length == 12'
	sgs sweep --bs 4k --qd 4 --threads 1..4 --engines null --devices 1..2 --size 1M file other
	exits 0
	has out "DEVICES 1" "DEVICES 2" "2 devices"
	has_not out "?"
}

@test "a profile by position: each place, and the last one ends at the capacity" {
	truncate -s 10000000 drive # 152 commands of 64 KiB and a part of one
	sgs sweep --offsets 0%,10%..100% --json=r.json --engines null -b 64k drive
	exits 0
	has out "OFFSET" "  0 %" "100 %" "offset "
	object r.json
	cells_fit r.json
	is '.sweep.axes.offset_percent == [range(0; 101; 10)]' r.json
	is '. as $all | [.sweep.cells[] | .offset_percent as $at | $all.runs[.run].devices[0] |
		.offset_bytes % 65536 == 0 and .bytes == .goal_bytes and
		if $at == 100 then .offset_bytes + .bytes == 10000000 and .bytes > 131072
		else .offset_bytes <= $at * 100000 and .offset_bytes > $at * 100000 - 65536 and .bytes == 131072 end] |
		length == 11 and all' r.json
	sgs sweep --offsets 0%,100% --size 4M --json --engines null -b 64k drive
	is '[.runs[].devices[0] | .offset_bytes, .bytes] == [0, 4194304, 5767168, 4232832]'
	keep
	sgs sweep --offsets 100% --count 3 --json --engines null drive
	is '.sweep.axes.bs_bytes == [262144] and (.runs[0].devices[0] | .offset_bytes + .bytes == 10000000)'
	sgs sweep --offsets 50%,100% --size 1G --json --engines null drive
	exits 1
	is '.messages[0].code == "past_the_end"'
}

@test "places that are none" {
	refused 1 "'10%..100%' has no smaller value before it" -- sweep --offsets 10%..100% file
	refused 1 "'7' is no per cent" -- sweep --offsets 0%,7 file
	refused 1 "'101%' is too large" -- sweep --offsets 101% file
	refused 31 "--offset and --offsets" -- sweep --offsets 5% --offset 4k file
}

@test "the order is random, and its seed is in the result" {
	sgs sweep --json --seed 7 --bs 4k,8k --engines null --count 2 file
	is '.sweep.seed == 7'
	sgs sweep --json --bs 4k,8k --engines null --count 2 file
	is '.sweep.seed > 0'
	cp out one
	sgs sweep --json --bs 4k,8k --engines null --count 2 file
	[ "$(json .sweep.seed)" -ne "$(json .sweep.seed one)" ]
}

@test "a cell that cannot run has its reason, and the others run" {
	sgs sweep --json=r.json --bs 4k --qd 1..4 --threads 1..4 --engines buffered,sg-mmap --count 4 file
	exits 0
	has out "no cell could run" "such as" "no SCSI device" "is too small for --threads"
	object r.json
	cells_fit r.json
	is '.status == "ok" and .sweep.cells_done == 18 and ([.runs[].engine] | unique == ["buffered"])' r.json
	is '.sweep.cells | all(.[]; (.run == null) == (.reason != null))' r.json
	is '[.sweep.cells[] | select(.engine == "buffered" and .threads == 4 and .queue_depth == 1).reason] |
		length == 1 and (.[0] | contains("--qd 1 is too small for --threads 4"))' r.json
	is '.messages | all(.[]; .level != "error")' r.json
}

@test "no cell that can run is an error, said once" {
	sgs sweep --engines sg-mmap --bs 4k..1M file
	exits 15
	one_line err
	has err "no SCSI device"
	sgs sweep --json --size 8M --bs 4k,8k file
	exits 1
	object
	is '.status == "error" and .runs == [] and (.messages | length == 1)'
}

@test "a file that becomes shorter is gone: that run is no measurement, and the sweep ends" {
	truncate -s 70000 short
	(sleep 0.4; truncate -s 4096 short) 3>&- &
	sgs sweep --json=r.json --engines null,buffered --bs 4k,8k --loop --runtime 300ms --seed 1 short
	wait
	exits 69
	object r.json
	is '.status == "partial" and .sweep.cells_done < 4' r.json
	is '[.runs[] | select(.engine == "buffered")] | length <= 1' r.json
	has err "short: read of " "became shorter"
}

# ---- interrupted and resumed ----

wide=(--bs 4k..32k -q 1,2 --engines null --loop --runtime 150ms)

done_cells() { [ -s r.json ] && [ "$(json .sweep.cells_done r.json)" -ge "$1" ]; }

@test "INT: what is measured is kept, and resumed with no cell twice and none missing" {
	start sweep "${wide[@]}" --json=r.json file
	eventually done_cells 3
	kill -INT "$pid"
	finish
	exits 130
	has out "interrupted by SIGINT; " " of 8 cells are done, and ? marks the others" "MB/s"
	object r.json
	cells_fit r.json
	is '.status == "interrupted" and .exit_status == 130 and (.sweep.cells_done | . >= 3 and . < 8)' r.json
	cp r.json before.json

	sgs sweep "${wide[@]}" --json=r.json file
	exits 0
	has out " cells were measured before, " "best  "
	has err "note: r.json: " " of 8 cells are taken over"
	object r.json
	cells_fit r.json
	is '.status == "ok" and .sweep.cells_done == 8 and (.runs | length == 8)' r.json
	jq -es '.[0] as $old | .[1] as $new | $old.sweep.seed == $new.sweep.seed and
		$new.sweep.cells_kept == ($old.runs | length) and
		(range($new.sweep.cells | length) as $i | $old.sweep.cells[$i].run as $was | $new.sweep.cells[$i] |
			if $was == null then .kept | not
			else .kept and $old.runs[$was] == $new.runs[.run] end)' before.json r.json >same
	[ "$(sort -u same)" = true ]
	# The whole one is measured anew, not taken over.
	sgs sweep "${wide[@]}" --json=r.json file
	exits 0
	is '.sweep.cells_kept == 0 and .sweep.cells_done == 8' r.json
}

@test "KILL: the file has all cells but the one under way, and is resumed by name" {
	start sweep "${wide[@]}" --json=r.json file
	eventually done_cells 2
	kill -KILL "$pid"
	finish
	exits 137
	object r.json
	cells_fit r.json
	is '.status == "interrupted" and .exit_status == 128 and .sweep.elapsed_ns == null' r.json
	local had
	had=$(json .sweep.cells_done r.json)
	cp r.json old.json
	sgs sweep "${wide[@]}" --resume old.json --json=new.json file
	exits 0
	object new.json
	cells_fit new.json
	is ".sweep.cells_kept == $had and .sweep.cells_done == 8" new.json
	cmp r.json old.json
	sgs sweep "${wide[@]}" --resume old.json --json file # to where it was, and to standard output
	exits 0
	object
	is ".sweep.cells_kept == $had and .sweep.cells_done == 8"
	is '.sweep.cells_done == 8' old.json
	sgs sweep "${wide[@]}" --resume old.json file # nothing is left to do
	exits 0
	has out "8 cells were measured before, 0 now"
	is '.sweep.cells_kept == 8 and .status == "ok"' old.json
}

# A sweep with open cells in r.json
interrupted_sweep() {
	start sweep "${wide[@]}" --json=r.json file
	eventually done_cells 1
	kill -INT "$pid"
	finish
	exits 130
	cp r.json before.json
}

@test "another sweep is not resumed, and the file stays as it is" {
	interrupted_sweep
	local how
	for how in --json=r.json --resume=r.json; do
		sgs sweep "${wide[@]}" -q 1,4 "$how" file
		is_refusal 31 "r.json holds another sweep: its --qd is [1,2], and now it is [1,4]"
		sgs sweep "${wide[@]}" --bs 4k..64k "$how" file
		is_refusal 31 "--bs"
		sgs sweep "${wide[@]}" --runtime 10ms "$how" file
		is_refusal 31 "--runtime"
		sgs sweep "${wide[@]}" --touch "$how" file
		is_refusal 31 "--touch"
		sgs sweep "${wide[@]}" --read-ahead 4k "$how" file
		is_refusal 31 "--read-ahead"
		sgs sweep "${wide[@]}" --engines direct "$how" file
		is_refusal 31 "--engines"
		sgs sweep "${wide[@]}" --seed 1 "$how" file
		is_refusal 31 "--seed"
		cp file other
		sgs sweep "${wide[@]}" "$how" other
		is_refusal 31 "path of device 1"
		sgs sweep "${wide[@]}" "$how" file file
		is_refusal 31 "it is of 1 devices, and now there are 2"
	done
	truncate -s 5M file
	sgs sweep "${wide[@]}" --json=r.json file
	is_refusal 31 "blocks of device 1"
	truncate -s 4M file
	jq '.tool.commit = "0123456789ab"' before.json >r.json
	sgs sweep "${wide[@]}" --json=r.json file
	is_refusal 31 "tool commit"
	cp before.json r.json
	# Nor is it lost to a mistake.
	sgs sweep "${wide[@]}" --bogus --json=r.json file
	exits 1
	sgs sweep "${wide[@]}" --json=r.json /nonexistent
	exits 15
	cmp r.json before.json
}

@test "a file that is no sweep: named by --resume it is refused, by --json replaced" {
	sgs sweep --resume none.json --engines null --bs 4k --count 1 file
	is_refusal 52 "none.json" "No such file"
	[ ! -e none.json ]
	echo '{"schema": "sgstream/1"}' >r.json
	sgs sweep --resume r.json --engines null --bs 4k --count 1 file
	is_refusal 1 "r.json is no result of sgstream sweep: it is another object"
	has r.json '{"schema": "sgstream/1"}'
	sgs sweep --json=r.json --engines null --bs 4k --count 1 file
	exits 0
	object r.json
	cells_fit r.json
	sgs sweep --json=file --engines null --bs 4k --count 1 file
	is_refusal 1 "is what is to be read"
	sgs sweep --resume file --engines null --bs 4k --count 1 file
	is_refusal 1 "is what is to be read"
	sgs sweep --json=/nonexistent/r.json --engines null --bs 4k --count 1 file
	exits 52
	sgs sweep --json=/dev/null --engines null --bs 4k --count 1 file
	exits 0
	sgs sweep --json=/dev/stdout --engines null --bs 4k --count 1 file
	exits 0
	is '.sweep.cells_done == 1'
	sgs sweep --json=out --engines null --bs 4k --count 1 file # where standard output goes
	exits 0
	is '.sweep.cells_done == 1'
}

@test "a result that can no longer be written ends the sweep, and is shown" {
	mkdir folder
	start sweep "${wide[@]}" --json=folder/r.json file
	begun() { [ -s folder/r.json ]; }
	eventually begun
	mv folder gone
	finish
	exits 52
	has err "sgstream: folder/r.json: the result cannot be written: No such file"
	[ "$(grep -c 'cannot be written' err)" -eq 1 ]
	has out "ended early; " "best  "
	object gone/r.json
}

@test "INT before the first cell has ended" {
	start sweep --json=r.json --engines null --bs 4k,8k --loop --runtime 10s file
	reading() { [ "$(ls "/proc/$pid/task" | wc -l)" -ge 3 ]; }
	eventually reading
	kill -INT "$pid"
	finish
	exits 130
	object r.json
	is '.status == "interrupted" and .runs == [] and .sweep.cells_done == 0' r.json
	sgs sweep --json=r.json --engines null --bs 4k,8k --loop --runtime 10s --touch file
	is_refusal 31 "--touch"
}

# ---- what is said while it runs ----

@test "progress tells cells and the time left; USR1 asks for a line" {
	sgs sweep --progress always --engines null --bs 4k..16k --loop --runtime 50ms file
	exits 0
	has err "cell 1 of 3, 0 s left, null, " "cell 3 of 3"
	start sweep --engines null --bs 4k,8k --loop --runtime 10s file
	asked() {
		kill -USR1 "$pid" 2>/dev/null
		sleep 0.02
		grep -qs '^cell 1 of 2, [0-9]* s left, null, [48] KiB per command: .* MB/s' err
	}
	reading() { [ "$(ls "/proc/$pid/task" | wc -l)" -ge 3 ]; }
	eventually reading
	eventually asked
	kill -INT "$pid"
	finish
}

@test "what lies between cells takes less than a quarter of a second each" {
	sgs sweep --json=r.json --engines null,direct --bs 4k..64k -q 1,2 --loop --runtime 20ms file
	exits 0
	is '. as $all | (.sweep.elapsed_ns - ([.runs[].total.elapsed_ns] | add)) / 20 < 250e6' r.json
}

@test "input that cannot be meant" {
	refused 1 "no device" -- sweep
	refused 15 "/nonexistent" -- sweep /nonexistent
	refused 1 "--bs: '4k..'" -- sweep --bs 4k.. file
	refused 1 "--bs: '8k..4k'" "ends below" -- sweep --bs 8k..4k file
	refused 1 "--bs: '4k,x'" "'x' is no number" -- sweep --bs 4k,x file
	refused 1 "--bs" "'4B'" -- sweep --bs 4B file
	refused 1 "--bs: '0'" -- sweep --bs 0 file
	refused 1 "--bs: ''" "empty" -- sweep --bs= file
	refused 1 "--qd: '0..8'" "0" -- sweep --qd 0..8 file
	refused 1 "--qd: '1k'" -- sweep -q 1k file
	refused 1 "--threads: '1,,2'" -- sweep -j 1,,2 file
	refused 1 "--engines" "'bogus'" "buffered" -- sweep --engines direct,bogus file
	refused 1 "--devices has 2, and 1 are given" -- sweep --devices 1,2 file
	refused 1 "--read-ahead: '1'" "1 KiB" -- sweep --read-ahead 1 file
	refused 1 "more than 4096 cells" -- sweep --engines null --count 1 --qd 1..1024 --threads 1..1024 --bs 1k..2048M,3,5..1G file
	refused 1 "--seed" -- sweep --seed 0 file
	refused 1 "'-e'" "--help" -- sweep -e direct file
	refused 1 "--output" "--help" -- sweep --output x file
}

@test "it says how to call it" {
	local option
	sgs sweep --help
	exits 0
	for option in bs qd threads engines devices read-ahead scheduler runtime seed resume count size \
		offset loop json progress verbose; do
		has out "--$option"
	done
	sgs --help
	has out "sgstream sweep"
}
