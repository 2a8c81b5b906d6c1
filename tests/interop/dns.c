/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A name server at port 53 that answers no question as it should; "lies" is at
 * 127.0.0.2 as well, and "large" answers by TCP, too:
 *
 *	dns KIND [ADDRESS]
 *
 * It writes "ready" when it listens, "asked" at the first question, and ends
 * with its standard input.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD 12
/* Replies of a flood, which then is slower: only time is left to end it. */
#define MANY 50000

static unsigned char reply[65536];
static size_t length;

/* Flags and code of the reply, and how many answers it claims to have. */
static void set_head(unsigned flags, unsigned answers)
{
	reply[2] = (unsigned char)(0x80 | flags >> 8 | reply[2]);
	reply[3] = (unsigned char)flags;
	reply[6] = (unsigned char)(answers >> 8);
	reply[7] = (unsigned char)answers;
}

static void add(const char *bytes, size_t n)
{
	memcpy(reply + length, bytes, n);
	length += n;
}

/* A record of 127.0.0.1, for the name of the question. */
static void add_address(void)
{
	add("\300\14\0\1\0\1\0\0\0\1\0\4\177\0\0\1", 16);
}

static void right(void)
{
	set_head(0, 1);
	add_address();
}

static void no_such_name(void)
{
	set_head(3, 0);
}

static void refused(void)
{
	set_head(5, 0);
}

/* RFC 4074, 4: what servers send for a name that has an A. */
static void without_aaaa(unsigned code)
{
	if (reply[length - 3] == 28)
		set_head(code, 0);
	else
		right();
}

static void nxdomain_aaaa(void)
{
	without_aaaa(3);
}

static void notimp_aaaa(void)
{
	without_aaaa(4);
}

static void refused_aaaa(void)
{
	without_aaaa(5);
}

/* Twelve names, each an alias of the next. */
static void chain(void)
{
	char name[] = "\300\14\0\5\0\1\0\0\0\1\0\4\1a\300\14";

	for (char c = 'a'; c < 'm'; c++) {
		name[13] = c;
		add(name, 16);
		name[0] = (char)(0xc0 | (length - 4) >> 8);
		name[1] = (char)(length - 4);
	}
	memcpy(name + 2, "\0\1\0\1\0\0\0\1\0\4\177\0\0\1", 14);
	add(name, 16);
	set_head(0, 13);
}

static void truncated(void)
{
	set_head(0x200, 1);
}

/* Its answer fits TCP alone; of UDP there is nothing, or an address of nobody. */
static void large(void)
{
	set_head(0x200, 0);
}

static void cut(void)
{
	set_head(0, 1);
	add_address();
	length -= 3;
}

static void wrong_id(void)
{
	right();
	reply[0] ^= 1;
}

/* Names that point to themselves, and to each other. */
static void loops(void)
{
	set_head(0, 2);
	reply[length] = 0xc0 | (unsigned char)(length >> 8);
	reply[length + 1] = (unsigned char)length;
	length += 2;
	add("\0\1\0\1\0\0\0\1\0\4\177\0\0\1", 14);
	add("\300\14\0\5\0\1\0\0\0\1\0\2\300\14", 14);
}

static void giant(void)
{
	set_head(0, 65535);
	while (length < 60000)
		add_address();
}

static void noise(void)
{
	for (length = HEAD; length < 512; length++)
		reply[length] = (unsigned char)rand();
	set_head(0, 65535);
}

static void empty(void)
{
	length = 0;
}

static const struct {
	const char *name;
	void (*make)(void);
	unsigned times; /* that the reply is sent; 0: until the end */
} kinds[] = {
	{ "right", right, 1 },
	{ "silent", right, 0 },
	{ "nxdomain", no_such_name, 1 },
	{ "refused", refused, 1 },
	{ "nxdomain-aaaa", nxdomain_aaaa, 1 },
	{ "notimp-aaaa", notimp_aaaa, 1 },
	{ "refused-aaaa", refused_aaaa, 1 },
	{ "chain", chain, 1 },
	{ "truncated", truncated, 1 },
	{ "large", large, 1 },
	{ "lies", right, 1 },
	{ "cut", cut, 1 },
	{ "wrong-id", wrong_id, 1 },
	{ "loops", loops, 1 },
	{ "giant", giant, 1 },
	{ "noise", noise, 1 },
	{ "empty", empty, 1 },
	{ "flood", wrong_id, 0 },
	{ "flood-empty", empty, 0 },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static bool is_over(int ms)
{
	struct pollfd p = { .fd = 0, .events = POLLIN };

	return poll(&p, 1, ms) > 0;
}

static int open_at(uint32_t ip, int type)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons(53),
				  .sin_addr.s_addr = htonl(ip) };
	int fd = socket(AF_INET, type, 0);

	if (bind(fd, (void *)&at, sizeof(at)) ||
	    (type == SOCK_STREAM && listen(fd, 9))) {
		perror("dns");
		exit(1);
	}
	return fd;
}

/* One client, right, in two pieces. */
static void answer_tcp(int tcp)
{
	int fd = accept(tcp, NULL, NULL);
	unsigned char head[2];

	if (recv(fd, head, 2, MSG_WAITALL) == 2) {
		length = (size_t)head[0] << 8 | head[1];
		recv(fd, reply, length, MSG_WAITALL);
		without_aaaa(0);
		head[0] = (unsigned char)(length >> 8);
		head[1] = (unsigned char)length;
		send(fd, head, 2, 0);
		send(fd, reply, 20, 0);
		send(fd, reply + 20, length - 20, 0);
	}
	close(fd);
}

/* This one knows no names, and says so before the other one has answered. */
static void lie(int fd)
{
	struct sockaddr_in from;
	socklen_t n = sizeof(from);
	ssize_t got = recvfrom(fd, reply, sizeof(reply), 0, (void *)&from, &n);

	if (got < HEAD)
		return;
	length = (size_t)got;
	no_such_name();
	sendto(fd, reply, length, 0, (void *)&from, n);
}

static void answer(int fd, unsigned kind)
{
	struct sockaddr_in from;
	socklen_t n = sizeof(from);
	ssize_t got = recvfrom(fd, reply, sizeof(reply), 0, (void *)&from, &n);
	static bool asked;

	if (!asked)
		puts("asked");
	fflush(stdout);
	asked = true;
	if (got < HEAD || !strcmp(kinds[kind].name, "silent"))
		return;
	length = (size_t)got;
	kinds[kind].make();
	for (unsigned i = 0; !kinds[kind].times || i < kinds[kind].times; i++) {
		sendto(fd, reply, length, MSG_DONTWAIT, (void *)&from, n);
		if (i % 100 == 99 && is_over(i < MANY ? 0 : 20))
			return;
	}
}

int main(int argc, char *argv[])
{
	int udp, tcp = -1, liar = -1;
	unsigned kind = 0;

	while (kind < KINDS && argc > 1 && strcmp(kinds[kind].name, argv[1]))
		kind++;
	if (kind == KINDS)
		return 1;
	if (!strcmp(kinds[kind].name, "large"))
		tcp = open_at(INADDR_ANY, SOCK_STREAM);
	if (!strcmp(kinds[kind].name, "lies"))
		liar = open_at(0x7f000002, SOCK_DGRAM);
	udp = open_at(argc > 2	 ? ntohl(inet_addr(argv[2]))
		      : liar < 0 ? INADDR_ANY
				 : INADDR_LOOPBACK,
		      SOCK_DGRAM);
	puts("ready");
	fflush(stdout);
	for (;;) {
		struct pollfd p[4] = { { 0, POLLIN, 0 },
				       { udp, POLLIN, 0 },
				       { tcp, POLLIN, 0 },
				       { liar, POLLIN, 0 } };

		/* the lie comes first */
		poll(p, 4, -1);
		if (p[0].revents)
			return 0;
		if (p[3].revents)
			lie(liar);
		if (p[2].revents)
			answer_tcp(tcp);
		if (p[1].revents && liar >= 0)
			usleep(100000);
		if (p[1].revents)
			answer(udp, kind);
	}
}
