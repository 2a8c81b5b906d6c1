/* SPDX-License-Identifier: BSD-2-Clause */
/* Notices that the machine was suspended, as soon as it goes on. */
#ifndef PORT_LINUX_SUSPEND_H
#define PORT_LINUX_SUSPEND_H

#include <stdint.h>

/*
 * A descriptor that can be read once the machine goes on after a suspend, or
 * when somebody sets the time of day; the caller closes it.  -1: this kernel has
 * none, and the caller compares suspend_ms() now and then.
 */
int suspend_open(void);

/* Reads fd, if it is not -1: it waits for the next time. */
void suspend_read(int fd);

/* ms that the machine has spent suspended since the kernel started. */
uint64_t suspend_ms(void);

#endif
