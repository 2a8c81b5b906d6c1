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
#include "core/nbd_io.h"
#include "core/nbd_uri.h"

#include <poll.h>

/* All payload in flight, and what one request takes of it at most. */
#define COPY_POOL  (4u << 20)
#define COPY_PIECE (256u << 10)
#define COPY_DEPTH 32

/* Zeroes are asked for in pieces of this size at most. */
#define COPY_ZEROES (256u << 20)

/* ns without a finished request: then the copy is given up. */
#define COPY_SILENCE_NS (120 * (int64_t)1000000000)

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
struct copy;

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
	uint64_t size;	  /* bytes; UINT64_MAX: a pipe, known at its end */
	uint32_t align;	  /* bytes; requests are multiples, power of 2 */
	uint32_t piece;	  /* bytes; the longest read or write */
	uint32_t zeroes;  /* bytes; the longest zero */
	bool grows;	  /* an output file: as long as it has to be */
	bool is_pipe;	  /* in order, from the first byte to the last */
	bool is_zero;	  /* a destination that is known to hold zeroes */
	bool takes_pages; /* a server that copy_send() serves well */
	int fd;		  /* file.c */
	bool created;	  /* an output file that was not there before */
	struct copy_link *link; /* nbd.c */
	struct copy *copy;	/* the one that it is a side of */
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
int copy_side_open_nbd(struct side *s, struct copy_link *l,
		       const struct nbd_uri *uri, const struct copy_options *o,
		       struct nbd_diag *d);
int copy_side_open_file(struct side *s, const char *name, bool output,
			struct nbd_diag *d);
/* Makes an output file as long as the source; what is new of it is zero. */
int copy_side_set_size(struct side *s, uint64_t size, struct nbd_diag *d);
/* 0 if a file or device is as long as when it was opened. */
int copy_side_same_size(const struct side *s, struct nbd_diag *d);
/* Are these the same file or device?  Then a copy would destroy it. */
bool copy_side_same(const struct side *a, const struct side *b);

/*
 * Copies src to dst, flushes, and compares if asked to.  On failure d says
 * what failed at which offset; *done is how many bytes from the start on are
 * copied in any case (and flushed only if the result is 0).
 */
int copy_run(struct copy *c, const struct copy_options *o, uint64_t *done);

/* ---- interrupt.c ---- */

/*
 * From here on SIGINT and SIGTERM end a copy within a second: copy_run()
 * returns NBD_E_CUT, and what still hangs then is left behind by exiting.
 */
void copy_catch_signals(void);

/*
 * 0, or 1 from the signal on and one more each COPY_TICK_MS.  A signal handler
 * writes it, hence static.
 */
extern volatile int copy_interrupted;
#define COPY_TICK_MS 100
/* Its value from which requests in flight are waited for no more, ... */
#define COPY_ABANDON 5
/* ... and servers may no more finish what they were asked. */
#define COPY_LEAVE   8

/* ---- between loop.c and the sides ---- */

/* What a pending operation came to: 0, or an error with its text in d. */
void copy_done(struct copy *c, struct task *t, int err);
int64_t copy_now(void); /* ns, of nbd_now_ns() */

/* The task that p is payload of, if that is still in the source's file. */
struct task *copy_unread(struct copy *c, const void *p);
/*
 * Sends v, a part of it, from there to a socket: bytes (> 0) or NBD_E_AGAIN.
 * 0: now it is in memory after all.
 */
int copy_send(struct copy *c, struct task *t, const struct nbd_iov *v, int fd);

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

/* A connection that takes pages of a file, around the one that it was. */
struct page_sender {
	struct nbd_transport t;
	struct nbd_transport *below;
	struct side *side;
	int fd;
};

/* The connections to a server; all zero before copy_side_open_nbd(). */
struct copy_link {
	struct conn conns[COPY_LINKS];
	struct nbd_config cfg;
	struct nbd_io io[COPY_LINKS];
	struct page_sender pages[COPY_LINKS];
	struct device_tls tls;
	unsigned n;
	uint16_t flags;
	struct nbd_latency *latency;
	/* the allocation map from ext_at on, as far as it is known */
	struct nbd_extent ext[1024];
	unsigned n_ext;
	uint64_t ext_at;
	bool asking, no_map;
	enum { NOT_FLUSHED, FLUSHING, FLUSHED } flush;
};

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

/* ---- a copy ---- */

/* The caller sets src, dst and d, the rest to zero. */
struct copy {
	struct side *src, *dst;
	struct nbd_diag *d;
	struct scan scan;
	struct progress progress;
	unsigned depth, active;
	bool compare;	  /* the second pass */
	bool straight;	  /* from a file to a server by copy_send() */
	bool prepared;	  /* the destination has its size */
	int err;	  /* the first that happened */
	uint64_t written; /* to a pipe, so far */
	int64_t moved;	  /* ns; when a request finished, or one was begun */
	struct task tasks[COPY_DEPTH];
};

#endif
