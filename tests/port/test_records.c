/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of TLS between two ends in memory: pieces, splits, pauses, changed
 * bytes, and what a server may send that is no data.  test_tls.c has mbedTLS
 * at the other end.
 */
#include "tests/unit.h"
#include "port/mbedtls/records.h"

#include <stdlib.h>

#define WIRE_MAX (1u << 19)

/* The wire between the two: bytes that one end wrote. */
static struct wire {
	struct nbd_transport below; /* first */
	unsigned char buf[WIRE_MAX];
	size_t n, taken;
	size_t step;  /* at most so many at once */
	size_t room;  /* that many more can be written */
	bool breaths; /* each second call says NBD_E_AGAIN */
	bool turn, closed;
} wire;

static struct records client, server;

static bool breathes(void)
{
	wire.turn = !wire.turn;
	return wire.breaths && wire.turn;
}

static int wire_read(struct nbd_transport *t, void *buf, size_t len)
{
	size_t have = wire.n - wire.taken;

	(void)t;
	if (!have && wire.closed)
		return 0;
	if (!have || breathes())
		return NBD_E_AGAIN;
	if (len > wire.step)
		len = wire.step;
	if (len > have)
		len = have;
	memcpy(buf, wire.buf + wire.taken, len);
	wire.taken += len;
	return (int)len;
}

static int wire_write(struct nbd_transport *t, const struct nbd_iov v[],
		      unsigned n)
{
	size_t len = v[0].len;

	(void)t;
	assert_int_equal(n, 1);
	if (len > wire.step)
		len = wire.step;
	if (len > wire.room)
		len = wire.room;
	if (!len || breathes())
		return NBD_E_AGAIN;
	assert_true(len <= WIRE_MAX - wire.n);
	memcpy(wire.buf + wire.n, v[0].base, len);
	wire.n += len;
	wire.room -= len;
	return (int)len;
}

static int start(void **state)
{
	struct nbd_tls_keys keys = { .aead = NBD_AES_128_GCM }, other;

	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		keys.tx.key[i] = (unsigned char)i;
		keys.rx.key[i] = (unsigned char)(100 + i);
	}
	memcpy(keys.tx.iv, "salt", 4);
	memcpy(keys.rx.iv, "SALT", 4);
	keys.tx.seq = keys.rx.seq = 1;
	other = keys;
	other.tx = keys.rx;
	other.rx = keys.tx;
	memset(&wire, 0, sizeof(wire));
	wire.below = (struct nbd_transport){ wire_read, wire_write, NULL };
	wire.step = wire.room = WIRE_MAX;
	records_init(&server, &keys, &wire.below);
	records_init(&client, &other, &wire.below);
	return 0;
}

/* The server's next record, of any type. */
static void put_record(unsigned char type, const void *text, size_t len)
{
	unsigned char *p = wire.buf + wire.n, iv[AESGCM_IV], aad[13] = { 0 };
	struct records_way *w = &server.tx;

	aad[7] = (unsigned char)w->seq++;
	aad[8] = p[0] = type;
	aad[9] = aad[10] = p[1] = p[2] = 3;
	aad[12] = (unsigned char)len;
	p[3] = 0;
	p[4] = (unsigned char)(len + 24);
	memset(p + 5, 0x77, 8); /* whatever the server likes */
	memcpy(iv, w->iv, 4);
	memcpy(iv + 4, p + 5, 8);
	aesgcm_seal(&w->key, iv, (struct aesgcm_aad){ aad, sizeof(aad) }, text,
		    p + RECORD_HEAD, len, p + RECORD_HEAD + len);
	wire.n += RECORD_HEAD + len + AESGCM_TAG;
}

static unsigned char sent[200000], got[200000];

/* Writes all of sent[], in pieces, and reads it with buffers of `size`. */
static void pass(size_t all, size_t piece, size_t size)
{
	size_t in = 0, out = 0;

	while (in < all) {
		size_t first = piece < all - out ? piece : all - out;
		struct nbd_iov v[] = { { sent + out, first },
				       { sent + out + first,
					 all - out - first } };
		int n = out < all ? records_write(&server, v, 2) : 0;

		assert_true(n >= 0 || n == NBD_E_AGAIN);
		out += n > 0 ? (size_t)n : 0;
		assert_true(out <= all);
		n = records_read(&client, got + in,
				 size < all - in ? size : all - in);
		assert_true(n > 0 || n == NBD_E_AGAIN);
		in += n > 0 ? (size_t)n : 0;
	}
	assert_int_equal(out, all);
	assert_memory_equal(sent, got, all);
	memset(got, 0, all);
	wire.n = wire.taken = 0;
	wire.room = WIRE_MAX;
}

static void data_survive_pieces_of_every_size(void **state)
{
	static const size_t sizes[] = { 1,     28,    16383, 16384,
					16385, 32768, 65536, sizeof(sent) };

	(void)state;
	for (size_t i = 0; i < sizeof(sent); i++)
		sent[i] = (unsigned char)(i ^ i >> 8 ^ i >> 16);
	for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++)
		for (unsigned j = i ? 0 : 1; j < ARRAY_SIZE(sizes); j++)
			pass(sizeof(sent), sizes[i], sizes[j]);
}

static void data_survive_every_split_and_pause(void **state)
{
	(void)state;
	for (int breaths = 0; breaths < 2; breaths++)
		for (wire.step = 1; wire.step < 100; wire.step++) {
			wire.breaths = breaths;
			pass(1000, 16, 300);
		}
	wire.step = 5000;
	pass(sizeof(sent), 16, 1 << 18);
}

static void what_waits_is_sent_once(void **state)
{
	struct nbd_iov v = { sent, 1000 };

	(void)state;
	wire.room = 600;
	assert_int_equal(records_write(&server, &v, 1), NBD_E_AGAIN);
	assert_int_equal(records_write(&server, &v, 1), NBD_E_AGAIN);
	/* a goodbye would come in the middle of the record */
	records_goodbye(&server);
	assert_int_equal(wire.n, 600);
	wire.room = WIRE_MAX;
	v.len = 5000; /* more came meanwhile */
	assert_int_equal(records_write(&server, &v, 1), 1000);
	assert_int_equal(records_read(&client, got, 5000), 1000);
	assert_int_equal(records_read(&client, got, 5000), NBD_E_AGAIN);
}

static void a_goodbye_and_an_end_are_ends(void **state)
{
	struct nbd_iov v = { sent, 100 };

	(void)state;
	assert_int_equal(records_write(&server, &v, 1), 100);
	records_goodbye(&server);
	assert_int_equal(records_write(&server, &v, 1), 100);
	assert_int_equal(records_read(&client, got, 500), 100);
	/* nothing that comes behind the goodbye is read */
	assert_int_equal(records_read(&client, got, 500), 0);
	assert_int_equal(records_read(&client, got, 500), 0);
	start(NULL);
	records_write(&server, &v, 1);
	wire.n--;
	wire.closed = true;
	assert_int_equal(records_read(&client, got, 500), 0);
}

static void a_change_of_any_byte_ends_the_connection(void **state)
{
	struct nbd_iov v = { sent, 50 };
	static const unsigned char zeroes[50];

	(void)state;
	for (size_t i = 0; i < RECORD_HEAD + 50 + AESGCM_TAG; i++) {
		int n;

		start(NULL);
		records_write(&server, &v, 1);
		records_write(&server, &v, 1);
		wire.closed = true;
		wire.buf[i] ^= 1;
		memset(got, 0, 50);
		n = records_read(&client, got, 100);
		/* a length of 256 more: the stream ends before */
		assert_int_equal(n, i == 3 ? 0 : NBD_E_TLS);
		assert_memory_equal(got, zeroes, 50);
		assert_int_equal(records_read(&client, got, 100), n);
	}
}

static void records_of_wrong_length_are_refused(void **state)
{
	static const unsigned char heads[][5] = {
		{ 23, 3, 3, 0, 0 },	  { 23, 3, 3, 0, 23 },
		{ 23, 3, 3, 0x40, 0x19 }, { 23, 3, 3, 0xff, 0xff },
		{ 23, 3, 2, 0, 60 },	  { 'H', 'T', 'T', 'P', '/' },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(heads); i++) {
		start(NULL);
		memcpy(wire.buf, heads[i], 5);
		wire.n = 5;
		assert_int_equal(records_read(&client, got, 100), NBD_E_TLS);
	}
}

static void only_harmless_messages_are_ignored(void **state)
{
	static const struct {
		unsigned char type, text[8];
		size_t len;
		int want;
	} cases[] = {
		{ 21, { 1, 90 }, 2, 3 },	 /* a warning */
		{ 21, { 2, 20 }, 2, NBD_E_TLS }, /* bad_record_mac */
		{ 21, { 1 }, 1, NBD_E_TLS },
		{ 21, { 1, 0, 0 }, 3, NBD_E_TLS },
		{ 22, { 0, 0, 0, 0 }, 4, 3 }, /* HelloRequest */
		{ 22, { 1, 0, 0, 0 }, 4, NBD_E_TLS },
		{ 22, { 0, 0, 0, 0 }, 5, NBD_E_TLS },
		{ 20, { 1 }, 1, NBD_E_TLS },
		{ 24, { 1, 0, 0 }, 3, NBD_E_TLS }, /* a heartbeat */
		{ 23, { 0 }, 0, 3 },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		start(NULL);
		put_record(cases[i].type, cases[i].text, cases[i].len);
		put_record(23, "abc", 3);
		assert_int_equal(records_read(&client, got, 9), cases[i].want);
	}
}

static void a_server_that_sends_no_data_is_left(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++)
		put_record(i ? 21 : 23, "\1\132", i ? 2 : 0);
	put_record(23, "abc", 3);
	assert_int_equal(records_read(&client, got, 3), 3);
	for (unsigned i = 0; i < 4; i++)
		put_record(23, "", 0);
	put_record(23, "abc", 3);
	assert_int_equal(records_read(&client, got, 3), NBD_E_TLS);
}

static void chacha20_is_left_to_mbedtls(void **state)
{
	(void)state;
	assert_false(records_fit(NBD_CHACHA20_POLY1305));
	assert_int_equal(records_fit(NBD_AES_256_GCM), aesgcm_usable());
}

#define TEST(f) cmocka_unit_test_setup(f, start)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chacha20_is_left_to_mbedtls),
		TEST(data_survive_pieces_of_every_size),
		TEST(data_survive_every_split_and_pause),
		TEST(what_waits_is_sent_once),
		TEST(a_goodbye_and_an_end_are_ends),
		TEST(a_change_of_any_byte_ends_the_connection),
		TEST(records_of_wrong_length_are_refused),
		TEST(only_harmless_messages_are_ignored),
		TEST(a_server_that_sends_no_data_is_left),
	};

	/* without the instructions there is only the first one */
	return _cmocka_run_group_tests("records", tests,
				       aesgcm_usable() ? ARRAY_SIZE(tests) : 1,
				       NULL, NULL);
}
