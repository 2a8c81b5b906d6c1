/* SPDX-License-Identifier: BSD-2-Clause */
/* Replies of DHCPv6, and the client that they reach. */
#include "boot/net/dhcp6.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t mac[6] = { 0x52, 0x54, 0, 1, 2, 3 };

static void same(bool yes)
{
	if (!yes)
		abort();
}

static void check_text(const char *text, size_t cap, const char *but)
{
	same(memchr(text, '\0', cap));
	for (; *text; text++)
		same(*text >= ' ' && *text <= '~' && !strchr(but, *text));
}

static void check_reply(const struct dhcp6_reply *r)
{
	same(r->n_dns <= DHCP6_DNS);
	for (unsigned i = 0; i < r->n_dns; i++)
		same(r->dns[i].ip[0] != 0xff);
	check_text(r->domain, sizeof(r->domain), "'\"$`/\\");
	check_text(r->url, sizeof(r->url), "");
}

/* The message as it is, and then as an answer to the client. */
static void check_client(uint8_t *p, size_t size)
{
	uint8_t buf[DHCP6_MAX];
	struct dhcp6 d;
	bool done;

	net_dhcp6_start(&d, mac, 1, 1000);
	same(!net_dhcp6_take(&d, p, size));
	net_dhcp6_send(&d, buf, d.due);
	if (size >= 4)
		memcpy(p + 1, buf + 1, 3);
	done = net_dhcp6_take(&d, p, size);
	same(done == d.answered);
	if (done)
		check_reply(&d.reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t head[] = "\7\0\0\1"
				      "\0\1\0\x0a\0\3\0\1\x52\x54\0\1\2\3"
				      "\0\2\0\3abc";
	const size_t n = sizeof(head) - 1;
	/* flush against its end, which the sanitizer guards */
	uint8_t *p = malloc(n + size);
	struct dhcp6_reply r;

	/* past what is hard to guess: the input is the options */
	memcpy(p, head, n);
	if (size)
		memcpy(p + n, data, size);
	if (boot_dhcp6_parse(p, n + size, 1, mac, &r))
		check_reply(&r);
	check_client(p, n + size);
	free(p);
	p = malloc(size ? size : 1);
	if (size)
		memcpy(p, data, size);
	check_client(p, size);
	free(p);
	return 0;
}
