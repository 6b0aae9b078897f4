/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A drive that answers anything to anything: how a device is looked at, from INQUIRY to READ
 * CAPACITY, over the table of tests/unit/fake_sg.h. Each answer takes from the input its kind,
 * its sense and its data.
 */
#include <sgstream/device.h>

#include "fake_sg.h"
#include "fuzz.h"

static struct input in;

static int answer(struct fake_io *io, void *arg)
{
	const uint8_t *bytes;
	uint8_t kind = take_byte(&in);

	(void)arg;
	must(io->cdb[0] == 0x12 || io->cdb[0] == 0x25 || io->cdb[0] == 0x9e ||
		io->cdb[0] == 0x00);
	if (kind == 0xff)
		return take_byte(&in) % 100;
	if (kind & 1) {
		io->sense_len = take_bytes(&in, &bytes, take_byte(&in) % 32);
		memcpy(io->sense, bytes, io->sense_len);
		io->status = 2;
		io->driver_status = 8;
	}
	if (kind & 2)
		io->status = take_byte(&in);
	if (kind & 4)
		io->host_status = take_byte(&in);
	if (kind & 8)
		io->resid = (int8_t)take_byte(&in);
	io->data_len = take_bytes(&in, &bytes, take_byte(&in));
	io->data = bytes;
	return 0;
}

static void check(const struct sgs_device *d)
{
	uint64_t bytes;

	must(d->block_bytes && d->blocks);
	must(!__builtin_mul_overflow(d->blocks, d->block_bytes, &bytes));
	check_string(d->identity.vendor, sizeof d->identity.vendor);
	check_string(d->identity.product, sizeof d->identity.product);
	check_string(d->identity.serial, sizeof d->identity.serial);
	check_string(d->identity.lu_name, sizeof d->identity.lu_name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sgs_device device;
	struct sgs_error err = { 0 };
	int status;

	in = (struct input){ data, size };
	fake_reset(NULL);
	fake_sg("/dev/sg0", 0);
	fake_set_answer(answer, NULL);
	status = sgs_device_open("/dev/sg0", &device, &err);
	check_error(status, &err);
	if (!status)
		check(&device);
	must(fake_open_count() == 0);
	return 0;
}
