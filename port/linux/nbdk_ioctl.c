/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver's older interface, ioctls on the device (linux/nbd.h):
 *
 *	sizes, flags, time-out, sockets --> a child in NBD_DO_IT
 *
 * The device is connected as long as the child is in that call.
 */
#include "port/linux/nbdk.h"
#include "port/linux/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nbd.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ms for a child to start, and between two looks at it. */
#define START_MS 5000
#define AGAIN_MS 1

/* The driver counts them in a long, which may have 32 bits. */
static unsigned long blocks_of(const struct nbdk_conf *c)
{
	return (unsigned long)(c->size / c->block_size);
}

/* True: all were accepted; the driver has no device with some of them. */
static bool set_up(int fd, const struct nbdk_conf *c)
{
	bool ok = !ioctl(fd, NBD_CLEAR_SOCK) &&
		  !ioctl(fd, NBD_SET_BLKSIZE, (unsigned long)c->block_size) &&
		  !ioctl(fd, NBD_SET_SIZE_BLOCKS, blocks_of(c)) &&
		  !ioctl(fd, NBD_SET_FLAGS, (unsigned long)c->server_flags) &&
		  !ioctl(fd, NBD_SET_TIMEOUT, (unsigned long)c->timeout);

	for (unsigned i = 0; i < c->n_fds && ok; i++)
		ok = !ioctl(fd, NBD_SET_SOCK, (unsigned long)c->fds[i]);
	return ok;
}

/* It must not hold back the signals that its caller holds back. */
static void serve(int fd)
{
	sigset_t none;

	process_detach(true);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	ioctl(fd, NBD_DO_IT);
	ioctl(fd, NBD_CLEAR_SOCK);
	_exit(0);
}

/*
 * Is it connected, before the child ends?  If not, there is no child then.  The
 * driver shows the child's process ID first, and sets the size a moment later.
 */
static bool started(pid_t child, const struct nbdk_conf *c)
{
	struct pollfd stop = { .fd = c->stop ? c->stop : -1, .events = POLLIN };
	uint64_t end = nbd_now_ms() + START_MS;
	struct nbdk_info info;

	while (!nbdk_info(c->index, &info)) {
		if (info.connected && info.size == c->size)
			return true;
		if (waitpid(child, NULL, WNOHANG))
			return false;
		if (nbd_now_ms() >= end || poll(&stop, 1, AGAIN_MS) > 0)
			break;
	}
	process_stop(&child, SIGKILL);
	return false;
}

int nbdk_connect_ioctl(const struct nbdk_conf *c, struct nbd_diag *d)
{
	char node[24];
	pid_t child = -1;
	int fd;

	if (c->index < 0)
		return nbd_diag(d, NBD_E_USAGE, "ioctls need a device");
	if ((uint64_t)blocks_of(c) * c->block_size != c->size)
		return nbd_diag(d, NBD_E_USAGE,
				"the disk has too many blocks of %u bytes",
				c->block_size);
	nbd_fmt(node, sizeof(node), "/dev/nbd%d", c->index);
	fd = open(node, O_RDWR | O_CLOEXEC);
	if (fd >= 0 && set_up(fd, c))
		child = _Fork();
	if (child == 0)
		serve(fd);
	if (child < 0)
		nbd_diag(d, NBD_E_KERNEL, "%s: %s", node, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (child < 0)
		return NBD_E_KERNEL;
	return started(child, c) ? c->index
				 : nbd_diag(d, NBD_E_KERNEL,
					    "%s: NBD_DO_IT was refused", node);
}
