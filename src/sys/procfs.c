/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/kernel.h"

static char root[PATH_MAX];

void sgs_procfs_set_root(const char *path)
{
	snprintf(root, sizeof(root), "%s", path ? path : "");
}

static const char *root_path(void)
{
	const char *wanted;

	if (root[0])
		return root;
	wanted = secure_getenv("SGSTREAM_PROCFS");
	sgs_procfs_set_root(wanted && wanted[0] ? wanted : "/proc");
	return root;
}

static int full_path(char path[PATH_MAX], const char *fmt, va_list args)
{
	int used = snprintf(path, PATH_MAX, "%s/", root_path()), n;

	if (used >= PATH_MAX)
		return -ENAMETOOLONG;
	n = vsnprintf(path + used, (size_t)(PATH_MAX - used), fmt, args);
	if (n < 0)
		return -EINVAL;
	return n < PATH_MAX - used ? 0 : -ENAMETOOLONG;
}

static int plain_path(char path[PATH_MAX], const char *name)
{
	return snprintf(path, PATH_MAX, "%s/%s", root_path(), name) < PATH_MAX ? 0
									       : -ENAMETOOLONG;
}

static int first_line(char *buf, size_t cap, const char *path)
{
	FILE *file = fopen(path, "re");
	int err;

	if (!file)
		return -errno;
	errno = 0;
	buf[0] = '\0';
	err = !fgets(buf, (int)cap, file) && ferror(file) ? -errno : 0;
	fclose(file);
	if (err)
		return err;
	buf[strcspn(buf, "\n")] = '\0';
	return (int)strlen(buf);
}

int sgs_procfs_text(char *buf, size_t cap, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	int err;

	va_start(args, fmt);
	err = full_path(path, fmt, args);
	va_end(args);
	if (!err && (cap == 0 || cap > INT_MAX))
		err = -EINVAL;
	return err ? err : first_line(buf, cap, path);
}

static int visit_lines(FILE *file, int (*visit)(char *line, void *arg), void *arg)
{
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	while (ret == 0 && getline(&line, &room, file) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		ret = visit(line, arg);
	}
	if (ret == 0 && ferror(file))
		ret = -errno;
	free(line);
	return ret;
}

int sgs_procfs_lines(const char *name, int (*visit)(char *line, void *arg), void *arg)
{
	char path[PATH_MAX];
	FILE *file;
	int ret = plain_path(path, name);

	if (ret)
		return ret;
	file = fopen(path, "re");
	if (!file)
		return -errno;
	ret = visit_lines(file, visit, arg);
	fclose(file);
	return ret;
}

int sgs_procfs_each(const char *folder, int (*visit)(const char *name, void *arg), void *arg)
{
	const struct dirent *entry;
	char path[PATH_MAX];
	DIR *dir;
	int ret = plain_path(path, folder);

	if (ret)
		return ret;
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (ret == 0 && (entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			ret = visit(entry->d_name, arg);
	}
	closedir(dir);
	return ret;
}

int sgs_procfs_link(char *buf, size_t cap, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	ssize_t n;
	int err;

	va_start(args, fmt);
	err = full_path(path, fmt, args);
	va_end(args);
	if (err || cap == 0)
		return err ? err : -EINVAL;
	n = readlink(path, buf, cap - 1);
	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return 0;
}

int sgs_procfs_stat(struct stat *st, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	int err;

	va_start(args, fmt);
	err = full_path(path, fmt, args);
	va_end(args);
	return err ? err : sgs_sys_stat(path, st);
}
