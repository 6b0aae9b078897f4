#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Drives of other kinds: 4096-byte sectors behind 512, protection information, zones, removable
# media; and what must not be written over.
# shellcheck disable=SC2317,SC2154,SC2030,SC2031 # lab_ functions run inside

load ../helpers
load lab

setup_file() { boot --allow-dio 1 --mem 768M --scsi-debug none; }
setup() { prepare; }
teardown() { conclude; }

lab_kinds() {
	local kind engine
	while read -r kind parameters; do
		lab-reload "dev_size_mb=8 delay=0 $parameters"
		sgs "kind-$kind-list" list --json
		for engine in sg-mmap sg-copy bsg direct; do
			sgs "kind-$kind-$engine" --json --digest -e "$engine" /dev/sg0
		done
	done <<-'END'
		512e physblk_exp=3 lowest_aligned=7
		pi1 dif=1
		pi2 dif=2
		pi3 dif=3 dix=1
		removable removable=1
		protected wp=1
	END
	lab-reload "dev_size_mb=64 delay=0 zbc=managed zone_size_mb=16 zone_nr_conv=2"
	sgs kind-zoned-list list --json
	for engine in sg-mmap sg-copy bsg; do
		sgs "kind-zoned-$engine" --json --digest -e "$engine" /dev/sg0
	done
}

@test "512e, protection types 1 to 3, zoned, removable and write-protected drives are read whole" {
	scene_is_done lab_kinds
	local kind engine digest
	for kind in 512e pi1 pi2 pi3 removable protected; do
		digest=$(json '.runs[0].total.digest' "$R/kind-$kind-sg-mmap.out")
		for engine in sg-mmap sg-copy bsg direct; do
			result "kind-$kind-$engine"
			is_good_run
			is ".runs[0].total | .bytes == 8388608 and .digest == \"$digest\" and .errors.failed == 0"
		done
		result "kind-$kind-list"
		exits 0
		object
	done
	for engine in sg-mmap sg-copy bsg; do
		result "kind-zoned-$engine"
		is_good_run
		is '.runs[0].total.bytes == 67108864'
	done
	result kind-512e-list
	is '.devices[0] | .block_bytes == 512 and .physical_block_bytes == 4096'
	result kind-pi2-list
	is '.devices[0].protection_type == 2'
	result kind-pi3-list
	is '.devices[0].protection_type == 3'
	result kind-removable-list
	is '.devices[0].removable'
	result kind-zoned-list
	is '.devices[0].type == "zoned disk"'
}

# Every second command fails its guard check; the next try is good.
lab_guard() {
	lab-reload "dev_size_mb=8 delay=0 dif=1"
	sgs guard-clean --json --digest /dev/sg0
	arm 0x20 7
	local engine
	for engine in sg-mmap sg-dio sg-copy sg-async sgio bsg; do
		sgs "guard-$engine" --json --digest --on-error skip -e "$engine" /dev/sg0
	done
	disarm
}

@test "a wrong guard that the way made is tried again, and no block is lost" {
	scene_is_done lab_guard
	local engine digest
	digest=$(json '.runs[0].total.digest' "$R/guard-clean.out")
	for engine in sg-mmap sg-dio sg-copy sg-async sgio bsg; do
		result "guard-$engine"
		is_good_run
		is ".runs[0].total | .digest == \"$digest\" and .errors.aborted >= 5 and
			.errors.retried == .errors.aborted and .bad_blocks == 0"
	done
}

lab_lists() {
	lab-reload "dev_size_mb=8 delay=0"
	head -c 8388608 /dev/urandom >/run/image
	cat /run/image >/dev/sda
	ln -s /dev/sda link
	ln -s /dev/sg0 link-to-sg
	local name
	for name in /dev/sda link /dev/sg0 link-to-sg; do
		sgs "list-${name##*/}" --on-error skip --bad-list "$name" -c 1 /dev/sg0
		sgs "out-${name##*/}" -o "$name" -c 1 /dev/sg0
	done
	echo old >regular
	ln -s regular link-to-regular
	sgs list-good --on-error skip --bad-list link-to-regular -c 1 /dev/sg0
	test -L link-to-regular
	cp regular "$LAB_OUT/regular"
	sync
	cmp /run/image /dev/sda
}

@test "no list and no output is written over a device, also not through a link" {
	scene_is_done lab_lists # which compares the drive's content
	local name
	for name in sda link sg0 link-to-sg; do
		result "list-$name"
		[ "$status" -ne 0 ]
		one_line err
		has err "--bad-list"
		result "out-$name"
		[ "$status" -ne 0 ]
		one_line err
		has err "--output"
	done
	result list-good
	exits 0
	grep -qx $'device\tfirst_lba\tblocks\tblock_bytes' "$R/regular"
}
