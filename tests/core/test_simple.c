/* SPDX-License-Identifier: BSD-2-Clause */
/* Simple replies: an error or the whole of what was read. */
#include "tests/core/phase.h"

static void read_in_pieces(void)
{
	struct nbd_iov v[4];
	struct nbd_op op = { .offset = 100, .len = 20, .iov = v, .n_iov = 4 };
	unsigned char *b;

	begin();
	b = guard_end(&p.buf_mem, 20);
	v[0] = (struct nbd_iov){ b + 15, 5 }; /* ends at the page */
	v[1] = (struct nbd_iov){ NULL, 0 };
	v[2] = (struct nbd_iov){ b, 1 };
	v[3] = (struct nbd_iov){ b + 1, 14 };
	assert_int_equal(submit(&op), 0);
	hear(&p.s, p.c);
	say_simple(cookie(0), 0);
	say_bytes(&p.s, "abcdefghijklmnopqrst", 20);
	assert_result(0, 0);
	assert_memory_equal(b, "fghijklmnopqrstabcde", 20);
}

static void a_read_into_pieces_survives_every_split(void **state)
{
	(void)state;
	at_every_split(read_in_pieces);
}

static void a_failed_read_clears_each_piece_even_beside_empty_ones(void **state)
{
	unsigned char b[8];
	struct nbd_iov v[] = { { b, 3 }, { NULL, 0 }, { b + 3, 5 } };
	struct nbd_op op = { .len = 8, .iov = v, .n_iov = 3 };

	(void)state;
	memset(b, 0xee, sizeof(b));
	begin();
	submit(&op);
	hear(&p.s, p.c);
	say_simple(cookie(0), NBD_EIO);
	assert_result(0, NBD_EIO);
	assert_zeroes(b, sizeof(b));
}

static void mixed(void)
{
	static const struct nbd_iov w = { "write me", 8 };
	struct nbd_op op = {
		.type = NBD_CMD_WRITE, .len = 8, .iov = &w, .n_iov = 1
	};
	unsigned char *b;

	begin();
	ask_read(0, 4);
	b = p.buf;
	submit(&op);
	ask(NBD_CMD_FLUSH, 0, 0);
	ask(NBD_CMD_TRIM, 0, 8);
	ask(NBD_CMD_CACHE, 0, 8);
	ask(NBD_CMD_WRITE_ZEROES, 0, 8);
	hear(&p.s, p.c);
	say_simple(cookie(5), NBD_ENOTSUP);
	say_simple(cookie(4), 0);
	say_simple(cookie(1), NBD_ENOSPC);
	say_simple(cookie(0), 0);
	say_bytes(&p.s, "data", 4);
	say_simple(cookie(3), NBD_EPERM);
	say_simple(cookie(2), 0);
	assert_result(5, NBD_ENOTSUP);
	assert_result(4, 0);
	assert_result(1, NBD_ENOSPC);
	assert_result(0, 0);
	assert_result(3, NBD_EPERM);
	assert_result(2, 0);
	assert_memory_equal(b, "data", 4);
}

static void replies_in_any_order_survive_every_split(void **state)
{
	(void)state;
	at_every_split(mixed);
}

static void a_failed_read_shows_zeroes_not_old_memory(void **state)
{
	(void)state;
	begin();
	ask_read(0, 512);
	hear(&p.s, p.c);
	say_simple(cookie(0), NBD_EIO); /* and no payload */
	assert_result(0, NBD_EIO);
	assert_zeroes(p.buf, 512);
}

static void a_read_that_is_cut_shows_zeroes(void **state)
{
	(void)state;
	for (size_t n = 0; n < 16 + 64; n++) {
		begin();
		ask_read(0, 64);
		hear(&p.s, p.c);
		say_simple(cookie(0), 0);
		say_fill(&p.s, 'x', 64);
		p.s.n = n;
		play(&p.s, p.c);
		nbd_transport_error(p.c, 0);
		assert_fatal(NBD_E_CUT);
		assert_zeroes(p.buf, 64);
	}
}

static void wire_errors_keep_their_meaning_and_others_are_einval(void **state)
{
	static const uint32_t known[] = { 1, 5, 12, 22, 28, 75, 95, 108 };
	static const uint32_t other[] = { 2,   4,   23,	   107,
					  109, 256, 0x101, 0xffffffff };

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		begin();
		ask(NBD_CMD_FLUSH, 0, 0);
		hear(&p.s, p.c);
		say_simple(cookie(0), known[i]);
		assert_result(0, (int)known[i]);

		begin();
		ask(NBD_CMD_FLUSH, 0, 0);
		hear(&p.s, p.c);
		say_simple(cookie(0), other[i]);
		assert_result(0, NBD_EINVAL);
	}
}

static void every_result_has_its_own_text(void **state)
{
	static const int known[] = { 0,	 NBD_E_RESET, 1,  5,  12,
				     22, 28,	      75, 95, 108 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(known); i++)
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(nbd_result_text(known[i]),
						nbd_result_text(known[k]));
	assert_string_equal(nbd_result_text(NBD_E_RESET),
			    nbd_err_text(NBD_E_RESET));
	assert_string_equal(nbd_result_text(4711), nbd_result_text(NBD_EINVAL));
}

static void unknown_cookies_are_fatal(void **state)
{
	static const uint64_t delta[] = {
		1,
		CONFIG_CORE_MAX_REQS,
		CONFIG_CORE_MAX_REQS - 1,
		0x7fffffff,
		0xffffffff,
		(uint64_t)1 << 32,
		(uint64_t)1 << 63,
		UINT64_MAX,
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(delta); i++) {
		begin();
		ask_read(0, 64);
		hear(&p.s, p.c);
		say_simple(cookie(0) + delta[i], 0);
		say_fill(&p.s, 'x', 64);
		assert_fatal(NBD_E_PROTOCOL);
	}
}

static void a_stale_cookie_is_fatal(void **state)
{
	uint64_t old;

	(void)state;
	begin();
	ask_read(0, 64);
	hear(&p.s, p.c);
	old = cookie(0);
	say_simple(old, NBD_EIO);
	assert_result(0, NBD_EIO);
	ask_read(0, 64); /* the same slot */
	hear(&p.s, p.c);
	say_simple(old, 0);
	say_fill(&p.s, 'x', 64);
	assert_fatal(NBD_E_PROTOCOL);
}

static void a_second_answer_is_fatal(void **state)
{
	(void)state;
	begin();
	ask(NBD_CMD_FLUSH, 0, 0);
	ask(NBD_CMD_FLUSH, 0, 0);
	hear(&p.s, p.c);
	say_simple(cookie(0), 0);
	say_simple(cookie(0), 0); /* done, not even reaped */
	play(&p.s, p.c);
	assert_int_equal(nbd_error(p.c), NBD_E_PROTOCOL);
	assert_int_equal(nbd_req_result(nbd_reap(p.c)), 0);
	assert_int_equal(nbd_req_result(nbd_reap(p.c)), NBD_E_PROTOCOL);
}

static void foreign_magics_are_fatal(void **state)
{
	static const uint32_t magic[] = {
		NBD_CHUNK_MAGIC, NBD_EXT_REPLY_MAGIC, 0,
		0x96744668,	 0xffffffff,	      NBD_SIMPLE_MAGIC ^ 1
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(magic); i++) {
		begin();
		ask_read(0, 64);
		hear(&p.s, p.c);
		say(&p.s, magic[i], 4);
		say(&p.s, 0, 4);
		say(&p.s, cookie(0), 8);
		say_fill(&p.s, 0, 64);
		assert_fatal(NBD_E_PROTOCOL);
	}
}

static void a_structured_reply_that_was_not_negotiated_is_fatal(void **state)
{
	(void)state;
	begin_read(8);
	say_data(DONE, cookie(0), AT, "abcdefgh", 8);
	assert_fatal(NBD_E_PROTOCOL);
	begin();
	ask(NBD_CMD_FLUSH, 0, 0);
	hear(&p.s, p.c);
	say_none(cookie(0));
	assert_fatal(NBD_E_PROTOCOL);
}

static void no_byte_beyond_the_last_reply_is_read(void **state)
{
	(void)state;
	begin();
	ask_read(0, 64);
	hear(&p.s, p.c);
	say_simple(cookie(0), 0);
	say_fill(&p.s, 'x', 64 + 100);
	play(&p.s, p.c);
	assert_int_equal(p.s.fed, 16 + 64);
	assert_int_equal(nbd_state(p.c), NBD_READY | NBD_DONE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		PHASE_TEST(a_read_into_pieces_survives_every_split),
		PHASE_TEST(
			a_failed_read_clears_each_piece_even_beside_empty_ones),
		PHASE_TEST(replies_in_any_order_survive_every_split),
		PHASE_TEST(a_failed_read_shows_zeroes_not_old_memory),
		PHASE_TEST(a_read_that_is_cut_shows_zeroes),
		PHASE_TEST(
			wire_errors_keep_their_meaning_and_others_are_einval),
		PHASE_TEST(every_result_has_its_own_text),
		PHASE_TEST(unknown_cookies_are_fatal),
		PHASE_TEST(a_stale_cookie_is_fatal),
		PHASE_TEST(a_second_answer_is_fatal),
		PHASE_TEST(foreign_magics_are_fatal),
		PHASE_TEST(a_structured_reply_that_was_not_negotiated_is_fatal),
		PHASE_TEST(no_byte_beyond_the_last_reply_is_read),
	};

	return cmocka_run_group_tests_name("simple", tests, NULL, NULL);
}
