/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The local device of nbdboot.cache=, at a boot and after it.  Of N extents in
 * the half that is used:
 *
 *	nbd0 --N linear--> far --.
 *	                          mirror --> cache --.
 *	vda ---------------------'                    N linear of 2 N + 1
 *	nbd0 -----------------------------------------' --> nbdboot-nbd0
 *
 * The mirror is in sync from the start, and reads from its first device, vda; once
 * that has failed it reads from the server.  One mirror is enough that way: each
 * costs the kernel threads, and time.
 */
#ifndef BOOT_CACHE_CACHE_H
#define BOOT_CACHE_CACHE_H

#include "boot/cache/half.h"
#include "boot/clone/clone.h"

/* Room for the image of a list. */
#define CACHE_IMAGE 64

/* Is it labelled as a cache, and has nothing else? */
bool cache_is_ours(int fd, uint64_t size, const struct clone_eyes *eyes);

/*
 * Reads the head of a half from the open device.  Errors of cache_head_parse(),
 * and NBD_E_IO.
 */
int cache_read(struct cache_half *h, int fd, uint64_t size, unsigned half,
	       struct nbd_diag *d);

struct cache_use {
	int index;	  /* of nbdN, which is mapped one to one */
	const char *path; /* of the local device */
	const struct clone_eyes *eyes;
	const char *image; /* what it has to be of */
	unsigned extents;  /* set: that come from the device */
	uint64_t sectors;  /* ... and of so many sectors */
};

/*
 * Maps what the device has of the image.  Returns the half that is used; after an
 * error, with the reason in d, the mapping is one to one.  NBD_E_NOT_FOUND: the
 * device is no cache yet, or one of other images.  To be called in a child, as
 * the device may hang.
 */
int cache_use(struct cache_use *u, struct nbd_diag *d);

struct cache_fill {
	int index; /* of nbdN, which has a mapping */
	struct clone_spec spec;
	const struct clone_eyes *eyes;
	const char *image;
	int half; /* that is in use; < 0: none is */
	/* private: */
	struct clone_disk disk;
	char mapping[32]; /* "dm-0" */
	int devices;	  /* /dev: its path is lost later */
	int from;	  /* the mapping */
};

/*
 * Opens the device, and refuses one that is in use, too small, or not empty; what
 * "erase" is to overwrite is named.  Nothing is written.
 */
int cache_fill_begin(struct cache_fill *f, struct nbd_diag *d);
/*
 * Writes what is worth keeping of the list to the half that is not in use.  The
 * list is overwritten.  Whenever it is killed, the device is one that can be used.
 */
int cache_fill_run(struct cache_fill *f, struct prefetch_list *l,
		   struct nbd_diag *d);

#endif
