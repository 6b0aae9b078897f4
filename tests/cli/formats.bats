#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# --csv and --openmetrics: what they say, where it goes, and what a failure leaves.

load ../helpers

setup() {
	prepare
	random file 1000000
}

teardown() { conclude; }

# Reads CSV with Python's reader and runs a few lines over it: rows is a list of dictionaries, by
# the names of the columns; none is short or has too much. csv FILE CODE
csv() {
	/usr/bin/python3 - "$1" <<-END
		import csv, json, sys
		raw = open(sys.argv[1], "rb").read()
		assert raw.endswith(b"\r\n") and raw.count(b"\n") == raw.count(b"\r\n") == raw.count(b"\r")
		with open(sys.argv[1], newline="", encoding="utf-8") as stream:
		    head, *rest = csv.reader(stream, strict=True)
		assert len(set(head)) == len(head) and all(len(row) == len(head) for row in rest)
		rows = [dict(zip(head, row)) for row in rest]
		$2
	END
}

only_header() {
	csv "$1" 'assert head[:5] == ["started_at", "command", "run", "row", "path"] and not rows'
}

# The value of a sample of a file; the labels are those behind run="...".
# metric FILE NAME [LABELS]
metric() {
	awk -v name="sgstream_$2" -v labels="${3-}" '
		index($0, name "{run=\"") == 1 && index($0, "\"" (labels ? "," labels : "") "} ") { print $NF; n++ }
		END { exit n != 1 }' "$1"
}

# metric_is VALUE FILE NAME [LABELS]
metric_is() {
	local value
	value=$(metric "${@:2}") || { echo "not one ${*:3} in $2"; return 1; }
	[ "$value" = "$1" ] || { echo "${*:3} is $value, not $1"; return 1; }
}

# Whole, by whichever readers there are.
good_metrics() {
	local said
	[ "$(tail -n 1 "$1")" = "# EOF" ]
	[ "$(grep -c '# EOF' "$1")" -eq 1 ]
	said=$("$root"/scripts/validate-metrics "$1" 2>&1) || [ $? -eq 2 ] || { echo "$said"; return 1; }
}

no_spares() {
	local spares
	spares=$(find . -name '*.tmp-*')
	[ -z "$spares" ] || { echo "left: $spares"; return 1; }
}

@test "standard output by another name contradicts what goes there" {
	local option
	for option in --json= --csv= --openmetrics= --output=; do
		sgs "$option/dev/stdout" file
		is_refusal 31 "${option%=}" "/dev/stdout is standard output" "-"
		sgs "${option}out" file
		is_refusal 31 "${option%=}" "out is standard output"
		[ $option = --json= ] || empty out
	done
	sgs --json=/dev/stdout file
	is '.status == "error" and .exit_status == 31'
	sgs list --json=/dev/stdout
	is_refusal_with_object 31 "--json=- for this report alone"
	sgs --json=/dev/stdout --csv=- file
	is_refusal 31 "--json=/dev/stdout"
	"$SGSTREAM" --json=/dev/stdout file 2>err </dev/null 3>&- | jq -e '.exit_status == 31'
	timeout 60 "$SGSTREAM" --quiet --json=/dev/null file >/dev/null </dev/null 3>&-
}

@test "CSV says what the JSON says, device by device and in total" {
	random second 300000
	sgs --csv --json=result --digest -q 2 file second
	exits 0
	object result
	messages_only err
	csv out '
def flat(key):
    for place in ("latency", "transfer", "errors", "in_flight", "cpu", "page_faults"):
        if key.startswith(place + "_"):
            inner = key[len(place) + 1:]
            return ("latency_ns", inner[:-3]) if place == "latency" else (place, inner)
    return (key,)
def look(value, keys):
    for key in keys:
        value = value.get(key) if value else None
    return value
result = json.load(open("result"))
run = result["runs"][0]
assert [row["row"] for row in rows] == ["device", "device", "total"]
compared = 0
for row, of in zip(rows, run["devices"] + [run["total"]]):
    for key in head[head.index("goal_bytes") + 1:head.index("probe_commands")]:
        if key == "host_busy_percent":
            keys = ("cpu", key)
        else:
            keys = flat(key)
        there = look(of, keys)
        if there is None or isinstance(there, str):
            assert row[key] == (there or ""), (key, row[key], there)
        else:
            assert abs(float(row[key]) - there) <= 1e-9 * abs(there), (key, row[key], there)
            compared += 1
    assert row["bs_bytes"] == "65536" and row["queue_depth"] == "2" and row["engine"] == "buffered"
    assert row["cache_verdict"] == of["cache"]["verdict"]
    assert row["cache_sampled_bytes"] == str(of["cache"]["sampled_bytes"])
    assert row["started_at"] == result["started_at"] and row["status"] == "ok"
assert compared > 120
assert [row["path"] for row in rows] == ["file", "second", ""]
assert rows[2]["goal_bytes"] == "1300000" and rows[2]["devices"] == "2"
'
}

@test "CSV is alone on standard output, or in its file beside the text" {
	sgs --csv file
	exits 0
	messages_only err
	csv out 'assert [row["bytes"] for row in rows] == ["1000000"] * 2'
	sgs --csv=- file
	exits 0
	csv out 'assert len(rows) == 2'
	printf '%010000d' 0 >table
	sgs --csv=table file
	exits 0
	has out "MB/s"
	csv table 'assert len(rows) == 2'
	sgs --csv file file file
	csv out 'assert [row["row"] for row in rows] == ["device"] * 3 + ["total"]'
}

@test "CSV of names that could break it" {
	local names=('a,b' 'say "x"' $'line\nbreak\r' $'\e[31m' ' space ' $'\xff') name
	for name in "${names[@]}"; do cp file "$name"; done
	sgs --csv "${names[@]}"
	exits 0
	printable <(tr -d '\r' <out)
	csv out 'assert [row["path"] for row in rows[:-1]] == ["a,b", "say \"x\"", "line?break?", "?[31m", " space ", "?"]'
	[ "$(wc -l <out)" -eq 8 ]
}

@test "a call that comes to no run: the header and no row" {
	local arguments
	while read -r status_wanted arguments; do
		# shellcheck disable=SC2086
		sgs $arguments
		is_refusal "$status_wanted"
		only_header out
	done <<-'END'
		1 --csv
		1 --csv --bogus file
		1 --bogus --csv file
		1 --csv --bs x file
		15 --csv /nonexistent
		31 --csv --loop file
	END
	sgs --csv=table --bogus file
	is_refusal 1
	empty out
	only_header table
	sgs --csv --dry-run file
	exits 0
	empty err
	only_header out
	sgs list --csv
	is_refusal 1 --csv
	empty out
}

@test "standard output is for one" {
	sgs --csv --json file
	is_refusal_with_object 31 --csv --json "standard output" FILE
	sgs --json --csv file
	is_refusal_with_object 31 --csv --json
	sgs --csv --openmetrics - file
	is_refusal 31 --csv --openmetrics
	only_header out
	sgs --csv -o - file
	is_refusal 31 --csv --output
	sgs --csv --json=result file
	exits 0
	object result
	csv out 'assert len(rows) == 2'
	sgs --csv=table --json file
	is_good_run
	csv table 'assert len(rows) == 2'
	sgs --csv=table --json=result --openmetrics metrics -o data file
	exits 0
	has out "MB/s"
	object result
	csv table 'assert rows[1]["output_bytes"] == "1000000"'
	good_metrics metrics
	metric_is 1000000 metrics run_output_bytes 'engine="buffered"'
	cmp file data
}

@test "a file is for one" {
	sgs --csv=same --json=same file
	[ "$status" -eq 31 ]
	has err --csv --json same
	sgs --openmetrics same --csv=./same file
	is_refusal 31 --openmetrics --csv
	sgs --csv=same --output same file
	is_refusal 31 --csv --output
}

@test "what is read is no file for a result" {
	cp file copy
	ln -s file link
	local name
	for name in file ./file link; do
		sgs "--csv=$name" file
		is_refusal 1 "--csv=$name" "is to be read"
		sgs --openmetrics "$name" file
		is_refusal 1 "--openmetrics=$name" "is to be read"
		sgs "--csv=$name" --bogus file
		sgs --openmetrics "$name" --bogus file
		sgs --bogus "--json=$name" file
		cmp file copy
	done
	no_spares
}

@test "files that cannot be written: said before anything is read" {
	mkdir folder
	local place
	for place in /nonexistent/result folder ''; do
		sgs "--csv=$place" file
		[ "$status" -ge 50 ]
		is_refusal "$status" "--csv=$place" "cannot write"
		empty out
		sgs "--openmetrics=$place" file
		[ "$status" -ge 50 ]
		is_refusal "$status" "--openmetrics=$place" "cannot write"
		empty out
	done
	sgs --openmetrics
	is_refusal 1 "--openmetrics" "needs a value"
	no_spares
	rmdir folder
}

@test "a full disk is no success, and no worse than a worse one" {
	sgs --csv=/dev/full file
	exits 78
	has err "could not be written" "No space left" "--csv=/dev/full"
	has out "MB/s"
	status=0
	timeout 60 "$SGSTREAM" --csv file >/dev/full 2>err </dev/null 3>&- || status=$?
	exits 78
	[ "$(grep -c "could not be written" err)" -eq 1 ]
	sgs --csv=/dev/full --require-zero-copy file
	exits 36
	has err "could not be written"
	sgs --csv=/dev/full --json file
	exits 78
	object
	sgs --csv=/dev/full --bogus file
	exits 1
}

@test "metrics of a good run" {
	sgs --openmetrics sgstream.prom --digest file
	exits 0
	has out "MB/s"
	messages_only err
	good_metrics sgstream.prom
	metric_is 1 sgstream.prom run_status 'status="ok"'
	metric_is 0 sgstream.prom run_status 'status="error"'
	metric_is 0 sgstream.prom run_exit_status
	metric_is 1000000 sgstream.prom run_read_bytes 'engine="buffered"'
	metric_is 16 sgstream.prom run_transfer_commands 'engine="buffered",way="cached"'
	metric_is 16 sgstream.prom device_commands 'engine="buffered",device="file",hctl="",serial=""'
	metric_is 16 sgstream.prom device_latency_seconds_bucket \
		'engine="buffered",device="file",hctl="",serial="",le="+Inf"'
	grep -q '^sgstream_run_start_timestamp_seconds{run="sgstream"} [0-9]*\.[0-9]*$' sgstream.prom
	local started now
	started=$(metric sgstream.prom run_start_timestamp_seconds)
	now=$(date +%s)
	[ "${started%.*}" -ge $((now - 60)) ]
	[ "${started%.*}" -le "$now" ]
}

@test "metrics of several devices, one of them given twice, and of hostile names" {
	local names=('a"b' 'back\slash' $'line\nbreak' '}{,=' file) name
	for name in "${names[@]}"; do cp -f file "$name" 2>/dev/null || true; done
	sgs --openmetrics metrics "${names[@]}" file
	exits 0
	good_metrics metrics
	metric_is 6 metrics run_devices 'engine="buffered"'
	metric_is 1 metrics device_status 'engine="buffered",device="a\\"b",hctl="",serial="",status="ok"'
	metric_is 1 metrics device_status 'engine="buffered",device="back\\\\slash",hctl="",serial="",status="ok"'
	metric_is 1 metrics device_status 'engine="buffered",device="line?break",hctl="",serial="",status="ok"'
	metric_is 1 metrics device_status 'engine="buffered",device="file",hctl="",serial="",repeat="2",status="ok"'
}

@test "metrics on standard output" {
	sgs --openmetrics - file
	exits 0
	good_metrics out
	metric_is 1000000 out run_read_bytes 'engine="buffered"'
}

@test "metrics are read by promtool" {
	command -v promtool >/dev/null || skip "promtool (Debian: prometheus, 96 MB) is not installed"
	sgs --openmetrics metrics file file
	promtool check metrics <metrics
}

@test "metrics of what went wrong" {
	local before
	sgs --openmetrics metrics --require-zero-copy file
	exits 36
	metric_is 1 metrics run_status 'status="ok"'
	metric_is 36 metrics run_exit_status
	sgs --openmetrics metrics /nonexistent
	is_refusal 15
	empty out
	good_metrics metrics
	metric_is 1 metrics run_status 'status="error"'
	metric_is 15 metrics run_exit_status
	[ "$(grep -c read_bytes metrics)" -eq 0 ]
	for arguments in '--bogus --openmetrics metrics' '--openmetrics=metrics --bogus' '--openmetrics metrics --bs x'; do
		echo old >metrics
		# shellcheck disable=SC2086
		sgs $arguments file
		is_refusal 1
		good_metrics metrics
		metric_is 1 metrics run_exit_status
	done
	before=$(<metrics)
	sgs --openmetrics metrics --dry-run file
	exits 0
	[ "$(<metrics)" = "$before" ]
	no_spares
}

interrupt() { # SIGNAL ARGUMENT...
	local signal=$1 pid i
	shift
	timeout -k 5 60 "$SGSTREAM" "$@" >out 2>err </dev/null 3>&- &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		sleep 0.05
		[[ $(ps -o nlwp= --ppid "$pid") -gt 2 ]] && break
	done
	pkill "-$signal" -P "$pid"
	status=0
	wait "$pid" || status=$?
}

@test "interrupted: what was read until then" {
	interrupt INT --csv --json=result --openmetrics metrics --loop --runtime 30s file
	exits 130
	object result
	good_metrics metrics
	metric_is 1 metrics run_status 'status="interrupted"'
	metric_is 130 metrics run_exit_status
	csv out '
assert [row["status"] for row in rows] == ["interrupted"] * 2
assert rows[1]["exit_status"] == "130" and rows[0]["exit_status"] == "0" and rows[0]["goal_bytes"] == ""
assert int(rows[1]["bytes"]) == json.load(open("result"))["runs"][0]["total"]["bytes"] > 0
'
	metric_is "$(jq .runs[0].total.bytes result)" metrics run_read_bytes 'engine="buffered"'
	no_spares
}

@test "standard output whose reader is gone does not take the files along" {
	"$SGSTREAM" --csv --json=result --openmetrics metrics --loop --runtime 300ms file 2>err 3>&- | true
	object result
	good_metrics metrics
	metric_is 1 metrics run_status 'status="ok"'
}

@test "a collector never sees half a file" {
	local reader i
	sgs --openmetrics metrics file
	(
		while [ ! -e finished ]; do
			text=$(<metrics)
			[[ $text == "# TYPE sgstream_run_info"*"# EOF" ]] || echo "seen: ${#text} bytes"
		done
	) >seen 2>&1 3>&- &
	reader=$!
	for ((i = 0; i < 40; i++)); do
		sgs --openmetrics metrics file file file
		sgs --openmetrics metrics --bogus
	done
	: >finished
	wait "$reader"
	empty seen
	no_spares
}

# More than a page cannot be written.
@test "metrics that cannot be written leave the old ones" {
	sgs --openmetrics metrics file
	cp metrics before
	status=0
	(
		trap '' XFSZ
		ulimit -f 4
		timeout 60 "$SGSTREAM" --openmetrics metrics file >out 2>err </dev/null 3>&-
	) || status=$?
	exits 77
	has err "could not be written" "File too large" "--openmetrics=metrics"
	cmp metrics before
	no_spares
	has out "MB/s"
}

@test "metrics on a full disk" {
	unshare -rm true 2>/dev/null || skip "no user and mount namespace here"
	cat >try <<-'END'
		mkdir disk && mount -t tmpfs -o size=24k none disk || exit 99
		"$SGSTREAM" --openmetrics disk/metrics --bogus
		cp disk/metrics before
		dd if=/dev/zero of=disk/rest bs=4k status=none
		"$SGSTREAM" --openmetrics disk/metrics file
		status=$?
		cmp disk/metrics before && [ "$(ls disk)" = "metrics
rest" ] || exit 98
		exit $status
	END
	status=0
	timeout 60 unshare -rm bash try >out 2>err </dev/null 3>&- || status=$?
	[ "$status" -ne 99 ] || skip "no tmpfs can be mounted here"
	exits 78
	has err "could not be written" "No space left"
}

@test "only a regular file is replaced" {
	mkdir folder
	mkfifo fifo
	ln -s /dev/null link
	ln -s nowhere broken
	local name
	for name in fifo link /dev/null; do
		sgs --openmetrics "$name" file
		is_refusal 15 "--openmetrics=$name" "only a regular file is replaced"
		empty out
	done
	[ -c /dev/null ]
	[ -p fifo ]
	[ -L link ]
	sgs --openmetrics folder file
	is_refusal 71 "--openmetrics=folder" "directory"
	sgs --openmetrics broken file
	is_refusal 52 "--openmetrics=broken"
	no_spares
}

@test "a link to a block device is refused" {
	local node
	node=$(find /dev -maxdepth 1 -type b -print -quit)
	if [ -z "$node" ]; then
		node=$T/node
		mknod "$node" b 240 0 2>/dev/null || skip "no block node here, and none can be made"
	fi
	ln -s "$node" link
	sgs --openmetrics link file
	is_refusal 15 "--openmetrics=link" "only a regular file is replaced"
	sgs --csv=link file
	is_refusal 15 "--csv=link" "device"
	[ -b "$node" ]
	[ -L link ]
}

@test "a link to a file stays, and the file is replaced" {
	mkdir there
	echo old >there/metrics
	ln -s there/metrics link
	sgs --openmetrics link file
	exits 0
	[ -L link ]
	good_metrics there/metrics
	metric_is 0 there/metrics run_exit_status
	grep -q 'run="link"' there/metrics
	no_spares
}

@test "metrics are readable for a collector, whatever the umask" {
	(umask 077 && "$SGSTREAM" --openmetrics metrics file >out 2>err </dev/null 3>&-)
	[ "$(stat -c %a metrics)" = 644 ]
}

@test "a file in the way of the new one is not touched" {
	local shell="$SGSTREAM --openmetrics metrics file"
	# exec keeps the process number, so the name is known beforehand
	bash -c "ln -s file metrics.tmp-\$\$; exec $shell" >out 2>err </dev/null 3>&-
	good_metrics metrics
	[ "$(find . -name 'metrics.tmp-*' -type l | wc -l)" -eq 1 ]
	[ "$(stat -c %s file)" -eq 1000000 ]
}

@test "the columns and the metrics are those of doc/formats.md" {
	sgs --openmetrics timed --loop --runtime 500ms file # long enough for what the host did
	exits 0
	sgs --openmetrics paced --rate 64M --size 64k file
	exits 0
	sgs --csv --openmetrics metrics -o data file
	exits 0
	/usr/bin/python3 - "$root/doc/formats.md" <<-'END'
		import re, sys
		columns, metrics = open(sys.argv[1]).read().split("## Metrics")
		rows = [line.split("|") for line in columns.splitlines() if line.startswith("| `")]
		names = [name for row in rows for name in re.findall(r"`(\w+)`", row[1])]
		head = open("out", newline="").readline().rstrip("\r\n").split(",")
		assert names == head, set(names) ^ set(head)
		rows = [line.split("|") for line in metrics.splitlines() if line.startswith("| `...")]
		names = {scope.strip() + name for row in rows for name in re.findall(r"`\.\.\.(_\w+)`", row[1])
		         for scope in row[2].split(",")}
		found = set(re.findall(r"^# TYPE sgstream_(\w+) ", "".join(open(name).read() for name in ("timed", "paced", "metrics")), re.M))
		assert names == found, names ^ found
	END
}
