/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network stack as dial() uses it: the sockets of an operating system, or
 * lwIP.
 */
#ifndef NBD_STACK_H
#define NBD_STACK_H

#include "core/nbd_uri.h"
#include "port/ip.h"
#include "port/port.h"

/* Addresses of one host at most; more are not tried. */
#define SOCK_MAX_ADDRS 16

/*
 * How long a peer may stay silent before the connection counts as dead: without
 * traffic (keepalive), and with unacknowledged data (TCP_USER_TIMEOUT).  On
 * Linux these stay in force when the kernel has the socket.
 */
#define SOCK_KEEP_IDLE	   10 /* s */
#define SOCK_KEEP_INTERVAL 3  /* s */
#define SOCK_KEEP_COUNT	   3
#define SOCK_USER_TIMEOUT  15000 /* ms */

struct sock_addr {
	struct nbd_ip host; /* none: a UNIX socket */
	bool server;	    /* of a service: the first address of another one */
	uint16_t port;
	uint32_t zone;	  /* the interface of a link-local address, or 0 */
	const char *path; /* of a UNIX socket: the URI's */
	size_t path_len;  /* bytes; an abstract name begins with a NUL */
};

/* A connection; non-blocking. */
struct sock {
	struct nbd_transport t;
	struct nbd_stack *net;
	int fd;		/* of POSIX, or the stack's own number; -1: closed */
	unsigned reads; /* after so many NBD_E_AGAIN; 0: no limit */
	/*
	 * Set before connect(): the local port to use if it is free, or 0.  A
	 * machine that comes back after a power cut with the same address and
	 * port makes its server drop the connection from before.  A stack may
	 * ignore it; if it fails with it, it sets it to 0 and tries again.
	 */
	uint16_t port;
};

/*
 * The sisters of a local port: those with port ^ 0 ... port ^ 3.  A watcher
 * goes round them, so that the next boot knows all ports that may be in use.
 */
#define SOCK_SISTERS 4u

/* Whether a connection can move bytes. */
struct nbd_event {
	int fd;		    /* of a struct sock; -1: none */
	unsigned char want; /* NBD_SEND or NBD_RECV */
	bool ready;	    /* that is possible, or the connection has ended */
};

struct nbd_stack {
	/*
	 * The addresses of the URI's host and port, or of its socket.  Returns
	 * how many are in addrs[] (1 to SOCK_MAX_ADDRS), or an error.  *addrs
	 * keep pointers to the URI's strings.
	 */
	int (*resolve)(struct nbd_stack *net, const struct nbd_uri *uri,
		       struct sock_addr addrs[SOCK_MAX_ADDRS],
		       struct nbd_diag *d);
	/*
	 * Begins to connect, and fills in *s: 0 at once, NBD_E_AGAIN until
	 * NBD_SEND is ready, or an error.
	 */
	int (*connect)(struct nbd_stack *net, struct sock *s,
		       const struct sock_addr *a);
	/* After NBD_E_AGAIN, once it is ready: 0 or an error. */
	int (*connected)(struct sock *s);
	/*
	 * Waits for one of n events, or for ms milliseconds, or for a signal,
	 * and sets `ready` of each.  0 or an error.
	 */
	int (*wait)(struct nbd_stack *net, struct nbd_event ev[], unsigned n,
		    int ms);
	/*
	 * Makes the server at *a drop connections from before, whose local
	 * ports are sisters of s->port.  NULL: connections have no such ports.
	 */
	void (*clear)(const struct sock *s, const struct sock_addr *a);
};

/* "192.0.2.1", "fd00::1", "/run/nbd.sock". */
void sock_host_print(struct nbd_out *o, const struct sock_addr *a);
/* "192.0.2.1 port 10809", "/run/nbd.sock". */
void sock_addr_print(struct nbd_out *o, const struct sock_addr *a);

#endif
