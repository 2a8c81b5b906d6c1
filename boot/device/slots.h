/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver replaces connections, but never adds one.  A device that may need
 * more connections later is therefore made with dead ones: spare slots.
 */
#ifndef BOOT_DEVICE_SLOTS_H
#define BOOT_DEVICE_SLOTS_H

#include "boot/device/backend.h"

/*
 * The number of slots for a device: b->slots, by default b->connections, which
 * is also the minimum; at most CONFIG_PORT_MAX_CONNECTIONS; 1 if the server
 * allows only one connection.  A spare slot costs a few error lines in the
 * kernel's log, and its requests all go to the first live connection.
 */
unsigned device_slots_choose(const struct backend *b,
			     const struct nbd_export *e);

/*
 * Fills fds[n] to fds[slots - 1] with dead sockets, which the driver notices at
 * once.  Returns the number of sockets in fds[]: less than slots if the process
 * cannot open more.
 */
unsigned device_slots_fill(int fds[], unsigned n, unsigned slots);

/*
 * Marks sockets as those of a new nbdN, so that device_count() finds them, and
 * deletes what device_want() stored for an older nbdN.
 */
void device_slots_tag(const int fds[], unsigned n, int index);

#endif
