/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel answers of sockets, at the edges of its memory and wrong. */
#include "port/linux/module.h"
#include "tests/port/pair.h"
#include "port/linux/sockdiag.h"
#include "tests/guard.h"
#include "tests/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tls.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

/* One socket, as the kernel tells of it. */
struct told {
	int family, state;
	uint16_t port;
	const char *addr, *ulp;
	uint16_t version, cipher, tx, rx; /* 0: left out */
};

static const struct told usual = { AF_INET,
				   TCP_ESTABLISHED,
				   10809,
				   "192.0.2.1",
				   "tls",
				   TLS_1_2_VERSION,
				   TLS_CIPHER_AES_GCM_256,
				   TLS_CONF_SW,
				   TLS_CONF_SW };
static const struct sockdiag_peer usual_peer = { 10809, 4, { 192, 0, 2, 1 } };
static const struct sockdiag_peer anywhere = { .port = 10809 };

static struct guard guard;

static void put_u16(struct nl_msg *m, unsigned type, uint16_t v)
{
	if (v)
		nl_put(m, type, &v, sizeof(v));
}

static void put_ulp(struct nl_msg *m, const struct told *t)
{
	/* these nests have no NLA_F_NESTED */
	size_t ulp = m->len, tls;

	nl_put(m, INET_DIAG_ULP_INFO, NULL, 0);
	nl_put_str(m, INET_ULP_INFO_NAME, t->ulp);
	tls = m->len;
	nl_put(m, INET_ULP_INFO_TLS, NULL, 0);
	put_u16(m, TLS_INFO_VERSION, t->version);
	put_u16(m, TLS_INFO_CIPHER, t->cipher);
	put_u16(m, TLS_INFO_TXCONF, t->tx);
	put_u16(m, TLS_INFO_RXCONF, t->rx);
	nl_nest_end(m, tls);
	nl_nest_end(m, ulp);
}

static size_t tell(void *buf, size_t cap, uint32_t seq, const struct told *t)
{
	struct inet_diag_msg d = { .idiag_family = (uint8_t)t->family,
				   .idiag_state = (uint8_t)t->state,
				   .id.idiag_dport = htons(t->port) };
	static const unsigned char info[232] = { 1 };
	struct nl_msg m;

	assert_int_equal(inet_pton(t->family, t->addr, d.id.idiag_dst), 1);
	nl_begin(&m, buf, cap, SOCK_DIAG_BY_FAMILY, NLM_F_MULTI, &d, sizeof(d));
	nl_put(&m, INET_DIAG_SHUTDOWN, "", 1);
	nl_put(&m, INET_DIAG_INFO, info, sizeof(info));
	if (t->ulp)
		put_ulp(&m, t);
	assert_int_equal(nl_finish(&m, seq), 0);
	return m.len;
}

/* Is it read as TLS, with its end flush against an unreadable page? */
static bool reads(const struct told *t, const struct sockdiag_peer *peer,
		  struct sockdiag_tls *tls)
{
	unsigned char buf[1024];
	size_t len = tell(buf, sizeof(buf), 1, t) - NLMSG_HDRLEN;
	struct nl_reply r = { .type = SOCK_DIAG_BY_FAMILY, .len = len };

	r.data = guard_copy(&guard, buf + NLMSG_HDRLEN, len);
	return sockdiag_read(&r, peer, tls);
}

static void version_and_cipher_are_read(void **state)
{
	struct told t = usual;
	struct sockdiag_tls tls;

	(void)state;
	assert_true(reads(&t, &usual_peer, &tls));
	assert_int_equal(tls.version, TLS_1_2_VERSION);
	assert_int_equal(tls.cipher, TLS_CIPHER_AES_GCM_256);
	t.version = TLS_1_3_VERSION;
	t.cipher = TLS_CIPHER_CHACHA20_POLY1305;
	t.tx = t.rx = TLS_CONF_HW;
	assert_true(reads(&t, &anywhere, &tls));
	assert_int_equal(tls.version, TLS_1_3_VERSION);
	assert_int_equal(tls.cipher, TLS_CIPHER_CHACHA20_POLY1305);
}

static void addresses_of_ipv6_are_compared_whole(void **state)
{
	struct sockdiag_peer peer = { .port = 10809, .len = 16 };
	struct told t = usual;
	struct sockdiag_tls tls;

	(void)state;
	t.family = AF_INET6;
	t.addr = "2001:db8::1:2";
	inet_pton(AF_INET6, t.addr, peer.addr);
	assert_true(reads(&t, &peer, &tls));
	assert_true(reads(&t, &anywhere, &tls));
	for (unsigned i = 0; i < 16; i++) {
		peer.addr[i] ^= 1;
		assert_false(reads(&t, &peer, &tls));
		peer.addr[i] ^= 1;
	}
	/* what begins with the same bytes is another address */
	t.addr = "c000:201::";
	assert_false(reads(&t, &usual_peer, &tls));
}

static void other_sockets_are_not_it(void **state)
{
	struct told t[11];
	struct sockdiag_tls tls;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(t); i++)
		t[i] = usual;
	t[0].port = 10810;
	t[1].addr = "192.0.2.2";
	t[2].state = TCP_CLOSE_WAIT;
	t[3].ulp = NULL;
	t[4].ulp = "mptcp";
	t[5].ulp = "tlsx";
	t[6].version = 0;
	t[7].cipher = 0;
	t[8].tx = TLS_CONF_BASE;
	t[9].rx = TLS_CONF_BASE;
	t[10].rx = 0;
	for (unsigned i = 0; i < ARRAY_SIZE(t); i++)
		assert_false(reads(&t[i], &usual_peer, &tls));
	assert_true(reads(&usual, &usual_peer, &tls));
}

static void every_truncation_is_read_safely_as_nothing(void **state)
{
	unsigned char buf[1024];
	size_t len = tell(buf, sizeof(buf), 1, &usual) - NLMSG_HDRLEN;
	struct nl_reply r = { .type = SOCK_DIAG_BY_FAMILY };
	struct sockdiag_tls tls;

	(void)state;
	for (r.len = 0; r.len <= len; r.len++) {
		r.data = guard_copy(&guard, buf + NLMSG_HDRLEN, r.len);
		assert_int_equal(sockdiag_read(&r, &usual_peer, &tls),
				 r.len == len);
	}
	r.len = len;
	r.type++;
	assert_false(sockdiag_read(&r, &usual_peer, &tls));
}

/* Attributes, of which a nest may hold the first ones, or a part. */
static void every_truncation_of_a_nest_is_read_safely_as_nothing(void **state)
{
	unsigned char buf[1024], *p = buf + NLMSG_HDRLEN;
	size_t len = tell(buf, sizeof(buf), 1, &usual) - NLMSG_HDRLEN;
	/* ULP_INFO { NAME "tls", TLS { 4 attributes of 2 bytes } } */
	size_t tls_at = len - 4 * 8 - 4, ulp_at = tls_at - 8 - 4;
	struct nl_reply r = { .type = SOCK_DIAG_BY_FAMILY };
	struct sockdiag_tls tls;

	(void)state;
	for (size_t n = ulp_at + 4; n <= len; n++) {
		uint16_t ulp = (uint16_t)(n - ulp_at), in = 0;

		memcpy(p + ulp_at, &ulp, 2);
		if (n >= tls_at + 4) {
			in = (uint16_t)(n - tls_at);
			memcpy(p + tls_at, &in, 2);
		}
		r.len = n;
		r.data = guard_copy(&guard, p, n);
		/* the last two bytes are padding */
		assert_int_equal(sockdiag_read(&r, &usual_peer, &tls),
				 n >= len - 2);
	}
}

static void no_byte_whatever_its_value_leads_out_of_the_answer(void **state)
{
	unsigned char buf[1024];
	size_t len = tell(buf, sizeof(buf), 1, &usual) - NLMSG_HDRLEN;
	struct nl_reply r = { .type = SOCK_DIAG_BY_FAMILY, .len = len };
	struct sockdiag_tls tls;
	unsigned char *p;

	(void)state;
	for (size_t i = 0; i < len; i++) {
		p = guard_copy(&guard, buf + NLMSG_HDRLEN, len);
		r.data = p;
		for (unsigned v = 0; v < 256; v++) {
			p[i] = (unsigned char)v;
			/* what is read has both, and no more than 16 bits */
			if (sockdiag_read(&r, &usual_peer, &tls))
				assert_true(tls.version && tls.cipher &&
					    (tls.version | tls.cipher) <
						    0x10000);
		}
	}
}

/* ---- the exchange: the other end of a socket pair plays the kernel ---- */

static void say(uint32_t seq, const struct told *t)
{
	unsigned char buf[1024];
	size_t len = tell(buf, sizeof(buf), seq, t);

	assert_int_equal(send(kernel, buf, len, 0), len);
}

static void end(uint32_t seq, int err)
{
	unsigned char buf[64];
	struct nl_msg m;

	nl_begin(&m, buf, sizeof(buf), NLMSG_DONE, NLM_F_MULTI, &err, 4);
	assert_int_equal(nl_finish(&m, seq), 0);
	assert_int_equal(send(kernel, buf, m.len, 0), m.len);
}

/* The next request is a dump of that family; no further one with 0. */
static void asked(int family)
{
	unsigned char buf[256];
	struct nlmsghdr h;
	struct inet_diag_req_v2 q;
	ssize_t n = recv(kernel, buf, sizeof(buf), MSG_DONTWAIT);

	if (!family) {
		assert_int_equal(n, -1);
		return;
	}
	assert_int_equal(n, sizeof(h) + sizeof(q));
	memcpy(&h, buf, sizeof(h));
	memcpy(&q, buf + sizeof(h), sizeof(q));
	assert_int_equal(h.nlmsg_type, SOCK_DIAG_BY_FAMILY);
	assert_int_equal(h.nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
	assert_int_equal(q.sdiag_family, family);
	assert_int_equal(q.sdiag_protocol, IPPROTO_TCP);
	assert_int_equal(q.idiag_states, 1 << TCP_ESTABLISHED);
	assert_true(q.idiag_ext & 1 << (INET_DIAG_INFO - 1));
	assert_int_equal(q.id.idiag_dport, htons(10809));
}

static void an_address_is_asked_for_in_its_family_alone(void **state)
{
	struct sockdiag_peer six = { .port = 10809, .len = 16 };
	struct sockdiag_tls tls;

	(void)state;
	say(1, &usual);
	say(1, &usual);
	end(1, 0);
	assert_int_equal(sockdiag_tls(&sock, &usual_peer, &tls, &diag), 0);
	assert_int_equal(tls.cipher, TLS_CIPHER_AES_GCM_256);
	asked(AF_INET);
	asked(0);
	end(2, 0);
	assert_int_equal(sockdiag_tls(&sock, &six, &tls, &diag),
			 NBD_E_NOT_FOUND);
	assert_non_null(strstr(diag.text, "10809"));
	asked(AF_INET6);
	asked(0);
}

static void any_address_is_asked_for_in_both_families(void **state)
{
	struct told t = usual;
	struct sockdiag_tls tls;

	(void)state;
	t.family = AF_INET6;
	t.addr = "2001:db8::1";
	end(1, 0);
	say(2, &t);
	end(2, 0);
	assert_int_equal(sockdiag_tls(&sock, &anywhere, &tls, &diag), 0);
	assert_int_equal(tls.version, TLS_1_2_VERSION);
	asked(AF_INET);
	asked(AF_INET6);
	asked(0);
}

static void connections_that_differ_are_not_told_apart(void **state)
{
	struct told clear = usual, other = usual;
	struct sockdiag_tls tls;

	(void)state;
	other.cipher = TLS_CIPHER_AES_GCM_128;
	clear.ulp = NULL;
	say(1, &usual);
	say(1, &other);
	say(1, &usual);
	end(1, 0);
	assert_int_equal(sockdiag_tls(&sock, &usual_peer, &tls, &diag),
			 NBD_E_NOT_FOUND);
	assert_non_null(strstr(diag.text, "differ"));
	/* one without TLS is another's, or not that far yet */
	say(2, &usual);
	say(2, &clear);
	end(2, 0);
	assert_int_equal(sockdiag_tls(&sock, &usual_peer, &tls, &diag), 0);
}

static void what_the_kernel_refuses_is_told(void **state)
{
	struct sockdiag_tls tls;

	(void)state;
	end(1, -EPERM);
	assert_int_equal(sockdiag_tls(&sock, &anywhere, &tls, &diag),
			 NBD_E_PERM);
	asked(AF_INET);
	asked(0);
	/* without the module, which there is none of either */
	end(2, -ENOENT);
	assert_int_equal(sockdiag_tls(&sock, &anywhere, &tls, &diag),
			 NBD_E_NOT_FOUND);
	asked(AF_INET);
	asked(0);
	/* found already: that IPv6 is missing does not matter */
	say(3, &usual);
	end(3, 0);
	end(4, -ENOENT);
	assert_int_equal(sockdiag_tls(&sock, &anywhere, &tls, &diag), 0);
}

static void the_module_is_loaded_and_asked_again(void **state)
{
	struct mod_dirs before = mod_dirs;
	char dir[] = "/tmp/test_sockdiag.XXXXXX", path[64];
	struct sockdiag_tls tls;
	FILE *file;
	int err;

	(void)state;
	assert_non_null(mkdtemp(dir));
	/* one that is built in is as good as loaded */
	snprintf(path, sizeof(path), "%s/modules.builtin", dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("kernel/net/ipv4/tcp_diag.ko\n", file);
	assert_int_equal(fclose(file), 0);
	mod_dirs.lib = dir;
	end(1, -ENOENT);
	say(2, &usual);
	end(2, 0);
	err = sockdiag_tls(&sock, &usual_peer, &tls, &diag);
	mod_dirs = before;
	unlink(path);
	rmdir(dir);
	assert_int_equal(err, 0);
	asked(AF_INET);
	asked(AF_INET);
	asked(0);
}

static void this_kernel_knows_no_tls_of_a_plain_connection(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int to = socket(AF_INET, SOCK_STREAM, 0);
	struct sockdiag_peer peer = { .len = 4, .addr = { 127, 0, 0, 1 } };
	struct sockdiag_tls tls;
	struct nl_sock s;

	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&a, len), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	assert_int_equal(connect(to, (struct sockaddr *)&a, len), 0);
	peer.port = ntohs(a.sin_port);
	assert_int_equal(nl_open(&s, NETLINK_SOCK_DIAG, 0, &diag), 0);
	assert_int_equal(sockdiag_tls(&s, &peer, &tls, &diag), NBD_E_NOT_FOUND);
	nl_close(&s);
	close(to);
	close(fd);
}

static int begin(void **state)
{
	(void)state;
	guard = guard_new(1024);
	mod_dirs.lib = mod_dirs.sys = "/no/such/folder";
	return 0;
}

#define PAIR(f) cmocka_unit_test_setup_teardown(f, open_pair, close_pair)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_and_cipher_are_read),
		cmocka_unit_test(addresses_of_ipv6_are_compared_whole),
		cmocka_unit_test(other_sockets_are_not_it),
		cmocka_unit_test(every_truncation_is_read_safely_as_nothing),
		cmocka_unit_test(
			every_truncation_of_a_nest_is_read_safely_as_nothing),
		cmocka_unit_test(
			no_byte_whatever_its_value_leads_out_of_the_answer),
		PAIR(an_address_is_asked_for_in_its_family_alone),
		PAIR(any_address_is_asked_for_in_both_families),
		PAIR(connections_that_differ_are_not_told_apart),
		PAIR(what_the_kernel_refuses_is_told),
		PAIR(the_module_is_loaded_and_asked_again),
		PAIR(this_kernel_knows_no_tls_of_a_plain_connection),
	};

	return cmocka_run_group_tests_name("sockdiag", tests, begin, NULL);
}
