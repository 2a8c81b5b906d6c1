/* SPDX-License-Identifier: BSD-2-Clause */
/* What is refused before a byte of it is sent. */
#include "tests/core/phase.h"

static void ranges_are_checked_without_wrapping(void **state)
{
	static const struct {
		uint64_t offset, len;
		int err;
	} t[] = {
		{ 0, 0, NBD_E_EMPTY },
		{ EXPORT_SIZE - 1, 2, NBD_E_RANGE },
		{ EXPORT_SIZE, 1, NBD_E_RANGE },
		{ EXPORT_SIZE + 1, 1, NBD_E_RANGE },
		{ UINT64_MAX, 1, NBD_E_RANGE },
		{ UINT64_MAX, 2, NBD_E_RANGE },
		{ 1, UINT64_MAX, NBD_E_RANGE },
		{ UINT64_MAX - 1, UINT64_MAX, NBD_E_RANGE },
		{ 0, (uint64_t)UINT32_MAX + 1, NBD_E_LONG },
		{ 0, EXPORT_SIZE, NBD_E_LONG },
		{ EXPORT_SIZE - 1, 1, 0 },
	};

	(void)state;
	begin();
	for (unsigned i = 0; i < ARRAY_SIZE(t); i++)
		assert_int_equal(ask(NBD_CMD_TRIM, t[i].offset, t[i].len),
				 t[i].err);
	assert_int_equal(ask(NBD_CMD_TRIM, 0, UINT32_MAX), 1);
}

static void the_servers_block_size_is_obeyed(void **state)
{
	(void)state;
	p.min_block = 512;
	p.max_payload = 1 << 20;
	begin();
	assert_int_equal(ask_read(256, 512), NBD_E_ALIGN);
	assert_int_equal(ask_read(512, 256), NBD_E_ALIGN);
	assert_int_equal(ask_read(1, 1), NBD_E_ALIGN);
	assert_int_equal(ask(NBD_CMD_TRIM, 1, 512), NBD_E_ALIGN);
	assert_int_equal(ask_read(512, 512), 0);
}

static void payloads_have_a_limit_and_other_requests_have_none(void **state)
{
	struct nbd_iov v = { NULL, 0 };
	struct nbd_op op = { .iov = &v, .n_iov = 1 };

	(void)state;
	for (int told = 0; told < 2; told++) {
		p.min_block = told ? 1 : 0;
		p.max_payload = 65536;
		begin();
		assert_int_equal(nbd_max_payload(p.c), told ? 65536 : 32 << 20);
		for (uint16_t type = 0; type < 2; type++) {
			op.type = type;
			op.len = v.len = nbd_max_payload(p.c) + 1;
			assert_int_equal(submit(&op), NBD_E_PAYLOAD);
			op.len = v.len = nbd_max_payload(p.c);
			v.base = p.buf_mem.first; /* nothing is sent */
			assert_int_equal(submit(&op), type);
		}
		assert_int_equal(ask(NBD_CMD_TRIM, 0, (64 << 20) + 1), 2);
	}
}

static void pieces_must_add_up_to_the_length(void **state)
{
	char b[16];
	struct nbd_iov v[2] = { { b, 7 }, { b, 8 } };
	struct nbd_op op = { .len = 16, .iov = v, .n_iov = 2 };

	(void)state;
	begin();
	assert_int_equal(submit(&op), NBD_E_PARAM);
	v[1].len = 10;
	assert_int_equal(submit(&op), NBD_E_PARAM);
	v[1].len = SIZE_MAX - 6; /* the sum wraps */
	assert_int_equal(submit(&op), NBD_E_PARAM);
	op.n_iov = 0;
	assert_int_equal(submit(&op), NBD_E_PARAM);
	op.n_iov = 2;
	v[1].len = 9;
	assert_int_equal(submit(&op), 0);
}

static void what_the_server_does_not_offer_is_not_asked(void **state)
{
	static const struct {
		uint16_t type, flags, needs;
	} t[] = {
		{ NBD_CMD_FLUSH, 0, NBD_FLAG_SEND_FLUSH },
		{ NBD_CMD_TRIM, 0, NBD_FLAG_SEND_TRIM },
		{ NBD_CMD_CACHE, 0, NBD_FLAG_SEND_CACHE },
		{ NBD_CMD_WRITE_ZEROES, 0, NBD_FLAG_SEND_WRITE_ZEROES },
		{ NBD_CMD_WRITE_ZEROES, NBD_CMD_FLAG_NO_HOLE,
		  NBD_FLAG_SEND_WRITE_ZEROES },
		{ NBD_CMD_WRITE_ZEROES, NBD_CMD_FLAG_FAST_ZERO,
		  NBD_FLAG_SEND_FAST_ZERO },
		{ NBD_CMD_TRIM, NBD_CMD_FLAG_FUA, NBD_FLAG_SEND_FUA },
		{ NBD_CMD_WRITE, NBD_CMD_FLAG_FUA, NBD_FLAG_SEND_FUA },
		{ NBD_CMD_READ, NBD_CMD_FLAG_DF, NBD_FLAG_SEND_DF },
	};
	char b[512];
	struct nbd_iov v = { b, 512 };

	(void)state;
	p.kind = NBD_STRUCTURED;
	for (unsigned i = 0; i < ARRAY_SIZE(t); i++) {
		struct nbd_op op = { .type = t[i].type,
				     .flags = t[i].flags,
				     .len = 512,
				     .iov = &v,
				     .n_iov = 1 };

		if (t[i].type == NBD_CMD_FLUSH)
			op.len = 0;
		p.flags = (uint16_t)(ALL_FLAGS & ~t[i].needs);
		begin();
		assert_int_equal(submit(&op), NBD_E_NOT_OFFERED);
		assert_int_equal(nbd_state(p.c), NBD_READY); /* none sent */
		p.flags = ALL_FLAGS;
		begin();
		assert_int_equal(submit(&op), 0);
	}
}

static void flags_of_another_command_are_the_callers_fault(void **state)
{
	static const uint16_t ok[] = { 4, 1, 0, 0, 1, 0, 0x13, 8 };

	(void)state;
	p.kind = NBD_STRUCTURED;
	begin();
	for (uint16_t type = 0; type < 12; type++)
		for (unsigned bit = 0; bit < 16; bit++) {
			struct nbd_op op = { .type = type,
					     .flags = (uint16_t)(1u << bit),
					     .len = 512 };

			if (type < 8 && ok[type] & 1u << bit)
				continue;
			assert_int_equal(submit(&op), NBD_E_PARAM);
		}
	assert_int_equal(ask(NBD_CMD_DISC, 0, 0), NBD_E_PARAM);
	assert_int_equal(ask(8, 0, 512), NBD_E_PARAM);
}

static void a_read_only_export_is_not_written(void **state)
{
	(void)state;
	p.flags = ALL_FLAGS | NBD_FLAG_READ_ONLY;
	begin();
	assert_int_equal(ask_io(NBD_CMD_WRITE, 0, 0, 512), NBD_E_READ_ONLY);
	assert_int_equal(ask(NBD_CMD_TRIM, 0, 512), NBD_E_READ_ONLY);
	assert_int_equal(ask(NBD_CMD_WRITE_ZEROES, 0, 512), NBD_E_READ_ONLY);
	assert_int_equal(ask_read(0, 512), 0);
	assert_int_equal(ask(NBD_CMD_FLUSH, 0, 0), 1);
}

static void simple_replies_have_no_block_status_and_no_df(void **state)
{
	struct nbd_extent e;
	struct nbd_op op = { .type = NBD_CMD_BLOCK_STATUS,
			     .len = 512,
			     .extents = &e,
			     .max_extents = 1 };

	(void)state;
	begin();
	assert_int_equal(submit(&op), NBD_E_NO_CONTEXT);
	assert_int_equal(ask_io(NBD_CMD_READ, NBD_CMD_FLAG_DF, 0, 512),
			 NBD_E_NOT_OFFERED);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		PHASE_TEST(ranges_are_checked_without_wrapping),
		PHASE_TEST(the_servers_block_size_is_obeyed),
		PHASE_TEST(payloads_have_a_limit_and_other_requests_have_none),
		PHASE_TEST(pieces_must_add_up_to_the_length),
		PHASE_TEST(what_the_server_does_not_offer_is_not_asked),
		PHASE_TEST(flags_of_another_command_are_the_callers_fault),
		PHASE_TEST(a_read_only_export_is_not_written),
		PHASE_TEST(simple_replies_have_no_block_status_and_no_df),
	};

	return cmocka_run_group_tests_name("submit", tests, NULL, NULL);
}
