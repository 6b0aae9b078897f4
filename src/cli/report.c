/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgstream report RESULT... -o FILE.html
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "page/page.h"
#include "report/report.h"
#include "sys/output.h"

#define AT(member)  offsetof(struct sgs_options, member)
#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static const struct sgs_option own[] = {
	{ 'o', "output", SGS_OPT_STRING, AT(output), "FILE",
		"the page; it is replaced as a whole. - for standard output" },
};

static const char *const shared[] = { "quiet", "help", NULL };

static struct sgs_option rows[COUNT(own) + COUNT(shared)];
static struct sgs_option_table table = { rows, 0 };

static const struct sgs_result_wish wish = {
	.what = "result of sgstream",
	.remedy = "give what --json=FILE of read, compare or sweep wrote",
	.code = "no_result",
};

static void make_table(void)
{
	memcpy(rows, own, sizeof own);
	table.n = COUNT(own) + sgs_options_share(&sgs_read_options, shared, rows + COUNT(own));
}

static int help(void)
{
	puts("Usage: sgstream report [OPTION]... RESULT... -o FILE.html\n"
	     "Make one page of results, with plots, that needs nothing from elsewhere. A "
	     "RESULT "
	     "is a file\n"
	     "that --json=FILE wrote, or a folder of them; a file may hold several, one after "
	     "the other.\n\n"
	     "  sgstream compare --json=a.json /dev/sg1; sgstream report a.json -o page.html\n"
	     "  sgstream report results/ -o page.html\n");
	sgs_options_help(stdout, &table);
	puts("\nThe plots are drawn by gnuplot (Debian: gnuplot-nox).");
	return 0;
}

static bool to_stdout(const struct sgs_options *options)
{
	return !strcmp(options->output, "-");
}

/* ---- before ---- */

static int check_output(const struct sgs_options *options, struct sgs_error *err)
{
	int r;

	if (!options->output)
		return sgs_fail(err, SGS_USAGE, "no_output",
			"no file for the page is named; give -o FILE.html");
	if (to_stdout(options))
		return 0;
	for (size_t i = 0; i < options->n_devices; i++)
		if (sgs_sys_same_file(options->output, options->devices[i]))
			return sgs_fail(err, SGS_USAGE, "same_file",
				"-o %s is one of the results; name another file for the page",
				options->output);
	r = sgs_sys_may_replace(options->output);
	if (!r)
		return 0;
	return sgs_fail(err, r == -ENOTSUP ? SGS_FILE : sgs_status_from_errno(-r),
		"cannot_write", "-o %s: cannot write: %s", options->output,
		r == -ENOTSUP ? "it is no regular file, and a page replaces nothing else"
			      : strerrordesc_np(-r));
}

static int load(
	const struct sgs_options *options, struct sgs_result_set *set, struct sgs_error *err)
{
	int status = 0;

	if (!options->n_devices)
		return sgs_fail(err, SGS_USAGE, "no_result",
			"no result is given; name files that --json=FILE wrote, or a folder of "
			"them");
	for (size_t i = 0; !status && i < options->n_devices; i++)
		status = sgs_result_set_add(set, options->devices[i], &wish, err);
	sgs_result_set_sort(set);
	return status;
}

/* ---- the page ---- */

static int write_page(const struct sgs_options *options, const char *text, size_t len)
{
	size_t done;

	if (to_stdout(options))
		return sgs_sys_write_all(STDOUT_FILENO, text, len, &done);
	return sgs_sys_replace(options->output, text, len);
}

static void say_trouble(const struct sgs_page *page, struct sgs_result *said)
{
	if (page->trouble == -ENOENT)
		sgs_result_message(said, SGS_WARNING, NULL, "no_gnuplot",
			"the plots are missing: gnuplot draws them, and it is not installed; "
			"apt-get install gnuplot-nox, and make the page again");
	else if (page->trouble)
		sgs_result_message(said, SGS_WARNING, NULL, "gnuplot_failed",
			"%u of %u plots are missing: gnuplot failed: %s",
			page->plots - page->drawn, page->plots,
			strerrordesc_np(-page->trouble));
}

static int make_page(const struct sgs_options *options, const struct sgs_result_set *set,
	struct sgs_result *said, struct sgs_error *err)
{
	struct sgs_page page = { 0 };
	char *text = NULL;
	size_t len = 0;
	int r = 0;

	page.out = open_memstream(&text, &len);
	if (!page.out)
		return sgs_fail(err, SGS_INTERNAL, "no_memory", "no memory for the page");
	sgs_page_write(&page, set);
	if (ferror(page.out) | (fclose(page.out) == EOF))
		r = -ENOMEM;
	say_trouble(&page, said);
	if (page.news[0])
		sgs_result_message(said, SGS_WARNING, NULL, "drop", "%s", page.news);
	if (!r)
		r = write_page(options, text, len);
	free(text);
	if (!r)
		return 0;
	return sgs_fail(err, sgs_status_from_errno(-r), "cannot_write",
		"-o %s: the page cannot be written: %s", options->output, strerrordesc_np(-r));
}

static int report(
	const struct sgs_options *options, struct sgs_result *said, struct sgs_error *err)
{
	struct sgs_result_set set = { 0 };
	int status = check_output(options, err);

	if (!status)
		status = load(options, &set, err);
	for (size_t i = 0; i < set.n_left_out; i++)
		sgs_result_message(
			said, SGS_WARNING, NULL, "left_out", "left out: %s", set.left_out[i]);
	if (!status)
		status = make_page(options, &set, said, err);
	sgs_result_set_free(&set);
	return status;
}

static int report_main(const struct sgs_call *call, int argc, char **argv)
{
	struct sgs_options options;
	struct sgs_result said = { 0 };
	struct sgs_error err = { 0 };
	int status;

	(void)call;
	make_table();
	sgs_options_init(&options);
	status = sgs_options_parse(&table, false, argc, argv, &options, &err);
	if (!status && options.help) {
		sgs_options_free(&options);
		return sgs_sink_close(0, help());
	}
	if (!status)
		status = report(&options, &said, &err);
	if (status)
		sgs_result_error(&said, NULL, &err);
	sgs_report_messages(stderr, &said, options.quiet);
	sgs_result_free(&said);
	sgs_options_free(&options);
	return status;
}

const struct sgs_command sgs_command_report = {
	.name = "report",
	.summary = "one page of HTML from results",
	.run = report_main,
};
