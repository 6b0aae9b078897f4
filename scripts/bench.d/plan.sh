# shellcheck shell=bash disable=SC2154 # bench_d, contenders_d and build are the caller's
# SPDX-License-Identifier: BSD-2-Clause
#
# The contenders, and their command lines: for bench and bench-cost.

# shellcheck source=scripts/contenders.d/fill.bash
. "$contenders_d/fill.bash"
read_commands "$contenders_d/commands"

# 64k: bytes SIZE
bytes() {
	case $1 in
	*k) echo $((${1%k} * 1024)) ;;
	*m) echo $((${1%m} * 1048576)) ;;
	*) echo "$1" ;;
	esac
}

# A line of the shared table, on the first drive of the lab: shared_command NAME[:ENGINE] DEPTH
shared_command() {
	local name=${1%%:*} path words
	local -A with=([sgstream]=$build/sgstream [engine]=${1#*:} [depth]=$2 [len]=512)
	path=${path_of[$name]}
	[[ $path == engine ]] && path=$(engine_path "${with[engine]}")
	with[node]=$([[ $path == sg ]] && echo /dev/sg0 || echo /dev/sda)
	fill "$name"
	echo "${words[*]}"
}

# The table of contenders: names in order, floor and command of each
read_contenders() {
	declare -gA floor_of command kind
	names=()
	local name its_floor its_kind its_command
	while IFS='|' read -r name its_floor its_kind its_command; do
		[[ $name == '#'* ]] && continue
		name=${name// /}
		floor_of[$name]=${its_floor// /}
		kind[$name]=${its_kind// /}
		command[$name]=${its_command//@build@/$build}
		# shellcheck disable=SC2086 # words
		[[ $its_command == ' = '* ]] && command[$name]=$(shared_command ${its_command# = })
		names+=("$name")
	done <"$bench_d/contenders"
}

# A fault for each few pages is dear where the lab runs: fewer commands will do
slow() { [[ $1 == mmap || $1 == floor-touch ]]; }

# A run of the plan: plan_run STAGE BYTES ROUND NAME COMMANDS
plan_run() {
	local line=${command[$4]# }
	slow "$4" && set -- "$1" "$2" "$3" "$4" $(($5 / 20 + 1))
	line=${line//@bs@/$2}
	line=${line//@n@/$5}
	line=${line//@bpt@/$(($2 / 512))}
	line=${line//@blocks@/$(($2 * $5 / 512))}
	line=${line//@bytes@/$(($2 * $5))}
	echo "$1 $2 $3 $4 $5|$line"
}
