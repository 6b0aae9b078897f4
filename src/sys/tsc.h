/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_SYS_TSC_H
#define SGS_SYS_TSC_H

#include <stdbool.h>

/* Whether the time stamp counter can time commands. Where the kernel itself keeps time by it,
 * yes: it has checked that all CPUs agree. User-Mode Linux keeps time by a trap that costs more
 * than a command; there the CPU's own word counts that the counter runs at one rate (CPUID
 * 80000007h EDX bit 8). */
bool sgs_tsc_trusted(void);

#endif
