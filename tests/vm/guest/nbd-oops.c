/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces a dead connection of nbd0 while the driver's thread that reads from
 * it is still inside the old socket: see ../nbd-oops.md.  For a machine with
 * one CPU, which crashes.  Needs nothing but the driver: both ends of each
 * connection are here, and nobody serves.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/genetlink.h>
#include <linux/nbd-netlink.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HEAD  sizeof(struct nlattr)
#define FLAGS (1 | 1 << 8) /* NBD_FLAG_HAS_FLAGS, NBD_FLAG_CAN_MULTI_CONN */

static char msg[1024], reply[4096];
static int family = GENL_ID_CTRL, nl;

static void put(int type, const void *data, size_t len)
{
	struct nlmsghdr *h = (void *)msg;
	struct nlattr *a = (void *)(msg + h->nlmsg_len);

	a->nla_type = (uint16_t)type;
	a->nla_len = (uint16_t)(HEAD + len);
	memcpy((char *)a + HEAD, data, len);
	h->nlmsg_len += (uint32_t)NLA_ALIGN(a->nla_len);
}

static void put64(int type, uint64_t value)
{
	put(type, &value, sizeof(value));
}

static void begin(int command)
{
	struct genlmsghdr g = { .cmd = (uint8_t)command, .version = 1 };

	memset(msg, 0, sizeof(msg));
	memcpy(msg + NLMSG_HDRLEN, &g, sizeof(g));
	((struct nlmsghdr *)msg)->nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN;
}

static void put_sockets(const int fd[], int n)
{
	char items[64] = "", *p = items;

	for (int i = 0; i < n; i++, p += 12) {
		struct nlattr item = { 12, NBD_SOCK_ITEM | NLA_F_NESTED };
		struct nlattr a = { 8, NBD_SOCK_FD };

		memcpy(p, &item, 4);
		memcpy(p + 4, &a, 4);
		memcpy(p + 8, &fd[i], 4);
	}
	put(NBD_ATTR_SOCKETS | NLA_F_NESTED, items, (size_t)(p - items));
}

static void call(const char *what)
{
	struct nlmsghdr *h = (void *)msg, *r = (void *)reply;

	h->nlmsg_type = (uint16_t)family;
	h->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	if (send(nl, msg, h->nlmsg_len, 0) < 0 ||
	    recv(nl, reply, sizeof(reply), 0) < 0)
		err(1, "%s", what);
	if (r->nlmsg_type == NLMSG_ERROR && *(int *)NLMSG_DATA(r))
		errx(1, "%s: %s", what, strerror(-*(int *)NLMSG_DATA(r)));
}

/* The family's id is in the reply. */
static void find_family(void)
{
	char *p = reply + NLMSG_HDRLEN + GENL_HDRLEN;
	struct nlattr *a;

	begin(CTRL_CMD_GETFAMILY);
	put(CTRL_ATTR_FAMILY_NAME, "nbd", 4);
	call("nbd");
	while ((a = (void *)p)->nla_type != CTRL_ATTR_FAMILY_ID)
		p += NLA_ALIGN(a->nla_len);
	family = *(uint16_t *)(p + HEAD);
	/* the acknowledgement */
	recv(nl, reply, sizeof(reply), 0);
}

/* How many threads read from connections. */
static int readers(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	int n = 0;

	while ((e = readdir(proc))) {
		char path[300], name[64] = "";
		int fd;

		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		n += read(fd, name, sizeof(name) - 1) > 0 &&
		     strstr(name, "nbd0-recv") && strchr(name, '+');
		close(fd);
	}
	closedir(proc);
	return n;
}

static void set(const char *file, const char *value)
{
	int fd = open(file, O_WRONLY);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		err(1, "%s", file);
	close(fd);
}

int main(void)
{
	int a[2], b[2], c[2], both[2], disk;
	struct sched_param first = { .sched_priority = 50 };
	aio_context_t aio = 0;
	void *page = NULL;
	struct iocb io = { .aio_lio_opcode = IOCB_CMD_PREAD,
			   .aio_nbytes = 4096 };
	struct iocb *list[] = { &io };
	uint32_t index = 0;

	nl = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	find_family();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, a) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, b) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, c))
		err(1, "socketpair");
	both[0] = a[0];
	both[1] = b[0];
	begin(NBD_CMD_CONNECT);
	put(NBD_ATTR_INDEX, &index, sizeof(index));
	put64(NBD_ATTR_SIZE_BYTES, 1 << 20);
	put64(NBD_ATTR_SERVER_FLAGS, FLAGS);
	put64(NBD_ATTR_DEAD_CONN_TIMEOUT, 60);
	put_sockets(both, 2);
	call("CONNECT");
	recv(nl, reply, sizeof(reply), MSG_DONTWAIT);
	/* so that this process sends its request itself */
	set("/sys/block/nbd0/queue/scheduler", "none");
	disk = open("/dev/nbd0", O_RDONLY | O_DIRECT);
	if (disk < 0 || posix_memalign(&page, 4096, 4096) ||
	    syscall(SYS_io_setup, 1, &aio))
		err(1, "/dev/nbd0");
	io.aio_fildes = (uint32_t)disk;
	io.aio_buf = (uintptr_t)page;
	while (readers() < 2)
		usleep(10000);
	puts("both connections are read from");
	fflush(stdout);

	/* from here on no other process runs */
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		err(1, "SCHED_FIFO");
	close(a[1]);
	/* sending to it fails, so the driver marks the connection dead */
	if (syscall(SYS_io_submit, aio, 1, list) != 1)
		err(1, "io_submit");
	begin(NBD_CMD_RECONFIGURE);
	put(NBD_ATTR_INDEX, &index, sizeof(index));
	put_sockets(c, 1);
	call("RECONFIGURE");
	/* the driver has put the socket, and this is the last reference */
	close(a[0]);

	first.sched_priority = 0;
	sched_setscheduler(0, SCHED_OTHER, &first);
	sleep(2);
	puts("still alive");
	return 0;
}
