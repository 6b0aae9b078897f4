/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "fake_sg.h"
#include "fake_sysfs.h"
#include "sys/procfs.h"

static struct fake_sysfs tree;
static char proc[128];

static int setup(void **state)
{
	(void)state;
	fake_reset(NULL);
	fake_sysfs_make(&tree, "doctor.tree");
	snprintf(proc, sizeof(proc), "%s/proc", tree.root);
	sgs_procfs_set_root(proc);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	sgs_procfs_set_root(NULL);
	fake_sysfs_remove(&tree);
	return 0;
}

static void test_text(void **state)
{
	char buf[32], small[4];

	(void)state;
	assert_int_equal(sgs_procfs_text(buf, sizeof(buf), "%d/comm", 1), 4);
	assert_string_equal(buf, "init");
	assert_int_equal(sgs_procfs_text(small, sizeof(small), "1/comm"), 3);
	assert_string_equal(small, "ini");
	assert_int_equal(sgs_procfs_text(buf, sizeof(buf), "1/absent"), -ENOENT);
	assert_int_equal(sgs_procfs_text(buf, sizeof(buf), "1"), -EISDIR);
	assert_int_equal(sgs_procfs_text(buf, 0, "1/comm"), -EINVAL);
}

static int count_lines(char *line, void *arg)
{
	unsigned *count = arg;

	assert_null(strchr(line, '\n'));
	++*count;
	return strncmp(line, "Max open", 8) == 0 ? 7 : 0;
}

static void test_lines(void **state)
{
	unsigned count = 0;

	(void)state;
	assert_int_equal(sgs_procfs_lines("self/limits", count_lines, &count), 7);
	assert_int_equal(count, 2);
	assert_int_equal(sgs_procfs_lines("interrupts", count_lines, &count), 0);
	assert_int_equal(count, 7);
	assert_int_equal(sgs_procfs_lines("absent", count_lines, &count), -ENOENT);
	assert_int_equal(sgs_procfs_lines("self", count_lines, &count), -EISDIR);
}

static int count_names(const char *name, void *arg)
{
	unsigned *count = arg;

	assert_int_not_equal(name[0], '.');
	++*count;
	return strcmp(name, "self") == 0 ? 3 : 0;
}

static void test_each(void **state)
{
	unsigned count = 0;

	(void)state;
	assert_int_equal(sgs_procfs_each("irq", count_names, &count), 0);
	assert_int_equal(count, 4);
	assert_int_equal(sgs_procfs_each("", count_names, &count), 3);
	assert_int_equal(sgs_procfs_each("absent", count_names, &count), -ENOENT);
}

static void test_link_and_stat(void **state)
{
	char line[] = "proc/5/fd/3 -> dev/sg7", path[256], target[64], small[4];
	struct stat st;

	(void)state;
	fake_sysfs_entry(tree.root, line);
	snprintf(path, sizeof(path), "%s/5/fd/3", proc);
	fake_sg(path, 7);
	assert_int_equal(sgs_procfs_link(target, sizeof(target), "%d/fd/%d", 5, 3), 0);
	assert_string_equal(target, "../../../dev/sg7");
	assert_int_equal(sgs_procfs_link(small, sizeof(small), "5/fd/3"), 0);
	assert_string_equal(small, "../");
	assert_int_equal(sgs_procfs_link(target, 0, "5/fd/3"), -EINVAL);
	assert_int_equal(sgs_procfs_link(target, sizeof(target), "1/comm"), -EINVAL);
	assert_int_equal(sgs_procfs_stat(&st, "%d/fd/3", 5), 0);
	assert_int_equal(st.st_rdev, makedev(21, 7));
	assert_int_equal(sgs_procfs_stat(&st, "5/fd/4"), -ENOENT);
}

static void test_names_too_long(void **state)
{
	static char name[PATH_MAX + 1];
	unsigned count = 0;
	struct stat st;
	char buf[8];

	(void)state;
	memset(name, 'x', PATH_MAX);
	assert_int_equal(sgs_procfs_text(buf, sizeof(buf), "%s", name), -ENAMETOOLONG);
	assert_int_equal(sgs_procfs_link(buf, sizeof(buf), "%s", name), -ENAMETOOLONG);
	assert_int_equal(sgs_procfs_stat(&st, "%s", name), -ENAMETOOLONG);
	assert_int_equal(sgs_procfs_lines(name, count_lines, &count), -ENAMETOOLONG);
	assert_int_equal(sgs_procfs_each(name, count_names, &count), -ENAMETOOLONG);
}

static void test_root_from_the_environment(void **state)
{
	char buf[16];

	(void)state;
	setenv("SGSTREAM_PROCFS", proc, 1);
	sgs_procfs_set_root(NULL);
	assert_int_equal(sgs_procfs_text(buf, sizeof(buf), "1/cmdline"), 10);
	unsetenv("SGSTREAM_PROCFS");
	sgs_procfs_set_root(proc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_each),
		cmocka_unit_test(test_link_and_stat),
		cmocka_unit_test(test_names_too_long),
		cmocka_unit_test(test_root_from_the_environment),
	};

	return cmocka_run_group_tests_name("procfs", tests, setup, teardown);
}
