/* SPDX-License-Identifier: BSD-2-Clause */
/* What a person sees of the boot: lines on /dev/console. */
#ifndef BOOT_INIT_CONSOLE_H
#define BOOT_INIT_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "port/port.h"

/* Shows note() too. */
extern bool console_debug;

/*
 * Opens path as descriptors 0, 1 and 2, and with `control` as the controlling
 * terminal of this process's new session.  Keeps the old ones on failure.
 */
int console_open(const char *path, bool control);

/* Gets what is said after the first failure, too; or NULL. */
extern void (*console_tee)(const char *p, size_t len);

/*
 * Prints a line with the time in front: "[    1.234] nbdboot: ...".  Each %s
 * is escaped.  note() is silent without console_debug.
 */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A failed step, why, and what to do (NULL: what err suggests). */
void say_failed(const char *step, int err, const struct nbd_diag *d,
		const char *hint);

#endif
