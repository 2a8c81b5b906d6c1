/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One played kernel for unit tests and simulations.
 *
 * A program of tests/ that includes tests/world/PART.h is linked with PART.c, and
 * the functions that PART.h names are replaced in the product by those of PART.c
 * (link.sh).  What they do follows from `world`: zeroed, it is a quiet kernel in
 * which time stands still until somebody waits.  A test sets what is special in
 * it, and looks at what the world has counted:
 *
 *	world = (struct world){ .now = 1000, .paused = look_again };
 *
 * A hook is for what no field says.  Only a function that has a meaning of its own
 * in one test is replaced there, by a function __wrap_NAME() of the test.
 */
#ifndef TESTS_WORLD_WORLD_H
#define TESTS_WORLD_WORLD_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "boot/images/tries.h"
#include "port/linux/nbdk.h"

enum {
	WORLD_PAUSES = 64, /* whose lengths are kept */
	WORLD_TEXT = 8192, /* bytes; a test that fills it fails */
	WORLD_FILES = 32,
	WORLD_REFUSALS = 8,
	WORLD_SOCKETS = 4,
	WORLD_TAGS = 8,
};

/* What a file is that no test has named. */
enum world_others {
	WORLD_FAILS,  /* nobody may ask for it */
	WORLD_ABSENT, /* it is not there, and may be written */
	WORLD_REAL,   /* that of this machine */
};

struct nl_sock;

struct world_file {
	const char *name; /* as for fnmatch(3) */
	bool there;
	const char *data;
	size_t len;
	int error, refusal; /* errno of each access, or of writes */
	const char *target; /* open() and chdir() take it instead */
	struct stat st;	    /* for stat() */
	char own[128];	    /* what was written, if name is no pattern */
};

struct world_refusal {
	const char *line; /* as for fnmatch(3) */
	int error;	  /* errno */
	unsigned done;	  /* so many more succeed */
};

struct world {
	/* clock.h; several threads may look at it */
	_Atomic uint64_t now; /* ms */
	uint64_t ns;	      /* and so many ns more */
	uint64_t step;	      /* ms that each look at the clock takes */
	bool real;	      /* now is what it is ahead of the real clock by */
	void (*look)(void);   /* runs before each look */
	/* Replaces all of poll(), for a test whose descriptors are played. */
	int (*wait)(struct pollfd *p, nfds_t n, int ms);
	void (*paused)(int ms); /* runs after each pause: a poll() of no fd */
	_Atomic unsigned polls, pauses; /* all, and those */
	int pause[WORLD_PAUSES];	/* the first of them, in ms */

	/* say.h */
	char said[WORLD_TEXT]; /* each message, and a newline */
	unsigned says;
	void (*say)(const char *text); /* runs at each */

	/* harden.h and ready.h: how often a process did this to itself */
	unsigned hardened, confined, logs, ready;
	uint32_t rights; /* that it kept, a bit for each CAP_ */

	/* module.h */
	int no_module;	   /* an error of mod_load(), 0: none */
	char loaded[1024]; /* "NAME PARAMETERS" of each, and a newline */
	unsigned loads;
	void (*load)(const char *name, const char *params); /* runs at each */

	/* file.h, path.h and open.h */
	struct world_file files[WORLD_FILES];
	enum world_others others;
	const char *run;	  /* a directory in place of /run, for paths */
	unsigned asked;		  /* for so many files */
	int run_fd;		  /* run.h: an open /run, or an error */
	char written[WORLD_TEXT]; /* "NAME = TEXT" of each write */
	void (*read)(const char *name); /* run before file_read(), and after */
	void (*wrote)(const char *name, const char *text); /* a write */

	/* story.h, mount.h and tree.h */
	char story[WORLD_TEXT]; /* a line for each step */
	struct world_refusal refusals[WORLD_REFUSALS];

	/* genl.h: pairs of a socket of the product and one of the kernel */
	int genl[WORLD_SOCKETS][2];
	unsigned genl_opened; /* by the product */
	uint32_t joined;      /* a group, 0: none */
	int join_error;	      /* errno */

	/* netlink.h */
	int nl_error;	    /* of nl_open(), 0: none */
	unsigned nl_opened; /* sockets */
	int nl_protocol;    /* of the last one */
	unsigned nl_groups;
	int (*hear)(struct nl_sock *s); /* nl_hear() that does not wait */

	/* sockdiag.h */
	int tagged[WORLD_TAGS]; /* tagged[tags % WORLD_TAGS] is the next */
	unsigned tags;
	int tag;       /* the last index */
	int tag_error; /* of sockdiag_tag(), 0: none */

	/* nbdk.h: the driver */
	int devices;	       /* that are connected: nbd0 and so on */
	struct nbdk_info nbdk; /* of each device that is asked for */
	int nbdk_error;	       /* of nbdk_info(), 0: none */
	int nbdk_index;	       /* that was asked for last */
	void (*info)(int index, struct nbdk_info *info); /* changes it */

	/* lock.h: device_lock() returns lock; so many are held */
	int lock, locked;

	/* tries.h: what a server keeps of images, and how often it was written */
	struct images_tries tries;
	unsigned kept;
	char keeper[64];    /* its URI */
	bool keeper_away;   /* reads and writes fail */
	int keeper_fails;   /* the error of a write alone */
	void (*keep)(void); /* runs before each write */

	/* dm.h: the device mapper */
	char table[1024]; /* the last that was loaded */
	bool table_read_only;
	int dm_error; /* of dm_open() */
	int dm_found; /* of dm_find(); 0: NBD_E_NOT_FOUND */
	int load_error, resume_error;
	/* runs at dm_open(), dm_close(), dm_load(), dm_resume(): '(', ')', 'l', 'r' */
	void (*dm)(char what, const char *name);
	int dm_dev; /* the directory of the last dm_open_at(), or AT_FDCWD */
};
extern struct world world;

/* As it is when a program begins. */
void world_reset(void);

/* Appends to a text of the world; it must fit. */
void world_note(char *text, size_t cap, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Fails the test or the schedule; elsewhere the program aborts. */
_Noreturn void world_fail(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

#endif
