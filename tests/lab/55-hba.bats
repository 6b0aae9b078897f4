#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# The real drivers of a RAID controller and two SAS or paravirtual HBAs, over emulated hardware,
# on two CPUs.
# shellcheck disable=SC2317,SC2154 # lab_ functions run inside

load ../helpers
load lab

# Each HBA's drives have a content of their own.
setup_file() {
	export CONTENT=$BATS_FILE_TMPDIR
	head -c 2097152 /dev/urandom >"$CONTENT/virtio"
	head -c 2097152 /dev/urandom >"$CONTENT/mptsas"
	seconds=400 boot --kernel qemu --allow-dio 1 --hba megaraid_sas:8 --hba "virtio-scsi:1:$CONTENT/virtio" \
		--hba "mptsas:1:$CONTENT/mptsas"
}
setup() { prepare; }
teardown() { conclude; }

lab_raid() {
	sgs list list --json
	sgs raid --json -q 4 --count 40 /dev/sg[0-7]
	sgs raid-dio --json -e sg-dio -q 8 --count 40 /dev/sg[0-7]
}

@test "megaraid_sas: every drive is listed with its controller" {
	scene_is_done lab_raid
	result list
	exits 0
	is '[.devices[] | select(.controller.driver == "megaraid_sas")] |
		[.[] | .sg_path] == [range(8) | "/dev/sg\(.)"] and
		[.[] | .serial] == [range(8) | "lab-0-\(.)"] and
		all(.controller.host == 0 and (.controller.pci | test("^0000:")) and .controller.can_queue > 8)'
	is '[.devices[] | .controller.driver] == ([range(8) | "megaraid_sas"] + ["virtio_scsi", "mptsas"])'
}

@test "megaraid_sas: eight drives at depth, each reads all, the total is the sum of the parts" {
	scene_is_done lab_raid
	local name
	for name in raid raid-dio; do
		result "$name"
		is_good_run
		is '.runs[0] | [.devices[] | [.bytes, .commands]] == [range(8) | [40 * 65536, 40]] and
			.total.bytes == 8 * 40 * 65536 and .total.commands == 320 and
			.total.in_flight.max <= 8 * .queue_depth'
	done
	is '.runs[0].total.transfer == {"mapped": 0, "direct": 320, "copied": 0, "cached": 0}'
}

lab_content() {
	local engine node
	while read -r engine; do
		for node in sg8 sg9; do
			sgs "$node-$engine" --json --digest -q 4 -e "$engine" "/dev/$node"
		done
	done <"$LAB_OUT/engines"
}

# The digest of a file, as the host has it
digest_of() { "$SGSTREAM" --json --digest -e buffered "$1" 2>/dev/null | jq -r '.runs[0].total.digest'; }

@test "virtio_scsi and mptsas: the same content through every engine, as the host has it" {
	scene_is_done lab_content
	local engine node good=0
	declare -A digest=([sg8]=$(digest_of "$CONTENT/virtio") [sg9]=$(digest_of "$CONTENT/mptsas"))
	[ "${digest[sg8]}" != "${digest[sg9]}" ]
	for engine in $(<"$R/engines"); do
		for node in sg8 sg9; do
			result "$node-$engine"
			if [ "$engine" = uncached ] && [ "$status" -ne 0 ]; then
				has err "needs Linux 6.14"
				continue
			fi
			is_good_run
			is ".runs[0].engine == \"$engine\" and .runs[0].total.bytes == 2097152 and
				.runs[0].total.digest == \"${digest[$node]}\""
			good=$((good + 1))
		done
	done
	[ "$good" -ge 20 ]
}
