/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of files in RAM, which the shutdown needs, and when it gives up. */
#include "boot/init/shutdown.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/file.h"
#include "tests/world/nbdk.h"
#include "tests/world/path.h"
#include "tests/world/say.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot/init/toram.h"
#include "boot/net/login.h"
#include "boot/net/renew6.h"
#include "boot/system/console.h"
#include "port/linux/file.h"

#define SIZE 8192

static char text[SIZE + 1];

static int begin(void **state)
{
	static char dir[] = "/tmp/test_shutdown.XXXXXX";

	(void)state;
	world.others = WORLD_REAL;
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	memset(text, 'x', SIZE);
	return file_write(AT_FDCWD, "from", text, SIZE);
}

static int end(void **state)
{
	char dir[64];

	(void)state;
	unlink("from");
	unlink("to");
	/* fails if anything else is left */
	return getcwd(dir, sizeof(dir)) ? rmdir(dir) : -1;
}

/* As if the file system was full after so many bytes. */
static int copy(rlim_t room)
{
	struct rlimit before, r;
	int rc, err;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	r = (struct rlimit){ room, before.rlim_max };
	setrlimit(RLIMIT_FSIZE, &r);
	rc = init_shutdown_copy("from", "to", 0600);
	err = errno;
	setrlimit(RLIMIT_FSIZE, &before);
	errno = err;
	return rc;
}

static void a_copy_that_fails_leaves_the_one_before(void **state)
{
	char now[SIZE + 1];

	(void)state;
	assert_int_equal(copy(SIZE / 2), NBD_E_IO);
	assert_int_equal(errno, EFBIG);
	assert_int_not_equal(access("to", F_OK), 0);
	assert_int_equal(file_write(AT_FDCWD, "to", "old", 3), 0);
	assert_int_equal(copy(SIZE / 2), NBD_E_IO);
	assert_int_equal(file_read(AT_FDCWD, "to", now, sizeof(now)), 3);
	assert_string_equal(now, "old");
	assert_int_equal(copy(SIZE), 0);
	assert_int_equal(file_read(AT_FDCWD, "to", now, sizeof(now)), SIZE);
	assert_string_equal(now, text);
}

/* ---- a child that hangs in the kernel, in a machine that is played ---- */

#define CHILD	100
#define UNKNOWN 200

static struct machine {
	bool orphans;	/* one ends every 100 ms */
	bool writes;	/* for so long as there is something to write */
	unsigned dirty; /* KiB */
	bool ended;	/* an orphan did, and waits for us */
	unsigned full;	/* so many _Fork() fail */
	bool killed;	/* all others are */
	unsigned unmounted, synced;
} machine;
static char meminfo[32];
static jmp_buf rebooted;

pid_t __wrap_getpid(void);
pid_t __wrap_getpid(void)
{
	return 1;
}

pid_t __wrap__Fork(void);
pid_t __wrap__Fork(void)
{
	if (!machine.full)
		return CHILD;
	machine.full--;
	errno = EAGAIN;
	return -1;
}

int __wrap_kill(pid_t pid, int signal);
int __wrap_kill(pid_t pid, int signal)
{
	assert_int_equal(pid, -1);
	assert_int_equal(signal, SIGKILL);
	machine.killed = true;
	return 0;
}

int __wrap_init_unmount_all(bool force, bool keep);
int __wrap_init_unmount_all(bool force, bool keep)
{
	(void)force, (void)keep;
	machine.unmounted++;
	return 0;
}

void __wrap_sync(void);
void __wrap_sync(void)
{
	machine.synced++;
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	bool ended = machine.ended;

	assert_int_equal(pid, -1);
	assert_int_equal(options, WNOHANG);
	machine.ended = false;
	*status = 0;
	if (machine.killed)
		return -1;
	return ended ? UNKNOWN : 0;
}

int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info,
			const struct timespec *t);
int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info,
			const struct timespec *t)
{
	(void)set, (void)info;
	if (world.now > 1000000)
		longjmp(rebooted, 2);
	machine.ended = machine.orphans;
	world.now += machine.orphans ? 100 : (uint64_t)t->tv_sec * 1000;
	if (machine.writes && machine.dirty)
		machine.dirty--;
	snprintf(meminfo, sizeof(meminfo), "Dirty: %u kB\n", machine.dirty);
	return machine.orphans ? SIGCHLD : -1;
}

int __wrap_boot_console_open(const char *path, bool control);
int __wrap_boot_console_open(const char *path, bool control)
{
	(void)path, (void)control;
	return 0;
}

int __wrap_sigprocmask(int how, const sigset_t *set, sigset_t *before);
int __wrap_sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
	(void)how, (void)set, (void)before;
	return 0;
}

void __wrap_init_toram_release(void);
void __wrap_init_toram_release(void)
{
}

bool __wrap_net_renew6_kept(struct net_kept *kept);
bool __wrap_net_renew6_kept(struct net_kept *kept)
{
	(void)kept;
	return false;
}

void __wrap_net_login_ports(struct login_ports *p, const char *ctl);
void __wrap_net_login_ports(struct login_ports *p, const char *ctl)
{
	(void)ctl;
	p->n = 1;
	p->index[0] = 7;
}

void __wrap_net_login_end(const struct login_ports *p, const char *ctl);
void __wrap_net_login_end(const struct login_ports *p, const char *ctl)
{
	(void)ctl;
	assert_int_equal(p->n, 1);
	assert_int_equal(p->index[0], 7);
}

int __wrap_reboot(int how);
int __wrap_reboot(int how)
{
	assert_int_equal(how, RB_POWER_OFF);
	longjmp(rebooted, 1);
}

/* The seconds until it ends. */
static unsigned shut_down(struct machine m)
{
	int rc;

	world_reset();
	/* this program's directory is the root already */
	world_file("/oldroot", "");
	world_file("/shutdown", "");
	world_file("/proc/meminfo", meminfo);
	world_file("/sys/module/dm_mod", NULL);
	machine = m;
	rc = setjmp(rebooted);
	if (!rc)
		init_shutdown("poweroff", NULL);
	assert_int_equal(rc, 1);
	assert_int_equal(strstr(world.said, "nothing was written for 40 s") !=
				 NULL,
			 !m.full);
	return (unsigned)(world.now / 1000);
}

static void without_progress_it_ends_after_40_s(void **state)
{
	(void)state;
	assert_in_range(shut_down((struct machine){ .dirty = 9 }), 40, 42);
	/* processes that end are no progress */
	assert_in_range(
		shut_down((struct machine){ .dirty = 9, .orphans = true }), 40,
		42);
	assert_in_range(
		shut_down((struct machine){ .dirty = 100, .writes = true }),
		140, 142);
}

/* The limit of processes, or no memory. */
static void without_a_child_all_is_unmounted_and_written(void **state)
{
	(void)state;
	shut_down((struct machine){ .full = 100 });
	assert_true(machine.killed);
	assert_int_equal(machine.unmounted, 1);
	assert_int_equal(machine.synced, 1);
	assert_non_null(
		strstr(world.said, "all is unmounted and disconnected"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_that_fails_leaves_the_one_before),
		cmocka_unit_test(without_progress_it_ends_after_40_s),
		cmocka_unit_test(without_a_child_all_is_unmounted_and_written),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
