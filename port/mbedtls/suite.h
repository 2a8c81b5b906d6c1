/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of TLS cipher suites and alerts. */
#ifndef PORT_MBEDTLS_SUITE_H
#define PORT_MBEDTLS_SUITE_H

#include "port/tls.h"

#ifdef CONFIG_PORT_TLS13
#define SUITE_13       1
#define SUITE_MAX      9
#define SUITE_VERSIONS "TLS 1.2 and 1.3"
#else
#define SUITE_13       0
#define SUITE_MAX      6
#define SUITE_VERSIONS "TLS 1.2"
#endif

/*
 * Fills ids with the suites to offer, best first, and a 0 after the last one;
 * returns their number.  without: ciphers to leave out, a mask of
 * 1 << enum nbd_aead, and TLS_ONLY_12.
 */
unsigned suite_choose(int ids[SUITE_MAX + 1], bool psk, unsigned without);

/* The cipher of a suite that suite_choose() returned. */
enum nbd_aead suite_aead(int id);
/* The bytes of a key of that cipher. */
size_t suite_key_len(enum nbd_aead aead);

/* The name of an alert in RFC 5246, such as "handshake_failure". */
const char *suite_alert(unsigned number);

#endif
