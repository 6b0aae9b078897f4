/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a run did to the host and found in its page cache, for text.c.
 */
#ifndef SGS_REPORT_TEXT_HOST_H
#define SGS_REPORT_TEXT_HOST_H

#include <stdio.h>

#include <sgstream/result.h>

/* "settings  read-ahead 1024 KiB to 32 KiB, scheduler mq-deadline to none; put back", a line
 * for each device that has any; nothing when none was asked for. */
void sgs_text_settings(FILE *out, const struct sgs_run_result *run);

/* "dropped   page cache in 0.012 s" */
void sgs_text_cache_drop(FILE *out, const struct sgs_run_result *run);

/* "cache     cold: 0 of 64 MiB were resident, the device read 67.1 MB", for the total, and for
 * each device when there are several. */
void sgs_text_cache(FILE *out, const struct sgs_run_result *run);

/* text_way.c: how much of the fullest link was used; with verbose, who took the interrupts. */
void sgs_text_way(FILE *out, const struct sgs_run_result *run, int verbose);

/* Where the readers of a device ran. */
void sgs_text_placed(FILE *out, const struct sgs_placed *placed);

#endif
