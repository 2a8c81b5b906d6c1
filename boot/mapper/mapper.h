/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layers between a device and what is mounted: mappings of the kernel's
 * device mapper, named after the device, of which there may be either, or both:
 *
 *	nbd0 --> nbd0p2 --> nbdboot-nbd0 (/dev/dm-0)
 *	     --> nbdboot-verity-nbd0 (/dev/dm-1), the cover --> the root
 *
 * A mapping exists from before the mount until the way down, and its table may change
 * below the file system.  It has to be removed before the device can be
 * disconnected.
 */
#ifndef BOOT_MAPPER_MAPPER_H
#define BOOT_MAPPER_MAPPER_H

#include "port/port.h"

/* The names of all mappings that this program makes begin with it. */
#define MAPPER_PREFIX "nbdboot-"
/* Room for "nbdboot-verity-nbd1048575". */
#define MAPPER_NAME   32
/* Room for a table of one target, and for the path of a device. */
#define MAPPER_LINE   96
#define MAPPER_PATH   64
/* Room for the name of any block device: DISK_NAME_LEN of the kernel. */
#define MAPPER_DEVICE 32
/*
 * Kinds of mappings below that of nbdN (mapper_beside()): a mirror of a local
 * device and of FAR, which is the same extents on nbdN; and a mirror of RAM and
 * all of nbdN.
 */
#define MAPPER_CACHE  "cache"
#define MAPPER_FAR    "far"
#define MAPPER_MIRROR "mirror"
/*
 * In /sys/block/nbdN, us: while reads take longer, as those of a server far away
 * always do, the kernel sends at most 12 writes and flushes at a time; 0: all.
 * To a root with copies in RAM it sends each flush once for each extent.
 */
#define MAPPER_WBT    "queue/wbt_lat_usec"
/* The file of nbdboot.toram, behind its loop device. */
#define MAPPER_RAM    "/run/nbdboot/ram/disk"

struct dm;

#ifdef CONFIG_BOOT_MAPPER

/*
 * Maps the block device `path`, nbdN or a partition of it, one to one, and sets
 * path to the mapping's.  A mapping that an earlier try has left is removed
 * first.  After a failure path is unchanged.
 */
int mapper_put(int index, char path[MAPPER_PATH], struct nbd_diag *d);
/*
 * Maps it one to one again, whatever the table is, and removes what was beside
 * it; path as for mapper_put().
 */
int mapper_reset(int index, const char *path, struct nbd_diag *d);
/*
 * Removes the cover of nbdN, and its mapping.  NBD_E_NOT_FOUND: there is none.
 * NBD_E_IN_USE: it is mounted.
 */
int mapper_take(int index, struct nbd_diag *d);
/* Removes all that are not in use. */
void mapper_take_all(void);
/*
 * Removes the mappings of anybody, as of LVM and LUKS, and stops the arrays of
 * md, that stand on the disk (see mapper_stands_on()) and are not in use.
 */
void mapper_take_layers(const char *disk);

/*
 * What is made of what.  sys is "/sys/class/block", and names are those of
 * sysfs ("nbd0p2").  mapper_whole() sets disk to the disk of a partition, and to
 * the name itself of any other device.
 */
void mapper_whole(char disk[MAPPER_DEVICE], const char *sys, const char *name);
/*
 * Is it the disk, a partition of it, or made of one, over any number of devices
 * and their partitions?  disk may be NULL: any device of nbd, a copy of one in
 * RAM (MAPPER_RAM), and what loop devices make of the files on them.
 */
bool mapper_stands_on(const char *sys, const char *name, const char *disk);
/* Is it a mapping of another program or an array of md, or made of one? */
bool mapper_is_volume(const char *sys, const char *name);
/*
 * Is it the mapping of nbdN, with all or some of it read from nbdN, or a
 * partition of that?  below is set to its name.
 */
bool mapper_is_root(const char *sys, const char *name,
		    char below[MAPPER_DEVICE]);
/* Does a device stand on it, or on the disk that it is a partition of? */
bool mapper_is_held(const char *sys, const char *name);

/*
 * Makes the cover of "nbd0" or "loop0", read-only, with this table, and sets
 * path.  After a failure nothing is left.
 */
int mapper_cover(const char *disk, const char *table, char path[MAPPER_PATH],
		 struct nbd_diag *d);
int mapper_uncover(const char *disk, struct nbd_diag *d);
/*
 * Has a read of the cover found a block that is not what its hash says?  The
 * first one is for a process whose /dev is gone.
 */
bool mapper_cover_is_corrupt(struct dm *dm, const char *disk);
bool mapper_is_corrupt(const char *disk);

/* Is there the cover of any device? */
bool mapper_has_cover(void);

/* The name of the mapping of nbdN. */
void mapper_name(char name[MAPPER_NAME], int index);
/*
 * Makes a mapping with this table, in place of one that an earlier try has left;
 * dm is the caller's, and open.  Returns N of /dev/dm-N; after a failure
 * nothing is left.
 */
int mapper_make(struct dm *dm, const char *name, const char *table,
		bool read_only, struct nbd_diag *d);
/* Puts a table into use in any mapping; see mapper_set(). */
int mapper_set_named(struct dm *dm, const char *name, const char *table,
		     bool read_only, struct nbd_diag *d);
/*
 * Puts a table into use in the mapping of nbdN, which keeps its read-ahead; dm is
 * the caller's, and open.  After a failure the table is the one before, and no
 * request is held.
 */
int mapper_set(struct dm *dm, int index, const char *table, bool read_only,
	       struct nbd_diag *d);
/*
 * What is mapped, "254:0", of a mapping as mapper_put() has made it, and its
 * sectors.  path is that of the mapping.
 */
int mapper_below(int index, char path[MAPPER_PATH], char below[MAPPER_PATH],
		 uint64_t *sectors, struct nbd_diag *d);

/*
 * Writes and discards of the mapping of nbdN that have ended since it was made.
 * NBD_E_KERNEL: the kernel does not count them.
 */
int mapper_writes(struct dm *dm, int index, uint64_t *writes,
		  struct nbd_diag *d);
/*
 * As mapper_set(), of a table with copies of blocks that were read when
 * mapper_writes() was `writes` or later.  NBD_E_MISMATCH: it was written to
 * since, so that a copy may be old, and the table in use is the one before.  If
 * the caller dies in between, requests are held until mapper_reset().
 */
int mapper_set_copies(struct dm *dm, int index, const char *table,
		      uint64_t writes, struct nbd_diag *d);

/*
 * Makes a mapping that the table of nbdN can name, and sets number to "253:1".
 * dm is the caller's, with room for the table.  After a failure nothing is
 * left.
 */
int mapper_beside(struct dm *dm, const char *kind, int index, const char *table,
		  bool read_only, char number[24], struct nbd_diag *d);
/* Removes those of nbdN that are not in use. */
void mapper_take_beside(struct dm *dm, int index);
/*
 * As mapper_set(), of a table that maps it one to one, and removes what is beside
 * it.  What a mirror holds is done, and its RAM is free, even if udev looks at
 * the mirror at this moment, and it stays.
 */
int mapper_set_plain(struct dm *dm, int index, const char *table,
		     bool read_only, struct nbd_diag *d);
/* Is some of nbdN read from a cache? */
bool mapper_is_cached(struct dm *dm, int index);
/* Sets device to "dm-0", which the mapping of nbdN is, whatever its table. */
int mapper_find(int index, char device[MAPPER_DEVICE], struct nbd_diag *d);

/* A mirror that is the whole table. */
struct mapper_mirror {
	uint64_t done, all; /* regions: copied, and there are */
	bool source, copy;  /* has the first, and the second, never failed? */
};

/* NBD_E_KERNEL: the table is another one. */
int mapper_mirror(struct dm *dm, int index, struct mapper_mirror *state,
		  struct nbd_diag *d);

/* Called while requests are held. */
struct mapper_mover {
	/* An error: the table in use stays. */
	int (*ready)(void *ctx, struct nbd_diag *d);
	/* ready() has succeeded, and the table in use stays nevertheless */
	void (*undo)(void *ctx);
	void *ctx;
};

/*
 * As mapper_set(), if ready() agrees once all requests have ended and new ones
 * are held.  The read-ahead becomes the kernel's for what is below.
 */
int mapper_move(struct dm *dm, int index, const char *table, bool read_only,
		const struct mapper_mover *mover, struct nbd_diag *d);

/*
 * Maps the first sectors of a disk of this machine, and sets path.  After a
 * failure nothing is left.
 */
int mapper_local(const char *dev, uint64_t sectors, char path[MAPPER_PATH],
		 struct nbd_diag *d);
void mapper_unlocal(void);

/*
 * Waits until no other process of this program changes the table of nbdN in the
 * course of time, and keeps them out until it ends.  run is an open /run.
 * Without `wait`: NBD_E_AGAIN, if there is one.
 */
int mapper_lock(int run, int index, bool wait, struct nbd_diag *d);
/*
 * Makes a mapping of all of nbdN or of a partition, one to one, as large as that is
 * by now, under what is mounted; dev is an open /dev.  Waits for the requests on
 * their way.
 * NBD_E_AGAIN: another process changes the table, and has to end first.
 */
int mapper_grow(int dev, int run, int index, struct nbd_diag *d);

/* Does the mirror of nbdN hold writes, as one of its two has failed? */
bool mapper_is_stuck(struct dm *dm, int index);
/*
 * Maps one to one again what is made of copies in RAM and of a device, for when
 * the process that would do it was killed.  `down`, as the machine halts: only
 * where a mirror holds writes.  Else MAPPER_WBT is the kernel's default then, which
 * waits for requests in flight.  Returns how many those were, or the first failure.
 */
int mapper_mend(bool down, struct nbd_diag *d);

#else

static inline int mapper_mend(bool down, struct nbd_diag *d)
{
	(void)down, (void)d;
	return 0;
}

static inline int mapper_take(int index, struct nbd_diag *d)
{
	(void)index, (void)d;
	return NBD_E_NOT_FOUND;
}

static inline void mapper_take_all(void)
{
}

static inline void mapper_take_layers(const char *disk)
{
	(void)disk;
}

static inline bool mapper_has_cover(void)
{
	return false;
}

static inline bool mapper_is_volume(const char *sys, const char *name)
{
	(void)sys, (void)name;
	return false;
}

static inline bool mapper_is_root(const char *sys, const char *name,
				  const char *below)
{
	(void)sys, (void)name, (void)below;
	return false;
}

#endif
#endif
