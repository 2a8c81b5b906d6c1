/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Netlink without a library.  Messages are built in the caller's buffer and
 * replies are parsed in place, both with bounds checks.  nl_talk() sends one
 * request and waits for its answer.  Numbers are in the CPU's byte order.
 */
#ifndef PORT_LINUX_NETLINK_H
#define PORT_LINUX_NETLINK_H

#include "port/port.h"

/* ---- building ---- */

/*
 * A message in the caller's buffer.  An attribute that does not fit is left out
 * and sets full; a full message is never sent.
 */
struct nl_msg {
	unsigned char *buf;
	size_t cap, len;
	bool full;
};

/*
 * Begins a message: type, NLM_F_* flags (NLM_F_REQUEST is added; give
 * NLM_F_ACK, or NLM_F_DUMP for a list) and the family's own header.
 */
void nl_begin(struct nl_msg *m, void *buf, size_t cap, unsigned type,
	      unsigned flags, const void *head, size_t head_len);
void nl_put(struct nl_msg *m, unsigned type, const void *data, size_t len);
void nl_put_u32(struct nl_msg *m, unsigned type, uint32_t v);
void nl_put_u64(struct nl_msg *m, unsigned type, uint64_t v);
/* Appends a string with its closing NUL. */
void nl_put_str(struct nl_msg *m, unsigned type, const char *s);
/* Opens a nest.  Pass the result to nl_nest_end(). */
size_t nl_nest(struct nl_msg *m, unsigned type);
void nl_nest_end(struct nl_msg *m, size_t nest);
/* Writes length and seq to the header: 0, or NBD_E_NO_MEMORY if m is full. */
int nl_finish(struct nl_msg *m, uint32_t seq);

/* ---- reading: never beyond the given bytes ---- */

struct nl_walk {
	const unsigned char *p;
	size_t left;
};

struct nl_attr {
	unsigned type; /* without the NLA_F_* bits */
	const unsigned char *data;
	size_t len;
};

struct nl_reply {
	unsigned type, flags;
	uint32_t seq;
	const unsigned char *data; /* after struct nlmsghdr */
	size_t len;
};

/* The next attribute; false at the end and at the first malformed one. */
bool nl_next(struct nl_walk *w, struct nl_attr *a);
/* The first attribute of that type after the first skip bytes. */
bool nl_find(const unsigned char *p, size_t len, size_t skip, unsigned type,
	     struct nl_attr *a);
/* A number of 1, 2 or 4 bytes; 0 if the attribute has any other size. */
uint32_t nl_num(const struct nl_attr *a);
/* Copies a string up to its NUL or end; terminates it, may truncate it. */
void nl_str(const struct nl_attr *a, char *buf, size_t cap);
/* The next message of a datagram; false in the same cases as nl_next(). */
bool nl_next_msg(struct nl_walk *w, struct nl_reply *r);

/* ---- talking ---- */

struct nl_sock {
	int fd;
	uint32_t seq;
	int err;       /* errno of the last failed nl_talk() */
	char ext[120]; /* the kernel's message (extended ack), or "" */
	unsigned char buf[8192];
};

/* The multicast group of the kernel's uevents; udev's have another one. */
#define NL_UEVENTS 1u

/* Opens a socket for a NETLINK_* protocol and subscribes a mask of groups. */
int nl_open(struct nl_sock *s, int protocol, unsigned groups,
	    struct nbd_diag *d);
void nl_close(struct nl_sock *s);

/*
 * For a socket that listens to a group: reads a message from the kernel into
 * s->buf and returns its length.  flags: MSG_DONTWAIT or 0.  Returns 0 if
 * messages were lost, so that anything may have changed.  NBD_E_AGAIN: there is
 * no message now.  NBD_E_IO: any other error, in errno.
 */
int nl_hear(struct nl_sock *s, int flags);

/*
 * Sends m and reads until it is acknowledged (or the list is complete).  Calls
 * fn, unless it is NULL, for each answer; and again for all of them if a list
 * changes while the kernel sends it.  Ignores answers to other requests
 * and messages that are not from the kernel.  On failure returns an enum
 * nbd_err and sets s->err, s->ext and d ("what: cause").  NBD_E_TIMEOUT: the
 * kernel sends nothing for 30 s; a socket with groups waits without limit.
 */
int nl_talk(struct nl_sock *s, struct nl_msg *m,
	    void (*fn)(void *ctx, const struct nl_reply *r), void *ctx,
	    const char *what, struct nbd_diag *d);

/*
 * Returns the number of a generic netlink family, or NBD_E_NOT_FOUND if the
 * kernel has none of that name.  Unless group is NULL, *group_id becomes the
 * number of that multicast group, or 0 if the family does not have it.
 */
int nl_family(struct nl_sock *s, const char *name, const char *group,
	      uint32_t *group_id, struct nbd_diag *d);

#endif
