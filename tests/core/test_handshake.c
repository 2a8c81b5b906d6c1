/* SPDX-License-Identifier: BSD-2-Clause */
/* The greeting and NBD_OPT_GO, against a scripted server. */
#include "tests/core/handshake.h"

static void go_survives_every_split_and_reads_nothing_beyond(void **state)
{
	size_t end;

	(void)state;
	say_full_go();
	end = s.n;
	say_fill(&s, 0x5a, 64); /* belongs to the kernel */
	for (s.split = 0; s.split <= end; s.split++) {
		run(&go);
		assert_full_go(end);
	}
	for (s.step = 1; s.step <= 64; s.step++) {
		run(&go);
		assert_full_go(end);
	}
}

static void go_sends_flags_and_option_as_the_protocol_says(void **state)
{
	static const unsigned char want[] = "\0\0\0\3"
					    "IHAVEOPT\0\0\0\7\0\0\0\20"
					    "\0\0\0\4disk\0\3\0\1\0\2\0\3";

	(void)state;
	say_full_go();
	run(&go);
	assert_int_equal(s.sent, sizeof(want) - 1);
	assert_memory_equal(s.cli, want, sizeof(want) - 1);
}

static void unknown_handshake_flags_are_not_echoed(void **state)
{
	(void)state;
	say_greeting(&s, 0xfffd); /* all but NO_ZEROES */
	run(&go);
	assert_memory_equal(s.cli, "\0\0\0\1", 4);
}

static void every_cut_of_the_handshake_is_an_error(void **state)
{
	size_t end;

	(void)state;
	say_full_go();
	end = s.n;
	for (s.n = 0; s.n < end; s.n++) {
		run(&go);
		assert_true(nbd_state(c) & NBD_RECV);
		nbd_transport_error(c, 0);
		assert_int_equal(nbd_state(c), NBD_CLOSED);
		assert_int_equal(nbd_error(c), NBD_E_CUT);
	}
}

static void short_and_long_info_is_refused(void **state)
{
	static const unsigned types[] = { NBD_INFO_EXPORT,
					  NBD_INFO_BLOCK_SIZE };

	(void)state;
	for (uint32_t len = 0; len < 32; len++)
		for (int t = 0; t < 2; t++) {
			if (len == (t ? 14u : 12u))
				continue;
			script_start(&s);
			say_greeting(&s, FIXED);
			say_reply(&s, NBD_OPT_GO, NBD_REP_INFO, len);
			say(&s, types[t], 2);
			say_fill(&s, 0, 64);
			assert_fails(&go, NBD_E_LENGTH);
		}
}

static void ack_without_export_is_refused(void **state)
{
	(void)state;
	say_greeting(&s, FIXED);
	say_info_text(&s, NBD_INFO_NAME, "disk");
	say_reply(&s, NBD_OPT_GO, NBD_REP_ACK, 0);
	assert_fails(&go, NBD_E_PROTOCOL);
}

static void ack_with_a_length_is_refused(void **state)
{
	(void)state;
	say_greeting(&s, FIXED);
	say_info_export(&s, SIZE, FLAGS);
	say_reply(&s, NBD_OPT_GO, NBD_REP_ACK, 1);
	assert_fails(&go, NBD_E_LENGTH);
}

static void replies_of_every_impossible_length_are_refused(void **state)
{
	static const uint32_t len[] = { 65537,	    0x7fffffff, 0x80000000,
					0xfffffff0, 0xfffffffc, 0xffffffff };
	static const uint32_t type[] = { NBD_REP_ACK, NBD_REP_INFO,
					 NBD_REP_ERR_UNKNOWN };

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		for (unsigned t = 0; t < 3; t++) {
			script_start(&s);
			say_greeting(&s, FIXED);
			say_reply(&s, NBD_OPT_GO, type[t], len[i]);
			say_fill(&s, 0, 64);
			assert_fails(&go, NBD_E_LENGTH);
		}
}

static void replies_that_do_not_belong_are_refused(void **state)
{
	(void)state;
	say_greeting(&s, FIXED);
	say_reply(&s, NBD_OPT_LIST, NBD_REP_ACK, 0);
	assert_fails(&go, NBD_E_PROTOCOL);

	script_start(&s);
	say_greeting(&s, FIXED);
	say_reply(&s, NBD_OPT_GO, NBD_REP_SERVER, 8);
	assert_fails(&go, NBD_E_PROTOCOL);

	script_start(&s);
	say_greeting(&s, FIXED);
	say_reply(&s, NBD_OPT_GO, 42, 0);
	assert_fails(&go, NBD_E_PROTOCOL);

	script_start(&s);
	say_greeting(&s, FIXED);
	say(&s, NBD_OPT_REPLY_MAGIC + 1, 8);
	say_fill(&s, 0, 12);
	assert_fails(&go, NBD_E_PROTOCOL);
}

static void block_sizes_that_contradict_the_protocol_are_refused(void **state)
{
	static const uint32_t bad[][3] = {
		{ 0, 4096, 65536 },	 { 3, 4096, 65536 },
		{ 131072, 131072, ~0u }, { 512, 256, 65536 },
		{ 1, 768, 65536 },	 { 4096, 512, 65536 },
		{ 512, 4096, 512 },	 { 512, 4096, 4097 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		script_start(&s);
		say_greeting(&s, FIXED);
		say_info_block(&s, bad[i][0], bad[i][1], bad[i][2]);
		assert_fails(&go, NBD_E_BLOCK);
	}
}

static void sizes_above_2_to_the_63_are_refused(void **state)
{
	static const struct {
		uint64_t size;
		int err;
	} sizes[] = { { 0, 0 },
		      { INT64_MAX, 0 },
		      { (uint64_t)1 << 63, NBD_E_SIZE },
		      { UINT64_MAX, NBD_E_SIZE } };

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		for (int fallback = 0; fallback < 2; fallback++) {
			script_start(&s);
			say_greeting(&s, (uint16_t)(fallback ? 0 : FIXED));
			if (fallback) {
				say(&s, sizes[i].size, 8);
				say(&s, FLAGS, 2);
				say_fill(&s, 0, 124);
			} else {
				say_info_export(&s, sizes[i].size, FLAGS);
				say_reply(&s, NBD_OPT_GO, NBD_REP_ACK, 0);
			}
			run(&go);
			assert_int_equal(nbd_error(c), sizes[i].err);
		}
}

static void flags_without_has_flags_do_not_count(void **state)
{
	(void)state;
	say_greeting(&s, FIXED);
	say_info_export(&s, 4096, NBD_FLAG_READ_ONLY);
	say_reply(&s, NBD_OPT_GO, NBD_REP_ACK, 0);
	run(&go);
	assert_int_equal(nbd_export(c)->flags, 0);
}

static void oldstyle_and_strangers_are_told_apart(void **state)
{
	(void)state;
	say(&s, NBD_MAGIC, 8);
	say(&s, NBD_OLDSTYLE, 8);
	say_fill(&s, 0, 136);
	assert_fails(&go, NBD_E_OLDSTYLE);

	script_start(&s);
	say(&s, NBD_MAGIC, 8);
	say(&s, 0x1234, 8);
	assert_fails(&go, NBD_E_NOT_NBD);

	script_start(&s);
	say_bytes(&s, "SSH-2.0-", 8); /* no byte more is waited for */
	assert_fails(&go, NBD_E_NOT_NBD);
}

static void every_error_reply_has_its_meaning_and_its_text(void **state)
{
	static const struct {
		uint32_t type;
		int err;
	} t[] = {
		{ 2, NBD_E_POLICY },
		{ 3, NBD_E_INVALID },
		{ 4, NBD_E_PLATFORM },
		{ 5, NBD_E_TLS_REQD },
		{ 6, NBD_E_NO_EXPORT },
		{ 7, NBD_E_SHUTDOWN },
		{ 8, NBD_E_BLOCK_REQD },
		{ 9, NBD_E_TOO_BIG },
		{ 10, NBD_E_REFUSED_OPT },
		{ 0, NBD_E_REFUSED_OPT },
		{ 0x7fffffff, NBD_E_REFUSED_OPT },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		script_start(&s);
		say_greeting(&s, FIXED);
		say_reply(&s, NBD_OPT_GO, NBD_REP_ERR | t[i].type, 9);
		say_bytes(&s, "because\n!", 9);
		for (s.step = 1; s.step < 30; s.step++) {
			assert_fails(&go, t[i].err);
			assert_text(nbd_text(c), "because\n!");
			assert_true(nbd_err_text(t[i].err)[0]);
		}
	}
}

static void a_long_error_text_is_cut_and_consumed(void **state)
{
	(void)state;
	say_greeting(&s, FIXED);
	say_reply(&s, NBD_OPT_GO, NBD_REP_ERR_UNKNOWN, 20000);
	say_fill(&s, 'x', 20000);
	assert_fails(&go, NBD_E_NO_EXPORT);
	assert_int_equal(nbd_text(c).len, CONFIG_CORE_TEXT_MAX);
	assert_true(nbd_text(c).cut);
	assert_int_equal(s.fed, s.n);
}

static void an_answer_before_the_question_stays_unread(void **state)
{
	struct nbd_iov v[4];
	size_t len;
	unsigned char *to;

	(void)state;
	nbd_init(c, &go);
	say_greeting(&s, FIXED);
	while ((to = nbd_recv_buf(c, &len))) {
		memcpy(to, s.srv + s.fed, len);
		s.fed += len;
		nbd_recv_ack(c, len);
	}
	assert_int_equal(nbd_state(c), NBD_SEND);
	assert_int_equal(nbd_send_iov(c, v, 4), 3);
	nbd_send_ack(c, v[0].len + 1);
	assert_int_equal(nbd_state(c), NBD_SEND);
	assert_null(nbd_recv_buf(c, &len));
	nbd_recv_ack(c, 1);
	assert_int_equal(nbd_error(c), NBD_E_PARAM);
}

static void the_first_error_sticks_and_the_engine_is_inert(void **state)
{
	struct nbd_iov v[4];
	size_t len;

	(void)state;
	say_bytes(&s, "SSH-2.0-", 8);
	run(&go);
	nbd_transport_error(c, NBD_E_RESET);
	nbd_recv_ack(c, 1);
	nbd_tls_done(c);
	nbd_next(c);
	nbd_close(c);
	assert_int_equal(nbd_error(c), NBD_E_NOT_NBD);
	assert_int_equal(nbd_state(c), NBD_CLOSED);
	assert_null(nbd_recv_buf(c, &len));
	assert_int_equal(nbd_send_iov(c, v, 4), 0);
	assert_null(nbd_export(c));
}

static void acks_beyond_the_window_break_the_contract(void **state)
{
	struct nbd_iov v[4];
	size_t len;

	(void)state;
	nbd_init(c, &go);
	nbd_recv_buf(c, &len);
	nbd_recv_ack(c, len + 1);
	assert_int_equal(nbd_error(c), NBD_E_PARAM);

	nbd_init(c, &go);
	nbd_recv_ack(c, 0);
	assert_int_equal(nbd_error(c), NBD_E_PARAM);

	nbd_init(c, &go);
	assert_int_equal(nbd_send_iov(c, v, 4), 0);
	nbd_send_ack(c, 1);
	assert_int_equal(nbd_error(c), NBD_E_PARAM);
}

static void an_empty_name_is_the_default_export(void **state)
{
	static const struct nbd_config cfg = { 0 };
	static const unsigned char want[] = "\0\0\0\1IHAVEOPT\0\0\0\7"
					    "\0\0\0\14\0\0\0\0"
					    "\0\3\0\1\0\2\0\3";

	(void)state;
	say_greeting(&s, FIXED);
	say_info_export(&s, SIZE, FLAGS);
	say_reply(&s, NBD_OPT_GO, NBD_REP_ACK, 0);
	run(&cfg);
	assert_int_equal(nbd_state(c), NBD_READY);
	assert_int_equal(s.sent, sizeof(want) - 1);
	assert_memory_equal(s.cli, want, sizeof(want) - 1);
}

static void info_strings_have_4096_bytes_at_most(void **state)
{
	static const uint16_t types[] = { NBD_INFO_NAME, NBD_INFO_DESCRIPTION };

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t len = NBD_STRING_MAX + i / 2;

		script_start(&s);
		say_greeting(&s, FIXED);
		say_reply(&s, NBD_OPT_GO, NBD_REP_INFO, len + 2);
		say(&s, types[i % 2], 2);
		say_fill(&s, 'x', len);
		say_info_export(&s, SIZE, FLAGS);
		say_reply(&s, NBD_OPT_GO, NBD_REP_ACK, 0);
		run(&go);
		assert_int_equal(nbd_error(c), i < 2 ? 0 : NBD_E_LENGTH);
	}
}

static void a_payload_without_limit_is_accepted(void **state)
{
	(void)state;
	say_greeting(&s, FIXED);
	say_info_block(&s, 512, 4096, UINT32_MAX);
	say_info_export(&s, SIZE, FLAGS);
	say_reply(&s, NBD_OPT_GO, NBD_REP_ACK, 0);
	run(&go);
	assert_int_equal(nbd_export(c)->max_payload, UINT32_MAX);
}

static void the_stage_names_what_is_awaited(void **state)
{
	static const struct nbd_config extra = { .extra = &nbd_structured };
	static const struct {
		const struct nbd_config *cfg;
		uint16_t flags;
		const char *stage;
	} t[] = {
		{ &go, FIXED, "NBD_OPT_GO" },
		{ &go, 0, "NBD_OPT_EXPORT_NAME" },
		{ &list, FIXED, "NBD_OPT_LIST" },
		{ &tls, FIXED, "NBD_OPT_STARTTLS" },
		{ &extra, FIXED, "NBD_OPT_STRUCTURED_REPLY" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		script_start(&s);
		run(t[i].cfg);
		assert_string_equal(nbd_stage(c), "the greeting");
		say_greeting(&s, t[i].flags);
		run(t[i].cfg);
		assert_string_equal(nbd_stage(c), t[i].stage);
	}
	script_start(&s);
	say_full_go();
	run(&go);
	assert_string_equal(nbd_stage(c), "the transmission phase");
	nbd_close(c);
	assert_string_equal(nbd_stage(c), "the goodbye");
}

static void names_over_the_limit_are_the_callers_fault(void **state)
{
	struct nbd_config cfg = { .name = "x", .name_len = NBD_STRING_MAX + 1 };

	(void)state;
	assert_fails(&cfg, NBD_E_PARAM);
}

static void every_error_has_a_text(void **state)
{
	(void)state;
	for (int e = NBD_E_LAST + 1; e <= 0; e++) {
		assert_true(nbd_err_text(e) && nbd_err_text(e)[0]);
		assert_non_null(nbd_err_hint(e));
	}
	assert_string_equal(nbd_err_text(-9999), nbd_err_text(NBD_E_IO));
	assert_string_equal(nbd_err_text(1), nbd_err_text(NBD_E_IO));
	assert_true(nbd_err_is_outage(NBD_E_REFUSED));
	assert_false(nbd_err_is_outage(NBD_E_NO_EXPORT));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(go_survives_every_split_and_reads_nothing_beyond),
		T(go_sends_flags_and_option_as_the_protocol_says),
		T(unknown_handshake_flags_are_not_echoed),
		T(every_cut_of_the_handshake_is_an_error),
		T(short_and_long_info_is_refused),
		T(ack_without_export_is_refused),
		T(ack_with_a_length_is_refused),
		T(replies_of_every_impossible_length_are_refused),
		T(replies_that_do_not_belong_are_refused),
		T(block_sizes_that_contradict_the_protocol_are_refused),
		T(sizes_above_2_to_the_63_are_refused),
		T(flags_without_has_flags_do_not_count),
		T(oldstyle_and_strangers_are_told_apart),
		T(every_error_reply_has_its_meaning_and_its_text),
		T(a_long_error_text_is_cut_and_consumed),
		T(an_answer_before_the_question_stays_unread),
		T(the_first_error_sticks_and_the_engine_is_inert),
		T(acks_beyond_the_window_break_the_contract),
		T(an_empty_name_is_the_default_export),
		T(info_strings_have_4096_bytes_at_most),
		T(a_payload_without_limit_is_accepted),
		T(the_stage_names_what_is_awaited),
		T(names_over_the_limit_are_the_callers_fault),
		T(every_error_has_a_text),
	};

	return cmocka_run_group_tests_name("handshake", tests, NULL, NULL);
}
