/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sgstream/result.h>

#include "util/text.h"

#define FIRST_ROOM 8 /* messages; doubled from there on, so a power of two */

static const char *const fault_names[SGS_FAULTS] = {
	[SGS_FAULT_NONE] = "none",
	[SGS_FAULT_RECOVERED] = "recovered",
	[SGS_FAULT_MEDIUM] = "medium",
	[SGS_FAULT_HARDWARE] = "hardware",
	[SGS_FAULT_TRANSPORT] = "transport",
	[SGS_FAULT_TIMEOUT] = "timeout",
	[SGS_FAULT_ABORTED] = "aborted",
	[SGS_FAULT_SHORT] = "short",
	[SGS_FAULT_UNIT_ATTENTION] = "unit_attention",
	[SGS_FAULT_DEFERRED] = "deferred",
	[SGS_FAULT_NOT_READY] = "not_ready",
	[SGS_FAULT_BUSY] = "busy",
	[SGS_FAULT_TASK_SET_FULL] = "task_set_full",
	[SGS_FAULT_ILLEGAL_REQUEST] = "illegal_request",
	[SGS_FAULT_INVALID_OP] = "invalid_op",
	[SGS_FAULT_DATA_PROTECT] = "data_protect",
	[SGS_FAULT_RESERVATION] = "reservation",
	[SGS_FAULT_GONE] = "gone",
	[SGS_FAULT_HOST] = "host",
	[SGS_FAULT_OTHER] = "other",
};

const char *sgs_fault_name(enum sgs_fault_class fault)
{
	unsigned index = (unsigned)fault;

	return index < SGS_FAULTS ? fault_names[index] : fault_names[SGS_FAULT_OTHER];
}

const char *sgs_cache_verdict_name(enum sgs_cache_verdict verdict)
{
	static const char *const names[] = {
		[SGS_CACHE_UNJUDGED] = NULL,
		[SGS_CACHE_UNKNOWN] = "unknown",
		[SGS_CACHE_COLD] = "cold",
		[SGS_CACHE_MIXED] = "mixed",
		[SGS_CACHE_WARM] = "warm",
	};

	return names[verdict];
}

const char *sgs_setting_name(enum sgs_setting_kind kind)
{
	static const char *const names[SGS_SETTINGS] = {
		[SGS_SET_READ_AHEAD] = "read_ahead_kib",
		[SGS_SET_MAX_TRANSFER] = "max_transfer_kib",
		[SGS_SET_SCHEDULER] = "scheduler",
		[SGS_SET_ALLOW_DIO] = "allow_dio",
	};

	return names[kind];
}

const char *sgs_result_status(const struct sgs_result *result)
{
	if (result->signal != 0)
		return "interrupted";
	if (result->exit_status == SGS_OK || result->exit_status == SGS_EXPECTATION)
		return "ok";
	return result->run.total.bytes > 0 ? "partial" : "error";
}

/* Room for one more, or NULL. The array has room for the next power of two of its length. */
static struct sgs_message *new_message(struct sgs_result *result)
{
	size_t n = result->n_messages;
	bool full = n == 0 || (n >= FIRST_ROOM && (n & (n - 1)) == 0);

	if (full) {
		size_t room = n == 0 ? FIRST_ROOM : 2 * n;
		struct sgs_message *grown =
			reallocarray(result->messages, room, sizeof(*grown));

		if (!grown)
			return NULL;
		result->messages = grown;
	}
	result->n_messages++;
	return &result->messages[n];
}

static void add_message(struct sgs_result *result, enum sgs_level level, const char *device,
	const char *code, const char *text)
{
	struct sgs_message *message = new_message(result);

	if (!message)
		return;
	message->level = level;
	sgs_copy_utf8(message->code, sizeof(message->code), code);
	sgs_copy_utf8(message->text, sizeof(message->text), text);
	sgs_copy_utf8(message->device, sizeof(message->device), device ? device : "");
}

void sgs_result_message(struct sgs_result *result, enum sgs_level level, const char *device,
	const char *code, const char *fmt, ...)
{
	char raw[2 * sizeof(((struct sgs_message *)0)->text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(raw, sizeof(raw), fmt, args);
	va_end(args);
	add_message(result, level, device, code, raw);
}

void sgs_result_error(
	struct sgs_result *result, const char *device, const struct sgs_error *err)
{
	add_message(result, SGS_ERROR, device, err->code, err->text);
	if (result->exit_status == SGS_OK)
		result->exit_status = err->status;
}

void sgs_result_first_error(const struct sgs_result *result, struct sgs_error *err)
{
	for (size_t i = 0; i < result->n_messages; i++) {
		const struct sgs_message *m = &result->messages[i];

		if (m->level != SGS_ERROR)
			continue;
		sgs_fail(err, result->exit_status, m->code, "%s", m->text);
		return;
	}
	sgs_fail(err, result->exit_status, "failed", "the run ended with status %d",
		result->exit_status);
}

static void free_figures(struct sgs_figures *figures)
{
	free(figures->latency.upper_ns);
	free(figures->latency.counts);
}

static void free_playback(struct sgs_playback *playback)
{
	if (!playback)
		return;
	free(playback->time.upper_ns);
	free(playback->time.counts);
	free(playback->each);
	free(playback);
}

void sgs_result_free(struct sgs_result *result)
{
	struct sgs_run_result *run = &result->run;

	free_figures(&run->total);
	for (size_t i = 0; run->devices && i < run->n_devices; i++) {
		free_figures(&run->devices[i].figures);
		free(run->devices[i].bad);
	}
	for (size_t i = 0; i < run->n_completions; i++)
		free(run->completions[i].cpus);
	free(run->completions);
	free(run->devices);
	free(run->intervals);
	free(run->interval_bytes);
	free_playback(run->playback);
	free(run->settings);
	free(result->messages);
	memset(result, 0, sizeof(*result));
}
