/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/table.h"
#include "report/text.h"
#include "report/words.h"
#include "util/units.h"

#define LABEL "%-11s "
#define MB    1e6
#define MIB   1048576.0

enum { COLUMNS = 9 };

static const char *name_of(const struct sgs_series *s)
{
	return s->contender->engine->name;
}

/* ---- what was done ---- */

static void print_devices(FILE *out, const struct sgs_run_result *run, int verbose)
{
	if (run->n_devices > 1)
		fprintf(out, "%zu devices\n", run->n_devices);
	for (size_t i = 0; i < run->n_devices && (verbose || run->n_devices == 1); i++) {
		sgs_text_identity(out, &run->devices[i].device);
		fputc('\n', out);
	}
}

static const char *each_word(char buf[SGS_WORD_ROOM], const struct sgs_run_result *run)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < run->n_devices; i++) {
		uint64_t goal = run->devices[i].goal_bytes;

		if (goal == UINT64_MAX || goal > run->devices[i].figures.bytes)
			return sgs_word_span(buf, run->total.elapsed_ns);
		bytes += goal;
	}
	return sgs_word_amount(buf, bytes);
}

static void print_way(FILE *out, const struct sgs_comparison *of, const struct sgs_series *s)
{
	const struct sgs_run_result *run = &s->runs[0]->run;
	char size[SGS_WORD_ROOM], each[SGS_WORD_ROOM];

	fprintf(out, "%s per command, depth %u",
		sgs_format_size(size, sizeof size, run->bs_bytes), run->queue_depth);
	if (run->n_devices > 1)
		fputs(" on each device", out);
	fprintf(out, "; %s a run, %u round%s in turn", each_word(each, run), of->whole,
		of->whole == 1 ? "" : "s");
	if (of->warmup)
		fprintf(out, " after %u to warm up", of->warmup);
	fputc('\n', out);
}

/* A comparison that is not whole says so before any figure. */
static void print_state(FILE *out, const struct sgs_comparison *of)
{
	const char *name = sigabbrev_np(of->sum.signal);

	if (of->sum.signal)
		fprintf(out, "interrupted by SIG%s; ", name ? name : "?");
	else if (of->whole < of->rounds)
		fputs("ended early; ", out);
	else
		return;
	fprintf(out, "%u of %u rounds were finished\n", of->whole, of->rounds);
}

/* ---- the table ---- */

struct cell {
	char text[2 * SGS_WORD_ROOM + 8];
};

static void put_value(struct cell *cell, const struct sgs_estimate *e, double unit)
{
	sgs_word_figure(cell->text, e->n ? e->median / unit : NAN);
}

static void put_interval(struct cell *cell, const struct sgs_estimate *e, double unit)
{
	char low[SGS_WORD_ROOM], high[SGS_WORD_ROOM];

	cell->text[0] = '\0';
	if (e->n > 1)
		snprintf(cell->text, sizeof cell->text, "%s to %s",
			sgs_word_figure(low, e->low / unit),
			sgs_word_figure(high, e->high / unit));
}

/* Near one the fourth digit is the one that counts. */
static const char *ratio_word(char buf[SGS_WORD_ROOM], double ratio)
{
	if (ratio < 0.9 || ratio >= 1.1)
		return sgs_word_figure(buf, ratio);
	snprintf(buf, SGS_WORD_ROOM, "%.3f", ratio);
	return buf;
}

/* The baseline's own is one, without an interval. */
static void put_ratio(struct cell cells[2], const struct sgs_series *s, bool is_baseline)
{
	char low[SGS_WORD_ROOM], high[SGS_WORD_ROOM];

	cells[1].text[0] = '\0';
	if (is_baseline) {
		strcpy(cells[0].text, "1");
		return;
	}
	snprintf(cells[0].text, sizeof cells[0].text, "%s", ratio_word(low, s->ratio.median));
	if (s->ratio.n > 1)
		snprintf(cells[1].text, sizeof cells[1].text, "%s to %s",
			ratio_word(low, s->ratio.low), ratio_word(high, s->ratio.high));
}

static void add_row(struct sgs_table *table, const struct sgs_series *s, bool is_baseline)
{
	struct cell cells[COLUMNS] = { 0 };
	const char *texts[COLUMNS];

	snprintf(cells[0].text, sizeof cells[0].text, "%s", name_of(s));
	put_value(&cells[1], &s->rate, MB);
	put_interval(&cells[2], &s->rate, MB);
	put_value(&cells[3], &s->rate, MIB);
	put_interval(&cells[4], &s->rate, MIB);
	put_value(&cells[5], &s->cost, 1);
	put_interval(&cells[6], &s->cost, 1);
	put_ratio(&cells[7], s, is_baseline);
	for (size_t i = 0; i < COLUMNS; i++)
		texts[i] = cells[i].text;
	sgs_table_row(table, texts);
}

/* One value has no interval. */
static void coverage_word(char buf[SGS_WORD_ROOM], const struct sgs_estimate *e)
{
	if (e->n > 1)
		snprintf(buf, SGS_WORD_ROOM, "%.3g %%", 100 * e->coverage);
	else
		strcpy(buf, "-");
}

static void print_table(FILE *out, const struct sgs_compared *c)
{
	char coverage[SGS_WORD_ROOM];
	const struct sgs_column columns[COLUMNS] = {
		{ "ENGINE", false },
		{ "MB/s", true },
		{ coverage, true },
		{ "MiB/s", true },
		{ coverage, true },
		{ "CPU s/GiB", true },
		{ coverage, true },
		{ "RATIO", true },
		{ coverage, true },
	};
	struct sgs_table *table;

	coverage_word(coverage, &c->series[0].rate);
	table = sgs_table_new(out, columns, COLUMNS);
	for (size_t i = 0; i < c->n; i++)
		add_row(table, &c->series[i], i == 0);
	if (sgs_table_print(table) != 0)
		fputs("(no memory for the table of contenders)\n", out);
}

/* The rates of each round, in MB/s; '*' marks outliers. */
static void print_rounds(FILE *out, const struct sgs_compared *c)
{
	struct sgs_column columns[SGS_COMPARE_MOST_ENGINES + 1] = { { "ROUND", true } };
	struct cell cells[SGS_COMPARE_MOST_ENGINES + 1] = { 0 };
	const char *texts[SGS_COMPARE_MOST_ENGINES + 1];
	struct sgs_table *table;

	for (size_t i = 0; i < c->n; i++)
		columns[i + 1] = (struct sgs_column){ name_of(&c->series[i]), true };
	table = sgs_table_new(out, columns, c->n + 1);
	for (size_t i = 0; i <= c->n; i++)
		texts[i] = cells[i].text;
	for (size_t round = 0; round < c->rounds; round++) {
		snprintf(cells[0].text, sizeof cells[0].text, "%u", c->numbers[round]);
		for (size_t i = 0; i < c->n; i++) {
			const struct sgs_series *s = &c->series[i];

			sgs_word_figure(cells[i + 1].text, s->rates[round] / MB);
			if (s->outliers[round])
				strcat(cells[i + 1].text, "*");
		}
		sgs_table_row(table, texts);
	}
	if (sgs_table_print(table) != 0)
		fputs("(no memory for the table of rounds)\n", out);
}

/* ---- below it ---- */

static void print_absent(FILE *out, const struct sgs_comparison *of)
{
	for (size_t i = 0; i < of->n_contenders; i++) {
		const struct sgs_contender *c = &of->contenders[i];

		if (c->out)
			fprintf(out, LABEL "takes no part: %s\n", c->engine->name, c->why.text);
	}
}

static void print_digest(FILE *out, const struct sgs_comparison *of)
{
	char amount[SGS_WORD_ROOM];

	if (of->digest.equal)
		fprintf(out, LABEL "%016" PRIx64 "%016" PRIx64 " of the same %s through all\n",
			"digest", of->digest.total.high, of->digest.total.low,
			sgs_word_amount(amount, of->digest.bytes));
}

/* "+412", "-3.1": a difference. */
static const char *signed_word(char buf[SGS_WORD_ROOM], double value)
{
	char size[SGS_WORD_ROOM];

	snprintf(buf, SGS_WORD_ROOM, "%c%.90s", value < 0 ? '-' : '+',
		sgs_word_figure(size, fabs(value)));
	return buf;
}

static void print_copy(FILE *out, const struct sgs_copy_cost *copy)
{
	const struct sgs_estimate *e = &copy->ns_per_kib;
	char median[SGS_WORD_ROOM], low[SGS_WORD_ROOM], high[SGS_WORD_ROOM],
		percent[SGS_WORD_ROOM], rate[SGS_WORD_ROOM];

	if (!copy->cached || !copy->other || !e->n)
		return;
	fprintf(out,
		LABEL "%s against %s: %s ns of CPU per KiB (%s to %s), %s %% of a core at %s\n",
		"page cache", name_of(copy->cached), name_of(copy->other),
		signed_word(median, e->median), signed_word(low, e->low),
		signed_word(high, e->high), signed_word(percent, copy->core_percent),
		sgs_word_rate(rate, copy->cached->rate.median));
}

void sgs_report_compare_text(FILE *out, const struct sgs_compared *c, int verbose)
{
	if (!c->of->n_runs)
		return;
	print_devices(out, &c->of->runs[0].run, verbose);
	print_state(out, c->of);
	if (c->n) {
		print_way(out, c->of, &c->series[0]);
		print_table(out, c);
		if (verbose)
			print_rounds(out, c);
	}
	print_absent(out, c->of);
	print_digest(out, c->of);
	print_copy(out, &c->copy);
	fprintf(out, "\n%s.\n", c->verdict);
}
