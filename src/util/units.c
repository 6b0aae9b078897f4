/* SPDX-License-Identifier: BSD-2-Clause */
#include "util/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_COUNTED 1e18 /* of a figure: a count of 64 bits holds it */

#define FRACTION_DIGITS 18 /* 10^18 is the highest power of ten below 2^63 */

static const char reason_empty[] = "is empty";
static const char reason_no_number[] = "is no number";
static const char reason_negative[] = "is negative";
static const char reason_too_large[] = "is too large";
static const char reason_too_small[] = "is too small";
static const char reason_no_whole[] = "is no whole number";

/* A number as written: whole + fraction / scale, and the text after it. */
struct number {
	uint64_t whole;
	uint64_t fraction;
	uint64_t scale;
	bool hex;
	const char *rest;
};

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* Reads digits of base into *value and moves *text past them. */
static const char *parse_digits(const char **text, unsigned base, uint64_t *value)
{
	const char *start = *text;

	*value = 0;
	for (; digit_value(**text) < (int)base; (*text)++) {
		if (__builtin_mul_overflow(*value, base, value) ||
			__builtin_add_overflow(*value, (uint64_t)digit_value(**text), value))
			return reason_too_large;
	}
	return *text == start ? reason_no_number : NULL;
}

/* The digits behind the point; those past the 18th can only be zeros. */
static const char *parse_fraction(struct number *n)
{
	unsigned digits = 0;

	if (digit_value(*n->rest) > 9)
		return reason_no_number;
	for (; digit_value(*n->rest) <= 9; n->rest++) {
		if (digits == FRACTION_DIGITS && *n->rest != '0')
			return "has too many digits behind the point";
		if (digits == FRACTION_DIGITS)
			continue;
		n->fraction = n->fraction * 10 + (uint64_t)digit_value(*n->rest);
		n->scale *= 10;
		digits++;
	}
	return NULL;
}

static const char *parse_number(const char *text, struct number *n)
{
	const char *why;

	*n = (struct number){ .scale = 1, .rest = text };
	if (*text == '\0')
		return reason_empty;
	if (*text == '-')
		return reason_negative;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		n->hex = true;
		n->rest += 2;
		return parse_digits(&n->rest, 16, &n->whole);
	}
	why = parse_digits(&n->rest, 10, &n->whole);
	if (why || *n->rest != '.')
		return why;
	n->rest++;
	return parse_fraction(n);
}

/* n x unit, rounded down; *exact says whether nothing was lost. */
static const char *scale_number(
	const struct number *n, uint64_t unit, uint64_t *value, bool *exact)
{
	unsigned __int128 part = (unsigned __int128)n->fraction * unit;
	uint64_t whole;

	*exact = part % n->scale == 0;
	if (__builtin_mul_overflow(n->whole, unit, &whole) ||
		__builtin_add_overflow(whole, (uint64_t)(part / n->scale), value))
		return reason_too_large;
	return NULL;
}

static uint64_t power(uint64_t base, unsigned exponent)
{
	uint64_t result = 1;

	while (exponent-- > 0)
		result *= base;
	return result;
}

/* Bytes that a suffix stands for: one of kKmMgGtTpP, alone or with iB for powers of 1024, with
 * B for powers of 1000. 0 when it is none of them. */
static uint64_t size_unit(const char *suffix)
{
	static const char letters[] = "kmgtpKMGTP";
	const char *letter;
	unsigned exponent;

	if (*suffix == '\0')
		return 1;
	letter = strchr(letters, *suffix);
	if (!letter)
		return 0;
	exponent = (unsigned)(letter - letters) % 5 + 1;
	if (suffix[1] == '\0' || strcmp(suffix + 1, "iB") == 0)
		return power(1024, exponent);
	return strcmp(suffix + 1, "B") == 0 ? power(1000, exponent) : 0;
}

static bool is_block_suffix(const char *suffix)
{
	return strcmp(suffix, "blk") == 0 || strcmp(suffix, "b") == 0;
}

static const char *no_size_suffix(const char *suffix)
{
	if (strcmp(suffix, "B") == 0)
		return "has a bare B; write bytes as a number alone, blocks with blk";
	if (is_block_suffix(suffix))
		return "is in blocks, which mean nothing here; write bytes";
	return "has text after the number that is no unit; known are k M G T P (1024), "
	       "kB MB GB TB PB (1000) and KiB MiB GiB TiB PiB";
}

const char *sgs_parse_size(const char *text, uint64_t *value, bool *blocks)
{
	struct number n;
	uint64_t unit;
	bool exact;
	const char *why = parse_number(text, &n);

	if (blocks)
		*blocks = false;
	if (why)
		return why;
	unit = n.hex && *n.rest != '\0' ? 0 : size_unit(n.rest);
	if (blocks && !n.hex && is_block_suffix(n.rest)) {
		*blocks = true;
		unit = 1;
	}
	if (unit == 0)
		return no_size_suffix(n.rest);
	why = scale_number(&n, unit, value, &exact);
	if (why)
		return why;
	if (exact)
		return NULL;
	return blocks && *blocks ? reason_no_whole : "is no whole number of bytes";
}

static uint64_t time_unit(const char *suffix)
{
	static const struct {
		const char *suffix;
		uint64_t ns;
	} units[] = {
		{ "", 1000000000 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", 60000000000 },
		{ "h", 3600000000000 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(suffix, units[i].suffix) == 0)
			return units[i].ns;
	}
	return 0;
}

const char *sgs_parse_time(const char *text, uint64_t *ns)
{
	struct number n;
	uint64_t unit;
	bool exact;
	const char *why = parse_number(text, &n);

	if (why)
		return why;
	unit = n.hex ? 0 : time_unit(n.rest);
	if (unit == 0)
		return "has text after the number that is no unit of time; known are us ms s m "
		       "h";
	why = scale_number(&n, unit, ns, &exact);
	if (why)
		return why;
	/* A third of a second may lose a fraction of a nanosecond, but nothing may become 0,
	 * which means "no limit" to many callers. */
	return *ns == 0 && !exact ? "is below one nanosecond" : NULL;
}

const char *sgs_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	struct number n;
	const char *why = parse_number(text, &n);

	if (why)
		return why;
	if (*n.rest != '\0')
		return "has text after the number";
	if (n.fraction != 0)
		return reason_no_whole;
	if (n.whole < min)
		return reason_too_small;
	if (n.whole > max)
		return reason_too_large;
	*value = n.whole;
	return NULL;
}

static const char *const size_names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };

/* Writes bytes in 1024^exponent when at most three decimals say it exactly and it is no row of
 * digits. */
static bool format_exact_size(char *buf, size_t cap, uint64_t bytes, unsigned exponent)
{
	uint64_t unit = power(1024, exponent);
	unsigned __int128 milli = (unsigned __int128)bytes * 1000;
	unsigned thousandths;
	int digits = 3;

	if (milli % unit != 0 || bytes / unit >= 100000)
		return false;
	thousandths = (unsigned)(milli / unit % 1000);
	for (; digits > 0 && thousandths % 10 == 0; digits--)
		thousandths /= 10;
	if (digits == 0)
		snprintf(buf, cap, "%" PRIu64 " %s", bytes / unit, size_names[exponent]);
	else
		snprintf(buf, cap, "%" PRIu64 ".%0*u %s", bytes / unit, digits, thousandths,
			size_names[exponent]);
	return true;
}

char *sgs_format_size(char *buf, size_t cap, uint64_t bytes)
{
	unsigned largest = bytes < 1024 ? 0 : (63 - (unsigned)__builtin_clzll(bytes)) / 10;
	double value;

	for (unsigned exponent = largest + 1; exponent-- > 0;) {
		if (format_exact_size(buf, cap, bytes, exponent))
			return buf;
	}
	value = (double)bytes / (double)power(1024, largest);
	if (value >= 1023.995 && largest < 6) {
		value /= 1024;
		largest++;
	}
	snprintf(buf, cap, "%.2f %s", value, size_names[largest]);
	return buf;
}

/* Three significant digits. False when they would round to a thousand. */
static bool format_three_digits(char *buf, size_t cap, double value, const char *unit)
{
	int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	if (value >= 999.5)
		return false;
	snprintf(buf, cap, "%.*f %s", decimals, value, unit);
	return true;
}

/* Below a thousand seconds in one unit, above in two. */
char *sgs_format_time(char *buf, size_t cap, uint64_t ns)
{
	static const char *const units[] = { "us", "ms", "s" };
	double value = (double)ns;
	uint64_t seconds = ns / 1000000000;

	if (ns < 1000) {
		snprintf(buf, cap, "%" PRIu64 " ns", ns);
		return buf;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		value /= 1000;
		if (format_three_digits(buf, cap, value, units[i]))
			return buf;
	}
	if (seconds < 3600)
		snprintf(buf, cap, "%" PRIu64 " min %02" PRIu64 " s", seconds / 60,
			seconds % 60);
	else
		snprintf(buf, cap, "%" PRIu64 " h %02" PRIu64 " min", seconds / 3600,
			seconds / 60 % 60);
	return buf;
}

char *sgs_format_count(char *buf, size_t cap, uint64_t count)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	size_t n = 0;

	if (cap == 0)
		return buf;
	for (int i = 0; i < len && n + 1 < cap; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			buf[n++] = ',';
		if (n + 1 < cap)
			buf[n++] = digits[i];
	}
	buf[n] = '\0';
	return buf;
}

/* Decimals that leave three significant digits of a value below 100. */
static int decimals_of(double value)
{
	if (value >= 9.995)
		return 1;
	if (value >= 0.9995)
		return 2;
	return value < 1e-6 ? 9 : 2 - (int)floor(log10(value));
}

char *sgs_format_figure(char *buf, size_t cap, double value)
{
	if (!isfinite(value) || value < 0)
		snprintf(buf, cap, "-");
	else if (value == 0)
		snprintf(buf, cap, "0");
	else if (value >= MOST_COUNTED)
		snprintf(buf, cap, "%.3g", value);
	else if (value >= 99.95)
		sgs_format_count(buf, cap, (uint64_t)(value + 0.5));
	else
		snprintf(buf, cap, "%.*f", decimals_of(value), value);
	return buf;
}
