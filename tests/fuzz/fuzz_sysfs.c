/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sysfs with anything in it: the list of devices and what doctor finds. The input is lines as
 * in tests/data/sysfs: "path: text", "path -> target", "path/". No node of the host is opened:
 * /dev is the table of tests/unit/fake_sg.h.
 */
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sgstream/device.h>

#include "sys/sysfs.h"

#include "fake_sg.h"
#include "fuzz.h"

static char root[64];

static int drop(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path), 0;
}

/* Folders above path; path stays below the root. */
static bool make_folders(char *path)
{
	if (strstr(path, "..") || path[0] == '/')
		return false;
	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	return true;
}

static void make_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		abort();
	close(fd);
}

static void make_entry(char *line)
{
	char *arrow = strstr(line, " -> "), *colon = strstr(line, ": ");

	if (arrow) {
		*arrow = '\0';
		if (make_folders(line) && arrow[4] != '/' && symlink(arrow + 4, line) < 0)
			return;
	} else if (colon) {
		*colon = '\0';
		if (make_folders(line))
			make_text(line, colon + 2);
	} else
		make_folders(line);
}

static void make_tree(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *line, *rest;

	must(text);
	memcpy(text, data, size);
	text[size] = '\0';
	snprintf(root, sizeof root, "/dev/shm/fuzz_sysfs.%d", (int)getpid());
	nftw(root, drop, 8, FTW_DEPTH | FTW_PHYS);
	must(!mkdir(root, 0700) && !chdir(root));
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		make_entry(line);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sgs_device_row *rows = NULL;
	struct sgs_error err = { 0 };
	int here = open(".", O_RDONLY | O_DIRECTORY);
	size_t n = 0;

	must(here >= 0);
	fake_reset(NULL);
	fake_sg("/dev/sg_none", 99);
	make_tree(data, size);
	sgs_sysfs_set_root(root);
	check_error(sgs_device_list(&rows, &n, &err), &err);
	for (size_t i = 0; i < n; i++) {
		check_string(
			rows[i].device.identity.vendor, sizeof rows[i].device.identity.vendor);
		check_shown(rows[i].problem.text);
	}
	free(rows);
	must(!fchdir(here));
	close(here);
	nftw(root, drop, 8, FTW_DEPTH | FTW_PHYS);
	return 0;
}
