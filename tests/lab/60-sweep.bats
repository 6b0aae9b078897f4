#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Sweeping over drives: what lies between cells, cells beyond a limit, settings of the host cell by
# cell, and what is left of a sweep whose drive or process dies.
# shellcheck disable=SC2317,SC2154,SC2016 # lab_ functions run inside

load ../helpers
load lab

setup_file() {
	inside="settings done_cells" boot --scsi-debug "add_host=2 per_host_store=1 dev_size_mb=32 delay=0"
}

setup() { prepare; }
teardown() { conclude; }

# ---- for use inside ----

# Read-ahead and scheduler of the first drive
settings() { cat /sys/block/sda/queue/read_ahead_kb /sys/block/sda/queue/scheduler; }

# The file has at least so many cells.
done_cells() { grep -qsE "\"cells_done\": ($2)," "$1"; }

# ---- the matrix ----

lab_matrix() {
	sgs matrix sweep -v -b 4k..64k -q 1..8 --loop --runtime 200ms --json=matrix.json /dev/sg0
	cp matrix.json "$LAB_OUT"
}

@test "5 x 4 cells, and less than a quarter of a second between two" {
	scene_is_done lab_matrix
	result matrix
	exits 0
	has out "/dev/sg0  Linux scsi_debug" "sg-mmap; 20 cells of 200 ms in random order" "QD 8" "64 KiB" "* " "best  "
	sed -n '/^MB/,/^$/s/^/# /p' out >&3
	cp "$R/matrix.json" out
	object
	figures_fit
	is '.status == "ok" and (.runs | length == 20)'
	is '. as $all | [.sweep.cells[] | . as $cell | $all.runs[.run] | .bs_bytes == $cell.bs_bytes and
		.queue_depth == $cell.queue_depth and .engine == "sg-mmap" and .total.transfer.mapped > 0] | all'
	json '"# between two cells: \((.sweep.elapsed_ns - ([.runs[].total.elapsed_ns] | add)) / 20e6 | floor) ms"' >&3
	is '. as $all | (.sweep.elapsed_ns - ([.runs[].total.elapsed_ns] | add)) / 20 < 250e6'
	[ "$(took_ms matrix)" -lt 9000 ]
}

# ---- cells that cannot run ----

lab_limits() {
	echo 64 >/sys/block/sda/queue/max_sectors_kb
	sgs limits sweep --json -b 32k..256k --engines sg-mmap,direct --size 4M /dev/sg0
	echo 512 >/sys/block/sda/queue/max_sectors_kb
	sgs devices sweep --json -b 64k --devices 1,2 --engines sg-mmap,null --size 4M /dev/sg0 /dev/sg1
}

@test "a cell beyond a limit has its reason" {
	scene_is_done lab_limits
	result limits
	exits 0
	object
	is '.sweep.cells | length == 8 and all(.[]; (.run == null) == (.reason != null))'
	is '[.sweep.cells[] | select(.reason != null) | "\(.engine) \(.bs_bytes)"] == ["sg-mmap 131072", "sg-mmap 262144"]'
	is '[.sweep.cells[] | select(.reason != null) | .reason | contains("max_sectors_kb")] | all'
	is '[.messages[] | select(.level == "error")] == []'
}

@test "one device, and two" {
	scene_is_done lab_limits
	result devices
	exits 0
	object
	is '[.sweep.cells[] | .devices] == [1, 2, 1, 2]'
	is '. as $all | .sweep.cells | all(.[]; . as $cell | $all.runs[.run].devices | length == $cell.devices)'
}

# ---- settings of the host ----

lab_settings() {
	settings >"$LAB_OUT/before"
	sgs settings sweep --json -b 64k --engines buffered,direct --read-ahead 0,256k --scheduler none,mq-deadline \
		--size 4M /dev/sg0
	settings >"$LAB_OUT/after"
	start killed sweep --json=killed.json -b 4k..64k --engines buffered --read-ahead 0,256k \
		--loop --runtime 300ms /dev/sda
	until_true done_cells killed.json '[2-9]'
	kill -KILL "$pid"
	finish
	settings_are_back() { [ "$(settings)" = "$(<"$LAB_OUT/before")" ]; }
	until_true settings_are_back
	cp killed.json "$LAB_OUT"
	sgs resumed sweep --json=killed.json -b 4k..64k --engines buffered --read-ahead 0,256k \
		--loop --runtime 300ms /dev/sda
	cp killed.json "$LAB_OUT/resumed.json"
}

@test "settings are made for each cell and put back" {
	scene_is_done lab_settings
	result settings
	exits 0
	object
	is '.sweep.axes | .read_ahead_kib == [0, 256] and .scheduler == ["none", "mq-deadline"]'
	is '. as $all | .sweep.cells | length == 8 and all(.[]; . as $cell | $all.runs[.run].settings |
		(map(select(.name == "read_ahead_kib")) | length == 1 and (.[0] | .to == $cell.read_ahead_kib and .restored)) and
		(map(select(.name == "scheduler")) | length == 1 and (.[0] | .to == $cell.scheduler and .restored)))'
	is '[.runs[] | select(.engine == "buffered") | .devices[0].cache.verdict == "cold"] | all'
	cmp "$R/before" "$R/after"
}

@test "a sweep that was killed has all cells but one, and goes on" {
	scene_is_done lab_settings
	result killed
	exits 137
	cp "$R/killed.json" out
	object
	is '.status == "interrupted" and (.sweep.cells_done | . >= 2 and . < 10)'
	result resumed
	exits 0
	cp "$R/resumed.json" out
	object
	is '.status == "ok" and (.runs | length == 10)'
	is ".sweep.cells_kept == $(json .sweep.cells_done "$R/killed.json")"
}

# ---- a drive that dies ----

lab_death() {
	sweep_it() { "$1" "$2" sweep --json=death.json -b 4k..64k -q 1,2 --engines sg-mmap,direct --loop --runtime 200ms /dev/sg1; }
	sweep_it start death
	until_true done_cells death.json '[3-9]'
	echo 1 >/sys/class/scsi_device/1:0:0:0/device/delete
	finish
	cp death.json "$LAB_OUT"
	echo "- - -" >/sys/class/scsi_host/host1/scan
	until_true test -e /dev/sg1
	until_true test -e /dev/sdb
	sweep_it sgs revived
	cp death.json "$LAB_OUT/revived.json"
}

@test "a drive that has gone ends the sweep; once it is back, the rest is measured" {
	scene_is_done lab_death
	result death
	[ "$status" -ne 0 ]
	[ "$status" -lt 124 ]
	has out "ended early; "
	cp "$R/death.json" out
	object
	is '.status == "partial" and (.sweep.cells_done | . >= 3 and . < 20)'
	is '[.messages[] | select(.level == "error")] | length >= 1'
	result revived
	exits 0
	cp "$R/revived.json" out
	object
	is '.status == "ok" and (.runs | length == 20) and .sweep.cells_kept >= 3'
}
