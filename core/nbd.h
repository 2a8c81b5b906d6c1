/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The NBD client engine.  It performs no I/O, allocates no memory, keeps no
 * globals and has no callbacks: the caller moves bytes between a transport
 * and the windows below, then asks nbd_state() what is possible next.
 *
 *	while ((state = nbd_state(c)) & (NBD_SEND | NBD_RECV)) {
 *		if (state & NBD_SEND)
 *			send nbd_send_iov(), then nbd_send_ack()
 *		if (state & NBD_RECV)
 *			receive into nbd_recv_buf(), then nbd_recv_ack()
 *	}
 *
 * The receive window is never longer than what the protocol says must come
 * next.  So no byte is ever read past the end of the handshake, and the
 * connection may be handed over to the kernel at NBD_READY, or to TLS at
 * NBD_TLS, without losing a byte.
 *
 * "proto.md" is doc/proto.md of the NBD specification.  nbd_io.h has the
 * requests, for programs that keep the connection.
 */
#ifndef NBD_H
#define NBD_H

#include "core/nbd_err.h"

#include <stddef.h>
#include <stdint.h>

#ifndef CONFIG_CORE_TEXT_MAX
#define CONFIG_CORE_TEXT_MAX 4096
#endif

/* The longest string that either side may send (proto.md, "Values"). */
#define NBD_STRING_MAX 4096u

/* The bits of nbd_state().  NBD_CLOSED may be combined with NBD_DONE only. */
#define NBD_SEND   0x01u /* nbd_send_iov() has bytes for the server */
#define NBD_RECV   0x02u /* nbd_recv_buf() has room for server bytes */
#define NBD_TLS	   0x04u /* stopped: do the TLS handshake, nbd_tls_done() */
#define NBD_READY  0x08u /* transmission phase: nbd_start(), or hand it over */
#define NBD_ITEM   0x10u /* stopped at a list entry: nbd_name(), nbd_next() */
#define NBD_LISTED 0x20u /* the list is complete: nbd_close() */
#define NBD_CLOSED 0x40u /* over; nbd_error() says why, 0 after nbd_close() */
#define NBD_DONE   0x80u /* a request is finished: nbd_reap() */

/*
 * Transmission flags of an export (proto.md, "Transmission flags").  The
 * kernel takes the same bits as NBD_ATTR_SERVER_FLAGS.
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

/* A piece of memory to send or to fill. */
struct nbd_iov {
	void *base; /* only read when sending */
	size_t len; /* bytes */
};

enum nbd_goal {
	NBD_GOAL_EXPORT,   /* GO (or EXPORT_NAME), stop at NBD_READY */
	NBD_GOAL_LIST,	   /* LIST: NBD_ITEM for each export, then NBD_LISTED */
	NBD_GOAL_CONTEXTS, /* the same for the metadata contexts of `name` */
};

/*
 * The format of replies to requests.  A program asks for more than simple
 * replies by naming one of the tables below in its configuration; a table
 * that no program names is not linked.  If the server refuses a format, the
 * engine falls back to the next simpler one.
 */
enum nbd_replies { NBD_SIMPLE, NBD_STRUCTURED, NBD_EXTENDED };
struct nbd_extra;
/* Avoids a look-up in a table in position-independent code. */
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
	bool tls; /* require STARTTLS; only that option is sent unencrypted */
	/*
	 * Choose the export by NBD_OPT_EXPORT_NAME, and send no option but that
	 * and STARTTLS: the server reports no block sizes.  Only for
	 * NBD_GOAL_EXPORT.
	 */
	bool no_go;
	/*
	 * NULL: simple replies only, as the kernel requires.  Needed for
	 * NBD_GOAL_CONTEXTS; ignored with NBD_GOAL_LIST.
	 */
	const struct nbd_extra *extra;
	/*
	 * The metadata context for NBD_CMD_BLOCK_STATUS, UTF-8; NULL means
	 * "base:allocation".  With NBD_GOAL_CONTEXTS the query, such as
	 * "base:"; NULL means all contexts.
	 */
	const char *context;
	size_t context_len; /* bytes, at most NBD_STRING_MAX */
};

/* The server's description of the export; valid at NBD_READY. */
struct nbd_export {
	uint64_t size;	      /* bytes, at most 2^63 - 1 */
	uint16_t flags;	      /* NBD_FLAG_*; 0 without HAS_FLAGS */
	bool has_block;	      /* the server sent the three below */
	uint32_t min_block;   /* bytes, power of 2, 1 to 65536 */
	uint32_t pref_block;  /* bytes, power of 2, >= 512 */
	uint32_t max_payload; /* bytes; 0xffffffff: no limit */
};

/*
 * A string from the server, exactly as sent: not checked to be UTF-8, may
 * contain NUL and control characters.  Escape it when printing.  Valid until
 * the next ack.
 */
struct nbd_text {
	const char *p;
	size_t len;
	bool cut; /* longer than CONFIG_CORE_TEXT_MAX; the rest was dropped */
};

struct nbd_client {
	/* private */
	const struct nbd_config *cfg;
	struct nbd_export exp;
	void (*rx_full)(struct nbd_client *c); /* runs when rx_left is 0 */
	unsigned char *rx;		       /* NULL: discard */
	uint32_t rx_left;
	struct nbd_io *io; /* NULL before nbd_start() */
	struct nbd_iov tx[4];
	uint8_t tx_n;
	uint8_t stop; /* NBD_TLS, NBD_READY, ...; 0 while bytes move */
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

/* Begins a connection.  *cfg is kept, not copied. */
void nbd_init(struct nbd_client *c, const struct nbd_config *cfg);

/* As given to nbd_init(). */
const struct nbd_config *nbd_config(const struct nbd_client *c);

/* A mask of NBD_SEND ... NBD_DONE. */
unsigned nbd_state(const struct nbd_client *c);

/* Why the client is closed: 0 or a negative enum nbd_err. The first sticks. */
int nbd_error(const struct nbd_client *c);

/*
 * Where the next server bytes go; *len is how many are expected, never more
 * than the protocol says must come.  NULL and 0 if none.
 */
unsigned char *nbd_recv_buf(struct nbd_client *c, size_t *len);
/* len bytes were written there; 0 < len <= the window. */
void nbd_recv_ack(struct nbd_client *c, size_t len);

/* Fills v[] with up to max pieces to send, in order; returns how many. */
unsigned nbd_send_iov(struct nbd_client *c, struct nbd_iov v[], unsigned max);
/* The first len bytes of them were sent; 0 < len <= their sum. */
void nbd_send_ack(struct nbd_client *c, size_t len);

/* The transport ended (err 0: a clean end of file) or failed (err < 0). */
void nbd_transport_error(struct nbd_client *c, int err);

/* The TLS handshake is done.  Discards every reply received before it. */
void nbd_tls_done(struct nbd_client *c);

/* NULL before NBD_READY. */
const struct nbd_export *nbd_export(const struct nbd_client *c);
/* At NBD_READY: the canonical name; at NBD_ITEM: the entry's name. */
struct nbd_text nbd_name(const struct nbd_client *c);
/*
 * At NBD_READY and NBD_ITEM: the description.  At NBD_CLOSED with an error
 * that the server sent: the server's message, often empty.
 */
struct nbd_text nbd_text(const struct nbd_client *c);

/* Continues after NBD_ITEM. */
void nbd_next(struct nbd_client *c);

/*
 * Ends the session politely: queues NBD_OPT_ABORT or NBD_CMD_DISC, whichever
 * fits; send what nbd_send_iov() returns, then close.  Does nothing in states
 * where neither fits.
 */
void nbd_close(struct nbd_client *c);

/*
 * Some servers end the connection at an option that they do not know.  If the
 * server ended this one at an option, *less is what to negotiate on a new
 * connection: without that option.  False if no option can be left out.
 */
bool nbd_less(const struct nbd_client *c, struct nbd_config *less);

/*
 * True if it has ended at an option that is sent for cfg->extra only, by an
 * error that another option would not have met as well.
 */
bool nbd_is_extra(const struct nbd_client *c);

/* What the engine waits for, for messages: "the greeting", "NBD_OPT_GO". */
const char *nbd_stage(const struct nbd_client *c);

/* The negotiated format of replies; valid at NBD_READY. */
enum nbd_replies nbd_replies(const struct nbd_client *c);
/* True if NBD_CMD_BLOCK_STATUS is possible: the server accepted the context. */
bool nbd_has_context(const struct nbd_client *c);

#endif
