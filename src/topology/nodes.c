/* SPDX-License-Identifier: BSD-2-Clause */
#include "topology/nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/procfs.h"
#include "sys/sysfs.h"

#define NODES "devices/system/node"

static int count_node(const char *name, void *arg)
{
	unsigned *count = arg, node;

	if (sscanf(name, "node%u", &node) == 1)
		++*count;
	return 0;
}

unsigned sgs_nodes_count(void)
{
	unsigned count = 0;

	sgs_sysfs_each(NODES, count_node, &count);
	return count;
}

static bool read_list(struct sgs_cpus *cpus, const char *attribute)
{
	char text[4096];

	memset(cpus, 0, sizeof(*cpus));
	return sgs_sysfs_text(text, sizeof(text), "%s", attribute) >= 0 &&
	       sgs_cpus_parse(cpus, text);
}

bool sgs_node_cpus(struct sgs_cpus *cpus, int node)
{
	char attribute[64];

	snprintf(attribute, sizeof(attribute), NODES "/node%d/cpulist", node);
	return read_list(cpus, attribute);
}

bool sgs_cpus_online(struct sgs_cpus *cpus)
{
	return read_list(cpus, "devices/system/cpu/online");
}

static int match_allowed(char *line, void *arg)
{
	static const char key[] = "Cpus_allowed_list:";

	return strncmp(line, key, sizeof(key) - 1) == 0 &&
	       sgs_cpus_parse(arg, line + sizeof(key) - 1);
}

bool sgs_cpus_allowed(struct sgs_cpus *cpus)
{
	memset(cpus, 0, sizeof(*cpus));
	return sgs_procfs_lines("self/status", match_allowed, cpus) == 1;
}

/* The node of the first CPU in a set, by the lists of all nodes; -1 unknown. */
struct node_search {
	struct sgs_cpus cpus;
	int node;
};

static int match_node(const char *name, void *arg)
{
	struct node_search *search = arg;
	struct sgs_cpus cpus;
	int node;

	if (sscanf(name, "node%d", &node) != 1 || !sgs_node_cpus(&cpus, node))
		return 0;
	sgs_cpus_and(&cpus, &search->cpus);
	if (sgs_cpus_count(&cpus) == 0)
		return 0;
	search->node = node;
	return 1;
}

int sgs_node_of(const struct sgs_cpus *cpus)
{
	struct node_search search = { .cpus = *cpus, .node = -1 };

	sgs_sysfs_each(NODES, match_node, &search);
	return search.node;
}

/* One value for each node that is online. */
int sgs_node_distance(int node, int from)
{
	char text[1024], *at = text, *word, *rest = NULL;

	if (sgs_sysfs_text(text, sizeof(text), NODES "/node%d/distance", node) <= 0)
		return 0;
	for (int i = 0; (word = strtok_r(at, " ", &rest)) != NULL; i++, at = NULL) {
		if (i == from)
			return atoi(word);
	}
	return 0;
}
