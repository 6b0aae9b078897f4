/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What result files say of a host: its controllers, and a point for each run that ended well.
 */
#ifndef SGS_CAPACITY_MEASURED_H
#define SGS_CAPACITY_MEASURED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <sgstream/error.h>

enum {
	SGS_CONTROLLERS = 64, /* of a host */
	SGS_NO_OFFSET = -1,
};

struct sgs_measured_controller {
	char name[64];	     /* "0000:3b:00.0 host 2"; empty when the results do not say */
	unsigned can_queue;  /* commands at a time, 0 unknown */
	double link;	     /* bytes per second that its narrowest link carries, 0 unknown */
	char link_name[128]; /* which one that is */
	char ports[512];     /* SAS ports that lead to expanders, each with a space behind it */
	double port_rate;    /* of them together */
	bool direct;	     /* there are drives behind no such port */
};

/* How it was read: only runs with the same way are points of one curve. */
struct sgs_way {
	char engine[16];
	char pattern[16];
	char settings[96]; /* made for the run: "read_ahead_kib=1024" */
	uint64_t bs_bytes;
	unsigned queue_depth, threads; /* of each device */
};

struct sgs_point {
	struct sgs_way way;
	unsigned devices, controllers;
	unsigned short on[SGS_CONTROLLERS]; /* devices on each controller */
	double rate;			    /* bytes per second of all devices */
	double cpu;			    /* seconds per GiB, -1 unknown */
	double latency_mean, latency_p99_9; /* ns, -1 unknown */
	double slowest;			    /* device's share of the median device */
	int offset_percent;		    /* SGS_NO_OFFSET but in a profile by position */
	const json_t *run;		    /* it is of */
	unsigned file;			    /* by number */
};

struct sgs_measured {
	char name[65], kernel[65];
	unsigned cpus; /* 0 unknown */
	struct sgs_measured_controller controllers[SGS_CONTROLLERS];
	unsigned n_controllers;
	struct sgs_point *points;
	size_t n;
	unsigned files;	      /* that are of it */
	const char *one_file; /* of them */
	unsigned failed;      /* runs that did not end well */
	unsigned warm;	      /* runs that found data in memory */
	unsigned paced;	      /* runs that were held to a rate */
	unsigned empty;	      /* runs that read nothing, or of no device */
	unsigned same_files;  /* that were given before */
	unsigned same_runs;   /* that are in another file, too, as when a sweep was resumed */
	bool has_topology;
};

struct sgs_measurements {
	struct sgs_measured *hosts;
	size_t n;
	json_t *files; /* all that was read */
};

/* Adds what is in one file, and was in none before it; its name has to stay. 0 or a status. */
int sgs_measurements_add(struct sgs_measurements *all, const char *file, struct sgs_error *err);

/* The lower of its links and of its ports together; infinite when it is not known. */
double sgs_controller_link(const struct sgs_measured_controller *controller);

void sgs_measurements_free(struct sgs_measurements *all);

bool sgs_same_way(const struct sgs_way *a, const struct sgs_way *b);

#endif
