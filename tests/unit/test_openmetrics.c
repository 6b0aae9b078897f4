/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics of results built by hand, read back by a reader that takes what both OpenMetrics 1.0
 * and the Prometheus text format allow, and nothing else. With SGS_TEST_OUT the pages are also
 * written to that folder.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <ctype.h>
#include <errno.h>
#include <signal.h>

#include <cmocka.h>

#include "fake_result.h"

enum { MAX_SAMPLES = 2000, MAX_FAMILIES = 200 };

static const struct sgs_call call = {
	.command = "read",
	.started_at = { .tv_sec = 1700000000, .tv_nsec = 7999999 },
};

/* ---- the reader ---- */

struct family {
	char name[128], type[16], unit[32], help[256];
};

struct sample {
	char *id; /* name and labels, as written */
	const char *value;
	size_t family;
};

struct page {
	char *text;
	struct family families[MAX_FAMILIES];
	struct sample samples[MAX_SAMPLES];
	size_t n_families, n_samples;
};

static void assert_name(const char *name, size_t len, bool of_label)
{
	assert_true(len > 0);
	assert_true(isalpha((unsigned char)name[0]));
	for (size_t i = 0; i < len; i++)
		assert_true(islower((unsigned char)name[i]) ||
			    isdigit((unsigned char)name[i]) || name[i] == '_');
	assert_true(of_label || strncmp(name, "sgstream_", 9) == 0);
}

static bool ends_with(const char *text, size_t len, const char *end)
{
	return len > strlen(end) && strncmp(text + len - strlen(end), end, strlen(end)) == 0;
}

/* "# TYPE name word": a family begins, which no line before has named. */
static void take_type(struct page *page, const char *name, const char *type)
{
	struct family *family = &page->families[page->n_families];

	assert_true(page->n_families < MAX_FAMILIES);
	assert_name(name, strlen(name), false);
	for (size_t i = 0; i < page->n_families; i++)
		assert_string_not_equal(page->families[i].name, name);
	assert_true(strcmp(type, "gauge") == 0 || strcmp(type, "histogram") == 0);
	snprintf(family->name, sizeof(family->name), "%s", name);
	snprintf(family->type, sizeof(family->type), "%s", type);
	page->n_families++;
}

/* The suffixes that mean something in another type. */
static void assert_suffix_of_gauge(const char *name)
{
	static const char *const suffixes[] = { "_total", "_created", "_count", "_sum",
		"_bucket", "_gcount", "_gsum" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		assert_false(ends_with(name, strlen(name), suffixes[i]));
}

static void take_comment(struct page *page, char *line)
{
	struct family *family = page->n_families ? &page->families[page->n_families - 1] : NULL;
	char *rest = line + 2, *word = strsep(&rest, " "), *name = strsep(&rest, " ");

	assert_non_null(rest);
	if (strcmp(word, "TYPE") == 0) {
		take_type(page, name, rest);
		return;
	}
	assert_non_null(family);
	assert_string_equal(name, family->name);
	if (strcmp(word, "UNIT") == 0) {
		assert_true(ends_with(name, strlen(name), rest));
		assert_true(name[strlen(name) - strlen(rest) - 1] == '_');
		snprintf(family->unit, sizeof(family->unit), "%s", rest);
		return;
	}
	assert_string_equal(word, "HELP");
	assert_null(strpbrk(rest, "\\\""));
	snprintf(family->help, sizeof(family->help), "%s", rest);
}

/* Labels from '{' to behind '}'. */
static const char *take_labels(const char *at)
{
	assert_int_equal(*at, '{');
	do {
		size_t len = strcspn(++at, "=");

		assert_name(at, len, true);
		at += len;
		assert_memory_equal(at, "=\"", 2);
		for (at += 2; *at != '"'; at++) {
			assert_true((unsigned char)*at >= 0x20);
			if (*at == '\\' && *++at != '\\' && *at != '"' && *at != 'n')
				fail_msg("an escape that there is not: \\%c", *at);
		}
		at++;
	} while (*at == ',');
	assert_int_equal(*at, '}');
	return at + 1;
}

static void assert_belongs(const struct family *family, const char *name, size_t len)
{
	size_t base = strlen(family->name);
	const char *suffix = name + base;

	assert_true(len >= base && strncmp(name, family->name, base) == 0);
	if (strcmp(family->type, "gauge") == 0) {
		assert_suffix_of_gauge(family->name);
		assert_int_equal(len, base);
		return;
	}
	assert_true(strncmp(suffix, "_bucket{", 8) == 0 || strncmp(suffix, "_count{", 7) == 0 ||
		    strncmp(suffix, "_sum{", 5) == 0);
}

static void assert_number(const char *text)
{
	char *end;

	assert_int_equal(strspn(text, "0123456789.e+-"), strlen(text));
	strtod(text, &end);
	assert_true(end > text && *end == '\0');
}

static void take_sample(struct page *page, char *line)
{
	const char *name_end = line + strcspn(line, "{"), *labels_end;
	struct sample *sample = &page->samples[page->n_samples];

	assert_true(page->n_samples < MAX_SAMPLES);
	assert_true(page->n_families > 0);
	assert_belongs(&page->families[page->n_families - 1], line, (size_t)(name_end - line));
	labels_end = take_labels(name_end);
	assert_int_equal(*labels_end, ' ');
	assert_number(labels_end + 1);
	line[labels_end - line] = '\0';
	for (size_t i = 0; i < page->n_samples; i++)
		assert_string_not_equal(page->samples[i].id, line);
	*sample = (struct sample){ line, labels_end + 1, page->n_families - 1 };
	page->n_samples++;
}

static double number(const struct sample *sample)
{
	return strtod(sample->value, NULL);
}

/* The value of le, from the sample's last label. */
static double bound(const struct sample *sample)
{
	const char *le = strstr(sample->id, ",le=\"");

	assert_non_null(le);
	return strncmp(le + 5, "+Inf", 4) == 0 ? INFINITY : strtod(le + 5, NULL);
}

static bool is_kind(const struct sample *sample, const char *suffix)
{
	return ends_with(sample->id, strcspn(sample->id, "{"), suffix);
}

/* Buckets go up to +Inf, which is followed by the count of all, and by the sum. */
static void assert_histograms(const struct page *page)
{
	for (size_t i = 0; i < page->n_samples; i++) {
		const struct sample *sample = &page->samples[i];

		if (!is_kind(sample, "_bucket"))
			continue;
		if (!isinf(bound(sample))) {
			assert_true(is_kind(sample + 1, "_bucket"));
			assert_true(bound(sample + 1) > bound(sample));
			assert_true(number(sample + 1) >= number(sample));
			continue;
		}
		assert_true(is_kind(sample + 1, "_count") && is_kind(sample + 2, "_sum"));
		assert_string_equal(sample[1].value, sample->value);
	}
}

static void assert_families(const struct page *page)
{
	for (size_t i = 0; i < page->n_families; i++) {
		bool any = false;

		assert_true(page->families[i].help[0] != '\0');
		for (size_t j = 0; j < page->n_samples; j++)
			any |= page->samples[j].family == i;
		assert_true(any);
	}
}

/* For other readers, such as promtool. */
static void keep_page(const char *name, const char *text)
{
	const char *folder = getenv("SGS_TEST_OUT");
	char path[4096];
	FILE *file;

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/%s.prom", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void parse(struct page *page)
{
	char *rest = page->text, *line;

	assert_true(ends_with(page->text, strlen(page->text), "\n# EOF\n"));
	page->text[strlen(page->text) - strlen("\n# EOF\n")] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		if (line[0] == '#')
			take_comment(page, line);
		else
			take_sample(page, line);
	}
	assert_families(page);
	assert_histograms(page);
}

static struct page *read_page(
	const char *kept_as, const struct sgs_result *results, size_t n, const char *name)
{
	struct page *page = calloc(1, sizeof(*page));
	size_t len;
	FILE *out = open_memstream(&page->text, &len);

	assert_int_equal(sgs_report_openmetrics(out, &call, results, n, name), 0);
	fclose(out);
	assert_int_equal(strlen(page->text), len);
	keep_page(kept_as, page->text);
	parse(page);
	return page;
}

static void free_page(struct page *page)
{
	free(page->text);
	free(page);
}

/* Value of a sample by its name, without sgstream_, and labels; NULL when it is not there. */
static const char *find(const struct page *page, const char *id)
{
	for (size_t i = 0; i < page->n_samples; i++)
		if (strcmp(page->samples[i].id + strlen("sgstream_"), id) == 0)
			return page->samples[i].value;
	return NULL;
}

static void assert_sample(const struct page *page, const char *id, const char *value)
{
	const char *found = find(page, id);

	if (!found)
		fail_msg("no sample %s", id);
	if (strcmp(found, value) != 0)
		fail_msg("%s is %s, not %s", id, found, value);
}

/* Of the run, of the first fake device and of the second. */
#define R(name, ...) "run_" name "{run=\"t\",engine=\"sg-mmap\"" __VA_ARGS__ "}"
#define D(name, n, ...)                                                                        \
	"device_" name "{run=\"t\",engine=\"sg-mmap\",device=\"/dev/sg" #n "\",hctl=\"0:0:" #n \
	":0\",serial=\"200" #n "\"" __VA_ARGS__ "}"
#define STATE(name, ...) "run_" name "{run=\"t\"" __VA_ARGS__ "}"

static const struct family *family_of(const struct page *page, const char *name)
{
	for (size_t i = 0; i < page->n_families; i++)
		if (strcmp(page->families[i].name, name) == 0)
			return &page->families[i];
	fail_msg("no family %s", name);
	return NULL;
}

/* ---- tests ---- */

static void state_of_a_run(void **state)
{
	struct sgs_result result = fake_result(1, 1024);
	struct page *page = read_page("ok", &result, 1, "t");
	char id[512];
	(void)state;

	snprintf(id, sizeof(id),
		STATE("info",
			",command=\"read\",engine=\"sg-mmap\",pattern=\"seq\",clock=\"tsc\","
			"version=\"%s\",commit=\"%s\""),
		sgs_version, sgs_commit);
	assert_sample(page, id, "1");
	assert_sample(page, STATE("start_timestamp_seconds"), "1700000000.007");
	assert_sample(page, STATE("status", ",status=\"ok\""), "1");
	assert_sample(page, STATE("status", ",status=\"partial\""), "0");
	assert_sample(page, STATE("status", ",status=\"error\""), "0");
	assert_sample(page, STATE("status", ",status=\"interrupted\""), "0");
	assert_sample(page, STATE("exit_status"), "0");
	free_page(page);
	sgs_result_free(&result);
}

static void figures_of_a_run(void **state)
{
	struct sgs_result result = fake_result(2, 1024);
	struct page *page = read_page("two", &result, 1, "t");
	(void)state;

	assert_sample(page, R("devices"), "2");
	assert_sample(page, R("threads"), "1");
	assert_sample(page, R("queue_depth"), "2");
	assert_sample(page, R("command_size_bytes"), "65536");
	assert_sample(page, R("goal_bytes"), "134217728");
	assert_sample(page, R("read_bytes"), "134217728");
	assert_sample(page, R("commands"), "2048");
	assert_sample(page, R("elapsed_seconds"), "0.052");
	assert_sample(page, R("read_bytes_per_second"), "2581110153.85");
	assert_sample(page, R("first_done_seconds"), "0.051000001");
	assert_sample(page, R("start_spread_seconds"), "0.000001");
	assert_sample(page, R("latency_point_seconds", ",point=\"p99_9\""), "0.00012");
	assert_sample(page, R("in_flight_commands", ",point=\"mean\""), "0.98");
	assert_sample(page, R("in_flight_commands", ",point=\"max\""), "1");
	assert_sample(page, R("in_flight_commands", ",point=\"reached\""), "0.98");
	assert_sample(page, R("transfer_commands", ",way=\"mapped\""), "2048");
	assert_sample(page, R("transfer_commands", ",way=\"cached\""), "0");
	assert_sample(page, R("errors", ",class=\"task_set_full\""), "0");
	assert_sample(page, R("cpu_seconds", ",mode=\"user\""), "0.01");
	assert_sample(page, R("cpu_seconds", ",mode=\"system\""), "0.05");
	assert_sample(page, R("cpu_seconds_per_byte"), "7.56699591875e-10");
	assert_sample(page, R("host_busy_ratio"), "0.525");
	assert_null(find(page, R("output_bytes")));
	free_page(page);
	sgs_result_free(&result);
}

static void figures_of_devices(void **state)
{
	struct sgs_result result = fake_result(2, 1024);
	struct page *page;
	(void)state;

	result.run.devices[1].status = SGS_MEDIUM_HARD;
	result.run.devices[1].figures.errors.by_class[SGS_FAULT_MEDIUM] = 7;
	result.run.devices[1].figures.errors.retried = 6;
	result.run.devices[1].figures.errors.failed = 1;
	page = read_page("devices", &result, 1, "t");
	assert_sample(page,
		D("info", 0,
			",vendor=\"Linux\",product=\"scsi_debug\",revision=\"0191\","
			"lu_name=\"naa.3333333000002710\",sg_path=\"/dev/sg0\","
			"block_path=\"/dev/sda\",driver=\"scsi_debug\",pci=\"\""),
		"1");
	assert_sample(page, D("read_bytes", 0), "67108864");
	assert_sample(page, D("capacity_bytes", 1), "67108864");
	assert_sample(page, D("block_size_bytes", 1), "512");
	assert_sample(page, D("probe_commands", 1), "1");
	assert_sample(page, D("status", 0, ",status=\"ok\""), "1");
	assert_sample(page, D("status", 1, ",status=\"ok\""), "0");
	assert_sample(page, D("status", 1, ",status=\"partial\""), "1");
	assert_sample(page, D("exit_status", 1), "3");
	assert_sample(page, D("errors", 1, ",class=\"medium\""), "7");
	assert_sample(page, D("retried_commands", 1), "6");
	assert_sample(page, D("failed_commands", 1), "1");
	assert_null(find(page, D("cpu_seconds", 1, ",mode=\"user\"")));
	free_page(page);
	sgs_result_free(&result);
}

static void types_and_units(void **state)
{
	struct sgs_result result = fake_result(1, 1024);
	struct page *page = read_page("units", &result, 1, "t");
	(void)state;

	assert_string_equal(
		family_of(page, "sgstream_device_latency_seconds")->type, "histogram");
	assert_string_equal(
		family_of(page, "sgstream_device_latency_seconds")->unit, "seconds");
	assert_string_equal(family_of(page, "sgstream_run_read_bytes")->unit, "bytes");
	assert_string_equal(family_of(page, "sgstream_run_host_busy_ratio")->unit, "ratio");
	assert_string_equal(family_of(page, "sgstream_run_status")->unit, "");
	free_page(page);
	sgs_result_free(&result);
}

/* A value counts below a bound only when all of its bucket is below. */
static void histogram(void **state)
{
	struct sgs_result result = fake_result(1, 1000);
	struct sgs_latency *latency = &result.run.total.latency;
	struct page *page;
	(void)state;

	latency->upper_ns[0] = 1000;
	latency->upper_ns[1] = 100001;
	latency->upper_ns[2] = 60000000000;
	latency->counts[0] = 600;
	latency->counts[1] = 399;
	latency->counts[2] = 1;
	page = read_page("histogram", &result, 1, "t");
	assert_sample(page, R("latency_seconds_bucket", ",le=\"1e-06\""), "600");
	assert_sample(page, R("latency_seconds_bucket", ",le=\"0.0001\""), "600");
	assert_sample(page, R("latency_seconds_bucket", ",le=\"0.0002\""), "999");
	assert_sample(page, R("latency_seconds_bucket", ",le=\"1.0\""), "999");
	assert_sample(page, R("latency_seconds_bucket", ",le=\"50.0\""), "999");
	assert_sample(page, R("latency_seconds_bucket", ",le=\"+Inf\""), "1000");
	assert_sample(page, R("latency_seconds_count"), "1000");
	assert_sample(page, R("latency_seconds_sum"), "0.0502");
	assert_sample(page, D("latency_seconds_bucket", 0, ",le=\"5e-05\""), "500");
	free_page(page);
	sgs_result_free(&result);
}

static void zero_commands(void **state)
{
	struct sgs_result result = fake_nothing();
	struct page *page;
	(void)state;

	result.run.devices[0].goal_bytes = UINT64_MAX;
	page = read_page("zero", &result, 1, "t");
	assert_sample(page, R("read_bytes"), "0");
	assert_sample(page, R("commands"), "0");
	assert_sample(page, R("elapsed_seconds"), "0");
	assert_sample(page, R("latency_seconds_bucket", ",le=\"+Inf\""), "0");
	assert_sample(page, R("latency_seconds_sum"), "0");
	assert_null(find(page, R("read_bytes_per_second")));
	assert_null(find(page, R("goal_bytes")));
	assert_null(find(page, R("latency_point_seconds", ",point=\"max\"")));
	assert_null(find(page, R("in_flight_commands", ",point=\"mean\"")));
	assert_null(find(page, R("cpu_seconds_per_byte")));
	assert_null(find(page, R("host_busy_ratio")));
	free_page(page);
	sgs_result_free(&result);
}

static void interrupted(void **state)
{
	struct sgs_result result = fake_result(1, 10);
	struct page *page;
	(void)state;

	result.signal = SIGTERM;
	result.exit_status = SGS_SIGNAL_BASE + SIGTERM;
	result.run.devices[0].goal_bytes *= 2;
	page = read_page("interrupted", &result, 1, "t");
	assert_sample(page, STATE("status", ",status=\"interrupted\""), "1");
	assert_sample(page, STATE("status", ",status=\"ok\""), "0");
	assert_sample(page, STATE("exit_status"), "143");
	assert_sample(page, D("status", 0, ",status=\"interrupted\""), "1");
	assert_sample(page, R("read_bytes"), "655360");
	free_page(page);
	sgs_result_free(&result);
}

static void page_cache(void **state)
{
	struct sgs_result result = fake_result(1, 10);
	struct page *page;
	(void)state;

	result.run.devices[0].cache.verdict = SGS_CACHE_WARM;
	page = read_page("cache", &result, 1, "t");
	assert_sample(page, D("page_cache", 0, ",verdict=\"warm\""), "1");
	assert_sample(page, D("page_cache", 0, ",verdict=\"cold\""), "0");
	assert_sample(page, D("page_cache", 0, ",verdict=\"unknown\""), "0");
	assert_null(find(page, R("page_cache", ",verdict=\"warm\"")));
	free_page(page);
	sgs_result_free(&result);
}

static void nothing_ran(void **state)
{
	struct sgs_result result = fake_refusal(SGS_FILE);
	struct page *page = read_page("refusal", &result, 1, "t");
	(void)state;

	assert_sample(page, STATE("status", ",status=\"error\""), "1");
	assert_sample(page, STATE("exit_status"), "15");
	assert_sample(page, STATE("start_timestamp_seconds"), "1700000000.007");
	assert_int_equal(page->n_families, 4);
	free_page(page);
	sgs_result_free(&result);
}

static void hostile_names(void **state)
{
	static const struct {
		const char *path, *label;
	} names[] = {
		{ "\"},x{y=\"", "\\\"},x{y=\\\"" },
		{ "back\\slash\\n", "back\\\\slash\\\\n" },
		{ "line\nbreak", "line?break" },
		{ "\x1b[2J\xff", "?[2J?" },
		{ "\xe2\x82\xac, two words", "\xe2\x82\xac, two words" },
		{ "", "" },
	};
	const size_t n = sizeof(names) / sizeof(names[0]);
	struct sgs_result result = fake_result(n, 1);
	struct page *page;
	char id[256];
	(void)state;

	for (size_t i = 0; i < n; i++)
		strcpy(result.run.devices[i].device.path, names[i].path);
	page = read_page("hostile", &result, 1, "my \"run\"\\\n");
	for (size_t i = 0; i < n; i++) {
		snprintf(id, sizeof(id),
			"device_commands{run=\"my \\\"run\\\"\\\\?\",engine=\"sg-mmap\","
			"device=\"%s\",hctl=\"0:0:%zu:0\",serial=\"%zu\"}",
			names[i].label, i, 2000 + i);
		assert_sample(page, id, "1");
	}
	free_page(page);
	sgs_result_free(&result);
}

/* Also names that are the same only when they are printable. */
static void the_same_device_again(void **state)
{
	struct sgs_result result = fake_result(5, 1);
	struct page *page;
	(void)state;

	for (size_t i = 0; i < 5; i++) {
		fake_device(&result.run.devices[i].device, "/dev/sg0", i == 1 ? 1 : 0);
		result.run.devices[i].figures.commands = i;
	}
	strcpy(result.run.devices[3].device.path, "a\x01");
	strcpy(result.run.devices[4].device.path, "a\x02");
	page = read_page("repeat", &result, 1, "t");
	assert_sample(page, D("commands", 0), "0");
	assert_sample(page, D("commands", 0, ",repeat=\"2\""), "2");
	assert_sample(page,
		"device_commands{run=\"t\",engine=\"sg-mmap\",device=\"a?\",hctl=\"0:0:0:0\","
		"serial=\"2000\",repeat=\"2\"}",
		"4");
	free_page(page);
	sgs_result_free(&result);
}

static void several_results(void **state)
{
	struct sgs_result results[] = { fake_result(1, 5), fake_refusal(SGS_USAGE),
		fake_result(2, 7) };
	struct page *page = read_page("rounds", results, 3, "t");
	(void)state;

	assert_sample(page, "run_exit_status{run=\"t\",round=\"2\"}", "1");
	assert_sample(page, "run_commands{run=\"t\",round=\"1\",engine=\"sg-mmap\"}", "5");
	assert_sample(page, "run_commands{run=\"t\",round=\"3\",engine=\"sg-mmap\"}", "14");
	assert_null(find(page, "run_commands{run=\"t\",round=\"2\",engine=\"\"}"));
	free_page(page);
	for (size_t i = 0; i < 3; i++)
		sgs_result_free(&results[i]);
}

static void full_disk(void **state)
{
	struct sgs_result result = fake_result(1, 1);
	FILE *out = fopen("/dev/full", "w");
	(void)state;

	assert_non_null(out);
	assert_int_equal(sgs_report_openmetrics(out, &call, &result, 1, "t"), -ENOSPC);
	fclose(out);
	sgs_result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(state_of_a_run),
		cmocka_unit_test(figures_of_a_run),
		cmocka_unit_test(figures_of_devices),
		cmocka_unit_test(types_and_units),
		cmocka_unit_test(histogram),
		cmocka_unit_test(zero_commands),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(page_cache),
		cmocka_unit_test(nothing_ran),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(the_same_device_again),
		cmocka_unit_test(several_results),
		cmocka_unit_test(full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
