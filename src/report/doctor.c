/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/doctor.h"

#include <string.h>

#include "util/text.h"

enum {
	SHOWN = 8, /* other devices of the same finding */
	INDENT = 12,
	COLUMNS = 96,
};

struct printer {
	FILE *out;
	const struct sgs_findings *findings;
	int verbose;
};

static bool same(const struct sgs_finding *a, const struct sgs_finding *b)
{
	return strcmp(a->check, b->check) == 0 && strcmp(a->text, b->text) == 0 &&
	       strcmp(a->fix, b->fix) == 0;
}

/* Whether it stands already, under a device before. */
static bool was_printed(const struct sgs_findings *findings, const struct sgs_finding *finding)
{
	for (const struct sgs_finding *f = findings->rows; f->device != finding->device; f++) {
		if (same(f, finding))
			return true;
	}
	return false;
}

static void print_path(FILE *out, const char *path)
{
	char clean[sizeof(((struct sgs_device *)0)->path)];

	sgs_copy_utf8(clean, sizeof(clean), path);
	fputs(clean, out);
}

/* The devices behind this one that have the same. */
static void print_others(const struct printer *p, const struct sgs_finding *finding)
{
	const struct sgs_finding *end = p->findings->rows + p->findings->n;
	unsigned n = 0;

	for (const struct sgs_finding *f = finding + 1; f < end; f++) {
		if (f->device == finding->device || !same(f, finding))
			continue;
		if (n++ >= SHOWN)
			continue;
		fputs(n == 1 ? "            also " : ", ", p->out);
		print_path(p->out, f->device->path);
	}
	if (n > SHOWN)
		fprintf(p->out, " and %u more", n - SHOWN);
	if (n)
		fputc('\n', p->out);
}

/* From column INDENT on, in lines of at most COLUMNS where there are spaces. */
static void print_folded(FILE *out, const char *text)
{
	while (strlen(text) > COLUMNS - INDENT) {
		const char *cut = memrchr(text, ' ', COLUMNS - INDENT + 1);

		if (!cut || cut == text)
			break;
		fprintf(out, "%.*s\n%*s", (int)(cut - text), text, INDENT, "");
		text = cut + 1;
	}
	fprintf(out, "%s\n", text);
}

static void print_finding(const struct printer *p, const struct sgs_finding *finding)
{
	bool ok = finding->level == SGS_FOUND_OK;

	if (!ok && was_printed(p->findings, finding))
		return;
	fprintf(p->out, "  %-*s", INDENT - 2, sgs_severity_name(finding->level));
	print_folded(p->out, finding->text);
	if (finding->fix[0])
		fprintf(p->out, "%*sfix: %s\n", INDENT, "", finding->fix);
	if (!ok)
		print_others(p, finding);
}

static void print_level(
	const struct printer *p, const struct sgs_device *device, enum sgs_severity level)
{
	for (size_t i = 0; i < p->findings->n; i++) {
		const struct sgs_finding *finding = &p->findings->rows[i];

		if (finding->device == device && finding->level == level)
			print_finding(p, finding);
	}
}

struct tally {
	unsigned all, above; /* of them, how many stand under a device before */
};

static void print_tally(FILE *out, const struct tally *tally, enum sgs_severity level)
{
	fprintf(out, "%u %s%s", tally->all, sgs_severity_name(level),
		tally->all > 1 && level >= SGS_FOUND_WARNING ? "s" : "");
	if (tally->above == tally->all)
		fputs(" (above)", out);
	else if (tally->above > 0)
		fprintf(out, " (%u above)", tally->above);
}

/* "2 problems, 1 warning (above), 14 ok" */
static void print_counts(const struct printer *p, const struct sgs_device *device)
{
	struct tally tallies[SGS_SEVERITIES] = { 0 };
	const char *comma = "";

	for (size_t i = 0; i < p->findings->n; i++) {
		const struct sgs_finding *f = &p->findings->rows[i];

		if (f->device != device)
			continue;
		tallies[f->level].all++;
		if (f->level > SGS_FOUND_OK && was_printed(p->findings, f))
			tallies[f->level].above++;
	}
	for (int level = SGS_FOUND_PROBLEM; level >= SGS_FOUND_OK; level--) {
		if (!tallies[level].all)
			continue;
		fputs(comma, p->out);
		print_tally(p->out, &tallies[level], (enum sgs_severity)level);
		comma = ", ";
	}
	fputc('\n', p->out);
}

static void print_heading(const struct printer *p, const struct sgs_device *device)
{
	const char *other;

	if (!device) {
		fputs("host: ", p->out);
		return;
	}
	other = device->node == SGS_NODE_SG ? device->block_path : device->sg_path;
	print_path(p->out, device->path);
	if (other[0]) {
		fputs(" (", p->out);
		print_path(p->out, other);
		fputc(')', p->out);
	}
	fputs(": ", p->out);
}

static void print_group(const struct printer *p, const struct sgs_device *device)
{
	int least = p->verbose ? SGS_FOUND_OK : SGS_FOUND_INFO;

	print_heading(p, device);
	print_counts(p, device);
	for (int level = SGS_FOUND_PROBLEM; level >= least; level--)
		print_level(p, device, (enum sgs_severity)level);
}

/* The worst, and of several the one that a command mends; nothing below a warning. */
static const struct sgs_finding *find_first(const struct sgs_findings *findings)
{
	const struct sgs_finding *first = NULL;

	for (size_t i = 0; i < findings->n; i++) {
		const struct sgs_finding *f = &findings->rows[i];

		if (f->level < SGS_FOUND_WARNING)
			continue;
		if (!first || f->level > first->level ||
			(f->level == first->level && f->fix[0] && !first->fix[0]))
			first = f;
	}
	return first;
}

static void print_first(const struct printer *p)
{
	const struct sgs_finding *first = find_first(p->findings);

	if (!first) {
		fputs("Do first: nothing; what was found does not hold the default engine "
		      "back\n",
			p->out);
		return;
	}
	fputs("Do first, for ", p->out);
	print_path(p->out, first->device ? first->device->path : "the host");
	fprintf(p->out, " (%s): %s\n", first->check, first->fix[0] ? first->fix : first->text);
}

void sgs_report_doctor_text(FILE *out, const struct sgs_doctor *doctor,
	const struct sgs_findings *findings, int verbose)
{
	const struct printer p = { .out = out, .findings = findings, .verbose = verbose };

	print_group(&p, NULL);
	for (size_t i = 0; i < doctor->n; i++)
		print_group(&p, &doctor->rows[i].device);
	print_first(&p);
}
