/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The devices of a call.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "run/signals.h"
#include "util/clock.h"

enum { ASK_US = 200000 };

/* A device that is becoming ready is asked again until it is, or --ready-timeout is over. */
static int open_ready(
	const char *path, uint64_t ready_ns, struct sgs_device *device, struct sgs_error *err)
{
	uint64_t until = sgs_now_ns() + ready_ns;
	int status;

	for (;;) {
		status = sgs_device_open(path, device, err);
		if (status != SGS_NOT_READY || strcmp(err->code, "becoming_ready") ||
			sgs_now_ns() >= until)
			return status;
		usleep(ASK_US);
	}
}

struct sgs_device *sgs_open_devices(
	const struct sgs_options *options, const struct sgs_call *call, int *status)
{
	struct sgs_device *devices =
		calloc(options->n_devices ? options->n_devices : 1, sizeof *devices);
	struct sgs_error err = { 0 };

	if (!devices) {
		*status = SGS_INTERNAL;
		return NULL;
	}
	sgs_device_patience(options->job.timeout_ns);
	for (size_t i = 0; i < options->n_devices; i++) {
		struct sgs_result result = { 0 };

		if (!open_ready(options->devices[i], options->job.ready_timeout_ns, &devices[i],
			    &err))
			continue;
		sgs_result_error(&result, options->devices[i], &err);
		sgs_signals_reporting();
		*status = sgs_answer_early(call, &result);
		free(devices);
		return NULL;
	}
	return devices;
}
