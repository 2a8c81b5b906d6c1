/* SPDX-License-Identifier: BSD-2-Clause */
/* The session: requests in pieces, and what a person sees of an outage. */
#include "boot/uefi/session.h"

#include <string.h>

#include "port/export_same.h"
#include "port/uefi/uefi.h"

/* Without a byte for so long, while a request is open, a connection is dead. */
#define SILENCE_MS 10000
/* How often an outage is reported. */
#define SAY_MS	   5000
/* ms between attempts to connect: the first pause, and the longest. */
#define RETRY_MIN  250
#define RETRY_MAX  2000
/* How often the keyboard is looked at. */
#define LOOK_MS	   50
/* The patience of the first connection, ms. */
#define FIRST_MS   30000

const char *uefi_session_name(const struct uefi_session *s, char *buf,
			      size_t cap)
{
	const struct nbd_uri *u = &s->uris[s->disk.at];

	if (nbd_uri_print(u, buf, cap) < 0)
		nbd_fmt(buf, cap, "nbd://%s/...", u->host);
	return buf;
}

/* ---- messages ---- */

static uint64_t seconds_since(uint64_t ms)
{
	return (nbd_now_ms() - ms) / 1000;
}

/* "nbdboot: nbd://host/x: WHAT (5 s)TAIL": an outage began at ms. */
static void say(struct uefi_session *s, const char *what, uint64_t ms,
		const char *tail)
{
	char name[256];

	efi_print("nbdboot: %s: %s (%llu s)%s\n",
		  uefi_session_name(s, name, sizeof(name)), what,
		  (unsigned long long)seconds_since(ms), tail);
}

static void say_outage(struct uefi_session *s, uint64_t ms)
{
	const char *why = s->disk.d.text;

	s->said = nbd_now_ms();
	say(s, *why ? why : "no answer yet", ms,
	    s->opening ? "; Esc gives up" : "; retrying, Esc gives up");
}

static void look_for_escape(struct uefi_session *s)
{
	struct efi_key k;

	while (efi_key(&k))
		if (k.scan == EFI_SCAN_ESC || k.c == 0x1b)
			s->stop = 1;
}

/* A connection that fails is reported at once, one that is slow is not. */
void uefi_session_idle(struct uefi_session *s)
{
	uint64_t now = nbd_now_ms(), since = s->opening;
	bool cut = !s->opening && !s->disk.connected;

	if (now - s->looked < LOOK_MS)
		return;
	s->looked = now;
	if (!since && s->disk.open.first)
		since = s->disk.replied;
	if (!since || (!cut && now - since < LOOK_MS * 10))
		return;
	look_for_escape(s);
	if ((cut && !s->said) || now - (s->said ? s->said : since) >= SAY_MS)
		say_outage(s, since);
}

static void end_outage(struct uefi_session *s, uint64_t begin)
{
	if (s->said)
		say(s, "answers again, after an outage", begin, "");
	s->said = 0;
	s->disk.d.text[0] = '\0';
}

/* ---- begin and end ---- */

static int check_uris(const struct uefi_session *s, struct nbd_diag *d)
{
	for (unsigned i = 0; i < s->n_uris; i++)
		if (s->uris[i].is_unix)
			return nbd_diag(d, NBD_E_URI,
					"firmware has no UNIX sockets");
	return NBD_OK;
}

static void pause_ms(struct uefi_session *s, unsigned ms)
{
	uint64_t end = nbd_now_ms() + ms;

	while (!s->stop && nbd_now_ms() < end) {
		s->net->wait(s->net, NULL, 0, 10);
		uefi_session_idle(s);
	}
}

static int open_disk(struct uefi_session *s)
{
	struct nbd_retry retry = {
		.min = RETRY_MIN,
		.max = RETRY_MAX,
		.patience = s->patience ? s->cfg.patience : FIRST_MS,
	};
	int rc, ms;

	nbd_retry_begin(&retry);
	for (;;) {
		rc = nbd_disk_open(&s->disk, &s->cfg);
		if (!rc || s->stop)
			break;
		ms = nbd_retry_failed(&retry, rc);
		if (ms < 0)
			break;
		pause_ms(s, (unsigned)ms);
	}
	if (s->stop)
		return nbd_diag(&s->disk.d, NBD_E_INTERRUPTED,
				"given up by Esc");
	if (!rc && s->disk.export.size < 512)
		rc = nbd_diag(&s->disk.d, NBD_E_SIZE,
			      "the export has %llu bytes: too small for a disk",
			      (unsigned long long)s->disk.export.size);
	return rc;
}

int uefi_session_open(struct uefi_session *s, struct nbd_diag *d)
{
	int rc = check_uris(s, d);

	if (rc)
		return rc;
	s->cfg = (struct nbd_disk_config){
		.uris = s->uris,
		.n_uris = s->n_uris,
		.connections = s->connections,
		.fixed = true, /* the firmware knows its size */
		.block = s->block,
		.longest = UEFI_PIECE,
		.net = s->net,
		.stop = &s->stop,
		.patience = s->patience && s->patience < ~0u / 1000
				    ? s->patience * 1000
				    : ~0u,
		.silence = SILENCE_MS
	};
	rc = uefi_nbds_open(s, d);
	if (rc)
		return rc;
	s->dead = s->stop = 0;
	s->said = 0;
	s->opening = nbd_now_ms();
	*s->waits = s;
	rc = open_disk(s);
	s->opening = s->said = 0;
	*d = s->disk.d;
	if (rc)
		uefi_session_close(s);
	return rc;
}

void uefi_session_close(struct uefi_session *s)
{
	nbd_disk_close(&s->disk);
	uefi_nbds_close(s);
}

/* The firmware's memory must not change any more. */
void uefi_session_end(struct uefi_session *s)
{
	nbd_disk_close(&s->disk);
	s->dead = NBD_E_SHUTDOWN;
}

/* ---- requests ---- */

struct job {
	unsigned type;
	uint64_t offset;
	unsigned char *buf;
	size_t len;
	unsigned open; /* requests in flight */
	int err;
};

/* Sends the next piece of a job, which has bytes left. */
static void next(struct uefi_session *s, struct job *j, struct uefi_piece *p)
{
	size_t n = nbd_export_max(&s->disk.export);

	if (n > UEFI_PIECE)
		n = UEFI_PIECE;
	if (n > j->len)
		n = j->len;
	p->v = (struct nbd_iov){ j->buf, n };
	p->op = (struct nbd_disk_op){ .op = { .type = (uint16_t)j->type,
					      .offset = j->offset,
					      .len = n,
					      .iov = &p->v,
					      .n_iov = 1 },
				      .user = p };
	j->offset += n;
	j->buf += n;
	j->len -= n;
	j->open++;
	nbd_disk_add(&s->disk, &p->op);
}

static int run(struct uefi_session *s, struct job *j)
{
	uint64_t begin = nbd_now_ms();
	struct nbd_disk_op *op;

	for (unsigned i = 0; i < UEFI_DEPTH && j->len; i++)
		next(s, j, &s->piece[i]);
	while (j->open) {
		op = nbd_disk_wait(&s->disk, SAY_MS);
		if (!op)
			continue;
		j->open--;
		if (op->result && !j->err)
			j->err = op->result;
		if (!op->result)
			end_outage(s, begin);
		if (!j->err && j->len)
			next(s, j, op->user);
	}
	return j->err;
}

/*
 * The session's result of a request.  An error reply of the server (rc > 0)
 * leaves the session as it is; any other error ends it for good, if the
 * connection is lost as well.
 */
static int conclude(struct uefi_session *s, int rc)
{
	char name[256];

	if (rc >= 0 || s->disk.connected)
		return rc > 0 ? NBD_E_IO : rc;
	if (rc == NBD_E_INTERRUPTED)
		nbd_diag(&s->disk.d, rc, "given up by Esc");
	efi_print("nbdboot: FAILED: %s: %s\n",
		  uefi_session_name(s, name, sizeof(name)), s->disk.d.text);
	s->dead = rc;
	return rc;
}

int uefi_session_run(struct uefi_session *s, unsigned type, uint64_t offset,
		     void *buf, size_t len)
{
	struct job j = {
		.type = type, .offset = offset, .buf = buf, .len = len
	};

	if (s->dead)
		return s->dead;
	*s->waits = s;
	if (type != NBD_CMD_FLUSH)
		return conclude(s, run(s, &j));
	if (!(s->disk.export.flags & NBD_FLAG_SEND_FLUSH))
		return NBD_OK;
	return conclude(s, nbd_disk_do(&s->disk, type, 0, NULL, 0));
}
