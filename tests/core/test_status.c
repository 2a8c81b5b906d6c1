/* SPDX-License-Identifier: BSD-2-Clause */
/* Block status, by structured and by extended replies. */
#include "tests/core/phase.h"

#define LEN (1u << 20)

static struct nbd_extent *extents;

static int ask_status(uint16_t flags, unsigned max)
{
	struct nbd_op op = { .type = NBD_CMD_BLOCK_STATUS,
			     .flags = flags,
			     .offset = AT,
			     .len = LEN,
			     .max_extents = max };

	begin();
	extents = guard_end(&p.buf_mem, max * sizeof(*extents));
	op.extents = extents;
	assert_int_equal(submit(&op), 0);
	hear(&p.s, p.c);
	return 0;
}

static void assert_extent(unsigned i, uint64_t len, uint64_t flags)
{
	assert_true(extents[i].len == len && extents[i].flags == flags);
}

static void three(void)
{
	ask_status(0, 3);
	say_status(0, cookie(0), CONTEXT, 3);
	say_extent(4096, 0);
	say_extent(8192, NBD_STATE_HOLE | NBD_STATE_ZERO);
	say_extent(LEN - 12288, 0x80000000);
	say_none(cookie(0));
	assert_int_equal(finished(0)->n_extents, 3);
	assert_extent(0, 4096, 0);
	assert_extent(1, 8192, 3);
	assert_extent(2, LEN - 12288, 0x80000000);
}

static void extents_survive_every_split(void **state)
{
	(void)state;
	at_every_split_of_both(three);
}

static void extents_beyond_the_room_are_dropped(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (unsigned max = 1; max < 40; max++) {
			struct nbd_req *r;

			ask_status(0, max);
			say_status(DONE, cookie(0), CONTEXT, 32);
			for (unsigned i = 0; i < 32; i++)
				say_extent(512 + i, i);
			r = finished(0);
			assert_int_equal(nbd_req_result(r), 0);
			assert_int_equal(r->n_extents, max < 32 ? max : 32);
			for (unsigned i = 0; i < r->n_extents; i++)
				assert_extent(i, 512 + i, i);
		}
}

static void the_last_extent_is_clamped_to_the_request(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		ask_status(0, 4);
		say_status(DONE, cookie(0), CONTEXT, 2);
		say_extent(512, 0);
		say_extent(0xffffffff, 1);
		assert_int_equal(finished(0)->n_extents, 2);
		assert_extent(1, LEN - 512, 1);
	}
}

static void fewer_extents_than_asked_for_are_a_success(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		ask_status(0, 4);
		say_status(DONE, cookie(0), CONTEXT, 1);
		say_extent(512, 2);
		assert_int_equal(finished(0)->n_extents, 1);
		assert_extent(0, 512, 2);
	}
}

static void zero_length_block_status_is_fatal(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (unsigned at = 0; at < 3; at++) {
			ask_status(0, 3);
			say_status(DONE, cookie(0), CONTEXT, 3);
			for (unsigned i = 0; i < 3; i++)
				say_extent(i == at ? 0 : 512, 0);
			assert_fatal(NBD_E_LENGTH);
			for (unsigned i = 0; i < 3; i++)
				assert_extent(i, 0, 0);
		}
}

static void oversized_block_status_is_fatal(void **state)
{
	static const uint64_t n[] = { (1u << 20) + 1, 0x1fffffff };

	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (unsigned i = 0; i < ARRAY_SIZE(n); i++) {
			bool wide = p.kind == NBD_EXTENDED;

			ask_status(0, 3);
			say_chunk(
				DONE,
				wide ? NBD_REPLY_STATUS_EXT : NBD_REPLY_STATUS,
				cookie(0), wide ? 8 + 16 * n[i] : 4 + 8 * n[i]);
			say_fill(&p.s, 0, 64);
			assert_fatal(NBD_E_LENGTH);
		}
}

static void the_most_extents_of_a_chunk_are_taken(void **state)
{
	uint32_t n = 1u << 20;

	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		uint32_t left = n * (p.kind == NBD_EXTENDED ? 16 : 8);

		ask_status(0, 1);
		say_status(DONE, cookie(0), CONTEXT, n);
		play(&p.s, p.c);
		while (left) {
			uint32_t some = left < 4096 ? left : 4096;

			p.s.n = p.s.fed = 0;
			say_fill(&p.s, 1, some);
			play(&p.s, p.c);
			left -= some;
		}
		assert_int_equal(finished(0)->n_extents, 1);
		assert_extent(0, LEN,
			      p.kind == NBD_EXTENDED ? 0x0101010101010101
						     : 0x01010101);
	}
}

static void block_status_of_other_lengths_is_fatal(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++)
		for (unsigned len = 0; len < 64; len++) {
			bool wide = p.kind == NBD_EXTENDED;

			if (wide ? len >= 24 && len % 16 == 8
				 : len >= 12 && len % 8 == 4)
				continue;
			ask_status(0, 3);
			say_chunk(DONE,
				  wide ? NBD_REPLY_STATUS_EXT
				       : NBD_REPLY_STATUS,
				  cookie(0), len);
			say_fill(&p.s, 1, 64);
			assert_fatal(NBD_E_LENGTH);
		}
}

static void extents_wholly_beyond_the_request_are_fatal(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		ask_status(0, 3);
		say_status(DONE, cookie(0), CONTEXT, 2);
		say_extent(LEN, 0);
		say_extent(512, 0);
		assert_fatal(NBD_E_LENGTH);
		ask_status(0, 3);
		say_status(DONE, cookie(0), CONTEXT, 3);
		say_extent(512, 0);
		say_extent(0xfffffe00, 0); /* the sum wraps in 32 bits */
		say_extent(512, 0);
		assert_fatal(NBD_E_LENGTH);
	}
}

static void one_extent_means_one_and_within_the_request(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		ask_status(NBD_CMD_FLAG_REQ_ONE, 3);
		assert_int_equal(be16(p.s.cli + 4), NBD_CMD_FLAG_REQ_ONE);
		say_status(DONE, cookie(0), CONTEXT, 1);
		say_extent(LEN, 1);
		assert_int_equal(finished(0)->n_extents, 1);

		ask_status(NBD_CMD_FLAG_REQ_ONE, 3);
		say_status(DONE, cookie(0), CONTEXT, 1);
		say_extent(LEN + 1, 0);
		assert_fatal(NBD_E_LENGTH);

		ask_status(NBD_CMD_FLAG_REQ_ONE, 3);
		say_status(DONE, cookie(0), CONTEXT, 2);
		say_extent(512, 0);
		say_extent(512, 0);
		assert_fatal(NBD_E_LENGTH);
	}
}

static void another_context_and_a_second_answer_are_fatal(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		ask_status(0, 3);
		say_status(DONE, cookie(0), CONTEXT + 1, 1);
		say_extent(512, 0);
		assert_fatal(NBD_E_PROTOCOL);

		ask_status(0, 3);
		say_status(0, cookie(0), CONTEXT, 1);
		say_extent(512, 0);
		say_status(DONE, cookie(0), CONTEXT, 1);
		say_extent(512, 0);
		assert_fatal(NBD_E_PROTOCOL);
	}
}

static void success_without_extents_is_none(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		ask_status(0, 3);
		say_none(cookie(0));
		assert_result(0, NBD_E_PARTIAL);
	}
	p.kind = NBD_STRUCTURED;
	ask_status(0, 3);
	say_simple(cookie(0), 0);
	assert_result(0, NBD_E_PARTIAL);
}

static void an_error_chunk_takes_the_extents_away(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		struct nbd_req *r;

		ask_status(0, 3);
		say_status(0, cookie(0), CONTEXT, 1);
		say_extent(512, 0);
		say_error_at(DONE, cookie(0), NBD_EIO, "metadata", AT);
		r = finished(0);
		assert_int_equal(nbd_req_result(r), NBD_EIO);
		assert_int_equal(r->n_extents, 0);
		assert_extent(0, 0, 0);
	}
	p.kind = NBD_STRUCTURED;
	ask_status(0, 3);
	say_simple(cookie(0), NBD_EINVAL);
	assert_result(0, NBD_EINVAL);
}

static void status_and_content_do_not_answer_each_other(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		begin_read(8);
		say_status(DONE, cookie(0), CONTEXT, 1);
		say_extent(8, 0);
		assert_fatal(NBD_E_PROTOCOL);

		ask_status(0, 3);
		say_data(DONE, cookie(0), AT, "abcdefgh", 8);
		assert_fatal(NBD_E_PROTOCOL);

		ask_status(0, 3);
		say_hole(DONE, cookie(0), AT, 8);
		assert_fatal(NBD_E_PROTOCOL);
	}
}

static void the_status_type_of_the_other_headers_is_fatal(void **state)
{
	(void)state;
	for (p.kind = NBD_STRUCTURED; p.kind <= NBD_EXTENDED; p.kind++) {
		bool wide = p.kind == NBD_EXTENDED;

		ask_status(0, 3);
		say_chunk(DONE, wide ? NBD_REPLY_STATUS : NBD_REPLY_STATUS_EXT,
			  cookie(0), wide ? 12 : 24);
		say_fill(&p.s, 1, 24);
		assert_fatal(NBD_E_PROTOCOL);
	}
}

static void block_status_needs_room_for_an_extent(void **state)
{
	struct nbd_op op = { .type = NBD_CMD_BLOCK_STATUS, .len = 8 };

	(void)state;
	p.kind = NBD_STRUCTURED;
	begin();
	assert_int_equal(submit(&op), NBD_E_PARAM);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		PHASE_TEST(extents_survive_every_split),
		PHASE_TEST(extents_beyond_the_room_are_dropped),
		PHASE_TEST(the_last_extent_is_clamped_to_the_request),
		PHASE_TEST(fewer_extents_than_asked_for_are_a_success),
		PHASE_TEST(zero_length_block_status_is_fatal),
		PHASE_TEST(oversized_block_status_is_fatal),
		PHASE_TEST(the_most_extents_of_a_chunk_are_taken),
		PHASE_TEST(block_status_of_other_lengths_is_fatal),
		PHASE_TEST(extents_wholly_beyond_the_request_are_fatal),
		PHASE_TEST(one_extent_means_one_and_within_the_request),
		PHASE_TEST(another_context_and_a_second_answer_are_fatal),
		PHASE_TEST(success_without_extents_is_none),
		PHASE_TEST(an_error_chunk_takes_the_extents_away),
		PHASE_TEST(status_and_content_do_not_answer_each_other),
		PHASE_TEST(the_status_type_of_the_other_headers_is_fatal),
		PHASE_TEST(block_status_needs_room_for_an_extent),
	};

	return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
