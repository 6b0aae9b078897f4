/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interrupts of a controller: which CPUs may take them, and which did.
 */
#ifndef SGS_TOPOLOGY_IRQS_H
#define SGS_TOPOLOGY_IRQS_H

#include <stddef.h>
#include <stdint.h>

#include "util/cpulist.h"

enum { SGS_IRQS_MAX = 1024 };

struct sgs_irqs {
	unsigned numbers[SGS_IRQS_MAX];
	size_t n;
	struct sgs_cpus allowed; /* by the affinity of any of them */
	/* From /proc/interrupts, which has a column for each CPU that is online: */
	unsigned columns[SGS_CPUS_MAX]; /* which CPU a column is */
	size_t n_columns;
	uint64_t counts[SGS_CPUS_MAX], total; /* since boot */
};

/* pci is the folder of a PCI function below the root of sysfs. The result, empty when it has no
 * interrupts, is the caller's to free(); NULL without memory. */
struct sgs_irqs *sgs_irqs_find(const char *pci);

/* Counts them anew. */
void sgs_irqs_count(struct sgs_irqs *irqs);

#endif
