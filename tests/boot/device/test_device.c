/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection more for a device: the server is a script, sysfs and /run are
 * directories made for the test, and the driver and the kernel's lists of sockets
 * are played (link with -Wl,--wrap= of each __wrap_NAME below).
 */
#include "boot/device/device.h"
#include "boot/device/dialer.h"
#include "boot/device/limit.h"
#include "boot/device/readers.h"
#include "port/linux/nbdk_watch.h"
#include "tests/core/script.h"
#include "tests/port/conn.h"
#include "tests/world/clock.h"
#include "tests/world/netlink.h"
#include "tests/world/open.h"
#include "tests/world/sockdiag.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIB   (1ull << 20)
#define SIZE  (64 * MIB)
#define FLAGS (NBD_FLAG_HAS_FLAGS | NBD_FLAG_SEND_FLUSH | NBD_FLAG_SEND_FUA)
#define MULTI NBD_FLAG_CAN_MULTI_CONN

static char root[64]; /* with sys/ and, in time, nbdboot/ */
static struct device dev;
static struct nbd_diag diag;

/* ---- the server ---- */

static struct server {
	uint64_t size;
	uint16_t flags;
	uint32_t min_block; /* 0: it does not say */
	uint32_t max;	    /* with min_block; 0: 32 MiB */
	int err;	    /* it is not there */
	int away;	    /* another one is not, with this error */
	unsigned bad;	    /* so many are too small */
	unsigned first;	    /* the server that was asked for */
	unsigned dialed, goodbyes, avoided, shunned;
	unsigned late; /* a bit for each server */
	int fd;
} server;

static int send_away(struct nbd_transport *t, const struct nbd_iov v[],
		     unsigned n)
{
	(void)t;
	server.goodbyes++;
	assert_true(n > 0);
	return (int)v[0].len;
}

static struct nbd_transport away = { .write = send_away };

int __wrap_device_dialer_one(struct device_dialer *dl, struct conn *c,
			     const struct backend *b, unsigned first,
			     struct nbd_diag *d);

int __wrap_device_dialer_one(struct device_dialer *dl, struct conn *c,
			     const struct backend *b, unsigned first,
			     struct nbd_diag *d)
{
	static const struct nbd_config go = { .name = "x", .name_len = 1 };
	static struct script s;

	assert_ptr_equal(dl, &dev.dialer);
	assert_true(first < b->servers);
	server.dialed++;
	server.first = first;
	if (server.err)
		return nbd_diag(d, server.err, "nobody there");
	/* the first that is asked */
	if (server.away && server.dialed == 1)
		dl->away = server.away;
	script_start(&s);
	say_greeting(&s, NBD_FLAG_FIXED_NEWSTYLE);
	say_info_export(&s, server.dialed > server.bad ? server.size : 512,
			server.flags);
	if (server.min_block)
		say_info_block(&s, server.min_block, 4096,
			       server.max ? server.max : 1 << 25);
	say_reply(&s, NBD_OPT_GO, NBD_REP_ACK, 0);
	nbd_init(&c->c, &go);
	play(&s, &c->c);
	assert_int_equal(nbd_state(&c->c), NBD_READY);
	c->t = &away;
	c->tls = NULL;
	server.fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	conn_open(c, server.fd);
	return 0;
}

void __wrap_device_dialer_avoid(struct device_dialer *dl);
void __wrap_device_dialer_avoid(struct device_dialer *dl)
{
	assert_ptr_equal(dl, &dev.dialer);
	server.avoided++;
}

void __wrap_device_dialer_late(struct device_dialer *dl, unsigned n);
void __wrap_device_dialer_late(struct device_dialer *dl, unsigned n)
{
	assert_ptr_equal(dl, &dev.dialer);
	server.late |= 1u << n;
}

static bool is_closed(int fd)
{
	return fcntl(fd, F_GETFD) < 0;
}

/* ---- the driver ---- */

static struct driver {
	struct nbdk_conf conf; /* the last one */
	unsigned calls;
	int err;
	unsigned grown; /* calls that set a size */
	int grow_err;
	unsigned live;	/* connections */
	char peer[128]; /* the server of each, '\0': any other */
	unsigned blind; /* RECONFIGUREs that find no dead one yet */
	bool silent;	/* nor report it later */
	int events[2];	/* a pipe */
	int watch_err;
	unsigned watches; /* that are open */
	unsigned leaving; /* readers of dead connections */
	unsigned looks;	  /* for readers; one has left then, */
	bool stuck;	  /* or does not */
	bool locked;	  /* a request that waits for a connection stops them */
	unsigned decoys; /* which no request can be sent to, were handed over */
	bool unread;	 /* their readers do not begin */
	unsigned late;	 /* live connections without a reader yet */
	bool later;	 /* nor soon */
	unsigned dies;	 /* a connection, at that look */
	unsigned known;	 /* connections that lived when all began anew */
	unsigned awaited; /* new connections whose reader was awaited */
} driver;

bool __wrap_device_readers_run(int proc, int index, unsigned want);
bool __wrap_device_readers_run(int proc, int index, unsigned want)
{
	bool all = driver.live - driver.late + driver.leaving >= want;

	assert_true(proc > 0);
	assert_int_equal(index, 3);
	driver.looks++;
	if (driver.late && !driver.later)
		driver.late--;
	return all;
}

bool __wrap_device_readers_clear(int proc, int index, struct device_readers *r);
bool __wrap_device_readers_clear(int proc, int index, struct device_readers *r)
{
	bool clear = !driver.leaving;

	r->locked = driver.locked;
	assert_true(proc > 0);
	assert_int_equal(index, 3);
	/* what was seen before another died is forgotten */
	if (!r->n++)
		driver.known = driver.live;
	assert_int_equal(driver.known, driver.live);
	if (++driver.looks == driver.dies) {
		driver.live--;
		driver.leaving++;
		assert_int_equal(write(driver.events[1], "", 1), 1);
	} else if (driver.leaving && !driver.stuck) {
		driver.leaving--;
	}
	return clear;
}

bool __wrap_device_readers_await(int proc, int index, unsigned want);
bool __wrap_device_readers_await(int proc, int index, unsigned want)
{
	assert_true(proc > 0);
	assert_int_equal(index, 3);
	assert_int_equal(want, driver.live);
	driver.awaited++;
	return true;
}

int __wrap_nbdk_reconfigure(const struct nbdk_conf *c, struct nbd_diag *d);
int __wrap_nbdk_watch_open(struct nbdk_watch *w, struct nbd_diag *d);
int __wrap_nbdk_watch_read(struct nbdk_watch *w, void (*fn)(void *, int),
			   void *ctx);
void __wrap_nbdk_watch_close(struct nbdk_watch *w);

/* The request fails on it and lets go; a receive from it waits. */
static void take_decoy(const struct nbdk_conf *c)
{
	char byte;

	assert_int_equal(c->n_fds, 1);
	assert_int_equal(driver.live, 0);
	assert_int_equal(send(c->fds[0], "", 1, MSG_NOSIGNAL), -1);
	assert_int_equal(errno, EPIPE);
	if (!driver.unread)
		assert_int_equal(recv(c->fds[0], &byte, 1, MSG_DONTWAIT), 1);
	assert_int_equal(recv(c->fds[0], &byte, 1, MSG_DONTWAIT | MSG_PEEK),
			 driver.unread ? 1 : -1);
	driver.decoys++;
	driver.locked = driver.stuck = false;
}

int __wrap_nbdk_reconfigure(const struct nbdk_conf *c, struct nbd_diag *d)
{
	driver.conf = *c;
	/* a device with connections alone, or one connection alone */
	if (c->size != NBDK_KEEP) {
		driver.grown++;
		assert_int_equal(c->n_fds, 0);
		assert_true(driver.live > 0);
		return driver.grow_err ? nbd_diag(d, driver.grow_err, "no") : 0;
	}
	if (driver.locked) {
		take_decoy(c);
		return driver.err ? nbd_diag(d, driver.err, "no") : 0;
	}
	assert_int_equal(world.tag, c->index);
	driver.calls++;
	/* nobody is inside the socket that it replaces */
	assert_int_equal(driver.leaving, 0);
	/* which is marked and open */
	assert_int_equal(c->n_fds, 1);
	assert_int_equal(c->fds[0], server.fd);
	assert_int_equal(world.tagged[(world.tags - 1) % WORLD_TAGS],
			 server.fd);
	assert_false(is_closed(server.fd));
	if (driver.err)
		return nbd_diag(d, driver.err, "the driver says no");
	if (!driver.blind) {
		driver.peer[driver.live++] = (char)('a' + server.first);
	} else if (--driver.blind, !driver.silent) {
		assert_int_equal(write(driver.events[1], "", 1), 1);
	}
	return 0;
}

int __wrap_nbdk_watch_open(struct nbdk_watch *w, struct nbd_diag *d)
{
	if (driver.watch_err)
		return nbd_diag(d, driver.watch_err, "no driver");
	driver.watches++;
	w->nl.fd = driver.events[0];
	return 0;
}

int __wrap_nbdk_watch_read(struct nbdk_watch *w, void (*fn)(void *, int),
			   void *ctx)
{
	char c;

	assert_int_equal(read(w->nl.fd, &c, 1), 1);
	fn(ctx, dev.info.index);
	return 0;
}

void __wrap_nbdk_watch_close(struct nbdk_watch *w)
{
	(void)w;
	driver.watches--;
}

/* ---- the kernel's lists ---- */

static struct lists {
	int err;
	unsigned dead, kinds;
	unsigned dumps;
	struct sockdiag_link ended;
	int end_err;
} lists;

int __wrap_sockdiag_each(struct nl_sock *s, int index, unsigned kinds,
			 void (*fn)(void *, const struct sockdiag_link *),
			 void *ctx, struct nbd_diag *d);
/* The server "a" has the address 192.0.2.97, and so on. */
int __wrap_sock_resolve(const struct nbd_uri *uri,
			struct sock_addr addrs[SOCK_MAX_ADDRS],
			struct nbd_diag *d);

int __wrap_sock_resolve(const struct nbd_uri *uri,
			struct sock_addr addrs[SOCK_MAX_ADDRS],
			struct nbd_diag *d)
{
	(void)d;
	memset(&addrs[0], 0, sizeof(addrs[0]));
	addrs[0].host.len = 4;
	addrs[0].port = uri->port;
	if (uri->is_unix) {
		addrs[0] = (struct sock_addr){ .path = uri->socket };
		return 1;
	}
	memcpy(addrs[0].host.ip, "\xc0\x00\x02", 3);
	addrs[0].host.ip[3] = (unsigned char)uri->host[0];
	return 1;
}

int __wrap_sockdiag_destroy(struct nl_sock *s, const struct sockdiag_link *l,
			    struct nbd_diag *d);

int __wrap_sockdiag_each(struct nl_sock *s, int index, unsigned kinds,
			 void (*fn)(void *, const struct sockdiag_link *),
			 void *ctx, struct nbd_diag *d)
{
	struct sockdiag_link l = { .family = AF_INET, .peer.len = 4 };

	assert_int_equal(s->fd, WORLD_NETLINK);
	assert_int_equal(index, 3);
	lists.dumps++;
	lists.kinds = kinds;
	for (unsigned i = 0; i < lists.dead + driver.live; i++) {
		l.live = i >= lists.dead;
		l.local_port = (uint16_t)i;
		l.id[0] = (unsigned char)i;
		l.peer_port = 10809;
		memcpy(l.peer.ip, "\xc0\0\2", 3);
		l.peer.ip[3] =
			l.live ? (unsigned char)driver.peer[i - lists.dead]
			       : 'a';
		if (kinds == SOCKDIAG_UNIX)
			l = (struct sockdiag_link){ .family = AF_UNIX,
						    .live = l.live };
		fn(ctx, &l);
	}
	return lists.err ? nbd_diag(d, lists.err, "no lists") : 0;
}

int __wrap_sockdiag_destroy(struct nl_sock *s, const struct sockdiag_link *l,
			    struct nbd_diag *d)
{
	unsigned at = l->local_port - lists.dead;

	(void)d;
	assert_int_equal(s->fd, WORLD_NETLINK);
	lists.ended = *l;
	if (lists.end_err)
		return nbd_diag(d, lists.end_err, "it cannot be ended");
	if (at < driver.live) {
		driver.live--;
		memmove(driver.peer + at, driver.peer + at + 1,
			driver.live - at);
		assert_int_equal(write(driver.events[1], "", 1), 1);
	}
	return 0;
}

/* ---- sysfs, and /run ---- */

/* There is no /run before its time. */
static bool run_is_there;

static void put(const char *name, const char *text)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdirat(AT_FDCWD, path, 0755);
		*p = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void drop(const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	unlink(path);
}

static int begin(void **state)
{
	static char sys[80];

	(void)state;
	strcpy(root, "/tmp/test_device.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	snprintf(sys, sizeof(sys), "%s/sys", root);
	nbdk_sys = sys;
	world.others = WORLD_REAL;
	return 0;
}

static int end(void **state)
{
	char cmd[100];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", root);
	return system(cmd);
}

/* nbd3: 64 MiB with flush and FUA, and a server that has just that. */
static int connected(void **state)
{
	(void)state;
	put("sys/nbd3/size", "131072\n");
	put("sys/nbd3/ro", "0\n");
	put("sys/nbd3/pid", "77\n");
	put("sys/nbd3/queue/logical_block_size", "1024\n");
	put("sys/nbd3/queue/io_timeout", "1\n");
	put("sys/nbd3/queue/write_cache", "write back\n");
	put("sys/nbd3/queue/fua", "1\n");
	put("sys/nbd3/queue/discard_max_bytes", "0\n");
	put("sys/nbd3/queue/write_zeroes_max_bytes", "0\n");
	put("sys/nbd3/queue/max_sectors_kb", "128\n");
	put("sys/nbd3/backend",
	    "nbd://a/x,nbd://b/x connections=2 slots=4 spread\n");
	drop("nbdboot/nbd3.connections");
	memset(&diag, 0, sizeof(diag));
	/* of an earlier device, so to say */
	memset(&dev, 0xa5, offsetof(struct device, diag));
	memset(&driver, 0, sizeof(driver));
	world = (struct world){ .now = 1000,
				.others = WORLD_REAL,
				.run = root };
	if (!run_is_there)
		world_file("/run", NULL);
	memset(&lists, 0, sizeof(lists));
	server = (struct server){ .size = SIZE, .flags = FLAGS | MULTI };
	return pipe(driver.events);
}

static int closed(void **state)
{
	(void)state;
	assert_int_equal(driver.watches, 0);
	close(driver.events[0]);
	return close(driver.events[1]);
}

static void read_it(void)
{
	assert_int_equal(device_read(&dev, 3, &diag), 0);
}

/* ---- the state of a device ---- */

static void a_device_is_read_with_all_it_remembers(void **state)
{
	(void)state;
	driver.live = 1;
	lists.dead = 1;
	read_it();
	assert_true(dev.known && dev.counted);
	assert_int_equal(dev.info.index, 3);
	assert_int_equal(dev.b.servers, 2);
	assert_true(dev.b.spread);
	assert_int_equal(dev.wanted, 2);
	assert_int_equal(dev.live, 1);
	assert_int_equal(dev.n_links, 2);
	assert_false(dev.links[0].live);
	assert_true(dev.links[1].live);
}

static void a_device_of_another_program_is_recognized(void **state)
{
	(void)state;
	assert_int_equal(device_read(&dev, 4, &diag), NBD_E_NO_DEVICE);
	assert_string_equal(diag.text, "there is no nbd4");
	assert_false(dev.known || dev.counted);
	put("sys/nbd3/backend", "nbd-client srv\n");
	assert_int_equal(device_read(&dev, 3, &diag), NBD_E_URI);
	assert_non_null(strstr(diag.text, "\"nbd-client srv\""));
	assert_false(dev.known || dev.counted);
	/* what could be read is there */
	assert_int_equal(dev.info.size, SIZE);
	drop("sys/nbd3/pid");
	assert_int_equal(device_read(&dev, 3, &diag), NBD_E_NO_DEVICE);
	assert_string_equal(diag.text, "nbd3 is not connected");
	assert_int_equal(dev.n_links, 0);
}

/* The first test that counts: the socket is opened once, when it is needed. */
static void a_kernel_that_does_not_count_is_asked_again(void **state)
{
	(void)state;
	world.nl_error = NBD_E_KERNEL;
	assert_int_equal(device_read(&dev, 3, &diag), NBD_E_KERNEL);
	assert_true(dev.known);
	assert_false(dev.counted);
	world.nl_error = 0;
	lists.err = NBD_E_PERM;
	assert_int_equal(device_count(&dev, &diag), NBD_E_PERM);
	assert_false(dev.counted);
	lists.err = 0;
	driver.live = 2;
	assert_int_equal(device_count(&dev, &diag), 0);
	assert_true(dev.counted);
	assert_int_equal(dev.live, 2);
	assert_int_equal(world.nl_opened, 1);
	assert_int_equal(world.nl_protocol, NETLINK_SOCK_DIAG);
	assert_int_equal(world.nl_groups, 0);
}

/* Not what may be missing, and is of no use. */
static void sockets_of_the_servers_kinds_are_asked_for(void **state)
{
	static const struct {
		const char *backend;
		unsigned kinds;
	} t[] = {
		{ "nbd://a/x", SOCKDIAG_TCP },
		{ "nbd+unix:///?socket=/s", SOCKDIAG_UNIX },
		{ "nbd+unix:///?socket=/s,nbd://a/x",
		  SOCKDIAG_TCP | SOCKDIAG_UNIX },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		put("sys/nbd3/backend", t[i].backend);
		read_it();
		assert_int_equal(lists.kinds, t[i].kinds);
	}
	/* if the kernel cannot list them, nothing is counted */
	lists.err = NBD_E_NOT_FOUND;
	assert_int_equal(device_read(&dev, 3, &diag), NBD_E_NOT_FOUND);
	assert_true(dev.known);
	assert_false(dev.counted);
	/* device_identify() does not list them */
	lists.kinds = 0;
	assert_int_equal(device_identify(&dev, 3, &diag), 0);
	assert_true(dev.known);
	assert_int_equal(lists.kinds, 0);
}

static void all_are_counted_however_few_are_shown(void **state)
{
	(void)state;
	lists.dead = 5;
	driver.live = 100;
	read_it();
	assert_int_equal(dev.live, 100);
	assert_int_equal(dev.n_links, DEVICE_LINKS);
}

static void many_that_are_dead_do_not_hide_those_that_live(void **state)
{
	unsigned shown = 0;

	(void)state;
	lists.dead = 3 * DEVICE_LINKS;
	driver.live = 4;
	read_it();
	for (unsigned i = 0; i < dev.n_links; i++)
		shown += dev.links[i].live;
	assert_int_equal(shown, 4);
	assert_int_equal(dev.n_links, DEVICE_LINKS);
}

/* ---- how many are wanted ---- */

static void without_run_there_is_no_wish_but_the_first(void **state)
{
	(void)state;
	assert_int_equal(device_want(3, 4, &diag), NBD_E_IO);
	assert_string_equal(diag.text, "open /run: No such file or directory");
	read_it();
	assert_int_equal(dev.wanted, 2);
	run_is_there = true;
}

static void a_wish_is_kept_until_it_is_forgotten(void **state)
{
	(void)state;
	assert_int_equal(device_want(3, 4, &diag), 0);
	read_it();
	assert_int_equal(dev.wanted, 4);
	assert_int_equal(device_want(3, 1, &diag), 0);
	read_it();
	assert_int_equal(dev.wanted, 1);
	/* each device has its own */
	assert_int_equal(device_want(30, 3, &diag), 0);
	read_it();
	assert_int_equal(dev.wanted, 1);
	assert_int_equal(device_want(30, 0, &diag), 0);
	assert_int_equal(device_want(3, 0, &diag), 0);
	assert_int_equal(device_want(3, 0, &diag), NBD_E_NOT_FOUND);
	read_it();
	assert_int_equal(dev.wanted, 2);
}

static void a_wish_that_cannot_be_is_none(void **state)
{
	/* more than there are slots, nothing, and what is no number */
	static const char *const bad[] = {
		"5\n",	"0\n",		"",
		"\n",	"x4\n",		"-1\n",
		" 4\n", "4294967297\n", "99999999999999\n"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		put("nbdboot/nbd3.connections", bad[i]);
		read_it();
		assert_int_equal(dev.wanted, 2);
	}
	put("nbdboot/nbd3.connections", "4");
	read_it();
	assert_int_equal(dev.wanted, 4);
}

/* ---- is it still the same? ---- */

/*
 * Refused with those words, with a goodbye, and without a trace.  Other servers
 * are asked first from then on, unless this machine is to blame.
 */
static void assert_fails(int err, const char *words, bool server_to_blame)
{
	unsigned tries;

	read_it();
	driver.calls = server.goodbyes = server.avoided = 0;
	assert_int_equal(device_add(&dev, &diag), err);
	if (!strstr(diag.text, words))
		fail_msg("\"%s\" is not in \"%s\"", words, diag.text);
	assert_int_equal(driver.calls, 0);
	/* then the next one is asked, until all were */
	tries = server_to_blame ? dev.b.servers : 1;
	assert_int_equal(server.goodbyes, tries);
	assert_int_equal(server.avoided, server_to_blame ? tries : 0);
	assert_true(is_closed(server.fd));
}

static void assert_refused(int err, const char *words)
{
	assert_fails(err, words, true);
}

/* It is handed over, and stays open in the kernel: no goodbye. */
static void assert_added(void)
{
	read_it();
	driver.calls = driver.grown = server.goodbyes = 0;
	assert_int_equal(device_add(&dev, &diag), 0);
	assert_int_equal(driver.calls, 1);
	assert_int_equal(server.goodbyes, 0);
	assert_true(is_closed(server.fd));
}

static void the_same_export_changes_nothing(void **state)
{
	const struct nbdk_conf *c = &driver.conf;

	(void)state;
	assert_added();
	assert_int_equal(c->index, 3);
	assert_true(c->size == NBDK_KEEP);
	assert_int_equal(c->block_size, 0);
	assert_true(c->timeout == NBDK_KEEP && c->dead_timeout == NBDK_KEEP);
	assert_true(c->client_flags == NBDK_KEEP);
	/* to the byte, or the driver refuses */
	assert_string_equal(c->backend,
			    "nbd://a/x,nbd://b/x connections=2 slots=4 spread");
}

static void a_smaller_export_is_refused(void **state)
{
	(void)state;
	server.size = SIZE - 1024;
	assert_refused(NBD_E_SIZE, "the export has 67107840 bytes, the device "
				   "has 67108864");
	server.size = SIZE - 1;
	assert_refused(NBD_E_SIZE, "67108863");
	server.size = 0;
	assert_refused(NBD_E_SIZE, "the export has 0 bytes");
}

static void assert_grown(uint64_t size)
{
	assert_added();
	assert_int_equal(driver.grown, 0);
	assert_int_equal(device_grow(&dev, &diag), 0);
	assert_int_equal(driver.grown, size ? 1 : 0);
	assert_true(driver.conf.size == (size ? size : NBDK_KEEP));
	assert_int_equal(driver.conf.index, 3);
	/* once is enough */
	assert_int_equal(device_grow(&dev, &diag), 0);
	assert_int_equal(driver.grown, size ? 1 : 0);
}

static void a_larger_export_resizes_the_device_in_whole_blocks(void **state)
{
	(void)state;
	server.size = 2 * SIZE;
	assert_grown(2 * SIZE);
	server.size = 2 * SIZE + 1023;
	assert_grown(2 * SIZE);
	/* less than a block more is no change */
	server.size = SIZE + 1023;
	assert_grown(0);
	server.size = SIZE + 1024;
	assert_grown(SIZE + 1024);
}

/* As when it goes between two looks at /sys. */
static void a_device_without_blocks_is_not_resized(void **state)
{
	(void)state;
	drop("sys/nbd3/queue/logical_block_size");
	server.size = 2 * SIZE;
	assert_grown(0);
}

static void an_export_that_became_read_only_is_refused(void **state)
{
	(void)state;
	server.flags |= NBD_FLAG_READ_ONLY;
	assert_refused(NBD_E_MISMATCH, "read-only");
	/* a device that is so anyhow does not mind */
	put("sys/nbd3/ro", "1\n");
	assert_added();
	server.flags = (uint16_t)(server.flags & ~NBD_FLAG_READ_ONLY);
	assert_added();
}

static void what_the_device_relies_on_must_not_be_lost(void **state)
{
	(void)state;
	put("sys/nbd3/queue/discard_max_bytes", "4096\n");
	server.flags |= NBD_FLAG_SEND_TRIM;
	assert_added();
	server.flags ^= NBD_FLAG_SEND_FLUSH;
	assert_refused(NBD_E_MISMATCH, "the export no longer supports flush");
	server.flags ^= NBD_FLAG_SEND_FLUSH | NBD_FLAG_SEND_FUA;
	assert_refused(NBD_E_MISMATCH, "the export no longer supports FUA");
	server.flags ^= NBD_FLAG_SEND_FUA | NBD_FLAG_SEND_TRIM;
	assert_refused(NBD_E_MISMATCH, "the export no longer supports trim");
	/* what is new is not used */
	server.flags ^= NBD_FLAG_SEND_TRIM | NBD_FLAG_SEND_WRITE_ZEROES;
	assert_added();
	/* may be left over from an earlier server */
	put("sys/nbd3/queue/write_zeroes_max_bytes", "4096\n");
	server.flags ^= NBD_FLAG_SEND_WRITE_ZEROES;
	assert_added();
}

static void a_block_of_the_device_is_one_of_the_server(void **state)
{
	(void)state;
	server.min_block = 512;
	assert_added();
	server.min_block = 1024;
	assert_added();
	server.min_block = 2048;
	assert_refused(NBD_E_BLOCK, "minimum block size is 2048 bytes, the "
				    "device's is 1024");
}

/* What the kernel sends would fail. */
static void a_request_of_the_device_is_one_that_the_server_accepts(void **state)
{
	(void)state;
	server.min_block = 512;
	server.max = 128 << 10;
	assert_added();
	server.max = 65536;
	assert_refused(NBD_E_PAYLOAD,
		       "the server accepts 65536 bytes at once, the device "
		       "sends up to 131072: ");
	assert_non_null(strstr(diag.text, "`nbdboot tune nbd3 "
					  "max_sectors_kb=64`"));
	put("sys/nbd3/queue/max_sectors_kb", "64\n");
	assert_added();
	/* one that says nothing accepts 32 MiB */
	server.min_block = 0;
	put("sys/nbd3/queue/max_sectors_kb", "32768\n");
	assert_added();
}

static void the_least_that_servers_accept_is_remembered(void **state)
{
	(void)state;
	device_limit_first(3, 1 << 20);
	server.min_block = 512;
	assert_added();
	assert_int_equal(device_limit_noted(3), 1 << 20);
	server.max = 256 << 10;
	assert_added();
	assert_int_equal(device_limit_noted(3), 256 << 10);
	device_limit_first(3, 512 << 10);
	assert_int_equal(device_limit_noted(3), 512 << 10);
}

static void a_second_connection_needs_the_servers_consent(void **state)
{
	(void)state;
	server.flags = FLAGS;
	assert_added();
	/* that one lives now */
	assert_refused(NBD_E_MULTI_CONN, "several connections");
}

static void if_one_has_another_disk_the_next_is_asked(void **state)
{
	(void)state;
	server.bad = 1;
	read_it();
	assert_int_equal(device_add(&dev, &diag), 0);
	assert_int_equal(server.dialed, 2);
	assert_int_equal(server.goodbyes, 1);
	assert_int_equal(server.avoided, 1);
	assert_int_equal(driver.calls, 1);
}

static void an_outage_counts_more_than_another_disk(void **state)
{
	(void)state;
	server.bad = 9;
	server.away = NBD_E_REFUSED;
	read_it();
	assert_int_equal(device_add(&dev, &diag), NBD_E_REFUSED);
	assert_non_null(strstr(diag.text, "512"));
	/* that is over */
	server.away = 0;
	assert_int_equal(device_add(&dev, &diag), NBD_E_SIZE);
}

/* ---- one more ---- */

static void a_silent_server_makes_no_connection(void **state)
{
	(void)state;
	read_it();
	server.err = NBD_E_REFUSED;
	assert_int_equal(device_add(&dev, &diag), NBD_E_REFUSED);
	assert_string_equal(diag.text, "nobody there");
	assert_int_equal(driver.calls, 0);
}

static void what_the_driver_does_not_want_is_closed(void **state)
{
	(void)state;
	read_it();
	driver.err = NBD_E_KERNEL;
	assert_int_equal(device_add(&dev, &diag), NBD_E_KERNEL);
	assert_string_equal(diag.text, "the driver says no");
	assert_int_equal(server.goodbyes, 1);
	assert_int_equal(server.avoided, 0);
	assert_true(is_closed(server.fd));
	driver.err = 0;
	world.tag_error = NBD_E_PERM;
	assert_fails(NBD_E_PERM, "mark a connection of nbd3", false);
}

static void connections_are_spread_over_the_servers(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		assert_added();
		assert_int_equal(server.first, i % 2);
	}
	/* one goes, and comes back to where it was: "abab", "bab", "baba" */
	memmove(driver.peer, driver.peer + 1, --driver.live);
	assert_added();
	assert_int_equal(server.first, 0);
	memmove(driver.peer, driver.peer + 1, --driver.live);
	assert_added();
	assert_int_equal(server.first, 1);
	/* a dead one does not count, nor does one to another port */
	lists.dead = 3;
	memmove(driver.peer, driver.peer + 1, --driver.live);
	assert_added();
	assert_int_equal(server.first, 0);
	lists.dead = 0;
	put("sys/nbd3/backend",
	    "nbd://a/x,nbd://b:10810/x connections=2 slots=4 spread\n");
	assert_added();
	assert_int_equal(server.first, 1);
	put("sys/nbd3/backend", "nbd://a/x,nbd://b/x connections=2\n");
	assert_added();
	assert_int_equal(server.first, 0);
	driver.live = 1;
	assert_added();
	assert_int_equal(server.first, 0);
}

static void the_server_of_a_connection_can_be_made_the_last(void **state)
{
	(void)state;
	driver.live = 1;
	driver.peer[0] = 'b';
	read_it();
	device_avoid(&dev, &dev.links[0]);
	assert_int_equal(server.late, 1u << 1);
	/* one to a port that no server has */
	dev.links[0].peer_port = 1;
	device_avoid(&dev, &dev.links[0]);
	assert_int_equal(server.late, 1u << 1);
}

void __wrap_device_dialer_shun(struct device_dialer *dl, unsigned which);
void __wrap_device_dialer_shun(struct device_dialer *dl, unsigned which)
{
	(void)dl;
	server.shunned |= 1u << which;
}

static void a_server_is_left_with_its_connections(void **state)
{
	(void)state;
	driver.live = 2;
	driver.peer[0] = driver.peer[1] = 'b';
	read_it();
	assert_true(device_has_only(&dev, 1));
	assert_false(device_has_only(&dev, 0));
	driver.peer[1] = 'a';
	read_it();
	assert_false(device_has_only(&dev, 1));
	assert_int_equal(device_leave(&dev, 1, &diag), 0);
	assert_int_equal(server.shunned, 1u << 1);
	assert_int_equal(driver.live, 1);
	assert_int_equal(driver.peer[0], 'a');
	/* the kernel lacks what ends one */
	read_it();
	lists.end_err = NBD_E_KERNEL;
	assert_int_equal(device_leave(&dev, 0, &diag), NBD_E_KERNEL);
	/* it is gone already */
	lists.end_err = NBD_E_NOT_FOUND;
	assert_int_equal(device_leave(&dev, 0, &diag), 0);
}

/* The watcher would accuse one of them of wrong blocks. */
static void servers_that_look_alike_are_not_told_apart(void **state)
{
	static const struct {
		const char *backend;
		bool sure;
	} t[] = {
		{ "nbd+unix:///?socket=/a", true },
		{ "nbd+unix:///?socket=/a,nbd+unix:///?socket=/b", false },
		{ "nbd://a/x,nbd://b/x", true },
		{ "nbd://a/x,nbd://a/y", false },
	};

	(void)state;
	driver.live = 2;
	driver.peer[0] = driver.peer[1] = 'a';
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		put("sys/nbd3/backend", t[i].backend);
		read_it();
		assert_int_equal(device_has_only(&dev, 0), t[i].sure);
		if (dev.b.servers > 1)
			assert_false(device_has_only(&dev, 1));
	}
}

/* ---- as many as wanted ---- */

static int fill(unsigned want)
{
	read_it();
	driver.calls = server.dialed = lists.dumps = 0;
	return device_fill(&dev, want, &diag);
}

static void as_many_are_added_as_are_missing(void **state)
{
	(void)state;
	driver.live = 1;
	assert_int_equal(fill(4), 0);
	assert_int_equal(driver.calls, 3);
	assert_int_equal(dev.live, 4);
	assert_int_equal(fill(4), 0);
	assert_int_equal(server.dialed, 0);
	/* more than that are left alone */
	assert_int_equal(fill(2), 0);
	assert_int_equal(dev.live, 4);
}

/* A dump costs as much as the machine has sockets: one for each race. */
static void the_sockets_are_listed_three_times_for_a_connection(void **state)
{
	(void)state;
	driver.live = 1;
	assert_int_equal(fill(2), 0);
	assert_int_equal(lists.dumps, 3);
	driver.live = 1;
	assert_int_equal(fill(4), 0);
	assert_int_equal(lists.dumps, 9);
	/* whole already */
	assert_int_equal(fill(4), 0);
	assert_int_equal(lists.dumps, 0);
	/* not counted before */
	driver.live = 1;
	read_it();
	dev.counted = false;
	lists.dumps = 0;
	assert_int_equal(device_fill(&dev, 2, &diag), 0);
	assert_int_equal(lists.dumps, 4);
}

static void a_driver_that_has_not_noticed_yet_is_waited_for(void **state)
{
	(void)state;
	/* it wakes up at the driver's report, not when the time is up */
	put("sys/nbd3/queue/io_timeout", "600000\n");
	driver.blind = 2;
	assert_int_equal(fill(2), 0);
	assert_int_equal(driver.calls, 4);
	assert_int_equal(dev.live, 2);
}

static void a_driver_without_a_dead_slot_is_reported(void **state)
{
	(void)state;
	driver.live = 2;
	driver.blind = 2;
	driver.silent = true;
	assert_int_equal(fill(3), NBD_E_KERNEL);
	assert_string_equal(diag.text,
			    "the nbd driver has no dead connection to replace: "
			    "nbd3 has 2 that live");
	assert_int_equal(driver.calls, 1);
}

/* Its sockets die before they are counted, and the driver notices. */
static void a_server_that_drops_connections_is_not_asked_on_and_on(void **state)
{
	(void)state;
	driver.blind = 1000;
	assert_int_equal(fill(2), NBD_E_CUT);
	assert_non_null(strstr(diag.text, "drops them"));
	/* once for each slot, and once more */
	assert_int_equal(server.dialed, 5);
}

static void the_first_failure_ends_it(void **state)
{
	(void)state;
	server.err = NBD_E_REFUSED;
	assert_int_equal(fill(2), NBD_E_REFUSED);
	assert_int_equal(server.dialed, 1);
	server.err = 0;
	driver.watch_err = NBD_E_NOT_FOUND;
	assert_int_equal(fill(2), NBD_E_NOT_FOUND);
	assert_int_equal(server.dialed, 0);
	driver.watch_err = 0;
	/* what cannot be counted is not filled */
	lists.err = NBD_E_KERNEL;
	assert_int_equal(device_read(&dev, 3, &diag), NBD_E_KERNEL);
	assert_int_equal(device_fill(&dev, 2, &diag), NBD_E_KERNEL);
	assert_int_equal(server.dialed, 0);
}

/* Not with one that it had no use for: driver.live is looked at there. */
static void it_is_resized_when_the_driver_has_a_connection(void **state)
{
	(void)state;
	server.size = 2 * SIZE;
	driver.blind = 1;
	assert_int_equal(fill(2), 0);
	assert_int_equal(driver.calls, 3);
	assert_int_equal(driver.grown, 1);
	assert_true(driver.conf.size == 2 * SIZE);
}

static void a_resize_that_fails_leaves_the_connections(void **state)
{
	(void)state;
	server.size = 2 * SIZE;
	driver.grow_err = NBD_E_KERNEL;
	assert_int_equal(fill(2), NBD_E_KERNEL);
	assert_int_equal(driver.live, 2);
	assert_int_equal(server.goodbyes, 0);
}

static void connections_through_tcp_alone_can_be_ended(void **state)
{
	struct sockdiag_link l = { .family = AF_INET6, .local_port = 9 };

	(void)state;
	read_it();
	assert_int_equal(device_end(&dev, &l, &diag), 0);
	assert_int_equal(lists.ended.local_port, 9);
	l.family = AF_UNIX;
	lists.ended.local_port = 0;
	assert_int_equal(device_end(&dev, &l, &diag), NBD_E_USAGE);
	assert_non_null(strstr(diag.text, "UNIX socket"));
	assert_int_equal(lists.ended.local_port, 0);
}

/* ---- another in place of one ---- */

static int replace(unsigned n)
{
	struct sockdiag_link l;

	read_it();
	driver.calls = server.dialed = server.goodbyes = 0;
	lists.ended.local_port = 99;
	l = dev.links[n];
	return device_replace(&dev, &l, &diag);
}

static void one_is_replaced_when_another_is_ready(void **state)
{
	(void)state;
	driver.live = 2;
	memcpy(driver.peer, "ab", 2);
	assert_int_equal(replace(1), 0);
	assert_int_equal(lists.ended.local_port, 1);
	assert_int_equal(server.dialed, 1);
	assert_int_equal(driver.calls, 1);
	/* spread: to the server that has none now */
	assert_memory_equal(driver.peer, "ab", 2);
	assert_int_equal(dev.live, 2);
	assert_int_equal(driver.watches, 0);
	/* the only one: its server need not allow several */
	driver.live = 1;
	server.flags &= (uint16_t)~NBD_FLAG_CAN_MULTI_CONN;
	assert_int_equal(replace(0), 0);
	assert_int_equal(dev.live, 1);
	/* but beside others it must */
	driver.live = 2;
	assert_int_equal(replace(0), NBD_E_MULTI_CONN);
	assert_int_equal(driver.live, 2);
}

static void one_stays_that_cannot_be_replaced(void **state)
{
	(void)state;
	driver.live = 1;
	server.err = NBD_E_TIMEOUT;
	assert_int_equal(replace(0), NBD_E_TIMEOUT);
	assert_int_equal(lists.ended.local_port, 99);
	assert_int_equal(driver.live, 1);
	server.err = 0;
	server.size = 512;
	assert_int_equal(replace(0), NBD_E_SIZE);
	assert_int_equal(lists.ended.local_port, 99);
	server.size = SIZE;
	/* a kernel that ends none */
	lists.end_err = NBD_E_KERNEL;
	assert_int_equal(replace(0), NBD_E_KERNEL);
	assert_int_equal(server.goodbyes, 1);
	assert_int_equal(driver.calls, 0);
	assert_true(is_closed(server.fd));
	driver.watch_err = NBD_E_NOT_FOUND;
	assert_int_equal(replace(0), NBD_E_NOT_FOUND);
	assert_int_equal(server.dialed, 0);
	assert_int_equal(driver.live, 1);
}

static void one_that_is_gone_meanwhile_is_replaced_too(void **state)
{
	(void)state;
	driver.live = 1;
	lists.end_err = NBD_E_NOT_FOUND;
	assert_int_equal(replace(0), 0);
	assert_int_equal(driver.calls, 1);
}

/* Another is made in place of the new one, which the driver did not take. */
static void a_replacement_that_is_lost_is_made_again(void **state)
{
	(void)state;
	driver.live = 1;
	driver.blind = 1;
	driver.silent = true;
	assert_int_equal(replace(0), 0);
	assert_int_equal(server.dialed, 2);
	assert_int_equal(driver.live, 1);
	assert_int_equal(dev.live, 1);
}

static void a_reader_leaves_before_its_socket_is_freed(void **state)
{
	(void)state;
	driver.live = 1;
	driver.leaving = 3;
	assert_int_equal(replace(0), 0);
	/* two whether all have begun, one for each that leaves, and one more */
	assert_int_equal(driver.looks, 6);
	assert_int_equal(driver.awaited, 1);
	driver.leaving = 1;
	assert_int_equal(device_fill(&dev, 2, &diag), 0);
	assert_int_equal(driver.looks, 9);
	assert_int_equal(driver.awaited, 2);
	assert_int_equal(driver.live, 2);
}

/* Their number alone would say that all have left. */
static void a_reader_that_is_late_hides_none_that_is_inside(void **state)
{
	(void)state;
	driver.live = driver.late = driver.leaving = 1;
	assert_int_equal(fill(2), 0);
	assert_int_equal(driver.looks, 3);
	assert_int_equal(driver.live, 2);
}

static void one_that_dies_meanwhile_is_left_as_well(void **state)
{
	(void)state;
	driver.live = 2;
	driver.leaving = 1;
	driver.dies = 3;
	assert_int_equal(fill(3), 0);
	assert_int_equal(driver.calls, 2);
	assert_int_equal(driver.live, 3);
}

static void while_one_is_inside_nothing_is_replaced(void **state)
{
	(void)state;
	driver.live = driver.leaving = 1;
	driver.stuck = true;
	assert_int_equal(fill(2), NBD_E_AGAIN);
	assert_non_null(strstr(diag.text, "too busy to leave a dead connection "
					  "of nbd3"));
	/* one in 5 ms, for 5 s */
	assert_int_equal(driver.looks, 1001);
	assert_int_equal(driver.calls, 0);
	assert_int_equal(server.goodbyes, 1);
	assert_true(is_closed(server.fd));
	assert_int_equal(driver.live, 1);
	driver.stuck = false;
	assert_int_equal(fill(2), 0);
	assert_int_equal(driver.live, 2);
	/* where readers are not visible, nor sockets counted, nobody waits */
	read_it();
	driver.leaving = 0;
	dev.proc = -1;
	driver.looks = 0;
	assert_int_equal(device_fill(&dev, 3, &diag), 0);
	assert_int_equal(driver.looks, 0);
	dev.proc = 0;
}

/* Neither would ever move: the request waits for what we wait to hand over. */
static void a_request_that_holds_the_reader_is_woken(void **state)
{
	(void)state;
	driver.leaving = 1;
	driver.stuck = driver.locked = true;
	assert_int_equal(fill(1), 0);
	assert_int_equal(driver.decoys, 1);
	assert_int_equal(driver.calls, 1);
	assert_int_equal(driver.live, 1);
}

/* It has another one to be sent to, so it does not wait. */
static void none_is_woken_while_a_connection_lives(void **state)
{
	(void)state;
	driver.live = driver.leaving = 1;
	driver.stuck = driver.locked = true;
	assert_int_equal(fill(2), NBD_E_AGAIN);
	assert_int_equal(driver.decoys, 0);
	driver.leaving = 0;
}

/* It would read from the real connection, beside that one's own reader. */
static void nothing_follows_a_decoy_that_nobody_reads(void **state)
{
	(void)state;
	driver.leaving = 1;
	driver.stuck = driver.locked = driver.unread = true;
	assert_int_equal(fill(1), NBD_E_AGAIN);
	assert_int_equal(driver.decoys, 1);
	assert_int_equal(driver.calls, 0);
	assert_true(is_closed(server.fd));
	driver.leaving = 0;
	driver.unread = false;
}

static void a_driver_that_takes_no_decoy_is_asked_again(void **state)
{
	(void)state;
	driver.leaving = 1;
	driver.stuck = driver.locked = true;
	driver.err = NBD_E_KERNEL;
	assert_int_equal(fill(1), NBD_E_KERNEL);
	assert_int_equal(driver.decoys, 1);
	assert_int_equal(driver.calls, 0);
	assert_true(is_closed(server.fd));
	driver.leaving = 0;
	driver.err = 0;
}

static void one_that_was_ended_is_replaced_later(void **state)
{
	struct sockdiag_link l;

	(void)state;
	driver.live = 2;
	driver.leaving = 1;
	driver.stuck = true;
	read_it();
	l = dev.links[0];
	assert_true(device_has(&dev, &l));
	assert_int_equal(device_replace(&dev, &l, &diag), NBD_E_AGAIN);
	assert_int_equal(driver.calls, 0);
	assert_int_equal(driver.live, 1);
	driver.stuck = false;
	assert_int_equal(device_fill(&dev, 2, &diag), 0);
	assert_int_equal(driver.live, 2);
}

/* Else the queue's rescuer may take both readers. */
static void none_is_made_before_all_have_begun(void **state)
{
	(void)state;
	driver.live = driver.late = 1;
	driver.later = true;
	assert_int_equal(fill(2), NBD_E_AGAIN);
	assert_non_null(strstr(diag.text, "too busy to read from all "
					  "connections of nbd3"));
	assert_int_equal(driver.calls, 0);
	assert_int_equal(server.goodbyes, 1);
	driver.later = false;
	assert_int_equal(fill(2), 0);
	assert_int_equal(driver.calls, 1);
}

static void none_is_ended_before_all_have_begun(void **state)
{
	(void)state;
	driver.live = 2;
	driver.late = 1;
	driver.later = true;
	assert_int_equal(replace(0), NBD_E_AGAIN);
	assert_non_null(strstr(diag.text, "too busy to read from all "
					  "connections of nbd3"));
	assert_int_equal(driver.looks, 1001);
	assert_int_equal(server.dialed, 0);
	assert_int_equal(driver.live, 2);
	assert_true(device_has(&dev, &dev.links[0]));
	driver.later = false;
	assert_int_equal(replace(0), 0);
	assert_int_equal(driver.calls, 1);
	assert_int_equal(driver.live, 2);
}

#define DEV(f) cmocka_unit_test_setup_teardown(f, connected, closed)

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* these two come first: see there */
		DEV(a_kernel_that_does_not_count_is_asked_again),
		DEV(without_run_there_is_no_wish_but_the_first),
		DEV(a_device_is_read_with_all_it_remembers),
		DEV(a_device_of_another_program_is_recognized),
		DEV(sockets_of_the_servers_kinds_are_asked_for),
		DEV(all_are_counted_however_few_are_shown),
		DEV(many_that_are_dead_do_not_hide_those_that_live),
		DEV(a_wish_is_kept_until_it_is_forgotten),
		DEV(a_wish_that_cannot_be_is_none),
		DEV(the_same_export_changes_nothing),
		DEV(a_smaller_export_is_refused),
		DEV(a_larger_export_resizes_the_device_in_whole_blocks),
		DEV(it_is_resized_when_the_driver_has_a_connection),
		DEV(a_resize_that_fails_leaves_the_connections),
		DEV(a_device_without_blocks_is_not_resized),
		DEV(an_export_that_became_read_only_is_refused),
		DEV(what_the_device_relies_on_must_not_be_lost),
		DEV(a_block_of_the_device_is_one_of_the_server),
		DEV(a_request_of_the_device_is_one_that_the_server_accepts),
		DEV(the_least_that_servers_accept_is_remembered),
		DEV(a_second_connection_needs_the_servers_consent),
		DEV(if_one_has_another_disk_the_next_is_asked),
		DEV(an_outage_counts_more_than_another_disk),
		DEV(a_silent_server_makes_no_connection),
		DEV(what_the_driver_does_not_want_is_closed),
		DEV(connections_are_spread_over_the_servers),
		DEV(the_server_of_a_connection_can_be_made_the_last),
		DEV(a_server_is_left_with_its_connections),
		DEV(servers_that_look_alike_are_not_told_apart),
		DEV(as_many_are_added_as_are_missing),
		DEV(the_sockets_are_listed_three_times_for_a_connection),
		DEV(a_driver_that_has_not_noticed_yet_is_waited_for),
		DEV(a_driver_without_a_dead_slot_is_reported),
		DEV(a_server_that_drops_connections_is_not_asked_on_and_on),
		DEV(the_first_failure_ends_it),
		DEV(connections_through_tcp_alone_can_be_ended),
		DEV(one_is_replaced_when_another_is_ready),
		DEV(one_stays_that_cannot_be_replaced),
		DEV(one_that_is_gone_meanwhile_is_replaced_too),
		DEV(a_replacement_that_is_lost_is_made_again),
		DEV(a_reader_leaves_before_its_socket_is_freed),
		DEV(a_reader_that_is_late_hides_none_that_is_inside),
		DEV(one_that_dies_meanwhile_is_left_as_well),
		DEV(while_one_is_inside_nothing_is_replaced),
		DEV(a_request_that_holds_the_reader_is_woken),
		DEV(none_is_woken_while_a_connection_lives),
		DEV(nothing_follows_a_decoy_that_nobody_reads),
		DEV(a_driver_that_takes_no_decoy_is_asked_again),
		DEV(one_that_was_ended_is_replaced_later),
		DEV(none_is_made_before_all_have_begun),
		DEV(none_is_ended_before_all_have_begun),
	};

	return cmocka_run_group_tests_name("device", tests, begin, end);
}
