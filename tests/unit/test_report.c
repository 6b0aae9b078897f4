/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports of results built by hand. With SGS_TEST_OUT each JSON sample is also written to a
 * file in that folder, for scripts/validate-json.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "report/report.h"

#define MIB 1048576ULL

static char *const argv_of_call[] = { "sgstream", "/dev/sg1", "--bs", "64k", NULL };

static const struct sgs_call call = {
	.command = "read",
	.argc = 4,
	.argv = argv_of_call,
	.started_at = { .tv_sec = 1700000000, .tv_nsec = 7999999 },
};

static const struct sgs_call list_call = {
	.command = "list",
	.argc = 1,
	.argv = argv_of_call,
	.started_at = { .tv_sec = 1700000000 },
};

/* ---- results ---- */

static void fill_device(struct sgs_device *device, const char *path, const char *hctl)
{
	snprintf(device->path, sizeof(device->path), "%s", path);
	snprintf(device->sg_path, sizeof(device->sg_path), "%s", path);
	snprintf(device->block_path, sizeof(device->block_path), "/dev/sdb");
	snprintf(device->hctl, sizeof(device->hctl), "%s", hctl);
	device->node = SGS_NODE_SG;
	device->is_scsi = true;
	device->block_bytes = 512;
	device->blocks = 131072;
	device->identity = (struct sgs_identity){
		.valid = true,
		.vendor = "Linux",
		.product = "scsi_debug",
		.revision = "0191",
		.serial = "2000",
		.lu_name = "naa.3333333000002710",
	};
	device->controller = (struct sgs_controller){
		.host = 0,
		.driver = "scsi_debug",
		.numa_node = -1,
		.can_queue = 192,
	};
}

static void fill_latency(struct sgs_latency *latency, uint64_t count)
{
	*latency = (struct sgs_latency){
		.count = count,
		.min = 40000,
		.mean = 50200,
		.p50 = 46100,
		.p90 = 60000,
		.p99 = 90000,
		.p99_9 = 120000,
		.p99_99 = 1300000,
		.max = 1400000,
		.buckets = 3,
	};
	latency->upper_ns = calloc(3, sizeof(*latency->upper_ns));
	latency->counts = calloc(3, sizeof(*latency->counts));
	latency->upper_ns[0] = 46100;
	latency->upper_ns[1] = 90000;
	latency->upper_ns[2] = 1400000;
	latency->counts[0] = count / 2;
	latency->counts[2] = count - count / 2;
}

static void fill_figures(struct sgs_figures *figures, uint64_t commands)
{
	*figures = (struct sgs_figures){
		.bytes = commands * 65536,
		.commands = commands,
		.elapsed_ns = 52000000,
		.bytes_per_second = (double)(commands * 65536) / 0.052,
		.iops = (double)commands / 0.052,
		.first_done_ns = 52000000,
		.last_done_ns = 52000000,
		.in_flight_mean = 0.98,
		.in_flight_max = 1,
		.transfer = { [SGS_MAPPED] = commands },
	};
	fill_latency(&figures->latency, commands);
}

/* n devices that each gave commands transfers of 64 KiB through sg-mmap. */
static struct sgs_result good_result(size_t n, uint64_t commands)
{
	struct sgs_result result = { .clock = "tsc" };
	struct sgs_run_result *run = &result.run;

	snprintf(run->engine, sizeof(run->engine), "sg-mmap");
	run->bs_bytes = 65536;
	run->threads = 1;
	run->queue_depth = 1;
	run->pattern = "seq";
	run->started = true;
	run->cpu = (struct sgs_cpu){ 10000000, 50000000, 0.81, 52.4 };
	run->n_devices = n;
	run->devices = calloc(n, sizeof(*run->devices));
	for (size_t i = 0; i < n; i++) {
		char path[32], hctl[32];

		snprintf(path, sizeof(path), "/dev/sg%zu", i + 1);
		snprintf(hctl, sizeof(hctl), "%zu:0:0:0", i);
		fill_device(&run->devices[i].device, path, hctl);
		fill_figures(&run->devices[i].figures, commands);
		run->devices[i].bs_bytes = 65536;
		run->devices[i].goal_bytes = 64 * MIB;
		run->devices[i].probe_commands = 1;
	}
	fill_figures(&run->total, n * commands);
	return result;
}

static void clear_latency(struct sgs_latency *latency)
{
	free(latency->upper_ns);
	free(latency->counts);
	memset(latency, 0, sizeof(*latency));
}

/* The device answered nothing at all. */
static struct sgs_result empty_result(void)
{
	struct sgs_result result = good_result(1, 0);

	clear_latency(&result.run.total.latency);
	clear_latency(&result.run.devices[0].figures.latency);
	result.run.cpu.seconds_per_gib = -1;
	result.run.cpu.host_busy_percent = -1;
	result.run.total.in_flight_mean = NAN;
	result.run.total.bytes_per_second = NAN;
	result.run.total.iops = INFINITY;
	result.run.total.elapsed_ns = 0;
	return result;
}

static void add_error(struct sgs_result *result, int status, const char *code)
{
	struct sgs_error err;

	sgs_fail(&err, status, code, "read at LBA 4660 failed: medium error");
	sgs_result_error(result, "/dev/sg1", &err);
}

static struct sgs_result bad_input(void)
{
	struct sgs_result result = { 0 };

	sgs_result_message(&result, SGS_ERROR, NULL, "bad_size", "--bs 64B: has a bare B");
	result.exit_status = SGS_USAGE;
	return result;
}

/* ---- output ---- */

/* For scripts/validate-json. */
static void keep_sample(const char *name, const char *text)
{
	const char *folder = getenv("SGS_TEST_OUT");
	char path[4096];
	FILE *file;

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/%s.json", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* The object, which must be all that was written but for one newline. */
static json_t *parse(const char *name, char *text)
{
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("%s: %s in %s", name, error.text, text);
	assert_int_equal(text[strlen(text) - 1], '\n');
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	keep_sample(name, text);
	free(text);
	return root;
}

static json_t *json_of_call(const char *name, const struct sgs_call *made,
	const struct sgs_result *results, size_t n)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(sgs_report_json(out, made, results, n), 0);
	fclose(out);
	return parse(name, text);
}

static json_t *json_of(const char *name, const struct sgs_result *result)
{
	return json_of_call(name, &call, result, 1);
}

/* Follows keys such as "runs.0.total"; NULL when there is no such thing. */
static json_t *at(json_t *root, const char *path)
{
	char copy[256], *rest = copy, *key;

	snprintf(copy, sizeof(copy), "%s", path);
	while (root && (key = strsep(&rest, ".")))
		root = json_is_array(root) ? json_array_get(root, (size_t)atoi(key))
					   : json_object_get(root, key);
	return root;
}

static void assert_text(json_t *root, const char *path, const char *expected)
{
	const char *value = json_string_value(at(root, path));

	if (!value)
		fail_msg("%s is no string", path);
	assert_string_equal(value, expected);
}

static void assert_integer(json_t *root, const char *path, long long expected)
{
	json_t *value = at(root, path);

	if (!json_is_integer(value))
		fail_msg("%s is no integer", path);
	if (json_integer_value(value) != expected)
		fail_msg("%s is %lld, not %lld", path, (long long)json_integer_value(value),
			expected);
}

static void assert_null_at(json_t *root, const char *path)
{
	if (!json_is_null(at(root, path)))
		fail_msg("%s is not null", path);
}

static char *text_of(const struct sgs_result *result, int verbose)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	sgs_report_text(out, result, verbose);
	fclose(out);
	print_message("%s", text);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	assert_non_null(text);
	if (!strstr(text, part))
		fail_msg("no \"%s\" in:\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
	assert_non_null(text);
	if (strstr(text, part))
		fail_msg("\"%s\" in:\n%s", part, text);
}

/* ---- JSON ---- */

static void json_head(void **state)
{
	struct sgs_result result = good_result(1, 1024);
	json_t *root = json_of("ok", &result);
	(void)state;

	assert_text(root, "schema", "sgstream/1");
	assert_text(root, "status", "ok");
	assert_integer(root, "exit_status", 0);
	assert_text(root, "tool.version", sgs_version);
	assert_text(root, "tool.commit", sgs_commit);
	assert_text(root, "host.clock", "tsc");
	assert_true(json_integer_value(at(root, "host.cpus")) > 0);
	assert_true(json_integer_value(at(root, "host.memory_bytes")) > 0);
	assert_text(root, "started_at", "2023-11-14T22:13:20.007Z");
	assert_text(root, "argv.0", "sgstream");
	assert_text(root, "argv.3", "64k");
	assert_int_equal(json_array_size(at(root, "argv")), 4);
	assert_text(root, "command", "read");
	assert_int_equal(json_array_size(at(root, "runs")), 1);
	assert_int_equal(json_array_size(at(root, "messages")), 0);
	assert_null(at(root, "planned"));
	json_decref(root);
	sgs_result_free(&result);
}

static void json_run(void **state)
{
	struct sgs_result result = good_result(1, 1024);
	json_t *root = json_of("ok", &result), *run = at(root, "runs.0");
	(void)state;

	assert_text(run, "engine", "sg-mmap");
	assert_integer(run, "bs_bytes", 65536);
	assert_integer(run, "threads", 1);
	assert_integer(run, "queue_depth", 1);
	assert_text(run, "pattern", "seq");
	assert_integer(run, "total.bytes", 67108864);
	assert_integer(run, "total.commands", 1024);
	assert_integer(run, "total.elapsed_ns", 52000000);
	assert_true(fabs(json_number_value(at(run, "total.bytes_per_second")) -
			    67108864 / 0.052) < 0.01);
	assert_integer(run, "total.cpu.user_ns", 10000000);
	assert_true(json_real_value(at(run, "total.cpu.seconds_per_gib")) == 0.81);
	assert_integer(run, "total.latency_ns.p99_9", 120000);
	assert_integer(run, "total.latency_ns.max", 1400000);
	/* empty buckets are left out */
	assert_int_equal(json_array_size(at(run, "total.latency_ns.histogram")), 2);
	assert_integer(run, "total.latency_ns.histogram.1.0", 1400000);
	assert_integer(run, "total.latency_ns.histogram.1.1", 512);
	assert_integer(run, "total.in_flight.max", 1);
	assert_integer(run, "total.transfer.mapped", 1024);
	assert_integer(run, "total.transfer.cached", 0);
	assert_null(at(run, "total.digest"));
	assert_int_equal(json_array_size(at(run, "intervals")), 0);
	json_decref(root);
	sgs_result_free(&result);
}

static void json_device(void **state)
{
	struct sgs_result result = good_result(2, 512);
	json_t *root = json_of("two", &result), *device = at(root, "runs.0.devices.1");
	(void)state;

	assert_text(device, "path", "/dev/sg2");
	assert_text(device, "sg_path", "/dev/sg2");
	assert_text(device, "block_path", "/dev/sdb");
	assert_text(device, "hctl", "1:0:0:0");
	assert_text(device, "vendor", "Linux");
	assert_text(device, "product", "scsi_debug");
	assert_text(device, "revision", "0191");
	assert_text(device, "serial", "2000");
	assert_text(device, "lu_name", "naa.3333333000002710");
	assert_integer(device, "block_bytes", 512);
	assert_integer(device, "blocks", 131072);
	assert_integer(device, "bs_bytes", 65536);
	assert_integer(device, "goal_bytes", 67108864);
	assert_integer(device, "status", 0);
	assert_integer(device, "probe_commands", 1);
	assert_integer(device, "commands", 512);
	assert_integer(device, "latency_ns.p50", 46100);
	assert_null_at(device, "controller.numa_node");
	assert_text(device, "controller.driver", "scsi_debug");
	assert_integer(root, "runs.0.total.commands", 1024);
	json_decref(root);
	sgs_result_free(&result);
}

static void json_of_a_file(void **state)
{
	struct sgs_result result = good_result(1, 16);
	struct sgs_device *device = &result.run.devices[0].device;
	json_t *root;
	(void)state;

	memset(device, 0, sizeof(*device));
	snprintf(device->path, sizeof(device->path), "/tmp/image");
	device->node = SGS_NODE_FILE;
	device->block_bytes = 1;
	device->blocks = 16 * 65536;
	device->controller.host = device->controller.numa_node = -1;
	result.run.devices[0].goal_bytes = UINT64_MAX;
	root = json_of("file", &result);
	assert_null(at(root, "runs.0.devices.0.sg_path"));
	assert_null(at(root, "runs.0.devices.0.block_path"));
	assert_null_at(root, "runs.0.devices.0.hctl");
	assert_null_at(root, "runs.0.devices.0.goal_bytes");
	assert_null_at(root, "runs.0.devices.0.controller.host");
	assert_text(root, "runs.0.devices.0.vendor", "");
	json_decref(root);
	sgs_result_free(&result);
}

static void json_digest(void **state)
{
	struct sgs_result result = good_result(1, 16);
	json_t *root;
	(void)state;

	result.run.total.digest =
		(struct sgs_digest){ .valid = true, .high = 1, .low = 0xfedcba9876543210 };
	root = json_of("digest", &result);
	assert_text(root, "runs.0.total.digest", "0000000000000001fedcba9876543210");
	assert_null(at(root, "runs.0.devices.0.digest"));
	json_decref(root);
	sgs_result_free(&result);
}

static void json_intervals(void **state)
{
	struct sgs_result result = good_result(1, 16);
	json_t *root;
	(void)state;

	result.run.n_intervals = 2;
	result.run.intervals = calloc(2, sizeof(*result.run.intervals));
	result.run.intervals[1] = (struct sgs_interval){ 2000, 1000, 65536, 1 };
	root = json_of("intervals", &result);
	assert_integer(root, "runs.0.intervals.1.at_ns", 2000);
	assert_integer(root, "runs.0.intervals.1.span_ns", 1000);
	assert_integer(root, "runs.0.intervals.1.bytes", 65536);
	assert_integer(root, "runs.0.intervals.1.commands", 1);
	json_decref(root);
	sgs_result_free(&result);
}

/* Each class under its own name, and neither "none" nor a class without a key. */
static void json_errors(void **state)
{
	struct sgs_result result = good_result(1, 16);
	struct sgs_errors *errors = &result.run.total.errors;
	json_t *root;
	(void)state;

	for (int i = 0; i < SGS_FAULTS; i++)
		errors->by_class[i] = 100 + (unsigned)i;
	errors->retried = 7;
	errors->failed = 3;
	root = json_of("errors", &result);
	assert_int_equal(json_object_size(at(root, "runs.0.total.errors")), SGS_FAULTS - 1 + 2);
	assert_integer(root, "runs.0.total.errors.medium", 100 + SGS_FAULT_MEDIUM);
	assert_integer(root, "runs.0.total.errors.hardware", 100 + SGS_FAULT_HARDWARE);
	assert_integer(root, "runs.0.total.errors.transport", 100 + SGS_FAULT_TRANSPORT);
	assert_integer(root, "runs.0.total.errors.timeout", 100 + SGS_FAULT_TIMEOUT);
	assert_integer(root, "runs.0.total.errors.aborted", 100 + SGS_FAULT_ABORTED);
	assert_integer(root, "runs.0.total.errors.short", 100 + SGS_FAULT_SHORT);
	assert_integer(root, "runs.0.total.errors.other", 100 + SGS_FAULT_OTHER);
	assert_integer(root, "runs.0.total.errors.recovered", 100 + SGS_FAULT_RECOVERED);
	assert_integer(root, "runs.0.total.errors.retried", 7);
	assert_integer(root, "runs.0.total.errors.failed", 3);
	assert_null(at(root, "runs.0.total.errors.none"));
	json_decref(root);
	sgs_result_free(&result);
}

static void json_zero_commands(void **state)
{
	struct sgs_result result = empty_result();
	json_t *root;
	(void)state;

	add_error(&result, SGS_MEDIUM_HARD, "medium");
	root = json_of("error", &result);
	assert_text(root, "status", "error");
	assert_integer(root, "exit_status", 3);
	assert_null_at(root, "runs.0.total.bytes_per_second");
	assert_null_at(root, "runs.0.total.iops");
	assert_null_at(root, "runs.0.total.in_flight.mean");
	assert_null_at(root, "runs.0.total.latency_ns.p50");
	assert_null_at(root, "runs.0.total.latency_ns.max");
	assert_null_at(root, "runs.0.total.cpu.seconds_per_gib");
	assert_null_at(root, "runs.0.total.cpu.host_busy_percent");
	assert_int_equal(json_array_size(at(root, "runs.0.total.latency_ns.histogram")), 0);
	assert_text(root, "messages.0.level", "error");
	assert_text(root, "messages.0.code", "medium");
	assert_text(root, "messages.0.device", "/dev/sg1");
	json_decref(root);
	sgs_result_free(&result);
}

static void json_partial(void **state)
{
	struct sgs_result result = good_result(2, 36);
	json_t *root;
	(void)state;

	result.run.devices[1].status = SGS_MEDIUM_HARD;
	add_error(&result, SGS_MEDIUM_HARD, "medium");
	sgs_result_message(&result, SGS_WARNING, NULL, "short_run", "too short");
	root = json_of("partial", &result);
	assert_text(root, "status", "partial");
	assert_integer(root, "runs.0.devices.0.status", 0);
	assert_integer(root, "runs.0.devices.1.status", 3);
	assert_text(root, "messages.1.level", "warning");
	assert_null(at(root, "messages.1.device"));
	json_decref(root);
	sgs_result_free(&result);
}

static void json_interrupted(void **state)
{
	struct sgs_result result = good_result(1, 36);
	json_t *root;
	(void)state;

	result.signal = SIGINT;
	result.exit_status = SGS_SIGNAL_BASE + SIGINT;
	root = json_of("interrupted", &result);
	assert_text(root, "status", "interrupted");
	assert_integer(root, "exit_status", 130);
	assert_integer(root, "runs.0.total.commands", 36);
	json_decref(root);
	sgs_result_free(&result);
}

static void json_bad_input(void **state)
{
	struct sgs_result result = bad_input();
	json_t *root = json_of("usage", &result);
	(void)state;

	assert_text(root, "status", "error");
	assert_integer(root, "exit_status", 1);
	assert_true(json_is_array(at(root, "runs")));
	assert_int_equal(json_array_size(at(root, "runs")), 0);
	assert_null_at(root, "host.clock");
	assert_text(root, "messages.0.text", "--bs 64B: has a bare B");
	json_decref(root);
	sgs_result_free(&result);
}

static void json_dry_run(void **state)
{
	struct sgs_result result = good_result(1, 0);
	json_t *root;
	(void)state;

	result.run.started = false;
	root = json_of("dry-run", &result);
	assert_text(root, "status", "ok");
	assert_int_equal(json_array_size(at(root, "runs")), 0);
	assert_text(root, "planned.0.engine", "sg-mmap");
	assert_integer(root, "planned.0.devices.0.goal_bytes", 67108864);
	assert_null(at(root, "planned.0.total"));
	assert_null(at(root, "planned.0.devices.0.bytes"));
	json_decref(root);
	sgs_result_free(&result);
}

/* A failure in any round is the call's. */
static void json_rounds(void **state)
{
	struct sgs_result results[3] = { good_result(1, 8), good_result(1, 8), bad_input() };
	json_t *root;
	(void)state;

	results[1].exit_status = SGS_TIMEOUT;
	root = json_of_call("rounds", &call, results, 3);
	assert_int_equal(json_array_size(at(root, "runs")), 2);
	assert_integer(root, "exit_status", SGS_TIMEOUT);
	assert_text(root, "status", "partial");
	assert_text(root, "host.clock", "tsc");
	assert_int_equal(json_array_size(at(root, "messages")), 1);
	json_decref(root);
	for (size_t i = 0; i < 3; i++)
		sgs_result_free(&results[i]);
}

/* Identity strings come printable from src/scsi, but paths and arguments can be anything. */
static void json_hostile(void **state)
{
	static char *const hostile_argv[] = { "sgstream", "/dev/\xff\xc0\xaf", "\x1b[2J\"\\",
		"\xed\xa0\x80", "gr\xc3\xbcn", NULL };
	struct sgs_call made = { .command = "read", .argc = 5, .argv = hostile_argv };
	struct sgs_result result = good_result(1, 8);
	struct sgs_device *device = &result.run.devices[0].device;
	json_t *root;
	(void)state;

	snprintf(device->path, sizeof(device->path), "/dev/\xff\n\"x");
	memcpy(device->identity.vendor, "\xff\x01\"\\\x7f", 6);
	sgs_result_message(&result, SGS_ERROR, "\xfe", "x", "\x80\"\n");
	root = json_of_call("hostile", &made, &result, 1);
	assert_text(root, "argv.1", "/dev/???");
	assert_text(root, "argv.2", "?[2J\"\\");
	assert_text(root, "argv.3", "???");
	assert_text(root, "argv.4", "gr\xc3\xbcn");
	assert_text(root, "runs.0.devices.0.path", "/dev/??\"x");
	assert_text(root, "runs.0.devices.0.vendor", "??\"\\?");
	assert_text(root, "messages.0.text", "?\"?");
	assert_text(root, "started_at", "1970-01-01T00:00:00.000Z");
	json_decref(root);
	sgs_result_free(&result);
}

static void json_huge_counts(void **state)
{
	struct sgs_result result = good_result(1, 8);
	json_t *root;
	(void)state;

	result.run.total.bytes = UINT64_MAX;
	result.run.total.bytes_per_second = 12345678901.0;
	root = json_of("huge", &result);
	assert_integer(root, "runs.0.total.bytes", INT64_MAX);
	assert_true(
		json_real_value(at(root, "runs.0.total.bytes_per_second")) == 12345678901.0);
	json_decref(root);
	sgs_result_free(&result);
}

static void json_full_disk(void **state)
{
	struct sgs_result result = good_result(1, 8);
	FILE *full = fopen("/dev/full", "w");
	(void)state;

	assert_non_null(full);
	assert_int_equal(sgs_report_json(full, &call, &result, 1), -ENOSPC);
	fclose(full);
	full = fopen("/dev/full", "w");
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(sgs_report_json(full, &call, &result, 1), -ENOSPC);
	fclose(full);
	sgs_result_free(&result);
}

static int allocations_left;

static void *scarce_malloc(size_t size)
{
	return allocations_left-- > 0 ? malloc(size) : NULL;
}

/* Whichever allocation fails, that is said, and nothing is leaked or freed twice. */
static void json_without_memory(void **state)
{
	struct sgs_result result = good_result(2, 8);
	FILE *out = fopen("/dev/null", "w");
	int status, allowed = 0;
	(void)state;

	add_error(&result, SGS_MEDIUM_HARD, "medium");
	json_set_alloc_funcs(scarce_malloc, free);
	do {
		allocations_left = allowed++;
		status = sgs_report_json(out, &call, &result, 1);
		assert_true(status <= 0);
	} while (status != 0);
	json_set_alloc_funcs(malloc, free);
	print_message("%d allocations\n", allowed);
	assert_true(allowed > 200);
	fclose(out);
	sgs_result_free(&result);
}

/* ---- list ---- */

static void fill_rows(struct sgs_device_row rows[2])
{
	memset(rows, 0, 2 * sizeof(*rows));
	fill_device(&rows[0].device, "/dev/sg0", "0:0:0:0");
	rows[0].device.limits =
		(struct sgs_limits){ .max_transfer = 524288, .queue_depth = 64 };
	snprintf(rows[1].device.sg_path, sizeof(rows[1].device.sg_path), "/dev/sg1");
	rows[1].device.identity.pdt = -1;
	rows[1].device.controller.host = rows[1].device.controller.numa_node = -1;
	sgs_fail(&rows[1].problem, SGS_FILE, "not_permitted", "cannot open: Permission denied");
}

static void list_as_json(void **state)
{
	struct sgs_device_row rows[2];
	struct sgs_result messages = { 0 };
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	json_t *root;
	(void)state;

	fill_rows(rows);
	assert_int_equal(sgs_report_list_json(out, &list_call, rows, 2, false, &messages), 0);
	fclose(out);
	root = parse("list", text);
	assert_text(root, "command", "list");
	assert_text(root, "status", "ok");
	assert_text(root, "devices.0.sg_path", "/dev/sg0");
	assert_text(root, "devices.0.block_path", "/dev/sdb");
	assert_text(root, "devices.0.type", "disk");
	assert_text(root, "devices.0.product", "scsi_debug");
	assert_integer(root, "devices.0.blocks", 131072);
	assert_integer(root, "devices.0.limits.max_transfer_bytes", 524288);
	assert_null_at(root, "devices.0.limits.scheduler");
	assert_true(json_is_true(at(root, "devices.0.readable")));
	assert_null_at(root, "devices.0.problem");
	assert_null_at(root, "devices.1.block_path");
	assert_null_at(root, "devices.1.block_bytes");
	assert_null_at(root, "devices.1.type");
	assert_true(json_is_false(at(root, "devices.1.readable")));
	assert_text(root, "devices.1.problem.code", "not_permitted");
	assert_integer(root, "devices.1.problem.status", SGS_FILE);
	json_decref(root);
}

static void list_as_json_without_driver(void **state)
{
	struct sgs_result messages = { 0 };
	struct sgs_error err;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	json_t *root;
	(void)state;

	sgs_fail(&err, SGS_FILE, "no_sg_driver", "modprobe sg");
	sgs_result_error(&messages, NULL, &err);
	assert_int_equal(sgs_report_list_json(out, &list_call, NULL, 0, false, &messages), 0);
	fclose(out);
	root = parse("list-error", text);
	assert_text(root, "status", "error");
	assert_integer(root, "exit_status", SGS_FILE);
	assert_int_equal(json_array_size(at(root, "devices")), 0);
	json_decref(root);
	sgs_result_free(&messages);
}

/* Bad options are answered before it is known what there is to list. */
static void list_that_never_began(void **state)
{
	struct sgs_result result = bad_input();
	json_t *root = json_of_call("list-usage", &list_call, &result, 1);
	(void)state;

	assert_text(root, "command", "list");
	assert_int_equal(json_array_size(at(root, "devices")), 0);
	assert_true(json_is_array(at(root, "devices")));
	assert_null(at(root, "runs"));
	json_decref(root);
	sgs_result_free(&result);
}

/* A row of "sgstream list FILE". */
static void list_of_what_has_no_sg_node(void **state)
{
	struct sgs_device_row row = { 0 };
	struct sgs_result messages = { 0 };
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	json_t *root;
	(void)state;

	snprintf(row.device.path, sizeof(row.device.path), "/tmp/\xff");
	row.device.identity.pdt = -1;
	assert_int_equal(sgs_report_list_json(out, &list_call, &row, 1, false, &messages), 0);
	fclose(out);
	root = parse("list-file", text);
	assert_text(root, "devices.0.path", "/tmp/?");
	assert_null_at(root, "devices.0.sg_path");
	json_decref(root);
	out = open_memstream(&text, &len);
	sgs_report_list_text(out, &row, 1);
	fclose(out);
	assert_has(text, "\n/tmp/? ");
	free(text);
}

static void list_as_text(void **state)
{
	struct sgs_device_row rows[2];
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	(void)state;

	fill_rows(rows);
	sgs_report_list_text(out, rows, 2);
	fclose(out);
	print_message("%s", text);
	assert_has(text, "DEVICE");
	assert_has(text, "PROBLEM");
	assert_has(text, "/dev/sg0");
	assert_has(text, "67.1 MB");
	assert_has(text, "cannot open: Permission denied");
	assert_has_not(text, "\x1b");
	free(text);

	out = open_memstream(&text, &len);
	sgs_report_list_text(out, rows, 1);
	fclose(out);
	assert_has_not(text, "PROBLEM");
	free(text);

	out = open_memstream(&text, &len);
	sgs_report_list_text(out, rows, 0);
	fclose(out);
	assert_string_equal(text, "no sg devices\n");
	free(text);
}

/* ---- text ---- */

static void text_of_one(void **state)
{
	struct sgs_result result = good_result(1, 1024);
	char *text;
	(void)state;

	result.run.total.digest = (struct sgs_digest){ .valid = true, .high = 1, .low = 2 };
	text = text_of(&result, 0);
	assert_string_equal(text,
		"/dev/sg1  Linux scsi_debug 0191  0:0:0:0  67.1 MB (64 MiB)  512-byte blocks"
		"  sg-mmap, 64 KiB per command, depth 1\n"
		"67.1 MB in 0.052 s = 1,291 MB/s (1,231 MiB/s), 19,692 commands/s\n"
		"latency   p50 46.1 us   p99 90.0 us   p99.9 120 us   max 1.40 ms\n"
		"cpu       0.810 s per GiB (user 10.0 ms, system 50.0 ms), host 52 % busy\n"
		"transfer  1,024 mapped (no copy)\n"
		"digest    00000000000000010000000000000002\n"
		"errors    none\n");
	free(text);
	text = text_of(&result, 1);
	assert_has(text, "serial 2000");
	assert_has(text, "naa.3333333000002710");
	assert_has(text, "p99.99 1.30 ms");
	free(text);
	sgs_result_free(&result);
}

static void text_of_several(void **state)
{
	struct sgs_result result = good_result(3, 1024);
	char *text;
	(void)state;

	result.run.total.start_spread_ns = 120000;
	result.run.devices[1].figures.errors.by_class[SGS_FAULT_MEDIUM] = 3;
	result.run.devices[1].figures.errors.failed = 1;
	text = text_of(&result, 0);
	assert_has(text, "3 devices  sg-mmap, 64 KiB per command, depth 1 on each device\n");
	assert_has(text, "3 medium; 1 failed");
	assert_has(text, "\ntotal     201 MB in 0.052 s = 3,872 MB/s (3,692 MiB/s), ");
	assert_has(text, "first done 0.052 s   last done 0.052 s   start spread 120 us");
	assert_has_not(text, "digest");
	for (int i = 1; i <= 3; i++) {
		char row[32];

		snprintf(row, sizeof(row), "\n/dev/sg%d ", i);
		assert_has(text, row);
	}
	free(text);
	text = text_of(&result, 1);
	assert_has(text, "/dev/sg3  Linux scsi_debug 0191  2:0:0:0");
	free(text);
	sgs_result_free(&result);
}

static void text_of_errors(void **state)
{
	struct sgs_result result = good_result(1, 36);
	struct sgs_figures *total = &result.run.total;
	char *text;
	(void)state;

	result.exit_status = SGS_MEDIUM_HARD;
	total->errors.by_class[SGS_FAULT_MEDIUM] = 3;
	total->errors.by_class[SGS_FAULT_TASK_SET_FULL] = 1200;
	total->errors.retried = 2;
	total->errors.failed = 1;
	total->transfer[SGS_COPIED] = 4;
	total->transfer[SGS_CACHED] = 5;
	total->recovery.bytes = 512;
	total->recovery.commands = 1;
	text = text_of(&result, 0);
	assert_has(text, "not all was read; what was:\n");
	assert_has(text, "errors    3 medium, 1,200 task set full; 2 retried; 1 failed\n");
	assert_has(text, "36 mapped (no copy), 4 copied, 5 through the page cache\n");
	assert_has(text, "512 bytes in 1 part, ");
	free(text);
	total->recovery.commands = 2;
	text = text_of(&result, 0);
	assert_has(text, "512 bytes in 2 parts, ");
	free(text);
	sgs_result_free(&result);
}

static void text_of_nothing(void **state)
{
	struct sgs_result result = empty_result();
	char *text = text_of(&result, 1);
	(void)state;

	assert_has(text, "nothing was read\n");
	assert_has(text, "p50 -   p90 -   p99 -   p99.9 -   p99.99 -   max -\n");
	assert_has(text, "cpu       - s per GiB");
	assert_has(text, "transfer  -\n");
	assert_has_not(text, "nan");
	assert_has_not(text, "inf");
	assert_has_not(text, "busy");
	free(text);
	sgs_result_free(&result);
}

static void text_of_an_interrupted_run(void **state)
{
	struct sgs_result result = good_result(1, 36);
	char *text;
	(void)state;

	result.signal = SIGINT;
	result.exit_status = SGS_SIGNAL_BASE + SIGINT;
	text = text_of(&result, 0);
	assert_ptr_equal(
		strstr(text, "interrupted by SIGINT; what was read until then:\n"), text);
	free(text);
	sgs_result_free(&result);
}

static void text_of_what_never_started(void **state)
{
	struct sgs_result result = bad_input();
	char *text = text_of(&result, 0);
	(void)state;

	assert_string_equal(text, "");
	free(text);
	sgs_result_free(&result);

	result = good_result(1, 0);
	result.run.started = false;
	text = text_of(&result, 0);
	assert_has(text, "dry run: nothing was read; would be read: 67.1 MB\n");
	assert_has_not(text, "MB/s");
	free(text);
	result.run.devices[0].goal_bytes = UINT64_MAX;
	text = text_of(&result, 0);
	assert_has(text, "would be read: what the time allows\n");
	free(text);
	sgs_result_free(&result);
}

static void text_of_slow_devices(void **state)
{
	struct sgs_result result = good_result(1, 36);
	char *text;
	(void)state;

	result.run.total.bytes_per_second = 5120;
	result.run.total.iops = 0.078125;
	text = text_of(&result, 0);
	assert_has(text, "= 5,120 B/s = 0.00512 MB/s (0.00488 MiB/s), 0.0781 commands/s\n");
	free(text);
	result.run.total.bytes_per_second = 99.96e6;
	text = text_of(&result, 0);
	assert_has(text, "= 100 MB/s (95.3 MiB/s)");
	free(text);
	result.run.total.bytes_per_second = 12345678901;
	text = text_of(&result, 0);
	assert_has(text, "= 12,346 MB/s (11,774 MiB/s)");
	free(text);
	sgs_result_free(&result);
}

static void text_with_depth(void **state)
{
	struct sgs_result result = good_result(1, 36);
	char *text;
	(void)state;

	result.run.threads = result.run.queue_depth = 4;
	result.run.total.in_flight_mean = 3.917;
	result.run.total.in_flight_max = 4;
	text = text_of(&result, 0);
	assert_has(text, "depth 4, 4 threads\n");
	assert_has(text, "in flight mean 3.92   max 4\n");
	free(text);
	sgs_result_free(&result);
}

/* Where it ran, how full its links were, and who was slow. */
static struct sgs_result result_with_a_way(void)
{
	struct sgs_result result = good_result(2, 36);
	struct sgs_run_result *run = &result.run;

	run->pattern = "random";
	run->seed = 42;
	run->paths = "merge";
	run->devices[1].same_unit = &run->devices[0];
	run->devices[0].placed = (struct sgs_placed){ "controller", 1, "4-7" };
	run->devices[1].placed = (struct sgs_placed){ "anywhere", -1, "" };
	run->devices[0].ceiling = (struct sgs_ceiling){ true, "sas", "port-0:0", 1.2e9, 0.75 };
	run->ceiling = (struct sgs_ceiling){ true, "pcie", "0000:83:00.0", 3.9385e9, 0.875 };
	run->straggler = (struct sgs_straggler){ true, 1, 0.25 };
	run->total.in_flight_mean = 8;
	run->total.in_flight_reached = 5;
	run->n_completions = 1;
	run->completions = calloc(1, sizeof(*run->completions));
	run->completions[0].controller = &run->devices[0].device.controller;
	run->completions[0].n_cpus = 10;
	run->completions[0].cpus = calloc(10, sizeof(*run->completions[0].cpus));
	for (unsigned i = 0; i < 10; i++)
		run->completions[0].cpus[i] = (struct sgs_cpu_interrupts){ i, 1000 + i };
	return result;
}

static void json_of_the_way(void **state)
{
	struct sgs_result result = result_with_a_way();
	json_t *root = json_of("way", &result), *run = at(root, "runs.0");
	(void)state;

	assert_integer(run, "seed", 42);
	assert_text(run, "paths", "merge");
	assert_text(run, "devices.1.same_unit_as", result.run.devices[0].device.path);
	assert_text(run, "devices.0.placement.by", "controller");
	assert_integer(run, "devices.0.placement.node", 1);
	assert_text(run, "devices.0.placement.cpus", "4-7");
	assert_null_at(run, "devices.1.placement.node");
	assert_null_at(run, "devices.1.placement.cpus");
	assert_text(run, "devices.0.ceiling.name", "port-0:0");
	assert_text(run, "ceiling.kind", "pcie");
	assert_text(run, "straggler.device", result.run.devices[1].device.path);
	assert_integer(run, "completions.0.cpus.9.interrupts", 1009);
	json_decref(root);
	sgs_result_free(&result);
}

static void text_of_the_way(void **state)
{
	struct sgs_result result = result_with_a_way();
	char *text = text_of(&result, 1);
	(void)state;

	assert_has(text, ", random, seed 42");
	assert_has(text, " are one unit (");
	assert_has(text, "), read once over both");
	assert_has(text, "readers   CPUs 4-7 of NUMA node 1, where the controller is\n");
	assert_has(text,
		"ceiling   0.875 of the pcie link 0000:83:00.0, which carries 3,939 MB/s");
	assert_has(text, "CPU 7 1,007, others 2,017\n");
	assert_has(text, "in flight mean 8.00");
	assert_has(text, "of which the drives' queues take 5.00\n");
	free(text);
	text = text_of(&result, 0);
	assert_has_not(text, "interrupts");
	free(text);
	sgs_result_free(&result);
}

/* ---- messages and progress ---- */

static void message_lines(void **state)
{
	struct sgs_result result = { 0 };
	char *text;
	size_t len;
	FILE *err = open_memstream(&text, &len);
	(void)state;

	sgs_result_message(&result, SGS_INFO, NULL, "a", "waits");
	sgs_result_message(&result, SGS_WARNING, "/dev/sg1", "b", "was copied");
	sgs_result_message(&result, SGS_ERROR, "/dev/sg1", "c", "cannot open");
	sgs_result_message(&result, SGS_ERROR, "/dev/sg1", "d", "/dev/sg1: is a tape");
	sgs_result_message(&result, SGS_ERROR, "/dev/sg1", "e", "/dev/sg11: is another");
	sgs_report_messages(err, &result, 0);
	fclose(err);
	assert_string_equal(text, "sgstream: note: waits\n"
				  "sgstream: warning: /dev/sg1: was copied\n"
				  "sgstream: /dev/sg1: cannot open\n"
				  "sgstream: /dev/sg1: is a tape\n"
				  "sgstream: /dev/sg1: /dev/sg11: is another\n");
	free(text);
	err = open_memstream(&text, &len);
	sgs_report_messages(err, &result, 1);
	fclose(err);
	assert_has_not(text, "note");
	assert_has_not(text, "warning");
	assert_has(text, "sgstream: /dev/sg1: cannot open\n");
	free(text);
	sgs_result_free(&result);
}

static const struct sgs_progress half = {
	.at_ns = 2000000000,
	.span_ns = 1000000000,
	.bytes = 2000000000,
	.span_bytes = 1290000000,
	.commands = 30518,
	.goal_bytes = 4000000000,
};

static void interval_line(void **state)
{
	struct sgs_progress now = half;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	(void)state;

	sgs_report_interval(out, &now);
	now.span_ns = 0;
	sgs_report_interval(out, &now);
	fclose(out);
	assert_string_equal(text, "at 2.000 s: 1,290 MB/s (1,230 MiB/s), 2.00 GB and 30,518 "
				  "commands so far\n"
				  "at 2.000 s: - MB/s (- MiB/s), 2.00 GB and 30,518 "
				  "commands so far\n");
	free(text);
}

static char *progress_of(const struct sgs_progress *now, int columns)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	sgs_report_progress(out, now, columns);
	fclose(out);
	print_message("%s\n", text + 1);
	assert_int_equal(text[0], '\r');
	return text;
}

static void progress_lines(void **state)
{
	struct sgs_progress now = half;
	char *text = progress_of(&now, 80);
	(void)state;

	assert_int_equal(strlen(text), 80);
	assert_has(text,
		"[###############---------------]  50 %  1,290 MB/s (1,230 MiB/s), 2 s left");
	free(text);
	text = progress_of(&now, 30); /* no room for a bar; never wider than the terminal */
	assert_int_equal(strlen(text), 30);
	assert_has_not(text, "[");
	free(text);
	text = progress_of(&now, 100000);
	assert_true(strlen(text) < 600);
	free(text);
	text = progress_of(NULL, 20);
	assert_string_equal(text, "\r                   \r");
	free(text);
}

static void progress_ends(void **state)
{
	struct sgs_progress now = half;
	char *text;
	(void)state;

	now.goal_bytes = 0;
	text = progress_of(&now, 80);
	assert_has(text, "2.00 GB  1,290 MB/s");
	assert_has_not(text, "[");
	assert_has_not(text, "left");
	free(text);
	now.runtime_ns = 8000000000;
	text = progress_of(&now, 80);
	assert_has(text, " 25 %");
	assert_has(text, "6 s left");
	free(text);
	now.goal_bytes = 4000000000; /* the nearer end counts */
	text = progress_of(&now, 80);
	assert_has(text, " 50 %");
	free(text);
	now.bytes = 5000000000; /* more than the goal, as a last transfer may be */
	text = progress_of(&now, 80);
	assert_has(text, "100 %");
	assert_has_not(text, "left");
	free(text);
	memset(&now, 0, sizeof(now));
	now.goal_bytes = 1;
	text = progress_of(&now, 80); /* nothing yet: no rate, no guess */
	assert_has(text, "  0 %  - MB/s");
	assert_has_not(text, "left");
	free(text);
	for (int columns = -1; columns < 4; columns++)
		free(progress_of(&half, columns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_head),
		cmocka_unit_test(json_run),
		cmocka_unit_test(json_device),
		cmocka_unit_test(json_of_a_file),
		cmocka_unit_test(json_digest),
		cmocka_unit_test(json_intervals),
		cmocka_unit_test(json_errors),
		cmocka_unit_test(json_zero_commands),
		cmocka_unit_test(json_partial),
		cmocka_unit_test(json_interrupted),
		cmocka_unit_test(json_bad_input),
		cmocka_unit_test(json_dry_run),
		cmocka_unit_test(json_rounds),
		cmocka_unit_test(json_hostile),
		cmocka_unit_test(json_huge_counts),
		cmocka_unit_test(json_full_disk),
		cmocka_unit_test(json_without_memory),
		cmocka_unit_test(list_as_json),
		cmocka_unit_test(list_as_json_without_driver),
		cmocka_unit_test(list_that_never_began),
		cmocka_unit_test(list_of_what_has_no_sg_node),
		cmocka_unit_test(list_as_text),
		cmocka_unit_test(text_of_one),
		cmocka_unit_test(text_of_several),
		cmocka_unit_test(text_of_errors),
		cmocka_unit_test(text_of_nothing),
		cmocka_unit_test(text_of_an_interrupted_run),
		cmocka_unit_test(text_of_what_never_started),
		cmocka_unit_test(text_of_slow_devices),
		cmocka_unit_test(text_with_depth),
		cmocka_unit_test(json_of_the_way),
		cmocka_unit_test(text_of_the_way),
		cmocka_unit_test(message_lines),
		cmocka_unit_test(interval_line),
		cmocka_unit_test(progress_lines),
		cmocka_unit_test(progress_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
