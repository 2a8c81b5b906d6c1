/* SPDX-License-Identifier: BSD-2-Clause */
/* What worlds that look up names share: from answers to addresses to try. */
#ifndef NBD_NAMES_H
#define NBD_NAMES_H

#include "port/dns_msg.h"
#include "port/stack.h"

/* Fills addrs[] with what was found; returns how many.  Both kinds have room. */
int nbd_names_take(struct sock_addr addrs[SOCK_MAX_ADDRS], uint16_t port,
		   const struct dns_found *six, const struct dns_found *four);

/* Is there a way to *a?  To one of IPv6: from which address of ours? */
typedef bool nbd_source(void *ctx, const struct sock_addr *a,
			unsigned char own[16]);

/*
 * Puts n addresses into the order of RFC 6724, 6, by its rules 1, 2, 5 and 6:
 * those that can be reached first, then those whose kind ours has, then IPv6.
 */
void nbd_names_sort(struct sock_addr addrs[], int n, nbd_source *source,
		    void *ctx);

#endif
