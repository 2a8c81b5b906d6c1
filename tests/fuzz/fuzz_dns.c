/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers of name servers. */
#include "port/dns_msg.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t q[DNS_QUERY_MAX], *p = malloc(size ? size : 1);
	struct dns_found f = { 0 };
	enum dns_type type = size & 1 ? DNS_A : DNS_AAAA;
	size_t len = dns_query(q, 0x1234, "srv.example", type);
	enum dns_answer answer;

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
	if (f.n > DNS_ADDRS ||
	    (answer == DNS_FOUND) != (f.n && answer != DNS_CUT))
		abort();
	free(p);
	return 0;
}
