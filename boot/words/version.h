/* SPDX-License-Identifier: BSD-2-Clause */
/* The version of this program. */
#ifndef BOOT_WORDS_VERSION_H
#define BOOT_WORDS_VERSION_H

#include <stdint.h>

/* The output of `git describe` for its source. */
extern const char boot_version[];

/*
 * The date of its last commit, in s since 1970: a right clock is never earlier.
 */
extern const int64_t boot_built;

#endif
