/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A knob is one setting of the host in one file of sysfs: read, set, put back. Programs that
 * turn the same knob know of each other by a lock (flock(2)) on that file:
 *
 *   exclusive   somebody is turning it right now
 *   shared      it has been turned for a run that goes on, and will be put back after it
 */
#ifndef SGS_DEVICE_KNOB_H
#define SGS_DEVICE_KNOB_H

#include <limits.h>
#include <stddef.h>

#include <sgstream/device.h>
#include <sgstream/error.h>
#include <sgstream/result.h>

enum { SGS_KNOB_ROOM = 32, SGS_KNOB_COMPANIONS = 24 };

/* What the kernel sets anew when a scheduler is changed: it must be put back with it. */
struct sgs_knob_companion {
	char file[48]; /* below queue: "nr_requests", "iosched/fifo_batch" */
	char value[SGS_KNOB_ROOM];
};

struct sgs_knob {
	enum sgs_setting_kind kind;
	char path[PATH_MAX];	  /* for sgs_sysfs functions */
	char shown[160];	  /* for people: "/sys/block/sda/queue/read_ahead_kb" */
	char from[SGS_KNOB_ROOM]; /* before the run, as the kernel shows it */
	char to[SGS_KNOB_ROOM];	  /* wanted */
	int fd;			  /* for the lock, -1 before sgs_knob_hold() */
	struct sgs_knob_companion companions[SGS_KNOB_COMPANIONS];
	size_t n_companions;
};

/* Finds the file, reads from, and checks whether to can be. dev is NULL for the host's own.
 * Returns 0, or a status with err filled: no block node, a value above the limit, an unknown
 * scheduler with those there are. Nothing is changed. */
int sgs_knob_find(enum sgs_setting_kind kind, const struct sgs_device *dev, const char *to,
	struct sgs_knob *knob, struct sgs_error *err);

/* The value now; of a scheduler the active one. 0 or -errno. */
int sgs_knob_value(const struct sgs_knob *knob, char value[SGS_KNOB_ROOM]);

/* Opens it for the lock. 0 or -errno. */
int sgs_knob_hold(struct sgs_knob *knob);

/* Takes the lock in place of the one that is held; never waits. 0 or -EWOULDBLOCK. */
int sgs_knob_lock(const struct sgs_knob *knob, bool exclusive);

void sgs_knob_release(struct sgs_knob *knob);

/* Reads from again, and what will have to be put back with it: before it is set. 0 or -errno.
 */
int sgs_knob_remember(struct sgs_knob *knob);

/* Sets to, and reads into took what the kernel made of it: it rounds read-ahead to whole pages.
 * 0 or -errno. */
int sgs_knob_set(const struct sgs_knob *knob, char took[SGS_KNOB_ROOM]);

/* Fills err with why it could not be set (-errno of sgs_knob_set()) and what to do by hand. */
int sgs_knob_refused(
	const struct sgs_knob *knob, const char *device, int error, struct sgs_error *err);

/* Puts from back and looks whether it holds, but only over what the run has set: took, or
 * anything while took is empty. Returns 0; 1 when somebody else has set it since, and it is
 * left so, in found; or -errno, -EIO when the kernel took it without effect. */
int sgs_knob_put_back(const struct sgs_knob *knob, const char *took, char found[SGS_KNOB_ROOM]);

/* "1024 KiB", "none", "1": a value as people read it. Returns buf. */
char *sgs_knob_show(enum sgs_setting_kind kind, const char *value, char *buf, size_t cap);

/* "--read-ahead" */
const char *sgs_knob_option(enum sgs_setting_kind kind);

#endif
