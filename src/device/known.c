/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/known.h"

#include <string.h>

#include "scsi/identity.h"
#include "sys/sysfs.h"
#include "util/text.h"

#define SECTOR 512 /* the unit of "size", whatever the block length */

static void text(char *dst, size_t cap, const char *folder, const char *attribute)
{
	char line[256];
	int n = sgs_sysfs_text(line, sizeof(line), "%s/%s", folder, attribute);

	if (n > 0)
		sgs_copy_printable(dst, cap, line, (size_t)n);
}

static int64_t number(const char *folder, const char *attribute, int64_t otherwise)
{
	int64_t value;

	if (sgs_sysfs_number(&value, "%s/%s", folder, attribute) < 0)
		return otherwise;
	return value;
}

static void scsi_identity(struct sgs_identity *id, const char *unit)
{
	uint8_t page[2048];
	int n;

	text(id->vendor, sizeof(id->vendor), unit, "vendor");
	text(id->product, sizeof(id->product), unit, "model");
	text(id->revision, sizeof(id->revision), unit, "rev");
	id->pdt = (int)number(unit, "type", -1);
	n = sgs_sysfs_bytes(page, sizeof(page), "%s/vpd_pg80", unit);
	if (n > 0)
		sgs_parse_vpd_serial(page, (size_t)n, id);
	n = sgs_sysfs_bytes(page, sizeof(page), "%s/vpd_pg83", unit);
	if (n > 0)
		sgs_parse_vpd_device_id(page, (size_t)n, id);
}

/* NVMe has these; loop, md and dm have none of them. */
static void other_identity(struct sgs_identity *id, const char *disk)
{
	text(id->product, sizeof(id->product), disk, "device/model");
	if (!id->product[0])
		return;
	text(id->revision, sizeof(id->revision), disk, "device/firmware_rev");
	text(id->serial, sizeof(id->serial), disk, "device/serial");
	text(id->lu_name, sizeof(id->lu_name), disk, "wwid");
}

void sgs_known_identity(struct sgs_device *dev, const struct sgs_folders *folders)
{
	memset(&dev->identity, 0, sizeof(dev->identity));
	dev->identity.pdt = -1;
	if (folders->unit[0])
		scsi_identity(&dev->identity, folders->unit);
	else if (folders->disk[0])
		other_identity(&dev->identity, folders->disk);
	if (folders->disk[0])
		dev->identity.removable = number(folders->disk, "removable", 0) != 0;
}

void sgs_known_capacity(struct sgs_device *dev, const struct sgs_folders *folders)
{
	int64_t block, physical, sectors;

	if (!folders->disk[0])
		return;
	sectors = number(folders->disk, "size", 0);
	block = number(folders->disk, "queue/logical_block_size", 0);
	physical = number(folders->disk, "queue/physical_block_size", block);
	if (sectors <= 0 || sectors > INT64_MAX / SECTOR || block <= 0 || block > INT32_MAX)
		return;
	dev->block_bytes = (uint32_t)block;
	dev->physical_block_bytes =
		physical > 0 && physical <= UINT32_MAX ? (uint32_t)physical : (uint32_t)block;
	dev->blocks = (uint64_t)sectors * SECTOR / dev->block_bytes;
}
