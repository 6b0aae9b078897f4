# shellcheck shell=bash disable=SC2034 # variables are for those who source this
# SPDX-License-Identifier: BSD-2-Clause
#
# The table of commands, for scripts/bench and scripts/ab.

# Reads the table: its names in order, and what stands beside each.
read_commands() { # FILE
	declare -gA path_of package_of reads_of line_of
	known=()
	local name path package reads line
	while IFS='|' read -r name path package reads line; do
		[[ $name == '#'* ]] && continue
		name=${name// /}
		known+=("$name")
		path_of[$name]=${path// /}
		package_of[$name]=${package// /}
		reads_of[$name]=${reads// /}
		line_of[$name]=$line
	done <"$1"
}

# What an engine of sgstream reads through, in the words of the table
engine_path() {
	case $1 in
	sg-* | sgio | bsg) echo sg ;;
	buffered | mmap | uncached) echo cache ;;
	null) echo none ;;
	*) echo block ;;
	esac
}

# A contender's command in the array words, with the values of the array with in the places of
# their names: fill NAME, where sgstream takes with[engine]
fill() {
	local key i
	read -ra words <<<"${line_of[$1]}"
	for i in "${!words[@]}"; do
		for key in "${!with[@]}"; do
			words[i]=${words[i]//"@$key@"/"${with[$key]}"}
		done
	done
}
