# shellcheck shell=bash disable=SC2154 # variables come from scripts/ab
# SPDX-License-Identifier: BSD-2-Clause
#
# Nothing is written to a device: neither by a contender nor by a report.

# Whether as many of the words match the pattern: words_like NUMBER PATTERN WORD...
words_like() {
	local pattern=$2 word left=$1
	shift 2
	# shellcheck disable=SC2053 # a pattern
	for word; do [[ $word == $pattern ]] && left=$((left - 1)); done
	((left == 0))
}

# The command names no output but /dev/null. A program that is not known here may do anything.
only_reads() {
	local program=${1##*/}
	shift
	case $program in
	dd | ddpt | sg_dd | sgm_dd | sgp_dd) words_like 1 'of*=*' "$@" && words_like 1 of=/dev/null "$@" ;;
	fio)
		words_like 1 '--rw=*' "$@" && words_like 1 --rw=read "$@" &&
			words_like 0 '--output=*' "$@" && words_like 0 '[!-]*' "$@"
		;;
	hdparm) [[ $# -eq 2 && $1 == -t ]] ;;
	sgstream) words_like 0 '-o*' "$@" && words_like 0 '--output*' "$@" && words_like 0 'of=*' "$@" ;;
	*) false ;;
	esac
}

check_outputs() {
	local option file folder
	for option in json csv plot; do
		file=${!option}
		[[ $file ]] || continue
		[[ ! $file -ef $device ]] || misuse "--$option $file is what is read: it would be overwritten"
		[[ ! -b $file && ! (-c $file && $file != /dev/null) ]] ||
			misuse "--$option $file is a device, and nothing is written to one"
		folder=.
		[[ $file == */* ]] && folder=${file%/*}/
		[[ ! -d $file && -d $folder ]] || misuse "--$option: cannot write to $file"
	done
}
