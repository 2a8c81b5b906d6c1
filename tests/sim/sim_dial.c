/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dial() connects to a name with several addresses, of which some refuse, say
 * nothing, or take the connection and then stall, talk without end, or close
 * it: port/dial.c, over sockets, an engine and a clock that are played.
 */
#include "tests/port/conn.h"
#include "tests/sim/sim.h"
#include "tests/world/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

const char sim_claim[] = "a dial ends by its deadlines, at the first address "
			 "that takes it, and leaves no socket behind";

#define CONNS	8
/* Longest wait before dial() looks at its deadlines and at a stop. */
#define LOOK_MS 500
#define TURNS	100000

enum mode { WELL, SLOW, REFUSES, REFUSES_LATE, SILENT, STALLS, DRIPS, CUTS };

static struct network {
	uint64_t stop_at; /* ms; UINT64_MAX: no stop */
	enum mode modes[SOCK_MAX_ADDRS];
	unsigned n_addrs, n_conns, turns;
	struct {
		bool open, connected;
		enum mode mode;
		uint64_t at; /* ms: connected, or the handshake is over */
	} files[SIM_FILES];
	struct conn conns[CONNS];
	int errs[CONNS];
	volatile int stop;
} w;

/* ---- sockets ---- */

int __wrap_close(int fd);
int __wrap_close(int fd)
{
	sim_file_close(fd);
	w.files[fd - SIM_FILE].open = false;
	return 0;
}

int __wrap_sock_resolve(const struct nbd_uri *uri, struct sock_addr addrs[],
			struct nbd_diag *d);
int __wrap_sock_resolve(const struct nbd_uri *uri, struct sock_addr addrs[],
			struct nbd_diag *d)
{
	(void)uri, (void)d;
	memset(addrs, 0, w.n_addrs * sizeof(addrs[0]));
	for (unsigned i = 0; i < w.n_addrs; i++) {
		addrs[i].host.len = 4;
		addrs[i].port = (uint16_t)i;
	}
	return (int)w.n_addrs;
}

int __wrap_sock_connect(struct sock *s, const struct sock_addr *a);
int __wrap_sock_connect(struct sock *s, const struct sock_addr *a)
{
	enum mode mode = w.modes[a->port];
	int i;

	sim_say(world.now, "connect to %u", a->port);
	if (mode == REFUSES)
		return NBD_E_REFUSED;
	s->fd = sim_file_open();
	i = s->fd - SIM_FILE;
	w.files[i].open = true;
	w.files[i].connected = false;
	w.files[i].mode = mode;
	w.files[i].at = mode == SILENT ? UINT64_MAX
				       : world.now + sim_below(dial_connect_ms);
	s->t.close = conn_vclose;
	return NBD_E_AGAIN;
}

int __wrap_sock_connected(struct sock *s);
int __wrap_sock_connected(struct sock *s)
{
	unsigned i = (unsigned)(s->fd - SIM_FILE);
	enum mode mode = w.files[i].mode;

	if (mode == REFUSES_LATE)
		return NBD_E_REFUSED;
	w.files[i].connected = true;
	w.files[i].at = mode == STALLS ? UINT64_MAX
			: mode == SLOW ? world.now + sim_below(25000)
				       : world.now + sim_below(100);
	return 0;
}

/* ---- the engine ---- */

int __wrap_nbd_pump(struct nbd_client *c, struct nbd_transport *t);
int __wrap_nbd_pump(struct nbd_client *c, struct nbd_transport *t)
{
	unsigned n = 0, i;

	(void)t;
	while (c != &w.conns[n].c)
		n++;
	i = (unsigned)(w.conns[n].s.fd - SIM_FILE);
	if (!w.files[i].open)
		sim_fail("a socket is used that is closed");
	if (world.now < w.files[i].at)
		return NBD_E_AGAIN;
	if (w.files[i].mode == DRIPS) {
		/* it takes time to read, and there is always more */
		world.now += 1 + sim_below(20);
		return (int)sim_below(2) ? 1 : NBD_E_AGAIN;
	}
	if (w.files[i].mode == CUTS)
		w.errs[n] = NBD_E_CUT;
	return 0;
}

int __wrap_nbd_error(const struct nbd_client *c);
int __wrap_nbd_error(const struct nbd_client *c)
{
	unsigned n = 0;

	while (c != &w.conns[n].c)
		n++;
	return w.errs[n];
}

void __wrap_nbd_transport_error(struct nbd_client *c, int err);
void __wrap_nbd_transport_error(struct nbd_client *c, int err)
{
	unsigned n = 0;

	while (c != &w.conns[n].c)
		n++;
	w.errs[n] = err;
}

unsigned __wrap_nbd_state(const struct nbd_client *c);
unsigned __wrap_nbd_state(const struct nbd_client *c)
{
	(void)c;
	return NBD_RECV;
}

const struct nbd_export *__wrap_nbd_export(const struct nbd_client *c);
const struct nbd_export *__wrap_nbd_export(const struct nbd_client *c)
{
	static const struct nbd_export e = { .size = 4096,
					     .flags = NBD_FLAG_CAN_MULTI_CONN };

	(void)c;
	return &e;
}

/* ---- waits and the clock ---- */

static int played_wait(struct pollfd p[], nfds_t n, int ms)
{
	uint64_t until = world.now + (unsigned)ms;
	int ready = 0;

	if (ms < 0 || ms > LOOK_MS)
		sim_fail("a wait of %d ms", ms);
	if (++w.turns > TURNS)
		sim_fail("%d waits: it runs in a circle", TURNS);
	for (nfds_t i = 0; i < n; i++)
		if (p[i].fd >= SIM_FILE &&
		    w.files[p[i].fd - SIM_FILE].at < until)
			until = w.files[p[i].fd - SIM_FILE].at;
	world.now = until > world.now ? until : world.now;
	w.stop = world.now >= w.stop_at;
	if (sim_chance(5)) {
		errno = EINTR;
		return -1;
	}
	for (nfds_t i = 0; i < n; i++) {
		bool on = p[i].fd >= SIM_FILE &&
			  w.files[p[i].fd - SIM_FILE].at <= world.now;

		p[i].revents = on ? p[i].events : 0;
		ready += on;
	}
	return ready;
}

/* ---- a schedule ---- */

/* What it is to come to: the first address that takes a connection decides. */
static int expected(void)
{
	for (unsigned i = 0; i < w.n_addrs; i++)
		switch (w.modes[i]) {
		case WELL:
		case SLOW:
			return 0;
		case STALLS:
		case DRIPS:
			return NBD_E_TIMEOUT;
		case CUTS:
			return NBD_E_CUT;
		default:
			break;
		}
	return w.modes[0] == SILENT ? NBD_E_TIMEOUT : NBD_E_REFUSED;
}

/* The first connection goes alone, the others go side by side. */
static uint64_t limit(void)
{
	uint64_t each = w.n_addrs * (uint64_t)dial_connect_ms +
			DIAL_HANDSHAKE_MS + LOOK_MS;

	return (w.n_conns > 1 ? 2 : 1) * each;
}

void sim_schedule(void)
{
	static const struct nbd_uri uri = { .host = "server" };
	static const struct nbd_config cfg = { .name = "" };
	struct nbd_diag d = { "" };
	uint64_t began = world.now = sim_below(1000000), took;
	int rc;

	world.wait = played_wait;
	w.n_addrs = 1 + (unsigned)sim_below(SOCK_MAX_ADDRS);
	w.n_conns = 1 + (unsigned)sim_below(CONNS);
	for (unsigned i = 0; i < w.n_addrs; i++)
		w.modes[i] = (enum mode)sim_below(CUTS + 1);
	w.stop_at = sim_chance(20) ? world.now + sim_below(60000) : UINT64_MAX;
	w.conns[0].stop = &w.stop;
	w.conns[0].net = &sock_stack;
	rc = dial(w.conns, w.n_conns, &uri, &cfg, NULL, &d);
	took = world.now - began;
	sim_say(world.now, "%u connections: %d, %s", w.n_conns, rc, d.text);
	if (rc == NBD_E_INTERRUPTED ? !w.stop : rc != expected())
		sim_fail("it came to %d (%s), not to %d", rc, d.text,
			 expected());
	if (took > limit() ||
	    (w.stop_at < UINT64_MAX && world.now > w.stop_at + 2 * LOOK_MS))
		sim_fail("it took %llu ms", (unsigned long long)took);
	if (sim_files_open() != (rc ? 0 : w.n_conns))
		sim_fail("%u sockets are open", sim_files_open());
	if (rc && !d.text[0] && rc != NBD_E_INTERRUPTED)
		sim_fail("it says nothing about %d", rc);
	sim_peak(0, "ms for a dial", took);
}
