/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's answers about a socket, at the edges of its memory and wrong. */
#include "port/linux/sockdiag.h"
#include "tests/guard.h"
#include "tests/port/answer.h"

static struct guard guard;

/* Is it nbdN's, with its end flush against an unreadable page? */
static bool reads_bytes(const unsigned char *p, size_t len, int index,
			struct sockdiag_link *l)
{
	struct nl_reply r = { .type = SOCK_DIAG_BY_FAMILY,
			      .data = guard_copy(&guard, p, len),
			      .len = len };

	memset(l, 0xa5, sizeof(*l));
	return sockdiag_read(&r, index, l);
}

static bool reads(const struct answer *t, int index, struct sockdiag_link *l)
{
	unsigned char buf[1024];
	size_t len = put_answer(buf, sizeof(buf), 1, t) - NLMSG_HDRLEN;

	return reads_bytes(buf + NLMSG_HDRLEN, len, index, l);
}

static bool reads_unix(const char *name, size_t len, int shut, int index,
		       struct sockdiag_link *l)
{
	unsigned char buf[1024];
	size_t n = tell_unix(buf, sizeof(buf), 1, name, len, shut);

	return reads_bytes(buf + NLMSG_HDRLEN, n - NLMSG_HDRLEN, index, l);
}

/* ---- TCP ---- */

static void a_connection_is_read_with_all_its_attributes(void **state)
{
	struct inet_diag_sockid id;
	struct sockdiag_link l;

	(void)state;
	assert_true(reads(&usual, 3, &l));
	assert_int_equal(l.family, AF_INET);
	assert_true(l.live);
	assert_int_equal(l.local_port, 40000);
	assert_int_equal(l.peer_port, 10809);
	assert_memory_equal(l.local.ip, "\xc0\x00\x02\x02", 4);
	assert_memory_equal(l.peer.ip, "\xc0\x00\x02\x01", 4);
	assert_true(l.sent == 1ull << 40);
	assert_true(l.received == 5);
	assert_int_equal(l.rtt, 250);
	assert_int_equal(l.min_rtt, 90);
	assert_int_equal(l.retransmits, 7);
	assert_int_equal(l.tls.version, TLS_1_2_VERSION);
	assert_int_equal(l.tls.cipher, TLS_CIPHER_AES_GCM_256);
	memcpy(&id, l.id, sizeof(id));
	assert_int_equal(id.idiag_dport, htons(10809));
	assert_int_equal(id.idiag_cookie[0], 77);
	assert_int_equal(id.idiag_cookie[1], 78);
}

static void addresses_of_ipv6_are_read_whole(void **state)
{
	struct answer t = usual;
	struct sockdiag_link l;
	unsigned char want[16];

	(void)state;
	t.family = AF_INET6;
	t.local = "2001:db8::1:2";
	t.peer = "fe80::ffff:1";
	assert_true(reads(&t, 3, &l));
	assert_int_equal(l.family, AF_INET6);
	inet_pton(AF_INET6, t.local, want);
	assert_memory_equal(l.local.ip, want, 16);
	inet_pton(AF_INET6, t.peer, want);
	assert_memory_equal(l.peer.ip, want, 16);
}

static void only_what_is_established_lives(void **state)
{
	struct answer t = usual;
	struct sockdiag_link l;

	(void)state;
	for (t.state = 0; t.state < 256; t.state++) {
		assert_true(reads(&t, 3, &l));
		assert_int_equal(l.live, t.state == ESTABLISHED);
	}
}

static void each_index_has_a_mark_of_its_own(void **state)
{
	/* the least, the greatest, and those that share bits */
	static const int indices[] = { 0,  1,	2,     3,      10,     15,
				       16, 255, 65535, 65536,  65539,  0x30003,
				       48, 768, 12288, 196608, 0xfffff };
	struct sockdiag_link l;
	struct answer t = usual;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(indices); i++) {
		t.tag = TAG(indices[i]);
		/* which no queue discipline takes for another traffic */
		assert_int_equal(t.tag & 15, 0);
		for (unsigned j = 0; j < ARRAY_SIZE(indices); j++)
			assert_int_equal(reads(&t, indices[j], &l), i == j);
	}
}

static void sockets_of_others_are_passed_over(void **state)
{
	static const uint32_t tags[] = { 0,	     3,
					 0x30,	     0x10003,
					 TAG(3) + 1, TAG(3) | 0x80000000u };
	struct sockdiag_link l;
	struct answer t = usual;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(tags); i++) {
		t.tag = tags[i];
		assert_false(reads(&t, 3, &l));
	}
}

static void an_older_kernel_reports_less(void **state)
{
	struct answer t = usual;
	struct sockdiag_link l;

	(void)state;
	/* up to total_retrans: Linux 2.6 */
	t.info = offsetof(struct tcp_info, tcpi_pacing_rate);
	assert_true(reads(&t, 3, &l));
	assert_int_equal(l.rtt, 250);
	assert_int_equal(l.retransmits, 7);
	assert_true(l.sent == 0 && l.received == 0);
	for (t.info = 0; t.info < 8; t.info++) {
		assert_true(reads(&t, 3, &l));
		assert_int_equal(l.rtt, 0);
	}
	/* and a newer one more */
	t.info = sizeof(struct tcp_info) + 64;
	assert_true(reads(&t, 3, &l));
	assert_true(l.sent == 1ull << 40);
	assert_int_equal(l.tls.cipher, TLS_CIPHER_AES_GCM_256);
}

static void version_and_cipher_are_read(void **state)
{
	struct answer t = usual;
	struct sockdiag_link l;

	(void)state;
	t.version = TLS_1_3_VERSION;
	t.cipher = TLS_CIPHER_CHACHA20_POLY1305;
	t.tx = t.rx = TLS_CONF_HW;
	assert_true(reads(&t, 3, &l));
	assert_int_equal(l.tls.version, TLS_1_3_VERSION);
	assert_int_equal(l.tls.cipher, TLS_CIPHER_CHACHA20_POLY1305);
}

static void what_is_not_both_ways_encrypted_is_in_the_clear(void **state)
{
	struct answer t[9];
	struct sockdiag_link l;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(t); i++)
		t[i] = usual;
	t[0].ulp = NULL;
	t[1].ulp = "mptcp";
	t[2].ulp = "tlsx";
	t[3].ulp = "a name that is longer";
	t[4].ulp = "";
	t[5].tx = TLS_CONF_BASE;
	t[6].rx = TLS_CONF_BASE;
	t[7].tx = 0;
	t[8].rx = 0;
	for (unsigned i = 0; i < ARRAY_SIZE(t); i++) {
		assert_true(reads(&t[i], 3, &l));
		assert_int_equal(l.tls.version | l.tls.cipher, 0);
	}
}

static void every_truncation_is_read_safely(void **state)
{
	unsigned char buf[1024], *p = buf + NLMSG_HDRLEN;
	size_t len = put_answer(buf, sizeof(buf), 1, &usual) - NLMSG_HDRLEN;
	/* behind SHUTDOWN; then INFO, and ULP_INFO which is the last */
	size_t tag = sizeof(struct inet_diag_msg) + 8 + 8;
	size_t info = tag + 4 + sizeof(struct tcp_info);
	struct nl_reply r = { .type = SOCK_DIAG_BY_FAMILY };
	struct sockdiag_link l;

	(void)state;
	for (size_t n = 0; n <= len; n++) {
		assert_int_equal(reads_bytes(p, n, 3, &l), n >= tag);
		if (n < tag)
			continue;
		assert_int_equal(l.rtt, n >= info ? 250 : 0);
		assert_int_equal(l.tls.cipher,
				 n == len ? TLS_CIPHER_AES_GCM_256 : 0);
	}
	for (unsigned type = 0; type < 64; type++) {
		r.type = type;
		r.data = p;
		r.len = len;
		assert_int_equal(sockdiag_read(&r, 3, &l),
				 type == SOCK_DIAG_BY_FAMILY);
	}
}

/* Attributes, of which a nest may hold the first ones, or a part. */
static void every_truncation_of_a_nest_is_read_safely(void **state)
{
	unsigned char buf[1024], *p = buf + NLMSG_HDRLEN;
	size_t len = put_answer(buf, sizeof(buf), 1, &usual) - NLMSG_HDRLEN;
	/* ULP_INFO { NAME "tls", TLS { 4 attributes of 2 bytes } } */
	size_t tls_at = len - 4 * 8 - 4, ulp_at = tls_at - 8 - 4;
	struct sockdiag_link l;

	(void)state;
	for (size_t n = ulp_at + 4; n <= len; n++) {
		uint16_t ulp = (uint16_t)(n - ulp_at), in = 0;

		memcpy(p + ulp_at, &ulp, 2);
		if (n >= tls_at + 4) {
			in = (uint16_t)(n - tls_at);
			memcpy(p + tls_at, &in, 2);
		}
		assert_true(reads_bytes(p, n, 3, &l));
		/* the last two bytes are padding */
		assert_int_equal(l.tls.version && l.tls.cipher, n >= len - 2);
	}
}

static void no_byte_whatever_its_value_leads_out_of_the_answer(void **state)
{
	unsigned char buf[1024];
	size_t len = put_answer(buf, sizeof(buf), 1, &usual) - NLMSG_HDRLEN;
	struct nl_reply r = { .type = SOCK_DIAG_BY_FAMILY, .len = len };
	struct sockdiag_link l;
	unsigned char *p;

	(void)state;
	for (size_t i = 0; i < len; i++) {
		p = guard_copy(&guard, buf + NLMSG_HDRLEN, len);
		r.data = p;
		for (unsigned v = 0; v < 256; v++) {
			p[i] = (unsigned char)v;
			/* numbers of 16 bits, here */
			if (sockdiag_read(&r, 3, &l))
				assert_true((l.tls.version | l.tls.cipher) <
						    0x10000 &&
					    l.family ==
						    (v && !i ? v : AF_INET));
		}
	}
}

/* ---- UNIX ---- */

static void a_unix_socket_is_known_by_its_name(void **state)
{
	struct sockdiag_link l;

	(void)state;
	assert_true(reads_unix(NAME("nbdboot/nbd3/4711"), 0, 3, &l));
	assert_int_equal(l.family, AF_UNIX);
	assert_true(l.live);
	assert_int_equal(l.peer_port, 0);
	assert_true(reads_unix(NAME("nbdboot/nbd1048575/1"), 0, 0xfffff, &l));
	assert_false(reads_unix(NAME("nbdboot/nbd3/4711"), 0, 4, &l));
	assert_false(reads_unix(NAME("nbdboot/nbd31/4711"), 0, 3, &l));
	assert_false(reads_unix(NAME("nbdboot/nbd3/4711"), 0, 31, &l));
	assert_false(reads_unix(NAME("nbdboot/nbd3"), 0, 3, &l));
	assert_false(reads_unix(NAME("/nbdboot/nbd3/1"), 0, 3, &l));
	assert_false(reads_unix(NAME(""), 0, 3, &l));
	assert_false(reads_unix("nbdboot/nbd3/4711", 17, 0, 3, &l));
	assert_false(reads_unix("xnbdboot/nbd3/4711", 18, 0, 3, &l));
	assert_false(reads_unix("", 0, 0, 3, &l));
	assert_false(reads_unix(NULL, 0, 0, 3, &l));
}

static void a_name_ends_with_its_attribute(void **state)
{
	static const char name[] = "\0nbdboot/nbd3";
	size_t n, len = sizeof(name) - 1;
	unsigned char buf[1024];
	struct sockdiag_link l;

	(void)state;
	n = tell_unix(buf, sizeof(buf), 1, name, len, -1);
	/* the name is the last attribute, and 3 bytes fill it up */
	buf[n - 3] = '/';
	assert_false(reads_bytes(buf + NLMSG_HDRLEN, n - NLMSG_HDRLEN, 3, &l));
}

static void a_unix_socket_that_is_shut_is_dead(void **state)
{
	struct sockdiag_link l;

	(void)state;
	for (int shut = -1; shut <= 3; shut++) {
		assert_true(reads_unix(NAME("nbdboot/nbd3/1"), shut, 3, &l));
		assert_int_equal(l.live, shut <= 0);
	}
}

/* Of a socket with the right name: its user and its state. */
static bool reads_unix_of(uint32_t uid, unsigned char state,
			  struct sockdiag_link *l)
{
	const struct unix_diag_msg d = { .udiag_family = AF_UNIX,
					 .udiag_state = state };
	unsigned char buf[256];
	struct nl_msg m;

	nl_begin(&m, buf, sizeof(buf), SOCK_DIAG_BY_FAMILY, NLM_F_MULTI, &d,
		 sizeof(d));
	nl_put(&m, UNIX_DIAG_NAME, NAME("nbdboot/nbd3/1"));
	nl_put_u32(&m, UNIX_DIAG_UID, uid);
	assert_int_equal(nl_finish(&m, 1), 0);
	return reads_bytes(buf + NLMSG_HDRLEN, m.len - NLMSG_HDRLEN, 3, l);
}

static void a_unix_socket_of_another_user_is_no_link(void **state)
{
	struct sockdiag_link l;

	(void)state;
	assert_true(reads_unix_of(0, ESTABLISHED, &l));
	assert_true(l.live);
	assert_false(reads_unix_of(1000, ESTABLISHED, &l));
	assert_false(reads_unix_of(65534, ESTABLISHED, &l));
}

static void a_unix_socket_without_a_peer_is_dead(void **state)
{
	struct sockdiag_link l;

	(void)state;
	for (unsigned char s = 0; s < 13; s++) {
		assert_true(reads_unix_of(0, s, &l));
		assert_int_equal(l.live, s == ESTABLISHED);
	}
}

static void every_truncation_of_a_unix_answer_is_read_safely(void **state)
{
	unsigned char buf[256];
	size_t len = tell_unix(buf, sizeof(buf), 1, NAME("nbdboot/nbd3/1"), 0);
	struct sockdiag_link l;

	(void)state;
	len -= NLMSG_HDRLEN;
	for (size_t n = 0; n <= len; n++)
		/* 15 bytes of name and one of padding */
		assert_int_equal(reads_bytes(buf + NLMSG_HDRLEN, n, 3, &l),
				 n >= len - 1);
	for (size_t i = 0; i < len; i++)
		for (unsigned v = 0; v < 256; v++) {
			unsigned char one[256];

			memcpy(one, buf + NLMSG_HDRLEN, len);
			one[i] = (unsigned char)v;
			reads_bytes(one, len, 3, &l);
		}
}

static void other_families_are_passed_over(void **state)
{
	unsigned char buf[1024], *p = buf + NLMSG_HDRLEN;
	size_t len = put_answer(buf, sizeof(buf), 1, &usual) - NLMSG_HDRLEN;
	struct sockdiag_link l;

	(void)state;
	for (unsigned v = 0; v < 256; v++) {
		p[0] = (unsigned char)v;
		assert_int_equal(reads_bytes(p, len, 3, &l),
				 v == AF_INET || v == AF_INET6);
	}
}

static int begin(void **state)
{
	(void)state;
	guard = guard_new(1024);
	return 0;
}

#define PLAIN(f) cmocka_unit_test(f)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAIN(a_connection_is_read_with_all_its_attributes),
		PLAIN(addresses_of_ipv6_are_read_whole),
		PLAIN(only_what_is_established_lives),
		PLAIN(each_index_has_a_mark_of_its_own),
		PLAIN(sockets_of_others_are_passed_over),
		PLAIN(an_older_kernel_reports_less),
		PLAIN(version_and_cipher_are_read),
		PLAIN(what_is_not_both_ways_encrypted_is_in_the_clear),
		PLAIN(every_truncation_is_read_safely),
		PLAIN(every_truncation_of_a_nest_is_read_safely),
		PLAIN(no_byte_whatever_its_value_leads_out_of_the_answer),
		PLAIN(a_unix_socket_is_known_by_its_name),
		PLAIN(a_name_ends_with_its_attribute),
		PLAIN(a_unix_socket_that_is_shut_is_dead),
		PLAIN(a_unix_socket_of_another_user_is_no_link),
		PLAIN(a_unix_socket_without_a_peer_is_dead),
		PLAIN(every_truncation_of_a_unix_answer_is_read_safely),
		PLAIN(other_families_are_passed_over),
	};

	return cmocka_run_group_tests_name("sockdiag_read", tests, begin, NULL);
}
