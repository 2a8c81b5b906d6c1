/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot.efi: what to boot as text (nbdboot.conf, LoadOptions), and frames
 * before there is a stack.
 */
#include "boot/uefi/conf.h"
#include "boot/uefi/lease.h"

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

static bool within(const struct uefi_conf *c, const char *p)
{
	return p >= c->text && p < c->text + sizeof(c->text) &&
	       memchr(p, '\0', (size_t)(c->text + sizeof(c->text) - p));
}

static void check_conf(const uint8_t *data, size_t size)
{
	static struct uefi_conf c;
	char *text = copy(data, size, 1);
	struct nbd_diag d = { "" };

	if (uefi_conf_parse(&c, text, &d)) {
		same(d.text[0]);
		free(text);
		return;
	}
	same(memchr(c.words, '\0', sizeof(c.words)));
	same(!c.kernel || within(&c, c.kernel));
	same(c.initrds <= UEFI_INITRDS && (c.kernel || !c.initrds));
	for (unsigned i = 0; i < c.initrds; i++)
		same(within(&c, c.initrd[i]));
	same(c.root.uris || c.root.from_dhcp);
	free(text);
}

static void check_frame(const uint8_t *data, size_t size)
{
	uint8_t *p = copy(data, size, 0);
	struct dhcp_lease l;
	char text[512];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };

	if (net_dhcp_parse(p, size, 1, mac, &l) == DHCP_ACK)
		uefi_lease_put(&o, &l, "auto6");
	same(o.len <= sizeof(text));
	/* the packet that PXE keeps */
	if (uefi_lease_packet(&l, p, size, mac))
		same(l.prefix >= 1 && l.prefix <= 32);
	/* that of HTTP boot */
	if (uefi_lease_path(&l, p, size))
		same(l.prefix >= 1 && l.prefix <= 32 && l.n_dns <= DHCP_DNS);
	free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_conf(data, size);
	check_frame(data, size);
	return 0;
}
