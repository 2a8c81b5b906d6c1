/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the servers of a watched device are. */
#include "boot/watch/servers.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/words/uri_tls.h"
#include "port/posix/sock.h"

/* ms between questions in an outage: a fleet may share the name server. */
#define PAUSE_MIN 1000
#define PAUSE_MAX 30000
/* ms after which no further name is asked for in one turn. */
#define TURN_MS	  3000

/* Writes an address as it stands in a URI. */
static bool print_address(char *text, size_t cap, const struct sock_addr *a)
{
	struct nbd_out o = { .buf = text, .cap = cap - 1 };

	sock_host_print(&o, a);
	text[o.len] = '\0';
	return !o.cut;
}

/*
 * For a family that the kernel lacks (ipv6.disable=1) socket() runs modprobe
 * each time, later from a root that may be away.
 */
static bool has_family(const struct sock_addr *a)
{
	int fd = socket(a->host.len == 4 ? AF_INET : AF_INET6,
			SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool has(const struct sock_addr at[], int n, const struct sock_addr *a)
{
	for (int i = 0; i < n; i++)
		if (nbd_ip_same(&at[i].host, &a->host) &&
		    at[i].port == a->port && at[i].zone == a->zone)
			return true;
	return false;
}

static bool may_use(const struct watch_servers *s, const struct sock_addr *a,
		    bool start)
{
	return start ? has_family(a) : a->host.len == 4 || s->six;
}

/* Asks for name i; false: its addresses are the same, or there is no answer. */
static bool ask(struct watch_servers *s, unsigned i, bool start)
{
	static struct sock_addr found[SOCK_MAX_ADDRS];
	struct sock_addr at[BACKEND_SERVERS];
	int known = sock_resolve(&s->name[i], found, NULL), n = 0, same = 0;

	for (int k = 0; k < known && n < BACKEND_SERVERS; k++) {
		/* two servers of a service may have one address */
		if (may_use(s, &found[k], start) && !has(at, n, &found[k]))
			at[n++] = found[k];
	}
	if (known > 0)
		s->useless[i] = !n;
	/* servers of names turn their answers round */
	for (int k = 0; k < n; k++)
		same += has(s->at[i], s->n_at[i], &at[k]);
	if (!n || (n == s->n_at[i] && same == n))
		return false;
	memcpy(s->at[i], at, sizeof(at));
	s->n_at[i] = n;
	return true;
}

/* A server of b at one address of its name. */
static void put(struct watch_servers *s, struct backend *b, unsigned i, int k)
{
	struct nbd_uri *to = &b->uris[b->servers];
	const struct nbd_uri *u = &s->name[i];
	char *text = s->text[b->servers++];

	*to = *u;
	to->port = s->at[i][k].port;
	/* an address with a zone is numeric already */
	if (!strchr(u->host, '%') &&
	    print_address(text, sizeof(s->text[0]), &s->at[i][k]))
		to->host = text;
	if (u->tls && !*u->tls_hostname)
		to->tls_hostname = boot_tls_name(u);
}

static void fill(struct watch_servers *s, struct backend *b)
{
	b->servers = 0;
	for (unsigned i = 0; i < s->n; i++) {
		int room = (int)(BACKEND_SERVERS - b->servers - (s->n - i - 1));
		int n = s->n_at[i];

		if (n > (b->spread ? 1 : room))
			n = b->spread ? 1 : room;
		/* a socket, or a name that is resolved at each try */
		if (!n && !s->useless[i])
			b->uris[b->servers++] = s->name[i];
		for (int k = 0; k < n; k++)
			put(s, b, i, k);
	}
	if (b->servers)
		return;
	memcpy(b->uris, s->name, sizeof(b->uris));
	b->servers = s->n;
}

void watch_servers_open(struct watch_servers *s, struct backend *b)
{
	static const struct sock_addr six = { .host.len = 16 };

	s->n = b->servers;
	memcpy(s->name, b->uris, sizeof(s->name));
	for (unsigned i = 0; i < s->n; i++) {
		s->fixed[i] = s->name[i].is_unix ||
			      sock_resolve_fixed(s->name[i].host);
		if (!s->name[i].is_unix)
			ask(s, i, true);
	}
	sock_resolve_keep();
	s->six = !sock_lacks(&six);
	s->pause.min = PAUSE_MIN;
	s->pause.max = PAUSE_MAX;
	watch_servers_found(s);
	fill(s, b);
}

static void say(const struct watch_servers *s, unsigned i, struct nbd_diag *d)
{
	struct nbd_out o = { .buf = d->text, .cap = sizeof(d->text) - 1 };

	nbd_putf(&o, "%s is at ", s->name[i].host);
	for (int k = 0; k < s->n_at[i]; k++) {
		nbd_putf(&o, k ? ", " : "");
		sock_host_print(&o, &s->at[i][k]);
	}
	nbd_putf(&o, " now");
	d->text[o.len] = '\0';
}

bool watch_servers_again(struct watch_servers *s, struct backend *b,
			 struct nbd_diag *d)
{
	uint64_t begun = nbd_now_ms();
	bool changed = false;

	if (begun < s->next)
		return false;
	for (unsigned i = 0; i < s->n && nbd_now_ms() - begun < TURN_MS; i++)
		if (!s->fixed[i] && ask(s, i, false)) {
			say(s, i, d);
			changed = true;
		}
	s->next = nbd_now_ms() + nbd_retry_pause(&s->pause);
	if (changed)
		fill(s, b);
	return changed;
}

void watch_servers_found(struct watch_servers *s)
{
	nbd_retry_begin(&s->pause);
}
