/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot.prefetch=: what the last boot read of the root, fetched at once. */
#ifndef BOOT_INIT_PREFETCH_H
#define BOOT_INIT_PREFETCH_H

#include "boot/prefetch/extents.h"

/* In the initramfs, and in the root. */
#define PREFETCH_OURS  "/etc/nbdboot/prefetch"
#define PREFETCH_ROOTS "/var/lib/nbdboot/prefetch"

struct boot;

struct prefetch_root {
	int index;	   /* of nbdN */
	const char *disk;  /* "nbd0" */
	const char *below; /* "/dev/nbd0p2": what is mapped */
	const char *dev;   /* "/dev/dm-0": the mapping, or what covers it */
	const char *where; /* where the root is mounted */
	bool overlay;	   /* what is written stays off the device */
	bool verified;	   /* likewise: nothing is written */
	const struct boot *boot; /* what init_prefetch_ask() needs */
};

/* The root of a boot, which outlives it (fetcher.c). */
struct prefetch_root init_fetcher_root(const struct boot *b);
/*
 * May a table that is read-only be in use before the root is mounted?  Below an
 * overlay, a device that looks writable has to be until then, as the file system
 * may have a journal to replay.
 */
bool init_fetcher_is_early(const struct boot *b);

/* Does the word, or a list in the initramfs, ask for it? */
bool init_prefetch_is_wanted(const char *word);
/*
 * Does it ask for it only where that saves time, and is a read answered so soon
 * that it does not (prefetch/distance.h)?  Says so, and leaves it in /run.
 */
bool init_prefetch_is_needless(const char *word, uint32_t us);
/* Is the device "nbd0" read-only, so that none of it is ever written? */
bool init_prefetch_is_read_only(const char *disk);
/* May what uses the root write to the device? */
bool init_prefetch_is_written(const struct prefetch_root *r);
/*
 * Maps the root's device `dev`, whose path becomes that of the mapping.  Returns
 * false after a failure, with a message.
 */
bool init_prefetch_map(const struct prefetch_root *r, char dev[64]);
void init_prefetch_unmap(int index);
/* Keeps udev, which starts later, from what the mapping will be made of. */
void init_udev_hide(void);
/* Lets it read the whole of "nbd0" on its mapping "dm-0", while that stands on it. */
void init_udev_divert(const char *disk, const char *mapping);

/*
 * Fetches what the list names, and maps it when a byte can be read from the fd
 * `go`; its end: there is no process that would free it, so it is not mapped.
 * `mounted`: the list may be in the root.  Returns true if there was a list, even
 * one that cannot be used.  To be called in a child.
 */
bool init_prefetch_fetch(const struct prefetch_root *r, const char *word,
			 bool mounted, int go);

/*
 * Reads the list that the export holds, from the first server of the URI that
 * gives one; errors of prefetch_parse(), of root_expand() and of dial(), with
 * the URI in d.  To be called in a child.
 */
int init_prefetch_ask(struct prefetch_list *l, const struct boot *b,
		      const char *uri, struct nbd_diag *d);

/*
 * Reads the list behind the data of the device or image fd: NBD_E_NOT_FOUND:
 * there is none; NBD_E_IO; errors of prefetch_parse().  fd's offset changes.
 */
int init_prefetch_tail(struct prefetch_list *l, int fd, struct nbd_diag *d);
/*
 * Writes the list l there, in place of an earlier one; l[1] is lost.  fd is an
 * image file, open for writing, which gets longer, and `image` what
 * init_prefetch_image() says.  NBD_E_NOT_FOUND: it has no file
 * system; NBD_E_MISMATCH: the list is one of another image; NBD_E_IO.
 */
int init_prefetch_append(struct prefetch_list l[2], const char *image, int fd,
			 struct nbd_diag *d);

/* The image for lists: type and UUID of the file system on fd, or "-". */
void init_prefetch_image(char image[64], int fd);
/* Reads a list from the open file fd, which it closes. */
int init_prefetch_read(struct prefetch_list *l, int fd, const char *name,
		       struct nbd_diag *d);

#endif
