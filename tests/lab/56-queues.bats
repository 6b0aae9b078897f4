#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Many slow drives at once, where time is the count of instructions: what a reader falls short of
# is its own doing, and no load of this machine's changes it. 64 drives of 40 ms answer 1,600
# commands a second at depth 1; the driver takes 192 commands at once.
# shellcheck disable=SC2317,SC2154 # lab_ functions run inside

load ../helpers
load lab

setup_file() {
	seconds=400 boot --kernel icount --scsi-debug 'add_host=8 max_luns=8 fake_rw=1 ndelay=40000000 dev_size_mb=8'
}
setup() { prepare; }
teardown() { conclude; }

# Waiting for the host's files makes the clock jump: nothing may be read from there meanwhile.
lab_deep() {
	lab-local "$SGSTREAM" timeout bash
	local limit=3600
	sgs depth-1 --json --bs 64k -q 1 --count 12 /dev/sg{0..63}
	sgs depth-2 --json --bs 64k -q 2 --count 24 /dev/sg{0..63}
	sgs depth-4 --json --bs 64k -q 4 --count 48 /dev/sg{0..47}
}

# reaches NAME DRIVES DEPTH PERCENT: of what the drives can answer
reaches() {
	result "$1"
	is_good_run
	is ".runs[0].total | .commands == $2 * $3 * 12 and
		.in_flight.max == $2 * $3 and .errors.task_set_full == 0 and
		.iops >= $2 * $3 * 25 * $4 / 100"
}

@test "64 drives of 40 ms: a reader keeps all of them busy at depth 1, 2 and 4" {
	scene_is_done lab_deep
	reaches depth-1 64 1 97
	reaches depth-2 64 2 97
	reaches depth-4 48 4 97
}

@test "192 readers start within 10 ms, and no drive falls behind" {
	scene_is_done lab_deep
	result depth-4
	is '.runs[0] | .total.start_spread_ns < 10000000 and
		([.devices[].iops] | min > max * 0.97)'
}

lab_straggler() {
	local limit=3600 slow=/sys/class/scsi_device/2:0:0:5/device
	echo 1 >$slow/queue_depth
	ls $slow/scsi_generic >"$LAB_OUT/slow"
	sgs straggler --json --bs 64k -q 2 --count 24 /dev/sg{0..63}
}

@test "one drive of 64 that takes one command at a time is named as the straggler" {
	scene_is_done lab_straggler
	result straggler
	is_good_run
	is ".runs[0].straggler | .device == \"/dev/$(<"$R/slow")\" and
		.share_of_others > 0.45 and .share_of_others < 0.55"
}
