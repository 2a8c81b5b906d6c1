/* SPDX-License-Identifier: BSD-2-Clause */
/* Can the kernel execute this program of another root? */
#ifndef BOOT_INIT_PROGRAM_H
#define BOOT_INIT_PROGRAM_H

#include "port/port.h"

/*
 * Checks `path` as seen by a process whose root is `root`: symbolic links stay
 * inside.  Returns 0 if it is a regular file that may be executed, either ELF
 * and not known to be for another machine, or "#!", and the same holds for its
 * interpreter.  NBD_E_NOT_FOUND: path itself does not exist.  After any other
 * error d names what is missing.  Needs CAP_SYS_CHROOT, and forks.
 */
int init_program_check(const char *root, const char *path, struct nbd_diag *d);

/*
 * Sets *init to the path of the init in that root: `wanted`, or with NULL the
 * first of those that the kernel tries.  Fails as init_program_check() does.
 */
int init_program_find(const char *root, const char *wanted, const char **init,
		      struct nbd_diag *d);

#endif
