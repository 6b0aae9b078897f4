#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Input that cannot be meant: one line that names the value and the way out, the right exit
# status, and with --json an object that says the same.

load ../helpers

setup() {
	prepare
	random file 1000000
}

teardown() { conclude; }

@test "an unknown option points to the help of its command" {
	local command
	for command in list doctor compare sweep tune plan report; do
		sgs "$command" --bogus
		is_refusal 1 "'--bogus'" "sgstream $command --help shows them all"
	done
	sgs list --bs 4k
	is_refusal 1 "'--bs'" "sgstream list --help"
	sgs doctor -Z
	is_refusal 1 "'-Z'" "sgstream doctor --help"
	sgs read --bogus
	is_refusal 1 "'--bogus'" "; sgstream --help shows them all"
	sgs --bogus
	is_refusal 1 "; sgstream --help shows them all"
}

@test "no device" {
	refused 1 "no device" "sgstream list" --
	refused 1 "no device" -- --bs 64k
	refused 1 "no device" -- read
}

@test "options that there are not" {
	refused 1 "--bogus" "--help" -- --bogus file
	refused 1 "--bogus" "--help" -- file --bogus
	refused 1 "--bogus" "--help" -- read --bogus=5 file
	refused 1 "-x" "--help" -- -x file
	refused 1 "-x" "--help" -- -vx file
	refused 1 "--t" "--help" -- --t 5s file
	refused 1 "--loop=yes" "takes no value" -- --loop=yes file
	refused 1 "--bogus" "--help" -- list --bogus
	refused 1 "--bs" "--help" -- list --bs 4k
}

@test "values that are missing" {
	# shellcheck disable=SC2034 # for refused
	json_last='' # it would be taken for the value
	refused 1 "--bs needs a value" -- file --bs
	refused 1 "-b needs a value" -- file -b
	refused 1 "-e needs a value" -- file -e
	refused 1 "--timeout needs a value" -- file --timeout
}

@test "block sizes that are no sizes" {
	local value
	for value in x .5k 64x 64kb 4B 16E 1.5 -4k 99999999999999999999 16384P 0x10k '64 k' '' 0 0blk; do
		refused 1 "--bs" "'$value'" -- --bs "$value" file
	done
	refused 1 "--bs" "'4B'" "blk" -- -b 4B file
	refused 1 "--bs" "'64x'" "KiB" -- -b64x file
}

@test "sizes and offsets that are none" {
	local option value
	for option in --size --offset; do
		for value in x -1 99999999999999999999 '' 1M2; do
			refused 1 "$option" "'$value'" -- "$option" "$value" file
		done
	done
}

@test "a size of nothing is not the whole device" {
	refused 1 "--size" "0" -- --size 0 file
	refused 1 "--size" "0" -- --size 0blk file
	refused 1 "count" "0" -- if=file count=0
}

@test "counts that are none" {
	local option value
	for option in --count --threads --qd; do
		for value in x 1.5 -1 99999999999999999999 '' 0; do
			refused 1 "$option" "'$value'" -- "$option" "$value" file
		done
	done
	for value in x -1 ''; do
		refused 1 "--retries" "'$value'" -- --retries "$value" file
	done
	sgs --retries 0 file
	exits 0
}

@test "times that are none" {
	local option value
	for option in --runtime --timeout --interval; do
		for value in x 5M -1s 0 '' 5124096h; do
			refused 1 "$option" "'$value'" -- "$option" "$value" file
		done
	done
}

@test "words that are none of those that can be" {
	refused 1 "--cdb" "'7'" "auto, 6, 10, 12, 16" -- --cdb 7 file
	refused 1 "--cdb" "''" "auto, 6, 10, 12, 16" -- --cdb= file
	refused 1 "--progress" "'soon'" "auto, always, never" -- --progress soon file
	refused 1 "'bogus'" "sg-mmap" "sg-dio" "sg-copy" "buffered" "direct" "null" -- -e bogus file
	refused 1 "''" "sg-mmap" "buffered" -- -e '' file
	refused 1 "'SG-MMAP'" "sg-mmap" -- -e SG-MMAP file
}

@test "the first of several mistakes is the one that is named" {
	refused 1 "--bs" "'x'" -- --bs x --bogus --count y /nonexistent
	has_not err bogus nonexistent
}

@test "options that contradict one another" {
	refused 31 "--loop" "--runtime" "--size" "--count" -- --loop file
	refused 31 "--qd 2" "--threads 4" -- -q 2 -j 4 file
	refused 31 "--qd 4" "--threads" "1" "buffered" -- -q 4 -j 1 file
	refused 31 "skip" "--offset" -- skip=1 --offset 64k file
	refused 31 "iflag=direct" "buffered" -- iflag=direct -e buffered file
	refused 31 "iflag=direct" "buffered" -- -e buffered iflag=direct file
}

@test "a depth that no engine gives" {
	refused 1 "5000" "1024" "--qd" -- -q 5000 file
	refused 1 "5000" "1024" "--threads" -- -j 5000 file
	refused 1 "--qd" "'4294967297'" -- -q 4294967297 file
}

@test "a range past the end of the file" {
	refused 1 "file" "--offset" "1000000" "past its end" -- --offset 1000000 file
	refused 1 "file" "--offset" "past its end" "1000000" -- --offset 2M file
	refused 1 "file" "--offset" "past its end" "1000000" -- --offset 16383P file
	refused 1 "file" "--size" "1000001" "past its end" "1000000" -- --size 1000001 file
	refused 1 "file" "--size" "1000000" "past its end" -- --offset 1 --size 1000000 file
	refused 1 "file" "--count 17" "past its end" "1000000" -- --count 17 file
	refused 1 "--count" "4611686018427387904" -- --count 4611686018427387904 file
	refused 1 "file" "past its end" -- --count 4611686018427387903 file
	refused 1 "file" "past its end" -- if=file bs=64k skip=16
	refused 1 "skip=18446744073709551615" "too large" -- if=file skip=18446744073709551615
	sgs --offset 999999 --size 1 file
	exits 0
	has_not out "nothing was read"
	sgs --count 16 file
	exits 0
}

@test "a block size above what one command can have" {
	refused 1 "--bs" "1 GiB" "smaller" -- --bs 2G file
	refused 1 "--bs" "1 GiB" "smaller" -- --bs 16383P file
}

@test "direct I/O with sizes that it cannot do" {
	sgs -e direct --bs 4k file
	[ "$status" -eq 0 ] || skip "no direct I/O on this file system"
	refused 1 "file" "--bs" "1000" "512" "multiple" -- -e direct --bs 1000 file
	refused 1 "file" "--offset" "multiple" -- -e direct --offset 1 file
	refused 1 "file" "--offset" "multiple" -- iflag=direct --offset 1000 file
}

@test "what is not there" {
	refused 15 "/nonexistent" "no such" "sgstream list" -- /nonexistent
	refused 15 "file/x" "no such" "sgstream list" -- file/x
	refused 15 "./list" "no such" -- ./list
	refused 1 "''" -- ''
	refused 1 "if=" -- if=
	ln -s nowhere broken
	refused 15 "broken" "no such" -- broken
	ln -s ring ring
	refused 15 "ring" "symbolic links" "check" -- ring
	sgs -- --bs # behind -- all are devices
	exits 15
	has err "--bs" "no such"
	one_line err
	sgs -- bs=4k
	exits 15
	has err "bs=4k" "no such"
}

@test "the device that is wrong is named among good ones" {
	refused 15 "/nonexistent" "no such" -- file /nonexistent file
}

@test "what is no device" {
	mkdir folder
	refused 15 "folder is a directory" "/dev/sgN" "regular file" -- folder
	refused 15 "/dev/null is a character device" "/dev/sgN" -- /dev/null
	refused 15 "/dev/zero" "/dev/sgN" -- -e direct /dev/zero
	mkfifo fifo
	refused 15 "fifo is a pipe" "/dev/sgN" -- fifo
	: >nothing
	refused 15 "nothing is an empty file" -- nothing
	refused 15 "file" "no SCSI device" "-e direct" "-e buffered" -- -e sg-mmap file
	refused 15 "file" "no SCSI device" "-e buffered" -- -e sg-dio -q 4 file
	refused 15 "file" "no SCSI device" "-e buffered" -- iflag=mmap if=file
}

# A program and a file that another user may search for, but not read
@test "what may not be read" {
	local place=$T
	if [ "$(id -u)" -eq 0 ]; then
		place=$(mktemp -d /tmp/sgstream.bats.XXXXXX)
		chmod 711 "$place"
		install -m 755 "$SGSTREAM" "$place/sgstream"
		printf '#!/bin/sh\nexec setpriv --reuid 65534 --regid 65534 --clear-groups %s "$@"\n' \
			"$place/sgstream" >as_nobody
		chmod 755 as_nobody
		SGSTREAM=$T/as_nobody
	fi
	install -m 600 file "$place/private"
	mkdir -m 711 "$place/closed"
	install -m 644 file "$place/closed/file"
	chmod 000 "$place/closed"
	[ "$place" != "$T" ] || chmod 000 private
	refused 15 "$place/private" "read permission" "sudo" -- "$place/private"
	refused 15 "$place/closed/file" "sudo" -- "$place/closed/file"
	[ "$place" = "$T" ] || rm -r "$place"
}

@test "output operands" {
	local value
	for value in copy /dev/full '' /dev/sda; do
		refused 1 "of=$value" "only reads" -- if=file of="$value"
		[ ! -e copy ]
	done
	sgs if=file of=/dev/null
	exits 0
}

@test "dd operands with values that are none" {
	refused 1 "bs=x" -- if=file bs=x
	refused 1 "bs=" -- if=file bs=
	refused 1 "bs=0" -- if=file bs=0
	refused 1 "count=-1" -- if=file count=-1
	refused 1 "count=1.5" -- if=file count=1.5
	refused 1 "skip=-1" -- if=file skip=-1
	refused 1 "skip=99999999999999999999" -- if=file skip=99999999999999999999
	refused 1 "iflag=bogus" "direct, dio, mmap" -- if=file iflag=bogus
	refused 1 "iflag=" "direct, dio, mmap" -- if=file iflag=
}

@test "the reason stands behind a long path, too, and the path once" {
	local long
	long=$(printf '%0240d' 0)
	mkdir -p "$long/$long"
	cp file "$long/$long/file"
	cp file "$long/file"
	refused 1 "past its end" -- --offset 2M "$long/$long/file"
	refused 15 "no SCSI device" "-e buffered" -- -e sg-mmap "$long/$long/file"
	refused 1 "past its end" -- --offset 2M "$long/file"
	[ "$(grep -o "$long" err | wc -l)" -eq 1 ]
	refused 15 "no such" "sgstream list" -- "$long/$long/none"
	refused 15 "4095 bytes" -- "$(printf '%05000d' 0)"
}

@test "names that could hurt a terminal are made harmless" {
	local name=$'no\e[31m\n\rfile\x7f\xff\xc3('
	refused 15 "no" "[31m" "file" "no such" -- "$name"
	refused 1 "there is no option" -- "--$name"
	refused 1 "--bs" -- --bs "$name" file
	refused 1 "there is no engine" -- -e "$name" file
	refused 1 "of=" -- if=file "of=$name"
	refused 1 "there is no option" -- $'-\xc3' file
}

@test "bad blocks that are left out, or not" {
	random file 1000000
	refused 1 "--on-error" "'maybe'" "neither stop nor skip" -- --on-error maybe file
	refused 31 "--max-errors" "--on-error skip" -- --max-errors 5 file
	refused 31 "--bad-list" "--on-error skip" -- --bad-list list file
	refused 1 "--max-errors" "'0'" -- --on-error skip --max-errors 0 file
	refused 1 "--ready-timeout" "'soon'" -- --ready-timeout soon file
	refused 31 "--bad-list file" -- --on-error skip --bad-list file file
	refused 31 "--bad-list x" -- --on-error skip --bad-list x --csv=x file
	refused 15 "--bad-list" "/dev/null" "regular file" -- --on-error skip --bad-list /dev/null file
	refused 52 "--bad-list" "No such file" -- --on-error skip --bad-list none/list file
	[ ! -e list ]
}

@test "a list of bad blocks that there are not" {
	random file 1000000
	sgs --json --digest --on-error skip --bad-list list file
	is_good_run
	is '.runs[0] | .on_error == "skip" and .devices[0].bad_ranges == [] and .total.bad_blocks == 0 and
		(.total.digest_partial | not) and .total.recovery == {"commands": 0, "bytes": 0, "ns": 0}'
	diff - list <<<$'device\tfirst_lba\tblocks\tblock_bytes'
	sgs --dry-run --on-error skip file
	exits 0
	has out "bad blocks left out"
	sgs --dry-run --json file
	is '.planned[0].on_error == "stop"'
}
