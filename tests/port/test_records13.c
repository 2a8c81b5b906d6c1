/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of TLS 1.3 between two ends in memory: what differs from those of TLS
 * 1.2, for which test_records.c is.  Keys are made in a simple way here.
 */
#include "tests/unit.h"
#include "port/mbedtls/records.h"

#define WIRE_MAX (1u << 19)

enum { ALERT = 21, HANDSHAKE = 22, DATA = 23 };

static struct {
	struct nbd_transport below; /* first */
	unsigned char buf[WIRE_MAX];
	size_t n, taken;
} wire;

static struct records client, server;
static unsigned char sent[100000], got[100000];

static int wire_read(struct nbd_transport *t, void *buf, size_t len)
{
	size_t have = wire.n - wire.taken;

	(void)t;
	if (!have)
		return NBD_E_AGAIN;
	if (len > have)
		len = have;
	memcpy(buf, wire.buf + wire.taken, len);
	wire.taken += len;
	return (int)len;
}

static int wire_write(struct nbd_transport *t, const struct nbd_iov v[],
		      unsigned n)
{
	(void)t;
	assert_int_equal(n, 1);
	assert_true(v[0].len <= WIRE_MAX - wire.n);
	memcpy(wire.buf + wire.n, v[0].base, v[0].len);
	wire.n += v[0].len;
	return (int)v[0].len;
}

static bool no_memory;

static bool renew(struct records_way *w)
{
	if (no_memory)
		return false;
	w->secret[0]++;
	aesgcm_init(&w->key, w->secret, 16);
	memcpy(w->iv, w->secret + 4, sizeof(w->iv));
	w->seq = 0;
	return true;
}

static void give(struct records_way *w, unsigned char first)
{
	w->secret_len = 32;
	for (unsigned i = 0; i < 32; i++)
		w->secret[i] = (unsigned char)(first + i);
	renew(w);
}

static int start(void **state)
{
	(void)state;
	memset(&wire, 0, sizeof(wire));
	memset(&client, 0, sizeof(client));
	memset(&server, 0, sizeof(server));
	wire.below = (struct nbd_transport){ wire_read, wire_write, NULL };
	give(&client.tx, 1);
	give(&server.rx, 1);
	give(&client.rx, 100);
	give(&server.tx, 100);
	records_init_13(&client, renew, &wire.below);
	records_init_13(&server, renew, &wire.below);
	return 0;
}

/* The server's next record: a text with its type and zeroes behind it. */
static void put_record(unsigned char type, const void *text, size_t len,
		       size_t zeroes)
{
	unsigned char *p = wire.buf + wire.n, iv[AESGCM_IV];
	struct records_way *w = &server.tx;
	size_t all = len + 1 + zeroes;

	p[0] = DATA;
	p[1] = p[2] = 3;
	p[3] = (unsigned char)((all + AESGCM_TAG) >> 8);
	p[4] = (unsigned char)(all + AESGCM_TAG);
	memcpy(p + 5, text, len);
	p[5 + len] = type;
	memset(p + 6 + len, 0, zeroes);
	memcpy(iv, w->iv, sizeof(iv));
	iv[11] ^= (unsigned char)w->seq++;
	aesgcm_seal(&w->key, iv, (struct aesgcm_aad){ p, 5 }, p + 5, p + 5, all,
		    p + 5 + all);
	wire.n += 5 + all + AESGCM_TAG;
}

/* Data pass from one end to the other, in the sizes of a copy. */
static void pass(struct records *from, struct records *to, size_t all,
		 size_t size)
{
	struct nbd_iov v = { sent, all };
	size_t in = 0;

	wire.n = wire.taken = 0;
	for (size_t i = 0; i < all; i++)
		sent[i] = (unsigned char)(i ^ i >> 8 ^ size);
	while (v.len) {
		int n = records_write(from, &v, 1);

		assert_true(n > 0);
		v.base = (unsigned char *)v.base + n;
		v.len -= (size_t)n;
	}
	while (in < all) {
		int n = records_read(to, got + in,
				     size < all - in ? size : all - in);

		assert_true(n > 0);
		in += (size_t)n;
	}
	assert_memory_equal(sent, got, all);
}

static void data_survive_pieces_of_every_size(void **state)
{
	static const size_t sizes[] = { 1, 16383, 16384, 16385, 65536 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
		pass(&server, &client, sizeof(sent), sizes[i]);
		pass(&client, &server, sizes[i], sizeof(sent));
	}
}

static void tickets_and_padding_are_left_out(void **state)
{
	unsigned char tickets[64] = { 4, 0, 0, 20 };

	(void)state;
	tickets[24] = 4; /* another one, of 100 bytes */
	tickets[27] = 100;
	put_record(HANDSHAKE, tickets, 64, 3);
	put_record(HANDSHAKE, sent, 64, 0);
	put_record(DATA, "abc", 3, 200);
	put_record(DATA, "", 0, 0);
	put_record(DATA, "def", 3, 0);
	assert_int_equal(records_read(&client, got, 100), 6);
	assert_memory_equal(got, "abcdef", 6);
	assert_int_equal(records_read(&client, got, 100), NBD_E_AGAIN);
}

static void a_new_key_is_taken_and_answered(void **state)
{
	static const unsigned char update[] = { 24, 0, 0, 1, 0 },
				   request[] = { 24, 0, 0, 1, 1 };

	(void)state;
	pass(&client, &server, 1000, 1000);
	put_record(HANDSHAKE, update, sizeof(update), 0);
	renew(&server.tx);
	put_record(DATA, "abc", 3, 0);
	put_record(HANDSHAKE, request, sizeof(request), 0);
	renew(&server.tx);
	put_record(DATA, "def", 3, 0);
	assert_int_equal(records_read(&client, got, 100), 6);
	assert_memory_equal(got, "abcdef", 6);
	/* only the second one asked for ours, which comes before data */
	assert_int_equal(client.tx.seq, 1);
	pass(&client, &server, 1000, 1000);
	assert_int_equal(client.tx.secret[0], 3);
	assert_int_equal(client.tx.seq, 1);
	pass(&client, &server, 1000, 1000);
	assert_int_equal(client.tx.seq, 2);
}

static void a_key_is_not_used_for_ever(void **state)
{
	(void)state;
	client.tx.seq = server.rx.seq = (1u << 24) - 1;
	pass(&client, &server, 10, 10);
	assert_int_equal(client.tx.secret[0], 2);
	pass(&client, &server, 10, 10);
	assert_int_equal(client.tx.secret[0], 3);
	assert_int_equal(client.tx.seq, 1);
	pass(&client, &server, 50000, 10);
}

/* Nothing is read, or sent, with a key that was not made. */
static void without_memory_for_a_key_the_connection_ends(void **state)
{
	static const unsigned char update[] = { 24, 0, 0, 1, 0 };
	struct nbd_iov v = { sent, 10 };

	(void)state;
	put_record(HANDSHAKE, update, sizeof(update), 0);
	put_record(DATA, "abc", 3, 0);
	no_memory = true;
	assert_int_equal(records_read(&client, got, 100), NBD_E_NO_MEMORY);
	assert_int_equal(records_read(&client, got, 100), NBD_E_NO_MEMORY);
	no_memory = false;
	start(NULL);
	client.must_renew = true;
	no_memory = true;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(records_write(&client, &v, 1),
				 NBD_E_NO_MEMORY);
	no_memory = false;
	records_goodbye(&client);
	assert_int_equal(wire.n, 0);
}

static void a_goodbye_is_an_end(void **state)
{
	(void)state;
	put_record(DATA, "abc", 3, 0);
	put_record(ALERT, "\1\132", 2, 0); /* user_canceled */
	records_goodbye(&server);
	assert_int_equal(records_read(&client, got, 100), 3);
	assert_int_equal(records_read(&client, got, 100), 0);
}

static void what_is_not_allowed_ends_the_connection(void **state)
{
	static const struct {
		unsigned char type;
		const char *text;
		size_t len, zeroes;
	} cases[] = {
		{ 0, "", 0, 10 },		    /* no type at all */
		{ 20, "\1", 1, 0 },		    /* ChangeCipherSpec */
		{ ALERT, "\1\12", 2, 0 },	    /* not a warning any more */
		{ HANDSHAKE, "\0\0\0\0", 4, 0 },    /* HelloRequest */
		{ HANDSHAKE, "\1\0\0\1\0", 5, 0 },  /* ClientHello */
		{ HANDSHAKE, "\15\0\0\1\0", 5, 0 }, /* CertificateRequest */
		{ HANDSHAKE, "\30\0\0\1\2", 5, 0 },
		{ HANDSHAKE, "\30\0\0\2\0\0", 6, 0 },
		{ HANDSHAKE, "\30\0\0\1\0\4\0\0\0", 9, 0 },
		{ HANDSHAKE, "\4\0\0", 3, 0 },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		start(NULL);
		put_record(cases[i].type, cases[i].text, cases[i].len,
			   cases[i].zeroes);
		put_record(DATA, "abc", 3, 0);
		assert_int_equal(records_read(&client, got, 100), NBD_E_TLS);
		assert_int_equal(records_read(&client, got, 100), NBD_E_TLS);
	}
	/* data in the middle of a ticket */
	start(NULL);
	put_record(HANDSHAKE, "\4\0\0\144ticket", 10, 0);
	put_record(DATA, "abc", 3, 0);
	assert_int_equal(records_read(&client, got, 100), NBD_E_TLS);
	/* a server that sends tickets only */
	start(NULL);
	for (unsigned i = 0; i < 17; i++)
		put_record(HANDSHAKE, "\4\0\0\0", 4, 0);
	assert_int_equal(records_read(&client, got, 100), NBD_E_TLS);
}

static void a_change_of_any_byte_ends_the_connection(void **state)
{
	(void)state;
	for (size_t i = 0; i < 5 + 4 + AESGCM_TAG; i++) {
		start(NULL);
		put_record(DATA, "abc", 3, 0);
		wire.buf[i] ^= 0x80;
		assert_true(records_read(&client, got, 100) < 0);
	}
}

static void a_record_of_any_length_is_read_or_refused(void **state)
{
	static const size_t zeroes[] = { 0, 239, 240, 500 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(zeroes); i++)
		for (int more = 0; more < 2; more++) {
			size_t len = RECORD_TEXT + (size_t)more;
			bool fits = !more && zeroes[i] <= 239;

			start(NULL);
			put_record(DATA, sent, len, zeroes[i]);
			assert_int_equal(records_read(&client, got, 20000),
					 fits ? (int)len : NBD_E_TLS);
		}
}

#define RECORDS(f) cmocka_unit_test_setup(f, start)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDS(data_survive_pieces_of_every_size),
		RECORDS(tickets_and_padding_are_left_out),
		RECORDS(a_new_key_is_taken_and_answered),
		RECORDS(a_key_is_not_used_for_ever),
		RECORDS(without_memory_for_a_key_the_connection_ends),
		RECORDS(a_goodbye_is_an_end),
		RECORDS(what_is_not_allowed_ends_the_connection),
		RECORDS(a_change_of_any_byte_ends_the_connection),
		RECORDS(a_record_of_any_length_is_read_or_refused),
	};

	return aesgcm_usable() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
