/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The NBD client engine.  It performs no I/O, allocates no memory, keeps no
 * globals and calls no one back: the caller moves bytes between a transport
 * and the windows below, then looks at nbd_state() to see what became
 * possible.
 *
 * The receive window is never longer than what the protocol says must come
 * next.  So no byte is ever read past the end of the handshake, and the
 * connection may be handed to the kernel at NBD_READY, or to TLS at NBD_TLS,
 * with nothing lost.
 *
 * "proto.md" is doc/proto.md of the NBD specification.
 */
#ifndef NBD_H
#define NBD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CONFIG_CORE_MAX_REQS
#define CONFIG_CORE_MAX_REQS 16
#endif
#ifndef CONFIG_CORE_TEXT_MAX
#define CONFIG_CORE_TEXT_MAX 4096
#endif

/* The longest string that either side may send (proto.md, "Values"). */
#define NBD_STRING_MAX 4096u
/* The port of nbd:// and nbds:// (IANA). */
#define NBD_PORT       10809u

/* What nbd_state() is made of. */
#define NBD_SEND   0x01u /* nbd_send_iov() has bytes for the server */
#define NBD_RECV   0x02u /* nbd_recv_buf() has room for server bytes */
#define NBD_TLS	   0x04u /* stopped: do the TLS handshake, nbd_tls_done() */
#define NBD_READY  0x08u /* transmission phase; may be handed to the kernel */
#define NBD_ITEM   0x10u /* stopped at a list entry: nbd_name(), nbd_next() */
#define NBD_LISTED 0x20u /* the list is complete: nbd_close() */
#define NBD_CLOSED 0x40u /* over; nbd_error() says why, 0 if asked for */
#define NBD_DONE \
	0x80u /* a request is finished: nbd_reap(); the only one
			    that NBD_CLOSED may come with */

/*
 * Transmission flags of an export (proto.md, "Transmission flags").  They are
 * also what the kernel takes as NBD_ATTR_SERVER_FLAGS.
 */
#define NBD_FLAG_HAS_FLAGS	   0x0001u
#define NBD_FLAG_READ_ONLY	   0x0002u
#define NBD_FLAG_SEND_FLUSH	   0x0004u
#define NBD_FLAG_SEND_FUA	   0x0008u
#define NBD_FLAG_ROTATIONAL	   0x0010u
#define NBD_FLAG_SEND_TRIM	   0x0020u
#define NBD_FLAG_SEND_WRITE_ZEROES 0x0040u
#define NBD_FLAG_SEND_DF	   0x0080u
#define NBD_FLAG_CAN_MULTI_CONN	   0x0100u
#define NBD_FLAG_SEND_RESIZE	   0x0200u
#define NBD_FLAG_SEND_CACHE	   0x0400u
#define NBD_FLAG_SEND_FAST_ZERO	   0x0800u

/* Results are >= 0 or one of these; nbd_err_text() tells a person. */
enum nbd_err {
	NBD_OK = 0,
	/* found by the engine */
	NBD_E_PARAM = -1,     /* the caller broke the contract */
	NBD_E_NOT_NBD = -2,   /* the greeting is not NBD's */
	NBD_E_OLDSTYLE = -3,  /* a server that speaks the oldstyle handshake */
	NBD_E_NOT_FIXED = -4, /* newstyle, but not "fixed": no options */
	NBD_E_PROTOCOL = -5,  /* the server broke the protocol */
	NBD_E_LENGTH = -6,    /* a length from the server is out of range */
	NBD_E_SIZE = -7,      /* an export size over 2^63 - 1 */
	NBD_E_BLOCK = -8,     /* block sizes that contradict the protocol */
	NBD_E_CUT = -9,	      /* the server closed the connection */
	NBD_E_BUSY = -10,     /* no free request slot */
	/* said by the server (NBD_REP_ERR_*) */
	NBD_E_UNSUP = -11,	 /* option not known to the server */
	NBD_E_POLICY = -12,	 /* forbidden by the server's administrator */
	NBD_E_INVALID = -13,	 /* the server found the option malformed */
	NBD_E_PLATFORM = -14,	 /* not built into the server */
	NBD_E_TLS_REQD = -15,	 /* the server wants TLS first */
	NBD_E_NO_EXPORT = -16,	 /* no export of that name */
	NBD_E_SHUTDOWN = -17,	 /* the server is shutting down */
	NBD_E_BLOCK_REQD = -18,	 /* the server wants block sizes honoured */
	NBD_E_TOO_BIG = -19,	 /* the request was too big for the server */
	NBD_E_REFUSED_OPT = -20, /* an error reply of unknown type */
	NBD_E_NO_TLS = -21,	 /* TLS was demanded, the server has none */
	/* found by a port */
	NBD_E_AGAIN = -22,   /* nothing to read or write now; not a failure */
	NBD_E_IO = -23,	     /* the transport or a file failed */
	NBD_E_RESOLVE = -24, /* the host name has no address */
	NBD_E_REFUSED = -25, /* nobody listens there */
	NBD_E_UNREACHABLE = -26, /* no route, or no link */
	NBD_E_RESET = -27,	 /* the connection was reset */
	NBD_E_TIMEOUT = -28,	 /* no answer in time */
	NBD_E_PERM = -29,	 /* not privileged enough */
	NBD_E_NO_DRIVER = -30,	 /* the kernel has no nbd driver, no module */
	NBD_E_NO_DEVICE = -31,	 /* no such device, or not connected */
	NBD_E_IN_USE = -32,	 /* the device is connected or open already */
	NBD_E_MULTI_CONN = -33,	 /* several connections are not allowed */
	NBD_E_MISMATCH = -34,	 /* connections disagree about the export */
	NBD_E_KERNEL = -35,	 /* the kernel refused */
	NBD_E_URI = -36,	 /* not a URI, or not one that NBD knows */
	NBD_E_NO_MEMORY = -37,	 /* a fixed buffer is too small, or no memory */
	NBD_E_NOT_FOUND = -38,	 /* a file, a module, a partition is missing */
	NBD_E_USAGE = -39,	 /* wrong words on a command line */
	/* of requests: found before anything is sent ... */
	NBD_E_RANGE = -40,	 /* beyond the end of the export */
	NBD_E_ALIGN = -41,	 /* not a multiple of the server's min_block */
	NBD_E_PAYLOAD = -42,	 /* more than the server takes at once */
	NBD_E_NOT_OFFERED = -43, /* a command or flag the server has not */
	NBD_E_READ_ONLY = -44,	 /* the export is read-only */
	NBD_E_NO_CONTEXT = -45,	 /* block status, but no metadata context */
	NBD_E_EMPTY = -46,	 /* no bytes at all */
	NBD_E_LONG = -47,	 /* over 32 bits, without extended headers */
	/* ... and found in the reply */
	NBD_E_PARTIAL = -48,   /* success was claimed for a part only */
	NBD_E_SCATTERED = -49, /* a read in too many islands: NBD_SPANS */
	/* found by TLS */
	NBD_E_TLS = -50,	 /* the handshake or a record failed */
	NBD_E_CREDENTIAL = -51,	 /* a certificate, key or list of ours is bad */
	NBD_E_CERT = -52,	 /* the server's certificate is not trusted */
	NBD_E_CERT_NAME = -53,	 /* ... is for somebody else */
	NBD_E_CERT_TIME = -54,	 /* ... is not valid now */
	NBD_E_CLIENT_CERT = -55, /* the server wants another one of ours */
	NBD_E_PSK = -56,	 /* the server refused the pre-shared key */
	NBD_E_TLS_KERNEL = -57,	 /* the kernel cannot encrypt like that */
	NBD_E_LAST = -58
};

/* NBD_E_CUT is "the server closed the connection", "see the server's log". */
const char *nbd_err_text(int err);
/* What a person can do about it; "" if there is nothing general to say. */
const char *nbd_err_hint(int err);
/* True for what may pass without anybody's help: retry instead of giving up. */
bool nbd_err_is_outage(int err);

/* A piece of memory to send or to fill. */
struct nbd_iov {
	void *base; /* not written to when sent */
	size_t len;
};

enum nbd_goal {
	NBD_GOAL_EXPORT,   /* GO (or EXPORT_NAME), stop at NBD_READY */
	NBD_GOAL_LIST,	   /* LIST: NBD_ITEM for each export, then NBD_LISTED */
	NBD_GOAL_CONTEXTS, /* the same for the metadata contexts of `name` */
};

/*
 * How the server answers requests.  A program asks for more than simple
 * replies by naming one of the tables below in its configuration; what it
 * does not name is not linked.  A server that refuses gets the next simpler.
 */
enum nbd_replies { NBD_SIMPLE, NBD_STRUCTURED, NBD_EXTENDED };
struct nbd_extra;
/* Not to be found through a table, as position-independent code would. */
#define NBD_INTERNAL __attribute__((visibility("hidden")))
extern const struct nbd_extra nbd_structured NBD_INTERNAL; /* CORE_IO */
extern const struct nbd_extra nbd_extended NBD_INTERNAL;   /* CORE_EXTENDED */
#ifdef CONFIG_CORE_EXTENDED
#define NBD_BEST_REPLIES (&nbd_extended)
#else
#define NBD_BEST_REPLIES (&nbd_structured)
#endif

/* What to negotiate.  Owned by the caller; must outlive the client. */
struct nbd_config {
	const char *name; /* export name, UTF-8, no NUL; NULL means "" */
	size_t name_len;  /* bytes, at most NBD_STRING_MAX */
	enum nbd_goal goal;
	bool tls; /* demand STARTTLS; nothing else is ever sent in the clear */
	/*
	 * NULL: simple replies alone, as the kernel wants them.  Needed for
	 * NBD_GOAL_CONTEXTS; not used with NBD_GOAL_LIST.
	 */
	const struct nbd_extra *extra;
	/*
	 * The metadata context for NBD_CMD_BLOCK_STATUS, UTF-8; NULL means
	 * "base:allocation".  With NBD_GOAL_CONTEXTS what to list, such as
	 * "base:"; NULL means all.
	 */
	const char *context;
	size_t context_len; /* bytes, at most NBD_STRING_MAX */
};

/* What the server said of the export; valid at NBD_READY. */
struct nbd_export {
	uint64_t size;	      /* bytes, at most 2^63 - 1 */
	uint16_t flags;	      /* NBD_FLAG_*; 0 without HAS_FLAGS */
	bool has_block;	      /* the three below were given by the server */
	uint32_t min_block;   /* bytes, power of 2, 1 to 65536 */
	uint32_t pref_block;  /* bytes, power of 2, >= 512 */
	uint32_t max_payload; /* bytes; 0xffffffff: no limit */
};

/*
 * A server's string: UTF-8 as sent, not checked, not escaped, not NUL-safe:
 * print it only through an escaping printer.  Valid until the next ack.
 */
struct nbd_text {
	const char *p;
	size_t len;
	bool cut; /* longer than CONFIG_CORE_TEXT_MAX; the rest was dropped */
};

/* Private to core/: use the functions below. */
struct nbd_client {
	const struct nbd_config *cfg;
	struct nbd_export exp;
	void (*rx_full)(struct nbd_client *c); /* runs when rx_left is 0 */
	unsigned char *rx;		       /* NULL: discard */
	uint32_t rx_left;
	struct nbd_io *io; /* NULL before nbd_start() */
	struct nbd_iov tx[4];
	uint8_t tx_n;
	uint8_t stop; /* NBD_TLS, NBD_READY, ... : not between messages */
	uint8_t step; /* enum step: the option that is being negotiated */
	bool fixed, no_zeroes, got_export;
	uint8_t replies; /* enum nbd_replies */
	bool has_context;
	int8_t err;
	uint32_t context_id;
	uint32_t opt;		    /* option awaiting its reply */
	uint32_t rep_type, rep_len; /* of the reply being read; bytes left */
	uint32_t name_len, text_len;
	bool name_cut, text_cut;
	unsigned char hdr[32], out[32], sink[64];
	char name[CONFIG_CORE_TEXT_MAX]; /* INFO_NAME, or a list entry's */
	char text[CONFIG_CORE_TEXT_MAX]; /* description, or an error's text */
};

/* Begin a connection.  *cfg is kept, not copied. */
void nbd_init(struct nbd_client *c, const struct nbd_config *cfg);

/* A mask of NBD_SEND ... NBD_CLOSED. */
unsigned nbd_state(const struct nbd_client *c);

/* Why the client is closed: 0 or a negative enum nbd_err. The first sticks. */
int nbd_error(const struct nbd_client *c);

/*
 * Where the next server bytes go; *len is how many are wanted, never more
 * than the protocol says must come.  NULL and 0 if none.
 */
unsigned char *nbd_recv_buf(struct nbd_client *c, size_t *len);
/* len bytes were written there; 0 < len <= the window. */
void nbd_recv_ack(struct nbd_client *c, size_t len);

/* Fills v[] with up to max pieces to send, in order; returns how many. */
unsigned nbd_send_iov(struct nbd_client *c, struct nbd_iov v[], unsigned max);
/* len bytes of them were sent; 0 < len <= their sum. */
void nbd_send_ack(struct nbd_client *c, size_t len);

/* The transport ended (err 0: a clean end of file) or failed (err < 0). */
void nbd_transport_error(struct nbd_client *c, int err);

/* The TLS handshake is done.  Forgets every plaintext answer. */
void nbd_tls_done(struct nbd_client *c);

/* NULL before NBD_READY. */
const struct nbd_export *nbd_export(const struct nbd_client *c);
/* At NBD_READY: the canonical name; at NBD_ITEM: the entry's name. */
struct nbd_text nbd_name(const struct nbd_client *c);
/*
 * At NBD_READY and NBD_ITEM: the description.  At NBD_CLOSED with one of the
 * errors said by the server: its own words, often empty.
 */
struct nbd_text nbd_text(const struct nbd_client *c);

/* Goes on after NBD_ITEM. */
void nbd_next(struct nbd_client *c);

/*
 * Says goodbye: queues NBD_OPT_ABORT or NBD_CMD_DISC, whichever fits; send
 * what nbd_send_iov() has, then close.  Does nothing where neither fits.
 */
void nbd_close(struct nbd_client *c);

/* What the engine waits for, for messages: "the greeting", "NBD_OPT_GO". */
const char *nbd_stage(const struct nbd_client *c);

/* How requests are answered; valid at NBD_READY. */
enum nbd_replies nbd_replies(const struct nbd_client *c);
/* True if NBD_CMD_BLOCK_STATUS may be asked: the context was accepted. */
bool nbd_has_context(const struct nbd_client *c);

/* ---- The transmission phase (proto.md, "Transmission"): CONFIG_CORE_IO ---- */

#define NBD_CMD_READ	     0u
#define NBD_CMD_WRITE	     1u
#define NBD_CMD_DISC	     2u /* nbd_close() sends it */
#define NBD_CMD_FLUSH	     3u
#define NBD_CMD_TRIM	     4u
#define NBD_CMD_CACHE	     5u
#define NBD_CMD_WRITE_ZEROES 6u
#define NBD_CMD_BLOCK_STATUS 7u

#define NBD_CMD_FLAG_FUA       0x0001u /* WRITE, TRIM, WRITE_ZEROES */
#define NBD_CMD_FLAG_NO_HOLE   0x0002u /* WRITE_ZEROES */
#define NBD_CMD_FLAG_DF	       0x0004u /* READ: in one piece */
#define NBD_CMD_FLAG_REQ_ONE   0x0008u /* BLOCK_STATUS: one extent */
#define NBD_CMD_FLAG_FAST_ZERO 0x0010u /* WRITE_ZEROES: ENOTSUP if slow */

/* Bits of an extent's flags in the context "base:allocation" */
#define NBD_STATE_HOLE 0x1u
#define NBD_STATE_ZERO 0x2u

/* The most that a server without a limit of its own is asked at once. */
#define NBD_PAYLOAD_DEFAULT (32u << 20)

/* Errors of a request, as sent by the server (proto.md, "Error values") */
enum nbd_wire_error {
	NBD_EPERM = 1,
	NBD_EIO = 5,
	NBD_ENOMEM = 12,
	NBD_EINVAL = 22, /* also any value that the protocol does not know */
	NBD_ENOSPC = 28,
	NBD_EOVERFLOW = 75,
	NBD_ENOTSUP = 95,
	NBD_ESHUTDOWN = 108, /* see nbd_must_close() */
};

/* Extents follow each other, the first begins at the request's offset. */
struct nbd_extent {
	uint64_t len;
	uint64_t flags; /* more than 32 bits with NBD_EXTENDED only */
};

/*
 * A request.  The memory that it points to belongs to the engine, which reads
 * and writes it, from nbd_submit() until nbd_reap() returns the request.
 */
struct nbd_op {
	uint16_t type;		    /* NBD_CMD_* */
	uint16_t flags;		    /* NBD_CMD_FLAG_* */
	unsigned n_iov;		    /* READ, WRITE */
	uint64_t offset, len;	    /* bytes; both 0 for FLUSH */
	const struct nbd_iov *iov;  /* n_iov pieces, len bytes in all */
	struct nbd_extent *extents; /* BLOCK_STATUS: room for max_extents */
	unsigned max_extents;	    /* at least 1 */
	void *user;		    /* the caller's */
};

/* Bytes start to end of a read's buffer, known to be filled. */
struct nbd_span {
	uint32_t start, end;
};

/*
 * A read may arrive in this many separate islands at a time.  Servers send
 * in order, or from both ends; a reply that needs more fails with
 * NBD_E_SCATTERED.
 */
#define NBD_SPANS 8

/* A request in flight or finished.  Look at it only between reap and release. */
struct nbd_req {
	struct nbd_op op; /* as submitted */
	int result;	  /* see nbd_req_result() */
	unsigned n_extents;
	/* private */
	uint32_t gen; /* high part of the cookie */
	uint8_t state, next, n_span;
	bool sent, scattered;
	struct nbd_span span[NBD_SPANS];
	unsigned char hdr[32];
};

/* What is sent next: at a byte of a piece of a request. */
struct nbd_cursor {
	uint8_t at;
	unsigned piece;
	size_t off;
};

/* Requests of one connection, in memory of the caller.  Private to core/. */
struct nbd_io {
	const struct nbd_io_ops *ops;
	const struct nbd_format *format;
	struct nbd_req *cur;	  /* that the reply being read belongs to */
	const struct nbd_iov *to; /* where its payload goes */
	size_t to_off;
	uint32_t chunk_len, rest; /* rest: bytes, or extents, still to come */
	uint16_t chunk_flags, chunk_type;
	bool in_head, closing, leaving;
	uint8_t free, tx_first, tx_last, done_first, done_last;
	unsigned waiting, reads; /* not yet answered; how many are reads */
	struct nbd_cursor tx;
	struct nbd_req req[CONFIG_CORE_MAX_REQS + 1]; /* the last: DISC */
};

/*
 * At NBD_READY: requests will be made here, not handed over.  *io is the
 * caller's and must live as long as the client.  From now on
 *	NBD_READY  there is a free slot: nbd_submit()
 *	NBD_DONE   something to nbd_reap()
 *	NBD_RECV   replies are awaited; bytes move both ways at once.  What
 *		   was sent is acked before an answer to it is.
 * nbd_close() sends NBD_CMD_DISC behind what is queued and goes on to
 * NBD_CLOSED when every request is answered.
 */
void nbd_start(struct nbd_client *c, struct nbd_io *io);

/*
 * Queues a request; *op is copied, what it points to is not.  Returns its
 * slot (>= 0), or an error, and then nothing was or will be sent:
 * NBD_E_BUSY (no free slot), NBD_E_RANGE, NBD_E_ALIGN, NBD_E_PAYLOAD,
 * NBD_E_NOT_OFFERED, NBD_E_READ_ONLY, NBD_E_NO_CONTEXT, NBD_E_EMPTY,
 * NBD_E_LONG, NBD_E_SHUTDOWN (nbd_must_close()), NBD_E_PARAM, or the error
 * that closed the client.
 */
int nbd_submit(struct nbd_client *c, const struct nbd_op *op);

/*
 * A finished request, in the order in which they finished, or NULL.  Each is
 * returned once and stays valid until nbd_release().  After a failure of the
 * connection all unfinished requests come with its error.
 */
struct nbd_req *nbd_reap(struct nbd_client *c);
/* Gives the slot back. */
void nbd_release(struct nbd_client *c, struct nbd_req *r);

/*
 * 0; an enum nbd_wire_error (> 0); or a negative enum nbd_err: the reply was
 * not complete (NBD_E_PARTIAL, NBD_E_SCATTERED), or the connection failed, in
 * which case another one may do it.  Unless it is 0 a read's buffers are all
 * zeroes, and there are no extents.
 */
int nbd_req_result(const struct nbd_req *r);
/* What a result means, of either sign. */
const char *nbd_result_text(int result);

/*
 * True once the server said ESHUTDOWN: no more requests are taken; reap, then
 * nbd_close() (proto.md, "Terminating the transmission phase").
 */
bool nbd_must_close(const struct nbd_client *c);

/* The longest read or write that the server takes, in bytes. */
uint32_t nbd_max_payload(const struct nbd_client *c);

/* ---- URIs (doc/uri.md of the NBD specification) ---- */

enum nbd_tls_type { NBD_TLS_ANY, NBD_TLS_ANON, NBD_TLS_X509, NBD_TLS_PSK };

/*
 * A parsed URI.  Strings are percent-decoded, NUL-terminated and live in the
 * buffer that was given to nbd_uri_parse(); "" where the URI has none, never
 * NULL.  They hold no NUL but for the first byte of an abstract socket; the
 * name, the user and the paths may hold any other byte: print them escaped.
 */
struct nbd_uri {
	bool tls;	    /* nbds, nbds+unix */
	bool is_unix;	    /* nbd+unix, nbds+unix: socket, not host and port */
	uint16_t port;	    /* 1 to 65535, NBD_PORT unless given */
	const char *host;   /* letters, digits, "-._~", no "-" first; or IPv6 */
			    /* without brackets, which may end in %zone */
	const char *user;   /* TLS user name */
	const char *socket; /* path; an abstract one starts with a NUL */
	size_t socket_len;  /* bytes, without the closing NUL */
	const char *name;   /* export name: the path less ONE leading slash */
	size_t name_len;    /* bytes, at most NBD_STRING_MAX */
	enum nbd_tls_type tls_type;
	int tls_verify_peer;	      /* -1: not given, 0, 1 */
	const char *tls_hostname;     /* name to verify in place of host */
	const char *tls_certificates; /* folder (libnbd's key) */
	const char *tls_psk_file;     /* path (libnbd's key) */
	/* after NBD_E_URI: what is wrong, and the offset in the text */
	const char *wrong;
	size_t wrong_at;
};

/*
 * Parses the NUL-terminated text into *u, its strings into buf (cap bytes; a
 * buffer of strlen(text) always suffices).  Returns 0, NBD_E_URI with u->wrong
 * (a constant, "a port that is not 1 to 65535") and u->wrong_at set, or
 * NBD_E_NO_MEMORY.  After a failure the other fields say nothing.
 *
 * Strict: what RFC 3986 wants percent-encoded must be.  Wrong are also a
 * fragment, a password, a TCP URI without a host, a UNIX one with a host or
 * without socket=, and a key that is unknown, without a value or given twice.
 * The slashes of nbd+unix:// may be left out, as RFC 3986 allows.
 */
int nbd_uri_parse(struct nbd_uri *u, char *buf, size_t cap, const char *text);

/* True if text begins with nbd: nbds: nbd+unix: or nbds+unix: in any case. */
bool nbd_is_uri(const char *text);

/*
 * Writes the canonical URI, NUL-terminated: scheme in lower case, default port
 * left out, a slash after the host, brackets where needed, keys in the order
 * of the fields, only what must be percent-encoded is.  Parsing it again gives
 * the same fields.  Returns its length, or NBD_E_NO_MEMORY.
 */
int nbd_uri_print(const struct nbd_uri *u, char *buf, size_t cap);

#endif
