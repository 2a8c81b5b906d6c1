/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two codecs of DHCPv6 share: options (RFC 8415, 21.1), who we are. */
#ifndef BOOT_WORDS_OPTION6_H
#define BOOT_WORDS_OPTION6_H

#include "core/be.h"

#include <stddef.h>
#include <string.h>

#define OPTION6_HEAD 4 /* bytes before a message's or an option's content */

/* Options: RFC 8415, RFC 3646 (DNS, DOMAINS), RFC 5970 (URL, PARAMETERS). */
enum {
	CLIENT_ID = 1,
	SERVER_ID = 2,
	IA_NA = 3,
	IA_ADDRESS = 5,
	ASK_FOR = 6,
	PREFERENCE = 7,
	ELAPSED = 8,
	STATUS = 13,
	RAPID_COMMIT = 14,
	DNS = 23,
	DOMAINS = 24,
	REFRESH_TIME = 32,
	URL = 59,
	PARAMETERS = 60,
	SOL_MAX_RT = 82,
	INF_MAX_RT = 83,
};

/* Both return where the next bytes go. */
static inline uint8_t *option6_head(uint8_t *p, unsigned code, size_t len)
{
	put16(p, (uint16_t)code);
	put16(p + 2, (uint16_t)len);
	return p + OPTION6_HEAD;
}

static inline uint8_t *option6_put(uint8_t *p, unsigned code, const void *data,
				   size_t len)
{
	p = option6_head(p, code, len);
	memcpy(p, data, len);
	return p + len;
}

/* The vendor class.  There is no enterprise number of ours: 0 is reserved. */
#define OPTION6_VENDOR 17 /* bytes */

static inline uint8_t *option6_vendor(uint8_t *p)
{
	return option6_put(p, 16, "\0\0\0\0\0\7nbdboot", OPTION6_VENDOR - 4);
}

/* DUID-LL (RFC 8415, 11.4) of Ethernet: the same at each boot. */
#define DUID_LL 10

static inline void duid_ll(uint8_t duid[DUID_LL], const uint8_t mac[6])
{
	static const uint8_t type[4] = { 0, 3, 0, 1 };

	memcpy(duid, type, sizeof(type));
	memcpy(duid + sizeof(type), mac, 6);
}

#endif
