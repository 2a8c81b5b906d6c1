/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes apart what others have made: volumes of LVM and LUKS, arrays of md. */
#include "boot/mapper/mapper.h"

#include <fcntl.h>
#include <linux/major.h>
#include <linux/raid/md_u.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "port/linux/dir.h"
#include "port/linux/dm.h"
#include "port/linux/file.h"

/* With partitions, of which /sys/block has none. */
#define SYS   "/sys/class/block"
/* Bytes that the calls for one name need. */
#define ROOM  DM_ROOM
/* More than are stacked. */
#define DEPTH 16

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static bool remove_mapping(const char *device)
{
	char path[128], name[DM_NAME];
	struct nbd_diag d;
	struct dm dm;
	int rc;

	nbd_fmt(path, sizeof(path), SYS "/%s/dm/name", device);
	if (file_read(AT_FDCWD, path, name, sizeof(name)) <= 0 ||
	    dm_open(&dm, ROOM, &d))
		return false;
	name[strcspn(name, "\n")] = '\0';
	rc = dm_remove(&dm, name, NULL);
	dm_close(&dm);
	return !rc;
}

static bool stop_array(const char *name)
{
	char path[64];
	bool stopped;
	int fd;

	nbd_fmt(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	stopped = !ioctl(fd, STOP_ARRAY, NULL);
	close(fd);
	return stopped;
}

/* Returns how many were taken away. */
static unsigned take_each(const char *disk)
{
	struct dir dir;
	const char *name;
	unsigned gone = 0;

	if (!dir_open(&dir, "/sys/block"))
		while ((name = dir_next(&dir))) {
			bool mapping = begins(name, "dm-");

			if ((mapping || begins(name, "md")) &&
			    mapper_stands_on(SYS, name, disk))
				gone += mapping ? remove_mapping(name)
						: stop_array(name);
		}
	dir_close(&dir);
	return gone;
}

void mapper_take_layers(const char *disk)
{
	/* one may be what keeps another */
	for (unsigned turn = 0; turn < DEPTH && take_each(disk); turn++)
		;
}
