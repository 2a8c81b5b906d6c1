/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a command between which and its server a fault happens:
 *
 *	faults LIMIT FAULT STEP SIGNAL SERVER SOCKET COMMAND...
 *
 *   COMMAND --SOCKET--> this process ----> a real server
 *
 * SOCKET is the path of a UNIX socket, or a number: a TCP port at any address.
 * SERVER is a line for the shell; each connection has a server of its own, at
 * its standard input.
 *
 * Step 0 is the greeting; each option and each request is one step more,
 * whatever the connection.  After STARTTLS each record with data is one.  At STEP
 * the message is not passed on, and FAULT happens on that connection:
 *
 *	die	it is closed
 *	reset	it is closed, and so are all later ones
 *	freeze	nothing comes from the server any more
 *	drip	one byte a second comes
 *	noise	zeroes without end come
 *	flood	replies without end come, which the protocol allows (not in TLS)
 *	error	the server answers with an error (not in TLS)
 *	lose	nothing else: the server answers all others
 *
 * Two faults pass it on, and happen in the middle of its answer:
 *
 *	cut	it is closed
 *	stall	nothing more comes
 *
 * One is of the server, whatever STEP is:
 *
 *	old	it closes each connection at any option but EXPORT_NAME and LIST
 *
 * Unless SIGNAL is 0 the command gets it after the fault.  Prints how it ended
 * ("exit STATUS", or "signal N"), the ms from the fault, whether the fault
 * happened ("fault", "none"), and whether it ended in time after the signal
 * ("soon", "late"; control.h); after LIMIT s "hang".
 */
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LINKS	    32
#define CHUNK	    65536
/* Bytes that are poured as fast as they are taken, and ms between those behind. */
#define MUCH	    (2u << 20)
#define PAUSE_MS    20
#define IHAVEOPT    0x49484156u
#define REQUEST	    0x25609513u
#define WRITE	    1u
#define EXPORT_NAME 1u
#define LIST	    3u
#define STARTTLS    5u /* NBD_OPT_STARTTLS */
#define CHUNKS	    8u /* NBD_OPT_STRUCTURED_REPLY */
#define APP_DATA    23 /* the type of a record of TLS; its head has 5 bytes */

/* Bytes of an answer: less than an option's, and more than the head of one. */
#define FIRST_PART 10
#define DATA_PART  100
/* More than the first record of a long one. */
#define TLS_PART   17000

enum fault {
	DIE,
	RESET,
	FREEZE,
	DRIP,
	NOISE,
	FLOOD,
	ERROR,
	LOSE,
	CUT,
	STALL,
	OLD
};
static const char *const names[] = { "die",   "reset", "freeze", "drip",
				     "noise", "flood", "error",	 "lose",
				     "cut",   "stall", "old" };

struct link {
	int client, server;
	bool faulty;		/* the fault happened here */
	bool greeted;		/* the flags of the client came */
	bool tls;		/* so did STARTTLS */
	unsigned char head[28]; /* the message of the client that comes */
	unsigned have;
	uint64_t rest; /* bytes of it that follow */
	bool drops;    /* they are not passed on */
	bool chunks;   /* it asked for structured replies */
	uint64_t next; /* ms, of the next byte that drips, or that pours */
	size_t left;   /* bytes until it is cut or stalls, 0: it does not */
	size_t part;   /* bytes of a reply of the flood that were sent */
	size_t poured; /* bytes of all of it */
};

static struct link links[LINKS];
static unsigned n_links, step, at;
static enum fault fault;
static uint64_t happened; /* ms, 0: not yet */
static bool away;	  /* after a reset */
static char *server;

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static void put32(unsigned char *p, uint32_t v)
{
	for (int i = 3; i >= 0; i--, v >>= 8)
		p[i] = (unsigned char)v;
}

static void die(const char *what)
{
	perror(what);
	exit(99);
}

static int listen_at(const char *where)
{
	struct sockaddr_un path = { .sun_family = AF_UNIX };
	struct sockaddr_in port = { .sin_family = AF_INET };
	bool tcp = !strchr(where, '/');
	int fd = socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int again = 1;

	snprintf(path.sun_path, sizeof(path.sun_path), "%s", where);
	port.sin_port = htons((uint16_t)atoi(where));
	/* the kernel remembers the connections of the case before */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &again, sizeof(again));
	if (fd < 0 ||
	    bind(fd, tcp ? (void *)&port : (void *)&path,
		 tcp ? sizeof(port) : sizeof(path)) ||
	    listen(fd, LINKS))
		die(where);
	return fd;
}

static pid_t start(char *argv[], int fd)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (fd >= 0 && (dup2(fd, 0) < 0 || dup2(fd, 1) < 0))
		die("dup2");
	/* ignored by what a shell runs in the background */
	signal(SIGINT, SIG_DFL);
	execv(argv[0], argv);
	die(argv[0]);
	return -1;
}

static int start_server(void)
{
	char sh[] = "/bin/sh", option[] = "-c";
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd))
		die("socketpair");
	start((char *[]){ sh, option, server, NULL }, fd[1]);
	close(fd[1]);
	return fd[0];
}

/* Everything, unless the other end is gone. */
static void send_all(int fd, const void *p, size_t len)
{
	const char *from = p;

	while (len) {
		ssize_t n = send(fd, from, len, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		from += n;
		len -= (size_t)n;
	}
}

static void hang_up(struct link *l)
{
	if (l->client >= 0)
		close(l->client);
	if (l->server >= 0)
		close(l->server);
	l->client = l->server = -1;
}

/* ---- faults ---- */

/* A reply to the last message: an option's, or a chunk of a request's. */
static size_t make_reply(const struct link *l, bool error, unsigned char p[32])
{
	memset(p, 0, 32);
	if (be32(l->head) == REQUEST && error && !l->chunks) {
		put32(p, 0x67446698);
		p[7] = 5; /* EIO */
		memcpy(p + 8, l->head + 8, 8);
		return 16;
	}
	if (be32(l->head) == REQUEST) {
		put32(p, 0x668e33ef);
		p[5] = error; /* DONE */
		p[6] = error ? 0x80 : 0;
		p[7] = error ? 1 : 2; /* a hole, of no bytes */
		memcpy(p + 8, l->head + 8, 8);
		p[19] = error ? 6 : 12;
		memcpy(p + 20, error ? "\0\0\0\5\0\0" : "\0\0\0\0\0", 6);
		return error ? 26 : 32;
	}
	memcpy(p, "\0\3\xe8\x89\4\x55\x65\xa9", 8);
	memcpy(p + 8, l->head + 8, 4);
	p[12] = error ? 0x80 : 0;
	p[15] = error ? 2 : 3; /* policy; or an item of information */
	p[19] = error ? 0 : 12;
	memcpy(p + 20, "\x7f\xff", 2); /* that nobody knows */
	return error ? 20 : 32;
}

/* Returns how many bytes were taken. */
static size_t try_send(struct link *l, const unsigned char *p, size_t len)
{
	ssize_t n = send(l->client, p, len, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n <= 0)
		return 0;
	l->poured += (size_t)n;
	return (size_t)n;
}

/* TCP may take a part of a reply. */
static void pour_reply(struct link *l)
{
	unsigned char p[32];
	size_t len = make_reply(l, false, p);

	l->part += try_send(l, p + l->part, len - l->part);
	l->part %= len;
}

/* Beyond MUCH only a limit of time is left to the client: then slowly. */
static void pour(struct link *l)
{
	static unsigned char zeroes[4096];

	if (fault == NOISE)
		try_send(l, zeroes, sizeof(zeroes));
	else
		for (unsigned i = 0; i < 100; i++)
			pour_reply(l);
	l->next = now_ms() + PAUSE_MS;
}

static void happen(struct link *l)
{
	bool data = l->greeted && be32(l->head) == REQUEST;
	unsigned char p[32];

	happened = now_ms();
	if (fault >= CUT)
		l->left = l->tls ? TLS_PART : data ? DATA_PART : FIRST_PART;
	l->faulty = fault < ERROR;
	away = fault == RESET;
	if (fault == DIE || fault == RESET)
		hang_up(l);
	if (fault == ERROR)
		send_all(l->client, p, make_reply(l, true, p));
}

/* ---- from the client ---- */

/* The length of the message that begins with these bytes, 0: too few. */
static unsigned head_length(const struct link *l)
{
	if (!l->greeted)
		return 4;
	if (l->tls)
		return 5;
	return l->have < 4 ? 0 : be32(l->head) == IHAVEOPT ? 16 : 28;
}

static bool is_unknown(const struct link *l)
{
	uint32_t option = be32(l->head + 8);

	return option != EXPORT_NAME && option != LIST;
}

/* A message is complete but for its data.  True: it is passed on. */
static bool take(struct link *l, unsigned len)
{
	bool option = len == 16;
	bool writes = len == 28 && l->head[7] == WRITE;
	bool counts = l->tls ? l->head[0] == APP_DATA : l->greeted;

	l->greeted = true;
	if (fault == OLD && option && is_unknown(l)) {
		happened = now_ms();
		hang_up(l);
		return false;
	}
	l->chunks |= option && be32(l->head + 8) == CHUNKS;
	l->have = 0;
	l->rest = l->tls   ? (unsigned)l->head[3] << 8 | l->head[4]
		  : option ? be32(l->head + 12)
		  : writes ? be32(l->head + 24)
			   : 0;
	l->tls |= option && be32(l->head + 8) == STARTTLS;
	l->drops = counts && ++step == at;
	if (l->drops)
		happen(l);
	l->drops &= fault < CUT;
	return !l->drops;
}

static void from_client(struct link *l, const unsigned char *p, size_t len)
{
	while (len && l->client >= 0 && !l->faulty) {
		size_t n = len < l->rest ? len : l->rest;
		unsigned want;

		if (n) {
			if (!l->drops)
				send_all(l->server, p, n);
			l->rest -= n;
			p += n;
			len -= n;
			continue;
		}
		l->head[l->have++] = *p++;
		len--;
		want = head_length(l);
		if (l->have == want && take(l, want))
			send_all(l->server, l->head, want);
	}
}

/* Passes on what is left until the answer is cut, or stalls. */
static void pass_part(struct link *l, const unsigned char *p, size_t len)
{
	send_all(l->client, p, len < l->left ? len : l->left);
	if (len < l->left) {
		l->left -= len;
		return;
	}
	l->faulty = true;
	if (fault == CUT)
		hang_up(l);
}

/* Moves what is there; closes both ends when one of them is closed. */
static void move(struct link *l, bool from_server)
{
	static unsigned char buf[CHUNK];
	size_t most = from_server && l->faulty && fault == DRIP ? 1 : CHUNK;
	ssize_t n = recv(from_server ? l->server : l->client, buf, most, 0);

	if (n <= 0)
		hang_up(l);
	else if (!from_server)
		from_client(l, buf, (size_t)n);
	else if (l->left)
		pass_part(l, buf, (size_t)n);
	else
		send_all(l->client, buf, (size_t)n);
	l->next = now_ms() + 1000;
}

static void begin(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct link *l = &links[n_links];

	if (fd < 0 || away || n_links == LINKS) {
		close(fd);
		return;
	}
	n_links++;
	*l = (struct link){ .client = fd, .server = start_server() };
	if (at == 0 && step == 0 && !happened)
		happen(l);
}

/* ---- the loop ---- */

/* Which ends of a link are read, and may be written. */
static void ask(const struct link *l, struct pollfd p[2])
{
	bool due = now_ms() >= l->next;
	bool drips = fault == DRIP && due;
	bool pours = (fault == NOISE || fault == FLOOD) &&
		     (due || l->poured < MUCH);

	p[0] = (struct pollfd){ l->client, POLLIN, 0 };
	p[1] = (struct pollfd){ l->server, POLLIN, 0 };
	if (!l->faulty)
		return;
	p[0].events = pours ? POLLOUT : 0;
	p[1].fd = drips ? l->server : -1;
}

static void turn(int listener)
{
	struct pollfd p[1 + 2 * LINKS] = { { listener, POLLIN, 0 } };
	unsigned n = n_links;

	for (unsigned i = 0; i < n; i++)
		ask(&links[i], &p[1 + 2 * i]);
	if (poll(p, 1 + 2 * n, 20) <= 0)
		return;
	if (p[0].revents)
		begin(listener);
	for (unsigned i = 0; i < n; i++) {
		struct link *l = &links[i];

		if (p[1 + 2 * i].revents & POLLOUT)
			pour(l);
		else if (p[1 + 2 * i].revents)
			move(l, false);
		if (l->client >= 0 && p[2 + 2 * i].revents)
			move(l, true);
	}
}

static int report(const char *how, int status, uint64_t from, pid_t control)
{
	printf("%s %d %llu %s %s\n", how, status,
	       (unsigned long long)(now_ms() - from),
	       happened ? "fault" : "none", control_end(control));
	return 0;
}

int main(int argc, char *argv[])
{
	uint64_t end, began = now_ms();
	int listener, status, sig;
	pid_t pid, control = 0;

	if (argc < 8)
		return 2;
	while (fault < OLD && strcmp(names[fault], argv[2]) != 0)
		fault++;
	at = (unsigned)atoi(argv[3]);
	sig = atoi(argv[4]);
	server = argv[5];
	listener = listen_at(argv[6]);
	pid = start(argv + 7, -1);
	end = began + (uint64_t)atoi(argv[1]) * 1000;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (now_ms() >= end) {
			kill(pid, SIGKILL);
			return report("hang", 0, happened ? happened : began,
				      control);
		}
		turn(listener);
		if (sig && happened && !control)
			control = control_start(pid, sig);
	}
	return report(WIFSIGNALED(status) ? "signal" : "exit",
		      WIFSIGNALED(status) ? WTERMSIG(status)
					  : WEXITSTATUS(status),
		      happened ? happened : began, control);
}
