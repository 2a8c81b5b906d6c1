/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files a reroot copies to RAM, and where. */
#include "boot/init/shutdown.h"
#include "boot/reroot/reroot.h"

#include <string.h>
#include <unistd.h>

#include "tests/unit.h"
#include "tests/world/path.h"
#include "tests/world/say.h"
#include "tests/world/tree.h"

static struct nbd_diag d;
static struct nbd_out copied;
static char text[1024];
static const char *kept; /* a file that is there already */
static int copy_error;

int __wrap_init_shutdown_copy(const char *from, const char *to, unsigned mode);
int __wrap_init_shutdown_copy(const char *from, const char *to, unsigned mode)
{
	assert_int_equal(mode, 0600);
	nbd_putf(&copied, "%s > %s\n", from, to);
	text[copied.len] = '\0';
	return copy_error;
}

static bool in_stub; /* the boot stub has passed credentials */
static off_t hosts_size;

static int keep(const char *root, bool unless_kept)
{
	static struct cmdline c;
	static struct root_spec r;

	/* all files of the running system are there, and one copy */
	world_reset();
	world_file("/.extra/*", in_stub ? "" : NULL);
	if (kept)
		world_file(kept, "");
	world_file(SHUTDOWN_HOME "*", NULL);
	world_stat("/etc/hosts", (struct stat){ .st_size = hosts_size });
	world_file("*", "");
	copied = (struct nbd_out){ .buf = text, .cap = sizeof(text) - 1 };
	text[0] = '\0';
	assert_int_equal(boot_cmdline_parse(&c, root, &d), 0);
	assert_int_equal(root_parse(&r, &c, &d), 0);
	/* the system's CA certificates depend on the machine */
	r.tls = false;
	return reroot_keep(&r, unless_kept, &d);
}

static void files_are_kept_under_their_path(void **state)
{
	(void)state;
	kept = NULL;
	assert_int_equal(
		keep("root=nbds://192.0.2.1/x?tls-psk-file=/etc/k", false), 0);
	assert_string_equal(text, "/etc/k > " SHUTDOWN_HOME "/etc/k\n");
	assert_string_equal(world.story,
			    "mkdir -m 755 " SHUTDOWN_HOME "/etc\n");
	assert_int_equal(
		keep("root=nbds://192.0.2.1/x?tls-certificates=/c", true), 0);
	assert_string_equal(
		text,
		"/c/ca-cert.pem > " SHUTDOWN_HOME "/c/ca-cert.pem\n"
		"/c/client-cert.pem > " SHUTDOWN_HOME "/c/client-cert.pem\n"
		"/c/client-key.pem > " SHUTDOWN_HOME "/c/client-key.pem\n");
	assert_int_equal(keep("root=nbd://192.0.2.1/x", false), 0);
	assert_string_equal(text, "");
}

static void credentials_of_the_boot_stub_are_kept(void **state)
{
	(void)state;
	kept = NULL;
	in_stub = true;
	assert_int_equal(keep("root=nbd://192.0.2.1/x", false), 0);
	assert_non_null(strstr(text,
			       "/.extra/credentials/nbdboot.tls-key.cred "
			       "> " SHUTDOWN_HOME
			       "/.extra/credentials/nbdboot.tls-key.cred\n"));
	in_stub = false;
}

static void an_older_copy_stays_only_on_request(void **state)
{
	(void)state;
	kept = SHUTDOWN_HOME "/etc/k";
	assert_int_equal(
		keep("root=nbds://192.0.2.1/x?tls-psk-file=/etc/k", true), 0);
	assert_string_equal(text, "");
	assert_int_equal(
		keep("root=nbds://192.0.2.1/x?tls-psk-file=/etc/k", false), 0);
	assert_string_equal(text, "/etc/k > " SHUTDOWN_HOME "/etc/k\n");
}

static void a_path_that_leaves_the_copies_is_refused(void **state)
{
	static const char *const bad[] = { "/../../etc/k", "/etc/../k" };
	char word[64];

	(void)state;
	kept = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		nbd_fmt(word, sizeof(word),
			"root=nbds://192.0.2.1/x?tls-psk-file=%s", bad[i]);
		assert_int_equal(keep(word, false), NBD_E_USAGE);
		assert_string_equal(text, "");
		assert_non_null(strstr(d.text, bad[i]));
	}
}

/* The boot has these files for its root, so none of them else. */
static void names_are_known_to_the_boot(void **state)
{
	(void)state;
	kept = NULL;
	assert_int_equal(keep("root=nbd://192.0.2.1/x,nbd://srv/x", false), 0);
	assert_string_equal(text, "/etc/resolv.conf > " SHUTDOWN_HOME
				  "/etc/resolv.conf\n"
				  "/etc/hosts > " SHUTDOWN_HOME "/etc/hosts\n");
	assert_int_equal(keep("root=nbd+unix:///?socket=/s", false), 0);
	assert_string_equal(text, "");
	/* one that has no room may not be needed */
	copy_error = NBD_E_IO;
	assert_int_equal(keep("root=nbd://srv/x", false), 0);
	copy_error = 0;
	assert_non_null(strstr(world.said, "copy /etc/"));
	/* nor one that would leave no room for others */
	hosts_size = 1 << 20;
	assert_int_equal(keep("root=nbd://srv/x", false), 0);
	assert_string_equal(text, "/etc/resolv.conf > " SHUTDOWN_HOME
				  "/etc/resolv.conf\n");
	assert_non_null(strstr(world.said, "/etc/hosts is too long"));
	hosts_size = 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_kept_under_their_path),
		cmocka_unit_test(credentials_of_the_boot_stub_are_kept),
		cmocka_unit_test(an_older_copy_stays_only_on_request),
		cmocka_unit_test(a_path_that_leaves_the_copies_is_refused),
		cmocka_unit_test(names_are_known_to_the_boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
