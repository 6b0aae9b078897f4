/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/table.h"
#include "report/text.h"
#include "report/words.h"
#include "util/units.h"

#define MB  1e6
#define MIB 1048576.0

enum { ROOM = 2 * SGS_WORD_ROOM };

/* What goes down a table, and what across: the first two axes in this order that vary. */
static const enum sgs_axis_kind shown[SGS_AXES] = { SGS_AXIS_BS, SGS_AXIS_QD, SGS_AXIS_THREADS,
	SGS_AXIS_DEVICES, SGS_AXIS_OFFSET, SGS_AXIS_READ_AHEAD, SGS_AXIS_SCHEDULER,
	SGS_AXIS_ENGINE };

struct layout {
	const struct sgs_sweep *sweep;
	enum sgs_axis_kind down, across;
	const struct sgs_cell *best;
};

/* A quantity that has a table. */
struct quantity {
	const char *name;
	void (*put)(char buf[ROOM], const struct sgs_cell *cell);
};

/* ---- figures ---- */

static void put_rate(char buf[ROOM], const struct sgs_cell *cell)
{
	char mb[SGS_WORD_ROOM], mib[SGS_WORD_ROOM];
	double rate = cell->elapsed_ns ? cell->bytes_per_second : NAN;

	snprintf(buf, ROOM, "%.40s (%.40s)", sgs_word_figure(mb, rate / MB),
		sgs_word_figure(mib, rate / MIB));
}

static void put_cost(char buf[ROOM], const struct sgs_cell *cell)
{
	sgs_word_figure(buf, cell->cpu_seconds_per_gib);
}

static void put_p99(char buf[ROOM], const struct sgs_cell *cell)
{
	buf[0] = '\0';
	if (cell->p99_ns)
		sgs_format_time(buf, ROOM, cell->p99_ns);
}

static const struct quantity quantities[] = {
	{ "MB/s (MiB/s)", put_rate },
	{ "CPU seconds per GiB", put_cost },
	{ "latency, 99 % of commands", put_p99 },
};

/* ---- axes ---- */

static const char *const names[SGS_AXES] = {
	[SGS_AXIS_ENGINE] = "ENGINE",
	[SGS_AXIS_SCHEDULER] = "SCHEDULER",
	[SGS_AXIS_READ_AHEAD] = "READ-AHEAD",
	[SGS_AXIS_OFFSET] = "OFFSET",
	[SGS_AXIS_DEVICES] = "DEVICES",
	[SGS_AXIS_THREADS] = "THREADS",
	[SGS_AXIS_BS] = "BS",
	[SGS_AXIS_QD] = "QD",
};

static const char *const words[SGS_AXES] = {
	[SGS_AXIS_ENGINE] = "engine",
	[SGS_AXIS_SCHEDULER] = "scheduler",
	[SGS_AXIS_READ_AHEAD] = "read-ahead",
	[SGS_AXIS_OFFSET] = "offset",
	[SGS_AXIS_DEVICES] = "devices",
	[SGS_AXIS_THREADS] = "threads",
	[SGS_AXIS_BS] = "bs",
	[SGS_AXIS_QD] = "qd",
};

static void put_value(
	char buf[ROOM], const struct sgs_sweep *sweep, enum sgs_axis_kind kind, unsigned at)
{
	const struct sgs_axis *axis = &sweep->axes[kind];

	if (kind == SGS_AXIS_ENGINE || kind == SGS_AXIS_SCHEDULER)
		snprintf(buf, ROOM, "%s", axis->words[at]);
	else if (kind == SGS_AXIS_BS)
		sgs_format_size(buf, ROOM, axis->numbers[at]);
	else if (kind == SGS_AXIS_READ_AHEAD)
		sgs_format_size(buf, ROOM, axis->numbers[at] * 1024);
	else if (kind == SGS_AXIS_OFFSET)
		snprintf(buf, ROOM, "%" PRIu64 " %%", axis->numbers[at]);
	else
		snprintf(buf, ROOM, "%" PRIu64, axis->numbers[at]);
}

static struct layout lay_out(const struct sgs_sweep *sweep)
{
	struct layout l = { sweep, SGS_AXES, SGS_AXES, sgs_sweep_best(sweep) };

	for (size_t i = 0; i < SGS_AXES; i++) {
		if (sweep->axes[shown[i]].n < 2)
			continue;
		if (l.down == SGS_AXES)
			l.down = shown[i];
		else if (l.across == SGS_AXES)
			l.across = shown[i];
	}
	if (l.down == SGS_AXES)
		l.down = SGS_AXIS_BS;
	if (l.across == SGS_AXES)
		l.across = l.down == SGS_AXIS_QD ? SGS_AXIS_BS : SGS_AXIS_QD;
	return l;
}

/* ---- tables ---- */

static const struct sgs_cell *cell_at(
	const struct layout *l, const struct sgs_cell *leader, unsigned down, unsigned across)
{
	size_t index = 0;

	for (unsigned i = 0; i < SGS_AXES; i++) {
		unsigned at = i == l->down ? down : i == l->across ? across : leader->at[i];

		index = index * l->sweep->axes[i].n + at;
	}
	return &l->sweep->cells[index];
}

static void put_cell(char buf[ROOM], const struct layout *l, const struct sgs_cell *cell,
	const struct quantity *quantity)
{
	char figure[ROOM];

	switch (cell->state) {
	case SGS_CELL_OPEN:
		strcpy(buf, "?");
		break;
	case SGS_CELL_REFUSED:
		buf[0] = '\0';
		break;
	case SGS_CELL_FAILED:
		strcpy(buf, "failed");
		break;
	case SGS_CELL_MEASURED:
		quantity->put(figure, cell);
		snprintf(buf, ROOM, "%s%.*s", cell == l->best ? "* " : "", ROOM - 4, figure);
		break;
	}
}

static void add_row(struct sgs_table *table, const struct layout *l,
	const struct sgs_cell *leader, unsigned down, const struct quantity *quantity)
{
	char text[SGS_RANGE_MOST + 1][ROOM];
	const char *cells[SGS_RANGE_MOST + 1] = { text[0] };

	put_value(text[0], l->sweep, l->down, down);
	for (unsigned i = 0; i < l->sweep->axes[l->across].n; i++) {
		put_cell(text[i + 1], l, cell_at(l, leader, down, i), quantity);
		cells[i + 1] = text[i + 1];
	}
	sgs_table_row(table, cells);
}

/* An axis that was not given has no values to be shown; a word needs no name beside it. */
static void name_column(char buf[ROOM], const struct layout *l, unsigned at)
{
	bool is_word = l->across == SGS_AXIS_ENGINE || l->across == SGS_AXIS_SCHEDULER;
	char value[ROOM];

	buf[0] = '\0';
	if (!l->sweep->axes[l->across].given)
		return;
	put_value(value, l->sweep, l->across, at);
	snprintf(buf, ROOM, "%s%s%.*s", is_word ? "" : names[l->across], is_word ? "" : " ",
		ROOM - 16, value);
}

static void print_table(FILE *out, const struct layout *l, const struct sgs_cell *leader,
	const struct quantity *quantity)
{
	const struct sgs_sweep *sweep = l->sweep;
	size_t across = sweep->axes[l->across].n;
	char heads[SGS_RANGE_MOST][ROOM];
	struct sgs_column columns[SGS_RANGE_MOST + 1] = { { names[l->down], true } };
	struct sgs_table *table;

	for (unsigned i = 0; i < across; i++) {
		name_column(heads[i], l, i);
		columns[i + 1] = (struct sgs_column){ heads[i], true };
	}
	table = sgs_table_new(out, columns, across + 1);
	for (unsigned i = 0; i < sweep->axes[l->down].n; i++)
		add_row(table, l, leader, i, quantity);
	if (sgs_table_print(table) != 0)
		fputs("(no memory for the table)\n", out);
}

/* "MB/s (MiB/s), engine sg-mmap, threads 2" */
static void print_title(FILE *out, const struct layout *l, const struct sgs_cell *leader,
	const struct quantity *quantity)
{
	char value[ROOM];

	fprintf(out, "\n%s", quantity->name);
	for (unsigned i = 0; i < SGS_AXES; i++) {
		if (i == l->down || i == l->across || l->sweep->axes[i].n < 2)
			continue;
		put_value(value, l->sweep, (enum sgs_axis_kind)i, leader->at[i]);
		fprintf(out, ", %s %s", words[i], value);
	}
}

static bool any_started(const struct layout *l, const struct sgs_cell *leader)
{
	for (unsigned i = 0; i < l->sweep->axes[l->down].n; i++)
		for (unsigned j = 0; j < l->sweep->axes[l->across].n; j++)
			if (cell_at(l, leader, i, j)->state != SGS_CELL_REFUSED)
				return true;
	return false;
}

static void print_tables(FILE *out, const struct layout *l, const struct quantity *quantity)
{
	for (size_t i = 0; i < l->sweep->n_cells; i++) {
		const struct sgs_cell *cell = &l->sweep->cells[i];

		if (cell->at[l->down] || cell->at[l->across])
			continue;
		print_title(out, l, cell, quantity);
		if (any_started(l, cell)) {
			fputc('\n', out);
			print_table(out, l, cell, quantity);
		} else {
			fputs(": no cell could run\n", out);
		}
	}
}

/* ---- around them ---- */

static void print_devices(FILE *out, const struct sgs_sweep *sweep, int verbose)
{
	if (sweep->n_devices > 1)
		fprintf(out, "%zu devices\n", sweep->n_devices);
	for (size_t i = 0; i < sweep->n_devices && (verbose || sweep->n_devices == 1); i++) {
		sgs_text_identity(out, &sweep->devices[i]);
		fputc('\n', out);
	}
}

/* What is the same in all cells. */
static void print_way(FILE *out, const struct sgs_sweep *sweep)
{
	char value[ROOM];
	const char *gap = "";

	for (unsigned i = 0; i < SGS_AXES; i++) {
		const struct sgs_axis *axis = &sweep->axes[i];
		bool known = axis->given || i == SGS_AXIS_ENGINE;

		if (axis->n > 1 || !known)
			continue;
		put_value(value, sweep, (enum sgs_axis_kind)i, 0);
		fprintf(out, "%s%s%s%s", gap, i == SGS_AXIS_ENGINE ? "" : words[i],
			i == SGS_AXIS_ENGINE ? "" : " ", value);
		gap = ", ";
	}
	fputs(*gap ? "; " : "", out);
}

static void print_cells(FILE *out, const struct sgs_sweep *sweep)
{
	char time[SGS_WORD_ROOM];

	fprintf(out, "%zu cell%s", sweep->n_cells, sweep->n_cells == 1 ? "" : "s");
	if (sweep->job.runtime_ns)
		fprintf(out, " of %s",
			sgs_format_time(time, sizeof time, sweep->job.runtime_ns));
	fprintf(out, " in random order, --seed %" PRIu64 "\n", sweep->seed);
	if (sweep->kept)
		fprintf(out, "%zu cells were measured before, %zu now\n", sweep->kept,
			sweep->done - sweep->kept);
}

/* A sweep that is not whole says so before any figure. */
static void print_state(FILE *out, const struct sgs_sweep *sweep)
{
	const char *name = sigabbrev_np(sweep->sum.signal);

	if (sweep->done == sweep->n_cells)
		return;
	if (sweep->sum.signal)
		fprintf(out, "interrupted by SIG%s; ", name ? name : "?");
	else
		fputs("ended early; ", out);
	fprintf(out, "%zu of %zu cells are done, and ? marks the others\n", sweep->done,
		sweep->n_cells);
}

/* ---- reasons ---- */

static bool is_alike(const struct sgs_cell *a, const struct sgs_cell *b)
{
	return a->state == b->state && a->why && b->why && !strcmp(a->why->code, b->why->code);
}

static bool is_told(const struct sgs_sweep *sweep, size_t index)
{
	const struct sgs_cell *cell = &sweep->cells[index];

	for (size_t i = 0; i < index; i++)
		if (is_alike(&sweep->cells[i], cell))
			return true;
	return false;
}

static size_t count_alike(const struct sgs_sweep *sweep, const struct sgs_cell *cell)
{
	size_t n = 0;

	for (size_t i = 0; i < sweep->n_cells; i++)
		n += is_alike(&sweep->cells[i], cell);
	return n;
}

/* Those of one kind together, by the first of them. */
static void print_reasons(FILE *out, const struct sgs_sweep *sweep)
{
	size_t told = 0;

	for (size_t i = 0; i < sweep->n_cells; i++) {
		const struct sgs_cell *cell = &sweep->cells[i];
		char name[SGS_CELL_NAME];
		size_t n;

		if (!cell->why || is_told(sweep, i))
			continue;
		n = count_alike(sweep, cell);
		fprintf(out, "%s%s  %zu cell%s, %s%s: %s\n", told ? "" : "\n",
			cell->state == SGS_CELL_FAILED ? "failed" : "-", n, n == 1 ? "" : "s",
			n == 1 ? "" : "such as ", sgs_cell_name(sweep, cell, name),
			cell->why->text);
		told++;
	}
}

static void print_best(FILE *out, const struct layout *l)
{
	char rate[SGS_WORD_ROOM], cost[SGS_WORD_ROOM], p99[ROOM], name[SGS_CELL_NAME];

	if (!l->best)
		return;
	put_p99(p99, l->best);
	fprintf(out, "\nbest  %s with %s; %s s of CPU per GiB, p99 %s\n",
		sgs_word_rate(rate, l->best->bytes_per_second),
		sgs_cell_name(l->sweep, l->best, name),
		sgs_word_figure(cost, l->best->cpu_seconds_per_gib), p99[0] ? p99 : "-");
}

void sgs_report_sweep_text(FILE *out, const struct sgs_sweep *sweep, int verbose)
{
	const struct layout l = lay_out(sweep);
	size_t tables = verbose ? sizeof quantities / sizeof *quantities : 1;

	print_devices(out, sweep, verbose);
	print_way(out, sweep);
	print_cells(out, sweep);
	print_state(out, sweep);
	for (size_t i = 0; i < tables; i++)
		print_tables(out, &l, &quantities[i]);
	print_reasons(out, sweep);
	print_best(out, &l);
}
