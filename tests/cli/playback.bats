#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Reading at a pace: frames that are due, in time or late.
# shellcheck disable=SC2154,SC2016 # jq has variables, too

load ../helpers

setup() {
	prepare
	random file 4194304
	cp file other
}

teardown() {
	stop_started
	conclude
}

# What the playback of the one run says fits together, and with what was read.
frames_fit() {
	is_good_run
	is '.runs[0] | .playback as $p | ($p.each | length) == $p.streams and
		([$p.each[].frames] | add) == $p.frames and ([$p.each[].frames_late] | add) == $p.frames_late and
		([$p.each[].frames_unread] | add) == $p.frames_unread and $p.frames_late <= $p.frames and
		([$p.frame_ns.histogram[][1]] | add // 0) == $p.frames and
		([$p.each[].worst_ns] | max) == $p.frame_ns.max and
		$p.frames * $p.frame_bytes == .total.bytes'
}

@test "one stream on each device reads all of its frames, each once" {
	sgs --digest --size 2M file
	whole=$(sed -n 's/^digest *//p' out)
	took_us=-${EPOCHREALTIME/./}
	sgs --json --digest --rate 8M --frame 256k --deadline 20s --size 2M file other
	took_us=$((took_us + ${EPOCHREALTIME/./}))
	frames_fit
	is '.runs[0].playback | .streams == 2 and .stream_bytes_per_second == 8388608 and .frame_bytes == 262144 and
		.period_ns == 31250000 and .deadline_ns == 20000000000 and .frames == 16 and .frames_late == 0 and
		.frames_unread == 0 and [.each[] | .device, .offset_bytes] == [0, 0, 1, 0]'
	is '.runs[0] | .threads == 1 and .bs_bytes == 65536 and .pattern == "seq" and .total.commands == 64'
	# The eighth frame of each was not asked for before it was due.
	[ "$took_us" -ge $((7 * 31250)) ]
	[ "$(json '.runs[0].devices[0].digest')" = "$whole" ]
}

@test "several streams have a range each, and the last device one fewer" {
	sgs --json --rate 64M --frame 512k --streams 3 --deadline 20s file other
	frames_fit
	is '.runs[0] | .pattern == "segments" and .threads == 2'
	is '[.runs[0].playback.each[] | [.device, .offset_bytes, .frames]] == [[0, 0, 4], [0, 2097152, 4], [1, 0, 4]]'
	is '[.runs[0].devices[] | .bytes, .goal_bytes] == [4194304, 4194304, 2097152, 2097152]'
}

@test "a command is no larger than a frame, and a frame may end in a smaller one" {
	sgs --json --rate 64M --frame 20000 --size 60000 file
	frames_fit
	is '.runs[0] | .bs_bytes == 20000 and .playback.frames == 3 and .total.commands == 3'
	sgs --json --rate 64M --frame 100000 --bs 64k --size 200000 --loop file
	frames_fit
	is '.runs[0] | .bs_bytes == 65536 and .playback.frames == 2 and .total.commands == 4'
}

# A deadline that no read can keep, so all are late whatever the machine does.
@test "late frames are counted, and an error only when a deadline was named" {
	sgs --json=r.json --rate 64M --frame 1M --deadline 1us --size 2M file
	exits 36
	has err "--deadline 1.00 us: 2 of 2 frames were late"
	has out "playback  1 stream of 67.1 MB/s" "due within 1.00 us" "frames    2 read, 2 late"
	object r.json
	is '.status == "ok" and .exit_status == 36 and .runs[0].playback.frames_late == 2' r.json
	sgs --json --rate 512G --frame 1M --size 2M file # each is late when the next is due
	exits 0
	is '.runs[0].playback | .frames == 2 and .frames_late == 2'
}

@test "what was due and could not be read is not forgotten" {
	sgs --json --rate 512G --frame 1M --loop --runtime 300ms file
	frames_fit
	# Every 1,907 ns a frame is due, and no memory reads a quarter of them.
	is '.runs[0].playback | .frames_unread > 3 * .frames and .frames + .frames_unread == 157316'
}

@test "the pace in the plan, the CSV and the metrics" {
	sgs --dry-run --json=r.json --rate 1MiB/s --frame 128k --streams 4 file
	exits 0
	has out "playback  4 streams of 1.05 MB/s (1.00 MiB/s): 128 KiB every 125 ms, due within 125 ms" "would be read: 4.19 MB"
	object r.json
	is '.planned[0].playback == {"streams": 4, "stream_bytes_per_second": 1048576, "frame_bytes": 131072,
		"period_ns": 125000000, "deadline_ns": 125000000}' r.json
	sgs --csv=r.csv --openmetrics r.prom --rate 64M --frame 1M --deadline 1us --size 2M file
	grep -q ',1,67108864,1048576,1000,2,2,0,[0-9]*,[0-9]*.$' r.csv
	has r.prom 'sgstream_run_frames{run="r",engine="buffered",kind="late"} 2' 'kind="unread"} 0'
	"$root/scripts/validate-metrics" r.prom
}

@test "an interrupted stream stops at once, with what it read" {
	start --json --rate 64k --frame 64k --loop --runtime 60s file
	eventually eval '[ "$(grep -c . "/proc/$pid/task/"*/comm | wc -l)" -ge 3 ]'
	sleep 0.2
	kill -INT "$pid"
	finish
	exits 130
	object
	is '.status == "interrupted" and (.runs[0] | .total.elapsed_ns < 30e9 and .playback.frames >= 1)'
}

@test "a pace that cannot be meant" {
	refused 31 "give --rate, too" -- --streams 2 file
	bad() {
		sgs "${@:3}"
		is_refusal "$1" "$2"
	}
	bad 31 "give --rate, too" --deadline 1s file
	bad 31 "leave --threads and --qd out" --rate 1M --qd 2 file
	bad 31 "leave --pattern and --paths out" --rate 1M --pattern random file
	bad 31 "leave --pattern and --paths out" --rate 1M --paths merge file
	bad 31 "give --size or --runtime instead" --rate 1M --count 2 file
	bad 31 "leave one of them out" --rate 1M --output data file
	bad 31 "--streams 1 is too few for 2 devices" --rate 1M --streams 1 file other
	bad 1 "has no room for frames of 3 MiB" --rate 1M --frame 3M --streams 2 file
	bad 1 "makes one every" --rate 1P --frame 1 file
	bad 31 "leave --on-error skip out" --rate 1M --on-error skip file
	bad 1 "--rate: '0' is no rate" --rate 0 file
	bad 1 "--rate: '4blk' is no rate" --rate 4blk file
	bad 1 "--rate: '/s' is no rate" --rate /s file
	bad 1 "past its end" --rate 1M --size 1G file
}
