/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The root switch, done for real: in a mount and a PID namespace of its own,
 * whose root is a tmpfs.
 */
#include "tests/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot/init/switch.h"

/* Where the initramfs of the test is mounted; the name outlives a test. */
static char top[] = "/tmp/test_switch.XXXXXX";
static char out[8192]; /* what a child said */

/* The child's complaint is seen by the parent, in out. */
#define NEED(what)                                          \
	do {                                                \
		if (!(what)) {                              \
			dprintf(1, "NEED %s: %m\n", #what); \
			_exit(9);                           \
		}                                           \
	} while (0)

static bool tmpfs(const char *where)
{
	return !mount("tmpfs", where, "tmpfs", 0, NULL);
}

static bool directory(const char *path)
{
	return !mkdir(path, 0755);
}

static bool file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	size_t n = strlen(text);
	bool ok = fd >= 0 && write(fd, text, n) == (ssize_t)n;

	close(fd);
	return ok;
}

static bool exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(top) || unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		print_error("this test mounts: run it as root\n");
		return -1;
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(top);
}

/* Runs fn as process 1 with a mount namespace of its own; its exit status. */
static int as_init(void (*fn)(void))
{
	int p[2], status;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	fflush(NULL);
	assert_int_equal(pipe(p), 0);
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, 0,
			     0, 0, 0);
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(p[1], 1);
		dup2(p[1], 2);
		fn();
		_exit(0);
	}
	close(p[1]);
	while ((n = read(p[0], out + len, sizeof(out) - 1 - len)) > 0)
		len += (size_t)n;
	out[len] = '\0';
	close(p[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void says(const char *text)
{
	if (!strstr(out, text))
		fail_msg("\"%s\" is not in \"%s\"", text, out);
}

/* ---- deleting ---- */

/* A tree with every way out of it that a directory can have. */
static void nothing_on_another_device_is_deleted(void **state)
{
	char path[256], outside[] = "/tmp/test_outside.XXXXXX";
	int fd;

	(void)state;
#define P(sub) (snprintf(path, sizeof(path), "%s%s", top, sub), path)
	assert_non_null(mkdtemp(outside));
	snprintf(path, sizeof(path), "%s/kept", outside);
	assert_true(file(path, "x"));
	assert_true(tmpfs(top));
	assert_true(file(P("/file"), "x"));
	assert_true(directory(P("/a")) && directory(P("/a/b")));
	assert_true(file(P("/a/b/file"), "x"));
	assert_int_equal(symlink(outside, P("/a/link")), 0);
	assert_int_equal(symlink("/nowhere", P("/dangling")), 0);
	assert_int_equal(mkfifo(P("/a/fifo"), 0600), 0);
	/* another tmpfs, deep inside, with a directory that ours has, too */
	assert_true(directory(P("/a/mnt")) && tmpfs(P("/a/mnt")));
	assert_true(directory(P("/a/mnt/b")) && file(P("/a/mnt/b/kept"), "x"));
	/* a directory of the real disk, and a single file of it */
	assert_true(directory(P("/bind")));
	assert_int_equal(mount(outside, P("/bind"), NULL, MS_BIND, NULL), 0);
	assert_true(file(P("/one"), ""));
	{
		char from[256];

		snprintf(from, sizeof(from), "%s/kept", outside);
		assert_int_equal(mount(from, P("/one"), NULL, MS_BIND, NULL),
				 0);
	}
	fd = open(top, O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	init_switch_empty(fd);
	assert_int_equal(fcntl(fd, F_GETFD), -1);

	assert_false(exists(P("/file")));
	assert_false(exists(P("/a/b")));
	assert_false(exists(P("/a/link")));
	assert_false(exists(P("/a/fifo")));
	assert_false(exists(P("/dangling")));
	assert_true(exists(P("/a/mnt/b/kept")));
	assert_true(exists(P("/bind/kept")));
	assert_true(exists(P("/one")));
	snprintf(path, sizeof(path), "%s/kept", outside);
	assert_true(exists(path));

	umount2(P("/one"), MNT_DETACH);
	umount2(P("/bind"), MNT_DETACH);
	umount2(P("/a/mnt"), MNT_DETACH);
	assert_int_equal(umount2(top, MNT_DETACH), 0);
	snprintf(path, sizeof(path), "rm -r %s", outside);
	assert_int_equal(system(path), 0);
#undef P
}

static void directories_deeper_than_the_limit_stay(void **state)
{
	char path[1024];
	size_t n = strlen(top);
	int fd;

	(void)state;
	assert_true(tmpfs(top));
	memcpy(path, top, n + 1);
	for (int i = 0; i < 100; i++, n += 2) {
		memcpy(path + n, "/d", 3);
		assert_true(directory(path));
	}
	fd = open(top, O_RDONLY | O_DIRECTORY);
	init_switch_empty(fd);
	assert_true(exists(path));
	assert_int_equal(umount2(top, MNT_DETACH), 0);
}

/* ---- the switch ---- */

static void copy(const char *from, const char *to)
{
	char buf[65536];
	int in = open(from, O_RDONLY), fd;
	ssize_t n;

	fd = open(to, O_WRONLY | O_CREAT, 0755);
	NEED(in >= 0 && fd >= 0);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		NEED(write(fd, buf, (size_t)n) == n);
	close(in);
	close(fd);
}

/* A new root that can say what it sees. It has no /sys. */
static void make_root(const char *at)
{
	static const char *const directories[] = { "bin", "sbin", "dev", "proc",
						   "run" };
	NEED(!chdir(at));
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
		NEED(directory(directories[i]));
	copy("/old/bin/busybox", "bin/busybox");
	NEED(!symlink("busybox", "bin/sh"));
	NEED(file("sbin/init",
		  "#!/bin/sh\n"
		  "echo pid $$ args $*\n"
		  "cd /; echo root: *\n"
		  "echo run: /run/* proc: /proc/1/comm dev: /dev/*\n"
		  "while read a b c; do echo mount $b; done </proc/mounts\n"
		  "exit 42\n"));
	NEED(!chdir("/"));
}

/* The tmpfs that the parent mounted becomes the child's initramfs. */
static void make_initramfs(void)
{
	static const char *const directories[] = { "/dev", "/proc",
						   "/sys", "/run",
						   "/lib", "/lib/modules" };

	NEED(!chdir(top) && directory("old"));
	NEED(!syscall(SYS_pivot_root, ".", "old") && !chdir("/"));
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
		NEED(directory(directories[i]));
	NEED(file("/init", "x") && file("/lib/modules/x.ko", "x"));
	NEED(!mount("proc", "/proc", "proc", 0, NULL) && tmpfs("/sys"));
	NEED(tmpfs("/run") && file("/run/kept", "x"));
	NEED(tmpfs("/dev") && file("/dev/console", ""));
}

static void make_both(const char *newroot)
{
	make_initramfs();
	NEED(directory(newroot) && tmpfs(newroot));
	make_root(newroot);
	NEED(!umount2("/old", MNT_DETACH) && !rmdir("/old"));
}

static void unchanged(const char *newroot)
{
	NEED(exists("/init") && exists("/lib/modules/x.ko"));
	NEED(exists("/run/kept") && exists("/proc/self"));
	NEED(exists("/dev/console"));
	/* nothing was moved and left there */
	if (!chdir(newroot))
		NEED(!exists("run/kept") && !exists("proc/self") &&
		     !exists("dev/console"));
	dprintf(1, "unchanged\n");
}

static void switch_to(const char *newroot, const char *init)
{
	struct nbd_diag d = { "" };
	char *argv[] = { (char *)init, "one", "two three", NULL };
	int rc = init_switch_root(NULL, newroot, argv, NULL, NULL, NULL, &d);

	dprintf(1, "returned %d: %s\n", rc, d.text);
	unchanged(newroot);
}

static void good(void)
{
	make_both("/new");
	switch_to("/new", "/sbin/init");
}

static void the_new_init_is_process_1_of_the_new_root(void **state)
{
	(void)state;
	assert_true(tmpfs(top));
	if (as_init(good) != 42)
		fail_msg("the child said: %s", out);
	says("pid 1 args one two three\n");
	says("root: bin dev proc run sbin\n");
	says("run: /run/kept proc: /proc/1/comm dev: /dev/console\n");
	says("mount /run\n");
	/* it was let go of, not left in the old root's shadow */
	says("the new root has no directory /sys");
	assert_null(strstr(out, "mount /sys"));
	assert_int_equal(umount2(top, MNT_DETACH), 0);
}

/* Links that lead out of an image: here /run would be moved within this root. */
static void led_out(void)
{
	make_both("/new");
	NEED(!rmdir("/new/run") && !symlink("/lib/modules", "/new/run"));
	NEED(directory("/new/lib") && directory("/new/lib/processes"));
	NEED(!rmdir("/new/proc"));
	NEED(!symlink("lib/processes", "/new/proc"));
	switch_to("/new", "/sbin/init");
}

static void links_do_not_lead_out_of_the_new_root(void **state)
{
	(void)state;
	assert_true(tmpfs(top));
	if (as_init(led_out) != 42)
		fail_msg("the child said: %s", out);
	says("the new root has no directory /run");
	says("mount /lib/processes\n");
	assert_null(strstr(out, "/run/kept"));
	assert_int_equal(umount2(top, MNT_DETACH), 0);
}

/* The tmpfs is still there for the parent: what did the child leave of it? */
static void nothing_is_left_of_the_initramfs(void **state)
{
	struct dirent *e;
	DIR *dir;

	(void)state;
	assert_true(tmpfs(top));
	assert_int_equal(as_init(good), 42);
	dir = opendir(top);
	assert_non_null(dir);
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.')
			fail_msg("%s is left", e->d_name);
	closedir(dir);
	assert_int_equal(umount2(top, MNT_DETACH), 0);
}

static void no_init(void)
{
	make_both("/new");
	switch_to("/new", "/sbin/none");
}

static void broken_init(void)
{
	make_both("/new");
	NEED(file("/new/sbin/init", "#!/bin/bash\n"));
	switch_to("/new", "/sbin/init");
}

/* Moving the root fails when all else has been moved already. */
static void immovable(void)
{
	make_initramfs();
	NEED(directory("/shared") && tmpfs("/shared"));
	NEED(!mount(NULL, "/shared", NULL, MS_SHARED, NULL));
	NEED(directory("/shared/new") && tmpfs("/shared/new"));
	NEED(!mount(NULL, "/shared/new", NULL, MS_PRIVATE, NULL));
	make_root("/shared/new");
	NEED(!umount2("/old", MNT_DETACH) && !rmdir("/old"));
	switch_to("/shared/new", "/sbin/init");
}

static void nothing_mounted(void)
{
	make_both("/new");
	switch_to("/lib", "/init");
}

static void a_directory_of_another_device(void)
{
	make_both("/new");
	NEED(directory("/new/sub"));
	switch_to("/new/sub", "/init");
}

static void no_directory(void)
{
	make_both("/new");
	switch_to("/new/sbin/init", "/init");
}

static void absent(void)
{
	make_both("/new");
	switch_to("/absent", "/init");
}

static void a_failed_switch_changes_nothing(void **state)
{
	static const struct {
		void (*fn)(void);
		const char *says;
	} t[] = {
		{ no_init, "the new root has no /sbin/none" },
		{ broken_init, "interpreter /bin/bash: No such file" },
		{ immovable, "move to / the new root /shared/new" },
		{ nothing_mounted, "/lib: nothing is mounted there" },
		{ a_directory_of_another_device, "nothing is mounted there" },
		{ no_directory, "/new/sbin/init: not a directory" },
		{ absent, "/absent: No such file" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		assert_true(tmpfs(top));
		if (as_init(t[i].fn))
			fail_msg("the child said: %s", out);
		says(t[i].says);
		says("unchanged\n");
		assert_int_equal(umount2(top, MNT_DETACH), 0);
	}
}

/* The machine's own root: if it were taken, the test would delete it. */
static void on_the_host(void)
{
	struct nbd_diag d;
	int rc;

	NEED(tmpfs(top));
	rc = init_switch_check(top, "/sbin/init", &d);
	dprintf(1, "%d %s\n", rc, d.text);
}

static void a_root_that_is_no_initramfs_is_refused(void **state)
{
	(void)state;
	assert_int_equal(as_init(on_the_host), 0);
	says("/ is not an initramfs");
}

static void only_process_1_may_switch(void **state)
{
	struct nbd_diag d;
	char *argv[] = { "/sbin/init", NULL };

	(void)state;
	assert_int_equal(init_switch_root(NULL, top, argv, NULL, NULL, NULL,
					  &d),
			 NBD_E_PERM);
	assert_non_null(strstr(d.text, "only process 1"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_on_another_device_is_deleted),
		cmocka_unit_test(directories_deeper_than_the_limit_stay),
		cmocka_unit_test(the_new_init_is_process_1_of_the_new_root),
		cmocka_unit_test(links_do_not_lead_out_of_the_new_root),
		cmocka_unit_test(nothing_is_left_of_the_initramfs),
		cmocka_unit_test(a_failed_switch_changes_nothing),
		cmocka_unit_test(a_root_that_is_no_initramfs_is_refused),
		cmocka_unit_test(only_process_1_may_switch),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
