/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a kernel block device from URIs:
 *
 *   load driver --> connections --> block size --> CONNECT --> ready
 *
 * No process of ours stays: the kernel owns the sockets when this returns.
 */
#include "boot/device/attach.h"
#include "boot/device/dialer.h"
#include "boot/device/identity.h"
#include "boot/device/limit.h"
#include "boot/device/readers.h"
#include "boot/device/settle.h"
#include "boot/device/slots.h"
#include "boot/device/swap.h"
#include "port/export_same.h"
#include "port/retry.h"
#include "port/linux/module.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

/* Block sizes that nbd_is_valid_blksize() in drivers/block/nbd.c accepts. */
#define BLOCK_MIN 512u
#define BLOCK_MAX 4096u

/* The driver moves a request to another connection after this time. */
#define IO_TIMEOUT_S	30
/* A day.  The kernel counts jiffies in 32 bits: a longer time may wrap. */
#define IO_TIMEOUT_MAX	86400
/* Shorter until the device is ready: a lost request delays the boot. */
#define FIRST_TIMEOUT_S 10

/*
 * Tries, until the kernel reads from all connections (see readers.h), and they
 * live until the device is ready; and ms between the first two, which double.
 */
#define TRIES_MAX 8
#define PAUSE_MS  50

/* Times that a driver which is gone is loaded again. */
#define DRIVER_TRIES 20

/*
 * An outage is a pause, never an error, so I/O waits for the longest time that
 * the kernel can represent: in jiffies it must fit a long at HZ=1000.
 */
#define DEAD_TIMEOUT_S (sizeof(long) > 4 ? 315360000 : 2000000)

/* The parameters and the state of one device_attach(). */
struct attempt {
	struct attach a; /* with absolute paths and the chosen slots */
	struct device_dialer dialer;
	struct conn conns[CONFIG_PORT_MAX_CONNECTIONS];
	struct nbd_export all;		    /* what all of them accept */
	char backend[NBDK_BACKEND_MAX + 1]; /* the identifier */
	char paths[BACKEND_PATHS];
	struct device_reader reader;
	struct device_signals signals;
	char identity[DEVICE_IDENTITY_TEXT];
	bool last;    /* no other follows */
	unsigned bad; /* servers that failed the first read */
};

/* Block size: as requested, else the server's minimum, else a sector. */
static int choose_block(const struct attach *a, const struct nbd_export *e,
			struct nbd_diag *d)
{
	uint32_t min = e->has_block && e->min_block > BLOCK_MIN ? e->min_block
								: BLOCK_MIN;
	uint32_t b = a->block_size ? a->block_size : min;

	if (min > BLOCK_MAX)
		return nbd_diag(d, NBD_E_BLOCK,
				"the server's minimum block size is %u bytes, "
				"the kernel's nbd driver accepts %u to %u",
				min, BLOCK_MIN, BLOCK_MAX);
	if (b < min || b > BLOCK_MAX || b & (b - 1))
		return nbd_diag(d, NBD_E_USAGE,
				"block size %u is not a power of 2 from %u "
				"(the server's minimum) to %u",
				b, min, BLOCK_MAX);
	if (e->size == 0)
		return nbd_diag(d, NBD_E_SIZE, "the export is empty");
	if (e->size < b)
		return nbd_diag(d, NBD_E_SIZE,
				"the export has %llu bytes, less than a block "
				"of %u",
				(unsigned long long)e->size, b);
	return (int)b;
}

/* A warning, after those about other servers. */
static void warn_of_tail(uint64_t size, uint32_t block, struct nbd_diag *d)
{
	size_t n = strlen(d->text);

	if (size % block)
		nbd_fmt(d->text + n, sizeof(d->text) - n,
			"%sthe export's size, %llu bytes, is no multiple of "
			"the block size, %u: the last %u bytes are not part "
			"of the device",
			n ? "; " : "", (unsigned long long)size, block,
			(unsigned)(size % block));
}

/* Sets the time-out; returns index, or disconnects and returns an error. */
static int set_timeout(const struct nbdk_conf *connected, int index,
		       uint64_t timeout, struct nbd_diag *d)
{
	const struct nbdk_conf conf = {
		.index = index,
		.size = NBDK_KEEP,
		.timeout = timeout,
		.dead_timeout = NBDK_KEEP,
		.client_flags = NBDK_KEEP,
		.backend = connected->backend,
	};
	int err = timeout == connected->timeout ? 0
						: nbdk_reconfigure(&conf, d);

	if (err)
		nbdk_disconnect(index, NULL);
	return err ? err : index;
}

/* One connection has no other in front of it. */
static int check_readers(int index, unsigned connections, unsigned slots,
			 struct nbd_diag *d)
{
	int proc = slots > 1 ? device_readers_open() : -1;
	bool all = proc < 0 || device_readers_await(proc, index, connections);

	if (proc >= 0)
		close(proc);
	if (all)
		return index;
	nbdk_disconnect(index, NULL);
	return nbd_diag(d, NBD_E_AGAIN,
			"the kernel is too busy to read from %u connections",
			connections);
}

static uint64_t seconds(int given, int otherwise, int most)
{
	int s = given == ATTACH_DEFAULT ? otherwise : given;

	return (uint64_t)(s < most ? s : most);
}

/* All but the sockets. */
static struct nbdk_conf settings(const struct attempt *attempt, uint32_t block)
{
	const struct attach *a = &attempt->a;
	const struct nbd_export *e = &attempt->all;
	unsigned more = a->read_only ? NBD_FLAG_READ_ONLY : 0;

	return (struct nbdk_conf){
		.index = a->index,
		.size = e->size - e->size % block,
		.block_size = block,
		.server_flags = (uint16_t)(e->flags | more),
		.timeout = seconds(a->io_timeout, IO_TIMEOUT_S, IO_TIMEOUT_MAX),
		.dead_timeout = seconds(a->b.dead_timeout, DEAD_TIMEOUT_S,
					DEAD_TIMEOUT_S),
		.backend = attempt->backend,
	};
}

/* Finds a missing driver or a device in use before any server is dialed. */
static int check_driver(const struct attach *a, struct nbd_diag *d)
{
	int index = a->index < 0 ? 0 : a->index;
	bool connected = false;
	int err = nbdk_status(index, &connected, NULL);

	if (err == NBD_E_NO_DRIVER) {
		err = mod_load("nbd", "", d);
		return err == NBD_E_NOT_FOUND ? NBD_E_NO_DRIVER : err;
	}
	if (a->index >= 0 && connected)
		return nbd_diag(d, NBD_E_IN_USE, "nbd%d is connected already",
				a->index);
	return 0;
}

/*
 * Somebody may unload the driver all the time: ENODEV is the kernel's word for
 * that.  Between loading it and this command there is little time.
 */
static int connect_driver(const struct attach *a, const struct nbdk_conf *conf,
			  struct nbd_diag *d)
{
	int index, err = 0;

	for (unsigned i = 0; !err; i++) {
		index = (a->connect ? a->connect : nbdk_connect)(conf, d);
		if ((index != NBD_E_NO_DRIVER && index != NBD_E_NO_DEVICE) ||
		    i == DRIVER_TRIES)
			return index;
		err = check_driver(a, d);
	}
	return err;
}

static int make_device(struct attempt *attempt, const struct nbdk_conf *conf,
		       uint64_t timeout, struct nbd_diag *d)
{
	unsigned n = attempt->a.b.connections;
	int index = connect_driver(&attempt->a, conf, d), err;

	if (index < 0)
		return index;
	/* at once: udev reads the device as soon as it is there */
	err = device_limit_set(index, nbd_export_max(&attempt->all), d);
	if (err) {
		nbdk_disconnect(index, NULL);
		return err;
	}
	index = check_readers(index, n, conf->n_fds, d);
	if (index < 0)
		return index;
	device_slots_tag(conf->fds, n, index);
	err = device_settle(index, conf->size, attempt->last, &attempt->signals,
			    d);
	if (!err)
		return set_timeout(conf, index, timeout, d);
	device_dialer_avoid(&attempt->dialer);
	return err;
}

/* The signals stay held if this succeeds. */
static int hand_over(struct attempt *attempt, uint32_t block,
		     struct nbd_diag *d)
{
	const struct backend *b = &attempt->a.b;
	struct nbdk_conf conf = settings(attempt, block);
	int fds[CONFIG_PORT_MAX_CONNECTIONS], index;
	uint64_t timeout = conf.timeout;

	conf.fds = fds;
	for (unsigned i = 0; i < b->connections; i++)
		fds[i] = attempt->conns[i].s.fd;
	device_swap_prepare(b, fds, b->connections);
	conf.n_fds = device_slots_fill(fds, b->connections, b->slots);
	if (timeout > FIRST_TIMEOUT_S && !attempt->a.connect)
		conf.timeout = FIRST_TIMEOUT_S;
	device_signals_hold(&attempt->signals);
	conf.stop = attempt->signals.fd;
	index = make_device(attempt, &conf, timeout, d);
	for (unsigned i = b->connections; i < conf.n_fds; i++)
		close(fds[i]);
	if (index >= 0 && device_signals_came(&attempt->signals)) {
		nbdk_disconnect(index, NULL);
		index = nbd_diag(d, NBD_E_INTERRUPTED,
				 "nbd%d: disconnected again", index);
	}
	if (index < 0)
		device_signals_release(&attempt->signals);
	return index;
}

/*
 * Reads the identity that later connections are compared with.  Servers over
 * which the connections are spread are compared with it now.
 */
static int identify(struct attempt *attempt, struct nbd_diag *d)
{
	struct backend *b = &attempt->a.b;
	bool writable =
		!attempt->a.read_only &&
		!(nbd_export(&attempt->conns[0].c)->flags & NBD_FLAG_READ_ONLY);
	int err = device_identity_take(&attempt->reader, &attempt->conns[0],
				       writable, attempt->identity, d);

	if (err || !attempt->identity[0])
		return err;
	b->identity = attempt->identity;
	for (unsigned i = 1; b->spread && i < b->connections && !err; i++)
		err = device_identity_check(&attempt->reader,
					    &attempt->conns[i], b->identity, d);
	return err;
}

/*
 * A connection that dies at its first read is made again at once.  A silent
 * server has taken half a minute already, and one that breaks the protocol
 * will do it again: then each other one is asked once, unless all are needed.
 */
static bool is_repeated(struct attempt *attempt, int err)
{
	if (attempt->last || err == NBD_E_INTERRUPTED)
		return false;
	if (nbd_err_is_outage(err) && err != NBD_E_TIMEOUT)
		return true;
	return !attempt->a.b.spread && ++attempt->bad < attempt->a.b.servers;
}

/* The steps in the kernel, after the connections are negotiated. */
static int finish(struct attempt *attempt, struct nbd_diag *d)
{
	const struct nbd_export *e = &attempt->all;
	int err = dial_agree(&attempt->all, attempt->conns,
			     attempt->a.b.connections, d);
	int block = err ? err : choose_block(&attempt->a, e, d);

	if (block < 0)
		return block;
	if (attempt->a.identity) {
		err = identify(attempt, d);
		if (err) {
			device_dialer_avoid(&attempt->dialer);
			return is_repeated(attempt, err) ? NBD_E_AGAIN : err;
		}
	}
	attempt->a.b.slots = device_slots_choose(&attempt->a.b, e);
	if (device_backend_print(&attempt->a.b, attempt->backend,
				 sizeof(attempt->backend)) < 0)
		return nbd_diag(d, NBD_E_USAGE,
				"the URI is longer than the %u bytes that the "
				"kernel keeps of it",
				NBDK_BACKEND_MAX);
	err = hand_over(attempt, (uint32_t)block, d);
	if (err < 0)
		return err;
	warn_of_tail(e->size, (uint32_t)block, d);
	if (attempt->a.flags)
		*attempt->a.flags = e->flags;
	return err;
}

static int try(struct attempt *attempt, struct nbd_diag *d)
{
	unsigned n = attempt->a.b.connections;
	int err;

	d->text[0] = '\0';
	err = device_dialer_open(&attempt->dialer, attempt->conns,
				 &attempt->a.b, attempt->a.read_only, d);
	device_dialer_close(&attempt->dialer);
	if (err)
		return err;
	err = finish(attempt, d);
	if (err < 0) {
		dial_hangup(attempt->conns, n);
		return err;
	}
	/* no NBD_CMD_DISC: the connections live on in the kernel */
	while (n > 0)
		sock_close(&attempt->conns[--n].s);
	return err;
}

int device_attach(const struct attach *a, struct device_signals *held,
		  struct nbd_diag *d)
{
	struct nbd_retry retry = { .min = PAUSE_MS,
				   .max = PAUSE_MS << TRIES_MAX };
	struct attempt attempt = { .a = *a };
	int err = device_backend_absolute(&attempt.a.b, attempt.paths,
					  sizeof(attempt.paths), d);

	if (!err)
		err = check_driver(a, d);
	if (err)
		return err;
	nbd_retry_begin(&retry);
	for (unsigned i = 0;; i++) {
		attempt.a.b.slots = a->b.slots;
		attempt.last = i + 1 == TRIES_MAX;
		err = try(&attempt, d);
		if (err != NBD_E_AGAIN || attempt.last)
			break;
		poll(NULL, 0, (int)nbd_retry_pause(&retry));
	}
	if (err >= 0 && held)
		*held = attempt.signals;
	else if (err >= 0)
		device_signals_release(&attempt.signals);
	return err;
}
