# shellcheck shell=bash disable=SC2154 # variables come from scripts/ab
# SPDX-License-Identifier: BSD-2-Clause
#
# sg_dd takes bs for the length of a block, whatever the drive says: with bs=64k bpt=1 each command
# asks for one block and is counted as 64 KiB. Keeps in "false" how that went and, in the same
# moment, the same bytes read right.

measure_false_number() {
	local count=$((bytes / bs)) most=$(((1 << 30) / bs))
	if [[ ! $sg_node ]] || ! type -P sg_dd >/dev/null || ((bs <= len)); then
		echo "$(why_no_false_number)" >"$work/false-reason"
		return
	fi
	((count > most)) && count=$most # sg_dd counts residuals in 31 bits
	false_run wrong "$bs" 1 "$count"
	false_run right "$len" $((bs / len)) $((count * (bs / len)))
}

why_no_false_number() {
	if [[ ! $sg_node ]]; then no_node sg
	elif ((bs <= len)); then echo "--bs $bs is one block of the drive: a larger one is needed"
	else echo "sg_dd is not installed: apt-get install sg3-utils"; fi
}

# A line of "false": which, block length of the drive, bs, bpt, count, exit status, records, ns, residual
false_run() { # WHICH BS BPT COUNT
	local exit_status late wall_ns user system
	local words=(sg_dd "if=$sg_node" of=/dev/null "bs=$2" "bpt=$3" "count=$4" time=1)
	only_reads "${words[@]}" || fail 1 "sg_dd: its command could write"
	: >"$work/log"
	timed "${words[@]}"
	awk -v OFS='\t' -v which="$1" -v len="$len" -v bs="$2" -v bpt="$3" -v count="$4" -v status="$exit_status" '
		/^time to transfer data/ { sub(/^[^0-9]*/, ""); ns = $1 * 1e9 }
		/records in$/ { records = $1 + 0 }
		/sum of residual counts=/ { sub(/.*=/, ""); residual = $1 }
		END { print which, len, bs, bpt, count, status, records + 0, sprintf("%.0f", ns), residual + 0 }' \
		"$work/log" >>"$work/false"
}
