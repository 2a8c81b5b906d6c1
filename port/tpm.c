/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command is a header, handles, authorizations and parameters; each function
 * below writes one and reads its response in the order of the TCG's tables.
 */
#include "port/tpm.h"

#include <string.h>

/* TPM_CC, TPM_ST, TPM_RH, TPM_ALG, TPM_ECC_CURVE and TPM_SE. */
#define CC_CREATE_PRIMARY     0x131u
#define CC_CREATE	      0x153u
#define CC_LOAD		      0x157u
#define CC_UNSEAL	      0x15eu
#define CC_FLUSH_CONTEXT      0x165u
#define CC_START_AUTH_SESSION 0x176u
#define CC_PCR_READ	      0x17eu
#define CC_POLICY_PCR	      0x17fu
#define CC_POLICY_GET_DIGEST  0x189u
#define ST_NO_SESSIONS	      0x8001u
#define ST_SESSIONS	      0x8002u
#define RH_OWNER	      0x40000001u
#define RH_NULL		      0x40000007u
#define RS_PW		      0x40000009u
#define ALG_AES		      0x0006u
#define ALG_KEYEDHASH	      0x0008u
#define ALG_SHA256	      0x000bu
#define ALG_NULL	      0x0010u
#define ALG_ECC		      0x0023u
#define ALG_CFB		      0x0043u
#define ECC_NIST_P256	      0x0003u
#define SE_POLICY	      0x01u
#define SE_TRIAL	      0x03u

#define HEADER 10u /* bytes: tag, size, code */

/* ---- bytes of a message ---- */

static void put(struct tpm *t, const void *p, size_t len)
{
	if (len > sizeof(t->message) - t->at) {
		t->bad = true;
		return;
	}
	memcpy(t->message + t->at, p, len);
	t->at += len;
}

/* A number of `bytes` bytes, the most significant one first. */
static void put_number(struct tpm *t, uint32_t n, unsigned bytes)
{
	uint8_t be[4];

	for (unsigned i = 0; i < bytes; i++)
		be[i] = (uint8_t)(n >> 8 * (bytes - 1 - i));
	put(t, be, bytes);
}

static void put16(struct tpm *t, uint32_t n)
{
	put_number(t, n, 2);
}

static void put32(struct tpm *t, uint32_t n)
{
	put_number(t, n, 4);
}

/* A TPM2B: its length, and so many bytes. */
static void put_sized(struct tpm *t, const void *p, size_t len)
{
	put16(t, (uint32_t)len);
	put(t, p, len);
}

static const uint8_t *get(struct tpm *t, size_t len)
{
	const uint8_t *p = t->message + t->at;

	if (len > t->len - t->at) {
		t->bad = true;
		return NULL;
	}
	t->at += len;
	return p;
}

static uint32_t get_number(struct tpm *t, unsigned bytes)
{
	const uint8_t *p = get(t, bytes);
	uint32_t n = 0;

	for (unsigned i = 0; p && i < bytes; i++)
		n = n << 8 | p[i];
	return n;
}

static uint32_t get16(struct tpm *t)
{
	return get_number(t, 2);
}

static uint32_t get32(struct tpm *t)
{
	return get_number(t, 4);
}

/* A TPM2B of at most cap bytes; returns its length. */
static size_t get_sized(struct tpm *t, uint8_t *to, size_t cap)
{
	size_t len = get16(t);
	const uint8_t *p = get(t, len);

	if (!p || len > cap) {
		t->bad = true;
		return 0;
	}
	memcpy(to, p, len);
	return len;
}

/* ---- a command and its response ---- */

static void begin(struct tpm *t, uint32_t tag, uint32_t command)
{
	t->at = 0;
	t->bad = false;
	put16(t, tag);
	put32(t, 0); /* the size: send() */
	put32(t, command);
}

/* One authorization, without a nonce or an HMAC: a password, which is empty. */
static void put_auth(struct tpm *t, uint32_t session)
{
	put32(t, 4 + 2 + 1 + 2);
	put32(t, session);
	put16(t, 0);
	put_number(t, 0, 1);
	put16(t, 0);
}

/*
 * TPM_RC: codes of format 1 have a number in the bits 0 to 5, and tell
 * with which parameter, handle or session they are in others.
 */
static int result_of(uint32_t code)
{
	if (!code)
		return TPM_OK;
	switch (code & 0x80u ? code & 0xbfu : code) {
	case 0x9f: /* INTEGRITY */
	case 0x82: /* ATTRIBUTES, of a blob whose parts do not fit */
	case 0x95: /* SIZE, of a blob */
	case 0xa5: /* BINDING */
		return TPM_FOREIGN;
	case 0x84:  /* VALUE: PolicyPCR compares */
	case 0x9d:  /* POLICY_FAIL */
	case 0x128: /* PCR_CHANGED */
		return TPM_PCR;
	case 0x8e: /* AUTH_FAIL */
	case 0xa2: /* BAD_AUTH */
		return TPM_PASSWORD;
	}
	return TPM_REFUSED;
}

/* Sends what begin() began; get() reads from the bytes behind the header. */
static int send(struct tpm *t)
{
	size_t len = t->at;
	int n;

	if (t->bad)
		return TPM_MALFORMED;
	t->at = 2;
	put32(t, (uint32_t)len);
	n = t->transmit(t, len);
	if (n < 0)
		return n;
	t->at = 2;
	t->len = (size_t)n;
	if (t->len < HEADER || t->len > sizeof(t->message) ||
	    get32(t) != t->len)
		return TPM_MALFORMED;
	t->code = get32(t);
	return result_of(t->code);
}

/* The result of a command whose response has been read. */
static int end(const struct tpm *t)
{
	return t->bad ? TPM_MALFORMED : TPM_OK;
}

/* ---- PCRs ---- */

/* TPML_PCR_SELECTION of one bank. */
static void put_selection(struct tpm *t, uint32_t mask)
{
	put32(t, 1);
	put16(t, ALG_SHA256);
	put_number(t, 3, 1);
	for (unsigned i = 0; i < 3; i++)
		put_number(t, mask >> 8 * i & 0xff, 1);
}

/* The PCRs that a response has; 0 if it is of another form. */
static uint32_t get_selection(struct tpm *t)
{
	uint32_t mask = 0, count = get32(t), bank = get16(t);
	unsigned bytes = (unsigned)get_number(t, 1);

	if (count != 1 || bank != ALG_SHA256 || bytes != 3)
		return 0;
	for (unsigned i = 0; i < 3; i++)
		mask |= get_number(t, 1) << 8 * i;
	return mask;
}

/* A response has the values of eight PCRs at most. */
static int read_some(struct tpm *t, struct tpm_pcrs *p, uint32_t *mask)
{
	uint32_t got, n;
	int rc;

	begin(t, ST_NO_SESSIONS, CC_PCR_READ);
	put_selection(t, *mask);
	rc = send(t);
	if (rc)
		return rc;
	get32(t); /* how often PCRs have changed */
	got = get_selection(t);
	n = get32(t);
	/* none at all: the bank is switched off */
	if (!got || got & ~*mask)
		return TPM_MALFORMED;
	for (unsigned i = 0; i < TPM_PCRS; i++) {
		if (!(got >> i & 1))
			continue;
		if (!n || get_sized(t, p->value[i], TPM_DIGEST) != TPM_DIGEST)
			return TPM_MALFORMED;
		n--;
	}
	*mask &= ~got;
	return end(t);
}

int tpm_read_pcrs(struct tpm *t, struct tpm_pcrs *p)
{
	uint32_t left = p->mask;
	int rc = TPM_OK;

	while (left && !rc)
		rc = read_some(t, p, &left);
	return rc;
}

/* ---- objects ---- */

/*
 * A storage key, of ECC: a TPM derives the same one from this template and the
 * seed of its owner.
 */
int tpm_primary(struct tpm *t, uint32_t *handle)
{
	int rc;

	begin(t, ST_SESSIONS, CC_CREATE_PRIMARY);
	put32(t, RH_OWNER);
	put_auth(t, RS_PW);
	put16(t, 4); /* neither a password nor data */
	put32(t, 0);
	put16(t, 26);
	put16(t, ALG_ECC);
	put16(t, ALG_SHA256);
	/* restricted, decrypt, noDA, userWithAuth, made here, fixed here */
	put32(t, 0x30472);
	put16(t, 0); /* no policy */
	put16(t, ALG_AES);
	put16(t, 128);
	put16(t, ALG_CFB);
	put16(t, ALG_NULL);
	put16(t, ECC_NIST_P256);
	put16(t, ALG_NULL);
	put32(t, 0); /* unique: x and y */
	put16(t, 0); /* outside information */
	put32(t, 0); /* no PCRs of its making */
	rc = send(t);
	if (rc)
		return rc;
	*handle = get32(t);
	return end(t);
}

int tpm_create(struct tpm *t, uint32_t parent, const uint8_t secret[TPM_SECRET],
	       const uint8_t policy[TPM_DIGEST], struct tpm_blob *blob)
{
	int rc;

	begin(t, ST_SESSIONS, CC_CREATE);
	put32(t, parent);
	put_auth(t, RS_PW);
	put16(t, 2 + 2 + TPM_SECRET);
	put16(t, 0);
	put_sized(t, secret, TPM_SECRET);
	put16(t, 14 + TPM_DIGEST);
	put16(t, ALG_KEYEDHASH);
	put16(t, ALG_SHA256);
	/* noDA, fixed here and to its parent; no password: a policy alone */
	put32(t, 0x412);
	put_sized(t, policy, TPM_DIGEST);
	put16(t, ALG_NULL);
	put16(t, 0); /* unique */
	put16(t, 0);
	put32(t, 0);
	rc = send(t);
	if (rc)
		return rc;
	get32(t); /* the size of the parameters */
	blob->private_len = get_sized(t, blob->private, TPM_PRIVATE);
	blob->public_len = get_sized(t, blob->public, TPM_PUBLIC);
	return end(t);
}

int tpm_load(struct tpm *t, uint32_t parent, const struct tpm_blob *blob,
	     uint32_t *handle)
{
	int rc;

	begin(t, ST_SESSIONS, CC_LOAD);
	put32(t, parent);
	put_auth(t, RS_PW);
	put_sized(t, blob->private, blob->private_len);
	put_sized(t, blob->public, blob->public_len);
	rc = send(t);
	/* one whose parts do not parse is no better than another TPM's */
	if (rc)
		return rc == TPM_PCR ? TPM_FOREIGN : rc;
	*handle = get32(t);
	return end(t);
}

int tpm_policy(struct tpm *t, bool trial, uint32_t *session)
{
	/* of a session without HMAC and encryption it protects nothing */
	static const uint8_t nonce[16];
	int rc;

	begin(t, ST_NO_SESSIONS, CC_START_AUTH_SESSION);
	put32(t, RH_NULL);
	put32(t, RH_NULL);
	put_sized(t, nonce, sizeof(nonce));
	put16(t, 0); /* no salt */
	put_number(t, trial ? SE_TRIAL : SE_POLICY, 1);
	put16(t, ALG_NULL);
	put16(t, ALG_SHA256);
	rc = send(t);
	if (rc)
		return rc;
	*session = get32(t);
	return end(t);
}

int tpm_policy_pcr(struct tpm *t, uint32_t session, uint32_t mask,
		   const uint8_t digest[TPM_DIGEST])
{
	begin(t, ST_NO_SESSIONS, CC_POLICY_PCR);
	put32(t, session);
	put_sized(t, digest, TPM_DIGEST);
	put_selection(t, mask);
	return send(t);
}

int tpm_policy_digest(struct tpm *t, uint32_t session,
		      uint8_t digest[TPM_DIGEST])
{
	int rc;

	begin(t, ST_NO_SESSIONS, CC_POLICY_GET_DIGEST);
	put32(t, session);
	rc = send(t);
	if (rc)
		return rc;
	if (get_sized(t, digest, TPM_DIGEST) != TPM_DIGEST)
		return TPM_MALFORMED;
	return end(t);
}

int tpm_unseal(struct tpm *t, uint32_t item, uint32_t session,
	       uint8_t secret[TPM_SECRET])
{
	size_t n;
	int rc;

	begin(t, ST_SESSIONS, CC_UNSEAL);
	put32(t, item);
	put_auth(t, session);
	rc = send(t);
	if (rc)
		return rc;
	get32(t);
	n = get_sized(t, secret, TPM_SECRET);
	memset(t->message, 0, sizeof(t->message));
	return n == TPM_SECRET ? end(t) : TPM_MALFORMED;
}

void tpm_flush(struct tpm *t, uint32_t handle)
{
	uint32_t code = t->code;

	begin(t, ST_NO_SESSIONS, CC_FLUSH_CONTEXT);
	put32(t, handle);
	(void)send(t);
	/* that of a command before it is to be printed yet */
	t->code = code;
}
