/* SPDX-License-Identifier: BSD-2-Clause */
/* What a hostile server writes into the header of a GPT, for whoever reads it. */
#ifndef TESTS_BOOT_INIT_GPT_BAD_H
#define TESTS_BOOT_INIT_GPT_BAD_H

#include <sys/types.h>

static const struct gpt_bad {
	off_t at;
	const char *bytes; /* 8 */
} gpt_bad[] = {
	{ 512, "EFI PAST" },
	{ 512 + 72, "\xff\xff\xff\xff\xff\xff\xff\xff" }, /* table */
	{ 512 + 72, "\xff\xff\xff\xff\xff\xff\xff\x7f" },
	{ 512 + 72, "\xff\xff\xff\xff\xff\xff\x1f\0" },
	{ 512 + 80, "\0\0\0\0\x80\0\0\0" }, /* no entries */
	{ 512 + 80, "\x80\0\0\0\0\0\0\0" }, /* of no size */
	{ 512 + 80, "\xff\xff\xff\xff\xff\xff\xff\xff" },
	{ 512 + 80, "\xff\xff\xff\xff\x7f\0\0\0" },
};

#endif
