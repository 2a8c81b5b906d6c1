/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot-lwip: NBD over lwIP in a process of Linux, for tests and to look at.
 */
#ifndef BOOT_LWIP_LWIP_H
#define BOOT_LWIP_LWIP_H

#include "port/disk.h"
#include "port/lwip/lwip.h"

/* Bytes of one read of a copy, and how many are in flight at most. */
#define LWIP_PIECE (256u << 10)
#define LWIP_DEPTH 32

/* ---- a command's state (main.c) ---- */

struct lwip_options {
	const char *tap, *packet; /* interfaces; one of them, or fd */
	int fd;			  /* a socket that carries frames, or -1 */
	bool sockets;		  /* those of the system, and no lwIP */
	bool verbose;
	unsigned connections, depth, piece, patience, silence, seed, steps;
	const char *ca; /* PEM file, for TLS */
	struct lwnet_config net;
	unsigned char mac[6];
	char **words; /* the command and its operands, then NULL */
	unsigned n_words;
};

struct lwip_tap {
	struct nbd_ether e; /* the first member */
	/* private */
	int fd;
};

struct lwip_call {
	struct lwip_options o;
	struct nbd_stack *net;
	struct nbd_uri uri;
	struct nbd_disk_config disk_cfg;
	struct nbd_disk disk; /* is open */
	char text[8192];      /* of the URI */
	struct lwip_tap tap;
	struct lwnet lwip;
};

/* 0, or an error with the reason in call->disk.d. */
int lwip_info(struct lwip_call *call);
int lwip_copy(struct lwip_call *call);
int lwip_check(struct lwip_call *call);

/* Set by SIGINT and SIGTERM. */
extern volatile int lwip_stop;

/* ---- options.c ---- */

/* 0, or NBD_E_USAGE after a message. */
int lwip_parse(struct lwip_options *o, char *argv[]);

/* ---- out.c ---- */

/* Prints on standard output or standard error. */
void lwip_say(int fd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- tls.c ---- */

/*
 * Loads what an nbds:// URI names.  *tls is NULL for others.  0, or an error
 * with the reason in d.
 */
int lwip_tls(const struct lwip_options *o, const struct nbd_uri *uri,
	     struct nbd_tls **tls, struct nbd_diag *d);

/* ---- tap.c ---- */

/*
 * Opens the interface that the options name: a tap device, which is made if it
 * is not there, or a packet socket on any other.  0, or an error with the
 * reason in d.
 */
int lwip_tap_open(struct lwip_tap *t, const struct lwip_options *o,
		  struct nbd_diag *d);

#endif
