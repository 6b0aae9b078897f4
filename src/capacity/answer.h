/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much hardware a load needs: the fewest hosts within the limits, on them the fewest
 * controllers, behind these the fewest drives, all spread evenly.
 */
#ifndef SGS_CAPACITY_ANSWER_H
#define SGS_CAPACITY_ANSWER_H

#include "capacity/model.h"

enum { SGS_PLAN_MOST_HOSTS = 10000 };

/* The load: a rate, or streams. Of each stream a frame is due at a time, and in the worst case
 * all streams ask at once: then what they ask for has to arrive until the deadline, and the
 * last command may be one of the slow ones. */
struct sgs_load {
	double target;	    /* bytes per second; 0: streams */
	unsigned streams;   /* that are never split over hosts */
	double stream_rate; /* bytes per second of each */
	double frame_bytes; /* 0: no deadline */
	double deadline_ns; /* 0: the time between two frames */
	double headroom;    /* share of everything that is to stay free, 0 to below 1 */
};

/* Of a host; 0 is none. */
struct sgs_limits_per_host {
	unsigned drives, controllers, cores, hosts; /* the last is of hosts in all */
};

enum sgs_binding {
	SGS_BINDS_NOTHING,
	SGS_BINDS_DRIVES,
	SGS_BINDS_CONTROLLERS,
	SGS_BINDS_CORES
};

struct sgs_span {
	double median, low, high; /* NaN: no interval */
};

struct sgs_answer {
	double load;	/* bytes per second that are asked for */
	double need;	/* with the headroom, of all hosts */
	double tail_ns; /* of a command, taken off the deadline; 0: none */
	struct sgs_span drives, controllers, hosts, cores;   /* in all; cores NaN: unknown */
	unsigned host_drives, host_controllers, unit_drives; /* of a host, of a unit */
	double host_need, host_cores;
	double cores_limit; /* of a host, infinite: none */
	double serves[4];   /* by binding: what a host could at most for its sake */
	enum sgs_binding binding;
	enum sgs_ceiling_kind ceiling;	 /* of the controllers */
	double one_more, one_more_share; /* bytes per second of a drive more, by the first */
	unsigned frame_drives; /* that a frame has to lie on to be in time, 0 unknown */
	bool extrapolated;     /* drives of a unit, beyond what was measured */
	struct {
		double drives, hosts, cores, cpu; /* NaN: unknown */
		const char *engine;
	} cached; /* the same load through the page cache */
};

/* 0 or a status: SGS_EXPECTATION when no such hardware could serve it. */
int sgs_answer_make(const struct sgs_model *model, const struct sgs_load *load,
	const struct sgs_limits_per_host *limits, struct sgs_answer *answer,
	struct sgs_error *err);

/* A rate of a unit with its interval. */
struct sgs_span sgs_predict(const struct sgs_model *model, double drives);

const char *sgs_binding_name(enum sgs_binding binding);

#endif
