/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A job made concrete: engine, readers and depth, and for each device its transfers. Nothing is
 * opened and nothing is read here.
 */
#ifndef SGS_RUN_PLAN_H
#define SGS_RUN_PLAN_H

#include <stddef.h>

#include <sgstream/job.h>

#include "engine/engine.h"
#include "run/schedule.h"

enum { SGS_MAX_DEPTH = SGS_MAX_SLOTS };

struct sgs_plan {
	const struct sgs_engine *engine;
	unsigned threads;     /* readers per device */
	unsigned queue_depth; /* commands in flight per device */
	unsigned slots;	      /* commands in flight per reader */
	uint64_t seed;	      /* of the random order, or 0 */
	unsigned streams;     /* over all devices; 0: no pace, and then no period */
	uint64_t period_ns, deadline_ns;
};

struct sgs_device_plan {
	uint32_t bs_bytes, bs_blocks;
	struct sgs_schedule
		*whose; /* of another path to its unit, which it takes from; or NULL */
	struct sgs_schedule schedule; /* segments are free()d by sgs_device_plan_free() */
	uint32_t frame_blocks;	      /* with a pace: */
	struct sgs_schedule stream; /* of the first stream; others begin its range further on */
};

/* Picks the engine and shares out the depth. err names the option at fault. */
int sgs_plan_engine(const struct sgs_job *job, const struct sgs_device *devices, size_t n,
	struct sgs_plan *plan, struct sgs_error *err);

/* Sizes, range, order and CDB of one device. out does not move any more. */
int sgs_plan_device(const struct sgs_job *job, const struct sgs_plan *plan,
	const struct sgs_device *device, struct sgs_device_plan *out, struct sgs_error *err);

void sgs_device_plan_free(struct sgs_device_plan *plan);

/* What reader i of the device takes from. */
struct sgs_schedule *sgs_device_plan_schedule(struct sgs_device_plan *plan, unsigned i);

#endif
