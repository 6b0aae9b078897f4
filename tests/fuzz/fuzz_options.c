/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of read, dd operands with it: a word a line. */
#include <getopt.h>

#include "cli/options.h"

#include "fuzz.h"

enum { WORDS = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sgs_options options;
	struct sgs_error err = { 0 };
	char *words[WORDS + 2] = { "sgstream" }, *text = malloc(size + 1), *line, *rest;
	int n = 1;

	must(text);
	memcpy(text, data, size);
	text[size] = '\0';
	for (line = strtok_r(text, "\n", &rest); line && n < WORDS;
		line = strtok_r(NULL, "\n", &rest))
		words[n++] = line;
	optind = 0;
	sgs_options_init(&options);
	check_error(sgs_options_parse(&sgs_read_options, true, n, words, &options, &err), &err);
	must(options.n_devices <= WORDS);
	sgs_find_file_option(n, words, "json", false);
	sgs_find_file_option(n, words, "openmetrics", true);
	sgs_options_free(&options);
	free(text);
	return 0;
}
