/* SPDX-License-Identifier: BSD-2-Clause */
/* The child in NBD_DO_IT: it starts, is refused, or hangs.  The driver is played. */
#include "port/linux/nbdk.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/open.h"
#include "tests/world/nbdk.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/nbd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define INDEX 4

static struct play {
	bool refused;	/* NBD_DO_IT returns at once */
	bool connected; /* when the child is in it */
	bool no_device; /* it has gone */
	unsigned early; /* looks at a size that is not set yet */
} play;

static int life[2]; /* the child holds its end */
static struct nbd_diag d;

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
	sigset_t set;

	(void)fd;
	if (request != (unsigned long)NBD_DO_IT || play.refused)
		return 0;
	/* what its caller holds back must be able to end it */
	sigprocmask(SIG_BLOCK, NULL, &set);
	(void)!write(life[1], sigismember(&set, SIGTERM) ? "b" : "c", 1);
	for (;;)
		pause();
}

static void info(int index, struct nbdk_info *info)
{
	assert_int_equal(index, INDEX);
	info->connected = play.connected;
	info->size = play.connected && play.early == 0 ? 4096 : 0;
	play.early -= play.early > 0;
	world.nbdk_error = play.no_device ? NBD_E_NO_DEVICE : 0;
}

static const struct nbdk_conf conf = {
	.index = INDEX,
	.size = 4096,
	.block_size = 512,
	.fds = (int[]){ 0 },
	.n_fds = 1,
};

static int start(void **state)
{
	(void)state;
	play = (struct play){ .refused = false };
	world = (struct world){ .others = WORLD_REAL, .info = info };
	world_link("/dev/nbd4", "/dev/null");
	return pipe2(life, O_CLOEXEC);
}

/* Returns what the child wrote, when its end is closed: it is gone. */
static char gone(void)
{
	char c = '-', more;

	close(life[1]);
	if (read(life[0], &c, 1) == 1)
		assert_int_equal(read(life[0], &more, 1), 0);
	close(life[0]);
	return c;
}

static pid_t only_child(void)
{
	char path[64], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		 (int)getpid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return (pid_t)atoi(text);
}

static void the_child_stays_while_it_is_connected(void **state)
{
	sigset_t set, before;
	char c;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &before);
	play.connected = true;
	assert_int_equal(nbdk_connect_ioctl(&conf, &d), INDEX);
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(read(life[0], &c, 1), 1);
	assert_int_equal(c, 'c');
	assert_int_equal(waitpid(-1, NULL, WNOHANG), 0);
	assert_int_equal(kill(only_child(), SIGTERM), 0);
	gone();
	assert_true(waitpid(-1, NULL, 0) > 0);
}

/* A caller would find a device of 0 bytes. */
static void the_size_is_awaited(void **state)
{
	(void)state;
	play.connected = true;
	play.early = 3;
	assert_int_equal(nbdk_connect_ioctl(&conf, &d), INDEX);
	assert_int_equal(play.early, 0);
	assert_int_equal(kill(only_child(), SIGTERM), 0);
	gone();
	assert_true(waitpid(-1, NULL, 0) > 0);
}

static void a_size_that_never_comes_is_given_up(void **state)
{
	(void)state;
	play.connected = true;
	play.early = UINT_MAX;
	world.step = 100;
	assert_int_equal(nbdk_connect_ioctl(&conf, &d), NBD_E_KERNEL);
	gone();
}

static void a_refusal_is_reported(void **state)
{
	(void)state;
	play.refused = true;
	assert_int_equal(nbdk_connect_ioctl(&conf, &d), NBD_E_KERNEL);
	assert_string_equal(d.text, "/dev/nbd4: NBD_DO_IT was refused");
	assert_int_equal(gone(), '-');
}

/* On a CPU of 32 bits a disk of 3 TiB in sectors would get another size. */
static void more_blocks_than_the_driver_counts_are_refused(void **state)
{
	struct nbdk_conf c = conf;

	(void)state;
	c.size = (3ull << 40) + 1;
	world.step = 100;
	assert_int_equal(nbdk_connect_ioctl(&c, &d), NBD_E_USAGE);
	assert_string_equal(d.text,
			    "the disk has too many blocks of 512 bytes");
	assert_int_equal(gone(), '-');
}

static void a_child_that_never_connects_is_given_up(void **state)
{
	(void)state;
	world.step = 100;
	assert_int_equal(nbdk_connect_ioctl(&conf, &d), NBD_E_KERNEL);
	assert_in_range(world.now, 5000, 20000);
	gone();
}

static void a_signal_ends_the_wait(void **state)
{
	struct nbdk_conf c = conf;
	int stop[2];

	(void)state;
	assert_int_equal(pipe(stop), 0);
	assert_int_equal(write(stop[1], "s", 1), 1);
	c.stop = stop[0];
	assert_int_equal(nbdk_connect_ioctl(&c, &d), NBD_E_KERNEL);
	gone();
	close(stop[0]);
	close(stop[1]);
}

static void nor_does_it_stay_if_the_device_has_gone(void **state)
{
	(void)state;
	play.no_device = true;
	assert_int_equal(nbdk_connect_ioctl(&conf, &d), NBD_E_KERNEL);
	gone();
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, start)
	static const struct CMUnitTest tests[] = {
		TEST(a_refusal_is_reported),
		TEST(more_blocks_than_the_driver_counts_are_refused),
		TEST(a_child_that_never_connects_is_given_up),
		TEST(a_signal_ends_the_wait),
		TEST(nor_does_it_stay_if_the_device_has_gone),
		TEST(a_size_that_never_comes_is_given_up),
		TEST(the_child_stays_while_it_is_connected),
		TEST(the_size_is_awaited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
