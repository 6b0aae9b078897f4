/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/bsg.h>
#include <linux/fs.h>
#include <pthread.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake_sg.h"

#define NODES	 32
#define FDS	 1024
#define COMMANDS 256
#define IOCTLS	 64
#define MMAP_IO	 4 /* SG_FLAG_MMAP_IO, which <scsi/sg.h> lacks */
#define DATA_MAX (16u << 20)

/* <sys/stat.h> declares them under these names only without large file support. */
int open64(const char *path, int flags, ...);
int stat64(const char *path, struct stat64 *st);
int fstat64(int fd, struct stat64 *st);

struct fake_fd {
	struct fake_node *node; /* NULL: not ours */
	uint32_t reserve;
};

struct plain_ioctl {
	const struct fake_node *node;
	unsigned long request;
	uint8_t value[64];
	size_t size;
	int error;
};

static struct {
	struct fake_node nodes[NODES];
	size_t n_nodes;
	struct fake_fd fds[FDS];
	struct fake_command commands[COMMANDS];
	size_t n_commands, next;
	unsigned repeated; /* how often commands[next] has been answered */
	struct plain_ioctl ioctls[IOCTLS];
	size_t n_ioctls;
	fake_answer *answer;
	void *answer_arg;
	fake_watch *watch;
	void *watch_arg;
	unsigned issued;
	char surprise[512]; /* the first thing that was not expected */
} fake;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t scratch[DATA_MAX];

static void surprised(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void surprised(const char *fmt, ...)
{
	va_list args;

	if (fake.surprise[0])
		return;
	va_start(args, fmt);
	vsnprintf(fake.surprise, sizeof(fake.surprise), fmt, args);
	va_end(args);
}

/* ---- tables ---- */

int fake_reset(void **state)
{
	(void)state;
	for (int fd = 0; fd < FDS; fd++)
		if (fake.fds[fd].node)
			syscall(SYS_close, fd);
	memset(&fake, 0, sizeof(fake));
	return 0;
}

struct fake_node *fake_node(const char *path, mode_t mode, unsigned major, unsigned minor)
{
	struct fake_node *node = &fake.nodes[fake.n_nodes++];

	assert_true(fake.n_nodes <= NODES);
	snprintf(node->path, sizeof(node->path), "%s", path);
	node->mode = mode;
	node->rdev = makedev(major, minor);
	node->reserve = 32768;
	node->reserve_max = 512 << 10;
	node->tablesize = 128;
	return node;
}

struct fake_node *fake_sg(const char *path, unsigned minor)
{
	return fake_node(path, S_IFCHR | 0660, 21, minor);
}

void fake_expect(const struct fake_command *commands, size_t n)
{
	assert_true(fake.n_commands + n <= COMMANDS);
	memcpy(fake.commands + fake.n_commands, commands, n * sizeof(*commands));
	fake.n_commands += n;
}

void fake_set_answer(fake_answer *answer, void *arg)
{
	fake.answer = answer;
	fake.answer_arg = arg;
}

void fake_set_watch(fake_watch *watch, void *watch_arg)
{
	fake.watch = watch;
	fake.watch_arg = watch_arg;
}

void fake_ioctl(const struct fake_node *node, unsigned long request, const void *value,
	size_t size, int error)
{
	struct plain_ioctl *entry = &fake.ioctls[fake.n_ioctls++];

	assert_true(fake.n_ioctls <= IOCTLS && size <= sizeof(entry->value));
	entry->node = node;
	entry->request = request;
	if (size)
		memcpy(entry->value, value, size);
	entry->size = size;
	entry->error = error;
}

unsigned fake_commands(void)
{
	return fake.issued;
}

unsigned fake_open_count(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < FDS; fd++)
		n += fake.fds[fd].node != NULL;
	return n;
}

void fake_check(void)
{
	if (fake.surprise[0])
		fail_msg("%s", fake.surprise);
	if (fake.next < fake.n_commands)
		fail_msg("expected command %zu of %zu (%s, opcode %02x) was not issued",
			fake.next + 1, fake.n_commands,
			fake.commands[fake.next].name ? fake.commands[fake.next].name
						      : "unnamed",
			fake.commands[fake.next].cdb[0]);
	if (fake_open_count())
		fail_msg("%u descriptors were left open", fake_open_count());
}

/* ---- SG_IO ---- */

void fake_set_sense(struct fake_io *io, uint8_t key, uint8_t asc, uint8_t ascq)
{
	memset(io->sense, 0, sizeof(io->sense));
	io->sense[0] = 0x70;
	io->sense[2] = key;
	io->sense[7] = 10;
	io->sense[12] = asc;
	io->sense[13] = ascq;
	io->sense_len = 18;
	io->status = 2;
	io->driver_status = 8;
}

static bool matches(const struct fake_command *command, const struct fake_io *io)
{
	size_t compare = command->compare ? command->compare : command->cdb_len;

	if (command->cdb_len == 0)
		return true;
	return command->cdb_len == io->cdb_len && memcmp(command->cdb, io->cdb, compare) == 0;
}

static void apply(const struct fake_command *command, struct fake_io *io)
{
	io->data = command->data;
	io->data_len = command->data_len;
	io->status = command->status;
	io->host_status = command->host_status;
	io->driver_status = command->driver_status;
	io->resid = command->resid;
	if (command->sense_len) {
		memcpy(io->sense, command->sense, command->sense_len);
		io->sense_len = command->sense_len;
	} else if (command->key) {
		fake_set_sense(io, command->key, command->asc, command->ascq);
	}
}

static int answer_expected(struct fake_io *io)
{
	const struct fake_command *command = &fake.commands[fake.next];

	if (!matches(command, io)) {
		surprised("%s: opcode %02x (%zu bytes, byte 1 %02x, byte 2 %02x) came, %s "
			  "(opcode %02x) "
			  "was expected",
			io->node->path, io->cdb[0], io->cdb_len, io->cdb[1], io->cdb[2],
			command->name ? command->name : "unnamed", command->cdb[0]);
		return EIO;
	}
	if (++fake.repeated >= (command->times ? command->times : 1)) {
		fake.next++;
		fake.repeated = 0;
	}
	apply(command, io);
	return command->error;
}

static int find_answer(struct fake_io *io)
{
	fake.issued++;
	if (io->node->ioctl_error)
		return io->node->ioctl_error;
	if (fake.next < fake.n_commands)
		return answer_expected(io);
	if (fake.answer)
		return fake.answer(io, fake.answer_arg);
	surprised("%s: opcode %02x came, nothing was expected", io->node->path, io->cdb[0]);
	return EIO;
}

/* Puts the data where it was wanted; returns the bytes that are missing. */
static int deliver(const struct fake_io *io, void *buffer, bool mapped)
{
	size_t n = io->data_len < io->len ? io->data_len : io->len;

	if (n && mapped && pwrite(io->fd, io->data, n, 0) != (ssize_t)n)
		surprised("the reserve buffer could not be written");
	else if (n && !mapped && buffer)
		memcpy(buffer, io->data, n);
	return (int)(io->len - n);
}

static int residual(const struct fake_io *io, int missing)
{
	if (io->resid)
		return io->resid > 0 ? io->resid : 0;
	return missing;
}

/* What linux/drivers/scsi/sg.c refuses before a drive sees it. */
static int check_v3(const struct fake_fd *ours, const struct sg_io_hdr *hdr)
{
	if (hdr->interface_id != 'S')
		return ENOSYS;
	if (hdr->cmd_len < 6)
		return EMSGSIZE;
	if (!(hdr->flags & MMAP_IO))
		return 0;
	if (hdr->flags & SG_FLAG_DIRECT_IO)
		return EINVAL;
	return hdr->dxfer_len > ours->reserve ? ENOMEM : 0;
}

static int do_v3(int fd, struct fake_fd *ours, struct sg_io_hdr *hdr)
{
	struct fake_io io = { .node = ours->node, .fd = fd, .len = hdr->dxfer_len };
	bool mapped = hdr->flags & MMAP_IO;
	int error = check_v3(ours, hdr);

	if (error)
		return error;
	io.cdb_len = hdr->cmd_len;
	memcpy(io.cdb, hdr->cmdp,
		hdr->cmd_len < sizeof(io.cdb) ? hdr->cmd_len : sizeof(io.cdb));
	io.flags = hdr->flags;
	io.timeout_ms = hdr->timeout;
	io.buffer = hdr->dxferp;
	error = find_answer(&io);
	if (error)
		return error;
	hdr->resid = residual(&io, deliver(&io, hdr->dxferp, mapped));
	hdr->status = (unsigned char)io.status;
	hdr->masked_status = (unsigned char)(io.status >> 1 & 0x1f);
	hdr->host_status = (unsigned short)io.host_status;
	hdr->driver_status = (unsigned short)io.driver_status;
	hdr->sb_len_wr =
		(unsigned char)(io.sense_len < hdr->mx_sb_len ? io.sense_len : hdr->mx_sb_len);
	if (hdr->sbp)
		memcpy(hdr->sbp, io.sense, hdr->sb_len_wr);
	hdr->info = 0;
	if (io.status || io.host_status || io.driver_status)
		hdr->info |= SG_INFO_CHECK;
	if ((hdr->flags & SG_FLAG_DIRECT_IO) && io.node->allow_dio)
		hdr->info |= SG_INFO_DIRECT_IO;
	return 0;
}

static int do_v4(int fd, struct fake_fd *ours, struct sg_io_v4 *hdr)
{
	struct fake_io io = { .node = ours->node, .fd = fd, .len = hdr->din_xfer_len };
	size_t sense;
	int error;

	io.cdb_len = hdr->request_len;
	memcpy(io.cdb, (const void *)(uintptr_t)hdr->request,
		io.cdb_len < sizeof(io.cdb) ? io.cdb_len : sizeof(io.cdb));
	io.flags = hdr->flags;
	io.timeout_ms = hdr->timeout;
	io.buffer = (const void *)(uintptr_t)hdr->din_xferp;
	error = find_answer(&io);
	if (error)
		return error;
	hdr->din_resid = residual(&io, deliver(&io, (void *)(uintptr_t)hdr->din_xferp, false));
	hdr->device_status = (uint32_t)io.status;
	hdr->transport_status = (uint32_t)io.host_status;
	hdr->driver_status = (uint32_t)io.driver_status;
	sense = io.sense_len < hdr->max_response_len ? io.sense_len : hdr->max_response_len;
	hdr->response_len = (uint32_t)sense;
	if (hdr->response)
		memcpy((void *)(uintptr_t)hdr->response, io.sense, sense);
	return 0;
}

/* ---- other ioctls ---- */

static int set_reserve(int fd, struct fake_fd *ours, int wanted)
{
	if (wanted < 0)
		return EINVAL;
	ours->reserve = (uint32_t)wanted < ours->node->reserve_max ? (uint32_t)wanted
								   : ours->node->reserve_max;
	return ftruncate(fd, ours->reserve) < 0 ? errno : 0;
}

static int do_sg_ioctl(int fd, struct fake_fd *ours, unsigned long request, int *arg)
{
	switch (request) {
	case SG_GET_VERSION_NUM:
		*arg = 30536;
		return 0;
	case SG_GET_SG_TABLESIZE:
		*arg = (int)ours->node->tablesize;
		return 0;
	case SG_GET_RESERVED_SIZE:
		*arg = (int)ours->reserve;
		return 0;
	case SG_SET_RESERVED_SIZE:
		return set_reserve(fd, ours, *arg);
	case BLKSECTGET:
		*arg = (int)ours->node->reserve_max;
		return 0;
	default:
		return ENOTTY;
	}
}

static int do_ioctl(int fd, struct fake_fd *ours, unsigned long request, void *arg)
{
	if (fake.watch)
		fake.watch(ours->node, request, arg, fake.watch_arg);
	for (size_t i = 0; i < fake.n_ioctls; i++) {
		const struct plain_ioctl *entry = &fake.ioctls[i];

		if (entry->node != ours->node || entry->request != request)
			continue;
		memcpy(arg, entry->value, entry->size);
		return entry->error;
	}
	if (request == SG_IO)
		return *(int *)arg == 'Q' ? do_v4(fd, ours, arg) : do_v3(fd, ours, arg);
	return S_ISCHR(ours->node->mode) ? do_sg_ioctl(fd, ours, request, arg) : ENOTTY;
}

/* ---- the drive ---- */

uint8_t fake_byte(uint64_t offset)
{
	return (uint8_t)(offset ^ offset >> 8 ^ offset >> 16 ^ offset >> 24);
}

static uint64_t big_endian(const uint8_t *bytes, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++)
		value = value << 8 | bytes[i];
	return value;
}

static bool decode_read(const struct fake_io *io, uint64_t *lba, uint64_t *count)
{
	switch (io->cdb[0]) {
	case 0x08:
		*lba = big_endian(io->cdb + 1, 3) & 0x1fffff;
		*count = io->cdb[4] ? io->cdb[4] : 256;
		return io->cdb_len == 6;
	case 0x28:
		*lba = big_endian(io->cdb + 2, 4);
		*count = big_endian(io->cdb + 7, 2);
		return io->cdb_len == 10;
	case 0xa8:
		*lba = big_endian(io->cdb + 2, 4);
		*count = big_endian(io->cdb + 6, 4);
		return io->cdb_len == 12;
	case 0x88:
		*lba = big_endian(io->cdb + 2, 8);
		*count = big_endian(io->cdb + 10, 4);
		return io->cdb_len == 16;
	default:
		return false;
	}
}

int fake_disk_answer(struct fake_io *io, void *arg)
{
	struct fake_disk *disk = arg;
	uint64_t lba, count;

	if (!decode_read(io, &lba, &count)) {
		surprised("%s: opcode %02x of %zu bytes is no READ", io->node->path, io->cdb[0],
			io->cdb_len);
		return EIO;
	}
	disk->reads++;
	memcpy(disk->last_cdb, io->cdb, sizeof(disk->last_cdb));
	if (lba >= disk->blocks || count > disk->blocks - lba) {
		fake_set_sense(io, 5, 0x21, 0);
		return 0;
	}
	io->data = scratch;
	io->data_len = count * disk->block_bytes;
	if (io->data_len > DATA_MAX)
		return EINVAL;
	for (size_t i = 0; i < io->data_len; i++)
		scratch[i] = fake_byte(lba * disk->block_bytes + i);
	return 0;
}

/* ---- the system calls ---- */

static struct fake_node *node_of(const char *path)
{
	for (size_t i = 0; i < fake.n_nodes; i++)
		if (strcmp(fake.nodes[i].path, path) == 0)
			return &fake.nodes[i];
	return NULL;
}

static struct fake_fd *ours_of(int fd)
{
	return fd >= 0 && fd < FDS && fake.fds[fd].node ? &fake.fds[fd] : NULL;
}

static int as_libc(int error)
{
	if (!error)
		return 0;
	errno = error;
	return -1;
}

static int fill_memory(int fd, const struct fake_node *node)
{
	if (S_ISCHR(node->mode))
		return ftruncate(fd, node->reserve) < 0 ? errno : 0;
	if (pwrite(fd, node->content, node->content_len, 0) != (ssize_t)node->content_len)
		return EIO;
	return 0;
}

static int open_node(struct fake_node *node, int flags)
{
	int error, fd;

	if ((flags & O_ACCMODE) != O_RDONLY && !node->may_write)
		surprised("%s was opened for writing", node->path);
	__atomic_store_n(&node->open_flags, flags, __ATOMIC_RELAXED);
	__atomic_fetch_add(&node->opens, 1, __ATOMIC_RELAXED);
	if (node->open_error)
		return as_libc(node->open_error);
	fd = memfd_create(node->path, MFD_CLOEXEC);
	if (fd < 0 || fd >= FDS)
		return as_libc(EMFILE);
	error = fill_memory(fd, node);
	if (error)
		return as_libc(error);
	pthread_mutex_lock(&lock);
	fake.fds[fd].node = node;
	fake.fds[fd].reserve = node->reserve;
	pthread_mutex_unlock(&lock);
	return fd;
}

/* A test with a table has a /dev of its own: it must not find the drives of the host. */
static bool is_absent(const char *path)
{
	return fake.n_nodes > 0 && strncmp(path, "/dev/", 5) == 0 && !node_of(path);
}

static int open_any(const char *path, int flags, mode_t mode)
{
	struct fake_node *node = node_of(path);

	if (is_absent(path))
		return as_libc(ENOENT);
	return node ? open_node(node, flags)
		    : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static mode_t creation_mode(int flags, va_list args)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

int open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = creation_mode(flags, args);
	va_end(args);
	return open_any(path, flags, mode);
}

int close(int fd)
{
	struct fake_fd *ours;

	pthread_mutex_lock(&lock);
	ours = ours_of(fd);
	if (ours)
		ours->node = NULL;
	pthread_mutex_unlock(&lock);
	return (int)syscall(SYS_close, fd);
}

static void fill_stat(const struct fake_node *node, struct stat64 *st)
{
	memset(st, 0, sizeof(*st));
	st->st_mode = node->mode;
	st->st_rdev = node->rdev;
	st->st_uid = node->uid;
	st->st_gid = node->gid;
	st->st_nlink = 1;
}

int stat64(const char *path, struct stat64 *st)
{
	const struct fake_node *node = node_of(path);

	if (is_absent(path))
		return as_libc(ENOENT);
	if (!node)
		return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, 0);
	fill_stat(node, st);
	return as_libc(node->stat_error);
}

int fstat64(int fd, struct stat64 *st)
{
	const struct fake_fd *ours = ours_of(fd);

	if (!ours)
		return (int)syscall(SYS_newfstatat, fd, "", st, AT_EMPTY_PATH);
	fill_stat(ours->node, st);
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	struct fake_fd *ours;
	va_list args;
	void *arg;
	int error;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	pthread_mutex_lock(&lock);
	ours = ours_of(fd);
	error = ours ? do_ioctl(fd, ours, request, arg) : 0;
	pthread_mutex_unlock(&lock);
	return ours ? as_libc(error) : (int)syscall(SYS_ioctl, fd, request, arg);
}
