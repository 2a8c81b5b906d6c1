/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a port offers to the programs: a transport that moves bytes, a clock,
 * and the explanation of a failure.  Results are >= 0 or a negative enum
 * nbd_err.
 */
#ifndef NBD_PORT_H
#define NBD_PORT_H

#include "core/nbd.h"
#include "port/text.h"

#ifndef CONFIG_PORT_MAX_CONNECTIONS
#define CONFIG_PORT_MAX_CONNECTIONS 16
#endif

/*
 * Why something failed, for a person: what was tried, on what, and the cause.
 * The caller owns it, and the function that fails writes it.  Always
 * NUL-terminated, without control characters, cut if too long.
 */
struct nbd_diag {
	char text[512];
};

/*
 * Writes the explanation and returns err, so that a failure is one line:
 *	return nbd_diag(d, NBD_E_IO, "open %s: %s", path, strerror(errno));
 * %s arguments are escaped (see nbd_putf()).  d may be NULL.
 */
int nbd_diag(struct nbd_diag *d, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Puts "prefix: " before the text that d has, and returns err:
 *	return rc ? nbd_diag_prefix(d, rc, "%s", uri) : 0;
 */
int nbd_diag_prefix(struct nbd_diag *d, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A byte stream to a server.  May be non-blocking: NBD_E_AGAIN. */
struct nbd_transport {
	/* Bytes read (> 0), 0 at the end of the stream, or an error. */
	int (*read)(struct nbd_transport *t, void *buf, size_t len);
	/* Bytes written (> 0) or an error. */
	int (*write)(struct nbd_transport *t, const struct nbd_iov v[],
		     unsigned n);
	void (*close)(struct nbd_transport *t);
};

/*
 * Moves bytes between the engine and the transport, for some milliseconds at
 * most.  Returns
 *   0            the engine has stopped (nbd_state() has neither NBD_SEND nor
 *                NBD_RECV), or has something to reap (NBD_DONE)
 *   NBD_E_AGAIN  wait for what nbd_state() asks for (NBD_SEND, NBD_RECV)
 *   1            there is more: check the deadline and call again, without
 *                waiting, since the transport may hold bytes already
 * The engine learns of a failure of the transport, and closes.
 */
int nbd_pump(struct nbd_client *c, struct nbd_transport *t);

/*
 * The one clock, for deadlines and for durations: it never goes back, and it
 * goes on while the machine is suspended.  On Linux it starts with the kernel.
 */
uint64_t nbd_now_ns(void);

static inline uint64_t nbd_now_ms(void)
{
	return nbd_now_ns() / 1000000;
}

#endif
