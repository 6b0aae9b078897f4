/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "run/course.h"
#include "run/run.h"

/* ---- watching ---- */

static size_t active(const struct sgs_comparison *out)
{
	size_t n = 0;

	for (size_t i = 0; i < out->n_contenders; i++)
		n += !out->contenders[i].out;
	return n;
}

/* The progress of a run becomes that of the whole. */
static void pass_on(const struct sgs_progress *now, void *arg)
{
	const struct sgs_course *course = arg;
	struct sgs_progress whole = *now;
	uint64_t rounds = course->job->rounds + course->job->warmup;
	uint64_t runs = active(course->out) * rounds;

	if (course->step.round) {
		whole.at_ns += course->spent_ns;
		whole.bytes += course->spent_bytes;
		whole.commands += course->spent_commands;
		whole.goal_bytes *= runs;
		whole.runtime_ns *= runs;
	}
	course->observer->progress(&course->step, &whole, course->observer->arg);
}

static uint64_t goal_of(const struct sgs_run_result *run)
{
	uint64_t goal = 0;

	for (size_t i = 0; i < run->n_devices; i++) {
		if (run->devices[i].goal_bytes == UINT64_MAX)
			return 0;
		goal += run->devices[i].goal_bytes;
	}
	return goal;
}

/* A run may have been too short for any progress of its own. */
static void show_end(struct sgs_course *course, const struct sgs_run_result *run)
{
	const struct sgs_progress end = {
		.at_ns = run->total.elapsed_ns,
		.span_ns = run->total.elapsed_ns,
		.bytes = run->total.bytes,
		.span_bytes = run->total.bytes,
		.commands = run->total.commands,
		.goal_bytes = goal_of(run),
		.runtime_ns = course->job->job.runtime_ns,
	};

	if (course->observer && course->job->job.interval_ns)
		pass_on(&end, course);
}

int sgs_course_run(
	struct sgs_course *course, const struct sgs_job *job, struct sgs_result *result)
{
	const struct sgs_observer observer = { .progress = pass_on, .arg = course };

	return sgs_run(job, course->devices, course->n_devices,
		course->observer ? &observer : NULL, result);
}

struct sgs_job sgs_course_job(
	const struct sgs_course *course, const struct sgs_contender *contender)
{
	struct sgs_job job = course->job->job;

	job.engine = contender->engine->name;
	job.drop_caches = contender->engine->transfer == SGS_CACHED;
	job.digest = false;
	return job;
}

/* ---- what ends a comparison early ---- */

void sgs_course_failed(struct sgs_course *course, const struct sgs_result *result)
{
	struct sgs_contender because = { 0 };

	sgs_contender_leaves(&because, result);
	if (!result->signal)
		sgs_result_error(&course->out->sum, NULL, &because.why);
}

bool sgs_course_not_started(
	struct sgs_course *course, struct sgs_contender *contender, struct sgs_result *result)
{
	bool goes_on = !contender->started && !result->signal;

	if (goes_on)
		sgs_contender_leaves(contender, result);
	else
		sgs_course_failed(course, result);
	sgs_result_free(result);
	return goes_on;
}

/* ---- rounds ---- */

/* True: the round goes on. */
static bool run_contender(struct sgs_course *course, size_t index)
{
	struct sgs_comparison *out = course->out;
	struct sgs_contender *c = &out->contenders[index];
	struct sgs_result *result = &out->runs[out->n_runs];
	struct sgs_job job = sgs_course_job(course, c);
	int status;

	course->step.engine = c->engine->name;
	status = sgs_course_run(course, &job, result);
	if (!result->run.started)
		return sgs_course_not_started(course, c, result);
	c->started = true;
	result->run.round = course->step.round;
	result->run.warmup = course->step.warmup;
	out->contender_of[out->n_runs++] = index;
	out->sum.run.total.bytes += result->run.total.bytes;
	show_end(course, &result->run);
	course->spent_ns += result->run.total.elapsed_ns;
	course->spent_bytes += result->run.total.bytes;
	course->spent_commands += result->run.total.commands;
	if (status && !out->sum.exit_status)
		out->sum.exit_status = status;
	return !status;
}

/* Who begins moves on by one in each round. */
static bool run_round(struct sgs_course *course, unsigned number)
{
	size_t taking_part[SGS_COMPARE_MOST_ENGINES], n = 0;
	struct sgs_comparison *out = course->out;

	for (size_t i = 0; i < out->n_contenders; i++)
		if (!out->contenders[i].out)
			taking_part[n++] = i;
	for (size_t i = 0; i < n; i++)
		if (!run_contender(course, taking_part[(number + i) % n]))
			return false;
	return active(out) > 0;
}

static void run_rounds(struct sgs_course *course)
{
	unsigned warmup = course->job->warmup;

	for (unsigned i = 0; i < warmup + course->job->rounds; i++) {
		course->step.warmup = i < warmup;
		course->step.round = i < warmup ? i + 1 : i - warmup + 1;
		if (!run_round(course, i))
			return;
		course->out->whole += !course->step.warmup;
	}
}

/* ---- the whole ---- */

static int no_memory(struct sgs_comparison *out)
{
	struct sgs_error err;

	sgs_fail(&err, SGS_INTERNAL, "no_memory", "no memory for the runs; use fewer --rounds");
	sgs_result_error(&out->sum, NULL, &err);
	return err.status;
}

static int make_room(const struct sgs_compare_job *job, struct sgs_comparison *out)
{
	size_t most = (size_t)(job->rounds + job->warmup) * out->n_contenders;

	out->runs = calloc(most, sizeof *out->runs);
	out->contender_of = calloc(most, sizeof *out->contender_of);
	return out->runs && out->contender_of ? 0 : no_memory(out);
}

static bool is_usage(const struct sgs_contender *c)
{
	return c->why.status == SGS_USAGE || c->why.status == SGS_CONTRADICT;
}

static bool any_usage(const struct sgs_comparison *out)
{
	for (size_t i = 0; i < out->n_contenders; i++)
		if (is_usage(&out->contenders[i]))
			return true;
	return false;
}

/* One that was asked for by name and cannot run is an error. So is that none of the others can:
 * what is wrong with the options is then what counts. */
static void report_absent(struct sgs_comparison *out)
{
	bool nobody = !active(out), usage = any_usage(out);

	for (size_t i = 0; i < out->n_contenders; i++) {
		const struct sgs_contender *c = &out->contenders[i];
		bool told = i > 0 && !strcmp(c->why.text, out->contenders[i - 1].why.text);

		if (!c->out || !c->why.status || told)
			continue;
		if (c->named || (nobody && (!usage || is_usage(c))))
			sgs_result_error(&out->sum, NULL, &c->why);
	}
}

static void finish(struct sgs_comparison *out)
{
	out->sum.clock = out->n_runs ? out->runs[0].clock : NULL;
	sgs_comparison_gather(out);
	report_absent(out);
	out->sum.signal = sgs_run_stopped();
	if (out->sum.signal)
		out->sum.exit_status = SGS_SIGNAL_BASE + out->sum.signal;
}

int sgs_compare(const struct sgs_compare_job *job, const struct sgs_device *devices, size_t n,
	const struct sgs_compare_observer *observer, struct sgs_comparison *out)
{
	struct sgs_course course = {
		.job = job,
		.devices = devices,
		.n_devices = n,
		.observer = observer,
		.out = out,
	};
	struct sgs_error err;

	*out = (struct sgs_comparison){
		.rounds = (unsigned)job->rounds,
		.warmup = job->warmup,
	};
	if (sgs_compare_check(job, &err) || sgs_contenders_name(job->engines, out, &err)) {
		sgs_result_error(&out->sum, NULL, &err);
		return err.status;
	}
	if (make_room(job, out))
		return out->sum.exit_status;
	sgs_contenders_try(&job->job, devices, n, out);
	sgs_course_digest(&course);
	if (!out->sum.exit_status && !sgs_run_stopped() && active(out))
		run_rounds(&course);
	finish(out);
	return out->sum.exit_status;
}

int sgs_compare_check(const struct sgs_compare_job *job, struct sgs_error *err)
{
	struct sgs_comparison named = { 0 };
	int status;

	if (job->rounds < 1 || job->rounds > SGS_COMPARE_MOST_ROUNDS)
		return sgs_fail(err, SGS_USAGE, "bad_value",
			"--rounds is %" PRIu64 "; give 1 to %d", job->rounds,
			SGS_COMPARE_MOST_ROUNDS);
	if (job->warmup > SGS_COMPARE_MOST_ROUNDS)
		return sgs_fail(err, SGS_USAGE, "bad_value", "--warmup is %u; give 0 to %d",
			job->warmup, SGS_COMPARE_MOST_ROUNDS);
	status = sgs_contenders_name(job->engines, &named, err);
	free(named.contenders);
	return status;
}

const struct sgs_result *sgs_comparison_run(
	const struct sgs_comparison *comparison, size_t contender, unsigned round)
{
	for (size_t i = 0; i < comparison->n_runs; i++) {
		const struct sgs_run_result *run = &comparison->runs[i].run;

		if (comparison->contender_of[i] == contender && run->round == round &&
			!run->warmup)
			return &comparison->runs[i];
	}
	return NULL;
}

void sgs_comparison_free(struct sgs_comparison *comparison)
{
	for (size_t i = 0; i < comparison->n_runs; i++)
		sgs_result_free(&comparison->runs[i]);
	free(comparison->runs);
	free(comparison->contender_of);
	free(comparison->contenders);
	sgs_result_free(&comparison->sum);
	memset(comparison, 0, sizeof *comparison);
}
