/* SPDX-License-Identifier: BSD-2-Clause */
/* What a device without a known file system holds, for the message about it. */
#ifndef BOOT_INIT_CONTENT_H
#define BOOT_INIT_CONTENT_H

#include "boot/init/super.h"

/* Room for what init_content_print() writes. */
#define INIT_CONTENT_TEXT 160

#ifdef CONFIG_BOOT_CONTENT

/* Volumes, of which init can open some. */
#define INIT_CONTENT_LUKS1 "a LUKS 1 volume"
#define INIT_CONTENT_LUKS2 "a LUKS 2 volume"
#define INIT_CONTENT_LVM   "a physical volume of LVM"
#define INIT_CONTENT_MD	   "a member of an md RAID"
/* Nothing where a superblock would be. */
#define INIT_CONTENT_BLANK "only zeroes"

struct content {
	const char *what; /* "a LUKS 2 volume"; NULL: unknown */
	const char *hint; /* what to do about it, or NULL */
	uint32_t at;	  /* the byte where it begins, where it should not */
};

/* No more is looked at, but for the superblocks at the end. */
#define INIT_CONTENT_BYTES (128u * 1024)
/*
 * Looks at the device or image fd, whose offset is lost.  `root`: a hint may name
 * rootfstype= and nbdboot.part=.
 */
struct content init_content(int fd, bool root);

/* Writes "a qcow2 image (WHAT TO DO)". */
void init_content_print(char *text, size_t cap, const struct content *c);
/* The same of what fd holds; text is left alone if that is not known. */
void init_content_text(int fd, char *text, size_t cap);

/*
 * Says in d that `dev`, which is fd, holds no known file system, what it holds,
 * and what to do.  Returns NBD_E_NOT_FOUND.
 */
int init_content_wrong(int fd, const char *dev, bool root, struct nbd_diag *d);

#else

static inline void init_content_text(int fd, char *text, size_t cap)
{
	(void)fd;
	(void)text;
	(void)cap;
}

static inline int init_content_wrong(int fd, const char *dev, bool root,
				     struct nbd_diag *d)
{
	(void)fd;
	return nbd_diag(d, NBD_E_NOT_FOUND,
			"%s holds none of " SUPER_TYPES "%s", dev,
			root ? " (rootfstype= names another, "
			       "nbdboot.part= a partition)"
			     : "");
}

#endif
#endif
