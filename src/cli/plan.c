/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgstream plan [options] RESULT.json...
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "report/capacity.h"
#include "run/signals.h"
#include "sys/child.h"
#include "sys/output.h"
#include "util/units.h"

#define AT(member) offsetof(struct sgs_options, plan.member)

enum { NO_COMMAND = 127 };

static const struct sgs_option rows[] = {
	{ 0, "target", SGS_OPT_STRING, AT(target), "RATE", "the load as a rate: 12GB/s" },
	{ 0, "streams", SGS_OPT_NATURAL, AT(streams), "N",
		"the load as so many streams of --stream-rate, none of them split over hosts" },
	{ 0, "stream-rate", SGS_OPT_STRING, AT(stream_rate), "RATE", "of each: 305MB/s" },
	{ 0, "frame", SGS_OPT_SIZE, AT(frame), "SIZE",
		"a stream reads frames of SIZE, each due before the next begins" },
	{ 0, "deadline", SGS_OPT_TIME, AT(deadline_ns), "TIME",
		"a frame is due so long after it was asked for (default: time of a frame)" },
	{ 0, "headroom", SGS_OPT_STRING, AT(headroom), "PERCENT",
		"that stays free of everything: 20% (default 0%)" },
	{ 0, "max-drives", SGS_OPT_NATURAL, AT(max_drives), "N", "the most for a host" },
	{ 0, "max-controllers", SGS_OPT_NATURAL, AT(max_controllers), "N",
		"the most for a host" },
	{ 0, "max-hosts", SGS_OPT_NATURAL, AT(max_hosts), "N", "the most in all" },
	{ 0, "cores", SGS_OPT_NATURAL, AT(cores), "N",
		"of a host (default: the CPUs of the host that was measured)" },
	{ 'e', "engine", SGS_OPT_STRING, AT(engine), "E",
		"plan with it (default: of those measured with most numbers of devices, the "
		"fastest by median; likewise --bs and --qd)" },
	{ 'b', "bs", SGS_OPT_SIZE, AT(bs), "SIZE", "plan with so much per command" },
	{ 'q', "qd", SGS_OPT_NATURAL, AT(queue_depth), "N",
		"plan with so many commands in flight per drive" },
	{ 0, "controller-ceiling", SGS_OPT_STRING, AT(controller_ceiling), "RATE",
		"what the links of a controller carry, where no list --topology is given" },
	{ 0, "by-host", SGS_OPT_FLAG, AT(by_host), NULL,
		"results of several hosts: a plan for each kind of host" },
	{ 0, "plot", SGS_OPT_STRING, AT(plot), "FILE.svg",
		"points, curve and interval, drawn by gnuplot" },
	{ 0, "json", SGS_OPT_OPTIONAL_FILE, offsetof(struct sgs_options, json), "[=FILE]",
		"as JSON, alone on standard output" },
	{ 0, "quiet", SGS_OPT_FLAG, offsetof(struct sgs_options, quiet), NULL,
		"no warnings and notes" },
	{ 'h', "help", SGS_OPT_FLAG, offsetof(struct sgs_options, help), NULL, "this help" },
};

static const struct sgs_option_table table = { rows, sizeof rows / sizeof *rows };

static int help(void)
{
	puts("Usage: sgstream plan [OPTION]... RESULT.json...\n"
	     "Say how many drives, controllers, hosts and cores a load needs, and which of "
	     "them binds first,\n"
	     "from what sweep --devices 1..N, compare, read and list --topology wrote with "
	     "--json=FILE.\n\n"
	     "  sgstream plan --target 12GB/s --headroom 20% sweep.json compare.json\n"
	     "  sgstream plan --streams 40 --stream-rate 305MB/s --frame 12.7MB --max-drives "
	     "60 "
	     "sweep.json\n");
	sgs_options_help(stdout, &table);
	puts("\nWhat the results do not say is not guessed: it is named, with the command that "
	     "measures it.\ndoc/planning.md has the model and an example.");
	return 0;
}

/* ---- the question ---- */

/* "12GB/s"; 0 when text is NULL. */
static int parse_rate(const char *name, const char *text, double *rate, struct sgs_error *err)
{
	char size[64];
	uint64_t bytes = 0;
	const char *why = NULL;
	size_t len = text ? strlen(text) : 0;

	*rate = 0;
	if (!text)
		return 0;
	if (len > 2 && !strcmp(text + len - 2, "/s"))
		len -= 2;
	if (*text == '-')
		why = "is negative";
	else if (len >= sizeof size)
		why = "is too long";
	else
		memcpy(size, text, len), size[len] = '\0';
	if (!why)
		why = sgs_parse_size(size, &bytes, NULL);
	if (!why && !bytes)
		why = "is nothing";
	*rate = (double)bytes;
	return why ? sgs_fail(err, SGS_USAGE, "bad_value",
			     "--%s: '%s' %s; give a rate above 0, such as 12GB/s", name, text,
			     why)
		   : 0;
}

static int parse_headroom(const char *text, double *share, struct sgs_error *err)
{
	char *end;
	double percent;

	*share = 0;
	if (!text)
		return 0;
	percent = strtod(text, &end);
	if (end == text || strcmp(end, "%") != 0 || !(percent >= 0 && percent < 100))
		return sgs_fail(err, SGS_USAGE, "bad_value",
			"--headroom: '%s' is no share; give per cent from 0%% to below 100%%, "
			"such as 20%%",
			text);
	*share = percent / 100;
	return 0;
}

static int contradiction(const char *text, struct sgs_error *err)
{
	return sgs_fail(err, SGS_CONTRADICT, "contradiction", "%s", text);
}

static int check_words(const struct sgs_plan_words *w, size_t files, struct sgs_error *err)
{
	if (w->target && w->streams)
		return contradiction("--target and --streams are two loads; give one", err);
	if (!w->streams && (w->stream_rate || w->frame.value || w->deadline_ns))
		return contradiction(
			"--stream-rate, --frame and --deadline are of streams; give "
			"--streams, too",
			err);
	if (w->deadline_ns && !w->frame.value)
		return contradiction("--deadline is of a frame; give --frame, too", err);
	if (!w->target && !w->streams)
		return sgs_fail(err, SGS_USAGE, "no_load",
			"no load is given; --target 12GB/s, or --streams 40 --stream-rate "
			"305MB/s");
	if (w->streams && !w->stream_rate)
		return sgs_fail(err, SGS_USAGE, "no_load",
			"--streams needs the rate of one; --stream-rate 305MB/s");
	if (!files)
		return sgs_fail(err, SGS_USAGE, "no_result",
			"no result is given; sgstream sweep --devices 1..N --json=FILE "
			"DEVICE... "
			"makes one");
	return 0;
}

static int read_question(const struct sgs_plan_words *w, struct sgs_capacity *plan,
	struct sgs_model_wish *wish, struct sgs_error *err)
{
	struct sgs_load *load = &plan->load;
	int status = parse_rate("target", w->target, &load->target, err);

	if (!status)
		status = parse_rate("stream-rate", w->stream_rate, &load->stream_rate, err);
	if (!status)
		status = parse_headroom(w->headroom, &load->headroom, err);
	if (!status)
		status = parse_rate("controller-ceiling", w->controller_ceiling,
			&wish->controller_ceiling, err);
	load->streams = w->streams;
	load->frame_bytes = (double)w->frame.value;
	load->deadline_ns = (double)w->deadline_ns;
	plan->limits = (struct sgs_limits_per_host){ .drives = w->max_drives,
		.controllers = w->max_controllers,
		.cores = w->cores,
		.hosts = w->max_hosts };
	wish->engine = w->engine;
	wish->bs_bytes = w->bs.value;
	wish->queue_depth = w->queue_depth;
	return status;
}

/* ---- the results ---- */

static void name_host(const struct sgs_measured *host, char name[160])
{
	snprintf(name, 160, "%.64s%sLinux %.64s, %u CPUs", host->name,
		host->name[0] ? ", " : "", host->kernel, host->cpus);
}

static int read_results(
	const struct sgs_options *options, struct sgs_measurements *all, struct sgs_error *err)
{
	char first[160], second[160];
	int status = 0;

	for (size_t i = 0; i < options->n_devices && !status; i++)
		status = sgs_measurements_add(all, options->devices[i], err);
	if (status || all->n < 2 || options->plan.by_host)
		return status;
	name_host(&all->hosts[0], first);
	name_host(&all->hosts[1], second);
	return sgs_fail(err, SGS_CONTRADICT, "other_host",
		"%s is of one host (%s) and %s of another (%s); give results of one, or "
		"--by-host for a plan of each",
		all->hosts[0].one_file, first, all->hosts[1].one_file, second);
}

/* ---- the plot ---- */

static int cannot_plot(const char *file, int r, struct sgs_error *err)
{
	if (r == NO_COMMAND)
		return sgs_fail(err, sgs_status_from_errno(ENOENT), "no_gnuplot",
			"--plot %s: gnuplot draws it and is not installed; install gnuplot "
			"(Debian: gnuplot-nox)",
			file);
	if (r > 0)
		return sgs_fail(err, SGS_OTHER, "cannot_plot",
			"--plot %s: gnuplot ended with status %d", file, r);
	return sgs_fail(err, r == -ENOTSUP ? SGS_FILE : sgs_status_from_errno(-r),
		"cannot_write", "--plot %s: cannot write: %s", file,
		r == -ENOTSUP ? "it is no regular file; give one" : strerrordesc_np(-r));
}

static int draw(const char *script, size_t len, const char *file)
{
	static const char *const gnuplot[] = { "gnuplot", NULL };
	char *drawing;
	size_t size;
	int r = sgs_sys_filter(gnuplot, script, len, &drawing, &size);

	if (r == -ENOENT)
		r = NO_COMMAND;
	if (!r)
		r = sgs_sys_replace(file, drawing, size);
	free(drawing);
	return r;
}

static int plot(const struct sgs_capacity *plan, const char *file, struct sgs_error *err)
{
	char *script = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&script, &len);
	int r = out ? sgs_report_capacity_plot(out, plan) : -ENOMEM;

	if (out && fclose(out) == EOF && !r)
		r = -ENOMEM;
	if (!r)
		r = draw(script, len, file);
	free(script);
	return r ? cannot_plot(file, r, err) : 0;
}

/* ---- the whole ---- */

static void make_plan(struct sgs_capacity *plan, struct sgs_result *result)
{
	struct sgs_error err = { 0 };
	int status =
		sgs_answer_make(&plan->model, &plan->load, &plan->limits, &plan->answer, &err);

	plan->answered = !status;
	if (status)
		sgs_result_error(result, plan->label, &err);
	sgs_capacity_advise(plan, result);
}

static int report(const struct sgs_call *call, const struct sgs_options *options,
	const struct sgs_capacity *plans, size_t n, struct sgs_result *result)
{
	int r = 0;

	sgs_signals_reporting();
	if (sgs_sink())
		r = sgs_report_capacity_json(
			sgs_sink(), call, plans, n, options->plan.by_host, result);
	for (size_t i = 0; i < n && sgs_sink_leaves_stdout(); i++) {
		if (i)
			putchar('\n');
		sgs_report_capacity_text(stdout, &plans[i]);
	}
	sgs_sink_flush();
	sgs_report_messages(stderr, result, options->quiet);
	return sgs_sink_close(r, result->exit_status);
}

static int plan_all(const struct sgs_call *call, const struct sgs_options *options,
	const struct sgs_measurements *all, const struct sgs_capacity *asked,
	const struct sgs_model_wish *wish)
{
	struct sgs_capacity *plans = calloc(all->n, sizeof *plans);
	struct sgs_result result = { 0 };
	struct sgs_error err = { 0 };
	size_t n = 0;
	int status = plans ? 0 : sgs_fail(&err, SGS_INTERNAL, "no_memory", "no memory");

	for (size_t i = 0; i < all->n && !status; i++) {
		plans[i] = *asked;
		plans[i].label = all->n > 1 ? all->hosts[i].name : NULL;
		status = sgs_model_make(&all->hosts[i], wish, &plans[i].model, &err);
		n += !status;
	}
	if (!status && options->plan.plot && n > 1)
		status = contradiction(
			"--plot draws one host, and --by-host found several", &err);
	for (size_t i = 0; i < n && !status; i++)
		make_plan(&plans[i], &result);
	if (!status && options->plan.plot && plot(plans, options->plan.plot, &err))
		sgs_result_error(&result, NULL, &err);
	status = status ? sgs_answer_error(call, &err)
			: report(call, options, plans, n, &result);
	for (size_t i = 0; i < n; i++)
		sgs_model_free(&plans[i].model);
	sgs_result_free(&result);
	free(plans);
	return status;
}

static int plan(const struct sgs_call *call, const struct sgs_options *options)
{
	struct sgs_measurements all = { 0 };
	struct sgs_model_wish wish = { 0 };
	struct sgs_capacity asked = { 0 };
	struct sgs_error err = { 0 };
	int status = check_words(&options->plan, options->n_devices, &err);

	if (!status)
		status = read_question(&options->plan, &asked, &wish, &err);
	if (!status)
		status = sgs_sink_open(options, &err);
	if (!status)
		status = read_results(options, &all, &err);
	status = status ? sgs_answer_error(call, &err)
			: plan_all(call, options, &all, &asked, &wish);
	sgs_measurements_free(&all);
	return status;
}

static int plan_main(const struct sgs_call *call, int argc, char **argv)
{
	struct sgs_options options;
	struct sgs_error err = { 0 };
	int status;

	sgs_options_init(&options);
	status = sgs_options_parse(&table, false, argc, argv, &options, &err);
	if (!status && options.help)
		status = sgs_sink_close(0, help());
	else if (status)
		status = sgs_answer_error(call, &err);
	else
		status = plan(call, &options);
	sgs_options_free(&options);
	return status;
}

const struct sgs_command sgs_command_plan = {
	.name = "plan",
	.summary = "how much hardware a load needs, from measured results",
	.run = plan_main,
};
