/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/playback.h"
#include "report/table.h"
#include "report/text.h"
#include "report/text_host.h"
#include "report/words.h"
#include "util/text.h"
#include "util/units.h"

#define LABEL "%-10s"

static char *count_word(char buf[SGS_WORD_ROOM], uint64_t count)
{
	return sgs_format_count(buf, SGS_WORD_ROOM, count);
}

/* Prints text unless it is empty, two spaces after what stands before it. */
static void print_part(FILE *out, const char *text)
{
	if (text[0])
		fprintf(out, "  %s", text);
}

static void print_label(FILE *out, const char *label)
{
	fprintf(out, LABEL, label);
}

/* How the run reads: "sg-mmap, 64 KiB per command, depth 4, 2 threads". */
static void print_way(FILE *out, const struct sgs_run_result *run)
{
	char size[SGS_WORD_ROOM];

	fprintf(out, "%s, %s per command, depth %u", run->engine,
		sgs_format_size(size, sizeof(size), run->bs_bytes), run->queue_depth);
	if (run->threads > 1)
		fprintf(out, ", %u threads", run->threads);
	if (run->n_devices > 1)
		fputs(" on each device", out);
	if (run->pattern && strcmp(run->pattern, "seq") != 0)
		fprintf(out, ", %s", run->pattern);
	if (run->seed)
		fprintf(out, ", seed %" PRIu64, run->seed);
}

static void print_clean(FILE *out, const char *path)
{
	char clean[PATH_MAX];

	sgs_copy_utf8(clean, sizeof(clean), path);
	fputs(clean, out);
}

static void print_path(FILE *out, const struct sgs_device *device)
{
	print_clean(out, device->path);
}

static void print_capacity(FILE *out, const struct sgs_device *device)
{
	uint64_t bytes = sgs_device_bytes(device);
	char decimal[SGS_WORD_ROOM], binary[SGS_WORD_ROOM];

	fprintf(out, "  %s (%s)", sgs_word_amount(decimal, bytes),
		sgs_format_size(binary, sizeof(binary), bytes));
	if (device->block_bytes > 1)
		fprintf(out, "  %" PRIu32 "-byte blocks", device->block_bytes);
}

void sgs_text_identity(FILE *out, const struct sgs_device *device)
{
	const struct sgs_identity *id = &device->identity;
	char model[sizeof(id->vendor) + sizeof(id->product) + sizeof(id->revision)];

	snprintf(model, sizeof(model), "%s %s %s", id->vendor, id->product, id->revision);
	sgs_copy_printable(model, sizeof(model), model, strlen(model));
	print_path(out, device);
	print_part(out, model);
	print_part(out, device->hctl);
	print_capacity(out, device);
}

/* What -v adds about a device. */
static void print_more_identity(FILE *out, const struct sgs_device *device)
{
	const struct sgs_identity *id = &device->identity;
	const struct sgs_controller *controller = &device->controller;

	print_label(out, "device");
	fprintf(out, "serial %s  name %s", id->serial[0] ? id->serial : "-",
		id->lu_name[0] ? id->lu_name : "-");
	print_part(out, device->sg_path);
	if (device->block_path[0]) {
		fputs("  ", out);
		print_clean(out, device->block_path);
	}
	print_part(out, controller->driver);
	print_part(out, controller->pci);
	if (controller->numa_node >= 0)
		fprintf(out, "  NUMA node %d", controller->numa_node);
	fputc('\n', out);
}

static void print_header(FILE *out, const struct sgs_run_result *run)
{
	if (run->n_devices == 1)
		sgs_text_identity(out, &run->devices[0].device);
	else
		fprintf(out, "%zu devices", run->n_devices);
	fputs("  ", out);
	print_way(out, run);
	fputc('\n', out);
}

static void print_rate(FILE *out, const struct sgs_figures *figures)
{
	char amount[SGS_WORD_ROOM], span[SGS_WORD_ROOM], rate[SGS_WORD_ROOM],
		iops[SGS_WORD_ROOM];

	if (figures->elapsed_ns == 0) {
		fputs("nothing was read\n", out);
		return;
	}
	fprintf(out, "%s in %s = %s, %s commands/s\n", sgs_word_amount(amount, figures->bytes),
		sgs_word_span(span, figures->elapsed_ns),
		sgs_word_rate(rate, figures->bytes_per_second),
		sgs_word_figure(iops, figures->iops));
}

static const char *time_word(
	char buf[SGS_WORD_ROOM], const struct sgs_latency *latency, uint64_t ns)
{
	return latency->count > 0 ? sgs_format_time(buf, SGS_WORD_ROOM, ns) : "-";
}

static void print_latency(FILE *out, const struct sgs_latency *latency, int verbose)
{
	const struct {
		const char *name;
		uint64_t ns;
		bool always;
	} points[] = {
		{ "min", latency->min, false },
		{ "mean", latency->mean, false },
		{ "p50", latency->p50, true },
		{ "p90", latency->p90, false },
		{ "p99", latency->p99, true },
		{ "p99.9", latency->p99_9, true },
		{ "p99.99", latency->p99_99, false },
		{ "max", latency->max, true },
	};
	const char *gap = "";
	char word[SGS_WORD_ROOM];

	print_label(out, "latency");
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		if (!points[i].always && !verbose)
			continue;
		fprintf(out, "%s%s %s", gap, points[i].name,
			time_word(word, latency, points[i].ns));
		gap = "   ";
	}
	fputc('\n', out);
}

static void print_in_flight(FILE *out, const struct sgs_run_result *run)
{
	const struct sgs_figures *total = &run->total;
	char mean[SGS_WORD_ROOM], reached[SGS_WORD_ROOM];

	if (run->queue_depth <= 1 && run->n_devices <= 1)
		return;
	print_label(out, "in flight");
	fprintf(out, "mean %s   max %u",
		sgs_word_figure(mean, total->commands > 0 ? total->in_flight_mean : NAN),
		total->in_flight_max);
	if (total->in_flight_reached > 0 &&
		total->in_flight_reached < 0.99 * total->in_flight_mean)
		fprintf(out, "   of which the drives' queues take %s",
			sgs_word_figure(reached, total->in_flight_reached));
	fputc('\n', out);
}

static void print_ends(FILE *out, const struct sgs_figures *total)
{
	char first[SGS_WORD_ROOM], last[SGS_WORD_ROOM], spread[SGS_WORD_ROOM];

	print_label(out, "ends");
	fprintf(out, "first done %s   last done %s   start spread %s\n",
		sgs_word_span(first, total->first_done_ns),
		sgs_word_span(last, total->last_done_ns),
		sgs_format_time(spread, sizeof(spread), total->start_spread_ns));
}

static void print_cpu(FILE *out, const struct sgs_cpu *cpu)
{
	char cost[SGS_WORD_ROOM], user[SGS_WORD_ROOM], system[SGS_WORD_ROOM];

	print_label(out, "cpu");
	fprintf(out, "%s s per GiB (user %s, system %s)",
		sgs_word_figure(cost, cpu->seconds_per_gib),
		sgs_format_time(user, sizeof(user), cpu->user_ns),
		sgs_format_time(system, sizeof(system), cpu->system_ns));
	if (cpu->host_busy_percent >= 0)
		fprintf(out, ", host %.0f %% busy", cpu->host_busy_percent);
	fputc('\n', out);
}

static void print_transfer(FILE *out, const struct sgs_figures *total)
{
	static const char *const words[SGS_TRANSFERS] = {
		[SGS_MAPPED] = "mapped (no copy)",
		[SGS_DIRECT] = "direct (no copy)",
		[SGS_COPIED] = "copied",
		[SGS_CACHED] = "through the page cache",
	};
	const char *gap = "";
	char count[SGS_WORD_ROOM];

	print_label(out, "transfer");
	for (size_t i = 0; i < SGS_TRANSFERS; i++) {
		if (total->transfer[i] == 0)
			continue;
		fprintf(out, "%s%s %s", gap, count_word(count, total->transfer[i]), words[i]);
		gap = ", ";
	}
	fputs(*gap ? "\n" : "-\n", out);
}

/* Told without being asked where they are the way to the data. */
static void print_faults(FILE *out, const struct sgs_figures *total, int verbose)
{
	char minor[SGS_WORD_ROOM], major[SGS_WORD_ROOM];

	if (!verbose && total->minor_faults + total->major_faults < total->commands)
		return;
	print_label(out, "faults");
	fprintf(out, "%s minor, %s major page faults\n", count_word(minor, total->minor_faults),
		count_word(major, total->major_faults));
}

static void print_output(FILE *out, const struct sgs_run_result *run)
{
	char amount[SGS_WORD_ROOM];

	if (!run->has_output)
		return;
	print_label(out, "output");
	fprintf(out, "%s written\n", sgs_word_amount(amount, run->output_bytes));
}

static void print_digest(FILE *out, const struct sgs_digest *digest)
{
	if (!digest->valid)
		return;
	print_label(out, "digest");
	fprintf(out, "%016" PRIx64 "%016" PRIx64 "%s\n", digest->high, digest->low,
		digest->partial ? " of what could be read" : "");
}

/* "3 medium": the name as in JSON, with spaces for its underscores. */
static void print_fault(FILE *out, enum sgs_fault_class fault, uint64_t count)
{
	char number[SGS_WORD_ROOM];

	fprintf(out, "%s ", count_word(number, count));
	for (const char *c = sgs_fault_name(fault); *c; c++)
		fputc(*c == '_' ? ' ' : *c, out);
}

/* "3 medium, 2 aborted; 2 retried; 1 failed", or none. */
static void print_errors(FILE *out, const struct sgs_errors *errors, const char *none)
{
	const char *gap = "";
	char number[SGS_WORD_ROOM];

	for (int fault = SGS_FAULT_NONE + 1; fault < SGS_FAULTS; fault++) {
		if (errors->by_class[fault] == 0)
			continue;
		fputs(gap, out);
		print_fault(out, (enum sgs_fault_class)fault, errors->by_class[fault]);
		gap = ", ";
	}
	if (errors->retried > 0)
		fprintf(out, "%s%s retried", *gap ? "; " : "",
			count_word(number, errors->retried));
	if (errors->failed > 0)
		fprintf(out, "%s%s failed", *gap || errors->retried > 0 ? "; " : "",
			count_word(number, errors->failed));
	if (!*gap && errors->retried == 0 && errors->failed == 0)
		fputs(none, out);
}

/* The same as a string to free(), NULL when memory is short. */
static char *errors_word(const struct sgs_errors *errors)
{
	char *text = NULL;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	if (!stream)
		return NULL;
	print_errors(stream, errors, "");
	fclose(stream);
	return text;
}

static void add_device_row(struct sgs_table *table, const struct sgs_device_result *result)
{
	const struct sgs_figures *figures = &result->figures;
	const struct sgs_latency *latency = &figures->latency;
	double rate = figures->elapsed_ns > 0 ? figures->bytes_per_second : NAN;
	char path[sizeof(result->device.path)], words[7][SGS_WORD_ROOM];
	char *errors = errors_word(&figures->errors);
	const char *const cells[] = {
		path,
		result->device.hctl,
		sgs_word_figure(words[0], rate / 1e6),
		sgs_word_figure(words[1], rate / 1048576),
		count_word(words[2], figures->commands),
		time_word(words[3], latency, latency->p50),
		time_word(words[4], latency, latency->p99),
		time_word(words[5], latency, latency->max),
		figures->last_done_ns > 0 ? sgs_word_span(words[6], figures->last_done_ns) : "",
		errors ? errors : "?",
	};

	sgs_copy_utf8(path, sizeof(path), result->device.path);
	sgs_table_row(table, cells);
	free(errors);
}

static void print_devices(FILE *out, const struct sgs_run_result *run)
{
	static const struct sgs_column columns[] = {
		{ "DEVICE", false },
		{ "HCTL", false },
		{ "MB/s", true },
		{ "MiB/s", true },
		{ "COMMANDS", true },
		{ "P50", true },
		{ "P99", true },
		{ "MAX", true },
		{ "DONE AT", true },
		{ "ERRORS", false },
	};
	struct sgs_table *table =
		sgs_table_new(out, columns, sizeof(columns) / sizeof(columns[0]));

	for (size_t i = 0; i < run->n_devices; i++)
		add_device_row(table, &run->devices[i]);
	if (sgs_table_print(table) != 0)
		fputs("(no memory for the table of devices)\n", out);
}

static void print_each_device(FILE *out, const struct sgs_run_result *run)
{
	for (size_t i = 0; i < run->n_devices; i++) {
		const struct sgs_device_result *result = &run->devices[i];

		if (run->n_devices > 1) {
			sgs_text_identity(out, &result->device);
			fputc('\n', out);
		}
		print_more_identity(out, &result->device);
		sgs_text_placed(out, &result->placed);
		if (!run->started || run->n_devices == 1)
			continue;
		print_latency(out, &result->figures.latency, 1);
		print_digest(out, &result->figures.digest);
	}
}

/* Which devices are one unit, and how that was read. */
static void print_paths(FILE *out, const struct sgs_run_result *run)
{
	for (size_t i = 0; run->paths && i < run->n_devices; i++) {
		const struct sgs_device_result *first = run->devices[i].same_unit;

		if (!first)
			continue;
		print_label(out, "paths");
		print_path(out, &first->device);
		fputs(" and ", out);
		print_path(out, &run->devices[i].device);
		fprintf(out, " are one unit (%s), read once over %s\n",
			first->device.identity.lu_name[0] ? first->device.identity.lu_name
							  : "one node",
			strcmp(run->paths, "merge") == 0 ? "both" : "each");
	}
}

enum { SHOWN_RANGES = 8 };

static void print_ranges(FILE *out, const struct sgs_device_result *d, bool named)
{
	size_t shown = d->n_bad < SHOWN_RANGES ? d->n_bad : SHOWN_RANGES;

	if (!shown)
		return;
	print_label(out, "bad");
	if (named)
		fprintf(out, "%s  ", d->device.path);
	for (size_t i = 0; i < shown; i++)
		fprintf(out, "%s%" PRIu64 "+%" PRIu64, i ? ", " : "", d->bad[i].first,
			d->bad[i].count);
	if (shown < d->n_bad)
		fprintf(out, " and %zu more ranges (--bad-list, --json)", d->n_bad - shown);
	fputc('\n', out);
}

/* Where a transfer failed as a whole: its parts, and the blocks that are lost. */
static void print_recovery(FILE *out, const struct sgs_run_result *run)
{
	const struct sgs_recovery *recovery = &run->total.recovery;
	char count[SGS_WORD_ROOM], amount[SGS_WORD_ROOM], time[SGS_WORD_ROOM];

	if (!recovery->commands && !run->total.bad_blocks)
		return;
	print_label(out, "recovered");
	fprintf(out, "%s in %s part%s, %s; apart from commands and latency\n",
		sgs_word_amount(amount, recovery->bytes), count_word(count, recovery->commands),
		recovery->commands == 1 ? "" : "s",
		sgs_format_time(time, sizeof(time), recovery->ns));
	for (size_t i = 0; i < run->n_devices; i++)
		print_ranges(out, &run->devices[i], run->n_devices > 1);
}

static void print_total(FILE *out, const struct sgs_run_result *run, int verbose)
{
	const struct sgs_figures *total = &run->total;

	if (run->n_devices > 1)
		print_label(out, "total");
	print_rate(out, total);
	print_latency(out, &total->latency, verbose);
	sgs_text_playback(out, run, verbose);
	print_in_flight(out, run);
	if (run->n_devices > 1)
		print_ends(out, total);
	print_cpu(out, &run->cpu);
	sgs_text_way(out, run, verbose);
	print_transfer(out, total);
	sgs_text_cache(out, run);
	print_faults(out, total, verbose);
	print_output(out, run);
	print_digest(out, &total->digest);
	print_label(out, "errors");
	print_errors(out, &total->errors, "none");
	fputc('\n', out);
	print_recovery(out, run);
}

/* What a dry run would have read. */
static void print_goal(FILE *out, const struct sgs_run_result *run)
{
	char amount[SGS_WORD_ROOM];
	uint64_t bytes = 0;
	bool endless = false;

	for (size_t i = 0; i < run->n_devices; i++) {
		endless |= run->devices[i].goal_bytes == UINT64_MAX;
		bytes += run->devices[i].goal_bytes;
	}
	fprintf(out, "dry run: nothing was read; would be read: %s%s\n",
		endless ? "what the time allows" : sgs_word_amount(amount, bytes),
		run->skips ? ", bad blocks left out" : "");
}

/* A result that is not whole says so before any figure. */
static void print_state(FILE *out, const struct sgs_result *result)
{
	const char *status = sgs_result_status(result);
	const char *name = sigabbrev_np(result->signal);

	if (strcmp(status, "interrupted") == 0)
		fprintf(out, "interrupted by SIG%s; what was read until then:\n",
			name ? name : "?");
	else if (strcmp(status, "partial") == 0)
		fputs("not all was read; what was:\n", out);
}

void sgs_report_text(FILE *out, const struct sgs_result *result, int verbose)
{
	const struct sgs_run_result *run = &result->run;

	if (run->started)
		print_state(out, result);
	else if (result->exit_status != SGS_OK || run->engine[0] == '\0')
		return;
	print_header(out, run);
	if (verbose)
		print_each_device(out, run);
	print_paths(out, run);
	sgs_text_settings(out, run);
	sgs_text_cache_drop(out, run);
	if (!run->started) {
		sgs_text_playback(out, run, verbose);
		print_goal(out, run);
		return;
	}
	if (run->n_devices > 1)
		print_devices(out, run);
	print_total(out, run, verbose);
}
