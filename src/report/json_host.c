/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/json_host.h"

#include <stdlib.h>
#include <string.h>

#include "report/json_value.h"

/* KiB are numbers, allow_dio is true or false as in "host". */
static json_t *setting_value(enum sgs_setting_kind kind, const char *value)
{
	switch (kind) {
	case SGS_SET_SCHEDULER:
		return sgs_json_text(value);
	case SGS_SET_ALLOW_DIO:
		return json_boolean(strcmp(value, "0") != 0);
	default:
		return sgs_json_count(strtoull(value, NULL, 10));
	}
}

static json_t *restored(enum sgs_put_back put_back)
{
	return put_back == SGS_NOT_MADE ? json_null() : json_boolean(put_back == SGS_PUT_BACK);
}

static json_t *setting_object(const struct sgs_run_result *run, const struct sgs_setting *s)
{
	const char *path = s->device < 0 ? NULL : run->devices[s->device].device.path;
	const struct sgs_json_pair pairs[] = {
		{ "name", sgs_json_text(sgs_setting_name(s->kind)) },
		{ "device", sgs_json_text(path) },
		{ "from", setting_value(s->kind, s->from) },
		{ "to", setting_value(s->kind, s->to) },
		{ "restored", restored(s->put_back) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

json_t *sgs_json_settings(const struct sgs_run_result *run)
{
	json_t *array = json_array();

	for (size_t i = 0; i < run->n_settings; i++)
		array = sgs_json_append(array, setting_object(run, &run->settings[i]));
	return array;
}

static json_t *known(bool is_known, uint64_t bytes)
{
	return is_known ? sgs_json_count(bytes) : json_null();
}

static json_t *cache_object(const struct sgs_cache *cache)
{
	const struct sgs_json_pair pairs[] = {
		{ "verdict", sgs_json_text(sgs_cache_verdict_name(cache->verdict)) },
		{ "range_bytes", sgs_json_count(cache->range_bytes) },
		{ "sampled_bytes", sgs_json_count(cache->sampled_bytes) },
		{ "resident_before_bytes",
			known(cache->resident_known, cache->resident_before_bytes) },
		{ "device_read_bytes",
			known(cache->device_read_known, cache->device_read_bytes) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

json_t *sgs_json_add_cache(json_t *object, const struct sgs_cache *cache)
{
	if (cache->verdict == SGS_CACHE_UNJUDGED)
		return object;
	return sgs_json_set(object, "cache", cache_object(cache));
}

json_t *sgs_json_add_total_cache(json_t *object, const struct sgs_cache *cache)
{
	json_t *own;

	if (cache->verdict == SGS_CACHE_UNJUDGED)
		return object;
	own = sgs_json_set(cache_object(cache), "process_read_bytes",
		known(cache->process_read_known, cache->process_read_bytes));
	return sgs_json_set(object, "cache", own);
}

json_t *sgs_json_add_cache_drop(json_t *object, const struct sgs_cache_drop *drop)
{
	const struct sgs_json_pair pairs[] = {
		{ "done", json_boolean(drop->done) },
		{ "ns", sgs_json_count(drop->ns) },
		{ NULL, NULL },
	};
	json_t *own = sgs_json_object(pairs);

	if (!drop->asked) {
		json_decref(own);
		return object;
	}
	if (drop->reason[0])
		own = sgs_json_set(own, "reason", sgs_json_text(drop->reason));
	return sgs_json_set(object, "cache_drop", own);
}
