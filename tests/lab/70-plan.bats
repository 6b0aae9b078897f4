#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2317 # what runs inside is called by its name
#
# Plans against the truth. A drive that takes 30 ms for a command, whatever it asks for, has a rate
# by arithmetic, and a controller that takes so many commands at a time a knee. In the icount lab
# time is what is executed, so that a busy machine changes nothing.

load ../helpers
load lab

latency=30000000
bytes=65536
drive=$((bytes * 1000 / 30)) # bytes a second
slots=6

setup_file() {
	boot --kernel icount --scsi-debug "$(drives "$slots")"
}

drives() { echo "num_tgts=8 host_max_queue=$1 dev_size_mb=8 ndelay=$latency fake_rw=1"; }

setup() { prepare; }
teardown() { conclude; }

inside="drives measure"

# measure NAME NUMBERS: a sweep over so many devices. What waits for the host's files takes long
# by the clock of this lab.
measure() {
	lab-local "$SGSTREAM"
	limit=10000
	sgs "$1" sweep --json --bs 64k --devices "$2" --loop --runtime 300ms /dev/sg[0-7]
}

# ---- measured first: a controller that has its knee within reach, and one that is wide ----

lab_narrow() { measure narrow 1,2,3,4,5,6,7,8; }

lab_wide() {
	latency=30000000
	lab-reload "$(drives 64)"
	measure wide 1,2,3,4,8
}

# A plan from the cells of a sweep with at most so many devices: plan_from RESULT MOST ARGUMENT...
plan_from() {
	jq ".sweep.cells |= map(select(.devices <= $2))" "$R/$1.out" >"$1.json"
	sgs plan --json "${@:3}" "$1.json"
	exits 0
	object
}

# What it predicts for so many drives: predicted N
predicted() { json ".prediction[] | select(.drives == $1).bytes_per_second.median"; }

# within SHARE A B: A is B but for so much of it
within() {
	jq -en "(($2) / ($3) - 1) | fabs <= $1" >/dev/null && return
	echo "$2 is not within $1 of $3"
	return 1
}

measured() { json ".runs[] | select(.devices | length == $1).total.bytes_per_second" "$R/$2.out"; }

@test "eight drives, from measurements on one to four" {
	scene_is_done lab_wide
	plan_from wide 4 --target 1MB/s
	within 0.1 "$(predicted 8)" "8 * $drive"
	within 0.1 "$(predicted 8)" "$(measured 8 wide)"
	is '.model.fit | .most_drives == 4 and .left_out_miss < 0.1'
	is '.model.controller.knee_drives == null or .model.controller.knee_drives > 16'
}

@test "the knee of the controller that takes six commands, from one to four" {
	scene_is_done lab_narrow
	plan_from narrow 4 --target 1MB/s --max-controllers 1
	is ".model.controller | .ceiling_by == \"slots\" and (.knee_drives - $slots | fabs) <= 1"
	is '.answer.binding == "controllers"'
	within 0.1 "$(predicted 7)" "$(measured 7 narrow)"
	within 0.1 "$(json .model.controller.ceiling_bytes_per_second)" "$slots * $drive"
}

@test "the knee from the curve alone, when nobody says how many commands it takes" {
	scene_is_done lab_narrow
	jq '.runs[].devices[].controller.can_queue = null' "$R/narrow.out" >blind.json
	sgs plan --json --target 1MB/s blind.json
	exits 0
	object
	is ".model.controller | .ceiling_by == \"plateau\" and (.knee_drives - $slots | fabs) <= 1"
	is '.model.fit.left_out_miss < 0.1'
	within 0.1 "$(predicted 8)" "$(measured 8 narrow)"
}

@test "what is asked for is what it takes: drives and controllers by arithmetic" {
	scene_is_done lab_narrow
	plan_from narrow 8 --target 20MB/s
	is ".answer.drives.median == (20e6 / $drive | ceil) and .answer.controllers.median == 2"
	plan_from narrow 8 --target 20MB/s --headroom 50% --max-controllers 2
	is '.answer.hosts.median == 2 and .answer.host.controllers == 2'
}
