# shellcheck shell=bash disable=SC2154 # variables come from scripts/ab
# SPDX-License-Identifier: BSD-2-Clause
#
# The rounds. A line of the file "runs" is one run, with tabs between: round, place in it, name,
# wall ns, user s, system s, exit status, bytes by the tool, ns by the tool, bytes and commands by
# the drive, whether the page cache was empty (yes, no, - where it does not matter), trouble.

# Kills a run that takes too long, or whose script is gone: reads the pid of each run, and an empty
# line when it has ended. A process of its own, so that none starts beside the run.
watchdog() {
	trap '' INT
	local run
	while read -r run; do
		read -r -t "$limit" _ && continue
		: >"$work/late"
		kill -KILL "$run" 2>/dev/null
		read -r _
	done
}

start_watchdog() { exec {dog}> >(watchdog 2>/dev/null); }

# Runs a command: its output behind what stands in "log", sets wall_ns, user, system, exit_status and late.
timed() {
	local begin line TIMEFORMAT='%U %S'
	[[ ! -e $work/late ]] || rm -f "$work/late"
	begin=${EPOCHREALTIME/./}
	{
		time {
			"$@" >>"$work/log" 2>&1 </dev/null {dog}>&- &
			pid=$!
			echo "$pid" >&"$dog"
			wait "$pid"
			exit_status=$?
			echo >&"$dog"
		}
	} 2>"$work/time"
	wall_ns=$(((${EPOCHREALTIME/./} - begin) * 1000))
	pid=''
	while read -r line; do user=${line% *} system=${line#* }; done <"$work/time" # the last line
	late=''
	[[ ! -e $work/late ]] || late=yes
}

# Sectors and commands that the drive has finished, or nothing: reads
drive_counts() {
	sectors='' commands=''
	[[ $sectors_file ]] && read -r _ _ sectors _ <"$sectors_file"
	[[ $commands_file ]] && read -r commands <"$commands_file"
}

# Empties the page cache of what is read, and sets cold.
empty_cache() {
	if [[ ! $file ]] && blockdev --flushbufs "$block_node" 2>/dev/null; then
		cold=yes
		return
	fi
	# coreutils' way to have the kernel drop what it holds of a file; writes nothing
	dd "if=$block_node" iflag=nocache count=0 status=none 2>/dev/null
	cold=no
	[[ $file ]] && (($(fincore -b -n -o RES -- "$block_node" 2>/dev/null || echo "$bytes") <= bytes / 100)) && cold=yes
}

# What the tool said, as scripts/bench reads it: sets own_bytes, own_ns and trouble (parse.awk).
read_log() {
	printf '\n= %d\n' "$exit_status" >>"$work/log"
	{
		read -r _ # names of the columns
		IFS=, read -r _ _ _ _ _ own_bytes own_ns trouble _
	} < <(awk -v block="$len" -f "$contenders_d/parse.awk" "$work/log")
	((exit_status == 0)) || trouble+="$(complaint)"
	[[ ! $late ]] || trouble="did not end within $limit s"
}

# The first line of the log that tells of an error, and is no JSON
complaint() {
	local line
	line=$(grep -av '^[@={]' "$work/log" | grep -aiE 'err(or|=)|fail|cannot|denied|invalid|no such' | head -n 1 | tr -cd '[:print:]')
	[[ $line ]] && echo " (${line:0:160})"
}

# Holds what the tool said against what the drive finished. Others may read the drive as well, so
# more is no fault; less is.
ask_drive() { # NAME
	drive_bytes='' drive_commands=''
	[[ $sectors && ${reads_through[$1]} != sg ]] && drive_bytes=$(((sectors - sectors_before) * 512))
	[[ $commands && ${reads_through[$1]} == sg ]] && drive_commands=$(((commands - commands_before) & 0xffffffff))
	[[ $trouble ]] && return
	[[ $drive_bytes && $cold == no ]] && ((drive_bytes >= own_bytes)) && cold=yes # it was, after all
	if [[ $drive_bytes ]] && ((drive_bytes < own_bytes)); then
		trouble="the drive sent $drive_bytes bytes of $own_bytes: the rest came from the page cache"
	elif [[ $drive_commands ]] && ((drive_commands < own_bytes / bs)); then
		trouble="the drive finished $drive_commands commands of $((own_bytes / bs))"
	fi
}

run_one() { # NAME ROUND PLACE
	local asked=$n words cold=- exit_status late wall_ns user system own_bytes own_ns trouble
	local sectors commands sectors_before commands_before drive_bytes drive_commands
	IFS=$'\x1f' read -ra words <<<"${command_of[$1]}"
	[[ ${reads_of[${1%%:*}]} == free ]] && asked=0
	[[ ${reads_through[$1]} == cache ]] && empty_cache
	echo "@ ab $bs $2 $1 $asked" >"$work/log"
	drive_counts
	sectors_before=$sectors commands_before=$commands
	timed "${words[@]}"
	drive_counts
	read_log
	ask_drive "$1"
	printf '%s\t' "$2" "$3" "$1" "$wall_ns" "$user" "$system" "$exit_status" "$own_bytes" "$own_ns" \
		"$drive_bytes" "$drive_commands" "$cold" >>"$work/runs"
	printf '%s\n' "${trouble//[$'\t\n']/ }" >>"$work/runs"
	[[ ! $trouble || ($2 == 0 && ! $late) ]]
}

# Who fails in a round that counts, or does not end, has no rate and takes no further part.
run_rounds() {
	local round place name order left=("${taking_part[@]}")
	local -A dropped=()
	: >"$work/runs"
	for ((round = 0; round <= rounds; round++)); do
		order=("${left[@]}") left=()
		for ((place = 0; place < ${#order[@]}; place++)); do
			name=${order[(place + round) % ${#order[@]}]}
			[[ -t 2 ]] && printf '\r\033[Kround %d of %d%s: %s' "$round" "$rounds" "$( ((round)) || echo ' (warm-up)')" "$name" >&2
			run_one "$name" "$round" "$place" && continue
			dropped[$name]=yes
		done
		for name in "${order[@]}"; do [[ ${dropped[$name]-} ]] || left+=("$name"); done
	done
	[[ -t 2 ]] && printf '\r\033[K' >&2
}
