# shellcheck shell=bash disable=SC2034,SC2154 # variables come from and go to scripts/ab
# SPDX-License-Identifier: BSD-2-Clause

usage() {
	cat <<-EOT
	Usage: scripts/ab [OPTION...] DEVICE

	Reads DEVICE (/dev/sgN, /dev/sdX, another block device or a regular file) with each
	contender in turn, and shows how fast and at what cost, with intervals. Each gets the node
	of the pair that it reads, the same bytes and one command in flight. A run counts when the
	tool, and where the kernel tells the drive, says that all bytes moved. Only reads.

	  --contenders LIST  who, by comma; ratios are to the first (default: dd,sgstream:sg-mmap)
	  --bs SIZE          bytes per command (default: 64k)
	  --size SIZE        bytes of each run (default: 512m, or the whole device)
	  --rounds N         rounds that count, after one to warm up (default: 7; 6 can show something)
	  --timeout SECONDS  for a run (default: 60, and one for each 4 MiB)
	  --json FILE        all runs, the exact command lines, versions, statistics
	  --csv FILE         a row for each run
	  --plot FILE.svg    the rates with their intervals (needs gnuplot)
	  --false-number     show also what sg_dd claims when bs is taken for the bytes of a command
	  --lab              in a lab kernel with two drives of scsi_debug, /dev/sg0 and /dev/sg1;
	                     for other drives: scripts/lab --drives ... -- scripts/ab ...
	  --dry-run          only show who takes part, by which command
	  -h, --help         this text

	Contenders: $(printf '%s\n' "${known[@]}" | grep -vx sgstream | paste -sd ' ' | fold -s -w 66 | sed -e 's/ $//' -e '2,$s/^/            /')
	            sgstream:ENGINE (sgstream list --engines DEVICE shows the engines)

	Exit status: 0 measured, 1 a contender failed or none could run, 2 usage, 15 no such
	device or it cannot be opened, with --lab also that of scripts/lab.
	EOT
}

parse_options() {
	contenders=dd,sgstream:sg-mmap bs=64k size='' rounds=7 limit='' json='' csv='' plot=''
	false_number='' lab='' dry_run='' device=''
	local option devices=()
	while (($#)); do
		option=$1
		shift
		case $option in
		--false-number) false_number=yes; continue ;;
		--lab) lab=yes; continue ;;
		--dry-run) dry_run=yes; continue ;;
		-h | --help) usage; exit 0 ;;
		--) devices+=("$@"); break ;;
		--*=*) set -- "${option#*=}" "$@"; option=${option%%=*} ;;
		-*) ;;
		*) devices+=("$option"); continue ;;
		esac
		case $option in
		--contenders | --bs | --size | --rounds | --timeout | --json | --csv | --plot) ;;
		*) misuse "there is no option $option" ;;
		esac
		[[ ${1-} ]] || misuse "$option needs a value"
		case $option in
		--contenders) contenders=$1 ;;
		--bs) bs=$1 ;;
		--size) size=$1 ;;
		--rounds) rounds=$1 ;;
		--timeout) limit=$1 ;;
		--json) json=$1 ;;
		--csv) csv=$1 ;;
		--plot) plot=$1 ;;
		esac
		shift
	done
	((${#devices[@]} == 1)) || misuse "wants one DEVICE, not ${#devices[@]}${devices[0]+ (${devices[*]})}"
	device=${devices[0]}
}

check_options() {
	[[ $rounds =~ ^[1-9][0-9]{0,2}$ ]] || misuse "--rounds wants 1 to 999, not '$rounds'"
	[[ ! $limit || $limit =~ ^[1-9][0-9]{0,5}$ ]] || misuse "--timeout wants seconds, not '$limit'"
	[[ ! $plot || $plot == *.svg ]] || misuse "--plot wants the name of a .svg file, not '$plot'"
	[[ $device != *[[:cntrl:]]* ]] || misuse "DEVICE has control characters in its name"
	[[ $device != -* ]] || device=./$device
	check_outputs
	check_tools
	check_names
}

check_names() {
	local name
	local -A named
	IFS=, read -ra names <<<"$contenders"
	((${#names[@]})) || misuse "--contenders names nobody"
	for name in "${names[@]}"; do
		[[ ! -v named[x$name] ]] || misuse "--contenders names $name twice"
		named[x$name]=yes
		[[ $name == sgstream:?* ]] && { check_engine "${name#*:}"; continue; }
		[[ $name != sgstream ]] || misuse "--contenders: sgstream wants its engine, such as sgstream:sg-mmap"
		[[ $name && -v line_of[$name] ]] ||
			misuse "--contenders: there is no '$name'; there are $(printf '%s, ' "${known[@]:1}")sgstream:ENGINE"
	done
}

check_engine() {
	local said
	said=$("$sgstream" read --dry-run -e "$1" -- "$device" 2>&1) && return
	[[ $said != *"there is no engine"* ]] || misuse "--contenders: sgstream has no engine '$1'; there are ${said##*there are }"
}

check_tools() {
	sgstream=${SGSTREAM:-$root/sgstream}
	[[ -x $sgstream ]] || fail 1 "there is no $sgstream: run make"
	sgstream=$(readlink -f -- "$sgstream")
	type -P jq >/dev/null || fail 1 "needs jq: apt-get install jq"
	[[ ! $plot ]] || type -P gnuplot >/dev/null || fail 1 "--plot needs gnuplot: apt-get install gnuplot-nox"
}
