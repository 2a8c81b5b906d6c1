/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For builds that never reconnect: one server, as many slots as connections,
 * and the URI as identifier.  Replaces await.c, backend.c, dialer.c,
 * files.c, readers.c, revive.c, slots.c and swap.c.
 */
#include "boot/device/dialer.h"
#include "boot/device/limit.h"
#include "boot/device/readers.h"
#include "boot/device/settle.h"
#include "boot/device/slots.h"
#include "boot/device/swap.h"

int device_backend_parse_uris(struct backend *b, char buf[BACKEND_BUF],
			      const char *text, struct nbd_diag *d)
{
	struct nbd_uri *u = &b->uris[0];

	b->servers = 1;
	if (nbd_uri_parse(u, buf, BACKEND_BUF, text) < 0)
		return nbd_diag(d, NBD_E_URI, "%s (at character %u)", u->wrong,
				(unsigned)u->wrong_at + 1);
	return 0;
}

int device_backend_print(const struct backend *b, char *text, size_t cap)
{
	return nbd_uri_print(&b->uris[0], text, cap);
}

int device_backend_absolute(struct backend *b, char *text, size_t cap,
			    struct nbd_diag *d)
{
	(void)b, (void)text, (void)cap, (void)d;
	return 0;
}

int device_dialer_open(struct device_dialer *dl, struct conn conns[],
		       const struct backend *b, bool read_only,
		       struct nbd_diag *d)
{
	const struct nbd_uri *u = &b->uris[0];
	const struct nbd_config cfg = { .name = u->name,
					.name_len = u->name_len,
					.tls = u->tls,
					.no_go = b->no_go };

	(void)read_only;
	return device_tls_dial(&dl->tls[0], conns, b->connections, u, &cfg,
			       &b->files, true, d);
}

void device_dialer_close(struct device_dialer *dl)
{
	device_tls_close(&dl->tls[0]);
}

unsigned device_slots_choose(const struct backend *b,
			     const struct nbd_export *e)
{
	(void)e;
	return b->connections;
}

unsigned device_slots_fill(int fds[], unsigned n, unsigned slots)
{
	(void)fds, (void)slots;
	return n;
}

void device_slots_tag(const int fds[], unsigned n, int index)
{
	(void)fds, (void)n, (void)index;
}

int device_settle_await(const struct process *opener, int signals, int index,
			bool last, int ms)
{
	(void)index, (void)last;
	return device_settle_poll(opener, signals, -1, ms);
}

void device_dialer_avoid(struct device_dialer *dl)
{
	(void)dl;
}

void device_limit_first(int index, uint32_t max)
{
	(void)index, (void)max;
}

void device_swap_prepare(const struct backend *b, const int fds[], unsigned n)
{
	(void)b, (void)fds, (void)n;
}

int device_readers_open(void)
{
	return -1;
}

bool device_readers_await(int proc, int index, unsigned want)
{
	(void)proc, (void)index, (void)want;
	return true;
}
