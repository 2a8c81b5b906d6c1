/* SPDX-License-Identifier: BSD-2-Clause */
/* The root of the running system: the way back. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "boot/init/reroot.h"
#include "boot/net/export.h"
#include "boot/reroot/reroot.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"

/* Sets the device of the root, if it is a disk or a partition. */
static void find_device(struct reroot_old *o, dev_t dev)
{
	char path[64], text[512], *p;
	size_t len;

	nbd_fmt(path, sizeof(path), "/sys/dev/block/%u:%u/uevent", major(dev),
		minor(dev));
	file_read(AT_FDCWD, path, text, sizeof(text));
	p = strstr(text, "DEVNAME=");
	if (!p)
		return;
	p += 8;
	len = strcspn(p, "\n");
	/* what lies on other devices is taken apart by the shutdown */
	if (!strncmp(p, "dm-", 3) || !strncmp(p, "md", 2) ||
	    !strncmp(p, "loop", 4) || len > 24)
		return;
	nbd_fmt(o->device, sizeof(o->device), "/dev/%.*s", (int)len, p);
}

/* Takes the type of / from the last line of /proc/mounts that is about it. */
static void find_type(struct reroot_old *o)
{
	char buf[16384], *line = buf, *end, *p;

	file_read(AT_FDCWD, "/proc/self/mounts", buf, sizeof(buf));
	for (; (end = strchr(line, '\n')); line = end + 1) {
		p = strchr(line, ' ');
		if (!p || p > end || strncmp(p, " / ", 3) != 0)
			continue;
		p += 3;
		nbd_fmt(o->fstype, sizeof(o->fstype), "%.*s",
			(int)strcspn(p, " "), p);
		p += strcspn(p, " ");
		o->write = !strncmp(p, " rw", 3);
	}
}

/* Was this root mounted from the words of o->line? */
static bool is_nbd(const struct reroot_old *o)
{
	struct cmdline c;
	struct root_spec spec;
	struct nbd_diag d;
	struct stat st;

	if (boot_cmdline_parse(&c, o->line, &d) || root_parse(&spec, &c, &d))
		return false;
	return !strncmp(o->device, "/dev/nbd", 8) ||
	       (!o->device[0] && !stat("/run/nbdboot/lower", &st));
}

int reroot_old_read(struct reroot_old *o, struct nbd_diag *d)
{
	struct statfs fs;
	struct stat st;

	memset(o, 0, sizeof(*o));
	if (stat("/", &st) || statfs("/", &fs))
		return nbd_diag(d, NBD_E_IO, "look at /: %s", strerror(errno));
	if (file_read(AT_FDCWD, REROOT_LINE, o->line, sizeof(o->line)) < 0)
		file_read(AT_FDCWD, "/proc/cmdline", o->line, sizeof(o->line));
	o->line[strcspn(o->line, "\n")] = '\0';
	o->ram = (unsigned long)fs.f_type == TMPFS_MAGIC ||
		 (unsigned long)fs.f_type == RAMFS_MAGIC;
	find_device(o, st.st_dev);
	find_type(o);
	o->nbd = is_nbd(o);
	o->ours = !access(EXPORT_LEASE, F_OK);
	return NBD_OK;
}
