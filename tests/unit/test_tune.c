/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The search for the smallest block size and depth, over drives that are a formula: by Little's
 * law a drive of latency L and Q commands at a time gives min(qd, Q) * bs / (L + bs / link),
 * and never more than its link. What it has to find can be computed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_sg.h"
#include "report/tune.h"
#include "tune/search.h"
#include "tune/tune.h"
#include "util/random.h"

enum { SIZES = 9, DEPTHS = 7 }; /* 4 KiB to 1 MiB, 1 to 64 */

struct drive {
	double latency_us, queue, link; /* link in bytes per us, that is MB/s */
	double too_deep;		/* a depth from which on it gives 2 % less each */
	size_t largest;			/* index of the largest size that runs */
	/* What disturbs: */
	double noise;	 /* of each value, up to */
	bool phases;	 /* the whole machine is slow now and then */
	uint64_t random; /* state */
	double phase;
	size_t measured, end_at;
};

static double bytes_of(size_t bs)
{
	return (double)(4096u << bs);
}

static double law(const struct drive *d, size_t bs, size_t qd)
{
	double depth = (double)(1u << qd), bytes = bytes_of(bs);
	double rate = fmin(depth, d->queue) * bytes / (d->latency_us + bytes / d->link);

	if (bs > d->largest)
		return 0;
	if (d->too_deep > 0 && depth > d->too_deep)
		rate *= 1 - 0.02 * log2(depth / d->too_deep);
	return fmin(rate, d->link);
}

static double chance(struct drive *d)
{
	return (double)(sgs_random_next(&d->random) >> 11) / 9007199254740992.0;
}

static double measure(void *arg, struct sgs_tune_point at)
{
	struct drive *d = arg;

	if (d->end_at && d->measured + 1 == d->end_at)
		return -1;
	d->measured++;
	if (d->phases && d->measured % 7 == 0)
		d->phase = 0.6 + 0.4 * chance(d);
	return law(d, at.bs, at.qd) * (1 - d->noise * chance(d)) * (d->phases ? d->phase : 1);
}

static struct sgs_tuned tune(struct drive *d)
{
	const struct sgs_tune_probe probe = { measure, d };
	struct sgs_tuned tuned;

	d->phase = 1;
	assert_int_equal(sgs_tune_search(SIZES, DEPTHS, &probe, &tuned), 0);
	assert_int_equal(tuned.n_steps, d->measured);
	assert_true(tuned.n_steps <= sgs_tune_most_steps(SIZES, DEPTHS));
	return tuned;
}

static double best_of(const struct drive *d)
{
	double best = 0;

	for (size_t bs = 0; bs < SIZES; bs++)
		for (size_t qd = 0; qd < DEPTHS; qd++)
			best = fmax(best, law(d, bs, qd));
	return best;
}

/* The smallest size that reaches a share at any depth, and the smallest depth for it. */
static struct sgs_tune_point knee(const struct drive *d, double share)
{
	double enough = share * best_of(d) * (1 - 1e-9);

	for (size_t bs = 0; bs < SIZES; bs++)
		for (size_t qd = 0; qd < DEPTHS; qd++)
			if (law(d, bs, qd) >= enough)
				return (struct sgs_tune_point){ bs, qd };
	fail_msg("no point reaches the best");
	return (struct sgs_tune_point){ 0, 0 };
}

/* ---- the search ---- */

/* 250 us, 32 commands, 1,200 MB/s: 8 KiB at 32 is 1,018 MB/s by latency, 16 KiB at 32 is at the
 * link and at 16 it is 994. */
static void a_drive_by_hand(void **state)
{
	struct drive d = { .latency_us = 250, .queue = 32, .link = 1200, .largest = 8 };
	struct sgs_tuned tuned = tune(&d);
	(void)state;

	assert_true(tuned.found);
	assert_int_equal(tuned.at.bs, 2);
	assert_int_equal(tuned.at.qd, 5);
	assert_true(fabs(tuned.rate - 1200) < 1e-6);
	assert_true(tuned.share.n == 0 || fabs(tuned.share.median - 1) < 1e-6);
	sgs_tuned_free(&tuned);
}

static void assert_at_the_knee(const struct drive *model)
{
	struct drive d = *model;
	struct sgs_tune_point right = knee(&d, SGS_TUNE_SHARE);
	struct sgs_tuned tuned = tune(&d);

	if (tuned.at.bs != right.bs || tuned.at.qd != right.qd)
		fail_msg("%.0f us, queue %.0f, %.0f MB/s: found %zu, %zu and not %zu, %zu",
			d.latency_us, d.queue, d.link, tuned.at.bs, tuned.at.qd, right.bs,
			right.qd);
	sgs_tuned_free(&tuned);
}

static void every_knee_is_found_without_noise(void **state)
{
	(void)state;

	for (double latency = 20; latency < 20000; latency *= 1.7)
		for (double queue = 1; queue <= 64; queue *= 2)
			for (double link = 100; link < 20000; link *= 2.3)
				assert_at_the_knee(&(struct drive){ .latency_us = latency,
					.queue = queue,
					.link = link,
					.largest = 8 });
}

/* What is found may be what a little more or less than the share would make it. */
static void noise_and_slow_phases_move_it_little(void **state)
{
	(void)state;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct drive d = { .latency_us = 50 + 40 * (double)(seed % 60),
			.queue = (double)(1u << seed % 7),
			.link = 300 + 60 * (double)(seed % 60),
			.largest = 8,
			.noise = 0.03,
			.phases = true,
			.random = seed };
		struct sgs_tune_point low = knee(&d, SGS_TUNE_SHARE - 0.04);
		struct sgs_tune_point high = knee(&d, 1);
		struct sgs_tuned tuned = tune(&d);

		if (tuned.at.bs < low.bs || tuned.at.bs > high.bs)
			fail_msg("seed %llu: size %zu, not %zu to %zu",
				(unsigned long long)seed, tuned.at.bs, low.bs, high.bs);
		if (law(&d, tuned.at.bs, tuned.at.qd) < (SGS_TUNE_SHARE - 0.04) * best_of(&d))
			fail_msg("seed %llu: %zu, %zu gives only %.3f of the best",
				(unsigned long long)seed, tuned.at.bs, tuned.at.qd,
				law(&d, tuned.at.bs, tuned.at.qd) / best_of(&d));
		sgs_tuned_free(&tuned);
	}
}

static void depth_that_hurts_is_not_taken(void **state)
{
	struct drive d = {
		.latency_us = 100, .queue = 64, .link = 500, .largest = 8, .too_deep = 8
	};
	struct sgs_tuned tuned = tune(&d);
	(void)state;

	assert_true((1u << tuned.at.qd) <= 16);
	assert_true(law(&d, tuned.at.bs, tuned.at.qd) >= SGS_TUNE_SHARE * best_of(&d));
	sgs_tuned_free(&tuned);
}

static void sizes_that_cannot_run_are_left_out(void **state)
{
	struct drive d = { .latency_us = 5000, .queue = 64, .link = 20000, .largest = 4 };
	struct sgs_tuned tuned = tune(&d);
	(void)state;

	assert_true(tuned.found);
	assert_int_equal(tuned.at.bs, 4);
	assert_int_equal(tuned.at.qd, 6);
	sgs_tuned_free(&tuned);
}

static double nothing(void *arg, struct sgs_tune_point at)
{
	(void)arg;
	(void)at;
	return 0;
}

static void where_nothing_runs_nothing_is_found(void **state)
{
	const struct sgs_tune_probe probe = { nothing, NULL };
	struct sgs_tuned tuned;
	(void)state;

	assert_int_equal(sgs_tune_search(SIZES, DEPTHS, &probe, &tuned), 0);
	assert_false(tuned.found);
	sgs_tuned_free(&tuned);
}

static void one_point_is_its_own_best(void **state)
{
	struct drive d = { .latency_us = 100, .queue = 4, .link = 500, .largest = 8 };
	const struct sgs_tune_probe probe = { measure, &d };
	struct sgs_tuned tuned;
	(void)state;

	assert_int_equal(sgs_tune_search(1, 1, &probe, &tuned), 0);
	assert_true(tuned.found);
	assert_int_equal(tuned.n_steps, 1);
	assert_int_equal(tuned.share.n, 0);
	sgs_tuned_free(&tuned);
}

/* Whenever it is ended, nothing more is measured. */
static void an_end_is_obeyed_at_once(void **state)
{
	(void)state;

	for (size_t end = 1; end < 60; end++) {
		struct drive d = { .latency_us = 250,
			.queue = 32,
			.link = 1200,
			.largest = 8,
			.end_at = end };
		const struct sgs_tune_probe probe = { measure, &d };
		struct sgs_tuned tuned;

		assert_int_equal(sgs_tune_search(SIZES, DEPTHS, &probe, &tuned), -EINTR);
		assert_int_equal(d.measured, end - 1);
		sgs_tuned_free(&tuned);
	}
}

/* ---- over devices ---- */

static struct sgs_device devices[3];
static struct sgs_tune tuning;
static struct sgs_sweep_wish wish;
static struct sgs_axis axes[SGS_AXES];

static void make(const char *bs, const char *qd, bool qd_given, size_t n, uint64_t blocks)
{
	struct sgs_error err = { 0 };
	struct sgs_job job;

	sgs_job_init(&job);
	job.runtime_ns = 2000000;
	memset(devices, 0, sizeof(devices));
	for (size_t i = 0; i < n; i++) {
		snprintf(devices[i].path, sizeof(devices[i].path), "null %zu", i);
		devices[i].block_bytes = 512;
		devices[i].blocks = blocks;
	}
	memset(&wish, 0, sizeof(wish));
	wish.axes[SGS_AXIS_BS] = bs;
	wish.axes[SGS_AXIS_QD] = qd;
	if (sgs_axes_parse(&wish, axes, &err))
		fail_msg("%s", err.text);
	axes[SGS_AXIS_QD].given = qd_given;
	axes[SGS_AXIS_ENGINE].given = true;
	strcpy(axes[SGS_AXIS_ENGINE].words[0], "null");
	sgs_tune_free(&tuning);
	if (sgs_tune_make(&tuning, &job, &wish, axes, devices, n, &err))
		fail_msg("%s", err.text);
}

static int tear_down(void **state)
{
	sgs_tune_free(&tuning);
	return fake_reset(state);
}

static void each_device_and_all_together_are_searched(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	(void)state;

	make("64k,4k", "2,1", true, 2, 1 << 20);
	assert_int_equal(tuning.n_targets, 3);
	assert_int_equal(sgs_tune_bs(&tuning, (struct sgs_tune_point){ 0, 0 }), 4096);
	assert_int_equal(sgs_tune_qd(&tuning, (struct sgs_tune_point){ 0, 1 }), 2);
	assert_int_equal(sgs_tune(&tuning, NULL), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_true(tuning.targets[i].done);
		assert_true(tuning.targets[i].threads >= 1);
	}
	sgs_report_tune_text(out, &tuning, 1);
	fclose(out);
	assert_non_null(strstr(text, "all 2 together"));
	assert_non_null(strstr(text, "  sgstream --bs "));
	assert_non_null(strstr(text, " -e null 'null 0' 'null 1'\n"));
	assert_non_null(strstr(text, "null 1  4 KiB, depth 2: "));
	free(text);
}

static void depths_above_every_queue_are_left_out(void **state)
{
	(void)state;

	make("64k", "1..64", false, 1, 1000);
	assert_int_equal(tuning.grid.axes[SGS_AXIS_QD].n, 7); /* not known */
	devices[0].limits.queue_depth = 10;
	sgs_tune_free(&tuning);
	{
		struct sgs_error err;
		struct sgs_job job;

		sgs_job_init(&job);
		assert_int_equal(
			sgs_tune_make(&tuning, &job, &wish, axes, devices, 1, &err), 0);
		assert_int_equal(tuning.grid.axes[SGS_AXIS_QD].n, 5); /* 1 to 16 */
		sgs_tune_free(&tuning);
		axes[SGS_AXIS_QD].given = true;
		assert_int_equal(
			sgs_tune_make(&tuning, &job, &wish, axes, devices, 1, &err), 0);
		assert_int_equal(tuning.grid.axes[SGS_AXIS_QD].n, 7);
	}
}

/* A device of one MiB: steps go round, and none reads beyond its end. */
static void steps_stay_on_a_small_device(void **state)
{
	(void)state;

	make("4k..1M", "1,2", true, 1, 2048);
	assert_int_equal(sgs_tune(&tuning, NULL), 0);
	assert_true(tuning.targets[0].done);
	assert_int_equal(tuning.grid.sum.n_messages, 0);
}

static void what_no_point_can_do_is_an_error(void **state)
{
	(void)state;

	make("64k", "1", true, 1, 1000);
	tuning.grid.job.cdb = SGS_CDB_AUTO;
	strcpy(tuning.grid.axes[SGS_AXIS_ENGINE].words[0], "sg-mmap");
	assert_int_equal(sgs_tune(&tuning, NULL), SGS_FILE);
	assert_false(tuning.targets[0].done);
	assert_int_equal(tuning.grid.sum.n_messages, 1);
	assert_string_equal(tuning.grid.sum.messages[0].code, "not_scsi");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_drive_by_hand),
		cmocka_unit_test(every_knee_is_found_without_noise),
		cmocka_unit_test(noise_and_slow_phases_move_it_little),
		cmocka_unit_test(depth_that_hurts_is_not_taken),
		cmocka_unit_test(sizes_that_cannot_run_are_left_out),
		cmocka_unit_test(where_nothing_runs_nothing_is_found),
		cmocka_unit_test(one_point_is_its_own_best),
		cmocka_unit_test(an_end_is_obeyed_at_once),
		cmocka_unit_test_teardown(each_device_and_all_together_are_searched, tear_down),
		cmocka_unit_test_teardown(depths_above_every_queue_are_left_out, tear_down),
		cmocka_unit_test_teardown(steps_stay_on_a_small_device, tear_down),
		cmocka_unit_test_teardown(what_no_point_can_do_is_an_error, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
