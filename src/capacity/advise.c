/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "capacity/capacity.h"

#define EVEN	0.9 /* of the median drive, for drives to be alike */
#define PERCENT 100

enum { ROOM = 160 };

/* How the runs of the plan were read, as options. */
static const char *way_options(const struct sgs_model *m, char buf[ROOM], const char *engines)
{
	snprintf(buf, ROOM, "--engines %s --bs %llu --qd %u", engines,
		(unsigned long long)m->way.bs_bytes, m->way.queue_depth);
	return buf;
}

static void advise_curve(const struct sgs_capacity *plan, struct sgs_result *result)
{
	const struct sgs_scaling *s = &plan->model.drives;
	char way[ROOM];

	way_options(&plan->model, way, plan->model.way.engine);
	if (isnan(s->missed))
		sgs_result_message(result, SGS_WARNING, plan->label, "few_points",
			"two numbers of devices draw any law: nothing checks this one; measure "
			"more with sgstream sweep %s --devices 1,2,3,4 --json=FILE DEVICE...",
			way);
	else if (s->missed > SGS_MISS_TOLERATED)
		sgs_result_message(result, SGS_WARNING, plan->label, "law_misses",
			"a point that is left out of the fit is missed by %.3g %%: the devices "
			"do "
			"not follow the law, and what is planned from it is a guess; measure "
			"longer, or more numbers of devices",
			PERCENT * s->missed);
	if (!s->replicas)
		sgs_result_message(result, SGS_WARNING, plan->label, "no_interval",
			"%zu points leave nothing to tell the spread from, so there are no "
			"intervals; give a second sweep of the same devices, too",
			s->points);
}

static void advise_range(const struct sgs_capacity *plan, struct sgs_result *result)
{
	const struct sgs_model *m = &plan->model;
	unsigned units = (plan->answer.host_controllers + m->unit - 1) / m->unit;
	unsigned measured = m->has_together ? (unsigned)m->together.most : 1;
	char way[ROOM];

	if (!plan->answered)
		return;
	way_options(m, way, m->way.engine);
	if (plan->answer.extrapolated)
		sgs_result_message(result, SGS_WARNING, plan->label, "extrapolated",
			"%u drives behind a controller are more than twice the %g that were "
			"measured: beyond that the law is a guess; measure with sgstream sweep "
			"%s "
			"--devices 1..%u --json=FILE DEVICE...",
			plan->answer.unit_drives, m->drives.most, way,
			(plan->answer.unit_drives + 1) / 2);
	if (units > SGS_RANGE_TRUSTED * measured || (units > 1 && !m->has_together))
		sgs_result_message(result, SGS_WARNING, plan->label, "controllers_unmeasured",
			"%u controllers to a host are taken to give %s, and %u %s measured at "
			"a "
			"time; measure with sgstream sweep %s --devices ... --json=FILE on the "
			"drives of several",
			plan->answer.host_controllers,
			m->has_together ? "what the law has for them"
					: "so many times the rate of one",
			measured * m->unit, measured * m->unit == 1 ? "was" : "were", way);
}

static void advise_drives(const struct sgs_capacity *plan, struct sgs_result *result)
{
	const struct sgs_model *m = &plan->model;

	if (m->slowest < EVEN)
		sgs_result_message(result, SGS_WARNING, plan->label, "uneven_drives",
			"the drives are not alike: the slowest gave %.3g %% of the rate of the "
			"median one beside it, and the plan is for drives like all of them "
			"together; sgstream list --topology and doctor look for the reason",
			PERCENT * m->slowest);
	if (m->zone_percent == SGS_NO_OFFSET)
		sgs_result_message(result, SGS_INFO, plan->label, "no_zones",
			"drives are taken to be as fast everywhere as where they were read, "
			"and "
			"disks are slower at their end; sgstream sweep --offsets "
			"0%%,10%%..100%% "
			"--json=FILE DEVICE measures that");
}

static void advise_controller(const struct sgs_capacity *plan, struct sgs_result *result)
{
	const struct sgs_model *m = &plan->model;

	if (!m->host->has_topology && isinf(m->ceilings[SGS_CEILING_GIVEN]))
		sgs_result_message(result, SGS_INFO, plan->label, "no_links",
			"what the links of the controller carry is not in the results; give "
			"the "
			"file of sgstream list --topology --json=FILE, too, or "
			"--controller-ceiling");
}

static void advise_cost(const struct sgs_capacity *plan, struct sgs_result *result)
{
	const struct sgs_model *m = &plan->model;
	const struct sgs_cost *cached = sgs_model_cost(m, "buffered");
	char way[ROOM], both[40];

	snprintf(both, sizeof both, "%s,buffered", m->way.engine);
	if (!m->costs[0].cpu.n)
		sgs_result_message(result, SGS_WARNING, plan->label, "no_cpu",
			"the runs with %s were too short to tell their CPU time, so cores are "
			"not "
			"planned; measure for longer, with --loop --runtime 10s",
			m->way.engine);
	if ((!cached || !cached->cpu.n) && strcmp(m->way.engine, "buffered") != 0)
		sgs_result_message(result, SGS_INFO, plan->label, "no_page_cache",
			"what the load would cost through the page cache is not in the "
			"results; "
			"sgstream compare %s --json=FILE DEVICE measures it",
			way_options(m, way, both));
}

static void left_out(const struct sgs_capacity *plan, struct sgs_result *result, unsigned runs,
	const char *code, const char *why)
{
	if (runs)
		sgs_result_message(result, SGS_WARNING, plan->label, code,
			"%u run%s left out: %s", runs, runs == 1 ? " is" : "s are", why);
}

static void advise_same(const struct sgs_capacity *plan, struct sgs_result *result)
{
	unsigned files = plan->model.host->same_files, runs = plan->model.host->same_runs;

	if (files)
		sgs_result_message(result, SGS_INFO, plan->label, "same_result",
			"%u result%s given again, and counted once", files,
			files == 1 ? " is" : "s are");
	if (runs)
		sgs_result_message(result, SGS_INFO, plan->label, "same_runs",
			"%u run%s in several of the results, and counted once", runs,
			runs == 1 ? " is" : "s are");
}

static void advise_runs(const struct sgs_capacity *plan, struct sgs_result *result)
{
	const struct sgs_measured *host = plan->model.host;

	left_out(plan, result, host->failed, "runs_failed", "no good end");
	left_out(plan, result, host->warm, "runs_warm",
		"data that was in memory, which is no rate of a drive; measure with "
		"--drop-caches");
	left_out(plan, result, host->paced, "runs_paced",
		"held to a rate, so what the drives can do is not in them");
	left_out(plan, result, host->empty, "runs_empty", "not a byte of a device");
}

void sgs_capacity_advise(const struct sgs_capacity *plan, struct sgs_result *result)
{
	advise_curve(plan, result);
	advise_range(plan, result);
	advise_drives(plan, result);
	advise_controller(plan, result);
	advise_cost(plan, result);
	advise_runs(plan, result);
	advise_same(plan, result);
}
