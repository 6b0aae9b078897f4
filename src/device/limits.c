/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/limits.h"

#include <linux/fs.h>
#include <scsi/sg.h>
#include <stdint.h>
#include <string.h>

#include "sys/kernel.h"
#include "sys/sysfs.h"
#include "util/text.h"

/* 0 where there is no such number. */
static uint64_t number(const char *folder, const char *attribute)
{
	int64_t value;

	if (sgs_sysfs_number(&value, "%s/%s", folder, attribute) < 0 || value < 0)
		return 0;
	return (uint64_t)value;
}

static uint32_t clamp(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* The kernel gives a mask (3, 511); some have documented the alignment itself. */
static uint32_t alignment(uint64_t value)
{
	return clamp(value & 1 ? value + 1 : value);
}

/* "none [mq-deadline] kyber" */
static void set_scheduler(struct sgs_limits *limits, const char *folder)
{
	char text[128], *open, *close;

	if (sgs_sysfs_text(text, sizeof(text), "%s/queue/scheduler", folder) <= 0)
		return;
	open = strchr(text, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		sgs_copy_printable(limits->scheduler, sizeof(limits->scheduler), open + 1,
			(size_t)(close - open - 1));
	else
		sgs_copy_printable(
			limits->scheduler, sizeof(limits->scheduler), text, strlen(text));
}

static void from_block_queue(struct sgs_device *dev, const char *disk)
{
	struct sgs_limits *limits = &dev->limits;

	limits->max_transfer = number(disk, "queue/max_sectors_kb") << 10;
	limits->max_hw_transfer = number(disk, "queue/max_hw_sectors_kb") << 10;
	limits->read_ahead = clamp(number(disk, "queue/read_ahead_kb") << 10);
	limits->dma_alignment = alignment(number(disk, "queue/dma_alignment"));
	if (dev->node != SGS_NODE_SG) /* an sg descriptor tells the same */
		limits->sg_tablesize = clamp(number(disk, "queue/max_segments"));
	set_scheduler(limits, disk);
	dev->read_only = number(disk, "ro") != 0;
}

void sgs_limits_from_sysfs(struct sgs_device *dev, const struct sgs_folders *folders)
{
	if (folders->disk[0])
		from_block_queue(dev, folders->disk);
	if (folders->unit[0])
		dev->limits.queue_depth = clamp(number(folders->unit, "queue_depth"));
}

void sgs_limits_again(struct sgs_device *dev)
{
	if (dev->disk_folder[0])
		from_block_queue(dev, dev->disk_folder);
}

static uint32_t ask_sg(int fd, unsigned long request)
{
	int value = 0;

	if (sgs_sys_ioctl(fd, request, &value) < 0 || value < 0)
		return 0;
	return (uint32_t)value;
}

void sgs_limits_from_sg(struct sgs_device *dev, int fd)
{
	dev->limits.sg_tablesize = ask_sg(fd, SG_GET_SG_TABLESIZE);
	dev->limits.default_reserve = ask_sg(fd, SG_GET_RESERVED_SIZE);
	if (!dev->limits.max_transfer) /* sg counts bytes here, a block node 512-byte sectors */
		dev->limits.max_transfer = ask_sg(fd, BLKSECTGET);
}
