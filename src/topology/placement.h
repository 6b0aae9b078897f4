/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the readers of a device should run, so that its data and its interrupts are near:
 * memory that a thread touches first comes from the node that the thread runs on, so buffers
 * follow.
 */
#ifndef SGS_TOPOLOGY_PLACEMENT_H
#define SGS_TOPOLOGY_PLACEMENT_H

#include <stdbool.h>

#include <sgstream/device.h>

#include "util/cpulist.h"

enum sgs_placed_by {
	SGS_PLACED_ANYWHERE,   /* there is nothing to choose, or nothing is known */
	SGS_PLACED_OFF,	       /* it was not wanted */
	SGS_PLACED_LIST,       /* by the caller */
	SGS_PLACED_CONTROLLER, /* on the node of the controller */
	SGS_PLACED_INTERRUPTS, /* on the node whose CPUs take its interrupts */
};

struct sgs_placement {
	enum sgs_placed_by by;
	int node;	      /* -1: none, or several */
	struct sgs_cpus cpus; /* empty: any */
};

/* "controller" */
const char *sgs_placed_by_name(enum sgs_placed_by by);

/* list: CPUs that the caller wants, or NULL. numa: whether to choose by node. Only CPUs that
 * this process may use are chosen. */
void sgs_placement_choose(const struct sgs_device *device, const struct sgs_cpus *list,
	bool numa, struct sgs_placement *placement);

#endif
