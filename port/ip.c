/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses: as text, their networks, and masks. */
#include "port/ip.h"
#include "core/be.h"
#include "port/text.h"

#include <string.h>

/* Four decimal numbers; one that begins with 0 is octal elsewhere. */
bool nbd_ip_read4(const char *text, unsigned char ip[4])
{
	for (unsigned i = 0; i < 4; i++) {
		size_t len = strcspn(text, ".");
		long n = len <= 3 ? nbd_numbern(text, len, 0, 255) : -1;

		if (n < 0 || (len > 1 && *text == '0') ||
		    text[len] != (i < 3 ? '.' : '\0'))
			return false;
		ip[i] = (unsigned char)n;
		text += len + 1;
	}
	return true;
}

struct nbd_ip nbd_ip_of(const void *ip, unsigned len)
{
	struct nbd_ip addr = { .len = (uint8_t)len,
			       .prefix = (uint8_t)(8 * len) };

	memcpy(addr.ip, ip, len);
	return addr;
}

struct nbd_ip nbd_ip_nonzero(const void *ip, unsigned len)
{
	struct nbd_ip addr = nbd_ip_of(ip, len);
	unsigned any = 0;

	for (unsigned i = 0; i < len; i++)
		any |= addr.ip[i];
	if (!any)
		addr.len = 0;
	return addr;
}

bool nbd_ip_parse(struct nbd_ip *addr, const char *text)
{
	memset(addr, 0, sizeof(*addr));
	if (nbd_ip_read4(text, addr->ip))
		addr->len = 4;
	else if (nbd_ip_read6(text, addr->ip))
		addr->len = 16;
	addr->prefix = (uint8_t)nbd_ip_bits(addr);
	return addr->len;
}

bool nbd_ip_host(struct nbd_ip *addr, const char *host)
{
	size_t n = strcspn(host, "%");
	char text[48]; /* the longest address has 45 characters */

	addr->len = 0;
	if (n >= sizeof(text))
		return false;
	memcpy(text, host, n);
	text[n] = '\0';
	if (nbd_ip_parse(addr, text) && addr->len == 4 && host[n])
		addr->len = 0;
	return addr->len;
}

bool nbd_ip_link_local(const struct nbd_ip *addr)
{
	return addr->len == 16 && addr->ip[0] == 0xfe &&
	       (addr->ip[1] & 0xc0) == 0x80;
}

bool nbd_ip_same(const struct nbd_ip *a, const struct nbd_ip *b)
{
	return a->len == b->len && !memcmp(a->ip, b->ip, sizeof(a->ip));
}

bool nbd_ip_covers(const struct nbd_ip *addr, const unsigned char *ip)
{
	for (unsigned i = 0; i < addr->prefix; i++)
		if ((addr->ip[i / 8] ^ ip[i / 8]) & (0x80 >> i % 8))
			return false;
	return true;
}

unsigned nbd_ip_add(struct nbd_ip list[], unsigned n, unsigned max,
		    const struct nbd_ip *addr)
{
	for (unsigned i = 0; i < n; i++)
		if (nbd_ip_same(&list[i], addr))
			return n;
	if (n < max && addr->len)
		list[n++] = *addr;
	return n;
}

int nbd_ip_mask(const unsigned char m[4])
{
	uint32_t v = be32(m);
	int n = 0;

	for (; v & 0x80000000; v <<= 1)
		n++;
	return v ? -1 : n;
}

void nbd_ip_to_mask(unsigned prefix, unsigned char mask[4])
{
	for (unsigned i = 0; i < 4; i++) {
		unsigned bits = prefix > i * 8 ? prefix - i * 8 : 0;

		mask[i] = (unsigned char)(bits < 8 ? 0xff00u >> bits : 0xff);
	}
}

void nbd_ip_last(const struct nbd_ip *addr, unsigned char last[4])
{
	nbd_ip_to_mask(addr->prefix, last);
	for (unsigned i = 0; i < 4; i++)
		last[i] = (unsigned char)(addr->ip[i] | ~last[i]);
}
