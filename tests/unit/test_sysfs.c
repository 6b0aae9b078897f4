/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "fake_sysfs.h"

#define UNIT "devices/pci0000:00/0000:00:02.0/0000:03:00.0/host0/target0:2:0/0:2:0:0"

static struct fake_sysfs tree;

static int setup(void **state)
{
	(void)state;
	fake_sysfs_make(&tree, "raid.tree");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_sysfs_remove(&tree);
	return 0;
}

static void test_text(void **state)
{
	char buf[16], small[4];

	(void)state;
	assert_int_equal(sgs_sysfs_text(buf, sizeof(buf), "%s/rev", UNIT), 4);
	assert_string_equal(buf, "4.68");
	assert_int_equal(sgs_sysfs_text(small, sizeof(small), "%s/rev", UNIT), 3);
	assert_string_equal(small, "4.6");
	assert_int_equal(sgs_sysfs_text(buf, sizeof(buf), "%s/absent", UNIT), -ENOENT);
	assert_int_equal(sgs_sysfs_text(buf, sizeof(buf), "%s", UNIT), -EISDIR);
	assert_int_equal(sgs_sysfs_text(buf, 0, "%s/rev", UNIT), -EINVAL);
}

static void test_bytes(void **state)
{
	uint8_t buf[64];

	(void)state;
	assert_int_equal(
		sgs_sysfs_bytes(buf, sizeof(buf), "class/scsi_generic/sg0/../../vpd_pg80"), 12);
	assert_memory_equal(buf, "\x00\x80\x00\x08Z1Z2Z3Z4", 12);
	assert_int_equal(sgs_sysfs_bytes(buf, 3, "%s/rev", UNIT), 3);
}

static void test_number(void **state)
{
	int64_t value = 0;

	(void)state;
	assert_int_equal(sgs_sysfs_number(&value, "%s/queue_depth", UNIT), 0);
	assert_int_equal(value, 256);
	assert_int_equal(sgs_sysfs_number(&value,
				 "devices/pci0000:00/0000:00:03.0/0000:05:00.0/numa_node"),
		0);
	assert_int_equal(value, -1);
	assert_int_equal(sgs_sysfs_number(&value, "%s/model", UNIT), -EINVAL);
	assert_int_equal(sgs_sysfs_number(&value, "%s/rev", UNIT), -EINVAL);
	assert_int_equal(sgs_sysfs_number(&value, "%s/absent", UNIT), -ENOENT);
	assert_int_equal(value, -1);
}

static void test_link(void **state)
{
	char name[16];

	(void)state;
	assert_int_equal(sgs_sysfs_link(name, sizeof(name), "%s/generic", UNIT), 0);
	assert_string_equal(name, "sg2");
	assert_int_equal(sgs_sysfs_link(name, sizeof(name), "%s/rev", UNIT), -EINVAL);
	assert_int_equal(sgs_sysfs_link(name, sizeof(name), "%s/absent", UNIT), -ENOENT);
	assert_int_equal(sgs_sysfs_link(name, 3, "%s/generic", UNIT), -ENAMETOOLONG);
}

static void test_resolve(void **state)
{
	char folder[PATH_MAX];

	(void)state;
	assert_int_equal(sgs_sysfs_resolve(folder, sizeof(folder), "dev/char/21:2"), 0);
	assert_string_equal(folder, UNIT "/scsi_generic/sg2");
	/* A link behind a link, and one that climbs. */
	assert_int_equal(
		sgs_sysfs_resolve(folder, sizeof(folder), "dev/char/21:2/../../generic"), 0);
	assert_string_equal(folder, UNIT "/scsi_generic/sg2");
	assert_int_equal(sgs_sysfs_resolve(folder, sizeof(folder), "dev/char/99:9"), -ENOENT);
	assert_int_equal(sgs_sysfs_resolve(folder, sizeof(folder), "../.."), -EXDEV);
}

static void test_resolve_below_a_root_that_is_a_link(void **state)
{
	char folder[PATH_MAX], link[PATH_MAX];

	(void)state;
	snprintf(link, sizeof(link), "%s/root", tree.root);
	assert_int_equal(symlink(tree.root, link), 0);
	sgs_sysfs_set_root(link);
	assert_int_equal(sgs_sysfs_resolve(folder, sizeof(folder), "dev/char/21:2"), 0);
	assert_string_equal(folder, UNIT "/scsi_generic/sg2");
	sgs_sysfs_set_root(tree.root);
}

static void test_root_with_a_slash(void **state)
{
	char folder[PATH_MAX], root[PATH_MAX];

	(void)state;
	snprintf(root, sizeof(root), "%s//", tree.root);
	sgs_sysfs_set_root(root);
	assert_int_equal(sgs_sysfs_resolve(folder, sizeof(folder), "dev/char/21:2"), 0);
	assert_string_equal(folder, UNIT "/scsi_generic/sg2");
	sgs_sysfs_set_root(tree.root);
}

static void test_root_from_the_environment(void **state)
{
	char buf[16];

	(void)state;
	setenv("SGSTREAM_SYSFS", tree.root, 1);
	sgs_sysfs_set_root(NULL);
	assert_int_equal(sgs_sysfs_text(buf, sizeof(buf), "%s/rev", UNIT), 4);
	unsetenv("SGSTREAM_SYSFS");
	sgs_sysfs_set_root(tree.root);
}

static void test_exists(void **state)
{
	(void)state;
	assert_true(sgs_sysfs_exists("%s", UNIT));
	assert_true(sgs_sysfs_exists("dev/char/21:%d", 0));
	assert_false(sgs_sysfs_exists("dev/char/21:%d", 99));
}

static int collect(const char *name, void *arg)
{
	strcat(strcat(arg, name), " ");
	return 0;
}

static int stop_at_sg2(const char *name, void *arg)
{
	collect(name, arg);
	return strcmp(name, "sg2") == 0 ? 7 : 0;
}

static void test_each_in_the_order_of_numbers(void **state)
{
	char names[256] = "";

	(void)state;
	assert_int_equal(sgs_sysfs_each("class/scsi_generic", collect, names), 0);
	assert_string_equal(names, "sg0 sg1 sg2 sg3 sg4 sg5 sg10 ");
}

static void test_each_stops(void **state)
{
	char names[256] = "";

	(void)state;
	assert_int_equal(sgs_sysfs_each("class/scsi_generic", stop_at_sg2, names), 7);
	assert_string_equal(names, "sg0 sg1 sg2 ");
	assert_int_equal(sgs_sysfs_each("class/absent", collect, names), -ENOENT);
}

static void test_paths_too_long(void **state)
{
	static char name[PATH_MAX + 1];
	char buf[8];
	int64_t value;

	(void)state;
	memset(name, 'x', PATH_MAX);
	assert_int_equal(sgs_sysfs_text(buf, sizeof(buf), "%s", name), -ENAMETOOLONG);
	assert_int_equal(sgs_sysfs_number(&value, "%s", name), -ENAMETOOLONG);
	assert_int_equal(sgs_sysfs_resolve(buf, sizeof(buf), "%s", name), -ENAMETOOLONG);
	assert_int_equal(sgs_sysfs_each(name, collect, NULL), -ENAMETOOLONG);
	assert_false(sgs_sysfs_exists("%s", name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_number),
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_resolve),
		cmocka_unit_test(test_resolve_below_a_root_that_is_a_link),
		cmocka_unit_test(test_root_with_a_slash),
		cmocka_unit_test(test_root_from_the_environment),
		cmocka_unit_test(test_exists),
		cmocka_unit_test(test_each_in_the_order_of_numbers),
		cmocka_unit_test(test_each_stops),
		cmocka_unit_test(test_paths_too_long),
	};

	return cmocka_run_group_tests_name("sysfs", tests, setup, teardown);
}
