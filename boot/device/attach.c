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
#include "boot/device/readers.h"
#include "boot/device/settle.h"
#include "boot/device/slots.h"
#include "boot/device/swap.h"
#include "boot/device/tune.h"
#include "port/linux/module.h"

#include <unistd.h>

/* Block sizes that nbd_is_valid_blksize() in drivers/block/nbd.c accepts. */
#define BLOCK_MIN 512u
#define BLOCK_MAX 4096u

/* The driver moves a request to another connection after this time. */
#define IO_TIMEOUT_S	30
/* Shorter until the device is ready: a lost request delays the boot. */
#define FIRST_TIMEOUT_S 10

/* Tries, until the kernel reads from all connections: see readers.h. */
#define TRIES_MAX 5

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
	char backend[NBDK_BACKEND_MAX + 1]; /* the identifier */
	char paths[BACKEND_PATHS];
	struct device_reader reader;
	char identity[DEVICE_IDENTITY_TEXT];
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
	if (e->size % b)
		return nbd_diag(d, NBD_E_SIZE,
				"the export's size, %llu bytes, is not a "
				"multiple of the block size, %u: the last %llu "
				"bytes would be lost",
				(unsigned long long)e->size, b,
				(unsigned long long)(e->size % b));
	return (int)b;
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

static int hand_over(const struct attempt *t, uint32_t block,
		     struct nbd_diag *d)
{
	const struct attach *a = &t->a;
	const struct backend *b = &a->b;
	const struct nbd_export *e = nbd_export(&t->conns[0].c);
	int fds[CONFIG_PORT_MAX_CONNECTIONS];
	struct nbdk_conf conf = {
		.index = a->index,
		.size = e->size,
		.block_size = block,
		.server_flags = e->flags,
		.timeout = IO_TIMEOUT_S,
		.dead_timeout = DEAD_TIMEOUT_S,
		.backend = t->backend,
		.fds = fds,
	};
	uint64_t timeout;
	int index, err;

	if (a->read_only)
		conf.server_flags |= NBD_FLAG_READ_ONLY;
	if (a->io_timeout != ATTACH_DEFAULT)
		conf.timeout = (uint64_t)a->io_timeout;
	if (b->dead_timeout != ATTACH_DEFAULT)
		conf.dead_timeout = (uint64_t)b->dead_timeout;
	for (unsigned i = 0; i < b->connections; i++)
		fds[i] = t->conns[i].s.fd;
	device_swap_prepare(b, fds, b->connections);
	conf.n_fds = device_slots_fill(fds, b->connections, b->slots);
	timeout = conf.timeout;
	if (timeout > FIRST_TIMEOUT_S)
		conf.timeout = FIRST_TIMEOUT_S;
	index = nbdk_connect(&conf, d);
	for (unsigned i = b->connections; i < conf.n_fds; i++)
		close(fds[i]);
	if (index >= 0)
		index = check_readers(index, b->connections, conf.n_fds, d);
	if (index < 0)
		return index;
	device_slots_tag(fds, b->connections, index);
	err = e->has_block ? device_tune_limit(index, e->max_payload, d) : 0;
	if (err) {
		nbdk_disconnect(index, NULL);
		return err;
	}
	err = device_settle(index, e->size, d);
	return err ? err : set_timeout(&conf, index, timeout, d);
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
 * Reads the identity that later connections are compared with.  Servers over
 * which the connections are spread are compared with it now.
 */
static int identify(struct attempt *t, struct nbd_diag *d)
{
	struct backend *b = &t->a.b;
	bool writable = !t->a.read_only && !(nbd_export(&t->conns[0].c)->flags &
					     NBD_FLAG_READ_ONLY);
	int err = device_identity_take(&t->reader, &t->conns[0], writable,
				       t->identity, d);

	if (err || !t->identity[0])
		return err;
	b->identity = t->identity;
	for (unsigned i = 1; b->spread && i < b->connections && !err; i++)
		err = device_identity_check(&t->reader, &t->conns[i],
					    b->identity, d);
	return err;
}

/* The steps in the kernel, after the connections are negotiated. */
static int finish(struct attempt *t, struct nbd_diag *d)
{
	const struct nbd_export *e = nbd_export(&t->conns[0].c);
	int block = choose_block(&t->a, e, d);

	if (block < 0)
		return block;
	if (t->a.identity) {
		int err = identify(t, d);

		if (err)
			return err;
	}
	t->a.b.slots = device_slots_choose(&t->a.b, e);
	if (device_backend_print(&t->a.b, t->backend, sizeof(t->backend)) < 0)
		return nbd_diag(d, NBD_E_USAGE,
				"the URI is longer than the %u bytes that the "
				"kernel keeps of it",
				NBDK_BACKEND_MAX);
	return hand_over(t, (uint32_t)block, d);
}

static int try(struct attempt *t, struct nbd_diag *d)
{
	unsigned n = t->a.b.connections;
	int err = device_dialer_open(&t->dialer, t->conns, &t->a.b,
				     t->a.read_only, d);

	device_dialer_close(&t->dialer);
	if (err)
		return err;
	err = finish(t, d);
	if (err < 0) {
		dial_hangup(t->conns, n);
		return err;
	}
	/* no NBD_CMD_DISC: the connections live on in the kernel */
	while (n > 0)
		sock_close(&t->conns[--n].s);
	return err;
}

int device_attach(const struct attach *a, struct nbd_diag *d)
{
	struct attempt t = { .a = *a };
	int err = device_backend_absolute(&t.a.b, t.paths, sizeof(t.paths), d);

	if (!err)
		err = check_driver(a, d);
	if (err)
		return err;
	for (unsigned i = 0; i < TRIES_MAX; i++) {
		t.a.b.slots = a->b.slots;
		err = try(&t, d);
		if (err != NBD_E_AGAIN)
			return err;
	}
	return err;
}
