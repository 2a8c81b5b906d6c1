/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	trace --> harden --> ready --> read the trace ... --> list
 *	                                 quiet, or stop  --> one to one --> end
 *
 * It uses its own memory, /run and the kernel: an outage cannot stop it, and a
 * table is changed by one call, which waits for the reads in flight.
 */
#include "boot/prefetch/learn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/system/confine.h"
#include "boot/system/console.h"
#include "boot/system/harden.h"
#include "boot/system/ready.h"
#include "boot/mapper/mapper.h"
#include "port/linux/dir.h"
#include "port/linux/dm.h"
#include "port/linux/file.h"

/* ms between two looks. */
#define LOOK_MS	 250
/* ms without a read, and in all. */
#define QUIET_MS 15000
#define MOST_MS	 120000
/* Sectors: a gap up to it is read as well.  64 KiB. */
#define GAP	 128
/* Bytes for the state of the longest table: 64 mirrors in 129 targets. */
#define ROOM	 32768

int prefetch_learn_begin(struct prefetch_learn *l, int index,
			 struct nbd_diag *d)
{
	int rc = mapper_below(index, l->dev, l->below, &l->list.sectors, d);

	if (rc)
		return rc;
	l->index = index;
	l->run = file_run();
	if (l->run < 0)
		return nbd_diag(d, NBD_E_IO, "open /run: %s", strerror(errno));
	unlinkat(l->run, PREFETCH_STOP, 0);
	l->block = open("/sys/block", O_PATH | O_DIRECTORY | O_CLOEXEC);
	l->disk = open(l->dev, O_RDONLY | O_CLOEXEC);
	if (l->disk < 0)
		return nbd_diag(d, NBD_E_NO_DEVICE, "open %s: %s", l->dev,
				strerror(errno));
	if (prefetch_trace_open(&l->trace, l->dev, d))
		boot_say("prefetch: %s: no list of this boot", d->text);
	return NBD_OK;
}

static bool is_stopped(const struct prefetch_learn *l)
{
	return !faccessat(l->run, PREFETCH_STOP, F_OK, 0);
}

/* KiB that were read of a disk: the third number of its line. */
static uint64_t read_of(const struct prefetch_learn *l, const char *disk)
{
	char path[64], text[256], *p = text;

	nbd_fmt(path, sizeof(path), "%s/stat", disk);
	file_read(l->block, path, text, sizeof(text));
	for (unsigned i = 0; i < 2; i++) {
		p += strspn(p, " ");
		p += strcspn(p, " ");
	}
	return strtoull(p, NULL, 10) / 2;
}

/* The fetch reads what is below the mapping. */
static bool is_fetching(const struct prefetch_learn *l, uint64_t *before)
{
	char disk[64];
	uint64_t now;

	nbd_fmt(disk, sizeof(disk), "../dev/block/%s", l->below);
	now = read_of(l, disk);
	if (now == *before)
		return false;
	*before = now;
	return true;
}

/* A mirror that holds writes ends it as well: they go on without. */
static void wait_for_the_end(struct prefetch_learn *l, struct dm *m)
{
	uint64_t begin = nbd_now_ms(), last = begin, now = begin, below = 0;
	bool traced = l->trace.pipe >= 0;

	while (now - begin < MOST_MS && !is_stopped(l) &&
	       !mapper_is_stuck(m, l->index, l->state, sizeof(l->state)) &&
	       (!traced || now - last < QUIET_MS)) {
		poll(NULL, 0, LOOK_MS);
		now = nbd_now_ms();
		if (prefetch_trace_read(&l->trace, &l->list) |
		    is_fetching(l, &below))
			last = now;
	}
	prefetch_trace_read(&l->trace, &l->list);
	prefetch_trace_close(&l->trace);
}

static void flush(struct nbd_out *o)
{
	size_t at = 0;
	ssize_t n;

	for (; at < o->len; at += (size_t)n) {
		n = write(o->fd, o->buf + at, o->len - at);
		if (n < 0) {
			o->cut = true;
			break;
		}
	}
	o->len = 0;
}

/* A part of it is none: the last line is missing. */
static int write_list(struct prefetch_learn *l, struct nbd_diag *d)
{
	char buf[1024];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf), .flush = flush };

	prefetch_join(&l->list, GAP);
	unlinkat(l->run, PREFETCH_LEARNT, 0);
	o.fd = openat(l->run, PREFETCH_LEARNT,
		      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (o.fd >= 0) {
		prefetch_print(&l->list, &o);
		flush(&o);
		close(o.fd);
	}
	if (o.fd >= 0 && !o.cut)
		return NBD_OK;
	return nbd_diag(d, NBD_E_IO, "write /run/" PREFETCH_LEARNT ": %s",
			strerror(errno));
}

/* How much of it came from where. */
static void report(const struct prefetch_learn *l)
{
	const char *dm = l->dev + sizeof("/dev/") - 1, *name;
	uint64_t all = read_of(l, dm), ram = 0;
	char path[64];
	struct dir dir;

	nbd_fmt(path, sizeof(path), "%s/slaves", dm);
	dir_take(&dir,
		 openat(l->block, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	while ((name = dir_next(&dir)))
		if (!strncmp(name, "loop", 4))
			ram += read_of(l, name);
	dir_close(&dir);
	boot_say("prefetch: the boot has read %llu KiB of its root, %llu of "
		 "them from RAM",
		 (unsigned long long)all, (unsigned long long)ram);
}

/* NBD_E_NOT_FOUND: the way down, or a new try of the boot, has removed it. */
static int map_one_to_one(const struct prefetch_learn *l, struct dm *m,
			  bool read_only, struct nbd_diag *d)
{
	char table[128], ahead[80], value[24];
	int rc, n;

	nbd_fmt(ahead, sizeof(ahead), "%s/queue/read_ahead_kb",
		l->dev + sizeof("/dev/") - 1);
	n = file_read(l->block, ahead, value, sizeof(value));
	nbd_fmt(table, sizeof(table), "0 %llu linear %s 0\n",
		(unsigned long long)l->list.sectors, l->below);
	rc = mapper_set(m, l->index, table, read_only, d);
	/* a new table has the kernel's default */
	if (!rc && n > 0)
		file_write(l->block, ahead, value, (size_t)n);
	return rc;
}

int prefetch_learn_run(struct prefetch_learn *l, struct nbd_diag *d)
{
	bool traced = l->trace.pipe >= 0;
	char sys[80];
	bool read_only;
	struct dm m;
	int rc = dm_open(&m, ROOM, d);

	if (rc)
		return rc;
	nbd_fmt(sys, sizeof(sys), "/sys/dev/block/%s/ro", l->below);
	read_only = file_number(AT_FDCWD, sys);
	boot_log_to_kernel();
	boot_harden();
	/* the ioctls of the mapping, and memory that is locked */
	boot_confine(1u << CAP_SYS_ADMIN | 1u << CAP_IPC_LOCK);
	boot_ready_tell();
	l->name_image(l->list.image, l->disk);
	close(l->disk);
	wait_for_the_end(l, &m);
	if (traced && write_list(l, d))
		boot_say("prefetch: %s", d->text);
	report(l);
	rc = map_one_to_one(l, &m, read_only, d);
	dm_close(&m);
	unlinkat(l->run, PREFETCH_STOP, 0);
	return rc == NBD_E_NOT_FOUND ? NBD_OK : rc;
}
