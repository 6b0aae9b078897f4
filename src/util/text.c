/* SPDX-License-Identifier: BSD-2-Clause */
#include "util/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\0';
}

void sgs_copy_printable(char *dst, size_t cap, const void *src, size_t len)
{
	const uint8_t *from = src;
	size_t n = 0;

	if (cap == 0)
		return;
	while (len > 0 && is_blank(from[len - 1]))
		len--;
	while (len > 0 && is_blank(*from)) {
		from++;
		len--;
	}
	for (; n < len && n + 1 < cap; n++)
		dst[n] = from[n] >= 0x20 && from[n] <= 0x7e ? (char)from[n] : '?';
	while (n > 0 && dst[n - 1] == ' ') /* a cut can leave one at the end */
		n--;
	dst[n] = '\0';
}

/* Bytes of the sequence that lead begins, 0 when no sequence begins with it. The forms that can
 * only be overlong (C0h, C1h) or beyond U+10FFFF (F5h and up) are among the latter. */
static size_t sequence_length(uint8_t lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef)
		return 3;
	if (lead >= 0xf0 && lead <= 0xf4)
		return 4;
	return 0;
}

/* The second byte alone tells overlong forms, surrogates and what is beyond U+10FFFF. */
static bool second_byte_fits(uint8_t lead, uint8_t second)
{
	if (lead == 0xe0)
		return second >= 0xa0;
	if (lead == 0xed)
		return second <= 0x9f;
	if (lead == 0xf0)
		return second >= 0x90;
	if (lead == 0xf4)
		return second <= 0x8f;
	return true;
}

/* Length of the well-formed sequence at s, 0 when it is broken. A NUL breaks a sequence, so
 * this never looks past the end of a string. */
static size_t well_formed(const uint8_t *s)
{
	size_t len = sequence_length(s[0]);

	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		if (i == 1 && !second_byte_fits(s[0], s[1]))
			return 0;
	}
	return len;
}

/* C0, DEL, and C1 (C2h 80h to 9Fh), which some terminals obey like an escape. */
static bool is_control(const uint8_t *s, size_t len)
{
	if (len == 1)
		return s[0] < 0x20 || s[0] == 0x7f;
	return len == 2 && s[0] == 0xc2 && s[1] < 0xa0;
}

void sgs_copy_utf8(char *dst, size_t cap, const char *src)
{
	const uint8_t *from = (const uint8_t *)src;
	size_t room = cap;

	if (cap == 0)
		return;
	while (*from) {
		size_t len = well_formed(from);
		bool keep = len > 0 && !is_control(from, len);
		size_t put = keep ? len : 1;

		if (put >= room)
			break;
		memcpy(dst, keep ? (const char *)from : "?", put);
		dst += put;
		room -= put;
		from += len > 0 ? len : 1;
	}
	*dst = '\0';
}
