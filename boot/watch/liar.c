/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/watch/liar.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot/verity/path.h"
#include "boot/watch/watch.h"
#include "port/linux/dir.h"
#include "port/linux/dm.h"
#include "port/linux/file.h"
#include "port/text.h"

/* Bytes for the table of a mapping, in and out. */
#define ROOM   (DM_ROOM + 2 * VERITY_TABLE)
/* Mappings of ours, whose tables can be loaded again as they are. */
#define OURS   "nbdboot-verity-"
/* What the kernel adds to a uevent: "0,17" is block 17 of the data. */
#define REPORT "DM_VERITY_ERR_BLOCK_NR="
#define SECTOR 512u
/* Room for a URI in a message. */
#define URI    200

/* Blocks of one server that were wrong, but not the next time. */
#define TIMES 3

/* Masks of servers. */
struct found {
	unsigned char lied, right;
	unsigned char only; /* all was read from it */
};

_Static_assert(BACKEND_SERVERS <= 8, "bits of a mask");

/* ---- the table ---- */

static int read_table(const struct watch_liar *l, char table[VERITY_TABLE],
		      struct dm *dm, char name[DM_NAME], struct nbd_diag *d)
{
	char path[64];
	int rc;

	nbd_fmt(path, sizeof(path), "%s/%s/dm/name", nbdk_sys, l->name);
	if (file_read(AT_FDCWD, path, name, DM_NAME) <= 0)
		return nbd_diag(d, NBD_E_NOT_FOUND, "%s is gone", l->name);
	name[strcspn(name, "\n")] = '\0';
	rc = dm_open_at(dm, l->devices, ROOM, d);
	if (rc)
		return rc;
	rc = dm_text(dm, name, false, table, VERITY_TABLE, d);
	if (rc < 0)
		dm_close(dm);
	return rc < 0 ? rc : NBD_OK;
}

/* A new one forgets wrong blocks of the tree, which dm-bufio keeps. */
static void load_again(const struct watch_liar *l)
{
	char table[VERITY_TABLE], name[DM_NAME];
	struct dm dm;

	if (read_table(l, table, &dm, name, NULL))
		return;
	if (!strncmp(name, OURS, strlen(OURS)) &&
	    !dm_load(&dm, name, table, true, NULL) &&
	    dm_resume(&dm, name, NULL))
		/* a table that is refused so late leaves requests held */
		dm_resume(&dm, name, NULL);
	dm_close(&dm);
}

/* ---- devices ---- */

/* Where a device of a mapping is. */
struct place {
	bool mapped;   /* some of it may be a copy in RAM */
	bool ours;     /* on the watched device ... */
	uint64_t base; /* ... from this byte on */
	char name[32]; /* or else, below /dev; "": unknown */
};

/* Is `name` nbdN, or a partition of it, which begins at *base? */
static bool is_on(int index, const char *name, uint64_t *base)
{
	char path[96];
	int len = nbd_fmt(path, sizeof(path), "nbd%d", index);

	if (strncmp(name, path, (size_t)len) != 0 ||
	    (name[len] && name[len] != 'p'))
		return false;
	nbd_fmt(path, sizeof(path), "%s/nbd%d/%.32s/start", nbdk_sys, index,
		name);
	*base = name[len] ? file_number(AT_FDCWD, path) * SECTOR : 0;
	return true;
}

/* The prefetch maps the device one to one, with copies of some of it in RAM. */
static void look_below(struct place *p, int index, const char *device)
{
	char path[96];
	const char *name;
	struct dir dir;

	nbd_fmt(path, sizeof(path), "%s/../dev/block/%s/slaves", nbdk_sys,
		device);
	if (!dir_open(&dir, path))
		while (!p->ours && (name = dir_next(&dir)))
			p->ours = is_on(index, name, &p->base);
	dir_close(&dir);
}

static void find(struct place *p, int index, const char *device)
{
	static const char key[] = "DEVNAME=";
	char path[96], text[512];
	const char *at;

	*p = (struct place){ .base = 0 };
	nbd_fmt(path, sizeof(path), "%s/../dev/block/%s/uevent", nbdk_sys,
		device);
	if (file_read(AT_FDCWD, path, text, sizeof(text)) <= 0 ||
	    !(at = strstr(text, key)))
		return;
	at += sizeof(key) - 1;
	nbd_fmt(p->name, sizeof(p->name), "%.*s", (int)strcspn(at, "\n"), at);
	p->ours = is_on(index, p->name, &p->base);
	nbd_fmt(path, sizeof(path), "%s/../dev/block/%s/dm/name", nbdk_sys,
		device);
	if (file_read(AT_FDCWD, path, text, sizeof(text)) > 0 &&
	    !strncmp(text, "nbdboot-nbd", 11)) {
		p->mapped = true;
		look_below(p, index, device);
	}
}

static void print_server(const struct device *dev, unsigned server,
			 char text[URI])
{
	if (nbd_uri_print(&dev->b.uris[server], text, URI) < 0)
		nbd_fmt(text, URI, "server %u", server + 1);
}

/* ---- the child ---- */

struct search {
	const struct watch_liar *l;
	struct device *dev;
	struct verity_map map;
	struct place data, hash;
	struct found found;
	int fd; /* of the device with the tree, if that is another one */
};

/* Levels count for a console that is quiet. */
static void say(const struct search *s, const struct nbd_diag *d)
{
	char line[600];
	int n = nbd_fmt(line, sizeof(line),
			"%snbdboot: nbd%d: verity: block %llu of the %s %s\n",
			isatty(2) ? "" : "<2>", s->dev->info.index,
			(unsigned long long)s->l->block,
			s->l->hash ? "tree" : "data", d->text);

	if (n > 0)
		(void)!write(2, line, (size_t)n);
}

static int read_block(void *ctx, bool hash, uint64_t at, uint8_t *to,
		      size_t len, struct nbd_diag *d)
{
	struct search *s = ctx;
	struct place *p = hash ? &s->hash : &s->data;

	if (p->ours)
		return device_reader_read(&s->dev->reader, &s->dev->conn,
					  p->base + at, to, len, d);
	return pread(s->fd, to, len, (off_t)at) == (ssize_t)len
		       ? NBD_OK
		       : nbd_diag(d, NBD_E_IO, "read /dev/%s", p->name);
}

/* Sets the server's bit in one of the masks, or d. */
static int ask(struct search *s, unsigned server, struct nbd_diag *d)
{
	const struct verity_block b = { s->l->hash, s->l->block };
	struct device *dev = s->dev;
	struct verity_block wrong = { .hash = false };
	int rc = device_dialer_to(&dev->dialer, &dev->conn, &dev->b, server, d);

	if (rc)
		return rc;
	device_reader_begin(&dev->reader, &dev->conn);
	rc = verity_path_check(&s->map, &b, read_block, s, &wrong, d);
	dial_hangup(&dev->conn, 1);
	if (!rc)
		s->found.right |= (unsigned char)(1u << server);
	/* of a tree that is elsewhere this server is not the one to blame */
	else if (rc == NBD_E_MISMATCH &&
		 (wrong.hash ? s->hash.ours : s->data.ours))
		s->found.lied |= (unsigned char)(1u << server);
	return rc;
}

/*
 * A server that has only one client cannot be asked.  If all was read from one,
 * it was that one.
 */
static void suspect(struct search *s)
{
	struct found *f = &s->found;

	/* a copy may be older than the connection */
	if (s->data.mapped || s->hash.mapped)
		return;
	for (unsigned i = 0; i < s->dev->b.servers; i++)
		if (device_has_only(s->dev, i))
			f->only = (unsigned char)(1u << i);
	if (!f->lied)
		f->lied = f->only & (unsigned char)~f->right;
}

static void report(const struct search *s)
{
	const struct device *dev = s->dev;
	char server[URI];
	struct nbd_diag d;

	for (unsigned i = 0; i < dev->b.servers; i++) {
		if (!(s->found.lied & 1u << i))
			continue;
		print_server(dev, i, server);
		nbd_diag(&d, 0, "is wrong from %s%s", server,
			 s->found.right ? ", but not from each server"
					: ", and no other server has it right: "
					  "it cannot be read");
		say(s, &d);
	}
	if (s->found.lied)
		return;
	nbd_diag(&d, 0, "was wrong, and no server sends it wrong now");
	say(s, &d);
}

/* NBD_E_NOT_FOUND: the block is not on the device of this watcher. */
static int prepare(struct search *s, struct nbd_diag *d)
{
	int index = s->dev->info.index, devices = s->l->devices;
	char table[VERITY_TABLE], mapping[DM_NAME];
	const char *name = s->hash.name;
	struct dm dm;
	int rc = read_table(s->l, table, &dm, mapping, d);

	if (rc)
		return rc;
	dm_close(&dm);
	rc = verity_map_parse(&s->map, table, d);
	if (rc)
		return rc;
	find(&s->data, index, s->map.data);
	find(&s->hash, index, s->map.hash);
	if (!(s->l->hash ? s->hash.ours : s->data.ours))
		return NBD_E_NOT_FOUND;
	if (!s->hash.ours)
		s->fd = openat(devices, name, O_RDONLY | O_CLOEXEC);
	return NBD_OK;
}

static void search(struct search *s)
{
	struct nbd_diag d = { "" }, why = { "" };
	unsigned servers = s->dev->b.servers;

	if (prepare(s, &d))
		return;
	/* that port is for connections of the kernel */
	s->dev->b.port = 0;
	for (unsigned i = 0; i < servers; i++) {
		int rc = ask(s, i, &d);

		if (rc && rc != NBD_E_MISMATCH && servers > 1)
			why = d;
	}
	suspect(s);
	report(s);
	if (!s->found.right && why.text[0]) {
		nbd_diag_prefix(&why, 0, "was not read from each server");
		say(s, &why);
	}
}

static void start(struct watch_liar *l, struct device *dev)
{
	static struct search s; /* only the child touches it */

	l->pid = watch_fork(l->devices, l->ends[1]);
	if (l->pid)
		return;
	s.l = l;
	s.dev = dev;
	s.fd = -1;
	if (l->waits)
		search(&s);
	else
		load_again(l);
	(void)!send(l->ends[1], &s.found, sizeof(s.found), MSG_DONTWAIT);
	_exit(0);
}

/* ---- the watcher ---- */

int watch_liar_open(struct watch_liar *l, int devices)
{
	l->devices = devices;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
		       l->ends))
		l->ends[0] = l->ends[1] = -1;
	return l->ends[0];
}

/* The next of the strings of a uevent; NULL: no more. */
static const char *next(const char *text, const char *at)
{
	at += strlen(at) + 1;
	return at < text ? at : NULL;
}

void watch_liar_hear(void *ctx, const char *text, size_t n)
{
	struct watch_liar *l = ctx;
	const char *block = NULL, *name = NULL, *at = text;
	char *end;

	for (; at; at = next(text + n, at)) {
		if (!strncmp(at, REPORT, sizeof(REPORT) - 1))
			block = at + sizeof(REPORT) - 1;
		else if (!strncmp(at, "DEVNAME=", 8))
			name = at + 8;
	}
	/* of several the first is looked for */
	if (!block || !name || l->waits || strlen(name) >= LIAR_NAME ||
	    (block[0] != '0' && block[0] != '1') || block[1] != ',')
		return;
	l->hash = *block == '1';
	l->block = strtoull(block + 2, &end, 10);
	nbd_fmt(l->name, sizeof(l->name), "%s", name);
	l->waits = !*end;
}

/* One that sends a block wrong, and then right, is seen only by its number. */
static void count(struct watch_liar *l, struct found *f)
{
	if (f->lied || !(f->right & ~f->only) || f->only != l->only)
		l->times = 0;
	l->only = f->only;
	if (!f->lied && f->only && ++l->times >= TIMES)
		f->lied = f->only;
}

static void leave_one(struct device *dev, unsigned server, struct nbd_diag *d)
{
	char uri[URI];
	struct nbd_diag why;

	print_server(dev, server, uri);
	if (device_leave(dev, server, &why))
		nbd_diag(d, 0,
			 "verity: %s is asked last from now on, but stays in "
			 "use: %s",
			 uri, why.text);
	else
		nbd_diag(d, 0,
			 "verity: %s is left for another server, and asked "
			 "last from now on",
			 uri);
}

static void leave(struct watch_liar *l, struct device *dev,
		  const struct found *f, struct nbd_diag *d)
{
	if (!f->lied || !(f->right & ~f->lied))
		return;
	l->reload = true;
	/* what else was wrong until now was no other server's */
	l->waits = false;
	l->times = 0;
	for (unsigned i = 0; i < dev->b.servers; i++)
		if (f->lied & 1u << i)
			leave_one(dev, i, d);
	(void)device_count(dev, NULL);
}

static void take(struct watch_liar *l, struct found *f, struct device *dev,
		 struct nbd_diag *d)
{
	int lock = device_lock(dev->info.index);

	count(l, f);
	/* counting anew must not need a module that was missing before */
	if (dev->counted && !device_count(dev, d))
		leave(l, dev, f, d);
	device_unlock(lock);
}

void watch_liar_look(struct watch_liar *l, struct device *dev,
		     struct nbd_diag *d)
{
	/* looked at first: one that has ended has sent its result before */
	bool runs = l->pid > 0 && !waitpid(l->pid, NULL, WNOHANG);
	struct found f;

	if (l->ends[0] >= 0 &&
	    recv(l->ends[0], &f, sizeof(f), MSG_DONTWAIT) == sizeof(f)) {
		/* it has nothing to do any more but to end */
		if (runs)
			waitpid(l->pid, NULL, 0);
		runs = false;
		take(l, &f, dev, d);
	}
	if (runs || l->ends[0] < 0)
		return;
	l->pid = 0;
	if (l->waits) {
		start(l, dev);
		l->waits = false;
	} else if (l->reload && dev->live >= dev->wanted) {
		start(l, dev);
		l->reload = false;
	}
}
