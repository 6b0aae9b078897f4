#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# What a drive can do wrong: named, counted, apart from the good data, and in the exit status.
# shellcheck disable=SC2317,SC2154,SC2030,SC2031 # lab_ functions run inside

load ../helpers
load lab

setup_file() { boot --allow-dio 1 --scsi-debug none; }
setup() { prepare; }
teardown() { conclude; }

# The run ended early: is_partial EXIT_STATUS
is_partial() {
	exits "$1"
	object
	is ".status == \"partial\" and .exit_status == $1 and .runs[0].devices[0].status == $1"
	is '[.messages[] | select(.level == "error" and .device == "/dev/sg0")] | length >= 1'
	figures_fit
}

# Only these of the error counts are not 0: counts '{"medium": 1}'
counts() { is ".runs[0].total.errors | with_entries(select(.value != 0)) == $1"; }

# ---- medium errors: blocks 1234h to 123dh, 4660 to 4669 ----

lab_medium() {
	lab-reload "dev_size_mb=16 delay=0 opts=2"
	for engine in sg-mmap sg-dio sg-copy direct buffered; do
		sgs "medium-$engine" --json --digest -e "$engine" /dev/sg0
	done
	sgs medium-deep --json -q 4 /dev/sg0
	sgs medium-text /dev/sg0
	sgs medium-before --json --digest --size 2359296 /dev/sg0
	sgs medium-up-to --json --size 4660blk /dev/sg0
	sgs medium-from --json --offset 4670blk /dev/sg0
	sgs medium-block --json --bs 1blk --offset 4650blk /dev/sg0
	lab-reload "dev_size_mb=16 delay=0 opts=2 dsense=1"
	sgs medium-descriptor --json /dev/sg0
}

@test "a medium error: exit 3, the data before it kept, where and why in the text" {
	scene_is_done lab_medium
	local engine digest
	result medium-before
	is_good_run
	digest=$(json '.runs[0].total.digest')
	for engine in sg-mmap sg-dio sg-copy direct; do
		result "medium-$engine"
		is_partial 3
		counts '{"medium": 1, "failed": 1}'
		is '.runs[0].total | .bytes == 2359296 and .commands == 36 and .latency_ns.max < 1e9'
		[ "$(json '.runs[0].total.digest')" = "$digest" ]
		is '.messages | map(select(.level == "error")) | length == 1 and .[0].code == "medium"'
		has err "/dev/sg0" "LBA 4608" "128 blocks" "2359296 bytes"
	done
	for engine in sg-mmap sg-dio sg-copy; do
		result "medium-$engine"
		has err "Medium Error" "3/11/00" "4660"
	done
	result medium-text
	exits 3
	one_line err
	has err "/dev/sg0" "LBA 4608" "Medium Error" "3/11/00" "4660"
	has out "not all was read" "2.36 MB in" "1 medium" "1 failed"
}

@test "a medium error through the page cache, at depth, at one block, in descriptor sense" {
	scene_is_done lab_medium
	result medium-buffered
	is_partial 3
	is '.runs[0].total | .bytes >= 2359296 and .bytes < 4660 * 512 + 1'
	is '.runs[0].total.errors | .medium + .short == 1 and .failed == 1'
	result medium-deep
	is_partial 3
	is '.runs[0].total | .errors.medium >= 1 and .bytes <= (36 + 3) * 65536'
	result medium-block
	is_partial 3
	counts '{"medium": 1, "failed": 1}'
	is '.runs[0].total | .bytes == 10 * 512 and .commands == 10'
	has err "LBA 4660"
	result medium-descriptor
	is_partial 3
	counts '{"medium": 1, "failed": 1}'
	has err "LBA 4608" "Medium Error" "3/11/00"
}

@test "blocks beside the bad ones read well" {
	scene_is_done lab_medium
	result medium-up-to
	is_good_run
	is '.runs[0].total.bytes == 4660 * 512'
	result medium-from
	is_good_run
	is '.runs[0].total.bytes == (32768 - 4670) * 512'
}

# ---- faults of every Nth command ----

lab_nth() {
	lab-reload "dev_size_mb=8 delay=0"
	head -c 8388608 /dev/urandom >/dev/sda
	sgs nth-clean --json --digest /dev/sg0
	arm 8 10
	for engine in sg-mmap sg-dio sg-copy buffered direct; do
		sgs "recovered-$engine" --json --digest -e "$engine" /dev/sg0
	done
	sgs recovered-text /dev/sg0
	disarm
	arm 0x100 10
	for engine in sg-mmap sg-dio sg-copy; do
		sgs "short-$engine" --json -e "$engine" /dev/sg0
	done
	sgs short-text /dev/sg0
	for engine in buffered direct; do
		sgs "short-$engine" --json --digest -e "$engine" /dev/sg0
	done
	disarm
	echo 100000 >"$D/ndelay"
	arm 0x10 10
	for engine in sg-mmap sg-dio sg-copy; do
		sgs "aborted-$engine" --json --digest -e "$engine" /dev/sg0
	done
	sgs aborted-once --json --retries 0 /dev/sg0
	disarm
	arm 0x10 1
	sgs aborted-always --json -e direct -c 8 /dev/sg0
	disarm
	arm 0x80 20
	sgs timeout --json --timeout 500ms /dev/sg0
	disarm
	arm 0x4 1
	sgs mute --json --timeout 2s /dev/sg0
	disarm
	arm 0x8000 5
	sgs host-busy --json --digest -c 20 /dev/sg0
	disarm
	sgs host-idle --json --digest -c 20 /dev/sg0
}

clean_digest() { json '.runs[0].total.digest' "$R/nth-clean.out"; }

@test "a recovered error is good data, and counted" {
	scene_is_done lab_nth
	local engine
	result nth-clean
	is_good_run
	for engine in sg-mmap sg-dio sg-copy; do
		result "recovered-$engine"
		is_good_run
		is '.runs[0].total | .bytes == 8388608 and .commands == 128 and
			.errors.recovered >= 11 and .errors.recovered <= 14'
		is '.runs[0].total.errors | .failed == 0 and .retried == 0'
		[ "$(json '.runs[0].total.digest')" = "$(clean_digest)" ]
	done
	for engine in buffered direct; do # sd takes them for good, and tells nobody
		result "recovered-$engine"
		is_good_run
		[ "$(json '.runs[0].total.digest')" = "$(clean_digest)" ]
	done
	result recovered-text
	exits 0
	grep -q '^errors  *1[0-9] recovered$' out
}

@test "fewer bytes than asked for with status good are not passed for good" {
	scene_is_done lab_nth
	local engine
	for engine in sg-mmap sg-dio sg-copy; do
		result "short-$engine"
		is_partial 3
		counts '{"short": 1, "failed": 1}'
		is '.runs[0].total | .bytes == .commands * 65536 + 32768 and .commands < 10'
		has err "32768" "LBA"
	done
	result short-text
	exits 3
	one_line err
	has out "1 short" "1 failed"
	for engine in buffered direct; do # sd reads the rest by itself
		result "short-$engine"
		is_good_run
		[ "$(json '.runs[0].total.digest')" = "$(clean_digest)" ]
	done
}

@test "an aborted command is read again, as often as --retries says" {
	scene_is_done lab_nth
	local engine
	for engine in sg-mmap sg-dio sg-copy; do
		result "aborted-$engine"
		is_good_run
		is '.runs[0].total | .bytes == 8388608 and .commands == 128 and
			.errors.aborted >= 11 and .errors.retried == .errors.aborted and .errors.failed == 0'
		[ "$(json '.runs[0].total.digest')" = "$(clean_digest)" ]
	done
	result aborted-once
	is_partial 11
	counts '{"aborted": 1, "failed": 1}'
	has err "Aborted Command" "b/4b/03"
	result aborted-always
	[ "$status" -ne 0 ]
	object
	is '.status == "error"'
	printable err
}

@test "a command that times out: exit 33, the time is not in the latencies" {
	scene_is_done lab_nth
	result timeout
	is_partial 33
	counts '{"timeout": 1, "failed": 1}'
	is '.runs[0].total | .latency_ns.max < 400e6 and .commands > 0 and .commands < 20'
	has err "DID_TIME_OUT" "LBA"
	[ "$(took_ms timeout)" -ge 500 ]
	[ "$(took_ms timeout)" -lt 8000 ]
}

@test "--timeout also bounds what a drive is asked before the first read" {
	scene_is_done lab_nth
	result mute
	exits 33
	has err "/dev/sg0: READ CAPACITY(10) was not answered within 2 s"
	[ "$(took_ms mute)" -lt 30000 ]
}

@test "a host that is busy at times only takes longer" {
	scene_is_done lab_nth
	result host-busy
	is_good_run
	is '.runs[0].total.bytes == 20 * 65536'
	[ "$(json '.runs[0].total.digest')" = "$(json '.runs[0].total.digest' "$R/host-idle.out")" ]
}

# ---- unit attention ----

lab_attention() {
	lab-reload "dev_size_mb=8 delay=0 no_uld=1"
	sgs attention-first --json /dev/sg0
	sgs attention-none --json /dev/sg0
	echo 5000000 >"$D/ndelay"
	start attention-midway --json --digest /dev/sg0
	sleep 0.2
	sg_reset -d /dev/sg0 >/dev/null
	finish
	start attention-fatal --json --retries 0 /dev/sg0
	sleep 0.2
	sg_reset -d /dev/sg0 >/dev/null
	finish
	echo 0 >"$D/ndelay"
}

@test "a unit attention is cleared and counted, first or midway" {
	scene_is_done lab_attention
	result attention-first
	is_good_run
	is '.runs[0].total.bytes == 8388608'
	counts '{"unit_attention": 1, "retried": 1}'
	result attention-none
	is_good_run
	counts '{}'
	result attention-midway
	is_good_run
	is '.runs[0].total | .bytes == 8388608 and .commands == 128'
	counts '{"unit_attention": 1, "retried": 1}'
	result attention-fatal
	is_partial 6
	is '.runs[0].total.errors | .unit_attention == 1 and .failed == 1'
	has err "Unit Attention" "6/29/"
}

# ---- more commands than the device takes ----

lab_full() {
	lab-reload "dev_size_mb=8 ndelay=5000000 max_queue=2"
	sgs queue-of-two --json -q 8 /dev/sg0
	lab-reload "dev_size_mb=8 ndelay=5000000"
	sgs queue-of-many --json --digest -q 8 /dev/sg0
	echo 1 >"$D/max_queue" # below what the host was told: answered with TASK SET FULL
	sgs full-retried --json --digest -q 8 -c 48 --retries 200 /dev/sg0
	sgs full-once --json -q 8 --retries 0 /dev/sg0
	echo 192 >"$D/max_queue"
	sgs full-no-more --json --digest -q 8 -c 48 /dev/sg0
}

@test "task set full and busy: tried again, counted, nothing lost" {
	scene_is_done lab_full
	result queue-of-two
	is_good_run
	is '.runs[0].total.bytes == 8388608'
	is '[.messages[] | select(.code == "depth_above_queue")] | length == 1'
	has err "2 commands at a time" "--qd" "8"
	result queue-of-many
	is_good_run
	counts '{}'
	result full-retried
	is_good_run
	is '.runs[0].total | .commands == 48 and .errors.task_set_full >= 1 and
		.errors.retried == .errors.task_set_full and .errors.failed == 0'
	[ "$(json '.runs[0].total.digest')" = "$(json '.runs[0].total.digest' "$R/full-no-more.out")" ]
	result full-once
	is_partial 27
	is '.runs[0].total.errors | .task_set_full >= 1 and .failed >= 1 and .retried == 0'
	has err "Task Set Full"
}

# ---- removal ----

lab_removal() {
	local engine
	for engine in sg-mmap sg-dio sg-copy direct; do
		lab-reload "dev_size_mb=8 ndelay=2000000"
		start "removed-$engine" --json -e "$engine" --loop --runtime 15s /dev/sg0
		sleep 0.5
		now_ms >/run/removed_at
		echo 1 >/sys/class/scsi_device/0:0:0:0/device/delete
		finish
		note "removed-$engine" $(($(now_ms) - $(</run/removed_at)))
	done
	sgs removed-after --json /dev/sg0
	for engine in buffered mmap; do
		lab-reload "dev_size_mb=8 delay=0"
		start "removed-$engine" --json -e "$engine" --loop --size 1T /dev/sg0
		sleep 0.5
		echo 1 >/sys/class/scsi_device/0:0:0:0/device/delete
		finish
	done
	sgs removed-list list --json
}

@test "a drive that is pulled out ends the run at once, with a report" {
	scene_is_done lab_removal
	local engine
	for engine in sg-mmap sg-dio sg-copy direct; do
		result "removed-$engine"
		[ "$status" -ne 0 ]
		[ "$status" -lt 124 ]
		is_partial "$status"
		is '.runs[0].total | .commands > 0 and .errors.failed == 1'
		[ "$(noted "removed-$engine")" -lt 5000 ]
		has err "LBA"
	done
	for engine in buffered mmap; do # the one may have met no error, in pages that are in memory
		result "removed-$engine"
		exits 69
		is_partial 69
		is '.runs[0].total | .commands > 0 and .errors.gone == 1 and .errors.short == 0 and .cache.verdict != "cold"'
		has err "the device has gone (ENODEV)"
	done
	result removed-sg-mmap
	# the adapter may say DID_ERROR of the command that it was in the middle of
	is '.runs[0].total.errors | .gone == 1 and .failed == 1 and .transport <= 1 and .transport == .retried'
	has err "gone"
	result removed-after
	is_refusal_with_object 15 "/dev/sg0" "no such" "sgstream list"
	result removed-list
	exits 0
	object
	is '.status == "ok" and .devices == []'
}

# ---- a command that never comes back ----

# 2^32 + 100 ms do not fit the driver's 32 bits. Last in this boot: the command stays for ever.
lab_stuck() {
	lab-reload "dev_size_mb=8 delay=0"
	arm 0x80 1
	start stuck --json --timeout 4294967.396s -c 1 /dev/sg0
	sleep 4.5
	if kill -KILL "$pid" 2>/dev/null; then
		note stuck waiting
	else
		note stuck "ended by itself"
	fi
	finish
	echo 0 >"$D/every_nth" # or the lab's end would wait for a flush
}

@test "a timeout beyond what the driver can count is not a short one" {
	scene_is_done lab_stuck
	result stuck
	if [ "$status" -eq 1 ]; then # refused is right as well
		has err "--timeout"
	else
		[ "$(noted stuck)" = waiting ]
	fi
}
