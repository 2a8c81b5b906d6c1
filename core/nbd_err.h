/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors of the whole project.  A function that can fail returns a value >= 0
 * or one of these, and nbd_err_text() explains it to a person.
 */
#ifndef NBD_ERR_H
#define NBD_ERR_H

#include <stdbool.h>

enum nbd_err {
	NBD_OK = 0,
	/* detected by the engine */
	NBD_E_PARAM = -1,     /* the caller broke the contract */
	NBD_E_NOT_NBD = -2,   /* the greeting is not that of an NBD server */
	NBD_E_OLDSTYLE = -3,  /* the server speaks the oldstyle handshake */
	NBD_E_NOT_FIXED = -4, /* newstyle, but not "fixed": no options */
	NBD_E_PROTOCOL = -5,  /* the server broke the protocol */
	NBD_E_LENGTH = -6,    /* a length from the server is out of range */
	NBD_E_SIZE = -7,      /* an export size over 2^63 - 1 */
	NBD_E_BLOCK = -8,     /* block sizes that the protocol forbids */
	NBD_E_CUT = -9,	      /* the server closed the connection */
	NBD_E_BUSY = -10,     /* no free request slot */
	/* sent by the server in reply to an option (NBD_REP_ERR_*) */
	NBD_E_UNSUP = -11,	 /* the server does not know the option */
	NBD_E_POLICY = -12,	 /* forbidden by the server's administrator */
	NBD_E_INVALID = -13,	 /* the server found the option malformed */
	NBD_E_PLATFORM = -14,	 /* not built into the server */
	NBD_E_TLS_REQD = -15,	 /* the server requires TLS first */
	NBD_E_NO_EXPORT = -16,	 /* no export of that name */
	NBD_E_SHUTDOWN = -17,	 /* the server is shutting down */
	NBD_E_BLOCK_REQD = -18,	 /* the client must obey the block sizes */
	NBD_E_TOO_BIG = -19,	 /* the option was too big for the server */
	NBD_E_REFUSED_OPT = -20, /* an error reply of unknown type */
	NBD_E_NO_TLS = -21,	 /* TLS was demanded, the server has none */
	/* detected by a port */
	NBD_E_AGAIN = -22,	 /* would block; not a failure */
	NBD_E_IO = -23,		 /* the transport or a file failed */
	NBD_E_RESOLVE = -24,	 /* the host name has no address */
	NBD_E_REFUSED = -25,	 /* nothing listens on that port */
	NBD_E_UNREACHABLE = -26, /* no route, or no link */
	NBD_E_RESET = -27,	 /* the connection was reset */
	NBD_E_TIMEOUT = -28,	 /* no answer in time */
	NBD_E_PERM = -29,	 /* not privileged enough */
	NBD_E_NO_DRIVER = -30,	 /* no nbd driver in the kernel, no module */
	NBD_E_NO_DEVICE = -31,	 /* no such device, or not connected */
	NBD_E_IN_USE = -32,	 /* the device is connected or open already */
	NBD_E_MULTI_CONN = -33,	 /* several connections are not allowed */
	NBD_E_MISMATCH = -34,	 /* connections disagree about the export */
	NBD_E_KERNEL = -35,	 /* the kernel refused */
	NBD_E_URI = -36,	 /* not a URI, or not a valid NBD URI */
	NBD_E_NO_MEMORY = -37,	 /* a fixed buffer is too small, or no memory */
	NBD_E_NOT_FOUND = -38,	 /* a file, module or partition is missing */
	NBD_E_USAGE = -39,	 /* wrong arguments on a command line */
	/* of requests: detected before anything is sent ... */
	NBD_E_RANGE = -40,	 /* beyond the end of the export */
	NBD_E_ALIGN = -41,	 /* not a multiple of the minimum block size */
	NBD_E_PAYLOAD = -42,	 /* longer than the server's maximum payload */
	NBD_E_NOT_OFFERED = -43, /* a command or flag that the server lacks */
	NBD_E_READ_ONLY = -44,	 /* the export is read-only */
	NBD_E_NO_CONTEXT = -45,	 /* block status without metadata context */
	NBD_E_EMPTY = -46,	 /* a length of 0 */
	NBD_E_LONG = -47,	 /* over 32 bits, without extended headers */
	/* ... and detected in the reply */
	NBD_E_PARTIAL = -48,   /* success, but part of the data is missing */
	NBD_E_SCATTERED = -49, /* a read in more than NBD_SPANS islands */
	/* detected by TLS */
	NBD_E_TLS = -50,	 /* the handshake or a record failed */
	NBD_E_CREDENTIAL = -51,	 /* our certificate, key or CA is unusable */
	NBD_E_CERT = -52,	 /* the server's certificate is not trusted */
	NBD_E_CERT_NAME = -53,	 /* it was issued for another name */
	NBD_E_CERT_TIME = -54,	 /* it is not valid at the present time */
	NBD_E_CLIENT_CERT = -55, /* the server rejects our certificate */
	NBD_E_PSK = -56,	 /* the server refused the pre-shared key */
	NBD_E_TLS_KERNEL = -57,	 /* the kernel lacks TLS or the cipher */
	/* detected by a program */
	NBD_E_INTERRUPTED = -58, /* a signal asks to stop */
	/* detected by a port, as well */
	NBD_E_NO_SOCKET = -59, /* no UNIX socket has that path */
	NBD_E_LAST = -60
};

/* The meaning of err: "the server closed the connection".  Never NULL. */
const char *nbd_err_text(int err);
/* What a person can do about it; "" if there is no general advice. */
const char *nbd_err_hint(int err);
/* True for a failure that may pass by itself: retry instead of giving up. */
bool nbd_err_is_outage(int err);

#endif
