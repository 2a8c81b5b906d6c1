/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals that end a command (a key, a closed terminal, a message that nobody
 * reads) wait while a device is half made, which would stay if they ended this
 * process.
 */
#ifndef BOOT_DEVICE_SIGNALS_H
#define BOOT_DEVICE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct device_signals {
	sigset_t before;
	int fd; /* readable when one waits; -1: none ever will */
};

/*
 * Signals that this process ignores have no effect, nor has any if it blocks
 * SIGTERM, as process 1 does.
 */
void device_signals_hold(struct device_signals *s);

/* Those that wait end this process now, unless it has a handler. */
void device_signals_release(struct device_signals *s);

bool device_signals_came(const struct device_signals *s);

#endif
