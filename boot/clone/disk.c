/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening, looking at and wiping the device that a root moves to. */
#include "boot/clone/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "port/linux/file.h"

int clone_disk_failed(const struct clone_disk *k, const char *verb,
		      struct nbd_diag *d)
{
	return nbd_diag(d, NBD_E_IO, "%s %s: %s", verb, k->path,
			strerror(errno));
}

int clone_disk_open(struct clone_disk *k, int flags, struct nbd_diag *d)
{
	struct stat st;
	off_t end;

	k->fd = open(k->path, O_RDWR | O_CLOEXEC | flags);
	if (k->fd < 0 && errno == EBUSY)
		return nbd_diag(d, NBD_E_IN_USE, "%s is in use", k->path);
	if (k->fd < 0 || fstat(k->fd, &st))
		return nbd_diag(d, NBD_E_NO_DEVICE, "open %s: %s", k->path,
				strerror(errno));
	if (!S_ISBLK(st.st_mode))
		return nbd_diag(d, NBD_E_NO_DEVICE, "%s: not a block device",
				k->path);
	end = lseek(k->fd, 0, SEEK_END);
	if (end < 0)
		return clone_disk_failed(k, "measure", d);
	k->size = (uint64_t)end;
	nbd_fmt(k->number, sizeof(k->number), "%u:%u", major(st.st_rdev),
		minor(st.st_rdev));
	return NBD_OK;
}

void clone_disk_close(struct clone_disk *k)
{
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
}

int clone_disk_check(const struct clone_disk *k, const char *mapping,
		     struct nbd_diag *d)
{
	int read_only = 0, block = 0;
	char sys[96];
	uint64_t ours;

	if (ioctl(k->fd, BLKROGET, &read_only) || read_only)
		return nbd_diag(d, NBD_E_PERM, "%s is read-only", k->path);
	nbd_fmt(sys, sizeof(sys), "/sys/block/%s/queue/logical_block_size",
		mapping);
	ours = file_number(AT_FDCWD, sys);
	if (ioctl(k->fd, BLKSSZGET, &block) || block < 0 ||
	    (uint64_t)block > ours)
		return nbd_diag(d, NBD_E_USAGE,
				"%s has blocks of %d bytes, and the root has "
				"them of %llu",
				k->path, block, (unsigned long long)ours);
	return NBD_OK;
}

int clone_disk_wipe(const struct clone_disk *k, uint64_t at, uint64_t end,
		    struct nbd_diag *d)
{
	static char zeroes[4096]; /* not const, so not in the binary */
	size_t n;

	for (; at < end; at += n) {
		n = end - at < sizeof(zeroes) ? (size_t)(end - at)
					      : sizeof(zeroes);
		if (pwrite(k->fd, zeroes, n, (off_t)at) != (ssize_t)n)
			return clone_disk_failed(k, "wipe", d);
	}
	return NBD_OK;
}
