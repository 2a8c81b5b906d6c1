/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs of a root that run while its server is away: their files, and those
 * that they need, are locked in memory by a process that stays.
 *
 *	sshd --> /usr/sbin/sshd --ELF--> ld.so, libc.so.6, ... --> mmap, mlock
 *	              '--> the links on the way --> open
 *
 * What is locked is the page cache: whoever executes the file finds it there.
 */
#ifndef BOOT_KEEP_KEEP_H
#define BOOT_KEEP_KEEP_H

#include <sys/stat.h>

#include "port/port.h"

/* Names in the queue, and files and directories that are kept. */
#define KEEP_NAMES 1024
#define KEEP_FILES 2048
#define KEEP_NAME  256

struct keep {
	int root;     /* an open directory: the root of all paths */
	int below;    /* of the same names, if that is an overlay; 0: none */
	int disk;     /* of keep_open_disk(); 0: none */
	dev_t dev;    /* that of the root or what is below, and its number */
	uint64_t max; /* bytes that may be locked */
	/* private, and read by the caller at the end */
	uint64_t bytes;
	unsigned files;
	unsigned failed; /* named, and not kept: reported */
	bool full;	 /* no more names or files fit: said once */
	bool found;	 /* the name in hand */
	unsigned n_names, n_seen;
	struct keep_seen {
		dev_t dev;
		ino_t ino;
	} seen[KEEP_FILES];
	struct keep_name {
		char text[KEEP_NAME];
		uint8_t kind; /* enum keep_kind */
	} names[KEEP_NAMES];
};

enum keep_kind {
	KEEP_PROGRAM,  /* of the list: reported if it is missing */
	KEEP_LIBRARY,  /* the name or the path of one */
	KEEP_FILE,     /* the path of what a program reads */
	KEEP_COMPANION /* any of these, which may be missing */
};

/*
 * Keeps the files of a list, "NAME,NAME,...": a program, a library, or with a
 * slash a file or a directory with its files.  Reports what it cannot keep, and
 * goes on.  Returns 0, or NBD_E_USAGE if a name is too long.  The caller sets
 * root, below and max, and zeroes the rest.
 */
int keep_list(struct keep *k, const char *list, struct nbd_diag *d);

/*
 * Before that, while /dev is there: opens the disk of the root, so that the blocks
 * of directories can be kept.  Without it, or on another file system than ext4,
 * a name that is missing may have to be looked for on the server.
 */
void keep_open_disk(struct keep *k);

/* ---- private ---- */

/*
 * Locks len bytes of a file from at on.  Returns 0, or NBD_E_NO_MEMORY: they are
 * more than may be locked; otherwise as file_error().
 */
int keep_lock(struct keep *k, int fd, uint64_t at, uint64_t len);
/* Keeps a directory, of which *st is, open, and locks its blocks. */
void keep_blocks(struct keep *k, int dir, const struct stat *st);
/*
 * Of an inode of ext4 on k->disk: locks the blocks that say where its own are,
 * which no FIEMAP names.  Nothing if it has none, as most.
 */
void keep_tree(struct keep *k, uint64_t inode);

/* Adds a name, unless it is there already. */
void keep_add(struct keep *k, enum keep_kind kind, const char *name);
/* Adds what the program or library with this path opens by itself. */
void keep_companions(struct keep *k, const char *path);
/* True once for each file or directory: it is not kept yet, and is now. */
bool keep_first(struct keep *k, const struct stat *st);
/*
 * Opens a regular file or a directory below the root, of which *st is.  Links
 * on the way stay open, so that the same path can be opened when the disk cannot
 * be read.  No link leads out of the root.
 * Returns the descriptor, or -1 with errno.
 */
int keep_open(struct keep *k, const char *path, struct stat *st);

/*
 * Adds what an ELF file of this machine needs: its interpreter and libraries.
 * Returns false if it is none of this machine.
 */
bool keep_needed(struct keep *k, int fd);
/* Calls found() with each path that the cache of ld.so has for a library. */
void keep_cache(struct keep *k, int fd, const char *name,
		void (*found)(struct keep *k, const char *path));

#endif
