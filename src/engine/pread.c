/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "engine/block.h"
#include "engine/lane.h"
#include "sys/kernel.h"
#include "util/units.h"

struct pread_lane {
	struct sgs_lane lane;
	struct sgs_slot slot;
	struct sgs_slot *slots[1];
	int fd;
	uint32_t block_bytes;
	struct sgs_pread_way way;
	struct iovec *parts; /* NULL: plain pread */
	unsigned n_parts;
	uint32_t part_bytes;
	void *buffer;
	size_t buffer_bytes;
};

static int get_buffer(struct pread_lane *l, uint32_t bs_bytes, struct sgs_error *err)
{
	char size[32];
	int r;

	l->buffer_bytes = sgs_round_up(bs_bytes, 4096);
	r = sgs_sys_alloc(l->buffer_bytes, &l->buffer);
	if (r < 0)
		return sgs_fail(err, sgs_status_from_errno(-r), "no_memory",
			"no memory for a buffer of %s: %s; use a smaller --bs or fewer --qd",
			sgs_format_size(size, sizeof size, bs_bytes), strerrordesc_np(-r));
	l->slot.data = l->buffer;
	return 0;
}

static int try_limits(
	struct pread_lane *l, const struct sgs_lane_config *config, struct sgs_error *err)
{
	if (!config->trial.blocks)
		return 0;
	l->slot.extent = config->trial;
	l->lane.trials++;
	sgs_pread_submit(&l->lane, &l->slot);
	return sgs_direct_explain(config, &l->slot.outcome, err);
}

/* RWF flags need preadv2 even for one part. */
static int make_parts(
	struct pread_lane *l, const struct sgs_lane_config *config, struct sgs_error *err)
{
	unsigned n = config->iovecs ? config->iovecs : 1;

	if (!config->iovecs && !l->way.rwf)
		return 0;
	l->n_parts = n;
	l->part_bytes = config->bs_bytes / n;
	if (config->bs_bytes % n || l->part_bytes % l->way.align)
		return sgs_fail(err, SGS_USAGE, "not_aligned",
			"--iovecs %u does not divide --bs of %u bytes into parts that are "
			"multiples of %u bytes; use another number",
			n, config->bs_bytes, l->way.align);
	l->parts = sgs_lane_alloc(n * sizeof *l->parts, err);
	if (!l->parts)
		return err->status;
	for (unsigned i = 0; i < n; i++)
		l->parts[i].iov_base = (uint8_t *)l->buffer + (size_t)i * l->part_bytes;
	return 0;
}

int sgs_pread_open(const struct sgs_lane_config *config, const struct sgs_pread_way *way,
	struct sgs_lane **lane, struct sgs_error *err)
{
	struct pread_lane *l = sgs_lane_alloc(sizeof *l, err);
	int status;

	if (!l)
		return err->status;
	l->slots[0] = &l->slot;
	l->lane.slots = l->slots;
	l->block_bytes = config->device->block_bytes;
	l->way = *way;
	status = sgs_block_open_node(config->device, way->open_flags, &l->fd, err);
	if (!status)
		status = get_buffer(l, config->bs_bytes, err);
	if (!status)
		status = make_parts(l, config, err);
	if (!status)
		status = try_limits(l, config, err);
	if (status) {
		sgs_pread_close(&l->lane);
		return status;
	}
	*lane = &l->lane;
	return 0;
}

static ssize_t read_parts(struct pread_lane *l, uint32_t len, uint64_t offset)
{
	unsigned n = 0;

	for (uint32_t left = len; left && n < l->n_parts; n++) {
		l->parts[n].iov_len = left < l->part_bytes ? left : l->part_bytes;
		left -= (uint32_t)l->parts[n].iov_len;
	}
	return sgs_sys_preadv(l->fd, l->parts, n, offset, l->way.rwf);
}

/* read(2) gives what it has before an error; asked for the rest, it says which. */
static void ask_for_rest(struct pread_lane *l, struct sgs_outcome *out, uint64_t offset,
	uint32_t got, uint32_t len, uint32_t wanted)
{
	ssize_t n = sgs_sys_pread(l->fd, (uint8_t *)l->buffer + got, len - got, offset + got);

	if (n >= 0) {
		sgs_outcome_from_read(out, got + n, wanted);
		return;
	}
	sgs_outcome_from_errno(out, (int)n);
	out->bytes = got;
}

enum sgs_submitted sgs_pread_submit(struct sgs_lane *lane, struct sgs_slot *slot)
{
	struct pread_lane *l = (struct pread_lane *)lane;
	uint32_t wanted = slot->extent.blocks * l->block_bytes;
	uint32_t len = sgs_round_up(wanted, l->way.align);
	uint64_t offset = slot->extent.lba * l->block_bytes;
	ssize_t n = l->parts ? read_parts(l, len, offset)
			     : sgs_sys_pread(l->fd, l->buffer, len, offset);

	slot->outcome.transfer = l->way.transfer;
	if (n >= (ssize_t)wanted) { /* more only where the end of a file was rounded up */
		slot->outcome.bytes = wanted;
		slot->outcome.fault = SGS_FAULT_NONE;
	} else if (n > 0) {
		ask_for_rest(l, &slot->outcome, offset, (uint32_t)n, len, wanted);
	} else
		sgs_outcome_from_read(&slot->outcome, n, wanted);
	return SGS_DONE;
}

void sgs_pread_close(struct sgs_lane *lane)
{
	struct pread_lane *l = (struct pread_lane *)lane;

	if (!l)
		return;
	sgs_sys_free(l->buffer, l->buffer_bytes);
	sgs_sys_close(l->fd);
	free(l->parts);
	free(l);
}
