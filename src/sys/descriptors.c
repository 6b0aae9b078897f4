/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/descriptors.h"

#include <sys/resource.h>

enum { OPEN_ALREADY = 64 }; /* standard streams, reports, what was inherited */

uint64_t sgs_sys_want_descriptors(uint64_t n)
{
	struct rlimit limit;

	n += OPEN_ALREADY;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= n)
		return 0;
	if (limit.rlim_max < n)
		return limit.rlim_max ? limit.rlim_max : 1;
	limit.rlim_cur = n;
	setrlimit(RLIMIT_NOFILE, &limit);
	return 0;
}
