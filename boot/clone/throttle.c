/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * With a rate, a loop that corrects the share of time by what it has let through.
 * Without one, all of the time while no program uses the root, and else little.
 */
#include "boot/clone/throttle.h"

#include <fcntl.h>

#include "port/linux/file.h"

#define SHARE	      "/sys/module/dm_mirror/parameters/raid1_resync_throttle"
/* Percent beside programs, which wait for what is in flight: make bench-clone. */
#define THROTTLE_BUSY 10u
#define LOOK_MS	      1000u

static void set(struct clone_throttle *p, unsigned share)
{
	char text[16];
	int n = nbd_fmt(text, sizeof(text), "%u\n", share);

	p->share = share;
	file_write(AT_FDCWD, SHARE, text, (size_t)n);
}

void clone_throttle_begin(struct clone_throttle *p, unsigned rate)
{
	*p = (struct clone_throttle){ .rate = rate, .ms = nbd_now_ms() };
	p->before = (unsigned)file_number(AT_FDCWD, SHARE);
	/* from below: the first second must not be the fastest one */
	set(p, rate ? 5 : THROTTLE_BUSY);
}

static void give_way(struct clone_throttle *p, uint64_t used)
{
	unsigned share = used == p->used ? 100 : THROTTLE_BUSY;

	p->used = used;
	if (share != p->share)
		set(p, share);
}

void clone_throttle_keep(struct clone_throttle *p, uint64_t sectors,
			 uint64_t used)
{
	uint64_t now = nbd_now_ms(), took = now - p->ms, want, got, share;

	if (!p->rate)
		give_way(p, used);
	if (!p->rate || took < LOOK_MS)
		return;
	want = p->rate * took * 2048 / 1000;
	got = sectors > p->sectors ? sectors - p->sectors : 0;
	/* at most twice or half of it: a server that is away is no reason */
	share = got < want / 2	 ? p->share * 2u
		: got > want * 2 ? p->share / 2u
				 : p->share * want / (got ? got : 1);
	set(p, share < 1 ? 1 : share > 100 ? 100 : (unsigned)share);
	p->sectors = sectors;
	p->ms = now;
}

void clone_throttle_end(const struct clone_throttle *p)
{
	struct clone_throttle last = *p;

	set(&last, p->before ? p->before : 100);
}
