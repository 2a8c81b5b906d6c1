/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP connections of lwIP as transports. */
#include "port/lwip/lwip.h"

#include <lwip/etharp.h>
#include <lwip/priv/tcp_priv.h>
#include <string.h>

/* ms without an acknowledgement: resolve neighbours again. */
#define STALE_MS 2000
/* ms: what is lost is sent again after, until the round trip is known. */
#define RTO_MS	 1000

static struct lwnet_link *link_of(struct nbd_transport *t)
{
	const struct sock *s = (struct sock *)t; /* its first member */
	struct lwnet *net = (struct lwnet *)s->net;

	return &net->links[s->fd];
}

static int error_of(err_t err)
{
	switch (err) {
	case ERR_OK:
		return 0;
	case ERR_MEM:
	case ERR_BUF:
	case ERR_WOULDBLOCK:
	case ERR_INPROGRESS:
		return NBD_E_AGAIN;
	case ERR_RTE:
		return NBD_E_UNREACHABLE;
	case ERR_TIMEOUT:
		return NBD_E_TIMEOUT;
	default:
		return NBD_E_RESET;
	}
}

/* ---- what lwIP reports ---- */

static err_t on_connected(void *arg, struct tcp_pcb *pcb, err_t err)
{
	struct lwnet_link *l = arg;
	uint32_t window = l->net->ether->window;

	(void)err; /* always ERR_OK */
	l->connected = true;
	/* the acknowledgement of the SYN, which follows, announces it */
	if (window && window < pcb->rcv_wnd)
		pcb->rcv_wnd = pcb->rcv_ann_wnd = (tcpwnd_size_t)window;
	return ERR_OK;
}

/* p is a segment, which may be a chain; NULL: the end of the stream. */
static err_t on_received(void *arg, struct tcp_pcb *pcb, struct pbuf *p,
			 err_t err)
{
	struct lwnet_link *l = arg;
	struct lwnet_frame *f = (struct lwnet_frame *)p;

	(void)pcb, (void)err;
	if (!p) {
		l->eof = true;
		return ERR_OK;
	}
	f->next = NULL;
	if (l->last)
		l->last->next = f;
	else
		l->first = f;
	l->last = f;
	return ERR_OK;
}

/* lwIP has freed its part: a reset, or nobody answers. */
static void on_error(void *arg, err_t err)
{
	struct lwnet_link *l = arg;

	l->pcb = NULL;
	if (l->err)
		return;
	l->err = error_of(err);
	if (!l->connected && err == ERR_RST)
		l->err = NBD_E_REFUSED;
	else if (err == ERR_ABRT)
		l->err = NBD_E_TIMEOUT;
}

/* ---- a transport ---- */

/* Copies from what has come, and frees what was read to the end. */
static size_t take(struct lwnet_link *l, unsigned char *to, size_t len)
{
	size_t done = 0;

	while (done < len && l->first) {
		struct pbuf *p = l->at ? l->at : &l->first->p.pbuf;
		size_t n = p->len - l->off;

		if (n > len - done)
			n = len - done;
		memcpy(to + done, (unsigned char *)p->payload + l->off, n);
		done += n;
		l->off += n;
		if (l->off < p->len) {
			l->at = p;
			continue;
		}
		l->off = 0;
		l->at = p->next;
		if (!l->at) {
			struct lwnet_frame *f = l->first;

			l->first = f->next;
			if (!l->first)
				l->last = NULL;
			pbuf_free(&f->p.pbuf);
		}
	}
	return done;
}

static void open_window(struct lwnet_link *l, size_t len)
{
	while (l->pcb && len) {
		u16_t n = len > 0x8000 ? 0x8000 : (u16_t)len;

		tcp_recved(l->pcb, n);
		len -= n;
	}
}

static int link_read(struct nbd_transport *t, void *buf, size_t len)
{
	struct lwnet_link *l = link_of(t);
	struct sock *s = (struct sock *)t;
	size_t n;

	if (s->reads && --s->reads == 0)
		return NBD_E_AGAIN;
	if (len > INT32_MAX)
		len = INT32_MAX;
	n = take(l, buf, len);
	if (n) {
		open_window(l, n);
		lwnet_flush_ack(l->net);
		return (int)n;
	}
	return l->err ? l->err : l->eof ? 0 : NBD_E_AGAIN;
}

/*
 * All connections have one heap and one pool.  What closed ones have not sent, or
 * a peer that is gone has not acknowledged, lwIP keeps there for minutes: it goes
 * when one that lives needs the memory.
 */
static bool drop_closed(void)
{
	struct tcp_pcb *pcb = tcp_active_pcbs, *next;
	bool any = false;

	for (; pcb; pcb = next) {
		next = pcb->next;
		if (pcb->callback_arg || !(pcb->unsent || pcb->unacked))
			continue;
		tcp_abort(pcb);
		any = true;
	}
	return any;
}

static err_t queue(struct tcp_pcb *pcb, const void *p, size_t len, u8_t more)
{
	err_t err;

	do
		err = tcp_write(pcb, p, (u16_t)len, TCP_WRITE_FLAG_COPY | more);
	while (err == ERR_MEM && drop_closed());
	return err;
}

static int link_write(struct nbd_transport *t, const struct nbd_iov v[],
		      unsigned n)
{
	struct lwnet_link *l = link_of(t);
	size_t sent = 0;

	if (l->err)
		return l->err;
	for (unsigned i = 0; i < n; i++) {
		size_t len = v[i].len, room = tcp_sndbuf(l->pcb);
		u8_t more = i + 1 < n ? TCP_WRITE_FLAG_MORE : 0;

		if (len > room)
			len = room;
		if (len > 0x8000)
			len = 0x8000;
		if (!len || queue(l->pcb, v[i].base, len, more) != ERR_OK)
			break;
		sent += len;
		if (len < v[i].len)
			break;
	}
	/* without room for a frame it is sent later, by lwnet_check_links() */
	tcp_output(l->pcb);
	return sent ? (int)sent : NBD_E_AGAIN;
}

static void forget(struct lwnet_link *l)
{
	while (l->first) {
		struct lwnet_frame *f = l->first;

		l->first = f->next;
		pbuf_free(&f->p.pbuf);
	}
	l->used = false;
}

static void link_close(struct nbd_transport *t)
{
	struct lwnet_link *l = link_of(t);
	struct sock *s = (struct sock *)t;

	if (l->pcb) {
		tcp_arg(l->pcb, NULL);
		tcp_recv(l->pcb, NULL);
		tcp_err(l->pcb, NULL);
		if (!l->connected || tcp_close(l->pcb) != ERR_OK)
			tcp_abort(l->pcb);
		l->pcb = NULL;
	}
	forget(l);
	s->fd = -1;
}

/* ---- for dial() ---- */

static void tune(struct tcp_pcb *pcb)
{
	tcp_nagle_disable(pcb);
	/* RFC 6298; lwIP 2.1 has 3 s */
	pcb->rto = pcb->sv = RTO_MS / TCP_SLOW_INTERVAL;
	ip_set_option(pcb, SOF_KEEPALIVE);
}

static void address(ip_addr_t *ip, const struct sock_addr *a)
{
	memset(ip, 0, sizeof(*ip));
	if (!lwnet_ip6_take(ip, a))
		memcpy(&ip_2_ip4(ip)->addr, a->host.ip, 4);
}

static bool is_usable(const struct sock_addr *a)
{
	return a->host.len == 4 || (LWIP_IPV6 && a->host.len == 16);
}

static int start(struct lwnet_link *l, const struct sock_addr *a)
{
	ip_addr_t ip;
	err_t err;

	address(&ip, a);
	do
		l->pcb = tcp_new_ip_type(IP_GET_TYPE(&ip));
	while (!l->pcb && drop_closed());
	if (!l->pcb)
		return NBD_E_NO_MEMORY;
	tcp_arg(l->pcb, l);
	tcp_recv(l->pcb, on_received);
	tcp_err(l->pcb, on_error);
	tune(l->pcb);
	do
		err = tcp_connect(l->pcb, &ip, a->port, on_connected);
	while (err == ERR_MEM && drop_closed());
	if (err == ERR_OK)
		return NBD_E_AGAIN;
	tcp_abort(l->pcb);
	return error_of(err) == NBD_E_AGAIN ? NBD_E_NO_MEMORY : error_of(err);
}

int lwnet_connect(struct nbd_stack *stack, struct sock *s,
		  const struct sock_addr *a)
{
	struct lwnet *net = (struct lwnet *)stack;
	struct lwnet_link *l;
	int i = 0, err;

	while (i < CONFIG_PORT_MAX_CONNECTIONS && net->links[i].used)
		i++;
	if (i == CONFIG_PORT_MAX_CONNECTIONS)
		return NBD_E_NO_MEMORY;
	if (!is_usable(a))
		return NBD_E_UNREACHABLE;
	l = &net->links[i];
	*l = (struct lwnet_link){ .net = net, .moved = nbd_now_ms() };
	s->t = (struct nbd_transport){ link_read, link_write, link_close };
	s->net = stack;
	s->reads = 0;
	err = start(l, a);
	l->used = err == NBD_E_AGAIN;
	s->fd = l->used ? i : -1;
	return err;
}

int lwnet_connected(struct sock *s)
{
	struct lwnet_link *l = link_of(&s->t);
	int err = l->err;

	if (err)
		link_close(&s->t);
	return err;
}

bool lwnet_ready(const struct lwnet_link *l, unsigned want)
{
	if (l->err || (l->eof && l->connected && !(want & NBD_SEND)))
		return true;
	if (want & NBD_SEND)
		return l->connected && tcp_sndbuf(l->pcb) > 0 &&
		       tcp_sndqueuelen(l->pcb) < TCP_SND_QUEUELEN - 4;
	return l->first;
}

/* ---- what time does ---- */

/* Bytes that the peer has not acknowledged. */
static uint32_t queued(const struct tcp_pcb *pcb)
{
	return TCP_SND_BUF - pcb->snd_buf;
}

static bool is_dead(struct lwnet_link *l)
{
	uint64_t now = nbd_now_ms();
	uint32_t left = queued(l->pcb);

	if (!left || left < l->queued)
		l->moved = now;
	l->queued = left;
	return now - l->moved >= SOCK_USER_TIMEOUT;
}

/*
 * Nobody answers: the router or server may have another MAC address by now.
 * lwIP would believe the old one for minutes.
 */
static void ask_again(struct lwnet *net, const struct lwnet_link *l)
{
	uint64_t now = nbd_now_ms();

	if (now - l->moved < STALE_MS || now - net->asked < STALE_MS)
		return;
	net->asked = now;
	etharp_cleanup_netif(&net->netif);
}

void lwnet_check_links(struct lwnet *net)
{
	for (unsigned i = 0; i < CONFIG_PORT_MAX_CONNECTIONS; i++) {
		struct lwnet_link *l = &net->links[i];

		if (!l->used || !l->pcb)
			continue;
		if (l->connected && is_dead(l)) {
			l->err = NBD_E_TIMEOUT;
			tcp_abort(l->pcb); /* calls on_error() */
			continue;
		}
		ask_again(net, l);
		if (l->pcb->flags & TF_NAGLEMEMERR)
			tcp_output(l->pcb);
	}
}
