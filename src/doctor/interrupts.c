/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which CPUs complete a controller's commands.
 */
#include "doctor/checks.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/procfs.h"
#include "sys/sysfs.h"
#include "util/cpulist.h"

enum {
	MAX_IRQS = 1024,
	ENOUGH = 1000,	 /* interrupts, before their spread says anything */
	NEARLY_ALL = 95, /* per cent */
};

struct interrupts {
	unsigned numbers[MAX_IRQS];
	size_t n;
	struct sgs_cpus allowed; /* by the affinity of any of them */
	/* From /proc/interrupts: */
	unsigned columns[SGS_CPUS_MAX]; /* which CPU a column is */
	size_t n_columns;
	uint64_t counts[SGS_CPUS_MAX], total;
};

static int add_irq(const char *name, void *arg)
{
	struct interrupts *irqs = arg;

	if (isdigit((unsigned char)name[0]) && irqs->n < MAX_IRQS)
		irqs->numbers[irqs->n++] = (unsigned)atoi(name);
	return 0;
}

static void find_irqs(struct interrupts *irqs, const char *pci)
{
	char folder[PATH_MAX + 16], text[16];

	snprintf(folder, sizeof(folder), "%s/msi_irqs", pci);
	sgs_sysfs_each(folder, add_irq, irqs);
	if (irqs->n == 0 && sgs_sysfs_text(text, sizeof(text), "%s/irq", pci) > 0 &&
		strcmp(text, "0") != 0)
		add_irq(text, irqs);
}

static void find_allowed(struct interrupts *irqs)
{
	struct sgs_cpus cpus;
	char text[4096];

	for (size_t i = 0; i < irqs->n; i++) {
		if (sgs_procfs_text(text, sizeof(text), "irq/%u/smp_affinity_list",
			    irqs->numbers[i]) > 0 &&
			sgs_cpus_parse(&cpus, text))
			sgs_cpus_or(&irqs->allowed, &cpus);
	}
}

/* "           CPU0       CPU1": the CPUs that are online */
static void take_header(struct interrupts *irqs, char *line)
{
	char *word, *rest = NULL;
	unsigned cpu;

	for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (sscanf(word, "CPU%u", &cpu) == 1 && cpu < SGS_CPUS_MAX &&
			irqs->n_columns < SGS_CPUS_MAX)
			irqs->columns[irqs->n_columns++] = cpu;
	}
}

static bool is_ours(const struct interrupts *irqs, unsigned number)
{
	for (size_t i = 0; i < irqs->n; i++) {
		if (irqs->numbers[i] == number)
			return true;
	}
	return false;
}

/* " 24:          1          0  PCI-MSIX-0000:03:00.0 ..." */
static int take_line(char *line, void *arg)
{
	struct interrupts *irqs = arg;
	unsigned number;
	char *at;

	if (irqs->n_columns == 0) {
		take_header(irqs, line);
		return 0;
	}
	if (sscanf(line, " %u:", &number) != 1 || !is_ours(irqs, number))
		return 0;
	at = strchr(line, ':') + 1;
	for (size_t i = 0; i < irqs->n_columns; i++) {
		uint64_t count = strtoull(at, &at, 10);

		irqs->counts[irqs->columns[i]] += count;
		irqs->total += count;
	}
	return 0;
}

static unsigned busiest(const struct interrupts *irqs)
{
	unsigned most = 0;

	for (unsigned cpu = 1; cpu < SGS_CPUS_MAX; cpu++) {
		if (irqs->counts[cpu] > irqs->counts[most])
			most = cpu;
	}
	return most;
}

/* Numbers as a shell expands them inside braces: "24..39", "24,26". */
static bool irq_pattern(char *buf, size_t cap, const struct interrupts *irqs)
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
	struct sgs_exam *exam, const struct interrupts *irqs, const char *online)
{
	char pattern[512];

	if (irqs->n == 1)
		sgs_mend_write(
			exam, online, "/proc/irq/%u/smp_affinity_list", irqs->numbers[0]);
	else if (irq_pattern(pattern, sizeof(pattern), irqs))
		sgs_mend_write(exam, online, "/proc/irq/{%s}/smp_affinity_list", pattern);
}

static void say_bound(struct sgs_exam *exam, const struct interrupts *irqs, const char *online)
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

static void say_spread(struct sgs_exam *exam, const struct interrupts *irqs)
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

static void look(struct sgs_exam *exam, struct interrupts *irqs)
{
	struct sgs_cpus online;
	char text[4096];

	find_irqs(irqs, exam->pci);
	if (irqs->n == 0 ||
		sgs_sysfs_text(text, sizeof(text), "devices/system/cpu/online") <= 0 ||
		!sgs_cpus_parse(&online, text) || sgs_cpus_count(&online) < 2)
		return;
	find_allowed(irqs);
	sgs_procfs_lines("interrupts", take_line, irqs);
	sgs_cpus_and(&irqs->allowed, &online);
	if (sgs_cpus_count(&irqs->allowed) == 1)
		say_bound(exam, irqs, text);
	else
		say_spread(exam, irqs);
}

void sgs_check_interrupts(struct sgs_exam *exam)
{
	struct interrupts *irqs = calloc(1, sizeof(*irqs));

	if (irqs)
		look(exam, irqs);
	free(irqs);
}
