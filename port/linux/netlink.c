/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds and parses netlink messages; sends requests and reads the answers.
 *
 *	struct nlmsghdr | family's header | attribute | attribute { nest } ...
 *
 * Everything is padded to 4 bytes; the last padding may be missing.
 */
#include "port/linux/netlink.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define HEAD sizeof(struct nlmsghdr)
#define ATTR sizeof(struct nlattr)

/* s for the kernel to answer: it normally has when send() returns. */
#define ANSWER_S 30
/*
 * No errno: a list has changed between two of its datagrams, and may lack what was
 * there all the time.  It is asked for so many times.
 */
#define CHANGED	 (-1)
#define LIST_MAX 4

static size_t pad4(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

/* ---- building ---- */

/* Room for len bytes and their padding, all zero; NULL if it is full. */
static unsigned char *grow(struct nl_msg *m, size_t len)
{
	size_t room = m->cap - m->len;
	unsigned char *p = m->buf + m->len;

	if (m->full || len > room || pad4(len) > room) {
		m->full = true;
		return NULL;
	}
	memset(p, 0, pad4(len));
	m->len += pad4(len);
	return p;
}

void nl_begin(struct nl_msg *m, void *buf, size_t cap, unsigned type,
	      unsigned flags, const void *head, size_t head_len)
{
	struct nlmsghdr h = {
		.nlmsg_type = (uint16_t)type,
		.nlmsg_flags = (uint16_t)(flags | NLM_F_REQUEST),
	};
	unsigned char *p;

	*m = (struct nl_msg){ .buf = buf, .cap = cap };
	p = grow(m, HEAD + head_len);
	if (!p)
		return;
	memcpy(p, &h, HEAD);
	memcpy(p + HEAD, head, head_len);
}

void nl_put(struct nl_msg *m, unsigned type, const void *data, size_t len)
{
	struct nlattr a = { .nla_type = (uint16_t)type };
	unsigned char *p;

	if (len > UINT16_MAX - ATTR) {
		m->full = true;
		return;
	}
	p = grow(m, ATTR + len);
	if (!p)
		return;
	a.nla_len = (uint16_t)(ATTR + len);
	memcpy(p, &a, ATTR);
	if (len)
		memcpy(p + ATTR, data, len);
}

void nl_put_u32(struct nl_msg *m, unsigned type, uint32_t v)
{
	nl_put(m, type, &v, sizeof(v));
}

void nl_put_u64(struct nl_msg *m, unsigned type, uint64_t v)
{
	nl_put(m, type, &v, sizeof(v));
}

void nl_put_str(struct nl_msg *m, unsigned type, const char *s)
{
	nl_put(m, type, s, strlen(s) + 1);
}

size_t nl_nest(struct nl_msg *m, unsigned type)
{
	size_t at = m->len;

	nl_put(m, type | NLA_F_NESTED, NULL, 0);
	return at;
}

void nl_nest_end(struct nl_msg *m, size_t nest)
{
	size_t len = m->len - nest;
	uint16_t n = (uint16_t)len;

	if (len > UINT16_MAX)
		m->full = true;
	if (!m->full)
		memcpy(m->buf + nest, &n, sizeof(n)); /* nla_len is first */
}

int nl_finish(struct nl_msg *m, uint32_t seq)
{
	struct nlmsghdr h;

	if (m->full)
		return NBD_E_NO_MEMORY;
	memcpy(&h, m->buf, HEAD);
	h.nlmsg_len = (uint32_t)m->len;
	h.nlmsg_seq = seq;
	memcpy(m->buf, &h, HEAD);
	return 0;
}

/* ---- reading ---- */

/* Splits off len bytes and their padding; NULL if fewer are left. */
static const unsigned char *cut(struct nl_walk *w, size_t len, size_t min)
{
	const unsigned char *p = w->p;

	if (len < min || len > w->left)
		return NULL;
	len = w->left - len < 3 ? w->left : pad4(len);
	w->p += len;
	w->left -= len;
	return p;
}

bool nl_next(struct nl_walk *w, struct nl_attr *a)
{
	const unsigned char *p;
	struct nlattr h;

	if (w->left < ATTR)
		return false;
	memcpy(&h, w->p, ATTR);
	p = cut(w, h.nla_len, ATTR);
	if (!p)
		return false;
	a->type = h.nla_type & (unsigned)NLA_TYPE_MASK;
	a->data = p + ATTR;
	a->len = h.nla_len - ATTR;
	return true;
}

bool nl_find(const unsigned char *p, size_t len, size_t skip, unsigned type,
	     struct nl_attr *a)
{
	struct nl_walk w = { p, len };

	if (len < skip)
		return false;
	w.p += skip;
	w.left -= skip;
	while (nl_next(&w, a))
		if (a->type == type)
			return true;
	return false;
}

uint32_t nl_num(const struct nl_attr *a)
{
	uint16_t half;
	uint32_t v;

	switch (a->len) {
	case 1:
		return a->data[0];
	case 2:
		memcpy(&half, a->data, 2);
		return half;
	case 4:
		memcpy(&v, a->data, 4);
		return v;
	default:
		return 0;
	}
}

void nl_str(const struct nl_attr *a, char *buf, size_t cap)
{
	size_t n = 0;

	for (; n < a->len && n < cap - 1 && a->data[n]; n++)
		buf[n] = (char)a->data[n];
	buf[n] = '\0';
}

bool nl_next_msg(struct nl_walk *w, struct nl_reply *r)
{
	const unsigned char *p;
	struct nlmsghdr h;

	if (w->left < HEAD)
		return false;
	memcpy(&h, w->p, HEAD);
	p = cut(w, h.nlmsg_len, HEAD);
	if (!p)
		return false;
	r->type = h.nlmsg_type;
	r->flags = h.nlmsg_flags;
	r->seq = h.nlmsg_seq;
	r->data = p + HEAD;
	r->len = h.nlmsg_len - HEAD;
	return true;
}

/* ---- talking ---- */

int nl_open(struct nl_sock *s, int protocol, unsigned groups,
	    struct nbd_diag *d)
{
	struct sockaddr_nl sa = { .nl_family = AF_NETLINK,
				  .nl_groups = groups };
	const struct timeval limit = { groups ? 0 : ANSWER_S, 0 };
	int on = 1;

	s->seq = 0;
	s->err = 0;
	s->ext[0] = '\0';
	s->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	if (s->fd < 0)
		return nbd_diag(d, NBD_E_KERNEL, "netlink socket: %s",
				strerror(errno));
	/* 0: none, for those that wait for events */
	setsockopt(s->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	/* kernels before 4.12 lack these options: then ext stays empty */
	setsockopt(s->fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(s->fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	if (bind(s->fd, (struct sockaddr *)&sa, sizeof(sa)) == 0)
		return 0;
	nbd_diag(d, NBD_E_KERNEL, "bind a netlink socket: %s", strerror(errno));
	nl_close(s);
	return NBD_E_KERNEL;
}

void nl_close(struct nl_sock *s)
{
	close(s->fd);
	s->fd = -1;
}

/* Reads a datagram from the kernel into s->buf: its length, or -1 and errno. */
static int receive(struct nl_sock *s, int flags)
{
	struct iovec v = { s->buf, sizeof(s->buf) };
	struct sockaddr_nl from;
	struct msghdr h;
	ssize_t n;

	do {
		memset(&from, 0, sizeof(from));
		h = (struct msghdr){ .msg_name = &from,
				     .msg_namelen = sizeof(from),
				     .msg_iov = &v,
				     .msg_iovlen = 1 };
		n = recvmsg(s->fd, &h, flags);
	} while ((n < 0 && errno == EINTR) || (n > 0 && from.nl_pid != 0));
	if (n > 0 && !(h.msg_flags & MSG_TRUNC))
		return (int)n;
	if (n >= 0)
		errno = n ? EMSGSIZE : ECONNRESET;
	return -1;
}

int nl_hear(struct nl_sock *s, int flags)
{
	int n = receive(s, flags);

	if (n > 0)
		return n;
	if (errno == ENOBUFS || errno == EMSGSIZE)
		return 0;
	return errno == EAGAIN ? NBD_E_AGAIN : NBD_E_IO;
}

/* The errno in an acknowledgement (negative on the wire), or EPROTO. */
static int read_errno(const struct nl_reply *r)
{
	int32_t err = 1;

	if (r->len >= sizeof(err))
		memcpy(&err, r->data, sizeof(err));
	if (err <= 0 && err >= -4095)
		return -err;
	/* The end of a list may carry a count, or nothing. */
	return r->type == NLMSG_DONE ? 0 : EPROTO;
}

/* The text of an extended ack follows the (capped) copy of the request. */
static void read_ext(struct nl_sock *s, const struct nl_reply *r)
{
	size_t skip = sizeof(int32_t) + HEAD;
	struct nlmsghdr req;
	struct nl_attr a;

	if (!(r->flags & NLM_F_ACK_TLVS) || r->len < skip)
		return;
	memcpy(&req, r->data + sizeof(int32_t), HEAD);
	if (!(r->flags & NLM_F_CAPPED) && req.nlmsg_len > HEAD)
		skip += pad4(req.nlmsg_len - HEAD);
	if (nl_find(r->data, r->len, skip, NLMSGERR_ATTR_MSG, &a))
		nl_str(&a, s->ext, sizeof(s->ext));
}

/* Sends m and reads the answers: 0, an errno, or CHANGED. */
static int exchange(struct nl_sock *s, const struct nl_msg *m,
		    void (*fn)(void *ctx, const struct nl_reply *r), void *ctx)
{
	struct nl_reply r;
	struct nl_walk w;
	unsigned flags = 0;
	int n;

	if (send(s->fd, m->buf, m->len, 0) < 0)
		return errno;
	for (;;) {
		n = receive(s, 0);
		if (n < 0)
			return errno == EAGAIN ? ETIMEDOUT : errno;
		w = (struct nl_walk){ s->buf, (size_t)n };
		while (nl_next_msg(&w, &r)) {
			if (r.seq != s->seq)
				continue;
			flags |= r.flags;
			if (r.type == NLMSG_ERROR)
				read_ext(s, &r);
			if (r.type == NLMSG_ERROR || r.type == NLMSG_DONE) {
				n = read_errno(&r);
				return !n && flags & NLM_F_DUMP_INTR ? CHANGED
								     : n;
			}
			if (fn)
				fn(ctx, &r);
		}
	}
}

static int translate(int err)
{
	static const struct {
		unsigned char sys;
		signed char nbd;
	} map[] = {
		{ EPERM, NBD_E_PERM },
		{ EACCES, NBD_E_PERM },
		{ EBUSY, NBD_E_IN_USE },
		{ ENOENT, NBD_E_NOT_FOUND },
		{ ENODEV, NBD_E_NO_DEVICE },
		{ ENETUNREACH, NBD_E_UNREACHABLE },
		{ ENOMEM, NBD_E_NO_MEMORY },
		{ ENOBUFS, NBD_E_NO_MEMORY },
		{ ETIMEDOUT, NBD_E_TIMEOUT },
	};

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		if (map[i].sys == err)
			return map[i].nbd;
	return NBD_E_KERNEL;
}

int nl_talk(struct nl_sock *s, struct nl_msg *m,
	    void (*fn)(void *ctx, const struct nl_reply *r), void *ctx,
	    const char *what, struct nbd_diag *d)
{
	unsigned lists = 0;
	int rc;

	s->ext[0] = '\0';
	do {
		s->err = 0;
		rc = nl_finish(m, ++s->seq);
		if (rc < 0)
			return nbd_diag(d, rc, "%s: the request is too long",
					what);
		s->err = exchange(s, m, fn, ctx);
	} while (s->err == CHANGED && ++lists < LIST_MAX);
	/* one that changes for ever is better than none */
	if (s->err == CHANGED)
		s->err = 0;
	if (s->err == 0)
		return 0;
	rc = translate(s->err);
	if (s->ext[0])
		return nbd_diag(d, rc, "%s: %s (%s)", what, strerror(s->err),
				s->ext);
	return nbd_diag(d, rc, "%s: %s", what, strerror(s->err));
}

/* ---- generic netlink families ---- */

struct family {
	const char *group;
	uint32_t id, group_id;
};

static void read_groups(struct family *f, struct nl_attr *groups)
{
	struct nl_walk w = { groups->data, groups->len };
	struct nl_attr one, a;
	char name[32];

	while (nl_next(&w, &one)) {
		if (!nl_find(one.data, one.len, 0, CTRL_ATTR_MCAST_GRP_NAME,
			     &a))
			continue;
		nl_str(&a, name, sizeof(name));
		if (strcmp(name, f->group) == 0 &&
		    nl_find(one.data, one.len, 0, CTRL_ATTR_MCAST_GRP_ID, &a))
			f->group_id = nl_num(&a);
	}
}

static void read_family(void *ctx, const struct nl_reply *r)
{
	struct family *f = ctx;
	struct nl_attr a;

	if (nl_find(r->data, r->len, GENL_HDRLEN, CTRL_ATTR_FAMILY_ID, &a))
		f->id = nl_num(&a);
	if (f->group &&
	    nl_find(r->data, r->len, GENL_HDRLEN, CTRL_ATTR_MCAST_GROUPS, &a))
		read_groups(f, &a);
}

int nl_family(struct nl_sock *s, const char *name, const char *group,
	      uint32_t *group_id, struct nbd_diag *d)
{
	const struct genlmsghdr g = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 };
	struct family f = { .group = group };
	unsigned char buf[64];
	struct nl_msg m;
	int rc;

	nl_begin(&m, buf, sizeof(buf), GENL_ID_CTRL, NLM_F_ACK, &g, sizeof(g));
	nl_put_str(&m, CTRL_ATTR_FAMILY_NAME, name);
	rc = nl_talk(s, &m, read_family, &f, "look up a netlink family", d);
	if (rc < 0)
		return rc;
	if (f.id == 0)
		return nbd_diag(d, NBD_E_KERNEL,
				"netlink family %s: the answer has no number",
				name);
	if (group)
		*group_id = f.group_id;
	return (int)f.id;
}
