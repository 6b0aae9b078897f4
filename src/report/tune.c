/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/tune.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/exam.h"
#include "report/json_value.h"
#include "report/table.h"
#include "report/text.h"
#include "report/words.h"
#include "util/text.h"
#include "util/units.h"

/* ---- words ---- */

/* As --bs takes it: "64k", or bytes. */
static void bs_word(char buf[32], uint64_t bs)
{
	if (bs % (1 << 20) == 0)
		snprintf(buf, 32, "%" PRIu64 "m", bs >> 20);
	else if (bs % 1024 == 0)
		snprintf(buf, 32, "%" PRIu64 "k", bs >> 10);
	else
		snprintf(buf, 32, "%" PRIu64, bs);
}

/* The command line to use, for the caller to free(). NULL without memory. */
static char *command_line(const struct sgs_tune *tune, const struct sgs_tune_target *target)
{
	const struct sgs_sweep *grid = &tune->grid;
	char *text = NULL, bs[32], word[4 * PATH_MAX + 3];
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	bs_word(bs, sgs_tune_bs(tune, target->tuned.at));
	fprintf(out, "sgstream --bs %s --qd %u", bs, sgs_tune_qd(tune, target->tuned.at));
	if (grid->axes[SGS_AXIS_ENGINE].given)
		fprintf(out, " -e %s", grid->axes[SGS_AXIS_ENGINE].words[0]);
	for (size_t i = 0; i < target->n; i++)
		fprintf(out, " %s",
			sgs_shell_word(
				word, sizeof word, grid->devices[target->first + i].path));
	fclose(out);
	return text;
}

static const char *name(const struct sgs_tune *tune, const struct sgs_tune_target *target,
	char *buf, size_t cap)
{
	if (target->n > 1)
		snprintf(buf, cap, "all %zu together", target->n);
	else
		sgs_copy_utf8(buf, cap, tune->grid.devices[target->first].path);
	return buf;
}

/* The best against itself is 1. */
static double share(const struct sgs_tuned *tuned)
{
	return tuned->share.n ? tuned->share.median : 1;
}

/* ---- text ---- */

static void add_row(struct sgs_table *table, const struct sgs_tune *tune,
	const struct sgs_tune_target *target)
{
	const struct sgs_tuned *t = &target->tuned;
	char device[PATH_MAX], words[8][SGS_WORD_ROOM], interval[2 * SGS_WORD_ROOM] = "";
	char low[SGS_WORD_ROOM], high[SGS_WORD_ROOM];
	const char *const cells[] = { device, words[0], words[1], words[2], words[3], words[4],
		interval, words[5], words[6], words[7] };

	name(tune, target, device, sizeof device);
	sgs_format_size(words[0], SGS_WORD_ROOM, sgs_tune_bs(tune, t->at));
	snprintf(words[1], SGS_WORD_ROOM, "%u", sgs_tune_qd(tune, t->at));
	sgs_word_figure(words[2], t->rate / 1e6);
	sgs_word_figure(words[3], t->rate / 1048576);
	sgs_word_figure(words[4], share(t));
	if (t->share.n)
		snprintf(interval, sizeof interval, "%s to %s",
			sgs_word_figure(low, t->share.low),
			sgs_word_figure(high, t->share.high));
	sgs_format_size(words[5], SGS_WORD_ROOM, sgs_tune_bs(tune, t->best));
	snprintf(words[6], SGS_WORD_ROOM, "%u", sgs_tune_qd(tune, t->best));
	sgs_word_figure(words[7], t->best_rate / 1e6);
	sgs_table_row(table, cells);
}

static void print_table(FILE *out, const struct sgs_tune *tune)
{
	static const struct sgs_column columns[] = {
		{ "DEVICE", false },
		{ "BS", true },
		{ "QD", true },
		{ "MB/s", true },
		{ "MiB/s", true },
		{ "OF BEST", true },
		{ "FROM TO", true },
		{ "BEST BS", true },
		{ "QD", true },
		{ "MB/s", true },
	};
	struct sgs_table *table =
		sgs_table_new(out, columns, sizeof columns / sizeof columns[0]);

	for (size_t i = 0; i < tune->n_targets; i++)
		if (tune->targets[i].done)
			add_row(table, tune, &tune->targets[i]);
	if (sgs_table_print(table) != 0)
		fputs("(no memory for the table)\n", out);
}

static void print_steps(
	FILE *out, const struct sgs_tune *tune, const struct sgs_tune_target *target)
{
	char device[PATH_MAX], size[SGS_WORD_ROOM], rate[SGS_WORD_ROOM];

	for (size_t i = 0; i < target->tuned.n_steps; i++) {
		const struct sgs_tune_step *step = &target->tuned.steps[i];

		fprintf(out, "%s  %s, depth %u: %s\n",
			name(tune, target, device, sizeof device),
			sgs_format_size(size, sizeof size, sgs_tune_bs(tune, step->at)),
			sgs_tune_qd(tune, step->at),
			step->rate > 0 ? sgs_word_rate(rate, step->rate) : "cannot run");
	}
}

static size_t count_done(const struct sgs_tune *tune, size_t *steps)
{
	size_t done = 0;

	*steps = 0;
	for (size_t i = 0; i < tune->n_targets; i++) {
		done += tune->targets[i].done;
		*steps += tune->targets[i].tuned.n_steps;
	}
	return done;
}

void sgs_report_tune_text(FILE *out, const struct sgs_tune *tune, int verbose)
{
	size_t steps, done = count_done(tune, &steps);
	char span[SGS_WORD_ROOM], each[SGS_WORD_ROOM];

	for (size_t i = 0; i < tune->grid.n_devices; i++) {
		sgs_text_identity(out, &tune->grid.devices[i]);
		fputc('\n', out);
	}
	for (size_t i = 0; verbose && i < tune->n_targets; i++)
		print_steps(out, tune, &tune->targets[i]);
	fprintf(out, "%s; %zu steps of %s in %s\n", tune->grid.axes[SGS_AXIS_ENGINE].words[0],
		steps, sgs_format_time(each, sizeof each, tune->grid.job.runtime_ns),
		sgs_word_span(span, tune->elapsed_ns));
	if (!done)
		return;
	print_table(out, tune);
	fputs("\nThe smallest that reach 98 % of the best:\n", out);
	for (size_t i = 0; i < tune->n_targets; i++) {
		char *line =
			tune->targets[i].done ? command_line(tune, &tune->targets[i]) : NULL;

		if (line)
			fprintf(out, "  %s\n", line);
		free(line);
	}
}

/* Over the line before. */
static void print_line(FILE *out, const char *line, int columns)
{
	int room = columns > 1 ? columns - 1 : 0; /* the last column may wrap the line */

	fprintf(out, "\r%-*.*s", room, room, line);
	fflush(out);
}

void sgs_report_tune_step(FILE *out, const struct sgs_tune *tune,
	const struct sgs_tune_target *target, const struct sgs_cell *cell, size_t number,
	size_t most, int columns)
{
	char line[512], device[128], point[SGS_CELL_NAME];

	snprintf(line, sizeof line, "step %zu of at most %zu: %s, %s", number, most,
		name(tune, target, device, sizeof device),
		sgs_cell_name(&tune->grid, cell, point));
	print_line(out, line, columns);
}

void sgs_report_tune_wipe(FILE *out, int columns)
{
	print_line(out, "", columns);
	print_line(out, "", 0);
}

/* ---- JSON ---- */

static json_t *rate_or_null(double rate)
{
	return sgs_json_number(rate > 0 ? rate : NAN);
}

static json_t *steps_array(const struct sgs_tune *tune, const struct sgs_tuned *tuned)
{
	json_t *array = json_array();

	for (size_t i = 0; i < tuned->n_steps; i++) {
		const struct sgs_tune_step *step = &tuned->steps[i];
		const struct sgs_json_pair pairs[] = {
			{ "bs_bytes", sgs_json_count(sgs_tune_bs(tune, step->at)) },
			{ "queue_depth", sgs_json_count(sgs_tune_qd(tune, step->at)) },
			{ "bytes_per_second", rate_or_null(step->rate) },
			{ NULL, NULL },
		};

		array = sgs_json_append(array, sgs_json_object(pairs));
	}
	return array;
}

static json_t *point_object(const struct sgs_tune *tune, struct sgs_tune_point at, double rate)
{
	const struct sgs_json_pair pairs[] = {
		{ "bs_bytes", sgs_json_count(sgs_tune_bs(tune, at)) },
		{ "queue_depth", sgs_json_count(sgs_tune_qd(tune, at)) },
		{ "bytes_per_second", rate_or_null(rate) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

/* What was found, and the call that uses it. */
static json_t *add_found(
	json_t *object, const struct sgs_tune *tune, const struct sgs_tune_target *target)
{
	const struct sgs_tuned *t = &target->tuned;
	char *line = command_line(tune, target);
	const struct sgs_json_pair pairs[] = {
		{ "bs_bytes", sgs_json_count(sgs_tune_bs(tune, t->at)) },
		{ "queue_depth", sgs_json_count(sgs_tune_qd(tune, t->at)) },
		{ "threads", sgs_json_count(target->threads) },
		{ "bytes_per_second", rate_or_null(t->rate) },
		{ "share_of_best", sgs_json_number(share(t)) },
		{ "command", sgs_json_text(line) },
		{ NULL, NULL },
	};

	free(line);
	return sgs_json_extend(object, pairs);
}

static json_t *target_object(const struct sgs_tune *tune, const struct sgs_tune_target *target)
{
	const struct sgs_tuned *t = &target->tuned;
	json_t *devices = json_array(), *object = json_object();

	for (size_t i = 0; i < target->n; i++)
		devices = sgs_json_append(
			devices, sgs_json_text(tune->grid.devices[target->first + i].path));
	object = sgs_json_set(object, "devices", devices);
	object = sgs_json_set(object, "found", json_boolean(target->done));
	if (target->done) {
		object = add_found(object, tune, target);
		object =
			sgs_json_set(object, "best", point_object(tune, t->best, t->best_rate));
		object = sgs_json_set(
			object, "share_low", sgs_json_number(t->share.n ? t->share.low : 1));
		object = sgs_json_set(
			object, "share_high", sgs_json_number(t->share.n ? t->share.high : 1));
	}
	return sgs_json_set(object, "steps", steps_array(tune, t));
}

static json_t *axis_array(const struct sgs_axis *axis)
{
	json_t *array = json_array();

	for (size_t i = 0; i < axis->n; i++)
		array = sgs_json_append(array, sgs_json_count(axis->numbers[i]));
	return array;
}

static json_t *tune_object(const struct sgs_tune *tune)
{
	const struct sgs_sweep *grid = &tune->grid;
	const struct sgs_tune_target *last = &tune->targets[tune->n_targets - 1];
	json_t *targets = json_array();

	for (size_t i = 0; i < tune->n_targets; i++)
		targets = sgs_json_append(targets, target_object(tune, &tune->targets[i]));

	const struct sgs_json_pair pairs[] = {
		{ "engine", sgs_json_text(grid->axes[SGS_AXIS_ENGINE].words[0]) },
		{ "share", sgs_json_number(SGS_TUNE_SHARE) },
		{ "step_ns", sgs_json_count(grid->job.runtime_ns) },
		{ "elapsed_ns", sgs_json_count(tune->elapsed_ns) },
		{ "axes", sgs_json_object((const struct sgs_json_pair[]){
				  { "bs_bytes", axis_array(&grid->axes[SGS_AXIS_BS]) },
				  { "queue_depth", axis_array(&grid->axes[SGS_AXIS_QD]) },
				  { NULL, NULL },
			  }) },
		{ "targets", targets },
		{ NULL, NULL },
	};
	json_t *object = sgs_json_object(pairs);

	return last->done ? add_found(object, tune, last) : object;
}

int sgs_report_tune_json(FILE *out, const struct sgs_call *call, const struct sgs_tune *tune)
{
	const struct sgs_result *sum = &tune->grid.sum;
	json_t *root =
		sgs_json_head(call, sgs_result_status(sum), sum->exit_status, sum->clock);

	root = sgs_json_set(root, "runs", json_array());
	root = sgs_json_set(root, "tune", tune_object(tune));
	root = sgs_json_set(root, "messages", sgs_json_messages(sum, 1));
	return sgs_json_write(out, root);
}
