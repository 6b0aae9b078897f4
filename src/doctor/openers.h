/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which processes hold device nodes open, and what is mounted or swapped to: one look at /proc
 * that serves all devices.
 */
#ifndef SGS_DOCTOR_OPENERS_H
#define SGS_DOCTOR_OPENERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct sgs_opener {
	dev_t rdev;
	bool block;
	int pid;	/* 0: a mount or swap */
	char name[160]; /* of the process; or "mounted on /data", "in use as swap" */
};

struct sgs_openers {
	struct sgs_opener *rows;
	size_t n, room;
	unsigned unseen; /* processes that this one may not look at */
};

/* Lacks what there was no memory for. */
void sgs_openers_find(struct sgs_openers *openers);

void sgs_openers_free(struct sgs_openers *openers);

#endif
