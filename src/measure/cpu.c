/* SPDX-License-Identifier: BSD-2-Clause */
#include "measure/cpu.h"

#include <stdio.h>
#include <sys/resource.h>

enum { MIN_HOST_TICKS = 10 };

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

/* "cpu  user nice system idle iowait irq softirq steal ...": proc(5) */
static void mark_host(struct sgs_cpu_mark *mark)
{
	unsigned long long v[8];
	FILE *f = fopen("/proc/stat", "re");

	mark->busy = mark->all = 0;
	if (!f)
		return;
	if (fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
		    &v[4], &v[5], &v[6], &v[7]) == 8) {
		for (int i = 0; i < 8; i++)
			mark->all += v[i];
		mark->busy = mark->all - v[3] - v[4];
	}
	fclose(f);
}

void sgs_cpu_mark(struct sgs_cpu_mark *mark)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	mark->user_ns = timeval_ns(usage.ru_utime);
	mark->system_ns = timeval_ns(usage.ru_stime);
	mark_host(mark);
}

void sgs_cpu_used(const struct sgs_cpu_mark *from, const struct sgs_cpu_mark *to,
	uint64_t bytes, struct sgs_cpu *cpu)
{
	uint64_t all = to->all - from->all;

	cpu->user_ns = to->user_ns - from->user_ns;
	cpu->system_ns = to->system_ns - from->system_ns;
	cpu->seconds_per_gib = !bytes || !(cpu->user_ns + cpu->system_ns) /* less than a tick */
				       ? -1
				       : (double)(cpu->user_ns + cpu->system_ns) / 1e9 *
						 (double)(1u << 30) / (double)bytes;
	cpu->host_busy_percent =
		all < MIN_HOST_TICKS || to->busy < from->busy
			? -1
			: 100.0 * (double)(to->busy - from->busy) / (double)all;
}
