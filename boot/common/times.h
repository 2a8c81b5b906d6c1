/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long each step of the boot took, for `nbdboot boot-time`.  Times are in
 * ms since the kernel started; what the firmware did comes before, below 0.
 *
 *	{"unit":"ms","steps":[
 *	{"name":"kernel","start":0,"end":2012},
 *	{"name":"drivers","start":2014,"end":2390}]}
 *
 * Steps are sorted by their start, and may lie within others.
 */
#ifndef BOOT_COMMON_TIMES_H
#define BOOT_COMMON_TIMES_H

#include <stdint.h>

#include "port/port.h"

#define TIMES_FILE "/run/nbdboot/boot.json"
#define TIMES_MAX  40

struct times_step {
	char name[24];
	int32_t start, end; /* ms; start <= end */
};

struct times {
	struct times_step step[TIMES_MAX];
	unsigned n;
};

#ifdef CONFIG_BOOT_TIMES

/*
 * A step that began at `start` (of nbd_now_ms()) has ended.  It may lie within
 * another one.  What is too much is dropped, and what took no time.
 */
void boot_times_mark(const char *name, uint64_t start);
/* A try has failed: all from the step `from` on becomes one, "failed tries". */
void boot_times_again(const char *from);
/* Writes TIMES_FILE, with the step before init's, if the kernel tells it. */
void boot_times_write(void);

#else /* no times are taken */

static inline void boot_times_mark(const char *name, uint64_t start)
{
	(void)name;
	(void)start;
}

static inline void boot_times_again(const char *from)
{
	(void)from;
}

static inline void boot_times_write(void)
{
}

#endif

/*
 * Reads len bytes of what boot_times_write() wrote: nothing else, but it may have
 * blanks between its parts.  0, or NBD_E_IO with the place in d.
 */
int boot_times_parse(struct times *t, const char *text, size_t len,
		     struct nbd_diag *d);

#endif
