#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# The studies and what makes their document: what they refuse, each time in one line that names the
# value. That they measure is tested in the lab.
# shellcheck disable=SC2154

load ../helpers

setup() {
	prepare
	studies=$root/scripts/studies
}

# The command says one line with all the words and nothing else: refuses STATUS WORD... -- COMMAND...
refuses() {
	local expected=() lines
	while [ "$1" != -- ]; do
		expected+=("$1")
		shift
	done
	shift
	status=0
	timeout 20 "$@" >out 2>err </dev/null || status=$?
	exits "${expected[0]}"
	empty out
	mapfile -t lines <err
	[ ${#lines[@]} -eq 1 ] || { cat err; return 1; }
	has err "${expected[@]:1}"
}

names() { find "$studies" -maxdepth 1 -name '[a-e]-*' -printf '%f\n' | sort; }

@test "there are five studies, and each says what it is" {
	local name
	[ "$(names | cut -c 1 | tr -d '\n')" = abcde ]
	for name in $(names); do
		"$studies/$name" --help >out
		has out "scripts/studies/$name [OPTION...] [DEVICE...]" "--quick" "--rounds N" "--json FILE"
		has_not out "--measure"
	done
}

@test "options that a study does not have, or values that are none" {
	refuses 2 "a-direct-readv: " "--round-about" "try --help" -- "$studies/a-direct-readv" --round-about
	refuses 2 "b-read-ahead: " "--rounds" "try --help" -- "$studies/b-read-ahead" --rounds
	refuses 2 "--rounds wants 1 to 99, not '0'" -- "$studies/c-page-cache" --rounds 0
	refuses 2 "--rounds wants 1 to 99, not '100'" -- "$studies/d-scheduler" --rounds 100
	refuses 2 "--rounds wants 1 to 99, not 'many'" -- "$studies/e-md" --rounds many
	refuses 2 "--json: there is no folder for '/nowhere/x.json'" -- "$studies/e-md" --json /nowhere/x.json
	refuses 2 "--measure is for the lab's own use" -- env -u LAB "$studies/e-md" --measure x.json
	refuses 1 "there is no program /nowhere/sgstream: run make first" -- env SGSTREAM=/nowhere/sgstream "$studies/a-direct-readv"
}

@test "devices that are none" {
	refuses 2 "/dev/sg-none: there is no such node" -- "$studies/a-direct-readv" /dev/sg-none
	refuses 2 "/etc/passwd is no device" "/dev/sg1" -- "$studies/c-page-cache" /etc/passwd
	refuses 2 "/dev is no device" -- "$studies/b-read-ahead" /dev
	refuses 2 "wants one device, not 2" -- "$studies/c-page-cache" /dev/null /dev/zero
	refuses 2 "wants one device, and perhaps one file" "not 0 and 1" -- "$studies/b-read-ahead" /etc/passwd
	refuses 2 "/dev/null: no block device is known for it" -- "$studies/d-scheduler" /dev/null
	refuses 2 "/dev/null: no block device is known for it" -- "$studies/e-md" /dev/null
	[ ! -e build ]
}

@test "results that the document cannot be made of" {
	mkdir from
	refuses 1 "document: " "from has no results" -- "$studies/document" --from from --to to
	echo '{' >from/a.json
	refuses 1 "from/a.json: " -- "$studies/document" --from from --to to
	echo '{"schema": "sgstream/1"}' >from/a.json
	refuses 1 "from/a.json: no result of a study (sgstream-study/1)" -- "$studies/document" --from from --to to
	echo '{"schema": "sgstream-study/1", "study": "../../demo"}' >from/a.json
	refuses 1 "there is no study '../../demo'" -- "$studies/document" --from from --to to
	[ ! -e to/studies.md ]
}

# Prints what an expression over the common figures gives: figures EXPRESSION
figures() { (cd "$studies" && /usr/bin/python3 -B -c "from common.figures import *; print($1)"); }

@test "intervals of a median, and verdicts that follow from them" {
	[ "$(figures 'interval([3, 1, 2, 5, 4, 7, 6])')" = "(1, 4, 7)" ]
	[ "$(figures 'interval(range(12))')" = "(2, 5.5, 9)" ]
	[ "$(figures '[round(coverage(n), 1) for n in (6, 7, 12)]')" = "[96.9, 98.4, 96.1]" ]
	[ "$(figures 'judge([1.1] * 6, 1)')" = agrees ]
	[ "$(figures 'judge([0.9] * 6, 1)')" = differs ]
	[ "$(figures 'judge([3] * 6, 1, 2)')" = differs ]
	[ "$(figures 'judge([0.9, 1.1] * 3, 1)')" = "cannot tell" ]
	[ "$(figures 'judge([1.1] * 5, 1)')" = "too few rounds" ]
	[ "$(figures 'ratios([4, 9], [2, 3])')" = "[2.0, 3.0]" ]
}
