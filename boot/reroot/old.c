/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The root of the running system: the way back.  Its device is disconnected
 * when this system has ended, so the words must name the server:
 *
 *	the command line names it -> the command line
 *	firmware did              -> its words and the command line
 *	the device's backend does -> root=URI
 *	DHCP does                 -> the command line
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "boot/device/backend.h"
#include "boot/init/overlay.h"
#include "boot/init/usr.h"
#include "boot/mapper/mapper.h"
#include "boot/reroot/after.h"
#include "boot/net/handoff.h"
#include "boot/reroot/reroot.h"
#include "boot/root/handed.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"

#define NBD "/dev/nbd"

/* Sets the device of the root, if it is a disk or a partition. */
static void find_device(struct reroot_old *o, dev_t dev)
{
	char path[64], text[512], name[MAPPER_DEVICE], below[MAPPER_DEVICE], *p;
	size_t len;

	nbd_fmt(path, sizeof(path), "/sys/dev/block/%u:%u/uevent", major(dev),
		minor(dev));
	file_read(AT_FDCWD, path, text, sizeof(text));
	p = strstr(text, "DEVNAME=");
	if (!p)
		return;
	p += 8;
	len = strcspn(p, "\n");
	nbd_fmt(name, sizeof(name), "%.*s", (int)len, p);
	o->volume = mapper_is_volume("/sys/class/block", name);
	if (mapper_is_root("/sys/class/block", name, below)) {
		p = below;
		len = strlen(below);
	}
	/* what lies on other devices is taken apart by the shutdown */
	if (!strncmp(p, "dm-", 3) || !strncmp(p, "md", 2) ||
	    !strncmp(p, "loop", 4) || len > 24)
		return;
	nbd_fmt(o->device, sizeof(o->device), "/dev/%.*s", (int)len, p);
}

/* Takes the type of / from the last line of /proc/mounts that is about it. */
static void find_type(struct reroot_old *o)
{
	struct file_lines f;
	char *line, *p;

	if (file_lines_open(&f, "/proc/self/mounts"))
		return;
	while ((line = file_lines_next(&f))) {
		p = strchr(line, ' ');
		if (!p || strncmp(p, " / ", 3) != 0)
			continue;
		p += 3;
		nbd_fmt(o->fstype, sizeof(o->fstype), "%.*s",
			(int)strcspn(p, " "), p);
		p += strcspn(p, " ");
		o->write = !strncmp(p, " rw", 3);
	}
}

/* Below an overlay is the device of its lower file system. */
static void find_lower(struct reroot_old *o)
{
	struct stat st;

	o->overlay = !strcmp(o->fstype, "overlay") && !stat(OVERLAY_LOWER, &st);
	if (o->overlay)
		find_device(o, st.st_dev);
}

/* The words of this boot, with those that the firmware handed over. */
static void read_line(struct reroot_old *o)
{
	struct nbd_diag d;
	struct cmdline c;
	bool first =
		file_read(AT_FDCWD, REROOT_LINE, o->line, sizeof(o->line)) < 0;

	if (first)
		file_read(AT_FDCWD, "/proc/cmdline", o->line, sizeof(o->line));
	o->line[strcspn(o->line, "\n")] = '\0';
	if (first && !boot_cmdline_parse(&c, o->line, &d) &&
	    root_handed(&c, &d) > 0)
		memcpy(o->line, c.line, sizeof(o->line));
}

/*
 * Do the words of o->line name this root, or where to ask for it?  A copy in
 * RAM is behind a loop device.
 */
static void find_named(struct reroot_old *o)
{
	struct root_spec spec;
	struct nbd_diag d;
	struct cmdline c;
	struct usr u = { .kind = USR_IN_ROOT };
	int rc = boot_cmdline_parse(&c, o->line, &d);

	if (!rc)
		rc = init_usr_take(&u, &c, &d);
	o->usr = u.kind != USR_IN_ROOT;
	/* of such a root only /usr is from the server */
	o->ram &= !USR_IN_RAM(&u);
	o->copy = c.toram && !o->device[0] && !o->ram && !o->volume;
	o->nbd = o->copy ||
		 (o->device[0] ? !strncmp(o->device, NBD, sizeof(NBD) - 1)
			       : (o->overlay || USR_IN_RAM(&u)) && !o->volume);
	o->hidden_hash = mapper_has_cover() && !c.roothash && !c.usrhash;
	if (o->nbd && !o->hidden_hash && !rc && !root_parse(&spec, &c, &d))
		o->named = spec.from_dhcp ? REROOT_ASKED : REROOT_NAMED;
}

int reroot_old_read(struct reroot_old *o, struct nbd_diag *d)
{
	struct statfs fs;
	struct stat st;

	memset(o, 0, sizeof(*o));
	if (stat("/", &st) || statfs("/", &fs))
		return nbd_diag(d, NBD_E_IO, "look at /: %s", strerror(errno));
	read_line(o);
	o->ram = (unsigned long)fs.f_type == TMPFS_MAGIC ||
		 (unsigned long)fs.f_type == RAMFS_MAGIC;
	find_device(o, st.st_dev);
	find_type(o);
	find_lower(o);
	find_named(o);
	o->ours = !access(HANDOFF_LEASE, F_OK);
	return NBD_OK;
}

/* ---- the words ---- */

/*
 * Adds the URIs of a backend identifier.  False: it is not ours, or the root
 * cannot be connected by URIs alone.
 */
static bool put_uris(struct reroot_words *w, const char *backend)
{
	/* any program can have set it: what is taken is printed anew */
	char buf[BACKEND_BUF], text[NBDK_BACKEND_MAX + 1];
	struct backend b, uris = { .connections = 1, .dead_timeout = -1 };

	if (device_backend_parse(&b, buf, backend) || b.files.ca ||
	    b.files.cert || b.files.key)
		return false;
	memcpy(uris.uris, b.uris, sizeof(uris.uris));
	uris.servers = b.servers;
	if (device_backend_print(&uris, text, sizeof(text)) < 0)
		return false;
	nbd_put(&w->o, "root=", 5);
	nbd_put(&w->o, text, strlen(text));
	if (b.connections > 1)
		nbd_putf(&w->o, " nbdboot.connections=%u", b.connections);
	if (b.slots)
		nbd_putf(&w->o, " nbdboot.slots=%u", b.slots);
	return true;
}

/* The words for a root whose device has a backend; false: it has none. */
static bool put_backend(struct reroot_words *w, const struct reroot_old *o)
{
	struct nbdk_info info;
	unsigned part;
	int index = nbdk_parse_part(o->device, &part);

	if (index < 0 || nbdk_info(index, &info))
		return false;
	reroot_words_keep(w, o->line, true);
	reroot_words_mount(w, o->line, o->overlay);
	if (!put_uris(w, info.backend))
		return false;
	if (part)
		nbd_putf(&w->o, " nbdboot.part=%u", part);
	if (!o->overlay)
		nbd_putf(&w->o, " rootfstype=%s", o->fstype);
	nbd_putf(&w->o, " %s", o->write ? "rw" : "ro");
	return true;
}

/* False: there are no words for it. */
static bool put_root(struct reroot_words *w, const struct reroot_old *o)
{
	/* the device does not say how its /usr is put together */
	if (o->nbd && o->named != REROOT_NAMED && !o->usr && put_backend(w, o))
		return true;
	reroot_words_begin(w);
	if (o->nbd) {
		if (o->named)
			nbd_put(&w->o, o->line, strlen(o->line));
		return o->named;
	}
	if (!o->device[0])
		return false;
	reroot_words_keep(w, o->line, o->ours);
	nbd_putf(&w->o, "root=%s rootfstype=%s %s", o->device, o->fstype,
		 o->write ? "rw" : "ro");
	return true;
}

int reroot_old_words(struct reroot_words *w, const struct reroot_old *o,
		     bool force, struct nbd_diag *d)
{
	const char *why = o->hidden_hash ? ", as only its initramfs has its "
					   "root hash"
			  : o->volume	 ? ", as it lies on a volume of LVM or "
					   "LUKS or an array of md, which only "
					   "an initramfs opens"
			  : o->nbd && o->device[0]
				  ? ", as neither the kernel command line nor "
				    "its device names its server"
				  : "";

	reroot_words_begin(w);
	if (!o->ram && !put_root(w, o) && !force)
		return nbd_diag(d, NBD_E_KERNEL,
				"the present root (%s) could not be mounted "
				"again if the new one fails%s (-f goes on)",
				o->device[0] ? o->device : o->fstype, why);
	return reroot_words_end(w, d);
}
