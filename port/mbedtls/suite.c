/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of TLS cipher suites and alerts. */
#include "port/mbedtls/suite.h"
#include "port/mbedtls/cpu.h"
#include "port/mbedtls/tls.h"

/* For servers with certificates, with keys, and those that have TLS 1.3. */
enum { CERT, PSK, TLS13 };

/* RFC 5289, 5487, 7905, 8446.  All but the last three have forward secrecy. */
static const struct suite {
	uint16_t id;
	uint8_t aead, kind;
} suites[] = {
	{ 0x1301, NBD_AES_128_GCM, TLS13 },
	{ 0x1302, NBD_AES_256_GCM, TLS13 },
	{ 0x1303, NBD_CHACHA20_POLY1305, TLS13 },
	{ 0xc02b, NBD_AES_128_GCM, CERT },	 /* ECDHE-ECDSA */
	{ 0xc02f, NBD_AES_128_GCM, CERT },	 /* ECDHE-RSA */
	{ 0xc02c, NBD_AES_256_GCM, CERT },	 /* ECDHE-ECDSA */
	{ 0xc030, NBD_AES_256_GCM, CERT },	 /* ECDHE-RSA */
	{ 0xcca9, NBD_CHACHA20_POLY1305, CERT }, /* ECDHE-ECDSA */
	{ 0xcca8, NBD_CHACHA20_POLY1305, CERT }, /* ECDHE-RSA */
	{ 0xccac, NBD_CHACHA20_POLY1305, PSK },	 /* ECDHE-PSK */
	{ 0x00a9, NBD_AES_256_GCM, PSK },	 /* PSK */
	{ 0x00a8, NBD_AES_128_GCM, PSK },	 /* PSK */
	{ 0xccab, NBD_CHACHA20_POLY1305, PSK },	 /* PSK */
};

#define N_SUITES (sizeof(suites) / sizeof(suites[0]))

/* Appends the suites of that kind to ids[], in the order of the table. */
static unsigned add(int ids[], unsigned n, unsigned kind, unsigned aeads)
{
	for (unsigned i = 0; i < N_SUITES; i++)
		if (suites[i].kind == kind && aeads & 1u << suites[i].aead)
			ids[n++] = suites[i].id;
	ids[n] = 0;
	return n;
}

/*
 * With a PSK, forward secrecy comes first, which common servers offer with
 * ChaCha20 only.  Otherwise the ciphers that are fast on this CPU come first.
 */
unsigned suite_choose(int ids[SUITE_MAX + 1], bool psk, unsigned without)
{
	unsigned all = (1u << NBD_AEADS) - 1;
	unsigned chacha = 1u << NBD_CHACHA20_POLY1305;
	unsigned first = cpu_has_aes() ? all & ~chacha : chacha, n = 0;

	if (SUITE_13 && !(without & TLS_ONLY_12)) {
		/* RFC 8446, 4.2.11: the hash of a key is SHA-256 */
		unsigned never = without | (psk ? 1u << NBD_AES_256_GCM : 0);

		n = add(ids, n, TLS13, first & ~never);
		n = add(ids, n, TLS13, all & ~first & ~never);
	}
	if (psk)
		return add(ids, n, PSK, all & ~without);
	n = add(ids, n, CERT, first & ~without);
	return add(ids, n, CERT, all & ~first & ~without);
}

enum nbd_aead suite_aead(int id)
{
	unsigned i = 0;

	while (i < N_SUITES - 1 && suites[i].id != id)
		i++;
	return (enum nbd_aead)suites[i].aead;
}

size_t suite_key_len(enum nbd_aead aead)
{
	return aead == NBD_AES_128_GCM ? 16 : 32;
}

const char *suite_alert(unsigned number)
{
	/* RFC 5246, section 7.2; RFC 4279; RFC 6066 */
	static const struct {
		unsigned number;
		const char *name;
	} alerts[] = {
		{ 10, "unexpected_message" },
		{ 20, "bad_record_mac" },
		{ 40, "handshake_failure" },
		{ 42, "bad_certificate" },
		{ 43, "unsupported_certificate" },
		{ 44, "certificate_revoked" },
		{ 45, "certificate_expired" },
		{ 46, "certificate_unknown" },
		{ 47, "illegal_parameter" },
		{ 48, "unknown_ca" },
		{ 49, "access_denied" },
		{ 50, "decode_error" },
		{ 51, "decrypt_error" },
		{ 70, "protocol_version" },
		{ 71, "insufficient_security" },
		{ 80, "internal_error" },
		{ 112, "unrecognized_name" },
		{ 115, "unknown_psk_identity" },
		{ 116, "certificate_required" },
	};

	for (unsigned i = 0; i < sizeof(alerts) / sizeof(alerts[0]); i++)
		if (alerts[i].number == number)
			return alerts[i].name;
	return "an unknown alert";
}
