/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server that says anything, to the engine.
 *
 * The first byte chooses the goal, TLS and how the bytes are cut: the same
 * input goes through whole windows and, to a second engine, in pieces whose
 * sizes the second byte seeds.  Both must end in the same state with the same
 * answers, and every promise of core/nbd.h is watched on the way.
 */
#include "core/nbd.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct peer {
	const uint8_t *p;
	size_t left;
	uint32_t seed; /* 0: whole windows */
	uint32_t digest;
	unsigned stops;
};

static struct nbd_client one, two;

static void must(bool yes)
{
	if (!yes)
		abort();
}

static void digest(struct peer *w, const void *p, size_t len)
{
	const uint8_t *b = p;

	while (len--)
		w->digest = (w->digest ^ *b++) * 16777619u;
}

/* How many of at most n bytes move this time, at least 1. */
static size_t piece(struct peer *w, size_t n)
{
	if (!w->seed)
		return n;
	w->seed = w->seed * 1664525u + 1013904223u;
	return 1 + (w->seed >> 16) % (n < 9 ? n : 9);
}

static void take_sent(struct nbd_client *c, struct peer *w)
{
	struct nbd_iov v[3];
	unsigned n = nbd_send_iov(c, v, 3);
	size_t len;

	must(n > 0 && n <= 3);
	for (unsigned i = 0; i < n; i++)
		must(v[i].len > 0);
	/* one piece at a time, so that the digest sees each byte once */
	len = piece(w, v[0].len);
	digest(w, v[0].base, len);
	nbd_send_ack(c, len);
}

/* False when the server has no more to say. */
static bool give(struct nbd_client *c, struct peer *w)
{
	size_t len;
	unsigned char *to = nbd_recv_buf(c, &len);

	must(to && len > 0);
	if (!w->left)
		return false;
	if (len > w->left)
		len = w->left;
	len = piece(w, len);
	memcpy(to, w->p, len);
	w->p += len;
	w->left -= len;
	nbd_recv_ack(c, len);
	return true;
}

static void look(const struct nbd_client *c, struct peer *w)
{
	const struct nbd_export *e = nbd_export(c);
	struct nbd_text name = nbd_name(c), text = nbd_text(c);

	must(name.len <= CONFIG_CORE_TEXT_MAX &&
	     text.len <= CONFIG_CORE_TEXT_MAX);
	digest(w, name.p, name.len);
	digest(w, text.p, text.len);
	if (!e)
		return;
	must(e->size <= INT64_MAX);
	must(!e->flags || e->flags & NBD_FLAG_HAS_FLAGS);
	if (e->has_block)
		must(e->min_block && e->min_block <= 65536 &&
		     !(e->min_block & (e->min_block - 1)) &&
		     e->pref_block >= 512 && e->max_payload >= e->pref_block);
	digest(w, &e->size, sizeof(e->size));
	digest(w, &e->flags, sizeof(e->flags));
}

/* What a program would do; false when there is nothing left to do. */
static bool step(struct nbd_client *c, struct peer *w)
{
	unsigned state = nbd_state(c);
	size_t len;

	/* no byte moves in both directions, none beyond a stop */
	must((state & (NBD_SEND | NBD_RECV)) != (NBD_SEND | NBD_RECV));
	if (!(state & NBD_RECV))
		must(!nbd_recv_buf(c, &len) && len == 0);
	if (state & NBD_CLOSED)
		return false;
	if (state & NBD_SEND) {
		take_sent(c, w);
	} else if (state & NBD_RECV) {
		if (!give(c, w))
			nbd_transport_error(c, 0);
	} else {
		must(state && w->stops++ < 10000);
		look(c, w);
		if (state & NBD_TLS)
			nbd_tls_done(c);
		else if (state & NBD_ITEM)
			nbd_next(c);
		else
			nbd_close(c);
	}
	return true;
}

static void run(struct nbd_client *c, struct peer *w,
		const struct nbd_config *cfg)
{
	struct nbd_iov v[3];
	size_t len;

	nbd_init(c, cfg);
	w->digest = 2166136261u;
	while (step(c, w))
		must(nbd_stage(c) && *nbd_stage(c));
	/* inert, and with a reason that has a name */
	must(nbd_state(c) == NBD_CLOSED);
	must(!nbd_recv_buf(c, &len) && nbd_send_iov(c, v, 3) == 0);
	must(nbd_error(c) <= 0 && nbd_error(c) > NBD_E_LAST);
	must(nbd_error(c) != NBD_E_PARAM);
	if (nbd_error(c))
		must(*nbd_err_text(nbd_error(c)));
	look(c, w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char name[NBD_STRING_MAX];
	struct nbd_config cfg = { .name = name };
	struct peer a = { 0 }, b = { 0 };

	if (size < 2)
		return 0;
	cfg.goal = data[0] & 1 ? NBD_GOAL_LIST : NBD_GOAL_EXPORT;
	cfg.tls = data[0] & 2;
	cfg.name_len = data[0] & 4 ? (data[0] & 8 ? NBD_STRING_MAX : 5) : 0;
	memset(name, 'n', sizeof(name));
	a.p = b.p = data + 2;
	a.left = b.left = size - 2;
	b.seed = data[1] + 1u;
	run(&one, &a, &cfg);
	run(&two, &b, &cfg);
	must(nbd_error(&one) == nbd_error(&two));
	must(a.left == b.left && a.digest == b.digest);
	return 0;
}
