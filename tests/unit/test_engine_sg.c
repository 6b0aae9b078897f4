/* SPDX-License-Identifier: BSD-2-Clause */
/* The engines that send SCSI commands, over a drive that exists in a table only. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bsg.h>
#include <poll.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "sys/sysfs.h"

#include "fake_sg.h"

#define KIB 1024u
#define MIB (1024u * KIB)

/* include/scsi/sg.h of Linux */
enum { DIRECT = 1, MAPPED = 4, AT_TAIL = 0x10 };

/* ---- what the engines do is recorded ---- */

struct seen {
	const struct fake_node *node;
	unsigned long request;
	union {
		struct sg_io_hdr v3;
		struct sg_io_v4 v4;
		int value;
	} arg;
	uint8_t cdb[32];
	size_t cdb_len;
};

enum { MOST = 512 };

static struct seen seen[MOST];
static size_t n_seen;
static int map_error;	 /* errno of the next mappings of a descriptor */
static int memory_error; /* of the next anonymous ones of bs_bytes and more */
static unsigned n_maps;

static void copy_cdb(struct seen *s, const void *cdb, size_t len)
{
	s->cdb_len = len;
	memcpy(s->cdb, cdb, len < sizeof(s->cdb) ? len : sizeof(s->cdb));
}

static void watch(
	const struct fake_node *node, unsigned long request, const void *arg, void *watch_arg)
{
	struct seen *s = &seen[n_seen < MOST - 1 ? n_seen++ : n_seen];

	(void)watch_arg;
	*s = (struct seen){ .node = node, .request = request };
	if (request != SG_IO) {
		s->arg.value = *(const int *)arg;
	} else if (*(const int *)arg == 'S') {
		s->arg.v3 = *(const struct sg_io_hdr *)arg;
		copy_cdb(s, s->arg.v3.cmdp, s->arg.v3.cmd_len);
	} else {
		s->arg.v4 = *(const struct sg_io_v4 *)arg;
		copy_cdb(s, (const void *)(uintptr_t)s->arg.v4.request, s->arg.v4.request_len);
	}
}

static struct sgs_device device;
static struct sgs_lane_config config;

void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	int error = fd >= 0 ? map_error : len >= config.bs_bytes ? memory_error : 0;

	n_maps++;
	if (error && config.bs_bytes) {
		errno = error;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, offset);
}

/* ---- the drive ---- */

static struct fake_node *sg_node, *block_node, *bsg_node;
static struct fake_disk disk;
static const struct sgs_engine *engine;
static struct sgs_lane *lane;
static struct sgs_error err;

static int new_drive(void **state)
{
	fake_reset(state);
	sg_node = fake_sg("/dev/sg3", 3);
	block_node = fake_node("/dev/sdc", S_IFBLK | 0660, 8, 32);
	block_node->content = "";
	bsg_node = fake_node("/dev/bsg/2:0:0:0", S_IFCHR | 0660, 250, 2);
	sg_node->reserve_max = MIB;
	fake_set_watch(watch, NULL);
	n_seen = 0;
	n_maps = 0;
	map_error = memory_error = 0;
	lane = NULL;
	memset(&err, 0, sizeof(err));
	disk = (struct fake_disk){ .block_bytes = 512, .blocks = 1ULL << 40 };
	device = (struct sgs_device){
		.path = "/dev/sg3",
		.sg_path = "/dev/sg3",
		.block_path = "/dev/sdc",
		.bsg_path = "/dev/bsg/2:0:0:0",
		.node = SGS_NODE_SG,
		.is_scsi = true,
		.block_bytes = 512,
		.blocks = disk.blocks,
		.limits.sg_tablesize = 128,
	};
	config = (struct sgs_lane_config){
		.device = &device,
		.bs_bytes = 64 * KIB,
		.timeout_ms = 1234,
		.slots = 1,
	};
	return 0;
}

static void use_block_length(uint32_t block_bytes, uint32_t bs_blocks)
{
	disk.block_bytes = device.block_bytes = block_bytes;
	config.bs_bytes = bs_blocks * block_bytes;
}

static int try_open(const char *name)
{
	engine = sgs_engine_find(name);
	assert_non_null(engine);
	return engine->open(&config, &lane, &err);
}

static void open_over_disk(const char *name)
{
	fake_set_answer(fake_disk_answer, &disk);
	if (try_open(name))
		fail_msg("%s: %s", name, err.text);
	assert_non_null(lane);
	assert_non_null(lane->slots[0]);
}

static void close_lane(void)
{
	engine->close(lane);
	lane = NULL;
	fake_check();
}

static struct sgs_slot *read_at(uint64_t lba, uint32_t blocks)
{
	struct sgs_slot *slot = lane->slots[0];

	slot->extent = (struct sgs_extent){ .lba = lba, .blocks = blocks };
	memset(&slot->outcome.bytes, 0xa5, sizeof(slot->outcome.bytes));
	assert_int_equal(engine->submit(lane, slot), SGS_DONE);
	return slot;
}

static const struct seen *last(void)
{
	assert_true(n_seen > 0);
	return &seen[n_seen - 1];
}

static void assert_error(int status, const char *code, const char *const *parts)
{
	assert_int_equal(err.status, status);
	assert_string_equal(err.code, code);
	for (; *parts; parts++)
		if (!strstr(err.text, *parts))
			fail_msg("'%s' does not say '%s'", err.text, *parts);
}

#define ASSERT_ERROR(status, code, ...) \
	assert_error(status, code, (const char *const[]){ __VA_ARGS__, NULL })

static const char *const all[] = { "sg-mmap", "sg-dio", "sg-copy", "sgio", "bsg" };

enum { ALL = sizeof(all) / sizeof(all[0]) };

/* ---- headers ---- */

static void assert_v3(const struct sg_io_hdr *h, unsigned flags, unsigned len)
{
	assert_int_equal(h->interface_id, 'S');
	assert_int_equal(h->dxfer_direction, SG_DXFER_FROM_DEV);
	assert_int_equal(h->iovec_count, 0);
	assert_int_equal(h->dxfer_len, len);
	assert_int_equal(h->timeout, 1234);
	assert_int_equal(h->flags, flags);
	assert_non_null(h->sbp);
	assert_in_range(h->mx_sb_len, 18, SGS_SENSE_BYTES);
}

/* The mapped buffer is meant by no address at all. */
static void sg_mmap_header(void **state)
{
	(void)state;

	open_over_disk("sg-mmap");
	read_at(0x1000, 128);
	assert_v3(&last()->arg.v3, MAPPED | AT_TAIL, 65536);
	assert_null(last()->arg.v3.dxferp);
	close_lane();
}

static void assert_own_buffer(const void *address)
{
	assert_non_null(address);
	assert_int_equal((uintptr_t)address % 4096, 0);
	assert_ptr_equal(address, lane->slots[0]->data);
}

static void sg_dio_header(void **state)
{
	(void)state;

	open_over_disk("sg-dio");
	read_at(0x1000, 128);
	assert_v3(&last()->arg.v3, DIRECT | AT_TAIL, 65536);
	assert_own_buffer(last()->arg.v3.dxferp);
	close_lane();
}

static void sg_copy_header(void **state)
{
	(void)state;

	open_over_disk("sg-copy");
	read_at(0x1000, 128);
	assert_v3(&last()->arg.v3, AT_TAIL, 65536);
	assert_own_buffer(last()->arg.v3.dxferp);
	close_lane();
}

static void sgio_header(void **state)
{
	(void)state;

	open_over_disk("sgio");
	read_at(0x1000, 128);
	assert_ptr_equal(last()->node, block_node);
	assert_v3(&last()->arg.v3, AT_TAIL, 65536);
	assert_own_buffer(last()->arg.v3.dxferp);
	close_lane();
}

/* include/uapi/linux/bsg.h: guard 'Q', protocol and subprotocol 0 are SCSI commands. */
static void bsg_header(void **state)
{
	const struct sg_io_v4 *h;
	(void)state;

	open_over_disk("bsg");
	read_at(0x1000, 128);
	h = &last()->arg.v4;
	assert_ptr_equal(last()->node, bsg_node);
	assert_int_equal(h->guard, 'Q');
	assert_int_equal(h->protocol, 0);
	assert_int_equal(h->subprotocol, 0);
	assert_int_equal(h->request_len, 10);
	assert_int_equal(h->din_xfer_len, 65536);
	assert_int_equal(h->dout_xfer_len, 0);
	assert_int_equal(h->dout_iovec_count | h->din_iovec_count, 0);
	assert_int_equal(h->timeout, 1234);
	assert_int_equal(h->flags, 0x10);
	assert_true(h->response != 0);
	assert_in_range(h->max_response_len, 18, SGS_SENSE_BYTES);
	assert_own_buffer((const void *)(uintptr_t)h->din_xferp);
	close_lane();
}

/* ---- commands ---- */

/* SBC-4 5.11 to 5.16. The byte count of the header is that of the opcode's group. */
static void cdbs_and_their_lengths(void **state)
{
	static const struct {
		enum sgs_cdb kind;
		uint64_t lba;
		uint32_t blocks;
		size_t len;
		uint8_t cdb[16];
	} cases[] = {
		{ SGS_CDB_AUTO, 0, 128, 10, { 0x28, 0, 0, 0, 0, 0, 0, 0, 128, 0 } },
		{ SGS_CDB_AUTO, 0x12345678, 7, 10,
			{ 0x28, 0, 0x12, 0x34, 0x56, 0x78, 0, 0, 7, 0 } },
		/* The last block that READ(10) can name, and one command over the edge. */
		{ SGS_CDB_AUTO, 0xffffffff, 1, 10,
			{ 0x28, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 1, 0 } },
		{ SGS_CDB_AUTO, 0xffffff80, 128, 10,
			{ 0x28, 0, 0xff, 0xff, 0xff, 0x80, 0, 0, 128, 0 } },
		{ SGS_CDB_AUTO, 0xffffff81, 128, 16,
			{ 0x88, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x81, 0, 0, 0, 128 } },
		{ SGS_CDB_AUTO, 0x100000000, 128, 16,
			{ 0x88, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 128 } },
		{ SGS_CDB_6, 0x1fff, 100, 6, { 0x08, 0, 0x1f, 0xff, 100, 0 } },
		{ SGS_CDB_10, 0x1fff, 100, 10, { 0x28, 0, 0, 0, 0x1f, 0xff, 0, 0, 100, 0 } },
		{ SGS_CDB_12, 0x1fff, 100, 12,
			{ 0xa8, 0, 0, 0, 0x1f, 0xff, 0, 0, 0, 100, 0, 0 } },
		{ SGS_CDB_16, 0x1fff, 100, 16,
			{ 0x88, 0, 0, 0, 0, 0, 0, 0, 0x1f, 0xff, 0, 0, 0, 100 } },
	};
	(void)state;

	for (size_t e = 0; e < ALL; e++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			config.cdb = cases[i].kind;
			open_over_disk(all[e]);
			read_at(cases[i].lba, cases[i].blocks);
			assert_int_equal(last()->cdb_len, cases[i].len);
			assert_memory_equal(last()->cdb, cases[i].cdb, cases[i].len);
			close_lane();
		}
}

/* A run over 2 TiB: the CDB changes for one command and back without leaving bytes behind. */
static void one_lane_changes_between_cdbs(void **state)
{
	static const uint8_t ten[] = { 0x28, 0, 0, 0, 0, 8, 0, 0, 8, 0 };
	(void)state;

	open_over_disk("sg-mmap");
	read_at(0x123456789a, 8);
	assert_int_equal(last()->cdb_len, 16);
	read_at(8, 8);
	assert_int_equal(last()->cdb_len, 10);
	assert_memory_equal(last()->cdb, ten, 10);
	close_lane();
}

static bool is_read(uint8_t opcode)
{
	return opcode == 0x08 || opcode == 0x28 || opcode == 0xa8 || opcode == 0x88;
}

static size_t count(unsigned long request)
{
	size_t n = 0;

	for (size_t i = 0; i < n_seen; i++)
		n += seen[i].request == request;
	return n;
}

/* The reserve buffer is set and asked for by the engines that use it; else SG_IO alone. */
static void nothing_but_reads_and_one_call_for_each(void **state)
{
	static const bool reserve[ALL] = { true, false, true, false, false };
	(void)state;

	for (size_t e = 0; e < ALL; e++) {
		new_drive(NULL);
		open_over_disk(all[e]);
		for (uint32_t i = 0; i < 100; i++)
			assert_int_equal(read_at(i * 128, 128)->outcome.bytes, 65536);
		close_lane();
		assert_int_equal(count(SG_IO), 100);
		assert_int_equal(count(SG_SET_RESERVED_SIZE), reserve[e]);
		assert_int_equal(count(SG_GET_RESERVED_SIZE), reserve[e]);
		assert_int_equal(n_seen, 100 + 2 * reserve[e]);
		for (size_t i = 0; i < n_seen; i++)
			if (seen[i].request == SG_IO)
				assert_true(is_read(seen[i].cdb[0]));
	}
}

static void memory_is_got_before_the_first_command(void **state)
{
	unsigned before;
	(void)state;

	for (size_t e = 0; e < ALL; e++) {
		open_over_disk(all[e]);
		before = n_maps;
		for (uint32_t i = 0; i < 10; i++)
			read_at(i, 1);
		assert_int_equal(n_maps, before);
		close_lane();
	}
}

static void nodes_are_opened_once_and_for_reading_only(void **state)
{
	struct fake_node *nodes[ALL] = { sg_node, sg_node, sg_node, block_node, bsg_node };
	(void)state;

	for (size_t e = 0; e < ALL; e++) {
		nodes[e]->opens = 0;
		open_over_disk(all[e]);
		assert_int_equal(nodes[e]->opens, 1);
		assert_int_equal(nodes[e]->open_flags & O_ACCMODE, O_RDONLY);
		assert_false(nodes[e]->open_flags & (O_EXCL | O_CREAT | O_TRUNC));
		assert_true(nodes[e]->open_flags & O_CLOEXEC);
		if (nodes[e] == sg_node) /* else it waits for whoever holds it exclusively */
			assert_true(nodes[e]->open_flags & O_NONBLOCK);
		close_lane();
	}
}

/* ---- data ---- */

static void assert_data(const struct sgs_slot *slot)
{
	uint64_t first = slot->extent.lba * device.block_bytes;
	const uint8_t *data = slot->data;

	assert_int_equal(slot->outcome.fault, SGS_FAULT_NONE);
	assert_int_equal(slot->outcome.bytes, slot->extent.blocks * device.block_bytes);
	for (uint32_t i = 0; i < slot->outcome.bytes; i++)
		if (data[i] != fake_byte(first + i))
			fail_msg("%s: byte %u of LBA %llu is wrong", engine->name, i,
				(unsigned long long)slot->extent.lba);
}

/* 126 blocks of 520 bytes are 65520, no multiple of a page or of anything usual. */
static void any_block_length_any_place(void **state)
{
	static const struct {
		uint32_t block_bytes, bs_blocks;
	} drives[] = { { 512, 128 }, { 520, 126 }, { 528, 124 }, { 4096, 16 }, { 4160, 15 } };
	(void)state;

	for (size_t e = 0; e < ALL; e++)
		for (size_t i = 0; i < sizeof(drives) / sizeof(drives[0]); i++) {
			use_block_length(drives[i].block_bytes, drives[i].bs_blocks);
			open_over_disk(all[e]);
			assert_data(read_at(0, drives[i].bs_blocks));
			assert_data(read_at(123457, drives[i].bs_blocks));
			assert_data(read_at(0x100000000, drives[i].bs_blocks));
			close_lane();
		}
}

static void the_last_command_is_as_short_as_asked(void **state)
{
	(void)state;

	for (size_t e = 0; e < ALL; e++) {
		use_block_length(520, 126);
		disk.blocks = 1000;
		open_over_disk(all[e]);
		assert_data(read_at(882, 118));
		if (!strcmp(all[e], "bsg"))
			assert_int_equal(last()->arg.v4.din_xfer_len, 61360);
		else
			assert_int_equal(last()->arg.v3.dxfer_len, 61360);
		assert_int_equal(last()->cdb[8], 118);
		close_lane();
	}
}

/* ---- how the data came ---- */

static void what_the_engines_say_of_their_transfers(void **state)
{
	static const enum sgs_transfer right[ALL] = { SGS_MAPPED, SGS_DIRECT, SGS_COPIED,
		SGS_DIRECT, SGS_DIRECT };
	(void)state;

	sg_node->allow_dio = true;
	for (size_t e = 0; e < ALL; e++) {
		open_over_disk(all[e]);
		assert_int_equal(read_at(0, 128)->outcome.transfer, right[e]);
		assert_int_equal(engine->transfer, right[e]);
		close_lane();
	}
}

/* Somebody may write allow_dio in the middle of a run. */
static void direct_is_what_the_info_bits_say_of_each_command(void **state)
{
	static const bool direct[] = { false, true, true, false, true, false, false };
	(void)state;

	open_over_disk("sg-dio");
	for (uint32_t i = 0; i < sizeof(direct) / sizeof(direct[0]); i++) {
		sg_node->allow_dio = direct[i];
		assert_int_equal(
			read_at(i, 1)->outcome.transfer, direct[i] ? SGS_DIRECT : SGS_COPIED);
	}
	close_lane();
}

/* ---- limits ---- */

static void assert_refused(const char *name)
{
	assert_int_not_equal(try_open(name), 0);
	assert_null(lane);
	assert_int_equal(fake_open_count(), 0);
	fake_check();
}

static void a_clamped_reserve_is_named_with_value_and_knob(void **state)
{
	(void)state;

	sg_node->reserve_max = 512 * KIB;
	config.bs_bytes = MIB;
	assert_refused("sg-mmap");
	ASSERT_ERROR(SGS_OS_BASE + ENOMEM, "transfer_too_large", "/dev/sg3", "1 MiB",
		"reserve buffer of 512 KiB", "echo 1024 > /sys/block/sdc/queue/max_sectors_kb");
	assert_int_equal(count(SG_IO), 0);
}

static void a_clamped_reserve_without_block_node_has_another_way_out(void **state)
{
	(void)state;

	sg_node->reserve_max = 512 * KIB;
	device.block_path[0] = '\0';
	config.bs_bytes = MIB;
	assert_refused("sg-mmap");
	ASSERT_ERROR(SGS_OS_BASE + ENOMEM, "transfer_too_large", "reserve buffer of 512 KiB",
		"sg-copy");
	assert_null(strstr(err.text, "/sys/block"));
}

static void the_copying_path_does_without_a_whole_reserve(void **state)
{
	(void)state;

	sg_node->reserve_max = 512 * KIB;
	config.bs_bytes = MIB;
	open_over_disk("sg-copy");
	assert_data(read_at(0, 2048));
	close_lane();
}

/* The driver rounds a reserve up; 65520 bytes of 520-byte blocks need 16 pages. */
static void the_reserve_is_asked_for_in_whole_pages(void **state)
{
	(void)state;

	use_block_length(520, 126);
	open_over_disk("sg-mmap");
	assert_int_equal(seen[0].request, SG_SET_RESERVED_SIZE);
	assert_int_equal(seen[0].arg.value, 65536);
	assert_int_equal(seen[1].request, SG_GET_RESERVED_SIZE);
	close_lane();
}

/* sg_common_write(): dxfer_len >= SZ_256M is EINVAL. */
static void the_drivers_limit_is_known_before_anything_is_opened(void **state)
{
	static const char *const names[] = { "sg-mmap", "sg-dio", "sg-copy" };
	(void)state;

	config.bs_bytes = 256 * MIB;
	for (size_t i = 0; i < 3; i++) {
		assert_refused(names[i]);
		ASSERT_ERROR(SGS_OS_BASE + ENOMEM, "transfer_too_large", "256 MiB",
			"driver's limit");
	}
	assert_int_equal(sg_node->opens, 0);
	assert_int_equal(n_seen, 0);
}

static void a_mapping_that_fails_is_explained(void **state)
{
	(void)state;

	map_error = EAGAIN;
	assert_refused("sg-mmap");
	ASSERT_ERROR(SGS_OS_BASE + EAGAIN, "cannot_map", "/dev/sg3", "Resource temporarily",
		"sg-copy");
}

static void memory_that_is_not_there_is_explained(void **state)
{
	(void)state;

	for (size_t e = 1; e < ALL; e++) {
		memory_error = ENOMEM;
		assert_refused(all[e]);
		ASSERT_ERROR(SGS_OS_BASE + ENOMEM, "no_memory", "64 KiB",
			"Cannot allocate memory", "--bs");
	}
}

static void expect_error(int error)
{
	const struct fake_command command = { .name = "trial", .error = error };

	fake_expect(&command, 1);
}

/* What the driver refuses is found before the clock runs, with the size and the limit. */
static void a_refused_trial_is_explained(void **state)
{
	static const int refused[] = { ENOMEM, EINVAL, EIO };
	(void)state;

	config.trial = (struct sgs_extent){ .lba = 0, .blocks = 128 };
	for (size_t e = 0; e < ALL; e++)
		for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
			expect_error(refused[i]);
			assert_refused(all[e]);
			ASSERT_ERROR(SGS_OS_BASE + refused[i], "transfer_too_large", "64 KiB",
				strerrordesc_np(refused[i]), "128 segments", "--bs");
		}
}

static void a_trial_is_one_read_and_counted(void **state)
{
	(void)state;

	config.trial = (struct sgs_extent){ .lba = 42, .blocks = 128 };
	for (size_t e = 0; e < ALL; e++) {
		disk.reads = 0;
		open_over_disk(all[e]);
		assert_int_equal(disk.reads, 1);
		assert_int_equal(lane->trials, 1);
		assert_int_equal(last()->cdb[5], 42);
		assert_int_equal(last()->cdb[8], 128);
		close_lane();
	}
}

static void without_a_trial_nothing_is_read(void **state)
{
	(void)state;

	for (size_t e = 0; e < ALL; e++) {
		open_over_disk(all[e]);
		assert_int_equal(disk.reads, 0);
		assert_int_equal(lane->trials, 0);
		close_lane();
	}
}

/* What the drive itself has to say is the run's business: it will say it again. */
static void a_trial_that_the_drive_fails_opens_all_the_same(void **state)
{
	const struct fake_command failed[] = {
		{ .name = "attention", .key = 6, .asc = 0x29 },
		{ .name = "medium", .key = 3, .asc = 0x11 },
		{ .name = "timeout", .host_status = 3, .resid = -1 },
		{ .name = "full", .status = 0x28, .host_status = 5, .resid = -1 },
	};
	(void)state;

	config.trial = (struct sgs_extent){ .lba = 0, .blocks = 128 };
	for (size_t i = 0; i < sizeof(failed) / sizeof(failed[0]); i++) {
		fake_expect(&failed[i], 1);
		open_over_disk("sg-mmap");
		assert_data(read_at(0, 128));
		close_lane();
	}
}

/* ---- nodes that do not open ---- */

static void a_node_that_cannot_be_opened_is_named(void **state)
{
	static const int errors[] = { EACCES, ENOENT, EBUSY, ENXIO, EMFILE };
	struct fake_node *nodes[ALL] = { sg_node, sg_node, sg_node, block_node, bsg_node };
	(void)state;

	for (size_t e = 0; e < ALL; e++)
		for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
			nodes[e]->open_error = errors[i];
			assert_refused(all[e]);
			ASSERT_ERROR(SGS_FILE, "cannot_open", device.path, nodes[e]->path,
				strerrordesc_np(errors[i]));
			nodes[e]->open_error = 0;
		}
}

static void a_node_that_is_no_sg_node_is_named(void **state)
{
	(void)state;

	fake_ioctl(sg_node, SG_SET_RESERVED_SIZE, NULL, 0, ENOTTY);
	assert_refused("sg-mmap");
	ASSERT_ERROR(SGS_FILE, "not_sg", "/dev/sg3", "sg node");
	assert_refused("sg-copy");
	ASSERT_ERROR(SGS_FILE, "not_sg", "/dev/sg3");
}

static void closing_nothing_is_fine(void **state)
{
	(void)state;

	for (size_t i = 0; i < sgs_engine_count; i++)
		sgs_engines[i]->close(NULL);
}

/* ---- outcomes ---- */

static const struct {
	struct fake_command answer;
	enum sgs_fault_class fault;
	uint32_t bytes;
	int host_errno;
} endings[] = {
	{ { .name = "attention", .key = 6, .asc = 0x29, .ascq = 1, .resid = -1 },
		SGS_FAULT_UNIT_ATTENTION, 0, 0 },
	{ { .name = "medium", .key = 3, .asc = 0x11 }, SGS_FAULT_MEDIUM, 0, 0 },
	{ { .name = "timeout", .host_status = 3, .resid = -1 }, SGS_FAULT_TIMEOUT, 0, 0 },
	{ { .name = "full", .status = 0x28, .host_status = 5, .resid = -1 },
		SGS_FAULT_TASK_SET_FULL, 0, 0 },
	{ { .name = "busy", .status = 0x08, .resid = -1 }, SGS_FAULT_BUSY, 0, 0 },
	{ { .name = "short", .resid = 32768 }, SGS_FAULT_SHORT, 32768, 0 },
	{ { .name = "nothing at all", .resid = 65536 }, SGS_FAULT_SHORT, 0, 0 },
	{ { .name = "recovered", .key = 1, .asc = 0x5d, .resid = -1 }, SGS_FAULT_RECOVERED,
		65536, 0 },
	{ { .name = "pvscsi",
		  .host_status = 7,
		  .driver_status = 8,
		  .sense = (const uint8_t[]){ 0x72, 3, 0x11, 0, 0, 0, 0, 0 },
		  .sense_len = 8,
		  .resid = -1 },
		SGS_FAULT_MEDIUM, 0, 0 },
	{ { .name = "gone", .error = ENODEV }, SGS_FAULT_GONE, 0, ENODEV },
	{ { .name = "offline", .error = ENXIO }, SGS_FAULT_GONE, 0, ENXIO },
	{ { .name = "interrupted", .error = EINTR }, SGS_FAULT_HOST, 0, EINTR },
	{ { .name = "reserve in use", .error = EBUSY }, SGS_FAULT_HOST, 0, EBUSY },
	{ { .name = "17th", .error = EDOM }, SGS_FAULT_HOST, 0, EDOM },
};

enum { ENDINGS = sizeof(endings) / sizeof(endings[0]) };

static void each_ending_is_told_as_it_was(void **state)
{
	(void)state;

	for (size_t e = 0; e < ALL; e++)
		for (size_t i = 0; i < ENDINGS; i++) {
			const struct sgs_outcome *out;

			open_over_disk(all[e]);
			fake_expect(&endings[i].answer, 1);
			out = &read_at(0, 128)->outcome;
			if (out->fault != endings[i].fault || out->bytes != endings[i].bytes)
				fail_msg("%s, %s: %s with %u bytes", all[e],
					endings[i].answer.name, sgs_fault_name(out->fault),
					out->bytes);
			assert_int_equal(out->host_errno, endings[i].host_errno);
			close_lane();
		}
}

/* Nothing of a failure sticks to the next command. */
static void a_good_command_after_each_ending(void **state)
{
	(void)state;

	for (size_t e = 0; e < ALL; e++) {
		open_over_disk(all[e]);
		for (size_t i = 0; i < ENDINGS; i++) {
			fake_expect(&endings[i].answer, 1);
			read_at(0, 128);
			assert_data(read_at(1000 + i, 128));
		}
		close_lane();
	}
}

static void sense_is_handed_on(void **state)
{
	const struct fake_command medium = { .key = 3, .asc = 0x11, .ascq = 0x04 };
	char text[200];
	(void)state;

	for (size_t e = 0; e < ALL; e++) {
		const struct sgs_outcome *out;

		open_over_disk(all[e]);
		fake_expect(&medium, 1);
		out = &read_at(0, 128)->outcome;
		assert_int_equal(out->sense_len, 18);
		assert_int_equal(out->sense[2], 3);
		assert_int_equal(out->status, 2);
		assert_non_null(
			strstr(sgs_outcome_describe(out, text, sizeof(text)), "3/11/04"));
		close_lane();
	}
}

/* ---- allow_dio ---- */

static void write_allow_dio(const char *root, const char *value)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "mkdir -p %s/module/sg/parameters", root);
	assert_int_equal(system(path), 0);
	snprintf(path, sizeof(path), "%s/module/sg/parameters/allow_dio", root);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(value, file);
	fclose(file);
}

static void remove_tree(const char *root)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void sg_dio_says_beforehand_that_it_would_be_copied(void **state)
{
	char root[] = "/tmp/sgs-dio-XXXXXX";
	const struct sgs_engine *dio = sgs_engine_find("sg-dio");
	(void)state;

	assert_non_null(mkdtemp(root));
	sgs_sysfs_set_root(root);
	assert_int_equal(dio->probe(&device, &err), 0);
	assert_string_equal(err.text, ""); /* not to be known is no reason to warn */
	write_allow_dio(root, "1\n");
	assert_int_equal(dio->probe(&device, &err), 0);
	assert_string_equal(err.text, "");
	write_allow_dio(root, "0\n");
	assert_int_equal(dio->probe(&device, &err), 0);
	ASSERT_ERROR(SGS_OK, "would_be_copied", "allow_dio is 0",
		"/sys/module/sg/parameters/allow_dio", "sg-mmap");
	sgs_sysfs_set_root(NULL);
	remove_tree(root);
}

/* ---- write, poll and read ---- */

/* The queue of an sg descriptor: at most 16 commands, done at once, given back last first. */
enum { DESCRIPTORS = 64, QUEUE = 16 };

static struct {
	struct sg_io_hdr done[QUEUE];
	unsigned n;
} queues[DESCRIPTORS];

static int write_error;
static bool hung_up; /* the device has left: nothing comes back any more */

/* The C library declares that read and poll only write there; the kernel of sg looks first. */
static void *looked_at(void *p)
{
	__asm__("" : "+r"(p));
	return p;
}

static bool is_command(int fd, const void *buf, size_t len)
{
	return fd >= 0 && fd < DESCRIPTORS && len == sizeof(struct sg_io_hdr) &&
	       *(const int *)buf == 'S';
}

static ssize_t queue_command(int fd, const struct sg_io_hdr *h)
{
	struct sg_io_hdr *slot = &queues[fd].done[queues[fd].n];

	errno = write_error ? write_error : queues[fd].n == QUEUE ? EDOM : 0;
	if (errno)
		return -1;
	*slot = *h;
	if (ioctl(fd, SG_IO, slot) < 0)
		return -1;
	queues[fd].n++;
	return sizeof(*h);
}

ssize_t write(int fd, const void *buf, size_t len)
{
	return is_command(fd, buf, len) ? queue_command(fd, buf)
					: syscall(SYS_write, fd, buf, len);
}

ssize_t read(int fd, void *buf, size_t len)
{
	buf = looked_at(buf);
	if (!is_command(fd, buf, len))
		return syscall(SYS_read, fd, buf, len);
	errno = hung_up ? ENODEV : EAGAIN;
	if (hung_up || !queues[fd].n)
		return -1;
	*(struct sg_io_hdr *)buf = queues[fd].done[--queues[fd].n];
	return (ssize_t)len;
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	int ready = 0;

	(void)timeout;
	fds = looked_at(fds);
	for (nfds_t i = 0; i < n; i++) {
		fds[i].revents = hung_up ? POLLHUP : queues[fds[i].fd].n ? POLLIN : 0;
		ready += fds[i].revents != 0;
	}
	return ready;
}

static int new_queue(void **state)
{
	new_drive(state);
	memset(queues, 0, sizeof(queues));
	write_error = 0;
	hung_up = false;
	sg_node->may_write = true;
	return 0;
}

static void submit_all(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		lane->slots[i]->extent = (struct sgs_extent){ .lba = i * 1000, .blocks = 16 };
		assert_int_equal(engine->submit(lane, lane->slots[i]), SGS_QUEUED);
	}
}

/* Each slot comes back once. */
static void reap_all(unsigned n)
{
	bool back[256] = { false };

	for (unsigned done = 0; done < n; done++) {
		struct sgs_slot *slot = engine->reap(lane, true);
		unsigned i = 0;

		assert_non_null(slot);
		while (lane->slots[i] != slot)
			i++;
		assert_in_range(i, 0, n - 1);
		assert_false(back[i]);
		back[i] = true;
	}
	assert_null(engine->reap(lane, false));
}

static void sg_async_header(void **state)
{
	(void)state;

	config.slots = 2;
	open_over_disk("sg-async");
	submit_all(2);
	assert_v3(&last()->arg.v3, DIRECT | AT_TAIL, 16 * 512);
	assert_int_equal(last()->cdb_len, 10);
	assert_ptr_equal(last()->arg.v3.dxferp, lane->slots[1]->data);
	assert_ptr_not_equal(lane->slots[0]->data, lane->slots[1]->data);
	assert_int_equal((uintptr_t)lane->slots[1]->data % 4096, 0);
	reap_all(2);
	close_lane();
	assert_int_equal(count(SG_IO), 2);
	assert_int_equal(n_seen, 2);
}

/* 40 commands in flight take three descriptors: the driver gives a 17th on one of them EDOM. */
static void sixteen_commands_for_each_descriptor(void **state)
{
	(void)state;

	config.slots = 40;
	open_over_disk("sg-async");
	assert_int_equal(sg_node->opens, 3);
	assert_int_equal(sg_node->open_flags & O_ACCMODE, O_RDWR);
	assert_true(sg_node->open_flags & O_NONBLOCK);
	for (int round = 0; round < 3; round++) {
		submit_all(40);
		reap_all(40);
		for (unsigned i = 0; i < 40; i++)
			assert_data(lane->slots[i]);
	}
	close_lane();
	for (size_t i = 0; i < n_seen; i++)
		assert_true(is_read(seen[i].cdb[0]));
}

static void queued_commands_say_whether_they_were_direct(void **state)
{
	(void)state;

	for (int direct = 0; direct < 2; direct++) {
		sg_node->allow_dio = direct;
		open_over_disk("sg-async");
		submit_all(1);
		reap_all(1);
		assert_int_equal(
			lane->slots[0]->outcome.transfer, direct ? SGS_DIRECT : SGS_COPIED);
		close_lane();
	}
}

static void queued_commands_end_as_they_do(void **state)
{
	(void)state;

	open_over_disk("sg-async");
	for (size_t i = 0; i < ENDINGS; i++) {
		const struct sgs_outcome *out = &lane->slots[0]->outcome;
		enum sgs_submitted submitted;

		fake_expect(&endings[i].answer, 1);
		lane->slots[0]->extent = (struct sgs_extent){ .lba = 0, .blocks = 128 };
		submitted = engine->submit(lane, lane->slots[0]);
		assert_int_equal(submitted, endings[i].answer.error ? SGS_DONE : SGS_QUEUED);
		if (submitted == SGS_QUEUED)
			reap_all(1);
		if (out->fault != endings[i].fault || out->bytes != endings[i].bytes)
			fail_msg("%s: %s with %u bytes", endings[i].answer.name,
				sgs_fault_name(out->fault), out->bytes);
	}
	close_lane();
}

static void a_command_that_cannot_be_queued_is_done(void **state)
{
	(void)state;

	open_over_disk("sg-async");
	write_error = EDOM;
	lane->slots[0]->extent = (struct sgs_extent){ .lba = 0, .blocks = 128 };
	assert_int_equal(engine->submit(lane, lane->slots[0]), SGS_DONE);
	assert_int_equal(lane->slots[0]->outcome.fault, SGS_FAULT_HOST);
	assert_int_equal(lane->slots[0]->outcome.host_errno, EDOM);
	assert_null(engine->reap(lane, false));
	close_lane();
}

/* Hot removal: the reader must get all its commands back, or it would wait for ever. */
static void what_was_queued_on_a_device_that_left_has_gone(void **state)
{
	(void)state;

	config.slots = 20;
	open_over_disk("sg-async");
	submit_all(20);
	hung_up = true;
	reap_all(20);
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(lane->slots[i]->outcome.fault, SGS_FAULT_GONE);
		assert_int_equal(lane->slots[i]->outcome.bytes, 0);
	}
	close_lane();
}

static void a_queue_that_may_not_be_opened_names_the_way_that_only_reads(void **state)
{
	(void)state;

	sg_node->open_error = EACCES;
	assert_refused("sg-async");
	ASSERT_ERROR(SGS_FILE, "cannot_open", "/dev/sg3", "Permission denied", "sg-mmap");
}

static void a_refused_trial_of_a_queue_is_explained(void **state)
{
	(void)state;

	config.trial = (struct sgs_extent){ .lba = 0, .blocks = 128 };
	expect_error(ENOMEM);
	assert_refused("sg-async");
	ASSERT_ERROR(SGS_OS_BASE + ENOMEM, "transfer_too_large", "64 KiB", "128 segments");
	open_over_disk("sg-async");
	assert_int_equal(lane->trials, 1);
	close_lane();
}

#define OVER_A_QUEUE(test) cmocka_unit_test_setup(test, new_queue)
#define OVER_A_DRIVE(test) cmocka_unit_test_setup(test, new_drive)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OVER_A_DRIVE(sg_mmap_header),
		OVER_A_DRIVE(sg_dio_header),
		OVER_A_DRIVE(sg_copy_header),
		OVER_A_DRIVE(sgio_header),
		OVER_A_DRIVE(bsg_header),
		OVER_A_DRIVE(cdbs_and_their_lengths),
		OVER_A_DRIVE(one_lane_changes_between_cdbs),
		OVER_A_DRIVE(nothing_but_reads_and_one_call_for_each),
		OVER_A_DRIVE(memory_is_got_before_the_first_command),
		OVER_A_DRIVE(nodes_are_opened_once_and_for_reading_only),
		OVER_A_DRIVE(any_block_length_any_place),
		OVER_A_DRIVE(the_last_command_is_as_short_as_asked),
		OVER_A_DRIVE(what_the_engines_say_of_their_transfers),
		OVER_A_DRIVE(direct_is_what_the_info_bits_say_of_each_command),
		OVER_A_DRIVE(a_clamped_reserve_is_named_with_value_and_knob),
		OVER_A_DRIVE(a_clamped_reserve_without_block_node_has_another_way_out),
		OVER_A_DRIVE(the_copying_path_does_without_a_whole_reserve),
		OVER_A_DRIVE(the_reserve_is_asked_for_in_whole_pages),
		OVER_A_DRIVE(the_drivers_limit_is_known_before_anything_is_opened),
		OVER_A_DRIVE(a_mapping_that_fails_is_explained),
		OVER_A_DRIVE(memory_that_is_not_there_is_explained),
		OVER_A_DRIVE(a_refused_trial_is_explained),
		OVER_A_DRIVE(a_trial_is_one_read_and_counted),
		OVER_A_DRIVE(without_a_trial_nothing_is_read),
		OVER_A_DRIVE(a_trial_that_the_drive_fails_opens_all_the_same),
		OVER_A_DRIVE(a_node_that_cannot_be_opened_is_named),
		OVER_A_DRIVE(a_node_that_is_no_sg_node_is_named),
		OVER_A_DRIVE(closing_nothing_is_fine),
		OVER_A_DRIVE(each_ending_is_told_as_it_was),
		OVER_A_DRIVE(a_good_command_after_each_ending),
		OVER_A_DRIVE(sense_is_handed_on),
		OVER_A_DRIVE(sg_dio_says_beforehand_that_it_would_be_copied),
		OVER_A_QUEUE(sg_async_header),
		OVER_A_QUEUE(sixteen_commands_for_each_descriptor),
		OVER_A_QUEUE(queued_commands_say_whether_they_were_direct),
		OVER_A_QUEUE(queued_commands_end_as_they_do),
		OVER_A_QUEUE(a_command_that_cannot_be_queued_is_done),
		OVER_A_QUEUE(what_was_queued_on_a_device_that_left_has_gone),
		OVER_A_QUEUE(a_queue_that_may_not_be_opened_names_the_way_that_only_reads),
		OVER_A_QUEUE(a_refused_trial_of_a_queue_is_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
