/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of a C library that the core, lwIP, and the compiler need.
 * They are short rather than fast, but for the two that move payload: those
 * move words where both sides are aligned.
 */
#include <stdint.h>
#include <string.h>

/* A word that may be a part of any object. */
typedef unsigned long __attribute__((may_alias)) word;
#define WORD sizeof(word)

static int aligned(const void *a, const void *b)
{
	return (((uintptr_t)a | (uintptr_t)b) & (WORD - 1)) == 0;
}

/* From the first byte to the last, so that t may lie below f. */
static void forward(unsigned char *t, const unsigned char *f, size_t len)
{
	if (aligned(t, f))
		for (; len >= WORD; len -= WORD, t += WORD, f += WORD)
			*(word *)(void *)t = *(const word *)(const void *)f;
	while (len--)
		*t++ = *f++;
}

void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
	forward(to, from, len);
	return to;
}

void *memmove(void *to, const void *from, size_t len)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	if (t <= f || t >= f + len) {
		forward(t, f, len);
		return to;
	}
	while (len--)
		t[len] = f[len];
	return to;
}

void *memset(void *to, int byte, size_t len)
{
	unsigned char *t = to;

	for (; len && ((uintptr_t)t & (WORD - 1)); len--)
		*t++ = (unsigned char)byte;
	for (; len >= WORD; len -= WORD, t += WORD)
		*(word *)(void *)t = ~0ul / 255 * (unsigned char)byte;
	while (len--)
		*t++ = (unsigned char)byte;
	return to;
}

int memcmp(const void *a, const void *b, size_t len)
{
	const unsigned char *p = a, *q = b;

	for (; len && *p == *q; len--)
		p++, q++;
	return len ? *p - *q : 0;
}

size_t strnlen(const char *p, size_t max)
{
	size_t n = 0;

	while (n < max && p[n])
		n++;
	return n;
}

size_t strlen(const char *p)
{
	return strnlen(p, SIZE_MAX);
}

int strncmp(const char *a, const char *b, size_t len)
{
	for (; len && *a && *a == *b; len--)
		a++, b++;
	return len ? (unsigned char)*a - (unsigned char)*b : 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, SIZE_MAX);
}

void *memchr(const void *p, int byte, size_t len)
{
	const unsigned char *q = p;

	for (; len; len--, q++)
		if (*q == (unsigned char)byte)
			return (void *)(uintptr_t)q;
	return NULL;
}

char *strchr(const char *p, int c)
{
	return memchr(p, c, strlen(p) + 1);
}

size_t strcspn(const char *p, const char *ends)
{
	size_t n = 0;

	while (p[n] && !strchr(ends, p[n]))
		n++;
	return n;
}
