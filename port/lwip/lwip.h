/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP/IP by lwIP over an nbd_ether, for machines without a socket layer.  One
 * thread does everything, inside the calls below; README has an example.
 *
 *	lwnet_open()		a stack on an interface
 *	lwnet_up()		wait for an address
 *	dial() ...		with conn.net = &net->stack (port/dial.h)
 *	lwnet_poll()		now and then while nothing else is called
 *	lwnet_close()
 *
 * lwIP itself has global state, so there is one stack in a program at a time.
 */
#ifndef PORT_LWIP_LWIP_H
#define PORT_LWIP_LWIP_H

#include "port/ether.h"
#include "port/stack.h"

#include <lwip/netif.h>
#include <lwip/pbuf.h>
#include <lwip/tcp.h>

/* Frames that are taken from the interface before an answer is sent. */
#define LWNET_BATCH   32
/* The longest acknowledgement: Ethernet, IPv6, TCP with all options. */
#define LWNET_ACK_MAX (NBD_ETHER_HEADER + 40 + 60)
/* Bytes behind a frame that lwIP 2.1.3 may read, if an option is cut short. */
#define LWNET_SLACK   8

/* A frame, or a piece of a longer one. */
#define LWNET_FRAME                                                \
	(CONFIG_PORT_LWIP_MTU > NBD_ETHER_PIECE - NBD_ETHER_HEADER \
		 ? CONFIG_PORT_LWIP_MTU + NBD_ETHER_HEADER         \
		 : NBD_ETHER_PIECE)

/* Name servers of one kind by hand. */
#define LWNET_DNS 2

/* Addresses of one kind by hand; the prefix of ip says what is on the link. */
struct lwnet_by_hand {
	struct nbd_ip ip, router, dns[LWNET_DNS];
};

/* Where the addresses come from.  All zeroes: DHCP, and advertisements. */
struct lwnet_config {
	struct lwnet_by_hand ip4; /* without an ip: by DHCP */
	struct lwnet_by_hand ip6; /* beside what routers advertise */
	/* Bits that nobody can guess, for ports and sequence numbers. */
	unsigned char seed[16];
	const char *hostname; /* for DHCP, kept; NULL: none */
};

/* Of lwIP, and of Debian's package, whose end counts the security updates. */
extern const char lwnet_version[];

/*
 * A frame that came, or a piece of one, in a buffer that TCP keeps until the
 * caller reads it.
 */
struct lwnet_frame {
	/* private */
	struct pbuf_custom p; /* the first member */
	struct lwnet *owner;
	struct lwnet_frame *next;
	/* 2 bytes put the IP header at a multiple of 4 */
	unsigned char data[2 + LWNET_FRAME + LWNET_SLACK]
		__attribute__((aligned(4)));
};

/* A TCP connection. */
struct lwnet_link {
	/* private */
	struct lwnet *net;
	struct tcp_pcb *pcb;		  /* NULL: lwIP has none any more */
	struct lwnet_frame *first, *last; /* received, not yet read */
	struct pbuf *at;		  /* in `first`: what is read next */
	size_t off;			  /* bytes of `at` that were read */
	uint64_t moved;	 /* ms: all was acknowledged, or a part of it */
	uint32_t queued; /* bytes that were not acknowledged then */
	int err;	 /* a negative enum nbd_err: the connection failed */
	bool used, connected, eof;
};

struct lwnet {
	struct nbd_stack stack; /* for dial(); the first member */
	/* Counters, for tests and for people. */
	struct {
		uint64_t received, sent; /* frames */
		uint64_t held;		 /* acknowledgements never sent */
		uint64_t dropped;	 /* frames without a buffer */
	} count;
	/* private */
	struct nbd_ether *ether;
	struct netif netif;
	struct nbd_ip ip6; /* by hand */
	ip_addr_t router6; /* by hand; zeros: none */
	struct lwnet_frame frames[CONFIG_PORT_LWIP_FRAMES], *free;
	struct lwnet_link links[CONFIG_PORT_MAX_CONNECTIONS];
	unsigned char ack[LWNET_ACK_MAX]; /* one without data, not sent yet */
	size_t ack_len;			  /* 0: none is held */
	uint64_t key[2], drawn;
	uint64_t asked; /* ms: when all neighbours were last forgotten */
	uint32_t zero;	/* ms: when TCP's ticks began, without stalls */
};

/*
 * Starts a stack on *e, which outlives it.  *c is copied, but not its strings.
 * 0, or NBD_E_PARAM (mtu).
 */
int lwnet_open(struct lwnet *net, struct nbd_ether *e,
	       const struct lwnet_config *c);

/*
 * Waits until the interface has an address that servers can be reached from,
 * for ms milliseconds at most.  0, NBD_E_TIMEOUT, or NBD_E_INTERRUPTED: *stop,
 * which may be NULL.  d says why.
 */
int lwnet_up(struct lwnet *net, unsigned ms, const volatile int *stop,
	     struct nbd_diag *d);

/*
 * Takes frames that came (LWNET_BATCH at most), and does what is due.  Returns
 * how many came.  dial() and reads of a connection that wait call this.
 */
unsigned lwnet_poll(struct lwnet *net);

/*
 * Waits for ms milliseconds at most, or until a frame came; the same as wait()
 * of the stack without connections.
 */
void lwnet_wait(struct lwnet *net, int ms);

/* The address of IPv4, or none. */
struct nbd_ip lwnet_ip(const struct lwnet *net);
/* An address of IPv6 that is more than link-local, or none. */
struct nbd_ip lwnet_ip6(const struct lwnet *net);
/* Does another machine have the IPv6 address by hand? */
bool lwnet_ip6_taken(const struct lwnet *net);

/*
 * Sends what is left to send, for ms milliseconds at most, gives the lease of
 * DHCP back, and leaves the interface.  Connections are aborted.
 */
void lwnet_close(struct lwnet *net, unsigned ms);

/* ---- between the files of the port ---- */

/* link.c */
int lwnet_connect(struct nbd_stack *stack, struct sock *s,
		  const struct sock_addr *a);
int lwnet_connected(struct sock *s);
/* Can the connection do what is wanted (NBD_SEND, NBD_RECV)? */
bool lwnet_ready(const struct lwnet_link *l, unsigned want);
/* Ends connections whose peer acknowledges nothing; sends what waits. */
void lwnet_check_links(struct lwnet *net);

/* resolve.c */
int lwnet_resolve(struct nbd_stack *stack, const struct nbd_uri *uri,
		  struct sock_addr addrs[SOCK_MAX_ADDRS], struct nbd_diag *d);

/* name_servers.c: one of the program, the first ones; 0.0.0.0 or ::: none */
void lwnet_name_server_set(unsigned n, const ip_addr_t *ip);
/* The next server after number *k, which goes round.  False: there is none. */
bool lwnet_name_server_next(ip_addr_t *to, unsigned *k);

/* ip6.c: on the interface; false: the address is not of IPv6 */
void lwnet_ip6_add(struct netif *netif);
void lwnet_ip6_begin(struct lwnet *net, const struct lwnet_by_hand *by_hand);
bool lwnet_ip6_take(ip_addr_t *ip, const struct sock_addr *a);
/* Our own address towards *a, of IPv6; false: there is no way. */
bool lwnet_ip6_source(const struct lwnet *net, const struct sock_addr *a,
		      unsigned char own[16]);
/* Gives back the frames of packets that are incomplete. */
void lwnet_ip6_drop(void);

/* dhcp.c; ms: how much longer than for IPv6 it is waited for */
extern const unsigned lwnet_dhcp_grace_ms;
void lwnet_dhcp_begin(struct lwnet *net, const char *hostname);
void lwnet_dhcp_end(struct lwnet *net);

/* netif.c */
void lwnet_netif_add(struct lwnet *net);
/* One batch. */
unsigned lwnet_receive(struct lwnet *net);
/* Sends the acknowledgement that is held, if there is one. */
void lwnet_flush_ack(struct lwnet *net);
void lwnet_frame_free(struct lwnet_frame *f);

#endif
