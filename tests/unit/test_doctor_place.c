/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of where a device is: links, interrupts, NUMA nodes, and how it is named. */
#include "doctor_patient.h"

#define PORT   "devices/pci0000:80/0000:80:03.0"
#define SWITCH PORT "/0000:81:00.0/0000:82:08.0"
#define SCSI   "/sys/class/scsi_device/0:0:0:0/device"

static void test_pcie_narrow_link(void **state)
{
	(void)state;
	overlay("doctor_bad_slot.tree");
	examine();
	assert_found("pcie_link", SGS_FOUND_WARNING,
		"0000:83:00.0 runs at 8.0 GT/s x4 (3.94 GB/s), and both its ends can do 8.0 "
		"GT/s x8 "
		"(7.88 GB/s)",
		"");
}

static void test_pcie_slot(void **state)
{
	(void)state;
	overlay("doctor_bad_slot.tree");
	put("devices/pci0000:80/0000:80:03.0/max_link_width: 4");
	examine();
	assert_found("pcie_link", SGS_FOUND_WARNING,
		"the slot of mpt3sas (0000:83:00.0) gives it", "");
	put("devices/pci0000:80/0000:80:03.0/max_link_width: 8");
	put("devices/pci0000:80/0000:80:03.0/max_link_speed: 5.0 GT/s PCIe");
	put(HBA "/current_link_width: 8");
	put(HBA "/current_link_speed: 5.0 GT/s PCIe");
	examine();
	assert_found("pcie_link", SGS_FOUND_INFO, "5.0 GT/s x8 (4 GB/s)", "");
	put(HBA "/current_link_speed: Unknown");
	examine();
	assert_nothing_found("pcie_link");
}

/* The card in a switch, whose own link up is the narrow one. */
static void test_pcie_bridge(void **state)
{
	static const char *const entries[] = { "current_link_speed: 8.0 GT/s PCIe",
		"current_link_width: 4", "max_link_speed: 8.0 GT/s PCIe", "max_link_width: 4" };
	char line[512];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		snprintf(line, sizeof(line), PORT "/0000:81:00.0/%s", entries[i]);
		put(line);
		snprintf(line, sizeof(line), SWITCH "/%s", entries[i]);
		put(line);
	}
	put(SWITCH "/max_link_width: 8");
	put(SWITCH "/current_link_width: 8");
	move(HBA, SWITCH "/0000:83:00.0");
	drop("dev/char/21:0");
	put("dev/char/21:0 -> " SWITCH
	    "/0000:83:00.0/host0/target0:0:0/0:0:0:0/scsi_generic/sg0");
	examine();
	assert_found("pcie_link", SGS_FOUND_WARNING,
		"the bridge 0000:81:00.0 above mpt3sas (0000:83:00.0) carries 8.0 GT/s x4", "");
}

static void test_interrupts(void **state)
{
	(void)state;
	overlay("doctor_bad_slot.tree");
	examine();
	assert_found("interrupts", SGS_FOUND_WARNING,
		"all 4 interrupts of mpt3sas (0000:83:00.0) may go to CPU 0 only",
		"echo 0-7 | tee /proc/irq/{40..43}/smp_affinity_list");
	drop(HBA "/msi_irqs/42");
	examine();
	assert_found("interrupts", SGS_FOUND_WARNING, "all 3",
		"echo 0-7 | tee /proc/irq/{40,41,43}/smp_affinity_list");
	put("devices/system/cpu/online: 0");
	examine();
	assert_nothing_found("interrupts");
}

static void test_interrupts_in_one_place(void **state)
{
	(void)state;
	put("proc/interrupts: \\x20CPU0 CPU4\\x0a 40: 3 5000 x\\x0a 41: 1 700 x\\x0a 9: 99999 "
	    "0 x\\x0a");
	examine();
	assert_found("interrupts", SGS_FOUND_INFO, "5700 of 5704 interrupts of mpt3sas", "");
	put("proc/interrupts: \\x20CPU0 CPU4\\x0a 40: 3 500 x\\x0a");
	examine();
	assert_found("interrupts", SGS_FOUND_OK, "4 interrupts", "");
}

static void test_one_interrupt(void **state)
{
	(void)state;
	for (int i = 40; i < 44; i++) {
		char path[512];

		snprintf(path, sizeof(path), HBA "/msi_irqs/%d", i);
		drop(path);
	}
	put("proc/irq/30/smp_affinity_list: 0-7");
	examine();
	assert_found("interrupts", SGS_FOUND_INFO, "has one interrupt", "");
	put("proc/irq/30/smp_affinity_list: 2");
	examine();
	assert_found("interrupts", SGS_FOUND_WARNING, "may go to CPU 2 only",
		"echo 0-7 > /proc/irq/30/smp_affinity_list");
}

static void test_numa(void **state)
{
	(void)state;
	overlay("doctor_bad_slot.tree");
	examine();
	assert_found("numa", SGS_FOUND_WARNING,
		"mpt3sas (0000:83:00.0) is on NUMA node 1 (CPUs 4-7), but this process may run "
		"on "
		"0-3 only, at distance 21",
		"taskset -c 4-7 sgstream /dev/sg0");
	put("proc/self/status: Cpus_allowed_list:\\x090-5\\x0a");
	examine();
	assert_found("numa", SGS_FOUND_INFO, "4 CPUs of other nodes",
		"taskset -c 4-7 sgstream /dev/sg0");
	put(HBA "/numa_node: -1");
	memset(&row, 0, sizeof(row));
	examine();
	assert_found("numa", SGS_FOUND_INFO, "does not say on which of 2", "");
}

/* ---- names ---- */

static void test_a_name_that_a_shell_would_run(void **state)
{
	const char *name = "/tmp/$(reboot) 'x'";

	(void)state;
	overlay("doctor_bad_slot.tree");
	describe("/dev/sg0");
	strcpy(row.device.path, name);
	fake_sg(name, 0);
	examine();
	assert_found("numa", SGS_FOUND_WARNING, "",
		"taskset -c 4-7 sgstream '/tmp/$(reboot) '\\''x'\\'''");
	strcpy(row.device.path, "/tmp/new\nline");
	fake_sg("/tmp/new\nline", 0);
	examine();
	assert_found("numa", SGS_FOUND_WARNING, "", "");
}

/* Listed by sysfs, without a node in /dev */
static void test_a_node_that_is_missing(void **state)
{
	(void)state;
	overlay("doctor_bad_drive.tree");
	describe_with_problem(SGS_FILE, "no_such_device");
	fake_reset(NULL);
	examine();
	assert_found("access", SGS_FOUND_PROBLEM, "it is no_such_device", "");
	assert_found(
		"device_state", SGS_FOUND_PROBLEM, "offline", "echo running > " SCSI "/state");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_patient, tear_down_patient)
	const struct CMUnitTest tests[] = {
		TEST(test_pcie_narrow_link),
		TEST(test_pcie_slot),
		TEST(test_pcie_bridge),
		TEST(test_interrupts),
		TEST(test_interrupts_in_one_place),
		TEST(test_one_interrupt),
		TEST(test_numa),
		TEST(test_a_name_that_a_shell_would_run),
		TEST(test_a_node_that_is_missing),
	};

	return cmocka_run_group_tests_name("doctor, place", tests, NULL, NULL);
}
