/* SPDX-License-Identifier: BSD-2-Clause */
/* Exports that do not boot as they are: how they do, or why not. */
#ifndef BOOT_INIT_ODD_H
#define BOOT_INIT_ODD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for the name of a subvolume. */
#define INIT_ODD_NAME 64

#ifdef CONFIG_BOOT_CONTENT

/*
 * A mount as this type, read-only, failed with the errno err: the option with
 * which a file system that was not unmounted can be mounted without its
 * journal.  NULL: that is not the reason.
 */
const char *init_odd_unclean(const char *type, int err);

/* If the sectors of the device may be why it was EINVAL, says so; or "". */
const char *init_odd_sectors(const char *dev, int err);

/*
 * Writes why the kernel sees no partition on the disk fd with such sectors: a
 * table for other sectors or for a larger disk, or something that is no table.
 * If that is not known, text is left alone.
 */
void init_odd_disk(int fd, uint32_t sector, char *text, size_t cap);

/* Is "/" of btrfs, and has a subvolume of it this program?  Sets its name. */
bool init_odd_subvolume(const char *path, char name[INIT_ODD_NAME]);

#else

static inline const char *init_odd_unclean(const char *type, int err)
{
	(void)type;
	(void)err;
	return NULL;
}

static inline const char *init_odd_sectors(const char *dev, int err)
{
	(void)dev;
	(void)err;
	return "";
}

static inline void init_odd_disk(int fd, uint32_t sector, char *text,
				 size_t cap)
{
	(void)fd;
	(void)sector;
	(void)text;
	(void)cap;
}

static inline bool init_odd_subvolume(const char *path,
				      char name[INIT_ODD_NAME])
{
	(void)path;
	(void)name;
	return false;
}

#endif
#endif
