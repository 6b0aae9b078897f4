/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/field.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#define NS_PER_S 1000000000u

static const struct sgs_value unknown = { .kind = SGS_UNKNOWN };

static struct sgs_value whole(uint64_t value)
{
	if (value == UINT64_MAX)
		return unknown;
	return (struct sgs_value){ .kind = SGS_WHOLE, .whole = value };
}

static struct sgs_value broken(double value)
{
	if (!isfinite(value) || value < 0)
		return unknown;
	return (struct sgs_value){ .kind = SGS_BROKEN, .broken = value };
}

const struct sgs_figures *sgs_row_figures(const struct sgs_row *row)
{
	return row->device ? &row->device->figures : &row->result->run.total;
}

const struct sgs_cache *sgs_row_cache(const struct sgs_row *row)
{
	return row->device ? &row->device->cache : &row->result->run.cache;
}

/* Where the fields of a place begin; NULL when the row has no such place. */
static const void *base_of(enum sgs_place place, const struct sgs_row *row)
{
	switch (place) {
	case SGS_IN_FIGURES:
		return sgs_row_figures(row);
	case SGS_IN_DEVICE:
		return row->device;
	case SGS_IN_RUN:
		return &row->result->run;
	case SGS_IN_TOTAL:
		return row->device ? NULL : &row->result->run;
	}
	return NULL;
}

static bool is_met(enum sgs_need need, const struct sgs_figures *figures)
{
	switch (need) {
	case SGS_ALWAYS:
	case SGS_NOT_ZERO:
		return true;
	case SGS_ELAPSED:
		return figures->elapsed_ns > 0;
	case SGS_SOME_COMMAND:
		return figures->commands > 0;
	case SGS_SOME_LATENCY:
		return figures->latency.count > 0;
	}
	return false;
}

static struct sgs_value load(enum sgs_shape shape, const void *at)
{
	switch (shape) {
	case SGS_COUNT32:
		return whole(*(const uint32_t *)at);
	case SGS_COUNT64:
		return whole(*(const uint64_t *)at);
	case SGS_REAL:
		return broken(*(const double *)at);
	}
	return unknown;
}

struct sgs_value sgs_field_value(const struct sgs_field *field, const struct sgs_row *row)
{
	const char *base = base_of(field->place, row);
	struct sgs_value value;

	if (!base || !is_met(field->need, sgs_row_figures(row)))
		return unknown;
	value = load(field->shape, base + field->offset);
	if (field->need == SGS_NOT_ZERO && value.kind == SGS_WHOLE && value.whole == 0)
		return unknown;
	return value;
}

struct sgs_value sgs_row_goal(const struct sgs_row *row)
{
	const struct sgs_run_result *run = &row->result->run;
	uint64_t sum = 0;

	if (row->device)
		return whole(row->device->goal_bytes);
	for (size_t i = 0; i < run->n_devices; i++) {
		if (run->devices[i].goal_bytes == UINT64_MAX)
			return unknown;
		sum += run->devices[i].goal_bytes;
	}
	return whole(sum);
}

const char *sgs_row_status(const struct sgs_row *row)
{
	const struct sgs_device_result *device = row->device;

	if (!device)
		return sgs_result_status(row->result);
	if (device->status != SGS_OK)
		return device->figures.bytes > 0 ? "partial" : "error";
	if (row->result->signal != 0 && device->figures.bytes < device->goal_bytes)
		return "interrupted";
	return "ok";
}

int sgs_row_exit_status(const struct sgs_row *row)
{
	return row->device ? row->device->status : row->result->exit_status;
}

/* The point of the locale, which may be several bytes, becomes '.'. */
void sgs_put_real(FILE *out, double value)
{
	const char *point = localeconv()->decimal_point;
	char text[64], *found;

	snprintf(text, sizeof(text), "%.12g", value);
	found = strcmp(point, ".") != 0 ? strstr(text, point) : NULL;
	if (found)
		fprintf(out, "%.*s.%s", (int)(found - text), text, found + strlen(point));
	else
		fputs(text, out);
}

void sgs_put_seconds(FILE *out, uint64_t ns)
{
	unsigned fraction = (unsigned)(ns % NS_PER_S);
	int digits = 9;

	fprintf(out, "%" PRIu64, ns / NS_PER_S);
	if (fraction == 0)
		return;
	for (; fraction % 10 == 0; fraction /= 10)
		digits--;
	fprintf(out, ".%0*u", digits, fraction);
}

int sgs_report_flush(FILE *out)
{
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	return errno > 0 ? -errno : -EIO;
}
