/* SPDX-License-Identifier: BSD-2-Clause */
/* READY=1: sent once, by the first process, and not before it is true. */
#include "boot/system/ready.h"
#include "tests/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int manager; /* the socket of the process that started it */

/* The next message is this one; NULL: there is none. */
static void assert_told(const char *text)
{
	char got[64];
	ssize_t n = recv(manager, got, sizeof(got) - 1, MSG_DONTWAIT);

	if (!text) {
		assert_int_equal(n, -1);
		assert_int_equal(errno, EAGAIN);
		return;
	}
	assert_true(n >= 0);
	got[n] = '\0';
	assert_string_equal(got, text);
}

static int begin(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int n;

	(void)state;
	n = snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1, "test_ready/%d",
		     (int)getpid());
	manager = socket(AF_UNIX, SOCK_DGRAM, 0);
	if (bind(manager, (struct sockaddr *)&a,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			     (size_t)n)))
		return -1;
	a.sun_path[0] = '@';
	return setenv("NOTIFY_SOCKET", a.sun_path, 1);
}

static int end(void **state)
{
	(void)state;
	return close(manager);
}

static void one_process_reports_for_itself(void **state)
{
	(void)state;
	boot_ready_tell();
	assert_told("READY=1");
	assert_told(NULL);
}

static void a_status_is_sent_as_it_is(void **state)
{
	char text[300];

	(void)state;
	boot_ready_status("10 % of 32 MiB are on vda");
	assert_told("STATUS=10 % of 32 MiB are on vda");
	/* a long one is cut off */
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	boot_ready_status(text);
	assert_int_equal(recv(manager, text, sizeof(text), MSG_DONTWAIT), 159);
}

static void a_socket_in_a_directory_gets_it_too(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int abstract = manager;

	(void)state;
	snprintf(a.sun_path, sizeof(a.sun_path), "/tmp/test_ready.%d",
		 (int)getpid());
	manager = socket(AF_UNIX, SOCK_DGRAM, 0);
	assert_int_equal(bind(manager, (struct sockaddr *)&a, sizeof(a)), 0);
	setenv("NOTIFY_SOCKET", a.sun_path, 1);
	boot_ready_tell();
	unlink(a.sun_path);
	assert_told("READY=1");
	close(manager);
	manager = abstract;
}

/* Its receiver may wait for the device that is to be watched. */
static void a_full_queue_holds_nobody_up(void **state)
{
	struct sockaddr_un a;
	socklen_t len = sizeof(a);
	int s = socket(AF_UNIX, SOCK_DGRAM, 0), n = 0;
	char c;

	(void)state;
	getsockname(manager, (struct sockaddr *)&a, &len);
	while (sendto(s, "x", 1, MSG_DONTWAIT, (struct sockaddr *)&a, len) == 1)
		n++;
	alarm(60); /* a process that hangs dies, and the test fails */
	boot_ready_tell();
	alarm(0);
	while (n--)
		assert_int_equal(recv(manager, &c, 1, MSG_DONTWAIT), 1);
	assert_told(NULL);
	close(s);
}

static void without_a_socket_no_message_is_sent(void **state)
{
	char text[300];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[0] = '/';
	text[sizeof(text) - 1] = '\0';
	setenv("NOTIFY_SOCKET", text, 1);
	boot_ready_tell();
	setenv("NOTIFY_SOCKET", "@", 1);
	boot_ready_tell();
	unsetenv("NOTIFY_SOCKET");
	boot_ready_tell();
	assert_told(NULL);
}

/* The others go on, or have given up; the first one reports it, once. */
static void of_several_the_first_reports_when_all_are_ready(void **state)
{
	int so_far[2], go_on[2];
	pid_t pids[3];
	char c;

	(void)state;
	assert_int_equal(pipe(so_far), 0);
	assert_int_equal(pipe(go_on), 0);
	boot_ready_open();
	for (unsigned i = 0; i < 3; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i])
			continue;
		close(go_on[1]);
		boot_ready_child();
		if (i == 0)
			_exit(1);
		if (write(so_far[1], "", 1) != 1)
			_exit(9);
		boot_ready_tell();
		_exit((int)read(go_on[0], &c, 1));
	}
	boot_ready_await();
	/* each one that did not give up had come that far */
	assert_int_equal(recv(manager, &c, 1, MSG_DONTWAIT | MSG_PEEK), 1);
	assert_told("READY=1");
	assert_told(NULL);
	assert_int_equal(read(so_far[0], &c, 1), 1);
	assert_int_equal(read(so_far[0], &c, 1), 1);
	/* they live */
	assert_int_equal(waitpid(pids[1], NULL, WNOHANG), 0);
	assert_int_equal(waitpid(pids[2], NULL, WNOHANG), 0);
	close(go_on[1]);
	while (wait(NULL) > 0)
		;
	assert_told(NULL);
	close(so_far[0]);
	close(so_far[1]);
	close(go_on[0]);
}

/* A device that comes later: READY=1 was sent long ago. */
static void a_child_that_comes_later_sends_nothing(void **state)
{
	pid_t pid;
	int s;

	(void)state;
	pid = fork();
	if (!pid) {
		boot_ready_child();
		boot_ready_tell();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &s, 0), pid);
	assert_int_equal(s, 0);
	assert_told(NULL);
}

#define TOLD(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TOLD(one_process_reports_for_itself),
		TOLD(a_status_is_sent_as_it_is),
		TOLD(a_socket_in_a_directory_gets_it_too),
		TOLD(a_full_queue_holds_nobody_up),
		TOLD(without_a_socket_no_message_is_sent),
		TOLD(of_several_the_first_reports_when_all_are_ready),
		TOLD(a_child_that_comes_later_sends_nothing),
	};

	return cmocka_run_group_tests_name("ready", tests, NULL, NULL);
}
