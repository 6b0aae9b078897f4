#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# scripts/ab where no drive is needed: what it refuses, who takes part in reading a file, tools
# that are missing, hang or lie, and its statistics.
# shellcheck disable=SC2154,SC2016,SC2034 # jq and the sourced parts have variables, too

load ../helpers

setup() {
	prepare
	random file 1048576
	mkdir bin
}

teardown() { stop_started; }

ab() {
	ran="ab $(printf '%q ' "$@")"
	status=0
	timeout -k 5 120 "$root/scripts/ab" "$@" >out 2>err </dev/null 3>&- || status=$?
}

# One line with all the words, and nothing else: is_told STATUS WORD...
is_told() {
	exits "$1"
	empty out
	[ "$(wc -l <err)" -eq 1 ]
	grep -q '^ab: ' err
	has err "${@:2}"
}

# A program that stands before the real one: stub NAME <<< SCRIPT
stub() {
	{ echo '#!/bin/bash'; cat; } >"bin/$1"
	chmod +x "bin/$1"
	PATH=$T/bin:$PATH
}

@test "bad input gets one line that names it, and exit status 2" {
	local device=file
	while IFS='|' read -r arguments words; do
		eval "ab $arguments"
		eval "is_told 2 $words"
	done <<-'END'
		|"wants one DEVICE"
		file file|"wants one DEVICE, not 2"
		--bogus file|--bogus
		--bs|"--bs needs a value"
		--bs 64q file|"'64q'"
		--bs 1000 file|"--bs 1000" 512
		--size 512 file|"--size 512" "--bs 65536"
		--size 1g file|"--size" "past its end"
		--rounds 0 file|"--rounds" "'0'"
		--rounds 1000 file|"'1000'"
		--timeout 1m file|"--timeout" "'1m'"
		--contenders dd,d file|"'d'" "sgm_dd" "sgstream:ENGINE"
		--contenders dd,,sg_dd file|"there is no ''"
		--contenders dd,dd file|"dd twice"
		--contenders sgstream file|"sgstream:sg-mmap"
		--contenders dd,sgstream:warp file|"'warp'" "sg-mmap, sg-dio"
		--plot x.png file|".svg" "'x.png'"
		--json /nonexistent/x file|"cannot write to /nonexistent/x"
	END
}

@test "a device that is not there, or is none, has exit status 15" {
	ab /nonexistent
	is_told 15 "/nonexistent"
	ab /dev/null
	is_told 15 "/dev/null is a character device"
	mkdir folder
	ab folder
	is_told 15 "folder is a directory"
}

@test "a report never goes to a device, nor over what is read" {
	ab --csv /dev/zero file
	is_told 2 "--csv /dev/zero is a device"
	ln file same
	ab --json same file
	is_told 2 "--json same is what is read"
	[ "$(stat -c %s file)" -eq 1048576 ]
}

@test "no command that could write is run" {
	. "$root/scripts/ab.d/guard.bash"
	while IFS='|' read -r verdict command; do
		# shellcheck disable=SC2086 # words
		[ "$(only_reads $command && echo good || echo bad)" = "$verdict" ] || { echo "not $verdict: $command"; return 1; }
	done <<-'END'
		good|dd if=/dev/sda of=/dev/null bs=64k
		bad|dd if=/dev/sda bs=64k
		bad|dd if=/dev/zero of=/dev/sda
		bad|dd if=/dev/zero of=/dev/null of=/dev/sda
		good|sg_dd if=/dev/sg1 of=/dev/null bs=512
		bad|sg_dd if=/dev/sg1 of=/dev/sg2 bs=512
		bad|sgm_dd if=/dev/sg1 of=/dev/null of2=/dev/sg2
		bad|sgp_dd if=/dev/sg1 of=.
		bad|ddpt if=/dev/sg1 of=/dev/null of2=/dev/sg2
		good|fio --name=x --rw=read --filename=/dev/sda
		bad|fio --name=x --filename=/dev/sda
		bad|fio --name=x --rw=write --filename=/dev/sda
		bad|fio --name=x --rw=read --rw=randwrite --filename=/dev/sda
		bad|fio --rw=read job.fio
		good|hdparm -t /dev/sda
		bad|hdparm --yes-i-know-what-i-am-doing /dev/sda
		good|/usr/bin/sgstream -e sg-mmap /dev/sg1 --json
		bad|sgstream -o /dev/sda /dev/sg1
		bad|sgstream --output=/dev/sda /dev/sg1
		bad|sgstream if=/dev/sg1 of=/dev/sda
		bad|cp /dev/zero /dev/sda
	END
	sed 's,^dd .*,dd | block | coreutils | range | dd if=/dev/zero of=@node@ count=0,' "$root/scripts/contenders.d/commands" >commands
	grep -q 'of=@node@' commands
	mkdir -p other/scripts
	cp -r "$root"/scripts/{ab,ab.d,contenders.d} other/scripts/
	cp commands other/scripts/contenders.d/
	status=0
	other/scripts/ab --contenders dd file >out 2>err || status=$?
	is_told 1 "dd: its command could write"
}

@test "a file: who can read it is measured, who cannot has a row that says why" {
	ab --contenders dd,sgstream:buffered,sg_dd,hdparm,sgstream:sg-mmap,sgstream:null --rounds 6 --size 1m \
		--json object --csv runs.csv file
	exits 0
	empty err
	has out "64 KiB per command, depth 1; 1,048,576 bytes a run, 6 rounds in turn" "96.9 %"
	grep -q '^dd  .* 1,048,576  tool$' out
	grep -q '^sgstream:buffered  .* 1,048,576  tool$' out
	tail -n 1 out | grep -q 'sgstream:buffered reads file .* times as fast .*(96.9 % .* to .*)'
	grep -q '^sg_dd  *skipped: file is no SCSI device$' out
	grep -q '^hdparm  *skipped: reads block devices only$' out
	grep -q '^sgstream:sg-mmap  *skipped: file is no SCSI' out
	grep -q '^sgstream:null  *skipped: ' out
	is '.contenders | map(.status) == ["ok", "ok", "skipped", "skipped", "skipped", "skipped"]' object
	is '.contenders[1].ratio | .low <= .median and .median <= .high and .coverage == 0.96875' object
	# everybody once a round, and who begins moves on
	is '[.contenders[0:2][].rounds | map(.round)] | all(.[]; . == [1, 2, 3, 4, 5, 6])' object
	is '.contenders[0].rounds | map(.place) == [1, 0, 1, 0, 1, 0]' object
	[ "$(wc -l <runs.csv)" -eq $((1 + 2 * 7)) ]
}

@test "a tool that is missing is skipped, and the row says which package has it" {
	ln -s /usr/bin/* bin/
	rm bin/{ddpt,fio}
	PATH=$T/bin ab --contenders dd,ddpt,fio-psync --rounds 1 --size 1m file
	exits 0
	grep -q '^dd  .*1,048,576' out
	grep -q '^ddpt  *skipped: ddpt is not installed: apt-get install ddpt$' out
	grep -q '^fio-psync  *skipped: fio is not installed: apt-get install fio$' out
	PATH=$T/bin ab --contenders ddpt --rounds 1 file
	exits 1
	grep -q '^ddpt  *skipped: ' out
}

@test "a tool that moves too little has no rate, whatever its exit status" {
	stub fio <<<"echo '  \"io_bytes\" : 65536,'; echo '  \"runtime\" : 1'"
	ab --contenders dd,fio-psync --rounds 2 --size 1m --json object file
	exits 1
	grep -q '^fio-psync  *failed in round 1: moved 65536 bytes of 1048576; moved 65,536 of 1,048,576 bytes$' out
	is '.contenders[1] | .status == "failed" and .moved_bytes == 65536 and .bytes_per_second == null and
		(.rounds | length == 1 and .[0].exit_status == 0 and .[0].bytes_per_second == null)' object
	is '.contenders[0] | .status == "ok" and (.rounds | length == 2)' object
}

@test "a tool that does not end is killed, once" {
	stub fio <<<'exec sleep 600'
	ab --contenders fio-psync,dd --rounds 2 --size 1m --timeout 1 --json object file
	exits 1
	grep -q '^fio-psync  *failed in the warm-up: did not end within 1 s; ' out
	grep -q '^dd  .* - ' out # there is no ratio to it
	is '.contenders[0] | .rounds == [] and .warmup.exit_status == 137' object
}

@test "an interrupted run leaves no process and no folder" {
	stub fio <<<'echo $$ >"$T/fio.pid"; exec sleep 600'
	export T TMPDIR=$T/tmp
	mkdir tmp
	env --default-signal=INT "$root/scripts/ab" --contenders fio-psync file >out 2>err </dev/null 3>&- &
	pid=$!
	eventually test -s fio.pid
	kill -INT "$pid"
	finish
	exits 130
	eventually eval '! kill -0 "$(<fio.pid)" 2>/dev/null'
	[ -z "$(ls tmp)" ]
}

@test "what the drive did not send does not count" {
	local trouble='' cold=no bs=65536 own_bytes=1048576 sectors_before=100 sectors commands_before=7 commands
	local -A reads_through=([dd]=cache [sg_dd]=sg)
	. "$root/scripts/ab.d/measure.bash"
	sectors=$((100 + 2048)) commands=''
	ask_drive dd
	[ "$trouble,$drive_bytes,$cold" = ,1048576,yes ]
	sectors=$((100 + 2047))
	ask_drive dd
	[[ $trouble == "the drive sent 1048064 bytes of 1048576"* ]]
	trouble='' commands=$((7 + 16))
	ask_drive sg_dd
	[ "$trouble,$drive_commands" = ,16 ]
	commands=$((7 + 15))
	ask_drive sg_dd
	[ "$trouble" = "the drive finished 15 commands of 16" ]
}

@test "blocks of 4096 and 520 bytes: each gets the arguments that they need" {
	stub sgstream <<-'END'
		[ "$1" = list ] || { echo '{"messages": [], "planned": [{"devices": [{"bs_bytes": '"$BS"', "goal_bytes": 5200000}]}]}'; exit; }
		echo '{"devices": [{"path": "/dev/sg9", "sg_path": "/dev/sg9", "block_path": '"$BLOCK"', "block_bytes": '"$LEN"', "limits": {}}]}'
	END
	export SGSTREAM=$T/bin/sgstream
	LEN=4096 BS=65536 BLOCK=null ab --dry-run --contenders sg_dd,sgm_dd,sgp_dd,ddpt,fio-sg,dd /dev/sg9
	exits 0
	has out "sgm_dd if=/dev/sg9 of=/dev/null bs=4096 bpt=16 count=1264 time=1" \
		"sg_dd if=/dev/sg9 of=/dev/null bs=4096 bpt=16 count=1264 " "thr=1" "ddpt if=/dev/sg9 of=/dev/null bs=4096 bpt=16 count=1264" \
		"--filename=/dev/sg9 --rw=read --bs=65536 --size=5177344"
	grep -q $'^dd\tskipped: .*no block node' out
	LEN=520 BS=66560 BLOCK=null ab --dry-run --contenders sgm_dd,fio-sg --bs 128blk /dev/sg9
	exits 0
	has out "sgm_dd if=/dev/sg9 of=/dev/null bs=520 bpt=128 count=9984 time=1" "--bs=66560 --size=5191680"
	LEN=520 BS=65536 BLOCK=null ab --dry-run --contenders sgm_dd /dev/sg9
	is_told 2 "--bs 65536 is no multiple of 520"
}

@test "the statistics are those of sgstream compare" {
	sgs compare --json --engines buffered,mmap --rounds 13 --size 64k --bs 4k file
	exits 0
	jq -L "$root/scripts/ab.d" -e 'include "stats"; .comparison.contenders | all(.[];
		([.rounds[].bytes_per_second] | estimate) as $ours | .bytes_per_second as $theirs |
		all("median", "low", "high", "coverage"; . as $key | ($ours[$key] - $theirs[$key] | fabs) <= 1e-9 * $theirs[$key]))' out
	jq -n -L "$root/scripts/ab.d" -e 'include "stats"; ([range(1; 7)] | estimate) == { median: 3.5, low: 1, high: 6, coverage: 0.96875 } and
		([range(1; 6)] | estimate | holds | not) and ([5] | estimate | .coverage) == 0 and ([] | estimate | .median) == null'
}
