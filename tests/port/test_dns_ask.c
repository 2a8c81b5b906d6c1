/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions to name servers that are played, on a clock that is played. */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>

#include "port/posix/dns.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/path.h"

#define FIRST	   1000 /* descriptor */
#define FDS	   64
#define HEAD	   12
#define TIMEOUT_MS 4000

/* What a server does with a question, by UDP and by TCP. */
enum udp {
	SILENT,
	NONE,
	RIGHT,
	CUT,
	LEAVES,	     /* after NONE nobody listens there */
	DENIES_AAAA, /* and drops A */
	DROPS_AAAA,  /* and is right */
	NO_NAME,
	NO_NAME_DROPS_AAAA,
	NO_NAME_AAAA, /* and NONE for A (RFC 4074, 4.2) */
	REFUSES,
	CLOSED, /* an error at the next call after a question */
	UDPS
};
enum tcp { TCP_SILENT, TCP_RIGHT, TCP_CLOSED, TCPS, TCP_CUT };

static struct server {
	enum udp udp;
	enum tcp tcp;
	bool v6;
	unsigned late; /* ms */
} servers[DNS_SERVERS];

static struct end {
	bool open, tcp, gone;
	unsigned server;
	unsigned char in[600]; /* what comes */
	size_t n;
	uint64_t at; /* ms: it comes */
} ends[FDS];

static unsigned n_ends, n_open;
static unsigned sent;	 /* by UDP */
static size_t first_tcp; /* bytes of the first piece to a server */
static struct dns_found four, six;
static bool no_entropy;
static bool no_ipv6; /* in the kernel */
static unsigned id;  /* of the first question by UDP */
static struct dns_target targets[DNS_TARGETS];

int __wrap_socket(int domain, int type, int protocol);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len);
ssize_t __wrap_send(int fd, const void *p, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *p, size_t len, int flags);
int __wrap_close(int fd);
ssize_t __real_getrandom(void *p, size_t len, unsigned flags);
ssize_t __wrap_getrandom(void *p, size_t len, unsigned flags);
int __real_close(int fd);

int __wrap_socket(int domain, int type, int protocol)
{
	(void)protocol;
	/* it would run modprobe */
	assert_false(no_ipv6 && domain == AF_INET6);
	assert_true(type & SOCK_CLOEXEC && type & SOCK_NONBLOCK);
	assert_true(n_ends < FDS);
	ends[n_ends] = (struct end){
		.open = true,
		.tcp = (type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) == SOCK_STREAM,
	};
	n_open++;
	return FIRST + (int)n_ends++;
}

/* As early in a boot. */
ssize_t __wrap_getrandom(void *p, size_t len, unsigned flags)
{
	static const unsigned char bad[] = { 0xab, 0xab, 0xab, 0xab };

	if (!no_entropy)
		return __real_getrandom(p, len, flags);
	errno = EAGAIN;
	if (flags != 4) /* GRND_INSECURE */
		return -1;
	assert_int_equal(len, sizeof(bad));
	memcpy(p, bad, len);
	return (ssize_t)len;
}

static struct end *end_of(int fd)
{
	assert_true(fd >= FIRST && fd < FIRST + (int)n_ends);
	assert_true(ends[fd - FIRST].open);
	return &ends[fd - FIRST];
}

int __wrap_close(int fd)
{
	if (fd < FIRST)
		return __real_close(fd);
	end_of(fd)->open = false;
	n_open--;
	return 0;
}

/* Server N is 192.0.2.N, and if it has IPv6 2001:db8::N. */
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len)
{
	const struct sockaddr_in *in = (const void *)to;
	const struct sockaddr_in6 *in6 = (const void *)to;
	struct end *e = end_of(fd);
	bool v6 = to->sa_family == AF_INET6;

	assert_int_equal(len, v6 ? sizeof(*in6) : sizeof(*in));
	assert_int_equal(ntohs(in->sin_port), DNS_PORT);
	e->server = v6 ? in6->sin6_addr.s6_addr[15]
		       : ntohl(in->sin_addr.s_addr) & 0xff;
	errno = EINPROGRESS;
	return e->tcp ? -1 : 0;
}

/* The question q, and an A if it asks for one and `right`. */
static void answer(struct end *e, const unsigned char *q, size_t len,
		   bool right, unsigned flags)
{
	static const unsigned char record[] = "\300\14\0\1\0\1\0\0\0\1\0\4\300"
					      "\0\2\11";
	unsigned char *p = e->in + e->n + 2 * e->tcp;
	size_t n = len;

	assert_true(e->n + 2 + len + 16 <= sizeof(e->in));
	memcpy(p, q, len);
	p[2] = (unsigned char)(p[2] | 0x80 | flags >> 8);
	p[3] = (unsigned char)flags;
	if (right && q[len - 3] == DNS_A) {
		p[7] = 1;
		memcpy(p + len, record, 16);
		n += 16;
	}
	if (e->tcp) {
		p[-2] = (unsigned char)(n >> 8);
		p[-1] = (unsigned char)n;
	}
	e->n += n + 2 * e->tcp;
}

/*
 * An answer for SRV that is cut: by UDP a server with port 11, by TCP another one
 * with port 22.
 */
static void answer_service(struct end *e, const unsigned char *q, size_t len)
{
	unsigned char record[] = "\300\14\0\41\0\1\0\0\0\1\0\11"
				 "\0\1\0\1\0\13\1a";
	unsigned char *p = e->in + 2 * e->tcp;

	assert_int_equal(len, HEAD + 17);
	if (e->tcp)
		record[17] = 22;
	memcpy(p, q, len);
	p[2] = 0x82;
	p[7] = 1;
	memcpy(p + len, record, sizeof(record));
	e->n = len + sizeof(record) + 2 * e->tcp;
	if (e->tcp) {
		e->in[0] = 0;
		e->in[1] = (unsigned char)(e->n - 2);
	}
}

static bool drops(enum udp udp, unsigned type)
{
	return udp == SILENT || udp == CLOSED ||
	       (udp == DENIES_AAAA && type == DNS_A) ||
	       ((udp == DROPS_AAAA || udp == NO_NAME_DROPS_AAAA) &&
		type == DNS_AAAA);
}

static unsigned flags_of(enum udp udp, unsigned type)
{
	return udp == CUT	? 0x200
	       : udp == REFUSES ? 5
	       : udp == NO_NAME || udp == NO_NAME_DROPS_AAAA ||
			       (udp == NO_NAME_AAAA && type == DNS_AAAA)
		       ? 3
		       : 0;
}

ssize_t __wrap_send(int fd, const void *p, size_t len, int flags)
{
	unsigned type = ((const uint8_t *)p)[len - 3];
	struct end *e = end_of(fd);
	const struct server *s = &servers[e->server];

	assert_true(flags & MSG_NOSIGNAL);
	if (!id)
		id = (unsigned)((const uint8_t *)p)[0] << 8 |
		     ((const uint8_t *)p)[1];
	if (e->gone && !e->n) {
		e->gone = false;
		errno = ECONNREFUSED;
		return -1;
	}
	e->gone = !e->tcp && (s->udp == LEAVES || s->udp == CLOSED);
	e->at = world.now + s->late;
	sent += !e->tcp;
	if (s->tcp == TCP_CUT) {
		answer_service(e, (const uint8_t *)p + 2 * e->tcp,
			       len - 2 * e->tcp);
		return (ssize_t)len;
	}
	if (!e->tcp && !drops(s->udp, type))
		answer(e, p, len, s->udp == RIGHT || s->udp == DROPS_AAAA,
		       flags_of(s->udp, type));
	if (!e->tcp)
		return (ssize_t)len;
	if (s->tcp == TCP_CLOSED) {
		errno = ECONNREFUSED;
		return -1;
	}
	if (!first_tcp)
		first_tcp = len;
	if (s->tcp == TCP_RIGHT && len > 2)
		answer(e, (const unsigned char *)p + 2, len - 2, true, 0);
	return (ssize_t)len;
}

ssize_t __wrap_recv(int fd, void *p, size_t len, int flags)
{
	struct end *e = end_of(fd);
	size_t n = e->n < len ? e->n : len;

	(void)flags;
	errno = e->gone && !e->n ? ECONNREFUSED : EAGAIN;
	e->gone &= e->n > 0;
	if (!e->n)
		return -1;
	/* of UDP one answer at a time: both kinds are of one length then */
	if (!e->tcp && n > HEAD + 17 + 16 && servers[0].tcp != TCP_CUT)
		n = HEAD + 17 + (e->in[7] ? 16 : 0);
	memcpy(p, e->in, n);
	e->n -= n;
	memmove(e->in, e->in + n, e->n);
	return (ssize_t)n;
}

static bool has_input(const struct end *e)
{
	return e->n ? world.now >= e->at : e->gone;
}

static int played_wait(struct pollfd *p, nfds_t n, int ms)
{
	uint64_t next = world.now + (uint64_t)ms;
	int ready = 0;

	assert_true(ms >= 0);
	for (nfds_t i = 0; i < n; i++) {
		const struct end *e;

		p[i].revents = 0;
		if (p[i].fd < 0)
			continue;
		e = end_of(p[i].fd);
		if (e->n && world.now < e->at && e->at < next)
			next = e->at;
		p[i].revents = (short)(has_input(e) ? POLLIN : 0) | POLLOUT;
		p[i].revents &= p[i].events;
		ready += p[i].revents != 0;
	}
	if (!ready)
		world.now = next;
	return ready;
}

/* With _FORTIFY_SOURCE, where a size is not constant. */
ssize_t __wrap___recv_chk(int fd, void *p, size_t len, size_t size, int flags);

ssize_t __wrap___recv_chk(int fd, void *p, size_t len, size_t size, int flags)
{
	assert_true(len <= size);
	return __wrap_recv(fd, p, len, flags);
}

static void begin(struct dns_conf *c, unsigned n, unsigned attempts)
{
	*c = (struct dns_conf){
		.n = n,
		.attempts = attempts,
		.timeout_ms = TIMEOUT_MS,
	};
	for (unsigned i = 0; i < n; i++) {
		unsigned char *p;

		c->server[i] = (struct sock_addr){ .port = DNS_PORT };
		p = c->server[i].host.ip;
		c->server[i].host.len = servers[i].v6 ? 16 : 4;
		memcpy(p, servers[i].v6 ? "\x20\1\xd\xb8" : "\xc0\0\2", 4);
		p[c->server[i].host.len - 1] = (unsigned char)i;
	}
	n_ends = n_open = sent = 0;
	first_tcp = 0;
	id = 0;
	world = (struct world){ .now = 5000,
				.wait = played_wait,
				.others = WORLD_REAL };
	world_file("/proc/net/if_inet6", no_ipv6 ? NULL : "");
}

/* Asks for "srv.example"; the question has HEAD + 17 bytes. */
static int ask(unsigned n, unsigned attempts, bool want_six)
{
	struct dns_conf c;
	int rc;

	begin(&c, n, attempts);
	rc = dns_ask(&c, "srv.example", want_six, &four, &six);
	assert_int_equal(n_open, 0);
	return rc;
}

static void a_question_by_tcp_is_one_piece(void **state)
{
	(void)state;
	servers[0] = (struct server){ .udp = CUT, .tcp = TCP_RIGHT };
	assert_int_equal(ask(1, 2, false), 1);
	assert_int_equal(four.n, 1);
	assert_memory_equal(four.ip[0].ip, "\300\0\2\11", 4);
	assert_int_equal(first_tcp, 2 + HEAD + 17);
}

static void a_server_silent_by_tcp_leaves_time_for_the_next(void **state)
{
	(void)state;
	servers[0] = (struct server){ .udp = CUT, .tcp = TCP_SILENT };
	servers[1] = (struct server){ .udp = CUT, .tcp = TCP_RIGHT };
	for (unsigned attempts = 1; attempts <= 5; attempts++)
		assert_int_equal(ask(2, attempts, true), 1);
}

static void a_server_without_tcp_is_not_waited_for(void **state)
{
	(void)state;
	servers[0] = (struct server){ .udp = CUT, .tcp = TCP_CLOSED };
	servers[1] = (struct server){ .udp = NONE, .tcp = TCP_CLOSED };
	assert_int_equal(ask(2, 2, false), 0);
	assert_int_equal(world.now, 5000);
}

static void all_attempts_have_one_time(void **state)
{
	const unsigned kinds = UDPS * TCPS;

	(void)state;
	for (unsigned i = 0; i < 5 * 2 * kinds * kinds; i++) {
		unsigned a = i % kinds, b = i / kinds % kinds;
		unsigned rest = i / kinds / kinds;

		servers[0] =
			(struct server){ .udp = a % UDPS, .tcp = a / UDPS };
		servers[1] =
			(struct server){ .udp = b % UDPS, .tcp = b / UDPS };
		ask(2, 1 + rest / 2, rest % 2);
		assert_in_range(world.now - 5000, 0, TIMEOUT_MS);
	}
}

static void without_entropy_no_clock_is_the_id(void **state)
{
	(void)state;
	servers[0] = (struct server){ .udp = RIGHT, .tcp = TCP_CLOSED };
	no_entropy = true;
	assert_int_equal(ask(1, 2, true), 1);
	no_entropy = false;
	assert_int_equal(id, 0xabab);
	/* the answer to the AAAA was known from that to the A */
	assert_int_equal(world.now, 5000);
}

static void without_ipv6_no_socket_of_it_is_asked_for(void **state)
{
	(void)state;
	servers[0] = (struct server){ .udp = RIGHT, .v6 = true };
	servers[1] = (struct server){ .udp = RIGHT };
	no_ipv6 = true;
	assert_int_equal(ask(2, 2, true), 1);
	assert_int_equal(n_ends, 1);
	/* no way to any server: nothing to wait for */
	assert_int_equal(ask(1, 2, true), NBD_E_UNREACHABLE);
	assert_int_equal(world.now, 5000);
	no_ipv6 = false;
	assert_int_equal(ask(1, 2, true), 1);
	assert_int_equal(four.n, 1);
}

static void an_answer_stays_when_its_server_leaves(void **state)
{
	(void)state;
	servers[0] = (struct server){ .udp = LEAVES };
	servers[1] = (struct server){ .udp = SILENT };
	assert_int_equal(ask(2, 2, true), 0);
	assert_in_range(world.now - 5000, 1, TIMEOUT_MS / 2 - 1);
}

static void a_name_without_one_kind_is_not_denied(void **state)
{
	(void)state;
	servers[0] = (struct server){ .udp = DENIES_AAAA };
	assert_int_equal(ask(1, 2, true), NBD_E_TIMEOUT);
	servers[1] = (struct server){ .udp = NONE };
	assert_int_equal(ask(2, 2, true), 0);
}

static void refusals_are_not_waited_for(void **state)
{
	(void)state;
	servers[0] = (struct server){ .udp = REFUSES };
	servers[1] = (struct server){ .udp = CLOSED };
	servers[2] = (struct server){ .udp = CUT, .tcp = TCP_CLOSED };
	for (unsigned n = 1; n <= 3; n++) {
		assert_int_equal(ask(n, 2, true), NBD_E_REFUSED);
		assert_int_equal(world.now, 5000);
	}
	/* they are asked as often as if they were silent */
	assert_int_equal(ask(1, 3, true), NBD_E_REFUSED);
	assert_int_equal(sent, 3 * 2);
	servers[0] = servers[1];
	assert_int_equal(ask(1, 2, true), NBD_E_REFUSED);
	assert_int_equal(world.now, 5000);
	/* one that is silent may still answer */
	servers[0] = (struct server){ .udp = SILENT };
	assert_int_equal(ask(2, 2, true), NBD_E_TIMEOUT);
	assert_int_equal(world.now, 5000 + TIMEOUT_MS);
}

static void a_denial_waits_for_others_after_a_refusal(void **state)
{
	(void)state;
	servers[0] = (struct server){ .udp = REFUSES };
	servers[1] = (struct server){ .udp = NONE, .late = 700 };
	servers[2] = (struct server){ .udp = RIGHT, .late = 900 };
	assert_int_equal(ask(3, 1, false), 1);
	assert_int_equal(world.now, 5000 + 900);
}

static void an_aaaa_has_half_a_second_after_the_a(void **state)
{
	(void)state;
	servers[0] = (struct server){ .udp = DROPS_AAAA };
	for (unsigned attempts = 1; attempts <= 5; attempts++) {
		assert_int_equal(ask(1, attempts, true), 1);
		assert_int_equal(world.now, 5500);
	}
	/* from then on: not since a server refused it */
	servers[0] = (struct server){ .udp = REFUSES };
	servers[1] = (struct server){ .udp = DROPS_AAAA, .late = 700 };
	assert_int_equal(ask(2, 1, true), 1);
	assert_int_equal(world.now, 5000 + 700 + 500);
}

static void
a_name_that_is_not_there_is_told_from_one_without_address(void **state)
{
	(void)state;
	servers[0] = (struct server){ .udp = NO_NAME };
	servers[1] = (struct server){ .udp = REFUSES };
	for (unsigned n = 1; n <= 2; n++) {
		assert_int_equal(ask(n, 2, false), NBD_E_RESOLVE);
		assert_int_equal(ask(n, 2, true), NBD_E_RESOLVE);
		assert_int_equal(world.now, 5000);
	}
	/* whoever knows it counts */
	servers[1] = (struct server){ .udp = NONE };
	assert_int_equal(ask(2, 2, false), 0);
	assert_int_equal(ask(2, 2, true), 0);
	/* not answered: it has no other kind either */
	servers[0] = (struct server){ .udp = NO_NAME_DROPS_AAAA };
	assert_int_equal(ask(1, 2, true), NBD_E_RESOLVE);
	assert_int_equal(world.now, 5500);
	servers[0] = (struct server){ .udp = NO_NAME_AAAA };
	assert_int_equal(ask(1, 2, true), 0);
}

static void
an_answer_cut_by_tcp_too_leaves_the_servers_of_the_first(void **state)
{
	struct dns_found f = { .target = targets };
	struct dns_conf c;

	(void)state;
	servers[0] = (struct server){ .udp = CUT, .tcp = TCP_CUT };
	begin(&c, 1, 1);
	assert_int_equal(dns_ask_service(&c, "srv.example", &f), 1);
	assert_int_equal(f.n, 1);
	assert_int_equal(targets[0].port, 11);
	servers[0].tcp = TCP_SILENT;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_question_by_tcp_is_one_piece),
		cmocka_unit_test(
			a_server_silent_by_tcp_leaves_time_for_the_next),
		cmocka_unit_test(a_server_without_tcp_is_not_waited_for),
		cmocka_unit_test(all_attempts_have_one_time),
		cmocka_unit_test(without_entropy_no_clock_is_the_id),
		cmocka_unit_test(without_ipv6_no_socket_of_it_is_asked_for),
		cmocka_unit_test(an_answer_stays_when_its_server_leaves),
		cmocka_unit_test(a_name_without_one_kind_is_not_denied),
		cmocka_unit_test(an_aaaa_has_half_a_second_after_the_a),
		cmocka_unit_test(
			a_name_that_is_not_there_is_told_from_one_without_address),
		cmocka_unit_test(refusals_are_not_waited_for),
		cmocka_unit_test(a_denial_waits_for_others_after_a_refusal),
		cmocka_unit_test(
			an_answer_cut_by_tcp_too_leaves_the_servers_of_the_first),
	};

	return cmocka_run_group_tests_name("questions", tests, NULL, NULL);
}
