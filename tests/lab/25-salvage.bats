#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Reading on behind bad blocks: they are named exactly, nothing else is lost, and the drive saw
# the commands that are accounted for.
# shellcheck disable=SC2317,SC2154,SC2030,SC2031 # lab_ functions run inside

load ../helpers
load lab

setup_file() { inside="bad_blocks no_bad_blocks" boot --allow-dio 1 --mem 768M --scsi-debug none; }
setup() { prepare; }
teardown() { conclude; }

# ---- inside ----

bad_blocks() { # FIRST COUNT
	echo "$1" >/sys/module/scsi_debug/parameters/medium_error_start
	echo "$2" >/sys/module/scsi_debug/parameters/medium_error_count
	echo 2 >"$D/opts"
}

no_bad_blocks() { echo 0 >"$D/opts"; }

# ---- outside ----

# Exit 3, all read but these ranges: is_salvaged '[[FIRST, COUNT]...]' GOOD_BYTES
is_salvaged() {
	exits 3
	object
	figures_fit
	is ".status == \"partial\" and .runs[0].on_error == \"skip\" and .runs[0].devices[0].status == 3"
	is ".runs[0].devices[0].bad_ranges == $1"
	is ".runs[0].total | .bytes == $2 and .bad_blocks == ([$1[][1]] | add) and .errors.failed == 0"
	is '[.messages[] | select(.level == "error")] | map(.code) == ["bad_blocks"]'
	has err "/dev/sg0" "left out" "LBA $(jq -n "$1[0][0]")"
}

# ---- every engine, depth 1 and 8 ----

lab_skip() {
	lab-reload "dev_size_mb=16 delay=0 statistics=1"
	head -c 16777216 /dev/urandom >/run/image
	cat /run/image >/dev/sda
	bad_blocks 4660 10
	local engine depth before
	while read -r engine; do
		for depth in 1 8; do
			before=$(device_commands)
			sgs "skip-$engine-$depth" --json --digest -q "$depth" -e "$engine" --on-error skip /dev/sg0
			note "skip-$engine-$depth" $(($(device_commands) - before))
		done
	done <"$LAB_OUT/engines"
	for engine in sg-mmap direct sg-async; do
		sgs "skip-out-$engine" --json -q 3 -e "$engine" --on-error skip -o out /dev/sg0
		cp /run/image holes
		dd if=/dev/zero of=holes bs=512 seek=4660 count=10 conv=notrunc 2>/dev/null
		cmp out holes
	done
	sgs skip-text --on-error skip --digest --bad-list "$LAB_OUT/bad-list" /dev/sg0
	sgs skip-csv --csv --on-error skip /dev/sg0
	sgs skip-metrics --openmetrics - --on-error skip /dev/sg0
	sgs skip-max --json --max-errors 5 --on-error skip /dev/sg0
	sgs skip-deep-max --json --max-errors 5 -q 8 -e sg-async --on-error skip /dev/sg0
	sgs skip-two --json --bs 4k --on-error skip --count 600 /dev/sg0
	no_bad_blocks
	sgs skip-none --json --digest --on-error skip --bad-list "$LAB_OUT/no-bad-list" /dev/sg0
}

@test "--on-error skip: exact ranges, one digest, through every engine and at depth" {
	scene_is_done lab_skip
	local engine depth digest
	digest=$(json '.runs[0].total.digest' "$R/skip-sg-mmap-1.out")
	for engine in sg-mmap sg-dio sg-copy sg-async sgio bsg direct io_uring; do
		for depth in 1 8; do
			result "skip-$engine-$depth"
			is_salvaged '[[4660, 10]]' $((16777216 - 5120))
			is ".runs[0].total | .digest == \"$digest\" and .digest_partial and .errors.medium >= 11"
		done
	done
	# a page of the cache is there or not
	digest=$(json '.runs[0].total.digest' "$R/skip-buffered-1.out")
	for engine in buffered mmap; do
		for depth in 1 8; do
			result "skip-$engine-$depth"
			is_salvaged '[[4656, 16]]' $((16777216 - 8192))
			is ".runs[0].total.digest == \"$digest\""
		done
	done
}

@test "the drive saw the commands that are accounted for, and few of them" {
	scene_is_done lab_skip
	local engine depth
	for engine in sg-mmap sg-dio sg-copy sg-async sgio bsg; do
		for depth in 1 8; do
			result "skip-$engine-$depth"
			# five to look at the device, then READs
			is ".runs[0] | 5 + .devices[0].probe_commands + .total.commands + .total.recovery.commands +
				.total.errors.medium == $(noted "skip-$engine-$depth")"
			# 255 whole transfers, and of the other: before, ten bad ones, behind
			is '.runs[0].total | .commands == 255 and .errors.medium == 11 and .recovery.commands <= 6 and
				.latency_ns.max != null'
		done
	done
}

@test "with an output the hole is zero, and listed; the list is a file" {
	scene_is_done lab_skip # which compares the output
	local engine
	for engine in sg-mmap direct sg-async; do
		result "skip-out-$engine"
		is_salvaged '[[4660, 10]]' $((16777216 - 5120))
		is '.runs[0].output_bytes == 16777216'
	done
	diff - "$R/bad-list" <<<$'device\tfirst_lba\tblocks\tblock_bytes\n/dev/sg0\t4660\t10\t512'
	diff - "$R/no-bad-list" <<<$'device\tfirst_lba\tblocks\tblock_bytes'
	result skip-text
	exits 3
	has out "not all was read" "bad       4660+10" "recovered " "of what could be read" "11 medium"
	has err "10 blocks in 1 range" "LBA 4660" "Medium Error" "3/11/00"
	result skip-csv
	exits 3
	grep -q '^[^,]*,read,1,total,.*,10,[0-9]*,60416,[0-9]*,' out
	result skip-metrics
	exits 3
	has out 'sgstream_run_bad_blocks{' 'sgstream_device_recovery_commands{'
	result skip-none
	is_good_run
	is '.runs[0] | .devices[0].bad_ranges == [] and .total.recovery.commands == 0 and
		(.total.digest_partial | not)'
}

@test "--max-errors ends it" {
	scene_is_done lab_skip
	local name
	for name in skip-max skip-deep-max; do
		result $name
		exits 3
		object
		figures_fit
		is '.runs[0].devices[0] | .bad_ranges == [[4660, 6]] and .bytes < 16777216 - 5120'
		has err "more than 5 blocks are bad" "--max-errors"
	done
	result skip-two
	is_salvaged '[[4660, 10]]' $((600 * 4096 - 5120))
}

# ---- what a drive says about where ----

lab_info() {
	lab-reload "dev_size_mb=16 delay=0 statistics=1"
	head -c 16777216 /dev/urandom >/dev/sda
	bad_blocks 8190 3 # it names the first block of the command
	sgs info-first --json --on-error skip /dev/sg0
	bad_blocks 1000 2 # it names 4660
	sgs info-outside --json --on-error skip /dev/sg0
	bad_blocks 0 1
	sgs info-zero --json --on-error skip /dev/sg0
	bad_blocks 32767 1
	sgs info-last --json --on-error skip --bs 7blk /dev/sg0
	bad_blocks 12345 1000
	local before engine
	for engine in sg-mmap direct; do
		before=$(device_commands)
		sgs "patch-$engine" --json -e "$engine" --on-error skip /dev/sg0
		note "patch-$engine" $(($(device_commands) - before))
	done
	sgs patch-deep --json -e direct -q 16 --on-error skip /dev/sg0
	echo 1 >"$D/dsense" # no INFO at all
	before=$(device_commands)
	sgs patch-silent --json --on-error skip /dev/sg0
	note patch-silent $(($(device_commands) - before))
}

@test "a drive that names no block, or a wrong one, is read as exactly" {
	scene_is_done lab_info
	result info-first
	is_salvaged '[[8190, 3]]' $((16777216 - 3 * 512))
	is '.runs[0].total | .recovery.commands + .errors.medium <= 60'
	result info-outside
	is_salvaged '[[1000, 2]]' $((16777216 - 2 * 512))
	result info-zero
	is_salvaged '[[0, 1]]' $((16777216 - 512))
	result info-last
	is_salvaged '[[32767, 1]]' $((16777216 - 512))
}

@test "a patch of a thousand bad blocks takes a fifth more commands at the most, and good latency" {
	scene_is_done lab_info
	local name good=$((16777216 - 512000))
	for name in sg-mmap direct silent; do
		result "patch-$name"
		is_salvaged '[[12345, 1000]]' $good
		# needed: 5 to look, the transfers that fail or not, each bad block, two for the good ends
		[ "$(noted "patch-$name")" -le $((5 + 1 + 256 + (1000 + 2) * 12 / 10)) ]
		is '.runs[0].total.latency_ns.p50 < 5e6'
	done
	result patch-deep
	is_salvaged '[[12345, 1000]]' $good
}

# ---- one bad drive among others ----

lab_among() {
	lab-reload "dev_size_mb=16 ndelay=1000000 add_host=2 per_host_store=1"
	bad_blocks 4660 10
	start among --json --on-error skip --loop --runtime 2s /dev/sg0 /dev/sg1
	sleep 0.7
	echo 1 >/sys/class/scsi_device/1:0:0:0/device/delete
	finish
	no_bad_blocks
	lab-reload "dev_size_mb=16 ndelay=1000000 add_host=2 per_host_store=1"
	for engine in sg-mmap direct; do
		start "offline-$engine" --json --on-error skip -e "$engine" --loop --runtime 2s /dev/sg0 /dev/sg1
		sleep 0.7
		echo offline >/sys/class/scsi_device/1:0:0:0/device/state
		finish
		echo running >/sys/class/scsi_device/1:0:0:0/device/state
	done
}

@test "a drive that leaves or goes offline ends for itself alone; the others go on" {
	scene_is_done lab_among
	local name
	for name in among offline-sg-mmap offline-direct; do
		result "$name"
		[ "$status" -ne 0 ]
		object
		figures_fit
		is '.status == "partial" and (.runs[0].devices[1] | .status != 0 and .errors.gone >= 1 or .errors.gone == 1)'
		is '.runs[0].devices | .[0].last_done_ns > 1.9e9 and .[1].last_done_ns < 1.8e9 and .[1].bytes > 0'
		has err "/dev/sg1" "LBA"
	done
	result among
	is '.runs[0].devices[0] | .bad_ranges == [[4660, 10]] and .status == 3'
	for name in offline-sg-mmap offline-direct; do
		result "$name"
		is '.runs[0].devices | map(.bad_ranges) == [[], []] and .[0].status == 0'
	done
}

# ---- busy by time ----

lab_narrow() {
	lab-reload "dev_size_mb=8 ndelay=20000000"
	head -c 8388608 /dev/urandom >/dev/sda
	echo 1 >"$D/max_queue" # fewer than the host says
	local engine
	for engine in sg-mmap sg-async sgio; do
		sgs "narrow-$engine" --json --digest -e "$engine" -q 8 -c 40 /dev/sg0
	done
	echo 192 >"$D/max_queue"
	sgs narrow-not --json --digest -q 8 -c 40 /dev/sg0
}

@test "a host that takes fewer commands than are asked of it loses nothing, by the default retries" {
	scene_is_done lab_narrow
	local engine digest
	digest=$(json '.runs[0].total.digest' "$R/narrow-not.out")
	for engine in sg-mmap sg-async sgio; do
		result "narrow-$engine"
		is_good_run
		is ".runs[0].total | .digest == \"$digest\" and .commands == 40 and .errors.task_set_full >= 1"
	done
}

# ---- not ready ----

lab_ready() {
	lab-reload "dev_size_mb=8 delay=0 no_uld=1 tur_ms_to_ready=4000"
	sgs ready-not --json --ready-timeout 200ms /dev/sg0
	sgs ready-wait --json /dev/sg0
	sgs ready-now --json /dev/sg0
	sg_start --stop /dev/sg0
	sgs ready-stopped --json /dev/sg0
}

@test "a unit that is becoming ready is waited for; a stopped one is not" {
	scene_is_done lab_ready
	result ready-not
	exits 2
	object
	is '.runs == []'
	has err "becoming ready" "2/04/01" "--ready-timeout"
	result ready-wait
	is_good_run
	is '.runs[0].total.bytes == 8388608 and ([.messages[] | select(.code == "became_ready")] | length == 1)'
	result ready-now
	is_good_run
	is '[.messages[] | select(.code == "became_ready")] == []'
	result ready-stopped
	[ "$status" -eq 2 ]
	object
	has err "2/04/02" "sg_start --start"
}

# ---- capacity ----

lab_capacity() {
	lab-reload "dev_size_mb=8 virtual_gb=1 ndelay=5000000"
	start capacity --json -c 200 /dev/sg0
	sleep 0.4
	echo 2 >"$D/virtual_gb"
	finish
}

@test "another capacity in the middle is asked for again and told" {
	scene_is_done lab_capacity
	result capacity
	is_good_run
	is '.runs[0].total | .commands == 200 and .errors.unit_attention == 1'
	is '[.messages[] | select(.code == "capacity_changed")] | length == 1'
	has err "2097152 blocks (1 GiB)" "4194304 blocks (2 GiB)"
}

# ---- a signal, and the drive's own count ----

lab_count() {
	lab-reload "dev_size_mb=8 ndelay=3000000 statistics=1"
	local engine before
	for engine in sg-mmap sg-async direct sgio; do
		before=$(device_commands)
		start "count-$engine" --json -e "$engine" -q 4 --loop --runtime 60s --interval 100ms /dev/sg0
		until_true grep -q '^at ' "$LAB_OUT/count-$engine.err"
		kill -INT "$pid"
		finish
		note "count-$engine" $(($(device_commands) - before))
	done
}

@test "a signal neither repeats nor loses a command: the drive counts the same" {
	scene_is_done lab_count
	local engine
	for engine in sg-mmap sg-async sgio; do
		result "count-$engine"
		exits 130
		object
		is ".runs[0] | 5 + .devices[0].probe_commands + .total.commands == $(noted "count-$engine")"
	done
	result count-direct # two may be merged into one
	exits 130
	is ".runs[0] | 5 + .devices[0].probe_commands + .total.commands >= $(noted count-direct)"
}

# ---- a drive that hangs ----

lab_hang() {
	lab-reload "dev_size_mb=8 delay=0 add_host=2 per_host_store=1"
	arm 0x80 -20
	start hang --json --timeout 6s /dev/sg0
	finish
	disarm
}

@test "commands that do not come back are told while they are waited for" {
	scene_is_done lab_hang
	result hang
	exits 33
	object
	grep -q '^sgstream: /dev/sg0: 1 command in flight for [5-9] s$' err
	is '[.messages[] | select(.code == "stalled")] | length == 1'
}
