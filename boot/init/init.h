/* SPDX-License-Identifier: BSD-2-Clause */
/* PID 1 of an initramfs that holds this program, modules, and no shell. */
#ifndef BOOT_INIT_INIT_H
#define BOOT_INIT_INIT_H

/*
 * Boots what the kernel command line says.  argv is what the kernel gave to
 * process 1: all but argv[0] is handed on to the real init, and so is the
 * environment.  Never returns as process 1; otherwise 2, with a message.
 */
int init_boot(char *argv[]);

#endif
