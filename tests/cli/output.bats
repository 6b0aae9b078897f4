#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# What the program says, where, and what it never writes to.
# shellcheck disable=SC2030,SC2031 # each test has variables of its own

load ../helpers

setup() {
	prepare
	random file 1000000
}

teardown() { conclude; }

@test "--version is one line, --help is whole and narrow" {
	sgs --version
	exits 0
	empty err
	[[ $(<out) =~ ^sgstream\ [0-9]+\.[0-9]+\.[0-9]+\ \([^\ ]+\)$ ]]
	cp out version
	sgs -V
	cmp out version
	local arguments
	for arguments in --help -h 'read --help' 'list --help' 'list -h'; do
		# shellcheck disable=SC2086
		sgs $arguments
		exits 0
		empty err
		has out "Usage: sgstream" "--json" "--help"
		printable out
		awk 'length > 100 { print "too wide: " $0; bad = 1 } END { exit bad }' out
	done
}

# A value that an option takes, by what the help calls it
value_for() {
	case $1 in
	ENGINE) echo null ;;
	FILE) echo result ;;
	LIST) echo 0 ;;
	NAME) echo none ;;
	SIZE | RATE) echo 64k ;;
	N) echo 1 ;;
	TIME) echo 5s ;;
	WHEN) echo auto ;;
	*'|'*) echo "${1%%|*}" ;;
	*) echo "no value known for $1" >&2; return 1 ;;
	esac
}

# Taken, or refused because of another option (31), the file or this host: is_accepted OPTION...
is_accepted() {
	sgs --dry-run --size 64k "$@" file
	[ "$status" -eq 0 ] || [ "$status" -eq 31 ] || has err "leave "
}

@test "every option of the help is accepted, by its letter and by its name" {
	local line letter name argument value tried=0
	sgs --help
	cp out help
	while IFS= read -r line; do
		[[ $line =~ ^\ \ (-([a-zA-Z]),\ |\ \ \ \ )--([a-z-]+)(\[=FILE\]|\ [A-Za-z0-9|]+)?(\ +[^\ ]|$) ]] || continue
		letter=${BASH_REMATCH[2]} name=${BASH_REMATCH[3]} argument=${BASH_REMATCH[4]# }
		value=()
		[[ -z $argument || $argument == "[=FILE]" ]] || value=("$(value_for "$argument")")
		is_accepted "--$name" "${value[@]}"
		[[ -z $argument ]] || sgs --dry-run --size 64k "--$name=${value[0]-result}" file
		has_not err "there is no option" "needs a value" "takes no value" "'"
		[[ -z $letter ]] || is_accepted "-$letter" "${value[@]}"
		tried=$((tried + 1))
	done <help
	[ "$tried" -ge 22 ]
}

@test "rates are in MB/s and MiB/s, and both are bytes by time" {
	truncate -s 100M hundred
	sgs --loop --runtime 1s hundred
	exits 0
	messages_only err
	local line amount unit seconds mb mib
	line=$(grep 'MB/s' out)
	[[ $line =~ ^([0-9.,]+)\ ([MGT]B)\ in\ ([0-9.]+)\ s\ =\ ([0-9.,]+)\ MB/s\ \(([0-9.,]+)\ MiB/s\),\ [0-9,]+\ commands/s$ ]]
	amount=${BASH_REMATCH[1]//,/} unit=${BASH_REMATCH[2]} seconds=${BASH_REMATCH[3]}
	mb=${BASH_REMATCH[4]//,/} mib=${BASH_REMATCH[5]//,/}
	awk -v amount="$amount" -v unit="$unit" -v s="$seconds" -v mb="$mb" -v mib="$mib" '
		function near(a, b) { return a / b > 0.985 && a / b < 1.015 }
		BEGIN {
			bytes = amount * (unit == "MB" ? 1e6 : unit == "GB" ? 1e9 : 1e12)
			exit !(near(mb, bytes / 1e6 / s) && mb / mib > 1.045 && mb / mib < 1.052)
		}'
	sgs hundred
	has out "105 MB (100 MiB)"
	has out "latency" "p50" "p99" "p99.9" "max" "cpu" "s per GiB" "through the page cache"
	grep -q '^errors  *none$' out
}

@test "JSON is alone on standard output, warnings are in it and on standard error" {
	sgs --json file
	is_good_run
	is '[.messages[] | select(.level == "warning")] | length >= 1'
	messages_only err
	json '.messages[].text' >texts
	while IFS= read -r text; do has err "$text"; done <texts
	sgs --json=- file
	is_good_run
}

@test "JSON to a file leaves the text on standard output" {
	printf '%010000d' 0 >result
	sgs --json=result file
	exits 0
	object result
	figures_fit result
	has out "MB/s"
	messages_only err
	sgs --json=/dev/null file
	exits 0
	has out "MB/s"
	sgs --json=result /nonexistent
	exits 15
	one_line err
	empty out
	object result
	is '.status == "error" and .exit_status == 15' result
}

@test "the last --json counts" {
	sgs --json=first --json file
	is_good_run
	[ ! -e first ]
	sgs --json --json=second file
	exits 0
	object second
}

@test "JSON that cannot be written: said before anything is read" {
	local file
	mkdir folder
	for file in /nonexistent/result folder folder/ ''; do
		sgs --json="$file" file
		[ "$status" -ge 50 ] || exits 1
		is_refusal "$status" "--json=$file"
		[ ! -s out ] || is ".status == \"error\" and .exit_status == $status and .runs == []"
	done
	ls -A folder >inside
	empty inside
}

@test "a file that cannot be written is named with what it is" {
	ln -s loop loop
	mkfifo pipe
	refused 90 "--output loop" "Too many levels of symbolic links" -- -o loop file
	sgs --json=loop file
	is_refusal_with_object 90 "--json=loop" "Too many levels of symbolic links"
	refused 15 "--openmetrics=pipe" "only a regular file is replaced" -- --openmetrics pipe file
}

@test "a full disk is no success" {
	sgs --json=/dev/full file
	exits 78
	has err "could not be written" "No space left"
	has out "MB/s"
	sgs --json=/dev/full --bogus
	exits 1
	has err "--bogus" "could not be written"
	local arguments
	for arguments in file '--json file' 'list file' '--dry-run file' 'doctor file' 'doctor --json' \
		'doctor --help' --help --version; do
		echo "$arguments"
		status=0
		# shellcheck disable=SC2086
		timeout 60 "$SGSTREAM" $arguments >/dev/full 2>err </dev/null 3>&- || status=$?
		exits 78
		has err "could not be written" "No space left"
	done
}

@test "a file at its limit is an error that says how much was written" {
	status=0
	(ulimit -f 100 && timeout 60 "$SGSTREAM" --json -o data file >out 2>err </dev/null 3>&-) || status=$?
	exits 77
	has err "the output could not be written: File too large; 102400 bytes are written"
	[ "$(stat -c %s data)" -eq 102400 ]
	cmp -n 102400 file data
	object
	is '.status == "partial" and .runs[0].output_bytes == 102400'
	status=0
	# shellcheck disable=SC2016
	timeout 60 bash -c '(ulimit -f 0; exec "$1" --json=result file) 2>&1 | cat; exit "${PIPESTATUS[0]}"' - \
		"$SGSTREAM" >out </dev/null 3>&- || status=$?
	exits 77
	has out "MB/s" "could not be written: File too large (--json=result)"
}

# Descriptors that are not there must not become those of the files that are opened next.
@test "closed standard streams" {
	status=0
	timeout 60 "$SGSTREAM" --json=result file >&- 2>err </dev/null 3>&- || status=$?
	object result
	timeout 60 "$SGSTREAM" --json=result file >out 2>&- </dev/null 3>&-
	object result
	timeout 60 "$SGSTREAM" --json=result file >&- 2>&- <&- 3>&- || true
	object result
	status=0
	timeout 60 "$SGSTREAM" file >&- 2>err </dev/null 3>&- || status=$?
	[ "$status" -ne 0 ]
	has err "could not be written"
}

@test "what is read is never written to" {
	cp file copy
	sgs --json=file file
	[ "$status" -ne 0 ]
	one_line err
	cmp file copy
	ln -s file link
	sgs --json=link file
	[ "$status" -ne 0 ]
	cmp file copy
	chmod 444 file
	sgs file
	exits 0
}

@test "nothing but standard streams and the JSON file is written" {
	mkdir place
	cp file place
	chmod 444 place/file
	(cd place && sgs --json=result --digest --interval 10ms --loop --runtime 50ms file && ls -A >../names) || true
	printf '%s\n' err file out result | diff - names
}

# not_lost ARGUMENT...: whatever the call comes to, the earlier output is as it was.
not_lost() {
	sgs "$@" -o earlier
	[ "$(<earlier)" = "an earlier image" ]
}

@test "an output file keeps what it holds until the run begins" {
	echo "an earlier image" >earlier
	cp file other
	local arguments
	for arguments in nofile '-b 2G file' '--size 99G file' '--pattern random file' \
		'--cpus 9999 file' 'file other' '--retries x file' '-e null file'; do
		echo "$arguments"
		# shellcheck disable=SC2086
		not_lost $arguments
		[ "$status" -ne 0 ]
	done
	not_lost --dry-run file
	exits 0
	sgs --dry-run -o new file
	exits 0
	[ ! -e new ]
	sgs --dry-run -o /nonexistent/new file
	is_refusal 52 "/nonexistent/new" "No such file"
	sgs -o earlier file
	exits 0
	cmp file earlier
}

@test "standard output is written to where it stands, and not emptied" {
	echo before >out
	timeout 60 "$SGSTREAM" --quiet -o - file >>out 2>err </dev/null 3>&-
	cmp out <(echo before; cat file)
}

@test "quiet: errors and the result only" {
	sgs --quiet file
	exits 0
	empty err
	has out "MB/s"
	sgs --quiet --json file
	is_good_run
	empty err
	is '[.messages[] | select(.level == "warning")] | length >= 1'
	sgs --quiet /nonexistent
	exits 15
	one_line err
	sgs --quiet --require-zero-copy file
	exits 36
	one_line err
}

@test "verbose: more about devices and latencies" {
	sgs file
	has_not out "p90" "serial"
	sgs -v file
	exits 0
	has out "p90" "p99.99" "mean" "serial"
	sgs -vv --verbose file file
	exits 0
	has out "p90" "serial"
}

@test "intervals: a line each, and in the JSON they add up to the total" {
	sgs --json --loop --runtime 500ms --interval 100ms file
	is_good_run
	is '.runs[0] | .intervals | length >= 3 and length <= 6'
	is '.runs[0] | (.intervals | map(.bytes) | add) == .total.bytes'
	is '.runs[0] | (.intervals | map(.commands) | add) == .total.commands'
	is '.runs[0].intervals | map(.at_ns) | . == (sort | unique)'
	# shellcheck disable=SC2016
	is '.runs[0].intervals as $all | all(range(1; $all | length); . as $i |
		$all[$i].at_ns - $all[$i - 1].at_ns == $all[$i].span_ns)'
	[ "$(grep -c '^at [0-9.]* s: .* MB/s (.* MiB/s), .* commands so far$' err)" -ge 3 ]
	sgs --json file
	is '.runs[0].intervals == []'
}

@test "intervals of several devices have the bytes of each" {
	cp file other
	sgs --json --loop --runtime 700ms --interval 200ms -e null file other
	exits 0
	is '.runs[0] | .intervals | length >= 3 and all(.[]; (.device_bytes | length) == 2)'
	is '.runs[0] | [.intervals | map(.device_bytes) | transpose | .[] | add] == [.devices[].bytes]'
	keep
}

@test "the bar is drawn when it is asked for, and not into a file" {
	sgs --loop --runtime 1200ms --progress always file
	exits 0
	grep -q '%  .*MB/s' err
	printable out
	sgs --loop --runtime 1200ms --progress never file
	exits 0
	messages_only err
	sgs --loop --runtime 1200ms file
	exits 0
	messages_only err
	sgs --loop --runtime 1200ms --progress always --json file
	is_good_run
}

# The program in a terminal of its own: on_terminal ARGUMENT...
on_terminal() {
	status=0
	timeout 60 script -qec "$(printf '%q ' "$SGSTREAM" "$@")" screen >/dev/null </dev/null 3>&- || status=$?
}

@test "on a terminal there is a bar, and --progress never or --quiet takes it away" {
	command -v script >/dev/null || skip "script (bsdutils) is not installed"
	on_terminal --loop --runtime 1200ms file
	exits 0
	grep -qa '%  .*MB/s' screen
	on_terminal --loop --runtime 1200ms --progress never file
	exits 0
	has_not screen '%  '
	on_terminal --loop --runtime 1200ms --quiet file
	exits 0
	has_not screen '%  '
}

@test "names with spaces, of other scripts, with control characters and broken UTF-8" {
	local name names=('two words' $'\u00e9\u20ac' $'tab\tnew\nline\r' $'\e[2J\e]0;x\a' $'c1\xc2\x9b31m' $'\xff\xfe\xc3(' '"quotes\"' '100%s%n')
	for name in "${names[@]}"; do
		cp file "$name"
		sgs --json -v --digest "$name"
		is_good_run
		printable err
		sgs -v "$name"
		exits 0
		printable out
		printable err
		sgs -v "$name" file
		exits 0
		printable out
		sgs list --engines -v "$name"
		exits 0
		printable out
		sgs list --json --engines "$name"
		exits 0
		object
		sgs list -v "$name"
		exits 0
		printable out
	done
	sgs 'two words'
	has out 'two words'
	sgs $'\u00e9\u20ac'
	has out $'\u00e9\u20ac'
	sgs list $'\u00e9\u20ac'
	has out $'\u00e9\u20ac'
}

@test "messages do not fill the JSON twice, and name their device" {
	sgs --json file /nonexistent
	exits 15
	object
	is '.messages | length == 1 and (.[0] | .device == "/nonexistent" and .level == "error" and
		.code == "no_such_device")'
}
