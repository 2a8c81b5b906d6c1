/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far a file has come, for copy --resume.  A record follows the bytes of
 * the image, at the next multiple of BLOCK:
 *
 *   written --> flushed by a child --> recorded --> (complete) truncated away
 *
 * The record counts only what was on the disk before, so it is true after a
 * power cut, too, however old it is then.  It lies in one sector, which a disk
 * writes whole or not at all.
 */
#include "boot/copy/copy.h"
#include "port/linux/process.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK 4096

/* The exit status of a child that could not write the map; no errno. */
#define NO_MAP 255

/* As it is in memory: a machine of the other byte order finds no record. */
struct record {
	char magic[16];
	uint64_t size; /* bytes of the source */
	uint64_t done; /* bytes from the start that are on the disk */
	uint64_t check;
};

/* One about another part of the source, which begins at base, is none. */
static struct record make(uint64_t size, uint64_t done, uint64_t base)
{
	return (struct record){ .magic = "nbdboot-copy-1\n",
				.size = size,
				.done = done,
				.check = ~(size ^ done << 1 ^ base << 2) };
}

/* size < 2^63, so this does not wrap. */
static uint64_t place(uint64_t size)
{
	return (size + BLOCK - 1) & ~(uint64_t)(BLOCK - 1);
}

static bool read_record(const struct side *s, struct record *r, uint64_t base)
{
	struct record want;

	if (s->size < sizeof(*r) ||
	    pread(s->fd, r, sizeof(*r), (off_t)(s->size - sizeof(*r))) !=
		    sizeof(*r))
		return false;
	want = make(r->size, r->done, base);
	return !memcmp(r, &want, sizeof(want)) && r->size <= INT64_MAX &&
	       r->done <= r->size && place(r->size) == s->size - sizeof(*r);
}

int copy_mark_read(struct copy *c)
{
	struct side *src = c->src, *dst = c->dst;
	struct record r;

	if (src->is_pipe)
		return nbd_diag(c->d, NBD_E_USAGE,
				"%s cannot be read from the middle: copy "
				"without --resume",
				src->name);
	if (!read_record(dst, &r, src->base))
		return nbd_diag(c->d, NBD_E_NOT_FOUND,
				"%s" COPY_PART " does not tell how far it is: "
				"copy without --resume",
				dst->name);
	if (r.size != src->size)
		return nbd_diag(c->d, NBD_E_MISMATCH,
				"%s" COPY_PART " is from a source of %llu "
				"bytes, and %s has %llu",
				dst->name, (unsigned long long)r.size,
				src->name, (unsigned long long)src->size);
	dst->size = r.size;
	c->mark.kept = r.done & ~(uint64_t)(c->scan.align - 1);
	return 0;
}

/* ---- writing it ---- */

/* Where there is no space for the record, the copy goes on without. */
static void keep(struct copy *c, uint64_t done)
{
	struct record r = make(c->src->size, done, c->src->base);

	c->dst->marked = true;
	if (pwrite(c->dst->fd, &r, sizeof(r), (off_t)place(r.size)) ==
	    sizeof(r))
		c->mark.kept = done;
}

/*
 * A child, because a flush takes seconds, in which data could be moved.  It has
 * the map of now.
 */
static void start(struct copy *c, uint64_t low)
{
	pid_t pid = process_fork();

	if (pid == 0) {
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		if (fdatasync(c->dst->fd))
			_exit(errno);
		_exit(copy_rescue_keep(c, NULL) ? NO_MAP : 0);
	}
	c->mark.child = pid < 0 ? 0 : pid;
	c->mark.flushing = low;
}

/*
 * An error that the child sees is reported to no other flush of this file, so
 * the copy fails with it, and nothing more counts as copied.
 */
static void fail(struct copy *c, int status)
{
	c->dst->torn = true;
	if (!c->err)
		c->err = nbd_diag(c->d, NBD_E_IO, "flush %s: %s", c->dst->name,
				  WIFEXITED(status)
					  ? strerror(WEXITSTATUS(status))
					  : "the process was killed");
}

/* The child has flushed, but could not write the map: again, for the reason. */
static void keep_map(struct copy *c)
{
	if (c->err)
		return;
	/* the map has grown since then */
	c->err = c->dst->ops->flush(c->dst, c->d);
	if (!c->err)
		c->err = copy_rescue_keep(c, c->d);
}

static void take(struct copy *c, int status)
{
	c->mark.child = 0;
	if (!WIFEXITED(status) ||
	    (WEXITSTATUS(status) && WEXITSTATUS(status) != NO_MAP))
		fail(c, status);
	else if (WEXITSTATUS(status) == NO_MAP)
		keep_map(c);
	else if (!c->rescue)
		keep(c, c->mark.flushing);
}

/* Returns false if a child still runs. */
static bool reap(struct copy *c, int options)
{
	int status;
	pid_t pid;

	if (!c->mark.child)
		return true;
	do
		pid = waitpid(c->mark.child, &status, options);
	while (pid < 0 && errno == EINTR && copy_interrupted < COPY_ABANDON);
	if (pid != c->mark.child)
		return false;
	take(c, status);
	return true;
}

void copy_mark_wait(struct copy *c)
{
	reap(c, 0);
}

static bool is_marked(const struct copy *c)
{
	if (!c->prepared || c->dst->torn || c->dst->link || c->src->is_pipe)
		return false;
	return c->rescue ? copy_rescue_has_map(c) : c->dst->hidden;
}

void copy_mark(struct copy *c, uint64_t low)
{
	struct mark *m = &c->mark;
	uint64_t now = nbd_now_ns();

	if (!is_marked(c) || !reap(c, WNOHANG) || now < m->next)
		return;
	if (m->next && (c->rescue || low > m->kept)) {
		copy_rescue_reach(c, low);
		start(c, low);
	}
	m->next = now + COPY_MARK_NS;
}

void copy_mark_end(struct copy *c, uint64_t low)
{
	if (!is_marked(c) || !reap(c, 0))
		return;
	if (c->rescue) {
		start(c, low);
		if (!c->mark.child) /* no process could be started */
			keep_map(c);
		reap(c, 0);
	} else if (c->differs) {
		if (!ftruncate(c->dst->fd, (off_t)c->dst->size))
			c->mark.kept = 0;
	} else if ((c->err || copy_interrupted) && low > c->mark.kept) {
		start(c, low);
		reap(c, 0);
	}
}

int copy_mark_explain(const struct copy *c)
{
	char from[256] = "";

	copy_rescue_explain(c, from, sizeof(from));
	/* one that was created, and not written, is deleted */
	if ((!c->dst->hidden || c->dst->created) && !from[0])
		return c->err;
	if (c->mark.kept)
		nbd_fmt(from, sizeof(from),
			" (--resume goes on at offset %llu)",
			(unsigned long long)c->mark.kept);
	return nbd_diag_prefix(c->d, c->err, "%s%s is incomplete%s",
			       c->dst->name, c->dst->hidden ? COPY_PART : "",
			       from);
}
