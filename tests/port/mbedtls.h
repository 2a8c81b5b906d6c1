/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configuration of mbedTLS for programs that test (MBEDTLS_CONFIG_FILE):
 * that of the product, and servers, whose certificates they make themselves.
 * Its memory is the system's: the sanitizers see where a block ends.
 */
#ifndef TESTS_PORT_MBEDTLS_H
#define TESTS_PORT_MBEDTLS_H

#include "port/mbedtls/config.h"

#define MBEDTLS_SSL_SRV_C
#define MBEDTLS_SSL_CACHE_C
#undef MBEDTLS_SSL_CIPHERSUITES /* a server takes all */
#define MBEDTLS_SSL_RENEGOTIATION
#ifdef MBEDTLS_SSL_SESSION_TICKETS
#define MBEDTLS_SSL_TICKET_C
#undef MBEDTLS_PLATFORM_MS_TIME_ALT /* a server asks for them */
#endif
#define MBEDTLS_PK_WRITE_C
#define MBEDTLS_PEM_WRITE_C
#define MBEDTLS_X509_CREATE_C
#define MBEDTLS_X509_CRT_WRITE_C

#undef MBEDTLS_PLATFORM_CALLOC_MACRO
#undef MBEDTLS_PLATFORM_FREE_MACRO

#endif
