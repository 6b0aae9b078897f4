/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way that the data of a run takes: where its readers are put, which CPUs took the
 * interrupts of its controllers, and how near it came to what the links on its way carry.
 */
#ifndef SGS_RUN_WAY_H
#define SGS_RUN_WAY_H

#include <stddef.h>

#include <sgstream/job.h>

#include "topology/placement.h"

struct sgs_irqs;

struct sgs_way {
	size_t n; /* devices */
	struct sgs_placement *placements;
	struct sgs_irqs **irqs; /* of a device that is the first on its controller, else NULL */
};

/* Chooses where the readers of each device run. 0, or a status for CPUs that are not there. */
int sgs_way_plan(struct sgs_way *way, const struct sgs_job *job,
	const struct sgs_device *devices, size_t n, struct sgs_result *result);

/* The CPUs of a device's readers; NULL: any. */
const struct sgs_cpus *sgs_way_cpus(const struct sgs_way *way, size_t device);

/* Counts interrupts, right before the clock runs and after it has ended. */
void sgs_way_begin(struct sgs_way *way, const struct sgs_device *devices);
void sgs_way_end(struct sgs_way *way, struct sgs_result *result);

/* What share of the links' rates was reached, from the figures of the result. */
void sgs_way_judge(struct sgs_result *result);

void sgs_way_free(struct sgs_way *way);

#endif
