/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of CPUs as the kernel writes them: "0-3,8,10-11".
 */
#ifndef SGS_UTIL_CPULIST_H
#define SGS_UTIL_CPULIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SGS_CPUS_MAX = 8192 }; /* CONFIG_NR_CPUS's own maximum on x86 */

struct sgs_cpus {
	uint64_t bits[SGS_CPUS_MAX / 64];
};

/* An empty list is the empty set. False, and the empty set, for what is no list. */
bool sgs_cpus_parse(struct sgs_cpus *cpus, const char *list);

void sgs_cpus_add(struct sgs_cpus *cpus, unsigned first, unsigned last);
unsigned sgs_cpus_count(const struct sgs_cpus *cpus);

/* What is in both, in either. */
void sgs_cpus_and(struct sgs_cpus *cpus, const struct sgs_cpus *with);
void sgs_cpus_or(struct sgs_cpus *cpus, const struct sgs_cpus *with);

/* Back to a list; one that does not fit ends with "...". Returns buf. */
char *sgs_cpus_format(char *buf, size_t cap, const struct sgs_cpus *cpus);

#endif
