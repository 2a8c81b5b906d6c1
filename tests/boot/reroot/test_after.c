/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands that end an old system, after its process 1 was replaced. */
#include "boot/reroot/after.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "boot/init/shutdown.h"
#include "port/linux/file.h"
#include "tests/unit.h"
#include "tests/world/say.h"
#include "tests/world/file.h"
#include "tests/world/tree.h"

/* What the children write, too. */
static struct shared {
	unsigned commands, dropped;
	pid_t pid; /* of the last */
	char text[4096];
} * shared;
static bool no_prctl, hangs;
static unsigned seconds;

int __wrap_boot_console_open(const char *path, bool control);
int __wrap_boot_console_open(const char *path, bool control)
{
	assert_string_equal(path, "/dev/console");
	assert_false(control);
	return 0;
}

int __wrap_close(int fd);
int __wrap_close(int fd)
{
	(void)fd;
	return 0;
}

int __wrap_prctl(int option, ...);
int __wrap_prctl(int option, ...)
{
	va_list ap;
	unsigned long cap;

	va_start(ap, option);
	cap = va_arg(ap, unsigned long);
	va_end(ap);
	if (option == PR_CAPBSET_DROP)
		shared->dropped |= 1u << cap;
	return no_prctl ? -1 : 0;
}

int __wrap_execve(const char *path, char *const argv[], char *const env[]);
int __wrap_execve(const char *path, char *const argv[], char *const env[])
{
	sigset_t mask;

	(void)env;
	sigprocmask(SIG_BLOCK, NULL, &mask);
	if (strcmp(path, "/bin/sh") || strcmp(argv[1], "-c") || argv[3] ||
	    sigismember(&mask, SIGTERM) || getsid(0) != getpid() ||
	    shared->dropped != (1u << CAP_SYS_BOOT | 1u << CAP_NET_ADMIN))
		strcat(shared->text, "WRONG ");
	shared->commands++;
	shared->pid = getpid();
	strcat(shared->text, strrchr(argv[2], '\n') + 1);
	strcat(shared->text, "\n");
	if (hangs)
		pause();
	_exit(1);
}

int __real_sigtimedwait(const sigset_t *set, siginfo_t *info,
			const struct timespec *t);
int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info,
			const struct timespec *t);
int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info,
			const struct timespec *t)
{
	seconds += (unsigned)t->tv_sec;
	if (!hangs)
		return __real_sigtimedwait(set, info, t);
	while (!shared->commands)
		sched_yield();
	return -1;
}

static void say(const char *text)
{
	strcat(shared->text, "say ");
	strcat(shared->text, text);
	strcat(shared->text, "\n");
}

static const char *end(const char *list)
{
	world_file(SHUTDOWN_HOME "/" REROOT_END, list);
	memset(shared, 0, sizeof(*shared));
	seconds = 0;
	*world.story = '\0';
	reroot_after_end();
	assert_string_equal(world.story, list ? "rm " SHUTDOWN_HOME
						"/" REROOT_END "\n"
					      : "");
	return shared->text;
}

static int reset(void **state)
{
	sigset_t all;

	(void)state;
	world = (struct world){ .say = say };
	no_prctl = hangs = false;
	/* as init_shutdown() does */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	return 0;
}

static void each_command_is_run_after_the_one_before(void **state)
{
	(void)state;
	assert_string_equal(end("/etc/init.d/rc 6\n/sbin/reboot -k\n"),
			    "say the old system ends: /etc/init.d/rc 6\n"
			    "/etc/init.d/rc 6\n"
			    "say the old system ends: /sbin/reboot -k\n"
			    "/sbin/reboot -k\n");
}

static void a_system_that_has_ended_already_needs_none(void **state)
{
	(void)state;
	assert_string_equal(end(NULL), "");
	assert_string_equal(end(""), "");
}

static void without_its_limits_a_command_is_not_run(void **state)
{
	(void)state;
	no_prctl = true;
	end("/etc/init.d/rc 6\n");
	assert_int_equal(shared->commands, 0);
}

static void a_command_that_hangs_is_given_up(void **state)
{
	(void)state;
	hangs = true;
	assert_non_null(strstr(end("sleep\n"), "say sleep: "));
	assert_in_range(seconds, 600, 3600);
	kill(shared->pid, SIGKILL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_command_is_run_after_the_one_before,
				       reset),
		cmocka_unit_test_setup(
			a_system_that_has_ended_already_needs_none, reset),
		cmocka_unit_test_setup(without_its_limits_a_command_is_not_run,
				       reset),
		cmocka_unit_test_setup(a_command_that_hangs_is_given_up, reset),
	};

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
