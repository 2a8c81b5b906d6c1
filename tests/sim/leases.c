/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/leases.h"
#include "tests/world/clock.h"
#include "tests/world/harden.h"
#include "tests/world/ready.h"
#include "tests/world/say.h"

#include <poll.h>
#include <string.h>
#include <sys/types.h>

#include "boot/net/renew.h"

struct leases leases;

uint32_t leases_time(void)
{
	static const uint32_t usual[] = { 0,  1,    2,	   5,	   10,
					  60, 3600, 86400, 604800, UINT32_MAX };
	unsigned i = (unsigned)sim_below(12);

	return i < 10 ? usual[i] : (uint32_t)sim_random() >> sim_below(32);
}

bool leases_mishap(unsigned percent)
{
	return sim_chance(percent) && world.now < leases.well;
}

/* ---- messages ---- */

void leases_fly(const uint8_t *p, size_t len, uint64_t at)
{
	for (unsigned i = 0; i < LEASES_FLYING; i++) {
		struct flying *f = &leases.flying[i];

		if (f->at)
			continue;
		f->at = at;
		f->len = len;
		memcpy(f->p, p, len);
		return;
	}
}

struct flying *leases_next(void)
{
	struct flying *next = NULL, *f = leases.flying;

	for (; f < leases.flying + LEASES_FLYING; f++)
		if (f->at && (!next || f->at < next->at))
			next = f;
	return next;
}

/* ---- addresses ---- */

bool leases_was_given(uint8_t addr, uint8_t server)
{
	for (unsigned i = 0; i < leases.n_given && i < LEASES_GIVEN; i++)
		if (leases.given[i][0] == addr && leases.given[i][1] == server)
			return true;
	return false;
}

void leases_give(uint8_t addr, uint8_t server)
{
	unsigned i = leases.n_given % LEASES_GIVEN;

	if (leases_was_given(addr, server))
		return;
	leases.given[i][0] = addr;
	leases.given[i][1] = server;
	leases.n_given++;
}

/* ---- time ---- */

void leases_turn(void)
{
	if (++leases.turns > LEASES_TURNS)
		sim_fail("%u turns: it runs in a circle", LEASES_TURNS);
}

void leases_expect(uint64_t ms)
{
	leases.expected = ms > UINT64_MAX - world.now ? UINT64_MAX
						      : world.now + ms;
}

void leases_keep(uint32_t t1, unsigned *refusals)
{
	struct net_renewal r;
	struct nbd_diag d;
	int rc;

	leases.turns = *refusals = 0;
	/* another time of trouble, which may end in the middle of it */
	leases.well = world.now + sim_below(t1 * UINT64_C(2000) + 1000000);
	leases_expect(t1 * UINT64_C(1000));
	rc = net_renewd_run(&r, &d);
	if (rc != NBD_E_NO_DEVICE)
		sim_fail("it ended with %d", rc);
	if (!*refusals)
		sim_fail("the lease was given up, and nobody refused it");
	sim_say(world.now, "refused");
}

/* ---- the system ---- */

ssize_t __wrap_getrandom(void *p, size_t len, unsigned flags);
ssize_t __wrap_getrandom(void *p, size_t len, unsigned flags)
{
	(void)flags;
	for (size_t i = 0; i < len; i++)
		((uint8_t *)p)[i] = (uint8_t)sim_random();
	return (ssize_t)len;
}

/* What tells of a suspend, if the kernel has it. */
#define RESUMED 1001
#define NAPS	3000

int __wrap_suspend_open(void);
int __wrap_suspend_open(void)
{
	return sim_chance(50) ? RESUMED : -1;
}

uint64_t __wrap_suspend_ms(void);
uint64_t __wrap_suspend_ms(void)
{
	return leases.slept;
}

static void suspend(bool sleeps)
{
	uint64_t ms = 2000 + sim_below(86400000);

	leases.slept += ms;
	world.now += ms;
	leases_suspended(sleeps);
	sim_say(world.now, "suspended until now");
}

/* Also the sleep until T1. */
static int played_wait(struct pollfd p[], nfds_t n, int ms)
{
	bool sleeps = !n || p->fd == RESUMED;
	struct flying *f = sleeps ? NULL : leases_next();

	if (n)
		leases_turn();
	if (ms < 0)
		sim_fail("a wait without an end");
	if (leases.turns > 300 || ++leases.naps > NAPS ||
	    world.now > leases.start + (uint64_t)100 * 365 * 86400000)
		sim_end();
	if (f && f->at <= world.now + (unsigned)ms) {
		world.now = f->at > world.now ? f->at : world.now;
		return 1;
	}
	if (sim_below(n ? 100 : 1000) == 0) {
		world.now += sim_below((unsigned)ms + 1);
		suspend(sleeps);
	} else {
		world.now += (unsigned)ms;
	}
	return 0;
}

void leases_begin(void)
{
	/* the last is as late as leaves a century to a clock of ns */
	static const uint64_t clocks[] = { 0, 4294967295000 - 5000,
					   4294967295 - 5000, 1ull << 43 };
	unsigned i = (unsigned)sim_below(8);

	world.wait = played_wait;
	leases.start = world.now = i < 4 ? clocks[i] : sim_below(1000000);
	leases.well = leases.start + sim_below(600000);
}

int __wrap_iface_refresh(struct iface *l, struct nbd_diag *d);
int __wrap_iface_refresh(struct iface *l, struct nbd_diag *d)
{
	(void)l, (void)d;
	return 0;
}
