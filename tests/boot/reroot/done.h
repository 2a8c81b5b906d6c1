/* SPDX-License-Identifier: BSD-2-Clause */
/* What was done, a line for each step. */
#ifndef TESTS_BOOT_REROOT_DONE_H
#define TESTS_BOOT_REROOT_DONE_H

#include "port/text.h"
#include "tests/unit.h"

static struct nbd_out done;
static char text[4096];

static void forget_what_was_done(void)
{
	done = (struct nbd_out){ .buf = text, .cap = sizeof(text) - 1 };
	text[0] = '\0';
}

static void note(const char *what, const char *name)
{
	nbd_putf(&done, "%s%s\n", what, name);
	assert_false(done.cut);
	text[done.len] = '\0';
}

#endif
