/* SPDX-License-Identifier: BSD-2-Clause */
/* Loop devices: files as disks (loop(4)). */
#ifndef PORT_LINUX_LOOP_H
#define PORT_LINUX_LOOP_H

#include "port/port.h"

/* Room for "loop1048575". */
#define LOOP_NAME 16

/* Loads the driver, which loop_attach() does as well, at a time that suits. */
void loop_load(void);

/*
 * Puts a free loop device in front of the file, with the flags LO_FLAGS_* of
 * linux/loop.h and sectors of so many bytes (0: 512), and sets disk to its name
 * ("loop0").  Returns the open device, which the caller closes: with
 * LO_FLAGS_AUTOCLEAR not before it is mounted.  Or NBD_E_KERNEL, which d
 * explains, and disk is "".
 */
int loop_attach(const char *file, uint32_t flags, uint32_t sector,
		char disk[LOOP_NAME], struct nbd_diag *d);

#endif
