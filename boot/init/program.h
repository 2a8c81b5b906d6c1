/* SPDX-License-Identifier: BSD-2-Clause */
/* Can the kernel execute this program of another root? */
#ifndef BOOT_INIT_PROGRAM_H
#define BOOT_INIT_PROGRAM_H

#include "port/port.h"

/*
 * Looks at `path` as a process whose root is `root` would: symbolic links
 * stay inside.  Returns 0 if it is a regular file that may be executed, ELF
 * of a machine that is not known to be foreign, or "#!", and its interpreter
 * is there and fit too.  NBD_E_NOT_FOUND: path itself does not exist.  Else
 * another error; d names what is missing.  Needs CAP_SYS_CHROOT, forks.
 */
int init_program_check(const char *root, const char *path, struct nbd_diag *d);

#endif
