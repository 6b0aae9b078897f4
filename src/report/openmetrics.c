/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results as OpenMetrics 1.0 text, kept to what the Prometheus text format 0.0.4 reads alike:
 * gauges and histograms only, no timestamps. What is of the run is sgstream_run_..., what is of
 * one device sgstream_device_..., so that a sum over a name never counts twice. doc/formats.md
 * has the metrics for their readers.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "report/openmetrics.h"
#include "util/text.h"

#define BYTES_PER_GIB 1073741824.0

enum scope { BOTH, RUN, DEVICE, STATE /* RUN, of every call */ };

enum scale { AS_IS, NS_TO_SECONDS, PERCENT_TO_RATIO, PER_GIB_TO_PER_BYTE };

struct sample {
	const char *word; /* value of the family's label, NULL when it has none */
	struct sgs_field field;
};

struct metrics_family {
	enum scope scope;
	const char *name; /* behind sgstream_run_ or sgstream_device_ */
	const char *unit; /* its end, or NULL */
	const char *help;
	enum scale scale;
	const char *label;
	const struct sample *samples;
	size_t n_samples;
	void (*put)(struct metrics_page *page,
		const struct metrics_line *line); /* instead of the samples */
	const char *type;			  /* NULL: gauge */
};

/* ---- one sample ---- */

static void put_name(struct metrics_page *page, const char *suffix)
{
	fprintf(page->out, "sgstream_%s_%s%s", page->of_devices ? "device" : "run",
		page->family->name, suffix);
}

static const char *whose(const struct metrics_page *page)
{
	if (page->family->scope != BOTH)
		return "";
	return page->of_devices ? "One device: " : "All devices together: ";
}

static void put_head(struct metrics_page *page)
{
	const struct metrics_family *family = page->family;

	fputs("# TYPE ", page->out);
	put_name(page, "");
	fprintf(page->out, " %s\n", family->type ? family->type : "gauge");
	if (family->unit) {
		fputs("# UNIT ", page->out);
		put_name(page, "");
		fprintf(page->out, " %s\n", family->unit);
	}
	fputs("# HELP ", page->out);
	put_name(page, "");
	fprintf(page->out, " %s%s.\n", whose(page), family->help);
	page->headed = true;
}

/* A sample up to the last of the labels that its line has; a family without samples has no
 * head. */
static void begin_labels(
	struct metrics_page *page, const struct metrics_line *line, const char *suffix)
{
	if (!page->headed)
		put_head(page);
	put_name(page, suffix);
	fprintf(page->out, "{%s", page->family->scope == STATE ? line->state : line->labels);
}

/* All of a sample but its value and the end of the line. */
static void begin(struct metrics_page *page, const struct metrics_line *line,
	const char *suffix, const char *label, const char *word)
{
	begin_labels(page, line, suffix);
	if (label)
		sgs_openmetrics_put_label(page->out, ",", label, word);
	fputs("} ", page->out);
}

static void put_whole(struct metrics_page *page, const struct metrics_line *line,
	const char *label, const char *word, uint64_t value)
{
	begin(page, line, "", label, word);
	fprintf(page->out, "%" PRIu64 "\n", value);
}

static double scaled(enum scale scale, double value)
{
	switch (scale) {
	case AS_IS:
		return value;
	case NS_TO_SECONDS:
		return value / 1e9;
	case PERCENT_TO_RATIO:
		return value / 100;
	case PER_GIB_TO_PER_BYTE:
		return value / BYTES_PER_GIB;
	}
	return value;
}

static void put_value(struct metrics_page *page, const struct metrics_line *line,
	const char *word, struct sgs_value value)
{
	const struct metrics_family *family = page->family;

	if (value.kind == SGS_UNKNOWN)
		return;
	begin(page, line, "", family->label, word);
	if (value.kind == SGS_BROKEN)
		sgs_put_real(page->out, scaled(family->scale, value.broken));
	else if (family->scale == NS_TO_SECONDS)
		sgs_put_seconds(page->out, value.whole);
	else
		fprintf(page->out, "%" PRIu64, value.whole);
	fputc('\n', page->out);
}

/* ---- families that are more than figures ---- */

static void put_status(struct metrics_page *page, const struct metrics_line *line)
{
	static const char *const words[] = { "ok", "partial", "error", "interrupted" };
	const char *status = sgs_row_status(&line->row);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		put_whole(page, line, "status", words[i], strcmp(status, words[i]) == 0);
}

static void put_exit_status(struct metrics_page *page, const struct metrics_line *line)
{
	put_whole(page, line, NULL, NULL, (uint64_t)sgs_row_exit_status(&line->row));
}

static void put_start(struct metrics_page *page, const struct metrics_line *line)
{
	const struct timespec *at = &page->call->started_at;

	begin(page, line, "", NULL, NULL);
	fprintf(page->out, "%lld.%03d\n", (long long)at->tv_sec, (int)(at->tv_nsec / 1000000));
}

struct label {
	const char *name, *value;
};

static void put_info(
	struct metrics_page *page, const struct metrics_line *line, const struct label *labels)
{
	begin_labels(page, line, "");
	for (; labels->name; labels++)
		sgs_openmetrics_put_label(page->out, ",", labels->name, labels->value);
	fputs("} 1\n", page->out);
}

static void put_run_info(struct metrics_page *page, const struct metrics_line *line)
{
	const struct sgs_run_result *run = &line->row.result->run;
	const struct label labels[] = {
		{ "command", page->call->command },
		{ "engine", run->engine },
		{ "pattern", run->pattern },
		{ "clock", line->row.result->clock },
		{ "version", sgs_version },
		{ "commit", sgs_commit },
		{ NULL, NULL },
	};

	put_info(page, line, labels);
}

static void put_device_info(struct metrics_page *page, const struct metrics_line *line)
{
	const struct sgs_device *device = &line->row.device->device;
	const struct label labels[] = {
		{ "vendor", device->identity.vendor },
		{ "product", device->identity.product },
		{ "revision", device->identity.revision },
		{ "lu_name", device->identity.lu_name },
		{ "sg_path", device->sg_path },
		{ "block_path", device->block_path },
		{ "driver", device->controller.driver },
		{ "pci", device->controller.pci },
		{ NULL, NULL },
	};

	put_info(page, line, labels);
}

static void put_goal(struct metrics_page *page, const struct metrics_line *line)
{
	put_value(page, line, NULL, sgs_row_goal(&line->row));
}

static void put_devices(struct metrics_page *page, const struct metrics_line *line)
{
	put_whole(page, line, NULL, NULL, line->row.result->run.n_devices);
}

static void put_output(struct metrics_page *page, const struct metrics_line *line)
{
	const struct sgs_run_result *run = &line->row.result->run;

	if (run->has_output)
		put_whole(page, line, NULL, NULL, run->output_bytes);
}

static void put_frames(struct metrics_page *page, const struct metrics_line *line)
{
	const struct sgs_playback *p = line->row.result->run.playback;

	if (!p)
		return;
	put_whole(page, line, "kind", "in_time", p->frames - p->late);
	put_whole(page, line, "kind", "late", p->late);
	put_whole(page, line, "kind", "unread", p->unread);
}

static void put_capacity(struct metrics_page *page, const struct metrics_line *line)
{
	uint64_t bytes = sgs_device_bytes(&line->row.device->device);

	if (bytes > 0)
		put_whole(page, line, NULL, NULL, bytes);
}

/* Of a run that did not go through the page cache there is nothing to say. */
static void put_cache(struct metrics_page *page, const struct metrics_line *line)
{
	enum sgs_cache_verdict verdict = sgs_row_cache(&line->row)->verdict;

	if (verdict == SGS_CACHE_UNJUDGED)
		return;
	for (int i = SGS_CACHE_UNKNOWN; i <= SGS_CACHE_WARM; i++)
		put_whole(page, line, "verdict",
			sgs_cache_verdict_name((enum sgs_cache_verdict)i), (int)verdict == i);
}

static void put_errors(struct metrics_page *page, const struct metrics_line *line)
{
	const struct sgs_errors *errors = &sgs_row_figures(&line->row)->errors;

	for (int fault = SGS_FAULT_NONE + 1; fault < SGS_FAULTS; fault++)
		put_whole(page, line, "class", sgs_fault_name((enum sgs_fault_class)fault),
			errors->by_class[fault]);
}

/* Bounds of the buckets, the same for every run so that results can be laid over one another.
 */
static const struct bound {
	uint64_t ns;
	const char *seconds; /* as OpenMetrics writes a float */
} bounds[] = {
	{ 1000, "1e-06" },
	{ 2000, "2e-06" },
	{ 5000, "5e-06" },
	{ 10000, "1e-05" },
	{ 20000, "2e-05" },
	{ 50000, "5e-05" },
	{ 100000, "0.0001" },
	{ 200000, "0.0002" },
	{ 500000, "0.0005" },
	{ 1000000, "0.001" },
	{ 2000000, "0.002" },
	{ 5000000, "0.005" },
	{ 10000000, "0.01" },
	{ 20000000, "0.02" },
	{ 50000000, "0.05" },
	{ 100000000, "0.1" },
	{ 200000000, "0.2" },
	{ 500000000, "0.5" },
	{ 1000000000, "1.0" },
	{ 2000000000, "2.0" },
	{ 5000000000, "5.0" },
	{ 10000000000, "10.0" },
	{ 20000000000, "20.0" },
	{ 50000000000, "50.0" },
};

static void put_bucket(struct metrics_page *page, const struct metrics_line *line,
	const char *le, uint64_t count)
{
	begin(page, line, "_bucket", "le", le);
	fprintf(page->out, "%" PRIu64 "\n", count);
}

/* Commands of at most a bound for sure: a bucket of the result that reaches over it counts for
 * the next one. */
static void put_histogram(struct metrics_page *page, const struct metrics_line *line)
{
	const struct sgs_latency *latency = &sgs_row_figures(&line->row)->latency;
	uint64_t below = 0;
	size_t next = 0;

	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		for (; next < latency->buckets && latency->upper_ns[next] <= bounds[i].ns;
			next++)
			below += latency->counts[next];
		put_bucket(page, line, bounds[i].seconds, below);
	}
	put_bucket(page, line, "+Inf", latency->count);
	begin(page, line, "_count", NULL, NULL);
	fprintf(page->out, "%" PRIu64 "\n", latency->count);
	begin(page, line, "_sum", NULL, NULL);
	sgs_put_real(page->out, (double)latency->count * (double)latency->mean / 1e9);
	fputc('\n', page->out);
}

/* ---- the families ---- */

#define AT(where, form, known, type, member)                                                 \
	.field.place = SGS_IN_##where, .field.shape = SGS_##form, .field.need = SGS_##known, \
	.field.offset = offsetof(struct type, member)
#define FIGURE(form, known, member) AT(FIGURES, form, known, sgs_figures, member)
#define DEVICE_HAS(form, member)    AT(DEVICE, form, NOT_ZERO, sgs_device_result, member)
#define RUN_HAS(form, member)	    AT(RUN, form, ALWAYS, sgs_run_result, member)
#define LATENCY(point)		    .word = #point, FIGURE(COUNT64, SOME_LATENCY, latency.point)

static const struct sample points[] = {
	{ LATENCY(min) },
	{ LATENCY(mean) },
	{ LATENCY(p50) },
	{ LATENCY(p90) },
	{ LATENCY(p99) },
	{ LATENCY(p99_9) },
	{ LATENCY(p99_99) },
	{ LATENCY(max) },
};

static const struct sample in_flight[] = {
	{ "mean", FIGURE(REAL, SOME_COMMAND, in_flight_mean) },
	{ "max", FIGURE(COUNT32, ALWAYS, in_flight_max) },
	{ "reached", FIGURE(REAL, SOME_COMMAND, in_flight_reached) },
};

static const struct sample transfers[] = {
	{ "mapped", FIGURE(COUNT64, ALWAYS, transfer[SGS_MAPPED]) },
	{ "direct", FIGURE(COUNT64, ALWAYS, transfer[SGS_DIRECT]) },
	{ "copied", FIGURE(COUNT64, ALWAYS, transfer[SGS_COPIED]) },
	{ "cached", FIGURE(COUNT64, ALWAYS, transfer[SGS_CACHED]) },
};

static const struct sample page_faults[] = {
	{ "minor", FIGURE(COUNT64, ALWAYS, minor_faults) },
	{ "major", FIGURE(COUNT64, ALWAYS, major_faults) },
};

static const struct sample cpu_modes[] = {
	{ "user", RUN_HAS(COUNT64, cpu.user_ns) },
	{ "system", RUN_HAS(COUNT64, cpu.system_ns) },
};

/* A sample without a word of its own */
#define ONE(...) .samples = &(const struct sample){ __VA_ARGS__ }, .n_samples = 1
#define EACH(name, list) \
	.label = name, .samples = list, .n_samples = sizeof(list) / sizeof((list)[0])

static const struct metrics_family families[] = {
	{ STATE, "info", NULL, "What was called; always 1", .put = put_run_info },
	{ STATE, "start_timestamp_seconds", "seconds", "When the program was called",
		.put = put_start },
	{ STATE, "status", NULL, "1 for what became of the call, 0 for what did not",
		.put = put_status },
	{ STATE, "exit_status", NULL, "Exit status of the call, 0 when all went well",
		.put = put_exit_status },
	{ RUN, "devices", NULL, "Devices that were read", .put = put_devices },
	{ RUN, "threads", NULL, "Reader threads per device", ONE(RUN_HAS(COUNT32, threads)) },
	{ RUN, "queue_depth", NULL, "Commands in flight per device at the most",
		ONE(RUN_HAS(COUNT32, queue_depth)) },
	{ RUN, "command_size_bytes", "bytes", "Bytes that a command asks for",
		ONE(RUN_HAS(COUNT64, bs_bytes)) },
	{ DEVICE, "info", NULL, "What the device is; always 1", .put = put_device_info },
	{ DEVICE, "status", NULL, "1 for what became of the device, 0 for what did not",
		.put = put_status },
	{ DEVICE, "exit_status", NULL, "Status of the device, 0 when all went well",
		.put = put_exit_status },
	{ DEVICE, "command_size_bytes", "bytes", "Bytes that a command asks for",
		ONE(DEVICE_HAS(COUNT32, bs_bytes)) },
	{ DEVICE, "block_size_bytes", "bytes", "Logical block length",
		ONE(DEVICE_HAS(COUNT32, device.block_bytes)) },
	{ DEVICE, "capacity_bytes", "bytes", "Capacity", .put = put_capacity },
	{ DEVICE, "probe_commands", NULL, "Commands before the clock, to prove the limits",
		ONE(AT(DEVICE, COUNT32, ALWAYS, sgs_device_result, probe_commands)) },
	{ BOTH, "goal_bytes", "bytes", "bytes that were asked for, if a number of bytes was",
		.put = put_goal },
	{ BOTH, "read_bytes", "bytes", "bytes that were read",
		ONE(FIGURE(COUNT64, ALWAYS, bytes)) },
	{ BOTH, "commands", NULL, "commands that gave data",
		ONE(FIGURE(COUNT64, ALWAYS, commands)) },
	{ BOTH, "elapsed_seconds", "seconds", "start of the run to the end of the last command",
		NS_TO_SECONDS, ONE(FIGURE(COUNT64, ALWAYS, elapsed_ns)) },
	{ BOTH, "read_bytes_per_second", NULL, "bytes read by time elapsed",
		ONE(FIGURE(REAL, ELAPSED, bytes_per_second)) },
	{ BOTH, "commands_per_second", NULL, "commands by time elapsed",
		ONE(FIGURE(REAL, ELAPSED, iops)) },
	{ BOTH, "first_done_seconds", "seconds",
		"start of the run to the end of the first reader", NS_TO_SECONDS,
		ONE(FIGURE(COUNT64, ALWAYS, first_done_ns)) },
	{ BOTH, "last_done_seconds", "seconds",
		"start of the run to the end of the last reader", NS_TO_SECONDS,
		ONE(FIGURE(COUNT64, ALWAYS, last_done_ns)) },
	{ BOTH, "start_spread_seconds", "seconds",
		"between the first command of the first reader and that of the last",
		NS_TO_SECONDS, ONE(FIGURE(COUNT64, ALWAYS, start_spread_ns)) },
	{ BOTH, "latency_seconds", "seconds", "latency of commands that gave data",
		.put = put_histogram, .type = "histogram" },
	{ BOTH, "latency_point_seconds", "seconds",
		"latency of commands that gave data, at points of its distribution",
		NS_TO_SECONDS, EACH("point", points) },
	{ BOTH, "in_flight_commands", NULL, "commands in flight at a time",
		EACH("point", in_flight) },
	{ BOTH, "transfer_commands", NULL,
		"commands by the way of their data; mapped and direct are without a copy",
		EACH("way", transfers) },
	{ BOTH, "errors", NULL, "attempts that did not end as asked, also those tried again",
		.put = put_errors },
	{ BOTH, "retried_commands", NULL, "attempts that were issued again",
		ONE(FIGURE(COUNT64, ALWAYS, errors.retried)) },
	{ BOTH, "failed_commands", NULL, "commands that were given up",
		ONE(FIGURE(COUNT64, ALWAYS, errors.failed)) },
	{ BOTH, "bad_blocks", NULL, "blocks that could not be read and were left out",
		ONE(FIGURE(COUNT64, ALWAYS, bad_blocks)) },
	{ BOTH, "recovery_commands", NULL,
		"commands that read the good parts of transfers that failed as a whole",
		ONE(FIGURE(COUNT64, ALWAYS, recovery.commands)) },
	{ BOTH, "recovery_bytes", "bytes", "bytes that came by these",
		ONE(FIGURE(COUNT64, ALWAYS, recovery.bytes)) },
	{ BOTH, "recovery_seconds", "seconds", "time that these transfers took, added up",
		NS_TO_SECONDS, ONE(FIGURE(COUNT64, ALWAYS, recovery.ns)) },
	{ BOTH, "page_faults", NULL, "page faults of the readers while they read",
		EACH("kind", page_faults) },
	{ BOTH, "page_cache", NULL,
		"1 for where the data came from, 0 for where not: the drive (cold), memory "
		"(warm)",
		.put = put_cache },
	{ RUN, "cpu_seconds", "seconds", "CPU time of this process while it read",
		NS_TO_SECONDS, EACH("mode", cpu_modes) },
	{ RUN, "cpu_seconds_per_byte", NULL, "CPU time by bytes read", PER_GIB_TO_PER_BYTE,
		ONE(RUN_HAS(REAL, cpu.seconds_per_gib)) },
	{ RUN, "host_busy_ratio", "ratio", "Share of all CPUs that was busy", PERCENT_TO_RATIO,
		ONE(RUN_HAS(REAL, cpu.host_busy_percent)) },
	{ RUN, "frames", NULL, "Frames of a paced run, those that were due and not read too",
		.put = put_frames },
	{ RUN, "output_bytes", "bytes", "Bytes that were written to --output",
		.put = put_output },
};

static bool shows(const struct metrics_page *page, const struct metrics_line *line)
{
	if ((line->row.device != NULL) != page->of_devices)
		return false;
	return page->family->scope == STATE || line->row.result->run.started;
}

static void put_line(struct metrics_page *page, const struct metrics_line *line)
{
	const struct metrics_family *family = page->family;

	if (family->put)
		family->put(page, line);
	for (size_t i = 0; i < family->n_samples; i++)
		put_value(page, line, family->samples[i].word,
			sgs_field_value(&family->samples[i].field, &line->row));
}

static void put_family(
	struct metrics_page *page, const struct metrics_family *family, bool of_devices)
{
	page->family = family;
	page->of_devices = of_devices;
	page->headed = false;
	for (size_t i = 0; i < page->n; i++)
		if (shows(page, &page->lines[i]))
			put_line(page, &page->lines[i]);
}

static void put_families(struct metrics_page *page)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		if (families[i].scope != DEVICE)
			put_family(page, &families[i], false);
		if (families[i].scope == DEVICE || families[i].scope == BOTH)
			put_family(page, &families[i], true);
	}
	fputs("# EOF\n", page->out);
}

/* ---- the page ---- */

static size_t count_lines(const struct sgs_result *results, size_t n)
{
	size_t lines = n;

	for (size_t i = 0; i < n; i++)
		lines += results[i].run.n_devices;
	return lines;
}

static void add_line(struct metrics_page *page, const struct sgs_result *result,
	const struct sgs_device_result *device, size_t number)
{
	page->lines[page->n++].row = (struct sgs_row){ result, device, number };
}

static void add_lines(struct metrics_page *page, const struct sgs_result *result, size_t number)
{
	add_line(page, result, NULL, number);
	for (size_t i = 0; i < result->run.n_devices; i++)
		add_line(page, result, &result->run.devices[i], number);
}

static void free_lines(struct metrics_page *page)
{
	for (size_t i = 0; i < page->n; i++) {
		free(page->lines[i].labels);
		free(page->lines[i].state);
	}
	free(page->lines);
}

int sgs_report_openmetrics(FILE *out, const struct sgs_call *call,
	const struct sgs_result *results, size_t n, const char *name)
{
	struct metrics_page page = { .out = out, .call = call, .n_results = n };
	int r;

	page.lines = calloc(count_lines(results, n), sizeof(*page.lines));
	if (!page.lines)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		add_lines(&page, &results[i], i + 1);
	r = sgs_openmetrics_label(&page, name);
	errno = 0;
	if (!r) {
		put_families(&page);
		r = sgs_report_flush(out);
	}
	free_lines(&page);
	return r;
}
