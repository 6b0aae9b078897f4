/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/tsc.h"

#include <string.h>

#include "sys/sysfs.h"

#if defined(__x86_64__)
#include <cpuid.h>

static bool invariant(void)
{
	unsigned a, b, c, d = 0;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}

bool sgs_tsc_trusted(void)
{
	char source[32];

	if (sgs_sysfs_text(source, sizeof source,
		    "devices/system/clocksource/clocksource0/current_clocksource") < 0)
		return false;
	return !strcmp(source, "tsc") || (!strcmp(source, "timer") && invariant());
}
#else
bool sgs_tsc_trusted(void)
{
	return false;
}
#endif
