/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results built by hand, for tests of reports. sgs_result_free() frees them.
 */
#ifndef FAKE_RESULT_H
#define FAKE_RESULT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

/* Tests of hostile names put anything here. */
static inline void fake_device(struct sgs_device *device, const char *path, size_t number)
{
	snprintf(device->path, sizeof(device->path), "%s", path);
	snprintf(device->sg_path, sizeof(device->sg_path), "/dev/sg%zu", number);
	snprintf(device->block_path, sizeof(device->block_path), "/dev/sd%c",
		(char)('a' + number));
	snprintf(device->hctl, sizeof(device->hctl), "0:0:%zu:0", number);
	device->node = SGS_NODE_SG;
	device->is_scsi = true;
	device->block_bytes = 512;
	device->blocks = 131072;
	device->identity = (struct sgs_identity){
		.valid = true,
		.vendor = "Linux",
		.product = "scsi_debug",
		.revision = "0191",
		.lu_name = "naa.3333333000002710",
	};
	snprintf(
		device->identity.serial, sizeof(device->identity.serial), "%zu", 2000 + number);
	snprintf(device->controller.driver, sizeof(device->controller.driver), "scsi_debug");
}

/* Half of them took 46.1 us at the most, half 1.4 ms. */
static inline void fake_latency(struct sgs_latency *latency, uint64_t count)
{
	*latency = (struct sgs_latency){
		.count = count,
		.min = 40000,
		.mean = 50200,
		.p50 = 46100,
		.p90 = 60000,
		.p99 = 90000,
		.p99_9 = 120000,
		.p99_99 = 1300000,
		.max = 1400000,
		.buckets = 3,
	};
	latency->upper_ns = calloc(3, sizeof(*latency->upper_ns));
	latency->counts = calloc(3, sizeof(*latency->counts));
	memcpy(latency->upper_ns, (const uint64_t[]){ 46100, 90000, 1400000 },
		3 * sizeof(uint64_t));
	latency->counts[0] = count / 2;
	latency->counts[2] = count - count / 2;
}

static inline void fake_figures(struct sgs_figures *figures, uint64_t commands)
{
	*figures = (struct sgs_figures){
		.bytes = commands * 65536,
		.commands = commands,
		.elapsed_ns = 52000000,
		.bytes_per_second = (double)(commands * 65536) / 0.052,
		.iops = (double)commands / 0.052,
		.first_done_ns = 51000001,
		.last_done_ns = 52000000,
		.start_spread_ns = 1000,
		.in_flight_mean = 0.98,
		.in_flight_max = 1,
		.in_flight_reached = 0.98,
		.transfer = { [SGS_MAPPED] = commands },
	};
	fake_latency(&figures->latency, commands);
}

/* n devices /dev/sg0 and so on that each gave commands transfers of 64 KiB through sg-mmap. */
static inline struct sgs_result fake_result(size_t n, uint64_t commands)
{
	struct sgs_result result = { .clock = "tsc" };
	struct sgs_run_result *run = &result.run;
	char path[32];

	snprintf(run->engine, sizeof(run->engine), "sg-mmap");
	run->bs_bytes = 65536;
	run->threads = 1;
	run->queue_depth = 2;
	run->pattern = "seq";
	run->started = true;
	run->cpu = (struct sgs_cpu){ 10000000, 50000000, 0.8125, 52.5 };
	run->n_devices = n;
	run->devices = calloc(n, sizeof(*run->devices));
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/dev/sg%zu", i);
		fake_device(&run->devices[i].device, path, i);
		fake_figures(&run->devices[i].figures, commands);
		run->devices[i].bs_bytes = 65536;
		run->devices[i].goal_bytes = commands * 65536;
		run->devices[i].probe_commands = 1;
	}
	fake_figures(&run->total, n * commands);
	return result;
}

/* The clock ran and the device answered nothing. */
static inline struct sgs_result fake_nothing(void)
{
	struct sgs_result result = fake_result(1, 0);
	struct sgs_figures *both[] = { &result.run.total, &result.run.devices[0].figures };

	for (size_t i = 0; i < 2; i++) {
		free(both[i]->latency.upper_ns);
		free(both[i]->latency.counts);
		memset(both[i], 0, sizeof(**both));
		both[i]->bytes_per_second = NAN;
		both[i]->iops = INFINITY;
	}
	result.run.cpu = (struct sgs_cpu){ .seconds_per_gib = -1, .host_busy_percent = -1 };
	return result;
}

static inline struct sgs_result fake_refusal(int status)
{
	struct sgs_result result = { .exit_status = status };

	sgs_result_message(&result, SGS_ERROR, NULL, "bad_size", "--bs 64B: has a bare B");
	return result;
}

#endif
