/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver replaces connections, but never adds one: a device that is to
 * have more of them one day is made with dead ones.
 */
#ifndef BOOT_DEVICE_SLOTS_H
#define BOOT_DEVICE_SLOTS_H

#include "boot/device/backend.h"

/*
 * How many slots a device gets: b->slots if given, but not less than there are
 * connections, which is the default, nor more than
 * CONFIG_PORT_MAX_CONNECTIONS; 1 if the server allows one connection only.  A
 * spare one costs a few error lines in the kernel's log, and its requests all
 * go to the first connection that lives.
 */
unsigned device_slots_choose(const struct backend *b,
			     const struct nbd_export *e);

/*
 * Sets fds[n] to fds[slots - 1] to sockets that are dead: the driver sees so
 * at once.  Returns how many there are now, less where there are no more.
 */
unsigned device_slots_fill(int fds[], unsigned n, unsigned slots);

/*
 * Marks sockets as those of a new nbdN, for whoever counts them later, and
 * forgets what was wanted of an older one.
 */
void device_slots_tag(const int fds[], unsigned n, int index);

#endif
