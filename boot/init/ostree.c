/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The new root of a deployment, in the order of ostree-prepare-root.c:
 *
 *	newroot --move--> aside                    the physical root
 *	deployment ---> newroot                    bind, or composefs
 *	deployment/etc ---> newroot/etc            if the root is read-only
 *	newroot/usr ---> newroot/usr, read-only    without composefs
 *	aside ---> newroot/sysroot                 then aside is unmounted
 *	OS/var ---> newroot/var                    unless systemd does
 *
 * All directories are opened inside of the root that they belong to, and are
 * named by their descriptors, so that no link leads out of it.
 */
#include "boot/init/ostree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "boot/init/composefs.h"
#include "boot/init/mount.h"
#include "boot/init/ostree_booted.h"
#include "boot/init/steps.h"
#include "boot/words/word.h"
#include "port/linux/file.h"
#include "port/linux/inside.h"
#include "port/linux/module.h"

#define ASIDE	  "/run/nbdboot/sysroot"
#define RUN	  "/run/ostree"
#define PRIVATE	  RUN "/.private"
#define ETC	  RUN "/transient-etc.nbdboot"
#define BOOTED	  "/run/ostree-booted"
/* What systemd looks for where / is an overlay, to find the disk of the root. */
#define ROOT_DISK "/run/systemd/volatile-root"

static int failed(const char *what, struct nbd_diag *d)
{
	return nbd_diag(d, NBD_E_KERNEL, "%s of the deployment: %s", what,
			strerror(errno));
}

static int bind_fd(int from, int to)
{
	char a[INSIDE_PATH], b[INSIDE_PATH];

	return mount(inside_path(a, from), inside_path(b, to), NULL, MS_BIND,
		     NULL);
}

/* Binds the directory `from` below root to `to` of the new root. */
static int bind_dir(const struct ostree *o, int root, const char *from,
		    const char *to)
{
	int a = inside_open(root, from, true, false);
	int b = inside_open(o->root, to, true, false), rc = -1;

	if (a >= 0 && b >= 0)
		rc = bind_fd(a, b);
	if (a >= 0)
		close(a);
	if (b >= 0)
		close(b);
	return rc;
}

/* Changes the flags of the mount at a directory. */
static int remount(int root, const char *path, unsigned long flags)
{
	int at = inside_open(root, path, true, false), rc;
	char name[INSIDE_PATH];

	if (at < 0)
		return -1;
	rc = mount(NULL, inside_path(name, at), NULL,
		   MS_BIND | MS_REMOUNT | flags, NULL);
	close(at);
	return rc;
}

static int set_aside(struct ostree *o, struct nbd_diag *d)
{
	mkdir("/run/nbdboot", 0755);
	mkdir(ASIDE, 0700);
	mkdir(RUN, 0755);
	mkdir(PRIVATE, 0);
	/* the descriptors stay where they are, in the mount */
	return init_mount_move(o->newroot, ASIDE) ? failed("the file system", d)
						  : NBD_OK;
}

/* ---- / ---- */

/* Returns 1; 0: there is no image, and need not be. */
static int try_composefs(const struct ostree *o, struct nbd_diag *d)
{
	const struct ostree_config *c = &o->config;
	bool transient = c->root_transient == OSTREE_YES ||
			 c->root_transient_ro == OSTREE_YES;
	struct composefs fs = {
		.upper = transient ? PRIVATE "/root/upper" : NULL,
		.work = PRIVATE "/root/work",
		.read_only = c->root_transient_ro == OSTREE_YES,
	};
	int rc;

	if (c->composefs != OSTREE_YES && c->composefs != OSTREE_MAYBE)
		return 0;
	fs.image = inside_open_file(o->deployment, ".ostree.cfs");
	if (fs.image < 0 && errno == ENOENT && c->composefs == OSTREE_MAYBE)
		return 0;
	if (fs.image < 0)
		return failed("composefs's image .ostree.cfs", d);
	fs.objects =
		inside_open(o->physical, "ostree/repo/objects", true, false);
	rc = fs.objects < 0 ? failed("the objects", d) : NBD_OK;
	if (transient) {
		mkdir(PRIVATE "/root", 0700);
		mkdir(fs.upper, 0755);
		mkdir(fs.work, 0700);
	}
	if (!rc)
		rc = init_composefs_mount(&fs, o->newroot, d);
	close(fs.image);
	if (fs.objects >= 0)
		close(fs.objects);
	return rc ? rc : 1;
}

static int mount_root(struct ostree *o, struct nbd_diag *d)
{
	int rc = try_composefs(o, d), top;

	if (rc < 0)
		return rc;
	o->composefs = rc;
	top = open(o->newroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (!o->composefs && top >= 0 && bind_fd(o->deployment, top))
		rc = failed("the directory", d);
	if (top >= 0)
		close(top);
	o->root = open(o->newroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (rc >= 0 && o->root < 0)
		rc = failed("the root", d);
	return rc < 0 ? rc : NBD_OK;
}

/* ---- /etc and /usr ---- */

static int overlay(const struct ostree *o, const char *to, const char *layers,
		   unsigned long flags)
{
	int at = inside_open(o->root, to, true, false), rc;
	char name[INSIDE_PATH];

	if (at < 0)
		return -1;
	mod_load("overlay", "", NULL);
	rc = mount("overlay", inside_path(name, at), "overlay", flags, layers);
	close(at);
	return rc;
}

/* Changes of /etc that end with this boot, above that of the image. */
static int mount_transient_etc(const struct ostree *o)
{
	int lower = inside_open(o->deployment, "usr/etc", true, false), rc;
	char name[INSIDE_PATH], layers[128];

	if (lower < 0)
		return -1;
	mkdir(ETC, 0700);
	mkdir(ETC "/upper", 0755);
	mkdir(ETC "/work", 0755);
	nbd_fmt(layers, sizeof(layers),
		"lowerdir=%s,upperdir=" ETC "/upper,workdir=" ETC "/work",
		inside_path(name, lower));
	rc = overlay(o, "etc", layers, 0);
	close(lower);
	return rc;
}

static int mount_etc(struct ostree *o, struct nbd_diag *d)
{
	const struct ostree_config *c = &o->config;
	int rc;

	if (!o->read_only && !o->composefs)
		return NBD_OK;
	rc = c->etc_transient == OSTREE_YES
		     ? mount_transient_etc(o)
		     : bind_dir(o, o->deployment, "etc", "etc");
	return rc ? failed("mount /etc", d) : NBD_OK;
}

/* Of "ostree admin unlock --hotfix"; a file system that takes none: read-only. */
static int mount_hotfix(const struct ostree *o, int upper, int work)
{
	int usr = inside_open(o->root, "usr", true, false), rc;
	char a[INSIDE_PATH], b[INSIDE_PATH], c[INSIDE_PATH], layers[160];

	nbd_fmt(layers, sizeof(layers), "lowerdir=%s,upperdir=%s,workdir=%s",
		inside_path(a, usr), inside_path(b, upper),
		inside_path(c, work));
	rc = overlay(o, "usr", layers, 0);
	if (rc && errno == EINVAL) {
		nbd_fmt(layers, sizeof(layers), "lowerdir=%s:%s", b, a);
		rc = overlay(o, "usr", layers, MS_RDONLY);
	}
	if (usr >= 0)
		close(usr);
	return rc;
}

static int mount_usr(struct ostree *o, struct nbd_diag *d)
{
	int upper = inside_open(o->deployment, ".usr-ovl-upper", true, false);
	int work = inside_open(o->deployment, ".usr-ovl-work", true, false);
	int rc = 0;

	if (work >= 0)
		rc = mount_hotfix(o, upper, work);
	else if (!o->composefs)
		rc = bind_dir(o, o->root, "usr", "usr") ||
		     remount(o->root, "usr", MS_RDONLY);
	if (upper >= 0)
		close(upper);
	if (work >= 0)
		close(work);
	return rc ? failed("mount /usr", d) : NBD_OK;
}

/* ---- what is beside the deployment ---- */

static bool is_link(int root, const char *path)
{
	struct stat st;

	return !fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISLNK(st.st_mode);
}

/* Those of the physical root have flags of their own: read-only is not theirs. */
static int mount_state(struct ostree *o, struct nbd_diag *d)
{
	if (bind_dir(o, o->physical, ".", "sysroot"))
		return failed("mount /sysroot", d);
	if (!o->generator) {
		if (bind_dir(o, o->physical, o->var, "var"))
			return failed("mount /var", d);
		if (is_link(o->physical, "boot/loader") &&
		    bind_dir(o, o->physical, "boot", "boot"))
			return failed("mount /boot", d);
	}
	return NBD_OK;
}

/* The var.mount of ostree's generator binds this one, which stays writable. */
static int keep_var(const struct ostree *o)
{
	int top = inside_open(o->root, "sysroot", true, false), var, rc = -1;

	if (top < 0)
		return -1;
	var = inside_open(top, o->var, true, false);
	if (var >= 0) {
		rc = bind_fd(var, var);
		close(var);
	}
	close(top);
	return rc;
}

static int finish_state(struct ostree *o, struct nbd_diag *d)
{
	if (o->read_only && keep_var(o))
		return failed("mount /var", d);
	if (o->read_only && remount(o->root, "sysroot", MS_RDONLY))
		return failed("make /sysroot read-only", d);
	umount2(ASIDE, MNT_DETACH);
	rmdir(ASIDE);
	return NBD_OK;
}

static void mark_disk(const char *dev)
{
	char to[64];
	struct stat st;

	if (stat(dev, &st))
		return;
	nbd_fmt(to, sizeof(to), "/dev/block/%u:%u", major(st.st_rdev),
		minor(st.st_rdev));
	mkdir("/run/systemd", 0755);
	if (symlink(to, ROOT_DISK))
		return;
}

static int mark(struct ostree *o, struct nbd_diag *d)
{
	const struct ostree_config *c = &o->config;
	bool transient_ro = c->root_transient_ro == OSTREE_YES;
	struct ostree_booted b = {
		.composefs = o->composefs,
		.sysroot_ro = o->read_only,
		.root_transient = transient_ro ||
				  c->root_transient == OSTREE_YES,
		.root_transient_ro = transient_ro,
		.etc = c->etc_transient == OSTREE_YES &&
				       (o->read_only || o->composefs)
			       ? ETC
			       : NULL,
	};
	unsigned char file[OSTREE_BOOTED];
	struct stat st;

	if (fstat(o->deployment, &st))
		return failed("look at the directory", d);
	b.dev = st.st_dev;
	b.inode = st.st_ino;
	if (file_write(AT_FDCWD, BOOTED, file, init_ostree_booted(&b, file)))
		return failed("write " BOOTED, d);
	if (o->composefs)
		mark_disk(o->dev);
	return NBD_OK;
}

int init_ostree_mount(struct ostree *o, struct nbd_diag *d)
{
	static int (*const parts[])(struct ostree *, struct nbd_diag *) = {
		set_aside,   mount_root,   mount_etc, mount_usr,
		mount_state, finish_state, mark,
	};
	int rc = NBD_OK;

	for (size_t i = 0; !rc && i < sizeof(parts) / sizeof(parts[0]); i++)
		rc = parts[i](o, d);
	return rc;
}

/* ---- its words and step ---- */

const struct word init_ostree_words[] = {
	WORD("ostree", ostree, WORD_TEXT, WORD_ROOT | WORD_MOUNT),
	WORD("ostree.prepare-root.composefs", ostree_composefs, WORD_TEXT,
	     WORD_ROOT | WORD_MOUNT),
	WORD_END
};

/* In a child, which ends with its descriptors. */
static int do_ostree(struct boot *b, struct nbd_diag *d)
{
	struct ostree o;
	int rc;

	if (!b->cmd.ostree)
		return NBD_OK;
	rc = init_ostree_find(&o, b->plan->newroot, &b->cmd, d);
	o.dev = b->dev;
	return rc ? rc : init_ostree_mount(&o, d);
}

static int undo_ostree(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (!b->cmd.ostree)
		return NBD_OK;
	unlink(BOOTED);
	/* the next try may be on another device */
	unlink(ROOT_DISK);
	umount2(b->plan->newroot, MNT_DETACH);
	init_composefs_unmount();
	umount2(ASIDE, MNT_DETACH);
	return NBD_OK;
}

const struct step init_ostree_step = {
	.name = "ostree",
	.run = do_ostree,
	.undo = undo_ostree,
	.hint = "check ostree=, which is /ostree/boot.N/NAME/SUM/N of the root",
	.run_ms = STEP_MOUNT_MS,
	.undo_ms = STEP_UNDO_MS,
};
