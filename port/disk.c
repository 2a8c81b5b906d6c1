/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An export as a disk:
 *
 *	CONNECTED --all fail, silent--> away --dial()--> CONNECTED
 *	    |                            |  ^-- pause, next server --'
 *	    '--requests --> done         '--patience is over: requests fail
 *
 * and the connections beside the first, while any lives:
 *
 *	GONE --dial_more()--> COMING --the same export--> LIVE
 *	  ^-------pause----------'----fails, silent----------'
 */
#include "port/disk.h"
#include "port/disk_list.h"
#include "port/export_same.h"

#include <string.h>

/* ms between attempts to connect: the first pause, and the longest. */
#define PAUSE_MIN 100
#define PAUSE_MAX 2000
/* The same for those beside one that lives. */
#define MORE_MAX  10000

static void finish(struct nbd_disk *disk, struct nbd_disk_op *op, int result)
{
	disk_list_take_out(&disk->open, op);
	op->result = result;
	disk_list_push(&disk->done, op);
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

static void begin(struct nbd_disk *disk, struct nbd_disk_link *l)
{
	l->state = NBD_DISK_LIVE;
	l->heard = disk->heard = nbd_now_ms();
	disk->connected++;
	nbd_start(&l->conn.c, &l->io);
}

static int connect_to(struct nbd_disk *disk, const struct nbd_uri *uri,
		      struct nbd_diag *d)
{
	const struct nbd_disk_config *cfg = disk->cfg;
	const struct nbd_config hello = { .name = uri->name,
					  .name_len = uri->name_len,
					  .tls = uri->tls,
					  .extra = cfg->extra };
	struct conn *c = &disk->link[0].conn;
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
	begin(disk, &disk->link[0]);
	nbd_retry_begin(&disk->more);
	disk->again = 0;
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
static void leave(struct nbd_disk *disk, struct nbd_disk_link *l)
{
	if (l->state != NBD_DISK_GONE)
		dial_hangup(&l->conn, 1);
	disk->connected -= l->state == NBD_DISK_LIVE;
	l->state = NBD_DISK_GONE;
	l->answered = false;
	for (struct nbd_disk_op *op = disk->open.first; op; op = op->next)
		if (op->on == l)
			op->on = NULL;
}

static void leave_all(struct nbd_disk *disk)
{
	for (unsigned i = 0; i < NBD_DISK_LINKS; i++)
		leave(disk, &disk->link[i]);
}

/* No reply for that long, over all connections. */
static bool is_given_up(const struct nbd_disk *disk)
{
	return nbd_now_ms() - disk->replied >= disk->cfg->patience;
}

/*
 * Without any, those that come are left as well: a server for one client at a
 * time might take one of them for the first.
 */
static void lose(struct nbd_disk *disk, struct nbd_disk_link *l)
{
	/* what has worked is tried again soon */
	if (l->answered)
		nbd_retry_begin(&disk->more);
	leave(disk, l);
	disk->again = nbd_now_ms() + nbd_retry_pause(&disk->more);
	if (disk->connected)
		return;
	leave_all(disk);
	/* it was connected again, to a server that answers nothing */
	if (disk->retry.failures && is_given_up(disk))
		fail_all(disk, NBD_E_TIMEOUT);
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
	if (disk->err || err == NBD_E_INTERRUPTED || (err && is_given_up(disk)))
		fail_all(disk, err);
}

/* ---- the other connections ---- */

/* One that lives. */
static const struct conn *first(const struct nbd_disk *disk)
{
	const struct nbd_disk_link *l = disk->link;

	while (l->state != NBD_DISK_LIVE)
		l++;
	return &l->conn;
}

/* How many there may be. */
static unsigned allowed(const struct nbd_disk *disk)
{
	unsigned n = disk->cfg->connections;

	if (!(nbd_export(&first(disk)->c)->flags & NBD_FLAG_CAN_MULTI_CONN))
		return 1;
	return n < NBD_DISK_LINKS ? n : NBD_DISK_LINKS;
}

/* Has it the export of those that live? */
static int compare(const struct nbd_disk *disk, const struct conn *c,
		   struct nbd_diag *d)
{
	struct nbd_export all = *nbd_export(&first(disk)->c);
	const struct nbd_relied r = relied(disk);
	int err = nbd_export_agree(&all, nbd_export(&c->c), d);

	return err ? err : nbd_export_fits(&r, nbd_export(&c->c), d);
}

/* One that is missing, or is coming. */
static void bring(struct nbd_disk *disk, struct nbd_disk_link *l)
{
	struct nbd_diag d; /* nobody reads it: one that lives is enough */
	int rc;

	if (l->state == NBD_DISK_GONE) {
		if (nbd_now_ms() < disk->again)
			return;
		l->conn.number = (unsigned)(l - disk->link);
		rc = dial_more(&l->conn, first(disk), &d);
		l->ready = false;
		if (!rc)
			l->state = NBD_DISK_COMING;
	} else {
		rc = dial_step(&l->conn, l->ready, &d);
		if (!rc)
			rc = compare(disk, &l->conn, &d);
		if (!rc)
			begin(disk, l);
	}
	if (rc < 0)
		lose(disk, l);
}

static void bring_all(struct nbd_disk *disk)
{
	unsigned n = allowed(disk);

	for (unsigned i = 0; i < n; i++)
		if (disk->link[i].state != NBD_DISK_LIVE)
			bring(disk, &disk->link[i]);
}

/* ---- requests ---- */

/* The one with the fewest requests in flight that takes one more, or NULL. */
static struct nbd_disk_link *least_busy(struct nbd_disk *disk)
{
	struct nbd_disk_link *best = NULL;

	for (unsigned i = 0; i < NBD_DISK_LINKS; i++) {
		struct nbd_disk_link *l = &disk->link[i];

		if (l->state == NBD_DISK_LIVE &&
		    nbd_state(&l->conn.c) & NBD_READY &&
		    (!best ||
		     nbd_waiting(&l->conn.c) < nbd_waiting(&best->conn.c)))
			best = l;
	}
	return best;
}

/* An answer may come before its request is sent to the end. */
static bool is_busy(const struct nbd_client *c)
{
	return nbd_waiting(c) || nbd_state(c) & NBD_SEND;
}

static void submit(struct nbd_disk *disk)
{
	struct nbd_disk_op *op = disk->open.first, *next;
	struct nbd_disk_link *l;
	int rc;

	for (; op; op = next) {
		next = op->next;
		if (op->on ||
		    (op->op.type == NBD_CMD_FLUSH && op != disk->open.first))
			continue;
		l = least_busy(disk);
		if (!l)
			break;
		if (!is_busy(&l->conn.c))
			l->heard = nbd_now_ms();
		op->op.user = op;
		rc = nbd_submit(&l->conn.c, &op->op);
		op->on = rc >= 0 ? l : NULL;
		/* refused, and would be on any connection */
		if (rc < 0 && rc != NBD_E_BUSY && rc != NBD_E_SHUTDOWN &&
		    !nbd_error(&l->conn.c))
			finish(disk, op, rc);
	}
}

/* A request whose connection failed, or whose server leaves, stays open. */
static bool is_answer(const struct nbd_client *c, int result)
{
	return result != NBD_ESHUTDOWN && !(result < 0 && nbd_error(c));
}

static void reap(struct nbd_disk *disk, struct nbd_disk_link *l)
{
	struct nbd_client *c = &l->conn.c;
	struct nbd_req *r;

	while ((r = nbd_reap(c))) {
		struct nbd_disk_op *op = r->op.user;
		int result = nbd_req_result(r);

		op->n_extents = r->n_extents;
		nbd_release(c, r);
		if (!is_answer(c, result)) {
			op->on = NULL;
			continue;
		}
		disk->replied = l->heard = nbd_now_ms();
		l->answered = true;
		nbd_retry_begin(&disk->retry);
		finish(disk, op, result);
	}
}

/*
 * Sends and receives, and sees whether the connection still lives.  NBD_E_AGAIN:
 * nothing can be done without a wait.
 */
static int pump(struct nbd_disk *disk, struct nbd_disk_link *l)
{
	struct nbd_client *c = &l->conn.c;
	const uint64_t silence = disk->cfg->silence;
	uint64_t now;
	size_t before = dial_left(&l->conn), left;
	int rc = dial_pump(&l->conn);

	left = dial_left(&l->conn);
	reap(disk, l);
	now = nbd_now_ms();
	if (rc > 0 || left != before)
		disk->heard = now;
	if (rc >= 0 || left != before || !is_busy(c))
		l->heard = now;
	if (nbd_error(c))
		nbd_diag(&disk->d, nbd_error(c), "%s",
			 nbd_err_text(nbd_error(c)));
	else if (now - l->heard >= silence)
		nbd_diag(&disk->d, NBD_E_TIMEOUT, "the server is silent");
	else if (!nbd_must_close(c) || nbd_waiting(c))
		return is_busy(c) ? rc : NBD_E_AGAIN;
	/* those without requests would fall silent later, one by one */
	if (now - l->heard >= silence && now - disk->heard >= silence)
		leave_all(disk);
	lose(disk, l);
	return 0;
}

/* False: nothing can be done without a wait. */
static bool move(struct nbd_disk *disk)
{
	bool any = false;

	if (NBD_DISK_LINKS > 1)
		bring_all(disk);
	submit(disk);
	for (unsigned i = 0; i < NBD_DISK_LINKS; i++) {
		struct nbd_disk_link *l = &disk->link[i];

		if (l->state == NBD_DISK_LIVE)
			any |= pump(disk, l) != NBD_E_AGAIN;
		else if (l->state == NBD_DISK_COMING)
			any |= l->conn.more;
	}
	return any;
}

static void wait(struct nbd_disk *disk, uint64_t ms)
{
	struct nbd_stack *net = disk->cfg->net;
	struct nbd_event ev[NBD_DISK_LINKS];

	for (unsigned i = 0; i < NBD_DISK_LINKS; i++) {
		const struct nbd_disk_link *l = &disk->link[i];
		bool on = l->state == NBD_DISK_COMING ||
			  (l->state == NBD_DISK_LIVE && is_busy(&l->conn.c));

		ev[i].fd = on ? l->conn.s.fd : -1;
		ev[i].want = on ? dial_wants(&l->conn) : 0;
		ev[i].ready = false;
	}
	net->wait(net, ev, NBD_DISK_LINKS, ms < 500 ? (int)ms : 500);
	for (unsigned i = 0; i < NBD_DISK_LINKS; i++)
		disk->link[i].ready = ev[i].ready;
}

struct nbd_disk_op *nbd_disk_wait(struct nbd_disk *disk, unsigned ms)
{
	uint64_t end = nbd_now_ms() + ms, now;
	bool any;

	for (;;) {
		if (disk->done.first)
			return disk_list_pop(&disk->done);
		if (disk->err)
			fail_all(disk, disk->err);
		if (is_stopped(disk)) {
			leave_all(disk);
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
		any = move(disk);
		now = nbd_now_ms();
		if (disk->done.first || !disk->connected)
			continue;
		if (now >= end)
			return NULL;
		if (!any)
			wait(disk, end - now);
	}
}

void nbd_disk_add(struct nbd_disk *disk, struct nbd_disk_op *op)
{
	/* an outage is counted from its first request on */
	if (!disk->open.first)
		disk->replied = nbd_now_ms();
	op->on = NULL;
	disk_list_push(&disk->open, op);
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
	disk->more = (struct nbd_retry){ .min = PAUSE_MIN, .max = MORE_MAX };
	nbd_retry_begin(&disk->retry);
	err = connect_round(disk);
	if (err)
		return err;
	disk->export = *nbd_export(&disk->link[0].conn.c);
	disk->known = true;
	return 0;
}

void nbd_disk_close(struct nbd_disk *disk)
{
	leave_all(disk);
}
