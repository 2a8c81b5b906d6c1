/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot.images= and nbdboot.fallback=: several images, different from one
 * another, in order of preference.
 */
#ifndef BOOT_INIT_IMAGES_H
#define BOOT_INIT_IMAGES_H

#include "boot/init/steps.h"

#ifdef CONFIG_BOOT_IMAGES

/*
 * The step s has failed with err.  True: that is a mistake of the image, and
 * the boot goes on at once, with the same or with another image.
 */
bool init_images_failed(const struct boot *b, const struct step *s, int err);

#else

static inline bool init_images_failed(const struct boot *b,
				      const struct step *s, int err)
{
	(void)b;
	(void)s;
	(void)err;
	return false;
}

#endif
#endif
