/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where this process may run, and how far from there the controller is.
 */
#include "doctor/checks.h"

#include <string.h>

#include "topology/nodes.h"

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

	if (!sgs_cpus_online(&online) || !sgs_cpus_allowed(&allowed))
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

static void say_far(struct sgs_exam *exam, int node, const struct sgs_cpus *near,
	const struct sgs_cpus *allowed)
{
	char controller[80], near_list[96], list[96], path[512];

	sgs_cpus_format(near_list, sizeof(near_list), near);
	sgs_find(exam, SGS_FOUND_WARNING,
		"%s is on NUMA node %d (CPUs %s), but this process may run on %s only, at "
		"distance "
		"%d: all data crosses the link between the processors",
		sgs_exam_controller(exam, controller, sizeof(controller)), node, near_list,
		sgs_cpus_format(list, sizeof(list), allowed),
		sgs_node_distance(node, sgs_node_of(allowed)));
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
	unsigned nodes = sgs_nodes_count(), mine;

	if (nodes < 2)
		return;
	if (node < 0) {
		say_unknown(exam, nodes);
		return;
	}
	if (!sgs_node_cpus(&near, node) || !sgs_cpus_allowed(&allowed) ||
		!sgs_cpus_count(&near))
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
