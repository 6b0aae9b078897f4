#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# The kernels in QEMU keep what 00-lab.bats holds the lab to: one boot each that checks several
# things, and one that is killed.
# shellcheck disable=SC2016 # what is in single quotes is for the lab

setup() {
	lab=$BATS_TEST_DIRNAME/../../scripts/lab
	T=$BATS_TEST_TMPDIR
	# The lab's files are here, so that what it leaves behind can be found.
	export TMPDIR=$T/lab
	mkdir "$TMPDIR"
}

teardown() {
	[ -z "$hidden" ] || rm -r "$hidden"
}

# Runs the lab, bounded; the results are in $status, $T/out and $T/err.
lab() {
	status=0
	timeout 150 "$lab" "$@" >"$T/out" 2>"$T/err" 3>&- || status=$?
}

expect_status() {
	[ "$status" -eq "$1" ] && return
	echo "status $status, expected $1; standard error:"
	cat "$T/err"
	return 1
}

# Waits for a condition, at most two minutes: eventually COMMAND...
eventually() {
	local i
	for ((i = 0; i < 1200; i++)); do
		"$@" && return
		sleep 0.1
	done
	echo "never came true: $*"
	return 1
}

nothing_left() {
	eventually no_process_left
	[ -z "$(ls -A "$TMPDIR")" ]
}
no_process_left() { ! pgrep -f "$TMPDIR/sgstream-lab" >"$T/left"; }

@test "options of the kernels that are wrong exit with 2 and name the value" {
	while IFS='|' read -r arguments message; do
		eval "lab $arguments true"
		expect_status 2
		[ ! -s "$T/out" ]
		head -n 1 "$T/err" | grep -qF -- "$message"
	done <<-'END'
		--cpus 2|want --kernel qemu
		--hba mptsas|want --kernel qemu
		--kernel qemu --cpus 0|not '0'
		--kernel qemu --cpus 9|at most 8, not '9'
		--kernel icount --cpus 2|at most 1, not '2'
		--kernel qemu --hba nosuch|there is no 'nosuch' (there is: megaraid_sas
		--kernel qemu --hba mptsas:9|mptsas takes 1 to 8 drives, not '9'
		--kernel qemu --hba mptsas:2:/nonexistent|'/nonexistent' is not a file
		--kernel qemu --link 2.5x1|--link needs an --hba
		--kernel qemu --hba mptsas --link 3x1|not '3x1'
	END
	nothing_left
}

@test "qemu: arguments, streams, status, folders, drives, CPUs, and two at once" {
	local arguments=('two words' "it's" '"' '' '*' '$HOME' $'new\nline' -- $'\xff\xfe') a=0
	head -c 3000000 /dev/urandom >"$T/data"
	mkdir "$T/results"
	hidden=$(mktemp -d /dev/shm/lab.bats.XXXXXX)
	echo here >"$hidden/file"
	(cd "$hidden" && exec timeout 150 "$lab" --kernel qemu --cpus 1 --drives one --allow-dio 1 -- bash -c '
		nproc; ls /dev/sg*; cat file /sys/module/sg/parameters/allow_dio; exit 4') \
		>"$T/a" 2>&1 </dev/null 3>&- &
	lab --kernel qemu --out "$T/results" --env 'B=x  y' -- bash -c '
		printf "%s\0" "$@" >"$LAB_OUT/arguments"
		cat "$LAB_OUT/../data"
		{
			echo nodes /dev/sg* /dev/sd*
			echo allow_dio $(</sys/module/sg/parameters/allow_dio)
			echo cpus $(nproc) lab $LAB "$B" "$PWD"
			touch "$LAB_OUT/../no" "$PWD/no" /no 2>&1 | grep -c "Read-only file system"
			mktemp "$LAB_SCRATCH/XXXXXX" >/dev/null && echo writable
			lab-reload "max_luns=3 no_lun_0=1 delay=0" && echo /dev/sg*
			lab-modprobe raid0 && echo /sys/module/raid0
			cat <(echo through a pipe)
			lab-local cat bash && findmnt -no FSTYPE -T "$(type -P cat)" && cat <(echo still)
			lab-local nosuch || echo none
		} >&2
		sleep 1000 &
		exit 200' name "${arguments[@]}" <&-
	wait $! || a=$?
	expect_status 200
	cmp "$T/data" "$T/out"
	printf '%s\0' "${arguments[@]}" | cmp - "$T/results/arguments"
	diff - "$T/err" <<-END
		nodes /dev/sg0 /dev/sg1 /dev/sda /dev/sdb
		allow_dio 0
		cpus 2 lab qemu x  y $PWD
		3
		writable
		/dev/sg0 /dev/sg1
		/sys/module/raid0
		through a pipe
		tmpfs
		still
		lab-local: no program nosuch
		none
	END
	printf '%s\n' 1 /dev/sg0 here 1 | diff - "$T/a"
	[ "$a" -eq 4 ]
	nothing_left
}

@test "icount: the same loop takes the same time; a panic is the lab's failure" {
	lab --kernel icount --drives one -- bash -c '
		nproc
		loop() { local i; for ((i = 0; i < 20000; i++)); do :; done; }
		took() { local begin=${EPOCHREALTIME/./}; loop; echo $((${EPOCHREALTIME/./} - begin)); }
		took >/dev/null
		took
		took
		echo c >/proc/sysrq-trigger'
	expect_status 125
	grep -q 'Kernel panic - not syncing: sysrq triggered crash' "$T/err"
	grep -q '^lab: the kernel ended without a result' "$T/err"
	awk 'NR == 1 { cpus = $1 } NR == 2 { first = $1 } NR == 3 { second = $1 }
		END { exit !(cpus == 1 && first > 1000 && second > first * 0.98 && second < first * 1.02) }' "$T/out"
	nothing_left
}

@test "qemu: a lab whose launcher is killed ends as well" {
	"$lab" --kernel qemu --hba virtio-scsi:2 -- bash -c 'ls /dev/sg*; sleep 100' >"$T/out" 2>"$T/err" </dev/null 3>&- &
	eventually test -s "$T/out"
	[ "$(xargs <"$T/out")" = '/dev/sg0 /dev/sg1' ]
	kill -KILL $!
	nothing_left
}
