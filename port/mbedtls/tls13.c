/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLS 1.3 (RFC 8446): the handshake is mbedTLS's, the keys of data are derived
 * here, as they change while a connection lasts.
 *
 *   secret --"key"--> key    secret --"traffic upd"--> the next secret
 *          '--"iv"--> iv
 */
#include "port/mbedtls/tls13.h"

#include <string.h>

#include <mbedtls/md.h>
#include <psa/crypto.h>

/*
 * RSA-PSS comes last: mbedTLS has it for TLS 1.3 only, but a server that
 * chooses TLS 1.2 takes what comes first.
 */
static const uint16_t signatures[] = {
	MBEDTLS_TLS1_3_SIG_ECDSA_SECP256R1_SHA256,
	MBEDTLS_TLS1_3_SIG_ECDSA_SECP384R1_SHA384,
	MBEDTLS_TLS1_3_SIG_ECDSA_SECP521R1_SHA512,
	MBEDTLS_TLS1_3_SIG_RSA_PKCS1_SHA256,
	MBEDTLS_TLS1_3_SIG_RSA_PKCS1_SHA384,
	MBEDTLS_TLS1_3_SIG_RSA_PKCS1_SHA512,
	MBEDTLS_TLS1_3_SIG_RSA_PSS_RSAE_SHA256,
	MBEDTLS_TLS1_3_SIG_RSA_PSS_RSAE_SHA384,
	MBEDTLS_TLS1_3_SIG_RSA_PSS_RSAE_SHA512,
	MBEDTLS_TLS1_3_SIG_NONE,
};

bool tls13_init(mbedtls_ssl_config *conf, bool psk)
{
	mbedtls_ssl_conf_sig_algs(conf, signatures);
	mbedtls_ssl_conf_tls13_key_exchange_modes(
		conf, psk ? MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_EPHEMERAL
			  : MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_EPHEMERAL);
	return psa_crypto_init() == PSA_SUCCESS;
}

/* PSA asks for random bytes by this name. */
psa_status_t
mbedtls_psa_external_get_random(mbedtls_psa_external_random_context_t *unused,
				uint8_t *p, size_t size, size_t *len)
{
	(void)unused;
	*len = size;
	return creds_random(p, size) ? PSA_SUCCESS
				     : PSA_ERROR_INSUFFICIENT_ENTROPY;
}

/*
 * RFC 8446, 7.1, HKDF-Expand-Label; len is at most that of the hash.  False: no
 * memory.
 */
static bool expand(const unsigned char *secret, size_t secret_len,
		   const char *label, unsigned char *to, size_t len)
{
	bool sha256 = secret_len == 32;
	unsigned char info[32], hash[RECORD_SECRET];
	size_t n = strlen(label);
	bool made;

	info[0] = 0;
	info[1] = (unsigned char)len;
	info[2] = (unsigned char)(6 + n);
	memcpy(info + 3, "tls13 ", 6);
	memcpy(info + 9, label, n);
	info[9 + n] = 0; /* no context */
	info[10 + n] = 1;
	made = !mbedtls_md_hmac(
		mbedtls_md_info_from_type(sha256 ? MBEDTLS_MD_SHA256
						 : MBEDTLS_MD_SHA384),
		secret, secret_len, info, 11 + n, hash);
	if (made)
		memcpy(to, hash, len);
	explicit_bzero(hash, sizeof(hash));
	return made;
}

/* RFC 8446, 7.3 */
static bool make_key(struct nbd_tls_key *k, size_t key_len,
		     const unsigned char *secret, size_t secret_len)
{
	k->seq = 0;
	return expand(secret, secret_len, "key", k->key, key_len) &&
	       expand(secret, secret_len, "iv", k->iv, sizeof(k->iv));
}

/* RFC 8446, 7.2 */
static bool renew(struct records_way *w)
{
	unsigned char next[RECORD_SECRET];
	struct nbd_tls_key k;
	bool made = expand(w->secret, w->secret_len, "traffic upd", next,
			   w->secret_len) &&
		    make_key(&k, w->key_len, next, w->secret_len);

	if (made) {
		memcpy(w->secret, next, w->secret_len);
		aesgcm_init(&w->key, k.key, w->key_len);
		memcpy(w->iv, k.iv, sizeof(w->iv));
		w->seq = k.seq;
	}
	explicit_bzero(next, sizeof(next));
	explicit_bzero(&k, sizeof(k));
	return made;
}

void tls13_secret(struct tls_peer *p, mbedtls_ssl_key_export_type type,
		  const unsigned char *secret, size_t len)
{
	bool ours =
		type ==
		MBEDTLS_SSL_KEY_EXPORT_TLS1_3_CLIENT_APPLICATION_TRAFFIC_SECRET;

	if (len > RECORD_SECRET ||
	    (!ours &&
	     type != MBEDTLS_SSL_KEY_EXPORT_TLS1_3_SERVER_APPLICATION_TRAFFIC_SECRET))
		return;
	memcpy(p->secrets[ours], secret, len);
	p->secret_len = len;
	p->keyed = true;
}

bool tls13_keys(const struct tls_peer *p, struct nbd_tls_keys *keys)
{
	size_t len = suite_key_len(keys->aead);

	keys->is_13 = true;
	return make_key(&keys->tx, len, p->secrets[1], p->secret_len) &&
	       make_key(&keys->rx, len, p->secrets[0], p->secret_len);
}

static void take_secret(struct tls_peer *p, struct records_way *w, bool ours,
			enum nbd_aead aead)
{
	memcpy(w->secret, p->secrets[ours], p->secret_len);
	w->secret_len = p->secret_len;
	w->key_len = suite_key_len(aead);
}

void tls13_records(struct tls_peer *p, struct records *r, enum nbd_aead aead)
{
	take_secret(p, &r->tx, true, aead);
	take_secret(p, &r->rx, false, aead);
	records_init_13(r, renew, p->below);
}
