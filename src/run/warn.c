/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "run/paths.h"
#include "run/run.h"
#include "util/units.h"

#define SHORT_RUN_NS 100000000u

static void warn_copied(
	const struct sgs_run *run, const struct sgs_device_result *d, struct sgs_result *result)
{
	struct sgs_error why = { 0 };
	uint64_t copied = d->figures.transfer[SGS_COPIED];

	if (!copied || run->plan.engine->transfer == SGS_COPIED)
		return;
	run->plan.engine->probe(&d->device, &why);
	sgs_result_message(result, SGS_WARNING, d->device.path, "copied",
		"%s: %" PRIu64 " of %" PRIu64
		" commands were copied by the driver, so this is not a zero-copy figure%s%s",
		d->device.path, copied, d->figures.commands, why.text[0] ? ": " : "", why.text);
}

static void warn_depth(
	const struct sgs_run *run, const struct sgs_device_result *d, struct sgs_result *result)
{
	uint32_t takes = d->device.limits.queue_depth;

	if (takes && run->plan.queue_depth > takes)
		sgs_result_message(result, SGS_WARNING, d->device.path, "depth_above_queue",
			"%s takes %u commands at a time (queue_depth) and %s %u: the rest "
			"waits in the kernel, and their latency counts the wait",
			d->device.path, takes,
			run->plan.streams ? "its streams are" : "--qd is",
			run->plan.queue_depth);
}

/* The whole of a device may be too little; once more through the page cache would be memory. */
static void warn_short(const struct sgs_run *run, struct sgs_result *result)
{
	const struct sgs_figures *total = &result->run.total;

	if (total->commands && total->elapsed_ns < SHORT_RUN_NS && !result->exit_status)
		sgs_result_message(result, SGS_WARNING, NULL, "short_run",
			"the run took only %.1f ms, too short to rank anything by; read %s",
			(double)total->elapsed_ns / 1e6,
			run->plan.engine->transfer == SGS_CACHED
				? "more (going round with --loop would measure memory)"
				: "for longer, with --loop --runtime 10s");
}

static void warn_nothing(const struct sgs_run *run, struct sgs_result *result)
{
	char time[32];

	if (run->job->runtime_ns && !result->run.total.commands && !result->exit_status &&
		!sgs_run_stopped())
		sgs_result_message(result, SGS_WARNING, NULL, "nothing_read",
			"nothing was read: --runtime %s was over before the first command; "
			"give it longer",
			sgs_format_time(time, sizeof time, run->job->runtime_ns));
}

static void check_zero_copy(const struct sgs_run *run, struct sgs_result *result)
{
	const struct sgs_engine *engine = run->plan.engine;
	const struct sgs_figures *total = &result->run.total;
	bool maps_cache = engine->transfer == SGS_CACHED && engine->zero_copy;
	uint64_t copied =
		total->transfer[SGS_COPIED] + (maps_cache ? 0 : total->transfer[SGS_CACHED]);
	struct sgs_error err;

	if (!run->job->require_zero_copy || !copied)
		return;
	sgs_fail(&err, SGS_EXPECTATION, "not_zero_copy",
		"--require-zero-copy: %" PRIu64 " of %" PRIu64 " commands were copied", copied,
		total->commands);
	sgs_result_error(result, NULL, &err);
}

static void warn_astray(const struct sgs_run *run, struct sgs_result *result)
{
	for (size_t i = 0; i < run->n_readers; i++) {
		const struct sgs_reader *r = run->readers[i];
		const struct sgs_device_result *d = &result->run.devices[r->device];

		if (!r->astray)
			continue;
		sgs_result_message(result, SGS_WARNING, d->device.path, "astray",
			"%s: its readers could not be put on CPUs %s: %s", d->device.path,
			d->placed.cpus, strerrordesc_np(-r->astray));
		return;
	}
}

void sgs_run_warn(const struct sgs_run *run, struct sgs_result *result)
{
	for (size_t i = 0; i < run->n_devices; i++) {
		warn_copied(run, &result->run.devices[i], result);
		warn_depth(run, &result->run.devices[i], result);
	}
	warn_astray(run, result);
	sgs_run_straggler(result);
	sgs_paths_warn(run->job, result);
	warn_short(run, result);
	warn_nothing(run, result);
	check_zero_copy(run, result);
}
