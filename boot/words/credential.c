/* SPDX-License-Identifier: BSD-2-Clause */
/* Credentials as systemd passes them to a machine, in clear. */
#include "boot/words/credential.h"
#include "boot/words/smbios.h"

#include <string.h>

const struct credential_name boot_credential_names[CREDENTIALS] = {
	[CREDENTIAL_CA] = { "nbdboot.tls-ca", "ca-cert.pem" },
	[CREDENTIAL_CERT] = { "nbdboot.tls-cert", "client-cert.pem" },
	[CREDENTIAL_KEY] = { "nbdboot.tls-key", "client-key.pem" },
	[CREDENTIAL_PSK] = { "nbdboot.tls-psk", "keys.psk" },
};

/* ---- RFC 4648, 4 ---- */

/* -1: it is none of the 64. */
static int value_of(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The number of bytes, or -1. */
static long decode(uint8_t *to, size_t cap, const uint8_t *p, size_t len)
{
	uint32_t bits = 0;
	size_t n = 0, pad = 0;

	while (pad < 2 && len > pad && p[len - pad - 1] == '=')
		pad++;
	if (len % 4 || len / 4 * 3 - pad > cap)
		return -1;
	for (size_t i = 0; i < len - pad; i++) {
		int v = value_of(p[i]);

		if (v < 0)
			return -1;
		bits = bits << 6 | (uint32_t)v;
		/* of each 4 characters the first completes no byte */
		if (i % 4)
			to[n++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
	}
	return (long)n;
}

static long copy(uint8_t *to, size_t cap, const uint8_t *p, size_t len)
{
	if (len > cap)
		return -1;
	memcpy(to, p, len);
	return (long)len;
}

/* ---- the strings of SMBIOS ---- */

/* The bytes behind the prefix, or 0: p, of len bytes, does not begin so. */
static size_t skip(const uint8_t *p, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len >= n && !memcmp(p, prefix, n) ? n : 0;
}

/* The value if the string is PREFIX NAME=VALUE; otherwise NULL. */
static const uint8_t *value(const char *name, const char *prefix,
			    const uint8_t *p, size_t *len)
{
	size_t at = skip(p, *len, prefix), n;

	n = at ? skip(p + at, *len - at, name) : 0;
	at += n;
	if (!n || at == *len || p[at] != '=')
		return NULL;
	*len -= at + 1;
	return p + at + 1;
}

/* boot_credential_find() in one string. */
static long find_in_string(const char *name, const uint8_t *p, size_t len,
			   uint8_t *to, size_t cap)
{
	size_t n = len;
	const uint8_t *v = value(name, "io.systemd.credential:", p, &n);

	if (v)
		return copy(to, cap, v, n);
	v = value(name, "io.systemd.credential.binary:", p, &n);
	return v ? decode(to, cap, v, n) : 0;
}

long boot_credential_find(unsigned which, const uint8_t *tables, size_t len,
			  uint8_t *to, size_t cap)
{
	const char *name = boot_credential_names[which].name;
	const uint8_t *p = tables;
	size_t n;

	for (; (n = smbios_size(p, len)) && p[0] != SMBIOS_END;
	     p += n, len -= n) {
		if (p[0] != SMBIOS_OEM)
			continue;
		for (size_t at = p[1]; p[at];) {
			size_t text = strlen((const char *)p + at);
			long rc = find_in_string(name, p + at, text, to, cap);

			if (rc)
				return rc;
			at += text + 1;
		}
	}
	return 0;
}

bool boot_credential_plausible(unsigned which, const uint8_t *p, size_t len)
{
	if (which == CREDENTIAL_PSK)
		return memchr(p, ':', len);
	for (size_t i = 0; i < len; i++)
		if (skip(p + i, len - i, "-----BEGIN "))
			return true;
	return false;
}
