/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections to a server that says what the test wants: by sockets, and by
 * lwIP in a build for that (net.h).
 */
#include "tests/core/script.h"
#include "port/dial.h"
#include "port/posix/sock.h"
#include "tests/port/net.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MULTI (NBD_FLAG_HAS_FLAGS | NBD_FLAG_CAN_MULTI_CONN)
#define N     4

/* Each connection that is accepted gets the next script, then the end. */
static struct server {
	int fd;
	struct nbd_uri uri;
	char path[64]; /* of a UNIX socket */
	struct script script[N];
	unsigned n;   /* connections to accept */
	bool stays;   /* silent after its script, but for SIGUSR1 */
	bool repeats; /* the rest of its script from here on, for ever */
	size_t from;
	unsigned pause;		 /* of its clock after each byte, in ms */
	int other[SOCK_SISTERS]; /* clients that have to go before; 0: none */
	volatile bool over; /* the client has left: nobody reads the rest */
	pthread_t thread, client;
} server;

/*
 * The client's clock: it runs `speed` times as fast as the real one, and a
 * wait for events that has begun takes `jump` ms more.  Between two readings
 * it advances by `step` ms at most: a machine that stalls costs no time.
 */
static struct {
	uint64_t speed, jump, step, now, real;
	int longest; /* what poll() was asked to wait at most, -1: for ever */
} clock_;
static volatile int stop_now;

static const struct nbd_config go = { .name = "x", .name_len = 1 };
static const struct nbd_config list = { .goal = NBD_GOAL_LIST };
static struct conn conns[N];
static struct nbd_diag d;

uint64_t __real_nbd_now_ns(void);
uint64_t __wrap_nbd_now_ns(void);
uint64_t __wrap_nbd_now_ns(void)
{
	uint64_t real = __real_nbd_now_ns();
	uint64_t ns = (real - clock_.real) * clock_.speed;

	if (clock_.step && ns > clock_.step * 1000000)
		ns = clock_.step * 1000000;
	clock_.real = real;
	return clock_.now += ns;
}

int __real_poll(struct pollfd fds[], nfds_t n, int ms);
int __wrap_poll(struct pollfd fds[], nfds_t n, int ms);
int __wrap_poll(struct pollfd fds[], nfds_t n, int ms)
{
	clock_.now += clock_.jump * 1000000;
	if (ms < 0 || ms > clock_.longest)
		clock_.longest = ms;
	return __real_poll(fds, n, ms);
}

/* The bytes from i on that go out at once; false if the client is gone. */
static bool say_some(int fd, const struct script *s, size_t *i)
{
	size_t len = server.pause ? 1 : s->n - *i;
	ssize_t n = send(fd, s->srv + *i, len, MSG_NOSIGNAL);

	if (n > 0)
		*i += (size_t)n;
	if (server.pause)
		usleep((useconds_t)(server.pause * 1000 / clock_.speed));
	return n > 0;
}

static void say_all(int fd, const struct script *s)
{
	size_t i = 0;

	while (i < s->n && !server.over && say_some(fd, s, &i))
		if (server.repeats && i == s->n)
			i = server.from;
	/* a client that has to stop at that does, any other waits on */
	if (server.stays)
		pthread_kill(server.client, SIGUSR1);
	else
		shutdown(fd, SHUT_WR);
}

static void *serve(void *arg)
{
	char buf[256];
	int fds[N];

	(void)arg;
	for (unsigned i = 0; i < server.n; i++) {
		fds[i] = accept(server.fd, NULL, NULL);
		for (unsigned k = 0; k < SOCK_SISTERS && server.other[k]; k++)
			(void)!read(server.other[k], buf, 1);
		say_all(fds[i], &server.script[i]);
	}
	for (unsigned i = 0; i < server.n; i++) {
		while (read(fds[i], buf, sizeof(buf)) > 0)
			; /* until the client has gone */
		close(fds[i]);
	}
	return NULL;
}

static void listen_at(const struct sockaddr *a, socklen_t len)
{
	server.fd = socket(a->sa_family, SOCK_STREAM, 0);
	assert_true(server.fd >= 0);
	assert_int_equal(bind(server.fd, a, len), 0);
	assert_int_equal(listen(server.fd, 16), 0);
}

static void on_signal(int sig)
{
	(void)sig;
	stop_now = 1;
}

static int tcp(void **state)
{
	const struct sigaction a_signal = { .sa_handler = on_signal };
	struct sockaddr_in a = net_address();
	socklen_t len = sizeof(a);

	(void)state;
	memset(&server, 0, sizeof(server));
	listen_at((struct sockaddr *)&a, sizeof(a));
	getsockname(server.fd, (struct sockaddr *)&a, &len);
	server.uri =
		(struct nbd_uri){ .host = NET_HOST, .port = ntohs(a.sin_port) };
	server.client = pthread_self();
	sigaction(SIGUSR1, &a_signal, NULL);
	for (unsigned i = 0; i < N; i++) {
		script_start(&server.script[i]);
		conns[i].s.fd = -1;
	}
	d.text[0] = '\0';
	memset(&clock_, 0, sizeof(clock_));
	clock_.speed = 1;
	clock_.real = __real_nbd_now_ns();
	stop_now = 0;
	conns[0].stop = NULL;
	conns[0].net = net_stack();
	conns[0].s.port = 0;
	conns[0].clear = false;
	return 0;
}

static int stop(void **state)
{
	(void)state;
	close(server.fd);
	if (server.path[0])
		unlink(server.path);
	return 0;
}

static void start(unsigned n)
{
	server.n = n;
	assert_int_equal(pthread_create(&server.thread, NULL, serve, NULL), 0);
}

static void assert_all_closed(void)
{
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(conns[i].s.fd, -1);
}

/* The server waits until the client has closed all. */
static void join(void)
{
	assert_all_closed();
	pthread_join(server.thread, NULL);
}

static void say_go(struct script *s, uint64_t size, uint16_t flags)
{
	say_greeting(s, NBD_FLAG_FIXED_NEWSTYLE);
	say_info_export(s, size, flags);
	say_reply(s, NBD_OPT_GO, NBD_REP_ACK, 0);
}

static void a_name_is_tried_at_all_its_addresses(void **state)
{
	(void)state;
	/* "localhost" may be ::1 first, where nobody listens */
	say_go(&server.script[0], 4096, MULTI);
	start(1);
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d), 0);
	assert_int_equal(nbd_export(&conns[0].c)->size, 4096);
	dial_hangup(conns, 1);
	join();
}

static void four_connections_agree(void **state)
{
	(void)state;
	for (unsigned i = 0; i < N; i++)
		say_go(&server.script[i], 4096, MULTI);
	start(N);
	assert_int_equal(dial(conns, N, &server.uri, &go, NULL, &d), 0);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(nbd_state(&conns[i].c), NBD_READY);
	dial_hangup(conns, N);
	join();
}

#ifndef CONFIG_PORT_LWIP
/* A port of the dynamic range that is free now. */
static uint16_t free_port(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&a, len), 0);
	getsockname(fd, (struct sockaddr *)&a, &len);
	close(fd);
	return ntohs(a.sin_port);
}

static bool is_free(uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int rc = bind(fd, (struct sockaddr *)&a, sizeof(a));

	close(fd);
	return rc == 0;
}

/* The first of SOCK_SISTERS: the server may listen at one beside a free one. */
static uint16_t free_sisters(void)
{
	uint16_t first = 0;

	for (unsigned n = 0; n < SOCK_SISTERS;) {
		if (n == 0)
			first = (uint16_t)(free_port() & ~(SOCK_SISTERS - 1));
		n = is_free(first + (uint16_t)n) ? n + 1 : 0;
	}
	return first;
}

static uint16_t local_port(const struct conn *c)
{
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);

	assert_int_equal(getsockname(c->s.fd, (struct sockaddr *)&a, &len), 0);
	return ntohs(((struct sockaddr_in *)&a)->sin_port);
}

/* A service of three servers, of which the first is away. */
static int resolve_service(struct nbd_stack *net, const struct nbd_uri *uri,
			   struct sock_addr addrs[SOCK_MAX_ADDRS],
			   struct nbd_diag *why)
{
	(void)net;
	assert_int_equal(sock_resolve(uri, addrs, why), 1);
	addrs[1] = addrs[2] = addrs[0];
	addrs[0].port = 1;
	for (unsigned i = 0; i < 3; i++)
		addrs[i].server = true;
	return 3;
}

static int dial_service(unsigned n)
{
	static struct nbd_stack service;

	service = sock_stack;
	service.resolve = resolve_service;
	conns[0].net = &service;
	server.uri.host = "127.0.0.1";
	return dial(conns, n, &server.uri, &go, NULL, &d);
}

static void the_next_server_of_a_service_takes_over(void **state)
{
	(void)state;
	/* one ends in the handshake, or has no such export */
	say_greeting(&server.script[0], NBD_FLAG_FIXED_NEWSTYLE);
	say_reply(&server.script[0], NBD_OPT_GO, NBD_REP_ERR_UNKNOWN, 0);
	say_go(&server.script[1], 4096, MULTI);
	say_go(&server.script[2], 4096, MULTI);
	start(3);
	assert_int_equal(dial_service(2), 0);
	assert_int_equal(nbd_export(&conns[1].c)->size, 4096);
	dial_hangup(conns, 2);
	join();
}

static void a_service_that_fails_names_its_servers(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		say_greeting(&server.script[i], NBD_FLAG_FIXED_NEWSTYLE);
		say_reply(&server.script[i], NBD_OPT_GO, NBD_REP_ERR_UNKNOWN,
			  0);
	}
	start(2);
	/* the first may come back, and so it is worth another try */
	assert_int_equal(dial_service(1), NBD_E_REFUSED);
	assert_non_null(strstr(d.text, "port 1: connection refused"));
	assert_non_null(strstr(d.text, "; next server: "));
	join();
}

static void the_first_connection_has_the_local_port_that_was_set(void **state)
{
	uint16_t port = free_port();

	(void)state;
	say_go(&server.script[0], 4096, MULTI);
	say_go(&server.script[1], 4096, MULTI);
	start(2);
	conns[0].s.port = port;
	assert_int_equal(dial(conns, 2, &server.uri, &go, NULL, &d), 0);
	assert_int_equal(local_port(&conns[0]), port);
	assert_int_not_equal(local_port(&conns[1]), port);
	dial_hangup(conns, 2);
	join();
}

/* A name with two addresses, at the first of which nobody listens. */
static int resolve_two(struct nbd_stack *net, const struct nbd_uri *uri,
		       struct sock_addr addrs[SOCK_MAX_ADDRS],
		       struct nbd_diag *why)
{
	(void)net;
	assert_int_equal(sock_resolve(uri, addrs, why), 1);
	addrs[1] = addrs[0];
	addrs[0].port = 1;
	return 2;
}

static void the_next_address_has_the_local_port_too(void **state)
{
	static struct nbd_stack two;
	uint16_t port = free_port();

	(void)state;
	two = sock_stack;
	two.resolve = resolve_two;
	say_go(&server.script[0], 4096, MULTI);
	start(1);
	server.uri.host = "127.0.0.1";
	conns[0].net = &two;
	conns[0].s.port = port;
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d), 0);
	assert_int_equal(local_port(&conns[0]), port);
	dial_hangup(conns, 1);
	join();
}

/* The first refuses; `last` is another one, which no route leads to, say. */
static struct sock_addr last;

static int resolve_away(struct nbd_stack *net, const struct nbd_uri *uri,
			struct sock_addr addrs[SOCK_MAX_ADDRS],
			struct nbd_diag *why)
{
	assert_int_equal(resolve_two(net, uri, addrs, why), 2);
	addrs[1] = addrs[0];
	addrs[2] = last;
	return 3;
}

static int connect_away(struct nbd_stack *net, struct sock *s,
			const struct sock_addr *a)
{
	s->fd = -1;
	return a->host.len == 16 ? NBD_E_PERM : sock_stack.connect(net, s, a);
}

/* IPv6 comes last where it leads nowhere, and hides why IPv4 fails. */
static void the_first_address_and_the_last_say_why(void **state)
{
	static struct nbd_stack away;

	(void)state;
	away = sock_stack;
	away.resolve = resolve_away;
	away.connect = connect_away;
	server.uri.host = "127.0.0.1";
	last = (struct sock_addr){ .host = { .len = 16, .ip = { 0x20, 1 } },
				   .port = 7 };
	conns[0].net = &away;
	/* a server that may come back is worth another try */
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d),
			 NBD_E_REFUSED);
	assert_string_equal(d.text, "connect to 127.0.0.1 port 1: connection "
				    "refused; then 2001:: port 7: permission "
				    "denied");
	assert_all_closed();
}

static void a_local_port_that_is_taken_is_no_failure(void **state)
{
	uint16_t port = free_port();
	struct sockaddr_in6 a = { .sin6_family = AF_INET6,
				  .sin6_port = htons(port) };
	int fd = socket(AF_INET6, SOCK_STREAM, 0), no = 0;

	(void)state;
	/* of both families */
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 1), 0);
	say_go(&server.script[0], 4096, MULTI);
	start(1);
	conns[0].s.port = port;
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d), 0);
	assert_int_not_equal(local_port(&conns[0]), port);
	dial_hangup(conns, 1);
	join();
	close(fd);
}

/*
 * A connection to the server whose machine loses its power: the server keeps
 * it, and here is nothing of it.  Returns the server's end.
 */
static int lost_connection(uint16_t port)
{
	struct sockaddr_in a = net_address();
	struct sock s = { .port = port, .fd = socket(AF_INET, SOCK_STREAM, 0) };
	int on = 1, fd;

	a.sin_port = htons(server.uri.port);
	sock_from_bind(&s, AF_INET, sizeof(a));
	assert_int_equal(connect(s.fd, (struct sockaddr *)&a, sizeof(a)), 0);
	fd = accept(server.fd, NULL, NULL);
	assert_true(fd >= 0);
	/* closed in this state, it says nothing; only for root */
	if (setsockopt(s.fd, IPPROTO_TCP, TCP_REPAIR, &on, sizeof(on))) {
		close(fd);
		fd = -1;
	}
	close(s.fd);
	return fd;
}

/* A server for one client is silent until the others have gone. */
static void connections_from_before_a_power_cut_are_dropped(void **state)
{
	uint16_t port = free_sisters();
	char c;

	(void)state;
	server.uri.host = "127.0.0.1";
	for (unsigned i = 0; i < SOCK_SISTERS; i++) {
		server.other[i] = lost_connection(port ^ (uint16_t)i);
		if (server.other[i] < 0)
			skip();
	}
	say_go(&server.script[0], 4096, MULTI);
	start(1);
	conns[0].s.port = port;
	conns[0].clear = true;
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d), 0);
	assert_int_equal(local_port(&conns[0]), port);
	dial_hangup(conns, 1);
	join();
	for (unsigned i = 0; i < SOCK_SISTERS; i++) {
		assert_int_equal(read(server.other[i], &c, 1), 0);
		close(server.other[i]);
	}
}

static void a_server_that_answers_sees_one_connection(void **state)
{
	struct pollfd more = { .fd = server.fd, .events = POLLIN };

	(void)state;
	say_go(&server.script[0], 4096, MULTI);
	start(1);
	conns[0].s.port = free_port();
	conns[0].clear = true;
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d), 0);
	assert_int_equal(__real_poll(&more, 1, 0), 0);
	dial_hangup(conns, 1);
	join();
}

static void a_second_connection_from_a_local_port_takes_another(void **state)
{
	static struct conn first[1];
	uint16_t port = free_port();

	(void)state;
	say_go(&server.script[0], 4096, MULTI);
	say_go(&server.script[1], 4096, MULTI);
	start(2);
	first[0].net = &sock_stack;
	first[0].s.port = conns[0].s.port = port;
	assert_int_equal(dial(first, 1, &server.uri, &go, NULL, &d), 0);
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d), 0);
	assert_int_equal(local_port(&first[0]), port);
	assert_int_not_equal(local_port(&conns[0]), port);
	dial_hangup(conns, 1);
	dial_hangup(first, 1);
	join();
}
#endif

static void sizes_that_differ_are_refused(void **state)
{
	(void)state;
	say_go(&server.script[0], 4096, MULTI);
	say_go(&server.script[1], 8192, MULTI);
	start(2);
	assert_int_equal(dial(conns, 2, &server.uri, &go, NULL, &d),
			 NBD_E_MISMATCH);
	assert_non_null(strstr(d.text, "4096"));
	assert_non_null(strstr(d.text, "8192"));
	join();
}

static void flags_that_differ_are_refused(void **state)
{
	(void)state;
	say_go(&server.script[0], 4096, MULTI);
	say_go(&server.script[1], 4096, MULTI | NBD_FLAG_READ_ONLY);
	start(2);
	assert_int_equal(dial(conns, 2, &server.uri, &go, NULL, &d),
			 NBD_E_MISMATCH);
	join();
}

static void several_connections_need_can_multi_conn(void **state)
{
	(void)state;
	/* as by a server for one client, which leaves the others waiting */
	say_go(&server.script[0], 4096, NBD_FLAG_HAS_FLAGS);
	start(1);
	assert_int_equal(dial(conns, N, &server.uri, &go, NULL, &d),
			 NBD_E_MULTI_CONN);
	join();
}

/* At the greeting there is no option that a second connection could leave out. */
static void a_cut_after_every_byte_is_an_error(void **state)
{
	size_t end;

	(void)state;
	say_go(&server.script[0], 4096, MULTI);
	end = server.script[0].n;
	for (size_t n = 0; n < end; n++) {
		server.script[0].n = n;
		start(n < 18 ? 1 : 2);
		assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d),
				 NBD_E_CUT);
		assert_non_null(strstr(d.text, n < 18 ? "greeting" : "_GO"));
		join();
	}
}

/* ---- servers that end the connection at an option ---- */

static void say_hello(unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		say_greeting(&server.script[i],
			     NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES);
}

/* By NBD_OPT_EXPORT_NAME. */
static void say_export(struct script *s, uint64_t size)
{
	say(s, size, 8);
	say(s, NBD_FLAG_HAS_FLAGS | NBD_FLAG_CAN_MULTI_CONN, 2);
}

static void replies_that_a_server_ends_at_are_left_out(void **state)
{
	static const struct nbd_config most = { .name = "x",
						.name_len = 1,
						.extra = NBD_BEST_REPLIES };

	(void)state;
	/* the crate nbd 0.2 at EXTENDED_HEADERS, others at the next one, too */
	say_hello(0, 2);
	say_go(&server.script[2], 4096, MULTI);
	start(3);
	assert_int_equal(dial(conns, 1, &server.uri, &most, NULL, &d), 0);
	assert_int_equal(nbd_replies(&conns[0].c), NBD_SIMPLE);
	dial_hangup(conns, 1);
	join();
}

static void a_server_that_ends_twice_at_go_is_asked_without(void **state)
{
	(void)state;
	say_hello(0, 4);
	say_export(&server.script[2], 8192);
	say_export(&server.script[3], 8192);
	start(4);
	/* the second of two does not try the same again */
	assert_int_equal(dial(conns, 2, &server.uri, &go, NULL, &d), 0);
	assert_int_equal(nbd_export(&conns[1].c)->size, 8192);
	dial_hangup(conns, 2);
	join();
}

/* Without GO its block sizes would be lost. */
static void a_server_that_restarts_at_go_is_asked_again(void **state)
{
	(void)state;
	say_hello(0, 1);
	say_greeting(&server.script[1], NBD_FLAG_FIXED_NEWSTYLE);
	say_info_block(&server.script[1], 4096, 4096, 1 << 20);
	say_info_export(&server.script[1], 8192, MULTI);
	say_reply(&server.script[1], NBD_OPT_GO, NBD_REP_ACK, 0);
	start(2);
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d), 0);
	assert_int_equal(nbd_export(&conns[0].c)->min_block, 4096);
	dial_hangup(conns, 1);
	join();
}

static void
a_server_that_refuses_go_and_then_ends_is_asked_without(void **state)
{
	(void)state;
	say_hello(0, 2);
	say_reply(&server.script[0], NBD_OPT_GO, NBD_REP_ERR | 1, 0);
	say_export(&server.script[1], 8192);
	start(2);
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d), 0);
	assert_int_equal(nbd_export(&conns[0].c)->size, 8192);
	dial_hangup(conns, 1);
	join();
}

static void each_option_that_a_server_ended_at_is_named(void **state)
{
	(void)state;
	say_hello(0, 3);
	start(3);
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d),
			 NBD_E_NO_EXPORT);
	assert_string_equal(d.text,
			    "NBD_OPT_GO: the server closed the connection; "
			    "then: NBD_OPT_EXPORT_NAME: the server has no "
			    "export \"x\"");
	join();
}

static void a_cut_in_the_list_is_an_error(void **state)
{
	struct script *s = &server.script[0];
	int err;

	(void)state;
	say_greeting(s, NBD_FLAG_FIXED_NEWSTYLE);
	say_item(s, "a", "");
	say_item(s, "b", "");
	for (size_t end = s->n; s->n >= 18; s->n--) {
		start(1);
		err = dial(conns, 1, &server.uri, &list, NULL, &d);
		while (!err) {
			nbd_next(&conns[0].c);
			err = dial_resume(&conns[0], &d);
		}
		assert_int_equal(err, NBD_E_CUT);
		join();
		assert_true(end);
	}
}

static void the_servers_words_are_passed_on_escaped(void **state)
{
	struct script *s = &server.script[0];

	(void)state;
	say_greeting(s, NBD_FLAG_FIXED_NEWSTYLE);
	say_reply(s, NBD_OPT_GO, NBD_REP_ERR_UNKNOWN, 9);
	say_bytes(s, "no \x1b[2J x", 9);
	start(1);
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d),
			 NBD_E_NO_EXPORT);
	assert_non_null(strstr(d.text, "\"no \\x1b[2J x\""));
	join();
}

static void nobody_there_is_refused(void **state)
{
	(void)state;
	close(server.fd);
	server.fd = -1;
	assert_int_equal(dial(conns, 2, &server.uri, &go, NULL, &d),
			 NBD_E_REFUSED);
	assert_non_null(strstr(d.text, NET_SERVER " port"));
	assert_all_closed();
}

#ifndef CONFIG_PORT_LWIP
/* ICMP as Linux shows it: of the next socket, when connected or when read. */
static int icmp_connect, icmp_read;

int __real_getsockopt(int fd, int level, int name, void *p, socklen_t *len);
int __wrap_getsockopt(int fd, int level, int name, void *p, socklen_t *len);
int __wrap_getsockopt(int fd, int level, int name, void *p, socklen_t *len)
{
	int rc = __real_getsockopt(fd, level, name, p, len);

	if (level == SOL_SOCKET && name == SO_ERROR && icmp_connect)
		*(int *)p = icmp_connect;
	return rc;
}

ssize_t __real_recv(int fd, void *p, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *p, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *p, size_t len, int flags)
{
	errno = icmp_read;
	return icmp_read ? -1 : __real_recv(fd, p, len, flags);
}

/* A firewall on the way, or of the server, may let it pass a moment later. */
static void what_icmp_refuses_is_an_outage(void **state)
{
	static const int refusals[] = { EHOSTUNREACH, EHOSTDOWN, ENONET,
					EACCES,	      EPROTO,	 ENOPROTOOPT };

	(void)state;
	say_go(&server.script[0], 4096, 0);
	start(1);
	icmp_read = EACCES;
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d),
			 NBD_E_UNREACHABLE);
	join();
	/* nor is one that this machine ends (ss -K) a fault of the disk */
	start(1);
	icmp_read = ECONNABORTED;
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d),
			 NBD_E_RESET);
	icmp_read = 0;
	join();
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		icmp_connect = refusals[i];
		assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d),
				 NBD_E_UNREACHABLE);
		assert_non_null(strstr(d.text, "the server cannot be reached"));
	}
	icmp_connect = 0;
}

static void unix_sockets_are_named_by_their_path(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	(void)state;
	close(server.fd);
	snprintf(server.path, sizeof(server.path), "/tmp/nbd-test.%d",
		 (int)getpid());
	memcpy(a.sun_path, server.path, strlen(server.path));
	server.uri = (struct nbd_uri){ .is_unix = true,
				       .socket = server.path,
				       .socket_len = strlen(server.path) };
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d),
			 NBD_E_NO_SOCKET);
	assert_non_null(strstr(d.text, server.path));
	/* a part of the path is a file */
	server.uri.socket = "/proc/self/comm/sock";
	server.uri.socket_len = strlen(server.uri.socket);
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d),
			 NBD_E_NO_SOCKET);
	server.uri.socket = server.path;
	server.uri.socket_len = strlen(server.path);

	listen_at((struct sockaddr *)&a, sizeof(a));
	for (unsigned i = 0; i < N; i++)
		say_go(&server.script[i], 4096, MULTI);
	start(N);
	assert_int_equal(dial(conns, N, &server.uri, &go, NULL, &d), 0);
	dial_hangup(conns, N);
	join();
}

static void a_socket_path_that_is_too_long_is_reported(void **state)
{
	char path[200];

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	server.uri = (struct nbd_uri){ .is_unix = true,
				       .socket = path,
				       .socket_len = sizeof(path) - 1 };
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d), NBD_E_URI);
}
#endif

static void a_name_without_address_is_reported(void **state)
{
	(void)state;
	server.uri.host = "no-such-host.invalid";
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d),
			 NBD_E_RESOLVE);
	assert_non_null(strstr(d.text, "no-such-host.invalid"));
}

/* ---- deadlines ---- */

/* Dials with a clock that runs 200 times as fast. */
static void dial_late(void)
{
	clock_.speed = 200;
	start(1);
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d),
			 NBD_E_TIMEOUT);
	server.over = true;
	join();
	assert_true(clock_.longest >= 0);
}

/* Dials a server that never ends: the deadline does. */
static void dial_in_time(void)
{
	clock_.step = 500;
	dial_late();
	assert_in_range(nbd_now_ms(), DIAL_HANDSHAKE_MS, 3 * DIAL_HANDSHAKE_MS);
}

/* An info that is unknown, and so is skipped. */
static void say_nothing(struct script *s)
{
	say_reply(s, NBD_OPT_GO, NBD_REP_INFO, 2);
	say(s, 0x7777, 2);
}

static void a_server_that_talks_without_end_is_late(void **state)
{
	struct script *s = &server.script[0];

	(void)state;
	say_greeting(s, NBD_FLAG_FIXED_NEWSTYLE);
	server.repeats = true;
	server.from = s->n;
	while (s->n < SCRIPT_MAX / 2)
		say_nothing(s);
	dial_in_time();
	assert_non_null(strstr(d.text, "NBD_OPT_GO"));
}

static void a_server_of_one_byte_a_second_is_late(void **state)
{
	struct script *s = &server.script[0];

	(void)state;
	say_greeting(s, NBD_FLAG_FIXED_NEWSTYLE);
	server.repeats = true;
	server.from = s->n;
	say_nothing(s);
	server.pause = 1000;
	dial_in_time();
}

static void a_silent_server_is_late(void **state)
{
	(void)state;
	say_greeting(&server.script[0], NBD_FLAG_FIXED_NEWSTYLE);
	server.stays = true;
	dial_late();
}

/* As after SIGSTOP, or a suspend: the deadline is behind the next poll(). */
static void time_that_jumps_ends_the_wait(void **state)
{
	(void)state;
	say_greeting(&server.script[0], NBD_FLAG_FIXED_NEWSTYLE);
	server.stays = true;
	clock_.jump = DIAL_HANDSHAKE_MS + 2000;
	dial_late();
	assert_true(clock_.longest <= 1000);
}

/* Many small answers are many turns of the caller's, without a deadline. */
static void a_list_without_end_is_late(void **state)
{
	struct script *s = &server.script[0];
	int err;

	(void)state;
	say_greeting(s, NBD_FLAG_FIXED_NEWSTYLE);
	server.repeats = true;
	server.from = s->n;
	while (s->n < SCRIPT_MAX / 2)
		say_item(s, "a", "");
	clock_.speed = 200;
	start(1);
	err = dial(conns, 1, &server.uri, &list, NULL, &d);
	while (!err) {
		nbd_next(&conns[0].c);
		err = dial_resume(&conns[0], &d);
	}
	assert_int_equal(err, NBD_E_TIMEOUT);
	join();
}

/* As mbedTLS does with warnings: reads on until nothing is left. */
static struct nbd_transport *below;

static int tls_start(struct nbd_tls *t, unsigned conn, struct nbd_transport *b,
		     struct nbd_diag *why)
{
	(void)t, (void)conn, (void)why;
	below = b;
	return 0;
}

static int tls_step(struct nbd_tls *t, unsigned conn, struct nbd_diag *why)
{
	char buf[4];
	int n;

	(void)t, (void)conn, (void)why;
	while ((n = below->read(below, buf, sizeof(buf))) > 0)
		;
	return n == NBD_E_AGAIN ? (int)NBD_RECV : NBD_E_TLS;
}

static void tls_stop(struct nbd_tls *t, unsigned conn)
{
	(void)t, (void)conn;
}

static void tls_that_reads_without_end_is_late(void **state)
{
	struct nbd_tls tls = { tls_start, tls_step, NULL, tls_stop };
	const struct nbd_config secret = { .tls = true };
	struct script *s = &server.script[0];

	(void)state;
	say_greeting(s, NBD_FLAG_FIXED_NEWSTYLE);
	say_reply(s, NBD_OPT_STARTTLS, NBD_REP_ACK, 0);
	server.repeats = true;
	server.from = s->n;
	say_fill(s, 1, SCRIPT_MAX / 2);
	clock_.speed = 200;
	clock_.step = 500;
	start(1);
	assert_int_equal(dial(conns, 1, &server.uri, &secret, &tls, &d),
			 NBD_E_TIMEOUT);
	assert_string_equal(d.text, "TLS handshake: no answer in time");
	join();
}

static int tls_is_done(struct nbd_tls *t, unsigned conn, struct nbd_diag *why)
{
	(void)t, (void)conn, (void)why;
	return 0;
}

static struct nbd_transport *tls_plain(struct nbd_tls *t, unsigned conn)
{
	(void)t, (void)conn;
	return below;
}

static void a_close_behind_tls_may_be_our_credentials(void **state)
{
	struct nbd_tls tls = { tls_start, tls_is_done, tls_plain, tls_stop };
	struct nbd_config secret = list;
	struct script *s = &server.script[0];

	(void)state;
	secret.tls = true;
	say_greeting(s, NBD_FLAG_FIXED_NEWSTYLE);
	say_reply(s, NBD_OPT_STARTTLS, NBD_REP_ACK, 0);
	start(1);
	assert_int_equal(dial(conns, 1, &server.uri, &secret, &tls, &d),
			 NBD_E_CUT);
	assert_string_equal(d.text,
			    "NBD_OPT_LIST: the server closed the connection, "
			    "right after TLS: the server may want other "
			    "credentials (a certificate or a key that it "
			    "trusts)");
	join();
}

static int read_one_byte(struct nbd_transport *t, void *buf, size_t len)
{
	static const unsigned char info[] = { 0,    3,	  0xe8, 0x89, 4, 0x55,
					      0x65, 0xa9, 0,	0,    0, 7,
					      0,    0,	  0,	3,    0, 0,
					      0,    2,	  0x77, 0x77 };
	struct script *s = &server.script[0];

	(void)t, (void)len;
	*(unsigned char *)buf = s->fed < s->n
					? s->srv[s->fed]
					: info[(s->fed - s->n) % sizeof(info)];
	s->fed++;
	return 1;
}

static int write_all(struct nbd_transport *t, const struct nbd_iov v[],
		     unsigned n)
{
	size_t len = 0;

	(void)t;
	for (unsigned i = 0; i < n; i++)
		len += v[i].len;
	return (int)len;
}

static void a_pump_ends_though_there_is_more(void **state)
{
	struct nbd_transport t = { read_one_byte, write_all, NULL };
	static struct nbd_client c;

	(void)state;
	say_greeting(&server.script[0], NBD_FLAG_FIXED_NEWSTYLE);
	nbd_init(&c, &go);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(nbd_pump(&c, &t), 1);
	assert_int_equal(nbd_error(&c), 0);
	assert_in_range(server.script[0].fed, 1000, 1000000);
}

/* The server sends the signal where it would have gone on. */
static void a_signal_ends_the_wait(void **state)
{
	(void)state;
	say_greeting(&server.script[0], NBD_FLAG_FIXED_NEWSTYLE);
	server.stays = true;
	conns[0].stop = &stop_now;
	start(1);
	assert_int_equal(dial(conns, 1, &server.uri, &go, NULL, &d),
			 NBD_E_INTERRUPTED);
	join();
	assert_in_range(nbd_now_ms(), 0, DIAL_HANDSHAKE_MS / 3);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, tcp, stop)
	static const struct CMUnitTest tests[] = {
		T(a_name_is_tried_at_all_its_addresses),
		T(four_connections_agree),
#ifndef CONFIG_PORT_LWIP
		T(the_next_server_of_a_service_takes_over),
		T(a_service_that_fails_names_its_servers),
		T(the_first_connection_has_the_local_port_that_was_set),
		T(the_next_address_has_the_local_port_too),
		T(the_first_address_and_the_last_say_why),
		T(a_local_port_that_is_taken_is_no_failure),
		T(connections_from_before_a_power_cut_are_dropped),
		T(a_server_that_answers_sees_one_connection),
		T(a_second_connection_from_a_local_port_takes_another),
#endif
		T(sizes_that_differ_are_refused),
		T(flags_that_differ_are_refused),
		T(several_connections_need_can_multi_conn),
		T(a_cut_after_every_byte_is_an_error),
		T(a_cut_in_the_list_is_an_error),
		T(replies_that_a_server_ends_at_are_left_out),
		T(a_server_that_ends_twice_at_go_is_asked_without),
		T(a_server_that_restarts_at_go_is_asked_again),
		T(a_server_that_refuses_go_and_then_ends_is_asked_without),
		T(each_option_that_a_server_ended_at_is_named),
		T(the_servers_words_are_passed_on_escaped),
		T(nobody_there_is_refused),
#ifndef CONFIG_PORT_LWIP
		T(what_icmp_refuses_is_an_outage),
		T(unix_sockets_are_named_by_their_path),
		T(a_socket_path_that_is_too_long_is_reported),
#endif
		T(a_name_without_address_is_reported),
		T(a_server_that_talks_without_end_is_late),
		T(a_server_of_one_byte_a_second_is_late),
		T(a_silent_server_is_late),
		T(time_that_jumps_ends_the_wait),
		T(a_list_without_end_is_late),
		T(tls_that_reads_without_end_is_late),
		T(a_close_behind_tls_may_be_our_credentials),
		T(a_pump_ends_though_there_is_more),
		T(a_signal_ends_the_wait),
	};

	return cmocka_run_group_tests_name("dial", tests, net_start, NULL);
}
