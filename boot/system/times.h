/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long each step of the boot took, for `nbdboot boot-time`.  Times are in
 * ms since the kernel started; the firmware's step comes before, below 0.
 *
 *	{"unit":"ms","host":"desk1","root":"nbd://192.0.2.1/disk",
 *	"kernel":"6.1.0","date":"2026-11-22 16:05 UTC","steps":[
 *	{"name":"kernel","start":0,"end":2012},
 *	{"name":"drivers","start":2014,"end":2390}]}
 *
 * Steps are sorted by their start, and may lie within others.
 */
#ifndef BOOT_SYSTEM_TIMES_H
#define BOOT_SYSTEM_TIMES_H

#include <stdint.h>

#include "port/port.h"

#define TIMES_FILE "/run/nbdboot/boot.json"
#define TIMES_MAX  64

struct times_step {
	char name[24];
	int32_t start, end; /* ms; start <= end */
};

struct times {
	struct times_step step[TIMES_MAX];
	unsigned n;
	/* "" if not known: earlier versions wrote none of them */
	char host[65], root[128], kernel[65], date[24];
};

#ifdef CONFIG_BOOT_TIMES

/*
 * Records a step that began at `start` (of nbd_now_ms()) and ends now.  It may
 * lie within another one.  A step without a duration is dropped, and without room
 * for all, the shortest one.
 */
void boot_times_mark(const char *name, uint64_t start);
/*
 * A try has failed: merges all steps from the step `from` on into one, "failed
 * tries".
 */
void boot_times_again(const char *from);
/* The same of a step that ended earlier. */
void boot_times_span(const char *name, uint64_t start, uint64_t end);
/*
 * Writes TIMES_FILE, with the steps before init, as far as the kernel reports
 * them.  root: its URI, of which the query is left out.
 */
void boot_times_write(const char *root);

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

static inline void boot_times_span(const char *name, uint64_t start,
				   uint64_t end)
{
	(void)name;
	(void)start;
	(void)end;
}

static inline void boot_times_write(const char *root)
{
	(void)root;
}

#endif

/* Can this character stand for itself on a terminal, in JSON and in XML? */
static inline bool boot_times_plain(char c)
{
	return c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '<' &&
	       c != '>' && c != '&';
}

/*
 * Parses len bytes that boot_times_write() wrote; allows only that format, but
 * with blanks between its parts.  0, or NBD_E_IO with the position in d.
 */
int boot_times_parse(struct times *t, const char *text, size_t len,
		     struct nbd_diag *d);

#endif
