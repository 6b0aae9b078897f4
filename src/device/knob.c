/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/knob.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/kernel.h"
#include "sys/sysfs.h"

#define ALLOW_DIO      "module/sg/parameters/allow_dio"
#define ALLOW_DIO_PROC "/proc/scsi/sg/allow_dio"

static const struct {
	const char *option, *attribute, *unit;
} kinds[SGS_SETTINGS] = {
	[SGS_SET_READ_AHEAD] = { "--read-ahead", "read_ahead_kb", " KiB" },
	[SGS_SET_MAX_TRANSFER] = { "--max-transfer", "max_sectors_kb", " KiB" },
	[SGS_SET_SCHEDULER] = { "--scheduler", "scheduler", "" },
	[SGS_SET_ALLOW_DIO] = { "--allow-dio", NULL, "" },
};

const char *sgs_knob_option(enum sgs_setting_kind kind)
{
	return kinds[kind].option;
}

char *sgs_knob_show(enum sgs_setting_kind kind, const char *value, char *buf, size_t cap)
{
	snprintf(buf, cap, "%s%s", value, kinds[kind].unit);
	return buf;
}

static int no_disk(
	enum sgs_setting_kind kind, const struct sgs_device *dev, struct sgs_error *err)
{
	const char *why = "has no block node (sd does not drive it)";

	if (dev->node == SGS_NODE_FILE)
		why = "is a regular file";
	else if (dev->block_path[0])
		why = "is unknown to /sys";
	return sgs_fail(err, SGS_USAGE, "no_setting",
		"%.200s %s, so it has no %s to set; leave %s out", dev->path, why,
		kinds[kind].attribute, kinds[kind].option);
}

static int find_of_disk(enum sgs_setting_kind kind, const struct sgs_device *dev,
	struct sgs_knob *knob, struct sgs_error *err)
{
	const char *name = strrchr(dev->disk_folder, '/');
	int n;

	if (!name)
		return no_disk(kind, dev, err);
	n = snprintf(knob->path, sizeof knob->path, "%s/queue/%s", dev->disk_folder,
		kinds[kind].attribute);
	snprintf(knob->shown, sizeof knob->shown, "/sys/block%.100s/queue/%s", name,
		kinds[kind].attribute);
	if (n < (int)sizeof knob->path && sgs_sysfs_exists("%s", knob->path))
		return 0;
	return sgs_fail(err, SGS_USAGE, "no_setting",
		"%.200s: its block driver has no %s; leave %s out", dev->path, knob->shown,
		kinds[kind].option);
}

/* Where /sys is mounted read-only, as in a container, /proc may still let it be set. */
static int find_allow_dio(struct sgs_knob *knob, struct sgs_error *err)
{
	bool proc = !sgs_sysfs_writable(ALLOW_DIO) &&
		    (sgs_sysfs_writable(ALLOW_DIO_PROC) || !sgs_sysfs_exists(ALLOW_DIO));

	strcpy(knob->path, proc ? ALLOW_DIO_PROC : ALLOW_DIO);
	strcpy(knob->shown, proc ? ALLOW_DIO_PROC : "/sys/" ALLOW_DIO);
	if (sgs_sysfs_exists("%s", knob->path))
		return 0;
	return sgs_fail(err, SGS_FILE, "no_sg",
		"--allow-dio: the sg driver is not loaded; modprobe sg, or leave it out");
}

/* Whether name stands in "none [mq-deadline] kyber". */
static bool is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = list; *at; at += strcspn(at, " []")) {
		at += strspn(at, " []");
		if (len && strcspn(at, " []") == len && !strncmp(at, name, len))
			return true;
	}
	return false;
}

/* Writing an unknown name would make the kernel look for a module, and leave it loaded. */
static int check_scheduler(
	const struct sgs_knob *knob, const struct sgs_device *dev, struct sgs_error *err)
{
	char list[160] = "", names[160];
	size_t n = 0;

	sgs_sysfs_text(list, sizeof list, "%s", knob->path);
	if (is_listed(list, knob->to))
		return 0;
	for (const char *c = list; *c; c++)
		if (*c != '[' && *c != ']')
			names[n++] = *c;
	names[n] = '\0';
	return sgs_fail(err, SGS_USAGE, "unknown_scheduler",
		"%.160s: --scheduler: there is no '%.40s' here; there are: %s (another may be "
		"a "
		"module: modprobe it first)",
		dev->path, knob->to, names);
}

/* A lower limit of the drive itself shows only when the kernel refuses the value. */
static int check_max_transfer(
	const struct sgs_knob *knob, const struct sgs_device *dev, struct sgs_error *err)
{
	int64_t most = 0;
	uint64_t wanted = strtoull(knob->to, NULL, 10);

	if (sgs_sysfs_number(&most, "%s/queue/max_hw_sectors_kb", dev->disk_folder) < 0 ||
		most <= 0 || wanted <= (uint64_t)most)
		return 0;
	return sgs_fail(err, SGS_USAGE, "above_limit",
		"%.200s: --max-transfer %s KiB is above its max_hw_sectors_kb of %lld KiB; use "
		"less",
		dev->path, knob->to, (long long)most);
}

/* "none [mq-deadline] kyber"; a device without a queue to schedule shows "none". */
static void keep_active(char *value)
{
	char *open = strchr(value, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return;
	*close = '\0';
	memmove(value, open + 1, strlen(open + 1) + 1);
}

int sgs_knob_value(const struct sgs_knob *knob, char value[SGS_KNOB_ROOM])
{
	char line[160];
	int r = sgs_sysfs_text(line, sizeof line, "%s", knob->path);

	if (r < 0)
		return r;
	if (knob->kind == SGS_SET_SCHEDULER)
		keep_active(line);
	return snprintf(value, SGS_KNOB_ROOM, "%s", line) < SGS_KNOB_ROOM ? 0 : -ERANGE;
}

int sgs_knob_find(enum sgs_setting_kind kind, const struct sgs_device *dev, const char *to,
	struct sgs_knob *knob, struct sgs_error *err)
{
	int status, r;

	memset(knob, 0, sizeof *knob);
	knob->kind = kind;
	knob->fd = -1;
	snprintf(knob->to, sizeof knob->to, "%s", to);
	status = dev ? find_of_disk(kind, dev, knob, err) : find_allow_dio(knob, err);
	if (!status && kind == SGS_SET_SCHEDULER)
		status = check_scheduler(knob, dev, err);
	if (!status && kind == SGS_SET_MAX_TRANSFER)
		status = check_max_transfer(knob, dev, err);
	if (status)
		return status;
	r = sgs_knob_value(knob, knob->from);
	if (r < 0)
		return sgs_fail(err, sgs_status_from_errno(-r), "cannot_read_setting",
			"%s: %s cannot be read: %s; leave it out", kinds[kind].option,
			knob->shown, strerrordesc_np(-r));
	return 0;
}

int sgs_knob_hold(struct sgs_knob *knob)
{
	knob->fd = sgs_sysfs_hold("%s", knob->path);
	return knob->fd < 0 ? knob->fd : 0;
}

int sgs_knob_lock(const struct sgs_knob *knob, bool exclusive)
{
	return sgs_sysfs_lock(knob->fd, exclusive);
}

void sgs_knob_release(struct sgs_knob *knob)
{
	sgs_sys_close(knob->fd);
	knob->fd = -1;
}

/* The folder of a scheduler's knob: ".../queue" of ".../queue/scheduler". */
static int folder_length(const struct sgs_knob *knob)
{
	return (int)(strrchr(knob->path, '/') - knob->path);
}

/* What does not fit was cut, and would be put back wrong. */
static void remember_one(struct sgs_knob *knob, const char *file)
{
	struct sgs_knob_companion *c = &knob->companions[knob->n_companions];
	int len = folder_length(knob), n;

	if (knob->n_companions == SGS_KNOB_COMPANIONS)
		return;
	if (snprintf(c->file, sizeof c->file, "%s", file) >= (int)sizeof c->file)
		return;
	n = sgs_sysfs_text(c->value, sizeof c->value, "%.*s/%s", len, knob->path, file);
	if (n > 0 && n < SGS_KNOB_ROOM - 1)
		knob->n_companions++;
}

static int remember_tunable(const char *name, void *knob)
{
	char file[NAME_MAX + 16];

	snprintf(file, sizeof file, "iosched/%s", name);
	remember_one(knob, file);
	return 0;
}

int sgs_knob_remember(struct sgs_knob *knob)
{
	char folder[PATH_MAX];
	int r = sgs_knob_value(knob, knob->from);

	knob->n_companions = 0;
	if (r < 0 || knob->kind != SGS_SET_SCHEDULER)
		return r;
	remember_one(knob, "nr_requests");
	snprintf(folder, sizeof folder, "%.*s/iosched", folder_length(knob), knob->path);
	sgs_sysfs_each(folder, remember_tunable, knob);
	return 0;
}

int sgs_knob_set(const struct sgs_knob *knob, char took[SGS_KNOB_ROOM])
{
	int r = sgs_sysfs_write(knob->to, "%s", knob->path);

	return r < 0 ? r : sgs_knob_value(knob, took);
}

static int refused(
	const struct sgs_knob *knob, const char *where, int error, struct sgs_error *err)
{
	const char *remedy = "use another value";

	if (knob->kind == SGS_SET_MAX_TRANSFER && error == -EINVAL)
		remedy = "the drive's own limit (VPD page B0h) is lower than that, or it is "
			 "less "
			 "than one page";
	return sgs_fail(err, sgs_status_from_errno(-error), "setting_refused",
		"%s%s: the kernel refuses %s%s in %s: %s; %s", where, kinds[knob->kind].option,
		knob->to, kinds[knob->kind].unit, knob->shown, strerrordesc_np(-error), remedy);
}

int sgs_knob_refused(
	const struct sgs_knob *knob, const char *device, int error, struct sgs_error *err)
{
	const char *option = kinds[knob->kind].option;
	char where[220] = "";

	if (device)
		snprintf(where, sizeof where, "%.200s: ", device);
	if (error != -EACCES && error != -EPERM && error != -EROFS)
		return refused(knob, where, error, err);
	return sgs_fail(err, sgs_status_from_errno(-error), "setting_not_permitted",
		"%s%s: %s may not be written (%s); as root: echo %s > %s, and leave %s out",
		where, option, knob->shown, strerrordesc_np(-error), knob->to, knob->shown,
		option);
}

static void put_companions_back(const struct sgs_knob *knob)
{
	int len = folder_length(knob);
	char now[SGS_KNOB_ROOM];

	for (size_t i = 0; i < knob->n_companions; i++) {
		const struct sgs_knob_companion *c = &knob->companions[i];

		if (sgs_sysfs_text(now, sizeof now, "%.*s/%s", len, knob->path, c->file) > 0 &&
			strcmp(now, c->value) != 0)
			sgs_sysfs_write(c->value, "%.*s/%s", len, knob->path, c->file);
	}
}

int sgs_knob_put_back(const struct sgs_knob *knob, const char *took, char found[SGS_KNOB_ROOM])
{
	int r = sgs_knob_value(knob, found);

	if (r < 0)
		return r;
	if (took[0] && strcmp(found, took) != 0)
		return strcmp(found, knob->from) != 0;
	if (strcmp(found, knob->from) != 0)
		r = sgs_sysfs_write(knob->from, "%s", knob->path);
	if (!r)
		put_companions_back(knob);
	if (!r)
		r = sgs_knob_value(knob, found);
	if (!r && strcmp(found, knob->from) != 0)
		r = -EIO;
	return r;
}
