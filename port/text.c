/* SPDX-License-Identifier: BSD-2-Clause */
/* The printer: formats, escaping for terminals, JSON strings. */
#include "port/text.h"
#include "core/nbd_err.h"
#include "port/utf8.h"

#include <stdint.h>
#include <string.h>

void nbd_put(struct nbd_out *o, const char *p, size_t len)
{
	while (len && !o->cut) {
		size_t room = o->cap - o->len;

		if (room == 0) {
			if (o->flush)
				o->flush(o);
			if (o->len == o->cap)
				o->cut = true;
			continue;
		}
		if (room > len)
			room = len;
		memcpy(o->buf + o->len, p, room);
		o->len += room;
		p += room;
		len -= room;
	}
}

/* A character or an escape: all of it, or the text is cut before it. */
static void put_whole(struct nbd_out *o, const char *p, size_t n)
{
	if (!o->flush && o->cap - o->len < n)
		o->cut = true;
	else
		nbd_put(o, p, n);
}

/* \xNN or \uNNNN */
static void put_escape(struct nbd_out *o, char kind, uint32_t v)
{
	char e[6] = { '\\', kind };
	unsigned n = kind == 'u' ? 6 : 4;

	for (unsigned i = n; i > 2; v >>= 4)
		e[--i] = "0123456789abcdef"[v & 15];
	put_whole(o, e, n);
}

void nbd_put_safe(struct nbd_out *o, const char *p, size_t len)
{
	while (len) {
		size_t n = nbd_utf8_printable(p, len);

		if (n == 0) {
			/* only this byte: the next may start a character */
			put_escape(o, 'x', (unsigned char)*p);
			n = 1;
		} else if (*p == '\\') {
			put_whole(o, "\\\\", 2);
		} else {
			put_whole(o, p, n);
		}
		p += n;
		len -= n;
	}
}

void nbd_put_json(struct nbd_out *o, const char *p, size_t len)
{
	nbd_put(o, "\"", 1);
	while (len) {
		size_t n = nbd_utf8_valid(p, len);

		if (n == 0) {
			put_escape(o, 'u', 0xfffd);
			n = 1;
		} else if (!nbd_utf8_printable(p, len)) {
			/* none of them is above U+FFFF */
			put_escape(o, 'u', nbd_utf8_point(p, n));
		} else if (*p == '"' || *p == '\\') {
			put_whole(o, (const char[]){ '\\', *p }, 2);
		} else {
			put_whole(o, p, n);
		}
		p += n;
		len -= n;
	}
	nbd_put(o, "\"", 1);
}

static unsigned group(const unsigned char ip[16], unsigned i)
{
	return (unsigned)ip[2 * i] << 8 | ip[2 * i + 1];
}

/*
 * What "::" stands for: the longest run of zero groups, the first of equal
 * ones.  Returns its length, or 0 if no run has two groups.
 */
static unsigned find_zeroes(const unsigned char ip[16], unsigned *start)
{
	unsigned n = 0, most = 1;

	for (unsigned i = 0; i < 8; i++) {
		n = group(ip, i) ? 0 : n + 1;
		if (n > most) {
			most = n;
			*start = i + 1 - n;
		}
	}
	return most > 1 ? most : 0;
}

static void put_ip6(struct nbd_out *o, const unsigned char ip[16])
{
	unsigned start = 8, zeroes = find_zeroes(ip, &start);

	for (unsigned i = 0; i < 8; i++) {
		if (i == start) {
			nbd_put(o, "::", 2);
			i += zeroes - 1;
		} else {
			nbd_putf(o, i && i != start + zeroes ? ":%x" : "%x",
				 group(ip, i));
		}
	}
}

void nbd_put_ip(struct nbd_out *o, const void *ip, size_t len)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	const unsigned char *p = ip;

	if (len == 16 && !memcmp(p, mapped, 12)) {
		nbd_putf(o, "::ffff:");
		p += 12;
	} else if (len == 16) {
		put_ip6(o, p);
		return;
	}
	nbd_putf(o, "%u.%u.%u.%u", p[0], p[1], p[2], p[3]);
}

void nbd_put_mac(struct nbd_out *o, const unsigned char mac[6])
{
	for (unsigned i = 0; i < 6; i++)
		nbd_putf(o, i ? ":%02x" : "%02x", mac[i]);
}

const char *nbd_word_end(const char *p)
{
	bool quoted = false;

	for (; *p && (quoted || !strchr(NBD_BLANKS, *p)); p++)
		quoted ^= *p == '"';
	return p;
}

void nbd_put_quoted(struct nbd_out *o, const char *p)
{
	for (; p && *p; p++)
		nbd_put(o, *p == '\'' ? "'\\''" : p, *p == '\'' ? 4 : 1);
}

/* One conversion of a format. */
struct spec {
	bool left, zero;
	int width, precision; /* -1: none */
	unsigned longs;	      /* l: 1, ll: 2, z: 3 */
	char conv;
};

static const char *parse_spec(struct spec *s, const char *f, va_list *ap)
{
	*s = (struct spec){ .precision = -1 };
	for (;; f++) {
		if (*f == '-')
			s->left = true;
		else if (*f == '0')
			s->zero = true;
		else
			break;
	}
	for (; *f >= '0' && *f <= '9'; f++)
		s->width = s->width * 10 + (*f - '0');
	if (f[0] == '.' && f[1] == '*') {
		s->precision = va_arg(*ap, int);
		f += 2;
	} else if (f[0] == '.') {
		for (s->precision = 0, f++; *f >= '0' && *f <= '9'; f++)
			s->precision = s->precision * 10 + (*f - '0');
	}
	for (; *f == 'l'; f++)
		s->longs++;
	if (*f == 'z') {
		s->longs = 3;
		f++;
	}
	s->conv = *f;
	return *f ? f + 1 : f;
}

static uint64_t take_unsigned(const struct spec *s, va_list *ap)
{
	switch (s->longs) {
	case 0:
		return va_arg(*ap, unsigned);
	case 1:
		return va_arg(*ap, unsigned long);
	case 2:
		return va_arg(*ap, unsigned long long);
	default:
		return va_arg(*ap, size_t);
	}
}

static int64_t take_signed(const struct spec *s, va_list *ap)
{
	switch (s->longs) {
	case 0:
		return va_arg(*ap, int);
	case 1:
		return va_arg(*ap, long);
	case 2:
		return va_arg(*ap, long long);
	default:
		return va_arg(*ap, ptrdiff_t);
	}
}

static void pad(struct nbd_out *o, int n, char with)
{
	for (; n > 0; n--)
		nbd_put(o, &with, 1);
}

static void put_number(struct nbd_out *o, const struct spec *s, uint64_t v,
		       bool minus)
{
	unsigned base = s->conv == 'x' ? 16 : 10;
	char digits[24];
	size_t n = sizeof(digits);
	int width;

	do {
		digits[--n] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v);
	if (minus && !s->zero)
		digits[--n] = '-';
	width = s->width - (int)(sizeof(digits) - n);
	if (minus && s->zero) {
		nbd_put(o, "-", 1);
		width--;
	}
	if (!s->left)
		pad(o, width, s->zero ? '0' : ' ');
	nbd_put(o, digits + n, sizeof(digits) - n);
	if (s->left)
		pad(o, width, ' ');
}

static void put_string(struct nbd_out *o, const struct spec *s, const char *p,
		       bool raw)
{
	size_t len;

	if (!p)
		p = "(null)";
	len = s->precision >= 0 ? strnlen(p, (size_t)s->precision) : strlen(p);
	if (!s->left)
		pad(o, s->width - (int)len, ' ');
	if (raw)
		nbd_put(o, p, len);
	else
		nbd_put_safe(o, p, len);
	if (s->left)
		pad(o, s->width - (int)len, ' ');
}

static void convert(struct nbd_out *o, const struct spec *s, va_list *ap,
		    bool raw)
{
	char c;
	int64_t v;

	switch (s->conv) {
	case 's':
		put_string(o, s, va_arg(*ap, const char *), raw);
		break;
	case 'c':
		c = (char)va_arg(*ap, int);
		if (raw)
			nbd_put(o, &c, 1);
		else
			nbd_put_safe(o, &c, 1);
		break;
	case 'd':
		v = take_signed(s, ap);
		put_number(o, s, v < 0 ? (uint64_t) - (v + 1) + 1 : (uint64_t)v,
			   v < 0);
		break;
	case 'u':
	case 'x':
		put_number(o, s, take_unsigned(s, ap), false);
		break;
	default: /* %% */
		nbd_put(o, &s->conv, 1);
	}
}

static void print(struct nbd_out *o, bool raw, const char *fmt, va_list *ap)
{
	struct spec s;

	while (*fmt) {
		const char *p = fmt;

		while (*p && *p != '%')
			p++;
		nbd_put(o, fmt, (size_t)(p - fmt));
		if (!*p)
			return;
		fmt = parse_spec(&s, p + 1, ap);
		convert(o, &s, ap, raw);
	}
}

void nbd_vputf(struct nbd_out *o, const char *fmt, va_list ap)
{
	va_list copy;

	va_copy(copy, ap);
	print(o, false, fmt, &copy);
	va_end(copy);
}

void nbd_putf(struct nbd_out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	nbd_vputf(o, fmt, ap);
	va_end(ap);
}

long nbd_numbern(const char *p, size_t len, long min, long max)
{
	const unsigned long most = (unsigned long)max;
	unsigned long n = 0;

	if (!len)
		return -1;
	for (; len; p++, len--) {
		if (*p < '0' || *p > '9' || n > most / 10)
			return -1;
		/* ten times what is signed: there is room */
		n = n * 10 + (unsigned long)(*p - '0');
	}
	return n < (unsigned long)min || n > most ? -1 : (long)n;
}

long nbd_number(const char *text, long min, long max)
{
	return nbd_numbern(text, strlen(text), min, max);
}

bool nbd_take_number(const char **p, const char *end, uint64_t max, uint64_t *n)
{
	const char *first = *p;

	for (*n = 0; *p < end && **p >= '0' && **p <= '9'; ++*p) {
		unsigned digit = (unsigned)(**p - '0');

		if (digit > max || *n > (max - digit) / 10)
			return false;
		*n = *n * 10 + digit;
	}
	return *p > first;
}

int nbd_fmt(char *buf, size_t cap, const char *fmt, ...)
{
	struct nbd_out o = { .buf = buf, .cap = cap - 1 };
	va_list ap, copy;

	va_start(ap, fmt);
	va_copy(copy, ap);
	print(&o, true, fmt, &copy);
	va_end(copy);
	va_end(ap);
	buf[o.len] = '\0';
	return o.cut ? NBD_E_NO_MEMORY : (int)o.len;
}
