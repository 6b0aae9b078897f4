/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

enum { FIRST_LONG = 256, MAX_OPTIONS = 64, HELP_CALL = 32 };

size_t sgs_options_share(
	const struct sgs_option_table *from, const char *const *names, struct sgs_option *rows)
{
	size_t n = 0;

	for (; *names; names++)
		for (size_t i = 0; i < from->n; i++)
			if (!strcmp(from->rows[i].name, *names))
				rows[n++] = from->rows[i];
	return n;
}

void sgs_options_init(struct sgs_options *options)
{
	memset(options, 0, sizeof *options);
	sgs_job_init(&options->job);
}

/* What stands behind --NAME in a word: "" or "=FILE". NULL when it is another word. */
static const char *behind_name(const char *word, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(word, "--", 2) || strncmp(word + 2, name, len))
		return NULL;
	word += 2 + len;
	return *word && *word != '=' ? NULL : word;
}

struct sgs_file_option sgs_find_file_option(
	int argc, char *const *argv, const char *name, bool needs_file)
{
	struct sgs_file_option found = { 0 };

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		const char *rest = behind_name(argv[i], name);

		if (!rest || (needs_file && !*rest && i + 1 == argc))
			continue;
		found.wanted = true;
		found.file = *rest ? rest + 1 : needs_file ? argv[++i] : NULL;
	}
	return found;
}

static int bad_value(
	const struct sgs_option *o, const char *text, const char *why, struct sgs_error *err)
{
	return sgs_fail(err, SGS_USAGE, "bad_value", "--%s: '%s' %s", o->name, text, why);
}

static const char *parse_small(const char *text, uint64_t least, unsigned *value)
{
	uint64_t wide = 0;
	const char *why = sgs_parse_count(text, least, 1u << 20, &wide);

	*value = (unsigned)wide;
	return why;
}

/* The kernel keeps 32 bits of it. */
static const char *parse_kib(const char *text, struct sgs_kib *value)
{
	uint64_t bytes = 0;
	const char *why = sgs_parse_size(text, &bytes, NULL);

	if (!why && bytes % 1024)
		why = "is no multiple of 1 KiB";
	if (!why && bytes / 1024 > UINT32_MAX)
		why = "is too large";
	*value = (struct sgs_kib){ true, bytes / 1024 };
	return why;
}

/* "300MB/s", or "300MB" */
static const char *parse_rate(const char *text, uint64_t *value)
{
	char bare[32];
	size_t len = strlen(text);

	if (len > 2 && !strcmp(text + len - 2, "/s"))
		len -= 2;
	if (len >= sizeof bare)
		return "is too long";
	memcpy(bare, text, len);
	bare[len] = '\0';
	*value = 0;
	if (sgs_parse_size(bare, value, NULL) || !*value)
		return "is no rate; give bytes per second, such as 300MB/s";
	return NULL;
}

static const char *parse_cdb(const char *text, enum sgs_cdb *value)
{
	static const struct {
		const char *name;
		enum sgs_cdb cdb;
	} names[] = { { "auto", SGS_CDB_AUTO }, { "6", SGS_CDB_6 }, { "10", SGS_CDB_10 },
		{ "12", SGS_CDB_12 }, { "16", SGS_CDB_16 } };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(text, names[i].name)) {
			*value = names[i].cdb;
			return NULL;
		}
	return "is none of auto, 6, 10, 12, 16";
}

static const char *parse_progress(const char *text, enum sgs_progress_mode *value)
{
	static const char *const names[] = { "auto", "always", "never" };

	for (unsigned i = 0; i < 3; i++)
		if (!strcmp(text, names[i])) {
			*value = (enum sgs_progress_mode)i;
			return NULL;
		}
	return "is none of auto, always, never";
}

static const char *parse_pattern(const char *text, enum sgs_pattern *value)
{
	for (enum sgs_pattern p = SGS_SEQ; p <= SGS_RANDOM; p++)
		if (!strcmp(text, sgs_pattern_name(p))) {
			*value = p;
			return NULL;
		}
	return "is none of seq, segments, random";
}

static const char *parse_paths(const char *text, enum sgs_paths *value)
{
	for (enum sgs_paths p = SGS_PATHS_MERGE; p <= SGS_PATHS_EACH; p++)
		if (!strcmp(text, sgs_paths_name(p))) {
			*value = p;
			return NULL;
		}
	return "is none of merge, each";
}

static const char *parse_numa(const char *text, bool *off)
{
	*off = !strcmp(text, "off");
	return *off || !strcmp(text, "auto") ? NULL : "is none of auto, off";
}

static const char *parse_on_error(const char *text, bool *skip)
{
	*skip = !strcmp(text, "skip");
	return *skip || !strcmp(text, "stop") ? NULL : "is neither stop nor skip";
}

static int take(const struct sgs_option *o, const char *text, struct sgs_options *options,
	struct sgs_error *err)
{
	void *at = (char *)options + o->offset;
	const char *why = NULL;

	switch (o->kind) {
	case SGS_OPT_FLAG:
		*(bool *)at = true;
		break;
	case SGS_OPT_COUNT:
		++*(unsigned *)at;
		break;
	case SGS_OPT_STRING:
		*(const char **)at = text;
		break;
	case SGS_OPT_OFFSET:
	case SGS_OPT_SIZE:
		why = sgs_parse_size(text, &((struct sgs_size *)at)->value,
			&((struct sgs_size *)at)->in_blocks);
		if (!why && o->kind == SGS_OPT_SIZE && !((struct sgs_size *)at)->value)
			why = "is nothing; give more than 0";
		break;
	case SGS_OPT_RATE:
		why = parse_rate(text, at);
		break;
	case SGS_OPT_KIB:
		why = parse_kib(text, at);
		break;
	case SGS_OPT_TIME:
		why = sgs_parse_time(text, at);
		if (!why && !*(uint64_t *)at)
			why = "is no time; give more than 0";
		break;
	case SGS_OPT_NUMBER:
		why = sgs_parse_count(text, 1, UINT64_MAX / 4, at);
		break;
	case SGS_OPT_SMALL:
		why = parse_small(text, 0, at);
		break;
	case SGS_OPT_NATURAL:
		why = parse_small(text, 1, at);
		break;
	case SGS_OPT_CDB:
		why = parse_cdb(text, at);
		break;
	case SGS_OPT_PATTERN:
		why = parse_pattern(text, at);
		break;
	case SGS_OPT_PATHS:
		why = parse_paths(text, at);
		break;
	case SGS_OPT_NUMA:
		why = parse_numa(text, at);
		break;
	case SGS_OPT_PROGRESS:
		why = parse_progress(text, at);
		break;
	case SGS_OPT_ON_ERROR:
		why = parse_on_error(text, at);
		break;
	case SGS_OPT_FILE:
	case SGS_OPT_OPTIONAL_FILE:
		*(struct sgs_file_option *)at = (struct sgs_file_option){ true, text };
		break;
	}
	return why ? bad_value(o, text, why, err) : 0;
}

static int needs_argument(enum sgs_option_kind kind)
{
	if (kind == SGS_OPT_FLAG || kind == SGS_OPT_COUNT)
		return no_argument;
	return kind == SGS_OPT_OPTIONAL_FILE ? optional_argument : required_argument;
}

/* getopt_long's two views of the table. */
static void describe(const struct sgs_option_table *table, struct option *longs, char *shorts)
{
	*shorts++ = '-'; /* devices come in turn with options */
	*shorts++ = ':'; /* a missing argument is told apart */
	for (size_t i = 0; i < table->n; i++) {
		const struct sgs_option *o = &table->rows[i];

		longs[i] = (struct option){ o->name, needs_argument(o->kind), NULL,
			FIRST_LONG + (int)i };
		if (!o->letter)
			continue;
		*shorts++ = o->letter;
		if (needs_argument(o->kind) == required_argument)
			*shorts++ = ':';
	}
	*shorts = '\0';
}

static const struct sgs_option *find(const struct sgs_option_table *table, int c)
{
	if (c >= FIRST_LONG)
		return &table->rows[c - FIRST_LONG];
	for (size_t i = 0; i < table->n; i++)
		if (table->rows[i].letter == c)
			return &table->rows[i];
	return NULL;
}

/* read's is the program's own. */
static const char *help_of(const char *command, bool dd, char text[HELP_CALL])
{
	snprintf(text, HELP_CALL, "sgstream%s%s --help", dd ? "" : " ", dd ? "" : command);
	return text;
}

static int wrong_option(int c, char **argv, bool dd, const struct sgs_option_table *table,
	struct sgs_error *err)
{
	const struct sgs_option *o = optopt ? find(table, optopt) : NULL;
	const char *word = argv[optind - 1];
	char help[HELP_CALL];

	if (c == ':')
		return sgs_fail(err, SGS_USAGE, "no_argument", "%s needs a value: %s", word,
			o && o->argument ? o->argument : "");
	if (optopt >= FIRST_LONG)
		return sgs_fail(err, SGS_USAGE, "unwanted_argument", "%s takes no value", word);
	if (optopt)
		return sgs_fail(err, SGS_USAGE, "unknown_option",
			"there is no option '-%c'; %s shows them all", optopt,
			help_of(argv[0], dd, help));
	return sgs_fail(err, SGS_USAGE, "unknown_option",
		"there is no option '%s', or it could be several; %s shows them all", word,
		help_of(argv[0], dd, help));
}

static int take_word(char *word, bool dd, struct sgs_options *options, struct sgs_error *err)
{
	int status = 0;

	if (!dd || !sgs_dd_operand(word, options, err, &status))
		options->devices[options->n_devices++] = word;
	return status;
}

int sgs_options_parse(const struct sgs_option_table *table, bool dd, int argc, char **argv,
	struct sgs_options *options, struct sgs_error *err)
{
	struct option longs[MAX_OPTIONS] = { 0 };
	char shorts[2 * MAX_OPTIONS + 3];
	int c, status = 0;

	options->devices = calloc((size_t)argc + 1, sizeof *options->devices);
	if (!options->devices)
		return sgs_fail(
			err, SGS_INTERNAL, "no_memory", "no memory for the command line");
	describe(table, longs, shorts);
	opterr = 0;
	while (!status && (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (c == '?' || c == ':')
			status = wrong_option(c, argv, dd, table, err);
		else if (c == 1)
			status = take_word(optarg, dd, options, err);
		else
			status = take(find(table, c), optarg, options, err);
	}
	while (!status && optind < argc)
		options->devices[options->n_devices++] = argv[optind++];
	return status;
}

enum { HELP_COLUMN = 30, HELP_WIDTH = 96 };

/* Words from where the cursor stands, later lines below the first. */
static void print_wrapped(FILE *out, const char *text, int column)
{
	while (*text) {
		size_t word = strcspn(text, " ");
		int len = (int)word;

		if (column + 1 + len > HELP_WIDTH) {
			fprintf(out, "\n%*s", HELP_COLUMN, "");
			column = HELP_COLUMN;
		}
		column += fprintf(out, "%s%.*s", column > HELP_COLUMN ? " " : "", len, text);
		text += word + strspn(text + word, " ");
	}
	fputc('\n', out);
}

void sgs_options_help(FILE *out, const struct sgs_option_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct sgs_option *o = &table->rows[i];
		char head[64];
		int len = snprintf(head, sizeof head, "  %c%c%s--%s%s%s", o->letter ? '-' : ' ',
			o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name,
			!o->argument || o->kind == SGS_OPT_OPTIONAL_FILE ? "" : " ",
			o->argument ? o->argument : "");

		fputs(head, out);
		if (len > HELP_COLUMN - 2)
			fprintf(out, "\n%*s", HELP_COLUMN, "");
		else
			fprintf(out, "%*s", HELP_COLUMN - len, "");
		print_wrapped(out, o->help, HELP_COLUMN);
	}
}

void sgs_options_free(struct sgs_options *options)
{
	free(options->devices);
}
