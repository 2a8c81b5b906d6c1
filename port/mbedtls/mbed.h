/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to port/mbedtls: shared by tls.c, tls13.c, verify.c and load.c.  Only
 * these and fault.c use mbedTLS.
 */
#ifndef PORT_MBEDTLS_MBED_H
#define PORT_MBEDTLS_MBED_H

#include "port/mbedtls/creds.h"
#include "port/mbedtls/records.h"
#include "port/mbedtls/suite.h"
#include "port/mbedtls/tls.h"

/* mbedTLS tells nobody at which step a handshake failed, and by which alert. */
#define MBEDTLS_ALLOW_PRIVATE_ACCESS
#include <mbedtls/platform.h>
#include <mbedtls/ssl.h>

#define TLS_KEY_MAX 32u
#define TLS_IV_MAX  12u

/* The credentials and settings that the connections of a session share. */
struct tls_creds {
	bool psk, has_cert;
	const struct tls_conf *conf;
	struct creds_host host;
	unsigned without;      /* see tls_aim() */
	struct resume *resume; /* resume.h, or NULL */
	int suites[SUITE_MAX + 1];
	mbedtls_ssl_config ssl;
	mbedtls_x509_crt ca, cert;
	mbedtls_pk_context key;
};

/* One connection; its first member is the transport that others see. */
struct tls_peer {
	struct nbd_transport t;
	struct nbd_transport *below;
	struct tls_session *session;
	const struct tls_creds *creds;
	unsigned conn;
	mbedtls_ssl_context ssl;
	struct records *records; /* in place of ssl, or NULL */
	const char *suite;	 /* after the handshake: its name */
	bool is_13;		 /* ... and TLS 1.3 */
	size_t pending; /* payload bytes of a record that waits to be sent */
	int err;	/* of the transport below */
	bool asked;	/* for our certificate */
	bool keyed;	/* block[] has keys, or secrets[]: until transport() */
	bool heard;	/* data came */
	bool offered;	/* in this handshake, a session: resume.h */
	/* by verify_certificate(): called, and the first end in the chain */
	bool proved;
	mbedtls_x509_time until;
	/* its findings, for messages */
	mbedtls_x509_time date;
	bool self_signed;
	bool address_as_name; /* the host, in place of an address */
	const char *unfit;    /* why a CA certificate is refused, or NULL */
	bool secured;
	/* key block: the client's and the server's key, then their ivs */
	unsigned char block[2 * (TLS_KEY_MAX + TLS_IV_MAX)];
	/* TLS 1.3: of the server's data, and of ours */
	unsigned char secrets[2][RECORD_SECRET];
	size_t secret_len;
	char names[128];
};

/*
 * For mbedtls_ssl_set_verify(): called for each certificate of the chain, from
 * the root to the server's; arg is the struct tls_peer.
 */
int verify_certificate(void *arg, mbedtls_x509_crt *crt, int depth,
		       uint32_t *flags);
/* Why the chain was refused. */
int verify_explain(struct tls_peer *p, struct nbd_diag *d);

/* The callbacks of every session. */
extern const struct nbd_tls tls_records;

#endif
