/* SPDX-License-Identifier: BSD-2-Clause */
#include "scsi/outcome.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/bsg.h>
#include <scsi/sg_lib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* SAM-5 status codes */
enum {
	GOOD = 0x00,
	CHECK = 0x02,
	BUSY = 0x08,
	CONFLICT = 0x18,
	TS_FULL = 0x28,
	TASK_ABORTED = 0x40
};

/* Until Linux 5.13 there were more of them. */
enum { DRIVER_TIMEOUT = 6, DRIVER_SENSE = 8 };

/* Linux include/scsi/scsi_status.h: name, and what it means for a READ. */
static const struct {
	const char *name;
	enum sgs_fault_class fault;
} host_table[] = {
	[0x00] = { "DID_OK", SGS_FAULT_NONE },
	[0x01] = { "DID_NO_CONNECT", SGS_FAULT_GONE },
	[0x02] = { "DID_BUS_BUSY", SGS_FAULT_BUSY },
	[0x03] = { "DID_TIME_OUT", SGS_FAULT_TIMEOUT },
	[0x04] = { "DID_BAD_TARGET", SGS_FAULT_GONE },
	[0x05] = { "DID_ABORT", SGS_FAULT_TRANSPORT },
	[0x06] = { "DID_PARITY", SGS_FAULT_TRANSPORT },
	[0x07] = { "DID_ERROR", SGS_FAULT_TRANSPORT },
	[0x08] = { "DID_RESET", SGS_FAULT_TRANSPORT },
	[0x09] = { "DID_BAD_INTR", SGS_FAULT_TRANSPORT },
	[0x0a] = { "DID_PASSTHROUGH", SGS_FAULT_TRANSPORT },
	[0x0b] = { "DID_SOFT_ERROR", SGS_FAULT_TRANSPORT },
	[0x0c] = { "DID_IMM_RETRY", SGS_FAULT_BUSY },
	[0x0d] = { "DID_REQUEUE", SGS_FAULT_BUSY },
	[0x0e] = { "DID_TRANSPORT_DISRUPTED", SGS_FAULT_TRANSPORT },
	[0x0f] = { "DID_TRANSPORT_FAILFAST", SGS_FAULT_TRANSPORT },
	[0x10] = { "DID_TARGET_FAILURE", SGS_FAULT_HARDWARE },
	[0x11] = { "DID_NEXUS_FAILURE", SGS_FAULT_RESERVATION },
	[0x12] = { "DID_ALLOC_FAILURE", SGS_FAULT_OTHER },
	[0x13] = { "DID_MEDIUM_ERROR", SGS_FAULT_MEDIUM },
	[0x14] = { "DID_TRANSPORT_MARGINAL", SGS_FAULT_TRANSPORT },
};

enum { HOST_STATUSES = sizeof host_table / sizeof *host_table };

enum sgs_fault_class sgs_fault_from_host(unsigned host_status)
{
	return host_status < HOST_STATUSES ? host_table[host_status].fault
					   : SGS_FAULT_TRANSPORT;
}

const char *sgs_host_status_name(unsigned host_status)
{
	return host_status < HOST_STATUSES ? host_table[host_status].name
					   : "unknown host status";
}

static enum sgs_fault_class fault_from_key(unsigned key, unsigned asc, unsigned ascq)
{
	switch (key) {
	case 0x1:
		return SGS_FAULT_RECOVERED;
	case 0x2:
		return SGS_FAULT_NOT_READY;
	case 0x3:
	case 0x8: /* blank check */
		return SGS_FAULT_MEDIUM;
	case 0x4:
		return SGS_FAULT_HARDWARE;
	case 0x5:
		return asc == 0x20 && ascq == 0 ? SGS_FAULT_INVALID_OP
						: SGS_FAULT_ILLEGAL_REQUEST;
	case 0x6:
		return SGS_FAULT_UNIT_ATTENTION;
	case 0x7:
		return SGS_FAULT_DATA_PROTECT;
	case 0xb:
		return SGS_FAULT_ABORTED;
	default:
		return SGS_FAULT_OTHER;
	}
}

enum sgs_fault_class sgs_fault_from_sense(const uint8_t *sense, size_t len)
{
	struct sg_scsi_sense_hdr h;

	if (!sg_scsi_normalize_sense(sense, (int)len, &h))
		return SGS_FAULT_OTHER;
	if (h.response_code == 0x71 || h.response_code == 0x73)
		return SGS_FAULT_DEFERRED;
	return fault_from_key(h.sense_key, h.asc, h.ascq);
}

static enum sgs_fault_class fault_from_status(unsigned status)
{
	switch (status) {
	case GOOD:
		return SGS_FAULT_NONE;
	case BUSY:
		return SGS_FAULT_BUSY;
	case TS_FULL:
		return SGS_FAULT_TASK_SET_FULL;
	case CONFLICT:
		return SGS_FAULT_RESERVATION;
	case TASK_ABORTED:
		return SGS_FAULT_ABORTED;
	default:
		return SGS_FAULT_OTHER;
	}
}

static bool is_good(enum sgs_fault_class fault)
{
	return fault == SGS_FAULT_NONE || fault == SGS_FAULT_RECOVERED;
}

/* DRIVER_SENSE is no error when there is sense. */
static enum sgs_fault_class fault_from_driver(
	const struct sgs_outcome *o, enum sgs_fault_class fault)
{
	unsigned driver = o->driver_status & 0xf;

	if (driver == DRIVER_TIMEOUT)
		return SGS_FAULT_TIMEOUT;
	return driver && !(driver == DRIVER_SENSE && o->sense_len) ? SGS_FAULT_TRANSPORT
								   : fault;
}

/* Sense says most, then the SCSI status, then the host adapter; but nothing
 * that the sense says can make a command good that the host adapter calls
 * failed. */
static enum sgs_fault_class fault_from_ending(const struct sgs_outcome *o)
{
	enum sgs_fault_class fault = SGS_FAULT_NONE;
	unsigned status = o->status & 0x7e;

	if (o->sense_len && (status == CHECK || (status == GOOD && (o->driver_status & 0xf) ==
									   DRIVER_SENSE)))
		fault = sgs_fault_from_sense(o->sense, o->sense_len);
	else if (status)
		fault = fault_from_status(status);
	if (o->host_status && is_good(fault))
		fault = sgs_fault_from_host(o->host_status);
	if (is_good(fault))
		fault = fault_from_driver(o, fault);
	return fault;
}

/* Judges out, whose statuses and sense are filled. */
static void judge(struct sgs_outcome *out, int resid, uint32_t requested)
{
	uint32_t missing = resid < 0 ? 0 : (uint32_t)resid;

	out->host_errno = 0;
	out->was_bytes = 0;
	out->fault = fault_from_ending(out);
	out->bytes = 0;
	if (out->fault == SGS_FAULT_NONE || out->fault == SGS_FAULT_RECOVERED) {
		out->bytes = missing < requested ? requested - missing : 0;
		if (out->bytes < requested)
			out->fault = SGS_FAULT_SHORT;
	}
}

static void take_sense(struct sgs_outcome *out, const uint8_t *sense, unsigned len)
{
	out->sense_len = (uint8_t)(len < SGS_SENSE_BYTES ? len : SGS_SENSE_BYTES);
	if (out->sense_len && sense != out->sense)
		memcpy(out->sense, sense, out->sense_len);
}

/* What does not fit is still no success. */
static uint8_t one_byte(uint32_t status)
{
	return status > UINT8_MAX ? UINT8_MAX : (uint8_t)status;
}

void sgs_outcome_from_sg(struct sgs_outcome *out, const struct sg_io_hdr *h, uint32_t requested)
{
	out->status = h->status;
	out->host_status = one_byte(h->host_status);
	out->driver_status = (uint8_t)h->driver_status;
	take_sense(out, h->sbp, h->sb_len_wr);
	judge(out, h->resid, requested);
}

void sgs_outcome_from_v4(struct sgs_outcome *out, const struct sg_io_v4 *h, uint32_t requested)
{
	out->status = (uint8_t)h->device_status;
	out->host_status = one_byte(h->transport_status);
	out->driver_status = (uint8_t)h->driver_status;
	take_sense(out, (const uint8_t *)(uintptr_t)h->response, h->response_len);
	judge(out, h->din_resid, requested);
}

static enum sgs_fault_class fault_from_errno(int errnum)
{
	switch (errnum) {
	case EIO:
	case ENODATA: /* the block layer's medium error */
	case EILSEQ:  /* and its protection error */
		return SGS_FAULT_MEDIUM;
	case EREMOTEIO:
		return SGS_FAULT_HARDWARE;
	case ENODEV:
	case ENXIO:
		return SGS_FAULT_GONE;
	case ETIMEDOUT:
		return SGS_FAULT_TIMEOUT;
	case ENOLINK:
		return SGS_FAULT_TRANSPORT;
	case ENOSPC: /* what the block layer makes of sense key 7 */
		return SGS_FAULT_DATA_PROTECT;
	case EBADE:
		return SGS_FAULT_RESERVATION;
	default:
		return SGS_FAULT_HOST;
	}
}

void sgs_outcome_from_errno(struct sgs_outcome *out, int negative_errno)
{
	out->bytes = 0;
	out->host_errno = -negative_errno;
	out->status = out->host_status = out->driver_status = 0;
	out->sense_len = 0;
	out->was_bytes = 0;
	out->fault = fault_from_errno(-negative_errno);
}

/* What arrived stays good. */
void sgs_outcome_from_shorter(struct sgs_outcome *out, uint64_t was_bytes, uint64_t is_bytes)
{
	uint32_t bytes = out->bytes;

	sgs_outcome_from_errno(out, -ENODEV);
	out->bytes = bytes;
	out->was_bytes = was_bytes;
	out->is_bytes = is_bytes;
}

void sgs_outcome_from_read(struct sgs_outcome *out, ssize_t n, uint32_t requested)
{
	if (n <= 0) {
		sgs_outcome_from_errno(out, n < 0 ? (int)n : -ENODEV);
		return;
	}
	out->bytes = (uint32_t)n < requested ? (uint32_t)n : requested;
	out->fault = out->bytes == requested ? SGS_FAULT_NONE : SGS_FAULT_SHORT;
	if (out->fault) {
		out->host_errno = 0;
		out->status = out->host_status = out->driver_status = 0;
		out->sense_len = 0;
	}
}

static const int exit_status[SGS_FAULTS] = {
	[SGS_FAULT_NONE] = SGS_OK,
	[SGS_FAULT_RECOVERED] = SGS_OK,
	[SGS_FAULT_MEDIUM] = SGS_MEDIUM_HARD,
	[SGS_FAULT_HARDWARE] = SGS_MEDIUM_HARD,
	[SGS_FAULT_TRANSPORT] = SGS_TRANSPORT,
	[SGS_FAULT_TIMEOUT] = SGS_TIMEOUT,
	[SGS_FAULT_ABORTED] = SGS_ABORTED,
	[SGS_FAULT_SHORT] = SGS_MEDIUM_HARD,
	[SGS_FAULT_UNIT_ATTENTION] = SGS_UNIT_ATTENTION,
	[SGS_FAULT_DEFERRED] = SGS_OTHER,
	[SGS_FAULT_NOT_READY] = SGS_NOT_READY,
	[SGS_FAULT_BUSY] = SGS_BUSY,
	[SGS_FAULT_TASK_SET_FULL] = SGS_TASK_SET_FULL,
	[SGS_FAULT_ILLEGAL_REQUEST] = SGS_ILLEGAL_REQUEST,
	[SGS_FAULT_INVALID_OP] = SGS_INVALID_OP,
	[SGS_FAULT_DATA_PROTECT] = SGS_DATA_PROTECT,
	[SGS_FAULT_RESERVATION] = SGS_RESERVATION,
	[SGS_FAULT_GONE] = SGS_TRANSPORT,
	[SGS_FAULT_HOST] = SGS_OTHER,
	[SGS_FAULT_OTHER] = SGS_OTHER,
};

int sgs_outcome_status(const struct sgs_outcome *out)
{
	if (out->host_errno && (out->fault == SGS_FAULT_HOST || out->fault == SGS_FAULT_GONE))
		return sgs_status_from_errno(out->host_errno);
	return exit_status[out->fault];
}

static bool has_sense(const struct sgs_outcome *out, unsigned key, unsigned asc)
{
	struct sg_scsi_sense_hdr h;

	return sg_scsi_normalize_sense(out->sense, out->sense_len, &h) && h.sense_key == key &&
	       h.asc == asc;
}

static unsigned qualifier(const struct sgs_outcome *out)
{
	struct sg_scsi_sense_hdr h;

	return sg_scsi_normalize_sense(out->sense, out->sense_len, &h) ? h.ascq : 0;
}

bool sgs_outcome_is_becoming_ready(const struct sgs_outcome *out)
{
	return out->fault == SGS_FAULT_NOT_READY && has_sense(out, 0x2, 0x04) &&
	       qualifier(out) == 0x01;
}

bool sgs_outcome_is_protection(const struct sgs_outcome *out)
{
	return out->fault == SGS_FAULT_ABORTED && has_sense(out, 0xb, 0x10);
}

bool sgs_outcome_is_capacity_change(const struct sgs_outcome *out)
{
	return out->fault == SGS_FAULT_UNIT_ATTENTION && has_sense(out, 0x6, 0x2a) &&
	       qualifier(out) == 0x09;
}

bool sgs_outcome_names_block(const struct sgs_outcome *out, uint64_t *lba)
{
	return out->fault == SGS_FAULT_MEDIUM &&
	       sg_get_sense_info_fld(out->sense, out->sense_len, lba);
}

/* What can be done about a drive that is not ready, where anything can. */
static const char *ready_remedy(const struct sgs_outcome *out)
{
	if (out->fault != SGS_FAULT_NOT_READY)
		return "";
	if (has_sense(out, 0x2, 0x3a))
		return "; insert a medium";
	if (!has_sense(out, 0x2, 0x04))
		return "";
	switch (qualifier(out)) {
	case 0x01:
		return "; --ready-timeout waits longer";
	case 0x02:
		return "; start it with sg_start --start";
	case 0x0b:
		return "; this path is in standby: read by the other one";
	case 0x0c:
		return "; this path is unavailable: read by the other one";
	default:
		return "";
	}
}

static void describe_sense(const struct sgs_outcome *out, char *buf, size_t cap)
{
	struct sg_scsi_sense_hdr h;
	char key[64], additional[128];
	uint64_t info;
	int n;

	if (!sg_scsi_normalize_sense(out->sense, out->sense_len, &h)) {
		snprintf(buf, cap, "sense data that cannot be decoded");
		return;
	}
	sg_get_sense_key_str(h.sense_key, sizeof key, key);
	sg_get_asc_ascq_str(h.asc, h.ascq, sizeof additional, additional);
	n = snprintf(buf, cap, "%s%s, %s (%x/%02x/%02x)%s",
		out->fault == SGS_FAULT_DEFERRED ? "deferred from an earlier command: " : "",
		key,
		!strncmp(additional, "Additional sense: ", 18) ? additional + 18 : additional,
		h.sense_key, h.asc, h.ascq, ready_remedy(out));
	if (n > 0 && (size_t)n < cap && sgs_outcome_names_block(out, &info))
		snprintf(buf + n, cap - (size_t)n, ", the drive names block %llu",
			(unsigned long long)info);
}

static void describe_status(const struct sgs_outcome *out, char *buf, size_t cap)
{
	char status[64];

	sg_get_scsi_status_str(out->status, sizeof status, status);
	snprintf(buf, cap,
		"SCSI status %s (%02xh), host status %s (%02xh), driver status %02xh", status,
		out->status, sgs_host_status_name(out->host_status), out->host_status,
		out->driver_status);
}

/* What the block layer makes of a drive's answer: the sense data stays with it. */
static const char *block_error(int errnum)
{
	switch (errnum) {
	case ENODEV:
	case ENXIO:
		return "the device has gone";
	case ENODATA:
		return "medium error";
	case EIO:
		return "input/output error, and the kernel log may say more";
	case EREMOTEIO:
		return "the drive failed the command";
	case EILSEQ:
		return "the protection information does not match";
	default:
		return NULL;
	}
}

static void describe_errno(int errnum, char *buf, size_t cap)
{
	const char *known = block_error(errnum), *name = strerrorname_np(errnum);
	const char *text = strerrordesc_np(errnum);

	if (known)
		snprintf(buf, cap, "%s (%s)", known, name);
	else
		snprintf(buf, cap, "%s (errno %d)", text ? text : "an unknown error", errnum);
}

static void describe_timeout(const struct sgs_outcome *out, char *buf, size_t cap)
{
	snprintf(buf, cap,
		"it was not answered in time (host status %s, %02xh, driver status %02xh); "
		"--timeout gives it longer",
		sgs_host_status_name(out->host_status), out->host_status, out->driver_status);
}

char *sgs_outcome_describe(const struct sgs_outcome *out, char *buf, size_t cap)
{
	size_t n;

	if (out->fault == SGS_FAULT_GONE && out->was_bytes)
		snprintf(buf, cap,
			"the file became shorter while it was read: it has %" PRIu64
			" bytes now, not %" PRIu64,
			out->is_bytes, out->was_bytes);
	else if (out->host_errno)
		describe_errno(out->host_errno, buf, cap);
	else if (out->fault == SGS_FAULT_SHORT)
		snprintf(buf, cap, "only %u bytes arrived, though the %s", out->bytes,
			out->sense_len ? "error was recovered" : "status was good");
	else if (out->fault == SGS_FAULT_TIMEOUT)
		describe_timeout(out, buf, cap);
	else if (out->sense_len) {
		describe_sense(out, buf, cap);
		n = strlen(buf);
		if (out->host_status && n < cap)
			snprintf(buf + n, cap - n, ", host status %s",
				sgs_host_status_name(out->host_status));
	} else
		describe_status(out, buf, cap);
	return buf;
}
