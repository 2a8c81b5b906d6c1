/* SPDX-License-Identifier: BSD-2-Clause */
/* The codec of DNS. */
#include "port/dns_msg.h"
#include "core/be.h"

#include <string.h>

/* Offsets in the header, and its size. */
enum { FLAGS = 2, CODE = 3, ANSWERS = 6, HEAD = 12 };

#define ANSWER	 0x80 /* QR, in FLAGS */
#define CUT	 0x02 /* TC */
#define WISH	 0x01 /* RD: the server is to ask others */
#define NO_NAME	 3    /* NXDOMAIN, in CODE */
#define INTERNET 1
#define LABEL	 63
#define POINTER	 0xc0

size_t dns_query(uint8_t buf[DNS_QUERY_MAX], uint16_t id, const char *name,
		 enum dns_type type)
{
	uint8_t *p = buf + HEAD;
	size_t n, len = strlen(name);

	if (len && name[len - 1] == '.')
		len--;
	if (!len || len >= DNS_NAME_MAX)
		return 0;
	memset(buf, 0, HEAD);
	put16(buf, id);
	buf[FLAGS] = WISH;
	buf[5] = 1; /* question */
	for (const char *end = name + len; name < end; name += n + 1) {
		n = strcspn(name, ".");
		if (!n || n > LABEL)
			return 0;
		*p++ = (uint8_t)n;
		memcpy(p, name, n);
		p += n;
	}
	*p++ = 0;
	put16(p, (uint16_t)type);
	put16(p + 2, INTERNET);
	p += 4;
	return (size_t)(p - buf);
}

/* What is left to read; p is NULL once something was malformed. */
struct rest {
	const uint8_t *p;
	size_t len;
	const uint8_t *msg; /* all of it, and its end */
	size_t end;
};

/* The next n bytes, or NULL. */
static const uint8_t *take(struct rest *r, size_t n)
{
	const uint8_t *p = r->p;

	if (!p || n > r->len) {
		r->p = NULL;
		return NULL;
	}
	r->p += n;
	r->len -= n;
	return p;
}

/* A pointer ends a name, and nobody needs to know where it leads. */
static void skip_name(struct rest *r)
{
	const uint8_t *size;

	while ((size = take(r, 1)) && *size) {
		if (*size >= POINTER) {
			take(r, 1);
			return;
		}
		take(r, *size);
	}
}

/* False: malformed, or cut off. */
static bool take_record(struct rest *r, unsigned type, struct dns_found *f)
{
	size_t size = type == DNS_A ? 4 : 16, len;
	const uint8_t *head, *data;

	skip_name(r);
	/* type, class, time to live, length */
	head = take(r, 10);
	if (!head)
		return false;
	len = be16(head + 8);
	data = take(r, len);
	if (!data || be16(head) != type || be16(head + 2) != INTERNET)
		return data;
	if (type == DNS_SRV)
		dns_srv_take(f, r->msg, r->end, (size_t)(data - r->msg), len);
	else if (len == size && f->n < DNS_ADDRS)
		f->ip[f->n++] = nbd_ip_of(data, (unsigned)size);
	return true;
}

/* Servers may write letters of the name in another case (RFC 4343). */
static bool is_same_question(const uint8_t *a, const uint8_t *b, size_t len)
{
	for (; len; len--, a++, b++)
		if (*a != *b && ((*a | 0x20) != (*b | 0x20) ||
				 (*a | 0x20) < 'a' || (*a | 0x20) > 'z'))
			return false;
	return true;
}

enum dns_answer dns_read(const uint8_t *p, size_t len, const uint8_t *q,
			 size_t q_len, struct dns_found *f)
{
	unsigned type = be16(q + q_len - 4), n, code, before = f->n;
	struct rest r;
	bool whole = true;

	if (len < HEAD || memcmp(p, q, 2) != 0 || !(p[FLAGS] & ANSWER))
		return DNS_OTHER;
	code = p[CODE] & 15;
	/* one that did not understand it may leave the question out */
	if (be16(p + 4) != 1 || len < q_len ||
	    !is_same_question(p + HEAD, q + HEAD, q_len - HEAD))
		return code && !be16(p + 4) ? DNS_REFUSED : DNS_OTHER;
	if (code && code != NO_NAME)
		return DNS_REFUSED;
	r = (struct rest){ p + q_len, len - q_len, p, len };
	for (n = be16(p + ANSWERS); n && whole; n--)
		whole = take_record(&r, type, f);
	if (p[FLAGS] & CUT)
		return DNS_CUT;
	if (f->n > before)
		return DNS_FOUND;
	if (!whole)
		return DNS_REFUSED;
	return code ? DNS_NO_NAME : DNS_NONE;
}
