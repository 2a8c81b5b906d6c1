/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine gets an address by DHCPv6 and then keeps it, from servers that lose,
 * delay, repeat and damage messages, lie, refuse, forget their leases, give
 * leases of a moment or of a lifetime, and are away for a while; and the machine
 * is suspended:
 *
 *	boot/net/lease6.c             until it is BOUND
 *	boot/net/renew6.c renewd.c    from then on, until the schedule ends
 */
#include "boot/net/renew6.h"
#include "port/linux/udp6.h"
#include "tests/sim/leases.h"

#include <poll.h>
#include <string.h>

const char sim_claim[] =
	"an address of DHCPv6 is one that was given, is got in "
	"time, and is renewed without end or flood";

#define SERVERS	 3
/* Messages in 10 s: RFC 8415, 14.1, wants a limit. */
#define FLOOD	 20
#define SOCKET	 1000
#define ASK_MS	 8000
#define ADDRESS6 16

/* How a server treats us, in percent of its answers. */
struct server {
	uint8_t id;
	unsigned lost, late, twice, moved, spoilt, refused, forgets, mute;
	bool rapid, zero;
	uint8_t preference;
	uint32_t preferred, valid, t1, t2;
	uint64_t from, until; /* ms: away before and after */
};

static struct lan {
	struct server servers[SERVERS];
	unsigned n_servers;
	unsigned refusals;
	uint64_t sent[FLOOD]; /* ms of the latest messages + 1 */
	unsigned n_sent;
	struct lease6 d;
	uint64_t asleep; /* ms: the machine was suspended until then */
	bool moved;	 /* a server said so */
	uint8_t addr;	 /* of the lease when it was got */
	/* ms: the interface is down until then; the last that was noticed */
	uint64_t down, tried;
	bool open;
} w;

static const uint8_t mac[6] = { 0x52, 0x54, 0, 1, 2, 3 };

/* ---- the servers ---- */

static void make_server(struct server *s, uint8_t id)
{
	bool bad = sim_chance(70);

	*s = (struct server){ .id = id,
			      .rapid = sim_chance(50),
			      .preference = (uint8_t)sim_below(256),
			      .preferred = leases_time(),
			      .valid = leases_time(),
			      .t1 = sim_chance(50) ? 0 : leases_time(),
			      .t2 = sim_chance(50) ? 0 : leases_time(),
			      .from = leases.start,
			      .until = UINT64_MAX };
	/* the first one is right, so that there is one in the end */
	if (id == 1 || sim_chance(80)) {
		s->valid = s->valid ? s->valid : 1;
		if (s->preferred > s->valid)
			s->preferred = s->valid;
		if (s->t1 > s->t2)
			s->t1 = s->t2;
	}
	/* the lowest and the highest are usual */
	if (sim_chance(70))
		s->preference = sim_chance(50) ? 0 : 255;
	if (!bad)
		return;
	s->lost = (unsigned)sim_below(100);
	s->late = (unsigned)sim_below(50);
	s->twice = (unsigned)sim_below(50);
	s->refused = sim_chance(20) ? 100 : (unsigned)sim_below(60);
	s->forgets = sim_chance(20) ? 100 : (unsigned)sim_below(30);
	s->moved = sim_chance(20) ? (unsigned)sim_below(60) : 0;
	s->spoilt = (unsigned)sim_below(30);
	s->mute = sim_chance(20) ? 100 : 0; /* offers and never gives */
	if (sim_chance(30))
		s->from += sim_below(300000);
	if (id > 1 && sim_chance(30))
		s->until = s->from + sim_below(300000);
}

static uint8_t *put(uint8_t *p, unsigned code, const void *data, size_t len)
{
	p[0] = 0;
	p[1] = (uint8_t)code;
	p[2] = 0;
	p[3] = (uint8_t)len;
	memcpy(p + 4, data, len);
	return p + 4 + len;
}

static void put32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* The option of our message; NULL: it is not there. */
static const uint8_t *option(const uint8_t *p, size_t len, unsigned code)
{
	const uint8_t *end = p + len;

	for (p += 4; p < end; p += 4 + p[3])
		if (p[1] == code)
			return p;
	return NULL;
}

/* Not ours, or damaged: it must change nothing. */
static void spoil(uint8_t *p, size_t *len)
{
	switch (sim_below(5)) {
	case 0: /* the answer to an older question */
		p[1 + sim_below(3)] ^= 1;
		break;
	case 1: /* another machine's */
		p[12 + sim_below(4)] ^= 1;
		break;
	case 2:
		*len = sim_below(*len);
		break;
	case 3: /* another type */
		p[0] = (uint8_t)(sim_chance(50) ? 13 : 1);
		break;
	default: /* a client ID that is twice there */
		memmove(p + 4 + 14, p + 4, *len - 4);
		*len += 14;
	}
}

struct answer {
	unsigned type;
	uint8_t addr; /* 0: none */
	unsigned status, ia_status;
	bool rapid, expired;
};

static size_t write_answer(uint8_t *p, const struct server *s, const uint8_t *q,
			   size_t n, const struct answer *a)
{
	const uint8_t *id = option(q, n, 1), *ia = option(q, n, 3);
	const uint8_t server[3] = { 0, 2, s->id };
	uint8_t value[64] = { 0 }, *o = p + 4, *v = value + 12;
	const uint8_t code[2] = { 0, (uint8_t)a->ia_status };

	p[0] = (uint8_t)a->type;
	memcpy(p + 1, q + 1, 3);
	o = put(o, 1, id + 4, id[3]);
	o = put(o, 2, server, sizeof(server));
	if (s->preference)
		o = put(o, 7, &s->preference, 1);
	if (a->rapid)
		o = put(o, 14, NULL, 0);
	if (a->status)
		o = put(o, 13, (uint8_t[2]){ 0, (uint8_t)a->status }, 2);
	memcpy(value, ia + 4, 4);
	put32(value + 4, s->t1);
	put32(value + 8, s->t2);
	if (a->addr) {
		uint8_t address[24] = { 0x20, 1, 0xd, 0xb8 };

		address[15] = a->addr;
		put32(address + 16, a->expired ? 0 : s->preferred);
		put32(address + 20, a->expired ? 0 : s->valid);
		v = put(v, 5, address, sizeof(address));
	}
	if (a->ia_status)
		v = put(v, 13, code, 2);
	o = put(o, 3, value, (size_t)(v - value));
	return (size_t)(o - p);
}

static void answer(const struct server *s, const uint8_t *q, size_t n,
		   const struct answer *a)
{
	uint8_t p[400] = { 0 };
	size_t len = write_answer(p, s, q, n, a);
	uint64_t at = world.now + 1 + sim_below(200);

	if (leases_mishap(s->late))
		at += sim_below(20000);
	if (leases_mishap(s->spoilt))
		spoil(p, &len);
	else if (a->addr && !a->expired && !a->ia_status && !a->status)
		leases_give(a->addr, s->id);
	if (a->expired || a->ia_status || a->status || !s->valid)
		w.refusals++;
	sim_say(world.now, "server %u: type %u, address %u, status %u/%u%s%s",
		s->id, a->type, a->addr, a->status, a->ia_status,
		a->rapid ? ", rapid" : "", a->expired ? ", expired" : "");
	leases_fly(p, len, at);
	if (leases_mishap(s->twice))
		leases_fly(p, len, at + sim_below(3000));
}

/* What a server has against it, and mixes up. */
static void refuse(const struct server *s, struct answer *a, unsigned type)
{
	bool renews = type == LEASE6_RENEW || type == LEASE6_REBIND;

	if (renews && leases_mishap(s->forgets)) {
		a->ia_status = LEASE6_NO_BINDING;
		a->addr = 0;
	} else if (leases_mishap(s->refused)) {
		unsigned code = 1 + (unsigned)sim_below(7);

		if (sim_chance(50))
			a->status = code;
		else
			a->ia_status = code;
		a->addr = sim_chance(50) ? a->addr : 0;
		a->expired = renews && sim_chance(10);
	}
}

static void hear(const struct server *s, const uint8_t *q, size_t n)
{
	const uint8_t *to = option(q, n, 2), *ia = option(q, n, 3);
	struct answer a = { .type = LEASE6_REPLY,
			    .addr = (uint8_t)(10 * s->id + 1) };

	if (world.now < s->from || world.now >= s->until ||
	    leases_mishap(s->lost) || (to && to[6] != s->id))
		return;
	if (q[0] == LEASE6_SOLICIT) {
		a.rapid = s->rapid && option(q, n, 14);
		if (!a.rapid)
			a.type = LEASE6_ADVERTISE;
	} else if (leases_mishap(s->mute)) {
		return;
	}
	/* the address that it asks for, if there is one */
	if (ia[3] > 12)
		a.addr = ia[4 + 12 + 4 + 15];
	if (leases_mishap(s->moved))
		a.addr = (uint8_t)(10u * s->id + 1 + sim_below(4));
	refuse(s, &a, q[0]);
	if (q[0] == LEASE6_CONFIRM) {
		a = (struct answer){ .type = LEASE6_REPLY,
				     .status = leases_mishap(10) ? 4 : 0 };
		w.moved |= a.status;
	}
	answer(s, q, n, &a);
}

/* A message of the client. */
static void hear_all(const uint8_t *q, size_t n)
{
	uint64_t *oldest = &w.sent[w.n_sent++ % FLOOD];

	if (*oldest && world.now + 1 - *oldest < 10000)
		sim_fail("more than %u messages in 10 s", FLOOD);
	*oldest = world.now + 1;
	sim_say(world.now, "client: type %u", q[0]);
	for (unsigned i = 0; i < w.n_servers; i++)
		hear(&w.servers[i], q, n);
}

static void check_lease(const struct lease6 *d)
{
	const struct lease6_values *l = &d->lease;

	if (!leases_was_given(l->addr.ip[15], l->server.p[2]))
		sim_fail("address %u was not given by server %u",
			 l->addr.ip[15], l->server.p[2]);
	if (!l->t1 || l->t1 > l->t2 || l->t2 > l->valid ||
	    l->preferred > l->valid)
		sim_fail("T1 is %u, T2 is %u, the lifetimes are %u and %u",
			 l->t1, l->t2, l->preferred, l->valid);
	if (l->valid >= 120 && l->t1 < 60)
		sim_fail("T1 is %u", l->t1);
}

/* ---- until there is an address ---- */

static void select_lease(void)
{
	struct lease6_id id;
	uint8_t buf[LEASE6_MAX];
	/* the pause may be as long as all before it, and then 4 messages */
	uint64_t most;

	boot_lease6_id(&id, mac);
	net_lease6_start(&w.d, &id, (uint32_t)sim_random(), world.now);
	w.d.need_path = sim_chance(30);
	most = leases.well + (leases.well - leases.start) * 3 / 2 + 90000;
	while (w.d.state != LEASE6_BOUND) {
		struct flying *f = leases_next();

		leases_turn();
		if (world.now > most)
			sim_fail("no address %llu ms after all was well",
				 (unsigned long long)(world.now - leases.well));
		if (f && f->at <= world.now) {
			f->at = 0;
			if (net_lease6_take(&w.d, f->p, f->len, world.now))
				sim_say(world.now, "state %d", (int)w.d.state);
		} else if (w.d.due <= world.now) {
			size_t n = net_lease6_send(&w.d, buf, world.now);

			if (n > sizeof(buf))
				sim_fail("a message of %zu bytes", n);
			if (n)
				hear_all(buf, n);
		} else {
			world.now = f && f->at < w.d.due ? f->at : w.d.due;
		}
		/* another machine has it */
		if (w.d.state == LEASE6_BOUND && world.now < leases.well &&
		    sim_chance(10)) {
			sim_say(world.now, "declined");
			net_lease6_decline(&w.d, world.now);
		}
	}
	check_lease(&w.d);
	w.addr = w.d.lease.addr.ip[15];
	if (world.now > leases.well)
		sim_peak(0, "ms to an address once all is well",
			 world.now - leases.well);
}

/* ---- from then on: what renewd.c asks for ---- */

int __wrap_net_renew_read(struct net_renewal *r, struct nbd_diag *d);
int __wrap_net_renew_read(struct net_renewal *r, struct nbd_diag *d)
{
	(void)d;
	memset(r, 0, sizeof(*r));
	r->j.lease6 = w.d;
	memcpy(r->j.l.mac, mac, sizeof(mac));
	return 0;
}

int __wrap_net_renew_keep(const struct net_renewal *r, struct nbd_diag *d);
int __wrap_net_renew_keep(const struct net_renewal *r, struct nbd_diag *d)
{
	uint64_t t1;

	(void)d;
	w.d = r->j.lease6;
	if (w.d.state != LEASE6_BOUND)
		sim_fail("a lease is kept in state %d", (int)w.d.state);
	check_lease(&w.d);
	if (w.d.lease.addr.ip[15] != w.addr)
		sim_fail("the address in use changed");
	sim_say(world.now, "kept: T1 %u", w.d.lease.t1);
	t1 = w.d.bound + w.d.lease.t1 * UINT64_C(1000);
	/* a machine that was confirmed may be late already */
	leases_expect(t1 > world.now ? t1 - world.now : 0);
	return 0;
}

int __wrap_udp6_open(int index, const unsigned char ip[16], unsigned port,
		     struct nbd_diag *d);
int __wrap_udp6_open(int index, const unsigned char ip[16], unsigned port,
		     struct nbd_diag *d)
{
	uint64_t t1 = w.d.bound + w.d.lease.t1 * UINT64_C(1000);
	uint64_t left = t1 > world.now ? t1 - world.now : 0;

	(void)index, (void)ip, (void)d;
	leases_turn();
	if (w.open || port != DHCP6_CLIENT)
		sim_fail("port %u is opened", port);
	/* the interface is down for a while */
	if (sim_chance(3))
		w.down = world.now + sim_below(100000);
	if (world.now < w.down) {
		if (world.now == w.tried)
			sim_fail("it tries again at once");
		w.tried = world.now;
		/* the next time that is due, or in a minute */
		if (leases.expected < world.now + 60000)
			leases_expect(60000);
		return NBD_E_KERNEL;
	}
	if (world.now > leases.expected && world.now > w.asleep)
		sim_fail("the renewal is %llu ms late",
			 (unsigned long long)(world.now - leases.expected));
	/* 3600 s and a tenth: SOL_MAX_RT */
	leases_expect(left > 3960000 ? left : 3960000 + ASK_MS);
	memset(leases.flying, 0, sizeof(leases.flying));
	w.open = true;
	return SOCKET;
}

void __wrap_udp6_send(int fd, int index, const unsigned char to[16],
		      unsigned port, const void *p, size_t len);
void __wrap_udp6_send(int fd, int index, const unsigned char to[16],
		      unsigned port, const void *p, size_t len)
{
	const uint8_t *q = p;
	bool after = world.now >= w.d.bound + w.d.lease.t2 * UINT64_C(1000);

	(void)index, (void)to, (void)port;
	if (fd != SOCKET)
		sim_fail("sent over descriptor %d", fd);
	if (after && q[0] == LEASE6_RENEW)
		sim_fail("after T2 one server alone is asked");
	if (q[0] != LEASE6_CONFIRM && !w.moved &&
	    world.now < w.d.bound + w.d.lease.t1 * UINT64_C(1000))
		sim_fail("type %u before T1", q[0]);
	hear_all(p, len);
}

bool __wrap_udp6_recv(int fd, void *p, size_t cap, size_t *len);
bool __wrap_udp6_recv(int fd, void *p, size_t cap, size_t *len)
{
	struct flying *f = leases_next();

	(void)fd;
	if (!f || f->at > world.now || f->len > cap)
		return false;
	memcpy(p, f->p, f->len);
	*len = f->len;
	f->at = 0;
	return true;
}

/* The lease is asked for at once when the machine goes on. */
void leases_suspended(bool sleeps)
{
	w.asleep = sleeps ? 0 : world.now + 61000;
	if (sleeps)
		leases_expect(0);
}

int __wrap_close(int fd);
int __wrap_close(int fd)
{
	if (fd != SOCKET || !w.open)
		sim_fail("descriptor %d is closed", fd);
	w.open = false;
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
