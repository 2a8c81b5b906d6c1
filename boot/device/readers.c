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
#include <stdlib.h>
#include <string.h>

/* ms for the kernel to start them all, and between looks. */
#define START_MS 1000
#define LOOK_MS	 5
/*
 * Hundredths of a second.  A thread that leaves a dead socket does not run that
 * long, even if it prints on a slow console.  One of a live connection that is
 * never without data may not sleep for as long as anybody looks.
 */
#define BUSY	 20
/* Looks at which a thread has to wait for a lock: others are held for a moment. */
#define LOCKED	 100

/*
 * The functions of the driver that run in those threads.  The compiler makes one
 * of them all; nbd_read_stat() is what Linux before 5.16 calls its part.
 */
static const char *const in_driver[] = { "recv_work", "nbd_handle_reply",
					 "nbd_read_stat" };

struct readers {
	unsigned workers;
	bool rescuer; /* it runs one */
	bool visible; /* there is such a queue */
	bool clear;   /* none may be inside a dead socket */
	bool locked; /* those that are not clear wait for locks of the driver */
};

/* The entry for a thread; NULL: there is no room. */
static struct device_reader_thread *entry(struct device_readers *known,
					  long pid, long ticks)
{
	for (unsigned i = 0; i < known->n; i++)
		if (known->at[i].pid == pid)
			return &known->at[i];
	if (known->n == DEVICE_READERS)
		return NULL;
	known->at[known->n] =
		(struct device_reader_thread){ .pid = pid, .ticks = ticks };
	return &known->at[known->n++];
}

/*
 * A thread in state D waits for a lock.  Is it one of the driver, not of the
 * socket?  The kernel names the function that sleeps, without the mutex's own.
 */
static bool in_own_lock(int proc, const char *pid)
{
	char path[32], name[64];

	nbd_fmt(path, sizeof(path), "%s/wchan", pid);
	if (file_read(proc, path, name, sizeof(name)) <= 0)
		return false;
	/* compilers append ".isra.0", for example */
	name[strcspn(name, ".\n")] = '\0';
	for (unsigned i = 0; i < sizeof(in_driver) / sizeof(*in_driver); i++)
		if (!strcmp(name, in_driver[i]))
			return true;
	return false;
}

/* Looks at a thread: is it clear of dead sockets, or does it wait for a lock? */
static void look(int proc, const char *pid, struct device_readers *known,
		 struct readers *r)
{
	struct device_reader_thread *t;
	char path[32], text[512], state;
	const char *p;
	long ticks;

	nbd_fmt(path, sizeof(path), "%s/stat", pid);
	if (file_read(proc, path, text, sizeof(text)) <= 0)
		return; /* it has ended */
	/* "PID (NAME) STATE" and numbers; the 12th is the time in the kernel */
	p = strrchr(text, ')');
	if (!p || strlen(p) < 3) {
		r->clear = r->locked = false;
		return;
	}
	state = p[2];
	p += 2;
	for (unsigned i = 0; i < 12 && p; i++)
		p = strchr(p + 1, ' ');
	ticks = p ? strtol(p, NULL, 10) : 0;
	t = entry(known, strtol(pid, NULL, 10), ticks);
	/* a worker without work is idle */
	if (t && (state == 'S' || state == 'I' || ticks - t->ticks >= BUSY))
		t->clear = true;
	if (t && t->clear)
		return;
	r->clear = false;
	if (t)
		t->waits = state == 'D' && ticks == t->ticks &&
					   in_own_lock(proc, pid)
				   ? t->waits + 1
				   : 0;
	r->locked &= t && t->waits >= LOCKED;
}

/* Returns whether the thread runs an item. */
static bool take(struct readers *r, const char *comm, const char *queue)
{
	const char *runs = strchr(comm, '+');

	if (!strstr(comm, queue))
		return false;
	r->visible = true;
	/* the queue of older kernels is "knbd0-recv" */
	if (!runs || !strstr(runs, queue))
		return false;
	if (strncmp(comm, "kworker/u", 9) == 0)
		r->workers++;
	else
		r->rescuer = true;
	return true;
}

static struct readers count(int proc, int index, struct device_readers *known)
{
	struct readers r = { .clear = true, .locked = true };
	char queue[24], path[32], comm[64];
	const char *name;
	struct dir dir;

	nbd_fmt(queue, sizeof(queue), "nbd%d-recv", index);
	dir_take(&dir, openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	while ((name = dir_next(&dir))) {
		if (*name < '0' || *name > '9')
			continue;
		nbd_fmt(path, sizeof(path), "%s/comm", name);
		if (file_read(proc, path, comm, sizeof(comm)) > 0 &&
		    take(&r, comm, queue) && known)
			look(proc, name, known, &r);
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
		r = count(proc, index, NULL);
		if (r.rescuer)
			return false;
		if (!r.visible || r.workers >= want)
			return true;
		if (nbd_now_ms() >= end)
			return false;
		poll(NULL, 0, LOOK_MS);
	}
}

bool device_readers_run(int proc, int index, unsigned want)
{
	const struct readers r = count(proc, index, NULL);

	return !r.visible || r.workers + r.rescuer >= want;
}

bool device_readers_clear(int proc, int index, struct device_readers *r)
{
	const struct readers all = count(proc, index, r);

	r->locked = all.locked && !all.clear;
	return all.clear;
}
