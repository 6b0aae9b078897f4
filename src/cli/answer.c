/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cli.h"

int sgs_answer_early(const struct sgs_call *call, struct sgs_result *result)
{
	int status = result->exit_status;

	sgs_sink_open_early(call, !result->signal);
	sgs_report_messages(stderr, result, 0);
	sgs_sink_report(call, result, 1);
	sgs_result_free(result);
	return sgs_sink_close(0, status);
}

int sgs_answer_error(const struct sgs_call *call, const struct sgs_error *err)
{
	struct sgs_result result = { 0 };

	sgs_result_error(&result, NULL, err);
	return sgs_answer_early(call, &result);
}
