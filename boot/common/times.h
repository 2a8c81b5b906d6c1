/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long each step of the boot took, for `nbdboot boot-time`.  Times are in
 * ms since the kernel started; the firmware's step comes before, below 0.
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
 * Records a step that began at `start` (of nbd_now_ms()) and ends now.  It may
 * lie within another one.  A step without a duration, or without room, is
 * dropped.
 */
void boot_times_mark(const char *name, uint64_t start);
/*
 * A try has failed: merges all steps from the step `from` on into one, "failed
 * tries".
 */
void boot_times_again(const char *from);
/*
 * Writes TIMES_FILE, with the steps before init, as far as the kernel reports
 * them.
 */
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
 * Parses len bytes that boot_times_write() wrote; allows only that format, but
 * with blanks between its parts.  0, or NBD_E_IO with the position in d.
 */
int boot_times_parse(struct times *t, const char *text, size_t len,
		     struct nbd_diag *d);

#endif
