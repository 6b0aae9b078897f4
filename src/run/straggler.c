/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device that held the others up, and why it may have: what a total hides.
 */
#include <stdio.h>
#include <stdlib.h>

#include "run/run.h"
#include "util/units.h"

#define SLOW	     0.8	/* of the median of the others */
#define LEAST_RUN_NS 100000000u /* below it, chance ranks them */
#define MOST_SPREAD  0.1	/* of the run: else it is when they began that ranks them */

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof *values, ascending);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* One that failed is told of as such. */
static bool takes_part(const struct sgs_device_result *d)
{
	return !d->status && d->figures.bytes;
}

static size_t slowest(const struct sgs_run_result *run)
{
	size_t found = run->n_devices;

	for (size_t i = 0; i < run->n_devices; i++)
		if (takes_part(&run->devices[i]) &&
			(found == run->n_devices ||
				run->devices[i].figures.bytes_per_second <
					run->devices[found].figures.bytes_per_second))
			found = i;
	return found;
}

/* 0 when there are none. */
static double median_of_others(const struct sgs_run_result *run, size_t but)
{
	double *rates = calloc(run->n_devices, sizeof *rates), found = 0;
	size_t n = 0;

	for (size_t i = 0; rates && i < run->n_devices; i++)
		if (i != but && takes_part(&run->devices[i]))
			rates[n++] = run->devices[i].figures.bytes_per_second;
	if (n)
		found = median(rates, n);
	free(rates);
	return found;
}

static const char *why(const struct sgs_run_result *run, const struct sgs_device_result *d,
	char *buf, size_t cap)
{
	uint32_t takes = d->device.limits.queue_depth;
	const struct sgs_errors *errors = &d->figures.errors;

	buf[0] = '\0';
	if (takes && takes < run->queue_depth)
		snprintf(buf, cap,
			"; it takes %u commands at a time (queue_depth), and --qd is %u", takes,
			run->queue_depth);
	else if (errors->retried)
		snprintf(buf, cap, "; %llu of its commands had to be issued again",
			(unsigned long long)errors->retried);
	return buf;
}

static void say(const struct sgs_run_result *run, const struct sgs_device_result *d,
	struct sgs_result *out)
{
	char reason[128], rate[32], others[32];

	sgs_format_figure(rate, sizeof rate, d->figures.bytes_per_second / 1e6);
	sgs_format_figure(others, sizeof others,
		d->figures.bytes_per_second / run->straggler.share / 1e6);
	sgs_result_message(out, SGS_WARNING, d->device.path, "straggler",
		"%s is the straggler: %s MB/s, %.2f of the median of the others (%s MB/s)%s",
		d->device.path, rate, run->straggler.share, others,
		why(run, d, reason, sizeof reason));
}

static bool tells(const struct sgs_figures *total)
{
	return total->elapsed_ns >= LEAST_RUN_NS &&
	       (double)total->start_spread_ns <= MOST_SPREAD * (double)total->elapsed_ns;
}

void sgs_run_straggler(struct sgs_result *result)
{
	struct sgs_run_result *run = &result->run;
	size_t found = slowest(run);
	double others;

	if (found == run->n_devices || result->signal || !tells(&run->total))
		return;
	others = median_of_others(run, found);
	if (run->devices[found].figures.bytes_per_second >= SLOW * others)
		return;
	run->straggler = (struct sgs_straggler){
		.found = true,
		.device = found,
		.share = run->devices[found].figures.bytes_per_second / others,
	};
	say(run, &run->devices[found], result);
}
