/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines on the console, and the same in the kernel's log. */
#include "boot/system/console.h"
#include "tests/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static char console[] = "/tmp/test_console.XXXXXX";
static char kmsg[] = "/tmp/test_console.XXXXXX";
static char text[8192];

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	if (!strcmp(path, "/dev/kmsg"))
		return __real_open(kmsg, flags | O_APPEND);
	return __real_open(path, flags | O_APPEND, 0600);
}

/* In a child: it loses its standard output. */
static void say_on(const char *path, void (*what)(void))
{
	pid_t pid;
	int s;

	assert_int_equal(truncate(kmsg, 0), 0);
	pid = fork();
	if (!pid) {
		if (boot_console_open(path, false))
			_exit(1);
		what();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &s, 0), pid);
	assert_int_equal(s, 0);
}

static void say(void (*what)(void))
{
	assert_int_equal(truncate(console, 0), 0);
	say_on(console, what);
}

static const char *content(const char *path)
{
	int fd = __real_open(path, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	assert_true(n >= 0);
	text[n] = '\0';
	return text;
}

/* A level that depends on this machine, which the kernel does not print. */
static void assert_logged(const char *want)
{
	const char *p = content(kmsg);

	assert_true(p[0] == '<' && p[1] >= '5' && p[1] <= '7' && p[2] == '>');
	assert_string_equal(p + 3, want);
}

static void say_hello(void)
{
	boot_say("hello, %s", "world\033[2J");
}

static void a_line_is_on_the_console_and_in_the_log(void **state)
{
	(void)state;
	say(say_hello);
	assert_non_null(
		strstr(content(console), "] nbdboot: hello, world\\x1b[2J\n"));
	assert_logged("nbdboot: hello, world\\x1b[2J");
}

#define MUCH 499

static void say_much(void)
{
	char much[MUCH + 1];

	memset(much, 'm', sizeof(much));
	much[sizeof(much) - 1] = '\0';
	boot_say("%s", much);
}

static void a_long_line_is_one_record(void **state)
{
	(void)state;
	say(say_much);
	content(kmsg);
	assert_int_equal(strlen(text), strlen("<5>nbdboot: ") + MUCH);
	assert_null(strchr(text + 1, '<'));
}

static void fail_it(void)
{
	struct nbd_diag d = { "no cable" };

	boot_say_failed("network", NBD_E_UNREACHABLE, &d, "plug it in");
}

static void a_failure_and_its_remedy_are_logged(void **state)
{
	char level[4] = "";

	(void)state;
	say(fail_it);
	assert_non_null(
		strstr(content(console), "nbdboot: FAILED: network: no cable"));
	memcpy(level, content(kmsg), 3);
	assert_non_null(strstr(text, "nbdboot: FAILED: network: no cable"));
	assert_non_null(strstr(text + 3, level));
	assert_non_null(strstr(text, "nbdboot: -> plug it in"));
}

/* ---- a terminal that is stopped: by Ctrl-S, or by the wires of a line ---- */

#define TOO_MANY 64

static int master;

static void say_too_much_and_go_on(void)
{
	char buf[4096] = "";
	ssize_t n;

	alarm(60); /* a process that hangs dies, and the test fails */
	for (unsigned i = 0; i < TOO_MANY; i++)
		say_much();
	tcflow(0, TCOON);
	do {
		boot_say("go on");
		n = read(master, buf, sizeof(buf) - 1);
		buf[n > 0 ? n : 0] = '\0';
	} while (!strstr(buf, "go on"));
}

static void a_stopped_terminal_stops_nobody(void **state)
{
	char name[64];
	struct stat log;
	int fd;

	(void)state;
	master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_int_equal(grantpt(master) | unlockpt(master), 0);
	assert_int_equal(ptsname_r(master, name, sizeof(name)), 0);
	fd = __real_open(name, O_RDWR | O_NOCTTY);
	assert_int_equal(tcflow(fd, TCOOFF), 0);
	say_on(name, say_too_much_and_go_on);
	/* the log has all of it */
	assert_int_equal(stat(kmsg, &log), 0);
	assert_true(log.st_size > TOO_MANY * MUCH);
	close(fd);
	close(master);
}

static int begin(void **state)
{
	(void)state;
	return mkstemp(console) < 0 || mkstemp(kmsg) < 0;
}

static int end(void **state)
{
	(void)state;
	return unlink(console) || unlink(kmsg);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_on_the_console_and_in_the_log),
		cmocka_unit_test(a_long_line_is_one_record),
		cmocka_unit_test(a_failure_and_its_remedy_are_logged),
		cmocka_unit_test(a_stopped_terminal_stops_nobody),
	};

	return cmocka_run_group_tests_name("console", tests, begin, end);
}
