/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/text_host.h"

#include <string.h>

#include "report/words.h"
#include "util/units.h"

enum { MOST_CPUS = 8 }; /* that are told one by one */

void sgs_text_placed(FILE *out, const struct sgs_placed *placed)
{
	if (!placed->by || !placed->cpus[0])
		return;
	fprintf(out, "%-10sCPUs %s", "readers", placed->cpus);
	if (placed->node >= 0)
		fprintf(out, " of NUMA node %d", placed->node);
	if (strcmp(placed->by, "controller") == 0)
		fputs(", where the controller is", out);
	else if (strcmp(placed->by, "interrupts") == 0)
		fputs(", which takes the controller's interrupts", out);
	fputc('\n', out);
}

static void print_ceiling(FILE *out, const struct sgs_ceiling *ceiling)
{
	char share[SGS_WORD_ROOM], rate[SGS_WORD_ROOM];

	if (!ceiling->known)
		return;
	fprintf(out, "%-10s%s of the %s link %s, which carries %s\n", "ceiling",
		sgs_word_figure(share, ceiling->share), ceiling->kind, ceiling->name,
		sgs_word_rate(rate, ceiling->bytes_per_second));
}

static void print_completions(FILE *out, const struct sgs_completions *c)
{
	char count[SGS_WORD_ROOM];
	uint64_t rest = 0;

	fprintf(out, "%-10s%s %s:", "interrupts", c->controller->driver, c->controller->pci);
	for (size_t i = 0; i < c->n_cpus; i++) {
		if (i >= MOST_CPUS)
			rest += c->cpus[i].interrupts;
		else
			fprintf(out, "%s CPU %u %s", i ? "," : "", c->cpus[i].cpu,
				sgs_format_count(count, sizeof count, c->cpus[i].interrupts));
	}
	if (rest)
		fprintf(out, ", others %s", sgs_format_count(count, sizeof count, rest));
	fputs(c->n_cpus ? "\n" : " none\n", out);
}

void sgs_text_way(FILE *out, const struct sgs_run_result *run, int verbose)
{
	print_ceiling(out, &run->ceiling);
	for (size_t i = 0; verbose && i < run->n_completions; i++)
		print_completions(out, &run->completions[i]);
}
