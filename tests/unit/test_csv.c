/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CSV of results built by hand, read back by a reader that takes RFC 4180 and nothing else.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <locale.h>
#include <signal.h>

#include <cmocka.h>

#include "fake_result.h"

enum { MAX_COLUMNS = 100, MAX_ROWS = 16 };

static const struct sgs_call call = {
	.command = "read",
	.started_at = { .tv_sec = 1700000000, .tv_nsec = 7999999 },
};

/* The columns that there are, in their order: new ones come last. */
static const char header[] =
	"started_at,command,run,row,path,sg_path,block_path,hctl,vendor,product,revision,"
	"serial,"
	"lu_name,block_bytes,blocks,engine,bs_bytes,threads,queue_depth,pattern,devices,status,"
	"exit_status,goal_bytes,bytes,commands,elapsed_ns,bytes_per_second,iops,first_done_ns,"
	"last_done_ns,start_spread_ns,latency_min_ns,latency_mean_ns,latency_p50_ns,"
	"latency_p90_ns,latency_p99_ns,latency_p99_9_ns,latency_p99_99_ns,latency_max_ns,"
	"in_flight_mean,in_flight_max,cpu_user_ns,cpu_system_ns,cpu_seconds_per_gib,"
	"host_busy_percent,transfer_mapped,transfer_direct,transfer_copied,transfer_cached,"
	"errors_recovered,errors_medium,errors_hardware,errors_transport,errors_timeout,"
	"errors_aborted,errors_short,errors_unit_attention,errors_deferred,errors_not_ready,"
	"errors_busy,errors_task_set_full,errors_illegal_request,errors_invalid_op,"
	"errors_data_protect,errors_reservation,errors_gone,errors_host,errors_other,"
	"errors_retried,errors_failed,digest,probe_commands,page_faults_minor,"
	"page_faults_major,output_bytes,clock,tool_version,tool_commit,cache_verdict,"
	"cache_sampled_bytes,cache_resident_before_bytes,cache_device_read_bytes,seed,"
	"in_flight_reached,bad_blocks,recovery_commands,recovery_bytes,recovery_ns,"
	"streams,stream_bytes_per_second,frame_bytes,frame_deadline_ns,"
	"frames,frames_late,frames_unread,frame_p99_ns,frame_max_ns";

/* ---- the reader ---- */

struct sheet {
	char *text; /* as written */
	char *cells[MAX_ROWS][MAX_COLUMNS];
	size_t rows, columns; /* without the header, which is row 0 of cells */
};

/* A field without quotes has no quote, a quoted one only doubled ones, neither a line break. */
static char *take_field(const char **at)
{
	char *field = calloc(strlen(*at) + 1, 1), *to = field;
	bool quoted = **at == '"';

	for (*at += quoted; **at; (*at)++) {
		if (quoted && **at == '"' && *++*at != '"')
			return field;
		if (!quoted && (**at == ',' || **at == '\r'))
			return field;
		assert_true(quoted || **at != '"');
		assert_true((unsigned char)**at >= 0x20 && **at != 0x7f);
		*to++ = **at;
	}
	fail_msg("the last field has no end");
	return NULL;
}

static void take_row(struct sheet *sheet, const char **at)
{
	size_t n = 0;

	assert_in_range(sheet->rows, 0, MAX_ROWS - 1);
	for (;; (*at)++) {
		assert_in_range(n, 0, MAX_COLUMNS - 1);
		sheet->cells[sheet->rows][n++] = take_field(at);
		if (**at != ',')
			break;
	}
	assert_memory_equal(*at, "\r\n", 2);
	*at += 2;
	if (sheet->rows++ == 0)
		sheet->columns = n;
	assert_int_equal(n, sheet->columns);
}

static struct sheet read_sheet(const struct sgs_result *results, size_t n)
{
	struct sheet sheet = { 0 };
	size_t len;
	FILE *out = open_memstream(&sheet.text, &len);

	assert_int_equal(sgs_report_csv(out, &call, results, n), 0);
	fclose(out);
	assert_int_equal(strlen(sheet.text), len);
	for (const char *at = sheet.text; *at;)
		take_row(&sheet, &at);
	sheet.rows--;
	return sheet;
}

static void free_sheet(struct sheet *sheet)
{
	for (size_t i = 0; i <= sheet->rows; i++)
		for (size_t j = 0; j < sheet->columns; j++)
			free(sheet->cells[i][j]);
	free(sheet->text);
}

/* A cell by the row, from 1, and the name of the column. */
static const char *cell(const struct sheet *sheet, size_t row, const char *column)
{
	for (size_t i = 0; i < sheet->columns; i++)
		if (strcmp(sheet->cells[0][i], column) == 0)
			return sheet->cells[row][i];
	fail_msg("no column %s", column);
	return NULL;
}

static void assert_cell(
	const struct sheet *sheet, size_t row, const char *column, const char *is)
{
	if (strcmp(cell(sheet, row, column), is) != 0)
		fail_msg("%s of row %zu is \"%s\", not \"%s\"", column, row,
			cell(sheet, row, column), is);
}

/* Each of the columns, which end with NULL. */
static void assert_empty(const struct sheet *sheet, size_t row, const char *const *columns)
{
	for (; *columns; columns++)
		assert_cell(sheet, row, *columns, "");
}

/* ---- tests ---- */

static void columns_stay(void **state)
{
	struct sheet sheet = read_sheet(NULL, 0);
	(void)state;

	assert_int_equal(sheet.rows, 0);
	assert_int_equal(strlen(sheet.text), strlen(header) + 2);
	assert_memory_equal(sheet.text, header, strlen(header));
	free_sheet(&sheet);
}

static void one_device(void **state)
{
	struct sgs_result result = fake_result(1, 1024);
	struct sheet sheet = read_sheet(&result, 1);
	(void)state;

	assert_int_equal(sheet.rows, 2);
	assert_cell(&sheet, 1, "row", "device");
	assert_cell(&sheet, 2, "row", "total");
	for (size_t row = 1; row <= 2; row++) {
		assert_cell(&sheet, row, "started_at", "2023-11-14T22:13:20.007Z");
		assert_cell(&sheet, row, "command", "read");
		assert_cell(&sheet, row, "run", "1");
		assert_cell(&sheet, row, "engine", "sg-mmap");
		assert_cell(&sheet, row, "bs_bytes", "65536");
		assert_cell(&sheet, row, "threads", "1");
		assert_cell(&sheet, row, "queue_depth", "2");
		assert_cell(&sheet, row, "pattern", "seq");
		assert_cell(&sheet, row, "devices", "1");
		assert_cell(&sheet, row, "status", "ok");
		assert_cell(&sheet, row, "exit_status", "0");
		assert_cell(&sheet, row, "goal_bytes", "67108864");
		assert_cell(&sheet, row, "bytes", "67108864");
		assert_cell(&sheet, row, "commands", "1024");
		assert_cell(&sheet, row, "elapsed_ns", "52000000");
		assert_cell(&sheet, row, "bytes_per_second", "1290555076.92");
		assert_cell(&sheet, row, "iops", "19692.3076923");
		assert_cell(&sheet, row, "first_done_ns", "51000001");
		assert_cell(&sheet, row, "start_spread_ns", "1000");
		assert_cell(&sheet, row, "latency_min_ns", "40000");
		assert_cell(&sheet, row, "latency_p50_ns", "46100");
		assert_cell(&sheet, row, "latency_p99_9_ns", "120000");
		assert_cell(&sheet, row, "latency_max_ns", "1400000");
		assert_cell(&sheet, row, "in_flight_mean", "0.98");
		assert_cell(&sheet, row, "transfer_mapped", "1024");
		assert_cell(&sheet, row, "transfer_cached", "0");
		assert_cell(&sheet, row, "errors_medium", "0");
		assert_cell(&sheet, row, "digest", "");
		assert_cell(&sheet, row, "clock", "tsc");
		assert_cell(&sheet, row, "tool_version", sgs_version);
		assert_cell(&sheet, row, "tool_commit", sgs_commit);
	}
	free_sheet(&sheet);
	sgs_result_free(&result);
}

static void what_only_devices_have(void **state)
{
	static const char *const columns[] = { "path", "sg_path", "block_path", "hctl",
		"vendor", "product", "revision", "serial", "lu_name", "block_bytes", "blocks",
		"probe_commands", NULL };
	struct sgs_result result = fake_result(1, 1024);
	struct sheet sheet = read_sheet(&result, 1);
	(void)state;

	assert_cell(&sheet, 1, "path", "/dev/sg0");
	assert_cell(&sheet, 1, "sg_path", "/dev/sg0");
	assert_cell(&sheet, 1, "block_path", "/dev/sda");
	assert_cell(&sheet, 1, "hctl", "0:0:0:0");
	assert_cell(&sheet, 1, "vendor", "Linux");
	assert_cell(&sheet, 1, "product", "scsi_debug");
	assert_cell(&sheet, 1, "revision", "0191");
	assert_cell(&sheet, 1, "serial", "2000");
	assert_cell(&sheet, 1, "lu_name", "naa.3333333000002710");
	assert_cell(&sheet, 1, "block_bytes", "512");
	assert_cell(&sheet, 1, "blocks", "131072");
	assert_cell(&sheet, 1, "probe_commands", "1");
	assert_empty(&sheet, 2, columns);
	free_sheet(&sheet);
	sgs_result_free(&result);
}

static void what_only_totals_have(void **state)
{
	static const char *const columns[] = { "cpu_user_ns", "cpu_system_ns",
		"cpu_seconds_per_gib", "host_busy_percent", "output_bytes", NULL };
	struct sgs_result result = fake_result(1, 1024);
	struct sheet sheet;
	(void)state;

	result.run.has_output = true;
	result.run.output_bytes = 0;
	sheet = read_sheet(&result, 1);
	assert_empty(&sheet, 1, columns);
	assert_cell(&sheet, 2, "cpu_user_ns", "10000000");
	assert_cell(&sheet, 2, "cpu_system_ns", "50000000");
	assert_cell(&sheet, 2, "cpu_seconds_per_gib", "0.8125");
	assert_cell(&sheet, 2, "host_busy_percent", "52.5");
	assert_cell(&sheet, 2, "output_bytes", "0");
	free_sheet(&sheet);
	result.run.has_output = false;
	sheet = read_sheet(&result, 1);
	assert_cell(&sheet, 2, "output_bytes", "");
	free_sheet(&sheet);
	sgs_result_free(&result);
}

static void several_devices(void **state)
{
	struct sgs_result result = fake_result(3, 10);
	struct sheet sheet;
	(void)state;

	result.run.devices[1].bs_bytes = 66560;
	result.run.devices[2].goal_bytes = UINT64_MAX;
	result.run.devices[2].figures.digest =
		(struct sgs_digest){ .valid = true, .high = 1, .low = 0xabcdef };
	sheet = read_sheet(&result, 1);
	assert_int_equal(sheet.rows, 4);
	assert_cell(&sheet, 1, "path", "/dev/sg0");
	assert_cell(&sheet, 3, "path", "/dev/sg2");
	assert_cell(&sheet, 1, "devices", "3");
	assert_cell(&sheet, 2, "bs_bytes", "66560");
	assert_cell(&sheet, 2, "goal_bytes", "655360");
	assert_cell(&sheet, 3, "goal_bytes", "");
	assert_cell(&sheet, 3, "digest", "00000000000000010000000000abcdef");
	assert_cell(&sheet, 4, "row", "total");
	assert_cell(&sheet, 4, "commands", "30");
	assert_cell(&sheet, 4, "goal_bytes", "");
	free_sheet(&sheet);
	sgs_result_free(&result);
}

static void unknown_is_empty(void **state)
{
	static const char *const columns[] = { "bytes_per_second", "iops", "latency_min_ns",
		"latency_mean_ns", "latency_p50_ns", "latency_p90_ns", "latency_p99_ns",
		"latency_p99_9_ns", "latency_p99_99_ns", "latency_max_ns", "in_flight_mean",
		"cpu_seconds_per_gib", "host_busy_percent", "digest", NULL };
	struct sgs_result result = fake_nothing();
	struct sheet sheet;
	(void)state;

	result.clock = NULL;
	result.run.pattern = NULL;
	result.run.devices[0].device.block_bytes = 0;
	memset(&result.run.devices[0].device.identity, 0, sizeof(struct sgs_identity));
	sheet = read_sheet(&result, 1);
	for (size_t row = 1; row <= 2; row++) {
		assert_empty(&sheet, row, columns);
		assert_cell(&sheet, row, "bytes", "0");
		assert_cell(&sheet, row, "commands", "0");
		assert_cell(&sheet, row, "clock", "");
		assert_cell(&sheet, row, "pattern", "");
	}
	assert_cell(&sheet, 1, "block_bytes", "");
	assert_cell(&sheet, 1, "vendor", "");
	free_sheet(&sheet);
	sgs_result_free(&result);
}

static void hostile_names(void **state)
{
	static const struct {
		const char *path, *read;
	} names[] = {
		{ "a,b", "a,b" },
		{ "\"", "\"" },
		{ "say \"x\",\"y\"", "say \"x\",\"y\"" },
		{ " two  words ", " two  words " },
		{ "line\r\nbreak,\n", "line??break,?" },
		{ "\x1b[2J\x7f\xc2\x9b", "?[2J??" },
		{ "\xff\xc0\xaf", "???" },
		{ "\xe2\x82\xac;\t", "\xe2\x82\xac;?" },
		{ "", "" },
	};
	const size_t n = sizeof(names) / sizeof(names[0]);
	struct sgs_result result = fake_result(n, 1);
	struct sheet sheet;
	(void)state;

	for (size_t i = 0; i < n; i++) {
		struct sgs_device *device = &result.run.devices[i].device;

		strcpy(device->path, names[i].path);
		strcpy(device->identity.serial, names[i].path);
	}
	sheet = read_sheet(&result, 1);
	assert_int_equal(sheet.rows, n + 1);
	for (size_t i = 0; i < n; i++) {
		assert_cell(&sheet, i + 1, "path", names[i].read);
		assert_cell(&sheet, i + 1, "serial", names[i].read);
		assert_cell(&sheet, i + 1, "tool_version", sgs_version);
	}
	free_sheet(&sheet);
	sgs_result_free(&result);
}

static void long_path(void **state)
{
	struct sgs_result result = fake_result(1, 1);
	char *path = result.run.devices[0].device.path;
	struct sheet sheet;
	(void)state;

	memset(path, '"', PATH_MAX - 1);
	sheet = read_sheet(&result, 1);
	assert_cell(&sheet, 1, "path", path);
	free_sheet(&sheet);
	sgs_result_free(&result);
}

static void large_counts(void **state)
{
	struct sgs_result result = fake_result(1, 1);
	struct sheet sheet;
	(void)state;

	result.run.total.bytes = UINT64_MAX - 1;
	result.run.total.bytes_per_second = 1.5e20;
	result.run.total.iops = 1e-7;
	sheet = read_sheet(&result, 1);
	assert_cell(&sheet, 2, "bytes", "18446744073709551614");
	assert_true(strtod(cell(&sheet, 2, "bytes_per_second"), NULL) == 1.5e20);
	assert_true(strtod(cell(&sheet, 2, "iops"), NULL) == 1e-7);
	free_sheet(&sheet);
	sgs_result_free(&result);
}

static void statuses(void **state)
{
	struct sgs_result result = fake_result(4, 10);
	struct sgs_device_result *devices = result.run.devices;
	struct sheet sheet;
	(void)state;

	devices[0].status = SGS_MEDIUM_HARD;
	devices[1].status = SGS_MEDIUM_HARD;
	devices[1].figures.bytes = 0;
	devices[2].goal_bytes *= 2;
	result.exit_status = SGS_MEDIUM_HARD;
	result.run.total.errors.by_class[SGS_FAULT_MEDIUM] = 2;
	result.run.total.errors.failed = 2;
	sheet = read_sheet(&result, 1);
	assert_cell(&sheet, 1, "status", "partial");
	assert_cell(&sheet, 1, "exit_status", "3");
	assert_cell(&sheet, 2, "status", "error");
	assert_cell(&sheet, 3, "status", "ok");
	assert_cell(&sheet, 5, "status", "partial");
	assert_cell(&sheet, 5, "exit_status", "3");
	assert_cell(&sheet, 5, "errors_medium", "2");
	assert_cell(&sheet, 5, "errors_failed", "2");
	free_sheet(&sheet);

	result.signal = SIGINT;
	result.exit_status = SGS_SIGNAL_BASE + SIGINT;
	sheet = read_sheet(&result, 1);
	assert_cell(&sheet, 1, "status", "partial");
	assert_cell(&sheet, 3, "status", "interrupted");
	assert_cell(&sheet, 4, "status", "ok"); /* had reached its goal */
	assert_cell(&sheet, 5, "status", "interrupted");
	assert_cell(&sheet, 5, "exit_status", "130");
	free_sheet(&sheet);
	sgs_result_free(&result);
}

static void each_class_has_its_column(void **state)
{
	struct sgs_result result = fake_result(1, 10);
	struct sheet sheet;
	char column[64], count[32];
	(void)state;

	for (int i = 0; i < SGS_FAULTS; i++)
		result.run.total.errors.by_class[i] = 100 + (uint64_t)i;
	sheet = read_sheet(&result, 1);
	for (int i = 1; i < SGS_FAULTS; i++) {
		snprintf(column, sizeof(column), "errors_%s",
			sgs_fault_name((enum sgs_fault_class)i));
		snprintf(count, sizeof(count), "%d", 100 + i);
		assert_cell(&sheet, 2, column, count);
	}
	free_sheet(&sheet);
	sgs_result_free(&result);
}

static void several_runs(void **state)
{
	struct sgs_result results[] = { fake_result(1, 5), fake_refusal(SGS_USAGE),
		fake_result(2, 7) };
	struct sheet sheet = read_sheet(results, 3);
	(void)state;

	assert_int_equal(sheet.rows, 5);
	assert_cell(&sheet, 2, "run", "1");
	assert_cell(&sheet, 3, "run", "2");
	assert_cell(&sheet, 5, "run", "2");
	assert_cell(&sheet, 5, "row", "total");
	assert_cell(&sheet, 5, "commands", "14");
	free_sheet(&sheet);
	for (size_t i = 0; i < 3; i++)
		sgs_result_free(&results[i]);
}

static void page_cache(void **state)
{
	static const char *const columns[] = { "cache_verdict", "cache_sampled_bytes",
		"cache_resident_before_bytes", "cache_device_read_bytes", NULL };
	struct sgs_result result = fake_result(1, 10);
	struct sheet sheet = read_sheet(&result, 1);
	(void)state;

	assert_empty(&sheet, 1, columns);
	assert_empty(&sheet, 2, columns);
	free_sheet(&sheet);
	result.run.devices[0].cache = (struct sgs_cache){ .verdict = SGS_CACHE_COLD,
		.sampled_bytes = 4096,
		.resident_known = true,
		.device_read_known = true,
		.device_read_bytes = 655360 };
	result.run.cache.verdict = SGS_CACHE_UNKNOWN;
	sheet = read_sheet(&result, 1);
	assert_cell(&sheet, 1, "cache_verdict", "cold");
	assert_cell(&sheet, 1, "cache_sampled_bytes", "4096");
	assert_cell(&sheet, 1, "cache_resident_before_bytes", "0");
	assert_cell(&sheet, 1, "cache_device_read_bytes", "655360");
	assert_cell(&sheet, 2, "cache_verdict", "unknown");
	assert_cell(&sheet, 2, "cache_resident_before_bytes", "");
	assert_cell(&sheet, 2, "cache_device_read_bytes", "");
	free_sheet(&sheet);
	sgs_result_free(&result);
}

static void nothing_ran(void **state)
{
	struct sgs_result refusal = fake_refusal(SGS_USAGE), planned = fake_result(2, 5);
	struct sheet sheet = read_sheet(&refusal, 1);
	(void)state;

	assert_int_equal(sheet.rows, 0);
	free_sheet(&sheet);
	planned.run.started = false;
	sheet = read_sheet(&planned, 1);
	assert_int_equal(sheet.rows, 0);
	free_sheet(&sheet);
	sgs_result_free(&refusal);
	sgs_result_free(&planned);
}

/* A locale with a decimal comma, compiled when none is installed; NULL without the sources. */
static const char *decimal_comma(const char *folder)
{
	char command[256];
	const char *name = setlocale(LC_ALL, "de_DE.UTF-8");

	if (name)
		return name;
	snprintf(command, sizeof(command),
		"localedef --no-archive -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1", folder,
		folder);
	if (system(command) != 0)
		return NULL;
	setenv("LOCPATH", folder, 1);
	return setlocale(LC_ALL, "de_DE.UTF-8");
}

static void other_locales(void **state)
{
	char folder[] = "/tmp/test_csv.XXXXXX", command[64];
	struct sgs_result result = fake_result(1, 1024);
	const char *name, *point;
	struct sheet sheet;
	(void)state;

	assert_non_null(mkdtemp(folder));
	name = decimal_comma(folder);
	point = localeconv()->decimal_point;
	sheet = read_sheet(&result, 1);
	if (name)
		assert_string_equal(point, ",");
	setlocale(LC_ALL, "C");
	assert_cell(&sheet, 1, "bytes_per_second", "1290555076.92");
	assert_cell(&sheet, 2, "cpu_seconds_per_gib", "0.8125");
	free_sheet(&sheet);
	sgs_result_free(&result);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	if (!name) {
		print_message("there is no locale with a decimal comma, and none to compile\n");
		skip();
	}
}

static void full_disk(void **state)
{
	struct sgs_result result = fake_result(1, 1);
	FILE *out = fopen("/dev/full", "w");
	(void)state;

	assert_non_null(out);
	assert_int_equal(sgs_report_csv(out, &call, &result, 1), -ENOSPC);
	fclose(out);
	sgs_result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_stay),
		cmocka_unit_test(one_device),
		cmocka_unit_test(what_only_devices_have),
		cmocka_unit_test(what_only_totals_have),
		cmocka_unit_test(several_devices),
		cmocka_unit_test(unknown_is_empty),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(long_path),
		cmocka_unit_test(large_counts),
		cmocka_unit_test(statuses),
		cmocka_unit_test(each_class_has_its_column),
		cmocka_unit_test(several_runs),
		cmocka_unit_test(page_cache),
		cmocka_unit_test(nothing_ran),
		cmocka_unit_test(other_locales),
		cmocka_unit_test(full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
