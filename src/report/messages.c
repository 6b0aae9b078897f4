/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/report.h"

#include <string.h>

#include "util/text.h"

static const char *level_words(enum sgs_level level)
{
	switch (level) {
	case SGS_INFO:
		return "note: ";
	case SGS_WARNING:
		return "warning: ";
	default:
		return "";
	}
}

/* Whether the text names its device itself. */
static bool begins_with_device(const struct sgs_message *message)
{
	size_t len = strlen(message->device);

	return strncmp(message->text, message->device, len) == 0 &&
	       (message->text[len] == ':' || message->text[len] == ' ');
}

static void print_message(FILE *err, const struct sgs_message *message)
{
	fprintf(err, "sgstream: %s", level_words(message->level));
	if (message->device[0] && !begins_with_device(message))
		fprintf(err, "%s: ", message->device);
	fprintf(err, "%s\n", message->text);
}

void sgs_report_stalled(FILE *out, const char *device, unsigned commands, uint64_t ns)
{
	char path[PATH_MAX];

	sgs_copy_utf8(path, sizeof(path), device);
	fprintf(out, "sgstream: %s: %u command%s in flight for %u s\n", path, commands,
		commands == 1 ? "" : "s", (unsigned)(ns / 1000000000));
}

void sgs_report_messages(FILE *err, const struct sgs_result *result, int quiet)
{
	for (size_t i = 0; i < result->n_messages; i++) {
		if (!quiet || result->messages[i].level == SGS_ERROR)
			print_message(err, &result->messages[i]);
	}
}
