/* SPDX-License-Identifier: BSD-2-Clause */
/* Framing by Content-Length, by chunks, or by the end of the connection. */
#include "port/uefi/http_body.h"

#include <string.h>
#include <strings.h>

#include "port/port.h"

/* No text for this program is longer, nor is a chunk of one. */
#define LONGEST 0xffffffu

static bool is(const char *a, size_t len, const char *b)
{
	return len == strlen(b) && !strncasecmp(a, b, len);
}

void efi_http_body_header(struct efi_http_body *b, const char *name,
			  const char *value)
{
	const char *v = value + strspn(value, " \t");
	size_t len = strcspn(v, " \t\r\n"), all = strlen(name);
	long n;

	if (is(name, all, "Transfer-Encoding")) {
		/* after this one there is none, and we asked for no other */
		b->wrong |= b->chunked || !is(v, len, "chunked");
		b->chunked = true;
	} else if (is(name, all, "Content-Length")) {
		n = nbd_numbern(v, len, 0, LONGEST);
		b->wrong |= n < 0 || (b->has_length && b->length != (size_t)n);
		b->has_length = true;
		b->length = (size_t)n;
	} else if (is(name, all, "Content-Encoding")) {
		b->wrong |= !is(v, len, "identity");
	}
}

/*
 * The size of the chunk whose line is at p; its line ends at *data.  NBD_E_AGAIN
 * or NBD_E_PROTOCOL: there is none.
 */
static int chunk(char *p, char *end, char **data)
{
	size_t size = 0;
	char *at = p;

	*data = memchr(p, '\n', (size_t)(end - p));
	if (!*data)
		return end - p > 256 ? NBD_E_PROTOCOL : NBD_E_AGAIN;
	for (; size <= LONGEST; at++) {
		char c = *at | 0x20;

		if (*at >= '0' && *at <= '9')
			size = size * 16 + (size_t)(*at - '0');
		else if (c >= 'a' && c <= 'f')
			size = size * 16 + (size_t)(c - 'a' + 10);
		else
			break;
	}
	/* a blank or an extension (RFC 9112, 7.1.1) may follow */
	if (at == p || size > LONGEST || !*at || !strchr(" \t;\r\n", *at))
		return NBD_E_PROTOCOL;
	++*data;
	return (int)size;
}

/* Joins the chunks at `to`, which may be NULL. */
static int join(char *p, char *end, char *to)
{
	size_t sum = 0;
	char *data;
	int n;

	while ((n = chunk(p, end, &data)) > 0) {
		size_t len = (size_t)n;

		/* a newline of two bytes is behind it */
		if ((size_t)(end - data) < len + 2)
			return NBD_E_AGAIN;
		if (data[len] != '\r' || data[len + 1] != '\n')
			return NBD_E_PROTOCOL;
		if (to)
			memmove(to + sum, data, len);
		sum += len;
		p = data + len + 2;
	}
	return n < 0 ? n : (int)sum;
}

static int cut(bool closed)
{
	return closed ? NBD_E_CUT : NBD_E_AGAIN;
}

int efi_http_body_end(const struct efi_http_body *b, char *buf, size_t n,
		      bool closed)
{
	int rc;

	if (b->wrong)
		return NBD_E_PROTOCOL;
	if (b->chunked) {
		rc = join(buf, buf + n, NULL);
		return rc == NBD_E_AGAIN ? cut(closed)
		       : rc < 0		 ? rc
					 : join(buf, buf + n, buf);
	}
	if (b->has_length)
		return n < b->length ? cut(closed) : (int)b->length;
	return closed ? (int)n : NBD_E_AGAIN;
}
