/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The figures of a run, or of one of its devices. What a file says of itself more than once has
 * to agree: rates are made from bytes and time, and one that is another is not believed.
 */
#ifndef SGS_RESULTS_RESULT_FIGURES_H
#define SGS_RESULTS_RESULT_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

/* Bytes per second in *rate, 0 for nothing read. False: the figures contradict each other or
 * what can be, and why says how. */
bool sgs_result_rate(const json_t *figures, double *rate, char *why, size_t cap);

/* Of a total: CPU seconds per GiB; -1 when unknown. */
double sgs_result_cpu(const json_t *total);

#endif
