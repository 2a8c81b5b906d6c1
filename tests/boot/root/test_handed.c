/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's words and the kernel's, joined. */
#include "boot/root/handed.h"

#include "boot/words/root.h"
#include "port/linux/file.h"
#include "tests/unit.h"
#include "tests/world/file.h"
#include "tests/world/mount.h"

#include <errno.h>

#define HANDED "nbdroot=nbd://h/x ip=192.0.2.5:::255.255.255.0:::off BOOTIF=01"

/* As nbdboot.efi leaves it: EFI_VARIABLE_BOOTSERVICE_ACCESS and RUNTIME. */
#define VOLATILE "\x06\0\0"

static struct cmdline c;
static struct root_spec r;
static struct nbd_diag d;
static char line[CMDLINE_MAX];

static void join(const char *words)
{
	assert_int_equal(boot_cmdline_parse(&c, words, &d), 0);
	assert_false(root_named(&c));
	assert_int_equal(root_handed_join(line, HANDED "\n", &c), 0);
	assert_int_equal(boot_cmdline_parse(&c, line, &d), 0);
	assert_true(root_named(&c));
	assert_int_equal(root_parse(&r, &c, &d), 0);
	assert_string_equal(r.uri[0].host, "h");
}

static void the_root_and_the_address_are_the_firmwares(void **state)
{
	(void)state;
	join("rw quiet");
	assert_string_equal(line, HANDED " rw quiet");
	assert_true(c.write);
}

static void a_part_of_the_export_stays(void **state)
{
	(void)state;
	join("root=LABEL=x");
	assert_string_equal(r.part, "LABEL=x");
}

static void an_address_of_the_kernel_counts(void **state)
{
	(void)state;
	join("ip=dhcp rw");
	assert_string_equal(line, "nbdroot=nbd://h/x ip=dhcp rw");
}

static void too_long_is_an_error(void **state)
{
	static char words[CMDLINE_MAX];

	(void)state;
	memset(words, 'x', sizeof(words) - 1);
	assert_int_equal(boot_cmdline_parse(&c, words, &d), 0);
	assert_int_equal(root_handed_join(line, HANDED, &c), NBD_E_NO_MEMORY);
}

static void servers_that_are_named(void **state)
{
	static const struct {
		const char *words;
		bool named;
	} cases[] = {
		{ "", false },
		{ "root=LABEL=x", false },
		{ "root=/dev/nbd0p2 nbddev=nbd0", false },
		{ "root=nbd://h/", true },
		{ "root=dhcp", true },
		{ "nbdroot=dhcp", true },
		{ "nbd_host=h nbd_name=x", true },
		{ "boot=live", false },
		{ "boot=NBD=h:1:x", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(boot_cmdline_parse(&c, cases[i].words, &d), 0);
		assert_int_equal(root_named(&c), cases[i].named);
	}
}

static int handed(const char *words, const char *text)
{
	static char variable[256];
	int len;

	memcpy(variable, VOLATILE, 4);
	len = nbd_fmt(variable + 4, sizeof(variable) - 4, "%s", text);
	*world.story = '\0';
	world.others = WORLD_ABSENT;
	world_data("*NbdBootLease*", variable, 4 + (size_t)len);
	assert_int_equal(boot_cmdline_parse(&c, words, &d), 0);
	assert_true(root_handed(&c, &d) >= 0);
	return root_parse(&r, &c, &d);
}

static void the_kernels_words_alone_say_what_proves_the_server(void **state)
{
	static const char psk[] = "nbdroot=nbds://h/x?tls-psk-file=/k ip=::";

	(void)state;
	assert_int_equal(handed("rw nbdboot.tls=require", psk), NBD_E_URI);
	assert_non_null(strstr(d.text, "takes tls-psk-file= from the kernel "
				       "command line only, not from the "
				       "firmware"));
	assert_int_equal(handed("rw nbdboot.tls=require",
				"nbdroot=nbds://h/x ip=::"),
			 0);
	assert_int_equal(handed("rw", psk), 0);
	/* no word is missing, so none is taken */
	assert_int_equal(handed("nbdboot.tls=require "
				"root=nbds://h/x?tls-psk-file=/k",
				psk),
			 0);
	assert_false(c.handed);
}

#define EFIVARS "/sys/firmware/efi/efivars\n"
#define MOUNT	"mount -t efivarfs -o ro,nosuid,nodev,noexec efivarfs " EFIVARS

/* A mount of the system stays. */
static void what_is_mounted_for_a_variable_is_unmounted(void **state)
{
	static const char words[] = "nbdroot=nbd://h/x ip=::";

	(void)state;
	world_reset();
	assert_int_equal(handed("rw", words), 0);
	assert_string_equal(world.story, MOUNT "umount " EFIVARS);
	world_refuses("mount *", EBUSY, 0);
	assert_int_equal(handed("rw", words), 0);
	assert_string_equal(world.story, MOUNT);
}

static bool fits(const char *attributes, const char *text, long current)
{
	char file[256];
	int len;

	memcpy(file, attributes, 4);
	len = nbd_fmt(file + 4, sizeof(file) - 4, "%s", text);
	return root_handed_fits(file, 4 + (size_t)len, current);
}

static void a_variable_that_outlives_a_boot_is_ignored(void **state)
{
	(void)state;
	assert_true(fits(VOLATILE, HANDED, -1));
	/* an operating system can make one that is EFI_VARIABLE_NON_VOLATILE */
	assert_false(fits("\x07\0\0", HANDED, -1));
	assert_false(fits("\x06\0\x01", HANDED, -1));
	assert_false(fits("\0\0\0", HANDED, -1));
	assert_false(fits(VOLATILE, "", -1));
	assert_false(root_handed_fits("\x06", 1, -1));
}

static void a_variable_of_another_boot_entry_is_ignored(void **state)
{
	(void)state;
	assert_true(fits(VOLATILE, HANDED "\nboot=01ab", 0x1ab));
	assert_false(fits(VOLATILE, HANDED "\nboot=01ab", 0x1ac));
	assert_false(fits(VOLATILE, HANDED "\nboot=01ab", -1));
	assert_false(fits(VOLATILE, HANDED, 1));
	assert_true(fits(VOLATILE, HANDED "\n", -1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_variable_that_outlives_a_boot_is_ignored),
		cmocka_unit_test(a_variable_of_another_boot_entry_is_ignored),
		cmocka_unit_test(the_root_and_the_address_are_the_firmwares),
		cmocka_unit_test(a_part_of_the_export_stays),
		cmocka_unit_test(an_address_of_the_kernel_counts),
		cmocka_unit_test(too_long_is_an_error),
		cmocka_unit_test(servers_that_are_named),
		cmocka_unit_test(
			the_kernels_words_alone_say_what_proves_the_server),
		cmocka_unit_test(what_is_mounted_for_a_variable_is_unmounted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
