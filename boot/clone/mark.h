/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mark on a device that holds, or is to hold, a copy of the root's image:
 *
 *	| image, from the first sector | ... | mark |      CLONE_TAIL bytes      |
 *
 * It says whether the device is the root.  It lies where no superblock of
 * another program does (libblkid looks at the last 512 KiB), near the end of the
 * device, so that it is found without any knowledge of the image.
 *
 *	none --copying--> the server is the root --complete--> the device is
 */
#ifndef BOOT_CLONE_MARK_H
#define BOOT_CLONE_MARK_H

#include "port/port.h"

/* Bytes of a mark, and at the end of a device, from its first one on. */
#define CLONE_MARK  512u
#define CLONE_TAIL  (1024u * 1024)
/* Room for the identity of an export, "r33-0123456789abcdef", with its NUL. */
#define CLONE_IMAGE 24

enum clone_state {
	CLONE_COPYING, /* a part of it is copied: the server is the root */
	CLONE_COMPLETE /* it may have been written to since: it is the root */
};

struct clone_mark {
	enum clone_state state;
	uint64_t device;  /* sectors of 512 bytes of the device */
	uint64_t sectors; /* of the image */
	unsigned part;	  /* which partition of the export it is; 0: all */
	char image[CLONE_IMAGE]; /* as device/identity.h has it; "-": none */
};

/* The byte where the mark of a device with so many bytes is; 0: too small. */
uint64_t clone_mark_at(uint64_t size);

/* Writes the text, and zeroes behind it.  m->image has no blanks. */
void clone_mark_print(const struct clone_mark *m, char text[CLONE_MARK]);

/*
 * Parses what clone_mark_print() has written for a device with so many sectors.
 * NBD_E_NOT_FOUND: it is no mark.  NBD_E_MISMATCH: it is a damaged one, or one
 * of another version or device.
 */
int clone_mark_parse(struct clone_mark *m, const char text[CLONE_MARK],
		     uint64_t device, struct nbd_diag *d);

#endif
