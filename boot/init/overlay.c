/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The overlay:
 *
 *	newroot --move--> lower --.
 *	tmpfs or export -> upper --+--> overlay at newroot
 */
#include "boot/init/overlay.h"
#include "core/nbd_uri.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "boot/system/console.h"
#include "boot/words/word.h"
#include "boot/init/mount.h"
#include "boot/init/steps.h"
#include "boot/root/connect.h"
#include "port/linux/module.h"
#include "port/linux/nbdk.h"

#define WORD_OVERLAY "nbdboot.overlay="

/* The error is about root= and /dev/nbd1: name the word that is meant. */
static int of_export(const struct overlay *o, int rc, struct nbd_diag *d)
{
	return nbd_diag_prefix(d, rc, WORD_OVERLAY "%s", o->spec);
}

static bool size_is_sane(const char *p)
{
	size_t digits = strspn(p, "0123456789");

	if (!digits || digits > 15)
		return false;
	p += digits;
	return !*p || (strchr("kKmMgG%", *p) && !p[1]);
}

int init_overlay_check(struct overlay *o, const struct cmdline *c,
		       struct nbd_diag *d)
{
	const char *spec = c->overlay, *p = spec;
	int rc;

	o->spec = spec;
	o->size = NULL;
	o->index = -1;
	o->lower = init_mount_device(OVERLAY_LOWER);
	o->upper = init_mount_device(OVERLAY_UPPER);
	if (nbd_is_uri(spec)) {
		rc = root_parse_export(&o->parsed, &o->cmd, c, spec, d);
		o->cmd.write = true;
		return rc ? of_export(o, rc, d) : NBD_OK;
	}
	if (!strncmp(p, "tmpfs", 5) && (!p[5] || p[5] == ','))
		p += p[5] ? 6 : 5;
	if (*p && (strncmp(p, "size=", 5) != 0 || !size_is_sane(p + 5)))
		return nbd_diag(d, NBD_E_USAGE,
				WORD_OVERLAY
				"%s is not tmpfs, size=NUMBER[k|m|g|%%] or "
				"nbd://HOST[:PORT]/EXPORT",
				spec);
	o->size = p;
	return NBD_OK;
}

static int failed(struct nbd_diag *d, const char *what, const char *on)
{
	return nbd_diag(d, NBD_E_KERNEL, "%s %s: %s", what, on,
			strerror(errno));
}

int init_overlay_connect(struct overlay *o, const char *dev, struct nbd_diag *d)
{
	struct root_env env = { .root_path = NULL };

	if (o->size)
		return NBD_OK;
	o->index = root_connect(&o->root, &o->parsed, &env, dev, o->held, d);
	return o->index < 0 ? of_export(o, o->index, d) : NBD_OK;
}

static int mount_ram(const struct overlay *o, struct nbd_diag *d)
{
	char data[64];

	nbd_fmt(data, sizeof(data), "mode=755%s%s", *o->size ? "," : "",
		o->size);
	if (mount("tmpfs", OVERLAY_UPPER, "tmpfs", 0, data))
		return nbd_diag(d, NBD_E_KERNEL, "mount a tmpfs (%s) on %s: %s",
				data, OVERLAY_UPPER, strerror(errno));
	return NBD_OK;
}

static int mount_export(const struct overlay *o, struct nbd_diag *d)
{
	struct nbdk_info info;
	char dev[32];
	struct root_fs r = { .dev = dev,
			     .target = OVERLAY_UPPER,
			     .write = true };
	bool read_only;
	int rc;

	nbd_fmt(dev, sizeof(dev), "/dev/nbd%d", o->index);
	read_only = !nbdk_info(o->index, &info) && info.read_only;
	rc = read_only ? NBD_OK : init_mount_root(&r, &read_only, d);
	if (rc)
		return of_export(o, rc, d);
	if (read_only)
		return nbd_diag(d, NBD_E_READ_ONLY,
				WORD_OVERLAY
				"%s: the server makes it read-only, but "
				"the overlay must store changes there",
				o->spec);
	return NBD_OK;
}

static int mount_overlay(const char *newroot, struct nbd_diag *d)
{
	int loaded = mod_load("overlay", "", d);

	if (!mount("overlay", newroot, "overlay", 0,
		   "lowerdir=" OVERLAY_LOWER ",upperdir=" OVERLAY_UPPER
		   "/data,workdir=" OVERLAY_UPPER "/work"))
		return NBD_OK;
	if (errno == ENODEV && loaded < 0)
		return loaded;
	return nbd_diag(d, NBD_E_KERNEL, "mount the overlay of %s and %s: %s%s",
			OVERLAY_LOWER, OVERLAY_UPPER, strerror(errno),
			errno == EINVAL ? " (the kernel's log says why)" : "");
}

/* On an export it may be there; a link would lead out of it. */
static int make(const char *path)
{
	struct stat st;

	if (!mkdir(path, 0755))
		return 0;
	if (errno != EEXIST || lstat(path, &st))
		return -1;
	errno = ENOTDIR;
	return S_ISDIR(st.st_mode) ? 0 : -1;
}

int init_overlay_mount(const struct overlay *o, const char *newroot,
		       struct nbd_diag *d)
{
	int rc;

	mkdir("/run/nbdboot", 0755);
	mkdir(OVERLAY_LOWER, 0755);
	mkdir(OVERLAY_UPPER, 0755);
	if (init_mount_move(newroot, OVERLAY_LOWER))
		return failed(d, "move the root to", OVERLAY_LOWER);
	rc = o->size ? mount_ram(o, d) : mount_export(o, d);
	if (rc)
		return rc;
	if (make(OVERLAY_UPPER "/data") || make(OVERLAY_UPPER "/work"))
		return failed(d, "make data and work in", OVERLAY_UPPER);
	return mount_overlay(newroot, d);
}

void init_overlay_unmount(const struct overlay *o, const char *newroot)
{
	umount2(newroot, MNT_DETACH);
	init_mount_undo(OVERLAY_UPPER, o->upper);
	init_mount_undo(OVERLAY_LOWER, o->lower);
}

/* ---- its word and steps ---- */

const struct word init_overlay_words[] = {
	WORD("nbdboot.overlay", overlay, WORD_SWITCH,
	     WORD_OURS | WORD_ONCE | WORD_MOUNT),
	WORD_END
};

static int take_words(struct boot *b, struct nbd_diag *d)
{
	/* KIWI's root=overlay: has the same meaning */
	if (b->spec.overlay && !b->cmd.overlay)
		b->cmd.overlay = "";
	if (!b->cmd.overlay)
		return NBD_OK;
	b->cmd.write = false;
	return init_overlay_check(&b->overlay, &b->cmd, d);
}

static int do_connect(struct boot *b, struct nbd_diag *d)
{
	return b->cmd.overlay
		       ? init_overlay_connect(&b->overlay, b->net.state.name, d)
		       : NBD_OK;
}

static int undo_connect(struct boot *b, struct nbd_diag *d)
{
	return init_disconnect(&b->overlay.index, d);
}

static int do_overlay(struct boot *b, struct nbd_diag *d)
{
	return b->cmd.overlay
		       ? init_overlay_mount(&b->overlay, b->plan->newroot, d)
		       : NBD_OK;
}

static int undo_overlay(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (b->cmd.overlay)
		init_overlay_unmount(&b->overlay, b->plan->newroot);
	return NBD_OK;
}

const struct step init_overlay_words_step = {
	.name = "kernel command line",
	.run = take_words,
	.hint = "check " WORD_OVERLAY,
	.when = STEP_ONCE | STEP_BESIDE,
};

static const char see[] = "check " WORD_OVERLAY
			  ", and that the initramfs has module overlay";

const struct step init_overlay_connect_step = {
	.name = "overlay",
	.run = do_connect,
	.undo = undo_connect,
	.hint = see,
	.undo_ms = STEP_UNDO_MS,
	.when = STEP_BESIDE,
};

const struct step init_overlay_step = {
	.name = "overlay",
	.run = do_overlay,
	.undo = undo_overlay,
	.hint = see,
	.run_ms = STEP_MOUNT_MS,
	.undo_ms = STEP_UNDO_MS,
	.when = STEP_BESIDE,
};
