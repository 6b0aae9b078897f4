/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/affinity.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

/* The kernel's mask is of longs, ours of 64 bits: with 64-bit longs they are the same. */
int sgs_sys_run_on(const struct sgs_cpus *cpus)
{
	unsigned long mask[SGS_CPUS_MAX / (8 * sizeof(unsigned long))];
	enum { BITS = 8 * sizeof *mask };

	for (unsigned i = 0; i < SGS_CPUS_MAX / BITS; i++)
		mask[i] = (unsigned long)(cpus->bits[i * BITS / 64] >> (i * BITS % 64));
	return sched_setaffinity(0, sizeof mask, (const cpu_set_t *)mask) < 0 ? -errno : 0;
}
