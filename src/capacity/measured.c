/* SPDX-License-Identifier: BSD-2-Clause */
#include "capacity/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capacity/links.h"
#include "results/result_figures.h"
#include "results/result_file.h"
#include "util/text.h"

static const struct sgs_result_wish wish = {
	.what = "result to plan from",
	.remedy = "give what sgstream sweep, compare or read wrote with --json=FILE",
	.code = "no_result",
};

static int no_memory(struct sgs_error *err)
{
	return sgs_fail(err, SGS_INTERNAL, "no_memory", "no memory for the results");
}

/* ---- the host ---- */

static bool is_host(const struct sgs_measured *host, const json_t *facts)
{
	return !strcmp(host->name, sgs_field_text(facts, "name")) &&
	       !strcmp(host->kernel, sgs_field_text(facts, "kernel")) &&
	       host->cpus == sgs_field_count(facts, "cpus");
}

static struct sgs_measured *host_of(struct sgs_measurements *all, const json_t *facts)
{
	struct sgs_measured *grown;

	for (size_t i = 0; i < all->n; i++)
		if (is_host(&all->hosts[i], facts))
			return &all->hosts[i];
	grown = reallocarray(all->hosts, all->n + 1, sizeof *grown);
	if (!grown)
		return NULL;
	all->hosts = grown;
	grown += all->n++;
	memset(grown, 0, sizeof *grown);
	sgs_copy_utf8(grown->name, sizeof grown->name, sgs_field_text(facts, "name"));
	sgs_copy_utf8(grown->kernel, sizeof grown->kernel, sgs_field_text(facts, "kernel"));
	grown->cpus = (unsigned)sgs_field_count(facts, "cpus");
	return grown;
}

/* ---- controllers ---- */

static void name_controller(const json_t *controller, char name[64])
{
	const json_t *host = json_object_get(controller, "host");
	const char *pci = sgs_field_text(controller, "pci");

	name[0] = '\0';
	if (json_is_integer(host))
		snprintf(name, 64, "%.40s%shost %lld", pci, *pci ? " " : "",
			(long long)json_integer_value(host));
}

/* Its number, or -1 when there are too many. */
static int controller_of(struct sgs_measured *host, const json_t *controller)
{
	struct sgs_measured_controller *new;
	char name[64];
	unsigned i;

	name_controller(controller, name);
	for (i = 0; i < host->n_controllers; i++)
		if (!strcmp(host->controllers[i].name, name))
			return (int)i;
	if (i == SGS_CONTROLLERS)
		return -1;
	new = &host->controllers[host->n_controllers++];
	memset(new, 0, sizeof *new);
	sgs_copy_utf8(new->name, sizeof new->name, name);
	new->can_queue = (unsigned)sgs_field_count(controller, "can_queue");
	return (int)i;
}

double sgs_controller_link(const struct sgs_measured_controller *c)
{
	double link = c->link > 0 ? c->link : INFINITY;

	return c->port_rate > 0 && !c->direct ? fmin(link, c->port_rate) : link;
}

static int too_many(const char *file, struct sgs_error *err)
{
	return sgs_fail(err, SGS_USAGE, "many_controllers",
		"%s: with it there are more than %d controllers on one host; plan from fewer "
		"results",
		file, SGS_CONTROLLERS);
}

static int place_devices(struct sgs_measured *host, const json_t *devices,
	struct sgs_point *point, const char *file, struct sgs_error *err)
{
	const json_t *device;
	size_t i;

	json_array_foreach(devices, i, device)
	{
		int at;

		if (json_object_get(device, "same_unit_as")) /* one more path to a drive */
			continue;
		at = controller_of(host, json_object_get(device, "controller"));
		if (at < 0)
			return too_many(file, err);
		if (!point->on[at]++)
			point->controllers++;
		point->devices++;
	}
	return 0;
}

/* ---- a run ---- */

/* Where it stands. */
struct source {
	const char *file;
	size_t run;
};

static void add_setting(char settings[96], const json_t *setting)
{
	const json_t *to = json_object_get(setting, "to");
	const char *name = sgs_field_text(setting, "name");
	size_t used = strlen(settings);
	char one[64];

	if (json_is_string(to))
		snprintf(one, sizeof one, "%.30s=%.30s", name, json_string_value(to));
	else if (json_is_integer(to))
		snprintf(
			one, sizeof one, "%.30s=%lld", name, (long long)json_integer_value(to));
	else
		snprintf(one, sizeof one, "%.30s=%s", name, json_is_true(to) ? "yes" : "no");
	if (!strstr(settings, one)) /* once, not for each device */
		snprintf(settings + used, 96 - used, "%s%s", used ? " " : "", one);
}

static void take_way(const json_t *run, struct sgs_way *way)
{
	const json_t *setting;
	size_t i;

	sgs_copy_utf8(way->engine, sizeof way->engine, sgs_field_text(run, "engine"));
	sgs_copy_utf8(way->pattern, sizeof way->pattern, sgs_field_text(run, "pattern"));
	way->bs_bytes = sgs_field_count(run, "bs_bytes");
	way->queue_depth = (unsigned)sgs_field_count(run, "queue_depth");
	way->threads = (unsigned)sgs_field_count(run, "threads");
	json_array_foreach(json_object_get(run, "settings"), i, setting)
	{
		add_setting(way->settings, setting);
	}
}

bool sgs_same_way(const struct sgs_way *a, const struct sgs_way *b)
{
	return !strcmp(a->engine, b->engine) && !strcmp(a->pattern, b->pattern) &&
	       !strcmp(a->settings, b->settings) && a->bs_bytes == b->bs_bytes &&
	       a->queue_depth == b->queue_depth && a->threads == b->threads;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* False: one of them contradicts itself. */
static bool device_rates(const json_t *devices, double *rates, char *why, size_t cap)
{
	char in_it[200];
	const json_t *device;
	size_t i;

	json_array_foreach(devices, i, device)
	{
		if (sgs_result_rate(device, &rates[i], in_it, sizeof in_it))
			continue;
		snprintf(why, cap, "devices[%zu]: %s", i, in_it);
		return false;
	}
	return true;
}

static double slowest_share(double *rates, size_t n)
{
	qsort(rates, n, sizeof *rates, by_value);
	return n > 1 && rates[n / 2] > 0 ? rates[0] / rates[n / 2] : 1;
}

static double latency_of(const json_t *total, const char *key)
{
	uint64_t ns = sgs_field_count(json_object_get(total, "latency_ns"), key);

	return ns ? (double)ns : -1;
}

static int refuse_run(const struct source *from, const char *why, struct sgs_error *err)
{
	char text[320];

	snprintf(text, sizeof text, "runs[%zu] contradicts itself: %s", from->run, why);
	return sgs_result_file_refuse(from->file, &wish, text, err);
}

static int take_figures(const struct source *from, const json_t *run, struct sgs_point *point,
	struct sgs_error *err)
{
	const json_t *total = json_object_get(run, "total"),
		     *devices = json_object_get(run, "devices");
	size_t n = json_array_size(devices);
	double *rates = calloc(n + 1, sizeof *rates);
	char why[240];
	bool agrees;

	if (!rates)
		return no_memory(err);
	agrees = sgs_result_rate(total, &point->rate, why, sizeof why) &&
		 device_rates(devices, rates, why, sizeof why);
	point->slowest = slowest_share(rates, n);
	free(rates);
	point->cpu = sgs_result_cpu(total);
	point->latency_mean = latency_of(total, "mean");
	point->latency_p99_9 = latency_of(total, "p99_9");
	return agrees ? 0 : refuse_run(from, why, err);
}

static void take_ceiling(
	struct sgs_measured *host, const json_t *run, const struct sgs_point *point)
{
	unsigned at = 0;

	if (point->controllers != 1)
		return;
	while (!point->on[at])
		at++;
	host->has_topology |=
		sgs_links_take_ceiling(&host->controllers[at], json_object_get(run, "ceiling"));
}

static bool is_warm(const json_t *run)
{
	const json_t *cache = sgs_field_at(run, "total", "cache");

	return sgs_field_is_text(cache, "verdict", "warm") ||
	       sgs_field_is_text(cache, "verdict", "mixed");
}

/* A run has its own times in nanoseconds: what is the same in all is the same run. */
static bool is_known(const struct sgs_measured *host, const struct sgs_point *new)
{
	for (size_t i = 0; i < host->n; i++) {
		const struct sgs_point *p = &host->points[i];

		if (p->file != new->file && p->rate == new->rate &&
			p->offset_percent ==
				new->offset_percent &&sgs_result_same(p->run, new->run))
			return true;
	}
	return false;
}

/* Whether it says nothing of what the drives can do. */
static bool is_left_out(struct sgs_measured *host, const json_t *run)
{
	if (is_warm(run))
		host->warm++;
	else if (json_object_get(run, "playback"))
		host->paced++;
	else
		return false;
	return true;
}

static int keep_point(
	struct sgs_measured *host, const struct sgs_point *point, struct sgs_error *err)
{
	struct sgs_point *grown;

	take_ceiling(host, point->run, point);
	grown = reallocarray(host->points, host->n + 1, sizeof *grown);
	if (!grown)
		return no_memory(err);
	host->points = grown;
	grown[host->n++] = *point;
	return 0;
}

static int add_point(struct sgs_measured *host, const json_t *run, int offset_percent,
	const struct source *from, struct sgs_error *err)
{
	struct sgs_point point = {
		.offset_percent = offset_percent, .run = run, .file = host->files
	};
	int status;

	if (is_left_out(host, run))
		return 0;
	take_way(run, &point.way);
	status = take_figures(from, run, &point, err);
	if (!status)
		status = place_devices(
			host, json_object_get(run, "devices"), &point, from->file, err);
	if (status)
		return status;
	if (!point.devices || point.rate <= 0 || !point.way.engine[0]) {
		host->empty++;
		return 0;
	}
	if (is_known(host, &point)) {
		host->same_runs++;
		return 0;
	}
	return keep_point(host, &point, err);
}

/* ---- a file ---- */

static int add_cells(
	struct sgs_measured *host, const json_t *root, const char *file, struct sgs_error *err)
{
	const json_t *cell;
	int status = 0;
	size_t i;

	json_array_foreach(sgs_field_at(root, "sweep", "cells"), i, cell)
	{
		const json_t *run = sgs_result_cell_run(root, cell);
		const json_t *offset = json_object_get(cell, "offset_percent");
		struct source from = { file, sgs_field_count(cell, "run") };

		if (!run)
			host->failed++;
		else if (!status)
			status = add_point(host, run,
				json_is_integer(offset) ? (int)json_integer_value(offset)
							: SGS_NO_OFFSET,
				&from, err);
	}
	return status;
}

/* A run of read has the status of the whole result. */
static bool is_good(const json_t *root, const json_t *run)
{
	const json_t *of = json_object_get(run, "status") ? run : root;

	return sgs_field_is_text(of, "status", "ok");
}

static int add_runs(
	struct sgs_measured *host, const json_t *root, const char *file, struct sgs_error *err)
{
	const json_t *run;
	int status = 0;
	size_t i;

	json_array_foreach(json_object_get(root, "runs"), i, run)
	{
		if (json_is_true(json_object_get(run, "warmup")))
			continue;
		if (!is_good(root, run))
			host->failed++;
		else if (!status)
			status = add_point(
				host, run, SGS_NO_OFFSET, &(struct source){ file, i }, err);
	}
	return status;
}

static int add_topology(
	struct sgs_measured *host, const json_t *root, const char *file, struct sgs_error *err)
{
	const json_t *device;
	size_t i;

	json_array_foreach(json_object_get(root, "devices"), i, device)
	{
		const json_t *topology = json_object_get(device, "topology");
		int at = topology ? controller_of(host, json_object_get(device, "controller"))
				  : 0;

		if (at < 0)
			return too_many(file, err);
		if (!topology)
			continue;
		sgs_links_take(&host->controllers[at], topology);
		host->has_topology = true;
	}
	return 0;
}

static int add_result(
	struct sgs_measured *host, const json_t *root, const char *file, struct sgs_error *err)
{
	if (sgs_field_is_text(root, "command", "list"))
		return add_topology(host, root, file, err);
	if (json_object_get(root, "sweep"))
		return add_cells(host, root, file, err);
	return add_runs(host, root, file, err);
}

static bool measures(const json_t *root)
{
	static const char *const commands[] = { "read", "compare", "sweep", "tune", "list" };

	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (sgs_field_is_text(root, "command", commands[i]))
			return true;
	return false;
}

static int refuse_command(const char *file, const json_t *root, struct sgs_error *err)
{
	char why[80], command[24];

	sgs_copy_utf8(command, sizeof command, sgs_field_text(root, "command"));
	snprintf(why, sizeof why, "it is of sgstream %s, which measures no rate",
		*command ? command : "(no command)");
	return sgs_result_file_refuse(file, &wish, why, err);
}

static bool was_given(const struct sgs_measurements *all, const json_t *root)
{
	const json_t *file;
	size_t i;

	json_array_foreach(all->files, i, file)
	{
		if (sgs_result_same(file, root))
			return true;
	}
	return false;
}

static int add_file(struct sgs_measurements *all, const json_t *root, const char *file,
	struct sgs_error *err)
{
	struct sgs_measured *host;
	int status;

	if (!measures(root))
		return refuse_command(file, root, err);
	host = host_of(all, json_object_get(root, "host"));
	if (!host)
		return no_memory(err);
	if (was_given(all, root)) {
		host->same_files++;
		return 0;
	}
	status = add_result(host, root, file, err);
	host->files++;
	host->one_file = file;
	return status;
}

int sgs_measurements_add(struct sgs_measurements *all, const char *file, struct sgs_error *err)
{
	json_t *root;
	int status = sgs_result_file_load(file, &wish, &root, err);

	if (status)
		return status;
	if (!all->files)
		all->files = json_array();
	status = add_file(all, root, file, err);
	if (json_array_append_new(all->files, root) && !status) /* points refer to it */
		status = no_memory(err);
	return status;
}

void sgs_measurements_free(struct sgs_measurements *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->hosts[i].points);
	free(all->hosts);
	json_decref(all->files);
	memset(all, 0, sizeof *all);
}
