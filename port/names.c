/* SPDX-License-Identifier: BSD-2-Clause */
#include "port/names.h"

#include <string.h>

int nbd_names_take(struct sock_addr addrs[SOCK_MAX_ADDRS], uint16_t port,
		   const struct dns_found *six, const struct dns_found *four)
{
	unsigned most = four->n ? SOCK_MAX_ADDRS / 2 : SOCK_MAX_ADDRS, n = 0;

	for (const struct dns_found *d = six; d; d = d == six ? four : NULL) {
		for (unsigned i = 0; i < d->n && n < most; i++) {
			struct sock_addr *a = &addrs[n++];

			memset(a, 0, sizeof(*a));
			a->host = d->ip[i];
			a->port = port;
		}
		most = SOCK_MAX_ADDRS;
	}
	return (int)n;
}

/* RFC 6724, 2.1: what should not be mixed; all of IPv4 is of one kind. */
static int label(const unsigned char ip[16])
{
	static const unsigned char zeros[15];

	if (!memcmp(ip, zeros, 10) && ip[10] == 0xff)
		return 4;
	if (!memcmp(ip, zeros, 15))
		return 0;
	return (ip[0] & 0xfe) == 0xfc	     ? 13 /* local */
	       : ip[0] == 0x20 && ip[1] == 2 ? 2  /* 6to4 */
	       : ip[0] == 0x20 && ip[1] == 1 && !(ip[2] | ip[3])
		       ? 5 /* Teredo */
		       : 1;
}

static int merit(const struct sock_addr *a, nbd_source *source, void *ctx)
{
	unsigned char own[16];

	if (!source(ctx, a, own))
		return 0;
	if (a->host.len == 4)
		return 3;
	return label(a->host.ip) == label(own) ? 4 : 2;
}

void nbd_names_sort(struct sock_addr addrs[], int n, nbd_source *source,
		    void *ctx)
{
	int is[SOCK_MAX_ADDRS], i, j;

	for (i = 0; i < n; i++) {
		struct sock_addr a = addrs[i];
		int m = merit(&a, source, ctx);

		for (j = i; j && is[j - 1] < m; j--) {
			addrs[j] = addrs[j - 1];
			is[j] = is[j - 1];
		}
		addrs[j] = a;
		is[j] = m;
	}
}
