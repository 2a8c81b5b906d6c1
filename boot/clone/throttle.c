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

static void set(struct clone_throttle *throttle, unsigned share)
{
	char text[16];
	int n = nbd_fmt(text, sizeof(text), "%u\n", share);

	throttle->share = share;
	file_write(AT_FDCWD, SHARE, text, (size_t)n);
}

void clone_throttle_begin(struct clone_throttle *throttle, unsigned rate)
{
	*throttle = (struct clone_throttle){ .rate = rate, .ms = nbd_now_ms() };
	throttle->before = (unsigned)file_number(AT_FDCWD, SHARE);
	/* from below: the first second must not be the fastest one */
	set(throttle, rate ? 5 : THROTTLE_BUSY);
	/* left by a copy that was killed */
	if (throttle->before == throttle->share)
		throttle->before = 0;
}

static void give_way(struct clone_throttle *throttle, uint64_t used)
{
	unsigned share = used == throttle->used ? 100 : THROTTLE_BUSY;

	throttle->used = used;
	if (share != throttle->share)
		set(throttle, share);
}

void clone_throttle_keep(struct clone_throttle *throttle, uint64_t sectors,
			 uint64_t used)
{
	uint64_t now = nbd_now_ms(), took = now - throttle->ms, want, got,
		 share;

	if (!throttle->rate)
		give_way(throttle, used);
	if (!throttle->rate || took < LOOK_MS)
		return;
	want = throttle->rate * took * 2048 / 1000;
	got = sectors > throttle->sectors ? sectors - throttle->sectors : 0;
	/* at most twice or half of it: a server that is away is no reason */
	share = got < want / 2	 ? throttle->share * 2u
		: got > want * 2 ? throttle->share / 2u
				 : throttle->share * want / (got ? got : 1);
	set(throttle, share < 1 ? 1 : share > 100 ? 100 : (unsigned)share);
	throttle->sectors = sectors;
	throttle->ms = now;
}

void clone_throttle_end(const struct clone_throttle *throttle)
{
	struct clone_throttle last = *throttle;

	set(&last, throttle->before ? throttle->before : 100);
}
