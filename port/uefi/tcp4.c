/* SPDX-License-Identifier: BSD-2-Clause */
/* EFI_TCP4: tokens with events that are checked, never waited for. */
#include "port/uefi/tcp4.h"

#include <string.h>

struct access_point {
	efi_bool use_default;
	uint8_t addr[4], mask[4];
	uint16_t port;
	uint8_t remote[4];
	uint16_t remote_port;
	efi_bool active;
};

/* 0: the firmware's default. */
struct control {
	uint32_t receive, send, backlog, connect_s, retries, fin_s, wait_s;
	uint32_t probes, probe_s, probe_interval_s;
	efi_bool nagle, stamps, scaling, sack, mtu;
};

struct config {
	uint8_t tos, ttl;
	struct access_point ap;
	struct control *control;
};

struct efi_tcp4_protocol {
	void *mode;
	efi_status (*configure)(struct efi_tcp4_protocol *, struct config *);
	efi_status (*routes)(struct efi_tcp4_protocol *, efi_bool remove,
			     uint8_t net[4], uint8_t mask[4], uint8_t via[4]);
	efi_status (*connect)(struct efi_tcp4_protocol *, void *token);
	void *accept;
	efi_status (*transmit)(struct efi_tcp4_protocol *, void *token);
	efi_status (*receive)(struct efi_tcp4_protocol *, void *token);
	void *close;
	efi_status (*cancel)(struct efi_tcp4_protocol *, void *token);
	efi_status (*poll)(struct efi_tcp4_protocol *);
};

static struct efi_tcp4_link *link_of(const struct sock *s)
{
	return &((struct efi_tcp4 *)s->net)->links[s->fd];
}

static bool is_done(struct efi_tcp4_io *io)
{
	if (io->open && !efi.bs->check_event(io->event))
		io->open = false;
	return !io->open;
}

/* ---- bytes ---- */

static int receive(struct efi_tcp4_link *l)
{
	struct efi_tcp4_io *io = &l->rx;
	efi_status s;

	io->packet = &io->data;
	io->data = (struct efi_tcp4_data){ .len = EFI_TCP4_CHUNK,
					   .n = 1,
					   .piece = { EFI_TCP4_CHUNK,
						      l->memory } };
	io->used = 0;
	s = l->p->receive(l->p, io);
	io->open = !s;
	/* no later read takes what is in the buffer for new data */
	if (s)
		io->status = s;
	return efi_error(s);
}

static int tcp4_read(struct nbd_transport *t, void *buf, size_t len)
{
	struct efi_tcp4_link *l = link_of((struct sock *)t);
	struct efi_tcp4_io *io = &l->rx;
	size_t left;
	int rc;

	if (!is_done(io)) {
		l->p->poll(l->p);
		if (!is_done(io))
			return NBD_E_AGAIN;
	}
	if (io->status)
		return io->status == EFI_ERROR(104u) ? 0 : NBD_E_RESET;
	left = io->data.len - io->used;
	if (len > left)
		len = left;
	memcpy(buf, l->memory + io->used, len);
	io->used += (uint32_t)len;
	if (io->used == io->data.len) {
		rc = receive(l);
		if (rc && !len)
			return rc;
	}
	return len ? (int)len : NBD_E_AGAIN;
}

static int tcp4_write(struct nbd_transport *t, const struct nbd_iov v[],
		      unsigned n)
{
	struct efi_tcp4_link *l = link_of((struct sock *)t);
	struct efi_tcp4_io *io = &l->tx;
	unsigned char *to = l->memory + EFI_TCP4_CHUNK;
	size_t len = 0;

	if (!is_done(io))
		return NBD_E_AGAIN;
	if (io->status)
		return NBD_E_RESET;
	for (; n && len < EFI_TCP4_CHUNK; v++, n--) {
		size_t room = EFI_TCP4_CHUNK - len;
		size_t k = v->len < room ? v->len : room;

		memcpy(to + len, v->base, k);
		len += k;
	}
	io->packet = &io->data;
	io->data = (struct efi_tcp4_data){ .flag = true,
					   .len = (uint32_t)len,
					   .n = 1,
					   .piece = { (uint32_t)len, to } };
	io->open = !l->p->transmit(l->p, io);
	return io->open ? (int)len : NBD_E_IO;
}

/* Of a connection, and of one that was not made to the end. */
static void end_link(struct efi_tcp4 *t, struct efi_tcp4_link *l)
{
	struct efi_binding *b = efi_protocol(t->nic, &efi_guid_tcp4_binding);
	efi_event events[] = { l->connect.event, l->rx.event, l->tx.event };

	/* without a configuration it is reset, and all tokens are aborted */
	if (l->p)
		l->p->configure(l->p, NULL);
	if (b && l->child)
		b->destroy(b, l->child);
	for (unsigned i = 0; i < 3; i++)
		if (events[i])
			efi.bs->close_event(events[i]);
	efi_free_pages(l->memory, 2 * EFI_TCP4_CHUNK);
	memset(l, 0, sizeof(*l));
}

/* What was sent last has left, or the time is over. */
static void tcp4_close(struct nbd_transport *t)
{
	struct sock *s = (struct sock *)t;
	struct efi_tcp4_link *l = link_of(s);

	for (unsigned i = 0; i < 2000 && !is_done(&l->tx); i++)
		l->p->poll(l->p);
	end_link((struct efi_tcp4 *)s->net, l);
	s->fd = -1;
}

/* ---- the stack ---- */

static int tcp4_resolve(struct nbd_stack *net, const struct nbd_uri *uri,
			struct sock_addr addrs[], struct nbd_diag *d)
{
	struct sock_addr *a = &addrs[0];

	(void)net;
	*a = (struct sock_addr){ .port = uri->port };
	if (nbd_ip_parse(&a->host, uri->host) && a->host.len == 4)
		return 1;
	return nbd_diag(d, NBD_E_RESOLVE,
			"%s: the firmware's TCP takes IPv4 addresses only",
			uri->host);
}

static efi_status configure(struct efi_tcp4 *t, struct efi_tcp4_link *l,
			    const struct sock_addr *a)
{
	/* e1000 with iPXE's ROM stalls with a large buffer */
	struct control control = { .receive = 16384, .connect_s = 10 };
	struct config c = { .ttl = 64, .control = &control };
	static uint8_t any[4];

	memcpy(c.ap.addr, t->addr.ip, 4);
	nbd_ip_to_mask(t->addr.prefix, c.ap.mask);
	memcpy(c.ap.remote, a->host.ip, 4);
	c.ap.remote_port = a->port;
	c.ap.active = true;
	return l->p->configure(l->p, &c) ? EFI_DEVICE_ERROR
	       : t->router.len
		       ? l->p->routes(l->p, false, any, any, t->router.ip)
		       : EFI_SUCCESS;
}

static int start(struct efi_tcp4 *t, struct efi_tcp4_link *l,
		 const struct sock_addr *a)
{
	struct efi_binding *b = efi_protocol(t->nic, &efi_guid_tcp4_binding);
	struct efi_tcp4_io *io[] = { &l->connect, &l->rx, &l->tx };

	l->memory = efi_pages(2 * EFI_TCP4_CHUNK);
	if (!l->memory)
		return NBD_E_NO_MEMORY;
	for (unsigned i = 0; i < 3; i++)
		if (efi.bs->create_event(0, EFI_TPL_CALLBACK, NULL, NULL,
					 &io[i]->event))
			return NBD_E_NO_MEMORY;
	if (!b || b->create(b, &l->child))
		return NBD_E_NO_DEVICE;
	l->p = efi_protocol(l->child, &efi_guid_tcp4);
	if (!l->p)
		return NBD_E_NO_DEVICE;
	if (configure(t, l, a) || l->p->connect(l->p, &l->connect))
		return NBD_E_UNREACHABLE;
	l->connect.open = true;
	return NBD_E_AGAIN;
}

static int tcp4_connect(struct nbd_stack *net, struct sock *s,
			const struct sock_addr *a)
{
	struct efi_tcp4 *t = (struct efi_tcp4 *)net;
	int i = 0, rc;

	*s = (struct sock){ .t = { tcp4_read, tcp4_write, tcp4_close },
			    .net = net,
			    .fd = -1 };
	while (i < CONFIG_PORT_MAX_CONNECTIONS && t->links[i].child)
		i++;
	if (i == CONFIG_PORT_MAX_CONNECTIONS)
		return NBD_E_NO_MEMORY;
	rc = start(t, &t->links[i], a);
	if (rc == NBD_E_AGAIN)
		s->fd = i;
	else
		end_link(t, &t->links[i]);
	return rc;
}

static int connect_error(efi_status s)
{
	if (s == EFI_TIMEOUT)
		return NBD_E_TIMEOUT;
	/* no way to the network, the host or its protocol */
	return s >= EFI_ERROR(100u) && s <= EFI_ERROR(102u) ? NBD_E_UNREACHABLE
							    : NBD_E_REFUSED;
}

static int tcp4_connected(struct sock *s)
{
	struct efi_tcp4_link *l = link_of(s);

	if (l->connect.status)
		return connect_error(l->connect.status);
	return receive(l);
}

static bool ready(struct efi_tcp4_link *l, unsigned want)
{
	l->p->poll(l->p);
	if (l->connect.open)
		return is_done(&l->connect);
	return is_done(want == NBD_SEND ? &l->tx : &l->rx);
}

static int tcp4_wait(struct nbd_stack *net, struct nbd_event ev[], unsigned n,
		     int ms)
{
	struct efi_tcp4 *t = (struct efi_tcp4 *)net;
	uint64_t end = nbd_now_ms() + (unsigned)ms;
	bool any = false;

	do {
		for (unsigned i = 0; i < n; i++) {
			ev[i].ready = ev[i].fd >= 0 &&
				      ready(&t->links[ev[i].fd], ev[i].want);
			any |= ev[i].ready;
		}
		if (!any && t->idle)
			t->idle(t->ctx);
		if (any)
			efi_rest_over(&t->rest);
		else if (ms >= EFI_REST_MS)
			efi_rest(&t->rest);
	} while (!any && nbd_now_ms() < end);
	return NBD_OK;
}

int efi_tcp4_open(struct efi_tcp4 *t, efi_handle nic, struct nbd_diag *d)
{
	t->net = (struct nbd_stack){ tcp4_resolve, tcp4_connect, tcp4_connected,
				     tcp4_wait, NULL };
	t->nic = nic;
	memset(t->links, 0, sizeof(t->links));
	t->rest = (struct efi_rest){ 0 };
	if (!efi_protocol(nic, &efi_guid_tcp4_binding))
		efi.bs->connect(nic, NULL, NULL, true);
	if (!efi_protocol(nic, &efi_guid_tcp4_binding))
		return nbd_diag(d, NBD_E_NO_DEVICE,
				"the firmware has no TCP (EFI_TCP4)");
	return NBD_OK;
}

void efi_tcp4_close(struct efi_tcp4 *t)
{
	for (unsigned i = 0; i < CONFIG_PORT_MAX_CONNECTIONS; i++)
		if (t->links[i].child)
			end_link(t, &t->links[i]);
}
