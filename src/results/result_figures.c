/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/result_figures.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "results/result_file.h"
#include "util/units.h"

#define NS	 1e9
#define GIB	 1073741824.0
#define ROUNDING 1e-6 /* of a rate, as it is written */
#define MOST	 1e15 /* bytes per second; memory itself is slower */

static double rate_of(const json_t *figures)
{
	uint64_t ns = sgs_field_count(figures, "elapsed_ns");

	return ns ? (double)sgs_field_count(figures, "bytes") / (double)ns * NS : 0;
}

static void contradiction(const json_t *figures, double said, char *why, size_t cap)
{
	char bytes[32], ns[32];

	sgs_format_count(bytes, sizeof bytes, sgs_field_count(figures, "bytes"));
	sgs_format_count(ns, sizeof ns, sgs_field_count(figures, "elapsed_ns"));
	snprintf(why, cap, "bytes_per_second is %.12g, and bytes in elapsed_ns are %s in %s",
		said, bytes, ns);
}

bool sgs_result_rate(const json_t *figures, double *rate, char *why, size_t cap)
{
	const json_t *said = json_object_get(figures, "bytes_per_second");

	*rate = rate_of(figures);
	if (json_is_number(said) &&
		!(fabs(json_number_value(said) - *rate) <= ROUNDING * *rate)) {
		contradiction(figures, json_number_value(said), why, cap);
		return false;
	}
	if (*rate > MOST) {
		snprintf(why, cap, "%.3g bytes per second are more than can be", *rate);
		return false;
	}
	return true;
}

double sgs_result_cpu(const json_t *total)
{
	const json_t *cpu = json_object_get(total, "cpu");
	uint64_t bytes = sgs_field_count(total, "bytes");
	double ns = (double)sgs_field_count(cpu, "user_ns") +
		    (double)sgs_field_count(cpu, "system_ns");

	return bytes && ns > 0 ? ns / NS * GIB / (double)bytes : -1;
}
