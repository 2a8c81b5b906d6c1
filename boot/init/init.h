/* SPDX-License-Identifier: BSD-2-Clause */
/* PID 1 of an initramfs that holds this program, modules, and no shell. */
#ifndef BOOT_INIT_INIT_H
#define BOOT_INIT_INIT_H

struct plan;

/*
 * Carries out the plan (steps.h), until the real init runs.  argv is what the
 * kernel passed to process 1: the real init gets all of it but argv[0], and the
 * environment.  Never returns as process 1; otherwise returns 2, after a
 * message.
 */
int init_boot(char *argv[], const struct plan *plan);

#endif
