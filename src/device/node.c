/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/node.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sys/kernel.h"
#include "sys/sysfs.h"

#define SG_MAJOR 21  /* Documentation/admin-guide/devices.txt */
#define SHOWN	 200 /* bytes of a path in a message: the way out must fit behind it */
#define GIVE	 "give a SCSI node (/dev/sgN, /dev/bsg/H:C:T:L), a block device or a regular file"

const char *sgs_node_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "scsi_generic" of ".../scsi_generic/sg0": how the kernel files the device. */
static void class_of(const char *folder, char *name, size_t cap)
{
	const char *end = strrchr(folder, '/'), *start = end;

	while (start && start > folder && start[-1] != '/')
		start--;
	snprintf(name, cap, "%.*s", start ? (int)(end - start) : 0, start ? start : "");
}

bool sgs_node_is_hctl(const char *name)
{
	unsigned host, channel, target;
	unsigned long long lun;
	int end = 0;

	return sscanf(name, "%u:%u:%u:%llu%n", &host, &channel, &target, &lun, &end) == 4 &&
	       name[end] == '\0';
}

static int classify_character(struct sgs_place *place, struct sgs_error *err)
{
	char class[64];

	class_of(place->folder, class, sizeof(class));
	if (strcmp(class, "scsi_generic") == 0 ||
		(!place->folder[0] && major(place->st.st_rdev) == SG_MAJOR)) {
		place->node = SGS_NODE_SG;
		return 0;
	}
	if (strcmp(class, "bsg") == 0 && sgs_node_is_hctl(sgs_node_name(place->folder))) {
		place->node = SGS_NODE_BSG;
		return 0;
	}
	if (strcmp(class, "scsi_tape") == 0)
		return sgs_fail(err, SGS_FILE, "wrong_device_type",
			"%.*s is a tape node; sgstream reads drives with addressable blocks: "
			"disks, "
			"CD and optical drives",
			SHOWN, place->path);
	return sgs_fail(err, SGS_FILE, "wrong_node",
		"%.*s is a character device (%u:%u%s%s) that is no SCSI node; " GIVE, SHOWN,
		place->path, major(place->st.st_rdev), minor(place->st.st_rdev),
		class[0] ? ", " : "", class);
}

static const char *kind_name(mode_t mode)
{
	if (S_ISDIR(mode))
		return "directory";
	if (S_ISFIFO(mode))
		return "pipe";
	return S_ISSOCK(mode) ? "socket" : "thing of an unknown kind";
}

static int classify(struct sgs_place *place, struct sgs_error *err)
{
	mode_t mode = place->st.st_mode;
	dev_t rdev = place->st.st_rdev;

	if (S_ISREG(mode)) {
		place->node = SGS_NODE_FILE;
		return 0;
	}
	if (!S_ISCHR(mode) && !S_ISBLK(mode))
		return sgs_fail(err, SGS_FILE, "wrong_node",
			"%.*s is a %s, not a device; " GIVE, SHOWN, place->path,
			kind_name(mode));
	if (sgs_sysfs_resolve(place->folder, sizeof(place->folder), "dev/%s/%u:%u",
		    S_ISBLK(mode) ? "block" : "char", major(rdev), minor(rdev)) < 0)
		place->folder[0] = '\0';
	if (S_ISCHR(mode))
		return classify_character(place, err);
	place->node = SGS_NODE_BLOCK;
	return 0;
}

static bool looks_like_sg(const char *path)
{
	const char *name = sgs_node_name(path);

	return strncmp(name, "sg", 2) == 0 && name[2] &&
	       !name[2 + strspn(name + 2, "0123456789")];
}

static int fail_missing(const char *path, int error, struct sgs_error *err)
{
	if (looks_like_sg(path) && !sgs_sysfs_exists("class/scsi_generic"))
		return sgs_fail(err, SGS_FILE, "no_sg",
			"%.*s: %s: the sg driver is not loaded; modprobe sg, or read the block "
			"node "
			"(/dev/sdX) with -e sgio or -e direct",
			SHOWN, path, strerrordesc_np(error));
	if (!*path)
		return sgs_fail(err, SGS_USAGE, "no_device",
			"'' is no name of a device; sgstream list shows the devices of this "
			"host");
	return sgs_fail(err, SGS_FILE, "no_such_device",
		"%.*s: %s; sgstream list shows the devices of this host", SHOWN, path,
		error == ENOENT ? "there is no such node" : strerrordesc_np(error));
}

int sgs_node_find(const char *path, struct sgs_place *place, struct sgs_error *err)
{
	int error;

	place->path = path;
	place->node = SGS_NODE_NONE;
	place->folder[0] = '\0';
	error = -sgs_sys_stat(path, &place->st);
	if (error == ENOENT || error == ENOTDIR)
		return fail_missing(path, ENOENT, err);
	if (error == EACCES)
		return sgs_fail(err, SGS_FILE, "no_permission",
			"%.*s: a folder on the way to it may not be searched by uid %u; use "
			"sudo",
			SHOWN, path, (unsigned)geteuid());
	if (error)
		return sgs_fail(err, SGS_FILE, "no_such_device", "%.*s: %s; check the name",
			SHOWN, path, strerrordesc_np(error));
	return classify(place, err);
}

static void owner_name(uid_t uid, char *name, size_t cap)
{
	const struct passwd *entry = getpwuid(uid);

	if (entry)
		snprintf(name, cap, "%s", entry->pw_name);
	else
		snprintf(name, cap, "%u", (unsigned)uid);
}

static void group_name(gid_t gid, char *name, size_t cap)
{
	const struct group *entry = getgrgid(gid);

	if (entry)
		snprintf(name, cap, "%s", entry->gr_name);
	else
		snprintf(name, cap, "%u", (unsigned)gid);
}

static int fail_permission(const struct sgs_place *place, struct sgs_error *err)
{
	char owner[64], group[64], remedy[128] = "use sudo";
	unsigned mode = place->st.st_mode & 07777;

	owner_name(place->st.st_uid, owner, sizeof(owner));
	group_name(place->st.st_gid, group, sizeof(group));
	if (place->st.st_gid != 0) /* nobody should join group root */
		snprintf(remedy, sizeof(remedy), "use sudo, or %sjoin group %s",
			mode & S_IRGRP ? "" : "chmod g+r it and ", group);
	return sgs_fail(err, SGS_FILE, "no_permission",
		"%.*s needs read permission: it is %s:%s %04o; %s", SHOWN, place->path, owner,
		group, mode, remedy);
}

int sgs_node_open_failed(const struct sgs_place *place, int error, struct sgs_error *err)
{
	switch (-error) {
	case EACCES:
		return fail_permission(place, err);
	case EPERM:
		return sgs_fail(err, SGS_FILE, "no_permission",
			"%.*s may not be opened although its mode allows it; a container must "
			"be "
			"given the device (docker run --device)",
			SHOWN, place->path);
	case ENOENT:
		return fail_missing(place->path, ENOENT, err);
	case ENXIO:
	case ENODEV:
		if (place->node == SGS_NODE_SG)
			return fail_missing(place->path, -error, err);
		return sgs_fail(err, SGS_FILE, "no_such_device",
			"%.*s: the node is there, but no device answers behind it (%s); "
			"sgstream "
			"list shows what is",
			SHOWN, place->path, strerrordesc_np(-error));
	case EBUSY:
		return sgs_fail(err, SGS_FILE, "held_exclusively",
			"%.*s is held by another program, exclusively; fuser -v names it",
			SHOWN, place->path);
	case ENOMEDIUM:
		return sgs_fail(err, SGS_NOT_READY, "no_medium",
			"%.*s has no medium; insert one", SHOWN, place->path);
	default:
		return sgs_fail(err, SGS_FILE, "cannot_open",
			"%.*s cannot be opened: %s; check dmesg", SHOWN, place->path,
			strerrordesc_np(-error));
	}
}
