/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot.clone=DEVICE: the root moves there, and the next boot is from there.
 *
 *	            the server says that its image is that of the mark
 *	connect ----------------------------------------------.
 *	   |  otherwise                                        v
 *	   v                                                 device
 *	server, and a process that copies                      ^
 *	   no server for nbdboot.local-after= seconds ---------'
 */
#include "boot/init/cloner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "boot/device/device.h"
#include "boot/init/clone_target.h"
#include "boot/init/mount.h"
#include "boot/init/steps.h"
#include "boot/mapper/mapper.h"
#include "boot/system/console.h"
#include "boot/system/ready.h"
#include "boot/words/word.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"
#include "port/linux/process.h"

#define WORD_CLONE "nbdboot.clone"
/* s of nbdboot.local-after=. */
#define AFTER	   30
/* ms between two looks, without a read, and at most. */
#define LOOK_MS	   250
#define QUIET_MS   5000
#define MOST_MS	   120000

const struct word init_cloner_words[] = {
	WORD(WORD_CLONE, clone, WORD_TEXT, WORD_OURS | WORD_ONCE),
	WORD_RANGE("nbdboot.local-after", local_after, WORD_OURS | WORD_ONCE, 1,
		   0),
	WORD_END
};

/* ---- the disk in place of the server ---- */

/* What a child finds out about the local disk, which may hang. */
struct local {
	char device[CLONE_DEVICE];
	char below[PART_PATH]; /* "/dev/nbd0p2": the server's; "": any */
	int index;	       /* of nbdN, or < 0 */
	char dev[PART_PATH];   /* the mapping, or "" */
	char disk[LOOP_NAME];
};

static bool is_same(const struct clone_mark *m, const struct local *l)
{
	/* of a child: too large for a stack */
	static struct device dev;
	unsigned part = 0;
	char sys[96];

	nbdk_parse_part(l->below, &part);
	nbd_fmt(sys, sizeof(sys), "/sys/class/block/%s/size", l->below + 5);
	return !device_identify(&dev, l->index, NULL) && dev.b.identity &&
	       !strcmp(dev.b.identity, m->image) && m->part == part &&
	       m->sectors == file_number(AT_FDCWD, sys);
}

/* The kernel's name, as that of a link may be long, or have a slash. */
static void name_disk(char disk[LOOP_NAME], const char *path)
{
	char number[24], name[CLONE_PATH];
	struct stat st;

	if (stat(path, &st))
		return;
	nbd_fmt(number, sizeof(number), "%u:%u", major(st.st_rdev),
		minor(st.st_rdev));
	clone_name_of(number, name);
	nbd_fmt(disk, LOOP_NAME, "%s", name);
}

static int look(void *data, struct nbd_diag *d)
{
	struct local *l = data;
	char path[CLONE_PATH];
	struct clone_mark m;
	int rc = init_clone_await(path, l->device, d);

	l->dev[0] = '\0';
	if (!rc)
		rc = init_clone_mark(&m, path, d);
	/* no clone is there yet: no reason for a line */
	if (rc)
		return rc == NBD_E_NOT_FOUND ? NBD_OK : rc;
	if (m.state != CLONE_COMPLETE)
		return NBD_OK;
	if (l->index >= 0 && !is_same(&m, l))
		return nbd_diag(d, NBD_E_MISMATCH,
				"%s holds a clone of another image, %s", path,
				m.image);
	/* who wipes the beginning of a disk leaves the mark */
	if (l->index >= 0 && !init_clone_has_super(path) &&
	    init_clone_has_super(l->below))
		return nbd_diag(d, NBD_E_MISMATCH,
				"%s holds a clone without its file system: "
				"\"again\" replaces it",
				path);
	rc = mapper_local(path, m.sectors, l->dev, d);
	if (rc)
		l->dev[0] = '\0';
	name_disk(l->disk, path);
	return rc;
}

/* Returns true if the root is the disk's from here on. */
static bool choose(struct boot *b, bool alone)
{
	struct local l = { .index = alone ? -1 : b->index };
	struct clone_spec s;
	struct nbd_diag d;

	if (!b->cmd.clone || clone_spec_parse(&s, b->cmd.clone, NULL))
		return false;
	/* what it holds is to be replaced */
	if (s.again && !alone)
		return false;
	memcpy(l.device, s.device, sizeof(l.device));
	memcpy(l.below, b->dev, sizeof(l.below));
	if (process_run(look, &l, sizeof(l), "look at the disk", STEP_READ_MS,
			&d))
		boot_say(WORD_CLONE ": %s", d.text);
	if (!l.dev[0])
		return false;
	memcpy(b->dev, l.dev, sizeof(b->dev));
	memcpy(b->disk, l.disk, sizeof(b->disk));
	b->local = true;
	return true;
}

/* Without a network no try has come to the words of the mount. */
static void mount_as_words_say(struct boot *b)
{
	if (!b->root.fstype)
		b->root.fstype = b->spec.fstype;
	if (!b->root.options)
		b->root.options = b->spec.options;
}

/* Once a try has failed, and so many seconds have passed. */
static int do_alone(struct boot *b, struct nbd_diag *d)
{
	unsigned after = b->cmd.local_after ? (unsigned)b->cmd.local_after
					    : AFTER;

	(void)d;
	if (!b->clone.tried)
		b->clone.tried = nbd_now_ms();
	else if (nbd_now_ms() - b->clone.tried >= (uint64_t)after * 1000 &&
		 choose(b, true)) {
		mount_as_words_say(b);
		boot_say("no server answered within %u s: the root is the "
			 "clone on %s",
			 after, b->disk);
	}
	return NBD_OK;
}

static int disconnect(void *data, struct nbd_diag *d)
{
	return init_disconnect(data, d);
}

static int do_local(struct boot *b, struct nbd_diag *d)
{
	int index = b->index;

	if (b->local || index < 0 || b->layered || !choose(b, false))
		return NBD_OK;
	boot_say("the server has the image of which %s is a clone: the root is "
		 "there",
		 b->disk);
	init_spawn_stop(&b->watch);
	b->index = -1;
	if (process_run(disconnect, &index, sizeof(index), "disconnect",
			STEP_UNDO_MS, d))
		boot_say("%s", d->text);
	return NBD_OK;
}

static int unmap(void *data, struct nbd_diag *d)
{
	(void)data, (void)d;
	mapper_unlocal();
	return NBD_OK;
}

static int undo_local(struct boot *b, struct nbd_diag *d)
{
	int none = 0;

	if (!b->local)
		return NBD_OK;
	b->local = false;
	/* a clone that fails does not get better: the server may be back */
	b->clone.tried = 0;
	return process_run(unmap, &none, sizeof(none), "unmap", STEP_UNDO_MS,
			   d);
}

/* ---- the process that copies ---- */

static int take_words(struct boot *b, struct nbd_diag *d)
{
	struct clone_spec s;
	int rc = b->cmd.clone ? clone_spec_parse(&s, b->cmd.clone, d) : NBD_OK;

	return rc ? nbd_diag_prefix(d, rc, WORD_CLONE) : NBD_OK;
}

static int do_clone(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (!b->cmd.clone || !b->fetcher.below[0])
		return NBD_OK;
	nbd_fmt(b->clone.option, sizeof(b->clone.option), "--to=%s",
		b->cmd.clone);
	init_spawn_start(&b->clone.process, "clone", b->clone.option, b->index,
			 &b->by);
	if (!init_spawn_ready(&b->clone.process))
		boot_say(WORD_CLONE ": no effect: its process did not start");
	return NBD_OK;
}

/* Has process 1 another root than this process? */
static bool is_switched(int proc)
{
	struct stat ours, real;

	return !stat("/", &ours) && !fstatat(proc, "1/root", &real, 0) &&
	       (ours.st_dev != real.st_dev || ours.st_ino != real.st_ino);
}

/* Reads of the mapping that have ended. */
static uint64_t reads_of(int index)
{
	char dev[MAPPER_PATH], below[MAPPER_PATH], sys[64], text[128];
	uint64_t sectors;

	if (mapper_below(index, dev, below, &sectors, NULL))
		return 0;
	nbd_fmt(sys, sizeof(sys), "/sys/block/%s/stat",
		dev + sizeof("/dev/") - 1);
	file_read(AT_FDCWD, sys, text, sizeof(text));
	return strtoull(text, NULL, 10);
}

bool init_cloner_await(int index, bool (*is_stopped)(unsigned ms))
{
	/* once init knows that this process is ready, it takes /proc away */
	int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	uint64_t begin, last, now, before = 0, reads;
	struct nbd_diag d;

	boot_ready_tell();
	while (!is_switched(proc))
		if (is_stopped(LOOK_MS))
			return false;
	close(proc);
	/* the switch deletes what is in the initramfs */
	begin = now = nbd_now_ms();
	while (now - begin < QUIET_MS) {
		if (is_stopped(LOOK_MS))
			return false;
		now = nbd_now_ms();
	}
	if (init_mount_kernel(&d))
		boot_say("clone: %s", d.text);
	last = now;
	while (now - last < QUIET_MS && now - begin < MOST_MS) {
		if (is_stopped(LOOK_MS))
			return false;
		now = nbd_now_ms();
		reads = reads_of(index);
		if (reads != before)
			last = now;
		before = reads;
	}
	return true;
}

const struct step init_cloner_words_step = {
	.name = "kernel command line",
	.run = take_words,
	.hint = "check " WORD_CLONE "=",
	.when = STEP_ONCE,
};

const struct step init_cloner_alone_step = {
	.name = "clone",
	.run = do_alone,
	.undo = undo_local,
	.hint = "",
};

const struct step init_cloner_local_step = {
	.name = "clone",
	.run = do_local,
	.undo = undo_local,
	.hint = "",
};

const struct step init_cloner_step = {
	.name = "clone",
	.run = do_clone,
	.process = offsetof(struct boot, clone.process),
	.hint = "",
};
