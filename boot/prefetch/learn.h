/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that stays until the boot is over: it lists what is read of the
 * root, and then takes apart what the boot alone needed.
 */
#ifndef BOOT_PREFETCH_LEARN_H
#define BOOT_PREFETCH_LEARN_H

#include "boot/prefetch/trace.h"

/* The list of this boot, in /run. */
#define PREFETCH_LEARNT "nbdboot/prefetch"
/* Its presence ends the boot, as far as this process is concerned. */
#define PREFETCH_STOP	"nbdboot/prefetch.stop"
/* KiB of RAM that a fetch has taken. */
#define PREFETCH_RAM	"nbdboot/prefetch.ram"
/* us that a read takes, so that nothing was fetched. */
#define PREFETCH_NEAR	"nbdboot/prefetch.near"
/* Locked (flock(2), shared) as long as there is one who will free the RAM. */
#define PREFETCH_LOCK	"nbdboot/prefetch.lock"

/* 68 KiB: too large for a stack. */
struct prefetch_learn {
	int index;
	/* the mapping, and what it maps; or the device of a root without one */
	char dev[64], below[64];
	bool mapped;
	uint32_t near; /* us that a read takes, if there is no mapping */
	int run;       /* /run: its path is lost later */
	int disk;      /* the mapping */
	int lock;      /* held until this process ends */
	char wbt[16];  /* MAPPER_WBT before a fetch; "": the kernel has none */
	/* sets the image that the open device holds */
	void (*name_image)(char image[64], int disk);
	struct prefetch_trace trace;
	struct prefetch_list list;
};

/*
 * Begins to record the reads of the mapping of nbdN, or of dev ("/dev/nbd0p2"),
 * which is NULL if there is a mapping.  l->name_image is the caller's.  Without
 * tracing, says so and goes on.
 */
int prefetch_learn_begin(struct prefetch_learn *l, int index, const char *dev,
			 struct nbd_diag *d);
/*
 * Reports that it is ready, and then looks at the device: a boot does not wait
 * for the answers.  Waits until the boot is over: nothing was read for 15 s, not
 * by a fetch either (with a trace), or 2 minutes have passed, PREFETCH_STOP is
 * there, or a mirror of the table holds writes after an error.  Then writes the
 * list, and maps the device one to one again, which frees what was fetched, with
 * the MAPPER_WBT that it had; a cache stays in use.  If
 * it is killed, a second process does that (guard.h).  Without a mapping there is
 * nothing to undo.
 */
int prefetch_learn_run(struct prefetch_learn *l, struct nbd_diag *d);

#endif
