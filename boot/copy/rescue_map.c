/* SPDX-License-Identifier: BSD-2-Clause */
/* The map of a copy, and the file in which it is kept. */
#include "boot/copy/rescue.h"
#include "port/linux/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int copy_rescue_too_many(struct copy *c)
{
	return nbd_diag(c->d, NBD_E_NO_MEMORY,
			"%s has errors in too many places: a map has room for "
			"%u areas",
			c->src->name, MAP_AREAS);
}

static void flush_out(struct nbd_out *o)
{
	size_t done = 0;
	ssize_t n = 1;

	while (done < o->len && n > 0) {
		n = write(o->fd, o->buf + done, o->len - done);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			done += (size_t)n;
	}
	/* if it stays full, the text is cut */
	if (done == o->len)
		o->len = 0;
}

static int write_map(const struct rescue *r, int fd)
{
	char buf[4096];
	struct nbd_out o = {
		.buf = buf, .cap = sizeof(buf), .flush = flush_out, .fd = fd
	};

	copy_map_put(&o, &r->map, &r->about);
	if (o.len)
		flush_out(&o);
	return o.cut || o.len || fsync(fd) ? NBD_E_IO : 0;
}

/* The old map stays until the new one is on the disk. */
int copy_rescue_keep(struct copy *c, struct nbd_diag *d)
{
	const struct rescue *r = c->rescue;
	char new[PATH_MAX];
	int fd = -1, err = NBD_E_IO, why;

	if (!r || !r->name)
		return 0;
	errno = ENAMETOOLONG;
	if (nbd_fmt(new, sizeof(new), "%s.new", r->name) >= 0)
		fd = open(new,
			  O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
			  0666);
	if (fd >= 0)
		err = write_map(r, fd);
	if (!err && rename(new, r->name))
		err = NBD_E_IO;
	why = errno;
	/* it is on the disk already: what this returns changes nothing */
	if (fd >= 0)
		close(fd);
	return err ? nbd_diag(d, err, "write the map %s: %s", r->name,
			      strerror(why))
		   : 0;
}

static int read_map(struct copy *c, struct map_reader *m)
{
	const char *name = c->rescue->name;
	struct file_lines f;
	const char *line;
	unsigned n = 0;
	int err;

	if (file_lines_open(&f, name))
		return nbd_diag(c->d, NBD_E_NOT_FOUND,
				"open the map %s: %s (copy without --resume)",
				name, strerror(errno));
	for (err = 0; !err && (line = file_lines_next(&f)); n++)
		err = copy_map_take(m, line);
	file_lines_close(&f);
	if (err == NBD_E_NO_MEMORY)
		return copy_rescue_too_many(c);
	return err ? nbd_diag(c->d, NBD_E_MISMATCH,
			      "line %u of %s is not one of a map", n, name)
		   : 0;
}

/* Is the map about this source? */
static int check_map(struct copy *c, const struct map_reader *m)
{
	const struct map_about *now = &c->rescue->about, *was = &m->about;
	const char *name = c->rescue->name;

	if (!m->has_area)
		return nbd_diag(c->d, NBD_E_NOT_FOUND,
				"%s counts nothing as copied (copy without "
				"--resume)",
				name);
	if (copy_map_end(m) || m->to > now->whole ||
	    (m->has_about &&
	     (was->whole != now->whole || was->base != now->base)))
		return nbd_diag(c->d, NBD_E_MISMATCH,
				"%s is about a source of another size than %s, "
				"or another --offset",
				name, c->src->name);
	if (!m->has_about || !was->identity[0] || !now->identity[0] ||
	    !strcmp(was->identity, now->identity))
		return 0;
	return nbd_diag(c->d, NBD_E_MISMATCH,
			"%s is about another disk image than that of %s", name,
			c->src->name);
}

int copy_rescue_read(struct copy *c, struct map_reader *m)
{
	int err = read_map(c, m);

	return err ? err : check_map(c, m);
}

int copy_rescue_create(struct copy *c)
{
	const char *name = c->rescue->name;
	struct stat st;
	int fd;

	if (!name)
		return 0;
	if (stat(name, &st) == 0 && !S_ISREG(st.st_mode))
		return nbd_diag(c->d, NBD_E_USAGE, "%s is not a file", name);
	if (stat(name, &st) == 0 && st.st_size)
		return nbd_diag(c->d, NBD_E_IN_USE,
				"%s exists (--resume goes on with it; remove "
				"it to copy all again)",
				name);
	/* empty, since nothing is copied: a copy without --resume takes it */
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return nbd_diag(c->d, NBD_E_IO, "make the map %s: %s", name,
				strerror(errno));
	close(fd);
	return 0;
}

bool copy_rescue_is_due(const struct copy *c)
{
	return c->dst->link && nbd_now_ns() >= c->rescue->next;
}

void copy_rescue_reach(struct copy *c, uint64_t low)
{
	struct rescue *r = c->rescue;

	if (r && !c->compare &&
	    copy_map_turn(&r->map, r->from, low, r->of, MAP_DONE) && !c->err)
		c->err = copy_rescue_too_many(c);
}

bool copy_rescue_skips(struct copy *c, const struct task *t)
{
	struct rescue *r = c->rescue;

	if (!r || !r->skips || (c->compare && !r->sampling))
		return false;
	if (r->sampling)
		return true;
	if (!copy_map_set(&r->map, t->offset, t->offset + t->len, r->bad))
		return true;
	if (!c->err)
		c->err = copy_rescue_too_many(c);
	return false;
}

bool copy_rescue_has_map(const struct copy *c)
{
	return c->rescue && c->rescue->name;
}

uint64_t copy_unreadable(const struct copy *c, unsigned *areas)
{
	*areas = 0;
	return c->rescue ? copy_map_sum(&c->rescue->map, "+", areas) : 0;
}

void copy_rescue_explain(const struct copy *c, char *text, size_t cap)
{
	if (copy_rescue_has_map(c))
		nbd_fmt(text, cap, " (--resume goes on with %s)",
			c->rescue->name);
}
