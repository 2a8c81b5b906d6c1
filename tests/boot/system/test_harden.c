/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process that stays does to itself. */
#include "tests/unit.h"
#include "boot/system/harden.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static void a_process_that_holds_keys_is_not_dumped(void **state)
{
	int status;

	(void)state;
	assert_int_equal(prctl(PR_GET_DUMPABLE), 1);
	if (fork() == 0) {
		/* what a test machine does not allow it reports */
		dup2(open("/dev/null", O_WRONLY), 2);
		boot_harden();
		_exit(prctl(PR_GET_DUMPABLE) ? 1 : 42);
	}
	assert_true(wait(&status) > 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
}

/* Many commands have such a process. */
static void what_is_not_allowed_is_said_of_the_process(void **state)
{
	char said[1024] = "", want[32];
	int end[2];
	pid_t pid;

	(void)state;
	assert_return_code(pipe(end), 0);
	pid = fork();
	if (pid == 0) {
		if (getuid() == 0 && setuid(65534))
			_exit(1);
		dup2(end[1], 2);
		boot_harden();
		_exit(0);
	}
	close(end[1]);
	assert_true(wait(NULL) > 0);
	assert_true(read(end[0], said, sizeof(said) - 1) > 0);
	snprintf(want, sizeof(want), "nbdboot: process %d: ", (int)pid);
	assert_memory_equal(said, want, strlen(want));
	close(end[0]);
}

/* As much as it takes until a terminal that is stopped takes no more. */
static int write_much(void)
{
	char line[1024];

	memset(line, 'x', sizeof(line));
	alarm(60); /* a process that hangs dies, and the test fails */
	while (write(2, line, sizeof(line)) > 0)
		;
	return errno != EAGAIN;
}

static void a_stopped_terminal_stops_no_watcher(void **state)
{
	int fd, flags, status, master = posix_openpt(O_RDWR | O_NOCTTY);
	char name[64];

	(void)state;
	assert_int_equal(grantpt(master) | unlockpt(master), 0);
	assert_int_equal(ptsname_r(master, name, sizeof(name)), 0);
	fd = open(name, O_RDWR | O_NOCTTY);
	assert_int_equal(tcflow(fd, TCOOFF), 0);
	flags = fcntl(fd, F_GETFL);
	if (fork() == 0) {
		unsetenv("NOTIFY_SOCKET");
		dup2(fd, 2);
		boot_log_to_kernel();
		_exit(write_much());
	}
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
	/* the shell has it, too */
	assert_int_equal(fcntl(fd, F_GETFL), flags);
	close(fd);
	close(master);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_that_holds_keys_is_not_dumped),
		cmocka_unit_test(what_is_not_allowed_is_said_of_the_process),
		cmocka_unit_test(a_stopped_terminal_stops_no_watcher),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
