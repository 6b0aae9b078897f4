#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# sgstream list, as far as no device is needed for it.
# shellcheck disable=SC2030,SC2031 # each test has an environment of its own

load ../helpers

setup() {
	prepare
	random file 1000000
	mkdir -p no-driver no-devices/class/scsi_generic
}

teardown() { conclude; }

@test "without the sg driver" {
	export SGSTREAM_SYSFS=$T/no-driver
	sgs list
	is_refusal 15 "modprobe sg"
	empty out
	sgs list --json
	is_refusal 15 "modprobe sg"
	object
	is '.status == "error" and .exit_status == 15 and .devices == [] and .command == "list"'
	refused 15 "/dev/sg0" "modprobe sg" -- /dev/sg0
}

@test "without a device" {
	export SGSTREAM_SYSFS=$T/no-devices
	sgs list
	exits 0
	empty err
	has out "no sg devices"
	sgs list --engines
	exits 0
	has out "no sg devices"
	sgs list --json
	exits 0
	empty err
	object
	is '.status == "ok" and .devices == []'
}

@test "a file is a row" {
	sgs list file
	exits 0
	empty err
	grep -q '^DEVICE ' out
	grep -q '^file .*1.00 MB' out
	sgs list --json file
	exits 0
	object
	is '.devices | length == 1 and (.[0] | .path == "file" and .sg_path == null and
		.block_path == "file" and .blocks == 1000000 and .readable == true and .problem == null)'
}

@test "what is wrong with one device does not hide the others" {
	mkdir folder
	sgs list file /nonexistent folder
	exits 15
	[ "$(wc -l <err)" -eq 2 ]
	messages_only err
	has err "/nonexistent" "folder is a directory"
	grep -q '^file ' out
	grep -q '^/nonexistent ' out
	grep -q '^folder ' out
	sgs list --json /nonexistent file
	exits 15
	object
	is '.devices | map(.readable) == [false, true]'
	is '.devices[0].problem | .code == "no_such_device" and .status == 15'
	is '.status == "error" and .exit_status == 15 and (.messages | length == 1)'
}

@test "the engines that can read it, and why the others cannot" {
	sgs list --engines file
	exits 0
	empty err
	grep -q '^buffered  *yes ' out
	grep -q '^direct  *yes ' out
	grep -q '^sg-mmap  *no .*no SCSI device.*-e direct' out
	sgs list --engines --json file
	exits 0
	object
	is '.devices[0].engines | map(select(.runs) | .name) | contains(["buffered", "direct", "null"]) and
		all(.[]; startswith("sg") or . == "bsg" | not)'
	is '.devices[0].engines | map(select(.runs | not)) | length >= 3 and all(.[]; .reason | length > 20)'
}

@test "JSON to a file leaves the table on standard output" {
	sgs list --json=result file
	exits 0
	object result
	grep -q '^file ' out
}

@test "list is a command only as the first word" {
	cp file list
	sgs --json ./list
	is_good_run
	sgs --json read list
	[ "$status" -eq 15 ]
	sgs read --json list
	is_good_run
	sgs --json -- list
	is_good_run
}

# Unpacks what tests/unit/fake_sysfs.h describes: unpack TREE FOLDER
unpack() {
	local line up
	while IFS= read -r line; do
		case $line in
		'' | '#'*) ;;
		*' -> '*)
			mkdir -p "$2/$(dirname "${line%% -> *}")"
			up=${line%% -> *}
			up=${up//[^\/]/}
			ln -sfn "${up//\//../}${line##* -> }" "$2/${line%% -> *}"
			;;
		*': '*)
			mkdir -p "$2/$(dirname "${line%%: *}")"
			printf '%s\n' "${line#*: }" >"$2/${line%%: *}"
			;;
		*) mkdir -p "$2/$line" ;;
		esac
	done <"$1"
}

@test "list --topology draws the way to each drive, and marks what runs below its maximum" {
	unpack "$root/tests/data/sysfs/topology.tree" sys
	export SGSTREAM_SYSFS=$T/sys
	sgs list --topology
	exits 0
	printable out
	has out "node1  CPUs 4-7" "SAS port-0:0  12.0 Gbit x3  3,600 MB/s" "BELOW ITS MAXIMUM of 12.0 Gbit x4, 4,800 MB/s" \
		"0:0:1:0  /dev/sg1  SEAGATE ST4000NM0023" "PCIe 0000:83:00.0  8.0 GT/s x4"
	sgs list --topology --json
	exits 0
	object
	is '.devices | length == 6'
	is '.devices[1].topology | map(.kind) == ["drive", "sas", "expander", "sas", "hba", "pcie", "node"] and
		map(.below_maximum) == [false, true, false, true, false, true, false] and .[1].bytes_per_second == 600000000'
	sgs list --json
	is '.devices[0] | has("topology") | not'
}
