/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory with an unreadable page on each side: a byte read or written past
 * either end of it is a crash, under every compiler and without sanitizers.
 *
 *	| unreadable | first ...            ... last | unreadable |
 *	             ^ guard_start()      guard_end() ends here ^
 */
#ifndef TESTS_GUARD_H
#define TESTS_GUARD_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GUARD_PAGE 4096u /* x86; aarch64 and others: sysconf() */

struct guard {
	char *first;
	size_t len; /* bytes between the two pages */
};

/* At least len bytes; a failure to get them ends the test program. */
static inline struct guard guard_new(size_t len)
{
	size_t room = (len + GUARD_PAGE - 1) / GUARD_PAGE * GUARD_PAGE;
	char *p = mmap(NULL, room + 2 * GUARD_PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p, GUARD_PAGE, PROT_NONE) ||
	    mprotect(p + GUARD_PAGE + room, GUARD_PAGE, PROT_NONE))
		abort();
	return (struct guard){ p + GUARD_PAGE, room };
}

/* len bytes that begin right after the first page, filled with 0xa5. */
static inline void *guard_start(const struct guard *g, size_t len)
{
	if (len > g->len)
		abort();
	return memset(g->first, 0xa5, len);
}

/* len bytes that end flush against the last page, filled with 0xa5. */
static inline void *guard_end(const struct guard *g, size_t len)
{
	if (len > g->len)
		abort();
	return memset(g->first + g->len - len, 0xa5, len);
}

/* A copy of len bytes, flush against the last page. */
static inline void *guard_copy(const struct guard *g, const void *p, size_t len)
{
	return memcpy(guard_end(g, len), p, len);
}

static inline void guard_free(struct guard *g)
{
	munmap(g->first - GUARD_PAGE, g->len + 2 * GUARD_PAGE);
}

#endif
