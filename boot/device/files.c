/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel cannot store about a device, in files of /run. */
#include "boot/device/device.h"
#include "boot/device/limit.h"
#include "port/linux/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ms to wait for a lock.  To dial a server takes up to 40 s. */
#define LOCK_MS 60000

/*
 * Opened once and kept for the life of the process: later the watcher's root
 * directory has no /run.
 */
static int open_run(void)
{
	static int run = -1;

	if (run < 0)
		run = file_run();
	return run;
}

/* A name in /run. */
struct name {
	char text[32];
};

static struct name file_name(int index, const char *what)
{
	struct name n = { "" };

	nbd_fmt(n.text, sizeof(n.text), "nbdboot/nbd%d.%s", index, what);
	return n;
}

static uint64_t get(int index, const char *what)
{
	return file_number(open_run(), file_name(index, what).text);
}

/* 0: deletes it. */
static int put(int index, const char *what, unsigned v, struct nbd_diag *d)
{
	const struct name file = file_name(index, what);
	int run = open_run(), rc;
	char text[16];

	if (run < 0)
		return nbd_diag(d, NBD_E_IO, "open /run: %s", strerror(errno));
	if (!v)
		return unlinkat(run, file.text, 0) ? NBD_E_NOT_FOUND : 0;
	rc = nbd_fmt(text, sizeof(text), "%u\n", v);
	rc = file_replace(run, file.text, text, (size_t)rc);
	return rc ? nbd_diag(d, NBD_E_IO, "write /run/%s: %s", file.text,
			     strerror(errno))
		  : 0;
}

/* ---- how many connections are wanted ---- */

unsigned device_wanted(int index, const struct backend *b)
{
	uint64_t v = get(index, "connections");

	return v > 0 && v <= device_backend_slots(b) ? (unsigned)v
						     : b->connections;
}

int device_want(int index, unsigned connections, struct nbd_diag *d)
{
	return put(index, "connections", connections, d);
}

/* ---- how long a request may be ---- */

void device_limit_first(int index, uint32_t max)
{
	(void)put(index, "max", max, NULL);
}

void device_limit_note(int index, uint32_t max)
{
	uint64_t noted = device_limit_noted(index);

	if (!noted || max < noted)
		(void)put(index, "max", max, NULL);
}

uint64_t device_limit_noted(int index)
{
	return get(index, "max");
}

/* ---- one at a time ---- */

int device_lock(int index)
{
	int fd = openat(open_run(), file_name(index, "lock").text,
			O_RDONLY | O_CREAT | O_CLOEXEC, 0600);

	file_lock(fd, LOCK_MS);
	return fd;
}

void device_unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}
