/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of a device, over doctor.tree and what is laid over it. */
#include "doctor_patient.h"

#define MAX_SECTORS "/sys/block/sda/queue/max_sectors_kb"
#define SCSI	    "/sys/class/scsi_device/0:0:0:0/device"

/* ---- transfer sizes ---- */

static void test_max_transfer(void **state)
{
	(void)state;
	doctor.bs.value = 2 << 20;
	examine();
	assert_found("max_transfer", SGS_FOUND_PROBLEM, "can have 1.25 MiB",
		"echo 2048 > " MAX_SECTORS);
	doctor.root = false;
	doctor.bs.value = (2 << 20) + 512;
	examine();
	assert_found("max_transfer", SGS_FOUND_PROBLEM, "--bs 2048.5 KiB",
		"echo 2049 | sudo tee " MAX_SECTORS);
	doctor.bs.value = 1280 << 10;
	examine();
	assert_found("max_transfer", SGS_FOUND_OK, "1.25 MiB", "");
}

static void test_max_transfer_in_blocks(void **state)
{
	(void)state;
	doctor.bs = (struct sgs_size){ .value = 4096, .in_blocks = true };
	examine();
	assert_found(
		"max_transfer", SGS_FOUND_PROBLEM, "--bs 2 MiB", "echo 2048 > " MAX_SECTORS);
}

static void test_max_transfer_of_the_adapter(void **state)
{
	(void)state;
	overlay("doctor_bad_drive.tree");
	put(DISK "/queue/max_hw_sectors_kb: 256");
	doctor.bs.value = 1 << 20;
	examine();
	assert_found("max_transfer", SGS_FOUND_PROBLEM,
		"more than 256 KiB is not possible: max_hw_sectors_kb",
		"echo 256 > " MAX_SECTORS);
	put(DISK "/queue/max_sectors_kb: 256");
	memset(&row, 0, sizeof(row));
	examine();
	assert_found(
		"max_transfer", SGS_FOUND_PROBLEM, "more than 256 KiB is not possible", "");
}

static void test_max_transfer_of_the_drive(void **state)
{
	(void)state;
	put(UNIT
		"/vpd_pgb0: \\x00\\xb0\\x00\\x3c\\x00\\x00\\x00\\x08\\x00\\x00\\x20\\x00\\x00");
	doctor.bs.value = 8 << 20;
	examine();
	assert_found("max_transfer", SGS_FOUND_PROBLEM,
		"more than 4 MiB is not possible: the drive's own limit",
		"echo 4096 > " MAX_SECTORS);
	doctor.bs.value = 4 << 20;
	examine();
	assert_found("max_transfer", SGS_FOUND_PROBLEM, "can have 1.25 MiB",
		"echo 4096 > " MAX_SECTORS);
}

static void test_max_transfer_of_sg(void **state)
{
	(void)state;
	drop(DISK "/queue/max_hw_sectors_kb");
	describe("/dev/sg0");
	row.device.blocks = UINT64_C(1) << 33;
	doctor.bs.value = 256 << 20;
	examine();
	assert_found("max_transfer", SGS_FOUND_PROBLEM, "a limit of the sg driver",
		"echo 262143 > " MAX_SECTORS);
	row.device.blocks = UINT32_MAX;
	examine();
	assert_found("max_transfer", SGS_FOUND_PROBLEM, "more than 32767.5 KiB is not possible",
		"echo 32767 > " MAX_SECTORS);
	row.device.limits.max_transfer = 32767 << 10;
	examine();
	assert_found(
		"max_transfer", SGS_FOUND_PROBLEM, "more than 32767.5 KiB is not possible", "");
}

static void test_max_transfer_without_a_block_node(void **state)
{
	(void)state;
	move(UNIT "/block", UNIT "/none");
	describe("/dev/sg0");
	row.device.limits.max_transfer = 512 << 10;
	doctor.bs.value = 1 << 20;
	examine();
	assert_found("max_transfer", SGS_FOUND_PROBLEM, "nothing to raise it by", "");
}

static void test_max_transfer_of_a_block_node(void **state)
{
	(void)state;
	fake_node("/dev/sda", S_IFBLK | 0660, 8, 0);
	describe("/dev/sda");
	doctor.bs.value = 2 << 20;
	examine();
	assert_found("max_transfer", SGS_FOUND_INFO, "are split", "echo 2048 > " MAX_SECTORS);
	assert_nothing_found("reserve_segments");
}

static void test_block_length(void **state)
{
	(void)state;
	describe("/dev/sg0");
	row.device.block_bytes = 520;
	examine();
	assert_found("block_length", SGS_FOUND_PROBLEM, "its blocks of 520 bytes",
		"sgstream --bs 126blk /dev/sg0");
	doctor.bs = (struct sgs_size){ .value = 64, .in_blocks = true };
	examine();
	assert_found("block_length", SGS_FOUND_OK, "520", "");
	doctor.bs = (struct sgs_size){ .value = 100 };
	examine();
	assert_found("block_length", SGS_FOUND_PROBLEM, "100 B", "sgstream --bs 1blk /dev/sg0");
	row.device.block_bytes = 0;
	examine();
	assert_nothing_found("block_length");
}

static void test_segments(void **state)
{
	(void)state;
	doctor.bs.value = (512 << 10) + 512;
	examine();
	assert_found("segments", SGS_FOUND_INFO, "128 segments per command, 512 KiB", "");
	assert_found("reserve_segments", SGS_FOUND_OK, "4 MiB", "");
	doctor.bs.value = 8 << 20;
	examine();
	assert_found("reserve_segments", SGS_FOUND_PROBLEM, "of 4 MiB at the most",
		"echo 65536 > /sys/module/sg/parameters/scatter_elem_sz");
	row.device.limits.sg_tablesize = 0;
	examine();
	assert_nothing_found("segments");
	assert_nothing_found("reserve_segments");
}

/* ---- queues ---- */

static void test_queue_depth(void **state)
{
	(void)state;
	overlay("doctor_bad_drive.tree");
	examine();
	assert_found("queue_depth", SGS_FOUND_WARNING, "queue depth is 1",
		"echo 32 > " SCSI "/queue_depth");
	row.device.controller.can_queue = 7;
	examine();
	assert_found("queue_depth", SGS_FOUND_WARNING, "", "echo 7 > " SCSI "/queue_depth");
	row.device.controller.can_queue = 1;
	examine();
	assert_found("queue_depth", SGS_FOUND_WARNING, "the adapter takes no more", "");
}

static void test_read_ahead_and_scheduler(void **state)
{
	(void)state;
	overlay("doctor_bad_drive.tree");
	examine();
	assert_found("read_ahead", SGS_FOUND_INFO, "only 16 KiB",
		"echo 1024 > /sys/block/sda/queue/read_ahead_kb");
	assert_found("scheduler", SGS_FOUND_INFO, "bfq",
		"echo mq-deadline > /sys/block/sda/queue/scheduler");

	memset(&row, 0, sizeof(row));
	fake_node("/dev/sda", S_IFBLK | 0660, 8, 0);
	put(DISK "/queue/rotational: 0");
	doctor.bs.value = 1 << 20;
	describe("/dev/sda");
	examine();
	assert_found("read_ahead", SGS_FOUND_WARNING, "only 16 KiB",
		"echo 2048 > /sys/block/sda/queue/read_ahead_kb");
	assert_found("scheduler", SGS_FOUND_WARNING, "bfq",
		"echo none > /sys/block/sda/queue/scheduler");
}

static void test_read_ahead_below_bs(void **state)
{
	(void)state;
	doctor.bs.value = 256 << 10;
	examine();
	assert_found("read_ahead", SGS_FOUND_INFO, "only 128 KiB",
		"echo 1024 > /sys/block/sda/queue/read_ahead_kb");
}

static void test_cgroup_io(void **state)
{
	(void)state;
	overlay("doctor_bad_drive.tree");
	examine();
	assert_found("cgroup_io", SGS_FOUND_INFO, "10485760 bytes per second of sda",
		"echo '8:0 rbps=max riops=max' > /sys/fs/cgroup/system.slice/io.max");
	put("fs/cgroup/system.slice/job.service/io.max: 8:0 rbps=max wbps=max riops=120 "
	    "wiops=max");
	put("fs/cgroup/system.slice/io.max: 8:16 rbps=1 wbps=max riops=max wiops=max");
	examine();
	assert_found("cgroup_io", SGS_FOUND_INFO, "120 reads per second",
		"echo '8:0 rbps=max riops=max' > "
		"/sys/fs/cgroup/system.slice/job.service/io.max");
}

/* ---- health ---- */

static void test_state(void **state)
{
	(void)state;
	overlay("doctor_bad_drive.tree");
	examine();
	assert_found(
		"device_state", SGS_FOUND_PROBLEM, "offline", "echo running > " SCSI "/state");
	put(UNIT "/state: transport-offline");
	examine();
	assert_found("device_state", SGS_FOUND_PROBLEM, "transport-offline", "");
}

static void test_timeout_and_read_only(void **state)
{
	(void)state;
	overlay("doctor_bad_drive.tree");
	examine();
	assert_found(
		"device_timeout", SGS_FOUND_INFO, "waits 5 s", "echo 30 > " SCSI "/timeout");
	assert_found("read_only", SGS_FOUND_INFO, "all that reading needs", "");
	put(UNIT "/timeout: 180");
	examine();
	assert_found(
		"device_timeout", SGS_FOUND_INFO, "waits 180 s", "echo 30 > " SCSI "/timeout");
}

static void test_error_counters(void **state)
{
	(void)state;
	overlay("doctor_bad_drive.tree");
	examine();
	assert_found("error_counters", SGS_FOUND_WARNING,
		"3 of 65536 commands failed and 26 timed", "smartctl -x /dev/sg0");
	put(UNIT "/iotmo_cnt: 0x0");
	put(UNIT "/ioerr_cnt: 0x100");
	examine();
	assert_found("error_counters", SGS_FOUND_OK, "256 of 65536", "");
	put(UNIT "/ioerr_cnt: 0x300");
	examine();
	assert_found("error_counters", SGS_FOUND_INFO, "768 of 65536", "smartctl -x /dev/sg0");
	put(UNIT "/iodone_cnt: 0x20");
	put(UNIT "/ioerr_cnt: 0xf");
	examine();
	assert_found("error_counters", SGS_FOUND_OK, "15 of 32", "");
	put(UNIT "/ioerr_cnt: many");
	examine();
	assert_nothing_found("error_counters");
}

static void test_what_cannot_be_opened(void **state)
{
	(void)state;
	describe_with_problem(SGS_NOT_READY, "no_medium");
	examine();
	assert_found("medium", SGS_FOUND_PROBLEM, "it is no_medium", "");
	assert_nothing_found("access");
	describe_with_problem(SGS_FILE, "cannot_open");
	examine();
	assert_found("access", SGS_FOUND_PROBLEM, "it is cannot_open", "");
	describe_with_problem(SGS_FILE, "held_exclusively");
	examine();
	assert_found("held", SGS_FOUND_PROBLEM, "it is held_exclusively", "");
	assert_nothing_found("access");
}

static void test_what_is_no_drive(void **state)
{
	(void)state;
	describe_with_problem(SGS_FILE, "wrong_device_type");
	doctor.n = 0;
	examine();
	size_t host = findings.n;
	doctor.n = 1;
	examine();
	assert_int_equal(findings.n, host + 1);
	assert_found("access", SGS_FOUND_INFO, "it is wrong_device_type", "");
}

static void test_a_removable_drive(void **state)
{
	(void)state;
	describe("/dev/sg0");
	row.device.identity.removable = true;
	examine();
	assert_found("medium", SGS_FOUND_OK, "the medium is in", "");
}

/* ---- who else has it ---- */

static void add_fd(const char *path, mode_t mode, unsigned major, unsigned minor)
{
	char node[PATH_MAX];

	snprintf(node, sizeof(node), "%s/proc/%s", tree.root, path);
	fake_node(node, mode, major, minor);
}

static void test_held(void **state)
{
	(void)state;
	overlay("doctor_held.tree");
	add_fd("812/fd/3", S_IFCHR | 0600, 21, 0);
	add_fd("812/fd/4", S_IFCHR | 0600, 21, 0);
	add_fd("813/fd/5", S_IFBLK | 0600, 8, 0);
	fake_node("/dev/sda", S_IFBLK | 0660, 8, 0);
	fake_node("/dev/sda1", S_IFBLK | 0660, 8, 1);
	examine();
	assert_found("held", SGS_FOUND_WARNING, "part of dm-0 (mpatha)", "");
	assert_found("held", SGS_FOUND_WARNING, "part of md127", "");
	assert_found("held", SGS_FOUND_WARNING, "mounted on /my data", "");
	assert_found("held", SGS_FOUND_WARNING, "mounted on /pool", "");
	assert_found("held", SGS_FOUND_WARNING, "in use as swap and 2 more", "");
}

static void test_held_by_processes(void **state)
{
	(void)state;
	put("proc/812/comm: smartd");
	put("proc/812/fd/3 -> dev/sg0");
	put("proc/812/fd/4 -> dev/sg0");
	put("proc/813/comm: e\\x1b[31mvil");
	put("proc/813/fd/5 -> dev/sg1");
	put("proc/814/comm: other");
	put("proc/814/fd/3 -> dev/sda");
	add_fd("812/fd/3", S_IFCHR | 0600, 21, 0);
	add_fd("812/fd/4", S_IFCHR | 0600, 21, 0);
	add_fd("813/fd/5", S_IFCHR | 0600, 250, 0); /* by bsg */
	add_fd("814/fd/3", S_IFBLK | 0600, 21, 0);  /* another device */
	describe_with_problem(SGS_FILE, "held_exclusively");
	examine();
	assert_found("held", SGS_FOUND_PROBLEM,
		"sg0 is open in smartd (pid 812), open in e?[31mvil (pid 813): one of them",
		"");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_patient, tear_down_patient)
	const struct CMUnitTest tests[] = {
		TEST(test_max_transfer),
		TEST(test_max_transfer_in_blocks),
		TEST(test_max_transfer_of_the_adapter),
		TEST(test_max_transfer_of_the_drive),
		TEST(test_max_transfer_of_sg),
		TEST(test_max_transfer_without_a_block_node),
		TEST(test_max_transfer_of_a_block_node),
		TEST(test_block_length),
		TEST(test_segments),
		TEST(test_queue_depth),
		TEST(test_read_ahead_and_scheduler),
		TEST(test_read_ahead_below_bs),
		TEST(test_cgroup_io),
		TEST(test_state),
		TEST(test_timeout_and_read_only),
		TEST(test_error_counters),
		TEST(test_what_cannot_be_opened),
		TEST(test_what_is_no_drive),
		TEST(test_a_removable_drive),
		TEST(test_held),
		TEST(test_held_by_processes),
	};

	return cmocka_run_group_tests_name("doctor, device", tests, NULL, NULL);
}
