/* SPDX-License-Identifier: BSD-2-Clause */
#include "scsi/identity.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <scsi/sg_lib.h>
#include <scsi/sg_pt.h>

#include "scsi/outcome.h"
#include "sys/scsi.h"
#include "util/text.h"

#define ATTEMPTS	6 /* the first, and five more for unit attention and aborted command */
#define MOST_SECONDS	30
#define MAX_BLOCK_BYTES (16u << 20)
#define INQUIRY_BYTES	36
#define FIRST_VPD_BYTES 252 /* what a device that knows one length byte only can take */
#define MAX_VPD_BYTES	2048
#define VPD_SERIAL	0x80
#define VPD_DEVICE_ID	0x83
#define VERSION_SPC	3 /* older devices are known to hang when asked for a VPD page */
#define HOST_TIME_OUT	3 /* DID_TIME_OUT */
#define SENSE_BYTES	64

static int patience = MOST_SECONDS; /* atomic */

void sgs_identity_patience(uint64_t ns)
{
	uint64_t seconds = ns / 1000000000u + (ns % 1000000000u != 0);

	__atomic_store_n(&patience,
		seconds > 0 && seconds < MOST_SECONDS ? (int)seconds : MOST_SECONDS,
		__ATOMIC_RELAXED);
}

static int command_seconds(void)
{
	return __atomic_load_n(&patience, __ATOMIC_RELAXED);
}

/* ---- answers ---- */

/* sg_unaligned.h has this, but shifts an int beyond its range. */
static uint64_t big_endian(const uint8_t *data, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++)
		value = value << 8 | data[i];
	return value;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void copy_field(
	char *dst, size_t cap, const uint8_t *data, size_t len, size_t first, size_t size)
{
	if (len > first)
		sgs_copy_printable(dst, cap, data + first, smaller(size, len - first));
}

void sgs_parse_inquiry(const uint8_t *data, size_t len, struct sgs_identity *id)
{
	memset(id, 0, sizeof(*id));
	id->pdt = -1;
	if (len < 1)
		return;
	id->valid = true;
	id->pdt = data[0] & 0x1f;
	if (len > 1)
		id->removable = data[1] & 0x80;
	if (len > 2)
		id->version = data[2];
	/* Some devices give the 36 bytes that all others do, and an additional length of less.
	 */
	if (len > INQUIRY_BYTES)
		len = smaller(len,
			(size_t)data[4] + 5 < INQUIRY_BYTES ? INQUIRY_BYTES : data[4] + 5u);
	copy_field(id->vendor, sizeof(id->vendor), data, len, 8, 8);
	copy_field(id->product, sizeof(id->product), data, len, 16, 16);
	copy_field(id->revision, sizeof(id->revision), data, len, 32, 4);
}

/* Bytes of a VPD page that are there, header included; 0 when it is another page. */
static size_t vpd_length(const uint8_t *data, size_t len, uint8_t page)
{
	if (len < 4 || data[1] != page)
		return 0;
	return smaller(len, big_endian(data + 2, 2) + 4u);
}

void sgs_parse_vpd_serial(const uint8_t *data, size_t len, struct sgs_identity *id)
{
	len = vpd_length(data, len, VPD_SERIAL);
	if (len > 4)
		sgs_copy_printable(id->serial, sizeof(id->serial), data + 4, len - 4);
}

/* Designator types of SPC-5 7.7.6, best first. */
static const struct designator_type {
	int type;
	const char *prefix;
} designator_types[] = {
	{ 3, "naa." },
	{ 2, "eui." },
	{ 10, "uuid." },
	{ 1, "t10." },
	{ 8, "name." },
};

#define DESIGNATOR_TYPES (sizeof(designator_types) / sizeof(designator_types[0]))

static void append_hex(char *dst, size_t cap, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len && cap > 2; i++, dst += 2, cap -= 2)
		snprintf(dst, cap, "%02x", data[i]);
}

/* Returns whether the designator has a value that can be shown. */
static bool format_designator(
	const uint8_t *designator, const struct designator_type *type, char *dst, size_t cap)
{
	size_t used = (size_t)snprintf(dst, cap, "%s", type->prefix);
	const uint8_t *value = designator + 4;
	size_t len = designator[3];
	bool binary = (designator[0] & 0x0f) == 1;

	if (type->type == 10 && len > 2) { /* the UUID stands behind two bytes of its own */
		value += 2;
		len -= 2;
	}
	if (binary)
		append_hex(dst + used, cap - used, value, len);
	else
		sgs_copy_printable(dst + used, cap - used, value, len);
	return dst[used] != '\0';
}

static size_t designator_rank(const uint8_t *designator)
{
	size_t rank = 0;

	if ((designator[1] >> 4 & 3) != 0) /* of a port or a target, not of the logical unit */
		return DESIGNATOR_TYPES;
	while (rank < DESIGNATOR_TYPES && designator_types[rank].type != (designator[1] & 0x0f))
		rank++;
	return rank;
}

void sgs_parse_vpd_device_id(const uint8_t *data, size_t len, struct sgs_identity *id)
{
	size_t best = DESIGNATOR_TYPES, at = 4;
	char name[sizeof(id->lu_name)];

	len = vpd_length(data, len, VPD_DEVICE_ID);
	while (at + 4 <= len && at + 4 + data[at + 3] <= len) {
		const uint8_t *designator = data + at;
		size_t rank = designator_rank(designator);

		at += 4u + designator[3];
		if (rank >= best)
			continue;
		if (!format_designator(designator, &designator_types[rank], name, sizeof(name)))
			continue;
		best = rank;
		memcpy(id->lu_name, name, sizeof(name));
	}
}

static int check_capacity(struct sgs_capacity *cap)
{
	if (cap->block_bytes == 0 || cap->block_bytes > MAX_BLOCK_BYTES)
		return -EBADMSG;
	if (cap->blocks == 0 || cap->blocks > INT64_MAX / cap->block_bytes)
		return -EBADMSG;
	return 0;
}

int sgs_parse_capacity10(const uint8_t *data, size_t len, struct sgs_capacity *cap)
{
	uint32_t last;
	int err;

	memset(cap, 0, sizeof(*cap));
	if (len < 8)
		return -EBADMSG;
	last = (uint32_t)big_endian(data, 4);
	cap->blocks = last + UINT64_C(1);
	cap->block_bytes = (uint32_t)big_endian(data + 4, 4);
	cap->physical_block_bytes = cap->block_bytes;
	err = check_capacity(cap);
	if (err)
		return err;
	return last == UINT32_MAX ? 1 : 0;
}

int sgs_parse_capacity16(const uint8_t *data, size_t len, struct sgs_capacity *cap)
{
	int err;

	memset(cap, 0, sizeof(*cap));
	if (len < 12)
		return -EBADMSG;
	cap->blocks = big_endian(data, 8) + 1;
	cap->block_bytes = (uint32_t)big_endian(data + 8, 4);
	cap->physical_block_bytes = cap->block_bytes;
	err = check_capacity(cap);
	if (err || len < 14)
		return err;
	if ((data[12] & 1) && (data[12] >> 1 & 7) < 3)
		cap->protection_type = (data[12] >> 1 & 7) + 1;
	if ((uint64_t)cap->block_bytes << (data[13] & 0x0f) <= UINT32_MAX)
		cap->physical_block_bytes = cap->block_bytes << (data[13] & 0x0f);
	return 0;
}

/* ---- questions ---- */

/* How one command ended. */
struct outcome {
	int status;   /* enum sgs_status */
	size_t got;   /* bytes that came */
	int os_error; /* errno, when the system call failed */
	int host_status, scsi_status;
	int sense_len;
	uint8_t sense[SENSE_BYTES];
};

static bool has_sense(const struct outcome *out)
{
	return out->sense_len >= 3 && (out->sense[0] & 0x7c) == 0x70;
}

static int status_of_sense(const struct outcome *out)
{
	int category = sg_err_category_sense(out->sense, out->sense_len);

	switch (category) {
	case SG_LIB_CAT_NO_SENSE:
	case SG_LIB_CAT_RECOVERED:
		return SGS_OK;
	case SG_LIB_CAT_MEDIUM_HARD_WITH_INFO:
		return SGS_MEDIUM_HARD;
	case SG_LIB_CAT_NOT_READY:
	case SG_LIB_CAT_MEDIUM_HARD:
	case SG_LIB_CAT_ILLEGAL_REQ:
	case SG_LIB_CAT_UNIT_ATTENTION:
	case SG_LIB_CAT_DATA_PROTECT:
	case SG_LIB_CAT_INVALID_OP:
	case SG_LIB_CAT_ABORTED_COMMAND:
		return category;
	default:
		return SGS_OTHER;
	}
}

static int status_of_scsi_status(int scsi_status)
{
	switch (scsi_status) {
	case SAM_STAT_BUSY:
		return SGS_BUSY;
	case SAM_STAT_RESERVATION_CONFLICT:
		return SGS_RESERVATION;
	case SAM_STAT_TASK_SET_FULL:
		return SGS_TASK_SET_FULL;
	default:
		return SGS_OTHER;
	}
}

/* Sense comes first: some host adapters report a check condition as a host error with sense. */
static int judge(const struct sg_pt_base *pt, const struct outcome *out)
{
	int category = get_scsi_pt_result_category(pt);

	if (out->os_error)
		return sgs_status_from_errno(out->os_error);
	if (has_sense(out))
		return status_of_sense(out);
	if (category == SCSI_PT_RESULT_GOOD)
		return SGS_OK;
	if (category == SCSI_PT_RESULT_STATUS)
		return status_of_scsi_status(out->scsi_status);
	return out->host_status == HOST_TIME_OUT ? SGS_TIMEOUT : SGS_TRANSPORT;
}

static void ask_once(struct sg_pt_base *pt, const uint8_t *cdb, int cdb_len, uint8_t *buf,
	int len, struct outcome *out)
{
	int ret, resid;

	memset(out, 0, sizeof(*out));
	memset(buf, 0, (size_t)len);
	clear_scsi_pt_obj(pt); /* keeps the descriptor */
	set_scsi_pt_cdb(pt, cdb, cdb_len);
	set_scsi_pt_sense(pt, out->sense, SENSE_BYTES);
	set_scsi_pt_data_in(pt, buf, len);
	ret = sgs_sys_only_reads(cdb, (size_t)cdb_len)
		      ? do_scsi_pt(pt, -1, command_seconds(), 0)
		      : -EPERM;
	out->os_error = ret < 0 ? -ret : get_scsi_pt_os_err(pt);
	if (ret > 0 && !out->os_error)
		out->os_error = EINVAL;
	out->host_status = get_scsi_pt_transport_err(pt);
	out->scsi_status = get_scsi_pt_status_response(pt);
	out->sense_len = get_scsi_pt_sense_len(pt);
	out->status = judge(pt, out);
	resid = get_scsi_pt_resid(pt);
	if (out->status == SGS_OK && resid <= len)
		out->got = (size_t)(len - (resid > 0 ? resid : 0));
}

static void ask(struct sg_pt_base *pt, const uint8_t *cdb, int cdb_len, uint8_t *buf, int len,
	unsigned *unit_attentions, struct outcome *out)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		ask_once(pt, cdb, cdb_len, buf, len, out);
		if (out->status == SGS_UNIT_ATTENTION)
			(*unit_attentions)++;
		else if (out->status != SGS_ABORTED)
			return;
	}
}

static const char *remedy_when_not_ready(const struct sg_scsi_sense_hdr *hdr)
{
	if (hdr->asc == 0x3a)
		return "insert a medium";
	if (hdr->asc == 0x04 && hdr->ascq == 0x02)
		return "start it with sg_start --start";
	return "wait until it is ready, then try again";
}

static const char *code_when_not_ready(const struct sg_scsi_sense_hdr *hdr)
{
	if (hdr->asc == 0x3a)
		return "no_medium";
	return hdr->asc == 0x04 && hdr->ascq == 0x01 ? "becoming_ready" : "not_ready";
}

static int fail_on_sense(struct sgs_error *err, const char *command, const struct outcome *out)
{
	struct sg_scsi_sense_hdr hdr = { 0 };
	char text[120];

	sg_scsi_normalize_sense(out->sense, out->sense_len, &hdr);
	sg_get_asc_ascq_str(hdr.asc, hdr.ascq, sizeof(text), text);
	if (out->status == SGS_NOT_READY)
		return sgs_fail(err, out->status, code_when_not_ready(&hdr),
			"the device is not ready (%s, sense %x/%02x/%02x); %s", text,
			hdr.sense_key, hdr.asc, hdr.ascq, remedy_when_not_ready(&hdr));
	return sgs_fail(err, out->status, "device_error",
		"%s ended with sense %x/%02x/%02x (%s); see the kernel's messages (dmesg) and "
		"the "
		"drive's own log",
		command, hdr.sense_key, hdr.asc, hdr.ascq, text);
}

static int fail_on_system(struct sgs_error *err, const char *command, const struct outcome *out)
{
	const char *reason = strerrordesc_np(out->os_error);

	if (out->os_error == EPERM || out->os_error == EACCES)
		return sgs_fail(err, out->status, "not_permitted",
			"the kernel does not permit %s on this node (%s); run as root", command,
			reason);
	if (out->os_error == ENODEV || out->os_error == ENXIO)
		return sgs_fail(err, SGS_FILE, "device_gone",
			"the device has left or is offline (%s at %s); look for it with "
			"sgstream "
			"list",
			reason, command);
	return sgs_fail(err, out->status, "host_error",
		"%s could not be sent: %s; is this a SCSI device?", command, reason);
}

static int fail_on(struct sgs_error *err, const char *command, const struct outcome *out)
{
	if (out->os_error)
		return fail_on_system(err, command, out);
	if (has_sense(out))
		return fail_on_sense(err, command, out);
	if (out->status == SGS_TIMEOUT)
		return sgs_fail(err, out->status, "timeout",
			"%s was not answered within %d s; see whether the drive hangs (dmesg)",
			command, command_seconds());
	if (out->status == SGS_TRANSPORT)
		return sgs_fail(err, out->status, "transport",
			"%s failed on the way to the drive (host status %02xh, %s); check "
			"cable, "
			"power and the host adapter's messages (dmesg)",
			command, out->host_status,
			sgs_host_status_name((unsigned)out->host_status));
	return sgs_fail(err, out->status, "scsi_status",
		"%s was answered with SCSI status %02xh; see who else uses the drive, then try "
		"again",
		command, out->scsi_status);
}

/* Returns the bytes of the page that came, 0 when the device has none. */
static size_t ask_vpd(struct sg_pt_base *pt, uint8_t page, uint8_t *buf, size_t cap)
{
	uint8_t cdb[6] = { 0x12, 1, page };
	size_t want = FIRST_VPD_BYTES;
	unsigned unit_attentions = 0;
	struct outcome out;

	for (;;) {
		size_t whole;

		cdb[3] = (uint8_t)(want >> 8);
		cdb[4] = (uint8_t)want;
		ask(pt, cdb, sizeof(cdb), buf, (int)want, &unit_attentions, &out);
		if (out.status || out.got < 4)
			return 0;
		whole = smaller(big_endian(buf + 2, 2) + 4u, cap);
		if (whole <= want)
			return out.got;
		want = whole;
	}
}

static int ask_identity(struct sg_pt_base *pt, struct sgs_identity *id, struct sgs_error *err)
{
	const uint8_t inquiry[6] = { 0x12, 0, 0, 0, INQUIRY_BYTES };
	uint8_t buf[MAX_VPD_BYTES];
	unsigned unit_attentions = 0;
	struct outcome out;

	ask(pt, inquiry, sizeof(inquiry), buf, INQUIRY_BYTES, &unit_attentions, &out);
	if (out.status)
		return fail_on(err, "INQUIRY", &out);
	if (out.got == 0)
		return sgs_fail(err, SGS_MALFORMED, "malformed_answer",
			"INQUIRY was answered with no data; is this a SCSI device?");
	sgs_parse_inquiry(buf, out.got, id);
	if (id->version < VERSION_SPC)
		return 0;
	sgs_parse_vpd_serial(buf, ask_vpd(pt, VPD_SERIAL, buf, sizeof(buf)), id);
	sgs_parse_vpd_device_id(buf, ask_vpd(pt, VPD_DEVICE_ID, buf, sizeof(buf)), id);
	return 0;
}

static int no_memory(struct sgs_error *err)
{
	return sgs_fail(err, sgs_status_from_errno(ENOMEM), "no_memory",
		"no memory for a SCSI command; free some and try again");
}

int sgs_read_identity(int fd, struct sgs_identity *id, struct sgs_error *err)
{
	struct sg_pt_base *pt = construct_scsi_pt_obj_with_fd(fd, 0);
	int status;

	memset(id, 0, sizeof(*id));
	id->pdt = -1;
	if (!pt)
		return no_memory(err);
	status = ask_identity(pt, id, err);
	destruct_scsi_pt_obj(pt);
	return status;
}

static int malformed(struct sgs_error *err, const char *command, const struct outcome *out)
{
	return sgs_fail(err, SGS_MALFORMED, "malformed_answer",
		"%s was answered with %zu bytes that make no sense: no blocks, a block length "
		"of "
		"0 or above 16 MiB, or more than 8 EiB in all; is the drive formatted?",
		command, out->got);
}

/* Status of the command, or of what it answered; *more when READ CAPACITY(16) has to be asked.
 */
static int ask_capacity10(struct sg_pt_base *pt, struct sgs_capacity *cap,
	unsigned *unit_attentions, bool *more, struct sgs_error *err)
{
	const uint8_t cdb[10] = { 0x25 };
	struct outcome out;
	uint8_t buf[8];
	int ret;

	*more = false;
	ask(pt, cdb, sizeof(cdb), buf, sizeof(buf), unit_attentions, &out);
	if (out.status)
		return fail_on(err, "READ CAPACITY(10)", &out);
	ret = sgs_parse_capacity10(buf, out.got, cap);
	*more = ret > 0;
	return ret < 0 ? malformed(err, "READ CAPACITY(10)", &out) : 0;
}

static int ask_capacity16(struct sg_pt_base *pt, struct sgs_capacity *cap,
	unsigned *unit_attentions, struct sgs_error *err)
{
	uint8_t buf[32];
	const uint8_t cdb[16] = { 0x9e, 0x10, [13] = sizeof(buf) };
	struct outcome out;

	ask(pt, cdb, sizeof(cdb), buf, sizeof(buf), unit_attentions, &out);
	if (out.status)
		return fail_on(err, "READ CAPACITY(16)", &out);
	if (sgs_parse_capacity16(buf, out.got, cap) < 0)
		return malformed(err, "READ CAPACITY(16)", &out);
	return 0;
}

/* Where they differ the older command is believed: bridges are known to garble the newer. */
static bool same_size(const struct sgs_capacity *a, const struct sgs_capacity *b)
{
	return a->blocks == b->blocks && a->block_bytes == b->block_bytes;
}

/* The device, or its host adapter, does not know the command: asking again cannot help. */
static bool is_refused(int status)
{
	return status == SGS_INVALID_OP || status == SGS_ILLEGAL_REQUEST ||
	       status == SGS_TRANSPORT;
}

static int pass_on(struct sgs_error *err, const struct sgs_error *from)
{
	return sgs_fail(err, from->status, from->code, "%s", from->text);
}

static int ask_capacity(struct sg_pt_base *pt, struct sgs_capacity *cap,
	unsigned *unit_attentions, struct sgs_error *err)
{
	struct sgs_capacity longer;
	struct sgs_error err10, err16;
	bool more;
	int status16, status10 = ask_capacity10(pt, cap, unit_attentions, &more, &err10);

	if (status10 && !is_refused(status10) && status10 != SGS_MALFORMED)
		return pass_on(err, &err10);
	status16 = ask_capacity16(pt, &longer, unit_attentions, &err16);
	if (!status16 && (status10 || more || same_size(cap, &longer))) {
		*cap = longer;
		return 0;
	}
	if (status10)
		return pass_on(err, status10 == SGS_INVALID_OP ? &err16 : &err10);
	if (more && !is_refused(status16))
		return pass_on(err, &err16);
	/* Without READ CAPACITY(16), what READ CAPACITY(10) said: 2^32 blocks at the most. */
	return 0;
}

int sgs_read_capacity(
	int fd, struct sgs_capacity *cap, unsigned *unit_attentions, struct sgs_error *err)
{
	struct sg_pt_base *pt = construct_scsi_pt_obj_with_fd(fd, 0);
	int status;

	memset(cap, 0, sizeof(*cap));
	if (!pt)
		return no_memory(err);
	status = ask_capacity(pt, cap, unit_attentions, err);
	destruct_scsi_pt_obj(pt);
	return status;
}
