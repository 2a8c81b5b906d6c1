/* SPDX-License-Identifier: BSD-2-Clause */
/* Another program becomes process 1, or nothing has changed. */
#include "boot/reroot/reroot.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/reroot/after.h"
#include "boot/init/shutdown.h"
#include "port/linux/file.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/mount.h"
#include "tests/world/path.h"
#include "tests/world/tree.h"

#define OURS	 SHUTDOWN_HOME "/shutdown"
#define TABLE	 "l6:6:wait:/etc/init.d/rc 6\n"
#define COMMANDS SHUTDOWN_HOME "/" REROOT_END ": "
#define SCRIPT	 SHUTDOWN_HOME "/init: #!" OURS " reboot\n"
#define MOUNT	 "mount -o bind " SHUTDOWN_HOME "/init "

/* The next reboot is not ours, and the program of process 1 is its own. */
#define UNDONE	  "umount -l /usr/sbin/init\n" FORGOTTEN
#define FORGOTTEN "rm " SHUTDOWN_HOME "/" REROOT_END "\n"

static struct nbd_diag d;
static const char *fifo;
static const char *verb = "reboot";
static bool no_reader, stays;

/* ---- the system ---- */

static void runs(const char *program)
{
	world_link("/proc/1/exe", program);
}

int __wrap_chmod(const char *path, mode_t mode);
int __wrap_chmod(const char *path, mode_t mode)
{
	(void)path;
	assert_int_equal(mode, 0755);
	return 0;
}

int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	assert_string_equal(path, fifo);
	/* it must not wait for a reader */
	assert_int_equal(flags, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	errno = ENXIO;
	return no_reader ? -1 : 77;
}

ssize_t __wrap_write(int fd, const void *p, size_t len);
ssize_t __wrap_write(int fd, const void *p, size_t len)
{
	const int *request = p;

	assert_int_equal(fd, 77);
	if (!stays)
		runs(OURS);
	if (len == 6) {
		assert_memory_equal(p, "reexec", 6);
		world_does("ask OpenRC");
		return 6;
	}
	/* initreq.h: INIT_MAGIC, INIT_CMD_RUNLVL, 'U' */
	assert_int_equal(len, 384);
	assert_int_equal(request[0], 0x03091969);
	assert_int_equal(request[1], 1);
	assert_int_equal(request[2], 'U');
	world_does("ask sysvinit");
	return 384;
}

int __wrap_close(int fd);
int __wrap_close(int fd)
{
	assert_int_equal(fd, 77);
	return 0;
}

int __wrap_ptrace_exec(pid_t pid, const char *path, const char *arg,
		       unsigned ms, struct nbd_diag *why);
int __wrap_ptrace_exec(pid_t pid, const char *path, const char *arg,
		       unsigned ms, struct nbd_diag *why)
{
	assert_int_equal(pid, 1);
	assert_true(ms > 0);
	assert_string_equal(path, OURS);
	return world_does("execute %s", arg)
		       ? nbd_diag(why, NBD_E_PERM, "trace process 1")
		       : 0;
}

static void wrote(const char *name, const char *content)
{
	world_note(world.story, sizeof(world.story), "%s: %s", name, content);
}

static void has_fifo(const char *name)
{
	if (fifo)
		world_file(fifo, NULL);
	fifo = name;
	if (name)
		world_stat(name, (struct stat){ .st_mode = S_IFIFO });
}

static int reset(void **state)
{
	(void)state;
	verb = "reboot";
	world = (struct world){ .others = WORLD_ABSENT, .wrote = wrote };
	runs("/usr/sbin/init");
	world_file("/etc/inittab", TABLE);
	has_fifo("/run/initctl");
	no_reader = stays = false;
	return 0;
}

/* ---- the tests ---- */

static void sysvinit_executes_this_program(void **state)
{
	(void)state;
	assert_true(reroot_can_replace());
	assert_int_equal(reroot_replace_check(&d), 0);
	assert_string_equal(world.story, "");
	assert_int_equal(reroot_replace(verb, &d), 0);
	assert_string_equal(world.story, COMMANDS
			    "/etc/init.d/rc 6\n" SCRIPT MOUNT "/usr/sbin/init\n"
			    "ask sysvinit\n");
}

static void the_last_line_of_an_inittab_needs_no_newline(void **state)
{
	(void)state;
	world_file("/etc/inittab", "l6:6:wait:/etc/init.d/rc 6");
	assert_int_equal(reroot_replace_check(&d), 0);
	assert_int_equal(reroot_replace(verb, &d), 0);
	assert_non_null(strstr(world.story, COMMANDS "/etc/init.d/rc 6\n"));
}

static void an_older_sysvinit_has_its_fifo_in_dev(void **state)
{
	(void)state;
	has_fifo("/dev/initctl");
	assert_int_equal(reroot_replace(verb, &d), 0);
	assert_non_null(strstr(world.story, "ask sysvinit\n"));
}

static void openrc_executes_this_program(void **state)
{
	(void)state;
	runs("/usr/sbin/openrc-init");
	has_fifo("/run/openrc/init.ctl");
	world_file("/etc/inittab", "");
	assert_true(reroot_can_replace());
	assert_int_equal(reroot_replace_check(&d), 0);
	assert_int_equal(reroot_replace(verb, &d), 0);
	assert_string_equal(world.story, COMMANDS "openrc reboot\n" SCRIPT MOUNT
						  "/usr/sbin/openrc-init\n"
						  "ask OpenRC\n");
}

static void another_kernel_is_another_verb(void **state)
{
	(void)state;
	verb = "kexec";
	assert_int_equal(reroot_replace(verb, &d), 0);
	assert_non_null(strstr(world.story, "#!" OURS " kexec\n"));
}

#define RUNIT COMMANDS "/sbin/init 6\nkill $(pidof runsvdir)\n/etc/runit/3\n"

static void runit_is_made_to_execute_this_program(void **state)
{
	(void)state;
	runs("/usr/sbin/runit");
	has_fifo(NULL);
	world_file("/etc/inittab", "");
	assert_true(reroot_can_replace());
	assert_int_equal(reroot_replace_check(&d), 0);
	assert_string_equal(world.story, "");
	assert_int_equal(reroot_replace(verb, &d), 0);
	assert_string_equal(world.story, RUNIT "execute reboot\n");

	reset(NULL);
	runs("/usr/sbin/runit");
	world_refuses("execute *", EPERM, 0);
	assert_int_equal(reroot_replace(verb, &d), NBD_E_PERM);
	assert_string_equal(world.story, RUNIT "execute reboot\n" FORGOTTEN);
}

static void another_process_1_is_not_replaced(void **state)
{
	(void)state;
	runs("/usr/sbin/s6-svscan");
	assert_false(reroot_can_replace());
	/* a name is not enough, and the file must be the one that runs */
	runs("/usr/sbin/init");
	has_fifo("/run/openrc/init.ctl");
	assert_false(reroot_can_replace());
	runs("/usr/sbin/init (deleted)");
	has_fifo("/run/initctl");
	assert_false(reroot_can_replace());
	runs("");
	assert_false(reroot_can_replace());
}

static void a_process_1_that_reads_no_requests_is_refused(void **state)
{
	(void)state;
	no_reader = true;
	assert_int_equal(reroot_replace(verb, &d), NBD_E_KERNEL);
	assert_non_null(strstr(d.text, "/run/initctl"));
	assert_non_null(strstr(world.story, UNDONE));
}

static void an_inittab_without_a_reboot_is_refused(void **state)
{
	(void)state;
	world_file("/etc/inittab", "l5:5:wait:/etc/init.d/rc 5\n");
	assert_int_equal(reroot_replace_check(&d), NBD_E_KERNEL);
	assert_non_null(strstr(d.text, "/etc/inittab"));
	assert_int_equal(reroot_replace(verb, &d), NBD_E_KERNEL);
	assert_null(strstr(world.story, SCRIPT));
}

static void a_process_1_that_stays_finds_its_program_again(void **state)
{
	(void)state;
	stays = true;
	assert_int_equal(reroot_replace(verb, &d), NBD_E_KERNEL);
	assert_non_null(strstr(world.story, "ask sysvinit\n" UNDONE));
	assert_non_null(strstr(d.text, "nothing has ended"));

	reset(NULL);
	no_reader = true;
	assert_int_equal(reroot_replace(verb, &d), NBD_E_KERNEL);
	assert_non_null(strstr(world.story, UNDONE));

	reset(NULL);
	world_refuses("mount *", EPERM, 0);
	assert_int_equal(reroot_replace(verb, &d), NBD_E_KERNEL);
	assert_null(strstr(world.story, "ask"));
	assert_non_null(strstr(world.story, UNDONE));
}

static void takes(const char *table, const char *commands)
{
	static char text[256];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) - 1 };

	reroot_inittab(&o, table);
	text[o.len] = '\0';
	assert_string_equal(text, commands);
}

static void the_commands_of_runlevel_6_are_taken_in_their_order(void **state)
{
	(void)state;
	takes("id:2:initdefault:\n"
	      "si::sysinit:/etc/init.d/rcS\n"
	      "# l6:6:wait:/not/this\n"
	      "l0:0:wait:/etc/init.d/rc 0\n"
	      "l6:6:wait:/etc/init.d/rc 6\n"
	      "z6:6:respawn:/sbin/sulogin --force\n"
	      "\n"
	      "r6:06:wait:+/sbin/reboot -dkn : x\n"
	      "1:2345:respawn:/sbin/getty --noclear 38400 tty1\n",
	      "/etc/init.d/rc 6\n"
	      "/sbin/reboot -dkn : x\n");
}

static void lines_that_are_no_entries_are_skipped(void **state)
{
	(void)state;
	takes("", "");
	takes("l6:6:wait:/no/newline", "");
	takes("l6\nl6:6\nl6:6:wai\n:\n::\n:6:once:/x\n", "");
	takes("6666:5:wait:/x 6\n", "");
	takes(":6:wait:\n", "\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(sysvinit_executes_this_program, reset),
		cmocka_unit_test_setup(
			the_last_line_of_an_inittab_needs_no_newline, reset),
		cmocka_unit_test_setup(an_older_sysvinit_has_its_fifo_in_dev,
				       reset),
		cmocka_unit_test_setup(openrc_executes_this_program, reset),
		cmocka_unit_test_setup(another_kernel_is_another_verb, reset),
		cmocka_unit_test_setup(runit_is_made_to_execute_this_program,
				       reset),
		cmocka_unit_test_setup(another_process_1_is_not_replaced,
				       reset),
		cmocka_unit_test_setup(
			a_process_1_that_reads_no_requests_is_refused, reset),
		cmocka_unit_test_setup(an_inittab_without_a_reboot_is_refused,
				       reset),
		cmocka_unit_test_setup(
			a_process_1_that_stays_finds_its_program_again, reset),
		cmocka_unit_test(
			the_commands_of_runlevel_6_are_taken_in_their_order),
		cmocka_unit_test(lines_that_are_no_entries_are_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
