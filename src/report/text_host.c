/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/text_host.h"

#include <string.h>

#include "report/words.h"
#include "util/text.h"
#include "util/units.h"

#define LABEL "%-10s"

static void print_device(FILE *out, const struct sgs_device *device)
{
	char path[sizeof(device->path)];

	sgs_copy_utf8(path, sizeof(path), device->path);
	fprintf(out, "%s  ", path);
}

/* ---- settings ---- */

static void print_setting(FILE *out, const struct sgs_setting *s)
{
	static const struct {
		const char *name, *unit;
	} words[SGS_SETTINGS] = {
		[SGS_SET_READ_AHEAD] = { "read-ahead", " KiB" },
		[SGS_SET_MAX_TRANSFER] = { "max-transfer", " KiB" },
		[SGS_SET_SCHEDULER] = { "scheduler", "" },
		[SGS_SET_ALLOW_DIO] = { "allow_dio", "" },
	};
	const char *unit = words[s->kind].unit;

	fprintf(out, "%s %s%s to %s%s", words[s->kind].name, s->from, unit, s->to, unit);
}

static const char *outcome(const struct sgs_run_result *run, int device)
{
	enum sgs_put_back worst = SGS_PUT_BACK;

	for (size_t i = 0; i < run->n_settings; i++) {
		const struct sgs_setting *s = &run->settings[i];

		if (s->device != device)
			continue;
		if (s->put_back == SGS_NOT_MADE)
			return "not made";
		if (s->put_back == SGS_LEFT)
			worst = SGS_LEFT;
	}
	return worst == SGS_LEFT ? "NOT all put back" : "put back";
}

static bool print_settings_of(FILE *out, const struct sgs_run_result *run, int device)
{
	const char *gap = "";

	for (size_t i = 0; i < run->n_settings; i++) {
		if (run->settings[i].device != device)
			continue;
		if (!*gap) {
			fprintf(out, LABEL, "settings");
			if (device >= 0 && run->n_devices > 1)
				print_device(out, &run->devices[device].device);
		}
		fputs(gap, out);
		print_setting(out, &run->settings[i]);
		gap = ", ";
	}
	return *gap;
}

void sgs_text_settings(FILE *out, const struct sgs_run_result *run)
{
	for (int device = -1; device < (int)run->n_devices; device++)
		if (print_settings_of(out, run, device))
			fprintf(out, "; %s\n", outcome(run, device));
}

/* ---- page cache ---- */

static void print_drop(
	FILE *out, const struct sgs_run_result *run, const struct sgs_device_result *d)
{
	char span[SGS_WORD_ROOM];

	fprintf(out, LABEL, "dropped");
	if (run->n_devices > 1)
		print_device(out, &d->device);
	if (!d->device.block_path[0])
		fprintf(out, "nothing: %s\n", d->cache_drop.reason);
	else
		fprintf(out, "page cache%s in %s\n",
			d->cache_drop.done ? "" : ", not all of it,",
			sgs_word_span(span, d->cache_drop.ns));
}

void sgs_text_cache_drop(FILE *out, const struct sgs_run_result *run)
{
	for (size_t i = 0; i < run->n_devices; i++)
		if (run->devices[i].cache_drop.asked)
			print_drop(out, run, &run->devices[i]);
}

static void print_resident(FILE *out, const struct sgs_cache *cache)
{
	char resident[SGS_WORD_ROOM], sampled[SGS_WORD_ROOM], range[SGS_WORD_ROOM];

	if (!cache->resident_known) {
		fputs("what was resident is not known", out);
		return;
	}
	fprintf(out, "%s of %s",
		cache->resident_before_bytes ? sgs_format_size(resident, sizeof(resident),
						       cache->resident_before_bytes)
					     : "0",
		sgs_format_size(sampled, sizeof(sampled), cache->sampled_bytes));
	if (cache->sampled_bytes < cache->range_bytes)
		fprintf(out, " (a sample of %s)",
			sgs_format_size(range, sizeof(range), cache->range_bytes));
	fputs(" were resident", out);
}

/* A device counts what anybody reads. */
static void print_device_read(FILE *out, const struct sgs_cache *cache, bool several)
{
	char amount[SGS_WORD_ROOM];

	fprintf(out, ", the device%s read %s", several ? "s" : "",
		sgs_word_amount(amount, cache->device_read_bytes));
	if (cache->process_read_known && cache->process_read_bytes < cache->device_read_bytes)
		fprintf(out, ", %s of it for this run",
			sgs_word_amount(amount, cache->process_read_bytes));
}

static void print_cache(FILE *out, const struct sgs_cache *cache, bool several)
{
	char amount[SGS_WORD_ROOM];

	fprintf(out, "%s: ", sgs_cache_verdict_name(cache->verdict));
	print_resident(out, cache);
	if (cache->device_read_known)
		print_device_read(out, cache, several);
	else if (cache->process_read_known && cache->process_read_bytes)
		fprintf(out, ", %s came from devices",
			sgs_word_amount(amount, cache->process_read_bytes));
	fputc('\n', out);
}

void sgs_text_cache(FILE *out, const struct sgs_run_result *run)
{
	bool several = run->n_devices > 1;

	if (run->cache.verdict == SGS_CACHE_UNJUDGED)
		return;
	fprintf(out, LABEL, "cache");
	print_cache(out, &run->cache, several);
	for (size_t i = 0; several && i < run->n_devices; i++) {
		const struct sgs_device_result *d = &run->devices[i];

		if (d->cache.verdict == SGS_CACHE_UNJUDGED)
			continue;
		fprintf(out, LABEL, "");
		print_device(out, &d->device);
		print_cache(out, &d->cache, false);
	}
}
