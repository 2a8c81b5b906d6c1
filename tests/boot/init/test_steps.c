/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a boot that take its words, one by one. */
#include "boot/init/steps.h"
#include "boot/init/switch.h"
#include "boot/root/connect.h"
#include "port/linux/module.h"
#include "port/linux/process.h"

#include "tests/unit.h"
#include "tests/world/module.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS "root=nbd://192.0.2.1/x ip=off nbdboot.timeout=9"

static struct boot b;
static struct nbd_diag d;

int __wrap_boot_cmdline_read(struct cmdline *c, struct nbd_diag *diag);
int __wrap_boot_cmdline_read(struct cmdline *c, struct nbd_diag *diag)
{
	return boot_cmdline_parse(c, WORDS, diag);
}

/* Parameters of the driver: in memory that a child shares. */
static struct {
	char nbd[64];
	bool connected, later;
} * loaded;

/* Set: the server has answered when it loads the driver. */
static struct preload *answered;

static void load(const char *name, const char *params)
{
	loaded->later |= !strcmp(name, "dm_mod");
	if (answered && !strcmp(name, "nbd"))
		answered->shared->connected = true;
	/* the first one counts */
	if (!strcmp(name, "nbd") && !loaded->nbd[0])
		snprintf(loaded->nbd, sizeof(loaded->nbd), "%s.", params);
}

int __wrap_root_connect(struct root_spec *r, const struct root_spec *spec,
			struct root_env *env, const char *dev,
			struct device_signals *held, struct nbd_diag *diag);
int __wrap_root_connect(struct root_spec *r, const struct root_spec *spec,
			struct root_env *env, const char *dev,
			struct device_signals *held, struct nbd_diag *diag)
{
	(void)r, (void)spec, (void)env, (void)dev, (void)held;
	loaded->connected = true;
	return mod_load("nbd", "", diag);
}

/* Runs the first step of that name. */
static void run(const char *name)
{
	const struct step *const *s = init_steps;

	while (strcmp((*s)->name, name) != 0)
		s++;
	assert_int_equal((*s)->run(&b, &d), 0);
}

/* What a feature adds is where it belongs, whatever its build.mk says before. */
static void a_boot_has_its_steps_in_this_order(void **state)
{
	static const char *const names[] = {
		"kernel file systems", /* nbdboot.log= */
		"kernel file systems",
		"kernel file systems", /* nbdboot.onfail= */
		"kernel command line",
		"kernel command line", /* nbdboot.log= */
		"kernel command line", /* nbdboot.onfail= */
		"kernel command line", /* nbdboot.cache= */
		"kernel command line", /* nbdboot.clone= */
		"kernel command line", /* words that are refused */
		"kernel command line", /* nbdboot.outage= */
		"kernel command line", /* nbdboot.overlay= */
		"kernel command line", /* roothash= */
		"kernel command line", /* its tree */
		"module image",
		"credentials",
		"drivers", /* those that appear from now on */
		"drivers", /* what a list may want */
		"drivers", /* the preload of modules begins */
		"drivers",
		"802.1X",
		"clone", /* on a disk, without a server */
		"network",
		"log",
		"images",
		"tune",
		"prefetch", /* the reads of devices before */
		"connect",
		"modules", /* nothing more to wait for */
		"tune",
		"watch",
		"connect", /* nbdboot.toram names its server */
		"copy to RAM",
		"connect", /* the tree of roothash= */
		"watch",
		"volumes",
		"verity", /* how it is mounted */
		"partition",
		"partition", /* of mount.usr= */
		"partition", /* that roothash= names */
		"clone",     /* on a disk, of the server's image */
		"map",
		"learn",
		"cache", /* of an image that nobody writes to */
		"verity",
		"prefetch", /* a list in the initramfs */
		"modules",
		"learn",  /* it is ready */
		"verity", /* a copy in RAM, all of it */
		"mount",
		"cache",    /* below an overlay */
		"prefetch", /* and one in the root */
		"overlay",
		"watch",
		"overlay",
		"usr",
		"ostree",
		"init",
		"trial", /* of an image */
		"renew",
		"way down",
		"cache",    /* the process that fills it */
		"clone",    /* the process that copies */
		"way down", /* credentials for a reroot */
		"watch ready",
		"renew ready",
		"trial ready",
		"timer",
		"module image",
		"keep",
		"keep ready",
		"switch",
	};
	size_t i = 0;

	(void)state;
	for (; init_steps[i] && i < ARRAY_SIZE(names); i++)
		assert_string_equal(init_steps[i]->name, names[i]);
	assert_int_equal(i, ARRAY_SIZE(names));
	assert_null(init_steps[i]);
}

static void take_words(void)
{
	run("kernel command line");
}

static void a_boot_has_the_time_that_its_words_allow(void **state)
{
	(void)state;
	static const struct plan plan = { 0 };

	memset(&b, 0, sizeof(b));
	b.plan = &plan;
	take_words();
	assert_int_equal(b.cmd.timeout, 9);
}

static const struct plan *other(struct boot *at_failure, size_t at,
				unsigned tries)
{
	(void)at_failure, (void)at, (void)tries;
	return NULL;
}

/* Else the timer would reboot a machine that has another root. */
static void a_plan_with_another_behind_it_has_no_end(void **state)
{
	static const struct plan plan = { .line = WORDS, .on_failure = other };

	(void)state;
	memset(&b, 0, sizeof(b));
	b.plan = &plan;
	take_words();
	assert_string_equal(b.cmd.root, "nbd://192.0.2.1/x");
	assert_int_equal(b.cmd.timeout, 0);
}

static void the_preload_loads_the_driver_with_one_device(void **state)
{
	struct preload p = { 0 };

	(void)state;
	memset(loaded, 0, sizeof(*loaded));
	init_preload_start(&p, "");
	init_preload_wait(&p);
	assert_string_equal(loaded->nbd, "nbds_max=1.");
}

static void what_is_needed_far_away_only_while_it_waits(void **state)
{
	struct preload p = { .later = "dm_mod" };

	(void)state;
	memset(loaded, 0, sizeof(*loaded));
	init_preload_start(&p, "");
	init_preload_wait(&p);
	assert_true(loaded->later);
	memset(loaded, 0, sizeof(*loaded));
	answered = &p;
	init_preload_start(&p, "");
	init_preload_wait(&p);
	assert_false(loaded->later);
	/* a new try of the boot waits again */
	answered = NULL;
	init_preload_start(&p, "");
	init_preload_wait(&p);
	assert_true(loaded->later);
}

static void and_so_does_connect_when_it_is_faster(void **state)
{
	(void)state;
	memset(&b, 0, sizeof(b));
	memset(loaded, 0, sizeof(*loaded));
	run("connect");
	assert_true(loaded->connected);
	assert_string_equal(loaded->nbd, "nbds_max=1.");
}

/* Whether it is the watcher, or what renews the lease. */
static void the_process_of_a_step_ends_with_it(void **state)
{
	unsigned n = 0;

	(void)state;
	for (const struct step *const *s = init_steps; *s; s++) {
		struct spawned *w = (void *)((char *)&b + (*s)->process);

		if (!(*s)->process)
			continue;
		w->pid = process_fork();
		if (!w->pid)
			for (;;)
				pause();
		assert_true(w->pid > 0);
		init_step_undo(*s, &b);
		assert_int_equal(w->pid, 0);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
		n++;
	}
	assert_true(n >= 3);
}

/* ---- the partition ---- */

extern const struct step init_part_step;

/* The image of the try before may have had a table, which marked it. */
static void a_volume_is_not_marked_read_only(void **state)
{
	(void)state;
	memset(&b, 0, sizeof(b));
	b.layered = b.part_read_only = true;
	assert_int_equal(init_part_step.run(&b, &d), 0);
	assert_false(b.part_read_only);
}

/* ---- the switch ---- */

static bool is_blocked(int signal)
{
	sigset_t now;

	sigprocmask(SIG_SETMASK, NULL, &now);
	return sigismember(&now, signal);
}

int __wrap_init_switch_root(const char *console, const char *newroot,
			    char *const argv[], bool (*enter)(void),
			    void (*last)(void *ctx), void *ctx,
			    struct nbd_diag *diag);
int __wrap_init_switch_root(const char *console, const char *newroot,
			    char *const argv[], bool (*enter)(void),
			    void (*last)(void *ctx), void *ctx,
			    struct nbd_diag *diag)
{
	(void)console, (void)newroot, (void)argv, (void)enter, (void)last;
	(void)ctx;
	/* the init of the root inherits it */
	assert_false(is_blocked(SIGCHLD));
	return nbd_diag(diag, NBD_E_TIMEOUT, "the server is away");
}

/* Else a pause of the next try does not see the end of a child. */
static void a_switch_that_fails_leaves_the_signals_blocked(void **state)
{
	static char init[] = "/sbin/init", *argv[] = { init, NULL };
	static const struct plan plan = { .newroot = "/newroot" };
	sigset_t all, before;

	(void)state;
	memset(&b, 0, sizeof(b));
	b.plan = &plan;
	b.argv = argv;
	strcpy(b.dev, "/dev/nbd0");
	sigemptyset(&b.recovery.signals);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	assert_int_equal(init_switch_step.run(&b, &d), NBD_E_TIMEOUT);
	assert_true(is_blocked(SIGCHLD));
	assert_true(is_blocked(SIGPIPE));
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_boot_has_its_steps_in_this_order),
		cmocka_unit_test(a_boot_has_the_time_that_its_words_allow),
		cmocka_unit_test(a_plan_with_another_behind_it_has_no_end),
		cmocka_unit_test(the_preload_loads_the_driver_with_one_device),
		cmocka_unit_test(what_is_needed_far_away_only_while_it_waits),
		cmocka_unit_test(and_so_does_connect_when_it_is_faster),
		cmocka_unit_test(the_process_of_a_step_ends_with_it),
		cmocka_unit_test(a_volume_is_not_marked_read_only),
		cmocka_unit_test(
			a_switch_that_fails_leaves_the_signals_blocked),
	};

	mod_dirs.lib = "/nonexistent";
	world.load = load;
	loaded = mmap(NULL, sizeof(*loaded), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(loaded, MAP_FAILED);

	return cmocka_run_group_tests(tests, NULL, NULL);
}
