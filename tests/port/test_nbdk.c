/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The nbd driver's commands, with a socket pair in the place of the kernel, and
 * sysfs as a made-up tree.
 */
#include "port/linux/nbdk.h"
#include "port/linux/netlink.h"
#include "tests/world/clock.h"
#include "tests/world/genl.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/nbd-netlink.h>
#include <linux/nbd.h>
#include <linux/netlink.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define FAMILY 0x33

static struct nbd_diag diag;

static unsigned looks, closed_at; /* looks at the clock; 0: never */
static void last_close(void);

static void look(void)
{
	if (++looks == closed_at)
		last_close();
}

static int open_pairs(void **state)
{
	(void)state;
	memset(&diag, 0, sizeof(diag));
	return world_genl_open();
}

static int close_pairs(void **state)
{
	(void)state;
	return world_genl_close();
}

/* ---- what the kernel says ---- */

static unsigned char out[1024];

static void begin(struct nl_msg *m, unsigned cmd)
{
	const struct genlmsghdr g = { .cmd = (uint8_t)cmd };

	nl_begin(m, out, sizeof(out), FAMILY, 0, &g, sizeof(g));
}

static void say(unsigned sock, struct nl_msg *m, uint32_t seq)
{
	assert_int_equal(nl_finish(m, seq), 0);
	assert_int_equal(send(world.genl[sock][1], m->buf, m->len, 0), m->len);
}

static void ack(unsigned sock, uint32_t seq, int err, const char *words)
{
	unsigned char head[20] = { 0 };
	struct nl_msg m;

	memcpy(head, &err, 4);
	nl_begin(&m, out, sizeof(out), NLMSG_ERROR,
		 NLM_F_CAPPED | NLM_F_ACK_TLVS, head, sizeof(head));
	if (words)
		nl_put_str(&m, NLMSGERR_ATTR_MSG, words);
	say(sock, &m, seq);
}

static void say_family(unsigned sock)
{
	const uint16_t id = FAMILY;
	struct nl_msg m;

	begin(&m, CTRL_CMD_NEWFAMILY);
	nl_put(&m, CTRL_ATTR_FAMILY_ID, &id, sizeof(id));
	say(sock, &m, 1);
	ack(sock, 1, 0, NULL);
}

static void say_index(unsigned sock, uint32_t index)
{
	struct nl_msg m;

	begin(&m, NBD_CMD_CONNECT);
	nl_put_u32(&m, NBD_ATTR_INDEX, index);
	say(sock, &m, 2);
	ack(sock, 2, 0, NULL);
}

/* A list with another device first, as if all had been asked for. */
static void say_status(unsigned sock, uint32_t index, unsigned char connected)
{
	unsigned char other = !connected;
	struct nl_msg m;
	size_t all, one;

	begin(&m, NBD_CMD_STATUS);
	all = nl_nest(&m, NBD_ATTR_DEVICE_LIST);
	one = nl_nest(&m, NBD_DEVICE_ITEM);
	nl_put_u32(&m, NBD_DEVICE_INDEX, index + 1);
	nl_put(&m, NBD_DEVICE_CONNECTED, &other, 1);
	nl_nest_end(&m, one);
	one = nl_nest(&m, NBD_DEVICE_ITEM);
	nl_put_u32(&m, NBD_DEVICE_INDEX, index);
	nl_put(&m, NBD_DEVICE_CONNECTED, &connected, 1);
	nl_nest_end(&m, one);
	nl_nest_end(&m, all);
	say(sock, &m, 2);
	ack(sock, 2, 0, NULL);
}

/* ---- messages to the kernel ---- */

static unsigned char in[16384];

/* The second message on a socket: the command, less its headers. */
static struct nl_reply heard(unsigned sock, unsigned cmd)
{
	struct nl_reply r;
	struct nl_walk w;
	ssize_t n;

	assert_true(recv(world.genl[sock][1], in, sizeof(in), 0) > 0);
	n = recv(world.genl[sock][1], in, sizeof(in), 0);
	assert_true(n > 0);
	w = (struct nl_walk){ in, (size_t)n };
	assert_true(nl_next_msg(&w, &r));
	assert_int_equal(r.type, FAMILY);
	assert_int_equal(r.flags, NLM_F_REQUEST | NLM_F_ACK);
	assert_int_equal(r.data[0], cmd);
	r.data += GENL_HDRLEN;
	r.len -= GENL_HDRLEN;
	return r;
}

static uint64_t num(const struct nl_reply *r, unsigned type, size_t size)
{
	struct nl_attr a;
	uint64_t v;

	if (!nl_find(r->data, r->len, 0, type, &a))
		fail_msg("attribute %u is missing", type);
	assert_int_equal(a.len, size);
	if (size == 4)
		return nl_num(&a);
	memcpy(&v, a.data, 8);
	return v;
}

static const int fds[] = { 11, 12, 13 };
static const struct nbdk_conf conf = {
	.index = 5,
	.size = 0x123456789000,
	.block_size = 4096,
	.server_flags = NBD_FLAG_HAS_FLAGS | NBD_FLAG_CAN_MULTI_CONN,
	.backend = "nbd://h/x",
	.fds = fds,
	.n_fds = 3,
};

static void assert_conf(const struct nl_reply *r)
{
	struct nl_attr a, one, fd;
	struct nl_walk w;
	unsigned n = 0;
	char text[16];

	assert_true(num(r, NBD_ATTR_SIZE_BYTES, 8) == conf.size);
	assert_int_equal(num(r, NBD_ATTR_BLOCK_SIZE_BYTES, 8), 4096);
	assert_int_equal(num(r, NBD_ATTR_SERVER_FLAGS, 8), 0x101);
	assert_int_equal(num(r, NBD_ATTR_TIMEOUT, 8), 0);
	assert_int_equal(num(r, NBD_ATTR_DEAD_CONN_TIMEOUT, 8), 0);
	assert_int_equal(num(r, NBD_ATTR_CLIENT_FLAGS, 8), 0);
	assert_true(
		nl_find(r->data, r->len, 0, NBD_ATTR_BACKEND_IDENTIFIER, &a));
	nl_str(&a, text, sizeof(text));
	assert_string_equal(text, "nbd://h/x");
	assert_true(nl_find(r->data, r->len, 0, NBD_ATTR_SOCKETS, &a));
	w = (struct nl_walk){ a.data, a.len };
	for (; nl_next(&w, &one); n++) {
		assert_int_equal(one.type, NBD_SOCK_ITEM);
		assert_true(nl_find(one.data, one.len, 0, NBD_SOCK_FD, &fd));
		assert_int_equal(nl_num(&fd), fds[n]);
	}
	assert_int_equal(n, 3);
}

static void connecting_hands_everything_over(void **state)
{
	struct nl_reply r;

	(void)state;
	say_family(0);
	say_index(0, 5);
	assert_int_equal(nbdk_connect(&conf, &diag), 5);
	r = heard(0, NBD_CMD_CONNECT);
	assert_int_equal(num(&r, NBD_ATTR_INDEX, 4), 5);
	assert_conf(&r);
}

static void the_kernel_chooses_a_device_if_none_is_named(void **state)
{
	struct nbdk_conf c = conf;
	struct nl_reply r;
	struct nl_attr a;

	(void)state;
	c.index = -1;
	say_family(0);
	say_index(0, 9);
	assert_int_equal(nbdk_connect(&c, &diag), 9);
	r = heard(0, NBD_CMD_CONNECT);
	assert_false(nl_find(r.data, r.len, 0, NBD_ATTR_INDEX, &a));
	/* and must say which */
	say_family(1);
	ack(1, 2, 0, NULL);
	assert_int_equal(nbdk_connect(&c, &diag), NBD_E_KERNEL);
}

static void as_many_connections_as_are_allowed_fit_in_the_message(void **state)
{
	static int many[CONFIG_PORT_MAX_CONNECTIONS];
	static char uri[NBDK_BACKEND_MAX + 1];
	struct nbdk_conf c = conf;
	struct nl_reply r;
	struct nl_attr a;

	(void)state;
	memset(uri, 'u', sizeof(uri) - 1);
	c.fds = many;
	c.n_fds = CONFIG_PORT_MAX_CONNECTIONS;
	c.backend = uri;
	say_family(0);
	say_index(0, 5);
	assert_int_equal(nbdk_connect(&c, &diag), 5);
	r = heard(0, NBD_CMD_CONNECT);
	assert_true(nl_find(r.data, r.len, 0, NBD_ATTR_BACKEND_IDENTIFIER, &a));
	assert_int_equal(a.len, sizeof(uri));
}

/* Whole or not at all: a part of it would be another server's. */
static void a_backend_that_is_too_long_is_never_sent_cut(void **state)
{
	static char uri[2 * NBDK_BACKEND_MAX];
	struct nbdk_conf c = conf;

	(void)state;
	memset(uri, 'u', sizeof(uri) - 1);
	c.backend = uri;
	say_family(0);
	assert_int_equal(nbdk_connect(&c, &diag), NBD_E_NO_MEMORY);
	assert_string_equal(diag.text, "connect nbd5: the request is too long");
	say_family(1);
	assert_int_equal(nbdk_reconfigure(&c, &diag), NBD_E_NO_MEMORY);
	for (unsigned i = 0; i < 2; i++) {
		/* it asked for the family, and that was all */
		assert_true(recv(world.genl[i][1], in, sizeof(in), 0) > 0);
		assert_int_equal(recv(world.genl[i][1], in, sizeof(in),
				      MSG_DONTWAIT),
				 0);
	}
}

static void several_connections_need_the_servers_consent(void **state)
{
	struct nbdk_conf c = conf;

	(void)state;
	c.server_flags = NBD_FLAG_HAS_FLAGS;
	assert_int_equal(nbdk_connect(&c, &diag), NBD_E_MULTI_CONN);
	assert_int_equal(world.genl_opened, 0);
}

static void a_kernel_without_the_driver_is_told_apart(void **state)
{
	(void)state;
	ack(0, 1, -ENOENT, NULL);
	assert_int_equal(nbdk_connect(&conf, &diag), NBD_E_NO_DRIVER);
	assert_non_null(strstr(diag.text, "load the module nbd"));
}

static void refusals_are_passed_on_with_their_words(void **state)
{
	struct nbdk_conf c = conf;

	(void)state;
	say_family(0);
	ack(0, 2, -EINVAL, "attribute is bad");
	assert_int_equal(nbdk_connect(&conf, &diag), NBD_E_KERNEL);
	assert_string_equal(
		diag.text, "connect nbd5: Invalid argument (attribute is bad)");
	say_family(1);
	ack(1, 2, -EPERM, NULL);
	assert_int_equal(nbdk_connect(&conf, &diag), NBD_E_PERM);
	say_family(2);
	ack(2, 2, -EBUSY, NULL);
	assert_int_equal(nbdk_connect(&conf, &diag), NBD_E_IN_USE);
	assert_non_null(strstr(diag.text, "nbd5 is connected already"));
	c.index = -1;
	say_family(3);
	ack(3, 2, -ENOMEM, NULL);
	assert_int_equal(nbdk_connect(&c, &diag), NBD_E_NO_MEMORY);
	assert_string_equal(diag.text,
			    "connect an nbd device: Cannot allocate memory");
}

static void reconfiguring_sends_the_same_settings(void **state)
{
	struct nl_reply r;

	(void)state;
	say_family(0);
	ack(0, 2, 0, NULL);
	assert_int_equal(nbdk_reconfigure(&conf, &diag), 0);
	r = heard(0, NBD_CMD_RECONFIGURE);
	assert_int_equal(num(&r, NBD_ATTR_INDEX, 4), 5);
	assert_conf(&r);
}

static void what_is_kept_is_not_sent(void **state)
{
	static const struct nbdk_conf keep = {
		.index = 5,
		.size = NBDK_KEEP,
		.timeout = NBDK_KEEP,
		.dead_timeout = NBDK_KEEP,
		.client_flags = NBDK_KEEP,
		.backend = "nbd://h/x",
		.fds = fds,
		.n_fds = 1,
	};
	static const unsigned kept[] = { NBD_ATTR_SIZE_BYTES,
					 NBD_ATTR_BLOCK_SIZE_BYTES,
					 NBD_ATTR_TIMEOUT,
					 NBD_ATTR_DEAD_CONN_TIMEOUT,
					 NBD_ATTR_CLIENT_FLAGS };
	struct nbdk_conf c = keep;
	struct nl_reply r;
	struct nl_attr a;

	(void)state;
	say_family(0);
	ack(0, 2, 0, NULL);
	assert_int_equal(nbdk_reconfigure(&keep, &diag), 0);
	r = heard(0, NBD_CMD_RECONFIGURE);
	assert_int_equal(num(&r, NBD_ATTR_INDEX, 4), 5);
	for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (nl_find(r.data, r.len, 0, kept[i], &a))
			fail_msg("attribute %u was sent", kept[i]);
	/* without which the driver refuses */
	assert_true(nl_find(r.data, r.len, 0, NBD_ATTR_BACKEND_IDENTIFIER, &a));
	assert_true(nl_find(r.data, r.len, 0, NBD_ATTR_SOCKETS, &a));
	/* 0 is a value, and each is kept for itself */
	c.size = 1 << 20;
	c.client_flags = 0;
	say_family(1);
	ack(1, 2, 0, NULL);
	assert_int_equal(nbdk_reconfigure(&c, &diag), 0);
	r = heard(1, NBD_CMD_RECONFIGURE);
	assert_int_equal(num(&r, NBD_ATTR_SIZE_BYTES, 8), 1 << 20);
	assert_int_equal(num(&r, NBD_ATTR_CLIENT_FLAGS, 8), 0);
	assert_false(nl_find(r.data, r.len, 0, NBD_ATTR_TIMEOUT, &a));
}

static void the_status_is_that_of_the_device_asked_for(void **state)
{
	bool on = false;

	(void)state;
	say_family(0);
	say_status(0, 3, 1);
	assert_int_equal(nbdk_status(3, &on, &diag), 0);
	assert_true(on);
	say_family(1);
	say_status(1, 3, 0);
	assert_int_equal(nbdk_status(3, &on, &diag), 0);
	assert_false(on);
	say_family(2);
	say_status(2, 7, 1);
	assert_int_equal(nbdk_status(3, &on, &diag), NBD_E_NO_DEVICE);
	assert_string_equal(diag.text, "there is no nbd3");
}

static void only_what_is_connected_is_disconnected(void **state)
{
	struct nl_reply r;

	(void)state;
	say_family(0);
	say_status(0, 3, 0);
	assert_int_equal(nbdk_disconnect(3, &diag), NBD_E_NO_DEVICE);
	assert_string_equal(diag.text, "nbd3 is not connected");
	say_family(1);
	say_status(1, 3, 1);
	say_family(2);
	ack(2, 2, 0, NULL);
	assert_int_equal(nbdk_disconnect(3, &diag), 0);
	r = heard(2, NBD_CMD_DISCONNECT);
	assert_int_equal(num(&r, NBD_ATTR_INDEX, 4), 3);
}

static void only_whole_devices_have_a_name(void **state)
{
	static const char *const bad[] = {
		"",	    "nbd",	  "nbd0p1",	   "nbd-1",
		"nbd00",    "nbd 1",	  "/dev/nbd",	   "/dev/sda",
		"dev/nbd0", "nbd1048576", "nbd4294967296", "NBD0",
	};

	(void)state;
	assert_int_equal(nbdk_parse_name("nbd0"), 0);
	assert_int_equal(nbdk_parse_name("/dev/nbd15"), 15);
	assert_int_equal(nbdk_parse_name("nbd1048575"), 1048575);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (nbdk_parse_name(bad[i]) != NBD_E_USAGE)
			fail_msg("taken: \"%s\"", bad[i]);
}

static void a_partition_stands_for_its_device(void **state)
{
	static const char *const bad[] = { "/dev/nbd12p",
					   "/dev/nbd12p0",
					   "nbd12p256",
					   "/dev/nbd1p2p3",
					   "pipe",
					   "",
					   "nbd00000000000000000001p1" };
	unsigned part = 7;

	(void)state;
	assert_int_equal(nbdk_parse_part("nbd12", NULL), 12);
	assert_int_equal(nbdk_parse_part("/dev/nbd12p3", NULL), 12);
	assert_int_equal(nbdk_parse_part("/dev/nbd12", &part), 12);
	assert_int_equal(part, 0);
	assert_int_equal(nbdk_parse_part("nbd12p255", &part), 12);
	assert_int_equal(part, 255);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (nbdk_parse_part(bad[i], &part) != NBD_E_USAGE)
			fail_msg("taken: \"%s\"", bad[i]);
}

/* ---- sysfs ---- */

static char root[64];

static void put(const char *name, const char *text)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int make_tree(void **state)
{
	(void)state;
	strcpy(root, "/tmp/test_nbdk.XXXXXX");
	nbdk_sys = root;
	return mkdtemp(root) ? 0 : -1;
}

static void last_close(void)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/nbd3/pid", root);
	assert_int_equal(unlink(path), 0);
}

static int drop_tree(void **state)
{
	char cmd[100];

	(void)state;
	nbdk_sys = "/sys/block";
	snprintf(cmd, sizeof(cmd), "rm -rf %s", root);
	return system(cmd);
}

static void a_device_is_described_by_its_files(void **state)
{
	struct nbdk_info i;

	(void)state;
	put("nbd4/size", "131072\n");
	put("nbd4/queue/logical_block_size", "4096\n");
	put("nbd4/queue/io_timeout", "30000\n");
	put("nbd4/ro", "1\n");
	put("nbd4/pid", "77\n");
	put("nbd4/mq/0/cpu_list", "0\n");
	put("nbd4/mq/1/cpu_list", "1\n");
	put("nbd4/backend", "nbd://h/a\nb\n");
	assert_int_equal(nbdk_info(4, &i), 0);
	assert_true(i.connected && i.read_only && i.index == 4);
	assert_int_equal(i.size, 64 << 20);
	assert_int_equal(i.block_size, 4096);
	assert_int_equal(i.io_timeout, 30000);
	assert_int_equal(i.pid, 77);
	assert_int_equal(i.connections, 2);
	assert_string_equal(i.backend, "nbd://h/a\nb");
}

static void reads_are_counted_apart(void **state)
{
	unsigned waiting = 4711;

	(void)state;
	put("nbd4/stat", "  101   2  303  404  505  6  707  808  9 10 11\n");
	put("nbd4/inflight", "       3        5\n");
	assert_int_equal(nbdk_reads(4, &waiting), 101);
	assert_int_equal(waiting, 3);
	assert_int_equal(nbdk_answered(4, &waiting), 101 + 505);
	assert_int_equal(waiting, 9);
	assert_int_equal(nbdk_reads(5, &waiting), 0);
	assert_int_equal(waiting, 0);
}

static void an_idle_device_has_no_connections(void **state)
{
	struct nbdk_info i;

	(void)state;
	put("nbd0/size", "0\n");
	put("nbd0/mq/0/cpu_list", "0\n");
	assert_int_equal(nbdk_info(0, &i), 0);
	assert_false(i.connected);
	assert_int_equal(i.connections, 0);
	assert_string_equal(i.backend, "");
	assert_int_equal(nbdk_info(1, &i), NBD_E_NO_DEVICE);
}

/* The driver's state shows which values it got. */
static void the_flags_are_read_off_the_queue(void **state)
{
	(void)state;
	put("nbd4/queue/write_cache", "write back\n");
	put("nbd4/queue/fua", "1\n");
	put("nbd4/queue/discard_max_bytes", "4294966784\n");
	assert_int_equal(nbdk_flags(4), NBD_FLAG_SEND_FLUSH |
						NBD_FLAG_SEND_FUA |
						NBD_FLAG_SEND_TRIM);
	put("nbd4/queue/write_cache", "write through\n");
	assert_int_equal(nbdk_flags(4), NBD_FLAG_SEND_FUA | NBD_FLAG_SEND_TRIM);
	put("nbd4/queue/discard_max_bytes", "0\n");
	assert_int_equal(nbdk_flags(4), NBD_FLAG_SEND_FUA);
	put("nbd4/queue/fua", "0\n");
	assert_int_equal(nbdk_flags(4), 0);
	put("nbd4/queue/write_cache", "write back\n");
	assert_int_equal(nbdk_flags(4), NBD_FLAG_SEND_FLUSH);
	/* nothing known is nothing to rely on */
	assert_int_equal(nbdk_flags(5), 0);
}

static void a_device_that_is_merely_open_is_not_called_connected(void **state)
{
	(void)state;
	put("nbd5/size", "0\n");
	open_pairs(NULL);
	/* each look at the clock is a second and a half later */
	world.step = 1500;
	for (unsigned i = 0; i < 2; i++) {
		say_family(i);
		ack(i, 2, -EBUSY, NULL);
	}
	assert_int_equal(nbdk_connect(&conf, &diag), NBD_E_IN_USE);
	assert_string_equal(diag.text, "nbd5 is held open by another program");
	close_pairs(NULL);
}

static void a_signal_ends_the_wait_for_a_device_that_is_open(void **state)
{
	struct nbdk_conf c = conf;
	int stop[2];

	(void)state;
	put("nbd5/size", "0\n");
	open_pairs(NULL);
	world.step = 0;
	assert_int_equal(pipe(stop), 0);
	assert_int_equal(write(stop[1], "s", 1), 1);
	c.stop = stop[0];
	say_family(0);
	ack(0, 2, -EBUSY, NULL);
	assert_int_equal(nbdk_connect(&c, &diag), NBD_E_IN_USE);
	close(stop[0]);
	close(stop[1]);
	close_pairs(NULL);
}

/* As udev does it when a device was disconnected. */
static void a_device_that_is_open_for_a_moment_is_waited_for(void **state)
{
	(void)state;
	put("nbd5/size", "0\n");
	open_pairs(NULL);
	world.step = 0;
	for (unsigned i = 0; i < 3; i++) {
		say_family(i);
		if (i < 2)
			ack(i, 2, -EBUSY, NULL);
		else
			say_index(i, 5);
	}
	assert_int_equal(nbdk_connect(&conf, &diag), 5);
	assert_int_equal(world.genl_opened, 3);
	close_pairs(NULL);
}

static void an_open_device_is_not_taken_for_a_connected_one(void **state)
{
	bool on = true;

	(void)state;
	put("nbd3/size", "0\n");
	open_pairs(NULL);
	say_family(0);
	say_status(0, 3, 1);
	assert_int_equal(nbdk_status(3, &on, &diag), 0);
	assert_false(on);
	put("nbd3/pid", "77\n");
	say_family(1);
	say_status(1, 3, 1);
	assert_int_equal(nbdk_status(3, &on, &diag), 0);
	assert_true(on);
	close_pairs(NULL);
}

/* Disconnects nbd3; returns how often the clock was read. */
static unsigned looks_of_disconnect(void)
{
	put("nbd3/size", "8\n");
	put("nbd3/pid", "77\n");
	open_pairs(NULL);
	say_family(0);
	say_status(0, 3, 1);
	say_family(1);
	ack(1, 2, 0, NULL);
	looks = 0;
	world.look = look;
	assert_int_equal(nbdk_disconnect(3, &diag), 0);
	close_pairs(NULL);
	return looks;
}

static void what_has_a_disconnected_device_open_is_waited_for(void **state)
{
	(void)state;
	world.step = 0;
	closed_at = 4;
	assert_int_equal(looks_of_disconnect(), 4);
	closed_at = 0;
	/* but not for ever */
	world.step = 500;
	assert_in_range(looks_of_disconnect(), 2, 6);
}

/* ---- a device that nobody uses ---- */

static const char *user; /* NULL: none is found */
static int alone;	 /* what opening it exclusively returns, if not 0 */
static int claims;	 /* how often that fails before */
static bool others;	 /* others have it open */
static int user_but;
static int at_open;		     /* a signal that comes then */
static volatile sig_atomic_t raised; /* sockets opened when it was taken */

static void note_signal(int signal)
{
	(void)signal;
	raised = (sig_atomic_t)world.genl_opened;
}

int __wrap_nbdk_open_alone(int index, struct nbd_diag *d);
int __wrap_nbdk_open_alone(int index, struct nbd_diag *d)
{
	(void)d;
	assert_int_equal(index, 3);
	if (claims && claims--)
		return NBD_E_IN_USE;
	if (alone < 0)
		return alone;
	if (at_open)
		raise(at_open);
	/* as the driver does it, a moment later */
	if (!others)
		last_close();
	return open("/dev/null", O_RDONLY);
}

enum nbdk_use __wrap_nbdk_user(int index, int but, char text[NBDK_USER_MAX]);
enum nbdk_use __wrap_nbdk_user(int index, int but, char text[NBDK_USER_MAX])
{
	(void)index;
	user_but = but;
	strcpy(text, user ? user : "");
	return !user			       ? NBDK_UNUSED
	       : strncmp(user, "the mount", 9) ? NBDK_OPEN
					       : NBDK_CLAIMED;
}

void __wrap_nbdk_drop_partitions(int index);
void __wrap_nbdk_drop_partitions(int index)
{
	assert_int_equal(index, 3);
}

/* nbd3 is connected; what the driver says to the commands behind the status */
static void begin_release(unsigned n, int answer)
{
	put("nbd3/size", "8\n");
	put("nbd3/pid", "77\n");
	put("nbd3/backend", "nbd://h/x\n");
	open_pairs(NULL);
	user = NULL;
	alone = 0;
	world.step = 0;
	say_family(0);
	say_status(0, 3, 1);
	for (unsigned i = 1; i <= n; i++) {
		say_family(i);
		ack(i, 2, i == 1 ? answer : 0, NULL);
	}
}

static void assert_flags(unsigned sock, uint64_t flags)
{
	struct nl_reply r = heard(sock, NBD_CMD_RECONFIGURE);
	struct nl_attr a;

	assert_int_equal(num(&r, NBD_ATTR_INDEX, 4), 3);
	assert_int_equal(num(&r, NBD_ATTR_CLIENT_FLAGS, 8), flags);
	assert_true(nl_find(r.data, r.len, 0, NBD_ATTR_BACKEND_IDENTIFIER, &a));
	assert_false(nl_find(r.data, r.len, 0, NBD_ATTR_SOCKETS, &a));
}

static void the_driver_disconnects_what_nobody_else_has_open(void **state)
{
	(void)state;
	begin_release(1, 0);
	others = false;
	/* of an O_PATH descriptor the driver knows nothing */
	user = "udevd (pid 5)";
	assert_int_equal(nbdk_release(3, 0, &diag), 0);
	assert_flags(1, NBD_CFLAG_DISCONNECT_ON_CLOSE);
	assert_int_equal(world.genl_opened, 2);
	close_pairs(NULL);
}

static void a_claim_is_waited_for_though_udev_has_it_open(void **state)
{
	(void)state;
	begin_release(1, 0);
	others = false;
	claims = 2;
	user = "udevd (pid 5)";
	assert_int_equal(nbdk_release(3, 2000, &diag), 0);
	assert_int_equal(claims, 0);
	assert_flags(1, NBD_CFLAG_DISCONNECT_ON_CLOSE);
	close_pairs(NULL);
}

static void a_claim_that_stays_ends_the_wait(void **state)
{
	(void)state;
	begin_release(0, 0);
	alone = NBD_E_IN_USE;
	assert_int_equal(nbdk_release(3, 0, &diag), NBD_E_IN_USE);
	assert_non_null(strstr(diag.text, "no process shows it"));
	close_pairs(NULL);
}

static void a_user_is_named_and_keeps_it(void **state)
{
	(void)state;
	begin_release(2, 0);
	others = true;
	user = "qemu (pid 123)";
	assert_int_equal(nbdk_release(3, 0, &diag), NBD_E_IN_USE);
	assert_string_equal(diag.text, "nbd3 is in use by qemu (pid 123)");
	assert_flags(1, NBD_CFLAG_DISCONNECT_ON_CLOSE);
	assert_flags(2, 0);
	close_pairs(NULL);
}

static void a_user_that_is_not_found_keeps_it_too(void **state)
{
	(void)state;
	begin_release(2, 0);
	others = true;
	assert_int_equal(nbdk_release(3, 0, &diag), NBD_E_IN_USE);
	assert_non_null(strstr(diag.text, "no process shows it"));
	close_pairs(NULL);
}

/* In a chroot without /sys nothing shows whose device it is, and its backend. */
static void a_device_is_not_released_without_sysfs(void **state)
{
	(void)state;
	begin_release(1, 0);
	nbdk_sys = "/nowhere";
	assert_int_equal(nbdk_release(3, 0, &diag), NBD_E_NO_DEVICE);
	assert_string_equal(diag.text,
			    "nbd3 is not in /nowhere: is /sys mounted?");
	nbdk_sys = root;
	assert_int_equal(world.genl_opened, 1);
	close_pairs(NULL);
}

static void a_mounted_device_is_not_touched(void **state)
{
	(void)state;
	begin_release(0, 0);
	alone = NBD_E_IN_USE;
	user = "the mount on / (of pid 1)";
	assert_int_equal(nbdk_release(3, 2000, &diag), NBD_E_IN_USE);
	assert_string_equal(diag.text,
			    "nbd3 is in use by the mount on / (of pid 1)");
	assert_int_equal(world.genl_opened, 1);
	close_pairs(NULL);
}

/* Its own process has it open: that in which the driver runs. */
static void
a_device_of_ioctls_is_released_if_no_other_process_is_found(void **state)
{
	struct nl_reply r;

	(void)state;
	begin_release(2, -EINVAL);
	others = true;
	world.step = 1500;
	assert_int_equal(nbdk_release(3, 0, &diag), 0);
	assert_int_equal(user_but, 77);
	r = heard(2, NBD_CMD_DISCONNECT);
	assert_int_equal(num(&r, NBD_ATTR_INDEX, 4), 3);
	close_pairs(NULL);

	begin_release(1, -EINVAL);
	user = "dd (pid 5)";
	assert_int_equal(nbdk_release(3, 0, &diag), NBD_E_IN_USE);
	assert_int_equal(world.genl_opened, 2);
	close_pairs(NULL);
}

static void a_signal_does_not_leave_the_flag_behind(void **state)
{
	(void)state;
	begin_release(2, 0);
	others = true;
	raised = 0;
	signal(SIGTERM, note_signal);
	at_open = SIGTERM;
	assert_int_equal(nbdk_release(3, 0, &diag), NBD_E_IN_USE);
	at_open = 0;
	assert_flags(2, 0);
	assert_int_equal(raised, 3);
	signal(SIGTERM, SIG_DFL);
	close_pairs(NULL);
}

static void devices_come_in_rising_order_however_many_there_are(void **state)
{
	struct nbdk_iter it = { 0 };
	char name[32];

	(void)state;
	assert_int_equal(nbdk_next(&it), NBD_E_NO_DEVICE);
	put("nbdx/size", "");
	put("sda/size", "");
	for (int i = 299; i >= 0; i--) {
		snprintf(name, sizeof(name), "nbd%d/size", i * 7 % 300 * 2);
		put(name, "0\n");
	}
	it = (struct nbdk_iter){ 0 };
	for (int i = 0; i < 300; i++)
		assert_int_equal(nbdk_next(&it), i * 2);
	assert_int_equal(nbdk_next(&it), NBD_E_NO_DEVICE);
	assert_int_equal(nbdk_next(&it), NBD_E_NO_DEVICE);
}

#define PAIR(f) cmocka_unit_test_setup_teardown(f, open_pairs, close_pairs)
#define TREE(f) cmocka_unit_test_setup_teardown(f, make_tree, drop_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR(connecting_hands_everything_over),
		PAIR(the_kernel_chooses_a_device_if_none_is_named),
		PAIR(as_many_connections_as_are_allowed_fit_in_the_message),
		PAIR(a_backend_that_is_too_long_is_never_sent_cut),
		PAIR(several_connections_need_the_servers_consent),
		PAIR(a_kernel_without_the_driver_is_told_apart),
		PAIR(refusals_are_passed_on_with_their_words),
		PAIR(reconfiguring_sends_the_same_settings),
		PAIR(what_is_kept_is_not_sent),
		PAIR(the_status_is_that_of_the_device_asked_for),
		PAIR(only_what_is_connected_is_disconnected),
		cmocka_unit_test(only_whole_devices_have_a_name),
		cmocka_unit_test(a_partition_stands_for_its_device),
		TREE(a_device_is_described_by_its_files),
		TREE(reads_are_counted_apart),
		TREE(an_idle_device_has_no_connections),
		TREE(the_flags_are_read_off_the_queue),
		TREE(a_device_that_is_merely_open_is_not_called_connected),
		TREE(a_signal_ends_the_wait_for_a_device_that_is_open),
		TREE(a_device_that_is_open_for_a_moment_is_waited_for),
		TREE(an_open_device_is_not_taken_for_a_connected_one),
		TREE(what_has_a_disconnected_device_open_is_waited_for),
		TREE(the_driver_disconnects_what_nobody_else_has_open),
		TREE(a_claim_is_waited_for_though_udev_has_it_open),
		TREE(a_claim_that_stays_ends_the_wait),
		TREE(a_user_is_named_and_keeps_it),
		TREE(a_user_that_is_not_found_keeps_it_too),
		TREE(a_device_is_not_released_without_sysfs),
		TREE(a_mounted_device_is_not_touched),
		TREE(a_device_of_ioctls_is_released_if_no_other_process_is_found),
		TREE(a_signal_does_not_leave_the_flag_behind),
		TREE(devices_come_in_rising_order_however_many_there_are),
	};

	return cmocka_run_group_tests_name("nbdk", tests, NULL, NULL);
}
