/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several connections at once:
 *
 *   CONNECTING --writable--> TALKING --engine stops--> STOPPED
 *      ^ |                   ^ '--STARTTLS--> SECURING
 *      | '--refused, silent  '-----------------'
 *      '---- next address
 */
#include "port/dial.h"
#include "port/export_same.h"

#include <string.h>

/*
 * A wait stands still while the machine is suspended, the deadlines do not; and
 * a signal may come just before it.  So no wait is longer than this.
 */
#define LOOK_MS	  500
#define SILENT_MS 1000

/* TLS reads on by itself where the server sends warnings without end. */
#define READS 4096

/* Without TLS in the core, no engine asks for a handshake of TLS. */
#ifdef CONFIG_CORE_TLS
#define ASKS_TLS NBD_TLS
#else
#define ASKS_TLS 0
#endif

unsigned dial_connect_ms = 10000;

/* ---- one connection ---- */

/* The deadline of the handshake is one for all attempts. */
static void begin_talk(struct conn *conn)
{
	if (!conn->end)
		conn->end = nbd_now_ms() + DIAL_HANDSHAKE_MS;
	conn->deadline = conn->end;
	conn->state = CONN_TALKING;
}

static void shut(struct conn *conn)
{
	if (conn->s.fd >= 0)
		conn->s.t.close(&conn->s.t);
}

static void hang_up(struct conn *conn)
{
	if (conn->tls)
		conn->tls->stop(conn->tls, conn->number);
	shut(conn);
}

/* To the address after one that failed. */
static int skip_address(struct dial_call *call, struct conn *conn, int err)
{
	if (conn->addr + 1 == call->end)
		return dial_explain_connect(call, conn->addr, err);
	if (conn->addr++ == call->first)
		call->away = err;
	conn->s.port = conn->port;
	return 0;
}

/* Tries one address after the other until one connects or may yet do so. */
static int begin(struct dial_call *call, struct conn *conn)
{
	for (int err; conn->addr < call->end;) {
		conn->peer = call->addrs[conn->addr];
		err = conn->net->connect(conn->net, &conn->s, &conn->peer);
		if (err == 0 || err == NBD_E_AGAIN) {
			conn->state = CONN_CONNECTING;
			conn->deadline = nbd_now_ms() + dial_connect_ms;
			if (!err)
				begin_talk(conn);
			return 0;
		}
		err = skip_address(call, conn, err);
		if (err)
			return err;
	}
	return NBD_E_PARAM;
}

static int next_address(struct dial_call *call, struct conn *conn, int err)
{
	shut(conn);
	/* a NAT on the way may still know a connection from this port */
	if (conn->s.port && err == NBD_E_REFUSED) {
		conn->s.port = 0;
		return begin(call, conn);
	}
	err = skip_address(call, conn, err);
	return err ? err : begin(call, conn);
}

int dial_pump(struct conn *conn)
{
	int rc;

	conn->s.reads = READS;
	rc = nbd_pump(&conn->c, conn->t);
	conn->s.reads = 0;
	return rc;
}

size_t dial_left(struct conn *conn)
{
	struct nbd_iov v = { .len = 0 };
	size_t len;

	nbd_send_iov(&conn->c, &v, 1);
	nbd_recv_buf(&conn->c, &len);
	return v.len + len;
}

static int pump(struct conn *conn, struct nbd_diag *d)
{
	int rc = dial_pump(conn);

	conn->more = rc > 0;
	if (rc)
		return 0;
	conn->state = CONN_STOPPED;
	return nbd_error(&conn->c) ? dial_explain_talk(conn, d) : 0;
}

/* The handshake of TLS is going on. */
static bool is_secured(const struct conn *conn)
{
	return ASKS_TLS && conn->state == CONN_SECURING;
}

static int secure(struct conn *conn, struct nbd_diag *d)
{
	int err;

	conn->s.reads = READS;
	err = conn->tls->step(conn->tls, conn->number, d);
	conn->s.reads = 0;
	if (err < 0)
		return err;
	conn->state = err ? CONN_SECURING : CONN_TALKING;
	conn->wants = (unsigned char)err;
	if (err)
		return 0;
	conn->t = conn->tls->transport(conn->tls, conn->number);
	nbd_tls_done(&conn->c);
	conn->after_tls = nbd_stage(&conn->c);
	return pump(conn, d);
}

static int talk(struct conn *conn, struct nbd_diag *d)
{
	int err;

	if (is_secured(conn))
		return secure(conn, d);
	err = pump(conn, d);
	if (err || !(nbd_state(&conn->c) & ASKS_TLS))
		return err;
	err = conn->tls->start(conn->tls, conn->number, &conn->s.t, d);
	return err ? err : secure(conn, d);
}

bool dial_is_silent(const struct conn *conn)
{
	return conn->state == CONN_TALKING &&
	       !strcmp(nbd_stage(&conn->c), "the greeting");
}

static bool is_late(const struct conn *conn)
{
	return nbd_now_ms() >= conn->deadline;
}

static int time_out(struct conn *conn, struct nbd_diag *d)
{
	if (is_secured(conn))
		return nbd_diag(d, NBD_E_TIMEOUT, "TLS handshake: %s",
				nbd_err_text(NBD_E_TIMEOUT));
	nbd_transport_error(&conn->c, NBD_E_TIMEOUT);
	return dial_explain_talk(conn, d);
}

int dial_advance(struct dial_call *call, struct conn *conn, bool ready)
{
	int err;

	if (conn->state == CONN_CONNECTING) {
		err = ready ? conn->net->connected(&conn->s) : NBD_E_TIMEOUT;
		if (err)
			return next_address(call, conn, err);
		begin_talk(conn);
	}
	return is_late(conn) ? time_out(conn, call->d) : talk(conn, call->d);
}

/* ---- all of them ---- */

unsigned char dial_wants(const struct conn *conn)
{
	if (conn->state == CONN_CONNECTING)
		return NBD_SEND;
	if (is_secured(conn))
		return conn->wants;
	return nbd_state(&conn->c) & NBD_SEND ? NBD_SEND : NBD_RECV;
}

/* How long a wait may take for this connection, in ms. */
static int patience(const struct conn *conn)
{
	uint64_t now = nbd_now_ms();

	if (conn->more || now >= conn->deadline)
		return 0;
	return conn->deadline - now < LOOK_MS ? (int)(conn->deadline - now)
					      : LOOK_MS;
}

/* 1 if one of them may go on, or time has passed; 0 when all have stopped. */
static int wait(struct conn conns[], unsigned n, struct nbd_event ev[])
{
	int ms = LOOK_MS;
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		bool on = conns[i].state != CONN_STOPPED;

		ev[i].fd = on ? conns[i].s.fd : -1;
		ev[i].want = dial_wants(&conns[i]);
		if (on && patience(&conns[i]) < ms)
			ms = patience(&conns[i]);
		any |= on;
	}
	if (!any)
		return 0;
	if (conns[0].stop && *conns[0].stop)
		return NBD_E_INTERRUPTED;
	return conns->net->wait(conns->net, ev, n, ms) ? NBD_E_IO : 1;
}

/*
 * After a connection that ended at an option: a new one with fewer.  Without GO
 * the block sizes are unknown, so the server must end two connections at it: it
 * could have been restarted just then.
 */
static int ask_less(struct dial_call *call, struct conn *conn, int err)
{
	struct nbd_config less;
	bool at_go;

	if (!nbd_less(&conn->c, &less))
		return dial_explain_both(call, err);
	at_go = !strcmp(nbd_stage(&conn->c), "NBD_OPT_GO");
	if (!at_go || conn->cut_at_go)
		conn->cfg = less;
	conn->cut_at_go |= at_go;
	call->why = *call->d;
	hang_up(conn);
	conn->t = &conn->s.t;
	nbd_init(&conn->c, &conn->cfg);
	err = begin(call, conn);
	return err ? dial_explain_both(call, err) : 0;
}

/*
 * A server for one client is silent while it has a connection from before a
 * power cut.  Others are not asked to drop any: that looks like connections
 * that are not completed, and the network may complete them.
 */
static void clear(struct conn *conn)
{
	if (!conn->clear || !dial_is_silent(conn) ||
	    nbd_now_ms() + DIAL_HANDSHAKE_MS < conn->end + SILENT_MS)
		return;
	conn->clear = false;
	if (conn->net->clear)
		conn->net->clear(&conn->s, &conn->peer);
}

static int run(struct dial_call *call, struct conn conns[], unsigned n)
{
	struct nbd_event ev[CONFIG_PORT_MAX_CONNECTIONS];
	int err;

	while ((err = wait(conns, n, ev)) > 0) {
		for (unsigned i = 0; i < n; i++) {
			clear(&conns[i]);
			if (ev[i].fd < 0 ||
			    !(ev[i].ready || patience(&conns[i]) == 0))
				continue;
			err = dial_advance(call, &conns[i], ev[i].ready);
			if (err)
				err = ask_less(call, &conns[i], err);
			if (err)
				return err;
		}
	}
	return err;
}

int dial_begin(struct dial_call *call, struct conn *conn,
	       const struct nbd_config *cfg)
{
	conn->cfg = *cfg;
	nbd_init(&conn->c, &conn->cfg);
	conn->addr = call->first;
	conn->s.port = conn->port;
	return begin(call, conn);
}

/* Opens n connections side by side and runs them until they stop. */
static int open_all(struct dial_call *call, struct conn conns[], unsigned n,
		    const struct nbd_config *cfg)
{
	int err = 0;

	for (unsigned i = 0; i < n && !err; i++)
		err = dial_begin(call, &conns[i], cfg);
	return err ? err : run(call, conns, n);
}

/*
 * The first connection goes alone, since its export says whether there may be
 * more.  A server for one client would not answer the others, and some servers
 * fail when several clients vanish during the handshake.
 */
static int open_first(struct dial_call *call, struct conn conns[], unsigned n,
		      const struct nbd_config *cfg)
{
	int err = open_all(call, conns, 1, cfg);
	const struct nbd_export *e = err ? NULL : nbd_export(&conns[0].c);

	if (err || n == 1 || e->flags & NBD_FLAG_CAN_MULTI_CONN)
		return err;
	return nbd_diag(call->d, NBD_E_MULTI_CONN, "%u connections: %s", n,
			nbd_err_text(NBD_E_MULTI_CONN));
}

void dial_prepare(struct conn *conn, const struct nbd_config *cfg,
		  struct nbd_tls *tls)
{
	conn->s.fd = -1;
	conn->t = &conn->s.t;
	conn->tls = cfg->tls ? tls : NULL;
	conn->more = conn->cut_at_go = false;
	conn->after_tls = NULL;
	conn->end = 0;
}

static void prepare(struct conn conns[], unsigned n,
		    const struct nbd_config *cfg, struct nbd_tls *tls)
{
	for (unsigned i = 0; i < n; i++) {
		dial_prepare(&conns[i], cfg, tls);
		conns[i].port = i ? 0 : conns[0].s.port;
		conns[i].clear = !i && conns[0].clear;
		conns[i].number = conns[0].number + i;
		conns[i].stop = conns[0].stop;
		conns[i].net = conns[0].net;
	}
}

int dial_agree(struct nbd_export *all, const struct conn conns[], unsigned n,
	       struct nbd_diag *d)
{
	int err = 0;

	*all = *nbd_export(&conns[0].c);
	for (unsigned i = 1; i < n && !err; i++)
		err = nbd_export_agree(all, nbd_export(&conns[i].c), d);
	return err;
}

/* All connections to one server; on failure they are closed. */
static int dial_server(struct dial_call *call, struct conn conns[], unsigned n,
		       const struct nbd_config *cfg)
{
	struct nbd_export all;
	int err = open_first(call, conns, n, cfg);

	if (!err)
		err = open_all(call, conns + 1, n - 1, &conns[0].cfg);
	if (!err && n > 1)
		err = dial_agree(&all, conns, n, call->d);
	if (err)
		dial_hangup(conns, n);
	return err;
}

/* The next of several servers that the name stands for. */
static bool next_server(struct dial_call *call)
{
	call->first = call->end;
	if (call->first == call->n_addrs)
		return false;
	do
		call->end++;
	while (call->end < call->n_addrs && !call->addrs[call->end].server);
	return true;
}

int dial(struct conn conns[], unsigned n, const struct nbd_uri *uri,
	 const struct nbd_config *cfg, struct nbd_tls *tls, struct nbd_diag *d)
{
	struct dial_call call = { .d = d };
	struct nbd_diag before = { "" };
	int err, outage = 0;

	prepare(conns, n, cfg, tls);
	err = conns->net->resolve(conns->net, uri, call.addrs, d);
	if (err < 0)
		return err;
	call.n_addrs = (unsigned)err;
	while (next_server(&call)) {
		if (call.first)
			before = *d;
		call.why.text[0] = '\0';
		prepare(conns, n, cfg, tls);
		err = dial_server(&call, conns, n, cfg);
		if (err && call.first)
			nbd_diag_prefix(d, err, "%s; next server", before.text);
		if (!err || err == NBD_E_INTERRUPTED)
			return err;
		if (nbd_err_is_outage(err))
			outage = err;
	}
	/* that one may pass, whatever the others say */
	return outage ? outage : err;
}

int dial_resume(struct conn *conn, struct nbd_diag *d)
{
	struct dial_call call = { .d = d };
	int err;

	conn->state = CONN_TALKING;
	err = is_late(conn) ? time_out(conn, d) : talk(conn, d);
	if (!err)
		err = run(&call, conn, 1);
	if (err)
		hang_up(conn);
	return err;
}

void dial_hangup(struct conn *conns, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (conns[i].s.fd < 0)
			continue;
		nbd_close(&conns[i].c);
		if (nbd_state(&conns[i].c) & NBD_SEND)
			dial_pump(&conns[i]);
		hang_up(&conns[i]);
	}
}
