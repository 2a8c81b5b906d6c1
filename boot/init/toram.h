/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A root that needs no server any more, nbdboot.toram: a copy of the export in
 * RAM.
 *
 *	server --copy--> file in a tmpfs --> loop device --> root
 */
#ifndef BOOT_INIT_TORAM_H
#define BOOT_INIT_TORAM_H

#include "boot/words/root.h"
#include "port/linux/loop.h"

/*
 * Copies the export of r, from the first of its servers that works, over
 * several connections; holes take no memory.  Sets disk to the name of the loop
 * device ("loop0") that the copy is behind, with its partitions scanned.  The
 * progress is printed on a terminal.  May take long, so run it in a child.
 *
 * NBD_E_NO_MEMORY: seven eighths of the available memory do not hold the data.
 * Other errors are those of the connection, or of the kernel.
 */
int init_toram_copy(char disk[LOOP_NAME], const struct root_spec *r,
		    struct nbd_diag *d);

/*
 * Lets go of the copy, if there is one, also of what init_toram_copy() left when
 * it failed or was killed.  The memory of a running system's copy is freed when
 * the root is unmounted, which until then would keep the tmpfs busy, and be kept
 * busy by it.
 */
#ifdef CONFIG_BOOT_TORAM
void init_toram_release(void);
#else
static inline void init_toram_release(void)
{
}
#endif

#endif
