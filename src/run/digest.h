/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Order-independent digest: the sum mod 2^128 of one XXH3-128 per transfer, seeded by the
 * transfer's byte offset, so that data in the wrong place, missing or read twice shows. Equal
 * for equal data when it is read in equal transfers.
 */
#ifndef SGS_RUN_DIGEST_H
#define SGS_RUN_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include <sgstream/result.h>

void sgs_digest_add(struct sgs_digest *digest, const void *data, size_t len, uint64_t offset);
void sgs_digest_merge(struct sgs_digest *into, const struct sgs_digest *from);

#endif
