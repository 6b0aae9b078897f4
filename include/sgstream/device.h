/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A path becomes a device: what it is, its sg and block pair, its identity, geometry and
 * limits.
 */
#ifndef SGSTREAM_DEVICE_H
#define SGSTREAM_DEVICE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sgstream/error.h>

enum sgs_node {
	SGS_NODE_NONE,
	SGS_NODE_SG,	/* /dev/sgN */
	SGS_NODE_BLOCK, /* /dev/sdX, /dev/loopN, a partition: any block device */
	SGS_NODE_BSG,	/* /dev/bsg/H:C:T:L */
	SGS_NODE_FILE,	/* regular file */
};

/* From INQUIRY and its VPD pages 80h and 83h (SPC-5 6.6, 7.7). Every string is printable ASCII
 * without leading or trailing spaces, empty where the device gives none. */
struct sgs_identity {
	bool valid;  /* an INQUIRY was answered (else the strings are sysfs's, or empty) */
	int pdt;     /* peripheral device type, 0 disk, 5 CD, 14h zoned; -1 unknown */
	int version; /* SPC version byte */
	bool removable;
	char vendor[9];
	char product[17];
	char revision[5];
	char serial[64];   /* VPD 80h */
	char lu_name[128]; /* best logical unit designator of VPD 83h: "naa.5000c500...",
			      "eui.", "t10.", "name." */
};

/* Sizes in bytes; 0 where unknown or without limit. */
struct sgs_limits {
	uint32_t sg_tablesize;	  /* segments one command can have */
	uint32_t default_reserve; /* reserve buffer of a fresh sg descriptor */
	uint64_t max_transfer; /* max_sectors_kb: caps the reserve buffer and block requests */
	uint64_t max_hw_transfer; /* max_hw_sectors_kb */
	uint32_t dma_alignment;	  /* address alignment that direct I/O needs */
	uint32_t dio_block;	  /* length and offset alignment of O_DIRECT */
	uint32_t queue_depth;	  /* per logical unit */
	uint32_t read_ahead;	  /* read_ahead_kb in bytes */
	char scheduler[24];
};

struct sgs_controller {
	int host;	    /* SCSI host number, -1 unknown */
	char driver[32];    /* proc_name: "megaraid_sas" */
	char pci[32];	    /* PCI address, empty when it has none */
	int numa_node;	    /* -1 unknown */
	uint32_t can_queue; /* commands the host takes in all */
};

struct sgs_device {
	char path[PATH_MAX];	   /* as given by the caller */
	enum sgs_node node;	   /* what path is */
	char sg_path[64];	   /* "/dev/sg1", or empty */
	char block_path[PATH_MAX]; /* "/dev/sda", the file itself for a file, or empty */
	char bsg_path[64];
	uint64_t file_dev, file_ino; /* of a regular file, whatever it is named; else 0 */
	char hctl[32];		     /* SCSI address "0:0:0:0", or empty */
	bool is_scsi;
	bool is_partition;	    /* path is a partition; the SCSI engines refuse it */
	char whole_disk[64];	    /* of a partition: "/dev/sda" */
	bool read_only;		    /* the block layer has it read-only */
	char disk_folder[PATH_MAX]; /* of the whole block device in sysfs, below its root; or
				       empty */
	struct sgs_identity identity;
	uint32_t block_bytes; /* logical block length: any, also 520; 1 for a regular file */
	uint64_t blocks;      /* capacity in logical blocks */
	uint32_t physical_block_bytes;
	int protection_type; /* READ CAPACITY(16): 0 none, else 1 to 3 */
	struct sgs_limits limits;
	struct sgs_controller controller;
	unsigned unit_attentions; /* answered and cleared while the device was looked at */
};

/* Finds out everything about path without reading user data: stat, sysfs, INQUIRY, VPD 80h and
 * 83h, READ CAPACITY. Opens O_RDONLY only. Returns 0, or a status with err filled: a wrong kind
 * of node is named, with the engine that would serve it. */
int sgs_device_open(const char *path, struct sgs_device *dev, struct sgs_error *err);

/* How long a drive may take for each command that sgs_device_open() asks it with, for the whole
 * process: 30 s at the most, which is the default too. */
void sgs_device_patience(uint64_t ns);

/* One row per sg node of the host, readable or not. A row whose node cannot be opened carries
 * what sysfs knows, and the reason in problem.status and problem.text. */
struct sgs_device_row {
	struct sgs_device device;
	struct sgs_error problem; /* status 0 when the node answered */
};

/* Allocates *rows (free() it), ordered by sg number. Returns 0 or a status, SGS_FILE when the
 * sg driver is not there ("modprobe sg"). */
int sgs_device_list(struct sgs_device_row **rows, size_t *count, struct sgs_error *err);

/* dev->blocks x dev->block_bytes. */
uint64_t sgs_device_bytes(const struct sgs_device *dev);

#endif
