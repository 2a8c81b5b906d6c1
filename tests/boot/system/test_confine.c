/* SPDX-License-Identifier: BSD-2-Clause */
/* What a confined process can do, and what it can not.  Each test forks. */
#include "tests/unit.h"
#include "boot/system/confine.h"
#include "port/linux/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Runs fn in a confined process; its result is the line that failed, or 0. */
static void confined(uint32_t keep, int (*fn)(void))
{
	int status;

	if (fork() == 0) {
		boot_confine(keep);
		/* in _exit() a sanitizer would make calls that are refused */
		syscall(SYS_exit_group, fn());
	}
	assert_true(wait(&status) > 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define MUST(x)                          \
	do {                             \
		if (!(x))                \
			return __LINE__; \
	} while (0)

static int refused_all(void)
{
	char *argv[] = { "/bin/true", NULL };

	MUST(execve("/bin/true", argv, argv) && errno == ENOSYS);
	MUST(syscall(SYS_execveat, AT_FDCWD, "/bin/true", argv, argv, 0) &&
	     errno == ENOSYS);
	MUST(ptrace(PTRACE_TRACEME, 0, 0, 0) && errno == ENOSYS);
	MUST(mount("none", "/", "tmpfs", 0, "") && errno == ENOSYS);
	MUST(syscall(SYS_init_module, 0, 0, 0) && errno == ENOSYS);
	MUST(syscall(SYS_bpf, 0, 0, 0) && errno == ENOSYS);
	MUST(kill(getpid(), 0) && errno == ENOSYS);
	/* the filter itself cannot be loosened, nor capabilities regained */
	MUST(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) && errno == ENOSYS);
	MUST(syscall(SYS_capset, 0, 0) && errno == ENOSYS);
	return 0;
}

/* musl's stat(), with room for what any kernel writes. */
#ifdef SYS_stat
static int knows_files(void)
{
	char st[512];

	MUST(syscall(SYS_stat, "/proc/self/stat", st) == 0);
	return 0;
}
#else
static int knows_files(void)
{
	return 0;
}
#endif

/* A copy of it is confined, too. */
static int copies(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		syscall(SYS_exit_group, refused_all());
	MUST(pid > 0);
	MUST(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : __LINE__;
}

static void no_program_runs_and_nothing_is_mounted(void **state)
{
	(void)state;
	confined(~0u, refused_all);
	confined(~0u, copies);
}

static int talk(void)
{
	struct pollfd p = { .events = POLLIN };
	struct utsname names;
	struct sysinfo memory;
	struct timespec t;
	char buf[16];

	p.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	MUST(p.fd >= 0);
	MUST(poll(&p, 1, 1) == 0);
	MUST(close(p.fd) == 0);
	p.fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	MUST(p.fd >= 0);
	MUST(read(p.fd, buf, sizeof(buf)) == sizeof(buf));
	MUST(lseek(p.fd, 0, SEEK_SET) == 0);
	MUST(close(p.fd) == 0);
	MUST(clock_gettime(CLOCK_BOOTTIME, &t) == 0);
	/* musl asks the kernel where its clock page does not do */
	MUST(syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &t) == 0);
	MUST(getppid() > 0);
	MUST(uname(&names) == 0);
	MUST(sysinfo(&memory) == 0);
	return 0;
}

/* As a lease in /run. */
static int replaces(void)
{
	static const char file[] = "/tmp/test_confine.file";

	MUST(file_replace(AT_FDCWD, file, "x", 1) == 0);
	MUST(unlinkat(AT_FDCWD, file, 0) == 0);
	return 0;
}

static void it_still_talks_reads_and_waits(void **state)
{
	(void)state;
	confined(~0u, talk);
	confined(~0u, knows_files);
	confined(~0u, replaces);
}

/* In 64 bits: the effective capabilities, as /proc shows them. */
static unsigned long long effective(void)
{
	unsigned long long caps = ~0ull;
	char buf[4096], *p;
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, buf, sizeof(buf) - 1);

	buf[n < 0 ? 0 : n] = '\0';
	close(fd);
	p = strstr(buf, "\nCapEff:");
	if (p)
		sscanf(p, "\nCapEff:%llx", &caps);
	return caps;
}

static unsigned long long had;

static int keeps_one(void)
{
	MUST(effective() == (had & 1u << CAP_NET_ADMIN));
	return 0;
}

static void of_the_capabilities_only_those_stay_that_it_needs(void **state)
{
	(void)state;
	had = effective();
	confined(1u << CAP_NET_ADMIN, keeps_one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_program_runs_and_nothing_is_mounted),
		cmocka_unit_test(it_still_talks_reads_and_waits),
		cmocka_unit_test(
			of_the_capabilities_only_those_stay_that_it_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
