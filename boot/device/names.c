/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of a device in /dev/disk/by-id. */
#include "boot/device/names.h"

#include <string.h>

#include "port/port.h"
#include "port/utf8.h"

static bool stays(char c, const char *also)
{
	char lower = (char)(c | 0x20);

	return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') ||
	       (c && strchr(also, c));
}

/* Bytes of the character at p if it stays as it is, or 0. */
static size_t plain(const char *p, size_t len, const char *also)
{
	/* -part2 is the second partition's */
	bool part = len > 5 && !memcmp(p, "-part", 5);
	size_t n = nbd_utf8_printable(p, len);

	return n > 1 || (stays(*p, also) && !part) ? n : 0;
}

static void put(struct nbd_out *o, const char *p, size_t len, const char *also)
{
	for (size_t n; len; p += n, len -= n) {
		n = plain(p, len, also);
		nbd_put(o, p, n);
		if (n)
			continue;
		nbd_putf(o, "\\x%02x", (unsigned char)*p);
		n = 1;
	}
}

int device_name(char name[DEVICE_NAME_BUF], const struct nbd_uri *u, bool brief)
{
	struct nbd_out o = { .buf = name, .cap = DEVICE_NAME_BUF - 1 };
	bool v6 = strchr(u->host, ':');

	if (brief && (u->is_unix || u->port != NBD_PORT))
		return NBD_E_NOT_FOUND;
	if (u->is_unix) {
		nbd_putf(&o, "unix:");
		put(&o, u->socket, u->socket_len, "#+-.:=@");
	} else {
		/* 2001:db8::1:5 would be another address */
		put(&o, "[", v6, "");
		put(&o, u->host, strlen(u->host), "#+-.:=@");
		put(&o, "]", v6, "");
	}
	if (!u->is_unix && !brief)
		nbd_putf(&o, ":%u", u->port);
	nbd_put(&o, "_", 1);
	put(&o, u->name, u->name_len, "#+-.:=@_");
	name[o.len] = '\0';
	return o.cut ? NBD_E_NO_MEMORY : NBD_OK;
}
