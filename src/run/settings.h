/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host settings of a job over a run: found and checked with the plan, made before anything
 * is opened, put back after it by this process, or by the guard when there is no after.
 */
#ifndef SGS_RUN_SETTINGS_H
#define SGS_RUN_SETTINGS_H

#include <sgstream/job.h>
#include <sgstream/result.h>

#include "run/guard.h"

/* Fills result->run.settings, and guard with a knob for each of them; changes nothing. One
 * setting of one queue is one knob, however many devices share it. Returns 0 or a status, with
 * the error in result. */
int sgs_settings_find(const struct sgs_host_settings *wish, const struct sgs_device *devices,
	size_t n, struct sgs_guard *guard, struct sgs_result *result);

/* Makes them. On failure those already made are still to be put back. */
int sgs_settings_make(struct sgs_guard *guard, struct sgs_result *result);

/* Puts back what was made, says what could not be, and ends the guard. */
void sgs_settings_put_back(struct sgs_guard *guard, struct sgs_result *result);

/* Notes settings that cannot matter to an engine. transfer is what its commands are. */
void sgs_settings_note(const struct sgs_host_settings *wish, const char *engine,
	enum sgs_transfer transfer, bool block_engine, struct sgs_result *result);

#endif
