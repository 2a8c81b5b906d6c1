/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device mapper (Documentation/admin-guide/device-mapper) by the ioctls of
 * /dev/mapper/control.  A table is text, as dmsetup(8) takes it, one target a
 * line, in sectors of 512 bytes:
 *
 *	0 2048 linear 43:0 0
 *	2048 8 linear 7:0 0
 *
 * A device has at most two tables.  dm_load() sets the one that waits, and
 * dm_resume() puts it into use, also below a file system that is mounted:
 *
 *	create --> load --> resume [--> load --> resume ...] --> remove
 *
 * The kernel gives only an errno, and its reason to its log: errors name the
 * target that it refuses.
 */
#ifndef PORT_LINUX_DM_H
#define PORT_LINUX_DM_H

#include "port/port.h"

/* Bytes that any call needs, beside those of targets. */
#define DM_ROOM 4096

/* Room for a name. */
#define DM_NAME 128

/* The caller's; no call allocates memory after dm_open(). */
struct dm {
	int fd;
	void *buf; /* what an ioctl passes in and out */
	size_t cap;
};

/*
 * Loads the module dm_mod and takes `cap` bytes of memory, which bound the
 * tables: about 80 for each target.
 */
int dm_open(struct dm *dm, size_t cap, struct nbd_diag *d);
/*
 * The same without the module, in a process whose root has no /dev: dev is that
 * directory, which was opened before.
 */
int dm_open_at(struct dm *dm, int dev, size_t cap, struct nbd_diag *d);
void dm_close(struct dm *dm);

/*
 * Makes a device without a table.  Returns N of /dev/dm-N, which devtmpfs
 * makes.  The link in /dev/mapper, without which lsblk(8) leaves it out, is made
 * here: udev's rules for it are not in every root, and ignore a device that is
 * older than udev.
 */
int dm_create(struct dm *dm, const char *name, struct nbd_diag *d);
/* N of the device; NBD_E_NOT_FOUND: there is none. */
int dm_find(struct dm *dm, const char *name, struct nbd_diag *d);
/*
 * Sets the table that waits.  read_only: once in use, the device refuses
 * writes.  After a failure none waits.
 */
int dm_load(struct dm *dm, const char *name, const char *table, bool read_only,
	    struct nbd_diag *d);
/*
 * Puts the table that waits into use, and ends a suspension.  One call: there
 * is no moment at which a process that dies would leave the device suspended.
 * It first waits for requests that are on their way, and what is dirty in a
 * file system stays so.  A signal ends the wait: NBD_E_INTERRUPTED, and all is
 * as before.
 */
int dm_resume(struct dm *dm, const char *name, struct nbd_diag *d);
/*
 * Holds new requests until dm_resume(), once those on their way have ended: what
 * is dirty in a file system stays so.  A signal ends the wait:
 * NBD_E_INTERRUPTED, and nothing is held.  If the caller dies, another process
 * has to resume it.
 */
int dm_hold(struct dm *dm, const char *name, struct nbd_diag *d);
/* Forgets the table that waits. */
void dm_clear(struct dm *dm, const char *name);
/*
 * The table in use, or with `status` the state of its targets, as lines.
 * Returns its length, or NBD_E_NO_MEMORY if there is no room for it.  cap > 1.
 */
int dm_text(struct dm *dm, const char *name, bool status, char *text,
	    size_t cap, struct nbd_diag *d);
/* NBD_E_IN_USE: it is open, as one that is mounted is.  The link goes, too. */
int dm_remove(struct dm *dm, const char *name, struct nbd_diag *d);

/*
 * The n-th device, from 0, whose name begins with prefix.  NBD_E_NOT_FOUND: no
 * more.
 */
int dm_nth(struct dm *dm, const char *prefix, unsigned n, char name[DM_NAME],
	   struct nbd_diag *d);

#endif
