/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A paced run: what was asked, and which frames came in time.
 */
#ifndef SGS_REPORT_PLAYBACK_H
#define SGS_REPORT_PLAYBACK_H

#include <jansson.h>

#include "report/report.h"

/* Lines about the frames; with verbose one for each stream. Nothing for a run without a pace.
 */
void sgs_text_playback(FILE *out, const struct sgs_run_result *run, int verbose);

/* Adds "playback" to a run, or to what is planned. */
json_t *sgs_json_add_playback(json_t *object, const struct sgs_run_result *run);

/* json.c: min, mean, p50, ..., histogram */
json_t *sgs_json_latency(const struct sgs_latency *latency);

#endif
