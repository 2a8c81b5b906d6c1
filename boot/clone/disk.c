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

int clone_disk_failed(const struct clone_disk *disk, const char *verb,
		      struct nbd_diag *d)
{
	return nbd_diag(d, NBD_E_IO, "%s %s: %s", verb, disk->path,
			strerror(errno));
}

void clone_name_of(const char *number, char name[CLONE_PATH])
{
	char link[48], to[256], *slash;
	ssize_t n;

	nbd_fmt(link, sizeof(link), "/sys/dev/block/%s", number);
	n = readlink(link, to, sizeof(to) - 1);
	to[n < 0 ? 0 : n] = '\0';
	slash = strrchr(to, '/');
	nbd_fmt(name, CLONE_PATH, "%s", slash ? slash + 1 : "");
}

int clone_disk_open(struct clone_disk *disk, int flags, struct nbd_diag *d)
{
	struct stat st;
	off_t end;

	disk->fd = open(disk->path, O_RDWR | O_CLOEXEC | flags);
	if (disk->fd < 0 && errno == EBUSY)
		return nbd_diag(d, NBD_E_IN_USE, "%s is in use", disk->path);
	if (disk->fd < 0 || fstat(disk->fd, &st))
		return nbd_diag(d, file_error(errno), "open %s: %s", disk->path,
				strerror(errno));
	if (!S_ISBLK(st.st_mode))
		return nbd_diag(d, NBD_E_NOT_FOUND, "%s: not a block device",
				disk->path);
	end = lseek(disk->fd, 0, SEEK_END);
	if (end < 0)
		return clone_disk_failed(disk, "measure", d);
	disk->size = (uint64_t)end;
	nbd_fmt(disk->number, sizeof(disk->number), "%u:%u", major(st.st_rdev),
		minor(st.st_rdev));
	clone_name_of(disk->number, disk->name);
	return NBD_OK;
}

void clone_disk_close(struct clone_disk *disk)
{
	if (disk->fd >= 0)
		close(disk->fd);
	disk->fd = -1;
}

int clone_disk_check(const struct clone_disk *disk, const char *mapping,
		     struct nbd_diag *d)
{
	int read_only = 0, block = 0;
	char sys[96];
	uint64_t ours;

	if (ioctl(disk->fd, BLKROGET, &read_only) || read_only)
		return nbd_diag(d, NBD_E_PERM, "%s is read-only", disk->path);
	nbd_fmt(sys, sizeof(sys), "/sys/block/%s/queue/logical_block_size",
		mapping);
	ours = file_number(AT_FDCWD, sys);
	if (ioctl(disk->fd, BLKSSZGET, &block) || block < 0 ||
	    (uint64_t)block > ours)
		return nbd_diag(d, NBD_E_USAGE,
				"%s has blocks of %d bytes, and the root has "
				"them of %llu",
				disk->path, block, (unsigned long long)ours);
	return NBD_OK;
}

int clone_disk_wipe(const struct clone_disk *disk, uint64_t at, uint64_t end,
		    struct nbd_diag *d)
{
	static char zeroes[4096]; /* not const, so not in the binary */
	size_t n;

	for (; at < end; at += n) {
		n = end - at < sizeof(zeroes) ? (size_t)(end - at)
					      : sizeof(zeroes);
		if (!file_write_at(disk->fd, zeroes, n, at))
			return clone_disk_failed(disk, "wipe", d);
	}
	return NBD_OK;
}
