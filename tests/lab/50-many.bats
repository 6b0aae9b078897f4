#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Several drives, several commands in flight, and signals in the middle of them.
# shellcheck disable=SC2317,SC2154,SC2030,SC2031 # lab_ functions run inside

load ../helpers
load lab

setup_file() { boot --allow-dio 1 --scsi-debug none; }
setup() { prepare; }
teardown() { conclude; }

# ---- several drives ----

lab_two() {
	lab-reload "dev_size_mb=8 delay=0 add_host=2 per_host_store=1 statistics=1"
	head -c 8388608 /dev/urandom >/dev/sda
	head -c 8388608 /dev/urandom >/dev/sdb
	sgs two-first --json --digest /dev/sg0
	sgs two-second --json --digest /dev/sg1
	local before engine
	for engine in sg-mmap sg-dio sg-copy direct; do
		before=$(device_commands)
		sgs "two-$engine" --json --digest -e "$engine" -q 2 /dev/sg0 /dev/sg1
		note "two-$engine" $(($(device_commands) - before))
	done
	sgs two-text -v --digest /dev/sg0 /dev/sg1
	sgs two-missing --json /dev/sg0 /dev/sg7 /dev/sg1
	before=$(device_commands)
	sgs two-past --json --count 129 /dev/sg0 /dev/sg1
	note two-past $(($(device_commands) - before))
}

@test "two drives at once: each as alone, the total their sum, the device counts the same" {
	scene_is_done lab_two
	local first second engine
	first=$(json '.runs[0].total.digest' "$R/two-first.out")
	second=$(json '.runs[0].total.digest' "$R/two-second.out")
	[ "$first" != "$second" ]
	for engine in sg-mmap sg-dio sg-copy direct; do
		result "two-$engine"
		is_good_run
		is ".runs[0].devices | map(.digest) == [\"$first\", \"$second\"]"
		is '.runs[0].devices | map([.path, .hctl, .serial, .bytes, .commands]) == [
			["/dev/sg0", "0:0:0:0", "2000", 8388608, 128], ["/dev/sg1", "1:0:0:0", "4000", 8388608, 128]]'
		is '.runs[0].total | .bytes == 16777216 and .commands == 256 and .in_flight.max <= 4'
		is '[.messages[].code] | index("same_unit") == null'
		[ "$engine" != direct ] || continue # the block layer may merge two commands into one
		is ".runs[0] | .total.commands + ([.devices[].probe_commands] | add) + 2 * 5 == $(noted "two-$engine")"
	done
	result two-text
	exits 0
	printable out
	grep -q '^2 devices .*sg-mmap.* on each device$' out
	grep -q '^/dev/sg0 .*0:0:0:0 .* 128 ' out
	grep -q '^/dev/sg1 .*1:0:0:0 .* 128 ' out
	has out "$first" "$second" "16.8 MB in" "first done" "last done" "start spread"
}

@test "one of several that is missing, or a range that does not fit, is named before any is read" {
	scene_is_done lab_two
	result two-missing
	is_refusal_with_object 15 "/dev/sg7" "no such"
	result two-past
	is_refusal_with_object 1 "/dev/sg0" "--count 129" "past its end"
	[ "$(noted two-past)" -eq 10 ]
}

# ---- at a pace ----

lab_playback() {
	lab-reload "dev_size_mb=8 ndelay=2000000 add_host=2 per_host_store=1"
	local engine
	for engine in sg-mmap sg-async direct io_uring; do
		sgs "pace-$engine" --json --digest -e "$engine" --rate 10M --frame 1M --streams 4 --deadline 20s /dev/sg0 /dev/sg1
	done
	sgs pace-none --json --digest /dev/sg0 /dev/sg1
	sgs pace-over --json --rate 64M --frame 256k --streams 2 --loop --runtime 500ms /dev/sg0 /dev/sg1
	lab-reload "dev_size_mb=8 delay=0 opts=2"
	sgs pace-bad --json --rate 64M --streams 2 --deadline 20s /dev/sg0
}

@test "at a pace, through engines that wait and that queue: the same data, all in time" {
	scene_is_done lab_playback
	local digest engine
	digest=$(json '.runs[0].total.digest' "$R/pace-none.out")
	for engine in sg-mmap sg-async direct io_uring; do
		result "pace-$engine"
		is_good_run
		is ".runs[0].total | .digest == \"$digest\" and .bytes == 16777216 and .in_flight.max <= 4"
		is '.runs[0].playback | .frames == 16 and .frames_late == 0 and .frames_unread == 0'
	done
}

# Four commands of two milliseconds in turn cannot come within four.
@test "drives that are too slow for the pace: every frame is late, and half of them are never read" {
	result pace-over
	is_good_run
	is '.runs[0].playback | .period_ns == 3906250 and .frames > 0 and .frames_late == .frames and
		.frame_ns.min >= 8000000 and .frames_unread >= .frames'
}

@test "a block that cannot be read ends its stream, and the other goes on" {
	result pace-bad
	exits 3
	object
	is '.status == "partial" and .runs[0].total.errors.medium == 1'
	is '.runs[0].playback.each | .[0].frames < 64 and .[1].frames == 64'
}

lab_slow_one() {
	lab-reload "dev_size_mb=8 ndelay=2000000 add_host=4 per_host_store=1"
	echo 1 >/sys/class/scsi_device/2:0:0:0/device/queue_depth
	sgs slow-one --json -q 8 -c 96 /dev/sg0 /dev/sg1 /dev/sg2 /dev/sg3
	sgs slow-text -q 8 -c 96 /dev/sg[0-3]
}

@test "a slow drive among four shows: its rate, its end, and the difference between first and last" {
	scene_is_done lab_slow_one
	result slow-one
	is_good_run
	is '.runs[0].devices | map(.commands) == [96, 96, 96, 96]'
	is '.runs[0].devices | (.[2].bytes_per_second * 2) < ([.[0, 1, 3].bytes_per_second] | min)'
	is '.runs[0].devices | .[2].last_done_ns > ([.[0, 1, 3].last_done_ns] | max) * 1.5'
	is '.runs[0] | .total.last_done_ns == ([.devices[].last_done_ns] | max) and
		.total.first_done_ns == ([.devices[].first_done_ns] | min)'
	is '.messages | map(select(.code == "depth_above_queue")) | length == 1 and .[0].device == "/dev/sg2"'
	result slow-text
	exits 0
	[ "$(grep -c '^/dev/sg[0-3] .* 96 ' out)" -eq 4 ]
	has err "/dev/sg2 takes 1 commands at a time"
	has out "first done" "last done"
}

# ---- depth ----

lab_depth() {
	lab-reload "dev_size_mb=8 ndelay=5000000"
	local depth
	for depth in 1 4 16; do
		sgs "depth-$depth" --json --loop -q "$depth" -c $((depth * 40)) /dev/sg0
		sgs "depth-direct-$depth" --json --loop -e direct -q "$depth" -c $((depth * 40)) /dev/sg0
	done
	sgs depth-text -q 16 /dev/sg0
}

@test "the rate grows with the depth, and the depth that was reached is told" {
	scene_is_done lab_depth
	local engine rate depth
	for engine in '' direct-; do
		for depth in 1 4 16; do
			result "depth-$engine$depth"
			is_good_run
			is ".runs[0] | .queue_depth == $depth and .total.in_flight.max == $depth and
				.total.in_flight.mean > $depth * 0.6 and .total.in_flight.mean < $depth * 1.001"
			is '.runs[0].total.latency_ns | .min >= 4.9e6'
			rate[depth]=$(json '.runs[0].total.iops | floor')
		done
		# 5 ms a command: at most 200 a second for each in flight
		[ "${rate[1]}" -le 200 ]
		[ "${rate[4]}" -gt $((rate[1] * 2)) ]
		[ "${rate[16]}" -gt $((rate[4] * 2)) ]
	done
	result depth-text
	exits 0
	grep -q '^in flight  *mean 1[0-9.]*  *max 16$' out
}

# ---- signals ----

lab_signals() {
	local engine sent
	for engine in sg-mmap direct; do
		lab-reload "dev_size_mb=8 delay=0"
		start "int-$engine" --json -e "$engine" -q 4 --loop --runtime 60s --interval 100ms /dev/sg0
		until_true grep -q '^at ' "$LAB_OUT/int-$engine.err"
		echo 900000000 >"$D/ndelay"
		sleep 1
		sent=$(now_ms)
		kill -INT "$pid"
		finish
		note "int-$engine" $(($(now_ms) - sent))
	done
	# READ CAPACITY (10) and (16) take 900 ms each, then the trial that proves the size
	start int-early --json /dev/sg0
	sleep 1.2
	kill -INT "$pid"
	finish
	start int-trial --json --timeout 20s /dev/sg0
	sleep 2.2
	kill -TERM "$pid"
	finish
}

@test "INT while commands take 900 ms: the whole report within three seconds" {
	scene_is_done lab_signals
	local engine
	for engine in sg-mmap direct; do
		result "int-$engine"
		exits 130
		object
		figures_fit
		is '.status == "interrupted" and .exit_status == 130'
		is '.runs[0] | .queue_depth == 4 and .total.commands >= 4 and .total.latency_ns.max >= 899e6 and
			.total.bytes == .total.commands * 65536 and .total.errors.failed == 0'
		is '[.messages[] | select(.code == "not_drained")] | length == 0'
		[ "$(noted "int-$engine")" -lt 3000 ]
	done
}

@test "a signal while the drive is still being asked: said at once, with an object" {
	scene_is_done lab_signals
	result int-early
	is_refusal 130 "interrupted by SIGINT" "before anything was read"
	object
	is '.status == "interrupted" and .exit_status == 130 and .runs == []'
	[ "$(took_ms int-early)" -lt 2200 ]
	result int-trial
	exits 143
	object
	is '.status == "interrupted" and .exit_status == 143 and .runs == []'
	one_line err
	has err "interrupted by SIGTERM"
}

# Commands that are dropped come back only when their time is over.
lab_stuck() {
	lab-reload "dev_size_mb=8 delay=0"
	arm 0x80 -8
	start stuck-twice --json --timeout 3s /dev/sg0
	until_true in_flight
	kill -INT "$pid"
	sleep 0.6
	kill -INT "$pid"
	finish
	no_command() { ! grep -q 'act:' /proc/scsi/sg/debug; }
	until_true no_command || until_true no_command
	disarm
	arm 0x80 -8
	start stuck-once --json --timeout 2s /dev/sg0
	until_true in_flight
	kill -INT "$pid"
	finish
	# every command is dropped now, also the trial
	start stuck-trial --json --timeout 40s /dev/sg0
	until_true in_flight
	kill -INT "$pid"
	limit=13 finish
	disarm
}

@test "a second INT leaves at once; one alone waits for what is in flight" {
	scene_is_done lab_stuck
	result stuck-twice
	exits 130
	[ "$(took_ms stuck-twice)" -lt 2400 ]
	result stuck-once
	exits 130
	object
	is '.status == "interrupted" and .exit_status == 130'
	is '.runs[0].total | .bytes > 0 and .errors.timeout == 1'
	figures_fit
	[ "$(took_ms stuck-once)" -lt 8000 ]
}

@test "INT while the trial hangs: a report after the time that draining may take" {
	scene_is_done lab_stuck
	result stuck-trial
	exits 130
	object
	is '.status == "interrupted" and .exit_status == 130'
	sed -i '/in flight for/d' err # the watchdog's, when the signal came late
	one_line err
	has err "SIGINT"
	[ "$(took_ms stuck-trial)" -lt 13000 ]
}
