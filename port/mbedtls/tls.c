/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLS 1.2 with mbedTLS 2.28.
 *
 *   start --step--> handshake --> done --keys, drop--> the kernel's
 *                       |           '--> records, read and written here
 *                       '--> failed: explain()
 */
#include "port/mbedtls/mbed.h"

#include <string.h>
#include <time.h>

#include <mbedtls/oid.h>

#define RECORD_MAX 16384u

/* One connection; its first member is the transport that others see. */
struct tls_peer {
	struct nbd_transport t;
	struct nbd_transport *below;
	struct tls_session *session;
	const struct tls_creds *creds;
	unsigned conn;
	mbedtls_ssl_context ssl;
	size_t pending; /* payload bytes of a record that waits to be sent */
	size_t key_len, iv_len;
	int err; /* of the transport below */
	/* findings of on_certificate(), for messages */
	mbedtls_x509_time date;
	bool self_signed;
	const char *unfit; /* why a CA certificate is refused, or NULL */
	bool secured;
	/* key block: the client's and the server's key, then their ivs */
	unsigned char block[2 * (32 + 12)];
	char names[128];
};

/* ---- the server's certificate ---- */

#define SAN_DNS (MBEDTLS_ASN1_CONTEXT_SPECIFIC | 2)
#define SAN_IP	(MBEDTLS_ASN1_CONTEXT_SPECIFIC | 7)

#define SEQUENCE	  (MBEDTLS_ASN1_CONSTRUCTED | MBEDTLS_ASN1_SEQUENCE)
/* X.509 extensions: the last number of their object identifier 2.5.29.x. */
#define BASIC_CONSTRAINTS 19
#define NAME_CONSTRAINTS  30

/* Is this name of the certificate the host?  Appends it to o, for messages. */
static bool is_host(const struct tls_peer *p, struct nbd_out *o,
		    const mbedtls_x509_buf *b)
{
	return creds_is_host(&p->creds->host, b->p, b->len, b->tag == SAN_IP,
			     o);
}

/* The common name is checked only if there are no alternative names. */
static bool names_match(struct tls_peer *p, const mbedtls_x509_crt *crt)
{
	struct nbd_out o = { .buf = p->names, .cap = sizeof(p->names) - 1 };
	bool match = false;

	if (crt->ext_types & MBEDTLS_X509_EXT_SUBJECT_ALT_NAME) {
		for (const mbedtls_x509_sequence *s = &crt->subject_alt_names;
		     s; s = s->next)
			if (s->buf.tag == SAN_DNS || s->buf.tag == SAN_IP)
				match |= is_host(p, &o, &s->buf);
	} else {
		for (const mbedtls_x509_name *n = &crt->subject; n; n = n->next)
			if (!MBEDTLS_OID_CMP(MBEDTLS_OID_AT_CN, &n->oid))
				match |= is_host(p, &o, &n->val);
	}
	p->names[o.len] = '\0';
	return match;
}

/*
 * Returns the bytes after the object identifier 2.5.29.`id` of an extension,
 * and their end in *end, or NULL if the certificate has none.  mbedTLS has
 * checked the encoding of the extensions.
 */
static unsigned char *find_extension(const mbedtls_x509_crt *crt, int id,
				     unsigned char **end)
{
	unsigned char *p = crt->v3_ext.p, *all;
	size_t len;

	if (!p)
		return NULL;
	all = p + crt->v3_ext.len;
	if (mbedtls_asn1_get_tag(&p, all, &len, SEQUENCE))
		return NULL;
	for (; !mbedtls_asn1_get_tag(&p, all, &len, SEQUENCE); p = *end) {
		*end = p + len;
		if (!mbedtls_asn1_get_tag(&p, *end, &len, MBEDTLS_ASN1_OID) &&
		    len == 3 && p[0] == 0x55 && p[1] == 0x1d && p[2] == id)
			return p + len;
	}
	return NULL;
}

/*
 * mbedTLS 2.28 reads the path length as "true" if the boolean cA before it is
 * missing: basicConstraints with only a path length would make a CA.
 */
static bool is_ca(const mbedtls_x509_crt *crt)
{
	unsigned char *end, *p = find_extension(crt, BASIC_CONSTRAINTS, &end);
	int critical;
	size_t len;

	if (!p) /* version 1: accepted only if it is itself trusted */
		return true;
	mbedtls_asn1_get_bool(&p, end, &critical);
	return !mbedtls_asn1_get_tag(&p, end, &len,
				     MBEDTLS_ASN1_OCTET_STRING) &&
	       !mbedtls_asn1_get_tag(&p, end, &len, SEQUENCE) && len &&
	       *p == MBEDTLS_ASN1_BOOLEAN;
}

/* RFC 5280, 4.2.1.10: a constraint must be processed or cause a refusal. */
static const char *find_fault(const mbedtls_x509_crt *ca)
{
	unsigned char *end;

	if (find_extension(ca, NAME_CONSTRAINTS, &end))
		return "may sign for certain names only (nameConstraints), "
		       "which cannot be checked here";
	return is_ca(ca) ? NULL : "is not a CA (basicConstraints)";
}

/* Called for each certificate of the chain, from the root to the server's. */
static int on_certificate(void *arg, mbedtls_x509_crt *crt, int depth,
			  uint32_t *flags)
{
	struct tls_peer *p = arg;

	if (*flags & MBEDTLS_X509_BADCERT_EXPIRED)
		p->date = crt->valid_to;
	else if (*flags & MBEDTLS_X509_BADCERT_FUTURE)
		p->date = crt->valid_from;
	if (depth > 0) {
		p->unfit = p->unfit ? p->unfit : find_fault(crt);
		*flags |= p->unfit ? MBEDTLS_X509_BADCERT_OTHER : 0;
		return 0;
	}
	p->self_signed = crt->issuer_raw.len == crt->subject_raw.len &&
			 !memcmp(crt->issuer_raw.p, crt->subject_raw.p,
				 crt->issuer_raw.len);
	/* mbedTLS 2.28 compares no addresses: ignore its result, use ours */
	*flags &= ~(uint32_t)MBEDTLS_X509_BADCERT_CN_MISMATCH;
	if (!names_match(p, crt))
		*flags |= MBEDTLS_X509_BADCERT_CN_MISMATCH;
	return 0;
}

static int explain_date(const struct tls_peer *p, bool expired,
			struct nbd_diag *d)
{
	const mbedtls_x509_time *t = &p->date;
	bool clock_wrong = time(NULL) < p->creds->conf->built;

	return nbd_diag(d, NBD_E_CERT_TIME,
			"the server's certificate is %s %d-%02d-%02d%s",
			expired ? "expired since" : "not valid before", t->year,
			t->mon, t->day,
			clock_wrong ? ", and this machine's clock is wrong: it "
				      "is before this program's build date"
				    : "");
}

static int explain_certificate(struct tls_peer *p, struct nbd_diag *d)
{
	uint32_t flags = mbedtls_ssl_get_verify_result(&p->ssl);

	/* a signature with SHA-1 is not even checked (sha1.c) */
	if (flags & MBEDTLS_X509_BADCERT_BAD_MD)
		flags &= ~(uint32_t)MBEDTLS_X509_BADCERT_NOT_TRUSTED;
	if (flags & MBEDTLS_X509_BADCERT_NOT_TRUSTED)
		return nbd_diag(d, NBD_E_CERT, "the server's certificate is %s",
				p->self_signed ? "signed by itself alone"
					       : "not signed by a CA that is "
						 "trusted here");
	if (flags & MBEDTLS_X509_BADCERT_EXPIRED)
		return explain_date(p, true, d);
	if (flags & MBEDTLS_X509_BADCERT_FUTURE)
		return explain_date(p, false, d);
	if (flags & MBEDTLS_X509_BADCERT_CN_MISMATCH)
		return nbd_diag(d, NBD_E_CERT_NAME,
				"the server's certificate is for %s, not for "
				"%s",
				p->names[0] ? p->names : "no host",
				p->creds->host.name);
	if (p->unfit)
		return nbd_diag(d, NBD_E_CERT,
				"a certificate that signed the server's %s",
				p->unfit);
	if (flags & (MBEDTLS_X509_BADCERT_EXT_KEY_USAGE |
		     MBEDTLS_X509_BADCERT_KEY_USAGE))
		return nbd_diag(d, NBD_E_CERT,
				"the server's certificate is not for TLS "
				"servers (serverAuth)");
	return nbd_diag(d, NBD_E_CERT,
			"the server's certificate, or one that signed it, has "
			"a weak or unknown key or signature (0x%x)",
			flags);
}

/* ---- why a handshake failed ---- */

static int explain_alert(const struct tls_peer *p, struct nbd_diag *d)
{
	unsigned alert = p->ssl.in_msg[1];
	const char *name = suite_alert(alert);

	if (p->creds->psk)
		return nbd_diag(d, NBD_E_PSK,
				"the server refused the pre-shared key (%s)",
				name);
	if (p->ssl.client_auth)
		return nbd_diag(d, NBD_E_CLIENT_CERT,
				p->creds->has_cert
					? "the server refused our "
					  "certificate %s (%s)"
					: "the server requires a client "
					  "certificate%s (%s)",
				p->creds->has_cert ? p->creds->conf->cert : "",
				name);
	return nbd_diag(d, NBD_E_TLS, "TLS handshake: the server says %s (%u)",
			name, alert);
}

/*
 * nbdkit and qemu-nbd refuse credentials by closing without an alert.  It may
 * also be a network failure, where a retry can succeed, so the error is kept.
 */
static const char *likely_reason(const struct tls_peer *p)
{
	if (p->creds->psk && p->ssl.state > MBEDTLS_SSL_CLIENT_KEY_EXCHANGE)
		return " after it received our user name and key";
	if (!p->ssl.client_auth ||
	    p->ssl.state <= MBEDTLS_SSL_CLIENT_CERTIFICATE)
		return "";
	return p->creds->has_cert ? " after it received our certificate"
				  : " after it asked for a client certificate, "
				    "and none was given (-C, -K)";
}

static int explain(struct tls_peer *p, int ret, struct nbd_diag *d)
{
	switch (ret) {
	case MBEDTLS_ERR_X509_CERT_VERIFY_FAILED:
	case MBEDTLS_ERR_SSL_BAD_HS_CERTIFICATE:
		if (mbedtls_ssl_get_verify_result(&p->ssl))
			return explain_certificate(p, d);
		break;
	case MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE:
		return explain_alert(p, d);
	case MBEDTLS_ERR_SSL_CONN_EOF:
	case MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY:
		p->err = NBD_E_CUT;
		break;
	case MBEDTLS_ERR_SSL_BAD_HS_PROTOCOL_VERSION:
		return nbd_diag(
			d, NBD_E_TLS,
			"TLS handshake: the server supports nothing newer "
			"than TLS 1.1");
	case MBEDTLS_ERR_SSL_INVALID_RECORD:
		return nbd_diag(d, NBD_E_TLS,
				"TLS handshake: the server's answer is not "
				"TLS");
	case MBEDTLS_ERR_SSL_ALLOC_FAILED:
		return nbd_diag(d, NBD_E_NO_MEMORY,
				"TLS handshake: out of memory");
	}
	if (p->err)
		return nbd_diag(d, p->err, "TLS handshake: %s%s",
				nbd_err_text(p->err), likely_reason(p));
	return nbd_diag(d, NBD_E_TLS, "TLS handshake failed (-0x%x)",
			(unsigned)-ret);
}

/* ---- the bytes below ---- */

static int failed_below(struct tls_peer *p, int err, int again)
{
	if (err == NBD_E_AGAIN)
		return again;
	p->err = err;
	return MBEDTLS_ERR_SSL_INTERNAL_ERROR;
}

static int send_below(void *arg, const unsigned char *buf, size_t len)
{
	struct tls_peer *p = arg;
	struct nbd_iov v = { (void *)(uintptr_t)buf, len };
	int n = p->below->write(p->below, &v, 1);

	return n >= 0 ? n : failed_below(p, n, MBEDTLS_ERR_SSL_WANT_WRITE);
}

static int receive_below(void *arg, unsigned char *buf, size_t len)
{
	struct tls_peer *p = arg;
	int n = p->below->read(p->below, buf, len);

	return n >= 0 ? n : failed_below(p, n, MBEDTLS_ERR_SSL_WANT_READ);
}

/* ---- records ---- */

static int result(struct tls_peer *p, int ret)
{
	if (ret == MBEDTLS_ERR_SSL_WANT_READ ||
	    ret == MBEDTLS_ERR_SSL_WANT_WRITE)
		return NBD_E_AGAIN;
	return p->err ? p->err : NBD_E_TLS;
}

static int read_record(struct nbd_transport *t, void *buf, size_t len)
{
	struct tls_peer *p = (struct tls_peer *)t;
	int ret = mbedtls_ssl_read(&p->ssl, buf, len);

	/* a missing close_notify is no error: NBD has its own NBD_CMD_DISC */
	if (ret >= 0 || ret == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY ||
	    ret == MBEDTLS_ERR_SSL_CONN_EOF)
		return ret > 0 ? ret : 0;
	return result(p, ret);
}

/*
 * Small pieces share a record.  They are gathered in a buffer that all
 * connections share, because it is not needed after the call: a pending record
 * is encrypted already, and only its length matters.
 */
static int write_record(struct nbd_transport *t, const struct nbd_iov v[],
			unsigned n)
{
	static unsigned char record[RECORD_MAX];
	struct tls_peer *p = (struct tls_peer *)t;
	size_t len = p->pending;
	int ret;

	for (unsigned i = 0; !p->pending && i < n; i++) {
		size_t room = sizeof(record) - len;
		size_t part = v[i].len < room ? v[i].len : room;

		memcpy(record + len, v[i].base, part);
		len += part;
	}
	ret = mbedtls_ssl_write(&p->ssl, record, len);
	p->pending = ret == MBEDTLS_ERR_SSL_WANT_WRITE ? len : 0;
	return ret > 0 ? ret : result(p, ret);
}

static void close_record(struct nbd_transport *t)
{
	struct tls_peer *p = (struct tls_peer *)t;

	p->session->tls.stop(&p->session->tls, p->conn);
}

/* ---- connections ---- */

/* Keeps the key block (RFC 5246, 6.3); AEAD suites have no MAC keys in it. */
static int on_keys(void *arg, const unsigned char *master,
		   const unsigned char *block, size_t mac_len, size_t key_len,
		   size_t iv_len, const unsigned char client_random[32],
		   const unsigned char server_random[32],
		   mbedtls_tls_prf_types prf)
{
	struct tls_peer *p = arg;

	(void)master, (void)client_random, (void)server_random, (void)prf;
	if (2 * (key_len + iv_len) > sizeof(p->block))
		return MBEDTLS_ERR_SSL_INTERNAL_ERROR;
	p->key_len = key_len;
	p->iv_len = iv_len;
	memcpy(p->block, block + 2 * mac_len, 2 * (key_len + iv_len));
	return 0;
}

static struct tls_session *session(struct nbd_tls *t)
{
	return (struct tls_session *)t; /* its first member */
}

static int start(struct nbd_tls *t, unsigned conn, struct nbd_transport *below,
		 struct nbd_diag *d)
{
	struct tls_session *s = session(t);
	struct tls_creds *c = s->creds;
	struct tls_peer *p;
	int ret;

	tls_drop(s, conn);
	p = s->peers[conn] = mbedtls_calloc(1, sizeof(*p));
	if (!p)
		return nbd_diag(d, NBD_E_NO_MEMORY, "TLS: out of memory");
	p->t = (struct nbd_transport){ read_record, write_record,
				       close_record };
	p->below = below;
	p->session = s;
	p->creds = c;
	p->conn = conn;
	mbedtls_ssl_init(&p->ssl);
	ret = mbedtls_ssl_setup(&p->ssl, &c->ssl);
	/* RFC 6066: a server name (SNI) is never an address */
	if (!ret && !c->psk && !c->host.ip_len)
		ret = mbedtls_ssl_set_hostname(&p->ssl, c->host.name);
	mbedtls_ssl_set_bio(&p->ssl, p, send_below, receive_below, NULL);
	mbedtls_ssl_set_verify(&p->ssl, on_certificate, p);
	if (ret)
		tls_drop(s, conn);
	return ret ? nbd_diag(d, NBD_E_NO_MEMORY, "TLS: out of memory") : 0;
}

static int step(struct nbd_tls *t, unsigned conn, struct nbd_diag *d)
{
	struct tls_peer *p = session(t)->peers[conn];
	int ret;

	mbedtls_ssl_conf_export_keys_ext_cb(&p->session->creds->ssl, on_keys,
					    p);
	ret = mbedtls_ssl_handshake(&p->ssl);
	if (ret == MBEDTLS_ERR_SSL_WANT_READ)
		return NBD_RECV;
	if (ret == MBEDTLS_ERR_SSL_WANT_WRITE)
		return NBD_SEND;
	p->secured = !ret;
	return ret ? explain(p, ret, d) : 0;
}

static struct nbd_transport *transport(struct nbd_tls *t, unsigned conn)
{
	return &session(t)->peers[conn]->t;
}

static void stop(struct nbd_tls *t, unsigned conn)
{
	struct tls_peer *p = session(t)->peers[conn];

	if (p && p->secured)
		mbedtls_ssl_close_notify(&p->ssl);
	tls_drop(session(t), conn);
}

const struct nbd_tls tls_records = { start, step, transport, stop };

void tls_keys(const struct tls_session *s, unsigned conn,
	      struct nbd_tls_keys *keys)
{
	const struct tls_peer *p = s->peers[conn];
	const unsigned char *iv = p->block + 2 * p->key_len;

	memset(keys, 0, sizeof(*keys));
	keys->aead = suite_aead(p->ssl.session->ciphersuite);
	memcpy(keys->tx.key, p->block, p->key_len);
	memcpy(keys->rx.key, p->block + p->key_len, p->key_len);
	memcpy(keys->tx.iv, iv, p->iv_len);
	memcpy(keys->rx.iv, iv + p->iv_len, p->iv_len);
	/* each side has encrypted one record with them: Finished */
	keys->tx.seq = keys->rx.seq = 1;
}

void tls_drop(struct tls_session *s, unsigned conn)
{
	struct tls_peer *p = s->peers[conn];

	if (!p)
		return;
	mbedtls_ssl_free(&p->ssl);
	explicit_bzero(p, sizeof(*p));
	mbedtls_free(p);
	s->peers[conn] = NULL;
}

const char *tls_suite(const struct tls_session *s, unsigned conn)
{
	return mbedtls_ssl_get_ciphersuite(&s->peers[conn]->ssl);
}
