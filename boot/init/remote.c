/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot.log=udp://ADDRESS[:PORT]: the lines of the boot as messages of syslog
 * (RFC 5424, over UDP by RFC 5426), so that one log on a server shows which
 * machine boots, how far it came, and why it stopped.
 *
 *	a line --no route--> kept --the next line that has one--> sent, in order
 *
 * Each process keeps and sends its own: what a child inherits is its parent's
 * to send, and what a child has not sent is lost when it ends.
 *
 * Nothing waits for the network or the server: what they do not take is lost.
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/init/steps.h"
#include "boot/root/connect.h"
#include "boot/system/console.h"
#include "boot/system/host.h"
#include "boot/words/version.h"
#include "boot/words/word.h"
#include "port/posix/sock.h"

#define SYSLOG_PORT 514
#define DAEMON	    24 /* the facility, times 8 */
/* Bytes of a message: each receiver takes so many (RFC 5426, 3.2). */
#define MESSAGE	    1024

const struct word init_remote_words[] = {
	WORD("nbdboot.log", log, WORD_TEXT, WORD_OURS), WORD_END
};

/* Before each line in kept[]. */
struct record {
	uint16_t level, len;
};

static struct {
	char host[64]; /* an address; "": nothing is sent */
	uint16_t port;
	int fd;	   /* a connected socket, or -1 */
	pid_t pid; /* of the process whose lines are kept */
	size_t used;
	bool full; /* a line was lost */
	char kept[4096];
} out;

/* The name of this machine, else the address that it sends from. */
static void put_host(struct nbd_out *o)
{
	struct utsname u;
	struct sockaddr_in6 a = { 0 };
	const struct sockaddr_in *in = (const void *)&a;
	socklen_t len = sizeof(a);

	if (!uname(&u) && *boot_host(&u))
		nbd_putf(o, "%s", u.nodename);
	else if (getsockname(out.fd, (void *)&a, &len))
		nbd_put(o, "-", 1);
	else if (a.sin6_family == AF_INET)
		nbd_put_ip(o, &in->sin_addr, 4);
	else
		nbd_put_ip(o, &a.sin6_addr, 16);
}

/* A line, and the one that explains it, which begins with blanks. */
static void put_text(struct nbd_out *o, const char *p, size_t len)
{
	const char *end = p + len, *nl;

	for (; (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
		p += strspn(p, " ");
		nbd_put(o, p, (size_t)(nl - p));
		if (nl + 1 < end)
			nbd_put(o, " ", 1);
	}
	nbd_put(o, p, (size_t)(end - p));
}

static ssize_t send_line(int level, const char *p, size_t len)
{
	char buf[MESSAGE];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };
	ssize_t n;

	nbd_putf(&o, "<%d>1 - ", DAEMON + level);
	put_host(&o);
	nbd_putf(&o, " nbdboot - - - ");
	put_text(&o, p, len);
	n = send(out.fd, buf, o.len, MSG_DONTWAIT | MSG_NOSIGNAL);
	/* nobody took the one before: that is no fault of this one */
	if (n < 0 && errno == ECONNREFUSED)
		n = send(out.fd, buf, o.len, MSG_DONTWAIT | MSG_NOSIGNAL);
	return n;
}

static bool open_socket(void)
{
	struct sock_addr a;

	/* an interface in the address may come later */
	if (out.fd < 0 && *out.host && sock_parse(out.host, out.port, &a))
		out.fd = sock_open(&a, SOCK_DGRAM);
	return out.fd >= 0;
}

static void close_socket(void)
{
	if (out.fd >= 0)
		close(out.fd);
	out.fd = -1;
}

static void keep(int level, const char *p, size_t len)
{
	struct record r = { (uint16_t)level, (uint16_t)len };

	out.full |= len + sizeof(r) > sizeof(out.kept) - out.used;
	if (out.full)
		return;
	memcpy(out.kept + out.used, &r, sizeof(r));
	memcpy(out.kept + out.used + sizeof(r), p, len);
	out.used += sizeof(r) + len;
}

static void send_kept(void)
{
	static const char lost[] = "lines of the boot are missing here";
	struct record r;

	for (size_t at = 0; at < out.used; at += sizeof(r) + r.len) {
		memcpy(&r, out.kept + at, sizeof(r));
		send_line(r.level, out.kept + at + sizeof(r), r.len);
	}
	if (out.full)
		send_line(4, lost, sizeof(lost) - 1);
	out.used = 0;
	out.full = false;
}

static bool is_lost(ssize_t sent)
{
	return sent < 0 && errno != EAGAIN && errno != ENOBUFS &&
	       errno != ECONNREFUSED;
}

/* In a new child, forgets what its parent sends. */
static void own_kept(void)
{
	pid_t pid = getpid();

	if (out.pid == pid)
		return;
	out.pid = pid;
	out.used = 0;
	out.full = false;
}

static void take_line(int level, const char *p, size_t len)
{
	own_kept();
	if (open_socket()) {
		if (out.used)
			send_kept();
		if (!is_lost(send_line(level, p, len)))
			return;
		/* the address is gone: the network is taken down */
		close_socket();
	}
	keep(level, p, len);
}

static int do_begin(struct boot *b, struct nbd_diag *d)
{
	(void)b;
	(void)d;
	/* another plan: that of the one before is open */
	if (boot_console_log)
		close_socket();
	memset(&out, 0, sizeof(out));
	out.fd = -1;
	out.pid = getpid();
	boot_console_log = take_line;
	return NBD_OK;
}

/* An address: a name server that does not answer would be waited for. */
static bool take_address(const char *text)
{
	const char *p, *end;
	bool bracket;
	struct nbd_ip ip;
	long port = SYSLOG_PORT;
	size_t n;

	if (strncmp(text, "udp://", 6) != 0)
		return false;
	bracket = text[6] == '[';
	p = text + 6 + bracket;
	n = strcspn(p, bracket ? "]" : ":");
	end = p + n;
	if (bracket && *end++ != ']')
		return false;
	if (*end == ':')
		port = nbd_number(end + 1, 1, 65535);
	if ((*end && *end != ':') || port < 0 ||
	    nbd_fmt(out.host, sizeof(out.host), "%.*s", (int)n, p) < 0)
		return false;
	out.port = (uint16_t)port;
	return nbd_ip_host(&ip, out.host) && bracket == (ip.len == 16);
}

/* A boot without a log is better than none. */
static int do_words(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (b->cmd.log && take_address(b->cmd.log))
		return NBD_OK;
	out.host[0] = '\0';
	out.used = 0;
	boot_console_log = NULL;
	if (b->cmd.log)
		boot_say("nbdboot.log=%s: not udp://ADDRESS[:PORT], so that it "
			 "has no effect",
			 b->cmd.log);
	return NBD_OK;
}

/* What tells this machine from the others of one log. */
static int do_machine(struct boot *b, struct nbd_diag *d)
{
	struct root_machine m;
	struct root_env env = { 0 };

	(void)d;
	if (!boot_console_log)
		return NBD_OK;
	root_machine(&m, &env, b->net.state.name);
	boot_note("nbdboot %s, Linux %s, %s %s, UUID %s", boot_version,
		  m.names.release, b->net.state.name, m.mac, m.uuid);
	return NBD_OK;
}

const struct step init_remote_begin_step = {
	.name = "kernel file systems",
	.run = do_begin,
	.hint = "",
	.when = STEP_ONCE,
};

const struct step init_remote_words_step = {
	.name = "kernel command line",
	.run = do_words,
	.hint = "",
	.when = STEP_ONCE,
};

const struct step init_remote_step = {
	.name = "log",
	.run = do_machine,
	.hint = "",
};
