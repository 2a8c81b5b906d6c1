/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies from a server that answers what no real one does, or nothing. */
#include "tests/core/script.h"
#include "core/nbd_io.h"
#include "boot/copy/copy.h"
#include "port/latency.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/un.h>
#include <unistd.h>

#define SIZE	(1u << 20)
#define CONTEXT 7
#define HEADER	28 /* of a request */

static struct server {
	int listener, fd;
	char dir[32], path[64], out[64];
	pthread_t thread;
	enum { NO_CHUNK, NO_ANSWER } what;
} server;

static struct nbd_diag d;

/* Structured replies, base:allocation, and an export of SIZE bytes. */
static void handshake(int fd)
{
	static struct script s;

	script_start(&s);
	say_greeting(&s, NBD_FLAG_FIXED_NEWSTYLE);
	say_reply(&s, NBD_OPT_EXTENDED_HEADERS, NBD_REP_ERR | 1, 0);
	say_reply(&s, NBD_OPT_STRUCTURED_REPLY, NBD_REP_ACK, 0);
	say_reply(&s, NBD_OPT_SET_META_CONTEXT, NBD_REP_META_CONTEXT, 4 + 15);
	say(&s, CONTEXT, 4);
	say_bytes(&s, "base:allocation", 15);
	say_reply(&s, NBD_OPT_SET_META_CONTEXT, NBD_REP_ACK, 0);
	say_info_export(&s, SIZE, NBD_FLAG_HAS_FLAGS);
	say_reply(&s, NBD_OPT_GO, NBD_REP_ACK, 0);
	assert_int_equal(send(fd, s.srv, s.n, MSG_NOSIGNAL), s.n);
}

static bool receive(int fd, unsigned char *p, size_t len)
{
	return recv(fd, p, len, MSG_WAITALL) == (ssize_t)len;
}

/* Takes what the handshake has of bytes: they end with GO's 4 + 2 + name. */
static void skip_options(int fd)
{
	unsigned char head[16];

	receive(fd, head, 4);
	do {
		static unsigned char body[4096];

		if (!receive(fd, head, 16))
			return;
		receive(fd, body, be32(head + 12));
	} while (be32(head + 8) != NBD_OPT_GO);
}

/* Block status: "done", and no chunk.  Reads: SIZE times 'x'. */
static void answer(int fd, const unsigned char *request)
{
	static struct script s;
	uint32_t len = be32(request + 24);

	script_start(&s);
	say(&s, 0x668e33ef, 4);
	say(&s, 1, 2); /* NBD_REPLY_FLAG_DONE */
	if (be32(request + 4) >> 16 != 0 || (be32(request + 4) & 0xffff) != 0) {
		say(&s, 0, 2);
		say_bytes(&s, request + 8, 8);
		say(&s, 0, 4);
		send(fd, s.srv, s.n, MSG_NOSIGNAL);
		return;
	}
	say(&s, 1, 2); /* NBD_REPLY_TYPE_OFFSET_DATA */
	say_bytes(&s, request + 8, 8);
	say(&s, 8 + len, 4);
	say_bytes(&s, request + 16, 8);
	send(fd, s.srv, s.n, MSG_NOSIGNAL);
	script_start(&s);
	say_fill(&s, 'x', 16384);
	for (; len; len -= 16384)
		send(fd, s.srv, 16384, MSG_NOSIGNAL);
}

static void *serve(void *arg)
{
	unsigned char request[HEADER];
	int fd = accept(server.listener, NULL, NULL);

	(void)arg;
	server.fd = fd;
	handshake(fd);
	skip_options(fd);
	while (receive(fd, request, HEADER)) {
		if (server.what == NO_CHUNK)
			answer(fd, request);
		else
			raise(SIGTERM);
	}
	return NULL;
}

static int setup(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	(void)state;
	memset(&server, 0, sizeof(server));
	strcpy(server.dir, "/tmp/copy.XXXXXX");
	assert_non_null(mkdtemp(server.dir));
	snprintf(server.path, sizeof(server.path), "%s/sock", server.dir);
	snprintf(server.out, sizeof(server.out), "%s/out", server.dir);
	strcpy(a.sun_path, server.path);
	server.listener = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(
		bind(server.listener, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(server.listener, 1), 0);
	assert_int_equal(pthread_create(&server.thread, NULL, serve, NULL), 0);
	d.text[0] = '\0';
	copy_interrupted = 0;
	return 0;
}

static int cleanup(void **state)
{
	(void)state;
	/* after a failed test it may still send */
	shutdown(server.fd, SHUT_RDWR);
	pthread_join(server.thread, NULL);
	close(server.fd);
	close(server.listener);
	unlink(server.path);
	unlink(server.out);
	rmdir(server.dir);
	return 0;
}

/* One connection to the server, into the file; the result of the copy. */
static int copy(uint64_t *done)
{
	static struct copy_link link;
	struct nbd_uri uri = { .is_unix = true,
			       .host = "",
			       .name = "",
			       .user = "",
			       .tls_hostname = "",
			       .tls_certificates = "",
			       .tls_psk_file = "",
			       .tls_verify_peer = -1,
			       .socket = server.path,
			       .socket_len = strlen(server.path) };
	static struct nbd_latency latency;
	struct copy_options o = { .connections = 1, .latency = &latency };
	struct side src = { .name = "src", .fd = -1 }, dst;
	struct copy c = { .src = &src, .dst = &dst, .d = &d };
	int err;

	memset(&link, 0, sizeof(link));
	assert_int_equal(copy_side_open_nbd(&src, &link, &uri, &o, &d), 0);
	assert_int_equal(copy_side_open_file(&dst, server.out, true, &d), 0);
	err = copy_run(&c, &o, done);
	dst.ops->close(&dst);
	src.ops->close(&src);
	return err;
}

static off_t size_of_out(void)
{
	int fd = open(server.out, O_RDONLY);
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);

	if (fd >= 0)
		close(fd);
	return size;
}

static void what_block_status_leaves_out_is_read(void **state)
{
	uint64_t done;

	(void)state;
	assert_int_equal(copy(&done), 0);
	assert_int_equal(done, SIZE);
	assert_int_equal(size_of_out(), SIZE);
}

/* The server raises SIGTERM in place of its first answer, and is silent. */
static void a_signal_ends_the_wait_for_a_silent_server(void **state)
{
	uint64_t done;

	(void)state;
	server.what = NO_ANSWER;
	copy_catch_signals();
	assert_int_equal(copy(&done), NBD_E_CUT);
	assert_int_equal(done, 0);
	assert_string_equal(d.text, "interrupted");
	/* nothing was copied, so there is no file */
	assert_int_equal(size_of_out(), -1);
}

static void a_file_that_was_there_stays_as_it_was(void **state)
{
	uint64_t done;
	int fd;

	(void)state;
	server.what = NO_ANSWER;
	fd = open(server.out, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, "precious", 8), 8);
	close(fd);
	copy_catch_signals();
	assert_int_equal(copy(&done), NBD_E_CUT);
	assert_int_equal(size_of_out(), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_block_status_leaves_out_is_read, setup, cleanup),
		cmocka_unit_test_setup_teardown(
			a_signal_ends_the_wait_for_a_silent_server, setup,
			cleanup),
		cmocka_unit_test_setup_teardown(
			a_file_that_was_there_stays_as_it_was, setup, cleanup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
