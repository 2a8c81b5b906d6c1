/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot.efi: what to boot as text (nbdboot.conf, LoadOptions), where that text
 * is and how it comes, and frames before there is a stack.
 */
#include "boot/uefi/where.h"
#include "boot/words/conf.h"
#include "boot/uefi/encoding.h"
#include "boot/words/lease.h"
#include "port/uefi/http_body.h"
#include "port/utf8.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t mac[6] = { 0x52, 0x54, 0, 1, 2, 3 };

static void same(bool yes)
{
	if (!yes)
		abort();
}

/* A copy flush against its end, which the sanitizer guards. */
static void *copy(const uint8_t *data, size_t size, size_t more)
{
	unsigned char *p = calloc(1, size + more ? size + more : 1);

	if (size)
		memcpy(p, data, size);
	return p;
}

static bool within(const struct boot_conf *c, const char *p)
{
	return p >= c->text && p < c->text + sizeof(c->text) &&
	       memchr(p, '\0', (size_t)(c->text + sizeof(c->text) - p));
}

static void check_conf(const uint8_t *data, size_t size)
{
	static struct boot_conf c;
	char *text = copy(data, size, 1);
	struct nbd_diag d = { "" };

	if (boot_conf_parse(&c, text, &d)) {
		same(d.text[0]);
		free(text);
		return;
	}
	same(memchr(c.words, '\0', sizeof(c.words)));
	same(!c.kernel || within(&c, c.kernel));
	same(c.initrds <= CONF_INITRDS && (c.kernel || !c.initrds));
	for (unsigned i = 0; i < c.initrds; i++)
		same(within(&c, c.initrd[i]));
	same(c.root.uris || c.root.from_dhcp);
	free(text);
}

static void check_frame(const uint8_t *data, size_t size)
{
	uint8_t *p = copy(data, size, 0);
	struct ip_config ip;
	struct dhcp_lease l;
	char text[512];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };

	if (boot_dhcp_parse(p, size, 1, mac, &l) == DHCP_ACK)
		boot_lease_put(&o, &l, "auto6");
	same(o.len <= sizeof(text));
	/* the packet that PXE keeps */
	if (boot_lease_packet(&l, p, size, mac))
		same(l.addr.prefix >= 1 && l.addr.prefix <= 32);
	/* that of HTTP boot */
	if (boot_lease_path(&l, p, size))
		same(l.addr.prefix >= 1 && l.addr.prefix <= 32 && l.n_dns <= 3);
	if (boot_lease_path6(&ip, p, size))
		same(ip.client.prefix >= 1 && ip.client.prefix <= 128);
	if (size >= 16)
		boot_lease_packet6(&ip, p, p, size);
	free(p);
}

/* In a room that is too small for some. */
static void check_encoding(const uint8_t *data, size_t size)
{
	uint8_t *p = copy(data, size, 0);
	char text[64];
	bool more;

	for (int ansi = 0; ansi < 2; ansi++) {
		int n = uefi_decode(text, sizeof(text), p, size, ansi, &more);

		if (n < 0)
			continue;
		same((size_t)n == strlen(text));
		for (int at = 0; at < n;) {
			size_t k = nbd_utf8_valid(text + at, (size_t)(n - at));

			same(k && text[at] != '\r');
			at += (int)k;
		}
	}
	free(p);
}

static void check_names(const uint8_t *data, size_t size)
{
	static const char file[] = "nbdboot.conf";
	uint8_t *p = copy(data, size, 0), server[16];
	char *text = copy(data, size, 1), to[128];
	const size_t end = sizeof(file) - 1;
	bool found[] = {
		uefi_beside_file(to, sizeof(to), text) &&
			!strcmp(to + strlen(to) - end, file),
		uefi_beside_url(to, sizeof(to), text) &&
			!strcmp(to + strlen(to) - end, file),
		uefi_beside_path(to, sizeof(to), p, size) &&
			!strcmp(to + strlen(to) - end, file),
		uefi_beside_bootp(to, sizeof(to), server, p, size) &&
			!strcmp(to + strlen(to) - end, file),
		uefi_beside_dhcp6(to, sizeof(to), server, p, size) &&
			!strcmp(to + strlen(to) - end, file),
	};

	same(found[0] || size + end >= sizeof(to));
	free(text);
	free(p);
}

/* The first byte is the framing. */
static void check_body(const uint8_t *data, size_t size)
{
	struct efi_http_body b = { .length = 0 };
	char *p;
	int n;

	if (!size)
		return;
	p = copy(data + 1, size - 1, 0);
	b.chunked = *data & 1;
	b.has_length = *data & 2;
	b.length = *data >> 2;
	n = efi_http_body_end(&b, p, size - 1, false);
	same(n < 0 || (size_t)n < size);
	if (n == NBD_E_AGAIN)
		n = efi_http_body_end(&b, p, size - 1, true);
	same(n != NBD_E_AGAIN);
	free(p);
	p = copy(data, size, 1);
	efi_http_body_header(&b, "Content-Length", p);
	efi_http_body_header(&b, "Transfer-Encoding", p);
	efi_http_body_header(&b, p, p);
	free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_encoding(data, size);
	check_names(data, size);
	check_body(data, size);
	check_conf(data, size);
	check_frame(data, size);
	return 0;
}
