/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans whose answer is arithmetic: drives of 200 MB/s behind controllers of known limits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capacity/capacity.h"

#define DRIVE	      200e6
#define GIB	      1073741824.0
#define COUNT(list)   (sizeof(list) / sizeof *(list))
#define NEAR(a, b, e) assert_true(fabs((a) - (b)) <= (e))

static struct sgs_measured host;
static struct sgs_model_wish wish;
static struct sgs_load load;
static struct sgs_limits_per_host limits;
static struct sgs_model model;
static struct sgs_answer answer;
static struct sgs_error err;

static int set_up(void **state)
{
	(void)state;
	memset(&host, 0, sizeof host);
	memset(&wish, 0, sizeof wish);
	memset(&load, 0, sizeof load);
	memset(&limits, 0, sizeof limits);
	memset(&err, 0, sizeof err);
	host.cpus = 16;
	host.n_controllers = 2;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	sgs_model_free(&model);
	free(host.points);
	return 0;
}

/* So many drives on the first controller, and on the second. */
static struct sgs_point *add(unsigned first, unsigned second, double rate)
{
	struct sgs_point *p;

	host.points = reallocarray(host.points, host.n + 1, sizeof *host.points);
	assert_non_null(host.points);
	p = &host.points[host.n++];
	*p = (struct sgs_point){ .way = { "sg-mmap", "seq", "", 1 << 20, 4, 1 },
		.devices = first + second,
		.controllers = (first ? 1u : 0u) + (second ? 1u : 0u),
		.on = { (unsigned short)first, (unsigned short)second },
		.rate = rate,
		.cpu = 0.25,
		.latency_mean = -1,
		.latency_p99_9 = -1,
		.slowest = 1,
		.offset_percent = SGS_NO_OFFSET };
	return p;
}

static void sweep(unsigned most, double at_most)
{
	for (unsigned n = 1; n <= most; n++)
		add(n, 0, fmin(n * DRIVE, at_most));
}

static void solve(int expected)
{
	int status;

	sgs_model_free(&model);
	status = sgs_model_make(&host, &wish, &model, &err);

	if (!status)
		status = sgs_answer_make(&model, &load, &limits, &answer, &err);
	if (status != expected)
		fail_msg("status %d: %s", status, err.text);
}

static void says(const char *words)
{
	if (!strstr(err.text, words))
		fail_msg("'%s' is not in: %s", words, err.text);
}

static void assert_needs(double drives, double controllers, double hosts)
{
	if (answer.drives.median != drives || answer.controllers.median != controllers ||
		answer.hosts.median != hosts)
		fail_msg("%g drives, %g controllers, %g hosts", answer.drives.median,
			answer.controllers.median, answer.hosts.median);
}

/* ---- a rate ---- */

static void drives_add_up(void **state)
{
	(void)state;
	sweep(8, INFINITY);
	load.target = 3e9;
	solve(0);
	assert_needs(15, 1, 1);
	NEAR(answer.cores.median, 3e9 / GIB * 0.25, 1e-6);
	assert_int_equal(answer.binding, SGS_BINDS_CORES);
	NEAR(answer.serves[SGS_BINDS_CORES], 16 * GIB / 0.25, 1);
	NEAR(answer.one_more, DRIVE, 1);
	assert_false(answer.extrapolated);
	assert_true(answer.drives.low <= 15 && answer.drives.high >= 15);
}

static void headroom_keeps_some_free(void **state)
{
	(void)state;
	sweep(8, INFINITY);
	load.target = 2.4e9;
	load.headroom = 0.2;
	solve(0);
	NEAR(answer.need, 3e9, 1);
	assert_needs(15, 1, 1);
}

/* Rather a second controller than more drives behind one than twice those seen */
static void no_further_than_twice(void **state)
{
	(void)state;
	sweep(8, INFINITY);
	load.target = 3.4e9;
	solve(0);
	assert_needs(17, 2, 1);
	limits.controllers = 1;
	solve(0);
	assert_needs(17, 1, 1);
	assert_true(answer.extrapolated);
}

static void a_plateau_is_the_ceiling(void **state)
{
	(void)state;
	sweep(10, 6 * DRIVE);
	load.target = 2e9;
	limits.controllers = 2;
	solve(0);
	assert_needs(10, 2, 1);
	assert_int_equal(answer.binding, SGS_BINDS_CONTROLLERS);
	assert_int_equal(answer.ceiling, SGS_CEILING_PLATEAU);
	NEAR(answer.serves[SGS_BINDS_CONTROLLERS], 12 * DRIVE, DRIVE / 100);
	NEAR(sgs_model_knee(&model, &model.drives.curve), 6, 0.5);
}

static void hosts_when_one_is_too_small(void **state)
{
	(void)state;
	sweep(10, 6 * DRIVE);
	load.target = 6e9;
	limits.controllers = 2;
	solve(0);
	assert_needs(30, 6, 3);
	limits.hosts = 2;
	solve(SGS_EXPECTATION);
	says("out of reach");
	says("2 of them are the most");
}

static void drives_bind(void **state)
{
	(void)state;
	sweep(8, INFINITY);
	load.target = 3e9;
	limits.drives = 8;
	solve(0);
	assert_needs(16, 2, 2);
	assert_int_equal(answer.binding, SGS_BINDS_DRIVES);
}

static void cores_bind(void **state)
{
	(void)state;
	sweep(8, INFINITY);
	load.target = 3e9;
	limits.cores = 1;
	for (size_t i = 0; i < host.n; i++)
		host.points[i].cpu = 1;
	solve(0);
	assert_needs(15, 3, 3);
	assert_int_equal(answer.binding, SGS_BINDS_CORES);
	NEAR(answer.host_cores, 1e9 / GIB, 1e-6);
}

static void far_too_much(void **state)
{
	(void)state;
	sweep(8, INFINITY);
	load.target = 1e18;
	solve(SGS_EXPECTATION);
	says("out of reach");
}

/* ---- ceilings that the sweep did not reach ---- */

static void slots(void **state)
{
	(void)state;
	sweep(4, INFINITY);
	host.controllers[0].can_queue = 24;
	load.target = 1e9;
	limits.controllers = 1;
	solve(0);
	assert_int_equal(answer.ceiling, SGS_CEILING_SLOTS);
	NEAR(sgs_model_knee(&model, &model.drives.curve), 6, 0.5);
	NEAR(answer.serves[SGS_BINDS_CONTROLLERS], 6 * DRIVE, 1);
}

/* A drive that is as fast at depth 1 needs but one. */
static void slots_that_are_needed(void **state)
{
	(void)state;
	sweep(4, INFINITY);
	add(1, 0, DRIVE * 0.99)->way.queue_depth = 1;
	host.controllers[0].can_queue = 6;
	load.target = 1e9;
	solve(0);
	NEAR(sgs_model_knee(&model, &model.drives.curve), 6, 0.5);
	host.points[4].rate = DRIVE / 2;
	solve(0);
	NEAR(sgs_model_knee(&model, &model.drives.curve), 2, 0.5);
}

static void links(void **state)
{
	(void)state;
	sweep(4, INFINITY);
	host.controllers[0].link = 5.5 * DRIVE;
	strcpy(host.controllers[0].link_name, "pcie x1");
	load.target = 1e9;
	limits.controllers = 1;
	solve(0);
	assert_int_equal(answer.ceiling, SGS_CEILING_LINK);
	assert_string_equal(model.link_name, "pcie x1");
	NEAR(answer.serves[SGS_BINDS_CONTROLLERS], 5.5 * DRIVE, 1);
	wish.controller_ceiling = 4.5 * DRIVE;
	load.target = 0.8e9;
	solve(0);
	assert_int_equal(answer.ceiling, SGS_CEILING_GIVEN);
	NEAR(answer.serves[SGS_BINDS_CONTROLLERS], 4.5 * DRIVE, 1);
}

static void the_slowest_zone(void **state)
{
	(void)state;
	sweep(8, INFINITY);
	add(1, 0, 220e6)->offset_percent = 0;
	add(1, 0, 160e6)->offset_percent = 50;
	add(1, 0, 110e6)->offset_percent = 100;
	add(4, 0, 300e6)->offset_percent = 0;
	add(4, 0, 100e6)->offset_percent = 100; /* not of one drive */
	load.target = 1e9;
	solve(0);
	NEAR(model.zone, 0.5, 1e-9);
	assert_int_equal(model.zone_percent, 100);
	assert_needs(10, 1, 1);
}

/* ---- several controllers ---- */

static void controllers_hinder_one_another(void **state)
{
	(void)state;
	sweep(8, INFINITY);
	for (unsigned n = 1; n <= 4; n++)
		add(n, n, 2 * n * DRIVE * 0.8);
	load.target = 4e9;
	limits.controllers = 2;
	solve(0);
	assert_true(model.has_together);
	NEAR(sgs_model_units(&model, 2), 1.6, 1e-6);
	assert_needs(25, 2, 1);
}

static void only_read_together(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 4; n++)
		add(n, n, 2 * n * DRIVE);
	load.target = 1e9;
	solve(0);
	assert_int_equal(model.unit, 2);
	assert_needs(5, 2, 1);
	limits.controllers = 1;
	solve(SGS_EXPECTATION);
	says("2 controllers together");
}

/* ---- streams ---- */

static void streams_are_not_split(void **state)
{
	(void)state;
	sweep(10, 6 * DRIVE);
	load.streams = 10;
	load.stream_rate = 350e6; /* three to a controller */
	limits.controllers = 1;
	solve(0);
	assert_needs(4 * 6, 4, 4);
}

static void deadlines(void **state)
{
	(void)state;
	sweep(8, INFINITY);
	load.streams = 4;
	load.stream_rate = 240e6;
	load.frame_bytes = 10e6;
	solve(0); /* 24 frames a second: due in 41.7 ms */
	NEAR(answer.need, 960e6, 1);
	assert_int_equal(answer.frame_drives, 2);
	load.deadline_ns = 20e6; /* all at once: 40 MB in 20 ms */
	solve(0);
	NEAR(answer.need, 2e9, 1);
	assert_needs(10, 1, 1);
	for (size_t i = 0; i < host.n; i++) {
		host.points[i].latency_mean = 5e6;
		host.points[i].latency_p99_9 = 15e6; /* 10 ms of the 20 are for a slow one */
	}
	solve(0);
	NEAR(answer.need, 4e9, 1);
	load.deadline_ns = 9e6;
	solve(SGS_EXPECTATION);
	says("--deadline");
}

static void a_stream_too_fast(void **state)
{
	(void)state;
	sweep(10, 6 * DRIVE);
	load.streams = 1;
	load.stream_rate = 3e9;
	limits.controllers = 2;
	solve(SGS_EXPECTATION);
	says("no number of hosts");
}

/* ---- what is not known ---- */

static void no_such_engine(void **state)
{
	(void)state;
	sweep(4, INFINITY);
	load.target = 1e9;
	wish.engine = "direct";
	solve(SGS_USAGE);
	says("sgstream sweep --engines direct");
}

static void one_number_of_devices(void **state)
{
	(void)state;
	add(4, 0, 4 * DRIVE);
	add(4, 0, 4 * DRIVE);
	load.target = 1e9;
	solve(SGS_USAGE);
	says("all of 4 devices");
	says("--devices 1..N");
}

/* Other depths are other curves. */
static void the_way_with_most_numbers(void **state)
{
	(void)state;
	sweep(4, INFINITY);
	add(1, 0, 5 * DRIVE)->way.queue_depth = 32;
	add(2, 0, 10 * DRIVE)->way.queue_depth = 32;
	load.target = 1e9;
	solve(0);
	assert_int_equal(model.way.queue_depth, 4);
	assert_needs(5, 1, 1);
	wish.queue_depth = 32;
	solve(0);
	assert_needs(1, 1, 1);
}

/* One lucky round of three makes no engine the fastest. */
static void the_fastest_by_median(void **state)
{
	(void)state;
	for (int round = 0; round < 3; round++)
		for (unsigned n = 1; n <= 2; n++) {
			add(n, 0, n * DRIVE);
			strcpy(add(n, 0, n * DRIVE * (round == 1 ? 1.5 : 0.9))->way.engine,
				"direct");
		}
	load.target = 1e9;
	solve(0);
	assert_string_equal(model.way.engine, "sg-mmap");
	assert_needs(5, 2, 1);
}

static void cpu_too_short_to_tell(void **state)
{
	(void)state;
	sweep(4, INFINITY);
	for (size_t i = 0; i < host.n; i++)
		host.points[i].cpu = 0;
	load.target = 1e9;
	solve(0);
	assert_true(isnan(answer.cores.median));
	assert_int_equal(answer.binding, SGS_BINDS_NOTHING);
}

static void through_the_page_cache(void **state)
{
	struct sgs_point *p;

	(void)state;
	sweep(4, INFINITY);
	load.target = 1e9;
	solve(0);
	assert_null(answer.cached.engine);
	p = add(1, 0, DRIVE / 2);
	strcpy(p->way.engine, "buffered");
	p->cpu = 1.5;
	solve(0);
	assert_string_equal(answer.cached.engine, "buffered");
	NEAR(answer.cached.cores, 1e9 / GIB * 1.5, 1e-6);
	NEAR(answer.cached.drives, 10, 1e-9);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(drives_add_up),
		TEST(headroom_keeps_some_free),
		TEST(no_further_than_twice),
		TEST(a_plateau_is_the_ceiling),
		TEST(hosts_when_one_is_too_small),
		TEST(drives_bind),
		TEST(cores_bind),
		TEST(far_too_much),
		TEST(slots),
		TEST(slots_that_are_needed),
		TEST(links),
		TEST(the_slowest_zone),
		TEST(controllers_hinder_one_another),
		TEST(only_read_together),
		TEST(streams_are_not_split),
		TEST(deadlines),
		TEST(a_stream_too_fast),
		TEST(no_such_engine),
		TEST(one_number_of_devices),
		TEST(the_way_with_most_numbers),
		TEST(the_fastest_by_median),
		TEST(cpu_too_short_to_tell),
		TEST(through_the_page_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
