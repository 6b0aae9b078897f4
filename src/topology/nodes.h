/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NUMA nodes, their CPUs, and those that this process may use.
 */
#ifndef SGS_TOPOLOGY_NODES_H
#define SGS_TOPOLOGY_NODES_H

#include "util/cpulist.h"

/* Nodes of the host; 0 when the kernel has none. */
unsigned sgs_nodes_count(void);

/* False, and the empty set, when that is not known. */
bool sgs_node_cpus(struct sgs_cpus *cpus, int node);
bool sgs_cpus_online(struct sgs_cpus *cpus);
bool sgs_cpus_allowed(struct sgs_cpus *cpus); /* by affinity and cpuset */

/* The first node that has one of the CPUs, -1 for none. */
int sgs_node_of(const struct sgs_cpus *cpus);

/* 10 is here, 20 twice as far; 0 unknown. */
int sgs_node_distance(int node, int from);

#endif
