/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine gets a lease and then keeps it, from servers that lose, delay and
 * repeat messages, refuse, offer another address, give leases of a moment or of
 * a lifetime, and are away for a while:
 *
 *	boot/net/dhcp.c          until it is BOUND or the network is well for long
 *	boot/net/renew.c renewd.c   from then on, until the schedule ends
 */
#include "boot/net/renew.h"
#include "port/linux/packet.h"
#include "tests/sim/leases.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

const char sim_claim[] = "a lease is got in time, is one that was given, and "
			 "is renewed without end or flood";

#define SERVERS	   3
/* ms until a lease, once all servers answer: 72 s are the longest pause. */
#define BOUND_MS   76000
/* Messages in a second, each of the two: the first NAK costs no pause. */
#define FLOOD	   10
/* How long a renewal takes that fails. */
#define RENEWAL_MS 8000
#define SOCKET	   1000

/* How a server treats us, in percent of its answers. */
struct server {
	uint8_t id;
	unsigned lost, late, twice, refused, moved, spoilt, silent;
	uint32_t seconds, t1, t2; /* UINT32_MAX: option not sent */
	bool path;
	uint64_t from, until; /* ms: away before and after */
};

static struct lan {
	struct server servers[SERVERS];
	unsigned n_servers, refusals;
	uint64_t sent[FLOOD]; /* ms of the latest messages + 1 */
	unsigned n_sent;
	struct dhcp d;
	uint64_t earliest; /* ms: the next renewal begins not before */
	uint8_t addr;	   /* of the lease when it was got */
} w;

static const uint8_t mac[6] = { 0x52, 0x54, 0, 1, 2, 3 };

/* ---- the servers ---- */

static void make_server(struct server *s, uint8_t id)
{
	bool bad = sim_chance(70);

	*s = (struct server){ .id = id,
			      .seconds = leases_time(),
			      .t1 = sim_chance(70) ? UINT32_MAX : leases_time(),
			      .t2 = sim_chance(70) ? UINT32_MAX : leases_time(),
			      .path = sim_chance(50),
			      .from = leases.start,
			      .until = UINT64_MAX };
	if (!bad)
		return;
	s->lost = (unsigned)sim_below(100);
	s->late = (unsigned)sim_below(50);
	s->twice = (unsigned)sim_below(50);
	s->refused = (unsigned)sim_below(60);
	s->moved = sim_chance(20) ? (unsigned)sim_below(60) : 0;
	s->spoilt = (unsigned)sim_below(30);
	s->silent = sim_chance(20) ? 100 : 0; /* offers and never gives */
	if (sim_chance(30))
		s->from += sim_below(300000);
	/* the first one comes back, so that there is one in the end */
	if (id > 1 && sim_chance(30))
		s->until = s->from + sim_below(300000);
}

static uint8_t *put(uint8_t *p, uint8_t code, uint32_t v)
{
	*p++ = code;
	*p++ = 4;
	for (int i = 24; i >= 0; i -= 8)
		*p++ = (uint8_t)(v >> i);
	return p;
}

/* Not ours, or damaged: it must change nothing. */
static void spoil(uint8_t *p, size_t *len, unsigned type)
{
	switch (sim_below(type == DHCP_NAK ? 3 : 4)) {
	case 0: /* another machine's, with an address that is not ours */
		p[28 + sim_below(6)] ^= 1;
		p[19] = 250;
		break;
	case 1: /* the answer to an older question */
		p[4 + sim_below(4)] ^= 1;
		p[19] = 251;
		break;
	case 2:
		*len = sim_below(244);
		break;
	default: /* no address of a machine */
		p[16] = sim_chance(50) ? 0 : 224;
	}
}

static void answer(const struct server *s, const uint8_t *q, unsigned type,
		   uint8_t addr)
{
	uint8_t p[400] = { 2, 1, 6 }, *o = p + 240;
	size_t len;
	uint64_t at = world.now + 1 + sim_below(200);

	memcpy(p + 4, q + 4, 4);
	memcpy(p + 16, "\xc0\x00\x02", 3);
	p[19] = addr;
	memcpy(p + 28, q + 28, 6);
	memcpy(p + 236, "\x63\x82\x53\x63", 4);
	memcpy(o, (uint8_t[]){ 53, 1, (uint8_t)type }, 3);
	o = put(o + 3, 54, 0xc0000200u | s->id);
	o = s->seconds == UINT32_MAX ? o : put(o, 51, s->seconds);
	o = s->t1 == UINT32_MAX ? o : put(o, 58, s->t1);
	o = s->t2 == UINT32_MAX ? o : put(o, 59, s->t2);
	if (s->path) {
		memcpy(o, "\x11\x01x", 3);
		o += 3;
	}
	*o++ = 255;
	len = (size_t)(o - p);
	if (leases_mishap(s->late))
		at += sim_below(20000);
	if (leases_mishap(s->spoilt))
		spoil(p, &len, type);
	else if (type == DHCP_NAK)
		w.refusals++;
	else
		leases_give(addr, s->id);
	sim_say(world.now,
		"server %u: type %u, address %u, arrives %llu ms later", s->id,
		type, addr, (unsigned long long)(at - world.now));
	leases_fly(p, len, at);
	if (leases_mishap(s->twice))
		leases_fly(p, len, at + sim_below(3000));
}

static const uint8_t *option(const uint8_t *p, unsigned code)
{
	for (p += 240; *p != 255; p += 2 + p[1])
		if (*p == code)
			return p + 2;
	return NULL;
}

static void hear(const struct server *s, const uint8_t *q)
{
	const uint8_t *server = option(q, 54), *wanted = option(q, 50);
	bool request = *option(q, 53) == DHCP_REQUEST;
	uint8_t addr = (uint8_t)(10 * s->id + 1);

	if (world.now < s->from || world.now >= s->until ||
	    leases_mishap(s->lost) || (request && server && server[3] != s->id))
		return;
	if (request && leases_mishap(s->silent))
		return;
	if (request || wanted)
		addr = wanted ? wanted[3] : q[15];
	if (leases_mishap(s->moved))
		addr = (uint8_t)(10u * s->id + 1 + sim_below(4));
	if (request && leases_mishap(s->refused))
		answer(s, q, DHCP_NAK, 0);
	else
		answer(s, q, request ? DHCP_ACK : DHCP_OFFER, addr);
}

/* A message of the client; only: to this server alone, or 0. */
static void hear_all(const uint8_t *q, uint8_t only)
{
	uint64_t *oldest = &w.sent[w.n_sent++ % FLOOD];

	if (*oldest && world.now + 1 - *oldest < 1000)
		sim_fail("more than %u messages in a second", FLOOD);
	*oldest = world.now + 1;
	sim_say(world.now, "client: type %u to %u", *option(q, 53), only);
	for (unsigned i = 0; i < w.n_servers; i++)
		if (!only || only == w.servers[i].id)
			hear(&w.servers[i], q);
}

/* ---- until there is a lease ---- */

static void check_lease(const struct dhcp *d)
{
	const struct dhcp_lease *l = &d->lease;

	if (!leases_was_given(l->addr.ip[3], l->server.ip[3]))
		sim_fail("address %u was not given by server %u", l->addr.ip[3],
			 l->server.ip[3]);
	if (!l->t1 || l->t1 > l->t2)
		sim_fail("T1 is %u, T2 is %u", l->t1, l->t2);
}

static void check_due(const struct dhcp *d)
{
	if (d->due > world.now + 72000)
		sim_fail("in state %d the next message is due in %llu ms",
			 (int)d->state,
			 (unsigned long long)(d->due - world.now));
}

static void select_lease(void)
{
	uint64_t again = sim_chance(30) ? world.now + sim_below(200000) : 0;
	uint8_t buf[DHCP_MAX];

	net_dhcp_start(&w.d, mac, "me", (uint32_t)sim_random(), world.now);
	w.d.need_path = sim_chance(30);
	while (w.d.state != DHCP_BOUND) {
		struct flying *f = leases_next();

		leases_turn();
		check_due(&w.d);
		if (world.now > leases.well + BOUND_MS)
			sim_fail("no lease %u ms after all was well", BOUND_MS);
		if (again && world.now >= again) {
			net_dhcp_again(&w.d, world.now);
			again = 0;
		}
		if (f && f->at <= world.now) {
			f->at = 0;
			if (net_dhcp_take(&w.d, f->p, f->len, world.now))
				sim_say(world.now, "state %d", (int)w.d.state);
		} else if (w.d.due <= world.now) {
			if (net_dhcp_send(&w.d, buf, world.now))
				hear_all(buf, 0);
		} else {
			world.now = f && f->at < w.d.due ? f->at : w.d.due;
		}
	}
	check_lease(&w.d);
	w.addr = w.d.lease.addr.ip[3];
	if (world.now > leases.well)
		sim_peak(0, "ms to a lease once all is well",
			 world.now - leases.well);
}

/* ---- from then on: what renewd.c asks for ---- */

int __wrap_net_renew_read(struct net_renewal *r, struct nbd_diag *d);
int __wrap_net_renew_read(struct net_renewal *r, struct nbd_diag *d)
{
	(void)d;
	memset(r, 0, sizeof(*r));
	r->j.ip = &r->ip;
	r->j.dhcp = w.d;
	memcpy(r->j.l.mac, mac, sizeof(mac));
	return 0;
}

int __wrap_net_renew_keep(const struct net_renewal *r, struct nbd_diag *d);
int __wrap_net_renew_keep(const struct net_renewal *r, struct nbd_diag *d)
{
	(void)d;
	w.d = r->j.dhcp;
	if (w.d.state != DHCP_BOUND)
		sim_fail("a lease is kept in state %d", (int)w.d.state);
	check_lease(&w.d);
	if (w.d.lease.addr.ip[3] != w.addr)
		sim_fail("the address in use changed");
	sim_say(world.now, "renewed: T1 %u", w.d.lease.t1);
	leases_expect(w.d.lease.t1 * (uint64_t)1000);
	w.earliest = 0;
	return 0;
}

/*
 * RFC 2131, 4.4.5: if this one fails, half of what is left then until T2, or
 * until the end of the lease, but at least a minute.
 */
static void expect_retry(void)
{
	const struct dhcp_lease *l = &w.d.lease;
	uint64_t failed = world.now + RENEWAL_MS;
	uint64_t t2 = w.d.bound + l->t2 * (uint64_t)1000;
	uint64_t end = w.d.bound + l->seconds * (uint64_t)1000;
	uint64_t goal = failed < t2 ? t2 : end;
	uint64_t half = goal > world.now ? (goal - world.now) / 2 : 0;

	w.earliest = failed + 60000;
	leases_expect(RENEWAL_MS + (half < 60000 ? 60000 : half));
}

int __wrap_packet_udp(const char *interface, unsigned port, bool alone,
		      struct nbd_diag *d);
int __wrap_packet_udp(const char *interface, unsigned port, bool alone,
		      struct nbd_diag *d)
{
	(void)interface, (void)port, (void)alone, (void)d;
	leases_turn();
	sim_say(world.now, "renewal begins");
	if (world.now > leases.expected)
		sim_fail("the renewal is %llu ms late",
			 (unsigned long long)(world.now - leases.expected));
	if (world.now < w.earliest)
		sim_fail("the next renewal follows less than a minute later");
	expect_retry();
	memset(leases.flying, 0, sizeof(leases.flying));
	return SOCKET;
}

ssize_t __wrap_sendto(int fd, const void *p, size_t len, int flags,
		      const struct sockaddr *to, socklen_t to_len);
ssize_t __wrap_sendto(int fd, const void *p, size_t len, int flags,
		      const struct sockaddr *to, socklen_t to_len)
{
	const uint8_t *a = (const uint8_t *)to + 4;

	if (world.now >= w.d.bound + w.d.lease.t2 * (uint64_t)1000 &&
	    a[3] != 255)
		sim_fail("after T2 one server alone is asked");
	(void)fd, (void)flags, (void)to_len;
	hear_all(p, a[3] == 255 ? 0 : a[3]);
	return (ssize_t)len;
}

ssize_t __wrap_recv(int fd, void *p, size_t cap, int flags);
ssize_t __wrap_recv(int fd, void *p, size_t cap, int flags)
{
	struct flying *f = leases_next();
	size_t len;

	(void)fd, (void)flags;
	if (!f || f->at > world.now)
		return -1;
	len = f->len < cap ? f->len : cap;
	memcpy(p, f->p, len);
	f->at = 0;
	return (ssize_t)len;
}

/* The machine is suspended; the lease is renewed at once when it goes on. */
void leases_suspended(bool sleeps)
{
	leases.expected = sleeps ? world.now : UINT64_MAX;
	w.earliest = 0;
}

int __wrap_close(int fd);
int __wrap_close(int fd)
{
	if (fd != SOCKET)
		sim_fail("descriptor %d is closed", fd);
	return 0;
}

void sim_schedule(void)
{
	unsigned i;

	leases_begin();
	w.n_servers = 1 + (unsigned)sim_below(SERVERS);
	for (i = 0; i < w.n_servers; i++)
		make_server(&w.servers[i], (uint8_t)(i + 1));
	for (i = 0; i < w.n_servers; i++) {
		const struct server *s = &w.servers[i];
		uint64_t last = s->until < UINT64_MAX ? s->until : s->from;

		if (last > leases.well)
			leases.well = last;
	}
	select_lease();
	leases_keep(w.d.lease.t1, &w.refusals);
}
