/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/way.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/chain.h"
#include "topology/irqs.h"
#include "topology/nodes.h"

/* ---- placement ---- */

static int read_list(const char *text, struct sgs_cpus *list, struct sgs_error *err)
{
	char mine[96];
	struct sgs_cpus allowed, both;

	if (!sgs_cpus_parse(list, text) || !sgs_cpus_count(list))
		return sgs_fail(err, SGS_USAGE, "bad_cpus",
			"--cpus: '%s' is no list of CPUs; write it as 0-3,8", text);
	if (!sgs_cpus_allowed(&allowed))
		return 0;
	both = *list;
	sgs_cpus_and(&both, &allowed);
	if (sgs_cpus_count(&both) == sgs_cpus_count(list))
		return 0;
	return sgs_fail(err, SGS_USAGE, "no_such_cpu",
		"--cpus %s: this process may use CPUs %s; give some of these", text,
		sgs_cpus_format(mine, sizeof mine, &allowed));
}

static void report_placement(const struct sgs_placement *from, struct sgs_placed *to)
{
	to->by = sgs_placed_by_name(from->by);
	to->node = from->node;
	sgs_cpus_format(to->cpus, sizeof to->cpus, &from->cpus);
}

int sgs_way_plan(struct sgs_way *way, const struct sgs_job *job,
	const struct sgs_device *devices, size_t n, struct sgs_result *result)
{
	struct sgs_error err = { 0 };
	struct sgs_cpus list;

	if (job->cpus && read_list(job->cpus, &list, &err)) {
		sgs_result_error(result, NULL, &err);
		return err.status;
	}
	way->placements = calloc(n, sizeof *way->placements);
	way->irqs = calloc(n, sizeof *way->irqs);
	if (!way->placements || !way->irqs) {
		sgs_fail(&err, SGS_INTERNAL, "no_memory", "no memory for the placement");
		sgs_result_error(result, NULL, &err);
		return err.status;
	}
	way->n = n;
	for (size_t i = 0; i < n; i++) {
		sgs_placement_choose(&devices[i], job->cpus ? &list : NULL, !job->numa_off,
			&way->placements[i]);
		report_placement(&way->placements[i], &result->run.devices[i].placed);
	}
	return 0;
}

const struct sgs_cpus *sgs_way_cpus(const struct sgs_way *way, size_t device)
{
	const struct sgs_placement *placement = &way->placements[device];

	return sgs_cpus_count(&placement->cpus) ? &placement->cpus : NULL;
}

/* ---- interrupts ---- */

static bool is_first(const struct sgs_device *devices, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(devices[i].controller.pci, devices[j].controller.pci))
			return false;
	return true;
}

void sgs_way_begin(struct sgs_way *way, const struct sgs_device *devices)
{
	char folder[PATH_MAX];

	for (size_t i = 0; i < way->n; i++) {
		if (!devices[i].controller.pci[0] || !is_first(devices, i) ||
			!sgs_controller_folder(&devices[i], folder))
			continue;
		way->irqs[i] = sgs_irqs_find(folder);
		if (way->irqs[i])
			sgs_irqs_count(way->irqs[i]);
	}
}

static void add_cpu(struct sgs_completions *c, unsigned cpu, uint64_t interrupts)
{
	struct sgs_cpu_interrupts *grown =
		reallocarray(c->cpus, c->n_cpus + 1, sizeof *c->cpus);

	if (!grown)
		return;
	c->cpus = grown;
	c->cpus[c->n_cpus++] = (struct sgs_cpu_interrupts){ cpu, interrupts };
}

static void compare(const uint64_t *before, struct sgs_irqs *irqs, struct sgs_completions *c)
{
	sgs_irqs_count(irqs);
	for (size_t i = 0; i < irqs->n_columns; i++) {
		unsigned cpu = irqs->columns[i];

		if (irqs->counts[cpu] > before[cpu])
			add_cpu(c, cpu, irqs->counts[cpu] - before[cpu]);
	}
}

static void add_controller(
	const struct sgs_device *device, struct sgs_irqs *irqs, struct sgs_run_result *run)
{
	struct sgs_completions *grown = reallocarray(
		run->completions, run->n_completions + 1, sizeof *run->completions);
	uint64_t *before = malloc(sizeof irqs->counts);

	if (grown)
		run->completions = grown;
	if (grown && before) {
		struct sgs_completions *c = &grown[run->n_completions++];

		*c = (struct sgs_completions){ .controller = &device->controller };
		memcpy(before, irqs->counts, sizeof irqs->counts);
		compare(before, irqs, c);
	}
	free(before);
}

void sgs_way_end(struct sgs_way *way, struct sgs_result *result)
{
	for (size_t i = 0; i < way->n; i++)
		if (way->irqs[i] && way->irqs[i]->n)
			add_controller(
				&result->run.devices[i].device, way->irqs[i], &result->run);
}

/* ---- ceilings ---- */

/* A link and what came over it from one device; then, for links that are one, from all. */
struct load {
	const struct sgs_hop *hop;
	double bytes_per_second;
};

static int by_id(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	return (x->hop->id > y->hop->id) - (x->hop->id < y->hop->id);
}

static void set_ceiling(struct sgs_ceiling *ceiling, const struct sgs_hop *hop, double rate)
{
	ceiling->known = true;
	ceiling->kind = sgs_hop_kind_name(hop->kind);
	strcpy(ceiling->name, hop->name);
	ceiling->bytes_per_second = hop->now;
	ceiling->share = rate / hop->now;
}

static size_t add_loads(const struct sgs_chain *chain, double rate, struct load *loads)
{
	size_t n = 0;

	for (size_t i = 0; i < chain->n; i++)
		if (chain->hops[i].now > 0)
			loads[n++] = (struct load){ &chain->hops[i], rate };
	return n;
}

/* The link that is nearest to what it carries. */
static void find_fullest(struct load *loads, size_t n, struct sgs_ceiling *ceiling)
{
	double sum = 0;

	qsort(loads, n, sizeof *loads, by_id);
	for (size_t i = 0; i < n; i++) {
		sum += loads[i].bytes_per_second;
		if (i + 1 < n && loads[i + 1].hop->id == loads[i].hop->id)
			continue;
		if (!ceiling->known || sum / loads[i].hop->now > ceiling->share)
			set_ceiling(ceiling, loads[i].hop, sum);
		sum = 0;
	}
}

static void judge(struct sgs_run_result *run, struct sgs_chain *chains, struct load *loads)
{
	double seconds = (double)run->total.elapsed_ns / 1e9;
	size_t n = 0;

	for (size_t i = 0; i < run->n_devices; i++) {
		struct sgs_device_result *d = &run->devices[i];
		const struct sgs_hop *lowest;

		sgs_chain_find(&d->device, &chains[i]);
		lowest = sgs_chain_lowest(&chains[i]);
		if (lowest)
			set_ceiling(&d->ceiling, lowest, d->figures.bytes_per_second);
		n += add_loads(&chains[i], (double)d->figures.bytes / seconds, loads + n);
	}
	if (n)
		find_fullest(loads, n, &run->ceiling);
}

void sgs_way_judge(struct sgs_result *result)
{
	struct sgs_run_result *run = &result->run;
	struct sgs_chain *chains = calloc(run->n_devices, sizeof *chains);
	struct load *loads = calloc(run->n_devices, SGS_HOPS_MAX * sizeof *loads);

	if (chains && loads && run->total.elapsed_ns)
		judge(run, chains, loads);
	free(loads);
	free(chains);
}

void sgs_way_free(struct sgs_way *way)
{
	for (size_t i = 0; way->irqs && i < way->n; i++)
		free(way->irqs[i]);
	free(way->irqs);
	free(way->placements);
}
