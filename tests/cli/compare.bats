#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Comparing engines over regular files: who takes part, in what order, what is kept, and how it
# ends.
# shellcheck disable=SC2154,SC2016,SC2012 # jq has variables, too

load ../helpers

setup() {
	prepare
	random file 4194304
}

teardown() {
	stop_started
	[ -z "${writer-}" ] || kill "$writer" 2>/dev/null || true
	conclude
}

# Runs that count and runs that do not, as "engine round", in the order of time
order() { json "[.runs[] | select(.warmup == $1) | \"\\(.engine) \\(.round)\"] | join(\", \")"; }

# The figures of the comparison are those of its runs.
rounds_fit() {
	is '.comparison as $c | . as $all | $c.contenders | all(.[];
		. as $one | $one.rounds | all(.[]; . as $round | [$all.runs[] |
			select(.engine == $one.engine and .round == $round.round and (.warmup | not))] |
			length == 1 and .[0].total.bytes_per_second == $round.bytes_per_second))'
	is '.comparison | .rounds as $n | .contenders | all(.[]; .reason != null or
		(.rounds | length == $n))'
	is '.comparison.contenders | all(.[]; .bytes_per_second |
		.median == null or (.low <= .median and .median <= .high))'
}

@test "the default: what cannot read a file says so, and the others are compared" {
	sgs compare --size 2M file
	exits 0
	has out "file " "64 KiB per command, depth 1" "7 rounds in turn after 1 to warm up" \
		"ENGINE" "MB/s" "MiB/s" "98.4 %" "CPU s/GiB" "RATIO" \
		"sg-mmap     takes no part: file is no SCSI device"
	grep -q '^buffered ' out
	has_not out "ROUND"
	messages_only err
	sgs compare --json --size 2M file
	exits 0
	object
	figures_fit
	rounds_fit
	is '.command == "compare" and .status == "ok" and .exit_status == 0'
	is '[.messages[] | select(.level == "error")] == []'
	is '.comparison | .rounds == 7 and .rounds_asked == 7 and .warmup_rounds == 1 and .digest == null'
	is '.comparison.contenders | map(.engine) == ["sg-mmap", "sg-dio", "direct", "buffered"]'
	is '.comparison.contenders[0] | .reason != null and .bytes_per_second.median == null'
	is '.comparison.contenders[3] | .reason == null and (.bytes_per_second.coverage == 0.984375)'
	is '.runs | all(.[]; .bs_bytes == 65536 and .queue_depth == 1 and .total.bytes == 2097152)'
}

@test "every contender runs once a round, and who begins moves on" {
	sgs compare --json --engines null,buffered,mmap --rounds 4 --warmup 2 --size 1M file
	exits 0
	object
	rounds_fit
	[ "$(order true)" = "null 1, buffered 1, mmap 1, buffered 2, mmap 2, null 2" ]
	[ "$(order false)" = "mmap 1, null 1, buffered 1, null 2, buffered 2, mmap 2, buffered 3, mmap 3, null 3, mmap 4, null 4, buffered 4" ]
	is '.comparison | .baseline == "null" and .rounds == 4 and .warmup_rounds == 2'
	is '.comparison.contenders[0].ratio == {"median": 1, "low": 1, "high": 1, "coverage": 0.875}'
	sgs compare --json --engines null --rounds 1 --warmup 0 --size 1M file
	exits 0
	object
	is '.runs | length == 1 and (.[0] | .warmup == false and .round == 1)'
	is '.comparison.contenders[0].bytes_per_second.coverage == 0'
}

@test "ranges, sizes and depth are the same for all" {
	sgs compare --json --engines null,buffered --rounds 2 --bs 4k -q 3 -j 3 --offset 1M --count 10 file
	exits 0
	object
	is '.runs | length == 6 and all(.[]; .bs_bytes == 4096 and .queue_depth == 3 and .threads == 3 and
		.total.commands == 10 and .total.bytes == 40960)'
	sgs compare --json --engines null,buffered --rounds 2 --loop --size 9M file
	exits 0
	is '.runs | all(.[]; .total.bytes == 9437184)'
	sgs compare --json --engines null,buffered --rounds 1 --loop --runtime 50ms file file
	exits 0
	is '.runs | all(.[]; (.devices | length == 2) and .total.elapsed_ns > 30e6)'
	is '[.messages[].code] | index("same_unit") != null and (map(select(. == "same_unit")) | length == 1)'
}

@test "without count, size or time a run ends after two seconds" {
	truncate -s 8T endless
	sgs compare --json --engines null --rounds 1 --warmup 0 -b 64k endless
	exits 0
	is '.runs[0].total.elapsed_ns | . >= 1.9e9 and . < 20e9'
}

@test "a contender that was asked for and cannot run" {
	sgs compare --json --engines sg-mmap,buffered --rounds 6 --size 1M file
	exits 15
	object
	rounds_fit
	has err "file is no SCSI device"
	is '.status == "partial" and .exit_status == 15'
	is '.comparison | .rounds == 6 and .baseline == "buffered" and
		(.contenders[0].reason | contains("no SCSI device"))'
	sgs compare --json --engines sg-mmap --rounds 6 file
	exits 15
	object
	is '.status == "error" and .runs == [] and .comparison.baseline == null'
	sgs compare --engines sg-mmap file
	is_refusal 15 "file is no SCSI device"
	empty out
}

@test "what is wrong with an option is said once" {
	sgs compare --size 8M file
	is_refusal 1 "--size" "past its end"
	empty out
	sgs compare --json --size 8M file
	exits 1
	object
	is '.status == "error" and ([.messages[] | select(.level == "error")] | length == 1)'
}

@test "input that cannot be meant" {
	refused 1 "no device" -- compare
	refused 15 "/nonexistent" -- compare /nonexistent
	refused 1 "--engines" "'bogus'" "buffered" -- compare --engines direct,bogus file
	refused 1 "--engines" "''" -- compare --engines direct, file
	refused 1 "--engines" "twice" -- compare --engines direct,null,direct file
	refused 1 "--rounds" -- compare --rounds 0 file
	refused 1 "--rounds" "1000" -- compare --rounds 1001 file
	refused 1 "--rounds is 4294967297;" "1000" -- compare --rounds 4294967297 file
	refused 1 "--warmup" "1000" -- compare --warmup 1001 file
	refused 1 "--fail-below" "'x'" -- compare --fail-below x file
	refused 1 "--fail-below" "'-1'" -- compare --fail-below=-1 file
	refused 1 "--fail-below" "'0'" -- compare --fail-below 0 file
	refused 31 "--fail-below" "--rounds 6" -- compare --fail-below 1 --rounds 5 file
	refused 1 "'-e'" "--help" -- compare -e direct file
	refused 1 "--output" "--help" -- compare --output x file
	refused 1 "--bs" "'4B'" -- compare --bs 4B file
}

@test "it shares read's options" {
	local option
	sgs compare --help
	exits 0
	for option in engines rounds warmup fail-below bs count size runtime offset loop threads qd cdb \
		timeout retries touch digest read-ahead progress json quiet verbose; do
		has out "--$option"
	done
	sgs --help
	has out "sgstream compare"
}

@test "too few rounds for a claim of 95 %" {
	sgs compare --engines mmap,buffered --rounds 3 --size 2M file
	exits 0
	has out "75 %" "no difference between mmap and buffered that 3 rounds can show" "at least 6"
	sgs compare --json --engines mmap,buffered --rounds 3 --size 2M file
	is '.comparison.contenders | all(.[]; .bytes_per_second.coverage == 0.75)'
}

@test "a difference that cannot be missed" {
	sgs compare --json --engines buffered,null --rounds 6 --size 2M file
	exits 0
	object
	is '.comparison.contenders[1].ratio | .low > 2 and .coverage == 0.96875'
	is '.comparison.verdict | test("^buffered reads file at [0-9,.]+ MB/s .* nothing to compare it with$")'
}

@test "verbose shows each round" {
	sgs compare -v --engines null,buffered --rounds 3 --size 2M file
	exits 0
	has out "ROUND" "null" "buffered"
	[ "$(grep -c '^ *[123] ' out)" -eq 3 ]
}

@test "an expectation, met and not met" {
	sgs compare --json --engines buffered,mmap --fail-below 0.001 --rounds 6 --size 2M file
	exits 0
	object
	sgs compare --json --engines buffered,mmap --fail-below 1000 --rounds 6 --size 2M file
	exits 36
	object
	is '.status == "ok" and .exit_status == 36 and .comparison.rounds == 6'
	is '[.messages[] | select(.level == "error").code] == ["below_ratio"]'
	has err "--fail-below 1000: buffered is" "times as fast as mmap (96.9 % "
	sgs compare --engines buffered --fail-below 1 --rounds 6 --size 2M file
	exits 36
	has err "no other contender"
}

@test "the digest proves that all read the same, and is not in the rounds" {
	local digest
	sgs --json --digest --size 2M file
	digest=$(json '.runs[0].total.digest')
	sgs compare --json --digest --engines null,mmap,buffered --rounds 2 --size 2M file
	exits 0
	object
	is ".comparison.digest == {\"equal\": true, \"bytes\": 2097152, \"digest\": \"$digest\"}"
	is '.runs | length == 9 and all(.[]; .total | has("digest") | not)'
	sgs compare --digest --engines mmap,buffered --rounds 2 --loop --runtime 50ms file
	exits 0
	has out "digest" "through all"
}

@test "different data is an error that names both, and nothing is measured" {
	truncate -s 256M changing
	(while :; do printf '%s' "$RANDOM$RANDOM$RANDOM" | dd of=changing conv=notrunc status=none; done) 3>&- &
	writer=$!
	sgs compare --json --digest --engines null,mmap,buffered --bs 4k changing
	exits 97
	object
	has err "mmap and buffered read different data" "changing"
	is '.status == "error" and .runs == [] and .comparison.digest.equal == false'
	is '[.messages[] | select(.level == "error") | .code] == ["digests_differ"]'
}

# A comparison that takes long, up to its third round
to_the_third_round() {
	start compare "$@" --loop --runtime 150ms --rounds 300
	reading() { [ "$(ls "/proc/$pid/task" | wc -l)" -ge 3 ]; } # now it waits for signals
	eventually reading
	in_the_third() {
		kill -USR1 "$pid" 2>/dev/null
		sleep 0.02
		grep -qs '^round 3, ' err
	}
	eventually in_the_third
}

@test "INT: finished rounds are kept and judged" {
	to_the_third_round --json --engines null,buffered file
	kill -INT "$pid"
	finish
	exits 130
	object
	rounds_fit
	is '.status == "interrupted" and .comparison.rounds_asked == 300'
	is '.comparison.rounds as $n | $n >= 2 and $n < 300 and
		([.runs[] | select(.warmup | not)] | length >= 2 * $n and length <= 2 * $n + 2)'
	is '.runs[-1].status == "interrupted" or (.runs | all(.[]; .status == "ok"))'

	to_the_third_round --engines null,buffered file
	kill -TERM "$pid"
	finish
	exits 143
	has out "interrupted by SIGTERM; " " of 300 rounds were finished" "ENGINE"
}

@test "USR1 says where it is; a bar is about the whole" {
	to_the_third_round --engines null,buffered file
	grep -q '^round 3, [a-z]*, at [0-9].* s: .* MB/s' err
	kill -INT "$pid"
	finish
	sgs compare --json --progress always --engines null,buffered --loop --runtime 700ms --rounds 2 --warmup 0 file
	exits 0
	object
	grep -q '[0-9] %  ' err
}

@test "a file that shrinks in round 3: the rounds before it are kept" {
	to_the_third_round --json --engines null,buffered file
	truncate -s 70000 file
	finish
	[ "$status" -ne 0 ]
	object
	rounds_fit
	is '.status == "partial" and .comparison.rounds >= 2'
	is '.runs[-1] | .engine == "buffered" and .exit_status != 0'
	is '.messages | map(select(.level == "error")) | length >= 1 and
		(.[0].text | test("\\(buffered, round [0-9]+\\)$"))'
}

@test "one contender alone" {
	sgs compare --json --engines mmap --rounds 6 --size 1M file
	exits 0
	object
	is '.comparison.page_cache_copy == null and (.comparison.verdict | contains("nothing to compare"))'
}
