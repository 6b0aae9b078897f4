/* SPDX-License-Identifier: BSD-2-Clause */
/* Knobs of the host over a dumped sysfs, whose files take any value. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/knob.h"
#include "device/limits.h"
#include "fake_sysfs.h"

#define DISK "devices/pci0000:00/0000:00:02.0/0000:03:00.0/host0/target0:2:0/0:2:0:0/block/sda"

static struct fake_sysfs tree;
static struct sgs_device disk;
static struct sgs_knob knob;
static struct sgs_error err;
static char value[SGS_KNOB_ROOM];

static void put(const char *path, const char *text)
{
	char full[512], line[256];

	snprintf(full, sizeof(full), "%s/%s", tree.root, path);
	snprintf(line, sizeof(line), "%s", text);
	fake_sysfs_folders(full);
	fake_sysfs_file(full, line);
}

static void drop(const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", tree.root, path);
	assert_int_equal(unlink(full), 0);
}

static const char *get(const char *path)
{
	static char text[256];

	assert_true(sgs_sysfs_text(text, sizeof(text), "%s", path) >= 0);
	return text;
}

static int setup(void **state)
{
	(void)state;
	fake_sysfs_make(&tree, "raid.tree");
	put("module/sg/parameters/allow_dio", "0");
	disk = (struct sgs_device){
		.path = "/dev/sg2",
		.node = SGS_NODE_SG,
		.block_path = "/dev/sda",
		.disk_folder = DISK,
	};
	memset(&err, 0, sizeof(err));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_sysfs_remove(&tree);
	return 0;
}

static void says(const char *word)
{
	if (!strstr(err.text, word))
		fail_msg("\"%s\" does not say \"%s\"", err.text, word);
}

static void found(enum sgs_setting_kind kind, const char *to)
{
	const struct sgs_device *dev = kind == SGS_SET_ALLOW_DIO ? NULL : &disk;

	if (sgs_knob_find(kind, dev, to, &knob, &err))
		fail_msg("%s", err.text);
}

static void refused(enum sgs_setting_kind kind, const char *to, int status, const char *code)
{
	const struct sgs_device *dev = kind == SGS_SET_ALLOW_DIO ? NULL : &disk;

	assert_int_equal(sgs_knob_find(kind, dev, to, &knob, &err), status);
	assert_string_equal(err.code, code);
	assert_null(strchr(err.text, '\n'));
}

static void test_find_reads_what_is(void **state)
{
	(void)state;
	found(SGS_SET_READ_AHEAD, "32");
	assert_string_equal(knob.from, "128");
	assert_string_equal(knob.to, "32");
	assert_string_equal(knob.shown, "/sys/block/sda/queue/read_ahead_kb");
	assert_int_equal(knob.fd, -1);
	found(SGS_SET_MAX_TRANSFER, "1024");
	assert_string_equal(knob.from, "256");
	found(SGS_SET_SCHEDULER, "kyber");
	assert_string_equal(knob.from, "mq-deadline");
	found(SGS_SET_ALLOW_DIO, "1");
	assert_string_equal(knob.from, "0");
	assert_string_equal(knob.shown, "/sys/module/sg/parameters/allow_dio");
	assert_string_equal(get(DISK "/queue/read_ahead_kb"), "128");
}

static void test_above_the_limit(void **state)
{
	(void)state;
	refused(SGS_SET_MAX_TRANSFER, "1025", SGS_USAGE, "above_limit");
	says("/dev/sg2");
	says("--max-transfer 1025 KiB");
	says("max_hw_sectors_kb of 1024 KiB");
}

static void test_no_known_limit(void **state)
{
	(void)state;
	drop(DISK "/queue/max_hw_sectors_kb");
	found(SGS_SET_MAX_TRANSFER, "99999999");
}

static void test_unknown_scheduler(void **state)
{
	static const char *const names[] = { "bfq", "mq", "mq-deadline2", "[mq-deadline]", "",
		" ", "kyber none" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		refused(SGS_SET_SCHEDULER, names[i], SGS_USAGE, "unknown_scheduler");
		says("there are: none mq-deadline kyber ");
	}
	found(SGS_SET_SCHEDULER, "mq-deadline");
	found(SGS_SET_SCHEDULER, "none");
}

static void test_no_block_node(void **state)
{
	(void)state;
	disk.disk_folder[0] = disk.block_path[0] = '\0';
	refused(SGS_SET_READ_AHEAD, "32", SGS_USAGE, "no_setting");
	says("/dev/sg2 has no block node");
	says("leave --read-ahead out");
	disk.node = SGS_NODE_FILE;
	strcpy(disk.block_path, "file");
	refused(SGS_SET_SCHEDULER, "none", SGS_USAGE, "no_setting");
	says("regular file");
}

static void test_a_driver_without_the_file(void **state)
{
	(void)state;
	drop(DISK "/queue/read_ahead_kb");
	refused(SGS_SET_READ_AHEAD, "32", SGS_USAGE, "no_setting");
	says("/sys/block/sda/queue/read_ahead_kb");
}

static void test_sg_not_loaded(void **state)
{
	(void)state;
	drop("module/sg/parameters/allow_dio");
	refused(SGS_SET_ALLOW_DIO, "1", SGS_FILE, "no_sg");
	says("modprobe sg");
}

static void test_allow_dio_in_proc_only(void **state)
{
	(void)state;
	drop("module/sg/parameters/allow_dio");
	put("proc/scsi/sg/allow_dio", "0");
	found(SGS_SET_ALLOW_DIO, "1");
	assert_string_equal(knob.shown, "/proc/scsi/sg/allow_dio");
	assert_int_equal(sgs_knob_set(&knob, value), 0);
	assert_string_equal(get("proc/scsi/sg/allow_dio"), "1");
}

static void test_set_and_put_back(void **state)
{
	(void)state;
	found(SGS_SET_READ_AHEAD, "32");
	assert_int_equal(sgs_knob_remember(&knob), 0);
	assert_int_equal(sgs_knob_set(&knob, value), 0);
	assert_string_equal(value, "32");
	assert_string_equal(get(DISK "/queue/read_ahead_kb"), "32");
	assert_int_equal(sgs_knob_put_back(&knob, "32", value), 0);
	assert_string_equal(get(DISK "/queue/read_ahead_kb"), "128");
	assert_int_equal(sgs_knob_put_back(&knob, "32", value), 0); /* it is so already */
}

static void test_changed_by_somebody_else_is_left(void **state)
{
	(void)state;
	found(SGS_SET_READ_AHEAD, "32");
	assert_int_equal(sgs_knob_set(&knob, value), 0);
	put(DISK "/queue/read_ahead_kb", "77");
	assert_int_equal(sgs_knob_put_back(&knob, "32", value), 1);
	assert_string_equal(value, "77");
	assert_string_equal(get(DISK "/queue/read_ahead_kb"), "77");
	/* While it is not known what the change came to, it is put back all the same. */
	assert_int_equal(sgs_knob_put_back(&knob, "", value), 0);
	assert_string_equal(get(DISK "/queue/read_ahead_kb"), "128");
}

static void test_device_gone(void **state)
{
	(void)state;
	found(SGS_SET_READ_AHEAD, "32");
	drop(DISK "/queue/read_ahead_kb");
	assert_int_equal(sgs_knob_set(&knob, value), -ENOENT);
	assert_int_equal(sgs_knob_put_back(&knob, "32", value), -ENOENT);
	assert_int_equal(sgs_knob_hold(&knob), -ENOENT);
	assert_int_equal(sgs_sysfs_exists(DISK "/queue/read_ahead_kb"), 0); /* not made anew */
}

/* The kernel sets these anew with each scheduler; here a test has to. */
static void test_scheduler_takes_its_companions_along(void **state)
{
	(void)state;
	put(DISK "/queue/nr_requests", "17");
	put(DISK "/queue/iosched/fifo_batch", "99");
	put(DISK "/queue/iosched/read_expire", "500");
	found(SGS_SET_SCHEDULER, "kyber");
	assert_int_equal(sgs_knob_remember(&knob), 0);
	assert_int_equal(knob.n_companions, 3);
	assert_int_equal(sgs_knob_set(&knob, value), 0);
	assert_string_equal(value, "kyber");
	put(DISK "/queue/nr_requests", "256");
	put(DISK "/queue/iosched/fifo_batch", "16");
	drop(DISK "/queue/iosched/read_expire");
	assert_int_equal(sgs_knob_put_back(&knob, "kyber", value), 0);
	assert_string_equal(get(DISK "/queue/scheduler"), "mq-deadline");
	assert_string_equal(get(DISK "/queue/nr_requests"), "17");
	assert_string_equal(get(DISK "/queue/iosched/fifo_batch"), "99");
	assert_false(sgs_sysfs_exists(DISK "/queue/iosched/read_expire"));
}

static void test_not_permitted_says_what_to_do(void **state)
{
	static const int errors[] = { -EACCES, -EPERM, -EROFS };

	(void)state;
	found(SGS_SET_READ_AHEAD, "32");
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(sgs_knob_refused(&knob, "/dev/sg2", errors[i], &err),
			sgs_status_from_errno(-errors[i]));
		assert_string_equal(err.code, "setting_not_permitted");
		says("/dev/sg2: --read-ahead: /sys/block/sda/queue/read_ahead_kb");
		says("echo 32 > /sys/block/sda/queue/read_ahead_kb");
	}
	sgs_knob_refused(&knob, NULL, -EINVAL, &err);
	assert_string_equal(err.code, "setting_refused");
	says("the kernel refuses 32 KiB");
}

static void test_two_know_of_each_other(void **state)
{
	struct sgs_knob other;

	(void)state;
	found(SGS_SET_READ_AHEAD, "32");
	other = knob;
	assert_int_equal(sgs_knob_hold(&knob), 0);
	assert_int_equal(sgs_knob_hold(&other), 0);
	assert_int_equal(sgs_knob_lock(&knob, true), 0);
	assert_int_equal(sgs_knob_lock(&other, true), -EWOULDBLOCK);
	assert_int_equal(sgs_knob_lock(&other, false), -EWOULDBLOCK);
	assert_int_equal(sgs_knob_lock(&knob, false), 0);
	assert_int_equal(sgs_knob_lock(&other, false), 0);
	assert_int_equal(sgs_knob_lock(&knob, true), -EWOULDBLOCK);
	sgs_knob_release(&other);
	assert_int_equal(sgs_knob_lock(&knob, true), 0);
	sgs_knob_release(&knob);
	assert_int_equal(knob.fd, -1);
}

static void test_limits_are_read_again(void **state)
{
	(void)state;
	put(DISK "/queue/max_sectors_kb", "512");
	put(DISK "/queue/scheduler", "[none] kyber");
	disk.limits.queue_depth = 7;
	sgs_limits_again(&disk);
	assert_int_equal(disk.limits.max_transfer, 512 << 10);
	assert_int_equal(disk.limits.read_ahead, 128 << 10);
	assert_string_equal(disk.limits.scheduler, "none");
	assert_int_equal(disk.limits.queue_depth, 7);
}

static void test_only_attributes_are_written(void **state)
{
	(void)state;
	assert_int_equal(sgs_sysfs_write("1", DISK "/queue"), -EISDIR);
	assert_int_equal(sgs_sysfs_write("1", DISK "/queue/absent"), -ENOENT);
	assert_false(sgs_sysfs_exists(DISK "/queue/absent"));
	assert_int_equal(sgs_sysfs_write("1", DISK "/queue/nomerges%s", "/x"), -ENOENT);
}

static void test_shown_in_kib(void **state)
{
	char buf[40];

	(void)state;
	assert_string_equal(
		sgs_knob_show(SGS_SET_READ_AHEAD, "32", buf, sizeof(buf)), "32 KiB");
	assert_string_equal(
		sgs_knob_show(SGS_SET_MAX_TRANSFER, "512", buf, sizeof(buf)), "512 KiB");
	assert_string_equal(sgs_knob_show(SGS_SET_SCHEDULER, "none", buf, sizeof(buf)), "none");
	assert_string_equal(sgs_knob_option(SGS_SET_ALLOW_DIO), "--allow-dio");
	assert_string_equal(sgs_setting_name(SGS_SET_READ_AHEAD), "read_ahead_kib");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_find_reads_what_is),
		TEST(test_above_the_limit),
		TEST(test_no_known_limit),
		TEST(test_unknown_scheduler),
		TEST(test_no_block_node),
		TEST(test_a_driver_without_the_file),
		TEST(test_sg_not_loaded),
		TEST(test_allow_dio_in_proc_only),
		TEST(test_set_and_put_back),
		TEST(test_changed_by_somebody_else_is_left),
		TEST(test_device_gone),
		TEST(test_scheduler_takes_its_companions_along),
		TEST(test_not_permitted_says_what_to_do),
		TEST(test_two_know_of_each_other),
		TEST(test_limits_are_read_again),
		TEST(test_only_attributes_are_written),
		TEST(test_shown_in_kib),
	};

	return cmocka_run_group_tests_name("knob", tests, NULL, NULL);
}
