/* SPDX-License-Identifier: BSD-2-Clause */
/* A decoder of lists of domain names. */
#include "boot/words/domains.h"

#include <string.h>

#define LABEL_MAX 63
#define POINTER	  0xc0u

struct list {
	const uint8_t *p;
	size_t len, at; /* where the next name begins */
	bool packed;
};

struct name {
	char text[BOOT_DOMAINS];
	size_t len;
	bool wrong; /* other characters, or too long */
};

static void take_label(struct name *n, const uint8_t *p, size_t len)
{
	if (len + 1 > sizeof(n->text) - 1 - n->len) {
		n->wrong = true;
		return;
	}
	if (n->len)
		n->text[n->len++] = '.';
	for (size_t i = 0; i < len; i++) {
		n->wrong |= !boot_domains_char(p[i]);
		n->text[n->len++] = (char)p[i];
	}
}

/*
 * False: malformed.  Each pointer leads to a place before all that was read of
 * the name, so that there is an end.
 */
static bool take_name(struct list *l, struct name *n)
{
	size_t at = l->at, first = at, next = 0;

	while (at < l->len && l->p[at]) {
		unsigned size = l->p[at];

		if (l->packed && size >= POINTER && l->len - at > 1) {
			if (!next)
				next = at + 2;
			at = (size_t)(size & ~POINTER) << 8 | l->p[at + 1];
			if (at >= first)
				return false;
			first = at;
			continue;
		}
		if (size > LABEL_MAX || size > l->len - at - 1)
			return false;
		take_label(n, l->p + at + 1, size);
		at += 1 + size;
	}
	l->at = next ? next : at + 1;
	return at < l->len;
}

bool boot_domains_read(char to[BOOT_DOMAINS], const uint8_t *p, size_t len,
		       bool packed)
{
	struct list l = { p, len, 0, packed };
	struct name n = { .len = 0 };
	size_t used = 0;
	bool all = true;

	for (; l.at < len; n.len = 0, n.wrong = false) {
		if (!take_name(&l, &n) ||
		    (!n.wrong && used + !!used + n.len > BOOT_DOMAINS - 1)) {
			all = false;
			break;
		}
		all &= !n.wrong;
		if (n.wrong || !n.len)
			continue;
		if (used)
			to[used++] = ' ';
		memcpy(to + used, n.text, n.len);
		used += n.len;
	}
	to[used] = '\0';
	return all;
}
