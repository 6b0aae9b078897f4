#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Settings and page cache where no device is needed: what is refused, and files.

load ../helpers

setup() {
	prepare
	random file 4000000
}

teardown() { conclude; }

# The kernel can drop the pages of files in this folder.
on_disk() { [ "$(stat -f -c %T .)" != tmpfs ]; }

@test "sizes in KiB: what is no multiple, no size, or too large" {
	refused 1 --read-ahead "'1000'" "no multiple of 1 KiB" -- --read-ahead 1000 file
	refused 1 --max-transfer "'64kB'" "no multiple of 1 KiB" -- --max-transfer 64kB file
	refused 1 --read-ahead "'64blk'" -- --read-ahead 64blk file
	refused 1 --read-ahead "'-1'" -- --read-ahead -1 file
	refused 1 --read-ahead "'4T'" "too large" -- --read-ahead 4T file
	json_last='' refused 1 --scheduler -- --scheduler
}

@test "a file has no settings, and says so" {
	refused 1 "file is a regular file" read_ahead_kb "leave --read-ahead out" -- --read-ahead 64k file
	refused 1 "file is a regular file" scheduler -- --scheduler none file
	refused 1 "file is a regular file" max_sectors_kb -- --max-transfer 64k file
	refused 1 "file is a regular file" -- --dry-run --read-ahead 64k file
}

@test "no sg driver, no allow_dio" {
	[ ! -e /sys/module/sg ] || skip "sg is loaded"
	refused 15 --allow-dio "modprobe sg" -- --allow-dio file
}

@test "a run without settings lists none" {
	sgs --json file
	is_good_run
	is '.runs[0].settings == []'
	is '.runs[0].devices[0] | has("cache_drop") | not'
	sgs file
	has_not out settings dropped
}

@test "warm, cold after --drop-caches, warm again" {
	on_disk || skip "the folder is in memory"
	cat file >/dev/null
	sgs --json file
	is_good_run
	is '.runs[0] | .total.cache, .devices[0].cache | .verdict == "warm" and
		.resident_before_bytes == 4000000 and .sampled_bytes == 4000000 and
		.range_bytes == 4000000 and .device_read_bytes == null'
	is '[.messages[] | select(.code == "from_memory" and .level == "warning").device] == ["file"]'
	sync file
	sgs --json --drop-caches file
	is_good_run
	is '.runs[0].devices[0].cache_drop | .done and .ns > 0 and (has("reason") | not)'
	is '.runs[0].total.cache | .verdict == "cold" and .resident_before_bytes == 0'
	is '.messages | all(.code != "from_memory")'
	sgs file
	has out "cache     warm: "
	has err "a figure of memory, not of the drive; use --drop-caches"
	sgs --drop-caches --quiet file
	has out "dropped   page cache in " "cache     cold: 0 of "
	empty err
}

@test "dirty pages are waited for" {
	on_disk || skip "the folder is in memory"
	random file 4000000
	sgs --json --drop-caches file
	is_good_run
	is '.runs[0] | .devices[0].cache_drop.done == (.total.cache.resident_before_bytes == 0)'
}

@test "only what is read is looked at" {
	on_disk || skip "the folder is in memory"
	sgs --drop-caches --size 64k file
	dd if=file of=/dev/null bs=100k count=10 status=none
	sgs --json --size 640k file
	is_good_run
	is '.runs[0].total.cache | .verdict == "warm" and .range_bytes == 655360 and .sampled_bytes == 655360'
	sgs --json --drop-caches file file
	is_good_run
	is '.runs[0].total.cache | .range_bytes == 8000000'
}

@test "engines that pass the cache by are not judged" {
	on_disk || skip "the folder is in memory"
	cat file >/dev/null
	sgs --json -e direct file
	[ "$status" -eq 0 ] || skip "no direct I/O here"
	is_good_run
	is '.runs[0].total | (has("cache") | not) and .transfer.cached == 0'
	is '.messages | all(.code != "from_memory" and .code != "fell_back")'
}

@test "a file in memory stays there, and that is said" {
	[ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip "/dev/shm is no tmpfs"
	local copy
	copy=$(mktemp /dev/shm/sgs.XXXXXX)
	cp file "$copy"
	sgs --json --drop-caches "$copy"
	rm "$copy"
	is_good_run
	is '.runs[0].devices[0].cache_drop | .done == false and (.reason | contains("KiB stay"))'
	is '.runs[0].total.cache.verdict == "warm"'
	is '[.messages[] | select(.code == "cache_not_dropped")] | length == 1'
}
