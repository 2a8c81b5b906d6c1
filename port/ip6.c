/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of IPv6 as text. */
#include "port/ip.h"

#include <string.h>

/* Reads up to four hexadecimal digits; returns how many, 5: too many. */
static unsigned group(const char *p, unsigned *value)
{
	unsigned n = 0;

	for (*value = 0; n < 5; n++) {
		char c = p[n] | 0x20;

		if (p[n] >= '0' && p[n] <= '9')
			*value = *value << 4 | (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*value = *value << 4 | (unsigned)(c - 'a' + 10);
		else
			break;
	}
	return n;
}

/* Puts zeros at `gap`, so that n bytes become 16. */
static bool widen(unsigned char ip[16], unsigned n, unsigned gap)
{
	if (gap > n)
		return n == 16;
	memmove(ip + 16 - (n - gap), ip + gap, n - gap);
	memset(ip + gap, 0, 16 - n);
	return n < 16;
}

bool nbd_ip_read6(const char *p, unsigned char ip[16])
{
	unsigned n = 0, gap = 17, value, digits;

	if (p[0] == ':' && p[1] == ':') {
		gap = 0;
		p += 2;
	}
	while (*p || n == 0) {
		digits = group(p, &value);
		if (n <= 12 && p[digits] == '.')
			return nbd_ip_read4(p, ip + n) && widen(ip, n + 4, gap);
		if (!*p && gap == 0)
			break;
		if (n == 16 || digits == 0 || digits > 4)
			return false;
		ip[n++] = (unsigned char)(value >> 8);
		ip[n++] = (unsigned char)value;
		p += digits;
		if (!*p)
			break;
		if (*p++ != ':' || (!*p && p[-2] != ':'))
			return false;
		if (*p == ':') {
			if (gap <= 16)
				return false;
			gap = n;
			p++;
		}
	}
	return widen(ip, n, gap);
}
