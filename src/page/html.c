/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/words.h"
#include "util/units.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* Of a UTF-8 sequence: U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069 turn text round.
 */
static bool turns_text(const unsigned char *c)
{
	if (c[0] != 0xe2 || !c[1])
		return false;
	return (c[1] == 0x80 &&
		       (c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xaa && c[2] <= 0xae))) ||
	       (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9);
}

static bool is_control(unsigned char c)
{
	return (c < ' ' && c != '\n' && c != '\t') || c == 0x7f;
}

void sgs_html_text(FILE *out, const char *text)
{
	for (const char *c = text; *c; c++) {
		const char *name = entity(*c);

		if (name)
			fputs(name, out);
		else if (is_control((unsigned char)*c))
			fputs(REPLACEMENT, out);
		else if (turns_text((const unsigned char *)c))
			fputs(REPLACEMENT, out), c += 2;
		else
			fputc(*c, out);
	}
}

void sgs_html_say(FILE *out, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0) {
		sgs_html_text(out, text);
		free(text);
	}
	va_end(args);
}

void sgs_html_element(FILE *out, const char *tag, const char *text)
{
	fprintf(out, "<%s>", tag);
	sgs_html_text(out, text);
	fprintf(out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

/* ---- figures ---- */

void sgs_html_figure(FILE *out, double value, const char *shown)
{
	if (!isfinite(value)) {
		sgs_html_text(out, shown);
		return;
	}
	fprintf(out, "<data value=\"%.17g\">", value);
	sgs_html_text(out, shown);
	fputs("</data>", out);
}

static double known(double value)
{
	return value < 0 ? NAN : value;
}

void sgs_html_rate(FILE *out, double bytes_per_second)
{
	char word[SGS_WORD_ROOM];

	sgs_html_figure(out, known(bytes_per_second),
		bytes_per_second < 0 ? "-" : sgs_word_rate(word, bytes_per_second));
}

void sgs_html_number(FILE *out, double value)
{
	char word[SGS_WORD_ROOM];

	sgs_html_figure(out, known(value), sgs_word_figure(word, value));
}

void sgs_html_count(FILE *out, uint64_t count)
{
	char word[SGS_WORD_ROOM];

	sgs_html_figure(out, (double)count, sgs_format_count(word, sizeof word, count));
}

void sgs_html_time(FILE *out, double ns)
{
	char word[SGS_WORD_ROOM] = "-";

	if (ns >= 0)
		sgs_format_time(word, sizeof word, (uint64_t)ns);
	sgs_html_figure(out, known(ns), word);
}

/* ---- tables ---- */

void sgs_html_table(FILE *out, const char *caption, const char *const *heads)
{
	fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", out);
	sgs_html_text(out, caption);
	fputs("\"><table>\n", out);
	sgs_html_element(out, "caption", caption);
	fputs("\n<thead><tr>", out);
	for (; *heads; heads++)
		if (**heads == '<')
			sgs_html_element(out, "th scope=\"col\" class=\"text\"", *heads + 1);
		else
			sgs_html_element(out, "th scope=\"col\"", *heads);
	fputs("</tr></thead>\n<tbody>\n", out);
}

void sgs_html_table_end(FILE *out)
{
	fputs("</tbody></table></div>\n", out);
}

void sgs_html_row(FILE *out, const char *text)
{
	fputs("<tr>", out);
	sgs_html_element(out, "th scope=\"row\"", text);
}

void sgs_html_cell(FILE *out, const char *text)
{
	sgs_html_element(out, "td class=\"text\"", text);
}
