#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Several paths to one unit, and as many drives as a run may have.
# shellcheck disable=SC2317,SC2154,SC2030,SC2031 # lab_ functions run inside

load ../helpers
load lab

setup_file() { boot --scsi-debug none; }
setup() { prepare; }
teardown() { conclude; }

# ---- paths ----

# Three hosts with one store, and one name for its unit
lab_paths() {
	lab-reload "dev_size_mb=8 ndelay=20000000 add_host=3 vpd_use_hostno=0 statistics=1"
	head -c 8388608 /dev/urandom >/dev/sda
	local before
	sgs paths-one --json --digest -b 16k -q 8 /dev/sg0
	before=$(device_commands)
	sgs paths-merge --json --digest -b 16k --paths merge -q 4 /dev/sg0 /dev/sg1 /dev/sg2
	note paths-merge $(($(device_commands) - before))
	sgs paths-each --json --digest -b 16k --paths each -q 4 /dev/sg0 /dev/sg1 /dev/sg2
	sgs paths-silent --json -b 16k -q 4 /dev/sg0 /dev/sg1 /dev/sg2
	sgs paths-random --json --digest -b 16k --paths merge --pattern random -q 4 /dev/sg0 /dev/sg1 /dev/sg2
}

@test "three paths to one unit: merged they read it once, each its part; or once each; or a warning" {
	scene_is_done lab_paths
	local digest
	digest=$(json '.runs[0].total.digest' "$R/paths-one.out")
	for name in merge random; do
		result "paths-$name"
		is_good_run
		is ".runs[0] | .paths == \"merge\" and .total.bytes == 8388608 and .total.digest == \"$digest\""
		is '.runs[0].devices | map(.bytes > 0) == [true, true, true] and
			map(.same_unit_as) == [null, "/dev/sg0", "/dev/sg0"]'
		is '.messages | map(select(.code == "same_unit")) == []'
	done
	result paths-merge
	# the three lie behind one counter: 512 reads, and what finds out about each
	is ".runs[0] | .total.commands == 512 and 512 + ([.devices[].probe_commands] | add) + 3 * 5 == $(noted paths-merge)"
	result paths-each
	is_good_run
	is ".runs[0] | .total.bytes == 3 * 8388608 and (.devices | map(.digest) == [\"$digest\", \"$digest\", \"$digest\"])"
	result paths-silent
	is_good_run
	is '.messages | map(select(.code == "same_unit")) | length == 2 and (.[1].text | contains("/dev/sg0 and /dev/sg2"))'
}

# ---- fan-out ----

lab_256() {
	lab-reload "dev_size_mb=8 ndelay=1000000 no_uld=1 num_tgts=16 max_luns=16"
	until_true test -e /dev/sg255
	ulimit -Sn 64
	limit=40 sgs fan --json -c 16 /dev/sg{0..255}
}

@test "256 drives in one run" {
	scene_is_done lab_256
	result fan
	is_good_run
	is '.runs[0].devices | length == 256 and all(.[]; .status == 0 and .bytes == 1048576)'
	is '.runs[0].total | .bytes == 256 * 1048576 and .in_flight.max > 1 and .start_spread_ns > 0'
}

# ---- the straggler ----

lab_straggler() {
	lab-reload "dev_size_mb=8 ndelay=30000000 add_host=4 per_host_store=1"
	echo 1 >/sys/class/scsi_device/2:0:0:0/device/queue_depth
	sgs straggler --json -q 4 -c 80 /dev/sg0 /dev/sg1 /dev/sg2 /dev/sg3
}

# A machine that is too busy to keep the others going has no straggler, and then none is named.
@test "a drive that takes one command at a time is named as the straggler, and what it reached" {
	scene_is_done lab_straggler
	result straggler
	is_good_run
	is 'def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;
		.runs[0] | ([.devices[].bytes_per_second] | min) as $least |
		(.devices | map(select(.bytes_per_second != $least).bytes_per_second) | median) as $others |
		($least < 0.8 * $others and .total.start_spread_ns <= 0.1 * .total.elapsed_ns) as $lags |
		(.straggler != null) == $lags and ($lags | not) or
		.straggler.device == "/dev/sg2" and (.straggler.share_of_others * $others / $least | . > 0.999 and . < 1.001)'
	is '(.runs[0].straggler != null) == ([.messages[] | select(.code == "straggler") |
		select(.device == "/dev/sg2" and (.text | contains("1 commands at a time")))] | length == 1)'
	is '.runs[0] | .queue_depth == 4 and .devices[2].in_flight.reached <= 1 and
		all(.devices[0, 1, 3].in_flight; .reached == .mean)'
}
