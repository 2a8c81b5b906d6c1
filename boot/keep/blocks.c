/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blocks of directories.  A name that is missing, as that of
 * /etc/ld.so.preload, is looked for there each time.  ext4 reads them by the page
 * cache of its block device:
 *
 *	directory --FIEMAP--> blocks of the device --> mmap, mlock
 */
#include "boot/keep/keep.h"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <unistd.h>

#include "port/linux/request.h"

#define NODE	"/dev/.nbdboot-keep"
/* Extents of a directory: one has up to 128 MiB. */
#define EXTENTS 16
/* These are in no block of the device, or not yet. */
#define NOWHERE                                           \
	(FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | \
	 FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_INLINE)

void keep_blocks(struct keep *k, int dir, const struct stat *st)
{
	union {
		struct fiemap map;
		char room[sizeof(struct fiemap) +
			  EXTENTS * sizeof(struct fiemap_extent)];
	} u = { .map = { .fm_length = FIEMAP_MAX_OFFSET,
			 .fm_extent_count = EXTENTS } };
	const struct fiemap_extent *e = u.map.fm_extents;
	int fd;

	if (!keep_first(k, st))
		return;
	/* stays open: no file in it may be kept, and then nothing else holds it */
	fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || k->disk <= 0 || st->st_dev != k->dev)
		return;
	keep_tree(k, st->st_ino);
	if (!ioctl(fd, LINUX_REQUEST(FS_IOC_FIEMAP), &u.map))
		for (unsigned i = 0; i < u.map.fm_mapped_extents; i++)
			if (!(e[i].fe_flags & NOWHERE))
				keep_lock(k, k->disk, e[i].fe_physical,
					  e[i].fe_length);
}

void keep_open_disk(struct keep *k)
{
	int root = k->below > 0 ? k->below : k->root;
	struct stat st;

	/* its name may be any, and /sys may be missing */
	if (fstat(root, &st) || mknod(NODE, S_IFBLK | 0600, st.st_dev))
		return;
	k->disk = open(NODE, O_RDONLY | O_CLOEXEC);
	unlink(NODE);
	if (k->disk < 0)
		k->disk = 0; /* no file system of a disk */
	k->dev = st.st_dev;
	keep_blocks(k, root, &st);
}
