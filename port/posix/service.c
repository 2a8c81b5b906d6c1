/* SPDX-License-Identifier: BSD-2-Clause */
/* The servers of a service. */
#include "port/posix/service.h"

#include <string.h>

#include "port/posix/sock.h"

/* ms after which no further server is asked for. */
#define TURN_MS 8000

/* Adds those of one server, so that `room` are left for the others. */
static int add(const struct dns_target *t, struct sock_addr addrs[], int n,
	       int room, struct nbd_diag *d)
{
	struct sock_addr found[SOCK_MAX_ADDRS];
	int m;

	/* a service that leads to another would have no end */
	if (!t->name[0] || nbd_uri_service(t->name))
		return n;
	m = sock_resolve_whole(t->name, t->port, found, d);
	for (int i = 0; i < m && n < room; i++) {
		addrs[n] = found[i];
		addrs[n++].server = !i;
	}
	return n;
}

static const char *why(int rc)
{
	return rc == NBD_E_TIMEOUT	 ? "no answer from a name server"
	       : rc == NBD_E_REFUSED	 ? "all name servers refuse"
	       : rc == NBD_E_UNREACHABLE ? "no route to a name server"
					 : "it has no SRV record";
}

int service_resolve(const struct dns_conf *c, const char *host, uint16_t port,
		    struct sock_addr addrs[SOCK_MAX_ADDRS], struct nbd_diag *d)
{
	struct dns_target t[DNS_TARGETS];
	struct dns_found f = { .target = t };
	uint32_t random = dns_random();
	uint64_t begun = nbd_now_ms();
	int rc, n = 0;

	if (port != NBD_PORT)
		return nbd_diag(d, NBD_E_URI,
				"%s: its SRV records have the port: leave "
				":%u out",
				host, port);
	rc = dns_ask_service(c, host, &f);
	if (rc <= 0)
		return nbd_diag(d, NBD_E_RESOLVE, "resolve %s: %s", host,
				why(rc));
	nbd_diag(d, 0, "resolve %s: there is no such service", host);
	dns_srv_order(t, f.n, &random);
	for (unsigned i = 0; i < f.n && nbd_now_ms() - begun < TURN_MS; i++)
		n = add(&t[i], addrs, n, SOCK_MAX_ADDRS - (int)(f.n - i - 1),
			d);
	return n ? n : NBD_E_RESOLVE;
}
