/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of what nbdboot reroot does, and that it undoes all of it. */
#include "boot/cli/cli.h"

#include <signal.h>
#include <unistd.h>

#include "boot/reroot/after.h"
#include "boot/reroot/reroot.h"
#include "tests/unit.h"
#include "tests/world/say.h"

extern const struct command cmd_reroot;

static char text[4096]; /* what was done */
static struct nbd_out done;
static bool soft, new_home;
static const char *fails;	/* what does */
static const char *interrupted; /* a signal comes then */
static int handled;
static char *target;
static bool held; /* when the signals are asked for */

static int note(const char *what, struct nbd_diag *d)
{
	nbd_putf(&done, "%s\n", what);
	assert_false(done.cut);
	text[done.len] = '\0';
	if (interrupted && !strcmp(what, interrupted))
		raise(SIGINT);
	return fails && !strcmp(what, fails)
		       ? nbd_diag(d, NBD_E_KERNEL, "%s fails", what)
		       : NBD_OK;
}

/* ---- what it calls ---- */

int __wrap_reroot_join(struct nbd_diag *d);
int __wrap_reroot_join(struct nbd_diag *d)
{
	return note("join", d);
}

int __wrap_reroot_old_read(struct reroot_old *o, struct nbd_diag *d);
int __wrap_reroot_old_read(struct reroot_old *o, struct nbd_diag *d)
{
	(void)d;
	memset(o, 0, sizeof(*o));
	o->ours = o->ram = true;
	strcpy(o->line, "ip=dhcp");
	return 0;
}

int __wrap_reroot_may_start(struct nbd_diag *d);
int __wrap_reroot_may_start(struct nbd_diag *d)
{
	(void)d;
	return 0;
}

bool __wrap_reroot_has_soft(void);
bool __wrap_reroot_has_soft(void)
{
	return true;
}

int __wrap_reroot_prove(struct reroot_proof *p, const char *line,
			struct nbd_diag *d);
int __wrap_reroot_prove(struct reroot_proof *p, const char *line,
			struct nbd_diag *d)
{
	p->cmd.root = "nbd://192.0.2.1/";
	p->soft = soft;
	(void)line;
	return note("prove", d);
}

int __wrap_reroot_prepare(struct nbd_diag *d);
int __wrap_reroot_prepare(struct nbd_diag *d)
{
	int rc = note("prepare", d);

	return rc ? rc : new_home;
}

void __wrap_reroot_unprepare(void);
void __wrap_reroot_unprepare(void)
{
	note("unprepare", NULL);
}

int __wrap_reroot_keep(const struct root_spec *r, bool unless_kept,
		       struct nbd_diag *d);
int __wrap_reroot_keep(const struct root_spec *r, bool unless_kept,
		       struct nbd_diag *d)
{
	(void)r, (void)unless_kept, (void)d;
	return 0;
}

int __wrap_reroot_store(const char *words, const char *old, struct nbd_diag *d);
int __wrap_reroot_store(const char *words, const char *old, struct nbd_diag *d)
{
	(void)old;
	return note(*words ? "store" : "forget", d);
}

int __wrap_reroot_put(const char *path, const char *words, struct nbd_diag *d);
int __wrap_reroot_put(const char *path, const char *words, struct nbd_diag *d)
{
	assert_string_equal(path, REROOT_LINE);
	assert_non_null(strstr(words, "ip=dhcp root=nbd://192.0.2.1/"));
	return note("words", d);
}

int __wrap_images_say(const char *word);
int __wrap_images_say(const char *word)
{
	return note(word, NULL);
}

int __wrap_reroot_soft(struct reroot_soft *s, const char *words,
		       const struct device_signals *signals,
		       struct nbd_diag *d);
int __wrap_reroot_soft(struct reroot_soft *s, const char *words,
		       const struct device_signals *signals, struct nbd_diag *d)
{
	(void)s, (void)words;
	held = signals->fd >= 0;
	return note("mount", d);
}

void __wrap_reroot_soft_undo(struct reroot_soft *s);
void __wrap_reroot_soft_undo(struct reroot_soft *s)
{
	(void)s;
	note("unmount", NULL);
}

int __wrap_reroot_start(enum reroot_way way, struct nbd_diag *d);
int __wrap_reroot_start(enum reroot_way way, struct nbd_diag *d)
{
	sigset_t now;

	assert_int_equal(way, soft ? REROOT_SOFT : REROOT_DOWN);
	/* what it does must not be left half done */
	sigprocmask(SIG_BLOCK, NULL, &now);
	assert_true(sigismember(&now, SIGINT));
	assert_true(sigismember(&now, SIGQUIT));
	assert_true(sigismember(&now, SIGPIPE));
	return note("start", d);
}

/* ---- the tests ---- */

static void handle(int signal)
{
	handled = signal;
}

static int reset(void **state)
{
	(void)state;
	soft = new_home = false;
	fails = interrupted = NULL;
	handled = 0;
	target = "nbd://192.0.2.1/";
	signal(SIGINT, handle);
	return 0;
}

static void does(int rc, const char *want)
{
	char *words[] = { target, NULL };
	static unsigned char options[CLI_OPTIONS_MAX];
	struct cli_call call = { .words = words, .options = options };

	done = (struct nbd_out){ .buf = text, .cap = sizeof(text) - 1 };
	text[0] = '\0';
	assert_int_equal(cmd_reroot.run(&call), rc);
	assert_string_equal(text, want);
	assert_int_equal(handled, interrupted ? SIGINT : 0);
}

static void by_a_shutdown(void **state)
{
	(void)state;
	does(0, "join\nprove\nprepare\nstore\nstart\n");
}

static void a_wrong_operand_comes_first(void **state)
{
	(void)state;
	fails = "join";
	target = "/dev/sda1";
	does(NBD_E_USAGE, "");
	target = "nbd://192.0.2.1/";
	does(NBD_E_KERNEL, "join\n");
}

/* The trial of the old root's image would reboot the new one. */
static void softly(void **state)
{
	(void)state;
	soft = true;
	does(0, "join\nprove\nprepare\nmount\nstart\nend\nwords\n");
	assert_true(held);
}

static void nothing_is_made_before_the_proof(void **state)
{
	(void)state;
	fails = "prove";
	does(NBD_E_KERNEL, "join\nprove\n");
}

static void a_start_that_fails_is_undone(void **state)
{
	(void)state;
	fails = "start";
	does(NBD_E_KERNEL, "join\nprove\nprepare\nstore\nstart\nforget\n");
	soft = true;
	does(NBD_E_KERNEL, "join\nprove\nprepare\nmount\nstart\nunmount\n");
}

static void so_is_one_that_a_signal_ends(void **state)
{
	(void)state;
	interrupted = "store";
	does(NBD_E_INTERRUPTED, "join\nprove\nprepare\nstore\nforget\n");
	soft = true;
	interrupted = "mount";
	does(NBD_E_INTERRUPTED, "join\nprove\nprepare\nmount\nunmount\n");
}

static void a_home_for_the_shutdown_is_unmade_if_it_is_new(void **state)
{
	(void)state;
	new_home = soft = true;
	fails = "mount";
	does(NBD_E_KERNEL, "join\nprove\nprepare\nmount\nunprepare\n");
	fails = NULL;
	does(0, "join\nprove\nprepare\nmount\nstart\nend\nwords\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(by_a_shutdown, reset),
		cmocka_unit_test_setup(a_wrong_operand_comes_first, reset),
		cmocka_unit_test_setup(softly, reset),
		cmocka_unit_test_setup(nothing_is_made_before_the_proof, reset),
		cmocka_unit_test_setup(a_start_that_fails_is_undone, reset),
		cmocka_unit_test_setup(so_is_one_that_a_signal_ends, reset),
		cmocka_unit_test_setup(
			a_home_for_the_shutdown_is_unmade_if_it_is_new, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
