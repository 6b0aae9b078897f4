/* SPDX-License-Identifier: BSD-2-Clause */
#include "measure/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

#include "sys/residency.h"
#include "sys/sysfs.h"

enum { WINDOWS = 1024, SECTOR = 512 };
#define WINDOW_BYTES (1u << 20)
#define ALMOST_ALL   0.95

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Where the i-th of n windows begins. */
static uint64_t begin_of(uint64_t range, size_t i, size_t n, uint64_t page)
{
	unsigned __int128 at = range;

	if (i >= n)
		return range;
	if (range <= (uint64_t)WINDOWS * WINDOW_BYTES)
		return i * (uint64_t)WINDOW_BYTES;
	return (uint64_t)(at * i * i / ((uint64_t)n * n)) / page * page;
}

int sgs_cache_sample_plan(struct sgs_cache_sample *sample, uint64_t first, uint64_t range)
{
	uint64_t page = sgs_sys_page(), needed;

	range += first % page;
	first -= first % page;
	needed = (range + WINDOW_BYTES - 1) / WINDOW_BYTES;
	*sample = (struct sgs_cache_sample){
		.first = first,
		.n = (size_t)smaller(needed, WINDOWS),
	};
	sample->windows = calloc(sample->n ? sample->n : 1, sizeof *sample->windows);
	if (!sample->windows)
		return -ENOMEM;
	for (size_t i = 0; i < sample->n; i++) {
		struct sgs_cache_window *w = &sample->windows[i];
		uint64_t start = begin_of(range, i, sample->n, page);

		w->start = first + start;
		w->stands_for = begin_of(range, i + 1, sample->n, page) - start;
		w->len = smaller(w->stands_for, WINDOW_BYTES);
	}
	return 0;
}

static bool look(int fd, const struct sgs_cache_window *w, uint64_t *resident)
{
	return !w->len || sgs_sys_resident(fd, w->start, w->len, resident) == 0;
}

bool sgs_cache_sample_before(struct sgs_cache_sample *sample, int fd)
{
	sample->before_known = sample->n > 0;
	for (size_t i = 0; sample->before_known && i < sample->n; i++)
		sample->before_known =
			look(fd, &sample->windows[i], &sample->windows[i].before);
	return sample->before_known;
}

bool sgs_cache_sample_after(struct sgs_cache_sample *sample, int fd)
{
	sample->after_known = sample->before_known;
	for (size_t i = 0; sample->after_known && i < sample->n; i++)
		sample->after_known = look(fd, &sample->windows[i], &sample->windows[i].after);
	return sample->after_known;
}

void sgs_cache_sample_shares(
	const struct sgs_cache_sample *sample, uint64_t bytes, struct sgs_cache_shares *out)
{
	double total = 0;

	*out = (struct sgs_cache_shares){ 0 };
	for (size_t i = 0; i < sample->n; i++) {
		const struct sgs_cache_window *w = &sample->windows[i];
		double weight = (double)w->stands_for;

		if (!w->len || w->start - sample->first >= bytes)
			continue;
		out->sampled += w->len;
		out->before_bytes += w->before;
		out->after_bytes += w->after;
		out->before += weight * (double)w->before / (double)w->len;
		out->after += weight * (double)w->after / (double)w->len;
		total += weight;
	}
	if (total > 0) {
		out->before /= total;
		out->after /= total;
	}
}

void sgs_cache_sample_free(struct sgs_cache_sample *sample)
{
	free(sample->windows);
	sample->windows = NULL;
	sample->n = 0;
}

/* "reads merged sectors ticks ...": Documentation/block/stat.rst. A partition has no queue of
 * its own. */
bool sgs_cache_device_read(dev_t rdev, uint64_t *bytes)
{
	unsigned major = major(rdev), minor = minor(rdev);
	unsigned long long sectors;
	int64_t counts = 1;
	char text[256];

	if (sgs_sysfs_number(&counts, "dev/block/%u:%u/queue/iostats", major, minor) < 0)
		sgs_sysfs_number(&counts, "dev/block/%u:%u/../queue/iostats", major, minor);
	if (!counts ||
		sgs_sysfs_text(text, sizeof text, "dev/block/%u:%u/stat", major, minor) < 0)
		return false;
	if (sscanf(text, "%*u %*u %llu", &sectors) != 1)
		return false;
	*bytes = sectors * SECTOR;
	return true;
}

bool sgs_cache_process_read(uint64_t *bytes)
{
	FILE *file = fopen("/proc/self/io", "re");
	unsigned long long value;
	char line[128];
	bool found = false;

	if (!file)
		return false;
	while (!found && fgets(line, sizeof line, file))
		found = sscanf(line, "read_bytes: %llu", &value) == 1;
	fclose(file);
	if (found)
		*bytes = value;
	return found;
}

/* What was resident came from memory, at least the first time; with more passes than one, later
 * ones from what the first has left there. */
static double by_residency(const struct sgs_cache_evidence *e)
{
	double first = (double)smaller(e->bytes, e->range);
	double more = (double)(e->bytes - smaller(e->bytes, e->range));

	return ((1 - e->before) * first + (1 - e->after) * more) / (double)e->bytes;
}

/* What the drive gave is the better evidence, beyond what read-ahead may have asked of it; but
 * some drivers do not count at all. */
double sgs_cache_drive_share(const struct sgs_cache_evidence *e)
{
	double share;

	if (!e->bytes)
		return -1;
	if (e->drive_known && (!e->resident_known || e->drive_read > e->slack)) {
		share = (double)e->drive_read / (double)e->bytes;
		return share < 1 ? share : 1;
	}
	return e->resident_known ? by_residency(e) : -1;
}

static enum sgs_cache_verdict cold_or(const struct sgs_cache_evidence *e)
{
	if (e->resident_known && e->before >= ALMOST_ALL)
		return SGS_CACHE_MIXED;
	if (e->drive_known && e->of_others && e->drive_read > e->bytes + e->slack)
		return SGS_CACHE_UNKNOWN;
	return SGS_CACHE_COLD;
}

enum sgs_cache_verdict sgs_cache_judge(const struct sgs_cache_evidence *e)
{
	double share = sgs_cache_drive_share(e);

	if (share < 0)
		return SGS_CACHE_UNKNOWN;
	if (share >= ALMOST_ALL)
		return cold_or(e);
	return share <= 1 - ALMOST_ALL ? SGS_CACHE_WARM : SGS_CACHE_MIXED;
}

enum sgs_cache_verdict sgs_cache_sum_up(enum sgs_cache_verdict a, enum sgs_cache_verdict b)
{
	if (a == SGS_CACHE_UNJUDGED || a == b)
		return b;
	if (b == SGS_CACHE_UNJUDGED)
		return a;
	if (a == SGS_CACHE_UNKNOWN || b == SGS_CACHE_UNKNOWN)
		return SGS_CACHE_UNKNOWN;
	return SGS_CACHE_MIXED;
}
