#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# The studies: each in its quick form gives a whole result, the document says what the results say
# and nothing else, and on given devices nothing is written and every setting is put back.
# shellcheck disable=SC2317,SC2154,SC2016,SC2086,SC2034 # lab_ functions run inside, $names is words

load ../helpers
load lab

names='a-direct-readv b-read-ahead c-page-cache d-scheduler e-md'

# Studies are not quick to start: two at a time, beside the boot for given devices.
setup_file() {
	export S=$BATS_FILE_TMPDIR/studies STUDIES=$root/scripts/studies
	mkdir -p "$S"
	printf '%s\n' $names | xargs -P 2 -I NAME sh -c \
		'timeout 150 "$STUDIES/NAME" --quick --json "$S/NAME.json" >"$S/NAME.text" 2>"$S/NAME.err"; echo $? >"$S/NAME.status"' &
	boot --env STUDIES="$STUDIES" --scsi-debug "dev_size_mb=16 delay=0"
	wait
}

setup() {
	prepare
	: >err
}
teardown() { conclude; }

# The quick result of a study, as $result; shows what it said when there is none.
quick() {
	result=$S/$1.json
	[ "$(<"$S/$1.status")" = 0 ] && [ -s "$result" ] && return
	echo "$1 ended with status $(<"$S/$1.status"):"
	tail -n 20 "$S/$1.err"
	return 1
}

# As many cells as it should have, all with figures of each round and their command
is_whole() {
	quick "$1"
	is '.schema == "sgstream-study/1" and .study == "'"$1"'" and .quick and .lab == "uml" and .rounds == 1' "$result"
	is '.host.cpus >= 1 and (.host.load_before | length == 3) and .kernel != null and .versions.sgstream != null' "$result"
	is ".cells | length == $2 and all(.[]; .reason == null)" "$result"
	is '.cells | all(.[]; (.command | length > 10) and (.figures | length > 1) and
		all(.figures[]; (.rounds | length == 1) and .low <= .median and .median <= .high))' "$result"
	is '[.cells[].of] | length == (unique | length)' "$result"
	is '.cells | all(.[]; .figures.bytes_per_second.median > 0)' "$result"
}

# A rate as the tables have it: 1,234 or 12.3
mb() {
	awk -v value="$1" 'BEGIN { printf (value >= 1e8 ? "%.0f" : "%.1f"), value / 1e6 }' |
		sed -E ':again; s/^([0-9]+)([0-9]{3})/\1,\2/; t again'
}

# The row that begins so has the rate of a cell in a column: row_has TEXT COLUMN FILTER
row_has() {
	local row value
	value=$(mb "$(json "[.cells[] | select(.of == $3)][0].figures.bytes_per_second.median" "$result")")
	row=$(grep -m 1 "^| $1 " "$T/doc/studies.md")
	[ "$(cut -d '|' -f "$2" <<<"$row" | tr -d ' ')" = "$value" ] && return
	echo "column $2 is not $value: $row"
	return 1
}

# ---- each study ----

@test "A: three sizes, direct, readv and sg" {
	is_whole a-direct-readv 11
	is '[.cells[] | select(.of.engine == "readv") | .command | contains("--iovecs 16")] | length == 2 and all' "$result"
}

@test "B: read-ahead of a file and of its device, depth, and the smallest transaction" {
	is_whole b-read-ahead 16
	is '[.cells[] | select(.of.ahead_kib != null) | .figures.drive_depth.median > 1] | length == 8 and all' "$result"
	is '[.cells[] | select(.of.what == "smallest") | .figures | .bytes_per_second.median / .iops.median | . > 510 and . < 514] | length == 4 and all' "$result"
}

@test "C: the false number of sg_dd beside what moved" {
	is_whole c-page-cache 18
	is '[.cells[] | select(.of.reader != "sg_dd false") | .figures.bytes.median == 33554432] | length == 16 and all' "$result"
	is '[.cells[] | select(.of.reader == "sg_dd false") | .figures.bytes.median * .of.bs / 512 == 33554432] | length == 2 and all' "$result"
	is '[.cells[] | select(.of.reader == "sg_dd false") | (.figures | .printed_bytes_per_second.median / .bytes_per_second.median) / (.of.bs / 512)
		| . > 0.95 and . < 1.05] | all' "$result"
	has "$S/c-page-cache.text" "this kernel has no perf events"
}

@test "D: two schedulers, two lengths, two patterns" {
	is_whole d-scheduler 8
	is '[.cells[] | select(.of.pattern == "own") | .figures.drive_kib.median | . >= 4 and . < 4.4] | length == 4 and all' "$result"
	is '[.cells[] | select(.of.length == "4 MiB") | .figures.bytes.median == 4194304] | length == 4 and all' "$result"
}

@test "E: md, member and sg at two depths, and writers" {
	is_whole e-md 21
	is '[.cells[] | select(.of.writes != null) | .command | startswith("fio ") and contains("--rw=randwrite")] | length == 3 and all' "$result"
	is '[.cells[] | select(.of.layer == "md") | .of.level] | unique == ["raid0", "raid1", "raid5"]' "$result"
}

# ---- the document ----

@test "figures in the document are those of the results, and it is the same twice" {
	local name
	for name in $names; do quick "$name"; done
	"$STUDIES/document" --from "$S" --to doc
	"$STUDIES/document" --from "$S" --to again
	diff -r doc again
	for name in $names; do
		has doc/studies.md "(studies/$name.svg)" "$(sed -n 's/^## //p' "$S/$name.text")"
		grep -q 'background' <(head -n 30 "doc/studies/$name.svg") || grep -q '#ffffff' "doc/studies/$name.svg"
	done
	quick a-direct-readv && row_has "64 KiB" 7 '{"engine": "direct", "bs": 65536}'
	row_has "64 KiB" 9 '{"engine": "sg-mmap", "bs": 65536}'
	quick b-read-ahead && row_has "16 " 5 '{"what": "file", "ahead_kib": 256}'
	quick c-page-cache && row_has "64 KiB  | sg-mmap" 5 '{"reader": "sg-mmap", "bs": 65536}'
	row_has "256 KiB | dd" 5 '{"reader": "dd", "bs": 262144}'
	quick d-scheduler && row_has "long   | none" 7 '{"scheduler": "none", "pattern": "own", "length": "long"}'
	quick e-md && row_has "raid5 |     8" 9 '{"level": "raid5", "layer": "md", "depth": 8}'
}

@test "another figure, another document" {
	mkdir from
	quick a-direct-readv
	jq '(.cells[] | select(.of == {"engine": "direct", "bs": 65536}).figures.bytes_per_second.median) |= 12345678' "$result" >from/a.json
	"$STUDIES/document" --from from --to doc
	has doc/studies.md " 12.3 |"
	has_not "$S/a-direct-readv.text" " 12.3 |"
}

@test "the document in doc/ is what the results there give" {
	local name version
	"$STUDIES/document" --to doc
	diff "$root/doc/studies.md" doc/studies.md
	version=$(gnuplot --version | cut -d ' ' -f 2)
	for name in $names; do
		is '(.quick | not) and .rounds >= 6 and .lab == "uml" and (.cells | all(.[]; .reason == null))' "$root/doc/studies/$name.json"
		grep -q "$version" "$root/doc/studies/$name.svg" || continue # another gnuplot draws other lines
		diff -q "$root/doc/studies/$name.svg" "doc/studies/$name.svg"
	done
}

# ---- given devices ----

lab_devices() {
	local state
	state() { cat /sys/block/sda/device/queue_depth /sys/block/sda/queue/{scheduler,read_ahead_kb,max_sectors_kb}; }
	dd if=/dev/urandom of=/dev/sda bs=1M oflag=direct status=none || true
	note before "$(state)" "$(b2sum </dev/sda)"
	record a "$STUDIES/a-direct-readv" --quick --json "$LAB_OUT/a.json" /dev/sg0
	record b "$STUDIES/b-read-ahead" --quick --json "$LAB_OUT/b.json" /dev/sda
	record d "$STUDIES/d-scheduler" --quick --json "$LAB_OUT/d.json" /dev/sg0
	record md "$STUDIES/e-md" --quick --json "$LAB_OUT/md.json" /dev/sda
	note after "$(state)" "$(b2sum </dev/sda)"
}

@test "given devices are read, not written to, and have their settings back" {
	scene_is_done lab_devices
	result a
	exits 0
	has out "on devices of this host" "/dev/sg0"
	is '.lab == null and .devices == ["/dev/sg0"]' "$R/a.json"
	result b
	exits 0
	is '[.cells[] | select(.of.what == "node")] | length == 4 and all(.[]; .reason == null)' "$R/b.json"
	result d
	exits 0
	is '[.cells[].of.pattern] | unique == ["own", "shared"]' "$R/d.json"
	result md
	exits 2
	has err "e-md: /dev/sda is no md array"
	[ "$(noted before)" = "$(noted after)" ]
}
