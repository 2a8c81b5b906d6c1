/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the threads of a work queue by their names (/proc/PID/comm), where '+'
 * is for "runs an item of":
 *
 *	kworker/u5:1+nbd0-recv	  a worker
 *	nbd0-recv+nbd0-recv	  the rescuer; since Linux 6.9 kworker/R-nbd0-recv
 *	nbd0-recv		  the rescuer, idle
 */
#include "boot/device/readers.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"
#include "port/port.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>

/* ms for the kernel to start them all, and between looks. */
#define START_MS 1000
#define LOOK_MS	 5

struct readers {
	unsigned workers;
	bool rescuer; /* it runs one */
	bool visible; /* there is such a queue */
};

static void take(struct readers *r, const char *comm, const char *queue)
{
	const char *runs = strchr(comm, '+');

	if (!strstr(comm, queue))
		return;
	r->visible = true;
	/* the queue of older kernels is "knbd0-recv" */
	if (!runs || !strstr(runs, queue))
		return;
	if (strncmp(comm, "kworker/u", 9) == 0)
		r->workers++;
	else
		r->rescuer = true;
}

static struct readers count(int proc, int index)
{
	struct readers r = { 0 };
	char queue[24], path[32], comm[64];
	const char *name;
	struct dir dir;

	nbd_fmt(queue, sizeof(queue), "nbd%d-recv", index);
	dir_take(&dir, openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	while ((name = dir_next(&dir))) {
		if (*name < '0' || *name > '9')
			continue;
		nbd_fmt(path, sizeof(path), "%s/comm", name);
		if (file_read(proc, path, comm, sizeof(comm)) > 0)
			take(&r, comm, queue);
	}
	dir_close(&dir);
	return r;
}

int device_readers_open(void)
{
	return open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool device_readers_await(int proc, int index, unsigned want)
{
	uint64_t end = nbd_now_ms() + START_MS;
	struct readers r;

	for (;;) {
		r = count(proc, index);
		if (r.rescuer)
			return false;
		if (!r.visible || r.workers >= want)
			return true;
		if (nbd_now_ms() >= end)
			return false;
		poll(NULL, 0, LOOK_MS);
	}
}

unsigned device_readers_count(int proc, int index)
{
	const struct readers r = count(proc, index);

	return r.workers + r.rescuer;
}
