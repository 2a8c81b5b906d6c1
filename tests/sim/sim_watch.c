/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A watcher keeps a device alive: boot/watch/worker.c, boot/device/device.c and
 * dialer.c, over a driver, servers and a clock that are played.
 *
 *	LIVE --peer closes--> CLOSED --driver reads--> DEAD --RECONFIGURE--> LIVE
 *	  '-----report-----> REPORTED -driver shuts it-^
 *
 * A read that is late costs its connection, by the driver.  One whose answer
 * stops in the middle is stuck, and the watcher has to end its connection, or to
 * send another read over it.
 *
 * A CLOSED socket is seen to be dead before the driver reports it; a REPORTED
 * one still looks alive.  Reports get lost, sock_diag fails now and then or is
 * not there, servers are away, silent, slow, drop what they accept, or stop in
 * the middle of their answers.
 */
#include "boot/watch/ask.h"
#include "boot/watch/watch.h"
#include "port/linux/nbdk_watch.h"
#include "port/dial.h"
#include "port/posix/sock.h"
#include "tests/boot/watch/wraps.h"
#include "tests/sim/sim.h"
#include "tests/world/clock.h"
#include "tests/world/harden.h"
#include "tests/world/ready.h"
#include "tests/world/nbdk.h"
#include "tests/world/sockdiag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

const char sim_claim[] = "dead connections are replaced and stuck ones ended "
			 "in time, without flood, endless wait or leak";

#define INDEX	 7
#define SLOTS	 8
#define SERVERS	 3
#define EVENTS	 96
#define HEARERS	 4
#define SIZE	 (1u << 20)
/* Tries in a second: 0, 100, 300, 700 ms, and one in hand. */
#define FLOOD	 6
/* Waits that move nothing, or in all. */
#define TURNS	 20000
#define SPINS	 100
/* ms for a new connection, when the server is well. */
#define DIAL_MS	 200
/* ms: of a request, how late the driver is, and until a read is given up. */
#define IO_MS	 30000
#define LATE_MS	 5000
#define STUCK_MS (2 * IO_MS)
#define LOOK_MS	 (STUCK_MS / 4)
/* ms, of a server that stalled; and until a connection has lived. */
#define AVOID_MS 300000
#define LIFE_MS	 5000
/* Waits at rest, in which no connection is ended, until all is over. */
#define RESTS	 8

enum slot_state { LIVE, CLOSED, REPORTED, DEAD };
enum mode { WELL, REFUSES, SILENT, SLOW, DROPS, STALLS, MODES };
/* A read: answered, answered slowly, not answered, or in part. */
enum read { DONE, CRAWLS, LATE, STUCK, READS };

/* KILL is for any connection of a slot, CLOSE for this one. */
enum kind { MODE, KILL, CLOSE, REPORT, SHUT, STICK, READ, NOISE, SUSPEND };

struct event {
	uint64_t at; /* ms; 0: free */
	enum kind kind;
	unsigned which; /* server or slot */
	enum mode mode;
	unsigned life; /* of the slot, if one connection of it is meant */
};

static struct scene {
	uint64_t now, slept; /* ms; the clock shows their sum */
	uint64_t woke[2];    /* ms: the latest two suspends; 0: none yet */
	uint64_t trouble;    /* ms: the latest */
	uint64_t died;	     /* ms: the latest connection that was ended */
	unsigned n_servers, n_slots;
	enum mode modes[SERVERS];
	bool stalled[SERVERS];
	bool trusty;		 /* they did nothing else */
	uint64_t made;		 /* on the clock: a connection, the latest */
	uint64_t ended[SERVERS]; /* on the clock: a connection, by the watcher */
	struct {
		enum slot_state state;
		unsigned server, life; /* how often it was replaced */
		bool ended;	       /* by the watcher */
		enum read read;
		uint64_t since, until; /* ms, of the read */
	} slots[SLOTS];
	struct event events[EVENTS];
	unsigned server_of[SIM_FILES];
	struct {
		int fd; /* 0: free */
		unsigned reports;
		bool lost;
	} hearers[HEARERS];
	int uevents, worker; /* the sockets of the watcher itself */
	bool noise, blind, fails, gone;
	bool looks;  /* the driver has a time-out, so the watcher does */
	bool others; /* other reads are answered meanwhile */
	uint64_t reads;
	unsigned brief;	       /* reads that are answered soon */
	uint64_t tries[FLOOD]; /* ms + 1 */
	unsigned n_tries, dials, turns, spins, at_rest, rests, n_ended;
	char backend[256];
} w;

/* ---- descriptors ---- */

static int file_new(unsigned server)
{
	int fd = sim_file_open();

	w.server_of[fd - SIM_FILE] = server;
	return fd;
}

int __wrap_close(int fd);
int __wrap_close(int fd)
{
	sim_file_close(fd);
	return 0;
}

int __wrap_socket(int family, int type, int protocol);
int __wrap_socket(int family, int type, int protocol)
{
	(void)family, (void)type, (void)protocol;
	return file_new(0);
}

int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	(void)path, (void)flags;
	return file_new(0);
}

/* There is the lock alone; each try takes it once. */
int __wrap_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...)
{
	uint64_t *oldest = &w.tries[w.n_tries % FLOOD];

	(void)dir, (void)flags;
	if (!strstr(path, ".lock")) {
		errno = ENOENT;
		return -1;
	}
	sim_say(w.now, "a try");
	/* the server of a connection that may have died soon is asked last */
	if (w.made && w.now + w.slept - w.made <= LIFE_MS)
		w.trusty = false;
	w.n_tries++;
	w.dials = 0;
	if (*oldest && w.now + 1 - *oldest < 1000)
		sim_fail("%u tries within a second", FLOOD);
	*oldest = w.now + 1;
	return file_new(0);
}

int __wrap_flock(int fd, int how);
int __wrap_flock(int fd, int how)
{
	(void)fd, (void)how;
	return 0;
}

int __wrap_mkdir(const char *path, unsigned mode);
int __wrap_mkdir(const char *path, unsigned mode)
{
	(void)path, (void)mode;
	return 0;
}

/* ---- events ---- */

static void later(unsigned ms, unsigned kind, unsigned which, enum mode mode)
{
	for (unsigned i = 0; i < EVENTS; i++) {
		struct event *e = &w.events[i];

		if (e->at)
			continue;
		*e = (struct event){ .at = w.now + ms,
				     .kind = kind,
				     .which = which,
				     .mode = mode };
		e->life = kind >= CLOSE && kind <= STICK ? w.slots[which].life
							 : 0;
		return;
	}
	sim_fail("the simulation has no room for an event");
}

static void report(unsigned slot)
{
	/* without sock_diag a report is all that there is */
	bool lost = !w.blind && sim_chance(10);

	for (unsigned i = 0; i < HEARERS; i++) {
		w.hearers[i].reports += !lost;
		w.hearers[i].lost |= lost;
	}
	if (w.slots[slot].state == CLOSED)
		w.slots[slot].state = DEAD;
}

static void kill_slot(unsigned i)
{
	if (w.slots[i].state != LIVE)
		return;
	w.trusty = false;
	if (w.blind || sim_chance(50)) {
		w.slots[i].state = CLOSED;
		later(w.blind ? 0 : (unsigned)sim_below(1000), REPORT, i, 0);
	} else {
		w.slots[i].state = REPORTED;
		report(i);
		later(1 + (unsigned)sim_below(2400), SHUT, i, 0);
	}
}

static void begin_read(unsigned slot, enum read read)
{
	static const char *const names[] = { "is done", "crawls", "is late",
					     "is stuck" };
	uint64_t ms = read == CRAWLS ? sim_below(200000) : UINT32_MAX;

	if (w.slots[slot].state != LIVE || w.slots[slot].read != DONE)
		return;
	sim_say(w.now, "a read of connection %u %s", slot, names[read]);
	w.slots[slot].read = read;
	w.slots[slot].since = w.now;
	w.slots[slot].until = w.now + ms;
	if (read == LATE)
		later(IO_MS + (unsigned)sim_below(LATE_MS), CLOSE, slot, 0);
}

static bool waits(unsigned slot)
{
	if (w.slots[slot].read != DONE && w.now >= w.slots[slot].until) {
		w.slots[slot].read = DONE;
		w.reads++;
		/* the watcher sees that reads are answered */
		w.trouble = w.now;
	}
	return w.slots[slot].read != DONE;
}

/* Its connections go on where they stopped, or never again. */
static void go_on(unsigned server)
{
	for (unsigned i = 0; i < w.n_slots; i++)
		if (w.slots[i].server == server && w.slots[i].read == STUCK &&
		    sim_chance(50))
			w.slots[i].until = w.now;
}

static void set_mode(unsigned server, enum mode mode)
{
	static const char *const names[] = { "well", "refuses", "silent",
					     "slow", "drops",	"stalls" };

	sim_say(w.now, "server %u: %s", server, names[mode]);
	w.modes[server] = mode;
	w.trusty &= mode == WELL || mode == STALLS;
	w.stalled[server] |= mode == STALLS;
	if (mode == WELL)
		go_on(server);
	for (unsigned i = 0; i < w.n_slots && mode != WELL; i++)
		if (w.slots[i].server == server && w.slots[i].state == LIVE)
			later((unsigned)sim_below(3000),
			      mode == STALLS ? STICK : CLOSE, i, 0);
}

static void happen(const struct event *e)
{
	static const char *const names[] = { "mode",   "kill",	"close",
					     "report", "shut",	"stick",
					     "read",   "noise", "suspend" };
	bool stale = e->kind >= CLOSE && e->kind <= STICK &&
		     w.slots[e->which].life != e->life;

	if (stale)
		return;
	sim_say(w.now, "%s %u", names[e->kind], e->which);
	/* but not what is for the watcher to put right, or what it did */
	if (e->kind != STICK && (e->kind != REPORT || !w.slots[e->which].ended))
		w.trouble = w.now;
	switch (e->kind) {
	case STICK:
		begin_read(e->which, STUCK);
		break;
	case READ:
		begin_read(e->which, (enum read)(1 + sim_below(READS - 1)));
		break;
	case MODE:
		set_mode(e->which, e->mode);
		break;
	case KILL:
	case CLOSE:
		kill_slot(e->which);
		break;
	case REPORT:
		report(e->which);
		break;
	case SHUT:
		w.slots[e->which].state = DEAD;
		break;
	case NOISE:
		w.noise = true;
		break;
	case SUSPEND:
		/* the driver has long shut it by then */
		for (unsigned i = 0; i < w.n_slots; i++)
			if (w.slots[i].state == REPORTED)
				w.slots[i].state = DEAD;
		w.slept += sim_below(86400000);
		w.woke[1] = w.woke[0];
		w.woke[0] = w.now;
		break;
	}
}

static struct event *next_event(void)
{
	struct event *next = NULL;

	for (unsigned i = 0; i < EVENTS; i++)
		if (w.events[i].at && (!next || w.events[i].at < next->at))
			next = &w.events[i];
	return next;
}

/* To the next event that comes until then; false: there is none. */
static bool step(uint64_t until)
{
	struct event *next = next_event(), e;

	if (!next || next->at > until)
		return false;
	e = *next;
	next->at = 0;
	w.now = e.at > w.now ? e.at : w.now;
	happen(&e);
	return true;
}

static void pass(unsigned ms)
{
	uint64_t until = w.now + ms;

	while (step(until))
		;
	w.now = until;
}

/* ---- what holds ---- */

static unsigned dial_cost(enum mode mode)
{
	switch (mode) {
	case SILENT:
		return dial_connect_ms;
	case SLOW:
		return DIAL_HANDSHAKE_MS;
	default:
		return DIAL_MS;
	}
}

/* ms until all are live: what is under way, a pause, and each by a dial. */
static uint64_t patience(void)
{
	uint64_t each = 0;

	for (unsigned i = 0; i < w.n_servers; i++)
		each += dial_cost(w.modes[i]);
	return 5000 + w.n_slots * each;
}

/* Has one to connect to, that answers? */
static bool is_served(void)
{
	for (unsigned i = 0; i < w.n_servers; i++)
		if (w.modes[i] == WELL)
			return true;
	return false;
}

/* For some minutes others are asked before a server that stalled. */
static void check_choice(unsigned server)
{
	bool other = false;

	for (unsigned i = 0; i < w.n_servers; i++)
		other |= i != server && !w.stalled[i];
	if (other && w.trusty && w.ended[server] &&
	    w.now + w.slept - w.ended[server] < AVOID_MS)
		sim_fail("server %u has stalled and is asked before one that "
			 "never did",
			 server);
}

/*
 * A connection on which a read is stuck is ended in time, unless something else
 * happens.
 */
static void check_stuck(void)
{
	/* beside others the driver does it, when it was made to look */
	uint64_t each = STUCK_MS + 2 * LOOK_MS + patience() +
			(uint64_t)w.n_servers * DIAL_HANDSHAKE_MS +
			(w.others ? IO_MS + LATE_MS : 0);

	if (!w.looks || w.blind)
		return;
	for (unsigned i = 0; i < w.n_slots; i++) {
		uint64_t since = w.slots[i].since;

		if (w.slots[i].state != LIVE || w.slots[i].read != STUCK)
			continue;
		since = since > w.trouble ? since : w.trouble;
		if (w.now > since + each)
			sim_fail("a read of connection %u is stuck since long",
				 i);
	}
}

static void check_revived(void)
{
	/* a dial to servers that were silent may be under way */
	uint64_t since = (w.died > w.trouble ? w.died : w.trouble) +
			 (uint64_t)w.n_servers * DIAL_HANDSHAKE_MS;

	for (unsigned i = 0; i < w.n_servers; i++)
		if (w.modes[i] == DROPS)
			return;
	if (!is_served() || w.now < since + patience())
		return;
	for (unsigned i = 0; i < w.n_slots; i++)
		if (w.slots[i].state != LIVE)
			sim_fail("connection %u is dead since long", i);
}

static void check_files(void)
{
	if (!w.at_rest)
		w.at_rest = sim_files_open();
	if (sim_files_open() > w.at_rest)
		sim_fail("%u descriptors are open at rest, %u were",
			 sim_files_open(), w.at_rest);
}

/* Nothing wakes a wait without an end but a report that is still to come. */
static void check_rest(void)
{
	for (unsigned i = 0; i < w.n_slots; i++)
		if (w.slots[i].state >= REPORTED)
			sim_fail("a wait without an end, and connection %u is "
				 "dead",
				 i);
	check_files();
}

/* Nothing more will happen: the device is disconnected. */
static bool is_over(int ms)
{
	if (ms < 0 || next_event())
		return ms < 0;
	for (unsigned i = 0; i < w.n_slots; i++)
		if (w.slots[i].state != LIVE || waits(i))
			return false;
	/* a wait for the next look alone */
	if (ms < LOOK_MS / 2)
		return false;
	check_files();
	return ++w.rests > RESTS;
}

/* ---- waits and the clock ---- */

static int is_ready(struct pollfd p[], nfds_t n)
{
	int ready = 0;

	for (nfds_t i = 0; i < n; i++) {
		p[i].revents = 0;
		for (unsigned k = 0; k < HEARERS; k++)
			if (w.hearers[k].fd && w.hearers[k].fd == p[i].fd &&
			    (w.hearers[k].reports || w.hearers[k].lost))
				p[i].revents = POLLIN;
		if (p[i].fd == w.uevents && w.noise)
			p[i].revents = POLLIN;
		ready += p[i].revents != 0;
	}
	return ready;
}

/* nbd_now_ns() counts what a sleep of the machine took, too. */
static void look(void)
{
	world.now = w.now + w.slept;
	world.ns = sim_below(1000000);
}

static int played_wait(struct pollfd p[], nfds_t n, int ms)
{
	uint64_t began = w.now, until = w.now + (unsigned)ms;
	int ready;

	if (++w.turns > TURNS)
		sim_fail("%d waits: it runs in a circle", TURNS);
	check_revived();
	check_stuck();
	sim_say(w.now, "wait %d", ms);
	while (!(ready = is_ready(p, n))) {
		if (ms < 0)
			check_rest();
		if (step(ms < 0 ? UINT64_MAX : until))
			continue;
		w.gone = is_over(ms);
		w.now = ms < 0 ? w.now : until;
		break;
	}
	w.spins = w.now > began ? 0 : w.spins + 1;
	if (w.spins > SPINS)
		sim_fail("%d waits that ended at once", SPINS);
	return ready;
}

/* ---- the driver ---- */

static void info(int index, struct nbdk_info *info)
{
	(void)index;
	info->connected = !w.gone;
	info->size = SIZE;
	info->block_size = 4096;
	info->io_timeout = w.looks ? IO_MS : 0;
	strcpy(info->backend, w.backend);
}

uint16_t __wrap_nbdk_flags(int index);
uint16_t __wrap_nbdk_flags(int index)
{
	(void)index;
	return 0;
}

uint64_t __wrap_nbdk_answered(int index, unsigned *waiting);
uint64_t __wrap_nbdk_answered(int index, unsigned *waiting)
{
	(void)index;
	*waiting = (unsigned)sim_below(2);
	return sim_below(4);
}

uint64_t __wrap_nbdk_reads(int index, unsigned *waiting);
uint64_t __wrap_nbdk_reads(int index, unsigned *waiting)
{
	(void)index;
	*waiting = 0;
	for (unsigned i = 0; i < w.n_slots; i++)
		*waiting += waits(i);
	/* others are answered until the next look */
	w.reads += w.brief;
	w.brief = !*waiting || w.others ? (unsigned)sim_below(3) : 0;
	*waiting += w.brief;
	return w.reads;
}

/* The driver gives a connection up when another read on it is late, too. */
void __wrap_watch_ask(struct watch_ask *a, int index);
void __wrap_watch_ask(struct watch_ask *a, int index)
{
	(void)a, (void)index;
	sim_say(w.now, "each connection gets a read");
	for (unsigned i = 0; i < w.n_slots; i++)
		if (w.slots[i].state == LIVE && w.slots[i].read == STUCK)
			later(IO_MS + (unsigned)sim_below(LATE_MS), CLOSE, i,
			      0);
}

/* What was late may be late again. */
static void read_again(unsigned slot)
{
	bool late = w.slots[slot].read == LATE && sim_chance(50);

	w.reads += w.slots[slot].read != DONE && !late;
	w.slots[slot].read = DONE;
	if (late)
		begin_read(slot, LATE);
}

static void attach(unsigned slot, unsigned server)
{
	w.slots[slot].state = LIVE;
	w.slots[slot].server = server;
	w.slots[slot].life++;
	w.slots[slot].ended = false;
	w.made = w.now + w.slept;
	sim_say(w.now, "connection %u lives, to server %u", slot, server);
	read_again(slot);
	if (w.modes[server] == STALLS)
		later((unsigned)sim_below(3000), STICK, slot, 0);
	else if (w.modes[server] != WELL)
		later((unsigned)sim_below(50), CLOSE, slot, 0);
}

int __wrap_nbdk_reconfigure(const struct nbdk_conf *c, struct nbd_diag *d);
int __wrap_nbdk_reconfigure(const struct nbdk_conf *c, struct nbd_diag *d)
{
	if (sim_chance(1)) {
		w.trouble = w.now;
		return nbd_diag(d, NBD_E_KERNEL, "the driver is out of memory");
	}
	for (unsigned k = 0; k < c->n_fds; k++) {
		unsigned i = 0;

		while (i < w.n_slots && w.slots[i].state != DEAD)
			i++;
		if (i < w.n_slots)
			attach(i, w.server_of[c->fds[k] - SIM_FILE]);
		else
			sim_say(w.now, "no dead connection to replace");
	}
	return 0;
}

int __wrap_nbdk_watch_open(struct nbdk_watch *watch, struct nbd_diag *d);
int __wrap_nbdk_watch_open(struct nbdk_watch *watch, struct nbd_diag *d)
{
	unsigned i = 0;

	while (i < HEARERS && w.hearers[i].fd)
		i++;
	if (i == HEARERS)
		sim_fail("more than %d listen to the driver", HEARERS);
	memset(&w.hearers[i], 0, sizeof(w.hearers[i]));
	w.hearers[i].fd = watch->nl.fd = file_new(0);
	(void)d;
	return 0;
}

void __wrap_nbdk_watch_close(struct nbdk_watch *watch);
void __wrap_nbdk_watch_close(struct nbdk_watch *watch)
{
	for (unsigned i = 0; i < HEARERS; i++)
		if (w.hearers[i].fd == watch->nl.fd)
			w.hearers[i].fd = 0;
	__wrap_close(watch->nl.fd);
}

int __wrap_nbdk_watch_read(struct nbdk_watch *watch,
			   void (*fn)(void *ctx, int index), void *ctx);
int __wrap_nbdk_watch_read(struct nbdk_watch *watch,
			   void (*fn)(void *ctx, int index), void *ctx)
{
	for (unsigned i = 0; i < HEARERS; i++) {
		bool lost = w.hearers[i].lost;

		if (w.hearers[i].fd != watch->nl.fd)
			continue;
		for (; w.hearers[i].reports; w.hearers[i].reports--)
			fn(ctx, INDEX);
		if (sim_chance(1))
			fn(ctx, INDEX + 1);
		w.hearers[i].lost = false;
		return lost ? NBD_E_NO_MEMORY : 0;
	}
	sim_fail("a socket of the driver is read that is closed");
}

/* ---- sockets ---- */

int __wrap_nl_open(struct nl_sock *s, int protocol, unsigned groups,
		   struct nbd_diag *d);
int __wrap_nl_open(struct nl_sock *s, int protocol, unsigned groups,
		   struct nbd_diag *d)
{
	(void)protocol, (void)groups, (void)d;
	s->fd = file_new(0);
	return 0;
}

int __wrap_sockdiag_each(struct nl_sock *s, int index, unsigned kinds,
			 void (*fn)(void *ctx, const struct sockdiag_link *l),
			 void *ctx, struct nbd_diag *d);
int __wrap_sockdiag_each(struct nl_sock *s, int index, unsigned kinds,
			 void (*fn)(void *ctx, const struct sockdiag_link *l),
			 void *ctx, struct nbd_diag *d)
{
	(void)s, (void)index, (void)kinds;
	if (w.blind)
		return nbd_diag(d, NBD_E_NOT_FOUND, "no sock_diag");
	if (w.fails && sim_chance(3)) {
		w.trouble = w.now;
		return nbd_diag(d, NBD_E_NO_MEMORY, "no memory");
	}
	for (unsigned i = 0; i < w.n_slots; i++) {
		struct sockdiag_link l = { .family = AF_INET,
					   .peer_port = 10809,
					   .peer = { .len = 4,
						     .ip = { 192, 0, 2 } } };

		l.live = w.slots[i].state == LIVE ||
			 w.slots[i].state == REPORTED;
		l.peer.ip[3] = (unsigned char)w.slots[i].server;
		l.local_port = (uint16_t)(w.slots[i].life * SLOTS + i);
		/* 200 bytes a second */
		if (w.slots[i].read == CRAWLS)
			l.received = (w.now - w.slots[i].since) / 5;
		if (l.live || sim_chance(50))
			fn(ctx, &l);
	}
	return 0;
}

/*
 * No connection is ended before the driver would have given up some read, nor
 * one on which data arrive.  A suspend takes one look, so several of them, one
 * soon after the other, may end one that they have most likely killed anyway.
 */
int __wrap_sockdiag_destroy(struct nl_sock *s, const struct sockdiag_link *l,
			    struct nbd_diag *d);
int __wrap_sockdiag_destroy(struct nl_sock *s, const struct sockdiag_link *l,
			    struct nbd_diag *d)
{
	unsigned slot = l->local_port % SLOTS;
	bool restless = w.woke[1] && w.now - w.woke[1] < STUCK_MS;
	bool stuck = restless;

	(void)s, (void)d;
	for (unsigned i = 0; i < w.n_slots; i++)
		stuck |= waits(i) &&
			 w.now - w.slots[i].since >= STUCK_MS - LOOK_MS;
	if (!stuck)
		sim_fail("connection %u is ended, and no read is stuck", slot);
	/* its bytes are counted from the second look on */
	if (!restless && w.slots[slot].read == CRAWLS &&
	    w.now - w.slots[slot].since >= STUCK_MS - LOOK_MS)
		sim_fail("connection %u is ended, and data arrive", slot);
	sim_say(w.now, "connection %u is ended", slot);
	w.n_ended++;
	w.ended[w.slots[slot].server] = w.now + w.slept;
	w.stalled[w.slots[slot].server] = true;
	w.died = w.now;
	w.slots[slot].ended = true;
	w.slots[slot].state = CLOSED;
	later((unsigned)sim_below(100), REPORT, slot, 0);
	return 0;
}

static unsigned server_of(const struct nbd_uri *uri)
{
	return (unsigned)uri->host[strlen(uri->host) - 1] - '0';
}

int __wrap_sock_resolve(const struct nbd_uri *uri, struct sock_addr addrs[],
			struct nbd_diag *d);
int __wrap_sock_resolve(const struct nbd_uri *uri, struct sock_addr addrs[],
			struct nbd_diag *d)
{
	(void)d;
	memset(&addrs[0], 0, sizeof(addrs[0]));
	addrs[0].host.len = 4;
	addrs[0].port = 10809;
	memcpy(addrs[0].host.ip, "\xc0\x00\x02", 3);
	addrs[0].host.ip[3] = (unsigned char)server_of(uri);
	return 1;
}

int __wrap_dial(struct conn conns[], unsigned n, const struct nbd_uri *uri,
		const struct nbd_config *cfg, struct nbd_tls *tls,
		struct nbd_diag *d);
int __wrap_dial(struct conn conns[], unsigned n, const struct nbd_uri *uri,
		const struct nbd_config *cfg, struct nbd_tls *tls,
		struct nbd_diag *d)
{
	unsigned server = server_of(uri);
	enum mode mode = w.modes[server];

	(void)n, (void)cfg, (void)tls;
	if (dial_connect_ms != 3000)
		sim_fail("an address may take %u ms", dial_connect_ms);
	/* slots that were filled may be empty again, a few times */
	if (++w.dials > w.n_servers * (6 * w.n_slots + 4))
		sim_fail("%u dials in one try", w.dials);
	check_revived();
	check_choice(server);
	sim_say(w.now, "dial server %u", server);
	pass(mode != SILENT && mode != SLOW ? 1 + (unsigned)sim_below(DIAL_MS)
					    : dial_cost(mode));
	if (mode != w.modes[server] ||
	    (mode != WELL && mode != DROPS && mode != STALLS))
		return nbd_diag(d, NBD_E_REFUSED, "server %u is away", server);
	conns[0].s.fd = file_new(server);
	return 0;
}

void __wrap_dial_hangup(struct conn conns[], unsigned n);
void __wrap_dial_hangup(struct conn conns[], unsigned n)
{
	(void)n;
	__wrap_close(conns[0].s.fd);
}

const struct nbd_export *__wrap_nbd_export(const struct nbd_client *c);
const struct nbd_export *__wrap_nbd_export(const struct nbd_client *c)
{
	static const struct nbd_export e = { .size = SIZE,
					     .flags = NBD_FLAG_CAN_MULTI_CONN };

	(void)c;
	return &e;
}

/* ---- what a simulation does not do to itself ---- */

int __wrap_chdir(const char *path);
ssize_t __wrap_write(int fd, const void *p, size_t len);
ssize_t __real_write(int fd, const void *p, size_t len);

int __wrap_watch_uevent_open(struct nl_sock *s, struct nbd_diag *d)
{
	(void)d;
	s->fd = w.uevents = file_new(0);
	return 0;
}

bool __wrap_watch_uevent_is_nbd(struct nl_sock *s,
				void (*other)(void *ctx, const char *text,
					      size_t n),
				void *ctx)
{
	bool was = w.noise;

	(void)s, (void)other, (void)ctx;
	w.noise = false;
	return was;
}

int __wrap_watch_liar_open(struct watch_liar *l, int devices)
{
	(void)devices;
	l->ends[0] = -1;
	return -1;
}

int __wrap_watch_takeover(int index, struct nbd_diag *d)
{
	(void)index, (void)d;
	return file_new(0);
}

int __wrap_chdir(const char *path)
{
	(void)path;
	return 0;
}

ssize_t __wrap_write(int fd, const void *p, size_t len)
{
	if (fd != 2)
		return __real_write(fd, p, len);
	sim_say(w.now, "it says: %.*s", (int)len - 1, (const char *)p);
	return (ssize_t)len;
}

/* ---- a schedule ---- */

static void plan_server(unsigned i)
{
	unsigned changes = (unsigned)sim_below(4);
	unsigned at = 0;

	while (changes--) {
		at += 1 + (unsigned)sim_below(sim_chance(50) ? 3000 : 100000);
		later(at, MODE, i, (enum mode)sim_below(MODES));
	}
	/* in the end all are well */
	later(at + 1 + (unsigned)sim_below(200000), MODE, i, WELL);
}

static void plan(void)
{
	unsigned n = (unsigned)sim_below(12);

	for (unsigned i = 0; i < w.n_servers; i++)
		plan_server(i);
	while (n--)
		later((unsigned)sim_below(sim_chance(50) ? 10000 : 300000),
		      sim_chance(50)   ? KILL
		      : sim_chance(50) ? READ
		      : sim_chance(70) ? NOISE
				       : SUSPEND,
		      (unsigned)sim_below(w.n_slots), 0);
}

static void make_backend(bool spread)
{
	char *p = w.backend;

	for (unsigned i = 0; i < w.n_servers; i++)
		p += sprintf(p, "%snbd://192.0.2.%u", i ? "," : "", i);
	sprintf(p, " connections=%u%s", w.n_slots, spread ? " spread" : "");
}

void sim_schedule(void)
{
	struct nbd_diag d = { "" };
	int rc;

	world.look = look;
	world.wait = played_wait;
	world.info = info;
	w.now = 1 + sim_below(1000000);
	w.trouble = w.now;
	w.n_servers = 1 + (unsigned)sim_below(SERVERS);
	w.n_slots = 1 + (unsigned)sim_below(SLOTS);
	w.blind = sim_chance(10);
	w.fails = sim_chance(30);
	w.looks = sim_chance(70);
	w.others = sim_chance(20);
	w.trusty = true;
	for (unsigned i = 0; i < w.n_slots; i++)
		w.slots[i].server = i % w.n_servers;
	make_backend(sim_chance(30));
	plan();
	rc = watch_worker_run(INDEX, 0, &d);
	if (rc)
		sim_fail("the watcher ended with %d: %s", rc, d.text);
	if (w.at_rest && sim_files_open() > w.at_rest)
		sim_fail("%u descriptors stay open",
			 sim_files_open() - w.at_rest);
	sim_peak(0, "waits in a schedule", w.turns);
	sim_peak(1, "tries in a schedule", w.n_tries);
	sim_peak(2, "connections ended in a schedule", w.n_ended);
}
