/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INQUIRY and READ CAPACITY over an open SCSI node, by libsgutils2. Parsing is apart from
 * asking, so that it can be fed captured and hostile answers.
 */
#ifndef SGS_SCSI_IDENTITY_H
#define SGS_SCSI_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

#include <sgstream/device.h>

/* Standard INQUIRY data (SPC-5 6.6.2). Shorter answers leave what they lack empty. */
void sgs_parse_inquiry(const uint8_t *data, size_t len, struct sgs_identity *id);

/* Unit serial number page 80h, device identification page 83h; a page of another code, or
 * lengths past the end, are ignored. */
void sgs_parse_vpd_serial(const uint8_t *data, size_t len, struct sgs_identity *id);
void sgs_parse_vpd_device_id(const uint8_t *data, size_t len, struct sgs_identity *id);

struct sgs_capacity {
	uint64_t blocks;
	uint32_t block_bytes;
	uint32_t physical_block_bytes;
	int protection_type; /* 0 to 3 */
};

/* READ CAPACITY(10) data, 8 bytes. Returns 0; 1 when the answer says to ask READ CAPACITY(16);
 * -EBADMSG when it is too short or its block length is 0 or absurd (above 16 MiB). */
int sgs_parse_capacity10(const uint8_t *data, size_t len, struct sgs_capacity *cap);

/* READ CAPACITY(16) data, 32 bytes; a device may give as few as 12. 0 or -EBADMSG. */
int sgs_parse_capacity16(const uint8_t *data, size_t len, struct sgs_capacity *cap);

/* How long each command of these may take, for the whole process: rounded up to seconds, and 30
 * s at the most. */
void sgs_identity_patience(uint64_t ns);

/* INQUIRY, then VPD 80h and 83h where there. 0 or a status. */
int sgs_read_identity(int fd, struct sgs_identity *id, struct sgs_error *err);

/* READ CAPACITY(10), then (16) where it is needed or knows more; a drive that knows only one of
 * them is fine. Unit attentions are cleared, asked again and counted in *unit_attentions. */
int sgs_read_capacity(
	int fd, struct sgs_capacity *cap, unsigned *unit_attentions, struct sgs_error *err);

#endif
