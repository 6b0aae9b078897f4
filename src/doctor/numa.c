/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where this process may run, and how far from there the controller is.
 */
#include "doctor/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/procfs.h"
#include "sys/sysfs.h"
#include "util/cpulist.h"

#define NODES "devices/system/node"

static int match_allowed(char *line, void *arg)
{
	static const char key[] = "Cpus_allowed_list:";

	return strncmp(line, key, sizeof(key) - 1) == 0 &&
	       sgs_cpus_parse(arg, line + sizeof(key) - 1);
}

static bool find_allowed(struct sgs_cpus *cpus)
{
	return sgs_procfs_lines("self/status", match_allowed, cpus) == 1;
}

static bool find_list(struct sgs_cpus *cpus, const char *attribute)
{
	char text[4096];

	return sgs_sysfs_text(text, sizeof(text), "%s", attribute) >= 0 &&
	       sgs_cpus_parse(cpus, text);
}

static void mend_affinity(struct sgs_exam *exam, const struct sgs_cpus *online)
{
	char list[256];

	sgs_mend(exam, "taskset -pc %s $$", sgs_cpus_format(list, sizeof(list), online));
}

void sgs_check_cpu_affinity(struct sgs_exam *exam)
{
	struct sgs_cpus online, allowed;
	unsigned all, mine;
	char list[128];

	if (!find_list(&online, "devices/system/cpu/online") || !find_allowed(&allowed))
		return;
	all = sgs_cpus_count(&online);
	sgs_cpus_and(&allowed, &online);
	mine = sgs_cpus_count(&allowed);
	sgs_cpus_format(list, sizeof(list), &allowed);
	if (mine >= all) {
		sgs_find(exam, SGS_FOUND_OK, "all CPUs may be used (%s)", list);
		return;
	}
	sgs_find(exam, mine == 1 ? SGS_FOUND_WARNING : SGS_FOUND_INFO,
		"this process may run on %u of %u CPUs (%s), by its affinity or a cpuset: "
		"readers "
		"share those, and drives that need more CPU time are held back",
		mine, all, list);
	mend_affinity(exam, &online);
}

static int count_node(const char *name, void *arg)
{
	unsigned *count = arg, node;

	if (sscanf(name, "node%u", &node) == 1)
		++*count;
	return 0;
}

/* 10 is here, 20 twice as far: one value for each node that is online. */
static int distance(int node, int from)
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

/* The node of the first CPU in a set, by the lists of all nodes; -1 unknown. */
struct node_search {
	struct sgs_cpus cpus;
	int node;
};

static int match_node(const char *name, void *arg)
{
	struct node_search *search = arg;
	struct sgs_cpus cpus;
	char attribute[64];
	int node;

	if (sscanf(name, "node%d", &node) != 1)
		return 0;
	snprintf(attribute, sizeof(attribute), NODES "/node%d/cpulist", node);
	if (!find_list(&cpus, attribute))
		return 0;
	sgs_cpus_and(&cpus, &search->cpus);
	if (sgs_cpus_count(&cpus) == 0)
		return 0;
	search->node = node;
	return 1;
}

static void say_far(struct sgs_exam *exam, int node, const struct sgs_cpus *near,
	const struct sgs_cpus *allowed)
{
	struct node_search search = { .cpus = *allowed, .node = -1 };
	char controller[80], near_list[96], list[96], path[512];

	sgs_sysfs_each(NODES, match_node, &search);
	sgs_cpus_format(near_list, sizeof(near_list), near);
	sgs_find(exam, SGS_FOUND_WARNING,
		"%s is on NUMA node %d (CPUs %s), but this process may run on %s only, at "
		"distance "
		"%d: all data crosses the link between the processors",
		sgs_exam_controller(exam, controller, sizeof(controller)), node, near_list,
		sgs_cpus_format(list, sizeof(list), allowed), distance(node, search.node));
	if (sgs_shell_word(path, sizeof(path), exam->device->path)[0])
		sgs_mend(exam, "taskset -c %s sgstream %s", near_list, path);
}

static void say_mixed(
	struct sgs_exam *exam, int node, const struct sgs_cpus *near, unsigned far_cpus)
{
	char controller[80], list[96], path[512];

	sgs_cpus_format(list, sizeof(list), near);
	sgs_find(exam, SGS_FOUND_INFO,
		"%s is on NUMA node %d (CPUs %s), and this process may also run on %u CPUs of "
		"other "
		"nodes, from where its data is farther away",
		sgs_exam_controller(exam, controller, sizeof(controller)), node, list,
		far_cpus);
	if (sgs_shell_word(path, sizeof(path), exam->device->path)[0])
		sgs_mend(exam, "taskset -c %s sgstream %s", list, path);
}

static void say_unknown(struct sgs_exam *exam, unsigned nodes)
{
	char controller[80];

	sgs_find(exam, SGS_FOUND_INFO,
		"the firmware does not say on which of %u NUMA nodes %s is, so readers cannot "
		"be put "
		"beside it",
		nodes, sgs_exam_controller(exam, controller, sizeof(controller)));
}

void sgs_check_numa(struct sgs_exam *exam)
{
	int node = exam->device->controller.numa_node;
	struct sgs_cpus near, allowed, both;
	unsigned nodes = 0, mine;
	char attribute[64];

	sgs_sysfs_each(NODES, count_node, &nodes);
	if (nodes < 2)
		return;
	if (node < 0) {
		say_unknown(exam, nodes);
		return;
	}
	snprintf(attribute, sizeof(attribute), NODES "/node%d/cpulist", node);
	if (!find_list(&near, attribute) || !find_allowed(&allowed) || !sgs_cpus_count(&near))
		return;
	both = near;
	sgs_cpus_and(&both, &allowed);
	mine = sgs_cpus_count(&allowed);
	if (sgs_cpus_count(&both) == 0)
		say_far(exam, node, &near, &allowed);
	else if (sgs_cpus_count(&both) < mine)
		say_mixed(exam, node, &near, mine - sgs_cpus_count(&both));
	else
		sgs_find(exam, SGS_FOUND_OK,
			"this process runs on the controller's NUMA node %d", node);
}
