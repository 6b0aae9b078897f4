/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of a page look up in a result.
 */
#ifndef SGS_PAGE_LOOK_H
#define SGS_PAGE_LOOK_H

#include <stdbool.h>
#include <stddef.h>

#include "results/result_set.h"

enum sgs_page_kind {
	SGS_PAGE_COMPARE,
	SGS_PAGE_PROFILE, /* a sweep by position */
	SGS_PAGE_SCALING, /* a sweep by the number of devices */
	SGS_PAGE_MATRIX,  /* any other sweep */
	SGS_PAGE_READ,
};

enum sgs_page_kind sgs_page_kind(const json_t *root);

/* "Comparison" */
const char *sgs_page_kind_name(enum sgs_page_kind kind);

const json_t *sgs_page_run(const json_t *root, size_t index);

/* -1 when not known */
double sgs_page_rate(const json_t *run);
double sgs_page_cost(const json_t *run); /* CPU seconds per GiB */
double sgs_page_latency(const json_t *run, const char *point);

/* Devices of the result: of its sweep, else of its first run. */
const json_t *sgs_page_devices(const json_t *root);

/* "/dev/sg1" or "4 drives" */
enum { SGS_PAGE_NAME = 240 };
const char *sgs_page_device_name(const json_t *root, char buf[SGS_PAGE_NAME]);

/* "Linux scsi_debug 0191, 67.1 MB" */
const char *sgs_page_model(const json_t *device, char buf[SGS_PAGE_NAME]);

/* "sg-mmap, 64 KiB per command, depth 2" of a run */
const char *sgs_page_way(const json_t *run, char buf[SGS_PAGE_NAME]);

/* The run of a sweep's cell that ended well and read something, or NULL. */
const json_t *sgs_page_cell_run(const json_t *root, const json_t *cell);

/* The cell with the highest rate, or NULL. */
const json_t *sgs_page_best_cell(const json_t *root);

/* The run with the highest rate of the cells with this value on an axis, or NULL. */
const json_t *sgs_page_best_run_at(const json_t *root, const char *key, uint64_t value);

/* Values of an axis of a sweep; 0 when it was not given. */
size_t sgs_page_axis(const json_t *root, const char *key);

/* The contender of a comparison with the highest median, and the one that it is most ahead of.
 * NULL when no round counts. */
const json_t *sgs_page_fastest(const json_t *root);
const json_t *sgs_page_slowest(const json_t *root);

size_t sgs_page_count_messages(const json_t *root, const char *level);

#endif
