#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Numbers that cannot lie: one digest through every engine, bytes and commands as the device
# counts them, the transfer mode as the driver tells it.
# shellcheck disable=SC2317,SC2154,SC2030,SC2031 # lab_ functions run inside

load ../helpers
load lab

setup_file() {
	mkdir -p "$BATS_FILE_TMPDIR/results"
	random "$BATS_FILE_TMPDIR/results/data" 8388608
	boot --allow-dio 1 --scsi-debug "dev_size_mb=8 delay=0 statistics=1"
}

setup() { prepare; }
teardown() { conclude; }

# The way in which an engine's data comes, as the result counts it
transfer_of() {
	case $1 in
	sg-mmap) echo mapped ;;
	sg-copy) echo copied ;;
	buffered | mmap | uncached) echo cached ;;
	*) echo direct ;;
	esac
}

lab_truth() {
	cat "$LAB_OUT/data" >/dev/sda
	while read -r engine; do
		sgs "truth-$engine" --json --digest -e "$engine" /dev/sg0
	done <"$LAB_OUT/engines"
	for engine in sg-mmap direct; do
		sgs "block-$engine" --json --digest -e "$engine" /dev/sda
	done
	sgs truth-image --json --digest "$LAB_OUT/data"
	sgs truth-text --digest /dev/sg0
	cmp /dev/sda "$LAB_OUT/data"
}

@test "one digest and the capacity in bytes through every engine, by the sg and by the block node" {
	scene_is_done lab_truth
	local engine run digest
	result truth-image
	digest=$(json '.runs[0].total.digest')
	sgs --json --digest "$R/data"
	[ "$(json '.runs[0].total.digest')" = "$digest" ]
	[ "$(wc -l <"$R/engines")" -ge 5 ]
	for run in $(sed 's/^/truth-/' "$R/engines") block-sg-mmap block-direct; do
		engine=${run#*-}
		result "$run"
		if [ "$engine" = uncached ]; then # the lab's kernel is too old
			is_refusal_with_object "$status" RWF_DONTCACHE buffered
			continue
		fi
		is_good_run
		is ".runs[0] | .engine == \"$engine\" and .total.digest == \"$digest\""
		is '.runs[0].total | .bytes == 8388608 and .commands == 128'
		is ".runs[0].total.transfer.$(transfer_of "$engine") == 128"
		is '.runs[0].devices[0] | .block_bytes == 512 and .blocks == 16384 and
			.sg_path == "/dev/sg0" and .block_path == "/dev/sda" and .hctl == "0:0:0:0"'
	done
	result truth-text
	has out "8.39 MB in" "$digest" "128 mapped (no copy)"
}

# bs= of sg_dd is a block length: with bpt=1 it asks for 512 bytes, and counts 65,536.
lab_inflated() {
	local before
	before=$(device_commands)
	record sg_dd sg_dd if=/dev/sg0 of=/dev/null bs=64k bpt=1 count=128 time=1
	note sg_dd $(($(device_commands) - before))
	sgs as-sg_dd --json if=/dev/sg0 of=/dev/null bs=64k count=128
	sgs one-block --json --bs 1blk --count 128 /dev/sg0
}

@test "where sg_dd counts 64 KiB for each block of 512 bytes, sgstream counts what was moved" {
	scene_is_done lab_inflated
	result sg_dd
	exits 0
	grep -q 'MB/sec' err
	# 128 commands of 64 KiB less the residual: 65,536 bytes moved, where 8,388,608 are counted
	[ "$(sed -n 's/.*Non-zero sum of residual counts=//p' err)" -eq $((128 * (65536 - 512))) ]
	local rate
	rate=$(sed -n 's/.* at \([0-9.]*\) MB\/sec.*/\1/p' err)
	echo "# sg_dd bs=64k bpt=1 said $rate MB/s; 1/128 of that was moved" >&3
	result as-sg_dd
	is_good_run
	is '.runs[0] | .bs_bytes == 65536 and .total.bytes == 8388608 and .total.commands == 128'
	result one-block
	is_good_run
	is '.runs[0] | .bs_bytes == 512 and .total.bytes == 65536 and .total.commands == 128'
}

lab_counts() {
	local before
	before=$(device_commands)
	sgs dry --dry-run --json /dev/sg0
	note dry $(($(device_commands) - before))
	for engine in sg-mmap sg-dio sg-copy; do
		before=$(device_commands)
		sgs "count-$engine" --json -e "$engine" -b 4k -q 3 -c 100 /dev/sg0
		note "count-$engine" $(($(device_commands) - before))
	done
}

@test "the device got as many commands as the result counts, and a dry run reads nothing" {
	scene_is_done lab_counts
	local engine discovery=5 # INQUIRY, VPD pages 80h and 83h, READ CAPACITY(10) and (16)
	[ "$(noted dry)" -eq "$discovery" ]
	for engine in sg-mmap sg-dio sg-copy; do
		result "count-$engine"
		is_good_run
		is ".runs[0] | .total.commands == 100 and .total.errors.retried == 0 and
			.total.commands + .devices[0].probe_commands + $discovery == $(noted "count-$engine")"
	done
}

# opts=1: the driver logs every CDB.
lab_only_reads() {
	echo 1 >"$D/opts"
	dmesg -C
	while read -r engine; do
		sgs "reads-$engine" --json -e "$engine" -c 8 /dev/sg0
	done <"$LAB_OUT/engines"
	sgs reads-list list --engines /dev/sg0
	dmesg | sed -n 's/.*scsi_debug: tag.*cmd \(..\) .*/\1/p' >"$LAB_OUT/opcodes"
	echo 0 >"$D/opts"
	cmp /dev/sda "$LAB_OUT/data"
}

@test "nothing but INQUIRY, READ CAPACITY and READ is sent to a drive, and it stays as it was" {
	scene_is_done lab_only_reads
	[ "$(grep -c '^28$' "$R/opcodes")" -ge 40 ]
	sort -u "$R/opcodes" >opcodes
	printf '%s\n' 12 25 28 9e | diff - opcodes
}

lab_mode() {
	local engine
	while read -r engine; do
		[[ $engine == sg-* ]] || continue
		echo 100000000 >"$D/ndelay"
		start "mode-$engine" --json -e "$engine" -c 3 /dev/sg0
		until_true in_flight
		cp /run/in_flight "$LAB_OUT/mode-$engine.note"
		finish
		echo 0 >"$D/ndelay"
		echo 0 >"$D/delay"
	done <"$LAB_OUT/engines"
}

@test "the driver says mapped, direct and copied where the result does" {
	scene_is_done lab_mode
	local pair
	for pair in 'sg-mmap mmap>>' 'sg-dio dio>>' 'sg-copy rb>>'; do
		result "mode-${pair% *}"
		is_good_run
		is ".runs[0].total.transfer | .$(transfer_of "${pair% *}") == 3 and ([.[]] | add) == 3"
		noted "mode-${pair% *}"
		[[ $(noted "mode-${pair% *}") == "${pair#* }"* ]]
	done
}

lab_no_dio() {
	echo 0 >/sys/module/sg/parameters/allow_dio
	sgs no-dio --json --digest -e sg-dio /dev/sg0
	sgs no-dio-text -e sg-dio /dev/sg0
	sgs no-dio-refused --json -e sg-dio --require-zero-copy /dev/sg0
	sgs mmap-zero-copy --json -e sg-mmap --require-zero-copy /dev/sg0
	sgs no-dio-engines list --engines /dev/sg0
	echo 100000000 >"$D/ndelay"
	start no-dio-mode --json -e sg-dio -c 3 /dev/sg0
	until_true in_flight
	note no-dio-mode "$(</run/in_flight)"
	finish
	echo 0 >"$D/ndelay"
	echo 0 >"$D/delay"
	echo 1 >/sys/module/sg/parameters/allow_dio
}

@test "without allow_dio, direct I/O is copied: it is counted, said, and can be forbidden" {
	scene_is_done lab_no_dio
	result no-dio
	is_good_run
	is '.runs[0].total.transfer | .copied == 128 and .direct == 0'
	is '.host.allow_dio == false'
	is '[.messages[] | select(.code == "copied")] | length == 1 and (.[0].text |
		contains("128 of 128") and contains("echo 1 > /sys/module/sg/parameters/allow_dio"))'
	result no-dio-text
	exits 0
	has out "128 copied"
	has err "warning" "copied" "allow_dio" "-e sg-mmap"
	result no-dio-refused
	exits 36
	object
	figures_fit
	is '.status == "ok" and .exit_status == 36 and .runs[0].total.bytes == 8388608'
	has err "--require-zero-copy" "128 of 128"
	result mmap-zero-copy
	is_good_run
	result no-dio-engines
	exits 0
	grep -q '^sg-dio  *but .*allow_dio is 0' out
	result no-dio-mode
	is_good_run
	is '.runs[0].total.transfer.copied == 3'
	[[ $(noted no-dio-mode) != *dio* ]]
}
