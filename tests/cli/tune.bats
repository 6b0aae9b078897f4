#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Tuning over files and the null engine: what is found, told and refused.
# shellcheck disable=SC2154

load ../helpers

setup() {
	prepare
	random data 4194304
	cp data more
}
teardown() {
	stop_started
	conclude
}

@test "one file: a point, its share of the best, and the command line to use" {
	sgs tune --json -e null -b 4k,16k,64k -q 1,2 --runtime 5ms data
	exits 0
	object
	is '.status == "ok" and .command == "tune" and .runs == []'
	is '.tune | .engine == "null" and .share == 0.98 and .step_ns == 5000000 and
		.axes == {bs_bytes: [4096, 16384, 65536], queue_depth: [1, 2]} and (.targets | length == 1)'
	is '.tune | .targets[0] as $t | $t.found and .bs_bytes == $t.bs_bytes and .queue_depth == $t.queue_depth and
		(.bs_bytes | IN(4096, 16384, 65536)) and .share_of_best > 0.9 and
		.command == "sgstream --bs \(.bs_bytes / 1024)k --qd \(.queue_depth) -e null data"'
	is '.tune.targets[0].steps | length >= 3 and length <= 400 and all(.[]; .bytes_per_second > 0)'
	sgs $(json '.tune.command' | cut -d ' ' -f 2-) -c 5
	exits 0
}

@test "two files: each, and both together" {
	sgs tune -v -e null -b 4k,64k -q 1 --runtime 5ms data more
	exits 0
	has out "data  4 KiB, depth 1: " "all 2 together" "The smallest that reach 98 % of the best:" " -e null data more"
	[ "$(grep -c '^  sgstream --bs ' out)" -eq 3 ]
	sgs tune --json -e null -b 4k,64k -q 1 --runtime 5ms data more
	exits 0
	object
	is '.tune.targets | map(.devices) == [["data"], ["more"], ["data", "more"]]'
}

@test "sizes beyond a limit are left out and told; when none can run, that is the error" {
	sgs tune --json -e direct -b 1000,64k -q 1 --runtime 5ms data
	exits 0
	object
	is '.tune | .bs_bytes == 65536 and ([.targets[0].steps[] | select(.bs_bytes == 1000).bytes_per_second] | all(. == null))'
	is '.messages | map(select(.code == "points_refused")) | length == 1'
	sgs tune --json -e sg-mmap -b 64k -q 1 data
	exits 15
	object
	is '.status == "error" and (.tune.targets[0].found | not)'
	has err "no SCSI device"
}

@test "bad input" {
	refused 1 "no device" -- tune
	refused 1 "--bs" "'4x'" -- tune -b 4x data
	refused 1 "--qd" "'0'" -- tune -q 0 data
	refused 1 "no option" "--size" -- tune --size 4M data
	sgs tune -e zip data
	exits 1
	has err "no engine 'zip'"
	sgs tune --help
	exits 0
	has out "98 %" "--runtime" "-b 64k,256k,1M"
}

@test "a signal ends it between two steps, with what was measured" {
	start tune --json -e null -b 4k..1M -q 1..64 --runtime 100ms data
	sleep 0.5
	kill -INT "$pid"
	finish
	exits 130
	object
	is '.status == "interrupted" and .exit_status == 130'
	is '.tune.targets[0] | (.found | not) and (.steps | length < 400)'
	has err "interrupted by SIGINT after $(json '.tune.targets[0].steps | length') step"
	is '[.messages[] | select(.code == "interrupted")] | length == 1'
}
