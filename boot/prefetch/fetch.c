/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reads: asynchronous ones of the kernel (io_submit(2)), which for direct
 * reads of a block device never wait for the answer.
 *
 *	extents --cut--> pieces --64 in flight--> an extent is whole, or dropped
 */
#include "boot/prefetch/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/loop.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "port/linux/loop.h"

#define DEPTH	64
#define PIECE	(128u << 10)
#define SECTOR	512u
/* Sectors of a mirror's region, at which it splits requests, and how many. */
#define REGION	2048u
#define REGIONS 65536u

struct fetch {
	struct prefetch_list *l;
	int disk, ram;
	unsigned char *map; /* a piece for each place */
	aio_context_t ctx;
	struct iocb io[DEPTH];
	uint64_t to[DEPTH];	      /* where it belongs in RAM */
	unsigned free[DEPTH], n_free; /* places in io[] */
	/* the next piece: its extent, and where in it; bytes */
	unsigned at;
	uint64_t in;
	const uint64_t *where; /* of each extent in RAM, sectors */
	/* bytes of each extent that have not come; ~0: one has failed */
	uint64_t left[PREFETCH_MAX];
};

/* ---- the reads ---- */

static uint64_t bytes_of(const struct prefetch_list *l, unsigned i)
{
	return l->e[i].len * SECTOR;
}

/* The next piece, in a free place. */
static struct iocb *next_piece(struct fetch *f)
{
	unsigned place = f->free[--f->n_free];
	uint64_t len = bytes_of(f->l, f->at) - f->in;
	struct iocb *io = &f->io[place];

	if (len > PIECE)
		len = PIECE;
	f->to[place] = f->where[f->at] * SECTOR + f->in;
	*io = (struct iocb){
		.aio_data = (uint64_t)f->at << 32 | place,
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = (uint32_t)f->disk,
		.aio_buf = (uintptr_t)(f->map + (size_t)place * PIECE),
		.aio_nbytes = len,
		.aio_offset = (int64_t)(f->l->e[f->at].start * SECTOR + f->in),
	};
	f->in += len;
	if (f->in == bytes_of(f->l, f->at)) {
		f->at++;
		f->in = 0;
	}
	return io;
}

/* Keeps as many in flight as there are places. */
static int submit(struct fetch *f)
{
	struct iocb *list[1];

	while (f->n_free && f->at < f->l->n) {
		list[0] = next_piece(f);
		if (syscall(SYS_io_submit, f->ctx, 1, list) != 1)
			return -1;
	}
	return 0;
}

static void done(struct fetch *f, const struct io_event *e)
{
	unsigned place = (uint32_t)e->data, i = (unsigned)(e->data >> 32);
	size_t len = (size_t)f->io[place].aio_nbytes;

	f->free[f->n_free++] = place;
	if (e->res != (int64_t)len ||
	    pwrite(f->ram, f->map + (size_t)place * PIECE, len,
		   (off_t)f->to[place]) != (ssize_t)len)
		f->left[i] = UINT64_MAX;
	else if (f->left[i] != UINT64_MAX)
		f->left[i] -= len;
}

/* Waits for at least one; 0: none came in time. */
static int reap(struct fetch *f, uint64_t ms)
{
	/* the kernel's own: on 32 bits it has no time_t of 64 */
	long t[2] = { (long)(ms / 1000), (long)(ms % 1000 * 1000000) };
	struct io_event e[DEPTH];
	long n = syscall(SYS_io_getevents, f->ctx, 1L, (long)DEPTH, e, t);

	for (long i = 0; i < n; i++)
		done(f, &e[i]);
	return n < 0 && errno == EINTR ? 1 : (int)n;
}

static int read_all(struct fetch *f, const struct prefetch_limits *limits,
		    struct nbd_diag *d)
{
	int (*check)(void *ctx, struct nbd_diag *d) = limits->check;
	uint64_t end = nbd_now_ms() + limits->ms, now;
	int rc = 0;

	/* put_behind_loop() needs it, and answers take their time */
	if (!submit(f))
		loop_load();
	while (!rc && !submit(f) && f->n_free < DEPTH) {
		now = nbd_now_ms();
		if (now >= end || reap(f, end - now < limits->quiet_ms
						  ? end - now
						  : limits->quiet_ms) <= 0)
			break;
		if (check)
			rc = check(limits->ctx, d);
		check = NULL;
	}
	return rc;
}

/* ---- the memory ---- */

/* Leaves out what is more than `most` bytes.  Returns the bytes of the rest. */
static uint64_t bound(struct prefetch_list *l, uint64_t most)
{
	uint64_t sum = 0;
	unsigned n = 0;

	while (n < l->n && bytes_of(l, n) <= most - sum)
		sum += bytes_of(l, n++);
	l->n = n;
	return sum;
}

/* Sets the place of each extent in RAM. */
static void place(const struct prefetch_list *l,
		  struct prefetch_fetched *fetched)
{
	uint64_t at = 0;

	for (unsigned i = 0; i < l->n; i++) {
		fetched->at[i] = fetched->writable ? l->e[i].start : at;
		at += l->e[i].len;
	}
}

/* Forgets the extents that have not come. */
static void keep_whole(struct fetch *f, struct prefetch_fetched *fetched)
{
	struct prefetch_list *l = f->l;
	unsigned n = 0;

	for (unsigned i = 0; i < l->n; i++) {
		if (f->left[i])
			continue;
		fetched->at[n] = fetched->at[i];
		l->e[n++] = l->e[i];
		fetched->bytes += bytes_of(l, n - 1);
	}
	fetched->missed += l->n - n;
	l->n = n;
}

static int failed(struct nbd_diag *d, const char *what)
{
	return nbd_diag(d, NBD_E_KERNEL, "%s: %s", what, strerror(errno));
}

/* `size`: bytes, of which the holes of a file take none. */
static int set_up(struct fetch *f, const char *dev, uint64_t size,
		  struct nbd_diag *d)
{
	f->map = MAP_FAILED;
	f->ram = memfd_create("nbdboot", MFD_CLOEXEC);
	f->disk = open(dev, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (f->disk < 0)
		return failed(d, dev);
	if (f->ram < 0 || ftruncate(f->ram, (off_t)size))
		return failed(d, "memory for what is fetched");
	/* reads that are in flight at the end keep their pages */
	f->map = mmap(NULL, (size_t)DEPTH * PIECE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (f->map == MAP_FAILED)
		return failed(d, "memory for what is fetched");
	if (syscall(SYS_io_setup, DEPTH, &f->ctx))
		return failed(d, "asynchronous reads");
	for (unsigned i = 0; i < DEPTH; i++)
		f->free[f->n_free++] = i;
	for (unsigned i = 0; i < f->l->n; i++)
		f->left[i] = bytes_of(f->l, i);
	return NBD_OK;
}

static int put_behind_loop(struct fetch *f, struct prefetch_fetched *fetched,
			   struct nbd_diag *d)
{
	uint32_t flags = fetched->writable ? 0 : LO_FLAGS_READ_ONLY;
	char path[32];

	nbd_fmt(path, sizeof(path), "/proc/self/fd/%d", f->ram);
	fetched->loop = loop_attach(path, flags | LO_FLAGS_AUTOCLEAR, 0,
				    fetched->disk, d);
	return fetched->loop < 0 ? fetched->loop : NBD_OK;
}

int prefetch_fetch(struct prefetch_list *l, const char *dev,
		   const struct prefetch_limits *limits,
		   struct prefetch_fetched *fetched, struct nbd_diag *d)
{
	/* of a child process; too large for a stack */
	static struct fetch f;
	unsigned listed = l->n;
	uint64_t size = bound(l, limits->bytes);
	int rc;

	if (!size)
		return nbd_diag(d, NBD_E_NO_MEMORY,
				"nothing of %u extents has room in %llu KiB",
				listed,
				(unsigned long long)limits->bytes >> 10);
	*fetched = (struct prefetch_fetched){ .loop = -1,
					      .writable = limits->writable,
					      .missed = listed - l->n };
	place(l, fetched);
	f = (struct fetch){ .l = l, .where = fetched->at };
	rc = set_up(&f, dev, fetched->writable ? l->sectors * SECTOR : size, d);
	if (!rc)
		rc = read_all(&f, limits, d);
	if (!rc) {
		keep_whole(&f, fetched);
		rc = fetched->bytes ? put_behind_loop(&f, fetched, d)
				    : nbd_diag(d, NBD_E_TIMEOUT,
					       "no answer in time, or errors");
	}
	if (f.map != MAP_FAILED)
		munmap(f.map, (size_t)DEPTH * PIECE);
	if (f.ram >= 0)
		close(f.ram);
	if (f.disk >= 0)
		close(f.disk);
	return rc;
}

/* ---- the table ---- */

static void put_target(struct nbd_out *o, uint64_t start, uint64_t len,
		       const char *dev, uint64_t at)
{
	if (len)
		nbd_putf(o, "%llu %llu linear %s %llu\n",
			 (unsigned long long)start, (unsigned long long)len,
			 dev, (unsigned long long)at);
}

void prefetch_table(const struct prefetch_list *l,
		    const struct prefetch_fetched *fetched, const char *ram,
		    const char *below, char *text, size_t cap)
{
	struct nbd_out o = { .buf = text, .cap = cap - 1 };
	uint64_t at = 0;

	for (unsigned i = 0; i < l->n; i++) {
		put_target(&o, at, l->e[i].start - at, below, at);
		put_target(&o, l->e[i].start, l->e[i].len, ram, fetched->at[i]);
		at = l->e[i].start + l->e[i].len;
	}
	put_target(&o, at, l->sectors - at, below, at);
	text[o.len] = '\0';
}

/*
 * The kernel wants a power of two of sectors, whole pages, and not more than
 * there are; and it has bits for each region.
 */
static uint64_t region_of(uint64_t sectors)
{
	uint64_t size = REGION;

	while (size > sectors)
		size /= 2;
	while (sectors / size >= REGIONS)
		size *= 2;
	return size;
}

void prefetch_mirror(const struct prefetch_list *l, const char *ram,
		     const char *below, char text[PREFETCH_MIRROR])
{
	nbd_fmt(text, PREFETCH_MIRROR,
		"0 %llu mirror core 2 %llu nosync 2 %s 0 %s 0 "
		"1 handle_errors\n",
		(unsigned long long)l->sectors,
		(unsigned long long)region_of(l->sectors), ram, below);
}
