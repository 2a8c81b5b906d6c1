/* SPDX-License-Identifier: BSD-2-Clause */
/* What the words of the kernel command line ask of device_attach(). */
#include "boot/root/connect.h"

#include "boot/device/attach.h"
#include "port/linux/iface.h"
#include "tests/unit.h"
#include "tests/world/say.h"

static struct attach asked;
static int result;
static const char *says; /* what device_attach() leaves in d */
static uint16_t flags;	 /* of the export */
static unsigned char mac[6];
static bool no_link;

static struct root_spec spec, root;
static struct cmdline cmd;
static struct nbd_diag d;

int __wrap_device_attach(const struct attach *a, struct device_signals *held,
			 struct nbd_diag *diag);
int __wrap_device_attach(const struct attach *a, struct device_signals *held,
			 struct nbd_diag *diag)
{
	assert_null(held);
	asked = *a;
	if (a->flags)
		*a->flags = flags;
	if (says)
		nbd_diag(diag, 0, "%s", says);
	return result;
}

int __wrap_iface_each(void (*fn)(void *ctx, const struct iface *l), void *ctx,
		      struct nbd_diag *diag);
int __wrap_iface_each(void (*fn)(void *ctx, const struct iface *l), void *ctx,
		      struct nbd_diag *diag)
{
	struct iface lo = {
		.index = 1, .name = "lo", .loopback = true, .carrier = true
	};
	struct iface other = { .index = 2, .name = "eth9" };
	struct iface eth = { .index = 3, .name = "eth0", .carrier = true };

	(void)diag;
	memset(other.mac, 0xee, 6);
	memcpy(eth.mac, mac, 6);
	fn(ctx, &lo);
	fn(ctx, &other);
	if (!no_link)
		fn(ctx, &eth);
	return 0;
}

static int connect_root(const char *words)
{
	struct root_env env = { .root_path = NULL };

	world_reset();
	memset(&asked, 0, sizeof(asked));
	assert_int_equal(boot_cmdline_parse(&cmd, words, &d), 0);
	assert_int_equal(root_parse(&spec, &cmd, &d), 0);
	return root_connect(&root, &spec, &env, "", NULL, &d);
}

static int start(void **state)
{
	(void)state;
	memcpy(mac, "\x52\x54\0\x12\x34\x56", 6);
	result = 3;
	says = NULL;
	flags = 0;
	no_link = false;
	d.text[0] = '\0';
	return 0;
}

static void the_defaults_are_those_of_a_root(void **state)
{
	(void)state;
	assert_int_equal(connect_root("root=nbd://192.0.2.1/x"), 3);
	assert_int_equal(asked.index, -1);
	assert_int_equal(asked.b.servers, 1);
	assert_string_equal(asked.b.uris[0].host, "192.0.2.1");
	assert_int_equal(asked.b.connections, 1);
	assert_int_equal(asked.b.slots, 0);
	assert_int_equal(asked.b.dead_timeout, ATTACH_DEFAULT);
	assert_int_equal(asked.io_timeout, ATTACH_DEFAULT);
	assert_int_equal(asked.block_size, 0);
	assert_true(asked.identity);
	assert_false(asked.read_only || asked.b.swap || asked.b.spread);
	assert_string_equal(world.said, "");
}

static void the_words_arrive(void **state)
{
	(void)state;
	assert_int_equal(
		connect_root("root=nbd://a/x,nbd://b/x nbdboot.connections=4 "
			     "nbdboot.slots=6 nbdboot.swap nbdboot.identity=0 "
			     "nbdboot.io-timeout=7"),
		3);
	assert_int_equal(asked.b.servers, 2);
	assert_string_equal(asked.b.uris[1].host, "b");
	assert_int_equal(asked.b.connections, 4);
	assert_int_equal(asked.b.slots, 6);
	assert_true(asked.b.swap);
	assert_false(asked.identity);
	assert_int_equal(asked.io_timeout, 7);
	/* changes are in the overlay */
	connect_root("root=nbd://a/x nbdboot.overlay");
	assert_true(asked.read_only);
	connect_root("root=overlay:nbd=a:x");
	assert_true(asked.read_only);
	connect_root("netroot=nbd:a:x:ext4::bs=4096,timeout=9 root=/dev/nbd5");
	assert_int_equal(asked.index, 5);
	assert_int_equal(asked.block_size, 4096);
	assert_int_equal(asked.io_timeout, 9);
}

static void a_failure_names_the_server(void **state)
{
	(void)state;
	result = NBD_E_REFUSED;
	says = "connection refused";
	assert_int_equal(connect_root("root=nbd://192.0.2.1/x"), NBD_E_REFUSED);
	assert_string_equal(d.text, "nbd://192.0.2.1/x: connection refused");
	/* after a success the servers before it are named */
	result = 0;
	says = "a: connection refused";
	assert_int_equal(connect_root("root=nbd://a/x,nbd://b/x"), 0);
	assert_string_equal(world.said, "a: connection refused\n");
}

static void a_disk_that_others_can_mount_is_reported(void **state)
{
	static const char *const quiet[] = {
		"root=nbd://192.0.2.1/x", /* mounted read-only */
		"root=nbd://192.0.2.1/x ro",
		"root=nbd://192.0.2.1/x rw nbdboot.overlay",
		"root=nbd://192.0.2.1/x-%m rw",
		"root=nbd://192.0.2.1/52:54:00:12:34:56 rw",
	};

	(void)state;
	flags = NBD_FLAG_CAN_MULTI_CONN;
	connect_root("root=nbd://192.0.2.1/x rw");
	assert_non_null(strstr(world.said,
			       "nbd://192.0.2.1/x can be written, also "
			       "by several clients: let no second "));
	assert_non_null(strstr(world.said, ", %m in its name"));
	for (size_t i = 0; i < ARRAY_SIZE(quiet); i++) {
		connect_root(quiet[i]);
		assert_string_equal(world.said, "");
	}
	flags = 0; /* the server takes one client, or does not say */
	connect_root("root=nbd://192.0.2.1/x rw");
	assert_string_equal(world.said, "");
	flags = NBD_FLAG_CAN_MULTI_CONN | NBD_FLAG_READ_ONLY;
	connect_root("root=nbd://192.0.2.1/x rw");
	assert_string_equal(world.said, "");
	flags = NBD_FLAG_CAN_MULTI_CONN;
	result = NBD_E_REFUSED;
	connect_root("root=nbd://192.0.2.1/x rw");
	assert_string_equal(world.said, "");
}

static void without_a_server_nothing_is_asked(void **state)
{
	(void)state;
	assert_int_equal(connect_root("root=dhcp"), NBD_E_NOT_FOUND);
	assert_int_equal(asked.b.servers, 0);
}

static void a_machine_has_one_local_port(void **state)
{
	unsigned first, same = 0;

	(void)state;
	connect_root("root=nbd://192.0.2.1/x");
	first = asked.b.port;
	connect_root("root=nbd://192.0.2.2/y");
	assert_int_equal(asked.b.port, first);
	/* and its neighbours have others */
	for (unsigned i = 0; i < 256; i++) {
		mac[5] = (unsigned char)i;
		connect_root("root=nbd://192.0.2.1/x");
		assert_in_range(asked.b.port, 49152, 60999);
		same += asked.b.port == first;
	}
	assert_in_range(same, 1, 3);
	no_link = true;
	connect_root("root=nbd://192.0.2.1/x");
	assert_int_equal(asked.b.port, 0);
}

static void parse_four(struct root_spec *r, struct cmdline *c, bool balance)
{
	assert_int_equal(boot_cmdline_parse(c,
					    "root=nbd://a/,nbd://b/,"
					    "nbd://c/,nbd://d/",
					    &d),
			 NBD_OK);
	c->balance = balance;
	assert_int_equal(root_parse(r, c, &d), NBD_OK);
	assert_int_equal(r->uris, 4);
}

static void servers_have_as_many_machines_each(void **state)
{
	unsigned first[4] = { 0 }, second[4] = { 0 };
	struct root_machine m = { .dev = "" };

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		unsigned seen = 0;

		snprintf(m.mac, sizeof(m.mac), "52:54:00:12:%02x:%02x", i >> 8,
			 i & 255);
		parse_four(&root, &cmd, true);
		root_balance(&root, &m);
		for (unsigned k = 0; k < 4; k++)
			seen |= 1u << (*root.uri[k].host - 'a');
		assert_int_equal(seen, 15);
		first[*root.uri[0].host - 'a']++;
		/* the server that takes the place of the first one */
		if (*root.uri[0].host == 'a')
			second[*root.uri[1].host - 'a']++;
	}
	for (unsigned k = 0; k < 4; k++)
		assert_in_range(first[k], 215, 285);
	for (unsigned k = 1; k < 4; k++)
		assert_in_range(second[k], first[0] / 4, first[0] / 2);
	/* always the same */
	memcpy(&spec, &root, sizeof(spec));
	parse_four(&root, &cmd, true);
	root_balance(&root, &m);
	for (unsigned k = 0; k < 4; k++)
		assert_string_equal(root.uri[k].host, spec.uri[k].host);
}

static void servers_stay_in_their_order_without_the_word(void **state)
{
	struct root_machine m = { .dev = "", .mac = "52:54:00:12:34:56" };

	(void)state;
	parse_four(&root, &cmd, false);
	root_balance(&root, &m);
	for (unsigned k = 0; k < 4; k++)
		assert_int_equal(*root.uri[k].host, 'a' + (int)k);
	/* nor without an address */
	parse_four(&root, &cmd, true);
	m.mac[0] = '\0';
	root_balance(&root, &m);
	assert_string_equal(root.uri[0].host, "a");
}

static void an_export_that_is_no_root_takes_what_is_about_servers(void **state)
{
	static struct cmdline words;
	const struct cmdline of = { .root = "nbd://root/",
				    .part = "2",
				    .connections = 3,
				    .io_timeout = 7,
				    .handed = true,
				    .no_identity = true };

	(void)state;
	assert_int_equal(root_parse_export(&spec, &words, &of, "nbd://h/x", &d),
			 0);
	assert_string_equal(spec.uri[0].host, "h");
	assert_null(spec.part);
	assert_int_equal(spec.connections, 1);
	assert_int_equal(words.io_timeout, 7);
	assert_true(words.no_identity);
	assert_true(words.handed);
	assert_false(words.write);
	cmd = (struct cmdline){ .tls = true };
	assert_int_equal(root_parse_export(&spec, &words, &cmd, "nbd://h/x",
					   &d),
			 NBD_E_URI);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, start)
	const struct CMUnitTest tests[] = {
		TEST(the_defaults_are_those_of_a_root),
		TEST(the_words_arrive),
		TEST(a_failure_names_the_server),
		TEST(a_disk_that_others_can_mount_is_reported),
		TEST(without_a_server_nothing_is_asked),
		TEST(a_machine_has_one_local_port),
		cmocka_unit_test(servers_have_as_many_machines_each),
		cmocka_unit_test(servers_stay_in_their_order_without_the_word),
		cmocka_unit_test(
			an_export_that_is_no_root_takes_what_is_about_servers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
