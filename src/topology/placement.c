/* SPDX-License-Identifier: BSD-2-Clause */
#include "topology/placement.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "topology/chain.h"
#include "topology/irqs.h"
#include "topology/nodes.h"

const char *sgs_placed_by_name(enum sgs_placed_by by)
{
	static const char *const names[] = {
		[SGS_PLACED_ANYWHERE] = "anywhere",
		[SGS_PLACED_OFF] = "off",
		[SGS_PLACED_LIST] = "list",
		[SGS_PLACED_CONTROLLER] = "controller",
		[SGS_PLACED_INTERRUPTS] = "interrupts",
	};

	return names[by];
}

static bool contains(const struct sgs_cpus *all, const struct sgs_cpus *part)
{
	struct sgs_cpus both = *all;

	sgs_cpus_and(&both, part);
	return sgs_cpus_count(&both) == sgs_cpus_count(part);
}

/* The one node that has all of the CPUs, or -1. */
static int only_node(const struct sgs_cpus *cpus)
{
	int node = sgs_node_of(cpus);
	struct sgs_cpus all;

	return node >= 0 && sgs_node_cpus(&all, node) && contains(&all, cpus) ? node : -1;
}

/* Where the firmware is silent, the interrupts may tell; those that may go to any node do not.
 */
static int node_of_interrupts(const struct sgs_device *device)
{
	char folder[PATH_MAX];
	struct sgs_irqs *irqs;
	int node = -1;

	if (!sgs_controller_folder(device, folder))
		return -1;
	irqs = sgs_irqs_find(folder);
	if (irqs && sgs_cpus_count(&irqs->allowed) > 0)
		node = only_node(&irqs->allowed);
	free(irqs);
	return node;
}

static bool use_node(struct sgs_placement *placement, int node, enum sgs_placed_by by)
{
	struct sgs_cpus cpus, allowed;

	if (node < 0 || !sgs_node_cpus(&cpus, node) || !sgs_cpus_allowed(&allowed))
		return false;
	sgs_cpus_and(&cpus, &allowed);
	if (sgs_cpus_count(&cpus) == 0)
		return false;
	*placement = (struct sgs_placement){ .by = by, .node = node, .cpus = cpus };
	return true;
}

void sgs_placement_choose(const struct sgs_device *device, const struct sgs_cpus *list,
	bool numa, struct sgs_placement *placement)
{
	*placement = (struct sgs_placement){ .node = -1 };
	if (list) {
		placement->by = SGS_PLACED_LIST;
		placement->cpus = *list;
		placement->node = only_node(list);
	} else if (!numa) {
		placement->by = SGS_PLACED_OFF;
	} else if (sgs_nodes_count() > 1 &&
		   !use_node(placement, device->controller.numa_node, SGS_PLACED_CONTROLLER)) {
		use_node(placement, node_of_interrupts(device), SGS_PLACED_INTERRUPTS);
	}
}
