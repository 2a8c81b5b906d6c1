/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of TLS: suites and alerts. */
#ifndef PORT_MBEDTLS_SUITE_H
#define PORT_MBEDTLS_SUITE_H

#include "port/tls.h"

#define SUITE_MAX 6

/*
 * Fills ids with what to offer, best first, and a 0 behind; returns how many.
 * without: a mask of 1 << enum nbd_aead.
 */
unsigned suite_choose(int ids[SUITE_MAX + 1], bool psk, unsigned without);

/* Of one of those. */
enum nbd_aead suite_aead(int id);

/* "handshake_failure" */
const char *suite_alert(unsigned number);

#endif
