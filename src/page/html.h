/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pieces of HTML. Whatever comes from a result goes through sgs_html_text() or sgs_html_say():
 * a drive's vendor string is a stranger's text.
 */
#ifndef SGS_PAGE_HTML_H
#define SGS_PAGE_HTML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Text with nothing in it that is markup; what would turn the direction of the text around it
 * or is a control character becomes U+FFFD. */
void sgs_html_text(FILE *out, const char *text);

/* The same of what a format makes. */
void sgs_html_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* <TAG>text</TAG>; tag is a name with or without attributes. */
void sgs_html_element(FILE *out, const char *tag, const char *text);

/* A figure with its exact value for programs: <data value="...">shown</data>. Nothing but the
 * text when it is not known. */
void sgs_html_figure(FILE *out, double value, const char *shown);
void sgs_html_rate(FILE *out, double bytes_per_second);
void sgs_html_number(FILE *out, double value);
void sgs_html_count(FILE *out, uint64_t count);
void sgs_html_time(FILE *out, double ns);

/* A table that scrolls by itself where it is too wide. heads ends with NULL; a head that begins
 * with '<' is of a column of text, the others are of figures. */
void sgs_html_table(FILE *out, const char *caption, const char *const *heads);
void sgs_html_table_end(FILE *out);

/* A row's first cell, its heading. */
void sgs_html_row(FILE *out, const char *text);

/* The cells of a row are <td>; one with text: */
void sgs_html_cell(FILE *out, const char *text);

#endif
