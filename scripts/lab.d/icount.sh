# shellcheck shell=bash disable=SC2154 # settings come from lab or its conf
# SPDX-License-Identifier: BSD-2-Clause
#
# QEMU whose time is the count of instructions, one a nanosecond: what takes longer costs more.
# Sourced by lab and keep.

# shellcheck source=scripts/lab.d/qemu.sh
. "$lab_d/qemu.sh"

most_cpus=1
machine() { qemu+=(-accel tcg -smp 1 -icount "shift=0,sleep=off"); }
