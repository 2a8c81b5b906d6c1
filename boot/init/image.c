/* SPDX-License-Identifier: BSD-2-Clause */
/* A squashfs of modules, behind a loop device. */
#include "boot/init/image.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/init/drivers.h"
#include "boot/init/mount.h"
#include "boot/init/steps.h"
#include "port/linux/loop.h"
#include "port/linux/module.h"

#define WHERE "/lib/modules/more"
#define IMAGE WHERE ".squashfs"

static int mount_image(struct nbd_diag *d)
{
	char disk[LOOP_NAME], dev[32];
	int rc = NBD_OK, loop;

	/* it may be built in */
	mod_load("squashfs", "", NULL);
	loop = loop_attach(IMAGE, LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR, 0,
			   disk, d);
	if (loop < 0)
		return loop;
	nbd_fmt(dev, sizeof(dev), "/dev/%s", disk);
	if (mount(dev, WHERE, "squashfs", MS_RDONLY, NULL))
		rc = nbd_diag(d, NBD_E_KERNEL, "mount %s (module squashfs): %s",
			      IMAGE, strerror(errno));
	close(loop);
	return rc;
}

/* Of several processes that need it one mounts it. */
static bool need(void)
{
	int image = open(IMAGE, O_RDONLY | O_CLOEXEC);
	bool mounted;
	struct nbd_diag d;

	if (image < 0)
		return false;
	while (flock(image, LOCK_EX) && errno == EINTR)
		;
	mounted = init_mount_is_mounted(WHERE);
	if (!mounted && mount_image(&d))
		boot_say("most modules are missing: %s", d.text);
	else
		mounted = true;
	close(image);
	return mounted;
}

static bool fetch(const char *path)
{
	return strstr(path, "/../more/") && need();
}

void init_image_offer(void)
{
	mod_dirs.fetch = fetch;
}

void init_image_show(void)
{
	need();
}

static int begin(struct boot *b, struct nbd_diag *d)
{
	(void)b, (void)d;
	init_image_offer();
	return NBD_OK;
}

/* Otherwise its memory would stay in use. */
static int unmount(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	/* it may read the image */
	init_drivers_unwatch(&b->hotplug);
	umount2(WHERE, MNT_DETACH);
	return NBD_OK;
}

const struct step init_image_step = {
	.name = "module image",
	.run = begin,
	.hint = "",
};

const struct step init_image_end_step = {
	.name = "module image",
	.run = unmount,
	.hint = "",
};
