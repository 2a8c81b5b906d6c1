/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	image -> loop device -> erofs at LOWER --.
 *	repository's objects, data only ----------+--> overlay at target
 */
#include "boot/init/composefs.h"

#include <errno.h>
#include <linux/loop.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "port/linux/inside.h"
#include "port/linux/loop.h"
#include "port/linux/module.h"

#define LOWER "/run/nbdboot/composefs"

static int mount_image(int image, struct nbd_diag *d)
{
	char file[INSIDE_PATH], disk[LOOP_NAME], dev[32];
	int rc = NBD_OK, loop;

	mod_load("erofs", "", NULL);
	loop = loop_attach(inside_path(file, image),
			   LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR, 0, disk, d);
	if (loop < 0)
		return loop;
	mkdir(LOWER, 0700);
	nbd_fmt(dev, sizeof(dev), "/dev/%s", disk);
	if (mount(dev, LOWER, "erofs", MS_RDONLY, NULL))
		rc = nbd_diag(d, NBD_E_KERNEL,
			      "mount composefs's image (module erofs): %s",
			      strerror(errno));
	close(loop);
	return rc;
}

static int mount_overlay(const struct composefs *c, const char *target,
			 const char *between)
{
	char objects[INSIDE_PATH], data[512];

	nbd_fmt(data, sizeof(data),
		"metacopy=on,redirect_dir=on,lowerdir=" LOWER "%s%s%s%s%s%s",
		between, inside_path(objects, c->objects),
		c->upper ? ",upperdir=" : "", c->upper ? c->upper : "",
		c->upper ? ",workdir=" : "", c->upper ? c->work : "");
	return mount("composefs", target, "overlay",
		     c->upper && !c->read_only ? 0 : MS_RDONLY, data);
}

int init_composefs_mount(const struct composefs *c, const char *target,
			 struct nbd_diag *d)
{
	int rc = mount_image(c->image, d);

	if (rc)
		return rc;
	mod_load("overlay", "", NULL);
	/*
	 * "::" is before a layer of data only, since Linux 6.5.  Before, the
	 * image hides the names of the directories of objects.
	 */
	if (mount_overlay(c, target, "::") &&
	    (errno != EINVAL || mount_overlay(c, target, ":")))
		rc = nbd_diag(d, NBD_E_KERNEL,
			      "mount composefs (module overlay): %s",
			      strerror(errno));
	/* the overlay has it now */
	init_composefs_unmount();
	return rc;
}

void init_composefs_unmount(void)
{
	umount2(LOWER, MNT_DETACH);
	rmdir(LOWER);
}
