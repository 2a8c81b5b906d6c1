/* SPDX-License-Identifier: BSD-2-Clause */
/* The drop-ins for systemd, in a directory in place of /run. */
#include "boot/watch/watch.h"
#include "port/linux/file.h"
#include "tests/unit.h"
#include "tests/world/open.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static char dir[32];

static int begin(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/units.XXXXXX");
	world = (struct world){ .others = WORLD_REAL, .run = dir };
	return mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static void assert_has(const char *unit, const char *wanted)
{
	char path[128], text[512];

	snprintf(path, sizeof(path), "%s/systemd/system/%s.d/nbdboot.conf", dir,
		 unit);
	file_read(AT_FDCWD, path, text, sizeof(text));
	assert_string_equal(text, wanted);
}

static void assert_has_no_watchdog(const char *unit)
{
	assert_has(unit, "[Service]\nWatchdogSec=0\n");
}

static void systemd_waits_for_its_services(void **state)
{
	struct nbd_diag d;

	(void)state;
	assert_int_equal(watch_units(&d), 0);
	/* and again, as after a failed boot */
	assert_int_equal(watch_units(&d), 0);
	assert_has_no_watchdog("systemd-journald.service");
	assert_has_no_watchdog("systemd-journald@.service");
	assert_has_no_watchdog("systemd-udevd.service");
	assert_has_no_watchdog("systemd-logind.service");
	assert_has_no_watchdog("systemd-userdbd.service");
}

static void systemd_waits_for_what_starts_in_an_outage(void **state)
{
	const char *setting = "[Service]\nWatchdogSec=0\nTimeoutSec=infinity\n";
	struct nbd_diag d;

	(void)state;
	assert_int_equal(watch_units(&d), 0);
	assert_has("systemd-hostnamed.service", setting);
	assert_has("systemd-timedated.service", setting);
}

static void dracut_may_take_its_time_to_unpack(void **state)
{
	struct nbd_diag d;

	(void)state;
	assert_int_equal(watch_units(&d), 0);
	assert_has("dracut-shutdown.service",
		   "[Service]\nTimeoutStopSec=infinity\n");
}

/* test_reroot.sh runs it. */
static void a_soft_reboot_keeps_the_program_for_the_shutdown(void **state)
{
	struct nbd_diag d;

	(void)state;
	assert_int_equal(watch_units(&d), 0);
	assert_has("systemd-soft-reboot.service",
		   "[Service]\nType=oneshot\nExecStart=-/bin/sh -c '"
		   "mountpoint -q /run/initramfs"
		   " && [ ! -e /run/nbdboot/down ]"
		   " && [ -d /run/nextroot/run ] && [ ! -L /run/nextroot/run ]"
		   " && ! mountpoint -q /run/nextroot/run"
		   " && mount --bind --make-private /run /run/nextroot/run"
		   " && mount --bind /run/initramfs"
		   " /run/nextroot/run/initramfs'\n");
}

static void a_failure_names_the_place(void **state)
{
	char path[64];
	struct nbd_diag d;

	(void)state;
	snprintf(path, sizeof(path), "%s/systemd", dir);
	assert_int_equal(file_write(AT_FDCWD, path, "", 0), 0);
	assert_int_equal(watch_units(&d), NBD_E_NOT_FOUND);
	assert_string_equal(d.text,
			    "systemd may kill services in an outage: write "
			    "/run/systemd/system: Not a directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(systemd_waits_for_its_services,
						begin, end),
		cmocka_unit_test_setup_teardown(
			systemd_waits_for_what_starts_in_an_outage, begin, end),
		cmocka_unit_test_setup_teardown(
			dracut_may_take_its_time_to_unpack, begin, end),
		cmocka_unit_test_setup_teardown(
			a_soft_reboot_keeps_the_program_for_the_shutdown, begin,
			end),
		cmocka_unit_test_setup_teardown(a_failure_names_the_place,
						begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
