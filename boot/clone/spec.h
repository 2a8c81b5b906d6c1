/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the root is to move: DEVICE[,erase][,again][,rate=N]. */
#ifndef BOOT_CLONE_SPEC_H
#define BOOT_CLONE_SPEC_H

#include "port/port.h"

#define CLONE_DEVICE 128

struct clone_spec {
	/* "/dev/vda", "PARTUUID=...", "PARTLABEL=...", "UUID=...", "serial=..." */
	char device[CLONE_DEVICE];
	bool erase;    /* whatever it holds */
	bool again;    /* though it holds a clone */
	unsigned rate; /* MiB/s at most; 0: not given */
};

/* Returns 0, or NBD_E_USAGE with the reason in d. */
int clone_spec_parse(struct clone_spec *s, const char *text,
		     struct nbd_diag *d);

/*
 * Has the device this name when all of it is overwritten?  NBD_E_USAGE: it is
 * that of a file system, and the next boot would not find it.
 */
int clone_spec_stays(const struct clone_spec *s, struct nbd_diag *d);

#endif
