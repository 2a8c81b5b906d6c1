/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	look -> mark: copying -> mirror ... in sync -> hold -> flush
 *	     -> mark: complete -> linear -> resume
 *
 * While requests are held the device and the server are the same, so that the
 * mark may be written at any time then: a machine that loses its power before
 * that has its server, and behind it a complete device.
 */
#include "boot/clone/clone.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "boot/clone/throttle.h"
#include "boot/mapper/mapper.h"
#include "boot/system/console.h"
#include "boot/system/ready.h"
#include "port/linux/dm.h"
#include "port/linux/file.h"
#include "port/linux/module.h"
#include "port/linux/nbdk.h"

/* Sectors of a region, which the kernel copies at a time: 4 MiB. */
#define REGION	8192u
/* ms between two looks: a mirror may hold writes for so long. */
#define LOOK_MS 250
#define SECTOR	512u

struct work {
	struct clone *c;
	struct dm m;
	char dev[MAPPER_PATH], below[MAPPER_PATH]; /* the mapping, and "43:0" */
	struct clone_disk to;			   /* the device */
	uint64_t sectors;			   /* of the image */
	bool read_only;				   /* the mapping */
	struct clone_mark mark;
};

/* ---- the device ---- */

int clone_mark_read(struct clone_mark *m, int fd, uint64_t size,
		    struct nbd_diag *d)
{
	char text[CLONE_MARK];
	uint64_t at = clone_mark_at(size);

	if (!at)
		return nbd_diag(d, NBD_E_NOT_FOUND, "it is too small");
	if (!file_read_at(fd, text, sizeof(text), at))
		return nbd_diag(d, NBD_E_IO, "read its mark: %s",
				strerror(errno));
	return clone_mark_parse(m, text, size / SECTOR, d);
}

/* All that was written before is there when it returns. */
static int write_mark(struct work *w, enum clone_state state,
		      struct nbd_diag *d)
{
	char text[CLONE_MARK];

	w->mark.state = state;
	clone_mark_print(&w->mark, text);
	if (fsync(w->to.fd) ||
	    !file_write_at(w->to.fd, text, sizeof(text),
			   clone_mark_at(w->to.size)) ||
	    fsync(w->to.fd))
		return clone_disk_failed(&w->to, "mark", d);
	return NBD_OK;
}

/*
 * What others have written behind the image, as the members of a RAID, and what
 * may stay at the beginning if the copy is cut short: see may_go_on().
 */
static int wipe_ends(struct work *w, struct nbd_diag *d)
{
	int rc = clone_disk_wipe(&w->to, 0, CLONE_TAIL, d);

	return rc ? rc
		  : clone_disk_wipe(&w->to, clone_mark_at(w->to.size),
				    w->to.size, d);
}

/* Does it begin as this root does, or as a part of its copy? */
static bool is_begun(const struct work *w)
{
	int source = open(w->dev, O_RDONLY | O_CLOEXEC);
	bool same = source >= 0 && w->c->eyes->is_begun(w->to.fd, source);

	if (source >= 0)
		close(source);
	return same;
}

/*
 * Was a copy of this root cut short there?  The mark alone does not say so: a
 * file system that is made there leaves it as it is.
 */
static bool may_go_on(const struct work *w, const struct clone_mark *old)
{
	return old->state == CLONE_COPYING && old->sectors == w->sectors &&
	       old->part == w->mark.part &&
	       !strcmp(old->image, w->mark.image) && is_begun(w);
}

/*
 * A disk that has become larger or smaller has its mark elsewhere, and is still
 * the machine's own.
 */
static bool may_be_clone(const struct work *w)
{
	return !w->c->eyes->is_blank(w->to.fd, 0, CLONE_TAIL) && is_begun(w);
}

static int fits(const struct work *w, struct nbd_diag *d)
{
	uint64_t need = w->sectors * SECTOR + CLONE_TAIL;
	if (w->to.size < need ||
	    clone_mark_at(w->to.size) < w->sectors * SECTOR)
		return nbd_diag(d, NBD_E_USAGE,
				"%s is too small: it has %llu bytes, and %llu "
				"are needed",
				w->to.path, (unsigned long long)w->to.size,
				(unsigned long long)need + 4096);
	return clone_disk_check(&w->to, w->dev + sizeof("/dev/") - 1, d);
}

/*
 * A clone that is replaced.  Its mark changes first, as the machine boots from a
 * complete one; and no old superblock may stay there: see may_go_on().
 */
static int give_up(struct work *w, struct nbd_diag *d)
{
	int rc = write_mark(w, CLONE_COPYING, d);

	return rc ? rc : clone_disk_wipe(&w->to, 0, CLONE_TAIL, d);
}

/* May what it holds be lost? */
static int may_erase(struct work *w, struct nbd_diag *d)
{
	const struct clone_spec *s = &w->c->spec;
	char text[CLONE_HOLD];
	/* clang's analyzer does not see that it is set if rc is 0 */
	struct clone_mark old = { 0 };
	int rc = clone_mark_read(&old, w->to.fd, w->to.size, d);

	if (rc == NBD_E_IO)
		return nbd_diag_prefix(d, rc, "%s", w->to.path);
	if (!rc && old.state == CLONE_COMPLETE && !s->again)
		return nbd_diag(
			d, NBD_E_IN_USE,
			"%s holds a clone, of %s: \"again\" replaces it",
			w->to.path, old.image);
	if (!rc && old.state == CLONE_COMPLETE)
		return give_up(w, d);
	if (!rc && may_go_on(w, &old))
		return NBD_OK;
	if (!w->c->eyes->look(w->to.fd, w->to.name, w->to.size, text))
		return NBD_OK;
	if (!s->erase)
		return nbd_diag(d, NBD_E_IN_USE,
				"%s is not empty: it holds %s; \"erase\" "
				"overwrites it",
				w->to.path, text);
	if (rc && !s->again && may_be_clone(w))
		return nbd_diag(
			d, NBD_E_IN_USE,
			"%s may hold a clone whose mark is lost, as of a disk "
			"of another size: \"again\" and \"erase\" replace it",
			w->to.path);
	boot_say("clone: erasing %s, which holds %s", w->to.path, text);
	return wipe_ends(w, d);
}

/* The file system of the root has its UUID on the device, too. */
static int keeps_name(const struct work *w, struct nbd_diag *d)
{
	int rc = clone_spec_stays(&w->c->spec, d);

	return rc && is_begun(w) ? NBD_OK : rc;
}

/* From here on the device holds a part of a copy. */
static int claim(struct work *w, struct nbd_diag *d)
{
	/* exclusive: not mounted, no swap, no part of another device */
	int rc = clone_disk_open(&w->to, O_EXCL, d);

	w->mark.device = w->to.size / SECTOR;
	if (!rc)
		rc = fits(w, d);
	if (!rc)
		rc = keeps_name(w, d);
	if (!rc)
		rc = may_erase(w, d);
	if (!rc)
		rc = write_mark(w, CLONE_COPYING, d);
	/* the kernel writes beside the pages that it has in memory */
	if (!rc && ioctl(w->to.fd, BLKFLSBUF, 0))
		rc = clone_disk_failed(&w->to, "flush", d);
	clone_disk_close(&w->to);
	/* the mapping claims it, and this one is for the mark */
	return rc ? rc : clone_disk_open(&w->to, 0, d);
}

/* ---- the tables ---- */

/* What is mapped has to be nbdN, or a partition of it. */
static int find_source(struct work *w, struct nbd_diag *d)
{
	int rc = mapper_below(w->c->index, w->dev, w->below, &w->sectors, d);
	char name[CLONE_PATH], sys[64];

	if (rc == NBD_E_NOT_FOUND)
		return nbd_diag(d, rc,
				"nbd%d has no mapping below its root: it has "
				"to be booted with nbdboot.clone=",
				w->c->index);
	if (rc)
		return rc;
	clone_name_of(w->below, name);
	if (nbdk_parse_part(name, &w->mark.part) != w->c->index)
		return nbd_diag(d, NBD_E_MISMATCH,
				"the root is on %s, not on nbd%d", name,
				w->c->index);
	nbd_fmt(sys, sizeof(sys), "/sys/dev/block/%s/ro", w->below);
	w->read_only = file_number(AT_FDCWD, sys);
	rc = clone_check_alone(w->dev + sizeof("/dev/") - 1, d);
	if (rc)
		return rc;
	w->mark.sectors = w->sectors;
	nbd_fmt(w->mark.image, sizeof(w->mark.image), "%s", w->c->image);
	return NBD_OK;
}

static void one_to_one(const struct work *w, const char *dev, char table[128])
{
	nbd_fmt(table, 128, "0 %llu linear %s 0\n",
		(unsigned long long)w->sectors, dev);
}

/* A region must not be longer than the target. */
static int begin_mirror(struct work *w, struct nbd_diag *d)
{
	uint64_t region = REGION;
	char table[192];

	while (region > w->sectors)
		region /= 2;
	nbd_fmt(table, sizeof(table),
		"0 %llu mirror core 1 %llu 2 %s 0 %s 0 1 handle_errors\n",
		(unsigned long long)w->sectors, (unsigned long long)region,
		w->below, w->to.number);
	return mapper_set(&w->m, w->c->index, table, w->read_only, d);
}

static void end_mirror(struct work *w)
{
	char table[128];
	struct nbd_diag d;
	int rc;

	one_to_one(w, w->below, table);
	rc = mapper_set(&w->m, w->c->index, table, w->read_only, &d);
	/* the way down has removed it */
	if (rc && rc != NBD_E_NOT_FOUND)
		boot_say("clone: %s", d.text);
}

/* All of it is there, and nobody has failed. */
static int is_sound(struct work *w, struct mapper_mirror *state,
		    struct nbd_diag *d)
{
	int rc = mapper_mirror(&w->m, w->c->index, state, d);

	if (!rc && (!state->source || !state->copy))
		rc = nbd_diag(d, NBD_E_IO, "%s failed",
			      state->copy ? "the server" : w->to.path);
	return rc;
}

static void undo(void *ctx)
{
	struct work *w = ctx;
	struct nbd_diag d;

	if (write_mark(w, CLONE_COPYING, &d))
		boot_say("clone: %s: its mark may say that it is the root, "
			 "and it is not: do not boot from it",
			 d.text);
}

static int ready(void *ctx, struct nbd_diag *d)
{
	struct work *w = ctx;
	struct mapper_mirror state;
	int rc = is_sound(w, &state, d);

	if (!rc && state.done != state.all)
		rc = nbd_diag(d, NBD_E_AGAIN, "not all is copied");
	if (rc)
		return rc;
	rc = write_mark(w, CLONE_COMPLETE, d);
	/* a disk that fails to flush it may have it nevertheless */
	if (rc)
		undo(w);
	return rc;
}

static int finish(struct work *w, struct nbd_diag *d)
{
	const struct mapper_mover mover = { ready, undo, w };
	char table[128];

	one_to_one(w, w->to.number, table);
	return mapper_move(&w->m, w->c->index, table, w->read_only, &mover, d);
}

/* To systemd each percent, if it has started this; to the console each tenth. */
static void report(const struct work *w, unsigned was, unsigned percent)
{
	char text[CLONE_PATH + 48];

	if (percent == was)
		return;
	nbd_fmt(text, sizeof(text), "%u %% of %llu MiB are on %s", percent,
		(unsigned long long)w->sectors / 2048, w->to.name);
	boot_ready_status(text);
	if (percent / 10 != was / 10)
		boot_say("clone: %s", text);
}

/*
 * Of the mapping, for which the copy itself does not count: reads and writes that
 * have ended, and ms in which there were any.
 */
static uint64_t use_of(const struct work *w)
{
	char sys[64], text[256];

	nbd_fmt(sys, sizeof(sys), "/sys/block/%s/stat",
		w->dev + sizeof("/dev/") - 1);
	file_read(AT_FDCWD, sys, text, sizeof(text));
	return file_nth_number(text, 0) + file_nth_number(text, 4) +
	       file_nth_number(text, 9);
}

/* Until all is copied. */
static int await(struct work *w, struct nbd_diag *d)
{
	struct clone_throttle throttle;
	struct mapper_mirror state;
	unsigned was = 0, now;
	int rc;

	clone_throttle_begin(&throttle, w->c->spec.rate);
	for (;;) {
		rc = is_sound(w, &state, d);
		if (rc || state.done >= state.all)
			break;
		now = (unsigned)(state.done * 100 / state.all);
		report(w, was, now);
		was = now;
		clone_throttle_keep(&throttle,
				    state.done * (w->sectors / state.all),
				    use_of(w));
		if (w->c->is_stopped(LOOK_MS)) {
			rc = nbd_diag(d, NBD_E_INTERRUPTED, "it was stopped");
			break;
		}
	}
	clone_throttle_end(&throttle);
	return rc;
}

static int move(struct work *w, struct nbd_diag *d)
{
	int rc = begin_mirror(w, d);

	if (rc)
		return rc;
	boot_say("clone: copying %llu MiB to %s, which becomes the root",
		 (unsigned long long)w->sectors / 2048, w->to.path);
	do {
		rc = await(w, d);
		if (!rc)
			rc = finish(w, d);
		/* a write has made a region differ at the last moment */
	} while (rc == NBD_E_AGAIN && !w->c->is_stopped(LOOK_MS));
	if (rc)
		end_mirror(w);
	return rc;
}

/* A rescue system may have no file of the module that it has loaded. */
int clone_load(struct nbd_diag *d)
{
	return access("/sys/module/dm_mirror", F_OK)
		       ? mod_load("dm_mirror", "", d)
		       : NBD_OK;
}

static int copy(struct work *w, struct nbd_diag *d)
{
	int rc = w->c->eyes->find(w->to.path, w->c->spec.device, d);

	if (!rc)
		rc = clone_load(d);
	if (!rc)
		rc = find_source(w, d);
	if (!rc)
		rc = claim(w, d);
	if (!rc)
		rc = move(w, d);
	clone_disk_close(&w->to);
	return rc;
}

/* Another process may copy for hours, and a signal ends the wait for it. */
static int lock(const struct clone *c, struct nbd_diag *d)
{
	bool said = false;
	int rc;

	while ((rc = mapper_lock(c->run, c->index, false, d)) == NBD_E_AGAIN) {
		if (!said)
			boot_say("clone: waiting for another clone or cache");
		said = true;
		if (c->is_stopped(LOOK_MS))
			return nbd_diag(d, NBD_E_INTERRUPTED, "it was stopped");
	}
	return rc;
}

int clone_run(struct clone *c, struct nbd_diag *d)
{
	struct work w = { .c = c, .to.fd = -1 };
	struct nbd_diag why;
	int rc = lock(c, d);

	if (!rc)
		rc = dm_open(&w.m, DM_ROOM, d);
	if (rc)
		return rc;
	rc = copy(&w, d);
	dm_close(&w.m);
	if (rc)
		return rc;
	boot_say("clone: %s is the root", w.to.path);
	boot_ready_status("all of it is on the disk, which is the root");
	if (nbdk_release(c->index, NBDK_MOMENT, &why))
		boot_say("clone: nbd%d stays connected: %s", c->index,
			 why.text);
	else
		boot_say("clone: nbd%d is disconnected: the server is not "
			 "needed any more",
			 c->index);
	return NBD_OK;
}
