/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses in numbers. */
#ifndef PORT_POSIX_NUMERIC_H
#define PORT_POSIX_NUMERIC_H

#include "port/posix/sock.h"

/* "192.0.2.1", "fe80::1%eth0", or "localhost"; false for anything else. */
bool sock_numeric(const char *host, uint16_t port, struct sock_addr *a);

#endif
