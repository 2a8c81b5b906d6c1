/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interfaces that come and go, links, DHCP servers and routers: the test plays
 * the kernel, the network and the clock.  Time passes in poll() alone.
 */
#include "boot/net/net.h"

#include <errno.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "boot/net/handoff.h"
#include "boot/net/prepare.h"
#include "boot/net/ra.h"
#include "port/linux/eapol.h"
#include "port/linux/packet.h"
#include "port/linux/udp6.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/say.h"
#include "tests/world/module.h"
#include "tests/world/file.h"
#include "tests/world/netlink.h"
#include "tests/world/open.h"
#include "tests/world/run.h"
#include "tests/world/tree.h"

#define CARDS	4
#define PACKETS 8
#define FIRST	100 /* descriptor of the packet socket of index 0 */
#define FIRST6	200 /* of that for DHCPv6 */
#define EAPOL	98
#define LOGIN	97
#define NEVER	UINT64_MAX

/* REFUSES_ONCE: and is silent from then on */
enum answers { SILENT, OFFERS, LEASES, REFUSES, REFUSES_ONCE };

struct card {
	const char *name;
	uint64_t there;	      /* ms: when its driver has found it */
	uint64_t linked;      /* ms: from when there is a carrier, once up */
	uint64_t lost, again; /* ms: when the carrier goes, and is back */
	enum answers answers; /* of the server on its cable, 192.0.2.1 */
	uint64_t serves;      /* ms: from when the servers answer */
	unsigned delay;	      /* ms, of an answer */
	enum answers other;   /* 192.0.2.2, which answers after 1 ms */
	bool dns;	      /* both know the DNS server 192.0.2.53 */
	bool no_socket, no_address, stays_up;
	bool no_ipv6;	    /* not even a link-local address */
	bool takes_mac;	    /* another one in place of its own */
	unsigned char mac;  /* the last byte of that */
	bool login;	    /* the switch demands 802.1X */
	unsigned ra;	    /* flags that the router advertises */
	unsigned silent6;   /* DHCPv6 messages without an answer */
	bool answers6;	    /* after them a server answers in 5 ms, */
	bool no_dns6;	    /* but knows no DNS server */
	bool leases6;	    /* it gives addresses, */
	bool no_address6;   /* but has none left */
	uint64_t global;    /* ms: when a router's prefix is here */
	uint64_t duplicate; /* ms: when an address turns out to be one */
	uint64_t probed;    /* ms: when an address can be used */
	/* state */
	bool up, open, open6, vlan;
	struct nbd_ip addr[2];
	unsigned sent, sent6;
	uint64_t reply6; /* ms: when a reply is here; 0: none */
	unsigned char xid6[3], query6[256];
	unsigned asked6; /* type of the latest message about an address */
	bool declined6;
	struct packet {
		uint64_t at;
		unsigned char data[400];
	} packet[PACKETS];
};

static struct lan {
	uint64_t now;
	struct card card[CARDS];
	unsigned n;
	uint64_t rdnss; /* ms: when a router names a server, or NEVER */
	bool no_list;	/* interfaces cannot be listed */
	bool no_file;	/* /run cannot be written to */
	bool changed;	/* the kernel has an event for us */
	bool overrun;	/* which was lost */
	bool eapol;	/* the socket for 802.1X is open */
	uint64_t login; /* ms: when wpa_supplicant has a result; 0: none */
	bool refused;	/* which is a refusal */
	char port[16];	/* the interface that it logs in at */
} w;

static struct net net;
static struct nbd_diag d;

/* ---- interfaces ---- */

static struct card *card_of(int index)
{
	assert_in_range(index, 1, w.n);
	return &w.card[index - 1];
}

static bool is_there(const struct card *c)
{
	return world.now >= c->there;
}

static bool has_carrier(const struct card *c)
{
	return c->up && world.now >= c->linked &&
	       !(world.now >= c->lost && world.now < c->again);
}

static struct iface link_of(const struct card *c)
{
	bool carrier = has_carrier(c);
	struct iface l = { .index = (int)(c - w.card) + 1,
			   .up = c->up,
			   .carrier = carrier,
			   .ether = true,
			   .flags = carrier ? IFF_RUNNING : 0,
			   .mac = { 2, 0, 0, 0, 0,
				    (unsigned char)(c - w.card) } };

	strcpy(l.name, c->name);
	if (c->vlan)
		l.mac[5] = 0;
	if (c->mac)
		l.mac[5] = c->mac;
	return l;
}

int __wrap_iface_each(void (*fn)(void *ctx, const struct iface *l), void *ctx,
		      struct nbd_diag *diag);
int __wrap_iface_each(void (*fn)(void *ctx, const struct iface *l), void *ctx,
		      struct nbd_diag *diag)
{
	if (w.no_list)
		return nbd_diag(diag, NBD_E_KERNEL, "list the interfaces");
	for (struct card *c = w.card; c < w.card + w.n; c++) {
		struct iface l = link_of(c);

		if (is_there(c))
			fn(ctx, &l);
	}
	return 0;
}

int __wrap_iface_each_addr(void (*fn)(void *ctx, const struct iface_addr *a),
			   void *ctx, struct nbd_diag *diag);
int __wrap_iface_each_addr(void (*fn)(void *ctx, const struct iface_addr *a),
			   void *ctx, struct nbd_diag *diag)
{
	(void)diag;
	for (struct card *c = w.card; c < w.card + w.n; c++) {
		struct iface_addr local = {
			.index = link_of(c).index,
			.a = { 16, 64, { 0xfe, 0x80, [15] = 1 } },
		};
		struct iface_addr global = {
			.index = local.index,
			.a = { 16, 64, { 0x20, 1, [15] = 1 } },
			.global = true,
		};

		local.tentative = local.failed = c->no_ipv6;
		if (has_carrier(c))
			fn(ctx, &local);
		global.tentative = world.now < c->global;
		if (has_carrier(c) && c->global != NEVER)
			fn(ctx, &global);
		for (unsigned i = 0; i < 2; i++) {
			struct iface_addr own = { .index = local.index,
						  .a = c->addr[i],
						  .global = true };

			own.failed = world.now >= c->duplicate && !c->declined6;
			own.tentative = own.a.len == 16 &&
					(world.now < c->probed || own.failed);
			if (own.a.len)
				fn(ctx, &own);
		}
	}
	return 0;
}

int __wrap_iface_up(int index, struct nbd_diag *diag);
int __wrap_iface_up(int index, struct nbd_diag *diag)
{
	(void)diag;
	card_of(index)->up = true;
	w.changed = true;
	world_does("up %s", card_of(index)->name);
	return 0;
}

int __wrap_iface_down(int index, struct nbd_diag *diag);
int __wrap_iface_down(int index, struct nbd_diag *diag)
{
	if (card_of(index)->stays_up)
		return nbd_diag(diag, NBD_E_KERNEL, "set down: busy");
	card_of(index)->up = false;
	world_does("down %s", card_of(index)->name);
	return 0;
}

int __wrap_iface_rename(int index, const char *name, struct nbd_diag *diag);
int __wrap_iface_rename(int index, const char *name, struct nbd_diag *diag)
{
	static char names[CARDS][16];

	for (unsigned i = 0; i < w.n; i++)
		if (!strcmp(w.card[i].name, name))
			return nbd_diag(diag, NBD_E_KERNEL, "rename: exists");
	world_does("rename %s %s", card_of(index)->name, name);
	nbd_fmt(names[index - 1], 16, "%s", name);
	card_of(index)->name = names[index - 1];
	w.changed = true;
	return 0;
}

int __wrap_iface_set_mtu(int index, unsigned mtu, struct nbd_diag *diag);
int __wrap_iface_set_mtu(int index, unsigned mtu, struct nbd_diag *diag)
{
	(void)diag;
	world_does("mtu %s %u", card_of(index)->name, mtu);
	return 0;
}

int __wrap_iface_set_mac(int index, const unsigned char mac[6],
			 struct nbd_diag *diag);
int __wrap_iface_set_mac(int index, const unsigned char mac[6],
			 struct nbd_diag *diag)
{
	world_does("mac %s %u", card_of(index)->name, mac[5]);
	if (card_of(index)->takes_mac) {
		card_of(index)->mac = mac[5];
		return 0;
	}
	return nbd_diag(diag, NBD_E_KERNEL, "set the MAC");
}

int __wrap_iface_add_vlan(int index, const char *name, unsigned id,
			  struct nbd_diag *diag);
int __wrap_iface_add_vlan(int index, const char *name, unsigned id,
			  struct nbd_diag *diag)
{
	struct card *c = &w.card[w.n++];

	(void)diag;
	*c = *card_of(index);
	c->name = name;
	c->up = false;
	c->vlan = true;
	w.changed = true;
	world_does("vlan %u on %s", id, card_of(index)->name);
	return 0;
}

int __wrap_iface_find(const char *name, struct iface *l, struct nbd_diag *diag);
int __wrap_iface_find(const char *name, struct iface *l, struct nbd_diag *diag)
{
	for (unsigned i = 0; i < w.n; i++)
		if (!strcmp(w.card[i].name, name)) {
			if (l)
				*l = link_of(&w.card[i]);
			return (int)i + 1;
		}
	return nbd_diag(diag, NBD_E_NO_DEVICE, "no %s", name);
}

int __wrap_iface_add_master(const char *kind, const char *name,
			    struct nbd_diag *diag);
int __wrap_iface_add_master(const char *kind, const char *name,
			    struct nbd_diag *diag)
{
	struct card *c = &w.card[w.n++];

	(void)diag;
	c->name = name;
	c->linked = c->lost = c->serves = c->global = c->duplicate = NEVER;
	c->answers = LEASES;
	c->serves = 0;
	w.changed = true;
	world_does("add %s %s", kind, name);
	return 0;
}

int __wrap_iface_join(int index, int master, struct nbd_diag *diag);
int __wrap_iface_join(int index, int master, struct nbd_diag *diag)
{
	struct card *m = card_of(master);

	(void)diag;
	card_of(index)->up = true;
	if (m->linked > world.now + 100)
		m->linked = world.now + 100;
	w.changed = true;
	world_does("join %s to %s", card_of(index)->name, m->name);
	return 0;
}

static void load(const char *name, const char *params)
{
	world_does("load %s %s", name, params);
}

static void wrote(const char *name, const char *text)
{
	world_does("%s = %s", name, text);
}

int __wrap_iface_add_addr(int index, const struct nbd_ip *a, uint32_t seconds,
			  struct nbd_diag *diag);
int __wrap_iface_add_addr(int index, const struct nbd_ip *a, uint32_t seconds,
			  struct nbd_diag *diag)
{
	struct card *c = card_of(index);

	assert_int_equal(seconds, IFACE_FOREVER);
	if (c->no_address)
		return nbd_diag(diag, NBD_E_KERNEL, "no address for you");
	c->addr[c->addr[0].len != 0] = *a;
	w.changed = true;
	world_does("address %s .%u/%u", c->name, a->ip[3], a->prefix);
	return 0;
}

int __wrap_iface_add_route(int index, const struct iface_route *r,
			   struct nbd_diag *diag);
int __wrap_iface_add_route(int index, const struct iface_route *r,
			   struct nbd_diag *diag)
{
	(void)diag;
	world_does("route %s .%u/%u via .%u%s metric %u", card_of(index)->name,
		   r->dst.ip[3], r->dst.prefix, r->gw.ip[3],
		   r->onlink ? " onlink" : "", r->metric);
	return 0;
}

/* ---- what the kernel reports ---- */

static int advertise(struct nl_sock *s)
{
	const struct nduseroptmsg h = { .nduseropt_opts_len = 24,
					.nduseropt_ifindex = 1 };
	struct nlmsghdr n = { .nlmsg_len = sizeof(n) + sizeof(h) + 24,
			      .nlmsg_type = RTM_NEWNDUSEROPT };
	unsigned char rdnss[24] = { 25, 3, 0, 0, 0, 0, 1, 0, 0x20, 1 };

	memcpy(s->buf, &n, sizeof(n));
	memcpy(s->buf + sizeof(n), &h, sizeof(h));
	memcpy(s->buf + sizeof(n) + sizeof(h), rdnss, sizeof(rdnss));
	return (int)n.nlmsg_len;
}

static int hear(struct nl_sock *s)
{
	assert_int_equal(world.nl_protocol, NETLINK_ROUTE);
	if (!w.changed)
		return -EAGAIN;
	w.changed = false;
	if (world.now < w.rdnss)
		return 0;
	w.rdnss = NEVER;
	return advertise(s);
}

void __wrap_net_ra_solicit(int index);
void __wrap_net_ra_solicit(int index)
{
	world_does("solicit %s", card_of(index)->name);
}

int __wrap_net_ra_each(void (*fn)(void *ctx, int index, unsigned flags),
		       void *ctx, struct nbd_diag *diag);
int __wrap_net_ra_each(void (*fn)(void *ctx, int index, unsigned flags),
		       void *ctx, struct nbd_diag *diag)
{
	(void)diag;
	for (struct card *c = w.card; c < w.card + w.n; c++)
		if (has_carrier(c))
			fn(ctx, link_of(c).index, c->ra);
	return 0;
}

/* ---- 802.1X ---- */

int __wrap_eapol_open(void);
int __wrap_eapol_open(void)
{
	assert_false(w.eapol);
	w.eapol = true;
	return EAPOL;
}

void __wrap_eapol_listen(int fd, int index);
void __wrap_eapol_listen(int fd, int index)
{
	assert_int_equal(fd, EAPOL);
	card_of(index);
}

unsigned __wrap_eapol_heard(int fd, int index[], unsigned max);
unsigned __wrap_eapol_heard(int fd, int index[], unsigned max)
{
	unsigned n = 0;

	assert_int_equal(fd, EAPOL);
	assert_true(max >= CARDS);
	for (struct card *c = w.card; c < w.card + w.n; c++)
		if (c->login)
			index[n++] = link_of(c).index;
	return n;
}

void __wrap_net_login_open(struct login *l, const char *ctl);
void __wrap_net_login_open(struct login *l, const char *ctl)
{
	assert_string_equal(ctl, LOGIN_CTL);
	memset(l, 0, sizeof(*l));
	l->on = w.login;
}

int __wrap_net_login_fd(const struct login *l);
int __wrap_net_login_fd(const struct login *l)
{
	return l->on ? LOGIN : -1;
}

void __wrap_net_login_read(struct login *l, uint64_t now);
void __wrap_net_login_read(struct login *l, uint64_t now)
{
	if (l->on && now >= w.login)
		l->port[0].state = w.refused ? LOGIN_REFUSED : LOGIN_OPEN;
}

struct login_port *__wrap_net_login_at(struct login *l, const char *name,
				       uint64_t now);
struct login_port *__wrap_net_login_at(struct login *l, const char *name,
				       uint64_t now)
{
	struct login_port *p = &l->port[0];

	if (!l->on)
		return NULL;
	if (!l->n++) {
		p->due = now + 10000;
		nbd_fmt(w.port, sizeof(w.port), "%s", name);
		nbd_diag(&p->why, 0, "no such dancer");
	}
	assert_string_equal(name, w.port);
	return p;
}

uint64_t __wrap_net_login_due(const struct login *l);
uint64_t __wrap_net_login_due(const struct login *l)
{
	const struct login_port *p = &l->port[0];

	return l->n && p->state == LOGIN_WAITS ? p->due : 0;
}

void __wrap_net_login_drop(struct login *l, const char *name);
void __wrap_net_login_drop(struct login *l, const char *name)
{
	(void)l, (void)name;
}

void __wrap_net_login_close(struct login *l);
void __wrap_net_login_close(struct login *l)
{
	l->on = false;
}

/* ---- DHCPv6 ---- */

int __wrap_udp6_open(int index, const unsigned char ip[16], unsigned port,
		     struct nbd_diag *diag);
int __wrap_udp6_open(int index, const unsigned char ip[16], unsigned port,
		     struct nbd_diag *diag)
{
	struct card *c = card_of(index);

	assert_true(ip[0] == 0xfe && ip[1] == 0x80);
	assert_int_equal(port, DHCP6_CLIENT);
	assert_false(c->open6);
	if (c->no_socket)
		return nbd_diag(diag, NBD_E_IN_USE, "no port for you");
	c->open6 = true;
	return FIRST6 + index;
}

/* The DHCPv6 server gives ::77, and with `duplicate` then ::78, at once. */
static void hear_lease6(struct card *c, const unsigned char *q, size_t len)
{
	c->asked6 = q[0];
	c->sent6++;
	if (q[0] == LEASE6_DECLINE)
		c->declined6 = true;
	if (!c->leases6 || len > sizeof(c->query6))
		return;
	memcpy(c->query6, q, len);
	c->reply6 = world.now + 5;
}

/* The same IDs, and the address. */
static size_t lease6_of(const struct card *c, unsigned char *p)
{
	static const unsigned char rest[] =
		"\0\2\0\4\0\2me"
		"\0\x0e\0\0"
		"\0\x3b\0\x0anbd://s6/r"
		"\0\3\0\x28\0\0\0\0\0\0\0\0\0\0\0\0"
		"\0\5\0\x18\x20\1\0\0\0\0\0\0\0\0\0\0\0\0\0\x77"
		"\0\0\x0e\x10\0\0\x0e\x10";
	const unsigned char *q = c->query6;
	size_t n = 8u + q[7];

	memcpy(p, q, n);
	p[0] = LEASE6_REPLY;
	memcpy(p + n, rest, sizeof(rest) - 1);
	/* 4 bytes of the MAC */
	memcpy(p + n + 30, q + 14, 4);
	if (c->no_address6) {
		p[n + 29] = 18;
		memcpy(p + n + 42, "\0\x0d\0\2\0\2", 6);
		return n + 48;
	}
	p[n + 61] = c->declined6 ? 0x78 : 0x77;
	return n + sizeof(rest) - 1;
}

void __wrap_udp6_send(int fd, int index, const unsigned char to[16],
		      unsigned port, const void *data, size_t len);
void __wrap_udp6_send(int fd, int index, const unsigned char to[16],
		      unsigned port, const void *data, size_t len)
{
	struct card *c = card_of(index);

	assert_int_equal(fd, FIRST6 + index);
	assert_memory_equal(to, "\xff\2\0\0\0\0\0\0\0\0\0\0\0\1\0\2", 16);
	assert_int_equal(port, DHCP6_SERVER);
	if (len != DHCP6_MAX) {
		hear_lease6(c, data, len);
		return;
	}
	memcpy(c->xid6, (const char *)data + 1, 3);
	if (c->answers6 && c->sent6 >= c->silent6)
		c->reply6 = world.now + 5;
	c->sent6++;
}

bool __wrap_udp6_recv(int fd, void *buf, size_t cap, size_t *len);
bool __wrap_udp6_recv(int fd, void *buf, size_t cap, size_t *len)
{
	static const unsigned char options[] =
		"\0\2\0\4\0\2me"
		"\0\x18\0\6\4test\0"
		"\0\x3b\0\x0anbd://s6/r"
		"\0\x17\0\x10\x20\1\0\0\0\0\0\0\0\0\0\0\0\0\0\x53";
	struct card *c = card_of(fd - FIRST6);
	struct iface l = link_of(c);
	unsigned char *p = buf;

	assert_true(c->open6);
	if (!c->reply6 || c->reply6 > world.now)
		return false;
	c->reply6 = 0;
	if (c->leases6) {
		*len = lease6_of(c, p);
		return true;
	}
	*p = 7;
	memcpy(p + 1, c->xid6, 3);
	memcpy(p + 4, "\0\1\0\x0a\0\3\0\1", 8);
	memcpy(p + 12, l.mac, 6);
	*len = 18 + sizeof(options) - 1 - (c->no_dns6 ? 20 : 0);
	assert_true(*len <= cap);
	memcpy(p + 18, options, *len - 18);
	return true;
}

/* ---- DHCP ---- */

int __wrap_packet_open(int index, unsigned port, struct nbd_diag *diag);
int __wrap_packet_open(int index, unsigned port, struct nbd_diag *diag)
{
	struct card *c = card_of(index);

	assert_int_equal(port, DHCP_CLIENT);
	assert_false(c->open);
	if (c->no_socket)
		return nbd_diag(diag, NBD_E_KERNEL, "no socket for you");
	c->open = true;
	return FIRST + index;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	if (fd == EAPOL) {
		assert_true(w.eapol);
		w.eapol = false;
		return 0;
	}
	/* a file's */
	if (fd < FIRST)
		return __real_close(fd);
	if (fd > FIRST6) {
		assert_true(card_of(fd - FIRST6)->open6);
		card_of(fd - FIRST6)->open6 = false;
		return 0;
	}
	assert_true(card_of(fd - FIRST)->open);
	card_of(fd - FIRST)->open = false;
	return 0;
}

static void reply(struct card *c, const unsigned char *q, unsigned server,
		  unsigned type, uint64_t at)
{
	const unsigned char options[] = { 53,  1,   (unsigned char)type,
					  54,  4,   192,
					  0,   2,   (unsigned char)server,
					  3,   4,   192,
					  0,   2,   (unsigned char)server,
					  1,   4,   255,
					  255, 255, 0,
					  26,  2,   5,
					  120, 12,  2,
					  'm', 'e', 255 };
	static const unsigned char dns[] = { 6, 4, 192, 0, 2, 53, 255 };
	struct packet *p = c->packet;

	while (p->at)
		p++;
	assert_true(p < c->packet + PACKETS);
	memset(p, 0, sizeof(*p));
	p->at = at;
	memcpy(p->data, "\2\1\6", 3);
	memcpy(p->data + 4, q + 4, 4);
	memcpy(p->data + 16, "\xc0\0\2", 3);
	p->data[19] = (unsigned char)(server * 10 + (c - w.card));
	memcpy(p->data + 28, q + 28, 6);
	memcpy(p->data + 236, "\x63\x82\x53\x63", 4);
	memcpy(p->data + 240, options, sizeof(options));
	if (c->dns)
		memcpy(p->data + 239 + sizeof(options), dns, sizeof(dns));
}

static const unsigned char *option(const unsigned char *q, unsigned code)
{
	for (q += 240; *q != 255; q += 2 + q[1])
		if (*q == code)
			return q + 2;
	return NULL;
}

static void serve(struct card *c, const unsigned char *q, unsigned server,
		  enum answers answers, unsigned delay)
{
	const unsigned char *to = option(q, 54);
	bool discover = *option(q, 53) == DHCP_DISCOVER;

	if (answers == SILENT || (to && to[3] != server) ||
	    (!discover && answers == OFFERS))
		return;
	reply(c, q, server,
	      discover		   ? DHCP_OFFER
	      : answers >= REFUSES ? DHCP_NAK
				   : DHCP_ACK,
	      world.now + delay);
	if (answers == REFUSES_ONCE && !discover)
		c->answers = SILENT;
}

void __wrap_packet_send(int fd, int index, const unsigned char *buf,
			size_t len);
void __wrap_packet_send(int fd, int index, const unsigned char *buf, size_t len)
{
	struct card *c = card_of(index);
	const unsigned char *q = buf + UDP4_HEAD;

	assert_int_equal(fd, FIRST + index);
	assert_true(len >= 300 && c->open);
	c->sent++;
	if (!has_carrier(c) || world.now < c->serves)
		return;
	serve(c, q, 1, c->answers, c->delay);
	serve(c, q, 2, c->other, 1);
}

unsigned char *__wrap_packet_recv(int fd, unsigned port, unsigned char *buf,
				  size_t cap, size_t *len);
unsigned char *__wrap_packet_recv(int fd, unsigned port, unsigned char *buf,
				  size_t cap, size_t *len)
{
	struct card *c = card_of(fd - FIRST);

	assert_true(c->open && port == DHCP_CLIENT);
	for (struct packet *p = c->packet; p < c->packet + PACKETS; p++) {
		if (!p->at || p->at > world.now)
			continue;
		if (p->at >= c->lost && p->at < c->again) {
			p->at = 0;
			continue;
		}
		p->at = 0;
		*len = sizeof(p->data);
		assert_true(cap >= *len);
		return memcpy(buf, p->data, *len);
	}
	return NULL;
}

/* ---- time ---- */

static void earlier(uint64_t *next, uint64_t at)
{
	if (at > world.now && at < *next)
		*next = at;
}

/* When something happens that a poll of these descriptors shows. */
static uint64_t next_event(const struct pollfd p[], nfds_t n, bool *kernel)
{
	uint64_t event = NEVER, packet = NEVER;

	for (struct card *c = w.card; c < w.card + w.n; c++) {
		earlier(&event, c->there);
		earlier(&event, c->linked);
		earlier(&event, c->lost);
		earlier(&event, c->again);
		earlier(&event, c->global);
		earlier(&event, c->duplicate);
		earlier(&event, c->probed);
	}
	earlier(&event, w.rdnss);
	for (nfds_t i = 1; i < n; i++) {
		if (p[i].fd == LOGIN) {
			earlier(&packet, w.login);
			continue;
		}
		if (p[i].fd > FIRST6) {
			uint64_t at = card_of(p[i].fd - FIRST6)->reply6;

			if (at && at <= world.now)
				return world.now;
			earlier(&packet, at);
			continue;
		}
		for (unsigned k = 0; p[i].fd >= 0 && k < PACKETS; k++) {
			uint64_t at = card_of(p[i].fd - FIRST)->packet[k].at;

			if (at && at <= world.now)
				return world.now;
			earlier(&packet, at);
		}
	}
	*kernel = event <= packet;
	return *kernel ? event : packet;
}

static int played_wait(struct pollfd p[], nfds_t n, int ms)
{
	bool kernel = false;
	uint64_t next = next_event(p, n, &kernel);

	assert_true(ms >= 0);
	assert_int_equal(p[0].fd, WORLD_NETLINK);
	/* it does not spin */
	assert_true(world.polls < 500);
	if (w.changed)
		return 1;
	if (next > world.now + (unsigned)ms) {
		world.now += (unsigned)ms;
		return 0;
	}
	world.now = next;
	w.changed = kernel;
	return 1;
}

/* ---- files ---- */

int __wrap_net_handoff_name(int run, const struct net_state *s,
			    struct nbd_diag *diag);
int __wrap_net_handoff_name(int run, const struct net_state *s,
			    struct nbd_diag *diag)
{
	assert_int_equal(run, -1);
	world_does("name %s", s->name);
	return w.no_file ? nbd_diag(diag, NBD_E_IO, "write /run/x") : 0;
}

int __wrap_net_handoff_write(int run, const struct net_state *s,
			     const struct dhcp *dhcp, bool root,
			     struct nbd_diag *diag);
int __wrap_net_handoff_write(int run, const struct net_state *s,
			     const struct dhcp *dhcp, bool root,
			     struct nbd_diag *diag)
{
	(void)run, (void)diag;
	assert_true(!s->dhcp || dhcp->state == DHCP_BOUND);
	world_does("write %s%s", s->name, root ? " root" : "");
	return 0;
}

int __wrap_net_handoff_machine(int run, const struct net_state *s,
			       const char *names, struct nbd_diag *diag);
int __wrap_net_handoff_machine(int run, const struct net_state *s,
			       const char *names, struct nbd_diag *diag)
{
	(void)run, (void)s, (void)diag;
	world_does("machine %s", names);
	return 0;
}

int __wrap_sethostname(const char *name, size_t len);
int __wrap_sethostname(const char *name, size_t len)
{
	world_does("host %.*s", (int)len, name);
	return 0;
}

/* ---- playing ---- */

/* Cards eth0, eth1 ..., that are there and have a link, with no server. */
static void cards(unsigned n)
{
	static const char *const names[CARDS] = { "eth0", "eth1", "eth2",
						  "eth3" };

	net_done(&net);
	memset(&net, 0, sizeof(net));
	memset(&w, 0, sizeof(w));
	world = (struct world){ .now = 1000,
				.wait = played_wait,
				.hear = hear,
				.load = load,
				.others = WORLD_ABSENT,
				.wrote = wrote,
				.run_fd = -1 };
	w.n = n;
	w.rdnss = NEVER;
	for (unsigned i = 0; i < CARDS; i++)
		w.card[i] = (struct card){ .name = names[i],
					   .lost = NEVER,
					   .again = NEVER,
					   .global = NEVER,
					   .duplicate = NEVER,
					   .probed = NEVER,
					   .delay = 5 };
}

/* The times of the boot. */
static char marks[512];

void __wrap_boot_times_mark(const char *name, uint64_t start);
void __wrap_boot_times_mark(const char *name, uint64_t start)
{
	size_t n = strlen(marks);

	snprintf(marks + n, sizeof(marks) - n, "%s %u to %u\n", name,
		 (unsigned)start, (unsigned)world.now);
}

static int up(const char *line, const char *host)
{
	static struct cmdline c;

	snprintf(c.line, sizeof(c.line), "%s", line);
	assert_int_equal(net_configure(&net, &c, host, &d), 0);
	return net_up(&net, true, &d);
}

static void asks(const char *text)
{
	if (!strstr(world.story, text))
		fail_msg("\"%s\" is not in:\n%s", text, world.story);
}

static void does_not_ask(const char *text)
{
	if (strstr(world.story, text))
		fail_msg("\"%s\" is in:\n%s", text, world.story);
}

static void fails(int rc, const char *why)
{
	assert_int_equal(rc, NBD_E_UNREACHABLE);
	if (!strstr(d.text, why))
		fail_msg("\"%s\" does not say: %s", d.text, why);
}

/* ---- the tests ---- */

static void a_lease_is_applied_and_written_down(void **state)
{
	(void)state;
	cards(1);
	w.card[0].answers = LEASES;
	assert_int_equal(up("ip=dhcp rd.route=198.51.100.0/24:192.0.2.9", NULL),
			 0);
	assert_int_equal(world.now, 1010);
	assert_string_equal(world.story,
			    "up eth0\nmtu eth0 1400\naddress eth0 .10/24\n"
			    "route eth0 .0/0 via .1 metric 0\n"
			    "route eth0 .0/24 via .9 metric 0\n"
			    "write eth0 root\nmachine eth0\nhost me\n");
	assert_true(net.state.up && net.state.dhcp && !net.state.ends);
	assert_string_equal(net.state.boot_server, "192.0.2.1");
	assert_string_equal(net.state.host, "me");
	assert_string_equal(world.said, "");
	/* the socket stays open until the caller has the time to close it */
	assert_true(w.card[0].open);
	net_done(&net);
	assert_false(w.card[0].open);
}

static void of_several_cards_the_first_that_answers_is_taken(void **state)
{
	(void)state;
	for (unsigned fast = 0; fast < 3; fast++) {
		cards(3);
		for (unsigned i = 0; i < 3; i++) {
			w.card[i].answers = i == 1 ? SILENT : LEASES;
			w.card[i].delay = 40 - i;
		}
		w.card[fast].answers = LEASES;
		w.card[fast].delay = 3;
		assert_int_equal(up("ip=dhcp", NULL), 0);
		assert_int_equal(world.now, 1006);
		assert_int_equal(net.state.index, fast + 1);
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(w.card[i].up, i == fast);
		assert_string_equal(world.said, "");
	}
}

static void an_unused_card_that_stays_up_is_reported(void **state)
{
	(void)state;
	cards(2);
	w.card[0].stays_up = true;
	w.card[1].answers = LEASES;
	assert_int_equal(up("ip=dhcp", NULL), 0);
	assert_string_equal(world.said,
			    "eth0 stays up, so udev cannot rename it: "
			    "set down: busy\n");
}

static void drivers_and_links_may_be_late(void **state)
{
	(void)state;
	cards(1);
	w.card[0].answers = LEASES;
	w.card[0].there = 4000;
	w.card[0].linked = 15999;
	marks[0] = '\0';
	assert_int_equal(up("ip=dhcp", NULL), 0);
	assert_int_equal(world.now, 16009);
	assert_string_equal(marks, "link eth0 4000 to 15999\n"
				   "lease eth0 15999 to 16009\n");
}

static void what_is_missing_is_named_when_the_time_is_over(void **state)
{
	(void)state;
	cards(0);
	fails(up("ip=dhcp", NULL), "no network interface: is its driver");
	assert_int_equal(world.now, 16000);
	cards(1);
	fails(up("ip=eth7:dhcp", NULL),
	      "there is no eth7: is its driver in this initramfs?  There is: "
	      "eth0 02:00:00:00:00:00");
	/* a name that udev would give, if it is not by the MAC */
	cards(1);
	w.card[0].answers = LEASES;
	assert_int_equal(up("ip=enx020000000000:dhcp", NULL), 0);
	assert_string_equal(net.state.name, "eth0");
	cards(1);
	fails(up("ip=ens3:dhcp", NULL), "Before udev runs there are");
	cards(1);
	w.card[0].linked = NEVER;
	fails(up("ip=dhcp", NULL), "no link on any network interface");
	assert_int_equal(world.now, 16000);
	/* from the first link on there is time for five messages */
	cards(2);
	w.card[0].linked = 5000;
	w.card[1].linked = NEVER;
	fails(up("ip=dhcp", NULL), "eth0: no DHCP server answered");
	assert_int_equal(world.now, 37000);
	assert_in_range(w.card[0].sent, 5, 6);
	cards(1);
	w.card[0].answers = OFFERS;
	fails(up("ip=dhcp", NULL),
	      "answered the request, but one made an offer");
	cards(1);
	w.card[0].answers = REFUSES;
	fails(up("ip=dhcp", NULL),
	      "eth0: the DHCP server 192.0.2.1 refuses what it offers (NAK)");
	cards(1);
	w.card[0].answers = REFUSES_ONCE;
	fails(up("ip=dhcp", NULL),
	      "eth0: the DHCP server 192.0.2.1 refuses what it offers (NAK)");
	cards(1);
	fails(up("ip=auto6", NULL), "no router advertised an IPv6 prefix");
}

static void a_link_that_is_lost_and_back_is_used_at_once(void **state)
{
	(void)state;
	cards(1);
	w.card[0].answers = LEASES;
	w.card[0].answers = LEASES;
	w.card[0].serves = 9500;
	w.card[0].lost = 9600;
	w.card[0].again = 9700;
	/* not when the next message is due, after 14 s or more */
	assert_int_equal(up("ip=dhcp", NULL), 0);
	assert_int_equal(world.now, 9710);
	assert_int_equal(w.card[0].sent, 6);
}

static void offers_in_any_order_make_one_lease(void **state)
{
	(void)state;
	cards(1);
	w.card[0].answers = LEASES;
	w.card[0].other = OFFERS;
	/*
	 * 192.0.2.2 is faster, and never confirms: four times are enough.  15 s,
	 * and an eighth more or less.
	 */
	w.card[0].delay = 2;
	assert_int_equal(up("ip=dhcp", NULL), 0);
	asks("address eth0 .10/24\nroute");
	assert_in_range(world.now, 13125, 18000);
	/* it refuses: the slower one's offer comes in the pause after that */
	cards(1);
	w.card[0].answers = LEASES;
	w.card[0].other = REFUSES;
	w.card[0].delay = 300;
	assert_int_equal(up("ip=dhcp", NULL), 0);
	asks("address eth0 .10/24\nroute");
	/* it comes while the faster one is asked, each time */
	cards(1);
	w.card[0].answers = LEASES;
	w.card[0].other = REFUSES;
	w.card[0].delay = 2;
	assert_int_equal(up("ip=dhcp", NULL), 0);
	asks("address eth0 .10/24\nroute");
	/* each answer is to the message before the last one */
	cards(1);
	w.card[0].answers = LEASES;
	w.card[0].delay = 1500;
	assert_int_equal(up("ip=dhcp", NULL), 0);
	asks("address eth0 .10/24\nroute");
}

static void a_static_address_needs_nobody(void **state)
{
	(void)state;
	cards(1);
	assert_int_equal(up("ip=192.0.2.7::192.0.2.1:24:h:eth0:none:192.0.2.3",
			    NULL),
			 0);
	assert_int_equal(world.now, 1000);
	assert_string_equal(world.story,
			    "up eth0\naddress eth0 .7/24\n"
			    "route eth0 .0/0 via .1 metric 0\n"
			    "write eth0 root\nmachine eth0\n"
			    "mkdir -m 755 /etc\nrm /etc/resolv.conf\n"
			    "ln -s /run/nbdboot/resolv.conf /etc/resolv.conf\n"
			    "host h\n");
	assert_true(net.state.fixed && !net.state.dhcp);
	assert_string_equal(net.state.boot_server, "");
	/* a gateway outside of the prefix is on the link all the same */
	cards(1);
	assert_int_equal(up("ip=192.0.2.7::192.0.2.1:32::eth0:none", NULL), 0);
	asks("route eth0 .0/0 via .1 onlink metric 0\n");
	/* of several cards with a link one has it, and the gateway is there */
	cards(3);
	assert_int_equal(up("ip=192.0.2.7::192.0.2.1:24:::none", NULL), 0);
	assert_string_equal(net.state.name, "eth0");
	assert_null(strstr(world.story, "address eth1"));
	assert_null(strstr(world.story, "route eth2"));
	assert_false(w.card[1].up || w.card[2].up);
}

/* Of the system before a reroot. */
static void static_addresses_keep_the_search_domains(void **state)
{
	static const char line[] = "ip=192.0.2.7:::24:h:eth0:none";

	(void)state;
	cards(1);
	world_file("/etc/resolv.conf",
		   "search old.test\nsearch\ta.test  b.test\r x;y . c.test\n");
	assert_int_equal(up(line, NULL), 0);
	assert_string_equal(net.state.domain, "a.test b.test c.test");
	/* that of a shell's system is its own affair */
	assert_int_equal(net_up(&net, false, &d), 0);
	assert_string_equal(net.state.domain, "");
}

static void an_address_that_another_machine_has_is_refused(void **state)
{
	(void)state;
	cards(1);
	w.card[0].duplicate = 1900;
	fails(up("ip=[2001:db8::7]/64:::::eth0:none", NULL),
	      "eth0: another machine has the address of ip=");
	assert_int_equal(world.now, 1900);
}

static void what_the_kernel_refuses_is_the_reason(void **state)
{
	(void)state;
	cards(1);
	w.card[0].no_address = true;
	fails(up("ip=192.0.2.7:::24::eth0:none", NULL), "no address for you");
	cards(1);
	w.card[0].answers = LEASES;
	w.card[0].no_address = true;
	fails(up("ip=eth0:dhcp", NULL), "no address for you");
	cards(1);
	w.card[0].no_socket = true;
	fails(up("ip=eth0:dhcp", NULL), "no socket for you");
	assert_int_equal(w.card[0].sent, 0);
	cards(1);
	w.no_list = true;
	assert_int_equal(up("ip=dhcp", NULL), NBD_E_KERNEL);
	assert_string_equal(d.text, "list the interfaces");
}

static void a_card_that_fails_leaves_the_others_their_turn(void **state)
{
	(void)state;
	cards(3);
	w.card[0].no_socket = true;
	w.card[1].answers = LEASES;
	w.card[1].no_address = true;
	w.card[2].answers = LEASES;
	w.card[2].delay = 400;
	assert_int_equal(up("ip=dhcp", NULL), 0);
	assert_int_equal(net.state.index, 3);
}

static void of_two_words_the_one_that_works_is_enough(void **state)
{
	(void)state;
	cards(2);
	w.card[1].answers = LEASES;
	assert_int_equal(up("ip=eth0:dhcp ip=eth1:dhcp", NULL), 0);
	assert_int_equal(net.state.index, 2);
	assert_string_equal(
		world.said,
		"eth0: no DHCP server answered; going on without\n");
	/* but not in place of bootdev=, which is the root's */
	cards(2);
	w.card[1].answers = LEASES;
	fails(up("ip=eth0:dhcp ip=eth1:dhcp bootdev=eth0", NULL),
	      "eth0: no DHCP server answered");
	/* both have files, and the second word's routes come second */
	cards(2);
	w.card[0].answers = w.card[1].answers = LEASES;
	assert_int_equal(up("ip=eth0:dhcp ip=eth1:dhcp", NULL), 0);
	asks("route eth1 .0/0 via .1 metric 1\n");
	asks("write eth1\nwrite eth0 root\nmachine eth0 eth1\n");
	does_not_ask("down");
}

static void an_interface_is_renamed_before_it_is_used(void **state)
{
	(void)state;
	cards(2);
	w.card[1].answers = LEASES;
	assert_int_equal(up("ip=lan:dhcp ifname=lan:02:00:00:00:00:01", NULL),
			 0);
	assert_string_equal(world.story,
			    "rename eth1 lan\nup lan\nmtu lan 1400\n"
			    "address lan .11/24\n"
			    "route lan .0/0 via .1 metric 0\n"
			    "write lan root\nmachine lan\nhost me\n");
}

static void two_interfaces_swap_their_names(void **state)
{
	(void)state;
	cards(2);
	w.card[0].answers = LEASES;
	assert_int_equal(up("ip=eth1:dhcp ifname=eth1:02:00:00:00:00:00 "
			    "ifname=eth0:02:00:00:00:00:01",
			    NULL),
			 0);
	asks("rename eth0 rename1\nrename eth1 eth0\nrename rename1 eth1\n");
	asks("write eth1 root\n");
}

static void a_name_that_another_interface_keeps_is_reported(void **state)
{
	(void)state;
	cards(2);
	w.card[0].answers = LEASES;
	assert_int_equal(up("ifname=eth1:02:00:00:00:00:00", NULL), 0);
	does_not_ask("rename eth");
	assert_string_equal(world.said, "rename: exists\n");
	cards(2);
	w.card[0].answers = LEASES;
	assert_int_equal(up("ifname=eth1:02:00:00:00:00:00 "
			    "ifname=eth1:02:00:00:00:00:01",
			    NULL),
			 0);
	does_not_ask("rename eth");
	asks("write eth0 root\n");
}

static void a_vlan_keeps_its_parent_up_and_named(void **state)
{
	(void)state;
	cards(1);
	w.card[0].answers = LEASES;
	w.no_file = true;
	assert_int_equal(up("ip=v5:dhcp vlan=v5:eth0", NULL), 0);
	asks("name eth0\nup eth0\nvlan 5 on eth0\nup v5\n");
	asks("write v5 root\nmachine eth0 v5\n");
	does_not_ask("down");
	assert_string_equal(net.state.kind, "vlan");
	assert_string_equal(world.said, "write /run/x\n");
}

static void a_bond_takes_its_members_as_they_appear(void **state)
{
	(void)state;
	cards(2);
	w.card[1].there = 500;
	assert_int_equal(up("bond=bond7:eth0,eth1:mode=1:1400 ip=bond7:dhcp "
			    "vlan=v5:bond7",
			    NULL),
			 0);
	asks("load bonding max_bonds=0\nadd bond bond7\n"
	     "/sys/class/net/bond7/bonding/mode = 1\n"
	     "/sys/class/net/bond7/bonding/miimon = 100\n"
	     "mac bond7 0\nmtu bond7 1400\nup bond7\nname eth0\n"
	     "join eth0 to bond7\n");
	asks("vlan 5 on bond7\n");
	asks("address bond7 ");
	does_not_ask("address eth");
	does_not_ask("down");
	assert_string_equal(net.state.kind, "bond");
}

/* The driver answers EPERM to a target without a sign. */
static void a_bond_asks_each_target_by_arp(void **state)
{
	(void)state;
	cards(1);
	assert_int_equal(up("bond=bond7:eth0:mode=1,,miimon,arp_interval=200,"
			    "arp_ip_target=10.0.0.1;10.0.0.2,"
			    "arp_ip_target=10.0.0.3,fail_over_mac= "
			    "ip=bond7:dhcp",
			    NULL),
			 0);
	asks("/sys/class/net/bond7/bonding/mode = 1\n"
	     "/sys/class/net/bond7/bonding/arp_interval = 200\n"
	     "/sys/class/net/bond7/bonding/arp_ip_target = +10.0.0.1\n"
	     "/sys/class/net/bond7/bonding/arp_ip_target = +10.0.0.2\n"
	     "/sys/class/net/bond7/bonding/arp_ip_target = +10.0.0.3\n"
	     "/sys/class/net/bond7/bonding/fail_over_mac = \n"
	     "mac bond7 0\n");
	assert_non_null(
		strstr(world.said, "bond=bond7: miimon has no value\n"));
}

/* The driver answers EPERM to a delay before miimon, EACCES in another mode. */
static void what_options_of_a_bond_depend_on_comes_first(void **state)
{
	(void)state;
	cards(1);
	assert_int_equal(
		up("bond=bond7:eth0:modem=5,updelay=200,lacp_rate=fast,"
		   "mode=4 ip=bond7:dhcp",
		   NULL),
		0);
	asks("/sys/class/net/bond7/bonding/mode = 4\n"
	     "/sys/class/net/bond7/bonding/miimon = 100\n"
	     "/sys/class/net/bond7/bonding/modem = 5\n"
	     "/sys/class/net/bond7/bonding/updelay = 200\n"
	     "/sys/class/net/bond7/bonding/lacp_rate = fast\n");
}

static void a_bridge_keeps_the_address_of_its_first_member(void **state)
{
	(void)state;
	cards(2);
	assert_int_equal(up("bridge=br0:eth1,eth0 ip=br0:dhcp", NULL), 0);
	asks("add bridge br0\nmac br0 0\nup br0\nname eth0\n"
	     "join eth0 to br0\n");
	asks("join eth1 to br0\n");
	does_not_ask("load");
	does_not_ask("mac br0 1");
	assert_string_equal(net.state.kind, "bridge");
}

/* Interfaces that came and went have used up the small numbers. */
static void a_member_is_no_other_one_with_a_large_number(void **state)
{
	struct iface member = { .index = 2, .ether = true, .name = "eth0" };
	struct iface other = { .index = 66, .ether = true, .name = "eth1" };
	static const struct cmdline c = { .line = "bridge=br0:eth0" };

	(void)state;
	cards(2);
	assert_int_equal(net_configure(&net, &c, NULL, &d), 0);
	net.run = -1;
	assert_true(net_prepare(&net, &member));
	assert_true(net_prepare(&net, &member));
	assert_false(net_prepare(&net, &other));
}

/* Where IPv6 is a module, netlink would not load it. */
static void ipv6_is_loaded_for_the_methods_that_need_it(void **state)
{
	static const struct {
		const char *words;
		bool loads;
	} row[] = {
		{ "ip=auto6", true },
		{ "ip=link6", true },
		{ "ip=dhcp ip=auto6", true },
		{ "ip=[2001:db8::7]/64:::::eth0:none", true },
		{ "ip=192.0.2.7:::255.255.255.0::eth0:none", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		cards(1);
		w.card[0].global = 2500;
		(void)up(row[i].words, NULL);
		if (row[i].loads)
			asks("load ipv6 \n");
		else
			does_not_ask("load");
	}
}

static void a_prefix_is_waited_for_and_a_name_server_for_a_name(void **state)
{
	(void)state;
	cards(1);
	w.card[0].global = 2500;
	assert_int_equal(up("ip=auto6", NULL), 0);
	assert_int_equal(world.now, 2500);
	asks("solicit eth0\n");
	cards(1);
	w.card[0].global = 2500;
	w.rdnss = 3500;
	assert_int_equal(up("ip=auto6", "server.test"), 0);
	assert_int_equal(world.now, 3500);
	assert_int_equal(net.state.n_dns, 1);
	/* it goes without, once the time is over */
	cards(1);
	w.card[0].global = 2500;
	assert_int_equal(up("ip=auto6", "server.test"), 0);
	assert_int_equal(world.now, 33000);
	/* a link-local address comes with the link */
	cards(1);
	assert_int_equal(up("ip=link6", NULL), 0);
	assert_int_equal(world.now, 1000);
}

/* RFC 3442: it is ignored, and so no script may take it for a way out. */
static void a_router_beside_routes_is_no_gateway(void **state)
{
	static const struct ip_config ip = { .method = IP_DHCP };
	static const uint8_t net24[8] = { 24, 198, 51, 100, 192, 0, 2, 9 };
	struct job j = { .ip = &ip, .dhcp.state = DHCP_BOUND };
	struct dhcp_lease *l = &j.dhcp.lease;
	struct net_state s;

	(void)state;
	memset(&net.plan, 0, sizeof(net.plan));
	l->router = nbd_ip_of("\xc0\0\2\1", 4);
	net_job_state(&j, &net.plan, &s);
	assert_int_equal(s.gateway.ip[3], 1);
	l->route_bytes = sizeof(net24);
	memcpy(l->routes, net24, sizeof(net24));
	net_job_state(&j, &net.plan, &s);
	assert_int_equal(s.gateway.len, 0);
	/* unless what did not fit may have been the default route */
	l->left = DHCP_LEFT_ROUTES;
	net_job_state(&j, &net.plan, &s);
	assert_int_equal(s.gateway.ip[3], 1);
}

/* The C library asks no more than three. */
static void a_dns_server_of_dhcp_comes_before_those_of_routers(void **state)
{
	(void)state;
	cards(1);
	w.card[0].answers = LEASES;
	w.card[0].dns = true;
	w.rdnss = 1002;
	assert_int_equal(up("ip=dhcp nameserver=192.0.2.52", NULL), 0);
	assert_int_equal(net.state.n_dns, 3);
	assert_int_equal(net.state.dns[0].ip[3], 52);
	assert_int_equal(net.state.dns[1].ip[3], 53);
	assert_int_equal(net.state.dns[2].len, 16);
}

/* One card, at 2500 ms the router's address, and RDNSS if it says so. */
static struct card *router6(unsigned flags)
{
	cards(1);
	w.card[0].global = 2500;
	w.card[0].ra = flags;
	return w.card;
}

static void a_flag_of_the_router_asks_dhcpv6(void **state)
{
	struct card *c;

	(void)state;
	for (unsigned flag = 0x40; flag <= 0x80; flag <<= 1) {
		c = router6(flag);
		c->answers6 = true;
		w.rdnss = 1500;
		assert_int_equal(up("ip=auto6", NULL), 0);
		/* while the kernel probes the address */
		assert_int_equal(world.now, 2500);
		assert_int_equal(c->sent6, 1);
		assert_false(c->open6);
		assert_int_equal(net.state.n_dns, 2);
		assert_int_equal(net.state.dns[0].ip[15], 0x53);
		assert_string_equal(net.state.domain, "test");
		assert_string_equal(net.state.root_path, "nbd://s6/r");
		assert_string_equal(world.said, "");
	}
	/* without a flag, and with nothing missing, it does not ask */
	c = router6(0);
	c->answers6 = true;
	assert_int_equal(up("ip=auto6", NULL), 0);
	assert_int_equal(c->sent6, 0);
	c = router6(0x80);
	c->answers6 = true;
	assert_int_equal(up("ip=auto6 rd.peerdns=0", NULL), 0);
	assert_int_equal(net.state.n_dns, 0);
	assert_string_equal(net.state.domain, "test");
}

static void a_silent_dhcpv6_costs_five_seconds(void **state)
{
	struct card *c = router6(0x80);

	(void)state;
	assert_int_equal(up("ip=auto6", NULL), 0);
	assert_int_equal(world.now, 6000);
	assert_int_equal(c->sent6, 3);
	assert_string_equal(world.said,
			    "eth0: no DHCPv6 server answered, but a router "
			    "says that there is one; going on with what "
			    "routers advertise\n");
	c = router6(0x80);
	c->answers6 = true;
	c->silent6 = 2;
	assert_int_equal(up("ip=auto6", NULL), 0);
	assert_true(world.now < 6000);
	assert_int_equal(c->sent6, 3);
	assert_string_equal(world.said, "");
	/* its port is not free */
	c = router6(0x80);
	c->no_socket = true;
	assert_int_equal(up("ip=auto6", NULL), 0);
	assert_int_equal(world.now, 2500);
	assert_string_equal(world.said,
			    "eth0: DHCPv6 is not possible: no port for "
			    "you\n");
}

static void what_the_boot_needs_is_asked_for_until_the_end(void **state)
{
	struct card *c = router6(0);

	(void)state;
	/* a DNS server, though no flag is set */
	c->answers6 = true;
	c->silent6 = 3;
	assert_int_equal(up("ip=auto6", "server.test"), 0);
	/* 1, 2 and 4 s, each with up to a tenth of the one before, and a delay */
	assert_in_range(world.now, 2500 + 5850, 2500 + 9300);
	assert_int_equal(net.state.n_dns, 1);
	c = router6(0x80);
	assert_int_equal(up("ip=auto6", "server.test"), 0);
	assert_int_equal(world.now, 33000);
	assert_in_range(c->sent6, 5, 6);
	/* RDNSS may still come after a reply without a server */
	c = router6(0x80);
	c->answers6 = c->no_dns6 = true;
	w.rdnss = 9000;
	assert_int_equal(up("ip=auto6", "server.test"), 0);
	assert_int_equal(world.now, 9000);
	/* with a DNS server from elsewhere nothing is missing */
	c = router6(0);
	assert_int_equal(up("ip=auto6 nameserver=192.0.2.3", "server.test"), 0);
	assert_int_equal(c->sent6, 0);
	/* the root-path; with DHCPv4 it comes from there */
	c = router6(0);
	c->answers6 = true;
	c->silent6 = 4;
	assert_int_equal(up("ip=auto6", ""), 0);
	assert_string_equal(net.state.root_path, "nbd://s6/r");
	c = router6(0);
	c->answers = LEASES;
	assert_int_equal(up("ip=dhcp ip=auto6", ""), 0);
	assert_int_equal(c->sent6, 0);
}

static void why_there_is_no_address_of_dhcpv6_is_said(void **state)
{
	(void)state;
	cards(1);
	w.card[0].ra = 0x40;
	fails(up("ip=auto6", NULL), "eth0: no DHCPv6 server answered, but a "
				    "router leaves addresses to it (flag M)");
	/* what a server says is the better reason */
	cards(1);
	w.card[0].leases6 = w.card[0].no_address6 = true;
	fails(up("ip=dhcp6", NULL), "eth0: the DHCPv6 server has no address "
				    "for this machine (NoAddrsAvail)");
}

static void a_link_without_ipv6_is_no_fault_of_others(void **state)
{
	static const char *const words[] = { "ip=link6", "ip=auto6",
					     "ip=dhcp6" };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
		cards(1);
		w.card[0].no_ipv6 = true;
		fails(up(words[i], NULL),
		      "eth0: the interface has no link-local address of IPv6");
	}
}

static void an_address_of_dhcpv6_is_set_and_probed(void **state)
{
	struct card *c = w.card;

	(void)state;
	for (unsigned way = 0; way < 2; way++) {
		cards(1);
		c->leases6 = true;
		c->ra = way ? 0x60 : 0x20;
		c->probed = 3000;
		assert_int_equal(up(way ? "ip=auto6" : "ip=dhcp6", NULL), 0);
		asks("address eth0 .0/128\n");
		assert_int_equal(world.now, 3000);
		assert_int_equal(net.state.addr.ip[15], 0x77);
		assert_int_equal(net.state.lease6->lease.valid, 3600);
		assert_true(net.state.ends && !net.state.dhcp);
		assert_string_equal(net.state.root_path, "nbd://s6/r");
		assert_false(c->open6);
		assert_int_equal(c->sent6, 1);
		/* the next try of the boot finds it there, and needs a lease */
		assert_int_equal(net_up(&net, true, &d), 0);
		assert_non_null(net.state.lease6);
		assert_true(net.state.ends);
	}
}

static void without_a_router_an_address_of_dhcpv6_waits_for_one(void **state)
{
	(void)state;
	cards(1);
	w.card[0].leases6 = true;
	w.card[0].probed = 3000;
	assert_int_equal(up("ip=dhcp6", NULL), 0);
	assert_int_equal(world.now, 6000);
	assert_int_equal(net.state.addr.ip[15], 0x77);
}

static void an_address_of_dhcpv6_that_another_has_is_declined(void **state)
{
	(void)state;
	cards(1);
	w.card[0].leases6 = true;
	w.card[0].ra = 0x20;
	w.card[0].duplicate = 2500;
	w.card[0].probed = 9000;
	assert_int_equal(up("ip=dhcp6", NULL), 0);
	assert_true(w.card[0].declined6);
	assert_non_null(strstr(world.said,
			       "eth0: another machine has the address of "
			       "the lease\n"));
	assert_int_equal(net.state.addr.ip[15], 0x78);
}

static void root_dhcp6_wants_an_address_of_dhcpv6(void **state)
{
	(void)state;
	cards(1);
	w.card[0].leases6 = true;
	w.card[0].ra = 0x20;
	w.card[0].probed = 3000;
	assert_int_equal(up("root=dhcp6", ""), 0);
	assert_int_equal(net.state.addr.ip[15], 0x77);
	assert_string_equal(net.state.root_path, "nbd://s6/r");
	assert_int_equal(up("nbdboot.duid=ll ip=dhcp6", ""), 0);
	assert_int_equal(net.state.lease6->id.duid.p[1], 3);
	assert_int_equal(boot_plan_parse(&net.plan, "nbdboot.duid=2", NULL, &d),
			 NBD_E_USAGE);
}

static void a_port_that_demands_a_login_is_named(void **state)
{
	(void)state;
	cards(1);
	w.card[0].login = true;
	fails(up("ip=dhcp", NULL), "eth0: the switch port demands a login by "
				   "802.1X");
	assert_true(w.eapol);
	fails(up("ip=auto6", NULL), "eth0: the switch port demands a login by "
				    "802.1X");
	net_done(&net);
	assert_false(w.eapol);
	/* the frames arrive below the VLAN */
	cards(1);
	w.card[0].login = true;
	fails(up("vlan=v7:eth0 ip=v7:dhcp", NULL), "v7: the switch port");
	/* the other card's port does not matter */
	cards(2);
	w.card[1].login = true;
	fails(up("ip=eth0:dhcp ip=eth1:dhcp", NULL),
	      "eth0: no DHCP server answered");
	/* a port that lets an offer through is open */
	cards(1);
	w.card[0].login = true;
	w.card[0].answers = OFFERS;
	fails(up("ip=dhcp", NULL), "but one made an offer");
	cards(1);
	w.card[0].login = true;
	assert_int_equal(up("ip=192.0.2.7:::24::eth0:none", NULL), 0);
	assert_false(w.eapol);
}

static void nothing_is_sent_before_the_login(void **state)
{
	(void)state;
	cards(1);
	w.card[0].answers = LEASES;
	w.login = 7000;
	assert_int_equal(up("ip=dhcp", NULL), 0);
	assert_int_equal(world.now, 7010);
	assert_string_equal(w.port, "eth0");
	/* a VLAN logs in below */
	cards(1);
	w.login = 7000;
	assert_int_equal(up("vlan=v7:eth0 ip=192.0.2.7:::24::v7:none", NULL),
			 0);
	assert_int_equal(world.now, 7000);
	assert_string_equal(w.port, "eth0");
	/* a bond does not */
	cards(1);
	w.login = 7000;
	up("bond=b0:eth0 ip=192.0.2.7:::24::b0:none", NULL);
	assert_string_equal(w.port, "");
}

static void the_time_for_an_address_begins_behind_the_login(void **state)
{
	(void)state;
	cards(1);
	w.login = 9000;
	fails(up("ip=dhcp", NULL), "eth0: no DHCP server answered");
	assert_int_equal(world.now, 9000 + 32000);
}

static void a_login_that_is_refused_is_the_reason(void **state)
{
	(void)state;
	cards(1);
	w.card[0].answers = LEASES;
	w.login = 2000;
	w.refused = true;
	fails(up("ip=eth0:dhcp", NULL), "eth0: no such dancer");
	assert_int_equal(world.now, 2000);
	assert_int_equal(w.card[0].sent, 0);
}

static void a_mac_and_an_mtu_are_set_before_the_link(void **state)
{
	(void)state;
	cards(1);
	w.card[0].answers = LEASES;
	assert_int_equal(up("ip=eth0:dhcp:9000:02:00:00:00:00:77", NULL), 0);
	asks("mac eth0 119\nmtu eth0 9000\nup eth0\n");
	assert_string_equal(world.said, "set the MAC\n");
	assert_int_equal(net.state.mac[5], 0x77);
	/* zeros at both ends are no lack of one */
	cards(1);
	w.card[0].answers = LEASES;
	assert_int_equal(up("ip=eth0:dhcp::00:16:3e:12:34:00", NULL), 0);
	asks("mac eth0 0\nup eth0\n");
	assert_memory_equal(net.state.mac, "\0\x16\x3e\x12\x34\0", 6);
}

/* Also by the next try of the boot. */
static void an_interface_is_known_after_its_mac_has_changed(void **state)
{
	(void)state;
	cards(2);
	w.card[1].takes_mac = true;
	w.card[1].linked = 1500;
	assert_int_equal(up("BOOTIF=01-02-00-00-00-00-01 "
			    "ip=::::::dhcp::02:00:00:00:00:77",
			    NULL),
			 NBD_E_UNREACHABLE);
	assert_string_equal(d.text, "eth1: no DHCP server answered");
	w.card[1].answers = LEASES;
	*world.story = '\0';
	assert_int_equal(net_up(&net, true, &d), 0);
	assert_int_equal(net.state.index, 2);
	does_not_ask("mac eth1");
	assert_string_equal(world.said, "");
	does_not_ask("eth0");
}

static void the_network_may_be_left_alone(void **state)
{
	(void)state;
	cards(1);
	assert_int_equal(up("ip=off", NULL), 0);
	assert_false(net.state.up);
	assert_string_equal(world.story, "");
}

static void a_second_try_begins_anew(void **state)
{
	(void)state;
	cards(1);
	fails(up("ip=dhcp", NULL), "no DHCP server");
	w.card[0].answers = LEASES;
	assert_int_equal(net_up(&net, true, &d), 0);
	assert_int_equal(net.n, 1);
	/* without the machine's own name and resolv.conf from a shell */
	*world.story = '\0';
	assert_int_equal(net_up(&net, false, &d), 0);
	does_not_ask("host");
}

static uint32_t seed;

static uint32_t pick(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static uint64_t some_time(void)
{
	return pick(3) ? world.now + pick(20000) : NEVER;
}

/*
 * Whatever happens when, net_up() ends in its time, and with an address if one
 * card's link and server were fine in the first 10 s.
 */
static void any_schedule_ends_in_time(void **state)
{
	(void)state;
	for (unsigned s = 1; s <= 20000; s++) {
		bool good = false;
		int rc;

		seed = s;
		cards(1 + pick(3));
		for (struct card *c = w.card; c < w.card + w.n; c++) {
			c->there = pick(2) ? 0 : some_time();
			c->linked = pick(2) ? 0 : some_time();
			c->answers = (enum answers)pick(4);
			c->other = pick(4) ? SILENT : (enum answers)pick(4);
			c->delay = 1 + pick(900);
			c->no_socket = !pick(8);
			c->no_address = !pick(8);
			if (!pick(3)) {
				c->lost = some_time();
				c->again = some_time();
			}
			good |= c->there < 10000 && c->linked < 10000 &&
				c->lost == NEVER && c->answers == LEASES &&
				c->other == SILENT && !c->no_socket &&
				!c->no_address;
		}
		rc = up("ip=dhcp", NULL);
		if (rc && (good || rc != NBD_E_UNREACHABLE || !d.text[0]))
			fail_msg("seed %u: %d %s", s, rc, d.text);
		if (world.now > 1000 + 15000 + 32000 || world.polls > 200)
			fail_msg("seed %u: %u polls", s, world.polls);
		net_done(&net);
		for (struct card *c = w.card; c < w.card + w.n; c++)
			assert_false(c->open);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lease_is_applied_and_written_down),
		cmocka_unit_test(
			of_several_cards_the_first_that_answers_is_taken),
		cmocka_unit_test(an_unused_card_that_stays_up_is_reported),
		cmocka_unit_test(drivers_and_links_may_be_late),
		cmocka_unit_test(
			what_is_missing_is_named_when_the_time_is_over),
		cmocka_unit_test(a_link_that_is_lost_and_back_is_used_at_once),
		cmocka_unit_test(offers_in_any_order_make_one_lease),
		cmocka_unit_test(a_static_address_needs_nobody),
		cmocka_unit_test(static_addresses_keep_the_search_domains),
		cmocka_unit_test(
			an_address_that_another_machine_has_is_refused),
		cmocka_unit_test(what_the_kernel_refuses_is_the_reason),
		cmocka_unit_test(
			a_card_that_fails_leaves_the_others_their_turn),
		cmocka_unit_test(of_two_words_the_one_that_works_is_enough),
		cmocka_unit_test(an_interface_is_renamed_before_it_is_used),
		cmocka_unit_test(two_interfaces_swap_their_names),
		cmocka_unit_test(
			a_name_that_another_interface_keeps_is_reported),
		cmocka_unit_test(a_vlan_keeps_its_parent_up_and_named),
		cmocka_unit_test(a_bond_takes_its_members_as_they_appear),
		cmocka_unit_test(a_bond_asks_each_target_by_arp),
		cmocka_unit_test(what_options_of_a_bond_depend_on_comes_first),
		cmocka_unit_test(
			a_bridge_keeps_the_address_of_its_first_member),
		cmocka_unit_test(a_member_is_no_other_one_with_a_large_number),
		cmocka_unit_test(ipv6_is_loaded_for_the_methods_that_need_it),
		cmocka_unit_test(
			a_prefix_is_waited_for_and_a_name_server_for_a_name),
		cmocka_unit_test(a_router_beside_routes_is_no_gateway),
		cmocka_unit_test(
			a_dns_server_of_dhcp_comes_before_those_of_routers),
		cmocka_unit_test(a_flag_of_the_router_asks_dhcpv6),
		cmocka_unit_test(a_silent_dhcpv6_costs_five_seconds),
		cmocka_unit_test(
			what_the_boot_needs_is_asked_for_until_the_end),
		cmocka_unit_test(why_there_is_no_address_of_dhcpv6_is_said),
		cmocka_unit_test(a_link_without_ipv6_is_no_fault_of_others),
		cmocka_unit_test(an_address_of_dhcpv6_is_set_and_probed),
		cmocka_unit_test(
			without_a_router_an_address_of_dhcpv6_waits_for_one),
		cmocka_unit_test(
			an_address_of_dhcpv6_that_another_has_is_declined),
		cmocka_unit_test(root_dhcp6_wants_an_address_of_dhcpv6),
		cmocka_unit_test(a_port_that_demands_a_login_is_named),
		cmocka_unit_test(nothing_is_sent_before_the_login),
		cmocka_unit_test(
			the_time_for_an_address_begins_behind_the_login),
		cmocka_unit_test(a_login_that_is_refused_is_the_reason),
		cmocka_unit_test(a_mac_and_an_mtu_are_set_before_the_link),
		cmocka_unit_test(
			an_interface_is_known_after_its_mac_has_changed),
		cmocka_unit_test(the_network_may_be_left_alone),
		cmocka_unit_test(a_second_try_begins_anew),
		cmocka_unit_test(any_schedule_ends_in_time),
	};

	return cmocka_run_group_tests_name("network", tests, NULL, NULL);
}
