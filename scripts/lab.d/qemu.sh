# shellcheck shell=bash disable=SC2154,SC2034 # settings come from and go to lab and its conf
# SPDX-License-Identifier: BSD-2-Clause
#
# QEMU: Debian's kernel on an emulated machine with several CPUs and RAID controllers.  Its root
# is the host's file system, by 9p.  Sourced by lab and keep.

# driver | device | most drives
hba_kinds='
megaraid_sas megasas-gen2 64
virtio-scsi  virtio-scsi-pci,num_queues=2 64
mptsas       mptsas1068 8
'

most_cpus=8

need() { command -v "$1" >/dev/null || fail "no $1: install $2 (scripts/deps qemu)"; }

# hba_kind DRIVER: sets hba_device and hba_most
hba_kind() {
	local driver
	while read -r driver hba_device hba_most; do
		[[ $driver == "$1" ]] && return
	done <<<"$hba_kinds"
	return 1
}

# hba_parse DRIVER:N:FILE: sets hba_driver, hba_n, hba_file
hba_parse() { IFS=: read -r hba_driver hba_n hba_file <<<"$1"; }

# Checks and completes one of hbas: check_hba INDEX
check_hba() {
	hba_parse "${hbas[$1]}"
	: "${hba_n:=4}"
	hba_kind "$hba_driver" ||
		misuse "--hba: there is no '$hba_driver' (there is: $(awk '{ print $1 }' <<<"$hba_kinds" | xargs))"
	[[ $hba_n =~ ^[1-9][0-9]?$ && $hba_n -le $hba_most ]] ||
		misuse "--hba: $hba_driver takes 1 to $hba_most drives, not '$hba_n'"
	[[ ! $hba_file || -f $hba_file && -r $hba_file && $hba_file != *,* ]] ||
		misuse "--hba: '$hba_file' is not a file that can be read"
	[[ $hba_file ]] && hba_file=$(readlink -f -- "$hba_file")
	hbas[$1]=$hba_driver:$hba_n:$hba_file
}

# What only this kernel has: --cpus, --hba, --link
kernel_options() {
	local i
	[[ ! $cpus || $cpus =~ ^[1-9]$ && $cpus -le $most_cpus ]] ||
		misuse "--cpus: $kernel takes at least 1 and at most $most_cpus, not '$cpus'"
	for i in "${!hbas[@]}"; do check_hba "$i"; done
	[[ ! $link || ${#hbas[@]} -gt 0 ]] || misuse "--link needs an --hba that is behind it"
	[[ ! $link || $link =~ ^(2\.5|5|8|16)x(1|2|4|8|12|16|32)$ ]] ||
		misuse "--link wants GT/s and lanes such as 2.5x1 or 8x4, not '$link'"
}

kernel_check() {
	need qemu-system-x86_64 qemu-system-x86
	need busybox busybox-static
	need apt-get apt
	need flock util-linux
	need findmnt util-linux
	PATH=$PATH:/usr/sbin:/sbin
	need modprobe kmod
	need ip iproute2
	case $lab_d in
	/dev/* | /run/*) fail "cannot run from $lab_d: the lab has a /dev and a /run of its own" ;;
	esac
	kernel_folder=$("$lab_d/qemu-kernel") || fail "no kernel for QEMU: $kernel_folder"
}

# The modules that this run needs, with those that they stand on
list_modules() {
	local module
	for module in virtio_pci 9pnet_virtio 9p sg sd_mod scsi_debug "${hbas[@]%%:*}"; do
		modprobe -d "$kernel_folder" -S "$1" --show-depends "$module" || return
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

# The first file system has these, so that the host's, which is slow, need not be asked.
make_initrd() {
	local version tree
	version=$(basename "$kernel_folder"/lib/modules/*)
	tree=initrd/lib/modules/$version
	mkdir -p initrd/{bin,dev,host,proc} "$tree" || return
	cp "$(command -v busybox)" initrd/bin/busybox && cp "$lab_d/qemu-init" initrd/init || return
	list_modules "$version" >modules && xargs -d '\n' cp -t "$tree" <modules || return
	depmod -b initrd "$version" || return
	(cd initrd && find . | busybox cpio -o -H newc) >initrd.cpio && rm -r initrd
} 2>"$run/initrd.log"

share() { # NAME FOLDER [OPTION]
	qemu+=(-fsdev "local,id=$1,path=$2,security_model=none,multidevs=remap${3-}"
		-device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}

# One controller on a port of its own, and its drives: add_hba INDEX SPEC
add_hba() {
	local id=hba$1 port='' i backend
	hba_parse "$2"
	hba_kind "$hba_driver"
	if [[ $link ]]; then
		port=,bus=port$1
		local speed=${link%x*}
		qemu+=(-device "pcie-root-port,id=port$1,chassis=$(($1 + 1)),slot=$(($1 + 1)),x-speed=${speed/./_},x-width=${link#*x}")
	fi
	qemu+=(-device "$hba_device,id=$id$port")
	backend=null-co,size=10737418240,read-zeroes=on
	[[ $hba_file ]] && backend=file,filename=$hba_file
	for ((i = 0; i < hba_n; i++)); do
		qemu+=(-blockdev "driver=$backend,read-only=on,node-name=$id-$i"
			-device "scsi-hd,drive=$id-$i,bus=$id.0,scsi-id=$i,serial=lab-$1-$i,wwn=$((0x5000c50000000000 + $1 * 256 + i))")
	done
}

# What makes it this kernel, and not icount
machine() { qemu+=(-accel "tcg,thread=multi" -smp "${cpus:-2}"); }

add_terminal() {
	if [[ $shell ]]; then
		exec <&8 >&9
		qemu+=(-chardev "stdio,id=terminal,signal=off" -serial chardev:terminal)
	fi
}

kernel_run() {
	local i
	qemu=(-M q35 -cpu qemu64 -m "$mem" -nodefaults -display none -vga none -monitor none -no-reboot)
	machine
	ulimit -c 0
	cd "$run" || exit
	make_initrd || { cat initrd.log; exit 1; }
	qemu+=(-kernel "$kernel_folder/vmlinuz" -initrd initrd.cpio -serial file:kernel-log
		-append "console=ttyS0 quiet panic=-1 mitigations=off nokaslr tsc=reliable")
	share root / ,readonly=on
	share run "$run"
	[[ $out ]] && share out "$out"
	for i in "${!hbas[@]}"; do add_hba "$i" "${hbas[i]}"; done
	add_terminal
	exec qemu-system-x86_64 "${qemu[@]}"
}

kernel_stop() { kill -KILL "$1"; } 2>/dev/null

# Without stack traces and registers
kernel_console() {
	touch "$run/kernel-log"
	cat "$run/console" "$run/kernel-log" | sed -e 's/\r$//' -e '/^\[[ 0-9.]*\] *\(<\/\?TASK>\|\(? \)\?[[:alnum:]_.]*+0x[0-9a-f]\|[RCFDE][A-Z0-9]*:\)/d'
}

kernel_reason() { :; }
