/* SPDX-License-Identifier: BSD-2-Clause */
/* A path becomes a device: over the sysfs of tests/data/sysfs/raid.tree and nodes that only
 * fake_sg.c has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <sgstream/device.h>

#include "fake_sg.h"
#include "fake_sysfs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct fake_sysfs tree;
static struct sgs_device dev;
static struct sgs_error err;
static char scratch[96]; /* a folder */

static int set_up_tree(const char *name)
{
	fake_reset(NULL);
	memset(&err, 0, sizeof(err));
	memset(&dev, 0x55, sizeof(dev));
	fake_sysfs_make(&tree, name);
	snprintf(scratch, sizeof(scratch), "%s/scratch", tree.root);
	return mkdir(scratch, 0755);
}

static int setup(void **state)
{
	(void)state;
	return set_up_tree("raid.tree");
}

static int setup_no_sg(void **state)
{
	(void)state;
	return set_up_tree("no_sg.tree");
}

static int teardown(void **state)
{
	(void)state;
	fake_sysfs_remove(&tree);
	return 0;
}

/* ---- what drives answer ---- */

#define INQUIRY	       .name = "INQUIRY", .cdb = { 0x12, 0, 0, 0, 36, 0 }, .cdb_len = 6
#define VPD	       .name = "VPD page", .cdb = { 0x12, 1 }, .cdb_len = 6, .compare = 2
#define CAP_10	       .name = "READ CAPACITY(10)", .cdb = { 0x25 }, .cdb_len = 10
#define CAP_16	       .name = "READ CAPACITY(16)", .cdb = { 0x9e, 0x10, [13] = 32 }, .cdb_len = 16
#define DATA(d)	       .data = (d), .data_len = sizeof(d)
#define INVALID_FIELD  .key = 5, .asc = 0x24
#define INVALID_OPCODE .key = 5, .asc = 0x20

static uint8_t inquiry[36];
static uint8_t cap10[8];

static void put_be32(uint8_t *to, uint32_t value)
{
	for (int i = 3; i >= 0; i--, value >>= 8)
		to[i] = (uint8_t)value;
}

static void set_answers(uint8_t type, uint32_t blocks, uint32_t block_bytes)
{
	memcpy(inquiry, "\x00\x00\x06\x02\x1f\x00\x00\x02VENDOR  PRODUCT         1.0 ", 36);
	inquiry[0] = type;
	put_be32(cap10, blocks - 1);
	put_be32(cap10 + 4, block_bytes);
}

static void expect_inquiry(uint8_t type)
{
	const struct fake_command commands[] = {
		{ INQUIRY, DATA(inquiry) },
		{ VPD, INVALID_FIELD, .times = 2 },
	};

	set_answers(type, 8, 512);
	fake_expect(commands, COUNT(commands));
}

/* INQUIRY, both VPD pages, READ CAPACITY (10) and (16) of a drive. */
static void expect_drive(uint8_t type, uint32_t blocks, uint32_t block_bytes)
{
	const struct fake_command commands[] = {
		{ CAP_10, DATA(cap10) },
		{ CAP_16, INVALID_OPCODE },
	};

	expect_inquiry(type);
	set_answers(type, blocks, block_bytes);
	fake_expect(commands, COUNT(commands));
}

static void assert_opens(const char *path)
{
	int status = sgs_device_open(path, &dev, &err);

	if (status)
		fail_msg("%s: %d %s: %s", path, status, err.code, err.text);
	fake_check();
	assert_string_equal(dev.path, path);
}

static void assert_fails(const char *path, int status, const char *code, const char *phrase)
{
	assert_int_equal(sgs_device_open(path, &dev, &err), status);
	fake_check();
	assert_int_equal(err.status, status);
	assert_string_equal(err.code, code);
	if (!strstr(err.text, phrase))
		fail_msg("\"%s\" lacks \"%s\"", err.text, phrase);
}

/* ---- sg nodes ---- */

static void test_sg_with_a_block_node(void **state)
{
	(void)state;
	fake_sg("/dev/sg2", 2)->tablesize = 70;
	expect_drive(0, 1000000, 512);
	assert_opens("/dev/sg2");
	assert_int_equal(dev.node, SGS_NODE_SG);
	assert_true(dev.is_scsi);
	assert_false(dev.is_partition);
	assert_string_equal(dev.sg_path, "/dev/sg2");
	assert_string_equal(dev.block_path, "/dev/sda");
	assert_string_equal(dev.bsg_path, "/dev/bsg/0:2:0:0");
	assert_string_equal(dev.hctl, "0:2:0:0");
	assert_string_equal(dev.identity.vendor, "VENDOR");
	assert_int_equal(dev.blocks, 1000000);
	assert_int_equal(dev.block_bytes, 512);
	assert_int_equal(sgs_device_bytes(&dev), 512000000);
	assert_int_equal(dev.limits.sg_tablesize, 70);
	assert_int_equal(dev.limits.default_reserve, 32768);
	assert_int_equal(dev.limits.max_transfer, 256 << 10);
	assert_int_equal(dev.limits.max_hw_transfer, 1 << 20);
	assert_int_equal(dev.limits.dma_alignment, 512);
	assert_int_equal(dev.limits.dio_block, 512);
	assert_int_equal(dev.limits.queue_depth, 256);
	assert_int_equal(dev.limits.read_ahead, 128 << 10);
	assert_string_equal(dev.limits.scheduler, "mq-deadline");
	assert_int_equal(dev.controller.host, 0);
	assert_string_equal(dev.controller.driver, "megaraid_sas");
	assert_string_equal(dev.controller.pci, "0000:03:00.0");
	assert_int_equal(dev.controller.numa_node, 1);
	assert_int_equal(dev.controller.can_queue, 924);
}

/* A RAID member: no block node, and a block length that no block node could have. */
static void test_sg_alone(void **state)
{
	static const uint32_t lengths[] = { 520, 528, 512, 4096, 4160, 65536 };

	for (size_t i = 0; i < COUNT(lengths); i++) {
		teardown(state);
		setup(state);
		fake_sg("/dev/sg1", 1)->reserve_max = 1 << 20;
		expect_drive(0, 7, lengths[i]);
		assert_opens("/dev/sg1");
		assert_string_equal(dev.block_path, "");
		assert_string_equal(dev.hctl, "0:0:9:0");
		assert_int_equal(dev.block_bytes, lengths[i]);
		assert_int_equal(dev.blocks, 7);
		assert_int_equal(dev.limits.max_transfer, 1 << 20); /* sg's own word */
		assert_int_equal(dev.limits.dio_block, 0);
		assert_string_equal(dev.limits.scheduler, "");
	}
}

static void test_sg_that_sysfs_does_not_know(void **state)
{
	(void)state;
	fake_sg("/dev/sg77", 77);
	expect_drive(0, 8, 512);
	assert_opens("/dev/sg77");
	assert_int_equal(dev.node, SGS_NODE_SG);
	assert_string_equal(dev.sg_path, "/dev/sg77");
	assert_string_equal(dev.hctl, "");
	assert_int_equal(dev.controller.host, -1);
	assert_int_equal(dev.controller.numa_node, -1);
}

static void test_sg_node_of_another_name(void **state)
{
	(void)state;
	fake_sg("/container/drive", 2);
	expect_drive(0, 8, 512);
	assert_opens("/container/drive");
	assert_string_equal(dev.sg_path, "/container/drive"); /* there is no /dev/sg2 */
	assert_string_equal(dev.block_path, "/dev/sda");
}

static void test_sg_by_a_link(void **state)
{
	(void)state;
	fake_sg("/dev/sg2", 2);
	fake_sg("/dev/disk/by-id/scsi-1", 2); /* stat() follows links */
	expect_drive(0, 8, 512);
	assert_opens("/dev/disk/by-id/scsi-1");
	assert_string_equal(dev.sg_path, "/dev/sg2");
}

static void test_sg_unit_attentions_are_counted(void **state)
{
	const struct fake_command commands[] = {
		{ CAP_10, .key = 6, .asc = 0x29, .times = 2 },
		{ CAP_10, DATA(cap10) },
		{ CAP_16, INVALID_OPCODE },
	};

	(void)state;
	fake_sg("/dev/sg2", 2);
	expect_inquiry(0);
	fake_expect(commands, COUNT(commands));
	assert_opens("/dev/sg2");
	assert_int_equal(dev.unit_attentions, 2);
}

static void test_sg_without_inquiry_falls_back_to_sysfs(void **state)
{
	static const uint8_t capacity[8] = { 0, 0, 0, 9, 0, 0, 2, 0 };
	const struct fake_command commands[] = {
		{ INQUIRY, .error = EPERM },
		{ CAP_10, DATA(capacity) },
		{ CAP_16, .error = EPERM },
	};

	(void)state;
	fake_sg("/dev/sg0", 0);
	fake_expect(commands, COUNT(commands));
	assert_opens("/dev/sg0");
	assert_false(dev.identity.valid);
	assert_int_equal(dev.identity.pdt, 0);
	assert_string_equal(dev.identity.vendor, "SEAGATE");
	assert_string_equal(dev.identity.product, "ST4000NM0023");
	assert_string_equal(dev.identity.revision, "0004");
	assert_string_equal(dev.identity.serial, "Z1Z2Z3Z4");
	assert_string_equal(dev.identity.lu_name, "naa.5000c50057aabb03");
	assert_int_equal(dev.blocks, 10);
}

static void test_sg_not_ready(void **state)
{
	const struct fake_command command = { CAP_10, .key = 2, .asc = 4, .ascq = 1 };

	(void)state;
	fake_sg("/dev/sg2", 2);
	expect_inquiry(5);
	fake_expect(&command, 1);
	assert_fails("/dev/sg2", SGS_NOT_READY, "becoming_ready", "/dev/sg2: ");
	assert_string_equal(dev.identity.vendor, "VENDOR"); /* what was found out stays */
	assert_string_equal(dev.block_path, "/dev/sda");
}

static void test_types(void **state)
{
	static const bool readable[32] = {
		[0] = true, [4] = true, [5] = true, [7] = true, [0x0e] = true, [0x14] = true
	};
	char number[8];

	for (uint8_t type = 0; type < 32; type++) {
		teardown(state);
		setup(state);
		fake_sg("/dev/sg2", 2);
		if (readable[type]) {
			expect_drive(type, 8, 512);
			assert_opens("/dev/sg2");
			continue;
		}
		expect_inquiry(type);
		snprintf(number, sizeof(number), "%02xh", type);
		assert_fails("/dev/sg2", SGS_FILE, "wrong_device_type", number);
	}
}

static void test_types_are_named(void **state)
{
	static const struct {
		uint8_t type;
		const char *name;
	} cases[] = { { 1, "a tape" }, { 3, "a processor" }, { 8, "a medium changer" },
		{ 0x0c, "a RAID controller" }, { 0x0d, "an enclosure" },
		{ 0x1a, "unknown type" } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		teardown(state);
		setup(state);
		fake_sg("/dev/sg2", 2);
		expect_inquiry(cases[i].type);
		assert_fails("/dev/sg2", SGS_FILE, "wrong_device_type", cases[i].name);
	}
}

static void test_type_from_sysfs(void **state)
{
	const struct fake_command command = { INQUIRY, .error = EPERM };

	(void)state;
	fake_sg("/dev/sg3", 3);
	fake_expect(&command, 1);
	assert_fails("/dev/sg3", SGS_FILE, "wrong_device_type", "enclosure");
}

static void test_hostile_strings(void **state)
{
	const struct fake_command command = { INQUIRY, .error = EPERM };

	(void)state;
	fake_sg("/dev/sg4", 4);
	fake_expect(&command, 1);
	fake_expect(&(struct fake_command){ CAP_10, .key = 2, .asc = 0x3a }, 1);
	assert_fails("/dev/sg4", SGS_NOT_READY, "no_medium", "medium");
	assert_string_equal(dev.identity.vendor, "?[2J?AB");
	assert_string_equal(dev.identity.product, "??");
	assert_string_equal(dev.identity.revision, "");
}

/* ---- block nodes ---- */

static struct fake_node *disk_node(const char *path, unsigned major, unsigned minor)
{
	return fake_node(path, S_IFBLK | 0660, major, minor);
}

static void set_size(const struct fake_node *node, uint64_t bytes, int block, unsigned physical)
{
	fake_ioctl(node, BLKGETSIZE64, &bytes, sizeof(bytes), 0);
	fake_ioctl(node, BLKSSZGET, &block, sizeof(block), 0);
	fake_ioctl(node, BLKPBSZGET, &physical, sizeof(physical), physical ? 0 : EINVAL);
}

static void test_disk(void **state)
{
	(void)state;
	disk_node("/dev/sdb", 8, 16);
	expect_drive(0, 1000, 512);
	assert_opens("/dev/sdb");
	assert_int_equal(dev.node, SGS_NODE_BLOCK);
	assert_true(dev.is_scsi);
	assert_false(dev.is_partition);
	assert_string_equal(dev.block_path, "/dev/sdb");
	assert_string_equal(dev.sg_path, "/dev/sg10"); /* not sg1 */
	assert_string_equal(dev.bsg_path, "/dev/bsg/1:0:0:0");
	assert_int_equal(dev.blocks, 1000);
	assert_int_equal(dev.limits.dio_block, 512);
	assert_int_equal(dev.limits.sg_tablesize, 70);
	assert_string_equal(dev.controller.driver, "ahci");
	assert_string_equal(dev.controller.pci, "0000:00:1f.2");
	assert_int_equal(dev.controller.host, 1);
}

static void test_disk_whose_commands_are_not_permitted(void **state)
{
	const struct fake_command commands[] = {
		{ INQUIRY, .error = EPERM },
		{ CAP_10, .error = EPERM },
	};

	(void)state;
	set_size(disk_node("/dev/sda", 8, 0), 1 << 30, 512, 4096);
	fake_expect(commands, COUNT(commands));
	assert_opens("/dev/sda");
	assert_string_equal(dev.identity.vendor, "LSI");
	assert_int_equal(dev.block_bytes, 512);
	assert_int_equal(dev.blocks, 1 << 21);
	assert_int_equal(dev.physical_block_bytes, 4096);
}

static void test_disk_without_medium(void **state)
{
	const struct fake_command commands[] = {
		{ INQUIRY, .error = EPERM },
		{ CAP_10, .key = 2, .asc = 0x3a },
	};

	(void)state;
	disk_node("/dev/sda", 8, 0);
	fake_expect(commands, COUNT(commands));
	assert_fails("/dev/sda", SGS_NOT_READY, "no_medium", "insert a medium");
}

static void test_disk_that_has_left(void **state)
{
	(void)state;
	disk_node("/dev/sda", 8, 0)->ioctl_error = ENODEV;
	assert_fails("/dev/sda", SGS_FILE, "device_gone", "has left");
}

static void test_disk_without_the_sg_driver(void **state)
{
	(void)state;
	disk_node("/dev/sda", 8, 0);
	expect_drive(0, 8, 512);
	assert_opens("/dev/sda");
	assert_true(dev.is_scsi);
	assert_string_equal(dev.sg_path, "");
	assert_string_equal(dev.bsg_path, "");
	assert_string_equal(dev.hctl, "0:0:0:0");
	assert_string_equal(dev.controller.pci, "");
}

static void test_partition(void **state)
{
	(void)state;
	set_size(disk_node("/dev/sdb2", 8, 18), 1 << 20, 512, 0);
	assert_opens("/dev/sdb2"); /* and no command is sent */
	assert_true(dev.is_partition);
	assert_true(dev.is_scsi);
	assert_string_equal(dev.whole_disk, "/dev/sdb");
	assert_string_equal(dev.block_path, "/dev/sdb2");
	assert_string_equal(dev.sg_path, "");
	assert_string_equal(dev.bsg_path, "");
	assert_int_equal(dev.blocks, 2048);
	assert_int_equal(dev.physical_block_bytes, 512);
	assert_string_equal(dev.identity.product, "HGST HUS726020");
	assert_string_equal(dev.limits.scheduler, "mq-deadline"); /* of the disk */
}

static void test_loop(void **state)
{
	(void)state;
	set_size(disk_node("/dev/loop0", 7, 0), 4 << 20, 512, 512);
	assert_opens("/dev/loop0");
	assert_false(dev.is_scsi);
	assert_true(dev.read_only);
	assert_string_equal(dev.block_path, "/dev/loop0");
	assert_string_equal(dev.hctl, "");
	assert_int_equal(dev.identity.pdt, -1);
	assert_string_equal(dev.identity.product, "");
	assert_int_equal(dev.blocks, 8192);
	assert_int_equal(dev.controller.host, -1);
	assert_string_equal(dev.limits.scheduler, "none");
	assert_int_equal(dev.limits.max_transfer, 1280 << 10);
}

static void test_loop_with_nothing_attached(void **state)
{
	(void)state;
	set_size(disk_node("/dev/loop0", 7, 0), 0, 512, 512);
	assert_fails("/dev/loop0", SGS_NOT_READY, "no_capacity", "capacity of 0");
}

static void test_nvme(void **state)
{
	(void)state;
	set_size(disk_node("/dev/nvme0n1", 259, 0), UINT64_C(1000215216) * 512, 512, 512);
	assert_opens("/dev/nvme0n1");
	assert_false(dev.is_scsi);
	assert_string_equal(dev.identity.product, "Samsung SSD 970");
	assert_string_equal(dev.identity.serial, "S463NF0K");
	assert_string_equal(dev.identity.revision, "1B2Q");
	assert_string_equal(dev.identity.lu_name, "eui.0025385581b0aaaa");
	assert_string_equal(dev.controller.driver, "nvme");
	assert_string_equal(dev.controller.pci, "0000:01:00.0");
	assert_int_equal(dev.controller.numa_node, 0);
}

static void test_nvme_partition(void **state)
{
	(void)state;
	set_size(disk_node("/dev/nvme0n1p1", 259, 1), 1 << 20, 512, 512);
	assert_opens("/dev/nvme0n1p1");
	assert_true(dev.is_partition);
	assert_string_equal(dev.whole_disk, "/dev/nvme0n1");
}

static void test_node_name_with_a_slash(void **state)
{
	(void)state;
	set_size(disk_node("/dev/cciss/c0d0", 104, 0), 51200, 512, 512);
	set_size(disk_node("/links/c", 104, 0), 51200, 512, 512);
	assert_opens("/dev/cciss/c0d0");
	assert_string_equal(dev.block_path, "/dev/cciss/c0d0");
	assert_opens("/links/c");
	assert_string_equal(dev.block_path, "/dev/cciss/c0d0");
}

static void test_block_node_that_sysfs_does_not_know(void **state)
{
	(void)state;
	set_size(disk_node("/dev/odd", 240, 9), 51200, 512, 512);
	assert_opens("/dev/odd");
	assert_string_equal(dev.block_path, "/dev/odd");
	assert_int_equal(dev.blocks, 100);
}

static void test_block_node_without_a_size(void **state)
{
	(void)state;
	disk_node("/dev/odd", 240, 9);
	assert_fails("/dev/odd", SGS_FILE, "no_capacity", "/dev/odd");
}

/* ---- bsg ---- */

static void test_bsg(void **state)
{
	(void)state;
	fake_node("/dev/bsg/0:2:0:0", S_IFCHR | 0600, 250, 2);
	expect_drive(0, 8, 512);
	assert_opens("/dev/bsg/0:2:0:0");
	assert_int_equal(dev.node, SGS_NODE_BSG);
	assert_string_equal(dev.bsg_path, "/dev/bsg/0:2:0:0");
	assert_string_equal(dev.sg_path, "/dev/sg2");
	assert_string_equal(dev.block_path, "/dev/sda");
	assert_int_equal(dev.blocks, 8);
}

/* ---- files, and what is no device ---- */

static void make_file(char *path, size_t cap, const char *name, off_t size)
{
	int fd;

	snprintf(path, cap, "%s/%s", scratch, name);
	fd = open(path, O_CREAT | O_WRONLY, 0644);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
}

static void test_regular_file(void **state)
{
	char path[128];

	(void)state;
	make_file(path, sizeof(path), "data", 12345);
	assert_opens(path);
	assert_int_equal(dev.node, SGS_NODE_FILE);
	assert_int_equal(dev.block_bytes, 1);
	assert_int_equal(dev.blocks, 12345);
	assert_string_equal(dev.block_path, path);
	assert_true(dev.limits.dio_block > 0);
	assert_false(dev.is_scsi);
}

static void test_empty_file(void **state)
{
	char path[128];

	(void)state;
	make_file(path, sizeof(path), "empty", 0);
	assert_fails(path, SGS_FILE, "empty", path);
}

static void test_folder_pipe_and_socket(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char path[128];
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	assert_fails(scratch, SGS_FILE, "wrong_node", "is a directory");
	snprintf(path, sizeof(path), "%s/pipe", scratch);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_fails(
		path, SGS_FILE, "wrong_node", "is a pipe"); /* and does not wait for a writer */
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", scratch);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	assert_fails(address.sun_path, SGS_FILE, "wrong_node", "is a socket");
}

static void test_other_character_nodes(void **state)
{
	(void)state;
	assert_fails("/dev/null", SGS_FILE, "wrong_node", "character device (1:3, mem)");
	fake_node("/dev/st0", S_IFCHR | 0660, 9, 0);
	assert_fails("/dev/st0", SGS_FILE, "wrong_device_type", "is a tape node");
	fake_node("/dev/bsg/sas_host0", S_IFCHR | 0660, 250, 100);
	assert_fails("/dev/bsg/sas_host0", SGS_FILE, "wrong_node", "250:100, bsg");
	fake_node("/dev/odd", S_IFCHR | 0660, 240, 9);
	assert_fails("/dev/odd", SGS_FILE, "wrong_node", "character device (240:9)");
}

static void test_missing(void **state)
{
	(void)state;
	assert_fails("/nowhere/sg0", SGS_FILE, "no_such_device", "/nowhere/sg0");
	assert_fails("", SGS_USAGE, "no_device", "''");
}

static void test_missing_without_the_sg_driver(void **state)
{
	(void)state;
	fake_sg("/dev/sg9", 9)->open_error = ENXIO;
	assert_fails("/nowhere/sg0", SGS_FILE, "no_sg", "modprobe sg");
	assert_fails("/dev/sg9", SGS_FILE, "no_sg", "modprobe sg");
	assert_fails("/nowhere/sgx", SGS_FILE, "no_such_device", "/nowhere/sgx");
}

static void test_path_too_long(void **state)
{
	static char path[PATH_MAX + 10];

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	assert_fails(path, SGS_FILE, "no_such_device", "longer than");
}

static void test_open_errors(void **state)
{
	static const struct {
		int error, status;
		const char *code, *phrase;
	} cases[] = {
		{ EACCES, SGS_FILE, "no_permission", "it is root:root 0660" },
		{ EPERM, SGS_FILE, "no_permission", "container" },
		{ ENXIO, SGS_FILE, "no_such_device", "/dev/sg2" },
		{ ENODEV, SGS_FILE, "no_such_device", "/dev/sg2" },
		{ EBUSY, SGS_FILE, "held_exclusively", "fuser" },
		{ ENOMEDIUM, SGS_NOT_READY, "no_medium", "insert one" },
		{ EIO, SGS_FILE, "cannot_open", "Input/output error" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		teardown(state);
		setup(state);
		fake_sg("/dev/sg2", 2)->open_error = cases[i].error;
		assert_fails("/dev/sg2", cases[i].status, cases[i].code, cases[i].phrase);
		assert_string_equal(dev.block_path, "/dev/sda"); /* sysfs needs no permission */
	}
}

static void test_permission_of_the_group(void **state)
{
	struct fake_node *node = fake_sg("/dev/sg2", 2);

	(void)state;
	node->open_error = EACCES;
	assert_fails("/dev/sg2", SGS_FILE, "no_permission", "root:root 0660; use sudo");
	assert_null(strstr(err.text, "join"));
	node->gid = 54321;
	assert_fails("/dev/sg2", SGS_FILE, "no_permission",
		"root:54321 0660; use sudo, or join group");
	node->mode = S_IFCHR | 0600;
	assert_fails("/dev/sg2", SGS_FILE, "no_permission",
		"0600; use sudo, or chmod g+r it and join");
}

static void test_folder_that_may_not_be_searched(void **state)
{
	(void)state;
	fake_sg("/dev/sg2", 2)->stat_error = EACCES;
	assert_fails("/dev/sg2", SGS_FILE, "no_permission", "may not be searched");
}

static void test_control_bytes_in_a_path(void **state)
{
	(void)state;
	assert_fails("/no\x1b[2Jwhere\n", SGS_FILE, "no_such_device", "/no?[2Jwhere?");
}

/* ---- list ---- */

static void test_list(void **state)
{
	struct sgs_device_row *rows;
	size_t count;

	(void)state;
	fake_sg("/dev/sg0", 0)->open_error = EACCES;
	/* there is no node of sg1, sg4 and sg5 */
	fake_sg("/dev/sg2", 2);
	fake_sg("/dev/sg3", 3)->ioctl_error = EPERM;
	fake_sg("/dev/sg10", 10)->open_error = EACCES;
	expect_drive(0, 4321, 512);
	assert_int_equal(sgs_device_list(&rows, &count, &err), 0);
	fake_check();
	assert_int_equal(count, 7);

	assert_string_equal(rows[0].device.path, "/dev/sg0");
	assert_string_equal(rows[0].problem.code, "no_permission");
	assert_string_equal(rows[0].device.identity.serial, "Z1Z2Z3Z4");
	assert_string_equal(rows[0].device.controller.driver, "megaraid_sas");

	assert_string_equal(rows[1].problem.code, "no_such_device");
	assert_string_equal(rows[1].device.identity.product, "ST4000NM0023");

	assert_int_equal(rows[2].problem.status, 0);
	assert_int_equal(rows[2].device.blocks, 4321);
	assert_string_equal(rows[2].device.block_path, "/dev/sda");

	assert_string_equal(rows[3].problem.code, "wrong_device_type");
	assert_int_equal(rows[3].device.identity.pdt, 0x0d);
	assert_string_equal(rows[3].device.identity.vendor, "LSI");

	assert_string_equal(rows[5].device.path, "/dev/sg5");
	assert_int_equal(rows[5].device.identity.pdt, 1);
	assert_string_equal(
		rows[5].device.controller.driver, "am53c974"); /* proc_name is "(null)" */
	assert_int_equal(rows[5].device.controller.numa_node, -1);

	/* Capacity of a node that may not be read: what the block layer knows. */
	assert_string_equal(rows[6].device.path, "/dev/sg10");
	assert_string_equal(rows[6].device.block_path, "/dev/sdb");
	assert_int_equal(rows[6].device.blocks, 2000409264);
	assert_int_equal(rows[6].device.block_bytes, 512);
	assert_int_equal(rows[6].device.physical_block_bytes, 4096);
	free(rows);
}

static void test_list_without_the_sg_driver(void **state)
{
	struct sgs_device_row *rows;
	size_t count;

	(void)state;
	assert_int_equal(sgs_device_list(&rows, &count, &err), SGS_FILE);
	assert_string_equal(err.code, "no_sg");
	assert_non_null(strstr(err.text, "modprobe sg"));
	assert_null(rows);
	assert_int_equal(count, 0);
}

static void test_list_of_nothing(void **state)
{
	struct sgs_device_row *rows;
	size_t count;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/class/scsi_generic", tree.root);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(sgs_device_list(&rows, &count, &err), 0);
	assert_int_equal(count, 0);
	free(rows);
}

#define OVER(tree_setup, f) cmocka_unit_test_setup_teardown(f, tree_setup, teardown)
#define TEST(f)		    OVER(setup, f)
#define TEST_NO_SG(f)	    OVER(setup_no_sg, f)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_sg_with_a_block_node),
		TEST(test_sg_alone),
		TEST(test_sg_that_sysfs_does_not_know),
		TEST(test_sg_node_of_another_name),
		TEST(test_sg_by_a_link),
		TEST(test_sg_unit_attentions_are_counted),
		TEST(test_sg_without_inquiry_falls_back_to_sysfs),
		TEST(test_sg_not_ready),
		TEST(test_types),
		TEST(test_types_are_named),
		TEST(test_type_from_sysfs),
		TEST(test_hostile_strings),
		TEST(test_disk),
		TEST(test_disk_whose_commands_are_not_permitted),
		TEST(test_disk_without_medium),
		TEST(test_disk_that_has_left),
		TEST_NO_SG(test_disk_without_the_sg_driver),
		TEST(test_partition),
		TEST(test_loop),
		TEST(test_loop_with_nothing_attached),
		TEST(test_nvme),
		TEST(test_nvme_partition),
		TEST(test_node_name_with_a_slash),
		TEST(test_block_node_that_sysfs_does_not_know),
		TEST(test_block_node_without_a_size),
		TEST(test_bsg),
		TEST(test_regular_file),
		TEST(test_empty_file),
		TEST(test_folder_pipe_and_socket),
		TEST(test_other_character_nodes),
		TEST(test_missing),
		TEST_NO_SG(test_missing_without_the_sg_driver),
		TEST(test_path_too_long),
		TEST(test_open_errors),
		TEST(test_permission_of_the_group),
		TEST(test_folder_that_may_not_be_searched),
		TEST(test_control_bytes_in_a_path),
		TEST(test_list),
		TEST_NO_SG(test_list_without_the_sg_driver),
		TEST_NO_SG(test_list_of_nothing),
	};

	return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
