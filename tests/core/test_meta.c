/* SPDX-License-Identifier: BSD-2-Clause */
/* What is negotiated of replies and metadata contexts, and what refusals do. */
#include "tests/core/phase.h"

#define FIXED  (NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES)
#define SET    NBD_OPT_SET_META_CONTEXT
#define LIST   NBD_OPT_LIST_META_CONTEXT
#define SR     NBD_OPT_STRUCTURED_REPLY
#define EXT    NBD_OPT_EXTENDED_HEADERS
#define ERR(n) (NBD_REP_ERR | (n))

static struct nbd_config cfg;

static int setup(void **state)
{
	phase_setup(state);
	cfg = (struct nbd_config){ .name = "disk",
				   .name_len = 4,
				   .extra = &nbd_structured };
	script_start(&p.s);
	say_greeting(&p.s, FIXED);
	return 0;
}

static void run(void)
{
	p.s.fed = p.s.sent = 0;
	nbd_init(p.c, &cfg);
	play(&p.s, p.c);
}

static void say_ack(uint32_t opt)
{
	say_reply(&p.s, opt, NBD_REP_ACK, 0);
}

static void say_refusal(uint32_t opt, uint32_t type)
{
	say_reply(&p.s, opt, ERR(type), 4);
	say_bytes(&p.s, "no: ", 4);
}

static void say_go(void)
{
	say_info_text(&p.s, NBD_INFO_DESCRIPTION, "the root");
	say_info_export(&p.s, 4096, ALL_FLAGS);
	say_ack(NBD_OPT_GO);
}

static void assert_ready(enum nbd_replies replies, bool context)
{
	assert_int_equal(nbd_error(p.c), 0);
	assert_int_equal(nbd_state(p.c), NBD_READY);
	assert_int_equal(p.s.fed, p.s.n);
	assert_int_equal(nbd_replies(p.c), replies);
	assert_int_equal(nbd_has_context(p.c), context);
	assert_int_equal(nbd_name(p.c).len, 0);
	assert_int_equal(nbd_text(p.c).len, 8); /* "the root" */
}

static void assert_failed(int err)
{
	run();
	assert_int_equal(nbd_error(p.c), err);
	assert_int_equal(nbd_state(p.c), NBD_CLOSED);
}

static void the_options_are_sent_as_the_protocol_says(void **state)
{
	static const unsigned char want[] =
		"\0\0\0\3IHAVEOPT\0\0\0\10\0\0\0\0"
		"IHAVEOPT\0\0\0\12\0\0\0\37\0\0\0\4disk\0\0\0\1"
		"\0\0\0\17base:allocation"
		"IHAVEOPT\0\0\0\7\0\0\0\20\0\0\0\4disk";

	(void)state;
	say_ack(SR);
	say_context(SET, 7, "base:allocation");
	say_ack(SET);
	say_go();
	for (p.s.split = 0; p.s.split <= p.s.n; p.s.split++) {
		run();
		assert_ready(NBD_STRUCTURED, true);
		assert_memory_equal(p.s.cli, want, sizeof(want) - 1);
	}
	for (p.s.step = 1; p.s.step < 60; p.s.step++) {
		run();
		assert_ready(NBD_STRUCTURED, true);
	}
}

static void refusals_lead_to_simpler_replies(void **state)
{
	static const uint32_t harmless[] = { 1, 2, 3, 4, 6, 8, 9, 10, 77 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(harmless); i++) {
		for (int ext = 0; ext < 2; ext++) {
			script_start(&p.s);
			say_greeting(&p.s, FIXED);
			cfg.extra = ext ? &nbd_extended : &nbd_structured;
			if (ext)
				say_refusal(EXT, harmless[i]);
			say_refusal(SR, harmless[i]);
			say_go();
			run();
			assert_ready(NBD_SIMPLE, false);
		}
		script_start(&p.s);
		say_greeting(&p.s, FIXED);
		cfg.extra = &nbd_extended;
		say_refusal(EXT, harmless[i]);
		say_ack(SR);
		say_refusal(SET, harmless[i]);
		say_go();
		run();
		assert_ready(NBD_STRUCTURED, false);
	}
}

static void extended_headers_need_no_structured_replies(void **state)
{
	(void)state;
	cfg.extra = &nbd_extended;
	say_ack(EXT);
	say_context(SET, 7, "base:allocation");
	say_ack(SET);
	say_go();
	run();
	assert_ready(NBD_EXTENDED, true);
	assert_memory_equal(p.s.cli + 4, "IHAVEOPT\0\0\0\13\0\0\0\0", 16);
}

static void demands_for_tls_and_shutdowns_end_it(void **state)
{
	static const struct {
		uint32_t type;
		int err;
	} t[] = { { 5, NBD_E_TLS_REQD }, { 7, NBD_E_SHUTDOWN } };
	static const uint32_t opt[] = { EXT, SR, SET };

	(void)state;
	cfg.extra = &nbd_extended;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned o = 0; o < 3; o++) {
			script_start(&p.s);
			say_greeting(&p.s, FIXED);
			if (opt[o] != EXT)
				say_refusal(EXT, 1);
			if (opt[o] == SET)
				say_ack(SR);
			say_refusal(opt[o], t[i].type);
			assert_failed(t[i].err);
			assert_int_equal(nbd_text(p.c).len, 4);
		}
}

static void no_context_is_no_failure(void **state)
{
	(void)state;
	say_ack(SR);
	say_ack(SET);
	say_go();
	run();
	assert_ready(NBD_STRUCTURED, false);
}

static void an_error_after_a_context_takes_it_away(void **state)
{
	(void)state;
	say_ack(SR);
	say_context(SET, 7, "base:allocation");
	say_refusal(SET, 9);
	say_go();
	run();
	assert_ready(NBD_STRUCTURED, false);
}

static void another_context_of_any_name_can_be_asked_for(void **state)
{
	static char name[NBD_STRING_MAX + 1];

	(void)state;
	memset(name, 'q', NBD_STRING_MAX);
	cfg.context = name;
	for (cfg.context_len = 1; cfg.context_len <= NBD_STRING_MAX;
	     cfg.context_len += 1365) {
		memset(name, 'q', NBD_STRING_MAX);
		name[cfg.context_len] = '\0';
		script_start(&p.s);
		say_greeting(&p.s, FIXED);
		say_ack(SR);
		say_context(SET, 7, name);
		say_ack(SET);
		say_go();
		run();
		assert_ready(NBD_STRUCTURED, true);
	}
}

static void contexts_that_were_not_asked_for_are_refused(void **state)
{
	static const char *const name[] = { "", "base:allocatio",
					    "base:allocation2",
					    "base:allocatiom",
					    "Base:allocation" };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(name); i++) {
		script_start(&p.s);
		say_greeting(&p.s, FIXED);
		say_ack(SR);
		say_context(SET, 7, name[i]);
		say_ack(SET);
		say_go();
		assert_failed(NBD_E_PROTOCOL);
	}
	script_start(&p.s);
	say_greeting(&p.s, FIXED);
	say_ack(SR);
	say_context(SET, 7, "base:allocation");
	say_context(SET, 8, "base:allocation");
	assert_failed(NBD_E_PROTOCOL);
}

static void lengths_of_contexts_are_checked(void **state)
{
	static const struct {
		uint32_t len;
		int err;
	} t[] = { { 0, NBD_E_LENGTH },	   { 3, NBD_E_LENGTH },
		  { 4, NBD_E_PROTOCOL },   { 4101, NBD_E_LENGTH },
		  { 65537, NBD_E_LENGTH }, { ~0u, NBD_E_LENGTH } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(t); i++) {
		script_start(&p.s);
		say_greeting(&p.s, FIXED);
		say_ack(SR);
		say_reply(&p.s, SET, NBD_REP_META_CONTEXT, t[i].len);
		say_fill(&p.s, 'b', 8192);
		assert_failed(t[i].err);
	}
}

static void replies_that_do_not_belong_are_refused(void **state)
{
	static const struct {
		uint32_t opt, type, len;
		int err;
	} t[] = {
		{ SR, NBD_REP_META_CONTEXT, 4, NBD_E_PROTOCOL },
		{ SR, NBD_REP_INFO, 12, NBD_E_PROTOCOL },
		{ SR, NBD_REP_SERVER, 4, NBD_E_PROTOCOL },
		{ SR, NBD_REP_ACK, 1, NBD_E_LENGTH },
		{ SET, NBD_REP_ACK, 0, NBD_E_PROTOCOL },
		{ NBD_OPT_GO, NBD_REP_ACK, 0, NBD_E_PROTOCOL },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(t); i++) {
		script_start(&p.s);
		say_greeting(&p.s, FIXED);
		say_reply(&p.s, t[i].opt, t[i].type, t[i].len);
		say_fill(&p.s, 0, 32);
		assert_failed(t[i].err);
	}
	cfg.extra = &nbd_extended;
	script_start(&p.s);
	say_greeting(&p.s, FIXED);
	say_context(EXT, 7, "base:allocation");
	assert_failed(NBD_E_PROTOCOL);
}

/* A client with extended headers must not use it. */
static void export_name_is_no_way_out_of_extended_headers(void **state)
{
	(void)state;
	cfg.extra = &nbd_extended;
	say_ack(EXT);
	say_ack(SET);
	say_refusal(NBD_OPT_GO, 1);
	assert_failed(NBD_E_UNSUP);
}

static void old_servers_are_asked_for_nothing(void **state)
{
	(void)state;
	script_start(&p.s);
	say_greeting(&p.s, 0); /* not fixed */
	say(&p.s, 4096, 8);
	say(&p.s, ALL_FLAGS, 2);
	say_fill(&p.s, 0, 124);
	run();
	assert_int_equal(nbd_state(p.c), NBD_READY);
	assert_int_equal(nbd_replies(p.c), NBD_SIMPLE);
	assert_int_equal(be32(p.s.cli + 12), NBD_OPT_EXPORT_NAME);
}

static void what_was_agreed_in_the_clear_is_asked_again_in_tls(void **state)
{
	(void)state;
	cfg.tls = true;
	say_ack(NBD_OPT_STARTTLS);
	run();
	assert_int_equal(nbd_state(p.c), NBD_TLS);
	script_start(&p.s);
	say_ack(SR);
	say_context(SET, 7, "base:allocation");
	say_ack(SET);
	say_go();
	nbd_tls_done(p.c);
	play(&p.s, p.c);
	assert_ready(NBD_STRUCTURED, true);
}

static void a_list_of_exports_needs_none_of_it(void **state)
{
	(void)state;
	cfg.goal = NBD_GOAL_LIST;
	say_item(&p.s, "a", "");
	run();
	assert_int_equal(nbd_state(p.c), NBD_ITEM);
	assert_int_equal(be32(p.s.cli + 12), NBD_OPT_LIST);
}

static void assert_item(const char *name)
{
	assert_int_equal(nbd_state(p.c), NBD_ITEM);
	assert_int_equal(nbd_name(p.c).len, strlen(name));
	assert_memory_equal(nbd_name(p.c).p, name, strlen(name));
	assert_int_equal(nbd_text(p.c).len, 0);
	nbd_next(p.c);
	play(&p.s, p.c);
}

static void contexts_are_listed_one_by_one(void **state)
{
	static const unsigned char all[] =
		"IHAVEOPT\0\0\0\11\0\0\0\14\0\0\0\4disk\0\0\0\0";
	static const unsigned char some[] =
		"IHAVEOPT\0\0\0\11\0\0\0\25\0\0\0\4disk\0\0\0\1\0\0\0\5base:";

	(void)state;
	cfg.goal = NBD_GOAL_CONTEXTS;
	say_ack(SR);
	say_context(LIST, 0, "base:allocation");
	say_context(LIST, 0, "qemu:");
	say_ack(LIST);
	for (p.s.split = 0; p.s.split <= p.s.n; p.s.split++) {
		run();
		assert_memory_equal(p.s.cli + 20, all, sizeof(all) - 1);
		assert_item("base:allocation");
		assert_item("qemu:");
		assert_int_equal(nbd_state(p.c), NBD_LISTED);
	}
	cfg.context = "base:";
	cfg.context_len = 5;
	run();
	assert_memory_equal(p.s.cli + 20, some, sizeof(some) - 1);
	nbd_close(p.c);
	p.s.sent = 0;
	hear(&p.s, p.c);
	assert_int_equal(p.s.sent, 16);
	assert_int_equal(be32(p.s.cli + 8), NBD_OPT_ABORT);
}

static void contexts_that_cannot_be_listed_are_a_failure(void **state)
{
	(void)state;
	cfg.goal = NBD_GOAL_CONTEXTS;
	say_refusal(SR, 1);
	assert_failed(NBD_E_UNSUP);

	script_start(&p.s);
	say_greeting(&p.s, FIXED);
	say_ack(SR);
	say_refusal(LIST, 6);
	assert_failed(NBD_E_NO_EXPORT);

	script_start(&p.s);
	say_greeting(&p.s, 0);
	assert_failed(NBD_E_NOT_FIXED);

	cfg.extra = NULL;
	assert_failed(NBD_E_PARAM);
	cfg.extra = &nbd_structured;
	cfg.context_len = NBD_STRING_MAX + 1;
	assert_failed(NBD_E_PARAM);
}

static void an_ack_of_extended_headers_has_no_data(void **state)
{
	(void)state;
	cfg.extra = &nbd_extended;
	say_reply(&p.s, EXT, NBD_REP_ACK, 4);
	say_fill(&p.s, 0, 4);
	run();
	assert_int_equal(nbd_error(p.c), NBD_E_PROTOCOL);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, phase_teardown)
	static const struct CMUnitTest tests[] = {
		T(the_options_are_sent_as_the_protocol_says),
		T(refusals_lead_to_simpler_replies),
		T(extended_headers_need_no_structured_replies),
		T(demands_for_tls_and_shutdowns_end_it),
		T(no_context_is_no_failure),
		T(an_error_after_a_context_takes_it_away),
		T(another_context_of_any_name_can_be_asked_for),
		T(contexts_that_were_not_asked_for_are_refused),
		T(lengths_of_contexts_are_checked),
		T(replies_that_do_not_belong_are_refused),
		T(export_name_is_no_way_out_of_extended_headers),
		T(an_ack_of_extended_headers_has_no_data),
		T(old_servers_are_asked_for_nothing),
		T(what_was_agreed_in_the_clear_is_asked_again_in_tls),
		T(a_list_of_exports_needs_none_of_it),
		T(contexts_are_listed_one_by_one),
		T(contexts_that_cannot_be_listed_are_a_failure),
	};

	return cmocka_run_group_tests_name("meta", tests, NULL, NULL);
}
