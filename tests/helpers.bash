# shellcheck shell=bash disable=SC2154 # T is set by prepare
# SPDX-License-Identifier: BSD-2-Clause
#
# What the tests of the command line and those over a real driver share: running the program,
# and holding what it says and writes against the contract.

root=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
: "${SGSTREAM:=$root/sgstream}"
export SGSTREAM
export LC_ALL=C.UTF-8

# For setup(): a folder of its own for each test, in $T.
prepare() {
	T=$BATS_TEST_TMPDIR
	cd "$T" || return
	mkdir -p objects
}

# For teardown(): every JSON object that the test kept is held against the schema, and what the
# program said last is shown when the test failed.
conclude() {
	local files
	if [ -z "${BATS_TEST_COMPLETED-}" ]; then
		show_last
		return
	fi
	shopt -s nullglob
	files=("$T"/objects/*.json)
	[ ${#files[@]} -eq 0 ] || "$root/scripts/validate-json" "${files[@]}"
}

show_last() {
	local stream
	echo "status ${status-none}: ${ran-}"
	for stream in out err; do
		[ ! -s "$T/$stream" ] || { echo "--- $stream"; head -c 3000 "$T/$stream" | cat -v; }
	done
}

# Runs the program, bounded; the results are in $status, out and err.
sgs() {
	ran="sgstream $(printf '%q ' "$@")"
	status=0
	timeout -k 5 60 "$SGSTREAM" "$@" >out 2>err </dev/null 3>&- || status=$?
}

exits() {
	[ "$status" -eq "$1" ] && return
	echo "exit status $status, expected $1"
	return 1
}

# The words stand in a file: has FILE WORD...
has() {
	local file=$1 text word
	text=$(<"$1")
	shift
	for word; do
		[[ $text == *"$word"* ]] && continue
		echo "$file does not say: $word"
		return 1
	done
}

has_not() {
	local file=$1 text word
	text=$(<"$1")
	shift
	for word; do
		[[ $text != *"$word"* ]] && continue
		echo "$file says: $word"
		return 1
	done
}

empty() {
	[ ! -s "$1" ] && return
	echo "$1 is not empty"
	return 1
}

# No control characters but the newline, and valid UTF-8
printable() {
	local text
	text=$(<"$1")
	if [[ ${text//$'\n'/} == *[[:cntrl:]]* ]] || grep -qaxv '.*' -- "$1"; then
		echo "$1 has control characters, or is no UTF-8"
		return 1
	fi
}

# One whole line of the program's
one_line() {
	local lines
	mapfile lines <"$1"
	[[ ${#lines[@]} -eq 1 && ${lines[0]} == "sgstream: "?*$'\n' ]] && return
	echo "$1 is not one line of sgstream's"
	return 1
}

# Every line of a file begins as the program's messages do.
messages_only() {
	if grep -v '^sgstream: ' "$1"; then
		echo "$1 has lines that are no messages"
		return 1
	fi
}

# A value of the object in out, or in another file: json FILTER [FILE]
json() { jq -er "$1" "${2-out}"; }

# The filter is true of the one object in a file: is FILTER [FILE]
is() {
	jq -se --arg said "$(<err)" "length == 1 and (.[0] | $1)" "${2-out}" >/dev/null && return
	echo "not so: $1"
	return 1
}

# One object, alone in a file (out); conclude holds it against the schema.
object() {
	is true "${1-out}"
	keep "$@"
}

# One line with all the words, and nothing else: is_refusal STATUS WORD...
is_refusal() {
	exits "$1"
	shift
	one_line err
	printable err
	has err "$@"
}

# The same with an object that says so, too
is_refusal_with_object() {
	is_refusal "$@"
	is ".status == \"error\" and .exit_status == $1 and (.runs // [] | length == 0) and
		([.messages[] | select(.level == \"error\").text] | length == 1 and
		(.[0] as \$text | \$said | contains(\$text)))"
	keep
}

# Bad input: one line on standard error with all the words, nothing on standard output; with
# --json before or behind the mistake the same line, and an object with the same text.
# refused STATUS WORD... -- ARGUMENT...
refused() {
	local expected=() arguments command=() line
	while [ "$1" != -- ]; do
		expected+=("$1")
		shift
	done
	shift
	arguments=("$@")
	case ${1-} in
	compare | doctor | list | plan | read | report | sweep | tune) command=("$1") arguments=("${@:2}") ;;
	esac

	sgs "$@"
	is_refusal "${expected[@]}"
	empty out
	line=$(<err)

	sgs "${command[@]}" --json "${arguments[@]}"
	is_refusal_with_object "${expected[@]}"
	[ "$(<err)" = "$line" ]
	[ -n "${json_last-yes}" ] || return 0
	sgs "$@" --json
	is_refusal_with_object "${expected[@]}"
	[ "$(<err)" = "$line" ]
}

# Waits for a condition, at most ten seconds: eventually COMMAND...
eventually() {
	local i
	for ((i = 0; i < 200; i++)); do
		"$@" && return
		sleep 0.05
	done
	echo "never came true: $*"
	return 1
}

# A file of random bytes: random FILE SIZE
random() { head -c "$2" /dev/urandom >"$1"; }

# The figures of each run fit together: a filter, so that one jq can look at all.
# shellcheck disable=SC2016
fit='def near($a; $b): ($a - $b | fabs) <= ($b | fabs) / 1e6;
	def figures_fit($engine):
		([.latency_ns.histogram[][1]] | add // 0) == .commands and
		(.latency_ns | [.min, .p50, .p90, .p99, .p99_9, .p99_99, .max]
			| map(select(. != null)) | . == sort) and
		.first_done_ns <= .last_done_ns and .last_done_ns == .elapsed_ns and
		($engine == "null" or ([.transfer[]] | add) == .commands) and
		(.elapsed_ns == 0 or near(.bytes_per_second * .elapsed_ns / 1e9; .bytes) and
			near(.iops * .elapsed_ns / 1e9; .commands)) and
		(.commands == 0 or .in_flight.mean <= .in_flight.max);
	def adds_up($key): .total[$key] == ([.devices[][$key]] | add);
	def errors_add_up: . as $run | .total.errors | keys | all(.[];
		. as $key | $run.total.errors[$key] == ([$run.devices[].errors[$key]] | add));
	def fits: .runs | length > 0 and all(.[]; .engine as $engine |
		all(.total, .devices[]; figures_fit($engine)) and
		adds_up("bytes") and adds_up("commands") and errors_add_up);'

figures_fit() { is "$fit fits" "$@"; }

# Keeps the object in a file (out): conclude holds it against the schema.
keep() {
	objects=$((${objects-0} + 1))
	cp "${1-out}" "objects/$objects.json"
}

# A good run with --json: the object is whole, and its figures fit.
is_good_run() {
	exits 0
	is "$fit .status == \"ok\" and .exit_status == 0 and fits"
	keep
}

# Runs the program in the background, in $pid, with signals as a shell's foreground has them:
# what bash runs in the background has INT ignored, until env has become the program.
start() {
	local name=bash
	ran="sgstream $(printf '%q ' "$@") &"
	env --default-signal=INT,TERM,HUP,USR1 "$SGSTREAM" "$@" >out 2>err </dev/null 3>&- &
	pid=$!
	while [[ $name == bash* || $name == env ]]; do read -r name <"/proc/$pid/comm" || name=gone; done
}

# Waits for it, at most 20 seconds; its exit status is in $status.
finish() {
	timeout 20 tail --pid="$pid" -f /dev/null 3>&- || kill -KILL "$pid"
	status=0
	wait "$pid" || status=$?
	pid=
}

# For teardown(): ends what start began.
stop_started() {
	[ -z "${pid-}" ] || kill -KILL "$pid" 2>/dev/null || true
}
