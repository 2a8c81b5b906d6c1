/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of TLS 1.2 and 1.3 with AES-GCM (RFC 5246, 6.2; RFC 5288; RFC
 * 8446, 5), once a handshake has made the keys: what kernel TLS does for a
 * device, for the connections that a program keeps.  It reads several records
 * at once, and decrypts them into the memory of the caller.
 */
#ifndef PORT_MBEDTLS_RECORDS_H
#define PORT_MBEDTLS_RECORDS_H

#include "port/mbedtls/aesgcm.h"
#include "port/tls.h"

#define RECORD_TEXT   16384u
/* The head, the explicit part of the iv, and the tag. */
#define RECORD_HEAD   13u
#define RECORD_MAX_12 (RECORD_HEAD + RECORD_TEXT + AESGCM_TAG)
#ifdef CONFIG_PORT_TLS13
/* Behind a head of 5 bytes, RFC 8446, 5.2 */
#define RECORD_MAX (5u + RECORD_TEXT + 256u)
#define RECORDS_13 1
#else
#define RECORD_MAX RECORD_MAX_12
#define RECORDS_13 0
#endif
/* Bytes: the longest secret that keys of TLS 1.3 are made of. */
#define RECORD_SECRET 48u
/* Records that are read at once, and written at once. */
#define RECORDS_IN    2u
#define RECORDS_OUT   2u

/* One direction. */
struct records_way {
	struct aesgcm key;
	unsigned char iv[AESGCM_IV]; /* TLS 1.2: the salt, 4 bytes */
	uint64_t seq;		     /* of the next record */
	/* Encrypted bytes: those before `from` are sent, or decrypted. */
	size_t from, to;
	/* TLS 1.3: what the key and the iv are made of */
	unsigned char secret[RECORD_SECRET];
	size_t secret_len, key_len;
};

/* One connection.  Secret: the owner wipes it. */
struct records {
	struct nbd_transport *below;
	struct records_way rx, tx;
	/* the first one; from then on nothing is read, or sent by TLS 1.3 */
	int err;
	bool ended;	   /* the server said goodbye, or closed */
	unsigned idle;	   /* records without data, one behind the other */
	size_t text, left; /* in in[]: decrypted bytes that are not taken yet */
	size_t pending;	   /* bytes of the caller in out[] */
	/*
	 * TLS 1.3: makes the next key of a direction, and its iv; or NULL.
	 * False: there is no memory for that.
	 */
	bool (*renew)(struct records_way *w);
	bool must_renew;  /* ours, before the next record */
	size_t to_ignore; /* bytes of a ticket that are in later records */
	unsigned char in[RECORDS_IN * RECORD_MAX];
	unsigned char out[RECORDS_OUT * RECORD_MAX];
};

/* True if records_init() can take such keys, on this CPU. */
bool records_fit(enum nbd_aead aead);

/* Begins behind a handshake whose keys are these; `below` outlives it. */
void records_init(struct records *r, const struct nbd_tls_keys *keys,
		  struct nbd_transport *below);

/*
 * After it: TLS 1.3.  The owner has filled in secret, secret_len and key_len of
 * both directions.
 */
void records_init_13(struct records *r, bool (*renew)(struct records_way *w),
		     struct nbd_transport *below);

/*
 * Like those of a transport.  After NBD_E_AGAIN of records_write() the same
 * bytes must come again, and may be followed by more.
 */
int records_read(struct records *r, void *buf, size_t len);
int records_write(struct records *r, const struct nbd_iov v[], unsigned n);
/* Sends close_notify, unless part of a record is on its way. */
void records_goodbye(struct records *r);

#endif
