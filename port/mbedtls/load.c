/* SPDX-License-Identifier: BSD-2-Clause */
/* What all TLS connections have in common: keys, certificates, suites. */
#include "port/mbedtls/mbed.h"

#include <string.h>

#include <mbedtls/memory_buffer_alloc.h>

struct tls_common tls_us;

/* ---- memory: a pool of fixed size, where our own mbedTLS is linked ---- */

#ifdef MBEDTLS_MEMORY_BUFFER_ALLOC_C
/* For the CA certificates of a system, and for a handshake: 50 KiB. */
#define POOL_BASE (128u * 1024u)
#define POOL_CA	  (1024u * 1024u)
#define POOL_EACH (64u * 1024u)

static unsigned char
	pool[POOL_BASE + POOL_CA + POOL_EACH * CONFIG_PORT_MAX_CONNECTIONS];

/* No more than is needed: mbedTLS clears it, which would touch every page. */
static void pool_open(const struct tls_conf *conf)
{
	size_t ca = 4 * creds_size(conf->ca ? conf->ca : creds_system_ca());

	mbedtls_memory_buffer_alloc_init(
		pool, POOL_BASE + POOL_EACH * conf->connections +
			      (ca < POOL_CA ? ca : POOL_CA));
}

static void pool_close(void)
{
	mbedtls_memory_buffer_alloc_free();
}
#else
static void pool_open(const struct tls_conf *conf)
{
	(void)conf;
}

static void pool_close(void)
{
}
#endif

static int random_bytes(void *unused, unsigned char *p, size_t len)
{
	(void)unused;
	return creds_random(p, len) ? 0 : MBEDTLS_ERR_SSL_NO_RNG;
}

static int choose_suites(struct nbd_diag *d)
{
	unsigned n =
		suite_choose(tls_us.suites, tls_us.psk, tls_us.conf->without);

	mbedtls_ssl_conf_ciphersuites(&tls_us.ssl, tls_us.suites);
	return n ? 0
		 : nbd_diag(d, NBD_E_TLS_KERNEL,
			    "this kernel's TLS has none of the ciphers "
			    "AES-GCM and ChaCha20-Poly1305");
}

/* ---- credentials ---- */

static int load_certs(mbedtls_x509_crt *to, const char *path,
		      struct nbd_diag *d)
{
	char *text;
	int ret, len = creds_read(path, &text, d);

	if (len < 0)
		return len;
	/* > 0: so many could not be read; a bundle has all sorts */
	ret = mbedtls_x509_crt_parse(to, (unsigned char *)text,
				     (size_t)len + 1);
	creds_wipe();
	return ret >= 0 ? 0
			: nbd_diag(d, NBD_E_CREDENTIAL,
				   "%s: no certificate in PEM that can be read "
				   "(-0x%x)",
				   path, (unsigned)-ret);
}

static int load_key(const char *path, struct nbd_diag *d)
{
	char *text;
	int ret, len = creds_read(path, &text, d);

	if (len < 0)
		return len;
	ret = mbedtls_pk_parse_key(&tls_us.key, (unsigned char *)text,
				   (size_t)len + 1, NULL, 0);
	creds_wipe();
	if (ret == MBEDTLS_ERR_PK_PASSWORD_REQUIRED)
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"%s: the key is encrypted; nobody is there to "
				"type a password",
				path);
	if (ret)
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"%s: no private key in PEM that can be read "
				"(-0x%x)",
				path, (unsigned)-ret);
	if (mbedtls_pk_check_pair(&tls_us.cert.pk, &tls_us.key))
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"%s is not the key of the certificate %s", path,
				tls_us.conf->cert);
	mbedtls_ssl_conf_own_cert(&tls_us.ssl, &tls_us.cert, &tls_us.key);
	tls_us.has_cert = true;
	return 0;
}

/* Without a CA the system decides; without that, nobody would. */
static int load_ca(const char *path, struct nbd_diag *d)
{
	if (!path)
		path = creds_system_ca();
	return path ? load_certs(&tls_us.ca, path, d)
		    : nbd_diag(d, NBD_E_CREDENTIAL,
			       "no CA certificate was named, and the system "
			       "has none: the server could be anybody");
}

static int load_x509(const struct tls_conf *conf, struct nbd_diag *d)
{
	int err = 0;

	mbedtls_ssl_conf_authmode(&tls_us.ssl,
				  conf->verify ? MBEDTLS_SSL_VERIFY_REQUIRED
					       : MBEDTLS_SSL_VERIFY_NONE);
	if (conf->verify)
		err = load_ca(conf->ca, d);
	mbedtls_ssl_conf_ca_chain(&tls_us.ssl, &tls_us.ca, NULL);
	if (!err && conf->cert)
		err = load_certs(&tls_us.cert, conf->cert, d);
	if (!err && conf->cert)
		err = load_key(conf->key, d);
	return err;
}

static int load_psk(const struct tls_conf *conf, struct nbd_diag *d)
{
	struct creds_psk psk;
	char *text;
	bool found;
	int ret, len = creds_read(conf->psk_file, &text, d);

	if (len < 0)
		return len;
	found = creds_find_psk(&psk, text, (size_t)len, conf->user);
	creds_wipe();
	if (!found)
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"%s: no line %s:HEXKEY of 2 to %u digits",
				conf->psk_file,
				*conf->user ? conf->user : "USER",
				2 * CREDS_PSK_MAX);
	ret = mbedtls_ssl_conf_psk(&tls_us.ssl, psk.key, psk.len,
				   (unsigned char *)psk.user, strlen(psk.user));
	explicit_bzero(&psk, sizeof(psk));
	return ret ? nbd_diag(d, NBD_E_CREDENTIAL,
			      "%s: mbedTLS does not take the key (-0x%x)",
			      conf->psk_file, (unsigned)-ret)
		   : 0;
}

int tls_again(const struct tls_conf *conf, struct nbd_diag *d)
{
	tls_us.conf = conf;
	creds_host(&tls_us.host, conf->name);
	return choose_suites(d);
}

int tls_load(const struct tls_conf *conf, struct nbd_diag *d)
{
	static const mbedtls_ecp_group_id curves[] = {
		MBEDTLS_ECP_DP_CURVE25519, MBEDTLS_ECP_DP_SECP256R1,
		MBEDTLS_ECP_DP_SECP384R1,  MBEDTLS_ECP_DP_SECP521R1,
		MBEDTLS_ECP_DP_NONE,
	};
	int err;

	tls_unload();
	pool_open(conf);
	tls_us.loaded = true;
	tls_us.psk = conf->psk_file;
	mbedtls_ssl_config_init(&tls_us.ssl);
	mbedtls_x509_crt_init(&tls_us.ca);
	mbedtls_x509_crt_init(&tls_us.cert);
	mbedtls_pk_init(&tls_us.key);
	mbedtls_ssl_config_defaults(&tls_us.ssl, MBEDTLS_SSL_IS_CLIENT,
				    MBEDTLS_SSL_TRANSPORT_STREAM,
				    MBEDTLS_SSL_PRESET_DEFAULT);
	mbedtls_ssl_conf_min_version(&tls_us.ssl, MBEDTLS_SSL_MAJOR_VERSION_3,
				     MBEDTLS_SSL_MINOR_VERSION_3);
	mbedtls_ssl_conf_curves(&tls_us.ssl, curves);
	mbedtls_ssl_conf_rng(&tls_us.ssl, random_bytes, NULL);
	err = tls_again(conf, d);
	if (!err)
		err = tls_us.psk ? load_psk(conf, d) : load_x509(conf, d);
	if (err)
		tls_unload();
	return err;
}

void tls_unload(void)
{
	for (unsigned i = 0; i < CONFIG_PORT_MAX_CONNECTIONS; i++)
		tls_drop(i);
	if (!tls_us.loaded)
		return;
	mbedtls_ssl_config_free(&tls_us.ssl);
	mbedtls_x509_crt_free(&tls_us.ca);
	mbedtls_x509_crt_free(&tls_us.cert);
	mbedtls_pk_free(&tls_us.key);
	pool_close();
	explicit_bzero(&tls_us, sizeof(tls_us));
}
