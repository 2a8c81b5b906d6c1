/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An export as a disk:
 *
 *	CONNECTED --fails, silent--> away --dial()--> CONNECTED
 *	    |                         |  ^-- pause, next server --'
 *	    '--requests --> done      '--patience is over: requests fail
 */
#include "port/disk.h"
#include "port/export_same.h"

#include <string.h>

/* ms between attempts to connect: the first pause, and the longest. */
#define PAUSE_MIN 100
#define PAUSE_MAX 2000

static void push(struct nbd_disk_list *list, struct nbd_disk_op *op)
{
	op->next = NULL;
	if (list->first)
		list->last->next = op;
	else
		list->first = op;
	list->last = op;
}

static struct nbd_disk_op *pop(struct nbd_disk_list *list)
{
	struct nbd_disk_op *op = list->first;

	if (op)
		list->first = op->next;
	return op;
}

static void take_out(struct nbd_disk_list *list, struct nbd_disk_op *op)
{
	struct nbd_disk_op **p = &list->first, *before = NULL;

	while (*p != op) {
		before = *p;
		p = &before->next;
	}
	*p = op->next;
	if (list->last == op)
		list->last = before;
}

static void finish(struct nbd_disk *disk, struct nbd_disk_op *op, int result)
{
	take_out(&disk->open, op);
	op->result = result;
	push(&disk->done, op);
}

static void fail_all(struct nbd_disk *disk, int err)
{
	while (disk->open.first)
		finish(disk, disk->open.first, err);
}

/* ---- the connection ---- */

/* Features that users of the disk may rely on: they see export.flags. */
#define FEATURES                                                        \
	(NBD_FLAG_SEND_FLUSH | NBD_FLAG_SEND_FUA | NBD_FLAG_SEND_TRIM | \
	 NBD_FLAG_SEND_WRITE_ZEROES | NBD_FLAG_SEND_CACHE |             \
	 NBD_FLAG_SEND_FAST_ZERO)

/* What the users of the disk rely on since it was opened. */
static struct nbd_relied relied(const struct nbd_disk *disk)
{
	const struct nbd_disk_config *cfg = disk->cfg;
	const struct nbd_export *was = &disk->export;
	uint32_t max = nbd_export_max(was), block = cfg->block;

	while (block > 1 && was->size & (block - 1))
		block /= 2;
	if (was->has_block && was->min_block > block)
		block = was->min_block;
	return (struct nbd_relied){
		.size = was->size,
		.fixed = cfg->fixed,
		.flags = was->flags & FEATURES,
		.read_only = was->flags & NBD_FLAG_READ_ONLY,
		.block = block ? block : 1,
		.longest = cfg->longest && cfg->longest < max ? cfg->longest
							      : max,
	};
}

static int connect_to(struct nbd_disk *disk, const struct nbd_uri *uri,
		      struct nbd_diag *d)
{
	const struct nbd_disk_config *cfg = disk->cfg;
	const struct nbd_config hello = { .name = uri->name,
					  .name_len = uri->name_len,
					  .tls = uri->tls,
					  .extra = cfg->extra };
	struct conn *c = &disk->conn;
	int err;

	c->net = cfg->net;
	c->stop = cfg->stop;
	c->number = 0;
	err = dial(c, 1, uri, &hello, cfg->tls, d);
	if (!err && disk->known) {
		const struct nbd_relied r = relied(disk);

		err = nbd_export_fits(&r, nbd_export(&c->c), d);
		if (err)
			dial_hangup(c, 1);
	}
	if (err)
		return err;
	disk->connected = true;
	disk->heard = nbd_now_ms();
	nbd_start(&c->c, &disk->io);
	return 0;
}

/* One round over the servers, from the one in use on. */
static int connect_round(struct nbd_disk *disk)
{
	const struct nbd_disk_config *cfg = disk->cfg;
	struct nbd_diag d;
	int err, best = 0;

	for (unsigned i = 0; i < cfg->n_uris; i++) {
		d.text[0] = '\0';
		err = connect_to(disk, &cfg->uris[disk->at], &d);
		if (!err || err == NBD_E_INTERRUPTED)
			return err;
		if (!best || nbd_err_is_outage(err)) {
			best = err;
			disk->d = d;
		}
		if (i + 1 < cfg->n_uris)
			disk->at = (disk->at + 1) % cfg->n_uris;
	}
	return best;
}

/* What was in flight is sent again, on another connection. */
static void disconnect(struct nbd_disk *disk)
{
	if (disk->connected)
		dial_hangup(&disk->conn, 1);
	disk->connected = false;
	for (struct nbd_disk_op *op = disk->open.first; op; op = op->next)
		op->sent = false;
}

static bool is_stopped(const struct nbd_disk *disk)
{
	return disk->cfg->stop && *disk->cfg->stop;
}

static void rest(struct nbd_disk *disk)
{
	uint64_t end = nbd_now_ms() + nbd_retry_pause(&disk->retry), now;

	while ((now = nbd_now_ms()) < end && !is_stopped(disk))
		disk->cfg->net->wait(disk->cfg->net, NULL, 0, (int)(end - now));
}

/* One attempt to be connected again. */
static void reconnect(struct nbd_disk *disk)
{
	int err;

	rest(disk);
	err = is_stopped(disk) ? NBD_E_INTERRUPTED : connect_round(disk);
	if (!err)
		disk->reconnects++;
	else if (!nbd_err_is_outage(err) && err != NBD_E_INTERRUPTED)
		disk->err = err;
	if (disk->err || err == NBD_E_INTERRUPTED ||
	    (err && nbd_now_ms() - disk->replied >= disk->cfg->patience))
		fail_all(disk, err);
}

/* ---- requests ---- */

static void submit(struct nbd_disk *disk)
{
	struct nbd_disk_op *op = disk->open.first, *next;
	struct nbd_client *c = &disk->conn.c;
	int rc;

	for (; op && nbd_state(c) & NBD_READY; op = next) {
		next = op->next;
		if (op->sent)
			continue;
		op->op.user = op;
		rc = nbd_submit(c, &op->op);
		op->sent = rc >= 0;
		/* refused, and would be on any connection */
		if (rc < 0 && rc != NBD_E_BUSY && rc != NBD_E_SHUTDOWN &&
		    !nbd_error(c))
			finish(disk, op, rc);
	}
}

/* A request whose connection failed, or whose server leaves, stays open. */
static bool is_answer(const struct nbd_client *c, int result)
{
	return result != NBD_ESHUTDOWN && !(result < 0 && nbd_error(c));
}

static void reap(struct nbd_disk *disk)
{
	struct nbd_client *c = &disk->conn.c;
	struct nbd_req *r;

	while ((r = nbd_reap(c))) {
		struct nbd_disk_op *op = r->op.user;
		int result = nbd_req_result(r);

		op->n_extents = r->n_extents;
		nbd_release(c, r);
		if (!is_answer(c, result))
			continue;
		disk->replied = disk->heard = nbd_now_ms();
		nbd_retry_begin(&disk->retry);
		finish(disk, op, result);
	}
}

/* Sends and receives, and sees whether the connection still lives. */
static int pump(struct nbd_disk *disk)
{
	struct nbd_client *c = &disk->conn.c;
	uint64_t now;
	size_t left, before;
	int rc;

	submit(disk);
	nbd_recv_buf(c, &before);
	rc = dial_pump(&disk->conn);
	nbd_recv_buf(c, &left);
	reap(disk);
	now = nbd_now_ms();
	if (rc >= 0 || left != before || !disk->open.first)
		disk->heard = now;
	if (nbd_error(c))
		nbd_diag(&disk->d, nbd_error(c), "%s",
			 nbd_err_text(nbd_error(c)));
	else if (now - disk->heard >= disk->cfg->silence)
		nbd_diag(&disk->d, NBD_E_TIMEOUT, "the server is silent");
	else if (!nbd_must_close(c) || nbd_waiting(c))
		return rc;
	disconnect(disk);
	return 0;
}

static void wait(struct nbd_disk *disk, uint64_t ms)
{
	struct nbd_stack *net = disk->cfg->net;
	struct nbd_event ev = { .fd = disk->conn.s.fd, .want = NBD_RECV };

	if (nbd_state(&disk->conn.c) & NBD_SEND)
		ev.want = NBD_SEND;
	net->wait(net, &ev, 1, ms < 500 ? (int)ms : 500);
}

struct nbd_disk_op *nbd_disk_wait(struct nbd_disk *disk, unsigned ms)
{
	uint64_t end = nbd_now_ms() + ms, now;
	int rc;

	for (;;) {
		if (disk->done.first)
			return pop(&disk->done);
		if (disk->err)
			fail_all(disk, disk->err);
		if (is_stopped(disk)) {
			disconnect(disk);
			fail_all(disk, NBD_E_INTERRUPTED);
		}
		if (!disk->done.first && !disk->open.first)
			return NULL;
		if (disk->done.first)
			continue;
		if (!disk->connected) {
			reconnect(disk);
			continue;
		}
		rc = pump(disk);
		now = nbd_now_ms();
		if (disk->done.first || !disk->connected)
			continue;
		if (now >= end)
			return NULL;
		if (rc == NBD_E_AGAIN)
			wait(disk, end - now);
	}
}

void nbd_disk_add(struct nbd_disk *disk, struct nbd_disk_op *op)
{
	/* an outage is counted from its first request on */
	if (!disk->open.first)
		disk->replied = disk->heard = nbd_now_ms();
	op->sent = false;
	push(&disk->open, op);
}

int nbd_disk_do(struct nbd_disk *disk, unsigned type, uint64_t offset,
		void *buf, size_t len)
{
	struct nbd_iov v = { buf, len };
	struct nbd_disk_op op = { .op = { .type = (uint16_t)type,
					  .offset = offset,
					  .len = len,
					  .iov = &v,
					  .n_iov = buf ? 1 : 0 } };

	nbd_disk_add(disk, &op);
	while (nbd_disk_wait(disk, 1000) != &op)
		;
	return op.result;
}

int nbd_disk_open(struct nbd_disk *disk, const struct nbd_disk_config *cfg)
{
	int err;

	memset(disk, 0, sizeof(*disk));
	disk->cfg = cfg;
	disk->retry = (struct nbd_retry){ .min = PAUSE_MIN, .max = PAUSE_MAX };
	nbd_retry_begin(&disk->retry);
	err = connect_round(disk);
	if (err)
		return err;
	disk->export = *nbd_export(&disk->conn.c);
	disk->known = true;
	return 0;
}

void nbd_disk_close(struct nbd_disk *disk)
{
	if (disk->connected)
		dial_hangup(&disk->conn, 1);
	disk->connected = false;
}
