/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An image of modules in the initramfs.  The kernel unpacks an initramfs whole
 * before it starts process 1, which takes long for hundreds of drivers.  So
 * mkinitramfs.sh puts those that few machines need into a squashfs, of which
 * only what is read is unpacked; modules.dep names them as ../more/PATH.
 */
#ifndef BOOT_INIT_IMAGE_H
#define BOOT_INIT_IMAGE_H

#include "port/port.h"

struct boot;

/*
 * A step of the boot: mounts the image, if this initramfs has one that is not
 * mounted yet.  An error is printed, and the boot goes on with the other
 * modules.
 */
int init_image_mount(struct boot *b, struct nbd_diag *d);

/* A step: unmounts it, or its memory would stay in use. */
int init_image_unmount(struct boot *b, struct nbd_diag *d);

#endif
