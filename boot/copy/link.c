/* SPDX-License-Identifier: BSD-2-Clause */
/* The connections of a side: they are opened, opened again, and left. */
#include "boot/copy/copy.h"
#include "port/export_same.h"
#include "port/linux/suspend.h"

#include <string.h>

/* The default if the server allows several; more are not faster. */
#define CONNECTIONS 4

/* ms between attempts to connect again: the first pause, and the longest. */
#define PAUSE_MIN 100
#define PAUSE_MAX 5000

/*
 * A server that is silent again and again, without an end, is no outage.  Nor is
 * one that fails COPY_FAILURES times before it has flushed anything.
 */
#define SILENCES 3

/* ms to wait for requests in flight before closing. */
#define GOODBYE_MS 5000

/* ms by which two clocks may differ on a busy machine that was not suspended. */
#define NAP_MS 1000

/* Opens n connections, after those that the side has already. */
static int open_some(struct copy_link *l, unsigned n,
		     const struct nbd_config *cfg, struct nbd_diag *d)
{
	struct conn *first = l->conns + l->n;
	int err;

	first->number = l->n;
	first->stop = &copy_interrupted;
	err = device_tls_dial(&l->tls, first, n, l->uri, cfg, &l->o->files,
			      false, d);
	if (!err)
		l->n += n;
	return err;
}

static struct nbd_config best(const struct copy_link *l)
{
	return (struct nbd_config){
		.name = l->uri->name,
		.name_len = l->uri->name_len,
		.tls = l->uri->tls,
		.extra = l->o->simple ? NULL : NBD_BEST_REPLIES,
	};
}

static void say(const struct side *s, const struct nbd_diag *d)
{
	if (!s->link->o->say)
		return;
	if (s->copy)
		copy_progress_clear(&s->copy->progress);
	s->link->o->say(d);
}

/*
 * Without o->connections, the number depends on what the server allows.  Some
 * allow several, but not so many: "qemu-nbd -e 2" never answers the third.
 */
static int open_links(struct side *s, struct nbd_diag *d)
{
	struct copy_link *l = s->link;
	const struct nbd_config cfg = best(l);
	unsigned n = l->o->connections;
	int err = open_some(l, n ? n : 1, &cfg, d);

	if (err)
		return err;
	l->flags = nbd_export(&l->conns[0].c)->flags;
	if (n || !(l->flags & NBD_FLAG_CAN_MULTI_CONN))
		return 0;
	err = open_some(l, CONNECTIONS - 1, &l->conns[0].cfg, d);
	if (!err || err == NBD_E_INTERRUPTED || err == NBD_E_MISMATCH)
		return err;
	nbd_diag_prefix(d, 0, "%s goes on with one connection, not %u", s->name,
			CONNECTIONS);
	say(s, d);
	return 0;
}

/*
 * Not inline: gcc 12 with -Os would take the first connection for no more than
 * its engine, whose address open_links() has used, and warn.
 */
__attribute__((noinline)) static int
set_limits(struct side *s, const struct copy_link *l, struct nbd_diag *d)
{
	struct nbd_export e;
	int err = dial_agree(&e, l->conns, l->n, d);
	uint32_t max = nbd_export_max(&e);

	s->size = e.size;
	s->align = e.has_block ? e.min_block : 1;
	s->piece = max < COPY_PIECE ? max & ~(s->align - 1) : COPY_PIECE;
	s->zeroes = e.flags & NBD_FLAG_SEND_WRITE_ZEROES ? COPY_ZEROES
							 : s->piece;
	return err;
}

/*
 * A destination is written from end to end: nothing of it stays that could
 * identify it.  Blocks larger than the reader's memory are not read, either.
 */
static bool has_identity(const struct side *s)
{
	const struct copy_options *o = s->link->o;

	/* for the server that comes back, or for the next copy */
	return DEVICE_IDENTITY && !s->output && (o->patience || o->map) &&
	       s->align <= sizeof(s->link->reader.buf);
}

static int read_identity(struct side *s, char text[DEVICE_IDENTITY_TEXT],
			 struct nbd_diag *d)
{
	struct copy_link *l = s->link;

	text[0] = '\0';
	return !has_identity(s) ? 0
				: device_identity_take(&l->reader, &l->conns[0],
						       false, text, d);
}

static void start(struct side *s)
{
	struct copy_link *l = s->link;

	for (unsigned i = 0; i < l->n; i++)
		l->no_map |= !nbd_has_context(&l->conns[i].c);
	copy_link_take_pages(s);
	/* the one that has read the identity goes on with the reader's memory */
	for (unsigned i = has_identity(s); i < l->n; i++)
		nbd_start(&l->conns[i].c, &l->io[i]);
}

static void give_up(struct copy_link *l)
{
	dial_hangup(l->conns, l->n);
	l->n = 0;
}

int copy_link_open(struct side *s, struct copy_link *l,
		   const struct nbd_uri *uri, const struct copy_options *o,
		   struct nbd_diag *d)
{
	int err;

	l->uri = uri;
	l->o = o;
	l->tls.bulk = true;
	l->latency = o->latency;
	l->retry = (struct nbd_retry){ .min = PAUSE_MIN,
				       .max = PAUSE_MAX,
				       .patience = o->patience * 1000 };
	s->link = l;
	err = open_links(s, d);
	if (!err && s->output && l->flags & NBD_FLAG_READ_ONLY)
		err = nbd_diag(d, NBD_E_READ_ONLY, "%s: %s", s->name,
			       nbd_err_text(NBD_E_READ_ONLY));
	if (!err)
		err = set_limits(s, l, d);
	if (!err)
		err = read_identity(s, l->identity, d);
	if (err) {
		give_up(l);
		device_tls_close(&l->tls);
		s->link = NULL;
		return err;
	}
	l->wanted = l->n;
	start(s);
	return 0;
}

/* ---- again ---- */

static unsigned seconds_since(uint64_t ms)
{
	return (unsigned)((nbd_now_ms() - ms + 500) / 1000);
}

void copy_link_answers(struct side *s, bool is_flush)
{
	struct copy_link *l = s->link;
	struct nbd_diag note;

	l->answered = true;
	/* one that takes writes, but never flushes them, has no end */
	if (is_flush || !s->output)
		l->silent = 0;
	if (is_flush)
		l->failures = 0;
	if (l->away) {
		nbd_diag(&note, 0, "%s answers again, after %u s", s->name,
			 seconds_since(l->away));
		say(s, &note);
	}
	l->away = 0;
}

static int check_identity(struct side *s, struct nbd_diag *d)
{
	char now[DEVICE_IDENTITY_TEXT];
	int err = read_identity(s, now, d);

	if (err || !s->link->identity[0] || !strcmp(now, s->link->identity))
		return err;
	if (!now[0])
		return nbd_diag(d, NBD_E_IO,
				"the server fails to read the samples that "
				"identify its disk");
	return nbd_diag(d, NBD_E_MISMATCH,
			"the server has another disk image than before");
}

/* Is it the export that the copy has begun with? */
static int check_same(struct side *s, struct nbd_diag *d)
{
	struct copy_link *l = s->link;
	unsigned used = s->output ? NBD_FLAG_SEND_FLUSH |
					    NBD_FLAG_SEND_WRITE_ZEROES
				  : 0;
	struct nbd_relied r = {
		.size = s->base + s->size + s->rest,
		.fixed = !s->output,
		.read_only = !s->output,
		.block = s->align,
		.longest = s->piece,
	};
	struct nbd_export e;
	int err = dial_agree(&e, l->conns, l->n, d);

	if (l->n > 1)
		used |= NBD_FLAG_CAN_MULTI_CONN;
	r.flags = (uint16_t)(l->flags & used);
	if (!err)
		err = nbd_export_fits(&r, &e, d);
	return err ? err : check_identity(s, d);
}

static int connect_again(struct side *s, struct nbd_diag *d)
{
	struct copy_link *l = s->link;
	const struct nbd_config cfg = best(l);
	int err = open_some(l, l->wanted, &cfg, d);

	if (!err)
		err = check_same(s, d);
	if (err)
		give_up(l);
	else
		start(s);
	return err;
}

static void begin_outage(struct side *s, const struct nbd_diag *d)
{
	struct copy_link *l = s->link;
	struct nbd_diag note;

	l->away = nbd_now_ms();
	l->slept = suspend_ms();
	nbd_retry_begin(&l->retry);
	nbd_diag(&note, 0, "%s; waiting for the server, for %u s at most",
		 d->text, l->o->patience);
	say(s, &note);
}

/*
 * As nbd_retry_failed(), but no server answers while this machine is suspended,
 * and its network comes back after that: patience starts anew.
 */
static int failed(struct copy_link *l, int err)
{
	uint64_t slept = suspend_ms();

	if (slept > l->slept + NAP_MS) {
		nbd_retry_begin(&l->retry);
		l->slept = slept;
	}
	return nbd_retry_failed(&l->retry, err);
}

static int end_outage(const struct side *s, int err, struct nbd_diag *d)
{
	if (copy_interrupted)
		return NBD_E_CUT;
	return nbd_diag_prefix(d, err, "%s, away for %u s", s->name,
			       seconds_since(s->link->away));
}

/*
 * A source that hangs up at each read of one piece, as qemu-nbd does if its disk
 * has an error there, answers others: it would never be given up.
 */
static void note_progress(const struct side *s)
{
	struct copy_link *l = s->link;
	uint64_t low;

	if (!l || s->output)
		return;
	low = copy_low_water(s->copy);
	if (low != l->low)
		l->failures = 0;
	l->low = low;
}

/* One that has never answered is none to wait for, or hangs up at the start. */
static bool is_untried(const struct side *s)
{
	const struct copy_link *l = s->link;

	return !l->answered && (s->output || !l->o->skip_bad);
}

int copy_side_reconnect(struct side *s, int why, struct nbd_diag *d)
{
	struct copy_link *l = s->link;
	int ms = 0, err = why;

	note_progress(s);
	if (!l || !l->o->patience || is_untried(s) || copy_interrupted ||
	    !nbd_err_is_outage(why) ||
	    (why == NBD_E_TIMEOUT && ++l->silent > SILENCES) ||
	    ++l->failures > COPY_FAILURES)
		return why;
	copy_link_leave(s);
	l->asking = false;
	l->flush = NOT_FLUSHED;
	/*
	 * One that answers nothing before it fails again is still away.  But it
	 * had made the connections, so that counts as a failure, too.
	 */
	if (l->away)
		ms = failed(l, why);
	else
		begin_outage(s, d);
	while (ms >= 0 && !copy_interrupted) {
		poll(NULL, 0, ms);
		err = connect_again(s, d);
		if (!err)
			return 0;
		ms = failed(l, err);
	}
	return end_outage(s, err, d);
}

int copy_side_recheck(struct side *s, struct nbd_diag *d)
{
	struct copy_link *l = s->link;
	int err;

	if (!l || !l->refused)
		return 0;
	/* leave first: some servers accept one client at a time */
	copy_link_leave(s);
	l->asking = false;
	l->refused = false;
	err = connect_again(s, d);
	return err ? nbd_diag_prefix(d, err,
				     "%s refused to read its end, and has to "
				     "show that it is as long as before",
				     s->name)
		   : 0;
}

/* ---- left ---- */

unsigned copy_side_poll(const struct side *s, struct pollfd fds[], unsigned n)
{
	for (unsigned i = 0; s->link && i < s->link->n; i++) {
		const struct conn *conn = &s->link->conns[i];
		unsigned state = nbd_state(&conn->c);

		fds[n].events = (short)((state & NBD_SEND ? POLLOUT : 0) |
					(state & NBD_RECV ? POLLIN : 0));
		/* poll() reports a hangup even if asked for nothing */
		fds[n].fd = fds[n].events ? conn->s.fd : -1;
		n++;
	}
	return n;
}

/* Receives replies; returns how many connections still wait for some. */
static unsigned drain(struct copy_link *l)
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->n; i++) {
		struct nbd_client *c = &l->conns[i].c;
		struct nbd_req *r;
		bool more;

		/* several answers may have been read from TLS at once */
		do {
			more = dial_pump(&l->conns[i]) > 0;
			while ((r = nbd_reap(c))) {
				nbd_release(c, r);
				more = true;
			}
		} while (more && copy_interrupted < COPY_LEAVE);
		n += nbd_state(c) != NBD_CLOSED;
	}
	return n;
}

/*
 * After a failure of the other side, or of one connection, requests are still
 * in flight.  Wait for them: nbdkit 1.32 aborts if a client disconnects
 * meanwhile, and all its other clients lose their disks.
 */
void copy_link_leave(struct side *s)
{
	uint64_t now, end = nbd_now_ms() + GOODBYE_MS;
	struct copy_link *l = s->link;
	struct pollfd fds[COPY_LINKS];

	for (unsigned i = 0; i < l->n; i++)
		nbd_close(&l->conns[i].c);
	while (drain(l) && copy_interrupted < COPY_LEAVE &&
	       (now = nbd_now_ms()) < end)
		poll(fds, copy_side_poll(s, fds, 0), (int)(end - now));
	dial_hangup(l->conns, l->n);
	l->n = 0;
}
