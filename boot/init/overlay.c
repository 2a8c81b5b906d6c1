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

#include "boot/common/console.h"
#include "boot/init/mount.h"
#include "boot/root/connect.h"
#include "port/linux/module.h"
#include "port/linux/nbdk.h"

#define WORD "nbdboot.overlay="

/* An export for the upper is written like that of the root. */
static struct {
	struct cmdline cmd; /* with that root= */
	struct root_spec parsed, root;
	const char *spec;
	const char *size; /* of the tmpfs: "size=..." or "" */
} o;
static int second = -1; /* N of nbdN for the upper, -1: none */

/* The words of others are about root= and /dev/nbd1: say whose that is. */
static int of_export(int rc, struct nbd_diag *d)
{
	struct nbd_diag why = *d;
	struct nbd_out out = { .buf = d->text, .cap = sizeof(d->text) - 1 };

	nbd_putf(&out, WORD "%s: ", o.spec);
	/* escaped already */
	nbd_put(&out, why.text, strlen(why.text));
	d->text[out.len] = '\0';
	return rc;
}

static bool size_is_sane(const char *p)
{
	size_t digits = strspn(p, "0123456789");

	if (!digits || digits > 15)
		return false;
	p += digits;
	return !*p || (strchr("kKmMgG%", *p) && !p[1]);
}

int init_overlay_check(const struct cmdline *c, struct nbd_diag *d)
{
	const char *spec = c->overlay, *p = spec;
	int rc;

	o.spec = spec;
	o.size = NULL;
	if (nbd_is_uri(spec)) {
		o.cmd.root = spec;
		o.cmd.connections = 1;
		o.cmd.io_timeout = c->io_timeout;
		o.cmd.tls = c->tls;
		rc = root_parse(&o.parsed, &o.cmd, d);
		return rc ? of_export(rc, d) : NBD_OK;
	}
	if (!strncmp(p, "tmpfs", 5) && (!p[5] || p[5] == ','))
		p += p[5] ? 6 : 5;
	if (*p && (strncmp(p, "size=", 5) != 0 || !size_is_sane(p + 5)))
		return nbd_diag(d, NBD_E_USAGE,
				WORD
				"%s is none of tmpfs, size=NUMBER[k|m|g|%%]"
				", nbd://HOST[:PORT]/EXPORT",
				spec);
	o.size = p;
	return NBD_OK;
}

static int failed(struct nbd_diag *d, const char *what, const char *on)
{
	return nbd_diag(d, NBD_E_KERNEL, "%s %s: %s", what, on,
			strerror(errno));
}

static int mount_ram(struct nbd_diag *d)
{
	char data[64];

	nbd_fmt(data, sizeof(data), "mode=755%s%s", *o.size ? "," : "", o.size);
	if (mount("tmpfs", OVERLAY_UPPER, "tmpfs", 0, data))
		return nbd_diag(d, NBD_E_KERNEL, "mount a tmpfs (%s) on %s: %s",
				data, OVERLAY_UPPER, strerror(errno));
	return NBD_OK;
}

static int mount_export(struct nbd_diag *d)
{
	static struct nbdk_info info;
	char dev[32];
	struct root_fs r = { .dev = dev,
			     .target = OVERLAY_UPPER,
			     .write = true };
	bool read_only;
	struct root_env env = { .root_path = NULL };
	int rc = root_connect(&o.root, &o.parsed, &env, "", d);

	if (rc < 0)
		return of_export(rc, d);
	second = rc;
	nbd_fmt(dev, sizeof(dev), "/dev/nbd%d", second);
	read_only = !nbdk_info(second, &info) && info.read_only;
	rc = read_only ? NBD_OK : init_mount_root(&r, &read_only, d);
	if (rc)
		return of_export(rc, d);
	if (read_only)
		return nbd_diag(d, NBD_E_READ_ONLY,
				WORD "%s: the server lets nobody write to it, "
				     "and this is where changes go",
				o.spec);
	return NBD_OK;
}

static int mount_overlay(const char *newroot, struct nbd_diag *d)
{
	struct nbd_diag why;
	int loaded = mod_load("overlay", "", &why);

	if (!mount("overlay", newroot, "overlay", 0,
		   "lowerdir=" OVERLAY_LOWER ",upperdir=" OVERLAY_UPPER
		   "/data,workdir=" OVERLAY_UPPER "/work"))
		return NBD_OK;
	if (errno == ENODEV && loaded < 0) {
		*d = why;
		return loaded;
	}
	return nbd_diag(d, NBD_E_KERNEL, "mount the overlay of %s and %s: %s%s",
			OVERLAY_LOWER, OVERLAY_UPPER, strerror(errno),
			errno == EINVAL ? " (the kernel's log says why)" : "");
}

int init_overlay_mount(const char *newroot, struct nbd_diag *d)
{
	int rc;

	mkdir("/run/nbdboot", 0755);
	mkdir(OVERLAY_LOWER, 0755);
	mkdir(OVERLAY_UPPER, 0755);
	if (mount(newroot, OVERLAY_LOWER, NULL, MS_MOVE, NULL))
		return failed(d, "move the root to", OVERLAY_LOWER);
	rc = o.size ? mount_ram(d) : mount_export(d);
	if (rc)
		return rc;
	if ((mkdir(OVERLAY_UPPER "/data", 0755) ||
	     mkdir(OVERLAY_UPPER "/work", 0755)) &&
	    errno != EEXIST)
		return failed(d, "make data and work in", OVERLAY_UPPER);
	return mount_overlay(newroot, d);
}

void init_overlay_undo(const char *newroot)
{
	struct nbd_diag d;

	/* what is not mounted yet is no failure */
	umount2(newroot, MNT_DETACH);
	umount2(OVERLAY_UPPER, MNT_DETACH);
	umount2(OVERLAY_LOWER, MNT_DETACH);
	if (second >= 0 && nbdk_disconnect(second, &d))
		boot_say("%s", d.text);
	second = -1;
}

int init_overlay_index(void)
{
	return second;
}
