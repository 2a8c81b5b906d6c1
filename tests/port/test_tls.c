/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handshakes in memory, with a server of mbedTLS: what the client makes of
 * every cut and every changed byte, and of the keys.
 */
#include "port/mbedtls/records.h"
#include "tests/port/tls_server.h"

#include <mbedtls/gcm.h>
#include <time.h>

static char psk_path[] = "/tmp/tls-psk-XXXXXX";
static char other_path[] = "/tmp/tls-psk-XXXXXX";

static const char psk_line[] = "alice:00112233445566778899aabbccddeeff\n";
static const char other_line[] =
	"alice:61206b6579206f66207468617420736572766572\n";

static const struct tls_conf psk_conf = {
	.verify = true,
	.psk_file = psk_path,
	.user = "alice",
};

static int load_psk(void **state)
{
	(void)state;
	memset(&cert, 0, sizeof(cert));
	return load(&psk_conf);
}

static int unload(void **state)
{
	(void)state;
	tls_unload(session());
	return 0;
}

/* ---- the tests ---- */

static void every_psk_suite_gives_the_keys_of_the_server(void **state)
{
	static const struct {
		int suites[2];
		size_t key, iv;
	} cases[] = {
		{ { 0xccac, 0 }, 32, 12 },
		{ { 0xccab, 0 }, 32, 12 },
		{ { 0x00a9, 0 }, 32, 4 },
		{ { 0x00a8, 0 }, 16, 4 },
	};
	struct nbd_tls_keys keys;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		const unsigned char *p = server_block;
		size_t len = cases[i].key, iv = cases[i].iv;

		server_start(cases[i].suites);
		assert_int_equal(shake(), 0);
		tls_keys(session(), 0, &keys);
		assert_memory_equal(keys.tx.key, p, len);
		assert_memory_equal(keys.rx.key, p + len, len);
		assert_memory_equal(keys.tx.iv, p + 2 * len, iv);
		assert_memory_equal(keys.rx.iv, p + 2 * len + iv, iv);
		assert_true(keys.tx.seq == 1 && keys.rx.seq == 1);
		/* nothing was read beyond the handshake */
		assert_int_equal(srv->to_client.taken, srv->to_client.n);
		server_stop();
	}
}

static void a_handshake_survives_every_split(void **state)
{
	(void)state;
	for (size_t step = 1; step < 40; step++) {
		server_start(NULL);
		srv->to_client.step = srv->to_server.step = step;
		assert_int_equal(shake(), 0);
		assert_string_equal(tls_suite(session(), 0),
				    "TLS-ECDHE-PSK-WITH-CHACHA20-POLY1305-"
				    "SHA256");
		server_stop();
	}
}

static void a_cut_at_every_byte_fails(void **state)
{
	static const int quick[] = { 0xa8, 0 };
	size_t total = 0;

	(void)state;
	for (size_t cut = 0; cut == 0 || cut < total; cut++) {
		server_start(quick);
		if (total == 0) {
			assert_int_equal(shake(), 0);
			total = srv->to_client.n;
			server_stop();
			server_start(quick);
		}
		srv->to_client.cut = cut;
		assert_int_equal(shake(), NBD_E_CUT);
		assert_non_null(strstr(d.text, "closed the connection"));
		server_stop();
	}
	assert_true(total > 100);
}

/* What nothing protects: the version in the head of a plain record. */
static bool is_free(const unsigned char *p, size_t at)
{
	bool plain = true;
	size_t i = 0;

	while (plain && i <= at) {
		if (at == i + 1 || at == i + 2)
			return true;
		plain = p[i] != MBEDTLS_SSL_MSG_CHANGE_CIPHER_SPEC;
		i += 5u + (size_t)(p[i + 3] << 8 | p[i + 4]);
	}
	return false;
}

static void a_change_of_any_byte_fails(void **state)
{
	static const int quick[] = { 0xa8, 0 };
	unsigned char good[4096];
	size_t total = 0;

	(void)state;
	for (size_t flip = 0; flip == 0 || flip < total; flip++) {
		server_start(quick);
		if (total == 0) {
			assert_int_equal(shake(), 0);
			total = srv->to_client.n;
			assert_true(total <= sizeof(good));
			memcpy(good, srv->to_client.buf, total);
			server_stop();
			server_start(quick);
		}
		srv->to_client.flip = flip;
		assert_int_equal(shake() == 0, is_free(good, flip));
		server_stop();
	}
	assert_true(total > 100);
}

/* ChaCha20 by mbedTLS, and AES-GCM as records.c makes it. */
static const int ciphers[][2] = { { 0xccac, 0 }, { 0xa8, 0 }, { 0xa9, 0 } };

static void carry(const int *suites)
{
	static unsigned char big[40000], buf[40000];
	struct nbd_iov v[] = { { (void *)(uintptr_t) "abc", 3 },
			       { (void *)(uintptr_t) "defg", 4 } };
	bool several = suites[0] < 0xcc00 && suites[0] != 0x1303 &&
		       aesgcm_usable();
	struct nbd_transport *t;
	int n, ret, want = (int)(several ? RECORDS_OUT : 1) * 16384;

	/* mbedTLS counts the type as data */
	want -= suites[0] == 0x1303;

	server_start(suites);
	assert_int_equal(shake(), 0);
	t = session()->tls.transport(&session()->tls, 0);
	assert_non_null(tls_suite(session(), 0));
	assert_int_equal(t->read(t, buf, 10), NBD_E_AGAIN);
	assert_int_equal(t->write(t, v, 2), 7);
	assert_int_equal(mbedtls_ssl_read(&srv->ssl, buf, 100), 7);
	assert_memory_equal(buf, "abcdefg", 7);
	/* mbedTLS sends no more than a record at once */
	v[0] = (struct nbd_iov){ big, sizeof(big) };
	assert_int_equal(t->write(t, v, 2), want);
	ret = mbedtls_ssl_write(&srv->ssl, (const unsigned char *)"xyz", 3);
	assert_int_equal(ret, 3);
	assert_int_equal(t->read(t, buf, 2), 2);
	assert_int_equal(t->read(t, buf + 2, 10), 1);
	assert_memory_equal(buf, "xyz", 3);
	mbedtls_ssl_close_notify(&srv->ssl);
	assert_int_equal(t->read(t, buf, 10), 0);
	/* our goodbye comes behind the data */
	session()->tls.stop(&session()->tls, 0);
	for (n = 0; (ret = mbedtls_ssl_read(&srv->ssl, buf, sizeof(buf))) > 0;)
		n += ret;
	assert_int_equal(n, want);
	assert_int_equal(ret, MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY);
	server_stop();
}

static void records_carry_data_both_ways(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(ciphers); i++)
		carry(ciphers[i]);
}

static void a_forged_record_is_an_error(void **state)
{
	struct nbd_transport *t;
	unsigned char buf[16];

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(ciphers); i++) {
		server_start(ciphers[i]);
		assert_int_equal(shake(), 0);
		t = session()->tls.transport(&session()->tls, 0);
		mbedtls_ssl_write(&srv->ssl, (const unsigned char *)"xyz", 3);
		srv->to_client.flip = srv->to_client.n - 1;
		assert_int_equal(t->read(t, buf, 3), NBD_E_TLS);
		server_stop();
	}
}

static void a_user_that_the_server_does_not_know_is_reported(void **state)
{
	(void)state;
	server_start(NULL);
	srv->user = "bob";
	assert_int_equal(shake(), NBD_E_PSK);
	assert_non_null(strstr(d.text, "unknown_psk_identity"));
	server_stop();
}

static void a_wrong_key_is_reported(void **state)
{
	(void)state;
	server_start(NULL);
	srv->psk_len--;
	assert_int_equal(shake(), NBD_E_PSK);
	assert_non_null(strstr(d.text, "bad_record_mac"));
	server_stop();
}

/* What a server of TLS 1.1 answers: its hello has a lower version. */
static void a_server_that_is_too_old_is_named(void **state)
{
	unsigned char *hello = srv->to_client.buf + 9;

	(void)state;
	server_start(NULL);
	assert_int_equal(session()->tls.step(&session()->tls, 0, &d), NBD_RECV);
	mbedtls_ssl_handshake(&srv->ssl);
	assert_memory_equal(hello, "\3\3", 2);
	hello[1] = hello[-7] = 2; /* and that of the record */
	assert_int_equal(session()->tls.step(&session()->tls, 0, &d),
			 NBD_E_TLS);
	assert_non_null(strstr(d.text, "nothing newer than TLS 1.1"));
	server_stop();
}

/* ---- what the client offers ---- */

/* A field of a ClientHello, whose length is in the `width` bytes before it. */
static const unsigned char *field(const unsigned char **p, unsigned width,
				  size_t *len)
{
	const unsigned char *from = *p + width;

	*len = width == 2 ? (size_t)((*p)[0] << 8 | (*p)[1]) : (*p)[0];
	*p = from + *len;
	assert_true(*p <= srv->to_server.buf + srv->to_server.n);
	return from;
}

static unsigned be16(const unsigned char *p)
{
	return (unsigned)(p[0] << 8 | p[1]);
}

static bool is_among(unsigned number, const unsigned numbers[])
{
	while (*numbers && *numbers != number)
		numbers++;
	return *numbers;
}

/* RFC 5246 7.4.1.4.1, RFC 8446 4.2.3: no SHA-1, and nothing older. */
static void check_signatures(const unsigned char *p, size_t len, bool only_12)
{
	static const unsigned good[] = { 0x403, 0x503, 0x603, 0x401,
					 0x501, 0x601, 0 };
	static const unsigned pss[] = { 0x804, 0x805, 0x806, 0 };

	assert_int_equal(be16(p), len - 2);
	for (size_t i = 2; i < len; i += 2)
		if (!is_among(be16(p + i), good))
			assert_true(!only_12 && is_among(be16(p + i), pss));
}

static void check_extensions(const unsigned char *p, const unsigned char *end,
			     bool only_12)
{
	/* heartbeat, early data, renegotiation */
	static const unsigned bad[] = { 15, 42, 0xff01, 0 };
	bool master_secret = false;

	while (p < end) {
		unsigned type = be16(p);
		size_t len;
		const unsigned char *text;

		p += 2;
		text = field(&p, 2, &len);
		assert_false(is_among(type, bad));
		/* a ticket, which nothing is kept of with a key */
		assert_true(type != 35 || cert.raw.len);
		/* supported_versions, as long as TLS 1.3 is offered */
		assert_false(only_12 && type == 43);
		master_secret |= type == 23;
		if (type == 13)
			check_signatures(text, len, only_12);
	}
	assert_true(master_secret);
}

/* The suites are AEAD's, with (EC)DHE or a key; 0xff is RFC 5746's. */
static void check_hello(bool only_12)
{
	static const unsigned good[] = {
		0x1301, 0x1302, 0x1303, 0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9,
		0xcca8, 0xccac, 0xa9,	0xa8,	0xccab, 0xff,	0,
	};
	const unsigned char *p = srv->to_server.buf + 5 + 4 + 2 + 32, *list;
	const unsigned char *end;
	bool is_safe = false;
	size_t len;

	assert_memory_equal(srv->to_server.buf, "\26\3", 2);
	field(&p, 1, &len); /* the session */
	list = field(&p, 2, &len);
	for (size_t i = 0; i < len; i += 2) {
		assert_true(is_among(be16(list + i), good));
		assert_true(!only_12 || be16(list + i) >> 8 != 0x13);
		is_safe |= be16(list + i) == 0xff;
	}
	assert_true(is_safe);
	list = field(&p, 1, &len);
	assert_int_equal(len, 1);
	assert_int_equal(list[0], 0); /* no compression */
	end = p + 2 + be16(p);
	assert_ptr_equal(end, srv->to_server.buf + srv->to_server.n);
	check_extensions(p + 2, end, only_12);
}

static void nothing_is_offered_that_is_broken(void **state)
{
	bool is_12 = true;

#ifdef CONFIG_PORT_TLS13
	is_12 = false;
#endif
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		unsigned without = i ? TLS_ONLY_12 : 0;

		assert_int_equal(tls_aim(session(), "localhost", without, &d),
				 0);
		server_start(NULL);
		session()->tls.step(&session()->tls, 0, &d);
		check_hello(without || is_12);
		server_stop();
	}
}

static void a_key_that_can_be_guessed_is_refused(void **state)
{
	const struct tls_conf conf = { .psk_file = other_path, .user = "bob" };
	static const char keys[] = "0123456789abcdef0123456789abcdef";
	char line[64];

	(void)state;
	for (int bytes = 1; bytes <= 16; bytes++) {
		snprintf(line, sizeof(line), "bob:%.*s\n", 2 * bytes, keys);
		write_file(other_path, line, strlen(line));
		assert_int_equal(load(&conf),
				 bytes < 16 ? NBD_E_CREDENTIAL : NBD_OK);
		snprintf(line, sizeof(line), "a key of %d bytes can", bytes);
		assert_int_equal(!!strstr(d.text, line), bytes < 16);
		tls_unload(session());
	}
	write_file(other_path, other_line, strlen(other_line));
}

/* Two servers that have the same user, with a key each. */
static void sessions_have_credentials_of_their_own(void **state)
{
	static const unsigned char other_psk[] = "a key of that server";
	const struct tls_conf first = psk_conf,
			      second = { .psk_file = other_path, .user = "" };
	struct nbd_iov v = { (void *)(uintptr_t) "abc", 3 };
	struct nbd_transport *t[2];
	char buf[16];

	(void)state;
	for (srv = servers; srv < servers + 2; srv++) {
		assert_int_equal(load(srv == servers ? &first : &second), 0);
		server_start(NULL);
	}
	servers[1].psk = other_psk;
	servers[1].psk_len = sizeof(other_psk) - 1;
	for (srv = servers + 1; srv >= servers; srv--) {
		assert_int_equal(shake(), 0);
		t[srv - servers] = session()->tls.transport(&session()->tls, 0);
	}
	/* the end of one leaves the other one alone */
	srv = servers;
	tls_unload(session());
	srv = servers + 1;
	assert_int_equal(t[1]->write(t[1], &v, 1), 3);
	assert_int_equal(mbedtls_ssl_read(&srv->ssl, (void *)buf, 9), 3);
	tls_unload(session());
	server_stop();
	/* and the keys are not those of the other one */
	assert_int_equal(load(&first), 0);
	server_start(NULL);
	srv->psk = other_psk;
	srv->psk_len = sizeof(other_psk) - 1;
	assert_int_equal(shake(), NBD_E_PSK);
	tls_unload(session());
	server_stop();
	srv = servers;
	server_stop();
}

/* ---- certificates ---- */

/* The client's result with a certificate of those dates. */
static int shake_dates(const char *from, const char *to, int64_t built)
{
	const struct tls_conf conf = {
		.verify = true, .ca = ca_path, .user = "", .built = built
	};
	int ret;

	make_cert(from, to);
	assert_int_equal(load(&conf), 0);
	server_start(NULL);
	ret = shake();
	server_stop();
	tls_unload(session());
	mbedtls_x509_crt_free(&cert);
	mbedtls_pk_free(&key);
	return ret;
}

static void dates_that_fail_blame_a_clock_that_is_wrong(void **state)
{
	int64_t now = time(NULL);

	(void)state;
	assert_int_equal(shake_dates("20200101000000", "20900101000000", 0), 0);
	assert_int_equal(shake_dates("20880203000000", "20900101000000",
				     now + 1000),
			 NBD_E_CERT_TIME);
	assert_non_null(strstr(d.text, "not valid before 2088-02-03"));
	assert_non_null(strstr(d.text, "clock is wrong"));
	assert_int_equal(shake_dates("20880203000000", "20900101000000",
				     now - 1000),
			 NBD_E_CERT_TIME);
	assert_null(strstr(d.text, "clock"));
	assert_int_equal(shake_dates("20010101000000", "20020304000000", 0),
			 NBD_E_CERT_TIME);
	assert_non_null(strstr(d.text, "expired since 2002-03-04"));
}

#ifdef CONFIG_PORT_TLS13

/* How many keys of ours can still be made, or less than none: all. */
static int hmacs = -1;

int __real_mbedtls_md_hmac(const mbedtls_md_info_t *info,
			   const unsigned char *secret, size_t secret_len,
			   const unsigned char *in, size_t len,
			   unsigned char *out);
int __wrap_mbedtls_md_hmac(const mbedtls_md_info_t *info,
			   const unsigned char *secret, size_t secret_len,
			   const unsigned char *in, size_t len,
			   unsigned char *out);

int __wrap_mbedtls_md_hmac(const mbedtls_md_info_t *info,
			   const unsigned char *secret, size_t secret_len,
			   const unsigned char *in, size_t len,
			   unsigned char *out)
{
	if (!hmacs)
		return MBEDTLS_ERR_MD_ALLOC_FAILED;
	hmacs -= hmacs > 0;
	return __real_mbedtls_md_hmac(info, secret, secret_len, in, len, out);
}

static const int ciphers_13[][2] = { { 0x1301, 0 },
				     { 0x1302, 0 },
				     { 0x1303, 0 } };

static int load_cert(void **state)
{
	static const struct tls_conf conf = { .verify = true,
					      .ca = ca_path,
					      .user = "" };

	(void)state;
	make_cert("20200101000000", "20900101000000");
	newest = MBEDTLS_SSL_VERSION_TLS1_3;
	return load(&conf);
}

static int unload_cert(void **state)
{
	mbedtls_x509_crt_free(&cert);
	mbedtls_pk_free(&key);
	memset(&cert, 0, sizeof(cert));
	newest = MBEDTLS_SSL_VERSION_TLS1_2;
	return unload(state);
}

static void data_pass_with_every_cipher_of_tls_13(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(ciphers_13); i++)
		carry(ciphers_13[i]);
}

/* mbedTLS has keys of its own then. */
static void data_pass_without_memory_for_our_keys(void **state)
{
	(void)state;
	for (hmacs = 0; hmacs < 4; hmacs++) {
		struct nbd_transport *t;
		struct nbd_iov v = { (void *)(uintptr_t) "abc", 3 };
		int left = hmacs;
		unsigned char buf[3];

		server_start(ciphers_13[0]);
		assert_int_equal(shake(), 0);
		t = session()->tls.transport(&session()->tls, 0);
		assert_int_equal(hmacs, aesgcm_usable() ? 0 : left);
		hmacs = -1;
		t = session()->tls.transport(&session()->tls, 0);
		assert_int_equal(t->write(t, &v, 1), 3);
		assert_int_equal(mbedtls_ssl_read(&srv->ssl, buf, 3), 3);
		assert_memory_equal(buf, "abc", 3);
		hmacs = left;
		server_stop();
	}
	hmacs = -1;
}

static void a_device_has_tls_12_first(void **state)
{
	struct nbd_tls_keys keys;

	(void)state;
	assert_int_equal(tls_aim(session(), "localhost", TLS_ONLY_12, &d), 0);
	server_start(NULL);
	assert_int_equal(shake(), 0);
	assert_string_equal(tls_protocol(session(), 0), "TLS 1.2");
	tls_keys(session(), 0, &keys);
	assert_memory_equal(keys.tx.key, server_block, 16);
	server_stop();
	assert_int_equal(tls_aim(session(), "localhost", 0, &d), 0);
	server_start(NULL);
	assert_int_equal(shake(), 0);
	assert_string_equal(tls_protocol(session(), 0), "TLS 1.3");
	server_stop();
}

static void only_13(mbedtls_ssl_config *c)
{
	mbedtls_ssl_conf_min_tls_version(c, MBEDTLS_SSL_VERSION_TLS1_3);
}

/* By its alert, or as it only closes before it says anything. */
static void a_server_of_tls_13_alone_is_known(void **state)
{
	(void)state;
	also = only_13;
	assert_int_equal(tls_aim(session(), "localhost", TLS_ONLY_12, &d), 0);
	server_start(NULL);
	assert_int_equal(shake(), NBD_E_TLS);
	assert_true(session()->lacks_12);
	server_stop();
	assert_int_equal(tls_aim(session(), "localhost", 0, &d), 0);
	assert_false(session()->lacks_12);
	server_start(NULL);
	assert_int_equal(shake(), 0);
	assert_string_equal(tls_protocol(session(), 0), "TLS 1.3");
	server_stop();
	also = NULL;
	for (size_t cut = 0; cut < 200; cut += 199) {
		assert_int_equal(
			tls_aim(session(), "localhost", TLS_ONLY_12, &d), 0);
		server_start(NULL);
		srv->to_client.cut = cut;
		assert_int_equal(shake(), NBD_E_CUT);
		assert_int_equal(session()->lacks_12, cut == 0);
		server_stop();
	}
}

/* Decrypts the next record to the client with them. */
static void decrypt(const struct nbd_tls_keys *keys, unsigned char *to,
		    size_t len)
{
	const unsigned char *p = srv->to_client.buf + srv->to_client.taken;
	unsigned key_len = keys->aead == NBD_AES_128_GCM ? 128 : 256;
	mbedtls_gcm_context gcm;

	assert_int_equal(be16(p + 3), len + 16);
	mbedtls_gcm_init(&gcm);
	assert_int_equal(mbedtls_gcm_setkey(&gcm, MBEDTLS_CIPHER_ID_AES,
					    keys->rx.key, key_len),
			 0);
	assert_int_equal(mbedtls_gcm_auth_decrypt(&gcm, len, keys->rx.iv, 12, p,
						  5, p + 5 + len, 16, p + 5,
						  to),
			 0);
	mbedtls_gcm_free(&gcm);
}

static void the_kernel_gets_the_keys_of_tls_13(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct nbd_tls_keys keys;
		unsigned char text[16];

		server_start(ciphers_13[i]);
		assert_int_equal(shake(), 0);
		assert_true(tls_keys(session(), 0, &keys));
		assert_true(keys.is_13);
		assert_true(!keys.tx.seq && !keys.rx.seq);
		/* nothing was read beyond the handshake */
		assert_int_equal(srv->to_client.taken, srv->to_client.n);
		mbedtls_ssl_handshake(&srv->ssl);
		assert_int_equal(mbedtls_ssl_write(&srv->ssl, (void *)"abc", 3),
				 3);
		decrypt(&keys, text, 16); /* it pads */
		assert_memory_equal(text, "abc\27\0", 5);
		hmacs = (int)i;
		assert_false(tls_keys(session(), 0, &keys));
		hmacs = -1;
		server_stop();
	}
}

/* CVE-2026-115490: it claims TLS 1.3 as an old one claims TLS 1.2. */
static void a_server_that_agrees_on_no_key_is_refused(void **state)
{
	unsigned char *hello = srv->to_client.buf + 9, *suite;

	(void)state;
	newest = MBEDTLS_SSL_VERSION_TLS1_2;
	server_start(NULL);
	assert_int_equal(session()->tls.step(&session()->tls, 0, &d), NBD_RECV);
	mbedtls_ssl_handshake(&srv->ssl);
	assert_memory_equal(hello, "\3\3", 2);
	hello[1] = 4;
	suite = hello + 35 + hello[34];
	suite[0] = 0x13;
	suite[1] = 0x01;
	/* and not NBD_E_CERT, of the messages that would follow */
	assert_int_equal(session()->tls.step(&session()->tls, 0, &d),
			 NBD_E_TLS);
	server_stop();
}

/* RFC 8446, 4.1.3: whoever is between us and a server that has 1.3 is seen. */
static void a_downgrade_is_refused(void **state)
{
	(void)state;
	newest = MBEDTLS_SSL_VERSION_TLS1_2;
	for (unsigned i = 0; i < 3; i++) {
		unsigned char *random = srv->to_client.buf + 11;

		server_start(NULL);
		assert_int_equal(session()->tls.step(&session()->tls, 0, &d),
				 NBD_RECV);
		mbedtls_ssl_handshake(&srv->ssl);
		assert_memory_equal(random - 2, "\3\3", 2);
		memcpy(random + 24, i ? "DOWNGRD\1" : "DOWNGRD\0", 8);
		random[24] ^= i == 2; /* this is only another number */
		assert_int_equal(session()->tls.step(&session()->tls, 0, &d),
				 NBD_E_TLS);
		/* only the numbers end it before the signature of them */
		if (i < 2)
			assert_non_null(strstr(d.text, "contradicts"));
		else
			assert_null(strstr(d.text, "contradicts"));
		server_stop();
	}
}

static void any_change_of_a_handshake_of_tls_13_fails(void **state)
{
	size_t total = 0;

	(void)state;
	for (size_t flip = 0; flip == 0 || flip < total; flip += 5) {
		server_start(NULL);
		if (total == 0) {
			assert_int_equal(shake(), 0);
			total = srv->to_client.n;
			server_stop();
			server_start(NULL);
		}
		srv->to_client.flip = flip;
		/* a signature may be shorter this time */
		if (!shake())
			assert_true(flip == 1 || flip == 2 ||
				    flip >= srv->to_client.n);
		server_stop();
	}
	assert_true(total > 100);
}

static int first; /* what the server's first answer is: an error, or the end */

static int read_first(struct nbd_transport *t, void *buf, size_t len)
{
	(void)t, (void)buf, (void)len;
	return first;
}

static void ask_for_a_certificate(mbedtls_ssl_config *c)
{
	mbedtls_ssl_conf_authmode(c, MBEDTLS_SSL_VERIFY_OPTIONAL);
}

/* A server refuses ours by closing, after its handshake; a network does not. */
static void silence_after_a_handshake_is_no_refusal(void **state)
{
	static const int firsts[][2] = {
		{ 0, NBD_E_CLIENT_CERT },
		{ NBD_E_RESET, NBD_E_CLIENT_CERT },
		{ NBD_E_TIMEOUT, NBD_E_TIMEOUT },
		{ NBD_E_UNREACHABLE, NBD_E_UNREACHABLE },
	};

	(void)state;
	also = ask_for_a_certificate;
	for (unsigned i = 0; i < ARRAY_SIZE(firsts) * 2; i++) {
		struct nbd_transport *t;
		unsigned char buf[3];

		/* the records are ours, or those of mbedTLS */
		server_start(ciphers_13[i % 2 * 2]);
		assert_int_equal(shake(), 0);
		t = session()->tls.transport(&session()->tls, 0);
		first = firsts[i / 2][0];
		srv->below.read = read_first;
		assert_int_equal(t->read(t, buf, 3), firsts[i / 2][1]);
		server_stop();
	}
	also = NULL;
}

/* RFC 6066, 3; with one a server in Go ends the handshake. */
static void the_name_of_the_server_has_no_last_dot(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(tls_aim(session(),
					 i ? "localhost." : "localhost", 0, &d),
				 0);
		server_start(NULL);
		session()->tls.step(&session()->tls, 0, &d);
		assert_non_null(memmem(srv->to_server.buf, srv->to_server.n,
				       "\0\0\0\16\0\14\0\0\11localhost", 18));
		server_stop();
	}
}

#define TLS_13(f) cmocka_unit_test_setup_teardown(f, load_cert, unload_cert)
#define TESTS_13                                                   \
	TLS_13(data_pass_with_every_cipher_of_tls_13),             \
		TLS_13(data_pass_without_memory_for_our_keys),     \
		TLS_13(a_device_has_tls_12_first),                 \
		TLS_13(a_server_of_tls_13_alone_is_known),         \
		TLS_13(the_kernel_gets_the_keys_of_tls_13),        \
		TLS_13(a_server_that_agrees_on_no_key_is_refused), \
		TLS_13(nothing_is_offered_that_is_broken),         \
		TLS_13(silence_after_a_handshake_is_no_refusal),   \
		TLS_13(the_name_of_the_server_has_no_last_dot),    \
		TLS_13(a_downgrade_is_refused),                    \
		TLS_13(any_change_of_a_handshake_of_tls_13_fails),
#else
#define TESTS_13
#endif

static int make_files(void **state)
{
	(void)state;
	if (close(mkstemp(psk_path)) || close(mkstemp(other_path)) ||
	    close(mkstemp(ca_path)))
		return -1;
	write_file(psk_path, psk_line, strlen(psk_line));
	write_file(other_path, other_line, strlen(other_line));
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	unlink(psk_path);
	unlink(other_path);
	unlink(ca_path);
	return 0;
}

#define WITH_PSK(f) cmocka_unit_test_setup_teardown(f, load_psk, unload)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PSK(every_psk_suite_gives_the_keys_of_the_server),
		WITH_PSK(a_handshake_survives_every_split),
		WITH_PSK(a_cut_at_every_byte_fails),
		WITH_PSK(a_change_of_any_byte_fails),
		WITH_PSK(records_carry_data_both_ways),
		WITH_PSK(a_forged_record_is_an_error),
		WITH_PSK(a_user_that_the_server_does_not_know_is_reported),
		WITH_PSK(a_wrong_key_is_reported),
		WITH_PSK(a_server_that_is_too_old_is_named),
		WITH_PSK(nothing_is_offered_that_is_broken),
		cmocka_unit_test(a_key_that_can_be_guessed_is_refused),
		cmocka_unit_test(sessions_have_credentials_of_their_own),
		cmocka_unit_test(dates_that_fail_blame_a_clock_that_is_wrong),
		TESTS_13
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
