/* SPDX-License-Identifier: BSD-2-Clause */
/* A disk over connections that a server ends as the test wants. */
#include "tests/core/script.h"
#include "port/disk.h"
#include "tests/port/net.h"

#include <pthread.h>
#include <unistd.h>

#define SIZE  (1u << 20)
#define BLOCK 4096u
#define MULTI (NBD_FLAG_HAS_FLAGS | NBD_FLAG_SEND_FLUSH)
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
	WIDENS
};

static struct server {
	int listener;
	struct nbd_uri uri[2]; /* [1] is as [0] */
	struct {
		enum end end;
		unsigned answers; /* before that */
	} plan[N];
	unsigned conns, requests;
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
	static unsigned char body[4096];
	struct script s;
	unsigned char head[16];

	script_start(&s);
	say_greeting(&s, NBD_FLAG_FIXED_NEWSTYLE);
	say_info_export(&s, size, MULTI);
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

static bool answer(int fd, enum end end, bool last)
{
	static unsigned char data[BLOCK];
	unsigned char req[28], rep[16] = { 0x67, 0x44, 0x66, 0x98 };

	if (!get(fd, req, sizeof(req)))
		return false;
	server.requests++;
	memcpy(rep + 8, req + 8, 8);
	if (last && end == LEAVES)
		rep[7] = NBD_ESHUTDOWN;
	if (last && end == LIES)
		rep[15] ^= 0x55;
	if (!put(fd, rep, sizeof(rep)))
		return false;
	memset(data, (int)(be64(req + 16) / BLOCK), sizeof(data));
	if (req[7] == NBD_CMD_READ && !rep[7])
		return put(fd, data, last && end == CUTS ? 100 : BLOCK);
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

static void *serve(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < server.conns; i++) {
		int fd = accept(server.listener, NULL, NULL);
		enum end end = server.plan[i].end;
		unsigned n = 0;

		if (greet(fd,
			  end == SHRINKS ? SIZE / 2
			  : end == GROWS ? SIZE * 2
					 : SIZE,
			  end))
			while ((end == ANSWERS_ALL ||
				n < server.plan[i].answers) &&
			       answer(fd, end, n + 1 == server.plan[i].answers))
				n++;
		finish(fd, end);
	}
	close(server.listener);
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
	assert_int_equal(server.requests, OPS + 2); /* and NBD_CMD_DISC */
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
	cfg.silence = 200;
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
		T(a_stop_ends_every_request),
	};

	return cmocka_run_group_tests_name("disk", tests, net_start, NULL);
}
