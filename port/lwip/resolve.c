/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The addresses of a name, by DNS.  lwIP's own resolver keeps one address of a
 * name; here each is found, so that each can be tried.
 */
#include "port/lwip/lwip.h"
#include "port/names.h"

#include <lwip/udp.h>
#include <string.h>

#define DNS_MESSAGE 512 /* bytes of a message over UDP */
#define DNS_TRIES   8
#define ROUTER_MS   10000 /* for an advertisement */
#define DNS_TRY_MS  1500

/* Without IPv6 nobody asks for AAAA. */
#define KINDS (LWIP_IPV6 ? 2 : 1)

struct question {
	uint8_t text[DNS_QUERY_MAX];
	size_t len;
	struct dns_found found;
	enum dns_answer said; /* DNS_OTHER: nothing, in this try */
};

/* Both questions about one name: 0 is A, 1 is AAAA. */
struct query {
	const char *host;
	ip_addr_t server;
	struct question of[2];
};

static const enum dns_type types[2] = { DNS_A, DNS_AAAA };

/* ---- questions ---- */

static void ask(struct udp_pcb *pcb, struct query *q, unsigned i)
{
	struct question *question = &q->of[i];
	struct pbuf *p;

	question->len = dns_query(question->text, (uint16_t)lwnet_random(),
				  q->host, types[i]);
	question->said = question->len ? DNS_OTHER : DNS_NO_NAME;
	p = question->len
		    ? pbuf_alloc(PBUF_TRANSPORT, (u16_t)question->len, PBUF_RAM)
		    : NULL;
	if (!p)
		return;
	pbuf_take(p, question->text, (u16_t)question->len);
	udp_sendto(pcb, p, &q->server, DNS_PORT);
	pbuf_free(p);
}

/* ---- answers ---- */

static bool is_done(const struct question *question)
{
	return question->said > DNS_REFUSED;
}

static void take_answer(struct question *question, const uint8_t *m, size_t len)
{
	enum dns_answer said =
		is_done(question) ? DNS_OTHER
				  : dns_read(m, len, question->text,
					     question->len, &question->found);

	/* another server may know; what one cut off is enough */
	if (said == DNS_CUT && !question->found.n)
		said = DNS_REFUSED;
	if (said != DNS_OTHER)
		question->said = said;
}

static void on_answer(void *arg, struct udp_pcb *pcb, struct pbuf *p,
		      const ip_addr_t *from, u16_t port)
{
	struct query *q = arg;
	uint8_t m[DNS_MESSAGE];
	size_t len = pbuf_copy_partial(p, m, sizeof(m), 0);

	(void)pcb;
	if (port == DNS_PORT && ip_addr_cmp(from, &q->server))
		for (unsigned i = 0; i < KINDS; i++)
			take_answer(&q->of[i], m, len);
	pbuf_free(p);
}

/* ---- a name ---- */

static bool has_address(const struct query *q)
{
	return q->of[0].found.n + q->of[1].found.n;
}

/* With an address a refusal will do; without one the next try has to wait. */
static bool is_waiting(const struct query *q)
{
	for (unsigned i = 0; i < KINDS; i++)
		if (q->of[i].said == DNS_OTHER ||
		    (q->of[i].said == DNS_REFUSED && !has_address(q)))
			return true;
	return false;
}

static void one_try(struct lwnet *net, struct udp_pcb *pcb, struct query *q)
{
	uint64_t end = nbd_now_ms() + DNS_TRY_MS, now;

	for (unsigned i = 0; i < KINDS; i++)
		if (!is_done(&q->of[i]))
			ask(pcb, q, i);
	while (is_waiting(q) && (now = nbd_now_ms()) < end)
		lwnet_wait(net, (int)(end - now));
}

/* A server that does not know AAAA may be silent: A is enough then. */
static bool is_answered(const struct query *q, unsigned tries)
{
	return (is_done(&q->of[0]) && is_done(&q->of[KINDS - 1])) ||
	       (tries >= 2 && has_address(q));
}

static int look_up(struct lwnet *net, struct query *q, struct nbd_diag *d)
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
			!tries ? "no name server is known"
			: q->of[0].said == DNS_NO_NAME ? "no such name"
			: is_done(&q->of[0])	       ? "it has no address"
			: q->of[0].said == DNS_REFUSED
				? "the name server refuses, or fails"
				: "no name server answered");
}

static bool source_of(void *ctx, const struct sock_addr *a,
		      unsigned char own[16])
{
	const struct lwnet *net = ctx;

	return a->host.len == 16 ? lwnet_ip6_source(net, a, own)
				 : !ip4_addr_isany(netif_ip4_addr(&net->netif));
}

static bool parse(const char *host, uint16_t port, struct sock_addr *a)
{
	*a = (struct sock_addr){ .port = port };
	return nbd_ip_host(&a->host, host) && (LWIP_IPV6 || a->host.len == 4);
}

/*
 * Routers may advertise later than DHCP answers: an address of IPv6 alone is of
 * no use before.
 */
static void await_ip6(struct lwnet *net, const struct sock_addr *first)
{
	uint64_t begin = nbd_now_ms();

	if (!LWIP_IPV6 || first->host.len != 16 ||
	    nbd_ip_link_local(&first->host))
		return;
	while (!lwnet_ip6(net).len && nbd_now_ms() - begin < ROUTER_MS)
		lwnet_wait(net, 100);
}

int lwnet_resolve(struct nbd_stack *stack, const struct nbd_uri *uri,
		  struct sock_addr addrs[SOCK_MAX_ADDRS], struct nbd_diag *d)
{
	struct lwnet *net = (struct lwnet *)stack;
	struct query q = { .host = uri->host };
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
		n = nbd_names_take(addrs, uri->port, &q.of[1].found,
				   &q.of[0].found);
		if (LWIP_IPV6)
			nbd_names_sort(addrs, n, source_of, net);
	}
	await_ip6(net, addrs);
	return n;
}
