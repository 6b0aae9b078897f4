/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/digest.h"
#include "run/run.h"

/* Ticks of a run as nanoseconds since its first command. */
struct scale {
	uint64_t zero, end;
	double ns_per_tick;
};

static uint64_t span_ns(const struct scale *scale, uint64_t ticks)
{
	return (uint64_t)((double)ticks * scale->ns_per_tick + 0.5);
}

static uint64_t since_start(const struct scale *scale, uint64_t tick)
{
	return tick > scale->zero ? span_ns(scale, tick - scale->zero) : 0;
}

static void fill_buckets(
	const struct sgs_histogram *h, const struct scale *scale, struct sgs_latency *out)
{
	size_t used = 0;

	for (unsigned i = 0; i < SGS_HIST_BUCKETS; i++)
		used += h->bucket[i] != 0;
	out->upper_ns = calloc(used ? used : 1, sizeof *out->upper_ns);
	out->counts = calloc(used ? used : 1, sizeof *out->counts);
	if (!out->upper_ns || !out->counts)
		return;
	for (unsigned i = 0; i < SGS_HIST_BUCKETS; i++) {
		if (!h->bucket[i])
			continue;
		out->upper_ns[out->buckets] = span_ns(scale, sgs_hist_upper(i));
		out->counts[out->buckets++] = h->bucket[i];
	}
}

static void fill_latency(
	const struct sgs_histogram *h, const struct scale *scale, struct sgs_latency *out)
{
	out->count = h->count;
	if (h->count) {
		out->min = span_ns(scale, h->min);
		out->mean = span_ns(scale, h->sum / h->count);
		out->p50 = span_ns(scale, sgs_hist_quantile(h, 0.5));
		out->p90 = span_ns(scale, sgs_hist_quantile(h, 0.9));
		out->p99 = span_ns(scale, sgs_hist_quantile(h, 0.99));
		out->p99_9 = span_ns(scale, sgs_hist_quantile(h, 0.999));
		out->p99_99 = span_ns(scale, sgs_hist_quantile(h, 0.9999));
		out->max = span_ns(scale, h->max);
	}
	fill_buckets(h, scale, out);
}

void sgs_run_fill_latency(const struct sgs_histogram *h, struct sgs_latency *out)
{
	const struct scale ns = { .ns_per_tick = 1 };

	fill_latency(h, &ns, out);
}

/* A reader that was left behind was still in its last command when the run
 * ended. */
static uint64_t last_tick(const struct sgs_reader *r, const struct scale *scale)
{
	if (__atomic_load_n(&r->ended, __ATOMIC_ACQUIRE))
		return r->last_tick;
	__atomic_load_n(&r->live.commands, __ATOMIC_ACQUIRE);
	return scale->end;
}

static bool took_part(const struct sgs_reader *r, const struct scale *scale)
{
	return last_tick(r, scale) > r->first_tick;
}

/* Most commands that readers between their first and last one can have had in
 * flight together.
 */
static unsigned most_at_once(
	struct sgs_reader *const *readers, size_t n, const struct scale *scale)
{
	unsigned most = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned now = 0;

		if (!took_part(readers[i], scale))
			continue;
		for (size_t j = 0; j < n; j++)
			if (took_part(readers[j], scale) &&
				readers[j]->first_tick <= readers[i]->first_tick &&
				readers[i]->first_tick < last_tick(readers[j], scale))
				now += readers[j]->deepest;
		if (now > most)
			most = now;
	}
	return most;
}

static void add_reader(const struct sgs_reader *r, const struct scale *scale,
	struct sgs_figures *f, struct sgs_histogram *latency)
{
	uint64_t done = since_start(scale, last_tick(r, scale));

	f->bytes += __atomic_load_n(&r->live.bytes, __ATOMIC_RELAXED);
	f->commands += __atomic_load_n(&r->live.commands, __ATOMIC_RELAXED);
	for (int i = 0; i < SGS_TRANSFERS; i++)
		f->transfer[i] += r->transfer[i];
	for (int i = 0; i < SGS_FAULTS; i++)
		f->errors.by_class[i] += r->errors.by_class[i];
	f->errors.retried += r->errors.retried;
	f->errors.failed += r->errors.failed;
	f->recovery.commands += r->recovery.commands;
	f->recovery.bytes += r->recovery.bytes;
	f->recovery.ns += span_ns(scale, r->recovery.ns);
	f->minor_faults += r->minor_faults;
	f->major_faults += r->major_faults;
	sgs_digest_merge(&f->digest, &r->data_digest);
	sgs_hist_merge(latency, &r->latency);
	if (!took_part(r, scale))
		return;
	if (!f->first_done_ns || done < f->first_done_ns)
		f->first_done_ns = done;
	if (done > f->last_done_ns)
		f->last_done_ns = done;
}

static uint64_t start_spread(
	struct sgs_reader *const *readers, size_t n, const struct scale *scale)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < n; i++) {
		if (!took_part(readers[i], scale))
			continue;
		if (readers[i]->first_tick < first)
			first = readers[i]->first_tick;
		if (readers[i]->first_tick > last)
			last = readers[i]->first_tick;
	}
	return last > first ? span_ns(scale, last - first) : 0;
}

/* The clocks of latencies and of the run are read one after the other: with one command after
 * the other it would be a little above 1. */
static double mean_at_once(const struct sgs_histogram *latency, const struct scale *scale,
	const struct sgs_figures *f)
{
	double mean = (double)latency->sum * scale->ns_per_tick / (double)f->elapsed_ns;

	return mean < f->in_flight_max ? mean : f->in_flight_max;
}

static void fill_figures(struct sgs_reader *const *readers, size_t n, const struct scale *scale,
	struct sgs_histogram *latency, struct sgs_figures *f)
{
	double seconds;

	sgs_hist_init(latency);
	for (size_t i = 0; i < n; i++)
		add_reader(readers[i], scale, f, latency);
	f->elapsed_ns = f->last_done_ns;
	f->start_spread_ns = start_spread(readers, n, scale);
	f->in_flight_max = most_at_once(readers, n, scale);
	fill_latency(latency, scale, &f->latency);
	seconds = (double)f->elapsed_ns / 1e9;
	if (seconds > 0) {
		f->bytes_per_second = (double)f->bytes / seconds;
		f->iops = (double)f->commands / seconds;
		f->in_flight_mean = mean_at_once(latency, scale, f);
	}
}

static void report_failure(
	const struct sgs_reader *r, struct sgs_device_result *d, struct sgs_result *result)
{
	char what[320];
	struct sgs_error err;

	sgs_fail(&err, sgs_outcome_status(&r->failure), sgs_fault_name(r->failure.fault),
		"%s: read of %u blocks at LBA %" PRIu64 " failed: %s; %" PRIu64
		" bytes were read in all",
		d->device.path, r->failed_extent.blocks, r->failed_extent.lba,
		sgs_outcome_describe(&r->failure, what, sizeof what), d->figures.bytes);
	if (!d->status)
		d->status = err.status;
	sgs_result_error(result, d->device.path, &err);
}

/* By Little's law the mean is rate times latency; but a command that waits in the kernel for
 * room in the unit's queue is in flight for us, and not for the drive. */
static double reached(const struct sgs_figures *f, const struct sgs_device *device)
{
	double takes = device->limits.queue_depth;

	return takes > 0 && takes < f->in_flight_mean ? takes : f->in_flight_mean;
}

static void add_reached(struct sgs_run_result *out)
{
	double sum = 0;

	for (size_t i = 0; i < out->n_devices; i++)
		sum += out->devices[i].figures.in_flight_reached *
		       (double)out->devices[i].figures.elapsed_ns;
	if (out->total.elapsed_ns)
		out->total.in_flight_reached = sum / (double)out->total.elapsed_ns;
}

static void collect_device(const struct sgs_run *run, size_t index, const struct scale *scale,
	struct sgs_histogram *latency, struct sgs_result *result)
{
	struct sgs_reader *const *readers = run->readers + index * run->plan.threads;
	struct sgs_device_result *d = &result->run.devices[index];

	fill_figures(readers, run->plan.threads, scale, latency, &d->figures);
	d->figures.in_flight_reached = reached(&d->figures, &d->device);
	d->figures.errors.by_class[SGS_FAULT_UNIT_ATTENTION] += d->device.unit_attentions;
	d->figures.errors.retried += d->device.unit_attentions;
	for (unsigned i = 0; i < run->plan.threads; i++) {
		if (readers[i]->lane)
			d->probe_commands += readers[i]->lane->trials;
		if (readers[i]->failed)
			report_failure(readers[i], d, result);
	}
	sgs_run_aftermath(run, index, result);
}

static uint64_t first_tick(const struct sgs_run *run, const struct scale *scale)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < run->n_readers; i++)
		if (took_part(run->readers[i], scale) && run->readers[i]->first_tick < first)
			first = run->readers[i]->first_tick;
	return first;
}

void sgs_run_collect(const struct sgs_run *run, struct sgs_result *result)
{
	struct scale scale = { .end = run->end.ticks, .ns_per_tick = sgs_clock_rate(run->end) };
	struct sgs_run_result *out = &result->run;
	struct sgs_histogram *latency = malloc(sizeof *latency);

	if (!latency)
		return;
	scale.zero = first_tick(run, &scale);
	for (size_t i = 0; i < run->n_devices; i++) {
		collect_device(run, i, &scale, latency, result);
		out->total.errors.by_class[SGS_FAULT_UNIT_ATTENTION] +=
			run->devices[i].unit_attentions;
		out->total.errors.retried += run->devices[i].unit_attentions;
	}
	fill_figures(run->readers, run->n_readers, &scale, latency, &out->total);
	add_reached(out);
	for (size_t i = 0; i < run->n_devices; i++)
		out->total.bad_blocks += out->devices[i].figures.bad_blocks;
	sgs_cpu_used(&run->cpu_begin, &run->cpu_end, out->total.bytes, &out->cpu);
	free(latency);
}
