/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The root switch, as in klibc's run-init, except that the steps that cannot be
 * undone come last:
 *
 *   check -> move /dev /proc /sys /run -> move the root -> delete -> exec
 *            `--- undone if this fails ---'
 */
#include "boot/init/switch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/init/mount.h"
#include "boot/init/program.h"
#include "port/linux/dir.h"
#include "port/linux/process.h"

/* Deeper directories stay: each level needs an open descriptor. */
#define DEPTH 64

static const char *const moved[] = { "/dev", "/proc", "/sys", "/run" };
#define MOVED	(sizeof(moved) / sizeof(moved[0]))
/* ms for reading the files that the switch needs. */
#define LOOK_MS 60000

static int failed(struct nbd_diag *d, const char *step, const char *on)
{
	return nbd_diag(d, NBD_E_KERNEL, "%s %s: %s", step, on,
			strerror(errno));
}

int init_switch_check(const char *newroot, const char *init, struct nbd_diag *d)
{
	struct stat old, new, up;
	struct statfs fs;
	unsigned long type;
	char parent[256];

	if (nbd_fmt(parent, sizeof(parent), "%s/..", newroot) < 0)
		return nbd_diag(d, NBD_E_USAGE, "%s: too long", newroot);
	if (stat(newroot, &new))
		return failed(d, "look at the new root", newroot);
	if (!S_ISDIR(new.st_mode))
		return nbd_diag(d, NBD_E_USAGE, "%s: not a directory", newroot);
	if (stat("/", &old) || statfs("/", &fs) || stat(parent, &up))
		return failed(d, "look at the old root", "/");
	if (new.st_dev == old.st_dev || new.st_dev == up.st_dev)
		return nbd_diag(d, NBD_E_USAGE,
				"%s: nothing is mounted there, so it cannot "
				"become the root",
				newroot);
	/* any other type is a real disk, and would be emptied */
	type = (unsigned long)fs.f_type;
	if (type != RAMFS_MAGIC && type != TMPFS_MAGIC)
		return nbd_diag(d, NBD_E_USAGE,
				"/ is not an initramfs (its type is 0x%lx, not "
				"ramfs or tmpfs), so it is not deleted",
				type);
	return init_program_check(newroot, init, d);
}

/* A directory of the new root; all zeros: it has none of that name. */
struct place {
	dev_t dev;
	ino_t ino;
};

struct question {
	const char *newroot, *init;
	struct place place[MOVED];
};

/*
 * Runs in a child: process 1 later finds in memory what the child has read of
 * the new root, and does not wait for a server that is away.  For the child
 * that root is /, so that no link in it leads out of it.
 */
static int look_ahead(void *data, struct nbd_diag *d)
{
	struct question *q = data;
	struct stat st;
	int rc = init_switch_check(q->newroot, q->init, d);

	if (rc)
		return rc;
	if (chdir(q->newroot) || chroot("."))
		return failed(d, "enter the new root", q->newroot);
	for (size_t i = 0; i < MOVED; i++)
		if (!stat(moved[i], &st) && S_ISDIR(st.st_mode))
			q->place[i] = (struct place){ st.st_dev, st.st_ino };
	return NBD_OK;
}

static void empty(int dirfd, dev_t dev, unsigned depth);

/* Deletes one entry, unless it is on another device. */
static void delete_entry(int dirfd, const char *name, dev_t dev, unsigned depth)
{
	struct stat st;
	int fd;

	/* a mount point shows the device of what is mounted */
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) || st.st_dev != dev)
		return;
	if (!S_ISDIR(st.st_mode)) {
		unlinkat(dirfd, name, 0);
		return;
	}
	fd = openat(dirfd, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		empty(fd, dev, depth - 1);
	unlinkat(dirfd, name, AT_REMOVEDIR);
}

static void empty(int dirfd, dev_t dev, unsigned depth)
{
	const char *name;
	struct dir dir;
	struct stat st;

	dir_take(&dir, dirfd);
	/* check the open directory, which nobody can replace any more */
	if (depth && !fstat(dirfd, &st) && st.st_dev == dev)
		while ((name = dir_next(&dir)))
			delete_entry(dirfd, name, dev, depth);
	dir_close(&dir);
}

void init_switch_empty(int dirfd)
{
	struct stat st;

	if (fstat(dirfd, &st))
		close(dirfd);
	else
		empty(dirfd, st.st_dev, DEPTH);
}

/*
 * Moves the mounts into the new root.  Mounts for which the new root has no
 * directory are left for leave_old().  Returns how many of moved[] were tried.
 */
static size_t move_mounts(const struct question *q, bool done[MOVED], bool *ok,
			  struct nbd_diag *d)
{
	char to[256];
	struct stat st;
	size_t i;

	for (i = 0; i < MOVED; i++) {
		done[i] = false;
		nbd_fmt(to, sizeof(to), "%s%s", q->newroot, moved[i]);
		if (!init_mount_is_mounted(moved[i]))
			continue;
		/* an absolute link would lead to a place in this root */
		if (stat(to, &st) || st.st_dev != q->place[i].dev ||
		    st.st_ino != q->place[i].ino) {
			boot_say("the new root has no directory %s: not "
				 "mounted there",
				 moved[i]);
			continue;
		}
		if (mount(moved[i], to, NULL, MS_MOVE, NULL)) {
			*ok = false;
			failed(d, "move the mount of", moved[i]);
			return i;
		}
		done[i] = true;
	}
	*ok = true;
	return i;
}

static void move_back(const char *newroot, const bool done[MOVED], size_t n)
{
	char from[256];

	while (n > 0) {
		n--;
		nbd_fmt(from, sizeof(from), "%s%s", newroot, moved[n]);
		if (done[n])
			mount(from, moved[n], NULL, MS_MOVE, NULL);
	}
}

/* The new root covers "/"; oldfd still is the directory underneath. */
static int move_root(const char *newroot, bool (*enter)(void),
		     struct nbd_diag *d)
{
	if (chdir(newroot))
		return failed(d, "enter the new root", newroot);
	if (enter && enter())
		return NBD_OK;
	if (mount(".", "/", NULL, MS_MOVE, NULL)) {
		failed(d, "move to / the new root", newroot);
		/* so that the new root can be unmounted */
		return chdir("/") ? NBD_E_IO : NBD_E_KERNEL;
	}
	if (chroot(".") || chdir("/")) {
		failed(d, "chroot into the new root", newroot);
		return NBD_E_IO;
	}
	return NBD_OK;
}

/* Empties the old root, of which only the open directory is left. */
static void leave_old(int oldfd, const bool done[MOVED])
{
	size_t i;

	for (i = 0; i < MOVED && !fchdir(oldfd); i++)
		if (!done[i])
			umount2(moved[i] + 1, MNT_DETACH);
	init_switch_empty(oldfd);
	if (chdir("/"))
		boot_note("chdir /: %s", strerror(errno));
}

int init_switch_root(const char *console, const char *newroot,
		     char *const init_argv[], bool (*enter)(void),
		     void (*last)(void *ctx), void *ctx, struct nbd_diag *d)
{
	struct question q = { .newroot = newroot, .init = init_argv[0] };
	bool done[MOVED], ok;
	size_t n;
	int oldfd, rc;

	if (getpid() != 1)
		return nbd_diag(d, NBD_E_PERM,
				"switch-root: this is process %d, only process "
				"1 can become init (use exec)",
				(int)getpid());
	rc = process_run(look_ahead, &q, sizeof(q), "the check of the new root",
			 LOOK_MS, d);
	if (rc)
		return rc;
	oldfd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (oldfd < 0)
		return failed(d, "open", "/");
	n = move_mounts(&q, done, &ok, d);
	rc = ok ? move_root(newroot, enter, d) : NBD_E_KERNEL;
	if (rc) {
		if (rc != NBD_E_IO)
			move_back(newroot, done, n);
		close(oldfd);
		return rc;
	}
	/* from here on there is no way back */
	leave_old(oldfd, done);
	if (console && boot_console_open(console, false))
		boot_say(
			"cannot open %s in the new root: %s; the old one stays",
			console, strerror(errno));
	if (last)
		last(ctx);
	execv(init_argv[0], init_argv);
	return nbd_diag(d, NBD_E_IO, "execute %s: %s", init_argv[0],
			strerror(errno));
}
