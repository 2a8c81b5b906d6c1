/* SPDX-License-Identifier: BSD-2-Clause */
/* Several URIs in one text, separated by commas. */
#ifndef BOOT_WORDS_URIS_H
#define BOOT_WORDS_URIS_H

#include <stddef.h>

#include "core/nbd_uri.h"

/* The largest number of URIs for one device. */
#if defined(CONFIG_BOOT_RECONNECT) || defined(CONFIG_WORLD_UEFI)
#define BOOT_URIS 4
#else
#define BOOT_URIS 1
#endif

/*
 * The length of the first URI.  An export name may contain commas: a comma ends
 * the URI only if another URI follows, with its two slashes.
 */
size_t boot_uris_first(const char *text);

/*
 * nbdboot.tls=require: the reason why one of n URIs is forbidden, or NULL.  A
 * server must use TLS and prove its identity, so that no message from DHCP or
 * from an attacker on the network can replace the root.
 */
const char *boot_uris_forbidden(const struct nbd_uri u[], unsigned n);

/* Prints a URI, for messages; cut if it is longer than cap - 1. */
void boot_uri_show(const struct nbd_uri *u, char *buf, size_t cap);

#endif
