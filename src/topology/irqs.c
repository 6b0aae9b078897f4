/* SPDX-License-Identifier: BSD-2-Clause */
#include "topology/irqs.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/procfs.h"
#include "sys/sysfs.h"

static int add_irq(const char *name, void *arg)
{
	struct sgs_irqs *irqs = arg;

	if (isdigit((unsigned char)name[0]) && irqs->n < SGS_IRQS_MAX)
		irqs->numbers[irqs->n++] = (unsigned)atoi(name);
	return 0;
}

static void find_numbers(struct sgs_irqs *irqs, const char *pci)
{
	char folder[PATH_MAX + 16], text[16];

	snprintf(folder, sizeof(folder), "%s/msi_irqs", pci);
	sgs_sysfs_each(folder, add_irq, irqs);
	if (irqs->n == 0 && sgs_sysfs_text(text, sizeof(text), "%s/irq", pci) > 0 &&
		strcmp(text, "0") != 0)
		add_irq(text, irqs);
}

static void find_allowed(struct sgs_irqs *irqs)
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
static void take_header(struct sgs_irqs *irqs, char *line)
{
	char *word, *rest = NULL;
	unsigned cpu;

	for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (sscanf(word, "CPU%u", &cpu) == 1 && cpu < SGS_CPUS_MAX &&
			irqs->n_columns < SGS_CPUS_MAX)
			irqs->columns[irqs->n_columns++] = cpu;
	}
}

static bool is_ours(const struct sgs_irqs *irqs, unsigned number)
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
	struct sgs_irqs *irqs = arg;
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

void sgs_irqs_count(struct sgs_irqs *irqs)
{
	irqs->n_columns = 0;
	irqs->total = 0;
	memset(irqs->counts, 0, sizeof(irqs->counts));
	if (irqs->n > 0)
		sgs_procfs_lines("interrupts", take_line, irqs);
}

struct sgs_irqs *sgs_irqs_find(const char *pci)
{
	struct sgs_irqs *irqs = calloc(1, sizeof(*irqs));

	if (!irqs)
		return NULL;
	find_numbers(irqs, pci);
	find_allowed(irqs);
	return irqs;
}
