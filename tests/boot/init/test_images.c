/* SPDX-License-Identifier: BSD-2-Clause */
/* Several images: what is kept before one is booted, and when one is left. */
#include "boot/init/images.h"
#include "boot/images/keep_tries.h"
#include "boot/images/trial.h"
#include "boot/init/layers.h"
#include "port/linux/file.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/file.h"
#include "tests/world/run.h"
#include "tests/world/say.h"
#include "tests/world/tries.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PANIC "/proc/sys/kernel/panic"
/* longer than any path of a partition; that of a btrfs has up to 255 bytes */
#define LABEL \
	"LABEL=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

extern const struct step init_images_step;

static struct boot b;
static struct nbd_diag d;

static unsigned tried(const char *uri)
{
	return images_tried(&world.tries, images_id(uri, ""));
}

/* kernel.panic: the seconds until the kernel reboots, 0: never. */
static void assert_panic(const char *seconds)
{
	char text[8];

	assert_true(file_read(AT_FDCWD, PANIC, text, sizeof(text)) > 0);
	assert_string_equal(text, seconds);
}

static int choose(void)
{
	return init_images_step.run(&b, &d);
}

/*
 * A kernel that panics would reboot into it for ever.  In a child, as the others
 * begin with a place that can be written.
 */
static void a_try_that_cannot_be_kept_is_none(void **state)
{
	char text[1024] = "", panic[8] = "";
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		world.keeper_fails = NBD_E_IO;
		world_file(IMAGES_NOW, NULL);
		status = choose();
		file_read(AT_FDCWD, PANIC, panic, sizeof(panic));
		file_read(file_run(), IMAGES_NOW, text, sizeof(text));
		_exit(status || strcmp(panic, "0\n") ||
		      !strstr(text, "state untracked\nkept \n"));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* One that hangs would be booted for ever. */
static void a_try_is_kept_before_the_image_is_booted(void **state)
{
	(void)state;
	world.keeper_fails = NBD_E_REFUSED;
	/* it is not the image's server that is away, however long */
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(choose(), NBD_E_REFUSED);
		assert_false(init_images_failed(&b, &init_images_step,
						NBD_E_REFUSED));
		world.now += 100000;
	}
	assert_int_equal(world.kept, 0);
	world.keeper_fails = 0;
	assert_int_equal(choose(), NBD_OK);
	assert_int_equal(tried("nbd://s/new"), 1);
	assert_string_equal(b.spec.uri[0].name, "new");
	/* once in a boot */
	assert_int_equal(choose(), NBD_OK);
	assert_int_equal(tried("nbd://s/new"), 1);
	assert_int_equal(world.kept, 1);
	/* for another image */
	assert_panic("10\n");
}

/* Returns whether the boot goes on at once, with this image or another. */
static bool fails(int err)
{
	static const struct step connect = { .name = "connect" };

	assert_int_equal(choose(), NBD_OK);
	return init_images_failed(&b, &connect, err);
}

static void an_outage_is_as_long_as_the_server_is_away(void **state)
{
	(void)state;
	assert_false(fails(NBD_E_REFUSED));
	world.now += 119000;
	assert_false(fails(NBD_E_REFUSED));
	/* it is back, and has a mistake; and is away again */
	world.now += 60000;
	assert_true(fails(NBD_E_NOT_FOUND));
	assert_false(fails(NBD_E_REFUSED));
	world.now += 119000;
	assert_false(fails(NBD_E_REFUSED));
	world.now += 1000;
	assert_true(fails(NBD_E_REFUSED));
	assert_int_equal(choose(), NBD_OK);
	assert_string_equal(b.spec.uri[0].name, "old");
	assert_string_equal(b.spec.part, LABEL);
	/* it was good before, and there is no other */
	assert_panic("0\n");
}

/* The export is one of many machines, and may be writable. */
static void below_a_root_in_ram_each_image_is_only_read(void **state)
{
	(void)state;
	b.usr.kind = USR_KEPT;
	b.spec.read_only = true;
	assert_int_equal(choose(), NBD_OK);
	assert_true(b.spec.read_only);
	b.usr.kind = USR_IN_ROOT;
}

static int begin(void **state)
{
	(void)state;
	world_reset();
	world.others = WORLD_ABSENT;
	world.now = 1000;
	world_file(PANIC, "0\n");
	world.tries.good = images_id("nbd://s/old", "");
	assert_int_equal(boot_cmdline_parse(&b.cmd,
					    "root=nbd://s/new "
					    "nbdboot.fallback=nbd://s/old "
					    "nbdboot.part=" LABEL,
					    &d),
			 NBD_OK);
	return init_layers_parse(&b.spec, &b.cmd, true, &d);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_try_that_cannot_be_kept_is_none),
		cmocka_unit_test(a_try_is_kept_before_the_image_is_booted),
		cmocka_unit_test(an_outage_is_as_long_as_the_server_is_away),
		cmocka_unit_test(below_a_root_in_ram_each_image_is_only_read),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
