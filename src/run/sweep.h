/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One job at every point of a matrix. The axes make the cells, in one order that never changes
 * (the last axis runs fastest); they are measured in a random order, so that what changes over
 * time does not look like a slope. A cell that cannot run is a cell with its reason. Cells that
 * go through the page cache find it empty.
 *
 * axes.c reads the axes, sweep.c makes the cells and runs them, sweep_messages.c says what they
 * had to say.
 */
#ifndef SGS_RUN_SWEEP_H
#define SGS_RUN_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sgstream/job.h>
#include <sgstream/result.h>

#include "util/range.h"

enum { SGS_SWEEP_MOST_CELLS = 4096 };

/* In the order in which cells are numbered. */
enum sgs_axis_kind {
	SGS_AXIS_ENGINE,
	SGS_AXIS_SCHEDULER,
	SGS_AXIS_READ_AHEAD, /* KiB */
	SGS_AXIS_OFFSET,     /* per cent of the capacity */
	SGS_AXIS_DEVICES,    /* the first so many */
	SGS_AXIS_THREADS,
	SGS_AXIS_BS, /* bytes */
	SGS_AXIS_QD,
	SGS_AXES,
};

/* An axis that was not given has one value: the engine and the number of devices that result,
 * else 0 or "", as in struct sgs_job. */
struct sgs_axis {
	bool given;
	size_t n;
	uint64_t numbers[SGS_RANGE_MOST];
	char words[SGS_RANGE_MOST][SGS_RANGE_WORD]; /* of the engine and the scheduler */
};

/* Axes as a user writes them (util/range.h), by kind; NULL: not given. */
struct sgs_sweep_wish {
	const char *axes[SGS_AXES];
	bool bs_in_blocks; /* set by sgs_axes_parse(): the numbers of bs are blocks */
};

/* How the option of an axis is called: "bs". */
const char *sgs_axis_option(enum sgs_axis_kind kind);

enum sgs_cell_state {
	SGS_CELL_OPEN,	   /* not measured yet */
	SGS_CELL_MEASURED, /* its run ended well, now or in the sweep that is resumed */
	SGS_CELL_FAILED,   /* its run ended early; why says what for */
	SGS_CELL_REFUSED,  /* it did not start; why says what for */
};

struct sgs_cell {
	unsigned at[SGS_AXES]; /* index on each axis */
	enum sgs_cell_state state;
	bool kept;		       /* not measured now, but taken over */
	unsigned threads, queue_depth; /* as planned; 0: not known */
	struct sgs_error *why;	       /* NULL: it ended well, or is open */
	uint64_t bytes, elapsed_ns;
	double bytes_per_second, cpu_seconds_per_gib; /* -1: not known */
	uint64_t p99_ns;
	struct sgs_message *messages; /* of its run */
	size_t n_messages;
};

struct sgs_sweep {
	struct sgs_job job; /* what all cells do; an axis takes the place of its field */
	const struct sgs_device *devices;
	size_t n_devices;
	struct sgs_axis axes[SGS_AXES];
	uint64_t seed;	       /* of the order */
	uint64_t memory_bytes; /* of the host, a quarter of which a cell may use; 0: look */
	struct sgs_cell *cells;
	size_t n_cells;
	size_t *order;	       /* indices of the cells, as they are measured */
	size_t done, kept;     /* cells that are not open; of these, taken over */
	uint64_t elapsed_ns;   /* of sgs_sweep(), with what lies between the cells */
	struct sgs_result sum; /* status, signal, clock, bytes and messages of the whole */
};

/* Where a sweep is. */
struct sgs_sweep_step {
	const struct sgs_sweep *sweep;
	const struct sgs_cell *cell;
	size_t number, of; /* this cell among all, from 1 */
	uint64_t left_ns;  /* by the cells so far; UINT64_MAX: not known */
};

struct sgs_sweep_observer {
	/* now is about the cell; NULL: it begins. */
	void (*progress)(
		const struct sgs_sweep_step *step, const struct sgs_progress *now, void *arg);
	/* A cell is no longer open. result is its run, when that started. Not 0 ends the
	 * sweep with that status and err. */
	int (*done)(const struct sgs_sweep *sweep, size_t cell, const struct sgs_result *result,
		void *arg, struct sgs_error *err);
	void *arg;
};

/* Reads the axes without looking at devices. 0 or a status; err names the option. */
int sgs_axes_parse(
	struct sgs_sweep_wish *wish, struct sgs_axis axes[SGS_AXES], struct sgs_error *err);

/* Makes the cells of axes, all open, and their order. sgs_sweep_free() frees them, also after
 * a failure: 0 or a status. devices stay the caller's. */
int sgs_sweep_make(struct sgs_sweep *sweep, const struct sgs_job *job,
	const struct sgs_sweep_wish *wish, const struct sgs_axis axes[SGS_AXES],
	const struct sgs_device *devices, size_t n, uint64_t seed, struct sgs_error *err);

/* Orders the cells by another seed: only before any is measured. */
void sgs_sweep_shuffle(struct sgs_sweep *sweep, uint64_t seed);

/* What a cell does. */
struct sgs_job sgs_sweep_job(const struct sgs_sweep *sweep, const struct sgs_cell *cell);
size_t sgs_sweep_devices(const struct sgs_sweep *sweep, const struct sgs_cell *cell);

/* Measures all cells that are open. A signal leaves them open, also the one under way; so does
 * a device that is gone or hangs. Returns the exit status, sum.exit_status: 0 also when some
 * cells have a reason instead of a run, unless all have. */
int sgs_sweep(struct sgs_sweep *sweep, const struct sgs_sweep_observer *observer);

/* The cell with the highest rate, or NULL. */
const struct sgs_cell *sgs_sweep_best(const struct sgs_sweep *sweep);

void sgs_sweep_free(struct sgs_sweep *sweep);

/* "sg-mmap, 64 KiB per command, depth 4": what a cell is on the axes that were given. */
enum { SGS_CELL_NAME = 160 };
char *sgs_cell_name(
	const struct sgs_sweep *sweep, const struct sgs_cell *cell, char buf[SGS_CELL_NAME]);

/* sweep_messages.c: what the cells had to say, into the sum: each once, with how many said it.
 */
void sgs_sweep_gather(struct sgs_sweep *sweep);

#endif
