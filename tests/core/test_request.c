/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests: what is sent, and what becomes of the slots. */
#include "tests/core/phase.h"

static void a_request_is_28_bytes_as_the_protocol_says(void **state)
{
	static const unsigned char want[] = "\x25\x60\x95\x13\0\1\0\6"
					    "\0\0\0\1\0\0\0\0"
					    "\0\0\0\1\0\0\2\0\0\0\x10\0";
	struct nbd_op op = { .type = NBD_CMD_WRITE_ZEROES,
			     .flags = NBD_CMD_FLAG_FUA,
			     .offset = 0x100000200,
			     .len = 4096 };

	(void)state;
	begin();
	assert_int_equal(submit(&op), 0);
	assert_true(nbd_state(p.c) & NBD_SEND);
	hear(&p.s, p.c);
	assert_int_equal(p.s.sent, 28);
	assert_memory_equal(p.s.cli, want, 28);
	assert_false(nbd_state(p.c) & NBD_SEND);
}

static void flush_has_neither_offset_nor_length(void **state)
{
	(void)state;
	begin();
	assert_int_equal(ask(NBD_CMD_FLUSH, 0, 1), NBD_E_PARAM);
	assert_int_equal(ask(NBD_CMD_FLUSH, 1, 0), NBD_E_PARAM);
	assert_int_equal(ask(NBD_CMD_FLUSH, 0, 0), 0);
	hear(&p.s, p.c);
	assert_int_equal(be16(p.s.cli + 6), NBD_CMD_FLUSH);
	assert_zeroes(p.s.cli + 16, 12);
}

/* Two writes with pieces (one of them empty), a flush, and a read. */
static void queue_four(void)
{
	static char text[] = "abcdefghij";
	static const struct nbd_iov v[] = { { text, 3 },
					    { NULL, 0 },
					    { text + 3, 5 } };
	static const struct nbd_iov w = { text + 8, 2 };
	struct nbd_op op = { .type = NBD_CMD_WRITE,
			     .offset = 10,
			     .len = 8,
			     .iov = v,
			     .n_iov = 3 };

	assert_int_equal(submit(&op), 0);
	op.iov = &w;
	op.len = 2;
	op.n_iov = 1;
	assert_int_equal(submit(&op), 1);
	assert_int_equal(ask(NBD_CMD_FLUSH, 0, 0), 2);
	assert_int_equal(ask_read(0, 16), 3);
}

static void several_requests_go_in_one_call_in_their_order(void **state)
{
	struct nbd_iov v[16];
	size_t len[] = { 28, 3, 5, 28, 2, 28, 28 };
	size_t sum = 0;

	(void)state;
	begin();
	queue_four();
	assert_int_equal(nbd_send_iov(p.c, v, 16), 7);
	for (unsigned i = 0; i < 7; i++) {
		assert_int_equal(v[i].len, len[i]);
		sum += len[i];
	}
	assert_int_equal(nbd_send_iov(p.c, v, 2), 2);
	nbd_send_ack(p.c, sum);
	assert_int_equal(nbd_send_iov(p.c, v, 16), 0);
	assert_false(nbd_state(p.c) & NBD_SEND);
}

static void partial_sends_of_every_length_give_the_same_bytes(void **state)
{
	static unsigned char want[256];
	size_t n;

	(void)state;
	begin();
	queue_four();
	hear(&p.s, p.c);
	n = p.s.sent;
	memcpy(want, p.s.cli, n);
	assert_int_equal(n, 4 * 28 + 10);
	for (size_t step = 1; step <= n; step++) {
		size_t sent = 0;

		begin();
		queue_four();
		while (sent < n) {
			struct nbd_iov v[16];
			unsigned k = nbd_send_iov(p.c, v, 16);
			size_t left = step < n - sent ? step : n - sent;
			size_t ack = left;

			for (unsigned i = 0; i < k && left; i++) {
				size_t len = v[i].len < left ? v[i].len : left;

				assert_memory_equal(v[i].base, want + sent,
						    len);
				sent += len;
				left -= len;
			}
			assert_int_equal(left, 0);
			nbd_send_ack(p.c, ack);
		}
		assert_false(nbd_state(p.c) & NBD_SEND);
	}
}

static void more_acked_than_there_is_breaks_the_contract(void **state)
{
	(void)state;
	begin();
	ask(NBD_CMD_FLUSH, 0, 0);
	nbd_send_ack(p.c, 29);
	assert_fatal(NBD_E_PARAM);
}

static void a_full_table_is_busy_and_a_released_slot_is_not(void **state)
{
	uint64_t old;

	(void)state;
	begin();
	for (int i = 0; i < CONFIG_CORE_MAX_REQS; i++) {
		assert_true(nbd_state(p.c) & NBD_READY);
		assert_int_equal(ask_read(0, 16), i);
	}
	assert_false(nbd_state(p.c) & NBD_READY);
	assert_int_equal(ask_read(0, 16), NBD_E_BUSY);
	hear(&p.s, p.c);
	old = cookie(5);
	say_simple(old, NBD_EIO);
	assert_result(5, NBD_EIO);
	assert_true(nbd_state(p.c) & NBD_READY);
	assert_int_equal(ask_read(0, 16), 5);
	assert_true(cookie(5) != old);
	assert_int_equal((uint32_t)cookie(5), 5);
}

static void what_is_reaped_comes_once_and_in_order(void **state)
{
	struct nbd_req *r[2];

	(void)state;
	begin();
	for (int i = 0; i < 3; i++)
		ask(NBD_CMD_FLUSH, 0, 0);
	hear(&p.s, p.c);
	assert_null(nbd_reap(p.c));
	assert_int_equal(nbd_waiting(p.c), 3);
	say_simple(cookie(2), 0);
	say_simple(cookie(0), 0);
	play(&p.s, p.c);
	assert_int_equal(nbd_waiting(p.c), 1);
	r[0] = nbd_reap(p.c);
	r[1] = nbd_reap(p.c);
	assert_int_equal(r[0]->slot, 2);
	assert_int_equal(r[1]->slot, 0);
	assert_null(nbd_reap(p.c));
	nbd_release(p.c, r[1]);
	nbd_release(p.c, r[0]);
	assert_int_equal(ask(NBD_CMD_FLUSH, 0, 0), 2);
	nbd_release(p.c, r[0]); /* in flight again: not the caller's */
	assert_fatal(NBD_E_PARAM);
}

static void users_pointers_come_back(void **state)
{
	int mine;
	struct nbd_op op = { .type = NBD_CMD_FLUSH, .user = &mine };

	(void)state;
	begin();
	submit(&op);
	hear(&p.s, p.c);
	say_simple(cookie(0), 0);
	assert_ptr_equal(finished(0)->op.user, &mine);
}

static void goodbye_goes_behind_the_queue_and_awaits_answers(void **state)
{
	(void)state;
	begin();
	ask(NBD_CMD_FLUSH, 0, 0);
	nbd_close(p.c);
	nbd_close(p.c);
	assert_int_equal(ask(NBD_CMD_FLUSH, 0, 0), NBD_E_PARAM);
	hear(&p.s, p.c);
	assert_int_equal(p.s.sent, 56);
	assert_int_equal(be16(p.s.cli + 6), NBD_CMD_FLUSH);
	assert_int_equal(be16(p.s.cli + 28 + 6), NBD_CMD_DISC);
	assert_zeroes(p.s.cli + 28 + 16, 12);
	assert_int_equal(nbd_state(p.c), NBD_RECV);
	say_simple(cookie(0), 0);
	play(&p.s, p.c);
	assert_int_equal(nbd_state(p.c), NBD_CLOSED | NBD_DONE);
	assert_int_equal(nbd_error(p.c), 0);
	nbd_release(p.c, nbd_reap(p.c));
	assert_int_equal(nbd_state(p.c), NBD_CLOSED);
}

static void goodbye_without_requests_closes_when_it_is_sent(void **state)
{
	(void)state;
	begin();
	nbd_close(p.c);
	assert_int_equal(nbd_state(p.c), NBD_SEND);
	p.s.step = 1;
	hear(&p.s, p.c);
	assert_int_equal(p.s.sent, 28);
	assert_int_equal(nbd_state(p.c), NBD_CLOSED);
	assert_int_equal(nbd_error(p.c), 0);
	nbd_close(p.c); /* again */
	assert_int_equal(nbd_state(p.c), NBD_CLOSED);
	assert_int_equal(ask(NBD_CMD_FLUSH, 0, 0), NBD_E_PARAM);
}

static void a_request_amid_a_payload_leaves_the_window_alone(void **state)
{
	unsigned char *buf, *window;
	size_t len;

	(void)state;
	begin();
	ask_read(0, 8);
	buf = p.buf;
	hear(&p.s, p.c);
	say_simple(cookie(0), 0);
	say_bytes(&p.s, "abc", 3);
	play(&p.s, p.c);
	ask(NBD_CMD_FLUSH, 0, 0);
	window = nbd_recv_buf(p.c, &len);
	assert_ptr_equal(window, buf + 3);
	assert_int_equal(len, 5);
	say_bytes(&p.s, "defgh", 5);
	assert_result(0, 0);
	assert_memory_equal(buf, "abcdefgh", 8);
	say_simple(cookie(1), 0);
	assert_result(1, 0);
}

static void a_server_that_shuts_down_gets_no_more_requests(void **state)
{
	(void)state;
	begin();
	assert_false(nbd_must_close(p.c));
	ask(NBD_CMD_FLUSH, 0, 0);
	ask(NBD_CMD_FLUSH, 0, 0);
	hear(&p.s, p.c);
	say_simple(cookie(1), NBD_ESHUTDOWN);
	assert_result(1, NBD_ESHUTDOWN);
	assert_true(nbd_must_close(p.c));
	assert_false(nbd_state(p.c) & NBD_READY);
	assert_int_equal(ask(NBD_CMD_FLUSH, 0, 0), NBD_E_SHUTDOWN);
	say_simple(cookie(0), 0); /* what was under way goes on */
	assert_result(0, 0);
	nbd_close(p.c);
	hear(&p.s, p.c);
	assert_int_equal(nbd_state(p.c), NBD_CLOSED);
}

static void after_a_failure_every_request_comes_back_with_it(void **state)
{
	unsigned n = 0;
	struct nbd_req *r;
	unsigned char *buf;

	(void)state;
	begin();
	ask_read(0, 64);
	buf = p.buf;
	ask(NBD_CMD_FLUSH, 0, 0);
	hear(&p.s, p.c);
	say_simple(cookie(1), 0); /* this one is done */
	play(&p.s, p.c);
	ask(NBD_CMD_TRIM, 0, 64); /* this one is not even sent */
	memset(buf, 0xee, 64);
	nbd_transport_error(p.c, NBD_E_RESET);
	assert_int_equal(nbd_state(p.c), NBD_CLOSED | NBD_DONE);
	assert_int_equal(ask(NBD_CMD_FLUSH, 0, 0), NBD_E_RESET);
	while ((r = nbd_reap(p.c))) {
		int want = r->op.type == NBD_CMD_FLUSH ? 0 : NBD_E_RESET;

		assert_int_equal(nbd_req_result(r), want);
		nbd_release(p.c, r);
		n++;
	}
	assert_int_equal(n, 3);
	assert_zeroes(buf, 64);
	assert_int_equal(nbd_state(p.c), NBD_CLOSED);
}

/* A server may refuse a write before it has read all of it. */
static void a_write_refused_early_is_finished_when_it_is_out(void **state)
{
	size_t len;

	(void)state;
	begin();
	assert_int_equal(ask_io(NBD_CMD_WRITE, 0, 0, 512), 0);
	nbd_send_ack(p.c, 28 + 100);
	say_simple(cookie(0), NBD_ENOSPC);
	/* play() would send first: the reply comes in between */
	memcpy(nbd_recv_buf(p.c, &len), p.s.srv, 16);
	assert_int_equal(len, 16);
	nbd_recv_ack(p.c, 16);
	assert_int_equal(nbd_state(p.c) & ~NBD_READY, NBD_SEND);
	assert_null(nbd_reap(p.c)); /* its memory is still being sent */
	nbd_send_ack(p.c, 412);
	assert_int_equal(nbd_req_result(nbd_reap(p.c)), NBD_ENOSPC);

	/* an answer to it once more has no request to go to */
	begin();
	ask_io(NBD_CMD_WRITE, 0, 0, 512);
	nbd_send_ack(p.c, 28 + 100);
	for (int i = 0; i < 2; i++) {
		unsigned char *to = nbd_recv_buf(p.c, &len);

		say_simple(cookie(0), 0);
		if (i)
			assert_null(to);
		else
			memcpy(to, p.s.srv, 16);
		nbd_recv_ack(p.c, 16);
	}
	assert_int_equal(nbd_error(p.c), NBD_E_PARAM);
}

static void an_answer_before_the_question_is_fatal(void **state)
{
	size_t len;

	(void)state;
	begin();
	ask(NBD_CMD_FLUSH, 0, 0);
	nbd_send_ack(p.c, 27);
	say_simple(cookie(0), 0);
	memcpy(nbd_recv_buf(p.c, &len), p.s.srv, 16);
	nbd_recv_ack(p.c, 16);
	assert_int_equal(nbd_error(p.c), NBD_E_PROTOCOL);
}

static void bytes_move_both_ways_at_once_and_none_when_idle(void **state)
{
	size_t len;

	(void)state;
	begin();
	assert_null(nbd_recv_buf(p.c, &len));
	ask(NBD_CMD_FLUSH, 0, 0);
	hear(&p.s, p.c);
	ask(NBD_CMD_FLUSH, 0, 0);
	assert_int_equal(nbd_state(p.c), NBD_SEND | NBD_RECV | NBD_READY);
	assert_non_null(nbd_recv_buf(p.c, &len));
	say_simple(cookie(0), 0);
	play(&p.s, p.c);
	say_simple(cookie(1), 0);
	play(&p.s, p.c);
	assert_int_equal(nbd_state(p.c), NBD_READY | NBD_DONE);
	assert_null(nbd_recv_buf(p.c, &len));
}

static void start_needs_a_connection_that_is_ready(void **state)
{
	static const struct nbd_config cfg = { 0 };

	(void)state;
	nbd_init(p.c, &cfg);
	assert_false(nbd_must_close(p.c));
	nbd_start(p.c, p.io);
	assert_int_equal(nbd_error(p.c), NBD_E_PARAM);
	begin();
	assert_false(nbd_must_close(p.c));
	nbd_start(p.c, p.io); /* twice */
	assert_int_equal(nbd_error(p.c), NBD_E_PARAM);
	nbd_init(p.c, &cfg);
	assert_int_equal(ask(NBD_CMD_FLUSH, 0, 0), NBD_E_PARAM);
	assert_int_equal(nbd_waiting(p.c), 0);
	assert_null(nbd_reap(p.c));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		PHASE_TEST(a_request_is_28_bytes_as_the_protocol_says),
		PHASE_TEST(flush_has_neither_offset_nor_length),
		PHASE_TEST(several_requests_go_in_one_call_in_their_order),
		PHASE_TEST(partial_sends_of_every_length_give_the_same_bytes),
		PHASE_TEST(more_acked_than_there_is_breaks_the_contract),
		PHASE_TEST(a_full_table_is_busy_and_a_released_slot_is_not),
		PHASE_TEST(what_is_reaped_comes_once_and_in_order),
		PHASE_TEST(users_pointers_come_back),
		PHASE_TEST(goodbye_goes_behind_the_queue_and_awaits_answers),
		PHASE_TEST(goodbye_without_requests_closes_when_it_is_sent),
		PHASE_TEST(a_request_amid_a_payload_leaves_the_window_alone),
		PHASE_TEST(a_server_that_shuts_down_gets_no_more_requests),
		PHASE_TEST(after_a_failure_every_request_comes_back_with_it),
		PHASE_TEST(a_write_refused_early_is_finished_when_it_is_out),
		PHASE_TEST(an_answer_before_the_question_is_fatal),
		PHASE_TEST(bytes_move_both_ways_at_once_and_none_when_idle),
		PHASE_TEST(start_needs_a_connection_that_is_ready),
	};

	return cmocka_run_group_tests_name("request", tests, NULL, NULL);
}
