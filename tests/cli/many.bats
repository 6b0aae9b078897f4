#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Many devices, orders of reading, and several names of one unit, over files.
# shellcheck disable=SC2154

load ../helpers

setup() {
	prepare
	random data 1000000
}
teardown() { conclude; }

@test "seq, segments and random read the same; the seed is told, and gives the order again" {
	local digest pattern seed
	sgs --json --digest data
	is_good_run
	digest=$(json '.runs[0].total.digest')
	for pattern in seq segments random; do
		sgs --json --digest --pattern "$pattern" -j 3 data
		is_good_run
		is ".runs[0] | .pattern == \"$pattern\" and .total.digest == \"$digest\" and .total.bytes == 1000000"
	done
	seed=$(json '.runs[0].seed')
	sgs --pattern random --seed "$seed" --csv -c 3 data
	exits 0
	[ "$(head -n 1 out | tr , '\n' | grep -n '^seed' | cut -d: -f1)" = "$(sed -n 2p out | tr , '\n' | grep -nx "$seed" | cut -d: -f1)" ]
	sgs --dry-run --pattern random --seed 42 data
	exits 0
	has out "random, seed 42" "1.00 MB"
	sgs --json --dry-run --pattern random data
	is '.planned[0] | .pattern == "random" and .seed > 0'
	keep
}

@test "the same seed reads the same few transfers, another one others" {
	local first
	sgs --json --digest --pattern random --seed 5 -b 4k -c 20 data
	is_good_run
	first=$(json '.runs[0].total.digest')
	sgs --json --digest --pattern random --seed 5 -b 4k -c 20 -j 4 data
	is ".runs[0].total.digest == \"$first\""
	sgs --json --digest --pattern random --seed 6 -b 4k -c 20 data
	is ".runs[0].total.digest != \"$first\""
}

@test "bad patterns, and orders that contradict" {
	refused 1 "--pattern: 'zigzag'" "seq, segments, random" -- --pattern zigzag data
	refused 31 "--pattern segments" "5 readers" "3 commands" -- --pattern segments -j 5 -c 3 data
	json_last=
	refused 31 "--output" "--pattern random" -- --pattern random -o file data
	[ ! -e file ] || empty file
}

@test "one unit under two names: once over both, once over each, or a warning" {
	local digest
	sgs --json --digest data
	digest=$(json '.runs[0].total.digest')
	sgs --json --digest --paths merge -j 2 data data
	is_good_run
	is ".runs[0] | .paths == \"merge\" and .total.bytes == 1000000 and .total.digest == \"$digest\"
		and .devices[1].same_unit_as == \"data\" and (.devices[0] | has(\"same_unit_as\") | not)"
	is '.messages | map(select(.code == "same_unit")) == []'
	sgs --json --paths each data data
	is_good_run
	is '.runs[0] | .paths == "each" and .total.bytes == 2000000'
	is '.messages | map(select(.code == "same_unit")) == []'
	sgs --json data data
	is_good_run
	is '.runs[0] | (has("paths") | not) and .total.bytes == 2000000'
	is '.messages | map(select(.code == "same_unit")) | length == 1'
	has err "data and data are one logical unit" "--paths merge"
	ln -sf data link
	ln -f data hard
	for name in ./data link hard; do
		sgs --json data "$name"
		is_good_run
		is '.messages | map(select(.code == "same_unit")) | length == 1'
		sgs --json --digest --paths merge data "$name"
		is_good_run
		is ".runs[0].total | .bytes == 1000000 and .digest == \"$digest\""
	done
	cp data copy
	sgs --json data copy
	is '.messages | map(select(.code == "same_unit")) == []'
	sgs --paths merge --dry-run data data
	exits 0
	has out "data and data are one unit" "read once over both" "1.00 MB"
	refused 1 "--paths: 'both'" "merge, each" -- --paths both data data
	refused 31 "--paths merge" "--pattern segments" -- --paths merge --pattern segments data data
}

@test "200 devices in one run, with few descriptors at first" {
	local i files=()
	for ((i = 0; i < 200; i++)); do
		head -c 65536 data >"f$i"
		files+=("f$i")
	done
	ulimit -Sn 128
	sgs --json -b 16k -q 2 "${files[@]}"
	is_good_run
	is '.runs[0] | (.devices | length == 200 and all(.[]; .status == 0 and .bytes == 65536)) and .total.bytes == 200 * 65536'
	is '.runs[0].total.start_spread_ns > 0'
	ulimit -Hn 150
	sgs --json -b 16k -q 2 "${files[@]}"
	exits 74
	object
	is '.status == "error" and ([.messages[] | select(.code == "no_descriptors")] | length == 1)'
	has err "200 devices" "150"
}

@test "the depth that is reached stands beside the one asked for" {
	sgs --json -q 4 data
	is_good_run
	is '.runs[0] | .queue_depth == 4 and .total.in_flight.reached <= .total.in_flight.mean + 1e-9 and .total.in_flight.reached > 0'
}

@test "--cpus puts the readers there, and refuses CPUs that are not" {
	local mine
	mine=$(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status)
	sgs --json --cpus "${mine%%[-,]*}" -j 2 data
	is_good_run
	is ".runs[0].devices[0].placement | .by == \"list\" and .cpus == \"${mine%%[-,]*}\""
	sgs --json --numa off data
	is_good_run
	is '.runs[0].devices[0].placement | .by == "off" and .cpus == null'
	sgs -v --dry-run --cpus "${mine%%[-,]*}" data
	exits 0
	has out "readers   CPUs ${mine%%[-,]*}"
	refused 1 "--cpus 8000" "may use CPUs $mine" -- --cpus 8000 data
	refused 1 "--cpus: 'few'" "0-3,8" -- --cpus few data
	refused 1 "--numa: 'on'" "auto, off" -- --numa on data
}
