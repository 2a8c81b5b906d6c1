/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The settings of a device's queue: /sys/block/nbdN/queue.  The kernel resets
 * some of them when a device is connected.  Names with "tcp_" are the largest
 * buffer of a connection in bytes, for all connections of the machine.
 */
#ifndef BOOT_DEVICE_TUNE_H
#define BOOT_DEVICE_TUNE_H

#include "port/port.h"

/* The names of the settings, NULL at the end. */
extern const char *const device_tunables[];

/* The value of a setting, without its newline; "" if the kernel lacks it. */
void device_tuned(int index, const char *name, char *value, size_t cap);

#ifdef CONFIG_BOOT_TUNE
/*
 * Sets one or more settings, such as "read_ahead_kb=1024,scheduler=none".  Ends
 * at the first that fails: NBD_E_USAGE for a word that is not NAME=VALUE with a
 * known name, and for a max_sectors_kb that is more than a server of the device
 * accepts; others as file_error(), with the word in d.
 *
 * Index -1 sets only those of TCP, before the device is connected: a connection
 * agrees on the scale of its window when it begins.
 */
int device_tune(int index, const char *words, struct nbd_diag *d);
#else
static inline int device_tune(int index, const char *words, struct nbd_diag *d)
{
	(void)index, (void)words, (void)d;
	return 0;
}
#endif

#endif
