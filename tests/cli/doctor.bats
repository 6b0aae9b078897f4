#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# sgstream doctor without a device: usage, and a host made of files.

load ../helpers

setup() {
	prepare
	random file 100000
	export SGSTREAM_SYSFS=$T/sys SGSTREAM_PROCFS=$T/proc
	mkdir -p sys/class/scsi_generic sys/module/sg/parameters sys/kernel/mm/transparent_hugepage proc
	echo 1 >sys/module/sg/parameters/allow_dio
	echo '[always] madvise never' >sys/kernel/mm/transparent_hugepage/enabled
}

teardown() { conclude; }

@test "usage" {
	local value
	refused 1 "--bogus" "--help" -- doctor --bogus
	refused 1 "--qd" "--help" -- doctor --qd 4
	for value in x 1.5 -4k '' 0 0blk; do
		refused 1 "--bs" "'$value'" -- doctor --bs "$value"
	done
	refused 1 "--bs" "1 GiB" "smaller" -- doctor --bs 2G
	json_last='' refused 1 "--bs needs a value" -- doctor --bs
	sgs doctor --help
	exits 0
	has out "Usage: sgstream doctor" "--bs" "--json" "--verbose"
	empty err
}

@test "a refusal with --json has no findings, and no runs" {
	sgs doctor --json --bs x
	exits 1
	object
	is '.command == "doctor" and .findings == [] and (has("runs") | not)'
}

@test "a device that is not there, and one that is none" {
	refused_object() {
		sgs doctor --json "$@"
		exits 15
		object
		is '.status == "error" and (.findings | length > 0 and all(.[]; .scope == "host")) and
			(.messages | length == 1)'
		one_line err
	}
	refused_object /nonexistent
	refused_object /dev/null
	refused_object "$T"
	sgs doctor /nonexistent file
	exits 15
	one_line err
	has out "host: " "file: "
}

@test "a host without a fault" {
	sgs doctor
	exits 0
	empty err
	has out "host: 3 ok" "Do first: nothing"
	sgs doctor -v
	has out "sg driver is loaded" "allow_dio is 1"
	sgs doctor --json
	object
	is '.status == "ok" and (.findings | all(.[]; .level == "ok" and .scope == "host" and .fix == null))'
}

@test "findings, the worst first, and what to do first" {
	local sudo=
	[ "$(id -u)" -eq 0 ] || sudo='sudo '
	rmdir sys/class/scsi_generic
	echo 0 >sys/module/sg/parameters/allow_dio
	sgs doctor
	exits 0
	[ "$(sed -n '2s/ \+/ /gp' out | cut -d' ' -f2)" = problem ]
	has out "fix: ${sudo}modprobe sg" "allow_dio is 0"
	[ "$(tail -n 1 out)" = "Do first, for the host (sg_driver): ${sudo}modprobe sg" ]
	sgs doctor --json=object.json
	exits 0
	has out "modprobe sg"
	object object.json
	is '.findings[0] | .check == "sg_driver" and .level == "problem"' object.json
}

@test "what stands in /proc does not reach the terminal as it is" {
	mkdir -p sys/class/dmi/id
	printf 'ev\e[31mil\xff\n' >sys/class/dmi/id/sys_vendor
	printf 'flags\t: fpu hypervisor\n' >proc/cpuinfo
	sgs doctor
	exits 0
	printable out
	has out "ev?[31mil?"
	sgs doctor --json
	object
	printable out
}
