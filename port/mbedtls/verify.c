/* SPDX-License-Identifier: BSD-2-Clause */
/* Is the server the one that was asked for, by its certificate? */
#include "port/mbedtls/mbed.h"

#include <string.h>
#include <time.h>

#include <mbedtls/oid.h>

#define SAN_DNS (MBEDTLS_ASN1_CONTEXT_SPECIFIC | 2)
#define SAN_IP	(MBEDTLS_ASN1_CONTEXT_SPECIFIC | 7)

#define SEQUENCE	  (MBEDTLS_ASN1_CONSTRUCTED | MBEDTLS_ASN1_SEQUENCE)
/* X.509 extensions: the last number of their object identifier 2.5.29.x. */
#define BASIC_CONSTRAINTS 19
#define NAME_CONSTRAINTS  30

/* Is this name of the certificate the host?  Appends it to o, for messages. */
static bool is_host(struct tls_peer *p, struct nbd_out *o,
		    const mbedtls_x509_buf *b)
{
	if (b->tag != SAN_IP)
		p->address_as_name |=
			creds_names_address(&p->creds->host, b->p, b->len);
	return creds_is_host(&p->creds->host, b->p, b->len, b->tag == SAN_IP,
			     o);
}

/* The common name is checked only if there are no alternative names. */
static bool names_match(struct tls_peer *p, const mbedtls_x509_crt *crt)
{
	struct nbd_out o = { .buf = p->names, .cap = sizeof(p->names) - 1 };
	bool match = false;

	if (mbedtls_x509_crt_has_ext_type(crt,
					  MBEDTLS_X509_EXT_SUBJECT_ALT_NAME)) {
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
 * mbedTLS 3.6.6 reads the path length as "true" if the boolean cA before it is
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

int verify_certificate(void *arg, mbedtls_x509_crt *crt, int depth,
		       uint32_t *flags)
{
	struct tls_peer *p = arg;

	if (!p->until.year ||
	    mbedtls_x509_time_cmp(&crt->valid_to, &p->until) < 0)
		p->until = crt->valid_to;
	p->proved |= depth == 0;
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
	/* mbedTLS gets no address to compare: ignore its result, use ours */
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

/* An address is a name of its own kind (RFC 6125, 1.7.2; RFC 2818). */
static int explain_name(const struct tls_peer *p, struct nbd_diag *d)
{
	const char *host = p->creds->host.name;

	if (p->address_as_name)
		return nbd_diag(d, NBD_E_CERT_NAME,
				"the server's certificate has the address %s "
				"as a host name (CN or DNS), not as an "
				"address: it needs subjectAltName=IP:%s",
				host, host);
	return nbd_diag(d, NBD_E_CERT_NAME,
			"the server's certificate is for %s, not for %s",
			p->names[0] ? p->names : "no host", host);
}

static const struct {
	uint32_t flag;
	const char *text;
} weak[] = {
	{ MBEDTLS_X509_BADCERT_BAD_MD,
	  "is signed with a hash that is too weak (MD5 or SHA-1): issue it "
	  "again with SHA-256" },
	{ MBEDTLS_X509_BADCERT_BAD_PK,
	  "has a key that is neither RSA nor ECDSA: use one of these" },
	{ MBEDTLS_X509_BADCERT_BAD_KEY,
	  "has a key that is too short or on another curve: use RSA with at "
	  "least 2048 bits, or ECDSA on P-256, P-384 or P-521" },
	{ MBEDTLS_X509_BADCERT_REVOKED, "is revoked" },
	{ MBEDTLS_X509_BADCERT_MISSING, "is missing" },
	{ MBEDTLS_X509_BADCERT_NS_CERT_TYPE,
	  "is not for TLS servers (nsCertType)" },
};

int verify_explain(struct tls_peer *p, struct nbd_diag *d)
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
		return explain_name(p, d);
	if (p->unfit)
		return nbd_diag(d, NBD_E_CERT,
				"a certificate that signed the server's %s",
				p->unfit);
	if (flags & (MBEDTLS_X509_BADCERT_EXT_KEY_USAGE |
		     MBEDTLS_X509_BADCERT_KEY_USAGE))
		return nbd_diag(d, NBD_E_CERT,
				"the server's certificate is not for TLS "
				"servers (serverAuth)");
	for (unsigned i = 0; i < sizeof(weak) / sizeof(weak[0]); i++)
		if (flags & weak[i].flag)
			return nbd_diag(d, NBD_E_CERT,
					"the server's certificate, or one that "
					"signed it, %s",
					weak[i].text);
	return nbd_diag(d, NBD_E_CERT,
			"the server's certificate is refused (0x%x)", flags);
}
