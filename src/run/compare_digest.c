/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * That all contenders read the same data, before any of them is measured.
 */
#include <inttypes.h>

#include "run/course.h"
#include "run/run.h"

static bool moves_data(const struct sgs_contender *c)
{
	return !c->out && c->engine->transfer != SGS_NO_TRANSFER;
}

static bool is_over(const struct sgs_course *course)
{
	return course->out->sum.exit_status || sgs_run_stopped();
}

/* With --loop, --size and --count may ask for more than there is. */
static void end_at_the_end(const struct sgs_course *course, struct sgs_job *job)
{
	struct sgs_result planned = { 0 };

	job->loop = false;
	if (sgs_plan(job, course->devices, course->n_devices, &planned)) {
		job->size.value = 0;
		job->count = 0;
	}
	sgs_result_free(&planned);
}

/* Once over the range; of that no more than commands, when they are not 0. */
static struct sgs_job once(
	const struct sgs_course *course, const struct sgs_contender *c, uint64_t commands)
{
	struct sgs_job job = sgs_course_job(course, c);

	if (job.loop)
		end_at_the_end(course, &job);
	if (commands) {
		job.runtime_ns = 0;
		job.size.value = 0;
		job.count = commands;
	}
	return job;
}

/* True: the result is good. */
static bool read_once(struct sgs_course *course, struct sgs_contender *c,
	const struct sgs_job *job, struct sgs_result *result)
{
	int status;

	course->step = (struct sgs_compare_step){ .engine = c->engine->name };
	status = sgs_course_run(course, job, result);
	if (status && !result->run.started)
		sgs_course_not_started(course, c, result);
	else if (status)
		sgs_course_failed(course, result);
	return !status;
}

static uint64_t fewest_commands(const struct sgs_result *result)
{
	uint64_t fewest = UINT64_MAX;

	for (size_t i = 0; i < result->run.n_devices; i++)
		if (result->run.devices[i].figures.commands < fewest)
			fewest = result->run.devices[i].figures.commands;
	return fewest ? fewest : 1;
}

/* By time, contenders come differently far. All shall read what the first one can in the time.
 */
static uint64_t commands_in_time(struct sgs_course *course)
{
	struct sgs_comparison *out = course->out;
	uint64_t commands = 0;

	for (size_t i = 0; i < out->n_contenders && !commands && !is_over(course); i++) {
		struct sgs_contender *c = &out->contenders[i];
		struct sgs_result result = { 0 };
		struct sgs_job job;

		if (!moves_data(c))
			continue;
		job = once(course, c, 0);
		if (read_once(course, c, &job, &result))
			commands = fewest_commands(&result);
		sgs_result_free(&result);
	}
	return commands;
}

static bool differ(const struct sgs_result *a, const struct sgs_result *b,
	struct sgs_device_result **where, struct sgs_error *err)
{
	for (size_t i = 0; i < a->run.n_devices; i++) {
		const struct sgs_digest *x = &a->run.devices[i].figures.digest;
		const struct sgs_digest *y = &b->run.devices[i].figures.digest;

		if (x->high == y->high && x->low == y->low)
			continue;
		*where = &a->run.devices[i];
		sgs_fail(err, SGS_MALFORMED, "digests_differ",
			"%s: %s and %s read different data (digests %016" PRIx64 "%016" PRIx64
			" and %016" PRIx64 "%016" PRIx64 " of %" PRIu64
			" bytes), so nothing is measured; is somebody writing to it?",
			(*where)->device.path, a->run.engine, b->run.engine, x->high, x->low,
			y->high, y->low, (*where)->figures.bytes);
		return true;
	}
	return false;
}

/* One more contender, held against the first one that read. */
static void prove(struct sgs_course *course, struct sgs_contender *c, uint64_t commands,
	struct sgs_result *first)
{
	struct sgs_job job = once(course, c, commands);
	struct sgs_result own = { 0 };
	struct sgs_device_result *where;
	struct sgs_error err;

	job.digest = true;
	if (read_once(course, c, &job, &own)) {
		if (!first->run.started) {
			*first = own;
			return;
		}
		if (differ(first, &own, &where, &err))
			sgs_result_error(&course->out->sum, where->device.path, &err);
	}
	sgs_result_free(&own);
}

void sgs_course_digest(struct sgs_course *course)
{
	struct sgs_comparison *out = course->out;
	struct sgs_result first = { 0 };
	uint64_t commands = 0;

	out->digest.asked = course->job->job.digest;
	if (!out->digest.asked)
		return;
	if (course->job->job.runtime_ns)
		commands = commands_in_time(course);
	for (size_t i = 0; i < out->n_contenders && !is_over(course); i++)
		if (moves_data(&out->contenders[i]))
			prove(course, &out->contenders[i], commands, &first);
	out->digest.done = first.run.started && !sgs_run_stopped();
	out->digest.equal = out->digest.done && !out->sum.exit_status;
	out->digest.bytes = first.run.total.bytes;
	out->digest.total = first.run.total.digest;
	sgs_result_free(&first);
}
