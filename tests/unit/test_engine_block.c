/* SPDX-License-Identifier: BSD-2-Clause */
/* The engines that read block nodes and files, over files of this host. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/engine.h"

#include "fake_sg.h"

#define KIB 1024u
#define BS  (64 * KIB)
#define ODD (3 * BS + 4096 + 777) /* three transfers, a page, and no multiple of anything */

/* ---- system calls are counted and may fail ---- */

static struct {
	unsigned reads;
	size_t asked; /* of the last one */
	unsigned parts;
	int flags;
	off_t offset;
	int error; /* errno of the next ones, 0 none */
} calls;

static size_t least_mapping; /* of those that fail; 0: none does */

ssize_t pread64(int fd, void *buf, size_t len, off_t offset)
{
	calls.reads++;
	calls.asked = len;
	calls.parts = 1;
	calls.offset = offset;
	errno = calls.error;
	return calls.error ? -1 : syscall(SYS_pread64, fd, buf, len, offset);
}

ssize_t preadv64v2(int fd, const struct iovec *parts, int n, off_t offset, int flags)
{
	calls.reads++;
	calls.asked = 0;
	for (int i = 0; i < n; i++)
		calls.asked += parts[i].iov_len;
	calls.parts = (unsigned)n;
	calls.flags = flags;
	calls.offset = offset;
	errno = calls.error;
	return calls.error ? -1 : syscall(SYS_preadv2, fd, parts, n, offset, 0, flags);
}

void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	if (least_mapping && len >= least_mapping) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, offset);
}

/* ---- files ---- */

static char path[64];
static struct sgs_device device;
static struct sgs_lane_config config;
static const struct sgs_engine *engine;
static struct sgs_lane *lane;
static struct sgs_error err;
static unsigned slots = 1;

static uint8_t content(uint64_t offset)
{
	return (uint8_t)(offset * 31 ^ offset >> 7 ^ offset >> 15);
}

static void fill(int fd, size_t bytes)
{
	uint8_t *data = malloc(bytes);

	assert_non_null(data);
	for (size_t i = 0; i < bytes; i++)
		data[i] = content(i);
	assert_int_equal(write(fd, data, bytes), bytes);
	free(data);
}

static void make_file(size_t bytes)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	snprintf(path, sizeof(path), "%.30s/sgs-block-XXXXXX", folder ? folder : "/tmp");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	fill(fd, bytes);
	fsync(fd); /* or O_DIRECT reads may wait for it later */
	close(fd);
	if (sgs_device_open(path, &device, &err))
		fail_msg("%s", err.text);
	assert_int_equal(device.block_bytes, 1);
	assert_int_equal(device.blocks, bytes);
	config = (struct sgs_lane_config){
		.device = &device, .bs_bytes = BS, .timeout_ms = 1000, .slots = 1
	};
}

static int new_file(void **state)
{
	fake_reset(state);
	memset(&calls, 0, sizeof(calls));
	memset(&err, 0, sizeof(err));
	least_mapping = 0;
	slots = 1;
	lane = NULL;
	make_file(ODD);
	return 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void cut_to(off_t bytes)
{
	assert_int_equal(truncate(path, bytes), 0);
}

/* ---- lanes ---- */

static int try_open(const char *name)
{
	engine = sgs_engine_find(name);
	assert_non_null(engine);
	config.slots = slots;
	lane = NULL;
	return engine->open(&config, &lane, &err);
}

/* False, with the reason printed, when this host has no such way to read. */
static bool open_here(const char *name)
{
	struct sgs_error why = { 0 };

	if (sgs_engine_find(name)->probe(&device, &why)) {
		print_message("%s: %s\n", name, why.text);
		return false;
	}
	if (!try_open(name)) {
		calls.reads = 0;
		return true;
	}
	if (strcmp(err.code, "no_direct_io") && strcmp(err.code, "no_io_uring"))
		fail_msg("%s: %s", name, err.text);
	print_message("%s: %s\n", name, err.text);
	return false;
}

static void close_lane(void)
{
	engine->close(lane);
	lane = NULL;
}

static struct sgs_slot *read_at(uint64_t offset, uint32_t bytes)
{
	struct sgs_slot *slot = lane->slots[0];

	slot->extent = (struct sgs_extent){ .lba = offset / device.block_bytes,
		.blocks = bytes / device.block_bytes };
	if (engine->submit(lane, slot) == SGS_QUEUED)
		assert_ptr_equal(engine->reap(lane, true), slot);
	return slot;
}

static void assert_data(const struct sgs_slot *slot)
{
	uint64_t first = slot->extent.lba * device.block_bytes;
	const uint8_t *data = slot->data;

	if (slot->outcome.fault ||
		slot->outcome.bytes != slot->extent.blocks * device.block_bytes)
		fail_msg("%s: %s, %u of %u blocks", engine->name,
			sgs_fault_name(slot->outcome.fault), slot->outcome.bytes,
			slot->extent.blocks);
	for (uint32_t i = 0; i < slot->outcome.bytes; i++)
		if (data[i] != content(first + i))
			fail_msg("%s: byte %u at %llu is wrong", engine->name, i,
				(unsigned long long)first);
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

static const char *const all[] = { "buffered", "direct", "mmap", "uncached", "io_uring" };

enum { ALL = sizeof(all) / sizeof(all[0]) };

#define FOR_EACH_ENGINE(e)               \
	for (size_t e = 0; e < ALL; e++) \
		if (sgs_engine_find(all[e]) && open_here(all[e]))

/* ---- data ---- */

static void every_byte_of_a_file_of_odd_size(void **state)
{
	(void)state;

	FOR_EACH_ENGINE(e)
	{
		for (uint32_t i = 0; i < 3; i++)
			assert_data(read_at(i * BS, BS));
		assert_data(read_at(3 * BS, 4096 + 777));
		close_lane();
	}
}

/* A tail that is not followed by the end of the file must not bring more than was asked. */
static void an_odd_length_in_the_middle(void **state)
{
	(void)state;

	FOR_EACH_ENGINE(e)
	{
		assert_data(read_at(BS, 1));
		assert_data(read_at(BS, 4097));
		assert_data(read_at(0, 777));
		close_lane();
	}
}

static void reads_far_into_a_file(void **state)
{
	const off_t far = 5LL << 30;
	int fd = open(path, O_RDWR);
	uint8_t mark[4096];
	(void)state;

	memset(mark, 0x5a, sizeof(mark));
	assert_int_equal(pwrite(fd, mark, sizeof(mark), far), sizeof(mark));
	fsync(fd);
	close(fd);
	device.blocks = (uint64_t)far + 4096;
	FOR_EACH_ENGINE(e)
	{
		const struct sgs_slot *slot = read_at((uint64_t)far, 4096);

		assert_int_equal(slot->outcome.bytes, 4096);
		assert_memory_equal(slot->data, mark, sizeof(mark));
		assert_data(read_at(0, BS)); /* and back */
		close_lane();
	}
}

static void what_the_engines_say_of_their_transfers(void **state)
{
	static const enum sgs_transfer right[ALL] = { SGS_CACHED, SGS_DIRECT, SGS_CACHED,
		SGS_CACHED, SGS_DIRECT };
	(void)state;

	FOR_EACH_ENGINE(e)
	{
		assert_int_equal(read_at(0, BS)->outcome.transfer, right[e]);
		assert_int_equal(engine->transfer, right[e]);
		close_lane();
	}
}

/* ---- system calls ---- */

static void one_call_for_each_command(void **state)
{
	static const char *const names[] = { "buffered", "direct", "uncached" };
	(void)state;

	for (size_t i = 0; i < 3; i++) {
		if (!open_here(names[i]))
			continue;
		for (uint32_t j = 0; j < 3; j++) {
			read_at(j * BS, BS);
			assert_int_equal(calls.reads, j + 1);
			assert_int_equal(calls.asked, BS);
			assert_int_equal(calls.offset, j * BS);
		}
		close_lane();
	}
}

static void buffered_asks_for_exactly_what_is_wanted(void **state)
{
	(void)state;

	assert_true(open_here("buffered"));
	assert_data(read_at(3 * BS, 4096 + 777));
	assert_int_equal(calls.asked, 4096 + 777);
	close_lane();
}

/* O_DIRECT takes whole blocks only; what is behind the wanted bytes does not count. */
static void direct_asks_for_whole_blocks(void **state)
{
	(void)state;

	if (!open_here("direct"))
		skip();
	assert_data(read_at(3 * BS, 4096 + 777));
	assert_true(calls.asked >= 4096 + 777);
	assert_true(calls.asked <= BS);
	assert_int_equal(calls.asked % device.limits.dio_block, 0);
	assert_data(read_at(0, 1));
	assert_int_equal(calls.asked, device.limits.dio_block);
	close_lane();
}

static void vectors_share_a_read(void **state)
{
	static const char *const names[] = { "buffered", "direct", "uncached" };
	(void)state;

	config.iovecs = 4;
	for (size_t i = 0; i < 3; i++) {
		if (!open_here(names[i]))
			continue;
		assert_data(read_at(0, BS));
		assert_int_equal(calls.parts, 4);
		assert_int_equal(calls.reads, 1);
		assert_data(read_at(2 * BS, BS));
		assert_data(read_at(3 * BS, 4096 + 777)); /* in the first part alone */
		assert_int_equal(calls.parts, 1);
		assert_data(read_at(BS, 20000)); /* one and a bit */
		assert_int_equal(calls.parts, 2);
		close_lane();
	}
}

static void vectors_that_do_not_divide_the_block_size_are_refused(void **state)
{
	(void)state;

	config.iovecs = 3;
	assert_int_equal(try_open("buffered"), SGS_USAGE);
	ASSERT_ERROR(SGS_USAGE, "not_aligned", "--iovecs 3", "65536");
	config.iovecs = 256; /* parts of 256 bytes */
	assert_int_equal(try_open("buffered"), 0);
	close_lane();
	if (!try_open("direct"))
		fail_msg("direct takes parts of 256 bytes");
	if (strcmp(err.code, "no_direct_io"))
		ASSERT_ERROR(SGS_USAGE, "not_aligned", "--iovecs 256");
}

/* ---- what goes wrong ---- */

/* A device that shrinks in the middle of a run: neither padding nor silence is success. */
static void a_file_cut_inside_a_transfer_is_short(void **state)
{
	static const char *const names[] = { "buffered", "direct", "uncached", "io_uring" };
	(void)state;

	for (size_t i = 0; i < 4; i++) {
		const struct sgs_outcome *out;

		if (!open_here(names[i]))
			continue;
		assert_data(read_at(0, BS));
		cut_to(BS + 5000);
		out = &read_at(BS, BS)->outcome;
		assert_int_equal(out->fault, SGS_FAULT_SHORT);
		assert_int_equal(out->bytes, 5000);
		assert_int_equal(out->host_errno, 0);
		assert_int_equal(sgs_outcome_status(out), SGS_MEDIUM_HARD);
		close_lane();
		remove_file(NULL);
		make_file(ODD);
	}
}

static void a_file_cut_before_a_transfer_has_gone(void **state)
{
	static const char *const names[] = { "buffered", "direct", "uncached", "io_uring" };
	(void)state;

	for (size_t i = 0; i < 4; i++) {
		const struct sgs_outcome *out;

		if (!open_here(names[i]))
			continue;
		cut_to(BS);
		out = &read_at(BS, BS)->outcome;
		assert_int_equal(out->fault, SGS_FAULT_GONE);
		assert_int_equal(out->bytes, 0);
		assert_int_not_equal(sgs_outcome_status(out), 0);
		close_lane();
		remove_file(NULL);
		make_file(ODD);
	}
}

/* cmocka has a handler of its own for each test; the engine installs its own only once. */
static struct sigaction engine_sigbus;

static void remember_sigbus(void)
{
	const struct sgs_engine *mapped = sgs_engine_find("mmap");
	struct sgs_device self = {
		.block_path = "/proc/self/exe", .block_bytes = 1, .blocks = 1
	};
	struct sgs_lane_config c = { .device = &self, .bs_bytes = 1, .slots = 1 };
	struct sgs_lane *l = NULL;

	if (mapped && !mapped->open(&c, &l, &err))
		mapped->close(l);
	sigaction(SIGBUS, NULL, &engine_sigbus);
}

/* 0, or which step went wrong. */
static int read_a_cut_mapping(void)
{
	sigaction(SIGBUS, &engine_sigbus, NULL);
	if (read_at(0, BS)->outcome.fault)
		return 1;
	if (truncate(path, BS + 4096))
		return 2;
	if (!read_at(2 * BS, BS)->outcome.fault || lane->slots[0]->outcome.bytes)
		return 3;
	if (read_at(0, BS)->outcome.fault) /* and the next one is fine */
		return 4;
	return read_at(BS, BS)->outcome.fault ? 0 : 5;
}

/* There the kernel raises SIGBUS, which must end the command and not the program. */
static void a_mapped_file_that_was_cut_fails(void **state)
{
	int status;
	pid_t child;
	(void)state;

	if (!sgs_engine_find("mmap") || !open_here("mmap"))
		skip();
	child = fork();
	if (child == 0)
		_exit(read_a_cut_mapping());
	assert_int_equal(waitpid(child, &status, 0), child);
	close_lane();
	if (WIFSIGNALED(status))
		fail_msg("the program died of signal %d", WTERMSIG(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* The rest of the last page is zeros there, which no SIGBUS tells. */
static void a_mapped_file_cut_inside_a_page_fails(void **state)
{
	const struct sgs_outcome *out;
	(void)state;

	if (!sgs_engine_find("mmap") || !open_here("mmap"))
		skip();
	cut_to(3 * BS + 4096 + 100);
	out = &read_at(3 * BS, 4096 + 777)->outcome;
	assert_int_not_equal(out->fault, SGS_FAULT_NONE);
	assert_true(out->bytes <= 4096 + 100);
	close_lane();
}

static void errors_of_the_block_layer(void **state)
{
	static const struct {
		int error;
		enum sgs_fault_class fault;
	} cases[] = {
		{ EIO, SGS_FAULT_MEDIUM },
		{ ENODATA, SGS_FAULT_MEDIUM },
		{ EREMOTEIO, SGS_FAULT_HARDWARE },
		{ ENODEV, SGS_FAULT_GONE },
		{ ETIMEDOUT, SGS_FAULT_TIMEOUT },
		{ EFAULT, SGS_FAULT_HOST },
	};
	static const char *const names[] = { "buffered", "direct", "uncached" };
	(void)state;

	for (size_t n = 0; n < 3; n++) {
		if (!open_here(names[n]))
			continue;
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			const struct sgs_outcome *out;

			calls.error = cases[i].error;
			out = &read_at(0, BS)->outcome;
			assert_int_equal(out->fault, cases[i].fault);
			assert_int_equal(out->bytes, 0);
			assert_int_equal(out->host_errno, cases[i].error);
			calls.error = 0;
			assert_data(read_at(0, BS));
		}
		close_lane();
	}
}

/* ---- opening ---- */

static struct fake_node *fake_block(void)
{
	static uint8_t data[BS];
	struct fake_node *node = fake_node("/dev/sdq", S_IFBLK | 0660, 65, 0);

	for (size_t i = 0; i < BS; i++)
		data[i] = content(i);
	node->content = data;
	node->content_len = BS;
	device = (struct sgs_device){
		.path = "/dev/sdq",
		.block_path = "/dev/sdq",
		.node = SGS_NODE_BLOCK,
		.block_bytes = 512,
		.blocks = BS / 512,
		.limits.dio_block = 512,
	};
	return node;
}

static void nodes_are_opened_for_reading_only(void **state)
{
	static const char *const names[] = { "buffered", "direct", "mmap", "io_uring" };
	static const bool direct[] = { false, true, false, true };
	struct fake_node *node = fake_block();
	(void)state;

	for (size_t i = 0; i < 4; i++) {
		if (!sgs_engine_find(names[i]) || !open_here(names[i]))
			continue;
		assert_int_equal(node->open_flags & O_ACCMODE, O_RDONLY);
		assert_int_equal((node->open_flags & O_DIRECT) != 0, direct[i]);
		assert_true(node->open_flags & O_CLOEXEC);
		assert_false(node->open_flags & (O_CREAT | O_TRUNC | O_EXCL));
		close_lane();
	}
	fake_check();
}

static void a_node_that_cannot_be_opened_is_named(void **state)
{
	static const int errors[] = { EACCES, ENOENT, ENXIO, ENOMEDIUM };
	struct fake_node *node = fake_block();
	(void)state;

	for (size_t e = 0; e < ALL; e++)
		for (size_t i = 0; sgs_engine_find(all[e]) && i < 4; i++) {
			node->open_error = errors[i];
			assert_int_not_equal(try_open(all[e]), 0);
			ASSERT_ERROR(SGS_FILE, "cannot_open", "/dev/sdq",
				strerrordesc_np(errors[i]));
			assert_null(lane);
		}
	fake_check();
}

static void a_file_system_without_direct_io_is_explained(void **state)
{
	struct fake_node *node = fake_block();
	(void)state;

	node->open_error = EINVAL;
	assert_int_not_equal(try_open("direct"), 0);
	ASSERT_ERROR(
		SGS_OS_BASE + EINVAL, "no_direct_io", "/dev/sdq", "O_DIRECT", "-e buffered");
	fake_check();
}

static void direct_engines_refuse_a_block_size_that_does_not_fit(void **state)
{
	static const char *const names[] = { "direct", "io_uring" };
	(void)state;

	device.limits.dio_block = 4096;
	config.bs_bytes = 6000;
	for (size_t i = 0; i < 2; i++) {
		if (!sgs_engine_find(names[i]))
			continue;
		assert_int_not_equal(try_open(names[i]), 0);
		ASSERT_ERROR(
			SGS_USAGE, "not_aligned", path, "multiples of 4096", "-e buffered");
	}
	assert_true(open_here("buffered"));
	assert_data(read_at(0, 6000));
	close_lane();
}

/* --offset 100 of a file: the first read of the run would be refused, so the trial is. */
static void an_offset_that_direct_io_cannot_read_shows_in_the_trial(void **state)
{
	if (!open_here("direct"))
		skip();
	close_lane();
	config.trial = (struct sgs_extent){ .lba = 100, .blocks = BS };
	if (!try_open("direct")) { /* this file system copies instead of refusing */
		close_lane();
		skip();
	}
	ASSERT_ERROR(SGS_USAGE, "not_aligned", path, "multiples of", "--offset");
	(void)state;
}

static void a_refused_size_shows_in_the_trial(void **state)
{
	static const int errors[] = { EINVAL, ENOMEM };
	(void)state;

	if (!open_here("direct"))
		skip();
	close_lane();
	config.trial = (struct sgs_extent){ .lba = 0, .blocks = BS };
	for (int i = 0; i < 2; i++) {
		calls.error = errors[i];
		assert_int_not_equal(try_open("direct"), 0);
		ASSERT_ERROR(SGS_OS_BASE + errors[i], "transfer_too_large", "64 KiB",
			strerrordesc_np(errors[i]), "--bs");
	}
}

/* A read before the clock would warm the cache and make the first figure a lie. */
static void only_direct_reads_are_tried_beforehand(void **state)
{
	config.trial = (struct sgs_extent){ .lba = 0, .blocks = BS };
	(void)state;

	FOR_EACH_ENGINE(e)
	{
		assert_int_equal(lane->trials, engine->transfer == SGS_DIRECT);
		assert_data(read_at(BS, BS));
		close_lane();
	}
	calls.reads = 0;
	assert_int_equal(try_open("buffered"), 0);
	assert_int_equal(calls.reads, 0);
	close_lane();
}

static void memory_that_is_not_there_is_explained(void **state)
{
	static const char *const names[] = { "buffered", "direct" };
	(void)state;

	for (int i = 0; i < 2; i++) {
		least_mapping = BS;
		assert_int_not_equal(try_open(names[i]), 0);
		least_mapping = 0;
		if (!strcmp(err.code, "no_direct_io"))
			continue;
		ASSERT_ERROR(
			SGS_OS_BASE + ENOMEM, "no_memory", "64 KiB", "Cannot allocate", "--bs");
	}
}

static void a_window_that_cannot_be_mapped_fails_the_command(void **state)
{
	const struct sgs_outcome *out;
	(void)state;

	if (!sgs_engine_find("mmap") || !open_here("mmap"))
		skip();
	least_mapping = 1;
	out = &read_at(0, BS)->outcome;
	least_mapping = 0;
	assert_int_equal(out->fault, SGS_FAULT_HOST);
	assert_int_equal(out->host_errno, ENOMEM);
	assert_int_equal(out->bytes, 0);
	assert_data(read_at(0, BS));
	close_lane();
}

/* ---- many in flight ---- */

/* Each slot comes back once, with the data of its own extent in a buffer of its own. */
static void a_ring_gives_each_slot_back_with_its_own_data(void **state)
{
	enum { DEPTH = 8 };
	bool back[DEPTH] = { false };
	(void)state;

	slots = DEPTH;
	if (!sgs_engine_find("io_uring") || !open_here("io_uring"))
		skip();
	for (unsigned i = 0; i < DEPTH; i++) {
		lane->slots[i]->extent =
			(struct sgs_extent){ .lba = i * 8192, .blocks = 8192 + 1000 };
		assert_int_equal(engine->submit(lane, lane->slots[i]), SGS_QUEUED);
	}
	for (unsigned n = 0; n < DEPTH; n++) {
		struct sgs_slot *slot = engine->reap(lane, true);
		unsigned i = 0;

		assert_non_null(slot);
		while (lane->slots[i] != slot)
			i++;
		assert_false(back[i]);
		back[i] = true;
	}
	assert_null(engine->reap(lane, false));
	for (unsigned i = 0; i < DEPTH; i++)
		assert_data(lane->slots[i]);
	close_lane();
}

static void a_ring_goes_round_many_times(void **state)
{
	(void)state;

	slots = 3;
	if (!sgs_engine_find("io_uring") || !open_here("io_uring"))
		skip();
	for (uint32_t i = 0; i < 300; i++) {
		struct sgs_slot *slot = lane->slots[i % 3];

		slot->extent = (struct sgs_extent){ .lba = i % 40 * 4096, .blocks = 4096 };
		assert_int_equal(engine->submit(lane, slot), SGS_QUEUED);
		assert_ptr_equal(engine->reap(lane, true), slot);
		assert_data(slot);
	}
	close_lane();
}

#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, new_file, remove_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FILE(every_byte_of_a_file_of_odd_size),
		WITH_FILE(an_odd_length_in_the_middle),
		WITH_FILE(reads_far_into_a_file),
		WITH_FILE(what_the_engines_say_of_their_transfers),
		WITH_FILE(one_call_for_each_command),
		WITH_FILE(buffered_asks_for_exactly_what_is_wanted),
		WITH_FILE(direct_asks_for_whole_blocks),
		WITH_FILE(vectors_share_a_read),
		WITH_FILE(vectors_that_do_not_divide_the_block_size_are_refused),
		WITH_FILE(a_file_cut_inside_a_transfer_is_short),
		WITH_FILE(a_file_cut_before_a_transfer_has_gone),
		WITH_FILE(a_mapped_file_that_was_cut_fails),
		WITH_FILE(a_mapped_file_cut_inside_a_page_fails),
		WITH_FILE(errors_of_the_block_layer),
		WITH_FILE(nodes_are_opened_for_reading_only),
		WITH_FILE(a_node_that_cannot_be_opened_is_named),
		WITH_FILE(a_file_system_without_direct_io_is_explained),
		WITH_FILE(direct_engines_refuse_a_block_size_that_does_not_fit),
		WITH_FILE(an_offset_that_direct_io_cannot_read_shows_in_the_trial),
		WITH_FILE(a_refused_size_shows_in_the_trial),
		WITH_FILE(only_direct_reads_are_tried_beforehand),
		WITH_FILE(memory_that_is_not_there_is_explained),
		WITH_FILE(a_window_that_cannot_be_mapped_fails_the_command),
		WITH_FILE(a_ring_gives_each_slot_back_with_its_own_data),
		WITH_FILE(a_ring_goes_round_many_times),
	};

	remember_sigbus();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
