/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client whose end is flush against an unreadable page, and the scripted
 * server that it shakes hands with.
 */
#ifndef TESTS_CORE_HANDSHAKE_H
#define TESTS_CORE_HANDSHAKE_H

#include "tests/core/script.h"
#include "tests/guard.h"

#define FIXED	  NBD_FLAG_FIXED_NEWSTYLE
#define NO_ZEROES NBD_FLAG_NO_ZEROES
#define SIZE	  0x0123456789abcdefu
#define FLAGS	  (NBD_FLAG_HAS_FLAGS | NBD_FLAG_SEND_FLUSH)

static const struct nbd_config go = { .name = "disk", .name_len = 4 };
static const struct nbd_config list
	__attribute__((unused)) = { .goal = NBD_GOAL_LIST };
static const struct nbd_config tls __attribute__((
	unused)) = { .name = "disk", .name_len = 4, .tls = true };

static struct script s;
static struct guard guard;
static struct nbd_client *c; /* its end is flush against an unreadable page */

static inline int setup(void **state)
{
	(void)state;
	guard = guard_new(sizeof(*c));
	c = guard_end(&guard, sizeof(*c));
	script_start(&s);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	guard_free(&guard);
	return 0;
}

static inline void run(const struct nbd_config *cfg)
{
	s.fed = s.sent = 0;
	nbd_init(c, cfg);
	assert_ptr_equal(nbd_config(c), cfg);
	play(&s, c);
}

static inline void assert_fails(const struct nbd_config *cfg, int err)
{
	run(cfg);
	assert_int_equal(nbd_state(c), NBD_CLOSED);
	assert_int_equal(nbd_error(c), err);
}

static inline void assert_text(struct nbd_text t, const char *want)
{
	assert_int_equal(t.len, strlen(want));
	assert_memory_equal(t.p, want, t.len);
	assert_false(t.cut);
}

static inline void say_full_go(void)
{
	say_greeting(&s, FIXED | NO_ZEROES);
	say_info_block(&s, 512, 4096, 1 << 25);
	say_info_text(&s, NBD_INFO_NAME, "disk0");
	say_info_text(&s, NBD_INFO_DESCRIPTION, "the root");
	say_info_text(&s, 77, "from the future");
	say_info_export(&s, SIZE, FLAGS);
	say_reply(&s, NBD_OPT_GO, NBD_REP_ACK, 0);
}

static inline void assert_full_go(size_t end)
{
	const struct nbd_export *e = nbd_export(c);

	assert_int_equal(nbd_error(c), 0);
	assert_int_equal(nbd_state(c), NBD_READY);
	assert_int_equal(s.fed, end);
	assert_non_null(e);
	assert_true(e->size == SIZE && e->flags == FLAGS && e->has_block);
	assert_int_equal(e->min_block, 512);
	assert_int_equal(e->pref_block, 4096);
	assert_int_equal(e->max_payload, 1 << 25);
	assert_text(nbd_name(c), "disk0");
	assert_text(nbd_text(c), "the root");
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
