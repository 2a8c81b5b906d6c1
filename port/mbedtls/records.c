/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of TLS 1.2 with AES-GCM.
 *
 *   type, version 2, length 2 | explicit iv 8 | text | tag 16
 *
 *   in[]:   0 .. text . left .. rx.from ..... rx.to .....
 *                decrypted      encrypted     free
 */
#include "port/mbedtls/records.h"

#include <string.h>

/* RFC 5246, 6.2.1 */
enum { ALERT = 21, HANDSHAKE = 22, DATA = 23 };

#define PLAIN_HEAD   5u
/* RFC 5246, 7.2: goodbye; a warning is no failure */
#define CLOSE_NOTIFY 0
#define WARNING	     1
/* As mbedTLS: a server that sends more of them in a row keeps us busy. */
#define IDLE_MAX     3

bool records_fit(enum nbd_aead aead)
{
	return aead != NBD_CHACHA20_POLY1305 && aesgcm_usable();
}

static void init(struct records_way *w, const struct nbd_tls_key *key,
		 enum nbd_aead aead)
{
	aesgcm_init(&w->key, key->key, aead == NBD_AES_128_GCM ? 16 : 32);
	memcpy(w->salt, key->iv, sizeof(w->salt));
	w->seq = key->seq;
	w->from = w->to = 0;
}

void records_init(struct records *r, const struct nbd_tls_keys *keys,
		  struct nbd_transport *below)
{
	init(&r->tx, &keys->tx, keys->aead);
	init(&r->rx, &keys->rx, keys->aead);
	r->below = below;
	r->err = 0;
	r->ended = false;
	r->idle = 0;
	r->text = r->left = r->pending = 0;
}

static void put_be(unsigned char *p, uint64_t v, unsigned n)
{
	for (; n; v >>= 8)
		p[--n] = (unsigned char)v;
}

/* What authenticates a record. */
struct seal {
	unsigned char iv[AESGCM_IV], aad[13];
};

/* Makes it for a record with that head, and counts the record. */
static void next_seal(struct seal *s, struct records_way *w,
		      const unsigned char head[RECORD_HEAD], size_t len)
{
	memcpy(s->iv, w->salt, 4);
	memcpy(s->iv + 4, head + PLAIN_HEAD, 8);
	put_be(s->aad, w->seq++, 8);
	memcpy(s->aad + 8, head, 3);
	put_be(s->aad + 11, len, 2);
}

/* ---- reading ---- */

static int fail(struct records *r, int err)
{
	r->err = err;
	return err;
}

/* The length of the whole record at rx.from, 0: incomplete, or an error. */
static int record_length(struct records *r)
{
	const unsigned char *p = r->in + r->rx.from;
	size_t have = r->rx.to - r->rx.from, len;

	if (have < PLAIN_HEAD)
		return 0;
	len = PLAIN_HEAD + (size_t)(p[3] << 8 | p[4]);
	if (p[1] != 3 || p[2] != 3 || len > RECORD_MAX ||
	    len < RECORD_HEAD + AESGCM_TAG)
		return fail(r, NBD_E_TLS);
	return have < len ? 0 : (int)len;
}

/* A record that is no data: its text lies at p. */
static int take_other(struct records *r, unsigned type, const unsigned char *p,
		      size_t len)
{
	static const unsigned char hello_request[4] = { 0 };

	if (type == ALERT && len == 2 && p[1] == CLOSE_NOTIFY) {
		r->ended = true;
		return 0;
	}
	if (type == ALERT && len == 2 && p[0] == WARNING)
		return 0;
	/* RFC 5246, 7.4.1.1: a client that does not renegotiate may ignore it */
	if (type == HANDSHAKE && len == sizeof(hello_request) &&
	    !memcmp(p, hello_request, len))
		return 0;
	return fail(r, NBD_E_TLS);
}

/*
 * Decrypts the record of `whole` bytes at rx.from: to buf, if it is data that
 * fits there, and otherwise in its place.  Returns the bytes at buf.
 */
static int open_record(struct records *r, size_t whole, unsigned char *buf,
		       size_t room)
{
	unsigned char *p = r->in + r->rx.from, *from = p + RECORD_HEAD, *to;
	size_t len = whole - RECORD_HEAD - AESGCM_TAG;
	bool direct = p[0] == DATA && len <= room;
	struct seal s;

	to = direct ? buf : from;
	next_seal(&s, &r->rx, p, len);
	if (!aesgcm_open(&r->rx.key, s.iv,
			 (struct aesgcm_aad){ s.aad, sizeof(s.aad) }, from, to,
			 len, from + len))
		return fail(r, NBD_E_TLS);
	r->rx.from += whole;
	r->idle = p[0] == DATA && len ? 0 : r->idle + 1;
	if (r->idle > IDLE_MAX)
		return fail(r, NBD_E_TLS);
	if (p[0] != DATA)
		return take_other(r, p[0], from, len);
	if (direct)
		return (int)len;
	r->text = (size_t)(from - r->in);
	r->left = len;
	return 0;
}

/* Reads more behind the part of a record that is there. */
static int fill(struct records *r)
{
	struct records_way *w = &r->rx;
	int n;

	memmove(r->in, r->in + w->from, w->to - w->from);
	w->to -= w->from;
	w->from = 0;
	n = r->below->read(r->below, r->in + w->to, sizeof(r->in) - w->to);
	if (n > 0)
		w->to += (size_t)n;
	else if (!n)
		r->ended = true;
	return n;
}

/* What is decrypted already. */
static size_t take_text(struct records *r, unsigned char *buf, size_t room)
{
	size_t n = r->left < room ? r->left : room;

	memcpy(buf, r->in + r->text, n);
	r->text += n;
	r->left -= n;
	return n;
}

int records_read(struct records *r, void *buf, size_t len)
{
	unsigned char *to = buf;
	size_t got = take_text(r, to, len);
	int n = 0;

	while (got < len && !r->err && !r->ended && n >= 0) {
		n = record_length(r);
		if (n > 0) {
			n = open_record(r, (size_t)n, to + got, len - got);
			got += n > 0 ? (size_t)n : 0;
			got += take_text(r, to + got, len - got);
		} else if (!n && got) {
			break; /* the caller may wait for these only */
		} else if (!n) {
			n = fill(r);
		}
	}
	if (got)
		return (int)got;
	return r->err ? r->err : r->ended ? 0 : n;
}

/* ---- writing ---- */

/* Where in the caller's pieces the next byte is. */
struct cursor {
	const struct nbd_iov *v;
	unsigned n;
	size_t at;
};

/* Copies up to `room` bytes to p, and moves on. */
static size_t gather(struct cursor *c, unsigned char *p, size_t room)
{
	size_t len = 0;

	while (c->n && len < room) {
		size_t part = c->v->len - c->at;

		if (part > room - len)
			part = room - len;
		memcpy(p + len, (unsigned char *)c->v->base + c->at, part);
		len += part;
		c->at += part;
		if (c->at == c->v->len)
			*c = (struct cursor){ c->v + 1, c->n - 1, 0 };
	}
	return len;
}

/* Appends a record to out[]; its text, `from`, may lie there already. */
static void seal_record(struct records *r, unsigned char type,
			const unsigned char *from, size_t len)
{
	unsigned char *p = r->out + r->tx.to, *to = p + RECORD_HEAD;
	struct seal s;

	p[0] = type;
	p[1] = p[2] = 3;
	put_be(p + 3, RECORD_HEAD - PLAIN_HEAD + len + AESGCM_TAG, 2);
	/* RFC 5288: the number of the record is an iv that comes only once */
	put_be(p + PLAIN_HEAD, r->tx.seq, 8);
	next_seal(&s, &r->tx, p, len);
	aesgcm_seal(&r->tx.key, s.iv,
		    (struct aesgcm_aad){ s.aad, sizeof(s.aad) }, from, to, len,
		    to + len);
	r->tx.to += RECORD_HEAD + len + AESGCM_TAG;
}

/* Fills out[] with records.  A whole record of one piece is not copied. */
static size_t seal_records(struct records *r, struct cursor c)
{
	size_t all = 0;

	while (c.n && sizeof(r->out) - r->tx.to >= RECORD_MAX) {
		unsigned char *text = r->out + r->tx.to + RECORD_HEAD;
		size_t len = RECORD_TEXT;

		if (c.v->len - c.at >= len) {
			text = (unsigned char *)c.v->base + c.at;
			c.at += len;
		} else {
			len = gather(&c, text, len);
		}
		if (len)
			seal_record(r, DATA, text, len);
		all += len;
	}
	return all;
}

/* Sends out[]: 0, or an error. */
static int flush(struct records *r)
{
	struct records_way *w = &r->tx;

	while (w->from < w->to) {
		struct nbd_iov v = { r->out + w->from, w->to - w->from };
		int n = r->below->write(r->below, &v, 1);

		if (n < 0)
			return n;
		w->from += (size_t)n;
	}
	w->from = w->to = 0;
	return 0;
}

int records_write(struct records *r, const struct nbd_iov v[], unsigned n)
{
	int err, sent;

	if (!r->pending)
		r->pending = seal_records(r, (struct cursor){ v, n, 0 });
	err = flush(r);
	if (err)
		return err;
	sent = (int)r->pending;
	r->pending = 0;
	return sent;
}

void records_goodbye(struct records *r)
{
	static const unsigned char goodbye[2] = { WARNING, CLOSE_NOTIFY };

	if (r->tx.to)
		return;
	seal_record(r, ALERT, goodbye, sizeof(goodbye));
	flush(r);
}
