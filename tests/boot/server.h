/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server at a UNIX socket in a thread of the test: it says a handshake from
 * a script and hands each request to a function of the test.  It serves one
 * connection after the other.
 */
#ifndef TESTS_BOOT_SERVER_H
#define TESTS_BOOT_SERVER_H

#include "core/nbd_io.h"
#include "core/nbd_uri.h"
#include "tests/core/script.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SERVER_REQUEST 28 /* bytes of a request's header */

static struct server {
	int listener, fd;
	bool once; /* refuses a second connection */
	char dir[32], path[64];
	pthread_t thread;
	struct script hello; /* all that it says before the requests */
	void (*answer)(int fd, const unsigned char request[SERVER_REQUEST]);
} server;

static inline bool server_receive(int fd, unsigned char *p, size_t len)
{
	return recv(fd, p, len, MSG_WAITALL) == (ssize_t)len;
}

/* The client's flags, and its options up to GO. */
static inline bool server_skip_options(int fd)
{
	static unsigned char body[4096];
	unsigned char head[16];

	if (!server_receive(fd, head, 4))
		return false;
	do {
		if (!server_receive(fd, head, 16))
			return false;
		server_receive(fd, body, be32(head + 12));
	} while (be32(head + 8) != NBD_OPT_GO);
	return true;
}

static inline void *server_run(void *arg)
{
	unsigned char request[SERVER_REQUEST];

	(void)arg;
	for (;;) {
		int fd = accept(server.listener, NULL, NULL), before;

		if (fd < 0)
			return NULL;
		if (server.once)
			shutdown(server.listener, SHUT_RDWR);
		before = server.fd;
		server.fd = fd;
		if (before > 0)
			close(before);
		send(fd, server.hello.srv, server.hello.n, MSG_NOSIGNAL);
		if (server_skip_options(fd))
			while (server_receive(fd, request, sizeof(request)))
				server.answer(fd, request);
	}
}

/* Listens; server.hello and server.answer are the test's. */
static inline void server_start(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	strcpy(server.dir, "/tmp/server.XXXXXX");
	assert_non_null(mkdtemp(server.dir));
	snprintf(server.path, sizeof(server.path), "%s/sock", server.dir);
	strcpy(a.sun_path, server.path);
	server.listener = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(
		bind(server.listener, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(server.listener, 1), 0);
	assert_int_equal(pthread_create(&server.thread, NULL, server_run, NULL),
			 0);
}

static inline void server_stop(void)
{
	/* no other connection; and after a failed test it may still send */
	shutdown(server.listener, SHUT_RDWR);
	shutdown(server.fd, SHUT_RDWR);
	pthread_join(server.thread, NULL);
	close(server.fd);
	close(server.listener);
	unlink(server.path);
	rmdir(server.dir);
}

static inline struct nbd_uri server_uri(void)
{
	struct nbd_uri u;

	nbd_uri_init(&u);
	u.is_unix = true;
	u.socket = server.path;
	u.socket_len = strlen(server.path);
	return u;
}

#endif
