/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moves the root that is mapped (mapper.h) to a device of the machine, while it
 * is in use.  The kernel does the copy:
 *
 *	nbd0 <-- nbdboot-nbd0                    one to one
 *	nbd0, vda <-- nbdboot-nbd0               a mirror: reads from nbd0, writes
 *						 to both, and copies the rest
 *	vda <-- nbdboot-nbd0                     once the mark says so
 *
 * Until the mark is there nbd0 is the root: whatever fails, the table is one to
 * one with it again.
 */
#ifndef BOOT_CLONE_CLONE_H
#define BOOT_CLONE_CLONE_H

#include "boot/clone/disk.h"
#include "boot/clone/mark.h"
#include "boot/clone/spec.h"

/* What the caller knows of devices. */
struct clone_eyes {
	/* Sets path to that of the one device that has this name. */
	int (*find)(char path[CLONE_PATH], const char *device,
		    struct nbd_diag *d);
	/*
	 * Returns true, and a text, if the device holds anything.  name is that
	 * in /sys/class/block.
	 */
	bool (*look)(int fd, const char *name, uint64_t size,
		     char text[CLONE_HOLD]);
	/* Has it one value from byte `from` up to `to`, as where nothing was written? */
	bool (*is_blank)(int fd, uint64_t from, uint64_t to);
	/*
	 * Does a device begin as a copy of the source that was cut short: with
	 * the same file system, not yet with anything, or with some of its
	 * sectors?
	 */
	bool (*is_begun)(int fd, int source);
};

struct clone {
	int index; /* of nbdN */
	struct clone_spec spec;
	const char *image; /* the identity of the export, or "-" */
	const struct clone_eyes *eyes;
	int run; /* an open /run */
	/* A signal has come, or the process that waits is to end. */
	bool (*is_stopped)(unsigned ms);
};

/* Loads the module that clone_run() needs, while its file is there. */
int clone_load(struct nbd_diag *d);

/*
 * Copies, and returns 0 once the device is the root, and nbdN is not any more.
 * NBD_E_INTERRUPTED: is_stopped().  After an error the root is on nbdN alone.
 * Messages of its progress are printed.
 */
int clone_run(struct clone *c, struct nbd_diag *d);

/*
 * The mark of the device fd with `size` bytes.  Errors as those of
 * clone_mark_parse(), and NBD_E_IO.
 */
int clone_mark_read(struct clone_mark *m, int fd, uint64_t size,
		    struct nbd_diag *d);

/*
 * Is the mapping ("dm-0") all that is below what is above it?  A root that is
 * verified by a tree on another device would stay on that: NBD_E_MISMATCH.
 */
int clone_check_alone(const char *name, struct nbd_diag *d);

/* How far the copy of nbdN is. */
struct clone_progress {
	char name[CLONE_PATH]; /* of the device: "vda" */
	uint64_t sectors;      /* of the image */
	uint64_t done, all;    /* regions; equal: the root is there */
};

/* 100: the root is there. */
unsigned clone_percent(const struct clone_progress *p);

/* NBD_E_NOT_FOUND: nothing is copied. */
int clone_progress(struct clone_progress *p, int index, struct nbd_diag *d);

#endif
