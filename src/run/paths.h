/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several nodes can be paths to one logical unit: they say the same name in VPD page 83h, or
 * are one node that was given twice.
 */
#ifndef SGS_RUN_PATHS_H
#define SGS_RUN_PATHS_H

#include <stddef.h>

#include <sgstream/job.h>

/* Index of the first of the devices that is the same unit as device i; i, when it is itself. */
size_t sgs_unit_of(const struct sgs_device *devices, size_t i);

/* Whether device path can take its part in what is read of first. */
int sgs_paths_check(const struct sgs_job *job, const struct sgs_device *first,
	const struct sgs_device *path, struct sgs_error *err);

/* Says which devices are one unit, and that it counts twice unless the job knows. */
void sgs_paths_warn(const struct sgs_job *job, struct sgs_result *result);

#endif
