/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a boot beside a running system, and processes that leave it. */
#include "boot/reroot/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "boot/init/shutdown.h"
#include "boot/net/kept.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"
#include "port/linux/process.h"
#include "tests/unit.h"
#include "tests/world/file.h"
#include "tests/world/tree.h"

#define WORDS "root=nbd://192.0.2.1/x ip=dhcp rw"
#define COPY  SHUTDOWN_HOME "/nbdboot"

static struct nbd_diag d;
static struct nbd_out done;
static char text[4096];

static void note(const char *what, const char *name)
{
	nbd_putf(&done, "%s %s\n", what, name);
	assert_false(done.cut);
	text[done.len] = '\0';
}

/* ---- steps ---- */

static const char *fails;	/* the step that does */
static const char *interrupted; /* a signal comes during that one */
static int handled;
static bool watched, watched_upper, no_watch, overlay, renews;

static int lease_error;	 /* what net_kept_read() returns */
static uint32_t lease_s; /* its time */

int __wrap_init_step_do(const struct step *s, struct boot *b,
			struct nbd_diag *diag);
int __wrap_init_step_do(const struct step *s, struct boot *b,
			struct nbd_diag *diag)
{
	assert_string_equal(b->plan->newroot, NEXTROOT);
	assert_string_equal(b->plan->line, WORDS);
	renews = b->lease_ends;
	b->cmd.no_watch = no_watch;
	b->overlay.index = overlay ? 1 : -1;
	b->watch.pid = watched;
	b->watch_upper.pid = watched_upper;
	note("do", s->name);
	if (interrupted && !strcmp(s->name, interrupted))
		raise(SIGTERM);
	return fails && !strcmp(s->name, fails)
		       ? nbd_diag(diag, NBD_E_UNREACHABLE, "it fails")
		       : NBD_OK;
}

void __wrap_init_step_undo(const struct step *s, struct boot *b);
void __wrap_init_step_undo(const struct step *s, struct boot *b)
{
	/* the signal would end it, too */
	assert_null(b->signals);
	note("undo", s->name);
}

static int run(void)
{
	struct device_signals held;
	int rc;

	done = (struct nbd_out){ .buf = text, .cap = sizeof(text) - 1 };
	text[0] = '\0';
	device_signals_hold(&held);
	rc = reroot_beside(WORDS, &held, &d);
	device_signals_release(&held);
	return rc;
}

static void handle(int signal)
{
	handled = signal;
}

static int reset(void **state)
{
	(void)state;
	signal(SIGTERM, handle);
	handled = 0;
	world = (struct world){ .others = WORLD_ABSENT };
	fails = interrupted = NULL;
	watched = true;
	watched_upper = no_watch = overlay = false;
	lease_error = NBD_E_NOT_FOUND;
	return 0;
}

static bool did(const char *what)
{
	return strstr(text, what);
}

/* Each step that was done was undone, in the opposite order. */
static void all_is_undone(void)
{
	const char *line = text, *undo = strstr(text, "undo ");
	const char *end = text + done.len;

	assert_non_null(undo);
	for (; line < undo; line = strchr(line, '\n') + 1) {
		size_t len = strcspn(line, "\n") - 3;

		end -= len + 6;
		assert_memory_equal(end, "undo ", 5);
		assert_memory_equal(end + 5, line + 3, len);
	}
	assert_ptr_equal(end, undo);
}

static void the_root_is_connected_mounted_and_watched(void **state)
{
	(void)state;
	assert_int_equal(run(), 0);
	assert_true(did("do connect\ndo tune\ndo watch\n"));
	assert_true(did("do mount\n"));
	assert_true(did("do init\ndo renew\ndo watch ready\n"));
	assert_false(did("undo"));
}

/* Its own renewer ends with it. */
static void the_lease_of_the_running_system_is_renewed(void **state)
{
	(void)state;
	assert_int_equal(run(), 0);
	assert_false(renews);
	lease_error = 0;
	lease_s = 3600;
	assert_int_equal(run(), 0);
	assert_true(renews);
}

/* The system needs its network and its kernel's settings as they are. */
static void the_running_system_is_left_alone(void **state)
{
	(void)state;
	assert_int_equal(run(), 0);
	assert_false(did("do kernel file systems\n"));
	assert_false(did("do drivers\n"));
	assert_false(did("do network\n"));
	assert_false(did("do way down\n"));
	assert_false(did("do switch\n"));
}

static void a_failure_undoes_all_steps(void **state)
{
	(void)state;
	fails = "mount";
	assert_int_equal(run(), NBD_E_UNREACHABLE);
	assert_string_equal(d.text, "it fails");
	assert_false(did("do overlay\n"));
	assert_true(did("do mount\nundo mount\n"));
	all_is_undone();
}

static void a_signal_undoes_all_steps(void **state)
{
	(void)state;
	interrupted = "connect";
	assert_int_equal(run(), NBD_E_INTERRUPTED);
	assert_false(did("do watch\n"));
	all_is_undone();
	assert_int_equal(handled, SIGTERM);
	/* of a step that fails because its process was ended */
	fails = interrupted = "mount";
	assert_int_equal(run(), NBD_E_INTERRUPTED);
	all_is_undone();
}

static void a_success_can_be_undone(void **state)
{
	(void)state;
	assert_int_equal(run(), 0);
	reroot_beside_undo();
	all_is_undone();
}

static int sleeps(void *data, struct nbd_diag *diag)
{
	(void)data, (void)diag;
	for (;;)
		pause();
	return 0;
}

static void a_signal_ends_the_process_of_a_step(void **state)
{
	static struct boot b;
	struct device_signals held;
	struct process child;

	(void)state;
	device_signals_hold(&held);
	b.signals = &held;
	assert_int_equal(process_start(&child, sleeps, NULL, 0, &d), 0);
	raise(SIGTERM);
	reroot_beside_await(&b, &child, 60000);
	assert_int_equal(process_finish(&child, NULL, 0, "it", UINT64_MAX, &d),
			 NBD_E_KERNEL);
	device_signals_release(&held);
}

static void a_root_without_its_watcher_is_refused(void **state)
{
	(void)state;
	watched = false;
	assert_int_equal(run(), NBD_E_KERNEL);
	assert_string_equal(d.text, "its watcher did not start");
	all_is_undone();

	watched = overlay = true;
	assert_int_equal(run(), NBD_E_KERNEL);
	all_is_undone();
	watched_upper = true;
	assert_int_equal(run(), 0);
}

static void a_root_may_be_without_watchers_on_request(void **state)
{
	(void)state;
	watched = false;
	no_watch = overlay = true;
	assert_int_equal(run(), 0);
}

/* ---- the lease ---- */

int __wrap_net_kept_read(int at, struct net_kept *k, struct nbd_diag *diag);
int __wrap_net_kept_read(int at, struct net_kept *k, struct nbd_diag *diag)
{
	(void)at, (void)diag;
	memset(k, 0, sizeof(*k));
	k->dhcp.lease.seconds = lease_s;
	return lease_error;
}

int __wrap_dir_open(struct dir *dir, const char *path);
int __wrap_dir_open(struct dir *dir, const char *path)
{
	assert_string_equal(path, "/proc");
	dir->fd = -1;
	dir->at = 0;
	return 0;
}

const char *__wrap_dir_next(struct dir *dir);
const char *__wrap_dir_next(struct dir *dir)
{
	static const char *const names[] = { "self", "1", "2", "tty", NULL };

	return names[dir->at] ? names[dir->at++] : NULL;
}

/* The words of process 2; '/' is a NUL. */
static bool must_renew(int error, uint32_t seconds, const char *process)
{
	static char words[64];
	size_t len = strlen(process);

	assert_true(len < sizeof(words));
	for (size_t i = 0; i <= len; i++)
		words[i] = process[i] == '/' ? '\0' : process[i];
	world_file("/proc/1/cmdline", NULL);
	world_data("/proc/2/cmdline", words, len);
	lease_error = error;
	lease_s = seconds;
	return reroot_beside_must_renew();
}

static void a_lease_that_nobody_renews_gets_a_process(void **state)
{
	(void)state;
	assert_true(must_renew(0, 3600, ""));
	/* systemd ends these with the old system */
	assert_true(must_renew(0, 3600, "nbdboot/renew/"));
	assert_true(must_renew(0, 3600, "@nbdboot/watch/nbd0/"));
	assert_true(must_renew(0, 3600, "@nbdboot/renewal/"));
	assert_true(must_renew(0, 3600, "@nbdboot/renew/more/"));
}

static void one_process_that_renews_is_enough(void **state)
{
	(void)state;
	assert_false(must_renew(0, 3600, "@nbdboot/renew/"));
}

static void a_lease_without_an_end_needs_no_process(void **state)
{
	(void)state;
	assert_false(must_renew(0, UINT32_MAX, ""));
	assert_false(must_renew(NBD_E_NOT_FOUND, 3600, ""));
}

/* ---- processes ---- */

#define GROUPS "/sys/fs/cgroup/"

static pid_t parent;
static bool detached;

pid_t __wrap_getppid(void);
pid_t __wrap_getppid(void)
{
	return parent;
}

void __wrap_process_detach(bool all);
void __wrap_process_detach(bool all)
{
	assert_true(all);
	detached = true;
}

/* So many of its two groups are not there. */
static const char *leave(pid_t from, int error, unsigned groups)
{
	parent = from;
	world = (struct world){ .others = WORLD_ABSENT };
	if (error)
		world_refuses("ln *", error, 0);
	world_file(GROUPS "init.scope/cgroup.procs", "");
	world_file(GROUPS "systemd/init.scope/cgroup.procs", "");
	if (groups > 0)
		world_file_fails(GROUPS "init.scope/cgroup.procs", ENOENT);
	if (groups > 1)
		world_file_fails(GROUPS "systemd/init.scope/cgroup.procs",
				 ENOENT);
	detached = false;
	return reroot_beside_leave();
}

static void in_an_initramfs_there_is_nothing_to_leave(void **state)
{
	(void)state;
	assert_null(leave(1, EROFS, 2));
	assert_false(detached);
	assert_string_equal(world.story, "");
}

static void a_process_leaves_with_its_program_in_ram(void **state)
{
	(void)state;
	assert_string_equal(leave(7, 0, 0), COPY);
	assert_true(detached);
	assert_string_equal(world.story, "ln -s shutdown " COPY "\ncd /\n");
	assert_string_equal(leave(7, EEXIST, 0), COPY);
	/* systemd's own hierarchy, where others are mounted beside it */
	assert_string_equal(leave(7, 0, 1), COPY);
}

static void a_process_that_cannot_leave_fails(void **state)
{
	(void)state;
	assert_string_equal(leave(7, EROFS, 0), "");
	assert_string_equal(leave(7, 0, 2), "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			the_root_is_connected_mounted_and_watched, reset),
		cmocka_unit_test_setup(the_running_system_is_left_alone, reset),
		cmocka_unit_test_setup(
			the_lease_of_the_running_system_is_renewed, reset),
		cmocka_unit_test_setup(a_failure_undoes_all_steps, reset),
		cmocka_unit_test_setup(a_signal_undoes_all_steps, reset),
		cmocka_unit_test_setup(a_success_can_be_undone, reset),
		cmocka_unit_test_setup(a_signal_ends_the_process_of_a_step,
				       reset),
		cmocka_unit_test_setup(a_root_without_its_watcher_is_refused,
				       reset),
		cmocka_unit_test_setup(
			a_root_may_be_without_watchers_on_request, reset),
		cmocka_unit_test(a_lease_that_nobody_renews_gets_a_process),
		cmocka_unit_test(one_process_that_renews_is_enough),
		cmocka_unit_test(a_lease_without_an_end_needs_no_process),
		cmocka_unit_test(in_an_initramfs_there_is_nothing_to_leave),
		cmocka_unit_test(a_process_leaves_with_its_program_in_ram),
		cmocka_unit_test(a_process_that_cannot_leave_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
