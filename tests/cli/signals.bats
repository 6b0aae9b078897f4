#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# INT, TERM and HUP end a run with its report, USR1 asks for a line.
# shellcheck disable=SC2030,SC2031 # each test has a pid of its own

load ../helpers

setup() {
	prepare
	random file 1000000
}

teardown() {
	stop_started
	conclude
}

# Readers are there: besides the main thread and the one that waits for signals
reading() {
	local threads=(/proc/"$pid"/task/*)
	[ "${#threads[@]}" -ge 3 ] && sleep 0.1 # from the first thread to the first command
}
alive() { [ -d "/proc/$pid" ] && ! grep -q '^State:	Z' "/proc/$pid/status"; }
lines() { wc -l <err; }

start_reading() {
	start --loop --runtime 60s -e null "$@" file
	eventually reading
}

@test "INT, TERM and HUP: what was read is reported, marked as interrupted" {
	local name number
	for name in INT TERM HUP; do
		number=$(kill -l "$name")
		start_reading --json
		sleep 0.1
		kill -"$name" "$pid"
		finish
		exits $((128 + number))
		object
		is ".status == \"interrupted\" and .exit_status == 128 + $number"
		is '.runs | length == 1 and (.[0].total | .bytes > 0 and .elapsed_ns < 20e9)'
		figures_fit

		start_reading
		kill -"$name" "$pid"
		finish
		exits $((128 + number))
		has out "interrupted by SIG$name" "MB/s" "latency" "errors"
	done
}

@test "an interrupted run has its intervals and its digest" {
	start --loop --runtime 60s --json --digest --interval 50ms file
	eventually test -s err
	kill -INT "$pid"
	finish
	exits 130
	object
	figures_fit
	is '.runs[0] | (.intervals | map(.bytes) | add) == .total.bytes and (.total.digest | length == 32)'
}

@test "an interrupted run of several files and threads is whole" {
	start --loop --runtime 60s --json -e null -q 4 file file
	eventually reading
	kill -TERM "$pid"
	finish
	exits 143
	object
	figures_fit
	is '.runs[0] | (.devices | length == 2) and .queue_depth == 4'
}

@test "a signal at any moment: nothing, or a whole object" {
	local delay whole=0
	for delay in 0 0.002 0.004 0.006 0.008 0.01 0.013 0.016 0.02 0.03 0.05 0.1; do
		start --loop --runtime 60s --json -e null file
		sleep "$delay"
		kill -INT "$pid"
		finish
		exits 130
		if [ -s out ]; then
			object
			is '.status == "interrupted" and .exit_status == 130'
			whole=$((whole + 1))
		fi
	done
	[ "$whole" -ge 1 ]
}

@test "USR1 asks for one line of progress, and the run goes on" {
	start_reading
	local before i
	before=$(lines)
	for i in 1 2; do
		kill -USR1 "$pid"
		more_lines() { [ "$(lines)" -ge $((before + i)) ]; }
		eventually more_lines
		sleep 0.2
		[ "$(lines)" -eq $((before + i)) ]
	done
	grep -q '^at [0-9].* s: .* MB/s (.* MiB/s), .* commands so far$' err
	alive
	kill -TERM "$pid"
	finish
	exits 143
	has out "MB/s"
}

@test "USR1 does not end a run whose bar is drawn, nor spoil the JSON" {
	start_reading --json --progress always
	kill -USR1 "$pid"
	sleep 0.2
	alive
	kill -INT "$pid"
	finish
	exits 130
	object
}

@test "an INT or HUP that was ignored from the start stays ignored" {
	local name
	for name in INT HUP; do
		(trap '' "$name"; exec "$SGSTREAM" --loop --runtime 60s --json -e null file >out 2>err </dev/null 3>&-) &
		pid=$!
		eventually reading
		kill -"$name" "$pid"
		sleep 0.3
		alive
		kill -TERM "$pid"
		finish
		exits 143
		object
		is '.status == "interrupted"'
	done
}

@test "HUP: the metrics of what was read are written" {
	start_reading --openmetrics metrics
	kill -HUP "$pid"
	finish
	exits 129
	grep -q '^sgstream_run_exit_status.* 129' metrics
}

# The thread that waits for signals is there, and the main thread has nothing to do.
sleeping() {
	local threads=(/proc/"$pid"/task/*)
	[ "${#threads[@]}" -ge 2 ] && grep -q '^[0-9]* (sgstream) S' "/proc/$pid/stat"
}

@test "a pipe that nobody reads is waited for until INT or TERM" {
	local arguments name
	mkfifo pipe
	for arguments in 'file --json=pipe' 'file --csv=pipe' 'list --json=pipe file' \
		'compare --json=pipe file' 'file -o pipe' '--bogus --json=pipe'; do
		for name in INT TERM; do
			# shellcheck disable=SC2086
			start $arguments
			eventually sleeping
			kill -"$name" "$pid"
			finish
			exits $((128 + $(kill -l "$name")))
			has err "interrupted by SIG$name before anything was read"
		done
	done
}

@test "a pipe whose reader comes late gets the report" {
	mkfifo pipe
	start --json=pipe file
	eventually sleeping
	timeout 20 cat pipe >result
	finish
	exits 0
	object result
}

@test "a run that ended by itself is not called interrupted" {
	start --json --loop --runtime 300ms -e null file
	finish
	is_good_run
}
