/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/cached.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/drop.h"
#include "sys/kernel.h"
#include "sys/sysfs.h"

#define LEAST_READ_AHEAD (1u << 20) /* of a file, whose disk is not known */
#define FELL_BACK	 0.25	    /* of what was not in memory has come there */

/* ---- before ---- */

static uint64_t range_of(const struct sgs_device *device, const struct sgs_schedule *s)
{
	uint64_t blocks = s->shuffle.n ? s->range_blocks : sgs_schedule_blocks(s);

	return (blocks < s->range_blocks ? blocks : s->range_blocks) * device->block_bytes;
}

static void hold(struct sgs_cache_watch *w, const struct sgs_device *device)
{
	struct stat st;

	w->fd = sgs_sys_open(device->block_path, O_NONBLOCK);
	if (w->fd >= 0 && device->node != SGS_NODE_FILE &&
		sgs_sys_stat(device->block_path, &st) == 0)
		w->rdev = st.st_rdev;
}

static void watch(struct sgs_cache_watch *w, const struct sgs_plan *plan,
	const struct sgs_device_plan *p, bool dropping, struct sgs_device_result *d)
{
	const struct sgs_device *device = &d->device;
	bool block = plan->engine->node == SGS_NODE_BLOCK && device->block_path[0];

	w->judged = block && plan->engine->transfer == SGS_CACHED;
	w->doubted = block && !w->judged && device->node == SGS_NODE_FILE;
	w->range_bytes = range_of(device, &p->schedule);
	if (!w->judged && !w->doubted && !(dropping && device->block_path[0]))
		return;
	hold(w, device);
	if (w->fd >= 0)
		sgs_cache_sample_plan(&w->sample, p->schedule.first_lba * device->block_bytes,
			w->range_bytes);
}

static void look_first(struct sgs_cache_watch *w)
{
	if (w->fd < 0)
		return;
	if (w->judged || w->doubted) {
		sgs_cache_sample_before(&w->sample, w->fd);
		return;
	}
	sgs_sys_close(w->fd); /* it was there to be emptied only */
	w->fd = -1;
}

void sgs_cached_open(struct sgs_cached *cached, const struct sgs_job *job,
	const struct sgs_plan *plan, const struct sgs_device_plan *device_plans,
	struct sgs_result *result)
{
	struct sgs_run_result *run = &result->run;

	cached->watches = calloc(run->n_devices, sizeof *cached->watches);
	if (!cached->watches)
		return;
	cached->n = run->n_devices;
	for (size_t i = 0; i < cached->n; i++) {
		cached->watches[i].fd = -1;
		watch(&cached->watches[i], plan, &device_plans[i], job->drop_caches,
			&run->devices[i]);
	}
	if (job->drop_caches)
		sgs_drop_caches(cached, result);
	for (size_t i = 0; i < cached->n; i++) {
		look_first(&cached->watches[i]);
		cached->looking |= cached->watches[i].fd >= 0;
	}
}

/* ---- around the clock ---- */

static bool count(const struct sgs_cache_watch *w, uint64_t *bytes)
{
	return w->judged && w->rdev && sgs_cache_device_read(w->rdev, bytes);
}

void sgs_cached_begin(struct sgs_cached *cached)
{
	for (size_t i = 0; i < cached->n; i++)
		cached->watches[i].counted =
			count(&cached->watches[i], &cached->watches[i].device_read);
	cached->counted = cached->looking && sgs_cache_process_read(&cached->process_read);
}

void sgs_cached_end(struct sgs_cached *cached)
{
	uint64_t now = 0;

	cached->counted = cached->counted && sgs_cache_process_read(&now);
	cached->process_read = now - cached->process_read;
	for (size_t i = 0; i < cached->n; i++) {
		struct sgs_cache_watch *w = &cached->watches[i];

		now = 0;
		w->counted = w->counted && count(w, &now);
		w->device_read = now - w->device_read;
	}
	for (size_t i = 0; i < cached->n; i++)
		if (cached->watches[i].fd >= 0)
			sgs_cache_sample_after(
				&cached->watches[i].sample, cached->watches[i].fd);
}

/* ---- the verdict ---- */

/* In sequence, what was read is the beginning of the range; else it lies all over it. */
static uint64_t covered(const struct sgs_cache_watch *w, const struct sgs_run_result *run,
	const struct sgs_device_result *d)
{
	bool from_the_start = run->pattern && !strcmp(run->pattern, "seq");

	return from_the_start && d->figures.bytes < w->range_bytes ? d->figures.bytes
								   : w->range_bytes;
}

static uint64_t slack(const struct sgs_run_result *run, const struct sgs_device *device)
{
	uint64_t ahead = device->limits.read_ahead;

	if (device->node == SGS_NODE_FILE)
		ahead = LEAST_READ_AHEAD;
	return 2 * ahead * run->threads;
}

static uint64_t all_devices_read(const struct sgs_cached *cached)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < cached->n; i++)
		sum += cached->watches[i].counted ? cached->watches[i].device_read : 0;
	return sum;
}

/* What this process had read from devices is a file's only count of that, and that of a drive
 * which does not count or has left; and one when nothing else was read. Zero says nothing: not
 * every file system counts. A drive counts what anybody
 * reads, and gave this process no more than that had read in all. */
static void use_process_count(const struct sgs_cached *cached, const struct sgs_run_result *run,
	const struct sgs_device *device, struct sgs_cache_evidence *e)
{
	bool alone = run->n_devices == 1;

	e->of_others = true;
	if (!cached->counted)
		return;
	if (device->node == SGS_NODE_FILE || !e->drive_known) {
		e->drive_known = alone && cached->process_read > 0;
		e->drive_read = cached->process_read;
	} else if (e->drive_known && e->drive_read > cached->process_read) {
		e->drive_read = cached->process_read;
	}
	e->of_others = !alone && all_devices_read(cached) > cached->process_read + e->slack;
}

static void judge_device(const struct sgs_cached *cached, const struct sgs_cache_watch *w,
	const struct sgs_run_result *run, struct sgs_device_result *d)
{
	struct sgs_cache_shares shares;
	struct sgs_cache_evidence e = {
		.bytes = d->figures.bytes,
		.range = covered(w, run, d),
		.resident_known = w->sample.before_known && w->sample.after_known,
		.drive_known = w->counted,
		.drive_read = w->device_read,
		.slack = slack(run, &d->device),
	};

	sgs_cache_sample_shares(&w->sample, e.range, &shares);
	e.before = shares.before;
	e.after = shares.after;
	use_process_count(cached, run, &d->device, &e);
	d->cache = (struct sgs_cache){
		.verdict = sgs_cache_judge(&e),
		.range_bytes = e.range,
		.resident_known = e.resident_known,
		.sampled_bytes = e.resident_known ? shares.sampled : 0,
		.resident_before_bytes = e.resident_known ? shares.before_bytes : 0,
		.device_read_known = w->counted,
		.device_read_bytes = w->counted ? w->device_read : 0,
	};
}

/* A loop device without direct I/O reads its file through the page cache: what it gave need not
 * have come from a drive. */
static bool is_cached_below(const struct sgs_device *device)
{
	int64_t direct = 1;

	return device->disk_folder[0] &&
	       sgs_sysfs_number(&direct, "%s/loop/dio", device->disk_folder) == 0 && !direct;
}

static void add_to_total(const struct sgs_cache *one, struct sgs_cache *total)
{
	bool first = total->verdict == SGS_CACHE_UNJUDGED;

	total->verdict = sgs_cache_sum_up(total->verdict, one->verdict);
	total->range_bytes += one->range_bytes;
	total->resident_known = one->resident_known && (first || total->resident_known);
	total->sampled_bytes += one->sampled_bytes;
	total->resident_before_bytes += one->resident_before_bytes;
	total->device_read_known =
		one->device_read_known && (first || total->device_read_known);
	total->device_read_bytes += one->device_read_bytes;
}

/* Pages that came into memory although nothing should have gone through it. */
static bool fell_back(const struct sgs_cache_watch *w, const struct sgs_run_result *run,
	const struct sgs_device_result *d)
{
	struct sgs_cache_shares shares;

	if (!w->doubted || !w->sample.after_known || !d->figures.bytes)
		return false;
	sgs_cache_sample_shares(&w->sample, covered(w, run, d), &shares);
	return shares.before < 1 &&
	       shares.after - shares.before >= FELL_BACK * (1 - shares.before);
}

static void move_to_cached(struct sgs_figures *figures, uint64_t commands)
{
	figures->transfer[SGS_DIRECT] -= commands;
	figures->transfer[SGS_CACHED] += commands;
}

static void count_as_cached(struct sgs_device_result *d, struct sgs_result *result)
{
	uint64_t commands = d->figures.transfer[SGS_DIRECT];

	move_to_cached(&d->figures, commands);
	move_to_cached(&result->run.total, commands);
	sgs_result_message(result, SGS_WARNING, d->device.path, "fell_back",
		"%s: its file system took O_DIRECT and read through the page cache all the "
		"same "
		"(its pages are in memory now), so its commands count as copied out of the "
		"cache",
		d->device.path);
}

/* Read over and over, what was not in memory before came there by the run itself. */
static bool warmed_itself(const struct sgs_device_result *d)
{
	return d->figures.bytes > d->cache.range_bytes &&
	       d->cache.resident_before_bytes < d->cache.sampled_bytes / 2;
}

static void warn_memory(const struct sgs_device_result *d, struct sgs_result *result)
{
	const char *was =
		d->cache.verdict == SGS_CACHE_WARM ? "in memory already" : "partly in memory";
	const char *remedy = "use --drop-caches";

	if (warmed_itself(d)) {
		was = "read over and over, so in memory after the first time";
		remedy = "read no part twice";
	} else if (d->cache_drop.asked) {
		remedy = "see what --drop-caches could not do";
	}
	sgs_result_message(result, SGS_WARNING, d->device.path, "from_memory",
		"%s was %s: this is a figure of memory, not of the drive; %s", d->device.path,
		was, remedy);
}

static void warn_unknown(const struct sgs_device_result *d, struct sgs_result *result)
{
	sgs_result_message(result, SGS_WARNING, d->device.path, "memory_unknown",
		"%s: whether this came from the drive or from memory is not known: the kernel "
		"tells it only to who owns the file or may write it; use sudo, or an engine "
		"that "
		"passes the cache by",
		d->device.path);
}

static void warn_loop(const struct sgs_device_result *d, struct sgs_result *result)
{
	sgs_result_message(result, SGS_WARNING, d->device.path, "loop_cached",
		"%s is a loop device that reads its file through the page cache, so this may "
		"be a "
		"figure of memory; losetup --direct-io=on mends it",
		d->device.path);
}

static void warn(const struct sgs_device_result *d, struct sgs_result *result)
{
	if (d->cache.verdict == SGS_CACHE_WARM || d->cache.verdict == SGS_CACHE_MIXED)
		warn_memory(d, result);
	else if (d->figures.bytes && is_cached_below(&d->device))
		warn_loop(d, result);
	else if (d->cache.verdict == SGS_CACHE_UNKNOWN)
		warn_unknown(d, result);
}

void sgs_cached_judge(
	struct sgs_cached *cached, const struct sgs_plan *plan, struct sgs_result *result)
{
	struct sgs_run_result *run = &result->run;

	for (size_t i = 0; i < cached->n; i++) {
		struct sgs_cache_watch *w = &cached->watches[i];
		struct sgs_device_result *d = &run->devices[i];

		if (fell_back(w, run, d)) {
			count_as_cached(d, result);
			w->judged = true;
		}
		if (w->judged && d->figures.bytes) {
			judge_device(cached, w, run, d);
			if (d->cache.verdict == SGS_CACHE_COLD && is_cached_below(&d->device))
				d->cache.verdict = SGS_CACHE_UNKNOWN;
			add_to_total(&d->cache, &run->cache);
		}
		if (plan->engine->node == SGS_NODE_BLOCK)
			warn(d, result);
	}
	run->cache.process_read_known = cached->counted;
	run->cache.process_read_bytes = cached->counted ? cached->process_read : 0;
}

void sgs_cached_close(struct sgs_cached *cached)
{
	for (size_t i = 0; i < cached->n; i++) {
		sgs_sys_close(cached->watches[i].fd);
		sgs_cache_sample_free(&cached->watches[i].sample);
	}
	free(cached->watches);
	*cached = (struct sgs_cached){ 0 };
}
