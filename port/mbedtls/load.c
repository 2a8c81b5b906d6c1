/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a session that its connections share: keys, suites, policy. */
#include "port/mbedtls/fault.h"
#include "port/mbedtls/resume.h"
#include "port/mbedtls/tls13.h"

#include <mbedtls/version.h>
#include <string.h>

/* Bytes.  A handshake, with the loaded credentials, uses at most 52 KiB. */
#define HANDSHAKE (64u * 1024u)

#ifndef TLS_PACKAGE
#define TLS_PACKAGE ""
#endif
const char tls_version[] = MBEDTLS_VERSION_STRING_FULL TLS_PACKAGE;

static int random_bytes(void *unused, unsigned char *p, size_t len)
{
	(void)unused;
	return creds_random(p, len) ? 0 : MBEDTLS_ERR_SSL_NO_RNG;
}

/* ---- credentials ---- */

/* "PATH is encrypted (-0x1400): ..." */
static int fault(const char *path, struct fault f, int ret, struct nbd_diag *d)
{
	return nbd_diag(d, NBD_E_CREDENTIAL, "%s %s (-0x%x): %s", path, f.what,
			(unsigned)-ret, f.remedy);
}

static int load_certs(mbedtls_x509_crt *to, const char *path,
		      struct nbd_diag *d)
{
	struct fault f = { 0 };
	char *text;
	int ret, len = creds_read(path, false, &text, d);

	if (len < 0)
		return len;
	/* > 0: that many could not be parsed, which is normal in a CA bundle */
	ret = mbedtls_x509_crt_parse(to, (unsigned char *)text,
				     (size_t)len + 1);
	if (ret < 0)
		f = fault_of_file(text, false, ret);
	creds_wipe();
	return ret < 0 ? fault(path, f, ret, d) : 0;
}

static int load_key(struct tls_creds *c, const char *path, struct nbd_diag *d)
{
	struct fault f = { 0 };
	char *text;
	int ret, len = creds_read(path, true, &text, d);

	if (len < 0)
		return len;
	ret = mbedtls_pk_parse_key(&c->key, (unsigned char *)text,
				   (size_t)len + 1, NULL, 0, random_bytes,
				   NULL);
	if (ret)
		f = fault_of_file(text, true, ret);
	creds_wipe();
	if (ret)
		return fault(path, f, ret, d);
	if (mbedtls_pk_check_pair(&c->cert.pk, &c->key, random_bytes, NULL))
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"%s is not the key of the certificate %s", path,
				c->conf->cert);
	mbedtls_ssl_conf_own_cert(&c->ssl, &c->cert, &c->key);
	c->has_cert = true;
	return 0;
}

/* A session that verifies needs a CA: the named one or the system's. */
static int load_ca(struct tls_creds *c, const char *path, struct nbd_diag *d)
{
	if (!path)
		path = creds_system_ca();
	return path ? load_certs(&c->ca, path, d)
		    : nbd_diag(d, NBD_E_CREDENTIAL,
			       "no CA certificate was named, and the system "
			       "has none: the server could be anybody");
}

static int load_x509(struct tls_creds *c, struct nbd_diag *d)
{
	const struct tls_conf *conf = c->conf;
	int err = 0;

	mbedtls_ssl_conf_authmode(&c->ssl, conf->verify
						   ? MBEDTLS_SSL_VERIFY_REQUIRED
						   : MBEDTLS_SSL_VERIFY_NONE);
	if (conf->verify)
		err = load_ca(c, conf->ca, d);
	mbedtls_ssl_conf_ca_chain(&c->ssl, &c->ca, NULL);
	if (!err && conf->cert)
		err = load_certs(&c->cert, conf->cert, d);
	if (!err && conf->cert)
		err = load_key(c, conf->key, d);
	return err;
}

static int load_psk(struct tls_creds *c, struct nbd_diag *d)
{
	const struct tls_conf *conf = c->conf;
	struct creds_psk psk;
	char *text;
	bool found;
	int ret, len = creds_read(conf->psk_file, true, &text, d);

	if (len < 0)
		return len;
	found = creds_find_psk(&psk, text, (size_t)len, conf->user);
	creds_wipe();
	if (!found)
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"%s: no line %s:HEXKEY of %u to %u digits",
				conf->psk_file,
				*conf->user ? conf->user : "USER",
				2 * CREDS_PSK_MIN, 2 * CREDS_PSK_MAX);
	len = (int)psk.len;
	ret = mbedtls_ssl_conf_psk(&c->ssl, psk.key, psk.len,
				   (unsigned char *)psk.user, strlen(psk.user));
	explicit_bzero(&psk, sizeof(psk));
	if (len < CREDS_PSK_MIN)
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"%s: a key of %d bytes can be guessed: make "
				"one of %d to %d, for server and client",
				conf->psk_file, len, CREDS_PSK_MIN,
				CREDS_PSK_MAX);
	return ret ? nbd_diag(d, NBD_E_CREDENTIAL,
			      "%s: mbedTLS does not accept the key (-0x%x)",
			      conf->psk_file, (unsigned)-ret)
		   : 0;
}

/* ---- sessions ---- */

static void defaults(struct tls_creds *c)
{
	static const uint16_t groups[] = {
		MBEDTLS_SSL_IANA_TLS_GROUP_X25519,
		MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1,
		MBEDTLS_SSL_IANA_TLS_GROUP_SECP384R1,
		MBEDTLS_SSL_IANA_TLS_GROUP_SECP521R1,
		MBEDTLS_SSL_IANA_TLS_GROUP_NONE,
	};

	mbedtls_ssl_config_init(&c->ssl);
	mbedtls_x509_crt_init(&c->ca);
	mbedtls_x509_crt_init(&c->cert);
	mbedtls_pk_init(&c->key);
	mbedtls_ssl_config_defaults(&c->ssl, MBEDTLS_SSL_IS_CLIENT,
				    MBEDTLS_SSL_TRANSPORT_STREAM,
				    MBEDTLS_SSL_PRESET_DEFAULT);
	mbedtls_ssl_conf_min_tls_version(&c->ssl, MBEDTLS_SSL_VERSION_TLS1_2);
	mbedtls_ssl_conf_groups(&c->ssl, groups);
	mbedtls_ssl_conf_rng(&c->ssl, random_bytes, NULL);
}

int tls_load(struct tls_session *s, const struct tls_conf *conf,
	     struct nbd_diag *d)
{
	struct tls_creds *c;
	int err;

	tls_unload(s);
	c = mbedtls_calloc(1, sizeof(*c));
	if (!c)
		return nbd_diag(d, NBD_E_NO_MEMORY, "TLS: out of memory");
	s->tls = tls_records;
	s->creds = c;
	c->conf = conf;
	c->psk = conf->psk_file;
	defaults(c);
	resume_init(c);
	if (!tls13_init(&c->ssl, c->psk))
		err = nbd_diag(d, NBD_E_NO_MEMORY, "TLS: out of memory");
	else
		err = c->psk ? load_psk(c, d) : load_x509(c, d);
	if (err)
		tls_unload(s);
	/* make pages resident now: a dead device may leave no free memory */
	mbedtls_free(mbedtls_calloc(1, HANDSHAKE));
	return err;
}

int tls_aim(struct tls_session *s, const char *name, unsigned without,
	    struct nbd_diag *d)
{
	struct tls_creds *c = s->creds;
	unsigned n = suite_choose(c->suites, c->psk, without);
	bool old = without & TLS_ONLY_12 || !SUITE_13;

	creds_host(&c->host, name);
	c->without = without;
	s->lacks_12 = false;
	mbedtls_ssl_conf_ciphersuites(&c->ssl, c->suites);
	mbedtls_ssl_conf_max_tls_version(&c->ssl,
					 old ? MBEDTLS_SSL_VERSION_TLS1_2
					     : MBEDTLS_SSL_VERSION_TLS1_3);
	return n ? 0
		 : nbd_diag(d, NBD_E_TLS_KERNEL,
			    "this kernel's TLS has none of the ciphers "
			    "AES-GCM and ChaCha20-Poly1305");
}

void tls_unload(struct tls_session *s)
{
	struct tls_creds *c = s->creds;

	if (!c)
		return;
	for (unsigned i = 0; i < CONFIG_PORT_MAX_CONNECTIONS; i++)
		tls_drop(s, i);
	resume_forget(c);
	mbedtls_ssl_config_free(&c->ssl);
	mbedtls_x509_crt_free(&c->ca);
	mbedtls_x509_crt_free(&c->cert);
	mbedtls_pk_free(&c->key);
	mbedtls_free(c);
	s->creds = NULL;
}
