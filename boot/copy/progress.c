/* SPDX-License-Identifier: BSD-2-Clause */
/* The progress of a copy: a bar on a terminal, a line per second elsewhere. */
#include "boot/copy/copy.h"

#include <string.h>
#include <unistd.h>

#define BAR	    24
#define TERMINAL_NS 100000000 /* ns between two updates */
#define LINE_NS	    1000000000

void copy_progress_begin(struct progress *p, bool wanted, uint64_t from,
			 uint64_t size)
{
	p->terminal = isatty(2);
	p->on = wanted || p->terminal;
	p->from = from;
	p->size = size;
	p->begun = p->shown = nbd_now_ns();
}

static unsigned percent(const struct progress *p, uint64_t done)
{
	/* divides first, because done * 100 could overflow */
	return done == p->size ? 100 : (unsigned)(done / (p->size / 100 + 1));
}

static void put_bar(struct nbd_out *o, unsigned percent)
{
	char bar[BAR];
	unsigned full = percent * BAR / 100;

	memset(bar, '=', full);
	memset(bar + full, ' ', BAR - full);
	if (full && full < BAR)
		bar[full - 1] = '>';
	nbd_putf(o, "[%.*s] ", BAR, bar);
}

static void put_time(struct nbd_out *o, uint64_t s)
{
	if (s >= 3600)
		nbd_putf(o, "%llu:%02u:%02u", (unsigned long long)(s / 3600),
			 (unsigned)(s / 60 % 60), (unsigned)(s % 60));
	else
		nbd_putf(o, "%u:%02u", (unsigned)(s / 60), (unsigned)(s % 60));
}

static void put_state(struct nbd_out *o, const struct progress *p,
		      uint64_t done, uint64_t ms)
{
	/* KiB a second, since the bytes times 1000 could overflow */
	uint64_t rate = ((done - p->from) >> 10) * 1000 / (ms ? ms : 1);
	uint64_t tenths = rate / 1024 * 10 + rate % 1024 * 10 / 1024;

	if (p->size == UINT64_MAX)
		nbd_putf(o, "%llu bytes", (unsigned long long)done);
	else
		nbd_putf(o, "%3u%%  %llu of %llu bytes", percent(p, done),
			 (unsigned long long)done, (unsigned long long)p->size);
	nbd_putf(o, "  %llu.%u MiB/s", (unsigned long long)(tenths / 10),
		 (unsigned)(tenths % 10));
	if (p->size != UINT64_MAX && rate) {
		nbd_put(o, "  ", 2);
		put_time(o, ((p->size - done) >> 10) / rate);
		nbd_put(o, " left", 5);
	}
}

void copy_progress_clear(const struct progress *p)
{
	if (p->on && p->terminal && write(2, "\r\x1b[K", 4) < 0)
		return; /* the next update finds out */
}

void copy_progress_show(struct progress *p, uint64_t done, bool last)
{
	char buf[256];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };
	uint64_t now;

	if (!p->on)
		return;
	now = nbd_now_ns();
	if (!last && now - p->shown < (p->terminal ? TERMINAL_NS : LINE_NS))
		return;
	p->shown = now;
	if (p->terminal)
		nbd_put(&o, "\r", 1);
	if (p->terminal && p->size != UINT64_MAX)
		put_bar(&o, percent(p, done));
	put_state(&o, p, done, (now - p->begun) / 1000000);
	if (p->terminal)
		nbd_put(&o, "\x1b[K", 3); /* to the end of the line */
	if (!p->terminal || last)
		nbd_put(&o, "\n", 1);
	if (write(2, o.buf, o.len) < 0)
		p->on = false; /* standard error is closed */
}
