/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is this export still the disk that the device was made of?  A server that
 * comes back with another image of equal size would crash the system that
 * runs from it.
 *
 * Read-only exports are compared by samples of their blocks.  Those that are
 * written to are compared by what no write changes while they are in use: the
 * UUIDs of the partition table and of the file system.
 */
#ifndef BOOT_DEVICE_IDENTITY_H
#define BOOT_DEVICE_IDENTITY_H

#include "core/nbd_io.h"
#include "port/posix/dial.h"

/* Room for the text of an identity, with its NUL. */
#define DEVICE_IDENTITY_TEXT 24

/*
 * What a connection needs to be read from.  Owned by the caller; it must stay
 * until the connection is closed, as the engine refers to it.
 */
struct device_reader {
	struct nbd_io io;
	unsigned char buf[8192];
};

/*
 * Reads the identity of the export into text, which is "" if it has none: it
 * is written to and has no UUID, or the server cannot read it.  conn is ready,
 * was never read from, and can be handed over afterwards.  0, or an error of
 * the connection with the reason in d.
 */
int device_identity_take(struct device_reader *r, struct conn *conn,
			 bool writable, char text[DEVICE_IDENTITY_TEXT],
			 struct nbd_diag *d);

/*
 * Compares the export with an identity.  0, or NBD_E_MISMATCH if it is another
 * disk, NBD_E_PARAM if want is none, or an error of the connection.
 */
int device_identity_check(struct device_reader *r, struct conn *conn,
			  const char *want, struct nbd_diag *d);

#endif
