/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The search of search.h over devices: each alone, and all together when there are several. The
 * axes are those of a sweep. A step goes on where the one before has ended, so that no drive
 * reads again and again what its own cache holds.
 */
#ifndef SGS_TUNE_TUNE_H
#define SGS_TUNE_TUNE_H

#include "run/sweep.h"
#include "tune/search.h"

struct sgs_tune_target {
	size_t first, n; /* of the devices */
	struct sgs_tuned tuned;
	unsigned threads; /* per device, at what was found */
	bool done;
};

struct sgs_tune {
	struct sgs_sweep grid; /* the points, and what each step does; sum is the tune's */
	struct sgs_tune_target *targets;
	size_t n_targets;
	uint64_t elapsed_ns;
};

struct sgs_tune_observer {
	/* A step of a target begins: its number from 1, and the most that there can be. */
	void (*step)(const struct sgs_tune *tune, const struct sgs_tune_target *target,
		const struct sgs_cell *cell, size_t number, size_t most, void *arg);
	void *arg;
};

/* wish has lists for bs and qd only. sgs_tune_free() frees *tune also after a failure: 0 or a
 * status. devices stay the caller's. */
int sgs_tune_make(struct sgs_tune *tune, const struct sgs_job *job,
	const struct sgs_sweep_wish *wish, const struct sgs_axis axes[SGS_AXES],
	const struct sgs_device *devices, size_t n, struct sgs_error *err);

/* Returns grid.sum.exit_status. A device that fails ends it. */
int sgs_tune(struct sgs_tune *tune, const struct sgs_tune_observer *observer);

uint64_t sgs_tune_bs(const struct sgs_tune *tune, struct sgs_tune_point at);
unsigned sgs_tune_qd(const struct sgs_tune *tune, struct sgs_tune_point at);

void sgs_tune_free(struct sgs_tune *tune);

#endif
