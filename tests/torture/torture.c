/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * torture [--seed N] [--run N] [--seconds N] [--runs N]: whole runs over drives that exist in a
 * table only (tests/unit/fake_sg.h), with faults of every kind at random, through every engine
 * that the table can carry, at depths of 1 to 16. The drives' content and bad blocks are known,
 * so after each run the digest of the good data, the bad ranges, the byte count and the READs
 * that the drives have seen must be exactly those. The seed is printed; --run N does one run of
 * it again.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <scsi/sg.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <sgstream/job.h>

#include "engine/engine.h"
#include "run/digest.h"
#include "run/schedule.h"

#include "fake_sg.h"

enum {
	DRIVES = 3,
	MOST_BLOCKS = 4000,
	RETRIES = 5,
	SG_MAJOR = 21,
	SD_MAJOR = 8,
	PAGE = 4096,
	QUEUED = 64,
	FDS = 1024
};

/* ---- chance ---- */

static uint64_t chance_state;

static uint64_t chance(void)
{
	uint64_t z = chance_state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t below(uint64_t n)
{
	return chance() % n;
}

static bool one_in(uint64_t n)
{
	return below(n) == 0;
}

/* ---- drives ---- */

enum info { INFO_NONE, INFO_RIGHT, INFO_FIRST, INFO_OUTSIDE, INFO_DESCRIPTOR, INFOS };

struct drive {
	struct fake_node *sg, *block, *bsg;
	uint32_t block_bytes;
	uint64_t blocks;
	uint8_t *content;
	bool bad[MOST_BLOCKS];
	enum info info;
	uint8_t tries[MOST_BLOCKS]; /* transient faults in a row of a READ that begins here */
	uint64_t reads;
	uint64_t fatal_at; /* this READ and all behind it fail with fatal, 0: none */
};

/* Why a READ that could have been good was not. */
enum fault {
	NO_FAULT,
	ATTENTION,
	ABORTED,
	BUSY,
	TASK_SET_FULL,
	DID_ERROR,
	DEFERRED,
	RECOVERED,
	SHORT_TRANSFER,
	BECOMING_READY,
	FAULT_KINDS
};

static struct drive drives[DRIVES];
static size_t n_drives;
static unsigned fault_rate; /* one READ in so many; 0: none */
static bool skips;
static uint64_t injected[FAULT_KINDS], medium_errors, all_reads;

static struct drive *drive_of(const struct fake_node *node)
{
	for (size_t i = 0; i < n_drives; i++)
		if (drives[i].sg == node || drives[i].block == node || drives[i].bsg == node)
			return &drives[i];
	abort();
}

static uint64_t big_endian(const uint8_t *bytes, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++)
		value = value << 8 | bytes[i];
	return value;
}

static bool decode(const struct fake_io *io, uint64_t *lba, uint64_t *count)
{
	switch (io->cdb[0]) {
	case 0x28:
		*lba = big_endian(io->cdb + 2, 4);
		*count = big_endian(io->cdb + 7, 2);
		return true;
	case 0xa8:
		*lba = big_endian(io->cdb + 2, 4);
		*count = big_endian(io->cdb + 6, 4);
		return true;
	case 0x88:
		*lba = big_endian(io->cdb + 2, 8);
		*count = big_endian(io->cdb + 10, 4);
		return true;
	default:
		return false;
	}
}

static uint64_t first_bad(const struct drive *d, uint64_t lba, uint64_t count)
{
	for (uint64_t at = lba; at < lba + count; at++)
		if (d->bad[at])
			return at;
	return UINT64_MAX;
}

static void medium_error(const struct drive *d, struct fake_io *io, uint64_t lba, uint64_t bad)
{
	uint64_t named = d->info == INFO_RIGHT	 ? bad
			 : d->info == INFO_FIRST ? lba
						 : lba + 100000;

	medium_errors++;
	fake_set_sense(io, 3, 0x11, 0);
	if (d->info == INFO_DESCRIPTOR) {
		memset(io->sense, 0, sizeof io->sense);
		memcpy(io->sense, "\x72\x03\x11", 3);
		io->sense_len = 8;
	} else if (d->info != INFO_NONE) {
		io->sense[0] |= 0x80;
		for (int i = 0; i < 4; i++)
			io->sense[3 + i] = (uint8_t)(named >> (24 - 8 * i));
	}
}

static enum fault choose_fault(struct drive *d, uint64_t lba)
{
	enum fault f;

	if (!fault_rate || d->reads == 1 || !one_in(fault_rate) || d->tries[lba] >= RETRIES)
		return NO_FAULT;
	f = (enum fault)(1 + below(FAULT_KINDS - 1));
	return f == SHORT_TRANSFER && !skips ? NO_FAULT : f;
}

/* Fills the answer with a fault that passes; true when no data comes. */
static bool apply(enum fault f, struct fake_io *io)
{
	switch (f) {
	case ATTENTION:
		fake_set_sense(io, 6, 0x29, 0);
		return true;
	case ABORTED:
		fake_set_sense(io, 0xb, 0x4b, 3);
		return true;
	case BUSY:
		io->status = 8;
		return true;
	case TASK_SET_FULL:
		io->status = 0x28;
		io->host_status = 5;
		return true;
	case DID_ERROR:
		io->host_status = 7;
		return true;
	case DEFERRED:
		fake_set_sense(io, 3, 0x0c, 2);
		io->sense[0] = 0x71;
		return true;
	case BECOMING_READY:
		fake_set_sense(io, 2, 4, 2);
		return true;
	case RECOVERED:
		fake_set_sense(io, 1, 0x17, 1);
		return false;
	default:
		return false;
	}
}

static int answer_read(struct drive *d, struct fake_io *io, uint64_t lba, uint64_t count)
{
	enum fault f;
	uint64_t bad;

	d->reads++;
	all_reads++;
	if (lba >= d->blocks || count > d->blocks - lba || !count) {
		fake_set_sense(io, 5, 0x21, 0);
		return 0;
	}
	if (d->fatal_at && d->reads >= d->fatal_at) {
		io->host_status = 3;
		return 0;
	}
	f = choose_fault(d, lba);
	injected[f]++;
	d->tries[lba] = f == NO_FAULT || f == RECOVERED ? 0 : (uint8_t)(d->tries[lba] + 1);
	if (apply(f, io))
		return 0;
	bad = first_bad(d, lba, count);
	if (bad != UINT64_MAX) {
		medium_error(d, io, lba, bad);
		return 0;
	}
	io->data = d->content + lba * d->block_bytes;
	io->data_len = count * d->block_bytes;
	if (f == SHORT_TRANSFER)
		io->data_len -= 1 + below(io->data_len);
	return 0;
}

static int answer(struct fake_io *io, void *arg)
{
	struct drive *d = drive_of(io->node);
	uint64_t lba, count;

	(void)arg;
	if (decode(io, &lba, &count))
		return answer_read(d, io, lba, count);
	if (io->cdb[0] != 0x00) /* TEST UNIT READY */
		abort();
	fake_set_sense(io, 2, 4, 1); /* asked only of one that is not ready */
	return 0;
}

/* ---- system calls that the table lacks ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What was written to an sg node and not read yet, by descriptor. */
static struct {
	struct sg_io_hdr done[QUEUED];
	unsigned n;
} queues[FDS];

static bool is_node(int fd, unsigned kind, unsigned *minor_number)
{
	struct stat st;

	if (fd < 0 || fd >= FDS || fstat(fd, &st) || major(st.st_rdev) != kind ||
		minor(st.st_rdev) >= n_drives)
		return false;
	*minor_number = minor(st.st_rdev);
	return S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode);
}

ssize_t write(int fd, const void *data, size_t len)
{
	unsigned index;
	struct sg_io_hdr h;

	if (len != sizeof h || !is_node(fd, SG_MAJOR, &index))
		return syscall(SYS_write, fd, data, len);
	memcpy(&h, data, sizeof h);
	if (ioctl(fd, SG_IO, &h))
		return -1;
	pthread_mutex_lock(&lock);
	queues[fd].done[queues[fd].n++] = h;
	pthread_mutex_unlock(&lock);
	return (ssize_t)len;
}

/* In any order: drives have their own. */
ssize_t read(int fd, void *data, size_t len)
{
	unsigned index, pick;

	if (!is_node(fd, SG_MAJOR, &index))
		return syscall(SYS_read, fd, data, len);
	pthread_mutex_lock(&lock);
	if (!queues[fd].n) {
		pthread_mutex_unlock(&lock);
		errno = EAGAIN;
		return -1;
	}
	pick = (unsigned)(queues[fd].done[0].pack_id * 7 + (int)queues[fd].n) % queues[fd].n;
	memcpy(data, &queues[fd].done[pick], len);
	queues[fd].done[pick] = queues[fd].done[--queues[fd].n];
	pthread_mutex_unlock(&lock);
	return (ssize_t)len;
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	struct timespec t = { timeout / 1000, timeout % 1000 * 1000000L };
	const struct pollfd *volatile first = fds; /* declared as written to only */
	unsigned index;

	if (n && is_node(first->fd, SG_MAJOR, &index))
		return 1;
	return (int)syscall(SYS_ppoll, fds, n, timeout < 0 ? NULL : &t, NULL, 0);
}

/* The block layer: a page of the cache is there or not, and a read ends before what is not. */
ssize_t pread64(int fd, void *data, size_t len, off64_t offset);
ssize_t pread64(int fd, void *data, size_t len, off64_t offset)
{
	const struct drive *d;
	unsigned index;
	uint64_t bad, from, count, at;

	if (!is_node(fd, SD_MAJOR, &index))
		return syscall(SYS_pread64, fd, data, len, offset);
	d = &drives[index];
	from = (uint64_t)offset / PAGE * PAGE / d->block_bytes;
	count = ((uint64_t)offset + len + PAGE - 1) / PAGE * PAGE / d->block_bytes - from;
	if (from + count > d->blocks)
		count = d->blocks - from;
	bad = first_bad(d, from, count);
	if (bad == UINT64_MAX)
		return syscall(SYS_pread64, fd, data, len, offset);
	__atomic_add_fetch(&medium_errors, 1, __ATOMIC_RELAXED);
	at = bad * d->block_bytes / PAGE * PAGE;
	if (at > (uint64_t)offset)
		return syscall(SYS_pread64, fd, data, at - (uint64_t)offset, offset);
	errno = EIO;
	return -1;
}

/* No time is lost: the order of things is what matters. */
int nanosleep(const struct timespec *t, struct timespec *left)
{
	(void)t;
	(void)left;
	return sched_yield();
}

/* ---- a run ---- */

static const char *const engines[] = { "sg-mmap", "sg-dio", "sg-copy", "sg-async", "sgio",
	"bsg", "buffered" };

enum { ENGINES = sizeof engines / sizeof *engines };

static struct sgs_job job;
static struct sgs_device devices[DRIVES];
static struct sgs_result result;
static uint64_t seed, run_number, runs_by_engine[ENGINES];

static void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

static void complain(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr,
		"run %" PRIu64 " of seed %" PRIu64 " (%s, depth %u, %zu drives): ", run_number,
		seed, job.engine, job.queue_depth, n_drives);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "\nagain: torture --seed %" PRIu64 " --run %" PRIu64 "\n", seed,
		run_number);
	for (size_t i = 0; i < result.n_messages; i++)
		fprintf(stderr, "  %s: %s\n", result.messages[i].code, result.messages[i].text);
	exit(1);
}

static void make_bad(struct drive *d)
{
	for (unsigned n = (unsigned)below(6); n; n--) {
		uint64_t first = below(d->blocks),
			 count = one_in(4) ? 1 + below(300) : 1 + below(4);

		for (uint64_t at = first; at < d->blocks && at < first + count; at++)
			d->bad[at] = true;
	}
}

static void make_drive(size_t index, bool block_engine)
{
	static const uint32_t lengths[] = { 512, 4096, 512, 520, 528 };
	struct drive *d = &drives[index];
	struct sgs_device *device = &devices[index];

	free(d->content);
	memset(d, 0, sizeof *d);
	d->block_bytes = lengths[below(block_engine ? 2 : 5)];
	d->blocks = 1 + below(one_in(3) ? 100 : MOST_BLOCKS);
	if (block_engine)
		d->blocks = d->blocks / 8 * 8 + 8 > MOST_BLOCKS ? MOST_BLOCKS / 8 * 8
								: d->blocks / 8 * 8 + 8;
	d->content = malloc(d->blocks * d->block_bytes);
	if (!d->content)
		abort();
	for (uint64_t at = 0; at + 8 <= d->blocks * d->block_bytes; at += 8) {
		uint64_t word = chance();

		memcpy(d->content + at, &word, 8);
	}
	d->info = (enum info)below(INFOS);
	make_bad(d);
	memset(device, 0, sizeof *device);
	snprintf(device->path, sizeof device->path, "/dev/sg%zu", index);
	snprintf(device->sg_path, sizeof device->sg_path, "/dev/sg%zu", index);
	snprintf(device->block_path, sizeof device->block_path, "/dev/sd%zu", index);
	snprintf(device->bsg_path, sizeof device->bsg_path, "/dev/bsg/%zu", index);
	device->node = SGS_NODE_SG;
	device->is_scsi = true;
	device->block_bytes = d->block_bytes;
	device->blocks = d->blocks;
	d->sg = fake_sg(device->sg_path, (unsigned)index);
	d->sg->reserve_max = 2 << 20;
	d->sg->may_write = true;
	d->sg->allow_dio = one_in(2);
	d->block = fake_node(device->block_path, S_IFBLK | 0660, SD_MAJOR, (unsigned)index);
	d->block->content = d->content;
	d->block->content_len = d->blocks * d->block_bytes;
	d->bsg = fake_node(device->bsg_path, S_IFCHR | 0660, 250, (unsigned)index);
}

static void make_job(unsigned engine)
{
	sgs_job_init(&job);
	job.engine = engines[engine];
	job.queue_depth = 1 + (unsigned)below(16);
	job.bs = (struct sgs_size){ 1 + below(one_in(2) ? 16 : 200), true };
	job.skip = skips = !one_in(8);
	job.digest = true;
	job.retries = RETRIES;
	fault_rate = one_in(4) ? 0 : 2 + (unsigned)below(20);
}

/* Through the page cache a bad block takes its page along. */
static void widen(struct drive *d)
{
	uint64_t per_page = d->block_bytes < PAGE ? PAGE / d->block_bytes : 1;

	for (uint64_t at = 0; at < d->blocks; at++)
		if (d->bad[at])
			for (uint64_t n = at / per_page * per_page;
				n < (at / per_page + 1) * per_page && n < d->blocks; n++)
				d->bad[n] = true;
}

/* Digest and bytes of what can be read, transfer by transfer. */
static uint64_t right_digest(const struct drive *d, uint64_t bs, struct sgs_digest *digest)
{
	uint64_t good = 0;

	for (uint64_t lba = 0; lba < d->blocks; lba += bs) {
		uint64_t end = lba + bs < d->blocks ? lba + bs : d->blocks, from = lba;

		while (from < end) {
			uint64_t to = from;

			while (to < end && !d->bad[to])
				to++;
			if (to > from)
				sgs_digest_add(digest, d->content + from * d->block_bytes,
					(to - from) * d->block_bytes, from * d->block_bytes);
			good += (to - from) * d->block_bytes;
			from = to + 1;
		}
	}
	return good;
}

static uint64_t bad_blocks_of(const struct drive *d)
{
	uint64_t n = 0;

	for (uint64_t at = 0; at < d->blocks; at++)
		n += d->bad[at];
	return n;
}

static void check_ranges(size_t index)
{
	const struct sgs_device_result *r = &result.run.devices[index];
	const struct drive *d = &drives[index];
	uint64_t told = 0;

	for (size_t i = 0; i < r->n_bad; i++) {
		told += r->bad[i].count;
		for (uint64_t at = 0; at < r->bad[i].count; at++)
			if (!d->bad[r->bad[i].first + at])
				complain("block %" PRIu64 " of drive %zu is good",
					r->bad[i].first + at, index);
	}
	if (told != bad_blocks_of(d) || told != r->figures.bad_blocks)
		complain("drive %zu has %" PRIu64 " bad blocks, and %" PRIu64 " were told",
			index, bad_blocks_of(d), told);
}

/* Every READ that the drive saw is one that was told of. */
static void check_reads(size_t index)
{
	const struct sgs_device_result *r = &result.run.devices[index];
	const struct sgs_figures *f = &r->figures;
	uint64_t failed = 0;

	for (int i = SGS_FAULT_RECOVERED + 1; i < SGS_FAULTS; i++)
		failed += f->errors.by_class[i];
	if (r->probe_commands + f->commands + f->recovery.commands + failed !=
		drives[index].reads)
		complain("drive %zu saw %" PRIu64 " READs, and %" PRIu64
			 " were told: %u of probes, "
			 "%" PRIu64 " good, %" PRIu64 " in recovery, %" PRIu64 " failed",
			index, drives[index].reads,
			r->probe_commands + f->commands + f->recovery.commands + failed,
			r->probe_commands, f->commands, f->recovery.commands, failed);
}

static void check_whole(size_t index)
{
	const struct sgs_device_result *r = &result.run.devices[index];
	struct sgs_digest digest = { 0 };
	uint64_t good = right_digest(&drives[index], job.bs.value, &digest);
	int status = bad_blocks_of(&drives[index]) ? SGS_MEDIUM_HARD : 0;

	if (r->status != status)
		complain("drive %zu ended with %d, not %d", index, r->status, status);
	if (r->figures.bytes != good)
		complain("%" PRIu64 " bytes of drive %zu, not %" PRIu64, r->figures.bytes,
			index, good);
	if (r->figures.digest.valid != digest.valid || r->figures.digest.high != digest.high ||
		r->figures.digest.low != digest.low)
		complain("drive %zu has another digest", index);
	check_ranges(index);
}

/* It ended early, and what it gave is not more than there is. */
static void check_ended(size_t index, int status)
{
	const struct sgs_device_result *r = &result.run.devices[index];

	if (r->status != status)
		complain("drive %zu ended with %d, not %d", index, r->status, status);
	if (r->figures.bytes > drives[index].blocks * drives[index].block_bytes ||
		!r->figures.errors.failed)
		complain("drive %zu gave too much, or no failure", index);
}

static void check(bool page_cache)
{
	for (size_t i = 0; i < n_drives; i++) {
		bool fatal = drives[i].fatal_at && drives[i].reads >= drives[i].fatal_at;

		if (!page_cache)
			check_reads(i);
		if (fatal && result.run.devices[i].status == SGS_TIMEOUT)
			check_ended(i, SGS_TIMEOUT);
		else if (!skips && bad_blocks_of(&drives[i]))
			check_ended(i, SGS_MEDIUM_HARD);
		else if (!fatal)
			check_whole(i);
	}
}

static void one_run(void)
{
	unsigned engine;
	bool page_cache;

	chance_state = seed * 1000003 + run_number;
	engine = (unsigned)below(ENGINES);
	page_cache = !strcmp(engines[engine], "buffered");
	runs_by_engine[engine]++;
	sgs_result_free(&result);
	fake_reset(NULL);
	fake_set_answer(answer, NULL);
	memset(queues, 0, sizeof queues);
	n_drives = 1 + below(DRIVES);
	make_job(engine);
	for (size_t i = 0; i < n_drives; i++) {
		make_drive(i, page_cache);
		if (page_cache)
			widen(&drives[i]);
		else if (one_in(20))
			drives[i].fatal_at = 2 + below(40);
	}
	sgs_run(&job, devices, n_drives, NULL, &result);
	if (!result.run.started)
		complain("it did not start");
	check(page_cache);
	if (fake_open_count())
		complain("%u descriptors were left open", fake_open_count());
}

static void summary(uint64_t runs, double seconds)
{
	uint64_t faults = medium_errors;

	for (int i = NO_FAULT + 1; i < FAULT_KINDS; i++)
		faults += injected[i];
	printf("torture: seed %" PRIu64 ", %" PRIu64 " runs in %.0f s, %" PRIu64
	       " READs, %" PRIu64 " faults (%" PRIu64 " medium errors), 0 lost\n",
		seed, runs, seconds, all_reads, faults, medium_errors);
	for (unsigned i = 0; i < ENGINES; i++)
		printf("  %-9s %" PRIu64 " runs\n", engines[i], runs_by_engine[i]);
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 10);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "seed", 1, NULL, 's' },
		{ "run", 1, NULL, 'r' }, { "runs", 1, NULL, 'n' }, { "seconds", 1, NULL, 't' },
		{ 0 } };
	uint64_t first = 0, most = UINT64_MAX;
	double begun = now(), seconds = 10;
	int c;

	seed = (uint64_t)time(NULL);
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (c) {
		case 's':
			seed = number(optarg);
			break;
		case 'r':
			first = number(optarg);
			most = 1;
			break;
		case 'n':
			most = number(optarg);
			break;
		case 't':
			seconds = (double)number(optarg);
			break;
		default:
			return 2;
		}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("torture: seed %" PRIu64 "\n", seed);
	for (run_number = first; run_number - first < most && now() - begun < seconds;
		run_number++)
		one_run();
	summary(run_number - first, now() - begun);
	return 0;
}
