/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/known.h"
#include "device/node.h"
#include "device/open.h"
#include "device/type.h"
#include "sys/kernel.h"
#include "sys/sysfs.h"

#define CLASS "class/scsi_generic"

struct list {
	struct sgs_device_row *rows;
	size_t count, room;
};

static struct sgs_device_row *next_row(struct list *list)
{
	struct sgs_device_row *row;

	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 16;

		row = reallocarray(list->rows, room, sizeof(*row));
		if (!row)
			return NULL;
		list->rows = row;
		list->room = room;
	}
	row = &list->rows[list->count++];
	memset(row, 0, sizeof(*row));
	return row;
}

/* The folder is taken from the class: it is there also when /dev lacks the node. */
static int find_place(const char *name, const char *path, struct sgs_place *place)
{
	int err;

	memset(place, 0, sizeof(*place));
	place->path = path;
	place->node = SGS_NODE_SG;
	err = sgs_sysfs_resolve(place->folder, sizeof(place->folder), CLASS "/%s", name);
	if (err)
		return err;
	return sgs_sys_stat(path, &place->st);
}

static void fill_row(struct sgs_device_row *row, const char *name)
{
	struct sgs_folders folders;
	struct sgs_place place;
	struct sgs_device *dev = &row->device;
	int err, status;

	snprintf(dev->path, sizeof(dev->path), "/dev/%s", name);
	err = find_place(name, dev->path, &place);
	sgs_device_describe(&place, dev, &folders);
	if (err)
		status = sgs_node_open_failed(&place, err, &row->problem);
	else
		status = sgs_device_ask(&place, dev, &folders, &row->problem);
	if (!status)
		return;
	if (!dev->identity.valid)
		sgs_known_identity(dev, &folders);
	sgs_known_capacity(dev, &folders);
}

static int add_row(const char *name, void *arg)
{
	struct sgs_device_row *row = next_row(arg);

	if (!row)
		return -ENOMEM;
	fill_row(row, name);
	return 0;
}

int sgs_device_list(struct sgs_device_row **rows, size_t *count, struct sgs_error *err)
{
	struct list list = { 0 };
	int ret = sgs_sysfs_each(CLASS, add_row, &list);

	*rows = list.rows;
	*count = list.count;
	if (ret == 0)
		return 0;
	free(list.rows);
	*rows = NULL;
	*count = 0;
	if (ret == -ENOENT)
		return sgs_fail(err, SGS_FILE, "no_sg",
			"the sg driver is not loaded: there is no /sys/" CLASS
			"; modprobe sg, or "
			"give a block node");
	return sgs_fail(err, sgs_status_from_errno(ret), "host_error",
		"the list of sg nodes cannot be read: %s; is /sys mounted?",
		strerrordesc_np(-ret));
}
