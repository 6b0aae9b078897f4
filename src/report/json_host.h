/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a run did to the host and found in its page cache, for json.c. As with all builders of
 * json_value.h, NULL in is NULL out.
 */
#ifndef SGS_REPORT_JSON_HOST_H
#define SGS_REPORT_JSON_HOST_H

#include <jansson.h>

#include <sgstream/result.h>

/* [ { name, device, from, to, restored } ], empty when nothing was asked for. */
json_t *sgs_json_settings(const struct sgs_run_result *run);

/* Adds "cache" when it was judged. */
json_t *sgs_json_add_cache(json_t *object, const struct sgs_cache *cache);

/* The same with process_read_bytes. */
json_t *sgs_json_add_total_cache(json_t *object, const struct sgs_cache *cache);

/* Adds "cache_drop" when it was asked for. */
json_t *sgs_json_add_cache_drop(json_t *object, const struct sgs_cache_drop *drop);

/* json_way.c: adds "placement", when it is decided. */
json_t *sgs_json_add_placed(json_t *object, const struct sgs_placed *placed);

/* Adds "ceiling", when one is known. */
json_t *sgs_json_add_ceiling(json_t *object, const struct sgs_ceiling *ceiling);

/* Adds "completions", when a controller has interrupts. */
json_t *sgs_json_add_completions(json_t *object, const struct sgs_run_result *run);

#endif
