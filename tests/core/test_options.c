/* SPDX-License-Identifier: BSD-2-Clause */
/* EXPORT_NAME, LIST, STARTTLS and the goodbye. */
#include "tests/core/handshake.h"

/* S1: NO_ZEROES of the handshake is bit 1, and so is READ_ONLY. */
static void export_name_zeroes_follow_the_handshake_flag(void **state)
{
	static const struct {
		uint16_t hello, export;
		size_t zeroes;
	} t[] = {
		{ FIXED, NBD_FLAG_HAS_FLAGS | NBD_FLAG_READ_ONLY, 124 },
		{ FIXED, NBD_FLAG_HAS_FLAGS, 124 },
		{ FIXED | NO_ZEROES, NBD_FLAG_HAS_FLAGS, 0 },
		{ FIXED | NO_ZEROES, NBD_FLAG_HAS_FLAGS | NBD_FLAG_READ_ONLY,
		  0 },
	};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		size_t end;

		script_start(&s);
		say_greeting(&s, t[i].hello);
		say_reply(&s, NBD_OPT_GO, NBD_REP_ERR | 1, 5);
		say_bytes(&s, "never", 5);
		say(&s, SIZE, 8);
		say(&s, t[i].export, 2);
		say_fill(&s, 0, t[i].zeroes);
		end = s.n;
		say_fill(&s, 0xa5, 200);
		for (s.step = 1; s.step < 150; s.step++) {
			run(&go);
			assert_int_equal(nbd_state(c), NBD_READY);
			assert_int_equal(s.fed, end);
			assert_int_equal(nbd_export(c)->flags, t[i].export);
			assert_text(nbd_text(c), "");
		}
	}
}

static void newstyle_that_is_not_fixed_gets_export_name_alone(void **state)
{
	static const unsigned char want[] = "\0\0\0\2"
					    "IHAVEOPT\0\0\0\1\0\0\0\4disk";

	(void)state;
	/* nbdkit --mask-handshake=2: the two flags do not need each other */
	say_greeting(&s, NO_ZEROES);
	say(&s, SIZE, 8);
	say(&s, FLAGS, 2);
	run(&go);
	assert_int_equal(nbd_state(c), NBD_READY);
	assert_int_equal(s.fed, s.n);
	assert_int_equal(s.sent, sizeof(want) - 1);
	assert_memory_equal(s.cli, want, sizeof(want) - 1);
}

static void closing_at_export_name_means_no_such_export(void **state)
{
	(void)state;
	say_greeting(&s, 0);
	run(&go);
	nbd_transport_error(c, 0);
	assert_int_equal(nbd_error(c), NBD_E_NO_EXPORT);

	script_start(&s);
	say_greeting(&s, 0);
	say(&s, 0, 3);
	run(&go);
	nbd_transport_error(c, 0);
	assert_int_equal(nbd_error(c), NBD_E_CUT);
}

static void a_list_stops_at_each_entry(void **state)
{
	(void)state;
	say_greeting(&s, FIXED);
	say_item(&s, "", "the default");
	say_item(&s, "b", "");
	say_reply(&s, NBD_OPT_LIST, NBD_REP_ACK, 0);
	for (s.split = 0; s.split <= s.n; s.split++) {
		run(&list);
		assert_int_equal(nbd_state(c), NBD_ITEM);
		assert_text(nbd_name(c), "");
		assert_text(nbd_text(c), "the default");
		nbd_next(c);
		play(&s, c);
		assert_int_equal(nbd_state(c), NBD_ITEM);
		assert_text(nbd_name(c), "b");
		assert_text(nbd_text(c), "");
		nbd_next(c);
		play(&s, c);
		assert_int_equal(nbd_state(c), NBD_LISTED);
	}
}

static void lengths_in_a_list_entry_are_checked_before_use(void **state)
{
	static const struct {
		uint32_t reply, name;
		size_t taken; /* bytes of the entry, none beyond it */
	} t[] = {
		{ 0, 0, 0 },	      { 3, 0, 0 },
		{ 4, 1, 4 },	      { 8, 5, 4 },
		{ 8, 0xfffffffc, 4 }, { 8, 0xffffffff, 4 },
		{ 8, 0x80000000, 4 }, { 60000, 4097, 4 },
		{ 4101, 0, 4 },	      { 8196, 4095, 4 + 4095 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		script_start(&s);
		say_greeting(&s, FIXED);
		say_reply(&s, NBD_OPT_LIST, NBD_REP_SERVER, t[i].reply);
		say(&s, t[i].name, 4);
		say_fill(&s, 'n', 9000);
		assert_fails(&list, NBD_E_LENGTH);
		assert_int_equal(s.fed, 18 + 20 + t[i].taken);
	}
}

static void the_longest_legal_entry_is_taken(void **state)
{
	(void)state;
	say_greeting(&s, FIXED);
	say_reply(&s, NBD_OPT_LIST, NBD_REP_SERVER, 4 + 2 * NBD_STRING_MAX);
	say(&s, NBD_STRING_MAX, 4);
	say_fill(&s, 'n', NBD_STRING_MAX);
	say_fill(&s, 'd', NBD_STRING_MAX);
	run(&list);
	assert_int_equal(nbd_state(c), NBD_ITEM);
	assert_int_equal(nbd_name(c).len, CONFIG_CORE_TEXT_MAX);
	assert_int_equal(nbd_text(c).p[CONFIG_CORE_TEXT_MAX - 1], 'd');
	assert_int_equal(s.fed, s.n);
}

static void a_list_needs_fixed_newstyle(void **state)
{
	(void)state;
	say_greeting(&s, NO_ZEROES);
	assert_fails(&list, NBD_E_NOT_FIXED);
}

static void goodbye_is_disc_or_abort(void **state)
{
	static const unsigned char disc[28] = "\x25\x60\x95\x13\0\0\0\2";
	static const unsigned char abort[16] = "IHAVEOPT\0\0\0\2";

	(void)state;
	say_full_go();
	run(&go);
	s.sent = 0;
	nbd_close(c);
	assert_int_equal(nbd_state(c), NBD_SEND);
	hear(&s, c);
	assert_int_equal(s.sent, 28);
	assert_memory_equal(s.cli, disc, 28);
	assert_int_equal(nbd_state(c), NBD_CLOSED);
	assert_int_equal(nbd_error(c), 0);

	script_start(&s);
	say_greeting(&s, FIXED);
	say_reply(&s, NBD_OPT_LIST, NBD_REP_ACK, 0);
	run(&list);
	s.sent = 0;
	nbd_close(c);
	hear(&s, c);
	assert_int_equal(s.sent, 16);
	assert_memory_equal(s.cli, abort, 16);
	assert_int_equal(nbd_state(c), NBD_CLOSED);
}

static void tls_is_asked_for_before_anything_else(void **state)
{
	static const unsigned char want[] = "\0\0\0\1IHAVEOPT\0\0\0\5\0\0\0\0";

	(void)state;
	say_greeting(&s, FIXED);
	say_reply(&s, NBD_OPT_STARTTLS, NBD_REP_ACK, 0);
	say_bytes(&s, "injected", 8);
	run(&tls);
	assert_int_equal(nbd_state(c), NBD_TLS);
	assert_int_equal(s.n - s.fed, 8);
	assert_int_equal(s.sent, sizeof(want) - 1);
	assert_memory_equal(s.cli, want, sizeof(want) - 1);

	/* inside TLS all begins again */
	script_start(&s);
	say_info_export(&s, SIZE, FLAGS);
	say_reply(&s, NBD_OPT_GO, NBD_REP_ACK, 0);
	nbd_tls_done(c);
	play(&s, c);
	assert_int_equal(nbd_state(c), NBD_READY);
	assert_memory_equal(s.cli, "IHAVEOPT\0\0\0\7", 12);
}

static void nothing_turns_a_demand_for_tls_into_plaintext(void **state)
{
	(void)state;
	for (uint32_t type = 0; type < 12; type++) {
		script_start(&s);
		say_greeting(&s, FIXED);
		say_reply(&s, NBD_OPT_STARTTLS, NBD_REP_ERR | type, 0);
		say_info_export(&s, SIZE, FLAGS);
		/* it has TLS, and will be back */
		assert_fails(&tls, type == 7 ? NBD_E_SHUTDOWN : NBD_E_NO_TLS);
		assert_int_equal(s.sent, 20);
	}
	script_start(&s);
	say_greeting(&s, NO_ZEROES);
	assert_fails(&tls, NBD_E_NO_TLS);
	assert_int_equal(s.sent, 0);

	script_start(&s);
	say(&s, NBD_MAGIC, 8);
	say(&s, NBD_OLDSTYLE, 8);
	assert_fails(&tls, NBD_E_NO_TLS);
	assert_int_equal(s.sent, 0);
}

/* ---- a server that ends the connection at an option ---- */

static const struct nbd_config extended = { .tls = true,
					    .extra = &nbd_extended };
static const struct nbd_config structured = { .extra = &nbd_structured };
static const struct nbd_config contexts = { .goal = NBD_GOAL_CONTEXTS,
					    .extra = &nbd_structured };

static struct nbd_config less;

/* Ends the connection of cfg where the script ends. */
static bool is_less(const struct nbd_config *cfg)
{
	run(cfg);
	if (nbd_state(c) & NBD_TLS) {
		nbd_tls_done(c);
		play(&s, c);
	}
	nbd_transport_error(c, 0);
	return nbd_less(c, &less);
}

static void the_next_connection_leaves_out_the_option(void **state)
{
	(void)state;
	say_greeting(&s, FIXED);
	say_reply(&s, NBD_OPT_STARTTLS, NBD_REP_ACK, 0);
	assert_true(is_less(&extended));
	assert_string_equal(nbd_stage(c), "NBD_OPT_EXTENDED_HEADERS");
	assert_true(nbd_is_extra(c));
	assert_ptr_equal(less.extra, &nbd_structured);

	say_reply(&s, NBD_OPT_EXTENDED_HEADERS, NBD_REP_ERR | 1, 0);
	assert_true(is_less(&extended));
	assert_string_equal(nbd_stage(c), "NBD_OPT_STRUCTURED_REPLY");
	assert_null(less.extra);

	say_reply(&s, NBD_OPT_STRUCTURED_REPLY, NBD_REP_ACK, 0);
	assert_true(is_less(&extended));
	assert_string_equal(nbd_stage(c), "NBD_OPT_SET_META_CONTEXT");
	assert_null(less.extra);

	say_reply(&s, NBD_OPT_SET_META_CONTEXT, NBD_REP_ERR | 1, 0);
	assert_true(is_less(&extended));
	assert_string_equal(nbd_stage(c), "NBD_OPT_GO");
	assert_false(nbd_is_extra(c));
	/* never without TLS */
	assert_true(less.no_go && less.tls);
}

/* nbd-server 3.13 takes the data of the options that it refuses for others. */
static void a_server_that_ends_it_after_go_gets_export_name_alone(void **state)
{
	static const unsigned char want[] = "\0\0\0\1"
					    "IHAVEOPT\0\0\0\1\0\0\0\4disk";

	(void)state;
	say_greeting(&s, FIXED);
	say_reply(&s, NBD_OPT_GO, NBD_REP_ERR | 1, 0);
	assert_true(is_less(&go));
	assert_true(less.no_go);
	script_start(&s);
	say_greeting(&s, FIXED);
	less.extra = &nbd_structured;
	run(&less);
	assert_int_equal(s.sent, sizeof(want) - 1);
	assert_memory_equal(s.cli, want, sizeof(want) - 1);
	say(&s, SIZE, 8);
	say(&s, FLAGS, 2);
	say_fill(&s, 0, 124);
	run(&less);
	assert_int_equal(nbd_state(c), NBD_READY);
}

/* Not an option's fault, though one for replies is the first after TLS. */
static void tls_does_not_fail_for_the_sake_of_an_option(void **state)
{
	static const int errors[] = { NBD_E_CLIENT_CERT, NBD_E_PSK, NBD_E_TLS,
				      NBD_E_INTERRUPTED };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(errors); i++) {
		script_start(&s);
		say_greeting(&s, FIXED);
		run(&structured);
		nbd_transport_error(c, errors[i]);
		assert_int_equal(nbd_error(c), errors[i]);
		assert_false(nbd_is_extra(c));
	}
	script_start(&s);
	say_greeting(&s, FIXED);
	say_reply(&s, NBD_OPT_STRUCTURED_REPLY, NBD_REP_ERR | 5, 0);
	run(&structured);
	assert_int_equal(nbd_error(c), NBD_E_TLS_REQD);
	assert_false(nbd_is_extra(c));
}

static void nothing_else_is_left_out(void **state)
{
	const struct nbd_config *const cfgs[] = { &go, &list, &tls, &extended,
						  &structured };

	(void)state;
	/* at the greeting */
	for (unsigned i = 0; i < ARRAY_SIZE(cfgs); i++)
		assert_false(is_less(cfgs[i]));
	say_greeting(&s, FIXED);
	assert_false(is_less(&list));
	assert_false(is_less(&tls));
	assert_false(is_less(&contexts));
	/* an answer is no end */
	say_reply(&s, NBD_OPT_GO, NBD_REP_ERR_UNKNOWN, 0);
	assert_false(is_less(&go));
	/* and EXPORT_NAME alone is the least */
	less = go;
	less.no_go = true;
	s.n = 18;
	run(&less);
	nbd_transport_error(c, 0);
	assert_int_equal(nbd_error(c), NBD_E_NO_EXPORT);
	assert_false(nbd_less(c, &(struct nbd_config){ 0 }));
	script_start(&s);
	say_greeting(&s, 0);
	assert_false(is_less(&go));
	script_start(&s);
	say_full_go();
	assert_false(is_less(&go));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(export_name_zeroes_follow_the_handshake_flag),
		T(newstyle_that_is_not_fixed_gets_export_name_alone),
		T(closing_at_export_name_means_no_such_export),
		T(a_list_stops_at_each_entry),
		T(lengths_in_a_list_entry_are_checked_before_use),
		T(the_longest_legal_entry_is_taken),
		T(a_list_needs_fixed_newstyle),
		T(goodbye_is_disc_or_abort),
		T(tls_is_asked_for_before_anything_else),
		T(nothing_turns_a_demand_for_tls_into_plaintext),
		T(the_next_connection_leaves_out_the_option),
		T(a_server_that_ends_it_after_go_gets_export_name_alone),
		T(tls_does_not_fail_for_the_sake_of_an_option),
		T(nothing_else_is_left_out),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
