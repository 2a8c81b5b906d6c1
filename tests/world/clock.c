/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/clock.h"

uint64_t __real_nbd_now_ns(void);
uint64_t __wrap_nbd_now_ns(void);
int __real_poll(struct pollfd *p, nfds_t n, int ms);
int __wrap_poll(struct pollfd *p, nfds_t n, int ms);
int __wrap___poll_chk(struct pollfd *p, nfds_t n, int ms, size_t size);

uint64_t __wrap_nbd_now_ns(void)
{
	uint64_t began = world.real ? __real_nbd_now_ns() : 0;

	if (world.look)
		world.look();
	if (world.step)
		world.now += world.step;
	return began + world.now * 1000000 + world.ns;
}

static int pause_ms(int ms)
{
	unsigned i;

	if (ms < 0)
		world_fail("a pause without an end");
	i = world.pauses++;
	if (i < WORLD_PAUSES)
		world.pause[i] = ms;
	world.now += (unsigned)ms;
	if (world.paused)
		world.paused(ms);
	return 0;
}

int __wrap_poll(struct pollfd *p, nfds_t n, int ms)
{
	world.polls++;
	if (world.wait)
		return world.wait(p, n, ms);
	return n ? __real_poll(p, n, ms) : pause_ms(ms);
}

/* The name of poll() in a program that is compiled with _FORTIFY_SOURCE. */
int __wrap___poll_chk(struct pollfd *p, nfds_t n, int ms, size_t size)
{
	if (n > size / sizeof(*p))
		world_fail("poll() of more than there is");
	return __wrap_poll(p, n, ms);
}

int world_real_poll(struct pollfd *p, nfds_t n, int ms)
{
	return __real_poll(p, n, ms);
}
