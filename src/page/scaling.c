/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sweep by the number of drives: what they read together, the law that fits it, and the rate
 * of one drive times their number beside it. Where other axes vary, too, the best cell counts.
 */
#include <inttypes.h>
#include <math.h>

#include "page/html.h"
#include "page/parts.h"
#include "report/words.h"
#include "stats/scaling.h"

enum { MOST_POINTS = 64, CURVE = 60 };

struct scaling {
	double at[MOST_POINTS], rate[MOST_POINTS];
	const json_t *runs[MOST_POINTS];
	size_t n;
	bool fitted;
	struct sgs_curve curve; /* the law and its ceiling, as plan has them */
};

static void fit(struct scaling *s)
{
	struct sgs_scaling scaling;

	s->fitted = s->n > SGS_USL_AMDAHL && !sgs_scaling_fit(s->at, s->rate, s->n, &scaling);
	if (!s->fitted)
		return;
	s->curve = scaling.curve;
	sgs_scaling_free(&scaling);
}

static bool collect(struct scaling *s, const json_t *root)
{
	const json_t *axis = sgs_field_at(root, "sweep", "axes", "devices");

	*s = (struct scaling){ 0 };
	if (sgs_page_kind(root) != SGS_PAGE_SCALING)
		return false;
	for (size_t i = 0; i < json_array_size(axis) && s->n < MOST_POINTS; i++) {
		json_int_t value = json_integer_value(json_array_get(axis, i));
		const json_t *run =
			value > 0 ? sgs_page_best_run_at(root, "devices", (uint64_t)value)
				  : NULL;

		if (!run)
			continue;
		s->at[s->n] = (double)value;
		s->runs[s->n] = run;
		s->rate[s->n++] = sgs_page_rate(run);
	}
	fit(s);
	return s->n > 1;
}

static double most(const struct scaling *s)
{
	double n = 0;

	for (size_t i = 0; i < s->n; i++)
		n = fmax(n, s->at[i]);
	return n;
}

/* The number of drives beyond which more of them read less, when that is in sight */
static bool has_knee(const struct scaling *s, double *knee)
{
	*knee = s->fitted ? sgs_curve_knee(&s->curve) : INFINITY;
	return isfinite(*knee) && *knee <= 2 * most(s);
}

/* ---- the plot ---- */

static void put_points(struct sgs_plot *plot, const struct scaling *s)
{
	sgs_plot_data(plot);
	for (size_t i = 0; i < s->n; i++)
		fprintf(plot->script, "%g %.6g\n", s->at[i], s->rate[i] / 1e6);
	sgs_plot_data_end(plot);
}

static void put_curve(struct sgs_plot *plot, const struct scaling *s)
{
	double last = most(s);

	sgs_plot_data(plot);
	for (int i = 0; i <= CURVE; i++) {
		double n = 1 + (last - 1) * i / CURVE;

		fprintf(plot->script, "%.4g %.6g\n", n, sgs_curve_at(&s->curve, n) / 1e6);
	}
	sgs_plot_data_end(plot);
}

static void put_script(struct sgs_plot *plot, const struct scaling *s)
{
	double knee, each = s->rate[0] / s->at[0] / 1e6;

	fprintf(plot->script, "set yrange [0:*]\nset xrange [0:%g]\n", most(s) * 1.05);
	put_points(plot, s);
	if (s->fitted)
		put_curve(plot, s);
	if (has_knee(s, &knee))
		fprintf(plot->script,
			"set arrow from %.4g, graph 0 to %.4g, graph 1 nohead dt 3 lc "
			"rgb 'black' lw 1\n",
			knee, knee);
	fprintf(plot->script, "plot %.6g * x lt 2 lw 1 dt 2, ", each);
	if (s->fitted)
		fputs("$d2 using 1:2 with lines lt 1, ", plot->script);
	fputs("$d1 using 1:2 with points lt 1 ps 0.8\n", plot->script);
}

void sgs_page_scaling_plot(struct sgs_page *page, const json_t *root)
{
	struct scaling s;
	struct sgs_plot plot;
	const char *legend[] = { NULL, "as many times the first", NULL };

	if (!collect(&s, root))
		return;
	legend[0] = s.fitted ? "measured, and the fitted law" : "measured";
	sgs_figure_begin(page, &plot, SGS_PLOT_HEIGHT, "drives");
	if (plot.script)
		put_script(&plot, &s);
	sgs_figure_end(page, &plot, "Rate by number of drives, MB/s",
		"Rate of all drives together against their number, beside the straight line of "
		"perfect scaling. The figures are in the table that follows.",
		legend);
}

/* ---- the table ---- */

static void put_row(FILE *out, const struct scaling *s, size_t i)
{
	char word[SGS_WORD_ROOM];

	snprintf(word, sizeof word, "%.0f", s->at[i]);
	sgs_html_row(out, word);
	fputs("<td>", out);
	sgs_html_rate(out, s->rate[i]);
	fputs("</td><td>", out);
	sgs_html_number(out, s->rate[i] / s->rate[0] * s->at[0] / s->at[i]);
	fputs("</td><td>", out);
	sgs_html_number(out, sgs_page_cost(s->runs[i]));
	fputs("</td><td>", out);
	sgs_html_time(out, sgs_page_latency(s->runs[i], "p99"));
	fputs("</td></tr>\n", out);
}

static void say_law(FILE *out, const struct scaling *s)
{
	char rate[SGS_WORD_ROOM];
	double knee;

	if (!s->fitted)
		return;
	fputs("<p>", out);
	sgs_html_say(out,
		"The universal scalability law fits these points with %s for one drive, "
		"contention "
		"%.3g and coherency %.3g",
		sgs_word_rate(rate, s->curve.law.lambda), s->curve.law.sigma,
		s->curve.law.kappa);
	if (isfinite(s->curve.ceiling))
		sgs_html_say(
			out, ", up to a ceiling of %s", sgs_word_rate(rate, s->curve.ceiling));
	fputs(".", out);
	if (has_knee(s, &knee))
		fprintf(out, " Its knee is at %.0f drives: more of them read no faster.", knee);
	fputs("</p>\n", out);
}

void sgs_page_scaling_table(struct sgs_page *page, const json_t *root)
{
	static const char *const heads[] = { "<Drives", "rate", "efficiency", "CPU s/GiB",
		"latency, 99 %", NULL };
	struct scaling s;

	if (!collect(&s, root))
		return;
	say_law(page->out, &s);
	sgs_html_table(page->out, "Rate by number of drives", heads);
	for (size_t i = 0; i < s.n; i++)
		put_row(page->out, &s, i);
	sgs_html_table_end(page->out);
}
