/* SPDX-License-Identifier: BSD-2-Clause */
/* The errors of mbedTLS's parsers of certificates and keys, in words. */
#include "port/mbedtls/fault.h"

#include <string.h>

#include <mbedtls/ecp.h>
#include <mbedtls/pem.h>
#include <mbedtls/pk.h>
#include <mbedtls/rsa.h>
#include <mbedtls/x509.h>

#define COPY	"copy it again"
#define REISSUE "have the CA issue it again"
#define SIGN	"have it signed with ECDSA or RSA (PKCS #1 v1.5) and SHA-256"
#define DECRYPT                                                            \
	"nobody is there to type a password: store it decrypted (openssl " \
	"pkey -in OLD -out NEW) where only root can read it"
#define TYPES \
	"use RSA with at least 2048 bits, or ECDSA on P-256, P-384 or P-521"

/* mbedTLS adds a number below 0x80 for the reason within. */
#define KIND(ret) ((unsigned)-(ret)&0x7f80u)

static const struct {
	int number;
	struct fault fault;
} numbers[] = {
	{ MBEDTLS_ERR_PEM_NO_HEADER_FOOTER_PRESENT,
	  { "has no PEM lines BEGIN and END",
	    "convert it (openssl x509 or pkey, -inform DER -in OLD -out NEW)" } },
	{ MBEDTLS_ERR_PEM_INVALID_DATA, { "has damaged base64 lines", COPY } },
	{ MBEDTLS_ERR_PEM_ALLOC_FAILED,
	  { "is too large for the memory set aside", "list fewer CAs" } },
	{ MBEDTLS_ERR_PEM_INVALID_ENC_IV, { "is encrypted", DECRYPT } },
	{ MBEDTLS_ERR_PEM_UNKNOWN_ENC_ALG, { "is encrypted", DECRYPT } },
	{ MBEDTLS_ERR_PEM_PASSWORD_REQUIRED, { "is encrypted", DECRYPT } },
	{ MBEDTLS_ERR_PEM_PASSWORD_MISMATCH, { "is encrypted", DECRYPT } },
	{ MBEDTLS_ERR_PEM_FEATURE_UNAVAILABLE, { "is encrypted", DECRYPT } },
	{ MBEDTLS_ERR_PEM_BAD_INPUT_DATA, { "is damaged PEM", COPY } },

	{ MBEDTLS_ERR_X509_FEATURE_UNAVAILABLE,
	  { "needs a feature that is not built in", TYPES } },
	{ MBEDTLS_ERR_X509_UNKNOWN_OID,
	  { "has an object identifier that is not known here", REISSUE } },
	{ MBEDTLS_ERR_X509_INVALID_FORMAT,
	  { "is not an X.509 certificate, or is damaged", COPY } },
	{ MBEDTLS_ERR_X509_INVALID_VERSION,
	  { "has a malformed version", REISSUE } },
	{ MBEDTLS_ERR_X509_INVALID_SERIAL,
	  { "has a malformed serial number", REISSUE } },
	{ MBEDTLS_ERR_X509_INVALID_ALG,
	  { "has a signature algorithm that is malformed or not supported "
	    "here (such as RSA-PSS)",
	    SIGN } },
	{ MBEDTLS_ERR_X509_INVALID_NAME,
	  { "has a malformed subject or issuer", REISSUE } },
	{ MBEDTLS_ERR_X509_INVALID_DATE, { "has a malformed date", REISSUE } },
	{ MBEDTLS_ERR_X509_INVALID_SIGNATURE,
	  { "has a malformed signature", COPY } },
	{ MBEDTLS_ERR_X509_INVALID_EXTENSIONS,
	  { "has an extension that is malformed, or critical and not known "
	    "here",
	    "have the CA issue it without that extension, or not critical" } },
	{ MBEDTLS_ERR_X509_UNKNOWN_VERSION,
	  { "has a version later than 3", REISSUE } },
	{ MBEDTLS_ERR_X509_UNKNOWN_SIG_ALG,
	  { "is signed with an algorithm that is not supported here (such as "
	    "Ed25519)",
	    SIGN } },
	{ MBEDTLS_ERR_X509_SIG_MISMATCH,
	  { "names two different signature algorithms", REISSUE } },
	{ MBEDTLS_ERR_X509_CERT_VERIFY_FAILED,
	  { "could not be verified", "compare it with the CA certificate" } },
	{ MBEDTLS_ERR_X509_CERT_UNKNOWN_FORMAT,
	  { "is neither PEM nor DER", COPY } },
	{ MBEDTLS_ERR_X509_BAD_INPUT_DATA, { "is empty or damaged", COPY } },
	{ MBEDTLS_ERR_X509_ALLOC_FAILED,
	  { "is too large for the memory set aside", "list fewer CAs" } },
	{ MBEDTLS_ERR_X509_FILE_IO_ERROR, { "cannot be read", COPY } },
	{ MBEDTLS_ERR_X509_BUFFER_TOO_SMALL, { "is too large", REISSUE } },
	{ MBEDTLS_ERR_X509_FATAL_ERROR, { "could not be checked", REISSUE } },

	{ MBEDTLS_ERR_PK_ALLOC_FAILED,
	  { "is too large for the memory set aside", TYPES } },
	{ MBEDTLS_ERR_PK_TYPE_MISMATCH,
	  { "has a key of another type than it says", REISSUE } },
	{ MBEDTLS_ERR_PK_BAD_INPUT_DATA, { "is empty or damaged", COPY } },
	{ MBEDTLS_ERR_PK_FILE_IO_ERROR, { "cannot be read", COPY } },
	{ MBEDTLS_ERR_PK_KEY_INVALID_VERSION,
	  { "has a key of an unknown version", TYPES } },
	{ MBEDTLS_ERR_PK_KEY_INVALID_FORMAT,
	  { "has no key, or a damaged one",
	    "convert it to PKCS #8 in PEM (openssl pkey -in OLD -out NEW)" } },
	{ MBEDTLS_ERR_PK_UNKNOWN_PK_ALG,
	  { "has a key that is neither RSA nor ECDSA (such as Ed25519)",
	    TYPES } },
	{ MBEDTLS_ERR_PK_PASSWORD_REQUIRED, { "is encrypted", DECRYPT } },
	{ MBEDTLS_ERR_PK_PASSWORD_MISMATCH, { "is encrypted", DECRYPT } },
	{ MBEDTLS_ERR_PK_INVALID_PUBKEY,
	  { "has a damaged public key", REISSUE } },
	{ MBEDTLS_ERR_PK_INVALID_ALG,
	  { "has malformed parameters of its key", REISSUE } },
	{ MBEDTLS_ERR_PK_UNKNOWN_NAMED_CURVE,
	  { "has a key on a curve that is not supported here", TYPES } },
	{ MBEDTLS_ERR_PK_FEATURE_UNAVAILABLE,
	  { "has a key of a kind that is not built in", TYPES } },
	{ MBEDTLS_ERR_PK_BUFFER_TOO_SMALL,
	  { "has a key that is too large", TYPES } },
	{ MBEDTLS_ERR_PK_SIG_LEN_MISMATCH,
	  { "has a signature of the wrong length", REISSUE } },

	{ MBEDTLS_ERR_RSA_BAD_INPUT_DATA, { "has a damaged RSA key", COPY } },
	{ MBEDTLS_ERR_RSA_KEY_CHECK_FAILED,
	  { "has an RSA key whose parts do not belong together", COPY } },
	{ MBEDTLS_ERR_ECP_BAD_INPUT_DATA, { "has a damaged EC key", COPY } },
	{ MBEDTLS_ERR_ECP_FEATURE_UNAVAILABLE,
	  { "has a key on a curve that is not supported here", TYPES } },
	{ MBEDTLS_ERR_ECP_INVALID_KEY,
	  { "has an EC key that is not on its curve", COPY } },
};

/* What PEM files say of themselves; the first mark counts. */
static const struct {
	bool key; /* where a private key was expected */
	const char *mark;
	struct fault fault;
} marks[] = {
	{ true, "ENCRYPTED", { "is encrypted", DECRYPT } },
	{ true,
	  "BEGIN OPENSSH PRIVATE KEY",
	  { "is a key in OpenSSH's format",
	    "make one for TLS (openssl genpkey), or convert it (ssh-keygen -p "
	    "-m PEM)" } },
	{ true,
	  "BEGIN DSA PRIVATE KEY",
	  { "is a DSA key, which TLS no longer has", TYPES } },
	{ true,
	  "BEGIN CERTIFICATE-",
	  { "holds a certificate, where a private key is needed",
	    "look whether the two files are swapped" } },
	{ true,
	  "BEGIN PUBLIC KEY",
	  { "holds a public key, where the private one is needed",
	    "name the file that the public key was made from" } },
	{ false,
	  "BEGIN TRUSTED CERTIFICATE",
	  { "is in OpenSSL's own format (TRUSTED CERTIFICATE)",
	    "convert it (openssl x509 -in OLD -out NEW)" } },
	{ false,
	  "CERTIFICATE REQUEST",
	  { "is a request for a certificate, which no CA has signed",
	    "name the certificate that the CA made of it" } },
	{ false,
	  "BEGIN PKCS7",
	  { "is a PKCS #7 container",
	    "convert it (openssl pkcs7 -print_certs -in OLD -out NEW)" } },
	{ false,
	  "BEGIN X509 CRL",
	  { "is a list of revoked certificates, where a certificate is needed",
	    "name the certificate" } },
	{ false,
	  "PRIVATE KEY-",
	  { "holds a private key, where a certificate is needed",
	    "look whether the two files are swapped" } },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct fault fault_by_number(int ret)
{
	for (unsigned i = 0; i < COUNT(numbers); i++)
		if (KIND(numbers[i].number) == KIND(ret))
			return numbers[i].fault;
	return (struct fault){ "cannot be parsed", COPY };
}

struct fault fault_of_file(const char *text, bool key, int ret)
{
	/* what is in the file is the right thing, and the number tells why */
	if (!key && strstr(text, "BEGIN CERTIFICATE-"))
		return fault_by_number(ret);
	for (unsigned i = 0; i < COUNT(marks); i++)
		if (marks[i].key == key && strstr(text, marks[i].mark))
			return marks[i].fault;
	if (!strstr(text, "-----BEGIN "))
		ret = MBEDTLS_ERR_PEM_NO_HEADER_FOOTER_PRESENT;
	return fault_by_number(ret);
}
