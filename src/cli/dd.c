/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dd operands beside options. bs is, as in dd, bytes per transfer, never a block length.
 */
#include <string.h>

#include "cli/options.h"
#include "util/units.h"

static int bad(const char *name, const char *value, const char *why, struct sgs_error *err)
{
	return sgs_fail(err, SGS_USAGE, "bad_value", "%s=%s: '%s' %s", name, value, value, why);
}

static int operand_if(const char *value, struct sgs_options *o, struct sgs_error *err)
{
	if (!*value)
		return sgs_fail(err, SGS_USAGE, "no_device", "if= names no device");
	o->devices[o->n_devices++] = (char *)value;
	return 0;
}

static int operand_of(const char *value, struct sgs_options *o, struct sgs_error *err)
{
	(void)o;
	if (!strcmp(value, "/dev/null"))
		return 0;
	return sgs_fail(err, SGS_USAGE, "no_output",
		"of=%s: sgstream only reads; leave of= out", value);
}

static int operand_bs(const char *value, struct sgs_options *o, struct sgs_error *err)
{
	const char *why = sgs_parse_size(value, &o->job.bs.value, &o->job.bs.in_blocks);

	if (!why && !o->job.bs.value)
		why = "is nothing; give more than 0";
	return why ? bad("bs", value, why, err) : 0;
}

static int operand_count(const char *value, struct sgs_options *o, struct sgs_error *err)
{
	const char *why = sgs_parse_size(value, &o->job.count, NULL);

	if (!why && !o->job.count)
		why = "is nothing; give more than 0, or leave count= out";
	return why ? bad("count", value, why, err) : 0;
}

static int operand_skip(const char *value, struct sgs_options *o, struct sgs_error *err)
{
	const char *why = sgs_parse_size(value, &o->skip.value, NULL);

	return why ? bad("skip", value, why, err) : 0;
}

static int operand_iflag(const char *value, struct sgs_options *o, struct sgs_error *err)
{
	static const char *const flags[][2] = {
		{ "direct", "direct" },
		{ "dio", "sg-dio" },
		{ "mmap", "sg-mmap" },
	};

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (!strcmp(value, flags[i][0])) {
			o->iflag = value;
			o->iflag_engine = flags[i][1];
			return 0;
		}
	return bad("iflag", value, "is none of direct, dio, mmap", err);
}

static const struct {
	const char *name;
	int (*take)(const char *value, struct sgs_options *o, struct sgs_error *err);
} operands[] = {
	{ "if", operand_if },
	{ "of", operand_of },
	{ "bs", operand_bs },
	{ "count", operand_count },
	{ "skip", operand_skip },
	{ "iflag", operand_iflag },
};

int sgs_dd_operand(
	const char *word, struct sgs_options *options, struct sgs_error *err, int *status)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : 0;

	for (size_t i = 0; equals && i < sizeof operands / sizeof *operands; i++) {
		if (strlen(operands[i].name) != len || strncmp(word, operands[i].name, len))
			continue;
		*status = operands[i].take(equals + 1, options, err);
		return 1;
	}
	return 0;
}
