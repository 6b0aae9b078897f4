/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of the host, over doctor.tree and what is laid over it. */
#include "doctor_patient.h"

static void test_a_good_host_and_drive(void **state)
{
	static const char *const checks[] = { "sg_driver", "allow_dio", "cpu_affinity",
		"cpu_governor", "cgroup_cpu", "cgroup_memory", "open_files", "locked_memory",
		"huge_pages", "clocksource", "virtual_machine", "access", "device_state",
		"held", "block_length", "max_transfer", "segments", "reserve_segments",
		"queue_depth", "pcie_link", "numa", "interrupts", "error_counters",
		"device_timeout", "read_ahead", "scheduler", "cgroup_io" };

	(void)state;
	put("proc/self/status: Cpus_allowed_list:\\x094-7\\x0aCpus_allowed_list:\\x090\\x0a");
	put("devices/system/cpu/online: 4-7");
	examine();
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		const struct sgs_finding *found = finding_of(checks[i]);

		if (!found)
			fail_msg("%s found nothing", checks[i]);
		if (found->level != SGS_FOUND_OK)
			fail_msg("%s: %s", checks[i], found->text);
		assert_string_equal(found->fix, "");
	}
	assert_int_equal(findings.n, sizeof(checks) / sizeof(checks[0]));
}

static void test_no_sg_driver(void **state)
{
	(void)state;
	doctor.n = 0;
	drop("class/scsi_generic/sg0");
	drop("class/scsi_generic");
	drop("module/sg/parameters/allow_dio");
	examine();
	assert_found("sg_driver", SGS_FOUND_PROBLEM, "not loaded", "modprobe sg");
	assert_nothing_found("allow_dio");
	doctor.root = false;
	examine();
	assert_found("sg_driver", SGS_FOUND_PROBLEM, "not loaded", "sudo modprobe sg");
}

static void test_no_sg_driver_where_none_is_needed(void **state)
{
	(void)state;
	drop("class/scsi_generic/sg0");
	drop("class/scsi_generic");
	strcpy(row.device.path, "/dev/nvme0n1");
	row.device.node = SGS_NODE_BLOCK;
	examine();
	assert_found("sg_driver", SGS_FOUND_INFO, "not loaded", "modprobe sg");
}

static void test_allow_dio(void **state)
{
	(void)state;
	put("module/sg/parameters/allow_dio: 0");
	examine();
	assert_found("allow_dio", SGS_FOUND_INFO, "sg-mmap, the default, does not need it",
		"echo 1 > /sys/module/sg/parameters/allow_dio");
	doctor.root = false;
	examine();
	assert_found("allow_dio", SGS_FOUND_INFO, "allow_dio is 0",
		"echo 1 | sudo tee /sys/module/sg/parameters/allow_dio");
}

static void test_allow_dio_in_proc(void **state)
{
	(void)state;
	drop("module/sg/parameters/allow_dio");
	put("proc/scsi/sg/allow_dio: 0");
	examine();
	assert_found("allow_dio", SGS_FOUND_INFO, "allow_dio is 0",
		"echo 1 > /proc/scsi/sg/allow_dio");
	put("proc/scsi/sg/allow_dio: 1");
	examine();
	assert_found("allow_dio", SGS_FOUND_OK, "allow_dio is 1", "");
}

static void test_governor(void **state)
{
	(void)state;
	overlay("doctor_slow_host.tree");
	examine();
	assert_found("cpu_governor", SGS_FOUND_WARNING, "powersave on 1 of 2",
		"echo performance | tee "
		"/sys/devices/system/cpu/cpufreq/policy*/scaling_governor");
	doctor.root = false;
	examine();
	assert_found("cpu_governor", SGS_FOUND_WARNING, "powersave",
		"echo performance | sudo tee "
		"/sys/devices/system/cpu/cpufreq/policy*/scaling_governor");
}

static void test_affinity(void **state)
{
	(void)state;
	overlay("doctor_slow_host.tree");
	examine();
	assert_found(
		"cpu_affinity", SGS_FOUND_WARNING, "1 of 8 CPUs (5)", "taskset -pc 0-7 $$");
	put("proc/self/status: Cpus_allowed_list:\\x090-2,6-9\\x0a");
	examine();
	assert_found(
		"cpu_affinity", SGS_FOUND_INFO, "5 of 8 CPUs (0-2,6-7)", "taskset -pc 0-7 $$");
}

static void test_cgroup_cpu(void **state)
{
	(void)state;
	overlay("doctor_slow_host.tree");
	examine();
	assert_found("cgroup_cpu", SGS_FOUND_WARNING, "system.slice is 2.5 CPUs of 8",
		"echo max > /sys/fs/cgroup/system.slice/cpu.max");
	put("fs/cgroup/system.slice/cpu.max: 800000 100000");
	put("fs/cgroup/system.slice/job.service/cpu.max: 50000 100000");
	examine();
	assert_found("cgroup_cpu", SGS_FOUND_WARNING, "job.service is 0.5 CPUs of 8",
		"echo max > /sys/fs/cgroup/system.slice/job.service/cpu.max");
	put("fs/cgroup/system.slice/job.service/cpu.max: 800000 100000");
	examine();
	assert_found("cgroup_cpu", SGS_FOUND_OK, "nothing", "");
}

static void test_cgroup_of_a_container(void **state)
{
	(void)state;
	put("proc/self/cgroup: 12:cpu:/x\\x0a0::/\\x0a");
	put("fs/cgroup/cpu.max: 100000 100000");
	examine();
	assert_found("cgroup_cpu", SGS_FOUND_WARNING, "1 CPUs of 8",
		"echo max > /sys/fs/cgroup/cpu.max");
	put("proc/self/cgroup: 0::/../other");
	examine();
	assert_nothing_found("cgroup_cpu");
}

static void test_cgroup_beside_version_1(void **state)
{
	(void)state;
	drop("fs/cgroup/cgroup.controllers");
	put("fs/cgroup/unified/cgroup.controllers: cpu");
	put("fs/cgroup/unified/a\\x2db/cpu.max: 100000 100000");
	put("proc/self/cgroup: 0::/a\\x5cx2db");
	put("fs/cgroup/unified/a\\x2db/memory.max: max");
	examine();
	assert_found("cgroup_cpu", SGS_FOUND_WARNING, "1 CPUs of 8",
		"echo max > '/sys/fs/cgroup/unified/a\\x2db/cpu.max'");
	drop("fs/cgroup/unified/cgroup.controllers");
	examine();
	assert_nothing_found("cgroup_cpu");
}

static void test_cgroup_memory(void **state)
{
	(void)state;
	overlay("doctor_slow_host.tree");
	examine();
	assert_found("cgroup_memory", SGS_FOUND_WARNING, "128 MiB",
		"echo max > /sys/fs/cgroup/system.slice/job.service/memory.max");
	put("fs/cgroup/system.slice/job.service/memory.max: 2147483648");
	examine();
	assert_found("cgroup_memory", SGS_FOUND_INFO, "system.slice is 1 GiB",
		"echo max > /sys/fs/cgroup/system.slice/memory.max");
}

static void test_open_files(void **state)
{
	(void)state;
	overlay("doctor_slow_host.tree");
	examine();
	assert_found("open_files", SGS_FOUND_WARNING, "only 60 files", "ulimit -n 64");
	put("proc/self/limits: Max open files  60  60  files");
	examine();
	assert_found("open_files", SGS_FOUND_WARNING, "1 device cannot have 32 each",
		"prlimit --pid $$ --nofile=64");
	put("proc/self/limits: Max open files  unlimited  unlimited  files");
	examine();
	assert_found("open_files", SGS_FOUND_OK, "enough", "");
}

static void test_locked_memory(void **state)
{
	(void)state;
	doctor.root = false;
	overlay("doctor_slow_host.tree");
	examine();
	assert_found("locked_memory", SGS_FOUND_INFO, "only 64 KiB",
		"sudo prlimit --pid $$ --memlock=2097152");
	put("proc/self/limits: Max locked memory  65536  unlimited  bytes");
	examine();
	assert_found("locked_memory", SGS_FOUND_INFO, "need 2 MiB", "ulimit -l 2048");
	put("proc/self/status: CapEff:\\x090000000000004000\\x0a");
	examine();
	assert_found("locked_memory", SGS_FOUND_OK, "", "");
}

static void test_huge_pages(void **state)
{
	(void)state;
	overlay("doctor_slow_host.tree");
	examine();
	assert_found("huge_pages", SGS_FOUND_INFO, "off (never)",
		"echo always > /sys/kernel/mm/transparent_hugepage/enabled");
	drop("kernel/mm/transparent_hugepage/enabled");
	examine();
	assert_found("huge_pages", SGS_FOUND_INFO, "no transparent huge pages", "");
}

static void test_clocksource(void **state)
{
	(void)state;
	overlay("doctor_slow_host.tree");
	examine();
	assert_found("clocksource", SGS_FOUND_WARNING, "hpet",
		"echo tsc > "
		"/sys/devices/system/clocksource/clocksource0/current_clocksource");
	put("devices/system/clocksource/clocksource0/available_clocksource: hpet tsc-early ");
	examine();
	assert_found("clocksource", SGS_FOUND_WARNING, "hpet", "");
	put("devices/system/clocksource/clocksource0/current_clocksource: kvm-clock");
	examine();
	assert_found("clocksource", SGS_FOUND_OK, "kvm-clock", "");
}

static void test_virtual_machine(void **state)
{
	(void)state;
	overlay("doctor_slow_host.tree");
	examine();
	assert_found(
		"virtual_machine", SGS_FOUND_INFO, "a virtual machine (QEMU Standard PC)", "");
	put("proc/cpuinfo: vendor_id\\x09: User Mode Linux\\x0a");
	examine();
	assert_found("virtual_machine", SGS_FOUND_INFO, "this is User-Mode Linux", "");
	put("proc/cpuinfo: model name\\x09: no hypervisor here\\x0a");
	examine();
	assert_found("virtual_machine", SGS_FOUND_OK, "", "");
}

/* A /proc that is not there, and a sysfs with nothing in it, are no reason to fail. */
static void test_an_empty_host(void **state)
{
	(void)state;
	sgs_procfs_set_root("/nonexistent");
	sgs_sysfs_set_root("/nonexistent");
	doctor.n = 0;
	examine();
	assert_found("sg_driver", SGS_FOUND_PROBLEM, "not loaded", "modprobe sg");
	assert_int_equal(findings.n, 2);
	sgs_sysfs_set_root(tree.root);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_patient, tear_down_patient)
	const struct CMUnitTest tests[] = {
		TEST(test_a_good_host_and_drive),
		TEST(test_no_sg_driver),
		TEST(test_no_sg_driver_where_none_is_needed),
		TEST(test_allow_dio),
		TEST(test_allow_dio_in_proc),
		TEST(test_governor),
		TEST(test_affinity),
		TEST(test_cgroup_cpu),
		TEST(test_cgroup_of_a_container),
		TEST(test_cgroup_beside_version_1),
		TEST(test_cgroup_memory),
		TEST(test_open_files),
		TEST(test_locked_memory),
		TEST(test_huge_pages),
		TEST(test_clocksource),
		TEST(test_virtual_machine),
		TEST(test_an_empty_host),
	};

	return cmocka_run_group_tests_name("doctor, host", tests, NULL, NULL);
}
