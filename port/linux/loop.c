/* SPDX-License-Identifier: BSD-2-Clause */
/* Loop devices. */
#include "port/linux/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "port/linux/module.h"

/*
 * ms to try again, and between tries: another program may take the device that
 * was free, or look at it with O_EXCL.
 */
#define FREE_MS	 2000
#define AGAIN_MS 20

/* Its number, or -1 and errno. */
static int find_free(void)
{
	int n = -1, control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);

	if (control >= 0) {
		n = ioctl(control, LOOP_CTL_GET_FREE);
		close(control);
	}
	return n;
}

static int attach(int loop, const char *file, uint32_t flags, uint32_t sector)
{
	struct loop_info64 info = { .lo_flags = flags };
	char *name = (char *)info.lo_file_name;
	int fd = open(file, (flags & LO_FLAGS_READ_ONLY ? O_RDONLY : O_RDWR) |
				    O_CLOEXEC);
	int rc = fd < 0 || loop < 0 || ioctl(loop, LOOP_SET_FD, fd) ? -1 : 0;

	/* the path in sysfs changes with the mounts */
	nbd_fmt(name, LO_NAME_SIZE, "%s", file);
	/* the status begins the scan for partitions */
	if (!rc && ((sector &&
		     ioctl(loop, LOOP_SET_BLOCK_SIZE, (unsigned long)sector)) ||
		    ioctl(loop, LOOP_SET_STATUS64, &info))) {
		rc = -1;
		ioctl(loop, LOOP_CLR_FD);
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

/* A free one, open; or -1 and errno. */
static int attach_free(const char *file, uint32_t flags, uint32_t sector,
		       char disk[LOOP_NAME])
{
	int n = find_free(), loop;
	char path[32];

	nbd_fmt(disk, LOOP_NAME, "loop%d", n);
	nbd_fmt(path, sizeof(path), "/dev/%s", disk);
	loop = n < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
	if (loop < 0 || !attach(loop, file, flags, sector))
		return loop;
	close(loop);
	return -1;
}

void loop_load(void)
{
	/* it may be built in */
	mod_load("loop", "", NULL);
}

int loop_attach(const char *file, uint32_t flags, uint32_t sector,
		char disk[LOOP_NAME], struct nbd_diag *d)
{
	uint64_t end = nbd_now_ms() + FREE_MS;
	int loop;

	loop_load();
	while ((loop = attach_free(file, flags, sector, disk)) < 0 &&
	       errno == EBUSY && nbd_now_ms() < end)
		poll(NULL, 0, AGAIN_MS);
	if (loop >= 0)
		return loop;
	/* it is another program's by now */
	disk[0] = '\0';
	return nbd_diag(d, NBD_E_KERNEL,
			"a loop device (module loop) for %s: %s", file,
			strerror(errno));
}
