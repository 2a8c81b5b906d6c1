/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of files in paths, URLs and answers of DHCP. */
#include "boot/uefi/where.h"

#include <string.h>
#include <strings.h>

#include "boot/words/lease.h"
#include "boot/uefi/encoding.h"
#include "port/port.h"

#define NODE_FILE 0x0404u
#define NAME_MAX  256

/* ---- BOOTP, and options of DHCP behind it ---- */
#define NEXT_AT	   20
#define FILE_AT	   108
#define FILE_LEN   128
#define OPTIONS_AT 240
#define PAD	   0
#define OVERLOAD   52 /* 1 and 3: the field "file" holds options */
#define SERVER	   54
#define BOOT_FILE  67
#define END	   255
#define BOOT_FILE6 59

static bool beside(char *to, size_t cap, const char *from, size_t n,
		   const char *seps)
{
	while (n && !strchr(seps, from[n - 1]))
		n--;
	return nbd_fmt(to, cap, "%.*snbdboot.conf", (int)n, from) >= 0;
}

bool uefi_beside_file(char *to, size_t cap, const char *name)
{
	return beside(to, cap, name, strlen(name), "\\/");
}

bool uefi_beside_url(char *to, size_t cap, const char *url)
{
	size_t n = strcspn(url, "?#");
	const char *host = strstr(url, "://");

	if (!host)
		return false;
	host += 3;
	if (host + strcspn(host, "/?#") == url + n)
		return nbd_fmt(to, cap, "%.*s/nbdboot.conf", (int)n, url) >= 0;
	return beside(to, cap, url, n, "/");
}

bool uefi_beside_path(char *to, size_t cap, const uint8_t *p, size_t len)
{
	char own[NAME_MAX] = "";
	/* with the mark, as its first character may be any */
	uint8_t wide[2 + 2 * NAME_MAX] = { 0xff, 0xfe };
	const uint8_t *end = len ? p + len : p;
	size_t used = 0, n;
	bool more;

	while ((p = boot_lease_node(p, (size_t)(end - p), NODE_FILE, &n))) {
		int got;

		if (n - 4 > sizeof(wide) - 2)
			return false;
		memcpy(wide + 2, p + 4, n - 4);
		if (used && own[used - 1] != '\\')
			own[used++] = '\\';
		got = uefi_decode(own + used, sizeof(own) - 1 - used, wide,
				  n - 2, false, &more);
		if (got < 0)
			return false;
		used += (size_t)got;
		p += n;
	}
	return uefi_beside_file(to, cap, own);
}

/* The option's value of *n bytes; NULL: there is none. */
static const uint8_t *option(const uint8_t *p, size_t len, unsigned code,
			     size_t *n)
{
	const uint8_t *end = p + len;

	p += OPTIONS_AT;
	while (end - p >= 2 && *p != END) {
		if (*p == PAD) {
			p++;
			continue;
		}
		*n = p[1];
		if (*n > (size_t)(end - p) - 2)
			return NULL;
		if (*p == code)
			return p + 2;
		p += 2 + *n;
	}
	return NULL;
}

bool uefi_beside_bootp(char *to, size_t cap, uint8_t server[4],
		       const uint8_t *p, size_t len)
{
	static const uint8_t none[4];
	const uint8_t *name = p + FILE_AT, *at;
	size_t size = FILE_LEN, n;
	char own[NAME_MAX];

	if (len < OPTIONS_AT)
		return false;
	memcpy(server, p + NEXT_AT, 4);
	at = option(p, len, SERVER, &n);
	if (!memcmp(server, none, 4) && at && n == 4)
		memcpy(server, at, 4);
	at = option(p, len, OVERLOAD, &n);
	if (!*name || (at && n == 1 && *at & 1))
		name = option(p, len, BOOT_FILE, &size);
	if (!name)
		return false;
	nbd_fmt(own, sizeof(own), "%.*s", (int)size, (const char *)name);
	return uefi_beside_file(to, cap, own);
}

/* tftp://[ADDRESS]/NAME, where no port can be given to the firmware */
static bool split_tftp(char *url, uint8_t server[16], char **name)
{
	static const char scheme[] = "tftp://[";
	char *host = url + sizeof(scheme) - 1, *end;
	struct nbd_ip addr;

	if (strncasecmp(url, scheme, sizeof(scheme) - 1) != 0)
		return false;
	end = strchr(host, ']');
	if (!end || end[1] != '/')
		return false;
	*end = '\0';
	*name = end + 2;
	if (!nbd_ip_parse(&addr, host) || addr.len != 16)
		return false;
	memcpy(server, addr.ip, 16);
	return true;
}

bool uefi_beside_dhcp6(char *to, size_t cap, uint8_t server[16],
		       const uint8_t *p, size_t len)
{
	size_t n;
	const uint8_t *url = boot_lease_option6(p, len, BOOT_FILE6, &n);
	char own[NAME_MAX], *name;

	return url &&
	       nbd_fmt(own, sizeof(own), "%.*s", (int)n, (const char *)url) >=
		       0 &&
	       split_tftp(own, server, &name) &&
	       uefi_beside_file(to, cap, name);
}
