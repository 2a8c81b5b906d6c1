/* SPDX-License-Identifier: BSD-2-Clause */
/* What a failure is reported on: every console, and no console holds it up. */
#include "boot/init/onfail.h"
#include "boot/system/console.h"
#include "tests/unit.h"
#include "tests/world/file.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* The lines of two serial consoles, and how to open them. */
static int wires[2][2];
/* close() waits for a line that takes nothing. */
static bool stuck;
static int line = -1;

int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);
int __wrap_close(int fd);
int __real_close(int fd);

int __wrap_open(const char *path, int flags, ...)
{
	if (strncmp(path, "/dev/ttyS", 9) != 0)
		return __real_open(path, flags);
	assert_true(flags & O_NONBLOCK);
	line = dup(wires[path[9] - '0'][1]);
	return line;
}

int __wrap_close(int fd)
{
	while (stuck && fd == line)
		pause();
	return __real_close(fd);
}

static void assert_printed(unsigned wire, const char *want)
{
	char got[64] = "";

	assert_int_equal(read(wires[wire][0], got, sizeof(got) - 1),
			 strlen(want));
	assert_string_equal(got, want);
}

static void each_console_gets_the_line(void **state)
{
	(void)state;
	boot_console_tee("no cable\n", 9);
	assert_printed(0, "no cable\n");
	assert_printed(1, "no cable\n");
}

static void a_console_that_takes_nothing_is_not_waited_for(void **state)
{
	(void)state;
	stuck = true;
	boot_console_tee("no cable\n", 9);
	stuck = false;
	assert_printed(0, "no cable\n");
	assert_printed(1, "no cable\n");
}

/* The child writes how long its timer waits. */
static int told[2];

int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info,
			const struct timespec *t);
int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info,
			const struct timespec *t)
{
	(void)set, (void)info;
	if (write(told[1], &t->tv_sec, sizeof(t->tv_sec)) < 0)
		_exit(1);
	_exit(0);
}

static void a_timer_of_weeks_waits_as_long(void **state)
{
	/* s; in ms the second does not fit into 32 bits */
	static const int timeouts[] = { 60, 4294968, INT32_MAX };

	(void)state;
	assert_int_equal(pipe(told), 0);
	for (size_t i = 0; i < ARRAY_SIZE(timeouts); i++) {
		struct cmdline cmd = { .timeout = timeouts[i] };
		struct onfail o = { .cmd = &cmd };
		time_t waits = 0;

		init_onfail_start(&o);
		assert_int_equal(read(told[0], &waits, sizeof(waits)),
				 sizeof(waits));
		init_onfail_stop(&o);
		assert_in_range(waits, timeouts[i] - 50, timeouts[i]);
	}
}

static int begin(void **state)
{
	static const struct cmdline cmd;
	static struct recovery recovery;
	static struct onfail onfail;

	(void)state;
	world_file("/proc/consoles",
		   "tty0                 -WU (EC  p  )    4:7\n"
		   "ttyS0                -W- (E   p a)    4:64\n"
		   "ttyS1                -W- (E   p a)    4:65\n");
	alarm(20); /* a process that hangs dies, and the test fails */
	init_onfail_init(&onfail, &cmd, &recovery);
	return pipe(wires[0]) || pipe(wires[1]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_console_gets_the_line),
		cmocka_unit_test(
			a_console_that_takes_nothing_is_not_waited_for),
		cmocka_unit_test(a_timer_of_weeks_waits_as_long),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
