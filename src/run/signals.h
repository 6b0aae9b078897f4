/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INT, TERM, HUP and USR1 for a program around sgs_run(). One thread waits for them; every
 * other thread has them blocked, so that no signal ever interrupts a command in flight (sg
 * would let it run on as an orphan, or issue it twice).
 */
#ifndef SGS_RUN_SIGNALS_H
#define SGS_RUN_SIGNALS_H

#include <stdbool.h>

/* Call first, in the main thread. A signal that was ignored when the program started stays so.
 * Before sgs_signals_running(), the first INT, TERM or HUP calls abandon in the waiting thread,
 * which shall report and not return; afterwards it calls sgs_stop(). A second one, unless it
 * comes within 0.3 s, leaves at once with 128 + signal. Returns 0 or -errno. */
int sgs_signals_start(void (*abandon)(int signum));

/* From here on a signal stops the run, whose own report follows. */
void sgs_signals_running(void);

/* The main thread reports now: a first signal no longer changes anything. */
void sgs_signals_reporting(void);

#endif
