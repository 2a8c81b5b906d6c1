/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a block device is made of: links of sysfs, and the files of loop devices.
 *
 *	dm-1 --slaves/--> md0p1, of md0 --slaves/--> nbd0p2, of nbd0
 *	dm-2 --slaves/--> loop0 --LOOP_GET_STATUS64--> a file on dm-1
 */
#include <fcntl.h>
#include <linux/loop.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "boot/mapper/mapper.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"

/* More than are stacked. */
#define DEPTH 16
/*
 * So many devices are looked at: an image may have volumes of which each has
 * many others, and the ways through them are countless.
 */
#define LOOKS 1024

struct below {
	const char *sys, *disk;
	bool (*is)(const struct below *b, const char *name);
	bool loops;    /* looks at their files */
	unsigned left; /* looks */
};

/* The last part of the link `path`, or of what it is in; "": no link. */
static void link_name(char name[MAPPER_DEVICE], const char *path, bool in)
{
	char to[512], *p;
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	to[n > 0 ? n : 0] = '\0';
	p = strrchr(to, '/');
	if (in && p) {
		*p = '\0';
		p = strrchr(to, '/');
	}
	nbd_fmt(name, MAPPER_DEVICE, "%s", p ? p + 1 : to);
}

void mapper_whole(char disk[MAPPER_DEVICE], const char *sys, const char *name)
{
	char path[300];
	int n = nbd_fmt(path, sizeof(path), "%s/%s", sys, name);

	nbd_fmt(disk, MAPPER_DEVICE, "%s", name);
	if (n < 0)
		return;
	nbd_fmt(path + n, sizeof(path) - (size_t)n, "/partition");
	if (access(path, F_OK))
		return;
	path[n] = '\0';
	link_name(disk, path, true);
}

static bool stands(struct below *b, const char *name, unsigned depth);

/* The device of the file system of a file, or the file itself is one. */
static bool file_stands(struct below *b, const struct loop_info64 *info,
			unsigned depth)
{
	uint64_t dev = info->lo_rdevice ? info->lo_rdevice : info->lo_device;
	char path[300], name[MAPPER_DEVICE];

	nbd_fmt(path, sizeof(path), "%s/../../dev/block/%u:%u", b->sys,
		major(dev), minor(dev));
	link_name(name, path, false);
	return *name && stands(b, name, depth);
}

static bool loop_stands(struct below *b, const char *name, unsigned depth)
{
	struct loop_info64 info = { 0 };
	char path[300];
	int fd, rc;

	nbd_fmt(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	rc = ioctl(fd, LOOP_GET_STATUS64, &info);
	close(fd);
	return !rc && (!strcmp((char *)info.lo_file_name, MAPPER_RAM) ||
		       file_stands(b, &info, depth));
}

static bool stands(struct below *b, const char *name, unsigned depth)
{
	char disk[MAPPER_DEVICE], path[300];
	const char *below;
	bool found = false;
	struct dir dir;

	mapper_whole(disk, b->sys, name);
	if (b->is(b, disk))
		return true;
	if (!depth || !b->left)
		return false;
	b->left--;
	if (b->loops && !strncmp(disk, "loop", 4))
		return loop_stands(b, disk, depth - 1);
	nbd_fmt(path, sizeof(path), "%s/%s/slaves", b->sys, disk);
	if (!dir_open(&dir, path))
		while (!found && (below = dir_next(&dir)))
			found = stands(b, below, depth - 1);
	dir_close(&dir);
	return found;
}

static bool is_disk(const struct below *b, const char *name)
{
	return b->disk ? !strcmp(name, b->disk) : !strncmp(name, "nbd", 3);
}

bool mapper_stands_on(const char *sys, const char *name, const char *disk)
{
	struct below b = { sys, disk, is_disk, !disk, LOOKS };

	return stands(&b, name, DEPTH);
}

static bool is_others(const struct below *b, const char *name)
{
	char path[300], text[sizeof(MAPPER_PREFIX)];

	if (!strncmp(name, "md", 2))
		return true;
	nbd_fmt(path, sizeof(path), "%s/%s/dm/name", b->sys, name);
	return file_read(AT_FDCWD, path, text, sizeof(text)) > 0 &&
	       strcmp(text, MAPPER_PREFIX) != 0;
}

bool mapper_is_volume(const char *sys, const char *name)
{
	struct below b = { sys, NULL, is_others, false, LOOKS };

	return stands(&b, name, DEPTH);
}

bool mapper_is_root(const char *sys, const char *name,
		    char below[MAPPER_DEVICE])
{
	static const char ours[] = MAPPER_PREFIX "nbd";
	char path[300], text[MAPPER_NAME];
	const char *of;
	bool found = false;
	struct dir dir;

	nbd_fmt(path, sizeof(path), "%s/%s/dm/name", sys, name);
	if (file_read(AT_FDCWD, path, text, sizeof(text)) <= 0 ||
	    strncmp(text, ours, sizeof(ours) - 1) != 0)
		return false;
	nbd_fmt(path, sizeof(path), "%s/%s/slaves", sys, name);
	if (!dir_open(&dir, path))
		while (!found && (of = dir_next(&dir))) {
			found = !strncmp(of, "nbd", 3);
			nbd_fmt(below, MAPPER_DEVICE, "%s", of);
		}
	dir_close(&dir);
	return found;
}

static bool has_holder(const char *sys, const char *name)
{
	char path[300];
	struct dir dir;
	bool any;

	nbd_fmt(path, sizeof(path), "%s/%s/holders", sys, name);
	any = !dir_open(&dir, path) && dir_next(&dir);
	dir_close(&dir);
	return any;
}

bool mapper_is_held(const char *sys, const char *name)
{
	char disk[MAPPER_DEVICE];

	mapper_whole(disk, sys, name);
	return has_holder(sys, name) ||
	       (strcmp(disk, name) != 0 && has_holder(sys, disk));
}
