/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor/exam.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/sysfs.h"
#include "util/text.h"

static struct sgs_finding *next_row(struct sgs_findings *findings)
{
	struct sgs_finding *grown;

	if (findings->n == findings->room) {
		size_t room = findings->room ? 2 * findings->room : 64;

		grown = reallocarray(findings->rows, room, sizeof(*grown));
		if (!grown) {
			findings->lost = true;
			return NULL;
		}
		findings->rows = grown;
		findings->room = room;
	}
	return &findings->rows[findings->n++];
}

/* Names of processes and mounts go into texts: no control characters. */
static void print_clean(char *dst, size_t cap, const char *fmt, va_list args)
{
	char raw[2048];

	vsnprintf(raw, sizeof(raw), fmt, args);
	sgs_copy_utf8(dst, cap, raw);
}

void sgs_find(struct sgs_exam *exam, enum sgs_severity level, const char *fmt, ...)
{
	struct sgs_finding *finding = next_row(exam->findings);
	va_list args;

	if (!finding)
		return;
	finding->check = exam->check;
	finding->device = exam->device;
	finding->level = level;
	finding->fix[0] = '\0';
	va_start(args, fmt);
	print_clean(finding->text, sizeof(finding->text), fmt, args);
	va_end(args);
}

/* A command that was cut, or that has lost a character, would be another command. */
static void set_fix(struct sgs_exam *exam, const char *before, const char *fmt, va_list args)
{
	struct sgs_findings *findings = exam->findings;
	struct sgs_finding *last;
	char raw[sizeof(last->fix)], clean[sizeof(last->fix)];
	int used, n;

	if (findings->n == 0 || findings->lost)
		return;
	last = &findings->rows[findings->n - 1];
	used = snprintf(raw, sizeof(raw), "%s", before);
	n = vsnprintf(raw + used, sizeof(raw) - (size_t)used, fmt, args);
	sgs_copy_utf8(clean, sizeof(clean), raw);
	if (n > 0 && (size_t)(used + n) < sizeof(raw) && strcmp(raw, clean) == 0)
		strcpy(last->fix, raw);
}

void sgs_mend(struct sgs_exam *exam, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_fix(exam, "", fmt, args);
	va_end(args);
}

void sgs_mend_as_root(struct sgs_exam *exam, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_fix(exam, exam->doctor->root ? "" : "sudo ", fmt, args);
	va_end(args);
}

/* tee writes to several files, and with sudo's rights; a redirection does neither. */
void sgs_mend_write(struct sgs_exam *exam, const char *value, const char *fmt, ...)
{
	bool tee = !exam->doctor->root || strpbrk(fmt, "*{") != NULL;
	const char *quote = strpbrk(value, " *") ? "'" : "";
	char before[256];
	va_list args;

	snprintf(before, sizeof(before), "echo %s%s%s %s", quote, value, quote,
		!tee		     ? "> "
		: exam->doctor->root ? "| tee "
				     : "| sudo tee ");
	va_start(args, fmt);
	set_fix(exam, before, fmt, args);
	va_end(args);
}

char *sgs_shell_word(char *buf, size_t cap, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/_.:+@,-";
	size_t used = 0;

	buf[0] = '\0';
	if (*word && !word[strspn(word, plain)]) {
		if (strlen(word) < cap)
			strcpy(buf, word);
		return buf;
	}
	if (4 * strlen(word) + 3 > cap)
		return buf;
	buf[used++] = '\'';
	for (; *word; word++) {
		if (*word == '\'')
			used = (size_t)(stpcpy(buf + used, "'\\''") - buf);
		else
			buf[used++] = *word;
	}
	strcpy(buf + used, "'");
	return buf;
}

uint64_t sgs_exam_bs(const struct sgs_exam *exam)
{
	const struct sgs_size *bs = &exam->doctor->bs;
	uint32_t block =
		exam->device && exam->device->block_bytes ? exam->device->block_bytes : 512;

	return bs->in_blocks ? bs->value * block : bs->value;
}

char *sgs_exam_controller(const struct sgs_exam *exam, char *buf, size_t cap)
{
	const struct sgs_controller *controller = &exam->device->controller;

	snprintf(buf, cap, "%s%s%s%s",
		controller->driver[0] ? controller->driver : "the controller",
		controller->pci[0] ? " (" : "", controller->pci, controller->pci[0] ? ")" : "");
	return buf;
}

const char *sgs_exam_disk(const struct sgs_exam *exam)
{
	return sgs_node_name(exam->folders.disk);
}

enum sgs_severity sgs_exam_block_level(const struct sgs_exam *exam)
{
	return exam->device->node == SGS_NODE_BLOCK ? SGS_FOUND_WARNING : SGS_FOUND_INFO;
}

bool sgs_exam_choice(char *buf, size_t cap, const char *attribute)
{
	char text[256], *open, *close;

	if (sgs_sysfs_text(text, sizeof(text), "%s", attribute) <= 0)
		return false;
	open = strchr(text, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		*close = '\0';
	sgs_copy_utf8(buf, cap, close ? open + 1 : text);
	return true;
}

const char *sgs_severity_name(enum sgs_severity level)
{
	static const char *const names[] = {
		[SGS_FOUND_OK] = "ok",
		[SGS_FOUND_INFO] = "info",
		[SGS_FOUND_WARNING] = "warning",
		[SGS_FOUND_PROBLEM] = "problem",
	};

	return names[level];
}

void sgs_findings_free(struct sgs_findings *findings)
{
	free(findings->rows);
	memset(findings, 0, sizeof(*findings));
}
