/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same job through several engines, in rounds. In each round every contender runs once, and
 * who begins moves on by one, so that what changes over time meets them all alike. Contenders
 * that go through the page cache find it empty.
 */
#ifndef SGS_RUN_COMPARE_H
#define SGS_RUN_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include <sgstream/job.h>
#include <sgstream/result.h>

#include "engine/engine.h"

enum { SGS_COMPARE_MOST_ROUNDS = 1000, SGS_COMPARE_MOST_ENGINES = 32 };

struct sgs_compare_job {
	struct sgs_job job;  /* what all do; its engine and drop_caches are not looked at, and
				digest asks for a pass of its own */
	const char *engines; /* "direct,buffered"; NULL: sg-mmap, sg-dio where the driver does
				not copy, direct, buffered */
	uint64_t rounds;     /* 1 to SGS_COMPARE_MOST_ROUNDS */
	unsigned warmup;     /* rounds before them, which do not count */
};

struct sgs_contender {
	const struct sgs_engine *engine;
	bool named; /* the caller asked for it: that it cannot run is an error */
	bool out;   /* it takes no part */
	struct sgs_error why;
	bool started; /* a run of it has */
};

/* Of the pass that proves that all read the same. */
struct sgs_compare_digest {
	bool asked, done, equal;
	uint64_t bytes; /* that each contender read for it */
	struct sgs_digest total;
};

struct sgs_comparison {
	struct sgs_contender *contenders; /* in the order in which they were named */
	size_t n_contenders;
	unsigned rounds, warmup; /* asked for */
	unsigned whole;		 /* measured rounds that every contender ended well */
	struct sgs_result *runs; /* that started, in the order of time; run.round, run.warmup */
	size_t *contender_of;	 /* index, of each run */
	size_t n_runs;
	struct sgs_compare_digest digest;
	struct sgs_result sum; /* status, signal, clock, bytes and messages of the whole */
};

/* Where a comparison is. */
struct sgs_compare_step {
	const char *engine;
	unsigned round; /* from 1; 0: the digest pass */
	bool warmup;
};

struct sgs_compare_observer {
	/* now is about the whole comparison, but for the digest pass. */
	void (*progress)(
		const struct sgs_compare_step *step, const struct sgs_progress *now, void *arg);
	void *arg;
};

/* Checks the list of engines and the numbers without looking at devices. 0 or a status. */
int sgs_compare_check(const struct sgs_compare_job *job, struct sgs_error *err);

/* Returns the exit status, sum.exit_status. What was finished before a failure, or a signal, is
 * in out, which the caller frees in any case. */
int sgs_compare(const struct sgs_compare_job *job, const struct sgs_device *devices, size_t n,
	const struct sgs_compare_observer *observer, struct sgs_comparison *out);

/* The run of a contender (its index) in a measured round from 1; NULL when there is none. */
const struct sgs_result *sgs_comparison_run(
	const struct sgs_comparison *comparison, size_t contender, unsigned round);

void sgs_comparison_free(struct sgs_comparison *comparison);

/* compare_messages.c: puts the messages of all runs into the sum, each once, with how often it
 * came. */
void sgs_comparison_gather(struct sgs_comparison *comparison);

/* contenders.c: fills contenders, which sgs_comparison_free() frees, from the list, or the
 * defaults. 0 or a status. */
int sgs_contenders_name(const char *list, struct sgs_comparison *out, struct sgs_error *err);

/* Marks those that cannot do the job on the devices, without reading. */
void sgs_contenders_try(const struct sgs_job *job, const struct sgs_device *devices, size_t n,
	struct sgs_comparison *out);

/* A contender takes no part, because of the first error of a result that is not its run. */
void sgs_contender_leaves(struct sgs_contender *contender, const struct sgs_result *because);

#endif
