/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers of name servers. */
#include "port/dns_msg.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct dns_target *t)
{
	size_t n = strnlen(t->name, DNS_NAME_MAX);

	if (n == DNS_NAME_MAX || t->name[0] == '-' || (n && !t->port))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t q[DNS_QUERY_MAX], *p = malloc(size ? size : 1);
	struct dns_target *t = malloc(DNS_TARGETS * sizeof(*t));
	struct dns_found f = { .target = t };
	static const enum dns_type types[] = { DNS_AAAA, DNS_A, DNS_SRV,
					       DNS_SRV };
	enum dns_type type = types[size & 3];
	size_t len = dns_query(q, 0x1234, "srv.example", type);
	enum dns_answer answer;
	uint32_t random = 1;

	if (size)
		memcpy(p, data, size);
	/* past what is easy to guess */
	if (size >= len) {
		memcpy(p, q, 2);
		memcpy(p + 12, q + 12, len - 12);
		p[2] |= 0x80;
		memcpy(p + 4, "\0\1", 2);
	}
	answer = dns_read(p, size, q, len, &f);
	if (f.n > (type == DNS_SRV ? DNS_TARGETS : DNS_ADDRS) ||
	    (answer == DNS_FOUND) != (f.n && answer != DNS_CUT))
		abort();
	for (unsigned i = 0; i < f.n && type == DNS_SRV; i++)
		check(&t[i]);
	if (type == DNS_SRV)
		dns_srv_order(t, f.n, &random);
	free(t);
	free(p);
	return 0;
}
