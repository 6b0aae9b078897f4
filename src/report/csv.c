/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results as RFC 4180: a row for each device and one for the total of each run. The table below
 * is the contract (doc/formats.md): columns keep their names and places, new ones come last.
 */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "report/field.h"
#include "report/words.h"
#include "util/text.h"

#define END_OF_LINE "\r\n"

struct line {
	const struct sgs_call *call;
	struct sgs_row row;
};

struct column {
	const char *name;
	void (*put)(FILE *out, const struct line *line); /* NULL: field */
	struct sgs_field field;
};

/* ---- what a cell can be ---- */

static bool needs_quotes(const char *text)
{
	return strpbrk(text, ",\"") || text[0] == ' ' ||
	       (text[0] && text[strlen(text) - 1] == ' ');
}

/* Control characters become '?', so that a line of the file is always a row. */
static void put_text(FILE *out, const char *text)
{
	char clean[PATH_MAX];

	if (!text)
		return;
	sgs_copy_utf8(clean, sizeof(clean), text);
	if (!needs_quotes(clean)) {
		fputs(clean, out);
		return;
	}
	fputc('"', out);
	for (const char *c = clean; *c; c++) {
		if (*c == '"')
			fputc('"', out);
		fputc(*c, out);
	}
	fputc('"', out);
}

static void put_value(FILE *out, struct sgs_value value)
{
	if (value.kind == SGS_WHOLE)
		fprintf(out, "%" PRIu64, value.whole);
	else if (value.kind == SGS_BROKEN)
		sgs_put_real(out, value.broken);
}

/* ---- cells that are more than a figure ---- */

static const struct sgs_device *device_of(const struct line *line)
{
	return line->row.device ? &line->row.device->device : NULL;
}

static const struct sgs_run_result *run_of(const struct line *line)
{
	return &line->row.result->run;
}

static void put_started_at(FILE *out, const struct line *line)
{
	char word[SGS_WORD_ROOM];

	put_text(out, sgs_word_utc(word, &line->call->started_at));
}

static void put_command(FILE *out, const struct line *line)
{
	put_text(out, line->call->command);
}

static void put_number(FILE *out, const struct line *line)
{
	fprintf(out, "%zu", line->row.number);
}

static void put_kind(FILE *out, const struct line *line)
{
	fputs(line->row.device ? "device" : "total", out);
}

static void put_status(FILE *out, const struct line *line)
{
	fputs(sgs_row_status(&line->row), out);
}

static void put_exit_status(FILE *out, const struct line *line)
{
	fprintf(out, "%d", sgs_row_exit_status(&line->row));
}

static void put_engine(FILE *out, const struct line *line)
{
	put_text(out, run_of(line)->engine);
}

static void put_pattern(FILE *out, const struct line *line)
{
	put_text(out, run_of(line)->pattern);
}

static void put_seed(FILE *out, const struct line *line)
{
	if (run_of(line)->seed)
		fprintf(out, "%" PRIu64, run_of(line)->seed);
}

static void put_clock(FILE *out, const struct line *line)
{
	put_text(out, line->row.result->clock);
}

static void put_devices(FILE *out, const struct line *line)
{
	fprintf(out, "%zu", run_of(line)->n_devices);
}

static void put_bs(FILE *out, const struct line *line)
{
	const struct sgs_device_result *device = line->row.device;

	fprintf(out, "%" PRIu64, device ? device->bs_bytes : run_of(line)->bs_bytes);
}

static void put_goal(FILE *out, const struct line *line)
{
	put_value(out, sgs_row_goal(&line->row));
}

static void put_output(FILE *out, const struct line *line)
{
	if (!line->row.device && run_of(line)->has_output)
		fprintf(out, "%" PRIu64, run_of(line)->output_bytes);
}

static void put_digest(FILE *out, const struct line *line)
{
	const struct sgs_digest *digest = &sgs_row_figures(&line->row)->digest;

	if (digest->valid)
		fprintf(out, "%016" PRIx64 "%016" PRIx64, digest->high, digest->low);
}

static const struct sgs_playback *playback_of(const struct line *line)
{
	return line->row.device ? NULL : run_of(line)->playback;
}

#define PLAYBACK(name, member)                                               \
	static void put_##name(FILE *out, const struct line *line)           \
	{                                                                    \
		if (playback_of(line))                                       \
			fprintf(out, "%" PRIu64, playback_of(line)->member); \
	}

PLAYBACK(stream_rate, rate)
PLAYBACK(frame_bytes, frame_bytes)
PLAYBACK(deadline, deadline_ns)
PLAYBACK(frames, frames)
PLAYBACK(frames_late, late)
PLAYBACK(frames_unread, unread)
PLAYBACK(frame_p99, time.p99)
PLAYBACK(frame_max, time.max)

static void put_streams(FILE *out, const struct line *line)
{
	if (playback_of(line))
		fprintf(out, "%u", playback_of(line)->streams);
}

static void put_version(FILE *out, const struct line *line)
{
	(void)line;
	put_text(out, sgs_version);
}

static void put_commit(FILE *out, const struct line *line)
{
	(void)line;
	put_text(out, sgs_commit);
}

static void put_cache_verdict(FILE *out, const struct line *line)
{
	put_text(out, sgs_cache_verdict_name(sgs_row_cache(&line->row)->verdict));
}

/* Nothing of it is known of a run that did not go through the page cache. */
static bool is_judged(const struct sgs_cache *cache)
{
	return cache->verdict != SGS_CACHE_UNJUDGED;
}

static void put_cache_resident(FILE *out, const struct line *line)
{
	const struct sgs_cache *cache = sgs_row_cache(&line->row);

	if (is_judged(cache) && cache->resident_known)
		fprintf(out, "%" PRIu64, cache->resident_before_bytes);
}

static void put_cache_sampled(FILE *out, const struct line *line)
{
	const struct sgs_cache *cache = sgs_row_cache(&line->row);

	if (is_judged(cache))
		fprintf(out, "%" PRIu64, cache->sampled_bytes);
}

static void put_cache_device_read(FILE *out, const struct line *line)
{
	const struct sgs_cache *cache = sgs_row_cache(&line->row);

	if (is_judged(cache) && cache->device_read_known)
		fprintf(out, "%" PRIu64, cache->device_read_bytes);
}

#define DEVICE_TEXT(name, member)                                                 \
	static void put_##name(FILE *out, const struct line *line)                \
	{                                                                         \
		put_text(out, line->row.device ? device_of(line)->member : NULL); \
	}

DEVICE_TEXT(path, path)
DEVICE_TEXT(sg_path, sg_path)
DEVICE_TEXT(block_path, block_path)
DEVICE_TEXT(hctl, hctl)
DEVICE_TEXT(vendor, identity.vendor)
DEVICE_TEXT(product, identity.product)
DEVICE_TEXT(revision, identity.revision)
DEVICE_TEXT(serial, identity.serial)
DEVICE_TEXT(lu_name, identity.lu_name)

/* ---- the columns ---- */

#define TEXT(word)	 .name = #word, .put = put_##word
#define WITH(word, cell) .name = word, .put = cell
#define AT(where, form, known, type, member)                                                 \
	.field.place = SGS_IN_##where, .field.shape = SGS_##form, .field.need = SGS_##known, \
	.field.offset = offsetof(struct type, member)
#define FIGURE(form, known, member) AT(FIGURES, form, known, sgs_figures, member)
#define DEVICE(form, known, member) AT(DEVICE, form, known, sgs_device_result, member)
#define RUN(form, member)	    AT(RUN, form, ALWAYS, sgs_run_result, member)
#define TOTAL(form, member)	    AT(TOTAL, form, ALWAYS, sgs_run_result, member)
#define LATENCY(point)		    FIGURE(COUNT64, SOME_LATENCY, latency.point)
#define FAULT(class)		    FIGURE(COUNT64, ALWAYS, errors.by_class[SGS_FAULT_##class])

static const struct column columns[] = {
	{ TEXT(started_at) },
	{ TEXT(command) },
	{ WITH("run", put_number) },
	{ WITH("row", put_kind) },
	{ TEXT(path) },
	{ TEXT(sg_path) },
	{ TEXT(block_path) },
	{ TEXT(hctl) },
	{ TEXT(vendor) },
	{ TEXT(product) },
	{ TEXT(revision) },
	{ TEXT(serial) },
	{ TEXT(lu_name) },
	{ "block_bytes", DEVICE(COUNT32, NOT_ZERO, device.block_bytes) },
	{ "blocks", DEVICE(COUNT64, ALWAYS, device.blocks) },
	{ TEXT(engine) },
	{ WITH("bs_bytes", put_bs) },
	{ "threads", RUN(COUNT32, threads) },
	{ "queue_depth", RUN(COUNT32, queue_depth) },
	{ TEXT(pattern) },
	{ TEXT(devices) },
	{ TEXT(status) },
	{ TEXT(exit_status) },
	{ WITH("goal_bytes", put_goal) },
	{ "bytes", FIGURE(COUNT64, ALWAYS, bytes) },
	{ "commands", FIGURE(COUNT64, ALWAYS, commands) },
	{ "elapsed_ns", FIGURE(COUNT64, ALWAYS, elapsed_ns) },
	{ "bytes_per_second", FIGURE(REAL, ELAPSED, bytes_per_second) },
	{ "iops", FIGURE(REAL, ELAPSED, iops) },
	{ "first_done_ns", FIGURE(COUNT64, ALWAYS, first_done_ns) },
	{ "last_done_ns", FIGURE(COUNT64, ALWAYS, last_done_ns) },
	{ "start_spread_ns", FIGURE(COUNT64, ALWAYS, start_spread_ns) },
	{ "latency_min_ns", LATENCY(min) },
	{ "latency_mean_ns", LATENCY(mean) },
	{ "latency_p50_ns", LATENCY(p50) },
	{ "latency_p90_ns", LATENCY(p90) },
	{ "latency_p99_ns", LATENCY(p99) },
	{ "latency_p99_9_ns", LATENCY(p99_9) },
	{ "latency_p99_99_ns", LATENCY(p99_99) },
	{ "latency_max_ns", LATENCY(max) },
	{ "in_flight_mean", FIGURE(REAL, SOME_COMMAND, in_flight_mean) },
	{ "in_flight_max", FIGURE(COUNT32, ALWAYS, in_flight_max) },
	{ "cpu_user_ns", TOTAL(COUNT64, cpu.user_ns) },
	{ "cpu_system_ns", TOTAL(COUNT64, cpu.system_ns) },
	{ "cpu_seconds_per_gib", TOTAL(REAL, cpu.seconds_per_gib) },
	{ "host_busy_percent", TOTAL(REAL, cpu.host_busy_percent) },
	{ "transfer_mapped", FIGURE(COUNT64, ALWAYS, transfer[SGS_MAPPED]) },
	{ "transfer_direct", FIGURE(COUNT64, ALWAYS, transfer[SGS_DIRECT]) },
	{ "transfer_copied", FIGURE(COUNT64, ALWAYS, transfer[SGS_COPIED]) },
	{ "transfer_cached", FIGURE(COUNT64, ALWAYS, transfer[SGS_CACHED]) },
	{ "errors_recovered", FAULT(RECOVERED) },
	{ "errors_medium", FAULT(MEDIUM) },
	{ "errors_hardware", FAULT(HARDWARE) },
	{ "errors_transport", FAULT(TRANSPORT) },
	{ "errors_timeout", FAULT(TIMEOUT) },
	{ "errors_aborted", FAULT(ABORTED) },
	{ "errors_short", FAULT(SHORT) },
	{ "errors_unit_attention", FAULT(UNIT_ATTENTION) },
	{ "errors_deferred", FAULT(DEFERRED) },
	{ "errors_not_ready", FAULT(NOT_READY) },
	{ "errors_busy", FAULT(BUSY) },
	{ "errors_task_set_full", FAULT(TASK_SET_FULL) },
	{ "errors_illegal_request", FAULT(ILLEGAL_REQUEST) },
	{ "errors_invalid_op", FAULT(INVALID_OP) },
	{ "errors_data_protect", FAULT(DATA_PROTECT) },
	{ "errors_reservation", FAULT(RESERVATION) },
	{ "errors_gone", FAULT(GONE) },
	{ "errors_host", FAULT(HOST) },
	{ "errors_other", FAULT(OTHER) },
	{ "errors_retried", FIGURE(COUNT64, ALWAYS, errors.retried) },
	{ "errors_failed", FIGURE(COUNT64, ALWAYS, errors.failed) },
	{ TEXT(digest) },
	{ "probe_commands", DEVICE(COUNT32, ALWAYS, probe_commands) },
	{ "page_faults_minor", FIGURE(COUNT64, ALWAYS, minor_faults) },
	{ "page_faults_major", FIGURE(COUNT64, ALWAYS, major_faults) },
	{ WITH("output_bytes", put_output) },
	{ TEXT(clock) },
	{ WITH("tool_version", put_version) },
	{ WITH("tool_commit", put_commit) },
	{ TEXT(cache_verdict) },
	{ WITH("cache_sampled_bytes", put_cache_sampled) },
	{ WITH("cache_resident_before_bytes", put_cache_resident) },
	{ WITH("cache_device_read_bytes", put_cache_device_read) },
	{ TEXT(seed) },
	{ "in_flight_reached", FIGURE(REAL, SOME_COMMAND, in_flight_reached) },
	{ "bad_blocks", FIGURE(COUNT64, ALWAYS, bad_blocks) },
	{ "recovery_commands", FIGURE(COUNT64, ALWAYS, recovery.commands) },
	{ "recovery_bytes", FIGURE(COUNT64, ALWAYS, recovery.bytes) },
	{ "recovery_ns", FIGURE(COUNT64, ALWAYS, recovery.ns) },
	{ TEXT(streams) },
	{ WITH("stream_bytes_per_second", put_stream_rate) },
	{ TEXT(frame_bytes) },
	{ WITH("frame_deadline_ns", put_deadline) },
	{ TEXT(frames) },
	{ TEXT(frames_late) },
	{ TEXT(frames_unread) },
	{ WITH("frame_p99_ns", put_frame_p99) },
	{ WITH("frame_max_ns", put_frame_max) },
};

/* Each class has its column: a new one gets its own at the end of the table. */
_Static_assert(SGS_FAULTS == SGS_FAULT_OTHER + 1 && SGS_FAULT_OTHER == 19,
	"a class of errors without a column");
_Static_assert(SGS_TRANSFERS == 4, "a kind of transfer without a column");

/* ---- rows ---- */

static const char *gap_before(size_t column)
{
	return column > 0 ? "," : "";
}

static void put_header(FILE *out)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		fprintf(out, "%s%s", gap_before(i), columns[i].name);
	fputs(END_OF_LINE, out);
}

static void put_line(FILE *out, const struct line *line)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		fputs(gap_before(i), out);
		if (columns[i].put)
			columns[i].put(out, line);
		else
			put_value(out, sgs_field_value(&columns[i].field, &line->row));
	}
	fputs(END_OF_LINE, out);
}

static void put_run(
	FILE *out, const struct sgs_call *call, const struct sgs_result *result, size_t number)
{
	struct line line = { call, { result, NULL, number } };

	for (size_t i = 0; i < result->run.n_devices; i++) {
		line.row.device = &result->run.devices[i];
		put_line(out, &line);
	}
	line.row.device = NULL;
	put_line(out, &line);
}

int sgs_report_csv(
	FILE *out, const struct sgs_call *call, const struct sgs_result *results, size_t n)
{
	size_t number = 0;

	errno = 0;
	put_header(out);
	for (size_t i = 0; i < n; i++)
		if (results[i].run.started)
			put_run(out, call, &results[i], ++number);
	return sgs_report_flush(out);
}
