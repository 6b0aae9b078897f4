#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# scripts/ab over a real driver: the table and its reports, contenders that fail on a drive that
# does, and the false number beside the true one.
# shellcheck disable=SC2317,SC2154,SC2016,SC2030,SC2031 # lab_ functions run inside

load ../helpers
load lab

setup_file() { boot --env "ROOT=$root" --scsi-debug "add_host=2 per_host_store=1 dev_size_mb=16 delay=0"; }
setup() { prepare; }
teardown() { conclude; }

# The row of a contender, without its name, in out: row NAME
row() { sed -n "s/^$1  *//p" out; }

# ---- two contenders ----

lab_two() {
	limit=100
	record two "$ROOT/scripts/ab" --contenders dd,sgstream:sg-mmap /dev/sg1 --bs 64k --rounds 3 \
		--json two.json --csv two.csv --plot two.svg --false-number
	cp two.json two.csv two.svg "$LAB_OUT"
}

@test "the everyday form: a row each, on its node of the pair, and their ratio" {
	scene_is_done lab_two
	result two
	exits 0
	empty err
	has out "/dev/sg1 /dev/sdb 1:0:0:0" "64 KiB per command, depth 1; 16,777,216 bytes a run, 3 rounds in turn after 1 to warm up"
	[ "$(grep -c '^dd  \|^sgstream:sg-mmap  ' out)" -eq 2 ]
	row dd | grep -q '  1  * -  .* 16,777,216  tool, drive$'
	row sgstream:sg-mmap | grep -q ' 16,777,216  tool, commands$'
	row sgstream:sg-mmap | grep -qE '( [0-9.,]+ to [0-9.,]+  .*){3}' # rate, ratio and CPU time
	cp "$R/two.json" object
	is '.contenders | map(.node) == ["/dev/sdb", "/dev/sg1"] and map(.command[1]) == ["if=/dev/sdb", "-e"]' object
	is '.contenders[0].command == ["dd", "if=/dev/sdb", "of=/dev/null", "bs=65536", "count=256"]' object
	is '.contenders[0].rounds | length == 3 and all(.[]; .cold and .drive_bytes >= 16777216 and .bytes == 16777216)' object
	is '.contenders[1].rounds | length == 3 and all(.[]; .drive_commands >= 256 and .bytes == 16777216)' object
	is '.versions | (.dd | contains("coreutils")) and (.sgstream | startswith("sgstream "))' object
}

@test "the reports: medians of the rounds, the same in table and JSON, CSV and a picture" {
	scene_is_done lab_two
	result two
	cp "$R/two.json" object
	# a rate is bytes by the time outside of the program; CPU seconds are for a GiB
	is '.contenders | all(.[]; .rounds | all(.[]; (.bytes_per_second - .bytes * 1e9 / .elapsed_ns | fabs) < 1 and
		(.cpu_seconds_per_gib - (.user_s + .system_s) * 64 | fabs) < 1e-6 and .elapsed_ns > .tool_ns))' object
	is 'def middle: sort | .[1]; . as $all | .contenders | all(.[];
		.bytes_per_second.median == ([.rounds[].bytes_per_second] | middle) and
		.bytes_per_second.low == ([.rounds[].bytes_per_second] | min) and .bytes_per_second.coverage == 0.75)' object
	is '. as $all | ([.contenders[].rounds | map(.bytes_per_second)] | transpose | map(.[1] / .[0]) | sort | .[1]) as $ratio |
		$all.contenders[1].ratio.median == $ratio' object
	local name median
	for name in dd sgstream:sg-mmap; do
		median=$(jq -r ".contenders[] | select(.name == \"$name\").bytes_per_second.median / 1e6" object)
		awk -v shown="$(row "$name" | tr -d , | cut -d ' ' -f 1)" -v median="$median" \
			'BEGIN { exit !(shown > 0 && shown / median > 0.994 && shown / median < 1.006) }'
	done
	[ "$(grep -c '"dd if=/dev/sdb of=/dev/null bs=65536 count=256",65536,[0-3],' "$R/two.csv")" -eq 4 ]
	[ "$(wc -l <"$R/two.csv")" -eq 9 ]
	python3 -c 'import sys, xml.dom.minidom as m; t = m.parse(sys.argv[1]).documentElement; assert t.tagName == "svg"' "$R/two.svg"
	has "$R/two.svg" "sgstream:sg-mmap" "/dev/sg1"
}

@test "the false number stands beside what moved, and beside the true one" {
	scene_is_done lab_two
	result two
	cp "$R/two.json" object
	has out "sg_dd if=/dev/sg1 of=/dev/null bs=65536 bpt=1 count=256 time=1" "sg_dd if=/dev/sg1 of=/dev/null bs=512 bpt=128 count=32768 time=1"
	grep -q '^claimed  *16,777,216 bytes,' out
	grep -q '^moved  *131,072 bytes, .*256 commands of one block; residual 16,646,144' out
	grep -q '^moved  *16,777,216 bytes, .*read right' out
	is '.false_number | .exit_status == 0 and .claimed_bytes == 16777216 and .moved_bytes == 131072 and
		(.claimed_bytes_per_second / .moved_bytes_per_second - 128 | fabs) < 1e-6 and .right.bytes == 16777216' object
}

# ---- drives that fail, and tools that do not say so ----

lab_faults() {
	limit=100
	lab-reload "dev_size_mb=8 delay=0 opts=2"
	record medium "$ROOT/scripts/ab" --contenders sgm_dd,dd,sgstream:sg-mmap --rounds 1 --json medium.json /dev/sg0
	lab-reload "dev_size_mb=8 delay=0"
	arm 0x100 5
	record short "$ROOT/scripts/ab" --contenders sgm_dd,sg_dd --rounds 1 --json short.json /dev/sg0
	disarm
	mkdir liar
	printf '%s\n' '#!/bin/sh' 'echo "8388608 bytes (8.4 MB, 8.0 MiB) copied, 0.01 s, 839 MB/s"' >liar/dd
	chmod +x liar/dd
	PATH=$PWD/liar:$PATH record liar "$ROOT/scripts/ab" --contenders dd,sgm_dd --rounds 1 --json liar.json /dev/sda
	cp medium.json short.json liar.json "$LAB_OUT"
}

@test "a drive that cannot read all: each contender is marked failed, with what it moved" {
	scene_is_done lab_faults
	result medium
	exits 1
	row sgm_dd | grep -q '^failed in round 1: exit status 3 .*; moved 2,359,296 of 8,388,608 bytes$'
	row dd | grep -q '^failed in round 1: exit status 1 .*Input/output error.*; moved 2,[0-9,]* of 8,388,608 bytes$'
	row sgstream:sg-mmap | grep -q '^failed in round 1: exit status 3 .*Medium Error.*; moved 2,359,296 of 8,388,608 bytes$'
	is '.exit_status == 1 and (.contenders | all(.[]; .status == "failed" and .bytes_per_second == null and
		(.rounds | all(.[]; .bytes_per_second == null))))' "$R/medium.json"
}

@test "exit status 0 and too few bytes: failed all the same" {
	scene_is_done lab_faults
	result short
	exits 1
	row sgm_dd | grep -q '^failed in round 1: said: .*residual counts=[0-9]*; moved [78],[0-9,]* of 8,388,608 bytes$'
	is '.contenders | all(.[]; .status == "failed" and .rounds[0].exit_status == 0 and
		.moved_bytes < 8388608 and .bytes_per_second == null)' "$R/short.json"
}

@test "a tool that says more than the drive sent is not believed" {
	scene_is_done lab_faults
	result liar
	exits 1
	row dd | grep -q '^failed in round 1: the drive sent [0-9]* bytes of 8388608'
	is '.contenders | map(.status) == ["failed", "ok"] and .[0].rounds[0].exit_status == 0 and .[1].ratio == null' "$R/liar.json"
}

# ---- blocks and nodes ----

lab_nodes() {
	limit=100
	lab-reload "dev_size_mb=8 delay=0 sector_size=4096"
	record large "$ROOT/scripts/ab" --contenders sgm_dd,ddpt,fio-sg --rounds 1 --json large.json /dev/sda
	record odd "$ROOT/scripts/ab" --bs 512 /dev/sg0
	cp large.json "$LAB_OUT"
	lab-reload "dev_size_mb=8 delay=0 no_uld=1"
	record only-sg "$ROOT/scripts/ab" --contenders sgm_dd,dd,sg_dd-dio --rounds 1 /dev/sg0
}

@test "blocks of 4096 bytes: all read all of it" {
	scene_is_done lab_nodes
	result large
	exits 0
	is '.device.block_bytes == 4096 and (.contenders | all(.[]; .status == "ok" and .rounds[0].bytes == 8388608))' "$R/large.json"
	is '.contenders[0].command == ["sgm_dd", "if=/dev/sg0", "of=/dev/null", "bs=4096", "bpt=16", "count=2048", "time=1"]' "$R/large.json"
	result odd
	exits 2
	[ "$(wc -l <err)" -eq 1 ]
	has err "--bs 512" "4096"
}

@test "a drive that only sg shows, and direct I/O that is not allowed" {
	scene_is_done lab_nodes
	result only-sg
	exits 0
	row sgm_dd | grep -q ' 8,388,608  tool, commands$'
	row dd | grep -q '^skipped: /dev/sg0 has no block node'
	row sg_dd-dio | grep -q '^skipped: .*echo 1 > /sys/module/sg/parameters/allow_dio$'
}

# ---- a lab of its own ----

@test "--lab: measured there, reported here" {
	status=0
	"$root/scripts/ab" --lab --contenders sgm_dd,dd --rounds 1 --size 4m --json object /dev/sg1 >out 2>err </dev/null 3>&- || status=$?
	exits 0
	row sgm_dd | grep -q ' 4,194,304  tool, commands$'
	row dd | grep -q ' 4,194,304  tool, drive$'
	is '.argv[0] == "--lab" and .host.kernel != "'"$(uname -r)"'"' object
}
