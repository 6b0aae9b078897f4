/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What to know before believing a comparison.
 */
#include "compare/compared.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/host.h"
#include "util/units.h"

#define WORD	   32
#define SHORT_NS   1e8
#define DRIFT_P	   0.02
#define DRIFT	   0.02 /* of the rate, over all rounds */
#define BUSY_CORES 0.3	/* of others */

static const char *name_of(const struct sgs_series *s)
{
	return s->contender->engine->name;
}

/* A list that grows in a message: "a, b". */
struct list {
	char text[240];
};

__attribute__((format(printf, 2, 3))) static void add(struct list *list, const char *fmt, ...)
{
	size_t at = strlen(list->text);
	va_list args;

	if (at)
		at += (size_t)snprintf(list->text + at, sizeof list->text - at, ", ");
	if (at >= sizeof list->text)
		return;
	va_start(args, fmt);
	vsnprintf(list->text + at, sizeof list->text - at, fmt, args);
	va_end(args);
}

static double typical_ns(const struct sgs_series *s)
{
	double spans[SGS_STATS_MOST];

	for (size_t i = 0; i < s->rounds; i++)
		spans[i] = (double)s->runs[i]->run.total.elapsed_ns;
	return sgs_estimate_median(spans, s->rounds).median;
}

static bool moves_data(const struct sgs_series *s)
{
	return s->contender->engine->transfer != SGS_NO_TRANSFER;
}

static void warn_short(const struct sgs_compared *c, struct sgs_result *sum)
{
	const struct sgs_series *shortest = NULL;
	double ns = SHORT_NS;

	for (size_t i = 0; i < c->n; i++)
		if (moves_data(&c->series[i]) && typical_ns(&c->series[i]) < ns) {
			shortest = &c->series[i];
			ns = typical_ns(shortest);
		}
	if (shortest)
		sgs_result_message(sum, SGS_WARNING, NULL, "short_run",
			"a run of %s took only %.3g ms, which is soon disturbed; let each read "
			"more, with --size or --runtime",
			name_of(shortest), ns / 1e6);
}

static void warn_drift(const struct sgs_compared *c, struct sgs_result *sum)
{
	struct list list = { "" };

	for (size_t i = 0; i < c->n; i++) {
		const struct sgs_trend *t = &c->series[i].drift;

		if (t->p < DRIFT_P && fabs(t->change) > DRIFT)
			add(&list, "%s %+.0f %%, p %.2g", name_of(&c->series[i]),
				100 * t->change, t->p);
	}
	if (list.text[0])
		sgs_result_message(sum, SGS_WARNING, NULL, "drift",
			"the rate drifted from the first round to the last (%s; Mann-Kendall): "
			"something was not in a steady state yet; give more --warmup rounds, "
			"and "
			"keep other work away",
			list.text);
}

static void warn_outliers(const struct sgs_compared *c, struct sgs_result *sum)
{
	struct list list = { "" };

	for (size_t i = 0; i < c->n; i++) {
		const struct sgs_series *s = &c->series[i];

		for (size_t j = 0; j < s->rounds; j++)
			if (s->outliers[j])
				add(&list, "%s %+.0f %% in round %u", name_of(s),
					100 * (s->rates[j] / s->rate.median - 1),
					c->numbers[j]);
	}
	if (list.text[0])
		sgs_result_message(sum, SGS_WARNING, NULL, "outliers",
			"some rounds lie far from the median (%s): something else was at work; "
			"the medians hardly mind, but more --rounds make surer",
			list.text);
}

/* Cores that were busy with something else than this process; NaN unknown. */
static double busy_with_others(const struct sgs_run_result *run, unsigned cpus)
{
	double own =
		(double)(run->cpu.user_ns + run->cpu.system_ns) / (double)run->total.elapsed_ns;

	if (run->cpu.host_busy_percent < 0 || !run->total.elapsed_ns)
		return NAN;
	return run->cpu.host_busy_percent / 100 * cpus - own;
}

static double typical_others(const struct sgs_compared *c, unsigned cpus)
{
	double cores[SGS_STATS_MOST];
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		for (size_t j = 0; j < c->rounds && n < SGS_STATS_MOST; j++) {
			double busy = busy_with_others(&c->series[i].runs[j]->run, cpus);

			if (!isnan(busy))
				cores[n++] = busy;
		}
	return sgs_estimate_median(cores, n).median;
}

static void warn_busy(const struct sgs_compared *c, struct sgs_result *sum)
{
	struct sgs_host host;
	double cores;

	sgs_host_look(&host);
	cores = typical_others(c, host.cpus);
	if (cores > BUSY_CORES)
		sgs_result_message(sum, SGS_WARNING, NULL, "host_busy",
			"beside sgstream %.1f of the %u CPUs were busy (other programs, and "
			"the "
			"kernel's work for all of them): figures of CPU and rate are less "
			"sure; "
			"keep other work away",
			cores, host.cpus);
}

/* Most bytes that read-ahead has in flight on one of the devices. */
static uint64_t read_ahead(const struct sgs_run_result *run)
{
	uint64_t most = 0;

	for (size_t i = 0; i < run->n_devices; i++)
		if (run->devices[i].device.limits.read_ahead > most)
			most = run->devices[i].device.limits.read_ahead;
	return most;
}

static const struct sgs_series *find(const struct sgs_compared *c, bool cached)
{
	for (size_t i = 0; i < c->n; i++)
		if (sgs_series_is_cached(&c->series[i]) == cached && moves_data(&c->series[i]))
			return &c->series[i];
	return NULL;
}

static void warn_depth(const struct sgs_compared *c, struct sgs_result *sum)
{
	const struct sgs_series *cached = find(c, true), *other = find(c, false);
	uint64_t ahead, in_flight, depth;
	char a[WORD], b[WORD];

	if (!cached || !other)
		return;
	ahead = read_ahead(&cached->runs[0]->run);
	in_flight = other->runs[0]->run.bs_bytes * other->runs[0]->run.queue_depth;
	if (ahead <= in_flight)
		return;
	depth = (ahead + other->runs[0]->run.bs_bytes - 1) / other->runs[0]->run.bs_bytes;
	sgs_result_message(sum, SGS_WARNING, NULL, "depth_differs",
		"%s has up to %s in flight by read-ahead, and %s %s: read-ahead is queue depth "
		"in "
		"disguise; compare with -q %llu, too, or with --read-ahead 0",
		name_of(cached), sgs_format_size(a, sizeof a, ahead), name_of(other),
		sgs_format_size(b, sizeof b, in_flight), (unsigned long long)depth);
}

void sgs_compared_warn(const struct sgs_compared *compared, struct sgs_result *sum)
{
	if (!compared->n)
		return;
	warn_short(compared, sum);
	warn_depth(compared, sum);
	warn_drift(compared, sum);
	warn_outliers(compared, sum);
	warn_busy(compared, sum);
}
