/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection of dial() that the test made itself, from a descriptor. */
#ifndef TESTS_PORT_CONN_H
#define TESTS_PORT_CONN_H

#include "port/dial.h"
#include "port/posix/sock.h"

static inline void conn_vclose(struct nbd_transport *t)
{
	sock_close((struct sock *)t);
}

static inline void conn_open(struct conn *c, int fd)
{
	c->net = &sock_stack;
	c->s.t.close = conn_vclose;
	c->s.fd = fd;
}

#endif
