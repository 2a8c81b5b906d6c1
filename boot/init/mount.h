/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's own file systems, and the root. */
#ifndef BOOT_INIT_MOUNT_H
#define BOOT_INIT_MOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "boot/init/super.h"
#include "port/port.h"

/* Where the new root is mounted until the switch. */
#define NEWROOT "/newroot"

/* Mounts /proc, /sys, /dev and /run where they are not mounted yet. */
int init_mount_kernel(struct nbd_diag *d);

/* Is path on another device than "/"? */
bool init_mount_is_mounted(const char *path);

/*
 * Moves a mount without others on it; one below a shared mount, as those of
 * systemd are, cannot be moved otherwise.  Returns 0, or -1 and errno.
 */
int init_mount_move(const char *from, const char *to);

/* The device of what is mounted at path; 0: not known. */
dev_t init_mount_device(const char *path);
/*
 * Unmounts path, unless the device `before` still is there: nothing may be
 * mounted yet, and what was there before is another system's.
 */
void init_mount_undo(const char *path, dev_t before);

/*
 * Splits a list of mount options as mount(8) does: the words for flags set or
 * clear bits of *flags (MS_*), the others are copied to data, joined by commas.
 * A comma in double quotes is part of a word.  NBD_E_NO_MEMORY if data is too
 * small.
 */
int init_mount_options(const char *options, unsigned long *flags, char *data,
		       size_t cap);

/* Finds the file system of dev; root: as of init_content_wrong(). */
int init_mount_probe(struct super *s, const char *dev, bool root,
		     struct nbd_diag *d);

struct root_fs {
	const char *dev;    /* "/dev/nbd0p2" */
	const char *target; /* an empty directory; made if it is missing */
	/* "ext4"; "ext4,xfs": in turn; NULL, "" or "auto": detect */
	const char *fstype;
	const char *options; /* rootflags=, or NULL */
	const char *word;    /* "root", "mount.usr"; NULL: it has no words */
	bool write;
};

/*
 * Mounts the root, after loading the module of its file system.  A device that
 * cannot be written is mounted read-only even if read-write was asked for, as
 * the kernel does for its own root=; then *fell_back is set.  If its journal
 * would have to be written back for that, it is left out, with a message.
 */
int init_mount_root(const struct root_fs *r, bool *fell_back,
		    struct nbd_diag *d);

#endif
