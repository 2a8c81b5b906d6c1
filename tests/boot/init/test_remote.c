/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of a boot on a server: in order, and none that waits. */
#include "boot/init/steps.h"
#include "boot/system/console.h"
#include "tests/unit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "port/posix/sock.h"

extern const struct step init_remote_begin_step, init_remote_words_step;
extern const struct step init_remote_step;

static int server = -1;
static bool route;
static struct boot b;
static struct nbd_diag d;
static char word[64], got[2048];

int __real_sock_open(const struct sock_addr *a, int type);
int __wrap_sock_open(const struct sock_addr *a, int type);

int __wrap_sock_open(const struct sock_addr *a, int type)
{
	return route ? __real_sock_open(a, type) : NBD_E_UNREACHABLE;
}

int __wrap_sock_resolve_host(const char *host, uint16_t port,
			     struct sock_addr addrs[SOCK_MAX_ADDRS],
			     struct nbd_diag *dg);
int __wrap_sock_resolve_host(const char *host, uint16_t port,
			     struct sock_addr addrs[SOCK_MAX_ADDRS],
			     struct nbd_diag *dg)
{
	(void)port, (void)addrs, (void)dg;
	fail_msg("a name server is asked for %s", host);
	return NBD_E_RESOLVE;
}

static void begin(const char *fmt)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6,
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_in *in = (void *)&a;
	socklen_t len = sizeof(a);

	if (!strchr(fmt, '[')) {
		in->sin_family = AF_INET;
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		len = sizeof(*in);
	}
	if (server >= 0)
		close(server);
	server = socket(a.sin6_family, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	if (server < 0 || bind(server, (void *)&a, len))
		skip();
	assert_int_equal(getsockname(server, (void *)&a, &len), 0);
	snprintf(word, sizeof(word), fmt, ntohs(in->sin_port));
	memset(&b, 0, sizeof(b));
	b.cmd.log = word;
	route = true;
	assert_int_equal(init_remote_begin_step.run(&b, &d), 0);
}

static void words(void)
{
	assert_int_equal(init_remote_words_step.run(&b, &d), 0);
}

/* The next message; "": none has come, and on this host none is on its way. */
static const char *message(void)
{
	ssize_t n = recv(server, got, sizeof(got) - 1, 0);

	got[n > 0 ? n : 0] = '\0';
	return got;
}

static void assert_message(const char *priority, const char *text)
{
	const char *p = message(), *end = strchr(p, ']');

	assert_memory_equal(p, priority, strlen(priority));
	assert_non_null(strstr(p, " nbdboot - - - ["));
	assert_non_null(end);
	assert_string_equal(end + 2, text);
}

static void lines_are_sent_with_their_level(void **state)
{
	(void)state;
	begin("udp://127.0.0.1:%d");
	words();
	boot_say("one %s", "\033[2J");
	assert_message("<29>1 - ", "nbdboot: one \\x1b[2J");
	boot_note("two");
	assert_message("<31>1 - ", "nbdboot: two");
	nbd_diag(&d, NBD_E_IO, "why");
	boot_say_failed("three", NBD_E_IO, &d, "do this");
	assert_message("<27>1 - ", "nbdboot: FAILED: three: why -> do this");
	assert_string_equal(message(), "");
}

static void ipv6_takes_brackets(void **state)
{
	(void)state;
	begin("udp://[::1]:%d");
	words();
	boot_say("one");
	assert_message("<29>1 - ", "nbdboot: one");
}

static void lines_before_the_network_are_sent_after_it(void **state)
{
	(void)state;
	begin("udp://127.0.0.1:%d");
	boot_say("one");
	words();
	route = false;
	boot_note("two");
	assert_string_equal(message(), "");
	route = true;
	boot_say("three");
	assert_message("<29>1 - ", "nbdboot: one");
	assert_message("<31>1 - ", "nbdboot: two");
	assert_message("<29>1 - ", "nbdboot: three");
	assert_string_equal(message(), "");
}

static void in_child(void (*work)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		work();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void say_early(void)
{
	boot_say("early");
}

static void say_early_and_late(void)
{
	boot_say("early");
	route = true;
	boot_say("late");
}

/* What it inherits is sent by its parent, and once. */
static void a_child_sends_its_own_lines_alone(void **state)
{
	(void)state;
	begin("udp://127.0.0.1:%d");
	words();
	route = false;
	boot_say("one");
	in_child(say_early);
	assert_string_equal(message(), "");
	in_child(say_early_and_late);
	assert_message("<29>1 - ", "nbdboot: early");
	assert_message("<29>1 - ", "nbdboot: late");
	assert_string_equal(message(), "");
	route = true;
	boot_say("two");
	assert_message("<29>1 - ", "nbdboot: one");
	assert_message("<29>1 - ", "nbdboot: two");
	assert_string_equal(message(), "");
}

static void what_does_not_fit_is_missed(void **state)
{
	static char long_line[600];
	unsigned n = 0;

	(void)state;
	begin("udp://127.0.0.1:%d");
	words();
	route = false;
	memset(long_line, 'x', sizeof(long_line) - 1);
	for (unsigned i = 0; i < 50; i++)
		boot_say("%s", long_line);
	route = true;
	boot_say("last");
	while (strstr(message(), "xxx\0"))
		n++;
	assert_in_range(n, 5, 7);
	assert_non_null(strstr(got, " lines of the boot are missing here"));
	assert_message("<29>1 - ", "nbdboot: last");
	assert_string_equal(message(), "");
}

static void a_server_that_is_not_there_holds_nothing_up(void **state)
{
	(void)state;
	begin("udp://127.0.0.1:%d");
	words();
	close(server);
	server = -1;
	for (unsigned i = 0; i < 100; i++)
		boot_say("nobody listens");
	boot_console_log = NULL;
}

/* No driver has made it yet. */
static void an_interface_that_is_missing_is_not_a_name(void **state)
{
	(void)state;
	begin("udp://[::1]:%d");
	b.cmd.log = "udp://[fe80::1%none]";
	words();
	assert_ptr_not_equal(boot_console_log, NULL);
	boot_say("one");
	assert_string_equal(message(), "");
	boot_console_log = NULL;
}

static int lowest_free(void)
{
	int fd = open("/dev/null", O_RDONLY);

	close(fd);
	return fd;
}

/* A reroot that fails tries the old root and the new one in turn, for days. */
static void a_boot_that_begins_again_leaves_no_socket(void **state)
{
	int free;

	(void)state;
	begin("udp://127.0.0.1:%d");
	words();
	free = lowest_free();
	boot_say("one");
	assert_int_not_equal(lowest_free(), free);
	assert_int_equal(init_remote_begin_step.run(&b, &d), 0);
	assert_int_equal(lowest_free(), free);
	boot_console_log = NULL;
}

static void what_is_no_address_is_reported(void **state)
{
	static const char *const wrong[] = {
		"",
		"udp://",
		"udp://log",
		"udp://log.example:514",
		"tcp://x",
		"udp://1.2.3",
		"udp://[x]",
		"udp://[x:y]",
		"udp://[%lo]",
		"udp://1.2.3.4:0",
		"1.2.3.4",
		"udp://1.2.3.4:65536",
		"udp://[::1",
		"udp://1.2.3.4/x",
		"udp://[::1]x",
		"udp://1.2.3.4:5x",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		begin("udp://127.0.0.1:%d");
		b.cmd.log = wrong[i];
		words();
		if (boot_console_log)
			fail_msg("%s is taken", wrong[i]);
	}
	begin("udp://127.0.0.1:%d");
	b.cmd.log = NULL;
	words();
	assert_null(boot_console_log);
	assert_int_equal(init_remote_step.run(&b, &d), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_sent_with_their_level),
		cmocka_unit_test(ipv6_takes_brackets),
		cmocka_unit_test(lines_before_the_network_are_sent_after_it),
		cmocka_unit_test(a_child_sends_its_own_lines_alone),
		cmocka_unit_test(what_does_not_fit_is_missed),
		cmocka_unit_test(a_server_that_is_not_there_holds_nothing_up),
		cmocka_unit_test(an_interface_that_is_missing_is_not_a_name),
		cmocka_unit_test(a_boot_that_begins_again_leaves_no_socket),
		cmocka_unit_test(what_is_no_address_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
