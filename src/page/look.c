/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/look.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/words.h"
#include "util/units.h"

const json_t *sgs_page_run(const json_t *root, size_t index)
{
	return json_array_get(json_object_get(root, "runs"), index);
}

size_t sgs_page_axis(const json_t *root, const char *key)
{
	return json_array_size(sgs_field_at(root, "sweep", "axes", key));
}

enum sgs_page_kind sgs_page_kind(const json_t *root)
{
	if (json_object_get(root, "comparison"))
		return SGS_PAGE_COMPARE;
	if (!json_object_get(root, "sweep"))
		return SGS_PAGE_READ;
	if (sgs_page_axis(root, "offset_percent") > 1)
		return SGS_PAGE_PROFILE;
	return sgs_page_axis(root, "devices") > 1 ? SGS_PAGE_SCALING : SGS_PAGE_MATRIX;
}

const char *sgs_page_kind_name(enum sgs_page_kind kind)
{
	static const char *const names[] = {
		[SGS_PAGE_COMPARE] = "Comparison of engines",
		[SGS_PAGE_PROFILE] = "Rate by position",
		[SGS_PAGE_SCALING] = "Rate by number of drives",
		[SGS_PAGE_MATRIX] = "Sweep",
		[SGS_PAGE_READ] = "Read",
	};

	return names[kind];
}

/* ---- figures ---- */

double sgs_page_rate(const json_t *run)
{
	return sgs_field_number(json_object_get(run, "total"), "bytes_per_second");
}

double sgs_page_cost(const json_t *run)
{
	return sgs_field_number(sgs_field_at(run, "total", "cpu"), "seconds_per_gib");
}

double sgs_page_latency(const json_t *run, const char *point)
{
	return sgs_field_number(sgs_field_at(run, "total", "latency_ns"), point);
}

/* ---- names ---- */

const json_t *sgs_page_devices(const json_t *root)
{
	const json_t *swept = sgs_field_at(root, "sweep", "devices");

	return swept ? swept : json_object_get(sgs_page_run(root, 0), "devices");
}

const char *sgs_page_device_name(const json_t *root, char buf[SGS_PAGE_NAME])
{
	const json_t *devices = sgs_page_devices(root);
	size_t n = json_array_size(devices);

	if (n == 1)
		snprintf(buf, SGS_PAGE_NAME, "%s",
			sgs_field_text(json_array_get(devices, 0), "path"));
	else
		snprintf(buf, SGS_PAGE_NAME, "%zu drives", n);
	return buf;
}

static uint64_t capacity(const json_t *device)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(sgs_field_count(device, "blocks"),
		    sgs_field_count(device, "block_bytes"), &bytes))
		return 0;
	return bytes;
}

/* A figure and its unit stay on one line. */
static const char *unbroken(char buf[SGS_WORD_ROOM], const char *word)
{
	const char *space = strchr(word, ' ');

	if (space)
		snprintf(buf, SGS_WORD_ROOM, "%.*s\u00a0%.40s", (int)(space - word), word,
			space + 1);
	return space ? buf : word;
}

const char *sgs_page_model(const json_t *device, char buf[SGS_PAGE_NAME])
{
	char amount[SGS_WORD_ROOM], shown[SGS_WORD_ROOM];
	const char *vendor = sgs_field_text(device, "vendor");

	snprintf(buf, SGS_PAGE_NAME, "%.60s%s%.60s%s%.30s%s%.60s", vendor, *vendor ? " " : "",
		sgs_field_text(device, "product"), *vendor ? " " : "",
		sgs_field_text(device, "revision"), *vendor ? ", " : "",
		unbroken(shown, sgs_word_amount(amount, capacity(device))));
	return buf;
}

const char *sgs_page_way(const json_t *run, char buf[SGS_PAGE_NAME])
{
	char size[SGS_WORD_ROOM];

	snprintf(buf, SGS_PAGE_NAME, "%.40s, %.40s per command, depth\u00a0%" PRIu64,
		sgs_field_text(run, "engine"),
		sgs_format_size(size, sizeof size, sgs_field_count(run, "bs_bytes")),
		sgs_field_count(run, "queue_depth"));
	return buf;
}

/* ---- sweeps ---- */

const json_t *sgs_page_cell_run(const json_t *root, const json_t *cell)
{
	const json_t *run = sgs_result_cell_run(root, cell);

	return sgs_page_rate(run) > 0 ? run : NULL;
}

const json_t *sgs_page_best_cell(const json_t *root)
{
	const json_t *cells = sgs_field_at(root, "sweep", "cells"), *best = NULL;
	double highest = 0;

	for (size_t i = 0; i < json_array_size(cells); i++) {
		const json_t *cell = json_array_get(cells, i);
		double rate = sgs_page_rate(sgs_page_cell_run(root, cell));

		if (rate <= highest)
			continue;
		highest = rate;
		best = cell;
	}
	return best;
}

const json_t *sgs_page_best_run_at(const json_t *root, const char *key, uint64_t value)
{
	const json_t *cells = sgs_field_at(root, "sweep", "cells"), *best = NULL;

	for (size_t i = 0; i < json_array_size(cells); i++) {
		const json_t *cell = json_array_get(cells, i);
		const json_t *run = sgs_page_cell_run(root, cell);

		if (run && sgs_field_count(cell, key) == value &&
			(!best || sgs_page_rate(run) > sgs_page_rate(best)))
			best = run;
	}
	return best;
}

/* ---- comparisons ---- */

static double median_rate(const json_t *contender)
{
	return sgs_field_number(json_object_get(contender, "bytes_per_second"), "median");
}

/* With the sign 1 the fastest, with -1 the slowest. */
static const json_t *extreme(const json_t *root, int sign)
{
	const json_t *all = sgs_field_at(root, "comparison", "contenders"), *found = NULL;

	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *contender = json_array_get(all, i);
		double rate = median_rate(contender);

		if (rate > 0 && (!found || sign * (rate - median_rate(found)) > 0))
			found = contender;
	}
	return found;
}

const json_t *sgs_page_fastest(const json_t *root)
{
	return extreme(root, 1);
}

const json_t *sgs_page_slowest(const json_t *root)
{
	return extreme(root, -1);
}

size_t sgs_page_count_messages(const json_t *root, const char *level)
{
	const json_t *messages = json_object_get(root, "messages");
	size_t n = 0;

	for (size_t i = 0; i < json_array_size(messages); i++)
		n += sgs_field_is_text(json_array_get(messages, i), "level", level);
	return n;
}
