/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the simulations of DHCPv4 and DHCPv6 share: messages on their
 * way to the client, the addresses that servers gave it, and what of the system
 * its process for the renewal calls.
 */
#ifndef TESTS_SIM_LEASES_H
#define TESTS_SIM_LEASES_H

#include "tests/sim/sim.h"
#include "tests/world/world.h"

#include <stddef.h>

#define LEASES_FLYING 24
#define LEASES_GIVEN  64
#define LEASES_TURNS  40000

struct flying {
	uint64_t at; /* ms; 0: free */
	uint8_t p[400];
	size_t len;
};

extern struct leases {
	uint64_t start, well; /* ms; from well on all servers answer */
	struct flying flying[LEASES_FLYING];
	/* what was given to this machine, addr and server */
	uint8_t given[LEASES_GIVEN][2];
	unsigned n_given, turns;
	uint64_t expected; /* ms: a message comes then at the latest */
	uint64_t slept;	   /* ms: suspended */
	unsigned naps;	   /* calls of poll() */
} leases;

/* Begins at one of the times at which a clock of 32 bits, of s or ms, wraps. */
void leases_begin(void);

/* Seconds, as servers send them: usual ones, 0, for ever, or any. */
uint32_t leases_time(void);

/* Once the network is well nothing goes wrong. */
bool leases_mishap(unsigned percent);

/* Sends a message that arrives then.  The next to arrive; NULL: none. */
void leases_fly(const uint8_t *p, size_t len, uint64_t at);
struct flying *leases_next(void);

void leases_give(uint8_t addr, uint8_t server);
bool leases_was_given(uint8_t addr, uint8_t server);

/* Call this at each step; it fails if there is no end to them. */
void leases_turn(void);

/* The next message is expected within ms. */
void leases_expect(uint64_t ms);

/*
 * Each simulation defines it.  The machine was suspended until now, in a sleep
 * of the process (true) or while it asked.
 */
void leases_suspended(bool sleeps);

/*
 * Stays in net_renewd_run() until a server refuses the lease, which refusals
 * counts, or the schedule ends.  t1 is that of the lease.
 */
void leases_keep(uint32_t t1, unsigned *refusals);

#endif
