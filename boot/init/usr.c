/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/init/usr.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/init/mount.h"
#include "boot/init/overlay.h"
#include "boot/init/steps.h"
#include "boot/words/boolean.h"
#include "boot/words/word.h"
#include "core/nbd_uri.h"

/* What systemd calls the mapping of usrhash=, and so mounts without a word. */
#define MAPPED	"/dev/mapper/usr"
#define MOUNT	"mount.usr="
/* Bytes of rootflags= for the root in RAM. */
#define OPTIONS 256

const struct word init_usr_words[] = {
	WORD("mount.usr", usr, WORD_TEXT, WORD_ROOT | WORD_USER),
	WORD("mount.usrfstype", usr_fstype, WORD_TEXT, WORD_ROOT),
	WORD("mount.usrflags", usr_flags, WORD_TEXT, WORD_ROOT | WORD_OPTIONS),
	WORD("systemd.verity_usr_data", usr_data, WORD_MAYBE, WORD_ROOT),
	WORD("systemd.verity_usr_hash", usr_hash, WORD_MAYBE, WORD_ROOT),
	WORD("systemd.verity_usr_options", usr_options, WORD_MAYBE, WORD_ROOT),
	/* Flatcar's words for two of them */
	WORD("verity.usr", usr_data, WORD_MAYBE, WORD_ROOT),
	WORD("verity.usrhash", usrhash, WORD_MAYBE, WORD_ROOT), WORD_END
};

/* ---- the words ---- */

static int wrong(struct nbd_diag *d, const char *word, const char *value,
		 const char *why)
{
	return nbd_diag(d, NBD_E_USAGE, "%s%s: %s", word, value, why);
}

/* The server that root= names stays: root= is where the partition belongs. */
static void keep_server(struct cmdline *c)
{
	if (c->root && !c->netroot &&
	    (nbd_is_uri(c->root) || !strncmp(c->root, "dhcp", 4)))
		c->netroot = c->root;
}

/* From here on the words of the root are those of /usr. */
static int take_alone(struct usr *u, struct cmdline *c, struct nbd_diag *d)
{
	if (c->roothash)
		return wrong(d, "roothash=", c->roothash,
			     "the root is in RAM (usrhash= is for its /usr)");
	keep_server(c);
	u->options = c->flags;
	c->root = c->usr ? c->usr : "";
	c->fstype = c->usr_fstype;
	c->flags = c->usr_flags;
	c->roothash = c->usrhash;
	c->verity_data = c->usr_data;
	c->verity_hash = c->usr_hash;
	c->verity_options = c->usr_options;
	c->usrhash = NULL;
	c->usr_only = true;
	return NBD_OK;
}

/* The partition that usrhash= names, as those of the Specification are. */
static int take_half(struct usr *u, const char *hash, struct nbd_diag *d)
{
	struct verity_wanted w = { .digest = 16 };

	if (strlen(hash) < 32 || verity_unhex(w.root, 16, hash, 32) < 0)
		return wrong(d, "usrhash=", hash, "not a root hash");
	verity_part(u->half, &w, false);
	u->part = u->half;
	return NBD_OK;
}

static int take_part(struct usr *u, const struct cmdline *c, struct nbd_diag *d)
{
	const struct verity_wanted w = { .of = "usr" };
	const char *word = c->usr_data ? "systemd.verity_usr_data=" : MOUNT;
	const char *value = c->usr_data ? c->usr_data : c->usr;
	int rc;

	if (!value)
		return take_half(u, c->usrhash, d);
	u->part = value;
	/* names of file systems, where none has to be verified */
	if (!c->usrhash &&
	    (!strncmp(value, "LABEL=", 6) || !strncmp(value, "UUID=", 5)))
		return NBD_OK;
	rc = verity_named(&w, &u->part, word, value, d);
	if (!rc && !*u->part)
		return wrong(d, word, value, "it is the disk of the root");
	return rc;
}

static int take_beside(struct usr *u, const struct cmdline *c,
		       struct nbd_diag *d)
{
	if (c->roothash)
		return wrong(d, c->usrhash ? "usrhash=" : MOUNT,
			     c->usrhash ? c->usrhash : c->usr,
			     "a root that is verified (roothash=) has its /usr "
			     "in it");
	if (!c->usrhash && (c->usr_data || c->usr_hash || c->usr_options))
		return nbd_diag(d, NBD_E_USAGE,
				"words of a verified /usr, but no usrhash=");
	if (c->clone)
		return wrong(d, "nbdboot.clone=", c->clone,
			     "only the root would move, and not its /usr");
	return take_part(u, c, d);
}

int init_usr_take(struct usr *u, struct cmdline *c, struct nbd_diag *d)
{
	const char *volatile_root = c->volatile_root;
	/* without a value: yes */
	bool kept = volatile_root &&
		    (!*volatile_root || boot_words_boolean(volatile_root) > 0);
	bool named;
	bool ram = c->root && !strcmp(c->root, "tmpfs");

	*u = (struct usr){ .kind = USR_IN_ROOT };
	if (c->usr && c->usrhash && !strcmp(c->usr, MAPPED))
		c->usr = NULL;
	named = c->usr || c->usrhash || c->usr_data || c->usr_hash ||
		c->usr_options;
	if (!ram && !kept && !named)
		return NBD_OK;
	u->kind = ram || (kept && named) ? USR_ALONE
		  : kept		 ? USR_KEPT
					 : USR_BESIDE;
	if (kept)
		c->volatile_root = NULL;
	if (c->ostree)
		return wrong(d, "ostree=", c->ostree,
			     "a deployment has its /usr in it");
	if (u->kind == USR_BESIDE)
		return take_beside(u, c, d);
	u->lower = init_mount_device(OVERLAY_LOWER);
	/* the root in RAM is writable, and the rest is not */
	c->write = false;
	return u->kind == USR_ALONE ? take_alone(u, c, d) : NBD_OK;
}

/* ---- the root in RAM ---- */

static int failed(struct nbd_diag *d, const char *what, const char *on)
{
	return nbd_diag(d, NBD_E_KERNEL, "%s %s: %s", what, on,
			strerror(errno));
}

static int mount_ram(const char *newroot, const char *options,
		     struct nbd_diag *d)
{
	char data[OPTIONS] = "mode=755,";
	unsigned long flags = 0;

	if (init_mount_options(options ? options : "", &flags, data + 9,
			       sizeof(data) - 9))
		return nbd_diag(d, NBD_E_USAGE, "rootflags=%s: too long",
				options);
	if (mount("tmpfs", newroot, "tmpfs", flags & ~(unsigned long)MS_RDONLY,
		  data))
		return nbd_diag(d, NBD_E_KERNEL,
				"mount a tmpfs (%s) for the root: %s", data,
				strerror(errno));
	return NBD_OK;
}

/*
 * The rest of a root that has nothing but /usr, as systemd makes it when it
 * enters one (base-filesystem.c); the init in /usr makes /etc and /var.
 */
static int make_dirs(const char *newroot, struct nbd_diag *d)
{
	static const char *const links[] = { "bin",   "sbin",  "lib",
					     "lib32", "lib64", "libx32" };
	static const char *const dirs[] = { "etc", "var", "root", "proc",
					    "sys", "dev", "run",  "tmp" };
	char path[64], target[16];

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		nbd_fmt(path, sizeof(path), "%s/%s", newroot, dirs[i]);
		if (mkdir(path, 0755))
			return failed(d, "make", path);
	}
	chmod(path, 01777);
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		nbd_fmt(target, sizeof(target), "usr/%s", links[i]);
		nbd_fmt(path, sizeof(path), "%s/%s", newroot, target);
		if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW))
			continue;
		nbd_fmt(path, sizeof(path), "%s/%s", newroot, links[i]);
		if (symlink(target, path))
			return failed(d, "make", path);
	}
	return NBD_OK;
}

/* A link in an image would lead out of it. */
static int check_dir(const char *path, struct nbd_diag *d)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISDIR(st.st_mode))
		return NBD_OK;
	return nbd_diag(d, NBD_E_NOT_FOUND, "the root has no directory /usr");
}

int init_usr_in_ram(const struct usr *u, const char *newroot,
		    struct nbd_diag *d)
{
	const char *from = u->kind == USR_KEPT ? OVERLAY_LOWER "/usr"
					       : OVERLAY_LOWER;
	char to[64];
	int rc;

	nbd_fmt(to, sizeof(to), "%s/usr", newroot);
	mkdir("/run/nbdboot", 0755);
	mkdir(OVERLAY_LOWER, 0755);
	if (init_mount_move(newroot, OVERLAY_LOWER))
		return failed(d, "move the mount to", OVERLAY_LOWER);
	rc = check_dir(from, d);
	if (!rc)
		rc = mount_ram(newroot, u->options, d);
	if (rc)
		return rc;
	if (mkdir(to, 0755) || mount(from, to, NULL, MS_BIND, NULL))
		return failed(d, "mount on", to);
	rc = make_dirs(newroot, d);
	/* what is below an overlay stays */
	init_usr_undo(u);
	return rc;
}

void init_usr_undo(const struct usr *u)
{
	init_mount_undo(OVERLAY_LOWER, u->lower);
	rmdir(OVERLAY_LOWER);
}

/* ---- the steps ---- */

static int do_part(struct boot *b, struct nbd_diag *d)
{
	return b->usr.kind == USR_BESIDE
		       ? init_part_find(b->usr.dev, "/sys/block", "/dev",
					b->disk, b->usr.part, d)
		       : NBD_OK;
}

static int mount_beside(const struct boot *b, struct nbd_diag *d)
{
	char target[64];
	const struct root_fs r = { .dev = b->usr.dev,
				   .target = target,
				   .fstype = b->cmd.usr_fstype,
				   .options = b->cmd.usr_flags,
				   .word = "mount.usr" };
	bool fell_back;
	int rc;

	nbd_fmt(target, sizeof(target), "%s/usr", b->plan->newroot);
	rc = check_dir(target, d);
	return rc ? rc : init_mount_root(&r, &fell_back, d);
}

static int do_usr(struct boot *b, struct nbd_diag *d)
{
	if (b->usr.kind == USR_BESIDE)
		return mount_beside(b, d);
	return USR_IN_RAM(&b->usr)
		       ? init_usr_in_ram(&b->usr, b->plan->newroot, d)
		       : NBD_OK;
}

/* What is at newroot goes with the root. */
static int undo_usr(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (USR_IN_RAM(&b->usr))
		init_usr_undo(&b->usr);
	return NBD_OK;
}

const struct step init_usr_part_step = {
	.name = "partition",
	.run = do_part,
	.hint = "check " MOUNT ", usrhash= and the partitions of the export",
	.run_ms = STEP_READ_MS,
	.when = STEP_BESIDE,
};

const struct step init_usr_step = {
	.name = "usr",
	.run = do_usr,
	.undo = undo_usr,
	.hint = "check " MOUNT ", mount.usrfstype= and mount.usrflags=",
	.run_ms = STEP_MOUNT_MS,
	.undo_ms = STEP_UNDO_MS,
	.when = STEP_BESIDE,
};
