/* SPDX-License-Identifier: BSD-2-Clause */
/* Structured and extended replies that are not believed. */
#include "tests/core/phase.h"

static void claims(uint16_t type, uint64_t offset, uint32_t len, int err)
{
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		begin_read(8);
		if (type == NBD_REPLY_HOLE) {
			say_hole(DONE, cookie(0), offset, len);
		} else {
			say_chunk(DONE, type, cookie(0), len + 8ull);
			say(&p.s, offset, 8);
			say_fill(&p.s, 0xee, 64);
		}
		assert_fatal(err);
	}
}

static void data_offset_below_the_request_is_fatal(void **state)
{
	(void)state;
	claims(NBD_REPLY_DATA, AT - 1, 8, NBD_E_LENGTH);
	claims(NBD_REPLY_DATA, AT - 8, 8, NBD_E_LENGTH);
	claims(NBD_REPLY_DATA, AT - 1, 1, NBD_E_LENGTH);
	claims(NBD_REPLY_DATA, 0, 1, NBD_E_LENGTH);
}

static void data_beyond_the_end_is_fatal(void **state)
{
	(void)state;
	claims(NBD_REPLY_DATA, AT, 9, NBD_E_LENGTH);
	claims(NBD_REPLY_DATA, AT + 1, 8, NBD_E_LENGTH);
	claims(NBD_REPLY_DATA, AT + 7, 2, NBD_E_LENGTH);
	claims(NBD_REPLY_DATA, AT + 8, 1, NBD_E_LENGTH);
}

static void data_that_wraps_at_2_to_the_64_is_fatal(void **state)
{
	(void)state;
	claims(NBD_REPLY_DATA, UINT64_MAX, 1, NBD_E_LENGTH);
	claims(NBD_REPLY_DATA, UINT64_MAX - 3, 8, NBD_E_LENGTH);
	claims(NBD_REPLY_DATA, (uint64_t)1 << 63, 8, NBD_E_LENGTH);
	claims(NBD_REPLY_DATA, AT + ((uint64_t)1 << 32), 8, NBD_E_LENGTH);
	claims(NBD_REPLY_DATA, AT, UINT32_MAX - 8, NBD_E_LENGTH);
}

static void hole_beyond_the_end_is_fatal(void **state)
{
	(void)state;
	claims(NBD_REPLY_HOLE, AT, 9, NBD_E_LENGTH);
	claims(NBD_REPLY_HOLE, AT + 7, 2, NBD_E_LENGTH);
	claims(NBD_REPLY_HOLE, AT + 8, 1, NBD_E_LENGTH);
	claims(NBD_REPLY_HOLE, AT, UINT32_MAX, NBD_E_LENGTH);
	claims(NBD_REPLY_HOLE, AT + 1, UINT32_MAX, NBD_E_LENGTH);
}

static void hole_below_the_request_or_wrapping_is_fatal(void **state)
{
	(void)state;
	claims(NBD_REPLY_HOLE, AT - 1, 8, NBD_E_LENGTH);
	claims(NBD_REPLY_HOLE, UINT64_MAX, 1, NBD_E_LENGTH);
	claims(NBD_REPLY_HOLE, UINT64_MAX - 3, 8, NBD_E_LENGTH);
	claims(NBD_REPLY_HOLE, AT + ((uint64_t)1 << 32), 8, NBD_E_LENGTH);
}

static void content_of_length_0_is_fatal(void **state)
{
	(void)state;
	claims(NBD_REPLY_DATA, AT, 0, NBD_E_LENGTH);
	claims(NBD_REPLY_HOLE, AT, 0, NBD_E_LENGTH);
}

static void data_chunks_too_short_for_an_offset_are_fatal(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (uint32_t len = 0; len < 9; len++) {
			begin_read(8);
			say_chunk(DONE, NBD_REPLY_DATA, cookie(0), len);
			say_fill(&p.s, 0, 16);
			assert_fatal(NBD_E_LENGTH);
		}
}

static void hole_chunks_of_other_lengths_are_fatal(void **state)
{
	static const uint32_t len[] = { 0, 8, 11, 13, 16, 0x8000000c, ~0u };

	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (unsigned i = 0; i < ARRAY_SIZE(len); i++) {
			begin_read(8);
			say_chunk(DONE, NBD_REPLY_HOLE, cookie(0), len[i]);
			say_fill(&p.s, 0, 16);
			assert_fatal(NBD_E_LENGTH);
		}
}

static void overlapping_chunks_are_fatal(void **state)
{
	/* 32 bytes; there already: 4 to 8, 12 to 16, 20 to 24 */
	static const struct {
		uint32_t at, len;
	} t[] = {
		{ 4, 4 },   { 4, 1 },	{ 7, 1 },  { 3, 2 },  { 0, 5 },
		{ 7, 2 },   { 8, 5 },	{ 0, 32 }, { 5, 2 },  { 15, 1 },
		{ 8, 12 },  { 16, 5 },	{ 23, 9 }, { 11, 6 }, { 20, 4 },
		{ 16, 16 }, { 10, 11 },
	};

	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (unsigned i = 0; i < 2 * ARRAY_SIZE(t); i++) {
			uint32_t at = t[i / 2].at, len = t[i / 2].len;
			char data[32] = { 0 };

			begin_read(32);
			say_data(0, cookie(0), AT + 12, "abcd", 4);
			say_hole(0, cookie(0), AT + 4, 4);
			say_data(0, cookie(0), AT + 20, "abcd", 4);
			if (i % 2)
				say_hole(0, cookie(0), AT + at, len);
			else
				say_data(0, cookie(0), AT + at, data, len);
			assert_fatal(NBD_E_PROTOCOL);
		}
}

static void a_gap_is_not_a_success(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (unsigned gap = 0; gap < 8; gap++) {
			begin_read(8);
			if (gap)
				say_data(0, cookie(0), AT, "abcdefgh", gap);
			if (gap < 7)
				say_hole(0, cookie(0), AT + gap + 1, 7 - gap);
			say_none(cookie(0));
			assert_result(0, NBD_E_PARTIAL);
			assert_zeroes(p.buf, 8);
		}
}

static void no_content_at_all_is_not_a_success(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		begin_read(8);
		say_none(cookie(0));
		assert_result(0, NBD_E_PARTIAL);
		assert_zeroes(p.buf, 8);
	}
}

static void data_after_done_is_fatal(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		begin_read(8);
		ask(NBD_CMD_FLUSH, 0, 0); /* so that more is awaited */
		hear(&p.s, p.c);
		say_data(DONE, cookie(0), AT, "abcdefgh", 8);
		assert_result(0, 0);
		say_data(DONE, cookie(0), AT, "ABCDEFGH", 8);
		play(&p.s, p.c);
		assert_int_equal(nbd_error(p.c), NBD_E_PROTOCOL);
		assert_memory_equal(p.buf, "abcdefgh", 8);
	}
}

static void unknown_cookies_in_chunks_are_fatal(void **state)
{
	static const uint64_t delta[] = { 1, CONFIG_CORE_MAX_REQS, UINT32_MAX,
					  (uint64_t)1 << 32, UINT64_MAX };

	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (unsigned i = 0; i < ARRAY_SIZE(delta); i++) {
			begin_read(8);
			say_data(DONE, cookie(0) + delta[i], AT, "abcdefgh", 8);
			assert_fatal(NBD_E_PROTOCOL);
		}
}

static void none_must_be_empty_and_the_last(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		begin_read(8);
		say_chunk(0, NBD_REPLY_NONE, cookie(0), 0);
		assert_fatal(NBD_E_PROTOCOL);
		begin_read(8);
		say_chunk(DONE, NBD_REPLY_NONE, cookie(0), 1);
		assert_fatal(NBD_E_PROTOCOL);
	}
}

static void unknown_types_that_are_no_errors_are_fatal(void **state)
{
	static const uint16_t type[] = { 3, 4, 5, 6, 7, 100, 0x4000, 0x7fff };

	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (unsigned i = 0; i < ARRAY_SIZE(type); i++) {
			begin_read(8);
			say_chunk(DONE, type[i], cookie(0), 12);
			say_fill(&p.s, 0, 12);
			assert_fatal(NBD_E_PROTOCOL);
		}
}

static void content_for_what_is_no_read_is_fatal(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (int hole = 0; hole < 2; hole++) {
			begin();
			ask(NBD_CMD_TRIM, AT, 8);
			hear(&p.s, p.c);
			if (hole)
				say_hole(DONE, cookie(0), AT, 8);
			else
				say_data(DONE, cookie(0), AT, "abcdefgh", 8);
			assert_fatal(NBD_E_PROTOCOL);
		}
}

static void a_simple_reply_to_a_read_is_fatal(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (int with = 0; with < 4; with++) {
			begin_read(8);
			if (with & 1)
				ask(NBD_CMD_FLUSH, 0, 0);
			hear(&p.s, p.c);
			say_simple(cookie(0), with & 2 ? NBD_EIO : 0);
			say_fill(&p.s, 'x', 16);
			assert_fatal(NBD_E_PROTOCOL);
		}
}

static void unfragmented_means_one_content_chunk(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		begin();
		ask_io(NBD_CMD_READ, NBD_CMD_FLAG_DF, AT, 8);
		hear(&p.s, p.c);
		assert_int_equal(be16(p.s.cli + 4), NBD_CMD_FLAG_DF);
		say_data(0, cookie(0), AT, "abcdefgh", 8);
		say_none(cookie(0));
		assert_result(0, 0);

		begin();
		ask_io(NBD_CMD_READ, NBD_CMD_FLAG_DF, AT, 8);
		hear(&p.s, p.c);
		say_data(0, cookie(0), AT, "abcd", 4);
		say_data(0, cookie(0), AT + 4, "efgh", 4);
		assert_fatal(NBD_E_PROTOCOL);
	}
}

static void unknown_reply_flags_are_ignored(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		begin_read(8);
		say_data(0xfffe, cookie(0), AT, "abcdefgh", 8);
		say_chunk(0xffff, NBD_REPLY_NONE, cookie(0), 0);
		assert_result(0, 0);
	}
}

static void every_cut_of_a_reply_shows_zeroes(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		size_t n = 200;

		for (size_t cut = 0; cut < n; cut++) {
			begin_read(12);
			say_data(0, cookie(0), AT + 8, "ijkl", 4);
			say_data(0, cookie(0), AT, "abcdefgh", 8);
			say_none(cookie(0));
			n = p.s.n;
			p.s.n = cut;
			play(&p.s, p.c);
			nbd_transport_error(p.c, 0);
			assert_fatal(NBD_E_CUT);
			assert_zeroes(p.buf, 12);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		PHASE_TEST(data_offset_below_the_request_is_fatal),
		PHASE_TEST(data_beyond_the_end_is_fatal),
		PHASE_TEST(data_that_wraps_at_2_to_the_64_is_fatal),
		PHASE_TEST(hole_beyond_the_end_is_fatal),
		PHASE_TEST(hole_below_the_request_or_wrapping_is_fatal),
		PHASE_TEST(content_of_length_0_is_fatal),
		PHASE_TEST(data_chunks_too_short_for_an_offset_are_fatal),
		PHASE_TEST(hole_chunks_of_other_lengths_are_fatal),
		PHASE_TEST(overlapping_chunks_are_fatal),
		PHASE_TEST(a_gap_is_not_a_success),
		PHASE_TEST(no_content_at_all_is_not_a_success),
		PHASE_TEST(data_after_done_is_fatal),
		PHASE_TEST(unknown_cookies_in_chunks_are_fatal),
		PHASE_TEST(none_must_be_empty_and_the_last),
		PHASE_TEST(unknown_types_that_are_no_errors_are_fatal),
		PHASE_TEST(content_for_what_is_no_read_is_fatal),
		PHASE_TEST(a_simple_reply_to_a_read_is_fatal),
		PHASE_TEST(unfragmented_means_one_content_chunk),
		PHASE_TEST(unknown_reply_flags_are_ignored),
		PHASE_TEST(every_cut_of_a_reply_shows_zeroes),
	};

	return cmocka_run_group_tests_name("hostile replies", tests, NULL,
					   NULL);
}
