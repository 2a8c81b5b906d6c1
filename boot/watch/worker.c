/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Watching one device:
 *
 *   read it, resolve, load credentials --> harden --> take over --> ready
 *   wait --LINK_DEAD, uevent, it is time--> look --> fill dead slots
 *     ^                                                   |
 *     '---------------- pause, longer each time ----------'
 */
#include "boot/watch/watch.h"
#include "boot/common/harden.h"
#include "boot/common/ready.h"
#include "port/linux/nbdk_watch.h"
#include "port/posix/dial.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ms between tries: a quarter of it is random, so that a fleet spreads. */
#define PAUSE_MIN  100
#define PAUSE_MAX  2000
/* ms for a server to take a connection: trying again finds it sooner. */
#define CONNECT_MS 3000

static struct device dev;
static struct nbdk_watch events;
static unsigned deaths; /* that were told, and not made up for */
/*
 * The driver tells of a death before it shuts the socket, which till then is
 * like one that lives: nothing tells when that is over.
 */
static bool in_doubt;
static bool blind; /* the kernel has no sock_diag for these links */
static char addresses[BACKEND_SERVERS][64];
static char first_backend[NBDK_BACKEND_MAX + 1];

/* ---- before: everything that needs files or the network's names ---- */

/* Text of an address, as a URI has it. */
static bool print_address(char *text, size_t cap, const struct sock_addr *a)
{
	struct nbd_out o = { .buf = text, .cap = cap - 1 };

	sock_host_print(&o, a);
	text[o.len] = '\0';
	return !o.cut;
}

/*
 * Leaves those that a socket can be had for; how many.  For a family that it
 * lacks (ipv6.disable=1) the kernel runs modprobe each time, later from a root
 * that may be away.
 */
static int usable(struct sock_addr a[], int n)
{
	int left = 0;

	for (int i = 0; i < n; i++) {
		int fd = socket(a[i].u.any.sa_family,
				SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd < 0)
			continue;
		close(fd);
		a[left++] = a[i];
	}
	return left;
}

/*
 * Puts addresses in the place of names, and as many as there is room for: who
 * could tell later what a name means, when /etc is on the device?
 */
static void resolve(struct backend *b)
{
	static struct sock_addr found[SOCK_MAX_ADDRS];
	struct nbd_uri names[BACKEND_SERVERS];
	unsigned n = b->servers, at = 0;

	memcpy(names, b->uris, sizeof(names));
	for (unsigned i = 0; i < n; i++) {
		const struct nbd_uri *u = &names[i];
		int room = (int)(BACKEND_SERVERS - at - (n - i - 1));
		int known = u->is_unix ? 0 : sock_resolve(u, found, NULL);
		int count = usable(found, known);

		if (b->spread && count > 1)
			count = 1;
		/* a socket, or a name that is tried again each time */
		if (known <= 0)
			b->uris[at++] = *u;
		for (int k = 0; k < count && k < room; k++) {
			struct nbd_uri *to = &b->uris[at];

			*to = *u;
			/* with its zone it is numeric already */
			if (!strchr(u->host, '%') &&
			    print_address(addresses[at], sizeof(addresses[0]),
					  &found[k]))
				to->host = addresses[at];
			if (u->tls && !*u->tls_hostname)
				to->tls_hostname = u->host;
			at++;
		}
	}
	if (at)
		b->servers = at;
}

/* Everything that may need a file; from here on there may be none. */
static int prepare(int index, struct nbd_diag *d)
{
	int err = device_read(&dev, index, d);

	if (err && !dev.known)
		return err;
	/* it would look for its module each time, later in a dead root */
	blind = err == NBD_E_NOT_FOUND;
	memcpy(first_backend, dev.info.backend, sizeof(first_backend));
	err = nbdk_watch_open(&events, d);
	if (err)
		return err;
	resolve(&dev.b);
	for (unsigned i = 0; i < dev.b.servers; i++)
		if (dev.b.uris[i].tls)
			return device_tls_keep(&dev.b.uris[i], &dev.b.files, d);
	return 0;
}

/* ---- the watch ---- */

static void log_change(const char *text)
{
	char line[600];
	int n = nbd_fmt(line, sizeof(line), "nbdboot: nbd%d: %s\n",
			dev.info.index, text);

	if (n > 0 && write(2, line, (size_t)n) < 0)
		errno = 0;
}

/* Still the one that was there at the start? */
static bool is_there(void)
{
	static struct nbdk_info now;

	return !nbdk_info(dev.info.index, &now) && now.connected &&
	       !strcmp(now.backend, first_backend);
}

/*
 * In a kernel without sock_diag there is only what the driver tells: so many
 * connections died.
 */
static int replace_the_told(struct nbd_diag *d)
{
	int err = 0;

	while (deaths && !err) {
		err = device_add(&dev, d);
		deaths -= !err;
	}
	return err ? err : device_grow(&dev, d);
}

static bool is_whole(bool *counted)
{
	*counted = !blind && !device_count(&dev, NULL);
	device_reread(&dev);
	if (*counted)
		deaths = 0;
	return *counted ? dev.live >= dev.wanted : !deaths;
}

/* Brings back what is dead; says so once for each change. */
static int revive(void)
{
	static struct nbd_diag d, told;
	bool counted;
	int err, lock;

	if (is_whole(&counted))
		return 0;
	d.text[0] = '\0';
	lock = device_lock(dev.info.index);
	err = is_whole(&counted) ? 0
	      : counted		 ? device_fill(&dev, dev.wanted, &d)
				 : replace_the_told(&d);
	device_unlock(lock);
	if (err && strcmp(told.text, d.text) != 0)
		log_change(d.text);
	else if (!err)
		log_change("all connections live again");
	told = d;
	if (!err)
		told.text[0] = '\0';
	return err;
}

static void take_death(void *ctx, int index)
{
	int *pause = ctx;

	if (index != dev.info.index)
		return;
	deaths++;
	in_doubt = true;
	*pause = 0;
}

static int jitter(int ms)
{
	return ms - ms / 8 +
	       (int)(nbd_now_ns() / 1000 % (unsigned)(ms / 4 + 1));
}

/* Until something happens, or the pause is over (0: never); a death ends it. */
static void await(int uevents, int held, int *pause)
{
	struct pollfd p[3] = { { events.nl.fd, POLLIN, 0 },
			       { uevents, POLLIN, 0 },
			       { held, POLLIN, 0 } };

	poll(p, 3, *pause ? jitter(*pause) : -1);
	if (p[2].revents)
		watch_takeover_answer(held);
	/* what was lost may have been a death */
	if (nbdk_watch_read(&events, take_death, pause))
		in_doubt = true;
	watch_uevent_is_nbd();
}

static int longer(int pause)
{
	if (!pause)
		return PAUSE_MIN;
	return pause >= PAUSE_MAX / 2 ? PAUSE_MAX : pause * 2;
}

int watch_worker_run(int index, struct nbd_diag *d)
{
	int err = prepare(index, d), uevents = watch_uevent_open(NULL);
	int pause = 0, held;

	if (err)
		return err;
	boot_log_to_kernel();
	boot_harden();
	held = watch_takeover(index, d);
	if (held < 0)
		return held;
	/* the root of who was started in an initramfs has no /sys later */
	if (chdir("/sys/block"))
		return nbd_diag(d, NBD_E_IO, "/sys/block: %s", strerror(errno));
	nbdk_sys = ".";
	dial_connect_ms = CONNECT_MS;
	boot_ready_tell();
	while (is_there()) {
		err = revive();
		pause = err || in_doubt ? longer(pause) : 0;
		/* after five seconds and one look more it is as it seems */
		if (pause == PAUSE_MAX)
			in_doubt = false;
		await(uevents, held, &pause);
	}
	return 0;
}
