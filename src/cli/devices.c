/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The devices of a call.
 */
#include <stdlib.h>

#include "cli/cli.h"
#include "run/signals.h"

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
	for (size_t i = 0; i < options->n_devices; i++) {
		struct sgs_result result = { 0 };

		if (!sgs_device_open(options->devices[i], &devices[i], &err))
			continue;
		sgs_result_error(&result, options->devices[i], &err);
		sgs_signals_reporting();
		*status = sgs_answer_early(call, &result);
		free(devices);
		return NULL;
	}
	return devices;
}
