/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands to the nbd driver over generic netlink. */
#include "port/linux/nbdk.h"
#include "port/linux/netlink.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/nbd.h>
#include <linux/nbd-netlink.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/*
 * ms to wait for a disconnected device to be closed: udev opens it after each
 * disconnect, and the driver does not connect an open device.
 */
#define FREE_MS	 2000
#define AGAIN_MS 20
/* ms between looks whether others have closed a device. */
#define LOOK_MS	 100

/* Bytes: header, ten numbers, two nested levels per socket, the backend. */
#define MSG_MAX (256 + 16 * CONFIG_PORT_MAX_CONNECTIONS + NBDK_BACKEND_MAX)

/* One command: its socket, its message and its answer. */
struct call {
	struct nl_sock s;
	struct nl_msg m;
	unsigned char buf[MSG_MAX];
	char what[32];
	int index;
	int connected; /* -1: not in the answer */
};

/* Opens the driver's netlink family and begins the message cmd. */
static int begin(struct call *call, unsigned cmd, const char *verb, int index,
		 struct nbd_diag *d)
{
	const struct genlmsghdr g = { .cmd = (uint8_t)cmd,
				      .version = NBD_GENL_VERSION };
	int rc = nl_open(&call->s, NETLINK_GENERIC, 0, d);

	if (rc < 0)
		return rc;
	rc = nl_family(&call->s, NBD_GENL_FAMILY_NAME, NULL, NULL, d);
	if (rc == NBD_E_NOT_FOUND)
		rc = nbd_diag(d, NBD_E_NO_DRIVER,
			      "the kernel has no nbd driver: load the module "
			      "nbd (CONFIG_BLK_DEV_NBD)");
	if (rc < 0) {
		nl_close(&call->s);
		return rc;
	}
	if (index < 0)
		nbd_fmt(call->what, sizeof(call->what), "%s an nbd device",
			verb);
	else
		nbd_fmt(call->what, sizeof(call->what), "%s nbd%d", verb,
			index);
	call->index = call->connected = -1;
	nl_begin(&call->m, call->buf, sizeof(call->buf), (unsigned)rc,
		 NLM_F_ACK, &g, sizeof(g));
	if (index >= 0)
		nl_put_u32(&call->m, NBD_ATTR_INDEX, (uint32_t)index);
	return 0;
}

static int finish(struct call *call,
		  void (*fn)(void *ctx, const struct nl_reply *r),
		  struct nbd_diag *d)
{
	int rc = nl_talk(&call->s, &call->m, fn, call, call->what, d);

	nl_close(&call->s);
	/* The driver sends no extended ack: the reason is only in the log. */
	if (rc == NBD_E_KERNEL && call->s.err == EINVAL && !call->s.ext[0])
		return nbd_diag(d, rc, "%s: %s (the kernel's log says why)",
				call->what, strerror(EINVAL));
	return rc;
}

static void put_conf(struct nl_msg *m, const struct nbdk_conf *c)
{
	const struct {
		unsigned type;
		uint64_t v;
	} numbers[] = {
		{ NBD_ATTR_SIZE_BYTES, c->size },
		{ NBD_ATTR_BLOCK_SIZE_BYTES,
		  c->block_size ? c->block_size : NBDK_KEEP },
		{ NBD_ATTR_SERVER_FLAGS, c->server_flags },
		/* always sent, else CONNECT keeps those of the last session */
		{ NBD_ATTR_TIMEOUT, c->timeout },
		{ NBD_ATTR_DEAD_CONN_TIMEOUT, c->dead_timeout },
		{ NBD_ATTR_CLIENT_FLAGS, c->client_flags },
	};
	size_t all, one;

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].v != NBDK_KEEP)
			nl_put_u64(m, numbers[i].type, numbers[i].v);
	if (c->backend)
		nl_put_str(m, NBD_ATTR_BACKEND_IDENTIFIER, c->backend);
	all = nl_nest(m, NBD_ATTR_SOCKETS);
	for (unsigned i = 0; i < c->n_fds; i++) {
		one = nl_nest(m, NBD_SOCK_ITEM);
		nl_put_u32(m, NBD_SOCK_FD, (uint32_t)c->fds[i]);
		nl_nest_end(m, one);
	}
	nl_nest_end(m, all);
}

static void read_index(void *ctx, const struct nl_reply *r)
{
	struct call *call = ctx;
	struct nl_attr a;

	if (nl_find(r->data, r->len, GENL_HDRLEN, NBD_ATTR_INDEX, &a))
		call->index = (int)nl_num(&a);
}

static int check(const struct nbdk_conf *c, struct nbd_diag *d)
{
	if (c->n_fds > 1 && !(c->server_flags & NBD_FLAG_CAN_MULTI_CONN))
		return nbd_diag(d, NBD_E_MULTI_CONN,
				"the server does not allow several "
				"connections to this export");
	return 0;
}

/* True if sysfs shows nbdN without a pid; false without a nbdN in sysfs. */
static bool is_free(int index)
{
	struct nbdk_info info;

	return nbdk_info(index, &info) == 0 && !info.connected;
}

/* Reports which of its two causes the driver's EBUSY has. */
static int busy(int index, struct nbd_diag *d)
{
	char who[NBDK_USER_MAX];

	if (is_free(index))
		return nbd_diag(
			d, NBD_E_IN_USE, "nbd%d is held open by %s", index,
			nbdk_user(index, 0, who) ? who : "another program");
	return nbd_diag(d, NBD_E_IN_USE,
			"nbd%d is connected already: disconnect it or choose "
			"another",
			index);
}

static int connect_once(struct call *call, const struct nbdk_conf *c,
			struct nbd_diag *d)
{
	int rc = begin(call, NBD_CMD_CONNECT, "connect", c->index, d);

	if (rc < 0)
		return rc;
	put_conf(&call->m, c);
	return finish(call, read_index, d);
}

int nbdk_connect(const struct nbdk_conf *c, struct nbd_diag *d)
{
	struct pollfd stop = { .fd = c->stop ? c->stop : -1, .events = POLLIN };
	uint64_t end = nbd_now_ms() + FREE_MS;
	struct call call;
	int rc = check(c, d);

	call.index = -1;
	if (rc == 0)
		rc = connect_once(&call, c, d);
	while (rc == NBD_E_IN_USE && c->index >= 0 && is_free(c->index) &&
	       nbd_now_ms() < end) {
		if (poll(&stop, 1, AGAIN_MS) > 0)
			break;
		rc = connect_once(&call, c, d);
	}
	if (rc == NBD_E_IN_USE && c->index >= 0)
		return busy(c->index, d);
	if (rc < 0)
		return rc;
	if (call.index < 0)
		call.index = c->index;
	if (call.index < 0)
		return nbd_diag(d, NBD_E_KERNEL,
				"connect: the nbd driver did not say which "
				"device it took");
	return call.index;
}

int nbdk_reconfigure(const struct nbdk_conf *c, struct nbd_diag *d)
{
	struct call call;
	int rc = check(c, d);

	if (rc == 0)
		rc = begin(&call, NBD_CMD_RECONFIGURE, "reconfigure", c->index,
			   d);
	if (rc < 0)
		return rc;
	put_conf(&call.m, c);
	return finish(&call, NULL, d);
}

/* ATTR_DEVICE_LIST { DEVICE_ITEM { INDEX, CONNECTED } ... } */
static void read_status(void *ctx, const struct nl_reply *r)
{
	struct call *call = ctx;
	struct nl_attr list, item, a;
	struct nl_walk w;

	if (!nl_find(r->data, r->len, GENL_HDRLEN, NBD_ATTR_DEVICE_LIST, &list))
		return;
	w = (struct nl_walk){ list.data, list.len };
	while (nl_next(&w, &item)) {
		if (!nl_find(item.data, item.len, 0, NBD_DEVICE_INDEX, &a) ||
		    (int)nl_num(&a) != call->index)
			continue;
		if (nl_find(item.data, item.len, 0, NBD_DEVICE_CONNECTED, &a))
			call->connected = nl_num(&a) != 0;
	}
}

int nbdk_status(int index, bool *connected, struct nbd_diag *d)
{
	struct call call;
	int rc = begin(&call, NBD_CMD_STATUS, "query", index, d);

	if (rc < 0)
		return rc;
	call.index = index;
	rc = finish(&call, read_status, d);
	if (rc < 0)
		return rc;
	if (call.connected < 0)
		return nbd_diag(d, NBD_E_NO_DEVICE, "there is no nbd%d", index);
	/* the driver also reports "connected" while only udev has it open */
	*connected = call.connected && !is_free(index);
	return 0;
}

/*
 * sysfs shows the device as connected, and the driver does not connect it again,
 * as long as somebody has it open: udev for a moment, or the child of
 * nbdk_connect_ioctl() until it has ended.
 */
static void await_free(int index)
{
	uint64_t end = nbd_now_ms() + FREE_MS;
	struct nbdk_info info;

	while (!nbdk_info(index, &info) && info.connected && nbd_now_ms() < end)
		poll(NULL, 0, AGAIN_MS);
}

static int check_connected(int index, struct nbd_diag *d)
{
	bool connected = false;
	int rc = nbdk_status(index, &connected, d);

	/* The driver would report success. */
	return rc < 0 || connected ? rc
				   : nbd_diag(d, NBD_E_NO_DEVICE,
					      "nbd%d is not connected", index);
}

static int disconnect(int index, struct nbd_diag *d)
{
	struct call call;
	int rc = begin(&call, NBD_CMD_DISCONNECT, "disconnect", index, d);

	return rc < 0 ? rc : finish(&call, NULL, d);
}

static int leave(int index, int rc)
{
	if (rc < 0)
		return rc;
	await_free(index);
	nbdk_drop_partitions(index);
	return rc;
}

int nbdk_disconnect(int index, struct nbd_diag *d)
{
	int rc = check_connected(index, d);

	return rc < 0 ? rc : leave(index, disconnect(index, d));
}

/* ---- a device that is not in use ---- */

static int set_client_flags(const struct nbdk_info *info, uint64_t flags,
			    struct nbd_diag *d)
{
	struct call call;
	int rc = begin(&call, NBD_CMD_RECONFIGURE, "reconfigure", info->index,
		       d);

	if (rc < 0)
		return rc;
	/* without it the driver refuses */
	if (info->backend[0])
		nl_put_str(&call.m, NBD_ATTR_BACKEND_IDENTIFIER, info->backend);
	nl_put_u64(&call.m, NBD_ATTR_CLIENT_FLAGS, flags);
	return finish(&call, NULL, d);
}

/* NBD_E_IN_USE, by any process but one. */
static int check_users(int index, int but, bool sure, struct nbd_diag *d)
{
	char who[NBDK_USER_MAX];

	if (nbdk_user(index, but, who))
		return nbd_diag(d, NBD_E_IN_USE, "nbd%d is in use by %s", index,
				who);
	return sure ? nbd_diag(d, NBD_E_IN_USE,
			       "nbd%d is in use, but no process shows it: by a "
			       "part of the kernel, or as mapped memory",
			       index)
		    : NBD_OK;
}

static bool is_gone(int index)
{
	struct nbdk_info info;

	return nbdk_info(index, &info) || !info.connected;
}

/*
 * Closes the device.  The driver disconnects it then, unless somebody else has
 * it open: it counts all opens, and under its lock nobody can add one.
 */
static int close_last(const struct nbdk_info *info, int fd, struct nbd_diag *d)
{
	int rc = set_client_flags(info, NBD_CFLAG_DISCONNECT_ON_CLOSE, d);

	close(fd);
	/* A device of ioctls has no such flag, and its process has it open. */
	if (rc < 0) {
		rc = check_users(info->index, info->pid, false, d);
		return rc < 0 ? rc : disconnect(info->index, d);
	}
	if (is_gone(info->index))
		return NBD_OK;
	set_client_flags(info, 0, NULL);
	return is_gone(info->index) ? NBD_OK
				    : check_users(info->index, 0, true, d);
}

/*
 * The kernel claims a device for itself while it looks for partitions, and udev
 * may have it open meanwhile.
 */
static int open_alone(int index, uint64_t end, struct nbd_diag *d)
{
	char who[NBDK_USER_MAX];
	int fd;

	while ((fd = nbdk_open_alone(index, d)) == NBD_E_IN_USE) {
		if (nbd_now_ms() >= end ||
		    nbdk_user(index, 0, who) == NBDK_CLAIMED)
			return check_users(index, 0, true, d);
		poll(NULL, 0, LOOK_MS);
	}
	return fd;
}

int nbdk_release(int index, unsigned ms, struct nbd_diag *d)
{
	uint64_t end = nbd_now_ms() + ms;
	int rc = check_connected(index, d), fd;
	struct nbdk_info info;
	sigset_t all, before;

	if (rc < 0)
		return rc;
	if (nbdk_info(index, &info))
		return nbd_diag(d, NBD_E_NO_DEVICE,
				"nbd%d is not in %s: is /sys mounted?", index,
				nbdk_sys);
	/* a signal must not end this process while the flag is set */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	for (;;) {
		fd = open_alone(index, end, d);
		nbdk_info(index, &info);
		rc = fd < 0 ? fd : close_last(&info, fd, d);
		if (fd < 0 || rc != NBD_E_IN_USE || nbd_now_ms() >= end)
			break;
		poll(NULL, 0, LOOK_MS);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return leave(index, rc);
}
