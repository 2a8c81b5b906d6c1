/* SPDX-License-Identifier: BSD-2-Clause */
/* The netlink codec at the edges of its memory, and the exchange. */
#include "port/linux/netlink.h"
#include "tests/port/pair.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <cmocka.h>

#define PAGE 65536

static long limit = -1; /* s for an answer; the kernel gets 10 ms */

int __real_setsockopt(int fd, int level, int name, const void *p, socklen_t n);
int __wrap_setsockopt(int fd, int level, int name, const void *p, socklen_t n);
int __wrap_setsockopt(int fd, int level, int name, const void *p, socklen_t n)
{
	const struct timeval soon = { 0, 10000 };

	if (level != SOL_SOCKET || name != SO_RCVTIMEO)
		return __real_setsockopt(fd, level, name, p, n);
	limit = ((const struct timeval *)p)->tv_sec;
	return __real_setsockopt(fd, level, name, &soon, sizeof(soon));
}

static unsigned char *edge; /* the first byte of an unreadable page */

/* A copy that ends flush against the unreadable page. */
static unsigned char *flush(const void *p, size_t len)
{
	return memcpy(edge - len, p, len);
}

static int map_edge(void **state)
{
	unsigned char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	if (p == MAP_FAILED || mprotect(p + PAGE, PAGE, PROT_NONE) < 0)
		return -1;
	edge = p + PAGE;
	return 0;
}

/* What the kernel answers to a question for a family, with two groups. */
static size_t family_reply(void *buf, size_t cap)
{
	const struct genlmsghdr g = { .cmd = CTRL_CMD_NEWFAMILY };
	const uint16_t id = 0x1234;
	size_t all, one;
	struct nl_msg m;

	nl_begin(&m, buf, cap, GENL_ID_CTRL, 0, &g, sizeof(g));
	nl_put_str(&m, CTRL_ATTR_FAMILY_NAME, "nbd");
	nl_put(&m, CTRL_ATTR_FAMILY_ID, &id, sizeof(id));
	all = nl_nest(&m, CTRL_ATTR_MCAST_GROUPS);
	for (unsigned i = 0; i < 2; i++) {
		one = nl_nest(&m, i + 1);
		nl_put_u32(&m, CTRL_ATTR_MCAST_GRP_ID, 7 + i);
		nl_put_str(&m, CTRL_ATTR_MCAST_GRP_NAME,
			   i ? "nbd_mc_group" : "other");
		nl_nest_end(&m, one);
	}
	nl_nest_end(&m, all);
	return nl_finish(&m, 1) < 0 ? 0 : m.len;
}

static void a_message_never_grows_past_its_buffer(void **state)
{
	unsigned char buf[256];
	size_t need = family_reply(buf, sizeof(buf));

	(void)state;
	assert_true(need > 0);
	for (size_t cap = 0; cap <= need; cap++)
		assert_int_equal(family_reply(edge - cap, cap),
				 cap == need ? need : 0);
}

static void an_attribute_too_long_for_its_length_field_is_refused(void **state)
{
	static unsigned char buf[4 * PAGE], big[2 * PAGE];
	struct nl_msg m;
	size_t nest;

	(void)state;
	nl_begin(&m, buf, sizeof(buf), 1, 0, "", 0);
	nl_put(&m, 1, big, 0xffff - 4);
	assert_int_equal(nl_finish(&m, 1), 0);
	nl_put(&m, 1, big, 0xffff - 3);
	assert_int_equal(nl_finish(&m, 1), NBD_E_NO_MEMORY);
	nl_begin(&m, buf, sizeof(buf), 1, 0, "", 0);
	nest = nl_nest(&m, 1);
	nl_put(&m, 1, big, 40000);
	nl_put(&m, 1, big, 40000);
	nl_nest_end(&m, nest);
	assert_int_equal(nl_finish(&m, 1), NBD_E_NO_MEMORY);
}

static void what_was_put_is_found(void **state)
{
	uint64_t v64 = 0x1122334455667788, got;
	unsigned char buf[128];
	struct nl_msg m;
	struct nl_walk w;
	struct nl_reply r;
	struct nl_attr a, b;
	char text[8];
	size_t nest;

	(void)state;
	nl_begin(&m, buf, sizeof(buf), 42, NLM_F_ACK, "head", 4);
	nl_put_u64(&m, 1, v64);
	nest = nl_nest(&m, 2);
	nl_put_str(&m, 3, "ab");
	nl_put_u32(&m, 4, 99);
	nl_nest_end(&m, nest);
	assert_int_equal(nl_finish(&m, 77), 0);
	w = (struct nl_walk){ buf, m.len };
	assert_true(nl_next_msg(&w, &r));
	assert_int_equal(r.type, 42);
	assert_int_equal(r.flags, NLM_F_ACK | NLM_F_REQUEST);
	assert_int_equal(r.seq, 77);
	assert_true(nl_find(r.data, r.len, 4, 1, &a));
	assert_int_equal(a.len, 8);
	memcpy(&got, a.data, 8);
	assert_true(got == v64);
	assert_true(nl_find(r.data, r.len, 4, 2, &a));
	assert_true(nl_find(a.data, a.len, 0, 3, &b));
	nl_str(&b, text, sizeof(text));
	assert_string_equal(text, "ab");
	assert_true(nl_find(a.data, a.len, 0, 4, &b));
	assert_int_equal(nl_num(&b), 99);
	assert_false(nl_find(r.data, r.len, 4, 5, &a));
	assert_false(nl_next_msg(&w, &r));
}

/* Touches every byte that the walk hands out; how many attributes. */
static unsigned walk_all(const unsigned char *p, size_t len, unsigned depth)
{
	struct nl_walk w = { p, len };
	struct nl_attr a;
	unsigned n = 0;
	volatile unsigned sum = 0;
	char text[4];

	while (nl_next(&w, &a)) {
		n++;
		for (size_t i = 0; i < a.len; i++)
			sum = sum + a.data[i];
		nl_num(&a);
		nl_str(&a, text, sizeof(text));
		if (depth)
			n += walk_all(a.data, a.len, depth - 1);
	}
	return n;
}

static void every_truncation_of_a_reply_is_walked_safely(void **state)
{
	unsigned char buf[256];
	size_t len = family_reply(buf, sizeof(buf));
	struct nl_reply r;
	struct nl_walk w;

	(void)state;
	for (size_t n = 0; n <= len; n++) {
		/* a datagram that was cut */
		w = (struct nl_walk){ flush(buf, n), n };
		assert_int_equal(nl_next_msg(&w, &r), n == len);
		/* and a message that says it is that short */
		if (n >= 20)
			walk_all(flush(buf + 20, n - 20), n - 20, 3);
	}
	assert_true(walk_all(buf + 20, len - 20, 3) >= 9);
}

static void every_length_an_attribute_can_claim_is_checked(void **state)
{
	unsigned char *p = edge - 12;
	struct nl_walk w;
	struct nl_attr a;

	(void)state;
	for (unsigned n = 0; n <= 0xffff; n++) {
		uint16_t len = (uint16_t)n;

		memset(p, 0, 12);
		memcpy(p, &len, 2);
		w = (struct nl_walk){ p, 12 };
		assert_int_equal(nl_next(&w, &a), n >= 4 && n <= 12);
		if (n >= 4 && n <= 12) {
			assert_int_equal(a.len, n - 4);
			assert_ptr_equal(a.data, p + 4);
			assert_int_equal(w.left, 12 - ((n + 3) & ~3u));
		}
	}
}

static void hostile_message_lengths_end_the_walk(void **state)
{
	static const uint32_t bad[] = { 0,	    1,		15,	   25,
					0x7fffffff, 0xfffffffd, 0xffffffff };
	unsigned char *p = edge - 24;
	struct nl_reply r;
	struct nl_walk w;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memset(p, 0, 24);
		memcpy(p, &bad[i], 4);
		w = (struct nl_walk){ p, 24 };
		assert_false(nl_next_msg(&w, &r));
	}
}

static void the_last_padding_may_be_missing(void **state)
{
	const unsigned char one[] = { 5, 0, 1, 0, 'x' };
	unsigned char *p = edge - 5;
	uint16_t len = 5, type = 1;
	struct nl_walk w = { p, 5 };
	struct nl_attr a;

	(void)state;
	memcpy(p, one, 5);
	memcpy(p, &len, 2);
	memcpy(p + 2, &type, 2);
	assert_true(nl_next(&w, &a));
	assert_int_equal(a.data[0], 'x');
	assert_false(nl_next(&w, &a));
}

static void strings_end_at_their_nul_their_length_or_the_buffer(void **state)
{
	struct nl_attr a = { 1, flush("abcd", 4), 4 };
	char text[8], small[3];

	(void)state;
	nl_str(&a, text, sizeof(text));
	assert_string_equal(text, "abcd");
	nl_str(&a, small, sizeof(small));
	assert_string_equal(small, "ab");
	a.len = 0;
	nl_str(&a, text, sizeof(text));
	assert_string_equal(text, "");
	a = (struct nl_attr){ 1, flush("a\0cd", 4), 4 };
	nl_str(&a, text, sizeof(text));
	assert_string_equal(text, "a");
}

/* ---- the exchange: the other end of a socket pair plays the kernel ---- */

/*
 * NLMSG_ERROR for the request seq: the errno, its copy with body bytes of
 * the request's payload behind the header, and the words.
 */
static size_t error_reply(unsigned char *buf, size_t cap, uint32_t seq, int err,
			  size_t body, const char *words)
{
	unsigned char head[20 + 32] = { 0 };
	struct nlmsghdr req = { .nlmsg_len = (uint32_t)(16 + body) };
	unsigned flags = words ? NLM_F_ACK_TLVS : 0;
	struct nl_msg m;

	memcpy(head, &err, 4);
	memcpy(head + 4, &req, 16);
	if (!body) {
		flags |= NLM_F_CAPPED;
		req.nlmsg_len = 4000; /* of the request, whose copy was cut */
		memcpy(head + 4, &req, 16);
	}
	nl_begin(&m, buf, cap, NLMSG_ERROR, flags, head, 20 + body);
	if (words)
		nl_put_str(&m, NLMSGERR_ATTR_MSG, words);
	assert_int_equal(nl_finish(&m, seq), 0);
	return m.len;
}

static void say(uint32_t seq, int err, size_t body, const char *words)
{
	unsigned char buf[512];
	size_t len = error_reply(buf, sizeof(buf), seq, err, body, words);

	assert_int_equal(send(kernel, buf, len, 0), len);
}

static int talk(void (*fn)(void *ctx, const struct nl_reply *r), void *ctx)
{
	unsigned char buf[64];
	struct nl_msg m;

	nl_begin(&m, buf, sizeof(buf), 99, NLM_F_ACK, "head", 4);
	return nl_talk(&sock, &m, fn, ctx, "try it", &diag);
}

static void an_acknowledged_request_succeeds(void **state)
{
	unsigned char buf[64];
	struct nlmsghdr h;

	(void)state;
	say(1, 0, 0, NULL);
	assert_int_equal(talk(NULL, NULL), 0);
	assert_int_equal(recv(kernel, buf, sizeof(buf), 0), 20);
	memcpy(&h, buf, sizeof(h));
	assert_int_equal(h.nlmsg_len, 20);
	assert_int_equal(h.nlmsg_seq, 1);
	assert_string_equal(diag.text, "");
}

/* The kernel ignores a message that wants no answer. */
static void an_answer_that_never_comes_is_not_awaited_for_ever(void **state)
{
	unsigned char buf[64];
	struct nl_sock s;
	struct nl_msg m;

	(void)state;
	assert_int_equal(nl_open(&s, NETLINK_GENERIC, 0, &diag), 0);
	assert_int_equal(limit, 30);
	nl_begin(&m, buf, sizeof(buf), NLMSG_NOOP, 0, "head", 4);
	assert_int_equal(nl_talk(&s, &m, NULL, NULL, "try it", &diag),
			 NBD_E_TIMEOUT);
	nl_close(&s);
	/* but events are awaited */
	assert_int_equal(nl_open(&s, NETLINK_ROUTE, 1, &diag), 0);
	assert_int_equal(limit, 0);
	nl_close(&s);
}

static void a_refusal_carries_the_kernels_own_words(void **state)
{
	(void)state;
	say(1, -EINVAL, 0, "no such \033thing");
	assert_int_equal(talk(NULL, NULL), NBD_E_KERNEL);
	assert_int_equal(sock.err, EINVAL);
	assert_string_equal(diag.text,
			    "try it: Invalid argument (no such \\x1bthing)");
	/* the same where the kernel sends the request back in full */
	say(2, -EINVAL, 24, "words behind the request");
	assert_int_equal(talk(NULL, NULL), NBD_E_KERNEL);
	assert_string_equal(sock.ext, "words behind the request");
	say(3, -EINVAL, 24, NULL);
	assert_int_equal(talk(NULL, NULL), NBD_E_KERNEL);
	assert_string_equal(diag.text, "try it: Invalid argument");
}

static void each_errno_has_its_error(void **state)
{
	static const int map[][2] = {
		{ EPERM, NBD_E_PERM },	     { EACCES, NBD_E_PERM },
		{ EBUSY, NBD_E_IN_USE },     { ENOENT, NBD_E_NOT_FOUND },
		{ ENODEV, NBD_E_NO_DEVICE }, { ENETUNREACH, NBD_E_UNREACHABLE },
		{ ENOMEM, NBD_E_NO_MEMORY }, { EINVAL, NBD_E_KERNEL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		say((uint32_t)i + 1, -map[i][0], 0, NULL);
		assert_int_equal(talk(NULL, NULL), map[i][1]);
	}
}

static void count(void *ctx, const struct nl_reply *r)
{
	*(unsigned *)ctx += r->type == 99;
}

static void answers_to_other_requests_are_passed_over(void **state)
{
	unsigned char buf[64];
	unsigned seen = 0;
	struct nl_msg m;

	(void)state;
	say(7, -EPERM, 0, NULL);
	for (uint32_t seq = 0; seq < 3; seq++) {
		nl_begin(&m, buf, sizeof(buf), 99, 0, "", 0);
		nl_finish(&m, seq);
		assert_int_equal(send(kernel, buf, m.len, 0), m.len);
	}
	say(1, 0, 0, NULL);
	assert_int_equal(talk(count, &seen), 0);
	assert_int_equal(seen, 1);
}

static void one(uint32_t seq, unsigned type, unsigned flags)
{
	unsigned char buf[64];
	struct nl_msg m;

	nl_begin(&m, buf, sizeof(buf), type, flags, "\0\0\0", 4);
	nl_finish(&m, seq);
	assert_int_equal(send(kernel, buf, m.len, 0), m.len);
}

/* An interface that came meanwhile may hide another one. */
static void a_list_that_changes_is_asked_for_again(void **state)
{
	unsigned char buf[64];
	unsigned seen = 0;

	(void)state;
	one(1, 99, NLM_F_MULTI | NLM_F_DUMP_INTR);
	one(1, NLMSG_DONE, NLM_F_MULTI);
	one(2, 99, NLM_F_MULTI);
	one(2, 99, NLM_F_MULTI);
	one(2, NLMSG_DONE, NLM_F_MULTI);
	assert_int_equal(talk(count, &seen), 0);
	assert_int_equal(seen, 3);
	assert_int_equal(recv(kernel, buf, sizeof(buf), 0), 20);
	assert_int_equal(recv(kernel, buf, sizeof(buf), 0), 20);
	/* one that never stands still is taken as it is */
	for (uint32_t seq = 3; seq < 3 + 9; seq++)
		one(seq, NLMSG_DONE, NLM_F_MULTI | NLM_F_DUMP_INTR);
	assert_int_equal(talk(count, &seen), 0);
	assert_in_range(sock.seq, 4, 10);
}

static void every_truncation_of_a_refusal_is_an_error(void **state)
{
	unsigned char buf[256];
	size_t len;

	(void)state;
	len = error_reply(buf, sizeof(buf), 1, -EBUSY, 24, "words");
	for (uint32_t n = 16; n <= len; n++) {
		memcpy(buf, &n, 4);
		assert_int_equal(send(kernel, buf, n, 0), n);
		sock.seq = 0;
		assert_int_equal(talk(NULL, NULL),
				 n < 20 ? NBD_E_KERNEL : NBD_E_IN_USE);
		/* two bytes of padding may be missing */
		assert_int_equal(strcmp(sock.ext, "words") == 0, n >= len - 2);
	}
}

static void an_errno_out_of_range_is_an_error(void **state)
{
	static const int bad[] = { 1, -4096, INT32_MIN, INT32_MAX };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		say((uint32_t)i + 1, bad[i], 0, NULL);
		assert_int_equal(talk(NULL, NULL), NBD_E_KERNEL);
		assert_int_equal(sock.err, EPROTO);
	}
}

static void a_datagram_longer_than_the_buffer_is_an_error(void **state)
{
	static unsigned char big[sizeof(sock.buf) + 1];

	(void)state;
	assert_int_equal(send(kernel, big, sizeof(big), 0), sizeof(big));
	assert_int_equal(talk(NULL, NULL), NBD_E_KERNEL);
	assert_int_equal(sock.err, EMSGSIZE);
}

static void a_listener_hears_all_and_notices_losses(void **state)
{
	static unsigned char big[sizeof(sock.buf) + 1];

	(void)state;
	assert_int_equal(send(kernel, "first", 5, 0), 5);
	assert_int_equal(send(kernel, big, sizeof(big), 0), sizeof(big));
	assert_int_equal(send(kernel, big, sizeof(big) - 1, 0),
			 sizeof(big) - 1);
	assert_int_equal(nl_hear(&sock, 0), 5);
	assert_memory_equal(sock.buf, "first", 5);
	assert_int_equal(nl_hear(&sock, 0), 0);
	assert_int_equal(nl_hear(&sock, MSG_DONTWAIT), sizeof(sock.buf));
	assert_int_equal(nl_hear(&sock, MSG_DONTWAIT), NBD_E_AGAIN);
	shutdown(kernel, SHUT_WR);
	assert_int_equal(nl_hear(&sock, 0), NBD_E_IO);
}

static void a_closed_socket_is_an_error(void **state)
{
	(void)state;
	shutdown(kernel, SHUT_WR);
	assert_int_equal(talk(NULL, NULL), NBD_E_KERNEL);
}

static void a_message_that_did_not_fit_is_never_sent(void **state)
{
	unsigned char buf[20];
	struct nl_msg m;

	(void)state;
	nl_begin(&m, buf, sizeof(buf), 99, NLM_F_ACK, "head", 4);
	nl_put_u32(&m, 1, 1);
	assert_int_equal(nl_talk(&sock, &m, NULL, NULL, "try", &diag),
			 NBD_E_NO_MEMORY);
	assert_int_equal(recv(kernel, buf, sizeof(buf), MSG_DONTWAIT), -1);
}

static void a_family_and_its_group_are_found(void **state)
{
	unsigned char buf[256];
	uint32_t group = 0;
	size_t len = family_reply(buf, sizeof(buf));

	(void)state;
	assert_int_equal(send(kernel, buf, len, 0), len);
	say(1, 0, 0, NULL);
	assert_int_equal(nl_family(&sock, "nbd", "nbd_mc_group", &group, &diag),
			 0x1234);
	assert_int_equal(group, 8);
	/* acknowledged without an answer */
	say(2, 0, 0, NULL);
	assert_int_equal(nl_family(&sock, "nbd", NULL, NULL, &diag),
			 NBD_E_KERNEL);
}

static void this_kernel_knows_its_own_families(void **state)
{
	struct nl_sock s;
	uint32_t group = 0;

	(void)state;
	assert_int_equal(nl_open(&s, NETLINK_GENERIC, 0, &diag), 0);
	assert_int_equal(nl_family(&s, "nlctrl", "notify", &group, &diag),
			 GENL_ID_CTRL);
	assert_true(group != 0);
	assert_int_equal(nl_family(&s, "no-such", NULL, NULL, &diag),
			 NBD_E_NOT_FOUND);
	assert_int_equal(s.err, ENOENT);
	nl_close(&s);
}

#define PAIR(f) cmocka_unit_test_setup_teardown(f, open_pair, close_pair)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_never_grows_past_its_buffer),
		cmocka_unit_test(
			an_attribute_too_long_for_its_length_field_is_refused),
		cmocka_unit_test(what_was_put_is_found),
		cmocka_unit_test(every_truncation_of_a_reply_is_walked_safely),
		cmocka_unit_test(
			every_length_an_attribute_can_claim_is_checked),
		cmocka_unit_test(hostile_message_lengths_end_the_walk),
		cmocka_unit_test(the_last_padding_may_be_missing),
		cmocka_unit_test(
			strings_end_at_their_nul_their_length_or_the_buffer),
		PAIR(an_acknowledged_request_succeeds),
		PAIR(an_answer_that_never_comes_is_not_awaited_for_ever),
		PAIR(a_refusal_carries_the_kernels_own_words),
		PAIR(each_errno_has_its_error),
		PAIR(answers_to_other_requests_are_passed_over),
		PAIR(a_list_that_changes_is_asked_for_again),
		PAIR(every_truncation_of_a_refusal_is_an_error),
		PAIR(an_errno_out_of_range_is_an_error),
		PAIR(a_datagram_longer_than_the_buffer_is_an_error),
		PAIR(a_listener_hears_all_and_notices_losses),
		PAIR(a_closed_socket_is_an_error),
		PAIR(a_message_that_did_not_fit_is_never_sent),
		PAIR(a_family_and_its_group_are_found),
		cmocka_unit_test(this_kernel_knows_its_own_families),
	};

	return cmocka_run_group_tests_name("netlink", tests, map_edge, NULL);
}
