/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bad network: passes frames between a tap device, which it makes, and a
 * command, which it runs with the other end as descriptor 3, or a tap device in
 * another network namespace.
 *
 *	relay OPTIONS TAP COMMAND...	the command's status
 *	relay OPTIONS -t TAP2 -n PID TAP	until it is killed
 *
 * What happens to a frame depends on the seed, the direction, and on its number
 * alone.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FRAME 9100
#define DATA  500  /* bytes of a frame behind negotiation */
#define QUEUE 8192 /* frames on their way in one direction */

static struct {
	unsigned seed, delay, jitter; /* us */
	unsigned rate; /* Mbit/s in each direction, behind a queue of 100 ms */
	/* of a million frames */
	unsigned loss, reorder, twice, corrupt;
	/* ms of an outage, since the first TCP frame of DATA bytes */
	unsigned from, until;
	unsigned lease; /* s: of the first; nobody renews it while it lasts */
} o;

struct frame {
	uint64_t due; /* ns */
	size_t len;
	unsigned char data[FRAME];
};

/* One direction: a heap would be more than is needed, the queue is short. */
struct way {
	int from, to;
	uint64_t random;
	struct frame *queue[QUEUE];
	unsigned n;
	uint64_t last; /* when the latest is due, unless reordered */
	uint64_t free; /* when all of it has gone over the link */
};

static uint64_t began;
static uint64_t acked; /* when the lease was given */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "relay: %s: %s\n", what, strerror(errno));
	exit(125);
}

static uint32_t draw(struct way *w, uint32_t below)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (uint32_t)((w->random >> 32) * below >> 32);
}

static bool chance(struct way *w, unsigned of_a_million)
{
	return draw(w, 1000000) < of_a_million;
}

static bool is_tcp(const unsigned char *p, size_t len)
{
	return len >= 54 && ((p[12] == 8 && !p[13] && p[23] == 6) ||
			     (p[12] == 0x86 && p[13] == 0xdd && p[20] == 6));
}

static bool in_outage(const unsigned char *p, size_t len, uint64_t t)
{
	uint64_t ms;

	if (!o.until)
		return false;
	if (!began && len >= DATA && is_tcp(p, len))
		began = t;
	ms = began ? (t - began) / 1000000 : 0;
	return began && ms >= o.from && ms < o.until;
}

/*
 * A server's DHCP message: shortens the first lease, and drops what comes until
 * that has run out.
 */
static bool spoil_lease(unsigned char *p, size_t len)
{
	bool is_ack = false;

	if (!o.lease || len < 290 || p[12] != 8 || p[13] || p[23] != 17 ||
	    p[34] || p[35] != 67)
		return true;
	if (acked)
		return now() - acked >= o.lease * 1000000000ull;
	p[40] = p[41] = 0; /* no checksum */
	for (size_t i = 282; i + 6 <= len && p[i] != 255; i += 2 + p[i + 1]) {
		uint32_t s = htonl(o.lease);

		if (p[i] == 51)
			memcpy(p + i + 2, &s, 4);
		if (p[i] == 58 || p[i] == 59) /* T1 and T2 are its shares */
			p[i] = 224;
		is_ack |= p[i] == 53 && p[i + 2] == 5;
	}
	if (is_ack)
		acked = now();
	return true;
}

static void add(struct way *w, const unsigned char *p, size_t len, uint64_t due)
{
	struct frame *f;

	if (w->n == QUEUE)
		return; /* as the queue of a router does */
	f = malloc(sizeof(*f));
	if (!f)
		die("memory");
	f->due = due;
	f->len = len;
	memcpy(f->data, p, len);
	/* sorted, and the new one is nearly always the last */
	unsigned i = w->n++;

	while (i && w->queue[i - 1]->due > due) {
		w->queue[i] = w->queue[i - 1];
		i--;
	}
	w->queue[i] = f;
}

static bool is_bad(void)
{
	return o.loss || o.reorder || o.twice || o.corrupt || o.delay ||
	       o.jitter || o.until || o.lease || o.rate;
}

/* Adds what it waits for the link and takes there; false: the queue is full. */
static bool has_room(struct way *w, size_t len, uint64_t t, uint64_t *due)
{
	if (!o.rate)
		return true;
	if (w->free < t)
		w->free = t;
	/* some frames, however slow */
	if (w->free - t > 100000000 + 64000 / o.rate * 1000)
		return false;
	w->free += len * 8000 / o.rate;
	*due += w->free - t;
	return true;
}

static void take(struct way *w, unsigned char *p, size_t len)
{
	uint64_t t = now(), due = t + o.delay * 1000ull;

	if (!is_bad()) {
		if (write(w->to, p, len) < 0 && errno == EIO)
			errno = 0; /* the interface is down */
		return;
	}
	if (!has_room(w, len, t, &due))
		return;
	if (o.jitter)
		due += draw(w, o.jitter) * 1000ull;
	if (due < w->last)
		due = w->last;
	if (chance(w, o.loss) || in_outage(p, len, t) || !spoil_lease(p, len))
		return;
	if (chance(w, o.reorder)) {
		due += (1 + draw(w, 5000)) * 1000ull;
	} else {
		w->last = due;
	}
	if (chance(w, o.corrupt))
		p[draw(w, (uint32_t)len)] ^= (unsigned char)(1 << draw(w, 8));
	if (chance(w, o.twice))
		add(w, p, len, due + draw(w, 2000) * 1000ull);
	add(w, p, len, due);
}

/* False: the other end is gone. */
static bool receive(struct way *w)
{
	unsigned char buf[FRAME];

	for (unsigned i = 0; i < 64; i++) {
		ssize_t n = read(w->from, buf, sizeof(buf));

		if (n > 0)
			take(w, buf, (size_t)n);
		else
			return n < 0;
	}
	return true;
}

static void send_due(struct way *w)
{
	uint64_t t = now();
	unsigned n = 0;

	while (n < w->n && w->queue[n]->due <= t) {
		(void)!write(w->to, w->queue[n]->data, w->queue[n]->len);
		free(w->queue[n++]);
	}
	memmove(w->queue, w->queue + n, (w->n - n) * sizeof(w->queue[0]));
	w->n -= n;
}

static int open_tap(const char *name, const char *pid)
{
	struct ifreq r = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	char path[64];
	int fd;

	if (pid) {
		snprintf(path, sizeof(path), "/proc/%s/ns/net", pid);
		fd = open(path, O_RDONLY);
		if (fd < 0 || setns(fd, CLONE_NEWNET) < 0)
			die(path);
	}
	fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	snprintf(r.ifr_name, IFNAMSIZ, "%s", name);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &r) < 0)
		die(name);
	return fd;
}

/* Runs the command; returns our end of its frames. */
static int run(char *argv[], pid_t *child)
{
	int size = 1 << 22, fd[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0)
		die("socketpair");
	for (int i = 0; i < 2; i++)
		setsockopt(fd[i], SOL_SOCKET, SO_SNDBUFFORCE, &size,
			   sizeof(size));
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	*child = fork();
	if (*child == 0) {
		dup2(fd[1], 3);
		execvp(argv[0], argv);
		die(argv[0]);
	}
	close(fd[1]);
	return fd[0];
}

static void pass(struct way w[2])
{
	struct pollfd p[2] = { { w[0].from, POLLIN, 0 },
			       { w[1].from, POLLIN, 0 } };

	for (;;) {
		uint64_t t = now(), due = t + 1000000000;

		for (int i = 0; i < 2; i++)
			if (w[i].n && w[i].queue[0]->due < due)
				due = w[i].queue[0]->due;
		due = due > t ? due - t : 0;
		ppoll(p, 2,
		      &(struct timespec){ (time_t)(due / 1000000000),
					  (long)(due % 1000000000) },
		      NULL);
		for (int i = 0; i < 2; i++) {
			if (p[i].revents && !receive(&w[i]) && i == 1)
				return;
			send_due(&w[i]);
		}
	}
}

static void options(int argc, char *argv[], const char **tap, const char **pid)
{
	int c;

	while ((c = getopt(argc, argv, "+s:d:j:b:l:r:u:c:o:L:t:n:")) != -1) {
		unsigned v = optarg ? (unsigned)atoi(optarg) : 0;

		switch (c) {
		case 's':
			o.seed = v;
			break;
		case 'd':
			o.delay = v;
			break;
		case 'j':
			o.jitter = v;
			break;
		case 'b':
			o.rate = v;
			break;
		case 'l':
			o.loss = v;
			break;
		case 'r':
			o.reorder = v;
			break;
		case 'u':
			o.twice = v;
			break;
		case 'c':
			o.corrupt = v;
			break;
		case 'o':
			sscanf(optarg, "%u-%u", &o.from, &o.until);
			break;
		case 'L':
			o.lease = v;
			break;
		case 't':
			*tap = optarg;
			break;
		case 'n':
			*pid = optarg;
			break;
		default:
			exit(125);
		}
	}
}

int main(int argc, char *argv[])
{
	static struct way w[2];
	const char *tap = NULL, *pid = NULL;
	pid_t child = 0;
	int status = 0;

	options(argc, argv, &tap, &pid);
	if (optind >= argc)
		return 125;
	signal(SIGPIPE, SIG_IGN);
	w[0].from = w[1].to = open_tap(argv[optind], NULL);
	w[0].to = w[1].from = tap ? open_tap(tap, pid)
				  : run(argv + optind + 1, &child);
	for (unsigned i = 0; i < 2; i++) {
		w[i].random = (o.seed + 1) * 0x9e3779b97f4a7c15u + i;
		draw(&w[i], 1);
	}
	pass(w);
	if (child)
		waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 124;
}
