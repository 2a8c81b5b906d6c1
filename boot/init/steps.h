/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a boot: a table (init.c) and what each one does (steps.c). */
#ifndef BOOT_INIT_STEPS_H
#define BOOT_INIT_STEPS_H

#include "boot/common/cmdline.h"
#include "boot/common/root.h"
#include "boot/init/onfail.h"
#include "boot/init/overlay.h"
#include "boot/init/part.h"
#include "boot/init/spawn.h"
#include "boot/net/net.h"
#include "port/linux/process.h"

/* ms: reading the device, mounting it (a journal may be replayed), undoing. */
#define STEP_READ_MS  60000
#define STEP_MOUNT_MS 300000
#define STEP_UNDO_MS  10000

/* What a boot knows so far. */
struct boot {
	int index;	     /* N of nbdN, < 0: not connected */
	char dev[PART_PATH]; /* "/dev/nbd0p2" */
	/* what a child changes from here on is lost */
	struct cmdline cmd;
	struct root_spec spec; /* the root of the command line */
	struct root_spec root; /* and of DHCP: once it is connected */
	struct net net;
	struct overlay overlay;
	char **argv; /* from the kernel: what it would hand to init */
	struct recovery recovery;
	struct onfail onfail;
	pid_t hotplug, preload; /* children; 0: none */
	/* they stay: for the root, the overlay's export and the lease */
	struct spawned watch, watch_upper, renew;
	uint64_t switched; /* nbd_now_ms() when the switch began */
};

struct step {
	const char *name;
	/* data is the struct boot */
	process_work *run, *undo;
	const char *hint; /* when it fails; NULL: the error's own */
	/*
	 * ms for a child that runs it or undoes it, as both may block for as
	 * long as the server is away.  0: process 1 does, and never blocks.
	 */
	unsigned run_ms, undo_ms;
	bool once; /* a failed boot begins again behind these */
};

extern const struct step init_steps[];
extern const size_t init_n_steps;

#endif
