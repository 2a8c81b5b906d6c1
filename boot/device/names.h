/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of a device in /dev/disk/by-id, behind "nbd-". */
#ifndef BOOT_DEVICE_NAMES_H
#define BOOT_DEVICE_NAMES_H

#include "core/nbd_uri.h"

/* Bytes, with a NUL: what a file name has room for, with "nbd-" and "-part128" */
#define DEVICE_NAME_BUF 244

/*
 * Writes HOST:PORT_EXPORT, or unix:SOCKET_EXPORT, which no other server or
 * export has; with `brief` HOST_EXPORT, for the default port alone.  As udev
 * does it, letters, digits, "#+-.:=@" and UTF-8 stay, and other bytes become
 * \xNN.  The first "_" ends the server.  Returns 0; NBD_E_NO_MEMORY: it is too
 * long for a file; NBD_E_NOT_FOUND: it has no brief name.
 */
int device_name(char name[DEVICE_NAME_BUF], const struct nbd_uri *u,
		bool brief);

#endif
