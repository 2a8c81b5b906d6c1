/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is this export still the disk that the device was made from?  If a server
 * comes back with another image of equal size, the system that runs from it
 * would crash.
 *
 * Read-only exports are compared by samples of their blocks.  Writable ones are
 * compared by data that does not change while they are in use: the UUIDs of the
 * partition table and of the file system.
 */
#ifndef BOOT_DEVICE_IDENTITY_H
#define BOOT_DEVICE_IDENTITY_H

#include "boot/device/reader.h"

/* Whether this build reads identities.  If not, no export has one. */
#ifdef CONFIG_BOOT_IDENTITY
#define DEVICE_IDENTITY true
#else
#define DEVICE_IDENTITY false
#endif

/* Bytes for the text of an identity, with its NUL. */
#define DEVICE_IDENTITY_TEXT 24

/*
 * Reads the identity of the export into text.  It is "" if the export has none:
 * it is writable and has no UUID, or the server fails to read it.  conn must be
 * ready and never read from; it can be handed over afterwards.  Returns 0, or
 * an error of the connection with the reason in d.
 */
int device_identity_take(struct device_reader *r, struct conn *conn,
			 bool writable, char text[DEVICE_IDENTITY_TEXT],
			 struct nbd_diag *d);

/*
 * Compares the export with the identity `want`.  Returns 0, NBD_E_MISMATCH if
 * it is another disk, NBD_E_PARAM if want is not an identity, or an error of
 * the connection.
 */
int device_identity_check(struct device_reader *r, struct conn *conn,
			  const char *want, struct nbd_diag *d);

#endif
