/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel command line that a reroot composes. */
#include "tests/unit.h"

#include <string.h>

#include "boot/reroot/reroot.h"

static struct nbd_diag d;

static void keeps(const char *line, bool network, const char *want)
{
	struct reroot_words w;

	reroot_words_begin(&w);
	reroot_words_keep(&w, line, network);
	assert_int_equal(reroot_words_end(&w, &d), 0);
	assert_string_equal(w.text, want);
}

static void settings_stay_in_force(void **state)
{
	(void)state;
	keeps("quiet nbdboot.tls=require ro nbdboot.io-timeout=3\n", false,
	      "nbdboot.tls=require nbdboot.io-timeout=3 ");
	keeps("nbdboot.debug", false, "nbdboot.debug ");
	keeps("", true, "");
}

static void words_about_one_root_are_dropped(void **state)
{
	(void)state;
	keeps("root=nbd://h/x rootfstype=xfs rootflags=ro init=/x rw panic=1",
	      true, "");
	keeps("nbdboot.part=2 nbdboot.overlay nbdboot.connections=4 "
	      "nbdboot.slots=4 nbdboot.shell=/x nbdboot.onfail=halt "
	      "nbdboot.timeout=9 nbdboot.toram",
	      true, "");
	/* the new root is another image */
	keeps("roothash=12 rd.roothash=12 usrhash=12 nbdboot.verity=panic "
	      "systemd.verity_root_options=salt=-",
	      true, "");
}

static void a_list_of_reads_is_not_kept_but_the_wish_for_one(void **state)
{
	(void)state;
	keeps("nbdboot.prefetch", false, "nbdboot.prefetch ");
	keeps("nbdboot.prefetch=auto", true, "nbdboot.prefetch=auto ");
	keeps("nbdboot.prefetch=0", false, "nbdboot.prefetch=0 ");
	keeps("nbdboot.prefetch=/etc/list nbdboot.debug", false,
	      "nbdboot.prefetch nbdboot.debug ");
	keeps("nbdboot.prefetch=nbds://h/list?tls-psk-file=/x", false,
	      "nbdboot.prefetch ");
	keeps("\"nbdboot.prefetch=/my list\" nbdboot.debug", false,
	      "nbdboot.prefetch nbdboot.debug ");
}

static void the_network_is_kept_if_it_is_ours(void **state)
{
	static const char line[] = "ip=dhcp vlan=vlan5:eth0 nameserver=1.2.3.4"
				   " BOOTIF=01-02 rd.route=1.0.0.0/8:2.0.0.1";

	(void)state;
	keeps(line, false, "");
	keeps(line, true,
	      "ip=dhcp vlan=vlan5:eth0 nameserver=1.2.3.4 BOOTIF=01-02 "
	      "rd.route=1.0.0.0/8:2.0.0.1 ");
	keeps("ipv6.disable=1 ip", true, "ip ");
	keeps("bond=bond0:eth0,eth1:mode=active-backup bridge=br0:bond0", true,
	      "bond=bond0:eth0,eth1:mode=active-backup bridge=br0:bond0 ");
}

static void words_of_init_are_not_read(void **state)
{
	(void)state;
	keeps("nbdboot.debug -- nbdboot.swap", false, "nbdboot.debug ");
}

static void quoted_words_stay_whole(void **state)
{
	(void)state;
	keeps("nbdboot.x=\"a b\" dyndbg=\"ip=dhcp nbdboot.swap\"", true,
	      "nbdboot.x=\"a b\" ");
	keeps("\"bond=bond0:eth0:mode=1\" \"nbdboot.x=a b\" \"quiet\"", true,
	      "\"bond=bond0:eth0:mode=1\" \"nbdboot.x=a b\" ");
}

static void the_rest_is_for_other_programs(void **state)
{
	static const char line[] =
		"BOOT_IMAGE=/vmlinuz-6 initrd=\\x quiet console=ttyS0,9600 "
		"root=nbd://h/x \"rootflags=a b\" rw init=/x rdinit=/y "
		"ip=dhcp vlan=5:eth0 nbdroot=h,x,nbd0 nbdboot.debug "
		"netroot=nbd:h:x nbd_host=h boot=NBD=h:1 rd.shell "
		"roothash=12 rd.usrhash=12 "
		"dyndbg=\"root=x +p\" rootwait -- single\n";
	struct reroot_words w;

	(void)state;
	reroot_words_begin(&w);
	reroot_words_rest(&w, line);
	assert_int_equal(reroot_words_end(&w, &d), 0);
	assert_string_equal(w.text, "quiet console=ttyS0,9600 rd.shell "
				    "dyndbg=\"root=x +p\" rootwait ");
}

static int compose(const struct reroot_wish *wish, struct reroot_words *w)
{
	int rc;

	reroot_words_begin(w);
	rc = reroot_words_root(w, wish, &d);
	return rc ? rc : reroot_words_end(w, &d);
}

static void an_export_becomes_the_root(void **state)
{
	struct reroot_wish wish = { .target = "nbd://h/x" };
	struct reroot_words w;

	(void)state;
	assert_int_equal(compose(&wish, &w), 0);
	assert_string_equal(w.text, "root=nbd://h/x rw");
	wish.overlay = "size=1g";
	wish.part = "2";
	wish.connections = 4;
	assert_int_equal(compose(&wish, &w), 0);
	assert_string_equal(w.text, "root=nbd://h/x nbdboot.overlay=size=1g "
				    "nbdboot.part=2 nbdboot.connections=4 rw");
}

static void a_device_becomes_the_root(void **state)
{
	struct reroot_wish wish = { .target = "local:/dev/sda1" };
	struct reroot_words w;

	(void)state;
	assert_int_equal(compose(&wish, &w), 0);
	assert_string_equal(w.text, "root=/dev/sda1 rw");
	wish.connections = 2;
	assert_int_equal(compose(&wish, &w), NBD_E_USAGE);
}

static void a_device_may_get_another_number(void **state)
{
	struct reroot_wish wish = { .target = "local:/dev/sda1",
				    .uuid = "1-2" };
	struct reroot_words w;

	(void)state;
	assert_int_equal(compose(&wish, &w), 0);
	assert_string_equal(w.text, "root=UUID=1-2 rw");
	wish.target = "local:/dev/mapper/system-root";
	assert_int_equal(compose(&wish, &w), 0);
	assert_string_equal(w.text, "root=/dev/mapper/system-root rw");
	/* a file system without one */
	wish = (struct reroot_wish){ .target = "local:/dev/sda1", .uuid = "" };
	assert_int_equal(compose(&wish, &w), 0);
	assert_string_equal(w.text, "root=/dev/sda1 rw");
	/* an export has a name */
	wish = (struct reroot_wish){ .target = "nbd://h/x", .uuid = "1-2" };
	assert_int_equal(compose(&wish, &w), 0);
	assert_string_equal(w.text, "root=nbd://h/x rw");
}

static void other_words_are_refused(void **state)
{
	static const char *const wrong[] = { "",       "/dev/sda1", "local:sda",
					     "local:", "h/x",	    "dhcp" };
	struct reroot_words w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(
			compose(&(struct reroot_wish){ .target = wrong[i] },
				&w),
			NBD_E_USAGE);
}

/* It could smuggle in words of its own. */
static void blanks_and_quotes_are_refused(void **state)
{
	struct reroot_wish wish = { .target = "nbd://h/x init=/y" };
	struct reroot_words w;

	(void)state;
	assert_int_equal(compose(&wish, &w), NBD_E_USAGE);
	wish.target = "nbd://h/x";
	wish.part = "LABEL=\"x";
	assert_int_equal(compose(&wish, &w), NBD_E_USAGE);
}

static void too_many_words_are_refused(void **state)
{
	static char line[CMDLINE_MAX + 20] = "nbdboot.x=";
	struct reroot_words w;

	(void)state;
	memset(line + 10, 'a', sizeof(line) - 11);
	reroot_words_begin(&w);
	reroot_words_keep(&w, line, false);
	assert_int_equal(reroot_words_end(&w, &d), NBD_E_USAGE);
	assert_int_equal(strlen(w.text), CMDLINE_MAX - 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_stay_in_force),
		cmocka_unit_test(words_about_one_root_are_dropped),
		cmocka_unit_test(
			a_list_of_reads_is_not_kept_but_the_wish_for_one),
		cmocka_unit_test(the_network_is_kept_if_it_is_ours),
		cmocka_unit_test(words_of_init_are_not_read),
		cmocka_unit_test(quoted_words_stay_whole),
		cmocka_unit_test(the_rest_is_for_other_programs),
		cmocka_unit_test(an_export_becomes_the_root),
		cmocka_unit_test(a_device_becomes_the_root),
		cmocka_unit_test(a_device_may_get_another_number),
		cmocka_unit_test(other_words_are_refused),
		cmocka_unit_test(blanks_and_quotes_are_refused),
		cmocka_unit_test(too_many_words_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
