/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a sweep is, as its JSON says: written by json_sweep.c, and compared with a file by
 * sweep_match.c. New references, NULL when memory is short.
 */
#ifndef SGS_REPORT_JSON_SWEEP_H
#define SGS_REPORT_JSON_SWEEP_H

#include "report/json_value.h"
#include "report/sweep.h"

struct sgs_sweep_record {
	size_t n;
	json_t **runs; /* by cell; NULL: it has none */
};

/* sweep_match.c: whether the sweep in root, read from file, has the program, the kernel, the
 * devices, the axes and the options of this one. 0, or a status with the first that differs. */
int sgs_sweep_is_same(const char *file, const json_t *root, const struct sgs_sweep *sweep,
	struct sgs_error *err);

json_t *sgs_json_sweep_axes(const struct sgs_sweep *sweep);

/* What all cells do, beyond the axes. */
json_t *sgs_json_sweep_each(const struct sgs_sweep *sweep);

json_t *sgs_json_sweep_devices(const struct sgs_sweep *sweep);

/* Where a cell is on the axes: bs_bytes, queue_depth, ... */
json_t *sgs_json_cell_place(const struct sgs_sweep *sweep, const struct sgs_cell *cell);

#endif
