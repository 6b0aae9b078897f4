/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/pair.h"

#include <stdio.h>
#include <string.h>

#include "sys/kernel.h"
#include "sys/sysfs.h"

/* Cuts the last component off. */
static void go_up(char *folder)
{
	char *slash = strrchr(folder, '/');

	*(slash ? slash : folder) = '\0';
}

/* The node of a sysfs entry: '!' stands for the slash that a file name cannot have. */
static void node_path(char *path, size_t cap, const char *folder)
{
	int n = snprintf(path, cap, "/dev/%s", sgs_node_name(folder));

	if (n < 0 || (size_t)n >= cap)
		path[0] = '\0';
	for (char *c = path; *c; c++)
		if (*c == '!')
			*c = '/';
}

/* A node that has been made elsewhere, as in a container, is where the caller says. */
static void own_node(char *path, size_t cap, const struct sgs_place *place)
{
	struct stat st;

	if (place->folder[0])
		node_path(path, cap, place->folder);
	if (strcmp(path, place->path) == 0)
		return;
	if (path[0] && sgs_sys_stat(path, &st) == 0 && st.st_rdev == place->st.st_rdev)
		return;
	snprintf(path, cap, "%s", strlen(place->path) < cap ? place->path : "");
}

static void set_unit(const char *folder, struct sgs_device *dev, struct sgs_folders *folders)
{
	const char *name = sgs_node_name(folder);

	if (!sgs_node_is_hctl(name) || strlen(name) >= sizeof(dev->hctl))
		return;
	dev->is_scsi = true;
	strcpy(dev->hctl, name);
	snprintf(folders->unit, sizeof(folders->unit), "%s", folder);
}

static int take_first(const char *name, void *arg)
{
	snprintf(arg, NAME_MAX + 1, "%s", name);
	return 1;
}

static void find_block(struct sgs_device *dev, struct sgs_folders *folders)
{
	char list[PATH_MAX], name[NAME_MAX + 1];

	if (snprintf(list, sizeof(list), "%s/block", folders->unit) >= (int)sizeof(list))
		return;
	if (sgs_sysfs_each(list, take_first, name) <= 0)
		return;
	if (snprintf(folders->disk, sizeof(folders->disk), "%s/%s", list, name) >=
		(int)sizeof(folders->disk))
		folders->disk[0] = '\0';
	node_path(dev->block_path, sizeof(dev->block_path), name);
}

static void find_generic(struct sgs_device *dev, const struct sgs_folders *folders)
{
	char name[64];

	if (sgs_sysfs_link(name, sizeof(name), "%s/generic", folders->unit) == 0)
		node_path(dev->sg_path, sizeof(dev->sg_path), name);
}

static void find_bsg(struct sgs_device *dev, const struct sgs_folders *folders)
{
	if (sgs_sysfs_exists("%s/bsg/%s", folders->unit, dev->hctl))
		snprintf(dev->bsg_path, sizeof(dev->bsg_path), "/dev/bsg/%s", dev->hctl);
}

static void find_others(struct sgs_device *dev, struct sgs_folders *folders)
{
	if (!folders->unit[0])
		return;
	if (dev->node != SGS_NODE_BLOCK)
		find_block(dev, folders);
	if (dev->is_partition)
		return;
	if (dev->node != SGS_NODE_SG)
		find_generic(dev, folders);
	if (dev->node != SGS_NODE_BSG)
		find_bsg(dev, folders);
}

static void pair_character(
	const struct sgs_place *place, struct sgs_device *dev, struct sgs_folders *folders)
{
	char unit[PATH_MAX];

	dev->is_scsi = true;
	strcpy(unit, place->folder); /* "UNIT/scsi_generic/sg0", "UNIT/bsg/0:0:0:0" */
	go_up(unit);
	go_up(unit);
	set_unit(unit, dev, folders);
	if (place->node == SGS_NODE_SG)
		own_node(dev->sg_path, sizeof(dev->sg_path), place);
	else
		snprintf(dev->bsg_path, sizeof(dev->bsg_path), "/dev/bsg/%s", dev->hctl);
}

static void pair_block(
	const struct sgs_place *place, struct sgs_device *dev, struct sgs_folders *folders)
{
	char unit[PATH_MAX];

	own_node(dev->block_path, sizeof(dev->block_path), place);
	if (!place->folder[0])
		return;
	strcpy(folders->disk, place->folder); /* "UNIT/block/sda", and "/sda1" of a partition */
	if (sgs_sysfs_exists("%s/partition", place->folder)) {
		dev->is_partition = true;
		go_up(folders->disk);
		node_path(dev->whole_disk, sizeof(dev->whole_disk), folders->disk);
	}
	strcpy(unit, folders->disk);
	go_up(unit);
	go_up(unit);
	set_unit(unit, dev, folders);
}

void sgs_pair_find(
	const struct sgs_place *place, struct sgs_device *dev, struct sgs_folders *folders)
{
	memset(folders, 0, sizeof(*folders));
	dev->node = place->node;
	if (place->node == SGS_NODE_FILE)
		snprintf(dev->block_path, sizeof(dev->block_path), "%s", place->path);
	else if (place->node == SGS_NODE_BLOCK)
		pair_block(place, dev, folders);
	else
		pair_character(place, dev, folders);
	find_others(dev, folders);
}
