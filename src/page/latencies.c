/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Latency curves: how long the slowest so many of the commands took. An engine of a comparison
 * has one curve, over all of its rounds that count.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/html.h"
#include "page/parts.h"

enum {
	MOST_CURVES = SGS_PLOT_COLOURS,
	LEAST_COMMANDS = 10, /* fewer have no curve */
};

#define FINEST 0.01 /* of the nines across: less is not to be seen */

/* ---- what makes a curve ---- */

struct bucket {
	uint64_t upper_ns, count;
};

struct curve {
	char name[SGS_PAGE_NAME];
	const json_t *first; /* run: the percentiles in the table, when it is the only one */
	unsigned runs;
	struct bucket *buckets;
	size_t n;
	uint64_t count;
};

struct curves {
	struct curve all[MOST_CURVES];
	size_t n;
};

static int by_bound(const void *a, const void *b)
{
	const struct bucket *x = a, *y = b;

	return (x->upper_ns > y->upper_ns) - (x->upper_ns < y->upper_ns);
}

static void add_run(struct curve *c, const json_t *run)
{
	const json_t *histogram = sgs_field_at(run, "total", "latency_ns", "histogram");
	size_t n = json_array_size(histogram);
	struct bucket *grown = reallocarray(c->buckets, c->n + n + 1, sizeof *grown);

	if (!grown)
		return;
	c->buckets = grown;
	for (size_t i = 0; i < n; i++) {
		const json_t *pair = json_array_get(histogram, i);
		json_int_t upper = json_integer_value(json_array_get(pair, 0));
		json_int_t count = json_integer_value(json_array_get(pair, 1));

		if (upper <= 0 || count <= 0)
			continue;
		grown[c->n++] = (struct bucket){ (uint64_t)upper, (uint64_t)count };
		c->count += (uint64_t)count;
	}
	c->first = c->first ? c->first : run;
	c->runs++;
}

static struct curve *curve_named(struct curves *curves, const char *name)
{
	for (size_t i = 0; i < curves->n; i++)
		if (!strcmp(curves->all[i].name, name))
			return &curves->all[i];
	if (curves->n == MOST_CURVES)
		return NULL;
	snprintf(curves->all[curves->n].name, SGS_PAGE_NAME, "%s", name);
	return &curves->all[curves->n++];
}

static bool counts(const json_t *run)
{
	return !json_is_true(json_object_get(run, "warmup"));
}

static void collect_rounds(struct curves *curves, const json_t *root)
{
	const json_t *runs = json_object_get(root, "runs");
	const json_t *contenders = sgs_field_at(root, "comparison", "contenders");

	for (size_t i = 0; i < json_array_size(contenders); i++) {
		const json_t *contender = json_array_get(contenders, i);

		if (json_array_size(json_object_get(contender, "rounds")))
			curve_named(curves, sgs_field_text(contender, "engine"));
	}
	for (size_t i = 0; i < json_array_size(runs); i++) {
		const json_t *run = json_array_get(runs, i);
		char name[SGS_PAGE_NAME];
		struct curve *c;

		snprintf(name, sizeof name, "%s", sgs_field_text(run, "engine"));
		c = counts(run) ? curve_named(curves, name) : NULL;
		if (c)
			add_run(c, run);
	}
}

static void collect_one(struct curves *curves, const json_t *run)
{
	char name[SGS_PAGE_NAME];
	struct curve *c = run ? curve_named(curves, sgs_page_way(run, name)) : NULL;

	if (c)
		add_run(c, run);
}

static void collect(struct curves *curves, const json_t *root)
{
	enum sgs_page_kind kind = sgs_page_kind(root);

	if (kind == SGS_PAGE_COMPARE)
		collect_rounds(curves, root);
	else if (kind == SGS_PAGE_READ)
		collect_one(curves, sgs_page_run(root, 0));
	else
		collect_one(curves, sgs_page_cell_run(root, sgs_page_best_cell(root)));
	for (size_t i = 0; i < curves->n; i++)
		if (curves->all[i].n)
			qsort(curves->all[i].buckets, curves->all[i].n, sizeof(struct bucket),
				by_bound);
}

/* The bound that so many of the commands do not exceed */
static uint64_t quantile(const struct curve *c, double share)
{
	uint64_t seen = 0, wanted = (uint64_t)ceil(share * (double)c->count);

	for (size_t i = 0; i < c->n; i++) {
		seen += c->buckets[i].count;
		if (seen >= wanted)
			return c->buckets[i].upper_ns;
	}
	return c->n ? c->buckets[c->n - 1].upper_ns : 0;
}

/* ---- the plot ---- */

static const struct {
	const char *name;
	double share;
	const char *key;
} points[] = {
	{ "50 %", 0.5, "p50" },
	{ "90 %", 0.9, "p90" },
	{ "99 %", 0.99, "p99" },
	{ "99.9 %", 0.999, "p99_9" },
	{ "99.99 %", 0.9999, "p99_99" },
};

enum { POINTS = sizeof points / sizeof *points };

/* Across are nines: how many commands took longer, as a negative logarithm. */
static void put_curve(struct sgs_plot *plot, const struct curve *c)
{
	uint64_t below = 0;
	double shown = -1;

	sgs_plot_data(plot);
	if (c->n)
		fprintf(plot->script, "0 %.6g\n", (double)c->buckets[0].upper_ns / 1e9);
	for (size_t i = 0; i < c->n; i++) {
		double longer, nines;

		below += c->buckets[i].count;
		longer = (double)(c->count - below) / (double)c->count;
		nines = longer > 0 ? -log10(longer) : log10((double)c->count);
		if (nines - shown < FINEST && i + 1 < c->n)
			continue;
		shown = nines;
		fprintf(plot->script, "%.5g %.6g\n", nines,
			(double)c->buckets[i].upper_ns / 1e9);
	}
	sgs_plot_data_end(plot);
}

static void put_script(struct sgs_plot *plot, const struct curves *curves)
{
	fputs("set logscale y\nset format y '%.0s %cs'\nset xrange [0:*]\nset xtics (",
		plot->script);
	for (size_t i = 0; i < POINTS; i++)
		fprintf(plot->script, "%s'%s%%' %.4g", i ? ", " : "", points[i].name,
			-log10(1 - points[i].share));
	fputs(")\n", plot->script);
	for (size_t i = 0; i < curves->n; i++)
		put_curve(plot, &curves->all[i]);
	fputs("plot ", plot->script);
	for (size_t i = 0; i < curves->n; i++)
		fprintf(plot->script, "%s$d%zu using 1:2 with lines lt %zu", i ? ", " : "",
			i + 1, i + 1);
	fputc('\n', plot->script);
}

static void draw(struct sgs_page *page, const struct curves *curves)
{
	const char *legend[MOST_CURVES + 1] = { NULL };
	struct sgs_plot plot;

	for (size_t i = 0; i < curves->n; i++)
		legend[i] = curves->all[i].name;
	sgs_figure_begin(page, &plot, SGS_PLOT_HEIGHT, "share of commands within");
	if (plot.script)
		put_script(&plot, curves);
	sgs_figure_end(page, &plot, "Latency",
		"Latency against the share of commands that took no longer, both on "
		"logarithmic "
		"scales. The percentiles are in the table that follows.",
		legend);
}

/* ---- the table ---- */

/* Of a single run as it was measured; of several together from their histograms. */
static double point_of(const struct curve *c, size_t i)
{
	if (c->runs == 1)
		return sgs_page_latency(c->first, points[i].key);
	return (double)quantile(c, points[i].share);
}

static void put_rows(FILE *out, const struct curves *curves)
{
	for (size_t i = 0; i < curves->n; i++) {
		const struct curve *c = &curves->all[i];

		sgs_html_row(out, c->name);
		fputs("<td>", out);
		sgs_html_count(out, c->count);
		fputs("</td>", out);
		for (size_t p = 0; p < POINTS; p++) {
			fputs("<td>", out);
			sgs_html_time(out, point_of(c, p));
			fputs("</td>", out);
		}
		fputs("<td>", out);
		sgs_html_time(out, c->runs == 1 ? sgs_page_latency(c->first, "max")
						: (double)quantile(c, 1));
		fputs("</td></tr>\n", out);
	}
}

static struct curves *open_curves(const json_t *root)
{
	struct curves *curves = calloc(1, sizeof *curves);

	if (curves)
		collect(curves, root);
	return curves;
}

static void close_curves(struct curves *curves)
{
	for (size_t i = 0; curves && i < curves->n; i++)
		free(curves->all[i].buckets);
	free(curves);
}

static bool has_commands(const struct curves *curves)
{
	return curves && curves->n && curves->all[0].count;
}

void sgs_page_latency_plot(struct sgs_page *page, const json_t *root)
{
	struct curves *curves = open_curves(root);

	if (has_commands(curves) && curves->all[0].count >= LEAST_COMMANDS)
		draw(page, curves);
	close_curves(curves);
}

void sgs_page_latency_table(struct sgs_page *page, const json_t *root)
{
	static const char *const heads[] = { "<Path", "commands", "50 %", "90 %", "99 %",
		"99.9 %", "99.99 %", "slowest", NULL };
	struct curves *curves = open_curves(root);

	if (has_commands(curves)) {
		sgs_html_table(
			page->out, "Latency: so many of the commands took no longer", heads);
		put_rows(page->out, curves);
		sgs_html_table_end(page->out);
	}
	close_curves(curves);
}
