/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Roots on volumes of LVM, LUKS and md, which programs of the initramfs put
 * together (programs.h):
 *
 *	nbd0p2 --LUKS--> dm-0 --LVM--> dm-1, dm-2 --> the root
 *
 * The moments are contents of the disk, its partitions, and what the programs
 * have made of them: LUKS for each device, LVM and RAID once for all that are
 * new.  Their values:
 *
 *	%p	the path of the device (/dev/nbd0p2); with LVM and RAID the first
 *	%u	LUKS: its UUID
 *	%o	--readonly, if the device cannot be written
 */
#ifndef BOOT_INIT_LAYERS_H
#define BOOT_INIT_LAYERS_H

#include <signal.h>
#include <stdbool.h>

#include "boot/init/part.h"
#include "boot/words/root.h"

/*
 * root_parse(), and init_part_check() of the part that is named.  With `ours`,
 * and programs in this initramfs, either may also name a block device, as
 * /dev/mapper/vg-root.
 */
#ifdef CONFIG_BOOT_PROGRAMS

int init_layers_parse(struct root_spec *r, const struct cmdline *c, bool ours,
		      struct nbd_diag *d);

struct layers {
	const char *file;      /* INIT_PROGRAMS */
	const char *sys, *dev; /* "/sys/class/block", "/dev" */
	const char *disk;      /* "nbd0" */
	const sigset_t *signals;
};

/*
 * Runs the programs, each for its seconds in all.  Only what stands on the disk
 * counts, and what another device stands on already is left as it is.  Returns
 * the number of devices they were run for; what fails, and what is left out as
 * there is too much of it, is named on the console.
 */
unsigned init_layers_run(const struct layers *l);

/*
 * Finds the root above the disk, and writes its path.  spec: a path in /dev, of
 * the disk or above it, LABEL=, UUID=, or NULL for the only file system above.
 * Returns 1, 0 if it is not for this function to find (a partition), or
 * NBD_E_NOT_FOUND, also if LABEL= or UUID= fits several file systems, with a
 * line for each on the console.  What other devices hold is none of them.
 */
int init_layers_find(char path[PART_PATH], const struct layers *l,
		     const char *spec, struct nbd_diag *d);

/*
 * udev in the real system takes no notice of a mapping that it has not seen
 * made, unless this is in its database (55-dm.rules of lvm2): without it there
 * is no /dev/disk/by-uuid/ of it, and systemd waits for the device in vain.
 */
#define INIT_UDEV_DATA "/run/udev/data"
/* Writes it for the mappings above the disk; data is INIT_UDEV_DATA. */
void init_udev_tell(const struct layers *l, const char *data);
/* Removes what init_udev_tell() has written, for any device. */
void init_udev_forget(const char *data);

/* Does the device stand on the disk, and is it no partition of it? */
bool init_layers_above(const struct layers *l, const char *name);

#else

static inline int init_layers_parse(struct root_spec *r,
				    const struct cmdline *c, bool ours,
				    struct nbd_diag *d)
{
	int rc = root_parse(r, c, d);

	(void)ours;
	return rc || !r->part ? rc : init_part_check(r->part, d);
}

#endif
#endif
