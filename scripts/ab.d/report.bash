# shellcheck shell=bash disable=SC2154 # variables come from scripts/ab
# SPDX-License-Identifier: BSD-2-Clause
#
# What stands in the folder becomes the reports.

# The first line with which a program tells its version
version_of() {
	local text option=--version
	[[ ${1##*/} =~ ^(hdparm|ddpt|sgstream)$ ]] && option=-V
	text=$(timeout 10 "$1" $option 2>&1 </dev/null)
	text=${text%%$'\n'*}
	echo "${text//[![:print:]]/}"
}

# The programs of those who take part, each once, with their versions
versions() {
	local name program
	local -A told
	for name in "${taking_part[@]}"; do
		program=${command_of[$name]%%$'\x1f'*}
		[[ -v told[$program] ]] || printf '%s\t%s\n' "${program##*/}" "$(version_of "$program")"
		told[$program]=yes
	done
}

# All that the report needs besides the files that are there
keep_settings() {
	versions >"$work/versions"
	jq -n --rawfile versions "$work/versions" --arg started_at "$started_at" --arg kernel "$(</proc/sys/kernel/osrelease)" \
		--argjson numbers "[$bs, $bytes, $len, $rounds, $limit, $(nproc)]" '
		[$numbers, ["bs_bytes", "run_bytes", "block_bytes", "rounds", "timeout_s", "cpus"]] | transpose |
		map({(.[1]): .[0]}) | add + {$versions, $started_at, $kernel}' >"$work/settings.json"
}

# Leaves the output of a command in a file, or says that it could not: put FILE COMMAND...
put() { "${@:2}" >"$1" || fail 1 "cannot write $1"; }

view() { jq -r -f "$ab_d/$1.jq" "$work/object.json"; }

make_object() {
	: >>"$work/false"
	: >>"$work/false-reason"
	jq -n -L "$ab_d" --slurpfile list "$work/list.json" --slurpfile settings "$work/settings.json" \
		--rawfile contenders "$work/contenders" --rawfile runs "$work/runs" \
		--argjson load "$load" --argjson host_cpus "$(nproc)" --rawfile false "$work/false" --rawfile false_reason "$work/false-reason" \
		-f "$ab_d/report.jq" --args -- "${arguments[@]}" >"$work/object.json"
}

report() {
	make_object || fail 1 "cannot put the report together"
	view table | awk -F '\t' -f "$ab_d/table.awk"
	[[ ! $json ]] || put "$json" cat "$work/object.json"
	[[ ! $csv ]] || put "$csv" view csv
	[[ ! $plot ]] || plot_rates
	exit "$(jq .exit_status "$work/object.json")"
}

# gnuplot's own tables: the medians with their intervals, and the rounds as points
plot_rates() {
	view plot >"$work/medians"
	[[ -s $work/medians ]] || { say "--plot: no contender has a rate, so there is nothing to draw"; return; }
	put "$plot" gnuplot -e "medians='$work/medians'; title='$(view title)'" "$ab_d/plot.gp"
}
