/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the SCSI generic engines share. Linux 6.1 drivers/scsi/sg.c decides by flag and buffer
 * how the data of one SG_IO comes:
 *
 *   flags              dxferp   needs                                    data            info
 *   MMAP_IO            NULL     reserve >= length, one command per fd    mapped reserve  -
 *   DIRECT_IO          aligned  allow_dio=1, alignment of the queue      DMA to dxferp   direct
 *   DIRECT_IO          any      allow_dio=0, or not aligned: silently    copied          -
 *   0                  any      reserve >= length saves a page           copied          -
 *                               allocation per command
 */
#ifndef SGS_ENGINE_SG_H
#define SGS_ENGINE_SG_H

#include "engine/engine.h"

/* Needs an sg node; refuses partitions, where a SCSI LBA would be another place. */
int sgs_sg_probe(const struct sgs_device *device, struct sgs_error *why);

/* The same, with the caveat that the driver will copy while allow_dio is 0. */
int sgs_sg_direct_probe(const struct sgs_device *device, struct sgs_error *why);

/* As sgs_sg_probe() without asking for the sg node: it is a whole SCSI device. */
int sgs_scsi_probe(const struct sgs_device *device, struct sgs_error *why);

/* One way of using SG_IO. */
struct sgs_sg_way {
	const char *path;
	unsigned flags; /* SG_FLAG_MMAP_IO, SG_FLAG_DIRECT_IO or 0 */
	bool reserve;	/* path is an sg node whose reserve buffer serves the command */
	enum sgs_transfer
		transfer; /* of a good command, unless the direct flag lets the driver say */
};

int sgs_sg_open(const struct sgs_lane_config *config, const struct sgs_sg_way *way,
	struct sgs_lane **lane, struct sgs_error *err);

enum sgs_submitted sgs_sg_submit(struct sgs_lane *lane, struct sgs_slot *slot);
void sgs_sg_close(struct sgs_lane *lane);

/* Whether the outcome of a trial says that a command of bs_bytes is refused, and why: 0 or a
 * status. */
int sgs_sg_explain(const struct sgs_lane_config *config, const char *path,
	const struct sgs_outcome *outcome, struct sgs_error *err);

/* Page-aligned memory of at least bytes in whole pages. */
int sgs_sg_buffer(
	uint32_t bs_bytes, unsigned n, void **memory, size_t *bytes, struct sgs_error *err);

#endif
