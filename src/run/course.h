/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A comparison under way, shared by the files that run it.
 */
#ifndef SGS_RUN_COURSE_H
#define SGS_RUN_COURSE_H

#include "run/compare.h"

struct sgs_course {
	const struct sgs_compare_job *job;
	const struct sgs_device *devices;
	size_t n_devices;
	const struct sgs_compare_observer *observer; /* may be NULL */
	struct sgs_comparison *out;
	struct sgs_compare_step step;
	uint64_t spent_ns, spent_bytes, spent_commands; /* of the runs that are done */
};

/* compare.c: what a contender does, and doing it under the observer's eyes. */
struct sgs_job sgs_course_job(
	const struct sgs_course *course, const struct sgs_contender *contender);
int sgs_course_run(
	struct sgs_course *course, const struct sgs_job *job, struct sgs_result *result);

/* A result whose clock never ran: the first time it means that the contender cannot run here,
 * later on that something has happened. Frees it. True: the others go on. */
bool sgs_course_not_started(
	struct sgs_course *course, struct sgs_contender *contender, struct sgs_result *result);

/* The errors of a result become those of the comparison. */
void sgs_course_failed(struct sgs_course *course, const struct sgs_result *result);

/* compare_digest.c: a pass in which every contender reads the same once, if the job asks for
 * it. A difference is an error. */
void sgs_course_digest(struct sgs_course *course);

#endif
