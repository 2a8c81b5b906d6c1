/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asks the kernel for sockets, and parses the answers:
 *
 *	struct inet_diag_msg | INFO | CLASS_ID | ULP_INFO { NAME, TLS { ... } }
 *	struct unix_diag_msg | NAME | SHUTDOWN
 */
#include "port/linux/sockdiag.h"
#include "port/linux/module.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <linux/tls.h>
#include <linux/unix_diag.h>
#include <stddef.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

/*
 * "n" and the 20 bits of the index: no class of a queue discipline has such a
 * number.  The last 4 bits are 0 as in ordinary traffic (TC_PRIO_BESTEFFORT):
 * pfifo_fast and others use only them, and would otherwise delay some devices.
 */
#define PRIORITY(index) (0x6e000000u | (uint32_t)(index) << 4)

/* TCP_ESTABLISHED of the kernel's include/net/tcp_states.h (not exported). */
#define ESTABLISHED 1

/* The start of a UNIX socket's name after its NUL; a random number follows. */
static int name_of(char *buf, size_t cap, int index)
{
	return nbd_fmt(buf, cap, "nbdboot/nbd%d/", index);
}

static int tag_unix(int fd, int index)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	char head[32];
	uint64_t tail;
	int n;

	/* random, or another user could predict the name and bind it first */
	if (getrandom(&tail, sizeof(tail), GRND_NONBLOCK) != sizeof(tail))
		tail = nbd_now_ns();
	name_of(head, sizeof(head), index);
	n = nbd_fmt(a.sun_path + 1, sizeof(a.sun_path) - 1, "%s%llu", head,
		    (unsigned long long)tail);
	n += (int)offsetof(struct sockaddr_un, sun_path) + 1;
	return bind(fd, (struct sockaddr *)&a, (socklen_t)n) ? NBD_E_IO : 0;
}

int sockdiag_tag(int fd, int index)
{
	uint32_t priority = PRIORITY(index);
	int domain = 0;
	socklen_t len = sizeof(domain);

	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len);
	if (domain == AF_UNIX)
		return tag_unix(fd, index);
	return setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority,
			  sizeof(priority))
		       ? NBD_E_PERM
		       : 0;
}

/* ---- answers ---- */

/* The number in a nested attribute, or 0. */
static unsigned number(const struct nl_attr *nest, unsigned type)
{
	struct nl_attr a;

	return nl_find(nest->data, nest->len, 0, type, &a) ? nl_num(&a) : 0;
}

static void read_tls(const struct nl_reply *r, struct sockdiag_tls *tls)
{
	struct nl_attr ulp, a;
	char name[8];

	if (!nl_find(r->data, r->len, sizeof(struct inet_diag_msg),
		     INET_DIAG_ULP_INFO, &ulp) ||
	    !nl_find(ulp.data, ulp.len, 0, INET_ULP_INFO_NAME, &a))
		return;
	nl_str(&a, name, sizeof(name));
	/* TLS_CONF_BASE: one direction has no key and is still in the clear */
	if (strcmp(name, "tls") != 0 ||
	    !nl_find(ulp.data, ulp.len, 0, INET_ULP_INFO_TLS, &a) ||
	    number(&a, TLS_INFO_TXCONF) <= TLS_CONF_BASE ||
	    number(&a, TLS_INFO_RXCONF) <= TLS_CONF_BASE)
		return;
	tls->version = number(&a, TLS_INFO_VERSION);
	tls->cipher = number(&a, TLS_INFO_CIPHER);
}

/* Older kernels report less; missing fields are 0. */
static void read_info(const struct nl_reply *r, struct sockdiag_link *l)
{
	struct tcp_info info = { 0 };
	struct nl_attr a;

	if (!nl_find(r->data, r->len, sizeof(struct inet_diag_msg),
		     INET_DIAG_INFO, &a))
		return;
	memcpy(&info, a.data, a.len < sizeof(info) ? a.len : sizeof(info));
	l->sent = info.tcpi_bytes_acked;
	l->received = info.tcpi_bytes_received;
	l->rtt = info.tcpi_rtt;
	/* all ones: not measured yet */
	l->min_rtt = info.tcpi_min_rtt == ~0u ? 0 : info.tcpi_min_rtt;
	l->retransmits = info.tcpi_total_retrans;
}

static bool read_inet(const struct nl_reply *r, int index,
		      struct sockdiag_link *l)
{
	struct inet_diag_msg m;
	struct nl_attr a;

	if (r->len < sizeof(m) ||
	    !nl_find(r->data, r->len, sizeof(m), INET_DIAG_CLASS_ID, &a) ||
	    nl_num(&a) != PRIORITY(index))
		return false;
	memcpy(&m, r->data, sizeof(m));
	l->live = m.idiag_state == ESTABLISHED;
	l->local_port = ntohs(m.id.idiag_sport);
	l->peer_port = ntohs(m.id.idiag_dport);
	l->local = nbd_ip_of(m.id.idiag_src, l->family == AF_INET ? 4 : 16);
	l->peer = nbd_ip_of(m.id.idiag_dst, l->local.len);
	_Static_assert(sizeof(l->id) >= sizeof(m.id), "id[] is too small");
	memcpy(l->id, &m.id, sizeof(m.id));
	read_info(r, l);
	read_tls(r, &l->tls);
	return true;
}

static bool read_unix(const struct nl_reply *r, int index,
		      struct sockdiag_link *l)
{
	struct nl_attr name, shut, uid;
	struct unix_diag_msg m;
	size_t skip = sizeof(m);
	char head[32];
	size_t n = (size_t)name_of(head, sizeof(head), index);

	if (r->len < skip ||
	    !nl_find(r->data, r->len, skip, UNIX_DIAG_NAME, &name) ||
	    name.len < n + 1 || name.data[0] != '\0' ||
	    memcmp(name.data + 1, head, n) != 0)
		return false;
	/* any user may bind such a name; kernels before 5.3 report no UID */
	if (nl_find(r->data, r->len, skip, UNIX_DIAG_UID, &uid) && nl_num(&uid))
		return false;
	memcpy(&m, r->data, sizeof(m));
	/* a close by the peer also shuts down this side */
	l->live = m.udiag_state == ESTABLISHED &&
		  (!nl_find(r->data, r->len, skip, UNIX_DIAG_SHUTDOWN, &shut) ||
		   !shut.len || !shut.data[0]);
	return true;
}

bool sockdiag_read(const struct nl_reply *r, int index, struct sockdiag_link *l)
{
	memset(l, 0, sizeof(*l));
	/* the family comes first in both kinds of answer */
	if (r->type != SOCK_DIAG_BY_FAMILY || !r->len)
		return false;
	l->family = r->data[0];
	if (l->family == AF_UNIX)
		return read_unix(r, index, l);
	return (l->family == AF_INET || l->family == AF_INET6) &&
	       read_inet(r, index, l);
}

/* ---- requests ---- */

struct walk {
	int index;
	void (*fn)(void *ctx, const struct sockdiag_link *l);
	void *ctx;
};

static void take(void *ctx, const struct nl_reply *r)
{
	struct walk *w = ctx;
	struct sockdiag_link l;

	if (sockdiag_read(r, w->index, &l))
		w->fn(w->ctx, &l);
}

static int ask(struct nl_sock *s, unsigned family, const char *module,
	       struct walk *w, struct nbd_diag *d)
{
	/*
	 * ULP_INFO comes along with INFO, and CLASS_ID, for which idiag_ext
	 * has no bit, with TCLASS.
	 */
	const struct inet_diag_req_v2 inet = {
		.sdiag_family = (uint8_t)family,
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_ext = 1 << (INET_DIAG_INFO - 1) |
			     1 << (INET_DIAG_TCLASS - 1),
		.idiag_states = ~0u,
	};
	const struct unix_diag_req local = {
		.sdiag_family = AF_UNIX,
		.udiag_states = ~0u,
		.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_UID,
	};
	unsigned char buf[NLMSG_HDRLEN + sizeof(inet)];
	bool is_unix = family == AF_UNIX;
	struct nl_msg m;

	nl_begin(&m, buf, sizeof(buf), SOCK_DIAG_BY_FAMILY, NLM_F_DUMP,
		 is_unix ? (const void *)&local : &inet,
		 is_unix ? sizeof(local) : sizeof(inet));
	return nl_talk(s, &m, take, w, module, d);
}

int sockdiag_each(struct nl_sock *s, int index, unsigned kinds,
		  void (*fn)(void *ctx, const struct sockdiag_link *l),
		  void *ctx, struct nbd_diag *d)
{
	static const struct {
		uint8_t family, kind;
		const char *module;
	} asked[] = { { AF_INET, SOCKDIAG_TCP, "tcp_diag" },
		      { AF_INET6, SOCKDIAG_TCP, "tcp_diag" },
		      { AF_UNIX, SOCKDIAG_UNIX, "unix_diag" } };
	struct walk w = { index, fn, ctx };
	int err = 0;

	for (unsigned i = 0; i < 3 && !err; i++) {
		if (!(kinds & asked[i].kind))
			continue;
		err = ask(s, asked[i].family, asked[i].module, &w, d);
		/* the kernel loads it where there is a /sbin/modprobe */
		if (err && s->err == ENOENT &&
		    !mod_load(asked[i].module, "", NULL))
			err = ask(s, asked[i].family, asked[i].module, &w, d);
	}
	return err;
}

int sockdiag_destroy(struct nl_sock *s, const struct sockdiag_link *l,
		     struct nbd_diag *d)
{
	struct inet_diag_req_v2 req = { .sdiag_family = (uint8_t)l->family,
					.sdiag_protocol = IPPROTO_TCP,
					.idiag_states = ~0u };
	unsigned char buf[NLMSG_HDRLEN + sizeof(req)];
	struct nl_msg m;
	int err;

	memcpy(&req.id, l->id, sizeof(req.id));
	nl_begin(&m, buf, sizeof(buf), SOCK_DESTROY, NLM_F_ACK, &req,
		 sizeof(req));
	err = nl_talk(s, &m, NULL, NULL, "end a connection", d);
	if (err && s->err == EOPNOTSUPP)
		return nbd_diag(d, NBD_E_KERNEL,
				"the kernel cannot end a single connection: "
				"it lacks CONFIG_INET_DIAG_DESTROY");
	return err;
}
