/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An image of modules in the initramfs.  The kernel unpacks an initramfs whole
 * before it starts process 1, which takes long for hundreds of drivers.  So
 * mkinitramfs.sh puts those that few machines need into a squashfs, of which
 * only what is read is unpacked; modules.dep names them as ../more/PATH.  It is
 * mounted for the first of them: a virtual machine needs none, and the drivers
 * for the mount take long to load.
 */
#ifndef BOOT_INIT_IMAGE_H
#define BOOT_INIT_IMAGE_H

#ifdef CONFIG_BOOT_IMAGE
/*
 * From now on this process and its children mount the image when they load a
 * module that is in it, if this initramfs has one.  An error is printed, and only
 * the other modules can be loaded.
 */
void init_image_offer(void);

/* Mounts it now, for the programs of others. */
void init_image_show(void);
#else
static inline void init_image_offer(void)
{
}

static inline void init_image_show(void)
{
}
#endif

#endif
