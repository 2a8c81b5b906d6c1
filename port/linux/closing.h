/* SPDX-License-Identifier: BSD-2-Clause */
/* The ends of TCP connections, as /proc/net/tcp and tcp6 show them. */
#ifndef PORT_LINUX_CLOSING_H
#define PORT_LINUX_CLOSING_H

#include <stdbool.h>

/*
 * Waits until no TCP connection of this network namespace, with an owner or
 * without, has an end on its way: the peer of each has acknowledged all that
 * was sent before its close.  Looks a limited number of times, within about ms.
 * Returns false if there still was one, true also without /proc.
 */
bool closing_await(unsigned ms);

#endif
