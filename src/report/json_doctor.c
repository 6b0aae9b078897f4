/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/doctor.h"
#include "report/json_value.h"

static json_t *finding_object(const struct sgs_finding *finding)
{
	const struct sgs_json_pair pairs[] = {
		{ "check", sgs_json_text(finding->check) },
		{ "scope", sgs_json_text(finding->device ? finding->device->path : "host") },
		{ "level", sgs_json_text(sgs_severity_name(finding->level)) },
		{ "text", sgs_json_text(finding->text) },
		{ "fix", sgs_json_text_or_null(finding->fix) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

int sgs_report_doctor_json(FILE *out, const struct sgs_call *call,
	const struct sgs_findings *findings, const struct sgs_result *messages)
{
	json_t *root = sgs_json_head(
		call, sgs_result_status(messages), messages->exit_status, messages->clock);
	json_t *array = json_array();

	for (size_t i = 0; i < findings->n; i++)
		array = sgs_json_append(array, finding_object(&findings->rows[i]));
	root = sgs_json_set(root, "findings", array);
	root = sgs_json_set(root, "messages", sgs_json_messages(messages, 1));
	return sgs_json_write(out, root);
}
