/* SPDX-License-Identifier: BSD-2-Clause */
#include <sgstream/device.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>

#include "device/file.h"
#include "device/known.h"
#include "device/limits.h"
#include "device/node.h"
#include "device/open.h"
#include "device/pair.h"
#include "device/type.h"
#include "scsi/identity.h"
#include "sys/kernel.h"

static int fail_at(
	const char *path, int status, const struct sgs_error *from, struct sgs_error *err)
{
	return sgs_fail(err, status, from->code, "%.200s: %s", path, from->text);
}

static int fail_empty(const char *path, struct sgs_error *err)
{
	return sgs_fail(err, SGS_NOT_READY, "no_capacity",
		"%.200s has a capacity of 0: no medium, or nothing is attached; insert or "
		"attach one",
		path);
}

/* The answers of INQUIRY, or what the kernel remembers of them. */
static int find_identity(const struct sgs_place *place, struct sgs_device *dev,
	const struct sgs_folders *folders, int fd, struct sgs_error *err)
{
	struct sgs_error why;

	if (sgs_read_identity(fd, &dev->identity, &why) != 0)
		sgs_known_identity(dev, folders);
	return sgs_type_accept(place->path, dev->identity.pdt, err);
}

static void set_capacity(struct sgs_device *dev, const struct sgs_capacity *cap)
{
	dev->blocks = cap->blocks;
	dev->block_bytes = cap->block_bytes;
	dev->physical_block_bytes = cap->physical_block_bytes;
	dev->protection_type = cap->protection_type;
}

static int ask_scsi(const struct sgs_place *place, struct sgs_device *dev,
	const struct sgs_folders *folders, int fd, struct sgs_error *err)
{
	struct sgs_capacity cap;
	struct sgs_error why;
	int status;

	if (place->node == SGS_NODE_SG)
		sgs_limits_from_sg(dev, fd);
	status = find_identity(place, dev, folders, fd, err);
	if (status)
		return status;
	status = sgs_read_capacity(fd, &cap, &dev->unit_attentions, &why);
	if (status)
		return fail_at(place->path, status, &why, err);
	set_capacity(dev, &cap);
	return 0;
}

/* The block layer's own view. BLKPBSZGET is asked last: its failure costs nothing. */
static int ask_block_layer(
	const struct sgs_place *place, struct sgs_device *dev, int fd, struct sgs_error *err)
{
	uint64_t bytes = 0;
	int length = 0;
	unsigned physical = 0;
	int ret = sgs_sys_ioctl(fd, BLKGETSIZE64, &bytes);

	if (ret >= 0)
		ret = sgs_sys_ioctl(fd, BLKSSZGET, &length);
	if (ret < 0 || length <= 0)
		return sgs_fail(err, SGS_FILE, "no_capacity",
			"%.200s does not tell its size: %s; is it a block device?", place->path,
			strerrordesc_np(ret < 0 ? -ret : EINVAL));
	if (bytes < (unsigned)length)
		return fail_empty(place->path, err);
	dev->block_bytes = (uint32_t)length;
	dev->blocks = bytes / dev->block_bytes;
	if (sgs_sys_ioctl(fd, BLKPBSZGET, &physical) < 0 || physical == 0)
		physical = (unsigned)length;
	dev->physical_block_bytes = physical;
	return 0;
}

/* What commands say about a disk is preferred; what they may not, or cannot, say the block
 * layer knows as well. A partition is the block layer's alone. */
static int ask_block(const struct sgs_place *place, struct sgs_device *dev,
	const struct sgs_folders *folders, int fd, struct sgs_error *err)
{
	int status = SGS_OTHER;

	if (dev->is_scsi && !dev->is_partition) {
		status = ask_scsi(place, dev, folders, fd, err);
		if (status == SGS_NOT_READY || status == SGS_FILE)
			return status;
	} else {
		sgs_known_identity(dev, folders);
	}
	return status ? ask_block_layer(place, dev, fd, err) : 0;
}

void sgs_device_describe(
	const struct sgs_place *place, struct sgs_device *dev, struct sgs_folders *folders)
{
	sgs_pair_find(place, dev, folders);
	strcpy(dev->disk_folder, folders->disk);
	sgs_limits_from_sysfs(dev, folders);
	sgs_controller_find(dev, folders);
}

int sgs_device_ask(const struct sgs_place *place, struct sgs_device *dev,
	const struct sgs_folders *folders, struct sgs_error *err)
{
	int status, fd = sgs_sys_open(place->path, O_NONBLOCK);

	if (fd < 0)
		return sgs_node_open_failed(place, fd, err);
	if (place->node == SGS_NODE_FILE)
		status = sgs_file_ask(place, dev, err);
	else if (place->node == SGS_NODE_BLOCK)
		status = ask_block(place, dev, folders, fd, err);
	else
		status = ask_scsi(place, dev, folders, fd, err);
	sgs_sys_close(fd);
	if (!status && dev->block_path[0] && place->node != SGS_NODE_FILE)
		dev->limits.dio_block = dev->block_bytes;
	return status;
}

void sgs_device_patience(uint64_t ns)
{
	sgs_identity_patience(ns);
}

int sgs_device_open(const char *path, struct sgs_device *dev, struct sgs_error *err)
{
	struct sgs_place place;
	struct sgs_folders folders;
	int status;

	memset(dev, 0, sizeof(*dev));
	dev->identity.pdt = -1;
	dev->controller.host = -1;
	dev->controller.numa_node = -1;
	if (snprintf(dev->path, sizeof(dev->path), "%s", path) >= (int)sizeof(dev->path))
		return sgs_fail(err, SGS_FILE, "no_such_device",
			"the path %.60s... is longer than %zu bytes; check the name", path,
			sizeof(dev->path) - 1);
	status = sgs_node_find(path, &place, err);
	if (status)
		return status;
	sgs_device_describe(&place, dev, &folders);
	return sgs_device_ask(&place, dev, &folders, err);
}

uint64_t sgs_device_bytes(const struct sgs_device *dev)
{
	return dev->blocks * dev->block_bytes;
}
