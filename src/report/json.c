/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/json_host.h"
#include "report/json_value.h"
#include "report/playback.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static json_t *histogram(const struct sgs_latency *latency)
{
	json_t *array = json_array();

	for (size_t i = 0; i < latency->buckets; i++) {
		json_t *pair;

		if (latency->counts[i] == 0)
			continue;
		pair = sgs_json_append(json_array(), sgs_json_count(latency->upper_ns[i]));
		pair = sgs_json_append(pair, sgs_json_count(latency->counts[i]));
		array = sgs_json_append(array, pair);
	}
	return array;
}

json_t *sgs_json_latency(const struct sgs_latency *latency)
{
	bool any = latency->count > 0;
	const struct sgs_json_pair pairs[] = {
		{ "min", any ? sgs_json_count(latency->min) : json_null() },
		{ "mean", any ? sgs_json_count(latency->mean) : json_null() },
		{ "p50", any ? sgs_json_count(latency->p50) : json_null() },
		{ "p90", any ? sgs_json_count(latency->p90) : json_null() },
		{ "p99", any ? sgs_json_count(latency->p99) : json_null() },
		{ "p99_9", any ? sgs_json_count(latency->p99_9) : json_null() },
		{ "p99_99", any ? sgs_json_count(latency->p99_99) : json_null() },
		{ "max", any ? sgs_json_count(latency->max) : json_null() },
		{ "histogram", histogram(latency) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *in_flight_object(const struct sgs_figures *figures)
{
	const struct sgs_json_pair pairs[] = {
		{ "mean", sgs_json_number(
				  figures->commands > 0 ? figures->in_flight_mean : NAN) },
		{ "max", sgs_json_count(figures->in_flight_max) },
		{ "reached", sgs_json_number(figures->commands > 0 ? figures->in_flight_reached
								   : NAN) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *transfer_object(const struct sgs_figures *figures)
{
	const struct sgs_json_pair pairs[] = {
		{ "mapped", sgs_json_count(figures->transfer[SGS_MAPPED]) },
		{ "direct", sgs_json_count(figures->transfer[SGS_DIRECT]) },
		{ "copied", sgs_json_count(figures->transfer[SGS_COPIED]) },
		{ "cached", sgs_json_count(figures->transfer[SGS_CACHED]) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *errors_object(const struct sgs_errors *errors)
{
	const struct sgs_json_pair ends[] = {
		{ "retried", sgs_json_count(errors->retried) },
		{ "failed", sgs_json_count(errors->failed) },
		{ NULL, NULL },
	};
	json_t *object = json_object();

	for (int fault = SGS_FAULT_NONE + 1; fault < SGS_FAULTS; fault++)
		object = sgs_json_set(object, sgs_fault_name((enum sgs_fault_class)fault),
			sgs_json_count(errors->by_class[fault]));
	return sgs_json_extend(object, ends);
}

static json_t *add_digest(json_t *object, const struct sgs_digest *digest)
{
	char hex[33];

	if (!digest->valid)
		return object;
	snprintf(hex, sizeof(hex), "%016" PRIx64 "%016" PRIx64, digest->high, digest->low);
	object = sgs_json_set(object, "digest", sgs_json_text(hex));
	return sgs_json_set(object, "digest_partial", json_boolean(digest->partial));
}

static json_t *page_faults_object(const struct sgs_figures *figures)
{
	const struct sgs_json_pair pairs[] = {
		{ "minor", sgs_json_count(figures->minor_faults) },
		{ "major", sgs_json_count(figures->major_faults) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *recovery_object(const struct sgs_recovery *recovery)
{
	const struct sgs_json_pair pairs[] = {
		{ "commands", sgs_json_count(recovery->commands) },
		{ "bytes", sgs_json_count(recovery->bytes) },
		{ "ns", sgs_json_count(recovery->ns) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *bad_ranges(const struct sgs_device_result *result)
{
	json_t *array = json_array();

	for (size_t i = 0; i < result->n_bad; i++) {
		json_t *pair =
			sgs_json_append(json_array(), sgs_json_count(result->bad[i].first));

		pair = sgs_json_append(pair, sgs_json_count(result->bad[i].count));
		array = sgs_json_append(array, pair);
	}
	return array;
}

/* Adds the keys that a device and the total share. A rate over no time is none. */
static json_t *add_figures(json_t *object, const struct sgs_figures *figures)
{
	bool timed = figures->elapsed_ns > 0;
	const struct sgs_json_pair pairs[] = {
		{ "bytes", sgs_json_count(figures->bytes) },
		{ "commands", sgs_json_count(figures->commands) },
		{ "elapsed_ns", sgs_json_count(figures->elapsed_ns) },
		{ "bytes_per_second",
			sgs_json_number(timed ? figures->bytes_per_second : NAN) },
		{ "iops", sgs_json_number(timed ? figures->iops : NAN) },
		{ "first_done_ns", sgs_json_count(figures->first_done_ns) },
		{ "last_done_ns", sgs_json_count(figures->last_done_ns) },
		{ "start_spread_ns", sgs_json_count(figures->start_spread_ns) },
		{ "latency_ns", sgs_json_latency(&figures->latency) },
		{ "in_flight", in_flight_object(figures) },
		{ "transfer", transfer_object(figures) },
		{ "errors", errors_object(&figures->errors) },
		{ "bad_blocks", sgs_json_count(figures->bad_blocks) },
		{ "recovery", recovery_object(&figures->recovery) },
		{ "page_faults", page_faults_object(figures) },
		{ NULL, NULL },
	};

	return add_digest(sgs_json_extend(object, pairs), &figures->digest);
}

static json_t *cpu_object(const struct sgs_cpu *cpu)
{
	const struct sgs_json_pair pairs[] = {
		{ "user_ns", sgs_json_count(cpu->user_ns) },
		{ "system_ns", sgs_json_count(cpu->system_ns) },
		{ "seconds_per_gib", sgs_json_number(cpu->seconds_per_gib) },
		{ "host_busy_percent", sgs_json_number(cpu->host_busy_percent) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *total_object(const struct sgs_run_result *run)
{
	json_t *object = add_figures(json_object(), &run->total);

	object = sgs_json_add_total_cache(object, &run->cache);
	return sgs_json_set(object, "cpu", cpu_object(&run->cpu));
}

static json_t *add_node(json_t *object, const char *key, const char *path)
{
	return path[0] ? sgs_json_set(object, key, sgs_json_text(path)) : object;
}

static json_t *goal_or_null(uint64_t bytes)
{
	return bytes == UINT64_MAX ? json_null() : sgs_json_count(bytes);
}

/* What a device is, and what is asked of it: known before the run. */
static json_t *device_object(const struct sgs_device_result *result)
{
	const struct sgs_device *device = &result->device;
	const struct sgs_json_pair pairs[] = {
		{ "block_bytes", sgs_json_count_or_null(device->block_bytes) },
		{ "blocks", sgs_json_count(device->blocks) },
		{ "bs_bytes", sgs_json_count(result->bs_bytes) },
		{ "offset_bytes", sgs_json_count(result->offset_bytes) },
		{ "goal_bytes", goal_or_null(result->goal_bytes) },
		{ "controller", sgs_json_controller(&device->controller) },
		{ NULL, NULL },
	};
	json_t *object = sgs_json_set(json_object(), "path", sgs_json_text(device->path));

	object = add_node(object, "block_path", device->block_path);
	object = add_node(object, "sg_path", device->sg_path);
	object = sgs_json_add_identity(object, device);
	object = sgs_json_add_placed(object, &result->placed);
	if (result->same_unit)
		object = sgs_json_set(
			object, "same_unit_as", sgs_json_text(result->same_unit->device.path));
	return sgs_json_extend(object, pairs);
}

static json_t *device_with_figures(const struct sgs_device_result *result)
{
	const struct sgs_json_pair pairs[] = {
		{ "status", json_integer(result->status) },
		{ "probe_commands", sgs_json_count(result->probe_commands) },
		{ "bad_ranges", bad_ranges(result) },
		{ NULL, NULL },
	};

	json_t *object = sgs_json_extend(device_object(result), pairs);

	object = sgs_json_add_cache(object, &result->cache);
	object = sgs_json_add_cache_drop(object, &result->cache_drop);
	object = sgs_json_add_ceiling(object, &result->ceiling);
	return add_figures(object, &result->figures);
}

static json_t *devices_array(const struct sgs_run_result *run)
{
	json_t *array = json_array();

	for (size_t i = 0; i < run->n_devices; i++) {
		const struct sgs_device_result *device = &run->devices[i];

		array = sgs_json_append(array,
			run->started ? device_with_figures(device) : device_object(device));
	}
	return array;
}

static json_t *interval_object(const struct sgs_run_result *run, size_t index)
{
	const struct sgs_interval *interval = &run->intervals[index];
	json_t *bytes = json_array();
	const struct sgs_json_pair pairs[] = {
		{ "at_ns", sgs_json_count(interval->at_ns) },
		{ "span_ns", sgs_json_count(interval->span_ns) },
		{ "bytes", sgs_json_count(interval->bytes) },
		{ "commands", sgs_json_count(interval->commands) },
		{ NULL, NULL },
	};

	for (size_t i = 0; run->interval_bytes && i < run->n_devices; i++)
		bytes = sgs_json_append(
			bytes, sgs_json_count(run->interval_bytes[index * run->n_devices + i]));
	if (bytes && json_array_size(bytes))
		return sgs_json_set(sgs_json_object(pairs), "device_bytes", bytes);
	json_decref(bytes);
	return sgs_json_object(pairs);
}

static json_t *intervals_array(const struct sgs_run_result *run)
{
	json_t *array = json_array();

	for (size_t i = 0; i < run->n_intervals; i++)
		array = sgs_json_append(array, interval_object(run, i));
	return array;
}

/* How a run reads: known before it starts. */
static json_t *plan_object(const struct sgs_run_result *run)
{
	const struct sgs_json_pair pairs[] = {
		{ "engine", sgs_json_text(run->engine) },
		{ "bs_bytes", sgs_json_count(run->bs_bytes) },
		{ "threads", sgs_json_count(run->threads) },
		{ "queue_depth", sgs_json_count(run->queue_depth) },
		{ "pattern", sgs_json_text(run->pattern) },
		{ "on_error", sgs_json_text(run->skips ? "skip" : "stop") },
		{ "settings", sgs_json_settings(run) },
		{ "devices", devices_array(run) },
		{ NULL, NULL },
	};

	json_t *object = sgs_json_object(pairs);

	object = sgs_json_add_playback(object, run);
	if (run->paths)
		object = sgs_json_set(object, "paths", sgs_json_text(run->paths));
	return run->seed ? sgs_json_set(object, "seed", sgs_json_count(run->seed)) : object;
}

static json_t *straggler_object(const struct sgs_run_result *run)
{
	const struct sgs_json_pair pairs[] = {
		{ "device", sgs_json_text(run->devices[run->straggler.device].device.path) },
		{ "share_of_others", sgs_json_number(run->straggler.share) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *run_object(const struct sgs_run_result *run)
{
	const struct sgs_json_pair pairs[] = {
		{ "total", total_object(run) },
		{ "intervals", intervals_array(run) },
		{ NULL, NULL },
	};

	json_t *object = sgs_json_extend(plan_object(run), pairs);

	object = sgs_json_add_ceiling(object, &run->ceiling);
	object = sgs_json_add_completions(object, run);
	if (run->straggler.found)
		object = sgs_json_set(object, "straggler", straggler_object(run));
	if (run->has_output)
		object =
			sgs_json_set(object, "output_bytes", sgs_json_count(run->output_bytes));
	return object;
}

/* What a run is in a comparison. */
static json_t *add_round(json_t *object, const struct sgs_result *result)
{
	const struct sgs_json_pair pairs[] = {
		{ "round", sgs_json_count(result->run.round) },
		{ "warmup", json_boolean(result->run.warmup) },
		{ "status", sgs_json_text(sgs_result_status(result)) },
		{ "exit_status", json_integer(result->exit_status) },
		{ NULL, NULL },
	};

	return sgs_json_extend(object, pairs);
}

json_t *sgs_json_runs(const struct sgs_result *results, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *object;

		if (!results[i].run.started)
			continue;
		object = run_object(&results[i].run);
		if (results[i].run.round)
			object = add_round(object, &results[i]);
		array = sgs_json_append(array, object);
	}
	return array;
}

/* A dry run: checked and found good, not started. */
static json_t *add_planned(json_t *object, const struct sgs_result *results, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct sgs_result *result = &results[i];

		if (!result->run.started && result->exit_status == SGS_OK &&
			result->run.engine[0])
			array = sgs_json_append(array, plan_object(&result->run));
	}
	if (array && json_array_size(array) > 0)
		return sgs_json_set(object, "planned", array);
	json_decref(array);
	return object;
}

/* The results of one call as one: the first failure, the first signal, what was read in all. */
static struct sgs_result sum_up(const struct sgs_result *results, size_t n)
{
	struct sgs_result sum = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (sum.exit_status == SGS_OK)
			sum.exit_status = results[i].exit_status;
		if (sum.signal == 0)
			sum.signal = results[i].signal;
		if (!sum.clock)
			sum.clock = results[i].clock;
		sum.run.total.bytes += results[i].run.total.bytes;
	}
	return sum;
}

/* What stands for the runs when another command failed before it began: its readers expect
 * its keys. NULL: runs do. */
static const char *key_of_other(const struct sgs_call *call)
{
	if (call->command && strcmp(call->command, "list") == 0)
		return "devices";
	if (call->command && strcmp(call->command, "plan") == 0)
		return "prediction";
	return call->command && strcmp(call->command, "doctor") == 0 ? "findings" : NULL;
}

int sgs_report_json(
	FILE *out, const struct sgs_call *call, const struct sgs_result *results, size_t n)
{
	const struct sgs_result sum = sum_up(results, n);
	json_t *root = sgs_json_head(call, sgs_result_status(&sum), sum.exit_status, sum.clock);

	if (key_of_other(call))
		root = sgs_json_set(root, key_of_other(call), json_array());
	else
		root = sgs_json_set(root, "runs", sgs_json_runs(results, n));
	root = add_planned(root, results, n);
	root = sgs_json_set(root, "messages", sgs_json_messages(results, n));
	return sgs_json_write(out, root);
}
