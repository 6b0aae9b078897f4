/* SPDX-License-Identifier: BSD-2-Clause */
/* Where readers are put, who takes the interrupts, and how full the links are. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sgstream/job.h>

#include "fake_sysfs.h"
#include "run/way.h"
#include "sys/affinity.h"
#include "sys/procfs.h"
#include "topology/nodes.h"

static struct fake_sysfs tree;
static struct sgs_device_row *rows;
static struct sgs_device *devices;
static size_t count;
static struct sgs_job job;
static struct sgs_result result;
static struct sgs_way way;

static void use(const char *name)
{
	char proc[128];
	struct sgs_error err;

	fake_sysfs_make(&tree, name);
	snprintf(proc, sizeof(proc), "%s/proc", tree.root);
	sgs_procfs_set_root(proc);
	if (sgs_device_list(&rows, &count, &err))
		fail_msg("%s", err.text);
	devices = calloc(count, sizeof(*devices));
	result.run.devices = calloc(count, sizeof(*result.run.devices));
	assert_non_null(devices);
	assert_non_null(result.run.devices);
	result.run.n_devices = count;
	for (size_t i = 0; i < count; i++)
		devices[i] = result.run.devices[i].device = rows[i].device;
	sgs_job_init(&job);
}

static int tear_down(void **state)
{
	(void)state;
	sgs_way_free(&way);
	memset(&way, 0, sizeof(way));
	sgs_result_free(&result);
	free(devices);
	free(rows);
	devices = NULL;
	rows = NULL;
	if (tree.root[0])
		fake_sysfs_remove(&tree);
	tree.root[0] = '\0';
	sgs_procfs_set_root(NULL);
	return 0;
}

static void put(const char *entry)
{
	char line[2048];

	snprintf(line, sizeof(line), "%s", entry);
	fake_sysfs_entry(tree.root, line);
}

static int plan(void)
{
	sgs_way_free(&way);
	memset(&way, 0, sizeof(way));
	return sgs_way_plan(&way, &job, devices, count, &result);
}

static void assert_placed(const char *by, int node, const char *cpus)
{
	const struct sgs_placed *placed = &result.run.devices[0].placed;

	assert_int_equal(plan(), 0);
	assert_string_equal(placed->by, by);
	assert_int_equal(placed->node, node);
	assert_string_equal(placed->cpus, cpus);
	assert_int_equal(sgs_way_cpus(&way, 0) != NULL, cpus[0] != '\0');
}

/* ---- placement: the HBA of doctor.tree is on node 1, CPUs 4-7 ---- */

static void readers_go_to_the_node_of_the_controller(void **state)
{
	(void)state;

	use("doctor.tree");
	assert_placed("controller", 1, "4-7");
	put("proc/self/status: Cpus_allowed_list:\\x090-5\\x0a");
	assert_placed("controller", 1, "4-5");
	put("proc/self/status: Cpus_allowed_list:\\x090-3\\x0a"); /* none of them is ours */
	assert_placed("anywhere", -1, "");
}

static void interrupts_tell_where_the_firmware_does_not(void **state)
{
	(void)state;

	use("doctor.tree");
	devices[0].controller.numa_node = -1;
	assert_placed("interrupts", 1, "4-7");
	put("proc/irq/40/smp_affinity_list: 0-7"); /* they go anywhere, and tell nothing */
	assert_placed("anywhere", -1, "");
}

static void one_node_leaves_nothing_to_choose(void **state)
{
	(void)state;

	use("topology.tree");
	put("proc/self/status: Cpus_allowed_list:\\x090-7\\x0a");
	assert_placed("controller", 1, "4-7");
	tear_down(state);
	use("raid.tree");
	assert_placed("anywhere", -1, "");
}

static void a_list_and_off_are_obeyed(void **state)
{
	(void)state;

	use("doctor.tree");
	job.cpus = "5,7";
	assert_placed("list", 1, "5,7");
	put("proc/self/status: Cpus_allowed_list:\\x090-7\\x0a");
	job.cpus = "3-4";
	assert_placed("list", -1, "3-4");
	job.cpus = NULL;
	job.numa_off = true;
	assert_placed("off", -1, "");
}

static void cpus_that_are_not_there_are_named(void **state)
{
	(void)state;

	use("doctor.tree");
	job.cpus = "3-5";
	assert_int_equal(plan(), SGS_USAGE);
	assert_string_equal(result.messages[0].code, "no_such_cpu");
	assert_non_null(strstr(result.messages[0].text, "CPUs 4-7"));
	job.cpus = "all";
	assert_int_equal(plan(), SGS_USAGE);
	assert_string_equal(result.messages[1].code, "bad_cpus");
}

/* On this very machine: the last of the CPUs that the test may use. */
static void a_thread_runs_where_it_is_told(void **state)
{
	struct sgs_cpus allowed, last = { 0 }, none = { 0 };
	cpu_set_t before, now;
	unsigned cpu = SGS_CPUS_MAX - 1;
	(void)state;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_true(sgs_cpus_allowed(&allowed));
	while (!(allowed.bits[cpu / 64] >> cpu % 64 & 1))
		cpu--;
	sgs_cpus_add(&last, cpu, cpu);
	assert_int_equal(sgs_sys_run_on(&last), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_int_equal(CPU_COUNT(&now), 1);
	assert_true(CPU_ISSET(cpu, &now));
	assert_int_equal(sched_getcpu(), cpu);
	assert_int_equal(sgs_sys_run_on(&none), -EINVAL);
	sched_setaffinity(0, sizeof(before), &before);
}

/* ---- interrupts ---- */

static void interrupts_of_the_run_are_told_by_cpu(void **state)
{
	const struct sgs_completions *c;
	(void)state;

	use("doctor.tree");
	assert_int_equal(plan(), 0);
	sgs_way_begin(&way, devices);
	put("proc/interrupts:            CPU0       CPU1       CPU4       CPU5\\x0a 40:       "
	    "   0 "
	    "         0       5300          0  PCI-MSI\\x0a 41:          0          7       0  "
	    "  "
	    "   5000  PCI-MSI\\x0a");
	sgs_way_end(&way, &result);
	assert_int_equal(result.run.n_completions, 1); /* two drives, one controller */
	c = result.run.completions;
	assert_string_equal(c->controller->pci, "0000:83:00.0");
	assert_int_equal(c->n_cpus, 2);
	assert_int_equal(c->cpus[0].cpu, 1);
	assert_int_equal(c->cpus[0].interrupts, 7);
	assert_int_equal(c->cpus[1].cpu, 4);
	assert_int_equal(c->cpus[1].interrupts, 300);
}

/* ---- ceilings ---- */

/* Each device's rate in MB/s, over one second. */
static void judge(const double *rates)
{
	result.run.total.elapsed_ns = 1000000000;
	for (size_t i = 0; i < count; i++) {
		result.run.devices[i].figures.bytes = (uint64_t)(rates[i] * 1e6);
		result.run.devices[i].figures.bytes_per_second = rates[i] * 1e6;
		result.run.devices[i].ceiling.known = false;
	}
	result.run.ceiling.known = false;
	sgs_way_judge(&result);
}

static void assert_ceiling(
	const struct sgs_ceiling *c, const char *name, double mb, double share)
{
	assert_true(c->known);
	assert_string_equal(c->name, name);
	assert_true(fabs(c->bytes_per_second - mb * 1e6) < 1e6);
	assert_true(fabs(c->share - share) < 0.001);
}

static void the_fullest_link_is_that_of_all_behind_it(void **state)
{
	static const double one_port_full[] = { 900, 594, 100, 150, 200, 500 };
	static const double wide_port_full[] = { 1150, 550, 1900, 0, 0, 0 };
	const struct sgs_device_result *d;
	(void)state;

	use("topology.tree");
	assert_int_equal(count, 6);
	d = result.run.devices;
	judge(one_port_full);
	assert_ceiling(&result.run.ceiling, "port-0:0:1", 600, 0.99);
	assert_ceiling(&d[0].ceiling, "port-0:0:0", 1200, 0.75);
	assert_ceiling(&d[3].ceiling, "host1", 300, 0.5);
	assert_ceiling(&d[4].ceiling, "host2", 800, 0.25);
	assert_ceiling(&d[5].ceiling, "host3", 1250, 0.4);
	judge(wide_port_full);
	assert_ceiling(&result.run.ceiling, "port-0:0:0", 1200, 1150 / 1200.0);
	put("devices/pci0000:80/0000:80:03.0/0000:83:00.0/current_link_width: 2");
	judge(wide_port_full); /* 3600 over 1969 */
	assert_ceiling(&result.run.ceiling, "0000:83:00.0", 1969, 3600 / 1969.2);
}

static void without_links_there_is_no_ceiling(void **state)
{
	static const double rates[] = { 100, 100, 100, 100, 100, 100, 100, 100 };
	(void)state;

	use("raid.tree");
	assert_true(count <= 8);
	judge(rates);
	assert_false(result.run.ceiling.known);
	assert_false(result.run.devices[0].ceiling.known);
}

#define TEST(f) cmocka_unit_test_teardown(f, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(readers_go_to_the_node_of_the_controller),
		TEST(interrupts_tell_where_the_firmware_does_not),
		TEST(one_node_leaves_nothing_to_choose),
		TEST(a_list_and_off_are_obeyed),
		TEST(cpus_that_are_not_there_are_named),
		TEST(a_thread_runs_where_it_is_told),
		TEST(interrupts_of_the_run_are_told_by_cpu),
		TEST(the_fullest_link_is_that_of_all_behind_it),
		TEST(without_links_there_is_no_ceiling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
