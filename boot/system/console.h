/* SPDX-License-Identifier: BSD-2-Clause */
/* What the user sees of the boot: lines on /dev/console. */
#ifndef BOOT_SYSTEM_CONSOLE_H
#define BOOT_SYSTEM_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "port/port.h"

/* If set, boot_note() prints, too. */
extern bool boot_console_debug;

/*
 * Opens path as descriptors 0, 1 and 2, and with `control` as the controlling
 * terminal of a new session of this process.  Keeps the old ones on failure.
 * From then on all lines printed below are copied to the kernel's log, and what
 * a stopped terminal does not take is there only.
 */
int boot_console_open(const char *path, bool control);

/* Called with every line after the first failure; or NULL. */
extern void (*boot_console_tee)(const char *p, size_t len);

/*
 * Called with each line, also with those that boot_note() does not print, and
 * its level in the kernel's log: 3 a failure, 5, or 7 of boot_note(); or NULL.
 */
extern void (*boot_console_log)(int level, const char *p, size_t len);

/*
 * Prints a line that begins with the time: "[    1.234] nbdboot: ...".  Each %s
 * is escaped.  boot_note() prints only if boot_console_debug is set.
 */
void boot_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void boot_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Prints the failed step, the reason, and what to do (NULL: the hint for err).
 */
void boot_say_failed(const char *step, int err, const struct nbd_diag *d,
		     const char *hint);

#endif
