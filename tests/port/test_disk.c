/* SPDX-License-Identifier: BSD-2-Clause */
/* A disk over connections that a server ends as the test wants. */
#include "tests/core/script.h"
#include "port/disk.h"
#include "tests/port/net.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#define SIZE  (1u << 20)
#define BLOCK 4096u
#define FLAGS (NBD_FLAG_HAS_FLAGS | NBD_FLAG_SEND_FLUSH)
#define N     8 /* connections of a test */
#define OPS   16

/* What a server does after it has answered some requests. */
enum end {
	ANSWERS_ALL,
	CLOSES,
	RESETS,
	FREEZES,
	LEAVES,
	CUTS,
	LIES,
	SHRINKS,
	GROWS,
	NARROWS,
	WIDENS,
	REFUSES_EARLY,
	READS_SLOWLY
};

static struct server {
	int listener;
	struct nbd_uri uri[2]; /* [1] is as [0] */
	/* of each connection, in the order in which they are accepted */
	struct plan {
		enum end end;
		unsigned answers; /* before that */
		int fd;
		atomic_uint requests; /* that came */
		sem_t asked;	      /* once for each */
		pthread_t thread;
	} plan[N];
	unsigned conns;
	bool at_once;	       /* a thread for each, and no other connection */
	uint16_t flags;	       /* and FLAGS */
	atomic_uint reads;     /* that were answered */
	unsigned before_flush; /* how many, when the latest flush came */
	atomic_bool frozen;    /* no request is answered any more */
	atomic_uint lost;      /* reads that came since */
	atomic_bool held;      /* by a client that did not leave */
	pthread_t thread;
} server;

/* What the servers accept; min 0: they do not say. */
static struct {
	uint32_t min, max;
} blocks;

static struct nbd_disk disk;
static struct nbd_disk_config cfg;
static struct nbd_disk_op ops[OPS];
static struct nbd_iov iovs[OPS];
static unsigned char bufs[OPS][BLOCK];
static volatile int stop_now;

/*
 * The client's clock.  Between two readings it advances by `step` ms at most, if
 * that is not 0: a machine that stalls costs no time.
 */
static struct {
	uint64_t step, now, real;
} clock_;

uint64_t __real_nbd_now_ns(void);
uint64_t __wrap_nbd_now_ns(void);
uint64_t __wrap_nbd_now_ns(void)
{
	uint64_t real = __real_nbd_now_ns();
	uint64_t ns = real - clock_.real;

	if (clock_.step && ns > clock_.step * 1000000)
		ns = clock_.step * 1000000;
	clock_.real = real;
	return clock_.now += ns;
}

/* ---- the server ---- */

static bool get(int fd, void *p, size_t len)
{
	return recv(fd, p, len, MSG_WAITALL) == (ssize_t)len;
}

static bool put(int fd, const void *p, size_t len)
{
	return send(fd, p, len, MSG_NOSIGNAL) == (ssize_t)len;
}

static bool greet(int fd, uint64_t size, enum end end)
{
	unsigned char body[4096];
	struct script s;
	unsigned char head[16];

	script_start(&s);
	say_greeting(&s, NBD_FLAG_FIXED_NEWSTYLE);
	say_info_export(&s, size, FLAGS | server.flags);
	if (blocks.min)
		say_info_block(&s, end == WIDENS ? blocks.min / 2 : blocks.min,
			       BLOCK,
			       end == NARROWS ? blocks.max / 2 : blocks.max);
	say_reply(&s, NBD_OPT_GO, NBD_REP_ACK, 0);
	if (!put(fd, s.srv, s.n) || !get(fd, head, 4))
		return false;
	do {
		if (!get(fd, head, 16))
			return false;
		if (be32(head + 12))
			get(fd, body, be32(head + 12));
	} while (be32(head + 8) != NBD_OPT_GO);
	return true;
}

static void finish(int fd, enum end end)
{
	const struct linger now = { 1, 0 };
	char c;

	if (end == RESETS)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	if (end == FREEZES)
		while (recv(fd, &c, 1, 0) > 0)
			;
	close(fd);
}

/* The payload of a write. */
static bool discard(int fd, size_t len, enum end end)
{
	unsigned char data[BLOCK];

	for (; len >= sizeof(data); len -= sizeof(data)) {
		if (!get(fd, data, sizeof(data)))
			return false;
		if (end == READS_SLOWLY)
			usleep(20000);
	}
	return !len || get(fd, data, len);
}

/* Reads nothing more, until the next connection has a request. */
static void stop_reading(struct plan *p)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 30;
	server.held = sem_timedwait(&p[1].asked, &end) != 0;
}

static bool answer(struct plan *p, bool last)
{
	enum end end = p->end;
	int fd = p->fd;
	unsigned char data[BLOCK];
	unsigned char req[28], rep[16] = { 0x67, 0x44, 0x66, 0x98 };

	if (!get(fd, req, sizeof(req)))
		return false;
	p->requests++;
	sem_post(&p->asked);
	if (server.frozen) {
		server.lost += req[7] == NBD_CMD_READ;
		return discard(fd, SIZE_MAX, end) && false;
	}
	if (req[7] == NBD_CMD_WRITE && end != REFUSES_EARLY &&
	    !discard(fd, be32(req + 24), end))
		return false;
	if (req[7] == NBD_CMD_FLUSH)
		server.before_flush = server.reads;
	memcpy(rep + 8, req + 8, 8);
	if (last && end == LEAVES)
		rep[7] = NBD_ESHUTDOWN;
	if (last && end == LIES)
		rep[15] ^= 0x55;
	if (end == REFUSES_EARLY)
		rep[7] = NBD_EIO;
	if (!put(fd, rep, sizeof(rep)))
		return false;
	if (end == REFUSES_EARLY)
		stop_reading(p);
	memset(data, (int)(be64(req + 16) / BLOCK), sizeof(data));
	server.reads += req[7] == NBD_CMD_READ;
	if (req[7] == NBD_CMD_READ && !rep[7])
		return put(fd, data, last && end == CUTS ? 100 : BLOCK);
	return true;
}

static void *talk(void *arg)
{
	struct plan *p = arg;
	enum end end = p->end;
	unsigned n = 0;

	if (greet(p->fd,
		  end == SHRINKS ? SIZE / 2
		  : end == GROWS ? SIZE * 2
				 : SIZE,
		  end))
		while ((end == ANSWERS_ALL || n < p->answers) &&
		       answer(p, n + 1 == p->answers))
			n++;
	finish(p->fd, end);
	return NULL;
}

static void *serve(void *arg)
{
	unsigned n = 0;

	(void)arg;
	for (; n < server.conns; n++) {
		struct plan *p = &server.plan[n];

		p->fd = accept(server.listener, NULL, NULL);
		if (p->fd < 0)
			break;
		if (server.at_once)
			pthread_create(&p->thread, NULL, talk, p);
		else
			talk(p);
	}
	close(server.listener);
	while (server.at_once && n)
		pthread_join(server.plan[--n].thread, NULL);
	return NULL;
}

/* ---- a disk ---- */

static int begin(void **state)
{
	struct sockaddr_in a = net_address();
	socklen_t len = sizeof(a);

	(void)state;
	memset(&server, 0, sizeof(server));
	blocks.min = 0;
	clock_.step = 0;
	server.listener = socket(AF_INET, SOCK_STREAM, 0);
	bind(server.listener, (struct sockaddr *)&a, sizeof(a));
	listen(server.listener, 8);
	getsockname(server.listener, (struct sockaddr *)&a, &len);
	nbd_uri_init(&server.uri[0]);
	server.uri[0].host = NET_SERVER;
	server.uri[0].port = ntohs(a.sin_port);
	server.uri[1] = server.uri[0];
	stop_now = 0;
	cfg = (struct nbd_disk_config){ .uris = server.uri,
					.n_uris = 1,
					.net = net_stack(),
					.stop = &stop_now,
					.patience = 60000,
					.silence = 60000 };
	return 0;
}

static void plan(enum end end, unsigned answers)
{
	sem_init(&server.plan[server.conns].asked, 0, 0);
	server.plan[server.conns].end = end;
	server.plan[server.conns++].answers = answers;
}

static void open_disk(void)
{
	pthread_create(&server.thread, NULL, serve, NULL);
	assert_int_equal(nbd_disk_open(&disk, &cfg), 0);
	assert_int_equal(disk.export.size, SIZE);
}

static void close_disk(void)
{
	nbd_disk_close(&disk);
	if (cfg.connections > 1) /* not all that were planned may have come */
		shutdown(server.listener, SHUT_RD);
	pthread_join(server.thread, NULL);
}

static void add_reads(unsigned n)
{
	memset(bufs, 0xee, sizeof(bufs));
	for (unsigned i = 0; i < n; i++) {
		iovs[i] = (struct nbd_iov){ bufs[i], BLOCK };
		ops[i] = (struct nbd_disk_op){ .op = { .type = NBD_CMD_READ,
						       .offset = i * BLOCK,
						       .len = BLOCK,
						       .iov = &iovs[i],
						       .n_iov = 1 },
					       .user = bufs[i] };
		nbd_disk_add(&disk, &ops[i]);
	}
}

/* Each of n reads is done once, with that result. */
static void assert_done(unsigned n, int result)
{
	bool seen[OPS] = { false };

	for (unsigned i = 0; i < n; i++) {
		struct nbd_disk_op *op = nbd_disk_wait(&disk, 30000);
		size_t k = (size_t)(op - ops);

		assert_non_null(op);
		assert_false(seen[k]);
		seen[k] = true;
		assert_int_equal(op->result, result);
		assert_ptr_equal(op->user, bufs[k]);
		if (result)
			continue;
		assert_int_equal(bufs[k][0], k);
		assert_int_equal(bufs[k][BLOCK - 1], k);
	}
	assert_null(nbd_disk_wait(&disk, 0));
}

/* ---- tests ---- */

static void requests_are_answered(void **state)
{
	(void)state;
	plan(ANSWERS_ALL, 0);
	open_disk();
	add_reads(OPS);
	assert_done(OPS, 0);
	assert_int_equal(nbd_disk_do(&disk, NBD_CMD_FLUSH, 0, NULL, 0), 0);
	assert_int_equal(disk.reconnects, 0);
	close_disk();
	assert_int_equal(server.plan[0].requests,
			 OPS + 2); /* and NBD_CMD_DISC */
}

/* Whatever ends a connection, every request is done in the end. */
static void outlives(enum end end, unsigned answers)
{
	plan(end, answers);
	plan(end, answers);
	plan(ANSWERS_ALL, 0);
	open_disk();
	add_reads(OPS);
	assert_done(OPS, 0);
	assert_int_equal(disk.reconnects, 2);
	close_disk();
}

static void a_server_that_closes_is_a_pause(void **state)
{
	(void)state;
	outlives(CLOSES, 3);
}

static void a_server_that_closes_at_once_is_a_pause(void **state)
{
	(void)state;
	outlives(CLOSES, 0);
}

static void a_reset_is_a_pause(void **state)
{
	(void)state;
	outlives(RESETS, 5);
}

static void a_cut_in_the_payload_is_a_pause(void **state)
{
	(void)state;
	outlives(CUTS, 2);
}

static void a_server_that_breaks_the_protocol_is_left(void **state)
{
	(void)state;
	outlives(LIES, 4);
}

static void a_server_that_shuts_down_is_left(void **state)
{
	(void)state;
	outlives(LEAVES, 3);
}

static void a_silent_server_is_left(void **state)
{
	(void)state;
	cfg.silence = 3000; /* no good server may be taken for one */
	outlives(FREEZES, 3);
}

static void an_outage_beyond_patience_fails_requests(void **state)
{
	(void)state;
	cfg.patience = 300;
	plan(CLOSES, 3);
	open_disk();
	add_reads(3);
	assert_done(3, 0);
	pthread_join(server.thread, NULL);
	add_reads(OPS);
	assert_done(OPS, NBD_E_REFUSED);
	assert_non_null(strstr(disk.d.text, "connect to " NET_SERVER));
	nbd_disk_close(&disk);
}

static void another_disk_is_refused(void **state)
{
	(void)state;
	plan(CLOSES, 3);
	plan(SHRINKS, 1);
	open_disk();
	add_reads(3);
	assert_done(3, 0);
	add_reads(OPS);
	assert_done(OPS, NBD_E_SIZE);
	assert_non_null(strstr(disk.d.text, "1048576"));
	/* and for ever */
	add_reads(1);
	assert_done(1, NBD_E_SIZE);
	close_disk();
}

/* It closes, and comes back with twice its size. */
static void grows(bool fixed, int result)
{
	cfg.fixed = fixed;
	plan(CLOSES, 3);
	plan(GROWS, fixed ? 1 : OPS);
	open_disk();
	add_reads(3);
	assert_done(3, 0);
	add_reads(OPS);
	assert_done(OPS, result);
	close_disk();
}

static void a_disk_may_grow(void **state)
{
	(void)state;
	grows(false, 0);
}

static void a_fixed_disk_may_not(void **state)
{
	(void)state;
	grows(true, NBD_E_SIZE);
}

/* It closes, and accepts less or more from then on. */
static void changes(enum end end, int result)
{
	blocks.min = 512;
	blocks.max = 2 * BLOCK;
	plan(CLOSES, 3);
	plan(end, result ? 0 : OPS);
	open_disk();
	add_reads(3);
	assert_done(3, 0);
	add_reads(OPS);
	assert_done(OPS, result);
	close_disk();
}

/* Requests made for the first server would fail one by one. */
static void a_server_that_accepts_less_is_another_disk(void **state)
{
	(void)state;
	changes(NARROWS, NBD_E_PAYLOAD);
	assert_non_null(strstr(disk.d.text, "accepts 4096 bytes at once, the "
					    "device sends up to 8192"));
}

static void a_server_that_accepts_enough_is_not(void **state)
{
	(void)state;
	cfg.longest = BLOCK;
	changes(NARROWS, 0);
}

static void a_smaller_minimum_is_fine_and_a_larger_one_if_it_fits(void **state)
{
	(void)state;
	changes(WIDENS, 0);
	begin(NULL);
	/* from one that does not say to 512 */
	cfg.block = 512;
	plan(CLOSES, 3);
	plan(WIDENS, OPS);
	open_disk();
	blocks.min = 1024;
	blocks.max = 32 << 20;
	add_reads(3);
	assert_done(3, 0);
	add_reads(OPS);
	assert_done(OPS, 0);
	close_disk();
}

static void a_larger_minimum_is_another_disk(void **state)
{
	(void)state;
	plan(CLOSES, 3);
	plan(WIDENS, 0);
	open_disk();
	blocks.min = 1024;
	blocks.max = 32 << 20;
	add_reads(3);
	assert_done(3, 0);
	add_reads(1);
	assert_done(1, NBD_E_BLOCK);
	close_disk();
}

static void another_server_is_asked_if_one_is_away(void **state)
{
	(void)state;
	cfg.n_uris = 2;
	server.uri[0].port = 1; /* nothing listens there */
	plan(CLOSES, 3);
	plan(ANSWERS_ALL, 0);
	open_disk();
	assert_int_equal(disk.at, 1);
	add_reads(OPS);
	assert_done(OPS, 0);
	assert_int_equal(disk.at, 1);
	close_disk();
}

static void another_server_is_asked_if_one_has_another_disk(void **state)
{
	(void)state;
	cfg.n_uris = 2;
	plan(CLOSES, 3);
	plan(SHRINKS, 0);
	plan(ANSWERS_ALL, 0);
	open_disk();
	add_reads(OPS);
	assert_done(OPS, 0);
	assert_int_equal(disk.reconnects, 1);
	assert_int_equal(disk.at, 1);
	close_disk();
}

static void a_request_beyond_the_end_fails_alone(void **state)
{
	(void)state;
	plan(ANSWERS_ALL, 0);
	open_disk();
	assert_int_equal(nbd_disk_do(&disk, NBD_CMD_READ, SIZE, bufs[0], BLOCK),
			 NBD_E_RANGE);
	add_reads(2);
	assert_done(2, 0);
	close_disk();
}

/* Even if the server was early with its answer: the rest is still to be sent. */
static void a_server_that_stops_reading_is_left(void **state)
{
	static unsigned char data[SIZE];
	const int small = 4096;

	(void)state;
	server.at_once = true;
	cfg.silence = 3000;
	plan(REFUSES_EARLY, 1);
	plan(ANSWERS_ALL, 0);
	open_disk();
	setsockopt(disk.link[0].conn.s.fd, SOL_SOCKET, SO_SNDBUF, &small,
		   sizeof(small));
	assert_int_equal(
		nbd_disk_do(&disk, NBD_CMD_WRITE, 0, data, sizeof(data)), 0);
	assert_false(server.held);
	close_disk();
}

/* 256 blocks of 20 ms; sockets have room for few, lwIP for 64. */
static void a_server_that_reads_slowly_is_not_silent(void **state)
{
	static unsigned char data[SIZE];
	const int small = 8192;

	(void)state;
	clock_.step = 1000;
	cfg.silence = 4000;
	cfg.patience = 8000;
	setsockopt(server.listener, SOL_SOCKET, SO_RCVBUF, &small,
		   sizeof(small));
	plan(READS_SLOWLY, SIZE);
	open_disk();
	setsockopt(disk.link[0].conn.s.fd, SOL_SOCKET, SO_SNDBUF, &small,
		   sizeof(small));
	assert_int_equal(
		nbd_disk_do(&disk, NBD_CMD_WRITE, 0, data, sizeof(data)), 0);
	assert_int_equal(disk.reconnects, 0);
	close_disk();
}

/* It can be connected to, but answers no request. */
static void patience_ends_where_connections_answer_nothing(enum end end)
{
	cfg.silence = 100;
	cfg.patience = 300;
	server.at_once = true;
	for (unsigned i = 0; i < N; i++)
		plan(end, 0);
	open_disk();
	add_reads(2);
	assert_done(2, NBD_E_TIMEOUT);
	cfg.connections = 2; /* not all have come */
	close_disk();
}

static void patience_ends_with_a_server_that_stays_silent(void **state)
{
	(void)state;
	patience_ends_where_connections_answer_nothing(FREEZES);
}

static void patience_ends_with_a_server_that_always_closes(void **state)
{
	(void)state;
	patience_ends_where_connections_answer_nothing(CLOSES);
}

static void a_stop_ends_every_request(void **state)
{
	(void)state;
	plan(FREEZES, 1);
	open_disk();
	add_reads(3);
	assert_int_equal(nbd_disk_wait(&disk, 30000)->result, 0);
	stop_now = 1;
	assert_int_equal(nbd_disk_wait(&disk, 30000)->result,
			 NBD_E_INTERRUPTED);
	assert_int_equal(nbd_disk_wait(&disk, 30000)->result,
			 NBD_E_INTERRUPTED);
	close_disk();
}

/* ---- several connections ---- */

static void plan_several(unsigned n, enum end end, unsigned answers)
{
	cfg.connections = 3;
	server.at_once = true;
	server.flags = NBD_FLAG_CAN_MULTI_CONN;
	while (n--)
		plan(end, answers);
}

/* One request after the other for ms, or until n connections live. */
static void read_until(unsigned n, unsigned ms)
{
	uint64_t end = nbd_now_ms() + ms;

	while (disk.connected != n && nbd_now_ms() < end) {
		add_reads(1);
		assert_done(1, 0);
	}
}

static void open_three(void)
{
	open_disk();
	read_until(3, 30000);
	assert_int_equal(disk.connected, 3);
}

static void requests_spread_over_connections(void **state)
{
	(void)state;
	plan_several(3, ANSWERS_ALL, 0);
	open_three();
	add_reads(15);
	assert_done(15, 0);
	for (unsigned i = 1; i < 3; i++)
		assert_int_equal(server.plan[i].requests, 5);
	assert_int_equal(disk.reconnects, 0);
	close_disk();
}

static void a_server_without_multi_conn_gets_one(void **state)
{
	(void)state;
	plan_several(N, ANSWERS_ALL, 0);
	server.flags = NBD_FLAG_READ_ONLY;
	open_disk();
	read_until(2, 300);
	assert_int_equal(disk.connected, 1);
	close_disk();
	assert_int_equal(server.plan[1].requests, 0);
}

/* As assert_done(), and the server is never silent on all connections. */
static void assert_done_beside_others(unsigned n)
{
	static unsigned char data[BLOCK];
	struct nbd_iov v = { data, BLOCK };
	struct nbd_disk_op other = { .op = { .type = NBD_CMD_READ,
					     .len = BLOCK,
					     .iov = &v,
					     .n_iov = 1 } };
	struct nbd_disk_op *op = &other;

	for (unsigned done = 0; done < n;) {
		if (op == &other)
			nbd_disk_add(&disk, &other);
		op = nbd_disk_wait(&disk, 30000);
		assert_non_null(op);
		assert_int_equal(op->result, 0);
		done += op != &other;
	}
	while (nbd_disk_wait(&disk, 30000))
		;
}

/* Others go on with its requests, and it comes back. */
static void survives(enum end end, unsigned answers)
{
	plan_several(1, ANSWERS_ALL, 0);
	plan_several(1, end, answers);
	plan_several(N - 2, ANSWERS_ALL, 0);
	open_three();
	add_reads(15);
	assert_done_beside_others(15);
	assert_int_equal(disk.reconnects, 0);
	read_until(3, 30000);
	assert_int_equal(disk.connected, 3);
	assert_int_equal(disk.reconnects, 0);
	close_disk();
	assert_int_equal(server.plan[1].requests, answers);
}

static void one_of_several_that_is_reset_costs_no_request(void **state)
{
	(void)state;
	survives(RESETS, 2);
}

static void one_that_closes_in_a_reply_costs_no_request(void **state)
{
	(void)state;
	survives(CUTS, 3);
}

static void one_whose_server_shuts_down_costs_no_request(void **state)
{
	(void)state;
	survives(LEAVES, 1);
}

static void one_that_falls_silent_costs_no_request(void **state)
{
	(void)state;
	clock_.step = 500;
	cfg.silence = 3000;
	survives(FREEZES, 2);
}

/* Not one connection after the other, each with a silence of its own. */
static void a_server_that_is_silent_on_all_is_left_at_once(void **state)
{
	(void)state;
	plan_several(3, ANSWERS_ALL, 0);
	open_three();
	cfg.silence = cfg.patience = 1000;
	server.frozen = true;
	add_reads(1);
	assert_done(1, NBD_E_REFUSED);
	assert_int_equal(server.lost, 1);
	close_disk();
}

/* The pause after a connection that did its work is the first again. */
static void a_connection_that_answered_is_replaced_soon(void **state)
{
	(void)state;
	plan_several(1, ANSWERS_ALL, 0);
	plan_several(N - 1, CLOSES, 2);
	cfg.connections = 2;
	open_disk();
	for (unsigned i = 0; i < 5; i++) {
		read_until(2, 30000);
		assert_int_equal(disk.connected, 2);
		while (disk.connected == 2) {
			add_reads(4);
			assert_done(4, 0);
		}
	}
	assert_int_equal(disk.more.failures, 1);
	close_disk();
}

static void the_first_of_several_may_die_as_well(void **state)
{
	(void)state;
	plan_several(1, CLOSES, 3);
	plan_several(N - 1, ANSWERS_ALL, 0);
	open_disk();
	add_reads(3);
	assert_done(3, 0);
	read_until(3, 30000);
	assert_int_equal(disk.connected, 3);
	add_reads(OPS);
	assert_done(OPS, 0);
	close_disk();
}

static void all_may_die_at_once_and_come_back(void **state)
{
	unsigned answered;

	(void)state;
	plan_several(1, ANSWERS_ALL, 0);
	plan_several(2, FREEZES, 1);
	plan_several(N - 3, ANSWERS_ALL, 0);
	open_three();
	add_reads(15);
	for (answered = 0; answered < 7; answered++)
		assert_int_equal(nbd_disk_wait(&disk, 30000)->result, 0);
	for (unsigned i = 0; i < 3; i++)
		shutdown(server.plan[i].fd, SHUT_RDWR);
	for (; answered < 15; answered++)
		assert_int_equal(nbd_disk_wait(&disk, 30000)->result, 0);
	assert_null(nbd_disk_wait(&disk, 0));
	assert_int_equal(disk.reconnects, 1);
	read_until(3, 30000);
	assert_int_equal(disk.connected, 3);
	close_disk();
}

static void those_that_disagree_are_refused(void **state)
{
	(void)state;
	plan_several(1, ANSWERS_ALL, 0);
	plan_several(1, GROWS, OPS);
	plan_several(1, SHRINKS, OPS);
	plan_several(N - 3, GROWS, OPS);
	open_disk();
	read_until(2, 300);
	assert_int_equal(disk.connected, 1);
	add_reads(OPS);
	assert_done(OPS, 0);
	close_disk();
	/* nothing but NBD_CMD_DISC */
	for (unsigned i = 1; i < N; i++)
		assert_true(server.plan[i].requests <= 1);
}

static void one_is_enough_if_others_are_refused(void **state)
{
	(void)state;
	plan_several(1, ANSWERS_ALL, 0);
	open_disk();
	read_until(2, 300);
	add_reads(OPS);
	assert_done(OPS, 0);
	assert_int_equal(disk.connected, 1);
	assert_int_equal(disk.reconnects, 0);
	close_disk();
}

/* It greets one client at a time, and then the next that has waited. */
static void a_server_for_one_client_is_none_for_several(void **state)
{
	(void)state;
	plan_several(1, CLOSES, 20);
	plan_several(N - 1, ANSWERS_ALL, 0);
	server.at_once = false;
	open_disk();
	add_reads(OPS);
	assert_done(OPS, 0);
	assert_int_equal(disk.connected, 1);
	/* on one that is new, or on one that has waited */
	add_reads(OPS);
	assert_done(OPS, 0);
	assert_int_equal(disk.connected, 1);
	close_disk();
}

static void a_flush_follows_all_that_came_before(void **state)
{
	struct nbd_disk_op flush = { .op = { .type = NBD_CMD_FLUSH } };
	unsigned before;

	(void)state;
	plan_several(3, ANSWERS_ALL, 0);
	open_three();
	before = server.reads;
	add_reads(12);
	nbd_disk_add(&disk, &flush);
	for (unsigned i = 0; i < 13; i++)
		assert_int_equal(nbd_disk_wait(&disk, 30000)->result, 0);
	assert_int_equal(server.before_flush - before, 12);
	close_disk();
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, begin)
	static const struct CMUnitTest tests[] = {
		T(requests_are_answered),
		T(a_server_that_closes_is_a_pause),
		T(a_server_that_closes_at_once_is_a_pause),
		T(a_reset_is_a_pause),
		T(a_cut_in_the_payload_is_a_pause),
		T(a_server_that_breaks_the_protocol_is_left),
		T(a_server_that_shuts_down_is_left),
		T(a_silent_server_is_left),
		T(an_outage_beyond_patience_fails_requests),
		T(another_disk_is_refused),
		T(a_disk_may_grow),
		T(a_fixed_disk_may_not),
		T(a_server_that_accepts_less_is_another_disk),
		T(a_server_that_accepts_enough_is_not),
		T(a_smaller_minimum_is_fine_and_a_larger_one_if_it_fits),
		T(a_larger_minimum_is_another_disk),
		T(another_server_is_asked_if_one_is_away),
		T(another_server_is_asked_if_one_has_another_disk),
		T(a_request_beyond_the_end_fails_alone),
		T(a_server_that_stops_reading_is_left),
		T(a_server_that_reads_slowly_is_not_silent),
		T(patience_ends_with_a_server_that_stays_silent),
		T(patience_ends_with_a_server_that_always_closes),
		T(a_stop_ends_every_request),
		T(requests_spread_over_connections),
		T(a_server_without_multi_conn_gets_one),
		T(one_of_several_that_is_reset_costs_no_request),
		T(one_that_closes_in_a_reply_costs_no_request),
		T(one_whose_server_shuts_down_costs_no_request),
		T(one_that_falls_silent_costs_no_request),
		T(a_server_that_is_silent_on_all_is_left_at_once),
		T(a_connection_that_answered_is_replaced_soon),
		T(the_first_of_several_may_die_as_well),
		T(all_may_die_at_once_and_come_back),
		T(those_that_disagree_are_refused),
		T(one_is_enough_if_others_are_refused),
		T(a_server_for_one_client_is_none_for_several),
		T(a_flush_follows_all_that_came_before),
	};

	return cmocka_run_group_tests_name("disk", tests, net_start, NULL);
}
