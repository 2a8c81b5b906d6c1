/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to port/mbedtls: shared by tls.c and load.c.  Only these three files
 * use mbedTLS.
 */
#ifndef PORT_MBEDTLS_MBED_H
#define PORT_MBEDTLS_MBED_H

#include "port/mbedtls/creds.h"
#include "port/mbedtls/suite.h"
#include "port/mbedtls/tls.h"

#include <mbedtls/platform.h>
#include <mbedtls/ssl.h>

/* The credentials and settings that the connections of a session share. */
struct tls_creds {
	bool psk, has_cert;
	const struct tls_conf *conf;
	struct creds_host host;
	int suites[SUITE_MAX + 1];
	mbedtls_ssl_config ssl;
	mbedtls_x509_crt ca, cert;
	mbedtls_pk_context key;
};

/* The callbacks of every session. */
extern const struct nbd_tls tls_records;

#endif
