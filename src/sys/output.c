/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
	MEM_MAJOR = 1, /* with the minors of these: */
	MINOR_NULL = 3,
	MINOR_ZERO = 5,
	MINOR_FULL = 7,
	ASK_US = 50000, /* whether a pipe has its reader */
	SPARE_MODE = 0644,
	SPARE_NAMES = 100, /* of one PID: others may have it in their own namespace */
};

void sgs_sys_keep_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY); /* a write says EBADF, and is reported */
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static bool swallows(dev_t dev)
{
	return major(dev) == MEM_MAJOR &&
	       (minor(dev) == MINOR_NULL || minor(dev) == MINOR_ZERO ||
		       minor(dev) == MINOR_FULL);
}

static bool harmless(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	if (S_ISCHR(st.st_mode))
		return swallows(st.st_rdev) || isatty(fd);
	return S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode);
}

/* Looked at first: opening a device for writing can already be an act. 0 or -errno. */
static int look_at(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (S_ISBLK(st.st_mode))
		return -ENOTSUP;
	if (S_ISCHR(st.st_mode) && major(st.st_rdev) == MEM_MAJOR && !swallows(st.st_rdev))
		return -ENOTSUP;
	return 0;
}

static bool is_pipe(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISFIFO(st.st_mode);
}

static int open_harmless(const char *path, int flags)
{
	int fd, r = look_at(path);

	if (r)
		return r;
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | flags, 0666);
	if (fd < 0)
		return -errno;
	if (!harmless(fd)) {
		close(fd);
		return -ENOTSUP;
	}
	return fd;
}

int sgs_sys_open_output(const char *path)
{
	int fd = open_harmless(path, O_CREAT | O_NONBLOCK);

	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

/* Not in open(2): where signals are blocked, only KILL would end that. */
int sgs_sys_await_output(const char *path)
{
	int fd;

	for (;;) {
		fd = sgs_sys_open_output(path);
		if (fd != -ENXIO || !is_pipe(path))
			return fd;
		usleep(ASK_US);
	}
}

int sgs_sys_empty_output(int fd)
{
	return ftruncate(fd, 0) < 0 && errno != EINVAL ? -errno : 0;
}

int sgs_sys_write_all(int fd, const void *data, size_t len, size_t *done)
{
	for (*done = 0; *done < len;) {
		ssize_t n = write(fd, (const char *)data + *done, len - *done);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			*done += (size_t)n;
	}
	return 0;
}

bool sgs_sys_same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return !stat(a, &sa) && !stat(b, &sb) && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

bool sgs_sys_is_stdout(const char *path)
{
	struct stat file, out;

	return !stat(path, &file) && !fstat(STDOUT_FILENO, &out) && file.st_dev == out.st_dev &&
	       file.st_ino == out.st_ino && !(S_ISCHR(file.st_mode) && swallows(file.st_rdev));
}

/* The new file, beside the one that it will replace. */
struct spare {
	int fd;
	char target[PATH_MAX];
	char path[PATH_MAX + 32];
};

/* The name to be replaced: path, or where it leads to. */
static int find_target(const char *path, char target[PATH_MAX])
{
	struct stat st;

	if (lstat(path, &st) < 0) {
		if (errno != ENOENT || !path[0])
			return -errno;
		snprintf(target, PATH_MAX, "%s", path); /* lstat knows no longer ones */
		return 0;
	}
	if (!realpath(path, target) || stat(target, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return S_ISREG(st.st_mode) ? 0 : -ENOTSUP;
}

static int try_name(struct spare *spare, unsigned attempt)
{
	int pid = (int)getpid();

	if (attempt == 0)
		snprintf(spare->path, sizeof(spare->path), "%s.tmp-%d", spare->target, pid);
	else
		snprintf(spare->path, sizeof(spare->path), "%s.tmp-%d-%u", spare->target, pid,
			attempt);
	spare->fd = open(
		spare->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, SPARE_MODE);
	return spare->fd < 0 ? -errno : 0;
}

static int open_spare(struct spare *spare, const char *path)
{
	int r = find_target(path, spare->target);

	if (r)
		return r;
	r = -EEXIST;
	for (unsigned i = 0; r == -EEXIST && i < SPARE_NAMES; i++)
		r = try_name(spare, i);
	return r;
}

static int fill_spare(const struct spare *spare, const void *data, size_t len)
{
	size_t done;
	int r = sgs_sys_write_all(spare->fd, data, len, &done);

	if (r)
		return r;
	if (fchmod(spare->fd, SPARE_MODE) < 0 || fsync(spare->fd) < 0)
		return -errno;
	return 0;
}

/* So that the new name outlives a crash. Not every file system can, and the file is whole. */
static void sync_folder_of(char *path)
{
	char *slash = strrchr(path, '/');
	int fd;

	if (slash)
		slash[slash == path] = '\0'; /* the root keeps its name */
	fd = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

int sgs_sys_replace(const char *path, const void *data, size_t len)
{
	struct spare spare;
	int r = open_spare(&spare, path);

	if (r)
		return r;
	r = fill_spare(&spare, data, len);
	if (close(spare.fd) < 0 && !r)
		r = -errno;
	if (!r && rename(spare.path, spare.target) < 0)
		r = -errno;
	if (r)
		unlink(spare.path);
	else
		sync_folder_of(spare.target);
	return r;
}

int sgs_sys_may_replace(const char *path)
{
	struct spare spare;
	int r = open_spare(&spare, path);

	if (r)
		return r;
	close(spare.fd);
	unlink(spare.path);
	return 0;
}

int sgs_sys_may_open_output(const char *path)
{
	int fd = open_harmless(path, O_NONBLOCK);

	if (fd == -ENXIO) /* a pipe that nobody reads yet */
		return 0;
	if (fd == -ENOENT)
		return sgs_sys_may_replace(path);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}
