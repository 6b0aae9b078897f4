/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel for unit tests: device nodes that exist in a table only. This file defines open,
 * close, stat, fstat and ioctl, so the calls of our code and of libsgutils2.so end here; paths
 * and descriptors that are not in the table go on to the real kernel; but as soon as there is a
 * node, /dev holds the table's nodes only.
 *
 * A test adds nodes, says which SCSI commands it expects and what they answer, and calls
 * fake_check() at its end: a command that was not expected, one that did not come, a descriptor
 * left open or a node opened for writing fails the test.
 *
 * A descriptor of a node is a memfd: of an sg node it is the reserve buffer, so that mapping it
 * works by itself; of a block node it is the data, so that pread() does.
 */
#ifndef FAKE_SG_H
#define FAKE_SG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

struct fake_node {
	char path[128];
	mode_t mode; /* S_IFCHR | 0660 */
	dev_t rdev;  /* makedev(21, 0) is sg0 */
	uid_t uid;
	gid_t gid;
	int stat_error; /* errno of stat(), 0 none */
	int open_error;
	int ioctl_error;      /* of every SG_IO */
	uint32_t reserve;     /* of a fresh sg descriptor, 32768 */
	uint32_t reserve_max; /* what SG_SET_RESERVED_SIZE is cut to; 512 KiB */
	uint32_t tablesize;   /* 128 */
	bool allow_dio;	      /* whether direct I/O is what it says */
	const void *content;  /* what pread() gives */
	size_t content_len;
	bool may_write; /* opening it O_RDWR is no surprise */
	int open_flags; /* of the last open(), set by the fake */
	unsigned opens;
};

/* One SG_IO, of either header version. */
struct fake_io {
	struct fake_node *node;
	int fd;
	uint8_t cdb[32];
	size_t cdb_len;
	size_t len;	/* bytes asked for */
	unsigned flags; /* SG_FLAG_... */
	unsigned timeout_ms;
	const void *buffer; /* dxferp */
	/* The answer. */
	const void *data;
	size_t data_len; /* what is behind len is not given; what is missing is residual */
	int status, host_status, driver_status, resid;
	uint8_t sense[64];
	size_t sense_len;
};

/* An expected command and its answer. */
struct fake_command {
	const char *name; /* in messages */
	uint8_t cdb[16];
	size_t cdb_len; /* bytes of cdb that must be equal, and the length; 0: any command */
	size_t compare; /* bytes to compare when not all of them */
	const void *data;
	size_t data_len;
	int error; /* errno: nothing else counts */
	int status, host_status, driver_status;
	int resid;		/* -1: 0 although data is missing, as some adapters have it */
	uint8_t key, asc, ascq; /* fixed format sense, with CHECK CONDITION */
	const uint8_t *sense;	/* or these bytes */
	size_t sense_len;
	unsigned times; /* in a row, 0 is once */
};

/* Empties all tables. A setup function of cmocka may be given this. */
int fake_reset(void **state);

/* Adds a node; the test may change its members before it is opened. */
struct fake_node *fake_node(const char *path, mode_t mode, unsigned major, unsigned minor);
struct fake_node *fake_sg(const char *path, unsigned minor); /* 0660 character node, major 21 */

/* Appends to the commands that are expected, in this order and on any node. */
void fake_expect(const struct fake_command *commands, size_t n);

/* Answers the commands that come when no more are expected: fills the answer of io and returns
 * 0, or an errno. Called with a lock held, from any thread. */
typedef int fake_answer(struct fake_io *io, void *arg);
void fake_set_answer(fake_answer *answer, void *arg);

/* A drive for fake_set_answer(): READ(6), (10), (12) and (16), of block_bytes, with fake_byte()
 * of its offset for each byte; past the end 5/21/00. */
struct fake_disk {
	uint32_t block_bytes;
	uint64_t blocks;
	unsigned reads; /* answered so far */
	uint8_t last_cdb[16];
};
fake_answer fake_disk_answer;
uint8_t fake_byte(uint64_t offset);

/* Sees every ioctl of a node before it is done, SG_IO with its header. Called with a lock held,
 * from any thread. */
typedef void fake_watch(
	const struct fake_node *node, unsigned long request, const void *arg, void *watch_arg);
void fake_set_watch(fake_watch *watch, void *watch_arg);

/* Another ioctl of a node: copies size bytes to its argument and returns 0, or fails. */
void fake_ioctl(const struct fake_node *node, unsigned long request, const void *value,
	size_t size, int error);

void fake_set_sense(struct fake_io *io, uint8_t key, uint8_t asc, uint8_t ascq);

unsigned fake_commands(void); /* SG_IO calls since fake_reset() */
unsigned fake_open_count(void);

/* Fails the running test when something was not as expected. */
void fake_check(void);

#endif
