/* SPDX-License-Identifier: BSD-2-Clause */
/* A server of mbedTLS in memory, for a client of port/mbedtls.  Included once. */
#ifndef TESTS_PORT_TLS_SERVER_H
#define TESTS_PORT_TLS_SERVER_H

#include "tests/unit.h"
#include "port/mbedtls/creds.h"
#include "port/mbedtls/tls.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>

#define PIPE_MAX 65536u
#define NEVER	 PIPE_MAX

/* Bytes on their way. */
struct pipe {
	unsigned char buf[PIPE_MAX];
	size_t n, taken;
	size_t cut;  /* the end of the stream, when so many were taken */
	size_t flip; /* this byte arrives changed */
	size_t step; /* at most so many are taken at once */
};

/* A server, and the transport by which the client of that number gets there. */
struct server {
	struct nbd_transport below; /* first */
	struct pipe to_server, to_client;
	mbedtls_ssl_context ssl;
	mbedtls_ssl_config config;
	/* without a certificate */
	const char *user;
	const unsigned char *psk;
	size_t psk_len;
};

static struct server servers[2], *srv = servers;
static struct tls_session sessions[2];
static mbedtls_x509_crt cert;
static mbedtls_pk_context key;
static unsigned char server_block[88];
static char ca_path[] = "/tmp/tls-ca-XXXXXX";
static struct nbd_diag d;
/* Sets up servers that start from now on, or NULL. */
static void (*also)(mbedtls_ssl_config *);
/* What servers have that start from now on. */
static mbedtls_ssl_protocol_version newest = MBEDTLS_SSL_VERSION_TLS1_2;

static const unsigned char psk[] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55,
				     0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb,
				     0xcc, 0xdd, 0xee, 0xff };

static inline void put(struct pipe *p, const void *from, size_t len)
{
	assert_true(len <= PIPE_MAX - p->n);
	memcpy(p->buf + p->n, from, len);
	p->n += len;
}

/* Bytes taken, 0 at the cut, -1 if there are none now. */
static inline int take(struct pipe *p, unsigned char *to, size_t len)
{
	size_t end = p->n < p->cut ? p->n : p->cut;

	if (len > p->step)
		len = p->step;
	if (len > end - p->taken)
		len = end - p->taken;
	if (!len)
		return p->taken == p->cut ? 0 : -1;
	memcpy(to, p->buf + p->taken, len);
	if (p->flip >= p->taken && p->flip < p->taken + len)
		to[p->flip - p->taken] ^= 0x01;
	p->taken += len;
	return (int)len;
}

static inline int below_read(struct nbd_transport *t, void *buf, size_t len)
{
	int n = take(&((struct server *)t)->to_client, buf, len);

	return n < 0 ? NBD_E_AGAIN : n;
}

static inline int below_write(struct nbd_transport *t, const struct nbd_iov v[],
			      unsigned n)
{
	assert_int_equal(n, 1);
	put(&((struct server *)t)->to_server, v[0].base, v[0].len);
	return (int)v[0].len;
}

static inline int server_send(void *arg, const unsigned char *buf, size_t len)
{
	put(&((struct server *)arg)->to_client, buf, len);
	return (int)len;
}

static inline int server_receive(void *arg, unsigned char *buf, size_t len)
{
	int n = take(&((struct server *)arg)->to_server, buf, len);

	return n < 0 ? MBEDTLS_ERR_SSL_WANT_READ : n;
}

static inline int server_random(void *arg, unsigned char *p, size_t len)
{
	(void)arg;
	return creds_random(p, len) ? 0 : -1;
}

/* RFC 5246, 6.3 */
static inline void server_keys(void *arg, mbedtls_ssl_key_export_type type,
			       const unsigned char *secret, size_t len,
			       const unsigned char client_random[32],
			       const unsigned char server_random_[32],
			       mbedtls_tls_prf_types prf)
{
	unsigned char seed[64];

	(void)arg;
	if (type != MBEDTLS_SSL_KEY_EXPORT_TLS12_MASTER_SECRET)
		return;
	memcpy(seed, server_random_, 32);
	memcpy(seed + 32, client_random, 32);
	assert_int_equal(mbedtls_ssl_tls_prf(prf, secret, len, "key expansion",
					     seed, 64, server_block,
					     sizeof(server_block)),
			 0);
}

static inline int server_psk(void *arg, mbedtls_ssl_context *ssl,
			     const unsigned char *user, size_t len)
{
	struct server *s = arg;

	return len == strlen(s->user) && !memcmp(user, s->user, len)
		       ? mbedtls_ssl_set_hs_psk(ssl, s->psk, s->psk_len)
		       : -1;
}

/* ---- a server for each test, which takes one suite or all ---- */

static inline struct tls_session *session(void)
{
	return &sessions[srv - servers];
}

static inline void server_start(const int *suites)
{
	struct nbd_tls *tls = &session()->tls;

	memset(srv, 0, sizeof(*srv));
	srv->below = (struct nbd_transport){ below_read, below_write, NULL };
	srv->to_server.cut = srv->to_client.cut = NEVER;
	srv->to_server.flip = srv->to_client.flip = NEVER;
	srv->to_server.step = srv->to_client.step = PIPE_MAX;
	mbedtls_ssl_init(&srv->ssl);
	mbedtls_ssl_config_init(&srv->config);
	mbedtls_ssl_config_defaults(&srv->config, MBEDTLS_SSL_IS_SERVER,
				    MBEDTLS_SSL_TRANSPORT_STREAM,
				    MBEDTLS_SSL_PRESET_DEFAULT);
	mbedtls_ssl_conf_rng(&srv->config, server_random, NULL);
	mbedtls_ssl_conf_max_tls_version(&srv->config, newest);
	if (also)
		also(&srv->config);
	if (suites)
		mbedtls_ssl_conf_ciphersuites(&srv->config, suites);
	if (cert.raw.len)
		mbedtls_ssl_conf_own_cert(&srv->config, &cert, &key);
	srv->user = "alice";
	srv->psk = psk;
	srv->psk_len = sizeof(psk);
	mbedtls_ssl_conf_psk_cb(&srv->config, server_psk, srv);
	assert_int_equal(mbedtls_ssl_setup(&srv->ssl, &srv->config), 0);
	mbedtls_ssl_set_export_keys_cb(&srv->ssl, server_keys, NULL);
	mbedtls_ssl_set_bio(&srv->ssl, srv, server_send, server_receive, NULL);
	assert_int_equal(tls->start(tls, 0, &srv->below, &d), 0);
}

static inline void server_stop(void)
{
	mbedtls_ssl_free(&srv->ssl);
	mbedtls_ssl_config_free(&srv->config);
}

/* The client's result, or NBD_RECV if both wait for ever. */
static inline int shake(void)
{
	struct nbd_tls *tls = &session()->tls;

	for (;;) {
		size_t before = srv->to_server.n + srv->to_client.n +
				srv->to_client.taken;
		int ret = tls->step(tls, 0, &d);

		if (ret <= 0)
			return ret;
		if (!mbedtls_ssl_is_handshake_over(&srv->ssl))
			mbedtls_ssl_handshake(&srv->ssl);
		if (before ==
		    srv->to_server.n + srv->to_client.n + srv->to_client.taken)
			return ret;
	}
}

static inline void write_file(char *path, const void *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

/* A certificate for localhost, signed by itself, which is the CA's too. */
static inline void make_cert(const char *from, const char *to)
{
	static unsigned char pem[4096];
	unsigned char serial[] = { 1 };
	mbedtls_x509write_cert w;

	mbedtls_x509_crt_init(&cert);
	mbedtls_pk_init(&key);
	mbedtls_pk_setup(&key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY));
	mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(key),
			    server_random, NULL);
	mbedtls_x509write_crt_init(&w);
	mbedtls_x509write_crt_set_md_alg(&w, MBEDTLS_MD_SHA256);
	mbedtls_x509write_crt_set_subject_key(&w, &key);
	mbedtls_x509write_crt_set_issuer_key(&w, &key);
	mbedtls_x509write_crt_set_subject_name(&w, "CN=localhost");
	mbedtls_x509write_crt_set_issuer_name(&w, "CN=localhost");
	mbedtls_x509write_crt_set_serial_raw(&w, serial, sizeof(serial));
	mbedtls_x509write_crt_set_validity(&w, from, to);
	assert_int_equal(mbedtls_x509write_crt_pem(&w, pem, sizeof(pem),
						   server_random, NULL),
			 0);
	assert_int_equal(
		mbedtls_x509_crt_parse(&cert, pem, strlen((char *)pem) + 1), 0);
	mbedtls_x509write_crt_free(&w);
	write_file(ca_path, pem, strlen((char *)pem));
}

/* Loads credentials, for a server of the name localhost. */
static inline int load(const struct tls_conf *conf)
{
	int err = tls_load(session(), conf, &d);

	return err ? err : tls_aim(session(), "localhost", 0, &d);
}

#endif
