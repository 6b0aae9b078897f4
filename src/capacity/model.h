/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the drives, controllers and cores of a host can do, from what was measured on it.
 *
 * A unit is what is added as a whole: one controller with its drives, or, where drives of
 *several controllers were only ever read together, those controllers. The rate of a unit with m
 *drives is the curve of the device sweep (stats/scaling.h), with the drives as slow as their
 *slowest zone, and never above the lowest of its ceilings:
 *
 *	plateau	the rate at which the sweep went flat
 *	link	the narrowest link of the controller, by list --topology or --controller-ceiling
 *	slots	can_queue commands in flight: so many drives as can have what each needs
 *	peak	where coherency makes one more drive a loss
 *
 * A host with k units gives k times that, less what the units were seen to cost one another
 *(the same law over k), and no more than its cores can carry at the CPU time that a GiB costs.
 */
#ifndef SGS_CAPACITY_MODEL_H
#define SGS_CAPACITY_MODEL_H

#include "capacity/measured.h"
#include "stats/scaling.h"
#include "stats/stats.h"

/* Left-out points that miss by more make the curve a guess. */
#define SGS_MISS_TOLERATED 0.10

/* A share of the range of drives that was measured; beyond it is extrapolation. */
#define SGS_RANGE_TRUSTED 2.0

struct sgs_model_wish {
	const char *engine; /* NULL: the one with the best curve */
	uint64_t bs_bytes;  /* 0: any */
	unsigned queue_depth;
	double controller_ceiling; /* bytes per second, 0: as measured */
};

enum sgs_ceiling_kind {
	SGS_CEILING_NONE,
	SGS_CEILING_PLATEAU,
	SGS_CEILING_LINK,
	SGS_CEILING_SLOTS,
	SGS_CEILING_PEAK,
	SGS_CEILING_GIVEN,
	SGS_CEILINGS,
};

/* What an engine costs, over the runs that read the same amount per command. */
struct sgs_cost {
	char engine[16];
	struct sgs_estimate cpu; /* seconds per GiB; n is 0 when unknown */
	double ratio;		 /* its rate to that of the engine planned with; NaN unknown */
};

enum { SGS_COSTS = 16 };

struct sgs_model {
	const struct sgs_measured *host;
	struct sgs_way way;
	struct sgs_scaling drives;     /* rate of a unit by its drives */
	unsigned unit;		       /* controllers in it */
	double ceilings[SGS_CEILINGS]; /* of a unit; infinite where there is none */
	unsigned can_queue;	       /* commands that a unit takes, 0 unknown */
	double needed_depth;	       /* in flight for a drive to give its rate */
	char link_name[128];
	double zone;	  /* rate of the slowest zone by that of the place measured */
	int zone_percent; /* where it is; SGS_NO_OFFSET: no profile */
	struct sgs_scaling together; /* units by their number, in rates of one */
	bool has_together;
	struct sgs_cost costs[SGS_COSTS]; /* the first is of the engine planned with */
	size_t n_costs;
	double latency_mean, latency_p99_9; /* ns, of the run with the most drives
					     * up to the knee; -1 unknown */
	double slowest;			    /* share of the median drive */
};

/* Fits it, for sgs_model_free(). 0 or a status: what is missing is named with the command that
 * measures it. */
int sgs_model_make(const struct sgs_measured *host, const struct sgs_model_wish *wish,
	struct sgs_model *model, struct sgs_error *err);

void sgs_model_free(struct sgs_model *model);

/* Whether it is one of those that the curve was fitted to. */
bool sgs_model_has_point(const struct sgs_model *model, const struct sgs_point *point);

/* Of a unit with so many drives, by a curve of model->drives or one of its replicas. */
double sgs_model_rate(
	const struct sgs_model *model, const struct sgs_curve *curve, double drives);

/* The lowest ceiling of a unit, and which it is. */
double sgs_model_ceiling(const struct sgs_model *model, const struct sgs_curve *curve,
	enum sgs_ceiling_kind *kind);

/* The same for a reader: infinite, and none, where slots are the lowest and were far from full.
 * What so many drives would give nobody has seen. */
double sgs_model_seen_ceiling(const struct sgs_model *model, const struct sgs_curve *curve,
	enum sgs_ceiling_kind *kind);

/* Drives of a unit beyond which one more brings less than half of what the first did. */
double sgs_model_knee(const struct sgs_model *model, const struct sgs_curve *curve);

/* The same for a reader: infinite, where it would be of slots that were far from full. */
double sgs_model_seen_knee(const struct sgs_model *model, const struct sgs_curve *curve);

/* How many times the rate of one so many units give. */
double sgs_model_units(const struct sgs_model *model, double units);

/* "plateau", ... */
const char *sgs_ceiling_name(enum sgs_ceiling_kind kind);

const struct sgs_cost *sgs_model_cost(const struct sgs_model *model, const char *engine);

#endif
