/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

#include "device/type.h"
#include "report/table.h"
#include "report/words.h"
#include "util/text.h"
#include "util/units.h"

#define CELL_ROOM 128

static const struct sgs_column columns[] = {
	{ "DEVICE", false }, { "BLOCK", false }, { "HCTL", false }, { "TYPE", false },
	{ "VENDOR", false }, { "PRODUCT", false }, { "REV", false }, { "SERIAL", false },
	{ "SIZE", true }, { "BLOCK SIZE", true }, { "DRIVER", false }, { "NUMA", true },
	{ "PROBLEM", false }, /* last: only when a row has one */
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static bool any_problem(const struct sgs_device_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (rows[i].problem.status != SGS_OK)
			return true;
	}
	return false;
}

static void size_cells(
	char size[SGS_WORD_ROOM], char block[SGS_WORD_ROOM], const struct sgs_device *device)
{
	size[0] = block[0] = '\0';
	if (device->block_bytes == 0)
		return;
	sgs_word_amount(size, sgs_device_bytes(device));
	sgs_format_size(block, SGS_WORD_ROOM, device->block_bytes);
}

static void add_row(struct sgs_table *table, const struct sgs_device_row *row)
{
	const struct sgs_device *device = &row->device;
	const struct sgs_identity *id = &device->identity;
	char size[SGS_WORD_ROOM], block[SGS_WORD_ROOM];
	char numa[CELL_ROOM] = "", driver[CELL_ROOM] = "",
	     block_path[sizeof(device->block_path)], name[sizeof(device->path)];
	const char *const cells[COLUMNS] = {
		name,
		block_path,
		device->hctl,
		id->pdt < 0 ? "" : sgs_type_name(id->pdt),
		id->vendor,
		id->product,
		id->revision,
		id->serial,
		size,
		block,
		driver,
		numa,
		row->problem.text,
	};

	sgs_copy_utf8(block_path, sizeof(block_path), device->block_path);
	sgs_copy_utf8(name, sizeof(name), device->sg_path[0] ? device->sg_path : device->path);
	size_cells(size, block, device);
	if (device->controller.numa_node >= 0)
		snprintf(numa, sizeof(numa), "%d", device->controller.numa_node);
	if (device->controller.host >= 0)
		snprintf(driver, sizeof(driver), "host%d %s", device->controller.host,
			device->controller.driver);
	sgs_table_row(table, cells);
}

void sgs_report_list_text(FILE *out, const struct sgs_device_row *rows, size_t n)
{
	struct sgs_table *table;

	if (n == 0) {
		fputs("no sg devices\n", out);
		return;
	}
	table = sgs_table_new(out, columns, any_problem(rows, n) ? COLUMNS : COLUMNS - 1);
	for (size_t i = 0; i < n; i++)
		add_row(table, &rows[i]);
	if (sgs_table_print(table) != 0)
		fputs("(no memory for the table of devices)\n", out);
}
