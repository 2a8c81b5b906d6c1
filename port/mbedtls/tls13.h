/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to port/mbedtls: what TLS 1.3 needs beside TLS 1.2. */
#ifndef PORT_MBEDTLS_TLS13_H
#define PORT_MBEDTLS_TLS13_H

#include "port/mbedtls/mbed.h"

#ifdef CONFIG_PORT_TLS13

/* Prepares a configuration; false: out of memory. */
bool tls13_init(mbedtls_ssl_config *conf, bool psk);
/* For the callback of exported keys: keeps those of data. */
void tls13_secret(struct tls_peer *p, mbedtls_ssl_key_export_type type,
		  const unsigned char *secret, size_t len);
/* Like tls_keys(), for a handshake of TLS 1.3. */
bool tls13_keys(const struct tls_peer *p, struct nbd_tls_keys *keys);
/* After records_init(): its keys can change. */
void tls13_records(struct tls_peer *p, struct records *r, enum nbd_aead aead);

#ifdef CONFIG_PORT_TLS_RESUME
/* A session has a name of its own, which its copy takes over. */
static inline void tls13_leave_name(mbedtls_ssl_session *from)
{
	from->hostname = NULL;
}
#endif

#else

static inline bool tls13_init(mbedtls_ssl_config *conf, bool psk)
{
	(void)conf, (void)psk;
	return true;
}

static inline void tls13_secret(struct tls_peer *p,
				mbedtls_ssl_key_export_type type,
				const unsigned char *secret, size_t len)
{
	(void)p, (void)type, (void)secret, (void)len;
}

static inline bool tls13_keys(const struct tls_peer *p,
			      struct nbd_tls_keys *keys)
{
	(void)p, (void)keys;
	return false;
}

static inline void tls13_leave_name(mbedtls_ssl_session *from)
{
	(void)from;
}

static inline void tls13_records(struct tls_peer *p, struct records *r,
				 enum nbd_aead aead)
{
	(void)p, (void)r, (void)aead;
}

#endif
#endif
