/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server of DHCP on the interface v0 that answers no question as it should:
 *
 *	dhcp KIND
 *
 * It gives 192.0.2.200, and says that it is 192.0.2.9.  It writes a line for each
 * message that it sends.  At SIGTERM it answers what has come, and ends.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

enum { DISCOVER = 1, OFFER, REQUEST, ACK = 5, NAK };
enum { GIVEN = 200 };
enum { CIADDR = 12, SNAME = 44, BOOTFILE = 108, OPTIONS = 240, SIZE = 590 };

static const unsigned char itself[4] = { 192, 0, 2, 9 };
static const unsigned char other[4] = { 192, 0, 2, 8 };

static unsigned char query[1500], reply[SIZE];
static size_t length;	   /* of the query */
static unsigned char *end; /* where the next option goes */
static unsigned requests;

static void put(unsigned code, const void *data, size_t n)
{
	*end++ = (unsigned char)code;
	*end++ = (unsigned char)n;
	memcpy(end, data, n);
	end += n;
}

/* The value of an option of the query; NULL: it has none. */
static const unsigned char *option(unsigned code)
{
	size_t at = OPTIONS;

	while (at + 2 < length && query[at] != 255) {
		if (query[at] == code)
			return query + at + 2;
		at += query[at] ? 2u + query[at + 1] : 1;
	}
	return NULL;
}

static void send_reply(int fd)
{
	static const char *const names[] = {
		[OFFER] = "OFFER", [ACK] = "ACK", [NAK] = "NAK"
	};
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(68),
				  .sin_addr.s_addr = INADDR_BROADCAST };

	*end = 255;
	/* a machine that renews has the address */
	if (memcmp(query + CIADDR, "\0\0\0", 4) != 0)
		memcpy(&to.sin_addr, query + CIADDR, 4);
	sendto(fd, reply, sizeof(reply), 0, (void *)&to, sizeof(to));
	puts(names[reply[OPTIONS + 2]]);
	fflush(stdout);
}

/* A reply of that type, by a server (NULL: which does not say who it is). */
static void begin(unsigned type, const unsigned char *server,
		  unsigned char address)
{
	const unsigned char value = (unsigned char)type;

	memset(reply, 0, sizeof(reply));
	memcpy(reply, query, 12);
	reply[0] = 2;
	if (address && type != NAK)
		memcpy(reply + 16, (unsigned char[]){ 192, 0, 2, address }, 4);
	memcpy(reply + 28, query + 28, 16);
	memcpy(reply + 236, "\143\202\123\143", 4);
	end = reply + OPTIONS;
	put(53, &value, 1);
	if (server)
		put(54, server, 4);
	if (type == NAK || !address)
		return;
	put(1, "\377\377\377\0", 4);
	put(3, "\300\0\2\1", 4);
}

static void hour(void)
{
	put(51, "\0\0\16\20", 4);
}

/* ---- the kinds: each answers a DISCOVER or REQUEST ---- */

static void right(int fd, unsigned type)
{
	begin(type == DISCOVER ? OFFER : ACK, itself, GIVEN);
	hour();
	send_reply(fd);
}

/* Refuses each request; what it offers is of no use. */
static void nak(int fd, unsigned type)
{
	if (type == DISCOVER) {
		right(fd, type);
		return;
	}
	begin(NAK, itself, 0);
	send_reply(fd);
}

/* Two machines have asked at once; the second offer holds. */
static void nak_once(int fd, unsigned type)
{
	if (type == REQUEST && requests == 1)
		nak(fd, type);
	else
		right(fd, type);
}

/* It offers nothing, and refuses what others have offered. */
static void nak_others(int fd, unsigned type)
{
	if (type == REQUEST)
		nak(fd, type);
}

/* It is for PXE alone: a loader, and no address. */
static void pxe(int fd, unsigned type)
{
	begin(type == DISCOVER ? OFFER : ACK, itself, 0);
	put(60, "PXEClient", 9);
	put(43, "\6\1\10\377", 4);
	memcpy(reply + BOOTFILE, "pxelinux.0", 10);
	send_reply(fd);
}

/* Another server confirms, as of a failover pair. */
static void id_other(int fd, unsigned type)
{
	if (type == DISCOVER) {
		right(fd, type);
		return;
	}
	begin(ACK, other, GIVEN);
	hour();
	send_reply(fd);
}

static void id_none(int fd, unsigned type)
{
	if (type == DISCOVER) {
		right(fd, type);
		return;
	}
	begin(ACK, NULL, GIVEN);
	hour();
	send_reply(fd);
}

/* Before the right one comes an ACK of nobody for another address. */
static void id_lies(int fd, unsigned type)
{
	if (type == REQUEST) {
		begin(ACK, NULL, GIVEN + 1);
		hour();
		send_reply(fd);
		begin(ACK, other, GIVEN + 2);
		hour();
		send_reply(fd);
	}
	right(fd, type);
}

static void zero(int fd, unsigned type)
{
	begin(type == DISCOVER ? OFFER : ACK, itself, GIVEN);
	put(51, "\0\0\0\0", 4);
	put(58, "\0\0\0\0", 4);
	put(59, "\0\0\0\0", 4);
	send_reply(fd);
}

/* The lease is right, and the times in it are not. */
static void zero_t1(int fd, unsigned type)
{
	begin(type == DISCOVER ? OFFER : ACK, itself, GIVEN);
	hour();
	put(58, "\0\0\0\0", 4);
	put(59, "\0\0\0\0", 4);
	send_reply(fd);
}

/*
 * RFC 3396: an option in parts, of which some are in the fields of the header
 * (RFC 2132, 9.3), in the order options, file, sname.
 */
static void parts(int fd, unsigned type)
{
	begin(type == DISCOVER ? OFFER : ACK, itself, GIVEN);
	hour();
	put(52, "\3", 1);
	put(17, "nbd://", 6);
	put(119, "\3eng\7exam", 9);
	put(17, "192.0.2.1", 9);
	*end = 255;
	end = reply + BOOTFILE;
	put(119, "ple\3or", 6);
	put(17, "/ro", 3);
	*end = 255;
	end = reply + SNAME;
	put(17, "ot", 2);
	put(119, "g\0\3ops\300\4", 8);
	send_reply(fd);
}

static const struct kind {
	const char *name;
	void (*answer)(int fd, unsigned type);
} kinds[] = {
	{ "right", right },	  { "nak", nak },
	{ "nak_once", nak_once }, { "nak_others", nak_others },
	{ "pxe", pxe },		  { "id_other", id_other },
	{ "id_none", id_none },	  { "id_lies", id_lies },
	{ "zero", zero },	  { "zero_t1", zero_t1 },
	{ "parts", parts },
};

static int open_v0(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons(67) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "v0", 3) ||
	    setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on)) ||
	    bind(fd, (void *)&at, sizeof(at))) {
		perror("dhcp");
		exit(1);
	}
	return fd;
}

/* False: nothing more came before SIGTERM. */
static bool await(int fd, int term)
{
	struct pollfd p[] = { { fd, POLLIN, 0 }, { term, POLLIN, 0 } };

	poll(p, 2, -1);
	return p[0].revents;
}

static void take(int fd, const struct kind *k)
{
	ssize_t n = recv(fd, query, sizeof(query), 0);
	const unsigned char *type;

	if (n < OPTIONS)
		return;
	length = (size_t)n;
	type = option(53);
	if (!type || (*type != DISCOVER && *type != REQUEST))
		return;
	requests += *type == REQUEST;
	k->answer(fd, *type);
}

int main(int argc, char *argv[])
{
	const struct kind *k = kinds,
			  *stop = kinds + sizeof(kinds) / sizeof(kinds[0]);
	sigset_t term;
	int fd, end;

	while (k < stop && argc > 1 && strcmp(k->name, argv[1]) != 0)
		k++;
	if (argc < 2 || k == stop)
		return 1;
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	end = signalfd(-1, &term, 0);
	fd = open_v0();
	while (await(fd, end))
		take(fd, k);
	return 0;
}
