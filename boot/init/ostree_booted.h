/* SPDX-License-Identifier: BSD-2-Clause */
/* /run/ostree-booted: what ostree in the real system learns of the boot. */
#ifndef BOOT_INIT_OSTREE_BOOTED_H
#define BOOT_INIT_OSTREE_BOOTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As ostree-prepare-root.c of ostree 2024 and later has it. */
struct ostree_booted {
	uint64_t dev, inode; /* of the directory of the deployment */
	bool composefs, sysroot_ro, root_transient, root_transient_ro;
	/* the directory of a transient /etc, of 36 bytes at most; or NULL */
	const char *etc;
};

/* The most bytes of the file. */
#define OSTREE_BOOTED 255

/* Writes the file, a GVariant of type a{sv} in host byte order.  Its length. */
size_t init_ostree_booted(const struct ostree_booted *b,
			  unsigned char file[OSTREE_BOOTED]);

#endif
