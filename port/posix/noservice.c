/* SPDX-License-Identifier: BSD-2-Clause */
/* For builds that ask for no services. */
#include "port/posix/service.h"

int service_resolve(const struct dns_conf *c, const char *host, uint16_t port,
		    struct sock_addr addrs[SOCK_MAX_ADDRS], struct nbd_diag *d)
{
	(void)c, (void)port, (void)addrs;
	return nbd_diag(d, NBD_E_RESOLVE,
			"resolve %s: this build looks up no SRV records", host);
}
