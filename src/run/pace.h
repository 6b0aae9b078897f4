/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading at a pace, as players do. Each stream is a reader of its own that reads a frame, of
 * one command or several in turn, every so often from a range of its own. All streams begin
 * together, and a frame is due on time whether or not those before it were late: so its time,
 * from due to read, has the wait for its turn in it.
 */
#ifndef SGS_RUN_PACE_H
#define SGS_RUN_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include <sgstream/job.h>

#include "run/plan.h"
#include "util/histogram.h"

struct sgs_run;
struct sgs_reader;

/* What a stream has beside its reader. */
struct sgs_pace_state {
	struct sgs_schedule schedule; /* its transfers are frames */
	uint32_t bs_blocks;	      /* of a command */
	uint64_t period_ns, deadline_ns;
	uint64_t begin_ns,
		end_ns; /* of sgs_now_ns(); end: UINT64_MAX when time does not end it */
	uint64_t frames, late, unread;
	struct sgs_histogram time; /* of frames, ns */
};

/* The options and how many streams each device has. err names the option at fault. */
int sgs_pace_plan(const struct sgs_job *job, const struct sgs_device *devices, size_t n,
	struct sgs_plan *plan, struct sgs_error *err);

/* Shares the range of a device out to its streams: blocks from first on, or so many of them in
 * all. frame_blocks of out is set. */
int sgs_pace_device(const struct sgs_job *job, const struct sgs_plan *plan,
	const struct sgs_device *device, uint64_t first, uint64_t blocks, uint64_t size,
	struct sgs_device_plan *out, struct sgs_error *err);

/* Streams of a device, the index-th of n. */
unsigned sgs_pace_streams(const struct sgs_plan *plan, size_t index, size_t n);

/* Makes a reader one stream, or one without work when there are fewer streams than readers. 0
 * or -ENOMEM. */
int sgs_pace_reader(const struct sgs_run *run, size_t index, struct sgs_reader *r);

/* Sets the moment when all streams begin. */
void sgs_pace_begin(const struct sgs_run *run);

/* Into result->run.playback. A frame that was late is an error when the job names a deadline.
 */
void sgs_pace_collect(const struct sgs_run *run, struct sgs_result *result);

/* stream_paced.c: the loop of a stream. */
void sgs_stream_paced(struct sgs_reader *r);

#endif
