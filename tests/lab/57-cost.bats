#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# What sgstream adds to the bare loop of system calls, in instructions per command, start and end
# subtracted: a count that no load of this machine's changes. What grows above the bounds below
# has to be worth it.
# shellcheck disable=SC2317,SC2154 # lab_ functions run inside

load ../helpers
load lab

# engine | bare loop | node | depth | instructions that a command may cost more
bounds='
sg-mmap  mmap    sg0     1  190
sg-dio   dio     sg0     1  190
sg-copy  copy    sg0     1  190
sgio     sgio    sda     1  195
bsg      bsg     bsg/0:0:0:0 1 195
buffered pread   sda     1  230
direct   direct  sda     1  230
io_uring uring16 sda     16 240
sg-async async16 sg0     16 540
'

setup_file() {
	FLOOR=${BENCH:-$root/build/release/tests/floor}
	[ -x "$FLOOR" ] || { echo "no $FLOOR: make benches"; return 1; }
	COST_OF=$(dirname "$FLOOR")/../sgstream
	seconds=400 boot --kernel icount --allow-dio 1 --env FLOOR="$FLOOR" --env COST_OF="$COST_OF" --env BOUNDS="$bounds" \
		--scsi-debug 'dev_size_mb=64 virtual_gb=2 delay=0'
}
setup() { prepare; }
teardown() { conclude; }

lab_cost() {
	lab-local "$COST_OF" "$FLOOR" timeout
	local limit=3600 engine mode node depth count
	while read -r engine mode node depth _; do
		[ "$engine" ] || continue
		for count in {256,2048}-{1..3}; do
			record "$engine-$count" "$COST_OF" --json -e "$engine" -b 4k -q "$depth" -c "${count%-*}" "/dev/$node"
			record "$engine-loop-$count" "$FLOOR" "$mode" "/dev/$node" 4096 "${count%-*}"
		done
	done <<<"$BOUNDS"
}

# The least of three, since what comes between (a tick, a kernel thread) only adds: least NAME FILTER
least() {
	local i
	for i in 1 2 3; do "$2" "$R/$1-$i.out"; done | sort -n | head -n 1
}

# ns that a command more takes: per_command NAME FILTER
per_command() { echo $((($(least "$1-2048" "$2") - $(least "$1-256" "$2")) / (2048 - 256))); }
of_engine() { jq '.runs[0].total.elapsed_ns' "$1"; }
of_loop() { sed -n 's/.* commands, \([0-9]*\) ns,.*/\1/p' "$1"; }

@test "no engine adds more instructions to a command than its bound" {
	scene_is_done lab_cost
	local engine bound ours loop seen=0 over=''
	while read -r engine _ _ _ bound; do
		[ "$engine" ] || continue
		result "$engine-2048-1"
		is_good_run
		ours=$(per_command "$engine" of_engine)
		loop=$(per_command "$engine-loop" of_loop)
		echo "$engine $ours, the bare loop $loop: $((ours - loop)) of at most $bound more"
		((loop > 1000 && ours - loop > 0)) # a count of nothing would pass any bound
		((ours - loop <= bound)) || over+=" $engine"
		seen=$((seen + 1))
	done <<<"$bounds"
	[ "$seen" -ge 9 ]
	[ -z "$over" ]
}
