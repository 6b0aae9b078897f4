/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "report/openmetrics.h"
#include "util/text.h"

void sgs_openmetrics_put_label(FILE *out, const char *gap, const char *name, const char *value)
{
	char clean[PATH_MAX];

	sgs_copy_utf8(clean, sizeof(clean), value ? value : "");
	fprintf(out, "%s%s=\"", gap, name);
	for (const char *c = clean; *c; c++) {
		if (*c == '"' || *c == '\\')
			fputc('\\', out);
		fputc(*c, out);
	}
	fputc('"', out);
}

/* What tells this call's results from those in other files, and of several results which. */
static void put_origin(FILE *out, const struct metrics_page *page,
	const struct metrics_line *line, const char *name)
{
	sgs_openmetrics_put_label(out, "", "run", name);
	if (page->n_results > 1)
		fprintf(out, ",round=\"%zu\"", line->row.number);
}

static void put_identity(FILE *out, const struct metrics_line *line)
{
	const struct sgs_device *device = &line->row.device->device;

	sgs_openmetrics_put_label(out, ",", "device", device->path);
	sgs_openmetrics_put_label(out, ",", "hctl", device->hctl);
	sgs_openmetrics_put_label(out, ",", "serial", device->identity.serial);
}

static int render_labels(
	const struct metrics_page *page, struct metrics_line *line, const char *name)
{
	size_t len;
	FILE *out = open_memstream(&line->state, &len);

	if (!out)
		return -ENOMEM;
	put_origin(out, page, line, name);
	if (fclose(out) == EOF)
		return -ENOMEM;
	out = open_memstream(&line->labels, &len);
	if (!out)
		return -ENOMEM;
	fputs(line->state, out);
	sgs_openmetrics_put_label(out, ",", "engine", line->row.result->run.engine);
	if (line->row.device)
		put_identity(out, line);
	return fclose(out) == EOF ? -ENOMEM : 0;
}

static int compare_labels(const void *a, const void *b)
{
	const struct metrics_line *const *x = a, *const *y = b;
	int order = strcmp((*x)->labels, (*y)->labels);

	return order ? order : (*x > *y) - (*x < *y);
}

static int add_repeat(struct metrics_line *line, size_t repeat)
{
	char *longer;

	if (asprintf(&longer, "%s,repeat=\"%zu\"", line->labels, repeat) < 0)
		return -ENOMEM;
	free(line->labels);
	line->labels = longer;
	return 0;
}

/* A device that was given twice is two devices, and no sample may be there twice: from the
 * second on they are numbered. */
static int tell_apart(struct metrics_line **sorted, size_t n)
{
	size_t first = 0;
	int r = 0;

	for (size_t end = 1; end <= n; end++) {
		if (end < n && strcmp(sorted[end]->labels, sorted[first]->labels) == 0)
			continue;
		for (size_t i = end; !r && --i > first;)
			r = add_repeat(sorted[i], i - first + 1);
		first = end;
	}
	return r;
}

static int number_repeats(struct metrics_page *page)
{
	struct metrics_line **sorted = calloc(page->n, sizeof(struct metrics_line *));
	int r;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < page->n; i++)
		sorted[i] = &page->lines[i];
	qsort(sorted, page->n, sizeof(struct metrics_line *), compare_labels);
	r = tell_apart(sorted, page->n);
	free(sorted);
	return r;
}

int sgs_openmetrics_label(struct metrics_page *page, const char *name)
{
	int r = 0;

	for (size_t i = 0; !r && i < page->n; i++)
		r = render_labels(page, &page->lines[i], name);
	return r ? r : number_repeats(page);
}
