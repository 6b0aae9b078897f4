/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgstream doctor
 */
#ifndef SGS_REPORT_DOCTOR_H
#define SGS_REPORT_DOCTOR_H

#include "doctor/doctor.h"
#include "report/report.h"

/* Groups by host and device, the worst first; what is ok only with verbose. What stands word by
 * word under several devices is printed once. The last line says what to do first. */
void sgs_report_doctor_text(FILE *out, const struct sgs_doctor *doctor,
	const struct sgs_findings *findings, int verbose);

int sgs_report_doctor_json(FILE *out, const struct sgs_call *call,
	const struct sgs_findings *findings, const struct sgs_result *messages);

#endif
