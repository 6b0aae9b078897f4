#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Block lengths, capacities, ranges and the limits of a command's size.
# shellcheck disable=SC2317,SC2154,SC2030,SC2031 # lab_ functions run inside

load ../helpers
load lab

setup_file() { boot --allow-dio 1 --mem 768M --scsi-debug none; }
setup() { prepare; }
teardown() { conclude; }

# ---- the end of the drive ----

lab_tail() {
	lab-reload "dev_size_mb=9 delay=0"
	echo 1024 >/sys/block/sda/queue/max_sectors_kb
	for engine in sg-mmap sg-dio sg-copy direct buffered; do
		sgs "tail-$engine" --json --digest --bs 640k -e "$engine" /dev/sg0
	done
	sgs tail-deep --json --digest --bs 640k -q 4 /dev/sg0
	sgs tail-loop --json --loop --count 30 --bs 640k -e sg-copy /dev/sg0
	sgs tail-larger --json --bs 1M --offset 8704k /dev/sg0
	sgs tail-last --json --bs 1blk --offset 18431blk /dev/sg0
	sgs tail-past /dev/sg0 --offset 18432blk --json
	sgs tail-count /dev/sg0 --bs 640k --count 16 --json
	sgs tail-size /dev/sg0 --size 18433blk --json
}

@test "the last command is as long as the drive still is" {
	scene_is_done lab_tail
	local engine
	result tail-sg-mmap
	digest=$(json '.runs[0].total.digest')
	for engine in sg-mmap sg-dio sg-copy direct buffered; do
		result "tail-$engine"
		is_good_run
		is '.runs[0].total | .bytes == 9437184 and .commands == 15'
		[ "$(json '.runs[0].total.digest')" = "$digest" ]
	done
	result tail-deep
	is_good_run
	is '.runs[0].total | .bytes == 9437184 and .commands == 15'
	[ "$(json '.runs[0].total.digest')" = "$digest" ]
	result tail-loop
	is_good_run
	is '.runs[0].total | .bytes == 2 * 9437184 and .commands == 30'
	result tail-larger
	is_good_run
	is '.runs[0].total | .bytes == 524288 and .commands == 1'
	result tail-last
	is_good_run
	is '.runs[0].total | .bytes == 512 and .commands == 1'
}

@test "past the end is refused, with the capacity" {
	scene_is_done lab_tail
	result tail-past
	is_refusal_with_object 1 "/dev/sg0" "--offset" "18432" "past its end" "9 MiB"
	result tail-count
	is_refusal_with_object 1 "/dev/sg0" "--count 16" "past its end" "9 MiB"
	result tail-size
	is_refusal_with_object 1 "/dev/sg0" "--size" "18433" "past its end" "9 MiB"
}

# ---- 4096-byte blocks ----

lab_4kn() {
	lab-reload "dev_size_mb=8 sector_size=4096 delay=0"
	head -c 8388608 /dev/urandom >/dev/sda
	for engine in sg-mmap sg-copy direct buffered; do
		sgs "4kn-$engine" --json --digest -e "$engine" /dev/sg0
		sgs "4kn-512-$engine" --json --bs 512 -e "$engine" /dev/sg0
	done
	sgs 4kn-bs --json --bs 10000 /dev/sg0
	sgs 4kn-offset --json --offset 512 /dev/sg0
	sgs 4kn-size --json --size 5000 /dev/sg0
	sgs 4kn-blocks --json --bs 2blk --offset 1blk --size 5blk /dev/sg0
	sgs 4kn-list list --json
}

@test "a drive of 4096-byte blocks is read in those, and in nothing smaller" {
	scene_is_done lab_4kn
	local engine digest
	result 4kn-sg-mmap
	digest=$(json '.runs[0].total.digest')
	for engine in sg-mmap sg-copy direct buffered; do
		result "4kn-$engine"
		is_good_run
		is '.runs[0].total.bytes == 8388608'
		is '.runs[0].devices[0] | .block_bytes == 4096 and .blocks == 2048'
		[ "$(json '.runs[0].total.digest')" = "$digest" ]
		result "4kn-512-$engine"
		is_refusal_with_object 1 "/dev/sg0" "--bs" "512" "4096"
		has_not err "4096 or 4096"
	done
	result 4kn-bs
	is_refusal_with_object 1 "--bs" "10000" "4096" "8192" "12288"
	result 4kn-offset
	is_refusal_with_object 1 "--offset" "512" "4096"
	result 4kn-size
	is_refusal_with_object 1 "--size" "5000" "4096" "8192"
	result 4kn-blocks
	is_good_run
	is '.runs[0] | .bs_bytes == 8192 and .total.bytes == 20480 and .total.commands == 3'
	result 4kn-list
	object
	is '.devices[0] | .block_bytes == 4096 and .blocks == 2048'
}

# ---- beyond 2 TiB ----

lab_big() {
	lab-reload "dev_size_mb=8 virtual_gb=5000 delay=0"
	for engine in sg-mmap sg-dio sg-copy direct; do
		sgs "big-last-$engine" --json --digest -e "$engine" --bs 1blk --offset 10485759999blk /dev/sg0
		sgs "big-border-$engine" --json --digest -e "$engine" --bs 16blk --offset 4294967290blk -c 2 /dev/sg0
	done
	sgs big-first --json -c 4 /dev/sg0
	sgs big-past --json --offset 10485760000blk /dev/sg0
	sgs big-dry --json --dry-run /dev/sg0
	sgs big-list list --json

	sgs cdb10-first --json --cdb 10 -c 4 /dev/sg0
	sgs cdb10-reach --json --cdb 10 --bs 1blk --offset 4294967295blk -c 1 /dev/sg0
	sgs cdb10-beyond --json --cdb 10 --bs 1blk --offset 4294967296blk -c 1 /dev/sg0
	sgs cdb10-border --json --cdb 10 --bs 16blk --offset 4294967290blk -c 1 /dev/sg0
	sgs cdb10-whole --json --cdb 10 /dev/sg0
	sgs cdb12-beyond --json --cdb 12 --bs 1blk --offset 4294967296blk -c 1 /dev/sg0
	sgs cdb6-count --json --cdb 6 --bs 257blk -c 1 /dev/sg0
	sgs cdb6-reach --json --cdb 6 --bs 1blk --offset 2097151blk -c 1 /dev/sg0
	sgs cdb6-beyond --json --cdb 6 --bs 1blk --offset 2097152blk -c 1 /dev/sg0

	echo 1 >"$D/opts"
	dmesg -C
	for length in 6 10 12 16 auto; do
		sgs "cdb-$length" --json --digest --cdb "$length" --bs 256blk -c 2 /dev/sg0
	done
	sgs cdb-auto-big --json --bs 1blk --offset 4294967295blk -c 2 /dev/sg0
	sgs cdb-auto-border --json --bs 16blk --offset 4294967290blk -c 1 /dev/sg0
	dmesg | sed -n 's/.*scsi_debug: tag.*cmd \(.*\) $/\1/p' | grep -v '^12\|^25\|^9e' >"$LAB_OUT/cdbs"
	echo 0 >"$D/opts"
}

@test "beyond 2 TiB: capacity, first and last block, the border, one past the end" {
	scene_is_done lab_big
	local engine last border
	last=$(json '.runs[0].total.digest' "$R/big-last-sg-mmap.out")
	border=$(json '.runs[0].total.digest' "$R/big-border-sg-mmap.out")
	for engine in sg-mmap sg-dio sg-copy direct; do
		result "big-last-$engine"
		is_good_run
		is '.runs[0].total | .bytes == 512 and .commands == 1'
		[ "$(json '.runs[0].total.digest')" = "$last" ]
		result "big-border-$engine"
		is_good_run
		is '.runs[0].total | .bytes == 16384 and .commands == 2'
		[ "$(json '.runs[0].total.digest')" = "$border" ]
	done
	result big-first
	is_good_run
	is '.runs[0].devices[0] | .blocks == 10485760000 and .block_bytes == 512'
	result big-past
	is_refusal_with_object 1 "/dev/sg0" "--offset" "10485760000" "past its end" "5000 GiB"
	result big-dry
	object
	is '.planned[0].devices[0].goal_bytes == 5368709120000'
	result big-list
	object
	is '.devices[0].blocks == 10485760000'
}

@test "--cdb beyond its reach is refused, and within it is what is sent" {
	scene_is_done lab_big
	local name
	for name in cdb10-first cdb10-reach cdb6-reach; do
		result "$name"
		is_good_run
	done
	for name in cdb10-beyond cdb10-border cdb10-whole; do
		result "$name"
		is_refusal_with_object 1 "/dev/sg0" "READ(10)" "--cdb 16"
	done
	result cdb12-beyond
	is_refusal_with_object 1 "READ(12)" "4294967296" "--cdb 16"
	for name in cdb6-count cdb6-beyond; do
		result "$name"
		is_refusal_with_object 1 "READ(6)" "--cdb 16"
	done
	for name in 6 10 12 16 auto; do
		result "cdb-$name"
		is_good_run
		[ "$(json '.runs[0].total.digest')" = "$(json '.runs[0].total.digest' "$R/cdb-10.out")" ]
	done
	# each with the trial that proves the size
	diff "$R/cdbs" - <<-'END'
		08 00 00 00 00 00
		08 00 00 00 00 00
		08 00 01 00 00 00
		28 00 00 00 00 00 00 01 00 00
		28 00 00 00 00 00 00 01 00 00
		28 00 00 00 01 00 00 01 00 00
		a8 00 00 00 00 00 00 00 01 00 00 00
		a8 00 00 00 00 00 00 00 01 00 00 00
		a8 00 00 00 01 00 00 00 01 00 00 00
		88 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00
		88 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00
		88 00 00 00 00 00 00 00 01 00 00 00 01 00 00 00
		28 00 00 00 00 00 00 01 00 00
		28 00 00 00 00 00 00 01 00 00
		28 00 00 00 01 00 00 01 00 00
		28 00 ff ff ff ff 00 00 01 00
		28 00 ff ff ff ff 00 00 01 00
		88 00 00 00 00 01 00 00 00 00 00 00 00 01 00 00
		88 00 00 00 00 00 ff ff ff fa 00 00 00 10 00 00
		88 00 00 00 00 00 ff ff ff fa 00 00 00 10 00 00
	END
	for name in big border; do
		result "cdb-auto-$name"
		is_good_run
	done
}

# ---- the size of one command ----

lab_sizes() {
	lab-reload "dev_size_mb=64 delay=0"
	sizes sd "$(<"$LAB_OUT/engines")" 512k 8M 32M
	sgs size-larger --json --bs 128M -e direct /dev/sg0
	sgs size-huge --json --bs 512M -e sg-copy /dev/sg0
	follow remedy-1M --json --bs 1M /dev/sg0
	echo 512 >/sys/block/sda/queue/max_sectors_kb
	follow remedy-8M --json --bs 8M /dev/sg0
	echo 512 >/sys/block/sda/queue/max_sectors_kb
	follow remedy-32M --json --bs 32M /dev/sg0
	echo 128 >/sys/block/sda/queue/max_sectors_kb
	sizes narrow "sg-mmap sg-dio sg-copy direct" 512k
	lab-reload "dev_size_mb=64 delay=0 no_uld=1"
	sizes sgonly "sg-mmap sg-dio sg-copy direct" 8M
}

# Either all was read in commands of the size asked for, or one line says what stands in the way.
is_read_or_explained() { # NAME BYTES DIGEST
	local engine=${1#size-*-*-}
	result "$1"
	if [ "$status" -eq 0 ]; then
		is_good_run
		is ".runs[0] | .bs_bytes == $2 and .total.bytes == $2 and .total.commands == 1"
		[ "$(json '.runs[0].total.digest')" = "$3" ]
		return
	fi
	is_refusal_with_object "$status" "/dev/sg0"
	case $engine in
	sg-mmap) has err "--bs" "reserve buffer of " "smaller --bs" ;;
	sg-* | sgio | bsg) grep -q '[0-9] segments\|no block node' err ;;
	uncached) grep -q 'RWF_DONTCACHE\|no block node' err ;;
	*) has err "no block node" "-e sg-mmap" ;;
	esac
}

@test "every size through every engine is read right, or refused with the limit that it hits" {
	scene_is_done lab_sizes
	local pair size bytes engine digest name
	local results=("$R"/size-*.status)
	[ ${#results[@]} -ge $((3 * $(wc -l <"$R/engines") + 8)) ]
	for pair in sd-512k sd-8M sd-32M narrow-512k sgonly-8M; do
		size=${pair##*-}
		bytes=$(numfmt --from=iec "${size^^}")
		digest=$(json '.runs[0].total.digest' "$R/size-sd-$size-direct.out")
		for engine in "$R/size-$pair-"*.status; do
			engine=${engine##*/size-"$pair"-}
			is_read_or_explained "size-$pair-${engine%.status}" "$bytes" "$digest"
		done
	done
	# What is known to work must
	for name in sd-512k-sg-mmap sd-8M-sg-dio sd-8M-sg-copy sd-32M-direct sd-32M-buffered narrow-512k-sg-copy \
		narrow-512k-direct sgonly-8M-sg-dio; do
		result "size-$name"
		exits 0
	done
	# and what cannot must not
	for name in sd-8M-sg-mmap sd-32M-sg-dio sd-32M-sg-copy narrow-512k-sg-mmap sgonly-8M-sg-mmap; do
		result "size-$name"
		[ "$status" -ne 0 ]
	done
	result size-sd-8M-sg-mmap
	has err "512 KiB" "echo 8192 > /sys/block/sda/queue/max_sectors_kb"
	result size-narrow-512k-sg-mmap
	has err "128 KiB" "echo 512 > /sys/block/sda/queue/max_sectors_kb"
	result size-sgonly-8M-sg-mmap
	has err "1.25 MiB" "-e sg-copy"
	has_not err "/sys/block"
}

@test "a size above the drive, and above what the driver takes" {
	scene_is_done lab_sizes
	result size-larger
	is_good_run
	is '.runs[0].total | .bytes == 67108864 and .commands == 1'
	result size-huge
	is_refusal_with_object "$status" "/dev/sg0" "--bs" "512 MiB" "256" "smaller"
}

@test "the way out that a message tells works" {
	scene_is_done lab_sizes
	local name
	for name in remedy-1M remedy-8M; do
		result "$name"
		[ "$status" -ne 0 ]
		[ -n "$(noted "$name")" ]
		result "$name-done"
		exits 0
		result "$name-again"
		is_good_run
	done
	# 32 MiB is beyond any reserve buffer: no command that cannot help
	result remedy-32M
	[ "$status" -ne 0 ]
	has err "smaller --bs"
	if [ -n "$(noted remedy-32M)" ]; then
		result remedy-32M-done
		exits 0
		result remedy-32M-again
		exits 0
	fi
}
