/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_SYS_TSC_H
#define SGS_SYS_TSC_H

#include <stdbool.h>

/* Whether the time stamp counter can time commands: it runs at one rate on all CPUs (CPUID
 * 80000007h EDX bit 8), and the kernel either keeps time by it or, as User-Mode Linux, answers
 * each look at its clock with a trap that costs more than a command. */
bool sgs_tsc_trusted(void);

#endif
