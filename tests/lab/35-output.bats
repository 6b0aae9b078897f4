#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# The data itself, in device order, through every engine; and what the engines beside sg and pread
# make of a drive that fails.
# shellcheck disable=SC2317,SC2154,SC2030,SC2031,SC2016 # lab_ functions run inside

load ../helpers
load lab

setup_file() {
	mkdir -p "$BATS_FILE_TMPDIR/results"
	random "$BATS_FILE_TMPDIR/results/data" 8388608
	boot --allow-dio 1 --scsi-debug "dev_size_mb=8 delay=0"
}

setup() { prepare; }
teardown() { conclude; }

# ---- in device order ----

lab_order() {
	cat "$LAB_OUT/data" >/dev/sda
	while read -r engine; do
		[ "$engine" = uncached ] && continue # the lab's kernel is too old
		for depth in 1 5 16; do
			"$SGSTREAM" -e "$engine" -q $depth --bs 20k -o - /dev/sg0 2>/dev/null | cmp - "$LAB_OUT/data"
			echo "$engine $depth"
		done
	done <"$LAB_OUT/engines" >"$LAB_OUT/order"
	"$SGSTREAM" -e io_uring -j 2 -q 7 -o copy /dev/sda >/dev/null
	cmp copy "$LAB_OUT/data"
}

@test "every engine at every depth writes the drive, byte for byte" {
	scene_is_done lab_order
	[ "$(wc -l <"$R/order")" -eq "$((3 * ($(wc -l <"$R/engines") - 1)))" ]
}

# ---- consumers ----

lab_consumers() {
	sgs slow --json=slow.json -o >(sleep 1; sha256sum >"$LAB_OUT/slow.sum") /dev/sg0
	cp slow.json "$LAB_OUT"
	record closed bash -c "\"$SGSTREAM\" /dev/sg0 -o - | head -c 1000000 | wc -c; exit \${PIPESTATUS[0]}"
	sgs full --json=full.json -o /dev/full /dev/sg0
	mkdir small
	mount -t tmpfs -o size=1m small small
	sgs disk --json -o small/file /dev/sg0
	note disk "$(stat -c %s small/file)"
	sgs onto-a-drive -o /dev/sg0 /dev/sg0
	sgs twice-stdout --json -o - /dev/sg0
	sleep 1
}

@test "a slow consumer loses nothing, one that goes ends the run, a full disk says how much is there" {
	scene_is_done lab_consumers
	result slow
	exits 0
	[ "$(cut -d ' ' -f 1 "$R/slow.sum")" = "$(sha256sum <"$R/data" | cut -d ' ' -f 1)" ]
	[ "$(jq .runs[0].output_bytes "$R/slow.json")" -eq 8388608 ]
	result closed
	exits 0
	[ "$(head -1 out)" = 1000000 ]
	has err "closed it after"
	result full
	exits 78
	has err "No space left" "0 bytes are written"
	result disk
	exits 78
	object
	[ "$(json '.runs[0].output_bytes')" = "$(noted disk)" ]
	[ "$(noted disk)" -le 1048576 ]
	result onto-a-drive
	[ "$status" -ne 0 ]
	one_line err
	result twice-stdout
	exits 31
	one_line err
}

# ---- a block that cannot be read: 1234h to 123dh, in the transfer at LBA 4608 ----

lab_hole() {
	lab-reload "dev_size_mb=8 delay=0"
	cat "$LAB_OUT/data" >/dev/sda
	echo 2 >"$D/opts"
	for engine in sg-mmap sg-async sgio bsg direct io_uring; do
		for depth in 1 6; do
			sgs "hole-$engine-$depth" --json -e $engine -q $depth -o "hole-$engine-$depth" /dev/sg0
			note "hole-$engine-$depth" "$(stat -c %s "hole-$engine-$depth")"
			cmp -n "$(stat -c %s "hole-$engine-$depth")" "hole-$engine-$depth" "$LAB_OUT/data"
		done
	done
	for engine in mmap buffered; do
		sgs "hole-$engine-1" --json -e $engine -q 1 -o "hole-$engine" /dev/sg0
	done
}

@test "the output ends where the drive does, through engines that queue too" {
	scene_is_done lab_hole
	local engine depth
	for engine in sg-mmap sg-async sgio bsg direct io_uring; do
		for depth in 1 6; do
			result "hole-$engine-$depth"
			exits 3
			object
			is '.status == "partial" and .runs[0].total.errors.medium >= 1'
			is ".runs[0].output_bytes == $(noted "hole-$engine-$depth")"
			case $engine-$depth in
			direct-6 | io_uring-6) # the block layer merges reads, and all of them fail
				[ "$(noted "hole-$engine-$depth")" -le 2359296 ] ;;
			*) [ "$(noted "hole-$engine-$depth")" -eq 2359296 ] ;;
			esac
		done
	done
	for engine in mmap buffered; do
		result "hole-$engine-1"
		exits 3
		object
		is '.status == "partial" and .runs[0].total.errors.medium == 1 and .runs[0].total.errors.short == 0'
	done
}

# ---- commands that are not answered, drives that leave ----

lab_faults() {
	for engine in sg-async bsg; do
		lab-reload "dev_size_mb=8 ndelay=100000"
		arm 0x80 40
		sgs "timeout-$engine" --json --timeout 500ms -e $engine -q 1 --loop --count 200 /dev/sg0
		disarm
	done
	for engine in sg-async sgio bsg io_uring mmap; do
		lab-reload "dev_size_mb=8 virtual_gb=2 ndelay=2000000"
		node=$(echo /dev/sg[0-9]*)
		start "gone-$engine" --json -e $engine --runtime 15s "$node"
		sleep 0.5
		for delete in /sys/class/scsi_device/*/device/delete; do echo 1 >"$delete"; done
		finish
	done
}

@test "a timeout and a drive that leaves end the run with a report, whatever the engine" {
	scene_is_done lab_faults
	local engine
	for engine in sg-async bsg; do
		result "timeout-$engine"
		exits 33
		object
		is '.runs[0].total.errors.timeout == 1 and .runs[0].total.commands > 10'
	done
	for engine in sg-async sgio bsg io_uring mmap; do
		result "gone-$engine"
		[ "$status" -ne 0 ]
		[ "$status" -lt 124 ]
		object
		is '.status == "partial" and .runs[0].total.bytes > 0'
		[ "$(took_ms "gone-$engine")" -lt 14000 ]
	done
}

# ---- vectors, and pages touched ----

lab_vectors() {
	lab-reload "dev_size_mb=8 delay=0"
	cat "$LAB_OUT/data" >/dev/sda
	sgs plain --json --digest -e direct /dev/sg0
	for engine in direct buffered; do
		sgs "vectors-$engine" --json --digest -e $engine --iovecs 16 /dev/sg0
	done
	sgs vectors-odd -e direct --iovecs 7 /dev/sg0
	sgs vectors-sg --iovecs 16 /dev/sg0
	sgs mapped --json -e mmap /dev/sg0
	sgs touched --json --touch --digest -e sg-mmap /dev/sg0
}

@test "16 vectors of a sixteenth give the same data; mapped pages are counted as faults" {
	scene_is_done lab_vectors
	local engine digest
	result plain
	digest=$(json '.runs[0].total.digest')
	for engine in direct buffered; do
		result "vectors-$engine"
		is_good_run
		[ "$(json '.runs[0].total.digest')" = "$digest" ]
	done
	result vectors-odd
	exits 1
	one_line err
	has err "--iovecs 7" "65536"
	result vectors-sg
	exits 31
	one_line err
	result mapped
	is_good_run
	is '.runs[0].total.page_faults | .minor + .major >= 100'
	result touched
	is_good_run
	[ "$(json '.runs[0].total.digest')" = "$digest" ]
}
