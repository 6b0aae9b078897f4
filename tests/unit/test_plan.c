/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run/plan.h"
#include "scsi/cdb.h"

#define KIB 1024ULL
#define MIB (1024 * KIB)
#define TIB (1ULL << 40)
#define BYTES(n)             \
	{                    \
		.value = (n) \
	}
#define BLOCKS(n)                               \
	{                                       \
		.value = (n), .in_blocks = true \
	}

static struct sgs_job job;
static struct sgs_error err;
static struct sgs_plan plan;
static struct sgs_device_plan of_device;
static size_t current; /* case of a table, for messages */

static int defaults(void **state)
{
	(void)state;
	sgs_job_init(&job);
	current = 0;
	memset(&err, 0, sizeof(err));
	memset(&plan, 0, sizeof(plan));
	memset(&of_device, 0, sizeof(of_device));
	return 0;
}

static struct sgs_device sg_drive(uint32_t block_bytes, uint64_t blocks)
{
	return (struct sgs_device){
		.path = "/dev/sg1",
		.sg_path = "/dev/sg1",
		.block_path = "/dev/sdb",
		.node = SGS_NODE_SG,
		.is_scsi = true,
		.block_bytes = block_bytes,
		.blocks = blocks,
	};
}

static struct sgs_device block_node(void)
{
	return (struct sgs_device){
		.path = "/dev/nvme0n1",
		.block_path = "/dev/nvme0n1",
		.node = SGS_NODE_BLOCK,
		.block_bytes = 512,
		.blocks = 1 << 20,
	};
}

static struct sgs_device partition(void)
{
	return (struct sgs_device){
		.path = "/dev/sdb1",
		.block_path = "/dev/sdb1",
		.sg_path = "/dev/sg1",
		.node = SGS_NODE_BLOCK,
		.is_scsi = true,
		.is_partition = true,
		.whole_disk = "/dev/sdb",
		.block_bytes = 512,
		.blocks = 1 << 20,
	};
}

static struct sgs_device file(uint64_t bytes)
{
	return (struct sgs_device){
		.path = "/tmp/data",
		.block_path = "/tmp/data",
		.node = SGS_NODE_FILE,
		.block_bytes = 1,
		.blocks = bytes,
	};
}

static int plan_all(const struct sgs_device *devices, size_t n)
{
	int status = sgs_plan_engine(&job, devices, n, &plan, &err);

	for (size_t i = 0; i < n && !status; i++)
		status = sgs_plan_device(&job, &plan, &devices[i], &of_device, &err);
	return status;
}

static int plan_one(struct sgs_device device)
{
	return plan_all(&device, 1);
}

static void assert_says(const char *text)
{
	if (!strstr(err.text, text))
		fail_msg("'%s' does not say '%s'", err.text, text);
}

static void assert_refused(struct sgs_device device, int status, const char *code)
{
	int got = plan_one(device);

	if (got != status || err.status != status || strcmp(err.code, code))
		fail_msg("case %zu: status %d, %s: %s", current, got, err.code, err.text);
}

static void assert_fine(struct sgs_device device)
{
	if (plan_one(device))
		fail_msg("case %zu: %s", current, err.text);
}

/* ---- block size ---- */

static void the_default_is_64_kib(void **state)
{
	(void)state;

	assert_fine(sg_drive(512, 1 << 20));
	assert_int_equal(of_device.bs_bytes, 65536);
	assert_int_equal(of_device.bs_blocks, 128);
	assert_int_equal(of_device.schedule.transfers, 8192);
	assert_int_equal(plan.threads, 1);
	assert_int_equal(plan.queue_depth, 1);
	assert_fine(sg_drive(4096, 1 << 20));
	assert_int_equal(of_device.bs_blocks, 16);
}

/* 126 x 520 is 65520, 127 x 520 is 66040. */
static void on_520_byte_blocks_64k_is_refused_with_its_neighbours(void **state)
{
	(void)state;

	assert_refused(sg_drive(520, 1 << 20), SGS_USAGE, "not_aligned");
	assert_says("--bs 65536");
	assert_says("520 bytes");
	assert_says("65520");
	assert_says("66040");
}

static void below_one_block_only_the_block_is_proposed(void **state)
{
	(void)state;

	job.bs = (struct sgs_size)BYTES(512);
	assert_refused(sg_drive(4096, 1 << 20), SGS_USAGE, "not_aligned");
	assert_says("4096");
	assert_null(strstr(err.text, "4096 or 4096"));
}

static void blocks_fit_any_block_length(void **state)
{
	static const uint32_t lengths[] = { 512, 520, 528, 2048, 4096, 4160 };
	(void)state;

	job.bs = (struct sgs_size)BLOCKS(64);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		assert_fine(sg_drive(lengths[i], 1 << 20));
		assert_int_equal(of_device.bs_blocks, 64);
		assert_int_equal(of_device.bs_bytes, 64 * lengths[i]);
	}
}

static void multiples_of_odd_blocks_are_found_by_division(void **state)
{
	(void)state;

	job.bs = (struct sgs_size)BYTES(520 * 126);
	assert_fine(sg_drive(520, 1 << 20));
	assert_int_equal(of_device.bs_blocks, 126);
	job.bs = (struct sgs_size)BYTES(528 * 100);
	assert_fine(sg_drive(528, 1 << 20));
	assert_int_equal(of_device.bs_blocks, 100);
}

static void no_block_size_at_all_is_refused(void **state)
{
	(void)state;

	job.bs = (struct sgs_size)BYTES(0);
	assert_refused(sg_drive(512, 100), SGS_USAGE, "bad_size");
	job.bs = (struct sgs_size)BLOCKS(0);
	assert_refused(sg_drive(512, 100), SGS_USAGE, "bad_size");
}

static void block_sizes_beyond_reason_are_refused(void **state)
{
	static const struct sgs_size sizes[] = {
		BYTES((1ULL << 30) + 512),
		BYTES(1ULL << 32), /* 0 in 32 bits */
		BYTES((1ULL << 41) + 65536),
		BLOCKS((1ULL << 21) + 1),
		BLOCKS(1ULL << 32),
		BLOCKS(1ULL << 55), /* x 512 is 2^64 */
		BLOCKS(UINT64_MAX),
		BYTES(UINT64_MAX - 511),
	};
	(void)state;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		current = i;
		job.bs = sizes[i];
		assert_refused(sg_drive(512, 1ULL << 40), SGS_USAGE, "too_large");
	}
	job.bs = (struct sgs_size)BYTES(1ULL << 30);
	assert_fine(block_node());
}

/* ---- range ---- */

static void offset_and_size_must_be_multiples_too(void **state)
{
	(void)state;

	job.offset = (struct sgs_size)BYTES(1000);
	assert_refused(sg_drive(512, 1 << 20), SGS_USAGE, "not_aligned");
	assert_says("--offset 1000");
	assert_says("512 or 1024");
	job.offset = (struct sgs_size)BYTES(0);
	job.size = (struct sgs_size)BYTES(1000000);
	assert_refused(sg_drive(4096, 1 << 20), SGS_USAGE, "not_aligned");
	assert_says("--size 1000000");
	assert_says("999424 or 1003520"); /* 244 and 245 x 4096 */
}

static void a_whole_device_ends_with_its_last_block(void **state)
{
	struct sgs_extent last;
	(void)state;

	assert_fine(sg_drive(512, 1000));
	assert_int_equal(of_device.schedule.transfers, 8);
	sgs_schedule_extent(&of_device.schedule, 7, &last);
	assert_int_equal(last.lba, 896);
	assert_int_equal(last.blocks, 104);
	assert_int_equal(sgs_schedule_blocks(&of_device.schedule), 1000);
}

struct range {
	struct sgs_size offset, size;
	uint64_t count;
	bool fine;
	uint64_t first, blocks; /* then */
};

/* A drive of 1000 blocks of 512 bytes, by 128 blocks: 7 transfers and one of 104. */
static void ranges_up_to_the_very_end_and_no_further(void **state)
{
	static const struct range cases[] = {
		{ BLOCKS(0), BLOCKS(1000), 0, true, 0, 1000 },
		{ BLOCKS(0), BLOCKS(1001), 0, false, 0, 0 },
		{ BYTES(0), BYTES(512000), 0, true, 0, 1000 },
		{ BYTES(0), BYTES(512512), 0, false, 0, 0 },
		{ BLOCKS(999), BLOCKS(0), 0, true, 999, 1 },
		{ BLOCKS(999), BLOCKS(1), 0, true, 999, 1 },
		{ BLOCKS(999), BLOCKS(2), 0, false, 0, 0 },
		{ BLOCKS(1000), BLOCKS(0), 0, false, 0, 0 },
		{ BLOCKS(1001), BLOCKS(0), 0, false, 0, 0 },
		{ BYTES(512000), BYTES(0), 0, false, 0, 0 },
		{ BLOCKS(UINT64_MAX / 512), BLOCKS(0), 0, false, 0, 0 },
		{ BLOCKS(0), BLOCKS(UINT64_MAX / 512), 0, false, 0, 0 },
		{ BLOCKS(0), BLOCKS(0), 1, true, 0, 128 },
		{ BLOCKS(0), BLOCKS(0), 7, true, 0, 896 },
		{ BLOCKS(0), BLOCKS(0), 8, true, 0, 1000 }, /* the last one is partial */
		{ BLOCKS(0), BLOCKS(0), 9, false, 0, 0 },
		{ BLOCKS(0), BLOCKS(0), UINT64_MAX, false, 0, 0 },
		{ BLOCKS(872), BLOCKS(0), 1, true, 872, 128 },
		{ BLOCKS(872), BLOCKS(0), 2, false, 0, 0 },
		{ BLOCKS(871), BLOCKS(0), 2, true, 871, 129 },
		{ BLOCKS(500), BLOCKS(300), 2, true, 500, 256 },
		{ BLOCKS(500), BLOCKS(300), 3, true, 500, 300 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		current = i;
		job.offset = cases[i].offset;
		job.size = cases[i].size;
		job.count = cases[i].count;
		if (!cases[i].fine) {
			assert_refused(sg_drive(512, 1000), SGS_USAGE, "past_the_end");
			continue;
		}
		assert_fine(sg_drive(512, 1000));
		assert_int_equal(of_device.schedule.first_lba, cases[i].first);
		assert_int_equal(sgs_schedule_blocks(&of_device.schedule), cases[i].blocks);
	}
}

static void past_the_end_says_where_the_end_is(void **state)
{
	(void)state;

	job.offset = (struct sgs_size)BLOCKS(2000);
	assert_refused(sg_drive(520, 1000), SGS_USAGE, "not_aligned");
	job.bs = (struct sgs_size)BLOCKS(8);
	assert_refused(sg_drive(520, 1000), SGS_USAGE, "past_the_end");
	assert_says("/dev/sg1");
	assert_says("--offset at block 2000");
	assert_says("1000 blocks of 520 bytes");
}

static void a_loop_may_ask_for_more_than_there_is(void **state)
{
	(void)state;

	job.loop = true;
	job.size = (struct sgs_size)BLOCKS(2500);
	assert_fine(sg_drive(512, 1000));
	assert_int_equal(sgs_schedule_blocks(&of_device.schedule), 2500);
	job.size = (struct sgs_size)BLOCKS(0);
	job.count = 20; /* 8 + 8 transfers of 1000 blocks, and 4 of 128 */
	assert_fine(sg_drive(512, 1000));
	assert_int_equal(sgs_schedule_blocks(&of_device.schedule), 2512);
	job.count = 0;
	job.runtime_ns = 1;
	assert_fine(sg_drive(512, 1000));
	assert_true(sgs_schedule_blocks(&of_device.schedule) == UINT64_MAX);
	job.offset = (struct sgs_size)BLOCKS(1000);
	assert_refused(sg_drive(512, 1000), SGS_USAGE, "past_the_end");
}

static void a_loop_without_an_end_contradicts_itself(void **state)
{
	(void)state;

	job.loop = true;
	assert_refused(sg_drive(512, 1000), SGS_CONTRADICT, "endless");
	assert_says("--runtime");
	assert_int_equal(err.status, 31);
}

static void a_file_of_odd_size_is_read_to_its_last_byte(void **state)
{
	struct sgs_extent last;
	(void)state;

	assert_fine(file(MIB + 1));
	assert_string_equal(plan.engine->name, "buffered");
	assert_int_equal(of_device.schedule.transfers, 17);
	sgs_schedule_extent(&of_device.schedule, 16, &last);
	assert_int_equal(last.lba, MIB);
	assert_int_equal(last.blocks, 1);
}

/* ---- READ CDBs ---- */

static void a_cdb_that_reaches_is_taken(void **state)
{
	static const struct {
		enum sgs_cdb cdb;
		uint64_t blocks, bs, offset, size;
	} cases[] = {
		{ SGS_CDB_6, 1 << 21, 256, 0, 0 },
		{ SGS_CDB_6, 1ULL << 32, 8, 0, 1 << 21 },
		{ SGS_CDB_10, 1ULL << 32, 65535, 0, 0 },
		{ SGS_CDB_12, 1ULL << 32, 65536, 0, 0 },
		{ SGS_CDB_16, 1ULL << 40, 65536, 0, 0 },
		{ SGS_CDB_AUTO, 1ULL << 40, 65536, 0, 0 },
		/* The one short transfer is within reach although a whole one would not be. */
		{ SGS_CDB_6, 100, 512, 0, 0 },
		{ SGS_CDB_10, 1ULL << 32, 128, (1ULL << 32) - 10, 0 },
		{ SGS_CDB_10, 1ULL << 33, 128, (1ULL << 32) - 10, 10 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		current = i;
		job.cdb = cases[i].cdb;
		job.bs = (struct sgs_size)BLOCKS(cases[i].bs);
		job.offset = (struct sgs_size)BLOCKS(cases[i].offset);
		job.size = (struct sgs_size)BLOCKS(cases[i].size);
		assert_fine(sg_drive(512, cases[i].blocks));
	}
}

static void a_cdb_beyond_its_reach_is_refused(void **state)
{
	static const struct {
		enum sgs_cdb cdb;
		uint64_t blocks, bs, offset, size;
	} cases[] = {
		{ SGS_CDB_6, (1 << 21) + 1, 8, 0, 0 },
		{ SGS_CDB_6, 1 << 20, 257, 0, 0 },
		{ SGS_CDB_6, 1ULL << 32, 8, 1 << 21, 1 },
		{ SGS_CDB_10, (1ULL << 32) + 1, 128, 0, 0 },
		{ SGS_CDB_10, 1 << 20, 65536, 0, 0 },
		{ SGS_CDB_10, 1ULL << 33, 128, 1ULL << 32, 1 },
		{ SGS_CDB_12, (1ULL << 32) + 1, 128, 0, 0 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		current = i;
		job.cdb = cases[i].cdb;
		job.bs = (struct sgs_size)BLOCKS(cases[i].bs);
		job.offset = (struct sgs_size)BLOCKS(cases[i].offset);
		job.size = (struct sgs_size)BLOCKS(cases[i].size);
		assert_refused(sg_drive(512, cases[i].blocks), SGS_USAGE, "cdb_too_short");
		assert_says("--cdb 16");
	}
	assert_says("READ(12)");
}

static void what_is_out_of_reach_but_not_read_does_not_matter(void **state)
{
	(void)state;

	job.cdb = SGS_CDB_10;
	job.size = (struct sgs_size)BYTES(TIB);
	assert_fine(sg_drive(512, 1ULL << 40));
	job.size = (struct sgs_size)BYTES(0);
	job.count = 1000;
	assert_fine(sg_drive(512, 1ULL << 40));
	job.loop = true;
	job.size = (struct sgs_size)BYTES(100 * TIB);
	job.count = 0;
	assert_fine(sg_drive(512, 1000));
}

static void engines_without_cdb_do_not_care_for_it(void **state)
{
	struct sgs_device big = block_node();
	(void)state;

	job.cdb = SGS_CDB_6;
	big.blocks = 1ULL << 40;
	assert_fine(big);
}

/* 2^32 blocks of 512 bytes are 2 TiB: what ends below is READ(10)'s, what ends above
 * READ(16)'s. */
static void beyond_2_tib_it_is_read_16(void **state)
{
	const struct sgs_schedule *s = &of_device.schedule;
	struct sgs_extent e;
	(void)state;

	job.bs = (struct sgs_size)BLOCKS(100); /* 2^32 is 42949672 x 100 + 96 */
	assert_fine(sg_drive(512, 5 * (1ULL << 31)));
	sgs_schedule_extent(s, 42949671, &e);
	assert_int_equal(sgs_read_cdb_length(SGS_CDB_AUTO, e.lba, e.blocks), 10);
	sgs_schedule_extent(s, 42949672, &e);
	assert_true(e.lba == 4294967200);
	assert_int_equal(sgs_read_cdb_length(SGS_CDB_AUTO, e.lba, e.blocks), 16);
	sgs_schedule_extent(s, s->transfers - 1, &e);
	assert_int_equal(sgs_read_cdb_length(SGS_CDB_AUTO, e.lba, e.blocks), 16);
	assert_true(e.lba + e.blocks == 5 * (1ULL << 31));
}

/* ---- depth and readers ---- */

static void depth_and_readers(void **state)
{
	static const struct {
		unsigned threads, depth;
		const char *code; /* NULL: fine */
		unsigned readers, in_flight;
	} cases[] = {
		{ 0, 0, NULL, 1, 1 },
		{ 4, 0, NULL, 4, 4 },
		{ 0, 4, NULL, 4, 4 }, /* an engine that waits needs a reader for each */
		{ 4, 4, NULL, 4, 4 },
		{ 1, 1, NULL, 1, 1 },
		{ 0, 1024, NULL, 1024, 1024 },
		{ 4, 2, "depth_below_threads", 0, 0 },
		{ 2, 4, "depth_above_threads", 0, 0 },
		{ 3, 4, "depth_above_threads", 0, 0 },
		{ 1, 16, "depth_above_threads", 0, 0 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		current = i;
		job.threads = cases[i].threads;
		job.queue_depth = cases[i].depth;
		if (cases[i].code) {
			assert_refused(sg_drive(512, 1 << 20), SGS_CONTRADICT, cases[i].code);
			continue;
		}
		assert_fine(sg_drive(512, 1 << 20));
		assert_int_equal(plan.threads, cases[i].readers);
		assert_int_equal(plan.queue_depth, cases[i].in_flight);
		assert_int_equal(plan.slots, 1);
	}
}

static void engines_that_queue_need_no_reader_for_each(void **state)
{
	static const struct {
		unsigned threads, depth, readers, in_flight, slots;
	} cases[] = {
		{ 0, 0, 1, 1, 1 },
		{ 0, 16, 1, 16, 16 },
		{ 4, 0, 4, 4, 1 },
		{ 4, 16, 4, 16, 4 },
		{ 1, 1024, 1, 1024, 1024 },
	};
	static const char *const names[] = { "sg-async", "io_uring" };
	struct sgs_device drive = sg_drive(512, 1 << 20);
	(void)state;

	for (size_t e = 0; e < 2; e++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			job.engine = names[e];
			job.threads = cases[i].threads;
			job.queue_depth = cases[i].depth;
			assert_int_equal(sgs_plan_engine(&job, &drive, 1, &plan, &err), 0);
			assert_int_equal(plan.threads, cases[i].readers);
			assert_int_equal(plan.queue_depth, cases[i].in_flight);
			assert_int_equal(plan.slots, cases[i].slots);
		}
}

static void vectors_need_an_engine_that_has_them(void **state)
{
	(void)state;

	job.iovecs = 4;
	assert_refused(sg_drive(512, 1 << 20), SGS_CONTRADICT, "no_iovecs");
	assert_says("sg-mmap");
	job.engine = "buffered";
	assert_fine(sg_drive(512, 1 << 20));
	job.iovecs = 1024;
	assert_fine(sg_drive(512, 1 << 20));
	job.iovecs = 1025;
	assert_refused(sg_drive(512, 1 << 20), SGS_USAGE, "too_many_iovecs");
	assert_says("1025");
}

static void output_is_of_one_device_that_moves_data(void **state)
{
	struct sgs_device two[] = { sg_drive(512, 1 << 20), sg_drive(512, 1 << 20) };
	(void)state;

	job.output_fd = 1;
	assert_fine(sg_drive(512, 1 << 20));
	assert_int_equal(plan_all(two, 2), SGS_CONTRADICT);
	assert_string_equal(err.code, "several_devices");
	job.engine = "null";
	assert_refused(sg_drive(512, 1 << 20), SGS_CONTRADICT, "no_data");
}

static void too_deep_names_the_depth_and_the_limit(void **state)
{
	(void)state;

	job.queue_depth = 1025;
	assert_refused(sg_drive(512, 1 << 20), SGS_USAGE, "too_deep");
	assert_says("1025");
	assert_says("1024");
	job.queue_depth = 0;
	job.threads = 4000000000u;
	assert_refused(sg_drive(512, 1 << 20), SGS_USAGE, "too_deep");
	assert_says("4000000000");
}

/* ---- engines and nodes ---- */

static void the_node_decides_on_the_engine(void **state)
{
	(void)state;

	assert_fine(sg_drive(512, 1 << 20));
	assert_string_equal(plan.engine->name, "sg-mmap");
	assert_fine(block_node());
	assert_string_equal(plan.engine->name, "buffered");
	assert_fine(file(MIB));
	assert_string_equal(plan.engine->name, "buffered");
}

static void the_user_decides_before_the_node(void **state)
{
	static const char *const names[] = { "sg-mmap", "sg-dio", "sg-copy", "buffered",
		"direct", "null" };
	(void)state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		job.engine = names[i];
		assert_fine(sg_drive(512, 1 << 20)); /* it has a block node as well */
		assert_string_equal(plan.engine->name, names[i]);
	}
}

static void an_unknown_engine_is_answered_with_the_known(void **state)
{
	(void)state;

	job.engine = "libaio";
	assert_refused(sg_drive(512, 1 << 20), SGS_USAGE, "unknown_engine");
	assert_says("'libaio'");
	for (size_t i = 0; i < sgs_engine_count; i++)
		assert_says(sgs_engines[i]->name);
	job.engine = "";
	assert_refused(sg_drive(512, 1 << 20), SGS_USAGE, "unknown_engine");
	job.engine = "sg-mma"; /* no abbreviation is guessed at */
	assert_refused(sg_drive(512, 1 << 20), SGS_USAGE, "unknown_engine");
}

static void nodes_of_different_kinds_need_a_named_engine(void **state)
{
	struct sgs_device devices[] = { sg_drive(512, 1 << 20), block_node() };
	(void)state;

	assert_int_equal(plan_all(devices, 2), SGS_CONTRADICT);
	assert_string_equal(err.code, "mixed_nodes");
	assert_says("/dev/sg1");
	assert_says("/dev/nvme0n1");
	assert_says("sg-mmap");
	assert_says("buffered");
	job.engine = "buffered";
	assert_int_equal(plan_all(devices, 2), 0);
}

static void devices_of_different_block_lengths_are_fine_by_blocks(void **state)
{
	struct sgs_device devices[] = { sg_drive(512, 1 << 20), sg_drive(520, 1 << 20) };
	(void)state;

	assert_int_equal(plan_all(devices, 2), SGS_USAGE);
	job.bs = (struct sgs_size)BLOCKS(64);
	assert_int_equal(plan_all(devices, 2), 0);
	assert_int_equal(of_device.bs_bytes, 64 * 520);
}

static void no_device_is_refused(void **state)
{
	(void)state;

	assert_int_equal(plan_all(NULL, 0), SGS_USAGE);
	assert_string_equal(err.code, "no_device");
}

static void scsi_engines_refuse_a_partition_and_name_its_disk(void **state)
{
	static const char *const names[] = { "sg-mmap", "sg-dio", "sg-copy" };
	(void)state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		job.engine = names[i];
		assert_refused(partition(), SGS_FILE, "partition");
		assert_says("/dev/sdb1 is a partition");
		assert_says("/dev/sdb with --offset");
	}
	job.engine = "direct";
	assert_fine(partition());
}

static void scsi_engines_say_why_a_node_is_not_theirs(void **state)
{
	struct sgs_device no_sg = block_node();
	(void)state;

	job.engine = "sg-mmap";
	assert_refused(block_node(), SGS_FILE, "not_scsi");
	assert_says("-e direct");
	assert_refused(file(MIB), SGS_FILE, "not_scsi");
	no_sg.is_scsi = true;
	assert_refused(no_sg, SGS_FILE, "no_sg_node");
	assert_says("modprobe sg");
}

static void block_engines_say_why_a_node_is_not_theirs(void **state)
{
	struct sgs_device member = sg_drive(512, 1 << 20);
	(void)state;

	member.block_path[0] = '\0';
	job.engine = "direct";
	assert_refused(member, SGS_FILE, "no_block_node");
	assert_says("sg-mmap");
	job.engine = "buffered";
	assert_refused(member, SGS_FILE, "no_block_node");
}

/* ---- sgs_plan() ---- */

static struct sgs_result result;

static void dry_run(const struct sgs_device *devices, size_t n)
{
	memset(&result, 0, sizeof(result));
	sgs_plan(&job, devices, n, &result);
}

static void a_dry_run_says_what_would_be_done(void **state)
{
	struct sgs_device devices[] = { sg_drive(512, 1 << 20), sg_drive(4096, 1000) };
	(void)state;

	job.queue_depth = 3;
	job.size = (struct sgs_size)BYTES(4000 * KIB);
	dry_run(devices, 2);
	assert_int_equal(result.exit_status, 0);
	assert_int_equal(result.n_messages, 0);
	assert_false(result.run.started);
	assert_string_equal(result.run.engine, "sg-mmap");
	assert_int_equal(result.run.threads, 3);
	assert_int_equal(result.run.queue_depth, 3);
	assert_int_equal(result.run.bs_bytes, 65536);
	assert_int_equal(result.run.n_devices, 2);
	assert_int_equal(result.run.devices[0].goal_bytes, 4096000);
	assert_int_equal(result.run.devices[1].goal_bytes, 4096000);
	assert_string_equal(result.run.devices[1].device.path, "/dev/sg1");
	sgs_result_free(&result);
}

static void a_dry_run_without_end_has_no_goal(void **state)
{
	struct sgs_device drive = sg_drive(512, 1 << 20);
	(void)state;

	job.loop = true;
	job.runtime_ns = 1000;
	dry_run(&drive, 1);
	assert_int_equal(result.exit_status, 0);
	assert_true(result.run.devices[0].goal_bytes == UINT64_MAX);
	sgs_result_free(&result);
}

/* 2^50 transfers of 64 KiB are 2^66 bytes: a wrapped number would be a lie. */
static void a_goal_beyond_64_bits_does_not_wrap(void **state)
{
	struct sgs_device drive = sg_drive(512, 1 << 20);
	(void)state;

	job.loop = true;
	job.count = 1ULL << 50;
	dry_run(&drive, 1);
	assert_true(result.run.devices[0].goal_bytes == UINT64_MAX);
	sgs_result_free(&result);
}

static void a_dry_run_reports_the_device_at_fault(void **state)
{
	struct sgs_device devices[] = { sg_drive(512, 1 << 20), sg_drive(520, 1000) };
	(void)state;

	strcpy(devices[1].path, "/dev/sg7");
	dry_run(devices, 2);
	assert_int_equal(result.exit_status, SGS_USAGE);
	assert_int_equal(result.n_messages, 1);
	assert_int_equal(result.messages[0].level, SGS_ERROR);
	assert_string_equal(result.messages[0].code, "not_aligned");
	assert_string_equal(result.messages[0].device, "/dev/sg7");
	assert_string_equal(sgs_result_status(&result), "error");
	sgs_result_free(&result);
	dry_run(devices, 0);
	assert_int_equal(result.exit_status, SGS_USAGE);
	sgs_result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_default_is_64_kib, defaults),
		cmocka_unit_test_setup(
			on_520_byte_blocks_64k_is_refused_with_its_neighbours, defaults),
		cmocka_unit_test_setup(below_one_block_only_the_block_is_proposed, defaults),
		cmocka_unit_test_setup(blocks_fit_any_block_length, defaults),
		cmocka_unit_test_setup(multiples_of_odd_blocks_are_found_by_division, defaults),
		cmocka_unit_test_setup(no_block_size_at_all_is_refused, defaults),
		cmocka_unit_test_setup(block_sizes_beyond_reason_are_refused, defaults),
		cmocka_unit_test_setup(offset_and_size_must_be_multiples_too, defaults),
		cmocka_unit_test_setup(a_whole_device_ends_with_its_last_block, defaults),
		cmocka_unit_test_setup(ranges_up_to_the_very_end_and_no_further, defaults),
		cmocka_unit_test_setup(past_the_end_says_where_the_end_is, defaults),
		cmocka_unit_test_setup(a_loop_may_ask_for_more_than_there_is, defaults),
		cmocka_unit_test_setup(a_loop_without_an_end_contradicts_itself, defaults),
		cmocka_unit_test_setup(a_file_of_odd_size_is_read_to_its_last_byte, defaults),
		cmocka_unit_test_setup(a_cdb_that_reaches_is_taken, defaults),
		cmocka_unit_test_setup(a_cdb_beyond_its_reach_is_refused, defaults),
		cmocka_unit_test_setup(
			what_is_out_of_reach_but_not_read_does_not_matter, defaults),
		cmocka_unit_test_setup(engines_without_cdb_do_not_care_for_it, defaults),
		cmocka_unit_test_setup(beyond_2_tib_it_is_read_16, defaults),
		cmocka_unit_test_setup(depth_and_readers, defaults),
		cmocka_unit_test_setup(engines_that_queue_need_no_reader_for_each, defaults),
		cmocka_unit_test_setup(vectors_need_an_engine_that_has_them, defaults),
		cmocka_unit_test_setup(output_is_of_one_device_that_moves_data, defaults),
		cmocka_unit_test_setup(too_deep_names_the_depth_and_the_limit, defaults),
		cmocka_unit_test_setup(the_node_decides_on_the_engine, defaults),
		cmocka_unit_test_setup(the_user_decides_before_the_node, defaults),
		cmocka_unit_test_setup(an_unknown_engine_is_answered_with_the_known, defaults),
		cmocka_unit_test_setup(nodes_of_different_kinds_need_a_named_engine, defaults),
		cmocka_unit_test_setup(
			devices_of_different_block_lengths_are_fine_by_blocks, defaults),
		cmocka_unit_test_setup(no_device_is_refused, defaults),
		cmocka_unit_test_setup(
			scsi_engines_refuse_a_partition_and_name_its_disk, defaults),
		cmocka_unit_test_setup(scsi_engines_say_why_a_node_is_not_theirs, defaults),
		cmocka_unit_test_setup(block_engines_say_why_a_node_is_not_theirs, defaults),
		cmocka_unit_test_setup(a_dry_run_says_what_would_be_done, defaults),
		cmocka_unit_test_setup(a_dry_run_without_end_has_no_goal, defaults),
		cmocka_unit_test_setup(a_goal_beyond_64_bits_does_not_wrap, defaults),
		cmocka_unit_test_setup(a_dry_run_reports_the_device_at_fault, defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
