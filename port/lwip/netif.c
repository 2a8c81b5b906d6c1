/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface below lwIP.  A frame that comes lies in a buffer of ours, from
 * the driver until the connection that it is for is read.  An acknowledgement
 * without data is held until the next read or poll, and only the latest is sent:
 * that of a read opens the window as well.
 */
#include "port/lwip/lwip.h"
#include "core/be.h"

#include <lwip/etharp.h>
#include <lwip/ethip6.h>
#include <lwip/priv/tcp_priv.h>
#include <netif/ethernet.h>
#include <string.h>

/* The checks of frames, and of those whose payload the device has checked. */
#define ALL NETIF_CHECKSUM_ENABLE_ALL
#define ALL_BUT_VERIFIED \
	(ALL & ~(NETIF_CHECKSUM_CHECK_UDP | NETIF_CHECKSUM_CHECK_TCP))

/* ---- frames that come ---- */

void lwnet_frame_free(struct lwnet_frame *f)
{
	f->next = f->owner->free;
	f->owner->free = f;
}

/* lwIP has let go of it. */
static void on_free(struct pbuf *p)
{
	lwnet_frame_free((struct lwnet_frame *)p); /* its first member */
}

/*
 * Every buffer holds a segment that came out of order: these are dropped, and
 * come again, or else the one that is missing would have no room.
 */
static void make_room(void)
{
	for (struct tcp_pcb *pcb = tcp_active_pcbs; pcb; pcb = pcb->next)
		tcp_free_ooseq(pcb);
}

static struct lwnet_frame *take_frame(struct lwnet *net)
{
	struct lwnet_frame *f;

	if (!net->free)
		make_room();
	f = net->free;
	if (f)
		net->free = f->next;
	return f;
}

/* Adds len bytes in f to a frame; false: longer than any of lwIP's. */
static bool add_piece(struct pbuf **frame, struct lwnet_frame *f, unsigned len)
{
	struct pbuf *p;

	if (*frame && (*frame)->tot_len + len > UINT16_MAX)
		return false;
	f->p.custom_free_function = on_free;
	p = pbuf_alloced_custom(PBUF_RAW, (u16_t)len, PBUF_REF, &f->p,
				f->data + 2, (u16_t)len);
	if (*frame)
		pbuf_cat(*frame, p);
	else
		*frame = p;
	return true;
}

/* Gives its buffers back; false: it has none. */
static bool lose(struct lwnet *net, struct pbuf **frame)
{
	if (!*frame)
		return false;
	net->count.dropped++;
	pbuf_free(*frame);
	*frame = NULL;
	return true;
}

static void input(struct lwnet *net, struct pbuf *frame, bool verified)
{
	NETIF_SET_CHECKSUM_CTRL(&net->netif, verified ? ALL_BUT_VERIFIED : ALL);
	net->count.received++;
	if (net->netif.input(frame, &net->netif) != ERR_OK)
		pbuf_free(frame);
}

/* Takes one frame with all its pieces; false: none has come. */
static bool receive_frame(struct lwnet *net)
{
	struct nbd_ether *e = net->ether;
	struct pbuf *frame = NULL;
	bool lost = false;
	int got = 0;

	do {
		struct lwnet_frame *f = take_frame(net);

		/* without a buffer the rest cannot even be dropped */
		if (!f && lose(net, &frame)) {
			lost = true;
			f = take_frame(net);
		}
		if (!f) {
			net->count.dropped++;
			return false;
		}
		got = e->receive(e, f->data + 2, LWNET_FRAME);
		if (got > 0 && !lost &&
		    add_piece(&frame, f, got & NBD_ETHER_LENGTH))
			continue;
		lwnet_frame_free(f);
		lose(net, &frame);
		lost = true;
	} while (got > 0 && got & NBD_ETHER_MORE);
	if (frame)
		input(net, frame, got & NBD_ETHER_VERIFIED);
	return got > 0;
}

/* lwIP believes that it was sent: without room it waits for the next poll. */
void lwnet_flush_ack(struct lwnet *net)
{
	struct nbd_iov v = { net->ack, net->ack_len };
	int err = net->ack_len ? net->ether->send(net->ether, &v, 1)
			       : NBD_E_AGAIN;

	if (err == NBD_E_AGAIN)
		return;
	net->count.sent += !err;
	net->ack_len = 0;
}

unsigned lwnet_receive(struct lwnet *net)
{
	unsigned n = 0;

	lwnet_flush_ack(net);
	while (n < LWNET_BATCH && receive_frame(net))
		n++;
	return n;
}

/* ---- frames that go ---- */

/* An acknowledgement without data, of one connection. */
struct ack {
	const unsigned char *flow; /* addresses */
	size_t flow_len;
	const unsigned char *tcp;
};

/* Is this frame one?  It came from lwIP, so its headers are sound. */
static bool parse_ack(const unsigned char *p, size_t len, struct ack *a)
{
	size_t head, total;

	if (len < NBD_ETHER_HEADER + 40)
		return false;
	if (p[12] == 0x08 && p[13] == 0x00 && p[14] == 0x45 && p[23] == 6) {
		*a = (struct ack){ p + 26, 8, p + 34 };
		total = NBD_ETHER_HEADER + be16(p + 16);
	} else if (LWIP_IPV6 && p[12] == 0x86 && p[13] == 0xdd && p[20] == 6) {
		*a = (struct ack){ p + 22, 32, p + 54 };
		total = NBD_ETHER_HEADER + 40 + be16(p + 18);
	} else {
		return false;
	}
	head = (size_t)(a->tcp - p) + (size_t)(a->tcp[12] >> 4) * 4;
	return total == head && len >= head && a->tcp[13] == TCP_ACK;
}

static bool same_flow(const struct ack *a, const struct ack *b)
{
	return a->flow_len == b->flow_len &&
	       !memcmp(a->flow, b->flow, a->flow_len) &&
	       !memcmp(a->tcp, b->tcp, 4);
}

/*
 * Does it make the one before it useless?  One that repeats number, window and
 * length says that a segment is missing: the server counts these, so each is
 * sent.
 */
static bool replaces(const struct ack *a, const struct ack *before)
{
	int32_t more = (int32_t)(be32(a->tcp + 8) - be32(before->tcp + 8));

	return same_flow(a, before) &&
	       (more > 0 ||
		(!more && be32(a->tcp + 12) != be32(before->tcp + 12)));
}

/* Holds a frame if it is an acknowledgement, which a later one may replace. */
static bool hold(struct lwnet *net, const unsigned char *p, size_t len)
{
	struct ack a, held;

	if (len > sizeof(net->ack) || !parse_ack(p, len, &a))
		return false;
	if (net->ack_len && parse_ack(net->ack, net->ack_len, &held) &&
	    replaces(&a, &held))
		net->count.held++;
	else
		lwnet_flush_ack(net);
	memcpy(net->ack, p, len);
	net->ack_len = len;
	return true;
}

static err_t output(struct netif *netif, struct pbuf *p)
{
	struct lwnet *net = netif->state;
	struct nbd_iov v[NBD_ETHER_PIECES];
	unsigned n = 0;
	int err;

	if (!p->next && hold(net, p->payload, p->len))
		return ERR_OK;
	lwnet_flush_ack(net);
	for (; p && n < NBD_ETHER_PIECES; p = p->next)
		v[n++] = (struct nbd_iov){ p->payload, p->len };
	if (p)
		return ERR_BUF;
	err = net->ether->send(net->ether, v, n);
	if (err)
		return err == NBD_E_AGAIN ? ERR_WOULDBLOCK : ERR_IF;
	net->count.sent++;
	return ERR_OK;
}

static err_t init(struct netif *netif)
{
	const struct lwnet *net = netif->state;

	netif->hwaddr_len = 6;
	memcpy(netif->hwaddr, net->ether->mac, 6);
	netif->mtu = net->ether->mtu < CONFIG_PORT_LWIP_MTU
			     ? net->ether->mtu
			     : CONFIG_PORT_LWIP_MTU;
	netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP |
		       NETIF_FLAG_ETHERNET;
	netif->name[0] = 'e';
	netif->name[1] = 'n';
	netif->output = etharp_output;
	lwnet_ip6_add(netif);
	netif->linkoutput = output;
	return ERR_OK;
}

void lwnet_netif_add(struct lwnet *net)
{
	for (unsigned i = 0; i < CONFIG_PORT_LWIP_FRAMES; i++) {
		net->frames[i].owner = net;
		lwnet_frame_free(&net->frames[i]);
	}
	netif_add_noaddr(&net->netif, net, init, ethernet_input);
	netif_set_default(&net->netif);
	netif_set_up(&net->netif);
}
