#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Settings of the host for a run: made, seen from outside while it runs, put back whatever its
# end. And the page cache: emptied, looked at, and told truly.
# shellcheck disable=SC2317,SC2154,SC2086,SC1091,SC2016 # lab_ functions run inside

load ../helpers
load lab

setup_file() {
	mkdir -p "$BATS_FILE_TMPDIR/results"
	declare -f settings note_settings restore changed_to answered begun begin unchanged watched slow fast >"$BATS_FILE_TMPDIR/results/inside"
	boot --scsi-debug "add_host=2 per_host_store=1 dev_size_mb=64 delay=0"
}

setup() { prepare; }
teardown() { conclude; }

# ---- for use inside ----

# Into $now, of both drives: read-ahead, largest transfer, scheduler, its queue; sg's allow_dio.
# Without a process of its own, which would cost more than a run.
settings() {
	local drive file text
	now=
	for drive in sda sdb; do
		for file in read_ahead_kb max_sectors_kb scheduler nr_requests; do
			read -r text <"/sys/block/$drive/queue/$file"
			[ $file != scheduler ] || { text=${text#*[} && text=${text%]*}; }
			now+="$text "
		done
	done
	read -r text </sys/module/sg/parameters/allow_dio
	now+=$text
}

note_settings() {
	settings
	note "$1" "$now"
}

changed_to() {
	settings
	[ "$now" = "$1" ]
}

unchanged() { changed_to "1024 512 mq-deadline 256 1024 512 mq-deadline 256 0"; }

restore() {
	local drive
	for drive in sda sdb; do
		echo mq-deadline >/sys/block/$drive/queue/scheduler
		echo 1024 >/sys/block/$drive/queue/read_ahead_kb
		echo 512 >/sys/block/$drive/queue/max_sectors_kb
		echo 256 >/sys/block/$drive/queue/nr_requests
	done
	echo 0 >/sys/module/sg/parameters/allow_dio
}

# Into $total: commands that the drives have answered.
answered() {
	local file text
	total=0
	for file in /sys/class/scsi_device/*/device/iodone_cnt; do
		read -r text <"$file"
		total=$((total + text))
	done
}

# Since $before more than it takes to look two drives over: what was started reads.
begun() {
	answered
	((total >= before + 30))
}

# begin SETTINGS NAME ARGUMENT...: starts a run, waits for the settings and until it reads.
begin() {
	local expected=$1 before
	shift
	answered
	before=$total
	start "$@"
	if until_true changed_to "$expected"; then until_true begun || true; fi
}

# watched NAME SETTINGS END ARGUMENT...: a run that is ended once it shows the settings; notes
# those during it and after it.
watched() {
	local name=$1 expected=$2 end=$3
	shift 3
	begin "$expected" "$name" --json "$@"
	note_settings "$name-during"
	$end
	finish
	until_true unchanged || true
	note_settings "$name-after"
	restore
}

# Drives that leave the processor to the others
slow() { echo 2000000 >$D/ndelay; }
fast() { echo 0 >$D/delay; }

# ---- for use on the host ----

defaults="1024 512 mq-deadline 256 1024 512 mq-deadline 256 0"

was_put_back() {
	[ "$(noted "$1-after")" = "$defaults" ] || { echo "after $1: $(noted "$1-after")"; return 1; }
}

# was_watched NAME SETTINGS STATUS
was_watched() {
	[ "$(noted "$1-during")" = "$2" ] || { echo "during $1: $(noted "$1-during")"; return 1; }
	was_put_back "$1"
	result "$1"
	exits "$3"
}

all_restored() { is '.runs[0].settings | length > 0 and all(.[]; .restored)'; }

# ---- settings ----

lab_each() {
	. "$LAB_OUT/inside"
	int() { kill -INT $pid; }
	slow
	watched ahead "32 512 mq-deadline 256 1024 512 mq-deadline 256 0" int \
		-e buffered --read-ahead 32k --loop --runtime 20s /dev/sda
	watched none-ahead "0 512 mq-deadline 256 1024 512 mq-deadline 256 0" int \
		-e buffered --read-ahead 0 --loop --runtime 20s /dev/sda
	watched scheduler "1024 512 none 192 1024 512 mq-deadline 256 0" int \
		-e direct --scheduler none --loop --runtime 20s /dev/sda
	watched transfer "1024 128 mq-deadline 256 1024 512 mq-deadline 256 0" int \
		-e direct --max-transfer 128k --loop --runtime 20s /dev/sda
	wait_a_little() { sleep 0.3; int; }
	watched dio "1024 512 mq-deadline 256 1024 512 mq-deadline 256 1" wait_a_little \
		-e sg-dio --allow-dio --require-zero-copy --loop --runtime 20s /dev/sg0
	watched all "64 256 kyber 256 64 256 kyber 256 1" wait_a_little \
		--read-ahead 64KiB --scheduler kyber --max-transfer 256k --allow-dio \
		--loop --runtime 20s /dev/sg0 /dev/sg1
	fast
}

@test "each setting is there while the run goes on, and back after it" {
	scene_is_done lab_each
	was_watched ahead "32 512 mq-deadline 256 1024 512 mq-deadline 256 0" 130
	is '.runs[0].settings == [{name: "read_ahead_kib", device: "/dev/sda", from: 1024, to: 32, restored: true}]'
	object
	was_watched none-ahead "0 512 mq-deadline 256 1024 512 mq-deadline 256 0" 130
	is '.runs[0].settings[0].to == 0'
	was_watched scheduler "1024 512 none 192 1024 512 mq-deadline 256 0" 130
	is '.runs[0].settings == [{name: "scheduler", device: "/dev/sda", from: "mq-deadline", to: "none", restored: true}]'
	object
	was_watched transfer "1024 128 mq-deadline 256 1024 512 mq-deadline 256 0" 130
	is '.runs[0].settings == [{name: "max_transfer_kib", device: "/dev/sda", from: 512, to: 128, restored: true}]'
	was_watched dio "1024 512 mq-deadline 256 1024 512 mq-deadline 256 1" 130
	is '.runs[0].settings == [{name: "allow_dio", device: null, from: false, to: true, restored: true}]'
	is '.runs[0].total.transfer | .direct > 0 and .copied == 0'
	object
}

@test "two devices, all settings: each is listed, each is put back" {
	scene_is_done lab_each
	was_watched all "64 256 kyber 256 64 256 kyber 256 1" 130
	all_restored
	is '.runs[0].settings | map("\(.device) \(.name) \(.from) \(.to)") == ["null allow_dio false true",
		"/dev/sg0 read_ahead_kib 1024 64", "/dev/sg0 max_transfer_kib 512 256",
		"/dev/sg0 scheduler mq-deadline kyber",
		"/dev/sg1 read_ahead_kib 1024 64", "/dev/sg1 max_transfer_kib 512 256",
		"/dev/sg1 scheduler mq-deadline kyber"]'
	object
}

lab_ends() {
	. "$LAB_OUT/inside"
	local during="32 512 mq-deadline 256 1024 512 mq-deadline 256 0"
	local arguments=(--read-ahead 32k --loop /dev/sg0)
	by_itself() { :; }
	term() { sleep 0.3; kill -TERM $pid; }
	kill_it() { kill -KILL $pid; }
	segv() { kill -SEGV $pid; }
	slow
	watched end-normal "$during" by_itself "${arguments[@]}" --runtime 3s
	watched end-term "$during" term "${arguments[@]}" --runtime 20s
	watched end-kill "$during" kill_it "${arguments[@]}" --runtime 20s
	watched end-crash "$during" segv "${arguments[@]}" --runtime 20s
	fast
	# A command that takes five seconds does not drain before the second signal.
	int_int() { echo 500 >$D/delay; sleep 0.2; kill -INT $pid; sleep 0.5; kill -INT $pid; }
	watched end-second "$during" int_int "${arguments[@]}" --runtime 20s
	until_true sh -c "echo 0 >$D/delay" # busy until the command has ended
	pgrep -l sgs-guard >"$LAB_OUT/guards.note" || true
}

@test "put back after a normal end, TERM, KILL, a crash, and a second signal" {
	scene_is_done lab_ends
	local during="32 512 mq-deadline 256 1024 512 mq-deadline 256 0"
	was_watched end-normal "$during" 0
	all_restored
	object
	was_watched end-term "$during" 143
	all_restored
	is '.status == "interrupted"'
	object
	was_watched end-kill "$during" 137
	was_watched end-crash "$during" 139
	was_watched end-second "$during" 130
	empty out
	empty "$R/guards.note"
}

lab_errors() {
	. "$LAB_OUT/inside"
	after() { note_settings "$1-after"; restore; }
	sgs bad-device --json -e buffered --read-ahead 32k /dev/sda /dev/nosuch
	after bad-device
	sgs bad-lane --json -b 4m --max-transfer 1m /dev/sg0
	after bad-lane
	sgs bad-second --json -e direct --scheduler kyber --max-transfer 64m /dev/sdb
	after bad-second
	echo 2 >$D/opts
	sgs bad-medium --json -e direct --scheduler none /dev/sda
	echo 0 >$D/opts
	after bad-medium
}

@test "put back after an error: no such device, a lane that does not open, a bad block" {
	scene_is_done lab_errors
	for name in bad-device bad-lane bad-second bad-medium; do was_put_back "$name"; done
	result bad-device
	is_refusal_with_object 15 /dev/nosuch
	result bad-lane
	is_refusal_with_object "$status" "reserve buffer of 1 MiB" "echo 4096"
	result bad-second
	is_refusal_with_object "$status" --max-transfer "65536 KiB" "VPD page B0h"
	result bad-medium
	exits 3
	all_restored
	object
}

lab_reserve() {
	. "$LAB_OUT/inside"
	sgs reserve-without --json -b 1m /dev/sg0
	sgs reserve-with --json -b 1m --max-transfer 1m /dev/sg0
	sgs reserve-text -b 1m --max-transfer 1m /dev/sg0
	note_settings reserve-after
}

@test "--max-transfer takes effect on sg's reserve buffer" {
	scene_is_done lab_reserve
	result reserve-without
	is_refusal_with_object "$status" "reserve buffer of 512 KiB"
	result reserve-with
	is_good_run
	is '.runs[0].total.transfer.mapped == 64'
	was_put_back reserve
	result reserve-text
	has out "settings  max-transfer 512 KiB to 1024 KiB; put back"
}

lab_kib() {
	. "$LAB_OUT/inside"
	blockdev --setra 64 /dev/sda
	sgs setra --json --dry-run -e buffered --read-ahead 64k /dev/sda
	sgs setra-list list --json /dev/sda
	sgs setra-text -e buffered --read-ahead 16k /dev/sda
	blockdev --getra /dev/sda >"$LAB_OUT/getra.note"
	restore
	sgs rounded --json -e buffered --read-ahead 6k -c 16 /dev/sda
	note_settings rounded-after
	sgs same --json -e buffered --read-ahead 1m -c 16 /dev/sda
	note_settings same-after
}

@test "KiB, not sectors: blockdev --setra 64 is 32 KiB" {
	scene_is_done lab_kib
	result setra
	exits 0
	is '.planned[0].settings == [{name: "read_ahead_kib", device: "/dev/sda", from: 32, to: 64, restored: null}]'
	object
	result setra-list
	is '.devices[0].limits.read_ahead_bytes == 32768'
	result setra-text
	has out "settings  read-ahead 32 KiB to 16 KiB; put back"
	[ "$(noted getra)" = 64 ]
}

@test "what the kernel rounds is told; what is so already needs no change" {
	scene_is_done lab_kib
	result rounded
	is_good_run
	is '.runs[0].settings[0].to == 4 and (.messages | any(.code == "setting_rounded" and
		(.text | contains("4 KiB of 6 KiB"))))'
	was_put_back rounded
	result same
	is_good_run
	is '.runs[0].settings[0] | .from == 1024 and .to == 1024 and .restored'
	was_put_back same
}

lab_others() {
	. "$LAB_OUT/inside"
	local first second other="-e direct -c 16 /dev/sda"
	slow
	share() {
		first=$pid
		sgs other-same --json --read-ahead 32k $other
		sgs other-differs --json --read-ahead 64k $other
		sgs other-device --json --read-ahead 64k -e direct -c 16 /dev/sdb
		note_settings others-during
		kill -INT "$first"
	}
	watched others-first "32 512 mq-deadline 256 1024 512 mq-deadline 256 0" share \
		--read-ahead 32k -e direct --loop --runtime 20s /dev/sda
	meddle() {
		echo 77 >/sys/block/sda/queue/read_ahead_kb
		echo none >/sys/block/sda/queue/scheduler
		kill -INT $pid
	}
	begin "32 512 kyber 256 1024 512 mq-deadline 256 0" \
		meddled --json --read-ahead 32k --scheduler kyber -e direct --loop --runtime 20s /dev/sda
	meddle
	finish
	note_settings meddled
	restore
	# The first ends before the second, which relies on the value.
	begin "32 512 mq-deadline 256 1024 512 mq-deadline 256 0" \
		outlived --json --read-ahead 32k -e direct --loop --runtime 20s /dev/sda
	first=$pid
	"$SGSTREAM" --json --read-ahead 32k -e direct --loop --runtime 3s /dev/sda \
		>"$LAB_OUT/outliver.out" 2>"$LAB_OUT/outliver.err" &
	second=$!
	sleep 1
	kill -INT "$first"
	pid=$first
	finish
	note_settings outlived-during
	wait $second && echo 0 >"$LAB_OUT/outliver.status" || echo $? >"$LAB_OUT/outliver.status"
	echo outliver >"$LAB_OUT/outliver.ran"
	until_true unchanged
	note_settings outlived-after
	restore
	fast
}

@test "several at once: one value is shared, two are refused" {
	scene_is_done lab_others
	was_watched others-first "32 512 mq-deadline 256 1024 512 mq-deadline 256 0" 130
	all_restored
	[ "$(noted others-during)" = "32 512 mq-deadline 256 1024 512 mq-deadline 256 0" ]
	result other-same
	is_good_run
	is '.runs[0].settings[0] | .from == 32 and .to == 32'
	is '.messages | any(.code == "setting_shared")'
	result other-differs
	is_refusal_with_object 26 "wants 64 KiB" "/sys/block/sda/queue/read_ahead_kb at 32 KiB" "leave --read-ahead out"
	result other-device
	is_good_run
	all_restored
}

@test "a value that somebody else has changed is left, and named" {
	scene_is_done lab_others
	[ "$(noted meddled)" = "76 512 none 192 1024 512 mq-deadline 256 0" ]
	result meddled
	exits 130
	object
	is '.runs[0].settings | all(.[]; .restored == false)'
	is '[.messages[] | select(.code == "setting_changed").text] | length == 2 and
		any(contains("is 76 KiB now, not 32 KiB")) and
		any(contains("is none now, not kyber")) and any(contains("before the run it was 1024 KiB"))'
}

@test "a value that another run relies on is put back after that" {
	scene_is_done lab_others
	result outlived
	exits 130
	object
	is '.runs[0].settings[0].restored == false'
	is '.messages | any(.code == "setting_in_use" and (.text | contains("puts it back to 1024 KiB")))'
	[ "$(noted outlived-during)" = "32 512 mq-deadline 256 1024 512 mq-deadline 256 0" ]
	result outliver
	is_good_run
	was_put_back outlived
}

lab_scheduler() {
	. "$LAB_OUT/inside"
	local queue=/sys/block/sda/queue
	echo 17 >$queue/nr_requests
	echo 99 >$queue/iosched/fifo_batch
	sgs tuned --json -e direct --scheduler kyber /dev/sda
	note_settings tuned-after
	cat $queue/iosched/fifo_batch >>"$LAB_OUT/tuned-after.note"
	echo 16 >$queue/iosched/fifo_batch
	restore
	sgs unknown --json -e direct --scheduler cfq /dev/sda
	sgs above --json -e direct --max-transfer 2T /dev/sda
	note_settings unknown-after
}

@test "what a scheduler brings along comes back with it" {
	scene_is_done lab_scheduler
	result tuned
	is_good_run
	[ "$(noted tuned-after)" = "1024 512 mq-deadline 17 1024 512 mq-deadline 256 0"$'\n'99 ]
}

@test "an unknown scheduler lists those there are; a size above the limit names it" {
	scene_is_done lab_scheduler
	result unknown
	is_refusal_with_object 1 "no 'cfq'" mq-deadline kyber none
	result above
	is_refusal_with_object 1 "2147483648 KiB" "max_hw_sectors_kb of 2147483647 KiB"
	was_put_back unknown
}

lab_unprivileged() {
	. "$LAB_OUT/inside"
	local as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	chmod 666 /dev/sda /dev/sg0
	for option in "--read-ahead 32k" "--scheduler none" "--max-transfer 128k" --allow-dio; do
		record "nobody${option%% *}" "${as_nobody[@]}" "$SGSTREAM" --json -e buffered $option /dev/sda
	done
	cat /dev/sda >/dev/null
	exec 9</dev/sda
	cat /dev/sda >/dev/null
	record nobody-warm "${as_nobody[@]}" "$SGSTREAM" --json -e buffered /dev/sda
	record nobody-drop "${as_nobody[@]}" "$SGSTREAM" --json -e buffered --drop-caches /dev/sda
	chmod 444 /dev/sda
	record nobody-reads "${as_nobody[@]}" "$SGSTREAM" --json -e buffered /dev/sda
	record nobody-blind "${as_nobody[@]}" "$SGSTREAM" --json -e buffered --drop-caches /dev/sda
	head -c 1000000 /dev/zero >file
	chmod 444 file
	record nobody-file "${as_nobody[@]}" "$SGSTREAM" --json file
	exec 9<&-
	note_settings nobody-after
}

@test "without privilege: one line with the file and the command, and nothing is changed" {
	scene_is_done lab_unprivileged
	was_put_back nobody
	result nobody--read-ahead
	is_refusal_with_object 63 "echo 32 > /sys/block/sda/queue/read_ahead_kb" "leave --read-ahead out"
	result nobody--scheduler
	is_refusal_with_object 63 "echo none > /sys/block/sda/queue/scheduler"
	result nobody--max-transfer
	is_refusal_with_object 63 "echo 128 > /sys/block/sda/queue/max_sectors_kb"
	result nobody--allow-dio
	exits 63
	has err "echo 1 > /sys/module/sg/parameters/allow_dio"
}

@test "without privilege: caches are dropped as far as may be, and the verdict is true" {
	scene_is_done lab_unprivileged
	result nobody-warm
	is_good_run
	is '.runs[0].total.cache | .verdict == "warm" and .resident_before_bytes == 67108864'
	result nobody-drop
	is_good_run
	is '.runs[0].devices[0].cache_drop | .done and (.reason | contains("CAP_SYS_ADMIN"))'
	is '[.messages[] | select(.code == "drop_unprivileged")] | length == 1'
	is '.runs[0].total.cache.verdict == "cold"'
	# What is in memory is told to nobody who may only read; what the device gave is.
	result nobody-reads
	is_good_run
	is '.runs[0].total.cache | .verdict == "warm" and .resident_before_bytes == null and .device_read_bytes == 0'
	result nobody-blind
	is_good_run
	is '.runs[0].devices[0].cache_drop | .done == false and (.reason | contains("CAP_SYS_ADMIN"))'
	is '.runs[0].total.cache | .verdict == "cold" and .device_read_bytes >= 67108864'
	result nobody-file
	is_good_run
	is '.runs[0].total.cache | .verdict == "unknown" and .resident_before_bytes == null and .device_read_bytes == null'
	is '[.messages[] | select(.code == "memory_unknown")] | length == 1'
}

# ---- the page cache ----

lab_cache() {
	. "$LAB_OUT/inside"
	sgs cold --json -e buffered /dev/sda
	sgs cold-again --json -e buffered /dev/sda
	sgs cold-text -e buffered /dev/sda
	sgs loop --json -e buffered --loop --size 640M /dev/sda
	exec 9</dev/sda
	cat /dev/sda >/dev/null
	sgs warm --json -e buffered /dev/sda
	sgs warm-text -e buffered /dev/sda
	sgs warm-direct --json -e direct /dev/sda
	sgs warm-mmap --json -e mmap /dev/sda
	while dd if=/dev/sda of=/dev/null bs=1M iflag=direct 2>/dev/null; do :; done &
	other=$!
	sgs warm-beside --json -e buffered --loop --size 2G /dev/sda
	sgs warm-beside-text -e buffered --loop --size 2G /dev/sda
	kill "$other"
	wait "$other" || true
	sgs warm-two --json -e buffered /dev/sda /dev/sdb
	sgs warm-two-text -e buffered /dev/sda /dev/sdb
	sgs dropped --json -e buffered --drop-caches /dev/sda
	sgs dropped-text -e buffered --drop-caches /dev/sda
	sgs dropped-sg --json --drop-caches /dev/sg0
	sgs sg-after-drop --json -e buffered --size 16M /dev/sda
	dd if=/dev/sda of=/dev/null bs=1M count=1 skip=40 2>/dev/null
	blockdev --flushbufs /dev/sda
	dd if=/dev/sda of=/dev/null bs=1M count=32 2>/dev/null
	sgs mixed --json -e buffered --read-ahead 64k /dev/sda
	blockdev --flushbufs /dev/sda
	dd if=/dev/sda of=/dev/null bs=1M count=16 2>/dev/null
	sgs first-part --json -e buffered --size 8M /dev/sda
	sgs last-part --json -e buffered --offset 40M --size 8M /dev/sda
	exec 9<&-
}

@test "cold: the drive's figure, and evidence for it" {
	scene_is_done lab_cache
	for name in cold cold-again; do
		result "$name"
		is_good_run
		is '.runs[0] | .total.cache, .devices[0].cache | .verdict == "cold" and .resident_before_bytes == 0 and
			.sampled_bytes == 67108864 and .range_bytes == 67108864 and .device_read_bytes >= 67108864'
		is '.messages | all(.code != "from_memory")'
	done
	result cold-text
	has out "cache     cold: 0 of 64 MiB were resident, the device read 67.1 MB"
}

@test "warm: memory's figure, with the remedy" {
	scene_is_done lab_cache
	result warm
	is_good_run
	is '.runs[0].total.cache | .verdict == "warm" and .resident_before_bytes == 67108864 and .device_read_bytes == 0'
	is '[.messages[] | select(.code == "from_memory")] | length == 1 and (.[0].text |
		contains("a figure of memory, not of the drive; use --drop-caches"))'
	result warm-text
	has out "cache     warm: 64 MiB of 64 MiB were resident, the device read 0 bytes"
	has err "use --drop-caches"
	result warm-mmap
	is_good_run
	is '.runs[0].total.cache.verdict == "warm"'
	result warm-direct
	is_good_run
	is '.runs[0].total | has("cache") | not'
}

@test "warm stays warm beside others that read the drive directly" {
	scene_is_done lab_cache
	result warm-beside
	is_good_run
	is '.runs[0].total.cache | .verdict == "warm" and .resident_before_bytes == 67108864 and .device_read_bytes > 0'
	is '.messages | any(.code == "from_memory")'
	result warm-beside-text
	has out "cache     warm: 64 MiB of 64 MiB were resident, the device read " ", 0 bytes of it for this run"
}

@test "mixed: half in memory, and read over and over" {
	scene_is_done lab_cache
	result mixed
	is_good_run
	is '.runs[0].total.cache | .verdict == "mixed" and .resident_before_bytes >= 33554432 and
		.resident_before_bytes < 40000000 and .device_read_bytes >= 26000000 and .device_read_bytes < 40000000'
	is '.messages | any(.code == "from_memory")'
	result loop
	is_good_run
	is '.runs[0].total.cache | .verdict == "mixed" and .resident_before_bytes == 0 and .range_bytes == 67108864'
	is '.messages | any(.code == "from_memory" and (.text | contains("over and over")))'
	result first-part
	is '.runs[0].total.cache | .verdict == "warm" and .range_bytes == 8388608'
	result last-part
	is '.runs[0].total.cache | .verdict == "cold" and .sampled_bytes == 8388608'
}

@test "each device has its own verdict" {
	scene_is_done lab_cache
	result warm-two
	is_good_run
	is '.runs[0] | .total.cache.verdict == "mixed" and .total.cache.sampled_bytes == 134217728 and
		(.devices | map(.cache.verdict) == ["warm", "cold"])'
	is '[.messages[] | select(.code == "from_memory").device] == ["/dev/sda"]'
	result warm-two-text
	has out "cache     mixed: 64 MiB of 128 MiB were resident" "/dev/sda  warm: " "/dev/sdb  cold: "
}

@test "--drop-caches makes it cold, also when the node is held open" {
	scene_is_done lab_cache
	result dropped
	is_good_run
	is '.runs[0].devices[0].cache_drop | .done and .ns > 0 and (has("reason") | not)'
	is '.runs[0].total.cache | .verdict == "cold" and .resident_before_bytes == 0'
	is '.messages | all(.code != "from_memory" and .code != "cache_not_dropped")'
	result dropped-text
	has out "dropped   page cache in " "cache     cold: "
	result dropped-sg
	is_good_run
	is '.runs[0].devices[0].cache_drop.done'
	result sg-after-drop
	is '.runs[0].total.cache.verdict == "cold"'
}

lab_files() {
	. "$LAB_OUT/inside"
	mkdir fs
	mkfs.ext4 -q -F /dev/sdb
	mount /dev/sdb fs
	head -c 8000000 /dev/urandom >fs/file
	sgs file-dirty --json --drop-caches fs/file
	sgs file-warm --json fs/file
	sgs file-dropped --json --drop-caches fs/file
	sync
	echo 1 >/proc/sys/vm/drop_caches
	sgs file-direct --json -e direct fs/file
	umount fs
	# Here ext4 takes O_DIRECT, and reads through the page cache without a word.
	mount -o data=journal /dev/sdb fs
	sgs fell-back --json -e direct --require-zero-copy fs/file
	umount fs
	head -c 4000000 /dev/zero >memory
	sgs tmpfs --json --drop-caches memory
	lab-modprobe loop
	losetup -f --show memory >"$LAB_OUT/loop.note"
	sgs loop-device --json -e buffered "$(<"$LAB_OUT/loop.note")"
	sgs loop-again --json -e buffered "$(<"$LAB_OUT/loop.note")"
	losetup -d "$(<"$LAB_OUT/loop.note")"
}

@test "files: dirty pages are waited for, and the verdict is true" {
	scene_is_done lab_files
	result file-dirty
	is_good_run
	is '.runs[0] | .devices[0].cache_drop.done == (.total.cache.resident_before_bytes == 0)'
	result file-warm
	is_good_run
	is '.runs[0].total.cache | .verdict == "warm" and .resident_before_bytes == 8000000'
	result file-dropped
	is_good_run
	is '.runs[0].devices[0].cache_drop.done and .runs[0].total.cache.verdict == "cold"'
	result tmpfs
	is_good_run
	is '.runs[0].devices[0].cache_drop.done == false and .runs[0].total.cache.verdict == "warm"'
	is '[.messages[] | select(.code == "cache_not_dropped")] | length == 1'
}

@test "direct I/O that a file system turned into cached reads counts as cached" {
	scene_is_done lab_files
	result file-direct
	is_good_run
	is '.runs[0].total | .transfer.direct == 123 and .transfer.cached == 0 and (has("cache") | not)'
	result fell-back
	exits 36
	object
	is '.runs[0].total.transfer | .direct == 0 and .cached == 123'
	is '.runs[0].total.cache.verdict == "cold"'
	is '[.messages[] | select(.code == "fell_back")] | length == 1'
}

@test "a loop device's cold figure is not taken for a drive's" {
	scene_is_done lab_files
	for name in loop-device loop-again; do
		result "$name"
		is_good_run
		is '.runs[0].total.cache.verdict | IN("unknown", "warm", "mixed")'
		is '.messages | any(.code == "loop_cached" or .code == "from_memory")'
	done
}

lab_large() {
	. "$LAB_OUT/inside"
	lab-reload "dev_size_mb=64 delay=0 virtual_gb=5000"
	sgs large --json -e buffered --size 64M /dev/sda
	sgs large-runtime --json -e buffered --runtime 300ms /dev/sda
	sgs large-text -e buffered --runtime 300ms /dev/sda
	lab-reload "dev_size_mb=8 delay=0 no_uld=1"
	sgs no-node --json --read-ahead 32k /dev/sg0
	sgs no-node-drop --json --drop-caches /dev/sg0
}

@test "5 TB are looked at by sample, and that takes little" {
	scene_is_done lab_large
	result large
	is_good_run
	is '.runs[0].total.cache | .verdict == "cold" and .sampled_bytes == 67108864'
	result large-runtime
	is_good_run
	is '.runs[0].total.cache | .verdict == "cold" and .sampled_bytes < .range_bytes'
	[ "$(took_ms large-runtime)" -lt 4000 ]
	result large-text
	has out "(a sample of "
}

@test "a device without a block node has nothing to set, and nothing to drop" {
	scene_is_done lab_large
	result no-node
	is_refusal_with_object 1 "/dev/sg0 has no block node" "leave --read-ahead out"
	result no-node-drop
	is_good_run
	is '.runs[0].devices[0].cache_drop | .done == false and (.reason | contains("no block node"))'
	is '.messages | all(.code != "cache_not_dropped")'
}
