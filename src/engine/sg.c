/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/sg.h"

#include <errno.h>
#include <fcntl.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lane.h"
#include "scsi/cdb.h"
#include "sys/kernel.h"
#include "sys/scsi.h"
#include "sys/sysfs.h"
#include "util/units.h"

#define MAX_SECTORS_KB	  32767u       /* what sd lets it be set to */
#define SG_TRANSFER_LIMIT (256u << 20) /* sg_common_write() of sg.c refuses this and more */

/* The header is filled once; a command changes the CDB and, for the last one, the length. */
struct sg_lane {
	struct sgs_lane lane;
	struct sgs_slot slot;
	struct sgs_slot *slots[1];
	struct sg_io_hdr hdr;
	struct sgs_read_cdb read;
	int fd;
	uint32_t block_bytes;
	enum sgs_transfer transfer;
	void *memory;
	size_t memory_bytes;
};

int sgs_scsi_probe(const struct sgs_device *device, struct sgs_error *why)
{
	if (device->is_partition)
		return sgs_fail(why, SGS_FILE, "partition",
			"%s is a partition: a SCSI READ would count its blocks from the start "
			"of the whole disk; give %s with --offset, or use -e direct",
			device->path, device->whole_disk);
	if (device->is_scsi)
		return 0;
	return sgs_fail(why, SGS_FILE, "not_scsi",
		"%s is no SCSI device, so the SCSI engines cannot read it; use -e direct or -e "
		"buffered",
		device->path);
}

int sgs_sg_probe(const struct sgs_device *device, struct sgs_error *why)
{
	int status = sgs_scsi_probe(device, why);

	if (status || device->sg_path[0])
		return status;
	return sgs_fail(why, SGS_FILE, "no_sg_node",
		"%s has no sg node: the sg driver is not loaded; modprobe sg, or use -e sgio "
		"or -e bsg",
		device->path);
}

int sgs_sg_direct_probe(const struct sgs_device *device, struct sgs_error *why)
{
	int status = sgs_sg_probe(device, why);
	int64_t allow = 1;

	if (status || sgs_sysfs_number(&allow, "module/sg/parameters/allow_dio") < 0 || allow)
		return status;
	sgs_fail(why, SGS_OK, "would_be_copied",
		"allow_dio is 0, so the sg driver copies instead of direct I/O; echo 1 > "
		"/sys/module/sg/parameters/allow_dio, or use -e sg-mmap");
	return 0;
}

static int too_large(const struct sgs_lane_config *config, const char *what, uint64_t limit,
	const char *remedy, struct sgs_error *err)
{
	char asked[32], got[32];

	return sgs_fail(err, sgs_status_from_errno(ENOMEM), "transfer_too_large",
		"%s: --bs %s is above its %s of %s; %s", config->device->sg_path,
		sgs_format_size(asked, sizeof asked, config->bs_bytes), what,
		sgs_format_size(got, sizeof got, limit), remedy);
}

/* max_sectors_kb clamps the reserve buffer; a device without a block node has no such file. */
static int reserve_too_small(
	const struct sgs_lane_config *config, uint32_t got, struct sgs_error *err)
{
	const struct sgs_device *d = config->device;
	const char *name = d->block_path[0] ? strrchr(d->block_path, '/') : NULL;
	uint32_t kib = (config->bs_bytes + 1023) / 1024;
	char remedy[160];

	if (name && kib > MAX_SECTORS_KB)
		snprintf(remedy, sizeof remedy,
			"max_sectors_kb goes no higher than %u, so use a smaller --bs",
			MAX_SECTORS_KB);
	else if (name)
		snprintf(remedy, sizeof remedy,
			"use a smaller --bs, or: echo %u > /sys/block/%s/queue/max_sectors_kb",
			kib, name + 1);
	else
		snprintf(remedy, sizeof remedy, "use a smaller --bs, or -e sg-copy");
	return too_large(config, "reserve buffer", got, remedy, err);
}

static int ask_reserve(int fd, uint32_t want, uint32_t *got)
{
	int value = (int)want, r = sgs_sys_ioctl(fd, SG_SET_RESERVED_SIZE, &value);

	if (r < 0)
		return r;
	r = sgs_sys_ioctl(fd, SG_GET_RESERVED_SIZE, &value);
	*got = r < 0 || value < 0 ? 0 : (uint32_t)value;
	return r;
}

static uint32_t whole_pages(uint32_t n)
{
	return (n + 4095u) & ~4095u;
}

static int map_reserve(struct sg_lane *l, const struct sgs_lane_config *config, uint32_t got,
	struct sgs_error *err)
{
	int r;

	if (got < config->bs_bytes)
		return reserve_too_small(config, got, err);
	l->memory_bytes = config->bs_bytes;
	r = sgs_sys_map(l->fd, l->memory_bytes, &l->memory);
	if (r < 0)
		return sgs_fail(err, sgs_status_from_errno(-r), "cannot_map",
			"%s: cannot map its reserve buffer: %s; use -e sg-copy",
			config->device->sg_path, strerrordesc_np(-r));
	return 0;
}

int sgs_sg_buffer(
	uint32_t bs_bytes, unsigned n, void **memory, size_t *bytes, struct sgs_error *err)
{
	char size[32];
	int r;

	*bytes = (size_t)whole_pages(bs_bytes) * n;
	r = sgs_sys_alloc(*bytes, memory);
	if (r < 0)
		return sgs_fail(err, sgs_status_from_errno(-r), "no_memory",
			"no memory for a buffer of %s: %s; use a smaller --bs or --qd",
			sgs_format_size(size, sizeof size, *bytes), strerrordesc_np(-r));
	return 0;
}

/* A reserve buffer that holds a whole command also serves the copying path: without it the
 * driver allocates pages for each command. There a smaller one is no error. */
static int get_memory(struct sg_lane *l, const struct sgs_lane_config *config,
	const struct sgs_sg_way *way, struct sgs_error *err)
{
	uint32_t got = 0;
	int r = way->reserve ? ask_reserve(l->fd, whole_pages(config->bs_bytes), &got) : 0;

	if (r < 0)
		return sgs_fail(err, SGS_FILE, "not_sg", "%s does not answer as an sg node: %s",
			way->path, strerrordesc_np(-r));
	if (way->flags & SG_FLAG_MMAP_IO)
		return map_reserve(l, config, got, err);
	r = sgs_sg_buffer(config->bs_bytes, 1, &l->memory, &l->memory_bytes, err);
	l->hdr.dxferp = l->memory;
	return r;
}

static void prepare_header(
	struct sg_lane *l, const struct sgs_lane_config *config, unsigned flags)
{
	struct sg_io_hdr *h = &l->hdr;

	h->interface_id = 'S';
	h->dxfer_direction = SG_DXFER_FROM_DEV;
	h->cmdp = l->read.bytes;
	h->sbp = l->slot.outcome.sense;
	h->mx_sb_len = SGS_SENSE_BYTES;
	h->timeout = config->timeout_ms;
	h->flags = flags | SG_FLAG_Q_AT_TAIL;
}

/* Which of the sizes stands in the way is only known by trying. */
int sgs_sg_explain(const struct sgs_lane_config *config, const char *path,
	const struct sgs_outcome *outcome, struct sgs_error *err)
{
	int errnum = outcome->fault == SGS_FAULT_NONE ? 0 : outcome->host_errno;
	const struct sgs_limits *limits = &config->device->limits;
	char size[32], most[32];

	if (errnum != ENOMEM && errnum != EINVAL && errnum != EIO)
		return 0;
	if (limits->max_hw_transfer && config->bs_bytes > limits->max_hw_transfer)
		return sgs_fail(err, sgs_status_from_errno(errnum), "transfer_too_large",
			"%s: a command of %s is refused (%s): its adapter takes %s at once "
			"(max_hw_sectors_kb), which nothing raises; use a smaller --bs",
			path, sgs_format_size(size, sizeof size, config->bs_bytes),
			strerrordesc_np(errnum),
			sgs_format_size(most, sizeof most, limits->max_hw_transfer));
	return sgs_fail(err, sgs_status_from_errno(errnum), "transfer_too_large",
		"%s: a command of %s is refused (%s): more than its %u segments allow, which "
		"are %s when each is one page; use a smaller --bs",
		path, sgs_format_size(size, sizeof size, config->bs_bytes),
		strerrordesc_np(errnum), limits->sg_tablesize,
		sgs_format_size(most, sizeof most, limits->sg_tablesize * UINT64_C(4096)));
}

static int try_limits(struct sg_lane *l, const struct sgs_lane_config *config, const char *path,
	struct sgs_error *err)
{
	if (!config->trial.blocks)
		return 0;
	l->slot.extent = config->trial;
	l->lane.trials++;
	sgs_sg_submit(&l->lane, &l->slot);
	l->lane.trial_fault = l->slot.outcome.fault;
	return sgs_sg_explain(config, path, &l->slot.outcome, err);
}

static int open_lane(struct sg_lane *l, const struct sgs_lane_config *config,
	const struct sgs_sg_way *way, struct sgs_error *err)
{
	int status;

	if (config->bs_bytes >= SG_TRANSFER_LIMIT)
		return too_large(config, "driver's limit for one command",
			SG_TRANSFER_LIMIT - 1, "use a smaller --bs", err);
	status = sgs_lane_open_node(config->device, way->path, O_NONBLOCK, &l->fd, err);
	if (status)
		return status;
	prepare_header(l, config, way->flags);
	status = get_memory(l, config, way, err);
	return status ? status : try_limits(l, config, way->path, err);
}

int sgs_sg_open(const struct sgs_lane_config *config, const struct sgs_sg_way *way,
	struct sgs_lane **lane, struct sgs_error *err)
{
	struct sg_lane *l = sgs_lane_alloc(sizeof *l, err);
	int status;

	if (!l)
		return err->status;
	l->slots[0] = &l->slot;
	l->lane.slots = l->slots;
	l->block_bytes = config->device->block_bytes;
	l->read.kind = config->cdb;
	l->transfer = way->transfer;
	l->fd = -1;
	status = open_lane(l, config, way, err);
	if (status) {
		sgs_sg_close(&l->lane);
		return status;
	}
	l->slot.data = l->memory;
	*lane = &l->lane;
	return 0;
}

static enum sgs_transfer transfer_of(const struct sg_lane *l)
{
	const struct sg_io_hdr *h = &l->hdr;

	if (!(h->flags & SG_FLAG_DIRECT_IO))
		return l->transfer;
	return (h->info & SG_INFO_DIRECT_IO_MASK) == SG_INFO_DIRECT_IO ? SGS_DIRECT
								       : SGS_COPIED;
}

enum sgs_submitted sgs_sg_submit(struct sgs_lane *lane, struct sgs_slot *slot)
{
	struct sg_lane *l = (struct sg_lane *)lane;
	struct sg_io_hdr *h = &l->hdr;
	int r;

	if (sgs_read_cdb_next(&l->read, slot->extent.lba, slot->extent.blocks)) {
		h->cmd_len = l->read.length;
		h->dxfer_len = slot->extent.blocks * l->block_bytes;
	}
	r = sgs_sys_scsi(l->fd, h);
	if (r < 0) {
		sgs_outcome_from_errno(&slot->outcome, r);
	} else if (h->status | h->host_status | h->driver_status | h->resid) {
		sgs_outcome_from_sg(&slot->outcome, h, h->dxfer_len);
	} else {
		slot->outcome.bytes = h->dxfer_len;
		slot->outcome.fault = SGS_FAULT_NONE;
	}
	slot->outcome.transfer = transfer_of(l);
	return SGS_DONE;
}

void sgs_sg_close(struct sgs_lane *lane)
{
	struct sg_lane *l = (struct sg_lane *)lane;

	if (!l)
		return;
	if (l->hdr.flags & SG_FLAG_MMAP_IO)
		sgs_sys_unmap(l->memory, l->memory_bytes);
	else
		sgs_sys_free(l->memory, l->memory_bytes);
	sgs_sys_close(l->fd);
	free(l);
}
