# shellcheck shell=bash disable=SC2034,SC2154 # variables go to and come from helpers.bash
# SPDX-License-Identifier: BSD-2-Clause
#
# How a test file uses the lab. Each test stands behind a function lab_NAME, which runs inside and
# leaves results in $LAB_OUT; the test looks at them, on the host. setup_file boots once for all
# these functions, in the order of the file (a boot takes seconds, a process inside 40 ms, so
# nothing is judged there).
#
# This file is sourced on the host and inside.

# ---- on the host ----

# For setup_file(): boot LAB_OPTION...  With functions besides the scenes that are needed inside:
# inside="NAME..." boot LAB_OPTION...  seconds=N gives it longer than 300.
boot() {
	export R=$BATS_FILE_TMPDIR/results
	mkdir -p "$R"
	engines >"$R/engines"
	script >"$R/script"
	timeout -k 5 $((${seconds-300} + 10)) "$root/scripts/lab" --timeout "${seconds-300}s" --out "$R" --env SGSTREAM="$SGSTREAM" "$@" \
		-- bash "$R/script" >"$R/lab.log" 2>&1 </dev/null 3>&- || {
		echo "the lab ended with status $?:"
		tail -n 20 "$R/lab.log"
		return 1
	}
}

# All engines that move data, as the program names them
engines() {
	"$SGSTREAM" -e '?' "${BASH_SOURCE[0]}" 2>&1 | sed -n 's/.*there are //p' | tr -d , | tr ' ' '\n' | grep -vx null
}

script() {
	local name
	echo ". '${BASH_SOURCE[0]}'"
	for name in ${inside-}; do declare -f "$name"; done
	for name in $(scenes); do
		declare -f "$name"
		echo "scene $name"
	done
}

# In the order of the file: with extdebug, declare -F tells "NAME LINE FILE".
scenes() (
	shopt -s extdebug
	for name in $(compgen -A function lab_); do declare -F "$name"; done |
		sort -n -k 2 | cut -d ' ' -f 1
)

# For a test: the scene ran to its end. Shows what it said when not.
scene_is_done() {
	[ -e "$R/$1.done" ] && return
	echo "$1 did not end well:"
	tail -n 20 "$R/$1.log"
	return 1
}

# Makes one result of a scene the current one: status, out and err, as after sgs.
result() {
	[ -e "$R/$1.status" ] || { echo "there is no result $1"; return 1; }
	ran="result $1: $(<"$R/$1.ran")"
	status=$(<"$R/$1.status")
	cp "$R/$1.out" out
	cp "$R/$1.err" err
}

# What a scene noted
noted() { cat "$R/$1.note"; }

# How long a run took in all
took_ms() { cat "$R/$1.ms"; }

# ---- inside ----

if [ -n "${LAB-}" ]; then
	D=/sys/bus/pseudo/drivers/scsi_debug
	cd "$LAB_SCRATCH" || exit
fi

# Not in an if: there bash would go on after a command that failed.
scene() {
	(set -eu; "$1") >"$LAB_OUT/$1.log" 2>&1
	[ $? -ne 0 ] || : >"$LAB_OUT/$1.done"
}

now_ms() { echo $((${EPOCHREALTIME/./} / 1000)); }

# record NAME COMMAND...: runs it, bounded, and keeps status, output and time.
record() {
	local name=$1 begin status=0
	shift
	printf '%q ' "$@" >"$LAB_OUT/$name.ran"
	begin=$(now_ms)
	timeout -k 1 "${limit-20}" "$@" >"$LAB_OUT/$name.out" 2>"$LAB_OUT/$name.err" || status=$?
	echo $(($(now_ms) - begin)) >"$LAB_OUT/$name.ms"
	echo "$status" >"$LAB_OUT/$name.status"
}

if [ -n "${LAB-}" ]; then
	# sgs NAME ARGUMENT...
	sgs() { record "$1" "$SGSTREAM" "${@:2}"; }

	# Begins in the background what finish waits for: start NAME ARGUMENT...
	start() {
		started=$1
		shift
		printf '%q ' "$@" >"$LAB_OUT/$started.ran"
		begun=$(now_ms)
		env --default-signal=INT,TERM,USR1 "$SGSTREAM" "$@" >"$LAB_OUT/$started.out" \
			2>"$LAB_OUT/$started.err" &
		pid=$!
	}

	# Kills what does not end by itself in ${limit} seconds.
	finish() {
		local status=0 guard
		(sleep "${limit-20}"; kill -KILL "$pid") &
		guard=$!
		wait "$pid" || status=$?
		echo $(($(now_ms) - begun)) >"$LAB_OUT/$started.ms"
		echo "$status" >"$LAB_OUT/$started.status"
		kill "$guard"
	}
fi

note() { printf '%s\n' "${@:2}" >"$LAB_OUT/$1.note"; }

# Commands that the device got: its driver counts all (statistics=1).
device_commands() { sed -n 's/^cmnd_count=\([0-9]*\).*/\1/p' /proc/scsi/scsi_debug/0; }

# The READ that the sg driver has in flight, in /run/in_flight: "mmap>> act: id=0 ... op=0x28"
in_flight() { grep -o '[a-z]*>> act: .*op=0x28\|act: .*op=0x28' /proc/scsi/sg/debug >/run/in_flight; }

# Waits, at most five seconds, until a condition is true: until_true COMMAND...
until_true() {
	local i
	for ((i = 0; i < 100; i++)); do
		"$@" && return
		sleep 0.05
	done
	echo "never came true: $*" >&2
	return 1
}

# Two commands, so that a unit attention is eaten before faults are armed.
clear_attention() { sg_turs -n 2 /dev/sg0 >/dev/null 2>&1 || true; }

# Faults of every Nth command, of whatever kind: arm OPTS EVERY_NTH
arm() {
	clear_attention
	echo "$1" >"$D/opts"
	echo "$2" >"$D/every_nth"
}

disarm() {
	echo 0 >"$D/every_nth"
	echo 0 >"$D/opts"
	clear_attention # takes what was armed and not yet used
	"$SGSTREAM" -c 1 /dev/sg0 >/dev/null 2>&1 || true
}

# One command of each size through each engine: sizes NAME "ENGINE..." SIZE...
sizes() {
	local name=$1 engines=$2 size engine
	shift 2
	for size in "$@"; do
		for engine in $engines; do
			sgs "size-$name-$size-$engine" --json --digest --bs "$size" -c 1 -e "$engine" /dev/sg0
		done
	done
}

# Does what the message tells to do, and tries again: follow NAME ARGUMENT...
follow() {
	local name=$1 remedy
	shift
	sgs "$name" "$@"
	remedy=$(sed -n 's/.*\(echo [0-9]* > [^ ;,]*\).*/\1/p' "$LAB_OUT/$name.err")
	note "$name" "$remedy"
	[ -n "$remedy" ] || return 0
	record "$name-done" bash -c "$remedy"
	sgs "$name-again" "$@"
}
