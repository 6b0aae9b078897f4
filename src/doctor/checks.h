/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every check, by the file that has it. A check appends findings, also of level ok, and nothing
 * where there is nothing that it could look at.
 */
#ifndef SGS_DOCTOR_CHECKS_H
#define SGS_DOCTOR_CHECKS_H

#include "doctor/exam.h"

typedef void sgs_check(struct sgs_exam *exam);

/* driver.c: the sg driver */
sgs_check sgs_check_sg_driver, sgs_check_allow_dio;
/* cpu.c: how fast the CPUs run, and how they tell time */
sgs_check sgs_check_cpu_governor, sgs_check_clocksource, sgs_check_virtual_machine;
/* memory.c */
sgs_check sgs_check_huge_pages;
/* cgroup.c: what the control groups above this process take from it */
sgs_check sgs_check_cgroup_cpu, sgs_check_cgroup_memory, sgs_check_cgroup_io;
/* rlimit.c */
sgs_check sgs_check_open_files, sgs_check_locked_memory;
/* access.c: whether the node can be read */
sgs_check sgs_check_access, sgs_check_medium, sgs_check_read_only;
/* state.c: what the SCSI layer says of the unit */
sgs_check sgs_check_device_state, sgs_check_error_counters, sgs_check_device_timeout;
/* held.c: who else has it */
sgs_check sgs_check_held;
/* transfer.c: what one command can have */
sgs_check sgs_check_block_length, sgs_check_max_transfer, sgs_check_segments,
	sgs_check_reserve_segments;
/* queue.c: the block queue and the unit's */
sgs_check sgs_check_queue_depth, sgs_check_read_ahead, sgs_check_scheduler;
/* numa.c: where this process may run, and where the controller is */
sgs_check sgs_check_cpu_affinity, sgs_check_numa;
/* interrupts.c */
sgs_check sgs_check_interrupts;
/* pcie.c */
sgs_check sgs_check_pcie_link;

#endif
