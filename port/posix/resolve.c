/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Host names: addresses, /etc/hosts, then DNS (dns.h).  The C library's
 * getaddrinfo() takes 40 KiB of a static program, and musl's believes a server
 * that knows no AAAA of a name and so refuses it, or says that there is no such
 * name (RFC 4074, 4); of several servers it believes the first; and an answer
 * that was cut is all that it asks for.
 */
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port/names.h"
#include "port/posix/dns.h"
#include "port/posix/lines.h"
#include "port/posix/service.h"
#include "port/posix/sock.h"

/* ms that a process that stays waits for name servers. */
#define KEPT_MS 2000

/* What was found so far. */
struct found {
	const char *host;
	uint16_t port;
	bool whole;		 /* the host is of no search domain */
	struct sock_addr *addrs; /* SOCK_MAX_ADDRS */
	int n;
};

/* ---- how an address is reached ---- */

/* This sends nothing. */
static bool source_of(void *ctx, const struct sock_addr *a,
		      unsigned char own[16])
{
	struct sockaddr_in6 at = { 0 };
	struct sock_addr to = *a;
	socklen_t len = sizeof(at);
	int fd;
	bool is;

	(void)ctx;
	to.port = 1;
	fd = sock_open_known(&to, SOCK_DGRAM);
	is = fd >= 0 && !getsockname(fd, (struct sockaddr *)&at, &len);
	if (fd >= 0)
		close(fd);
	memcpy(own, &at.sin6_addr, 16);
	return is;
}

static bool has_ipv6(void)
{
	static const struct sock_addr global = { .host = { .len = 16,
							   .ip = { 0x20 } } };
	unsigned char own[16];

	return source_of(NULL, &global, own);
}

/* ---- where names are ---- */

static void take_host(void *ctx, char *word[])
{
	struct found *f = ctx;

	for (unsigned i = 1; i < LINES_WORDS && *word[i]; i++)
		if (!strcasecmp(word[i], f->host) && f->n < SOCK_MAX_ADDRS &&
		    sock_parse(word[0], f->port, &f->addrs[f->n])) {
			f->n++;
			return;
		}
}

static int ask(const struct dns_conf *c, const char *name, bool six,
	       struct found *f)
{
	struct dns_found a, aaaa;
	int rc = dns_ask(c, name, six, &a, &aaaa);

	f->n = nbd_names_take(f->addrs, f->port, &aaaa, &a);
	return rc;
}

static bool is_denied(int rc)
{
	return !rc || rc == NBD_E_RESOLVE;
}

/* Of two names: a name without an address is more than none, a fault counts. */
static int both(int rc, int next)
{
	return next == NBD_E_RESOLVE || (!next && !is_denied(rc)) ? rc : next;
}

static int ask_domains(const struct dns_conf *c, bool six, struct found *f)
{
	int rc = NBD_E_RESOLVE;

	for (const char *p = c->search; *p && is_denied(rc); p += *p == ' ') {
		char name[DNS_NAME_MAX + 1];
		size_t n = strcspn(p, " ");

		if (nbd_fmt(name, sizeof(name), "%s.%.*s", f->host, (int)n,
			    p) >= 0)
			rc = both(rc, ask(c, name, six, f));
		p += n;
	}
	return rc;
}

/*
 * The name in each domain, and then as it is; first as it is if it has dots:
 * resolv.conf(5).
 */
static int ask_each(const struct dns_conf *c, bool six, struct found *f)
{
	bool whole = f->whole || f->host[strlen(f->host) - 1] == '.', first;
	unsigned dots = 0;
	int rc = NBD_E_RESOLVE;

	for (const char *p = f->host; *p; p++)
		dots += *p == '.';
	first = whole || dots >= c->ndots;
	if (first)
		rc = ask(c, f->host, six, f);
	if (!whole && rc == NBD_E_RESOLVE)
		rc = ask_domains(c, six, f);
	return first || rc > 0 ? rc : both(rc, ask(c, f->host, six, f));
}

/* Of sock_resolve_keep(): n 0: files are read each time. */
static struct dns_conf kept;

static const struct dns_conf *servers(struct dns_conf *c)
{
	if (kept.n)
		return &kept;
	dns_conf_read(c, "/etc/resolv.conf");
	return c;
}

static bool is_loopback(const struct sock_addr *a)
{
	static const uint8_t six[16] = { [15] = 1 };

	return a->host.len == 4 ? a->host.ip[0] == 127
				: !memcmp(a->host.ip, six, 16);
}

/*
 * systemd-resolved is a program of the root, which may stand still with it.  The
 * servers that it asks are asked, too.
 */
static void add_upstream(struct dns_conf *c)
{
	struct dns_conf up;

	for (unsigned i = 0; i < c->n; i++)
		if (!is_loopback(&c->server[i]))
			return;
	dns_conf_read(&up, "/run/systemd/resolve/resolv.conf");
	for (unsigned i = 0; i < up.n && c->n < DNS_SERVERS; i++)
		if (!is_loopback(&up.server[i]))
			c->server[c->n++] = up.server[i];
}

void sock_resolve_keep(void)
{
	struct dns_conf c;

	dns_conf_read(&c, "/etc/resolv.conf");
	add_upstream(&c);
	if (c.timeout_ms > KEPT_MS)
		c.timeout_ms = KEPT_MS;
	kept = c;
	sock_lacks_keep();
}

static int search(struct found *f)
{
	struct dns_conf file;
	const struct dns_conf *c = servers(&file);
	bool six = has_ipv6();
	int rc = ask_each(c, six, f);

	/*
	 * All addresses may be of an IPv6 that leads to this network alone; but
	 * a name that is not there has none of any kind (RFC 8020, 2).
	 */
	return rc || six ? rc : ask_each(c, true, f);
}

static const char *why(int rc)
{
	switch (rc) {
	case 0:
		return "it has no address";
	case NBD_E_TIMEOUT:
		return "no answer from a name server";
	case NBD_E_REFUSED:
		return "all name servers refuse";
	case NBD_E_UNREACHABLE:
		return "no route to a name server";
	default:
		return "no such name";
	}
}

/* Addresses that need no DNS. */
static void look_up(struct found *f)
{
	if (sock_parse(f->host, f->port, f->addrs)) {
		f->n = 1;
		return;
	}
	if (!kept.n)
		lines_each("/etc/hosts", take_host, f);
	/* an initramfs has no /etc/hosts (RFC 6761, 6.3) */
	if (!f->n && !strcasecmp(f->host, "localhost"))
		f->n = sock_parse("127.0.0.1", f->port, f->addrs);
}

bool sock_resolve_fixed(const char *host)
{
	struct sock_addr addrs[SOCK_MAX_ADDRS];
	struct found f = { .host = host, .addrs = addrs };

	look_up(&f);
	return f.n;
}

/* No name has a colon: this address needs another interface, or one at all. */
static int no_interface(const char *host, struct nbd_diag *d)
{
	if (strchr(host, '%'))
		return nbd_diag(d, NBD_E_RESOLVE, "%s: no such interface",
				host);
	return nbd_diag(d, NBD_E_URI,
			"%s is of one link: add the interface, as in "
			"[fe80::1%%25eth0]",
			host);
}

static int resolve(struct found *f, struct nbd_diag *d)
{
	int rc;

	look_up(f);
	if (strchr(f->host, ':') &&
	    (!f->n || (nbd_ip_link_local(&f->addrs->host) && !f->addrs->zone)))
		return no_interface(f->host, d);
	rc = f->n ? 1 : search(f);
	if (rc <= 0)
		return nbd_diag(d, NBD_E_RESOLVE, "resolve %s: %s", f->host,
				why(rc));
	if (f->n > 1)
		nbd_names_sort(f->addrs, f->n, source_of, NULL);
	return f->n;
}

int sock_resolve_host(const char *host, uint16_t port,
		      struct sock_addr addrs[SOCK_MAX_ADDRS],
		      struct nbd_diag *d)
{
	struct found f = { .host = host, .port = port, .addrs = addrs };
	struct dns_conf file;

	return nbd_uri_service(host)
		       ? service_resolve(servers(&file), host, port, addrs, d)
		       : resolve(&f, d);
}

int sock_resolve_whole(const char *host, uint16_t port,
		       struct sock_addr addrs[SOCK_MAX_ADDRS],
		       struct nbd_diag *d)
{
	struct found f = {
		.host = host, .port = port, .whole = true, .addrs = addrs
	};

	return resolve(&f, d);
}
