#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# The lab itself: what it promises to every other test that runs inside it.
# A boot takes seconds, so a test that needs one checks several things.
# shellcheck disable=SC2016 # what is in single quotes is for the lab

setup() {
	lab=$BATS_TEST_DIRNAME/../../scripts/lab
	T=$BATS_TEST_TMPDIR
	# The lab's files are here, so that what it leaves behind can be found.
	export TMPDIR=$T/lab
	mkdir "$TMPDIR"
}

teardown() {
	[ -z "$launcher" ] || kill -KILL "$launcher" 2>/dev/null || true
	[ -z "$hidden" ] || rm -r "$hidden"
	[ -z "${place-}" ] || rm -r "$place"
}

# Runs the lab, bounded; the results are in $status, $T/out and $T/err.
lab() {
	status=0
	timeout 100 "$lab" "$@" >"$T/out" 2>"$T/err" 3>&- || status=$?
}

lab_in_background() {
	"$lab" "$@" >"$T/out" 2>"$T/err" </dev/null 3>&- &
	launcher=$!
}

# Waits for a condition, at most 20 seconds: eventually COMMAND...
eventually() {
	local i
	for ((i = 0; i < 200; i++)); do
		"$@" && return
		sleep 0.1
	done
	echo "never came true: $*" >&2
	return 1
}

expect_status() {
	[ "$status" -eq "$1" ] && return
	echo "status $status, expected $1; standard error:" >&2
	cat "$T/err" >&2
	return 1
}

started() { [ -s "$T/out" ]; }

# The kernel leads a process group of its own.
kernel_group() { pgrep -o -f "^linux.uml.*$TMPDIR/"; }

no_process_left() {
	local group=$1
	! pgrep -f "$TMPDIR/sgstream-lab" >"$T/left" &&
		! ps -eo pgid=,stat=,args= | awk -v group="$group" '$1 == group && $2 !~ /^Z/' | grep . >"$T/left"
}

# A group that is given must be one that did exist.
nothing_left() {
	[ $# -eq 0 ] || [ -n "$1" ]
	eventually no_process_left "${1:-none}"
	[ -z "$(ls -A "$TMPDIR")" ]
}

@test "usage errors exit with 2, name the cause, and boot nothing" {
	while IFS='|' read -r arguments message; do
		eval "lab $arguments"
		expect_status 2
		[ ! -s "$T/out" ]
		head -n 1 "$T/err" | grep -qF -- "$message"
	done <<-'END'
		|no command given
		--|no command given
		--bogus true|unknown option --bogus
		-x true|unknown option -x
		--mem|--mem needs a value
		--mem= true|--mem needs a value
		--mem 12 true|--mem wants a size
		--timeout soon true|--timeout wants a time
		--timeout 0 true|--timeout wants a time
		--allow-dio yes true|--allow-dio wants 0 or 1
		--drives nosuch true|no profile 'nosuch'
		--drives two --scsi-debug none true|exclude each other
		--out /nonexistent true|is not a folder
		--env =x true|--env wants NAME=VALUE
		--shell true|--shell takes no command
		--shell </dev/null|--shell needs a terminal
		--kernel nosuch true|there is no 'nosuch' (there is: icount qemu uml)
		--kernel ../lab.d/uml true|there is no
	END
	nothing_left
}

@test "--help lists options, kernels and drive profiles" {
	lab --help
	expect_status 0
	[ ! -s "$T/err" ]
	local word
	for word in --kernel --drives --scsi-debug --allow-dio --mem --out --env --timeout --shell --cpus --hba --link \
		uml qemu icount sg-only 4kn; do
		grep -qw -- "$word" "$T/out"
	done
}

@test "arguments, status, output and standard error are the command's" {
	local arguments=('two words' "it's" '"' '' ' ' '*' '$HOME' '\x' $'new\nline' -n -- $'\xff\xfe')
	lab --env A=1 --env 'B=x  y=z' -- bash -c '
		printf "%s\0" "$@"
		printf "%s" "$A|$B|$PWD" >&2
		cat
		exit 200' name "${arguments[@]}" <&-
	expect_status 200
	printf '%s\0' "${arguments[@]}" | cmp - "$T/out"
	printf '%s' "1|x  y=z|$PWD" | cmp - "$T/err"
	nothing_left
}

@test "large binary output passes unchanged on both streams" {
	head -c 5000000 /dev/urandom >"$T/data"
	head -c 300000 /dev/urandom >"$T/more"
	lab bash -c 'cat "$1" & cat "$2" >&2; wait' name "$T/data" "$T/more"
	expect_status 0
	cmp "$T/data" "$T/out"
	cmp "$T/more" "$T/err"
}

@test "two drives by default, copied transfers, a read-only host, folders to write to" {
	mkdir "$T/results"
	echo there >"$T/results/before"
	lab --out "$T/results" bash -c '
		echo nodes /dev/sg* /dev/sd*
		echo allow_dio $(</sys/module/sg/parameters/allow_dio)
		echo drivers $(ls -d /sys/module/{sg,sd_mod,scsi_debug} | wc -l)
		echo lab $LAB
		touch "$1/no" "$PWD/no" /no 2>&1 | grep -c "Read-only file system"
		echo $(<"$LAB_OUT/before")
		echo yes >"$LAB_OUT/after"
		for folder in "$LAB_SCRATCH" "$TMPDIR" "$HOME"; do
			mktemp "$folder/XXXXXX" >/dev/null && echo writable
		done
		echo again >/dev/stdout
		echo aside >/dev/stderr
		cat <(echo through a pipe)
		sleep 1000 &
	' name "$T"
	expect_status 0
	diff - "$T/out" <<-'END'
		nodes /dev/sg0 /dev/sg1 /dev/sda /dev/sdb
		allow_dio 0
		drivers 3
		lab uml
		3
		there
		writable
		writable
		writable
		again
		through a pipe
	END
	[ "$(cat "$T/err")" = aside ]
	[ "$(cat "$T/results/after")" = yes ]
	[ ! -e "$T/no" ]
}

@test "drives by parameters, direct I/O, other drives in the same boot" {
	lab --allow-dio 1 --scsi-debug "num_tgts=3 dev_size_mb=9 sector_size=4096 delay=0" bash -c '
		parameters=/sys/module/scsi_debug/parameters
		echo $(</sys/module/sg/parameters/allow_dio) $(<$parameters/num_tgts) $(<$parameters/sector_size)
		echo /dev/sg* /dev/sd* $(blockdev --getss /dev/sda)
		lab-reload "max_luns=3 no_lun_0=1 no_uld=1 delay=0" && echo /dev/s[dg]*
		exec 3</dev/sg0
		lab-reload none || echo busy
		exec 3<&-
		lab-reload none && ls /dev/s[dg]* 2>/dev/null || echo none
		lab-modprobe raid0 && echo /sys/module/raid0
	'
	expect_status 0
	diff - "$T/out" <<-'END'
		1 3 4096
		/dev/sg0 /dev/sg1 /dev/sg2 /dev/sda /dev/sdb /dev/sdc 4096
		/dev/sg0 /dev/sg1
		busy
		none
		/sys/module/raid0
	END
}

@test "every drive profile loads and has all its nodes" {
	local profiles=$BATS_TEST_DIRNAME/../../scripts/lab.d/drives
	lab --scsi-debug none bash -c '
		shopt -s nullglob
		while IFS="|" read -r name _ parameters; do
			[[ $name == "#"* ]] && continue
			lab-reload "$parameters" || echo failed
			sg=(/dev/sg*) sd=(/dev/sd*)
			echo $name ${#sg[@]} ${#sd[@]}
		done <"$1"' name "$profiles"
	expect_status 0
	[ ! -s "$T/err" ]
	diff - "$T/out" <<-'END'
		one 1 1
		two 2 2
		four 4 4
		sg-only 2 0
		4kn 2 2
		big 2 2
		slow 2 2
		faulty 2 2
	END
}

@test "output is there while the command runs; TERM ends the lab and leaves nothing" {
	lab_in_background bash -c 'echo early; sleep 100; echo late'
	eventually started
	[ "$(cat "$T/out")" = early ]
	local group
	group=$(kernel_group)
	kill -TERM "$launcher"
	status=0
	wait "$launcher" || status=$?
	expect_status 143
	nothing_left "$group"
}

@test "a lab whose launcher is killed ends as well" {
	lab_in_background bash -c 'echo early; sleep 100'
	eventually started
	local group
	group=$(kernel_group)
	kill -KILL "$launcher"
	nothing_left "$group"
}

@test "the time is bounded: 124, and nothing is left" {
	lab_in_background --timeout 10s bash -c 'echo early; sleep 100'
	eventually started
	local group
	group=$(kernel_group)
	status=0
	wait "$launcher" || status=$?
	expect_status 124
	[ "$(cat "$T/err")" = "lab: timed out after 10s" ]
	nothing_left "$group"
}

@test "two at once do not meet: one where the host's /dev is, one without root" {
	local as=() a=0 b=0 other=$lab
	if [ "$(id -u)" -eq 0 ]; then
		as=(setpriv --reuid 65534 --regid 65534 --clear-groups env -u TMPDIR)
		if ! "${as[@]}" test -x "$lab"; then # as below /root
			place=$(mktemp -d /tmp/lab.bats.XXXXXX)
			chmod 755 "$place"
			cp -r "$(dirname "$lab")" "$place"
			other=$place/scripts/lab
		fi
	fi
	hidden=$(mktemp -d /dev/shm/lab.bats.XXXXXX)
	echo here >"$hidden/file"
	cd "$hidden"
	timeout 100 "$lab" --drives one bash -c 'touch $LAB_SCRATCH/a; sleep 1; ls /dev/sg* $LAB_SCRATCH; cat file; exit 3' \
		>"$T/a" 2>&1 </dev/null 3>&- &
	cd /
	timeout 100 "${as[@]}" "$other" --allow-dio 1 bash -c 'id -u; ls /dev/sg*; cat /proc/scsi/sg/allow_dio; exit 4' \
		>"$T/b" 2>&1 </dev/null 3>&- || b=$?
	wait $! || a=$?
	diff - "$T/a" <<-END
		/dev/sg0

		/dev/shm:
		a
		$(basename "$hidden")
		here
	END
	printf '%s\n' 0 /dev/sg0 /dev/sg1 1 | diff - "$T/b"
	[ "$a" -eq 3 ]
	[ "$b" -eq 4 ]
}

@test "a kernel that ends without a result is the lab's failure, with the console's end" {
	lab bash -c 'echo before; sleep 0.2; echo c >/proc/sysrq-trigger'
	expect_status 125
	grep -q 'Kernel panic - not syncing: sysrq triggered crash' "$T/err"
	grep -q '^lab: the kernel ended without a result' "$T/err"
	[ "$(cat "$T/out")" = before ]
	lab busybox poweroff -f
	expect_status 125
	nothing_left
}

@test "drives that do not load are the lab's failure" {
	lab --scsi-debug "sector_size=520" true
	expect_status 125
	grep -q "could not insert 'scsi_debug'" "$T/err"
}

@test "a command that is not there" {
	lab nosuch-command
	expect_status 127
	[ "$(cat "$T/err")" = "lab: nosuch-command: command not found" ]
}

@test "the lab ends when nobody reads its output" {
	{ timeout 100 "$lab" bash -c 'yes; sleep 100' 2>"$T/err" 3>&- || echo $? >"$T/status"; } | head -n 2 >"$T/out"
	[ "$(cat "$T/status")" -eq 141 ]
	printf 'y\ny\n' | cmp - "$T/out"
	[ ! -s "$T/err" ]
	nothing_left
}

@test "--shell is a terminal inside, and passes the status on" {
	prompt() { grep -q 'root@lab' "$T/screen"; }
	touch "$T/screen"
	status=0
	{ eventually prompt; printf 'tty; echo sg*/\necho /dev/sg*; exit 7\n'; } |
		timeout 100 script -qfec "'$lab' --shell" /dev/null >"$T/screen" 2>"$T/err" 3>&- || status=$?
	expect_status 7
	grep -q '/dev/tty0' "$T/screen"
	grep -q '/dev/sg0 /dev/sg1' "$T/screen"
	nothing_left
}
