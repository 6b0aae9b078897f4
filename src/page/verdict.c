/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a result shows, and how far to trust it.
 */
#include <inttypes.h>
#include <string.h>

#include "page/html.h"
#include "page/parts.h"
#include "report/words.h"
#include "util/units.h"

enum { LEAST_ROUNDS = 6 }; /* that an interval of 95 % needs */

/* ---- in one sentence ---- */

/* "8 streams of 83.9 MB/s (80.0 MiB/s): 12 of 1,920 frames were late" */
static void say_playback(const json_t *p, char buf[SGS_PAGE_SENTENCE])
{
	uint64_t frames = sgs_field_count(p, "frames"),
		 late = sgs_field_count(p, "frames_late");
	uint64_t unread = sgs_field_count(p, "frames_unread");
	char rate[SGS_WORD_ROOM], words[3][SGS_WORD_ROOM];

	sgs_format_count(words[0], SGS_WORD_ROOM, frames);
	sgs_format_count(words[1], SGS_WORD_ROOM, late);
	sgs_format_count(words[2], SGS_WORD_ROOM, unread);
	sgs_word_rate(rate, sgs_field_number(p, "stream_bytes_per_second"));
	if (late || unread)
		snprintf(buf, SGS_PAGE_SENTENCE,
			"%" PRIu64
			" streams of %s: %s of %s frames were late, %s more were not read",
			sgs_field_count(p, "streams"), rate, words[1], words[0], words[2]);
	else
		snprintf(buf, SGS_PAGE_SENTENCE,
			"%" PRIu64 " streams of %s: all %s frames were in time",
			sgs_field_count(p, "streams"), rate, words[0]);
}

static void say_read(const json_t *root, char buf[SGS_PAGE_SENTENCE])
{
	const json_t *playback = json_object_get(sgs_page_run(root, 0), "playback");
	const json_t *run = sgs_page_run(root, 0);
	char rate[SGS_WORD_ROOM], name[SGS_PAGE_NAME], way[SGS_PAGE_NAME];
	bool several = json_array_size(sgs_page_devices(root)) > 1;

	if (json_is_object(playback)) {
		say_playback(playback, buf);
		return;
	}
	snprintf(buf, SGS_PAGE_SENTENCE, "%s stream%s at %s%s: %s",
		sgs_page_device_name(root, name), several ? "" : "s",
		sgs_word_rate(rate, sgs_page_rate(run)), several ? " together" : "",
		sgs_page_way(run, way));
}

/* Of the cells in order, the first or the last that was measured. */
static const json_t *end_cell(const json_t *root, bool last)
{
	const json_t *cells = sgs_field_at(root, "sweep", "cells"), *found = NULL;

	for (size_t i = 0; i < json_array_size(cells); i++) {
		const json_t *cell = json_array_get(cells, i);

		if (!sgs_page_cell_run(root, cell))
			continue;
		if (!last)
			return cell;
		found = cell;
	}
	return found;
}

static void say_profile(const json_t *root, char buf[SGS_PAGE_SENTENCE])
{
	const json_t *outer = end_cell(root, false), *inner = end_cell(root, true);
	double from = sgs_page_rate(sgs_page_cell_run(root, outer));
	double to = sgs_page_rate(sgs_page_cell_run(root, inner));
	char name[SGS_PAGE_NAME], words[2][SGS_WORD_ROOM];

	snprintf(buf, SGS_PAGE_SENTENCE,
		"%s reads %s at %" PRIu64 " %% of its capacity and %s at %" PRIu64
		" %%: %.2f times that",
		sgs_page_device_name(root, name), sgs_word_rate(words[0], from),
		sgs_field_count(outer, "offset_percent"), sgs_word_rate(words[1], to),
		sgs_field_count(inner, "offset_percent"), to / from);
}

static void say_scaling(const json_t *root, char buf[SGS_PAGE_SENTENCE])
{
	const json_t *cell = sgs_page_best_cell(root);
	const json_t *one = sgs_page_best_run_at(root, "devices", 1);
	double rate = sgs_page_rate(sgs_page_cell_run(root, cell));
	uint64_t devices = sgs_field_count(cell, "devices");
	char word[SGS_WORD_ROOM], times[64] = "";

	if (one)
		snprintf(times, sizeof times, ", %.2f times what one reads",
			rate / sgs_page_rate(one));
	snprintf(buf, SGS_PAGE_SENTENCE, "%" PRIu64 " drive%s read %s%s%s", devices,
		devices == 1 ? "" : "s", sgs_word_rate(word, rate),
		devices == 1 ? "" : " together", devices == 1 ? "" : times);
}

static void say_matrix(const json_t *root, char buf[SGS_PAGE_SENTENCE])
{
	const json_t *run = sgs_page_cell_run(root, sgs_page_best_cell(root));
	char name[SGS_PAGE_NAME], way[SGS_PAGE_NAME], rate[SGS_WORD_ROOM];

	snprintf(buf, SGS_PAGE_SENTENCE, "%s reads fastest with %s: %s",
		sgs_page_device_name(root, name), sgs_page_way(run, way),
		sgs_word_rate(rate, sgs_page_rate(run)));
}

const char *sgs_page_verdict(const json_t *root, char buf[SGS_PAGE_SENTENCE])
{
	enum sgs_page_kind kind = sgs_page_kind(root);
	static void (*const say[])(const json_t *, char *) = {
		[SGS_PAGE_PROFILE] = say_profile,
		[SGS_PAGE_SCALING] = say_scaling,
		[SGS_PAGE_MATRIX] = say_matrix,
		[SGS_PAGE_READ] = say_read,
	};

	if (kind == SGS_PAGE_COMPARE)
		snprintf(buf, SGS_PAGE_SENTENCE, "%s",
			sgs_field_text(json_object_get(root, "comparison"), "verdict"));
	else if (kind != SGS_PAGE_READ && !sgs_page_best_cell(root))
		snprintf(buf, SGS_PAGE_SENTENCE, "No cell of the sweep was measured");
	else
		say[kind](root, buf);
	return buf;
}

/* ---- the facts below it ---- */

static void fact(FILE *out, const char *name)
{
	fputs("<div>", out);
	sgs_html_element(out, "dt", name);
	fputs("<dd>", out);
}

static void fact_end(FILE *out)
{
	fputs("</dd></div>\n", out);
}

static void put_cells(FILE *out, const json_t *root)
{
	uint64_t ns = sgs_field_count(sgs_field_at(root, "sweep", "each"), "runtime_ns");
	char time[SGS_WORD_ROOM];

	fprintf(out, "%zu combinations", json_array_size(sgs_field_at(root, "sweep", "cells")));
	if (ns)
		sgs_html_say(out, " of %s each", sgs_format_time(time, sizeof time, ns));
}

static void put_measured(FILE *out, const json_t *root)
{
	const json_t *devices = sgs_page_devices(root), *run = sgs_page_run(root, 0);
	char name[SGS_PAGE_NAME], model[SGS_PAGE_NAME], way[SGS_PAGE_NAME];

	fact(out, "Measured");
	sgs_html_text(out, sgs_page_device_name(root, name));
	fputs("<small>", out);
	sgs_html_text(out, sgs_page_model(json_array_get(devices, 0), model));
	if (json_array_size(devices) > 1)
		fputs(", and others", out);
	fputs("</small><small>", out);
	if (json_object_get(root, "sweep"))
		put_cells(out, root);
	else
		sgs_html_text(out, strstr(sgs_page_way(run, way), ", ") + 2);
	fputs("</small>", out);
	fact_end(out);
}

/* The cost of the one run that is the best, or the only one. */
static void put_best_run(FILE *out, const char *name, const json_t *run)
{
	char way[SGS_PAGE_NAME];

	if (!run)
		return;
	fact(out, name);
	sgs_html_rate(out, sgs_page_rate(run));
	fputs("<small>", out);
	sgs_html_text(out, sgs_page_way(run, way));
	fputs("</small>", out);
	fact_end(out);
	fact(out, "Cost");
	sgs_html_number(out, sgs_page_cost(run));
	fputs(" s of CPU per GiB<small>half of all commands within ", out);
	sgs_html_time(out, sgs_page_latency(run, "p50"));
	fputs(", 99 % within ", out);
	sgs_html_time(out, sgs_page_latency(run, "p99"));
	fputs("</small>", out);
	fact_end(out);
}

static void put_fastest(FILE *out, const json_t *root)
{
	const json_t *fastest = sgs_page_fastest(root);

	if (!fastest)
		return;
	fact(out, "Fastest");
	sgs_html_text(out, sgs_field_text(fastest, "engine"));
	fputs("<small>", out);
	sgs_html_rate(
		out, sgs_field_number(json_object_get(fastest, "bytes_per_second"), "median"));
	fputs(", ", out);
	sgs_html_number(out,
		sgs_field_number(json_object_get(fastest, "cpu_seconds_per_gib"), "median"));
	fputs(" s of CPU per GiB</small>", out);
	fact_end(out);
}

/* Ratios are to the baseline. */
static void put_margin(FILE *out, const json_t *root)
{
	const json_t *all = sgs_field_at(root, "comparison", "contenders");
	const char *baseline = sgs_field_text(json_object_get(root, "comparison"), "baseline");

	if (!*baseline)
		return;
	fact(out, "By how much");
	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *contender = json_array_get(all, i);
		const json_t *ratio = json_object_get(contender, "ratio");
		const char *engine = sgs_field_text(contender, "engine");

		if (!strcmp(engine, baseline) || sgs_field_number(ratio, "median") < 0)
			continue;
		sgs_html_say(out, "%s reads ", engine);
		sgs_html_number(out, sgs_field_number(ratio, "median"));
		sgs_html_say(out, " times as fast as %s", baseline);
		fputs("<small>", out);
		sgs_html_number(out, sgs_field_number(ratio, "low"));
		fputs(" to ", out);
		sgs_html_number(out, sgs_field_number(ratio, "high"));
		sgs_html_say(out, " with %.1f %% confidence",
			100 * sgs_field_number(ratio, "coverage"));
		fputs("</small>", out);
	}
	fact_end(out);
}

/* ---- trust ---- */

static uint64_t failed_commands(const json_t *root)
{
	const json_t *runs = json_object_get(root, "runs");
	uint64_t n = 0;

	for (size_t i = 0; i < json_array_size(runs); i++)
		n += sgs_field_count(
			sgs_field_at(json_array_get(runs, i), "total", "errors"), "failed");
	return n;
}

static void put_ground(FILE *out, const json_t *root)
{
	uint64_t rounds = sgs_field_count(json_object_get(root, "comparison"), "rounds");

	switch (sgs_page_kind(root)) {
	case SGS_PAGE_COMPARE:
		fprintf(out, "%" PRIu64 " rounds in turn", rounds);
		if (rounds < LEAST_ROUNDS)
			fprintf(out, ", of which %d would be needed for a claim", LEAST_ROUNDS);
		break;
	case SGS_PAGE_READ:
		fputs("It tells nothing of its spread; <code>sgstream compare</code> does",
			out);
		break;
	default:
		fputs("Each cell was measured once, in random order", out);
	}
}

static void put_trust(FILE *out, const json_t *root)
{
	size_t warnings = sgs_page_count_messages(root, "warning");
	uint64_t rounds = sgs_field_count(json_object_get(root, "comparison"), "rounds");
	bool few = sgs_page_kind(root) == SGS_PAGE_COMPARE && rounds < LEAST_ROUNDS;

	fact(out, "Can it be trusted?");
	if (!sgs_field_is_text(root, "status", "ok")) {
		fputs("<span class=\"bad\">Not as a whole</span>: its status is ", out);
		sgs_html_element(out, "em", sgs_field_text(root, "status"));
	} else if (warnings || failed_commands(root) || few) {
		fputs("<span class=\"care\">With care</span>", out);
	} else if (sgs_page_kind(root) == SGS_PAGE_COMPARE) {
		fputs("<span class=\"good\">Yes</span>: no warning and no error", out);
	} else {
		fputs("<span class=\"good\">As far as one run goes</span>: no warning and no "
		      "error",
			out);
	}
	fputs("<small>", out);
	put_ground(out, root);
	if (failed_commands(root))
		fprintf(out, "; failed commands: %" PRIu64, failed_commands(root));
	if (warnings)
		fprintf(out, "; <a href=\"#messages\">%zu warning%s</a>", warnings,
			warnings == 1 ? "" : "s");
	fputs("</small>", out);
	fact_end(out);
}

void sgs_page_facts(struct sgs_page *page, const json_t *root)
{
	FILE *out = page->out;
	enum sgs_page_kind kind = sgs_page_kind(root);

	fputs("<dl class=\"facts\">\n", out);
	put_measured(out, root);
	if (kind == SGS_PAGE_COMPARE) {
		put_fastest(out, root);
		put_margin(out, root);
	} else if (kind == SGS_PAGE_READ) {
		put_best_run(out, "Rate", sgs_page_run(root, 0));
	} else {
		put_best_run(out, "Fastest", sgs_page_cell_run(root, sgs_page_best_cell(root)));
	}
	put_trust(out, root);
	fputs("</dl>\n", out);
}
