/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/type.h"
#include "report/engines.h"
#include "report/json_value.h"
#include "report/topology.h"

static json_t *limits_object(const struct sgs_limits *limits)
{
	const struct sgs_json_pair pairs[] = {
		{ "sg_tablesize", sgs_json_count_or_null(limits->sg_tablesize) },
		{ "default_reserve_bytes", sgs_json_count_or_null(limits->default_reserve) },
		{ "max_transfer_bytes", sgs_json_count_or_null(limits->max_transfer) },
		{ "max_hw_transfer_bytes", sgs_json_count_or_null(limits->max_hw_transfer) },
		{ "dma_alignment_bytes", sgs_json_count_or_null(limits->dma_alignment) },
		{ "dio_block_bytes", sgs_json_count_or_null(limits->dio_block) },
		{ "queue_depth", sgs_json_count_or_null(limits->queue_depth) },
		{ "read_ahead_bytes", sgs_json_count_or_null(limits->read_ahead) },
		{ "scheduler", sgs_json_text_or_null(limits->scheduler) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *problem_or_null(const struct sgs_error *problem)
{
	if (problem->status == SGS_OK)
		return json_null();

	const struct sgs_json_pair pairs[] = {
		{ "status", json_integer(problem->status) },
		{ "code", sgs_json_text(problem->code) },
		{ "text", sgs_json_text(problem->text) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *row_object(const struct sgs_device_row *row, unsigned with)
{
	const struct sgs_device *device = &row->device;
	int pdt = device->identity.pdt;
	const struct sgs_json_pair first[] = {
		{ "path", sgs_json_text(device->path) },
		{ "sg_path", sgs_json_text_or_null(device->sg_path) },
		{ "block_path", sgs_json_text_or_null(device->block_path) },
		{ "type", sgs_json_text(pdt < 0 ? NULL : sgs_type_name(pdt)) },
		{ NULL, NULL },
	};
	const struct sgs_json_pair last[] = {
		{ "block_bytes", sgs_json_count_or_null(device->block_bytes) },
		{ "blocks", sgs_json_count_or_null(device->blocks) },
		{ "physical_block_bytes",
			sgs_json_count_or_null(device->physical_block_bytes) },
		{ "protection_type", json_integer(device->protection_type) },
		{ "removable", json_boolean(device->identity.removable) },
		{ "controller", sgs_json_controller(&device->controller) },
		{ "limits", limits_object(&device->limits) },
		{ "readable", json_boolean(row->problem.status == SGS_OK) },
		{ "problem", problem_or_null(&row->problem) },
		{ NULL, NULL },
	};
	json_t *object = sgs_json_add_identity(sgs_json_object(first), device);

	object = sgs_json_extend(object, last);
	if ((with & SGS_LIST_ENGINES) && row->problem.status == SGS_OK)
		object = sgs_json_set(object, "engines", sgs_json_engines(device));
	if (with & SGS_LIST_TOPOLOGY)
		object = sgs_json_set(object, "topology", sgs_json_topology(device));
	return object;
}

static json_t *rows_array(const struct sgs_device_row *rows, size_t n, unsigned with)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		array = sgs_json_append(array, row_object(&rows[i], with));
	return array;
}

int sgs_report_list_json(FILE *out, const struct sgs_call *call,
	const struct sgs_device_row *rows, size_t n, unsigned with,
	const struct sgs_result *messages)
{
	json_t *root = sgs_json_head(
		call, sgs_result_status(messages), messages->exit_status, messages->clock);

	root = sgs_json_set(root, "devices", rows_array(rows, n, with));
	root = sgs_json_set(root, "messages", sgs_json_messages(messages, 1));
	return sgs_json_write(out, root);
}
