#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# sgstream doctor over real drivers: that it sees what is wrong, that the command it prints mends
# it, and that it changes nothing itself.
# shellcheck disable=SC2317,SC2154 # lab_ functions run inside

load ../helpers
load lab

setup_file() { inside="mend nobody knobs" boot --drives two; }
setup() { prepare; }
teardown() { conclude; }

# ---- inside ----

# Runs the command that stands in a result: mend NAME CHECK SCOPE
mend() {
	local command
	command=$(jq -er --arg check "$2" --arg scope "$3" '.findings[]
		| select(.check == $check and .scope == $scope).fix' "$LAB_OUT/$1.out")
	printf '%s\n' "$command" >"$LAB_OUT/$1.fix"
	(modprobe() { lab-modprobe "$@"; } && export -f modprobe && bash -e -c "$command")
}

# sgs without any rights
nobody() {
	record "$1" setpriv --reuid 65534 --regid 65534 --clear-groups "$SGSTREAM" "${@:2}"
}

# What could be set otherwise, and the nodes. Counters go on by themselves.
knobs() {
	{
		grep -r . /sys/block/sd*/queue /sys/class/scsi_device/*/device/{state,queue_depth,timeout} \
			/sys/module/{sg,scsi_debug}/parameters /proc/scsi/sg/{allow_dio,def_reserved_size} \
			/proc/sys/vm /sys/devices/system/clocksource || true
		ls -l /dev/sg* /dev/sd*
		ulimit -a
	} 2>/dev/null | sort
}

# ---- on the host ----

# One finding of a check: finds CHECK SCOPE LEVEL [WORD]...
finds() {
	local check=$1 scope=$2 level=$3 word
	is ".findings | map(select(.check == \"$check\" and .scope == \"$scope\"))
		| length == 1 and .[0].level == \"$level\""
	for word in "${@:4}"; do
		json ".findings[] | select(.check == \"$check\" and .scope == \"$scope\").text" |
			grep -qF -- "$word" || { echo "$check does not say: $word"; return 1; }
	done
}

fixed_by() { [ "$(<"$R/$1.fix")" = "$2" ] || { echo "the command was: $(<"$R/$1.fix")"; return 1; }; }

looked() {
	result "$1"
	exits 0
	empty err
	object
	is '.status == "ok" and .command == "doctor" and .messages == []'
}

lab_nothing_changes() {
	knobs >"$LAB_OUT/knobs.before"
	sgs all doctor
	sgs verbose doctor -v --bs 1m
	sgs all-json doctor --json
	sgs named doctor --json /dev/sda /dev/sg1
	knobs >"$LAB_OUT/knobs.after"
}

@test "a good host and good drives, and nothing is changed" {
	scene_is_done lab_nothing_changes
	[ "$(wc -l <"$R/knobs.before")" -gt 100 ]
	diff "$R/knobs.before" "$R/knobs.after"
	looked all-json
	is '[.findings[] | select(.level == "warning" or .level == "problem")] == []'
	is '[.findings[].scope] | unique == ["/dev/sg0", "/dev/sg1", "host"]'
	is '.findings | group_by([.check, .scope]) | all(.[]; length == 1)'
	is '.findings | all(.[]; (.level == "ok") <= (.fix == null))'
	finds virtual_machine host info "User-Mode Linux"
	finds held /dev/sg0 ok
	looked named
	is '[.findings[].scope] | unique == ["/dev/sda", "/dev/sg1", "host"]'
	result all
	exits 0
	has out "host: " "/dev/sg0 (/dev/sda): 12 ok" "/dev/sg1 (/dev/sdb): 12 ok"
	[ "$(tail -n 1 out)" = "Do first: nothing; what was found does not hold the default engine back" ]
	result verbose
	has out "ok        it opens and answers"
}

lab_allow_dio() {
	sgs dio-0 doctor --json
	mend dio-0 allow_dio host
	sgs dio-1 doctor --json
	sgs dio-read --json -e sg-dio -c 1 /dev/sg0
	echo 0 >/sys/module/sg/parameters/allow_dio
}

@test "allow_dio, and the command that sets it" {
	scene_is_done lab_allow_dio
	looked dio-0
	finds allow_dio host info "allow_dio is 0" "sg-mmap, the default, does not need it"
	fixed_by dio-0 "echo 1 > /sys/module/sg/parameters/allow_dio"
	looked dio-1
	finds allow_dio host ok
	result dio-read
	is '.runs[0].total.transfer.direct == 1'
}

lab_max_sectors() {
	echo 128 >/sys/block/sda/queue/max_sectors_kb
	sgs small doctor --json --bs 1m /dev/sg0
	sgs small-text doctor --bs 1m /dev/sg0
	sgs small-read --json --bs 1m -c 1 /dev/sg0
	mend small max_transfer /dev/sg0
	sgs large doctor --json --bs 1m /dev/sg0
	sgs large-read --json --bs 1m -c 1 /dev/sg0
	sgs huge doctor --json --bs 64m /dev/sg0
	mend huge max_transfer /dev/sg0
	sgs huge-again doctor --json --bs 64m /dev/sg0
	echo 512 >/sys/block/sda/queue/max_sectors_kb
}

@test "max_sectors_kb below --bs: the command makes --bs possible, or says what limits it" {
	scene_is_done lab_max_sectors
	looked small
	finds max_transfer /dev/sg0 problem "128 KiB" "--bs 1 MiB"
	fixed_by small "echo 1024 > /sys/block/sda/queue/max_sectors_kb"
	result small-text
	[ "$(tail -n 1 out)" = "Do first, for /dev/sg0 (max_transfer): $(<"$R/small.fix")" ]
	result small-read
	[ "$status" -ne 0 ]
	looked large
	finds max_transfer /dev/sg0 ok
	result large-read
	is_good_run
	looked huge
	finds max_transfer /dev/sg0 problem "more than 32767.5 KiB" "READ(10)"
	fixed_by huge "echo 32767 > /sys/block/sda/queue/max_sectors_kb"
	looked huge-again
	finds max_transfer /dev/sg0 problem "not possible"
	is '.findings[] | select(.check == "max_transfer").fix == null'
}

lab_queues() {
	lab-modprobe bfq
	echo 1 >/sys/class/scsi_device/0:0:0:0/device/queue_depth
	echo 0 >/sys/block/sda/queue/read_ahead_kb
	echo bfq >/sys/block/sda/queue/scheduler
	sgs queues doctor --json /dev/sda
	for check in queue_depth read_ahead scheduler; do
		mend queues $check /dev/sda
	done
	sgs queues-mended doctor --json /dev/sda
	echo mq-deadline >/sys/block/sda/queue/scheduler
}

@test "queue depth, read-ahead and scheduler, each mended" {
	scene_is_done lab_queues
	looked queues
	finds queue_depth /dev/sda warning "depth is 1"
	finds read_ahead /dev/sda warning
	finds scheduler /dev/sda warning bfq
	looked queues-mended
	for check in queue_depth read_ahead scheduler; do
		finds $check /dev/sda ok
	done
}

lab_offline() {
	echo offline >/sys/class/scsi_device/1:0:0:0/device/state
	sgs offline doctor --json /dev/sg1
	mend offline device_state /dev/sg1
	sgs online doctor --json /dev/sg1
	sgs online-read --json -c 1 /dev/sg1
}

@test "a drive that is offline is brought back" {
	scene_is_done lab_offline
	looked offline
	finds device_state /dev/sg1 problem offline
	finds access /dev/sg1 problem
	looked online
	finds device_state /dev/sg1 ok
	finds access /dev/sg1 ok
	result online-read
	is_good_run
}

lab_held() {
	exec 8</dev/sg0
	sleep 60 8<&- 9</dev/sdb &
	perl -e 'use Fcntl; sysopen(F, "/dev/sg1", O_RDWR | O_EXCL) or die; $| = 1; print "held\n"; sleep 60' \
		8<&- >/run/exclusive &
	until_true grep -q held /run/exclusive
	note held "$$ $BASHPID" "$!"
	sgs held doctor --json
	exec 8<&-
	kill %1 %2
	wait || true
	mke2fs -q /dev/sdb 8192
	mkdir -p /run/data
	mount /dev/sdb /run/data
	sgs mounted doctor --json /dev/sg1
	umount /run/data
	sgs free doctor --json
}

@test "who holds a drive: a process by name and number, exclusively, a mount" {
	scene_is_done lab_held
	looked held
	finds held /dev/sg0 warning "open in bash (pid $(noted held | head -n 1 | cut -d' ' -f2))"
	finds held /dev/sg1 problem "open in sleep (pid " "exclusively" \
		"open in perl (pid $(noted held | tail -n 1))"
	is '[.findings[] | select(.scope == "/dev/sg1" and .check == "access")] == []'
	looked mounted
	finds held /dev/sg1 warning "mounted on /run/data"
	looked free
	finds held /dev/sg0 ok
	finds held /dev/sg1 ok
}

lab_unprivileged() {
	chgrp disk /dev/sg0 /dev/sg1
	chmod 0 /dev/sg0
	chmod 640 /dev/sg1
	nobody nobody doctor --json
	nobody nobody-text doctor /dev/sg0
	chgrp 0 /dev/sg0
	nobody nobody-root doctor --json /dev/sg0
	chmod 600 /dev/sg0 /dev/sg1
}

@test "nodes that may not be read, and what cannot be looked at without root" {
	scene_is_done lab_unprivileged
	looked nobody
	finds access /dev/sg0 problem "root:disk 0000"
	finds access /dev/sg1 problem "root:disk 0640"
	is '[.findings[] | select(.check == "access").fix] == [
		"sudo chmod g+r /dev/sg0 && sudo usermod -aG disk nobody", "sudo usermod -aG disk nobody"]'
	finds max_transfer /dev/sg0 ok
	finds held /dev/sg0 info "could not be looked at"
	finds allow_dio host info
	is '.findings[] | select(.check == "allow_dio").fix
		== "echo 1 | sudo tee /sys/module/sg/parameters/allow_dio"'
	result nobody-text
	exits 0
	[ "$(tail -n 1 out)" = \
		"Do first, for /dev/sg0 (access): sudo chmod g+r /dev/sg0 && sudo usermod -aG disk nobody" ]
	looked nobody-root
	is '.findings[] | select(.check == "access").fix == "sudo sgstream /dev/sg0"'
}

lab_sick() {
	arm 2 0
	for ((i = 0; i < 20; i++)); do
		"$SGSTREAM" -c 1 --offset 4660blk /dev/sg0 >/dev/null 2>&1 || true
	done
	disarm
	sgs failing doctor --json
	arm 4 1
	"$SGSTREAM" -c 1 --timeout 100ms --retries 0 /dev/sg1 >/dev/null 2>&1 || true
	disarm
	sgs late doctor --json /dev/sg1
}

@test "a drive whose commands fail, and one whose commands time out" {
	scene_is_done lab_sick
	looked failing
	finds error_counters /dev/sg0 info "commands failed"
	finds error_counters /dev/sg1 ok
	is '.findings[] | select(.check == "error_counters" and .scope == "/dev/sg0").fix
		== "smartctl -x /dev/sg0"'
	looked late
	finds error_counters /dev/sg1 warning "timed out since" "stalls the stream"
}

lab_no_block_node() {
	lab-reload "add_host=1 dev_size_mb=9 delay=0 no_uld=1"
	sgs no-block doctor --json --bs 4m
	lab-reload "dev_size_mb=9 delay=0 ptype=13"
	sgs enclosure doctor --json
	sgs enclosure-named doctor --json /dev/sg0
	lab-reload "dev_size_mb=9 delay=0 sector_size=4096"
	sgs block-length doctor --json --bs 6k /dev/sg0
	lab-reload none
	sgs none doctor --json
}

@test "a drive without a block node, an enclosure, long blocks, no drive at all" {
	scene_is_done lab_no_block_node
	looked no-block
	finds max_transfer /dev/sg0 problem "1.25 MiB" "without a block node"
	is '.findings[] | select(.check == "max_transfer").fix == null'
	looked enclosure
	finds access /dev/sg0 info "enclosure"
	result enclosure-named
	exits 15
	object
	has err "enclosure"
	looked block-length
	finds block_length /dev/sg0 problem "4096 bytes"
	is '.findings[] | select(.check == "block_length").fix == "sgstream --bs 1blk /dev/sg0"'
	looked none
	is '[.findings[].scope] | unique == ["host"]'
}

lab_no_sg() {
	lab-reload "dev_size_mb=9 delay=0"
	rmmod sg
	sgs no-sg doctor --json
	sgs no-sg-sda doctor --json /dev/sda
	sgs no-sg-named doctor --json /dev/sg0
	mend no-sg sg_driver host
	sgs sg-again doctor --json
}

@test "no sg driver: said, loaded by the command, and no reason not to look at the rest" {
	scene_is_done lab_no_sg
	looked no-sg
	finds sg_driver host problem "not loaded"
	fixed_by no-sg "modprobe sg"
	looked no-sg-sda
	finds sg_driver host problem
	finds access /dev/sda ok
	result no-sg-named
	exits 15
	object
	is '.status == "error" and .messages[0].device == "/dev/sg0"'
	looked sg-again
	finds sg_driver host ok
	finds access /dev/sg0 ok
}
