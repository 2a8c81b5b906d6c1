/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The addresses of a name, by DNS (RFC 1035).  lwIP's own resolver keeps one
 * address of a name; here each is found, so that each can be tried.
 */
#include "port/lwip/lwip.h"

#include <lwip/dns.h>
#include <lwip/udp.h>
#include <string.h>

#define DNS_PORT      53
#define DNS_MESSAGE   512 /* bytes of a message over UDP */
#define DNS_HEADER    12
#define DNS_TRIES     8
#define ROUTER_MS     10000 /* for an advertisement */
#define DNS_TRY_MS    1500
#define TYPE_A	      1
#define TYPE_AAAA     28
#define RCODE_NO_NAME 3

/* Both questions of one name: 0 is A, 1 is AAAA. */
struct lwnet_query {
	const char *host;
	uint16_t port;
	ip_addr_t server;
	uint16_t id[2];
	bool done[2], no_name;
	bool refused[2]; /* by the server that is being asked */
	struct sock_addr *addrs;
	unsigned n[2]; /* of addrs[], A at its front, AAAA at its end */
};

static const uint16_t types[2] = { TYPE_A, TYPE_AAAA };

static unsigned get16(const unsigned char *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static void put16(unsigned char *p, unsigned v)
{
	p[0] = (unsigned char)(v >> 8);
	p[1] = (unsigned char)v;
}

/* ---- questions ---- */

/* The length of the question in buf, 0: it is not a name. */
static size_t put_question(unsigned char *buf, const char *host, unsigned type)
{
	size_t at = DNS_HEADER, len;

	if (strlen(host) > 253)
		return 0;
	for (const char *p = host; *p; p += len + (p[len] == '.')) {
		len = strcspn(p, ".");
		if (!len || len > 63)
			return 0;
		buf[at++] = (unsigned char)len;
		memcpy(buf + at, p, len);
		at += len;
	}
	buf[at++] = 0;
	put16(buf + at, type);
	put16(buf + at + 2, 1); /* the Internet */
	return at + 4;
}

static bool ask(struct udp_pcb *pcb, struct lwnet_query *q, unsigned i)
{
	unsigned char m[DNS_MESSAGE] = { 0 };
	size_t len = put_question(m, q->host, types[i]);
	struct pbuf *p;

	if (!len)
		return false;
	q->id[i] = (uint16_t)lwnet_random();
	put16(m, q->id[i]);
	m[2] = 1; /* recursion, please */
	m[5] = 1; /* one question */
	p = pbuf_alloc(PBUF_TRANSPORT, (u16_t)len, PBUF_RAM);
	if (!p)
		return true;
	pbuf_take(p, m, (u16_t)len);
	udp_sendto(pcb, p, &q->server, DNS_PORT);
	pbuf_free(p);
	return true;
}

/* ---- answers ---- */

/* Where the name at `at` ends, 0: beyond the message. */
static size_t skip_name(const unsigned char *m, size_t len, size_t at)
{
	while (at < len) {
		unsigned c = m[at];

		if (c >= 0xc0)
			return at + 2 <= len ? at + 2 : 0;
		if (c > 63)
			return 0;
		at += 1 + c;
		if (!c)
			return at <= len ? at : 0;
	}
	return 0;
}

static void keep(struct lwnet_query *q, unsigned i, const unsigned char *ip)
{
	unsigned at = i ? SOCK_MAX_ADDRS - 1 - q->n[1] : q->n[0];
	struct sock_addr *a = &q->addrs[at];

	if (q->n[0] + q->n[1] == SOCK_MAX_ADDRS)
		return;
	*a = (struct sock_addr){ .len = i ? 16 : 4, .port = q->port };
	memcpy(a->ip, ip, a->len);
	q->n[i]++;
}

/* Each record of the answer that is an address; aliases are passed over. */
static void take_records(struct lwnet_query *q, unsigned i,
			 const unsigned char *m, size_t len, size_t at)
{
	for (unsigned n = get16(m + 6); n; n--) {
		size_t data;

		at = skip_name(m, len, at);
		if (!at || len - at < 10)
			return;
		data = get16(m + at + 8);
		at += 10;
		if (data > len - at)
			return;
		if (get16(m + at - 10) == types[i] && data == (i ? 16 : 4))
			keep(q, i, m + at);
		at += data;
	}
}

static bool same_name(const unsigned char *a, const unsigned char *b,
		      size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char x = a[i], y = b[i];

		if (x >= 'A' && x <= 'Z')
			x |= 0x20;
		if (y >= 'A' && y <= 'Z')
			y |= 0x20;
		if (x != y)
			return false;
	}
	return true;
}

static void take_answer(struct lwnet_query *q, unsigned i,
			const unsigned char *m, size_t len)
{
	unsigned char mine[DNS_MESSAGE];
	size_t end = put_question(mine, q->host, types[i]);
	unsigned rcode = m[3] & 15;

	if (q->done[i] || get16(m) != q->id[i] || !(m[2] & 0x80) || len < end ||
	    get16(m + 4) != 1 ||
	    !same_name(m + DNS_HEADER, mine + DNS_HEADER, end - DNS_HEADER))
		return;
	if (rcode && rcode != RCODE_NO_NAME) {
		q->refused[i] = true; /* another server may know */
		return;
	}
	q->done[i] = true;
	q->no_name |= rcode == RCODE_NO_NAME;
	if (!rcode)
		take_records(q, i, m, len, end);
}

static void on_answer(void *arg, struct udp_pcb *pcb, struct pbuf *p,
		      const ip_addr_t *from, u16_t port)
{
	struct lwnet_query *q = arg;
	unsigned char m[DNS_MESSAGE];
	size_t len = pbuf_copy_partial(p, m, sizeof(m), 0);

	(void)pcb;
	if (port == DNS_PORT && ip_addr_cmp(from, &q->server) &&
	    len >= DNS_HEADER) {
		take_answer(q, 0, m, len);
		take_answer(q, 1, m, len);
	}
	pbuf_free(p);
}

/* ---- a name ---- */

static bool has_address(const struct lwnet_query *q)
{
	return q->n[0] + q->n[1];
}

/* With an address a refusal will do; without one the next try has to wait. */
static bool is_waiting(const struct lwnet_query *q, unsigned i)
{
	return !q->done[i] && !(q->refused[i] && has_address(q));
}

static void one_try(struct lwnet *net, struct udp_pcb *pcb,
		    struct lwnet_query *q)
{
	uint64_t end = nbd_now_ms() + DNS_TRY_MS, now;

	for (unsigned i = 0; i < 2; i++) {
		q->refused[i] = false;
		if (!q->done[i] && !ask(pcb, q, i))
			q->done[i] = q->no_name = true;
	}
	while ((is_waiting(q, 0) || is_waiting(q, 1)) &&
	       (now = nbd_now_ms()) < end)
		lwnet_wait(net, (int)(end - now));
}

/* A server that does not know AAAA may be silent: A is enough then. */
static bool is_answered(const struct lwnet_query *q, unsigned tries)
{
	return (q->done[0] && q->done[1]) || (tries >= 2 && has_address(q));
}

static int look_up(struct lwnet *net, struct lwnet_query *q, struct nbd_diag *d)
{
	struct udp_pcb *pcb = udp_new_ip_type(IPADDR_TYPE_ANY);
	unsigned tries = 0, k = 0;

	if (!pcb)
		return nbd_diag(d, NBD_E_NO_MEMORY, "resolve %s: no memory",
				q->host);
	udp_recv(pcb, on_answer, q);
	while (!is_answered(q, tries) && tries < DNS_TRIES &&
	       lwnet_name_server_next(&q->server, &k)) {
		/* another port each time, and so another guess */
		udp_bind(pcb, IP_ANY_TYPE,
			 (u16_t)(0xc000 | (lwnet_random() & 0x3fff)));
		one_try(net, pcb, q);
		tries++;
	}
	udp_remove(pcb);
	if (has_address(q))
		return 0;
	return nbd_diag(d, NBD_E_RESOLVE, "resolve %s: %s", q->host,
			!tries	     ? "no name server is known"
			: q->no_name ? "no such name"
			: q->done[0] ? "it has no address"
				     : "no name server answered");
}

/* IPv4 first, which every server that boots machines has. */
static int join(struct lwnet_query *q)
{
	unsigned first = SOCK_MAX_ADDRS - q->n[1];

	memmove(q->addrs + q->n[0], q->addrs + first,
		q->n[1] * sizeof(q->addrs[0]));
	return (int)(q->n[0] + q->n[1]);
}

static bool parse(const char *host, uint16_t port, struct sock_addr *a)
{
	*a = (struct sock_addr){ .len = 4, .port = port };
	return nbd_ip4(host, a->ip) || lwnet_ip6_parse(host, a);
}

/*
 * Routers may advertise later than DHCP answers: an address of IPv6 alone is of
 * no use before.
 */
static void await_ip6(struct lwnet *net, const struct sock_addr *first)
{
	uint64_t begin = nbd_now_ms();
	bool is_local = first->ip[0] == 0xfe && (first->ip[1] & 0xc0) == 0x80;
	unsigned char ip[16];

	if (!LWIP_IPV6 || first->len != 16 || is_local)
		return;
	while (!lwnet_ip6(net, ip) && nbd_now_ms() - begin < ROUTER_MS)
		lwnet_wait(net, 100);
}

int lwnet_resolve(struct nbd_stack *stack, const struct nbd_uri *uri,
		  struct sock_addr addrs[SOCK_MAX_ADDRS], struct nbd_diag *d)
{
	struct lwnet *net = (struct lwnet *)stack;
	struct lwnet_query q = { .host = uri->host,
				 .port = uri->port,
				 .addrs = addrs };
	int n = 1;

	if (uri->is_unix)
		return nbd_diag(d, NBD_E_URI,
				"%s: there are no UNIX sockets here",
				uri->socket);
	if (nbd_uri_service(uri->host))
		return nbd_diag(d, NBD_E_URI,
				"%s: SRV records are not looked up here: name "
				"the servers",
				uri->host);
	if (!parse(uri->host, uri->port, addrs)) {
		n = look_up(net, &q, d);
		if (n < 0)
			return n;
		n = join(&q);
	}
	await_ip6(net, addrs);
	return n;
}
