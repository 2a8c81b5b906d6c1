/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs of a distribution in the initramfs, and when process 1 runs them: a
 * text file of whoever made the initramfs, one program a line.
 *
 *	# MOMENT SECONDS PROGRAM [ARGUMENT]...
 *	LUKS     600     /sbin/cryptsetup open %p luks-%u
 *
 * Blanks and tabs separate the words, and nothing quotes them: no shell sees
 * them.  In an argument %X is the value of a letter of that moment, and %% a
 * percent sign.
 */
#ifndef BOOT_INIT_PROGRAMS_H
#define BOOT_INIT_PROGRAMS_H

#include <signal.h>

#include "port/port.h"

#define INIT_PROGRAMS	    "/etc/nbdboot/programs"
/* Bytes of the file; programs in it; words of a line behind the seconds. */
#define INIT_PROGRAMS_MAX   4096
#define INIT_PROGRAMS_LINES 32
#define INIT_PROGRAMS_WORDS 32

struct programs_value {
	char letter; /* of %X; 0: the end */
	/* an argument that is %X alone is left out if this is "" */
	const char *text;
};

/* ms that each program of the file, in its order, has had; begins as zeros. */
struct programs_had {
	uint32_t ms[INIT_PROGRAMS_LINES];
};

struct programs_call {
	const char *file;   /* INIT_PROGRAMS */
	const char *moment; /* "LUKS" */
	const struct programs_value *values;
	/* of calls that share the seconds of a program; NULL: of this call */
	struct programs_had *had;
	const sigset_t *signals; /* the signal mask of the programs */
};

/*
 * Checks the whole file.  Returns the number of its programs, 0 also if there
 * is no file, or NBD_E_USAGE with the line that is wrong, or NBD_E_IO.
 */
int init_programs_check(const char *file, struct nbd_diag *d);

/*
 * Runs the programs of a moment, one after the other: with the console as their
 * input and output, whose settings are restored, in a session of their own, for
 * at most their seconds.  One whose seconds are over or that fails is killed
 * with its children.  Blocks for so long.  One that fails is named on the
 * console, and the others run anyhow.  Returns 0, or the error of the first that
 * failed, with the reason in d.
 */
int init_programs_run(const struct programs_call *c, struct nbd_diag *d);

#endif
