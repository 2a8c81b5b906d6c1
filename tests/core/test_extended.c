/* SPDX-License-Identifier: BSD-2-Clause */
/* What extended headers have of their own; the rest is in test_structured.c. */
#include "tests/core/phase.h"

static int setup(void **state)
{
	phase_setup(state);
	p.kind = NBD_EXTENDED;
	return 0;
}

static void
a_request_is_32_bytes_and_a_write_announces_its_payload(void **state)
{
	static const unsigned char want[] = "\x21\xe4\x1c\x71\0\x21\0\1"
					    "\0\0\0\1\0\0\0\0"
					    "\0\0\0\0\0\0\2\0"
					    "\0\0\0\0\0\0\0\4abcd";

	(void)state;
	begin();
	ask_io(NBD_CMD_WRITE, NBD_CMD_FLAG_FUA, 512, 4);
	memcpy(p.buf, "abcd", 4);
	hear(&p.s, p.c);
	assert_int_equal(p.s.sent, 36);
	assert_memory_equal(p.s.cli, want, 36);
	nbd_close(p.c);
	hear(&p.s, p.c);
	assert_int_equal(p.s.sent, 36 + 32);
	assert_int_equal(be32(p.s.cli + 36), NBD_EXT_REQUEST_MAGIC);
	assert_int_equal(be32(p.s.cli + 40), NBD_CMD_DISC);
}

static void requests_without_payload_have_64_bits(void **state)
{
	(void)state;
	begin();
	assert_int_equal(ask(NBD_CMD_WRITE_ZEROES, 0, EXPORT_SIZE), 0);
	hear(&p.s, p.c);
	assert_true(be64(p.s.cli + 24) == EXPORT_SIZE);
	assert_int_equal(be16(p.s.cli + 4), 0); /* no payload */
	say_none(cookie(0));
	assert_result(0, 0);
}

static void payloads_keep_their_limit(void **state)
{
	struct nbd_iov v = { NULL, (32 << 20) + 1 };
	struct nbd_op op = { .iov = &v, .n_iov = 1, .len = v.len };

	(void)state;
	begin();
	assert_int_equal(submit(&op), NBD_E_PAYLOAD);
	op.type = NBD_CMD_WRITE;
	assert_int_equal(submit(&op), NBD_E_PAYLOAD);
}

static void extents_of_more_than_4_gib_are_whole(void **state)
{
	struct nbd_extent e[2];
	struct nbd_op op = { .type = NBD_CMD_BLOCK_STATUS,
			     .len = EXPORT_SIZE,
			     .extents = e,
			     .max_extents = 2 };

	(void)state;
	begin();
	submit(&op);
	hear(&p.s, p.c);
	say_status(DONE, cookie(0), CONTEXT, 2);
	say_extent((uint64_t)1 << 33, (uint64_t)1 << 63);
	say_extent(UINT64_MAX, 3);
	assert_int_equal(finished(0)->n_extents, 2);
	assert_true(e[0].len == (uint64_t)1 << 33);
	assert_true(e[0].flags == (uint64_t)1 << 63);
	assert_true(e[1].len == EXPORT_SIZE - ((uint64_t)1 << 33));
}

static void the_count_of_extents_must_match_the_length(void **state)
{
	static const uint32_t n[] = { 0, 1, 3, 0x10000002, 0xffffffff };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(n); i++) {
		struct nbd_extent e[4];
		struct nbd_op op = { .type = NBD_CMD_BLOCK_STATUS,
				     .len = 4096,
				     .extents = e,
				     .max_extents = 4 };

		begin();
		submit(&op);
		hear(&p.s, p.c);
		say_chunk(DONE, NBD_REPLY_STATUS_EXT, cookie(0), 8 + 2 * 16);
		say(&p.s, CONTEXT, 4);
		say(&p.s, n[i], 4);
		say_fill(&p.s, 1, 32);
		assert_fatal(NBD_E_LENGTH);
	}
}

static void the_offset_of_a_reply_must_be_the_requests(void **state)
{
	static const uint64_t offset[] = { 0, AT - 1, AT + 1, UINT64_MAX };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(offset); i++) {
		begin_read(8);
		say(&p.s, NBD_EXT_REPLY_MAGIC, 4);
		say(&p.s, DONE, 2);
		say(&p.s, NBD_REPLY_DATA, 2);
		say(&p.s, cookie(0), 8);
		say(&p.s, offset[i], 8);
		say(&p.s, 16, 8);
		say(&p.s, AT, 8);
		say_bytes(&p.s, "abcdefgh", 8);
		assert_fatal(NBD_E_PROTOCOL);
	}
}

static void lengths_of_more_than_32_bits_are_fatal(void **state)
{
	static const uint64_t len[] = { ((uint64_t)1 << 32) + 16,
					(uint64_t)1 << 63, UINT64_MAX };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(len); i++) {
		begin_read(8);
		say_chunk(DONE, NBD_REPLY_DATA, cookie(0), len[i]);
		say(&p.s, AT, 8);
		say_fill(&p.s, 'x', 64);
		assert_fatal(NBD_E_LENGTH);
	}
}

static void compact_replies_are_fatal(void **state)
{
	(void)state;
	for (int simple = 0; simple < 2; simple++)
		for (int flush = 0; flush < 2; flush++) {
			begin();
			if (flush)
				ask(NBD_CMD_FLUSH, 0, 0);
			else
				ask_read(0, 8);
			hear(&p.s, p.c);
			say(&p.s, simple ? NBD_SIMPLE_MAGIC : NBD_CHUNK_MAGIC,
			    4);
			say(&p.s, simple ? 0 : DONE << 16, 4);
			say(&p.s, cookie(0), 8);
			say_fill(&p.s, 0, 16);
			assert_fatal(NBD_E_PROTOCOL);
		}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, phase_teardown)
	static const struct CMUnitTest tests[] = {
		T(a_request_is_32_bytes_and_a_write_announces_its_payload),
		T(requests_without_payload_have_64_bits),
		T(payloads_keep_their_limit),
		T(extents_of_more_than_4_gib_are_whole),
		T(the_count_of_extents_must_match_the_length),
		T(the_offset_of_a_reply_must_be_the_requests),
		T(lengths_of_more_than_32_bits_are_fatal),
		T(compact_replies_are_fatal),
	};

	return cmocka_run_group_tests_name("extended", tests, NULL, NULL);
}
