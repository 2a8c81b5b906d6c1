/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that waits until an image is good. */
#include "boot/images/trial.h"
#include "port/linux/file.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/harden.h"
#include "tests/world/open.h"
#include "tests/world/ready.h"
#include "tests/world/run.h"
#include "tests/world/tries.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define ID 0x00d1e2f3a4b5c6d7u

static char top[] = "/tmp/test_trial.XXXXXX";
static struct nbd_diag d;
static const char *verdict; /* is sent at the first pause */
static bool forgets;	    /* `nbdboot image forget` runs before that */
static bool away;	    /* the server, at the verdict */
static bool resolver_kept;
static char seconds[8]; /* kernel.panic in the end */

/* ---- the world ---- */

void __wrap_sock_resolve_keep(void);
void __wrap_sock_resolve_keep(void)
{
	resolver_kept = true;
}

/* Files of the initramfs are gone when it is written. */
static void with_the_resolver(void)
{
	assert_true(resolver_kept);
}

static int send_verdict(struct pollfd *p, nfds_t n, int ms)
{
	(void)ms;
	if (forgets && !(away && n))
		memset(&world.tries, 0, sizeof(world.tries));
	world.keeper_away = away && n;
	if (!n)
		return 0;
	assert_int_equal(write(p->fd, verdict, strlen(verdict)),
			 strlen(verdict));
	p->revents = POLLIN;
	return 1;
}

/* ---- the tests ---- */

static void trial(const char *what)
{
	static const char text[] = "image nbd://server/new\n"
				   "id 00d1e2f3a4b5c6d7\n"
				   "state trial\n"
				   "kept nbd://server/state\n"
				   "seconds 600\n"
				   "panic 0\n";
	static char panic[64];

	verdict = what;
	resolver_kept = false;
	world = (struct world){ .now = 1000,
				.wait = send_verdict,
				.keep = with_the_resolver,
				.others = WORLD_REAL };
	images_set_tried(&world.tries, ID, 1);
	images_set_tried(&world.tries, 7, IMAGES_TRIES);
	world.run_fd = open(top, O_PATH | O_CLOEXEC);
	assert_int_equal(
		file_save(world.run_fd, IMAGES_NOW, text, sizeof(text) - 1), 0);
	snprintf(panic, sizeof(panic), "%s/panic", top);
	assert_int_equal(file_write(AT_FDCWD, panic, "10\n", 3), 0);
	world_link("/proc/sys/kernel/panic", panic);
	assert_int_equal(images_trial(&d), NBD_OK);
	assert_string_equal(world.keeper, "nbd://server/state");
	file_read(AT_FDCWD, panic, seconds, sizeof(seconds));
	close(world.run_fd);
}

static void a_good_image_is_kept(void **state)
{
	(void)state;
	trial("good\n");
	assert_int_equal(world.kept, 1);
	assert_true(world.tries.good == ID && world.tries.n == 1);
	assert_int_equal(images_tried(&world.tries, 7), IMAGES_TRIES);
	/* written over "10\n" in a file that is none of the kernel's */
	assert_memory_equal(seconds, "0\n", 2);
}

static void what_was_forgotten_meanwhile_does_not_come_back(void **state)
{
	(void)state;
	forgets = true;
	trial("good");
	assert_true(world.tries.good == ID && !world.tries.n);
	away = true;
	trial("good");
	forgets = away = false;
	assert_true(world.tries.good == ID && !world.tries.n);
}

static void a_bad_one_is_left(void **state)
{
	(void)state;
	trial("bad");
	assert_int_equal(world.kept, 1);
	assert_false(world.tries.good);
	assert_int_equal(images_tried(&world.tries, ID), IMAGES_TRIES);
	assert_string_equal(seconds, "10\n");
}

/* Its unit would call the image good when the new root is up. */
static void an_image_that_another_root_replaces_is_neither(void **state)
{
	static const char unit[] =
		"systemd/system/multi-user.target.wants/nbdboot-image.service";
	char path[128], text[512];

	(void)state;
	trial("end");
	assert_int_equal(world.kept, 0);
	assert_memory_equal(seconds, "0\n", 2);
	snprintf(path, sizeof(path), "%s/%s", top, unit);
	assert_int_equal(access(path, F_OK), -1);
	snprintf(path, sizeof(path), "%s/%s", top, IMAGES_NOW);
	assert_true(file_read(AT_FDCWD, path, text, sizeof(text)) > 0);
	assert_non_null(strstr(text, "\nstate untracked\n"));
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(top) ? 0 : -1;
}

static int end(void **state)
{
	char cmd[64];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -r %s", top);
	return system(cmd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_image_is_kept),
		cmocka_unit_test(
			what_was_forgotten_meanwhile_does_not_come_back),
		cmocka_unit_test(a_bad_one_is_left),
		cmocka_unit_test(
			an_image_that_another_root_replaces_is_neither),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
