/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8 and UTF-16, with and without a byte order mark. */
#include "boot/uefi/encoding.h"

#include <stdint.h>
#include <string.h>

#include "core/nbd.h"
#include "port/utf8.h"

/* What is read: at most `end`. */
struct in {
	const uint8_t *p, *end;
	bool wide; /* UTF-16 */
	bool big;  /* its first byte is the high one */
	bool ansi;
};

#define NO_TEXT 0x110000u /* above each code point */

static struct in begin(const uint8_t *p, size_t len, bool ansi)
{
	struct in in = { p, p + len, false, false, ansi };

	if (len >= 3 && !memcmp(p, "\xef\xbb\xbf", 3)) {
		in.p += 3;
	} else if (len >= 2) {
		bool mark = p[0] + p[1] == 0xff + 0xfe &&
			    (p[0] == 0xff || p[1] == 0xff);

		in.wide = mark || !p[0] != !p[1];
		in.big = mark ? p[0] == 0xfe : !p[0];
		in.p += mark ? 2 : 0;
	}
	/* half a character at the end is none */
	if (in.wide)
		in.end -= (in.end - in.p) % 2;
	return in;
}

static uint32_t unit(struct in *in)
{
	const uint8_t *p = in->p;

	if (in->end - p < 2)
		return 0;
	in->p += 2;
	return (uint32_t)(p[!in->big] << 8 | p[in->big]);
}

static uint32_t wide_point(struct in *in)
{
	uint32_t c = unit(in), low;

	if (c < 0xd800 || c >= 0xe000)
		return c;
	low = unit(in);
	if (c >= 0xdc00 || low < 0xdc00 || low >= 0xe000)
		return NO_TEXT;
	return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

/* The next code point; 0: the end. */
static uint32_t point(struct in *in)
{
	const char *p = (const char *)in->p;
	size_t n;

	if (in->p == in->end)
		return 0;
	if (in->wide)
		return wide_point(in);
	n = nbd_utf8_valid(p, (size_t)(in->end - in->p));
	in->p += n ? n : 1;
	return n ? nbd_utf8_point(p, n) : in->ansi ? (uint8_t)*p : NO_TEXT;
}

static size_t put(char *to, uint32_t c)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (n == 1) {
		*to = (char)c;
		return 1;
	}
	for (size_t i = n - 1; i; i--, c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	*to = (char)(0xf00u >> n | c);
	return n;
}

static bool is_text(uint32_t c)
{
	return (c >= ' ' || c == '\t' || c == '\n') && c < NO_TEXT;
}

int uefi_decode(char *to, size_t cap, const void *from, size_t len, bool ansi,
		bool *more)
{
	struct in in = begin(from, len, ansi);
	size_t n = 0;
	uint32_t c;

	while ((c = point(&in))) {
		if (c == '\r')
			c = '\n';
		if (!is_text(c))
			return NBD_E_USAGE;
		if (cap - n <= 4)
			return NBD_E_NO_MEMORY;
		n += put(to + n, c);
	}
	to[n] = '\0';
	for (*more = false; in.p < in.end; in.p++)
		*more |= *in.p != 0;
	return (int)n;
}
