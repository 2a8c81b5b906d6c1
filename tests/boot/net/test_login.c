/* SPDX-License-Identifier: BSD-2-Clause */
/* Logins at switch ports: a child plays wpa_supplicant. */
#include "boot/net/login.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/say.h"

static struct login l;

/* ---- wpa_supplicant ---- */

static char ctl[] = "/tmp/test_login.XXXXXX/ctl";
static pid_t peer;
static int commands; /* what it was asked for, a line each */

static const char *answer_to(const char *command)
{
	if (!strcmp(command, "INTERFACES"))
		return "eth0\neth1\n";
	if (!strncmp(command, "INTERFACE_ADD eth9", 18))
		return "FAIL\n";
	return "OK\n";
}

static _Noreturn void play(int s, int out)
{
	static const char event[] = "IFNAME=eth0 <3>CTRL-EVENT-EAP-STATUS "
				    "status='started' parameter=''";
	struct sockaddr_un a;
	char text[256];

	for (;;) {
		socklen_t len = sizeof(a);
		ssize_t n = recvfrom(s, text, sizeof(text) - 1, 0,
				     (struct sockaddr *)&a, &len);
		const char *answer;

		if (n < 0)
			_exit(1);
		text[n] = '\0';
		dprintf(out, "%s\n", text);
		/* an event may come before the answer */
		if (!strncmp(text, "INTERFACE_ADD eth0", 18))
			sendto(s, event, sizeof(event) - 1, 0,
			       (struct sockaddr *)&a, len);
		answer = answer_to(text);
		sendto(s, answer, strlen(answer), 0, (struct sockaddr *)&a,
		       len);
		if (!strcmp(text, "TERMINATE"))
			_exit(0);
	}
}

static int start(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	char *slash = strrchr(ctl, '/');
	int s = socket(AF_UNIX, SOCK_DGRAM, 0), p[2];

	(void)state;
	world = (struct world){ .real = true };
	memset(&l, 0, sizeof(l));
	memcpy(slash - 6, "XXXXXX", 6);
	*slash = '\0';
	assert_non_null(mkdtemp(ctl));
	*slash = '/';
	memcpy(a.sun_path, ctl, sizeof(ctl));
	assert_int_equal(bind(s, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(pipe(p), 0);
	peer = fork();
	if (peer == 0)
		play(s, p[1]);
	close(s);
	close(p[1]);
	commands = p[0];
	return 0;
}

static int end(void **state)
{
	char *slash = strrchr(ctl, '/');

	(void)state;
	net_login_close(&l);
	kill(peer, SIGKILL);
	waitpid(peer, NULL, 0);
	close(commands);
	unlink(ctl);
	*slash = '\0';
	rmdir(ctl);
	*slash = '/';
	return 0;
}

static void assert_asked(const char *text)
{
	char told[1024];
	size_t len = 0;
	ssize_t n;

	kill(peer, SIGTERM);
	while ((n = read(commands, told + len, sizeof(told) - 1 - len)) > 0)
		len += (size_t)n;
	told[len] = '\0';
	assert_string_equal(told, text);
}

/* ---- the tests ---- */

static void nobody_there_is_no_login(void **state)
{
	struct login_ports ports;

	(void)state;
	net_login_open(&l, "/tmp/there/is/nothing");
	assert_int_equal(net_login_fd(&l), -1);
	assert_null(net_login_at(&l, "eth0", 0));
	net_login_read(&l, 0);
	net_login_drop(&l, "eth0");
	net_login_ports(&ports, "/tmp/there/is/nothing");
	assert_int_equal(ports.n, 0);
	net_login_end(&ports, "/tmp/there/is/nothing");
}

static void a_port_waits_until_it_is_logged_in(void **state)
{
	struct login_port *p;

	(void)state;
	net_login_open(&l, ctl);
	p = net_login_at(&l, "eth0", 1000);
	assert_non_null(p);
	assert_int_equal(p->state, LOGIN_WAITS);
	/* the event before the answer counts */
	assert_true(p->heard);
	assert_true(net_login_due(&l) == p->due);
	assert_ptr_equal(net_login_at(&l, "eth0", 2000), p);
	net_login_take(&l, "IFNAME=eth1 <3>CTRL-EVENT-EAP-SUCCESS EAP", 2000);
	net_login_take(&l, "IFNAME=eth <3>CTRL-EVENT-EAP-SUCCESS EAP", 2000);
	net_login_take(&l, "<3>CTRL-EVENT-EAP-SUCCESS EAP", 2000);
	net_login_take(&l, "IFNAME=eth0", 2000);
	net_login_take(&l, "IFNAME=eth0 CTRL-EVENT-EAP-SUCCESS", 2000);
	assert_int_equal(p->state, LOGIN_WAITS);
	net_login_take(&l, "IFNAME=eth0 <3>CTRL-EVENT-EAP-SUCCESS EAP", 2000);
	assert_int_equal(p->state, LOGIN_OPEN);
	assert_false(p->again);
	assert_true(net_login_due(&l) == 0);
	net_login_close(&l);
	assert_asked("ATTACH\nINTERFACE_REMOVE eth0\n"
		     "INTERFACE_ADD eth0\t" LOGIN_CONF "\twired\n"
		     "IFNAME=eth0 LOG_LEVEL INFO\nDETACH\n");
}

static void a_wrong_configuration_is_named(void **state)
{
	struct login_port *p;

	(void)state;
	net_login_open(&l, ctl);
	p = net_login_at(&l, "eth9", 1000);
	assert_int_equal(p->state, LOGIN_REFUSED);
	assert_non_null(strstr(p->why.text, LOGIN_CONF));
}

static int time_out(struct pollfd *p, nfds_t n, int ms)
{
	(void)p, (void)n;
	world.now += (unsigned)ms;
	return 0;
}

/* As while certificates are read from a slow token. */
static void answers_come_late(bool between)
{
	struct pollfd p = { .events = POLLIN };

	net_login_open(&l, ctl);
	world.wait = time_out;
	assert_int_equal(net_login_at(&l, "eth9", 0)->state, LOGIN_REFUSED);
	world.wait = NULL;
	/* "OK" and "FAIL" */
	p.fd = l.fd;
	while (between && l.owed && world_real_poll(&p, 1, 1000) > 0)
		net_login_read(&l, 0);
	assert_int_equal(net_login_at(&l, "eth1", 0)->state, LOGIN_WAITS);
}

static void a_late_answer_is_not_that_of_the_next_command(void **state)
{
	(void)state;
	answers_come_late(false);
}

static void a_late_answer_may_come_between_two_commands(void **state)
{
	(void)state;
	answers_come_late(true);
}

static void more_ports_than_there_is_room_for_do_not_log_in(void **state)
{
	char name[16];

	(void)state;
	net_login_open(&l, ctl);
	for (unsigned i = 0; i < LOGIN_PORTS; i++) {
		nbd_fmt(name, sizeof(name), "p%u", i);
		assert_non_null(net_login_at(&l, name, 0));
	}
	assert_null(net_login_at(&l, "more", 0));
}

static void the_end_logs_out_everywhere(void **state)
{
	struct login_ports ports = { .n = 0 };

	(void)state;
	net_login_ports(&ports, ctl);
	assert_int_equal(ports.n, 2);
	net_login_end(&ports, ctl);
	assert_asked(
		"INTERFACES\nINTERFACES\nIFNAME=eth0 LOGOFF\nIFNAME=eth1 LOGOFF\n"
		"TERMINATE\n");
}

/* A port that waits, without a peer. */
static struct login_port *waiting(void)
{
	memset(&l, 0, sizeof(l));
	l.on = true;
	l.fd = -1;
	l.n = 1;
	memcpy(l.port[0].name, "eth0", 5);
	l.port[0].due = 10000;
	return &l.port[0];
}

#define SAYS(text) net_login_take(&l, "IFNAME=eth0 <3>" text, 5000)

static void a_switch_that_does_not_ask_is_taken_as_open(void **state)
{
	struct login_port *p = waiting();

	(void)state;
	assert_int_equal(net_login_at(&l, "eth0", 9999)->state, LOGIN_WAITS);
	assert_int_equal(net_login_at(&l, "eth0", 10000)->state, LOGIN_OPEN);
	assert_true(p->unsaid);
	assert_false(l.refused);
	/* what was sent before the login is lost */
	SAYS("CTRL-EVENT-EAP-SUCCESS EAP authentication completed");
	assert_true(p->again);
}

static void a_server_that_is_silent_ends_the_wait(void **state)
{
	struct login_port *p = waiting();

	(void)state;
	SAYS("CTRL-EVENT-EAP-STATUS status='started' parameter=''");
	assert_true(p->due > 10000);
	assert_int_equal(net_login_at(&l, "eth0", p->due - 1)->state,
			 LOGIN_WAITS);
	assert_int_equal(net_login_at(&l, "eth0", p->due)->state,
			 LOGIN_REFUSED);
	assert_non_null(strstr(p->why.text, "does not end"));
	assert_true(l.refused);
}

static void a_refusal_says_who_refused_and_why(void **state)
{
	struct login_port *p;

	(void)state;
	p = waiting();
	SAYS("CTRL-EVENT-EAP-FAILURE EAP authentication failed");
	assert_int_equal(p->state, LOGIN_REFUSED);
	assert_non_null(strstr(p->why.text, "are name and password right"));

	p = waiting();
	SAYS("CTRL-EVENT-EAP-TLS-CERT-ERROR reason=1 depth=1 "
	     "subject='/CN=a\033'b' err='it isn't known'");
	SAYS("CTRL-EVENT-EAP-FAILURE EAP authentication failed");
	assert_non_null(strstr(p->why.text, "refused here: it isn (/CN=a"));
	assert_null(strchr(p->why.text, '\033'));

	p = waiting();
	SAYS("CTRL-EVENT-EAP-STATUS status='remote TLS alert' "
	     "parameter='unknown CA'");
	SAYS("CTRL-EVENT-EAP-FAILURE EAP authentication failed");
	assert_non_null(strstr(p->why.text, "our certificate: unknown CA"));

	p = waiting();
	SAYS("CTRL-EVENT-EAP-STATUS status='remote certificate verification' "
	     "parameter='success'");
	SAYS("CTRL-EVENT-EAP-FAILURE EAP authentication failed");
	assert_non_null(strstr(p->why.text, "its own certificate is right"));
}

static void cut_events_are_no_reason(void **state)
{
	static const char text[] =
		"IFNAME=eth0 <3>CTRL-EVENT-EAP-TLS-CERT-ERROR reason=1 "
		"subject='/CN=a' err='b'";
	struct login_port *p;
	char part[sizeof(text)];

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		p = waiting();
		memcpy(part, text, n);
		part[n] = '\0';
		net_login_take(&l, part, 0);
		assert_int_equal(p->state, LOGIN_WAITS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_there_is_no_login),
		cmocka_unit_test_setup_teardown(
			a_port_waits_until_it_is_logged_in, start, end),
		cmocka_unit_test_setup_teardown(a_wrong_configuration_is_named,
						start, end),
		cmocka_unit_test_setup_teardown(
			a_late_answer_is_not_that_of_the_next_command, start,
			end),
		cmocka_unit_test_setup_teardown(
			a_late_answer_may_come_between_two_commands, start,
			end),
		cmocka_unit_test_setup_teardown(
			more_ports_than_there_is_room_for_do_not_log_in, start,
			end),
		cmocka_unit_test_setup_teardown(the_end_logs_out_everywhere,
						start, end),
		cmocka_unit_test(a_switch_that_does_not_ask_is_taken_as_open),
		cmocka_unit_test(a_server_that_is_silent_ends_the_wait),
		cmocka_unit_test(a_refusal_says_who_refused_and_why),
		cmocka_unit_test(cut_events_are_no_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
