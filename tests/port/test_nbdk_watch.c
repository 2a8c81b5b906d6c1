/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that the driver sends by itself, with a socket pair in the place of the
 * kernel.
 */
#include "port/linux/nbdk_watch.h"
#include "tests/unit.h"
#include "tests/world/genl.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/nbd-netlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#define FAMILY 0x33
#define GROUP  0x44

static struct nbdk_watch w;
static struct nbd_diag diag;
/* What recvmsg() says before it looks at the socket; 0: nothing. */
static int recv_errno[4];
static unsigned recv_at;

ssize_t __real_recvmsg(int fd, struct msghdr *m, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *m, int flags);

ssize_t __wrap_recvmsg(int fd, struct msghdr *m, int flags)
{
	int e = recv_at < ARRAY_SIZE(recv_errno) ? recv_errno[recv_at++] : 0;

	if (!e)
		return __real_recvmsg(fd, m, flags);
	/* it never waits */
	assert_true(flags & MSG_DONTWAIT);
	errno = e;
	return -1;
}

/* ---- what the kernel says ---- */

static unsigned char out[1024];
static size_t out_len;

/* One message more for the next datagram. */
static void add(unsigned family, unsigned cmd, unsigned attr, const void *v,
		size_t len)
{
	const struct genlmsghdr g = { .cmd = (uint8_t)cmd };
	struct nl_msg m;

	nl_begin(&m, out + out_len, sizeof(out) - out_len, family, 0, &g,
		 sizeof(g));
	nl_put(&m, attr, v, len);
	assert_int_equal(nl_finish(&m, 0), 0);
	out_len += m.len;
}

static void flush(void)
{
	assert_int_equal(send(world.genl[0][1], out, out_len, 0), out_len);
	out_len = 0;
}

static void add_dead(uint32_t index)
{
	add(FAMILY, NBD_CMD_LINK_DEAD, NBD_ATTR_INDEX, &index, sizeof(index));
}

static void say_dead(uint32_t index)
{
	add_dead(index);
	flush();
}

static void ack(int err)
{
	unsigned char head[20] = { 0 };
	struct nl_msg m;

	memcpy(head, &err, 4);
	nl_begin(&m, out, sizeof(out), NLMSG_ERROR, NLM_F_CAPPED, head,
		 sizeof(head));
	assert_int_equal(nl_finish(&m, 1), 0);
	assert_int_equal(send(world.genl[0][1], out, m.len, 0), m.len);
}

static void say_family(void)
{
	const struct genlmsghdr g = { .cmd = CTRL_CMD_NEWFAMILY };
	const uint16_t id = FAMILY;
	struct nl_msg m;
	size_t all, one;

	nl_begin(&m, out, sizeof(out), GENL_ID_CTRL, 0, &g, sizeof(g));
	nl_put(&m, CTRL_ATTR_FAMILY_ID, &id, sizeof(id));
	all = nl_nest(&m, CTRL_ATTR_MCAST_GROUPS);
	one = nl_nest(&m, 1);
	nl_put_str(&m, CTRL_ATTR_MCAST_GRP_NAME, NBD_GENL_MCAST_GROUP_NAME);
	nl_put_u32(&m, CTRL_ATTR_MCAST_GRP_ID, GROUP);
	nl_nest_end(&m, one);
	nl_nest_end(&m, all);
	assert_int_equal(nl_finish(&m, 1), 0);
	assert_int_equal(send(world.genl[0][1], out, m.len, 0), m.len);
	ack(0);
}

/* ---- what is heard ---- */

static int heard[16];
static unsigned n_heard;

static void hear(void *ctx, int index)
{
	assert_ptr_equal(ctx, heard);
	assert_true(n_heard < ARRAY_SIZE(heard));
	heard[n_heard++] = index;
}

static int read_all(void)
{
	n_heard = recv_at = 0;
	return nbdk_watch_read(&w, hear, heard);
}

static int open_pair(void **state)
{
	(void)state;
	out_len = 0;
	world_reset();
	memset(&diag, 0, sizeof(diag));
	memset(recv_errno, 0, sizeof(recv_errno));
	return world_genl_open();
}

static int open_watch(void **state)
{
	if (open_pair(state))
		return -1;
	say_family();
	return nbdk_watch_open(&w, &diag);
}

static int close_watch(void **state)
{
	(void)state;
	nbdk_watch_close(&w);
	return world_genl_close();
}

static int close_kernel(void **state)
{
	(void)state;
	return world_genl_close();
}

static void the_drivers_group_is_joined(void **state)
{
	(void)state;
	assert_int_equal(w.family, FAMILY);
	assert_int_equal(world.joined, GROUP);
	assert_int_equal(w.nl.fd, world.genl[0][0]);
}

static void without_the_driver_there_is_nothing_to_join(void **state)
{
	(void)state;
	ack(-ENOENT);
	assert_int_equal(nbdk_watch_open(&w, &diag), NBD_E_NOT_FOUND);
	assert_int_equal(world.joined, 0);
}

static void a_refused_group_is_reported(void **state)
{
	(void)state;
	world.join_error = EPERM;
	say_family();
	assert_int_equal(nbdk_watch_open(&w, &diag), NBD_E_KERNEL);
	assert_string_equal(diag.text, "listen to the nbd driver: "
				       "Operation not permitted");
}

static void deaths_are_reported_in_order(void **state)
{
	(void)state;
	say_dead(0);
	say_dead(7);
	say_dead(7);
	say_dead(1048575);
	assert_int_equal(read_all(), 0);
	assert_int_equal(n_heard, 4);
	assert_int_equal(heard[0], 0);
	assert_int_equal(heard[1], 7);
	assert_int_equal(heard[2], 7);
	assert_int_equal(heard[3], 1048575);
	/* once */
	assert_int_equal(read_all(), 0);
	assert_int_equal(n_heard, 0);
}

static void several_may_share_a_datagram(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= 5; i++)
		add_dead(i);
	flush();
	assert_int_equal(read_all(), 0);
	assert_int_equal(n_heard, 5);
	assert_int_equal(heard[4], 5);
}

static void other_messages_are_passed_over(void **state)
{
	const uint32_t index = 3, negative = 0x80000000u;
	const unsigned char one = 1;

	(void)state;
	add(FAMILY + 1, NBD_CMD_LINK_DEAD, NBD_ATTR_INDEX, &index, 4);
	add(NLMSG_ERROR, NBD_CMD_LINK_DEAD, NBD_ATTR_INDEX, &index, 4);
	add(FAMILY, NBD_CMD_STATUS, NBD_ATTR_INDEX, &index, 4);
	add(FAMILY, NBD_CMD_CONNECT, NBD_ATTR_INDEX, &index, 4);
	add(FAMILY, NBD_CMD_LINK_DEAD, NBD_ATTR_SIZE_BYTES, &index, 4);
	/* no index is that large */
	add(FAMILY, NBD_CMD_LINK_DEAD, NBD_ATTR_INDEX, &negative, 4);
	/* a number of another size is still one */
	add(FAMILY, NBD_CMD_LINK_DEAD, NBD_ATTR_INDEX, &one, 1);
	add_dead(9);
	flush();
	assert_int_equal(read_all(), 0);
	assert_int_equal(n_heard, 2);
	assert_int_equal(heard[0], 1);
	assert_int_equal(heard[1], 9);
}

static void every_truncation_is_nothing_or_a_death(void **state)
{
	size_t len, second;

	(void)state;
	for (size_t n = 1;; n++) {
		out_len = 0;
		add_dead(4);
		second = out_len;
		add_dead(5);
		len = out_len;
		if (n > len)
			break;
		out_len = n;
		flush();
		assert_int_equal(read_all(), 0);
		assert_int_equal(n_heard, n == len ? 2 : n >= second ? 1 : 0);
	}
	/* and what follows is heard */
	out_len = 0;
	say_dead(6);
	assert_int_equal(read_all(), 0);
	assert_int_equal(n_heard, 1);
}

static void no_byte_whatever_its_value_does_harm(void **state)
{
	size_t len;

	(void)state;
	add_dead(4);
	len = out_len;
	for (size_t i = 0; i < len; i++)
		for (unsigned v = 0; v < 256; v++) {
			out_len = 0;
			add_dead(4);
			out[i] = (unsigned char)v;
			flush();
			assert_int_equal(read_all(), 0);
			assert_true(n_heard <= 1);
			if (n_heard)
				assert_true(heard[0] >= 0);
		}
}

static void lost_messages_are_reported_and_the_others_stay(void **state)
{
	(void)state;
	recv_errno[1] = ENOBUFS;
	say_dead(1);
	say_dead(2);
	assert_int_equal(read_all(), NBD_E_NO_MEMORY);
	assert_int_equal(n_heard, 1);
	assert_int_equal(heard[0], 1);
	recv_errno[1] = 0;
	assert_int_equal(read_all(), 0);
	assert_int_equal(n_heard, 1);
	assert_int_equal(heard[0], 2);
}

static void a_signal_loses_nothing(void **state)
{
	(void)state;
	recv_errno[0] = recv_errno[1] = EINTR;
	say_dead(1);
	assert_int_equal(read_all(), 0);
	assert_int_equal(n_heard, 1);
}

static void other_failures_end_it(void **state)
{
	(void)state;
	recv_errno[0] = EBADF;
	assert_int_equal(read_all(), NBD_E_IO);
	assert_int_equal(n_heard, 0);
}

#define WATCH(f) cmocka_unit_test_setup_teardown(f, open_watch, close_watch)
#define FAILS(f) cmocka_unit_test_setup_teardown(f, open_pair, close_kernel)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WATCH(the_drivers_group_is_joined),
		FAILS(without_the_driver_there_is_nothing_to_join),
		FAILS(a_refused_group_is_reported),
		WATCH(deaths_are_reported_in_order),
		WATCH(several_may_share_a_datagram),
		WATCH(other_messages_are_passed_over),
		WATCH(every_truncation_is_nothing_or_a_death),
		WATCH(no_byte_whatever_its_value_does_harm),
		WATCH(lost_messages_are_reported_and_the_others_stay),
		WATCH(a_signal_loses_nothing),
		WATCH(other_failures_end_it),
	};

	return cmocka_run_group_tests_name("nbdk_watch", tests, NULL, NULL);
}
