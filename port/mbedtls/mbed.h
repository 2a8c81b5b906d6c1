/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to port/mbedtls: what tls.c and load.c share.  These three files are
 * all that knows of mbedTLS.
 */
#ifndef PORT_MBEDTLS_MBED_H
#define PORT_MBEDTLS_MBED_H

#include "port/mbedtls/creds.h"
#include "port/mbedtls/suite.h"
#include "port/mbedtls/tls.h"

#include <mbedtls/platform.h>
#include <mbedtls/ssl.h>

/* What the connections of a session have in common. */
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
