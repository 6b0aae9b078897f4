# shellcheck shell=bash disable=SC2034,SC2154 # variables come from and go to scripts/ab
# SPDX-License-Identifier: BSD-2-Clause
#
# The drive, and who takes part.

# The first message of sgstream's object on standard input, and exit: refuse STATUS
refuse() { fail "$1" "$(jq -r 'first(.messages[] | select(.level == "error").text)')"; }

# The device as sgstream list has it. A separator that is no blank, as read joins blanks.
look_at_device() {
	local hctl fields='.devices[0] | [.sg_path, .block_path, .block_bytes, .limits.max_transfer_bytes, .hctl]'
	"$sgstream" list --json -- "$device" >"$work/list.json" 2>/dev/null || refuse 15 <"$work/list.json"
	IFS=$'\x1f' read -r sg_node block_node len most_mapped hctl < <(
		jq -r "$fields"' | map(. // "" | tostring) | join("\u001f")' "$work/list.json")
	[[ -b $block_node && -e /sys/class/block/${block_node##*/}/partition ]] && sg_node=
	file=''
	[[ ! $block_node || -b $block_node ]] || file=yes
	find_counters "$hctl"
}

# Where the kernel counts sectors of the block node and commands of the SCSI device
find_counters() { # HCTL
	local block=/sys/class/block/${block_node##*/} counting=''
	sectors_file='' commands_file=''
	if [[ $block_node && ! $file ]]; then
		[[ -e $block/partition ]] && block=$(readlink -f "$block/..")/${block##*/}
		read -r counting 2>/dev/null <"$block/queue/iostats" || read -r counting 2>/dev/null <"${block%/*}/queue/iostats"
		[[ $counting == 1 ]] && sectors_file=$block/stat
	fi
	[[ $1 && -r /sys/class/scsi_device/$1/device/iodone_cnt ]] && commands_file=/sys/class/scsi_device/$1/device/iodone_cnt
}

# What sgstream would do, which settles what sizes mean and whether they fit: planned OPTION...
planned() { "$sgstream" read --dry-run --json -e null "$@" -- "$device" 2>/dev/null; }

read_sizes() {
	local object unit=$len
	object=$(planned --bs "$bs" ${size:+--size "$size"}) || refuse 2 <<<"$object"
	read -r bs bytes < <(jq -r '.planned[0].devices[0] | "\(.bs_bytes) \(.goal_bytes)"' <<<"$object")
	[[ $file ]] && unit=512
	((bs % unit == 0)) || misuse "--bs $bs is no multiple of $unit, which O_DIRECT wants of $device"
	[[ $size ]] || ((bytes < 512 << 20)) || bytes=$((512 << 20))
	n=$((bytes / bs))
	((n > 0)) || misuse "--size $bytes is less than one command of --bs $bs"
	bytes=$((n * bs))
	: "${limit:=$((60 + bytes / (4 << 20)))}"
	[[ $file ]] && len=512
}

plan() {
	local name
	taking_part=()
	declare -gA command_of reads_through
	: >"$work/contenders"
	for name in "${names[@]}"; do plan_one "$name"; done
}

# Who it is, its command, and why it cannot take part, if so
plan_one() {
	local name=$1 row=${1%%:*} path reason words joined
	local -A with=([sgstream]=$sgstream [engine]=${1#*:} [depth]=1 [len]=$len [bs]=$bs [n]=$n
		[bpt]=$((bs / len)) [blocks]=$((bytes / len)) [bytes]=$bytes)
	path=${path_of[$row]}
	[[ $path == engine ]] && path=$(engine_path "${with[engine]}")
	with[node]=$(node_of "$name" "$path")
	reason=$(why_not "$name" "$row" "$path")
	fill "$row"
	# fio takes a colon for the end of a name
	[[ ${words[0]} == fio ]] && words=("${words[@]/#"--filename=${with[node]}"/"--filename=${with[node]//:/\\:}"}")
	only_reads "${words[@]}" || fail 1 "$name: its command could write, and is not run: ${words[*]}"
	printf -v joined '%s\x1f' "${words[@]}"
	printf '%s\t' "$name" "$path" "${with[node]}" "${reads_of[$row]}" "$reason" >>"$work/contenders"
	printf '%s\n' "${joined%?}" >>"$work/contenders"
	if [[ $dry_run ]]; then
		[[ $reason ]] && printf '%s\tskipped: %s\n' "$name" "$reason" || printf '%s\t%s\n' "$name" "${words[*]}"
	fi
	[[ $reason ]] && return
	taking_part+=("$name")
	command_of[$name]=${joined%?}
	reads_through[$name]=$path
}

# The node of the pair that it reads. sgstream's sgio reads the block node, but as SCSI.
node_of() { # NAME PATH
	case $1,$2 in
	sgstream:sgio,* | *,block | *,cache) echo "$block_node" ;;
	*,sg) echo "$sg_node" ;;
	esac
}

# Why a contender cannot take part, in one sentence: why_not NAME ROW PATH
why_not() {
	local program
	read -r program _ <<<"${line_of[$2]}"
	if [[ $3 == none ]]; then
		echo "reads nothing"
	elif [[ $2 != sgstream ]] && ! type -P "$program" >/dev/null; then
		echo "$program is not installed: apt-get install ${package_of[$2]}"
	elif [[ ! ${with[node]} ]]; then
		no_node "$3"
	elif [[ $2 == hdparm && $file ]]; then
		echo "reads block devices only"
	elif [[ $1 == sgm_dd || $1 == sgstream:sg-mmap ]] && ((bs > ${most_mapped:-bs})); then
		echo "its mapped buffer holds $most_mapped bytes here: $(larger_transfers)"
	elif [[ $1 == *[-:]*dio ]] && ! direct_allowed; then
		echo "the sg driver would copy: echo 1 > /sys/module/sg/parameters/allow_dio"
	elif [[ $2 == sgstream ]]; then
		why_no_engine
	fi
}

no_node() { # PATH
	if [[ $1 != sg ]]; then
		echo "$device has no block node: the kernel shows it through sg only"
	elif [[ $file ]]; then
		echo "$device is no SCSI device"
	elif [[ -e /sys/class/block/${block_node##*/}/partition ]]; then
		echo "$device is a partition, and the sg node is that of the whole disk"
	else
		echo "$device has no sg node (modprobe sg, if it is a SCSI device)"
	fi
}

larger_transfers() {
	[[ $block_node ]] || { echo "a smaller --bs"; return; }
	echo "echo $(((bs + 1023) / 1024)) > /sys/block/${block_node##*/}/queue/max_sectors_kb"
}

direct_allowed() { grep -qsx 1 /sys/module/sg/parameters/allow_dio; }

# What sgstream says of its engine on this device
why_no_engine() {
	local object
	object=$("$sgstream" read --dry-run --json -e "${with[engine]}" --bs "$bs" --count "$n" -- "${with[node]}" 2>/dev/null) && return
	jq -r 'first(.messages[] | select(.level == "error").text)' <<<"$object"
}
