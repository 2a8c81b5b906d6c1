/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares two samples of a device. */
#include "boot/device/latency.h"

#include <sys/socket.h>

void device_sample(struct device_sample *s, const struct device *dev)
{
	uint64_t sum = 0;
	unsigned n = 0;

	*s = (struct device_sample){ .ns = nbd_now_ns(),
				     .counted = dev->counted,
				     .live = dev->live };
	nbdk_stat(dev->info.index, &s->stat);
	for (unsigned i = 0; dev->counted && i < dev->n_links; i++) {
		const struct sockdiag_link *l = &dev->links[i];

		s->retries += l->retransmits;
		if (!l->live || l->family == AF_UNIX)
			continue;
		sum += l->min_rtt ? l->min_rtt : l->rtt;
		n++;
	}
	s->rtt = n ? (uint32_t)(sum / n) : 0;
}

/* Counters begin anew if the device was made anew. */
static uint64_t less(uint64_t b, uint64_t a)
{
	return b > a ? b - a : 0;
}

static uint32_t mean(uint64_t ms, uint64_t n)
{
	uint64_t us = n ? ms * 1000 / n : 0;

	return us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

uint32_t device_mean(const struct nbdk_count *c)
{
	return mean(c->ms, c->n);
}

static enum device_slow judge(const struct device_latency *l,
			      const struct device_sample *s)
{
	if (!l->n && !l->in_flight)
		return DEVICE_IDLE;
	if (!l->n)
		return s->counted && !s->live ? DEVICE_DEAD : DEVICE_SILENT;
	if (!s->counted)
		return DEVICE_UNKNOWN;
	return l->network >= l->server ? DEVICE_NETWORK : DEVICE_SERVER;
}

void device_latency(struct device_latency *l,
		    const struct device_sample *before,
		    const struct device_sample *after)
{
	uint64_t ms = less(after->ns, before->ns) / 1000000, sum = 0;

	*l = (struct device_latency){ .ms = ms ? ms : 1,
				      .in_flight = after->stat.in_flight,
				      .retries = less(after->retries,
						      before->retries) };
	for (unsigned i = 0; i < NBDK_KINDS; i++) {
		const struct nbdk_count *from = &before->stat.kind[i];
		const struct nbdk_count *to = &after->stat.kind[i];
		struct nbdk_count *c = &l->kind[i];

		c->n = less(to->n, from->n);
		c->sectors = less(to->sectors, from->sectors);
		c->ms = less(to->ms, from->ms);
		l->n += c->n;
		sum += c->ms;
	}
	l->latency = mean(sum, l->n);
	l->network = after->rtt < l->latency ? after->rtt : l->latency;
	l->server = l->latency - l->network;
	l->slow = judge(l, after);
}

const char *device_slow_text(enum device_slow slow)
{
	static const char *const text[] = {
		[DEVICE_IDLE] = "idle",	      [DEVICE_SILENT] = "no answer",
		[DEVICE_DEAD] = "dead",	      [DEVICE_UNKNOWN] = "unknown",
		[DEVICE_NETWORK] = "network", [DEVICE_SERVER] = "server",
	};

	return text[slow];
}
