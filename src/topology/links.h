/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Storage links as the transport classes of the kernel tell of them (drivers/scsi:
 * scsi_transport_sas.c, scsi_transport_fc.c, scsi_transport_iscsi.c; drivers/ata:
 * libata-transport.c). All folders are below the root of sysfs.
 */
#ifndef SGS_TOPOLOGY_LINKS_H
#define SGS_TOPOLOGY_LINKS_H

#include <stdbool.h>
#include <stddef.h>

struct sgs_link {
	char what[128];	  /* "12.0 Gbit x4" */
	char could[64];	  /* the same of what it can do */
	double now, most; /* bytes per second; 0: unknown */
};

/* Of a SAS port: its phys together. The maximum is that of this end. False: no such port. */
bool sgs_sas_link(struct sgs_link *link, const char *port);

/* Of an ATA port "ata3". */
bool sgs_sata_link(struct sgs_link *link, const char *folder, const char *name);

/* Of a Fibre Channel host "host3". */
bool sgs_fc_link(struct sgs_link *link, const char *folder, const char *name);

/* Of an iSCSI host: the network device below it, when one is named. */
bool sgs_iscsi_link(struct sgs_link *link, const char *folder, const char *name);

/* "LSI SAS3x36" */
void sgs_expander_name(char *buf, size_t cap, const char *folder, const char *name);

#endif
