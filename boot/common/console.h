/* SPDX-License-Identifier: BSD-2-Clause */
/* What a person sees of the boot: lines on /dev/console. */
#ifndef BOOT_COMMON_CONSOLE_H
#define BOOT_COMMON_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "port/port.h"

/* Shows boot_note() too. */
extern bool boot_console_debug;

/*
 * Opens path as descriptors 0, 1 and 2, and with `control` as the controlling
 * terminal of this process's new session.  Keeps the old ones on failure.
 * From then on the kernel's log gets all that is printed below, too.
 */
int boot_console_open(const char *path, bool control);

/* Gets what is said after the first failure, too; or NULL. */
extern void (*boot_console_tee)(const char *p, size_t len);

/*
 * Prints a line with the time in front: "[    1.234] nbdboot: ...".  Each %s
 * is escaped.  boot_note() is silent without boot_console_debug.
 */
void boot_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void boot_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A failed step, why, and what to do (NULL: what err suggests). */
void boot_say_failed(const char *step, int err, const struct nbd_diag *d,
		     const char *hint);

#endif
