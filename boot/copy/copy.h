/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies a disk image from one side to another.  A side is an NBD export, a
 * file, a block device or a pipe.  One thread, one poll loop, static memory.
 *
 *   scan.c: data or zero? --> task: read --> write, or zero --> done
 *                                (loop.c)
 */
#ifndef BOOT_COPY_COPY_H
#define BOOT_COPY_COPY_H

#include "boot/device/tls.h"
#include "core/nbd_uri.h"

#include <poll.h>

/* All payload in flight, and what one request takes of it at most. */
#define COPY_POOL  (4u << 20)
#define COPY_PIECE (256u << 10)
#define COPY_DEPTH 32

/* Zeroes are asked for in pieces of this size at most. */
#define COPY_ZEROES (256u << 20)

/* A server that stays silent for so long while it is asked is given up. */
#define COPY_SILENCE_MS 120000

/* An operation of a side was begun and will end in copy_done(). */
#define COPY_PENDING 1

/*
 * free --> READ --> (TURN, before a pipe) --> WRITE or ZERO --> free
 *   '----> READ --> COMPARE ------------------------------------^
 */
enum task_step {
	TASK_FREE,
	TASK_READ,
	TASK_TURN,
	TASK_WRITE,
	TASK_COMPARE,
};

/* A piece on its way. */
struct task {
	enum task_step step;
	bool zero;   /* its content: nothing is read, iov is not used */
	bool unread; /* still in the file, iov only stands for it */
	uint64_t offset;
	uint32_t len;
	struct nbd_iov iov;   /* its buffer, len bytes */
	struct nbd_iov other; /* to compare with: the destination's content */
	int64_t begun;	      /* ns; when an NBD server was asked */
};

struct side;

/* Results: 0 done, COPY_PENDING, or a negative error with the text in d. */
struct side_ops {
	int (*read)(struct side *s, struct task *t, struct nbd_iov *to,
		    struct nbd_diag *d);
	int (*write)(struct side *s, struct task *t, struct nbd_diag *d);
	int (*zero)(struct side *s, struct task *t, struct nbd_diag *d);
	/*
	 * What is at offset: *len bytes that are zero (or not).  Pending: ask
	 * again after the next event.
	 */
	int (*extent)(struct side *s, uint64_t offset, uint64_t *len,
		      bool *zero, struct nbd_diag *d);
	/* Everything written is safe when this is over. */
	int (*flush)(struct side *s, struct nbd_diag *d);
	void (*close)(struct side *s);
};

struct side {
	const struct side_ops *ops;
	const char *name; /* as the person wrote it */
	bool output;
	uint64_t size;	   /* bytes; UINT64_MAX: a pipe, known at its end */
	uint32_t align;	   /* bytes; requests are multiples, power of 2 */
	uint32_t piece;	   /* bytes; the longest read or write */
	uint32_t zeroes;   /* bytes; the longest zero */
	bool grows;	   /* an output file: as long as it has to be */
	bool tls;	   /* nbds:// */
	bool is_pipe;	   /* in order, from the first byte to the last */
	bool is_zero;	   /* a destination that is known to hold zeroes */
	bool takes_pages;  /* a server that copy_send() serves well */
	int fd;		   /* file.c */
	struct link *link; /* nbd.c */
};

struct copy_options {
	unsigned connections; /* 0: as many as serve well */
	unsigned depth;	      /* 0: the default */
	bool simple, destination_is_zero, progress, verify, print_latency;
	struct tls_files files;	     /* for TLS */
	struct nbd_latency *latency; /* of all requests to servers */
};

/*
 * Opens what a person named.  An output file is created if it is not there,
 * but what it holds stays until copy_side_set_size().
 */
int copy_side_open_nbd(struct side *s, const struct nbd_uri *uri,
		       const struct copy_options *o, struct nbd_diag *d);
int copy_side_open_file(struct side *s, const char *name, bool output,
			struct nbd_diag *d);
/* Makes an output file as long as the source; what is new of it is zero. */
int copy_side_set_size(struct side *s, uint64_t size, struct nbd_diag *d);
/* Are these the same file or device?  Then a copy would destroy it. */
bool copy_side_same(const struct side *a, const struct side *b);

/*
 * Copies src to dst, flushes, and compares if asked to.  On failure d says
 * what failed at which offset; *done is how many bytes from the start on are
 * copied in any case (and flushed only if the result is 0).
 */
int copy_run(struct side *src, struct side *dst, const struct copy_options *o,
	     uint64_t *done, struct nbd_diag *d);

/* SIGINT and SIGTERM: copy_run() returns NBD_E_CUT soon. */
extern volatile int copy_interrupted;

/* ---- between loop.c and the sides ---- */

/* What a pending operation came to: 0, or an error with its text in d. */
void copy_done(struct task *t, int err);
int64_t copy_now(void); /* ns, monotonic */

/* The task that p is payload of, if that is still in the source's file. */
struct task *copy_unread(const void *p);
/*
 * Sends v, a part of it, from there to a socket: bytes (> 0) or NBD_E_AGAIN.
 * 0: now it is in memory after all.
 */
int copy_send(struct task *t, const struct nbd_iov *v, int fd);

/* Connections of one side at most. */
#define COPY_LINKS CONFIG_PORT_MAX_CONNECTIONS

/* nbd.c; a side of another kind has nothing to poll and nothing to do. */

/* Adds what poll() should wait for to fds[]; the new count. */
unsigned copy_side_poll(const struct side *s, struct pollfd fds[], unsigned n);
/*
 * Moves bytes, and calls copy_done() for each operation that is over.  > 0 if
 * anything happened, 0 if there is nothing to do before the next event, or an
 * error of the connection.
 */
int copy_side_pump(struct side *s, struct nbd_diag *d);

/* ---- scan.c ---- */

/* Where the next piece comes from. */
struct scan {
	struct side *src, *dst;
	uint64_t offset; /* of what comes next */
	uint64_t left;	 /* bytes of the extent at offset */
	bool zero;	 /* what that extent is */
	uint32_t align;
};

/*
 * The next piece of at most the sides' limits into t->offset, t->len.  0 with
 * *zero set, COPY_PENDING, or an error.  At the end t->len is 0.
 */
int copy_scan_next(struct scan *s, struct task *t, bool *zero,
		   struct nbd_diag *d);

/* ---- progress.c ---- */

struct progress {
	bool on, terminal;
	int64_t begun, shown; /* ns */
	uint64_t size;	      /* UINT64_MAX: not known */
};

void copy_progress_begin(struct progress *p, bool wanted, uint64_t size);
/* Shows how far it is, if it is time. */
void copy_progress_show(struct progress *p, uint64_t done, bool last);

#endif
