/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a request of a device may be, in bytes: what its queue makes, and
 * what its servers accept.
 */
#ifndef BOOT_DEVICE_LIMIT_H
#define BOOT_DEVICE_LIMIT_H

#include "port/port.h"

/* The longest request that the kernel makes now; 0: not known. */
uint32_t device_limit(int index);

/*
 * For a new device: lets the kernel make no request longer than max, which is
 * what the server accepts, and notes max in /run.  Fails if the kernel cannot
 * keep requests that short.
 */
int device_limit_set(int index, uint32_t max, struct nbd_diag *d);

/* ---- files.c ---- */

/* Notes what the first server accepts. */
void device_limit_first(int index, uint32_t max);
/* Notes what another one accepts, if that is less. */
void device_limit_note(int index, uint32_t max);
/* The least that was noted; 0: nothing was. */
uint64_t device_limit_noted(int index);

#endif
