/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a device had to say beside its figures: the blocks that could not be read, another
 * capacity, the time until it was ready.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "run/refine.h"
#include "run/run.h"
#include "util/units.h"

/* A reader that is left behind may hold the turn for ever. */
static bool take_turn(const struct sgs_run *run, struct sgs_salvage *s)
{
	return run->abandoned ? !pthread_mutex_trylock(&s->turn)
			      : !pthread_mutex_lock(&s->turn);
}

static void keep_bad(const struct sgs_salvage *s, struct sgs_device_result *d)
{
	size_t bytes = s->bad.n * sizeof *d->bad;

	d->figures.bad_blocks = s->bad.blocks;
	d->bad = bytes ? malloc(bytes) : NULL;
	if (!d->bad)
		return;
	memcpy(d->bad, s->bad.ranges, bytes);
	d->n_bad = s->bad.n;
}

static void say_bad(
	const struct sgs_salvage *s, struct sgs_device_result *d, struct sgs_result *result)
{
	char what[320];
	struct sgs_error err;

	sgs_fail(&err, SGS_MEDIUM_HARD, "bad_blocks",
		"%s: %" PRIu64 " block%s in %zu range%s could not be read and %s left out, "
		"the first at LBA %" PRIu64 ": %s",
		d->device.path, s->bad.blocks, s->bad.blocks == 1 ? "" : "s", s->bad.n,
		s->bad.n == 1 ? "" : "s", s->bad.blocks == 1 ? "is" : "are", s->first_lba,
		sgs_outcome_describe(&s->first, what, sizeof what));
	if (!d->status)
		d->status = err.status;
	sgs_result_error(result, d->device.path, &err);
}

static void say_over(
	const struct sgs_salvage *s, struct sgs_device_result *d, struct sgs_result *result)
{
	struct sgs_error err;

	if (s->bad.blocks > s->most)
		sgs_fail(&err, SGS_MEDIUM_HARD, "too_many_bad_blocks",
			"%s: more than %" PRIu64 " blocks are bad, so it was given up after "
			"%" PRIu64 " bytes; --max-errors allows more",
			d->device.path, s->most, d->figures.bytes);
	else
		sgs_fail(&err, SGS_INTERNAL, "no_memory",
			"%s: no memory to read a transfer in parts, so it was given up",
			d->device.path);
	sgs_result_error(result, d->device.path, &err);
}

static void report_bad(const struct sgs_run *run, size_t index, struct sgs_result *result)
{
	struct sgs_salvage *s = &run->salvages[index];
	struct sgs_device_result *d = &result->run.devices[index];

	if (!take_turn(run, s))
		return;
	keep_bad(s, d);
	if (s->bad.blocks)
		say_bad(s, d, result);
	if (s->over)
		say_over(s, d, result);
	if (d->figures.digest.valid && d->figures.digest.partial)
		sgs_result_message(result, SGS_WARNING, d->device.path, "digest_partial",
			"%s: the digest covers only what was read", d->device.path);
	pthread_mutex_unlock(&s->turn);
}

static void report_capacity(struct sgs_device_result *d, struct sgs_result *result)
{
	struct sgs_device now;
	struct sgs_error err;
	char before[32], after[32];

	if (sgs_device_open(d->device.path, &now, &err))
		return;
	sgs_result_message(result, SGS_WARNING, d->device.path, "capacity_changed",
		"%s: its capacity changed while it was read: it was %" PRIu64
		" blocks (%s) and "
		"is %" PRIu64
		" blocks (%s) of %u bytes; what was asked for was measured by the "
		"old one",
		d->device.path, d->device.blocks,
		sgs_format_size(before, sizeof before, sgs_device_bytes(&d->device)),
		now.blocks, sgs_format_size(after, sizeof after, sgs_device_bytes(&now)),
		now.block_bytes);
}

static void report_ready(
	const struct sgs_device_result *d, uint64_t waited_ns, struct sgs_result *result)
{
	char time[32];

	if (waited_ns)
		sgs_result_message(result, SGS_INFO, d->device.path, "became_ready",
			"%s: it was becoming ready and was waited for, %s, before the clock",
			d->device.path, sgs_format_time(time, sizeof time, waited_ns));
}

static void report_stall(const struct sgs_device_result *d, const struct sgs_stall *stall,
	struct sgs_result *result)
{
	char time[32];

	if (stall->longest)
		sgs_result_message(result, SGS_WARNING, d->device.path, "stalled",
			"%s: no command came back for %s; the kernel's messages (dmesg) may "
			"say why",
			d->device.path, sgs_format_time(time, sizeof time, stall->longest));
}

static void report_left(const struct sgs_run *run, size_t index, struct sgs_result *result)
{
	struct sgs_device_result *d = &result->run.devices[index];
	struct sgs_outcome left;
	char what[320];
	struct sgs_error err;

	if (d->status || !d->figures.bytes || !sgs_run_left_unseen(run, index))
		return;
	sgs_outcome_from_errno(&left, sgs_has_left(&d->device));
	sgs_fail(&err, sgs_outcome_status(&left), sgs_fault_name(left.fault),
		"%s: %s; what was read since then came from memory; %" PRIu64
		" bytes were read in all",
		d->device.path, sgs_outcome_describe(&left, what, sizeof what),
		d->figures.bytes);
	d->status = err.status;
	d->figures.errors.by_class[left.fault]++;
	result->run.total.errors.by_class[left.fault]++;
	sgs_result_error(result, d->device.path, &err);
}

void sgs_run_aftermath(const struct sgs_run *run, size_t index, struct sgs_result *result)
{
	struct sgs_reader *const *readers = run->readers + index * run->plan.threads;
	struct sgs_device_result *d = &result->run.devices[index];
	bool capacity_changed = false;

	for (unsigned i = 0; i < run->plan.threads; i++)
		capacity_changed |= readers[i]->capacity_changed;
	report_ready(d, readers[0]->ready_waited_ns, result);
	report_stall(d, &run->stalls[index], result);
	report_bad(run, index, result);
	report_left(run, index, result);
	if (capacity_changed && !run->abandoned)
		report_capacity(d, result);
}
