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
#include "tests/sim/sim.h"

#include <poll.h>
#include <string.h>
#include <sys/random.h>

const char sim_claim[] =
	"an address of DHCPv6 is one that was given, is got in "
	"time, and is renewed without end or flood";

#define SERVERS	 3
#define FLYING	 24
#define GIVEN	 64
/* Messages in 10 s: RFC 8415, 14.1, wants a limit. */
#define FLOOD	 20
#define TURNS	 40000
#define NAPS	 3000
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

struct flying {
	uint64_t at; /* ms; 0: free */
	uint8_t p[400];
	size_t len;
};

static struct world {
	uint64_t now, start, well; /* ms; from well on all servers answer */
	struct server servers[SERVERS];
	unsigned n_servers;
	struct flying flying[FLYING];
	/* what was given to this machine, addr and server */
	uint8_t given[GIVEN][2];
	unsigned n_given, refusals, turns, naps;
	uint64_t sent[FLOOD]; /* ms of the latest messages + 1 */
	unsigned n_sent;
	struct lease6 d;
	uint64_t expected; /* ms: a message comes then at the latest */
	uint64_t asleep;   /* ms: the machine was suspended until then */
	uint8_t addr;	   /* of the lease when it was got */
	/* ms: the interface is down until then; the last that was noticed */
	uint64_t down, tried;
	bool open;
} w;

static const uint8_t mac[6] = { 0x52, 0x54, 0, 1, 2, 3 };

/* ---- the servers ---- */

static uint32_t lease_time(void)
{
	static const uint32_t usual[] = { 0,  1,    2,	   5,	   10,
					  60, 3600, 86400, 604800, UINT32_MAX };
	unsigned i = (unsigned)sim_below(12);

	return i < 10 ? usual[i] : (uint32_t)sim_random() >> sim_below(32);
}

static void make_server(struct server *s, uint8_t id)
{
	bool bad = sim_chance(70);

	*s = (struct server){ .id = id,
			      .rapid = sim_chance(50),
			      .preference = (uint8_t)sim_below(256),
			      .preferred = lease_time(),
			      .valid = lease_time(),
			      .t1 = sim_chance(50) ? 0 : lease_time(),
			      .t2 = sim_chance(50) ? 0 : lease_time(),
			      .from = w.start,
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

static void fly(const uint8_t *p, size_t len, uint64_t at)
{
	for (unsigned i = 0; i < FLYING; i++) {
		struct flying *f = &w.flying[i];

		if (f->at)
			continue;
		f->at = at;
		f->len = len;
		memcpy(f->p, p, len);
		return;
	}
}

static bool was_given(uint8_t addr, uint8_t server)
{
	for (unsigned i = 0; i < w.n_given && i < GIVEN; i++)
		if (w.given[i][0] == addr && w.given[i][1] == server)
			return true;
	return false;
}

static void give(uint8_t addr, uint8_t server)
{
	if (was_given(addr, server))
		return;
	w.given[w.n_given % GIVEN][0] = addr;
	w.given[w.n_given++ % GIVEN][1] = server;
}

/* Once the network is well nothing goes wrong. */
static bool mishap(unsigned percent)
{
	return sim_chance(percent) && w.now < w.well;
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
	uint64_t at = w.now + 1 + sim_below(200);

	if (mishap(s->late))
		at += sim_below(20000);
	if (mishap(s->spoilt))
		spoil(p, &len);
	else if (a->addr && !a->expired && !a->ia_status && !a->status)
		give(a->addr, s->id);
	if (a->expired || a->ia_status || a->status || !s->valid)
		w.refusals++;
	sim_say(w.now, "server %u: type %u, address %u, status %u/%u%s%s",
		s->id, a->type, a->addr, a->status, a->ia_status,
		a->rapid ? ", rapid" : "", a->expired ? ", expired" : "");
	fly(p, len, at);
	if (mishap(s->twice))
		fly(p, len, at + sim_below(3000));
}

/* What a server has against it, and mixes up. */
static void refuse(const struct server *s, struct answer *a, unsigned type)
{
	bool renews = type == LEASE6_RENEW || type == LEASE6_REBIND;

	if (renews && mishap(s->forgets)) {
		a->ia_status = LEASE6_NO_BINDING;
		a->addr = 0;
	} else if (mishap(s->refused)) {
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

	if (w.now < s->from || w.now >= s->until || mishap(s->lost) ||
	    (to && to[6] != s->id))
		return;
	if (q[0] == LEASE6_SOLICIT) {
		a.rapid = s->rapid && option(q, n, 14);
		if (!a.rapid)
			a.type = LEASE6_ADVERTISE;
	} else if (mishap(s->mute)) {
		return;
	}
	/* the address that it asks for, if there is one */
	if (ia[3] > 12)
		a.addr = ia[4 + 12 + 4 + 15];
	if (mishap(s->moved))
		a.addr = (uint8_t)(10u * s->id + 1 + sim_below(4));
	refuse(s, &a, q[0]);
	if (q[0] == LEASE6_CONFIRM) {
		a = (struct answer){ .type = LEASE6_REPLY,
				     .status = mishap(10) ? 4 : 0 };
	}
	answer(s, q, n, &a);
}

/* A message of the client. */
static void hear_all(const uint8_t *q, size_t n)
{
	uint64_t *oldest = &w.sent[w.n_sent++ % FLOOD];

	if (*oldest && w.now + 1 - *oldest < 10000)
		sim_fail("more than %u messages in 10 s", FLOOD);
	*oldest = w.now + 1;
	sim_say(w.now, "client: type %u", q[0]);
	for (unsigned i = 0; i < w.n_servers; i++)
		hear(&w.servers[i], q, n);
}

/* The next message to arrive; NULL: none. */
static struct flying *next_flying(void)
{
	struct flying *next = NULL;

	for (unsigned i = 0; i < FLYING; i++)
		if (w.flying[i].at && (!next || w.flying[i].at < next->at))
			next = &w.flying[i];
	return next;
}

static void turn(void)
{
	if (++w.turns > TURNS)
		sim_fail("%u turns: it runs in a circle", TURNS);
}

static void check_lease(const struct lease6 *d)
{
	const struct lease6_values *l = &d->lease;

	if (!was_given(l->addr[15], l->server.p[2]))
		sim_fail("address %u was not given by server %u", l->addr[15],
			 l->server.p[2]);
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

	net_lease6_id(&id, mac);
	net_lease6_start(&w.d, &id, (uint32_t)sim_random(), w.now);
	w.d.need_path = sim_chance(30);
	most = w.well + (w.well - w.start) * 3 / 2 + 90000;
	while (w.d.state != LEASE6_BOUND) {
		struct flying *f = next_flying();

		turn();
		if (w.now > most)
			sim_fail("no address %llu ms after all was well",
				 (unsigned long long)(w.now - w.well));
		if (f && f->at <= w.now) {
			f->at = 0;
			if (net_lease6_take(&w.d, f->p, f->len, w.now))
				sim_say(w.now, "state %d", (int)w.d.state);
		} else if (w.d.due <= w.now) {
			size_t n = net_lease6_send(&w.d, buf, w.now);

			if (n > sizeof(buf))
				sim_fail("a message of %zu bytes", n);
			if (n)
				hear_all(buf, n);
		} else {
			w.now = f && f->at < w.d.due ? f->at : w.d.due;
		}
		/* another machine has it */
		if (w.d.state == LEASE6_BOUND && w.now < w.well &&
		    sim_chance(10)) {
			sim_say(w.now, "declined");
			net_lease6_decline(&w.d, w.now);
		}
	}
	check_lease(&w.d);
	w.addr = w.d.lease.addr[15];
	if (w.now > w.well)
		sim_peak(0, "ms to an address once all is well",
			 w.now - w.well);
}

/* ---- from then on: what renewd.c asks for ---- */

ssize_t __wrap_getrandom(void *p, size_t len, unsigned flags);
ssize_t __wrap_getrandom(void *p, size_t len, unsigned flags)
{
	(void)flags;
	for (size_t i = 0; i < len; i++)
		((uint8_t *)p)[i] = (uint8_t)sim_random();
	return (ssize_t)len;
}

uint64_t __wrap_nbd_now_ns(void);
uint64_t __wrap_nbd_now_ns(void)
{
	return w.now * 1000000;
}

int __wrap_net_renew_read(struct net_renewal *r, struct nbd_diag *d);
int __wrap_net_renew_read(struct net_renewal *r, struct nbd_diag *d)
{
	(void)d;
	memset(r, 0, sizeof(*r));
	r->j.lease6 = w.d;
	memcpy(r->j.l.mac, mac, sizeof(mac));
	return 0;
}

static void expect(uint64_t ms)
{
	w.expected = ms > UINT64_MAX - w.now ? UINT64_MAX : w.now + ms;
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
	if (w.d.lease.addr[15] != w.addr)
		sim_fail("the address in use changed");
	sim_say(w.now, "kept: T1 %u", w.d.lease.t1);
	t1 = w.d.bound + w.d.lease.t1 * UINT64_C(1000);
	/* a machine that was confirmed may be late already */
	expect(t1 > w.now ? t1 - w.now : 0);
	return 0;
}

int __wrap_link_refresh(struct link *l, struct nbd_diag *d);
int __wrap_link_refresh(struct link *l, struct nbd_diag *d)
{
	(void)l, (void)d;
	return 0;
}

int __wrap_udp6_open(int index, const unsigned char ip[16], unsigned port,
		     struct nbd_diag *d);
int __wrap_udp6_open(int index, const unsigned char ip[16], unsigned port,
		     struct nbd_diag *d)
{
	uint64_t t1 = w.d.bound + w.d.lease.t1 * UINT64_C(1000);
	uint64_t left = t1 > w.now ? t1 - w.now : 0;

	(void)index, (void)ip, (void)d;
	turn();
	if (w.open || port != DHCP6_CLIENT)
		sim_fail("port %u is opened", port);
	/* the interface is down for a while */
	if (sim_chance(3))
		w.down = w.now + sim_below(100000);
	if (w.now < w.down) {
		if (w.now == w.tried)
			sim_fail("it tries again at once");
		w.tried = w.now;
		/* the next time that is due, or in a minute */
		if (w.expected < w.now + 60000)
			expect(60000);
		return NBD_E_KERNEL;
	}
	if (w.now > w.expected && w.now > w.asleep)
		sim_fail("the renewal is %llu ms late",
			 (unsigned long long)(w.now - w.expected));
	/* 600 s and a tenth: REB_MAX_RT */
	expect(left > 660000 ? left : 660000 + ASK_MS);
	memset(w.flying, 0, sizeof(w.flying));
	w.open = true;
	return SOCKET;
}

void __wrap_udp6_send(int fd, int index, const unsigned char to[16],
		      unsigned port, const void *p, size_t len);
void __wrap_udp6_send(int fd, int index, const unsigned char to[16],
		      unsigned port, const void *p, size_t len)
{
	const uint8_t *q = p;
	bool after = w.now >= w.d.bound + w.d.lease.t2 * UINT64_C(1000);

	(void)index, (void)to, (void)port;
	if (fd != SOCKET)
		sim_fail("sent over descriptor %d", fd);
	if (after && q[0] == LEASE6_RENEW)
		sim_fail("after T2 one server alone is asked");
	if (q[0] != LEASE6_CONFIRM &&
	    w.now < w.d.bound + w.d.lease.t1 * UINT64_C(1000))
		sim_fail("type %u before T1", q[0]);
	hear_all(p, len);
}

bool __wrap_udp6_recv(int fd, void *p, size_t cap, size_t *len);
bool __wrap_udp6_recv(int fd, void *p, size_t cap, size_t *len)
{
	struct flying *f = next_flying();

	(void)fd;
	if (!f || f->at > w.now || f->len > cap)
		return false;
	memcpy(p, f->p, f->len);
	*len = f->len;
	f->at = 0;
	return true;
}

/* Also the sleep until T1, without a descriptor. */
int __wrap_poll(struct pollfd p[], nfds_t n, int ms);
int __wrap_poll(struct pollfd p[], nfds_t n, int ms)
{
	struct flying *f = n ? next_flying() : NULL;

	(void)p;
	if (n)
		turn();
	if (ms < 0)
		sim_fail("a wait without an end");
	if (w.turns > 300 || ++w.naps > NAPS ||
	    w.now > w.start + (uint64_t)100 * 365 * 86400000)
		sim_end();
	if (f && f->at <= w.now + (unsigned)ms) {
		w.now = f->at > w.now ? f->at : w.now;
		return 1;
	}
	w.now += (unsigned)ms;
	/* the machine was suspended: for longer, on its clock, than asked */
	if (sim_below(n ? 100 : 1000) == 0) {
		w.now += sim_below(86400000);
		w.asleep = w.now + 61000;
		sim_say(w.now, "suspended until now");
	}
	return 0;
}

int __wrap_close(int fd);
int __wrap_close(int fd)
{
	if (fd != SOCKET || !w.open)
		sim_fail("descriptor %d is closed", fd);
	w.open = false;
	return 0;
}

void __wrap_boot_say(const char *fmt, ...);
void __wrap_boot_confine(uint32_t keep);
void __wrap_boot_harden(void);
void __wrap_boot_log_to_kernel(void);
void __wrap_boot_ready_tell(void);

void __wrap_boot_say(const char *fmt, ...)
{
	(void)fmt;
}

void __wrap_boot_confine(uint32_t keep)
{
	(void)keep;
}

void __wrap_boot_harden(void)
{
}

void __wrap_boot_log_to_kernel(void)
{
}

void __wrap_boot_ready_tell(void)
{
}

static void keep_lease(void)
{
	struct net_renewal r;
	struct nbd_diag d;
	int rc;

	w.turns = w.refusals = 0;
	/* another time of trouble, which may end in the middle of it */
	w.well = w.now + sim_below(w.d.lease.t1 * UINT64_C(2000) + 1000000);
	expect(w.d.lease.t1 * UINT64_C(1000));
	rc = net_renewd_run(&r, &d);
	if (rc != NBD_E_NO_DEVICE)
		sim_fail("it ended with %d", rc);
	if (!w.refusals)
		sim_fail("the lease was given up, and nobody refused it");
	sim_say(w.now, "refused");
}

void sim_schedule(void)
{
	static const uint64_t clocks[] = { 0, 4294967295000 - 5000,
					   4294967295 - 5000, 1ull << 50 };
	unsigned i = (unsigned)sim_below(8);

	w.start = w.now = i < 4 ? clocks[i] : sim_below(1000000);
	w.well = w.start + sim_below(600000);
	w.n_servers = 1 + (unsigned)sim_below(SERVERS);
	for (i = 0; i < w.n_servers; i++)
		make_server(&w.servers[i], (uint8_t)(i + 1));
	for (i = 0; i < w.n_servers; i++) {
		const struct server *s = &w.servers[i];
		uint64_t last = s->until < UINT64_MAX ? s->until : s->from;

		if (last > w.well)
			w.well = last;
	}
	select_lease();
	keep_lease();
}
