/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the SCSI generic engines share. Linux 6.1 drivers/scsi/sg.c decides by flag and buffer how
 * the data of one SG_IO comes:
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

/* flags: SG_FLAG_MMAP_IO, SG_FLAG_DIRECT_IO or 0. */
int sgs_sg_open(const struct sgs_lane_config *config, unsigned flags, struct sgs_lane **lane,
	struct sgs_error *err);

enum sgs_submitted sgs_sg_submit(struct sgs_lane *lane, struct sgs_slot *slot);
void sgs_sg_close(struct sgs_lane *lane);

#endif
