/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asking for sockets, and reading the answers:
 *
 *	struct inet_diag_msg | ... | ULP_INFO { NAME, TLS { VERSION, ... } }
 */
#include "port/linux/sockdiag.h"
#include "port/linux/module.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

struct search {
	const struct sockdiag_peer *peer;
	struct sockdiag_tls tls;
	bool found, differ;
};

static bool is_peer(const struct sockdiag_peer *peer,
		    const struct inet_diag_msg *m)
{
	size_t len = m->idiag_family == AF_INET ? 4 : 16;

	return m->idiag_state == TCP_ESTABLISHED &&
	       m->id.idiag_dport == htons(peer->port) &&
	       (!peer->len || (peer->len == len &&
			       !memcmp(m->id.idiag_dst, peer->addr, len)));
}

/* A number in a nest, or 0. */
static unsigned number(const struct nl_attr *nest, unsigned type)
{
	struct nl_attr a;

	return nl_find(nest->data, nest->len, 0, type, &a) ? nl_num(&a) : 0;
}

bool sockdiag_read(const struct nl_reply *r, const struct sockdiag_peer *peer,
		   struct sockdiag_tls *tls)
{
	struct inet_diag_msg m;
	struct nl_attr ulp, a;
	char name[8];

	if (r->type != SOCK_DIAG_BY_FAMILY || r->len < sizeof(m))
		return false;
	memcpy(&m, r->data, sizeof(m));
	if (!is_peer(peer, &m) ||
	    !nl_find(r->data, r->len, sizeof(m), INET_DIAG_ULP_INFO, &ulp) ||
	    !nl_find(ulp.data, ulp.len, 0, INET_ULP_INFO_NAME, &a))
		return false;
	nl_str(&a, name, sizeof(name));
	if (strcmp(name, "tls") != 0 ||
	    !nl_find(ulp.data, ulp.len, 0, INET_ULP_INFO_TLS, &a))
		return false;
	tls->version = number(&a, TLS_INFO_VERSION);
	tls->cipher = number(&a, TLS_INFO_CIPHER);
	/* BASE is a direction without a key: in the clear, so far */
	return tls->version && tls->cipher &&
	       number(&a, TLS_INFO_TXCONF) > TLS_CONF_BASE &&
	       number(&a, TLS_INFO_RXCONF) > TLS_CONF_BASE;
}

static void take(void *ctx, const struct nl_reply *r)
{
	struct search *s = ctx;
	struct sockdiag_tls tls;

	if (!sockdiag_read(r, s->peer, &tls))
		return;
	if (s->found &&
	    (tls.version != s->tls.version || tls.cipher != s->tls.cipher))
		s->differ = true;
	s->tls = tls;
	s->found = true;
}

static int ask(struct nl_sock *s, unsigned family, struct search *found,
	       struct nbd_diag *d)
{
	/* idiag_ext has no bit for ULP_INFO: it comes along with INFO */
	const struct inet_diag_req_v2 req = {
		.sdiag_family = (uint8_t)family,
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_ext = 1 << (INET_DIAG_INFO - 1),
		.idiag_states = 1 << TCP_ESTABLISHED,
		.id.idiag_dport = htons(found->peer->port),
	};
	unsigned char buf[NLMSG_HDRLEN + sizeof(req)];
	struct nl_msg m;

	nl_begin(&m, buf, sizeof(buf), SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, &req,
		 sizeof(req));
	return nl_talk(s, &m, take, found, "ask for TCP sockets", d);
}

int sockdiag_tls(struct nl_sock *s, const struct sockdiag_peer *peer,
		 struct sockdiag_tls *tls, struct nbd_diag *d)
{
	static const struct {
		unsigned family;
		size_t len;
	} families[] = { { AF_INET, 4 }, { AF_INET6, 16 } };
	struct search found = { .peer = peer };
	int err = 0;

	for (unsigned i = 0; i < 2 && !err; i++) {
		if (peer->len && peer->len != families[i].len)
			continue;
		err = ask(s, families[i].family, &found, d);
		/* the kernel loads it where there is a /sbin/modprobe */
		if (err && s->err == ENOENT && !mod_load("tcp_diag", "", NULL))
			err = ask(s, families[i].family, &found, d);
	}
	if (found.found && !found.differ) {
		*tls = found.tls;
		return 0;
	}
	if (err)
		return err;
	return nbd_diag(d, NBD_E_NOT_FOUND,
			found.differ ? "the connections to port %u differ"
				     : "no connection to port %u is known to "
				       "have TLS",
			peer->port);
}
