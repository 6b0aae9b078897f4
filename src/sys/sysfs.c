/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[PATH_MAX];

void sgs_sysfs_set_root(const char *path)
{
	snprintf(root, sizeof(root), "%s", path ? path : "");
}

static const char *root_path(void)
{
	const char *wanted;

	if (root[0])
		return root;
	wanted = secure_getenv("SGSTREAM_SYSFS");
	sgs_sysfs_set_root(wanted && wanted[0] ? wanted : "/sys");
	return root;
}

static int full_path(char *path, size_t cap, const char *fmt, va_list args)
{
	size_t used = (size_t)snprintf(path, cap, "%s/", root_path());
	int n;

	if (used >= cap)
		return -ENAMETOOLONG;
	n = vsnprintf(path + used, cap - used, fmt, args);
	if (n < 0)
		return -EINVAL;
	if ((size_t)n >= cap - used)
		return -ENAMETOOLONG;
	if (strncmp(path + used, "/proc/", 6) == 0 && strcmp(root, "/sys") == 0)
		memmove(path, path + used, (size_t)n + 1);
	return 0;
}

static int read_attribute(void *buf, size_t cap, const char *fmt, va_list args)
{
	char path[PATH_MAX];
	ssize_t got;
	int fd, err = full_path(path, sizeof(path), fmt, args);

	if (err)
		return err;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, buf, cap);
	err = got < 0 ? -errno : (int)got;
	close(fd);
	return err;
}

static int read_line(char *buf, size_t cap, const char *fmt, va_list args)
{
	int got = cap > 0 ? read_attribute(buf, cap - 1, fmt, args) : -EINVAL;

	if (got < 0)
		return got;
	buf[got] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return (int)strlen(buf);
}

int sgs_sysfs_text(char *buf, size_t cap, const char *fmt, ...)
{
	va_list args;
	int got;

	va_start(args, fmt);
	got = read_line(buf, cap, fmt, args);
	va_end(args);
	return got;
}

int sgs_sysfs_bytes(void *buf, size_t cap, const char *fmt, ...)
{
	va_list args;
	int got;

	va_start(args, fmt);
	got = read_attribute(buf, cap, fmt, args);
	va_end(args);
	return got;
}

int sgs_sysfs_number(int64_t *value, const char *fmt, ...)
{
	char text[32], *end;
	long long number;
	va_list args;
	int got;

	va_start(args, fmt);
	got = read_line(text, sizeof(text), fmt, args);
	va_end(args);
	if (got < 0)
		return got;
	errno = 0;
	number = strtoll(text, &end, 10);
	if (end == text || *end || errno)
		return -EINVAL;
	*value = number;
	return 0;
}

static int copy_text(char *buf, size_t cap, const char *text)
{
	int n = snprintf(buf, cap, "%s", text);

	return n >= 0 && (size_t)n < cap ? 0 : -ENAMETOOLONG;
}

static int read_link(char target[PATH_MAX], const char *path)
{
	ssize_t n = readlink(path, target, PATH_MAX - 1);

	if (n < 0)
		return -errno;
	target[n] = '\0';
	return 0;
}

int sgs_sysfs_link(char *buf, size_t cap, const char *fmt, ...)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *slash;
	va_list args;
	int err;

	va_start(args, fmt);
	err = full_path(path, sizeof(path), fmt, args);
	va_end(args);
	if (!err)
		err = read_link(target, path);
	if (err)
		return err;
	slash = strrchr(target, '/');
	return copy_text(buf, cap, slash ? slash + 1 : target);
}

/* The kernel knows the canonical name of an open file: three system calls, where realpath()
 * needs one for each component. */
static int canonical_path(char canonical[PATH_MAX], const char *path)
{
	char self[48];
	int err, fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	err = read_link(canonical, self);
	close(fd);
	if (err && !realpath(path, canonical)) /* /proc is not mounted */
		return -errno;
	return 0;
}

/* What follows prefix and a slash in path, NULL when path is not below it. */
static const char *below(const char *path, const char *prefix)
{
	size_t n = strlen(prefix);

	while (n > 0 && prefix[n - 1] == '/')
		n--;
	return strncmp(path, prefix, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

int sgs_sysfs_resolve(char *buf, size_t cap, const char *fmt, ...)
{
	char path[PATH_MAX], canonical[PATH_MAX];
	const char *relative;
	va_list args;
	int err;

	va_start(args, fmt);
	err = full_path(path, sizeof(path), fmt, args);
	va_end(args);
	if (!err)
		err = canonical_path(canonical, path);
	if (err)
		return err;
	relative = below(canonical, root_path());
	if (!relative) { /* the root itself was reached through a link */
		err = canonical_path(path, root_path());
		if (err)
			return err;
		relative = below(canonical, path);
	}
	return relative ? copy_text(buf, cap, relative) : -EXDEV;
}

bool sgs_sysfs_exists(const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	int err;

	va_start(args, fmt);
	err = full_path(path, sizeof(path), fmt, args);
	va_end(args);
	return !err && access(path, F_OK) == 0;
}

bool sgs_sysfs_writable(const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	int err;

	va_start(args, fmt);
	err = full_path(path, sizeof(path), fmt, args);
	va_end(args);
	return !err && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

/* An attribute is a regular file: whatever else a path leads to is not written to. */
static int write_attribute(const char *path, const char *text)
{
	char line[256];
	int len = snprintf(line, sizeof(line), "%s\n", text), fd, err = 0;
	struct stat st;

	if (len >= (int)sizeof(line))
		return -EINVAL;
	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EISDIR;
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, line, (size_t)len) < 0)
		err = -errno;
	close(fd);
	return err;
}

int sgs_sysfs_write(const char *text, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	int err;

	va_start(args, fmt);
	err = full_path(path, sizeof(path), fmt, args);
	va_end(args);
	return err ? err : write_attribute(path, text);
}

int sgs_sysfs_hold(const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	int err, fd;

	va_start(args, fmt);
	err = full_path(path, sizeof(path), fmt, args);
	va_end(args);
	if (err)
		return err;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int sgs_sysfs_lock(int fd, bool exclusive)
{
	return flock(fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) < 0 ? -errno : 0;
}

static int is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

int sgs_sysfs_each(const char *folder, int (*visit)(const char *name, void *arg), void *arg)
{
	char path[PATH_MAX];
	struct dirent **entries;
	int n, ret = 0;

	if (snprintf(path, sizeof(path), "%s/%s", root_path(), folder) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	n = scandir(path, &entries, is_entry, versionsort);
	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		if (ret == 0)
			ret = visit(entries[i]->d_name, arg);
		free(entries[i]);
	}
	free(entries);
	return ret;
}
