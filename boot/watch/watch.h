/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to the watcher: the process that revives dead connections.
 *
 *  watch.c  --fork for each device-->  worker.c
 *     |                                   |  harden.c, takeover.c
 *     '--> waits for devices              '--> listens, reconnects
 *                both report that they are ready: ready.c
 */
#ifndef BOOT_WATCH_WATCH_H
#define BOOT_WATCH_WATCH_H

#include "boot/device/device.h"

#include <poll.h>
#include <sys/types.h>

/*
 * Reports a failure of SUBJECT ("nbd0") and returns the exit status for it;
 * d may be NULL.
 */
typedef int watch_report(const char *subject, int err,
			 const struct nbd_diag *d);

/* Devices at once; any others are reported once, and not watched. */
#define WATCH_MAX 250

/*
 * The process that starts the watchers.  The caller zeroes it and sets the
 * first two.
 */
struct watch {
	watch_report *failed;
	unsigned outage; /* s until a reboot, 0: never; see below */
	/* private */
	struct watch_child {
		pid_t pid; /* 0: free, < 0: it has failed */
		int index;
	} children[WATCH_MAX];
	/* Uevents, and the ends of watchers, ours and others'. */
	struct pollfd events[1 + WATCH_MAX];
	unsigned n_events;
	bool again; /* examine the devices once more */
	bool full;  /* reported: no child is free, or could be forked */
	struct nl_sock uevents;
	struct device dev; /* the one that is examined */
};

/*
 * Watches all devices, including those that are connected later.  Returns only
 * if it cannot start: then the result of w->failed.
 */
int watch_all(struct watch *w);

/*
 * Watches these n > 0 devices until the last is disconnected: one in this
 * process, several in a child each.  Returns 0, or the result of w->failed (of
 * several: all their bits).
 */
int watch_devices(struct watch *w, const int index[], unsigned n);

/*
 * Watches nbdN until it is disconnected (0), or returns a negative enum nbd_err
 * if nbdN cannot be watched.  Reports readiness to the process that started
 * this one, as sd_notify(3) does.  With outage (s; 0: never) it reboots the
 * machine, without writing anything, when nothing was answered for that long.
 */
int watch_worker_run(int index, unsigned outage, struct nbd_diag *d);

/*
 * The value of nbdboot.outage= and of watch --outage, "reboot:SECONDS": returns
 * the seconds, or NBD_E_USAGE.
 */
int watch_outage_parse(const char *text, struct nbd_diag *d);

/*
 * Writes drop-ins under /run/systemd/system, so that systemd waits for its own
 * services while the root is away (WatchdogSec=0; TimeoutSec=infinity for those
 * that D-Bus starts), and for dracut's, which unpacks the initramfs at shutdown
 * (TimeoutStopSec=infinity).  One for its soft-reboot takes the program for the
 * shutdown into the next root.  They count from its next start or daemon-reload
 * on.  Returns 0, or an error with the reason in d.
 */
int watch_units(struct nbd_diag *d);

/* In place of the index of a device: the watcher of all of them. */
#define WATCH_ALL (-1)

/*
 * Becomes the watcher of nbdN: asks another watcher to end, which does not
 * change the device, and waits until it has.  Returns the descriptor of a lock,
 * which is held until this process and its children have ended.  NBD_E_IN_USE:
 * the other watcher does not end.  NBD_E_PERM: not root.
 */
int watch_takeover(int index, struct nbd_diag *d);

/*
 * Returns the process that watches nbdN; 0: none.  Not for a device that this
 * process watches itself: it would lose its lock (fcntl_locking(2)).
 */
pid_t watch_takeover_holder(int index);

/*
 * As fork(2), for a child of a watcher, which may hang as long as the device does:
 * it has standard descriptors and these two (-1: none) alone, as another watcher
 * waits until the lock of this one is closed everywhere.
 */
pid_t watch_fork(int a, int b);

/* uevent.c: opens a socket for uevents: 0, or NBD_E_KERNEL. */
int watch_uevent_open(struct nl_sock *s, struct nbd_diag *d);
/*
 * Reads the uevents that have arrived; was one of them about an nbd device?  The
 * others, of n bytes with a NUL at the end, are for `other`, if it is not NULL.
 */
bool watch_uevent_is_nbd(struct nl_sock *s,
			 void (*other)(void *ctx, const char *text, size_t n),
			 void *ctx);

#endif
