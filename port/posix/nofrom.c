/* SPDX-License-Identifier: BSD-2-Clause */
/* For builds whose connections come from any local port: replaces from.c. */
#include "port/posix/sock.h"

void sock_from_bind(const struct sock *s, int family, unsigned len)
{
	(void)s, (void)family, (void)len;
}

void sock_from_clear(const struct sock *s, const void *to, unsigned len)
{
	(void)s, (void)to, (void)len;
}

bool sock_from_dropped(struct sock *s)
{
	(void)s;
	return false;
}
