/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of TLS 1.2 and 1.3 with AES-GCM.
 *
 *   type, version 2, length 2 | explicit iv 8 | text | tag 16
 *   type, version 2, length 2 | text, type, zeroes | tag 16     (TLS 1.3)
 *
 *   in[]:   0 .. text . left .. rx.from ..... rx.to .....
 *                decrypted      encrypted     free
 */
#include "port/mbedtls/records.h"

#include <string.h>

enum {
	ALERT = NBD_TLS_ALERT,
	HANDSHAKE = NBD_TLS_HANDSHAKE,
	DATA = NBD_TLS_DATA
};

#define PLAIN_HEAD  5u
/* RFC 8446, 4.6.3 */
#define KEY_UPDATE  24
/* RFC 8446, 5.5: AES-GCM with one key is good for 2^24.5 records. */
#define RENEW_AFTER (1u << 24)

bool records_fit(enum nbd_aead aead)
{
	return aead != NBD_CHACHA20_POLY1305 && aesgcm_usable();
}

static void init(struct records_way *w, const struct nbd_tls_key *key,
		 enum nbd_aead aead)
{
	aesgcm_init(&w->key, key->key, aead == NBD_AES_128_GCM ? 16 : 32);
	memcpy(w->iv, key->iv, sizeof(w->iv));
	w->seq = key->seq;
}

static void begin(struct records *r, struct nbd_transport *below)
{
	r->below = below;
	r->err = 0;
	r->ended = r->must_renew = false;
	r->idle = 0;
	r->text = r->left = r->pending = r->to_ignore = 0;
	r->rx.from = r->rx.to = r->tx.from = r->tx.to = 0;
}

void records_init(struct records *r, const struct nbd_tls_keys *keys,
		  struct nbd_transport *below)
{
	init(&r->tx, &keys->tx, keys->aead);
	init(&r->rx, &keys->rx, keys->aead);
	r->renew = NULL;
	begin(r, below);
}

void records_init_13(struct records *r, bool (*renew)(struct records_way *w),
		     struct nbd_transport *below)
{
	r->renew = renew;
	begin(r, below);
}

static bool is_13(const struct records *r)
{
	return RECORDS_13 && r->renew;
}

static size_t head_len(const struct records *r)
{
	return is_13(r) ? PLAIN_HEAD : RECORD_HEAD;
}

static void put_be(unsigned char *p, uint64_t v, unsigned n)
{
	for (; n; v >>= 8)
		p[--n] = (unsigned char)v;
}

/* What authenticates a record. */
struct seal {
	unsigned char iv[AESGCM_IV], aad[13];
	size_t aad_len;
};

/* RFC 8446, 5.2 and 5.3: the number is added to the iv, the head is as sent. */
static void next_seal_13(struct seal *s, struct records_way *w,
			 const unsigned char head[PLAIN_HEAD])
{
	unsigned char seq[8];

	put_be(seq, w->seq++, 8);
	memcpy(s->iv, w->iv, sizeof(s->iv));
	for (unsigned i = 0; i < 8; i++)
		s->iv[4 + i] ^= seq[i];
	s->aad_len = PLAIN_HEAD;
	memcpy(s->aad, head, PLAIN_HEAD);
}

/* Makes it for a record with that head, and counts the record. */
static void next_seal(const struct records *r, struct seal *s,
		      struct records_way *w,
		      const unsigned char head[RECORD_HEAD], size_t len)
{
	if (is_13(r)) {
		next_seal_13(s, w, head);
		return;
	}
	memcpy(s->iv, w->iv, 4);
	memcpy(s->iv + 4, head + PLAIN_HEAD, 8);
	s->aad_len = sizeof(s->aad);
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
	if (p[1] != 3 || p[2] != 3 ||
	    len > (is_13(r) ? RECORD_MAX : RECORD_MAX_12) ||
	    len < head_len(r) + AESGCM_TAG || (is_13(r) && p[0] != DATA))
		return fail(r, NBD_E_TLS);
	return have < len ? 0 : (int)len;
}

/* A record that is no data: its text lies at p. */
static int take_other(struct records *r, unsigned type, const unsigned char *p,
		      size_t len)
{
	int what = is_13(r) ? nbd_tls_other_13(type, p, len, &r->to_ignore)
			    : nbd_tls_other(type, p, len);

	r->ended |= what == NBD_TLS_GOODBYE;
	r->must_renew |= what == NBD_TLS_NEW_KEYS;
	if (what >= NBD_TLS_NEW_KEY && !r->renew(&r->rx))
		what = NBD_E_NO_MEMORY;
	return what < 0 ? fail(r, what) : 0;
}

/* TLS 1.3: the type behind the text, or 0; *len becomes that of the text. */
static unsigned type_13(const unsigned char *p, size_t *len)
{
	while (*len && !p[*len - 1])
		--*len;
	return *len ? p[--*len] : 0;
}

/*
 * Decrypts the record of `whole` bytes at rx.from: to buf, if it is data that
 * fits there, and otherwise in its place.  Returns the bytes at buf.
 */
static int open_record(struct records *r, size_t whole, unsigned char *buf,
		       size_t room)
{
	unsigned char *p = r->in + r->rx.from, *from = p + head_len(r), *to;
	size_t len = whole - head_len(r) - AESGCM_TAG;
	bool direct = p[0] == DATA && len <= room;
	unsigned type = p[0];
	struct seal s;

	to = direct ? buf : from;
	next_seal(r, &s, &r->rx, p, len);
	if (!aesgcm_open(&r->rx.key, s.iv,
			 (struct aesgcm_aad){ s.aad, s.aad_len }, from, to, len,
			 from + len))
		return fail(r, NBD_E_TLS);
	r->rx.from += whole;
	if (is_13(r))
		type = type_13(to, &len);
	r->idle = type == DATA && len ? 0 : r->idle + 1;
	if (len > RECORD_TEXT || (type == DATA && r->to_ignore) ||
	    r->idle > (is_13(r) ? NBD_TLS_IDLE_MAX_13 : NBD_TLS_IDLE_MAX))
		return fail(r, NBD_E_TLS);
	if (type != DATA)
		return take_other(r, type, to, len);
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

	/* where a read brings a segment, a record takes eleven of them */
	if (w->from)
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

/*
 * Appends a record to out[]; its text, `from`, may lie there already.  With TLS
 * 1.3 it must, as the type follows it.
 */
static void seal_record(struct records *r, unsigned char type,
			const unsigned char *from, size_t len)
{
	unsigned char *p = r->out + r->tx.to, *to = p + head_len(r);
	struct seal s;

	p[0] = is_13(r) ? DATA : type;
	p[1] = p[2] = 3;
	if (is_13(r))
		to[len++] = type;
	put_be(p + 3, head_len(r) - PLAIN_HEAD + len + AESGCM_TAG, 2);
	/* RFC 5288: the number of the record is an iv that comes only once */
	if (!is_13(r))
		put_be(p + PLAIN_HEAD, r->tx.seq, 8);
	next_seal(r, &s, &r->tx, p, len);
	aesgcm_seal(&r->tx.key, s.iv, (struct aesgcm_aad){ s.aad, s.aad_len },
		    from, to, len, to + len);
	r->tx.to += head_len(r) + len + AESGCM_TAG;
}

/* A short message. */
static void seal_message(struct records *r, unsigned char type,
			 const unsigned char *from, size_t len)
{
	unsigned char *text = r->out + r->tx.to + head_len(r);

	memcpy(text, from, len);
	seal_record(r, type, text, len);
}

/* The last record with our old key says so.  0, or an error: it is not sent. */
static int renew_ours(struct records *r)
{
	static const unsigned char update[5] = { KEY_UPDATE, 0, 0, 1, 0 };

	seal_message(r, HANDSHAKE, update, sizeof(update));
	r->must_renew = false;
	return r->renew(&r->tx) ? 0 : fail(r, NBD_E_NO_MEMORY);
}

/* Fills out[] with records.  A whole record of one piece is not copied. */
static size_t seal_records(struct records *r, struct cursor c)
{
	size_t all = 0;

	while (c.n && sizeof(r->out) - r->tx.to >= RECORD_MAX) {
		unsigned char *text = r->out + r->tx.to + head_len(r);
		size_t len = RECORD_TEXT;

		if (!is_13(r) && c.v->len - c.at >= len) {
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
	int err = is_13(r) ? r->err : 0, sent;

	if (!err && !r->pending && is_13(r) &&
	    (r->must_renew || r->tx.seq >= RENEW_AFTER))
		err = renew_ours(r);
	if (err)
		return err;
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
	static const unsigned char goodbye[2] = { NBD_TLS_WARNING,
						  NBD_TLS_CLOSE_NOTIFY };

	if (r->tx.to)
		return;
	seal_message(r, ALERT, goodbye, sizeof(goodbye));
	flush(r);
}
