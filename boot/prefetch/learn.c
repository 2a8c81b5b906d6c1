/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	trace --> harden --> ready --> read the trace ... --> list
 *	                                 quiet, or stop  --> one to one --> end
 *
 * It uses its own memory, /run and the kernel: an outage cannot stop it, and a
 * table is changed by one call, which waits for the reads in flight.  Its guard
 * does the last step if it is killed.
 */
#include "boot/prefetch/learn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "boot/system/confine.h"
#include "boot/system/console.h"
#include "boot/system/harden.h"
#include "boot/system/ready.h"
#include "boot/mapper/mapper.h"
#include "boot/prefetch/guard.h"
#include "boot/prefetch/seen.h"
#include "port/linux/dir.h"
#include "port/linux/dm.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"

/* ms between two looks. */
#define LOOK_MS	 250
/* ms without a read, and in all. */
#define QUIET_MS 15000
#define MOST_MS	 120000
/* Times that it tries to free the RAM, with a second in between. */
#define TRIES	 120
#define PAUSE_MS 1000
/* Sectors: a gap up to it is read as well.  64 KiB. */
#define GAP	 128
/* Bytes for a table of one target. */
#define ROOM	 (DM_ROOM + 1024)

/* What is mapped; 0: a partition, whose reads are those of its disk. */
static dev_t whole(const struct prefetch_learn *l)
{
	char path[64], *end;
	unsigned n = (unsigned)strtoul(l->below, &end, 10);

	nbd_fmt(path, sizeof(path), "/sys/dev/block/%s/partition", l->below);
	return *end != ':' || !access(path, F_OK)
		       ? 0
		       : makedev(n, (unsigned)strtoul(end + 1, NULL, 10));
}

/* A root without a mapping: its numbers, and where it begins on its disk. */
static int use_device(struct prefetch_learn *l, const char *dev,
		      struct nbd_diag *d)
{
	char path[96];
	struct stat st;

	if (stat(dev, &st) || !S_ISBLK(st.st_mode))
		return nbd_diag(d, NBD_E_NO_DEVICE, "%s: not a block device",
				dev);
	nbd_fmt(l->dev, sizeof(l->dev), "%s", dev);
	nbd_fmt(l->below, sizeof(l->below), "%u:%u", major(st.st_rdev),
		minor(st.st_rdev));
	nbd_fmt(path, sizeof(path), "/sys/dev/block/%s/size", l->below);
	l->list.sectors = file_number(AT_FDCWD, path);
	nbd_fmt(path, sizeof(path), "/sys/dev/block/%s/start", l->below);
	l->trace.skip = file_number(AT_FDCWD, path);
	return NBD_OK;
}

/* Removes what the boot before this one has left, and keeps others away. */
static int take_run(struct prefetch_learn *l, struct nbd_diag *d)
{
	l->run = file_run();
	if (l->run < 0)
		return nbd_diag(d, NBD_E_IO, "open /run: %s", strerror(errno));
	unlinkat(l->run, PREFETCH_STOP, 0);
	/* of the root before this one */
	unlinkat(l->run, PREFETCH_SEEN, 0);
	unlinkat(l->run, PREFETCH_LEARNT, 0);
	unlinkat(l->run, PREFETCH_RAM, 0);
	l->lock = openat(l->run, PREFETCH_LOCK, O_RDONLY | O_CREAT | O_CLOEXEC,
			 0600);
	if (l->lock >= 0)
		flock(l->lock, LOCK_SH);
	if (!l->mapped)
		l->near = (uint32_t)file_number(l->run, PREFETCH_NEAR);
	return l->mapped ? mapper_lock(l->run, l->index, true, d) : NBD_OK;
}

static int read_wbt(const struct prefetch_learn *l, char path[64],
		    char text[16])
{
	nbd_fmt(path, 64, "nbd%d/" MAPPER_WBT, l->index);
	return file_read(AT_FDCWD, path, text, 16);
}

/* Requests wait until those before them are answered, so only if it differs. */
static void restore_wbt(const struct prefetch_learn *l)
{
	char path[64], text[16];

	if (l->wbt[0] && read_wbt(l, path, text) > 0 && strcmp(text, l->wbt))
		file_write(AT_FDCWD, path, l->wbt, strlen(l->wbt));
}

int prefetch_learn_begin(struct prefetch_learn *l, int index, const char *dev,
			 struct nbd_diag *d)
{
	char disk[24], path[64];
	int rc;

	l->index = index;
	l->mapped = !dev;
	rc = dev ? use_device(l, dev, d)
		 : mapper_below(index, l->dev, l->below, &l->list.sectors, d);
	if (!rc)
		rc = take_run(l, d);
	if (rc)
		return rc;
	/* names of disks are paths from here on: the root has no /sys later */
	if (chdir("/sys/block"))
		return nbd_diag(d, NBD_E_IO, "/sys/block: %s", strerror(errno));
	nbdk_sys = ".";
	read_wbt(l, path, l->wbt);
	l->disk = open(l->dev, O_RDONLY | O_CLOEXEC);
	if (l->disk < 0)
		return nbd_diag(d, NBD_E_NO_DEVICE, "open %s: %s", l->dev,
				strerror(errno));
	nbd_fmt(disk, sizeof(disk), "/dev/nbd%d", index);
	/* the reads of a partition are those of its disk */
	if (prefetch_trace_open(&l->trace, l->mapped ? l->dev : disk, whole(l),
				d))
		boot_say("prefetch: %s: no list of this boot", d->text);
	return NBD_OK;
}

static bool is_stopped(const struct prefetch_learn *l)
{
	return !faccessat(l->run, PREFETCH_STOP, F_OK, 0);
}

/* The n-th number of a file of a disk. */
static uint64_t number_of(const char *disk, const char *file, unsigned n)
{
	char path[64], text[256];

	nbd_fmt(path, sizeof(path), "%s/%s", disk, file);
	file_read(AT_FDCWD, path, text, sizeof(text));
	return file_nth_number(text, n);
}

/* KiB that were read of it. */
static uint64_t read_of(const char *disk)
{
	return number_of(disk, "stat", 2) / 2;
}

/* The fetch reads what is below the mapping. */
static bool is_fetching(const struct prefetch_learn *l, uint64_t *before)
{
	char disk[64];
	uint64_t now;

	nbd_fmt(disk, sizeof(disk), "../dev/block/%s", l->below);
	now = read_of(disk);
	if (now == *before)
		return false;
	*before = now;
	return true;
}

/*
 * A mirror that holds writes ends it as well: they go on without.  dm: or NULL.
 */
static void wait_for_the_end(struct prefetch_learn *l, struct dm *dm)
{
	uint64_t begin = nbd_now_ms(), last = begin, now = begin, below = 0;
	bool traced = l->trace.pipe >= 0;

	while (now - begin < MOST_MS && !is_stopped(l) &&
	       !(dm && mapper_is_stuck(dm, l->index)) &&
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

static void add_ram(const char *loop, struct prefetch_seen *s)
{
	s->n[PREFETCH_RAM_READS] += number_of(loop, "stat", 0);
	s->n[PREFETCH_RAM_KIB] += read_of(loop);
}

/* What is written to has the RAM behind a mirror. */
static bool is_mirror(const char *dm)
{
	static const char mirror[] = MAPPER_PREFIX MAPPER_MIRROR;
	char path[64], name[sizeof(mirror)];

	nbd_fmt(path, sizeof(path), "%s/dm/name", dm);
	file_read(AT_FDCWD, path, name, sizeof(name));
	return !strcmp(name, mirror);
}

static void add_all(const char *dm, bool mirror, struct prefetch_seen *s)
{
	const char *name;
	char path[64];
	struct dir dir;

	nbd_fmt(path, sizeof(path), "%s/slaves", dm);
	dir_take(&dir, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	while ((name = dir_next(&dir)))
		if (!strncmp(name, "loop", 4))
			add_ram(name, s);
		else if (!mirror && is_mirror(name))
			add_all(name, true, s);
		else if (!strncmp(name, "dm-", 3))
			s->n[PREFETCH_CACHE_KIB] += read_of(name);
	dir_close(&dir);
}

/* How much of it came from where.  What was read twice counts twice. */
static void report(const struct prefetch_learn *l)
{
	const char *name = l->dev + sizeof("/dev/") - 1;
	char dm[64];
	struct prefetch_seen s = { { [PREFETCH_DEVICE] = (uint64_t)l->index } };
	uint64_t *n = s.n, spared;

	/* a partition is not in /sys/block itself */
	nbd_fmt(dm, sizeof(dm), "../class/block/%s", name);
	n[PREFETCH_NEAR_US] = l->near;
	n[PREFETCH_READS] = number_of(dm, "stat", 0);
	n[PREFETCH_KIB] = read_of(dm);
	n[PREFETCH_WAITED_MS] = number_of(dm, "stat", 3);
	n[PREFETCH_FETCHED_KIB] = file_number(l->run, PREFETCH_RAM);
	add_all(dm, false, &s);
	if (n[PREFETCH_RAM_KIB] < n[PREFETCH_FETCHED_KIB])
		n[PREFETCH_VAIN_KIB] =
			n[PREFETCH_FETCHED_KIB] - n[PREFETCH_RAM_KIB];
	spared = n[PREFETCH_RAM_KIB] + n[PREFETCH_CACHE_KIB];
	boot_say("prefetch: the boot has read %llu KiB of its root, %llu of "
		 "them from %s",
		 (unsigned long long)n[PREFETCH_KIB],
		 (unsigned long long)spared,
		 n[PREFETCH_CACHE_KIB] ? "the cache" : "RAM");
	if (prefetch_seen_write(&s, l->run))
		boot_say("prefetch: write /run/" PREFETCH_SEEN ": %s",
			 strerror(errno));
}

/* ---- the end ---- */

struct undo {
	struct prefetch_learn *l;
	struct dm *m;
	bool read_only;
};

static int map_one_to_one(const struct undo *u, struct nbd_diag *d)
{
	const struct prefetch_learn *l = u->l;
	char table[128], size[64];
	uint64_t sectors;
	int rc;

	/* it costs no RAM */
	if (mapper_is_cached(u->m, l->index))
		return NBD_OK;
	/* the device may have grown */
	nbd_fmt(size, sizeof(size), "../dev/block/%s", l->below);
	sectors = number_of(size, "size", 0);
	if (sectors < l->list.sectors)
		sectors = l->list.sectors;
	nbd_fmt(table, sizeof(table), "0 %llu linear %s 0\n",
		(unsigned long long)sectors, l->below);
	rc = mapper_set_plain(u->m, l->index, table, u->read_only, d);
	if (!rc)
		restore_wbt(l);
	return rc;
}

/* Not to be given up at once: a mirror may hold writes. */
static int undo(const struct undo *u, struct nbd_diag *d)
{
	int rc = map_one_to_one(u, d);

	/* the way down, or a new try of the boot, has removed it */
	for (unsigned i = 1; rc && rc != NBD_E_NOT_FOUND && i < TRIES; i++) {
		poll(NULL, 0, PAUSE_MS);
		rc = map_one_to_one(u, d);
	}
	return rc == NBD_E_NOT_FOUND ? NBD_OK : rc;
}

/* The mapping would be busy, and so would be the instance of the trace. */
static void part(void *ctx)
{
	struct prefetch_learn *l = ((const struct undo *)ctx)->l;

	close(l->disk);
	if (l->trace.pipe >= 0)
		close(l->trace.pipe);
	l->trace.pipe = -1;
}

static void mend(void *ctx)
{
	const struct undo *u = ctx;
	struct nbd_diag d;

	prefetch_trace_close(&u->l->trace);
	boot_say("prefetch: the process that lists the reads was killed: no "
		 "list of this boot");
	if (undo(u, &d))
		boot_say("prefetch: %s", d.text);
	unlinkat(u->l->run, PREFETCH_STOP, 0);
}

/* Then writes the list. */
static void listen(struct prefetch_learn *l, struct dm *dm, struct nbd_diag *d)
{
	bool traced = l->trace.pipe >= 0;

	l->name_image(l->list.image, l->disk);
	close(l->disk);
	wait_for_the_end(l, dm);
	if (traced && write_list(l, d))
		boot_say("prefetch: %s", d->text);
	report(l);
}

/* With a guard, as something has to be undone. */
static int run_mapped(struct prefetch_learn *l, struct nbd_diag *d)
{
	struct prefetch_guard guard;
	struct dm dm;
	struct undo u = { .l = l, .m = &dm };
	char sys[80];
	int rc = dm_open(&dm, ROOM, d);

	if (rc) {
		prefetch_trace_close(&l->trace);
		return rc;
	}
	nbd_fmt(sys, sizeof(sys), "/sys/dev/block/%s/ro", l->below);
	u.read_only = file_number(AT_FDCWD, sys);
	boot_log_to_kernel();
	boot_harden();
	prefetch_guard_begin(&guard,
			     &(struct prefetch_guarded){ part, mend, &u });
	/* the ioctls of the mapping, and memory that is locked */
	boot_confine(1u << CAP_SYS_ADMIN | 1u << CAP_IPC_LOCK);
	boot_ready_tell();
	listen(l, &dm, d);
	rc = undo(&u, d);
	dm_close(&dm);
	/* the guard tries it as well */
	if (!rc)
		prefetch_guard_end(&guard);
	return rc;
}

static int run_plain(struct prefetch_learn *l, struct nbd_diag *d)
{
	boot_log_to_kernel();
	boot_harden();
	/* memory that is locked */
	boot_confine(1u << CAP_IPC_LOCK);
	boot_ready_tell();
	listen(l, NULL, d);
	return NBD_OK;
}

int prefetch_learn_run(struct prefetch_learn *l, struct nbd_diag *d)
{
	int rc = l->mapped ? run_mapped(l, d) : run_plain(l, d);

	unlinkat(l->run, PREFETCH_STOP, 0);
	return rc;
}
