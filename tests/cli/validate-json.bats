#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# The schema and the script that holds results against it: what they must refuse. That results of
# the program itself pass is tested where those are made.

setup() {
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	samples=$root/tests/data/json
	validate=$root/scripts/validate-json
	reasons=()
	/usr/bin/python3 -c 'import jsonschema' 2>/dev/null ||
		skip "python3-jsonschema is not installed"
}

# Writes the sample changed by a jq program, to be refused with part of the reason
refused() {
	local program=$1 reason=$2 sample=${3:-ok} file
	file=$BATS_TEST_TMPDIR/changed.${#reasons[@]}.json
	jq "$program" "$samples/$sample.json" >"$file"
	reasons+=("$program" "$file: " "$reason")
}

# One start of the validator for all of them
check_refused() {
	local program file reason found
	run "$validate" "$BATS_TEST_TMPDIR"/changed.*.json
	[ "$status" -eq 1 ]
	while [ ${#reasons[@]} -gt 0 ]; do
		program=${reasons[0]} file=${reasons[1]} reason=${reasons[2]}
		reasons=("${reasons[@]:3}")
		found=$(grep -F -e "$file" <<<"$output" || true)
		[[ $found == *"$reason"* ]] || {
			echo "$program: $found"
			return 1
		}
	done
}

# Text that is no result at all
refused_text() {
	run "$validate" <<<"$1"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"$2"* ]]
}

@test "good results pass, from files and from standard input" {
	run "$validate" "$samples"/*.json
	echo "$output"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	"$validate" <"$samples/ok.json"
	"$validate" - <"$samples/list.json"
}

@test "keys that are added pass" {
	jq '.new = 1 | .runs[0].new = {} | .runs[0].total.errors.new = 0 | .host.new = "x"' \
		"$samples/ok.json" | "$validate"
}

@test "a bad file among good ones is named" {
	echo '{}' >"$BATS_TEST_TMPDIR/bad.json"
	run "$validate" "$samples/ok.json" "$BATS_TEST_TMPDIR/bad.json" "$samples/list.json"
	[ "$status" -eq 1 ]
	[[ $output == *bad.json:* ]]
	[[ $output != *ok.json* && $output != *list.json* ]]
}

@test "what is no JSON object by itself is refused" {
	local ok
	ok=$(jq -c . "$samples/ok.json")
	refused_text '' 'Expecting value'
	refused_text "$ok trailing" 'Extra data'
	refused_text "$ok$ok" 'Extra data'
	refused_text "warning: slow
$ok" 'Expecting value'
	refused_text "${ok%?}" "Expecting"
	refused_text "[$ok]" "is not of type 'object'"
	refused_text '{"a": 1, "b": {"c": 1, "c": 1}}' 'duplicate key: c'
	refused_text '{"a": NaN}' 'NaN is no JSON'
	refused_text '{"a": -Infinity}' '-Infinity is no JSON'
	refused_text '{"a": 1e999}' '1e999 is out of range'
	refused_text $'{"a": "\xff"}' 'utf-8'
}

# Each key that the samples have is required, but for the few that may be left out.
@test "no key may be missing" {
	local optional='["device"], ["digest"], ["block_path"], ["sg_path"]' sample n=0
	for sample in ok partial list doctor; do
		while read -r path; do
			n=$((n + 1))
			jq "delpaths([$path])" "$samples/$sample.json" >"$BATS_TEST_TMPDIR/$sample.$n.json"
		done < <(jq -c --argjson optional "[$optional]" '[paths] | .[]
			| select(.[-1] | type == "string")
			| select([.[-1]] as $last | $optional | index([$last]) | not)' \
			"$samples/$sample.json")
	done
	[ "$n" -gt 200 ]
	run "$validate" "$BATS_TEST_TMPDIR"/*.json
	[ "$status" -eq 1 ]
	for file in "$BATS_TEST_TMPDIR"/*.json; do
		[[ $output == *"$file: "* ]] || {
			echo "$file passed"
			return 1
		}
	done
}

@test "types and words are held to" {
	refused '.schema = "sgstream/2"' "'sgstream/1' was expected"
	refused '.status = "fine"' "'fine' is not one of"
	refused '.exit_status = 3' 'exit_status'
	refused '.status = "error"' 'exit_status'
	refused '.status = "interrupted"' 'exit_status'
	refused '.command = "write"' "'write' is not one of"
	refused '.started_at = "2023-11-14 22:13:20"' 'started_at'
	refused '.argv[1] = 7' 'argv.1'
	refused '.host.allow_dio = 1' 'host.allow_dio'
	refused '.host.clock = "sundial"' 'host.clock'
	refused '.messages = [{"level": "loud", "code": "x", "text": "y"}]' 'messages.0.level'
	refused '.messages = [{"level": "error", "code": "Not A Word", "text": "y"}]' 'messages.0.code'
	refused '.messages = [{"level": "error", "code": "x", "text": ""}]' 'messages.0.text'
	refused '.runs[0].total.bytes = 0.5' 'runs.0.total.bytes'
	refused '.runs[0].total.bytes = "1"' 'runs.0.total.bytes'
	refused '.runs[0].total.bytes = -1' 'runs.0.total.bytes'
	refused '.runs[0].total.bytes = null' 'runs.0.total.bytes'
	refused '.runs[0].total.digest = "0x12"' 'runs.0.total.digest'
	refused '.runs[0].total.errors.new = "none"' 'runs.0.total.errors.new'
	refused '.runs[0].total.latency_ns.histogram[0] = [1]' 'histogram.0'
	refused '.runs[0].total.latency_ns.histogram[0] = [1, 0]' 'histogram.0.1'
	refused '.runs[0].devices[0].hctl = ""' 'devices.0.hctl'
	refused '.runs[0].pattern = "zigzag"' 'runs.0.pattern'
	refused '.devices[0].readable = false' 'devices.0.problem' list
	refused '.devices[1].problem = null' 'devices.1.problem' list
	refused '.devices[0].block_path = ""' 'devices.0.block_path' list
	refused '.findings[1].level = "bad"' 'findings.1.level' doctor
	refused '.findings[0].fix = "true"' 'findings.0.fix' doctor
	refused '.findings[1].fix = ""' 'findings.1.fix' doctor
	refused '.findings[1].scope = ""' 'findings.1.scope' doctor
	check_refused
}

@test "a list is no run and a run no list" {
	refused '.command = "list"' "'devices' is a required property"
	refused '.command = "read"' "'runs' is a required property" list
	refused '.command = "read"' "'runs' is a required property" doctor
	refused '.command = "doctor"' "'findings' is a required property"
	check_refused
}

@test "a number with a point is no integer" {
	sed 's/"exit_status": 0/"exit_status": 0.0/' "$samples/ok.json" >"$BATS_TEST_TMPDIR/real.json"
	run "$validate" "$BATS_TEST_TMPDIR/real.json"
	[ "$status" -eq 1 ]
	[[ $output == *"exit_status: 0.0 is not of type 'integer'"* ]]
}

@test "what cannot be told is not called good" {
	run "$validate" /nonexistent.json
	[ "$status" -eq 2 ]
	run "$validate" --schema /nonexistent.json "$samples/ok.json"
	[ "$status" -eq 2 ]
	run "$validate" --schema <(echo '{"type": 7}') "$samples/ok.json"
	[ "$status" -eq 2 ]
}
