/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/seal/seal.h"

#include <string.h>

#include "port/credentials.h"
#include "port/mbedtls/digest_stream.h"
#include "port/mbedtls/secret.h"

/* What firmware, boot loaders and systemd-stub measure. */
#define MEASURED (0x1fu | SEAL_SECURE_BOOT | 1u << 11 | 1u << 12)

_Static_assert(SECRET_KEY == TPM_SECRET, "the TPM seals the key");
_Static_assert(DIGEST_STREAM == TPM_DIGEST, "both are of SHA-256");

uint32_t seal_parse_pcrs(const char *list)
{
	const char *end = list + strlen(list);
	uint32_t mask = 0;
	uint64_t n;

	while (nbd_take_number(&list, end, TPM_PCRS - 1, &n)) {
		mask |= 1u << n;
		if (list == end)
			return mask;
		if (*list++ != ',')
			return 0;
	}
	return 0;
}

/* The failure of a TPM's command as an error; `what` was tried. */
static int explain(int rc, const struct tpm *t, const char *what,
		   struct nbd_diag *d)
{
	static const char *const texts[] = {
		[TPM_FOREIGN] = "the TPM of another machine sealed it, or this "
				"TPM was cleared since (seal it here)",
		[TPM_PCR] = "a PCR has changed",
		[TPM_PASSWORD] = "the owner of this TPM has set a password",
		[TPM_MALFORMED] = "it gave no valid answer; are its SHA-256 "
				  "PCRs switched on?",
	};

	if (rc < 0)
		return nbd_diag(d, rc, "TPM, %s: %s", what, nbd_err_text(rc));
	if (rc == TPM_REFUSED)
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"TPM, %s: response code 0x%x", what, t->code);
	return nbd_diag(d, NBD_E_CREDENTIAL, "TPM, %s: %s", what, texts[rc]);
}

/* ---- PCRs ---- */

/* The lines of a text; the mask of those that it has, 0 if it is malformed. */
static uint32_t take_seen(struct tpm_pcrs *p, const char *seen)
{
	struct sealed_rest r = { seen, seen + strlen(seen) };

	return seal_take_pcrs(&r, p) && r.p == r.end ? p->mask : 0;
}

int seal_read_pcrs(struct tpm *t, struct tpm_pcrs *p, const char *seen,
		   struct nbd_diag *d)
{
	uint32_t wanted = p->mask, had = take_seen(p, seen) & wanted;
	int rc;

	p->mask = wanted & ~had;
	rc = tpm_read_pcrs(t, p);
	p->mask = wanted;
	return rc ? explain(rc, t, "read PCRs", d) : NBD_OK;
}

int seal_note_pcrs(struct tpm *t, struct nbd_out *o, struct nbd_diag *d)
{
	struct tpm_pcrs p = { .mask = MEASURED };
	int rc = tpm_read_pcrs(t, &p);

	if (rc)
		return explain(rc, t, "read PCRs", d);
	seal_put_pcrs(o, &p);
	return NBD_OK;
}

/* ---- sealing ---- */

static int demand(struct tpm *t, uint32_t session, const struct tpm_pcrs *p)
{
	uint8_t hash[DIGEST_STREAM];
	struct digest_stream sha;

	digest_stream_begin(&sha);
	for (unsigned i = 0; i < TPM_PCRS; i++)
		if (p->mask >> i & 1)
			digest_stream_add(&sha, p->value[i], TPM_DIGEST);
	digest_stream_end(&sha, hash);
	return tpm_policy_pcr(t, session, p->mask, hash);
}

/* The digest that a policy of these PCRs has. */
static int digest_of(struct tpm *t, const struct tpm_pcrs *p,
		     uint8_t digest[TPM_DIGEST])
{
	uint32_t session;
	int rc = tpm_policy(t, true, &session);

	if (rc)
		return rc;
	rc = demand(t, session, p);
	if (!rc)
		rc = tpm_policy_digest(t, session, digest);
	tpm_flush(t, session);
	return rc;
}

static int seal_key(struct sealed *s, struct tpm *t,
		    const uint8_t key[SECRET_KEY], struct nbd_diag *d)
{
	uint8_t digest[TPM_DIGEST];
	uint32_t primary;
	int rc = digest_of(t, &s->pcrs, digest);

	if (rc)
		return explain(rc, t, "policy", d);
	rc = tpm_primary(t, &primary);
	if (rc)
		return explain(rc, t, "storage key", d);
	rc = tpm_create(t, primary, key, digest, &s->blob);
	if (rc)
		explain(rc, t, "seal", d);
	tpm_flush(t, primary);
	return rc > 0 ? NBD_E_CREDENTIAL : rc;
}

int seal_make(struct sealed *s, struct tpm *t, const uint8_t *p, size_t len,
	      struct nbd_out *o, struct nbd_diag *d)
{
	uint8_t key[SECRET_KEY];
	size_t at = o->len;
	int rc;

	if (len > SEALED_DATA - SECRET_TAG)
		return nbd_diag(d, NBD_E_NO_MEMORY, "it has more than %u bytes",
				SEALED_DATA - SECRET_TAG);
	if (!creds_random(key, sizeof(key)))
		return nbd_diag(d, NBD_E_IO, "no random numbers");
	rc = seal_key(s, t, key, d);
	if (rc)
		goto wipe;
	seal_put_head(o, s);
	memcpy(s->data, p, len);
	s->len = len + SECRET_TAG;
	if (o->cut ||
	    !secret_seal(key, (struct secret_aad){ o->buf + at, o->len - at },
			 s->data, len, s->data + len))
		rc = nbd_diag(d, NBD_E_NO_MEMORY, "no memory");
	else
		seal_put_data(o, s);
wipe:
	explicit_bzero(key, sizeof(key));
	return rc;
}

/* ---- opening ---- */

/* Which PCRs have another value than when it was sealed. */
static int name_changed(struct sealed *s, struct tpm *t, struct nbd_diag *d)
{
	struct tpm_pcrs now = { .mask = s->pcrs.mask };
	char list[TPM_PCRS * 3 + 1] = "";
	uint32_t changed = 0;
	size_t len = 0;
	int rc = tpm_read_pcrs(t, &now);

	if (rc)
		return explain(rc, t, "read PCRs", d);
	for (unsigned i = 0; i < TPM_PCRS; i++)
		if (now.mask >> i & 1 &&
		    memcmp(now.value[i], s->pcrs.value[i], TPM_DIGEST) != 0) {
			changed |= 1u << i;
			len += (size_t)nbd_fmt(list + len, sizeof(list) - len,
					       "%s%u", len ? "," : "", i);
		}
	/* the TPM compares the values now, and those that it has sealed for */
	if (!changed)
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"the sealed text was changed, or a PCR at this "
				"moment (try again)");
	return nbd_diag(
		d, NBD_E_CREDENTIAL,
		"since it was sealed, PCR %s has changed%s", list,
		changed & SEAL_SECURE_BOOT
			? " (7: Secure Boot, its keys or whether it is on)"
			: "");
}

/* The session of the policy, in which the TPM gives the key. */
static int unseal(struct sealed *s, struct tpm *t, uint32_t item,
		  uint8_t key[SECRET_KEY], struct nbd_diag *d)
{
	uint32_t session;
	int rc = tpm_policy(t, false, &session);

	if (rc)
		return explain(rc, t, "policy", d);
	rc = demand(t, session, &s->pcrs);
	if (!rc)
		rc = tpm_unseal(t, item, session, key);
	if (!rc)
		return NBD_OK;
	tpm_flush(t, session);
	return rc == TPM_PCR ? name_changed(s, t, d)
			     : explain(rc, t, "unseal", d);
}

static int open_key(struct sealed *s, struct tpm *t, uint8_t key[SECRET_KEY],
		    struct nbd_diag *d)
{
	uint32_t primary, item;
	int rc = tpm_primary(t, &primary);

	if (rc)
		return explain(rc, t, "storage key", d);
	rc = tpm_load(t, primary, &s->blob, &item);
	tpm_flush(t, primary);
	if (rc)
		return explain(rc, t, "load", d);
	rc = unseal(s, t, item, key, d);
	tpm_flush(t, item);
	return rc;
}

int seal_open(struct sealed *s, struct tpm *t, const char *name,
	      const char *text, size_t len, struct nbd_diag *d)
{
	uint8_t key[SECRET_KEY];
	int rc;

	if (!seal_parse(s, text, len) || s->len < SECRET_TAG)
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"the sealed text is damaged, or of a newer "
				"version");
	if (strcmp(s->name, name) != 0)
		return nbd_diag(d, NBD_E_CREDENTIAL, "%s was sealed, not %s",
				s->name, name);
	rc = open_key(s, t, key, d);
	s->len -= SECRET_TAG;
	if (!rc && !secret_open(key, (struct secret_aad){ text, s->covered },
				s->data, s->len, s->data + s->len))
		rc = nbd_diag(d, NBD_E_CREDENTIAL,
			      "the sealed text was changed");
	explicit_bzero(key, sizeof(key));
	return rc ? rc : (int)s->len;
}
