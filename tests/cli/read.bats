#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Reading regular files: what is read, how much of it, and how it is counted.

load ../helpers

setup() {
	prepare
	random file 1000000
}

teardown() { conclude; }

# Reads with --json --digest; the digest is in $digest.
digest_of() {
	sgs --json --digest "$@"
	is_good_run
	digest=$(json '.runs[0].total.digest')
}

direct_works() {
	sgs -e direct --bs 4k -c 1 "$1"
	[ "$status" -eq 0 ]
}

@test "the whole file by default: 64 KiB, one reader, through the page cache" {
	sgs --json file
	is_good_run
	is '.command == "read" and (.argv | .[1:] == ["--json", "file"])'
	is '.runs | length == 1'
	is '.runs[0] | .engine == "buffered" and .bs_bytes == 65536 and .threads == 1 and
		.queue_depth == 1 and .pattern == "seq" and .intervals == []'
	is '.runs[0].devices | length == 1 and (.[0] | .path == "file" and .block_path == "file" and
		.block_bytes == 1 and .blocks == 1000000 and .goal_bytes == 1000000 and .status == 0)'
	is '.runs[0].total | .bytes == 1000000 and .commands == 16 and .transfer.cached == 16 and
		.in_flight.max == 1 and .in_flight.mean <= 1 and (has("digest") | not)'
	is '[.runs[0].total.errors[]] | add == 0'
}

@test "every size, through every engine, has its bytes, commands and one digest" {
	local size engine first engines=(buffered)
	direct_works file && engines+=(direct)
	for size in 1 511 512 4095 65535 65536 65537 999999; do
		random data "$size"
		first=''
		for engine in "${engines[@]}"; do
			digest_of -e "$engine" data
			is ".runs[0].total | .bytes == $size and .commands == $(((size + 65535) / 65536))"
			[ "$engine" = buffered ] || is ".runs[0].total | .transfer.direct == .commands"
			[ "$digest" = "${first:=$digest}" ]
		done
	done
}

@test "the digest tells a changed, a moved and a missing byte" {
	local at whole
	digest_of file
	whole=$digest
	cp file other
	digest_of other
	[ "$digest" = "$whole" ]
	for at in 0 65536 999999; do
		cp file other
		[ "$(dd if=file bs=1 skip=$at count=1 status=none | od -An -tx1)" != " 00" ] || continue
		printf '\0' | dd of=other bs=1 seek=$at conv=notrunc status=none
		digest_of other
		[ "$digest" != "$whole" ]
	done
	{ tail -c +65537 file | head -c 65536; head -c 65536 file; tail -c +131073 file; } >other
	digest_of other
	[ "$digest" != "$whole" ]
	head -c 999999 file >other
	digest_of other
	[ "$digest" != "$whole" ]
}

@test "threads and depth read everything once" {
	digest_of file
	local whole=$digest same='' arguments threads depth
	while read -r arguments threads depth; do
		# shellcheck disable=SC2086
		digest_of --bs 4k ${arguments//_/ }
		is ".runs[0] | .threads == $threads and .queue_depth == $depth"
		is '.runs[0].total | .bytes == 1000000 and .commands == 245'
		is ".runs[0].total.in_flight.max <= $depth"
		[ "$digest" = "${same:=$digest}" ]
	done <<-'END'
		file 1 1
		-j_3_file 3 3
		-q_5_file 5 5
		-j_4_-q_4_file 4 4
		file_-q_300 300 300
	END
	[ "$same" != "$whole" ] # of other transfers
}

@test "more threads than commands" {
	digest_of -q 40 file
	is '.runs[0].total | .bytes == 1000000 and .commands == 16'
}

# Whether bytes at an offset count: only inside of what is read.
reads_only() { # FIRST SIZE ARGUMENT...
	local first=$1 size=$2 digest_before at
	shift 2
	digest_of "$@" file
	is ".runs[0].total.bytes == $size"
	is ".runs[0].devices[0].goal_bytes == $size"
	digest_before=$digest
	for at in $((first - 1)) $((first + size)); do
		((at >= 0 && at < 1000000)) || continue
		cp file changed
		printf 'xyz' | dd of=changed bs=1 seek=$((at < first ? at - 2 : at)) conv=notrunc status=none
		digest_of "$@" changed
		[ "$digest" = "$digest_before" ]
	done
	for at in "$first" $((first + size - 3)); do
		cp file changed
		printf 'xyz' | dd of=changed bs=1 seek="$at" conv=notrunc status=none
		digest_of "$@" changed
		[ "$digest" != "$digest_before" ]
	done
}

@test "offset, size and count say where to begin and how much to read" {
	reads_only 100000 900000 --offset 100000
	reads_only 0 100000 --size 100000
	reads_only 0 196608 --count 3
	reads_only 4096 65536 --offset 4k --count 1
	reads_only 65536 100 --offset 64k --size 100
	reads_only 10000 30000 --offset 10000blk --size 30000blk --bs 10000blk
	reads_only 0 65536 --size 128k --count 1
	reads_only 0 65536 --size 64k --count 16
}

@test "a count that ends with the short last command" {
	sgs --json --count 16 file
	is_good_run
	is '.runs[0].total | .bytes == 1000000 and .commands == 16'
	sgs --json --offset 999999 --count 1 file
	is_good_run
	is '.runs[0].total | .bytes == 1 and .commands == 1'
}

@test "loop begins again at the offset until size or count is reached" {
	sgs --json --loop --size 2500000 file
	is_good_run
	is '.runs[0].total | .bytes == 2500000 and .commands == 40'
	sgs --json --loop --count 40 file
	is_good_run
	is '.runs[0].total | .bytes == 2 * 1000000 + 8 * 65536 and .commands == 40'
	sgs --json --loop --count 32 --offset 500000 -q 3 file
	is_good_run
	is '.runs[0].total | .bytes == 4 * 500000 and .commands == 32'
	head -c 65536 file >small
	digest_of --count 1 small
	local once=$digest
	digest_of --loop --count 1 small
	[ "$digest" = "$once" ]
	digest_of --loop --size 128k small
	[ "$digest" != "$once" ]
}

@test "loop and runtime: it ends when the time has passed" {
	sgs --json --loop --runtime 300ms file
	is_good_run
	is '.runs[0].total | .elapsed_ns >= 200e6 and .elapsed_ns < 5e9 and .bytes > 1000000'
	is '.runs[0].devices[0].goal_bytes == null'
}

@test "the first end that is reached counts" {
	sgs --json --loop --runtime 50s --count 3 file
	is_good_run
	is '.runs[0].total | .commands == 3 and .elapsed_ns < 5e9'
	sgs --json --runtime 50s file
	is_good_run
	is '.runs[0].total | .bytes == 1000000 and .elapsed_ns < 5e9'
}

@test "a runtime that will never pass is no runtime of nothing" {
	local time
	for time in 1000000h 5000000h 5124095h; do
		sgs --json --runtime "$time" file
		if [ "$status" -eq 1 ]; then # refused is right as well
			has err --runtime "$time"
			continue
		fi
		is_good_run
		is '.runs[0].total.bytes == 1000000'
	done
}

@test "sizes with units" {
	local text bytes
	while read -r text bytes; do
		sgs --json --loop --size "$text" --bs 1M file -e null
		exits 0
		is ".runs[0].total.bytes == $bytes"
	done <<-'END'
		1000 1000
		1k 1024
		1K 1024
		1KiB 1024
		1kB 1000
		1KB 1000
		1.5k 1536
		1m 1048576
		1MB 1000000
		0.5MiB 524288
		2g 2147483648
		1GB 1000000000
		1t 1099511627776
		0x100 256
		7blk 7
	END
}

@test "dd operands say the same as options" {
	local by_options
	digest_of --offset 128k --count 3 file
	by_options=$digest
	digest_of if=file bs=64k skip=2 count=3 of=/dev/null
	[ "$digest" = "$by_options" ]
	digest_of skip=2 count=3 if=file
	[ "$digest" = "$by_options" ]
	digest_of count=3 skip=2 file bs=65536
	[ "$digest" = "$by_options" ]
	digest_of --count 3 bs=64k file skip=2
	[ "$digest" = "$by_options" ]
	sgs --json if=file iflag=direct bs=4k count=1
	[ "$status" -ne 0 ] || is '.runs[0].engine == "direct" and .runs[0].bs_bytes == 4096'
}

@test "a file whose name looks like an operand or an option" {
	local name
	for name in bs=1 if=file --bs -q; do
		cp file "./$name"
		sgs --json "./$name"
		is_good_run
		sgs --json -- "$name"
		is_good_run
	done
}

@test "the null engine moves nothing and says so" {
	sgs --json --digest -e null file
	is_good_run
	is '.runs[0].total | .commands == 16 and ([.transfer[]] | add) == 0 and (has("digest") | not)'
}

@test "what must not be copied" {
	sgs --json --require-zero-copy file
	exits 36
	object
	is '.status == "ok" and .exit_status == 36'
	is '[.messages[] | select(.level == "error") | .code] == ["not_zero_copy"]'
	is '.runs[0].total | .bytes == 1000000 and .transfer.cached == 16'
	has err "--require-zero-copy" "16 of 16"
	direct_works file || skip "no direct I/O on this file system"
	sgs --json --require-zero-copy -e direct file
	is_good_run
	is '.runs[0].total.transfer.direct == 16'
}

@test "several files: one line each, and the total is their sum" {
	random second 3000000
	sgs --json --digest file second -j 2
	is_good_run
	is '.runs[0] | (.devices | map(.bytes)) == [1000000, 3000000] and .total.bytes == 4000000'
	is '.runs[0] | (.devices | map(.path)) == ["file", "second"]'
	is '.runs[0].total.in_flight.max <= 4'
	is '[.messages[].code] | index("same_unit") == null'
	sgs file second
	exits 0
	has out "2 devices" "first done" "last done" "start spread"
	grep -q '^DEVICE .*MB/s  *MiB/s .*COMMANDS' out
	grep -q '^file .* 16 ' out
	grep -q '^second .* 46 ' out
}

@test "one file given twice is said to be counted twice" {
	sgs --json file file
	is_good_run
	is '[.messages[] | select(.code == "same_unit")] | length == 1'
	has err "counted twice"
}

@test "a link to a file is the file" {
	ln -s file link
	digest_of file
	local whole=$digest
	digest_of link
	[ "$digest" = "$whole" ]
	is '.runs[0].devices[0].path == "link"'
}

@test "a file that becomes shorter is told as that, by every engine and whatever --on-error is" {
	local engine engines=(buffered mmap) rule
	direct_works file && engines+=(direct)
	for engine in "${engines[@]}"; do
		for rule in stop skip; do
			random shrinking 4194304
			# The pipe is full long before the end is reached, and stays so until it is cut.
			{
				"$SGSTREAM" --json=out -e "$engine" --on-error "$rule" -o - shrinking 2>err ||
					echo "$?" >status
			} | {
				head -c 4096 >/dev/null
				truncate -s 1000000 shrinking
				cat >/dev/null
			}
			[ "$(<status)" -eq 69 ]
			is '.exit_status == 69 and (.runs[0].total.errors | .gone >= 1 and .medium == 0 and .short == 0)'
			is '.runs[0].total | (.bad_blocks // 0) == 0 and .bytes < 4194304'
			has err "the file became shorter while it was read: it has 1000000 bytes now, not 4194304"
			has_not err "device has gone" "kernel log"
		done
	done
}

@test "a time that is over before the first command is said to be" {
	sgs --json --runtime 0.001us file
	is_good_run
	is '.runs[0].total.commands == 0 and ([.messages[] | select(.code == "nothing_read")] | length == 1)'
	has err "nothing was read" "--runtime 1 ns"
}

@test "a dry run reads nothing" {
	truncate -s 8T sparse
	sgs --dry-run sparse
	exits 0
	empty err
	has out "dry run" "nothing was read" "8.80 TB"
	sgs --dry-run --json -q 4 -b 1M --offset 4T sparse
	exits 0
	object
	empty err
	is '.status == "ok" and .runs == [] and (.planned | length == 1)'
	is '.planned[0] | .bs_bytes == 1048576 and .queue_depth == 4 and .threads == 4 and
		.engine == "buffered"'
	is '.planned[0].devices[0] | .goal_bytes == 4398046511104 and (has("bytes") | not)'
	sgs --dry-run --loop --runtime 5s file
	exits 0
	has out "dry run" "what the time allows"
	refused 1 "past its end" -- --dry-run --offset 9T sparse
	refused 15 "/nonexistent" -- --dry-run /nonexistent
}
