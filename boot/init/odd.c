/* SPDX-License-Identifier: BSD-2-Clause */
/* Exports that do not boot as they are: how they do, or why not. */
#include "boot/init/odd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "boot/init/content.h"
#include "boot/init/gpt.h"
#include "port/linux/dir.h"

/*
 * What lets a file system be mounted read-only as it is, with a journal or a
 * log that would have to be written back first, on a device that cannot be
 * written: and how its driver says that this is so.
 */
static const struct unclean {
	char type[8], word[20];
	int err;
} unclean[] = {
	{ "ext4", "noload", EROFS },
	{ "ext3", "noload", EROFS },
	{ "xfs", "norecovery", EROFS },
	{ "f2fs", "norecovery", EROFS },
	{ "btrfs", "rescue=nologreplay", EIO },
};

const char *init_odd_unclean(const char *type, int err)
{
	for (size_t i = 0; i < sizeof(unclean) / sizeof(*unclean); i++)
		if (!strcmp(unclean[i].type, type) && unclean[i].err == err)
			return unclean[i].word;
	return NULL;
}

const char *init_odd_sectors(const char *dev, int err)
{
	int fd, size = 0;

	if (err != EINVAL)
		return "";
	fd = open(dev, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && ioctl(fd, BLKSSZGET, &size))
		size = 0;
	if (fd >= 0)
		close(fd);
	/* the caller's message has it, too */
	errno = err;
	return size > 512 ? " (the device has sectors of more than 512 bytes, "
			    "by the minimum block size of its server or its "
			    "hash tree: are its blocks smaller?)"
			  : "";
}

void init_odd_disk(int fd, uint32_t sector, char *text, size_t cap)
{
	uint64_t end = (uint64_t)lseek(fd, 0, SEEK_END) / sector;
	struct super sb;
	struct gpt g;

	if (!init_super_read(&sb, fd))
		nbd_fmt(text, cap,
			"it holds %s: leave out nbdboot.part=", sb.type);
	else if (!init_gpt_find(&g, fd))
		init_content_text(fd, text, cap);
	else if (g.sector != sector)
		nbd_fmt(text, cap,
			"its table is made for sectors of %u bytes, and it "
			"has %u: let the server have that as its minimum block "
			"size",
			g.sector, sector);
	else if (g.last >= end)
		nbd_fmt(text, cap,
			"its table is that of a larger disk: a partition may "
			"use sector %llu, and it has %llu",
			(unsigned long long)g.last, (unsigned long long)end);
	else
		nbd_fmt(text, cap, "the kernel refuses its table");
}

/*
 * A subvolume of btrfs with this program: a root that an installer made is one,
 * and what is mounted without rootflags=subvol= is the directory above it.
 */
bool init_odd_subvolume(const char *path, char name[INIT_ODD_NAME])
{
	struct statfs fs;
	struct dir dir;
	const char *entry = NULL;
	struct stat st;
	char at[PATH_MAX];

	if (statfs("/", &fs) || (uint32_t)fs.f_type != BTRFS_SUPER_MAGIC ||
	    dir_open(&dir, "/"))
		return false;
	while ((entry = dir_next(&dir))) {
		/* no name that would be a message of its own, or two words */
		if (entry[strspn(entry, "@._-0123456789abcdefghijklmnopqrstuvwx"
					"yzABCDEFGHIJKLMNOPQRSTUVWXYZ")])
			continue;
		/* the top of each subvolume has this number */
		if (nbd_fmt(at, sizeof(at), "/%s", entry) < 0 ||
		    lstat(at, &st) || st.st_ino != 256 ||
		    nbd_fmt(at, sizeof(at), "/%s%s", entry, path) < 0 ||
		    lstat(at, &st))
			continue;
		if (nbd_fmt(name, INIT_ODD_NAME, "%s", entry) > 0)
			break;
	}
	dir_close(&dir);
	return entry;
}
