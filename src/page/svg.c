/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gnuplot's SVG made a part of the page: no prologue, no ids that another plot has too, and the
 * colours of the page instead of fixed ones.
 */
#include <string.h>

#include "page/html.h"
#include "page/plot.h"

static const struct {
	const char *from, *to;
} words[] = {
	{ "rgb(190, 190, 190)", "var(--rule)" },
	{ "rgb(0,0,0)", "var(--ink)" },
	{ "\"black\"", "\"var(--ink)\"" },
	{ "'black'", "'var(--ink)'" },
	{ "\"gray\"", "\"var(--rule)\"" },
	{ "'gray'", "'var(--rule)'" },
	{ "rgb(  0,   0,   1)", "var(--s1)" },
	{ "rgb(  0,   0,   2)", "var(--s2)" },
	{ "rgb(  0,   0,   3)", "var(--s3)" },
	{ "rgb(  0,   0,   4)", "var(--s4)" },
	{ "rgb(  0,   0,   5)", "var(--s5)" },
	{ "rgb(  0,   0,   6)", "var(--s6)" },
	{ "#FFFFFF", "var(--paper)" },
	{ " font-family=\"sans\"", "" },
	{ "xlink:href", "href" },
	{ " id=\"gnuplot_canvas\"", "" },
};

static void put_line(FILE *out, const char *line, size_t len)
{
	for (size_t at = 0; at < len;) {
		size_t i = 0, n = sizeof words / sizeof *words;

		while (i < n && strncmp(line + at, words[i].from, strlen(words[i].from)) != 0)
			i++;
		if (i == n) {
			fputc(line[at++], out);
			continue;
		}
		fputs(words[i].to, out);
		at += strlen(words[i].from);
	}
	fputc('\n', out);
}

static bool begins(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

/* A group that gnuplot opened for a colour and drew nothing in */
static bool is_empty_group(const char *line, size_t len)
{
	return begins(line, "<g fill=\"none\"") && begins(line + len, "\n</g>\n");
}

static bool is_left_out(const char *line, size_t len)
{
	return !len || begins(line, "<rect x=\"0\" y=\"0\"");
}

static void put_body(FILE *out, const char *line)
{
	while (*line) {
		size_t len = strcspn(line, "\n");
		const char *next = line + len + (line[len] == '\n');

		if (begins(line, "<defs>")) { /* the page has these once */
			const char *end = strstr(line, "</defs>\n");

			next = end ? end + strlen("</defs>\n") : line + strlen(line);
		} else if (is_empty_group(line, len)) {
			next = line + len + strlen("\n</g>\n");
		} else if (begins(line, "\t<g id=\"gnuplot_plot")) { /* with a title that nobody
									gave it */
			fputs("<g>\n", out);
		} else if (!is_left_out(line, len)) {
			put_line(out, line, len);
		}
		line = next;
	}
}

bool sgs_svg_adopt(FILE *out, const char *svg, const struct sgs_plot *plot, const char *title,
	const char *description)
{
	const char *body = strstr(svg, "<g id=\"gnuplot_canvas\">");
	unsigned n = plot->number;

	if (!body || !strstr(body, "</svg>"))
		return false;
	fprintf(out,
		"<svg viewBox=\"0 0 %d %u\" role=\"img\" aria-labelledby=\"plot%u-title\" "
		"aria-describedby=\"plot%u-text\">\n<title id=\"plot%u-title\">",
		SGS_PLOT_WIDTH, plot->height, n, n, n);
	sgs_html_text(out, title);
	fprintf(out, "</title>\n<desc id=\"plot%u-text\">", n);
	sgs_html_text(out, description);
	fputs("</desc>\n", out);
	put_body(out, body);
	return true;
}

void sgs_plot_shapes(FILE *out)
{
	fputs("<svg class=\"shapes\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\n"
	      "<circle id=\"gpDot\" r=\"0.5\" stroke-width=\"0.5\" stroke=\"currentColor\"/>\n"
	      "<rect id=\"gpPt3\" stroke-width=\"0.222\" stroke=\"currentColor\" x=\"-1\" "
	      "y=\"-1\" "
	      "width=\"2\" height=\"2\"/>\n"
	      "<rect id=\"gpPt4\" fill=\"currentColor\" x=\"-1\" y=\"-1\" width=\"2\" "
	      "height=\"2\"/>\n"
	      "<circle id=\"gpPt5\" stroke-width=\"0.222\" stroke=\"currentColor\" r=\"1\"/>\n"
	      "<circle id=\"gpPt6\" fill=\"currentColor\" r=\"1\"/>\n"
	      "<path id=\"gpPt8\" fill=\"currentColor\" d=\"M0,-1.33 L-1.33,0.67 L1.33,0.67 "
	      "z\"/>\n"
	      "<path id=\"gpPt12\" fill=\"currentColor\" d=\"M0,-1.41 L1.41,0 L0,1.41 L-1.41,0 "
	      "z\"/>\n"
	      "</defs></svg>\n",
		out);
}
