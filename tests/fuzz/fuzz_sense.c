/* SPDX-License-Identifier: BSD-2-Clause */
/* How a command ended, as any adapter and drive may have it: statuses, residual, sense data. */
#include <linux/bsg.h>
#include <scsi/sg.h>

#include "run/policy.h"
#include "run/split.h"
#include "scsi/outcome.h"

#include "fuzz.h"

static void check(const struct sgs_outcome *out, uint32_t requested, bool clean)
{
	char text[320];
	uint64_t lba;

	must(out->bytes <= requested);
	must((unsigned)out->fault < SGS_FAULTS);
	must(out->sense_len <= SGS_SENSE_BYTES);
	if (out->fault == SGS_FAULT_NONE)
		must(clean && out->bytes == requested);
	if (out->fault != SGS_FAULT_NONE && out->fault != SGS_FAULT_RECOVERED)
		must(sgs_outcome_status(out) > 0);
	must(sgs_outcome_describe(out, text, sizeof text) == text && text[0]);
	check_shown(text);
	sgs_outcome_names_block(out, &lba);
}

/* The policy ends with any outcome, in a bounded number of tries. */
static void check_policy(const struct sgs_outcome *out)
{
	const struct sgs_rules rules = {
		.retries = 5, .busy_ns = 1000000000, .ready_ns = 1000000000, .skip = true
	};
	struct sgs_tried tried = { 0 };
	uint64_t wait;
	unsigned n = 0;

	while (sgs_policy(out, &rules, &tried, &wait) == SGS_RETRY)
		must(++n < 200);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint8_t sense[SGS_SENSE_BYTES] = { 0 };
	struct sgs_outcome out = { 0 };
	const uint8_t *bytes;
	struct sg_io_hdr h = { 0 };
	struct sg_io_v4 v4 = { 0 };
	uint32_t requested = 512;
	bool clean;

	h.status = take_byte(&in);
	h.host_status = (unsigned short)(take_byte(&in) | take_byte(&in) << 8);
	h.driver_status = take_byte(&in);
	h.resid = (int)(take_byte(&in) | (unsigned)take_byte(&in) << 8 |
			(unsigned)take_byte(&in) << 24);
	h.sb_len_wr = (unsigned char)take_bytes(&in, &bytes, sizeof sense);
	memcpy(sense, bytes, h.sb_len_wr);
	h.sbp = sense;
	clean = !(h.status & 0x7e) && !h.host_status && h.resid <= 0;
	sgs_outcome_from_sg(&out, &h, requested);
	check(&out, requested, clean);
	check_policy(&out);
	v4.device_status = h.status;
	v4.transport_status = h.host_status;
	v4.driver_status = h.driver_status;
	v4.din_resid = h.resid;
	v4.response = (uintptr_t)sense;
	v4.response_len = h.sb_len_wr;
	sgs_outcome_from_v4(&out, &v4, requested);
	check(&out, requested, clean);
	return 0;
}
