/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sysfs for unit tests, made from a text file in tests/data/sysfs. Each line is one entry:
 *
 *   devices/x/y: text     an attribute: text and a newline; \xHH is a byte, and then there is
 * no newline dev/char/21:0 -> devices/x/y   a link, relative as sysfs makes it devices/x/ an
 * empty folder # comment
 *
 * Folders above an entry are made.
 */
#ifndef FAKE_SYSFS_H
#define FAKE_SYSFS_H

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/sysfs.h"

struct fake_sysfs {
	char root[64];
};

static inline void fake_sysfs_die(const char *what)
{
	fprintf(stderr, "fake_sysfs: %s: %s\n", what, strerror(errno));
	abort();
}

static inline void fake_sysfs_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			fake_sysfs_die(path);
		*slash = '/';
	}
}

static inline size_t fake_sysfs_unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && from[1] == 'x') {
			const char hex[3] = { from[2], from[3], '\0' };

			*to = (char)strtoul(hex, NULL, 16);
			from += 4;
		} else {
			*to = *from++;
		}
	}
	return (size_t)(to - text);
}

static inline void fake_sysfs_file(const char *path, char *text)
{
	FILE *file = fopen(path, "w");
	int is_raw = strstr(text, "\\x") != NULL;
	size_t len = fake_sysfs_unescape(text);

	if (!file)
		fake_sysfs_die(path);
	fwrite(text, 1, len, file);
	if (!is_raw)
		fputc('\n', file);
	fclose(file);
}

/* "../" for each folder of entry, then target. */
static inline void fake_sysfs_symlink(const char *path, const char *entry, const char *target)
{
	char relative[1024] = "";

	for (const char *c = strchr(entry, '/'); c; c = strchr(c + 1, '/'))
		strcat(relative, "../");
	strncat(relative, target, sizeof(relative) - strlen(relative) - 1);
	if (symlink(relative, path) < 0)
		fake_sysfs_die(path);
}

static inline void fake_sysfs_entry(const char *root, char *line)
{
	char *colon = strstr(line, ": "), *arrow = strstr(line, " -> "), path[4096];
	char *end = arrow ? arrow : colon;

	if (end)
		*end = '\0';
	snprintf(path, sizeof(path), "%s/%s", root, line);
	fake_sysfs_folders(path);
	if (arrow)
		fake_sysfs_symlink(path, line, arrow + 4);
	else if (colon)
		fake_sysfs_file(path, colon + 2);
}

/* Makes the tree and sets it as the root of sysfs. */
static inline void fake_sysfs_make(struct fake_sysfs *tree, const char *name)
{
	char path[256], line[2048];
	FILE *file;

	snprintf(tree->root, sizeof(tree->root), "/tmp/sgs-sysfs-XXXXXX");
	if (!mkdtemp(tree->root))
		fake_sysfs_die(tree->root);
	snprintf(path, sizeof(path), "tests/data/sysfs/%s", name);
	file = fopen(path, "r");
	if (!file)
		fake_sysfs_die(path);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] && line[0] != '#')
			fake_sysfs_entry(tree->root, line);
	}
	fclose(file);
	sgs_sysfs_set_root(tree->root);
}

static inline int fake_sysfs_remove_one(
	const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static inline void fake_sysfs_remove(struct fake_sysfs *tree)
{
	nftw(tree->root, fake_sysfs_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	sgs_sysfs_set_root(NULL);
}

#endif
