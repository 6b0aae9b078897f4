#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Who may read what, by which name, and what is no drive.
# shellcheck disable=SC2317,SC2154,SC2030,SC2031 # lab_ functions run inside

load ../helpers
load lab

setup_file() { boot --scsi-debug none; }
setup() { prepare; }
teardown() { conclude; }

# ---- permissions ----

lab_group() {
	lab-reload "dev_size_mb=8 delay=0 add_host=2"
	chgrp disk /dev/sg* /dev/sd* /dev/bsg/*
	chmod 640 /dev/sg* /dev/sd* /dev/bsg/*
	local engine member=(setpriv --reuid 65534 --regid 6 --clear-groups --bounding-set=-all --inh-caps=-all)
	while read -r engine; do
		record "member-$engine" "${member[@]}" "$SGSTREAM" --json --digest -e "$engine" /dev/sg0
	done <"$LAB_OUT/engines"
	record member-list "${member[@]}" "$SGSTREAM" list
	record member-id "${member[@]}" sh -c 'id; grep Cap /proc/self/status'
	record stranger setpriv --reuid 65534 --regid 65534 --clear-groups "$SGSTREAM" --json /dev/sg0
	chmod 0 /dev/sg0
	record hidden-list "${member[@]}" "$SGSTREAM" list
	record hidden-json "${member[@]}" "$SGSTREAM" list --json
	record hidden-named "${member[@]}" "$SGSTREAM" list --json /dev/sg0 /dev/sg1
	record hidden-read "${member[@]}" "$SGSTREAM" --json /dev/sg0
	sgs hidden-root --json /dev/sg0
}

@test "read permission is enough: a member of the group without any capability" {
	scene_is_done lab_group
	local engine
	result member-id
	has out "uid=65534" "gid=6(disk)"
	grep -q '^CapEff:	0000000000000000$' out
	for engine in sg-mmap sg-dio sg-copy direct buffered; do
		result "member-$engine"
		is_good_run
		is '.runs[0].total.bytes == 8388608'
	done
	while read -r engine; do
		result "member-$engine"
		[ "$status" -ne 0 ] || continue
		is_refusal_with_object "$status" "/dev/s" "use -e"
	done <"$R/engines"
	result member-list
	exits 0
	has_not out "PROBLEM"
	result stranger
	is_refusal_with_object 15 "/dev/sg0" "read permission" "root:disk 0640" "sudo" "group disk"
}

@test "a node that may not be read is a row of the list, with the reason, and the list is good" {
	scene_is_done lab_group
	result hidden-list
	exits 0
	empty err
	grep -q '^/dev/sg0 .*/dev/sda .*0:0:0:0.* disk .*scsi_debug.*8.39 MB.*read permission' out
	grep -q '^/dev/sg1 .*/dev/sdb .*8.39 MB' out
	result hidden-json
	exits 0
	object
	is '.status == "ok" and (.devices | map(.readable) == [false, true])'
	is '.devices[0] | .block_path == "/dev/sda" and .hctl == "0:0:0:0" and .blocks == 16384 and
		.problem.code == "no_permission" and (.problem.text | contains("root:disk 0000"))'
	result hidden-named
	exits 15
	object
	is '.devices | map(.readable) == [false, true]'
	result hidden-read
	is_refusal_with_object 15 "/dev/sg0" "read permission" "sudo"
	result hidden-root
	is_good_run
}

lab_protected() {
	lab-reload "dev_size_mb=8 delay=0 wp=1"
	local engine
	for engine in sg-mmap sg-dio sg-copy direct buffered; do
		sgs "protected-$engine" --json -e "$engine" /dev/sg0
	done
}

@test "a write-protected drive is read" {
	scene_is_done lab_protected
	local engine
	for engine in sg-mmap sg-dio sg-copy direct buffered; do
		result "protected-$engine"
		is_good_run
		is '.runs[0].total.bytes == 8388608'
	done
}

# ---- names ----

lab_names() {
	lab-reload "dev_size_mb=8 delay=0 add_host=3 per_host_store=1"
	local name
	for name in sda sdb sdc; do head -c 8388608 /dev/urandom >/dev/$name; done
	sgs names-list list --json
	sgs names-one list --json /dev/sdb
	mkdir by-id
	ln -s /dev/sg1 by-id/scsi-generic
	ln -s ../by-id/wwn by-id/wwn-link
	ln -s /dev/sdb by-id/wwn
	mknod copy-of-sg1 c 21 1
	sgs names-sg --json --digest -e sg-mmap /dev/sg1
	sgs names-sd --json --digest -e sg-mmap /dev/sdb
	sgs names-generic --json --digest by-id/scsi-generic
	sgs names-wwn --json --digest -e sg-mmap by-id/wwn-link
	sgs names-bsg --json --digest -e sg-mmap /dev/bsg/1:0:0:0
	sgs names-node --json --digest copy-of-sg1
	sgs names-block --json --digest -e direct by-id/scsi-generic
	sgs names-other --json --digest /dev/sg2
	sgs names-default --json --digest by-id/wwn
	mknod nobody c 21 77
	mknod nothing b 8 160
	sgs names-nobody --json nobody
	sgs names-nothing --json nothing
	sgs names-missing --json /dev/sg9
	sgs names-mixed --json /dev/sg0 /dev/sdb
	sgs names-twice --json -e sg-mmap /dev/sg1 /dev/sdb
	echo 1 >/sys/class/scsi_device/0:0:0:0/device/delete
	sgs names-gap list --json
	sgs names-after-gap --json --digest -e sg-mmap /dev/sdb
}

@test "one drive by each of its names, with its identity" {
	scene_is_done lab_names
	local name digest
	result names-sg
	digest=$(json '.runs[0].total.digest')
	for name in sg sd generic wwn bsg node block after-gap; do
		result "names-$name"
		is_good_run
		[ "$(json '.runs[0].total.digest')" = "$digest" ]
		is '.runs[0].devices[0] | .hctl == "1:0:0:0" and .block_path == "/dev/sdb" and
			.vendor == "Linux" and .product == "scsi_debug" and .revision == "0191" and
			.serial == "4000" and (.lu_name | startswith("naa.3")) and
			.controller.driver == "scsi_debug" and .controller.host == 1'
	done
	result names-default
	is_good_run
	is '.runs[0].engine == "buffered"'
	[ "$(json '.runs[0].total.digest')" = "$digest" ]
	result names-other
	is_good_run
	[ "$(json '.runs[0].total.digest')" != "$digest" ]
	is '.runs[0].devices[0].serial == "6000"'
}

@test "the list pairs sg and block nodes as sysfs does, also with a gap" {
	scene_is_done lab_names
	result names-list
	exits 0
	object
	is '.devices | map([.sg_path, .block_path, .hctl, .serial]) == [
		["/dev/sg0", "/dev/sda", "0:0:0:0", "2000"],
		["/dev/sg1", "/dev/sdb", "1:0:0:0", "4000"],
		["/dev/sg2", "/dev/sdc", "2:0:0:0", "6000"]]'
	is '.devices | all(.[]; .readable and .problem == null and .type == "disk" and
		.limits.queue_depth > 0 and .limits.max_transfer_bytes == 524288 and
		.limits.dma_alignment_bytes == 4 and .limits.scheduler == "mq-deadline" and
		.limits.read_ahead_bytes == 1048576)'
	result names-one
	object
	is '.devices | length == 1 and (.[0] | .path == "/dev/sdb" and .sg_path == "/dev/sg1")'
	result names-gap
	object
	is '.devices | map([.sg_path, .block_path]) == [["/dev/sg1", "/dev/sdb"], ["/dev/sg2", "/dev/sdc"]]'
}

@test "nodes behind which there is nothing; nodes of two kinds; one drive twice" {
	scene_is_done lab_names
	result names-nobody
	is_refusal_with_object 15 "nobody" "sgstream list"
	result names-nothing
	is_refusal_with_object 15 "nothing" "no device" "sgstream list"
	result names-missing
	is_refusal_with_object 15 "/dev/sg9" "no such" "sgstream list"
	result names-mixed
	is_refusal_with_object 31 "/dev/sg0" "sg-mmap" "/dev/sdb" "buffered" "-e"
	result names-twice
	is_good_run
	is '[.messages[] | select(.code == "same_unit")] | length == 1'
	has err "/dev/sg1" "/dev/sdb" "one logical unit" "twice"
}

# ---- other devices ----

lab_sg_only() {
	lab-reload "dev_size_mb=8 delay=0 no_uld=1 add_host=2"
	local engine
	sgs only-list list --json
	for engine in sg-mmap sg-dio sg-copy direct buffered; do
		sgs "only-$engine" --json -e "$engine" /dev/sg1
	done
	sgs only-default --json /dev/sg1
}

@test "drives that only sg shows are listed and read" {
	scene_is_done lab_sg_only
	local engine
	result only-list
	exits 0
	object
	is '.devices | length == 2 and all(.[]; .block_path == null and .readable and .blocks == 16384)'
	for engine in sg-mmap sg-dio sg-copy; do
		result "only-$engine"
		is_good_run
		is '.runs[0].total.bytes == 8388608 and (.runs[0].devices[0] | has("block_path") | not)'
	done
	result only-default
	is_good_run
	is '.runs[0].engine == "sg-mmap"'
	for engine in direct buffered; do
		result "only-$engine"
		is_refusal_with_object 15 "/dev/sg1" "no block node" "-e sg-mmap"
	done
}

lab_partition() {
	lab-reload "dev_size_mb=8 delay=0 num_parts=1"
	head -c 8388608 /dev/urandom >/run/image
	# the partition table stays, the rest is random
	dd if=/run/image of=/dev/sda bs=512 skip=1 seek=1 conv=notrunc,fsync 2>/dev/null
	blockdev --getsize64 /dev/sda1 >"$LAB_OUT/partition-bytes.note"
	note partition-start "$(</sys/block/sda/sda1/start)"
	local engine
	for engine in sg-mmap sg-dio sg-copy; do
		sgs "partition-$engine" --json -e "$engine" /dev/sda1
	done
	for engine in direct buffered; do
		sgs "partition-$engine" --json --digest -e "$engine" --bs 512 /dev/sda1
	done
	dd if=/dev/sda1 of="$LAB_OUT/partition.img" bs=64k 2>/dev/null
	sgs partition-list list --json /dev/sda1
	sgs partition-engines list --engines /dev/sda1
}

@test "a partition is refused by the SCSI engines, with the whole disk's name, and read by the others" {
	scene_is_done lab_partition
	local engine
	for engine in sg-mmap sg-dio sg-copy; do
		result "partition-$engine"
		is_refusal_with_object 15 "/dev/sda1 is a partition" "whole" "give /dev/sda " "-e direct"
	done
	sgs --json --digest --bs 512 "$R/partition.img"
	local digest
	digest=$(json '.runs[0].total.digest')
	for engine in direct buffered; do
		result "partition-$engine"
		is_good_run
		is ".runs[0].total.bytes == $(noted partition-bytes)"
		[ "$(json '.runs[0].total.digest')" = "$digest" ]
	done
	result partition-list
	object
	is ".devices[0] | .path == \"/dev/sda1\" and .blocks * .block_bytes == $(noted partition-bytes)"
	result partition-engines
	grep -q '^sg-mmap  *no .*/dev/sda1 is a partition' out
	grep -q '^direct  *yes' out
}

lab_types() {
	local type
	for type in 1 5 13 20; do
		lab-reload "dev_size_mb=8 delay=0 ptype=$type"
		sgs "type-$type" --json /dev/sg0
		sgs "type-$type-list" list --json
	done
}

@test "tapes, enclosures and the like are refused by their type; CD and zoned drives are read" {
	scene_is_done lab_types
	local pair
	for pair in '1 a tape (type 01h)' '13 an enclosure (type 0dh)'; do
		result "type-${pair%% *}"
		is_refusal_with_object 15 "/dev/sg0 is ${pair#* }" "disk"
		result "type-${pair%% *}-list"
		exits 0
		object
		is '.devices | length == 1 and (.[0] | .readable == false and .problem.code == "wrong_device_type")'
	done
	for pair in '5 CD or DVD drive' '20 zoned disk'; do
		result "type-${pair%% *}"
		is_good_run
		is '.runs[0].total.bytes == 8388608'
		result "type-${pair%% *}-list"
		object
		is ".devices[0] | .readable and .type == \"${pair#* }\""
	done
}

# Everything but NUL that a drive may have in its strings
lab_inquiry() {
	lab-reload "dev_size_mb=8 delay=0"
	local parameters=/sys/module/scsi_debug/parameters
	printf '\e[2J\a"\\x' >$parameters/inq_vendor
	printf '\x01\xff\xc3(%%s\t</b>\r\x9b1m' >$parameters/inq_product
	printf '\x7f\x80"1' >$parameters/inq_rev
	echo 1 >"$D/add_host"
	until_true test -e /dev/sg1
	until_true test -e /dev/sdb
	sgs inquiry-text -v /dev/sg1
	sgs inquiry-several -v /dev/sg0 /dev/sg1
	sgs inquiry-json --json /dev/sg1
	sgs inquiry-list list -v
	sgs inquiry-engines list --engines
	sgs inquiry-list-json list --json --engines
	sgs inquiry-error /dev/sg1 --offset 5G
}

@test "what a drive calls itself cannot reach the terminal or break the JSON" {
	scene_is_done lab_inquiry
	local name
	for name in text several list engines; do
		result "inquiry-$name"
		exits 0
		printable out
		printable err
	done
	result inquiry-text
	has out '?[2J?"\x' '???(%s?</b>'
	result inquiry-error
	exits 1
	printable err
	result inquiry-json
	is_good_run
	is '.runs[0].devices[0] | (.vendor == "?[2J?\"\\x") and (.product | startswith("???(%s?</b>?"))'
	is '[.runs[0].devices[0] | .vendor, .product, .revision, .serial, .lu_name
		| test("^[ -~]*$")] | all'
	result inquiry-list-json
	exits 0
	object
	is '.devices | length == 2 and (.[1].vendor == "?[2J?\"\\x")'
}

lab_no_scsi() {
	lab-modprobe loop
	until_true test -e /dev/loop0
	lab-reload "dev_size_mb=8 delay=0"
	head -c 1000448 /dev/urandom >image
	losetup /dev/loop0 image
	sgs loop-mmap --json -e sg-mmap /dev/loop0
	sgs loop-default --json --digest /dev/loop0
	sgs loop-again --json --digest /dev/loop0
	sgs loop-file --json --digest image
	sgs loop-direct --json -e direct image
	sgs loop-engines list --engines /dev/loop0
	sgs loop-empty --json /dev/loop1
	losetup -d /dev/loop0
}

@test "what is no SCSI device says so, and which engine serves; no way of reading is taken for another" {
	scene_is_done lab_no_scsi
	result loop-mmap
	is_refusal_with_object 15 "/dev/loop0" "no SCSI device" "-e direct" "-e buffered"
	has_not err "Success"
	local digest
	digest=$(json '.runs[0].total.digest' "$R/loop-file.out")
	for name in default again; do
		result "loop-$name"
		is_good_run
		is '.runs[0] | .engine == "buffered" and .total.bytes == 1000448 and .total.transfer.cached == 16'
		[ "$(json '.runs[0].total.digest')" = "$digest" ]
	done
	result loop-direct # tmpfs of the lab's kernel has no direct I/O
	is_refusal_with_object "$status" "image" "direct I/O" "-e buffered"
	result loop-engines
	grep -q '^sg-mmap  *no .*no SCSI device' out
	result loop-empty
	is_refusal_with_object 2 "/dev/loop1" "capacity of 0"
}

# ---- writing ----

lab_output() {
	lab-reload "dev_size_mb=8 delay=0"
	head -c 8388608 /dev/urandom >/run/image
	cat /run/image >/dev/sda
	sgs output-disk "--json=/dev/sda" -c 1 /dev/sg0
	sgs output-sg "--json=/dev/sg0" -c 1 /dev/sg0
	ln -s /dev/sda harmless.json
	sgs output-link "--json=harmless.json" -c 1 /dev/sg0
	sgs output-list list "--json=/dev/sda"
	dmesg -C
	sgs output-kmsg "--json=/dev/kmsg" --bogus # as /dev/mem, it has major 1 and is no sink
	dmesg >"$LAB_OUT/kmsg"
	sgs output-of if=/dev/sg0 of=/dev/sda
	sync
	cmp /run/image /dev/sda
}

@test "nothing is written to a device, not even the result" {
	scene_is_done lab_output # which compares the drive's content
	local name
	for name in disk sg link list; do
		result "output-$name"
		[ "$status" -eq 1 ] || exits 15
		is_refusal "$status" "--json="
	done
	result output-kmsg
	[ "$status" -ne 0 ]
	has_not "$R/kmsg" schema
	result output-of
	is_refusal 1 "of=/dev/sda" "only reads"
}

# A node that gets the number of a closed standard stream would be sent the program's words.
lab_closed() {
	lab-reload "dev_size_mb=8 delay=0"
	local engine
	for engine in sg-async sg-mmap direct; do
		"$SGSTREAM" -e "$engine" --loop --runtime 800ms --interval 100ms /dev/sg0 <&- >&- 2>&- &
		pid=$!
		sleep 0.5
		for stream in 0 1 2; do readlink "/proc/$pid/fd/$stream" || echo closed; done >"$LAB_OUT/closed-$engine.note"
		wait $pid || true
	done
}

@test "no node takes the place of a standard stream that is closed" {
	scene_is_done lab_closed
	local engine
	for engine in sg-async sg-mmap direct; do
		[ "$(noted "closed-$engine" | wc -l)" -eq 3 ]
		has_not "$R/closed-$engine.note" "/dev/sg" "/dev/sd" eventfd
	done
}

# ---- no driver; the last in this boot ----

lab_no_driver() {
	lab-reload none
	sgs none-list list --json
	sgs none-text list
	sgs none-read --json /dev/sg0
	rmmod sg
	sgs gone-list list --json
	sgs gone-read --json /dev/sg0
	lab-modprobe scsi_debug dev_size_mb=8 delay=0
	until_true test -e /dev/sda
	sgs gone-mmap --json -e sg-mmap /dev/sda
	sgs gone-direct --json -e direct /dev/sda
}

@test "no drive, and no sg driver: said, with modprobe sg" {
	scene_is_done lab_no_driver
	result none-list
	exits 0
	object
	is '.devices == []'
	result none-text
	exits 0
	has out "no sg devices"
	result none-read
	is_refusal_with_object 15 "/dev/sg0" "sgstream list"
	result gone-list
	is_refusal 15 "modprobe sg"
	object
	is '.status == "error" and .devices == []'
	for name in read mmap; do
		result "gone-$name"
		is_refusal_with_object 15 "/dev/s" "modprobe sg" "-e sgio"
	done
	result gone-direct
	is_good_run
	is '.runs[0].total.bytes == 8388608'
}
