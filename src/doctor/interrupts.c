/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which CPUs complete a controller's commands.
 */
#include "doctor/checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "topology/irqs.h"
#include "topology/nodes.h"

enum {
	ENOUGH = 1000,	 /* interrupts, before their spread says anything */
	NEARLY_ALL = 95, /* per cent */
};

static unsigned busiest(const struct sgs_irqs *irqs)
{
	unsigned most = 0;

	for (unsigned cpu = 1; cpu < SGS_CPUS_MAX; cpu++) {
		if (irqs->counts[cpu] > irqs->counts[most])
			most = cpu;
	}
	return most;
}

/* Numbers as a shell expands them inside braces: "24..39", "24,26". */
static bool irq_pattern(char *buf, size_t cap, const struct sgs_irqs *irqs)
{
	unsigned first = irqs->numbers[0], last = irqs->numbers[irqs->n - 1];
	size_t used = 0;

	if (last - first + 1 == irqs->n)
		return snprintf(buf, cap, "%u..%u", first, last) > 0;
	for (size_t i = 0; i < irqs->n && used < cap; i++)
		used += (size_t)snprintf(
			buf + used, cap - used, "%s%u", i ? "," : "", irqs->numbers[i]);
	return used < cap;
}

static void mend_affinity(
	struct sgs_exam *exam, const struct sgs_irqs *irqs, const char *online)
{
	char pattern[512];

	if (irqs->n == 1)
		sgs_mend_write(
			exam, online, "/proc/irq/%u/smp_affinity_list", irqs->numbers[0]);
	else if (irq_pattern(pattern, sizeof(pattern), irqs))
		sgs_mend_write(exam, online, "/proc/irq/{%s}/smp_affinity_list", pattern);
}

static void say_bound(struct sgs_exam *exam, const struct sgs_irqs *irqs, const char *online)
{
	char controller[80], cpu[32];

	sgs_cpus_format(cpu, sizeof(cpu), &irqs->allowed);
	sgs_find(exam, SGS_FOUND_WARNING,
		"%s %zu interrupt%s of %s may go to CPU %s only: that CPU completes the "
		"commands of "
		"every drive behind it, and is the ceiling of their rate",
		irqs->n == 1 ? "the" : "all", irqs->n, irqs->n == 1 ? "" : "s",
		sgs_exam_controller(exam, controller, sizeof(controller)), cpu);
	mend_affinity(exam, irqs, online);
}

static void say_spread(struct sgs_exam *exam, const struct sgs_irqs *irqs)
{
	unsigned cpu = busiest(irqs);
	char controller[80];

	sgs_exam_controller(exam, controller, sizeof(controller));
	if (irqs->n == 1)
		sgs_find(exam, SGS_FOUND_INFO,
			"%s has one interrupt, so one CPU at a time completes the commands of "
			"every "
			"drive behind it",
			controller);
	else if (irqs->total >= ENOUGH && irqs->counts[cpu] * 100 >= irqs->total * NEARLY_ALL)
		sgs_find(exam, SGS_FOUND_INFO,
			"%" PRIu64 " of %" PRIu64
			" interrupts of %s so far came to CPU %u, although "
			"they may go elsewhere: completions follow the CPUs that submit, so "
			"spread the "
			"readers",
			irqs->counts[cpu], irqs->total, controller, cpu);
	else
		sgs_find(exam, SGS_FOUND_OK, "%zu interrupts of %s are spread over CPUs",
			irqs->n, controller);
}

static void look(struct sgs_exam *exam, struct sgs_irqs *irqs)
{
	struct sgs_cpus online;
	char list[4096];

	if (irqs->n == 0 || !sgs_cpus_online(&online) || sgs_cpus_count(&online) < 2)
		return;
	sgs_irqs_count(irqs);
	sgs_cpus_and(&irqs->allowed, &online);
	if (sgs_cpus_count(&irqs->allowed) == 1)
		say_bound(exam, irqs, sgs_cpus_format(list, sizeof(list), &online));
	else
		say_spread(exam, irqs);
}

void sgs_check_interrupts(struct sgs_exam *exam)
{
	struct sgs_irqs *irqs = sgs_irqs_find(exam->pci);

	if (irqs)
		look(exam, irqs);
	free(irqs);
}
