/* SPDX-License-Identifier: BSD-2-Clause */
/* The way from drives to memory, on dumped trees: what each hop carries, and what it could. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sgstream/device.h>

#include "fake_sysfs.h"
#include "report/report.h"
#include "sys/procfs.h"
#include "topology/chain.h"
#include "topology/irqs.h"
#include "topology/nodes.h"

static struct fake_sysfs tree;
static struct sgs_device_row *rows;
static size_t count;

static void use(const char *name)
{
	char proc[128];
	struct sgs_error err;

	fake_sysfs_make(&tree, name);
	snprintf(proc, sizeof(proc), "%s/proc", tree.root);
	sgs_procfs_set_root(proc);
	if (sgs_device_list(&rows, &count, &err))
		fail_msg("%s", err.text);
}

static int remove_tree(void **state)
{
	(void)state;
	free(rows);
	rows = NULL;
	fake_sysfs_remove(&tree);
	sgs_procfs_set_root(NULL);
	return 0;
}

static void put(const char *entry)
{
	char line[2048];

	snprintf(line, sizeof(line), "%s", entry);
	fake_sysfs_entry(tree.root, line);
}

/* "kind name what now/most", in MB/s, from the drive on. */
static void assert_chain(size_t row, const char *const *expected)
{
	struct sgs_chain chain;
	size_t i = 0;

	sgs_chain_find(&rows[row].device, &chain);
	for (; expected[i]; i++) {
		const struct sgs_hop *hop = &chain.hops[i];
		char text[400];

		if (i == chain.n)
			fail_msg("sg%zu has no hop '%s'", row, expected[i]);
		snprintf(text, sizeof(text), "%s %s|%s|%.0f/%.0f|%s",
			sgs_hop_kind_name(hop->kind), hop->name, hop->what, hop->now / 1e6,
			hop->most / 1e6, hop->could);
		assert_string_equal(text, expected[i]);
		assert_int_equal(sgs_hop_is_below(hop), hop->could[0] != '\0');
	}
	assert_int_equal(chain.n, i);
}

static void a_drive_behind_an_expander(void **state)
{
	static const char *const slow[] = { "drive 0:0:1:0|SEAGATE ST4000NM0023|0/0|",
		"sas port-0:0:1|6.0 Gbit x1|600/1200|12.0 Gbit x1",
		"expander expander-0:0|LSI SAS3x36|0/0|",
		"sas port-0:0|12.0 Gbit x3|3600/4800|12.0 Gbit x4",
		"hba host0|mpt3sas 0000:83:00.0|0/0|",
		"pcie 0000:83:00.0|8.0 GT/s x4|3938/7877|8.0 GT/s x8",
		"node node1|CPUs 4-7|0/0|", NULL };
	struct sgs_chain chain;
	(void)state;

	use("topology.tree");
	assert_chain(1, slow);
	sgs_chain_find(&rows[0].device, &chain);
	assert_string_equal(sgs_chain_lowest(&chain)->name, "port-0:0:0");
	sgs_chain_find(&rows[1].device, &chain);
	assert_string_equal(sgs_chain_lowest(&chain)->name, "port-0:0:1");
}

static void drives_on_a_phy_and_on_ata(void **state)
{
	static const char *const sas[] = { "drive 0:0:2:0|KIOXIA KPM71|0/0|",
		"sas port-0:1|22.5 Gbit x1|2400/2400|", "hba host0|mpt3sas 0000:83:00.0|0/0|",
		"pcie 0000:83:00.0|8.0 GT/s x4|3938/7877|8.0 GT/s x8",
		"node node1|CPUs 4-7|0/0|", NULL };
	static const char *const ata[] = { "drive 1:0:0:0|ATA WDC WD40EFRX|0/0|",
		"sata host1|3.0 Gbps|300/600|6.0 Gbps", "hba host1|ahci 0000:00:17.0|0/0|",
		NULL };
	(void)state;

	use("topology.tree");
	assert_chain(2, sas);
	assert_chain(3, ata);
}

static void units_behind_a_switch_and_a_network(void **state)
{
	static const char *const fc[] = { "drive 2:0:0:0|NETAPP LUN|0/0|",
		"fc host2|8 Gbit|800/1600|16 Gbit", "hba host2|qla2xxx 0000:03:00.0|0/0|",
		"pcie 0000:03:00.0|8.0 GT/s x8|7877/7877|",
		"pcie 0000:01:00.0|8.0 GT/s x8|7877/15754|8.0 GT/s x16",
		"node node0|CPUs 0-3|0/0|", NULL };
	static const char *const iscsi[] = { "drive 3:0:0:0|LIO-ORG disk1|0/0|",
		"iscsi session1|iqn.2003-01.org.example:disk1|0/0|",
		"iscsi host3|eth0, 10000 Mbit|1250/1250|", "hba host3|iscsi_tcp|0/0|", NULL };
	(void)state;

	use("topology.tree");
	assert_chain(4, fc);
	assert_chain(5, iscsi);
}

/* Other shapes: a RAID controller without links, and a tree that says nothing. */
static void what_sysfs_does_not_say_is_left_out(void **state)
{
	static const char *const raid[] = { "drive 0:0:8:0|SEAGATE ST4000NM0023|0/0|",
		"hba host0|megaraid_sas 0000:03:00.0|0/0|", "node node1||0/0|", NULL };
	struct sgs_device nothing = { .controller.numa_node = -1 };
	struct sgs_chain chain;
	(void)state;

	use("raid.tree");
	assert_chain(0, raid);
	sgs_chain_find(&nothing, &chain);
	assert_int_equal(chain.n, 0);
	assert_null(sgs_chain_lowest(&chain));
}

static void ports_that_are_down_or_differ(void **state)
{
	struct sgs_chain chain;
	(void)state;

	use("topology.tree");
	put("devices/pci0000:80/0000:80:03.0/0000:83:00.0/host0/phy-0:0/sas_phy/phy-0:0/"
	    "negotiated_linkrate: 6.0 Gbit");
	sgs_chain_find(&rows[0].device, &chain);
	assert_string_equal(chain.hops[3].what, "6.0 to 12.0 Gbit x3");
	assert_float_equal(chain.hops[3].now, 3000e6, 1);
	put("devices/pci0000:80/0000:80:03.0/0000:83:00.0/host0/phy-0:4/sas_phy/phy-0:4/"
	    "negotiated_linkrate: Phy disabled");
	sgs_chain_find(&rows[2].device, &chain);
	assert_string_equal(chain.hops[1].what, "down");
	assert_false(sgs_hop_is_below(&chain.hops[1]));
}

static void drives_share_the_hops_that_they_share(void **state)
{
	struct sgs_chain a, b, c;
	(void)state;

	use("topology.tree");
	sgs_chain_find(&rows[0].device, &a);
	sgs_chain_find(&rows[1].device, &b);
	sgs_chain_find(&rows[2].device, &c);
	assert_int_not_equal(a.hops[0].id, b.hops[0].id);
	assert_int_not_equal(a.hops[1].id, b.hops[1].id);
	for (size_t i = 2; i < a.n; i++)
		assert_int_equal(a.hops[i].id, b.hops[i].id);
	assert_int_equal(a.hops[a.n - 1].id, c.hops[c.n - 1].id);
	assert_int_equal(a.hops[4].id, c.hops[2].id);
}

static void the_tree_is_drawn(void **state)
{
	static const char *const lines[] = { "node1  CPUs 4-7\n`- PCIe 0000:83:00.0",
		"BELOW ITS MAXIMUM of 8.0 GT/s x8, 7,877 MB/s (7,512 MiB/s)\n",
		"   `- host0  mpt3sas 0000:83:00.0\n      |- SAS port-0:0  12.0 Gbit x3  3,600 "
		"MB/s",
		"      |     `- SAS port-0:0:1  6.0 Gbit x1  600 MB/s",
		"      |        `- 0:0:1:0  /dev/sg1  SEAGATE ST4000NM0023\n      `- SAS "
		"port-0:1",
		"host1  ahci 0000:00:17.0\n`- SATA host1  3.0 Gbps  300 MB/s" };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	(void)state;

	use("topology.tree");
	sgs_report_topology_text(out, rows, count);
	fclose(out);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (!strstr(text, lines[i]))
			fail_msg("the tree has no '%s':\n%s", lines[i], text);
	free(text);
}

static void the_object_has_each_hop(void **state)
{
	const struct sgs_result messages = { 0 };
	const struct sgs_call call = { .command = "list" };
	const char *folder = getenv("SGS_TEST_OUT");
	char path[512], *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	(void)state;

	use("topology.tree");
	assert_int_equal(
		sgs_report_list_json(out, &call, rows, count, SGS_LIST_TOPOLOGY, &messages), 0);
	fclose(out);
	assert_non_null(strstr(text, "{\"kind\": \"sas\", \"name\": \"port-0:0:1\", \"what\": "
				     "\"6.0 Gbit x1\", \"bytes_per_second\": 600000000"));
	snprintf(path, sizeof(path), "%s/list-topology.json", folder ? folder : tree.root);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	free(text);
}

/* ---- interrupts and nodes ---- */

#define HBA "devices/pci0000:80/0000:80:03.0/0000:83:00.0"

static void interrupts_are_counted_anew(void **state)
{
	struct sgs_irqs *irqs;
	(void)state;

	use("doctor.tree");
	irqs = sgs_irqs_find(HBA);
	assert_non_null(irqs);
	assert_int_equal(irqs->n, 4);
	sgs_irqs_count(irqs);
	assert_int_equal(irqs->total, 10000);
	assert_int_equal(irqs->counts[4], 5000);
	put("proc/interrupts:            CPU0       CPU4\\x0a 40:          0          5100  "
	    "PCI-MSI  x\\x0a 44: 7 7 other\\x0a");
	sgs_irqs_count(irqs);
	assert_int_equal(irqs->total, 5100);
	assert_int_equal(irqs->counts[5], 0);
	free(irqs);
}

static void nodes_and_their_cpus(void **state)
{
	struct sgs_cpus cpus;
	(void)state;

	use("doctor.tree");
	assert_int_equal(sgs_nodes_count(), 2);
	assert_true(sgs_node_cpus(&cpus, 1));
	assert_int_equal(sgs_node_of(&cpus), 1);
	assert_int_equal(sgs_node_distance(0, 1), 21);
	assert_false(sgs_node_cpus(&cpus, 7));
	assert_int_equal(sgs_node_of(&cpus), -1);
	assert_true(sgs_cpus_allowed(&cpus));
	assert_int_equal(sgs_cpus_count(&cpus), 4);
}

#define TEST(f) cmocka_unit_test_teardown(f, remove_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_drive_behind_an_expander),
		TEST(drives_on_a_phy_and_on_ata),
		TEST(units_behind_a_switch_and_a_network),
		TEST(what_sysfs_does_not_say_is_left_out),
		TEST(ports_that_are_down_or_differ),
		TEST(drives_share_the_hops_that_they_share),
		TEST(the_tree_is_drawn),
		TEST(the_object_has_each_hop),
		TEST(interrupts_are_counted_anew),
		TEST(nodes_and_their_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
