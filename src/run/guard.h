/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that outlives this one and puts the settings of the host back when this one could
 * not: after a crash, SIGKILL, or a second signal. It is started before anything is changed, in
 * a session of its own with all signals blocked, and holds nothing open but the locks of the
 * knobs and one end of a socket; the other end closes when this process dies.
 *
 * The entries are memory that both share. A change goes: armed, made, took noted; a settled
 * entry is nobody's business any more.
 */
#ifndef SGS_RUN_GUARD_H
#define SGS_RUN_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "device/knob.h"

enum { SGS_GUARD_IDLE, SGS_GUARD_ARMED, SGS_GUARD_SETTLED };

struct sgs_guarded {
	struct sgs_knob knob;
	char took[SGS_KNOB_ROOM]; /* empty until the change is made */
	int state;		  /* atomic */
};

struct sgs_guard {
	struct sgs_guarded *entries; /* shared */
	size_t n;
	int fd; /* -1 while it does not run */
	pid_t pid;
};

/* Memory for n entries. 0 or -ENOMEM. */
int sgs_guard_init(struct sgs_guard *guard, size_t n);

/* Starts it, once all knobs are held: it inherits their locks. Returns when it is ready; 0 or
 * -errno. */
int sgs_guard_start(struct sgs_guard *guard);

void sgs_guard_set_state(struct sgs_guarded *entry, int state);
int sgs_guard_state(const struct sgs_guarded *entry);

/* Puts an armed entry back and settles it, unless another program uses the value still.
 * Returns 0 put back; 1 left, because somebody else has set it to found; -EWOULDBLOCK in use;
 * or -errno. */
int sgs_guard_put_back(struct sgs_guarded *entry, char found[SGS_KNOB_ROOM]);

/* Frees everything. The guard ends with it when all is settled; else it stays behind until it
 * could put back what is armed. */
void sgs_guard_end(struct sgs_guard *guard);

#endif
