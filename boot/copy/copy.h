/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies a disk image from one side to another: a side is an NBD export, a
 * file, a block device or a pipe.  One thread, one poll loop, static memory.
 *
 *   scan.c: data or zero? --> task: read --> write, or zero --> done
 *                                (piece.c)
 *
 * With a hash tree of the source, what the destination has is passed over first
 * (hash_tree.c).
 *
 * A server that goes away is waited for (link.c).  What it had acknowledged,
 * but not flushed, is written again.
 *
 * A file that is written also gets a record of how far it is known to be on the
 * disk, from which a later copy goes on (resume.c).
 */
#ifndef BOOT_COPY_COPY_H
#define BOOT_COPY_COPY_H

#include "boot/copy/link.h"
#include "boot/copy/sum.h"

#include <poll.h>
#include <sys/types.h>

/* Bytes of all payload in flight, and of one request at most; tasks at most. */
#define COPY_POOL  (4u << 20)
#define COPY_PIECE (256u << 10)
#define COPY_DEPTH 32

/* Bytes of one request to write zeroes, at most. */
#define COPY_ZEROES (256u << 20)

/* ns: a server is away if no bytes come or go for this time. */
#define COPY_SILENCE_NS (120 * UINT64_C(1000000000))

/* ns between two flushes; what is written meanwhile may be written again. */
#define COPY_FLUSH_NS (30 * UINT64_C(1000000000))

/* s that a server may be away, unless the user wants something else. */
#define COPY_PATIENCE 600

/* An interrupted copy leaves DST.nbdboot-part, and no DST. */
#define COPY_PART ".nbdboot-part"

/* An operation of a side was started; copy_done() will report its result. */
#define COPY_PENDING 1

/*
 * free --> READ --> (TURN, to a pipe or a hash) --> WRITE or ZERO --> free
 *   '----> READ --> COMPARE ---(differs, with --delta)---^-----------^
 *                                 and again for each run of blocks that differ
 */
enum task_step {
	TASK_FREE,
	TASK_READ,
	TASK_TURN,
	TASK_WRITE,
	TASK_COMPARE,
};

/* A piece of the disk that is being copied. */
struct task {
	enum task_step step;
	bool zero;   /* all zeroes: nothing is read, iov is not used */
	bool unread; /* payload is still in the file, iov is a placeholder */
	bool bad;    /* the disk of the source failed to read it */
	bool held;   /* to be asked again, after an outage */
	bool hashed; /* other has its hashes, until it is read */
	uint64_t offset;
	uint32_t len;
	uint32_t zeroed; /* bytes of it, by a server */
	uint32_t rest; /* bytes behind it that were compared, but not written */
	struct nbd_iov iov;   /* its buffer, len bytes */
	struct nbd_iov other; /* the destination's content, when comparing */
	uint64_t begun;	      /* ns; when the request to a server began */
};

struct side;
struct copy;
struct copy_tree;
struct rescue;

/* Results: 0 done, COPY_PENDING, or a negative error with the reason in d. */
struct side_ops {
	int (*read)(struct side *s, struct task *t, struct nbd_iov *to,
		    struct nbd_diag *d);
	int (*write)(struct side *s, struct task *t, struct nbd_diag *d);
	int (*zero)(struct side *s, struct task *t, struct nbd_diag *d);
	/*
	 * Finds the extent at offset: *len bytes that are all zero (*zero) or
	 * data.  COPY_PENDING: call it again after the next event.
	 */
	int (*extent)(struct side *s, uint64_t offset, uint64_t *len,
		      bool *zero, struct nbd_diag *d);
	/* When this is done, all written data is on stable storage. */
	int (*flush)(struct side *s, struct nbd_diag *d);
	void (*close)(struct side *s);
};

struct side {
	const struct side_ops *ops;
	const char *name; /* as the user wrote it */
	bool output;
	uint64_t size;	  /* bytes; UINT64_MAX: a pipe, not known yet */
	uint64_t base;	  /* bytes before what is copied, ... */
	uint64_t rest;	  /* ... and behind */
	uint32_t align;	  /* bytes; requests are multiples, power of 2 */
	uint32_t piece;	  /* bytes; the longest read or write */
	uint32_t zeroes;  /* bytes; the longest zero */
	bool grows;	  /* an output file: its size can be set */
	bool is_pipe;	  /* must be read or written in order */
	bool unopened;	  /* a pipe, until copy_side_open_pipe() */
	bool is_zero;	  /* a destination that is known to be all zeroes */
	bool takes_pages; /* a server for which sendfile() is faster */
	int fd;		  /* file.c */
	bool created;	  /* an output file that did not exist before */
	bool hidden;	  /* its name ends in COPY_PART for now */
	bool marked;	  /* a record may follow its last byte */
	bool torn;	  /* a flush failed: what is on the disk? */
	struct copy_link *link; /* nbd.c */
	struct copy *copy;	/* that has begun with this side, or NULL */
};

struct copy_options {
	unsigned connections; /* 0: the default */
	unsigned depth;	      /* 0: the default */
	/* s to wait for a server that goes away; 0: the copy fails at once */
	unsigned patience;
	/* Reports when an outage begins and ends. */
	void (*say)(const struct nbd_diag *d);
	bool simple, destination_is_zero, progress, verify, print_latency;
	const char *delta;     /* write only what differs: "", or a hash tree */
	const char *root_hash; /* of that tree, or NULL */
	const char *hash;      /* "sha256" of what was written, or NULL */
	/* dst is from copy_side_open_part(), or _again() if there is a map */
	bool resume;
	const char *map;      /* the file of the map, or NULL */
	const char *skip_bad; /* likewise, or ""; NULL: an error ends the copy */
	unsigned retries;     /* of what cannot be read */
	/* as the user wrote them; NULL: all */
	const char *offset, *length, *part, *to_part;
	const char *rate;	     /* likewise, and as bytes a second: */
	uint64_t per_second;	     /* 0: no limit */
	struct tls_files files;	     /* for TLS */
	struct nbd_latency *latency; /* of all requests to servers */
};

/*
 * Open a side that the user named; a failure leaves nothing open.  From then on
 * ops->close() may be called, whether a copy began or not.  An output file is
 * created if it does not exist; an existing one keeps its content until
 * copy_side_set_size().  uri and o must outlive the side.
 */
int copy_side_open_nbd(struct side *s, struct copy_link *l,
		       const struct nbd_uri *uri, const struct copy_options *o,
		       struct nbd_diag *d);
int copy_side_open_file(struct side *s, const char *name, bool output,
			struct nbd_diag *d);
/*
 * Waits for a reader of an output pipe that has a name, and opens it; a signal
 * ends that.  Refuse before what a pipe cannot do.  Other sides are open already.
 */
int copy_side_open_pipe(struct side *s, struct nbd_diag *d);
/*
 * Reduces a side to length bytes from offset on (0: up to its end); those are
 * its offsets 0 to length then.  NBD_E_USAGE: it has no such part.
 */
int copy_side_range(struct side *s, uint64_t offset, uint64_t length,
		    struct nbd_diag *d);
/* Reads len bytes at `at` of a side with nothing in flight, no pipe. */
int copy_side_peek(struct side *s, void *to, size_t len, uint64_t at,
		   struct nbd_diag *d);
/* "4096", "64K", ..M, G, T: powers of 1024.  False: not a number of bytes. */
bool copy_bytes(const char *text, uint64_t *bytes);
/*
 * Opens what an interrupted copy to the file `name` left, to write the rest of
 * it.  NBD_E_NOT_FOUND: no such copy was interrupted.
 */
int copy_side_open_part(struct side *s, const char *name, struct nbd_diag *d);
/* With a map: opens that part, or a file or device that is there. */
int copy_side_open_again(struct side *s, const char *name, struct nbd_diag *d);
/*
 * Makes an output file as long as the source; new bytes are zero.  From here on
 * it would look complete, so COPY_PART is appended to its name.  NBD_E_IN_USE:
 * another copy writes it.
 */
int copy_side_set_size(struct side *s, uint64_t size, struct nbd_diag *d);
/*
 * Gives an output file, which is complete and flushed, its own name again, and
 * removes the record of resume.c.
 */
int copy_side_complete(struct side *s, struct nbd_diag *d);
/* Returns 0 if a file or device still has the size it had when opened. */
int copy_side_same_size(const struct side *s, struct nbd_diag *d);
/*
 * Are both the same file, pipe or device, or parts of one that overlap?  Such a copy
 * would destroy what it has not read yet.
 */
bool copy_side_overlap(const struct side *a, const struct side *b);

/*
 * Copies src to dst, flushes, and compares with o->verify.  On failure d has
 * the reason and the offset.  *done is the number of bytes from the start that
 * are surely copied, even on failure (but flushed only if the result is 0).  An
 * output file then keeps the name with COPY_PART, and d says so.
 */
int copy_run(struct copy *c, const struct copy_options *o, uint64_t *done);
/* Bytes of the source that could not be read, in so many areas. */
uint64_t copy_unreadable(const struct copy *c, unsigned *areas);

/* ---- interrupt.c ---- */

/*
 * After this call SIGINT and SIGTERM end a copy within a second: copy_run()
 * returns NBD_E_INTERRUPTED, and operations that still hang end when the program
 * exits.
 */
void copy_catch_signals(void);

/*
 * 0 before the signal, then 1, and one more every COPY_TICK_MS.  Global, since
 * a signal handler writes it.
 */
extern volatile int copy_interrupted;
#define COPY_TICK_MS 100
/* From this value on, requests in flight are no longer waited for, ... */
#define COPY_ABANDON 4
/* ... and from this one on, connections are closed despite open requests. */
#define COPY_LEAVE   6

/* ---- piece.c ---- */

/* Takes all steps of a task that are possible now. */
void copy_advance(struct copy *c, struct task *t);
/* Reports the result of a pending operation: 0, or an error explained in d. */
void copy_done(struct copy *c, struct task *t, int err);
/* Goes on with the tasks whose turn has come; true: there were some. */
bool copy_take_turns(struct copy *c);
/*
 * Changes the destination for the first time, and only after the source could
 * be read.
 */
int copy_prepare(struct copy *c);

/* ---- nbd.c, link.c; for sides of another kind these do nothing ---- */

/* Appends to fds[] what poll() must wait for; returns the new count. */
unsigned copy_side_poll(const struct side *s, struct pollfd fds[], unsigned n);
/*
 * Sends and receives, and calls copy_done() for each finished operation.
 * Returns > 0 if anything happened, 0 if there is nothing to do before the next
 * event, or an error of the connection.
 */
int copy_side_pump(struct side *s, struct nbd_diag *d);
/* Does a server owe an answer? */
bool copy_side_waits(const struct side *s);
/*
 * The server failed with `why` (and its reason in d).  Connects again, as soon
 * as a server answers that still has the same disk; requests that were in
 * flight are lost, and the caller makes them again.  Returns why at once if
 * that is no outage, or the user has no patience; other errors: patience is
 * over, it is another disk, or (NBD_E_CUT) a signal came.
 */
int copy_side_reconnect(struct side *s, int why, struct nbd_diag *d);
/*
 * The source cannot be read at its end, and nothing is in flight.  If a server
 * called such a read invalid, this connects again, to see whether its export
 * has become shorter: NBD_E_SIZE, or another error that leaves no connection.
 */
int copy_side_recheck(struct side *s, struct nbd_diag *d);

/* ---- loop.c ---- */

/* Copies or compares what copy_aim() has named. */
void copy_pass(struct copy *c, bool compares);
/*
 * Flushes the destination, unless a signal came: fsync() of a file can take
 * longer than the user wants to wait, and no signal interrupts it.
 */
void copy_flush(struct copy *c);
/* Is there something to copy again, after an outage? */
bool copy_is_behind(const struct copy *c);

/* ---- samples.c ---- */

/* A pass without errors is a failure if the source's size changed meanwhile. */
void copy_end_pass(struct copy *c);
/* Compares the pieces at from, from + stride and so on, before end. */
void copy_samples(struct copy *c, uint64_t from, uint64_t end, uint64_t stride);

/* ---- tasks.c ---- */

/* Outages of a server in a row, before the copy has moved on. */
#define COPY_FAILURES 10

/* The offset before which everything is copied. */
uint64_t copy_low_water(const struct copy *c);
/* Where a task waits for an answer; NULL: nowhere. */
const struct side *copy_waits_for(const struct copy *c, const struct task *t);
/* The next task that can be asked again after an outage; NULL: none now. */
struct task *copy_next_held(struct copy *c);
/* The source may hang up at one of the pieces: are no others to be read now? */
bool copy_must_ask_alone(struct copy *c);
/*
 * The piece that s was asked for alone when it failed COPY_FAILURES times; NULL:
 * it did not, or errors are not to be skipped.  It begins to count anew.
 */
struct task *copy_deadly(struct copy *c, const struct side *s);

/* ---- rescue.c, or norescue.c ---- */

/*
 * Sets c->rescue if the options want one, and starts a map, or reads it with
 * o->resume.  The sides are known to fit.
 */
int copy_rescue_begin(struct copy *c, const struct copy_options *o);
/* Copies all that is not copied yet; returns how many bytes are. */
uint64_t copy_rescue_all(struct copy *c);
/* Compares what is copied. */
void copy_rescue_verify(struct copy *c);
/* The disk failed to read t, also as a sample.  False: the copy ends. */
bool copy_rescue_skips(struct copy *c, const struct task *t);
/* Should this pass end early, to write the map? */
bool copy_rescue_is_due(const struct copy *c);
/*
 * Before `low`, an offset in the pass that runs or has just ended, this pass has
 * copied everything.
 */
void copy_rescue_reach(struct copy *c, uint64_t low);
/* What was reached is on the disk: writes the map.  0 or an error, in d. */
int copy_rescue_keep(struct copy *c, struct nbd_diag *d);
/* Is there a map that is kept? */
bool copy_rescue_has_map(const struct copy *c);
/* "", or " (--resume goes on with MAP)" in text. */
void copy_rescue_explain(const struct copy *c, char *text, size_t cap);

/* ---- link.c, and send.c ---- */

/* Opens the connections of copy_side_open_nbd(). */
int copy_link_open(struct side *s, struct copy_link *l,
		   const struct nbd_uri *uri, const struct copy_options *o,
		   struct nbd_diag *d);
/* Wraps the transports of new connections, if s->takes_pages. */
void copy_link_take_pages(struct side *s);
/* Waits for what is in flight, drops the answers, and hangs up. */
void copy_link_leave(struct side *s);
/* A request was answered: the server is there. */
void copy_link_answers(struct side *s, bool is_flush);

/* ---- scan.c ---- */

/* The position of the scan, and the extent there. */
struct scan {
	struct side *src, *dst;
	uint64_t offset; /* of the next piece */
	uint64_t end;	 /* of the last one; UINT64_MAX: that of the pipe */
	uint64_t stride; /* bytes from piece to piece; 0: no gaps */
	uint64_t left;	 /* bytes of the extent at offset */
	bool zero;	 /* that extent is all zeroes */
	bool same;	 /* the destination has it already */
	uint32_t align;
	struct copy_tree *tree; /* NULL: nothing says that */
};

/*
 * Sets t->offset, t->len and t->zero to the next piece, within the limits of both
 * sides; or *same, and there is nothing to do about it.  Returns 0, COPY_PENDING,
 * or an error.  At the end t->len is 0.
 */
int copy_scan_next(struct scan *s, struct task *t, bool *same,
		   struct nbd_diag *d);

/* The next pass is over this part of the source; a stride of 0 has no gaps. */
void copy_aim(struct copy *c, uint64_t from, uint64_t end, uint64_t stride);

/* ---- delta.c ---- */

/* Both were read: counts what is the same, and reports a difference. */
int copy_compare(struct copy *c, const struct task *t);
/* t was compared: has it blocks that differ?  Reduces it to the first of them. */
bool copy_delta_first(const struct copy *c, struct task *t);
/* Those were written: goes on to the next ones of the piece. */
bool copy_delta_next(const struct copy *c, struct task *t);

/* ---- progress.c ---- */

struct progress {
	bool on, terminal;
	uint64_t begun, shown; /* ns */
	uint64_t from;	       /* where this pass began */
	uint64_t size;	       /* UINT64_MAX: not known */
};

void copy_progress_begin(struct progress *p, bool wanted, uint64_t from,
			 uint64_t size);
/* Clears the bar, so that a message can be printed. */
void copy_progress_clear(const struct progress *p);
/* Shows the progress if an update is due; always if it is the last. */
void copy_progress_show(struct progress *p, uint64_t done, bool last);

/* ---- pace.c ---- */

/* Must the next piece wait for c->turn_at?  now: nbd_now_ns(). */
bool copy_must_pause(const struct copy *c, uint64_t now);
/* A piece of len bytes starts. */
void copy_pay(struct copy *c, uint32_t len, uint64_t now);
/* The length of a piece, so that several start each second. */
uint32_t copy_paced_piece(uint64_t rate, uint32_t piece, uint32_t align);

/* ---- resume.c ---- */

/* ns between two records; what is written meanwhile is written again. */
#define COPY_MARK_NS (2 * UINT64_C(1000000000))

/* What a resumed copy compares of what is there: so many pieces, and bytes. */
#define COPY_SAMPLES 64
#define COPY_SAMPLE  (64u << 10)

/* How far a file is known to be on the disk. */
struct mark {
	pid_t child;	   /* flushes the file; 0: none does */
	uint64_t flushing; /* bytes from the start that will be on the disk */
	uint64_t kept;	   /* bytes from the start that the record counts */
	uint64_t next;	   /* ns; when to flush again */
};

/* Reads the record of c->dst into c->mark, and checks it against c->src. */
int copy_mark_read(struct copy *c);
/*
 * The first `low` bytes are written.  Has them flushed from time to time, and
 * then recorded.  Never waits; a failure to flush becomes c->err.
 */
void copy_mark(struct copy *c, uint64_t low);
/* Waits for the child that flushes, if one does, as copy_mark_end() does. */
void copy_mark_wait(struct copy *c);
/*
 * At the end of a copy that failed, the same for all that is written.  It waits
 * for the disk, but no longer than COPY_ABANDON after a signal.  If the sides
 * differ, it deletes the record.
 */
void copy_mark_end(struct copy *c, uint64_t low);
/* Returns c->err; if a file is left behind, c->d says how far it has come. */
int copy_mark_explain(const struct copy *c);

/* ---- a copy ---- */

/* The caller sets src, dst, d, and may set tree, the rest to zero. */
struct copy {
	struct side *src, *dst;
	struct nbd_diag *d;
	struct copy_tree *tree; /* from copy_tree_open(), or NULL */
	struct scan scan;
	struct progress progress;
	unsigned depth, active;
	bool compare;	   /* the second pass */
	bool delta;	   /* the first one compares before it writes */
	bool straight;	   /* from a file to a server with sendfile() */
	bool prepared;	   /* the destination's size is set */
	bool differs;	   /* a comparison found a difference */
	int err;	   /* the first error */
	uint64_t compared; /* bytes that both sides have the same, of samples */
	uint64_t written;  /* bytes written to a pipe so far */
	uint64_t moved;	   /* ns; when something last came or went */
	uint64_t rate;	   /* bytes a second; 0: no limit */
	uint64_t turn_at;  /* ns; when the next piece may start, at that rate */
	bool lost;	   /* the destination may lack what a pass has copied */
	bool in_flush;	   /* a flush was started, ... */
	uint64_t flushing; /* ... before which so many bytes were written */
	uint64_t safe;	   /* bytes from the start that a server has flushed */
	uint64_t kept;	   /* bytes that it must have kept when it was away */
	uint64_t flush_at; /* ns; when to flush again */
	struct mark mark;
	struct copy_hash hash;
	struct rescue *rescue; /* NULL: neither a map nor errors to skip */
	struct task tasks[COPY_DEPTH];
};

#endif
