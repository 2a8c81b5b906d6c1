/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of a router advertisement, behind the kernel's header. */
#include "boot/net/ra.h"

#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define MAX 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same(bool yes)
{
	if (!yes)
		abort();
}

static void check(const unsigned char *p, size_t len)
{
	struct nbd_ip dns[MAX + 1];
	char domains[BOOT_DOMAINS + 1] = { [BOOT_DOMAINS] = 'x' };
	unsigned n, again;

	net_ra_domains(p, len, 1, domains);
	same(strlen(domains) < BOOT_DOMAINS && domains[BOOT_DOMAINS] == 'x');
	memset(dns, 0x5a, sizeof(dns));
	n = net_ra_dns(p, len, 1, dns, 0, MAX);
	same(n <= MAX && dns[n].len == 0x5a);
	for (unsigned i = 0; i < n; i++) {
		same(dns[i].len == 16 && dns[i].prefix == 128);
		for (unsigned k = 0; k < i; k++)
			same(memcmp(dns[i].ip, dns[k].ip, 16) != 0);
	}
	again = net_ra_dns(p, len, 1, dns, n, MAX);
	same(again == n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nduseroptmsg h = { .nduseropt_opts_len = (uint16_t)size,
				  .nduseropt_ifindex = 1 };
	unsigned char *p = malloc(sizeof(h) + size);

	/* with the input's header, then with one that fits */
	if (size) {
		unsigned char *q = malloc(size);

		check(memcpy(q, data, size), size);
		free(q);
	}
	memcpy(p, &h, sizeof(h));
	if (size)
		memcpy(p + sizeof(h), data, size);
	check(p, sizeof(h) + size);
	free(p);
	return 0;
}
