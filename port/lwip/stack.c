/* SPDX-License-Identifier: BSD-2-Clause */
/* A stack of lwIP: its start, its clock and timers, its addresses, its end. */
#include "port/lwip/lwip.h"

#include <lwip/init.h>
#include <lwip/ip4_frag.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/sys.h>
#include <lwip/timeouts.h>
#include <string.h>

/* ms: a longer pause between two polls counts as this. */
#define STALL_MS 200

#ifndef LWIP_PACKAGE
#define LWIP_PACKAGE ""
#endif
#if !IP_REASSEMBLY
#define ip_reass_tmr() ((void)0)
#endif
const char lwnet_version[] = "lwIP " LWIP_VERSION_STRING LWIP_PACKAGE;

/* ---- what lwIP calls ---- */

u32_t sys_now(void)
{
	return (u32_t)nbd_now_ms();
}

static uint64_t rotate(uint64_t v, unsigned n)
{
	return v << n | v >> (64 - n);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[0] = rotate(v[0], 32);
	v[2] += v[3];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[2] = rotate(v[2], 32);
}

/* SipHash-2-4 of a counter: nobody can guess the next number from others. */
uint32_t lwnet_random(void)
{
	struct lwnet *net = netif_default ? netif_default->state : NULL;
	uint64_t v[4] = { 0x736f6d6570736575, 0x646f72616e646f6d,
			  0x6c7967656e657261, 0x7465646279746573 };

	if (!net)
		return 0;
	for (unsigned i = 0; i < 4; i++)
		v[i] ^= net->key[i & 1];
	v[3] ^= ++net->drawn;
	sip_round(v);
	sip_round(v);
	v[0] ^= net->drawn;
	v[2] ^= 0xff;
	for (unsigned i = 0; i < 4; i++)
		sip_round(v);
	return (uint32_t)(v[0] ^ v[1] ^ v[2] ^ v[3]);
}

/* Not memcpy(): without the compiler's own one it is a call for each word. */
typedef uint64_t __attribute__((may_alias, aligned(1))) word_at;

/* 2^16 is 1 in this arithmetic, so the halves of a word add up to the same. */
static uint64_t halves(uint64_t word)
{
	return (word >> 32) + (uint32_t)word;
}

uint16_t lwnet_checksum(const void *data, int len)
{
	const word_at *p = data;
	uint64_t sum = 0, rest = 0;

	/* four in a turn: few turns, in a program that is built for size */
	for (; len >= 32; len -= 32, p += 4)
		sum += halves(p[0]) + halves(p[1]) + halves(p[2]) +
		       halves(p[3]);
	for (; len >= 8; len -= 8)
		sum += halves(*p++);
	memcpy(&rest, p, (size_t)len);
	sum += halves(rest);
	while (sum >> 16)
		sum = (sum >> 16) + (sum & 0xffff);
	return (uint16_t)sum;
}

/* ---- frames and time ---- */

static void watch_link(struct lwnet *net)
{
	struct nbd_ether *e = net->ether;
	bool on = !e->link || e->link(e);

	if (on == netif_is_link_up(&net->netif))
		return;
	if (on)
		netif_set_link_up(&net->netif);
	else
		netif_set_link_down(&net->netif);
}

/*
 * lwIP counts ticks of TCP and not time, and each begins when the last one is
 * done.  Where polls are late, because the machine is busy or the caller is,
 * lost segments would be sent again seconds too late.  But after a stall frames
 * wait to be read, and nothing must end before.
 */
static void make_up_ticks(struct lwnet *net)
{
	int most = tcp_active_pcbs ? STALL_MS : 0;
	int behind =
		(int)(sys_now() - tcp_ticks * TCP_SLOW_INTERVAL - net->zero);

	if (!most || behind > most) {
		net->zero += (uint32_t)(behind - most);
		behind = most;
	}
	/* a tick less: lwIP's own is due now and then */
	for (; behind >= 2 * TCP_SLOW_INTERVAL; behind -= TCP_SLOW_INTERVAL)
		tcp_slowtmr();
}

unsigned lwnet_poll(struct lwnet *net)
{
	unsigned n;

	watch_link(net);
	n = lwnet_receive(net);
	sys_check_timeouts();
	make_up_ticks(net);
	lwnet_check_links(net);
	/* the caller may wait now */
	if (!n)
		lwnet_flush_ack(net);
	return n;
}

void lwnet_wait(struct lwnet *net, int ms)
{
	struct nbd_ether *e = net->ether;
	uint32_t due = sys_timeouts_sleeptime();

	if (lwnet_poll(net) || ms <= 0 || !e->wait)
		return;
	e->wait(e, due < (uint32_t)ms ? due : (unsigned)ms);
	lwnet_poll(net);
}

static bool mark(struct lwnet *net, struct nbd_event ev[], unsigned n)
{
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		ev[i].ready = ev[i].fd >= 0 &&
			      lwnet_ready(&net->links[ev[i].fd], ev[i].want);
		any |= ev[i].ready;
	}
	return any;
}

static int wait(struct nbd_stack *stack, struct nbd_event ev[], unsigned n,
		int ms)
{
	struct lwnet *net = (struct lwnet *)stack;

	lwnet_poll(net);
	if (!mark(net, ev, n)) {
		lwnet_wait(net, ms);
		mark(net, ev, n);
	}
	return 0;
}

/* ---- addresses ---- */

static void set_ip4(ip4_addr_t *to, const struct nbd_ip *addr)
{
	memcpy(&to->addr, addr->ip, 4);
}

static void set_static(struct lwnet *net, const struct lwnet_by_hand *by_hand)
{
	ip4_addr_t ip, mask, router;
	ip_addr_t dns = *IP_ADDR_ANY;

	set_ip4(&ip, &by_hand->ip);
	nbd_ip_to_mask(by_hand->ip.prefix, (unsigned char *)&mask.addr);
	set_ip4(&router, &by_hand->router);
	netif_set_addr(&net->netif, &ip, &mask, &router);
	for (unsigned i = 0; i < LWNET_DNS; i++) {
		/* 0.0.0.0 is none */
		set_ip4(ip_2_ip4(&dns), &by_hand->dns[i]);
		lwnet_name_server_set(i, &dns);
	}
}

struct nbd_ip lwnet_ip(const struct lwnet *net)
{
	return nbd_ip_nonzero(&netif_ip4_addr(&net->netif)->addr, 4);
}

int lwnet_up(struct lwnet *net, unsigned ms, const volatile int *stop,
	     struct nbd_diag *d)
{
	uint64_t begin = nbd_now_ms(), now;

	while ((now = nbd_now_ms()) - begin < ms) {
		if (lwnet_ip(net).len)
			return 0;
		if (lwnet_ip6(net).len && now - begin >= lwnet_dhcp_grace_ms)
			return 0;
		if (stop && *stop)
			return nbd_diag(d, NBD_E_INTERRUPTED, "interrupted");
		lwnet_wait(net, 100);
	}
	return nbd_diag(d, NBD_E_TIMEOUT,
			netif_is_link_up(&net->netif)
				? "no address: neither DHCP nor a router "
				  "answered in %u ms"
				: "no link for %u ms",
			ms);
}

/* ---- begin and end ---- */

int lwnet_open(struct lwnet *net, struct nbd_ether *e,
	       const struct lwnet_config *c)
{
	if (e->mtu < 576)
		return NBD_E_PARAM;
	memset(net, 0, sizeof(*net));
	net->stack = (struct nbd_stack){ lwnet_resolve, lwnet_connect,
					 lwnet_connected, wait, NULL };
	net->ether = e;
	memcpy(net->key, c->seed, sizeof(net->key));
	/* lwIP starts once in a program: from then on its timers run */
	if (sys_timeouts_sleeptime() == SYS_TIMEOUTS_SLEEPTIME_INFINITE)
		lwip_init();
	lwnet_netif_add(net);
	tcp_init(); /* draws the first local port, with this key */
	for (unsigned i = 0; i < LWNET_DNS; i++)
		lwnet_name_server_set(i, IP_ADDR_ANY);
	lwnet_ip6_begin(net, &c->ip6);
	watch_link(net);
	if (c->ip4.ip.len)
		set_static(net, &c->ip4);
	else
		lwnet_dhcp_begin(net, c->hostname);
	return 0;
}

static bool is_quiet(void)
{
	for (struct tcp_pcb *pcb = tcp_active_pcbs; pcb; pcb = pcb->next)
		if (pcb->unsent || pcb->unacked)
			return false;
	return true;
}

/* lwIP gives back every frame that it holds. */
static void drop_all(struct lwnet *net)
{
	for (unsigned i = 0; i < CONFIG_PORT_MAX_CONNECTIONS; i++)
		net->links[i].used = false;
	while (tcp_active_pcbs)
		tcp_abort(tcp_active_pcbs);
	while (tcp_tw_pcbs)
		tcp_abort(tcp_tw_pcbs);
	for (unsigned i = 0; i <= IP_REASS_MAXAGE; i++)
		ip_reass_tmr();
	lwnet_ip6_drop();
}

void lwnet_close(struct lwnet *net, unsigned ms)
{
	uint64_t begin = nbd_now_ms();

	while (!is_quiet() && nbd_now_ms() - begin < ms)
		lwnet_wait(net, 20);
	lwnet_flush_ack(net);
	drop_all(net);
	lwnet_dhcp_end(net);
	netif_remove(&net->netif);
	net->ether = NULL;
}
