/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parser and the printer of URIs share. */
#ifndef CORE_URI_H
#define CORE_URI_H

#include "core/nbd.h"
#include "core/nbd_uri.h"

/* The keys of the query, in the order in which they are printed. */
enum key { SOCKET, TYPE, VERIFY, HOSTNAME, CERTIFICATES, PSK_FILE, KEYS };
static const char *const key_names[KEYS] = {
	"socket",	"tls-type",	    "tls-verify-peer",
	"tls-hostname", "tls-certificates", "tls-psk-file",
};
static const char *const tls_types[] = { "", "anon", "x509", "psk" };
static const char *const schemes[] = { "nbd", "nbds", "nbd+unix", "nbds+unix" };

/* Need no escaping, as letters, digits and "-._~" (RFC 3986). */
#define SUB_DELIMS "!$'()*+,;="
static const char in_user[] = SUB_DELIMS "&";
static const char in_name[] = SUB_DELIMS "&:@/";
static const char in_value[] = SUB_DELIMS ":@/?";

static inline bool in(const char *set, char c)
{
	while (*set && *set != c)
		set++;
	return *set != '\0';
}

static inline char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_unreserved(char c)
{
	return (lower(c) >= 'a' && lower(c) <= 'z') || is_digit(c) ||
	       in("-._~", c);
}

#endif
