/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of services (RFC 2782):
 *
 *	priority, weight, port: 2 bytes each | name of the server
 */
#include <string.h>

#include "port/dns_msg.h"
#include "core/be.h"
#include "port/retry.h"

#define NUMBERS 6 /* bytes before the name */
#define POINTER 0xc0u
#define LABEL	63u

/* What may be in a name of a host, and no more: it ends up in logs. */
static bool is_label(const uint8_t *p, size_t n)
{
	for (; n; p++, n--)
		if (!((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z') &&
		    !(*p >= '0' && *p <= '9') && *p != '-' && *p != '_')
			return false;
	return true;
}

/* A name that is written; o is its length. */
struct name {
	char *to;
	size_t o;
};

static bool put_label(struct name *name, const uint8_t *p, size_t n)
{
	size_t dot = name->o ? 1 : 0;

	/* the NUL has room behind it */
	if (!is_label(p, n) || n + dot >= DNS_NAME_MAX - name->o)
		return false;
	if (dot)
		name->to[name->o++] = '.';
	memcpy(name->to + name->o, p, n);
	name->o += n;
	return true;
}

/*
 * Reads the name at msg[at], which has to end before `end` or with a pointer
 * there.  Names should not be compressed in this record, but some are (RFC 3597,
 * 4).  Each pointer has to lead further back than all before, so it ends.
 */
static bool read_name(char to[DNS_NAME_MAX], const uint8_t *msg, size_t len,
		      size_t at, size_t end)
{
	struct name name = { to, 0 };
	size_t low = at;
	bool jumped = false;

	while (at < end) {
		size_t n = msg[at++];

		if (!n) {
			to[name.o] = '\0';
			return (jumped || at == end) && to[0] != '-';
		}
		if (n <= LABEL) {
			if (n > end - at || !put_label(&name, msg + at, n))
				return false;
			at += n;
			continue;
		}
		if (n < POINTER || at == end || (!jumped && end - at != 1))
			return false;
		n = (n & LABEL) << 8 | msg[at];
		if (n >= low)
			return false;
		jumped = true;
		low = at = n;
		end = len;
	}
	return false;
}

void dns_srv_take(struct dns_found *f, const uint8_t *msg, size_t len,
		  size_t at, size_t size)
{
	struct dns_target t;
	unsigned i = f->n < DNS_TARGETS ? f->n : DNS_TARGETS - 1;

	if (size <= NUMBERS ||
	    !read_name(t.name, msg, len, at + NUMBERS, at + size))
		return;
	t.priority = be16(msg + at);
	t.weight = be16(msg + at + 2);
	t.port = be16(msg + at + 4);
	if (!t.port && t.name[0])
		return;
	if (f->n == DNS_TARGETS && f->target[i].priority <= t.priority)
		return;
	for (; i && f->target[i - 1].priority > t.priority; i--)
		f->target[i] = f->target[i - 1];
	f->target[i] = t;
	f->n += f->n < DNS_TARGETS;
}

/* Which of the n targets, all of one priority, is the next. */
static unsigned choose(const struct dns_target t[], unsigned n,
		       uint32_t *random)
{
	uint32_t sum = 0, at;
	unsigned i;

	for (i = 0; i < n; i++)
		sum += t[i].weight;
	/* all weights together are less than the 24 bits of chance */
	at = (uint32_t)((uint64_t)nbd_retry_random(random) * sum >> 24);
	for (i = 0; sum && at >= t[i].weight; i++)
		at -= t[i].weight;
	/* without weights each has the same share */
	return sum ? i : nbd_retry_random(random) % n;
}

void dns_srv_order(struct dns_target t[], unsigned n, uint32_t *random)
{
	while (n > 1) {
		struct dns_target first;
		unsigned same = 1, i;

		while (same < n && t[same].priority == t[0].priority)
			same++;
		i = choose(t, same, random);
		first = t[i];
		memmove(t + 1, t, i * sizeof(*t));
		*t++ = first;
		n--;
	}
}
