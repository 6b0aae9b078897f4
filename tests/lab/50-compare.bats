#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Comparing engines over a drive: who takes part, that all read the same, what is left when the
# drive dies in between, and what a difference means for the exit status.
# shellcheck disable=SC2317,SC2154,SC2016,SC2012 # lab_ functions run inside

load ../helpers
load lab

setup_file() {
	mkdir -p "$BATS_FILE_TMPDIR/results"
	declare -f to_the_third_round >"$BATS_FILE_TMPDIR/results/inside"
	boot --allow-dio 1 --scsi-debug "dev_size_mb=32 delay=0"
}

setup() { prepare; }
teardown() { conclude; }

# ---- for use inside ----

# Begins what finish waits for, and asks for lines until the third round has begun.
to_the_third_round() {
	start "$@"
	reading() { [ "$(ls "/proc/$pid/task" | wc -l)" -ge 3 ]; }
	until_true reading
	in_the_third() {
		kill -USR1 "$pid"
		sleep 0.02
		grep -qE '^round ([3-9]|[1-9][0-9]), ' "$LAB_OUT/$started.err"
	}
	until_true in_the_third
}

# ---- contenders ----

lab_contenders() {
	dd if=/dev/urandom of=/dev/sda bs=1M count=32 oflag=direct status=none
	sgs default compare --json=default.json /dev/sg0
	cp default.json "$LAB_OUT/default.json"
	sgs by-block compare --json --rounds 1 --size 4M /dev/sda
	echo 0 >/sys/module/sg/parameters/allow_dio
	sgs no-dio compare --json --rounds 6 --size 4M /dev/sg0
	sgs copied compare --json --rounds 6 --engines sg-dio,buffered --size 4M /dev/sg0
	sgs allow-dio compare --json --rounds 1 --size 4M --allow-dio /dev/sg0
	note allow-dio "$(</sys/module/sg/parameters/allow_dio)"
	echo 1 >/sys/module/sg/parameters/allow_dio
}

@test "the default contenders: all of the drive, each cold, in turn, and one sentence" {
	scene_is_done lab_contenders
	result default
	exits 0
	has out "/dev/sg0  Linux scsi_debug" "64 KiB per command, depth 1; 33.6 MB a run, 7 rounds in turn" \
		"ENGINE" "page cache  buffered against sg-mmap: "
	tail -n 1 out | grep -q '^[^.]* /dev/sg0 .*\.$'
	echo "# $(tail -n 1 out)" >&3
	cp "$R/default.json" out
	object
	figures_fit
	is '.status == "ok" and (.runs | length == 32)'
	is '.comparison.contenders | map(.engine) == ["sg-mmap", "sg-dio", "direct", "buffered"] and
		all(.[]; .reason == null and (.rounds | length == 7))'
	is '.comparison.page_cache_copy | .engine == "buffered" and .against == "sg-mmap"'
	is '.runs | all(.[]; .total.bytes == 33554432)'
	is '[.runs[] | select(.engine == "sg-dio") | .total.transfer.direct == 512] | all'
	is '[.runs[] | select(.engine == "buffered") | .devices[0].cache.verdict == "cold"] | all'
	is '[.messages[].code] | index("depth_differs") != null' # read-ahead of 1 MiB
	result by-block
	exits 0
	object
	is '.comparison.contenders | length == 4 and all(.[]; .reason == null)'
}

@test "sg-dio takes part where the driver does direct I/O" {
	scene_is_done lab_contenders
	result no-dio
	exits 0
	object
	is '.comparison.contenders[1] | .engine == "sg-dio" and (.reason | contains("allow_dio is 0")) and .rounds == []'
	is '[.runs[].engine] | unique == ["buffered", "direct", "sg-mmap"]'
	is '[.messages[] | select(.level == "error")] == []'
	result copied # asked for by name: it runs, and what it is is said
	exits 0
	object
	is '.comparison | .page_cache_copy == null and .contenders[0].reason == null'
	is '[.messages[] | select(.code == "copied")] | length == 1 and (.[0].text | endswith("(sg-dio, 7 of 7 runs)"))'
	result allow-dio
	exits 0
	object
	is '[.runs[] | select(.engine == "sg-dio") | .total.transfer.direct == 64] | length == 2 and all'
	[ "$(noted allow-dio)" = 0 ]
}

# ---- expectations ----

lab_expectations() {
	sgs above compare --json --fail-below 0.01 --rounds 6 --engines sg-mmap,buffered --size 16M /dev/sg0
	sgs below compare --json --fail-below 100 --rounds 6 --engines sg-mmap,buffered --size 16M /dev/sg0
}

@test "a ratio that is expected, met and not met" {
	scene_is_done lab_expectations
	result above
	exits 0
	object
	result below
	exits 36
	object
	is '.status == "ok" and .comparison.rounds == 6'
	has err "--fail-below 100: sg-mmap is" "times as fast as buffered (96.9 % "
}

# ---- that all read the same ----

lab_digests() {
	local writer
	sgs same compare --json --digest --rounds 1 --size 16M /dev/sg0
	sgs read-same --json --digest --size 16M /dev/sg0
	lab-reload "dev_size_mb=8 ndelay=2000000"
	while :; do
		dd if=/dev/urandom of=/dev/sda bs=64k count=1 oflag=direct conv=notrunc status=none
	done &
	writer=$!
	sgs changing compare --json --digest --rounds 1 --engines sg-mmap,direct /dev/sg0
	kill $writer
}

@test "one digest through all contenders, or an error that names two" {
	scene_is_done lab_digests
	local digest
	result read-same
	digest=$(json '.runs[0].total.digest')
	result same
	exits 0
	object
	is ".comparison.digest == {\"equal\": true, \"bytes\": 16777216, \"digest\": \"$digest\"}"
	result changing
	exits 97
	object
	is '.status == "error" and .runs == [] and .comparison.digest.equal == false'
	has err "/dev/sg0: sg-mmap and direct read different data"
}

# ---- a drive that dies in round 3 ----

lab_death() {
	# shellcheck disable=SC1091
	. "$LAB_OUT/inside"
	lab-reload "dev_size_mb=2 ndelay=2000000"
	to_the_third_round deleted compare --json --engines sg-mmap,direct --rounds 50 /dev/sg0
	echo 1 >/sys/class/scsi_device/0:0:0:0/device/delete
	finish
	lab-reload "dev_size_mb=2 ndelay=2000000"
	to_the_third_round offline compare --engines sg-mmap,direct --rounds 50 /dev/sg0
	echo offline >/sys/class/scsi_device/0:0:0:0/device/state
	finish
}

@test "a drive that dies in round 3: the rounds before it are kept and judged" {
	scene_is_done lab_death
	result deleted
	[ "$status" -ne 0 ]
	[ "$status" -lt 124 ]
	object
	is '.status == "partial" and .comparison.rounds_asked == 50'
	is '.comparison.rounds as $n | $n >= 2 and $n < 50 and (.comparison.contenders | all(.[]; .rounds | length == $n))'
	is '.comparison.rounds as $n | [.runs[] | select((.warmup | not) and .round <= $n)] |
		length == 2 * $n and all(.[]; .status == "ok" and .total.bytes == 2097152)'
	is '.messages | map(select(.level == "error")) | length >= 1'
	result offline
	[ "$status" -ne 0 ]
	[ "$status" -lt 124 ]
	has out "ended early; " " of 50 rounds were finished" "sg-mmap" "direct"
	has err "/dev/sg0"
}
