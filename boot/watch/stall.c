/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Five looks, a quarter of the limit apart:
 *
 *   0             1            2      3      4
 *   a read waits  count bytes                end the connections without bytes
 *
 * It begins anew when a read was done, none waits, or a connection died or was
 * made.  So no read is given up that the driver would send again: that costs a
 * connection.
 *
 * Where reads are done all the time, one that waits at each look may be the same,
 * or not.  The connections without bytes may just have no work.  So they get some.
 */
#include "boot/watch/stall.h"

#define LOOKS	4
/*
 * ms by which the driver may be late: it looks at the time-outs of all requests
 * together, at least every 5 s (BLK_MAX_TIMEOUT).
 */
#define LATE_MS 5000u
/*
 * Bytes.  A connection on which fewer came in all that time is of no use, even
 * if its server still sends one now and then.
 */
#define FEW	4096

static unsigned look_ms(const struct device *dev)
{
	unsigned ms = dev->info.io_timeout;

	return (ms + (ms > LATE_MS ? ms : LATE_MS)) / LOOKS;
}

void watch_stall_forget(struct watch_stall *s)
{
	s->waits = false;
	s->stuck.looks = s->busy.looks = 0;
}

static bool is_tcp(const struct sockdiag_link *l)
{
	return l->live && l->family != AF_UNIX;
}

static void note_bytes(struct watch_stretch *s, const struct device *dev)
{
	s->n_links = 0;
	for (unsigned i = 0; i < dev->n_links; i++) {
		const struct sockdiag_link *l = &dev->links[i];

		if (!is_tcp(l) || s->n_links == CONFIG_PORT_MAX_CONNECTIONS)
			continue;
		s->links[s->n_links].port = l->local_port;
		s->links[s->n_links++].received = l->received;
	}
}

/* Was it there before, and has nearly nothing come since? */
static bool is_silent(const struct watch_stretch *s,
		      const struct sockdiag_link *l)
{
	for (unsigned i = 0; i < s->n_links; i++)
		if (s->links[i].port == l->local_port)
			return l->received - s->links[i].received < FEW;
	return false;
}

static void end_silent(const struct watch_stretch *s, struct device *dev,
		       unsigned ms, struct nbd_diag *d)
{
	unsigned ended = 0;
	int err = 0;

	for (unsigned i = 0; i < dev->n_links && !err; i++) {
		const struct sockdiag_link *l = &dev->links[i];

		if (!is_tcp(l) || !is_silent(s, l))
			continue;
		err = device_end(dev, l, d);
		if (err)
			continue;
		device_avoid(dev, l);
		ended++;
	}
	if (ended)
		nbd_diag(d, 0,
			 "a read was not answered for %u s, and the driver "
			 "waits on: ended %u silent connection%s",
			 ms / 1000, ended, ended > 1 ? "s" : "");
}

static bool has_silent(const struct watch_stretch *s, const struct device *dev)
{
	for (unsigned i = 0; i < dev->n_links; i++)
		if (is_tcp(&dev->links[i]) && is_silent(s, &dev->links[i]))
			return true;
	return false;
}

/*
 * Counts looks, not time: while the machine sleeps (suspend) no answer comes.
 * Returns true at the last one.
 */
static bool goes_on(struct watch_stretch *s, bool still,
		    const struct device *dev)
{
	s->looks = still ? s->looks + 1 : 0;
	if (s->looks == 1)
		note_bytes(s, dev);
	return s->looks >= LOOKS;
}

static void look(struct watch_stall *s, struct device *dev, unsigned ms,
		 struct nbd_diag *d)
{
	unsigned reading;
	uint64_t reads = nbdk_reads(dev->info.index, &reading);
	bool busy = s->waits && reading;
	bool stuck = busy && reads == s->reads;
	bool long_busy = goes_on(&s->busy, busy, dev);

	s->waits = reading;
	s->reads = reads;
	if (goes_on(&s->stuck, stuck, dev)) {
		end_silent(&s->stuck, dev, ms, d);
		watch_stall_forget(s);
	} else if (long_busy) {
		if (has_silent(&s->busy, dev))
			watch_ask(&s->ask, dev->info.index);
		s->busy.looks = 0;
	}
}

int watch_stall_look(struct watch_stall *s, struct device *dev,
		     struct nbd_diag *d)
{
	unsigned every = look_ms(dev);
	uint64_t now = nbd_now_ms();

	if (!dev->info.io_timeout)
		return -1;
	if (now - s->seen < every)
		return (int)(every - (now - s->seen));
	s->seen = now;
	if (dev->counted)
		look(s, dev, LOOKS * every, d);
	else
		watch_stall_forget(s);
	return (int)every;
}
