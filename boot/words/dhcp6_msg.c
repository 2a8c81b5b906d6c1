/* SPDX-License-Identifier: BSD-2-Clause */
/* The codec of stateless DHCPv6: a table of the options that are read. */
#include "boot/words/dhcp6_msg.h"

#include <string.h>

#include "boot/words/option6.h"
#include "core/nbd_uri.h"

/* Messages (RFC 8415, 7.3). */
enum { REPLY = 7, INFORMATION_REQUEST = 11 };

#define HEAD   OPTION6_HEAD
#define ID_MAX 130

/*
 * 32 and 83 must be asked for (RFC 8415, 21.7), but are not used: the answers
 * serve for one boot, and the caller gives up long before INF_MAX_RT.
 */
static const uint8_t ask_for[] = { 0, DNS, 0, DOMAINS,	  0, REFRESH_TIME,
				   0, URL, 0, PARAMETERS, 0, INF_MAX_RT };

static uint32_t be24(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | be16(p + 1);
}

/* ---- writing ---- */

size_t boot_dhcp6_build(uint8_t buf[DHCP6_MAX], uint32_t xid,
			const uint8_t mac[6], uint16_t elapsed)
{
	const uint8_t time[2] = { (uint8_t)(elapsed >> 8), (uint8_t)elapsed };
	uint8_t duid[DUID_LL], *p = buf + HEAD;

	buf[0] = INFORMATION_REQUEST;
	buf[1] = (uint8_t)(xid >> 16);
	buf[2] = (uint8_t)(xid >> 8);
	buf[3] = (uint8_t)xid;
	duid_ll(duid, mac);
	p = option6_put(p, CLIENT_ID, duid, sizeof(duid));
	p = option6_put(p, ELAPSED, time, sizeof(time));
	p = option6_put(p, ASK_FOR, ask_for, sizeof(ask_for));
	return (size_t)(option6_vendor(p) - buf);
}

/* ---- reading ---- */

struct reading {
	uint8_t duid[DUID_LL]; /* ours */
	struct dhcp6_reply *reply;
	const uint8_t *parameters;
	size_t n_parameters; /* bytes */
};

/* Reads the value of an option; false: the message is not for us. */
typedef bool take(struct reading *r, const uint8_t *p, size_t len);

static bool take_client(struct reading *r, const uint8_t *p, size_t len)
{
	return len == DUID_LL && !memcmp(p, r->duid, DUID_LL);
}

static bool take_server(struct reading *r, const uint8_t *p, size_t len)
{
	(void)r, (void)p;
	/* a type of 2 bytes, and something that differs by server */
	return len > 2 && len <= ID_MAX;
}

static bool take_status(struct reading *r, const uint8_t *p, size_t len)
{
	(void)r;
	return len >= 2 && !be16(p);
}

/* False for ::, loopback and multicast. */
static bool usable(const uint8_t a[16])
{
	static const uint8_t zeros[15];

	return a[0] != 0xff && (a[15] > 1 || memcmp(a, zeros, 15) != 0);
}

static bool take_dns(struct reading *r, const uint8_t *p, size_t len)
{
	struct dhcp6_reply *y = r->reply;

	for (; len >= 16; p += 16, len -= 16)
		if (!usable(p) || y->n_dns == DHCP6_DNS)
			y->left |= DHCP6_LEFT_DNS;
		else
			y->dns[y->n_dns++] = nbd_ip_of(p, 16);
	if (len)
		y->left |= DHCP6_LEFT_DNS;
	return true;
}

/* RFC 8415, 10, forbids pointers. */
static bool take_domains(struct reading *r, const uint8_t *p, size_t len)
{
	if (!boot_domains_read(r->reply->domain, p, len, false))
		r->reply->left |= DHCP6_LEFT_DOMAINS;
	return true;
}

static bool take_url(struct reading *r, const uint8_t *p, size_t len)
{
	size_t i = 0;

	/* some servers send the NUL of a text */
	while (len && !p[len - 1])
		len--;
	while (i < len && p[i] >= ' ' && p[i] <= '~')
		i++;
	if (i < len || len >= sizeof(r->reply->url))
		r->reply->left |= DHCP6_LEFT_URL;
	else
		memcpy(r->reply->url, p, len);
	return true;
}

/* They count when all else is known. */
static bool take_parameters(struct reading *r, const uint8_t *p, size_t len)
{
	r->parameters = p;
	r->n_parameters = len;
	return true;
}

static const struct option {
	uint8_t code;
	bool once; /* a message that has it twice is malformed */
	take *fn;
} options[] = {
	{ CLIENT_ID, true, take_client },
	{ SERVER_ID, true, take_server },
	{ STATUS, true, take_status },
	{ DNS, false, take_dns },
	{ DOMAINS, false, take_domains },
	{ URL, false, take_url },
	{ PARAMETERS, false, take_parameters },
};
#define N_OPTIONS (sizeof(options) / sizeof(options[0]))

/* Bits of options[]. */
#define BOTH_IDS 3u

/* The first of several options of one kind counts. */
static bool take_option(struct reading *r, unsigned *seen, unsigned code,
			const uint8_t *p, size_t len)
{
	const struct option *o = options;
	unsigned bit;

	while (o < options + N_OPTIONS && o->code != code)
		o++;
	if (o == options + N_OPTIONS)
		return true;
	bit = 1u << (o - options);
	if (*seen & bit)
		return !o->once;
	*seen |= bit;
	return o->fn(r, p, len);
}

const char *boot_dhcp6_left(const struct dhcp6_reply *r, unsigned *at)
{
	static const char *const texts[] = {
		"DNS servers (23): more than 6, or no addresses of servers",
		"domains (24): malformed, or more than 255 bytes",
		"the boot file (59): more than 512 bytes, or not ASCII",
	};

	while (*at < sizeof(texts) / sizeof(*texts))
		if (r->left >> (*at)++ & 1)
			return texts[*at - 1];
	return NULL;
}

void boot_dhcp6_config(struct dhcp6_reply *r, unsigned code, const uint8_t *p,
		       size_t len)
{
	struct reading reading = { .reply = r };

	if (code == DNS && !r->n_dns)
		take_dns(&reading, p, len);
	else if (code == DOMAINS && !r->domain[0])
		take_domains(&reading, p, len);
	else if (code == URL && !r->url[0])
		take_url(&reading, p, len);
}

void boot_dhcp6_parameters(struct dhcp6_reply *r, const uint8_t *p, size_t len)
{
	struct dhcp6_reply url;
	size_t n;

	if (nbd_is_uri(r->url))
		return;
	for (; len >= 2 && be16(p) <= len - 2; p += n, len -= n) {
		n = 2u + be16(p);
		memset(&url, 0, sizeof(url));
		boot_dhcp6_config(&url, URL, p + 2, n - 2);
		if (nbd_is_uri(url.url)) {
			memcpy(r->url, url.url, sizeof(url.url));
			return;
		}
	}
}

bool boot_dhcp6_parse(const uint8_t *p, size_t len, uint32_t xid,
		      const uint8_t mac[6], struct dhcp6_reply *reply)
{
	struct reading r = { .reply = reply };
	unsigned seen = 0;

	memset(reply, 0, sizeof(*reply));
	duid_ll(r.duid, mac);
	if (len < HEAD || p[0] != REPLY || be24(p + 1) != xid)
		return false;
	p += HEAD;
	len -= HEAD;
	while (len) {
		size_t n;

		if (len < HEAD || be16(p + 2) > len - HEAD)
			return false;
		n = be16(p + 2);
		if (!take_option(&r, &seen, be16(p), p + HEAD, n))
			return false;
		p += HEAD + n;
		len -= HEAD + n;
	}
	boot_dhcp6_parameters(reply, r.parameters, r.n_parameters);
	return (seen & BOTH_IDS) == BOTH_IDS;
}
