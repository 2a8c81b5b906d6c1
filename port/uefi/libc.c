/* SPDX-License-Identifier: BSD-2-Clause */
/* What the firmware has no library for.  The compiler calls the first four. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <stdlib.h>
#include <strings.h>

#include "port/text.h"

#if defined(__x86_64__)
void *memcpy(void *to, const void *from, size_t n)
{
	size_t words = n / 8, rest = n % 8;
	void *p = to;

	__asm__ volatile("rep movsq"
			 : "+D"(p), "+S"(from), "+c"(words)::"memory");
	__asm__ volatile("rep movsb"
			 : "+D"(p), "+S"(from), "+c"(rest)::"memory");
	return to;
}

void *memset(void *p, int c, size_t n)
{
	void *at = p;

	__asm__ volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(c) : "memory");
	return p;
}
#else
void *memcpy(void *to, const void *from, size_t n)
{
	typedef uint64_t __attribute__((may_alias, aligned(1))) word;
	unsigned char *p = to;
	const unsigned char *q = from;

	for (; n >= 8; n -= 8, p += 8, q += 8)
		*(word *)p = *(const word *)q;
	/* without volatile the compiler makes a call of memcpy() of this */
	for (; n; n--)
		*(volatile unsigned char *)p++ = *q++;
	return to;
}

void *memset(void *p, int c, size_t n)
{
	typedef uint64_t __attribute__((may_alias, aligned(1))) word;
	uint64_t w = 0x0101010101010101u * (unsigned char)c;
	unsigned char *at = p;

	for (; n >= 8; n -= 8, at += 8)
		*(volatile word *)at = w;
	for (; n; n--)
		*(volatile unsigned char *)at++ = (unsigned char)c;
	return p;
}
#endif

void *memmove(void *to, const void *from, size_t n)
{
	unsigned char *p = to;
	const unsigned char *q = from;

	if (p <= q || p >= q + n)
		return memcpy(to, from, n);
	while (n--)
		((volatile unsigned char *)p)[n] = q[n];
	return to;
}

void explicit_bzero(void *p, size_t n)
{
	memset(p, 0, n);
	/* whoever reads this asm may look at it */
	__asm__ volatile("" ::"r"(p) : "memory");
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;

	for (; n; p++, q++, n--)
		if (*p != *q)
			return *p < *q ? -1 : 1;
	return 0;
}

void *memchr(const void *p, int c, size_t n)
{
	const unsigned char *at = p;

	for (; n; at++, n--)
		if (*at == (unsigned char)c)
			return (void *)(uintptr_t)at;
	return NULL;
}

size_t strlen(const char *s)
{
	const volatile char *p = s;

	while (*p)
		p++;
	return (size_t)(p - s);
}

size_t strnlen(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n; a++, b++, n--)
		if (*a != *b || !*a)
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, SIZE_MAX);
}

static int lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

int strncasecmp(const char *a, const char *b, size_t n)
{
	for (; n; a++, b++, n--)
		if (lower(*a) != lower(*b) || !*a)
			return lower(*a) - lower(*b);
	return 0;
}

char *strchr(const char *s, int c)
{
	for (; *s != (char)c; s++)
		if (!*s)
			return NULL;
	return (char *)(uintptr_t)s;
}

char *strrchr(const char *s, int c)
{
	const char *last = NULL;

	do
		if (*s == (char)c)
			last = s;
	while (*s++);
	return (char *)(uintptr_t)last;
}

char *strstr(const char *s, const char *part)
{
	size_t n = strlen(part);

	for (; strncmp(s, part, n) != 0; s++)
		if (!*s)
			return NULL;
	return (char *)(uintptr_t)s;
}

size_t strcspn(const char *s, const char *any)
{
	size_t n = 0;

	while (s[n] && !strchr(any, s[n]))
		n++;
	return n;
}

size_t strspn(const char *s, const char *any)
{
	size_t n = 0;

	while (s[n] && strchr(any, s[n]))
		n++;
	return n;
}

char *strpbrk(const char *s, const char *any)
{
	s += strcspn(s, any);
	return *s ? (char *)(uintptr_t)s : NULL;
}

int atoi(const char *s)
{
	int n = 0;

	while (*s >= '0' && *s <= '9' && n < 1 << 24)
		n = n * 10 + (*s++ - '0');
	return n;
}

/* mbedTLS has functions that write names so, which nobody calls. */
int snprintf(char *to, size_t cap, const char *fmt, ...)
{
	struct nbd_out o = { .buf = to, .cap = cap - 1 };
	va_list ap;

	va_start(ap, fmt);
	nbd_vputf(&o, fmt, ap);
	va_end(ap);
	to[o.len] = '\0';
	return (int)(o.cut ? cap : o.len);
}
