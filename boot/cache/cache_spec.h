/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a cache is: DEVICE[,erase][,image=NAME]. */
#ifndef BOOT_CACHE_CACHE_SPEC_H
#define BOOT_CACHE_CACHE_SPEC_H

#include "boot/clone/spec.h"

/* Room for a name, and for all of the word. */
#define CACHE_NAME 40
#define CACHE_WORD (CLONE_DEVICE + CACHE_NAME + 16)

struct cache_spec {
	struct clone_spec to;
	/* what the site calls this image, and no other one; "": not given */
	char image[CACHE_NAME];
};

/* Returns 0, or NBD_E_USAGE with the reason in d. */
int cache_spec_parse(struct cache_spec *s, const char *text,
		     struct nbd_diag *d);

#endif
