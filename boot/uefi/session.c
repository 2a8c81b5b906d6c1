/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The session:
 *
 *	DOWN --dial, size and flags checked--> UP --requests--> UP
 *	 ^ |                                   |
 *	 | '--Esc, patience, another disk--> DEAD
 *	 '------------- no answer, closed -----'
 */
#include "boot/uefi/session.h"

#include <string.h>

#include "port/uefi/uefi.h"

/* Without a byte for so long, while a request is open, a connection is dead. */
#define SILENCE_MS 10000
/* How often an outage is reported. */
#define SAY_MS	   5000
#define RETRY_MS   250
/* The patience of the first connection, s. */
#define FIRST	   30
/* Repeated after an outage: at most this much of a long read. */
#define STRETCH	   (16u << 20)

const char *uefi_session_name(const struct uefi_session *s, char *buf,
			      size_t cap)
{
	if (nbd_uri_print(&s->uris[s->at], buf, cap) < 0)
		nbd_fmt(buf, cap, "nbd://%s/...", s->uris[s->at].host);
	return buf;
}

/* ---- messages ---- */

static void say(struct uefi_session *s, const char *what)
{
	uint64_t now = nbd_now_ms();
	char name[256];

	s->said = now;
	efi_print("nbdboot: %s: %s (%llu s)%s\n",
		  uefi_session_name(s, name, sizeof(name)), what,
		  (unsigned long long)((now - s->since) / 1000),
		  s->known ? "; retrying, Esc gives up" : "; Esc gives up");
}

static void look_for_escape(struct uefi_session *s)
{
	struct efi_key k;

	while (efi_key(&k))
		if (k.scan == EFI_SCAN_ESC || k.c == 0x1b)
			s->stop = 1;
}

void uefi_session_idle(struct uefi_session *s)
{
	uint64_t now = nbd_now_ms();

	if (!s->since || now - s->looked < 50)
		return;
	s->looked = now;
	look_for_escape(s);
	if (now - s->said >= SAY_MS)
		say(s, s->why.text[0] ? s->why.text : "no answer yet");
}

/* ---- connecting ---- */

/* The disk of another size is another disk. */
static int check(struct uefi_session *s, struct nbd_diag *d)
{
	const struct nbd_export *e = nbd_export(&s->conn.c);

	if (s->known && (e->size != s->size || e->flags != s->flags))
		return nbd_diag(d, NBD_E_MISMATCH,
				"this is another disk: %llu bytes, flags 0x%x, "
				"before %llu and 0x%x",
				(unsigned long long)e->size, e->flags,
				(unsigned long long)s->size, s->flags);
	if (e->size < 512)
		return nbd_diag(d, NBD_E_SIZE,
				"the export has %llu bytes: too "
				"small for a disk",
				(unsigned long long)e->size);
	s->known = true;
	s->size = e->size;
	s->flags = e->flags;
	s->min_block = e->has_block ? e->min_block : 1;
	return NBD_OK;
}

static int dial_one(struct uefi_session *s, struct nbd_diag *d)
{
	const struct nbd_uri *u = &s->uris[s->at];
	int rc;

	if (u->tls)
		return nbd_diag(d, NBD_E_NOT_OFFERED,
				"nbds:// needs TLS, which nbdboot.efi does "
				"not have");
	if (u->is_unix)
		return nbd_diag(d, NBD_E_URI, "firmware has no UNIX sockets");
	memset(&s->conn, 0, sizeof(s->conn));
	s->conn.net = s->net;
	s->conn.stop = &s->stop;
	s->cfg =
		(struct nbd_config){ .name = u->name, .name_len = u->name_len };
	rc = dial(&s->conn, 1, u, &s->cfg, NULL, d);
	if (rc)
		return rc;
	rc = check(s, d);
	if (rc) {
		dial_hangup(&s->conn, 1);
		return rc;
	}
	nbd_start(&s->conn.c, &s->io);
	s->connected = true;
	return NBD_OK;
}

/*
 * One round over all servers, from the one in use on.  Returns the error that
 * gives most hope: one that may pass, if there is any.
 */
static int dial_round(struct uefi_session *s)
{
	int rc, best = 0;

	for (unsigned i = 0; i < s->n_uris; i++) {
		struct nbd_diag d = { "" };

		rc = dial_one(s, &d);
		if (!rc || rc == NBD_E_INTERRUPTED)
			return rc;
		if (!best || nbd_err_is_outage(rc)) {
			best = rc;
			s->why = d;
		}
		s->at = (s->at + 1) % s->n_uris;
	}
	return best;
}

static void pause_ms(struct uefi_session *s, unsigned ms)
{
	uint64_t end = nbd_now_ms() + ms;

	while (!s->stop && nbd_now_ms() < end) {
		s->net->wait(s->net, NULL, 0, 10);
		uefi_session_idle(s);
	}
}

static bool is_late(const struct uefi_session *s, unsigned patience)
{
	return patience && nbd_now_ms() - s->since >= patience * 1000ull;
}

/* Connects, again and again.  The reason of a failure is in s->why. */
static int connect(struct uefi_session *s, unsigned patience)
{
	int rc;

	if (!s->since)
		s->since = s->said = nbd_now_ms();
	s->stop = 0;
	for (;;) {
		rc = dial_round(s);
		if (!rc || rc == NBD_E_INTERRUPTED || !nbd_err_is_outage(rc) ||
		    is_late(s, patience))
			break;
		pause_ms(s, RETRY_MS);
	}
	if (rc == NBD_E_INTERRUPTED || s->stop)
		return nbd_diag(&s->why, NBD_E_INTERRUPTED, "given up by Esc");
	return rc;
}

int uefi_session_open(struct uefi_session *s, struct nbd_diag *d)
{
	int rc = connect(s, s->patience ? s->patience : FIRST);

	s->since = 0;
	*d = s->why;
	return rc;
}

void uefi_session_close(struct uefi_session *s)
{
	if (s->connected)
		dial_hangup(&s->conn, 1);
	s->connected = false;
}

void uefi_session_end(struct uefi_session *s)
{
	uefi_session_close(s);
	s->dead = NBD_E_SHUTDOWN;
}

/* ---- requests ---- */

struct job {
	unsigned type;
	uint64_t offset;
	unsigned char *buf;
	size_t len, sent;
	unsigned open; /* requests in flight */
	int err;
};

static size_t piece_of(const struct uefi_session *s, const struct job *j)
{
	size_t left = j->len - j->sent, most = nbd_max_payload(&s->conn.c);

	if (most > UEFI_PIECE)
		most = UEFI_PIECE;
	return left < most ? left : most;
}

static unsigned free_iov(const struct uefi_session *s)
{
	unsigned i = 0;

	while (i < UEFI_DEPTH && s->iov[i].base)
		i++;
	return i;
}

static int submit(struct uefi_session *s, struct job *j)
{
	struct nbd_iov *v = &s->iov[free_iov(s)];
	bool flush = j->type == NBD_CMD_FLUSH;
	struct nbd_op op = { .type = (uint16_t)j->type };
	int rc;

	*v = (struct nbd_iov){ flush ? (void *)s : j->buf + j->sent,
			       flush ? 1 : piece_of(s, j) };
	if (!flush) {
		op.offset = j->offset + j->sent;
		op.len = v->len;
		op.iov = v;
		op.n_iov = 1;
	}
	op.user = v;
	rc = nbd_submit(&s->conn.c, &op);
	if (rc < 0) {
		v->base = NULL;
		return rc;
	}
	j->sent += v->len;
	j->open++;
	return 0;
}

static void reap(struct uefi_session *s, struct job *j)
{
	struct nbd_req *r;

	while ((r = nbd_reap(&s->conn.c))) {
		int result = nbd_req_result(r);

		if (result && !j->err)
			j->err = result;
		((struct nbd_iov *)r->op.user)->base = NULL;
		j->open--;
		nbd_release(&s->conn.c, r);
	}
}

static void fill(struct uefi_session *s, struct job *j)
{
	while (!j->err && j->sent < j->len && j->open < UEFI_DEPTH &&
	       nbd_state(&s->conn.c) & NBD_READY)
		j->err = submit(s, j);
}

/* Waits until bytes can move.  NBD_E_TIMEOUT: the server is silent. */
static int wait(struct uefi_session *s)
{
	uint64_t begin = nbd_now_ms();
	struct nbd_event ev = { .fd = s->conn.s.fd };

	do {
		ev.want = nbd_state(&s->conn.c) & NBD_SEND ? NBD_SEND
							   : NBD_RECV;
		ev.ready = false;
		s->net->wait(s->net, &ev, 1, 100);
		if (ev.ready)
			return 0;
		if (!s->since && nbd_now_ms() - begin >= SAY_MS) {
			s->since = begin;
			s->why.text[0] = '\0';
		}
		uefi_session_idle(s);
		if (s->stop)
			return NBD_E_INTERRUPTED;
	} while (nbd_now_ms() - begin < SILENCE_MS);
	return NBD_E_TIMEOUT;
}

/*
 * One try of a job on one connection: 0, a positive error of the server, or a
 * negative one of the connection.
 */
static int try(struct uefi_session *s, struct job *j)
{
	int rc;

	memset(s->iov, 0, sizeof(s->iov));
	while (fill(s, j), j->open) {
		rc = dial_pump(&s->conn);
		reap(s, j);
		if (rc == NBD_E_AGAIN && j->open) {
			rc = wait(s);
			if (rc)
				return rc;
		}
		if (!nbd_waiting(&s->conn.c) && nbd_error(&s->conn.c))
			break;
	}
	return j->err;
}

/* Says that it is back, if it was away for long enough to be noticed. */
static void end_outage(struct uefi_session *s)
{
	char name[256];

	if (s->since && s->why.text[0])
		efi_print("nbdboot: %s: answers again, after %llu s\n",
			  uefi_session_name(s, name, sizeof(name)),
			  (unsigned long long)(nbd_now_ms() - s->since) / 1000);
	s->since = 0;
	s->why.text[0] = '\0';
}

static int revive(struct uefi_session *s, int err)
{
	char name[256];
	int rc;

	uefi_session_close(s);
	if (!s->since)
		s->since = nbd_now_ms();
	if (err == NBD_E_INTERRUPTED)
		return nbd_diag(&s->why, err, "given up by Esc");
	nbd_diag(&s->why, err, "%s", nbd_err_text(err));
	say(s, s->why.text);
	rc = connect(s, s->patience);
	if (rc)
		efi_print("nbdboot: FAILED: %s: %s\n",
			  uefi_session_name(s, name, sizeof(name)),
			  s->why.text);
	return rc;
}

static int run(struct uefi_session *s, const struct job *whole)
{
	for (;;) {
		struct job j = *whole;
		int rc = s->connected ? try(s, &j) : NBD_E_CUT;

		if (rc >= 0) {
			end_outage(s);
			return rc ? NBD_E_IO : NBD_OK;
		}
		if (!nbd_error(&s->conn.c) && rc != NBD_E_TIMEOUT &&
		    rc != NBD_E_INTERRUPTED && s->connected)
			return rc;
		rc = revive(s, rc);
		if (rc) {
			s->dead = rc;
			return rc;
		}
	}
}

int uefi_session_run(struct uefi_session *s, unsigned type, uint64_t offset,
		     void *buf, size_t len)
{
	struct job j = { .type = type, .offset = offset, .buf = buf };
	int rc = s->dead;

	if (type == NBD_CMD_FLUSH) {
		j.len = 1;
		return rc || !(s->flags & NBD_FLAG_SEND_FLUSH) ? rc
							       : run(s, &j);
	}
	while (len && !rc) {
		j.len = len < STRETCH ? len : STRETCH;
		rc = run(s, &j);
		j.offset += j.len;
		j.buf += j.len;
		len -= j.len;
	}
	return rc;
}
