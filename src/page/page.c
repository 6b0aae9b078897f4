/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page.h"

#include <string.h>

#include "page/history.h"
#include "page/html.h"
#include "page/parts.h"
#include "report/report.h"

static sgs_page_part *const plots[] = { sgs_page_engines_plot, sgs_page_profile_plot,
	sgs_page_scaling_plot, sgs_page_matrix_plot, sgs_page_over_time_plot,
	sgs_page_latency_plot };

static sgs_page_part *const tables[] = { sgs_page_engines_table, sgs_page_profile_table,
	sgs_page_scaling_table, sgs_page_matrix_table, sgs_page_devices_table,
	sgs_page_bad_ranges_table, sgs_page_playback_table, sgs_page_latency_table,
	sgs_page_over_time_table };

/* ---- what leads ---- */

/* A comparison answers more than a sweep, and that more than a read; the latest of a kind. */
static const struct sgs_result_item *leading(
	const struct sgs_result_set *set, const struct sgs_history *history)
{
	const struct sgs_result_item *best = NULL;

	for (size_t i = 0; i < set->n; i++) {
		const struct sgs_result_item *item = &set->items[i];

		if (!sgs_history_is_past(history, item) &&
			(!best || sgs_page_kind(item->root) <= sgs_page_kind(best->root)))
			best = item;
	}
	return best;
}

/* What is new over time goes before what a single result shows. */
static const struct sgs_result_item *find_news(struct sgs_page *page,
	const struct sgs_result_set *set, const struct sgs_history *history)
{
	const struct sgs_history_series *news = sgs_history_news(history);

	if (!news)
		return leading(set, history);
	sgs_history_say(news, page->news, sizeof page->news);
	return news->points[news->n - 1].item;
}

static void put_head(FILE *out, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n",
		out);
	sgs_html_element(out, "title", title);
	fprintf(out, "\n<style>\n%s</style>\n</head>\n<body>\n", sgs_page_style);
	fputs("<a class=\"skip\" href=\"#main\">Skip to the results</a>\n", out);
	sgs_plot_shapes(out);
}

static void put_when(FILE *out, const json_t *root)
{
	const char *at = sgs_field_text(root, "started_at");

	sgs_html_say(out, "%.10s %.5s UTC", at, strlen(at) > 11 ? at + 11 : "");
}

static void put_header(struct sgs_page *page, const struct sgs_result_item *item)
{
	FILE *out = page->out;
	const json_t *host = json_object_get(item->root, "host");
	char verdict[SGS_PAGE_SENTENCE];

	if (page->news[0])
		snprintf(verdict, sizeof verdict, "%s", page->news);
	else
		sgs_page_verdict(item->root, verdict);
	put_head(out, verdict);
	fputs("<header>\n<p class=\"kicker\">sgstream &middot; ", out);
	put_when(out, item->root);
	sgs_html_say(out, " \302\267 Linux %s", sgs_field_text(host, "kernel"));
	fputs("</p>\n", out);
	sgs_html_element(out, "h1", verdict);
	sgs_page_facts(page, item->root);
}

static size_t number_of(const struct sgs_result_set *set, const struct sgs_result_item *item)
{
	return (size_t)(item - set->items) + 1;
}

/* The leading one stands right below. */
static void put_contents(FILE *out, const struct sgs_result_set *set,
	const struct sgs_history *history, const struct sgs_result_item *lead)
{
	char verdict[SGS_PAGE_SENTENCE];

	if (set->n < 2)
		return;
	fputs("<nav aria-label=\"Further results\"><ul>\n", out);
	if (history && history->n)
		fprintf(out, "<li><a href=\"#history\">Over time</a>: %zu results</li>\n",
			set->n);
	for (size_t i = 0; i < set->n; i++) {
		if (&set->items[i] == lead || sgs_history_is_past(history, &set->items[i]))
			continue;
		fprintf(out, "<li><a href=\"#r%zu\">", i + 1);
		sgs_html_text(out, sgs_page_kind_name(sgs_page_kind(set->items[i].root)));
		fputs("</a>: ", out);
		sgs_html_text(out, sgs_page_verdict(set->items[i].root, verdict));
		fputs("</li>\n", out);
	}
	fputs("</ul></nav>\n", out);
}

/* ---- a result ---- */

static void put_call(FILE *out, const struct sgs_result_item *item)
{
	const json_t *argv = json_object_get(item->root, "argv");

	fputs("<p class=\"what\"><code>sgstream", out);
	for (size_t i = 1; i < json_array_size(argv); i++) {
		const char *word = json_string_value(json_array_get(argv, i));

		sgs_html_say(out, " %s", word ? word : "");
	}
	fputs("</code><br>", out);
	put_when(out, item->root);
	sgs_html_say(out, ", %s", item->name);
	fputs("</p>\n", out);
}

static void put_result(
	struct sgs_page *page, const struct sgs_result_item *item, size_t number, bool leads)
{
	FILE *out = page->out;
	char verdict[SGS_PAGE_SENTENCE];

	fprintf(out,
		"<section id=\"r%zu\" aria-labelledby=\"r%zu-name\">\n<h2 id=\"r%zu-name\">",
		number, number, number);
	sgs_html_text(out, sgs_page_kind_name(sgs_page_kind(item->root)));
	fputs("</h2>\n", out);
	put_call(out, item);
	if (!leads) {
		sgs_html_element(out, "p", sgs_page_verdict(item->root, verdict));
		sgs_page_facts(page, item->root);
	}
	fputs("<div class=\"plots\">\n", out);
	for (size_t i = 0; i < sizeof plots / sizeof *plots; i++)
		plots[i](page, item->root);
	fputs("</div>\n", out);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		tables[i](page, item->root);
	fputs("</section>\n", out);
}

/* ---- the whole ---- */

static void put_rest(struct sgs_page *page, const struct sgs_result_set *set)
{
	FILE *out = page->out;

	fputs("<section id=\"messages\" aria-labelledby=\"messages-name\">\n"
	      "<h2 id=\"messages-name\">Warnings</h2>\n",
		out);
	sgs_page_messages(page, set);
	fputs("</section>\n<section aria-labelledby=\"drives-name\">\n"
	      "<h2 id=\"drives-name\">Drives and host</h2>\n",
		out);
	sgs_page_drives(page, set);
	sgs_page_hosts(page, set);
	fputs("</section>\n", out);
}

void sgs_page_write(struct sgs_page *page, const struct sgs_result_set *set)
{
	struct sgs_history *history = sgs_history_make(set);
	const struct sgs_result_item *lead = find_news(page, set, history);
	FILE *out = page->out;

	put_header(page, lead);
	put_contents(out, set, history, lead);
	fputs("</header>\n<main id=\"main\">\n", out);
	sgs_page_over_runs(page, history);
	put_result(page, lead, number_of(set, lead), true);
	for (size_t i = 0; i < set->n; i++)
		if (&set->items[i] != lead && !sgs_history_is_past(history, &set->items[i]))
			put_result(page, &set->items[i], i + 1, false);
	put_rest(page, set);
	fputs("</main>\n<footer>\n<p>MB are 10<sup>6</sup> bytes, MiB 2<sup>20</sup>. Bytes "
	      "are those that "
	      "the drive moved. This page needs nothing from elsewhere.</p>\n",
		out);
	sgs_html_say(out, "Made by sgstream %s", sgs_version);
	fputs("\n</footer>\n</body>\n</html>\n", out);
	sgs_history_free(history);
}
