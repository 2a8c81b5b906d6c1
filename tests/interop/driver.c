/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot with a driver that is played, for commands that connect a device:
 *
 *	CONNECT --> the sockets --> the first open: reads the first blocks
 *
 * As the real one it fails a connection that sends nonsense, is closed, or
 * leaves a request without an answer, and its open then sleeps until the device
 * is disconnected.  An error that the server sends is passed on.
 *
 * With $BACKEND there is a nbd0 that such a text identifies (backend.h), whose
 * connections are all dead, or with $LIVE all but one; once that is ended, there
 * is "ended" in $RUN until another is handed over.  Those that are handed over
 * live until they are closed.  $RUN is in place of /run; "backend" in it is the text of the last
 * device that was connected.
 */
#include "boot/device/settle.h"
#include "boot/device/slots.h"
#include "boot/device/tune.h"
#include "core/nbd.h"
#include "port/linux/file.h"
#include "port/linux/nbdk_watch.h"
#include "port/linux/sockdiag.h"

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define SIZE (16u << 20)

/* The requests of a scan for partitions, and their length. */
#define READS 4
#define LEN   4096u

/* Shared by nbdboot and its children. */
static struct driver {
	atomic_bool dead, gone;
	int fd;
	int timeout; /* ms */
} * driver;

/* ---- commands ---- */

int __wrap_nbdk_status(int index, bool *connected, struct nbd_diag *d);
int __wrap_nbdk_status(int index, bool *connected, struct nbd_diag *d)
{
	(void)index, (void)d;
	*connected = false;
	return 0;
}

int __wrap_file_run(void);
int __wrap_file_run(void)
{
	const char *run = getenv("RUN");

	return run ? open(run, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
}

int __wrap_nbdk_connect(const struct nbdk_conf *c, struct nbd_diag *d);
int __wrap_nbdk_connect(const struct nbdk_conf *c, struct nbd_diag *d)
{
	(void)d;
	/* nobody reads it but test_faults.sh, for $BACKEND */
	file_write(__wrap_file_run(), "backend", c->backend,
		   strlen(c->backend));
	driver = mmap(NULL, sizeof(*driver), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (driver == MAP_FAILED)
		return NBD_E_NO_MEMORY;
	driver->fd = dup(c->fds[0]);
	driver->timeout = (int)c->timeout * 1000;
	return 0;
}

/* No request is long: see read_block(). */
int __wrap_device_limit_set(int index, uint32_t max, struct nbd_diag *d);
int __wrap_device_limit_set(int index, uint32_t max, struct nbd_diag *d)
{
	(void)index, (void)max, (void)d;
	return 0;
}

/* The connections of nbd0. */
static int links[8];
static unsigned n_links;

int __wrap_nbdk_reconfigure(const struct nbdk_conf *c, struct nbd_diag *d);
int __wrap_nbdk_reconfigure(const struct nbdk_conf *c, struct nbd_diag *d)
{
	(void)d;
	for (unsigned i = 0; i < c->n_fds && n_links < 8; i++)
		links[n_links++] = dup(c->fds[i]);
	if (c->n_fds)
		unlinkat(__wrap_file_run(), "ended", 0);
	return 0;
}

int __wrap_nbdk_disconnect(int index, struct nbd_diag *d);
int __wrap_nbdk_disconnect(int index, struct nbd_diag *d)
{
	(void)index, (void)d;
	driver->gone = true;
	close(driver->fd);
	return 0;
}

void __wrap_device_slots_tag(const int fds[], unsigned n, int index);
void __wrap_device_slots_tag(const int fds[], unsigned n, int index)
{
	(void)fds, (void)n, (void)index;
}

/* ---- the first open ---- */

/* False: the connection is dead. */
static bool take(void *to, size_t len)
{
	struct pollfd p = { .fd = driver->fd, .events = POLLIN };
	uint64_t end = nbd_now_ms() + (uint64_t)driver->timeout, now;
	char *at = to;

	while (len && (now = nbd_now_ms()) < end) {
		ssize_t n;

		if (driver->gone)
			return false;
		if (poll(&p, 1, 20) <= 0)
			continue;
		n = recv(p.fd, at, len, 0);
		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return len == 0;
}

/* False: the connection is dead. */
static bool read_block(unsigned char number)
{
	unsigned char request[28] = { 0x25, 0x60, 0x95, 0x13 }, reply[16];
	char data[LEN];

	request[15] = number;
	request[22] = (unsigned char)(number * LEN >> 8);
	request[26] = LEN >> 8;
	return send(driver->fd, request, sizeof(request), MSG_NOSIGNAL) ==
		       sizeof(request) &&
	       take(reply, sizeof(reply)) &&
	       !memcmp(reply, "\x67\x44\x66\x98", 4) &&
	       !memcmp(reply + 8, request + 8, 8) &&
	       (memcmp(reply + 4, "\0\0\0", 4) || take(data, sizeof(data)));
}

int __wrap_nbdk_wait_ready(int index, uint64_t size, struct nbd_diag *d);
int __wrap_nbdk_wait_ready(int index, uint64_t size, struct nbd_diag *d)
{
	(void)index, (void)size;
	for (unsigned char i = 0; i < READS && !driver->dead; i++)
		driver->dead = !read_block(i);
	while (driver->dead && !driver->gone)
		poll(NULL, 0, 20);
	return driver->dead ? nbd_diag(d, NBD_E_IO, "it is gone") : 0;
}

/* Finds dead connections, but replaces none. */
void __wrap_device_revive(int index, bool once);
void __wrap_device_revive(int index, bool once)
{
	(void)index;
	while (!driver->dead || !once)
		poll(NULL, 0, 20);
}

/* ---- a device that is there ---- */

int __wrap_nbdk_info(int index, struct nbdk_info *info);
int __wrap_nbdk_info(int index, struct nbdk_info *info)
{
	const char *backend = getenv("BACKEND");

	if (index || !backend)
		return NBD_E_NO_DEVICE;
	*info = (struct nbdk_info){ .connected = true,
				    .size = SIZE,
				    .block_size = 512,
				    .io_timeout = 2000,
				    .read_only = true };
	nbd_fmt(info->backend, sizeof(info->backend), "%s", backend);
	return 0;
}

uint16_t __wrap_nbdk_flags(int index);
uint16_t __wrap_nbdk_flags(int index)
{
	(void)index;
	return 0;
}

int __wrap_sockdiag_tag(int fd, int index);
int __wrap_sockdiag_tag(int fd, int index)
{
	(void)fd, (void)index;
	return 0;
}

int __wrap_sockdiag_each(struct nl_sock *s, int index, unsigned kinds,
			 void (*fn)(void *ctx, const struct sockdiag_link *l),
			 void *ctx, struct nbd_diag *d);
int __wrap_sockdiag_destroy(struct nl_sock *s, const struct sockdiag_link *l,
			    struct nbd_diag *d);

/* Of the connection that lives at the start; 0: not made yet. */
static int other_end;

int __wrap_sockdiag_destroy(struct nl_sock *s, const struct sockdiag_link *l,
			    struct nbd_diag *d)
{
	(void)s, (void)d;
	file_write(__wrap_file_run(), "ended", "", 0);
	shutdown(links[l->id[0]], SHUT_RDWR);
	return 0;
}

int __wrap_sockdiag_each(struct nl_sock *s, int index, unsigned kinds,
			 void (*fn)(void *ctx, const struct sockdiag_link *l),
			 void *ctx, struct nbd_diag *d)
{
	/* as if it were TCP, whose connections can be ended */
	struct sockdiag_link l = { .family = AF_INET };
	int pair[2];
	char c;

	(void)s, (void)index, (void)kinds, (void)d;
	if (getenv("LIVE") && !other_end &&
	    !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		links[n_links++] = pair[0];
		other_end = pair[1];
	}
	for (unsigned i = 0; i < n_links; i++) {
		l.live = recv(links[i], &c, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
		l.id[0] = (unsigned char)i;
		fn(ctx, &l);
	}
	return 0;
}

/* The driver notices each death at once. */
int __wrap_nbdk_watch_open(struct nbdk_watch *w, struct nbd_diag *d);
int __wrap_nbdk_watch_open(struct nbdk_watch *w, struct nbd_diag *d)
{
	(void)d;
	w->nl.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return 0;
}

int __wrap_nbdk_watch_read(struct nbdk_watch *w,
			   void (*fn)(void *ctx, int index), void *ctx);
int __wrap_nbdk_watch_read(struct nbdk_watch *w,
			   void (*fn)(void *ctx, int index), void *ctx)
{
	(void)w, (void)fn, (void)ctx;
	return 0;
}

void __wrap_nbdk_watch_close(struct nbdk_watch *w);
void __wrap_nbdk_watch_close(struct nbdk_watch *w)
{
	close(w->nl.fd);
}
