/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The matrix of a sweep, its order, its cells over a file with the null engine, its file and
 * what is taken over from it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "report/sweep.h"

static char data[] = "/tmp/sgs-sweep-data-XXXXXX", file[] = "/tmp/sgs-sweep-file-XXXXXX";
static struct sgs_device device;
static struct sgs_job job;
static struct sgs_sweep_wish wish;
static struct sgs_axis axes[SGS_AXES];
static struct sgs_sweep sweep;
static struct sgs_sweep_record *record;
static struct sgs_error err;
static unsigned measured[64], measurements, stop_after;

/* ---- around ---- */

static int make_files(void **state)
{
	int fd = mkstemp(data), other = mkstemp(file);

	(void)state;
	if (fd < 0 || other < 0 || ftruncate(fd, 1 << 20) < 0)
		return -1;
	close(fd);
	close(other);
	return sgs_device_open(data, &device, &err);
}

static int remove_files(void **state)
{
	(void)state;
	unlink(data);
	unlink(file);
	return 0;
}

static void forget(void)
{
	sgs_sweep_record_free(record);
	record = NULL;
	sgs_sweep_free(&sweep);
}

static int begin(void **state)
{
	(void)state;
	memset(&wish, 0, sizeof wish);
	memset(measured, 0, sizeof measured);
	measurements = 0;
	stop_after = 1000;
	sgs_job_init(&job);
	job.count = 2;
	wish.axes[SGS_AXIS_BS] = "4k..16k";
	wish.axes[SGS_AXIS_QD] = "1,2";
	wish.axes[SGS_AXIS_ENGINE] = "null";
	return 0;
}

static int end(void **state)
{
	(void)state;
	forget();
	return 0;
}

static int make_of(const struct sgs_device *devices, size_t n, uint64_t seed)
{
	int status;

	forget();
	status = sgs_axes_parse(&wish, axes, &err);
	if (!status)
		status = sgs_sweep_make(&sweep, &job, &wish, axes, devices, n, seed, &err);
	if (!status)
		record = sgs_sweep_record_new(&sweep);
	return status;
}

static void make(uint64_t seed)
{
	if (make_of(&device, 1, seed))
		fail_msg("%s", err.text);
}

static void refused(int status, const char *word)
{
	assert_int_equal(make_of(&device, 1, 1), status);
	if (!strstr(err.text, word))
		fail_msg("'%s' does not say %s", err.text, word);
}

static void save(bool under_way)
{
	const struct sgs_call call = { .command = "sweep" };
	FILE *out = fopen(file, "w");

	assert_int_equal(sgs_report_sweep_json(out, &call, &sweep, record, under_way), 0);
	fclose(out);
}

static int keep(const struct sgs_sweep *s, size_t cell, const struct sgs_result *run, void *arg,
	struct sgs_error *why)
{
	(void)s;
	(void)arg;
	measured[cell]++;
	if (run)
		assert_int_equal(sgs_sweep_record_add(record, cell, run), 0);
	save(true);
	return ++measurements < stop_after ? 0 : sgs_fail(why, SGS_OTHER, "enough", "enough");
}

static int run(void)
{
	const struct sgs_sweep_observer observer = { .done = keep };

	return sgs_sweep(&sweep, &observer);
}

static int resume(bool seed_given, bool only_open, bool *found)
{
	return sgs_sweep_resume(&sweep, record, file, seed_given, only_open, found, &err);
}

/* ---- the matrix ---- */

static void every_point_is_a_cell(void **state)
{
	(void)state;
	wish.axes[SGS_AXIS_THREADS] = "1,2";
	make(1);
	assert_int_equal(sweep.n_cells, 12);
	for (size_t i = 0; i < 12; i++) {
		const struct sgs_job j = sgs_sweep_job(&sweep, &sweep.cells[i]);

		assert_int_equal(j.bs.value, 4096u << (i / 2 % 3));
		assert_int_equal(j.queue_depth, 1 + i % 2);
		assert_int_equal(j.threads, 1 + i / 6);
		assert_string_equal(j.engine, "null");
		assert_false(j.drop_caches || j.settings.read_ahead.given);
		assert_null(j.settings.scheduler);
		assert_int_equal(sweep.cells[i].state, SGS_CELL_OPEN);
	}
}

static void defaults(void **state)
{
	(void)state;
	memset(&wish, 0, sizeof wish);
	make(1);
	assert_int_equal(sweep.n_cells, 9);
	assert_string_equal(sweep.axes[SGS_AXIS_ENGINE].words[0], "buffered");
	assert_int_equal(sgs_sweep_devices(&sweep, &sweep.cells[0]), 1);
	assert_true(sgs_sweep_job(&sweep, &sweep.cells[0]).drop_caches);
	assert_int_equal(sgs_sweep_job(&sweep, &sweep.cells[0]).bs.value, 4096);
	assert_int_equal(sgs_sweep_job(&sweep, &sweep.cells[8]).bs.value, 1 << 20);
	assert_int_equal(sgs_sweep_job(&sweep, &sweep.cells[8]).threads, 0);
}

static void settings_of_the_host(void **state)
{
	struct sgs_job j;

	(void)state;
	wish.axes[SGS_AXIS_READ_AHEAD] = "0,128k";
	wish.axes[SGS_AXIS_SCHEDULER] = "none,mq-deadline";
	make(1);
	assert_int_equal(sweep.n_cells, 24);
	j = sgs_sweep_job(&sweep, &sweep.cells[0]);
	assert_true(j.settings.read_ahead.given && !j.settings.read_ahead.kib);
	assert_string_equal(j.settings.scheduler, "none");
	j = sgs_sweep_job(&sweep, &sweep.cells[23]);
	assert_int_equal(j.settings.read_ahead.kib, 128);
	assert_string_equal(j.settings.scheduler, "mq-deadline");
}

static void blocks(void **state)
{
	struct sgs_device devices[2] = { device, device };

	(void)state;
	devices[0].block_bytes = 520;
	wish.axes[SGS_AXIS_BS] = "8blk..32b";
	assert_int_equal(make_of(devices, 1, 1), 0);
	assert_int_equal(sgs_sweep_job(&sweep, &sweep.cells[0]).bs.value, 4160);
	assert_int_equal(make_of(devices, 2, 1), SGS_CONTRADICT);
	wish.axes[SGS_AXIS_BS] = "8blk,4k";
	assert_int_equal(make_of(devices, 1, 1), SGS_USAGE);
	wish.axes[SGS_AXIS_BS] = NULL; /* as many blocks as the default has */
	assert_int_equal(make_of(devices, 1, 1), 0);
	assert_int_equal(sgs_sweep_job(&sweep, &sweep.cells[0]).bs.value, 4160);
	assert_int_equal(sgs_sweep_job(&sweep, &sweep.cells[17]).bs.value, 2048 * 520);
}

static void what_cannot_be_meant(void **state)
{
	(void)state;
	wish.axes[SGS_AXIS_DEVICES] = "1,2";
	refused(SGS_USAGE, "--devices has 2, and 1 are given");
	wish.axes[SGS_AXIS_DEVICES] = "0";
	refused(SGS_USAGE, "--devices: '0'");
	wish.axes[SGS_AXIS_DEVICES] = NULL;
	wish.axes[SGS_AXIS_BS] = "4k,0";
	refused(SGS_USAGE, "--bs: '4k,0': '0'");
	wish.axes[SGS_AXIS_BS] = "1..9223372036854775808";
	wish.axes[SGS_AXIS_QD] = "1..512,3,5,7";
	wish.axes[SGS_AXIS_THREADS] = "1..64";
	refused(SGS_USAGE, "more than 4096 cells");
	wish.axes[SGS_AXIS_ENGINE] = "null,bogus";
	refused(SGS_USAGE, "there is no engine 'bogus'");
}

static void mixed_nodes(void **state)
{
	struct sgs_device devices[2] = { device, device };

	(void)state;
	devices[1].node = SGS_NODE_SG;
	assert_int_equal(make_of(devices, 2, 1), 0);
	wish.axes[SGS_AXIS_ENGINE] = NULL;
	assert_int_equal(make_of(devices, 2, 1), SGS_CONTRADICT);
}

static void the_order_is_the_seeds(void **state)
{
	size_t order[6], moved = 0;
	bool seen[6] = { false };

	(void)state;
	make(7);
	memcpy(order, sweep.order, sizeof order);
	for (size_t i = 0; i < 6; i++) {
		assert_false(seen[order[i]]);
		seen[order[i]] = true;
		moved += order[i] != i;
	}
	assert_true(moved > 0);
	make(7);
	assert_memory_equal(order, sweep.order, sizeof order);
	make(8);
	assert_memory_not_equal(order, sweep.order, sizeof order);
	sgs_sweep_shuffle(&sweep, 7);
	assert_memory_equal(order, sweep.order, sizeof order);
	assert_int_equal(sweep.seed, 7);
}

static void names(void **state)
{
	char name[SGS_CELL_NAME];

	(void)state;
	make(1);
	assert_string_equal(sgs_cell_name(&sweep, &sweep.cells[1], name),
		"null, 4 KiB per command, depth 2");
	wish.axes[SGS_AXIS_THREADS] = "1";
	wish.axes[SGS_AXIS_DEVICES] = "1";
	wish.axes[SGS_AXIS_READ_AHEAD] = "1M";
	wish.axes[SGS_AXIS_SCHEDULER] = "none";
	make(1);
	assert_string_equal(sgs_cell_name(&sweep, &sweep.cells[0], name),
		"null, 4 KiB per command, depth 1, threads 1, devices 1, read-ahead 1024 KiB, "
		"scheduler none");
}

/* ---- measuring ---- */

static void all_are_measured_once(void **state)
{
	const struct sgs_cell *best;

	(void)state;
	make(3);
	assert_int_equal(run(), 0);
	assert_int_equal(sweep.done, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(measured[i], 1);
		assert_int_equal(sweep.cells[i].state, SGS_CELL_MEASURED);
		assert_int_equal(sweep.cells[i].bytes, 8192u << (i / 2));
	}
	best = sgs_sweep_best(&sweep);
	assert_non_null(best);
	for (size_t i = 0; i < 6; i++)
		assert_true(sweep.cells[i].bytes_per_second <= best->bytes_per_second);
	assert_true(sweep.elapsed_ns > 0);
}

static void a_cell_that_cannot_run(void **state)
{
	(void)state;
	wish.axes[SGS_AXIS_THREADS] = "2";
	make(3);
	assert_int_equal(run(), 0);
	assert_int_equal(sweep.cells[0].state, SGS_CELL_REFUSED); /* depth 1 */
	assert_non_null(
		strstr(sweep.cells[0].why->text, "--qd 1 is too small for --threads 2"));
	assert_int_equal(sweep.cells[1].state, SGS_CELL_MEASURED);
	assert_int_equal(sweep.done, 6);
	assert_int_equal(measurements, 6);
}

static void a_cell_that_would_eat_the_memory(void **state)
{
	(void)state;
	wish.axes[SGS_AXIS_ENGINE] = "null,buffered";
	wish.axes[SGS_AXIS_BS] = "4k,8k";
	make(3);
	sweep.memory_bytes = 4 * 8192;
	assert_int_equal(run(), 0);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(sweep.cells[i].state, SGS_CELL_MEASURED);
	assert_int_equal(sweep.cells[7].state, SGS_CELL_REFUSED); /* 8 KiB at depth 2 */
	assert_non_null(strstr(sweep.cells[7].why->text, "need 16 KiB of memory"));
}

static void none_that_can(void **state)
{
	(void)state;
	wish.axes[SGS_AXIS_ENGINE] = "sg-mmap";
	make(3);
	assert_int_equal(run(), SGS_FILE);
	assert_null(sgs_sweep_best(&sweep));
	assert_string_equal(sgs_result_status(&sweep.sum), "error");
	assert_int_equal(sweep.sum.n_messages, 1);
}

/* A message of several cells stands once, with how many they are. */
static void messages_once(void **state)
{
	size_t found = 0;

	(void)state;
	make(3);
	run();
	for (size_t i = 0; i < sweep.sum.n_messages; i++)
		found += !strcmp(sweep.sum.messages[i].code, "short_run") &&
			 strstr(sweep.sum.messages[i].text,
				 "(6 of 6 cells; the first: null, 4 KiB per command, depth 1)");
	assert_int_equal(found, 1);
}

/* ---- the file ---- */

static void stopped_and_resumed(void **state)
{
	size_t first[6];
	bool found;

	(void)state;
	stop_after = 2;
	make(9);
	assert_int_equal(run(), SGS_OTHER);
	assert_int_equal(sweep.done, 2);
	memcpy(first, sweep.order, sizeof first);
	make(10);
	assert_int_equal(resume(false, true, &found), 0);
	assert_true(found);
	assert_int_equal(sweep.seed, 9);
	assert_memory_equal(first, sweep.order, sizeof first);
	assert_int_equal(sweep.kept, 2);
	stop_after = 1000;
	assert_int_equal(run(), 0);
	assert_int_equal(sweep.done, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(measured[i], 1);
		assert_int_equal(sweep.cells[i].state, SGS_CELL_MEASURED);
		assert_int_equal(sweep.cells[i].bytes, 8192u << (i / 2));
		assert_int_equal(sweep.cells[i].queue_depth, 1 + i % 2);
		assert_int_equal(sweep.cells[i].n_messages, 1);
		assert_true(sweep.cells[i].bytes_per_second > 0);
	}
}

/* Only an interrupted one is taken up without being asked. */
static void a_sweep_that_is_whole(void **state)
{
	bool found;

	(void)state;
	make(9);
	run();
	save(false);
	make(9);
	assert_int_equal(resume(false, true, &found), 0);
	assert_false(found);
	assert_int_equal(sweep.kept, 0);
	assert_int_equal(resume(false, false, &found), 0);
	assert_true(found);
	assert_int_equal(sweep.kept, 6);
	assert_int_equal(run(), 0);
	assert_int_equal(measurements, 6);
}

static void cells_without_a_run_are_tried_again(void **state)
{
	bool found;

	(void)state;
	wish.axes[SGS_AXIS_THREADS] = "2";
	make(9);
	run();
	save(false);
	make(9);
	assert_int_equal(resume(false, false, &found), 0);
	assert_int_equal(sweep.kept, 3);
	assert_int_equal(sweep.cells[0].state, SGS_CELL_OPEN);
}

static void differs(int status, const char *word)
{
	bool found;

	make(9);
	assert_int_equal(resume(false, true, &found), status);
	if (!strstr(err.text, word))
		fail_msg("'%s' does not say %s", err.text, word);
	assert_int_equal(sweep.kept, 0);
}

static void another_sweep_is_refused(void **state)
{
	struct sgs_device was = device;
	bool found;

	(void)state;
	stop_after = 2;
	make(9);
	run();
	wish.axes[SGS_AXIS_BS] = "4k..8k";
	differs(SGS_CONTRADICT,
		"its --bs (bytes) is [4096,8192,16384], and now it is [4096,8192]");
	begin(NULL);
	wish.axes[SGS_AXIS_QD] = "2,1";
	differs(SGS_CONTRADICT, "--qd");
	begin(NULL);
	wish.axes[SGS_AXIS_ENGINE] = "null,mmap";
	differs(SGS_CONTRADICT, "--engines");
	begin(NULL);
	wish.axes[SGS_AXIS_READ_AHEAD] = "4k";
	differs(SGS_CONTRADICT, "--read-ahead (kib) is none");
	begin(NULL);
	job.count = 3;
	differs(SGS_CONTRADICT, "--count is 2, and now it is 3");
	begin(NULL);
	device.blocks++;
	differs(SGS_CONTRADICT, "blocks of device 1");
	device = was;
	strcpy(device.path, "other");
	differs(SGS_CONTRADICT, "path of device 1");
	device = was;
	make(8);
	assert_int_equal(resume(true, true, &found), SGS_CONTRADICT);
	assert_non_null(strstr(err.text, "--seed is 9"));
}

/* A unit with a name may have another path after a reboot. */
static void a_unit_that_has_moved(void **state)
{
	struct sgs_device was = device;
	bool found;

	(void)state;
	strcpy(device.identity.lu_name, "naa.5000c500a1b2c3d4");
	stop_after = 2;
	make(9);
	run();
	strcpy(device.path, "/dev/sg7");
	strcpy(device.hctl, "1:0:0:0");
	make(9);
	assert_int_equal(resume(false, true, &found), 0);
	assert_int_equal(sweep.kept, 2);
	strcpy(device.identity.lu_name, "naa.5000c500a1b2c3d5");
	differs(SGS_CONTRADICT, "lu_name of device 1");
	device = was;
}

/* ---- files that are damaged ---- */

static void change(const char *path[], size_t n, json_t *value)
{
	json_t *root = json_load_file(file, 0, NULL), *at = root;

	for (size_t i = 0; i + 1 < n; i++)
		at = json_is_array(at) ? json_array_get(at, (size_t)atoi(path[i]))
				       : json_object_get(at, path[i]);
	assert_non_null(at);
	assert_int_equal(json_object_set_new(at, path[n - 1], value), 0);
	assert_int_equal(json_dump_file(root, file, 0), 0);
	json_decref(root);
}

#define CHANGE(value, ...)                      \
	change((const char *[]){ __VA_ARGS__ }, \
		sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *), value)

static void interrupted(void)
{
	begin(NULL);
	stop_after = 2;
	make(9);
	run();
}

/* Is refused, or not taken for a sweep. */
static void no_sweep(const char *word)
{
	bool found;

	make(9);
	if (!resume(false, false, &found))
		fail_msg("a damaged file was taken");
	if (!strstr(err.text, word))
		fail_msg("'%s' does not say %s", err.text, word);
	assert_int_equal(measurements, 2);
}

static void damaged_files(void **state)
{
	bool found;

	(void)state;
	interrupted();
	CHANGE(json_string("0.0"), "tool", "version");
	no_sweep("tool version");
	interrupted();
	CHANGE(json_string("1.2"), "host", "kernel");
	no_sweep("host kernel");
	interrupted();
	CHANGE(json_array(), "sweep", "cells");
	no_sweep("one cell for each point");
	interrupted();
	CHANGE(json_integer(512), "sweep", "cells", "3", "bs_bytes");
	no_sweep("not those of its axes");
	interrupted();
	CHANGE(json_string("x"), "sweep", "seed");
	no_sweep("its seed");
	interrupted();
	CHANGE(json_integer(-1), "sweep", "seed");
	no_sweep("its seed");
	interrupted();
	CHANGE(json_string("read"), "command");
	no_sweep("another object");
	interrupted();
	assert_int_equal(truncate(file, 1000), 0);
	no_sweep("no result of sgstream sweep");
	make(9);
	assert_int_equal(resume(false, true, &found), 0); /* nobody asked for it */
	assert_false(found);
	unlink(file);
	no_sweep("No such file");
	make(9);
	assert_int_equal(resume(false, true, &found), 0);
	assert_false(found);
}

/* Runs that are none leave their cells open. */
static void damaged_runs(void **state)
{
	bool found;

	(void)state;
	interrupted();
	for (size_t i = 0; i < 6; i++) {
		char number[8];

		snprintf(number, sizeof number, "%zu", i);
		CHANGE(i % 2 ? json_integer(7) : json_string("1"), "sweep", "cells", number,
			"run");
	}
	make(9);
	assert_int_equal(resume(false, false, &found), 0);
	assert_int_equal(sweep.kept, 0);
	interrupted();
	CHANGE(json_integer(3), "runs", "0", "exit_status");
	CHANGE(json_string("x"), "runs", "1", "total");
	make(9);
	assert_int_equal(resume(false, false, &found), 0);
	assert_int_equal(sweep.kept, 0);
}

/* ---- text ---- */

static void says(const char *text, const char *word)
{
	if (!strstr(text, word))
		fail_msg("does not say '%s':\n%s", word, text);
}

static char *text_of(int verbose)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	sgs_report_sweep_text(out, &sweep, verbose);
	fclose(out);
	return text;
}

static void measure_by_hand(size_t i, double mb_per_second)
{
	struct sgs_cell *cell = &sweep.cells[i];

	cell->state = SGS_CELL_MEASURED;
	cell->bytes = 1;
	cell->elapsed_ns = 1000000000;
	cell->bytes_per_second = mb_per_second * 1e6;
	cell->cpu_seconds_per_gib = 0.25;
	cell->p99_ns = 1250;
	sweep.done++;
}

static void text(void **state)
{
	char *t;

	(void)state;
	make(9);
	for (size_t i = 0; i < 4; i++)
		measure_by_hand(i, 100 + (double)i * 1000);
	sweep.cells[4].state = SGS_CELL_REFUSED;
	sweep.cells[4].why = calloc(1, sizeof err);
	sgs_fail(sweep.cells[4].why, SGS_USAGE, "no", "it must not be");
	sweep.done++;
	t = text_of(0);
	says(t, "6 cells in random order, --seed 9\n");
	says(t, "ended early; 5 of 6 cells are done, and ? marks the others\n");
	says(t, "\nMB/s (MiB/s)\n"
		"    BS          QD 1            QD 2\n"
		" 4 KiB    100 (95.4)   1,100 (1,049)\n"
		" 8 KiB 2,100 (2,003) * 3,100 (2,956)\n"
		"16 KiB             -               ?\n");
	says(t, "-  1 cell, null, 16 KiB per command, depth 1: it must not be\n");
	says(t, "best  3,100 MB/s (2,956 MiB/s) with null, 8 KiB per command, depth 2; 0.250 s "
		"of "
		"CPU per GiB, p99 1.25 us\n");
	assert_null(strstr(t, "CPU seconds"));
	free(t);
	t = text_of(1);
	says(t, "\nCPU seconds per GiB\n");
	says(t, "\nlatency, 99 % of commands\n");
	free(t);
}

static void a_block_for_each_combination(void **state)
{
	char *t;

	(void)state;
	wish.axes[SGS_AXIS_ENGINE] = "null,mmap";
	wish.axes[SGS_AXIS_THREADS] = "1,2";
	make(9);
	for (size_t i = 0; i < 18; i++)
		measure_by_hand(i, 100 + (double)i);
	for (size_t i = 18; i < 24; i++)
		sweep.cells[i].state = SGS_CELL_REFUSED;
	t = text_of(0);
	says(t, "\nMB/s (MiB/s), engine null, threads 1\n");
	says(t, "\nMB/s (MiB/s), engine null, threads 2\n");
	says(t, "\nMB/s (MiB/s), engine mmap, threads 1\n");
	says(t, "\nMB/s (MiB/s), engine mmap, threads 2: no cell could run\n");
	free(t);
	wish.axes[SGS_AXIS_QD] = wish.axes[SGS_AXIS_THREADS] = NULL;
	make(9);
	for (size_t i = 0; i < 6; i++)
		measure_by_hand(i, 200 + (double)i);
	t = text_of(0);
	says(t, "    BS      null        mmap\n"); /* engines across, when little else varies */
	free(t);
}

static void progress(void **state)
{
	const struct sgs_progress now = { .span_ns = 1000000000, .span_bytes = 1290000000 };
	struct sgs_sweep_step step;
	char *line = NULL;
	size_t len;
	FILE *out = open_memstream(&line, &len);

	(void)state;
	make(9);
	step = (struct sgs_sweep_step){ &sweep, &sweep.cells[1], 2, 6, 4600000000 };
	sgs_report_sweep_line(out, &step, &now);
	fflush(out);
	assert_string_equal(line, "cell 2 of 6, 5 s left, null, 4 KiB per command, depth 2: "
				  "1,290 MB/s (1,230 MiB/s)\n");
	rewind(out);
	step.left_ns = UINT64_MAX;
	sgs_report_sweep_progress(out, &step, NULL, 20);
	fflush(out);
	assert_int_equal(len, 20);
	assert_memory_equal(line, "\rcell 2 of 6, null, ", 20);
	fclose(out);
	free(line);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_point_is_a_cell),
		TEST(defaults),
		TEST(settings_of_the_host),
		TEST(blocks),
		TEST(what_cannot_be_meant),
		TEST(mixed_nodes),
		TEST(the_order_is_the_seeds),
		TEST(names),
		TEST(all_are_measured_once),
		TEST(a_cell_that_cannot_run),
		TEST(a_cell_that_would_eat_the_memory),
		TEST(none_that_can),
		TEST(messages_once),
		TEST(stopped_and_resumed),
		TEST(a_sweep_that_is_whole),
		TEST(cells_without_a_run_are_tried_again),
		TEST(another_sweep_is_refused),
		TEST(a_unit_that_has_moved),
		TEST(damaged_files),
		TEST(damaged_runs),
		TEST(text),
		TEST(a_block_for_each_combination),
		TEST(progress),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
