/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the fuzz targets share: taking values off the input, and what holds for every text that
 * the program shows.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sgstream/error.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define must(condition)                                                            \
	do {                                                                       \
		if (!(condition)) {                                                \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, \
				#condition);                                       \
			abort();                                                   \
		}                                                                  \
	} while (0)

struct input {
	const uint8_t *at;
	size_t left;
};

static inline uint8_t take_byte(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

/* At most n of what is left. */
static inline size_t take_bytes(struct input *in, const uint8_t **bytes, size_t n)
{
	if (n > in->left)
		n = in->left;
	*bytes = in->at;
	in->at += n;
	in->left -= n;
	return n;
}

/* Printable ASCII without outer spaces, in its room: what strings of a drive become. */
static inline void check_string(const char *text, size_t room)
{
	size_t len = strnlen(text, room);

	must(len < room);
	must(!len || (text[0] != ' ' && text[len - 1] != ' '));
	for (size_t i = 0; i < len; i++)
		must(text[i] >= ' ' && text[i] <= '~');
}

/* No control characters in what goes to a terminal. */
static inline void check_shown(const char *text)
{
	for (; *text; text++)
		must((unsigned char)*text >= ' ' && *text != 0x7f);
}

/* A status comes with one sentence and one word. */
static inline void check_error(int status, const struct sgs_error *err)
{
	if (!status)
		return;
	must(err->status == status && status > 0 && status <= 255);
	must(err->code[0] && err->text[0]);
	check_shown(err->text);
}

#endif
