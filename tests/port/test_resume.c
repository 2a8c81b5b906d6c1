/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions that a later connection continues, with a server in memory: their
 * keys, and everything that must end them.
 */
#include "tests/port/tls_server.h"

#include <mbedtls/ssl_cache.h>
#include <mbedtls/ssl_ticket.h>
#include <time.h>

static const struct tls_conf conf = { .verify = true,
				      .ca = ca_path,
				      .user = "" };

/* What is added to the clock, in s. */
static time_t later;

time_t __real_time(time_t *t);
time_t __wrap_time(time_t *t);

time_t __wrap_time(time_t *t)
{
	time_t now = __real_time(NULL) + later;

	if (t)
		*t = now;
	return now;
}

/* Where a ClientHello has the length of the session's number, of 1 byte. */
static unsigned offered(void)
{
	return srv->to_server.buf[5 + 4 + 2 + 32];
}

/* The certificate goes over the wire in the clear. */
static bool is_full(void)
{
	return memmem(srv->to_client.buf, srv->to_client.n, cert.raw.p,
		      cert.raw.len);
}

#ifdef CONFIG_PORT_TLS_RESUME

/* For a device: TLS 1.3 is not offered. */
static int load_12(const struct tls_conf *c)
{
	int err = load(c);

	return err ? err : tls_aim(session(), "localhost", TLS_ONLY_12, &d);
}

static mbedtls_ssl_cache_context cache;
static mbedtls_ssl_ticket_context ticket;

static void by_number(mbedtls_ssl_config *c)
{
	mbedtls_ssl_conf_session_cache(c, &cache, mbedtls_ssl_cache_get,
				       mbedtls_ssl_cache_set);
}

static void by_ticket(mbedtls_ssl_config *c)
{
	mbedtls_ssl_conf_session_tickets_cb(c, mbedtls_ssl_ticket_write,
					    mbedtls_ssl_ticket_parse, &ticket);
}

static void (*const ways[])(mbedtls_ssl_config *) = { by_number, by_ticket };

/* A server has started anew: it knows no session. */
static void forget(void)
{
	mbedtls_ssl_cache_free(&cache);
	mbedtls_ssl_cache_init(&cache);
	mbedtls_ssl_ticket_free(&ticket);
	mbedtls_ssl_ticket_init(&ticket);
	assert_int_equal(mbedtls_ssl_ticket_setup(&ticket, server_random, NULL,
						  MBEDTLS_CIPHER_AES_256_GCM,
						  7 * 86400),
			 0);
}

static int begin(void **state)
{
	(void)state;
	later = 0;
	make_cert("20200101000000", "20900101000000");
	forget();
	return load_12(&conf);
}

static int end(void **state)
{
	(void)state;
	tls_unload(session());
	mbedtls_x509_crt_free(&cert);
	mbedtls_pk_free(&key);
	mbedtls_ssl_cache_free(&cache);
	mbedtls_ssl_ticket_free(&ticket);
	return 0;
}

/* One more connection; true: with a certificate. */
static bool again_in_full(void)
{
	bool full;

	server_start(NULL);
	assert_int_equal(shake(), 0);
	full = is_full();
	server_stop();
	return full;
}

static void a_session_goes_on_with_keys_of_its_own(void **state)
{
	static const int suites[][2] = { { 0xc02b, 0 },
					 { 0xc02c, 0 },
					 { 0xcca9, 0 } };
	struct nbd_tls_keys keys[3];

	(void)state;
	for (unsigned i = 0; i < 2 * ARRAY_SIZE(suites); i++) {
		size_t len = i / 2 ? 32 : 16;

		also = ways[i % 2];
		assert_int_equal(load_12(&conf), 0);
		for (unsigned n = 0; n < 3; n++) {
			server_start(suites[i / 2]);
			assert_int_equal(shake(), 0);
			assert_int_equal(is_full(), n == 0);
			assert_int_equal(offered(), n ? 32 : 0);
			tls_keys(session(), 0, &keys[n]);
			assert_memory_equal(keys[n].tx.key, server_block, len);
			assert_memory_equal(keys[n].rx.key, server_block + len,
					    len);
			assert_true(keys[n].tx.seq == 1 && keys[n].rx.seq == 1);
			/* nothing was read beyond the handshake */
			assert_int_equal(srv->to_client.taken,
					 srv->to_client.n);
			server_stop();
		}
		assert_memory_not_equal(keys[0].tx.key, keys[1].tx.key, len);
		assert_memory_not_equal(keys[1].tx.key, keys[2].tx.key, len);
	}
}

static void a_session_that_goes_on_carries_data(void **state)
{
	struct nbd_iov v = { (void *)(uintptr_t) "abc", 3 };
	struct nbd_transport *t;
	char buf[8];

	(void)state;
	also = by_ticket;
	again_in_full();
	server_start(NULL);
	assert_int_equal(shake(), 0);
	assert_false(is_full());
	t = session()->tls.transport(&session()->tls, 0);
	assert_int_equal(t->write(t, &v, 1), 3);
	assert_int_equal(mbedtls_ssl_read(&srv->ssl, (void *)buf, 8), 3);
	assert_memory_equal(buf, "abc", 3);
	assert_int_equal(mbedtls_ssl_write(&srv->ssl, (void *)buf, 2), 2);
	assert_int_equal(t->read(t, buf + 3, 5), 2);
	assert_memory_equal(buf + 3, "ab", 2);
	server_stop();
}

static void a_server_that_forgot_it_makes_a_full_handshake(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(ways); i++) {
		also = ways[i];
		forget();
		assert_true(again_in_full());
		assert_false(again_in_full());
		forget();
		assert_true(again_in_full());
		assert_false(again_in_full());
		/* and one that never knew any */
		also = NULL;
		assert_true(again_in_full());
	}
}

static void another_name_or_cipher_ends_it(void **state)
{
	(void)state;
	also = by_ticket;
	assert_true(again_in_full());
	assert_int_equal(tls_aim(session(), "other", TLS_ONLY_12, &d), 0);
	server_start(NULL);
	/* the server would continue it for any name */
	assert_int_equal(shake(), NBD_E_CERT_NAME);
	assert_int_equal(offered(), 0);
	server_stop();
	assert_int_equal(tls_aim(session(), "localhost", TLS_ONLY_12, &d), 0);
	assert_true(again_in_full());
	assert_false(again_in_full());
	assert_int_equal(tls_aim(session(), "localhost", TLS_ONLY_12 | 1, &d),
			 0);
	assert_true(again_in_full());
	assert_false(again_in_full());
}

static void other_credentials_end_it(void **state)
{
	(void)state;
	also = by_ticket;
	assert_true(again_in_full());
	assert_int_equal(load_12(&conf), 0);
	assert_true(again_in_full());
	/* the CA is not trusted any more */
	mbedtls_x509_crt_free(&cert);
	mbedtls_pk_free(&key);
	make_cert("20200101000000", "20900101000000");
	assert_int_equal(load_12(&conf), 0);
	assert_true(again_in_full());
}

static void nobody_proves_himself_by_what_was_not_verified(void **state)
{
	static const struct tls_conf blind = { .user = "" };

	(void)state;
	also = by_ticket;
	assert_int_equal(load_12(&blind), 0);
	assert_true(again_in_full());
	assert_true(again_in_full());
}

/* Connections that the program keeps offer TLS 1.3, too, until it goes on. */
static void it_goes_on_where_tls_13_was_offered(void **state)
{
	(void)state;
	also = by_ticket;
	assert_int_equal(load(&conf), 0);
	assert_true(again_in_full());
	assert_false(again_in_full());
	/* but not from one kind to the other: a device asks for TLS 1.2 */
	assert_int_equal(tls_aim(session(), "localhost", TLS_ONLY_12, &d), 0);
	assert_true(again_in_full());
	assert_false(again_in_full());
}

#ifdef CONFIG_PORT_TLS13
/* A server of TLS 1.3 has got its tickets; none is kept, and none is offered. */
static void a_session_of_tls_13_does_not_go_on(void **state)
{
	(void)state;
	also = by_ticket;
	newest = MBEDTLS_SSL_VERSION_TLS1_3;
	assert_int_equal(load(&conf), 0);
	for (unsigned i = 0; i < 2; i++) {
		struct nbd_transport *t;
		char buf[8];

		server_start(NULL);
		assert_int_equal(shake(), 0);
		assert_string_equal(tls_protocol(session(), 0), "TLS 1.3");
		/* the tickets, and data behind them */
		assert_int_equal(mbedtls_ssl_write(&srv->ssl, (void *)"ab", 2),
				 2);
		t = session()->tls.transport(&session()->tls, 0);
		assert_int_equal(t->read(t, buf, 5), 2);
		assert_memory_equal(buf, "ab", 2);
		server_stop();
	}
	newest = MBEDTLS_SSL_VERSION_TLS1_2;
}
#define TEST_13 FRESH(a_session_of_tls_13_does_not_go_on),
#else
#define TEST_13
#endif

static void time_ends_it(void **state)
{
	(void)state;
	also = by_ticket;
	assert_true(again_in_full());
	later = 86000;
	assert_false(again_in_full());
	/* what was continued is not prolonged */
	later = 86401;
	assert_true(again_in_full());
	assert_false(again_in_full());
	/* a clock that goes back may be before the certificate's first day */
	later = 1000;
	assert_true(again_in_full());
}

static void the_end_of_a_certificate_ends_it(void **state)
{
	char until[16];
	time_t hour;

	(void)state;
	hour = time(NULL) + 3600;
	strftime(until, sizeof(until), "%Y%m%d%H%M%S", gmtime(&hour));
	mbedtls_x509_crt_free(&cert);
	mbedtls_pk_free(&key);
	make_cert("20200101000000", until);
	assert_int_equal(load_12(&conf), 0);
	also = by_ticket;
	assert_true(again_in_full());
	later = 3500;
	assert_false(again_in_full());
	later = 3700;
	server_start(NULL);
	assert_int_equal(shake(), NBD_E_CERT_TIME);
	server_stop();
}

static void every_split_and_fault_of_it(void **state)
{
	size_t total;

	(void)state;
	also = by_ticket;
	for (size_t step = 1; step < 40; step++) {
		server_start(NULL);
		srv->to_client.step = srv->to_server.step = step;
		assert_int_equal(shake(), 0);
		assert_int_equal(is_full(), step == 1);
		total = srv->to_client.n;
		server_stop();
	}
	for (size_t cut = 0; cut < total; cut += 3) {
		server_start(NULL);
		srv->to_client.cut = cut;
		assert_int_equal(shake(), NBD_E_CUT);
		server_stop();
		/* it may be the cause, so it is not offered again */
		assert_true(again_in_full());
	}
	for (size_t flip = 5; flip < total; flip += 4) {
		int ret;

		server_start(NULL);
		srv->to_client.flip = flip;
		ret = shake();
		if (!ret) /* the version of a record, which nothing protects */
			assert_int_equal(srv->to_client.buf[flip], 3);
		server_stop();
		assert_int_equal(again_in_full(), ret != 0);
	}
}

#define FRESH(f) cmocka_unit_test_setup_teardown(f, begin, end)
#define TESTS                                                          \
	FRESH(a_session_goes_on_with_keys_of_its_own),                 \
		FRESH(a_session_that_goes_on_carries_data),            \
		FRESH(a_server_that_forgot_it_makes_a_full_handshake), \
		FRESH(another_name_or_cipher_ends_it),                 \
		FRESH(other_credentials_end_it),                       \
		FRESH(nobody_proves_himself_by_what_was_not_verified), \
		FRESH(it_goes_on_where_tls_13_was_offered),            \
		TEST_13 FRESH(time_ends_it),                           \
		FRESH(the_end_of_a_certificate_ends_it),               \
		FRESH(every_split_and_fault_of_it),
#else
#define TESTS
#endif

static void nothing_is_offered_of_a_first_connection(void **state)
{
	(void)state;
	make_cert("20200101000000", "20900101000000");
	assert_int_equal(load(&conf), 0);
	server_start(NULL);
	assert_int_equal(shake(), 0);
	assert_true(is_full());
	assert_int_equal(offered(), 0);
	server_stop();
	tls_unload(session());
	mbedtls_x509_crt_free(&cert);
	mbedtls_pk_free(&key);
}

static int make_file(void **state)
{
	(void)state;
	return close(mkstemp(ca_path));
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(ca_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_offered_of_a_first_connection),
		TESTS
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
