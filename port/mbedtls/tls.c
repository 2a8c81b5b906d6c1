/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLS 1.2, and 1.3 (tls13.c), with mbedTLS 3.6.
 *
 *   start --step--> handshake --> done --keys, drop--> the kernel's
 *                       |           '--transport--> records, made here
 *                       '--> failed: explain()
 */
#include "port/mbedtls/fault.h"
#include "port/mbedtls/resume.h"
#include "port/mbedtls/tls13.h"

#include <string.h>

/* ---- why a handshake failed ---- */

/* A server that has nothing in common with us says so, or only closes. */
#define LACKS                           \
	": it may lack " SUITE_VERSIONS \
	", or a certificate with an RSA or ECDSA key"
#define HANDSHAKE_FAILURE 40
#define PROTOCOL_VERSION  70

static int explain_alert(const struct tls_peer *p, struct nbd_diag *d)
{
	unsigned alert = p->ssl.in_msg[1];
	const char *name = suite_alert(alert);

	if (p->creds->psk)
		return nbd_diag(d, NBD_E_PSK,
				"the server refused the pre-shared key (%s)",
				name);
	if (p->asked)
		return nbd_diag(d, NBD_E_CLIENT_CERT,
				p->creds->has_cert
					? "the server refused our "
					  "certificate %s (%s)"
					: "the server requires a client "
					  "certificate%s (%s)",
				p->creds->has_cert ? p->creds->conf->cert : "",
				name);
	return nbd_diag(d, NBD_E_TLS,
			"TLS handshake: the server says %s (%u)%s", name, alert,
			alert == HANDSHAKE_FAILURE || alert == PROTOCOL_VERSION
				? LACKS
				: "");
}

/*
 * A server that has TLS 1.3 alone says in place of its ServerHello that it lacks
 * ours, or only closes, as nbdkit and qemu-nbd do.
 */
static bool may_lack_12(const struct tls_peer *p, int ret)
{
	unsigned alert = p->ssl.in_msg ? p->ssl.in_msg[1] : 0;

	if (!SUITE_13 || p->ssl.state > MBEDTLS_SSL_SERVER_HELLO)
		return false;
	return ret == MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE
		       ? alert == PROTOCOL_VERSION || alert == HANDSHAKE_FAILURE
		       : ret == MBEDTLS_ERR_SSL_CONN_EOF ||
				 p->err == NBD_E_CUT || p->err == NBD_E_RESET;
}

/*
 * nbdkit and qemu-nbd refuse credentials by closing without an alert.  It may
 * also be a network failure, where a retry can succeed, so the error is kept.
 */
static const char *likely_reason(const struct tls_peer *p)
{
	if (p->err == NBD_E_CUT && !p->creds->psk &&
	    p->ssl.state <= MBEDTLS_SSL_SERVER_HELLO)
		return LACKS;
	/* with TLS 1.3 they are in the first message */
	if (p->creds->psk && (p->ssl.state > MBEDTLS_SSL_CLIENT_KEY_EXCHANGE ||
			      p->ssl.tls_version != MBEDTLS_SSL_VERSION_TLS1_2))
		return " after it received our user name and key";
	if (!p->asked || p->ssl.state <= MBEDTLS_SSL_CLIENT_CERTIFICATE)
		return "";
	return p->creds->has_cert ? " after it received our certificate"
				  : " after it asked for a client certificate, "
				    "and none was given (--cert)";
}

/* The server's chain could not even be parsed. */
static int explain_parser(int ret, struct nbd_diag *d)
{
	struct fault f = fault_by_number(ret);

	return nbd_diag(d, NBD_E_CERT,
			"the server's certificate, or one that signed it, %s "
			"(-0x%x): %s",
			f.what, (unsigned)-ret, f.remedy);
}

static int explain(struct tls_peer *p, int ret, struct nbd_diag *d)
{
	switch (ret) {
	case MBEDTLS_ERR_X509_CERT_VERIFY_FAILED:
	case MBEDTLS_ERR_SSL_BAD_CERTIFICATE:
		if (mbedtls_ssl_get_verify_result(&p->ssl))
			return verify_explain(p, d);
		break;
	case MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE:
		return explain_alert(p, d);
	case MBEDTLS_ERR_SSL_CONN_EOF:
	case MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY:
		p->err = NBD_E_CUT;
		break;
	case MBEDTLS_ERR_SSL_BAD_PROTOCOL_VERSION:
		return nbd_diag(
			d, NBD_E_TLS,
			"TLS handshake: the server supports nothing newer "
			"than TLS 1.1");
	case MBEDTLS_ERR_SSL_ILLEGAL_PARAMETER:
		return nbd_diag(d, NBD_E_TLS,
				"TLS handshake: the server's answer "
				"contradicts itself or our offer (-0x%x)",
				(unsigned)-ret);
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
	if (p->ssl.state == MBEDTLS_SSL_SERVER_CERTIFICATE)
		return explain_parser(ret, d);
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

/*
 * With TLS 1.3 the handshake ends here before the server has seen our
 * certificate: its refusal is its first answer.  If it only closes, and we have
 * one, that may be the network.
 */
static int first_answer(const struct tls_peer *p, int n)
{
	bool closed = !n || n == NBD_E_CUT || n == NBD_E_RESET;
	bool refused = SUITE_13 && p->is_13 && p->asked && !p->heard &&
		       (n == NBD_E_TLS || (closed && !p->creds->has_cert));

	return refused ? NBD_E_CLIENT_CERT : n;
}

static int read_mbedtls(struct tls_peer *p, void *buf, size_t len)
{
	int ret = mbedtls_ssl_read(&p->ssl, buf, len);

	/* a missing close_notify is no error: NBD has its own NBD_CMD_DISC */
	if (ret >= 0 || ret == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY ||
	    ret == MBEDTLS_ERR_SSL_CONN_EOF)
		return ret > 0 ? ret : 0;
	/* mbedTLS cannot take a new key: another connection has one */
	if (SUITE_13 && p->is_13 && ret == MBEDTLS_ERR_SSL_UNEXPECTED_MESSAGE &&
	    p->ssl.in_msgtype == NBD_TLS_HANDSHAKE)
		return NBD_E_CUT;
	return result(p, ret);
}

static int read_record(struct nbd_transport *t, void *buf, size_t len)
{
	struct tls_peer *p = (struct tls_peer *)t;
	int n = p->records ? records_read(p->records, buf, len)
			   : read_mbedtls(p, buf, len);

	p->heard |= n > 0;
	return n > 0 ? n : first_answer(p, n);
}

/*
 * Small pieces share a record.  They are gathered in a buffer that all
 * connections share, because it is not needed after the call: a pending record
 * is encrypted already, and only its length matters.
 */
static int write_record(struct nbd_transport *t, const struct nbd_iov v[],
			unsigned n)
{
	static unsigned char record[RECORD_TEXT];
	struct tls_peer *p = (struct tls_peer *)t;
	size_t len = p->pending;
	int ret;

	if (p->records)
		return first_answer(p, records_write(p->records, v, n));
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

/*
 * Makes the key block (RFC 5246, 6.3); AEAD suites have no MAC keys in it.  In
 * p->block the keys are as long as the suite's, and nothing is between them.
 */
static void on_keys(void *arg, mbedtls_ssl_key_export_type type,
		    const unsigned char *secret, size_t len,
		    const unsigned char client_random[32],
		    const unsigned char server_random[32],
		    mbedtls_tls_prf_types prf)
{
	struct tls_peer *p = arg;
	unsigned char randoms[64];

	if (type != MBEDTLS_SSL_KEY_EXPORT_TLS12_MASTER_SECRET) {
		tls13_secret(p, type, secret, len);
		return;
	}
	memcpy(randoms, server_random, 32);
	memcpy(randoms + 32, client_random, 32);
	p->keyed = !mbedtls_ssl_tls_prf(prf, secret, len, "key expansion",
					randoms, sizeof(randoms), p->block,
					sizeof(p->block));
}

static struct tls_session *session(struct nbd_tls *tls)
{
	return (struct tls_session *)tls; /* its first member */
}

/* RFC 6066: a server name (SNI) is never an address, and has no last dot. */
static int set_name(struct tls_peer *p)
{
	const struct creds_host *host = &p->creds->host;
	/* verify_certificate() compares an address */
	bool none = p->creds->psk || host->ip.len;
	size_t n = none ? 0 : strlen(host->name);
	int ret = mbedtls_ssl_set_hostname(&p->ssl, none ? NULL : host->name);

	if (!ret && n && host->name[n - 1] == '.')
		p->ssl.hostname[n - 1] = '\0';
	return ret;
}

static int start(struct nbd_tls *tls, unsigned conn,
		 struct nbd_transport *below, struct nbd_diag *d)
{
	struct tls_session *s = session(tls);
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
	if (!ret)
		ret = set_name(p);
	mbedtls_ssl_set_export_keys_cb(&p->ssl, on_keys, p);
	mbedtls_ssl_set_bio(&p->ssl, p, send_below, receive_below, NULL);
	mbedtls_ssl_set_verify(&p->ssl, verify_certificate, p);
	if (!ret)
		resume_offer(p);
	else
		tls_drop(s, conn);
	return ret ? nbd_diag(d, NBD_E_NO_MEMORY, "TLS: out of memory") : 0;
}

/* By its certificate, now or in the session that goes on, or by the key. */
static bool is_proved(const struct tls_peer *p)
{
	return p->proved || p->offered || p->creds->psk ||
	       !p->creds->conf->verify;
}

/*
 * One step after the other, to see whether a certificate is asked for.
 * CVE-2026-115490 (CVES.md): with mbedTLS before 3.6.8 a ServerHello that is
 * none of TLS 1.3 can still claim its version, and no key is agreed on then.
 */
static int handshake(struct tls_peer *p)
{
	mbedtls_ssl_context *ssl = &p->ssl;
	int ret = 0;

	while (!ret && !mbedtls_ssl_is_handshake_over(ssl)) {
		bool may_ask = ssl->state == MBEDTLS_SSL_CERTIFICATE_REQUEST;
		bool old = ssl->tls_version == MBEDTLS_SSL_VERSION_TLS1_2;

		ret = mbedtls_ssl_handshake_step(ssl);
		/* a lower version is mbedTLS's to refuse, see explain() */
		if (old && ssl->tls_version > MBEDTLS_SSL_VERSION_TLS1_2)
			return MBEDTLS_ERR_SSL_ILLEGAL_PARAMETER;
		if (may_ask && !ret)
			p->asked = ssl->in_msg[0] ==
				   MBEDTLS_SSL_HS_CERTIFICATE_REQUEST;
	}
	return ret || (p->keyed && is_proved(p))
		       ? ret
		       : MBEDTLS_ERR_SSL_INTERNAL_ERROR;
}

static int step(struct nbd_tls *tls, unsigned conn, struct nbd_diag *d)
{
	struct tls_peer *p = session(tls)->peers[conn];
	int ret = handshake(p);

	if (ret == MBEDTLS_ERR_SSL_WANT_READ)
		return NBD_RECV;
	if (ret == MBEDTLS_ERR_SSL_WANT_WRITE)
		return NBD_SEND;
	p->secured = !ret;
	p->is_13 = mbedtls_ssl_get_version_number(&p->ssl) ==
		   MBEDTLS_SSL_VERSION_TLS1_3;
	p->suite = mbedtls_ssl_get_ciphersuite(&p->ssl);
	if (ret) {
		p->session->lacks_12 |= may_lack_12(p, ret);
		return explain(p, ret, d);
	}
	resume_keep(p);
	p->offered = false;
	return 0;
}

static void wipe_keys(struct tls_peer *p)
{
	explicit_bzero(p->block, sizeof(p->block));
	explicit_bzero(p->secrets, sizeof(p->secrets));
	p->keyed = false;
}

/*
 * Takes the records over from mbedTLS if that makes them faster, and frees what
 * only it needs.
 */
static void take_over(struct tls_peer *p)
{
	int id = mbedtls_ssl_get_ciphersuite_id_from_ssl(&p->ssl);
	struct nbd_tls_keys keys;

	if (records_fit(suite_aead(id)) && tls_keys(p->session, p->conn, &keys))
		p->records = mbedtls_calloc(1, sizeof(*p->records));
	if (p->records) {
		records_init(p->records, &keys, p->below);
		if (keys.is_13)
			tls13_records(p, p->records, keys.aead);
		mbedtls_ssl_free(&p->ssl);
	}
	explicit_bzero(&keys, sizeof(keys));
	wipe_keys(p);
}

static struct nbd_transport *transport(struct nbd_tls *tls, unsigned conn)
{
	struct tls_peer *p = session(tls)->peers[conn];

	/* once: if mbedTLS has sent a record, its number is not known here */
	if (p->keyed)
		take_over(p);
	return &p->t;
}

static void stop(struct nbd_tls *tls, unsigned conn)
{
	struct tls_peer *p = session(tls)->peers[conn];

	if (p && p->records)
		records_goodbye(p->records);
	else if (p && p->secured)
		mbedtls_ssl_close_notify(&p->ssl);
	tls_drop(session(tls), conn);
}

const struct nbd_tls tls_records = { start, step, transport, stop };

bool tls_keys(const struct tls_session *s, unsigned conn,
	      struct nbd_tls_keys *keys)
{
	const struct tls_peer *p = s->peers[conn];
	const unsigned char *from = p->block;
	size_t key_len, iv_len;

	memset(keys, 0, sizeof(*keys));
	keys->aead =
		suite_aead(mbedtls_ssl_get_ciphersuite_id_from_ssl(&p->ssl));
	if (SUITE_13 && p->is_13)
		return tls13_keys(p, keys);
	key_len = suite_key_len(keys->aead);
	iv_len = keys->aead == NBD_CHACHA20_POLY1305 ? TLS_IV_MAX : 4;
	memcpy(keys->tx.key, from, key_len);
	memcpy(keys->rx.key, from += key_len, key_len);
	memcpy(keys->tx.iv, from += key_len, iv_len);
	memcpy(keys->rx.iv, from + iv_len, iv_len);
	/* each side has encrypted one record with them: Finished */
	keys->tx.seq = keys->rx.seq = 1;
	return true;
}

bool tls_is_slow(const struct tls_session *s, unsigned conn)
{
	const struct tls_peer *p = s->peers[conn];
	int id = mbedtls_ssl_get_ciphersuite_id_from_ssl(&p->ssl);

	return suite_aead(id) == NBD_CHACHA20_POLY1305;
}

void tls_release(struct tls_session *s, unsigned conn)
{
	struct tls_peer *p = s->peers[conn];

	mbedtls_ssl_free(&p->ssl);
	wipe_keys(p);
	p->secured = false;
}

void tls_drop(struct tls_session *s, unsigned conn)
{
	struct tls_peer *p = s->peers[conn];

	if (!p)
		return;
	/* a handshake that failed or hung: this may be the cause */
	if (p->offered)
		resume_forget(s->creds);
	mbedtls_ssl_free(&p->ssl);
	if (p->records)
		explicit_bzero(p->records, sizeof(*p->records));
	mbedtls_free(p->records);
	explicit_bzero(p, sizeof(*p));
	mbedtls_free(p);
	s->peers[conn] = NULL;
}

const char *tls_suite(const struct tls_session *s, unsigned conn)
{
	return s->peers[conn]->suite;
}

const char *tls_protocol(const struct tls_session *s, unsigned conn)
{
	return SUITE_13 && s->peers[conn]->is_13 ? "TLS 1.3" : "TLS 1.2";
}
