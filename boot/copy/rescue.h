/* SPDX-License-Identifier: BSD-2-Clause */
/* Between rescue.c, which copies, and rescue_map.c, which has the map. */
#ifndef BOOT_COPY_RESCUE_H
#define BOOT_COPY_RESCUE_H

#include "boot/copy/copy.h"
#include "boot/copy/map.h"

struct rescue {
	const struct copy_options *o;
	const char *name; /* of the map's file; NULL: there is none */
	bool skips;
	bool sampling; /* what is copied is compared, not copied */
	uint32_t sector;
	uint64_t next; /* ns; when to flush a server again */
	uint64_t from; /* of this pass, ... */
	char of, bad;  /* ... the state before it, and after a failure */
	struct map_about about;
	struct map map;	 /* what is copied */
	struct map safe; /* what is copied and flushed */
};

/* The map has no room for another area: NBD_E_NO_MEMORY, explained in c->d. */
int copy_rescue_too_many(struct copy *c);
/* Makes an empty file of the map, if it has a name and is not there. */
int copy_rescue_create(struct copy *c);
/* Reads m->m, and checks that it is about c->src and not empty. */
int copy_rescue_read(struct copy *c, struct map_reader *m);

#endif
