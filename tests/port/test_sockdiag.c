/* SPDX-License-Identifier: BSD-2-Clause */
/* Asking the kernel for the sockets of a device, and ending one. */
#include "port/linux/module.h"
#include "tests/port/pair.h"
#include "port/linux/sockdiag.h"
#include "tests/port/answer.h"

#include <errno.h>
#include <stdlib.h>

/* ---- the exchange: the other end of a socket pair plays the kernel ---- */

static struct seen {
	unsigned n, live, families[8];
} seen;

static void see(void *ctx, const struct sockdiag_link *l)
{
	struct seen *s = ctx;

	assert_true(s->n < ARRAY_SIZE(s->families));
	s->families[s->n++] = l->family;
	s->live += l->live;
}

static int each_of(unsigned kinds)
{
	memset(&seen, 0, sizeof(seen));
	memset(&diag, 0, sizeof(diag));
	return sockdiag_each(&sock, 3, kinds, see, &seen, &diag);
}

static int each(void)
{
	return each_of(SOCKDIAG_TCP | SOCKDIAG_UNIX);
}

static void say(uint32_t seq, const struct answer *t)
{
	unsigned char buf[1024];
	size_t len = put_answer(buf, sizeof(buf), seq, t);

	assert_int_equal(send(kernel, buf, len, 0), len);
}

static void say_unix(uint32_t seq, int shut)
{
	unsigned char buf[256];
	size_t len =
		tell_unix(buf, sizeof(buf), seq, NAME("nbdboot/nbd3/1"), shut);

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

static void ack(uint32_t seq, int err)
{
	unsigned char buf[64], head[20] = { 0 };
	struct nl_msg m;

	memcpy(head, &err, 4);
	nl_begin(&m, buf, sizeof(buf), NLMSG_ERROR, NLM_F_CAPPED, head,
		 sizeof(head));
	assert_int_equal(nl_finish(&m, seq), 0);
	assert_int_equal(send(kernel, buf, m.len, 0), m.len);
}

/* The next request, of that type and with that body; its flags. */
static unsigned asked_for(unsigned type, void *body, size_t len)
{
	unsigned char buf[256];
	struct nlmsghdr h;
	ssize_t n = recv(kernel, buf, sizeof(buf), MSG_DONTWAIT);

	assert_int_equal(n, sizeof(h) + len);
	memcpy(&h, buf, sizeof(h));
	memcpy(body, buf + sizeof(h), len);
	assert_int_equal(h.nlmsg_type, type);
	return h.nlmsg_flags;
}

static void asked_inet(int family)
{
	struct inet_diag_req_v2 q;

	assert_int_equal(asked_for(SOCK_DIAG_BY_FAMILY, &q, sizeof(q)),
			 NLM_F_REQUEST | NLM_F_DUMP);
	assert_int_equal(q.sdiag_family, family);
	assert_int_equal(q.sdiag_protocol, IPPROTO_TCP);
	/* the dead ones, too */
	assert_int_equal(q.idiag_states, ~0u);
	assert_int_equal(q.idiag_ext, 1 << (INET_DIAG_INFO - 1) |
					      1 << (INET_DIAG_TCLASS - 1));
	/* whatever the addresses */
	assert_int_equal(q.id.idiag_sport | q.id.idiag_dport, 0);
}

static void asked_unix(void)
{
	struct unix_diag_req q;

	assert_int_equal(asked_for(SOCK_DIAG_BY_FAMILY, &q, sizeof(q)),
			 NLM_F_REQUEST | NLM_F_DUMP);
	assert_int_equal(q.sdiag_family, AF_UNIX);
	assert_int_equal(q.udiag_states, ~0u);
	assert_int_equal(q.udiag_show, UDIAG_SHOW_NAME | UDIAG_SHOW_UID);
}

static void asked_no_more(void)
{
	char c;

	assert_int_equal(recv(kernel, &c, 1, MSG_DONTWAIT), -1);
}

static void all_three_families_are_asked(void **state)
{
	struct answer other = usual, dead = usual, six = usual;

	(void)state;
	other.tag = TAG(4);
	dead.state = CLOSE_WAIT;
	six.family = AF_INET6;
	six.local = six.peer = "2001:db8::1";
	say(1, &usual);
	say(1, &other);
	say(1, &dead);
	end(1, 0);
	say(2, &six);
	/* an answer to somebody else's question */
	say(1, &six);
	end(2, 0);
	say_unix(3, 0);
	say_unix(3, 3);
	end(3, 0);
	assert_int_equal(each(), 0);
	assert_int_equal(seen.n, 5);
	assert_int_equal(seen.live, 3);
	assert_int_equal(seen.families[1], AF_INET);
	assert_int_equal(seen.families[2], AF_INET6);
	assert_int_equal(seen.families[3], AF_UNIX);
	asked_inet(AF_INET);
	asked_inet(AF_INET6);
	asked_unix();
	asked_no_more();
}

static void answers_may_share_a_datagram(void **state)
{
	unsigned char buf[4096];
	size_t len = 0;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		len += put_answer(buf + len, sizeof(buf) - len, 1, &usual);
	assert_int_equal(send(kernel, buf, len, 0), len);
	/* the last one is cut: nothing of it is taken */
	assert_int_equal(send(kernel, buf, len - 4, 0), len - 4);
	end(1, 0);
	end(2, 0);
	end(3, 0);
	assert_int_equal(each(), 0);
	assert_int_equal(seen.n, 5);
}

static void a_device_without_sockets_has_none(void **state)
{
	(void)state;
	end(1, 0);
	end(2, 0);
	end(3, 0);
	assert_int_equal(each(), 0);
	assert_int_equal(seen.n, 0);
}

static void a_refusal_of_the_kernel_is_reported(void **state)
{
	(void)state;
	/* the first reason ends it, and is the one in d */
	end(1, -EPERM);
	assert_int_equal(each(), NBD_E_PERM);
	assert_string_equal(diag.text, "tcp_diag: Operation not permitted");
	end(2, 0);
	ack(3, -EINVAL);
	assert_int_equal(each(), NBD_E_KERNEL);
	assert_string_equal(diag.text, "tcp_diag: Invalid argument");
	asked_inet(AF_INET);
	asked_inet(AF_INET);
	asked_inet(AF_INET6);
	asked_no_more();
}

/* None of them counts as zero sockets where the kernel gives no list. */
static void a_missing_module_is_named(void **state)
{
	(void)state;
	ack(1, -ENOENT);
	assert_int_equal(each(), NBD_E_NOT_FOUND);
	assert_string_equal(diag.text, "tcp_diag: No such file or directory");
	say(2, &usual);
	end(2, 0);
	end(3, 0);
	ack(4, -ENOENT);
	assert_int_equal(each(), NBD_E_NOT_FOUND);
	assert_string_equal(diag.text, "unix_diag: No such file or directory");
}

static void a_kind_that_is_not_wanted_is_not_asked_for(void **state)
{
	(void)state;
	say(1, &usual);
	end(1, 0);
	end(2, 0);
	assert_int_equal(each_of(SOCKDIAG_TCP), 0);
	assert_int_equal(seen.n, 1);
	asked_inet(AF_INET);
	asked_inet(AF_INET6);
	asked_no_more();
	say_unix(3, 0);
	end(3, 0);
	assert_int_equal(each_of(SOCKDIAG_UNIX), 0);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.families[0], AF_UNIX);
	asked_unix();
	asked_no_more();
}

static void the_module_is_loaded_and_asked_again(void **state)
{
	struct mod_dirs before = mod_dirs;
	char dir[] = "/tmp/test_sockdiag.XXXXXX", path[64];
	FILE *file;
	int err;

	(void)state;
	assert_non_null(mkdtemp(dir));
	/* one that is built in is as good as loaded */
	snprintf(path, sizeof(path), "%s/modules.builtin", dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("kernel/net/ipv4/tcp_diag.ko\nkernel/net/unix/unix_diag.ko\n",
	      file);
	assert_int_equal(fclose(file), 0);
	mod_dirs.lib = dir;
	ack(1, -ENOENT);
	say(2, &usual);
	end(2, 0);
	end(3, 0);
	ack(4, -ENOENT);
	say_unix(5, 0);
	end(5, 0);
	err = each();
	mod_dirs = before;
	unlink(path);
	rmdir(dir);
	assert_int_equal(err, 0);
	assert_int_equal(seen.n, 2);
	asked_inet(AF_INET);
	asked_inet(AF_INET);
	asked_inet(AF_INET6);
	asked_unix();
	asked_unix();
	asked_no_more();
}

static struct sockdiag_link usual_link(void)
{
	unsigned char buf[1024];
	struct nl_reply r = { .type = SOCK_DIAG_BY_FAMILY };
	struct sockdiag_link l;

	r.len = put_answer(buf, sizeof(buf), 1, &usual) - NLMSG_HDRLEN;
	r.data = buf + NLMSG_HDRLEN;
	assert_true(sockdiag_read(&r, 3, &l));
	return l;
}

static void exactly_one_connection_is_ended(void **state)
{
	struct inet_diag_req_v2 q;
	struct sockdiag_link l;

	(void)state;
	l = usual_link();
	ack(1, 0);
	assert_int_equal(sockdiag_destroy(&sock, &l, &diag), 0);
	assert_int_equal(asked_for(SOCK_DESTROY, &q, sizeof(q)),
			 NLM_F_REQUEST | NLM_F_ACK);
	assert_int_equal(q.sdiag_family, AF_INET);
	assert_int_equal(q.sdiag_protocol, IPPROTO_TCP);
	assert_int_equal(q.id.idiag_sport, htons(40000));
	assert_int_equal(q.id.idiag_dport, htons(10809));
	assert_memory_equal(q.id.idiag_src, "\xc0\x00\x02\x02", 4);
	assert_memory_equal(q.id.idiag_dst, "\xc0\x00\x02\x01", 4);
	/* which another one at the same addresses does not have */
	assert_int_equal(q.id.idiag_cookie[0], 77);
	assert_int_equal(q.id.idiag_cookie[1], 78);
}

static void a_connection_that_does_not_end_is_explained(void **state)
{
	struct sockdiag_link l;

	(void)state;
	l = usual_link();
	ack(1, -ENOENT);
	assert_int_equal(sockdiag_destroy(&sock, &l, &diag), NBD_E_NOT_FOUND);
	ack(2, -EPERM);
	assert_int_equal(sockdiag_destroy(&sock, &l, &diag), NBD_E_PERM);
	assert_string_equal(diag.text,
			    "end a connection: Operation not permitted");
	ack(3, -EOPNOTSUPP);
	assert_int_equal(sockdiag_destroy(&sock, &l, &diag), NBD_E_KERNEL);
	assert_non_null(strstr(diag.text, "lacks CONFIG_INET_DIAG_DESTROY"));
}

/* ---- this kernel ---- */

/* An index that no test that runs at the same time has. */
static int own_index(void)
{
	return 0x80000 | (getpid() & 0x7ffff);
}

static void tcp_pair(int fd[2])
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int l = socket(AF_INET, SOCK_STREAM, 0);

	fd[0] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(l, (struct sockaddr *)&a, len), 0);
	assert_int_equal(listen(l, 1), 0);
	assert_int_equal(getsockname(l, (struct sockaddr *)&a, &len), 0);
	assert_int_equal(connect(fd[0], (struct sockaddr *)&a, len), 0);
	fd[1] = accept(l, NULL, NULL);
	assert_true(fd[1] >= 0);
	close(l);
}

/* Without a way to know what is there the test says so, and does not pass. */
static void need(int err, const char *what)
{
	if (!err)
		return;
	print_message("# skipped, as %s: %s\n", what, nbd_err_text(err));
	skip();
}

static struct sockdiag_link last_tcp;

static void see_real(void *ctx, const struct sockdiag_link *l)
{
	see(ctx, l);
	if (l->family == AF_INET)
		last_tcp = *l;
}

/* Sockets that are marked, and how many of them live. */
static void assert_seen(struct nl_sock *s, unsigned n, unsigned live)
{
	memset(&seen, 0, sizeof(seen));
	need(sockdiag_each(s, own_index(), SOCKDIAG_TCP | SOCKDIAG_UNIX,
			   see_real, &seen, &diag),
	     "this kernel does not list sockets");
	assert_int_equal(seen.n, n);
	assert_int_equal(seen.live, live);
}

static void this_kernel_separates_the_sockets_of_a_device(void **state)
{
	static struct nl_sock s;
	int a[2], b[2], other[2], u[2], plain[2], n = own_index();
	char c;

	(void)state;
	tcp_pair(a);
	tcp_pair(b);
	tcp_pair(other);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, u), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, plain), 0);
	assert_int_equal(nl_open(&s, NETLINK_SOCK_DIAG, 0, &diag), 0);
	assert_seen(&s, 0, 0);
	need(sockdiag_tag(a[0], n), "CAP_NET_ADMIN is needed");
	assert_int_equal(sockdiag_tag(b[0], n), 0);
	assert_int_equal(sockdiag_tag(other[0], n ^ 1), 0);
	assert_int_equal(sockdiag_tag(u[0], n), 0);
	assert_int_equal(sockdiag_tag(plain[0], n ^ 1), 0);
	assert_seen(&s, 3, 3);
	/* the peer of each closes: half closed is dead */
	close(u[1]);
	assert_seen(&s, 3, 2);
	close(b[1]);
	assert_int_equal(recv(b[0], &c, 1, 0), 0);
	assert_seen(&s, 3, 1);
	close(b[0]);
	close(u[0]);
	assert_seen(&s, 1, 1);
	assert_int_equal(last_tcp.tls.version, 0);
	assert_memory_equal(last_tcp.peer.ip, "\x7f\0\0\1", 4);
	/* ended as if by its peer, and it alone */
	need(sockdiag_destroy(&s, &last_tcp, &diag),
	     "this kernel ends no connections");
	assert_int_equal(recv(a[0], &c, 1, 0), -1);
	assert_int_equal(errno, ECONNABORTED);
	assert_seen(&s, 0, 0);
	assert_int_equal(sockdiag_destroy(&s, &last_tcp, &diag),
			 NBD_E_NOT_FOUND);
	assert_int_equal(send(other[0], "x", 1, 0), 1);
	assert_int_equal(recv(other[1], &c, 1, 0), 1);
	nl_close(&s);
	close(a[0]);
	close(a[1]);
	for (unsigned i = 0; i < 2; i++) {
		close(other[i]);
		close(plain[i]);
	}
}

static void what_is_no_socket_cannot_be_marked(void **state)
{
	(void)state;
	assert_true(sockdiag_tag(-1, 0) < 0);
}

static int begin(void **state)
{
	(void)state;
	mod_dirs.lib = mod_dirs.sys = "/no/such/directory";
	return 0;
}

#define PLAIN(f) cmocka_unit_test(f)
#define PAIR(f)	 cmocka_unit_test_setup_teardown(f, open_pair, close_pair)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR(all_three_families_are_asked),
		PAIR(answers_may_share_a_datagram),
		PAIR(a_device_without_sockets_has_none),
		PAIR(a_refusal_of_the_kernel_is_reported),
		PAIR(a_missing_module_is_named),
		PAIR(a_kind_that_is_not_wanted_is_not_asked_for),
		PAIR(the_module_is_loaded_and_asked_again),
		PAIR(exactly_one_connection_is_ended),
		PAIR(a_connection_that_does_not_end_is_explained),
		PLAIN(this_kernel_separates_the_sockets_of_a_device),
		PLAIN(what_is_no_socket_cannot_be_marked),
	};

	return cmocka_run_group_tests_name("sockdiag", tests, begin, NULL);
}
