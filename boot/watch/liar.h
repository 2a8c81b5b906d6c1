/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to the watcher: servers that send wrong blocks of a verified root.  The
 * kernel refuses such a block and says which one it is; whose it was only a
 * comparison shows, as connections to several servers may be in use:
 *
 *	uevent --> a child reads the block, and what is above it in the tree, from
 *		   each server --> those whose hash is wrong are left, if another
 *		   has it right --> connections live again --> the table is loaded
 *		   once more, as the kernel keeps wrong blocks of a tree
 */
#ifndef BOOT_WATCH_LIAR_H
#define BOOT_WATCH_LIAR_H

#include <sys/types.h>

#include "boot/device/device.h"

/* "dm-1048575" */
#define LIAR_NAME 12

/* The caller zeroes it; all of it is private. */
struct watch_liar {
	int devices; /* /dev */
	int ends[2]; /* a pair of sockets: of the child's result, and of ours */
	pid_t pid;
	bool waits;	    /* for a child to look for `block` */
	bool reload;	    /* the table of `name`, once all connections live */
	bool hash;	    /* the block is one of the tree */
	unsigned char only; /* the server of the last blocks that ... */
	unsigned times;	    /* ... were wrong once, so many */
	uint64_t block;
	char name[LIAR_NAME]; /* of the mapping */
};

/*
 * Before the process is confined.  devices is an open /dev.  Returns a descriptor
 * that can be read when watch_liar_look() is needed; -1: never.
 */
int watch_liar_open(struct watch_liar *l, int devices);

/* Takes a uevent of n bytes, which ends with a NUL; ctx is a struct watch_liar. */
void watch_liar_hear(void *ctx, const char *text, size_t n);

/*
 * Does what is next, without waiting.  dev->counted: its links[] are up to date.
 * The child prints what it finds.  d has which server was left, or "".
 */
void watch_liar_look(struct watch_liar *l, struct device *dev,
		     struct nbd_diag *d);

#endif
