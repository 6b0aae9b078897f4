# shellcheck shell=bash disable=SC2034,SC2154 # settings go to and come from lab and its conf
# SPDX-License-Identifier: BSD-2-Clause
#
# User-mode Linux: the kernel is an ordinary process, its root is the host's
# file system.  Sourced by lab and keep.

# What only QEMU has
kernel_options() {
	[[ ! $cpus && ! $link && ${#hbas[@]} -eq 0 ]] || misuse "--cpus, --hba and --link want --kernel qemu"
}

need() { command -v "$1" >/dev/null || fail "no $1: install $2 (scripts/deps $3)"; }

# Intel AMX: see uml-xstate.c
large_registers() { grep -qw amx_tile /proc/cpuinfo; }

kernel_check() {
	PATH=$PATH:/usr/sbin:/sbin
	need linux.uml user-mode-linux lab
	need modprobe kmod lab
	need busybox busybox-static lab
	need ip iproute2 lab
	need findmnt util-linux lab
	large_registers && need cc gcc build
	kernel_folder=/usr/lib/uml
	[[ -d $kernel_folder/modules ]] || fail "no /usr/lib/uml/modules: install user-mode-linux again"
	case $lab_d in
	/dev/* | /run/*) fail "cannot run from $lab_d: the lab has a /dev and a /run of its own" ;;
	esac
}

kernel_run() {
	local console=(con=null "con0=null,fd:1")
	[[ $shell ]] && console=(con=null "con0=fd:8,fd:9" "con1=null,fd:1" console=tty1)
	ulimit -c 0
	cd "$run" || exit # short paths for the sockets in uml_dir
	if large_registers; then
		cc -O1 -shared -fPIC -o xstate.so "$lab_d/uml-xstate.c" || exit
		export LD_PRELOAD=./xstate.so
	fi
	TMPDIR=$run exec linux.uml "mem=$mem" rootfstype=hostfs root=/dev/root ro "init=\"$lab_d/uml-init\"" \
		"LAB_RUN=\"$run\"" "${console[@]}" ssl=null quiet noreboot uml_dir=./ umid=uml
}

# UML makes itself a session: its process group is its pid.
kernel_stop() {
	kill -KILL -- "-$1"
	kill -KILL "$1"
} 2>/dev/null

# Without stack traces and what every boot says
kernel_console() {
	sed -e '/\[<[0-9a-f]*>\]/d' -e '/^SELinux: \|^mmapper_init \|initialize ubd device/d' -e 's/\r$//' "$run/console"
}

kernel_reason() {
	grep -q 'ptrace.*failed\|ptrace:' "$run/console" && echo "this host does not let it trace processes (ptrace)"
}
