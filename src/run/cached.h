/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page cache around a run: emptied before it when the job asks for that, and looked at
 * before and after when the data comes through it, or may do so unseen (O_DIRECT on a file).
 *
 * The kernel drops the pages of a block node at its last close, so the nodes are held open from
 * the first look to the last.
 */
#ifndef SGS_RUN_CACHED_H
#define SGS_RUN_CACHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <sgstream/job.h>
#include <sgstream/result.h>

#include "measure/cache.h"
#include "run/plan.h"

struct sgs_cache_watch {
	int fd;	      /* -1 when there is nothing to watch */
	bool judged;  /* the data comes through the page cache */
	bool doubted; /* it should not, and may */
	dev_t rdev;   /* of a block node; 0 of a file */
	uint64_t range_bytes;
	struct sgs_cache_sample sample;
	bool counted; /* device_read is known */
	uint64_t device_read;
};

struct sgs_cached {
	struct sgs_cache_watch *watches; /* one a device; NULL: nothing is watched */
	size_t n;
	bool looking; /* there is something to judge */
	bool counted; /* process_read is known */
	uint64_t process_read;
};

/* Before any lane is opened: holds the nodes, empties, looks. */
void sgs_cached_open(struct sgs_cached *cached, const struct sgs_job *job,
	const struct sgs_plan *plan, const struct sgs_device_plan *device_plans,
	struct sgs_result *result);

/* Right before the clock runs, and right after. */
void sgs_cached_begin(struct sgs_cached *cached);
void sgs_cached_end(struct sgs_cached *cached);

/* With the figures: verdicts, and warnings about them. Commands that should have been direct
 * and were not are counted as cached. */
void sgs_cached_judge(
	struct sgs_cached *cached, const struct sgs_plan *plan, struct sgs_result *result);

void sgs_cached_close(struct sgs_cached *cached);

#endif
