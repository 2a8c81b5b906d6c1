/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a connection could not be made: which address, which step, whose words. */
#include "port/dial.h"

#include <string.h>

void sock_host_print(struct nbd_out *o, const struct sock_addr *a)
{
	if (a->host.len)
		nbd_put_ip(o, a->host.ip, a->host.len);
	else
		nbd_put_safe(o, a->path, a->path_len);
}

void sock_addr_print(struct nbd_out *o, const struct sock_addr *a)
{
	sock_host_print(o, a);
	if (a->host.len)
		nbd_putf(o, " port %u", a->port);
}

static void put_failure(struct nbd_out *o, const struct sock_addr *a, int err)
{
	sock_addr_print(o, a);
	nbd_putf(o, ": %s", nbd_err_text(err));
}

int dial_explain_connect(const struct dial_call *call, unsigned i, int err)
{
	struct nbd_diag *d = call->d;
	struct nbd_out o = { .buf = d->text, .cap = sizeof(d->text) - 1 };
	bool is_other = i > call->first;

	nbd_putf(&o, "connect to ");
	if (is_other) {
		put_failure(&o, &call->addrs[call->first], call->away);
		nbd_putf(&o, "; then ");
	}
	put_failure(&o, &call->addrs[i], err);
	d->text[o.len] = '\0';
	return is_other && nbd_err_is_outage(call->away) ? call->away : err;
}

/*
 * With TLS 1.3 a server sees our certificate when the handshake is over for us.
 * nbdkit refuses it by closing.  Another server may know our key, and not let us
 * in.
 */
static bool may_want_credentials(const struct conn *conn, int err)
{
	return (err == NBD_E_CUT || err == NBD_E_RESET) && conn->after_tls &&
	       !strcmp(conn->after_tls, nbd_stage(&conn->c));
}

int dial_explain_talk(const struct conn *conn, struct nbd_diag *d)
{
	int err = nbd_error(&conn->c);
	struct nbd_text t = nbd_text(&conn->c);
	struct nbd_out o = { .buf = d->text, .cap = sizeof(d->text) - 1 };
	const struct nbd_config *cfg = nbd_config(&conn->c);

	nbd_putf(&o, "%s: %s", nbd_stage(&conn->c), nbd_err_text(err));
	if (err == NBD_E_NO_EXPORT)
		nbd_putf(&o, " \"%.*s\"",
			 (int)(cfg->name_len > 128 ? 128 : cfg->name_len),
			 cfg->name);
	/* from UNSUP to NO_TLS: what the server itself says */
	if (err <= NBD_E_UNSUP && err >= NBD_E_NO_TLS && t.len)
		nbd_putf(&o, "; it says: \"%.*s%s\"",
			 (int)(t.len > 256 ? 256 : t.len), t.p,
			 t.cut || t.len > 256 ? "..." : "");
	if (may_want_credentials(conn, err))
		nbd_putf(&o, ", right after TLS: the server may want other "
			     "credentials (a certificate or a key that it "
			     "trusts)");
	d->text[o.len] = '\0';
	return err;
}

int dial_explain_both(const struct dial_call *call, int err)
{
	if (!call->why.text[0] || !strcmp(call->why.text, call->d->text))
		return err;
	return nbd_diag_prefix(call->d, err, "%s; then", call->why.text);
}
