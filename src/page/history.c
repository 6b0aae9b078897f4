/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/words.h"
#include "stats/stats.h"

#define CHANCE 0.05 /* of a decline that is none */

/* ---- what a series is of ---- */

/* By what it is, not by where it was that day */
static const char *identity(const json_t *device)
{
	const char *name = sgs_field_text(device, "lu_name");

	if (!*name)
		name = sgs_field_text(device, "serial");
	return *name ? name : sgs_field_text(device, "path");
}

static char *make_key(const json_t *run, const json_t *devices, size_t first, size_t n)
{
	char *key = NULL;
	size_t len;
	FILE *out = open_memstream(&key, &len);

	if (!out)
		return NULL;
	fprintf(out, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %zu",
		sgs_field_text(run, "engine"), sgs_field_count(run, "bs_bytes"),
		sgs_field_count(run, "queue_depth"), sgs_field_count(run, "threads"),
		json_array_size(devices));
	for (size_t i = first; i < first + n; i++)
		fprintf(out, "\n%s", identity(json_array_get(devices, i)));
	fclose(out);
	return key;
}

static void name_series(struct sgs_history_series *s, const json_t *run, const json_t *devices,
	size_t first, size_t n)
{
	const json_t *device = json_array_get(devices, first);
	const json_t *controller = json_object_get(device, "controller");
	const char *driver = sgs_field_text(controller, "driver");

	sgs_page_way(run, s->way);
	if (n == 1)
		snprintf(s->name, sizeof s->name, "%s", sgs_field_text(device, "path"));
	else
		snprintf(s->name, sizeof s->name, "%zu drives%s%s", n, *driver ? " on " : "",
			driver);
}

static struct sgs_history_series *series_of(struct sgs_history *h, char *key)
{
	struct sgs_history_series *grown;

	for (size_t i = 0; key && i < h->n; i++)
		if (!strcmp(h->series[i].key, key)) {
			free(key);
			return &h->series[i];
		}
	grown = key ? reallocarray(h->series, h->n + 1, sizeof *grown) : NULL;
	if (!grown) {
		free(key);
		return NULL;
	}
	h->series = grown;
	grown[h->n] = (struct sgs_history_series){ .key = key };
	return &grown[h->n++];
}

/* ---- its points ---- */

static bool parse_time(const char *text, time_t *at)
{
	struct tm tm = { 0 };

	if (!strptime(text, "%Y-%m-%dT%H:%M:%S", &tm))
		return false;
	*at = timegm(&tm);
	return true;
}

static void add_point(
	struct sgs_history_series *s, const struct sgs_result_item *item, double rate)
{
	struct sgs_history_point point = { .item = item, .rate = rate };
	struct sgs_history_point *grown;

	if (rate <= 0 || s->n == SGS_STATS_MOST ||
		!parse_time(sgs_field_text(item->root, "started_at"), &point.at))
		return;
	grown = reallocarray(s->points, s->n + 1, sizeof *grown);
	if (!grown)
		return;
	s->points = grown;
	grown[s->n++] = point;
}

static void add(struct sgs_history *h, const struct sgs_result_item *item, const json_t *run,
	size_t first, size_t n, double rate)
{
	const json_t *devices = json_object_get(run, "devices");
	struct sgs_history_series *s = series_of(h, make_key(run, devices, first, n));

	if (!s)
		return;
	name_series(s, run, devices, first, n);
	add_point(s, item, rate);
}

static void add_read(struct sgs_history *h, const struct sgs_result_item *item)
{
	const json_t *run = sgs_page_run(item->root, 0);
	const json_t *devices = json_object_get(run, "devices");
	size_t n = json_array_size(devices);

	if (json_object_get(run, "playback"))
		return;
	if (n > 1)
		add(h, item, run, 0, n, sgs_page_rate(run));
	for (size_t i = 0; i < n; i++)
		add(h, item, run, i, 1,
			sgs_field_number(json_array_get(devices, i), "bytes_per_second"));
}

/* The first run of an engine that counts says how it read. */
static const json_t *run_of_engine(const json_t *root, const char *engine)
{
	const json_t *runs = json_object_get(root, "runs");

	for (size_t i = 0; i < json_array_size(runs); i++)
		if (sgs_field_is_text(json_array_get(runs, i), "engine", engine))
			return json_array_get(runs, i);
	return NULL;
}

static void add_comparison(struct sgs_history *h, const struct sgs_result_item *item)
{
	const json_t *all = sgs_field_at(item->root, "comparison", "contenders");

	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *contender = json_array_get(all, i);
		const json_t *run =
			run_of_engine(item->root, sgs_field_text(contender, "engine"));
		size_t n = json_array_size(json_object_get(run, "devices"));

		if (n)
			add(h, item, run, 0, n,
				sgs_field_number(json_object_get(contender, "bytes_per_second"),
					"median"));
	}
}

/* ---- what it shows ---- */

static double median_of_usual(const struct sgs_history_series *s, double *values)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (!s->points[i].drop)
			values[n++] = s->points[i].rate;
	return sgs_estimate_median(values, n).median;
}

static void judge(struct sgs_history_series *s)
{
	double *values = calloc(s->n + 1, sizeof *values);
	bool *marks = calloc(s->n + 1, sizeof *marks);
	struct sgs_trend trend;

	if (values && marks) {
		for (size_t i = 0; i < s->n; i++)
			values[i] = s->points[i].rate;
		trend = sgs_trend(values, s->n);
		s->change = trend.change;
		s->declines = trend.p < CHANCE && trend.change < -SGS_HISTORY_LEAST;
		s->drops = sgs_drops(values, s->n, SGS_HISTORY_LEAST, marks);
		for (size_t i = 0; i < s->n; i++)
			s->points[i].drop = marks[i];
		s->usual = median_of_usual(s, values);
	}
	free(values);
	free(marks);
}

static void free_series(struct sgs_history_series *s)
{
	free(s->key);
	free(s->points);
}

static void leave_single_ones_out(struct sgs_history *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->n; i++)
		if (h->series[i].n > 1)
			h->series[kept++] = h->series[i];
		else
			free_series(&h->series[i]);
	h->n = kept;
}

struct sgs_history *sgs_history_make(const struct sgs_result_set *set)
{
	struct sgs_history *h = calloc(1, sizeof *h);

	for (size_t i = 0; h && i < set->n; i++) {
		const struct sgs_result_item *item = &set->items[i];
		enum sgs_page_kind kind = sgs_page_kind(item->root);

		if (!sgs_field_is_text(item->root, "status", "ok"))
			continue;
		if (kind == SGS_PAGE_READ)
			add_read(h, item);
		else if (kind == SGS_PAGE_COMPARE)
			add_comparison(h, item);
	}
	if (h)
		leave_single_ones_out(h);
	for (size_t i = 0; h && i < h->n; i++)
		judge(&h->series[i]);
	return h;
}

void sgs_history_free(struct sgs_history *history)
{
	for (size_t i = 0; history && i < history->n; i++)
		free_series(&history->series[i]);
	if (history)
		free(history->series);
	free(history);
}

bool sgs_history_is_past(const struct sgs_history *history, const struct sgs_result_item *item)
{
	bool is_past = false;

	for (size_t i = 0; history && i < history->n; i++) {
		const struct sgs_history_series *s = &history->series[i];

		if (s->points[s->n - 1].item == item)
			return false;
		for (size_t j = 0; s->n > SGS_DROP_LEAST && j + 1 < s->n; j++)
			is_past |= s->points[j].item == item;
	}
	return is_past;
}

const struct sgs_history_series *sgs_history_news(const struct sgs_history *history)
{
	const struct sgs_history_series *declining = NULL;

	for (size_t i = 0; history && i < history->n; i++) {
		const struct sgs_history_series *s = &history->series[i];

		if (s->points[s->n - 1].drop)
			return s;
		if (s->declines && !declining)
			declining = s;
	}
	return declining;
}

void sgs_history_say(const struct sgs_history_series *s, char *buf, size_t cap)
{
	char now[SGS_WORD_ROOM], usual[SGS_WORD_ROOM];

	sgs_word_rate(now, s->points[s->n - 1].rate);
	sgs_word_rate(usual, s->usual);
	if (s->points[s->n - 1].drop)
		snprintf(buf, cap,
			"%s has dropped to %s: %.0f %% below the median of its %zu runs "
			"before, %s",
			s->name, now, 100 * (1 - s->points[s->n - 1].rate / s->usual),
			s->n - s->drops, usual);
	else if (s->declines)
		snprintf(buf, cap, "%s declines: by %.0f %% over its %zu runs, to %s", s->name,
			-100 * s->change, s->n, now);
	else
		snprintf(buf, cap, "%s holds its rate: %s, and a median of %s over %zu runs",
			s->name, now, usual, s->n);
}
