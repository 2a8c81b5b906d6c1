/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads by structured replies: content, holes and errors in any order.  All
 * but the heads is the same with extended headers, so that most tests run
 * with both.
 */
#include "tests/core/phase.h"

/* ---- what servers do ---- */

static void data_and_hole(void)
{
	begin_read(12);
	say_data(0, cookie(0), AT + 8, "ijkl", 4);
	say_hole(0, cookie(0), AT + 2, 6);
	say_data(0, cookie(0), AT, "ab", 2);
	say_none(cookie(0));
	assert_result(0, 0);
	assert_memory_equal(p.buf, "ab\0\0\0\0\0\0ijkl", 12);
}

static void content_in_any_order_survives_every_split(void **state)
{
	(void)state;
	at_every_split_of_both(data_and_hole);
}

static void pieces(void)
{
	struct nbd_iov v[5];
	struct nbd_op op = { .offset = AT, .len = 12, .iov = v, .n_iov = 5 };
	unsigned char *b;

	begin();
	b = guard_end(&p.buf_mem, 12);
	v[0] = (struct nbd_iov){ NULL, 0 };
	v[1] = (struct nbd_iov){ b + 9, 3 };
	v[2] = (struct nbd_iov){ b, 5 };
	v[3] = (struct nbd_iov){ NULL, 0 };
	v[4] = (struct nbd_iov){ b + 5, 4 };
	submit(&op);
	hear(&p.s, p.c);
	say_hole(0, cookie(0), AT + 7, 5);
	say_data(DONE, cookie(0), AT, "abcdefg", 7);
	assert_result(0, 0);
	assert_memory_equal(b, "defg\0\0\0\0\0abc", 12);
}

static void content_across_pieces_survives_every_split(void **state)
{
	(void)state;
	at_every_split_of_both(pieces);
}

/* Chunks of two reads, and other replies, one between the other. */
static void interleaved(void)
{
	unsigned char *first;

	begin();
	ask_read(AT, 8);
	first = p.buf;
	ask(NBD_CMD_FLUSH, 0, 0);
	hear(&p.s, p.c);
	say_data(0, cookie(0), AT, "abcd", 4);
	if (p.kind == NBD_STRUCTURED)
		say_simple(cookie(1), NBD_EIO);
	else
		say_error(DONE, cookie(1), NBD_EIO, "disk");
	say_data(0, cookie(0), AT + 4, "efgh", 4);
	assert_result(1, NBD_EIO);
	ask(NBD_CMD_FLUSH, 0, 0);
	hear(&p.s, p.c);
	say_none(cookie(1));
	say_none(cookie(0));
	assert_result(1, 0);
	assert_result(0, 0);
	assert_memory_equal(first, "abcdefgh", 8);
}

static void interleaved_replies_survive_every_split(void **state)
{
	(void)state;
	at_every_split_of_both(interleaved);
}

/* With reads alone in flight 20 bytes are awaited, and 16 must do after. */
static void a_simple_reply_is_not_waited_for_beyond_its_end(void **state)
{
	size_t len;

	(void)state;
	p.kind = NBD_STRUCTURED;
	begin_read(8);
	assert_non_null(nbd_recv_buf(p.c, &len));
	assert_int_equal(len, 20);
	ask(NBD_CMD_FLUSH, 0, 0);
	hear(&p.s, p.c);
	nbd_recv_buf(p.c, &len);
	assert_int_equal(len, 16);
	say_simple(cookie(1), 0);
	assert_result(1, 0);

	/* a head that has begun is a chunk's, and stays one */
	say_data(DONE, cookie(0), AT, "abcdefgh", 8);
	memcpy(nbd_recv_buf(p.c, &len), p.s.srv + p.s.fed, 1);
	nbd_recv_ack(p.c, 1);
	p.s.fed++;
	assert_int_equal(ask(NBD_CMD_FLUSH, 0, 0), 1);
	nbd_recv_buf(p.c, &len);
	assert_int_equal(len, 19);
	hear(&p.s, p.c);
	assert_result(0, 0);
	say_simple(cookie(1), 0);
	assert_result(1, 0);
}

static void many_chunks_of_a_byte_make_a_read(void **state)
{
	static const char text[] = "abcdefghijklmnop";

	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		begin_read(16); /* upwards, downwards, and from both ends */
		for (unsigned i = 0; i < 16; i++)
			say_data(0, cookie(0), AT + i, text + i, 1);
		say_none(cookie(0));
		assert_result(0, 0);
		begin_read(16);
		for (unsigned i = 16; i-- > 0;)
			say_data(0, cookie(0), AT + i, text + i, 1);
		say_none(cookie(0));
		assert_result(0, 0);
		begin_read(16);
		for (unsigned i = 0; i < 8; i++) {
			say_data(0, cookie(0), AT + i, text + i, 1);
			say_data(0, cookie(0), AT + 15 - i, text + 15 - i, 1);
		}
		say_none(cookie(0));
		assert_result(0, 0);
		assert_memory_equal(p.buf, text, 16);
	}
}

static void a_reply_too_scattered_fails_alone(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		begin_read(64);
		for (unsigned i = 0; i < 64; i += 2)
			say_data(0, cookie(0), AT + i, "x", 1);
		for (unsigned i = 1; i < 64; i += 2)
			say_hole(0, cookie(0), AT + i, 1);
		say_none(cookie(0));
		assert_result(0, NBD_E_SCATTERED);
		assert_zeroes(p.buf, 64);
		assert_true(nbd_state(p.c) & NBD_READY);

		begin_read(64); /* an earlier error is the result */
		say_error(0, cookie(0), NBD_EIO, "disk");
		for (unsigned i = 0; i < 64; i += 2)
			say_data(0, cookie(0), AT + i, "x", 1);
		say_none(cookie(0));
		assert_result(0, NBD_EIO);

		begin_read(64); /* NBD_SPANS of them are borne */
		for (unsigned i = 0; i < 2 * NBD_SPANS; i += 2)
			say_data(0, cookie(0), AT + i, "x", 1);
		for (unsigned i = 1; i < 2 * NBD_SPANS; i += 2)
			say_hole(0, cookie(0), AT + i, 1);
		say_hole(DONE, cookie(0), AT + 2 * NBD_SPANS,
			 64 - 2 * NBD_SPANS);
		assert_result(0, 0);
	}
}

/* ---- errors ---- */

static void an_error_chunk_fails_the_read_and_clears_it(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (p.step = 1; p.step < 40; p.step++) {
			begin_read(8);
			say_error(DONE, cookie(0), NBD_EIO, "bad disk");
			assert_result(0, NBD_EIO);
			assert_zeroes(p.buf, 8);
		}
}

static void late_error_chunk_wins_over_data(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		begin_read(8);
		say_data(0, cookie(0), AT, "abcdefgh", 8);
		say_error(0, cookie(0), NBD_EIO, "");
		say_none(cookie(0));
		assert_result(0, NBD_EIO);
		assert_zeroes(p.buf, 8);
	}
}

static void early_error_chunk_wins_over_data(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		begin_read(8);
		say_error(0, cookie(0), NBD_ENOMEM, "x");
		say_data(DONE, cookie(0), AT, "abcdefgh", 8);
		assert_result(0, NBD_ENOMEM);
		assert_zeroes(p.buf, 8);
	}
}

static void error_in_the_last_chunk_wins_over_data(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		begin_read(8);
		say_data(0, cookie(0), AT, "abcdefgh", 8);
		say_error_at(DONE, cookie(0), NBD_EIO, "sector 1", AT + 7);
		assert_result(0, NBD_EIO);
		assert_zeroes(p.buf, 8);
	}
}

static void the_first_of_several_errors_counts(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		begin_read(8);
		say_error_at(0, cookie(0), NBD_EIO, "", AT);
		say_error_at(0, cookie(0), NBD_EPERM, "again", AT + 4);
		say_none(cookie(0));
		assert_result(0, NBD_EIO);
	}
}

static void an_error_of_value_0_is_an_error_all_the_same(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		begin_read(8);
		say_data(0, cookie(0), AT, "abcdefgh", 8);
		say_error(DONE, cookie(0), 0, "");
		assert_result(0, NBD_EINVAL);
		assert_zeroes(p.buf, 8);
	}
}

static void an_unknown_type_of_error_is_skipped_and_counts(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (p.split = 0; p.split < 80; p.split++) {
			begin_read(8);
			say_chunk(0, 0xc0de, cookie(0), 6 + 5 + 23);
			say(&p.s, NBD_ENOSPC, 4);
			say(&p.s, 5, 2);
			say_bytes(&p.s, "hello", 5);
			say_fill(&p.s, 0xff, 23); /* fields of the future */
			say_none(cookie(0));
			assert_result(0, NBD_ENOSPC);
		}
}

static void message_lengths_of_errors_are_checked(void **state)
{
	static const struct {
		uint16_t type;
		uint32_t len;
		uint16_t text;
	} t[] = { { 0x8001, 0, 0 },	    { 0x8001, 5, 0 },
		  { 0x8001, 6, 1 },	    { 0x8001, 10, 5 },
		  { 0x8001, 10, 0xffff },   { 0x8001, 65537, 0 },
		  { 0x8001, ~0u, 0 },	    { 0x8001, 5000, 4097 },
		  { 0x8002, 13, 0 },	    { 0x8002, 14, 1 },
		  { 0x8002, 20, 7 },	    { 0x8002, 14, 0xffff },
		  { 0x8002, 5000, 4097 },   { 0xffff, 5, 0 },
		  { 0xffff, 6, 1 },	    { 0xffff, 0x80000000, 0 },
		  { 0xffff, 0xfffffffa, 0 } };

	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (unsigned i = 0; i < ARRAY_SIZE(t); i++) {
			begin_read(8);
			say_chunk(DONE, t[i].type, cookie(0), t[i].len);
			say(&p.s, NBD_EIO, 4);
			say(&p.s, t[i].text, 2);
			say_fill(&p.s, 0, 6000);
			assert_fatal(NBD_E_LENGTH);
		}
}

static void an_error_offset_outside_of_the_request_is_fatal(void **state)
{
	static const uint64_t at[] = { AT - 1, AT + 8, 0, UINT64_MAX,
				       (uint64_t)1 << 63 };

	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (unsigned i = 0; i < ARRAY_SIZE(at); i++) {
			begin_read(8);
			say_error_at(DONE, cookie(0), NBD_EIO, "", at[i]);
			assert_fatal(NBD_E_LENGTH);
		}
}

static void errors_of_other_commands_come_in_chunks_too(void **state)
{
	static const uint16_t types[] = { NBD_CMD_TRIM, NBD_CMD_CACHE,
					  NBD_CMD_WRITE_ZEROES };

	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		for (unsigned i = 0; i < ARRAY_SIZE(types); i++) {
			begin();
			ask(types[i], AT, 8);
			hear(&p.s, p.c);
			say_error_at(DONE, cookie(0), NBD_ENOSPC, "full", AT);
			assert_result(0, NBD_ENOSPC);
		}
		begin();
		ask(NBD_CMD_FLUSH, 0, 0);
		hear(&p.s, p.c);
		say_error_at(DONE, cookie(0), NBD_EIO, "", 77);
		assert_result(0, NBD_EIO);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		PHASE_TEST(content_in_any_order_survives_every_split),
		PHASE_TEST(content_across_pieces_survives_every_split),
		PHASE_TEST(interleaved_replies_survive_every_split),
		PHASE_TEST(a_simple_reply_is_not_waited_for_beyond_its_end),
		PHASE_TEST(many_chunks_of_a_byte_make_a_read),
		PHASE_TEST(a_reply_too_scattered_fails_alone),
		PHASE_TEST(an_error_chunk_fails_the_read_and_clears_it),
		PHASE_TEST(late_error_chunk_wins_over_data),
		PHASE_TEST(early_error_chunk_wins_over_data),
		PHASE_TEST(error_in_the_last_chunk_wins_over_data),
		PHASE_TEST(the_first_of_several_errors_counts),
		PHASE_TEST(an_error_of_value_0_is_an_error_all_the_same),
		PHASE_TEST(an_unknown_type_of_error_is_skipped_and_counts),
		PHASE_TEST(message_lengths_of_errors_are_checked),
		PHASE_TEST(an_error_offset_outside_of_the_request_is_fatal),
		PHASE_TEST(errors_of_other_commands_come_in_chunks_too),
	};

	return cmocka_run_group_tests_name("structured", tests, NULL, NULL);
}
