/* SPDX-License-Identifier: BSD-2-Clause */
/* Loop devices: others take one, too.  The driver is played. */
#include "port/linux/loop.h"
#include "port/linux/module.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/module.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

static struct play {
	unsigned taken;		/* times that another was faster */
	int set_fd, set_status; /* errno of each, 0: it works */
	int set_sector;
	bool none; /* no device is free */
	/* what was done */
	unsigned asked, opened, cleared;
	uint32_t flags;
	unsigned long sector; /* of partitions, 0: was not set */
} play;

static char file[] = "/tmp/nbdboot-loop-XXXXXX";
static struct nbd_diag d;
static uint32_t sector;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	char want[32];

	if (strncmp(path, "/dev/", 5) != 0)
		return __real_open(path, flags);
	snprintf(want, sizeof(want), "/dev/loop%u", play.asked - 1);
	if (strcmp(path, "/dev/loop-control") != 0) {
		/* the one that was free last */
		assert_string_equal(path, want);
		play.opened++;
	}
	return __real_open("/dev/null", flags);
}

static int fails(int error)
{
	errno = error;
	return error ? -1 : 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
	const struct loop_info64 *info;
	unsigned long number;
	va_list ap;

	assert_true(fcntl(fd, F_GETFD) >= 0);
	va_start(ap, request);
	info = request == LOOP_SET_STATUS64 ? va_arg(ap, void *) : NULL;
	number = request == LOOP_SET_BLOCK_SIZE ? va_arg(ap, unsigned long) : 0;
	va_end(ap);
	if (request == LOOP_CTL_GET_FREE)
		return play.none ? fails(ENOSPC) : (int)play.asked++;
	if (request == LOOP_SET_FD)
		return fails(play.asked <= play.taken ? EBUSY : play.set_fd);
	if (request == LOOP_CLR_FD) {
		play.cleared++;
		return 0;
	}
	if (request == LOOP_SET_BLOCK_SIZE) {
		/* the partitions are looked for with the status */
		assert_int_equal(play.flags, 0);
		play.sector = number;
		return fails(play.set_sector);
	}
	assert_non_null(info);
	play.flags = info->lo_flags;
	return fails(play.set_status);
}

static unsigned files(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Only the device stays open. */
static int attach(struct play p, const char *name)
{
	unsigned before = files();
	char disk[LOOP_NAME];
	int rc;

	play = p;
	world = (struct world){ .no_module = NBD_E_NOT_FOUND };
	rc = loop_attach(file, LO_FLAGS_PARTSCAN, sector, disk, &d);
	assert_int_equal(files(), before + (rc >= 0));
	assert_string_equal(disk, name);
	assert_string_equal(world.loaded, "loop\n");
	return rc;
}

static void a_free_device_is_taken(void **state)
{
	int loop = attach((struct play){ 0 }, "loop0");

	(void)state;
	assert_true(loop >= 0);
	assert_int_equal(play.flags, LO_FLAGS_PARTSCAN);
	assert_int_equal(world.pauses, 0);
	close(loop);
}

static void its_sectors_are_those_that_were_asked_for(void **state)
{
	(void)state;
	sector = 4096;
	close(attach((struct play){ 0 }, "loop0"));
	assert_int_equal(play.sector, 4096);
	assert_int_equal(attach((struct play){ .set_sector = EINVAL }, ""),
			 NBD_E_KERNEL);
	assert_non_null(strstr(d.text, strerror(EINVAL)));
	assert_int_equal(play.cleared, 1);
	sector = 0;
	close(attach((struct play){ 0 }, "loop0"));
	assert_int_equal(play.sector, 0);
}

static void if_another_takes_it_the_next_is_asked_for(void **state)
{
	(void)state;
	for (unsigned taken = 1; taken < 20; taken++) {
		char name[LOOP_NAME];
		int loop;

		snprintf(name, sizeof(name), "loop%u", taken);
		loop = attach((struct play){ .taken = taken }, name);
		assert_true(loop >= 0);
		assert_int_equal(play.asked, taken + 1);
		close(loop);
	}
}

static void it_gives_up_in_time(void **state)
{
	(void)state;
	assert_int_equal(attach((struct play){ .set_fd = EBUSY }, ""),
			 NBD_E_KERNEL);
	assert_non_null(strstr(d.text, strerror(EBUSY)));
	assert_in_range(world.now, 2000, 3000);
	assert_in_range(world.pauses, 20, 200);
}

static void other_errors_are_final(void **state)
{
	static const struct {
		struct play play;
		int error;
	} cases[] = {
		{ { .none = true }, ENOSPC },
		{ { .set_fd = EINVAL }, EINVAL },
		{ { .set_status = EPERM }, EPERM },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(attach(cases[i].play, ""), NBD_E_KERNEL);
		assert_non_null(strstr(d.text, strerror(cases[i].error)));
		assert_int_equal(world.pauses, 0);
		/* the half-made device is given back */
		assert_int_equal(play.cleared, cases[i].play.set_status != 0);
	}
	unlink(file);
	assert_int_equal(attach((struct play){ 0 }, ""), NBD_E_KERNEL);
	assert_non_null(strstr(d.text, strerror(ENOENT)));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_free_device_is_taken),
		cmocka_unit_test(its_sectors_are_those_that_were_asked_for),
		cmocka_unit_test(if_another_takes_it_the_next_is_asked_for),
		cmocka_unit_test(it_gives_up_in_time),
		cmocka_unit_test(other_errors_are_final),
	};
	int fd = mkstemp(file), rc;

	if (fd < 0)
		return 1;
	close(fd);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(file);
	return rc;
}
