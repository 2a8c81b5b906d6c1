/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands to wpa_supplicant and its events, over one socket of datagrams: an
 * answer is what does not begin as an event does.
 */
#include "boot/net/login.h"

#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "port/linux/eapol.h"
#include "port/text.h"

/* ms for wpa_supplicant to answer a command; it reads certificates. */
#define ANSWER_MS 5000
/*
 * ms in which a switch that knows 802.1X asks for a login.  wpa_supplicant asks
 * for that itself, 2 s after the start.
 */
#define LISTEN_MS 10000
/*
 * ms after a login that was refused: a switch is silent for a minute then
 * (quietPeriod of IEEE 802.1X).
 */
#define QUIET_MS  75000
/* ms from then on: the switch may try several servers of RADIUS. */
#define LOGIN_MS  60000
/* Of an event with a certificate only the beginning counts. */
#define EVENT	  1024

/* ---- the socket ---- */

static int open_socket(const char *ctl)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	/* a name of the kernel's own choice: a path would be one in its root */
	if (bind(fd, (struct sockaddr *)&a, sizeof(a.sun_family)) ||
	    nbd_fmt(a.sun_path, sizeof(a.sun_path), "%s", ctl) < 0 ||
	    connect(fd, (struct sockaddr *)&a, sizeof(a))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Returns the length, or -1: nothing is here. */
static ssize_t receive(int fd, char text[EVENT])
{
	ssize_t n = recv(fd, text, EVENT - 1, MSG_DONTWAIT);

	text[n > 0 ? n : 0] = '\0';
	return n;
}

static bool is_event(const char *text)
{
	return *text == '<' || !strncmp(text, "IFNAME=", 7);
}

/*
 * True: the answer is in text.  Events that come meanwhile are taken, and answers
 * to earlier commands, which were late, are not.
 */
static bool ask(struct login *l, const char *command, char text[EVENT])
{
	uint64_t now = nbd_now_ms(), end = now + ANSWER_MS;
	struct pollfd p = { .fd = l->fd, .events = POLLIN };

	if (send(l->fd, command, strlen(command), MSG_NOSIGNAL) < 0)
		return false;
	l->owed++;
	for (; now < end; now = nbd_now_ms()) {
		if (poll(&p, 1, (int)(end - now)) <= 0)
			continue;
		if (receive(l->fd, text) < 0)
			return false;
		if (is_event(text))
			net_login_take(l, text, now);
		else if (!--l->owed)
			return true;
	}
	return false;
}

static bool order(struct login *l, const char *before, const char *name,
		  const char *after)
{
	char command[128], text[EVENT];

	nbd_fmt(command, sizeof(command), "%s%s%s", before, name, after);
	return ask(l, command, text) && !strncmp(text, "OK", 2);
}

void net_login_open(struct login *l, const char *ctl)
{
	*l = (struct login){ .refused = l->refused, .fd = open_socket(ctl) };
	l->on = l->fd >= 0;
	if (l->on && !order(l, "ATTACH", "", ""))
		boot_say("802.1X: wpa_supplicant does not answer");
}

int net_login_fd(const struct login *l)
{
	return l->on ? l->fd : -1;
}

/* ---- events ---- */

/* What follows the word at the beginning; NULL: another one is there. */
static const char *behind(const char *text, const char *word)
{
	size_t n = strlen(word);

	return strncmp(text, word, n) ? NULL : text + n;
}

static struct login_port *find(struct login *l, const char *name, size_t n)
{
	for (struct login_port *p = l->port; p < l->port + l->n; p++)
		if (strlen(p->name) == n && !memcmp(p->name, name, n))
			return p;
	return NULL;
}

/* reason=1 depth=1 subject='/CN=x' err='why': of the peer, and so escaped. */
static void take_bad_cert(struct login_port *p, const char *text)
{
	const char *subject = strstr(text, " subject='");
	const char *err = subject ? strstr(subject, "' err='") : NULL;
	char name[160], why[160];

	if (!err)
		return;
	subject += strlen(" subject='");
	nbd_fmt(name, sizeof(name), "%.*s", (int)(err - subject), subject);
	err += strlen("' err='");
	nbd_fmt(why, sizeof(why), "%.*s", (int)strcspn(err, "'"), err);
	nbd_diag(&p->why, 0,
		 "the certificate of the server of 802.1X is refused here: %s "
		 "(%s)",
		 why, name);
}

static void take_status(struct login_port *p, const char *text, uint64_t now)
{
	const char *alert = behind(text, "remote TLS alert' parameter='");
	char why[160];

	if (behind(text,
		   "remote certificate verification' parameter='success'"))
		p->trusted = true;
	if (behind(text, "started'") && !p->heard) {
		p->heard = true;
		p->due = now + LOGIN_MS;
		boot_note("%s: the switch asks for a login", p->name);
	}
	if (!alert)
		return;
	nbd_fmt(why, sizeof(why), "%.*s", (int)strcspn(alert, "'"), alert);
	nbd_diag(&p->why, 0, "the server of 802.1X refuses our certificate: %s",
		 why);
}

static void succeed(struct login_port *p)
{
	boot_note("%s: logged in by 802.1X", p->name);
	p->again = p->unsaid;
	p->unsaid = false;
	p->state = LOGIN_OPEN;
}

static void fail(struct login *l, struct login_port *p, const char *why)
{
	l->refused = true;
	p->state = LOGIN_REFUSED;
	if (!p->why.text[0])
		nbd_diag(&p->why, 0, "%s", why);
}

void net_login_take(struct login *l, const char *event, uint64_t now)
{
	const char *name = behind(event, "IFNAME="), *text, *rest;
	struct login_port *p;

	text = name ? strchr(name, ' ') : NULL;
	p = text ? find(l, name, (size_t)(text - name)) : NULL;
	text = p ? strchr(text, '>') : NULL;
	if (!text)
		return;
	text++;
	rest = behind(text, "CTRL-EVENT-EAP-STATUS status='");
	if (rest)
		take_status(p, rest, now);
	rest = behind(text, "CTRL-EVENT-EAP-TLS-CERT-ERROR ");
	if (rest)
		take_bad_cert(p, rest);
	if (behind(text, "CTRL-EVENT-EAP-SUCCESS"))
		succeed(p);
	if (behind(text, "CTRL-EVENT-EAP-FAILURE") && p->state == LOGIN_WAITS)
		fail(l, p,
		     p->trusted ? "the server of 802.1X refuses the login, "
				  "and its own certificate is right: is "
				  "ours, and the name?"
				: "the switch, or its server of 802.1X, "
				  "refuses the login: are name and "
				  "password right, and the method?");
}

void net_login_read(struct login *l, uint64_t now)
{
	char text[EVENT];

	while (l->on && receive(l->fd, text) >= 0)
		if (is_event(text))
			net_login_take(l, text, now);
		else if (l->owed)
			l->owed--;
}

/* ---- ports ---- */

static struct login_port *begin(struct login *l, const char *name, uint64_t now)
{
	struct login_port *p;

	if (l->n == LOGIN_PORTS)
		return NULL;
	p = &l->port[l->n++];
	memset(p, 0, sizeof(*p));
	nbd_fmt(p->name, sizeof(p->name), "%s", name);
	p->due = now + (l->refused ? QUIET_MS : LISTEN_MS);
	/* of an earlier try */
	order(l, "INTERFACE_REMOVE ", name, "");
	if (!order(l, "INTERFACE_ADD ", name, "\t" LOGIN_CONF "\twired"))
		fail(l, p,
		     "wpa_supplicant does not take " LOGIN_CONF
		     ", as its own messages say");
	return p;
}

static void give_up(struct login *l, struct login_port *p)
{
	if (p->heard) {
		fail(l, p,
		     "the login does not end: is the server of 802.1X "
		     "there, behind the switch?");
		return;
	}
	boot_say("%s: nobody asks for a login by 802.1X for %d s: going on "
		 "without",
		 p->name, (l->refused ? QUIET_MS : LISTEN_MS) / 1000);
	p->unsaid = true;
	p->state = LOGIN_OPEN;
}

struct login_port *net_login_at(struct login *l, const char *name, uint64_t now)
{
	struct login_port *p;

	if (!l->on)
		return NULL;
	p = find(l, name, strlen(name));
	if (!p)
		p = begin(l, name, now);
	if (p && p->state == LOGIN_WAITS && now >= p->due)
		give_up(l, p);
	return p;
}

uint64_t net_login_due(const struct login *l)
{
	const struct login_port *p = l->port;
	uint64_t due = 0;

	for (; p < l->port + l->n; p++)
		if (p->state == LOGIN_WAITS && p->due > due)
			due = p->due;
	return due;
}

void net_login_drop(struct login *l, const char *name)
{
	if (l->on && find(l, name, strlen(name)))
		order(l, "INTERFACE_REMOVE ", name, "");
}

void net_login_close(struct login *l)
{
	if (!l->on)
		return;
	/* a failure later on is in the kernel's log */
	for (struct login_port *p = l->port; p < l->port + l->n; p++)
		order(l, "IFNAME=", p->name, " LOG_LEVEL INFO");
	order(l, "DETACH", "", "");
	close(l->fd);
	l->on = false;
}

/* The next name of an answer to INTERFACES, or NULL. */
static char *take_name(char **text)
{
	char *name = *text, *end = strchr(name, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	*text = end + 1;
	return name;
}

void net_login_ports(struct login_ports *p, const char *ctl)
{
	struct login l = { .fd = open_socket(ctl) };
	char names[EVENT], *rest = names, *name;

	p->n = 0;
	if (l.fd < 0)
		return;
	if (ask(&l, "INTERFACES", names))
		while (p->n < LOGIN_PORTS && (name = take_name(&rest)))
			p->index[p->n++] = (int)if_nametoindex(name);
	close(l.fd);
}

void net_login_end(const struct login_ports *p, const char *ctl)
{
	struct login l = { .fd = open_socket(ctl) };
	char names[EVENT], *rest = names, *name;

	if (l.fd < 0) {
		for (unsigned i = 0; i < p->n; i++)
			eapol_log_off(p->index[i]);
		return;
	}
	if (ask(&l, "INTERFACES", names))
		while ((name = take_name(&rest)))
			order(&l, "IFNAME=", name, " LOGOFF");
	order(&l, "TERMINATE", "", "");
	close(l.fd);
}
