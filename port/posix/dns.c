/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions to name servers, and resolv.conf. */
#include "port/posix/dns.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/nbd_uri.h"
#include "port/port.h"
#include "port/posix/lines.h"
#include "port/posix/sock.h"

/*
 * ms that other servers have once one has no address, and that the other kind
 * has once there is one.
 */
#define GRACE	     500
/* Bytes of an answer that are read: more addresses than anybody wants. */
#define ANSWER	     4096
/* Limits of resolv.conf(5). */
#define ATTEMPTS_MAX 5
#define TIMEOUT_MAX  30

/* ---- resolv.conf ---- */

static void take_option(struct dns_conf *c, const char *option)
{
	static const struct {
		char name[10];
		uint8_t most;
	} options[] = { { "ndots:", 15 },
			{ "attempts:", ATTEMPTS_MAX },
			{ "timeout:", TIMEOUT_MAX } };
	unsigned *to[] = { &c->ndots, &c->attempts, &c->timeout_ms };

	for (unsigned i = 0; i < 3; i++) {
		size_t n = strlen(options[i].name);
		long v;

		if (strncmp(option, options[i].name, n) != 0)
			continue;
		v = nbd_number(option + n, 0, 1000);
		if (v >= 0)
			*to[i] = v < options[i].most ? (unsigned)v
						     : options[i].most;
	}
}

static void take_line(void *ctx, char *word[])
{
	struct dns_conf *c = ctx;
	bool search = !strcmp(word[0], "search") || !strcmp(word[0], "domain");
	struct nbd_out o = { .buf = c->search, .cap = sizeof(c->search) - 1 };

	if (!strcmp(word[0], "nameserver") && c->n < DNS_SERVERS &&
	    sock_parse(word[1], DNS_PORT, &c->server[c->n]))
		c->n++;
	for (unsigned i = 1; i < LINES_WORDS && !strcmp(word[0], "options");
	     i++)
		take_option(c, word[i]);
	/* the last one counts; what does not fit is left out */
	for (unsigned i = 1; i < LINES_WORDS && search && *word[i]; i++) {
		if (o.len + 1 + strlen(word[i]) > o.cap)
			break;
		nbd_putf(&o, "%s%s", o.len ? " " : "", word[i]);
	}
	if (search)
		c->search[o.len] = '\0';
}

void dns_conf_read(struct dns_conf *c, const char *path)
{
	memset(c, 0, sizeof(*c));
	c->ndots = 1;
	c->attempts = 2;
	c->timeout_ms = 5; /* s, until all is read */
	lines_each(path, take_line, c);
	c->timeout_ms = (c->timeout_ms ? c->timeout_ms : 1) * 1000;
	c->attempts += !c->attempts;
	if (!c->n)
		sock_parse("127.0.0.1", DNS_PORT, &c->server[c->n++]);
}

/* ---- questions ---- */

/* Of Linux 5.6: bits that may be worse before there is entropy, but no error. */
#ifndef GRND_INSECURE
#define GRND_INSECURE 4
#endif

struct question {
	uint8_t q[DNS_QUERY_MAX];
	size_t len;
	struct dns_found *found;
	/* of each server: DNS_OTHER, or what it said */
	uint8_t said[DNS_SERVERS];
};

struct asking {
	const struct dns_conf *c;
	struct question question[2];
	unsigned n; /* of them */
	struct pollfd p[DNS_SERVERS];
	uint64_t end;	/* of this attempt */
	uint64_t grace; /* its end; UINT64_MAX until an answer began it */
	uint8_t buf[ANSWER];
};

static bool is_none(unsigned said)
{
	return said == DNS_NONE || said == DNS_NO_NAME;
}

static void say(struct asking *a, unsigned question, unsigned server,
		enum dns_answer answer)
{
	bool first = a->grace == UINT64_MAX;

	a->question[question].said[server] = (uint8_t)answer;
	if (answer == DNS_FOUND || (is_none(answer) && first))
		a->grace = nbd_now_ms() + GRACE;
}

/* Nobody listens there; what it said before still counts. */
static void give_up(struct asking *a, unsigned server)
{
	for (unsigned i = 0; i < a->n; i++)
		if (!a->question[i].said[server])
			say(a, i, server, DNS_REFUSED);
}

/* False: the time is over. */
static bool await(int fd, short events, uint64_t end)
{
	struct pollfd p = { .fd = fd, .events = events };
	uint64_t now;

	while ((now = nbd_now_ms()) < end)
		if (poll(&p, 1, (int)(end - now)) > 0)
			return true;
	return false;
}

/* Sends, or receives, exactly len bytes; else what came until then. */
static size_t move(int fd, void *p, size_t len, bool out, uint64_t end)
{
	size_t at = 0;

	while (at < len && await(fd, out ? POLLOUT : POLLIN, end)) {
		ssize_t n =
			out ? send(fd, (char *)p + at, len - at, MSG_NOSIGNAL)
			    : recv(fd, (char *)p + at, len - at, 0);

		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			break;
		at += n > 0 ? (size_t)n : 0;
	}
	return at;
}

/*
 * The same question by TCP, of the server that has cut its answer.  It has half
 * of the time that is left, or one that is silent would have that of the others.
 */
static enum dns_answer ask_tcp(struct asking *a, struct question *q,
			       unsigned server)
{
	int fd = sock_open_known(&a->c->server[server], SOCK_STREAM);
	uint64_t now = nbd_now_ms(), end = a->end;
	enum dns_answer answer;
	size_t len = 0;

	if (fd < 0)
		return DNS_REFUSED;
	if (now < end)
		end = now + (end - now) / 2;
	/* in one piece, as servers may take no other (RFC 7766, 8) */
	a->buf[0] = (uint8_t)(q->len >> 8);
	a->buf[1] = (uint8_t)q->len;
	memcpy(a->buf + 2, q->q, q->len);
	if (move(fd, a->buf, 2 + q->len, true, end) == 2 + q->len &&
	    move(fd, a->buf, 2, false, end) == 2) {
		len = (size_t)a->buf[0] << 8 | a->buf[1];
		if (len > sizeof(a->buf))
			len = sizeof(a->buf);
		len = move(fd, a->buf, len, false, end);
	}
	close(fd);
	q->found->n = 0;
	answer = dns_read(a->buf, len, q->q, q->len, q->found);
	/* it said all that it will */
	return answer == DNS_OTHER ? DNS_REFUSED : answer;
}

/*
 * After an answer by UDP that was cut: what it had counts unless TCP brings
 * more.
 */
static enum dns_answer ask_whole(struct asking *a, struct question *q,
				 unsigned server)
{
	struct dns_target target[DNS_TARGETS];
	const struct dns_found cut = *q->found;
	enum dns_answer answer;

	if (cut.target)
		memcpy(target, cut.target, sizeof(target));
	answer = ask_tcp(a, q, server);
	if (answer != DNS_FOUND) {
		*q->found = cut;
		if (cut.target)
			memcpy(cut.target, target, sizeof(target));
	}
	return q->found->n ? DNS_FOUND : answer;
}

static void take_answer(struct asking *a, unsigned server, size_t len)
{
	for (unsigned i = 0; i < a->n; i++) {
		struct question *q = &a->question[i];
		enum dns_answer answer;

		/* an address of another server is enough */
		if (q->said[server] || q->found->n)
			continue;
		answer = dns_read(a->buf, len, q->q, q->len, q->found);
		if (answer == DNS_CUT)
			answer = ask_whole(a, q, server);
		if (answer == DNS_OTHER)
			continue;
		say(a, i, server, answer == DNS_CUT ? DNS_REFUSED : answer);
		return;
	}
}

static bool has_said(const struct question *q, enum dns_answer answer)
{
	return memchr(q->said, (int)answer, DNS_SERVERS);
}

/* Of a server that answers so to AAAA alone, the name exists (RFC 4074, 4.2). */
static bool is_no_name(const struct asking *a)
{
	for (unsigned i = 0; i < a->n; i++)
		if (has_said(&a->question[i], DNS_NONE))
			return false;
	return has_said(&a->question[0], DNS_NO_NAME);
}

static void send_all(struct asking *a)
{
	for (unsigned i = 0; i < a->n; i++)
		for (unsigned s = 0; s < a->c->n; s++) {
			struct question *q = &a->question[i];

			if (a->p[s].fd < 0 || is_none(q->said[s]) ||
			    q->found->n)
				continue;
			q->said[s] = DNS_OTHER;
			/* an error may be that of the question before */
			if (send(a->p[s].fd, q->q, q->len, MSG_NOSIGNAL) < 0 &&
			    errno != EAGAIN)
				give_up(a, s);
		}
}

/*
 * Nobody will say more, or need not: there are addresses of the other kind, or a
 * server has none or knows no such name, and the others have had their time.
 */
static bool is_settled(const struct asking *a, const struct question *q,
		       bool others, bool no_name, uint64_t now)
{
	unsigned silent = 0, none = 0;

	for (unsigned s = 0; s < a->c->n; s++) {
		silent += q->said[s] == DNS_OTHER && a->p[s].fd >= 0;
		none += is_none(q->said[s]);
	}
	return q->found->n || !silent || (none && others) ||
	       ((none || others || no_name) && now >= a->grace);
}

static bool are_settled(const struct asking *a, uint64_t now)
{
	bool all = true, any = false, no_name = is_no_name(a);

	for (unsigned i = 0; i < a->n; i++)
		any |= a->question[i].found->n > 0;
	for (unsigned i = 0; i < a->n; i++)
		all &= is_settled(a, &a->question[i], any, no_name, now);
	return all;
}

/* Receives until all is settled (true) or this attempt is over. */
static bool receive(struct asking *a)
{
	for (;;) {
		uint64_t now = nbd_now_ms(), next = a->end;

		if (are_settled(a, now))
			return true;
		if (now >= a->end)
			return false;
		if (a->grace > now && a->grace < next)
			next = a->grace;
		if (poll(a->p, a->c->n, (int)(next - now)) <= 0)
			continue;
		for (unsigned s = 0; s < a->c->n; s++) {
			ssize_t n;

			if (a->p[s].fd < 0 || !a->p[s].revents)
				continue;
			n = recv(a->p[s].fd, a->buf, sizeof(a->buf), 0);
			if (n >= 0)
				take_answer(a, s, (size_t)n);
			else if (errno != EAGAIN)
				give_up(a, s);
		}
	}
}

static void open_all(struct asking *a)
{
	for (unsigned s = 0; s < a->c->n; s++)
		a->p[s] = (struct pollfd){
			.fd = sock_open_known(&a->c->server[s], SOCK_DGRAM),
			.events = POLLIN,
		};
}

static void close_all(struct asking *a)
{
	for (unsigned s = 0; s < a->c->n; s++)
		if (a->p[s].fd >= 0)
			close(a->p[s].fd);
}

/* As dns_ask(), where no address was found. */
static int verdict(const struct asking *a)
{
	int rc = 0;

	if (is_no_name(a))
		return NBD_E_RESOLVE;
	for (unsigned i = 0; i < a->n; i++) {
		const struct question *q = &a->question[i];

		if (has_said(q, DNS_NONE) || has_said(q, DNS_NO_NAME))
			continue;
		/* there may be addresses of this kind */
		rc = rc ? rc : NBD_E_UNREACHABLE;
		for (unsigned s = 0; s < a->c->n; s++) {
			if (a->p[s].fd < 0)
				continue;
			if (!q->said[s])
				return NBD_E_TIMEOUT;
			rc = NBD_E_REFUSED;
		}
	}
	return rc;
}

/* What nobody beside the way to the server can guess (RFC 5452, 4.3). */
static void make_ids(uint16_t id[2])
{
	uint64_t ns = nbd_now_ns();

	id[0] = (uint16_t)(ns ^ ns >> 16);
	id[1] = (uint16_t)(ns >> 8);
	/* with neither of them the port is still a random one */
	if (getrandom(id, 4, GRND_NONBLOCK) < 0)
		(void)!getrandom(id, 4, GRND_INSECURE);
	/* the two are of one port */
	id[1] ^= id[0] == id[1];
}

uint32_t dns_random(void)
{
	uint16_t id[2] = { 0 };

	make_ids(id);
	return (uint32_t)id[0] << 16 | id[1];
}

/* False: this cannot be a name. */
static bool prepare(struct asking *a, const char *name, uint16_t id,
		    enum dns_type type, struct dns_found *found)
{
	struct question *q = &a->question[a->n++];

	found->n = 0;
	q->found = found;
	q->len = dns_query(q->q, id, name, type);
	return q->len;
}

static bool has_found(const struct asking *a)
{
	for (unsigned i = 0; i < a->n; i++)
		if (a->question[i].found->n)
			return true;
	return false;
}

static int ask(struct asking *a)
{
	const struct dns_conf *c = a->c;
	bool settled = false;
	int rc = NBD_E_TIMEOUT;

	open_all(a);
	for (unsigned i = 0;
	     i < c->attempts && (!settled || rc == NBD_E_REFUSED); i++) {
		send_all(a);
		a->end = nbd_now_ms() + c->timeout_ms / c->attempts;
		settled = receive(a);
		rc = has_found(a) ? 1 : verdict(a);
	}
	close_all(a);
	return rc;
}

int dns_ask(const struct dns_conf *c, const char *name, bool want_six,
	    struct dns_found *four, struct dns_found *six)
{
	struct asking a = { .c = c, .grace = UINT64_MAX };
	uint16_t id[2] = { 0 };

	six->n = 0;
	make_ids(id);
	if (!prepare(&a, name, id[0], DNS_A, four) ||
	    (want_six && !prepare(&a, name, id[1], DNS_AAAA, six)))
		return NBD_E_RESOLVE;
	return ask(&a);
}

int dns_ask_service(const struct dns_conf *c, const char *name,
		    struct dns_found *f)
{
	struct asking a = { .c = c, .grace = UINT64_MAX };
	uint16_t id[2] = { 0 };

	make_ids(id);
	return prepare(&a, name, id[0], DNS_SRV, f) ? ask(&a) : NBD_E_RESOLVE;
}
