/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Linux kernel's nbd driver.  Commands go over generic netlink
 * (linux/nbd-netlink.h); the state of a device is read from sysfs.  Results
 * are >= 0 or a negative enum nbd_err, which d explains.
 *
 *	free --nbdk_connect--> connected --nbdk_wait_ready--> ready
 *	  ^------------------nbdk_disconnect------------------'
 */
#ifndef PORT_LINUX_NBDK_H
#define PORT_LINUX_NBDK_H

#include "port/port.h"

/* The longest backend identifier: sysfs shows a page with it, \n and NUL. */
#define NBDK_BACKEND_MAX 4094u

/* A field that nbdk_reconfigure() must not change. */
#define NBDK_KEEP UINT64_MAX

/* The parameters of a device and its sockets.  The kernel copies all of it. */
struct nbdk_conf {
	int index;	       /* N of nbdN; -1: any free or new device */
	uint64_t size;	       /* bytes */
	uint32_t block_size;   /* bytes, power of 2, 512 to the page size */
	uint16_t server_flags; /* the export's NBD_FLAG_* */
	uint64_t timeout;      /* s for a request; 0: the driver's 30 */
	uint64_t dead_timeout; /* s that I/O waits for a reconnection */
	uint64_t client_flags; /* NBD_CFLAG_* of linux/nbd.h */
	const char *backend;   /* all users can read it in sysfs; at most */
			       /* NBDK_BACKEND_MAX bytes; or NULL */
	const int *fds;	       /* sockets in the transmission phase */
	unsigned n_fds;	       /* at most CONFIG_PORT_MAX_CONNECTIONS */
	int stop; /* readable: connecting waits no longer; 0: none */
};

/*
 * Makes a device from the sockets; returns its index.  They stay open in the
 * kernel, so the caller may close them and exit.  NBD_E_NO_DRIVER: the nbd
 * module is not loaded.  NBD_E_IN_USE: nbdN is connected, or another program
 * kept it open for two seconds, or until c->stop.
 */
int nbdk_connect(const struct nbdk_conf *c, struct nbd_diag *d);

/*
 * The same by ioctls, for programs that call some themselves: the driver
 * refuses them for a device of nbdk_connect(), and nbdk_reconfigure() for this
 * one.  c->index is required; dead_timeout, client_flags and backend have no
 * effect.  A child process stays until the device is disconnected.
 */
int nbdk_connect_ioctl(const struct nbdk_conf *c, struct nbd_diag *d);

/*
 * Replaces dead sockets with c->fds, and sets every field that is not NBDK_KEEP
 * (block_size: not 0).  index is required, and backend must be unchanged.  The
 * driver silently drops sockets for which it has no dead one.  Set a size only
 * without sockets and while a connection lives: newer drivers (6.12) first
 * wait for the requests in flight.
 */
int nbdk_reconfigure(const struct nbdk_conf *c, struct nbd_diag *d);

/*
 * Disconnects the device.  Requests in flight fail, and programs that use the
 * device lose it: see nbdk_release().  Waits, for two seconds at most, until
 * nobody has it open, as it cannot be connected again before that.
 * NBD_E_NO_DEVICE: not connected.
 */
int nbdk_disconnect(int index, struct nbd_diag *d);

/*
 * The same, if nobody uses the device or a partition of it.  The driver decides
 * that when it closes the device, so that no program can open it in between.
 * NBD_E_IN_USE: it is mounted, part of another device, or open, and still was
 * after `ms`; d names its user.
 */
int nbdk_release(int index, unsigned ms, struct nbd_diag *d);

/* ms of patience with udev and the like, which open a device for a moment. */
#define NBDK_MOMENT 2000

/*
 * Removes the partitions of a disconnected device, which otherwise stay until
 * the device is opened.  nbdk_disconnect() calls it.
 */
void nbdk_drop_partitions(int index);

/* Is it connected?  Stays true when all its connections are dead. */
int nbdk_status(int index, bool *connected, struct nbd_diag *d);

/*
 * Waits after nbdk_connect() until the size is set, the partitions are scanned,
 * and the nodes of the device and its partitions are in /dev.  NBD_E_SIZE: the
 * device has another size.  NBD_E_NO_DEVICE: a node did not appear.
 */
int nbdk_wait_ready(int index, uint64_t size, struct nbd_diag *d);

/* Returns N for "nbdN" or "/dev/nbdN"; NBD_E_USAGE for anything else. */
int nbdk_parse_name(const char *name);
/* The same for nbdNpM, too.  part may be NULL, or gets M (1 to 255), or 0. */
int nbdk_parse_part(const char *name, unsigned *part);

/*
 * Opens the device, unless it or one of its partitions is mounted, used for
 * swap, part of another device, or held open exclusively: NBD_E_IN_USE.
 */
int nbdk_open_alone(int index, struct nbd_diag *d);

/* ---- its users (nbdk_users.c) ---- */

#define NBDK_USER_MAX 256

enum nbdk_use {
	NBDK_UNUSED,
	NBDK_OPEN,    /* by a process, maybe only for a moment */
	NBDK_CLAIMED, /* by a mount, swap or another device */
};

/*
 * Writes a user of nbdN or of one of its partitions: "qemu (pid 123)", "dm-0",
 * "swap", "the mount on /mnt (of pid 1)".  NBDK_UNUSED: nobody but the process
 * `but` uses it, as far as /sys and /proc show it.  They do not show memory
 * that is mapped, and servers in the kernel.  Needs root.
 */
enum nbdk_use nbdk_user(int index, int but, char text[NBDK_USER_MAX]);

/* "/proc"; tests point it elsewhere. */
extern const char *nbdk_proc;

/* ---- the state in sysfs ---- */

struct nbdk_info {
	int index;
	bool connected, read_only;
	uint64_t size;	      /* bytes */
	uint32_t block_size;  /* bytes */
	uint32_t io_timeout;  /* ms; 0: not readable */
	int pid;	      /* of the process that connected it */
	unsigned connections; /* hardware queues: min(connections, CPUs) */
	char backend[NBDK_BACKEND_MAX + 1]; /* any program may set it */
};

/* Reads one device.  NBD_E_NO_DEVICE: there is no nbdN. */
int nbdk_info(int index, struct nbdk_info *info);

/*
 * Which of NBD_FLAG_SEND_FLUSH, FUA and TRIM the device was connected with, and
 * the kernel uses, as its settings in sysfs show.
 */
uint16_t nbdk_flags(int index);

/* Completed requests (the kernel's Documentation/block/stat.rst). */
struct nbdk_count {
	uint64_t n, sectors; /* of 512 bytes */
	uint64_t ms;	     /* the sum of their times */
};

enum nbdk_kind {
	NBDK_READ,
	NBDK_WRITE,
	NBDK_DISCARD,
	NBDK_FLUSH, /* counted since Linux 5.5; no sectors */
	NBDK_KINDS,
};

/* What a device has done since it was made; its counters may wrap. */
struct nbdk_stat {
	struct nbdk_count kind[NBDK_KINDS];
	unsigned in_flight; /* now */
};

/* All zeroes if there is no nbdN, and counters that the kernel lacks. */
void nbdk_stat(int index, struct nbdk_stat *s);
/* The same from the text of /sys/block/nbdN/stat. */
void nbdk_stat_parse(struct nbdk_stat *s, const char *text);

/* The number of completed reads and writes, and in *waiting in_flight. */
uint64_t nbdk_answered(int index, unsigned *waiting);
/* The same of reads alone. */
uint64_t nbdk_reads(int index, unsigned *waiting);

/*
 * Iterates over the indices of all nbd devices, in rising order; start with all
 * zeroes.  Devices that appear or vanish meanwhile may or may not be included.
 */
struct nbdk_iter {
	int next, n, at;
	int window[64];
};

/* The next index, or NBD_E_NO_DEVICE when there are no more. */
int nbdk_next(struct nbdk_iter *it);

/* "/sys/block"; tests point it elsewhere. */
extern const char *nbdk_sys;

#endif
