/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_MEASURE_CPU_H
#define SGS_MEASURE_CPU_H

#include <stdint.h>

#include <sgstream/result.h>

/* CPU time of this process by getrusage(2), and of the host's CPUs by /proc/stat. */
struct sgs_cpu_mark {
	uint64_t user_ns, system_ns;
	uint64_t busy, all; /* ticks of all CPUs; 0 when /proc/stat cannot be read */
};

void sgs_cpu_mark(struct sgs_cpu_mark *mark);

/* What was used between two marks to read bytes. Host share is -1 below 10 ticks: no answer is
 * better than a coarse one. */
void sgs_cpu_used(const struct sgs_cpu_mark *from, const struct sgs_cpu_mark *to,
	uint64_t bytes, struct sgs_cpu *cpu);

#endif
